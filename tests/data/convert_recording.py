#!/usr/bin/env python3
"""Makes the retained files of tests/data/h200 from what record_h200.py brought back.

    python3 tests/data/convert_recording.py FOLDER [--cuda 13.0]

FOLDER holds recording.json and instructions.json. A file is made only from items that are
good; what is missing is said, and the exit code is then 1. A recording of some ladders alone
leaves the files of everything else as they are.
"""

import argparse
import json
import lzma
import re
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common"))
import record_h200  # noqa: E402
import retained  # noqa: E402

from course import ncu  # noqa: E402


def ncu_rows(log: str) -> list:
    """Return Nsight Compute's raw CSV page as a list of {column: text}, one a launch."""
    return ncu.page(log)[1]


def counters(row: dict) -> dict:
    """Return the counters of one launch under their short names."""
    found = {}
    for short, metric in retained.COUNTERS.items():
        if row.get(metric, "") not in ("", "n/a"):
            found[short] = ncu.number(row[metric])
    return found


def machine(recording: dict, cuda: str) -> dict:
    """Return what a retained file says about the machine; never a host's name."""
    said = recording["machine"]
    version = re.search(r"Version (\S+)", said["ncu"])
    sanitizer = re.search(r"[Vv]ersion (\S+)", said["sanitizer"])
    return {
        "gpu": said["gpu"],
        "driver": said["driver"],
        "cuda": cuda,
        "nsight_compute": version.group(1) if version else "unknown",
        "compute_sanitizer": sanitizer.group(1) if sanitizer else "unknown",
    }


def good(item: dict) -> bool:
    """Whether an item ran to its end and found nothing wrong."""
    return item["status"] == 0 and "error" not in item


def patterns_file(recording: dict) -> tuple:
    """Return the document of the access patterns, and what is missing."""
    patterns = retained.parse_patterns(recording["patterns"])
    kept, missing = {}, []
    for item in recording["items"]:
        if item["kind"] != "patterns":
            continue
        members = [p for p in patterns if p.name.startswith(item["name"])]
        rows = ncu_rows(item.get("log", ""))
        if not good(item) or len(rows) != len(members):
            missing.append(f"patterns {item['name']}: {len(rows)} rows of {len(members)}")
            continue
        # ncu keeps the order of launches, which is the list's.
        for pattern, row in zip(members, rows, strict=True):
            kernel = "_".join(pattern.name.split("_")[:2])
            if f"{kernel}<" not in row["Kernel Name"]:
                raise ValueError(f"{pattern.name} met a launch of {row['Kernel Name']}")
            offsets = ",".join("-" if at is None else str(at) for at in pattern.offsets)
            kept[pattern.name] = {
                "width": pattern.width,
                "blocks": pattern.blocks,
                "warps": pattern.warps,
                "offsets": offsets,
                # In the order of `columns`: 663 patterns would repeat the names.
                "counters": [counters(row)[name] for name in retained.COLUMNS[pattern.space]],
            }
    missing += [f"pattern {p.name}" for p in patterns if p.name not in kept]
    document = {"schema": "rungs-patterns/1", "columns": retained.COLUMNS, "patterns": kept}
    return document, missing


def checks(recording: dict) -> dict[str, dict]:
    """Return what each rung's check reported, by the name of its program."""
    return {
        item["name"]: json.loads(item["log"])
        for item in recording["items"]
        if item["kind"] == "check" and good(item) and item.get("log")
    }


def ladders(recording: dict) -> list[str]:
    """Return the ladders that were recorded."""
    return sorted({report["ladder"] for report in checks(recording).values()})


