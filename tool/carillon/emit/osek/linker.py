# SPDX-License-Identifier: Apache-2.0
"""``osek.ld``: which function is the vector of a direct task."""

from __future__ import annotations

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
        name = it.level.tasks[0].name
        plain = "task" if it.cell is None else "acknowledged"
        lines.append(
            f"carillon_vector_{name} = (DEFINED(carillon_terminate_used) || DEFINED(carillon_chain_used)) ? "
            f"carillon_framed_{name} : carillon_{plain}_{name};"
        )
    return "\n".join([*lines, ""])
