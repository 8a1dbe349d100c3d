"""The layout of ``docs/evidence/published/*.json``: what a study reports, in its own figures.

Nothing of it was measured by this course. A value is one number, or a range from low to high.
"""

import re

from evidence.layout import Maybe

PUBLISHED_SCHEMA = "rungs-published/1"

VALUE = {
    "id": re.compile(r"[a-z0-9][a-z0-9.-]*(?:/[a-z0-9][a-z0-9.-]*)*"),
    "operation": str,
    "variant": str,
    "rung": Maybe(re.compile(r"[a-z0-9-]+/[a-z0-9-]+")),  # where this course has the same step
    "instrument": str,
    "unit": str,
    "value?": float,
    "low?": float,
    "high?": float,
    "decimals?": int,  # as the study prints it, where a number of JSON would end sooner
    "note?": str,
}

PUBLISHED = {
    "schema": str,
    "study": str,
    "url_note?": str,
    "machine": str,
    "is_not": [str],  # what the study itself says that its values do not establish
    "values": [VALUE],
}
