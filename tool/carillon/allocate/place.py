# SPDX-License-Identifier: Apache-2.0
"""From a choice to physical cells and levels: always the same way, so that equal input gives equal output."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from carillon.actions.dispatch import Dispatch
from carillon.allocate.fit import Fitter, Source, SourceClass
from carillon.allocate.gather import Group
from carillon.allocate.guard import common_levels, guarded
from carillon.allocate.levels import Windows, successors
from carillon.allocate.options import Bundle
from carillon.allocate.problem import Choice, Problem, room_taken
from carillon.allocate.result import Carrier, Cell, CellUse, Progression, Style
from carillon.lower import Demand, ExpiryPoint, points_in_order
from carillon.model.board import Role
from carillon.model.family import Start


def cell_use(
    fitter: Fitter,
    source: Source,
    slot: int,
    role: Role,
    style: Style,
    progression: Progression,
    times: Sequence[int],
    round_length: int,
) -> CellUse:
    """The use of the timer whose first cell is ``slot``; the combination must fit."""
    array = source.array
    direct = style is Style.DIRECT
    prescaler = (
        fitter.direct(array, progression)
        if direct
        else fitter.multiplexed(array, times, round_length, laps=role is Role.ACTIVATION)
    )
    assert isinstance(prescaler, int), prescaler
    cell = Cell(array, slot, array.needed(role, shared=not direct))
    if not direct and array.start is Start.TIMER:
        progression = Progression(progression.offset, fitter.turn(array))
    return CellUse(cell, progression, prescaler, array.units(1, fitter.clock_hz, prescaler))


def place(
    problem: Problem,
    choices: Sequence[Choice | None],
    fitter: Fitter,
    round_length: int,
    control: Carrier | None,
    groups: Sequence[Group] = (),
) -> tuple[list[Carrier], int, int]:
    """All carriers with cells and levels, the number of levels, and the level of interrupts above tasks (0: none).

    Demands get sources in order of their actions, then of the file, ascending by number within each class.  Those of one of
    the ``groups`` get one together.
    """
    free: list[list[Source]] = [list(group.sources) for group in problem.classes]
    order = sorted(range(len(choices)), key=lambda d: (problem.options[d].demand.action.rank, d))
    placed: list[tuple[Demand, Choice, Bundle, Source]] = []
    joining: dict[int, list[int]] = {}  # by class: bundles that need no source of their own
    tabled: list[tuple[Demand, int]] = []
    group_of = {d: group for group in groups for d in group.members}
    gathered: dict[Group, tuple[Source, int]] = {}  # the source, and how many of its timers are given away
    first_slot: dict[int, int] = {}
    turns: dict[int, int] = {}
    for d in order:
        choice = choices[d]
        if choice is None:
            continue
        if choice.split.style is Style.TABLE:
            tabled.append((problem.options[d].demand, choice.classes[0]))
            continue
        pairs = sorted(zip(choice.split.bundles, choice.classes, strict=True), key=lambda p: p[0].progressions[0].offset)
        for bundle, c in pairs:
            demand, group = problem.options[d].demand, problem.classes[c]
            if d in group_of:
                source, given = gathered.get(group_of[d]) or (free[c].pop(0), 0)
                gathered[group_of[d]] = source, given + len(bundle.progressions)
                first_slot[len(placed)] = given
                turns[len(placed)] = group_of[d].members.index(d)
                placed.append((demand, choice, bundle, source))
                continue
            if room_taken(demand, choice.split.style, bundle, group) == group.joined:
                placed.append((demand, choice, bundle, free[c].pop(0)))
                continue
            joining.setdefault(c, []).append(len(placed))
            placed.append((demand, choice, bundle, group.sources[0]))
    for c, those in joining.items():  # on as many sources as are left, so that they share one only where they must
        count = min(len(those), len(free[c]) - any(c == other for _, other in tabled))
        sources = [free[c].pop(0) for _ in range(count)]
        for position, k in enumerate(those):
            placed[k] = (*placed[k][:3], sources[position % count])
            first_slot[k] = position // count

    activations = [item for item in placed if item[0].action.runs]
    demands = list({id(demand): demand for demand, *_ in activations}.values())
    windows = Windows(demands, problem.board.nesting == "time")
    index = {id(demand): k for k, demand in enumerate(demands)}
    bits = [windows.bits(index[id(demand)], bundle.points) for demand, _, bundle, _ in activations]
    inside = [windows.inside(index[id(demand)], bundle.points) for demand, _, bundle, _ in activations]
    lowered = [choice.lowered for _, choice, _, _ in activations]
    together = [source.number for *_, source in activations]
    others = problem.control or any(not demand.action.runs for demand, *_ in placed)
    most = problem.levels.for_activations(any(lowered) or bool(tabled), others) - bool(tabled)
    owners = [demand for demand, *_ in activations]
    paths = common_levels(successors(bits, inside, lowered), owners, lowered, most, together)
    base = int(problem.levels.below_tasks)
    level = [base + n for n in paths[0]]
    highest = max(level, default=base)
    points = tuple(points_in_order((demand for demand, _ in tabled), round_length))
    times = sorted({point.at % round_length for point in points})
    # No task may delay a deadline, which is there for overruns, nor a re-enable point, which belongs to no task.
    over = [n for n, item, low in zip(level, activations, lowered, strict=False) if not low and _reaches(item[0], item[2], times)]
    table = 1 + (highest if any(not point.action.runs for point in points) else max(over, default=base))
    highest = max(highest, table) if tabled else highest
    above = highest + 1 if problem.levels.above_tasks else 0
    top = highest + int(problem.levels.above_tasks) + 1

    carriers = []
    for k, (demand, choice, bundle, source) in enumerate(placed):
        slots = source.slots(demand.role, choice.split.style is Style.MULTIPLEXED)[first_slot.get(k, 0) :]
        uses = tuple(
            cell_use(fitter, source, slot, demand.role, choice.split.style, progression, demand.followed, round_length)
            for slot, progression in zip(slots, bundle.progressions, strict=False)
        )
        own = level[k] if k < len(activations) else top
        carriers.append(Carrier(demand, source.number, uses, choice.split.style, own, choice.lowered, turn=turns.get(k, 0)))
    if tabled:
        carriers.append(_table(points, times, free[tabled[0][1]].pop(0), fitter, round_length, table))
    if control is not None:
        carriers.append(Carrier(control.demand, control.source, control.cells, control.style, top, False))
    carriers = guarded(carriers, problem.board, problem.levels.above_tasks)
    carriers.sort(key=lambda c: (c.action.rank, min(u.progression.offset for u in c.cells), c.source))
    return carriers, max([above, *(c.level for c in carriers)], default=0), above


def _reaches(demand: Demand, bundle: Bundle, times: Sequence[int]) -> bool:
    """Whether one of ``times`` (ascending) lies inside a window of one of the bundle's points."""
    for point in (demand.points[i] for i in bundle.points):
        k = bisect_right(times, point.at)
        if k < len(times) and times[k] < point.window_end:
            return True
    return False


