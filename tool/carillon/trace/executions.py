# SPDX-License-Identifier: Apache-2.0
"""Whether a run refutes what the schedule says of execution times."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from carillon.diagnostics import Diagnostics, Span
from carillon.groups import grouped
from carillon.model import System
from carillon.model.giotto import Giotto
from carillon.model.giotto import Task as GiottoTask
from carillon.model.rates import rates_of
from carillon.trace import Kind, Trace
from carillon.trace.longest import longest
from carillon.trace.summary import Summary
from carillon.trace.timeline import Lane, LaneKind
from carillon.units import format_duration


@dataclass(frozen=True, slots=True)
class Excess:
    """A task, or the tasks of a Giotto program that an interrupt level runs together, that executed for longer than its WCET.

    Times are in ticks.
    """

    name: str
    span: Span
    wcet: Fraction
    most: Fraction


CELLS_KERNEL = 300
"""Instructions or cycles that the kernel takes at most beside a task's function, in what computes it on cells."""


def exceeded(system: System, trace: Trace, summary: Summary) -> Iterator[Excess]:
    """The tasks that executed for longer than their WCETs, with their longest execution times in ticks.

    Preemption does not count; a job that had not ended counts with the time that it has executed.
    """
    for item in longest(system, trace, summary):
        if item.exceeds:
            assert item.declared is not None
            assert item.ticks is not None
            yield Excess(f"{item.kind} '{item.name}'", item.span, Fraction(item.declared), item.ticks)
    if system.giotto is not None and system.machine.interprets:
        yield from _invocations(system, system.giotto, trace, summary)
    elif system.giotto is not None:
        yield from _rates(system, system.giotto, trace, summary)


def _invocations(system: System, giotto: Giotto, trace: Trace, summary: Summary) -> Iterator[Excess]:
    """Tasks of microcode: an invocation's function has been called, and has returned or has been given up."""
    per_tick = max(1, trace.instructions_per_tick)
    owned = grouped((segment.lane.name, segment) for segment in summary.segments if segment.lane.kind is LaneKind.TASK)
    most: dict[str, int] = {}
    for lane, begin, end in trace.invocations:
        own = owned[lane]
        executed = 0
        for segment in own[max(bisect_right(own, begin, key=lambda s: s.begin.n) - 1, 0) :]:
            if end is not None and segment.begin.n >= end:
                break
            last = segment.end.n if end is None else min(segment.end.n, end)
            executed += max(last - max(segment.begin.n, begin), 0)
        most[lane] = max(most.get(lane, 0), executed)
    for task, lane in zip(giotto.tasks, giotto.thread_names, strict=True):
        wcet = _ticks(task, system)
        if wcet is not None and most.get(lane, 0) > wcet * per_tick:
            yield Excess(f"task '{task.name}'", task.name.span, wcet, Fraction(most[lane], per_tick))


def _rates(system: System, giotto: Giotto, trace: Trace, summary: Summary) -> Iterator[Excess]:
    """Tasks on cells: tasks of one period are computed together, and the kernel's part cannot be separated from theirs."""
    per_tick = max(1, trace.instructions_per_tick)
    for rate in rates_of(giotto, giotto.thread_names):
        tasks = [giotto.tasks[number] for number in rate.tasks]
        wcets = [_ticks(task, system) for task in tasks]
        known = [wcet for wcet in wcets if wcet is not None]
        kernel = CELLS_KERNEL * len(tasks) if trace.instructions_per_tick else 0
        most = max((run.executed for run in summary.runs if run.lane == Lane(LaneKind.TASK, rate.name)), default=0)
        if len(known) == len(wcets) and most > sum(known) * per_tick + kernel:
            names = " and ".join(f"'{task.name}'" for task in tasks)
            what = f"task {names}" if len(tasks) == 1 else f"the tasks {names} together"
            yield Excess(what, tasks[0].name.span, sum(known, Fraction(0)), Fraction(most, per_tick))


def _ticks(task: GiottoTask, system: System) -> Fraction | None:
    """A task's execution time in ticks of the system clock."""
    return None if task.wcet is None else task.wcet.ticks(system.clock_hz)


def warn_of_missed(system: System, trace: Trace, diagnostics: Diagnostics) -> None:
    """Report C249 for each task of a Giotto program that missed a deadline."""
    if system.giotto is None:
        return
    for task in system.giotto.tasks:
        times = [t for t, name in trace.missed or () if name == task.name.text]
        if times:
            often = "its deadline" if len(times) == 1 else f"{len(times)} of its deadlines, the first"
            first = format_duration(times[0], system.clock_hz)
            cause = f"task '{task.name}' missed {often} at {first}: its results were due before it had ended"
            remedy = "shorten its function or those of more urgent tasks, or declare longer execution times and a slower mode"
            diagnostics.warning("C249", task.name.span, cause, remedy)


