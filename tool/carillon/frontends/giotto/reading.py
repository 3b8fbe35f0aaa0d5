# SPDX-License-Identifier: Apache-2.0
"""Reading Giotto: text becomes words (``lexer``), and words the model of a program (``parser``)."""

from __future__ import annotations

from pathlib import Path

from carillon.diagnostics import Diagnostics
from carillon.frontends.giotto.lexer import Lexer
from carillon.frontends.giotto.parser import Parser
from carillon.model.giotto import Giotto
from carillon.read.text import read_text


def read_giotto(path: Path, diagnostics: Diagnostics) -> Giotto | None:
    """The program of a file; None after errors.  Never raises for anything that a file can hold."""
    text = read_text(path, diagnostics, "Giotto program", ".giotto")
    return None if text is None else parse_giotto(text.content, str(path), diagnostics)


def parse_giotto(content: str, file: str, diagnostics: Diagnostics) -> Giotto | None:
    """The program of a text; None after errors."""
    lexer = Lexer(content, file, diagnostics)
    return Parser(lexer).run()
