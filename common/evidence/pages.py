"""The title and the change of a rung, as its page states them.

A page's first line is ``# Title``; its first paragraph says the change in one or two sentences.
Both stand only there: records, tables and the site take them from the page.
"""

import re
from pathlib import Path

from evidence.errors import EvidenceError

_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_ROLE = re.compile(r"\{[a-z:+-]+\}`([^`<]*?)(?:\s*<[^>`]*>)?`")
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|\*|__|_)(?=\S)(.+?)(?<=\S)\1(?!\w)")


def title_and_change(readme: Path) -> tuple[str, str]:
    """Return the title and the first paragraph of a page, as plain text on one line each.

    Raises EvidenceError if the page cannot be read or does not begin with these two.
    """
    readme = Path(readme)
    try:
        lines = readme.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise EvidenceError(f"cannot read {readme}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise EvidenceError(f"{readme} is not UTF-8 text") from None
    if not lines or not lines[0].startswith("# ") or not lines[0][2:].strip():
        raise EvidenceError(f"{readme}: the first line must be the title, as in '# Transposed A'")
    paragraph: list[str] = []
    for line in lines[1:]:
        if line.strip():
            paragraph.append(line.strip())
        elif paragraph:
            break
    if not paragraph or paragraph[0].startswith(("#", "```", ":::", "- ", "* ", "|", ">")):
        raise EvidenceError(f"{readme}: the first paragraph must say the change in a sentence")
    return plain(lines[0][2:].strip()), plain(" ".join(paragraph))


def plain(markdown: str) -> str:
    """Return a line of Markdown without its signs for code, emphasis, links and roles."""
    text = _ROLE.sub(r"\1", markdown)
    text = _LINK.sub(r"\1", text)
    text = _EMPHASIS.sub(r"\2", text)
    return text.replace("`", "").replace("\\", "")
