#!/usr/bin/env python3
"""Pairs to numbers: caps, the list of words, rows of words.

    prepare.py PAIRS.jsonl FORMS.tsv OUT.npz [--words 32000] [--cap 60000] [--kinds doc,...]
"""
import argparse
import collections
import json
import random
import zlib

import numpy

from words import Words, is_word

# A word met less often learns nothing: its pieces stand for it.
MIN_PAIRS = 3


def read(path, kinds, cap, seed):
    """Pairs, at most `cap` of one kind and language; a query text stands once a kind."""
    buckets, seen = collections.defaultdict(list), set()
    marks = tuple(f'"kind":"{kind}"' for kind in kinds)
    # Packages are mined side by side: their order in the file is chance.
    rows = [json.loads(line) for line in open(path) if any(mark in line for mark in marks)]
    rows.sort(key=lambda r: (r["package"], r["kind"], r["query"], r["content"]))
    for row in rows:
        key = (row["kind"], row["query"])
        if key not in seen:
            seen.add(key)
            buckets[row["kind"], row["language"]].append(row)
    chance = random.Random(seed)
    kept = []
    for key in sorted(buckets):
        rows = sorted(buckets[key], key=lambda r: (r["package"], r["query"]))
        kept += rows if len(rows) <= cap else chance.sample(rows, cap)
    return kept


def csr(lists, dtype):
    """Lists of different length as one array and where each begins."""
    starts = numpy.zeros(len(lists) + 1, dtype=numpy.int64)
    numpy.cumsum([len(x) for x in lists], out=starts[1:])
    return starts, numpy.concatenate(lists).astype(dtype) if lists else numpy.zeros(0, dtype)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs")
    parser.add_argument("forms")
    parser.add_argument("out")
    parser.add_argument("--words", type=int, default=32_000)
    parser.add_argument("--cap", type=int, default=60_000)
    parser.add_argument("--kinds", default="doc")
    arguments = parser.parse_args()
    rows = read(arguments.pairs, arguments.kinds.split(","), arguments.cap, 0)

    frequency, documents, seen = collections.Counter(), 0, set()
    for row in rows:
        documents += 1
        content = set() if row["content"] in seen else set(row["content"].split())
        seen.add(row["content"])
        frequency.update(w for w in content | set(row["query"].split()) | set(row["path"].split()) if is_word(w))
    # The commonest; equal ones by name, so that the list does not depend on the order of files.
    ranked = sorted(frequency.items(), key=lambda item: (-item[1], item[0]))[: arguments.words]
    ranked = [(word, count) for word, count in ranked if count >= MIN_PAIRS]
    words = Words([word for word, _ in ranked])
    forms = {}
    for line in open(arguments.forms):
        word, spelling, _count = line.rstrip("\n").split("\t")
        forms[word] = spelling

    queries, contents, counts, kept = [], [], [], []
    once = {"path": [], "name": []}
    for row in rows:
        query = words.ids(row["query"])
        content, count = words.counted(row["content"])
        if len(query) >= 2 and len(content) >= 5:
            queries.append(numpy.array(query, dtype=numpy.int32))
            contents.append(content)
            counts.append(count)
            for key, lists in once.items():
                lists.append(numpy.unique(numpy.array(words.ids(row[key]), dtype=numpy.int32)))
            kept.append(row)

    def coded(values):
        names = sorted(set(values))
        number = {name: i for i, name in enumerate(names)}
        return numpy.array(names), numpy.array([number[v] for v in values], dtype=numpy.int32)

    query_start, query = csr(queries, numpy.int32)
    content_start, content = csr(contents, numpy.int32)
    _, count = csr(counts, numpy.int32)
    parts = {}
    for key, lists in once.items():
        parts[key + "_start"], parts[key] = csr(lists, numpy.int32)
    language_names, language = coded([r["language"] for r in kept])
    kind_names, kind = coded([r["kind"] for r in kept])
    package_names, package = coded([r["package"] for r in kept])
    body = numpy.array([zlib.crc32(r["content"].encode()) for r in kept], dtype=numpy.uint32)
    numpy.savez(
        arguments.out, words=numpy.array([w for w, _ in ranked]), frequency=numpy.array([f for _, f in ranked]),
        forms=numpy.array([forms.get(w, w) for w, _ in ranked]), documents=documents,
        query_start=query_start, query=query, content_start=content_start, content=content, count=count,
        **parts, language_names=language_names, language=language, kind_names=kind_names,
        kind=kind, package_names=package_names, package=package, body=body)
    table = collections.Counter((r["kind"], r["language"]) for r in kept)
    for kind_name in kind_names:
        line = ", ".join(f"{l} {n}" for (k, l), n in sorted(table.items(), key=lambda i: -i[1]) if k == kind_name)
        print(f"{kind_name}: {sum(n for (k, _), n in table.items() if k == kind_name)}: {line}")
    print(f"{len(words.words)} words, the rarest in {ranked[-1][1]} of {documents} pairs")


if __name__ == "__main__":
    main()
