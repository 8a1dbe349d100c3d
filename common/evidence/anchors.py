"""Anchors: how a page names one number of a record, and how a text shows it.

What stands behind ``#`` in a link to a record's file.

Of a counts record: ``ROW/PATH`` with the path in the rung's counts, ``ROW/expected/MODEL``,
``ROW/model/MODEL`` for what a model looks at, and ``ROW/residency/fitting``, ``held`` and
``threads``: blocks that fit a multiprocessor, blocks of the grid that it holds, their threads. Of a
rung of several kernels, ``ROW/residency/KERNEL/threads`` is one kernel's.

Of a measured record, ROW being a rung, a peer or a floor:

- ``ROW/kernel``, ``/span``, ``/awaited``, ``/submit``, ``/queued-10``, ``/graph-100``, each also
  with ``-cold``: the median of all samples, us; ``/low`` and ``/high`` behind one of them: the
  lowest and highest mean of a round. ``ROW/low`` and ``ROW/high`` are those of ``kernel``.
- ``ROW/kernel/NAME``, ``ROW/kernel-cold/NAME``: one kernel's part in it, of a row of several;
  ``/low`` and ``/high`` behind it. NAME is the kernel's own, without namespace and parameters.
- ``ROW/factor``: x the rung before, by kernel time, and ``/low`` and ``/high`` behind it: the ends
  of its interval; ``ROW/factor-of/OTHER``: x any other row.
- ``ROW/tflops``, ``ROW/tbps``: rates by kernel time; ``ROW/of-memory``: the latter as a share of
  what the machine's memory moves by its clock and width, %.
- ``ROW/of-peer/PEER``, ``ROW/of-floor/FLOOR``: the other's kernel time / the row's, %.
- ``ROW/error``: the largest relative error; ``ROW/error/mean-10``: the one over those inputs of
  ladder.json's ``accuracy``; ``ROW/registers``, ``ROW/shared-bytes``,
  ``ROW/blocks-per-sm``: of its kernels; ``ROW/counters/NAME``: a hardware counter.
- ``ROW/expected/MODEL``: the factor that was predicted, as the record froze it.
- ``noise``, ``noise/span``: by how much a variant entered twice differed from itself, %.
- ``2048x2048x2048/...`` before any of these: that shape of a record of several. Without it the
  first is meant; of a size sweep, none.

Of published values: the value's own ``id``; of a range, ``ID/low`` and ``ID/high``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from evidence import accuracy, claims, models, residency, times
from evidence.counters import COUNTERS
from evidence.counts_layout import COUNTS_SCHEMA
from evidence.errors import EvidenceError
from evidence.measured_layout import LAYOUTS
from evidence.numbers import (
    LARGEST_RELATIVE_ERROR,
    NumberError,
    format_number,
    look_up,
    read_number,
    rounded,
)
from evidence.published_layout import PUBLISHED_SCHEMA
from evidence.verdicts import Interval

RESIDENCY = ("fitting", "held", "threads")

COUNTED = "counts"  # the instrument of what nothing timed

_SHAPE = re.compile(r"\d+(?:x\d+)*")

# How a text may write a unit, and how many of the record's units one of it is.
_UNITS = {
    "us": {"us": 1, "µs": 1, "μs": 1, "ms": 10**3, "ns": Decimal("0.001"), "microseconds": 1},
    "x": {"x": 1, "times": 1},
    "%": {"%": 1, "per cent": 1, "percent": 1},
    "TFLOP/s": {"TFLOP/s": 1, "GFLOP/s": Decimal("0.001")},
    "TB/s": {"TB/s": 1, "GB/s": Decimal("0.001")},
    "GB/s": {"GB/s": 1, "TB/s": 1000},
    "B": {"B": 1, "bytes": 1, "kB": 1000, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20},
}
_UNIT_WORDS = sorted({word for words in _UNITS.values() for word in words}, key=len, reverse=True)
_UNIT = re.compile(rf"\s*({'|'.join(map(re.escape, _UNIT_WORDS))})(?![A-Za-z/])")

# Of a percentage, so much may be rounded away whatever its size.
_PER_CENT = Decimal("0.05")
_MOST_DECIMALS = 6


@dataclass(frozen=True)
class Number:
    """A number of a record: its value, its unit ("" for a plain count or ratio), who read it."""

    value: float
    unit: str
    instrument: str
    interval: Interval | None = None  # of a time and a measured factor: what it may also be


def resolve(document: dict, anchor: str) -> Number:
    """Return the number that an anchor names; ``document`` is any record of this course, loaded.

    Raises NumberError, an EvidenceError, if it names none or what it names was not measured.
    """
    schema = document.get("schema")
    if schema not in _READERS:
        raise NumberError(f"a document of schema {schema!r} has no anchors")
    try:
        return _READERS[schema](document, anchor.removeprefix("#"))
    except EvidenceError as error:  # there is no such row, shape or count
        raise NumberError(str(error)) from None


def check(text: str, number: Number) -> None:
    """Raise NumberError unless ``text`` begins with the number, rounded to the text's digits.

    Of a factor a half must have gone up, so that all its texts are the same.

    "74.1 us", "0.0741 ms", "1.56x", "5.7e-7" and "25.2 million" are such texts; words may follow.
    """
    text = text.strip()
    shown = read_number(text)
    unit_scale = _unit_scale(text, shown.after, number)
    exact = Decimal(repr(number.value))
    error = abs(shown.value * unit_scale - exact)
    allowed = abs(exact) * LARGEST_RELATIVE_ERROR
    if number.unit == "%":
        allowed = max(allowed, _PER_CENT)
    half = shown.step * unit_scale / 2
    half_went_down = number.unit == "x" and exact - shown.value * unit_scale == half
    if error > half or error > allowed or half_went_down:
        raise NumberError(f"'{text}' is not what the record holds: {_plain(number)}")


def text(number: Number, like: str) -> str:
    """Return ``like`` with the number in place of its own, at its precision, scale and unit.

    Where that precision does not show the number (check() would refuse it), digits are added.
    Raises NumberError if ``like`` begins with no number, or has a unit of another kind.
    """
    stripped = like.strip()
    shown = read_number(stripped)
    value = Decimal(repr(number.value)) / _unit_scale(stripped, shown.after, number) / shown.scale
    rest = stripped[shown.after :] if shown.scale == 1 else stripped[shown.end :]
    new = stripped
    for decimals in range(shown.decimals, _MOST_DECIMALS + shown.decimals + 1):
        if shown.exponent is not None:
            mantissa, _, exponent = f"{value:.{decimals}e}".partition("e")
            new = f"{mantissa}e{int(exponent)}{rest}"
        else:
            new = f"{rounded(value, decimals):{',' if shown.commas else ''}f}{rest}"
        try:
            check(new, number)
        except NumberError:
            continue
        break
    return like.replace(stripped, new)


def every(record: dict) -> Iterator[tuple[str, Number]]:
    """Yield each anchor of a measured record that names a number, with the number."""
    for entry in record["shapes"]:
        prefix = times.shape_prefix(record, entry)
        paths = [f"{r['name']}/{p}" for r in entry["rows"] for p in _paths(r)]
        for name in ("noise", *paths, *_errors(record, entry["shape"])):
            try:
                yield prefix + name, resolve(record, prefix + name)
            except NumberError:
                continue


def _paths(row: dict) -> Iterator[str]:
    """Yield what a row may have behind its name."""
    for time in times.all_times(row):
        parts = time.parts if len(time.kernels) > 1 else []
        for label in (time.label, *(f"{time.label}/{part.name}" for part in parts)):
            yield from (label, f"{label}/low", f"{label}/high")
    yield from ("factor", "tflops", "tbps", "of-memory")
    yield from ("error", "registers", "shared-bytes", "blocks-per-sm")
    yield from (f"expected/{model}" for model in models.MODELS)
    yield from (f"counters/{name}" for name in COUNTERS)


def _errors(record: dict, shape: dict) -> Iterator[str]:
    """Yield the anchors of the errors over other inputs."""
    for entry in accuracy.at(record, shape):
        yield from (f"{row['name']}/error/{accuracy.path(entry['name'])}" for row in entry["rows"])


def _plain(number: Number) -> str:
    value = format_number(number.value)
    return f"{value}{number.unit}" if number.unit == "x" else f"{value} {number.unit}".strip()


def _unit_scale(text: str, end: int, number: Number) -> Decimal:
    """Return how many of the number's units the unit behind a text's number is; 1 if none is."""
    match = _UNIT.match(text, end)
    if match is None:
        return Decimal(1)
    known = _UNITS.get(number.unit, {})
    if match[1] not in known:
        has = f"is in {number.unit}" if number.unit else "has no unit"
        raise NumberError(f"'{text}' is in {match[1]}, but what the record holds {has}")
    return Decimal(known[match[1]])


def _counted(record: dict, anchor: str) -> Number:
    name, _, path = anchor.partition("/")
    known = {entry["name"]: entry for entry in record["rungs"]}
    if name not in known:
        raise NumberError(f"the record has no rung '{name}'")
    kind, _, model = path.partition("/")
    if kind == "residency":
        return Number(_resident(known[name], model), "", COUNTED)
    if kind not in ("expected", "model"):
        return Number(look_up(known[name]["counts"], path), "", COUNTED)
    if model not in models.MODELS:
        raise NumberError(f"there is no model '{model}'; there is {', '.join(models.MODELS)}")
    if kind == "model":
        value = models.quantity(model, known[name])
        return Number(value, models.MODELS[model].unit, COUNTED)
    after = known[name]["after"]
    if not after:
        raise NumberError(f"{record['ladder']}/{name} comes after no rung")
    return Number(models.expected_factor(model, known[after], known[name]), "x", COUNTED)


def _resident(rung: dict, name: str) -> int:
    kernel, _, what = name.rpartition("/")
    if what not in RESIDENCY:
        raise NumberError(f"there is no 'residency/{name}'; there is {', '.join(RESIDENCY)}")
    if not kernel:
        return getattr(residency.of_rung(rung), what)
    known = residency.of_kernels(rung)
    if kernel not in known:
        raise NumberError(f"{rung['key']} has no kernel '{kernel}'; it has {', '.join(known)}")
    return getattr(known[kernel], what)


def computed(record: dict, rung: str) -> Iterator[tuple[str, Number]]:
    """Yield each anchor, behind the rung's name, of what a counts record's counts give by a rule.

    What stands in the counts as it is, and what they do not give, is left out.
    """
    paths = [f"model/{name}" for name, model in models.MODELS.items() if model.is_computed]
    paths += [f"residency/{name}" for name in RESIDENCY]
    paths += [f"residency/{part}/{name}" for part in _parts(record, rung) for name in RESIDENCY]
    paths += [f"expected/{model}" for model in models.MODELS]
    for path in paths:
        try:
            yield path, resolve(record, f"{rung}/{path}")
        except NumberError:
            continue


def _parts(record: dict, rung: str) -> list[str]:
    """Return the kernels of a rung of several by name; none where there is one."""
    (entry,) = (one for one in record["rungs"] if one["name"] == rung)
    known = residency.of_kernels(entry)
    return list(known) if len(known) > 1 else []


def _measured(record: dict, anchor: str) -> Number:
    shape, rest = None, anchor
    first, _, others = anchor.partition("/")
    if _SHAPE.fullmatch(first):
        shape, rest = first, others
    entry = times.at_shape(record, shape)
    name, _, path = rest.partition("/")
    if name == "noise":
        return _noise(record, path or "kernel", entry["shape"])
    return _of_row(record, times.row(record, name, entry["shape"]), path, entry["shape"])


def _noise(record: dict, label: str, shape: dict) -> Number:
    way = times.parse_label(label)
    same = times.same_difference(record, *way, shape) if way else None
    if same is None:
        raise NumberError(f"no variant was timed twice by '{label}'")
    return Number(100 * (same - 1), "%", label)


def _of_row(record: dict, row: dict, path: str, shape: dict) -> Number:
    """Return the number at a path of a row."""
    first, _, rest = path.partition("/")
    name = row["name"]
    if path in ("low", "high"):
        return _time(row, "kernel", path)
    if times.parse_label(first):
        return _time(row, first, rest)
    value, unit, instrument = None, "", "kernel"
    if path in ("factor", "factor/low", "factor/high"):
        value, unit = claims.step(record, name, shape=shape), "x"
        if rest and value is not None:
            value = getattr(value, rest)
    elif first == "factor-of":
        value, unit = claims.factor(record, rest, name, shape=shape), "x"
    elif path == "tflops":
        value, unit = claims.tflops(record, name, shape=shape), "TFLOP/s"
    elif path == "tbps":
        value, unit = claims.tbps(record, name, shape=shape), "TB/s"
    elif path == "of-memory":
        value, unit = claims.percent_of_memory(record, name, shape=shape), "%"
    elif first in ("of-peer", "of-floor"):
        if times.row(record, rest, shape)["kind"] != first.removeprefix("of-"):
            raise NumberError(f"{rest} is no {first.removeprefix('of-')}")
        value, unit = claims.percent_of(record, name, rest, shape=shape), "%"
    elif path == "error":
        value, instrument = claims.max_relative_error(row), "check"
    elif first == "error":
        return _error_over(record, name, rest, shape)
    elif path in _RESOURCES:
        value, unit, instrument = _resource(row, path), _RESOURCES[path][1], "resources"
    elif first == "counters" and rest in COUNTERS:
        value = row.get("counters", {}).get(rest)
        unit, instrument = COUNTERS[rest].unit, "counters"
    elif first == "expected":
        found = [p for p in record["predictions"] if (p["rung"], p["model"]) == (name, rest)]
        value, unit, instrument = (found[0]["expected"] if found else None), "x", COUNTED
    else:
        raise NumberError(f"the record has no '{name}/{path}'")
    if value is None:
        raise NumberError(f"'{name}/{path}' was not measured{_why(row)}")
    if isinstance(value, Interval):
        return Number(value.value, unit, instrument, value)
    return Number(value, unit, instrument)


def _error_over(record: dict, name: str, path: str, shape: dict) -> Number:
    """Return a row's largest error over the inputs that an anchor calls so."""
    entries = {accuracy.path(entry["name"]): entry for entry in accuracy.at(record, shape)}
    if path not in entries:
        known = f"there is {', '.join(entries)}" if entries else "there are none"
        raise NumberError(f"the record has no errors over '{path}'; {known}")
    found = accuracy.row(entries[path], name)
    if found is None or "missing" in found:
        raise NumberError(f"'{name}/error/{path}' was not measured{_why(found or {})}")
    return Number(found["max_relative_error"], "", "check")


