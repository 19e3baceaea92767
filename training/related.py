#!/usr/bin/env python3
"""Which words of code go with a word of prose: a small table from the same pairs.

    related.py PAIRS.npz OUT.cdsw [--top 5]

A target t of a word w is worth P(t | w) (PMI(w, t) - 0.7): often there, and more often than elsewhere. The 0.7 keeps
out words that go with everything.
"""
import argparse

import numpy
from scipy import sparse

import layout

MIN_TOGETHER = 8
MIN_QUERIES = 20


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs")
    parser.add_argument("out")
    parser.add_argument("--top", type=int, default=5)
    parser.add_argument("--floor", type=float, default=0.03, help="targets worth less are left out")
    arguments = parser.parse_args()
    data = numpy.load(arguments.pairs)
    words = data["words"].tolist()
    chosen = numpy.flatnonzero(data["kind"] == data["kind_names"].tolist().index("doc"))

    def matrix(start, ids):
        full = sparse.csr_matrix((numpy.ones(len(ids), numpy.float32), ids, start), shape=(len(start) - 1, len(words)))
        full = full[chosen]
        full.data[:] = 1
        full.sum_duplicates()
        full.data[:] = 1
        return full

    query, content = matrix(data["query_start"], data["query"]), matrix(data["content_start"], data["content"])
    in_query, in_content = numpy.asarray(query.sum(0)).ravel(), numpy.asarray(content.sum(0)).ravel()
    share = in_content / len(chosen)
    related = {}
    columns = query.T.tocsr()
    heads = numpy.flatnonzero(in_query >= MIN_QUERIES)
    for at in range(0, len(heads), 256):
        part = heads[at:at + 256]
        together = (columns[part] @ content).tocsr()
        for row, word in enumerate(part):
            ids = together.indices[together.indptr[row]:together.indptr[row + 1]]
            count = together.data[together.indptr[row]:together.indptr[row + 1]]
            keep = (count >= MIN_TOGETHER) & (ids != word)
            ids, chance = ids[keep], count[keep] / in_query[word]
            worth = chance * (numpy.log(chance / share[ids]) - 0.7)
            best = numpy.lexsort((ids, -worth))[: arguments.top]
            best = [(words[ids[i]], float(min(1.0, worth[i]))) for i in best if worth[i] >= arguments.floor]
            if best:
                related[words[word]] = best
    layout.write_related(arguments.out, related)
    print(f"{len(related)} words, {sum(map(len, related.values()))} targets")
    for word in ("authent", "retri", "concurr", "delet", "parallel", "serial"):
        print(word, related.get(word))


if __name__ == "__main__":
    main()
