# SPDX-License-Identifier: Apache-2.0
"""Boards that are made of the description of a chip."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from carillon.board_from import board_from
from carillon.cli import app
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.model.board import Board
from carillon.read.board import load_board
from carillon.read.svd import read_device, xml
from carillon.resources import data_root

STM32 = Path(__file__).parent / "svd" / "stm32f405.svd"
BASE = "stm32f4-discovery"
FILLED = {
    "startup": "[]",
    "hz": "62_500_000",
    "instructions_per_tick": "2",
    "sources": "[]",
    "linker_script": '"link.ld"',
}


def made(folder: Path, svd: Path, base: str | None = None, name: str = "mine") -> Path:
    """The board of a chip, written into a folder; raises CarillonError."""
    board = folder / name / "board.toml"
    board.parent.mkdir(exist_ok=True)
    for file, text in board_from(svd, name, base, Diagnostics()).files.items():
        (board.parent / file).write_text(text, encoding="utf-8")
    return board


def refused(folder: Path, text: str | bytes, base: str | None = None) -> str:
    """What is said about a file, with the place in it."""
    path = folder / "chip.svd"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(CarillonError) as raised:
        board_from(path, "mine", base, Diagnostics())
    return "\n".join(str(found).partition("\n")[0].replace(f"{path}:", "") for found in raised.value.diagnostics)


def carillon(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    return result.exit_code, result.stdout, result.stderr


def facts(board: Board) -> list[object]:
    """What of a board an SVD file gives."""
    assert board.interrupts is not None
    cells = [(a.family.name, a.names, a.sources, sorted(a.registers.items()), a.roles, a.width) for a in board.cells]
    return [cells, board.levels, board.sources, board.port, board.interrupts.first, board.interrupts.handler]


def test_a_board_with_a_base_has_the_cells_that_were_written_by_hand(tmp_path: Path) -> None:
    mine, theirs = load_board(made(tmp_path, STM32, BASE)), load_board(data_root() / "boards" / BASE / "board.toml")
    assert facts(mine) == facts(theirs)
    assert mine.interrupts is not None
    assert theirs.interrupts is not None
    assert theirs.interrupts.numbers.items() - mine.interrupts.numbers.items() == {("DCMI", 78), ("ETH", 61), ("ETH_WKUP", 62)}


def test_what_the_file_does_not_say_is_refused_at_its_place_until_it_is_written(tmp_path: Path) -> None:
    path = made(tmp_path, STM32)
    text = path.read_text(encoding="utf-8")
    with pytest.raises(CarillonError) as raised:
        load_board(path)
    lines = text.splitlines()
    assert {d.code for d in raised.value.diagnostics} == {"C305"}
    places = [d.span.line for d in raised.value.diagnostics if d.span is not None]
    assert places == [k for k, line in enumerate(lines, 1) if '"TODO:' in line]
    assert [lines[line - 1].split()[0] for line in places] == [*FILLED]
    for key, value in FILLED.items():
        text = re.sub(rf'^{key} = "TODO.*"$', f"{key} = {value}", text, flags=re.MULTILINE)
    path.write_text(text, encoding="utf-8")
    assert facts(load_board(path)) == facts(load_board(data_root() / "boards" / BASE / "board.toml"))


def test_the_command_lists_what_is_left_to_write_and_a_schedule_is_checked_for_the_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, said, _ = carillon("new", "bare", "--board-from", str(STM32))
    assert code == 0
    assert "clocks.hz: what the timers count a second" in said
    assert carillon("new", "mine", "--board-from", str(STM32), "--base", BASE)[0] == 0
    assert carillon("new", "app", "--board", "mine/board.toml")[0] == 0
    assert carillon("check", "app")[0] == 0
    code, _, left = carillon("new", "other", "--board", "bare/board.toml")
    assert code == 1
    assert "board.toml:19:11: error C305: 'startup' is still to be written" in left


def test_options_that_do_not_belong_together_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for options in (["--base", BASE], ["--board-from", str(STM32), "-b", BASE], ["--board-from", str(STM32), "--base", "stm32"]):
        assert carillon("new", "mine", *options)[0] == 2
    assert not (tmp_path / "mine").exists()


TIM3 = "<interrupt><name>TIM3</name><description>TIM3</description><value>29</value></interrupt>"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("<value>29</value>", "<value>28</value>", "error C306: interrupt 'TIM3' has number 28, which is 'TIM2' on line "),
        ("<value>29</value>", "<value>496</value>", "error C306: <value> is 496, and can be 495 at most"),
        ("<value>29</value>", "<value>many</value>", "error C306: <value> is 'many', and must be a number"),
        ("<value>29</value>", "", "error C306: an interrupt has no <value>"),
        ("<name>TIM3</name><d", "<name>TIM 3</name><d", "error C306: an interrupt is called 'TIM 3'"),
        (TIM3, TIM3 + TIM3.replace("29", "90"), "error C306: interrupt 'TIM3' has number 90, and 29 on line "),
        ("<name>TIM4</name>\n", "<name>TIM3</name>\n", "error C306: there are two peripherals 'TIM3'"),
        ("0x40000400", "", "error C306: <baseAddress> is '', and must be a number"),
        ("0x40000400", "0x140000400", "error C306: <baseAddress> is 5368710144, and can be 4294967295 at most"),
        ("<nvicPrioBits>4", "<nvicPrioBits>9", "error C306: <nvicPrioBits> is 9, and can be 8 at most"),
        ("<name>CM4</name>", "<name>CM33</name>", "8:8: error C307: the chip has processor 'CM33'"),
        ("<name>CM4</name>", "<name>CM0</name>", "error C307: the chip has no timers of a known family: with its processor"),
        ("<name>SMCR</name>", "<name>OTHER</name>", "error C307: the chip has no timers of a known family"),
        ("</device>", "", "error C306: the file is not well-formed XML: it ends before its last element does"),
        (
            "<device ",
            '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n<device ',
            "4:13: error C306: the file has a document",
        ),
        ("device", "package", "4:1: error C306: the file is no SVD file: it begins with <package>, not with <device>"),
        ("<width>32</width>", "<width>&unknown;</width>", "error C306: the file is not well-formed XML: undefined entity"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = STM32.read_text(encoding="utf-8")
    assert old in text
    assert said in refused(tmp_path, text.replace(old, new))


@pytest.mark.parametrize(
    ("upto", "said"),
    [
        ("<fields>", "it ends before its last element does"),
        ("<peripherals>", "it ends before its last element does"),
        ("<interr", "it ends within a tag, a comment or a reference"),
    ],
)
def test_a_file_that_is_cut_off_is_refused_where_it_ends(tmp_path: Path, upto: str, said: str) -> None:
    text = STM32.read_text(encoding="utf-8").replace("<registers>", "<registers><fields></fields>", 1)
    text = text[: text.index(upto) + len(upto)]
    found = refused(tmp_path, text)
    assert found.startswith(f"{text.count(chr(10)) + 1}:")
    assert f"error C306: the file is not well-formed XML: {said}" in found


def test_the_place_is_that_of_the_number(tmp_path: Path) -> None:
    text = STM32.read_text(encoding="utf-8").replace("<value>29</value>", "<value>28</value>")
    line = next(k for k, row in enumerate(text.splitlines(), 1) if "<name>TIM3</name><d" in row)
    column = text.splitlines()[line - 1].index("<value>") + 1
    assert refused(tmp_path, text).startswith(f"{line}:{column}: error C306")


def test_what_is_no_xml_or_too_long_or_too_deep_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "1:1: error C306: the file is not well-formed XML" in refused(tmp_path, "name = 'x'\n")
    assert "error C306: the file is not well-formed XML: it holds no element" in refused(tmp_path, "")
    assert "elements are nested more than 100 levels deep" in refused(tmp_path, "<device>" + "<a>" * 200)
    assert "elements are nested more than 100 levels deep" in refused(tmp_path, "<device>" + "<fields>" * 200)
    assert "error C306: the file describes no peripheral" in refused(tmp_path, "<device/>")
    assert "error C306" in refused(tmp_path, '<?xml version="1.0" encoding="rot13"?><device/>')
    monkeypatch.setattr(xml, "LONGEST_FILE", 1000)
    assert "error C010: '" in refused(tmp_path, STM32.read_text(encoding="utf-8"))


def test_a_base_of_another_processor_or_with_other_timers_is_refused(tmp_path: Path) -> None:
    text = STM32.read_text(encoding="utf-8")
    said = "error C307: the chip's processor is run by port 'armv7m', and board 'microbit' is of port 'armv6m'"
    assert said in refused(tmp_path, text, "microbit")
    assert "error C307: the chip has none of the timers of board 'mps2-an385'" in refused(tmp_path, text, "mps2-an385")


def test_a_file_that_does_not_say_which_processor_the_chip_has_needs_a_base(tmp_path: Path) -> None:
    text = re.sub(r"<cpu>.*</cpu>", "", STM32.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert "error C307: the chip has no processor in <cpu>" in refused(tmp_path, text)
    made_board = board_from(tmp_path / "chip.svd", "mine", BASE, Diagnostics())
    assert made_board.compare[:2] == ["the processor", "levels"]
    assert facts(load_board(made(tmp_path, tmp_path / "chip.svd", BASE))) == facts(load_board(made(tmp_path, STM32, BASE)))


def test_the_name_of_a_chip_may_have_any_characters(tmp_path: Path) -> None:
    path = tmp_path / "chip.svd"
    path.write_text(
        STM32.read_text(encoding="utf-8").replace("<name>STM32F405<", '<name>\U0001f600"\\&lt;<', 1), encoding="utf-8"
    )
    assert load_board(made(tmp_path, path, BASE)).summary == 'mine (?"\\<)'


def test_registers_in_clusters_and_arrays_have_the_names_of_their_elements(tmp_path: Path) -> None:
    path = tmp_path / "chip.svd"
    csr = "<register><name>CSR</name><addressOffset>4</addressOffset></register>"
    head = "<dim>8</dim><dimIncrement>0x14</dimIncrement><name>CH[%s]</name><addressOffset>#10</addressOffset>"
    text = f"<name>PWM</name><baseAddress>0x40050000</baseAddress><registers><cluster>{head}{csr}</cluster></registers>"
    path.write_text(f"<device><peripherals><peripheral>{text}</peripheral></peripherals></device>", encoding="utf-8")
    device = read_device(path, Diagnostics())
    assert device is not None
    assert device.peripherals["PWM"].registers == {"CH0_CSR": 6, "CH1_CSR": 0x1A}


WHOLE = STM32.read_bytes()


@given(st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_file_gives_a_board_or_findings_with_places(tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 4))):
        begin = data.draw(st.integers(0, len(content)))
        end = begin + data.draw(st.sampled_from([0, 1, 2, 10, 100, 10_000]))
        words = (
            b"",
            b"<",
            b"</name>",
            b"<peripheral>",
            b"0x",
            b"-1",
            b"99999999999999999999",
            b"\xff",
            b"\x00",
            b"&#0;",
            b"<x a='",
        )
        content[begin:end] = data.draw(st.sampled_from(words) | st.binary(max_size=4))
    path = tmp_path / "chip.svd"
    path.write_bytes(bytes(content))
    try:
        load_board(made(tmp_path, path, BASE))
    except CarillonError as error:
        assert error.diagnostics
        assert all(d.span is not None and d.code in ("C306", "C307") for d in error.diagnostics), error
