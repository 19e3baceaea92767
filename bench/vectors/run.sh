#!/bin/sh
# 100,000 real vectors in cds, usearch and LanceDB, in one run:
#   bench/vectors/run.sh INDEX FOLDER
# INDEX is an index folder with at least so many chunks, made with the built-in model; FOLDER gets what is made on the way.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
index=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
(cd "$here/../.." && cargo run --release -q -p cds-index --example scan -- "$index" "$work/chunks") > "$work/scan.json"
dimensions=$(sed 's/.*"dimensions":\([0-9]*\).*/\1/' "$work/scan.json")
cat "$work/scan.json"
(cd "$here" && CARGO_TARGET_DIR="$work/target" cargo run --release -q -- "$work/chunks" "$dimensions")
[ -x "$work/venv/bin/python" ] || { python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q -r "$here/requirements.txt"; }
"$work/venv/bin/python" "$here/lance.py" "$work/chunks" "$dimensions"
