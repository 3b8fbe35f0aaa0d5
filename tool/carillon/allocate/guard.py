# SPDX-License-Identifier: Apache-2.0
"""What keeps a task from being entered while it runs: of one task one activation runs and at most one waits.

An interrupt source does that by itself: it is not entered while it is active, its pending bit holds one request, and a
request that comes upon another is absorbed.  A task on several sources has a bit each, and on different levels one
source preempts another.  So, in this order:

1. Where no activation can meet the one before it, nothing is needed.  A deadline that stops the system ends an
   activation in time if it has begun in time; it has, unless something holds it back that nothing stops.
2. Carriers of one task get one level if that breaks no rule of the levels.  The controller keeps them apart then, and
   each handler, when it starts the task, forgets what the task's other sources asked for before (``FORGET``).
3. Otherwise a flag says that the task runs; a handler that finds it set notes that an activation waits, and the one
   that runs the task runs it again (``FLAG``).

A lowered task's exception has ended while it runs, and on a board that nests by time nothing has levels.  In both cases a single
source is held back meanwhile (``HOLD``).  ``FLAG`` is taken where the controller cannot do that, or the cell is to be re-armed
meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from carillon.actions import CostTable
from carillon.allocate.levels import longest_paths
from carillon.allocate.result import Carrier, Guard, Style
from carillon.lower import Demand
from carillon.model.board import Board

NEAR_INSTRUCTIONS = 64
"""From the expiry to the handler's forgetting of other requests it takes fewer instructions, or cycles: what the task's
other sources ask for within them could be forgotten.  Activations of one task on several sources are further apart."""


def near(board: Board, clock_hz: int) -> int:
    """:data:`NEAR_INSTRUCTIONS` in ticks, rounded up; 0 where code takes no time."""
    per_tick = board.clock(clock_hz).instructions_per_tick
    return -(-NEAR_INSTRUCTIONS // per_tick) if per_tick else 0


def nearest(carriers: Sequence[Carrier], round_length: int) -> tuple[int, int] | None:
    """The two nearest activations, as ticks of the round, of a task's guarded carriers that are on different sources.

    None where there are no two such.  The second may be the first of the next round.
    """
    points: list[tuple[int, int]] = []
    for carrier in carriers:
        if carrier.forgets or any(carrier.source in other.forgets for other in carriers):
            points += [(t, carrier.source) for use in carrier.cells for t in use.progression.times(round_length)]
    points.sort()
    best: tuple[int, int] | None = None
    for (at, source), (following, other) in zip(
        points, [*points[1:], *((t + round_length, s) for t, s in points[:1])], strict=True
    ):
        if source != other and (best is None or following - at < best[1] - best[0]):
            best = (at, following)
    return best


def common_levels(
    graph: Sequence[Sequence[int]],
    owners: Sequence[Demand],
    lowered: Sequence[bool],
    most: int,
    sources: Sequence[int] | None = None,
) -> tuple[list[int], list[int]]:
    """As :func:`~carillon.allocate.levels.longest_paths`, but a task's carriers share a level where that can be.

    ``owners``, ``lowered`` and ``sources`` are of each carrier, ``most`` is how many levels there are.  Carriers on one source
    have one level; if none is told, each has its own.  Tasks come in the order of their first carrier; a task that cannot share
    a level keeps several.
    """
    first: dict[int, int] = {}
    home = [first.setdefault(source, node) for node, source in enumerate(sources or range(len(graph)))]
    groups: dict[int, list[int]] = {}
    for node, demand in enumerate(owners):
        groups.setdefault(id(demand), []).append(node)
    paths = longest_paths(_contracted(graph, home))
    assert paths is not None
    for nodes in groups.values():
        if len(nodes) < 2 or lowered[nodes[0]] or owners[nodes[0]].exclusive:
            continue
        nodes_at_home = {home[n] for n in nodes}
        merged = [home[nodes[0]] if home[n] in nodes_at_home else home[n] for n in range(len(graph))]
        merged_paths = longest_paths(_contracted(graph, merged))
        if merged_paths is not None and max(merged_paths[0]) <= most:
            home, paths = merged, merged_paths
    return [paths[0][home[n]] for n in range(len(graph))], paths[1]


def _contracted(graph: Sequence[Sequence[int]], home: Sequence[int]) -> list[list[int]]:
    """The graph with the nodes of each home contracted into one node."""
    contracted: list[set[int]] = [set() for _ in graph]
    for node, targets in enumerate(graph):
        contracted[home[node]] |= {home[t] for t in targets if home[t] != home[node]}
    return [sorted(targets) for targets in contracted]


def guarded(carriers: Sequence[Carrier], board: Board, interrupts_above: bool) -> list[Carrier]:
    """The carriers of a mode with their guards; ``interrupts_above``: interrupts of the application may delay tasks."""
    carriers_by_task: dict[str, list[Carrier]] = {}
    for carrier in carriers:
        if carrier.action.runs:
            carriers_by_task.setdefault(carrier.demand.object, []).append(carrier)
    by_time = board.nesting == "time"
    open_ended = [c for c in carriers if c.action.runs and not c.lowered and not _stopped(c)]
    result = []
    for carrier in carriers:
        if not carrier.action.runs:
            result.append(carrier)
            continue
        group = carriers_by_task[carrier.demand.object]
        lowest = min(c.level for c in group)
        blocked = interrupts_above or any(c.level >= lowest and c.demand is not carrier.demand for c in open_ended)
        # Without levels a deadline does not come before an activation of the same tick.
        stopped = carrier.demand.exclusive and not blocked and not by_time
        alone = not any(c.source == carrier.source and c is not carrier for c in carriers)
        guard = _guard(carrier, group, board, by_time, carrier.demand.vouched or stopped, alone)
        forgotten = tuple(sorted(c.source for c in group if _forgets(guard, carrier, c))) if len(group) > 1 else ()
        result.append(replace(carrier, guard=guard, forgets=forgotten))
    return result


def _forgets(guard: Guard, carrier: Carrier, other: Carrier) -> bool:
    """Whether a handler that starts the task takes back what ``other``, which may be itself, has asked for.

    A source on a higher level has been served before.  With a flag the handler starts the task again for an activation
    that another source noted; its own source cannot preempt it, and may have asked for one more.
    """
    if guard is Guard.FORGET:
        return other is not carrier
    return guard is Guard.FLAG and other.level <= carrier.level


def _stopped(carrier: Carrier) -> bool:
    """Whether a deadline shuts the system down no later than the window's end, for each activation of this carrier."""
    return all(p.stopped_at is not None and p.stopped_at <= p.window_end for p in carrier.demand.points)


