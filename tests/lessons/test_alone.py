"""Each lesson's folder configures alone, in odd places, and leaves the source as it was."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from programs import BIN, REPO, ladder_and_name, rung_folders

ODD = "a b \u00fc"


def cmake(*arguments):
    """Run CMake; raise with its output if it fails."""
    done = subprocess.run(
        [os.environ["RUNGS_CMAKE"], *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)


def files_of(folder):
    """Return every file below a folder with the time of its last change."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


class Alone(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name, ODD)
        self.folder.mkdir()

    def configure(self, source, build, toolkit=os.environ["RUNGS_CUDA_ROOT"]):
        generator = os.environ["RUNGS_GENERATOR"]
        cmake("-S", source, "-B", build, "-G", generator, f"-DRUNGS_CUDA_ROOT={toolkit}")

    def test_every_folder_configures(self):
        for folder in rung_folders():
            ladder, name = ladder_and_name(folder)
            build = self.folder / ladder / name
            with self.subTest(f"{ladder}/{name}"):
                self.configure(folder, build)
                commands = json.loads((build / "compile_commands.json").read_text("utf-8"))
                files = [Path(command["file"]) for command in commands]
                kernels = [file for file in files if file.suffix == ".cu"]
                self.assertEqual(kernels, [folder / f"{name}.cu"])

    def test_a_kernel_builds_where_no_name_is_plain_and_nothing_is_written_beside_it(self):
        source = self.folder / "source"
        for name in ("common", "lessons"):
            shutil.copytree(
                REPO / name, source / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        shutil.copy(REPO / "CMakeLists.txt", source)
        toolkit = self.folder / "toolkit"
        toolkit.symlink_to(os.environ["RUNGS_CUDA_ROOT"])
        before = files_of(source)
        build = self.folder / "build"
        self.configure(source / "lessons/matmul/3-transposed-a", build, toolkit)
        cmake("--build", build, "--target", "matmul-transposed-a-machine-code")
        self.assertEqual(files_of(source), before)
        counts = "machine-code/matmul/transposed-a.json"
        here, there = (
            json.loads((folder / counts).read_text("utf-8")) for folder in (BIN, build / "bin")
        )
        self.assertEqual(here, there)

    def test_a_build_can_be_carried_elsewhere(self):
        carried = self.folder / "bin"
        for name in ("lib", "cpu-device", "machine-code"):
            shutil.copytree(BIN / name, carried / name)
        program = Path(shutil.copy(BIN / "matmul-transposed-a", carried))
        linked = subprocess.run(["ldd", program], capture_output=True, text=True, check=True)
        loaded = next(line for line in linked.stdout.splitlines() if "libcudart" in line)
        self.assertIn(f"=> {carried}/", loaded)
        done = subprocess.run(
            [program, "--device", "cpu", "--shape", "128,64,128"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("SASS 0.125", done.stdout)


if __name__ == "__main__":
    unittest.main()
