# SPDX-License-Identifier: Apache-2.0
"""From the objects of an OIL file to the tables of a schedule file, with a place for everything in them.

Reports what only OIL has: objects and attributes that Carillon has no use for (C150, C151), and what OIL leaves to
the implementation and Carillon therefore chooses: the tick of a counter (C152) and the source of an ISR (C153).
Whether the objects go together is for the schedule's own checks.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any

from carillon.diagnostics import Diagnostics, Span, suggestion
from carillon.read.build import SOURCES
from carillon.read.oil.places import OilPlaces
from carillon.read.oil.resolve import AUTO, STACK_NAMES, Attributes, Error, Resolved, Resolver, located
from carillon.read.oil.syntax import Container, Name, Object, OilFile, shown
from carillon.read.spans import Path
from carillon.units import SECONDS, MalformedError, format_number, parse_time

SUPPORTED = ("OS", "APPMODE", "TASK", "COUNTER", "ALARM", "RESOURCE", "EVENT", "ISR")
APPLICATION_SOURCE = "APP_SRC"
DEFAULT_TICK = "1ms"
TOOLS_COUNTERS = ("SystemCounter",)
"""Counters that applications use and a tool's own files declare (Trampoline)."""
_HOOKS = {
    "STARTUPHOOK": "startup",
    "SHUTDOWNHOOK": "shutdown",
    "ERRORHOOK": "error",
    "PRETASKHOOK": "pretask",
    "POSTTASKHOOK": "posttask",
}
_SWITCHES = {
    "USEGETSERVICEID": "get_service_id",
    "USEPARAMETERACCESS": "parameter_access",
    "USERESSCHEDULER": "scheduler_resource",
    "STACKMONITORING": "stack_check",
}
_MOST_32 = 2**32 - 1
_LIMITS = {
    "priority": (0, 65_535),
    "activations": (1, 255),
    "stack": (64, 2**20),
    "category": (1, 2),
    "mask": (1, _MOST_32),
    "max_allowed": (1, _MOST_32),
    "ticks_per_base": (1, _MOST_32),
    "min_cycle": (1, _MOST_32),
    "at": (0, _MOST_32),
    "cycle": (0, _MOST_32),
}
"""What a schedule's numbers may be (``read.schema``)."""
_SHOWN_BLOCK = 60


@dataclass(frozen=True, slots=True)
class Leftover:
    """Something that is not carried over: of which object, as it is written, and where."""

    owner: str
    text: str
    span: Span


@dataclass(slots=True)
class Converted:
    """A schedule's data as TOML would give them, and what else is known of them.

    ``descriptions`` are OIL's, by the path of what they describe; ``notes`` say what Carillon chose.
    """

    data: dict[str, Any]
    places: OilPlaces
    broken: set[Path] = field(default_factory=set)
    descriptions: dict[Path, str] = field(default_factory=dict)
    notes: dict[Path, str] = field(default_factory=dict)
    leftovers: list[Leftover] = field(default_factory=list)


@dataclass(slots=True)
class _Merged:
    """All blocks of one object."""

    kind: str
    name: str
    span: Span
    attributes: Attributes


