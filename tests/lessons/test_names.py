"""Key, folder, source, target, namespace and page of a rung are one name."""

import json
import re
import unittest

from programs import BIN, REPO, ladder_and_name, run, rung_folders


class Names(unittest.TestCase):
    def test_there_are_rungs(self):
        self.assertGreaterEqual(len(rung_folders()), 8)

    def test_each_folder_holds_page_kernel_and_project_of_its_name(self):
        for folder in rung_folders():
            ladder, name = ladder_and_name(folder)
            with self.subTest(folder.name):
                found = sorted(path.name for path in folder.iterdir())
                expected = [
                    "CMakeLists.txt",
                    "README.md",
                    f"{name}.cu",
                ]  # test_tries has the fourth
                self.assertEqual([n for n in found if n != "try.patch"], sorted(expected))
                build = (folder / "CMakeLists.txt").read_text(encoding="utf-8")
                self.assertIn(f"project({ladder}-{name} LANGUAGES CXX CUDA)\n", build)
                source = (folder / f"{name}.cu").read_text(encoding="utf-8")
                namespace = f"{ladder}::{name.replace('-', '_')}"
                self.assertEqual(re.findall(r"^namespace (\S+) \{", source, re.M), [namespace])

    def test_each_program_describes_the_rung_of_its_folder(self):
        for folder in rung_folders():
            ladder, name = ladder_and_name(folder)
            with self.subTest(folder.name):
                done = run(f"{ladder}-{name}", "--describe")
                (rung,) = json.loads(done.stdout)["rungs"]
                self.assertEqual((rung["key"], rung["name"]), (f"{ladder}/{name}", name))
                aside, number = re.match(r"(x?)(\d+)-", folder.name).groups()
                self.assertEqual(rung["order"], int(number) + (1000 if aside else 0))
                counts = BIN / "machine-code" / ladder / f"{name}.json"
                recorded = json.loads(counts.read_text(encoding="utf-8"))
                self.assertEqual(rung["source_hash"], recorded["source_hash"])

    def test_a_ladders_program_holds_its_rungs_in_order(self):
        ladders = {folder.parent.name for folder in rung_folders()}
        for ladder in ladders:
            described = json.loads(run(ladder, "--describe").stdout)["rungs"]
            names = {ladder_and_name(f)[1] for f in rung_folders() if f.parent.name == ladder}
            with self.subTest(ladder):
                self.assertEqual({rung["name"] for rung in described}, names)
                orders = [rung["order"] for rung in described]
                self.assertEqual(orders, sorted(set(orders)))

    def test_what_a_rung_comes_after_is_there(self):
        for ladder in {folder.parent.name for folder in rung_folders()}:
            described = json.loads(run(ladder, "--describe").stdout)["rungs"]
            known = {rung["name"]: rung["order"] for rung in described}
            firsts = [rung["name"] for rung in described if rung["after"] is None]
            self.assertEqual(firsts, [described[0]["name"]], ladder)
            for rung in described[1:]:
                with self.subTest(rung["key"]):
                    # An aside's order is above every numbered rung's: only an aside follows one.
                    self.assertLess(known[rung["after"]], rung["order"])
                    self.assertTrue(rung["because"])

    def test_the_pages_sources_are_in_the_repository(self):
        for folder in rung_folders():
            title = (folder / "README.md").read_text(encoding="utf-8").splitlines()[0]
            with self.subTest(folder.relative_to(REPO)):
                self.assertTrue(title.startswith("# "))


if __name__ == "__main__":
    unittest.main()
