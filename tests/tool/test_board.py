# SPDX-License-Identifier: Apache-2.0
"""Board files and families of cells: what is inherited, and what is said of a wrong one and where."""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from carillon import pipeline
from carillon.build.manifest import manifest
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.emit import emit
from carillon.emit.board import pieces
from carillon.model.board import BIT, ENABLE, FLAGS, Board
from carillon.model.family import Capability
from carillon.model.time import ClockKind
from carillon.read.board import load_board
from carillon.read.family import load_family
from carillon.resources import board_names, data_root

ROOT = data_root()
TINY = (ROOT / "boards/virtual-tiny/board.toml").read_text(encoding="utf-8")
FAMILIES = sorted(path.parent.name for path in (ROOT / "cells").glob("*/cell.toml"))


def board(folder: Path, text: str, name: str = "mine") -> Path:
    """A board's file, with this text."""
    path = folder / name / "board.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def messages(folder: Path, text: str) -> list[str]:
    """What is said of a board with this text, as LINE:COLUMN CODE CAUSE."""
    path = board(folder, text)
    with pytest.raises(CarillonError) as refused:
        load_board(path)
    found = []
    for diagnostic in refused.value.diagnostics:
        assert diagnostic.span is not None
        assert diagnostic.remedy
        assert diagnostic.span.file == str(path)
        found.append(f"{diagnostic.span.line}:{diagnostic.span.column} {diagnostic.code} {diagnostic.cause}")
    return found


def line(part: str) -> int:
    """The number of the line of virtual-tiny that holds ``part``."""
    return next(number for number, text in enumerate(TINY.splitlines(), 1) if part in text)


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ("levels = 3", "stack = 64\nlevels = 3", "9 C050 'stack': 64 is out of range"),
        ("levels = 3", "levels = true", "10 C050 'levels' must be an integer, not a truth value"),
        ("levels = 3", "levels = 0", "10 C050 'levels': 0 is out of range"),
        ("levels = 3", "levels = 3\nlevls = 3", "1 C050 unknown key 'levls'"),
        ("levels = 3", "levels = 3\nfolder = '/'", "1 C050 unknown key 'folder'"),
        ('port = "host"', 'port = "hots"', "8 C050 there is no port 'hots'"),
        ('family = "virtual"', 'family = "virtul"', "10 C050 there is no family of cells 'virtul'"),
        ('family = "virtual"', 'family = "../cells/virtual"', "10 C050 there is no family of cells '../cells/virtual'"),
        ('family = "virtual"', "family = 7", "10 C050 'family' of [[cells]] 1 must be a table, not an integer"),
        ("width = 16", "width = 7", "9 C050 'width' of [[cells]] 1: 7 is out of range"),
        ("width = 16", "with = 16", "1 C050 unknown key 'with' in [[cells]] 1"),
        ('start = "group"', 'start = "grup"', "9 C050 'start' of [[cells]] 1: 'grup' is none of its values"),
        (
            "sources = [0, 1]",
            'sources = [0, "1"]',
            "15 C050 element 2 of 'sources' of [[cells]] 1 must be an integer, not a string",
        ),
        ("sources = [0, 1]", "sources = [0]", "1 C050 [[cells]] 1: 2 names but 1 sources"),
        ("hz = 1_000_000", "hz = 0", "6 C050 'hz' of [[clocks]] 1: 0 is out of range"),
        ('kind = "native"', 'kind = "quemu"', "8 C050 'kind' of [run]: 'quemu' is none of its values"),
    ],
)
def test_a_wrong_value_is_reported_with_file_line_and_key(tmp_path: Path, old: str, new: str, cause: str) -> None:
    column, rest = cause.split(" ", 1)
    found = messages(tmp_path, TINY.replace(old, new))
    wanted = [entry for entry in found if entry.split(" ", 1)[1] == rest]
    assert wanted, found
    place = line("[[cells]]") if "names but" in cause else line(old) + (1 if "3\nl" in new or "3\nf" in new else 0)
    assert wanted[0].split(" ")[0] == f"{place}:{column}"


@pytest.mark.parametrize(
    ("header", "key", "cause"),
    [
        ("[build]", 'compiler = "cc"\n', "[build] has no 'compiler'"),
        ("[[cells]]", "width = 16\n", "[[cells]] 1 has no 'width'"),
        ("[[cells]]", 'family = "virtual"\n', "[[cells]] 1 has no 'family'"),
        ("[[clocks]]", "hz = 1_000_000\n", "[[clocks]] 1 has no 'hz'"),
    ],
)
def test_a_missing_key_is_reported_at_its_table(tmp_path: Path, header: str, key: str, cause: str) -> None:
    assert messages(tmp_path, TINY.replace(key, "")) == [f"{line(header)}:1 C050 {cause}"]


