#!/usr/bin/env python3
"""The two files of the model: `static.cdsw`, a vector for each word, and `related.cdsw`, further words for each word.

    layout.py TABLE.npy PAIRS.npz OUT.cdsw

README.md says what each byte is.
"""
import struct
import sys

import numpy

STATIC, RELATED, VERSION = b"CDSW", b"CDSR", 1


def word_block(words):
    return b"".join(struct.pack("<B", len(w.encode())) + w.encode() for w in words)


def read_words(data, at, count):
    words = []
    for _ in range(count):
        size = data[at]
        words.append(data[at + 1:at + 1 + size].decode())
        at += 1 + size
    return words, at


def turned(table):
    """The same vectors turned, every product kept: what stood in few directions is spread over all, so that rounding to bytes loses less.
    Signs and a Hadamard matrix, exact on every machine; sizes that are no power of two stay as they are."""
    size = table.shape[1]
    if size & (size - 1):
        return table
    state, signs = 1, []
    for _ in range(size):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        signs.append(1.0 if state >> 63 else -1.0)
    matrix = numpy.ones((1, 1), numpy.float32)
    while len(matrix) < size:
        matrix = numpy.block([[matrix, matrix], [matrix, -matrix]])
    return (table * numpy.array(signs, numpy.float32)) @ (matrix / numpy.float32(size) ** 0.5)


def write_static(path, words, table):
    """Rows in the order of the words' bytes, so that a reader may search them without a table of its own."""
    order = sorted(range(len(words)), key=lambda i: words[i].encode())
    table = turned(table[order])
    scale = numpy.abs(table).max(1) / 127
    scale = numpy.maximum(scale, 1e-6).astype(numpy.float16)
    rows = numpy.clip(numpy.rint(table / scale.astype(numpy.float32)[:, None]), -127, 127).astype(numpy.int8)
    block = word_block([words[i] for i in order])
    with open(path, "wb") as file:
        file.write(STATIC + struct.pack("<IIII", VERSION, table.shape[1], len(words), len(block)))
        file.write(block)
        file.write(scale.astype("<f2").tobytes())
        file.write(rows.tobytes())


def read_static(path):
    data = open(path, "rb").read()
    version, dims, count, block = struct.unpack_from("<IIII", data, 4)
    if data[:4] != STATIC or version != VERSION:
        raise ValueError(f"{path} is not a table of words of version {VERSION}")
    words, at = read_words(data, 20, count)
    assert at == 20 + block, "the word list has the length it says"
    scale = numpy.frombuffer(data, "<f2", count, at).astype(numpy.float32)
    rows = numpy.frombuffer(data, numpy.int8, count * dims, at + 2 * count).reshape(count, dims)
    return words, rows.astype(numpy.float32) * scale[:, None]


def write_related(path, related):
    """`related` is {word: [(word, weight), ...]}; weights in 0..1 are kept in a byte."""
    words = sorted(set(related) | {t for row in related.values() for t, _ in row}, key=str.encode)
    number = {word: i for i, word in enumerate(words)}
    block = word_block(words)
    with open(path, "wb") as file:
        file.write(RELATED + struct.pack("<IIII", VERSION, len(related), len(words), len(block)))
        file.write(block)
        for word in sorted(related, key=str.encode):
            row = related[word]
            file.write(struct.pack("<HB", number[word], len(row)))
            for target, weight in row:
                file.write(struct.pack("<HB", number[target], max(1, min(255, round(255 * weight)))))


def read_related(path):
    data = open(path, "rb").read()
    version, rows, count, _block = struct.unpack_from("<IIII", data, 4)
    if data[:4] != RELATED or version != VERSION:
        raise ValueError(f"{path} is not a table of related words of version {VERSION}")
    words, at = read_words(data, 20, count)
    related = {}
    for _ in range(rows):
        word, size = struct.unpack_from("<HB", data, at)
        at += 3
        row = []
        for _ in range(size):
            target, weight = struct.unpack_from("<HB", data, at)
            row.append((words[target], weight / 255))
            at += 3
        related[words[word]] = row
    return related


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    write_static(sys.argv[3], numpy.load(sys.argv[2])["words"].tolist(), numpy.load(sys.argv[1]))
