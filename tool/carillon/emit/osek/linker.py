# SPDX-License-Identifier: Apache-2.0
"""``osek.ld``: which function is the vector of a direct task."""

from __future__ import annotations

from carillon import c_names
from carillon.emit import text
from carillon.image import Image


def linker_script(image: Image) -> str:
    """Names for the linker.

    TerminateTask and ChainTask within a function called by a task must find the way out of it. Whoever refers to them makes every
    direct task's vector a frame to come back to.
    """
    assert image.osek is not None
    lines = [text.head(image, "Which function is the vector of a direct task."), ""]
    lines += [
        "PROVIDE(carillon_terminate_used = carillon_osek_TerminateTask);",
        "PROVIDE(carillon_chain_used = carillon_osek_ChainTask);",
    ]
    for it in image.osek.direct:
        name, source = it.level.tasks[0].name, it.level.source
        symbol, framed = f"carillon_vector_{name}", f"carillon_framed_{name}"
        plain = c_names.task(name) if it.cell is None and not image.system.noted else f"carillon_acknowledged_{name}"
        if it.body:
            symbol, framed, plain = c_names.entry(source), c_names.frame(source), c_names.enter(plain)
        lines.append(f"{symbol} = (DEFINED(carillon_terminate_used) || DEFINED(carillon_chain_used)) ? {framed} : {plain};")
    return "\n".join([*lines, ""])
