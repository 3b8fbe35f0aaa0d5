# SPDX-License-Identifier: Apache-2.0
"""Counters, alarms and the actions of alarms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from carillon.check.names import fault
from carillon.model.osek import ALARM_ACTIONS, Alarm, AlarmAction, Autostart, Counter, CounterKind, IncrementCounter, SetEvent
from carillon.model.several import composed
from carillon.read.one_or_more import listed
from carillon.read.osek.file import MOST, OsekFile, some
from carillon.read.plain import plain
from carillon.read.schema_osek import AlarmTable, AutostartTable, CounterTable, SetEventTable
from carillon.read.spans import Path
from carillon.read.ticks import Ticks, whole
from carillon.units import Time, shorten

_ACTIONS = {it.key: it for it in ALARM_ACTIONS}


class Alarms:
    """Counters, alarms and the actions of alarms."""

    def __init__(self, at: OsekFile) -> None:
        self.at = at

    def resolve(self) -> None:
        """Read all alarms, and all counters except their ticks."""
        self._check_counters()
        self.alarms = tuple(self._alarms())

    def _check_counters(self) -> None:
        """Sets ``sound``, the counters whose bounds make sense."""
        self.sound: set[str] = set()
        for name, table in self.at.table.counter.items():
            path = ("counter", name)
            phrase = f"counter {shorten(name)}"
            if table.kind == "hardware" and table.tick is None and not self.at.incomplete(*path):
                remedy = 'say how long its tick is, for example "1ms", or make it a software counter'
                self.at.error("C111", self.at.key(*path), f"hardware {phrase} has no tick", remedy)
            if table.kind == "software" and table.tick is not None:
                cause = f"software {phrase} has a tick of {table.tick}"
                remedy = "a software counter advances when it is incremented: leave the tick out, or make it a hardware counter"
                self.at.error("C111", self.at.key(*path, "tick"), cause, remedy)
            most = table.max_allowed
            if any(self.at.lost(*path, key) for key in ("max_allowed", "min_cycle")):
                pass
            elif table.min_cycle > most:
                cause = f"'min_cycle' of {phrase}, {table.min_cycle}, is greater than 'max_allowed', {most}"
                remedy = f"write at most {most}, or a greater 'max_allowed'"
                self.at.error("C112", self.at.value(*path, "min_cycle"), cause, remedy)
            else:
                self.sound.add(name)
            if table.ticks_per_base > most + 1 and not any(self.at.lost(*path, key) for key in ("max_allowed", "ticks_per_base")):
                cause = (
                    f"'ticks_per_base' of {phrase}, {table.ticks_per_base}, is greater than the number of its values, "
                    f"'max_allowed' + 1, {most + 1}"
                )
                remedy = "nothing depends on it but the application, which reads it: write what it expects"
                self.at.diagnostics.warning("C202", self.at.value(*path, "ticks_per_base"), cause, remedy)

    def counter(self, name: str, table: CounterTable, ticks: Ticks) -> Counter:
        """A counter; a tick that is not whole is reported."""
        tick = self._tick(name, table.tick, ticks) if table.kind == "hardware" and table.tick is not None else 0
        values: dict[str, Any] = plain(table, Counter) | {"kind": CounterKind(table.kind), "tick": tick}
        return Counter(name=name, span=self.at.key("counter", name), **values)

    def _tick(self, name: str, time: Time, ticks: Ticks) -> int:
        """``time`` in ticks of the system clock; 0 after a diagnostic."""
        span = self.at.value("counter", name, "tick")
        what = f"'tick' of counter {shorten(name)}"
        exact = ticks.exact(time, what, span, recurs=True, counted=True)
        return 0 if exact is None or ticks.vanishes(exact, what, span) else whole(exact)

    def _alarms(self) -> Iterator[Alarm]:
        self.increments: dict[str, list[str]] = {}
        for name, table in self.at.table.alarm.items():
            path = ("alarm", name)
            phrase = f"alarm {shorten(name)}"
            counter = self.at.counter(table.counter, path, phrase)
            action = self._action(table, path, phrase)
            if isinstance(action, IncrementCounter) and counter is not None and len(self.at.table.alarm) <= MOST["alarm"]:
                self._check_increment(counter, action.object, (*path, "increment"), phrase)
            autostart = self._autostart(table.autostart, counter, path, phrase) if table.autostart is not None else None
            if table.static and table.autostart is None and not self.at.incomplete(*path):
                cause = f"{phrase} is static and has no autostart, so that nothing sets it: it never expires"
                remedy = "give it an autostart, or let the application set it: then it is not static"
                self.at.diagnostics.warning("C105", self.at.key(*path, "static"), cause, remedy)
            if counter is not None and action is not None:
                yield Alarm(name, counter, action, autostart, self.at.key(*path), table.static)

    def _action(self, table: AlarmTable, path: Path, phrase: str) -> AlarmAction | None:
        """What the alarm does, in the order of the kinds of actions, then of the lists; None after a diagnostic."""
        written = {key: listed(getattr(table, key)) for key in _ACTIONS}
        if not any(written.values()) and not self.at.incomplete(*path):
            cause = f"{phrase} does nothing"
            remedy = "give it an action: a task to activate, an event to set, a callback, or a counter to increment"
            self.at.error("C113", self.at.key(*path), cause, remedy)
        actions: list[AlarmAction | None] = []
        for key, values in written.items():
            for number, value in enumerate(values):
                where = (*path, key, number) if isinstance(getattr(table, key), list) else (*path, key)
                action = self._resolve_action(key, value, where, phrase)
                if action is not None and action in actions:
                    self._twice(action, where, phrase)
                actions.append(action)
        resolved = [action for action in actions if action is not None]
        return composed(resolved) if resolved and len(resolved) == len(actions) else None

    def _twice(self, action: AlarmAction, where: Path, phrase: str) -> None:
        kind, name = ("event", action.event) if isinstance(action, SetEvent) else (action.subject, action.object)
        self.at.twice(kind, name, where, f" by {phrase}")

    def _resolve_action(self, key: str, value: str | SetEventTable, where: Path, phrase: str) -> AlarmAction | None:
        if isinstance(value, SetEventTable):
            return self.set_event(value, where, phrase)
        return _ACTIONS[key](value) if self._fits(_ACTIONS[key].subject, value, where, phrase) else None

    def _fits(self, subject: str, name: str, where: Path, phrase: str) -> bool:
        """Whether an action can be done to such an object; otherwise there is a diagnostic."""
        if subject == "function":
            problem = fault(name, function=False)
            if problem:
                self.at.error("C026", self.at.value(*where), f"the callback {shorten(name)} of {phrase} {problem[0]}", problem[1])
            return not problem
        if not self.at.known(name, subject, where, phrase):
            return False
        if subject == "counter" and self.at.table.counter[name].kind == "hardware" and not self.at.lost("counter", name, "kind"):
            cause = f"{phrase} increments the hardware counter {shorten(name)}"
            remedy = "only software counters are incremented: a hardware counter advances by itself"
            self.at.error("C115", self.at.value(*where), cause, remedy)
            return False
        return True

    def set_event(self, table: SetEventTable, path: Path, phrase: str) -> SetEvent | None:
        """The event that an alarm or a point sets; None after a diagnostic."""
        if not self.at.incomplete(*path):
            for key in ("task", "event"):
                if getattr(table, key) is None:
                    cause = f"the event action of {phrase} has no '{key}'"
                    self.at.error("C014", self.at.value(*path), cause, "name the task and its event")
        task = table.task is not None and self.at.known(table.task, "task", (*path, "task"), phrase)
        event = table.event is not None and self.at.known(table.event, "event", (*path, "event"), phrase)
        if not task or not event or table.task is None or table.event is None:
            return None
        owner = self.at.table.task[table.task]
        if table.event in owner.events:
            return SetEvent(table.task, table.event)
        if not self.at.incomplete("task", table.task) and all(event in self.at.names["event"] for event in owner.events):
            kind = "thread" if table.task in self.at.threads else "task"
            if kind == "thread":
                remedy = "activate the thread instead, or make it a task of [osek] with this event"
            elif owner.events:
                remedy = f"add the event to the task's 'events'; it has {some(owner.events)}"
            else:
                remedy = "add the event to the task's 'events', or activate the task instead"
            lacks = "does not have it" if owner.events else "has no events"
            cause = f"{phrase} sets event {shorten(table.event)} of {kind} {shorten(table.task)}, which {lacks}"
            self.at.diagnostics.error_once(
                ("C114", table.task, table.event), "C114", self.at.value(*path, "event"), cause, remedy
            )
        return None

    def _check_increment(self, counter: str, incremented: str, path: Path, phrase: str) -> None:
        """Report an alarm that closes a circle of counters that increment one another (C115)."""
        chain = self._chain(incremented, counter)
        if chain is None:
            self.increments.setdefault(counter, []).append(incremented)
            return
        others = [name for name in chain if name != counter]
        way = f", by way of {some(others)}" if others else ""
        cause = f"{phrase}, of counter {shorten(counter)}, makes it increment itself{way}"
        remedy = "an alarm that expires within its own action would never end: increment another counter"
        self.at.error("C115", self.at.value(*path), cause, remedy)

    def _chain(self, start: str, end: str) -> list[str] | None:
        """The counters from ``start`` to ``end``, each with an alarm that increments the next; None without a chain."""
        before: dict[str, str | None] = {start: None}
        pending = [start]
        while pending and end not in before:
            name = pending.pop()
            for following in self.increments.get(name, ()):
                if following not in before:
                    before[following] = name
                    pending.append(following)
        if end not in before:
            return None
        chain: list[str] = []
        name_or_none: str | None = end
        while name_or_none is not None:
            chain.append(name_or_none)
            name_or_none = before[name_or_none]
        return chain[::-1]

    def _autostart(self, table: AutostartTable, counter: str | None, alarm: Path, phrase: str) -> Autostart:
        path = (*alarm, "autostart")
        modes = self.at.modes_of(table.modes, path, phrase)
        if counter in self.sound and not self.at.lost(*path, "at") and not self.at.lost(*path, "absolute"):
            most = self.at.table.counter[str(counter)].max_allowed
            whose = f"{'AUTOSAR OS refuses 0, and ' if table.at == 0 else ''}counter {shorten(str(counter))}"
            self.at.check_begin(table.at, table.absolute, most, whose, path, phrase)
        if counter in self.sound and not self.at.lost(*path, "cycle"):
            bounds = self.at.table.counter[str(counter)]
            if table.cycle and not bounds.min_cycle <= table.cycle <= bounds.max_allowed:
                cause = (
                    f"the cycle of {phrase} is {table.cycle} ticks, but counter {shorten(str(counter))} allows "
                    f"{bounds.min_cycle} to {bounds.max_allowed}"
                )
                remedy = f"write a number from {bounds.min_cycle} to {bounds.max_allowed}, or 0 for an alarm that expires once"
                self.at.error("C116", self.at.value(*path, "cycle"), cause, remedy)
        return Autostart(modes, table.at, table.cycle, table.absolute)
