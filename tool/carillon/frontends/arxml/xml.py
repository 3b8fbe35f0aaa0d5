# SPDX-License-Identifier: Apache-2.0
"""From the bytes of an ARXML file to the elements of its ``Os`` module, each with its line and column.

What is not part of an ``Os`` module is skipped while it is read: a configuration of a
whole ECU takes no more memory than its bytes.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from carillon.diagnostics import Diagnostics, Span
from carillon.frontends.arxml import names
from carillon.frontends.arxml.names import RELEASES, Release, release_of
from carillon.read.text import UnreadError, read_bytes
from carillon.read.xml import LONGEST_FILE, XmlReader
from carillon.units import shorten

MOST_LEVELS = 200
MODULE = "Os"
_ROOT = "AUTOSAR"
_SEPARATOR = " "


@dataclass(slots=True)
class Element:
    """An element: its name without namespace, its text without surrounding white space, and the places of both."""

    name: str
    span: Span
    text: str = ""
    text_span: Span | None = None
    children: list[Element] = field(default_factory=list)

    def child(self, name: str) -> Element | None:
        """The first child of that name."""
        return next((child for child in self.children if child.name == name), None)

    def all(self, *wanted: str) -> list[Element]:
        """The children of those names."""
        return [child for child in self.children if child.name in wanted]

    @property
    def value_span(self) -> Span:
        """The place of the text, or of the element if there is no text."""
        return self.text_span or self.span


@dataclass(slots=True)
class Document:
    """The ``Os`` modules of one file with the packages around each, and the SHA-256 of the file."""

    release: Release
    modules: list[tuple[tuple[str, ...], Element]]
    digest: str


def read_document(path: Path, diagnostics: Diagnostics) -> Document | None:
    """Read one file.

    None after C010 (it cannot be read), C211 (not well-formed), C212 (a document type declaration, or nested too deeply)
    or C213 (no AUTOSAR file of a release that Carillon reads).
    """
    try:
        content = read_bytes(path, "ARXML", ".arxml", LONGEST_FILE)
    except UnreadError as unread:
        diagnostics.error("C010", Span(str(path)), unread.cause, unread.remedy)
        return None
    return _Reader(str(path), diagnostics).run(content)


class _Reader(XmlReader):
    """Reads one file.

    ``open`` are the elements around the place, ``built`` those of them that belong to a module.  ``skipping`` is the depth of the
    module that is passed over, 0 if none is.
    """

    language, malformed_code, refused_code = "ARXML", "C211", "C212"
    remedy = "correct it there, or let the tool that wrote the file write it again"

    def __init__(self, file: str, diagnostics: Diagnostics) -> None:
        super().__init__(file, diagnostics, _SEPARATOR)
        self.open: list[tuple[str, Span]] = []
        self.packages: list[str] = []
        self.built: list[Element] = []
        self.parts: list[str] = []
        self.skipping = 0
        self.in_short_name = False
        self.modules: list[tuple[tuple[str, ...], Element]] = []
        self.release: Release | None = None
        self.namespace = ""

    def run(self, content: bytes) -> Document | None:
        if not self.parse(content):
            return None
        assert self.release is not None
        return Document(self.release, self.modules, hashlib.sha256(content).hexdigest())

    def innermost(self) -> tuple[str, Span] | None:
        return self.open[-1] if self.open else None

    def start(self, name: str, attributes: dict[str, str]) -> None:  # noqa: ARG002 (expat's)
        namespace, _, local = name.rpartition(_SEPARATOR)
        span = self.here()
        if not self.open:
            self.root(namespace, local, span)
        elif namespace != self.namespace:
            local = ""  # another language's, in which nothing is looked for
        self.open.append((local, span))
        if len(self.open) > MOST_LEVELS:
            cause = f"elements are nested more than {MOST_LEVELS} levels deep"
            self.refuse("C212", span, cause, "no ECU configuration needs so many")
        if self.skipping:
            return
        if self.built:
            element = Element(local, span)
            self.built[-1].children.append(element)
            self.built.append(element)
            self.parts = []
        elif self.release is not None and local == self.release.module:
            self.built.append(Element(local, span))
        elif local == names.PACKAGE:
            self.packages.append("")
        elif local == names.SHORT_NAME and len(self.open) > 1 and self.open[-2][0] == names.PACKAGE:
            self.in_short_name, self.parts = True, []

    def root(self, namespace: str, local: str, span: Span) -> None:
        self.namespace = namespace
        self.release = release_of(namespace) if local == _ROOT else None
        if self.release is not None:
            return
        listed = " and ".join(release.name for release in reversed(RELEASES))
        if local != _ROOT:
            cause, remedy = f"the file is no AUTOSAR file: it begins with <{shorten(local)[1:-1]}>", "name the .arxml file"
        elif namespace:
            cause = f"{shorten(namespace)} is no release of AUTOSAR that Carillon reads"
            remedy = f"it reads {listed}; most tools can write http://autosar.org/schema/r4.0"
        else:
            cause = "<AUTOSAR> does not say which release it is of"
            remedy = 'name the namespace of the release: <AUTOSAR xmlns="http://autosar.org/schema/r4.0">'
        self.refuse("C213", span, cause, remedy)

    def text(self, data: str) -> None:
        if self.in_short_name:
            self.parts.append(data)
        elif self.built and (self.parts or not data.isspace()):
            element = self.built[-1]
            if element.text_span is None:
                where = self.here()
                element.text_span = Span(self.file, where.line, where.column + len(data) - len(data.lstrip()))
            self.parts.append(data)

    def end(self, name: str) -> None:  # noqa: ARG002 (expat's)
        local, _ = self.open.pop()
        if self.skipping:
            if len(self.open) < self.skipping:
                self.skipping = 0
        elif self.built:
            element = self.built.pop()
            element.text, self.parts = "".join(self.parts).strip(), []
            if not self.built:
                if _is_os(element):
                    self.modules.append((tuple(self.packages), element))
            elif local == names.DEFINITION and len(self.built) == 1 and last(element.text) != MODULE:
                self.built, self.skipping = [], len(self.open)
        elif self.in_short_name:
            self.packages[-1] = "".join(self.parts).strip()
            self.in_short_name = False
        elif local == names.PACKAGE:
            self.packages.pop()


def _is_os(module: Element) -> bool:
    """Whether a complete module is that of an operating system, or meant as such."""
    definition, name = module.child(names.DEFINITION), module.child(names.SHORT_NAME)
    return last(definition.text) == MODULE if definition is not None else name is not None and name.text == MODULE


def last(path: str) -> str:
    """The last element of a path."""
    return path.rpartition("/")[2].strip()