# Where a kernel's resources stand, their unit, and which of several kernels' speaks for the row.
_RESOURCES = {
    "registers": (("registers",), "registers", max),
    "shared-bytes": (("static_shared_bytes", "dynamic_shared_bytes"), "B", max),
    "blocks-per-sm": (("blocks_per_multiprocessor",), "blocks", min),
}


def _resource(row: dict, path: str) -> int | None:
    keys, _, choose = _RESOURCES[path]
    kernels = row.get("resources", {}).get("kernels", [])
    return choose((sum(kernel[key] for key in keys) for kernel in kernels), default=None)


def _time(row: dict, label: str, end: str) -> Number:
    time = times.find(row, *times.parse_label(label))
    if time is None or time.interval is None:
        why = f": {time.missing}" if time is not None else ""
        raise NumberError(f"'{row['name']}/{label}' was not measured{why}")
    ends = {"": "value", "low": "low", "high": "high"}
    of_part, _, last = end.partition("/")
    parts = {part.name: part.interval for part in time.parts}
    if end in ends:
        interval, last = time.interval, end
    elif of_part in parts and last in ends:
        interval = parts[of_part]
    else:
        raise NumberError(f"the record has no '{row['name']}/{label}/{end}'")
    value = getattr(interval, ends[last])
    return Number(value, "us", label, None if last else interval)


def _why(row: dict) -> str:
    return f": {row['missing']}" if "missing" in row else ""


def _published(document: dict, anchor: str) -> Number:
    for value in document["values"]:
        for key in ("value", "low", "high"):
            name = value["id"] if key == "value" else f"{value['id']}/{key}"
            if name == anchor and key in value:
                return Number(value[key], value["unit"], value["instrument"])
    raise NumberError(f"{document['study']} reports no '{anchor}'")


_READERS = {COUNTS_SCHEMA: _counted, PUBLISHED_SCHEMA: _published}
_READERS |= dict.fromkeys(LAYOUTS, _measured)
