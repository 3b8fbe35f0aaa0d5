# SPDX-License-Identifier: Apache-2.0
"""Whether a run keeps what ``plan`` and ``check`` print of it: each printed bound is held against each run.

A bound rests on premises: execution times that the run kept, and nothing that holds interrupts back but what is planned.
Where the run itself refutes a premise, the bound is not judged, and the run says that instead (C245).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from carillon.diagnostics import Diagnostics, Span
from carillon.model.declared import Declared
from carillon.trace import Trace
from carillon.trace.course import Course
from carillon.trace.invocations import Invoked
from carillon.trace.summary import Summary
from carillon.trace.timeline import IDLE, KERNEL, HandlerKind, LaneKind, Moment, Run
from carillon.units import format_duration

if TYPE_CHECKING:
    from carillon.model.stacks import StackBound


@dataclass(frozen=True, slots=True)
class ModeBounds:
    """What ``plan`` prints of a mode: of one of its rounds, if each deadline is met.

    ``kernel``: instructions or cycles of its handlers together; None where code takes no time.  ``interrupts``: how many of
    them come.  ``idle``: the ticks in which the processor idles at least; None if not all execution times are known.  ``gap``:
    the ticks from a round's end to another mode's beginning.
    """

    kernel: int | None
    interrupts: int
    idle: int | None
    gap: int | None = None


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is printed before a run, and held against it.

    ``starts``: how many ticks after its tick each task starts at most, not counting the application's own code.  ``modes``: by
    name.  ``handled``: what the rounds' interrupts are for, as handlers are named in a trace.  ``safe``: ``check`` has said that
    each deadline is met, and nothing that it did not count can be in the way.  ``places``: of tasks and modes in the schedule.
    ``responses``: the longest response of each, in ticks.  ``premises``: of what is event-triggered among these, what is declared
    of its releases, or None: they are its expiries.  ``taken``: the tasks that lose no activation.  ``followed``: whose budgets
    may be used up, which the responses allow for.
    """

    starts: Mapping[str, int] = field(default_factory=dict)
    modes: Mapping[str, ModeBounds] = field(default_factory=dict)
    handled: frozenset[str] = frozenset()
    safe: bool = False
    places: Mapping[str, Span] = field(default_factory=dict)
    responses: Mapping[str, int] = field(default_factory=dict)
    premises: Mapping[str, Declared | None] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()
    followed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Broken:
    """A bound that a run exceeds: what it is of (a task or a mode), what was said, and what came, from tick ``at`` on."""

    name: str
    said: str
    came: str
    at: int


def broken(trace: Trace, summary: Summary, bounds: Bounds) -> Iterator[Broken]:
    """The bounds that the run exceeds, of each task and mode the worst; ``summary`` is of the trace.

    What is recorded of a chip has nothing of the kernel, and is not judged.
    """
    if trace.captured:
        return
    missed = next((verdict for verdict in summary.verdicts if verdict.missed), None)
    if missed is not None and bounds.safe and not summary.totals.budget_overruns:
        yield Broken(missed.task, "check says that each deadline is met", "one is missed", missed.at)
    if rests(summary, bounds.followed):
        yield from _responses(summary, bounds, frozenset(job.lane for job in trace.invoked))
    if rests(summary):
        yield from _invocations(trace, bounds)
        yield from _starts(summary, bounds)
        yield from _switches(trace, bounds)
        yield from _rounds(trace, summary, bounds)


def rests(summary: Summary, followed: frozenset[str] = frozenset()) -> bool:
    """Whether a run keeps what the bounds rest on: no deadline missed, no budget used up, nothing waits.

    ``followed``: whose budgets may be used up.
    """
    missed = any(verdict.missed for verdict in summary.verdicts)
    late = summary.totals.budget_overruns - sum(task.budget_overruns for task in summary.tasks if task.lane.name in followed)
    return not missed and not late and not _overlap(summary)


def report_broken(trace: Trace, summary: Summary, bounds: Bounds, diagnostics: Diagnostics) -> None:
    """Report C309 for each bound that the run exceeds."""
    for one in broken(trace, summary, bounds):
        when = format_duration(one.at, trace.clock_hz) if one.at else "0"
        cause = f"{one.said}; {one.came}, from tick {one.at} ({when}) of the run on"
        remedy = "if the application locks interrupts, declare for how long; otherwise this is an error of Carillon's: report it"
        diagnostics.error("C309", bounds.places.get(one.name), cause, remedy)


def report_deep(
    stacks: Iterable[StackBound], used: Mapping[str, int], places: Mapping[str, Span], diagnostics: Diagnostics
) -> None:
    """Report C309 for each stack of which a run has used more than its bound."""
    for stack in stacks:
        if stack.bound is not None and used.get(stack.name, 0) > stack.bound:
            cause = f"of stack '{stack.name}' {stack.bound} bytes are used at most; the run has used {used[stack.name]}"
            remedy = "see whether [stacks] names all calls and recursion; otherwise this is an error of Carillon's: report it"
            diagnostics.error("C309", places.get(stack.name), cause, remedy)


