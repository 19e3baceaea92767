#!/usr/bin/env python3
"""Trains a table of word vectors on pairs of prose and code.

    train.py PAIRS.npz OUT.npy [--seed 0] [--first FIRST.npy] [--kinds doc,whole] ...

A text's vector is the sum of its words' vectors. A definition's is unit(unit(content) + 0.5 unit(path)), the path left
out half the time; a query's is unit(sum). The loss is InfoNCE both ways inside a batch. The gradient is written out by
hand over sparse matrices: a step is a few products, and numpy and scipy are all it needs.
"""
import argparse
import json
import time

import numpy
from scipy import sparse

DECAY_FIRST, DECAY_SECOND = 0.9, 0.99


class Bags:
    """Lists of words of different length, as rows of a sparse matrix."""

    def __init__(self, start, ids, weights, width):
        self.matrix = sparse.csr_matrix((weights.astype(numpy.float32), ids, start), shape=(len(start) - 1, width))

    def rows(self, picked):
        return self.matrix[picked]


def unit(x):
    length = numpy.sqrt((x * x).sum(1, keepdims=True)) + 1e-8
    return x / length, length


def unit_back(gradient, x, length):
    return (gradient - x * (gradient * x).sum(1, keepdims=True)) / length


class Adam:
    """Moves only the rows a batch touches; a row's moments rest while it is not met."""

    def __init__(self, table):
        self.first, self.second = numpy.zeros_like(table), numpy.zeros_like(table)
        self.steps = numpy.zeros(len(table), numpy.int32)

    def move(self, table, rows, gradient, rate):
        self.steps[rows] += 1
        t = self.steps[rows][:, None]
        first = self.first[rows] * DECAY_FIRST + (1 - DECAY_FIRST) * gradient
        second = self.second[rows] * DECAY_SECOND + (1 - DECAY_SECOND) * gradient * gradient
        self.first[rows], self.second[rows] = first, second
        first = first / (1 - DECAY_FIRST ** t).astype(numpy.float32)
        second = second / (1 - DECAY_SECOND ** t).astype(numpy.float32)
        table[rows] -= rate * first / (numpy.sqrt(second) + 1e-8)


