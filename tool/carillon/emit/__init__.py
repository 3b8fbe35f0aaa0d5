# SPDX-License-Identifier: Apache-2.0
"""Emission: the image written down as C, one module per generated file.

Same input, same bytes: no dates, no paths; the schedule's digest and the tool's version stand at the top.
"""

from __future__ import annotations

from carillon.emit import blocks, board, config, library, microcode, osek, reserved, round_budgets, tables, text, trace, vectors
from carillon.image import Image
from carillon.image.devices import sync_device


def emit(image: Image) -> dict[str, str]:
    """The generated files: name -> text."""
    files = (
        {
            "carillon_config.h": config.emit(image),
            "vectors.c": vectors.emit(image),
        }
        | board.emit(image)
        | reserved.emit(image)
        | round_budgets.emit(image)
        | trace.emit(image)
    )
    if image.system.board.vectors == "code":
        files["names.ld"] = vectors.names(image)
    if image.library:
        files |= {library.ALIASES: library.aliases(image), library.FRAGMENT: library.fragment(image)}
        files |= {library.CHECK: library.check(image)} if library.checked(image) else {}
    if image.modes:
        files["tables.c"] = tables.emit(image)
    if any(mode.sync is not None for mode in image.modes):
        files["carillon_sync_cells.h"] = text.device(image, sync_device(image))
    if image.osek is not None:
        files |= {f"carillon_{device.header.lower()}.h": text.device(image, device) for device in image.osek.devices}
        files |= osek.emit(image) | microcode.emit(image) | blocks.emit(image)
    return files
