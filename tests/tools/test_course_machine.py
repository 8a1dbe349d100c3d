"""What a machine may lack: a compiler, the venv module, write permission; and set-up's repairs."""

import json
import os
import shutil
import sys
import unittest
from pathlib import Path
from unittest import mock

from checkout import Checkout

from course import environment, packages, toolkit
from course.errors import CourseError
from course.processes import Failed, clean_environment


class Lacking(Checkout):
    def path_with(self, *names):
        """Return a PATH that holds these programs only."""
        folder = self.folder / "only"
        folder.mkdir(exist_ok=True)
        for name in names:
            (folder / name).symlink_to(shutil.which(name))
        return str(folder)

    def test_no_compiler(self):
        for command in (["run", "demo"], ["setup"], ["counts", "demo"], ["test"]):
            self.sentence(
                77,
                r"there is no C\+\+ compiler \(c\+\+, g\+\+, clang\+\+\) on PATH; install g\+\+",
                *command,
                env={"PATH": self.folder / "none", "CXX": None},
            )
        self.assertFalse(self.places.venv.exists())

    def test_a_compiler_that_was_asked_for_and_is_not_there(self):
        self.sentence(77, r"compiler \(icpx\)", "run", "demo", env={"CXX": "icpx -O2"})

    def without_venv_module(self, path, **more):
        """Return an environment whose Python has no module ensurepip, as a plain Debian's."""
        site = self.folder / "site"
        site.mkdir()
        text = "import sys\nsys.modules['ensurepip'] = None\n"
        (site / "sitecustomize.py").write_text(text, encoding="utf-8")
        return {"PATH": path, "PYTHONPATH": str(site), **more}

    def test_no_venv_module_and_no_package_manager(self):
        env = self.without_venv_module(self.path_with("c++"))
        line = (
            "needs the package python3-venv; install it with: (sudo )?apt-get install python3-venv"
        )
        self.sentence(77, line, "run", "demo", env=env)
        self.assertFalse(self.places.venv.exists())

    @unittest.skipIf(os.geteuid() != 0, "only root may install packages")
    def test_as_root_it_asks_apt_get_and_says_what_that_said(self):
        path = self.path_with("c++", "sh")
        script = 'echo "$@" >> "$STANDIN_LOG"\necho "E: Unable to locate package"\nexit 100\n'
        self.stand_in(Path(path) / "apt-get", script)
        env = self.without_venv_module(path)
        done = self.sentence(77, "needs the package python3-venv", "run", "demo", env=env)
        self.assertIn("apt-get failed: E: Unable to locate package", done.stderr)
        ends = [line.split(" -q ")[1].split()[0] for line in self.called()]
        self.assertEqual(ends[-3:], ["install", "update", "install"])

    def test_no_toolkit_at_the_named_place(self):
        self.set_up()
        self.sentence(2, "nowhere holds no bin/nvcc", "run", "demo", "--toolkit", "nowhere")
        env = {"RUNGS_CUDA_ROOT": "/nowhere"}
        self.sentence(2, "/nowhere holds no bin/nvcc", "run", "demo", env=env)


@unittest.skipIf(os.geteuid() != 0, "only root may run a command as another user")
class ReadOnly(Checkout):
    """The source tree belongs to another user."""

    NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}

    def setUp(self):
        super().setUp()
        if not os.access("/usr/bin/python3", os.X_OK):
            self.skipTest("no /usr/bin/python3 that every user can run")
        self.log.touch()
        self.log.chmod(0o666)
        other = mock.patch.object(sys, "executable", "/usr/bin/python3")
        other.start()
        self.addCleanup(other.stop)

    def test_one_sentence_or_a_folder_elsewhere(self):
        words = "cannot build in .*Kürs/build: Permission denied; name another folder with --build"
        self.sentence(2, words, "run", "demo", **self.NOBODY)

    def test_list_and_diff_need_no_folder(self):
        self.save_counts()
        self.assertIn("second", self.course("list", check=0, **self.NOBODY).stdout)
        self.course("diff", "first", "second", check=0, **self.NOBODY)

    def test_with_build_everything_is_in_that_folder(self):
        build = self.folder / "büild dir"
        build.mkdir()
        build.chmod(0o777)
        done = self.course("setup", "--build", str(build), **self.NOBODY, env={"PIP_NO_INDEX": "1"})
        # pip has no index here: what counts is where the environment was begun.
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("course: pip failed: ERROR", done.stderr)
        self.assertTrue((build / "venv/bin/python").exists())
        self.assertEqual([p.name for p in self.root.iterdir() if p.name.startswith(".")], [])


