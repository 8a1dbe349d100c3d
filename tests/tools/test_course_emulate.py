"""emulate: which programs it takes, what it tells them, and what it prints of them."""

import json
import shutil
import subprocess
import unittest

import documents
from checkout import Checkout

from course import elf

# A program that a shell runs: it leaves the report that the CPU device would.
_PROGRAM = """\
echo "out: $LD_LIBRARY_PATH|$RUNGS_CPU_DEVICE_CHECKS|$RUNGS_CPU_DEVICE_THREADS|$*"
[ -z "$STANDIN_REPORT" ] || printf '%s' "$STANDIN_REPORT" > "$RUNGS_CPU_DEVICE_REPORT"
exit ${STANDIN_CODE:-0}
"""


class Emulate(Checkout):
    def setUp(self):
        super().setUp()
        self.set_up()
        self.device = self.places.bin / "cpu-device"
        self.device.mkdir(parents=True)
        (self.device / "libcudart.so.13").touch()
        self.program = self.folder / "a program"
        self.stand_in(self.program, _PROGRAM)
        kernel = documents.ptx_kernel(4)
        self.report = {"schema": "rungs-cpu-counts/1", "kernels": [kernel]}
        self.report_text = json.dumps(self.report)

    def emulate(self, *arguments, code=0, **env):
        env = {"STANDIN_REPORT": self.report_text, "LD_LIBRARY_PATH": None, **env}
        return self.course("emulate", *arguments, check=code, env=env)

    def test_the_program_gets_its_arguments_and_our_runtime_first(self):
        done = self.emulate("--threads=2", str(self.program), "--threads", "7", "--help", "x y")
        expected = f"out: {self.device}|all|2|--threads 7 --help x y"
        self.assertEqual(done.stdout.splitlines()[0], expected)
        done = self.emulate("--checks=none", str(self.program), LD_LIBRARY_PATH="/old")
        self.assertEqual(done.stdout.splitlines()[0], f"out: {self.device}:/old|none||")

    def test_counts_are_printed_kernel_by_kernel(self):
        lines = self.emulate(str(self.program)).stdout.splitlines()
        self.assertIn("demo::kernel(float*)", lines)
        self.assertIn(
            "  1 launch of 1 x 1 x 1 blocks of 64 x 1 x 1 threads, 32 of 32 lanes active", lines
        )
        self.assertIn("  multiply-adds                        512", lines)
        row = next(line.split() for line in lines if line.startswith("shared load"))
        self.assertEqual(row, ["shared", "load", "8", "4:", "8", "1024", "12", "4"])
        self.assertLessEqual(max(map(len, lines[1:])), 80)
        self.assertNotIn("first.cu:10", "\n".join(lines))

    def test_lines_are_printed_on_request(self):
        lines = self.emulate("--lines", str(self.program)).stdout.splitlines()
        row = next(line.split() for line in lines if line.startswith("first.cu:10"))
        self.assertEqual(row, ["first.cu:10", "24", "512", "12", "-", "-", "-"])

    def test_lines_of_a_program_without_line_information(self):
        for line in self.report["kernels"][0]["lines"]:
            line.update(file="", line=0)
        self.report_text = json.dumps(self.report)
        done = self.emulate("--lines", str(self.program))
        self.assertTrue(done.stdout.endswith("\n\nno line information: build with -lineinfo\n"))
        self.assertNotIn(":0", done.stdout)

    def test_a_long_kernel_name_stays_within_the_width(self):
        self.report["kernels"][0]["name"] = "void name<" + "int, " * 40 + "int>(float*)"
        self.report_text = json.dumps(self.report)
        lines = self.emulate(str(self.program)).stdout.splitlines()
        self.assertLessEqual(max(map(len, lines[1:])), 80)

    def test_the_report_is_written_as_it_came(self):
        out = self.folder / "out.json"
        self.emulate("--json", str(out), str(self.program))
        self.assertEqual(out.read_text(encoding="utf-8"), self.report_text)

    def test_the_programs_exit_code_is_passed_on(self):
        self.assertIn(
            "demo::kernel", self.emulate(str(self.program), code=3, STANDIN_CODE="3").stdout
        )

    def with_fault(self, kind):
        fault = {"kind": kind, "sentence": "out of bounds at x.cu:3"}
        self.report_text = json.dumps({**self.report, "faults": [fault]})

    def test_a_fault_that_the_program_passes_over(self):
        for kind, code, words in (
            ("fault", 1, "exit code 0, but a kernel of it faulted: out of bounds at x.cu:3$"),
            ("unsupported", 77, "exit code 0, but not all of it can run on the CPU device: out"),
        ):
            self.with_fault(kind)
            done = self.sentence(code, words, "emulate", str(self.program),
                                 env={"STANDIN_REPORT": self.report_text})  # fmt: skip
            self.assertIn("demo::kernel", done.stdout)

    def test_a_fault_that_the_program_tells_itself(self):
        self.with_fault("fault")
        done = self.emulate(str(self.program), code=3, STANDIN_CODE="3")
        self.assertNotIn("course:", done.stderr)

    def test_a_device_that_refused_has_said_why(self):
        self.stand_in(self.program, ': > "$RUNGS_CPU_DEVICE_REPORT"; exit 77\n')
        self.assertNotIn("course:", self.emulate(str(self.program), code=77).stderr)

    def test_a_program_of_the_current_folder(self):
        self.assertIn("out: ", self.emulate("./a program").stdout)
        self.sentence(2, "it is not on the PATH; ./a program is here$", "emulate", "a program")
        self.sentence(2, "cannot run lib: it is a folder", "emulate", "lib",
                      cwd=self.places.venv)  # fmt: skip
        path = f"{self.folder}:/usr/bin:/bin"
        self.assertIn("out: ", self.emulate("a program", PATH=path).stdout)

    def test_wrong_values_are_refused_before_the_build(self):
        for arguments, words in (
            (["--checks", "foo"], "--checks 'foo' is neither all nor none nor a list of race"),
            (["--checks", "race,"], "--checks 'race,' is neither"),
            (["--checks", ""], "--checks '' is neither"),
            (["--threads", "0"], "--threads '0' is not a number from 1 to 1024"),
            (["--threads", "1025"], "--threads '1025' is not"),
            (["--budget", "-1"], "--budget '-1' is no positive number"),
            (["--budget", "0"], "--budget '0' is no positive number"),
        ):
            with self.subTest(arguments=arguments):
                self.sentence(2, words, "emulate", *arguments, str(self.program))
        self.assertEqual(self.called(), [])
        self.emulate("--checks", "race,uninitialised", "--budget", "9", str(self.program))

    def test_a_program_that_ends_by_a_signal(self):
        self.stand_in(self.program, "kill -SEGV $$\n")
        self.sentence(139, "a program was ended by the signal 11 and left no counts", "emulate",
                      str(self.program))  # fmt: skip

    def test_a_program_that_never_meets_the_runtime(self):
        self.sentence(1, "it did not use the CPU device's libcudart.so.13", "emulate",
                      str(self.program), env={"STANDIN_REPORT": ""})  # fmt: skip

    def test_a_program_that_fails_before_it_leaves_counts(self):
        env = {"STANDIN_REPORT": "", "STANDIN_CODE": "5"}
        words = "a program ended with exit code 5 and left no counts$"
        self.sentence(5, words, "emulate", str(self.program), env=env)

    def test_a_carried_build_without_the_device(self):
        shutil.rmtree(self.device)
        self.sentence(
            77, "libcudart.so.13 is not there", "emulate", "--no-build", str(self.program)
        )

    def test_no_kernel_at_all(self):
        self.report_text = '{"schema": "rungs-cpu-counts/1", "kernels": []}'
        self.assertIn("No kernel ran to its end.", self.emulate(str(self.program)).stdout)


