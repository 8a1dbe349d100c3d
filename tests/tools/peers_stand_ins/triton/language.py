"""What a kernel's signature needs; its body is never run."""


class constexpr:  # noqa: N801  # triton's name
    """A value that is known when the kernel is compiled."""
