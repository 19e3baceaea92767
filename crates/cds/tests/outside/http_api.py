"""The HTTP API as others read it: a validator reads the OpenAPI document, and schemathesis asks what the document allows and what it
does not. Every answer must be one the document describes, and nothing may be answered with a fault of cds.

    python http_api.py --examples 15
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from openapi_spec_validator import validate

from project import FILES, Project, Service

SCHEMATHESIS = pathlib.Path(sys.executable).parent / "schemathesis"

# What a word means is not said by the document: a name that nobody bears, a pattern that is none or a folder that is not served is
# refused although it has the right type.
NOT_CHECKED = "positive_data_acceptance"


def fuzzed(service, phases, examples, seed):
    command = [
        SCHEMATHESIS, "run", f"{service.url}/api/openapi.json", "--phases", phases, "--checks", "all",
        "--exclude-checks", NOT_CHECKED, "--max-examples", str(examples), "--seed", str(seed), "--continue-on-failure",
        "--request-timeout", "30", "--warnings", "off", "--suppress-health-check", "all", "--no-color",
    ]
    with tempfile.TemporaryDirectory(prefix="cds-outside-") as folder:
        started = time.monotonic()
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        took = time.monotonic() - started
    if done.returncode != 0 or not service.is_alive():
        sys.exit(f"{done.stdout}\n{done.stderr}\nthe service {'lives' if service.is_alive() else 'is gone'}")
    counted = [line.strip() for line in done.stdout.splitlines() if "test cases" in line or "generated" in line]
    print(f"{phases}: {'; '.join(counted)}; {took:.0f} s")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--examples", type=int, required=True)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    with Project(FILES) as project:
        with Service(project) as service:
            validate(json.loads(service.get("/api/openapi.json")))
            fuzzed(service, "examples,coverage,fuzzing", given.examples, given.seed)
        # Steps that use what others gave close projects: they have a service of their own.
        with Service(project) as service:
            fuzzed(service, "stateful", given.examples, given.seed)


if __name__ == "__main__":
    main()
