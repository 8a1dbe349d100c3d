"""``figure-of NAME``: a figure of the records, drawn while the site is built.

The page holds it as SVG, wide and for a phone, light and dark; the one that fits is shown without a
script. Beneath stand its notes, its values as a table, and the PNG to download. What was drawn is
kept in the build folder until the records or the code that draws them change.
"""

from __future__ import annotations

import hashlib
import logging
import os
import posixpath
import re
import shutil
import tempfile
from functools import cache
from html import escape
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.writers.html5 import HTML5Translator

from evidence import EvidenceError
from rungs_site import kept_records, lesson
from rungs_site.directives import LessonDirective
from rungs_site.fold import folded
from rungs_site.tables import label_link, page_link, paragraph, table

_PHONE = "(max-width: 46em)"  # as in rungs.css
_SIZE = re.compile(rb'<svg [^>]*?\bwidth="([0-9.]+)pt" height="([0-9.]+)pt"')
_PNG = "wide-light"
_DRAWN_BY = ("plots", "common/evidence")


class figure_of(nodes.General, nodes.Element):  # noqa: N801 (docutils names nodes so)
    """A figure: ``folder`` holds its files, ``name`` begins their names, ``alt`` tells it."""


class png_link(nodes.Inline, nodes.Element):  # noqa: N801
    """A link to the PNG of the figure ``name`` of the record ``label``."""


class FigureOf(LessonDirective):
    """``figure-of NAME``, with ``:ladder:`` and ``:record:`` where these do not follow.

    On a lesson's page the ladder is the page's; the record is the first that is kept.
    """

    required_arguments = 1
    option_spec = {"ladder": directives.unchanged_required, "record": directives.unchanged_required}

    def build(self) -> list[nodes.Node]:
        """Return the figure with its notes and its values."""
        name = self.arguments[0]
        ladder = self.options.get("ladder") or lesson.ladder_of_page(self.env)
        repo = Path(self.env.srcdir)
        os.environ.setdefault("MPLCONFIGDIR", str(Path(self.env.doctreedir) / "matplotlib"))
        logging.getLogger("matplotlib").setLevel(logging.WARNING)  # it tells of its font cache
        from plots import catalogue
        from plots.series import NothingToDrawError

        chosen = catalogue.figure(name)
        try:
            subjects = catalogue.subjects(repo, chosen, ladder, self.options.get("record"))
            story = chosen.story(subjects)
        except NothingToDrawError as error:
            raise EvidenceError(f"{name} of {ladder} cannot be drawn: {error}") from None
        for file in [*(file for one in subjects for file in one.files), *sources()]:
            self.env.note_dependency(str(file))
        label = re.sub(r"[^a-z0-9]+", "-", f"{ladder}-{subjects[0].label}".lower()).strip("-")
        folder = _drawn(_cache(self.env) / f"{label}-{name}", chosen, subjects)
        anchor = f"figure-{label}-{name}"
        block = figure_of(ids=[anchor], name=name, folder=str(folder), label=label, alt=story.alt)
        block += self._source(subjects[0], name, label)
        block += self._values(story)
        return [block]

    def _values(self, story) -> nodes.Node:
        """Return the table of what is drawn, to be unfolded."""
        header = [f"{c.heading}, {c.unit}" if c.unit else c.heading for c in story.columns]
        rows = [
            [column.text(value) for column, value in zip(story.columns, row, strict=True)]
            for row in story.rows
        ]
        values = table(header, rows, "values", most=len(header))
        words = [paragraph(story.alt), values, *map(paragraph, story.notes)]
        return folded("In words and values", *words)

    def _source(self, subject, name: str, label: str) -> nodes.Node:
        """Return the line that says what it was drawn from, with the PNG."""
        file = subject.files[0]
        text = file.relative_to(Path(self.env.srcdir) / "docs" / "evidence").as_posix()
        if file.parent.name == "counts":
            source = page_link(f"docs/records/{subject.ladder}", text, self.env.docname)
        else:
            section = kept_records.section_label(file)
            source = label_link(section, [nodes.Text(text)], self.env.docname)
        line = paragraph("Drawn from ", source, ". ", png_link(name=name, label=label), ".")
        line["classes"].append("under-table")
        return line


