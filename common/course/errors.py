"""How a command says that it cannot go on."""

CHECK_FAILED = 1  # a check, a build or a test failed
WRONG_USE = 2  # the command line or the machine's state is not what the command needs
CANNOT_RUN_HERE = 77  # something that is not the course's is missing on this machine


class CourseError(Exception):
    """A command cannot go on. The text is one sentence: what, with the value, what would work."""

    def __init__(self, message: str, code: int = CHECK_FAILED):
        super().__init__(message)
        self.code = code


class AlreadySaid(CourseError):
    """A program that the command ran has said on stderr why it cannot go on."""

    def __init__(self, code: int):
        super().__init__("the program has said why", code)


class Stopped(BaseException):  # an order from outside, like KeyboardInterrupt
    """A signal asked the command to end."""

    def __init__(self, signal_number: int):
        super().__init__(signal_number)
        self.code = 128 + signal_number
