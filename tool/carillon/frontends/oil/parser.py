# SPDX-License-Identifier: Apache-2.0
"""From tokens to :class:`OilFile`, by recursive descent with recovery at the next ``;``, ``}`` or object.

More is accepted than OIL 2.5 says where tools differ and nothing can be mistaken. This is a missing ``;`` behind a ``}``, objects
outside a CPU, ``EVENT = Name;`` as a declaration, and named blocks inside objects.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from contextlib import suppress
from fractions import Fraction

from carillon.diagnostics import suggestion
from carillon.frontends.oil.cursor import CONTAINERS, Cursor, UnclosedError
from carillon.frontends.oil.lexer import Lexer
from carillon.frontends.oil.syntax import (
    NUMBERS,
    OBJECTS,
    TYPES,
    Assignment,
    Definition,
    Definitions,
    Name,
    Object,
    OilFile,
    Value,
    shown,
)
from carillon.read.tokens import Kind, RefusedError, Token
from carillon.units import shorten

_TOP = ("OIL_VERSION", "IMPLEMENTATION", "CPU")
_REFERENCE = re.compile(r"[A-Z]+_TYPE")
_TOOLS_TYPES = ("IDENTIFIER", "STRUCT")  # Trampoline's
_VERSION = re.compile(r"2\.[0-5](\.[0-9]+)?|3(\.[0-9]+)*|4(\.0)?")


class Parser(Cursor):
    """Parses the tokens of one file and its includes."""

    def __init__(self, lexer: Lexer, tokens: list[Token]) -> None:
        super().__init__(lexer, tokens)
        self.file = OilFile()

    def run(self) -> OilFile:
        """Parse everything."""
        while self.token.kind is not Kind.END:
            with suppress(UnclosedError), self.recovering(self.recover):  # parsing goes on at the object that begins
                self.top()
        self.file.malformed = self.lexer.failed
        return self.file

    def top(self) -> None:
        """One statement of the file."""
        if self.skip(";"):
            return
        if self.is_mark("}"):
            self.fail("'}' closes nothing", "remove it, or write the '{' that it closes")
            self.at += 1
            return
        if self.token.kind is not Kind.NAME:
            cause = f"{self.token} begins nothing"
            raise self.fail(cause, "a statement begins with OIL_VERSION, IMPLEMENTATION, CPU or an object")
        word = self.keyword((*_TOP, *CONTAINERS, *OBJECTS))
        if word == "OIL_VERSION":
            self.version()
        elif word == "IMPLEMENTATION":
            self.implementation()
        elif word in CONTAINERS:
            self.container(word)
        else:
            self.member(word, None)

    def keyword(self, known: Iterable[str]) -> str:
        """The next keyword, not passed; a misspelt keyword is reported and corrected."""
        text = self.token.text
        words = tuple(dict.fromkeys(known))
        if text in words or (self.is_mark("=", 1) and text.upper() not in words):
            return text
        named = self.ahead(1).kind is Kind.NAME or self.is_mark("{", 1) or self.is_mark("=", 1)
        meant = (
            text.upper() if text.upper() in words else next(iter(difflib.get_close_matches(text.upper(), words, 1, 0.75)), None)
        )
        if meant is None or not named:
            return text
        cause = f"{shorten(text)} is no keyword" + (": OIL's are in upper case" if text.upper() == meant else "")
        self.lexer.error("C144", self.token.span, cause, f"did you mean {meant}?")
        return meant

    def version(self) -> None:
        """``OIL_VERSION = "2.5" : "description";``."""
        self.take()
        self.expect("=", "after OIL_VERSION")
        token = self.token
        self.file.version = self.file.version or (token.text, token.span)
        if token.kind is Kind.FLOAT:
            self.fail(f"the version {token} is no string", f'write OIL_VERSION = "{token.text}";')
        elif token.kind is not Kind.STRING:
            raise self.fail(f"{token} is no version", 'write OIL_VERSION = "2.5";')
        self.take()
        if token.kind is Kind.STRING and _VERSION.fullmatch(token.text.strip()) is None:
            cause = f"there is no OIL version {shorten(token.text)}"
            self.lexer.error("C143", token.span, cause, 'Carillon reads "2.0" to "2.5", "3.0" and "4.0"')
        self.file.description = self.file.description or self.description()
        self.description()
        self.end("OIL_VERSION")

    def container(self, word: str) -> None:
        """``CPU name { ... };``."""
        self.take()
        name = self.name(f"the name of the {word}")
        cpu = Object(word, name.text, name.span)
        self.file.cpus.append(cpu)
        if not self.is_mark("{"):
            cpu.description = self.description()
            if not self.is_mark(";"):
                raise self.no_block(f"{word} {name.text}")
            self.take()
            return

        def element() -> None:
            if self.token.kind is not Kind.NAME:
                raise self.fail(f"{self.token} begins nothing", "an object is written as TASK Name { ... };")
            if self.token.text in CONTAINERS and self.object_begins():
                raise UnclosedError
            if self.token.text in ("OIL_VERSION", "IMPLEMENTATION"):
                cause = f"{self.token.text} stands inside the {word}"
                self.lexer.error("C140", self.token.span, cause, f"write it before the {word}: is a '}}' missing?")
                self.top()
                return
            self.member(self.keyword(OBJECTS), cpu)

        self.block(f"{word} {name.text}", element, objects=True)
        cpu.description = self.description()
        self.end(f"{word} {name.text}")

    def no_block(self, what: str, remedy: str = "") -> RefusedError:
        """Report that the '{' is missing behind something."""
        return self.fail(f"'{{' is missing after {what}, before {self.token}", remedy or f"write {what} {{ ... }};")

    # Objects

    def member(self, kind: str, cpu: Object | None) -> None:
        """An object, or an attribute of the CPU."""
        if self.is_mark("=", 1):
            self.assigned(kind, cpu)
            return
        word = self.take()
        if self.is_mark("{"):
            self.lexer.error("C140", self.token.span, f"this {kind} has no name", f"write {kind} Name {{ ... }};")
            self.object(Object(kind, "", word.span))
            return
        if self.token.kind is not Kind.NAME:
            cause = f"{word} is followed by {self.token}"
            remedy = f"write {kind} Name {{ ... }};" if kind in OBJECTS else "an object is written as TASK Name { ... };"
            raise self.fail(cause, remedy)
        name = self.take()
        if kind not in OBJECTS and not self.is_mark("{"):
            raise self.fail(f"{word} is neither an object nor an attribute", suggestion(word.text, (*_TOP, *OBJECTS)), word.span)
        found = Object(kind, name.text, name.span)
        self.file.objects.append(found)
        self.object(found)

    def object(self, parsed: Object) -> None:
        """What follows the name of an object."""
        phrase = f"{parsed.kind} {parsed.name}".strip()
        if self.token.kind is Kind.NAME and self.is_mark("=", 1):
            self.no_block(phrase)
            self.assignments(phrase, parsed.body)
        elif self.is_mark("{"):
            self.assignments(phrase, parsed.body)
        elif not (self.is_mark(";") or self.is_mark(":")):
            raise self.no_block(phrase)
        parsed.description = self.description()
        self.end(phrase)

    def assigned(self, kind: str, cpu: Object | None) -> None:
        """``EVENT = Name;`` outside objects declares one (FreeOSEK); anything else is an attribute of the CPU."""
        if kind not in OBJECTS:
            if cpu is None:
                raise self.fail(f"the attribute {self.token} belongs to no object", "write it inside one: TASK Name { ... };")
            cpu.body.append(self.assignment())
            return
        self.at += 2
        while True:
            name = self.name(f"the name of the {kind}")
            self.file.objects.append(Object(kind, name.text, name.span))
            if not self.skip(","):
                break
        self.file.objects[-1].description = self.description()
        self.end(f"{kind} = {name.text}")

    def assignments(self, owner: str, body: list[Assignment]) -> None:
        """A block of assignments, into ``body``."""

        def element() -> None:
            if self.object_begins():
                raise UnclosedError
            if self.token.kind is not Kind.NAME:
                raise self.fail(f"{self.token} stands where an attribute should", "an attribute is written as NAME = value;")
            body.append(self.assignment())

        self.block(owner, element)

    def assignment(self) -> Assignment:
        """``name = value { ... } : "description";``; a block with a name, ``kind name { ... };``, is one, too."""
        word = self.take()
        if self.token.kind is Kind.NAME and self.is_mark("{", 1):
            value = Value(Name(self.token.text), self.take().span)
        elif self.is_mark("{"):
            raise self.fail(f"'= value' is missing between {word} and {self.token}", f"write {word.text} = value {{ ... }};")
        else:
            self.expect("=", f"after the attribute {word}")
            value = self.value(f"the value of {word.text}")
        if self.is_mark("{"):
            value.block = []
            self.assignments(f"{word.text} = {shown(value.literal)}", value.block)
        description = self.description()
        if self.is_mark(","):
            raise self.fail(f"{word.text} has one value", f"write one assignment for each: {word.text} = A; {word.text} = B;")
        self.end(f"the value of {word.text}")
        return Assignment(word.text, word.span, value, description)

    def value(self, phrase: str) -> Value:
        """A literal."""
        token = self.token
        match token.kind:
            case Kind.NAME:
                self.take()
                return Value(Name(token.text), token.span)
            case Kind.STRING:
                self.take()
                return Value(token.text, token.span)
            case Kind.BAD:
                self.take()
                return Value(Name(""), token.span, wrong=True)
            case Kind.INTEGER | Kind.FLOAT:
                return Value(self.number(phrase), token.span)
        cause = f"{token} stands where {phrase} should"
        raise self.fail(cause, "a value is a number, a name, TRUE, FALSE, AUTO, or a string in quotes")

    def number(self, phrase: str) -> int | Fraction:
        """A number."""
        token = self.token
        if token.kind is Kind.INTEGER:
            self.take()
            return int(token.text, 0) if "x" in token.text.lower() else int(token.text)
        if token.kind is Kind.FLOAT:
            self.take()
            mantissa, _, exponent = token.text.lower().partition("e")
            return Fraction(mantissa.rstrip(".") or "0") * Fraction(10) ** int(exponent or 0)
        raise self.fail(f"{token} stands where {phrase} should", "write a number: 250, 0xFA, -3 or 0.001")

    # Implementation definitions

    def implementation(self) -> None:
        """``IMPLEMENTATION name { TASK { ... }; ... };``."""
        self.take()
        name = self.name("the name of the implementation")

        def element() -> None:
            if self.token.kind is not Kind.NAME:
                raise self.fail(f"{self.token} stands where an object should", "write TASK { ... };")
            kind = self.keyword(OBJECTS)
            if kind in CONTAINERS and self.object_begins():
                raise UnclosedError
            self.take()
            if not self.is_mark("{"):
                remedy = f"an implementation definition lists the attributes of each kind of object: {kind} {{ ... }};"
                raise self.no_block(kind, remedy)
            self.definitions(self.file.implementation.setdefault(kind, {}), kind)
            self.description()
            self.end(f"{kind} of the implementation")

        if not self.is_mark("{"):
            raise self.no_block(f"IMPLEMENTATION {name.text}", "write the '{'")
        self.block(f"IMPLEMENTATION {name.text}", element)
        self.description()
        self.end(f"IMPLEMENTATION {name.text}")

    def definitions(self, into: Definitions, owner: str) -> None:
        """A block of attribute definitions; a later definition of an attribute replaces an earlier one."""

        def element() -> None:
            if self.token.kind is Kind.NAME and self.token.text in CONTAINERS and self.object_begins():
                raise UnclosedError
            definition = self.definition(owner)
            into[definition.name] = definition

        self.block(owner, element)

    def definition(self, owner: str) -> Definition:
        """``TYPE WITH_AUTO [range] NAME[] = default : "description";``."""
        token = self.name(f"the type of an attribute of {owner}")
        type_ = token.text
        if type_ not in TYPES and type_ not in _TOOLS_TYPES and _REFERENCE.fullmatch(type_) is None:
            known = (*TYPES, *(f"{kind}_TYPE" for kind in OBJECTS))
            raise self.fail(f"there is no type {shorten(type_)}", suggestion(type_, known), token.span)
        definition = Definition("", type_, token.span)
        if self.token.kind is Kind.NAME and self.token.text == "WITH_AUTO":
            self.take()
            definition.auto = True
        if self.is_mark("["):
            self.restrictions(definition, owner)
        name = self.name(f"the name of an attribute of {owner}")
        definition.name, definition.span = name.text, name.span
        if self.skip("["):
            self.expect("]", "after '['")
            definition.multiple = True
        if type_ == "STRUCT" and self.is_mark("{"):
            self.definitions(definition.variants.setdefault("", {}), f"{owner} {definition.name}")
        if self.skip("="):
            if self.token.kind is Kind.NAME and self.token.text == "NO_DEFAULT":
                self.take()
                definition.required = True
            else:
                definition.default = self.value(f"the default of {definition.name}")
        definition.description = self.description()
        self.end(f"the attribute {definition.name}")
        return definition

    def restrictions(self, definition: Definition, owner: str) -> None:
        """What stands in brackets before an attribute's name."""
        opening = self.take()
        if definition.type in NUMBERS:
            first = self.number("a number")
            if self.skip(".."):
                definition.low, definition.high = first, self.number("the end of the range")
                if definition.low > definition.high:
                    self.lexer.error("C148", opening.span, "the range is empty", "write the lower end first")
                    definition.low = definition.high = None
            else:
                definition.choices = [first]
                while self.skip(","):
                    definition.choices.append(self.number("a number"))
        elif definition.type in ("ENUM", "BOOLEAN"):
            while not self.is_mark("]"):
                name = self.name("an enumerator" if definition.type == "ENUM" else "TRUE or FALSE")
                attributes: Definitions = definition.variants.setdefault(name.text, {})
                if definition.type == "BOOLEAN" and name.text not in ("TRUE", "FALSE"):
                    self.lexer.error("C148", name.span, f"{name} is no value of a BOOLEAN", "write TRUE or FALSE")
                if self.is_mark("{"):
                    self.definitions(attributes, f"{owner} {name.text}")
                self.description()
                if not self.skip(","):
                    break
        else:
            raise self.fail(f"a {definition.type} has no range", "remove the brackets", opening.span)
        self.expect("]", "after the restriction")
