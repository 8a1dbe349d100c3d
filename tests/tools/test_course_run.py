"""run, counts and list on a made-up ladder: what they print, write and refuse."""

import copy
import json
import unittest

import documents
import support
from checkout import Checkout


class Run(Checkout):
    def setUp(self):
        super().setUp()
        self.set_up()
        self.build_ladder()

    def test_it_configures_builds_runs_and_prints_the_table(self):
        done = self.course("run", "demo", check=0)
        configure, build, ran = self.called()
        self.assertIn("-DRUNGS_ARCHITECTURES=90", configure)
        self.assertIn("--target demo demo-first demo-second demo-aside", build)
        self.assertIn("--json", ran)
        self.assertIn("demo, M = 64, N = 64, K = 64, on CPU device", done.stdout)
        rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line}
        self.assertEqual(rows["first"], ["ok", "0.5", "0.5", "0.5", "0.02344", "-", "-"])
        self.assertEqual(rows["second"][1:], ["0.25"] * 3 + ["0.01172", "2.00", "2.00"])
        self.assertEqual(rows["aside"][5:], ["0.67", "0.67"])
        self.assertIn("\nafter first:\naside ", done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        self.assertTrue(done.stdout.isascii())

    def test_of_an_expected_factor_a_half_goes_up_as_on_the_pages(self):
        rungs = (("first", None, 0, 9), ("second", "first", 1, 8), ("aside", "first", 1001, 6))
        self.build_ladder(documents.run(self.root, *rungs))
        done = self.course("run", "demo", check=0)
        self.assertRegex(done.stdout, r"\nsecond .* 1\.13 ")

    def test_a_second_run_does_not_configure_again(self):
        self.course("run", "demo", check=0)
        self.log.unlink()
        self.course("run", "demo", check=0)
        self.assertNotIn("-DRUNGS", "\n".join(self.called()))
        self.course("run", "demo", check=0, env={"CXX": "c++"})
        self.assertIn("-DRUNGS", "\n".join(self.called()))

    def test_no_build_calls_no_cmake(self):
        self.course("run", "demo", "--no-build", check=0)
        self.assertEqual(len(self.called()), 1)
        (self.places.bin / "demo").unlink()
        self.sentence(77, "bin/demo is not there to run", "run", "demo", "--no-build")

    def test_options_are_passed_on(self):
        self.course("run", "demo", "--shape", "1,0,3", "--device=cpu", "--threads", "2", check=0)
        self.assertIn("--shape=1,0,3 --device=cpu --threads=2 --json", self.called()[-1])

    def test_wrong_values_are_refused_before_the_build(self):
        for option, value, words in (
            (
                "--shape",
                "-5,1,1",
                "--shape '-5,1,1' is not whole numbers from 0 to 2147483647 with",
            ),
            ("--shape", "64x64", "--shape '64x64' is not"),
            ("--shape", "64,2147483648,64", "--shape '64,2147483648,64' is not"),
            ("--shape", "", "--shape '' is not"),
            ("--threads", "two", "--threads 'two' is not a number from 1 to 1024"),
        ):
            with self.subTest(value=value):
                self.sentence(2, words, "run", "demo", option, value)
        self.save_counts()
        words = "--shape '64,64' is not 3 whole numbers from 0 to 2147483647 with commas between$"
        self.sentence(2, words, "run", "demo", "--shape", "64,64")
        self.sentence(2, "--threads '0'", "counts", "demo", "--threads", "0")
        self.assertEqual(self.called(), [])

    def test_a_rung_runs_with_the_one_before_it(self):
        self.course("run", "demo/second", check=0)
        self.assertIn("--rung=first --rung=second", self.called()[-1])
        self.course("run", "demo/first", check=0)
        self.assertNotIn("second", self.called()[-1])
        for name in ("demo/1-second", "1-second", "second"):  # a folder's name, or without ladder
            self.course("run", name, check=0)
            self.assertIn("--rung=first --rung=second", self.called()[-1])

    def test_the_document_is_written_as_it_came(self):
        out = self.folder / "out.json"
        self.course("run", "demo", "--json", str(out), check=0)
        self.assertEqual(out.read_bytes(), (self.places.bin / "demo.json").read_bytes())
        done = self.course("run", "demo", "--json", "-", check=0)
        self.assertEqual(json.loads(done.stdout), self.document)

    def test_a_failed_check_is_shown_and_passed_on(self):
        document = copy.deepcopy(self.document)
        check = document["rungs"][1]["check"]
        check["passed"] = check["shapes"][0]["passed"] = False
        check["shapes"][0]["message"] = "C[3] is 1, it must be 2"
        document["rungs"][2]["check"] = {
            "passed": False,
            "shapes": [],
            "error": "no wgmma here",
            "cannot_run": True,
        }
        self.build_ladder(document)
        done = self.course("run", "demo", check=1, env={"STANDIN_CODE": "1"})
        self.assertRegex(done.stdout, r"\nsecond +FAILED ")
        self.assertIn("second: at M = 64, N = 32, K = 96: C[3] is 1, it must be 2\n", done.stdout)
        self.assertRegex(done.stdout, r"\naside +none ")
        self.assertIn("aside: no wgmma here\n", done.stdout)

    def test_a_fault_keeps_the_others_from_running(self):
        document = copy.deepcopy(self.document)
        first, *others = document["rungs"]
        first["check"] = {"passed": False, "shapes": [], "error": "out of bounds"}
        for rung in others:
            rung["check"] = {
                **{"passed": False, "shapes": [], "cannot_run": True},
                **{"error": "was not run", "stopped_by": "demo/first"},
            }
        self.build_ladder(document)
        done = self.course("run", "demo", check=1, env={"STANDIN_CODE": "1"})
        text = " ".join(done.stdout.split())
        words = "not run, because the fault of demo/first stopped the device: second, aside. To run"
        self.assertIn(f"first: out of bounds {words} one alone: ", text)
        self.assertIn("/build/bin/demo-second --device cpu Next:", text)
        self.assertNotIn("was not run", text)
        self.assertNotIn("reads: shared-memory", text)
        source = "lessons/demo/0-first/first.cu"
        self.assertTrue(text.endswith(f"Next: mend {source}, then ./course run demo/first"))

    def test_the_programs_exit_code_is_passed_on(self):
        for code in (2, 77):  # it has said why; the command adds nothing
            done = self.course("run", "demo", check=code, env={"STANDIN_CODE": str(code)})
            self.assertEqual((done.stdout, done.stderr.splitlines()[-1]), ("", "demo: no"))
        self.sentence(3, "demo ended with exit code 3", "run", "demo", env={"STANDIN_CODE": "3"})

    def on_a_gpu(self):
        document = copy.deepcopy(self.document)
        document["device"] = {"kind": "gpu", "name": "NVIDIA H200", "reason": "there is one"}
        for rung in document["rungs"]:
            rung["counts"]["ptx"] = None
        return document

    def test_a_gpu_shows_the_kept_counts_of_the_same_source(self):
        self.save_counts()
        document = self.on_a_gpu()
        document["rungs"][2]["source_hash"] = "0" * 64
        self.build_ladder(document)
        done = self.course("run", "demo", "--json", "run.json", check=0)
        self.assertRegex(done.stdout, r"\nsecond +ok +0.25 +0.25 +0.25 +0.01172 +2.00 +2.00\n")
        self.assertRegex(done.stdout, r"\naside +ok +\S+ +- +\S+ +- +- +-\n")
        document["shape"] = {"M": 128, "N": 64, "K": 64}
        self.build_ladder(document)
        self.assertRegex(self.course("run", "demo", check=0).stdout, r"\nsecond +ok +0.25 +- ")

    def test_what_was_not_counted_is_a_dash(self):
        document = self.on_a_gpu()
        self.build_ladder(document)
        done = self.course("run", "demo", check=0)
        self.assertRegex(done.stdout, r"\nsecond +ok +0.25 +- +0.25 +- +- +-\n")
        self.assertIn("./course run --device cpu", done.stdout)

    def test_what_moved_since_the_record_is_named(self):
        self.save_counts()
        self.assertNotIn("moved", self.course("run", "demo", check=0).stdout)
        document = copy.deepcopy(self.document)
        document["rungs"][1]["counts"]["ptx"]["shared_reads_per_multiply_add"] = 1
        self.build_ladder(document)
        self.assertIn(
            "moved: second, shared reads per multiply-add: 0.25 -> 1",
            self.course("run", "demo", check=0).stdout,
        )

    def test_a_damaged_document_is_refused(self):
        for text, words in (
            ("{", "is no JSON"),
            ('{"schema": "rungs-run/2"}', "is of version rungs-run/2"),
            (json.dumps(self.document).replace("0.25", "NaN"), "holds NaN"),
        ):
            (self.places.bin / "demo.json").write_text(text, encoding="utf-8")
            self.sentence(1, words, "run", "demo", "--no-build")

    def test_what_cmake_and_the_compiler_say_is_shown(self):
        cmake = (
            "-- x\\nCMake Error at a.cmake:3 (message):\\n  Nothing works:\\n  at all.\\n\\nCall\\n"
        )
        self.sentence(
            1, "cannot configure: Nothing works: at all; see", "run", "demo",
            env={"STANDIN_CMAKE": cmake},
        )  # fmt: skip
        self.course("run", "demo", check=0)
        said = (
            "[1/2] x\\nFAILED: k.o\\n/bin/nvcc -O3 k.cu\\nk.cu(7): error: oh\\nninja: build stopped"
        )
        done = self.sentence(1, "the build failed", "run", "demo", env={"STANDIN_CMAKE": said})
        self.assertIn("k.cu(7): error: oh\n", done.stderr)
        self.assertNotIn("nvcc -O3", done.stderr)


class Counts(Checkout):
    def setUp(self):
        super().setUp()
        self.set_up()
        self.build_ladder()

    def test_save_writes_what_load_reads_and_nothing_moves(self):
        self.course("counts", "demo", "--save", check=0)
        self.assertIn("--device=cpu", self.called()[-1])
        path = self.root / "docs/evidence/counts/demo.json"
        first = path.read_bytes()
        self.assertEqual(
            self.course("counts", "demo", check=0).stdout,
            "Every count is that of demo.json: 3 rungs.\n",
        )
        self.course("counts", "demo", "--save", check=0)
        self.assertEqual(path.read_bytes(), first)

    def test_a_doctored_record_is_refused(self):
        for old, new, words in (
            (
                '"registers": 31',
                '"registers": 30',
                "registers is 31, but the most of its kernels gives 30",
            ),
            ('"barriers": 2', '"barriers": 3', "barriers is 3, but"),
            ('"seed": 1', '"seed": NaN', "holds NaN"),
            ("rungs-counts/2", "rungs-counts/3", "is of version rungs-counts/3"),
        ):
            self.save_counts(lambda text, a=old, b=new: text.replace(a, b, 1))
            self.sentence(1, f"demo.json: .*{words}", "counts", "demo")
            self.sentence(1, f"demo.json: .*{words}", "list")

    def test_a_doctored_value_without_a_second_is_found_by_counting(self):
        self.save_counts(lambda text: text.replace('"shuffles": 0', '"shuffles": 1', 1))
        done = self.sentence(1, "1 values are not those of", "counts", "demo")
        self.assertEqual(done.stdout, "rungs[0].counts.ptx.kernels[0].shuffles: 1 -> 0\n")

    def test_other_bytes_with_equal_values_are_found(self):
        self.save_counts(lambda text: text.replace("\n", "\n ", 1))
        self.sentence(1, "not those of", "counts", "demo")

    def test_another_compiler_is_not_compared(self):
        self.save_counts(lambda text: text.replace("13.0.88", "13.1.00"))
        self.sentence(77, "counted with nvcc 13.1.00, this build is of 13.0.88", "counts", "demo")

    def test_a_failed_check_saves_nothing(self):
        self.document["rungs"][1]["check"]["passed"] = False
        self.build_ladder(self.document)
        code = {"STANDIN_CODE": "1"}
        self.sentence(1, "the check of second failed", "counts", "demo", "--save", env=code)
        self.assertFalse((self.root / "docs/evidence/counts/demo.json").exists())

    def test_a_record_that_cannot_be_written(self):
        (self.root / "docs").write_text("a file in the way", encoding="utf-8")
        self.sentence(1, "Not a directory|File exists", "counts", "demo", "--save")


class List(Checkout):
    def test_it_reads_the_record_alone(self):
        self.save_counts()
        done = self.course("list", check=0)
        self.assertRegex(done.stdout, r"\nsecond +first +kept +0.25 +First rung\n")
        self.assertFalse(self.places.build.exists())
        self.assertFalse(self.places.venv.exists())
        self.assertEqual(done.stderr, "")

    def test_json(self):
        self.save_counts()
        rungs = json.loads(self.course("list", "--json", check=0).stdout)
        self.assertEqual([r["key"] for r in rungs], ["demo/first", "demo/second", "demo/aside"])
        self.assertEqual(rungs[1]["counts"]["sass"]["shared_reads_per_multiply_add"], 0.25)

    def test_what_is_stale_or_not_counted_is_said(self):
        done = self.course("list", check=0)
        self.assertIn("demo has not been counted; ./course counts demo --save", done.stderr)
        self.save_counts()
        source = self.root / "lessons/demo/0-first/first.cu"
        source.write_text(source.read_text("utf-8").replace("2.0f", "3.0f"), "utf-8")
        self.assertIn("demo/first has changed", self.course("list", check=0).stderr)

    def test_a_rung_that_is_not_counted_yet_is_said_with_what_counts_it(self):
        self.save_counts()
        support.write_lessons(self.root, "2-third")
        done = self.course("list", check=0)
        self.assertEqual(
            done.stderr,
            "note: demo/third is not in the record; ./course counts demo --save counts the "
            "ladder anew\n",
        )

    def test_a_truncated_record(self):
        self.save_counts(lambda text: text[: len(text) // 2])
        self.sentence(1, "demo.json: is no JSON at line", "list")


if __name__ == "__main__":
    unittest.main()
