# SPDX-License-Identifier: Apache-2.0
"""The one direction: schedule, model, check, giotto, lower, allocate, image.  Every command goes as far as it needs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from carillon.allocate.allocation import Allocation
from carillon.diagnostics import CarillonError, Diagnostics, Severity
from carillon.image import Image
from carillon.image.build import build_image
from carillon.lower import LoweredMode
from carillon.mends import Mend
from carillon.model import System, Window
from carillon.model.giotto import Machine
from carillon.sources import Source
from carillon.units import format_frequency

if TYPE_CHECKING:
    from collections.abc import Iterable

    from carillon.check.simulation import KernelTime
    from carillon.model.declared import Declared
    from carillon.timing.bound import Bound as ResponseBound
    from carillon.trace import Trace
    from carillon.trace.bounds import Bounds
    from carillon.trace.timeline import Release

KERNELS = ("carillon", "conventional", "counter-per-task")
"""Ours, and two to compare with.

One has a tick, a queue and a software ready list.  The other is the same with a counter for each event, all of which every tick
decrements, as uC/OS-II does.
"""

BY_A_CLOCK = frozenset({Mend.CELLS, Mend.CLOCK})
"""What another clock may mend."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A schedule with its allocation and image.

    ``kernel_times``: of each mode, at most; none of a conventional kernel, which is there to be measured.  ``analysed``: bounds
    of all response times, once they have been asked for (:func:`analyse`).
    """

    system: System
    lowered: tuple[LoweredMode, ...]
    allocation: Allocation
    image: Image
    kernel_times: tuple[KernelTime, ...] = ()
    analysed: list[tuple[ResponseBound, ...]] = field(default_factory=list, init=False, compare=False, repr=False)


def read_and_check(
    path: Source,
    diagnostics: Diagnostics,
    board: str | None = None,
    clock: int | None = None,
    machine: Machine = Machine.MICROCODE,
) -> System:
    """The checked model of a schedule; raises CarillonError with everything found if it has errors."""
    from carillon.check import check_system
    from carillon.frontends import read_schedule
    from carillon.timing.stream import check as check_stream

    system = read_schedule(path, diagnostics, board, clock, machine)
    if system is not None:
        check_system(system, diagnostics)
        check_stream(system, diagnostics)
    return diagnostics.required(system)


def plan(
    path: Source,
    diagnostics: Diagnostics,
    board: str | None = None,
    kernel: str = "carillon",
    time_limit: float = 20.0,
    clock: int | None = None,
    machine: Machine = Machine.MICROCODE,
    verdicts: bool = True,
) -> Planned:
    """Read, check, lower and allocate; raises CarillonError if any of it fails.

    ``verdicts``: what response times mean is reported, too (:mod:`carillon.timing.verdicts`).

    The clock is ``clock`` (Hz), or the schedule's.  Else it is the first of the board's into whose ticks all times divide and at
    which all of it can be allocated.  Best is one at which timers count the round, else one with the fewest turns to be counted.
    Where there is none, the errors are those of the clock that comes nearest.
    """
    first = Diagnostics()
    try:
        system = read_and_check(path, first, board, clock, machine)
    except CarillonError:
        diagnostics.reported += first.reported
        raise
    refused: CarillonError | None = None
    best: tuple[Planned, Diagnostics] | None = None
    try:
        best = _plan(system, first, kernel, time_limit, verdicts), first
    except CarillonError as error:
        refused = error
    wrong = refused is not None and clock is None and all(d.mended_by & BY_A_CLOCK for d in first.errors)
    counted = best is not None and best[0].image.freely and clock is None and not system.clock_given
    nearest, at = first, ""
    for hz in system.other_clocks if wrong or counted else ():
        other = Diagnostics()
        try:
            planned = _plan(read_and_check(path, other, board, hz, machine), other, kernel, time_limit, verdicts)
        except CarillonError:
            if _distance(other) < _distance(nearest):
                nearest, at = other, f"at {format_frequency(hz)}, the clock that comes nearest: "
            continue
        if system.clock_given:
            named = f'write clock = "{format_frequency(hz)}" in [system], at which all of it can be kept; or '
            found = [replace(d, remedy=named + d.remedy) if d.mended_by & BY_A_CLOCK else d for d in first.in_order()]
            diagnostics.reported += found
            raise CarillonError(found) from None
        if best is None or _turning(planned) < _turning(best[0]):
            best = planned, other
        if not planned.image.freely:
            break
    if best is not None:
        diagnostics.reported += best[1].reported
        return best[0]
    assert refused is not None
    if at and not system.clock_given:
        found = [replace(d, cause=at + d.cause) if d.severity is Severity.ERROR else d for d in nearest.in_order()]
        diagnostics.reported += found
        raise CarillonError(found) from None
    diagnostics.reported += first.reported
    raise refused


def _turning(planned: Planned) -> tuple[bool, int]:
    """The less the better: timers that do not count the round, and what it takes to count their turns."""
    return planned.image.freely, planned.image.laps


def _distance(refused: Diagnostics) -> int:
    """How far a clock is from one at which all can be kept: 0 if no clock mends what is wrong, 1 if cells are too few."""
    found = frozenset().union(*(d.mended_by for d in refused.errors))
    return 2 if Mend.CLOCK in found else int(Mend.CELLS in found)


def _plan(system: System, diagnostics: Diagnostics, kernel: str, time_limit: float, verdicts: bool) -> Planned:
    """Plan at the system's clock, with the clock of the time services that is written, or with the best one."""
    if system.time is None or system.time.automatic is None or kernel != "carillon":
        return _plan_with(system, diagnostics, kernel, time_limit, verdicts)
    from carillon.advise.automatic import choose

    return choose(system, diagnostics, lambda tried, found: _plan_with(tried, found, kernel, time_limit, verdicts))


