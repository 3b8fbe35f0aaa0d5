# SPDX-License-Identifier: Apache-2.0
"""Tasks and modes of the rounds: their times become ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from carillon.diagnostics import Diagnostics, Span
from carillon.model import Activation, Drift, Enable, Mode, Monitor, Overrun, Started, Synchronisation, SyncStart, Task, Window
from carillon.read.schema import ModeTable, TaskTable
from carillon.read.shape import Reading, Tables, describe
from carillon.read.ticks import LONGEST, Ticks, whole
from carillon.units import Time, format_duration

MOST_POINTS = 65_536
INDEPENDENT = (
    "; or let alarms start the tasks, so that no period depends on another and there is no round: "
    "tasks of [osek], or functions and threads of [time]"
)


class Rounds(Reading):
    """Builds tasks, then modes."""

    def __init__(self, tables: Tables, diagnostics: Diagnostics, ticks: Ticks) -> None:
        super().__init__(tables, diagnostics)
        self.ticks = ticks
        self.start_within = self.within(self.file.system.start_within, ("system", "start_within"))

    def convert_tasks(self) -> None:
        """Convert the times of all tasks to exact ticks; None where a time is absent, refused or out of range."""
        self.wcets: dict[str, int | None] = {}
        self.budgets: dict[str, int] = {}
        self.periods: dict[str, Fraction] = {}
        self.offsets: dict[str, Fraction] = {}
        self.deadlines: dict[str, tuple[Fraction, ...]] = {}
        for name, task in self.file.task.items():
            wcet = self._convert(task.wcet, ("task", name, "wcet"), upwards=True, positive=True)
            self.wcets[name] = None if wcet is None else whole(wcet, upwards=True)
            budget = self._convert(task.budget, ("task", name, "budget"), upwards=True, positive=True)
            self.budgets[name] = 0 if budget is None else whole(budget, upwards=True)
            self._convert_periodic(name, task)

    def _convert_periodic(self, name: str, task: TaskTable) -> None:
        if task.period is None:
            keys = [key for key, value in (("offset", task.offset), ("deadline", task.deadline)) if value is not None]
            if keys and not self.has_period(name):
                instead = " and ".join({"offset": "at", "deadline": "deadline_at"}[key] for key in keys)
                cause = f"task '{name}' has {'an' if keys[0] == 'offset' else 'a'} {' and a '.join(keys)} but no period"
                remedy = f"give the task a period, or write {instead} in the points that activate it"
                self.diagnostics.error("C029", self.places.key(("task", name, keys[0])), cause, remedy)
        period = self._convert(task.period, ("task", name, "period"), recurs=self.ticks.refuse, positive=True)
        offset = self._convert(task.offset, ("task", name, "offset")) if task.offset else Fraction(0)
        deadlines = self._deadlines(task.deadline, ("task", name, "deadline"))
        if period is None:
            return
        self.periods[name] = period
        self.deadlines[name] = deadlines
        if offset is not None and not self.broken.at("task", name, "offset"):
            if offset >= period:
                cause = f"the offset of task '{name}', {task.offset}, is not less than its period, {task.period}"
                remedy = "an offset says where in its first period a task is activated: write one that is less than the period"
                self.diagnostics.error("C029", self.places.value(("task", name, "offset")), cause, remedy)
            else:
                self.offsets[name] = offset

    def _convert(
        self,
        time: Time | None,
        path: tuple[str | int, ...],
        *,
        recurs: bool = False,
        upwards: bool = False,
        positive: bool = False,
    ) -> Fraction | None:
        if time is None:
            return None
        span = self.places.value(path)
        what = describe(*path)  # an upper bound may be a longer one
        ticks = self.ticks.limited(time, what, span) if upwards else self.ticks.exact(time, what, span, recurs)
        if ticks is not None and positive and self.ticks.vanishes(ticks, what, span, upwards=upwards):
            ticks = None
        if ticks is None:
            self.broken.add(path)
        return ticks

    def _deadlines(self, times: list[Time] | None, path: tuple[str | int, ...]) -> tuple[Fraction, ...]:
        """The deadlines in ticks; reports C034 if they do not ascend."""
        converted: list[Fraction] = []
        for number, time in enumerate(times or ()):
            element = (*path, number) if (*path, number) in self.places.values else path
            ticks = self._convert(time, element)
            if ticks is None:
                continue
            if converted and ticks <= converted[-1]:
                cause = f"{describe(*path)}: {time} is not later than the deadline before it"
                remedy = "write the deadlines in ascending order, each once"
                self.diagnostics.error("C034", self.places.value(element), cause, remedy)
                continue
            converted.append(ticks)
        return tuple(converted)

    def task(self, name: str) -> Task:
        """A task, once its times are known."""
        table = self.file.task[name]
        written = table.start_within
        within = self.start_within if written is None else self.within(written, ("task", name, "start_within"))
        span = self.places.key(("task", name))
        return Task(name, table.entry or name, self.wcets[name], span, Overrun(table.overrun), within, self.budgets[name])

    def within(self, time: Time | None, path: tuple[str | int, ...]) -> int:
        """A bound in whole ticks, rounded down; 0 if it is absent or refused."""
        ticks = self.ticks.limited(time, describe(*path), self.places.value(path)) if time is not None else None
        return int(ticks) if ticks is not None else 0

    def sync(self) -> Synchronisation | None:
        """How rounds are synchronised; None if they are not."""
        table = self.file.sync
        if table is None:
            return None

        def ticks(key: str, time: Time | None) -> int:
            found = self._convert(time, ("sync", key))
            return whole(found) if found is not None else 0

        return Synchronisation(
            ticks("lengthen", table.lengthen),
            ticks("shorten", table.shorten),
            ticks("precision", table.precision),
            table.silence,
            SyncStart(table.start),
            self.places.key(("sync",)),
            self.places.value(("sync", "lengthen")),
            self.places.value(("sync", "shorten")),
            None if table.phase is None else ticks("phase", table.phase),
            table.edges,
            self.places.value(("sync", "phase" if table.phase is not None else "edges")),
        )

    def start(self) -> Started | None:
        """What starts the round in hardware; None if nothing does, or after C365."""
        table = self.file.start
        if table is None:
            return None
        span = self.places.key(("start",))
        missing = [key for key in ("by", "period") if getattr(table, key) is None and not self.broken.at("start", key)]
        if missing:
            remedy = 'write by = "TIM1", say, and period, which is the time from each of its triggers to the next'
            self.diagnostics.error("C365", span, f"[start] has no '{missing[0]}'", remedy)
        period = self._convert(table.period, ("start", "period"), recurs=self.ticks.refuse, positive=True)
        phase = self._convert(table.phase, ("start", "phase")) if table.phase is not None else Fraction(0)
        if table.by is None or period is None or phase is None:
            return None
        named, timed, phased = (self.places.value(("start", key)) for key in ("by", "period", "phase"))
        return Started(table.by, whole(phase), whole(period), span, named, timed, phased)

    def mode(self, name: str, table: ModeTable) -> Mode | None:
        """The mode; None if its round cannot be told, after a diagnostic."""
        span = self.places.key(("mode", name)) if name in self.file.mode else Span(self.places.file)
        activations: list[Activation] = []
        enables: list[Enable] = []
        self._points(name, table, activations, enables)
        if table.tasks is None:
            periodic = list(filter(self.has_period, self.file.task))
        else:
            periodic = [task for task in dict.fromkeys(table.tasks) if task in self.file.task and self.has_period(task)]
        known = [task for task in periodic if task in self.offsets]
        exact = self._round(name, table, known, complete=len(known) == len(periodic), points=(*activations, *enables), span=span)
        if exact is None:
            return None
        for task in known:
            self._periodic(task, exact, activations)
        activations.sort(key=lambda a: a.at)
        enables.sort(key=lambda e: e.at)
        return Mode(name, whole(exact), tuple(activations), tuple(enables), Window(table.window), span)

    def _points(self, name: str, table: ModeTable, activations: list[Activation], enables: list[Enable]) -> None:
        latest: tuple[Fraction, Time] | None = None
        for number, point in enumerate(table.points or ()):
            path = ("mode", name, "points", number)
            at = self._convert(point.at, (*path, "at"))
            deadlines = self._deadlines(point.deadline_at, (*path, "deadline_at"))
            if at is None or point.at is None:
                continue
            if latest is not None and at < latest[0]:
                cause = f"{describe(*path)} is at {point.at}, before the point above it at {latest[1]}"
                remedy = "write the points in ascending order of 'at'"
                self.diagnostics.error("C034", self.places.value((*path, "at")), cause, remedy)
            else:
                latest = (at, point.at)
            span = self.places.value(path)
            if point.enable in self.file.interrupt:
                enables.append(Enable(str(point.enable), whole(at), span))
            if point.activate in self.file.task:
                monitor = Monitor(self.file.task[str(point.activate)].monitor)
                activations.append(Activation(str(point.activate), whole(at), tuple(map(whole, deadlines)), monitor, span))

    def _round(
        self, name: str, table: ModeTable, tasks: list[str], complete: bool, points: tuple[Activation | Enable, ...], span: Span
    ) -> Fraction | None:
        if self.broken.under("mode", name, "tasks"):
            return None
        if table.round is not None:
            length = self._convert(table.round, ("mode", name, "round"), recurs=True)
            if length is None or not self._multiple(name, table.round, length, tasks):
                return None
            return length if self._countable(name, length, tasks, self.places.value(("mode", name, "round"))) else None
        if self.broken.at("mode", name) or self.broken.at("mode", name, "round") or not complete:
            return None
        if not tasks:
            if name in self.file.mode:
                cause = f"mode '{name}' has no periodic task and no round"
                remedy = f"write round under [mode.{name}]: the time after which its points repeat; or give a task a period"
                self.diagnostics.error("C031", span, cause, remedy)
            elif not any(len(path) == 1 for path in self.broken.paths):
                cause = "the file schedules nothing: it has no mode, and no task with a period"
                self.diagnostics.error("C031", span, cause, "give a task a period, or write [mode.NAME] with round and points")
            return None
        length = least_common_multiple(self.periods[task] for task in tasks)
        if not self._countable(name, length, tasks, span):
            return None
        beyond = [point for point in points if point.at >= length]
        if beyond:
            last = max(beyond, key=lambda p: p.at)
            cause = (
                f"this point, at {self._shown(last.at)}, lies past the {self._shown(length)} that the periods give mode '{name}'"
            )
            remedy = f"write round under [mode.{name}], a multiple of {self._shown(length)} greater than {self._shown(last.at)}"
            self.diagnostics.error("C031", last.span, cause, remedy)
            return None
        if length.denominator != 1 and not self.ticks.refuse:
            rounded = whole(length)
            self.ticks.drifts.append(Drift(span, f"round of mode {name}", rounded, float(rounded - length)))
            cause = (
                f"the round of mode '{name}', the least common multiple of its periods, is rounded to {rounded} ticks: "
                + "it is "
                + self.ticks.error(length, rounded, recurs=True)
            )
            remedy = f"write round under [mode.{name}], a multiple of the periods that is a whole number of ticks"
            self.diagnostics.warning("C018", span, cause, remedy)
        return length

    def _multiple(self, name: str, written: Time, length: Fraction, tasks: list[str]) -> bool:
        """Whether every period divides the round; else the tasks' spacing would break at its end (C030)."""
        common = least_common_multiple(self.periods[task] for task in tasks) if tasks else Fraction(1)
        bad = [task for task in tasks if (length / self.periods[task]).denominator != 1]
        for task in bad:
            if self.ticks.refuse and (length.denominator != 1 or self.periods[task].denominator != 1):
                continue  # one of the two was refused already
            cause = (
                f"the round of mode '{name}', {written}, is no multiple of the period of task '{task}', "
                f"{self.file.task[task].period}"
            )
            remedy = (
                f"write a multiple of {self._shown(common)}, the least common multiple of the periods, "
                f"or leave '{task}' out of its tasks"
            )
            self.diagnostics.error("C030", self.places.value(("mode", name, "round")), cause, remedy)
        return not bad

    def _countable(self, name: str, length: Fraction, tasks: list[str], span: Span) -> bool:
        count = sum(length / self.periods[task] for task in tasks)
        if count <= MOST_POINTS and length <= LONGEST:
            return True
        if count <= MOST_POINTS:
            holds = ", the least common multiple of its periods, is longer than 2^63 - 1 ticks"
            remedy = "choose shorter periods with a small common multiple"
        else:
            periods = ", ".join(f"{self.file.task[t].period} ('{t}')" for t in tasks[:4]) + (", ..." if len(tasks) > 4 else "")
            many = f"{int(count)} activations" if count < 10**12 else "more than 10^12 activations"
            holds = f" holds {many}, more than {MOST_POINTS}: the periods are {periods}"
            remedy = "choose periods with a small common multiple, best each a multiple of the next shorter one"
        if len(set(tasks)) > 1:
            remedy += INDEPENDENT
        self.diagnostics.error("C032", span, f"the round of mode '{name}'{holds}", remedy)
        return False

    def _periodic(self, task: str, length: Fraction, activations: list[Activation]) -> None:
        period, offset = self.periods[task], self.offsets[task]
        monitor = Monitor(self.file.task[task].monitor)
        written = ("task", task, "offset" if self.file.task[task].offset else "period")
        span = self.places.value(written)
        for count in range(int(length / period)):
            at = offset + count * period
            deadlines = tuple(whole(at + deadline) for deadline in self.deadlines[task])
            activations.append(Activation(task, whole(at), deadlines, monitor, span))

    def _shown(self, ticks: Fraction | int) -> str:
        return f"{whole(Fraction(ticks))} ticks ({format_duration(ticks, self.ticks.clock_hz)})"


def least_common_multiple(values: Iterable[Fraction]) -> Fraction:
    """The least positive number that is a whole multiple of every value; 1 of no value."""
    fractions = list(values)
    return Fraction(math.lcm(*(f.numerator for f in fractions)), math.gcd(*(f.denominator for f in fractions)) or 1)
