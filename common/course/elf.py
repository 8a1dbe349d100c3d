"""What an ELF program is linked with: enough to see which CUDA runtime it uses.

The layout is that of the System V ABI, chapter 5 (program header, dynamic section), 64 bit.
"""

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path

_PT_LOAD, _PT_DYNAMIC = 1, 2
_DT_NEEDED, _DT_STRTAB, _DT_RPATH, _DT_STRSZ = 1, 5, 15, 10


@dataclass(frozen=True)
class Program:
    """A 64-bit little-endian ELF file."""

    needed: list[str]  # the shared libraries that it names
    rpath: str  # searched before LD_LIBRARY_PATH, unlike a RUNPATH
    has_kernels: bool  # a CUDA fat binary is in it


def read(path: Path) -> Program | None:
    """Return what a file is linked with; None if it is no such ELF file (a script, say).

    Raises OSError if it cannot be read.
    """
    with Path(path).open("rb") as file:
        if file.read(6) != b"\x7fELF\x02\x01":
            return None
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            try:
                needed, rpath = _dynamic(data)
            except (struct.error, ValueError):
                return None
            return Program(needed, rpath, data.find(b".nv_fatbin\0") >= 0)


def _dynamic(data) -> tuple[list[str], str]:
    """Return the needed libraries and the RPATH of the dynamic section; empty without one."""
    (table,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    headers = [struct.unpack_from("<IIQQQQQQ", data, table + i * size) for i in range(count)]
    dynamic = next((h for h in headers if h[0] == _PT_DYNAMIC), None)
    if dynamic is None:
        return [], ""
    entries = [
        struct.unpack_from("<qQ", data, at)
        for at in range(dynamic[2], dynamic[2] + dynamic[5] - 15, 16)
    ]
    values = dict(reversed(entries))
    if _DT_STRTAB not in values:
        return [], ""
    strings = _file_offset(headers, values[_DT_STRTAB])

    def text(offset: int) -> str:
        start = strings + offset
        return data[start : data.find(b"\0", start)].decode("utf-8", "replace")

    needed = [text(value) for tag, value in entries if tag == _DT_NEEDED]
    return needed, text(values[_DT_RPATH]) if _DT_RPATH in values else ""


def _file_offset(headers: list[tuple], address: int) -> int:
    """Return where in the file the byte at this address is. Raises ValueError if nowhere."""
    for kind, _, offset, virtual, _, in_file, _, _ in headers:
        if kind == _PT_LOAD and virtual <= address < virtual + in_file:
            return offset + address - virtual
    raise ValueError("an address outside the file")
