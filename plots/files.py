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
from plots.series import Series
from plots.story import Story
from plots.style import LOOKS, SETTINGS, Look

PNG_DPI = 200

_NO_SVG_WORDS = {"Date": None, "Creator": None, "Format": None, "Type": None}
_ID = re.compile(r'(?<= id=")|(?<=href="#)|(?<=url\(#)')


def write(figure: Figure, series: Sequence[Series], folder: Path, looks=LOOKS) -> list[Path]:
    """Write a figure of a record, and of the reader's own above it; return the files.

    Raises NothingToDrawError, before anything is written, if the record holds nothing of it.
    """
    story = figure.story(series)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for look in looks:
        sheet = draw(figure, look, story, series)
        for suffix, data in (("svg", svg(sheet, figure.name, look, story)), ("png", png(sheet))):
            path = folder / f"{figure.name}-{look.name}.{suffix}"
            path.write_bytes(data)
            written.append(path)
    for suffix, text in (("json", json_table(story, series)), ("md", markdown(story))):
        path = folder / f"{figure.name}.{suffix}"
        write_whole(path, text)
        written.append(path)
    return written


def draw(figure: Figure, look: Look, story: Story, series: Sequence[Series]) -> Sheet:
    """Return a figure, drawn without the reader's own settings of matplotlib."""
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(SETTINGS)
    return figure.draw(look, story, series)


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


def png(sheet: Sheet) -> bytes:
    """Return a figure as PNG."""
    out = io.BytesIO()
    sheet.savefig(out, format="png", dpi=PNG_DPI, metadata={"Software": None})
    return out.getvalue()


def json_table(story: Story, series: Sequence[Series]) -> str:
    """Return title, alt text and values, with the records that they are from."""
    return json_text(
        {
            "title": story.title,
            "subtitle": story.subtitle,
            "alt": story.alt,
            "notes": list(story.notes),
            "records": [{"name": s.source.label, "sha256": s.record["sha256"]} for s in series],
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
