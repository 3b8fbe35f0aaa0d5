# SPDX-License-Identifier: Apache-2.0
"""UF2 files, which some chips take as a USB drive (github.com/microsoft/uf2)."""

from __future__ import annotations

import struct
from collections.abc import Iterable

PAGE = 256
SECTOR = 4096
FIRST, SECOND, LAST = 0x0A324655, 0x9E5D5157, 0x0AB16F30  # a block's magic numbers
FAMILY = 0x2000  # a flag: the block says which chip it is for
ERASED = b"\xff"


def encode(loaded: Iterable[tuple[int, bytes]], family: int) -> bytes:
    """The file of what is loaded, as addresses and bytes, for chips of ``family``; later bytes win.

    A block has a page of 256 bytes.  Flash memory is erased by sectors of 4 KiB, and the RP2040's bootrom wants each sector
    that has a page to have all.  So gaps in a sector are filled with 0xFF, which is what erased memory reads.
    """
    sectors: dict[int, bytearray] = {}
    for address, content in loaded:
        for at in range(address - address % SECTOR, address + len(content), SECTOR):
            sector = sectors.setdefault(at, bytearray(ERASED * SECTOR))
            begin, end = max(address, at), min(address + len(content), at + SECTOR)
            sector[begin - at : end - at] = content[begin - address : end - address]
    pages = [(at + k, sectors[at][k : k + PAGE]) for at in sorted(sectors) for k in range(0, SECTOR, PAGE)]
    return b"".join(
        struct.pack("<8I", FIRST, SECOND, FAMILY, at, PAGE, number, len(pages), family)
        + page.ljust(476, b"\0")
        + struct.pack("<I", LAST)
        for number, (at, page) in enumerate(pages)
    )