class Environment(Checkout):
    """The state of .venv: made, half-made, older, moved. pip and venv are stand-ins."""

    def setUp(self):
        super().setUp()
        self.steps = []
        self.fail = None
        for target, stand_in in (
            ("course.environment.watched", self.step),
            ("course.packages.ensure", lambda *_: None),
            ("course.environment.say", lambda _: None),
        ):
            patch = mock.patch(target, stand_in)
            patch.start()
            self.addCleanup(patch.stop)

    def step(self, command, name, log, verbose, env):
        """Do what a step leaves behind; fail in the step that self.fail names."""
        self.steps.append(name if name == "venv" else Path(command[-1]).name)
        if name == "venv":
            (self.places.venv / "bin").mkdir(parents=True)
            (self.places.venv / "bin/python").touch()
        if self.fail == name:
            raise Failed(1, "Collecting x\nERROR: no network\n", log)
        if name == "pip":
            lib = self.places.venv / "lib/python3.11/site-packages/nvidia/cu13/lib"
            lib.mkdir(parents=True, exist_ok=True)
            (lib / "libcudart.so.13").touch()
            (lib.parent / "bin").mkdir(exist_ok=True)
            (lib.parent / "bin/nvcc").touch()
            for program in ("cmake", "ninja", "sphinx-build", "ruff", "clang-format"):
                (self.places.venv / "bin" / program).touch()

    def ensure(self, *lists):
        self.steps.clear()
        environment.ensure(self.places, list(lists or [environment.COMPILER]))
        return self.steps

    def test_it_is_made_once(self):
        self.assertEqual(self.ensure(), ["venv", "requirements.txt"])
        self.assertEqual(self.ensure(), [])

    def test_the_sites_list_comes_when_it_is_needed(self):
        self.ensure()
        both = [environment.COMPILER, environment.SITE]
        self.assertEqual(self.ensure(*both), ["requirements-site.txt"])
        self.assertEqual(self.ensure(*both), [])

    def test_the_links_that_the_wheels_leave_out_are_made_and_mended(self):
        self.ensure()
        root = toolkit.pinned_root(self.places)
        self.assertTrue((root / "lib64/libcudart.so").exists())
        (root / "lib/libcudart.so").unlink()
        (root / "lib/libcudart.so").symlink_to("gone")
        self.assertEqual(self.ensure(), [])
        self.assertTrue((root / "lib64/libcudart.so").exists())

    def test_an_interrupted_installation_is_repeated(self):
        self.fail = "pip"
        with self.assertRaisesRegex(CourseError, "pip failed: ERROR: no network; see .*pip.log"):
            self.ensure()
        self.fail = None
        self.assertEqual(self.ensure(), ["requirements.txt"])

    def test_a_half_made_environment_is_made_anew(self):
        self.fail = "venv"
        with self.assertRaisesRegex(CourseError, "venv failed"):
            self.ensure()
        self.assertTrue(self.places.venv.exists())
        self.fail = None
        self.assertEqual(self.ensure(), ["venv", "requirements.txt"])

    def test_a_changed_list_is_installed(self):
        self.ensure()
        with (self.root / "requirements.txt").open("a", encoding="utf-8") as file:
            file.write("# changed\n")
        self.assertEqual(self.ensure(), ["requirements.txt"])
        self.assertEqual(self.ensure(), [])

    def test_what_was_removed_by_hand_is_installed_again(self):
        self.ensure()
        (self.places.venv / "bin/ninja").unlink()
        self.assertEqual(self.ensure(), ["requirements.txt"])
        (self.places.venv / "bin/python").unlink()
        self.assertEqual(self.ensure(), ["venv", "requirements.txt"])

    def test_a_moved_folder_and_another_python_make_it_anew(self):
        self.ensure()
        stamp = self.places.venv / "rungs-venv.json"
        for key, value in (("folder", "/elsewhere/.venv"), ("python", "3.9")):
            text = json.dumps({**json.loads(stamp.read_text("utf-8")), key: value})
            stamp.write_text(text, encoding="utf-8")
            self.assertEqual(self.ensure(), ["venv", "requirements.txt"])
        stamp.write_text("{", encoding="utf-8")
        self.assertEqual(self.ensure(), ["venv", "requirements.txt"])

    def test_two_at_once_make_one(self):
        import threading

        threads = [threading.Thread(target=self.ensure_only) for _ in range(2)]
        with mock.patch("course.places.say", lambda _: None):
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(self.steps, ["venv", "requirements.txt"])

    def ensure_only(self):
        environment.ensure(self.places, [environment.COMPILER])


class Surroundings(unittest.TestCase):
    def test_what_would_change_the_pinned_build_is_dropped(self):
        foreign = {"LIBRARY_PATH": "/x", "CUDA_HOME": "/x", "CPATH": "/x", "CXXFLAGS": "-O0"}
        with mock.patch.dict(os.environ, {**foreign, "KEPT": "1"}):
            found = clean_environment(Path("/first"), LC_ALL="C")
        self.assertEqual([name for name in foreign if name in found], [])
        self.assertEqual((found["KEPT"], found["LC_ALL"]), ("1", "C"))
        self.assertTrue(found["PATH"].startswith("/first:"))

    def test_the_gpus_of_this_machine(self):
        with mock.patch("course.toolkit.shutil.which", lambda _: "smi"):
            for said, expected in (
                ("8.9\n8.9\n", ["89"]),
                ("9.0\n12.0\n", ["120", "90"]),
                ("7.0\n", []),
                ("NVIDIA-SMI has failed\n", []),
            ):
                done = mock.Mock(stdout=said)
                with mock.patch("course.toolkit.subprocess.run", return_value=done):
                    self.assertEqual(toolkit.own_architectures(), expected)
        with mock.patch("course.toolkit.shutil.which", lambda _: None):
            self.assertEqual(toolkit.own_architectures(), [])

    def test_a_package_is_looked_for_by_what_it_brings(self):
        every = (packages.VENV, packages.CLI11, packages.GTEST, packages.CHROMIUM, packages.FONTS)
        for package in every:
            self.assertIn(package.is_missing(), (True, False))


if __name__ == "__main__":
    unittest.main()
