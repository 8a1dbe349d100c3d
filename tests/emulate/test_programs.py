"""What programs on the CPU device print, return and leave behind."""

import argparse
import ctypes.util
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BIN = Path()
CUDART = Path()
PREFIX = "rungs cpu device: "


def run(name, *arguments, threads=None, **environment):
    """Runs a program of this folder on the CPU device."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith("RUNGS_")}
    variables["LD_LIBRARY_PATH"] = str(BIN / "cpu-device")
    if threads:
        variables["RUNGS_CPU_DEVICE_THREADS"] = str(threads)
    variables.update(environment)
    return subprocess.run(
        [BIN / "tests/emulate" / name, *arguments],
        env=variables,
        capture_output=True,
        encoding="utf-8",
        errors="backslashreplace",
        timeout=120,
    )


def sentences(result):
    """The lines that the CPU device wrote to stderr."""
    return [
        line.removeprefix(PREFIX) for line in result.stderr.splitlines() if line.startswith(PREFIX)
    ]


class Faults(unittest.TestCase):
    def check(self, fault, *words):
        first = run("faults", fault, threads=1)
        self.assertEqual(first.returncode, 0, first.stdout + first.stderr)
        self.assertEqual(len(sentences(first)), 1, first.stderr)
        for word in words:
            self.assertIn(word, sentences(first)[0])
        for threads in 2, 7:
            again = run("faults", fault, threads=threads)
            self.assertEqual(again.returncode, 0, again.stdout)
            self.assertEqual(again.stderr, first.stderr)

    def test_out_of_bounds(self):
        self.check("out-of-bounds", "out of bounds", "out_of_bounds", "faults.cu:12")

    def test_misaligned(self):
        self.check("misaligned", "misaligned", "faults.cu:17")

    def test_assertion(self):
        result = run("faults", "assertion")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("i != n - 1", result.stdout + result.stderr)
        self.check("assertion", "assertion", "faults.cu:22")

    def test_trap(self):
        self.check("trap", "trap", "faults.cu:28")

    def test_use_after_free(self):
        self.check("use-after-free", "free", "faults.cu:34", "cudaMalloc of 4096 bytes")

    def test_wrong_use(self):
        self.assertEqual(run("faults", "nonsense").returncode, 2)


class HostAccess(unittest.TestCase):
    def check(self, where, *words):
        result = run("host_access", where)
        self.assertEqual(result.returncode, 1, result)
        self.assertEqual(result.stdout, "allocated\n")
        self.assertEqual(len(sentences(result)), 1)
        for word in ("host access to device memory at 0x", *words):
            self.assertIn(word, sentences(result)[0])

    def test_inside(self):
        self.check("inside", "28 bytes into cudaMalloc of 400 bytes")

    def test_past_the_end(self):
        self.check("past-the-end", "16 bytes past the end of cudaMalloc of 400 bytes")

    def test_freed(self):
        self.check("freed", "cudaMalloc of 400 bytes, which was freed")

    def test_other_faults_go_to_the_programs_own_handler(self):
        result = run("host_access", "own")
        self.assertEqual(result.returncode, 42, result)
        self.assertIn("the program's own handler", result.stdout)


class DeviceReport(unittest.TestCase):
    """The CPU device describes itself as an H200 does (device_report.h200.txt, CUDA 13.0)."""

    # Of these features the CPU device says that it has none.
    ABSENT = {
        *(95, 96, 120),  # cooperative launches, clusters
        *(119, 125, 142, 144),  # sharing between processes, pools of host memory
        *(112, 114, 121),  # arrays, semaphores of other interfaces
        *(116, 117, 118),  # direct access by other devices
        *(102, 103, 107, 110, 122, 123, 124, 127, 128, 141, 145),  # the driver's own interface
    }

    def test_as_the_h200(self):
        recorded = (Path(__file__).parent / "device_report.h200.txt").read_text().splitlines()
        result = run("device_report")
        self.assertEqual(result.returncode, 0, result)
        lines = result.stdout.splitlines()
        expected = []
        for line in recorded:
            word, number, *value = line.split()
            if word == "attribute" and int(number) in self.ABSENT:
                self.assertNotEqual(value, ["=", "0"], f"{line}: absent on an H200 too")
                line = f"attribute {number} = 0"
            expected.append(line.replace("NVIDIA H200", "NVIDIA H200 (CPU device)"))
        self.assertEqual(lines[-2], "bus 0000:00:06.0")
        self.assertEqual(lines[-1], "all as expected")
        self.assertEqual([line for line in lines[:-2] if "refused" not in line], expected)

    def test_unknown_ones_are_refused(self):
        refused = [line for line in run("device_report").stdout.splitlines() if "refused" in line]
        unknown = [f"attribute {n} refused: cudaErrorInvalidValue" for n in range(148, 160)]
        self.assertEqual(refused, [*unknown, "limit 3 refused: cudaErrorUnsupportedLimit"])


class Printing(unittest.TestCase):
    def test_formats_and_order(self):
        expected = (
            "before\n"
            f"-5 7 ff  3.14 1.234568e+04 z text % {-(1 << 40)} {1 << 63}\n"
            "nothing to fill in\n"
            "between\n"
            + "".join(
                f"block {block} thread {thread}\n"
                for block in range(40)
                for thread in range(0, 64, 16)
            )
            + "after\n"
        )
        for threads in 1, 2, 5:
            result = run("printing", threads=threads)
            self.assertEqual(result.returncode, 0, result)
            self.assertEqual(result.stdout, expected)


class FatBinaries(unittest.TestCase):
    def check_compressed(self, name, library):
        result = run(name)
        if ctypes.util.find_library(library):
            self.assertEqual(result.returncode, 0, result)
        else:
            self.assertIn("--no-compress", result.stderr)

    def test_zstd(self):
        self.check_compressed("vector_add_zstd", "zstd")

    def test_lz4(self):
        self.check_compressed("vector_add_lz4", "lz4")

    def test_older_ptx(self):
        self.assertEqual(run("vector_add_old_ptx").returncode, 0)

    def test_machine_code_only(self):
        result = run("vector_add_cubin")
        self.assertEqual(result.returncode, 1)
        self.assertIn("machine code for sm_90 but no PTX", sentences(result)[0])
        self.assertIn("code=[compute_90,sm_90]", sentences(result)[0])
        self.assertIn("cudaErrorNoKernelImageForDevice", result.stdout)

    def test_newer_ptx(self):
        result = run("vector_add_new_ptx")
        self.assertEqual(result.returncode, 1)
        self.assertIn("PTX is for compute_100", sentences(result)[0])


class DamagedPrograms(unittest.TestCase):
    """A program with one byte of its device code changed ends by itself, whatever the byte."""

    def check(self, name, least_refused):
        good = (BIN / "tests/emulate" / name).read_bytes()
        begin = good.find(bytes.fromhex("50ed55ba01001000"))
        size = 16 + int.from_bytes(good[begin + 8 : begin + 16], "little")
        choose = random.Random(1)
        places = [*range(160), *(choose.randrange(160, size) for _ in range(60))]
        refused = 0
        with tempfile.TemporaryDirectory() as folder:
            for number, place in enumerate(places):
                damaged = bytearray(good)
                damaged[begin + place] ^= (0x01, 0x20, 0x80, 0xFF)[place % 4]
                file = Path(folder) / f"{name}-{number}"
                file.write_bytes(damaged)
                file.chmod(0o755)
                result = run(file, RUNGS_CPU_DEVICE_BUDGET="1000000")
                file.unlink()
                self.assertIn(result.returncode, (0, 1), f"byte {place}: {result}")
                in_headers = place < 160
                refused += in_headers and result.returncode == 1 and len(sentences(result)) > 0
        self.assertGreater(refused, least_refused)

    def test_plain(self):
        self.check("managed", 30)

    def test_compressed(self):
        self.check("vector_add_zstd", 40)


class Exports(unittest.TestCase):
    def test_every_function_is_there(self):
        result = run("every_export")
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_refusals_name_the_function_once(self):
        for name in "cudaMallocArray", "cudaIpcGetMemHandle", "cudaGraphicsGLRegisterBuffer":
            result = run("every_export", name)
            self.assertEqual(result.stdout, "801 801\n", result)
            self.assertEqual(sentences(result), [f"not supported by the CPU device: {name}"])

    def test_variants_for_per_thread_streams(self):
        result = run("every_export", "cudaMemcpyToArray_ptds")
        self.assertEqual(result.stdout, "801 801\n", result)
        result = run("every_export", "cudaProfilerStart")
        self.assertEqual(result.stdout, "0 0\n", result)

    def test_the_list_has_all_of_the_toolkits_library(self):
        symbols = subprocess.run(
            ["nm", "-D", "--defined-only", CUDART], capture_output=True, text=True, check=True
        ).stdout.split()
        exported = {s.split("@")[0] for s in symbols if "@@libcudart" in s}
        ours = subprocess.run(
            ["nm", "-D", "--defined-only", BIN / "cpu-device/libcudart.so.13"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        here = {s.split("@")[0] for s in ours if "@@libcudart" in s}
        self.assertGreater(len(exported), 400)
        self.assertEqual(exported - here, set())

    def test_error_names_are_the_toolkits(self):
        # The toolkit's library answers these without a driver; both are loaded by their paths.
        program = (
            "import ctypes, sys\n"
            "l = ctypes.CDLL(sys.argv[1])\n"
            "l.cudaGetErrorName.restype = l.cudaGetErrorString.restype = ctypes.c_char_p\n"
            "for e in range(1100): print(e, l.cudaGetErrorName(e), l.cudaGetErrorString(e))\n"
        )
        texts = [
            subprocess.run(
                [sys.executable, "-c", program, library],
                capture_output=True,
                text=True,
                check=True,
            ).stdout.splitlines()
            for library in (CUDART, BIN / "cpu-device/libcudart.so.13")
        ]
        for real, ours in zip(*texts, strict=True):
            if "unrecognized" not in real:
                self.assertEqual(ours, real)


class Settings(unittest.TestCase):
    def test_bad_values(self):
        for variable, value in (
            ("THREADS", "0"),
            ("THREADS", "-3"),
            ("THREADS", "12abc"),
            ("THREADS", "99999999999"),
            ("THREADS", ""),
            ("CHECKS", "everything"),
            ("CHECKS", ""),
            ("BUDGET", "1e9"),
        ):
            result = run("managed", **{f"RUNGS_CPU_DEVICE_{variable}": value})
            self.assertEqual(result.returncode, 2, (variable, value))
            self.assertEqual(len(sentences(result)), 1)
            self.assertIn(f"'{value}'", sentences(result)[0])

    def test_good_values(self):
        for variable, value in (
            ("THREADS", "3"),
            ("CHECKS", "race,uninitialised"),
            ("CHECKS", "none"),
            ("BUDGET", "1000000"),
        ):
            result = run("managed", **{f"RUNGS_CPU_DEVICE_{variable}": value})
            self.assertEqual(result.returncode, 0, result)

    def test_budget_ends_a_long_kernel(self):
        result = run("managed", RUNGS_CPU_DEVICE_BUDGET="3")
        self.assertEqual(result.returncode, 1)
        self.assertIn("budget", sentences(result)[0])
        self.assertIn("cudaErrorLaunchTimeout", result.stdout)


class Reports(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = Path(self.folder.name) / "counts.json"

    def report(self, name, threads):
        result = run(name, threads=threads, RUNGS_CPU_DEVICE_REPORT=str(self.file))
        self.assertEqual(result.returncode, 0, result)
        self.assertEqual(list(Path(self.folder.name).iterdir()), [self.file])
        return json.loads(self.file.read_text())

    def test_counts(self):
        document = self.report("shared_memory", 2)
        self.assertEqual(document["schema"], "rungs-cpu-counts/1")
        names = {kernel["name"] for kernel in document["kernels"]}
        self.assertEqual(names, {"reverse(int*, int)", "with_static(int*)"})
        large = [k for k in document["kernels"] if k["dynamic_shared_bytes"] == 227 * 1024]
        self.assertEqual(len(large), 1)
        kernel = large[0]
        self.assertEqual(kernel["mangled"], "_Z7reversePii")
        self.assertEqual((kernel["grid"], kernel["block"]), ([1, 1, 1], [256, 1, 1]))
        self.assertEqual((kernel["launches"], kernel["blocks"]), (1, 1))
        n = 227 * 1024 // 4
        for space in "shared", "global":
            for direction in "load", "store":
                counts = kernel[space][direction]
                self.assertEqual(counts["thread_instructions"], n)
                self.assertEqual(counts["instructions"], n // 32)
                self.assertEqual(counts["by_width"], {"4": n // 32})
                self.assertEqual(counts["bytes"], 4 * n)
        self.assertEqual(kernel["shared"]["load"]["wavefronts"], n // 32)
        self.assertEqual(kernel["shared"]["load"]["bank_conflicts"], 0)
        self.assertEqual(kernel["global"]["load"]["sectors_per_request"], 4)
        self.assertEqual(kernel["barriers"], 8)
        classes = kernel["warp_instructions"]["by_class"]
        self.assertEqual(sum(classes.values()), kernel["warp_instructions"]["total"])
        lines = kernel["lines"]
        self.assertEqual(
            sum(line["warp_instructions"] for line in lines),
            kernel["warp_instructions"]["total"],
        )
        self.assertEqual({line["file"] for line in lines}, {"shared_memory.cu"})

    def test_a_fault_is_reported_once_with_its_sentence(self):
        self.assertEqual(self.report("vector_add", 1)["faults"], [])
        result = run("faults", "out-of-bounds", RUNGS_CPU_DEVICE_REPORT=str(self.file))
        document = json.loads(self.file.read_text())
        expected = [{"kind": "fault", "sentence": sentences(result)[0]}]
        self.assertEqual(document["faults"], expected)

    def test_a_device_that_refuses_leaves_an_empty_report(self):
        variables = {"RUNGS_CPU_DEVICE_REPORT": str(self.file), "RUNGS_CPU_DEVICE_CHECKS": "foo"}
        self.assertEqual(run("vector_add", **variables).returncode, 2)
        self.assertEqual(self.file.read_bytes(), b"")

    def test_threads_do_not_change_them(self):
        self.assertEqual(self.report("vector_add", 1), self.report("vector_add", 5))

    def test_file_that_cannot_be_written(self):
        result = run("managed", RUNGS_CPU_DEVICE_REPORT="/nonexistent/counts.json")
        self.assertEqual(result.returncode, 0)
        self.assertIn("cannot create the report /nonexistent/counts.json", sentences(result)[0])


class Memory(unittest.TestCase):
    def test_a_small_address_space_is_enough(self):
        limited = ["bash", "-c", 'ulimit -v 8000000; exec "$0"']
        variables = dict(os.environ, LD_LIBRARY_PATH=str(BIN / "cpu-device"))
        result = subprocess.run(
            [*limited, BIN / "tests/emulate/vector_add"],
            env=variables,
            capture_output=True,
            text=True,
            timeout=120,
        )
        self.assertEqual(result.returncode, 0, result)

    def test_more_than_the_machine_has_is_refused(self):
        self.assertEqual(run("memory").returncode, 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=Path, required=True, help="the build's bin folder")
    parser.add_argument("--cudart", type=Path, required=True, help="the toolkit's runtime")
    options, rest = parser.parse_known_args()
    BIN, CUDART = options.bin.resolve(), options.cudart.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
