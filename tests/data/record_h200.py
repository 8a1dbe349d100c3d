#!/usr/bin/env python3
"""Runs the truth programs on a machine with a GPU and keeps what its tools say.

    python3 tests/data/record_h200.py BIN OUT [--seconds N] [--ladders NAME ...]

BIN is a carried build/bin, OUT a folder that receives recording.json (raw output of Nsight
Compute and compute-sanitizer) and instructions.json (result words). Both go through
convert_recording.py afterwards, which makes the files that are kept. With --ladders the rungs of
these alone are recorded. One failing item is written down and the rest goes on; recording.json is
rewritten after every item, so that a run that is cut short keeps what it has.
"""

import argparse
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common"))
from course import ncu  # noqa: E402
from evidence import lessons  # noqa: E402

SHARED = [
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
]
GLOBAL = [
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
]
KERNEL = [
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "smsp__inst_executed.sum",
    "launch__registers_per_thread",
]
# Asked for with the rest, and left out when this version of ncu does not know one of them.
EXTRA = [
    "smsp__inst_executed_op_local_ld.sum",
    "smsp__inst_executed_op_local_st.sum",
    "smsp__thread_inst_executed.sum",
    "smsp__inst_executed_op_global_ld.sum",
    "smsp__inst_executed_op_global_st.sum",
    "launch__shared_mem_per_block_static",
    "launch__shared_mem_per_block_dynamic",
]

# One profiler run for each prefix: a run that fails or is too slow loses only its own.
PATTERN_GROUPS = [
    f"{space}_{direction}_{width}/"
    for widths in ((16, 4, 8), (1, 2))
    for space in ("shared", "global")
    for width in widths
    for direction in ("load", "store")
] + ["global_load_nc_"]

SANITIZERS = ["memcheck", "racecheck", "initcheck", "synccheck"]
# Controls that a GPU must not be given: these hang it, and an instruction that the CPU
# device refuses on purpose says nothing there. Their mended twins run.
NOT_ON_A_GPU = ("endless-spin", "starved-barrier", "unsupported-instruction")

OUT_OF_TIME = "not run: out of time"


