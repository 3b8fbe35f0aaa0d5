# SPDX-License-Identifier: Apache-2.0
"""Write what a register map says: the package of the RTL, the header for C, and the table of the documentation.

``python hardware/registers.py`` writes them; with ``--check`` it says which differ, and the exit code is 1 if one does.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "hardware"
BEGIN, END = "<!-- registers -->\n", "<!-- end of registers -->\n"


def package(registers: dict) -> str:
    """The package of SystemVerilog: offsets, and the words of a cell."""
    name, cells = registers["name"], registers["cells"]
    lines = ["// SPDX-License-Identifier: Apache-2.0", "//", "// Written by hardware/registers.py from registers.toml."]
    lines += [f"package {name}_pkg;"]
    lines += [f"  localparam logic [11:0] {r['name']}_OFFSET = 12'h{r['offset']:03X};" for r in registers["register"]]
    lines += [f"  localparam logic [11:0] CELLS_OFFSET = 12'h{cells['offset']:03X};"]
    lines += [f"  localparam logic [2:0] {r['name']}_WORD = 3'd{r['word']};" for r in cells["register"]]
    return "\n".join([*lines, "endpackage", ""])


def header(registers: dict) -> str:
    """The header for C: addresses from the array's base."""
    prefix, cells = registers["prefix"], registers["cells"]
    guard = f"CARILLON_CELL_{prefix}_REGISTERS_H"
    lines = ["/* SPDX-License-Identifier: Apache-2.0", " *", " * Written by hardware/registers.py from registers.toml. */"]
    lines += [f"#ifndef {guard}", f"#define {guard}", "", "/* From the base of the array. */"]
    lines += [f"#define {prefix}_{r['name']}_OFFSET 0x{r['offset']:03X}u" for r in registers["register"]]
    lines += [
        f"#define {prefix}_{r['name']}_OFFSET(cell) (0x{cells['offset'] + 4 * r['word']:03X}u + ({cells['bytes']}u * (cell)))"
        for r in cells["register"]
    ]
    return "\n".join([*lines, "", "#endif", ""])


def table(registers: dict) -> str:
    """The table of the documentation."""
    cells = registers["cells"]
    rows = [(f"0x{r['offset']:03X}", r) for r in registers["register"]]
    rows += [(f"0x{cells['offset'] + 4 * r['word']:03X} + {cells['bytes']} × cell", r) for r in cells["register"]]
    lines = ["| offset | register | store | load |", "|---|---|---|---|"]
    lines += [f"| {offset} | `{r['name']}` | {r['write']} | {r['read']} |" for offset, r in rows]
    return "\n".join([*lines, ""])


def written(folder: Path) -> dict[Path, str]:
    """The files that a map leads to, with what they should be."""
    registers = tomllib.loads((folder / "registers.toml").read_text(encoding="utf-8"))
    page = folder / "README.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    behind = rest.partition(END)[2]
    return {
        folder / f"{registers['name']}_pkg.sv": package(registers),
        ROOT / registers["header"]: header(registers),
        page: before + BEGIN + table(registers) + END + behind,
    }


def main() -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing: say which files differ")
    check = parser.parse_args().check
    differ = 0
    for path, text in (item for file in sorted(HERE.glob("*/registers.toml")) for item in written(file.parent).items()):
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        differ += 1
        if check:
            print(f"{path.relative_to(ROOT)} is not what registers.toml says: run python hardware/registers.py", file=sys.stderr)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return int(check and differ > 0)


if __name__ == "__main__":
    sys.exit(main())
