# SPDX-License-Identifier: Apache-2.0
"""From the text of a Giotto program to its words."""

from __future__ import annotations

import re

from carillon.diagnostics import Diagnostics, Limited, Lines
from carillon.read.tokens import Kind, Token
from carillon.units import shorten

MOST_ERRORS = 100
MOST_WORDS = 500_000
LONGEST_NAME = 200
_WORD = re.compile(
    r"""(?P<space>[ \t\r\n\f]+)
    |(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<unclosed>/\*)
    |(?P<annotation>\[[^\[\]]*\])
    |(?P<bracket>\[)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)
    |(?P<number>[0-9][A-Za-z0-9_.]*)
    |(?P<mark>:=|[(){},;])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)


class Lexer(Limited):
    """Makes words; every error of the reader is reported here, which counts them."""

    def __init__(self, content: str, file: str, diagnostics: Diagnostics) -> None:
        super().__init__(diagnostics, MOST_ERRORS)
        self.content = content
        self.file = file
        self.span = Lines(content, file).span

    def words(self) -> list[Token]:
        """All words, the last of them the end."""
        found: list[Token] = []
        at = 0
        while at < len(self.content):
            match = _WORD.match(self.content, at)
            assert match is not None
            begin, at = at, match.end()
            kind, text = match.lastgroup, match[0]
            if kind in ("space", "comment"):
                continue
            if len(found) >= MOST_WORDS:
                self.error("C250", self.span(begin), f"more than {MOST_WORDS} words", "a program has fewer")
                at = begin
                break
            if kind in ("unclosed", "bracket"):
                what, end = ("this comment", "'*/'") if kind == "unclosed" else ("this annotation", "']'")
                self.error("C251", self.span(begin), f"{what} is not closed", f"end it with {end}")
                if kind == "unclosed":
                    at = len(self.content)
                continue
            known = {"name": Kind.NAME, "number": Kind.INTEGER, "mark": Kind.MARK, "annotation": Kind.ANNOTATION}
            word = Token(known.get(kind or "", Kind.BAD), text, self.span(begin), self.span(at))
            if word.kind is Kind.NAME and len(text) > LONGEST_NAME:
                self.error("C250", word.span, f"the name {shorten(text)} has more than {LONGEST_NAME} characters", "shorten it")
                word = Token(Kind.BAD, text, word.span, word.last)
            elif word.kind is Kind.BAD:
                if found and found[-1].kind is Kind.BAD and found[-1].span.line == word.span.line:
                    continue
                remedy = "write ':='" if text in ":=" else "remove it; names have letters, digits, '_', and points within"
                self.error("C250", word.span, f"the character {shorten(text)} has no place here", remedy)
            found.append(word)
        last = self.span(at)
        found.append(Token(Kind.END, "", last, last))
        return found
