# SPDX-License-Identifier: Apache-2.0
"""Servers, whose threads share a budget of time in each period."""

from __future__ import annotations

from collections.abc import Iterator

from carillon.diagnostics import suggestion
from carillon.model.osek import OsekTask, Server, ServerKind
from carillon.read.osek.file import OsekFile, some
from carillon.read.ticks import Ticks, whole
from carillon.units import Time, shorten


class Servers:
    """The servers of a file, in its order."""

    def __init__(self, at: OsekFile) -> None:
        self.at = at
        self.used: set[str] = set()

    def resolve(self, tasks: tuple[OsekTask, ...]) -> None:
        """Reports what needs no clock: C014, C100 for an unknown server, C104 for one without threads, C176."""
        tables = self.at.file.server
        for task in tasks:
            if task.server is not None and task.server not in tables:
                cause = f"thread {shorten(task.name)} names the unknown server {shorten(task.server)}"
                span = self.at.value("task", task.name, "server")
                if not self.at.broken.instead_of("server"):
                    self.at.diagnostics.error_once(("server", task.server), "C100", span, cause, suggestion(task.server, tables))
        for name, table in tables.items():
            for key in ("budget", "period"):
                if getattr(table, key) is None and not self.at.broken.under("server", name):
                    cause, span = f"server {shorten(name)} has no '{key}'", self.at.places.key(("server", name))
                    remedy = 'say for how long its threads run in which time: budget = "2ms", period = "10ms"'
                    self.at.error("C014", span, cause, remedy)
            self._check_level(name, tasks)

    def _check_level(self, name: str, tasks: tuple[OsekTask, ...]) -> None:
        """C104, or C176: the threads of a server have one priority, which nobody else has."""
        own = [task for task in tasks if task.server == name]
        if own:
            self.used.add(name)
        else:
            cause = f"no thread has the server {shorten(name)}"
            remedy = f'write server = "{name}" in the threads that use its budget, or remove it'
            self.at.diagnostics.warning("C104", self.at.places.key(("server", name)), cause, remedy)
            return
        other = next((task for task in own if task.priority != own[0].priority), None)
        if other is not None:
            cause = (
                f"the threads {shorten(own[0].name)} and {shorten(other.name)} of server {shorten(name)} have the priorities "
                f"{own[0].priority} and {other.priority}"
            )
            remedy = "give the threads of a server one priority, or each of them a server"
            self.at.error("C176", self.at.value("task", other.name, "server"), cause, remedy)
            return
        beside = [task.name for task in tasks if task.priority == own[0].priority and task.server != name]
        if beside:
            have = "has" if len(beside) == 1 else "have"
            cause = f"{some(beside)} {have} the priority of server {shorten(name)}, {own[0].priority}"
            remedy = "give the threads of a server a priority that nobody else has"
            self.at.error("C176", self.at.value("task", own[0].name, "server"), cause, remedy)

    def build(self, ticks: Ticks) -> tuple[Server, ...]:
        """The servers, with times in ticks of the system clock; reports times that do not divide, and C201."""
        return tuple(self._built(ticks))

    def _built(self, ticks: Ticks) -> Iterator[Server]:
        for name, table in self.at.file.server.items():
            if table.budget is None or table.period is None or name not in self.used:
                continue
            budget = self._ticks(ticks, name, "budget", table.budget)
            period = self._ticks(ticks, name, "period", table.period)
            if budget and period and budget > period:
                cause = f"server {shorten(name)} has a budget of {table.budget} in each {table.period}"
                span = self.at.places.value(("server", name, "budget"))
                self.at.error("C201", span, cause, "write a budget that is at most the period")
            elif budget and period:
                yield Server(name, ServerKind(table.kind), budget, period, self.at.places.key(("server", name)))

    def _ticks(self, ticks: Ticks, name: str, key: str, time: Time) -> int:
        span, phrase = self.at.places.value(("server", name, key)), f"'{key}' of server {shorten(name)}"
        exact = ticks.exact(time, phrase, span, recurs=key == "period", upwards=key == "period")
        return 0 if exact is None or ticks.vanishes(exact, phrase, span) else whole(exact, upwards=key == "period")
