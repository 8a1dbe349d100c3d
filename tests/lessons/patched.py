"""A rung's program with its try.patch applied: built by the build's own commands, beside it.

As a command it says what a patch does, for the one who writes its head::

    RUNGS_BIN=build/bin python tests/lessons/patched.py lessons/matmul/3-transposed-a/try.patch

The head may still be wrong, or missing: the counts that move are printed as a head states them.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from programs import BIN, REPO

sys.path.insert(0, str(REPO / "common"))
from evidence import lessons, numbers, records  # noqa: E402

BUILD = BIN.absolute().parent
# What the build keeps from its compilers; it would reach them here.
KEPT_OUT = ("CUDA_HOME", "CUDA_PATH", "LIBRARY_PATH", "NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS")


class Stopped(Exception):
    """A step before the program ran did not work; the text is what was said."""


def missing():
    """Return why no kernel can be built again here; "" if one can."""
    commands = BUILD / "compile_commands.json"
    if not commands.is_file() or not (BUILD / "build.ninja").is_file():
        return f"{BUILD} is no build folder of Ninja"
    rung = lessons.rungs(REPO, lessons.ladders(REPO)[0])[0]
    for tool in ("git", ninja(), shlex.split(_compile_entry(rung)["command"])[0]):
        if shutil.which(tool) is None:
            return f"there is no {tool}"
    counted = json.loads((BIN / "machine-code" / f"{rung.key}.json").read_text(encoding="utf-8"))
    if "missing" in counted:
        return counted["missing"]
    record = records.load_counts(records.counts_path(REPO, rung.ladder))
    built, kept = counted["compiler"]["nvcc"], record["compiler"]["nvcc"]
    return "" if built == kept else f"built by nvcc {built}, and counts are of nvcc {kept}"


def ninja():
    """Return the Ninja that the build was configured with."""
    for line in (BUILD / "CMakeCache.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("CMAKE_MAKE_PROGRAM:"):
            return line.partition("=")[2]
    return "ninja"


def run(rung, patch, machine_code=False):
    """Run a patched rung on the CPU device; return how it ended, and its document or None.

    Raises Stopped if the patch does not apply, or the kernel does not compile or link.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        source = _patched_source(rung, patch, place)
        built, program = _compile(rung, source, place), place / "bin" / _target(rung)
        _stand_beside(program.parent)
        _link(rung, built, program)
        if machine_code:
            _count_machine_code(rung, built, program.parent)
        written = place / "run.json"
        done = _step([program, "--device", "cpu", "--threads", "1", "--json", written], place)
        document = json.loads(written.read_text("utf-8")) if done.returncode == 0 else None
        return done, document


def counts(document):
    """Return the counts of the one rung of a document."""
    (rung,) = document["rungs"]
    return rung["counts"]


def _patched_source(rung, patch, place):
    """Copy what the kernel is compiled from, and apply the patch to the copy."""
    folder = place / rung.folder.relative_to(REPO)
    folder.mkdir(parents=True)
    shutil.copy(lessons.problem_header(REPO, rung.ladder), folder.parent)
    source = shutil.copy(rung.source, folder)
    (place / "try.patch").write_text(patch, encoding="utf-8")
    done = _step(["git", "apply", "try.patch"], place)
    if done.returncode != 0 or Path(source).read_bytes() == rung.source.read_bytes():
        raise Stopped(f"git apply: {done.stderr.strip() or 'nothing changed'}")
    return source


def _compile(rung, source, place):
    """Compile the changed kernel as the build compiles its own; return the object file."""
    entry = _compile_entry(rung)
    words = shlex.split(entry["command"])
    built = place / "kernel.o"
    words[words.index("-o") + 1] = str(built)
    words[words.index("-c") + 1] = str(source)
    done = _step(words, entry["directory"])
    if done.returncode != 0:
        raise Stopped(f"the compiler: {done.stderr.strip()}")
    return built


def _compile_entry(rung):
    """Return how the build compiles a rung's kernel."""
    entries = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
    end = "/".join(rung.source.parts[-4:])
    (entry,) = [entry for entry in entries if entry["file"].endswith(f"/{end}")]
    return entry


def _link(rung, built, program):
    """Link the object file as the build links its own."""
    target = f"bin/{_target(rung)}"
    entry = _compile_entry(rung)
    done = _step([ninja(), "-t", "commands", "-s", target], BUILD)
    command = done.stdout.strip()
    own = Path(entry["output"]).relative_to(entry["directory"])
    for old, new in ((f" {own} ", built), (f" -o {target} ", f"-o {shlex.quote(str(program))}")):
        if command.count(old) != 1:
            raise Stopped(f"the build's command to link has no{old}: {command or done.stderr}")
        quoted = new if isinstance(new, str) else shlex.quote(str(new))
        command = command.replace(old, f" {quoted} ")
    done = _step(["sh", "-c", command], BUILD)
    if done.returncode != 0:
        raise Stopped(f"the linker: {done.stderr.strip()}")


def _stand_beside(folder):
    """Put beside a program what it looks for there, as it is beside the build's own."""
    folder.mkdir()
    for name in ("lib", "cpu-device"):
        (folder / name).symlink_to(BIN.absolute() / name)


def _count_machine_code(rung, built, folder):
    """Write what the disassembler counts to where the program looks for it."""
    toolkit = Path(shlex.split(_compile_entry(rung)["command"])[0]).parents[1]
    words = ["--toolkit", toolkit, "--rung", rung.key, "--object", built]
    output = folder / "machine-code" / f"{rung.key}.json"
    command = [sys.executable, "-B", "-m", "machine_code", *words, "--output", output]
    done = _step(command, REPO / "common")
    if done.returncode != 0:
        raise Stopped(f"the disassembler: {done.stderr.strip()}")


def _target(rung):
    return f"{rung.ladder}-{rung.name}"


def _step(command, folder):
    """Run one command; no repository around a temporary folder is git's business."""
    kept = {name: value for name, value in os.environ.items() if name not in KEPT_OUT}
    return subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=kept | {"GIT_CEILING_DIRECTORIES": str(Path(folder).parent)},
        capture_output=True,
        text=True,
        check=False,
    )


def main(path):
    if why := missing():
        raise Stopped(why)
    path = Path(path).absolute()
    rung = lessons.rung(REPO, path.parents[1].name, path.parent.name)
    text = path.read_text(encoding="utf-8")
    done, document = run(rung, text, machine_code=True)
    print(done.stdout if document is None else "", done.stderr, sep="", end="")
    if document is None:
        return done.returncode
    record = records.load_counts(records.counts_path(REPO, rung.ladder))
    (before,) = [entry["counts"] for entry in record["rungs"] if entry["name"] == rung.name]
    for kind in ("ptx", "sass"):
        found = dict(numbers.all_numbers(counts(document)[kind], kind))
        for name, value in numbers.all_numbers(before[kind], kind):
            if found.get(name) != value and not numbers.is_of_one_line(name):
                print(f"{name}: {value} becomes {found.get(name)}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1]))
    except Stopped as stopped:
        sys.exit(str(stopped))
