"""The tables that commands print, from run documents, records and reports."""

import textwrap

from evidence import models
from evidence.errors import EvidenceError
from evidence.ladder_settings import LadderSettings
from evidence.numbers import format_factor
from evidence.table import WIDTH, Column, ascii_text, format_table, format_tables, number

_FACTOR = "expected factor"


def run_table(document: dict, settings: LadderSettings) -> str:
    """Return the ladder's table: what was checked, counted, and what it lets one expect."""
    known = {rung["name"]: rung for rung in document["rungs"]}
    shown = settings.shown(document["rungs"])
    columns = [Column("rung"), Column("check")]
    for one in shown:
        columns += [Column(text, right=True, group=one.group) for text, _ in one.headings]
    for model in settings.models:
        columns.append(Column(f"by {model.replace('-', ' ')}", right=True, group=_FACTOR))
    rows: list[list[str] | str] = []
    above = None
    for rung in document["rungs"]:
        after = rung["after"]
        if after and above is not None and after != above:
            rows.append(f"after {after}:")
        counts = [number(one.value(rung, kind)) for one in shown for _, kind in one.headings]
        factors = [_factor(model, known.get(after), rung) for model in settings.models]
        rows.append([rung["name"], _check(rung["check"]), *counts, *factors])
        above = after if rung["order"] > 1000 else rung["name"]
    return format_tables(columns, rows)


def _check(check: dict) -> str:
    if check["passed"]:
        return "ok"
    return "none" if check.get("cannot_run") else "FAILED"


def _factor(model: str, before: dict | None, rung: dict) -> str:
    """Return the factor that a model expects; a dash where there is nothing to compare with."""
    if before is None:
        return "-"
    try:
        return format_factor(models.expected_factor(model, before, rung), sign="")
    except EvidenceError:
        return "-"


def list_table(record: dict, settings: LadderSettings) -> str:
    """Return the ladder as its counts record describes it, with the first count of its tables."""
    first = settings.columns[:1]
    columns = [
        *(Column("rung"), Column("after"), Column("kind")),
        *(Column(one.heading, right=True) for one in first),
        Column("title", wrap=True),
    ]
    rows: list[list[str] | str] = [
        [
            *(rung["name"], rung["after"] or "-", rung["kind"]),
            *(number(one.value(rung)) for one in first),
            rung["title"],
        ]
        for rung in record["rungs"]
    ]
    return format_table(columns, rows)


_KERNEL_COUNTS = [
    ("warp instructions", ("warp_instructions", "total")),
    ("multiply-adds", ("multiply_adds",)),
    ("multiply-adds, float64", ("multiply_adds_f64",)),
    ("barriers", ("barriers",)),
    ("shuffles", ("shuffles",)),
    ("votes", ("votes",)),
    ("atomics, shared", ("atomics", "shared")),
    ("atomics, global", ("atomics", "global")),
]

_ACCESS = [
    Column("memory"),
    Column("instructions", right=True),
    Column("width: count", wrap=True),
    Column("bytes", right=True),
    Column("wavefronts or sectors", right=True),
    Column("bank conflicts", right=True),
]


def kernel_text(kernel: dict) -> str:
    """Return what the CPU device counted of one kernel, as text."""
    grid, block = (" x ".join(map(str, kernel[name])) for name in ("grid", "block"))
    launches = kernel["launches"]
    lines = [
        *textwrap.wrap(ascii_text(kernel["name"]), WIDTH, subsequent_indent="    "),
        f"  {launches} {'launch' if launches == 1 else 'launches'} of {grid} blocks of {block} "
        f"threads, {number(kernel['active_lanes'])} of 32 lanes active",
    ]
    shared = kernel["static_shared_bytes"] + kernel["dynamic_shared_bytes"]
    lines.append(f"  {shared} B of shared memory a block, {kernel['local_bytes']} B local a thread")
    for label, path in _KERNEL_COUNTS:
        value = kernel
        for key in path:
            value = value.get(key, 0) if isinstance(value, dict) else 0
        if value:
            lines.append(f"  {label:<24}{value:>16}")
    return "\n".join(lines) + "\n\n" + _access_table(kernel)


def _access_table(kernel: dict) -> str:
    rows = []
    for space in ("shared", "global", "local"):
        for way in ("load", "store"):
            access = kernel[space][way]
            if access["instructions"]:
                rows.append(_access_row(f"{space} {way}", access))
    return format_table(_ACCESS, rows) if rows else "  no memory instructions\n"


def _access_row(label: str, access: dict) -> list[str]:
    widths = ", ".join(f"{w}: {n}" for w, n in sorted(access.get("by_width", {}).items(), key=_int))
    beyond = access.get("bank_conflicts")
    return [
        label,
        str(access["instructions"]),
        widths or "-",
        str(access["bytes"]),
        str(access["wavefronts"] if "wavefronts" in access else access["sectors"]),
        "-" if beyond is None else str(beyond),
    ]


def _int(item: tuple[str, int]) -> int:
    return int(item[0])


_LINES = [
    Column("line"),
    Column("warp instructions", right=True),
    Column("multiply-adds", right=True),
    Column("load", right=True, group="shared wavefronts"),
    Column("store", right=True, group="shared wavefronts"),
    Column("load", right=True, group="global sectors"),
    Column("store", right=True, group="global sectors"),
]


def lines_table(kernel: dict) -> str:
    """Return the counts of a kernel by source line, or that it was built without lines."""
    if not any(line["file"] for line in kernel.get("lines", [])):
        return "no line information: build with -lineinfo\n"
    names = (
        *("warp_instructions", "multiply_adds", "shared_load_wavefronts"),
        *("shared_store_wavefronts", "global_load_sectors", "global_store_sectors"),
    )
    rows = []
    for line in kernel.get("lines", []):
        where = f"{line['file'].rsplit('/', 1)[-1]}:{line['line']}"
        where = where if line["file"] else "(no line)"
        rows.append([where, *(str(line[name]) if line[name] else "-" for name in names)])
    return format_table(_LINES, rows)
