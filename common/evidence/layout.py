"""How a document of evidence is laid out, and the check that one is laid out so.

A layout is written with Python's own types: ``str``, ``bool``, ``int`` (not negative), ``float``
(any finite number), ``{"key": layout}`` (``"key?"`` may be missing; other keys are allowed),
``[layout]`` (a list of such), a regular expression for a text, and the classes below.
"""

import math
import re
from dataclasses import dataclass, field

from evidence.errors import EvidenceError


@dataclass(frozen=True)
class Either:
    """One of these texts."""

    texts: tuple[str, ...]


@dataclass(frozen=True)
class Maybe:
    """The layout, or null."""

    layout: object


@dataclass(frozen=True)
class Each:
    """An object whose every value is laid out so, whatever its keys."""

    layout: object


@dataclass(frozen=True)
class OrMissing:
    """An object laid out so, or one whose ``missing`` says in a sentence why it is not there.

    The keys of ``always`` stand in both.
    """

    layout: dict
    always: dict = field(default_factory=dict)


_NAMES = {
    str: "a text",
    bool: "true or false",
    int: "a whole number, not negative",
    float: "a number",
}


def require(value: object, layout: object, where: str, path: str = "") -> None:
    """Raise EvidenceError, with the JSON path, unless ``value`` is laid out as ``layout``."""
    if isinstance(layout, Maybe):
        if value is not None:
            require(value, layout.layout, where, path)
    elif isinstance(layout, Either):
        if value not in layout.texts:
            _refuse(where, path, value, " or ".join(layout.texts))
    elif isinstance(layout, re.Pattern):
        if not isinstance(value, str) or not layout.fullmatch(value):
            _refuse(where, path, value, f"a text like {layout.pattern}")
    elif isinstance(layout, type):
        _require_plain(value, layout, where, path)
    elif isinstance(layout, OrMissing):
        gone = isinstance(value, dict) and "missing" in value
        rest = {"missing": str} if gone else layout.layout
        _require_object(value, {**layout.always, **rest}, where, path)
    elif isinstance(layout, list):
        if not isinstance(value, list):
            _refuse(where, path, value, "a list")
        for index, item in enumerate(value):
            require(item, layout[0], where, f"{path}[{index}]")
    else:
        _require_object(value, layout, where, path)


def _require_object(value: object, layout: dict | Each, where: str, path: str) -> None:
    if not isinstance(value, dict):
        _refuse(where, path, value, "an object")
    if isinstance(layout, Each):
        for key, item in value.items():
            require(item, layout.layout, where, _joined(path, key))
        return
    for key, item in layout.items():
        name = key.rstrip("?")
        if name in value:
            require(value[name], item, where, _joined(path, name))
        elif not key.endswith("?"):
            raise EvidenceError(f"{where}: {_joined(path, name)} is missing")


def _require_plain(value: object, layout: type, where: str, path: str) -> None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    good = {
        str: isinstance(value, str),
        bool: isinstance(value, bool),
        int: is_number and isinstance(value, int) and value >= 0,
        float: is_number and (isinstance(value, int) or math.isfinite(value)),
    }[layout]
    if not good:
        _refuse(where, path, value, _NAMES[layout])


def _joined(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _refuse(where: str, path: str, value: object, wanted: str) -> None:
    shown = repr(value) if len(repr(value)) <= 60 else repr(value)[:57] + "..."
    raise EvidenceError(f"{where}: {path or 'the document'} is {shown}; it must be {wanted}")
