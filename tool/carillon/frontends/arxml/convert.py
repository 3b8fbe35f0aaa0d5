# SPDX-License-Identifier: Apache-2.0
"""From the containers of an ``Os`` module to the tables of a schedule file, with a place for everything in them.

Which container is what stands in :mod:`.table`.  What is no value of its parameter (C215), a reference to nothing (C216) and two
different values of one parameter (C217) are errors.  What Carillon does not support (C218) and what is a tool's own (C219) is
named and left out.  Whether the objects go together, and the ranges of numbers, are for the schedule's own checks.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from carillon.check.osek import DEFAULT_MODE
from carillon.diagnostics import Diagnostics, Span, some, suggestion
from carillon.frontends.arxml.module import Holder, Value
from carillon.frontends.arxml.table import (
    MODE,
    SECTIONS,
    SYSTEM,
    TICK_FREQUENCY,
    UNSUPPORTED,
    WITHOUT_EFFECT,
    Group,
    Kind,
    Parameter,
)
from carillon.frontends.arxml.values import convert, frequency
from carillon.frontends.foreign.choices import assign_sources, choose_tick, duration, incremented, sources_of
from carillon.frontends.foreign.converted import Converted, Leftover
from carillon.frontends.foreign.places import LEAST_STACK, Places
from carillon.read.interrupt_sources import meant
from carillon.read.spans import Path
from carillon.units import MalformedError, shorten

_MOST_NAMED = 8


def _place(around: Group, group: Group) -> str | None:
    """The name under which ``around`` has at most one container; None: many.  A choice has one of its groups in all."""
    if around.choice:
        return around.name
    choice = next((outer for outer in around.groups if outer.choice and (group is outer or group in outer.groups)), None)
    place = choice or group
    return None if place.many else place.name


MOST_PRIORITY = 65_535
IDLE_MAKER, IDLE_PRIORITY = "MICROSAR", (1 << 32) - 1
"""The tool that gives its tasks of the idle time the greatest priority of all, and means the lowest."""
"""Of a task of a schedule."""


class Converter:
    """Converts one module.  ``sources`` gives the names of a board's application sources, None for an unreadable board."""

    def __init__(
        self, module: Holder, main: str, diagnostics: Diagnostics, sources: Callable[[str | None], list[str] | None]
    ) -> None:
        self.module, self.diagnostics, self.sources = module, diagnostics, sources
        self.result = Converted("ARXML", {}, Places(main))
        self.places, self.data = self.result.places, self.result.data
        self.known = {holder.path: holder for holder in module.all()}
        self.unsupported: dict[str, list[tuple[str, Span]]] = {}
        self.own: dict[str, list[tuple[str, Span]]] = {}
        self.unsaid: set[Path] = set()
        self.frequency: Fraction | None = None
        self.idle: set[str] = set()  # the tasks whose greatest priority would mean the lowest

    def run(self, name: str) -> Converted:
        """The module as an application named ``name``, unless the module gives another name."""
        self.data["system"] = {}
        self.data["osek"] = {}
        self.places.put(("system",), self.module.span)
        self.places.put(("osek",), self.module.span, self.module.span)
        if self.module.description:
            self.result.descriptions[()] = self.module.description
        for value in self.module.values:
            self._left_out(self.module, value.definition, value.text, value.key)
        sections = {group.name: (section, group) for section, group in SECTIONS.items()}
        objects: dict[str, list[Holder]] = {section: [] for section in SECTIONS}
        modes: list[Holder] = []
        systems: list[Holder] = []
        for holder in self.module.containers:
            if holder.definition in sections:
                objects[sections[holder.definition][0]].append(holder)
            elif holder.definition in (MODE.name, SYSTEM.name):
                (modes if holder.definition == MODE.name else systems).append(holder)
            else:
                self._left_out(self.module, holder.definition, holder.name, holder.span)
        self._system(systems)
        self._modes(modes)
        for section, found in objects.items():  # numbers of objects are in the order of the file, so the tables are, too
            for holder in found:
                path = ("osek", section, holder.name)
                if section == "task" and holder.maker == IDLE_MAKER:
                    self.idle.add(holder.name)
                self.data["osek"].setdefault(section, {})[holder.name] = {}
                self._object(holder, SECTIONS[section], path)
        self.data["system"] = {"name": name} | self.data["system"]
        self._adapt()
        self._assign_sources()
        self._warn()
        return self.result

    # Objects

    def _system(self, holders: list[Holder]) -> None:
        """The container of the OS; a file may have several, each with a part."""
        for number, holder in enumerate(holders):
            if number:
                cause = f"{holder.path} is a second {SYSTEM.name}; the first is {holders[0].path}"
                remedy = "a module has one: give both the same SHORT-NAME in different files, or remove one"
                self.diagnostics.error("C217", holder.span, cause, remedy)
            else:
                self._fill(holder, SYSTEM, ("osek",))

    def _modes(self, holders: list[Holder]) -> None:
        """The application modes; the first is the default mode, which AUTOSAR marks only by its name."""
        holders.sort(key=lambda holder: holder.name != DEFAULT_MODE)
        for holder in holders:
            self.result.append(("osek", "modes"), holder.name, holder.span, holder.span)
            self._fill(holder, MODE, ("osek", "modes", holder.name))
            if holder.description:
                self.result.descriptions["osek", "modes", holder.name] = f"{holder.name}: {holder.description}"

    def _object(self, holder: Holder, group: Group, path: Path) -> None:
        self.places.put(path, holder.span, holder.span)
        if holder.description:
            self.result.descriptions[path] = holder.description
        self._fill(holder, group, path)

    def _fill(self, holder: Holder, group: Group, path: Path) -> None:
        """The table at ``path``, or a part of the table, from a container and its inner containers."""
        parameters = {name: parameter for parameter in group.parameters for name in (parameter.name, *parameter.aliases)}
        by_definition: dict[str, list[Value]] = {name: [] for name in parameters}
        for value in holder.values:
            if value.definition in parameters:
                by_definition[value.definition].append(value)
            else:
                self._left_out(holder, value.definition, value.text, value.key, holder.path)
        for name, parameter in parameters.items():
            values = by_definition[name]
            if not values:
                continue
            base: Path = ("system",) if parameter.system else path
            if parameter.many:
                self._list(holder, parameter, values, (*base, parameter.key))
            elif self._is_one(holder, values, (*base, parameter.key)):
                self._value(holder, parameter, values[0], (*base, parameter.key))
        groups = {inner.name: inner for inner in group.groups}
        groups |= {inner.name: inner for outer in group.groups if outer.choice for inner in outer.groups}
        first: dict[str, Holder] = {}
        for container in sorted(holder.containers, key=lambda inner: self._order(inner, groups.get(inner.definition))):
            inner = groups.get(container.definition)
            if inner is None:
                self._left_out(holder, container.definition, container.name, container.span)
                continue
            place = _place(group, inner)
            if place is not None and first.setdefault(place, container) is not container:
                self._second(holder, place, first[place], container)
                continue
            at = (*path, inner.key) if inner.key else path
            if inner.key and inner.many:
                at = self.result.append(at, {}, container.span, container.span)
            elif inner.key:
                self.places.put(at, container.span, container.span)
                self.result.store(at, self.result.table(at))
            self._fill(container, inner, at)
            for key, content in inner.present.items():
                if key not in self.result.table(at) and (*at, key) not in self.result.broken:
                    self.result.store((*at, key), content)
                    self.places.put((*at, key), container.span, container.span)

    def _second(self, holder: Holder, place: str, first: Holder, second: Holder) -> None:
        """Report C217 of two containers where there may be one."""
        cause = (
            f"{holder.path} has a second {place}, {second.definition} {shorten(second.name)}; the first is "
            f"{shorten(first.name)} {first.span.beside(second.span)}"
        )
        remedy = "it has one at most, in all files together: remove one, or give both parts one SHORT-NAME"
        self.diagnostics.error("C217", second.span, cause, remedy)

    def _order(self, container: Holder, group: Group | None) -> int:
        """The sort key of a container: the number by which its group is ordered, or 0."""
        text = next((v.text for v in container.values if group is not None and group.order == v.definition), "")
        try:
            return int(convert(Parameter("", "", Kind.INTEGER), text)) if text else 0
        except MalformedError:
            return 0

    # Values

    def _is_one(self, holder: Holder, values: list[Value], path: Path) -> bool:
        """Whether all values of a single-valued parameter are the same."""
        first = values[0]
        other = next((value for value in values if value.text != first.text), None)
        if other is not None:
            where = first.span.beside(other.span)
            cause = f"{first.definition} of {holder.path} is {shorten(first.text)} {where} and {shorten(other.text)} here"
            self.diagnostics.error("C217", other.span, cause, "a parameter has one value, in all files together: remove one")
            self.result.broken.add(path)
        return other is None

    def _value(self, holder: Holder, parameter: Parameter, value: Value, path: Path) -> None:
        if parameter.kind is Kind.REFERENCE:
            name = self._referred(holder, parameter, value, path)
            if name is not None:
                self._put(path, value, name)
            return
        try:
            content = convert(parameter, value.text)
        except MalformedError as misfit:
            if value.definition != parameter.name:  # another tool's, who means something else by it
                self._left_out(holder, value.definition, value.text, value.key)
                return
            self.result.broken.add(path)
            self.diagnostics.error("C215", value.span, f"{value.definition} of {holder.path}: {misfit.cause}", misfit.remedy)
            return
        if value.definition == TICK_FREQUENCY:
            self.frequency = frequency(value.text)
        elif parameter.kind is Kind.UNSAID:
            if content:
                self.unsaid.add(path)
        elif parameter.kind is Kind.HARMLESS:
            if content.lower() not in {word.lower() for word in parameter.words}:
                cause = f"{value.definition} of {holder.path} is {shorten(content)}, which Carillon does not support yet"
                remedy = f"see that the application does not need it: Carillon takes it for {next(iter(parameter.words))}"
                self.diagnostics.warning("C218", value.span, cause, remedy)
        elif parameter.kind is Kind.CHOICE:
            for key, meant in content.items():
                self._put((*path[:-1], key), value, meant)
        elif parameter.kind is Kind.MEMBER:
            if content:
                self.result.append(path, parameter.member, value.span, value.key)
        elif content is not None and str(path[-1]) not in self.result.table(path[:-1]):  # else another name of the same
            self._put(path, value, content)

    def _put(self, path: Path, value: Value, content: Any) -> None:
        self.result.store(path, content)
        self.places.put(path, value.span, value.key)

    def _list(self, holder: Holder, parameter: Parameter, values: list[Value], path: Path) -> None:
        """References or texts, each once; parts in several files may name the same."""
        listed: dict[str, None] = dict.fromkeys(self.result.table(path[:-1]).get(str(path[-1]), ()))
        for value in values:
            is_reference = parameter.kind is Kind.REFERENCE
            name = self._referred(holder, parameter, value, path) if is_reference else value.text
            if name is not None and name not in listed:
                self.places.put(path, value.span, value.key)
                self.places.put((*path, len(listed)), value.span, value.key)
                listed[name] = None
        if path not in self.result.broken:
            self.result.store(path, list(listed))

    def _referred(self, holder: Holder, parameter: Parameter, value: Value, path: Path) -> str | None:
        """The name of the container that a reference names; None after a diagnostic."""
        written = value.text if value.text.startswith("/") else f"{self.module.path.rpartition('/')[0]}/{value.text}"
        target = self.known.get(written)
        if target is not None and target.definition == parameter.target:
            return target.name
        phrase = f"{value.definition} of {holder.path}"
        if target is not None:
            cause, remedy = (
                f"{phrase} names {written}, which is of {target.definition}",
                f"name a container of {parameter.target}",
            )
        else:
            same = [other.path for other in self.known.values() if other.definition == parameter.target]
            beside = next((other for other in same if other.rpartition("/")[2] == written.rpartition("/")[2]), None)
            cause = f"{phrase} names {shorten(value.text)}, which is no container of the module"
            remedy = f"did you mean '{beside}'?" if beside else suggestion(written, same)
            if not beside and not same:
                remedy = f"there is no {parameter.target}: name the folder of all files, if it stands in another one"
        self.result.broken.add(path)
        self.diagnostics.error("C216", value.span, cause, remedy)
        return None

    # Gaps in the standard, and differences between the standard and a schedule

    def _rank_priorities(self, tasks: dict[str, dict[str, Any]]) -> None:
        """AUTOSAR's priorities have 32 bits, and only their order counts: where one is too large, take ranks.

        The tasks of ``idle`` come below all others, where the greatest priority means that.
        """
        written = {name: table["priority"] for name, table in tasks.items() if isinstance(table.get("priority"), int)}
        if not any(MOST_PRIORITY < priority < 1 << 32 for priority in written.values()):
            return
        idle = {name for name in self.idle if written.get(name) == IDLE_PRIORITY}
        order = {name: -1 if name in idle else priority for name, priority in written.items() if priority < 1 << 32}
        ranks = {priority: rank for rank, priority in enumerate(sorted(set(order.values())), 1)}
        for name, place in order.items():
            meant = f", which is the lowest in a file of {IDLE_MAKER}" if name in idle else ""
            self.result.notes["osek", "task", name, "priority"] = f"the rank of {tasks[name]['priority']}{meant}"
            tasks[name]["priority"] = ranks[place]

    def _adapt(self) -> None:
        osek = self.data["osek"]
        self._rank_priorities(osek.get("task", {}))
        for name, table in osek.get("task", {}).items():
            if not table.get("events"):
                table.pop("stack", None)  # tasks without events share one
            elif isinstance(table.get("stack"), int) and 0 <= table["stack"] < LEAST_STACK:
                cause = f"the stack of task '{name}', {table['stack']} bytes, is less than a stack of Carillon's has at least"
                remedy = f"Carillon takes {LEAST_STACK} bytes; write as many, or more"
                self.diagnostics.warning("C320", self.places.value(("osek", "task", name, "stack")), cause, remedy)
                table["stack"] = LEAST_STACK
        for name, table in osek.get("event", {}).items():
            if table.get("mask") == 0 or ("osek", "event", name, "mask") in self.unsaid:
                table.pop("mask", None)  # tools that choose the mask write one all the same
        for table in osek.get("schedule_table", {}).values():
            if table.get("autostart", {}).get("synchron"):
                table["autostart"].pop("at", None)  # some tools always write an offset
        by_alarms = incremented(osek)
        for name, table in osek.get("counter", {}).items():
            path = ("osek", "counter", name)
            for key in ("min_cycle", "ticks_per_base"):
                if table.get(key) == 0:
                    table[key] = 1  # no cycle is shorter anyway, and no service computes with the other
            if "kind" not in table and (*path, "kind") not in self.result.broken and name in by_alarms:
                table["kind"] = "software"
                self.result.notes[*path, "kind"] = "an alarm increments it"
            if table.get("kind") == "software":
                table.pop("tick", None)  # the standard has one for every counter
            elif "tick" not in table and self.frequency is not None:
                table["tick"] = duration(1 / self.frequency)
                self.result.notes[*path, "tick"] = TICK_FREQUENCY
            elif "tick" not in table and not self.result.broken.intersection({(*path, "tick"), (*path, "kind")}):
                choose_tick(
                    self.result,
                    path,
                    self.places.key(path),
                    f"{self.module.path}/{name}",
                    "give it OsSecondsPerTick, or the OsCounterType SOFTWARE if the application increments it",
                    self.diagnostics.warning,
                )

    def _assign_sources(self) -> None:
        """Sources of the board: those that the file names, then the others in the order of the board's."""
        isrs: dict[str, dict[str, Any]] = self.data["osek"].get("isr", {})
        if not isrs:
            return
        known = sources_of(self.result, self.sources)
        parameter = "CarillonInterruptSource"
        written: dict[str, str | None] = {}
        by_path = {holder.name: holder for holder in self.module.containers}
        for name, table in isrs.items():
            said = any(value.definition == parameter for value in by_path[name].values)
            if "source" not in table:
                continue
            here = meant(str(table["source"]), known or [])
            if here is not None and here != table["source"]:
                self.result.notes["osek", "isr", name, "source"] = f"{table['source']} in the file"
                table["source"] = here
            elif here is None and not said:
                written[name] = str(table.pop("source"))  # another tool's source, which is no source of the board
        assign_sources(
            self.result,
            written,
            known,
            "choose a board with more (CarillonBoard of OsOS, --board), or leave ISRs out",
            lambda isr, source: f"{parameter} = {source} in {self.module.path}/{isr}",
            self.diagnostics.error,
            self.diagnostics.warning,
        )

    # What is left out

    def _left_out(self, holder: Holder, definition: str, text: str, span: Span, path: str | None = None) -> None:
        """Remember an element without a place in a schedule; ``path``: where a parameter is (None for a container)."""
        if definition.endswith(WITHOUT_EFFECT):
            return
        if definition in UNSUPPORTED:
            self.unsupported.setdefault(definition, []).append((path or f"{holder.path}/{text}", span))
        else:
            self.own.setdefault(holder.definition, []).append((definition, span))
        self.result.leftovers.append(Leftover(holder.path, f"{definition} {shorten(text)}".strip(), span))

    def _warn(self) -> None:
        for definition, places in self.unsupported.items():
            listed = some((path for path, _ in places), _MOST_NAMED)
            cause = f"Carillon does not support {definition} yet, and leaves out {listed}"
            self.diagnostics.warning("C218", places[0][1], cause, UNSUPPORTED[definition])
        for definition, places in self.own.items():
            names = list(dict.fromkeys(name for name, _ in places))
            count = f" ({len(places)} times, here first)" if len(places) > 1 else ""
            cause = (
                f"Carillon has no use for {some(names, _MOST_NAMED)} of {definition}, and leaves "
                f"{'them' if len(names) > 1 else 'it'} out{count}"
            )
            remedy = "nothing is wrong if it is a tool's own; correct its DEFINITION-REF if it is not"
            self.diagnostics.warning("C219", places[0][1], cause, remedy)
