# SPDX-License-Identifier: Apache-2.0
"""Microcode as bytes and as text: each is the inverse of the other, and nothing else is accepted."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carillon.diagnostics import Diagnostics
from carillon.microcode import FORMS, LONGEST_TIME, Field, Function, Instruction, Kind, Opcode, Program, faults
from carillon.microcode.binary import HEADER_BYTES, MalformedError, decode, encode
from carillon.microcode.text import assembled, assembled_thread, text_of

SETTINGS = settings(max_examples=50, deadline=None, database=None)
NAMES = st.from_regex(r"\A[A-Za-z_]([A-Za-z0-9_.:@]{0,8}[A-Za-z0-9_.@])?\Z")
SPEC = (Path(__file__).parents[2] / "docs" / "SPEC.md").read_text(encoding="utf-8")


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Any program without faults."""

    def unique(least: int = 0, most: int = 4) -> list[str]:
        return draw(st.lists(NAMES, min_size=least, max_size=most, unique=True))

    ports = unique()
    some = st.lists(st.integers(0, len(ports) - 1), max_size=3).map(tuple) if ports else st.just(())

    def table(writes: bool) -> tuple[Function, ...]:
        return tuple(Function(name, draw(some), draw(some) if writes else ()) for name in unique())

    tables = {Kind.TASK: table(True), Kind.DRIVER: table(True), Kind.GUARD: table(False), Kind.TRIGGER: table(False)}
    size = draw(st.integers(1, 12))
    code = []
    for _ in range(size - 1):
        opcode = draw(st.sampled_from(Opcode))
        values = {}
        for field, use in FORMS[opcode].fields.items():
            if use == "ticks":
                values[field.value] = draw(st.integers(FORMS[opcode].least, LONGEST_TIME))
            elif use == "address":
                values[field.value] = draw(st.integers(0, size - 1))
            elif tables[Kind(use)]:
                values[field.value] = draw(st.integers(0, len(tables[Kind(use)]) - 1))
        if len(values) == len(FORMS[opcode].fields):
            code.append(Instruction(opcode, **values))
        else:
            code.append(Instruction(Opcode.RETURN))
    code.append(Instruction(Opcode.RETURN))
    labels = sorted((draw(st.integers(0, size - 1)), name) for name in unique())
    return Program(
        draw(st.integers(1, 2**32 - 1)),
        draw(st.integers(0, size - 1)),
        tuple(code),
        tuple(ports),
        *(tables[kind] for kind in Kind if kind is not Kind.PORT),
        labels=tuple(labels),
    )


@SETTINGS
@given(programs())
def test_text_and_bytes_give_the_program_back(program: Program) -> None:
    assert not faults(program)
    assert decode(encode(program)) == program
    text = text_of(program, {0: "a comment; and more"}, {0: "a remark\nof two lines"}, "heading")
    diagnostics = Diagnostics()
    assert assembled(text, "text", diagnostics) == program, diagnostics.reported
    assert text_of(program) == text_of(decode(encode(program)))


@settings(SETTINGS, max_examples=60)
@given(programs(), st.data())
def test_changed_bytes_are_refused(program: Program, data: st.DataObject) -> None:
    content = bytearray(encode(program))
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(MalformedError):
        decode(bytes(content))
    with pytest.raises(MalformedError):
        decode(encode(program)[: data.draw(st.integers(0, len(content) - 1))])
    with pytest.raises(MalformedError):
        decode(encode(program) + b"\0")


def sealed(content: bytearray) -> bytes:
    """With a right length and checksum."""
    content[8:12] = struct.pack("<I", len(content))
    content[12:16] = struct.pack("<I", zlib.crc32(content[:12] + content[16:]))
    return bytes(content)


