# SPDX-License-Identifier: Apache-2.0
"""Tokens and a position among them, shared by the parsers of OIL and of Giotto."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum

from carillon.diagnostics import Span
from carillon.units import shorten


class Kind(Enum):
    """Kinds of tokens; a BAD token was reported by the lexer, so that the parser need not report it."""

    NAME = "name"
    INTEGER = "integer"
    FLOAT = "float"
    STRING = "string"
    ANNOTATION = "annotation"
    MARK = "mark"
    BAD = "bad"
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """A token: ``text`` as written (of a string, its content); ``span``: its beginning, ``last``: its end."""

    kind: Kind
    text: str
    span: Span
    last: Span

    def __str__(self) -> str:
        """How messages name it."""
        if self.kind is Kind.END:
            return "the end of the file"
        return ("the string " if self.kind is Kind.STRING else "") + shorten(self.text)


class RefusedError(Exception):
    """Something was reported; recover."""


class Tokens:
    """Stands before a token, of which the last is the end."""

    marks = frozenset({Kind.MARK})
    """The kinds of what :meth:`skip` and :meth:`expect` pass."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = list(tokens)
        self.at = 0

    @property
    def token(self) -> Token:
        """The next token."""
        return self.tokens[self.at]

    @property
    def before(self) -> Token:
        """The token before the next one."""
        return self.tokens[max(self.at - 1, 0)]

    def ahead(self, distance: int) -> Token:
        """The token that many further."""
        return self.tokens[min(self.at + distance, len(self.tokens) - 1)]

    def is_mark(self, text: str, distance: int = 0) -> bool:
        """Whether that token is the mark ``text``."""
        token = self.ahead(distance)
        return token.kind in self.marks and token.text == text

    def skip(self, text: str) -> bool:
        """Pass the mark ``text`` if it is next."""
        found = self.is_mark(text)
        self.at += found
        return found

    def expect(self, text: str, where: str) -> None:
        """Pass the mark ``text``, which must be next."""
        if not self.skip(text):
            raise self.fail(f"'{text}' is missing {where}, before {self.token}", f"write '{text}' there")

    @contextmanager
    def recovering(self, recover: Callable[[], None]) -> Iterator[None]:
        """Catch errors of the parsing within, then skip by ``recover``; at least one token is passed."""
        begin = self.at
        try:
            yield
        except RefusedError:
            recover()
        if self.at == begin:
            self.at += 1

    def fail(self, cause: str, remedy: str) -> RefusedError:
        """Report an error at the next token, unless the lexer has reported it; the exception for the caller to raise."""
        raise NotImplementedError