def test_a_missing_table_is_reported_at_the_beginning(tmp_path: Path) -> None:
    assert messages(tmp_path, TINY.split("[build]")[0]) == ["1:1 C050 the file has no 'build'"]


def test_text_that_is_no_toml_is_reported_as_a_schedule_s_is(tmp_path: Path) -> None:
    found = messages(tmp_path, "name = mine\n")
    assert found[0].startswith("1:8 C011 not valid TOML")


def test_a_board_that_is_its_own_base_is_reported(tmp_path: Path) -> None:
    assert messages(tmp_path, '# mine\nbase = "mine"\n') == ["2:8 C050 this board is its own base"]


def test_a_cycle_of_bases_is_reported(tmp_path: Path) -> None:
    board(tmp_path, 'base = "mine"\n', "other")
    path = board(tmp_path, 'base = "other"\n')
    with pytest.raises(CarillonError) as refused:
        load_board(path)
    assert [str(d.span) for d in refused.value.diagnostics] == [f"{tmp_path / 'other' / 'board.toml'}:1:8"]
    assert "this board is a base of its own base" in str(refused.value)


def test_a_base_that_does_not_exist_is_reported(tmp_path: Path) -> None:
    assert messages(tmp_path, 'base = "no-such"\n') == ["1:8 C050 there is no board 'no-such' for this one to be based on"]
    assert messages(tmp_path, 'base = "a\\u0000b"\n')[0].startswith("1:8 C050 there is no board")
    assert messages(tmp_path, "base = 3\n") == ["1:8 C050 'base' must be a string, not an integer"]


def test_a_wrong_value_of_the_base_is_reported_in_the_base(tmp_path: Path) -> None:
    under = board(tmp_path, TINY.replace("width = 16", "width = 7"), "under")
    path = board(tmp_path, 'base = "under"\n[build]\nsources = 3\n')
    with pytest.raises(CarillonError) as refused:
        load_board(path)
    places = [str(d.span) for d in refused.value.diagnostics]
    assert sorted(places) == sorted([f"{under}:{line('width = 16')}:9", f"{path}:3:11"])


def test_files_of_the_base_are_the_base_s(tmp_path: Path) -> None:
    text = TINY.replace('ldflags = ["-no-pie"]', 'linker_script = "link.ld"\nsources = ["board.c"]')
    board(tmp_path, text, "under")
    inherited = load_board(board(tmp_path, 'base = "under"\nname = "mine"\n')).build
    assert inherited.sources == (str(tmp_path / "under" / "board.c"),)
    assert inherited.linker_script == str(tmp_path / "under" / "link.ld")
    own = load_board(board(tmp_path, 'base = "under"\nname = "mine"\n[build]\nsources = ["own.c"]\n')).build
    assert own.sources == (str(tmp_path / "mine" / "own.c"),)
    assert own.linker_script == str(tmp_path / "under" / "link.ld")


def test_a_base_may_be_one_of_carillon_s_boards(tmp_path: Path) -> None:
    mine = load_board(board(tmp_path, 'base = "ast1030-evb"\nname = "mine"\n'))
    assert mine.name == "mine"
    assert mine.build.sources == (str(ROOT / "boards/ast1030-evb/board.c"),)
    assert mine.build.linker_script == str(ROOT / "boards/ast1030-evb/link.ld")


MPS = (ROOT / "boards/mps2-an385/board.toml").read_text(encoding="utf-8").replace('linker_script = "link.ld"\n', "")
MPS = MPS.replace('interrupts = "interrupts.toml"\n', "")
AVR = (ROOT / "boards/atmega128/board.toml").read_text(encoding="utf-8").replace('interrupts = "interrupts.toml"\n', "")
NATIVE = "a program of this machine has no registers: leave 'startup', 'console', 'requests' and 'rtc' out"
CLOCK = '[rtc]\ndriver = "goldfish"\naddress = 0\n[build]'
BASE = "registers.base = { first = 0x40000000, stride = 0x1000 }"


def asks(key: str, capability: str, family: str) -> str:
    return f"C181 '{key}' of [[cells]] 1 asks for \"{capability}\", which cells of family '{family}' cannot do"


