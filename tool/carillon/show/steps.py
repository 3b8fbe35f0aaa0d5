# SPDX-License-Identifier: Apache-2.0
"""What happens to the tasks and interrupts of a run, one thing after the other, for traces in the formats of other tools."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from carillon.show.marks import REAL
from carillon.show.scene import Panel
from carillon.trace.timeline import Lane


class Step(Enum):
    """What happens to an activation of a task, or of an interrupt of the application.  Of one time, in this order."""

    ACTIVATE = "activate"
    PREEMPT = "preempt"
    WAIT = "wait"
    TERMINATE = "terminate"
    START = "start"
    RELEASE = "release"
    RESUME = "resume"


class Happening(NamedTuple):
    """``time`` in units of 1/scale ticks since ``origin``; ``number`` counts a lane's runs from 0."""

    time: int
    step: Step
    lane: Lane
    number: int


def origin(panels: Sequence[Panel]) -> int:
    """The first tick that any of the panels has, or 0: times of files are not negative."""
    return min(0, *(panel.summary.begin.u // panel.scale for panel in panels))


def steps(panel: Panel, first: int) -> list[Happening]:
    """The steps of a panel, in order of time since tick ``first``."""
    summary, found = panel.summary, []

    def add(time: int, step: Step, owner: int) -> None:
        run = summary.runs[owner]
        found.append(Happening(time - first * panel.scale, step, run.lane, run.number - 1))

    ran = {(owner, end) for lane in summary.lanes for _, end, owner in panel.running[lane]}
    for owner, run in enumerate(summary.runs):
        released = run.since * panel.scale if run.since is not None else run.begin.u
        add(min(released, run.begin.u), Step.ACTIVATE, owner)
        add(run.begin.u, Step.START, owner)
        if run.end is not None:  # the last instruction takes its time
            last = run.end.u + int(panel.counts_code)
            add(last if (owner, last) in ran else run.end.u, Step.TERMINATE, owner)
    for lane in summary.lanes:
        if lane.kind not in REAL:
            continue
        for begin, end, owner in panel.preempted[lane]:
            add(begin, Step.PREEMPT, owner)
            if end < summary.end.u:
                add(end, Step.RESUME, owner)
        for begin, end, owner in panel.waiting[lane]:
            add(begin, Step.WAIT, owner)
            if end < summary.end.u:
                add(end, Step.RELEASE, owner)
                add(end, Step.RESUME, owner)
    order = {step: number for number, step in enumerate(Step)}
    # A run that takes no time starts before it ends; an interval of no time is none.
    none = {(h.lane, h.number, h.time) for h in found if h.step is Step.TERMINATE} & {
        (h.lane, h.number, h.time) for h in found if h.step is Step.START
    }
    return sorted(found, key=lambda h: (h.time, len(order) if _brief(h, none) else order[h.step]))


def _brief(happening: Happening, none: set[tuple[Lane, int, int]]) -> bool:
    """Whether it is the end of a run that takes no time."""
    return happening.step is Step.TERMINATE and (happening.lane, happening.number, happening.time) in none
