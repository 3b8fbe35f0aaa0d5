# SPDX-License-Identifier: Apache-2.0
"""Reading and writing ARXML: the ``Os`` module of an AUTOSAR ECU configuration, of releases 3.x and 4.x.

Bytes become elements (``xml``), containers of one module (``module``), and by a table (``table``) the tables of a schedule
file with a place for everything in them (``convert``).  By the same table a schedule is written (``write``).
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from carillon.diagnostics import Diagnostics
from carillon.frontends.arxml.convert import Converter
from carillon.frontends.arxml.module import Modules
from carillon.frontends.arxml.words import WORDS
from carillon.frontends.arxml.xml import read_document
from carillon.frontends.foreign.choices import application_name
from carillon.frontends.foreign.converted import Foreign, foreign_tables
from carillon.model.giotto import Machine
from carillon.read.build import application_sources
from carillon.read.shape import Tables
from carillon.sources import Source, files_of


def read_foreign(source: Source, diagnostics: Diagnostics, board: str | None = None) -> Foreign | None:
    """Read a file, the files of a folder, or several files as one; ``board`` overrides the board that they name.

    Never raises for anything that a file can hold.  None if a file is malformed, or there is not one ``Os`` module; after
    other errors the result is what is sound of it.
    """
    files = files_of(source)
    documents = [document for file in files if (document := read_document(file, diagnostics)) is not None]
    module = Modules(diagnostics).merge(documents, str(files[0])) if len(documents) == len(files) else None
    if module is None:
        return None

    def sources(written: str | None) -> list[str] | None:
        return application_sources(board, written, files[0].parent)

    is_folder = isinstance(source, Path) and files != [source]
    name = application_name(files[0].resolve().parent.name if is_folder else files[0].stem)
    converted = Converter(module, str(files[0]), diagnostics, sources).run(name)
    digests = [document.digest for document in documents]
    digest = digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()
    return Foreign(converted, digest, tuple(files[1:]), WORDS)


def read(source: Source, diagnostics: Diagnostics, board: str | None, _machine: Machine) -> Tables | None:
    """The tables of a file; None after errors of syntax."""
    foreign = read_foreign(source, diagnostics, board)
    return None if foreign is None else foreign_tables(foreign, diagnostics)
