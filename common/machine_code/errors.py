"""The one way in which counting machine code fails."""


class MachineCodeError(Exception):
    """What is wrong, in one sentence."""
