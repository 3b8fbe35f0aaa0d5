# SPDX-License-Identifier: Apache-2.0
"""``reserved.c``: the bits of the application's own cells in registers to which a start of the kernel's cells stores."""

from __future__ import annotations

from carillon.emit import text
from carillon.image import Image


def emit(image: Image) -> dict[str, str]:
    """The file; none if no start has bits to keep."""
    kept = image.system.board.kept
    if not kept:
        return {}
    lines = [
        text.head(image, "Cells of the application, whose bits a start leaves as they are."),
        '#include "kernel/contract/mode.h"',
    ]
    lines += ["", *(f'#include "cells/{family}/cell.h"' for family in sorted({family for family, _, _ in kept})), ""]
    rows = [f"{family.upper()}_KEEP({number}), /* {name} */" for family, number, name in kept]
    lines += text.table("const struct carillon_store carillon_kept[]", rows)[:-1]
    lines += ["const uint16_t carillon_kept_count = CARILLON_COUNT(carillon_kept);", ""]
    return {"reserved.c": "\n".join(lines)}