def warn_of_exceeded(system: System, trace: Trace, summary: Summary, diagnostics: Diagnostics) -> int:
    """Report C245 for each task that executed for longer than its WCET; the number of these tasks."""
    executions = list(exceeded(system, trace, summary))
    for execution in executions:
        most, wcet = (format_duration(time, system.clock_hz) for time in (execution.most, execution.wcet))
        known = f"{'its WCET is' if execution.name.startswith('task') else 'their WCETs are'} {wcet}"
        cause = f"{execution.name} executed for {most}, and {known}: what was checked with that does not hold"
        remedy = "measure the task's longest way, and write that as its wcet; or make the task shorter"
        diagnostics.warning("C245", execution.span, cause, remedy)
    return len(executions)


def warn_of_lost(system: System, summary: Summary, trace: Trace, diagnostics: Diagnostics) -> None:
    """Report C311 for each task that lost activations."""
    spans = {task.name: task.span for task in system.tasks}
    spans |= {task.name: task.span for task in system.osek.tasks} if system.osek is not None else {}
    framed = {task.name for task in system.osek.tasks if task.time_frame} if system.osek is not None else set()
    for task in summary.tasks:
        if not task.lost:
            continue
        name = task.lane.name
        first = next(event.t for event in trace.events if event.kind is Kind.LOST and event.object == name)
        many = "an activation" if task.lost == 1 else f"{task.lost} activations, the first"
        when = format_duration(first, system.clock_hz) if first else "0"
        frame = ", or its time frame was not over" if name in framed else ""
        cause = f"task '{name}' lost {many} at {when}: it had all that it takes{frame}"
        remedy = "activate it less often, shorten it and what holds it back, or let more activations wait (activations)"
        diagnostics.warning("C311", spans.get(name), cause, remedy)


FAULT = "carillon_port_unexpected"
"""Where a fault, and an interrupt that nobody serves, leads to."""


def warn_of_fault(system: System, summary: Summary, trace: Trace, diagnostics: Diagnostics) -> None:
    """Report where a fault, or an interrupt of nobody, has ended a run: who ran, and what is known of the stack.

    It is C322, an error, if the emulator tells what the fault was; else C321.
    """
    if FAULT not in trace.stopped:
        return
    ran = [s.lane for s in summary.segments if s.lane.kind in (LaneKind.TASK, LaneKind.INTERRUPT)]
    spans = {task.name: task.span for task in system.tasks}
    if system.osek is not None:
        spans |= {task.name: task.span for task in system.osek.tasks} | {isr.name: isr.span for isr in system.osek.isrs}
    small = [(name, stack, takes) for name, stack, takes in trace.frames if takes is not None and takes >= stack]
    own = {name: stack for name, stack, _ in trace.frames}
    name = ran[-1].name if ran else ""
    who = f"'{name}' was the last to run" if name else "nothing of the application had run"
    where = f", on its own stack of {own[name]} bytes" if name in own else ""
    when = format_duration(trace.length, system.clock_hz) if trace.length else "0"
    cause = f"a fault, or an interrupt that nobody serves, ended the run at {when}: {who}{where}"
    remedy = "a stack that overflows may end so: write longer stacks, or stack_check; carillon debug stops at the fault"
    for task, stack, takes in small:
        cause += f"; the function of task '{task}' takes {takes} bytes by itself, and its stack has {stack}"
        remedy = "write a longer stack for it, and room for what it calls and what interrupts it"
    if trace.fault is not None:
        kinds = {lane.name: "task" if lane.kind is LaneKind.TASK else "interrupt" for lane in ran}
        who = f"{kinds[name]} '{name}'" if name else "before anything of the application ran, the processor"
        parts = [f"{who} faulted{trace.fault.place}, at {when} of the run: {trace.fault.words}", trace.fault.stack(name)]
        parts += [f"the function of task '{task}' takes {takes} of {size} bytes by itself" for task, size, takes in small]
        remedy = "look at the place that is named; if the stack pointer is outside a stack, write a longer one"
        diagnostics.error("C322", spans.get(name), "; ".join(part for part in parts if part), remedy)
        return
    diagnostics.warning("C321", spans.get(small[0][0] if small else name), cause, remedy)
