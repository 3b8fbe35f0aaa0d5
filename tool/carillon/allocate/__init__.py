# SPDX-License-Identifier: Apache-2.0
"""Allocation: which timer cell carries which expiry points, by the least kernel code per round.

Every mode is allocated for itself; only the control cell, which takes a switch of modes, is the same in
all.  The objective, in this order: as many optional deadlines watched as possible, the fewest instructions
of kernel code per round by :data:`~carillon.actions.costs.COSTS`, the fewest cells, the fewest levels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from carillon.actions.costs import BENEATH, COSTS
from carillon.actions.switch_mode import SwitchMode
from carillon.allocate.allocation import Allocation
from carillon.allocate.conflict import conflict, feasible, part
from carillon.allocate.conventional import allocate_conventional
from carillon.allocate.explain import conflict_cause, conflict_remedy, free_reasons, joined_reasons, reasons
from carillon.allocate.fit import Fitter, SourceClass, source_classes
from carillon.allocate.gather import LIMIT_SHARE, Group, gather
from carillon.allocate.guard import guard_reasons, near, nearest
from carillon.allocate.memory import Memory
from carillon.allocate.options import DemandOptions, OptionBuilder
from carillon.allocate.place import control_carrier, place
from carillon.allocate.problem import Failure, LevelRules, Problem
from carillon.allocate.result import Carrier, ModeAllocation, Style
from carillon.allocate.solve import ModeSolver
from carillon.allocate.table import find_table, table_remedy
from carillon.allocate.timers import timer_periods
from carillon.diagnostics import Diagnostics
from carillon.lower import LoweredMode
from carillon.model import System
from carillon.model.board import Role
from carillon.units import format_duration

__all__ = ["allocate", "allocate_conventional"]

MOST_IDLE = 24
"""So many other periods of timers are tried in a row without a better allocation."""


def allocate(
    system: System,
    lowered: tuple[LoweredMode, ...],
    diagnostics: Diagnostics,
    *,
    time_limit: float = 20.0,
    taken: frozenset[int] = frozenset(),
    below: int = 0,
    memory: Memory | None = None,
) -> Allocation | None:
    """Allocate every mode; None after an error was reported.

    Sources in ``taken`` and the lowest ``below`` levels are the event-triggered system's.

    ``time_limit`` (> 0) is a limit of work for each mode: what an idle current processor does in as many seconds at most.
    The result does not depend on the machine, nor on how busy it is, nor on what ``memory`` holds of earlier searches.

    Errors: C060 the cells do not suffice, C061 no cell can express an interval, C062 the priority levels do
    not suffice, C063 no allocation within the time limit.  Rules: Sloth on Time, sections IV-A, IV-B, IV-F, VI-A.
    """
    fitter = Fitter(system.board, system.clock_hz, synchronised=system.sync is not None)
    low = next((i for i in system.interrupts if not i.above_tasks), None)
    if system.board.nesting == "time" and low is not None:
        diagnostics.error(
            "C062",
            low.span,
            f"interrupt '{low.name}' cannot be below tasks: board '{system.board.name}' has no priority levels",
            'write priority = "above-tasks", or choose a board with priority levels',
        )
        return None
    classes = source_classes(system.board, taken | {interrupt.source for interrupt in system.interrupts})
    controls = [(d, mode.round_length) for mode in lowered for d in mode.demands if isinstance(d.action, SwitchMode)]
    control: list[Carrier] = []
    if controls:
        found, refusals = control_carrier(classes, controls, fitter)
        if found is None:
            diagnostics.error(
                "C061",
                controls[0][0].span,
                "no cell can take the switch of modes in every mode: " + "; ".join(refusals),
                "choose a board with a cell of role 'control' whose width and units fit every round, or use a single mode",
            )
            return None
        control = found
    busy = taken | {interrupt.source for interrupt in system.interrupts} | {carrier.source for carrier in control}
    modes = [_allocate_mode(system, mode, busy, fitter, control, diagnostics, time_limit, below, memory) for mode in lowered]
    complete = tuple(mode for mode in modes if mode is not None)
    return Allocation("carillon", complete) if len(complete) == len(modes) else None


def _instead(system: System, role: Role) -> str:
    """What to do if no cell of the board can keep a point of this role."""
    if any(array.serves(role) for array in system.board.cells):
        return "use intervals and a round that the cells can express, or a board with wider cells"
    unwatched = 'write monitor = "if-cells-allow" or "never", or ' if role is Role.DEADLINE else ""
    return f"{unwatched}choose a board with cells of role '{role.value}' (carillon boards)"


def _allocate_mode(
    system: System,
    mode: LoweredMode,
    busy: frozenset[int],
    fitter: Fitter,
    controls: list[Carrier],
    diagnostics: Diagnostics,
    time_limit: float,
    below: int,
    memory: Memory | None,
) -> ModeAllocation | None:
    """The mode with the periods of timers that suit it best; where none does, why the round does not."""
    best: ModeAllocation | None = None
    refused: list[tuple[bool, Diagnostics]] = []
    chosen, idle = Diagnostics(), 0
    fitter = replace(fitter, round_length=mode.round_length)
    for timers in timer_periods(system.board, mode, fitter, busy):
        said = Diagnostics()
        fitting = replace(fitter, timers=timers)
        classes = source_classes(system.board, busy, timers)
        found = _allocate_on(system, mode, classes, fitting, controls, said, time_limit, below, memory)
        refused.append((not fitting.frees, said))  # the first of those whose timers run freely, which can do more, says why
        idle += best is not None
        if found is not None and not said.errors and (best is None or _merit(found) < _merit(best)):
            best, chosen, idle = found, said, 0
        if best is not None and not best.unmonitored and all(c.style is Style.DIRECT and not c.lowered for c in best.carriers):
            break  # with other periods, cells could do no more by themselves
        if idle == MOST_IDLE:
            break
    report = chosen if best is not None else min(refused, key=lambda it: it[0])[1]
    diagnostics.found += report.found
    return best


def _queued(system: System, refused: Sequence[DemandOptions]) -> str:
    """The way out for tasks that need not start in hardware: one cell, and a queue."""
    if system.osek is not None or system.giotto is not None or not any(o.demand.action.runs for o in refused):
        return ""
    return (
        "; or let alarms start the tasks, which share one cell and take some code of the kernel: "
        "tasks of [osek], or functions and threads of [time]"
    )


def _merit(mode: ModeAllocation) -> tuple[int, int]:
    """The less the better: deadlines that nobody watches, instructions."""
    return sum(len(demand.points) for demand in mode.unmonitored), mode.overhead


def _allocate_on(
    system: System,
    mode: LoweredMode,
    classes: list[SourceClass],
    fitter: Fitter,
    controls: list[Carrier],
    diagnostics: Diagnostics,
    time_limit: float,
    below: int,
    memory: Memory | None,
) -> ModeAllocation | None:
    demands = [d for d in mode.demands if not isinstance(d.action, SwitchMode)]
    control = next((c for c in controls if any(c.demand is d for d in mode.demands)), None)
    table = find_table(classes, demands, fitter)
    limit = 64 if len(demands) <= 80 else 24
    builder = OptionBuilder(fitter, classes, mode.round_length, system.on_deadline_miss, limit)
    options = tuple(
        builder.build(demand, demand.action.runs, table is not None and d in table.fits) for d, demand in enumerate(demands)
    )
    refused = [o for o in options if o.demand.required and not o.minimum and not o.splits]
    alike: dict[tuple[Role, str], list[DemandOptions]] = {}
    for o in refused:
        why = "; ".join(o.refusals)
        why += f"; {o.no_sharing}" if o.no_sharing and o.no_sharing not in why else ""
        alike.setdefault((o.demand.role, re.sub(r"the point at \d+: ", "", why)), []).append(o)
    for (role, why), group in alike.items():
        names = [f"'{o.demand.object}'" for o in group]
        what = f"{role.value}s of {', '.join(names[:-1]) + ' and ' * (len(names) > 1) + names[-1]}"
        length = f"{mode.round_length} ticks ({format_duration(mode.round_length, system.clock_hz)})"
        diagnostics.error(
            "C061",
            min(o.demand.span for o in group),
            f"no cell of board '{system.board.name}' can keep the {what} in a round of {length}: {why}",
            _instead(system, role) + _queued(system, group),
        )
    if refused:
        return None
    rules = LevelRules(
        system.board.levels,
        below_tasks=below + any(not i.above_tasks for i in system.interrupts),
        above_tasks=any(i.above_tasks for i in system.interrupts),
        lowered=system.board.lowered_levels,
    )
    costs = BENEATH if system.osek is not None and system.osek.budgets else COSTS
    problem = Problem(system.board, options, tuple(classes), rules, control is not None, costs, table)
    result = ModeSolver(problem, time_limit, memory).solve()
    groups: tuple[Group, ...] = ()
    if isinstance(result, Failure):
        gathered = gather(problem, lambda other: ModeSolver(other, LIMIT_SHARE * time_limit, memory).solve(), result)
        if isinstance(gathered, Failure):
            _report(system, mode, problem, gathered, fitter, diagnostics, time_limit)
            return None
        result, groups = gathered
    carriers, levels, above = place(problem, result.choices, fitter, mode.round_length, control, groups)
    _report_near(system, mode, carriers, diagnostics)
    return ModeAllocation(
        mode=mode,
        carriers=tuple(carriers),
        unmonitored=tuple(o.demand for o, choice in zip(options, result.choices, strict=True) if choice is None),
        levels=levels,
        above_tasks_level=above,
        overhead=result.overhead,
        bound=result.bound,
        optimal=result.optimal,
        reasons=(
            *reasons(problem, result, mode.round_length),
            *joined_reasons(carriers),
            *free_reasons(carriers, mode.round_length, system.clock_hz),
            *guard_reasons(carriers),
        ),
        control_at=control.demand.points[0].at if control is not None else None,
    )


def _report_near(system: System, mode: LoweredMode, carriers: Sequence[Carrier], diagnostics: Diagnostics) -> None:
    """Refuse activations of one task on several sources that are so near that one could be forgotten for the other."""
    apart = near(system.board, system.clock_hz)
    for demand in (d for d in mode.demands if d.action.runs):
        pair = nearest([c for c in carriers if c.demand is demand], mode.round_length)
        if pair is not None and pair[1] - pair[0] < apart:
            diagnostics.error(
                "C199",
                next(p.span for p in demand.points if p.at % mode.round_length == pair[1] % mode.round_length),
                f"task '{demand.object}' is activated at tick {pair[0]} and {pair[1] - pair[0]} ticks later by another interrupt "
                f"source; nearer than {apart} ticks the second activation could be taken for one that came before the first",
                "move one of them, or give the task deadlines that stop the system before its next activation",
            )


def _report(
    system: System,
    mode: LoweredMode,
    problem: Problem,
    failure: Failure,
    fitter: Fitter,
    diagnostics: Diagnostics,
    time_limit: float,
) -> None:
    """Say why a mode has no allocation."""
    required = [o for o in problem.options if o.demand.required]
    written = next(m for m in system.modes if m.name == mode.name)
    if not failure.proved:
        diagnostics.error(
            "C063",
            written.span,
            f"mode '{mode.name}': no allocation was found within a limit of {time_limit:g} s, nor a proof that there is none",
            "raise the limit (--time-limit), give tasks fewer irregular points, or choose a board with more cells",
        )
    elif not feasible(part(problem, range(len(problem.options)), problem.table)):
        alone = [replace(o, splits=[s for s in o.splits if s.style is not Style.TABLE]) for o in required]
        chosen = [alone[d] for d in conflict(replace(problem, options=tuple(alone), table=None))]
        diagnostics.error(
            "C060",
            min(o.demand.span for o in chosen),
            conflict_cause(problem, chosen, mode.name),
            table_remedy(problem, fitter, mode) + conflict_remedy(problem, chosen, written.window) + _queued(system, chosen),
        )
    else:
        rules = problem.levels
        taken = [
            text
            for used, text in (
                (rules.below_tasks > 0, f"{rules.below_tasks} for what is below tasks"),
                (rules.above_tasks, "1 for interrupts above tasks"),
                (problem.control or any(not o.demand.action.runs for o in required), "1 for deadlines and switches"),
                (rules.lowered > 0, f"{rules.lowered} if any task runs lowered"),
            )
            if used
        ]
        diagnostics.error(
            "C062",
            written.span,
            f"mode '{mode.name}': the {rules.total} priority levels of board '{system.board.name}' do not suffice for "
            f"activations that preempt each other" + (f" ({', '.join(taken)})" if taken else ""),
            'choose a board with more levels, shorten the windows (deadlines, or window = "wcet"), or move activations apart',
        )
