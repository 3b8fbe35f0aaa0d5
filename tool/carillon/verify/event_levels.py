# SPDX-License-Identifier: Apache-2.0
"""The order of the event-triggered system's levels, and what is at the levels of the tasks that it wakes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from carillon.model.osek import ActivateTask, Alarm, ScheduleTable, SetEvent
from carillon.verify.controllers import named
from carillon.verify.meaning import Step

if TYPE_CHECKING:
    from carillon.verify.events import Events
    from carillon.verify.service import Service

KERNELS_OWN = {"counter", "alarm", "joined", "point", "half", "end", "clock", "frames"}
"""What the kernel's own interrupts serve, which are at one level."""


class Levels:
    """The comparison of levels, and what others ask of them."""

    def __init__(self, events: Events) -> None:
        self.events = events

    def order(self) -> None:
        """A higher priority is a higher level; ISRs are above tasks, those of category 1 above those of category 2."""
        board = self.events.system.board
        if board.nesting != "levels":
            return
        levels = self.events.sources
        for source, level in sorted(levels.items()):
            if not 1 <= level <= board.levels:
                self.events.error("C207", f"{named([source])} has level {level} of {board.levels}")
        known = [
            (0, t.priority, level, f"task '{t.name}'", t.span) for t in self.events.osek.tasks if (level := self.of(t.name)) >= 0
        ]
        known += [
            ((i.category == 2 and 1) or 3, i.priority, levels.get(i.source, 0), f"ISR '{i.name}'", i.span)
            for i in self.events.osek.isrs
        ]
        own = KERNELS_OWN | ({"slices"} if self.events.software or self.events.system.giotto else set())
        for source, service in self.events.services.items():
            if service is None or self._has_own_level(source, service):
                continue
            if service.kind in own:
                known.append((2, 0, levels[source], f"{service.kind} at source {source}", self.events.osek.span))
            if service.kind == "budgets":  # above all that the application can mask
                known.append((4, 0, levels[source], "cell of budgets", self.events.osek.span))
        ordered = sorted(known, key=lambda x: (x[0], x[1]))
        for low, high in pairwise(ordered):
            if low[:2] == high[:2]:
                wrong = high[2] != low[2] and low[0] in (0, 2)
            elif (low[0], high[0]) == (1, 2):  # the kernel's own are on the level of the highest ISR that its lock masks
                wrong = high[2] != low[2]
            else:
                wrong = high[2] <= low[2]
            if wrong:
                self.events.error("C207", f"the {high[3]} has level {high[2]}, and the {low[3]} has level {low[2]}", high[4])

    def _asks(self, service: Service) -> Alarm | ScheduleTable | None:
        """The alarm or the schedule table that a cell expires for."""
        osek = self.events.osek
        if service.kind == "point":
            return next((t for t in osek.schedule_tables if t.name == service.name and service.number < len(t.actions)), None)
        return osek.alarms[service.number] if service.kind == "alarm" and service.number < len(osek.alarms) else None

    def _woken(self, service: Service) -> str | None:
        """The task that a cell's alarm, or its point of a schedule table, activates or sets an event of."""
        it = self._asks(service)
        if it is None:
            return None
        action = it.action if isinstance(it, Alarm) else it.actions[service.number]
        return action.object if isinstance(action, ActivateTask | SetEvent) else None

    def _has_own_level(self, source: int, service: Service) -> bool:
        """Whether a vector has the level of the tasks that its alarm, or its counter's queue, wakes, and not the kernel's."""
        if self.events.software:
            return False
        if service.kind == "counter":
            return self.is_at_its_tasks(service.number)
        task = self._woken(service)
        return task is not None and self.events.sources[source] == self.of(task)

    def _queued(self, number: int) -> set[str | None]:
        """The tasks that are woken by what may stand in a part; None: an alarm there does something else."""
        alarms = [a for a in self.events.osek.alarms if self.events.parts.of.get(a.name) == number]
        actions = [a.action for a in alarms if not (a.static and a.name in self.events.carried)]
        woken = {a.object if isinstance(a, ActivateTask | SetEvent) else None for a in actions}
        own = [c for c in self.events.parts.cursors if c.part == number]
        tasks = {act[1] for c in own for step in c.steps for act in step.acts}
        return woken | {t.name for k, t in enumerate(self.events.osek.tasks) if k in tasks}

    def is_at_its_tasks(self, part: int) -> bool:
        """Whether a part is served at the level of the tasks that its alarms wake."""
        woken = self._queued(part)
        return not self.events.software and bool(woken) and all(t and self.events.ticked.get(part) == self.of(t) for t in woken)

    def of_alarm(self, alarm: Alarm) -> int:
        """The level of the task that an alarm wakes; -1 if it wakes none."""
        return self.of(alarm.action.object) if isinstance(alarm.action, ActivateTask | SetEvent) else -1

    def at_tasks(self) -> None:
        """Alarms at their tasks' levels: their vectors request the task, and services that look at the task find it done."""
        for source, service in self.events.services.items():
            if service is None or not self._has_own_level(source, service):
                continue
            if service.kind == "counter":
                self._counter(source, service.number)
                continue
            asks, level = self._asks(service), self.events.sources[source]
            assert asks is not None
            what = f"{'alarm' if isinstance(asks, Alarm) else 'schedule table'} '{asks.name}'"
            requests = frozenset({self.source(self._woken(service) or "")})
            for vectors in self.events.vectors:
                meaning = self.events.meanings.of(vectors[source])
                runs = {s.name for s in meaning.every("call") if s.name.startswith("carillon_level_")}
                if runs != {f"carillon_level_{level}"} and (runs or {s.sources for s in meaning.every("pend")} != {requests}):
                    self.events.error(
                        "C205", f"'{meaning.symbol}', the vector of source {source}, does not run level {level}", asks.span
                    )
            symbol = self.events.elf.symbols.get(f"carillon_cells_{level}")
            paths = self.events.meanings.of(symbol.address).some_paths if symbol is not None else []
            if not any(self._takes(path, source, requests) for path in paths):
                cause = f"no service serves source {source}, of the {what} at level {level}, before its handler"
                self.events.error("C205", cause, asks.span)

    def _counter(self, source: int, number: int) -> None:
        """A counter at its tasks' level: services that look at such a task have what is due served."""
        counter, level = self.events.parts.counter(number), self.events.sources[source]
        symbol = self.events.elf.symbols.get(f"carillon_cells_{level}")
        calls = self.events.meanings.of(symbol.address).every("call") if symbol is not None else []
        if not any(s.name == "carillon_osek_tick" and s.number is not None and s.number & 0xFF == number for s in calls):
            assert counter is not None
            self.events.error(
                "C205", f"no service serves the counter '{counter.name}' at level {level} before its handler", counter.span
            )

    @staticmethod
    def _takes(path: Sequence[Step], source: int, requests: frozenset[int]) -> bool:
        """Whether a source's request is taken back, and what it asks for requested."""
        taken = next((k for k, s in enumerate(path) if s.what == "unpend" and source in s.sources), len(path))
        return any(s.what == "pend" and s.sources == requests for s in path[taken:])

    def of(self, task: str) -> int:
        """The level of a task's source; -1 where it has none."""
        source = self.source(task)
        return self.events.sources.get(source, 0) if source >= 0 else -1

    def source(self, task: str) -> int:
        """The source of a task; -1 where it has none."""
        own = (it.source for it in self.events.leveled if it.task.name == task and not self.events.software)
        return next(own, -1)
