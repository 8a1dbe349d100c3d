"""List, check and compare what was measured, counted and published.

  ./course evidence                     what there is
  ./course evidence --validate [WHAT]   is all of it, a namespace, a file good?
  ./course evidence stale               rows whose source has changed since
  ./course evidence compare A B         two records of one machine

A and B are namespaces or files. Two runs are compared through their controls: rows whose source,
or for a library whose version, did not change. The largest movement of a control bounds by how much
two runs differ by themselves, for the rows in the same arithmetic.
"""

from pathlib import Path

from course import ladder
from course.errors import CHECK_FAILED, WRONG_USE, CourseError
from course.places import Places
from course.terminal import say, shown
from evidence import (
    EvidenceError,
    compare,
    measured,
    possible,
    predictions,
    published,
    records,
    times,
)
from evidence.table import Column, format_table, wrapped

NAME = "evidence"
HELP = "list records; validate, compare, name stale ones"

_ACTIONS = ("compare", "stale")


def add_arguments(parser) -> None:
    """Add the command's arguments."""
    parser.add_argument("action", nargs="?", metavar="compare A B | stale")
    parser.add_argument(
        "records", nargs="*", help="of compare: namespaces, such as h200-1, or files"
    )
    parser.add_argument(
        "--validate",
        nargs="?",
        const="",
        metavar="WHAT",
        help="check every record, or this file, or those of this namespace",
    )
    parser.add_argument(
        "--ladder",
        metavar="LADDER",
        help=f"of compare, where a namespace is given (default: {ladder.DEFAULT})",
    )
    parser.add_argument(
        "--instrument",
        default="kernel",
        choices=("kernel", "span", "kernel-cold", "span-cold"),
        help="of compare: the time that is compared (default: kernel)",
    )


def run(options, places: Places) -> int:
    """Run the command: 0 good, 1 a record is no good or stale, 2 wrong use."""
    if options.action is not None and options.action not in _ACTIONS:
        raise CourseError(f"there is no {options.action!r}; there is compare and stale", WRONG_USE)
    if options.validate is not None:
        if options.action is not None:
            raise CourseError("--validate goes without compare and stale", WRONG_USE)
        return _validate(places.repo, options.validate)
    if options.action == "compare":
        if len(options.records) != 2:
            raise CourseError("compare needs two records, such as h200-1 h200-2", WRONG_USE)
        return _compare(places.repo, options)
    if options.records:
        raise CourseError(f"stale takes no {options.records[0]!r}", WRONG_USE)
    return _stale(places.repo) if options.action == "stale" else _list(places.repo)


_RECORDS = [
    Column("record"),
    Column("machine", wrap=True),
    Column("date"),
    Column("shapes", right=True),
    Column("rows", right=True),
    Column("source"),
]

_COUNTED = [
    Column("counted"),
    Column("shape", wrap=True),
    Column("rungs", right=True),
    Column("source"),
]

_PUBLISHED = [
    Column("published, as reported"),
    Column("study", wrap=True),
    Column("values", right=True),
]


def _list(repo: Path) -> int:
    rows: list[list[str] | str] = []
    bad = []
    for path in measured.paths(repo):
        name = f"{path.parent.name}/{path.stem}"
        try:
            record = records.load_record(path)
        except EvidenceError as error:
            bad.append(str(error))
            rows.append([name, "refused", "-", "-", "-", "-"])
            continue
        old = len(measured.stale(repo, record))
        count = max(len(entry["rows"]) for entry in record["shapes"])
        state = f"{old} stale" if old else "current"
        machine = record["machine"]["name"] + (", throttled" if record["throttled"] else "")
        shapes = str(len(record["shapes"]))
        rows.append([name, machine, record["date"], shapes, str(count), state])
    print(format_table(_RECORDS, rows) if rows else "No measured record is kept yet.\n")
    counted = []
    for path in _counts_paths(repo):
        name = f"counts/{path.stem}"
        try:
            record = records.load_counts(path)
        except EvidenceError as error:
            bad.append(str(error))
            counted.append([name, "refused", "-", "-"])
            continue
        old = len(records.stale(repo, record))
        shape = times.shape_text(record["shape"])
        state = f"{old} stale" if old else "current"
        counted.append([name, shape, str(len(record["rungs"])), state])
    if counted:
        print(format_table(_COUNTED, counted))
    studies = []
    for path in published.paths(repo):
        document = published.load(path)
        studies.append([path.stem, document["study"], str(len(document["values"]))])
    if studies:
        print(format_table(_PUBLISHED, studies), end="")
    for sentence in bad:
        say(f"course: {sentence}")
    return CHECK_FAILED if bad else 0