class Converter:
    """Converts one file.  ``sources`` gives the names of a board's application sources, None if it cannot be read."""

    def __init__(
        self, file: OilFile, main: str, error: Error, diagnostics: Diagnostics, sources: Callable[[str | None], list[str] | None]
    ) -> None:
        self.file = file
        self.error = error
        self.diagnostics = diagnostics
        self.sources = sources
        self.warnings: list[tuple[str, Span, str, str]] = []
        self.resolver = Resolver(file.implementation, error, complete=not file.malformed)
        self.result = Converted({}, OilPlaces(main))
        self.places = self.result.places

    def run(self, name: str) -> Converted:
        """The whole file as an application of that name."""
        objects = self._merge()
        self.data = self.result.data
        self.osek: dict[str, Any] = {}
        self.data["system"] = {"name": name}
        self.data["osek"] = self.osek
        self._cpu()
        self._os(objects.get("OS", {}))
        self._modes(objects.get("APPMODE", {}))
        self._each(objects, "TASK", "task", self._task)
        self._each(objects, "ISR", "isr", self._isr)
        self._each(objects, "RESOURCE", "resource", self._resource)
        self._each(objects, "EVENT", "event", self._event)
        self.incremented: set[str] = set()
        self.alarm_counters: dict[str, Span] = {}
        self._each(objects, "ALARM", "alarm", self._alarm)
        self._each(objects, "COUNTER", "counter", self._counter)
        self._tools_counters()
        self._assign_sources(objects.get("ISR", {}))
        self._leftovers(objects)
        if not self.file.malformed:  # else they are for the next time
            for warning in self.warnings:
                self.diagnostics.warning(*warning)
        return self.result

    # Objects

    def _merge(self) -> dict[str, dict[str, _Merged]]:
        """All objects by kind and name, each with the attributes of all its blocks."""
        parts: dict[tuple[str, str], list[Object]] = {}
        for found in self.file.objects:
            name = found.name
            if found.kind == "OS":  # there is one: a tool's own file may call it otherwise than the application's
                name = next((other.name for other in self.file.objects if other.kind == "OS"), name)
            parts.setdefault((found.kind, name), []).append(found)
        merged: dict[str, dict[str, _Merged]] = {}
        for (kind, name), blocks in parts.items():
            first = blocks[0]
            body = [assignment for block in blocks for assignment in block.body]
            attributes = self.resolver.resolve(kind, f"{kind} {name}".strip(), first.span, body)
            merged.setdefault(kind, {})[name] = _Merged(kind, name, first.span, attributes)
        for kind in SUPPORTED:
            for name in merged.get(kind, {}):
                text = " ".join(dict.fromkeys(block.description for block in parts[kind, name] if block.description))
                self._describe(kind, name, text)
        return merged

    def _describe(self, kind: str, name: str, text: str) -> None:
        if not text:
            return
        if kind == "OS":
            self.result.descriptions["osek",] = text
        elif kind == "APPMODE":
            self.result.descriptions["osek", "modes", name] = f"{name}: {text}"
        else:
            self.result.descriptions["osek", kind.lower(), name] = text

    def _cpu(self) -> None:
        """The CPU blocks, which are one CPU whatever their names; their attributes of ours are the board and the sources."""
        cpus = self.file.cpus
        first = cpus[0] if cpus else Container("", Span(self.places.file))
        body = [assignment for cpu in cpus for assignment in cpu.body]
        self.cpu = self.resolver.resolve("CPU", f"CPU {first.name}", first.span, body)
        self.places.put(("system",), first.span)
        self.places.put(("system", "name"), first.span)
        if self.file.description:
            self.result.descriptions[()] = self.file.description
        if any(cpu.description for cpu in cpus):
            self.result.descriptions["system",] = " ".join(dict.fromkeys(c.description for c in cpus if c.description))
        self._board(self.cpu)

    def _board(self, attributes: Attributes) -> None:
        path = ("system", "board")
        if "CARILLON_BOARD" in attributes.wrong:
            self.result.broken.add(path)
        for board in attributes.all("CARILLON_BOARD"):
            if not isinstance(board.literal, (str, Name)) or not str(board.literal):
                self._refuse(path, board, "is no name of a board", 'write one in quotes: "ast1030-evb"')
                continue
            first = self.data["system"].setdefault("board", str(board.literal))
            if first != str(board.literal):
                where = self.places.value(path)
                self.error(
                    "C146",
                    board.key,
                    f"CARILLON_BOARD is {shown(first)} {located(where, board.key)} and {shown(board.literal)} here",
                    "an application runs on one board: remove one of the two",
                )
            else:
                self._put(path, board, first)

    def _os(self, found: dict[str, _Merged]) -> None:
        system = next(iter(found.values()), None)
        self._application_sources([self.cpu, *([system.attributes] if system is not None else [])])
        if system is None:
            return
        attributes = system.attributes
        self.places.put(("osek",), system.span, system.span)
        self._board(attributes)
        self._word(attributes, "STATUS", ("osek", "status"), {"STANDARD": "standard", "EXTENDED": "extended"})
        self._word(attributes, "CARILLON_DISPATCH", ("osek", "dispatch"), {"HARDWARE": "hardware", "SOFTWARE": "software"})
        hooks: list[str] = []
        for name, hook in _HOOKS.items():
            value = self._truth(attributes, name, ("osek", "hooks"))
            if value is not None and value.literal == Name("TRUE"):
                self.places.put(("osek", "hooks", len(hooks)), value.span, value.key)
                self.places.put(("osek", "hooks"), value.span, value.key)
                hooks.append(hook)
                if value.description:
                    self.result.descriptions["osek", "hooks", hook] = f"{hook}: {value.description}"
        if hooks:
            self.osek["hooks"] = hooks
        for name, key in _SWITCHES.items():
            value = self._truth(attributes, name, ("osek", key))
            if value is not None:
                self._put(("osek", key), value, value.literal == Name("TRUE"))
        for value in attributes.values.get("SCALABILITYCLASS", []):
            value.used = value.literal in (AUTO, Name("SC1"))

    def _application_sources(self, owners: list[Attributes]) -> None:
        """C and C++ files that the blocks of the OS or the CPU list as APP_SRC (Trampoline's BUILD, ERIKA's CPU_DATA)."""
        path = ("system", "sources")
        files: dict[str, None] = {}
        for value in (value for owner in owners for value in owner.everywhere(APPLICATION_SOURCE)):
            name = str(value.literal).replace("\\", "/")
            if not isinstance(value.literal, (str, Name)) or PurePosixPath(name).suffix not in SOURCES:
                continue  # an assembler's, or no file's name
            value.used = True
            if name not in files:
                self.places.put(path, value.span, value.key)
                self.places.put((*path, len(files)), value.span, value.key)
                files[name] = None
        if files:
            self._store(path, list(files))

    def _modes(self, found: dict[str, _Merged]) -> None:
        if found:
            self.osek["modes"] = list(found)
            for number, mode in enumerate(found.values()):
                self.places.put(("osek", "modes"), mode.span, mode.span)
                self.places.put(("osek", "modes", number), mode.span, mode.span)

    def _each(
        self, objects: dict[str, dict[str, _Merged]], kind: str, section: str, convert: Callable[[_Merged, Path], None]
    ) -> None:
        """Convert all objects of a kind; numbers of objects are in the order of the file, so the tables are, too."""
        named = {name: found for name, found in objects.get(kind, {}).items() if name}
        if named:
            self.osek[section] = {name: {} for name in named}
        for name, found in named.items():
            path = ("osek", section, name)
            self.places.put(path, found.span, found.span)
            convert(found, path)

    # Values

    def _put(self, path: Path, value: Resolved, content: Any) -> None:
        """Store a value at ``path``, with its places and description."""
        self._store(path, content)
        self.places.put(path, value.span, value.key)
        if value.description:
            self.result.descriptions[path] = value.description

    def _store(self, path: Path, content: Any) -> None:
        table: dict[str, Any] = self.data
        for part in path[:-1]:
            table = table.setdefault(str(part), {})
        table[str(path[-1])] = content

    def _warn(self, code: str, span: Span, cause: str, remedy: str) -> None:
        self.warnings.append((code, span, cause, remedy))

    def _refuse(self, path: Path, value: Resolved, cause: str, remedy: str) -> None:
        """Report a value that a tool's own definition allows and Carillon cannot use."""
        self.result.broken.add(path)
        self.error("C145", value.span, f"{value.name} of {value.owner}: {shown(value.literal)} {cause}", remedy)

    def _one(self, attributes: Attributes, name: str, path: Path) -> Resolved | None:
        """The value of an attribute; None if it has none, AUTO, or a wrong one."""
        if name in attributes.wrong:
            self.result.broken.add(path)
        value = attributes.one(name)
        return None if value is None or value.literal == AUTO else value

    def _integer(self, attributes: Attributes, name: str, path: Path) -> None:
        value = self._one(attributes, name, path)
        if value is not None:
            self._number(value, path)

    def _number(self, value: Resolved, path: Path) -> None:
        """Store a number; a tool's own definition may allow more than Carillon does."""
        low, high = _LIMITS[str(path[-1])]
        if not isinstance(value.literal, int):
            self._refuse(path, value, "is no integer", f"write a number from {low} to {high}")
        elif path[-1] == "min_cycle" and value.literal == 0:
            self._put(path, value, 1)  # no cycle is shorter anyway
        elif not low <= value.literal <= high:
            self._refuse(
                path,
                value,
                f"is {'less' if value.literal < low else 'more'} than Carillon has",
                f"write a number from {low} to {high}",
            )
        else:
            self._put(path, value, value.literal)

    def _word(self, attributes: Attributes, name: str, path: Path, words: dict[str, str]) -> str | None:
        value = self._one(attributes, name, path)
        if value is None:
            return None
        word = words.get(value.literal.text) if isinstance(value.literal, Name) else None
        if word is None:
            first = {meaning: name for name, meaning in reversed(words.items())}
            self._refuse(
                path,
                value,
                "is nothing that Carillon has",
                "write " + " or ".join(first[m] for m in dict.fromkeys(words.values())),
            )
        else:
            self._put(path, value, word)
        return word

    def _truth(self, attributes: Attributes, name: str, path: Path) -> Resolved | None:
        value = self._one(attributes, name, path)
        if value is not None and value.literal not in (Name("TRUE"), Name("FALSE")):
            self._refuse(path, value, "is no truth value", "write TRUE or FALSE")
            return None
        return value

    def _name(self, attributes: Attributes, name: str, path: Path) -> Resolved | None:
        """A reference, or a string that stands for one; stored."""
        value = self._one(attributes, name, path)
        if value is None:
            return None
        if not isinstance(value.literal, (Name, str)):
            self._refuse(path, value, "is no name", "write a name")
            return None
        self._put(path, value, str(value.literal))
        return value

    def _names(self, attributes: Attributes, name: str, path: Path) -> bool:
        """A list of references; whether there is one."""
        if name in attributes.wrong:
            self.result.broken.add(path)
        values = [value for value in attributes.all(name) if value.literal != AUTO]
        names: dict[str, None] = {}
        for value in values:
            if not isinstance(value.literal, Name):
                self._refuse(path, value, "is no name", "write a name")
            elif value.literal.text not in names:  # two blocks of an object may name the same one
                self.places.put(path, value.span, value.key)
                self.places.put((*path, len(names)), value.span, value.key)
                names[value.literal.text] = None
        if names:
            self._store(path, list(names))
        return bool(names)

    # Tasks and interrupts

    def _task(self, found: _Merged, path: Path) -> None:
        attributes = found.attributes
        self._integer(attributes, "PRIORITY", (*path, "priority"))
        self._word(attributes, "SCHEDULE", (*path, "schedule"), {"FULL": "full", "NON": "non", "NONE": "non"})
        self._integer(attributes, "ACTIVATION", (*path, "activations"))
        start = self._truth(attributes, "AUTOSTART", (*path, "autostart"))
        starts = start is not None and start.literal == Name("TRUE")
        if start is not None and starts and not self._names(start.block, "APPMODE", (*path, "autostart")):
            self._put((*path, "autostart"), start, True)
        extended = self._names(attributes, "EVENT", (*path, "events"))
        self._names(attributes, "RESOURCE", (*path, "resources"))
        self._stack(attributes, (*path, "stack"), extended)

    def _stack(self, attributes: Attributes, path: Path, extended: bool) -> None:
        """The size of a task's stack, whatever the tool calls it; basic tasks share one, so that theirs says nothing."""
        for name in STACK_NAMES:
            if name in attributes.wrong:
                self.result.broken.add(path)
            for value in attributes.values.get(name, []):
                size = value
                if isinstance(value.literal, Name) and value.literal.text == "PRIVATE":  # ERIKA
                    size = next((s for n in ("SYS_SIZE", "SIZE") for s in value.block.all(n)), value)
                value.used = isinstance(size.literal, int) or value.literal in (AUTO, Name("SHARED"), Name("PRIVATE"))
                if extended and isinstance(size.literal, int) and not self.places.values.get(path):
                    self._number(size, path)

    def _isr(self, found: _Merged, path: Path) -> None:
        attributes = found.attributes
        category = self._one(attributes, "CATEGORY", (*path, "category"))
        if category is not None and category.literal == 3:
            self.result.broken.add((*path, "category"))
            self.error(
                "C155",
                category.span,
                f"ISR {found.name} is of category 3, which OSEK OS 2.2 abolished",
                "write 2 if it calls services, then leave EnterISR and LeaveISR out of it, else 1",
            )
        elif category is not None:
            self._integer(attributes, "CATEGORY", (*path, "category"))
        for value in attributes.values.get("PRIORITY", []):
            if isinstance(value.literal, int):
                self._integer(attributes, "PRIORITY", (*path, "priority"))
        self._names(attributes, "RESOURCE", (*path, "resources"))

    def _assign_sources(self, found: dict[str, _Merged]) -> None:
        """Sources of the board: those that the file names, then the others in the order of the board's.

        A SOURCE is meant for Carillon if it is a string, or the name of one of the board's.
        """
        isrs: dict[str, dict[str, Any]] = self.osek.get("isr", {})
        if not isrs:
            return
        board = self.data["system"].get("board")
        known = None if ("system", "board") in self.result.broken else self.sources(board)
        without: list[str] = []
        for name in isrs:
            path = ("osek", "isr", name, "source")
            written = found[name].attributes.values.get("SOURCE", [])
            value = next(
                (v for v in written if (isinstance(v.literal, str) and v.literal) or str(v.literal) in (known or [])), None
            )
            if value is None:
                without.append(name)
            else:
                value.used = True
                self._put(path, value, str(value.literal))
        if known is None:
            self.result.broken.update(("osek", "isr", name, "source") for name in without)
            return
        taken = {table.get("source") for table in isrs.values()}
        free = [source for source in known if source not in taken]
        given = dict(zip(without, free, strict=False))
        for name, source in given.items():
            isrs[name]["source"] = source
            written = found[name].attributes.all("SOURCE")
            instead = f" instead of {shown(written[0].literal)}" if written else ""
            self.result.notes["osek", "isr", name, "source"] = f"chosen by Carillon{instead}"
        for name in without[len(free) :]:
            self.result.broken.add(("osek", "isr", name, "source"))
            self.error(
                "C154",
                self.places.key(("osek", "isr", name)),
                f"there is no interrupt source left for ISR {name}: the board has {len(known)} for applications",
                "choose a board with more (CARILLON_BOARD, --board), or leave ISRs out",
            )
        if given:
            listed = ", ".join(f"{name} gets {source}" for name, source in given.items())
            self._warn(
                "C153",
                self.places.key(("osek", "isr", next(iter(given)))),
                f"the file names no interrupt source that the board has: {listed}",
                f'name them: SOURCE = "{next(iter(given.values()))}"; in ISR {next(iter(given))}',
            )

    # The other objects

    def _resource(self, found: _Merged, path: Path) -> None:
        attributes = found.attributes
        words = {"STANDARD": "standard", "LINKED": "linked", "INTERNAL": "internal"}
        if self._word(attributes, "RESOURCEPROPERTY", (*path, "property"), words) == "linked":
            value = attributes.values["RESOURCEPROPERTY"][0]
            self._name(value.block, "LINKEDRESOURCE", (*path, "linked"))

    def _event(self, found: _Merged, path: Path) -> None:
        self._integer(found.attributes, "MASK", (*path, "mask"))

    def _counter(self, found: _Merged, path: Path) -> None:
        attributes = found.attributes
        kind = self._kind(attributes, (*path, "kind"))
        if kind is None and not attributes.wrong.intersection({"TYPE", "SOFTCOUNTER"}) and found.name in self.incremented:
            kind = "software"
            self._store((*path, "kind"), kind)
            self.result.notes[*path, "kind"] = "an alarm increments it"
        tick = self._tick(attributes, (*path, "tick"))
        if kind != "software" and tick is not None:
            value, text = tick
            self._put((*path, "tick"), value, text)
        elif kind != "software" and not self.result.broken.intersection({(*path, "tick"), (*path, "kind")}):
            self._store((*path, "tick"), DEFAULT_TICK)
            self.places.put((*path, "tick"), found.span, found.span)
            self.result.notes[*path, "tick"] = "OIL does not say; chosen by Carillon"
            self._warn(
                "C152",
                found.span,
                f"nothing says how long a tick of COUNTER {found.name} is: Carillon takes {DEFAULT_TICK}",
                f'write CARILLON_TICK = "{DEFAULT_TICK}"; in it, or TYPE = SOFTWARE; if the application increments it',
            )
        self._integer(attributes, "MAXALLOWEDVALUE", (*path, "max_allowed"))
        self._integer(attributes, "TICKSPERBASE", (*path, "ticks_per_base"))
        self._integer(attributes, "MINCYCLE", (*path, "min_cycle"))
        for value in attributes.values.get("UNIT", []):
            value.used = value.literal == Name("TICKS")

    def _kind(self, attributes: Attributes, path: Path) -> str | None:
        """What drives a counter, in AUTOSAR's words or in those of older tools; None if the file leaves it open."""
        kind = self._word(attributes, "TYPE", path, {"HARDWARE": "hardware", "SOFTWARE": "software"})
        soft = self._truth(attributes, "SOFTCOUNTER", path)
        if soft is None:
            return kind
        said = "software" if soft.literal == Name("TRUE") else "hardware"
        if kind is None:
            if path not in self.result.broken:
                self._put(path, soft, said)
        elif kind != said:
            self.result.broken.add(path)
            self.error(
                "C146",
                soft.key,
                f"SOFTCOUNTER of {soft.owner} is {shown(soft.literal)} here, and its TYPE is {kind.upper()}",
                "a counter is of one kind: remove one of the two",
            )
        return said

    def _tick(self, attributes: Attributes, path: Path) -> tuple[Resolved, str] | None:
        """The length of a tick, as a schedule writes it."""
        for name, unit in (("CARILLON_TICK", None), ("SECONDSPERTICK", "s"), ("TIME_IN_NS", "ns")):
            value = self._one(attributes, name, path)
            if value is None:
                continue
            literal = value.literal
            if unit is None:
                return self._written_tick(value, path)
            if isinstance(literal, (str, Name)) or literal <= 0:
                self._refuse(path, value, "is no time", f"write a number greater than 0, in {'seconds' if unit == 's' else 'ns'}")
                return None
            return value, duration(literal * SECONDS[unit])
        return None

    def _written_tick(self, value: Resolved, path: Path) -> tuple[Resolved, str] | None:
        text = str(value.literal)
        try:
            parse_time(text)
        except MalformedError as malformed:
            self._refuse(path, value, f"is no time: {malformed.cause}", malformed.remedy)
            return None
        return value, text

    def _tools_counters(self) -> None:
        """Counters that alarms use and that a tool would have declared."""
        if self.file.malformed:
            return
        for name, span in self.alarm_counters.items():
            if name in TOOLS_COUNTERS and name not in self.osek.get("counter", {}):
                path = ("osek", "counter", name)
                self._store((*path, "tick"), DEFAULT_TICK)
                self.places.put(path, span, span)
                self.result.notes[path] = "another tool's own counter; chosen by Carillon"
                self._warn(
                    "C156",
                    span,
                    f"COUNTER {name} is declared nowhere, as Trampoline has it: Carillon takes one with a tick of {DEFAULT_TICK}",
                    f'declare it: COUNTER {name} {{ CARILLON_TICK = "{DEFAULT_TICK}"; MAXALLOWEDVALUE = 65535; }};',
                )

    def _alarm(self, found: _Merged, path: Path) -> None:
        attributes = found.attributes
        counter = self._name(attributes, "COUNTER", (*path, "counter"))
        if counter is not None:
            self.alarm_counters.setdefault(str(counter.literal), counter.span)
        self._action(found, path)
        start = self._truth(attributes, "AUTOSTART", (*path, "autostart"))
        if start is not None and start.literal == Name("TRUE"):
            self._put((*path, "autostart"), start, {})
            self._autostart(start.block, (*path, "autostart"))

    def _autostart(self, block: Attributes, path: Path) -> None:
        self._integer(block, "ALARMTIME", (*path, "at"))
        self._integer(block, "CYCLETIME", (*path, "cycle"))
        kind = self._one(block, "TYPE", (*path, "absolute"))
        if kind is not None:
            if kind.literal in (Name("ABSOLUTE"), Name("RELATIVE")):
                self._put((*path, "absolute"), kind, kind.literal == Name("ABSOLUTE"))
            else:
                self._refuse((*path, "absolute"), kind, "is nothing that Carillon has", "write ABSOLUTE or RELATIVE")
        self._names(block, "APPMODE", (*path, "modes"))

    def _action(self, found: _Merged, path: Path) -> None:
        value = self._one(found.attributes, "ACTION", (*path, "action"))
        if value is None:
            return
        action = str(value.literal)
        what = f"ACTION = {action} of ALARM {found.name}"
        block = value.block
        match action:
            case "ACTIVATETASK":
                self._demand(block, "TASK", (*path, "activate"), what)
            case "SETEVENT":
                self._put((*path, "set_event"), value, {})
                self._demand(block, "TASK", (*path, "set_event", "task"), what)
                self._demand(block, "EVENT", (*path, "set_event", "event"), what)
            case "ALARMCALLBACK":
                self._demand(block, "ALARMCALLBACKNAME", (*path, "callback"), what)
            case "INCREMENTCOUNTER":
                counter = self._demand(block, "COUNTER", (*path, "increment"), what)
                if counter is not None:
                    self.incremented.add(str(counter.literal))
            case _:
                known = ("ACTIVATETASK", "SETEVENT", "ALARMCALLBACK", "INCREMENTCOUNTER")
                self._refuse((*path, "action"), value, "is no action that Carillon has", suggestion(action, known))

    def _demand(self, block: Attributes, name: str, path: Path, what: str) -> Resolved | None:
        """An attribute that must be there."""
        value = self._name(block, name, path)
        if value is None and path not in self.result.broken:
            self.result.broken.add(path)
            if not self.file.malformed:
                self.error("C147", block.span, f"{what} has no {name}", f"write {name} = ...; in its block")
        return value

    # What is left

    def _leftovers(self, objects: dict[str, dict[str, _Merged]]) -> None:
        kinds: dict[str, list[_Merged]] = {}
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
                self.result.leftovers.append(Leftover(owner, _text(value), value.key))
        for kind, merged_ones in kinds.items():
            self.result.leftovers += [Leftover("", f"{kind} {merged.name}", merged.span) for merged in merged_ones]
            names = _some(merged.name for merged in merged_ones)
            self._warn(
                "C150",
                merged_ones[0].span,
                f"Carillon does not support {kind} yet, and leaves {names} out",
                "remove what the application does not need; calls of its services will not link",
            )
        for (label, name), values in unused.items():
            value, attributes = values[0]
            count = f" ({len(values)} times, here first)" if len(values) > 1 else ""
            missing = [n for n in attributes.known if n not in attributes.values and n not in attributes.wrong]
            taken = {nested.name for v, _ in values for nested in v.block.taken()}
            but = f", but for {', '.join(sorted(taken))}" if taken else ""
            close = difflib.get_close_matches(name, missing, 1, 0.85)
            self._warn(
                "C151",
                value.key,
                f"Carillon has no use for {name} of {label}, and leaves it out{but}{count}",
                f"did you mean {close[0]}?" if close else "nothing is wrong if it is another tool's; remove it if it is not",
            )


def application_name(stem: str) -> str:
    """An application's name from that of a file: other characters than letters, digits, '-' and '_' become '_'."""
    name = re.sub(r"[^A-Za-z0-9_-]", "_", stem)
    return name if re.match(r"[A-Za-z]", name) else f"app_{name}"


def duration(seconds: Fraction | int) -> str:
    """A time as a schedule writes it, in the largest unit that gives at least 1."""
    unit = next((unit for unit in ("s", "ms", "us") if seconds >= SECONDS[unit]), "ns")
    return format_number(Fraction(seconds) / SECONDS[unit]) + unit


def _text(value: Resolved) -> str:
    """An attribute as it is written, long blocks shortened."""
    text = f"{value.name} = {shown(value.literal)}"
    nested = [v for values in value.block.values.values() for v in values if not v.default and not v.used]
    inside = "; ".join(_text(v) for v in nested)
    if not inside:
        return text
    return f"{text} {{ {inside[:_SHOWN_BLOCK]}{' ...' if len(inside) > _SHOWN_BLOCK else ''} }}"


def _some(names: Iterable[str], most: int = 5) -> str:
    listed = list(names)
    return ", ".join(listed[:most]) + (f" and {len(listed) - most} more" if len(listed) > most else "")
