# SPDX-License-Identifier: Apache-2.0
"""The static check of a dispatcher table: every activation keeps its deadlines even if all tasks take their WCET.

Each activation preempts whatever runs, and the last activated runs until it is finished: OSEKtime's
stack-based scheduling (OSEKtime OS 1.0; Sloth on Time paper, section on time-triggered tasks).  So one
pass over the table with a stack gives the worst-case completion of every activation.  Interrupts of the
application are not included: their load is not declared.  What the kernel's own code takes is known only after the
allocation: :func:`check_with_kernel` is the same check with it.

A task that ends on a tick has not ended before it.  So it misses a deadline on that tick, and an activation on that tick
preempts it.  Its own next activation does not: that waits until the task has ended, and so begins on the same tick.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from carillon.check.common import listed, time, well_formed
from carillon.check.utilisation import demand
from carillon.diagnostics import Diagnostics
from carillon.model import Activation, Mode, System

CODES = ("C043", "C044", "C045", "C210")


@dataclass(frozen=True, slots=True)
class Completion:
    """The latest tick ``end`` at which ``activation`` is finished, counted from the start of its round."""

    activation: Activation
    end: int


@dataclass(frozen=True, slots=True)
class KernelTime:
    """What generated handlers take, in ticks, rounded up: per activation of each task, and per re-enable point.

    ``checks``: per deadline of each task, where a handler looks at it.  ``starts``: how long after its tick each task starts
    at the latest if nothing but handlers is in its way.  ``laps``: when handlers come in a round that find nothing to do, and
    what each takes.  ``apart``: the interrupts whose re-enable points have cells, and so handlers of their own.
    """

    tasks: Mapping[str, int] = field(default_factory=dict)
    enables: Mapping[str, int] = field(default_factory=dict)
    checks: Mapping[str, int] = field(default_factory=dict)
    starts: Mapping[str, int] = field(default_factory=dict)
    laps: tuple[tuple[int, int], ...] = ()
    apart: frozenset[str] = frozenset()

    def most(self, other: KernelTime) -> KernelTime:
        """Of each figure the greater one."""
        return KernelTime(
            _most(self.tasks, other.tasks),
            _most(self.enables, other.enables),
            _most(self.checks, other.checks),
            _most(self.starts, other.starts),
            tuple(sorted({*self.laps, *other.laps})),
            self.apart | other.apart,
        )


def _most(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {name: max(one.get(name, 0), other.get(name, 0)) for name in {**one, **other}}


NOTHING = KernelTime()


def simulate_round(mode: Mode, system: System, *, kernel: KernelTime = NOTHING) -> list[Completion]:
    """The worst-case completion of every activation of one round, in the order of ``mode.activations``.

    The round begins idle and nothing is activated after its end, where an ``end`` may lie nevertheless.  A task without a WCET
    takes no time, so the others' completions are then lower bounds.  Linear in the number of activations, which must ascend.
    A task that would end on the tick of another's activation is preempted by it.  ``kernel`` is added to what each activation
    takes; re-enable points, and deadlines that a handler looks at, preempt like activations.  A task that is activated while a
    handler is under way that runs no task begins after it.  A table's handler is counted with the task already.
    """
    wcets = {task.name: (task.wcet or 0) + kernel.tasks.get(task.name, 0) for task in system.tasks}
    ends = [0] * len(mode.activations)
    table, alone = 0, 1  # of handlers at one tick, in this order
    handlers = [
        (e.at, alone if e.interrupt in kernel.apart else table, kernel.enables[e.interrupt])
        for e in mode.enables
        if kernel.enables.get(e.interrupt)
    ]
    handlers += [(at, alone, taken) for at, taken in kernel.laps]
    handlers += [(d, table, kernel.checks[a.task]) for a in mode.activations if kernel.checks.get(a.task) for d in a.deadlines]
    due = deque(sorted(handlers))
    nobody = {table: -1, alone: -2}
    remaining: list[int] = []
    running: list[int] = []
    now = 0

    def run(until: int | None) -> None:
        nonlocal now
        while running and (until is None or now + remaining[-1] < until):
            now += remaining.pop()
            ended = running.pop()
            if ended >= 0:
                ends[ended] = now
        if until is not None:
            if running:
                remaining[-1] -= until - now
            now = until

    def begin_enables(until: int | None) -> None:
        while due and (until is None or due[0][0] <= until):
            at, kind, cost = due.popleft()
            run(at)
            running.append(nobody[kind])
            remaining.append(cost)

    def end_at_once(task: str) -> None:
        """End a job of the task that is on its last tick, but not what preempted it: if the job is shorter, that is preempted."""
        for place in reversed(range(len(running))):
            if remaining[place]:
                return
            job = running[place]
            if job >= 0 and mode.activations[job].task == task:
                ends[job] = now
                del running[place], remaining[place]
                return

    for number, activation in enumerate(mode.activations):
        begin_enables(activation.at)
        run(activation.at)
        end_at_once(activation.task)
        place = len(running)
        while place and running[place - 1] == nobody[alone]:
            place -= 1
        running.insert(place, number)
        remaining.insert(place, wcets[activation.task])
    begin_enables(None)
    run(None)
    return [Completion(activation, end) for activation, end in zip(mode.activations, ends, strict=True)]


def completions(mode: Mode, system: System, kernel: KernelTime = NOTHING) -> list[Completion]:
    """As :func:`simulate_round`; raises ValueError if a task of the mode has no WCET."""
    unknown = {task.name for task in system.tasks if task.wcet is None}
    missing = [a.task for a in mode.activations if a.task in unknown]
    if missing:
        raise ValueError(f"mode '{mode.name}': no wcet of {listed(missing)}")
    return simulate_round(mode, system, kernel=kernel)


def check_with_kernel(system: System, kernels: Sequence[KernelTime], diagnostics: Diagnostics) -> None:
    """As :func:`check`, for a system that has passed it: ``kernels`` are the times of handlers in each mode."""
    for mode, kernel in zip(system.modes, kernels, strict=True):
        _check_mode(mode, system, diagnostics, kernel)


def check_starts(system: System, kernels: Sequence[KernelTime], diagnostics: Diagnostics) -> None:
    """Report tasks that kernel code may start later than they allow (C210), once each."""
    reported: set[str] = set()
    for mode, kernel in zip(system.modes, kernels, strict=True):
        for activation in mode.activations:
            task = system.task(activation.task)
            late = kernel.starts.get(task.name, 0)
            if task.start_within and late > task.start_within and task.name not in reported:
                reported.add(task.name)
                cause = (
                    f"task '{task.name}' may start {time(late, system)} after its tick in mode '{mode.name}'; "
                    f"start_within allows {time(task.start_within, system)}"
                )
                remedy = (
                    "allow that, move its points away from those that are due just before, or leave start_within out: then it "
                    "has a cell of its own, or there is no allocation"
                )
                diagnostics.error("C210", task.span, cause, remedy)


def check(system: System, diagnostics: Diagnostics) -> None:
    """Report activations that may miss a deadline, or last to their task's next activation or the round's end.

    Other rules report modes that need more than the processor, and points that overlap or lie past the round.
    """
    for mode in system.modes:
        if well_formed(mode) and sum(demand(mode, system).values()) <= mode.round_length:
            _check_mode(mode, system, diagnostics)


def _check_mode(mode: Mode, system: System, diagnostics: Diagnostics, kernel: KernelTime = NOTHING) -> None:
    following: dict[str, int] = {}
    next_of: list[int | None] = [None] * len(mode.activations)
    for number in range(len(mode.activations) - 1, -1, -1):
        task = mode.activations[number].task
        next_of[number] = following.get(task)
        following[task] = mode.activations[number].at
    wcets = {task.name: task.wcet for task in system.tasks}
    reported: set[tuple[str, object]] = set()
    for number, completion in enumerate(simulate_round(mode, system, kernel=kernel)):
        activation, end = completion.activation, completion.end
        wcet = wcets[activation.task]
        if wcet is None or (activation.task, activation.span) in reported:
            continue
        again = next_of[number]
        missed = next((d for d in activation.deadlines if activation.at < d <= end), None)
        if missed is not None:
            code, fate = "C043", f"may miss its deadline at {time(missed, system)}"
        elif again is not None and again < end:
            code, fate = "C045", f"may still run when it is activated again at {time(again, system)}"
        elif end > mode.round_length:
            code, fate = "C044", f"may be unfinished when the round of '{mode.name}' ends, at {time(mode.round_length, system)}"
        else:
            continue
        reported.add((activation.task, activation.span))
        preempting = _preempting(mode, number, again if code == "C045" and again is not None else end)
        why = f"preempted by {listed(preempting)}" if preempting else "even though nothing preempts it"
        finish = "it is not finished by then" if code == "C045" else f"it is finished at {time(end, system)}"
        cause = (
            f"task '{activation.task}', activated at {time(activation.at, system)}, {fate}: "
            f"with a wcet of {time(wcet, system)}{_around(kernel.tasks.get(activation.task, 0), system)}, {why}, {finish}"
        )
        diagnostics.error(code, activation.span, cause, _remedy(code, bool(preempting)))


def _around(ticks: int, system: System) -> str:
    return f" and {time(ticks, system)} of kernel code around it" if ticks else ""


def _remedy(code: str, preempted: bool) -> str:
    later = {
        "C043": "write a later deadline",
        "C044": "lengthen the round",
        "C045": "write its activations further apart",
    }[code]
    return (
        f"activate it earlier or the others after it is finished, shorten the tasks, or {later}"
        if preempted
        else (f"activate it earlier, shorten it (and its wcet), or {later}")
    )


def _preempting(mode: Mode, number: int, end: int) -> list[str]:
    """The tasks activated before ``end``, while the activation is unfinished: each preempts it, directly or not."""
    later = takewhile(lambda activation: activation.at < end, mode.activations[number + 1 :])
    return list(dict.fromkeys(activation.task for activation in later))