def ladder_file(recording: dict, ladder: str) -> tuple:
    """Return the document of the counters of a ladder's rungs, and what is missing."""
    rungs, missing, names, counted = {}, [], {}, set()
    for program, report in checks(recording).items():
        if report["ladder"] != ladder:
            continue
        run = report["rungs"][0]
        names[program] = run["name"]
        rungs[run["name"]] = {
            "shape": report["shape"],
            "source_hash": run["source_hash"],
            "check_passed": run["check"]["passed"],
            "runs": [],
        }
    for item in recording["items"]:
        if item["kind"] != "ncu":
            continue
        program, *shape = item["name"].split(" --shape ")
        if program not in names:
            continue
        name = names[program]
        rows = ncu_rows(item.get("log", ""))
        if item.get("error") == record_h200.OUT_OF_TIME and item["name"] in counted:
            continue  # it was to be counted once more
        if not good(item) or not rows:
            missing.append(f"rung {item['name']}: {len(rows)} kernels")
            continue
        counted.add(item["name"])
        full = rungs[name]["shape"]
        sizes = [int(size) for size in shape[0].split(",")] if shape else full.values()
        rungs[name]["runs"].append(
            {
                "shape": dict(zip(full, sizes, strict=True)),
                # In the order of launches, which ncu keeps.
                "kernels": [
                    {
                        "kernel": row["Kernel Name"],
                        "grid": row["Grid Size"],
                        "block": row["Block Size"],
                        "counters": counters(row),
                    }
                    for row in rows
                ],
            }
        )
    missing += [f"rung {p}: no counters" for p, name in names.items() if not rungs[name]["runs"]]
    return {"schema": f"rungs-{ladder}-counters/1", "rungs": rungs}, missing


def unchecked(recording: dict) -> list[str]:
    """Return a sentence for each rung whose check did not pass, or for all if none did."""
    reported = checks(recording)
    found = [
        f"{item['name']}: its check did not pass"
        for item in recording["items"]
        if item["kind"] == "check" and item["name"] not in (*reported, "access_patterns")
    ]
    return found if reported else [*found, "every rung"]


def instructions_files(folder: Path, recording: dict) -> tuple:
    """Return the document of the forms, the words of all of them, and what is missing."""
    results = [i for i in recording["items"] if i["kind"] == "results"]
    if not results or not good(results[0]):
        return None, b"", ["instructions: the program failed"]
    document = json.loads((folder / "instructions.json").read_text())
    forms, words = [], bytearray()
    for form in sorted(document["forms"], key=lambda f: (f["family"], f["name"])):
        values = [int(form["words"][i : i + 8], 16) for i in range(0, len(form["words"]), 8)]
        forms.append({"name": form["name"], "family": form["family"], "count": len(values)})
        words += struct.pack(f"<{len(values)}I", *values)
    kept = {"schema": "rungs-instruction-words/1", "forms": forms}
    return kept, bytes(words), []


# Lines that say what was found; addresses, hosts and paths are left out.
FINDING = re.compile(
    r"(Invalid|Uninitialized|is misaligned|misaligned address|Barrier error|hazard|Race reported"
    r"|Error: Potential"
    r"|out of bounds|Divergent|Trace/breakpoint|ERROR SUMMARY|RACECHECK SUMMARY"
    r"|device-side assert)"
)


def findings(item: dict) -> list:
    """Return the distinct findings of compute-sanitizer, without addresses and paths."""
    found = []
    for line in (item.get("stdout", "") + item.get("stderr", "")).splitlines():
        if not FINDING.search(line):
            continue
        line = re.sub(r"^=+\s*", "", line)
        line = re.sub(r"0x[0-9a-f]+", "0x...", line)
        line = re.sub(r"\S*/(?=[^\s/]+\.\w+)", "", line)
        if line not in found:
            found.append(line)
    return found[:6]


def judged(stdout: str) -> dict:
    """Return {rung: "passed" or "FAILED"} from what a ladder's program prints."""
    found = re.findall(r"^[\w-]+/([\w-]+)\n +check: +(\w+)", stdout, re.MULTILINE)
    return dict(found)


def sanitizer_file(recording: dict) -> tuple:
    """Return what the sanitizers said of rungs and controls, and what is missing."""
    said, missing = {"rungs": {}, "controls": {}, "wrong_answers": {}}, []
    for item in sorted(recording["items"], key=lambda i: i["name"]):
        if item["kind"] not in ("sanitizer", "negative", "mended"):
            continue
        program, _, tool = item["name"].partition(" ")
        if program == "wrong-answers":
            said["wrong_answers"] = judged(item.get("stdout", ""))
            continue
        entry = {"status": item["status"], "findings": findings(item)}
        if "error" in item:
            entry["error"] = item["error"]
        if item["kind"] == "sanitizer":
            said["rungs"].setdefault(program, {})[tool] = entry
            if not good(item):
                missing.append(f"{item['name']} is not clean: status {item['status']}")
            continue
        control = said["controls"].setdefault(
            program, {"source_hash": retained.control_source_hash(program), "tools": {}}
        )
        if item["kind"] == "mended":
            control["mended_status"] = item["status"]
            if not good(item):
                missing.append(f"{program} --mended: status {item['status']}")
        else:
            control["tools"][tool] = entry
    return {"schema": "rungs-sanitizer/1", **said}, missing


