# SPDX-License-Identifier: Apache-2.0
"""A vector that starts a task: its code around the task, on each path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carillon.model import Monitor, OnDeadlineMiss, Overrun
from carillon.verify.controllers import named
from carillon.verify.expected import Subject
from carillon.verify.meaning import Meaning, Step, surplus

if TYPE_CHECKING:
    from carillon.verify.rounds import Round

NOT_MOVED = "does not move the task's deadline on when the task has ended"


class _Path:
    """A path of such a vector, followed step by step: a method for each kind of step says what is wrong with it.

    ``armed`` deadlines are those that may interrupt, ``fresh`` and ``cleared`` those whose earlier requests are forgotten, in the
    controller and in cells.  ``postponed`` are re-armed deadline cells that were moved on since the task has ``ran`` last.
    ``held``: its own source is disabled; ``unsettled``: what a barrier has to follow.
    """

    def __init__(self, vector: ActivationVector) -> None:
        self.vector, self.task = vector, vector.task
        self.armed: set[int | str] = set()
        self.fresh: set[int] = set()
        self.cleared: set[str] = set()
        self.postponed: set[int] = set()
        self.held = self.guarded = False
        self.unsettled = ""
        self.ran = 0
        rearmed = [r.multiplex for r in vector.round.own_cells(vector.source) if r.multiplex is not None]
        self.multiplexes, self.waits = {it.multiplex for it in rearmed}, any(it.waits for it in rearmed)

    def follow(self, path: list[Step]) -> str:
        """The first fault of a path; empty if there is none."""
        steps = {
            "unpend": self._unpend,
            "enable": self._enable,
            "disable": self._disable,
            "acknowledge": self._acknowledge,
            "arm": self._arm,
            "disarm": self._arm,
            "touch": self._touch,
            "guard": self._guard,
            "settle": self._settle,
            "run": self._run,
            "call": self._call,
            **dict.fromkeys(("missed", "control", "pend", "other"), surplus),
        }
        for step in path:
            follow = steps.get(step.kind)
            if follow is not None and (wrong := follow(step)):
                return wrong
        return self._ended(path)

    def _unpend(self, step: Step) -> str:
        others = step.sources - self.vector.sources - self.vector.siblings
        self.fresh |= step.sources
        return f"forgets requests of {named(others)}" if others - {self.vector.source} else ""

    def _enable(self, step: Step) -> str:
        for source in step.sources:
            if source in self.vector.sources:
                if source not in self.fresh:
                    return f"arms the deadline of source {source} without forgetting what it asked for before"
                self.armed.add(source)
            elif source == self.vector.source and self.held:
                self.held = False
            else:
                return f"enables {named([source])}, which is no deadline of '{self.task.name}'"
        return ""

    def _disable(self, step: Step) -> str:
        for source in step.sources:
            if source in self.vector.sources:
                if wrong := self._disarmed(source, f"source {source}"):
                    return wrong
            elif source == self.vector.source:
                self.held = self.held or not self.ran
            else:
                return f"disables {named([source])}, which is no deadline of '{self.task.name}'"
        self.fresh -= step.sources
        return ""

    def _disarmed(self, deadline: int | str, name: str) -> str:
        if not self.ran:
            return f"disarms the deadline of {name} before the task has run"
        self.armed.discard(deadline)
        self.unsettled = f"deadline of {name} is disarmed"
        return ""

    def _acknowledge(self, step: Step) -> str:
        if step.cell is not None:
            self.cleared.add(step.cell.place.name)
            self.unsettled = f"request of {step.cell.place.name} is taken back"
        return ""

    def _arm(self, step: Step) -> str:
        name = step.cell.place.name if step.cell is not None else ""
        if name not in self.vector.cells:
            return f"{step.kind}s {name}, which is no deadline of '{self.task.name}'"
        if step.kind == "disarm":
            return self._disarmed(name, name)
        if self.vector.cells[name].family.remembers and name not in self.cleared:
            return f"arms the deadline of {name} without forgetting what it asked for before"
        self.armed.add(name)
        return ""

    def _touch(self, step: Step) -> str:
        assert step.number is not None
        if step.number in self.multiplexes:
            return "re-arms its cell after the task has run" if self.ran else ""
        if step.number not in self.vector.postponed:
            return "moves a re-armed cell on that is not its own"
        self.postponed.add(step.number)
        return "" if self.ran else "moves the task's deadline on before the task has run"

    def _guard(self, step: Step) -> str:
        self.guarded = True
        return f"looks at the flags of '{step.name}'" if step.name != self.task.name else ""

    def _settle(self, _: Step) -> str:
        self.unsettled = ""
        return ""

    def _run(self, _: Step) -> str:
        wanted: set[int | str] = {*self.vector.sources, *self.vector.cells}
        if self.armed != wanted:
            return f"runs '{self.task.name}' without arming its deadline of {_listed(wanted - self.armed)}"
        if self.ran and self.postponed != self.vector.postponed:
            return NOT_MOVED
        self.ran, self.postponed = self.ran + 1, set()
        return ""

    def _call(self, step: Step) -> str:
        return "" if self.vector.round._helper(step.name) else f"calls '{step.name}'"

    def _ended(self, path: list[Step]) -> str:
        if not self.ran:
            # A counter that has turns left to the next point: nothing is moved on.
            lap = self.waits and not any(step.kind in ("move", "call") for step in path)
            return "" if self.guarded or lap else "does not always run the task"
        if self.armed:
            return f"leaves the deadline of {_listed(self.armed)} armed"
        if self.held:
            return "does not enable its own source again"
        if self.unsettled and self.vector.round.system.board.port in ("armv6m", "armv7m"):
            return f"may return before the {self.unsettled}"
        return "" if self.postponed == self.vector.postponed else NOT_MOVED


class ActivationVector:
    """A vector that starts a task."""

    def __init__(self, round_: Round, source: int, subject: Subject, meaning: Meaning) -> None:
        self.round, self.source, self.subject, self.meaning = round_, source, subject, meaning
        self.task = round_.system.task(subject.name)
        deadlines = round_.of(Subject("deadline", subject.name))
        direct = [r for r in deadlines if r.multiplex is None]
        self.cells = {r.cell.place.name: r for r in direct if r.cell.place.array.request_enable == "cell"}
        armed = {other for r in round_.own_cells(source) for other in r.cell.arms}  # by the expiry (check_arming)
        self.sources = {r.source for r in direct if r.cell.place.array.request_enable == "controller"} - armed
        self.postponed = {r.multiplex.multiplex for r in deadlines if r.multiplex is not None}
        self.siblings = {r.source for r in round_.of(subject)} - {source}
        round_.report.deadlines += len(deadlines)

    def check(self) -> None:
        """Check every path, and the guard against entering the task while it runs."""
        round_ = self.round
        span = round_._span(self.subject)
        for path in self.meaning.paths:
            wrong = round_.upkeep(self.source, path, self.subject) + [w for w in (_Path(self).follow(path),) if w]
            code = "C206" if wrong and "deadline" in wrong[0] else "C205"
            round_.tell(code, span, self.source, self.meaning, wrong, self.subject)
        round_.tell("C205", span, self.source, self.meaning, self._guard(), self.subject)

    def _guard(self) -> list[str]:
        """Faults of the guard against entering the task while it runs; none if a deadline always ends the task before."""
        round_, mode = self.round, self.round.mode
        system = round_.system
        starts = [a for a in mode.activations if a.task == self.task.name]
        following = [*(a.at for a in starts[1:]), mode.round_length + (starts[0].at if starts else 0)]
        stops = system.on_deadline_miss is OnDeadlineMiss.SHUTDOWN
        ended = stops and all(
            a.monitor is Monitor.ALWAYS and a.deadlines and max(a.deadlines) <= t for a, t in zip(starts, following, strict=True)
        )
        if self.task.overrun is Overrun.NEVER or ended:
            return []
        running = [path for path in self.meaning.paths if any(s.kind == "run" for s in path)]
        flagged = bool(running) and all(any(s.kind == "guard" for s in path) for path in running)
        by_time = system.board.nesting == "time"
        if not self.siblings:
            alone = not by_time and not self.meaning.lowered
            held = bool(running) and all(any(s.kind == "disable" and self.source in s.sources for s in path) for path in running)
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
            forgotten = {s for step in path if step.kind == "unpend" for s in step.sources}
            kept = [s.cell for s in path if s.kind == "acknowledge"]
            cells = [r for r in round_.of(self.subject) if r.source != self.source and r.cell.place.array.acknowledge]
            left = (self.siblings - forgotten) | {r.source for r in cells if r.cell not in kept}
            if left:
                return [f"does not forget what {named(left)} of the same task asked for"]
        return []


def _listed(deadlines: set[int | str]) -> str:
    """Sources, and cells whose request is enabled in the cell."""
    return ", ".join(f"source {x}" if isinstance(x, int) else x for x in sorted(deadlines, key=str))
