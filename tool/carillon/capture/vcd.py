# SPDX-License-Identifier: Apache-2.0
"""Value Change Dumps (IEEE 1364-2005, clause 18), as logic analysers, simulators and ``carillon show --vcd`` write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from carillon.capture import Capture, Recorder, broken
from carillon.units import shorten

UNITS = {"s": 0, "ms": 3, "us": 6, "ns": 9, "ps": 12, "fs": 15}
ACTIVE = "active"
"""The wire of a task's scope that says, in the tool's own files, from its start to its end that it is active."""
SKIPPED = ("$comment", "$date", "$version")
LONGEST = 24
"""Digits of a time at most."""


def read_vcd(text: str, file: str) -> Capture:
    """The wires of one bit; raises CarillonError (C301) for what is no such file."""
    words = _words(text)
    recorder = Recorder(file)
    unit: Fraction | None = None
    scopes: list[str] = []
    known: dict[str, list[str]] = {}
    line, ended = 1, False
    for line, word in words:
        if word in SKIPPED:
            _command(words, file, line, word)
        elif word == "$timescale":
            unit = _timescale("".join(_command(words, file, line, word)), file, line)
        elif word == "$scope":
            said = _command(words, file, line, word)
            if len(said) != 2:
                broken(file, line, "$scope needs a kind and a name")
            scopes.append(said[1])
        elif word == "$upscope":
            _command(words, file, line, word)
            if not scopes:
                broken(file, line, "$upscope outside any scope")
            scopes.pop()
        elif word == "$var":
            said = _command(words, file, line, word)
            if len(said) < 4 or not re.fullmatch(r"[0-9]{1,9}", said[1]):
                broken(file, line, "$var needs a type, a size, a code and a name")
            if said[0] != "event" and int(said[1]) == 1:
                name = said[3]
                aliases = [name, *(scopes[-1:] if name == ACTIVE else [])]
                full = ".".join([*scopes, name])
                known.setdefault(said[2], []).append(full)
                recorder.add(full, aliases)
        elif word == "$enddefinitions":
            _command(words, file, line, word)
            ended = True
            break
        else:
            broken(
                file, line, f"{shorten(word)} where a VCD file has its definitions", "give a VCD file, or a CSV file named *.csv"
            )
    if not ended:
        broken(file, line, "the file ends within its definitions: $enddefinitions is missing")
    if unit is None:
        broken(file, line, "the file has no $timescale")
    _changes(words, recorder, known, file)
    return recorder.capture(unit)


def _words(text: str) -> Iterator[tuple[int, str]]:
    """The words of a file, each with its line."""
    for number, line in enumerate(text.split("\n"), start=1):
        for word in line.split():
            yield number, word


def _command(words: Iterator[tuple[int, str]], file: str, line: int, command: str) -> list[str]:
    """The words of a command, up to its $end."""
    said: list[str] = []
    for _, word in words:
        if word == "$end":
            break
        said.append(word)
    else:
        broken(file, line, f"{command} has no $end")
    return said


def _timescale(said: str, file: str, line: int) -> Fraction:
    match = re.fullmatch(r"(1|10|100)(s|ms|us|ns|ps|fs)", said)
    if match is None:
        broken(file, line, f"{shorten(said)} is no timescale", "a timescale is 1, 10 or 100 of s, ms, us, ns, ps or fs")
    return Fraction(int(match[1]), 10 ** UNITS[match[2]])


def _changes(words: Iterator[tuple[int, str]], recorder: Recorder, known: dict[str, list[str]], file: str) -> None:
    """Follow the changes of values."""
    for line, word in words:
        first = word[0]
        if first == "#":
            if not (word[1:].isascii() and word[1:].isdecimal() and len(word) <= LONGEST):
                broken(file, line, f"{shorten(word)} is no time")
            recorder.time(int(word[1:]), line, word[1:])
        elif first in "01xXzZ" and len(word) > 1:
            for name in known.get(word[1:], ()):
                recorder.level(name, first == "1")
        elif first in "bB":
            _, code = next(words, (line, ""))
            if not code or not re.fullmatch("[01xXzZ]+", word[1:]):
                broken(file, line, f"{shorten(word)} is no value, or is one of nothing")
            for name in known.get(code, ()):
                recorder.level(name, word[-1] == "1")
        elif first in "rRsS":
            if next(words, None) is None:
                broken(file, line, f"{shorten(word)} is a value of nothing")
        elif word in SKIPPED:
            _command(words, file, line, word)
        elif word not in ("$dumpvars", "$dumpall", "$dumpon", "$dumpoff", "$end"):
            broken(file, line, f"{shorten(word)} is neither a time nor a change of a value")
