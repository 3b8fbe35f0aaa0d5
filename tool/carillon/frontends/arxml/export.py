# SPDX-License-Identifier: Apache-2.0
"""Writes a schedule's event-triggered system as the ``Os`` module of an ECU configuration of AUTOSAR 4.x.

By the same table as it is read (:mod:`carillon.frontends.arxml.table`).  Every parameter that the standard has is written,
also where it has its default; Carillon's own only where they say something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from pydantic import BaseModel

from carillon.check.osek import DEFAULT_MODE
from carillon.diagnostics import Diagnostics, some
from carillon.frontends.arxml.table import MODE, SECTIONS, SYSTEM, Group, Kind, Parameter
from carillon.frontends.foreign.write import moved_system
from carillon.model.osek import ALARM_ACTIONS, RES_SCHEDULER
from carillon.read.declared import KEYS as DECLARED
from carillon.read.one_or_more import listed
from carillon.read.schema import ScheduleFile
from carillon.read.schema_osek import OsekTable
from carillon.read.shape import Tables
from carillon.units import SECONDS, Time, format_number, shorten

STANDARD, OWN = "/AUTOSAR/EcucDefs/Os", "/Carillon/EcucDefs/Os"
"""Where the definitions are: the standard's, and of Carillon's own parameters."""
_SHORT_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,127}", re.ASCII)
_SCHEMA = "AUTOSAR_4-2-2.xsd"
_DIGITS = 60  # of a time in seconds: a schedule's times have thirty of a nanosecond's at most
_NUMERICAL, _TEXTUAL = "ECUC-NUMERICAL-PARAM-VALUE", "ECUC-TEXTUAL-PARAM-VALUE"
_ELEMENTS = {
    Kind.INTEGER: (_NUMERICAL, "ECUC-INTEGER-PARAM-DEF"),
    Kind.FLAG: (_NUMERICAL, "ECUC-BOOLEAN-PARAM-DEF"),
    Kind.MEMBER: (_NUMERICAL, "ECUC-BOOLEAN-PARAM-DEF"),
    Kind.WORD: (_TEXTUAL, "ECUC-ENUMERATION-PARAM-DEF"),
    Kind.CHOICE: (_TEXTUAL, "ECUC-ENUMERATION-PARAM-DEF"),
    Kind.TEXT: (_TEXTUAL, "ECUC-STRING-PARAM-DEF"),
    Kind.FUNCTION: (_TEXTUAL, "ECUC-FUNCTION-NAME-DEF"),
    Kind.SECONDS: (_NUMERICAL, "ECUC-FLOAT-PARAM-DEF"),
    Kind.TIME: (_TEXTUAL, "ECUC-STRING-PARAM-DEF"),
}
_SAID = ("name", "board", "sources", "include", "defines")


def arxml_text(tables: Tables, name: str, folder: Path, diagnostics: Diagnostics) -> str | None:
    """The configuration for a file in ``folder``, of a schedule without errors and the application's ``name``.

    Warns of what it leaves out (C221); None after C222: there is no event-triggered system, a name is no SHORT-NAME, or an
    object needs one that ARXML cannot say.  An alarm that does several things is C222, too.
    """
    writer = _Writer(tables, name, folder, diagnostics)
    lines = list(writer.lines())
    return None if writer.failed else "\n".join(lines) + "\n"


class _Writer:
    def __init__(self, tables: Tables, name: str, folder: Path, diagnostics: Diagnostics) -> None:
        self.tables, self.name, self.folder, self.diagnostics = tables, name, folder, diagnostics
        self.osek = tables.file.osek
        self.failed = False

    def error(self, path: tuple[str | int, ...], cause: str, remedy: str) -> None:
        self.failed = True
        self.diagnostics.error("C222", self.tables.places.key(path), cause, remedy)

    def lines(self) -> Iterator[str]:
        """The lines of the file; ``failed`` says afterwards whether they are worth anything."""
        if self.osek is None:
            remedy = "an Os module holds tasks of [osek] and what belongs to them: there are none"
            self.error(("system",), "the schedule has no [osek], so that there is nothing to write", remedy)
            return
        self.left_out()
        said = {key: value for key in _SAID if (value := getattr(self.tables.file.system, key))}
        system = moved_system(said | {"name": self.name}, self.tables.path, self.folder)
        self.modes = list(self.osek.modes or [DEFAULT_MODE])
        objects = {s: {name: _plain(table) for name, table in getattr(self.osek, s).items()} for s in SECTIONS}
        objects["alarm"] = {alarm: self.one_action(alarm, table) for alarm, table in objects["alarm"].items()}
        taken = {name for table in objects.values() for entry in table.values() for name in entry.get("resources", ())}
        if RES_SCHEDULER in taken:
            objects["resource"].setdefault(RES_SCHEDULER, {"property": "standard"})
        self.names = {section: set(table) for section, table in objects.items()} | {"modes": set(self.modes)}
        self.check_names()
        package = self.name.replace("-", "_")[:128]
        self.root = f"/{package}/Os"
        yield '<?xml version="1.0" encoding="UTF-8"?>'
        yield (
            '<AUTOSAR xmlns="http://autosar.org/schema/r4.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
            f'xsi:schemaLocation="http://autosar.org/schema/r4.0 {_SCHEMA}">'
        )
        inner = [f"<SHORT-NAME>{package}</SHORT-NAME>", *_block("ELEMENTS", self.module(system, objects))]
        yield from _indented(_block("AR-PACKAGES", _block("AR-PACKAGE", inner)))
        yield "</AUTOSAR>"

    def module(self, system: dict[str, Any], objects: Mapping[str, Mapping[str, dict[str, Any]]]) -> list[str]:
        assert self.osek is not None
        whole = _plain(self.osek) | {f"system.{key}": value for key, value in system.items()}
        used = set().union(*self.names.values())
        name = next(name for name in ("OsOS", *(f"OsOS_{n}" for n in range(len(used) + 1))) if name not in used)
        containers = self.container(SYSTEM, name, whole)
        for mode in self.modes:
            containers += self.container(MODE, mode, {})
        for section, tables in objects.items():
            for name, table in tables.items():
                containers += self.container(SECTIONS[section], name, table, path=("osek", section, name))
        return _block(
            "ECUC-MODULE-CONFIGURATION-VALUES",
            [
                "<SHORT-NAME>Os</SHORT-NAME>",
                f'<DEFINITION-REF DEST="ECUC-MODULE-DEF">{STANDARD}</DEFINITION-REF>',
                "<IMPLEMENTATION-CONFIG-VARIANT>VARIANT-PRE-COMPILE</IMPLEMENTATION-CONFIG-VARIANT>",
                *_block("CONTAINERS", containers),
            ],
        )

    def container(
        self,
        group: Group,
        name: str,
        table: Mapping[str, Any],
        around: str = "",
        path: tuple[str | int, ...] = ("osek",),
        *,
        silent: bool = False,
    ) -> list[str]:
        """A container and those within, of the table of its object; nothing if it is ``silent`` and says nothing."""
        definition = f"{around}/{group.name}"
        parameters: list[str] = []
        references: list[str] = []
        for parameter in group.parameters:
            for text in self.texts(parameter, table, path):
                where = (OWN if parameter.name.startswith("Carillon") else STANDARD) + f"{definition}/{parameter.name}"
                if parameter.kind is Kind.REFERENCE:
                    references += _value("ECUC-REFERENCE-VALUE", "ECUC-REFERENCE-DEF", where, text)
                else:
                    kind = Kind.FLAG if parameter.kind is Kind.HARMLESS and text == "false" else parameter.kind
                    parameters += _value(*_ELEMENTS.get(kind, _ELEMENTS[Kind.WORD]), where, text)
        inside: list[str] = []
        for inner in group.groups:
            parts = _parts(inner, table)
            for number, content in enumerate(parts):
                name_of_it = f"{inner.name}_{number}" if inner.many else inner.name
                inside += self.container(inner, name_of_it, content, definition, path, silent=not inner.key)
        if silent and not parameters and not references and not inside:
            return []
        defined = "ECUC-CHOICE-CONTAINER-DEF" if group.choice else "ECUC-PARAM-CONF-CONTAINER-DEF"
        return _block(
            "ECUC-CONTAINER-VALUE",
            [
                f"<SHORT-NAME>{name}</SHORT-NAME>",
                f'<DEFINITION-REF DEST="{defined}">{STANDARD}{definition}</DEFINITION-REF>',
                *_block("PARAMETER-VALUES", parameters),
                *_block("REFERENCE-VALUES", references),
                *_block("SUB-CONTAINERS", inside),
            ],
        )

    def texts(self, parameter: Parameter, table: Mapping[str, Any], path: tuple[str | int, ...]) -> list[str]:
        """What the parameter's values are, each as the file has it; none if it says nothing."""
        value = table.get(f"system.{parameter.key}" if parameter.system else parameter.key)
        if parameter.kind is Kind.HARMLESS:
            return [next(iter(parameter.words))] if parameter.name == "OsScalabilityClass" else []
        if parameter.kind is Kind.UNSAID:
            return []
        if parameter.kind is Kind.CHOICE:
            return [next(word for word, meant in parameter.words.items() if meant.items() <= table.items())]
        if parameter.kind is Kind.MEMBER:
            return ["true" if parameter.member in (value or ()) else "false"]
        if parameter.target == MODE.name:
            value = self.modes if value is True or (value is None and parameter.key == "modes") else value
        if value is None or (value is False and parameter.kind is Kind.REFERENCE):
            return []
        if parameter.kind is Kind.REFERENCE:
            return [self.referred(parameter, name, path) for name in (value if parameter.many else [value])]
        return [text for one in (value if parameter.many else [value]) if (text := _text(parameter, one)) is not None]

    def referred(self, parameter: Parameter, name: str, path: tuple[str | int, ...]) -> str:
        """The path of the container of an object."""
        section = next((section for section, group in SECTIONS.items() if group.name == parameter.target), "modes")
        if name not in self.names[section]:
            kind = "thread" if name in self.tables.file.thread else section
            cause = f"{path[1]} {shorten(str(path[2]))} names the {kind} {shorten(name)}, which ARXML cannot say"
            self.error(path, cause, "name a task of [osek], or leave it out")
        return f"{self.root}/{name}"

    def one_action(self, alarm: str, table: dict[str, Any]) -> dict[str, Any]:
        """An alarm's table, whose only action is in no list."""
        said = {action.key: listed(table[action.key]) for action in ALARM_ACTIONS}
        count = sum(map(len, said.values()))
        if count > 1:
            cause = f"alarm {shorten(alarm)} has {count} actions, and an OsAlarm has one"
            self.error(("osek", "alarm", alarm), cause, "write an alarm for each")
        return table | {key: values[0] if values else None for key, values in said.items()}

    def check_names(self) -> None:
        for section, names in self.names.items():
            for name in sorted(names):
                if _SHORT_NAME.fullmatch(name) is None:
                    at = ("osek", "modes") if section == "modes" else ("osek", section, name)
                    remedy = "begin it with a letter, and write at most 128 letters, digits and '_'"
                    self.error(at, f"{shorten(name)} is no SHORT-NAME of AUTOSAR", remedy)

    def left_out(self) -> None:
        """Warn of what a schedule says and an ``Os`` module cannot."""
        file = self.tables.file
        others = sorted(file.system.model_fields_set.difference(_SAID))
        omitted: list[tuple[tuple[str | int, ...], str]] = [(("system", key), f"'{key}' of [system]") for key in others]
        for section in ScheduleFile.model_fields:
            content = getattr(file, section)
            if section in ("system", "osek") or not content:
                continue
            if isinstance(content, BaseModel):
                omitted.append(((section,), f"[{section}]"))
            else:
                omitted += (((section, name), f"[{section}.{name}]") for name in content)
        if omitted:
            named = some((text for _, text in omitted), 8)
            cause = f"ARXML has no word for {named}: the configuration is without"
            remedy = "keep the schedule, if the application needs it"
            self.diagnostics.warning("C221", self.tables.places.key(omitted[0][0]), cause, remedy)


