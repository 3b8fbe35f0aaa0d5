# SPDX-License-Identifier: Apache-2.0
"""Builds the model from a schedule file that fits the schema: names are resolved, times become ticks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from carillon.diagnostics import CarillonError, suggestion
from carillon.model import Idle, Interrupt, OnBudgetOverrun, OnDeadlineMiss, System, Tracing
from carillon.model.board import Board
from carillon.model.stacks import Refuse, StackHints
from carillon.model.stimuli import Stimuli
from carillon.read.application import application_of
from carillon.read.board import load_board
from carillon.read.clock import ChosenClocks
from carillon.read.declared import declared
from carillon.read.interrupt_sources import InterruptSources
from carillon.read.one_or_more import listed
from carillon.read.osek import OsekReader
from carillon.read.references import DEFAULT_MODE, References, event_triggered
from carillon.read.rounds import Rounds
from carillon.read.schema import ModeTable, TraceTable
from carillon.read.schema_osek import OsekTable
from carillon.read.shape import Reading
from carillon.read.stimuli import stimuli_of
from carillon.read.ticks import Ticks, fitting_clocks, nearest_clock
from carillon.read.time import TimeReader, keeping_budgets
from carillon.read.values import APPLICATION_NAME
from carillon.resources import ITM, board_names, find_board, ports_with
from carillon.units import Time, format_frequency, format_number, shorten

DEFAULT_BOARD = "ast1030-evb"


class Builder(Reading):
    """Builds one System."""

    def build(self, override: str | None, clock: int | None = None) -> System | None:
        """The system, without the parts that could not be built; None if nothing is left, or there is no board.

        ``clock`` overrides the clock, in Hz, that the file names or that would be chosen.
        """
        file, tables = self.file, self.tables
        # Time services belong to the event-triggered system.
        table = file.osek or (OsekTable.model_validate({}) if event_triggered(file) else None)
        osek = OsekReader(tables, table, self.diagnostics) if table else None
        time = TimeReader(tables, self.diagnostics)
        name = self._name()
        application = application_of(self.tables.path.parent, file.system, self.places, self.diagnostics)
        board = self._board(override)
        references = References(tables, self.diagnostics)
        references.check(board)
        if osek is not None:
            osek.resolve(board)
        time.resolve(board)
        if board is None:
            return None
        chosen = self._clock(board, [*self._times(), *(osek.times() if osek else ()), *time.times()])
        clock_hz = chosen if clock is None else clock
        if clock_hz is None:
            return None
        self.ticks = Ticks(board, clock_hz, file.system.inexact_times == "refuse", self.diagnostics)
        rounds = Rounds(tables, self.diagnostics, self.ticks)
        rounds.convert_tasks()
        tasks = tuple(rounds.task(task) for task in file.task)
        interrupts = tuple(self._interrupts(board, self.ticks))
        if file.mode or self.broken.at("mode"):
            modes = tuple(mode for name, table in file.mode.items() if (mode := rounds.mode(name, table)))
        elif references.default_mode:
            default = rounds.mode(DEFAULT_MODE, ModeTable.model_validate({}))
            modes = (default,) if default else ()
        else:
            modes = ()
        if not modes and osek is None:
            return None
        built = osek.build(self.ticks) if osek else None  # whose ticks may drift, too
        return System(
            name=name,
            file=tables.path,
            digest=tables.digest,
            board=board,
            clock_hz=clock_hz,
            tasks=tasks,
            interrupts=interrupts,
            modes=modes,
            start_mode=(file.system.start_mode or modes[0].name) if modes else "",
            on_deadline_miss=OnDeadlineMiss(file.system.on_deadline_miss),
            on_budget_overrun=OnBudgetOverrun(file.system.on_budget_overrun),
            check_start=file.system.check_start,
            idle=Idle(file.system.idle or board.idle),
            sources=application.sources,
            include=application.include,
            defines=application.defines,
            searches=(*tables.searches, *application.searches),
            drifts=tuple(self.ticks.drifts),
            osek=built,
            time=keeping_budgets(time.build(self.ticks), built, board),
            other_clocks=tuple(hz for hz in self.fitting if hz != clock_hz),
            clock_given=file.system.clock is not None,
            start_within=rounds.start_within,
            silicon=tables.places.value(("system", "timing")) if file.system.timing == "silicon" else None,
            sync=rounds.sync(),
            start=rounds.start(),
            tracing=self._tracing(board),
            stacks=self._stacks(),
            inputs=(tables.path, *tables.included, *board.files),
            giotto=tables.giotto,
            machine=tables.machine,
            upload=tables.upload,
            stimuli=self._stimuli(),
        )

    def _stimuli(self) -> Stimuli | None:
        """What happens in a run; its times are no reason for a drift of the schedule's."""
        if self.file.stimuli is None:
            return None
        ticks = Ticks(self.ticks.board, self.ticks.clock_hz, True, self.diagnostics)
        return stimuli_of(self.file.stimuli, self.places, self.broken, ticks, self.diagnostics)

    def _name(self) -> str:
        written = self.file.system.name
        # The usual file name says nothing about the application; the folder's name does.
        stem = self.tables.path.resolve().parent.name if self.tables.path.name == "schedule.toml" else self.tables.path.stem
        name = stem if written is None else written
        if re.fullmatch(APPLICATION_NAME, name, re.ASCII) is None and not self.broken.at("system", "name"):
            cause = f"{'the default name ' if written is None else ''}{shorten(name)} is no name of an application"
            remedy = (
                "write name under [system]" if written is None else "write a name"
            ) + ": a letter, then letters, digits, '_' and '-'"
            self.diagnostics.error("C026", self.places.value(("system", "name")), cause, remedy)
        return name

    def _board(self, override: str | None) -> Board | None:
        if override is None and self.broken.at("system", "board"):
            return None
        named = override or self.file.system.board or DEFAULT_BOARD
        path = find_board(named, None if override else self.tables.path.parent)
        if path is None:
            span = None if override else self.places.value(("system", "board"))
            cause = f"there is no board {shorten(named)}" + (", named by --board" if override else "")
            remedy = f"{suggestion(named, board_names())} (a board is one of these or the path of a board.toml)"
            self.diagnostics.error("C021", span, cause, remedy)
            return None
        try:
            board = self._reserving(self._counting(load_board(path)))
        except CarillonError as error:
            self.diagnostics.reported.extend(error.diagnostics)
            return None
        return ChosenClocks(self.file, self.places, self.broken, self.diagnostics).of(board)

    def _counting(self, board: Board) -> Board:
        """The board without the cell that counts for the ring of events."""
        trace = self.file.trace
        cell = board.trace.cell if board.trace is not None else None
        return board.reserving([cell]) if trace is not None and trace.ring is not None and cell is not None else board

    def _tracing(self, board: Board) -> Tracing | None:
        """What is to be recorded; reports C304."""
        table = self.file.trace
        if table is None:
            return None
        span = self.places.value(("trace",))
        ring = table.ring
        ports = ports_with("trace.h")
        if board.port not in ports:
            cause = f"board '{board.name}' has the port '{board.port}', which cannot tell of starts and ends"
            remedy = f"choose a board with the port {' or '.join(map(repr, ports))}, or leave [trace] out"
            self.diagnostics.error("C304", span, cause, remedy)
        elif ring is not None and (ring not in range(16, 16385) or ring & (ring - 1)):
            remedy = "write a power of two: 16, 32, ... 16384"
            self.diagnostics.error(
                "C304", self.places.value(("trace", "ring")), f"a ring of {ring} events is not possible", remedy
            )
        elif ring is not None and board.trace is None:
            cause = f"nothing on board '{board.name}' is known to count for the ring's times"
            self.diagnostics.error("C304", span, cause, "give the board's file a [trace] with a counter")
        elif table.stream is not None and ring is None:
            cause = "the stream has no ring, in which events wait to be sent"
            self.diagnostics.error("C304", self.places.value(("trace", "stream")), cause, "add ring = 256")
        elif table.stream == "uart" and (board.trace is None or board.trace.uart is None):
            cause = f"board '{board.name}' has no UART for the stream"
            remedy = 'write stream = "rtt", or give [trace] of the board\'s file a uart'
            self.diagnostics.error("C304", self.places.value(("trace", "stream")), cause, remedy)
        elif table.stream == "itm" and board.port not in ports_with(ITM):
            cause = f"the processor of board '{board.name}' has no ITM for the stream"
            self.diagnostics.error("C304", self.places.value(("trace", "stream")), cause, 'write stream = "rtt"')
        self._pin(table)
        header = self.tables.path.parent / table.header if table.header is not None else None
        if header is not None and not header.is_file():
            cause = f"there is no file {shorten(str(header))}"
            self.diagnostics.error("C304", self.places.value(("trace", "header")), cause, "check the header's path")
        own = {"itm_port": table.itm_port, "swo_baud": table.swo_baud}
        return Tracing(ring, header, table.stream, span=span, **{key: value for key, value in own.items() if value is not None})

    def _pin(self, table: TraceTable) -> None:
        """C304 of what is said of the pin SWO."""
        for key, value, most in (("itm_port", table.itm_port, 31), ("swo_baud", table.swo_baud, 100_000_000)):
            if value is None:
                continue
            span, least = self.places.value(("trace", key)), int(key == "swo_baud")
            if table.stream != "itm":
                self.diagnostics.error("C304", span, f"{key} is of an ITM, which is not used here", 'write stream = "itm"')
            elif not least <= value <= most:
                self.diagnostics.error("C304", span, f"{key} = {value} is not possible", f"write a number from {least} to {most}")

    def _stacks(self) -> StackHints:
        """What is said of stacks."""
        table = self.file.stacks
        if table is None:
            return StackHints()
        calls = {function: tuple(listed(targets)) for function, targets in table.calls.items()}
        return StackHints(calls, dict(table.recursion), Refuse(table.refuse))

    def _reserving(self, board: Board) -> Board:
        """The board without what the application keeps to itself."""
        names: list[str] = []
        for number, name in enumerate(self.file.system.reserve):
            span = self.places.value(("system", "reserve", number))
            if name in names:
                self.diagnostics.error("C049", span, f"{shorten(name)} is reserved twice", "name every cell and source once")
            elif name not in board.nameable:
                cause = f"board '{board.name}' has no cell and no application source {shorten(name)}, which is to be reserved"
                self.diagnostics.error("C190", span, cause, suggestion(name, board.nameable))
            else:
                names.append(name)
        by = self.file.start.by if self.file.start is not None else None
        names += [by] if by in board.triggers and by is not None and by not in names else []  # the application drives it
        return board.reserving([*board.reserved, *names])

    def _clock(self, board: Board, times: list[Time]) -> int | None:
        self.fitting = fitting_clocks(board, times)
        if self.broken.at("system", "clock"):
            return None
        wanted = self.file.system.clock
        if wanted is None:
            return self.fitting[0] if self.fitting else nearest_clock(board, times)
        for clock in board.clocks:
            if clock.hz == wanted:
                return clock.hz
        exact = wanted.denominator == 1
        shown = format_frequency(int(wanted)) if exact else f"{format_number(wanted, 6)}Hz"
        offered = [format_frequency(clock.hz) for clock in board.clocks]
        cause = f"board '{board.name}' has no clock of {shown}"
        remedy = "write " + " or ".join(f'"{text}"' for text in offered)
        self.diagnostics.error("C020", self.places.value(("system", "clock")), cause, remedy)
        return None

    def _times(self) -> Iterator[Time]:
        for task in self.file.task.values():
            yield from (time for time in (task.period, task.offset, *(task.deadline or ())) if time)
        for mode in self.file.mode.values():
            if mode.round:
                yield mode.round
            for point in mode.points or ():
                yield from (time for time in (point.at, *(point.deadline_at or ())) if time)
        if self.file.sync is not None:
            yield from (time for time in (self.file.sync.lengthen, self.file.sync.shorten, self.file.sync.precision) if time)
        if self.file.start is not None:
            yield from (time for time in (self.file.start.period, self.file.start.phase) if time)

    def _interrupts(self, board: Board, ticks: Ticks) -> Iterator[Interrupt]:
        enabled = {point.enable for mode in self.file.mode.values() for point in mode.points or ()}
        for name, table in self.file.interrupt.items():
            source = board.named_sources.get(table.source or "")
            if source is not None:
                yield Interrupt(
                    name,
                    source,
                    table.handler or name,
                    table.priority == "above-tasks",
                    name in enabled,
                    self.places.key(("interrupt", name)),
                    declared(self, table, ("interrupt", name), ticks),
                )


def application_sources(board: str | None, written: str | None, folder: Path) -> list[str] | None:
    """The names of a board's interrupt sources for applications; None without such a board.

    ``board`` overrides the ``written`` board of a file in ``folder``.
    """
    where = find_board(board or written or DEFAULT_BOARD, None if board else folder)
    if where is None:
        return None
    try:
        return InterruptSources(load_board(where))
    except CarillonError:
        return None  # reported where the board is read for the model
