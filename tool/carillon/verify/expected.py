# SPDX-License-Identifier: Apache-2.0
"""What the schedule as read says must happen, and when.  Nothing here knows an allocation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from carillon.diagnostics import Span
from carillon.model import Mode, Monitor, System, Window


@dataclass(frozen=True, slots=True)
class Subject:
    """What expiry points are of: ``kind`` is "activation", "deadline", "enable", "control", "sync" or "table"."""

    kind: str
    name: str

    def __str__(self) -> str:
        of_mode = {"control": "the switch of modes", "table": "the table", "sync": "the sync point"}
        what = "re-enable point" if self.kind == "enable" else self.kind
        return of_mode.get(self.kind, f"{what} of '{self.name}'")


@dataclass(frozen=True, slots=True)
class Points:
    """The points of one subject in a mode: ticks of the round, 0 to its length, and where each stands in the file.

    ``optional``: the points need not be there, all or none of them.  ``later``: deadlines that come after another one of the
    same activation.
    """

    at: dict[int, Span]
    optional: bool = False
    later: set[int] = field(default_factory=set)

    @property
    def first(self) -> dict[int, Span]:
        """Without ``later``."""
        return {at: span for at, span in self.at.items() if at not in self.later}


def points(mode: Mode) -> dict[Subject, Points]:
    """Every subject of a mode but the control cell, whose point the allocation chooses."""
    points_of: dict[Subject, Points] = {}
    for activation in mode.activations:
        points_of.setdefault(Subject("activation", activation.task), Points({})).at[activation.at] = activation.span
        if activation.monitor is not Monitor.NEVER:
            optional = activation.monitor is Monitor.IF_CELLS_ALLOW
            for number, deadline in enumerate(activation.deadlines):
                deadlines = points_of.setdefault(Subject("deadline", activation.task), Points({}, optional))
                deadlines.at.setdefault(deadline, activation.span)
                if number:
                    deadlines.later.add(deadline)
    for enable in mode.enables:
        points_of.setdefault(Subject("enable", enable.interrupt), Points({})).at[enable.at] = enable.span
    return points_of


def windows(mode: Mode, system: System) -> list[int]:
    """The end of each activation's window: points before this tick must preempt the activation.

    With ``window = "wcet"`` only the WCETs are counted, which are a part of the time with the kernel's code.  So every
    preemption found is certain.  Points that are in a window only because of the kernel's time are not found.
    """
    if mode.window is Window.WCET:
        return completions(mode, system)
    watched = ((a.monitor is Monitor.ALWAYS and a.deadlines) or (mode.round_length,) for a in mode.activations)
    return [max(times) for times in watched]


def completions(mode: Mode, system: System) -> list[int]:
    """The latest end of each activation, if every later activation preempts it; at most the round's end.

    One on the very tick of the end preempts it too, if it is another task's.  A task's own begins when the one before has ended.
    """
    wcet = {task.name: task.wcet or 0 for task in system.tasks}
    ends = [0] * len(mode.activations)
    stack: list[list[int]] = []
    now = 0
    for number, activation in enumerate(mode.activations):
        after = mode.activations[number + 1] if number + 1 < len(mode.activations) else None
        now = max(now, activation.at)
        same = [place for place, (job, _) in enumerate(stack) if mode.activations[job].task == activation.task]
        if same and not any(left for _, left in stack[same[-1] :]):
            ends[stack.pop(same[-1])[0]] = min(now, mode.round_length)
        stack.append([number, wcet[activation.task]])
        limit = after.at if after is not None else None
        while stack and (limit is None or now + stack[-1][1] < limit):
            done, left = stack.pop()
            now += left
            ends[done] = min(now, mode.round_length)
        if stack and limit is not None:
            stack[-1][1] -= limit - now
            now = limit
    return ends


def last_end(mode: Mode, system: System) -> int:
    """The tick before which no switch of modes may be taken: the end of the last window, or the last re-enable point.

    A window that ends with the round where nothing is enforced is not counted where its task's WCET is known.
    """
    known = all(system.task(a.task).wcet is not None for a in mode.activations)
    ended = completions(mode, system) if known else [mode.round_length] * len(mode.activations)
    last = max((e.at for e in mode.enables), default=0)
    for activation, end in zip(mode.activations, ended, strict=True):
        watched = activation.monitor is Monitor.ALWAYS and activation.deadlines
        last = max(last, max(activation.deadlines) if watched else end)
    return last


def ticks(values: Iterable[object], most: int = 6) -> str:
    """Ticks for a message, shortened."""
    found = list(values)
    shown = ", ".join(str(v) for v in found[:most])
    return (shown or "none") + (f", ... ({len(found)} in all)" if len(found) > most else "")
