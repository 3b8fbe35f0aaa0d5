# SPDX-License-Identifier: Apache-2.0
"""What the tool reads from ELF files, against another reader of them; and files that are none."""

import shutil
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from carillon.build.symbols import defined_functions, sizes, symbols
from carillon.elf import ARM, UnreadableError, read_elf

CODE = """
static int hidden = 5;
int cleared[7];
const char *shown = "text";
extern int elsewhere(void);
__attribute__((weak)) void idle(void) {}
static __attribute__((noinline)) int own(int x) { return x + hidden++; }
int entry(void) { return own(elsewhere()); }
"""
COMPILERS = ("gcc", "arm-none-eabi-gcc", "avr-gcc", "riscv64-unknown-elf-gcc")


@pytest.fixture(params=COMPILERS)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """An object file."""
    if shutil.which(request.param) is None:
        pytest.skip(f"needs {request.param}")
    (tmp_path / "code.c").write_text(CODE, encoding="utf-8")
    thumb = ["-mcpu=cortex-m4", "-mthumb"] if request.param.startswith("arm") else []
    subprocess.run([request.param, *thumb, "-O1", "-fno-common", "-c", "code.c"], cwd=tmp_path, check=True)
    return tmp_path / "code.o"


def test_sections_and_symbols_are_those_that_another_reader_finds(file: Path) -> None:
    found = read_elf(file)
    with file.open("rb") as stream:
        elf = ELFFile(stream)
        assert [(s.name, s.flags, s.address, s.start, s.size) for s in found.sections] == [
            (s.name, s["sh_flags"], s["sh_addr"], s["sh_offset"], s["sh_size"]) for s in elf.iter_sections()
        ]
        theirs = {
            (s.name, s["st_size"], s["st_info"]["type"] == "STT_FUNC", s["st_info"]["bind"] == "STB_LOCAL")
            for s in elf.get_section_by_name(".symtab").iter_symbols()  # type: ignore[union-attr]
            if s.name and s["st_shndx"] != "SHN_UNDEF"
        }
        assert (found.machine, found.wide) == (
            {"EM_ARM": 40, "EM_AVR": 83, "EM_RISCV": 243, "EM_X86_64": 62}[elf["e_machine"]],
            elf.elfclass == 64,
        )
    assert {(s.name, s.size, s.function, s.local) for s in found.symbols} == theirs


def test_functions_symbols_and_sizes_of_a_file(file: Path) -> None:
    assert defined_functions(file) == {"idle", "entry"}
    known = symbols(file)
    assert "elsewhere" not in known
    assert known["cleared"][1] in (14, 28)
    assert read_elf(file).machine != ARM or known["entry"][0] % 2 == 0  # without the Thumb bit
    flash, vectors, ram = sizes(file)
    assert vectors == 0
    assert ram >= known["cleared"][1] + known["hidden"][1]
    assert flash > known["entry"][1]


@pytest.mark.parametrize("part", [0, 3, 40, 200])
def test_what_is_no_elf_file_or_ends_early_is_unreadable(file: Path, part: int) -> None:
    file.write_bytes(file.read_bytes()[:part])
    with pytest.raises(UnreadableError, match=r"is no little-endian ELF file|is damaged"):
        read_elf(file)
