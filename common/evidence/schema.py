"""JSON Schema of the measured record, generated from its layout.

``docs/evidence/schema/rungs-record-2.json`` holds what document() returns; a test holds them equal.
The schema says how a record is laid out; what must agree with what is in ``measured``.

As a program, from the folder ``common``: ``python3 -m evidence.schema`` writes the file anew.
"""

import re
import sys
from pathlib import Path

from evidence.json_file import json_text, write_whole
from evidence.layout import Each, Either, Maybe, OrMissing
from evidence.measured_layout import RECORD, RECORD_SCHEMA

_TYPES = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": 0},
    float: {"type": "number"},
}


def path(repo: Path) -> Path:
    """Return where the schema is kept."""
    name = RECORD_SCHEMA.replace("/", "-")
    return Path(repo) / "docs" / "evidence" / "schema" / f"{name}.json"


def document() -> dict:
    """Return the JSON Schema of a measured record."""
    made = of_layout(RECORD)
    made["properties"]["schema"] = {"const": RECORD_SCHEMA}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A measured record of a ladder",
        "description": "Times are microseconds of one operation, clocks MHz, sizes bytes.",
        **made,
    }


def of_layout(layout: object) -> dict:
    """Return the JSON Schema of a layout as ``layout`` defines them."""
    if isinstance(layout, Maybe):
        return {"anyOf": [of_layout(layout.layout), {"type": "null"}]}
    if isinstance(layout, Either):
        return {"enum": list(layout.texts)}
    if isinstance(layout, Each):
        return {"type": "object", "additionalProperties": of_layout(layout.layout)}
    if isinstance(layout, OrMissing):
        return {
            "if": {"type": "object", "required": ["missing"]},
            "then": of_layout({**layout.always, "missing": str}),
            "else": of_layout({**layout.always, **layout.layout}),
        }
    if isinstance(layout, re.Pattern):
        return {"type": "string", "pattern": f"^(?:{layout.pattern})$"}
    if isinstance(layout, list):
        return {"type": "array", "items": of_layout(layout[0])}
    if isinstance(layout, dict):
        return {
            "type": "object",
            "properties": {key.rstrip("?"): of_layout(inner) for key, inner in layout.items()},
            "required": [key for key in layout if not key.endswith("?")],
        }
    return dict(_TYPES[layout])


if __name__ == "__main__":
    repo = Path(__file__).resolve().parents[2]
    path(repo).parent.mkdir(parents=True, exist_ok=True)
    write_whole(path(repo), json_text(document()))
    print(f"wrote {path(repo).relative_to(repo)}", file=sys.stderr)