def _validate(repo: Path, name: str) -> int:
    paths = _everything(repo)
    if name and (Path(name).is_file() or name.endswith(".json")):
        _say_unknown(records.load_any(Path(name)))
        _print(f"{shown(Path(name))} is whole and agrees with itself.")
        return 0
    if name:
        known = dict.fromkeys(path.parent.name for path in paths)
        paths = [p for p in paths if name in (p.parent.name, f"{p.parent.name}/{p.stem}")]
        if not paths:
            there = ", ".join(known) or "none yet"
            raise CourseError(f"{name!r} is no file and no namespace; there is {there}", WRONG_USE)
    good, bad = [], []
    for path in paths:
        try:
            _require_good(repo, path)
            good.append(path)
        except EvidenceError as error:
            bad.append(str(error))
    for sentence in predictions.edited_everywhere(repo) if not bad else []:
        _print(f"edited since it was measured: {sentence}")
    for sentence in bad:
        _print(sentence)
    if bad:
        raise CourseError(f"{len(bad)} of {len(paths)} files of evidence are no good")
    _print(
        f"{_counted(good, 'file of evidence', 'files of evidence')}: all whole, in agreement with "
        "themselves and with the source."
    )
    return 0


def _counted(paths: list[Path], one: str, several: str) -> str:
    """Return how many files these are, and how many of each kind."""
    kinds: dict[str, int] = {}
    for path in paths:
        kind = {"counts": "counts", "published": "published"}.get(path.parent.name, "measured")
        kinds[kind] = kinds.get(kind, 0) + 1
    words = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    return f"{len(paths)} {one if len(paths) == 1 else several} ({words})"


def _require_good(repo: Path, path: Path) -> None:
    """Raise EvidenceError unless a file that is kept may be kept."""
    document = records.load_any(path)
    where = str(path)
    if path.parent.name == "published":
        return
    if path.parent.name == "counts":
        for sentence in records.stale(repo, document):
            raise EvidenceError(f"{where}: {sentence}")
        return
    measured.require_keepable(repo, document, where)
    _say_unknown(document)


def _say_unknown(document: dict) -> None:
    """Say which limits of a measured record's machine no time was held against."""
    for sentence in possible.unknown(document["machine"]) if "protocol" in document else []:
        _print(sentence)


def _everything(repo: Path) -> list[Path]:
    found = [*_counts_paths(repo), *measured.paths(repo), *published.paths(repo)]
    return [Path(shown(path)) for path in found]


def _counts_paths(repo: Path) -> list[Path]:
    return sorted((repo / "docs" / "evidence" / "counts").glob("*.json"))


def _stale(repo: Path) -> int:
    found = []
    paths = [path for path in _everything(repo) if path.parent.name != "published"]
    for path in paths:
        document = records.load_any(path)
        which = records.stale if path.parent.name == "counts" else measured.stale
        found += [f"{path.parent.name}/{path.stem}: {line}" for line in which(repo, document)]
    looked = _counted(paths, "record", "records")
    for line in found:
        _print(line)
    if found:
        rows = "1 row" if len(found) == 1 else f"{len(found)} rows"
        raise CourseError(f"of {looked} {rows} are stale; measure or count them again")
    print(f"Every row of {looked} is of the source as it is.")
    return 0


