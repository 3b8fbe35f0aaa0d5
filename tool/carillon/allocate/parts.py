# SPDX-License-Identifier: Apache-2.0
"""A counter's queue in parts: one for each level that its alarms wake, and one at the kernel's level for the others.

A part is served at its level, so that it takes nothing from higher tasks.  Higher tasks hold the part back, so the ticks have to
be counted meanwhile.  A service that asks first has what is due served (``kernel/counters/expiry.h``).  All that can stand in
such a part wakes tasks of one level.  Of a level, what is due in two queues, or in a queue and on a cell, would be served in
another order than it came in.  An error hook hears of each activation that is one too many when its alarm expires, and not when a
higher task has ended.

The first part has the counter's cell, at the level of the highest.  The others have the cells and sources that everything else
has left, so that no claim of the system and no round is worse off for them.  The lowest get it first: they have the most tasks
above them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from carillon.allocate.base import Base
from carillon.allocate.osek import queued
from carillon.allocate.result import Carrier, Form
from carillon.allocate.tasks import TaskPlan
from carillon.lower import Demand
from carillon.model.osek import ActivateTask, Alarm, AlarmAction, Hook, Osek, SetEvent

MOST = 255
"""Parts of all counters; 255 is no number (``CounterType``)."""

Spare = Callable[[Demand, int], Carrier | None]
"""What is left to carry another part of a counter's queue, at a level; None if nothing is."""


def split(
    osek: Osek,
    plan: TaskPlan,
    ticking: Sequence[Carrier],
    carried: Sequence[tuple[Alarm, Carrier]],
    taken: Iterable[int],
    base: Base | None,
    spare: Sequence[Spare],
) -> list[Carrier]:
    """The parts of the counters that tick: each counter's first, in the order of ``ticking``, then the others.

    ``taken``: levels on which cells of schedule tables are.  ``spare``: what is left, the best first.
    """
    if plan.software or base is None or not base.ahead or Hook.ERROR in osek.hooks:
        return list(ticking)
    busy = {carrier.task_level for _, carrier in carried} | set(taken)
    levels: list[list[int]] = []
    whole: list[bool] = []
    for part in ticking:
        counter = part.action.object
        actions = [a.action for a in queued(osek, counter, carried)]
        queued_tables = [t for t in osek.schedule_tables if t.counter == counter and not t.cells]
        actions += [a for t in queued_tables for p in t.points for a in p.actions]
        woken = [level_woken(plan, action) for action in actions]
        own_levels = sorted({level for level in woken if level and level not in busy})
        busy.update(own_levels)
        levels.append(own_levels)
        whole.append(all(level in own_levels for level in woken))
    carriers_by_level: list[dict[int, Carrier]] = [{} for _ in ticking]
    wanted = sorted((level, c) for c, own_levels in enumerate(levels) for level in (own_levels[:-1] if whole[c] else own_levels))
    room = MOST - len(osek.counters)
    for left in spare:
        for level, c in wanted[:room]:
            carrier = left(ticking[c].demand, level) if level not in carriers_by_level[c] else None
            if carrier is not None:
                carriers_by_level[c][level] = replace(carrier, form=Form.OWN)
    firsts: list[Carrier] = []
    others: list[Carrier] = []
    for part, own_levels, alone, carriers in zip(ticking, levels, whole, carriers_by_level, strict=True):
        rest = [level for level in own_levels if level not in carriers]
        at_level = alone and len(rest) == 1
        firsts.append(replace(part, level=rest[0], form=Form.OWN) if at_level else part)
        numbered = enumerate(sorted(carriers.items()), len(osek.counters) + len(others))
        others += [replace(carrier, part=number) for number, (_, carrier) in numbered]
    return firsts + others


def level_woken(plan: TaskPlan, action: AlarmAction) -> int:
    """The level at which a part may serve an action; 0: the kernel's.

    Levels with threads have no parts.  Several actions have a level if all of them wake tasks of this one.  At the level of the
    highest of their tasks, they could be held back, and what a lower level's part has for one of them would come out of order.
    """
    if not all(isinstance(one, ActivateTask | SetEvent) for one in action.each):
        return 0
    levels = {plan.level_of(one.object) for one in action.each}
    if len(levels) > 1:
        return 0
    level = levels.pop()
    return 0 if any(t.thread for t in level.tasks) else level.number
