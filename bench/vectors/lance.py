"""LanceDB beside cds: the same vectors and queries, as `scan` writes them. `lance.py FILE DIMENSIONS`; one JSON object a line."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import lancedb
import numpy
import pyarrow

file, dimensions = sys.argv[-2], int(sys.argv[-1])
read = lambda name: numpy.fromfile(f"{file}.{name}", dtype=numpy.float32).reshape(-1, dimensions)
queries = read("queries")


def table(vectors):
    values = pyarrow.array(vectors.ravel(), pyarrow.float32())
    column = pyarrow.FixedSizeListArray.from_arrays(values, dimensions)
    return pyarrow.table({"vector": column, "id": pyarrow.array(range(len(vectors)))})


def ask(opened, query):
    return opened.search(query).distance_type("dot").limit(10).select(["id"]).to_arrow()["id"].to_pylist()


if sys.argv[1] == "open":
    assert len(ask(lancedb.connect(sys.argv[2]).open_table("chunks"), queries[0])) == 10
    sys.exit()

vectors = read("vectors")
scores = queries @ vectors.T
least = -numpy.partition(-scores, 9, axis=1)[:, 9]
for name, partitions in (("LanceDB, exact", None), ("LanceDB, IVF-PQ, its own settings", True)):
    folder = tempfile.mkdtemp()
    started = time.time()
    made = lancedb.connect(folder).create_table("chunks", table(vectors))
    if partitions:
        made.create_index(metric="dot", vector_column_name="vector")
    build = time.time() - started
    opened = lancedb.connect(folder).open_table("chunks")
    ask(opened, queries[0])
    times, hits = [], 0
    for row, query in enumerate(queries):
        started = time.time()
        found = ask(opened, query)
        times.append((time.time() - started) * 1e3)
        hits += sum(scores[row, i] >= least[row] - 1e-6 for i in found)
    colds = []
    for _ in range(3):
        started = time.time()
        subprocess.run([sys.executable, __file__, "open", folder, file, str(dimensions)], check=True)
        colds.append((time.time() - started) * 1e3)
    times.sort()
    size = sum(f.stat().st_size for f in pathlib.Path(folder).rglob("*") if f.is_file())
    shutil.rmtree(folder)
    print(json.dumps({
        "what": name, "build_s": build, "cold_ms": sorted(colds)[1], "p50_ms": times[len(times) // 2],
        "p95_ms": times[len(times) * 95 // 100], "recall_at_10": hits / (10 * len(queries)), "disk_mb": size / 1e6,
    }), flush=True)
