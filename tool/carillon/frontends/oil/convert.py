# SPDX-License-Identifier: Apache-2.0
"""From the objects of an OIL file to the tables of a schedule file, with a place for everything in them.

Reports what only OIL has: objects and attributes that Carillon has no use for (C150, C151). Reports what OIL leaves to the
implementation and Carillon therefore chooses: the tick of a counter (C152) and the source of an ISR (C153). Whether the objects
go together is for the schedule's own checks.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path as FilePath
from typing import Any

from carillon.diagnostics import Diagnostics, Span, some
from carillon.frontends.foreign.choices import assign_sources, duration, sources_of
from carillon.frontends.foreign.converted import Converted, Leftover
from carillon.frontends.foreign.places import Places
from carillon.frontends.oil.alarms import Alarms
from carillon.frontends.oil.application import convert_application
from carillon.frontends.oil.resolve import AUTO, Attributes, Error, Merged, Resolved, Resolver
from carillon.frontends.oil.syntax import Name, Object, OilFile, shown
from carillon.frontends.oil.table import DECLARED, EVENT, ISR_TIMES, SWITCHES, SYSTEM, TASK, TASK_TIMES, fill
from carillon.frontends.oil.tables import Tables
from carillon.frontends.oil.values import Values
from carillon.groups import grouped
from carillon.model.osek import Hook
from carillon.read.interrupt_sources import meant
from carillon.read.spans import Path

SUPPORTED = ("OS", "APPMODE", "TASK", "COUNTER", "ALARM", "RESOURCE", "EVENT", "ISR", "SCHEDULETABLE")
_HOOKS = {f"{hook.value}hook".upper(): hook.value for hook in Hook}
"""STARTUPHOOK and the like."""
_SHOWN_BLOCK = 60
_LOCKED = ("RESOURCE", "LOCKINGTIME", "RESOURCELOCK")
"""What tools call the bound on a lock of a resource in ``TIMING_PROTECTION``."""
_LOCK_TIMES = ("RESOURCELOCKTIME", "MAXRESOURCELOCKTIME")


class Converter:
    """Converts one file.  ``sources`` gives the names of a board's application sources, None for an unreadable board."""

    def __init__(
        self, file: OilFile, main: str, error: Error, diagnostics: Diagnostics, sources: Callable[[str | None], list[str] | None]
    ) -> None:
        self.file = file
        self.diagnostics = diagnostics
        self.sources = sources
        self.resolver = Resolver(file.implementation, error, complete=not file.malformed)
        self.values = Values(Converted("OIL", {}, Places(main)), error)
        self.osek: dict[str, Any] = {}
        self.alarms = Alarms(self.values, file, self.osek)
        self.tables = Tables(self.values)

    def run(self, name: str) -> Converted:
        """The whole file as an application of that name."""
        objects = self._merge()
        self.values.data["system"] = {"name": name}
        self.values.data["osek"] = self.osek
        self._cpu()
        self._os(objects.get("OS", {}))
        self._modes(objects.get("APPMODE", {}))
        self._each(objects, "TASK", "task", self._task)
        self._each(objects, "ISR", "isr", self._isr)
        self._each(objects, "RESOURCE", "resource", self._resource)
        self._each(objects, "EVENT", "event", lambda found, path: fill(self.values, found.attributes, EVENT, path))
        self._each(objects, "ALARM", "alarm", self.alarms.alarm)
        self._each(objects, "SCHEDULETABLE", "schedule_table", self.tables.table)
        self._each(objects, "COUNTER", "counter", self.alarms.counter)
        self.alarms.tools_counters()
        self._assign_sources(objects.get("ISR", {}))
        self._leftovers(objects)
        if not self.file.malformed:  # else they are for the next time
            for warning in self.values.warnings:
                self.diagnostics.warning(*warning)
        return self.values.result

    def _merge(self) -> dict[str, dict[str, Merged]]:
        """All objects by kind and name, each with the attributes of all its blocks."""
        # There is one OS: a tool's own file may name it differently from the application's file.
        os = next((found.name for found in self.file.objects if found.kind == "OS"), "")
        parts = grouped(((found.kind, os if found.kind == "OS" else found.name), found) for found in self.file.objects)
        merged: dict[str, dict[str, Merged]] = {}
        for (kind, name), blocks in parts.items():
            first = blocks[0]
            body = [assignment for block in blocks for assignment in block.body]
            attributes = self.resolver.resolve(kind, f"{kind} {name}".strip(), first.span, body)
            merged.setdefault(kind, {})[name] = Merged(kind, name, first.span, attributes)
        for kind in SUPPORTED:
            for name in merged.get(kind, {}):
                text = " ".join(dict.fromkeys(block.description for block in parts[kind, name] if block.description))
                self._describe(kind, name, text)
        return merged

    def _describe(self, kind: str, name: str, text: str) -> None:
        if not text:
            return
        if kind == "OS":
            self.values.result.descriptions["osek",] = text
        elif kind == "APPMODE":
            self.values.result.descriptions["osek", "modes", name] = f"{name}: {text}"
        else:
            section = "schedule_table" if kind == "SCHEDULETABLE" else kind.lower()
            self.values.result.descriptions["osek", section, name] = text

    def _cpu(self) -> None:
        """The CPU blocks, taken as one CPU whatever their names, with Carillon's own attributes: board, sources."""
        cpus = self.file.cpus
        first = cpus[0] if cpus else Object("CPU", "", Span(self.values.places.file))
        body = [assignment for cpu in cpus for assignment in cpu.body]
        self.cpu = self.resolver.resolve("CPU", f"CPU {first.name}", first.span, body)
        self.values.places.put(("system",), first.span)
        self.values.places.put(("system", "name"), first.span)
        if self.file.description:
            self.values.result.descriptions[()] = self.file.description
        if any(cpu.description for cpu in cpus):
            self.values.result.descriptions["system",] = " ".join(dict.fromkeys(c.description for c in cpus if c.description))
        self._board(self.cpu)

    def _board(self, attributes: Attributes) -> None:
        path = ("system", "board")
        if "CARILLON_BOARD" in attributes.wrong:
            self.values.result.broken.add(path)
        for board in attributes.all("CARILLON_BOARD"):
            if not isinstance(board.literal, (str, Name)) or not str(board.literal):
                self.values.refuse(path, board, "is no name of a board", 'write one in quotes: "ast1030-evb"')
                continue
            first = self.values.data["system"].setdefault("board", str(board.literal))
            if first != str(board.literal):
                where = self.values.places.value(path)
                cause = f"CARILLON_BOARD is {shown(first)} {where.beside(board.key)} and {shown(board.literal)} here"
                self.values.error("C146", board.key, cause, "an application runs on one board: remove one of the two")
            else:
                self.values.put(path, board, first)

    def _os(self, found: dict[str, Merged]) -> None:
        system = next(iter(found.values()), None)
        owners = [self.cpu, *([system.attributes] if system is not None else [])]
        convert_application(owners, self.values, FilePath(self.values.places.file).parent)
        if system is None:
            return
        attributes = system.attributes
        self.values.places.put(("osek",), system.span, system.span)
        self._board(attributes)
        fill(self.values, attributes, SYSTEM, ("osek",))
        for name, hook in _HOOKS.items():
            value = self.values.truth(attributes, name, ("osek", "hooks"))
            if value is not None and value.literal == Name("TRUE"):
                self.values.result.append(("osek", "hooks"), hook, value.span, value.key)
                if value.description:
                    self.values.result.descriptions["osek", "hooks", hook] = f"{hook}: {value.description}"
        fill(self.values, attributes, SWITCHES, ("osek",))
        for value in attributes.values.get("SCALABILITYCLASS", []):
            value.used = value.literal in (AUTO, Name("SC1"))

    def _modes(self, found: dict[str, Merged]) -> None:
        for mode in found.values():
            self.values.result.append(("osek", "modes"), mode.name, mode.span, mode.span)

    def _each(
        self, objects: dict[str, dict[str, Merged]], kind: str, section: str, convert: Callable[[Merged, Path], None]
    ) -> None:
        """Convert all objects of a kind; numbers of objects are in the order of the file, so the tables are, too."""
        named = {name: merged for name, merged in objects.get(kind, {}).items() if name}
        if named:
            self.osek[section] = {name: {} for name in named}
        for name, merged in named.items():
            path = ("osek", section, name)
            self.values.places.put(path, merged.span, merged.span)
            convert(merged, path)

    def _task(self, found: Merged, path: Path) -> None:
        fill(self.values, found.attributes, TASK, path)
        self._protection(found.attributes, path, TASK_TIMES)

    def _protection(self, attributes: Attributes, path: Path, times: dict[str, tuple[str, str]]) -> None:
        """The times of a task's or an ISR's timing protection, by their keys; what else is bounded is not kept."""
        protection = self.values.truth(attributes, "TIMING_PROTECTION", (*path, next(iter(times))))
        if protection is None or protection.literal != Name("TRUE"):
            return
        given = {*protection.block.values, *protection.block.wrong}
        for key, (own, standard) in times.items():
            other = TASK_TIMES[key][1]
            self._seconds(protection.block, own, other if other in given else standard, (*path, key))
        if path[1] == "task":
            self._resource_locks(protection, (*path, "resource_lock"))
        self._not_kept(protection)

    def _seconds(self, block: Attributes, attribute: str, standard: str, path: Path) -> None:
        """A time: with its unit in Carillon's attribute ``attribute``, or in seconds in the standard's."""
        written = self.values.one(block, attribute, path)
        time = self.values.one(block, standard, path)
        if attribute in block.wrong:
            return
        if written is not None:
            self.values.time(written, path)
        elif time is not None and isinstance(time.literal, Fraction) and time.literal > 0:
            self.values.put(path, time, duration(time.literal))
        elif time is not None:
            integer = isinstance(time.literal, int)
            cause = "is seconds, nanoseconds or ticks, as tools differ" if integer else "is no time"
            remedy = f'write seconds with a decimal point, or the time with its unit, as in {attribute} = "250us";'
            self.values.refuse(path, time, cause, remedy)

    def _resource_locks(self, protection: Resolved, path: Path) -> None:
        """How long a task holds resources: a block for each, whose attribute and value tools call differently."""
        for lock in (lock for name in _LOCKED for lock in protection.block.all(name)):
            lock_path = self.values.result.append(path, {}, lock.span, lock.key)
            self.values.name(lock.block, "RESOURCE", (*lock_path, "resource"))
            given = {*lock.block.values, *lock.block.wrong}
            standard = next((name for name in _LOCK_TIMES if name in given), _LOCK_TIMES[0])
            self._seconds(lock.block, "CARILLON_RESOURCE_LOCK", standard, (*lock_path, "budget"))

    def _not_kept(self, protection: Resolved) -> None:
        """Warn of the bounds that nothing keeps."""
        for value in (v for values in protection.block.values.values() for v in values):
            if not value.used and not value.default:
                value.used = True
                cause = f"Carillon does not keep {value.name} of {value.owner}, and leaves it out"
                self.values.warn("C189", value.key, cause, "bound it by design")

    def _isr(self, merged: Merged, path: Path) -> None:
        attributes = merged.attributes
        category = self.values.one(attributes, "CATEGORY", (*path, "category"))
        if category is not None and category.literal == 3:
            self.values.result.broken.add((*path, "category"))
            cause = f"ISR {merged.name} is of category 3, which OSEK OS 2.2 abolished"
            remedy = "write 2 if it calls services, then leave EnterISR and LeaveISR out of it, else 1"
            self.values.error("C155", category.span, cause, remedy)
        elif category is not None:
            self.values.integer(attributes, "CATEGORY", (*path, "category"))
        for value in attributes.values.get("PRIORITY", []):
            if isinstance(value.literal, int):
                self.values.integer(attributes, "PRIORITY", (*path, "priority"))
        self.values.names(attributes, "RESOURCE", (*path, "resources"))
        fill(self.values, attributes, DECLARED, path)
        self._protection(attributes, path, ISR_TIMES)

    def _assign_sources(self, isr_objects: dict[str, Merged]) -> None:
        """Sources of the board: those that the file names, then the others in the order of the board's.

        A SOURCE is meant for Carillon if it is the name of one of the board's, as a word or as a string.  What other tools
        write around it may be there.  Any other SOURCE is for another tool.
        """
        isrs: dict[str, dict[str, Any]] = self.osek.get("isr", {})
        if not isrs:
            return
        known = sources_of(self.values.result, self.sources)
        for name in isrs:
            path = ("osek", "isr", name, "source")
            written = isr_objects[name].attributes.values.get("SOURCE", [])
            for value in written:
                source = meant(str(value.literal), known) if known is not None else str(value.literal)
                if source is not None and (known is not None or isinstance(value.literal, str)):
                    value.used = True
                    self.values.put(path, value, source)
                    if source != str(value.literal):
                        self.values.result.notes[path] = f"{shown(value.literal)} in the file"
                    break
        instead = {}
        for name, table in isrs.items():
            if known is not None and "source" not in table:
                values = isr_objects[name].attributes.all("SOURCE")
                instead[name] = shown(values[0].literal) if values else None
        assign_sources(
            self.values.result,
            instead,
            known,
            "choose a board with more (CARILLON_BOARD, --board), or leave ISRs out",
            lambda isr, source: f'SOURCE = "{source}"; in ISR {isr}',
            self.values.error,
            self.values.warn,
        )

    def _resource(self, found: Merged, path: Path) -> None:
        attributes = found.attributes
        words = {"STANDARD": "standard", "LINKED": "linked", "INTERNAL": "internal"}
        if self.values.word(attributes, "RESOURCEPROPERTY", (*path, "property"), words) == "linked":
            value = attributes.values["RESOURCEPROPERTY"][0]
            self.values.name(value.block, "LINKEDRESOURCE", (*path, "linked"))

    def _leftovers(self, objects: dict[str, dict[str, Merged]]) -> None:
        kinds: dict[str, list[Merged]] = {}
        unused: dict[tuple[str, str], list[tuple[Resolved, Attributes]]] = {}
        everything: list[tuple[str, Attributes]] = [("the CPU", self.cpu)]
        for kind, found in objects.items():
            for merged in found.values():
                if kind not in SUPPORTED:
                    kinds.setdefault(kind, []).append(merged)
                else:
                    everything.append((f"{kind} {merged.name}".strip(), merged.attributes))
        for owner, attributes in everything:
            for label, value in attributes.unused():
                unused.setdefault((label, value.name), []).append((value, attributes))
                self.values.result.leftovers.append(Leftover(owner, _text(value), value.key))
        for kind, merged_ones in kinds.items():
            self.values.result.leftovers += [Leftover("", f"{kind} {merged.name}", merged.span) for merged in merged_ones]
            names = some((merged.name for merged in merged_ones), 5)
            cause = f"Carillon does not support {kind} yet, and leaves {names} out"
            remedy = "remove what the application does not need; calls of its services will not link"
            self.values.warn("C150", merged_ones[0].span, cause, remedy)
        for (label, name), values in unused.items():
            value, attributes = values[0]
            count = f" ({len(values)} times, here first)" if len(values) > 1 else ""
            missing = [n for n in attributes.known if n not in attributes.values and n not in attributes.wrong]
            taken = {nested.name for v, _ in values for nested in v.block.taken()}
            but = f", but for {', '.join(sorted(taken))}" if taken else ""
            close = difflib.get_close_matches(name, missing, 1, 0.85)
            cause = f"Carillon has no use for {name} of {label}, and leaves it out{but}{count}"
            remedy = f"did you mean {close[0]}?" if close else "nothing is wrong if it is another tool's; remove it if it is not"
            self.values.warn("C151", value.key, cause, remedy)


def _text(value: Resolved) -> str:
    """An attribute as it is written, long blocks shortened."""
    text = f"{value.name} = {shown(value.literal)}"
    nested = [v for values in value.block.values.values() for v in values if not v.default and not v.used]
    inside = "; ".join(_text(v) for v in nested)
    if not inside:
        return text
    return f"{text} {{ {inside[:_SHOWN_BLOCK]}{' ...' if len(inside) > _SHOWN_BLOCK else ''} }}"
