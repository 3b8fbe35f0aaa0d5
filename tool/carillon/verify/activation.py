# SPDX-License-Identifier: Apache-2.0
"""A vector that starts a task: what it does around the task, on each of its paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carillon.model import Monitor, OnDeadlineMiss, Overrun
from carillon.verify.controllers import named
from carillon.verify.expected import Subject
from carillon.verify.meaning import Meaning, Step, surplus

if TYPE_CHECKING:
    from carillon.verify.rounds import Round


class ActivationVector:
    """A vector that starts a task."""

    def __init__(self, round_: Round, source: int, subject: Subject, meaning: Meaning) -> None:
        self.round, self.source, self.subject, self.meaning = round_, source, subject, meaning
        self.task = round_.system.task(subject.name)
        deadlines = round_.of(Subject("deadline", subject.name))
        direct = [r for r in deadlines if r.multiplex is None]
        self.cells = {r.cell.place.name: r for r in direct if r.cell.place.array.request_enable == "cell"}
        self.sources = {r.source for r in direct if r.cell.place.array.request_enable == "controller"}
        self.postponed = {r.multiplex.multiplex for r in deadlines if r.multiplex is not None}
        self.siblings = {r.source for r in round_.of(subject)} - {source}
        round_.report.deadlines += len(deadlines)

    def check(self) -> None:
        """Every path, and what keeps the task from being entered while it runs."""
        round_ = self.round
        span = round_._span(self.subject)
        for path in self.meaning.paths:
            wrong = round_.upkeep(self.source, path, self.subject) + self._path(path)
            code = "C206" if self._about_deadlines(wrong) else "C205"
            round_.tell(code, span, self.source, self.meaning, wrong, self.subject)
        round_.tell("C205", span, self.source, self.meaning, self._guard(), self.subject)

    @staticmethod
    def _about_deadlines(wrong: list[str]) -> bool:
        return bool(wrong) and "deadline" in wrong[0]

    def _path(self, path: list[Step]) -> list[str]:
        armed: set[int | str] = set()
        fresh: set[int] = set()
        cleared: set[str] = set()
        postponed: set[int] = set()
        held = guarded = False
        unsettled = ""
        ran = 0
        wanted: set[int | str] = {*self.sources, *self.cells}
        rearmed = [r.multiplex for r in self.round.own_cells(self.source) if r.multiplex is not None]
        multiplexes, waits = {it.multiplex for it in rearmed}, any(it.waits for it in rearmed)
        for step in path:
            what = step.what
            if what == "unpend":
                fresh |= step.sources
                if step.sources - self.sources - self.siblings - {self.source}:
                    return [f"forgets requests of {named(step.sources - self.sources - self.siblings)}"]
            elif what == "enable":
                for source in step.sources:
                    if source in self.sources:
                        if source not in fresh:
                            return [f"arms the deadline of source {source} without forgetting what it asked for before"]
                        armed.add(source)
                    elif source == self.source and held:
                        held = False
                    else:
                        return [f"enables {named([source])}, which is no deadline of '{self.task.name}'"]
            elif what == "disable":
                for source in step.sources:
                    if source in self.sources:
                        if not ran:
                            return [f"disarms the deadline of source {source} before the task has run"]
                        armed.discard(source)
                        unsettled = f"deadline of source {source} is disarmed"
                    elif source == self.source and not ran:
                        held = True
                    elif source != self.source:
                        return [f"disables {named([source])}, which is no deadline of '{self.task.name}'"]
                fresh -= step.sources
            elif what == "acknowledge" and step.cell is not None:
                cleared.add(step.cell.place.name)
                unsettled = f"request of {step.cell.place.name} is taken back"
            elif what in ("arm", "disarm"):
                name = step.cell.place.name if step.cell is not None else ""
                if name not in self.cells:
                    return [f"{what}s {name}, which is no deadline of '{self.task.name}'"]
                if what == "arm":
                    if self.cells[name].family.remembers and name not in cleared:
                        return [f"arms the deadline of {name} without forgetting what it asked for before"]
                    armed.add(name)
                elif not ran:
                    return [f"disarms the deadline of {name} before the task has run"]
                else:
                    armed.discard(name)
                    unsettled = f"deadline of {name} is disarmed"
            elif what == "touch":
                assert step.number is not None
                if step.number in multiplexes:
                    if ran:
                        return ["re-arms its cell after the task has run"]
                elif step.number in self.postponed:
                    if not ran:
                        return ["moves the task's deadline on before the task has run"]
                    postponed.add(step.number)
                else:
                    return ["moves a re-armed cell on that is not its own"]
            elif what == "guard":
                if step.name != self.task.name:
                    return [f"looks at the flags of '{step.name}'"]
                guarded = True
            elif what == "settle":
                unsettled = ""
            elif what == "run":
                if armed != wanted:
                    return [self._unarmed(armed, wanted)]
                if ran and postponed != self.postponed:
                    return ["does not move the task's deadline on when the task has ended"]
                ran, postponed = ran + 1, set()
            elif what == "call" and not self.round._helper(step.name):
                return [f"calls '{step.name}'"]
            elif what in ("missed", "control", "pend", "other"):
                return [surplus(step)]
        if not ran:
            # A counter that has turns left to the next point: nothing is moved on.
            lap = waits and not any(step.what in ("move", "call") for step in path)
            return [] if guarded or lap else ["does not always run the task"]
        if armed:
            return [f"leaves the deadline of {_listed(armed)} armed"]
        if held:
            return ["does not enable its own source again"]
        if unsettled and self.round.system.board.port == "armv7m":
            return [f"may return before the {unsettled}"]
        return [] if postponed == self.postponed else ["does not move the task's deadline on when the task has ended"]

    def _unarmed(self, armed: set[int | str], wanted: set[int | str]) -> str:
        return f"runs '{self.task.name}' without arming its deadline of {_listed(wanted - armed)}"

    def _guard(self) -> list[str]:
        """What keeps the task from being entered while it runs, where no deadline ends it before."""
        round_, mode = self.round, self.round.mode
        system = round_.system
        own = [a for a in mode.activations if a.task == self.task.name]
        following = [*(a.at for a in own[1:]), mode.round_length + (own[0].at if own else 0)]
        stops = system.on_deadline_miss is OnDeadlineMiss.SHUTDOWN
        ended = stops and all(
            a.monitor is Monitor.ALWAYS and a.deadlines and max(a.deadlines) <= t for a, t in zip(own, following, strict=True)
        )
        if self.task.overrun is Overrun.NEVER or ended:
            return []
        running = [path for path in self.meaning.paths if any(s.what == "run" for s in path)]
        flagged = bool(running) and all(any(s.what == "guard" for s in path) for path in running)
        by_time = system.board.nesting == "time"
        if not self.siblings:
            alone = not by_time and not self.meaning.lowered
            held = bool(running) and all(any(s.what == "disable" and self.source in s.sources for s in path) for path in running)
            if held and len(round_.serves(self.source)) > 1:
                return ["holds back others that have its source, while the task runs"]
            return [] if alone or held or flagged else ["does not keep the task from being entered while it runs"]
        levels = dict(round_.table.levels)
        same = len({levels.get(s) for s in {self.source, *self.siblings}}) == 1 and not self.meaning.lowered and not by_time
        if flagged:
            return []
        if not same:
            return ["may be preempted by another source of its task, and no flag keeps the task from being entered"]
        for path in self.meaning.paths:
            forgotten = {s for step in path if step.what == "unpend" for s in step.sources}
            kept = [s.cell for s in path if s.what == "acknowledge"]
            cells = [r for r in round_.of(self.subject) if r.source != self.source and r.cell.place.array.acknowledge]
            left = (self.siblings - forgotten) | {r.source for r in cells if r.cell not in kept}
            if left:
                return [f"does not forget what {named(left)} of the same task asked for"]
        return []


def _listed(deadlines: set[int | str]) -> str:
    """Sources, and cells whose request is enabled in the cell."""
    return ", ".join(f"source {x}" if isinstance(x, int) else x for x in sorted(deadlines, key=str))
