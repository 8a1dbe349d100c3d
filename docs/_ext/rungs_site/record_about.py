"""What stands above the numbers of a measured record: machine, compiler, protocol, checks, file."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx import addnodes

from evidence import claims, measured, times
from evidence.errors import EvidenceError
from evidence.numbers import format_number
from rungs_site import kept_records, lesson
from rungs_site.directives import NOTHING
from rungs_site.kept_records import Kept
from rungs_site.tables import page_link, paragraph, table

_HASH_DIGITS = 12  # of a source hash, as a page shows it
_SOFTWARE = {
    "cublas": "cuBLAS",
    "cuda_runtime": "CUDA runtime",
    "cupti": "CUPTI",
    "python": "Python",
    "torch": "PyTorch",
    "triton": "Triton",
}


def download(repo: Path, file: Path, from_docname: str, text: str = "") -> addnodes.Element:
    """Return a link that downloads a file of evidence, named by its path in the repository."""
    path = file.relative_to(repo).as_posix()
    return addnodes.download_reference(
        "", "", nodes.literal("", text or path), reftarget=f"/{path}", refdoc=from_docname
    )


def about_record(one: Kept, repo: Path, docname: str) -> list[nodes.Node]:
    """Return what a record is and how it was made, the command that makes another, its clocks."""
    record = one.record
    fields = {
        "File": paragraph(
            download(repo, one.path, docname), ", sha256 ", nodes.literal("", record["sha256"])
        ),
        "Date": record["date"],
        "Machine": _machine(record["machine"]),
        "Driver": _driver(record["machine"]),
        "Software": _software(record["software"]),
        "Environment": ", ".join(f"{k}={v}" for k, v in record["environment"].items()),
        "Compiler": _compiler(record),
        "Protocol": _protocol(record["protocol"], record["seed"]),
        "Instruments": _instruments(record["protocol"]),
        "Sizes": _sizes(record),
        "Entered twice": _twice(record),
        "Checks": _checks(record),
        "Not measured": _missing(record),
        "Clock": _throttling(record),
    }
    listed = nodes.field_list(classes=["record-about"])
    for name, value in fields.items():
        if value:
            body = paragraph(value) if isinstance(value, str) else value
            field = nodes.field()
            field += [nodes.field_name("", name), nodes.field_body("", body)]
            listed += field
    command = nodes.literal_block("", f"$ {command_of(record)}")
    command["language"] = "console"
    return [listed, *_states(record), paragraph("Such a record of your own machine:"), command]


def about_row(
    ladder: lesson.Ladder, one: Kept, name: str, stale: list[str], docname: str
) -> nodes.paragraph:
    """Return what a row is, whether its source is still the one that was measured, and its file."""
    row = next((r for e in one.record["shapes"] for r in e["rows"] if r["name"] == name), None)
    about = nodes.paragraph()
    if row is not None:
        own = row["again_of"] or name
        if row["again_of"]:
            about += [nodes.literal("", own), nodes.Text(", entered a second time. ")]
        if any(rung.name == own for rung in ladder.folders):
            about += page_link(ladder.docname(own), "The lesson", docname)
            about += nodes.Text(". ")
        elif row["kind"] in ("peer", "floor"):
            about += nodes.Text(f"A {row['kind']}{_math(row)}. ")
        if row.get("note"):
            about += nodes.Text(f"{row['note'][:1].upper()}{row['note'][1:]}. ")
        if row["source_hash"]:
            now = "and has changed since" if own in stale else "as it is now"
            digits = nodes.literal("", row["source_hash"][:_HASH_DIGITS])
            about += [nodes.Text("Source "), digits, nodes.Text(f", {now}. ")]
    about += [nodes.Text("From "), download(ladder.repo, one.path, docname), nodes.Text(".")]
    return about


def stale_rows(ladder: lesson.Ladder, record: dict) -> list[str]:
    """Return the names of all rows whose source is no longer the one that was measured."""
    names = dict.fromkeys(
        row["again_of"] or row["name"] for entry in record["shapes"] for row in entry["rows"]
    )
    return kept_records.stale_rungs(ladder, record, list(names))


def command_of(record: dict) -> str:
    """Return the command that makes such a record, as ``./course bench`` understands it."""
    rows = [row for entry in record["shapes"] for row in entry["rows"]]
    words = ["./course bench", record["ladder"]]
    if times.is_sweep(record):
        sizes = (str(next(iter(entry["shape"].values()))) for entry in record["shapes"])
        words.append(f"--sizes {','.join(sizes)}")
    if any(way["cache"] == "cold" for way in record["protocol"]["instruments"]):
        words.append("--cold")
    if any("missing" not in row.get("counters", {"missing": ""}) for row in rows):
        words.append("--counters")
    least = {"rounds": measured.ROUNDS, "samples": measured.SAMPLES}
    asked = {name: record["protocol"][name] for name in least}
    words += [f"--{name} {count}" for name, count in asked.items() if count != least[name]]
    return " ".join([*words, "--save my-gpu-1"])


def _machine(machine: dict) -> str:
    def up_to(clock: float | None) -> str:
        return f" at up to {format_number(clock)} MHz" if clock else ""

    bus = machine["memory_bus_bits"]
    behind = f" behind {format_number(bus)} bits" if bus else ""
    return (
        f"{machine['name']}, compute capability {machine['compute_capability']}: "
        f"{machine['multiprocessors']} multiprocessors{up_to(machine['max_sm_clock_mhz'])}, each "
        f"for {format_number(machine['threads_per_multiprocessor'])} threads; "
        f"{machine['memory_bytes'] / 1e9:.1f} GB of memory{behind}"
        f"{up_to(machine['max_memory_clock_mhz'])}; {machine['l2_bytes'] / 2**20:.0f} MiB of L2"
    )


def _driver(machine: dict) -> str:
    parts = [machine["driver"] or ""]
    parts += [f"CUDA {machine['cuda_driver']}"] if machine["cuda_driver"] else []
    return ", ".join(filter(None, parts))


def _software(software: dict) -> str:
    return ", ".join(f"{_SOFTWARE.get(k, k)} {v}" for k, v in software.items() if v)


def _compiler(record: dict) -> nodes.paragraph:
    compiler = record["compiler"]
    ptxas = f", ptxas {compiler['ptxas']}" if compiler["ptxas"] else ""
    return paragraph(
        f"nvcc {compiler['nvcc']}{ptxas}, for {compiler['architecture']}, {record['build']}, ",
        nodes.literal("", " ".join(compiler["flags"])),
    )


def _protocol(protocol: dict, seed: int) -> str:
    buffers = protocol.get("buffers", 1)
    sets = "one set of buffers" if buffers == 1 else f"{buffers} sets of buffers in turn"
    return (
        f"{protocol['rounds']} rounds of {protocol['samples']} samples after {protocol['warmup']} "
        f"warm-up launches, {protocol['order']}; warm launches take {sets}; inputs of seed {seed}"
    )


def _instruments(protocol: dict) -> str:
    """Return the instruments, with their samples where these are not the protocol's."""
    parts = []
    for way in protocol["instruments"]:
        other = way["samples"] != protocol["samples"]
        samples = f" ({way['samples']} samples a round)" if other else ""
        parts.append(times.label(way["name"], way["cache"], way["batch"]) + samples)
    return ", ".join(parts)


