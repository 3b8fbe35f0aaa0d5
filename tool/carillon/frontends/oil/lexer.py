# SPDX-License-Identifier: Apache-2.0
"""From OIL files to tokens: comments go, ``#include`` is followed, and every token knows its file and place.

An include may stand anywhere between two tokens, so that a file may hold a part of an object.  Files are read as
UTF-8, or else as ISO 8859-1, which OIL 2.5 prescribes; nothing outside comments and strings needs either.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from carillon.diagnostics import Diagnostics, Limited, Lines, Span
from carillon.read.text import UnreadError, read_bytes
from carillon.read.tokens import Kind, Token
from carillon.units import shorten

MOST_INCLUDES = 200
MOST_INCLUDE_LEVELS = 20
MOST_TOKENS = 1_000_000
MOST_ERRORS = 50
_LONGEST_NUMBER = 30
_LONGEST_DESCRIPTION = 100  # lines

_TOKEN = re.compile(
    r"""(?P<space>[ \t\n\f\v]+)
    |(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<unclosed>/\*)
    |(?P<quote>")
    |(?P<include>\#[ \t]*include[ \t]*(?:"(?P<quoted>[^"\n]*)"|<(?P<angled>[^>\n]*)>)[ \t]*;?)
    |(?P<directive>\#[^\n]*)
    |(?P<number>[+-]?(?:0[xX][0-9A-Fa-f]+|[0-9]+(?:\.(?!\.)[0-9]*)?(?:[eE][+-]?[0-9]+)?)(?P<tail>[A-Za-z0-9_]*))
    |(?P<name>[A-Za-z_\x80-\U0010ffff][A-Za-z0-9_\x80-\U0010ffff]*)
    |(?P<mark>\.\.|[{}\[\]=;:,])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_STRING = re.compile(r'"((?:[^"\\\n]|\\[^\n])*)"')
_PLAIN_STRING = re.compile(r'"([^"\n]*)"')
_ESCAPE = re.compile(r"\\([\"\\])")


@dataclass
class _Source:
    """A file that is being read.

    ``span`` is the place of a character, ``at`` how far it is read; strings up to ``plain`` are without escapes.
    """

    path: Path
    span: Callable[[int], Span]
    text: str
    at: int = 0
    plain: int = -1


class Lexer(Limited):
    """Reads a file and its includes.  After :meth:`run`, ``digest`` is the SHA-256 of all their bytes."""

    def __init__(self, path: Path, diagnostics: Diagnostics, includes: Sequence[Path] = ()) -> None:
        """``includes``: folders in which includes are looked for at last.  ``unclosed``: a comment goes on to the end.

        ``multiline``: the line on which each token begins that is a string of several lines.
        """
        super().__init__(diagnostics, MOST_ERRORS)
        self.path = path
        self.folders = tuple(includes)
        self.tokens: list[Token] = []
        self.included: dict[Path, None] = {}
        self.unclosed = False
        self.multiline: dict[int, int] = {}
        self._includes = 0
        self._hash = hashlib.sha256()
        self._stack: list[_Source] = []

    @property
    def digest(self) -> str:
        """The SHA-256 of the bytes of all files, in hexadecimal."""
        return self._hash.hexdigest()

    def run(self) -> list[Token] | None:
        """All tokens, the last of them the end; None, after C010, if the file cannot be read."""
        main = Span(str(self.path))
        text = self._load(self.path, main, "C010")
        if text is None:
            return None
        self._push(self.path, str(self.path), text)
        end = main
        while self._stack:
            source = self._stack[-1]
            if source.at >= len(source.text):
                end = source.span(len(source.text))
                self._stack.pop()
            elif len(self.tokens) >= MOST_TOKENS:
                self.error("C140", source.span(source.at), f"more than {MOST_TOKENS} words", "an application has fewer")
                end = source.span(source.at)
                break
            else:
                self._next(source)
        self.tokens.append(Token(Kind.END, "", end, end))
        return self.tokens

    def _push(self, path: Path, name: str, text: str) -> None:
        self._stack.append(_Source(path, Lines(text, name).span, text))

    def _load(self, path: Path, span: Span, code: str) -> str | None:
        """The text of a file with line ends of one character; None after a diagnostic at ``span``."""
        try:
            content = read_bytes(path, "OIL", ".oil")
            if 0 in content:
                cause = f"{shorten(str(path))} holds a NUL character"
                raise UnreadError(cause, "an OIL file is a text file: is it the right one?")
        except UnreadError as unread:
            self.error(code, span, unread.cause, unread.remedy)
            return None
        self._hash.update(len(content).to_bytes(8, "little") + content)
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("latin-1")
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def _next(self, source: _Source) -> None:
        begin = source.at
        match = _TOKEN.match(source.text, begin)
        assert match is not None
        source.at = match.end()
        kind, text = match.lastgroup, match[0]
        if kind in ("space", "comment"):
            return
        span = source.span(begin)
        match kind:
            case "unclosed":
                source.at = len(source.text)
                self.unclosed = True
                self.error("C141", span, "this comment is not closed", "end it with '*/', or begin it with '//'")
            case "quote":
                self._quoted(source, begin, span)
            case "include":
                self._include(source, span, match["quoted"], match["angled"])
            case "directive":
                word = text.split()[0] if text != "#" else text
                cause = (
                    f"the line {shorten(text.strip())} is not understood"
                    if "include" in text
                    else f"OIL has no directive {shorten(word)}"
                )
                self.error("C142", span, cause, 'the only one is #include "FILE" or #include <FILE>')
            case "number":
                self._number(span, source.span(match.end()), text, match["tail"])
            case "name" if not text.isascii():
                self.error("C140", span, f"{shorten(text)} is no name", "a name consists of the letters A to Z, digits and '_'")
                self._bad(text, span, source.span(match.end()))
            case "name":
                self.tokens.append(Token(Kind.NAME, text, span, source.span(match.end())))
            case "mark":
                self.tokens.append(Token(Kind.MARK, text, span, source.span(match.end())))
            case _:
                self.error("C140", span, f"the character {shorten(text)} has no place here", "remove it, or put it into a string")
                self._bad(text, span, source.span(match.end()))

    def _bad(self, text: str, span: Span, last: Span) -> None:
        if not self.tokens or self.tokens[-1].kind is not Kind.BAD or self.tokens[-1].span.line != span.line:
            self.tokens.append(Token(Kind.BAD, text, span, last))

    def _string(self, source: _Source, begin: int, end: int, content: str) -> None:
        self.tokens.append(Token(Kind.STRING, _ESCAPE.sub(r"\1", content), source.span(begin), source.span(end)))

    def _quoted(self, source: _Source, begin: int, span: Span) -> None:
        """A string; where its line makes no sense with escapes, as with a Windows path, there are none."""
        match = _STRING.match(source.text, begin) if begin >= source.plain else None
        end = source.text.find("\n", begin)
        line_end = end if end >= 0 else len(source.text)
        if match is None:
            source.plain = line_end
            match = _PLAIN_STRING.match(source.text, begin)
        if match is None:
            self._open_string(source, begin, span, line_end)
        else:
            source.at = match.end()
            self._string(source, begin, source.at, match[1])

    def _open_string(self, source: _Source, begin: int, span: Span, line_end: int) -> None:
        """A string that does not end on its line; a description may continue on the next lines."""
        if self.tokens and self.tokens[-1].kind is Kind.MARK and self.tokens[-1].text == ":":
            closing = source.text.find('"', line_end)
            if closing >= 0 and source.text.count("\n", begin, closing) <= _LONGEST_DESCRIPTION:
                self.multiline[len(self.tokens)] = span.line
                source.at = closing + 1
                self._string(source, begin, source.at, source.text[begin + 1 : closing])
                return
        self.error("C141", span, "this string is not closed", "end it with '\"' on the same line")
        # The string ends before the line's first mark that could end the statement.
        mark = re.compile("[;}]").search(source.text, begin, line_end)
        source.at = mark.start() if mark else line_end
        self._bad(source.text[begin : source.at], span, source.span(source.at))

    def _number(self, span: Span, last: Span, text: str, tail: str) -> None:
        if tail:
            remedy = "write a number: 250, 0xFA, -3 or 0.001"
            if re.fullmatch(r"[num]?s|[kM]?Hz", tail):
                remedy += "; numbers have no unit in OIL"
            self.error("C140", span, f"{shorten(text)} is neither a number nor a name", remedy)
        elif len(text) > _LONGEST_NUMBER:
            self.error("C140", span, f"the number {shorten(text)} has too many digits", "OIL's numbers have at most 64 bits")
        elif _exponent(text) > _LONGEST_NUMBER:
            self.error("C140", span, f"the number {shorten(text)} is too large or too small", "write it with a smaller exponent")
        else:
            hexadecimal = text.lstrip("+-")[:2] in ("0x", "0X")
            decimal = not hexadecimal and any(c in text for c in ".eE")
            self.tokens.append(Token(Kind.FLOAT if decimal else Kind.INTEGER, text, span, last))
            return
        self._bad(text, span, last)

    def _include(self, source: _Source, span: Span, quoted: str | None, angled: str | None) -> None:
        written = quoted if quoted is not None else angled or ""
        if not written.strip():
            self.error("C142", span, "this include names no file", 'write #include "FILE"')
            return
        if "\\" in written and "/" not in written:
            written = written.replace("\\", "/")
        folders = [source.path.parent, self.path.parent, *self.folders]
        path = next((folder / written for folder in folders if _is_file(folder / written)), None)
        if path is None:
            remedy = (
                "includes are looked for beside the file that includes them, beside the main file, and in the folders of -I; "
                "if it holds another tool's implementation definition, remove the line: Carillon has its own"
            )
            self.error("C142", span, f"there is no file {shorten(written)} to include", remedy)
            return
        self._includes += 1
        if any(_same(path, open_.path) for open_ in self._stack):
            self.error("C142", span, f"{shorten(written)} includes itself", "remove one of the includes that lead back to it")
        elif len(self._stack) > MOST_INCLUDE_LEVELS:
            cause = f"includes are nested more than {MOST_INCLUDE_LEVELS} levels deep"
            self.error("C142", span, cause, "include fewer files in files")
        elif self._includes > MOST_INCLUDES:
            if self._includes == MOST_INCLUDES + 1:
                self.error("C142", span, f"more than {MOST_INCLUDES} includes", "include every file once")
        else:
            text = self._load(path, span, "C142")
            if text is not None:
                self.included[path] = None
                self._push(path, str(path), text)


def _exponent(text: str) -> int:
    match = re.search(r"[eE]([+-]?[0-9]+)$", text)
    return abs(int(match[1])) if match and text.lstrip("+-")[:2] not in ("0x", "0X") else 0


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
