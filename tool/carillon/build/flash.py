# SPDX-License-Identifier: Apache-2.0
"""The command that loads an image into a chip: the board's ``[flash]`` with the files that the build has written."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from carillon.build import Firmware
from carillon.diagnostics import Diagnostics
from carillon.model.board import Board
from carillon.model.tools import Flash

PORT = "{port}"


def flashable(board: Board, diagnostics: Diagnostics) -> Flash | None:
    """How images are loaded into the board; None after C291 if its file does not say."""
    if board.flash is None:
        diagnostics.error(
            "C291",
            None,
            f"nothing loads images into board '{board.name}': its file has no [flash]",
            "write [flash] with the 'command' of your programmer, or load the ELF, HEX or BIN file of carillon build yourself",
        )
    return board.flash


def way_to_install(program: str, packages: Sequence[str]) -> str:
    """What installs a program: Debian's packages, or what pipx, if that is one of them, installs from Python's index.

    pipx is not named if it is there: who has installed it is told the next step.
    """
    rest = [package for package in packages if package != "pipx" or shutil.which("pipx") is None]
    steps = [f"on Debian: apt-get install {' '.join(rest)}"] if rest else []
    if "pipx" in packages:
        steps.append(f"pipx install {program}, and pipx ensurepath if it is not in PATH then")
    return "; then ".join(steps) or f"install {program}, and put it into PATH"


def installed(board: Board, how: Flash, diagnostics: Diagnostics) -> bool:
    """Whether the programmer is in the search path; reports C092 else."""
    name = how.command[0]
    if shutil.which(name) is not None:
        return True
    remedy = way_to_install(name, how.packages)
    if how.drive:
        remedy += f"; or build the image, and copy the UF2 file to the drive {how.drive}"
    diagnostics.error("C092", None, f"board '{board.name}' needs the programmer '{name}', which is not installed", remedy)
    return False


def fits(board: Board, how: Flash, firmware: Firmware, diagnostics: Diagnostics) -> bool:
    """Whether the image is no longer than what the boot loader leaves; reports C292 else."""
    size = next(image.stat().st_size for image in firmware.images if image.suffix == ".bin")
    if how.bytes == 0 or size <= how.bytes:
        return True
    cause = f"the image has {size} bytes, and board '{board.name}' has room for {how.bytes}"
    diagnostics.error("C292", None, cause, "use less code or constants, or a larger chip")
    return False


def command(how: Flash, firmware: Firmware, port: str) -> list[str]:
    """The programmer's command line."""
    files: Mapping[str, Path] = {path.suffix[1:]: path for path in (firmware.elf, *firmware.images)}
    values = {PORT: port} | {f"{{{kind}}}": str(path) for kind, path in files.items()}
    line = list(how.command)
    for name, value in values.items():
        line = [part.replace(name, value) for part in line]
    return line
