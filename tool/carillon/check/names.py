# SPDX-License-Identifier: Apache-2.0
"""Names appear in C: they are identifiers, reserved neither in C nor by the kernel (C026); one name, one object (C049)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from carillon.check.c_library import in_library
from carillon.diagnostics import Diagnostics, Span
from carillon.model import Interrupt, System, Task
from carillon.units import shorten

# C11 6.4.1, and the keywords that C23 adds: a compiler may take either standard as its default.
KEYWORDS = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    alignas alignof bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual asm""".split()  # noqa: SIM905
)
# C++17's keywords that C does not have.
CPP_KEYWORDS = frozenset(
    """and and_eq bitand bitor catch char16_t char32_t class compl const_cast decltype delete dynamic_cast explicit export
    friend mutable namespace new noexcept not not_eq operator or or_eq private protected public reinterpret_cast
    static_cast template this throw try typeid typename using virtual wchar_t xor xor_eq""".split()  # noqa: SIM905
)
RESERVED_PREFIXES = ("carillon_", "tt", "__")
LONGEST = 63  # C11 5.2.4.1: significant initial characters of an identifier


def fault(name: str, function: bool, rounds: bool = True) -> tuple[str, str] | None:
    """Why ``name`` cannot be used in C, and what would be right; None if it can.

    ``function``: it is used as the name of a C function as it stands.  ``rounds``: the system has rounds, so that names of
    OSEKtime are the kernel's.
    """
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name, re.ASCII) is None:
        better = re.sub(r"[ .,:;+/-]+", "_", name).strip("_")
        example = f", for example '{better}'" if re.fullmatch(r"[A-Za-z]\w{,40}", better, re.ASCII) else ""
        return "is no C identifier", f"use letters, digits and '_', not beginning with a digit{example}"
    if name in KEYWORDS:
        return "is a keyword of C", f"choose another name, for example '{name}_task'"
    for prefix in RESERVED_PREFIXES if rounds else (p for p in RESERVED_PREFIXES if p != "tt"):
        if name.lower().startswith(prefix) if prefix != "tt" else name.startswith(prefix):
            return f"begins with '{prefix}'", "'carillon_' and 'tt' are the kernel's, '__' is the compiler's: choose another name"
    if re.match(r"_[A-Z]", name):
        return "begins with '_' and a capital letter", "C reserves such names for the compiler: choose another name"
    if function and in_library(name):
        return "is a name of C's own library", f"choose another name, for example '{name}_task'"
    if function and name == "main":
        return "is the program's entry point", "choose another name for the function"
    if len(name) > LONGEST:
        return f"has {len(name)} characters", f"C tells names apart by their first {LONGEST} characters: choose a shorter one"
    return None


def check(system: System, diagnostics: Diagnostics) -> None:
    """Report every name that C would not take, and names and sources that are used twice."""
    for phrase, name, span, function in _names(system):
        problem = fault(name, function)
        if problem is None and function and system.cplusplus and name in CPP_KEYWORDS:
            remedy = f"choose another name, for example '{name}_task'"
            problem = "is a keyword of C++, and the application has C++ sources", remedy
        if problem:
            diagnostics.error("C026", span, f"{phrase} {problem[0]}", problem[1])
    tasks = {task.name: task for task in system.tasks}
    sources: dict[int, str] = {}
    for interrupt in system.interrupts:
        if interrupt.name in tasks:
            cause = f"'{interrupt.name}' is an interrupt and a task (line {tasks[interrupt.name].span.line})"
            remedy = "rename one of them: messages and the timeline know both by their names"
            diagnostics.error("C049", interrupt.span, cause, remedy)
        if interrupt.source in sources:
            cause = f"interrupts '{sources[interrupt.source]}' and '{interrupt.name}' have the same source"
            diagnostics.error("C049", interrupt.span, cause, "a source has one handler: give each interrupt a source of its own")
        sources.setdefault(interrupt.source, interrupt.name)


def _names(system: System) -> Iterator[tuple[str, str, Span, bool]]:
    """Per name: the phrase for it in messages, the name, its place, and whether it names a C function."""
    functions: list[tuple[str, str, Task | Interrupt, str]] = [("task", "entry", task, task.entry) for task in system.tasks]
    functions += [("interrupt", "handler", interrupt, interrupt.handler) for interrupt in system.interrupts]
    for kind, part, item, function in functions:
        yield f"the {kind} name {shorten(item.name)}", item.name, item.span, function == item.name
        if function != item.name:
            yield f"the {part} {shorten(function)} of {kind} {shorten(item.name)}", function, item.span, True
    for mode in system.modes:
        if mode.name != "default":  # the mode of a file without modes; generated C never has it by itself
            yield f"the mode name {shorten(mode.name)}", mode.name, mode.span, False
