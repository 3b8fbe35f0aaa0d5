# SPDX-License-Identifier: Apache-2.0
"""From bytes to TOML data: encoding, size, syntax, and names defined twice."""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from carillon.diagnostics import Diagnostics, Span
from carillon.read.spans import SpanIndex, index
from carillon.units import shorten

LONGEST_FILE = 8 * 2**20
LONGEST_KEY = 100
_MOST_SYNTAX_ERRORS = 5
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_KEY_TOKEN = re.compile(r"""\#[^\n]*|"[^"\n]*"|'[^'\n]*'|[A-Za-z0-9_-]+|[ \t]+|\.|.""", re.DOTALL)
_TWICE = ("Cannot overwrite", "Cannot declare", "Cannot mutate", "Cannot redefine", "Duplicate inline table key")
_REMEDIES = {
    "Invalid value": "a value is a string in quotes, a number, true, false, an array or a table",
    "Unclosed array": "separate the elements by commas and close the array with ']'",
    "Unclosed inline table": "an inline table { ... } stands on one line, its pairs separated by commas",
    "Unterminated string": "close the string with a quote",
    "Expected \"'": "close the string with a quote, on the line on which it begins unless it has three",
    "Found invalid character": "a string ends on the line on which it begins; control characters must be escaped",
    "Expected newline": "put a value that has a unit, or a text, in quotes, and one key on each line",
    "Expected '=' after a key": "write key = value; a key with other characters than letters, digits, '_' and '-' needs quotes",
    "Expected ']' at the end": "close the header with ']': [task.NAME]",
    "Expected ']]' at the end": "close the header with ']]'",
    "Invalid statement": "a line holds key = value, a [header] or a # comment",
    "Invalid initial character for a key part": "a key consists of letters, digits, '_' and '-'; other keys need quotes",
    "Illegal character": "a string ends on the line on which it begins; control characters must be escaped",
    "Unescaped '\\'": "write '\\\\' for a backslash",
}


@dataclass(frozen=True, slots=True)
class Text:
    """A file's bytes, decoded, and their SHA-256 in hexadecimal."""

    content: str
    digest: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file's data, and where each of them stands."""

    data: dict[str, Any]
    places: SpanIndex


@dataclass(frozen=True, slots=True)
class _Extent:
    """Where an error that tree-sitter found begins and ends."""

    start: Span
    end: Span


class UnreadError(Exception):
    """A file cannot be read: why, and what would help."""

    def __init__(self, cause: str, remedy: str) -> None:
        super().__init__(cause)
        self.cause, self.remedy = cause, remedy


