#!/usr/bin/env python3
"""What vectors alone find, and what BM25 alone finds, on the same chunks.

    evaluate.py semble SET.jsonl CHUNKS MODEL... [--study]   NDCG@10, mean of repository means
    evaluate.py docs PAIRS.jsonl MODEL...                    MRR of a docstring among the bodies of its package
    evaluate.py related SET.jsonl CHUNKS RELATED.cdsw        BM25 with and without related words

MODEL is a `static.cdsw`, or a table `.npy` with the pairs it was trained on: `table.npy,pairs.npz`. CHUNKS is a folder
with `<repository>.jsonl` and `queries.jsonl` as the example `chunks` prints them.
"""
import argparse
import collections
import json
import math
import pathlib

import numpy
from scipy import sparse

import layout
from words import Words


def load(name):
    if name.endswith(".cdsw"):
        words, table = layout.read_static(name)
    else:
        table_name, pairs = name.split(",")
        table, words = numpy.load(table_name), numpy.load(pairs)["words"].tolist()
    return Words(words), table


def unit(x):
    return x / (numpy.linalg.norm(x, axis=1, keepdims=True) + 1e-9)


# A word of content counts its times to this power, as in use.
CONTENT_POWER = 0.6


def bags(words, texts, repeated):
    start, ids, weights = [0], [], []
    memory = {}
    for text in texts:
        if text not in memory:
            memory[text] = words.counted(text)
        numbers, counts = memory[text]
        ids.append(numbers)
        weights.append(counts ** CONTENT_POWER if repeated else numpy.ones(len(counts)))
        start.append(start[-1] + len(numbers))
    flat = numpy.concatenate(ids) if ids else numpy.zeros(0, int)
    data = numpy.concatenate(weights) if weights else numpy.zeros(0)
    return sparse.csr_matrix((data.astype(numpy.float32), flat, start), shape=(len(texts), len(words.words)))


class Repository:
    def __init__(self, path):
        self.chunks = [json.loads(line) for line in open(path)]

    def texts(self, key):
        return [c[key] for c in self.chunks]


def covers(chunk, target):
    if chunk["path"] != target["path"]:
        return False
    return "start_line" not in target or (
        chunk["end_line"] >= target["start_line"] and chunk["start_line"] <= target["end_line"])


def ndcg(chunks, targets, k=10):
    gains = [0] * k
    for target in targets:
        for rank, chunk in enumerate(chunks[:k]):
            if covers(chunk, target):
                gains[rank] = 1
                break
    gain = lambda row: sum(g / math.log2(i + 2) for i, g in enumerate(row))
    return gain(gains) / gain([1] * min(k, len(targets)))


class Semble:
    def __init__(self, set_path, folder):
        folder = pathlib.Path(folder)
        self.words_of = {}
        for line in open(folder / "queries.jsonl"):
            row = json.loads(line)
            self.words_of[row["id"]] = row
        self.repositories, self.tasks = {}, collections.defaultdict(list)
        for line in open(set_path):
            task = json.loads(line)
            file = folder / f"{task['repo']}.jsonl"
            if file.exists():
                if task["repo"] not in self.repositories:
                    self.repositories[task["repo"]] = Repository(file)
                self.tasks[task["repo"]].append(task)

    def score(self, rank):
        """`rank(repository, tasks)` gives a row of chunk numbers for each task."""
        rows, by_kind = {}, collections.defaultdict(list)
        for name, tasks in self.tasks.items():
            repository = self.repositories[name]
            values = []
            for task, order in zip(tasks, rank(repository, tasks)):
                value = ndcg([repository.chunks[i] for i in order[:10]], task["targets"])
                values.append(value)
                by_kind[task["category"]].append(value)
            rows[name] = sum(values) / len(values)
        return sum(rows.values()) / len(rows), rows, {k: sum(v) / len(v) for k, v in by_kind.items()}


