# SPDX-License-Identifier: Apache-2.0
"""Why an allocation is as it is, or why there is none, in short sentences."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from carillon.actions import CostTable, Served
from carillon.allocate.fit import SourceClass, intervals_of
from carillon.allocate.options import GOES_ON, RUNS_ON, WITHOUT, DemandOptions
from carillon.allocate.problem import Choice, Problem, Solution
from carillon.allocate.progressions import EXACT_LIMIT
from carillon.allocate.result import Carrier, Style
from carillon.lower import Demand, ExpiryPoint
from carillon.model import Window
from carillon.model.board import Cells
from carillon.model.family import Rearm, Start
from carillon.units import format_duration


def count(number: int, word: str) -> str:
    """``1 cell``, ``2 cells``."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def subject(demand: Demand) -> str:
    """How a sentence names the demand's object."""
    return f"{demand.action.subject} '{demand.object}'"


def reasons(problem: Problem, solution: Solution, round_length: int) -> tuple[str, ...]:
    """The sentences of ``carillon plan``, in the order of the demands; what holds for the whole mode comes last."""
    result: list[str] = []
    tabled: list[Demand] = []
    unit = problem.board.code_unit
    for options, choice in zip(problem.options, solution.choices, strict=True):
        demand = options.demand
        if choice is None:
            why = "no cell left" if options.splits else (options.refusals or ["no cell can express them"])[0]
            result.append(f"deadlines of '{demand.object}' are not watched: {why}")
            continue
        if choice.split.style is Style.TABLE:
            tabled.append(demand)
            continue
        result.append(_carried(problem, options, choice, round_length))
        if choice.lowered:
            others = _alternating(problem, solution, options)
            why = f"its windows and those of {others} alternate" if others else "the priority levels do not suffice otherwise"
            result.append(f"{subject(demand)} runs lowered: {why}; {problem.costs.lowered * len(demand.points)} {unit} a round")
        if options.partition is not None and not options.partition.exact:
            result.append(f"{subject(demand)}: with more than {EXACT_LIMIT} points the fewest cells were estimated, not proved")
    if tabled:
        served = [(d, Served(len(d.points), problem.activations_of(d.object), shared=False, table=True)) for d in tabled]
        price = sum(d.action.price(how, problem.costs) for d, how in served)
        points = count(sum(len(d.points) for d in tabled), "point")
        tasks = count(len({d.object for d in tabled if d.action.runs}), "task")
        result.append(f"{points}, of {tasks}, are in a table on one cell, for want of cells: {price} {unit} a round")
    if not solution.optimal:
        result.append(f"not proved optimal: at least {solution.bound} of the {solution.overhead} {unit} a round are needed")
    elif not solution.fewest_levels:
        result.append(f"proved to need the fewest {unit}; not proved to need the fewest cells and levels at that cost")
    return tuple(result)


def _carried(problem: Problem, options: DemandOptions, choice: Choice, round_length: int) -> str:
    demand, split = options.demand, choice.split
    points = len(demand.points)
    word = demand.action.word
    timers = [(p, b) for b in split.bundles for p in b.progressions]
    shared = split.style is Style.MULTIPLEXED
    cells = sum(
        len(b.progressions) * problem.classes[c].array.needed(demand.role, shared)
        for b, c in zip(split.bundles, choice.classes, strict=True)
    )
    name = subject(demand)
    if shared:
        price = _multiplexing(problem.costs, problem, demand)
        reloaded = problem.classes[choice.classes[0]].array.rearm is Rearm.RELOAD
        price += problem.costs.multiplexed_reload * points if reloaded else 0
        on = f"{count(cells, 'cell')}{', one of which keeps the time' if reloaded else ''}"
        instead = len(options.partition.progressions) if options.partition is not None else 0
        array = problem.classes[choice.classes[0]].array
        if runs_freely(array, round_length):
            why = f"because its timer cannot count a round of {round_length} ticks and runs freely"
        elif not instead:
            why = "because a cell of its own cannot keep every one of them"
        else:
            why = f"because the board's {_sources([g for g in problem.classes if g.slots(demand.role)])} do not suffice for all"
        each = f" instead of {count(instead, 'timer')}" if instead > 1 else ""
        firsts = len(demand.followed)
        first = "" if firsts == points else f", which watches the first of each activation ({firsts}), and so all"
        return f"{name}: {count(points, word)} multiplexed on {on}{first}: {price} {problem.board.code_unit} a round{each}, {why}"
    if len(timers) == 1:
        if points == 1:
            return f"{name}: {count(points, word)}, {_these(cells)} of period {round_length} ticks"
        period = timers[0][0].period
        return f"{name}: {points} {word}s are equally spaced, {_these(cells)} of period {period} ticks carries them all"
    spread = f"{name}: {count(points, word)} on {cells} cells of {count(len(split.bundles), 'interrupt source')}"
    fewest = len(options.partition.progressions) if options.partition is not None else len(timers)
    if len(timers) > fewest:
        return f"{spread}, {len(timers) - fewest} more timers than it needs, so that its activations have levels of their own"
    if fewest < points:
        return f"{spread}, as they fall into {fewest} equally spaced series"
    return f"{spread}, as no two of them are equally spaced in the round"


