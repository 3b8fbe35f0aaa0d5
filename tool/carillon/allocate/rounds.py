# SPDX-License-Identifier: Apache-2.0
"""The allocation of the rounds' modes on what is left of the board.

Every mode is allocated for itself; only the control cell, which takes a switch of modes, is the same in
all.  The objective, in this order: as many optional deadlines watched as possible, the fewest instructions
of kernel code per round by :func:`~carillon.actions.costs.cost_table`, the fewest cells, the fewest levels.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace

from carillon.actions.costs import cost_table
from carillon.actions.switch_mode import SwitchMode
from carillon.allocate.allocation import Allocation
from carillon.allocate.conflict import conflict, feasible
from carillon.allocate.conventional import allocate_conventional
from carillon.allocate.explain import conflict_cause, conflict_remedy, free_reasons, joined_reasons, reasons
from carillon.allocate.fit import Fitter, SourceClass, source_classes
from carillon.allocate.gather import LIMIT_SHARE, Group, gather, gatherable
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
from carillon.model import SyncStart, System
from carillon.model.board import Role
from carillon.units import format_duration

MOST_IDLE = 24
"""So many other periods of timers are tried in a row without a better allocation."""


def _longer(system: System) -> int | None:
    """Ticks by which a round is made longer at most; by any number at a hard start, and None without [sync]."""
    if system.sync is None:
        return None
    return sys.maxsize if system.sync.start is SyncStart.HARD else system.sync.lengthen


class RoundAllocator:
    """Allocates the modes of a system.

    ``time_limit`` (> 0) is a limit of work for each mode: what an idle current processor does in as many seconds at most.
    The result does not depend on the machine, nor on how busy it is, nor on what ``memory`` holds of earlier searches.
    The lowest ``below`` levels are the event-triggered system's.  ``kernel``: see :class:`.Allocation`.
    """

    def __init__(
        self,
        system: System,
        lowered: tuple[LoweredMode, ...],
        time_limit: float = 20.0,
        memory: Memory | None = None,
        below: int = 0,
        kernel: str = "carillon",
    ) -> None:
        self.system, self.lowered = system, lowered
        self.time_limit, self.memory, self.below = time_limit, memory, below
        self.kernel = kernel
        self.fitter = Fitter(system.board, system.clock_hz, longer=_longer(system))
        self.costs = cost_table(system.board.port, system.osek is not None and bool(system.osek.budgets))
        self.devices = frozenset(interrupt.source for interrupt in system.interrupts)
        self.controls = [(d, mode.round_length) for mode in lowered for d in mode.demands if isinstance(d.action, SwitchMode)]
        self.rules = LevelRules(
            system.board.levels - bool(system.bounded),  # the highest is that of the cell of their budgets
            below_tasks=below + any(not i.above_tasks for i in system.interrupts),
            above_tasks=any(i.above_tasks for i in system.interrupts),
            lowered=system.board.lowered_levels if not system.bounded else 0,  # what lowers goes on at the level of that cell
        )

    def allocate(self, taken: frozenset[int], diagnostics: Diagnostics) -> Allocation | None:
        """Allocate every mode without the sources in ``taken``; None after an error was reported.

        Errors: C060 the cells do not suffice, C061 no cell can express an interval, C062 the priority levels do
        not suffice, C063 no allocation within the time limit.  Rules: Sloth on Time, sections IV-A, IV-B, IV-F, VI-A.
        """
        system = self.system
        if self.kernel != "carillon" and self.lowered:
            return allocate_conventional(system, self.lowered, diagnostics, taken, self.below, self.kernel)
        low = next((i for i in system.interrupts if not i.above_tasks), None)
        if system.board.nesting == "time" and low is not None:
            diagnostics.error(
                "C062",
                low.span,
                f"interrupt '{low.name}' cannot be below tasks: board '{system.board.name}' has no priority levels",
                'write priority = "above-tasks", or choose a board with priority levels, such as ast1030-evb',
            )
            return None
        busy = taken | self.devices
        control: list[Carrier] = []
        if self.controls:
            carriers, refusals = control_carrier(source_classes(system.board, busy), self.controls, self.fitter)
            if carriers is None:
                diagnostics.error(
                    "C061",
                    self.controls[0][0].span,
                    "no cell can take the switch of modes in every mode: " + "; ".join(refusals),
                    "choose a board with a cell of role 'control' whose width and units fit every round, or use a single mode",
                )
                return None
            control = carriers
        busy |= {carrier.source for carrier in control}
        modes = [_ModeAllocator(self, mode, busy, control).allocate(diagnostics) for mode in self.lowered]
        complete = tuple(mode for mode in modes if mode is not None)
        return Allocation(self.kernel, complete) if len(complete) == len(modes) else None

    def problem(
        self, mode: LoweredMode, fitter: Fitter, classes: Sequence[SourceClass], control: bool, diagnostics: Diagnostics
    ) -> Problem | None:
        """What is to be chosen for a mode on these classes; None after C061."""
        system = self.system
        demands = [d for d in mode.demands if not isinstance(d.action, SwitchMode)]
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
            subjects = f"{role.value}s of {', '.join(names[:-1]) + ' and ' * (len(names) > 1) + names[-1]}"
            length = f"{mode.round_length} ticks ({format_duration(mode.round_length, system.clock_hz)})"
            diagnostics.error(
                "C061",
                min(o.demand.span for o in group),
                f"no cell of board '{system.board.name}' can keep the {subjects} in a round of {length}: {why}",
                _instead(system, role) + _queued(system, group),
            )
        if refused:
            return None
        return Problem(system.board, options, tuple(classes), self.rules, self.costs, control, table)

    def problems(self, taken: frozenset[int]) -> list[Problem] | None:
        """The choice of each mode on all but the sources in ``taken``, as far as one says what any allocation needs.

        None where it does not: the kernel is conventional, timers may have several periods, tasks may share a source, or some
        mode has no cell that can.  Of the cell that takes a switch of modes see :meth:`control_classes`.
        """
        problems = []
        if self.kernel != "carillon":
            return None
        for mode in self.lowered:
            fitter = replace(self.fitter, round_length=mode.round_length)
            busy = taken | self.devices
            if len([*zip(range(2), timer_periods(self.system.board, mode, fitter, busy), strict=False)]) > 1:
                return None
            control = any(isinstance(d.action, SwitchMode) for d in mode.demands)
            problem = self.problem(mode, fitter, source_classes(self.system.board, busy), control, Diagnostics())
            if problem is None or gatherable(problem):
                return None
            problems.append(problem)
        return problems

    def control_classes(self, taken: frozenset[int]) -> tuple[int, ...]:
        """The classes that can take all modes' switches, numbered as in :meth:`problems`; empty without a switch."""
        classes = source_classes(self.system.board, taken | self.devices)
        able = range(len(classes)) if self.controls else ()
        return tuple(c for c in able if control_carrier([classes[c]], self.controls, self.fitter)[0] is not None)