def refuted(summary: Summary, bounds: Bounds) -> Iterator[tuple[str, str, int]]:
    """What was released otherwise than the bounds of responses take for granted: whose release, how, and in which tick."""
    for name, premise in bounds.premises.items():
        runs = [run for run in summary.runs if run.lane.name == name]
        if premise is None:
            known = any(run.expiry is not None for run in runs)  # else the run does not tell expiries, as beneath rounds
            other = next((run for run in runs if run.expiry is None and run.activation != 0), None)
            if known and other is not None:
                yield name, "by something else than the alarms, schedule tables and periods that the schedule has", other.begin.t
            continue
        at = [run.activation for run in runs if run.activation is not None]
        for several in range(1, len(at)):
            least = several * premise.min_interval - premise.jitter
            early = next((after for before, after in zip(at, at[several:], strict=False) if after - before < least), None)
            if early is not None:
                yield name, f"sooner than its min_interval of {premise.min_interval} ticks allows", early
                break


def warn_of_refuted(trace: Trace, summary: Summary, bounds: Bounds, diagnostics: Diagnostics) -> None:
    """Report C345 for each object that was released otherwise than the analysis takes for granted."""
    for name, how, at in refuted(summary, bounds) if not trace.captured else ():
        when = format_duration(at, trace.clock_hz) if at else "0"
        cause = f"'{name}' was activated at {when} {how}: the bounds of what it may hold back do not hold"
        remedy = "declare how far apart its activations are at least (min_interval), and by how much they may be late (jitter)"
        diagnostics.warning("C345", bounds.places.get(name), cause, remedy)


def _invocations(trace: Trace, bounds: Bounds) -> Iterator[Broken]:
    """Jobs of a Giotto program's tasks that took longer than they may: of each task the worst."""
    worst: dict[str, Invoked] = {}
    for job in trace.invoked:
        if job.response > bounds.responses.get(job.lane, job.response):
            worst[job.lane] = max(worst.get(job.lane, job), job, key=lambda it: it.response)
    for name, job in worst.items():
        said = f"the response of '{name}' takes at most {bounds.responses[name]} ticks, as analyse says"
        yield Broken(name, said, f"it took {job.response}", job.release)