def runs_freely(array: Cells, round_length: int) -> bool:
    """Whether a timer whose cells are channels is too narrow for the round: if they are re-armed, it runs freely."""
    return array.start is Start.TIMER and round_length > 1 << array.width


NEVER_LATE_BITS = 32
"""Of a counter so wide, a turn takes a minute at least: nothing is held back for so long."""


def free_reasons(carriers: Sequence[Carrier], round_length: int, clock_hz: int) -> tuple[str, ...]:
    """The sentences of ``carillon plan`` on free-running timers: the delays that their channels cannot make good."""
    names_by_turn: dict[int, list[str]] = {}
    matched: dict[int, list[str]] = {}
    laps = 0
    for carrier, use in ((c, u) for c in carriers if c.style is not Style.DIRECT for u in c.cells):
        if runs_freely(use.cell.array, round_length):
            turn = 1 << use.cell.array.width
            names_by_turn.setdefault(turn, []).append(use.cell.name)
            times = sorted(t % round_length for t in carrier.demand.times)
            laps += sum((i - 1) // turn for i in intervals_of(times, round_length)) if carrier.action.runs else 0
    for use in (u for c in carriers for u in c.cells if u.cell.array.moves and u.cell.array.width < NEVER_LATE_BITS):
        matched.setdefault(1 << use.cell.array.width, []).append(use.cell.name)
    sentences = [
        f"the counter of {', '.join(cells)} turns every {turn} ticks ({format_duration(turn, clock_hz)}): where interrupts are "
        f"locked for longer, what {'it' if len(cells) == 1 else 'each'} carries is late by whole turns from then on"
        for turn, cells in names_by_turn.items()
    ]
    sentences += [
        f"the counter of {', '.join(dict.fromkeys(cells))} turns every {turn} ticks ({format_duration(turn, clock_hz)}): where a "
        f"handler is held back for longer, what its cell carries is late by whole turns from then on"
        for turn, cells in matched.items()
    ]
    return (*sentences, f"its turns are counted by {laps} interrupts a round, which start nothing") if laps else tuple(sentences)


def joined_reasons(carriers: Sequence[Carrier], costs: CostTable, unit: str) -> tuple[str, ...]:
    """The sentences of ``carillon plan`` on interrupt sources that several objects share."""
    sentences = []
    for source in dict.fromkeys(c.source for c in carriers):
        sharers = sorted((c for c in carriers if c.source == source), key=lambda c: c.turn)
        if len(sharers) < 2:
            continue
        objects = listed([c.demand.object for c in sharers])
        group = f"the {sharers[0].action.word}s of {objects} have interrupt source {source} together"
        if not sharers[0].action.gathers:
            asked = costs.ask * sum(len(c.cells) for c in sharers)
            price = f"some {asked} {unit} when one is missed, and none otherwise"
            sentences.append(f"{group}: its handler asks the cells' flags, {price}")
            continue
        prices, cells = [], 0
        for carrier in sharers:
            cells += len(carrier.cells)
            prices.append(f"{costs.ask * cells} for '{carrier.demand.object}'")
        sentences.append(
            f"{group}, for want of sources: its handler asks the cells' flags in this order at each point, some "
            f"{', '.join(prices[:-1])} and {prices[-1]} {unit}"
        )
    return tuple(sentences)


def listed(names: Sequence[str]) -> str:
    """``'a'``, ``'a' and 'b'``, ``'a', 'b' and 'c'``."""
    return joined([f"'{name}'" for name in names])


def joined(parts: Sequence[str]) -> str:
    """Joins parts as :func:`listed` does, but without quotes; there is at least one part."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


def _these(cells: int) -> str:
    return "one cell" if cells == 1 else f"one timer ({cells} cells)"


def _multiplexing(costs: CostTable, problem: Problem, demand: Demand) -> int:
    """What a round takes more since multiplexing the demand costs."""
    return demand.action.price(Served(len(demand.points), problem.activations_of(demand.object), shared=True), costs)


def _alternating(problem: Problem, solution: Solution, mine: DemandOptions) -> str:
    """Tasks that alternate with this one: each task has a point inside a window of the other."""
    names = []
    points = mine.demand.points
    for options, choice in zip(problem.options, solution.choices, strict=True):
        demand = options.demand
        if demand is mine.demand or not demand.action.runs or choice is None:
            continue
        other = demand.points
        if _falls_into(points, other) and _falls_into(other, points):
            names.append(f"'{demand.object}'")
    if len(names) > 3:
        return ", ".join(names[:3]) + f" and {len(names) - 3} more"
    return " and ".join(names)


def _falls_into(windows: Sequence[ExpiryPoint], points: Sequence[ExpiryPoint]) -> bool:
    """Whether one of ``points`` lies inside one of ``windows`` (both ascending)."""
    times = [point.at for point in points]
    for window in windows:
        position = bisect_right(times, window.at)
        if position < len(times) and times[position] < window.window_end:
            return True
    return False


def _sources(groups: Sequence[SourceClass]) -> str:
    """What the board has, the control cell aside: ``8 cells`` or ``64 interrupt sources (256 cells)``."""
    sources = sum(len(g.sources) for g in groups)
    cells = sum(g.cells for g in groups)
    return count(cells, "cell") if sources == cells else f"{count(sources, 'interrupt source')} ({count(cells, 'cell')})"


def conflict_cause(problem: Problem, chosen: Sequence[DemandOptions], mode: str) -> str:
    """The text on a conflict: each demand's least number of cells, and the cells that the board has for them."""
    parts = []
    groups: set[int] = set()
    for options in chosen:
        demand = options.demand
        usable = {c for c, g in enumerate(problem.classes) if g.slots(demand.role)}
        groups |= {c for s in options.splits for b in s.bundles for c in b.classes} or usable
        plain = all(len(g.sources) == g.cells for g in problem.classes)
        joins = demand.action.joins and options.minimum == 1 and any(g.joined > 1 for g in problem.classes)
        unit = "cell" if plain or joins else "interrupt source"
        parts.append(f"{subject(demand)} ({demand.role.value}): at least {count(options.minimum, unit)}")
    stock = _sources([problem.classes[c] for c in sorted(groups)])
    control = " besides the one for the switch of modes" if problem.control else ""
    name = problem.board.name
    return f"mode '{mode}': the cells do not suffice: {'; '.join(parts)}; board '{name}' has {stock} for them{control}"


def conflict_remedy(problem: Problem, chosen: Sequence[DemandOptions], window: Window) -> str:
    """The remedies for a conflict, most specific first.  ``window``: how the mode's windows end."""
    result = []
    shares = {
        RUNS_ON: "shorten its WCET, or move its activations apart"
        if window is Window.WCET
        else 'give each activation an "always" deadline that is not after the next one, or write window = "wcet" and every WCET',
        WITHOUT: "give each activation a deadline",
        GOES_ON: 'on_deadline_miss = "shutdown"',
    }
    watched = sorted({o.demand.object for o in chosen if o.demand.action.wraps})
    if watched:
        names = ", ".join(f"'{name}'" for name in watched)
        result.append(f'give {names} monitor = "if-cells-allow" or "never"')
    for options in chosen:
        if options.minimum > 1 and options.no_sharing in shares:
            advice = f"let {subject(options.demand)} share a cell ({options.no_sharing}): {shares[options.no_sharing]}"
            result.append(advice)
    alike: dict[tuple[int, ...], list[str]] = {}
    for options in chosen:
        if options.demand.action.runs:
            times = options.demand.times
            alike.setdefault(tuple(t - times[0] for t in times), []).append(options.demand.object)
    pair = next((names[:2] for names in alike.values() if len(names) > 1), None)
    if pair is not None:
        result.append(f"let one task do the work of '{pair[0]}' and '{pair[1]}', whose activations are equally far apart")
    total = sum(o.minimum for o in chosen)
    plain = all(len(g.sources) == g.cells for g in problem.classes)
    result.append(f"choose a board with at least {count(total, 'such cell' if plain else 'such interrupt source')}")
    return "; or ".join(result)