def _table(
    points: tuple[ExpiryPoint, ...], times: Sequence[int], source: Source, fitter: Fitter, round_length: int, level: int
) -> Carrier:
    """The carrier of a table: one cell among all these points, whose tasks run lowered.

    With deadlines or re-enable points its level is above all tasks.  With activations alone it is above those whose windows
    they fall into, and not above others, which begin on their ticks although the handler may be under way.
    """
    demand = Demand(Dispatch("table"), points, required=True, bounded=True)
    slot = source.slots(Role.SYSTEM, shared=True)[0]
    style = Style.MULTIPLEXED if len(times) > 1 else Style.DIRECT
    progression = Progression(times[0], round_length)
    use = cell_use(fitter, source, slot, Role.SYSTEM, style, progression, times, round_length)
    return Carrier(demand, source.number, (use,), Style.MULTIPLEXED, level, lowered=True)


def control_carrier(
    classes: Sequence[SourceClass], demands: Sequence[tuple[Demand, int]], fitter: Fitter
) -> tuple[list[Carrier] | None, list[str]]:
    """One and the same cell, the board's last that can do it, for the control points of all modes.

    ``demands`` are each mode's control demand, of one point, and its round's length.  The carriers have
    level 0 until they are placed.  None with the reasons where no cell serves all modes.
    """
    refusals: list[str] = []
    for group in reversed(classes):
        if not group.slots(Role.CONTROL):
            continue
        source = group.sources[-1]
        slot = source.slots(Role.CONTROL)[-1]
        carriers = []
        for demand, round_length in demands:
            progression = Progression(demand.points[0].at % round_length, round_length)
            answer = fitter.direct(group.array, progression)
            if isinstance(answer, str):
                refusals.append(f"{group.array.family.name} cells: {answer}")
                break
            use = cell_use(fitter, source, slot, Role.CONTROL, Style.DIRECT, progression, demand.times, round_length)
            carriers.append(Carrier(demand, source.number, (use,), Style.DIRECT, 0, False))
        else:
            return carriers, []
    return None, refusals or ["no cell of the board serves the role 'control'"]
