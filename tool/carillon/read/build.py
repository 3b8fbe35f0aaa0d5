# SPDX-License-Identifier: Apache-2.0
"""Builds the model from a schedule file that fits the schema: names are resolved, times become ticks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path

from carillon.diagnostics import CarillonError, Diagnostics, Span, suggestion
from carillon.model import (
    Activation,
    Drift,
    Enable,
    Idle,
    Interrupt,
    Mode,
    Monitor,
    OnDeadlineMiss,
    Overrun,
    System,
    Task,
    Window,
)
from carillon.model.board import Board
from carillon.read.board import load_board
from carillon.read.osek import OsekReader
from carillon.read.schema import APPLICATION_NAME, ModeTable, OsekTable, PointTable, ScheduleFile, TaskTable
from carillon.read.shape import Broken, describe
from carillon.read.spans import SpanIndex
from carillon.read.ticks import LONGEST, Ticks, fitting_clocks, whole
from carillon.read.time import TimeReader
from carillon.resources import board_names, find_board
from carillon.units import Time, format_duration, format_frequency, format_number, shorten

DEFAULT_BOARD = "ast1030-evb"
DEFAULT_MODE = "default"
MOST_POINTS = 65_536
SOURCES = (".c", ".cc", ".cpp")


class Builder:
    """Builds one System.

    ``broken`` says which values of the file are missing because they were wrong; ``included`` are other files that it has.
    """

    def __init__(
        self,
        path: Path,
        digest: str,
        places: SpanIndex,
        broken: Broken,
        diagnostics: Diagnostics,
        included: tuple[Path, ...] = (),
    ) -> None:
        self.path = path
        self.digest = digest
        self.included = included
        self.places = places
        self.broken = broken
        self.diagnostics = diagnostics

    def build(self, file: ScheduleFile, override: str | None, clock: int | None = None) -> System | None:
        """The system, without the parts that could not be built; None if nothing is left, or there is no board.

        ``clock`` overrides the clock, in Hz, that the file names or that would be chosen.
        """
        self.file = file
        # Time services are those of the event-triggered system.
        implied = OsekTable.model_validate({}) if self._event_triggered() else None
        table = file.osek or implied
        osek = OsekReader(file, table, self.places, self.broken, self.diagnostics) if table else None
        time = TimeReader(file, self.places, self.broken, self.diagnostics)
        name = self._name()
        sources = self._sources()
        board = self._board(override)
        self._references(board)
        if osek is not None:
            osek.resolve(board)
        time.resolve()
        if board is None:
            return None
        chosen = self._clock(board, [*self._times(), *(osek.times() if osek else ()), *time.times()])
        clock_hz = chosen if clock is None else clock
        if clock_hz is None:
            return None
        self.ticks = Ticks(board, clock_hz, file.system.inexact_times == "refuse", self.diagnostics)
        self.within = self._within(file.system.start_within, ("system", "start_within"))
        self._convert_tasks()
        tasks = tuple(self._task(task) for task in file.task)
        interrupts = tuple(self._interrupts(board))
        if file.mode or self.broken.at("mode"):
            modes = tuple(mode for name, table in file.mode.items() if (mode := self._mode(name, table)))
        elif self._default_mode():
            default = self._mode(DEFAULT_MODE, ModeTable.model_validate({}))
            modes = (default,) if default else ()
        else:
            modes = ()
        if not modes and osek is None:
            return None
        event_triggered = osek.build(self.ticks) if osek else None
        return System(
            name=name,
            file=self.path,
            digest=self.digest,
            board=board,
            clock_hz=clock_hz,
            tasks=tasks,
            interrupts=interrupts,
            modes=modes,
            start_mode=(file.system.start_mode or modes[0].name) if modes else "",
            on_deadline_miss=OnDeadlineMiss(file.system.on_deadline_miss),
            idle=Idle(file.system.idle or board.idle),
            sources=sources,
            drifts=tuple(self.ticks.drifts),
            osek=event_triggered,
            time=time.build(self.ticks),
            other_clocks=tuple(hz for hz in self.fitting if hz != clock_hz),
            clock_given=file.system.clock is not None,
            start_within=self.within,
            inputs=(self.path, *self.included, *board.files),
        )

    # The system table

    def _name(self) -> str:
        written = self.file.system.name
        # A file of the usual name says nothing: its folder does.
        stem = self.path.resolve().parent.name if self.path.name == "schedule.toml" else self.path.stem
        name = stem if written is None else written
        if re.fullmatch(APPLICATION_NAME, name, re.ASCII) is None and not self.broken.at("system", "name"):
            self.diagnostics.error(
                "C026",
                self.places.value(("system", "name")),
                f"{'the default name ' if written is None else ''}{shorten(name)} is no name of an application",
                ("write name under [system]" if written is None else "write a name")
                + ": a letter, then letters, digits, '_' and '-'",
            )
        return name

    def _sources(self) -> tuple[Path, ...]:
        folder = self.path.parent
        if self.file.system.sources is None:
            return tuple(sorted(path for suffix in SOURCES for path in folder.glob(f"*{suffix}")))
        sources: list[Path] = []
        for number, source in enumerate(self.file.system.sources):
            span = self.places.value(("system", "sources", number))
            path = folder / source
            if path in sources:
                self.diagnostics.error("C049", span, f"the source {shorten(source)} is listed twice", "list every C file once")
            elif not _is_file(path):
                here = [str(p.relative_to(folder)) for suffix in SOURCES for p in sorted(folder.glob(f"*{suffix}"))]
                remedy = (
                    suggestion(source, here) if here else "sources are relative to the schedule file, beside which no *.c lies"
                )
                self.diagnostics.error("C027", span, f"there is no C file {shorten(source)}", remedy)
            sources.append(path)
        return tuple(sources)

    def _board(self, override: str | None) -> Board | None:
        if override is None and self.broken.at("system", "board"):
            return None
        named = override or self.file.system.board or DEFAULT_BOARD
        path = find_board(named, None if override else self.path.parent)
        if path is None:
            span = None if override else self.places.value(("system", "board"))
            self.diagnostics.error(
                "C021",
                span,
                f"there is no board {shorten(named)}" + (", named by --board" if override else ""),
                f"{suggestion(named, board_names())} (a board is one of these or the path of a board.toml)",
            )
            return None
        try:
            return load_board(path)
        except CarillonError as error:
            self.diagnostics.found.extend(error.diagnostics)
            return None

    def _clock(self, board: Board, times: Iterable[Time]) -> int | None:
        self.fitting = fitting_clocks(board, times)
        if self.broken.at("system", "clock"):
            return None
        wanted = self.file.system.clock
        if wanted is None:
            return next(iter(self.fitting), board.clocks[0].hz)
        for clock in board.clocks:
            if clock.hz == wanted:
                return clock.hz
        exact = wanted.denominator == 1
        shown = format_frequency(int(wanted)) if exact else f"{format_number(wanted, 6)}Hz"
        offered = [format_frequency(clock.hz) for clock in board.clocks]
        self.diagnostics.error(
            "C020",
            self.places.value(("system", "clock")),
            f"board '{board.name}' has no clock of {shown}",
            "write " + " or ".join(f'"{text}"' for text in offered),
        )
        return None

    def _times(self) -> Iterator[Time]:
        for task in self.file.task.values():
            yield from (time for time in (task.wcet, task.period, task.offset, *(task.deadline or ())) if time)
        for mode in self.file.mode.values():
            if mode.round:
                yield mode.round
            for point in mode.points or ():
                yield from (time for time in (point.at, *(point.deadline_at or ())) if time)

    # Names that refer to others; these need no clock, so that they are reported whatever else is wrong

    def _references(self, board: Board | None) -> None:
        if self.file.system.start_mode is not None and not self.broken.at("mode"):
            modes = list(self.file.mode) or ([DEFAULT_MODE] if self._default_mode() else [])
            if modes:
                self._known(self.file.system.start_mode, modes, "mode", "C024", ("system", "start_mode"))
            else:
                self.diagnostics.error(
                    "C024",
                    self.places.value(("system", "start_mode")),
                    f"there is no mode {shorten(self.file.system.start_mode)}: the file has no rounds",
                    "leave start_mode out: an event-triggered system is started in the first of its own application modes",
                )
        for name, interrupt in self.file.interrupt.items():
            path = ("interrupt", name)
            if interrupt.source is None:
                if not self.broken.under(*path):
                    self._missing("source", path, "name one of the board's application sources")
            elif board is not None and interrupt.source not in board.application_sources:
                self.diagnostics.error(
                    "C025",
                    self.places.value((*path, "source")),
                    f"board '{board.name}' has no application source {shorten(interrupt.source)}",
                    suggestion(interrupt.source, board.application_sources),
                )
        for name, mode in self.file.mode.items():
            listed: set[str] = set()
            for number, task in enumerate(mode.tasks or ()):
                element = ("mode", name, "tasks", number)
                if task in listed:
                    self.diagnostics.error(
                        "C049",
                        self.places.value(element),
                        f"task {shorten(task)} is listed twice in mode '{name}'",
                        "list every task once",
                    )
                elif self._known(task, self.file.task, "task", "C022", element) and not self._has_period(task):
                    self.diagnostics.error(
                        "C029",
                        self.places.value(element),
                        f"task '{task}' of mode '{name}' has no period",
                        f'give it a period, or activate it by points: {{ at = ..., activate = "{task}" }}',
                    )
                listed.add(task)
            for number, point in enumerate(mode.points or ()):
                self._point_names(point, ("mode", name, "points", number))

    def _point_names(self, point: PointTable, path: tuple[str | int, ...]) -> None:
        what = describe(*path)
        misspelt = self.broken.under(*path)
        if point.at is None and not misspelt:
            self._missing("at", path, 'say when: at = "100 ticks"')
        if point.activate is None and point.enable is None:
            if not misspelt:
                self.diagnostics.error(
                    "C028", self.places.value(path), f"{what} does nothing", "add activate = TASK or enable = INTERRUPT"
                )
        elif point.activate is not None and point.enable is not None:
            self.diagnostics.error(
                "C028",
                self.places.key((*path, "enable")),
                f"{what} has both activate and enable",
                "write two points, one for each",
            )
        elif point.deadline_at is not None and point.enable is not None:
            self.diagnostics.error(
                "C028",
                self.places.key((*path, "deadline_at")),
                f"{what} enables an interrupt and has a deadline",
                "only an activation has a deadline: leave deadline_at out, or write activate instead of enable",
            )
        if point.activate is not None:
            self._known(point.activate, self.file.task, "task", "C022", (*path, "activate"))
        if point.enable is not None:
            self._known(point.enable, self.file.interrupt, "interrupt", "C023", (*path, "enable"))

    def _known(self, name: str, known: Iterable[str], kind: str, code: str, path: tuple[str | int, ...]) -> bool:
        names = list(known)
        if name in names:
            return True
        if not self.broken.at(kind) and (names or not self._misspelt(kind)):
            self.diagnostics.error(code, self.places.value(path), f"there is no {kind} {shorten(name)}", suggestion(name, names))
        return False

    def _misspelt(self, section: str) -> bool:
        """Whether a table that was refused as unknown was probably meant as ``section``: ``[tasks.A]``."""
        return any(len(path) == 1 and str(path[0]).startswith(section[:3]) for path in self.broken.paths)

    def _missing(self, key: str, path: tuple[str | int, ...], remedy: str) -> None:
        self.diagnostics.error("C014", self.places.key(path), f"{describe(*path)} has no '{key}'", remedy)

    def _has_period(self, task: str) -> bool:
        """Whether ``task`` is periodic, or would be but for a wrong value or a misspelt key."""
        if self.file.task[task].period is not None or self.broken.at("task", task, "period"):
            return True
        return any(
            path[:2] == ("task", task) and path[2] not in TaskTable.model_fields for path in self.broken.paths if len(path) > 2
        )

    # Tasks and interrupts

    def _convert_tasks(self) -> None:
        """Convert the times of all tasks to exact ticks; None where a time is absent, refused or out of range."""
        self.wcets: dict[str, int | None] = {}
        self.periods: dict[str, Fraction] = {}
        self.offsets: dict[str, Fraction] = {}
        self.deadlines: dict[str, tuple[Fraction, ...]] = {}
        for name, task in self.file.task.items():
            wcet = self._convert(task.wcet, ("task", name, "wcet"), upwards=True, positive=True)
            self.wcets[name] = None if wcet is None else whole(wcet, upwards=True)
            self._convert_periodic(name, task)

    def _convert_periodic(self, name: str, task: TaskTable) -> None:
        if task.period is None:
            for key, value in (("offset", task.offset), ("deadline", task.deadline)):
                if value is not None and not self._has_period(name):
                    self.diagnostics.error(
                        "C029",
                        self.places.key(("task", name, key)),
                        f"task '{name}' has {'an' if key == 'offset' else 'a'} {key} but no period",
                        "give the task a period, or write "
                        + ("at in the points" if key == "offset" else "deadline_at in the points that activate it"),
                    )
        period = self._convert(task.period, ("task", name, "period"), recurs=self.ticks.refuse, positive=True)
        offset = self._convert(task.offset, ("task", name, "offset")) if task.offset else Fraction(0)
        deadlines = self._deadlines(task.deadline, ("task", name, "deadline"))
        if period is None:
            return
        self.periods[name] = period
        self.deadlines[name] = deadlines
        if offset is not None and not self.broken.at("task", name, "offset"):
            if offset >= period:
                self.diagnostics.error(
                    "C029",
                    self.places.value(("task", name, "offset")),
                    f"the offset of task '{name}', {task.offset}, is not less than its period, {task.period}",
                    "an offset says where in its first period a task is activated: write one that is less than the period",
                )
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
        ticks = self.ticks.exact(time, describe(*path), span, recurs, upwards)
        if ticks is not None and positive and whole(ticks, upwards) == 0:
            if ticks == 0 or not self.ticks.refuse:  # else it was refused already
                self.diagnostics.error("C041", span, f"{describe(*path)} is zero ticks", "write a time of at least one tick")
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
                self.diagnostics.error(
                    "C034",
                    self.places.value(element),
                    f"{describe(*path)}: {time} is not later than the deadline before it",
                    "write the deadlines in ascending order, each once",
                )
                continue
            converted.append(ticks)
        return tuple(converted)

    def _task(self, name: str) -> Task:
        table = self.file.task[name]
        written = table.start_within
        within = self.within if written is None else self._within(written, ("task", name, "start_within"))
        span = self.places.key(("task", name))
        return Task(name, table.entry or name, self.wcets[name], span, Overrun(table.overrun), within)

    def _within(self, time: Time | None, path: tuple[str | int, ...]) -> int:
        """A bound in whole ticks, rounded down; 0 if it is absent or refused."""
        ticks = self.ticks.limited(time, describe(*path), self.places.value(path)) if time is not None else None
        return int(ticks) if ticks is not None else 0

    def _interrupts(self, board: Board) -> Iterator[Interrupt]:
        enabled = {point.enable for mode in self.file.mode.values() for point in mode.points or ()}
        for name, table in self.file.interrupt.items():
            source = board.application_sources.get(table.source or "")
            if source is not None:
                yield Interrupt(
                    name,
                    source,
                    table.handler or name,
                    table.priority == "above-tasks",
                    name in enabled,
                    self.places.key(("interrupt", name)),
                )

    # Modes

    def _default_mode(self) -> bool:
        """Whether a file without modes has one nevertheless: an event-triggered system alone has no rounds."""
        return not self._event_triggered() or any(self._has_period(task) for task in self.file.task)

    def _event_triggered(self) -> bool:
        """Whether the file has an event-triggered system, by its tables or by those that imply it."""
        return bool(self.file.osek is not None or self.file.time is not None or self.file.thread)

    def _mode(self, name: str, table: ModeTable) -> Mode | None:
        """The mode; None if its round cannot be told, after a diagnostic."""
        span = self.places.key(("mode", name)) if name in self.file.mode else Span(self.places.file)
        activations: list[Activation] = []
        enables: list[Enable] = []
        self._points(name, table, activations, enables)
        if table.tasks is None:
            periodic = [task for task in self.file.task if self._has_period(task)]
        else:
            periodic = [task for task in dict.fromkeys(table.tasks) if task in self.file.task and self._has_period(task)]
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
                self.diagnostics.error(
                    "C034",
                    self.places.value((*path, "at")),
                    f"{describe(*path)} is at {point.at}, before the point above it at {latest[1]}",
                    "write the points in ascending order of 'at'",
                )
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
                self.diagnostics.error(
                    "C031",
                    span,
                    f"mode '{name}' has no periodic task and no round",
                    f"write round under [mode.{name}]: the time after which its points repeat; or give a task a period",
                )
            elif not any(len(path) == 1 for path in self.broken.paths):
                self.diagnostics.error(
                    "C031",
                    span,
                    "the file schedules nothing: it has no mode, and no task with a period",
                    "give a task a period, or write [mode.NAME] with round and points",
                )
            return None
        length = least_common_multiple(self.periods[task] for task in tasks)
        if not self._countable(name, length, tasks, span):
            return None
        beyond = [point for point in points if point.at >= length]
        if beyond:
            last = max(beyond, key=lambda p: p.at)
            self.diagnostics.error(
                "C031",
                last.span,
                f"this point, at {self._shown(last.at)}, lies past the {self._shown(length)} that the periods give mode '{name}'",
                f"write round under [mode.{name}], a multiple of {self._shown(length)} greater than {self._shown(last.at)}",
            )
            return None
        if length.denominator != 1 and not self.ticks.refuse:
            rounded = whole(length)
            self.ticks.drifts.append(Drift(span, f"round of mode {name}", rounded, float(rounded - length)))
            self.diagnostics.warning(
                "C018",
                span,
                f"the round of mode '{name}', the least common multiple of its periods, is rounded to {rounded} ticks: "
                + "it is "
                + self.ticks.error(length, rounded, recurs=True),
                f"write round under [mode.{name}], a multiple of the periods that is a whole number of ticks",
            )
        return length

    def _multiple(self, name: str, written: Time, length: Fraction, tasks: list[str]) -> bool:
        """Whether every period divides the round; else the tasks' spacing would break at its end (C030)."""
        common = least_common_multiple(self.periods[task] for task in tasks) if tasks else Fraction(1)
        bad = [task for task in tasks if (length / self.periods[task]).denominator != 1]
        for task in bad:
            if self.ticks.refuse and (length.denominator != 1 or self.periods[task].denominator != 1):
                continue  # one of the two was refused already
            self.diagnostics.error(
                "C030",
                self.places.value(("mode", name, "round")),
                f"the round of mode '{name}', {written}, is no multiple of the period of task '{task}', "
                f"{self.file.task[task].period}",
                f"write a multiple of {self._shown(common)}, the least common multiple of the periods, "
                f"or leave '{task}' out of its tasks",
            )
        return not bad

    def _countable(self, name: str, length: Fraction, tasks: list[str], span: Span) -> bool:
        count = sum(length / self.periods[task] for task in tasks)
        if count <= MOST_POINTS and length <= LONGEST:
            return True
        if count <= MOST_POINTS:
            self.diagnostics.error(
                "C032",
                span,
                f"the round of mode '{name}', the least common multiple of its periods, is longer than 2^63 - 1 ticks",
                "choose shorter periods with a small common multiple",
            )
            return False
        periods = ", ".join(f"{self.file.task[t].period} ('{t}')" for t in tasks[:4]) + (", ..." if len(tasks) > 4 else "")
        many = f"{int(count)} activations" if count < 10**12 else "more than 10^12 activations"
        self.diagnostics.error(
            "C032",
            span,
            f"the round of mode '{name}' holds {many}, more than {MOST_POINTS}: the periods are {periods}",
            "choose periods with a small common multiple, best each a multiple of the next shorter one",
        )
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


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