class Dense:
    """Vectors of chunks from weighted parts."""

    def __init__(self, words, table):
        self.words, self.table, self.kept = words, table, {}

    def part(self, repository, key, repeated):
        found = self.kept.get((id(repository), key, repeated))
        if found is None and key == "file":
            found = self.files(repository)
        elif found is None:
            found = unit(bags(self.words, repository.texts(key), repeated) @ self.table)
            self.kept[id(repository), key, repeated] = found
        return found

    def files(self, repository):
        """For each chunk the mean of its file's chunks."""
        content = self.part(repository, "content", True)
        _, file = numpy.unique(repository.texts("path"), return_inverse=True)
        sums = sparse.csr_matrix((numpy.ones(len(file), numpy.float32), (file, numpy.arange(len(file))))) @ content
        return unit(sums)[file]

    def documents(self, repository, parts, repeated):
        return unit(sum(weight * self.part(repository, key, repeated and key == "content") for key, weight in parts.items()))

    def ranker(self, semble, parts, repeated=True):
        def rank(repository, tasks):
            queries = unit(bags(self.words, [semble.words_of[t["id"]]["words"] for t in tasks], False) @ self.table)
            scores = queries @ self.documents(repository, parts, repeated).T
            return numpy.argsort(-scores, axis=1, kind="stable")
        return rank


class Bm25:
    def __init__(self, texts, k1=1.2, b=0.75):
        self.number, rows = {}, []
        for text in texts:
            counts = collections.Counter(text.split())
            rows.append({self.number.setdefault(w, len(self.number)): n for w, n in counts.items()})
        start = numpy.cumsum([0] + [len(r) for r in rows])
        ids = numpy.array([i for r in rows for i in r], dtype=numpy.int32)
        tf = numpy.array([n for r in rows for n in r.values()], dtype=numpy.float32)
        length = numpy.array([sum(r.values()) for r in rows], dtype=numpy.float32)
        of = numpy.repeat(numpy.arange(len(rows)), numpy.diff(start))
        df = numpy.bincount(ids, minlength=len(self.number))
        idf = numpy.log(1 + (len(rows) - df + 0.5) / (df + 0.5))
        weight = idf[ids] * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length[of] / length.mean()))
        self.matrix = sparse.csr_matrix((weight, ids, start), shape=(len(rows), len(self.number)))

    def scores(self, query):
        """Scores for words with weights."""
        vector = numpy.zeros(len(self.number))
        for word, weight in query.items():
            if word in self.number:
                vector[self.number[word]] += weight
        return self.matrix @ vector


def bm25_ranker(semble, with_path, expand=None):
    kept = {}

    def rank(repository, tasks):
        if id(repository) not in kept:
            texts = repository.texts("terms")
            if with_path:
                texts = [f"{t} {p}" for t, p in zip(texts, repository.texts("path_words"))]
            kept[id(repository)] = Bm25(texts)
        for task in tasks:
            query = collections.Counter(semble.words_of[task["id"]]["terms"].split())
            if expand:
                query = expand(query)
            yield numpy.argsort(-kept[id(repository)].scores(query), kind="stable")
    return rank


def show(label, result):
    score, rows, kinds = result
    print(f"{label:44s} {score:.4f}  " + " ".join(f"{k} {v:.3f}" for k, v in sorted(kinds.items())), flush=True)
    return rows


COMPOSITIONS = {
    "content": {"content": 1},
    "content + .5 own name": {"content": 1, "own": 0.5},
    "content + .7 name": {"content": 1, "name": 0.7},
    "content + .6 path + .6 name": {"content": 1, "path_part": 0.6, "name": 0.6},
}
STUDY = {
    "content + .5 path": {"content": 1, "path_part": 0.5},
    "content + .3 path": {"content": 1, "path_part": 0.3},
    "content + .7 path": {"content": 1, "path_part": 0.7},
    "content + .3 name": {"content": 1, "name": 0.3},
    "content + .3 signature": {"content": 1, "signature": 0.3},
    "content + .3 doc": {"content": 1, "doc": 0.3},
    "content + .5 file": {"content": 1, "file": 0.5},
    "content + .5 path + .3 name": {"content": 1, "path_part": 0.5, "name": 0.3},
    "content + .5 path + .3 signature": {"content": 1, "path_part": 0.5, "signature": 0.3},
    "content + .5 path + .5 file": {"content": 1, "path_part": 0.5, "file": 0.5},
    "content + .5 path + .3 name + .5 file": {"content": 1, "path_part": 0.5, "name": 0.3, "file": 0.5},
    "content + .7 path + .5 name + .5 file": {"content": 1, "path_part": 0.7, "name": 0.5, "file": 0.5},
}


