# SPDX-License-Identifier: Apache-2.0
"""OIL files are read as the schedules that they are imported to, and what is wrong with them is said at its place.

``oil/good`` holds files beside the schedule (NAME.toml) and the warnings (NAME.txt) that importing them gives,
``oil/bad`` files beside the exact messages.  Every expected file begins with the line of its licence.
``CARILLON_ACCEPT=1 pytest tests/tool/test_oil.py`` writes what comes out; read it before you commit it.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import carillon
from carillon.check import check_system
from carillon.cli import app
from carillon.diagnostics import Diagnostics
from carillon.explain import codes, explain
from carillon.frontends import read_foreign, read_schedule
from carillon.frontends.foreign.choices import duration
from carillon.frontends.foreign.converted import foreign_tables
from carillon.frontends.foreign.write import schedule_text
from carillon.frontends.oil import application_name
from carillon.frontends.oil import read_foreign as read_oil
from carillon.frontends.oil.resolve import standard
from carillon.read import build_system
from carillon.resources import data_root
from sample import few

CORPUS = Path(__file__).parent / "oil"
GOOD = CORPUS / "good"
BAD = CORPUS / "bad"
GOOD_NAMES = sorted(path.stem for path in GOOD.glob("*.oil"))
BAD_NAMES = sorted(path.stem for path in BAD.glob("*.oil"))
LICENCE = "# SPDX-License-Identifier: Apache-2.0\n"
OWN_CODES = range(140, 160)
EXAMPLE = re.compile(r"^(Wrong|Right):\n\n```oil\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = [
    (code, kind, text)
    for code in codes()
    if int(code[1:]) in OWN_CODES
    for kind, text in EXAMPLE.findall((explain(code) or pytest.fail()).text)
]


def bare(value: Any) -> Any:
    """A model without what says where it was read."""
    if is_dataclass(value):
        hidden = ("span", "file", "digest", "inputs", "searches")
        return type(value).__name__, {f.name: bare(getattr(value, f.name)) for f in fields(value) if f.name not in hidden}
    if isinstance(value, (tuple, list)):
        return [bare(element) for element in value]
    return value


def messages(path: Path, board: str | None = None) -> str:
    diagnostics = Diagnostics()
    system = read_schedule(path, diagnostics, board)
    if system is not None:
        check_system(system, diagnostics)
    return "".join(f"{diagnostic}\n" for diagnostic in diagnostics.in_order())


def reading(path: Path) -> str:
    """The warnings of reading alone; there must be no error."""
    diagnostics = Diagnostics()
    assert read_schedule(path, diagnostics) is not None
    assert not diagnostics.errors, diagnostics.errors
    return "".join(f"{diagnostic}\n" for diagnostic in diagnostics.in_order())


def imported(path: Path, folder: Path | None = None) -> str:
    oil = read_oil(path, Diagnostics())
    assert oil is not None
    return schedule_text(oil.converted, path, folder or path.parent)


def system(path: Path, board: str | None = None) -> Any:
    diagnostics = Diagnostics()
    found = read_schedule(path, diagnostics, board)
    assert not diagnostics.errors, "\n".join(map(str, diagnostics.reported))
    assert found is not None
    return bare(found)


def expect(path: Path, found: str) -> None:
    text = LICENCE + found
    if os.environ.get("CARILLON_ACCEPT"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def write(folder: Path, text: str, name: str = "engine.oil") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# The corpus


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_a_good_file_is_imported_to_the_schedule_beside_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(GOOD)
    expect(GOOD / f"{name}.toml", imported(Path(f"{name}.oil")))


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_a_good_file_gives_the_warnings_beside_it_and_no_errors(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(GOOD)
    expect(GOOD / f"{name}.txt", reading(Path(f"{name}.oil")))


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_a_good_file_and_its_import_are_one_system(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(GOOD)
    assert system(Path(f"{name}.oil")) == system(Path(f"{name}.toml"))


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_bad_file_produces_exactly_the_messages_beside_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BAD)
    found = messages(Path(f"{name}.oil"))
    expect(BAD / f"{name}.txt", found)
    assert found, "a bad file must be reported"


def test_every_expected_file_belongs_to_an_input() -> None:
    assert sorted(path.stem for path in GOOD.glob("*.toml")) == GOOD_NAMES
    assert sorted(path.stem for path in GOOD.glob("*.txt")) == GOOD_NAMES
    assert sorted(path.stem for path in BAD.glob("*.txt")) == BAD_NAMES


def test_the_big_file_has_sixty_objects() -> None:
    oil = read_oil(GOOD / "big.oil", Diagnostics())
    assert oil is not None
    osek = oil.converted.data["osek"]
    assert sum(len(osek[kind]) for kind in ("task", "isr", "resource", "event", "counter", "alarm", "modes")) >= 60


def test_every_code_of_the_reader_is_produced_by_the_corpus() -> None:
    found = "".join(path.read_text(encoding="utf-8") for path in (*BAD.glob("*.txt"), *GOOD.glob("*.txt")))
    for code in codes():
        if int(code[1:]) in OWN_CODES:
            assert f" {code}: " in found, code


def test_every_code_in_the_reader_is_explained() -> None:
    folder = Path(carillon.__file__).parent / "frontends"
    files = [*folder.glob("oil/*.py"), *folder.glob("foreign/*.py")]
    used = {code for path in files for code in re.findall(r"\bC1[45]\d\b", path.read_text(encoding="utf-8"))}
    assert sorted(used) == [code for code in codes() if int(code[1:]) in OWN_CODES]


@pytest.mark.parametrize(("code", "kind", "text"), EXAMPLES, ids=[f"{code}-{kind.lower()}" for code, kind, _ in EXAMPLES])
def test_the_wrong_example_of_an_explanation_is_reported_and_the_right_one_is_not(
    code: str, kind: str, text: str, tmp_path: Path
) -> None:
    diagnostics = Diagnostics()
    read_schedule(write(tmp_path, text), diagnostics)
    assert {d.code for d in diagnostics.reported} == ({code} if kind == "Wrong" else set()), "\n".join(
        map(str, diagnostics.reported)
    )


def test_every_code_of_the_reader_has_a_wrong_and_a_right_example() -> None:
    for code in codes():
        if int(code[1:]) in OWN_CODES:
            assert [kind for c, kind, _ in EXAMPLES if c == code] == ["Wrong", "Right"], code


# The language

CPU = 'OIL_VERSION = "2.5";\nCPU engine {\n%s\n};\n'


def tables(tmp_path: Path, objects: str, text: str = CPU) -> dict[str, Any]:
    """The [osek] table of a file with these objects; nothing may be wrong with it."""
    diagnostics = Diagnostics()
    oil = read_oil(write(tmp_path, text % objects), diagnostics)
    assert oil is not None
    assert not diagnostics.errors, "\n".join(map(str, diagnostics.reported))
    osek = oil.converted.data["osek"]
    assert isinstance(osek, dict)
    return osek


def errors(tmp_path: Path, text: str) -> list[str]:
    """The errors of a file as ``line:column code``."""
    diagnostics = Diagnostics()
    read_schedule(write(tmp_path, text), diagnostics)
    return [f"{d.span.line}:{d.span.column} {d.code}" for d in diagnostics.errors if d.span]


@pytest.mark.parametrize(("written", "number"), [("3", 3), ("0x1F", 31), ("0X1f", 31), ("+7", 7), ("007", 7), ("1", 1), ("0", 0)])
def test_numbers_are_decimal_or_hexadecimal(tmp_path: Path, written: str, number: int) -> None:
    assert tables(tmp_path, f"TASK T {{ PRIORITY = {written}; }};")["task"]["T"]["priority"] == number


@pytest.mark.parametrize(
    ("written", "tick"),
    [("1", "1s"), ("0.001", "1ms"), ("1.0E-3", "1ms"), ("2.5e-4", "250us"), ("1e-9", "1ns"), ("0.0005", "500us"), ("1.", "1s")],
)
def test_seconds_per_tick_becomes_a_time_without_rounding(tmp_path: Path, written: str, tick: str) -> None:
    assert tables(tmp_path, f"COUNTER C {{ SECONDSPERTICK = {written}; }};")["counter"]["C"]["tick"] == tick


def test_a_duration_is_exact() -> None:
    from fractions import Fraction

    assert duration(Fraction(1, 3 * 10**3) * 3) == "1ms"
    assert duration(Fraction(123456789, 10**9)) == "123.456789ms"


def test_comments_and_line_ends_of_any_kind_are_nothing(tmp_path: Path) -> None:
    text = 'OIL_VERSION/*a*/=// b\r\n"2.5";\r\nCPU/* { */e{TASK T{PRIORITY=3;/* // */};\r};// }\n/**/'
    path = tmp_path / "engine.oil"
    path.write_bytes(text.encode())
    diagnostics = Diagnostics()
    oil = read_oil(path, diagnostics)
    assert oil is not None
    assert not diagnostics.reported
    assert oil.converted.data["osek"]["task"] == {"T": {"priority": 3}}


def test_a_file_may_be_in_latin_1_or_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    text = CPU % 'TASK T { PRIORITY = 3; } : "für Öl"; // Größe'
    path = tmp_path / "engine.oil"
    for content in (text.encode("latin-1"), b"\xef\xbb\xbf" + text.encode()):
        path.write_bytes(content)
        assert "# für Öl\n[osek.task.T]" in imported(path)


def test_strings_may_hold_quotes_and_backslashes(tmp_path: Path) -> None:
    objects = r'TASK T { PRIORITY = 3; } : "a \"b\" \\ c:\dir";' + "\n" + r'TASK U { PRIORITY = 3; PATH = "c:\"; };'
    tables(tmp_path, objects)
    text = imported(tmp_path / "engine.oil")
    assert '# a "b" \\ c:\\dir\n' in text
    assert r'TASK U: PATH = "c:\\"' in text


def test_places_are_those_of_the_file_that_holds_the_value(tmp_path: Path) -> None:
    write(tmp_path, "TASK Fuel {\n    PRIORITY = 3;\n    RESOURCE = Gone;\n};\n", "parts/tasks.inc")
    path = write(tmp_path, CPU % '#include "parts/tasks.inc"\nTASK Fuel { EVENT = Lost; };')
    diagnostics = Diagnostics()
    read_schedule(path, diagnostics)
    assert [str(d.span) for d in diagnostics.errors] == [f"{path}:4:21", f"{tmp_path / 'parts' / 'tasks.inc'}:3:16"]


def test_an_include_is_looked_for_beside_its_own_file_then_beside_the_main_file(tmp_path: Path) -> None:
    write(tmp_path, '#include "inner.inc"\n#include <other.inc>\n', "parts/outer.inc")
    write(tmp_path, "TASK Inner { PRIORITY = 1; };", "parts/inner.inc")
    write(tmp_path, "TASK Wrong { PRIORITY = 1; };", "inner.inc")
    write(tmp_path, "TASK Other { PRIORITY = 2; };", "other.inc")
    assert list(tables(tmp_path, '#include "parts/outer.inc"')["task"]) == ["Inner", "Other"]


def test_includes_that_multiply_are_bounded(tmp_path: Path) -> None:
    for n in range(18):
        write(tmp_path, f'#include "{n + 1}.inc"\n' * 3, f"{n}.inc")
    write(tmp_path, "TASK T { PRIORITY = 1; };", "18.inc")
    found = messages(write(tmp_path, CPU % '#include "0.inc"'))
    assert "error C142: more than 200 includes" in found
    assert found.count("error") == 1


def test_includes_that_are_nested_too_deeply_are_refused(tmp_path: Path) -> None:
    for n in range(30):
        write(tmp_path, f'#include "{n + 1}.inc"\n', f"{n}.inc")
    write(tmp_path, "", "30.inc")
    assert "error C142: includes are nested more than 20 levels deep" in messages(write(tmp_path, CPU % '#include "0.inc"'))


def test_a_definition_that_comes_behind_the_application_counts(tmp_path: Path) -> None:
    text = CPU % "TASK T { PRIORITY = 9; };" + "IMPLEMENTATION late { TASK { UINT32 [1..8] PRIORITY; }; };\n"
    assert errors(tmp_path, text) == ["3:21 C145"]


def test_an_object_in_several_blocks_is_one_object(tmp_path: Path) -> None:
    osek = tables(
        tmp_path,
        "TASK T { PRIORITY = 3; EVENT = A; AUTOSTART = TRUE { APPMODE = m; }; };"
        "APPMODE m { }; APPMODE n { }; EVENT A { }; EVENT B { };"
        "TASK T { EVENT = B; EVENT = A; AUTOSTART = TRUE { APPMODE = n; APPMODE = m; }; PRIORITY = 3; };",
    )
    assert osek["task"]["T"] == {"priority": 3, "autostart": ["m", "n"], "events": ["A", "B"]}


def test_the_order_of_objects_is_that_of_their_first_blocks(tmp_path: Path) -> None:
    osek = tables(tmp_path, "TASK B { PRIORITY = 1; }; TASK A { PRIORITY = 2; }; TASK B { SCHEDULE = NON; };")
    assert list(osek["task"]) == ["B", "A"]


def test_errors_of_syntax_do_not_hide_one_another(tmp_path: Path) -> None:
    text = CPU % "TASK A { PRIORITY 1; };\nTASK B { = 2; };\nTASK C { PRIORITY = 3 };\nTASK D { SCHEDULE = ; ACTIVATION = x; };"
    assert errors(tmp_path, text) == ["3:19 C140", "4:10 C140", "5:22 C140", "6:21 C140", "6:36 C145"]


@pytest.mark.parametrize(("size", "found"), [(64, []), (127, []), (128, []), (1_048_577, ["3:75 C145"])])
def test_a_stack_has_the_bounds_that_a_schedule_has_and_oils_own_message(size: int, found: list[str], tmp_path: Path) -> None:
    text = CPU % f"EVENT Go {{ MASK = AUTO; }}; TASK T {{ PRIORITY = 1; EVENT = Go; STACKSIZE = {size}; }};"
    assert errors(tmp_path, text) == found


def test_what_is_left_out_because_of_a_wrong_value_is_not_reported_as_missing(tmp_path: Path) -> None:
    text = CPU % "COUNTER C { SECONDSPERTICK = x; };\nTASK T { PRIORITY = x; };\nALARM A { COUNTER = 1; ACTION = y; };"
    assert errors(tmp_path, text) == ["3:30 C145", "4:21 C145", "5:21 C145", "5:33 C145"]


def test_carillons_own_definition_is_sound() -> None:
    assert {"OS", "TASK", "COUNTER", "ALARM", "RESOURCE", "EVENT", "ISR", "APPMODE", "SCHEDULETABLE"} == set(standard())


@pytest.mark.parametrize(("stem", "name"), [("engine", "engine"), ("my engine", "my_engine"), ("2nd", "app_2nd"), ("é", "app__")])
def test_the_applications_name_comes_from_that_of_the_file(stem: str, name: str, tmp_path: Path) -> None:
    assert application_name(stem) == name
    diagnostics = Diagnostics()
    found = read_schedule(write(tmp_path, CPU % "TASK T { PRIORITY = 1; };", f"{stem}.oil"), diagnostics)
    assert found is not None
    assert found.name == name
    assert not diagnostics.reported


def test_the_c_files_beside_an_oil_file_are_its_sources(tmp_path: Path) -> None:
    (tmp_path / "main.c").touch()
    (tmp_path / "io.c").touch()
    found = read_schedule(write(tmp_path, CPU % "TASK T { PRIORITY = 1; };"), Diagnostics())
    assert found is not None
    assert [path.name for path in found.sources] == ["io.c", "main.c"]


def test_the_sources_that_an_oil_file_lists_are_its_sources_wherever_it_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("old/main.c", "old/unlisted.c", "shared/io.cpp"):
        write(tmp_path, "", name)
    systems = 'OS one { BUILD = TRUE { APP_SRC = "main.c"; }; };\nOS two { APP_SRC = "..\\shared\\io.cpp"; };'
    write(tmp_path, CPU % f"{systems}\nTASK T {{ PRIORITY = 1; }};", "old/engine.oil")
    found = read_schedule(Path("old/engine.oil"), Diagnostics())
    assert found is not None
    assert [path.as_posix() for path in found.sources] == ["old/main.c", "old/../shared/io.cpp"]
    assert run("import", "old/engine.oil", "-o", "new/schedule.toml").exit_code == 0
    text = (tmp_path / "new" / "schedule.toml").read_text(encoding="utf-8")
    assert 'sources = ["../old/main.c", "../shared/io.cpp"]' in text
    assert not messages(Path("new/schedule.toml"))


def test_a_listed_source_that_is_not_there_is_reported_where_it_is_listed(tmp_path: Path) -> None:
    assert errors(tmp_path, CPU % 'OS one { APP_SRC = "gone.c"; };\nTASK T { PRIORITY = 1; };') == ["3:20 C027"]


def test_cpus_and_oses_of_different_names_are_one(tmp_path: Path) -> None:
    text = CPU % "OS one { STATUS = EXTENDED; };\nTASK T { PRIORITY = 1; };" + "CPU other { OS two { ERRORHOOK = TRUE; }; };"
    found = read_schedule(write(tmp_path, text), Diagnostics())
    assert found is not None
    assert found.osek is not None
    assert found.osek.status.value == "extended"
    assert [hook.value for hook in found.osek.hooks] == ["error"]


def test_sources_of_interrupts_follow_the_board_of_the_command_line(tmp_path: Path) -> None:
    path = write(tmp_path, CPU % "TASK T { PRIORITY = 1; }; ISR I { CATEGORY = 2; };")
    assert "I gets soft0" in messages(path)
    assert "I gets srn64" in messages(path, "tc1796")


def test_a_missing_file_and_a_folder_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.oil").mkdir()
    assert messages(Path("gone.oil")).startswith("gone.oil:1:1: error C010: there is no file 'gone.oil'\n")
    assert messages(Path("folder.oil")).startswith("folder.oil:1:1: error C010: 'folder.oil' is a folder, and no OIL file\n")
    assert messages(Path("a\0b.oil")).startswith("a\0b.oil:1:1: error C010: ")


# Equal models, whatever the application and however it is written

NAMES = st.sampled_from([f"Name{n}" for n in range(6)])
DESCRIPTIONS = st.text(st.characters(codec="utf-8", exclude_characters='"\0', exclude_categories=["Cs"]), max_size=30).filter(
    lambda text: not text.endswith("\\") and "\r" not in text
)


@st.composite
def applications(draw: st.DrawFn) -> str:
    """An OIL file without errors: objects in any order, each in one or two blocks, with or without descriptions."""
    blocks: list[str] = []

    def described(text: str) -> str:
        if draw(st.booleans()):
            return text
        description = draw(DESCRIPTIONS).replace("\\", "\\\\")
        return f'{text} : "{description}"'

    def add(kind: str, name: str, attributes: list[str]) -> None:
        split = draw(st.integers(0, len(attributes)))
        parts = (attributes[:split], attributes[split:]) if split else (attributes,)
        blocks.extend(described(f"{kind} {name} {{ " + " ".join(described(a) + ";" for a in p) + " }") + ";" for p in parts)

    modes = [f"Mode{n}" for n in range(draw(st.integers(0, 3)))]
    events = [f"Event{n}" for n in range(draw(st.integers(0, 4)))]
    resources = [f"Resource{n}" for n in range(draw(st.integers(0, 3)))]
    tasks = [f"Task{n}" for n in range(draw(st.integers(1, 5)))]
    counters = [f"Counter{n}" for n in range(draw(st.integers(1, 3)))]
    some_modes = st.lists(st.sampled_from(modes), unique=True) if modes else st.just([])
    truth = st.sampled_from(["TRUE", "FALSE"])
    hooks = ("STARTUPHOOK", "ERRORHOOK", "SHUTDOWNHOOK", "PRETASKHOOK", "POSTTASKHOOK")
    switches = ("USEGETSERVICEID", "USEPARAMETERACCESS", "STACKMONITORING")
    chosen = draw(st.lists(st.sampled_from(hooks + switches), unique=True))
    add(
        "OS", "system", [f"{s} = {draw(truth)}" for s in chosen] + [f"STATUS = {draw(st.sampled_from(['STANDARD', 'EXTENDED']))}"]
    )
    for mode in modes:
        add("APPMODE", mode, [])
    owners: dict[str, str] = {}
    for task in tasks:
        own = draw(st.lists(st.sampled_from(events), unique=True)) if events else []
        owners.update(dict.fromkeys(own, task))
        attributes = [f"PRIORITY = {draw(st.integers(0, 65535))}"]
        attributes += [f"EVENT = {event}" for event in own]
        attributes += [f"RESOURCE = {r}" for r in resources if draw(st.booleans())]
        if draw(st.booleans()):
            attributes.append(f"SCHEDULE = {draw(st.sampled_from(['FULL', 'NON']))}")
        if not own:
            attributes.append(f"ACTIVATION = {draw(st.integers(1, 255)):#x}")
        if draw(st.booleans()):
            attributes.append(f"STACKSIZE = {draw(st.integers(128, 4096))}")
        if draw(st.booleans()):
            inside = " ".join(f"APPMODE = {mode};" for mode in draw(some_modes))
            attributes.append(f"AUTOSTART = TRUE {{ {inside} }}" if inside else "AUTOSTART = TRUE")
        add("TASK", task, attributes)
    for number, event in enumerate(events):
        add("EVENT", event, [draw(st.sampled_from(["MASK = AUTO", f"MASK = {1 << number + 8}"]))])
    for number, resource in enumerate(resources):
        link = draw(st.integers(-1, number - 1))
        add(
            "RESOURCE",
            resource,
            [f"RESOURCEPROPERTY = LINKED {{ LINKEDRESOURCE = Resource{link}; }}" if link >= 0 else "RESOURCEPROPERTY = STANDARD"],
        )
    for counter in counters:
        attributes = [
            draw(st.sampled_from(['CARILLON_TICK = "1ms"', "SECONDSPERTICK = 0.002", "TYPE = SOFTWARE", "MINCYCLE = 0"]))
        ]
        attributes.append(f"MAXALLOWEDVALUE = {draw(st.integers(100, 2**32 - 1))}")
        add("COUNTER", counter, attributes)
    for number in range(draw(st.integers(0, 4))):
        actions = [f"ACTIVATETASK {{ TASK = {task}; }}" for task in tasks]
        actions += [f"SETEVENT {{ EVENT = {event}; TASK = {task}; }}" for event, task in owners.items()]
        actions.append(f'ALARMCALLBACK {{ ALARMCALLBACKNAME = "OnAlarm{number}"; }}')
        attributes = [f"COUNTER = {draw(st.sampled_from(counters))}", f"ACTION = {draw(st.sampled_from(actions))}"]
        if draw(st.booleans()):
            inside = f"ALARMTIME = {draw(st.integers(1, 100))}; CYCLETIME = {draw(st.integers(0, 100))}; "
            inside += " ".join(f"APPMODE = {mode};" for mode in draw(some_modes))
            inside += draw(st.sampled_from(["", " TYPE = ABSOLUTE;", " TYPE = RELATIVE;"]))
            attributes.append(f"AUTOSTART = TRUE {{ {inside} }}")
        add("ALARM", f"Alarm{number}", attributes)
    for number in range(draw(st.integers(0, 2))):
        source = draw(st.sampled_from(["", f'SOURCE = "soft{number}"']))
        attributes = [f"CATEGORY = {draw(st.sampled_from([1, 2]))}"] + ([source] if source else [])
        add("ISR", f"Isr{number}", attributes)
    return 'OIL_VERSION = "2.5";\nCPU engine {\n' + "\n".join(draw(st.permutations(blocks))) + "\n};\n"


@settings(max_examples=few(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(applications())
def test_an_application_and_its_import_are_one_system(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    target = write(tmp_path, imported(path), "schedule.toml")
    assert system(path) == system(target)


# The command


def run(*arguments: str | Path) -> Any:
    return CliRunner().invoke(app, [str(a) for a in arguments])


ENGINE = CPU % 'TASK T { PRIORITY = 1; FOO = 2; } : "the task";\nISR I { CATEGORY = 2; };'


def test_import_prints_the_schedule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, ENGINE)
    result = run("import", "engine.oil")
    assert result.exit_code == 0
    assert result.stdout == imported(Path("engine.oil"))
    assert "engine.oil:3:24: warning C151: Carillon has no use for FOO of TASK, and leaves it out" in result.stderr
    assert "warning C153" in result.stderr


def test_import_writes_a_file_once_unless_it_is_forced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, ENGINE)
    target = tmp_path / "schedule.toml"
    first = run("import", "engine.oil", "-o", "schedule.toml")
    assert first.exit_code == 0
    assert "wrote schedule.toml: 1 task, 1 ISR" in first.stdout
    written = target.read_text(encoding="utf-8")
    target.write_text("mine", encoding="utf-8")
    second = run("import", "engine.oil", "-o", ".")
    assert second.exit_code == 1
    assert "C097" in second.stderr
    assert target.read_text(encoding="utf-8") == "mine"
    assert run("import", "engine.oil", "-o", "schedule.toml", "--force").exit_code == 0
    assert target.read_text(encoding="utf-8") == written
    assert system(Path("engine.oil")) == system(Path("schedule.toml"))


def test_import_into_another_folder_finds_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, CPU % 'CARILLON_BOARD = "boards/mine";\nTASK T { PRIORITY = 1; };', "old/engine.oil")
    (tmp_path / "old" / "main.c").touch()
    board = Path(carillon.__file__).parents[2] / "boards" / "virtual-tiny" / "board.toml"
    write(tmp_path, board.read_text(encoding="utf-8"), "old/boards/mine/board.toml")
    assert run("import", "old/engine.oil", "-o", "new/schedule.toml").exit_code == 0
    text = (tmp_path / "new" / "schedule.toml").read_text(encoding="utf-8")
    assert 'sources = ["../old/main.c"]' in text
    assert 'board = "../old/boards/mine"' in text
    assert not messages(Path("new/schedule.toml"))


def test_import_for_a_board_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, ENGINE)
    result = run("import", "engine.oil", "--board", "virtual-256")
    assert 'board = "virtual-256"' in result.stdout
    assert 'source = "ext0"' in result.stdout


def test_import_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, ENGINE)
    result = json.loads(run("import", "engine.oil", "--json").stdout)
    assert result["file"] is None
    assert result["toml"] == imported(Path("engine.oil"))
    assert result["objects"] == {"task": 1, "isr": 1, "resource": 0, "event": 0, "counter": 0, "alarm": 0, "schedule_table": 0}
    assert [d["code"] for d in result["diagnostics"]] == ["C151", "C153"]
    written = json.loads(run("import", "engine.oil", "--json", "-o", "x.toml").stdout)
    assert written["file"] == "x.toml"
    assert "toml" not in written


def test_import_writes_nothing_if_the_file_has_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, CPU % "TASK T { PRIORITY = 1; EVENT = Gone; };")
    result = run("import", "engine.oil", "-o", "schedule.toml")
    assert result.exit_code == 1
    assert "C100" in result.stderr
    assert not (tmp_path / "schedule.toml").exists()


def test_import_takes_oil_files_only(tmp_path: Path) -> None:
    assert run("import", tmp_path / "engine.toml").exit_code == 2


def test_check_takes_an_oil_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, ENGINE)
    result = run("check", "engine.oil", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["system"] == "engine"


TABLES = """\
OIL_VERSION = "4.0";
CPU c {
  OS o { STATUS = STANDARD; };
  APPMODE m { };
  TASK a { PRIORITY = 1; SCHEDULE = FULL; ACTIVATION = 1; AUTOSTART = FALSE; };
  COUNTER k { MAXALLOWEDVALUE = 99; TICKSPERBASE = 1; MINCYCLE = 1; TYPE = SOFTWARE; };
  COUNTER h { MAXALLOWEDVALUE = 99; TICKSPERBASE = 1; MINCYCLE = 1; CARILLON_TICK = "1ms"; };
  ALARM up { COUNTER = h; ACTION = INCREMENT { COUNTER = k; }; AUTOSTART = FALSE; };
#include <table.oil>
};
"""
STARTS = {
    "NONE": "",
    "FALSE": "",
    "RELATIVE { OFFSET = 3; APPMODE = m; }": 'autostart = { at = 3, modes = ["m"] }',
    "ABSOLUTE { START = 4; APPMODE = m; }": 'autostart = { absolute = true, at = 4, modes = ["m"] }',
    "TRUE { TYPE = ABSOLUTE; START_VALUE = 5; APPMODE = m; }": 'autostart = { absolute = true, at = 5, modes = ["m"] }',
}


@pytest.mark.parametrize("start", STARTS)
def test_words_of_other_tools_and_includes_in_other_folders(start: str, tmp_path: Path) -> None:
    (tmp_path / "cfg").mkdir()
    (tmp_path / "inc").mkdir()
    (tmp_path / "cfg" / "app.oil").write_text(TABLES, encoding="ascii")
    point = "EXPIRY_POINT p { OFFSET = 2; ACTION = ACTIVATETASK { TASK = a; }; };"
    table = f"SCHEDULETABLE t {{ COUNTER = k; AUTOSTART = {start}; PERIODIC = TRUE; LENGTH = 10; {point} }};"
    (tmp_path / "inc" / "table.oil").write_text(table, encoding="ascii")
    without = CliRunner().invoke(app, ["import", str(tmp_path / "cfg" / "app.oil")])
    assert without.exit_code == 1
    found = CliRunner().invoke(app, ["import", str(tmp_path / "cfg" / "app.oil"), "-I", str(tmp_path / "inc"), "--json"])
    assert found.exit_code == 0, found.output
    text = json.loads(found.stdout)["toml"]
    assert [line for line in text.splitlines() if line.startswith("autostart = {")] == ([STARTS[start]] if STARTS[start] else [])
    assert 'increment = "k"' in text
    assert "sources" not in text


TEMPLATE = """OIL_VERSION = "2.5";
CPU words {
    %s
    TASK A { PRIORITY = 9; };
    EVENT E; RESOURCE R;
    COUNTER C { CARILLON_TICK = "1ms"; };
    COUNTER D { TYPE = SOFTWARE; };
};
"""


OTHER_WORDS = [
    ("ISR I { CATEGORY = 2; SOURCE = soft1; };", 'isr.I.source = "soft1"'),
    (
        'OS O { BUILD = TRUE { APP_SRC = "a.c"; CFLAGS = "-DFAST=1"; LINKER = "ld"; }; };',
        'system = { sources = ["a.c"], defines = ["FAST=1"] }',
    ),
    ("TASK T { PRIORITY = 1; EVENT = E; STACKSIZE = 300; };", "task.T.stack = 300"),
    ("TASK T { PRIORITY = 0x02; EVENT = E; STACK = PRIVATE { SYS_SIZE = 512; }; };", "task.T = { priority = 2, stack = 512 }"),
    ('OS O { CPU_DATA = X { APP_SRC = "a.c"; }; };', 'system.sources = ["a.c"]'),
    (
        "TASK T { PRIORITY = 1; RESOURCE = R; TIMING_PROTECTION = TRUE { "
        "RESOURCE = RESOURCELOCK { RESOURCE = R; RESOURCELOCKTIME = 0.001; }; }; };",
        'task.T.resource_lock = [{ resource = "R", budget = "1ms" }]',
    ),
    ("ALARM L { COUNTER = C; ACTION = ALARMCALLBACK { ALARMCALLBACKNAME = sense; }; };", 'alarm.L.callback = "sense"'),
    ("TASK T { PRIORITY = 1; EVENT = E; STACKSIZE = 512; };", "task.T.stack = 512"),
    ("TASK T { PRIORITY = 1; SCHEDULE = NONE; };", 'task.T.schedule = "non"'),
    ("ALARM L { COUNTER = C; ACTION = INCREMENT { COUNTER = D; }; };", 'alarm.L.increment = "D"'),
]
"""What those tools write of which the guide's table of attributes tells."""


