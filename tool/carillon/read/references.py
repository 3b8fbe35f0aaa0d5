# SPDX-License-Identifier: Apache-2.0
"""What the tables of the rounds name: tasks, interrupts, modes, and whether a task has a period."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from carillon.diagnostics import suggestion
from carillon.model.board import Board
from carillon.read.interrupt_sources import InterruptSources, meant
from carillon.read.schema import PointTable, ScheduleFile
from carillon.read.shape import Reading, describe
from carillon.units import shorten

DEFAULT_MODE = "default"


def event_triggered(file: ScheduleFile) -> bool:
    """Whether the file has an event-triggered system: its table, or a table that implies the system."""
    return bool(file.osek is not None or file.time is not None or file.thread or any(task.budget for task in file.task.values()))


def other_source(name: str, board: Board) -> str:
    """The remedy if a board has no application source named ``name`` (C025)."""
    if name in board.nameable:
        return f'if the application drives {name} itself, write reserve = ["{name}"] under [system]'
    here = meant(name, InterruptSources(board))
    if here is not None:
        return f"did you mean '{here}'?"
    close = difflib.get_close_matches(name.upper(), {known.upper() for known in board.named_sources}, n=5, cutoff=0.7)
    near = [known for known in sorted(board.named_sources) if known.upper() in close]
    return f"near names are {', '.join(near)}" if len(near) > 1 and board.interrupts else suggestion(name, board.named_sources)


class References(Reading):
    """Reports names of nothing (C022, C023 and their kin)."""

    @property
    def default_mode(self) -> bool:
        """Whether a file without modes has one nevertheless: an event-triggered system alone has no rounds."""
        return not event_triggered(self.file) or any(map(self.has_period, self.file.task))

    def check(self, board: Board | None) -> None:
        """Report what nothing answers to."""
        if self.file.system.start_mode is not None and not self.broken.at("mode"):
            modes = list(self.file.mode) or ([DEFAULT_MODE] if self.default_mode else [])
            if modes:
                self._known(self.file.system.start_mode, modes, "mode", "C024", ("system", "start_mode"))
            else:
                cause = f"there is no mode {shorten(self.file.system.start_mode)}: the file has no rounds"
                remedy = "leave start_mode out: an event-triggered system is started in the first of its own application modes"
                self.diagnostics.error("C024", self.places.value(("system", "start_mode")), cause, remedy)
        for name, interrupt in self.file.interrupt.items():
            path = ("interrupt", name)
            if interrupt.source is None:
                if not self.broken.under(*path):
                    self._missing("source", path, "name one of the board's application sources")
            elif board is not None and interrupt.source not in board.named_sources:
                cause = f"board '{board.name}' has no application source {shorten(interrupt.source)}"
                self.diagnostics.error("C025", self.places.value((*path, "source")), cause, other_source(interrupt.source, board))
        for name, mode in self.file.mode.items():
            listed: set[str] = set()
            for number, task in enumerate(mode.tasks or ()):
                element = ("mode", name, "tasks", number)
                if task in listed:
                    cause = f"task {shorten(task)} is listed twice in mode '{name}'"
                    self.diagnostics.error("C049", self.places.value(element), cause, "list every task once")
                elif self._known(task, self.file.task, "task", "C022", element) and not self.has_period(task):
                    cause = f"task '{task}' of mode '{name}' has no period"
                    remedy = f'give it a period, or activate it by points: {{ at = ..., activate = "{task}" }}'
                    self.diagnostics.error("C029", self.places.value(element), cause, remedy)
                listed.add(task)
            for number, point in enumerate(mode.points or ()):
                self._point_names(point, ("mode", name, "points", number))

    def _point_names(self, point: PointTable, path: tuple[str | int, ...]) -> None:
        phrase = describe(*path)
        misspelt = self.broken.under(*path)
        if point.at is None and not misspelt:
            self._missing("at", path, 'say when: at = "100 ticks"')
        cause = remedy = ""
        span = self.places.value(path)
        if point.activate is None and point.enable is None:
            cause, remedy = "" if misspelt else f"{phrase} does nothing", "add activate = TASK or enable = INTERRUPT"
        elif point.activate is not None and point.enable is not None:
            span = self.places.key((*path, "enable"))
            cause, remedy = f"{phrase} has both activate and enable", "write two points, one for each"
        elif point.deadline_at is not None and point.enable is not None:
            span = self.places.key((*path, "deadline_at"))
            cause = f"{phrase} enables an interrupt and has a deadline"
            remedy = "only an activation has a deadline: leave deadline_at out, or write activate instead of enable"
        if cause:
            self.diagnostics.error("C028", span, cause, remedy)
        if point.activate is not None:
            self._known(point.activate, self.file.task, "task", "C022", (*path, "activate"))
        if point.enable is not None:
            self._known(point.enable, self.file.interrupt, "interrupt", "C023", (*path, "enable"))

    def _known(self, name: str, known: Iterable[str], kind: str, code: str, path: tuple[str | int, ...]) -> bool:
        names = list(known)
        if name in names:
            return True
        if not self.broken.at(kind) and (names or not self.broken.instead_of(kind)):
            cause = f"there is no {kind} {shorten(name)}"
            self.diagnostics.error_once((kind, name), code, self.places.value(path), cause, suggestion(name, names))
        return False

    def _missing(self, key: str, path: tuple[str | int, ...], remedy: str) -> None:
        self.diagnostics.error("C014", self.places.key(path), f"{describe(*path)} has no '{key}'", remedy)