def _cache(env: BuildEnvironment) -> Path:
    """Return where figures are kept from one build to the next: RUNGS_FIGURES, or by the build."""
    return Path(os.environ.get("RUNGS_FIGURES") or Path(env.doctreedir) / "figures")


def _drawn(folder: Path, figure, subjects: list) -> Path:
    """Return the folder with a figure's files; they are drawn if they are not there.

    ``folder`` keeps them by what they depend on; what was drawn before of other data is removed.
    """
    from plots import files, style

    target = folder / _key(subjects)
    if not target.is_dir():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            files.write(figure, subjects, Path(temporary) / "new", style.LOOKS, png=(_PNG,))
            (Path(temporary) / "new").replace(target)
    return target


def _key(subjects: list) -> str:
    """Return a name for a figure of this data by this code."""
    parts = [_code_hash(), *(f"{one.label} {one.sha256}" for one in subjects)]
    return hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:20]


@cache
def _code_hash() -> str:
    """Return the hash of what draws: our own sources, and matplotlib's version."""
    import matplotlib

    found = hashlib.sha256(matplotlib.__version__.encode())
    for file in sources():
        found.update(file.read_bytes())
    return found.hexdigest()


def sources() -> list[Path]:
    """Return the sources that a figure's look depends on."""
    root = Path(__file__).resolve().parents[3]
    return [file for folder in _DRAWN_BY for file in sorted((root / folder).rglob("*.py"))]


def visit_figure_of(self: HTML5Translator, node: figure_of) -> None:
    """Open the figure and show its images; copy the files into the site."""
    folder, label, name = Path(node["folder"]), node["label"], node["name"]
    target = Path(self.builder.outdir) / self.builder.imagedir / "figures" / label
    target.mkdir(parents=True, exist_ok=True)
    files = [f"{name}-{look}.svg" for look in _looks()] + [f"{name}-{_PNG}.png"]
    for file in files:
        shutil.copyfile(folder / file, target / file)
    base = _base(self, label)
    self.body.append(self.starttag(node, "figure", CLASS="figure-of"))
    for colours in ("light", "dark"):
        wide, phone = f"{name}-wide-{colours}.svg", f"{name}-phone-{colours}.svg"
        self.body.append(
            f'<div class="drawing only-{colours}"><picture>'
            f'<source media="{_PHONE}" srcset="{base}/{phone}"{_size(folder / phone)}>'
            f'<img src="{base}/{wide}" alt="{escape(node["alt"])}" loading="lazy"'
            f"{_size(folder / wide)}></picture></div>\n"
        )


def depart_figure_of(self: HTML5Translator, node: figure_of) -> None:
    """Close the figure."""
    self.body.append("</figure>\n")


def visit_png_link(self: HTML5Translator, node: png_link) -> None:
    """Write the link to the picture that can be downloaded."""
    address = f"{_base(self, node['label'])}/{node['name']}-{_PNG}.png"
    self.body.append(f'<a href="{address}" download>PNG</a>')
    raise nodes.SkipNode


def _base(translator: HTML5Translator, label: str) -> str:
    """Return the address of a record's figures, from the page that is being written."""
    return posixpath.join(translator.builder.imgpath, "figures", label)


def _looks() -> list[str]:
    return [f"{width}-{colours}" for width in ("wide", "phone") for colours in ("light", "dark")]


def _size(file: Path) -> str:
    """Return the attributes that keep room for an SVG before it is there."""
    found = _SIZE.search(file.read_bytes()[:2000])
    if not found:
        raise ExtensionError(f"{file.name} states no size")
    width, height = (round(float(points) * 4 / 3) for points in found.groups())
    return f' width="{width}" height="{height}"'