def _plan_with(system: System, diagnostics: Diagnostics, kernel: str, time_limit: float, verdicts: bool) -> Planned:
    """Lower and allocate at the system's clock, and check the deadlines with what handlers take.

    That is known only after the allocation, and windows that end at worst-case completions depend on it.  So the allocation is
    made again with what was found, until that changes no demand.  The conventional kernel's own time is not checked: it is there
    to be measured.
    """
    from carillon.check.simulation import NOTHING, check_starts, check_with_kernel
    from carillon.frontends import program_of
    from carillon.lower.lower import lower
    from carillon.timing.handlers import kernel_times
    from carillon.timing.silicon import timed_sequences
    from carillon.timing.verdicts import declares, judge

    program = program_of(system, diagnostics)
    diagnostics.stop_on_errors()
    found = [NOTHING] * len(system.modes)
    lowered = lower(system, found)
    known = len(diagnostics.reported)
    while True:
        del diagnostics.reported[known:]  # what an allocation was warned of that is made again
        allocation = _allocated(system, lowered, diagnostics, kernel, time_limit)
        planned = Planned(system, lowered, allocation, build_image(system, allocation, program, diagnostics))
        diagnostics.stop_on_errors()
        if kernel != "carillon":
            return planned
        found = [before.most(now) for before, now in zip(found, kernel_times(planned.image), strict=True)]
        if all(m.window is not Window.WCET for m in system.modes):
            break
        lowered = lower(system, found)
        if lowered == planned.lowered:
            break
    if system.silicon is not None:
        for clause in timed_sequences(planned.image):
            remedy = 'use a board whose cells need none (carillon boards NAME), or take timing = "silicon" out'
            diagnostics.error("C300", system.silicon, f"instructions time a sequence: {clause}", remedy)
    check_with_kernel(system, found, diagnostics)
    check_starts(system, found, diagnostics)
    diagnostics.stop_on_errors()
    planned = replace(planned, kernel_times=tuple(found))
    if verdicts and declares(system):
        judge(system, analyse(planned), diagnostics)
        diagnostics.stop_on_errors()
    return planned


def _allocated(
    system: System, lowered: tuple[LoweredMode, ...], diagnostics: Diagnostics, kernel: str, time_limit: float
) -> Allocation:
    """Allocate a checked system that was lowered."""
    from carillon.allocate.memory import Memory, default_folder
    from carillon.allocate.tasks import budgets_apart
    from carillon.allocate.whole import allocate_system, loses_nothing
    from carillon.lower.events import lower_events

    folder = default_folder()
    memory = Memory(folder / "allocations") if folder is not None else None

    def allocated(each: bool, said: Diagnostics) -> Allocation | None:
        events = lower_events(system, one_timer=kernel != "carillon", each=each) if system.osek is not None else None
        return allocate_system(system, lowered, events, said, kernel=kernel, time_limit=time_limit, memory=memory)

    found = allocated(False, diagnostics)
    if found is None or kernel != "carillon" or not system.bounded or not budgets_apart(system):
        return diagnostics.required(found)
    said = Diagnostics()
    own = allocated(True, said)  # a cell for each budget, unless that takes one from something else
    return own if own is not None and not said.reported and loses_nothing(own, found) else diagnostics.required(found)


def start_bounds(planned: Planned) -> tuple[tuple[str, int], ...]:
    """The tasks that may start late, and by how many ticks in any mode at most, but for what preempts them."""
    found: dict[str, int] = {}
    for times in planned.kernel_times:
        for task, ticks in times.starts.items():
            if planned.system.task(task).start_within:
                found[task] = max(ticks, found.get(task, 0))
    return tuple(found.items())


def analyse(planned: Planned) -> tuple[ResponseBound, ...]:
    """The bounds of all response times of a plan; none of another kernel."""
    from carillon.frontends import program_bounds
    from carillon.timing.analysis import analyse_system

    if planned.allocation.kernel != "carillon":
        return ()
    if not planned.analysed:
        system, program = planned.system, program_bounds(planned.system)
        planned.analysed.append(analyse_system(system, planned.image, planned.kernel_times, program=program))
    return planned.analysed[0]


