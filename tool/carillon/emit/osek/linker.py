# SPDX-License-Identifier: Apache-2.0
"""``osek.ld``: which function is the vector of a direct task."""

from __future__ import annotations

from carillon.allocate.osek import TaskKind
from carillon.emit import text
from carillon.emit.osek.common import is_acknowledged
from carillon.image import Image


def linker_script(image: Image) -> str:
    """Names for the linker.

    TerminateTask and ChainTask within a function called by a task must find the way out of it: whoever refers to
    them makes every direct task's vector a frame to come back to.
    """
    assert image.osek is not None
    allocation = image.osek.allocation
    lines = [text.head(image, "Which function is the vector of a direct task."), ""]
    lines += [
        "PROVIDE(carillon_terminate_used = carillon_osek_TerminateTask);",
        "PROVIDE(carillon_chain_used = carillon_osek_ChainTask);",
    ]
    for level in allocation.levels:
        if level.kind is TaskKind.DIRECT:
            name = level.tasks[0].name
            plain = f"carillon_acknowledged_{name}" if is_acknowledged(level) else f"carillon_task_{name}"
            lines.append(
                f"carillon_vector_{name} = (DEFINED(carillon_terminate_used) || DEFINED(carillon_chain_used)) ? "
                f"carillon_framed_{name} : {plain};"
            )
    return "\n".join([*lines, ""])