def _compare(repo: Path, options) -> int:
    of_ladder, _ = ladder.split(repo, options.ladder) if options.ladder else (ladder.DEFAULT, None)
    paths = [_record_path(repo, name, of_ladder) for name in options.records]
    first, second = (records.load_record(path) for path in paths)
    instrument, cache, _ = times.parse_label(options.instrument)
    names = (options.records[0], options.records[1])
    found = compare.compare(first, second, names, instrument, cache)
    _print(f"A is {names[0]}, B is {names[1]}.")
    for sentence in _differences(first, second, names):
        _print(sentence)
    print("\n" + _table(found, options.instrument))
    for sentence in _drift(found):
        _print(sentence)
    for sentence in found.untimed:
        _print(sentence)
    if found.missing:
        for sentence in found.missing:
            _print(sentence)
        raise CourseError(
            f"{names[0]} and {names[1]} do not hold the same rows: {len(found.missing)} "
            f"{'is' if len(found.missing) == 1 else 'are'} in one of them only"
        )
    return 0


def _record_path(repo: Path, name: str, of_ladder: str) -> Path:
    """Return the file that a reader names: a path, NAMESPACE or NAMESPACE/LADDER."""
    if Path(name).is_file() or name.endswith(".json"):
        return Path(name)
    namespace, _, inside = name.partition("/")
    path = measured.path_of(repo, namespace, inside or of_ladder)
    if not path.is_file():
        known = ", ".join(f"{p.parent.name}/{p.stem}" for p in measured.paths(repo)) or "none yet"
        raise CourseError(f"there is no record {name!r}; there is {known}", WRONG_USE)
    return path


def _differences(first: dict, second: dict, names: tuple[str, str]) -> list[str]:
    """Return a sentence for what else differs between two runs."""
    found = []
    drivers = [r["machine"]["driver"] for r in (first, second)]
    if drivers[0] != drivers[1]:
        found.append(f"The driver was {drivers[0]} in {names[0]} and {drivers[1]} in {names[1]}.")
    if first["compiler"] != second["compiler"]:
        found.append("The compilers or their flags differ, so no rung is a control.")
    for name, record in zip(names, (first, second), strict=True):
        if record["throttled"]:
            found.append(f"The GPU of {name} was throttled during the run.")
    return found


def _table(found: compare.Comparison, instrument: str) -> str:
    several = len({moved.shape for moved in found.movements}) > 1
    columns = [
        Column("row"),
        Column("A", right=True, group=f"{instrument}, us"),
        Column("B", right=True, group=f"{instrument}, us"),
        Column("A / B", right=True),
        Column("may be", right=True),
        Column("B is"),
    ]
    rows: list[list[str] | str] = []
    shape = None
    for moved in found.movements:
        if several and moved.shape != shape:
            shape = moved.shape
            rows.append(f"{shape}:")
        factor = moved.factor
        rows.append(
            [
                moved.name,
                f"{moved.before.value:.2f}",
                f"{moved.after.value:.2f}",
                f"{factor.value:.3f}",
                f"{factor.low:.3f} to {factor.high:.3f}",
                moved.verdict,
            ]
        )
    return format_table(columns, rows)


def _drift(found: compare.Comparison) -> list[str]:
    """Return what bounds the drift, and which controls moved although they should not."""
    controls = [moved for moved in found.movements if moved.is_control]
    if not controls:
        return ["No row is a control, so nothing bounds the drift, and nothing is resolved."]
    parts = []
    for math, drift in found.drifts.items():
        alike = [moved for moved in controls if moved.math == math]
        most = max(alike, key=lambda moved: max(moved.factor.value, 1 / moved.factor.value))
        which = "1 control" if len(alike) == 1 else f"{len(alike)} controls"
        parts.append(
            f"{which} in {math.upper()} moved by {100 * (drift - 1):.2f} % at most ({most.name})"
        )
    changed = len(found.movements) - len(controls)
    said = [
        f"{'; '.join(parts)}, which bounds the drift of rows in that arithmetic; {changed} "
        f"{'row' if changed == 1 else 'rows'} changed."
    ]
    restless = [moved.name for moved in controls if moved.is_restless]
    if restless:
        said.append(
            f"Moved by more than its own noise although nothing of it changed: "
            f"{', '.join(dict.fromkeys(restless))}."
        )
    return said


def _print(sentence: str) -> None:
    print(wrapped(sentence))
