"""The workflow that checks and publishes, and the page about it, say what the course does."""

import os
import re
import unittest

import yaml
from small_site import REPO

from course.commands import site
from course.places import Places

WORKFLOW = REPO / ".github" / "workflows" / "ci.yml"
PAGE = (REPO / "docs" / "publishing.md").read_text(encoding="utf-8")


class Workflow(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = WORKFLOW.read_text(encoding="utf-8")
        cls.workflow = yaml.safe_load(cls.text)
        cls.jobs = cls.workflow["jobs"]
        cls.site = site.folder(Places(REPO, REPO / "build")).relative_to(REPO).as_posix()

    def steps(self, job):
        return self.jobs[job]["steps"]

    def test_it_runs_what_every_machine_runs_and_uploads_the_site(self):
        steps = self.steps("check")
        runs = [at for at, step in enumerate(steps) if step.get("run") == ".ci/run"]
        uploads = [
            at
            for at, step in enumerate(steps)
            if step.get("uses", "").startswith("actions/upload-pages-artifact@")
        ]
        self.assertEqual((len(runs), len(uploads)), (1, 1))
        self.assertLess(runs[0], uploads[0])
        self.assertEqual(steps[uploads[0]]["with"], {"path": self.site})
        self.assertTrue(os.access(REPO / ".ci" / "run", os.X_OK))
        self.assertIn("./course site\n", (REPO / ".ci" / "run").read_text(encoding="utf-8"))

    def test_only_what_was_checked_is_published_and_only_from_main(self):
        publish = self.jobs["publish"]
        self.assertEqual(publish["needs"], "check")
        of_main = "github.ref == 'refs/heads/main'"
        self.assertEqual(publish["if"], of_main)
        self.assertEqual(self.steps("check")[-1]["if"], of_main)
        self.assertFalse([step for step in publish["steps"] if "run" in step])

    def test_a_job_may_do_no_more_than_it_has_to(self):
        self.assertEqual(self.workflow["permissions"], {"contents": "read"})
        self.assertNotIn("permissions", self.jobs["check"])
        wanted = {"pages": "write", "id-token": "write"}
        self.assertEqual(self.jobs["publish"]["permissions"], wanted)
        self.assertNotIn("pull_request_target", self.text)
        (checkout,) = (s for s in self.steps("check") if "checkout" in s.get("uses", ""))
        self.assertIs(checkout["with"]["persist-credentials"], False)

    def test_actions_are_githubs_own_of_one_major_version(self):
        used = [step["uses"] for job in self.jobs for step in self.steps(job) if "uses" in step]
        self.assertEqual(len(used), 3)
        for name in used:
            self.assertRegex(name, r"^actions/[a-z-]+@v\d+$")


class Page(unittest.TestCase):
    def test_it_names_what_there_is(self):
        for path in re.findall(r"`(\.[a-z]+/[\w/.]+)`", PAGE):
            self.assertTrue((REPO / path).is_file(), path)
        self.assertIn("`.github/workflows/ci.yml`", PAGE)
        self.assertIn("build/site/index.html", PAGE)


if __name__ == "__main__":
    unittest.main()
