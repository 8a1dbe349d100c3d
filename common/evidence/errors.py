"""The one error of this package."""


class EvidenceError(Exception):
    """Something about a lesson or a record is wrong.

    The text is one sentence: what is wrong, with the value, and what would work.
    """
