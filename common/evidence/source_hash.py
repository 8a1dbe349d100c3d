"""The source hash: what ties a record to the source that it was made from.

It is a SHA-256 over everything that decides a rung's machine code, and over nothing else:

- the tokens of the rung's .cu file, without comments, white space and the description (the
  statement ``const rungs::Rung rung = ...;``), so that a reworded comment or reason keeps a record
  valid;
- the tokens of the problem header between ``// [launch]`` and ``// [/launch]``;
- the compiler flags that every kernel is built with.

A test freezes this rule on a made-up lesson. Changing it makes every retained record stale.

The hash of a floor is made by the same rule: over ``common/peers/floor_copy.cu`` without its
description, ``const rungs::Floor floor = ...;``, the launch parts of the headers in that folder
that it includes, and the flags.

As a program, from the folder ``common``::

    python3 -m evidence.source_hash matmul/transposed-a     the hash of a rung
    python3 -m evidence.source_hash --flags                 the flags, one on a line
    python3 -m evidence.source_hash --floors FILE           writes every floor's as a C++ header
"""

import hashlib
import json
import re
import sys
from pathlib import Path

from evidence import lessons
from evidence.errors import EvidenceError
from evidence.json_file import write_whole
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

_RUNG = ["const", "rungs", "::", "Rung", "rung", "="]
_FLOOR = ["const", "rungs", "::", "Floor", "floor", "="]
_PEERS_HEADER = re.compile(r'^#include "peers/(\w+\.(?:cuh|hpp))"', re.MULTILINE)
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")


def rung_hash(repo: Path, ladder: str, rung: str) -> str:
    """Return the source hash of a rung: 64 hexadecimal digits.

    Raises EvidenceError if the rung, its file, its description or the header's markers are missing.
    """
    found = lessons.rung(repo, ladder, rung)
    where = f"lessons/{ladder}/{found.folder.name}/{found.source.name}"
    kernel = without_description(tokens(_text(found.source, where), where), where)
    launch = tokens(region(lessons.problem_header(repo, ladder), "launch").text, f"{ladder}.hpp")
    return hash_of(kernel, launch)


def floors(repo: Path) -> list[str]:
    """Return the names of all floors, sorted: each has a file of its own."""
    return sorted(path.stem.replace("_", "-") for path in _peers(repo).glob("floor_*.cu"))


def floor_hash(repo: Path, floor: str) -> str:
    """Return the source hash of a floor: 64 hexadecimal digits.

    Raises EvidenceError if its file, its description or a header that it includes is missing.
    """
    name = f"{floor.replace('-', '_')}.cu"
    where = f"common/peers/{name}"
    source = _text(_peers(repo) / name, where)
    launch: list[str] = []
    for header in _PEERS_HEADER.findall(source):
        text = _text(_peers(repo) / header, f"common/peers/{header}")
        if "// [launch]" in text:
            launch += tokens(region(_peers(repo) / header, "launch").text, header)
    return hash_of(without_description(tokens(source, where), where, _FLOOR), launch)


def row_hash(repo: Path, ladder: str, name: str, kind: str) -> str | None:
    """Return the source hash of a record's row as the source is now.

    None if there is no such rung or floor any more. Raises EvidenceError as the two above do.
    """
    if kind == "floor":
        return floor_hash(repo, name) if name in floors(repo) else None
    known = [rung.name for rung in lessons.rungs(repo, ladder)]
    return rung_hash(repo, ladder, name) if name in known else None


def _peers(repo: Path) -> Path:
    return Path(repo) / "common" / "peers"


def _text(path: Path, where: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise EvidenceError(f"cannot read {where}: {error.strerror}") from None


def hash_of(kernel: list[str], launch: list[str], flags: tuple[str, ...] = KERNEL_FLAGS) -> str:
    """Return the hash of the tokens of a kernel file, those of a launch part, and the flags."""
    text = json.dumps([RULE, list(flags), launch, kernel], separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def without_description(source: list[str], where: str, begin: list[str] | None = None) -> list[str]:
    """Return tokens without the statement ``const rungs::Rung rung = ...;``, or a floor's.

    ``begin`` is what it begins with. Raises EvidenceError if it does not stand exactly once.
    """
    begin = begin or _RUNG
    size = len(begin)
    starts = [i for i in range(len(source)) if source[i : i + size] == begin]
    if len(starts) != 1:
        raise EvidenceError(
            f"{where}: the description, const rungs::{begin[3]} {begin[4]} = ...;, stands "
            f"{len(starts)} times; it must stand once"
        )
    depth = 0
    for at in range(starts[0] + size, len(source)):
        depth += (source[at] in _OPENING) - (source[at] in _CLOSING)
        if source[at] == ";" and depth == 0:
            return source[: starts[0]] + source[at + 1 :]
    raise EvidenceError(f"{where}: the description does not end with a semicolon")


def _floors_header(repo: Path) -> str:
    """Return the C++ header that holds every floor's hash."""
    constants = "\n".join(
        f'inline constexpr char {name.replace("-", "_")}_hash[] =\n    "{floor_hash(repo, name)}";'
        for name in floors(repo)
    )
    return f"#pragma once\n\nnamespace rungs::floors {{\n\n{constants}\n\n}}\n"


def main(arguments: list[str]) -> int:
    """Print the hash of a rung, or the flags; or write the floors' hashes."""
    repo = Path(__file__).resolve().parents[2]
    if arguments == ["--flags"]:
        print("\n".join(KERNEL_FLAGS))
        return 0
    to_write = len(arguments) == 2 and arguments[0] == "--floors"
    if not to_write and (len(arguments) != 1 or arguments[0].count("/") != 1):
        words = "LADDER/RUNG | --flags | --floors FILE"
        print(f"usage: python3 -m evidence.source_hash {words}", file=sys.stderr)
        return 2
    try:
        if to_write:
            _write(Path(arguments[1]), _floors_header(repo))
        else:
            print(rung_hash(repo, *arguments[0].split("/")))
    except (EvidenceError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _write(path: Path, text: str) -> None:
    """Write a file unless it is as it should be: who depends on it is then not built again."""
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