@pytest.mark.parametrize(
    ("text", "old", "new", "causes"),
    [
        (MPS, BASE, "", ["C180 [[cells]] 1 does not say where family 'cmsdk' has 'base'"]),
        (
            MPS,
            BASE,
            "registers.bse = 0",
            ["C180 [[cells]] 1 does not say where family 'cmsdk' has 'base'", "C180 family 'cmsdk' has no register 'bse'"],
        ),
        (
            MPS,
            BASE,
            "registers.base = 0x40000000",
            ["C180 'base' of [[cells]] 1 is the same for two cells, which have registers of their own"],
        ),
        (MPS, BASE, "registers.base = [0]", ["C180 'base' of [[cells]] 1 has 1 values, and there are 2 cells"]),
        (MPS, BASE, "registers.base = [0, true]", ["C180 'base' of [[cells]] 1 must hold integers, not a truth value"]),
        (
            MPS,
            BASE,
            "registers.base = { first = 0 }",
            ["C180 'base' of [[cells]] 1 must be { first = …, stride = … }, both integers"],
        ),
        (
            MPS,
            BASE,
            "registers.base = { first = 0, stride = 0x100000000 }",
            ["C180 'base' of [[cells]] 1 is out of range: a register is at 0 to 0xFFFFFFFF"],
        ),
        (MPS, BASE, "registers = 4", ["C180 'registers' of [[cells]] 1 must be a table"]),
        (
            AVR,
            "registers.count = 0x4C",
            "registers.count = [1, 2, 3]",
            ["C180 'count' of [[cells]] 1 differs between cells, which have this register together"],
        ),
        (
            AVR,
            "registers.bit = [4, 3, 0]",
            "registers.bit = [4, 3, 0, 1]",
            ["C180 'bit' of [[cells]] 1 has 4 values, and there are 3 cells"],
        ),
        (
            TINY,
            'rearm = "shift"',
            'rearm = "match"',
            [asks("rearm", "match", "virtual")],
        ),
        (
            TINY,
            'start = "group"',
            'start = "timer"',
            [asks("start", "channels", "virtual")],
        ),
        (
            TINY,
            'start = "group"',
            'start = "each"\nrequest_enable = "cell"',
            [asks("request_enable", "mask", "virtual")],
        ),
        (
            AVR,
            'roles = ["activation",',
            'roles = ["control", "activation",',
            [asks("roles", "remaining", "avr16")],
        ),
        (
            MPS,
            "acknowledge = true",
            "",
            ["C181 cells of family 'cmsdk' ask until they are answered, and [[cells]] 1 has no handler do that"],
        ),
        (
            MPS,
            'start = "each"',
            'start = "timer"',
            [
                asks("start", "channels", "cmsdk"),
                "C181 cells of [[cells]] 1 that have masks of their own are started by a store each, masked or not",
            ],
        ),
        (AVR, "soft0 = 5", "soft0 = 9", ["C182 nothing says where source 9 is enabled"]),
        (
            AVR,
            "sources = [1, 2, 3, 4]",
            "sources = [1, 2, 3, 12]",
            ["C050 the file: source 12 has two places where it is enabled"],
        ),
        (AVR, "bits = [0, 1, 2, 3]", "bits = [0, 1, 2]", ["C050 [[requests]] 1: 4 sources but 3 in 'bits'"]),
        (MPS, "full = 1\n", "", ["C050 [console]: write either 'full' or 'empty'"]),
        (MPS, "[build]", CLOCK.replace("fish", "fsh"), ["C050 there is no driver 'goldfsh' of a real-time clock"]),
        (MPS, "[build]", CLOCK.replace("driver", "kind"), ["C050 [rtc] has no 'driver'", "C050 unknown key 'kind' in [rtc]"]),
        (TINY, "[build]", CLOCK, [f"C050 the file: {NATIVE}"]),
        (
            MPS,
            "[build]",
            CLOCK.replace("address", "lse_ms = 5000\naddress"),
            ["C050 the real-time clock of driver 'goldfish' has no 'lse_ms'"],
        ),
        (
            AVR,
            "[build]",
            CLOCK.replace("goldfish", "stm32"),
            ["C050 chips with port 'avr' have no real-time clock of the kind that driver 'stm32' is for"],
        ),
        (
            MPS,
            "[build]",
            CLOCK.replace("goldfish", "stm32").replace("address", "lse_ms = 60001\naddress"),
            ["C050 'lse_ms' of [rtc]: 60001 is out of range"],
        ),
        (MPS, "full = 1\n", "full = 1\nempti = 1\n", ["C050 unknown key 'empti' in [console]"]),
        (
            TINY,
            'idle = "sleep"',
            "startup = [{ address = 0, value = 0 }]",
            [f"C050 the file: {NATIVE}"],
        ),
    ],
)
def test_what_a_board_says_of_registers_fits_its_families(
    tmp_path: Path, text: str, old: str, new: str, causes: list[str]
) -> None:
    assert old in text
    found = messages(tmp_path, text.replace(old, new, 1))
    assert [entry.split(" ", 1)[1] for entry in found] == causes
    if causes[0].startswith("C18"):
        assert found[0].split(":")[0] != "1", "the place is that of the key, or of its table"


