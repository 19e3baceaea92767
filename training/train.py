#!/usr/bin/env python3
"""Trains a table of word vectors on pairs of prose and code.

    train.py PAIRS.npz OUT.npy [--seed 0] [--first FIRST.npy] ...

A text's vector is the sum of its words' vectors. A definition's is unit(unit(content) + name unit(name) + path unit(path)),
where name and path are left out by chance; a query's is unit(sum). The loss is InfoNCE both ways inside a batch. The
gradient is written out by hand over sparse matrices: a step is a few products, and numpy and scipy are all it needs.
"""
import argparse
import json
import time

import numpy
from scipy import sparse

DECAY_FIRST, DECAY_SECOND = 0.9, 0.99


def bags(data, key, width, weights=None):
    """Lists of words of different length, as rows of a sparse matrix."""
    start, ids = data[key + "_start"], data[key]
    weights = numpy.ones(len(ids)) if weights is None else weights
    return sparse.csr_matrix((weights.astype(numpy.float32), ids, start), shape=(len(start) - 1, width))


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


def batches(buckets, size, group, chance):
    """Batches of groups of pairs that are hard to tell apart: from one package and language."""
    groups = []
    for members in buckets:
        members = chance.permutation(members)
        groups += [members[i:i + group] for i in range(0, len(members), group)]
    order = chance.permutation(len(groups))
    flat = numpy.concatenate([groups[i] for i in order])
    return [flat[i:i + size] for i in range(0, len(flat) - size // 2, size)]


def loss_and_gradient(q, d, same, temperature):
    """InfoNCE both ways; the gradient is that of the scores' numerators."""
    scores = q @ d.T / numpy.float32(temperature)
    scores[same] = -1e4
    by_row = numpy.exp(scores - scores.max(1, keepdims=True))
    by_row /= by_row.sum(1, keepdims=True)
    by_column = numpy.exp(scores - scores.max(0, keepdims=True))
    by_column /= by_column.sum(0, keepdims=True)
    diagonal = numpy.arange(len(q))
    loss = -0.5 * float(numpy.log(by_row[diagonal, diagonal] + 1e-9).mean()
                        + numpy.log(by_column[diagonal, diagonal] + 1e-9).mean())
    g = by_row + by_column
    g[diagonal, diagonal] -= 2
    g /= numpy.float32(2 * len(q) * temperature)
    return loss, g


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs")
    parser.add_argument("out")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", help="first vectors; random without")
    parser.add_argument("--kinds", default="doc", help="with commas")
    parser.add_argument("--dims", type=int, default=256)
    parser.add_argument("--epochs", type=float, default=3)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--group", type=int, default=32)
    parser.add_argument("--rate", type=float, default=4e-3)
    parser.add_argument("--temperature", type=float, default=0.05)
    parser.add_argument("--path", type=float, default=0.5, help="weight of the path part")
    parser.add_argument("--path-chance", type=float, default=0.5)
    parser.add_argument("--name", type=float, default=0.5, help="weight of the name part")
    parser.add_argument("--name-chance", type=float, default=0.5)
    parser.add_argument("--tf", type=float, default=0.6, help="a word of content counts its times to this power; 0: 1 + ln")
    parser.add_argument("--drop", type=float, default=0.2, help="chance to leave out a word of a definition")
    arguments = parser.parse_args()
    chance = numpy.random.default_rng(arguments.seed)
    data = numpy.load(arguments.pairs)
    data = {key: data[key] for key in data.files}
    width = len(data["words"])
    if arguments.first:
        table = numpy.load(arguments.first)[:, : arguments.dims].astype(numpy.float32)
    else:
        share = data["frequency"] / float(data["documents"])
        table = chance.standard_normal((width, arguments.dims)).astype(numpy.float32)
        table *= (1.3 * 0.02 / (0.02 + share) / numpy.sqrt(arguments.dims))[:, None].astype(numpy.float32)
    table = numpy.ascontiguousarray(table)

    query, path, name = (bags(data, key, width) for key in ("query", "path", "name"))
    content = bags(data, "content", width, data["count"])
    weights = [("path", arguments.path, arguments.path_chance, path), ("name", arguments.name, arguments.name_chance, name)]
    weights = [w for w in weights if w[1] * w[2] > 0]
    wanted = [data["kind_names"].tolist().index(kind) for kind in arguments.kinds.split(",")]
    index = numpy.flatnonzero(numpy.isin(data["kind"], wanted))
    body = data["body"]
    bucket_key = data["package"].astype(numpy.int64) * 64 + data["language"]

    adam, step, began = Adam(table), 0, time.time()
    total = int(arguments.epochs * len(index) / arguments.batch)
    running = []
    while step < total:
        order = index[numpy.argsort(bucket_key[index], kind="stable")]
        buckets = numpy.split(order, numpy.flatnonzero(numpy.diff(bucket_key[order])) + 1)
        for rows in batches(buckets, arguments.batch, arguments.group, chance):
            if step >= total:
                break
            rate = arguments.rate * min(1.0, (step + 1) / 30) * (1 - step / total)
            a, b = query[rows], content[rows]
            n = len(rows)
            b.data = b.data ** numpy.float32(arguments.tf) if arguments.tf else 1 + numpy.log(b.data)
            if arguments.drop:
                b.data = b.data * (chance.random(len(b.data)) >= arguments.drop)
            parts = [part[rows] for _, _, _, part in weights]
            joined = sparse.vstack([a, b, *parts], format="csr")
            touched, inverse = numpy.unique(joined.indices, return_inverse=True)
            small = sparse.csr_matrix((joined.data, inverse, joined.indptr), shape=(joined.shape[0], len(touched)))
            sums = small @ table[touched]
            q, q_length = unit(sums[:n])
            content_unit, content_length = unit(sums[n:2 * n])
            whole, units = content_unit, []
            for i, (_, weight, share, _) in enumerate(weights):
                part, length = unit(sums[(2 + i) * n:(3 + i) * n])
                there = (chance.random((n, 1)) < share) & (numpy.diff(parts[i].indptr) > 0)[:, None]
                there = (weight * there).astype(numpy.float32)
                units.append((part, length, there))
                whole = whole + there * part
            d, d_length = unit(whole)
            # The same definition under two queries is no mistake.
            same = body[rows][:, None] == body[rows][None, :]
            numpy.fill_diagonal(same, False)
            loss, g = loss_and_gradient(q, d, same, arguments.temperature)
            running.append(loss)
            back = numpy.empty_like(sums)
            back[:n] = unit_back(g @ d, q, q_length)
            d_back = unit_back(g.T @ q, d, d_length)
            back[n:2 * n] = unit_back(d_back, content_unit, content_length)
            for i, (part, length, there) in enumerate(units):
                back[(2 + i) * n:(3 + i) * n] = unit_back(d_back * there, part, length)
            adam.move(table, touched, small.T.tocsr() @ back, numpy.float32(rate))
            step += 1
            if step % 200 == 0:
                print(f"step {step}/{total} loss {numpy.mean(running[-100:]):.4f} {time.time() - began:.0f} s", flush=True)
    numpy.save(arguments.out, table)
    note = {**vars(arguments), "steps": step, "took": round(time.time() - began), "loss": round(float(numpy.mean(running[-100:])), 4)}
    print(json.dumps(note))


if __name__ == "__main__":
    main()