def semble_main(arguments):
    semble = Semble(arguments.inputs[0], arguments.inputs[1])
    print(f"{len(semble.repositories)} repositories, {sum(len(r.chunks) for r in semble.repositories.values())} chunks")
    if arguments.study:
        show("BM25 content", semble.score(bm25_ranker(semble, False)))
        table = {"BM25": show("BM25 content and path in one bag", semble.score(bm25_ranker(semble, True)))}
    else:
        table = {}
    for name in arguments.inputs[2:]:
        dense = Dense(*load(name))
        label = pathlib.Path(name.split(",")[0]).stem
        chosen = {**COMPOSITIONS, **(STUDY if arguments.study else {})}
        for what, parts in chosen.items():
            table[label, what] = show(f"{label}: {what}", semble.score(dense.ranker(semble, parts)))
        if arguments.study:
            show(f"{label}: content + .5 path, no tf", semble.score(dense.ranker(semble, STUDY["content + .5 path"], False)))
    if arguments.study:
        for name in semble.tasks:
            print(f"{name:20s} " + "  ".join(f"{rows[name]:.3f}" for key, rows in table.items()))


# Pairs of one draw, and draws at most: one alone has a standard error of 0.02.
DRAW, DRAWS = 300, 7


def docs_main(arguments):
    by_package = collections.defaultdict(list)
    for line in open(arguments.inputs[0]):
        row = json.loads(line)
        if row["kind"] == "doc":
            by_package[row["package"]].append(row)
    models = [(pathlib.Path(n.split(",")[0]).stem, *load(n)) for n in arguments.inputs[1:]]
    for package, rows in sorted(by_package.items()):
        chance = numpy.random.default_rng(7)
        rows = sorted(rows, key=lambda r: (r["query"], r["content"]))
        rows = [rows[i] for i in chance.permutation(len(rows))]
        draws = [rows[at:at + DRAW] for at in range(0, min(len(rows), DRAWS * DRAW) - DRAW + 1, DRAW)]
        line = collections.defaultdict(list)
        for picked in draws:
            gold = numpy.arange(len(picked))
            lexical = Bm25([r["content"] for r in picked])
            line["BM25"].append(mrr(numpy.stack([lexical.scores(collections.Counter(r["query"].split())) for r in picked]), gold))
            for label, words, table in models:
                documents = unit(bags(words, [r["content"] for r in picked], True) @ table)
                queries = unit(bags(words, [r["query"] for r in picked], False) @ table)
                line[label].append(mrr(queries @ documents.T, gold))
        told = "  ".join(f"{k} {v[0]:.3f}, all {numpy.mean(v):.4f}" for k, v in line.items())
        print(f"{package} ({len(draws)} draws of {DRAW} from {len(rows)}): {told}")


def mrr(scores, gold):
    own = scores[numpy.arange(len(gold)), gold][:, None]
    # Ties count against: an answer that says nothing gets no credit.
    rank = (scores > own).sum(1) + ((scores == own).sum(1) - 1) + 1
    return float((1 / rank).mean())


def related_main(arguments):
    semble = Semble(arguments.inputs[0], arguments.inputs[1])
    related = layout.read_related(arguments.inputs[2])
    for with_path in (False, True):
        label = "BM25 content and path" if with_path else "BM25 content"
        show(label, semble.score(bm25_ranker(semble, with_path)))
        for strength in (0.25, 0.5, 1.0):
            def expand(query, strength=strength):
                wider = collections.Counter(query)
                for word, count in query.items():
                    for target, weight in related.get(word, ()):
                        wider[target] += strength * weight * count
                return wider
            show(f"{label}, related words x {strength}", semble.score(bm25_ranker(semble, with_path, expand)))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("what", choices=["semble", "docs", "related"])
    parser.add_argument("inputs", nargs="+")
    parser.add_argument("--study", action="store_true")
    arguments = parser.parse_args()
    {"semble": semble_main, "docs": docs_main, "related": related_main}[arguments.what](arguments)


if __name__ == "__main__":
    main()