@pytest.mark.parametrize("name", FAMILIES)
def test_each_family_is_read_whole(name: str) -> None:
    diagnostics = Diagnostics()
    family = load_family(ROOT / "cells" / name / "cell.toml", diagnostics)
    assert not diagnostics.reported
    assert family is not None
    assert family.name == name


def test_the_board_carries_its_families() -> None:
    loaded = load_board(ROOT / "boards/atmega128/board.toml")
    assert [array.family.name for array in loaded.cells] == ["avr16", "avr16"]
    assert loaded.cells[0].family.late
    assert loaded.cells[0].family.clock[ClockKind.COMPARE].free


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("align = false\n", "1:1: error C050: the file has no 'finish'"),
        (
            'can = ["match", "match-in-round"]\nalign = false\nfinish = false\n',
            "'match-in-round' is for channels whose match can be moved",
        ),
        ('can = ["postpone"]\nalign = false\nfinish = false\n', "'postpone' moves a cell that is re-armed"),
        ("align = 1\nfinish = true\n", "1:9: error C050: 'align' must be true or false, not an integer"),
        (
            "align = true\nfinish = true\n[clock.own-shot]\n",
            "3:1: error C050: [clock.own-shot]: 'own-shot' is none of its values",
        ),
        (
            "align = true\nfinish = true\n[clock.one-shot]\nbits = 99\n",
            "4:8: error C050: 'bits' of [clock.one-shot]: 99 is out of",
        ),
        ("align = true\nfinish = true\n[clock.one-shot]\nbts = 9\n", "4:1: error C050: unknown key 'bts' in [clock.one-shot]"),
        ("align = true\nfinish = true\n[clock.periodic]\n", "error C050: the file: any cell can be a periodic clock"),
        ("align = true\nfinish = false\n", "error C050: the file: 'align' is for cells that start together"),
        ("align = false\nfinish = false\nbase = 'down'\n", "error C050: the file: a time base that counts down is read"),
        (
            "align = false\nfinish = false\ncan = ['fly']\n",
            "3:8: error C050: element 1 of 'can': 'fly' is none of its values",
        ),
        (
            "align = false\nfinish = false\nregisters = { base = 'each' }\n",
            "3:22: error C050: 'registers.base': 'each' is none of its values",
        ),
        (
            "align = false\nfinish = false\nlookup = { of = ['base', 'other'] }\n",
            "error C050: the file: 'lookup' names 'base', which is none of 'registers'",
        ),
        ("align = true\nfinish = true\nname = 'x'\n", "3:1: error C050: unknown key 'name'"),
        ("align = tru\n", "1:9: error C011"),
    ],
)
def test_a_wrong_family_is_reported_with_file_line_and_key(tmp_path: Path, text: str, place: str) -> None:
    path = tmp_path / "mine" / "cell.toml"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    diagnostics = Diagnostics()
    assert load_family(path, diagnostics) is None
    assert place in str(diagnostics.reported[0])
    assert str(diagnostics.reported[0]).startswith(f"{path}:")