def words_of_other_tools() -> list[tuple[str, str]]:
    """Each line of the guide's table, and the words beside it: OIL, and what of a schedule it is."""
    text = (data_root() / "docs/guide/oil.md").read_text(encoding="utf-8").split("## Words of other tools")[1].split("\n## ")[0]
    return OTHER_WORDS + re.findall(r"^\| (?:goil|ERIKA|FreeOSEK) \| `([^`]+)` \| `([^`]+)`", text, re.MULTILINE)


def within(part: Any, whole: Any) -> bool:
    """Whether ``whole`` has all that ``part`` says."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and within(value, whole[key]) for key, value in part.items())
    return bool(part == whole)


@pytest.mark.parametrize(("oil", "said"), words_of_other_tools())
def test_words_of_other_tools_are_read_as_the_guide_says(oil: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "words.oil").write_text(TEMPLATE % oil, encoding="utf-8")
    (tmp_path / "a.c").write_text("", encoding="utf-8")
    diagnostics = Diagnostics()
    foreign = read_foreign(tmp_path / "words.oil", diagnostics)
    assert foreign is not None
    found = build_system(foreign_tables(foreign, diagnostics), diagnostics)
    assert not diagnostics.errors, [str(error) for error in diagnostics.errors]
    assert found is not None
    data = foreign.converted.data
    assert within(tomllib.loads(said), data["osek"] | {"system": data["system"]}), data


def test_the_words_of_four_tools_are_read() -> None:
    assert len(words_of_other_tools()) >= 20
