# SPDX-License-Identifier: Apache-2.0
"""The C functions and types of a Giotto program: names that C takes (C026), and one list of parameters a function (C273)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from carillon.check.names import fault
from carillon.frontends.giotto.triggers import watchable
from carillon.model.giotto import Call, Giotto, Name, PortKind
from carillon.units import shorten

Parameters = tuple[str, ...]

_HEADERS = re.compile(r"u?int(_least|_fast)?\d+_t|u?int(ptr|max)_t")
"""Types of the headers that ``giotto.h`` includes."""


def check_functions(program: Giotto, type_of: Callable[[str], str], error: Callable[..., None]) -> None:
    """Report names of functions and types that C does not take, and functions that are used with other parameters again.

    ``type_of``: what a name of a type means in the end.
    """
    told: set[str] = set()

    def named(what: str, name: Name, function: bool) -> None:
        text = name.text if function else name.text.replace(".", "_")
        problem = fault(text, function)
        if problem is None and _HEADERS.fullmatch(text):
            problem = "is a type of C's own headers", "choose another name"
        if problem is not None and name.text not in told:
            told.add(name.text)
            error("C026", name.span, f"the {what} {shorten(name.text)} {problem[0]}", problem[1])

    for alias in program.types:
        named("type", alias.name, False)
    first: dict[str, tuple[Name, str, Parameters]] = {}
    for function, result, parameters in _uses(program, type_of):
        named("function", function, True)
        known, known_result, known_parameters = first.setdefault(function.text, (function, result, parameters))
        if (result, parameters) != (known_result, known_parameters):
            cause = (
                f"{function} is used as {_shown(function, result, parameters)}, and on line {known.span.line} as "
                f"{_shown(function, known_result, known_parameters)}"
            )
            remedy = "C has one list of parameters for a function: use another one here"
            error("C273", function.span, cause, remedy, function.text)


def _shown(function: Name, result: str, parameters: Parameters) -> str:
    return f"{result} {function}({', '.join(parameters) or 'void'})"


def _uses(program: Giotto, type_of: Callable[[str], str]) -> Iterator[tuple[Name, str, Parameters]]:
    """Each use of a function, with what it returns and what it gets; nothing of an argument that is not known."""
    ports = {port.name.text: port.type.text for port in program.ports}

    def call(call: Call, types: dict[str, str], writes: set[str]) -> Parameters | None:
        given = [(a.text, types.get(a.text)) for a in call.arguments]
        if any(found is None for _, found in given):
            return None
        return tuple(f"{'' if name in writes else 'const '}{type_of(found or '')} *" for name, found in given)

    for port in program.ports:
        if port.function is not None:
            const = "const " if port.kind is PortKind.ACTUATOR else ""
            yield port.function, "void", (f"{const}{type_of(port.type.text)} *",)
    for task in program.tasks:
        for state in task.states:
            if state.init is not None:
                yield state.init, "void", (f"{type_of(state.type.text)} *",)
        types = ports | {typed.name.text: typed.type.text for typed in (*task.inputs, *task.states)}
        writes = {*(name.text for name in task.outputs), *(typed.name.text for typed in task.states)}
        if (parameters := call(task.call, types, writes)) is not None:
            yield task.call.function, "void", parameters
    for driver in program.drivers:
        if (parameters := call(driver.guard, ports, set())) is not None:
            yield driver.guard.function, "bool", parameters
        own = {typed.name.text: typed.type.text for typed in driver.destinations}
        if (parameters := call(driver.call, ports | own, set(own))) is not None:
            yield driver.call.function, "void", parameters
    watched = watchable(program)
    for trigger in program.triggers:
        if trigger.function is not None:
            given = (type_of(watched[operand.text]) for operand in trigger.operands)
            yield trigger.function, "bool", tuple(f"const {found} *" for found in given)
