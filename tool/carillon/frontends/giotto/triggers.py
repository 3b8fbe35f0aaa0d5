# SPDX-License-Identifier: Apache-2.0
"""``[trigger ...]`` in a Giotto program: predicates over ports, and completions of tasks, that E code by hand can wait for.

The predicates are those of C. Kirsch, M. Sanvido and T. Henzinger, *A Programmable Microkernel for Real-Time Systems*, VEE 2005,
section 2.  ``p' > p`` compares what the port ``p`` is now with what it was when the trigger was armed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from carillon.diagnostics import Span, suggestion
from carillon.frontends.giotto.lexer import LONGEST_NAME
from carillon.model.giotto import Annotation, Giotto, Name, Port, PortKind, Task, Trigger, Watched
from carillon.units import shorten

COMPARED = frozenset({"bool", "char", "short", "int", "long", "unsigned", "float", "double"})
"""Types whose values C compares."""
_WORD = r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*"
_PORT = rf"{_WORD}(?::{_WORD})?\s*'?"
_NAME = re.compile(_WORD, re.ASCII)
_WATCHED = re.compile(_PORT, re.ASCII)
_COMPARISON = re.compile(rf"({_PORT})\s*(<=|>=|==|!=|<|>)\s*({_PORT}|-?[0-9]+(?:\.[0-9]+)?)", re.ASCII)
_CALL = re.compile(rf"({_WORD})\s*\(([^()]*)\)", re.ASCII)
_FORMS = "write [trigger NAME p' > p], or a C function of ports: [trigger NAME function(p', p)]"
Refuse = Callable[[str, Span, str, str], None]
"""Reports an error: code, place, cause and remedy."""


def parsed_triggers(ports: Iterable[Port], tasks: Iterable[Task], error: Refuse) -> tuple[Trigger, ...]:
    """The triggers of a program, as it declares them; C263 for what is none."""
    noted: list[tuple[Annotation, Task | None]] = [(note, None) for port in ports for note in port.annotations]
    noted += [(note, task) for task in tasks for note in task.annotations]
    found = (_parsed(note, task, error) for note, task in noted if note.word == "trigger")
    return tuple(trigger for trigger in found if trigger is not None)


def _parsed(note: Annotation, task: Task | None, error: Refuse) -> Trigger | None:
    word, predicate = (*note.rest.split(maxsplit=1), "", "")[:2]
    name = Name(word, note.span)
    if not _NAME.fullmatch(word) or len(word) > LONGEST_NAME:
        error("C263", note.span, f"{shorten(word) if word else 'nothing'} is no name of a trigger", _FORMS)
        return None
    if not predicate and task is not None:
        return Trigger(name, completed=task.name.text)
    compared, called = _COMPARISON.fullmatch(predicate), _CALL.fullmatch(predicate)
    if compared is not None:
        return Trigger(name, (_watched(compared[1]), _watched(compared[3])), compared[2])
    listed = [argument.strip() for argument in called[2].split(",")] if called is not None else []
    if called is not None and all(_WATCHED.fullmatch(argument) for argument in listed):
        return Trigger(name, tuple(map(_watched, listed)), function=Name(called[1].replace(".", "_"), note.span))
    cause = f"the trigger {shorten(word)} has no predicate"
    error("C263", note.span, f"{cause}: {shorten(predicate)} is none" if predicate else cause, _FORMS)
    return None


def _watched(text: str) -> Watched:
    now = text.endswith("'")
    return Watched(text.rstrip("'").rstrip(), now, not _WATCHED.fullmatch(text))


def watchable(program: Giotto) -> dict[str, str]:
    """The ports that a trigger may look at, and their types: of the environment, and what tasks compute."""
    found = {port.name.text: port.type.text for port in program.ports if port.kind is not PortKind.ACTUATOR}
    types = dict(found)
    for task in program.tasks:
        found |= {f"{task.name}:{name}": types[name.text] for name in task.outputs if name.text in types}
        found |= {f"{task.name}:{state.name}": state.type.text for state in task.states}
    return found


def check_triggers(program: Giotto, type_of: Callable[[str], str], error: Refuse, warn: Refuse) -> None:
    """Report two triggers of one name (C252), and ports that there are not (C253), do not compare (C255) or do not change."""
    known = {port.name.text: port.name.span for _, port, _ in program.interrupts}
    ports = watchable(program)
    read = {source.text for driver in program.drivers for source in driver.sources}
    sensors = {port.name.text for port in program.ports if port.kind is PortKind.SENSOR}
    for trigger in program.triggers:
        name, span = trigger.name.text, trigger.name.span
        if name in known:
            cause = f"there are two triggers {shorten(name)}; the first is on line {known[name].line}"
            error("C252", span, cause, "give one of them another name; a sensor with an interrupt is a trigger of its name")
        known.setdefault(name, span)
        watched = [operand for operand in trigger.operands if not operand.constant]
        for operand in watched:
            if operand.text not in ports:
                cause = f"the trigger {name} looks at {shorten(operand.text)}, which is no sensor, output or state"
                error("C253", span, cause, suggestion(operand.text, ports) or "an output of a task t is t:NAME")
            elif trigger.operator and type_of(ports[operand.text]) not in COMPARED:
                cause = f"the trigger {name} compares {operand.text}, of the type {ports[operand.text]}"
                error("C255", span, cause, f"{trigger.operator} compares numbers of C: let a function do it")
        if watched and not trigger.looked:
            cause = f"the trigger {name} looks at no port as it is then"
            first = watched[0].text
            error("C263", span, cause, f"write {first}' for its value, and {first} for what it was when armed")
        for port in trigger.looked:
            if port in sensors - read:
                cause = f"the trigger {name} looks at {port}, which no driver reads, so that it does not change"
                warn("C266", span, cause, f"add a driver with the source {port}")
