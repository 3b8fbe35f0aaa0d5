# SPDX-License-Identifier: Apache-2.0
"""A place among the tokens of a file: what comes next, blocks, and where parsing goes on after an error."""

from __future__ import annotations

from collections.abc import Callable

from carillon.diagnostics import Span
from carillon.frontends.oil.lexer import Lexer
from carillon.frontends.oil.syntax import OBJECTS
from carillon.read.tokens import Kind, RefusedError, Token, Tokens

MOST_LEVELS = 50
CONTAINERS = ("CPU", "OSEK")  # FreeOSEK writes OSEK


class UnclosedError(Exception):
    """An object begins inside a block of another one."""

    reported = False


class Cursor(Tokens):
    """A position before a token; every error is reported through the lexer, which counts errors."""

    def __init__(self, lexer: Lexer, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self.lexer = lexer
        self.level = 0
        self.missing: list[Span] = []
        """Places of blocks that end without ';'."""

    def take(self) -> Token:
        """The next token; the cursor passes it unless it is the end."""
        token = self.token
        if token.kind is not Kind.END:
            self.at += 1
        return token

    def fail(self, cause: str, remedy: str, span: Span | None = None) -> RefusedError:
        """Report C140 at the next token, unless the lexer has reported that."""
        if Kind.BAD in (self.token.kind, self.before.kind):
            return RefusedError()
        where = self.token.span if span is None else span
        string = self.lexer.multiline.get(self.at - 1)
        if string is not None:
            remedy += f"; is the string that begins on line {string} closed?"
        self.lexer.error("C140", where, cause, remedy)
        return RefusedError()

    def name(self, phrase: str) -> Token:
        """Pass a name, which must be next."""
        if self.token.kind is not Kind.NAME:
            cause = f"{self.token} stands where {phrase} should"
            raise self.fail(cause, "a name consists of letters, digits and '_', not beginning with a digit")
        return self.take()

    def recover(self) -> None:
        """Skip past the next ';' of this block, or to its '}', or to the beginning of an object."""
        depth = 0
        while self.token.kind is not Kind.END:
            if self.is_mark("{"):
                depth += 1
            elif self.is_mark("}"):
                if depth == 0:
                    return
                depth -= 1
            elif self.is_mark(";") and depth == 0:
                self.at += 1
                return
            elif self.object_begins() and self.token.span.line != self.before.span.line:
                return
            self.at += 1

    def object_begins(self) -> bool:
        """Whether ``TASK Name {`` or the like is next."""
        return (
            self.token.kind is Kind.NAME
            and (self.token.text in OBJECTS or self.token.text in CONTAINERS)
            and self.ahead(1).kind is Kind.NAME
            and self.is_mark("{", 2)
        )

    # Blocks and ends of statements

    def block(self, owner: str, element: Callable[[], None], *, objects: bool = False) -> None:
        """A ``{ ... }`` of elements; each element recovers from its own errors.  ``objects`` may stand in a container.

        The '{' may be missing, if that was reported.
        """
        opening = self.token
        self.skip("{")
        self.level += 1
        if self.level > MOST_LEVELS:
            self.level -= 1
            error = self.fail(
                f"blocks are nested more than {MOST_LEVELS} levels deep", "OIL needs no more than five", opening.span
            )
            self.leave()
            raise error
        try:
            while not self.is_mark("}"):
                if self.token.kind is Kind.END:
                    if not self.lexer.unclosed:
                        cause = f"this block of {owner} is not closed"
                        self.lexer.error("C141", opening.span, cause, "write '};' where it ends: count the braces")
                    self.lexer.unclosed = True  # the blocks around this one are not closed, either
                    return
                if self.skip(";"):
                    continue
                try:
                    with self.recovering(self.recover):
                        element()
                except UnclosedError as unclosed:
                    if objects and self.token.text not in CONTAINERS:
                        continue
                    if not unclosed.reported:
                        cause = (
                            f"this block of {owner} is not closed before {self.token.text} {self.ahead(1).text} "
                            f"on line {self.token.span.line}"
                        )
                        self.lexer.error("C141", opening.span, cause, "write '};' where it ends")
                        unclosed.reported = True
                    raise
            self.at += 1
        finally:
            self.level -= 1

    def leave(self) -> None:
        """Skip to behind the '}' of a block that was entered."""
        depth = 1
        while depth and self.token.kind is not Kind.END:
            depth += self.is_mark("{") - self.is_mark("}")
            self.at += 1

    def description(self) -> str:
        """A ``: "text"``, if there is one."""
        text = ""
        while self.skip(":"):
            if self.token.kind is not Kind.STRING:
                raise self.fail(f"{self.token} stands where a description should", 'write it in quotes: : "text"')
            text += (" " if text else "") + self.take().text
        return text

    def end(self, phrase: str) -> None:
        """The ';' of a statement."""
        if self.skip(";"):
            return
        behind = self.before
        if self.token.kind is Kind.END and self.lexer.unclosed:
            return
        if behind.kind is Kind.MARK and behind.text == "}":
            self.missing.append(behind.span)
            return
        error = self.fail(f"';' is missing after {phrase}", "end it with ';'", behind.last)
        fresh_line = self.token.span.line != behind.span.line or self.token.span.file != behind.span.file
        if not (self.token.kind is Kind.END or self.is_mark("}") or (fresh_line and self.token.kind is Kind.NAME)):
            raise error
