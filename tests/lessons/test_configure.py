"""What CMake refuses before it builds anything, each in one sentence."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from programs import REPO

TOOLKIT = Path(os.environ["RUNGS_CUDA_ROOT"])


def configure(source, build, *options, env=None):
    """Run CMake; return its exit code and its output on one line."""
    done = subprocess.run(
        [os.environ["RUNGS_CMAKE"], "-S", source, "-B", build, *options]
        + ["-G", os.environ["RUNGS_GENERATOR"]],
        capture_output=True,
        text=True,
        check=False,
        env=env,
    )
    return done.returncode, " ".join((done.stdout + done.stderr).split())


class Toolchain(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def refused(self, *options, env=None, root=TOOLKIT):
        code, said = configure(
            REPO, self.folder / "build", f"-DRUNGS_CUDA_ROOT={root}", *options, env=env
        )
        self.assertNotEqual(code, 0)
        self.assertEqual(said.count("CMake Error"), 1, said)
        self.assertNotIn("The CUDA compiler identification", said)  # refused before the languages
        return said

    def toolkit(self, path, text):
        """Return a toolkit like the real one, but for one file: its text, None to leave it out."""
        root = self.folder / "toolkit"
        for name in ("bin", "include", "lib"):
            (root / name).mkdir(parents=True)
            for file in (TOOLKIT / name).iterdir():
                (root / name / file.name).symlink_to(file.resolve())
        (root / "lib64").symlink_to("lib")
        (root / path).unlink()
        if text is not None:
            (root / path).write_text(text, encoding="utf-8")
            (root / path).chmod(0o755)
        return root

    def test_no_toolkit_there(self):
        said = self.refused(root=self.folder)
        self.assertIn(f"RUNGS_CUDA_ROOT is {self.folder}, which has no bin/nvcc", said)

    def test_no_toolkit_anywhere(self):
        # A checkout without .venv, and a PATH with everything but nvcc.
        checkout = self.folder / "checkout"
        for name in ("common/cmake", "common/evidence"):
            shutil.copytree(REPO / name, checkout / name)
        shutil.copy(REPO / "CMakeLists.txt", checkout)
        tools = self.folder / "tools"
        tools.mkdir()
        for name in ("python3", "c++", "ninja", "make"):
            if found := shutil.which(name):
                (tools / name).symlink_to(found)
        code, said = configure(checkout, self.folder / "build", env={"PATH": str(tools)})
        self.assertNotEqual(code, 0)
        self.assertIn("No CUDA compiler: there is neither .venv nor an nvcc on PATH;", said)

    def test_no_cxx_compiler(self):
        said = self.refused("-DCMAKE_CXX_COMPILER=no-such-compiler")
        self.assertIn("No C++ compiler: found none of no-such-compiler; install g++ 12", said)

    def test_missing_links(self):
        said = self.refused(root=self.toolkit("lib/libcudart.so", None))
        self.assertIn("has no lib64/libcudart.so, which nvcc links with; ./course setup", said)

    def test_nvcc_of_another_version_than_the_headers(self):
        nvcc = '#!/bin/sh\necho "release 13.5, V13.5.37"\n'
        said = self.refused(root=self.toolkit("bin/nvcc", nvcc))
        self.assertIn("is mixed: nvcc is 13.5, the headers are 13.0, libcudart is 13.0;", said)

    def test_headers_of_another_version_than_nvcc(self):
        header = "#define CUDART_VERSION  12080\n"
        said = self.refused(root=self.toolkit("include/cuda_runtime_api.h", header))
        self.assertIn("is mixed: nvcc is 13.0, the headers are 12.8, libcudart is 13.0;", said)

    def test_a_library_that_is_none(self):
        said = self.refused(root=self.toolkit("lib/libcudart.so", "no library"))
        self.assertIn("libcudart is unknown;", said)

    def test_an_nvcc_that_does_not_run(self):
        said = self.refused(root=self.toolkit("bin/nvcc", "#!/bin/sh\nexit 1\n"))
        self.assertIn("/bin/nvcc does not run", said)

    def test_no_architecture(self):
        self.assertIn("RUNGS_ARCHITECTURES is empty;", self.refused("-DRUNGS_ARCHITECTURES="))

    def test_an_architecture_that_the_toolkit_dropped(self):
        said = self.refused("-DRUNGS_ARCHITECTURES=90;70")
        self.assertIn("has no architecture 70 (RUNGS_ARCHITECTURES); it has 75,", said)

    def test_an_architecture_that_is_no_number(self):
        self.assertIn("has no architecture hopper", self.refused("-DRUNGS_ARCHITECTURES=hopper"))

    def test_native_without_a_gpu(self):
        query = "#!/bin/sh\nexit 1\n"
        said = self.refused(
            "-DRUNGS_ARCHITECTURES=native", root=self.toolkit("bin/__nvcc_device_query", query)
        )
        self.assertIn("RUNGS_ARCHITECTURES is native, but there is no GPU here to ask;", said)

    def test_a_build_in_the_source_folder(self):
        lesson = self.folder / "lessons" / "matmul" / "0-baseline"
        lesson.mkdir(parents=True)
        text = (REPO / "lessons/matmul/0-baseline/CMakeLists.txt").read_text(encoding="utf-8")
        ours = f'"{REPO}/common/cmake/Rungs.cmake"'  # quoted: the path may hold spaces
        text = text.replace("../../../common/cmake/Rungs.cmake", ours)
        (lesson / "CMakeLists.txt").write_text(text, encoding="utf-8")
        code, said = configure(lesson, lesson)
        self.assertNotEqual(code, 0)
        self.assertIn("The build folder is the source folder; choose another", said)


if __name__ == "__main__":
    unittest.main()