def _moves_on(carrier: Carrier) -> bool:
    """Whether a re-armed cell has to be moved on while the task runs, so that its handler must be entered.

    A timer that counts the round tells its handler the time however late the handler is.  And a task whose windows are bounded is
    late only after an overrun, which loses activations anyway.
    """
    free = any(use.progression.period == 1 << use.cell.array.width for use in carrier.cells)
    return carrier.style is Style.MULTIPLEXED and (free or not carrier.demand.bounded)


def _guard(carrier: Carrier, group: Sequence[Carrier], board: Board, by_time: bool, exclusive: bool, alone: bool = True) -> Guard:
    single = len(group) == 1
    if single and not carrier.lowered and not by_time:
        return Guard.NONE
    if single and (carrier.lowered or not exclusive):
        held = carrier.source >= board.request_base and alone and not (by_time and _moves_on(carrier))
        return Guard.HOLD if held else Guard.FLAG
    if exclusive and not carrier.lowered:
        return Guard.NONE
    if len({c.level for c in group}) == 1 and not carrier.lowered and not by_time:
        return Guard.FORGET
    return Guard.FLAG


def guard_cost(guard: Guard, costs: CostTable) -> int:
    """What a guard takes an activation."""
    return {Guard.NONE: 0, Guard.FORGET: costs.forget, Guard.HOLD: costs.hold, Guard.FLAG: costs.flag}[guard]


def guard_reasons(carriers: Sequence[Carrier], costs: CostTable, unit: str) -> tuple[str, ...]:
    """The sentences of ``carillon plan`` on guards: the task, the kind of guard, and its cost."""
    result: dict[str, None] = {}
    for carrier in carriers:
        task, guard = carrier.demand.object, carrier.guard
        if guard is Guard.NONE or (guard is Guard.HOLD and carrier.lowered):
            continue  # holding a lowered task's source back is part of lowering
        why = {
            Guard.FORGET: "a handler that starts it forgets what its other sources asked for",
            Guard.HOLD: "its source is held back while it runs",
            Guard.FLAG: "a flag says that it runs, and another one that an activation waits",
        }[guard]
        result[
            f"task '{task}' may still run when it is activated again: {why}; {guard_cost(guard, costs)} {unit} an activation"
        ] = None
    return tuple(result)