def read_bytes(path: Path, kind: str, suffix: str, longest: int = LONGEST_FILE) -> bytes:
    """The bytes of an ordinary file of at most ``longest``, which messages call a ``kind``; raises UnreadError."""
    name = shorten(str(path))
    try:
        if path.is_dir():
            raise UnreadError(f"{name} is a folder, and no {kind} file", f"name the {suffix} file in it")
        if not path.exists():
            how = ", or create a schedule with 'carillon new'" if kind == "schedule" else ""
            raise UnreadError(f"there is no file {name}", f"check the path{how}")
        if not path.is_file():
            raise UnreadError(f"{name} is no ordinary file", f"name a {suffix} file")
        with path.open("rb") as file:
            content = file.read(longest + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadError(f"{name} cannot be read: {reason}", "check the path and its permissions") from error
    if len(content) > longest:
        raise UnreadError(f"{name} is longer than {longest} bytes", f"name the right file: no {kind} file is so long")
    return content


def conflict(content: bytes) -> tuple[int, str, str] | None:
    """Where a conflict begins that a tool for versions has left in a file, as a line; and what to say of it."""
    begin, end = (re.search(rb"^" + mark * 7 + rb"(?: |\r?$)", content, re.MULTILINE) for mark in (b"<", b">"))
    if begin is None or end is None or end.start() < begin.start():
        return None
    line, last = (content.count(b"\n", 0, at.start()) + 1 for at in (begin, end))
    cause = f"the file has a conflict between two versions, from '<<<<<<<' to '>>>>>>>' in line {last}"
    return line, cause, "keep one of the versions, or of each what is right, and remove the lines with the marks"


def read_text(path: Path, diagnostics: Diagnostics, kind: str = "schedule", suffix: str = ".toml") -> Text | None:
    """The content of ``path``; None and C010 if it cannot be read as a text of at most 8 MiB in UTF-8 without BOM.

    Messages call it a ``kind``, whose files' names end with ``suffix``.
    """
    where = Span(str(path))
    try:
        content = read_bytes(path, kind, suffix)
        if content.startswith(b"\xef\xbb\xbf"):
            raise UnreadError("the file begins with a byte order mark", "save it as UTF-8 without BOM")
        try:
            decoded = content.decode("utf-8")
        except UnicodeDecodeError as error:
            where = _place(str(path), content, error.start)
            cause = f"byte 0x{content[error.start]:02x} is not UTF-8"
            raise UnreadError(cause, "save the file in the encoding UTF-8") from error
        zero = content.find(0)
        if zero >= 0:
            where = _place(str(path), content, zero)
            raise UnreadError("the file holds a NUL character", f"a {kind} is a text file: remove it")
        left = conflict(content)
        if left is not None:
            where = Span(str(path), left[0], 1)
            raise UnreadError(left[1], left[2])
    except UnreadError as unread:
        diagnostics.error("C010", where, unread.cause, unread.remedy)
        return None
    return Text(decoded, hashlib.sha256(content).hexdigest())


def read_toml(path: Path, diagnostics: Diagnostics) -> Parsed | None:
    """The data of a TOML file; None after what :func:`read_text` and :func:`parse_toml` report."""
    text = read_text(path, diagnostics)
    return None if text is None else parse_toml(text, str(path), diagnostics)


def parse_toml(text: Text, file: str, diagnostics: Diagnostics) -> Parsed | None:
    """The data of a TOML text and their places; None, and C010, C011 or C012, if it is malformed.

    Reports several syntax errors where that is safe. A wrong line is blanked and the rest parsed again. A further error counts
    only if tree-sitter, too, finds one on its line.
    """
    content = text.content
    if _has_long_key(content, file, diagnostics):
        return None
    places = index(content.encode(), file)
    errors = [_Extent(places.span(error.start), places.span(error.end)) for error in places.errors[:1000]]
    reported: set[int] = set()
    while True:
        try:
            data = tomllib.loads(content)
        except RecursionError:
            if not reported:
                cause = "arrays or tables are nested too deeply"
                diagnostics.error("C010", Span(file), cause, "a schedule needs no more than four levels")
            return None
        except ValueError as error:
            again = _syntax(error, places, content, diagnostics, reported, errors)
            if again is None:
                return None
            content = again
        else:
            return None if reported else Parsed(data, places)


def _syntax(
    error: ValueError,
    places: SpanIndex,
    content: str,
    diagnostics: Diagnostics,
    reported: set[int],
    errors: list[_Extent],
) -> str | None:
    """Report a syntax error; returns the text to look for further errors in, or None."""
    message = str(error)
    match = _PLACE.search(message)
    if match is None:  # not about syntax: an integer with more digits than Python converts
        if not reported:
            cause = "a number has too many digits"
            diagnostics.error("C011", Span(places.file), cause, 'write times as strings with a unit, for example "250us"')
        return None
    sentence = message[: match.start()]
    lines = content.split("\n")
    line, column = (int(match[1]), int(match[2])) if match[1] else (len(lines), len(lines[-1]) + 1)
    twice = sentence.startswith(_TWICE)
    if twice:
        line = _report_twice(sentence, Span(places.file, line, column), places, diagnostics)
    else:
        fresh = [e for e in errors if not any(e.start.line <= known <= e.end.line for known in reported)]
        around = next((e for e in fresh if e.start.line <= line <= e.end.line), None)
        if reported and around is None:
            return None  # one parser does not see the error, or the error follows from a reported one
        cause = f"not valid TOML: {sentence[:1].lower()}{sentence[1:]}"
        remedy = next((r for start, r in _REMEDIES.items() if sentence.startswith(start)), "TOML's rules are at https://toml.io")
        if sentence.startswith("Invalid initial") and column > len(lines[line - 1]) and "{" in lines[line - 1]:
            remedy = _REMEDIES["Unclosed inline table"]
        if not match[1] and around is not None:
            line, column = around.start.line, around.start.column
            cause += " before the end of the file; what is not closed begins here"
        elif sentence == "Invalid value" and around is not None and around.start.line < line:
            remedy += f"; is the array that begins on line {around.start.line} closed?"
        diagnostics.error("C011", Span(places.file, line, column), cause, remedy)
    if line in reported or len(reported) >= _MOST_SYNTAX_ERRORS:
        return None
    reported.add(line)
    header = lines[line - 1].lstrip().startswith("[")
    lines[line - 1] = f"[carillon-{len(reported)}]" if header else ""
    return "\n".join(lines)


def _report_twice(sentence: str, span: Span, places: SpanIndex, diagnostics: Diagnostics) -> int:
    """Report a key or table that is defined twice; returns the line of the second definition."""
    spans = [(places.span(d.second.start), d) for d in places.duplicates]
    here = [(s, d) for s, d in spans if s.line == span.line] or [(s, d) for s, d in spans if s.line < span.line]
    if not here:
        cause = f"a name is defined twice: {sentence[:1].lower()}{sentence[1:]}"
        diagnostics.error("C012", span, cause, "define every table and key once")
        return span.line
    second, duplicate = here[-1] if here[-1][0].line != span.line else here[0]
    first = places.span(duplicate.first.start)
    name = ".".join(str(part) for part in duplicate.path)
    cause = f"{shorten(name)} is defined twice; the first time on line {first.line}"
    diagnostics.error("C012", second, cause, "rename one of the two, or remove it")
    return second.line


def _has_long_key(content: str, file: str, diagnostics: Diagnostics) -> bool:
    """Whether a dotted key is too long for a schedule; reported, because tomllib needs quadratic time for it."""
    if content.count(".") <= LONGEST_KEY:
        return False
    dots = 0
    for token in _KEY_TOKEN.finditer(content):
        if token[0] == ".":
            dots += 1
            if dots > LONGEST_KEY:
                span = _place(file, content.encode(), len(content[: token.start()].encode()))
                cause = f"a key of more than {LONGEST_KEY} parts"
                diagnostics.error("C011", span, cause, "a schedule's keys have at most four parts")
                return True
        elif token[0][0] in "#=[]{},\n\r":
            dots = 0
    return False


def _place(file: str, content: bytes, offset: int) -> Span:
    start = content.rfind(b"\n", 0, offset) + 1
    return Span(file, content.count(b"\n", 0, offset) + 1, len(content[start:offset].decode("utf-8", "replace")) + 1)
