# SPDX-License-Identifier: Apache-2.0
"""Takes a C file apart into macros and declarations, each with the names in it and the conditions around them.

Alternatives of an ``#if`` count their braces from where it began.  An item that begins or ends in one is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

WORD = re.compile(r"[A-Za-z_]\w*")
COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
FOR_CPLUSPLUS = re.compile(r"#\s*ifdef __cplusplus\n[^#]*#\s*endif")
MACRO = re.compile(r"#\s*define\s+\w+(?!\w|\()\s*(.*)")
INCLUDE = re.compile(r'#\s*include\s+[<"]([^>"]+)[>"]')
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|__asm__\s*\([^()]*\)")
TAGGED = re.compile(r"\s*(?:typedef\s+)?(struct|union|enum)\b\s*(\w*)\s*\{(.*)\}\s*(\w*)\s*;\s*", re.DOTALL)
TYPEDEF = re.compile(r"typedef\s.*?\(\s*\*?\s*(\w+)\s*\)\s*\(.*|typedef\s.*?\b(\w+)\s*(?:\[[^]]*\])?\s*;\s*", re.DOTALL)
FUNCTION = re.compile(r"\s*[\w\s*]*?\b(\w+)\s*\(.*", re.DOTALL)
VARIABLE = re.compile(r"\s*[\w\s*]*?\b(\w+)\s*(?:\[[^]]*\]\s*)*;?\s*")


Conditions = tuple[tuple[str, bool], ...]
"""Conditions that are to be true or false, one after the other."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What stands under the same conditions: the names in it, and in those conditions around it that ask what is defined."""

    conditions: Conditions
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Item:
    """A macro or a declaration: its text, what it declares (None: not understood), and the pieces that it is made of.

    ``body``: what a macro without parameters stands for.  ``default``: whether it does so unless it is defined elsewhere.
    """

    text: str
    declares: frozenset[str] | None
    pieces: tuple[Piece, ...]
    body: str | None = None
    default: bool = False

    @property
    def is_macro(self) -> bool:
        return self.text.startswith("#")


class _Group:
    """An ``#if`` up to its ``#endif``: what is true or false of the branch that is read, and names that are asked for."""

    def __init__(self, directive: str, expression: str) -> None:
        self.conditions: list[tuple[str, bool]] = []
        self.names: set[str] = set()
        self.default = expression if directive == "ifndef" else ""
        self.depth, self.is_within = 0, False  # of the item that it stands in
        self.of_cplusplus = directive != "if" and expression == "__cplusplus"
        if self.of_cplusplus:  # no file is C++
            self.conditions = [("0", directive == "ifdef")]
        else:
            self.branch("elif" if directive == "if" else "", expression)

    def branch(self, directive: str, expression: str) -> None:
        if self.of_cplusplus:
            self.conditions = [(text, not wanted) for text, wanted in self.conditions]
            return
        self.conditions = [(text, False) for text, _ in self.conditions]
        self.default = self.default if directive == "" else ""
        if directive == "elif" and "defined" not in expression and "__has" not in expression:
            self.conditions.append((expression, True))
        else:
            self.names |= set(WORD.findall(expression))


def lines(text: str) -> Iterator[tuple[str, str, list[_Group]]]:
    """The lines of a file without comments, each with its directive ("": none) and the groups around it.

    A line "" stands for the beginning of a branch.
    """
    groups: list[_Group] = []
    for line in text.replace("\\\n", " ").split("\n"):
        stripped = line.strip()
        directive = WORD.search(stripped) if stripped.startswith("#") else None
        match directive[0] if directive else "":
            case "if" | "ifdef" | "ifndef":
                groups.append(_Group(directive[0], " ".join(stripped[directive.end() :].split())))
                yield "", "if", groups
            case "elif" | "else":
                groups[-1].branch(directive[0], " ".join(stripped[directive.end() :].split()))
                yield "", "else", groups
            case "endif":
                groups.pop()
            case name if stripped:
                yield stripped, name, groups


def pieces(read: Iterable[tuple[str, Sequence[_Group]]]) -> tuple[Piece, ...]:
    """What lines are made of, each with the groups around it."""
    found: dict[Conditions, set[str]] = {}
    for line, groups in read:
        if not line:
            continue
        conditions = tuple(condition for group in groups for condition in group.conditions)
        found.setdefault(conditions, set()).update(WORD.findall(line), *(group.names for group in groups))
    return tuple(Piece(conditions, frozenset(names)) for conditions, names in found.items())


def items(text: str) -> list[Item]:
    """The items of a file, with the conditions around each."""
    found: list[Item] = []
    parts: list[str] = []
    made: list[Piece] = []
    depth = 0
    torn = False  # by a branch in which it begins or ends

    def add(part: str, of: Sequence[Piece], groups: Sequence[_Group] = ()) -> None:
        around = sorted({name for piece in of for name in piece.names} - set(WORD.findall(part)))
        asked = sorted({condition for piece in of for condition in piece.conditions})
        macro = MACRO.fullmatch(part)
        declares = None if torn else declared(part)
        default = declares is not None and any(group.default in declares for group in groups)
        found.append(Item(f"{part} {around} {asked}", declares, merged(of), macro[1] if macro else None, default))

    for line, directive, groups in lines(FOR_CPLUSPLUS.sub("", COMMENTS.sub(" ", text))):
        if directive == "include":
            continue
        if directive == "if" and not line:
            groups[-1].depth, groups[-1].is_within = depth, bool(parts)
            continue
        if directive == "else" and not line:
            depth = groups[-1].depth
            torn = torn or bool(parts) is not groups[-1].is_within
            continue
        of_line = pieces([(line, groups)])
        if directive and not parts:
            add(line, of_line, groups)
            continue
        made += of_line
        if directive:
            continue
        parts.append(line)
        depth += sum(line.count(c) for c in "{(") - sum(line.count(c) for c in "})")
        if depth == 0 and line[-1] in ";}":
            add("\n".join(parts), made)
            parts, made, torn = [], [], False
    if parts:
        add("\n".join(parts), made)
    return found


def merged(every: Sequence[Piece]) -> tuple[Piece, ...]:
    """One piece for each of the conditions."""
    found: dict[Conditions, frozenset[str]] = {}
    for piece in every:
        found[piece.conditions] = found.get(piece.conditions, frozenset()) | piece.names
    return tuple(Piece(conditions, names) for conditions, names in found.items())


def declared(text: str) -> frozenset[str] | None:
    """The names that an item declares; None if that is not understood."""
    if text.startswith("#"):
        macro = re.match(r"#\s*(define|undef|error)\s+(\w*)", text)
        if macro is None:
            return None
        return frozenset() if macro[1] == "error" else frozenset({macro[2]})
    if re.match(r"\s*(__asm__|asm|_Static_assert|extern\s*\")", text):
        return None
    plain = ATTRIBUTE.sub(" ", text)
    if tagged := TAGGED.fullmatch(plain):
        of_enumeration = WORD.findall(tagged[3]) if tagged[1] == "enum" else ()
        return frozenset({tagged[2], tagged[4], *of_enumeration} - {""}) or None
    if plain.startswith("typedef"):
        found = TYPEDEF.fullmatch(plain)
        return frozenset({found[1] or found[2]}) if found else None
    head = re.split(r"[={]", plain, maxsplit=1)[0]
    function, local = FUNCTION.fullmatch(head), re.search(r"\b(static|extern)\b", head)
    if local is None and (function is None or "{" in plain):  # it is defined, whoever names it
        return None
    named = function or VARIABLE.fullmatch(head)
    return frozenset({named[1]}) if named else None
