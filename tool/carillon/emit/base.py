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
    base, cell, whole = osek.allocation.base, osek.base, osek.allocation.base.kind is not BaseKind.DOWN
    family = base.array.family.name
    what = cell.use.cell.name if cell is not None else "a counter that never stops"
    values = {"PERIOD": f"{0 if whole else base.period}u", "MOST": f"{base.counted}u", "AHEAD": f"{base.ahead}u"}
    if cell is None:
        left = f"0u - {family.upper()}_FREE"
    elif base.kind is BaseKind.UP:
        left = f"0u - {text.macro(cell, 'UP', cell.number)}"
    else:
        counter = text.macro(cell, "COUNTER", cell.number)
        left = f"carillon_port_read({counter})"
        if not whole and osek.tables:
            values["COUNTER"] = counter
            values["NEAR"] = f"{osek.tables[0].near}u /* a start of a schedule table takes less */"
            values["EARLY"] = f"{osek.lead}u /* from its start to time 0 */"
            values["GUARD"] = f"{osek.guard}u /* from what it reads as time 0 to time 0 */"
    origin = osek.origin % (1 << base.bits if whole else base.period)
    values |= {"ORIGIN": f"((carillon_base){origin}u)", "LEFT": f"({left})"}
    return text.device(image, "BASE", family, f"The time base is {what}.", values)