def _plain(model: BaseModel) -> dict[str, Any]:
    """A table as its keys and values; own parameters that say what is so anyway are left out."""
    values: dict[str, Any] = {}
    for key, info in type(model).model_fields.items():
        value = getattr(model, key)
        own = key in _QUIET and value == info.get_default(call_default_factory=True)
        if isinstance(model, OsekTable) and key in SECTIONS:
            continue
        values[key] = None if own else _plain_value(value)
    return values


def _plain_value(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain_value(element) for element in value]
    return _plain(value) if isinstance(value, BaseModel) else value


_QUIET = {
    parameter.key
    for group in (SYSTEM, *SECTIONS.values())
    for parameter in group.parameters
    if parameter.name.startswith("Carillon") and not parameter.system and parameter.kind is not Kind.TIME
}


def _parts(group: Group, table: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What a group's containers say, each as a table; none if it has nothing to say."""
    if group.many and not group.key:
        return [{p.key: [value]} for p in group.parameters for value in table.get(p.key) or ()]
    content: Any = table.get(group.key) if group.key else table
    if content is None or (isinstance(content, Mapping) and content.get("modes") == []):  # what starts in no mode does not
        return []
    return list(content) if group.many else [content]


def _text(parameter: Parameter, value: Any) -> str | None:
    match parameter.kind:
        case Kind.FLAG:
            return "true" if value else "false"
        case Kind.WORD:
            return next(word for word, meaning in parameter.words.items() if meaning == value)
        case Kind.SECONDS | Kind.TIME:
            assert isinstance(value, Time)
            if parameter.key in DECLARED:  # the standard has no word for it
                return str(value)
            in_ticks = value.unit not in SECONDS
            if in_ticks != (parameter.kind is Kind.TIME):
                return None
            return str(value) if in_ticks else format_number(value.number * SECONDS[value.unit], _DIGITS)
        case _:
            return str(value)


def _value(element: str, kind: str, definition: str, text: str) -> list[str]:
    is_reference = element == "ECUC-REFERENCE-VALUE"
    inside = f'<VALUE-REF DEST="ECUC-CONTAINER-VALUE">{text}</VALUE-REF>' if is_reference else f"<VALUE>{escape(text)}</VALUE>"
    return _block(element, [f'<DEFINITION-REF DEST="{kind}">{definition}</DEFINITION-REF>', inside])


def _block(name: str, inside: list[str]) -> list[str]:
    """An element around others; nothing if there are none."""
    return [f"<{name}>", *_indented(inside), f"</{name}>"] if inside else []


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]
