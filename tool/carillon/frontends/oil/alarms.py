# SPDX-License-Identifier: Apache-2.0
"""Counters and alarms of OIL, and the parts that OIL leaves open: a counter's kind and tick."""

from __future__ import annotations

from typing import Any

from carillon.diagnostics import Span, suggestion
from carillon.frontends.foreign.choices import DEFAULT_TICK, choose_tick, duration, incremented
from carillon.frontends.oil.resolve import Attributes, Merged, Resolved
from carillon.frontends.oil.syntax import Name, OilFile, shown
from carillon.frontends.oil.table import ALARM_START, COUNTER, fill
from carillon.frontends.oil.values import Values
from carillon.read.spans import Path
from carillon.units import SECONDS

TOOLS_COUNTERS = ("SystemCounter",)
"""Counters that applications use and a tool's own files declare (Trampoline)."""


class Alarms:
    """Converts alarms, then counters, because an alarm may tell what kind a counter is."""

    def __init__(self, values: Values, file: OilFile, osek: dict[str, Any]) -> None:
        self.values, self.file, self.osek = values, file, osek

    def counter(self, merged: Merged, path: Path) -> None:
        """A counter."""
        attributes = merged.attributes
        kind = self._kind(attributes, (*path, "kind"))
        if kind is None and not attributes.wrong.intersection({"TYPE", "SOFTCOUNTER"}) and merged.name in incremented(self.osek):
            kind = "software"
            self.values.store((*path, "kind"), kind)
            self.values.result.notes[*path, "kind"] = "an alarm increments it"
        tick = self._tick(attributes, (*path, "tick"))
        if kind != "software" and tick is not None:
            value, text = tick
            self.values.put((*path, "tick"), value, text)
        elif kind != "software" and not self.values.result.broken.intersection({(*path, "tick"), (*path, "kind")}):
            choose_tick(
                self.values.result,
                path,
                merged.span,
                f"COUNTER {merged.name}",
                f'write CARILLON_TICK = "{DEFAULT_TICK}"; in it, or TYPE = SOFTWARE; if the application increments it',
                self.values.warn,
            )
        fill(self.values, attributes, COUNTER, path)
        for value in attributes.values.get("UNIT", []):
            value.used = value.literal == Name("TICKS")

    def _kind(self, attributes: Attributes, path: Path) -> str | None:
        """The kind of a counter, in AUTOSAR's words or older tools'; None if the file leaves it open."""
        kind = self.values.word(attributes, "TYPE", path, {"HARDWARE": "hardware", "SOFTWARE": "software"})
        soft = self.values.truth(attributes, "SOFTCOUNTER", path)
        if soft is None:
            return kind
        said = "software" if soft.literal == Name("TRUE") else "hardware"
        if kind is None:
            if path not in self.values.result.broken:
                self.values.put(path, soft, said)
        elif kind != said:
            self.values.result.broken.add(path)
            cause = f"SOFTCOUNTER of {soft.owner} is {shown(soft.literal)} here, and its TYPE is {kind.upper()}"
            self.values.error("C146", soft.key, cause, "a counter is of one kind: remove one of the two")
        return said

    def _tick(self, attributes: Attributes, path: Path) -> tuple[Resolved, str] | None:
        """The length of a tick, as a schedule writes it."""
        for name, unit in (("CARILLON_TICK", None), ("SECONDSPERTICK", "s"), ("TIME_IN_NS", "ns")):
            value = self.values.one(attributes, name, path)
            if value is None:
                continue
            literal = value.literal
            if unit is None:
                text = self.values.written_time(value, path)
                return None if text is None else (value, text)
            if isinstance(literal, (str, Name)) or literal <= 0:
                cause = "is no time"
                self.values.refuse(path, value, cause, f"write a number greater than 0, in {'seconds' if unit == 's' else 'ns'}")
                return None
            return value, duration(literal * SECONDS[unit])
        return None

    def tools_counters(self) -> None:
        """Counters that alarms or tables use, and that another tool would have declared."""
        if self.file.malformed:
            return
        for name, span in self._used_counters().items():
            if name in TOOLS_COUNTERS and name not in self.osek.get("counter", {}):
                path = ("osek", "counter", name)
                self.values.store((*path, "tick"), DEFAULT_TICK)
                self.values.places.put(path, span, span)
                self.values.result.notes[path] = "another tool's own counter; chosen by Carillon"
                cause = (
                    f"COUNTER {name} is declared nowhere, as Trampoline has it: Carillon takes one with a tick of {DEFAULT_TICK}"
                )
                remedy = f'declare it: COUNTER {name} {{ CARILLON_TICK = "{DEFAULT_TICK}"; MAXALLOWEDVALUE = 65535; }};'
                self.values.warn("C156", span, cause, remedy)

    def _used_counters(self) -> dict[str, Span]:
        """Where each counter is used first."""
        used: dict[str, Span] = {}
        for section in ("alarm", "schedule_table"):
            for name, table in self.osek.get(section, {}).items():
                if "counter" in table:
                    used.setdefault(table["counter"], self.values.places.value(("osek", section, name, "counter")))
        return used

    def alarm(self, merged: Merged, path: Path) -> None:
        """An alarm."""
        attributes = merged.attributes
        self.values.name(attributes, "COUNTER", (*path, "counter"))
        self._action(merged, path)
        self.values.flag(attributes, "CARILLON_STATIC", (*path, "static"))
        start = self.values.truth(attributes, "AUTOSTART", (*path, "autostart"))
        if start is not None and start.literal == Name("TRUE"):
            self.values.put((*path, "autostart"), start, {})
            self._autostart(start.block, (*path, "autostart"))

    def _autostart(self, block: Attributes, path: Path) -> None:
        fill(self.values, block, ALARM_START, path)
        table, time = self.values.result.table(path), block.one("ALARMTIME")
        if time is not None and time.literal == 0 and not table.get("absolute"):
            self.values.put((*path, "at"), time, 1)
            cause = f"{time.name} of {time.owner} is 0, which OSEK OS leaves to the system: Carillon takes 1, the next tick"
            remedy = "write ALARMTIME = 1;, or TYPE = ABSOLUTE; for an alarm that expires where its counter is 0"
            self.values.warn("C158", time.span, cause, remedy)

    def _action(self, merged: Merged, path: Path) -> None:
        value = self.values.one(merged.attributes, "ACTION", (*path, "action"))
        if value is None:
            return
        action = str(value.literal)
        phrase = f"ACTION = {action} of ALARM {merged.name}"
        block = value.block
        match action:
            case "ACTIVATETASK":
                self._demand(block, "TASK", (*path, "activate"), phrase)
            case "SETEVENT":
                self.values.put((*path, "set_event"), value, {})
                self._demand(block, "TASK", (*path, "set_event", "task"), phrase)
                self._demand(block, "EVENT", (*path, "set_event", "event"), phrase)
            case "ALARMCALLBACK":
                self._demand(block, "ALARMCALLBACKNAME", (*path, "callback"), phrase)
            case "INCREMENTCOUNTER" | "INCREMENT":  # as FreeOSEK has it
                self._demand(block, "COUNTER", (*path, "increment"), phrase)
            case _:
                known = ("ACTIVATETASK", "SETEVENT", "ALARMCALLBACK", "INCREMENTCOUNTER")
                self.values.refuse((*path, "action"), value, "is no action that Carillon has", suggestion(action, known))

    def _demand(self, block: Attributes, name: str, path: Path, phrase: str) -> None:
        """An attribute that must be there."""
        if self.values.name(block, name, path) is None and path not in self.values.result.broken:
            self.values.result.broken.add(path)
            if not self.file.malformed:
                self.values.error("C147", block.span, f"{phrase} has no {name}", f"write {name} = ...; in its block")
