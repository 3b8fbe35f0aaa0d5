# SPDX-License-Identifier: Apache-2.0
"""What the tool reads from ELF files: symbols and sizes.  It never reads C."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from elftools.elf.sections import SymbolTableSection


def defined_functions(path: Path) -> set[str]:
    """Names of the global functions that an object file or ELF defines."""
    from elftools.elf.elffile import ELFFile

    with path.open("rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        if table is None:
            return set()
        return {
            s.name
            for s in cast("SymbolTableSection", table).iter_symbols()
            if s["st_info"]["type"] == "STT_FUNC" and s["st_shndx"] != "SHN_UNDEF" and s["st_info"]["bind"] != "STB_LOCAL"
        }


def symbols(path: Path) -> dict[str, tuple[int, int]]:
    """Every named symbol of an ELF: name -> (address without the Thumb bit for functions, size)."""
    from elftools.elf.elffile import ELFFile

    found: dict[str, tuple[int, int]] = {}
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        thumb = elf["e_machine"] == "EM_ARM"
        table = elf.get_section_by_name(".symtab")
        for symbol in cast("SymbolTableSection", table).iter_symbols() if table else ():
            if symbol.name and symbol["st_shndx"] != "SHN_UNDEF":
                address = symbol["st_value"]
                if thumb and symbol["st_info"]["type"] == "STT_FUNC":
                    address &= ~1
                found[symbol.name] = (address, symbol["st_size"])
    return found


def sizes(path: Path) -> tuple[int, int, int]:
    """Bytes of (flash without vector tables, vector tables, RAM without stack) in an ELF.

    Initialised data counts in flash and in RAM.
    """
    from elftools.elf.constants import SH_FLAGS
    from elftools.elf.elffile import ELFFile

    flash = vectors = ram = 0
    with path.open("rb") as stream:
        for section in ELFFile(stream).iter_sections():
            flags, size = section["sh_flags"], section["sh_size"]
            if not flags & SH_FLAGS.SHF_ALLOC:
                continue
            if section.name == ".vectors":
                vectors += size
                continue
            if section["sh_type"] != "SHT_NOBITS":
                flash += size
            if flags & SH_FLAGS.SHF_WRITE and not section.name.startswith(".text"):
                ram += size
    return flash, vectors, ram