def _sizes(record: dict) -> str:
    """Return the shapes, and through how many sets of buffers cold launches go."""
    cold = any(way["cache"] == "cold" for way in record["protocol"]["instruments"])
    parts = []
    for entry in record["shapes"]:
        sets = f", cold launches through {entry['sets']} sets of buffers" if cold else ""
        moved = f"{format_number(entry['bytes'])} bytes in and out"
        parts.append(f"{times.shape_words(entry['shape'])}: {moved}{sets}")
    return "; ".join(parts)


def _twice(record: dict) -> str:
    parts = []
    for entry in record["shapes"]:
        names = [row["again_of"] for row in entry["rows"] if row["again_of"]]
        same = times.same_difference(record, shape=entry["shape"])
        if not names or same is None:
            continue
        several = len(record["shapes"]) > 1
        where = f" at {times.shape_text(entry['shape'])}" if several else ""
        differ = f"differ from themselves by up to {100 * (same - 1):.2f} %"
        parts.append(f"{' and '.join(names)}{where} {differ} by kernel")
    return "; ".join(parts)


def _checks(record: dict) -> str:
    """Return how many rows were checked, and the largest error of all of them."""
    checked, worst = 0, 0.0
    for entry in record["shapes"]:
        for row in entry["rows"]:
            checked += bool(row.get("check"))
            worst = max(worst, claims.max_relative_error(row) or 0.0)
    error = f"{worst:.1e}" if worst else "0"
    return (
        f"{checked} rows, each checked before and after it was timed, all passed; the largest "
        f"relative error is {error}"
    )


def _missing(record: dict) -> str:
    found = {}
    for entry in record["shapes"]:
        for row in entry["rows"]:
            if "missing" in row:
                found.setdefault(f"{row['name']} ({row['missing']})", None)
    return ", ".join(found)


def _throttling(record: dict) -> str | nodes.paragraph:
    if record["throttled"]:
        return paragraph(nodes.strong("", "the GPU lowered its clock during this run"))
    return "the GPU named no reason to lower its clock"


def _states(record: dict) -> list[nodes.Node]:
    """Return the table of clocks, temperature and power, as they were read between the rounds."""
    rows = []
    for state in record["states"]:
        if "missing" in state:
            rows.append([state["when"], *[NOTHING] * 4, state["missing"]])
            continue
        values = [
            state[key] for key in ("sm_clock_mhz", "memory_clock_mhz", "temperature_c", "power_w")
        ]
        cells = [NOTHING if value is None else f"{value:,.0f}" for value in values]
        reasons = state["throttle"]
        rows.append([state["when"], *cells, ", ".join(reasons) if reasons else _none(reasons)])
    header = ["Read", "SM, MHz", "Memory, MHz", "Degrees C", "Power, W", "Lowered by"]
    return [table(header, rows, "states")] if rows else []


def _none(reasons: list | None) -> str:
    return NOTHING if reasons is None else "nothing"


def _math(row: dict) -> str:
    return f" in {row['math'].upper()}" if row["kind"] == "peer" else ""


def size_of(file: Path) -> str:
    """Return a file's size in kB."""
    try:
        return f"{file.stat().st_size / 1000:,.0f} kB"
    except OSError as error:
        raise EvidenceError(f"cannot read {file.name}: {error.strerror}") from None