NEEDED = {
    Capability.SYNCHRONISE: {"SYNC("},
    Capability.SYNC_POINT: ("SYNC_PREPARE(", "SYNC_LENGTH("),
    Capability.START_TOGETHER: ("START(", "BIT("),
    Capability.CHANNELS: ("FREE_PREPARE(", "FREE_START("),
    Capability.SHIFT: ("REARM_REGISTER(", "INTERVAL(", "_rearm("),
    Capability.RELOAD: ("REARM_REGISTER(", "INTERVAL(", "TIMEKEEPER_PREPARE(", "START_DISARMED(", "_rearm("),
    Capability.MATCH: ("REARM_REGISTER(", "INTERVAL(", "_rearm("),
    Capability.MATCH_IN_ROUND: (),
    Capability.LAPS: ("_lap(",),
    Capability.POSTPONE: ("POSTPONE(", "_postpone("),
    Capability.REMAINING: ("COUNTER(", "PHASE("),
    Capability.ACKNOWLEDGE: ("_acknowledge(",),
    Capability.MASK: ("_arm(", "_disarm("),
    Capability.HOLD: ("HOLD(",),
    Capability.ASK: ("_asks(",),
    Capability.DEFER: ("_begin(", "_next("),
    Capability.LOAD: ("COUNTER(",),
    Capability.PAUSE: ("WORD(", "ALL("),
    Capability.BUDGET: ("_keeps(",),
    Capability.FIRST: ("FIRST(",),
    Capability.RESTART: ("STOP_TOGETHER(", "RESTART("),
    Capability.MOVE: ("MOVE(", "RESTART_PREPARE("),
    Capability.ARMS: ("ARMS(", "HOLD("),
    Capability.KEEP: ("KEEP(",),
    Capability.UNTOUCHED: ("UNTOUCHED(",),
    Capability.MEASURED: ("MEASURED(",),
    Capability.WITHIN: ("LEFT(",),
    Capability.TRIGGER: ("TRIGGER_PREPARE(", "TRIGGER_START("),
}
"""The names by which a driver does what its family can."""


@pytest.mark.parametrize("name", FAMILIES)
def test_a_driver_has_the_names_of_what_its_family_can_do_and_no_others(name: str) -> None:
    family = load_family(ROOT / "cells" / name / "cell.toml", Diagnostics())
    assert family is not None
    text = (ROOT / "cells" / name / "cell.h").read_text(encoding="utf-8")
    has = set(re.findall(rf"^#define {name.upper()}_(\w+\()", text, re.MULTILINE))
    has |= set(re.findall(rf"^static inline (?:void|bool|uint32_t) {name}(_\w+\()", text, re.MULTILINE))
    has |= {f"{key.upper()}(" for key in family.registers}
    named = {macro for macros in NEEDED.values() for macro in macros} - {"START("}
    if BIT in family.registers:  # a number of a bit, of which the port makes macros
        has.discard("BIT(")
    wanted = {macro for capability in family.can for macro in NEEDED[capability]}
    if Capability.ACKNOWLEDGE not in family.can:
        wanted.discard("_keeps(")
    wanted |= {"START_DISARMED("} if Capability.MASK in family.can and Capability.HOLD not in family.can else set()
    assert wanted <= has
    assert has & named <= wanted
    for key in family.registers:
        used = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        assert key in (ENABLE, FLAGS, BIT) or name == "template" or f"{name.upper()}_{key.upper()}(" in used


def test_a_run_of_neighbours_is_a_line_and_every_value_is_right() -> None:
    generator = random.Random(7)
    for _ in range(300):
        keys = sorted(generator.sample(range(60), generator.randrange(1, 12)))
        values = {key: generator.choice((7, key, 3 * key + 5, 90 - key, generator.randrange(100))) for key in keys}
        ends = generator.sample(keys, generator.randrange(len(keys)))
        expression = pieces(values, "x", "0x{:X}u", ends)
        for key, value in values.items():
            python = re.sub(r"\(\(x\) <= (\d+)u \? ([^?:]+) : ", r"((\2) if (x) <= \1 else ", expression)
            python = re.sub(r"\b(0x[0-9A-F]+|\d+)u", r"\1", python)
            assert eval(python, {"x": key}) == value, (values, expression)
    assert pieces({0: 0x40, 1: 0x50, 2: 0x60}, "cell") == "(0x40u + 0x10u * (cell))"
    assert pieces({5: 3, 9: 3}, "source") == "(0x3u)"


# Whatever such a file holds, only diagnostics come out

