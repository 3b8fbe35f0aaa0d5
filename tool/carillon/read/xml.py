# SPDX-License-Identifier: Apache-2.0
"""What the readers of XML files have in common: Python's own expat, places, and the files that are refused.

A document type declaration ends the reading at its place, so that no entity is ever declared, and none expanded or fetched.
"""

from __future__ import annotations

from typing import ClassVar, NoReturn
from xml.parsers import expat

from carillon.diagnostics import Diagnostics, Span
from carillon.read.text import conflict
from carillon.units import shorten

LONGEST_FILE = 64 * 2**20
"""Bytes."""


class _RefusedError(Exception):
    """Ends the reading of a file that was reported."""


class XmlReader:
    """Reads one file: a class for each language, which says what its elements mean.

    ``malformed_code`` is of a file that is no XML, ``refused_code`` of one with a document type declaration.
    """

    language: ClassVar[str]
    malformed_code: ClassVar[str]
    refused_code: ClassVar[str]
    remedy: ClassVar[str]
    """What to do about a file that is no XML."""

    def __init__(self, file: str, diagnostics: Diagnostics, separator: str | None = None) -> None:
        """``separator``: what stands between namespace and name; None: elements have the names that the file gives them."""
        self.file, self.diagnostics = file, diagnostics
        self.parser = expat.ParserCreate(namespace_separator=separator)
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.StartDoctypeDeclHandler = self.doctype

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        raise NotImplementedError

    def text(self, data: str) -> None:
        """Text, or a part of one, in the innermost element."""
        raise NotImplementedError

    def end(self, name: str) -> None:
        """The innermost element ends."""
        raise NotImplementedError

    def innermost(self) -> tuple[str, Span] | None:
        """The name and the place of the element that is open; None if there is none, or none that a remedy names."""
        return None

    def begun(self) -> bool:
        """Whether the file's first element has begun."""
        return self.innermost() is not None

    def parse(self, content: bytes) -> bool:
        """Read the whole file; False after an error."""
        left = conflict(content)
        if left is not None:
            self.diagnostics.error(self.malformed_code, Span(self.file, left[0], 1), left[1], left[2])
            return False
        try:
            self.parser.Parse(content, True)
        except _RefusedError:
            return False
        except expat.ExpatError as error:
            self._malformed(error)
            return False
        except (ValueError, LookupError) as error:  # an encoding that Python, or expat, does not have
            cause = f"the file's encoding cannot be read: {shorten(str(error))}"
            self.diagnostics.error(self.malformed_code, Span(self.file), cause, "save the file in the encoding UTF-8")
            return False
        return True

    def here(self) -> Span:
        """Where the parser is."""
        return Span(self.file, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)

    def refuse(self, code: str, span: Span, cause: str, remedy: str) -> NoReturn:
        """Report an error, and end the reading."""
        self.diagnostics.error(code, span, cause, remedy)
        raise _RefusedError

    def doctype(self, name: str, system: str | None, public: str | None, internal: bool) -> None:  # noqa: ARG002 (expat's)
        """A document type declaration begins."""
        remedy = f"remove it: {self.language} needs none, and Carillon expands no entities and fetches no other files"
        self.refuse(self.refused_code, self.here(), "the file has a document type declaration", remedy)

    def _malformed(self, error: expat.ExpatError) -> None:
        said, remedy = expat.errors.messages.get(error.code, "a fault of syntax"), self.remedy
        opened = self.innermost()
        if said == expat.errors.XML_ERROR_NO_ELEMENTS:
            said = "it ends before its last element does" if opened or self.begun() else "it holds no element"
        elif said == expat.errors.XML_ERROR_UNCLOSED_TOKEN:
            said = "it ends within a tag, a comment or a reference"
        if opened and said != expat.errors.XML_ERROR_UNDEFINED_ENTITY:
            name, begun = opened
            remedy = f"<{name}> of line {begun.line} is still open: close it with </{name}>, or {remedy}"
        span = Span(self.file, error.lineno, error.offset + 1)
        self.diagnostics.error(self.malformed_code, span, f"the file is not well-formed XML: {said}", remedy)
