# SPDX-License-Identifier: Apache-2.0
"""Which activation each job answers, and which activations are lost: from the expiries that the events know.

A task takes so many activations at once: OSEK OS 2.2.3, chapter 4.3, what ``activations`` says; of a round, one that runs and
one that waits (SPEC, "Meaning").  One that comes while all of these are taken is lost.

1. An expiry is accepted if fewer jobs than that run or wait, and if the task's time frame is over since the last one that was
   accepted.  A job that begins answers the one that has waited longest.
2. A job that begins when none waits was activated by something else: a service, or an alarm whose times are not known.
   Where an event tells of such an activation, it is one that was accepted.
3. An expiry of a cell that asks already is none of its own: it is lost, too.
4. Between a job's last instruction and the kernel's note of its end, the kernel may still accept what seems to come too early.
   So a job that begins when none waits takes back an expiry that was lost shortly before the end of the job before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from carillon.trace import Event, Kind

NONE_MERGED: Mapping[Event, int] = {}
ENDING = 400
"""Instructions or cycles from a job's last instruction to the kernel's note of its end, at most."""


@dataclass(slots=True)
class Activations:
    """What became of the expiries of one task: the one that each job answers, in order (None: not known), and the lost ones."""

    answered: list[Event | None] = field(default_factory=list)
    lost: list[Event] = field(default_factory=list)


def activations(
    events: Iterable[Event],
    takes: Mapping[str, int],
    frames: Mapping[str, int],
    counts_code: bool,
    merged: Mapping[Event, int] = NONE_MERGED,
) -> dict[str, Activations]:
    """By task; ``takes``: how many activations each takes at once; ``frames``: the time frames of tasks that have some, in ticks.

    ``counts_code``: whether code takes time.  ``merged``: how many expiries like this one came while their cell asked already.
    """
    left = dict(merged)
    found = {name: _Task(takes[name], frames.get(name, 0), ENDING if counts_code else 0) for name in takes}
    for event in events:
        task = found.get(event.object)
        if task is None:
            continue
        if event.kind is Kind.EXPIRY and left.get(event):
            left[event] -= 1
            task.done.lost.append(event)
        elif event.kind is Kind.EXPIRY:
            task.expires(event)
        elif event.kind is Kind.ACTIVATION:
            task.waiting.append(event)
        elif event.kind is Kind.START:
            task.starts()
        elif event.kind is Kind.END:
            task.ends(event)
    return {name: task.done for name, task in found.items()}


class _Task:
    def __init__(self, takes: int, frame: int, ending: int) -> None:
        self.takes, self.frame, self.ending = takes, frame, ending
        self.done = Activations()
        self.waiting: deque[Event] = deque()
        self.running = 0
        self.end = 0
        self.opens = 0  # the time from which on the frame lets the next activation through

    def expires(self, event: Event) -> None:
        if len(self.waiting) + self.running < self.takes and event.t >= self.opens:
            self.waiting.append(event)
            self.opens = event.t + self.frame
        else:
            self.done.lost.append(event)

    def starts(self) -> None:
        self.running = 1
        answers: Event | None = None
        if self.waiting:
            answers = self.waiting.popleft()
        elif self.done.lost and 0 <= self.end - self.done.lost[-1].n <= self.ending:
            answers = self.done.lost.pop()
        self.done.answered.append(answers)

    def ends(self, event: Event) -> None:
        self.running, self.end = 0, event.n


def lost_events(found: Mapping[str, Activations]) -> list[Event]:
    """An event for each activation that was lost, at its expiry."""
    return [Event(e.t, e.n, Kind.LOST, name) for name, task in found.items() for e in task.lost]
