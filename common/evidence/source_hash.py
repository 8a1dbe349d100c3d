"""The source hash: what ties a record to the source that it was made from.

It is a SHA-256 over everything that decides a rung's machine code, and over nothing else:

- the tokens of the rung's .cu file, without comments, white space and the description (the
  statement ``const rungs::Rung rung = ...;``), so that a reworded comment or reason keeps a record
  valid;
- the tokens of the problem header between ``// [launch]`` and ``// [/launch]``;
- the compiler flags that every kernel is built with.

A test freezes this rule on a made-up lesson. Changing it makes every retained record stale.

As a program, from the folder ``common``::

    python3 -m evidence.source_hash matmul/transposed-a     the hash of a rung
    python3 -m evidence.source_hash --flags                 the flags, one on a line
"""

import hashlib
import json
import sys
from pathlib import Path

from evidence import lessons
from evidence.errors import EvidenceError
from evidence.regions import region
from evidence.tokens import tokens

RULE = "rungs-source-hash/1"

# What every kernel is compiled with, in this order. Include paths and the architecture of the
# machine's own GPU, which comes on top, do not change the code for compute_90 and sm_90.
KERNEL_FLAGS = (
    "-std=c++20",
    "-O3",
    "-lineinfo",
    "-cudart",
    "shared",
    "--no-compress",
    "-gencode",
    "arch=compute_90,code=[compute_90,sm_90]",
    "-Werror",
    "all-warnings",
    "-Xcompiler",
    "-Wall,-Wextra,-Werror",
)

_DESCRIPTION = ["const", "rungs", "::", "Rung", "rung", "="]
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")


def rung_hash(repo: Path, ladder: str, rung: str) -> str:
    """Return the source hash of a rung: 64 hexadecimal digits.

    Raises EvidenceError if the rung, its file, its description or the header's markers are missing.
    """
    found = lessons.rung(repo, ladder, rung)
    where = f"lessons/{ladder}/{found.folder.name}/{found.source.name}"
    try:
        source = found.source.read_text(encoding="utf-8")
    except OSError as error:
        raise EvidenceError(f"cannot read {where}: {error.strerror}") from None
    kernel = without_description(tokens(source, where), where)
    launch = tokens(region(lessons.problem_header(repo, ladder), "launch").text, f"{ladder}.hpp")
    return hash_of(kernel, launch)


def hash_of(kernel: list[str], launch: list[str], flags: tuple[str, ...] = KERNEL_FLAGS) -> str:
    """Return the hash of the tokens of a kernel file, those of a launch part, and the flags."""
    text = json.dumps([RULE, list(flags), launch, kernel], separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def without_description(source: list[str], where: str) -> list[str]:
    """Return tokens without the statement ``const rungs::Rung rung = ...;``.

    Raises EvidenceError if it does not stand exactly once.
    """
    size = len(_DESCRIPTION)
    starts = [i for i in range(len(source)) if source[i : i + size] == _DESCRIPTION]
    if len(starts) != 1:
        raise EvidenceError(
            f"{where}: the description, const rungs::Rung rung = ...;, stands {len(starts)} times; "
            "it must stand once"
        )
    depth = 0
    for at in range(starts[0] + size, len(source)):
        depth += (source[at] in _OPENING) - (source[at] in _CLOSING)
        if source[at] == ";" and depth == 0:
            return source[: starts[0]] + source[at + 1 :]
    raise EvidenceError(f"{where}: the description does not end with a semicolon")


def main(arguments: list[str]) -> int:
    """Print the hash of a rung, or the flags."""
    if arguments == ["--flags"]:
        print("\n".join(KERNEL_FLAGS))
        return 0
    if len(arguments) != 1 or arguments[0].count("/") != 1:
        print("usage: python3 -m evidence.source_hash LADDER/RUNG | --flags", file=sys.stderr)
        return 2
    try:
        print(rung_hash(Path(__file__).resolve().parents[2], *arguments[0].split("/")))
    except EvidenceError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