class _ModeAllocator:
    """Allocates one mode: ``busy`` sources are taken, ``controls`` are the carriers of all switches of modes."""

    def __init__(self, rounds: RoundAllocator, mode: LoweredMode, busy: frozenset[int], controls: Sequence[Carrier]) -> None:
        self.rounds, self.mode, self.busy = rounds, mode, busy
        self.system, self.limit, self.memory = rounds.system, rounds.time_limit, rounds.memory
        self.control = next((c for c in controls if any(c.demand is d for d in mode.demands)), None)

    def allocate(self, diagnostics: Diagnostics) -> ModeAllocation | None:
        """The mode's best allocation over the possible timer periods; without one, the reason is reported."""
        best: ModeAllocation | None = None
        refused: list[tuple[bool, Diagnostics]] = []
        chosen, idle = Diagnostics(), 0
        fitter = replace(self.rounds.fitter, round_length=self.mode.round_length)
        for timers in timer_periods(self.system.board, self.mode, fitter, self.busy):
            said = Diagnostics()
            fitting = replace(fitter, timers=timers)
            allocation = self._allocate_on(source_classes(self.system.board, self.busy, timers), fitting, said)
            refused.append((not fitting.frees, said))  # a free-running timer can do more: its refusal is reported
            idle += best is not None
            if allocation is not None and not said.errors and (best is None or _merit(allocation) < _merit(best)):
                best, chosen, idle = allocation, said, 0
            if (
                best is not None
                and not best.unmonitored
                and all(c.style is Style.DIRECT and not c.lowered for c in best.carriers)
            ):
                break  # with other periods, cells could do no more by themselves
            if idle == MOST_IDLE:
                break
        report = chosen if best is not None else min(refused, key=lambda it: it[0])[1]
        diagnostics.reported += report.reported
        return best

    def _allocate_on(self, classes: list[SourceClass], fitter: Fitter, diagnostics: Diagnostics) -> ModeAllocation | None:
        mode, system, control = self.mode, self.system, self.control
        problem = self.rounds.problem(mode, fitter, classes, control is not None, diagnostics)
        if problem is None:
            return None
        result = ModeSolver(problem, self.limit, self.memory).solve()
        groups: tuple[Group, ...] = ()
        if isinstance(result, Failure):
            gathered = gather(problem, lambda other: ModeSolver(other, LIMIT_SHARE * self.limit, self.memory).solve(), result)
            if isinstance(gathered, Failure):
                self._report(problem, gathered, fitter, diagnostics)
                return None
            result, groups = gathered
        carriers, levels, above = place(problem, result.choices, fitter, mode.round_length, control, groups)
        self._report_near(carriers, diagnostics)
        pairs = zip(problem.options, result.choices, strict=True)
        return ModeAllocation(
            mode=mode,
            carriers=tuple(carriers),
            unmonitored=tuple(options.demand for options, choice in pairs if choice is None),
            levels=levels,
            above_tasks_level=above,
            overhead=result.overhead,
            bound=result.bound,
            optimal=result.optimal,
            reasons=(
                *reasons(problem, result, mode.round_length),
                *joined_reasons(carriers, problem.costs, system.board.code_unit),
                *free_reasons(carriers, mode.round_length, system.clock_hz),
                *guard_reasons(carriers, problem.costs, system.board.code_unit),
            ),
        )

    def _report_near(self, carriers: Sequence[Carrier], diagnostics: Diagnostics) -> None:
        """Refuse two activations of a task on different sources that are so near that the second could be forgotten."""
        length, apart = self.mode.round_length, near(self.system.board, self.system.clock_hz)
        for demand in (d for d in self.mode.demands if d.action.runs):
            pair = nearest([c for c in carriers if c.demand is demand], length)
            if pair is not None and pair[1] - pair[0] < apart:
                diagnostics.error(
                    "C199",
                    next(p.span for p in demand.points if p.at % length == pair[1] % length),
                    f"task '{demand.object}' is activated at tick {pair[0]} and {pair[1] - pair[0]} ticks later by another "
                    f"interrupt source; nearer than {apart} ticks the second activation could be taken for one that came "
                    "before the first",
                    "move one of them, or give the task deadlines that stop the system before its next activation",
                )

    def _report(self, problem: Problem, failure: Failure, fitter: Fitter, diagnostics: Diagnostics) -> None:
        """Say why a mode has no allocation."""
        mode, rules = self.mode, problem.levels
        required = [d for d, o in enumerate(problem.options) if o.demand.required]
        written = next(m for m in self.system.modes if m.name == mode.name)
        if not failure.proved:
            diagnostics.error("C063", written.span, *not_found(f"mode '{mode.name}'", self.limit))
        elif not feasible(problem.without_levels):
            alone = problem.part(required).without_table
            chosen = [alone.options[d] for d in conflict(alone)]
            diagnostics.error(
                "C060",
                min(o.demand.span for o in chosen),
                conflict_cause(problem, chosen, mode.name),
                table_remedy(problem, fitter, mode)
                + conflict_remedy(problem, chosen, written.window)
                + _queued(self.system, chosen),
            )
        else:
            deadlines = problem.control or any(not problem.options[d].demand.action.runs for d in required)
            levels = self.system.board.levels
            room = rules.total > rules.below_tasks + rules.above_tasks + deadlines
            uses = {
                "for the cell of budgets": levels - rules.total,
                "for what is below tasks": rules.below_tasks,
                "for interrupts above tasks": int(rules.above_tasks),
                "for deadlines and switches": int(deadlines),
                "if any task runs lowered": rules.lowered,
            }
            taken = [f"{count} {what}" for what, count in uses.items() if count]
            diagnostics.error(
                "C062",
                written.span,
                f"mode '{mode.name}': the {levels} priority levels of board '{self.system.board.name}' do not suffice for "
                f"activations that preempt each other" + (f" ({', '.join(taken)})" if taken else ""),
                "choose a board with more levels"
                + (', shorten the windows (deadlines, or window = "wcet"), or move activations apart' if room else ""),
            )


