#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds the sentences of the documents and the comments that have more than 30 words.

Prints the file, the line, the number of words and the sentence, and the total at the end.

Of the documents it leaves out code, tables and what a command or a test wrote: all between ``<!-- begin`` and ``<!-- end``.
Of CHANGELOG.md it reads what is not released.  Of the code it reads comments and docstrings.  Code in backquotes is one
word.  An item of a list is a sentence of its own, and a sentence that is mostly names is not counted.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LONG = 30  # a sentence may have this many words
CODE = ("tool", "kernel", "ports", "cells", "devices", "emulators", "bench", "scripts")

Lines = list[tuple[int, str]]  # the number of a line, and its text

ITEM = re.compile(r"\s*(?:[-*+•] |\(?\d+[.)] |\([a-z]\) |#+ |> |@)")
TABLE = re.compile(r"\s*\||.*\S {3,}\S")
ALONE = re.compile(r"\s*(?:#+ |<!--|SPDX|Copyright)|.*SPDX-License-Identifier")
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|et al|cf|vs|etc|[Nn]o|[Ff]ig|[Pp]p?|[A-Z]))\.$")
END = re.compile(r"[.?!][\"')*_]*(?=\s|$)")
LEFT_OUT = re.compile(r"<!-- begin.*?<!-- end[^\n]*|^ *(```|~~~).*?^ *\1[^\n]*", re.DOTALL | re.MULTILINE)  # generated, or code
C_COMMENT = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|(?P<comment>/\*.*?\*/|(?://[^\n]*\n?[ \t]*)+)", re.DOTALL)
DECORATION = re.compile(r"^[ \t]*(?:/\*+|//[/!]?|\*(?!/)|#+)?|\*+/[ \t]*$")


def document(text: str) -> Iterator[Lines]:
    """The prose of a document in Markdown, up to the first release in CHANGELOG.md; a block of code ends a paragraph."""
    text = re.split(r"^## \[\d", text, maxsplit=1, flags=re.MULTILINE)[0]
    text = LEFT_OUT.sub(lambda match: "\n" * match[0].count("\n"), text)
    lines: Lines = []
    listed = False
    for number, line in enumerate(text.split("\n"), 1):
        listed = ITEM.match(line) is not None or (listed and (not line.strip() or line.startswith(" ")))
        lines.append((number, "" if line.startswith("    ") and not listed else line))
    yield lines


def python(text: str) -> Iterator[Lines]:
    """Docstrings, and comments; comments on lines that follow each other are one."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield list(enumerate(node.value.value.split("\n"), node.lineno))
    lines: Lines = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            number = token.start[0]
            own = not token.line[: token.start[1]].strip()  # it has the line for itself
            if not own or not lines or lines[-1][0] + 1 != number:
                lines.append((number, ""))
            lines += [(number, token.string.lstrip("#!")), *([] if own else [(number, "")])]
    yield lines


def hashes(text: str) -> Iterator[Lines]:
    """The lines that are comments; each other line ends a paragraph."""
    comments = (re.match(r"\s*#+!?(.*)", line) for line in text.split("\n"))
    yield [(number, match[1] if match else "") for number, match in enumerate(comments, 1)]


def c(text: str) -> Iterator[Lines]:
    """The comments of a file in C or in assembly."""
    for match in C_COMMENT.finditer(text):
        if match["comment"]:
            first = text.count("\n", 0, match.start()) + 1
            yield [(number, DECORATION.sub("", line)) for number, line in enumerate(match[0].split("\n"), first)]


def paragraphs(lines: Lines) -> Iterator[Lines]:
    """Lines that belong together: a paragraph, or an item of a list."""
    now: Lines = []
    for number, line in lines:
        if not line.strip() or ITEM.match(line) or ALONE.match(line) or TABLE.match(line.rstrip()):
            yield now
            now = []
        if line.strip() and not TABLE.match(line) and not ALONE.match(line):
            now.append((number, line))
    yield now


def sentences(lines: Lines) -> Iterator[tuple[int, str]]:
    """Each sentence of a paragraph, with the line that it begins on."""
    text = "\n".join(re.sub(r"\]\([^)\n]*\)", "]", line.strip()) for _, line in lines)
    begin = 0
    for match in END.finditer(text + " "):
        if not ABBREVIATION.search(text[begin : match.end()]):
            yield lines[text.count("\n", 0, begin + (text[begin : begin + 1] == "\n"))][0], text[begin : match.end()]
            begin = match.end()
    if text[begin:].strip():
        yield lines[text.count("\n", 0, begin + 1)][0], text[begin:]


def words(sentence: str) -> int:
    """How many words it has; 0 if more than half of them are names in code."""
    found = [w for w in re.sub(r"``?[^`]+``?", "`", sentence).split() if re.search(r"[\w`]", w)]
    names = sum(re.search(r"`|\w_\w|\w\.\w|\w\(", w) is not None for w in found)
    return 0 if 2 * names > len(found) else len(found)


READERS: tuple[tuple[tuple[str, ...], Callable[[str], Iterator[Lines]]], ...] = (
    ((".md",), document),
    ((".py",), python),
    ((".sh", ".toml", ".cmake", "CMakeLists.txt"), hashes),
    ((".c", ".h", ".S", ".ld"), c),
)


def texts() -> Iterator[tuple[str, Lines]]:
    """Every file that is read, with its prose."""
    files = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted((ROOT / "docs").rglob("*.md"))
    for folder in CODE:
        files += sorted(p for p in (ROOT / folder).rglob("*") if p.is_file() and "build" not in p.parts)
    for path in files:
        for endings, reader in READERS:
            if path.name.endswith(endings):
                yield from ((path.relative_to(ROOT).as_posix(), lines) for lines in reader(path.read_text(encoding="utf-8")))


def main() -> int:
    """Print what is long; 1 if there is more of it than may be."""
    parser = argparse.ArgumentParser(description="Print the sentences of documents and comments with more than 30 words.")
    parser.add_argument("--most", type=int, metavar="N", help="exit with 1 if there are more than N")
    most: int | None = parser.parse_args().most
    total = 0
    for name, lines in texts():
        for paragraph in paragraphs(lines):
            for line, sentence in sentences(paragraph):
                number = words(sentence)
                if number > LONG:
                    total += 1
                    print(f"{name}:{line}: {number}: {' '.join(sentence.split())}")
    print(f"{total} sentences have more than {LONG} words")
    return int(most is not None and total > most)


if __name__ == "__main__":
    raise SystemExit(main())
