"""Write a rung's machine-code document; see the package's text."""

import argparse
import json
import sys
from pathlib import Path

from evidence.errors import EvidenceError
from machine_code.document import document
from machine_code.errors import MachineCodeError


def main() -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="machine_code", description=__doc__)
    parser.add_argument("--toolkit", type=Path, required=True, help="folder of the CUDA toolkit")
    parser.add_argument("--rung", required=True, help="key, such as matmul/transposed-a")
    parser.add_argument("--object", type=Path, required=True, help="the rung's object file")
    parser.add_argument("--output", type=Path, required=True, help="the file to write")
    arguments = parser.parse_args()
    repo = Path(__file__).resolve().parents[2]
    ladder, _, rung = arguments.rung.partition("/")
    try:
        counted = document(repo, arguments.toolkit, ladder, rung, arguments.object)
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        fresh = arguments.output.with_suffix(".new")
        fresh.write_text(json.dumps(counted, indent=1) + "\n", encoding="ascii")
        fresh.replace(arguments.output)
    except (MachineCodeError, EvidenceError, OSError) as error:
        print(f"machine code of {arguments.rung}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