def with_kept(document: dict, about: dict, recorded: list[str]) -> tuple:
    """Return a recording of some ladders' rungs joined to the kept file, and what is missing.

    ``recorded`` are the ladders. Of a rung that was recorded on another machine than the file is
    of, its own is kept beside it.
    """
    kept = retained.load("sanitizer.json")
    if kept is None:
        return None, ["sanitizer.json: there is none yet, so record everything first"]
    others = tuple(f"{ladder}-" for ladder in recorded)
    rungs = {name: entry for name, entry in kept["rungs"].items() if not name.startswith(others)}
    machines = {name: one for name, one in kept.get("machines", {}).items() if name in rungs}
    if about != kept["machine"]:
        machines |= dict.fromkeys(document["rungs"], about)
    joined = {**kept, "rungs": {**rungs, **document["rungs"]}, "machines": machines}
    return joined, []


def write(name: str, document: dict) -> None:
    """Write a retained file; one entry a line, so that differences can be read."""
    retained.RETAINED.mkdir(exist_ok=True)
    parts = []
    for key, value in document.items():
        if isinstance(value, dict) and len(value) > 8:
            inner = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            parts.append(f"{json.dumps(key)}: {{\n{inner}\n}}")
        elif isinstance(value, list):
            inner = ",\n".join(json.dumps(v) for v in value)
            parts.append(f"{json.dumps(key)}: [\n{inner}\n]")
        else:
            parts.append(f"{json.dumps(key)}: {json.dumps(value)}")
    (retained.RETAINED / name).write_text("{\n" + ",\n".join(parts) + "\n}\n")


def main() -> int:
    """Convert what is good; 0 if everything was."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="what record_h200.py wrote")
    parser.add_argument("--cuda", default="13.0", help="the toolkit the programs were built with")
    arguments = parser.parse_args()
    recording = json.loads((arguments.folder / "recording.json").read_text())
    about = machine(recording, arguments.cuda)
    missing = unchecked(recording)
    for ladder in ladders(recording):
        document, lost = ladder_file(recording, ladder)
        missing += lost
        write(f"{ladder}.json", {"machine": about, **document})
    if "ladders" in recording:
        document, lost = sanitizer_file(recording)
        missing += lost
        document, lost = with_kept(document, about, recording["ladders"])
        missing += lost
        if document:
            write("sanitizer.json", document)
    else:
        missing += write_the_rest(arguments.folder, recording, about)

    for line in missing:
        print(f"missing: {line}", file=sys.stderr)
    for path in sorted(retained.RETAINED.iterdir()):
        print(f"{path.name}: {path.stat().st_size} bytes")
    return 1 if missing else 0


def write_the_rest(folder: Path, recording: dict, about: dict) -> list[str]:
    """Write the files that are no ladder's, and return what is missing."""
    document, missing = patterns_file(recording)
    if document["patterns"]:
        write(
            "patterns.json",
            {"machine": about, "source_hash": retained.pattern_source_hash(), **document},
        )
    document, words, lost = instructions_files(folder, recording)
    missing += lost
    if document:
        write(
            "instructions.json",
            {"machine": about, "source_hash": retained.instruction_source_hash(), **document},
        )
        packed = lzma.compress(words, preset=9 | lzma.PRESET_EXTREME)
        (retained.RETAINED / "instructions.words.xz").write_bytes(packed)
    document, lost = sanitizer_file(recording)
    if document["rungs"] or document["controls"]:
        write("sanitizer.json", {"machine": about, **document})
    return missing + lost


if __name__ == "__main__":
    sys.exit(main())