class Recording:
    """What has been run so far, kept in one JSON file."""

    def __init__(self, folder: Path, seconds: float):
        """Start the clock; `seconds` is when no new item is begun any more."""
        self.path = folder / "recording.json"
        self.end = time.monotonic() + seconds
        self.document = {"schema": "rungs-recording/1", "machine": {}, "items": []}

    def save(self):
        """Rewrite the file whole."""
        text = json.dumps(self.document, indent=1)
        temporary = self.path.with_suffix(".tmp")
        temporary.write_text(text)
        temporary.replace(self.path)

    def left(self) -> float:
        """Seconds until the end."""
        return self.end - time.monotonic()

    def run(self, kind: str, name: str, command: list, limit: float, log: Path | None = None):
        """Run one command and return its item; never raises for what the command does."""
        item = {"kind": kind, "name": name, "status": None, "seconds": 0.0}
        if self.left() < 2:
            return item | {"error": OUT_OF_TIME}
        start = time.monotonic()
        environment = {k: v for k, v in os.environ.items() if not k.startswith("RUNGS_")}
        try:
            # A session of its own, so that a hung child goes with its parent.
            process = subprocess.Popen(
                [str(part) for part in command],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env=environment,
                start_new_session=True,
            )
            try:
                out, err = process.communicate(timeout=min(limit, self.left()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                out, err = process.communicate()
                item["error"] = f"stopped after {time.monotonic() - start:.0f} s"
            item["status"] = process.returncode
            item["stdout"] = out[-6000:]
            item["stderr"] = err[-6000:]
            if log is not None and log.exists():
                item["log"] = log.read_text(errors="replace")
        except OSError as error:
            item["error"] = str(error)
        item["seconds"] = round(time.monotonic() - start, 2)
        return item

    def add(self, item):
        """Keep an item and print one line about it."""
        self.document["items"].append(item)
        self.save()
        said = item.get("error") or f"status {item['status']}"
        print(f"{item['kind']:10} {item['name']:42} {said}  {item['seconds']:.1f} s", flush=True)
        return item


def first_line(command: list, pattern: str = "") -> str:
    """Return the first line of a command's output that holds `pattern`, or why there is none."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"unknown: {error}"
    for line in done.stdout.splitlines():
        if pattern in line and line.strip():
            return line.strip()
    return "unknown"


def rung_programs(folder: Path, repo: Path, ladders: list[str] | None = None) -> list[Path]:
    """Return the program of every rung of these ladders, or of all, that was carried, by name."""
    names = [f"{ladder}-{r.name}" for ladder in ladders or lessons.ladders(repo) for r in
             lessons.rungs(repo, ladder)]  # fmt: skip
    return sorted(p for p in (folder / n for n in names) if os.access(p, os.X_OK))


def small_shape(recording: Recording, program: Path) -> str | None:
    """Return a small shape of a program's problem, as --shape takes it, from what its check did.

    It is the last of those that the rung takes, which comes before the full one. None if the check
    brought no report.
    """
    for item in recording.document["items"]:
        if (item["kind"], item["name"]) == ("check", program.name) and item.get("log"):
            report = json.loads(item["log"])
            shapes = [found["shape"] for found in report["rungs"][0]["check"]["shapes"]]
            small = [shape for shape in shapes if shape != report["shape"]]
            return ",".join(map(str, small[-1].values())) if small else None
    return None


def profile(recording, kind, name, program, metrics, limit):
    """Run `program` under Nsight Compute; retry without the extra metrics if that fails."""
    item = None
    for wanted in (metrics + EXTRA, metrics) if kind == "ncu" else (metrics,):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "ncu.csv"
            command = ncu.command(wanted, log, program)
            item = recording.run(kind, name, command, limit, log)
        if item["status"] == 0 and '"ID"' in item.get("log", ""):
            break
        if item.setdefault("error", "ncu gave no rows") == OUT_OF_TIME:
            break
    return recording.add(item)


def record_instructions(recording, programs, folder):
    """Instruction results, the list of access patterns and their data check."""
    tests = folder / "tests"
    recording.add(
        recording.run(
            "results",
            "instructions",
            [tests / "instructions", "--out", recording.path.with_name("instructions.json")],
            60,
        )
    )
    # The list of patterns is longer than what run() keeps of an output.
    listing = subprocess.run(
        [tests / "access_patterns", "--list"], capture_output=True, text=True, check=False
    )
    recording.document["patterns"] = listing.stdout
    recording.add(recording.run("check", "access_patterns", [tests / "access_patterns"], 60))


def record_checks(recording, programs, folder):
    """Every rung's own check, whose report says which shapes the rung takes."""
    with tempfile.TemporaryDirectory() as scratch:
        for program in programs:
            report = Path(scratch) / f"{program.name}.json"
            recording.add(
                recording.run(
                    "check",
                    program.name,
                    [program, "--device", "gpu", "--check", "--json", report],
                    60,
                    report,
                )
            )


def record_rungs_again(recording, programs, folder):
    """The rungs once more, as far as the time goes: how well a counter repeats itself."""
    record_rungs(recording, programs, folder, again=True)


def record_rungs(recording, programs, folder, again=False):
    """Nsight Compute over every rung, at full size and small."""
    for small in (False, True):
        for program in programs:
            if again and recording.left() <= 0:
                return
            sizes = small_shape(recording, program) if small else None
            if small and sizes is None:
                continue  # its check says why
            shape = ["--shape", sizes] if sizes else []
            command = [program, "--device", "gpu", "--profile", *shape]
            name = " ".join([program.name, *shape])
            profile(recording, "ncu", name, command, SHARED + GLOBAL + KERNEL, 60)


def record_patterns(recording, programs, folder):
    """Nsight Compute over every access pattern."""
    misses = 0
    for group in PATTERN_GROUPS:
        metrics = SHARED if group.startswith("shared") else GLOBAL
        item = profile(
            recording,
            "patterns",
            group,
            [folder / "tests" / "access_patterns", "--only", group],
            metrics,
            90,
        )
        # Where the counters cannot be read at all, the rest of the time is for the others.
        misses += "error" in item
        if misses >= 3:
            break


def record_sanitizers(recording, programs, folder):
    """compute-sanitizer over rungs, and over controls if the recording is of everything.

    Several at a time: it is slow to start.
    """
    jobs = rung_jobs(recording, programs)
    if "ladders" not in recording.document:
        jobs += control_jobs(folder)

    def job(kind, name, tool, program):
        command = program
        if tool:
            extra = ["--racecheck-report", "all"] if tool == "racecheck" else []
            command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "86"]
            command += [*extra, *program]
        return recording.run(kind, name, command, 45)

    with concurrent.futures.ThreadPoolExecutor(max_workers=8) as pool:
        for future in concurrent.futures.as_completed(pool.submit(job, *j) for j in jobs):
            recording.add(future.result())


def rung_jobs(recording, programs):
    """Return every rung at a small shape under every tool."""
    jobs = []
    for program in programs:
        sizes = small_shape(recording, program)
        shape = ["--shape", sizes] if sizes else []
        for tool in SANITIZERS:
            jobs.append(
                (
                    "sanitizer",
                    f"{program.name} {tool}",
                    tool,
                    [program, "--device", "gpu", "--check", *shape],
                )
            )
    return jobs


def control_jobs(folder):
    """Return every negative control under every tool, its mended twin and the wrong answers."""
    jobs = []
    for program in sorted((folder / "tests" / "negative").glob("*")):
        jobs.append(("mended", program.name, None, [program, "--mended"]))
        if program.name in NOT_ON_A_GPU:
            continue
        for tool in SANITIZERS:
            jobs.append(("negative", f"{program.name} {tool}", tool, [program]))
    wrong = folder / "tests" / "wrong-answers"
    if wrong.exists():
        jobs.append(
            ("negative", "wrong-answers check", None, [wrong, "--device", "gpu", "--check"])
        )
    return jobs


def summary(recording) -> int:
    """Print how many items of each kind are good; return how many are not."""
    kinds = {}
    bad = 0
    for item in recording.document["items"]:
        # What a negative control does is the finding, not a failure of the recording.
        good = "error" not in item and (item["status"] == 0 or item["kind"] == "negative")
        total = kinds.setdefault(item["kind"], [0, 0])
        total[0] += good
        total[1] += 1
        if not good:
            bad += 1
            print(f"bad: {item['kind']} {item['name']}: {item.get('error', item['status'])}")
            print("    " + (item.get("stderr") or item.get("stdout") or "")[-300:].strip())
    print(", ".join(f"{kind} {good}/{total}" for kind, (good, total) in sorted(kinds.items())))
    return bad


def main() -> int:
    """Record everything; 0 if every item was good."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=Path, help="a carried build/bin")
    parser.add_argument("out", type=Path, help="the folder for the results")
    parser.add_argument("--seconds", type=float, default=285, help="when to begin nothing new")
    parser.add_argument("--ladders", nargs="+", metavar="NAME", help="record these alone")
    arguments = parser.parse_args()
    repo = Path(__file__).resolve().parents[2]
    for ladder in arguments.ladders or []:
        if ladder not in lessons.ladders(repo):
            print(f"there is no ladder {ladder}", file=sys.stderr)
            return 2
    if not arguments.ladders and not (arguments.bin / "tests" / "access_patterns").exists():
        print(
            f"{arguments.bin} has no tests/access_patterns; build with BUILD_TESTING on",
            file=sys.stderr,
        )
        return 2
    arguments.out.mkdir(parents=True, exist_ok=True)
    folder = arguments.bin.resolve()
    programs = rung_programs(folder, repo, arguments.ladders)

    recording = Recording(arguments.out, arguments.seconds)
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, _, driver = first_line(query).partition(", ")
    recording.document["machine"] = {
        "gpu": gpu,
        "driver": driver,
        "ncu": first_line(["ncu", "--version"], "Version"),
        "sanitizer": first_line(["compute-sanitizer", "--version"], "ersion"),
    }
    if arguments.ladders:
        recording.document["ladders"] = arguments.ladders
    print(recording.document["machine"])
    steps = [record_checks, record_rungs, record_sanitizers, record_rungs_again]
    if not arguments.ladders:
        steps[:1] = [record_instructions, record_checks]
        steps.insert(3, record_patterns)
    for step in steps:
        try:
            step(recording, programs, folder)
        except Exception as error:  # noqa: BLE001  # one broken step must not lose the others
            recording.add(
                {
                    "kind": "step",
                    "name": step.__name__,
                    "status": None,
                    "seconds": 0.0,
                    "error": repr(error),
                }
            )
    recording.save()
    return 1 if summary(recording) else 0


if __name__ == "__main__":
    sys.exit(main())