@settings(SETTINGS, max_examples=100)
@given(programs(), st.data())
def test_changed_bytes_with_a_right_checksum_are_a_program_or_refused(program: Program, data: st.DataObject) -> None:
    content = bytearray(encode(program))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    if len(content) < HEADER_BYTES:
        return
    changed = sealed(content)
    try:
        found = decode(changed)
    except MalformedError:
        return
    assert not faults(found)
    assert encode(found) == changed


@SETTINGS
@given(st.binary(max_size=200))
def test_any_bytes_are_refused_or_a_program(content: bytes) -> None:
    with pytest.raises(MalformedError):
        decode(content)
    with pytest.raises(MalformedError):
        decode(sealed(bytearray(b"CMUC\x01\x00" + struct.pack("<H", HEADER_BYTES) + bytes(8) + content)))


SINGLE = """
.tick 1000 .entry start start: x: @0: @0 .port p .task t .driver d .guard g .trigger e reads writes , p q ; call release
future dispatch idle fork if jump return terminate release(t) release( ) 0 10 16777216 99999999999999
"""
WORDS = [
    *SINGLE.split(),
    "\n",
    "\ncall d\n",
    "\nreturn\n",
    "\nfuture 10, start\n",
    "\n.task t reads p writes p\n",
    "\ndispatch t, release(t), start\n",
    "\ndispatch t, release(t)\n",
    "\ndispatch t, 10\n",
]


@settings(SETTINGS, max_examples=200)
@given(st.lists(st.sampled_from(WORDS), max_size=50), st.text(max_size=10))
def test_any_text_is_a_program_or_has_errors(words: list[str], other: str) -> None:
    text = " ".join([*words, other])
    diagnostics = Diagnostics()
    program = assembled(text, "text", diagnostics)
    assert (program is None) == bool(diagnostics.errors)
    assert all(d.span is not None and 1 <= d.span.line <= len(text.split("\n")) for d in diagnostics.reported)
    if program is not None:
        assert not faults(program)


@pytest.mark.parametrize(
    ("line", "cause", "remedy"),
    [
        ("    relase t, 10", "there is no instruction 'relase'", "did you mean 'release'?"),
        ("    release t", "the operands of 'release t' are not those of release", "write 'release TASK, TICKS'"),
        ("    release u, 1", "there is no task 'u'", "known names are 't'"),
        ("    jump away", "there is no label 'away'", "known names are 'start'"),
        ("    future 0, start", "0 ticks of future are not in 1 to 16777215", "SPEC, section 'Microcode', says"),
        ("    future 16777216, start", "16777216 ticks of future are not in 1 to 16777215", "SPEC, section"),
        (
            "    dispatch t, 5, start, start",
            "the operands of 'dispatch t, 5, start, start' are not those of dispatch",
            "write 'dispatch TASK' or 'dispatch TASK, TICKS[, ADDRESS]' or 'dispatch TASK, release(TASK)[, ADDRESS]'",
        ),
        ("    dispatch t, start", "the operands of 'dispatch t, start' are not those of dispatch", "write 'dispatch TASK' or"),
        ("    dispatch t, 5, away", "there is no label 'away'", "known names are 'start'"),
        ("    dispatch t, 0", "0 ticks of dispatch are not in 1 to 16777215", "SPEC, section 'Microcode', says"),
        ("    future 5", "the operands of 'future 5' are not those of future", "write 'future TICKS, ADDRESS' or"),
        (".tusk u", "there is no directive '.tusk'", "did you mean '.task'?"),
        (".task t", "the task 't' is there twice", "declare it once"),
        (".guard g writes p", "the guard g writes a port", "SPEC"),
        ("start:", "the label 'start' is there twice", "give every address a name of its own"),
        ("a b:", "'a b' is no name of a label", "a name has letters"),
    ],
)
def test_a_wrong_line_is_reported_at_its_place(line: str, cause: str, remedy: str) -> None:
    text = f".tick 1000000\n.port p\n.task t\n.entry start\nstart:\n    release t, 10\n{line}\n    return\n"
    diagnostics = Diagnostics()
    assert assembled(text, "code", diagnostics) is None
    (found,) = diagnostics.reported
    assert (found.code, found.cause) == ("C267", cause)
    assert found.remedy.startswith(remedy)
    assert found.span is not None
    assert found.span.line == (1 if "guard" in line else 7)


