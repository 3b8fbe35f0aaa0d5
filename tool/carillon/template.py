# SPDX-License-Identifier: Apache-2.0
"""The application that ``carillon new`` makes: a named template, the richest that the board carries, or what every board can."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path

from carillon.diagnostics import CarillonError, Diagnostic, Diagnostics
from carillon.resources import board_names, data_root

DEFAULT_BOARD = "ast1030-evb"

SCHEMA = "schedule.schema.json"
"""The schema that the schedule names for editors: beside it, so that it is found without a network and fits the tool."""

TEMPLATES: tuple[tuple[str, ...], ...] = (("new",), ("new", "one-task"))
"""From the richest to the smallest; each is folders of ``templates/``, where a file of a later one replaces an earlier's."""

_LICENCE = re.compile(r"\A(?:# SPDX-\S+ \S+\n|<!-- SPDX-\S+ \S+ -->\n|(/\* )SPDX-\S+ \S+\n \*\n \* )")
"""The licence of a template's file, in a comment of its own or at the beginning of one.  What is made of it is the user's."""

NAMED = {"blink": DEFAULT_BOARD, "motor": "stm32f4-discovery"}
"""Templates that are asked for by name, each with its default board."""


def fill(folder: Path, board: str | None, template: str | None = None) -> dict[str, str]:
    """The files of a new application in ``folder``: path in it -> text.

    ``template``: one of NAMED, or None: as the board can carry.
    ``board``: a name, or the way to a ``board.toml`` from the working directory; the files are the first template's of
    which the board can carry the plan.  Raises CarillonError with what the smallest lacks where it cannot carry that.
    None: the default board and the smallest, which every board carries.
    """
    if template is not None:
        board = NAMED[template] if board is None else board
    if board is None:
        return _files(TEMPLATES[-1], folder.name, DEFAULT_BOARD)
    from carillon.frontends.foreign.write import relative
    from carillon.pipeline import plan

    named = board if board in board_names() else relative(Path(board).resolve(), folder.resolve())
    refused: CarillonError | None = None
    for folders in TEMPLATES if template is None else ((template,),):
        files = _files(folders, folder.name, named)
        with tempfile.TemporaryDirectory(prefix="carillon-") as scratch:
            for name, text in files.items():
                (Path(scratch) / name).write_text(text, encoding="utf-8")
            try:
                plan(Path(scratch) / "schedule.toml", Diagnostics(), board)
            except CarillonError as error:
                refused = CarillonError(_placed(found, scratch, folder) for found in error.diagnostics)
            else:
                return files
    assert refused is not None
    raise refused


def _placed(found: Diagnostic, scratch: str, folder: Path) -> Diagnostic:
    """A finding in the scratch folder as one in the folder that was to be made."""
    if found.span is None or not Path(found.span.file).is_relative_to(scratch):
        return found
    file = folder / Path(found.span.file).relative_to(scratch)
    return replace(found, span=replace(found.span, file=str(file)))


def _files(folders: tuple[str, ...], title: str, board: str) -> dict[str, str]:
    """The files of a template, with the application's name and board in place of the placeholders."""
    from carillon.frontends.toml.jsonschema import json_schema_text

    sources: dict[str, Path] = {}
    for name in folders:
        for source in sorted((data_root() / "templates" / name).iterdir()):
            sources[re.sub(r"^dot-", ".", source.name)] = source
    filled = {"name": title, "board": re.sub(r'(["\\])', r"\\\1", board)}  # in a string of TOML
    return {
        name: re.sub(r"\{\{(\w+)\}\}", lambda match: filled[match[1]], _LICENCE.sub(r"\1", source.read_text(encoding="utf-8")))
        for name, source in sources.items()
    } | {SCHEMA: json_schema_text()}
