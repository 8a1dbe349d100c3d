"""A small repository with one ladder, made in a temporary folder, to build sites from.

Its sources, pages and record are made up; the site's code and settings are the real ones.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [
    *(str(REPO / "tests" / folder) for folder in ("site", "tools")),
    *(str(REPO / folder) for folder in ("docs/_ext", "common")),
]

import made_up_record  # noqa: E402
import support  # noqa: E402
from made_up_counts import ptx_counts, sass_counts  # noqa: E402
from made_up_record import WORK  # noqa: E402, F401  (for who imports this)

from evidence import measured, source_hash  # noqa: E402
from evidence.json_file import json_text  # noqa: E402

SOURCE = """// A made-up kernel.
#include "toy.hpp"
namespace toy::{name} {{
// [kernel]
__global__ void kernel(float* out) {{
{body}
}}
// [/kernel]
const rungs::Rung rung = problem().rung({{.after = "{after}"}});
}}
"""
HEADER = "// [launch]\nusing Launch = void (*)(float*);\n// [/launch]\n"
RUNG_PAGE = """# {title}

This rung changes its body.

```{{rung-diff}}
```

```{{rung-prediction}}
The study predicted nothing.
```

```{{rung-code}}
```

It does [{reads}](../../../docs/evidence/counts/toy.json#{name}/ptx/shared_reads_per_multiply_add)
reads and [16.8 million](../../../docs/evidence/counts/toy.json#{name}/ptx/shared_load_wavefronts)
wavefronts; `reads` expects
[{factor}](../../../docs/evidence/counts/toy.json#{name}/expected/reads).
See [the first](../0-first/README.md#what-was-counted).

```{{rung-counts}}
```

## What was measured

```{{rung-times}}
```

```{{error-table}}
```

```{{rung-verdict}}
```
"""
FIRST_PAGE = """# First

The plain kernel.

```{rung-code} launch
:of: problem
```

```{rung-code} kernel
```

## What was counted

```{rung-counts}
```

```{rung-times}
```
"""
LADDER_PAGE = """# Toy

One.

```{ladder-table}
```

```{ladder-times}
```

```{ladder-sizes}
```

```{error-table}
```
"""
RUNGS = {
    # name: (folder, after, reads, body)
    "first": ("0-first", "", 2, "  out[0] = 1.0f;\n  out[1] = 2.0f;"),
    "second": ("1-second", "first", 0.5, "  out[0] = 1.0f;\n  out[1] = 3.0f;"),
    "third": ("x1-third", "first", 4.0, "  out[0] = 1.0f;"),
}
WAVEFRONTS = 16777216

# name, kind, math, order, after, kernel time in us
ROWS = (
    ("first", "kept", "fp32", 0, None, 345.0),
    ("second", "kept", "fp32", 1, "first", 116.0),
    ("third", "rejected", "fp32", 1001, "first", 346.0),
    ("library", "peer", "fp32", 0, None, 55.5),
    ("library-tf32", "peer", "tf32", 1, None, 12.9),
    ("floor-ffma", "floor", "fp32", 0, None, 33.0),
)
SETTINGS = {
    "columns": [
        {
            "heading": "reads",
            "quantity": "shared_reads_per_multiply_add",
            "counts": ["argued", "ptx", "sass"],
        },
        {
            "heading": "wavefronts",
            "quantity": "shared_wavefronts_per_multiply_add",
            "counts": ["ptx"],
        },
    ],
    "models": ["reads", "wavefronts"],
    "sizes": [512],
    "best_peer": ["library"],
    "floor": "floor-ffma",
}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


class SmallSite:
    """The small repository: change a file, then build."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.repo = self.folder / "repo"
        self.out = self.folder / "site"
        ignore = shutil.ignore_patterns("__pycache__")
        for part in ("docs/_ext", "docs/_static", "docs/_templates", "common/evidence", "plots"):
            shutil.copytree(REPO / part, self.repo / part, ignore=ignore)
        shutil.copy(REPO / "docs/conf.py", self.repo / "docs/conf.py")
        write(self.repo / "README.md", "# Toys\n\nHome of the toys.\n")
        support.write_floors(self.repo)
        write(self.repo / "docs/README.md", GUIDES)
        for page, block in (
            ("toy", "record-table} toy"),
            ("toy-times", "measured-records} toy"),
            ("published", "published-values}"),
        ):
            text = f"# Record of {page}\n\nAll.\n\n```{{{block}\n```\n"
            write(self.repo / f"docs/records/{page}.md", text)
        rule = "# How to read a rung\n\nSo.\n\n## Predictions and verdicts\n\nThe rule.\n"
        write(self.repo / "docs/how-to-read-a-rung.md", rule)
        write(self.repo / "lessons/README.md", "# Ladders\n\nAll.\n\n```{ladder-list}\n```\n")
        write(self.repo / "lessons/toy/README.md", LADDER_PAGE)
        write(self.repo / "lessons/toy/ladder.json", json_text(SETTINGS))
        write(self.repo / "lessons/toy/toy.hpp", HEADER)
        for name, (folder, after, reads, body) in RUNGS.items():
            rung = self.repo / "lessons/toy" / folder
            write(rung / f"{name}.cu", SOURCE.format(name=name, after=after, body=body))
            page = RUNG_PAGE.format(
                title=name.title(), name=name, reads=reads, factor=f"{2 / reads:.2f}x"
            )
            write(rung / "README.md", page if after else FIRST_PAGE)
        self.record_path = self.repo / "docs/evidence/counts/toy.json"
        write(self.record_path, json.dumps(self.record(), indent=1, sort_keys=True) + "\n")

    def record(self):
        """Return a counts record of the sources as they are now."""
        rungs = []
        for order, (name, (folder, after, reads, _)) in enumerate(RUNGS.items()):
            aside = folder.startswith("x")
            rungs.append(
                {
                    "name": name,
                    "key": f"toy/{name}",
                    "order": 1001 if aside else order,
                    "after": after or None,
                    "kind": "rejected" if aside else "kept",
                    "title": name.title(),
                    "change": "This rung changes its body.",
                    "because": [{"model": "reads", "why": "it reads less"}] if after else [],
                    "source_hash": source_hash.rung_hash(self.repo, "toy", name),
                    "check": {
                        "passed": True,
                        "shapes": [{"shape": {"M": 64, "N": 64, "K": 64}, "passed": True}],
                    },
                    "counts": {
                        "argued": {"shared_reads_per_multiply_add": reads},
                        "ptx": ptx_counts(
                            multiply_adds=2**30,
                            loads=WAVEFRONTS,
                            stores=1048576,
                            reads=int(reads * 2**25),
                        ),
                        "sass": sass_counts(ffma=64, lds=int(64 * reads)),
                    },
                }
            )
        return {
            "schema": "rungs-counts/2",
            "ladder": "toy",
            "shape": {"M": 1024, "N": 1024, "K": 1024},
            "seed": 1,
            "compiler": {
                "nvcc": "13.0.88",
                "ptxas": "13.0.88",
                "architecture": "sm_90",
                "flags": ["-O3"],
            },
            "rungs": rungs,
        }

    def change_record(self, change):
        """Apply ``change`` to the record and write it back."""
        record = json.loads(self.record_path.read_text(encoding="utf-8"))
        change(record)
        write(self.record_path, json.dumps(record, indent=1, sort_keys=True) + "\n")

    def keep(self, namespace, change=None, name="toy", **how):
        """Keep a made-up measured record of the sources as they are now, and return it.

        ``change`` may alter what the conductor collected; ``how`` is made_up_record.draft()'s.
        """
        hashes = support.hashes(self.repo, "toy", RUNGS)
        draft = made_up_record.draft(**{"rows": ROWS, "hashes": hashes, **how})
        draft["ladder"] = "toy"
        draft["predictions"] = [
            {
                "rung": rung,
                "after": after,
                "model": "reads",
                "why": "it reads less",
                "expected": 2 / reads,
            }
            for rung, (_, after, reads, _) in RUNGS.items()
            if after
        ]
        if change is not None:
            change(draft)
        record = measured.finish(draft)
        write(self.repo / "docs/evidence" / namespace / f"{name}.json", json_text(record))
        return record

    def edit(self, path, old, new):
        """Replace a text that must be there once in a file."""
        file = self.repo / path
        text = file.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise AssertionError(f"{path} holds {old!r} {text.count(old)} times")
        file.write_text(text.replace(old, new), encoding="utf-8")

    def build(self):
        """Build strictly, without the API pages. Return the exit code and what was printed."""
        return build(self.repo, self.out, ["-D", "extensions=rungs_site,sphinx_copybutton"])

    def page(self, name):
        """Return the HTML of a built page."""
        return (self.out / name).read_text(encoding="utf-8")


class SmallSiteTest(unittest.TestCase):
    """A test with a small site of its own."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.site = SmallSite(temporary.name)

    def assert_builds(self):
        code, output = self.site.build()
        self.assertEqual((code, output.strip()), (0, ""))

    def assert_fails(self, *texts):
        """The strict build fails, and says each of these; return what it says."""
        code, output = self.site.build()
        self.assertNotEqual(code, 0, output)
        for text in texts:
            self.assertIn(text, output)
        return output


GUIDES = """# Guides

None.

```{toctree}
:hidden:

records/toy.md
records/toy-times.md
records/published.md
how-to-read-a-rung.md
```
"""


def build(repo, out, options=()):
    """Build the site of ``repo`` strictly into ``out``. Return the exit code and the output."""
    arguments = ["-W", "-n", "-E", "--keep-going", "-q", "-c", str(repo / "docs")]
    arguments += ["-d", str(out.parent / "doctrees"), *options, str(repo), str(out)]
    done = subprocess.run(
        [sys.executable, "-B", "-m", "sphinx", *arguments],
        capture_output=True,
        text=True,
        cwd=out.parent,
    )
    return done.returncode, done.stdout + done.stderr