SHORT = """.tick 1
.task t
.task u
.entry own
own:
    dispatch t, 5
    dispatch t, release(u)
here:
    dispatch u, 6
    return
"""


def test_a_dispatch_without_an_address_goes_on_with_the_next_instruction() -> None:
    """As the paper writes it: ``dispatch(t, m)`` is ``dispatch(t, m, a)``, where ``a`` is the address of the next instruction."""
    program = assembled(SHORT, "text", Diagnostics())
    assert program is not None
    assert [(i.opcode, i.x, i.time, i.y) for i in program.code[:3]] == [
        (Opcode.DISPATCH_TIME, 0, 5, 1),
        (Opcode.DISPATCH_RELEASE, 0, 1, 2),
        (Opcode.DISPATCH_TIME, 1, 6, 3),
    ]
    assert text_of(program) == SHORT
    for line, label in (("t, 5", "next"), ("t, release(u)", "here"), ("u, 6", "end")):
        longer = SHORT.replace(f"dispatch {line}\n", f"dispatch {line}, {label}\n")
        longer = longer.replace("    dispatch t, rel", "next:\n    dispatch t, rel").replace("    return", "end:\n    return")
        found = assembled(longer, "text", Diagnostics())
        assert found is not None
        assert found.code == program.code


def test_what_ends_with_a_dispatch_without_an_address_has_nothing_to_go_on_with() -> None:
    diagnostics = Diagnostics()
    assert assembled(SHORT.replace("    return\n", ""), "text", diagnostics) is None
    assert {(d.cause, d.span.line) for d in diagnostics.reported if d.span} == {
        ("dispatch to 3, which is no address of the code", 9),
        ("nothing follows the last instruction", 9),
    }


def test_s_code_by_hand_may_end_with_a_dispatch_without_an_address() -> None:
    thread = assembled_thread("own:\ndispatch t, 5\njump own\nother:\ndispatch u, release(t)", "code", ("t", "u"), Diagnostics())
    assert thread is not None
    assert [i.y for _, i in thread.code] == [1, 0, 3, 0]
    assert thread.labels == ((0, "own"), (2, "other"))


def test_a_hundred_errors_are_shown_and_that_there_are_more() -> None:
    text = ".tick 1000000\n.entry start\nstart:\n" + 250 * "    relase t, 10\n" + "    return\n"
    diagnostics = Diagnostics()
    assert assembled(text, "code", diagnostics) is None
    assert len(diagnostics.reported) == 101
    assert diagnostics.reported[-1].cause == "more than 100 errors; the rest is not shown"


def test_code_that_runs_past_its_end_is_refused() -> None:
    program = Program(1, 0, (Instruction(Opcode.CALL),), drivers=(Function("d"),))
    assert faults(program) == [(0, "nothing follows the last instruction")]
    with pytest.raises(ValueError, match="nothing follows"):
        encode(program)


def test_an_instruction_has_eight_bytes_and_the_specification_has_its_number() -> None:
    section = SPEC.split("\n## Microcode\n")[1].split("\n## ")[0]
    for opcode, form in FORMS.items():
        (row,) = [line for line in section.splitlines() if line.startswith(f"| {opcode.value} | `")]
        assert f"`{form.word}" in row
        for field in Field:
            assert (f"`{field.value}`" in row) == (field in form.fields), row
    program = Program(1, 0, (Instruction(Opcode.RETURN),))
    assert len(encode(program)) == HEADER_BYTES + 8
    assert encode(program)[HEADER_BYTES:] == bytes([Opcode.RETURN, 0, 0, 0, 0, 0, 0, 0])
