"""test, setup and clean: what they run, and how results are told."""

import unittest

from checkout import Checkout

RESULTS = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="x" tests="4" failures="1" disabled="1" skipped="1">
  <testcase name="unit.a" classname="unit.a" time="0.1" status="run"><system-out/></testcase>
  <testcase name="gpu.b" classname="gpu.b" time="0.1" status="notrun">
    <skipped message="SKIP_RETURN_CODE=77"/>
    <system-out>matmul: starting
matmul: no NVIDIA driver here

</system-out></testcase>
  <testcase name="site.c" classname="site.c" time="0.1" status="disabled"/>
  <testcase name="unit.d" time="0.1" status="fail"><failure message=""/></testcase>
</testsuite>
"""


class Testing(Checkout):
    def setUp(self):
        super().setUp()
        self.set_up()

    def test_skipped_tests_are_named_and_the_last_line_counts(self):
        done = self.course("test", env={"STANDIN_RESULTS": RESULTS, "STANDIN_CODE": "8"}, check=1)
        self.assertEqual(
            done.stdout.splitlines()[-3:],
            [
                "skipped: gpu.b: matmul: no NVIDIA driver here",
                "skipped: site.c: no reason given",
                "1 passed, 1 failed, 2 skipped",
            ],
        )

    def test_it_passes_if_nothing_failed(self):
        good = RESULTS.replace('status="fail"', 'status="run"')
        done = self.course("test", env={"STANDIN_RESULTS": good}, check=0)
        self.assertEqual(done.stdout.splitlines()[-1], "2 passed, 0 failed, 2 skipped")

    def test_nothing_but_skipped_tests_is_no_success(self):
        text = '<testsuite><testcase name="a" status="notrun"/></testsuite>'
        self.course("test", env={"STANDIN_RESULTS": text}, check=1)

    def test_no_test_at_all(self):
        self.sentence(2, "ctest ran no test; ./course test --list shows", "test", "--label", "none")

    def test_a_carried_build_is_tested_without_building(self):
        self.sentence(77, "build holds no list of tests", "test", "--no-build")
        (self.places.build / "CTestTestfile.cmake").touch()
        self.stand_in(self.folder / "only/ctest", f"exec '{self.places.venv}/bin/ctest' \"$@\"\n")
        path = f"{self.folder}/only:/usr/bin:/bin"
        good = RESULTS.replace('status="fail"', 'status="run"')
        env = {"STANDIN_RESULTS": good, "PATH": path}
        done = self.course("test", "--no-build", env=env, check=0)
        self.assertEqual(done.stdout.splitlines()[-1], "2 passed, 0 failed, 2 skipped")
        self.assertEqual(self.called(), [])

    def test_ctest_failing_without_a_failed_test_is_a_failure(self):
        good = RESULTS.replace('status="fail"', 'status="run"')
        self.course("test", env={"STANDIN_RESULTS": good, "STANDIN_CODE": "8"}, check=1)


class CleanAndSetup(Checkout):
    def test_clean_removes_the_build_and_on_request_the_environment(self):
        self.set_up()
        self.build_ladder()
        self.course("clean", check=0)
        self.assertFalse(self.places.build.exists())
        self.assertTrue(self.places.venv.exists())
        self.course("clean", "--all", check=0)
        self.assertFalse(self.places.venv.exists())
        self.course("clean", "--all", check=0)

    def test_clean_refuses_what_is_no_build_folder(self):
        precious = self.folder / "precious"
        precious.mkdir()
        (precious / "thesis").touch()
        self.sentence(2, "does not look like a build folder", "clean", "--build", str(precious))
        self.assertTrue((precious / "thesis").exists())

    def test_setup_says_where_the_compiler_is(self):
        self.set_up()
        done = self.course("setup", check=0)
        self.assertIn("Ready: the compiler is der Kürs/.venv/lib", done.stdout)
        self.assertTrue(done.stdout.endswith("/nvidia/cu13/bin/nvcc\n"))


if __name__ == "__main__":
    unittest.main()