class Linked(Checkout):
    """Real programs, linked in the ways that matter."""

    def link(self, *options, source="int main() {}"):
        program = self.folder / "program"
        command = ["c++", "-x", "c++", "-", "-x", "none", "-o", program, *options]
        subprocess.run(command, input=source, text=True, check=True)
        return program

    def library(self, name):
        path = self.folder / name
        command = ["c++", "-x", "c++", "-", "-shared", f"-Wl,-soname,{name}", "-o", path]
        subprocess.run(command, input="int f() { return 0; }", text=True, check=True)
        return str(path)

    KERNELS = '__attribute__((section(".nv_fatbin"))) char fat[] = "x"; int main() {}'

    def refuse(self, program, words):
        self.sentence(2, words, "emulate", "--no-build", str(program))

    def test_the_shared_runtime_is_taken(self):
        program = self.link("-Wl,--no-as-needed", self.library("libcudart.so.13"))
        found = elf.read(program)
        self.assertIn("libcudart.so.13", found.needed)
        self.assertEqual(found.rpath, "")
        self.sentence(77, "libcudart.so.13 is not there", "emulate", "--no-build", str(program))

    def test_the_static_runtime_is_refused(self):
        self.refuse(self.link(source=self.KERNELS), "linked into it.* nvcc -cudart shared")

    def test_another_major_version_is_refused(self):
        program = self.link("-Wl,--no-as-needed", self.library("libcudart.so.12"))
        self.refuse(program, "needs libcudart.so.12, the CPU device is libcudart.so.13")

    def test_an_rpath_is_refused_and_a_runpath_is_not(self):
        library = self.library("libcudart.so.13")
        rpath = ["-Wl,--no-as-needed", "-Wl,-rpath,/x/y", library]
        self.refuse(self.link("-Wl,--disable-new-dtags", *rpath), "has the RPATH /x/y")
        self.assertEqual(elf.read(self.link("-Wl,--enable-new-dtags", *rpath)).rpath, "")

    def test_what_is_no_such_elf_file_is_not_judged(self):
        path = self.folder / "file"
        for data in (b"", b"#!/bin/sh\n", b"\x7fELF\x01\x01" + b"\0" * 64, b"\x7fELF\x02\x01\x01"):
            path.write_bytes(data)
            self.assertIsNone(elf.read(path))
        whole = self.link().read_bytes()
        for size in range(0, 1200, 7):
            path.write_bytes(whole[:size])
            elf.read(path)


if __name__ == "__main__":
    unittest.main()
