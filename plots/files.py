"""What is written of a figure: SVG and PNG in each look, and its table as JSON and Markdown.

Equal data gives equal bytes: no date, no version, fixed ids, letters as paths.
"""

import io
import re
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import matplotlib
from matplotlib.figure import Figure as Sheet

from evidence.json_file import json_text, write_whole
from plots.registry import Figure
from plots.story import Story
from plots.style import LOOKS, SETTINGS, Look
from plots.subjects import Subject

PNG_DPI = 200

_NO_SVG_WORDS = {"Date": None, "Creator": None, "Format": None, "Type": None}
_ID = re.compile(r'(?<= id=")|(?<=href="#)|(?<=url\(#)')


def write(
    figure: Figure,
    subjects: Sequence[Subject],
    folder: Path,
    looks: Sequence[Look] = LOOKS,
    png: Sequence[str] | None = None,
) -> list[Path]:
    """Write a figure and its table; return the files.

    SVG is written in these looks, PNG in those of them that ``png`` names: None stands for all.
    Raises NothingToDrawError, before anything is written, if the subjects hold nothing of it.
    """
    story = figure.story(subjects)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for look in looks:
        sheet = draw(figure, look, story, subjects)
        path = folder / f"{figure.name}-{look.name}.svg"
        path.write_bytes(svg(sheet, figure.name, look, story))
        written.append(path)
        if png is None or look.name in png:
            path = path.with_suffix(".png")
            path.write_bytes(as_png(sheet))
            written.append(path)
    for suffix, text in (("json", json_table(story, subjects)), ("md", markdown(story))):
        path = folder / f"{figure.name}.{suffix}"
        write_whole(path, text)
        written.append(path)
    return written


def draw(figure: Figure, look: Look, story: Story, subjects: Sequence[Subject]) -> Sheet:
    """Return a figure, drawn without the reader's own settings of matplotlib."""
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(SETTINGS)
    return figure.draw(look, story, subjects)


def svg(sheet: Sheet, name: str, look: Look, story: Story) -> bytes:
    """Return a figure as SVG, with its title and alt text for those who do not see it.

    Ids begin with the figure's name, so that a page can hold several.
    """
    out = io.BytesIO()
    sheet.savefig(out, format="svg", metadata=_NO_SVG_WORDS, facecolor=sheet.get_facecolor())
    own = f"{name}-{look.name}-"
    text = _ID.sub(own, out.getvalue().decode("utf-8"))
    said = (
        f' role="img" aria-labelledby="{own}title {own}desc">\n'
        f' <title id="{own}title">{escape(story.title)}</title>\n'
        f' <desc id="{own}desc">{escape(story.alt)}</desc>'
    )
    head = text.index("<svg")
    end = text.index(">", head)
    return (text[:end] + said + text[end + 1 :]).encode("utf-8")


def as_png(sheet: Sheet) -> bytes:
    """Return a figure as PNG."""
    out = io.BytesIO()
    sheet.savefig(out, format="png", dpi=PNG_DPI, metadata={"Software": None})
    return out.getvalue()


def json_table(story: Story, subjects: Sequence[Subject]) -> str:
    """Return title, alt text and values, with the records that they are from."""
    return json_text(
        {
            "title": story.title,
            "subtitle": story.subtitle,
            "alt": story.alt,
            "notes": list(story.notes),
            "records": [
                {"name": one.source.label, "sha256": one.source.record.get("sha256", one.sha256)}
                for one in subjects
            ],
            "columns": [{"heading": c.heading, "unit": c.unit} for c in story.columns],
            "rows": story.rows,
        }
    )


def markdown(story: Story) -> str:
    """Return title, alt text and values as a page shows them."""
    heads = [f"{c.heading}, {c.unit}" if c.unit else c.heading for c in story.columns]
    rules = ["---" if c.digits is None else "---:" for c in story.columns]
    rows = [
        [column.text(value) for column, value in zip(story.columns, row, strict=True)]
        for row in story.rows
    ]
    lines = ["| " + " | ".join(cells) + " |" for cells in (heads, rules, *rows)]
    words = [f"# {story.title}", story.subtitle + ".", story.alt, "\n".join(lines), *story.notes]
    return "\n\n".join(words) + "\n"
