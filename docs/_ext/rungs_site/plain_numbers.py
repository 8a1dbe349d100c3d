"""Numbers that a measurement gives, where a text does not link them. Nothing here knows Sphinx."""

from __future__ import annotations

import re

# The rule of verdicts has a number of its own, which no record holds.
_RULE = re.compile(r"\b(?:within|more\s+than)\s+10\s*%", re.IGNORECASE)
_MEASURED = re.compile(r"(?<![\w.,])[0-9][0-9,]*(?:\.[0-9]+)?\s*(?:[uµμm]s|TB/s|TFLOP/s|%)(?!\w)")


def measured_numbers(text: str) -> list[str]:
    """Return each number of ``text`` that is followed by us, ms, TB/s, TFLOP/s or %.

    A line may end between the two. "within 10 %" and "more than 10 %" are the verdicts' rule.
    """
    return [" ".join(match.group().split()) for match in _MEASURED.finditer(_RULE.sub("", text))]
