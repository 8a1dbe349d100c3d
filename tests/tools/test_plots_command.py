"""./course plots: what it draws and where, a record of one's own, bad input in one sentence."""

import os
import shutil
import subprocess
import sys
import unittest

import made_up_record
import support
from checkout import Checkout
from test_plots import HAS_MATPLOTLIB, NAMED, NEEDS_MORE, setUpModule  # noqa: F401

from evidence import measured
from evidence.json_file import json_text

_NO_CACHE = shutil.ignore_patterns("__pycache__")


class Command(Checkout):
    def record(self, name="mine.json", rows=made_up_record.ROWS, **change):
        record = made_up_record.draft(rows)
        record.update(change)
        path = self.folder / name
        path.write_text(json_text(measured.finish(record)), encoding="utf-8")
        return path

    def test_bad_input_is_refused_in_one_sentence_before_anything_is_installed(self):
        (self.folder / "bad.json").write_text('{"schema": "rungs-record/2"', encoding="utf-8")
        (self.folder / "counts.json").write_text('{"schema": "rungs-counts/1"}', encoding="utf-8")
        mine = self.record()
        for arguments, words in (
            (["none"], "there is no ladder 'none'; there is demo"),
            ([], "no record is kept; ./course bench LADDER --save NAME makes one"),
            (["demo"], "no record of demo is kept; ./course bench demo --save NAME makes one"),
            (["--overlay", "gone.json"], "cannot read .*gone.json: No such file"),
            (["--overlay", "bad.json"], "bad.json: is no JSON at line 1"),
            (["--overlay", "counts.json"], "schema is 'rungs-counts/1'; it must be rungs-record/2"),
            (["other", "--overlay", mine], "is of the ladder demo; it cannot be drawn over other"),
            (["--overlay"], "--overlay: expected one argument"),
            (["demo", "more"], "unrecognized arguments: more"),
        ):
            with self.subTest(arguments=arguments):
                done = self.sentence(2, words, "plots", *arguments)
                self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1))
        self.assertFalse(self.places.venv.exists())

    def keep(self):
        kept = self.root / "docs" / "evidence" / "a-1" / "demo.json"
        kept.parent.mkdir(parents=True)
        self.record().rename(kept)

    @unittest.skipUnless(HAS_MATPLOTLIB, "matplotlib is not in this Python")
    def test_it_draws_every_figure_of_what_is_kept_and_of_a_record_of_ones_own(self):
        self.keep()
        self.set_up()
        self.places.venv.joinpath("bin", "python").unlink()
        script = f'exec "{sys.executable}" "$@"\n'
        self.stand_in(self.places.venv / "bin" / "python", script)
        shutil.copytree(support.REPO / "plots", self.root / "plots", ignore=_NO_CACHE)
        few = ("--look", "wide-dark", "--look", "phone-light", "--png", "wide-dark")
        done = self.course("plots", *few, check=0)
        folder = self.places.build / "plots" / "demo"
        found = {path.name for path in (folder / "a-1").iterdir()}
        for name in NAMED - NEEDS_MORE:
            wanted = ("-wide-dark.svg", "-wide-dark.png", "-phone-light.svg", ".md", ".json")
            self.assertLessEqual({f"{name}{suffix}" for suffix in wanted}, found)
        self.assertNotRegex(" ".join(found), "phone-light.png|wide-light|phone-dark")
        self.assertIn("note: roofline of a-1 is left out: no counts of demo are kept", done.stderr)
        self.assertIn("Drawing the figures of demo", done.stderr)
        self.assertIn("The figures are in ", done.stdout)
        machine = {**made_up_record.MACHINE, "name": "NVIDIA H200 NVL"}
        mine = self.record("my run.json", machine=machine)
        few = ("--look", "phone-dark", "--png", "phone-dark")
        self.course("plots", "demo", "--overlay", mine, "--out", "figures", *few, check=0)
        table = self.folder / "figures/demo/a-1-with-my-run/progression.md"
        title = "# demo: kernel time, rung by rung, a-1 (NVIDIA H200) with my run (NVIDIA H200 NVL)"
        self.assertEqual(table.read_text(encoding="utf-8").splitlines()[0], title)
        part = self.record("part.json", rows=made_up_record.ROWS[:1], machine=machine)
        done = self.course("plots", "--overlay", part, *few, check=0)
        self.assertIn("note: samples of a-1 is left out: part holds no two rungs", done.stderr)

    @unittest.skipUnless(HAS_MATPLOTLIB, "matplotlib is not in this Python")
    def test_a_look_that_there_is_not_is_refused_in_a_sentence(self):
        done = subprocess.run(
            [sys.executable, "-B", "-m", "plots", "matmul", "--repo", support.REPO]
            + ["--out", self.folder, "--png", "wide"],
            env={
                **os.environ,
                "PYTHONPATH": f"{support.REPO}{os.pathsep}{support.REPO / 'common'}",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        said = "plots: there is no look 'wide'; there is wide-light, wide-dark, phone-light, phone-"
        self.assertEqual((done.returncode, done.stderr[: len(said)]), (2, said))

    def test_a_folder_that_is_a_file_is_refused(self):
        self.keep()
        self.sentence(2, "mine.txt is no folder", "plots", "--out", self.file("mine.txt"))

    def file(self, name):
        path = self.folder / name
        path.touch()
        return path


if __name__ == "__main__":
    unittest.main()
