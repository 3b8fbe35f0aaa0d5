# SPDX-License-Identifier: Apache-2.0
"""From the bytes of an SVD file to its elements, each with its line and column.

The parser is Python's own expat.  A document type declaration ends the reading at its place, so that no entity is ever
declared, and none expanded or fetched.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from carillon.diagnostics import Diagnostics, Span
from carillon.read.text import UnreadError, read_bytes
from carillon.units import shorten

LONGEST_FILE = 64 * 2**20
MOST_LEVELS = 100
_ROOT = "device"
_SKIPPED = frozenset({"fields", "vendorExtensions", "enumeratedValues"})
"""Elements that say nothing about a board, and are most of a file."""


@dataclass(slots=True)
class Element:
    """An element: its name, attributes and text without white space around it, and its place."""

    name: str
    span: Span
    attributes: dict[str, str]
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def child(self, name: str) -> Element | None:
        """The first child of that name."""
        return next((child for child in self.children if child.name == name), None)

    def below(self, *names: str) -> list[Element]:
        """The elements that are reached by these names, one below the other."""
        found = [self]
        for name in names:
            found = [child for element in found for child in element.children if child.name == name]
        return found


class _RefusedError(Exception):
    """Ends the reading of a file that was reported."""


def read_elements(path: Path, diagnostics: Diagnostics) -> Element | None:
    """The root of an SVD file.

    None after C010 (it cannot be read) or C306 (no XML, no SVD, a document type declaration, or nested too deeply).
    """
    try:
        content = read_bytes(path, "SVD", ".svd", LONGEST_FILE)
    except UnreadError as unread:
        diagnostics.error("C010", Span(str(path)), unread.cause, unread.remedy)
        return None
    return _Reader(str(path), diagnostics).run(content)


class _Reader:
    """Reads one file; ``open`` are the elements around the place, ``skipping`` counts those of a skipped one."""

    def __init__(self, file: str, diagnostics: Diagnostics) -> None:
        self.file, self.diagnostics = file, diagnostics
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.root: Element | None = None
        self.open: list[Element] = []
        self.skipping = 0

    def run(self, content: bytes) -> Element | None:
        try:
            self.parser.Parse(content, True)
        except _RefusedError:
            return None
        except expat.ExpatError as error:
            said = expat.errors.messages.get(error.code, "a fault of syntax")
            span = Span(self.file, error.lineno, error.offset + 1)
            remedy = "name the .svd file of the chip's vendor, as it was downloaded"
            self.diagnostics.error("C306", span, f"the file is not well-formed XML: {said}", remedy)
            return None
        except (ValueError, LookupError) as error:  # an encoding that Python does not have
            cause = f"the file's encoding cannot be read: {shorten(str(error))}"
            self.diagnostics.error("C306", Span(self.file), cause, "save the file in the encoding UTF-8")
            return None
        return self.root

    def here(self) -> Span:
        return Span(self.file, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)

    def refuse(self, cause: str, remedy: str) -> None:
        self.diagnostics.error("C306", self.here(), cause, remedy)
        raise _RefusedError

    def doctype(self, name: str, system: str | None, public: str | None, internal: bool) -> None:  # noqa: ARG002 (expat's)
        cause = "the file has a document type declaration"
        self.refuse(cause, "remove it: SVD needs none, and Carillon expands no entities and fetches no other files")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self.skipping or name in _SKIPPED:
            self.skipping += 1
            if self.skipping > MOST_LEVELS:
                self.refuse(f"elements are nested more than {MOST_LEVELS} levels deep", "no description of a chip needs so many")
            return
        if self.root is None and name != _ROOT:
            cause = f"the file is no SVD file: it begins with <{shorten(name)[1:-1]}>, not with <{_ROOT}>"
            self.refuse(cause, "name the .svd file of the chip")
        element = Element(name, self.here(), attributes)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)
        if len(self.open) > MOST_LEVELS:
            self.refuse(f"elements are nested more than {MOST_LEVELS} levels deep", "no description of a chip needs so many")

    def text(self, data: str) -> None:
        if self.open and not self.skipping:
            self.open[-1].text += data

    def end(self, name: str) -> None:  # noqa: ARG002 (expat's)
        if self.skipping:
            self.skipping -= 1
        else:
            element = self.open.pop()
            element.text = element.text.strip()
