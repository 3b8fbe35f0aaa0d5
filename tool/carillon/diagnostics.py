# SPDX-License-Identifier: Apache-2.0
"""Diagnostics: where something is wrong, what is wrong, what would be right, and a stable code.

Every pass collects its diagnostics in a :class:`Diagnostics` and goes on as far as it can, so that a
user sees all errors of a file at once.  A pass that cannot hand on a sound result calls
:meth:`Diagnostics.stop_on_errors`, which raises :class:`CarillonError` for the command line to print.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TypeVar

from carillon.mends import MENDS, NONE, Mend

T = TypeVar("T")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in a text file: 1-based line and column, as editors count them."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def beside(self, here: Span) -> str:
        """As a place in the text of a message about ``here``: its line, and its file if it is another."""
        return f"on line {self.line}" + ("" if self.file == here.file else f" of {self.file}")


class Lines:
    """Where the lines of a text begin, for the places of its characters."""

    def __init__(self, text: str, file: str) -> None:
        self._file = file
        self._begins = [0, *(match.end() for match in re.finditer("\n", text))]

    def span(self, at: int) -> Span:
        """The place of the character with that index."""
        line = bisect_right(self._begins, at)
        return Span(self._file, line, at - self._begins[line - 1] + 1)


class Severity(Enum):
    """How bad it is: an error stops the pipeline, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: ``code`` is documented by ``carillon explain CODE``; ``remedy`` says what would be right."""

    code: str
    span: Span | None
    cause: str
    remedy: str
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        place = f"{self.span}: " if self.span else ""
        return f"{place}{self.severity.value} {self.code}: {self.cause}\n  help: {self.remedy}"

    @property
    def mended_by(self) -> frozenset[Mend]:
        """What of it another try may mend."""
        return MENDS.get(self.code, NONE)

    def as_json(self) -> dict[str, object]:
        """The form that ``--json`` prints."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "file": self.span.file if self.span else None,
            "line": self.span.line if self.span else None,
            "column": self.span.column if self.span else None,
            "cause": self.cause,
            "remedy": self.remedy,
        }


class CarillonError(Exception):
    """Raised when a pass cannot go on; carries every diagnostic found so far, errors and warnings."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(d) for d in self.diagnostics))


@dataclass
class Diagnostics:
    """Collects findings in the order in which they stand in the file.

    ``speak`` puts a cause and a remedy into the words of the file that they are about.
    """

    reported: list[Diagnostic] = field(default_factory=list)
    speak: Callable[[str, str], tuple[str, str]] = field(default=lambda cause, remedy: (cause, remedy))
    _repeated: dict[Hashable, list[Diagnostic]] = field(default_factory=dict)

    def error(self, code: str, span: Span | None, cause: str, remedy: str) -> None:
        """Report something that makes the result unusable."""
        self._add(Diagnostic(code, span, *self.speak(cause, remedy)))

    def error_once(self, of: Hashable, code: str, span: Span, cause: str, remedy: str) -> None:
        """Report an error whose cause, ``of``, may show at several places: once, with the lines of the other places."""
        same = self._repeated.setdefault(of, [])
        if same:
            self.reported.remove(_with_lines(same))
        new = Diagnostic(code, span, *self.speak(cause, remedy))
        same += [] if new in same else [new]
        self.reported.append(_with_lines(same))

    def lacking(self, cause: str, packages: Iterable[str]) -> None:
        """Report a program or a library that is not installed (C092), and the Debian packages that bring it."""
        self.error("C092", None, cause, f"on Debian: apt-get install {' '.join(packages)}")

    def warning(self, code: str, span: Span | None, cause: str, remedy: str) -> None:
        """Report something that works but is probably not meant."""
        self._add(Diagnostic(code, span, *self.speak(cause, remedy), Severity.WARNING))

    def _add(self, diagnostic: Diagnostic) -> None:
        if diagnostic not in self.reported:
            self.reported.append(diagnostic)

    @property
    def errors(self) -> list[Diagnostic]:
        """The errors alone, by place."""
        return [d for d in self.in_order() if d.severity is Severity.ERROR]

    def in_order(self) -> list[Diagnostic]:
        """Everything found, sorted by place, then code; findings without a place come first."""
        return sorted(self.reported, key=lambda d: (d.span or Span("", 0, 0), d.code, d.cause))

    def stop_on_errors(self) -> None:
        """Raise :class:`CarillonError` if any error was reported."""
        if self.errors:
            raise CarillonError(self.in_order())

    def required(self, made: T | None) -> T:
        """What a pass has made, which is there unless it has reported errors; raises :class:`CarillonError` then."""
        self.stop_on_errors()
        assert made is not None
        return made


def _with_lines(same: list[Diagnostic]) -> Diagnostic:
    """The first in the file of several diagnostics, with the places of the others, of which at most three are named."""
    first, *others = sorted(same, key=lambda diagnostic: diagnostic.span or Span(""))
    assert first.span is not None
    lines = [f"{o.span.line}" if o.span.file == first.span.file else f"{o.span.file}:{o.span.line}" for o in others if o.span]
    named = list(dict.fromkeys(lines))[:3]
    more = len(dict.fromkeys(lines)) - len(named)
    also = f" (also on line{'s' * (len(named) > 1)} {', '.join(named)}{f' and {more} more' if more else ''})" if named else ""
    return replace(first, cause=first.cause + also)


def suggestion(word: str, known: Iterable[str]) -> str:
    """A phrase such as ``did you mean 'fuel'?``, or the list of known names if none is close."""
    names = sorted(set(known))
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    close = close or [name for name in names if len(word) > 3 and word.lower() in name.lower()]
    if close:
        return f"did you mean '{close[0]}'?"
    if names:
        shown = ", ".join(f"'{n}'" for n in names[:8])
        return f"known names are {shown}" + (", ..." if len(names) > 8 else "")
    return "nothing of that kind is defined"


def some(texts: Iterable[str], most: int) -> str:
    """The texts, each once, at most so many, and how many more there are."""
    unique = list(dict.fromkeys(texts))
    return ", ".join(unique[:most]) + (f" and {len(unique) - most} more" if len(unique) > most else "")


class Limited:
    """Reports errors of a file, at most ``most`` of them, and that there are more."""

    def __init__(self, diagnostics: Diagnostics, most: int) -> None:
        self.diagnostics = diagnostics
        self._most = most
        self._errors = 0

    @property
    def failed(self) -> bool:
        """Whether an error was reported."""
        return self._errors > 0

    def error(self, code: str, span: Span, cause: str, remedy: str) -> None:
        """Report an error, unless there are too many already."""
        self._errors += 1
        if self._errors <= self._most:
            self.diagnostics.error(code, span, cause, remedy)
        elif self._errors == self._most + 1:
            self.diagnostics.error(code, span, f"more than {self._most} errors; the rest is not shown", "correct these first")
