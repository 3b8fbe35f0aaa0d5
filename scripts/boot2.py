#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make boards/raspberry-pi-pico/boot2.c of boot2.S: its code, and the checksum that the RP2040's bootrom wants.

``scripts/boot2.py`` writes the file.  It needs arm-none-eabi-gcc.
"""

from __future__ import annotations

import struct
import subprocess
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "boards/raspberry-pi-pico"
SIZE = 256
HEAD = """\
/* SPDX-License-Identifier: Apache-2.0
 *
 * boot2.S, and at the end its checksum: written by scripts/boot2.py.  It is linked at the start of flash. */
#include <stdint.h>

extern const uint32_t carillon_boot2[64];
__attribute__((section(".boot2"), used)) const uint32_t carillon_boot2[64] = {
"""
A_ROW = 8


def crc(data: bytes) -> int:
    """CRC-32 of the polynomial 0x04C11DB7 from 0xFFFFFFFF, not reflected, not inverted (datasheet, section 2.8.1.3.1)."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1 ^ (0x04C11DB7 if value & 0x80000000 else 0)) & 0xFFFFFFFF
    return value


def assembled(source: Path) -> bytes:
    """The code of an assembler file."""
    with tempfile.TemporaryDirectory() as scratch:
        compiled, code = Path(scratch, "boot2.o"), Path(scratch, "boot2.bin")
        subprocess.run(["arm-none-eabi-gcc", "-c", str(source), "-o", str(compiled)], check=True)
        subprocess.run(["arm-none-eabi-objcopy", "-O", "binary", "-j", ".text", str(compiled), str(code)], check=True)
        return code.read_bytes()


def stage(code: bytes) -> bytes:
    """The second stage: the code, filled up, and its checksum."""
    if len(code) > SIZE - 4:
        raise SystemExit(f"the code has {len(code)} bytes, and may have {SIZE - 4}")
    body = code.ljust(SIZE - 4, b"\0")
    return body + crc(body).to_bytes(4, "little")


def text(stage: bytes) -> str:
    """Its C file."""
    words = [f"0x{word:08X}" for (word,) in struct.iter_unpack("<I", stage)]
    rows = [", ".join(words[at : at + A_ROW]) for at in range(0, len(words), A_ROW)]
    return HEAD + ",\n".join(f"    {row}" for row in rows) + "};\n"


if __name__ == "__main__":
    (FOLDER / "boot2.c").write_text(text(stage(assembled(FOLDER / "boot2.S"))), encoding="utf-8")
