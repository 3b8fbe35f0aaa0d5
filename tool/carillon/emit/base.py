# SPDX-License-Identifier: Apache-2.0
"""``carillon_base.h``: which counter is the time base (``kernel/osek/base.h``)."""

from __future__ import annotations

from carillon.emit import text
from carillon.image import Image
from carillon.model.family import BaseKind


def emit(image: Image) -> dict[str, str]:
    """The generated header; none if there is no time base."""
    osek = image.osek
    if osek is None or osek.allocation.base is None:
        return {}
    base, cell = osek.allocation.base, osek.base
    family = base.array.family.name
    if cell is None:
        left, what = f"0u - {family.upper()}_FREE", "a counter that never stops"
    else:
        what = cell.use.cell.name
        if base.kind is BaseKind.UP:
            left = f"0u - {text.macro(cell, 'UP', cell.number)}"
        else:
            left = f"carillon_port_read({text.macro(cell, 'COUNTER', cell.number)})"
    lines = ["", f'#include "cells/{family}/cell.h"', ""]
    whole = base.kind is not BaseKind.DOWN
    lines += [f"#define CARILLON_BASE_PERIOD {0 if whole else base.period}u", f"#define CARILLON_BASE_MOST {base.counted}u"]
    lines += [f"#define CARILLON_BASE_AHEAD {base.ahead}u"]
    if base.kind is BaseKind.DOWN and cell is not None and osek.tables:
        lines += [f"#define CARILLON_BASE_COUNTER {text.macro(cell, 'COUNTER', cell.number)}"]
        lines += [f"#define CARILLON_BASE_NEAR {osek.tables[0].near}u /* a start of a schedule table takes less */"]
        lines += [f"#define CARILLON_BASE_EARLY {osek.lead}u /* from its start to time 0 */"]
        lines += [f"#define CARILLON_BASE_GUARD {osek.guard}u /* from what it reads as time 0 to time 0 */"]
    origin = osek.origin % (1 << base.bits if whole else base.period)
    lines += [f"#define CARILLON_BASE_ORIGIN ((carillon_base){origin}u)", f"#define CARILLON_BASE_LEFT ({left})"]
    return {"carillon_base.h": text.header(image, f"The time base is {what}.", "CARILLON_BASE_DEVICE_H", lines)}