def growths(planned: Planned) -> dict[str, int | None]:
    """By how many ticks each WCET may grow until a deadline may be missed or an activation lost; None: nothing limits it."""
    from carillon.frontends import program_bounds
    from carillon.timing.analysis import growth

    names = dict.fromkeys(bound.name for bound in analyse(planned) if bound.bound is not None)
    program = program_bounds(planned.system)
    return {name: growth(planned.system, planned.image, planned.kernel_times, name, program) for name in names}


def response_bounds(planned: Planned) -> tuple[tuple[str, int], ...]:
    """The longest response of each task, thread, ISR and interrupt that has a bound (in each mode), in ticks."""
    return _longest(analyse(planned))


def _longest(bounds: tuple[ResponseBound, ...]) -> tuple[tuple[str, int], ...]:
    """The bound of each that has one in all modes, and that a run can be held against."""
    found: dict[str, int | None] = {}
    for bound in bounds:
        if bound.rests_on:
            continue
        ticks, before = bound.ticks, found.get(bound.name, 0)
        found[bound.name] = None if ticks is None or before is None else max(ticks, before)
    return tuple((name, ticks) for name, ticks in found.items() if ticks is not None)


def bounds_of(planned: Planned) -> Bounds:
    """What ``plan`` and ``check`` print of a system, which each of its runs is held against; nothing of another kernel."""
    from carillon.model.board import Role
    from carillon.timing.handlers import kernel_round, round_interrupts, runs_beneath
    from carillon.timing.lateness import followed
    from carillon.timing.rounds import idle_share, mode_of, unknown_work
    from carillon.trace.bounds import Bounds, ModeBounds

    system, image = planned.system, planned.image
    if planned.allocation.kernel != "carillon":
        return Bounds()
    starts: dict[str, int] = {}
    own = system.tracing is not None and system.tracing.header is not None  # the application's code around each task
    for times in () if own else planned.kernel_times:
        starts |= {task: max(ticks, starts.get(task, 0)) for task, ticks in times.starts.items()}
    counts_code = system.board.clock(system.clock_hz).instructions_per_tick > 0
    modes: dict[str, ModeBounds] = {}
    unknown: list[str] = []
    for mode_image in image.modes:
        mode = mode_of(system, mode_image)
        lacks = unknown_work(system, mode)
        unknown += lacks
        idle = None if lacks or own else int(idle_share(image, mode_image) * mode.round_length)
        # A handler of the rounds goes on to dispatch what is event-triggered where that is done by software.
        apart = not (image.osek is not None and image.osek.allocation.software and runs_beneath(system))
        kernel = kernel_round(image, mode_image) if counts_code and apart and not own else None
        gap = mode_image.control.gap if mode_image.control is not None else None
        modes[mode.name] = ModeBounds(kernel, round_interrupts(image, mode_image), idle, gap)
    handled = {vector.object for vectors in image.vectors for vector in vectors if vector.role not in (None, Role.CONTROL)}
    places = {task.name: task.span for task in system.tasks} | {mode.name: mode.span for mode in system.modes}
    safe = bool(modes) and not unknown and not own and system.sync is None and not runs_beneath(system) and system.giotto is None
    if system.osek is not None:
        places |= {task.name: task.span for task in system.osek.tasks} | {isr.name: isr.span for isr in system.osek.isrs}
    found = () if own else analyse(planned)
    responses = dict(_longest(found))
    taken = frozenset(bound.name for bound in found if bound.takes and bound.bound is not None and not bound.loses)
    late = followed(system.osek) if system.osek is not None else frozenset[str]()
    return Bounds(starts, modes, frozenset(handled), safe, places, responses, _premises(system, responses), taken, late)


def _premises(system: System, bounded: Iterable[str]) -> dict[str, Declared | None]:
    """What bounds of responses take for granted of each release: what is declared of it, or None: its expiries alone."""
    declared = {interrupt.name: interrupt.declared for interrupt in system.interrupts}
    if system.osek is not None:
        declared |= {task.name: task.declared for task in system.osek.tasks}
        declared |= {isr.name: isr.declared for isr in system.osek.isrs}
    return {name: (declared[name] if declared[name].min_interval else None) for name in bounded if name in declared}


def releases(system: System, trace: Trace) -> list[Release]:
    """The nominal releases of a run, from the rounds that began."""
    from carillon.trace.course import Course
    from carillon.trace.timeline import Release

    found: list[Release] = []
    for k, (begin, name) in enumerate(trace.modes):
        mode = next(m for m in system.modes if m.name == name)
        end = trace.length
        if k + 1 < len(trace.modes):  # whole rounds; between the last and the next mode's first there may be a gap
            end = begin + (trace.modes[k + 1][0] - begin) // mode.round_length * mode.round_length
        course = trace.courses[k] if trace.courses else Course(begin, end, mode.round_length)
        for number in course.rounds:
            for a in mode.activations:
                at = course.tick(number, a.at)
                if course.happens(at):
                    found.append(Release(a.task, at, tuple(at - a.at + d for d in a.deadlines), (name, a.at)))
    return sorted(found, key=lambda r: (r.at, r.task))