def grouped(buckets, size, chance, vectors):
    """Groups of pairs that are hard to tell apart: from one package; alike in their vectors where there are some."""
    groups = []
    for members in buckets:
        members = chance.permutation(members)
        stack = [members]
        while stack:
            part = stack.pop()
            if len(part) <= size:
                groups.append(part)
            elif vectors is None:
                groups += [part[i:i + size] for i in range(0, len(part), size)]
            else:
                # Halved along the line between two of its own, until a group is small.
                a, b = vectors[part[0]], vectors[part[1]]
                order = part[numpy.argsort(vectors[part] @ (a - b), kind="stable")]
                half = max(size, len(part) // 2 // size * size)
                stack += [order[:half], order[half:]]
    return groups


def batches(buckets, size, group, chance, vectors):
    groups = grouped(buckets, group, chance, vectors)
    order = chance.permutation(len(groups))
    flat = numpy.concatenate([groups[i] for i in order])
    return [flat[i:i + size] for i in range(0, len(flat) - size // 2, size)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs")
    parser.add_argument("out")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", help="first vectors; random without")
    parser.add_argument("--kinds", default="doc", help="kind or kind:share, with commas")
    parser.add_argument("--dims", type=int, default=256)
    parser.add_argument("--epochs", type=float, default=3)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--group", type=int, default=32)
    parser.add_argument("--rate", type=float, default=4e-3)
    parser.add_argument("--temperature", type=float, default=0.05)
    parser.add_argument("--path", type=float, default=0.5, help="weight of the path part")
    parser.add_argument("--path-chance", type=float, default=0.5)
    parser.add_argument("--log-tf", action="store_true", help="weigh repeated words as use does")
    parser.add_argument("--hard", type=float, default=9, help="epoch from which groups are made by likeness")
    parser.add_argument("--drop", type=float, default=0.0, help="chance to leave out a word of a definition")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--languages", default="", help="only these, with commas")
    arguments = parser.parse_args()
    chance = numpy.random.default_rng(arguments.seed)
    data = numpy.load(arguments.pairs)
    width = len(data["words"])
    if arguments.first:
        table = numpy.load(arguments.first)[:, : arguments.dims].astype(numpy.float32)
    else:
        share = data["frequency"] / float(data["documents"])
        table = chance.standard_normal((width, arguments.dims)).astype(numpy.float32)
        table *= (1.3 * 0.02 / (0.02 + share) / numpy.sqrt(arguments.dims))[:, None].astype(numpy.float32)
    table = numpy.ascontiguousarray(table)

    query = Bags(data["query_start"], data["query"], numpy.ones(len(data["query"])), width)
    tf = data["count"]
    content = Bags(data["content_start"], data["content"], 1 + numpy.log(tf) if arguments.log_tf else numpy.ones(len(tf)), width)
    path = Bags(data["path_start"], data["path"], numpy.ones(len(data["path"])), width)
    names = data["kind_names"].tolist()
    wanted = {}
    for word in arguments.kinds.split(","):
        name, _, part = word.partition(":")
        wanted[names.index(name)] = float(part or 1)
    allowed = numpy.ones(len(data["kind"]), bool)
    if arguments.languages:
        numbers = [data["language_names"].tolist().index(n) for n in arguments.languages.split(",")]
        allowed = numpy.isin(data["language"], numbers)
    body = data["body"]
    bucket_key = data["package"].astype(numpy.int64) * 64 + data["language"]

    adam, step, began = Adam(table), 0, time.time()
    drawn = sum(float((allowed & (data["kind"] == k)).sum()) * p for k, p in wanted.items())
    total = int(arguments.epochs * drawn / arguments.batch)
    epoch, running = 0, []
    while step < total and time.time() - began < arguments.seconds:
        chosen = allowed & numpy.isin(data["kind"], list(wanted))
        for kind, part in wanted.items():
            if part < 1:
                chosen &= (data["kind"] != kind) | (chance.random(len(chosen)) < part)
        index = numpy.flatnonzero(chosen)
        order = index[numpy.argsort(bucket_key[index], kind="stable")]
        buckets = numpy.split(order, numpy.flatnonzero(numpy.diff(bucket_key[order])) + 1)
        vectors = None
        if epoch >= arguments.hard:
            vectors = numpy.zeros((len(body), 64), numpy.float32)
            for at in range(0, len(index), 8192):
                rows = index[at:at + 8192]
                vectors[rows] = unit(query.rows(rows) @ table + content.rows(rows) @ table)[0][:, :64]
        for rows in batches(buckets, arguments.batch, arguments.group, chance, vectors):
            if step >= total or time.time() - began >= arguments.seconds:
                break
            warm = min(1.0, (step + 1) / 30)
            spent = max(step / total, (time.time() - began) / arguments.seconds)
            rate = arguments.rate * warm * max(0.0, 1 - spent)
            a, b, c = query.rows(rows), content.rows(rows), path.rows(rows)
            if arguments.drop:
                b.data = b.data * (chance.random(len(b.data)) >= arguments.drop)
            joined = sparse.vstack([a, b, c], format="csr")
            touched, inverse = numpy.unique(joined.indices, return_inverse=True)
            small = sparse.csr_matrix((joined.data, inverse, joined.indptr), shape=(joined.shape[0], len(touched)))
            sums = small @ table[touched]
            n = len(rows)
            q, q_length = unit(sums[:n])
            content_unit, content_length = unit(sums[n:2 * n])
            path_unit, path_length = unit(sums[2 * n:])
            has_path = (chance.random((n, 1)) < arguments.path_chance) & (numpy.diff(c.indptr) > 0)[:, None]
            weight = (arguments.path * has_path).astype(numpy.float32)
            d, d_length = unit(content_unit + weight * path_unit)
            scores = q @ d.T / numpy.float32(arguments.temperature)
            # The same definition under two queries is no mistake.
            same = body[rows][:, None] == body[rows][None, :]
            numpy.fill_diagonal(same, False)
            scores[same] = -1e4
            by_row = numpy.exp(scores - scores.max(1, keepdims=True))
            by_row /= by_row.sum(1, keepdims=True)
            by_column = numpy.exp(scores - scores.max(0, keepdims=True))
            by_column /= by_column.sum(0, keepdims=True)
            diagonal = numpy.arange(n)
            running.append(-0.5 * float(numpy.log(by_row[diagonal, diagonal] + 1e-9).mean()
                                        + numpy.log(by_column[diagonal, diagonal] + 1e-9).mean()))
            g = by_row + by_column
            g[diagonal, diagonal] -= 2
            g /= numpy.float32(2 * n * arguments.temperature)
            back = numpy.empty_like(sums)
            back[:n] = unit_back(g @ d, q, q_length)
            d_back = unit_back(g.T @ q, d, d_length)
            back[n:2 * n] = unit_back(d_back, content_unit, content_length)
            back[2 * n:] = unit_back(d_back * weight, path_unit, path_length)
            adam.move(table, touched, small.T.tocsr() @ back, numpy.float32(rate))
            step += 1
            if step % 100 == 0:
                print(f"step {step}/{total} loss {numpy.mean(running[-100:]):.4f} {time.time() - began:.0f} s", flush=True)
        epoch += 1
    numpy.save(arguments.out, table)
    note = {**vars(arguments), "steps": step, "took": round(time.time() - began), "loss": round(float(numpy.mean(running[-100:])), 4)}
    print(json.dumps(note))


if __name__ == "__main__":
    main()