VALUES = [
    "true",
    "false",
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "15",
    "16",
    "64",
    "65",
    "255",
    "256",
    "4095",
    "4096",
    "65535",
    "100000",
    "2147483647",
    "2147483648",
    "4294967296",
    "99999999999999999999",
    "1.5",
    "nan",
    "1979-05-27",
    '""',
    '"x"',
    '"virtual"',
    '"mtime"',
    '"cell"',
    '"each"',
    '"group"',
    '"timer"',
    '"shift"',
    '"reload"',
    '"match"',
    '"activation"',
    '"native"',
    '"qemu"',
    '"../x"',
    '"a\\u0000b"',
    '"a\\nb"',
    "[]",
    "[0]",
    "[1,1]",
    "[-1]",
    '["x"]',
    '["activation"]',
    "{}",
    "{a=1}",
    "{activation=0}",
    '{x="y"}',
    "[[]]",
    "[{}]",
]
LINES = [
    "",
    "[build]",
    "[run]",
    "[[cells]]",
    "[[clocks]]",
    "[x]",
    "base = 'virtual-tiny'",
    "x = 1",
    "[costs.compare]",
    "width = 8",
]
SCHEDULE = '[system]\nsources = []\n[task.a]\nperiod = "2ms"\nwcet = "1us"\n[task.b]\nperiod = "2ms"\noffset = "1ms"\n'


def mutated(text: str, random_numbers: random.Random) -> str:
    """``text`` with one to three of its values or lines changed."""
    lines = text.splitlines()
    for _ in range(random_numbers.choice((1, 1, 1, 2, 3))):
        place = random_numbers.randrange(len(lines))
        way = random_numbers.randrange(5)
        key, equals, old = lines[place].partition("=")
        if way < 3 and equals:
            same = [v for v in VALUES if v[0] == old.strip()[0] or (v.isdigit() and old.strip()[0].isdigit())]
            lines[place] = f"{key}= {random_numbers.choice(same if same and way else VALUES)}"
        elif way == 3:
            del lines[place]
        else:
            lines.insert(place, random_numbers.choice(LINES))
        if not lines:
            break
    return "\n".join(lines) + "\n"


def only_diagnostics(folder: Path, text: str, schedule: Path) -> Board | None:
    path = board(folder, text)
    try:
        planned = pipeline.plan(schedule, Diagnostics(), str(path), time_limit=1.0)
        emit(planned.image)
        manifest(planned.image, folder)
        return planned.system.board
    except CarillonError as refused:
        assert any(d.severity.value == "error" for d in refused.diagnostics)
        for d in refused.diagnostics:
            assert d.cause
            assert d.remedy
            assert re.fullmatch(r"[^\n]*", d.cause)
    return None


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(board_names()), st.integers(0, 2**32))
def test_a_mutated_board_never_gives_a_traceback(tmp_path: Path, name: str, seed: int) -> None:
    schedule = tmp_path / "app.toml"
    schedule.write_text(SCHEDULE, encoding="utf-8")
    for file in (ROOT / "boards" / name).iterdir():
        if file.name != "board.toml":
            (tmp_path / "mine").mkdir(exist_ok=True)
            shutil.copy(file, tmp_path / "mine")
    text = (ROOT / "boards" / name / "board.toml").read_text(encoding="utf-8")
    only_diagnostics(tmp_path, mutated(text, random.Random(seed)), schedule)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(FAMILIES), st.integers(0, 2**32))
def test_a_mutated_family_never_gives_a_traceback(tmp_path: Path, name: str, seed: int) -> None:
    path = tmp_path / "mine" / "cell.toml"
    path.parent.mkdir(exist_ok=True)
    text = (ROOT / "cells" / name / "cell.toml").read_text(encoding="utf-8")
    path.write_text(mutated(text, random.Random(seed)), encoding="utf-8")
    diagnostics = Diagnostics()
    family = load_family(path, diagnostics)
    assert (family is None) == bool(diagnostics.errors)


@pytest.mark.parametrize(
    ("names", "cause"),
    [
        (None, "there is no file 'names.toml' with the interrupts' names"),
        ("handler = 3\n[numbers]\nA = 0\n", "'handler' must be a string, not an integer"),
        ('handler = "{}"\n', "the file has no 'numbers'"),
        ('handler = "{}"\nfirst = 16\n[numbers]\nA = 40\n', "the file: interrupt 'A' has source 56, but there are 48 sources"),
    ],
)
def test_a_wrong_file_of_interrupts_names_is_refused(tmp_path: Path, names: str | None, cause: str) -> None:
    path = board(tmp_path, MPS.replace("sources = 48", 'interrupts = "names.toml"\nsources = 48', 1))
    if names is not None:
        (path.parent / "names.toml").write_text(names, encoding="utf-8")
    with pytest.raises(CarillonError) as refused:
        load_board(path)
    assert [d.code for d in refused.value.diagnostics] == ["C050"]
    assert refused.value.diagnostics[0].cause.startswith(cause)
