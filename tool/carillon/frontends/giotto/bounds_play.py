# SPDX-License-Identifier: Apache-2.0
"""Plays the jobs of a mode's period, each with its whole time: when they end, and what ran between their release and that.

What ends in the unit in which something is released has not ended when that is released (LATE of
:mod:`carillon.timing.analysis`): the interrupt comes first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from carillon.timing.response import Term


@dataclass(frozen=True, slots=True)
class Job:
    """Something that is released once.  ``urgency``: of those that are released, the least runs.  ``why``: its kind as a term."""

    name: str
    why: str
    release: int
    deadline: int
    cost: int
    urgency: tuple[int, ...]


@dataclass(slots=True)
class Played:
    """When jobs end, those that had not ended at their deadlines, and who ran from when to when."""

    ends: dict[Job, int] = field(default_factory=dict)
    late: list[Job] = field(default_factory=list)
    slices: list[tuple[Job, int, int]] = field(default_factory=list)

    def terms(self, job: Job) -> tuple[Term, ...]:
        """What ran from the release of a job to its end, of one kind and length together."""
        end = self.ends[job]
        others: dict[Job, int] = {}
        for other, begin, stop in self.slices:
            ran = min(stop, end) - max(begin, job.release)
            if ran > 0 and other is not job:
                others[other] = others.get(other, 0) + ran
        counted = Counter((other.why, other.name, ran) for other, ran in others.items())
        return (
            Term(job.why, job.name, 1, job.cost),
            *(Term("preemption" if why == "execution" else why, name, often, ran) for (why, name, ran), often in counted.items()),
        )


def play(jobs: Iterable[Job], until: int) -> Played:
    """Play them; nothing is played behind ``until``, at which something is released, nor behind a deadline that is missed."""
    coming = sorted(jobs, key=lambda job: job.release)
    played = Played()
    ready: dict[Job, int] = {}
    now = place = 0
    while now < until:
        while place < len(coming) and coming[place].release <= now:
            ready[coming[place]] = coming[place].cost
            place += 1
        following = coming[place].release if place < len(coming) else until
        now = following if not ready else _run(ready, now, following, played)
        played.late = _late(ready, now)
        if played.late:
            break
    return played


def _run(ready: dict[Job, int], now: int, following: int, played: Played) -> int:
    """Let the most urgent job run until it ends, or something is released; when that is."""
    job = min(ready, key=lambda job: job.urgency)
    end = now + ready[job]
    if end < following:
        del ready[job]
        played.ends[job] = end
    else:
        end = following
        ready[job] -= following - now
    if end > now:
        played.slices.append((job, now, end))
    return end


def _late(ready: Iterable[Job], now: int) -> list[Job]:
    return [job for job in ready if job.deadline <= now]


def worst(played: Played, name: str) -> Job | None:
    """The job of a task with the longest response; None if one has not ended."""
    own: Sequence[Job] = [job for job in played.ends if job.name == name and job.why == "execution"]
    if not own or played.late:
        return None
    return max(own, key=lambda job: played.ends[job] - job.release)
