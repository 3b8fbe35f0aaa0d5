# SPDX-License-Identifier: Apache-2.0
"""A node of a network: firmware of a virtual board, linked once more as a shared object that a network can load."""

from __future__ import annotations

from pathlib import Path

from carillon.build import Firmware, build
from carillon.diagnostics import Diagnostics, Span
from carillon.files import link
from carillon.image import Image
from carillon.resources import data_root

SHARED = ("-fPIC",)
"""A shared object lies anywhere in memory."""
_LINK = ("-shared", "-Wl,-Bsymbolic")


def build_node(image: Image, folder: Path, diagnostics: Diagnostics) -> tuple[Firmware, Path] | None:
    """Build and verify as any firmware, from the same objects that become the node; None after errors, as :func:`build` has."""
    firmware = build(image, folder, diagnostics, options=SHARED)
    if firmware is None:
        return None
    node = firmware.elf.with_suffix(".so")
    linked = ["-no-pie", "-fno-pie"]  # of a program
    command = [part for part in firmware.steps.linked if part not in linked]
    command[command.index(str(firmware.elf))] = str(node)
    command[1:1] = [*_LINK, f"-Wl,--version-script={data_root() / 'emulators/network/node.map'}"]
    result = link(command, node)
    if result.returncode:
        cause = f"the linker refuses it as a node of a network:\n{result.stderr.rstrip()}"
        diagnostics.error("C091", Span(image.system.file.name), cause, "define what it misses")
        return None
    return firmware, node