def _responses(summary: Summary, bounds: Bounds, invoked: frozenset[str]) -> Iterator[Broken]:
    """Jobs that took longer than they may, and activations that were lost: of each task the worst.

    Those of ``invoked`` are looked at as :func:`_invocations` does.
    """
    sound = next(refuted(summary, bounds), None) is None
    begins = [segment.begin.u for segment in summary.segments]
    worst: dict[str, tuple[int, int]] = {}
    for run in summary.runs:
        name, took = run.lane.name, run.response
        if took is None or name not in bounds.responses or name in invoked or (name in bounds.premises and not sound):
            continue
        if took > bounds.responses[name] and run.release is not None and run.begin.t > run.release.at:
            held = _held(summary, begins, run.release.at * summary.scale, run)  # a lock of what is beneath is its own affair
            took -= run.begin.t - run.release.at - -(-held // summary.scale)
        if took > max(bounds.responses[name], worst[name][0] if name in worst else 0):
            worst[name] = took, run.since or 0
    for name, (took, at) in worst.items():
        said = f"the response of '{name}' takes at most {bounds.responses[name]} ticks, as analyse says"
        yield Broken(name, said, f"it took {took}", at)
    for task in summary.tasks if sound else ():
        if task.lost and task.lane.name in bounds.taken:
            yield Broken(
                task.lane.name, f"task '{task.lane.name}' loses no activation, as analyse says", f"it lost {task.lost}", 0
            )


def _overlap(summary: Summary) -> bool:
    """Whether an activation of the rounds came while the task still ran: it waits or is lost, and more than a round's is done."""
    ends: dict[str, Moment | None] = {}
    for run in summary.runs:
        if run.release is not None:
            end = ends.get(run.lane.name, summary.begin)
            if end is None or end.t > run.release.at:
                return True
            ends[run.lane.name] = run.end
    return any(task.unstarted for task in summary.tasks)


def _starts(summary: Summary, bounds: Bounds) -> Iterator[Broken]:
    """Tasks that started later than they may."""
    worst: dict[str, tuple[int, Run]] = {}
    begins = [segment.begin.u for segment in summary.segments]
    for run in summary.runs:
        if run.release is not None and run.lane.name in bounds.starts and run.begin.t > run.release.at:
            late = _held(summary, begins, run.release.at * summary.scale, run)
            worst[run.lane.name] = max(worst.get(run.lane.name, (-1, run)), (late, run), key=lambda pair: pair[0])
    for name, (late, run) in worst.items():
        assert run.release is not None
        if late > bounds.starts[name] * summary.scale:
            said = f"task '{name}' starts at most {bounds.starts[name]} ticks late, as plan says"
            yield Broken(name, said, f"it started {-(-late // summary.scale)} ticks late", run.release.at)


def _held(summary: Summary, begins: list[int], release: int, run: Run) -> int:
    """How long the kernel and an idle processor kept a run from its start, in units of ``u``.

    A handler that came after the release and started something else has preempted the run, as what it started has.
    """
    until, held, own = run.begin.u, 0, -1
    spans: list[tuple[int, int]] = []
    for segment in summary.segments[max(0, bisect_right(begins, release) - 1) :]:
        begin, end = max(segment.begin.u, release), min(segment.end.u, until)
        if segment.begin.u >= until:
            break
        if begin >= end:
            continue
        if segment.lane is IDLE:
            held += end - begin
        elif segment.lane is KERNEL:
            spans.append((segment.owner, end - begin))
            own = segment.owner
    for owner, length in spans:
        handler = summary.handlers[owner] if owner >= 0 else None
        if owner == own or handler is None or handler.begin.u < release or not handler.started:
            held += length
    return held


def _switches(trace: Trace, bounds: Bounds) -> Iterator[Broken]:
    """Modes that did not begin when it was said: a gap after the end of a round, unless that is synchronised."""
    for k, ((begin, left), (at, name)) in enumerate(pairwise(trace.modes)):
        mode, length = bounds.modes.get(left), dict(trace.round_lengths)[left]
        regular = not trace.courses or not trace.courses[k].points
        if regular and mode is not None and mode.gap is not None and (at - begin - mode.gap) % length:
            said = f"another mode begins {mode.gap} ticks after the end of a round of mode '{left}', as plan says"
            yield Broken(left, said, f"mode '{name}' began {(at - begin) % length} after one", at)


def _rounds(trace: Trace, summary: Summary, bounds: Bounds) -> Iterator[Broken]:
    """Rounds in which the kernel took more, was called more often, or the processor idled less."""
    for k, (begin, name) in enumerate(trace.modes):
        mode = bounds.modes.get(name)
        length = dict(trace.round_lengths)[name]
        end = trace.modes[k + 1][0] if k + 1 < len(trace.modes) else trace.length
        if mode is None or (trace.courses and trace.courses[k] != Course(begin, end, length)):
            continue
        rounds = (end - begin) // length - (k + 1 < len(trace.modes))  # the last one before a switch has that, too
        if rounds <= 0:
            continue
        kernel, often, busy = _by_round(summary, bounds, begin, length, rounds, trace.modes[k - 1][1] if k else "")
        most = max(range(rounds), key=lambda number: kernel[number])
        if mode.kernel is not None and kernel[most] > mode.kernel:
            said = f"kernel code takes at most {mode.kernel} {trace.unit} in a round of mode '{name}', as plan says"
            yield Broken(name, said, f"it took {kernel[most]}", begin + most * length)
        most = max(range(rounds), key=lambda number: often[number])
        if often[most] > mode.interrupts:
            said = f"a round of mode '{name}' has {mode.interrupts} interrupts, as plan says"
            yield Broken(name, said, f"it had {often[most]}", begin + most * length)
        most = max(range(rounds), key=lambda number: busy[number])
        if mode.idle is not None and busy[most] > (length - mode.idle) * summary.scale:
            said = f"the processor idles for {mode.idle} ticks at least in a round of mode '{name}', as plan says"
            idle = length - -(-busy[most] // summary.scale)
            yield Broken(name, said, f"it idled for {idle}", begin + most * length)


def _by_round(
    summary: Summary, bounds: Bounds, begin: int, length: int, rounds: int, left: str
) -> tuple[Counter[int], Counter[int], Counter[int]]:
    """Of each round by its number: what the kernel took (``n``), how many interrupts came, how long something ran (``u``).

    ``left``: the mode before, whose last handlers may come on the tick of the switch, before that.
    """
    switch = max((n for n, h in enumerate(summary.handlers) if left and h.object == left and h.begin.t <= begin), default=-1)
    kernel: Counter[int] = Counter()
    often: Counter[int] = Counter()
    busy: Counter[int] = Counter()
    for handler in summary.handlers[switch + 1 :]:
        number = (handler.begin.t - begin) // length
        own = handler.object in bounds.handled and HandlerKind.INTERRUPT not in handler.started
        if own and 0 <= number < rounds and handler.begin.t >= begin:
            often[number] += 1
            if HandlerKind.TASK not in handler.started:  # else what it dispatched at its end is in it
                kernel[number] += handler.kernel_n
    for segment in summary.segments:
        if segment.lane.kind is LaneKind.IDLE:
            continue
        at, until = max(segment.begin.u, begin * summary.scale), segment.end.u
        while at < until:
            number = (at // summary.scale - begin) // length
            edge = min(until, (begin + (number + 1) * length) * summary.scale)
            busy[number] += edge - at
            at = edge
    return kernel, often, busy
