# SPDX-License-Identifier: Apache-2.0
"""``carillon microcode`` without a target: assemble, list, verify, compose; and with one that a program is to join."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from loader_target import Loaded
from served import served
from typer.testing import CliRunner

from carillon.cli import app
from carillon.microcode.binary import decode
from carillon.microcode.upload import NO_KEY, Target

ROOT = Path(__file__).parents[2]
BESIDE = ROOT / "docs" / "guide" / "giotto" / "beside"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for path in BESIDE.iterdir():
        if path.is_file():
            shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "1000")
    assert carillon("giotto", "beside.giotto", "-o", "beside.microcode")[0] == 0
    yield


def carillon(*words: str) -> tuple[int, str]:
    found = CliRunner().invoke(app, list(words))
    return found.exit_code, found.output


def microcode(*words: str) -> tuple[int, str]:
    return carillon("microcode", *words)


def test_what_is_listed_is_assembled_again() -> None:
    code, text = microcode("list", "beside.microcode")
    Path("beside.emc").write_text(text, encoding="utf-8")
    assert (code, microcode("list", "beside.microcode", "-o", "same.emc")) == (0, (0, ""))
    assert Path("same.emc").read_text(encoding="utf-8") == text
    code, said = microcode("assemble", "beside.emc", "-o", "again.microcode")
    assert said == (
        "15 instructions, 417 bytes with tables and labels; room for 1 trigger and 0 threads; tables 8574b201, "
        "tick 1000000 ns; in again.microcode\n"
    )
    assert Path("again.microcode").read_bytes() == Path("beside.microcode").read_bytes()
    assert microcode("verify", "beside.microcode") == (0, said.replace("; in again.microcode", ""))


def test_two_modes_are_one_program_with_the_room_of_both() -> None:
    both = ("compose", "beside.microcode", "beside.microcode", "--at", "record@0", "--program", "beside.giotto")
    code, said = microcode(*both, "-o", "both.microcode", "--json")
    found = json.loads(said)
    assert (code, found["triggers"], found["instructions"], found["file"]) == (0, 2, 18, "both.microcode")
    assert decode(Path("both.microcode").read_bytes()).code[15].y == decode(Path("beside.microcode").read_bytes()).entry


@pytest.mark.parametrize(
    ("change", "words", "said"),
    [
        ((), (), "error C238: these programs cannot run side by side: both use the task control\n"),
        (
            (("[wcet 5]", "[wcet 16]"),),
            ("--at", "record@0", "--program", "beside.giotto"),
            "error C238: these programs cannot run side by side: their tasks take up to 104 % of the processor\n",
        ),
        (
            (("[wcet 5]", ""),),
            ("--at", "record@0", "--program", "beside.giotto"),
            "error C238: these programs cannot run side by side: the task recorder has no execution time: [wcet ...]\n",
        ),
        ((), ("--at", "record@0"), "warning C239: whether all tasks end in time is not checked\n"),
        ((), ("--at", "record@1"), "--at 'record@1': beside.microcode has no such label"),
        ((), ("--scheduler", "rm"), "compose has no option --scheduler"),
        ((), ("--to", "line"), "compose has no option --to"),
        ((), ("--phase", "5"), "usage: --phase '5': '5' has no unit; add one of ns, us, ms, s or ticks, for example"),
        ((), ("--phase", "0.5ms"), "usage: --phase '0.5ms' is 0.5 ticks of 1000000 ns: it has to be a whole number of them\n"),
        ((), ("--phase=-1ms",), "usage: --phase '-1ms': '-1ms' is negative; a time is zero or more: write it without the sign\n"),
        (
            (),
            ("--at", "record@0", "--phase", "16777215ms"),
            "error C238: these programs cannot run side by side: the phase is longer than 16777214 ticks\n",
        ),
        ((), ("--at", "record@0", *(["--program", "beside.giotto"] * 3)), "--program is given once for both programs, or once"),
    ],
)
def test_what_cannot_be_composed_is_refused(change: tuple[tuple[str, str], ...], words: tuple[str, ...], said: str) -> None:
    path = Path("beside.giotto")
    for old, new in change:
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert said in microcode("compose", "beside.microcode", "beside.microcode", *words, "-o", "both.microcode")[1]
    assert Path("both.microcode").exists() == ("warning" in said)


SLOTS = ("compose", "slots.microcode", "slots.microcode", "--at", "record@0", "--program", "slots.giotto", "-o", "both.microcode")


@pytest.fixture
def slots() -> None:
    """Both modes with S code; ``record`` has a period of 20 ms, which is two of ``steer``."""
    text = Path("beside.giotto").read_text(encoding="utf-8")
    Path("slots.giotto").write_text(text.replace("period 25", "period 20"), encoding="utf-8")
    assert carillon("giotto", "slots.giotto", "--s-code", "edf", "-o", "slots.microcode")[0] == 0


@pytest.mark.usefixtures("slots")
@pytest.mark.parametrize(
    ("phase", "began", "after"),
    [
        ((), 0, 0),
        (("--phase", "0ms"), 0, 0),
        (("--phase", "3ms"), 3, 3),
        (("--phase", "6ms"), 6, 10),
        (("--phase=18ms",), 18, 20),
    ],
)
def test_slots_that_overlap_are_refused_with_their_place_and_a_phase(phase: tuple[str, ...], began: int, after: int) -> None:
    """``control`` takes 4 of its 10 ms from their begin, and ``recorder`` 5 ms from its own."""
    code, said = microcode(*SLOTS, *phase)
    assert (code, Path("both.microcode").exists()) == (1, False)
    assert (
        f"error C238: these programs cannot run side by side: if the second one begins {began} ms behind the first, after "
        f"{after} ms, control and recorder are dispatched at one time, by s0 of the first one and s1 of the second one\n"
        "  help: --phase 4ms would do, or other S code\n"
    ) in said


@pytest.mark.usefixtures("slots")
def test_where_no_phase_would_do_other_s_code_is_asked_for() -> None:
    path = Path("slots.giotto")
    path.write_text(path.read_text(encoding="utf-8").replace("[wcet 5]", "[wcet 7]"), encoding="utf-8")
    assert "at one time, by s0 of the first one and s1 of the second one\n  help: make other S code\n" in microcode(*SLOTS)[1]


@pytest.mark.usefixtures("slots")
@pytest.mark.parametrize(
    ("phase", "ticks"), [("4ms", 4), ("5ms", 5), ("0.005s", 5), ("5 ticks", 5), ("14ms", 14), ("15ms", 15), ("1005ms", 1005)]
)
def test_slots_that_are_apart_are_composed(phase: str, ticks: int) -> None:
    code, said = microcode(*SLOTS, "--phase", phase)
    assert (code, "room for 2 triggers and 4 threads" in said) == (0, True)
    program = decode(Path("both.microcode").read_bytes())
    assert [i.time for i in program.code[program.entry :]] == [1, 1 + ticks, 0]


@pytest.mark.usefixtures("slots")
def test_what_joins_has_no_phase_and_is_refused_if_it_may_come_at_a_wrong_time() -> None:
    words = ("upload", "slots.microcode", "--at", "record@0", "--beside", "slots.microcode", "--program", "slots.giotto")
    program = decode(Path("slots.microcode").read_bytes())
    loaded = Loaded(program, NO_KEY)
    loaded.room(2, 4)
    with served(loaded, Path("line")):
        assert microcode("upload", "slots.microcode", "--to", "line")[0] == 0
        loaded.begin_next()
        assert (
            "error C238: these programs cannot run side by side: if the second one begins 0 ms after a period of the first, "
            "after 10 ms, control and recorder are dispatched at one time, by s0 of the first one and s1 of the second one\n"
            "  help: make other S code\n"
        ) in microcode(*words, "--to", "line")[1]
        assert "upload has no option --phase" in microcode(*words, "--to", "line", "--phase", "4ms")[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("compose", "a"), "compose takes two programs"),
        (("list", "a", "b"), "list takes one program"),
        (("status", "a", "--to", "line"), "status takes no program"),
        (("upload", "beside.microcode"), "say which line: --to PATH"),
        (("upload", "beside.microcode", "--to", "line", "--beside", "a", "--scheduler", "rm"), "--scheduler stays that of the"),
        (("verify", "beside.c"), "beside.c is no microcode"),
        (("list", "gone"), "gone: No such file or directory"),
        (("assemble", "gone"), "error C010"),
    ],
)
def test_what_the_command_does_not_take_is_said(words: tuple[str, ...], said: str) -> None:
    code, found = microcode(*words)
    assert code != 0
    assert said in " ".join(found.replace("│", "").split())


def test_a_program_that_no_target_takes_is_refused_with_its_instructions() -> None:
    Path("loop.emc").write_text(".tick 1\n.entry a\na:\njump b\nb:\njump a\n", encoding="ascii")
    code, said = microcode("assemble", "loop.emc", "-o", "loop.microcode")
    assert code == 1
    assert "error C240: it may go round without taking time: instructions 0, 1\n" in said
    assert not Path("loop.microcode").exists()
    Path("many.emc").write_text(".tick 1\n.entry a\na:\nfuture 1, a\nfuture 1, a\nreturn\n", encoding="ascii")
    assert (
        "error C240: it may have more triggers or threads waiting than any image has room for\n"
        in microcode("assemble", "many.emc")[1]
    )


def test_a_program_joins_the_one_that_runs_from_whichever_label_on() -> None:
    program = decode(Path("beside.microcode").read_bytes())
    loaded = Loaded(program, NO_KEY)
    loaded.room(3, 0)
    entry = {name: address for address, name in program.labels}["steer@0"]
    with served(loaded, Path("line")):
        join = ("upload", "beside.microcode", "--at", "record@0", "--beside", "beside.microcode", "--to", "line")
        code, said = microcode(*join)
        assert code == 1
        assert "error C277: line: what runs is 00001234, and not beside.microcode, from whichever label on\n" in said
        assert microcode("upload", "beside.microcode", "--at", "steer@0", "--to", "line")[0] == 0
        loaded.begin_next()
        code, said = microcode(*join, "-o", "both.microcode")
        assert (code, "last upload: accepted" in said) == (0, True)
        assert loaded.joined == 16
        assert decode(Path("both.microcode").read_bytes()).code[15].y == entry
        loaded.begin_next()
        assert Target(loaded).status().running == int.from_bytes(_bare("both.microcode")[12:16], "little")


def _bare(path: str) -> bytes:
    from dataclasses import replace

    from carillon.microcode.binary import encode

    return encode(replace(decode(Path(path).read_bytes()), labels=()))