def not_found(what: str, limit: float) -> tuple[str, str]:
    """Cause and remedy of C063, where a search of so many seconds' work has ended."""
    cause = f"{what}: no allocation was found within a limit of {limit:g} s, nor a proof that there is none"
    return cause, "raise the limit (--time-limit), give tasks fewer irregular points, or choose a board with more cells"


def _instead(system: System, role: Role) -> str:
    """The remedy if no cell of the board can keep a point of this role."""
    if any(array.serves(role) for array in system.board.cells):
        return "use intervals and a round that the cells can express, or a board with wider cells"
    unwatched = 'write monitor = "if-cells-allow" or "never", or ' if role is Role.DEADLINE else ""
    return f"{unwatched}choose a board with cells of role '{role.value}' (carillon boards)"


def _queued(system: System, refused: Sequence[DemandOptions]) -> str:
    """The remedy for tasks that need not start in hardware: a queue on one cell."""
    if system.osek is not None or system.giotto is not None or not any(o.demand.action.runs for o in refused):
        return ""
    return (
        "; or let alarms start the tasks, which share one cell and take some code of the kernel: "
        "tasks of [osek], or functions and threads of [time]"
    )


def _merit(mode: ModeAllocation) -> tuple[int, int]:
    """The less the better: deadlines that nobody watches, instructions."""
    return sum(len(demand.points) for demand in mode.unmonitored), mode.overhead
