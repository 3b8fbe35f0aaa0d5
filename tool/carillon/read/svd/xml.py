# SPDX-License-Identifier: Apache-2.0
"""From the bytes of an SVD file to its elements, each with its line and column."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from carillon.diagnostics import Diagnostics, Span
from carillon.read.text import UnreadError, read_bytes
from carillon.read.xml import LONGEST_FILE, XmlReader
from carillon.units import shorten

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


class _Reader(XmlReader):
    """Reads one file; ``open`` are the elements around the place, ``skipping`` counts those of a skipped one."""

    language, malformed_code, refused_code = "SVD", "C306", "C306"
    remedy = "name the .svd file of the chip's vendor, as it was downloaded"

    def __init__(self, file: str, diagnostics: Diagnostics) -> None:
        super().__init__(file, diagnostics)
        self.root: Element | None = None
        self.open: list[Element] = []
        self.skipping = 0

    def run(self, content: bytes) -> Element | None:
        return self.root if self.parse(content) else None

    def innermost(self) -> tuple[str, Span] | None:
        return (self.open[-1].name, self.open[-1].span) if self.open and not self.skipping else None

    def begun(self) -> bool:
        return self.root is not None

    def too_deep(self) -> None:
        cause = f"elements are nested more than {MOST_LEVELS} levels deep"
        self.refuse("C306", self.here(), cause, "no description of a chip needs so many")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self.skipping or name in _SKIPPED:
            self.skipping += 1
            if self.skipping > MOST_LEVELS:
                self.too_deep()
            return
        if self.root is None and name != _ROOT:
            cause = f"the file is no SVD file: it begins with <{shorten(name)[1:-1]}>, not with <{_ROOT}>"
            self.refuse("C306", self.here(), cause, "name the .svd file of the chip")
        element = Element(name, self.here(), attributes)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)
        if len(self.open) > MOST_LEVELS:
            self.too_deep()

    def text(self, data: str) -> None:
        if self.open and not self.skipping:
            self.open[-1].text += data

    def end(self, name: str) -> None:  # noqa: ARG002 (expat's)
        if self.skipping:
            self.skipping -= 1
        else:
            element = self.open.pop()
            element.text = element.text.strip()
