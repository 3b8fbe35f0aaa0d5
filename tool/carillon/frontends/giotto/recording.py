# SPDX-License-Identifier: Apache-2.0
"""S code that is made of what a scheduler has decided on a target (SPEC, section 'Recorded S code').

For each block, it dispatches the tasks that ran behind it, in the scheduler's order, and ends then.  What is unfinished beside
them is the scheduler's, as for all partial microcode, so that a task that never ran there while it was recorded is not lost.
"""

from __future__ import annotations

from collections.abc import Iterable

from carillon.frontends.giotto.blocks import blocks, ends
from carillon.frontends.giotto.compile import Plan
from carillon.microcode.compiled import Compiled
from carillon.microcode.upload import Decision
from carillon.model.giotto import Giotto


def recorded(source: Giotto, compiled: Compiled, decisions: Iterable[Decision]) -> Plan:
    """The S code of decisions that a target has recorded while it ran ``compiled``, which has none.

    Decisions behind an address at which no block ends are not of this program: ``KeyError``.
    """
    places = ends(source, compiled)
    names = [task.name for task in compiled.program.tasks]
    plan = Plan({}, {})
    for it in sorted(decisions, key=lambda it: (it.order, it.task)):
        block = places[it.block]
        block.set(plan, tuple(dict.fromkeys((*block.order(plan), names[it.task]))))
    return plan


def text_of(source: Giotto, plan: Plan, heading: str) -> str:
    """A plan as a file of S code."""
    lines = ["; SPDX-License-Identifier: Apache-2.0", f"; {heading}"]
    lines += [f".order {block} {', '.join(block.order(plan))}" for block in dict.fromkeys(blocks(source)) if block.order(plan)]
    return "\n".join(lines) + "\n"
