"""The site: Sphinx's settings.

The source folder is the repository itself, so that a page stands beside the code that it is
about. ``./course site`` builds it; by hand, from the repository's root::

    sphinx-build -W -n -E --keep-going -c docs -d build/doctrees . build/site

Nothing is written below the source: pages, doctrees and Doxygen's XML go to the two folders.
"""

import sys
from pathlib import Path

_DOCS = Path(__file__).parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(_DOCS / "_ext"), str(_DOCS.parent / "common")]
sys.path.append(str(_DOCS.parent))  # for plots

project = "Rungs"
author = "the Rungs contributors"
copyright = author  # noqa: A001
html_title = "Rungs"

extensions = ["rungs_site", "breathe", "sphinx_copybutton"]

# What is a page. Everything else in the repository is none.
root_doc = "index"  # README.md: see folders.py
source_suffix = {".md": "markdown"}
include_patterns = [
    "README.md",
    "docs/*.md",
    "docs/records/*.md",
    "lessons/README.md",
    "lessons/**/README.md",
]
exclude_patterns = ["build", ".venv"]
rungs_home_toctree = ["lessons/index", "docs/index"]

nitpicky = True
# Names of other people's libraries, which no page of this site explains, nlohmann's JSON under our
# own name, and the namespaces themselves. The last line is what cuBLAS' handles point to.
nitpick_ignore_regex = [
    ("cpp:identifier", r"(std|nlohmann|CLI)(::.*)?|Json|u?int(8|16|32|64)_t|size_t"),
    ("cpp:identifier", r"(cuda|cupti)[A-Z]\w*|dim3|libraryPropertyType|rungs(::(cublas|floors))?"),
    ("cpp:identifier", r"(Lt)?Context|LayoutData|ProductData|PreferenceData"),
]

myst_heading_anchors = 3
highlight_language = "cuda"
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

cpp_id_attributes = [
    "__global__",
    "__device__",
    "__host__",
    "__forceinline__",
    "__noinline__",
    "__constant__",
    "__shared__",
    "__managed__",
    "__restrict__",
]
cpp_maximum_signature_line_length = 70
breathe_domain_by_extension = {"cuh": "cpp", "cu": "cpp", "hpp": "cpp", "h": "cpp"}
breathe_show_include = False

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["rungs.css"]
html_js_files = ["rungs.js"]
html_search_scorer = str(_DOCS / "_static" / "scorer.js")
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_domain_indices = False
templates_path = ["_templates"]

# Line numbers, signs and prompts are no part of what one copies.
copybutton_exclude = ".linenos, .number, .sign, .gp, .go"
copybutton_selector = "div.highlight:not(.rung-diff div.highlight) pre"
