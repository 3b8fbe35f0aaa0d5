# SPDX-License-Identifier: Apache-2.0
"""ARXML files are read as the schedules that they are imported to, and what is wrong with them is said at its place.

``arxml/good`` holds files beside the schedule (NAME.toml) and the warnings (NAME.txt) that importing them gives,
``arxml/bad`` files beside the exact messages.  Every expected file begins with the line of its licence.
``CARILLON_ACCEPT=1 pytest tests/tool/test_arxml.py`` writes what comes out; read it before you commit it.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args

import autosar_data
import pytest
from pydantic import BaseModel
from typer.testing import CliRunner

import carillon
from carillon.check import check_system
from carillon.cli import app
from carillon.diagnostics import Diagnostics
from carillon.explain import codes, explain
from carillon.frontends import read_foreign, read_schedule, read_tables
from carillon.frontends.arxml.export import arxml_text
from carillon.frontends.arxml.table import SECTIONS, SYSTEM, Group, Kind
from carillon.frontends.foreign.write import schedule_text
from carillon.read import build_system
from carillon.read.schema_osek import OsekTable

CORPUS = Path(__file__).parent / "arxml"
GOOD, BAD = CORPUS / "good", CORPUS / "bad"
EXAMPLES_FOLDER = Path(__file__).parents[2] / "examples"
GOOD_NAMES = sorted(path.stem for path in GOOD.glob("*.arxml"))
BAD_NAMES = sorted(path.stem for path in BAD.glob("*.arxml"))
LICENCE = "# SPDX-License-Identifier: Apache-2.0\n"
OWN_CODES = [code for code in codes() if 211 <= int(code[1:]) <= 224]
READING = [code for code in OWN_CODES if code not in ("C221", "C222")]
EXAMPLE = re.compile(r"^(Wrong|Right):\n\n```xml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = [(code, kind, text) for code in OWN_CODES for kind, text in EXAMPLE.findall((explain(code) or pytest.fail()).text)]
FILE = """<?xml version="1.0" encoding="UTF-8"?>
<AUTOSAR xmlns="http://autosar.org/schema/r4.0"><AR-PACKAGES><AR-PACKAGE><SHORT-NAME>Engine</SHORT-NAME><ELEMENTS>
<ECUC-MODULE-CONFIGURATION-VALUES><SHORT-NAME>Os</SHORT-NAME>
<DEFINITION-REF DEST="ECUC-MODULE-DEF">/AUTOSAR/EcucDefs/Os</DEFINITION-REF><CONTAINERS>
%s
</CONTAINERS></ECUC-MODULE-CONFIGURATION-VALUES></ELEMENTS></AR-PACKAGE></AR-PACKAGES></AUTOSAR>
"""


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def bare(value: Any) -> Any:
    """A model without what says where it was read."""
    if is_dataclass(value):
        hidden = ("span", "file", "digest", "inputs", "searches")
        return type(value).__name__, {f.name: bare(getattr(value, f.name)) for f in fields(value) if f.name not in hidden}
    if isinstance(value, (tuple, list)):
        return [bare(element) for element in value]
    return value


def messages(path: Path, *, check: bool = True) -> str:
    diagnostics = Diagnostics()
    system = read_schedule(path, diagnostics)
    if system is not None and check:
        check_system(system, diagnostics)
    return "".join(f"{diagnostic}\n" for diagnostic in diagnostics.in_order())


def system(path: Path) -> Any:
    diagnostics = Diagnostics()
    found = read_schedule(path, diagnostics)
    assert not diagnostics.errors, "\n".join(map(str, diagnostics.reported))
    return bare(found)


def imported(path: Path, folder: Path | None = None) -> str:
    foreign = read_foreign(path, Diagnostics())
    assert foreign is not None
    return schedule_text(foreign.converted, Path(foreign.converted.places.file), folder or path.parent)


def exported(path: Path, folder: Path | None = None) -> str:
    diagnostics = Diagnostics()
    tables = read_tables(path, diagnostics)
    assert tables is not None
    found = build_system(tables, diagnostics)
    assert found is not None
    text = arxml_text(tables, found.name, folder or path.parent, diagnostics)
    assert not diagnostics.errors, "\n".join(map(str, diagnostics.reported))
    assert text is not None
    return text


def expect(path: Path, found: str) -> None:
    text = LICENCE + found
    if os.environ.get("CARILLON_ACCEPT"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def write(folder: Path, text: str, name: str = "engine.arxml") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def container(kind: str, name: str, *inside: str) -> str:
    return (
        f"<ECUC-CONTAINER-VALUE><SHORT-NAME>{name}</SHORT-NAME><DEFINITION-REF>/X/Os/{kind}</DEFINITION-REF>"
        + "".join(inside)
        + "</ECUC-CONTAINER-VALUE>"
    )


def numbers(**values: object) -> str:
    inside = "".join(
        f"<ECUC-NUMERICAL-PARAM-VALUE><DEFINITION-REF>/X/{name}</DEFINITION-REF><VALUE>{value}</VALUE></ECUC-NUMERICAL-PARAM-VALUE>"
        for name, value in values.items()
    )
    return f"<PARAMETER-VALUES>{inside}</PARAMETER-VALUES>"


def references(**values: str) -> str:
    inside = "".join(
        f"<ECUC-REFERENCE-VALUE><DEFINITION-REF>/X/{name}</DEFINITION-REF><VALUE-REF>{value}</VALUE-REF></ECUC-REFERENCE-VALUE>"
        for name, value in values.items()
    )
    return f"<REFERENCE-VALUES>{inside}</REFERENCE-VALUES>"


# The corpus


def single(group: Group, way: tuple[Group, ...] = ()) -> Iterator[tuple[tuple[Group, ...], Group]]:
    """The groups within a group that may stand once, each with those around it, and once of each choice."""
    way = (*way, group)
    for inner in group.groups:
        if not inner.many:
            yield way, inner
        yield from single(inner, way)


ONCE = [pair for group in (*SECTIONS.values(), SYSTEM) for pair in single(group)]


@pytest.mark.parametrize(("way", "group"), ONCE, ids=["/".join(g.name for g in (*way, group)) for way, group in ONCE])
def test_a_container_that_may_stand_once_is_refused_where_it_stands_twice(
    way: tuple[Group, ...], group: Group, tmp_path: Path
) -> None:
    names = [g.name for g in (*way, group)]
    text = "".join(container("/".join(names), name) for name in ("First", "Second"))
    for k in range(len(way) - 1, -1, -1):
        text = container("/".join(names[: k + 1]), f"Around{k}", f"<SUB-CONTAINERS>{text}</SUB-CONTAINERS>")
    (tmp_path / "app.arxml").write_text(FILE % text, encoding="utf-8")
    found = [d for d in messages(tmp_path / "app.arxml", check=False).splitlines() if "error C217" in d]
    assert [d for d in found if "'Second'; the first is 'First' on line " in d], found


def test_a_choice_has_one_of_its_containers_with_or_without_one_around(tmp_path: Path) -> None:
    alarm = SECTIONS["alarm"]
    (choice,) = [group for group in alarm.groups if group.choice]
    one, other = choice.groups[:2]
    for around in (f"OsAlarm/{choice.name}", "OsAlarm"):
        both = container(f"{around}/{one.name}", "First") + container(f"{around}/{other.name}", "Second")
        within = f"<SUB-CONTAINERS>{both}</SUB-CONTAINERS>"
        if around != "OsAlarm":
            within = f"<SUB-CONTAINERS>{container(around, 'Choice', within)}</SUB-CONTAINERS>"
        (tmp_path / "app.arxml").write_text(FILE % container("OsAlarm", "Al", within), encoding="utf-8")
        said = messages(tmp_path / "app.arxml", check=False)
        assert f"a second {choice.name}, {other.name} 'Second'; the first is 'First' on line " in said


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_a_good_file_is_imported_to_the_schedule_beside_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(GOOD)
    expect(GOOD / f"{name}.toml", imported(Path(f"{name}.arxml")))


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_a_good_file_gives_the_warnings_beside_it_and_no_errors(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(GOOD)
    found = messages(Path(f"{name}.arxml"), check=False)
    assert " error " not in found
    expect(GOOD / f"{name}.txt", found)


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_a_good_file_its_import_and_its_export_are_one_system(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(GOOD)
    assert system(Path(f"{name}.arxml")) == system(Path(f"{name}.toml"))
    again = write(tmp_path, exported(Path(f"{name}.arxml")), f"{name}.arxml")
    assert system(again) == system(Path(f"{name}.arxml"))


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_bad_file_produces_exactly_the_messages_beside_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BAD)
    found = messages(Path(f"{name}.arxml"))
    expect(BAD / f"{name}.txt", found)
    assert " error " in found, "a bad file must be reported"


def test_every_expected_file_belongs_to_an_input() -> None:
    assert sorted(path.stem for path in GOOD.glob("*.toml")) == GOOD_NAMES
    assert sorted(path.stem for path in GOOD.glob("*.txt")) == GOOD_NAMES
    assert sorted(path.stem for path in BAD.glob("*.txt")) == BAD_NAMES


def test_every_code_of_the_reader_is_produced_by_the_corpus_and_has_a_wrong_and_a_right_example() -> None:
    found = "".join(path.read_text(encoding="utf-8") for path in (*BAD.glob("*.txt"), *GOOD.glob("*.txt")))
    for code in READING:
        assert f" {code}: " in found, code
        assert [kind for c, kind, _ in EXAMPLES if c == code] == ["Wrong", "Right"], code


def test_every_code_in_the_reader_and_the_writer_is_explained() -> None:
    tool = Path(carillon.__file__).parent
    files = (tool / "frontends" / "arxml").glob("*.py")
    used = {code for path in files for code in re.findall(r"\bC2[12]\d\b", path.read_text(encoding="utf-8"))}
    assert sorted(used) == OWN_CODES


@pytest.mark.parametrize(("code", "kind", "text"), EXAMPLES, ids=[f"{code}-{kind.lower()}" for code, kind, _ in EXAMPLES])
def test_the_wrong_example_of_an_explanation_is_reported_and_the_right_one_is_not(
    code: str, kind: str, text: str, tmp_path: Path
) -> None:
    whole = text if text.startswith(("<?xml", "<AUTOSAR")) else FILE.replace("%s", text)
    diagnostics = Diagnostics()
    read_schedule(write(tmp_path, whole), diagnostics)
    assert {d.code for d in diagnostics.reported} == ({code} if kind == "Wrong" else set()), "\n".join(
        map(str, diagnostics.reported)
    )


# One table, both ways


def test_the_table_has_every_key_of_a_schedules_objects() -> None:
    """What a schedule can say of its event-triggered objects, ARXML can say too: nothing is lost by a new key unseen."""

    def keys(group: Group) -> set[str]:
        own = {parameter.key for parameter in group.parameters if not parameter.system}
        own |= {key for p in group.parameters if p.kind is Kind.CHOICE for said in p.words.values() for key in said}
        return (own | {inner.key for inner in group.groups} | {k for g in group.groups if not g.key for k in keys(g)}) - {""}

    def nested(group: Group) -> Iterator[Group]:
        for inner in group.groups:
            if inner.key:
                yield inner
            yield from nested(inner)

    def inside(model: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel]]]:
        for key, info in model.model_fields.items():
            parts = [info.annotation]
            for part in parts:
                parts += get_args(part)
                if isinstance(part, type) and issubclass(part, BaseModel):
                    yield key, part
                    yield from inside(part)

    assert keys(SYSTEM) == set(OsekTable.model_fields) - set(SECTIONS) - {"modes"}
    for section, group in SECTIONS.items():
        (_, model) = OsekTable.model_fields[section].annotation.__args__  # type: ignore[union-attr]
        assert keys(group) == set(model.model_fields), section
        parts = dict(inside(model))
        assert {inner.key for inner in nested(group)} == set(parts), section
        for inner in nested(group):
            assert keys(inner) == set(parts[inner.key].model_fields), (section, inner.key)


def test_what_is_written_is_sound_for_another_reader(tmp_path: Path) -> None:
    """autosar-data knows the schema, down to the order of elements and what each may hold."""
    path = write(tmp_path, exported(GOOD / "engine.arxml", tmp_path))
    model = autosar_data.AutosarModel()
    file, warnings = model.load_file(str(path), True)
    assert not warnings
    assert str(file.version) == "AUTOSAR 4.2.2"
    paths = {name for name, _ in model.identifiable_elements}
    values = re.findall(r"<VALUE-REF[^>]*>([^<]*)</VALUE-REF>", path.read_text(encoding="utf-8"))
    assert values
    assert set(values) <= paths


def test_a_configuration_of_another_tool_is_sound_for_another_reader_too() -> None:
    for path in (EXAMPLES_FOLDER / "arxml-4").glob("*.arxml"):
        autosar_data.AutosarModel().load_file(str(path), True)


# Files that are one configuration

FUEL = container("OsTask", "Fuel", numbers(OsTaskPriority=3), references(OsTaskResourceRef="/Engine/Os/Pump"))
PUMP = container("OsResource", "Pump")


def test_the_files_of_a_folder_are_one_configuration(tmp_path: Path) -> None:
    write(tmp_path, FILE % FUEL, "a.arxml")
    write(tmp_path, FILE % (PUMP + container("OsTask", "Fuel", numbers(OsTaskActivation=2))), "b.ARXML")
    whole = write(
        tmp_path / "one", FILE % (FUEL.replace("</PARAMETER", numbers(OsTaskActivation=2)[18:-19] + "</PARAMETER") + PUMP)
    )
    diagnostics = Diagnostics()
    found = read_schedule(tmp_path, diagnostics)
    assert found is not None
    assert not diagnostics.reported
    assert bare(found.osek) == bare(read_schedule(whole, Diagnostics()).osek)  # type: ignore[union-attr]
    assert found.file == tmp_path / "a.arxml"
    assert set(found.inputs) >= {tmp_path / "a.arxml", tmp_path / "b.ARXML"}


def test_one_file_of_several_is_named_alone(tmp_path: Path) -> None:
    path = write(tmp_path, FILE % FUEL, "a.arxml")
    write(tmp_path, FILE % PUMP, "b.arxml")
    assert "C216: OsTaskResourceRef of /Engine/Os/Fuel names '/Engine/Os/Pump'" in messages(path)


def test_files_of_several_folders_are_named_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, FILE % FUEL, "a/a.arxml")
    write(tmp_path, FILE % PUMP, "b/b.arxml")
    done = run("check", "a/a.arxml", "b/b.arxml", "a/a.arxml", "--quick", "--json")
    assert json.loads(done.stdout)["osek"]["tasks"] == 1
    assert run("import", "a/a.arxml", "b/b.arxml", "-o", "schedule.toml").exit_code == 0
    assert 'name = "a"' in Path("schedule.toml").read_text(encoding="utf-8")
    refused = run("check", "a/a.arxml", "schedule.toml")
    assert refused.exit_code == 2
    assert "'schedule.toml' is none by its name" in refused.stderr


def test_parts_in_different_files_must_agree(tmp_path: Path) -> None:
    write(tmp_path, FILE % (FUEL + PUMP), "a.arxml")
    write(tmp_path, FILE % (container("OsTask", "Fuel", numbers(OsTaskPriority=4)) + container("OsEvent", "Pump")), "b.arxml")
    found = messages(tmp_path)
    assert f"{tmp_path / 'b.arxml'}:5:" in found
    assert f"OsTaskPriority of /Engine/Os/Fuel is '3' on line 5 of {tmp_path / 'a.arxml'} and '4' here" in found
    assert "OsResource there, OsEvent here" in found


def test_a_schedule_in_a_folder_comes_before_its_arxml_files(tmp_path: Path) -> None:
    write(tmp_path, FILE % (FUEL + PUMP))
    write(tmp_path, "[osek.task.Other]\npriority = 1\n", "schedule.toml")
    done = run("check", str(tmp_path), "--quick", "--json")
    assert json.loads(done.stdout)["osek"]["tasks"] == 1


def test_a_module_of_a_release_before_4_may_have_parts_of_4(tmp_path: Path) -> None:
    old = (GOOD / "old.arxml").read_text(encoding="utf-8")
    new = FILE.replace("<SHORT-NAME>Engine<", "<SHORT-NAME>Os<") % container("OsTask", "Added", numbers(OsTaskPriority=1))
    write(tmp_path, old, "a.arxml")
    write(tmp_path, new, "b.arxml")
    found = read_schedule(tmp_path, Diagnostics())
    assert found is not None
    assert found.osek is not None
    assert [task.name for task in found.osek.tasks] == ["Fuel", "Added"]


# Values and references


def tick(tmp_path: Path, written: str) -> str | None:
    path = write(tmp_path, FILE % container("OsCounter", "Clock", numbers(OsSecondsPerTick=written)))
    foreign = read_foreign(path, Diagnostics())
    assert foreign is not None
    tick = foreign.converted.data["osek"]["counter"]["Clock"].get("tick")
    assert tick is None or isinstance(tick, str)
    return tick


@pytest.mark.parametrize(
    ("written", "expected"),
    [("1", "1s"), ("0.001", "1ms"), ("1.0E-3", "1ms"), ("2.5e-4", "250us"), (".5", "500ms"), ("1.", "1s"), ("+1e-9", "1ns")],
)
def test_seconds_become_a_time_without_rounding(tmp_path: Path, written: str, expected: str) -> None:
    assert tick(tmp_path, written) == expected


@pytest.mark.parametrize("written", ["INF", "NaN", "-1", "1e999999999", "1e99999", "0x10", "1_0", "٣", "", "9" * 5000])
def test_what_is_no_length_of_time_is_refused_at_once(tmp_path: Path, written: str) -> None:
    began = time.monotonic()
    assert tick(tmp_path, written) is None
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    ("written", "number"), [("3", 3), ("0x1F", 31), ("0b101", 5), ("+7", 7), ("007", 7), ("3.0", 3), ("1e2", 100)]
)
def test_integers_may_be_written_in_every_way_of_the_standard(tmp_path: Path, written: str, number: int) -> None:
    path = write(tmp_path, FILE % container("OsTask", "Fuel", numbers(OsTaskPriority=written)))
    foreign = read_foreign(path, Diagnostics())
    assert foreign is not None
    assert foreign.converted.data["osek"]["task"]["Fuel"] == {"priority": number}


def osek(tmp_path: Path, *containers: str) -> dict[str, Any]:
    """The [osek] table of a file with these containers, with which nothing may be wrong."""
    diagnostics = Diagnostics()
    foreign = read_foreign(write(tmp_path, FILE % "".join(containers)), diagnostics)
    assert foreign is not None
    assert not diagnostics.errors, "\n".join(map(str, diagnostics.reported))
    found = foreign.converted.data["osek"]
    assert isinstance(found, dict)
    return found


def test_what_tools_write_where_they_say_nothing_is_nothing(tmp_path: Path) -> None:
    found = osek(
        tmp_path,
        container("OsEvent", "None", numbers(OsEventMask=0)),
        container("OsEvent", "Auto", numbers(OsEventMask=1, ArcOsEventAutoMask="true")),
        container("OsEvent", "Own", numbers(OsEventMask=2, ArcOsEventAutoMask="false")),
        container("OsCounter", "Soft", numbers(OsSecondsPerTick="0.0", OsCounterTicksPerBase=0, OsCounterMinCycle=0)),
    )
    assert found["event"] == {"None": {}, "Auto": {}, "Own": {"mask": 2}}
    assert found["counter"]["Soft"] == {"ticks_per_base": 1, "min_cycle": 1, "tick": "1ms"}


@pytest.mark.parametrize(("maker", "lowest"), [("MICROSAR", True), ("AUTOSAR/EcucDefs", False), ("X", False)])
def test_the_greatest_priority_is_the_lowest_where_the_tool_means_that(maker: str, lowest: bool, tmp_path: Path) -> None:
    priorities = {"Slow": 3, "Idle": 4_294_967_295, "Fast": 70_000, "Idle2": 4_294_967_295}
    tasks = [container("OsTask", name, numbers(OsTaskPriority=value)) for name, value in priorities.items()]
    found = osek(tmp_path, *(task.replace("/X/Os/OsTask<", f"/{maker}/Os/OsTask<") for task in tasks))["task"]
    ranks = {"Idle": 1, "Idle2": 1, "Slow": 2, "Fast": 3} if lowest else {"Slow": 1, "Fast": 2, "Idle": 3, "Idle2": 3}
    assert {name: table["priority"] for name, table in found.items()} == ranks


def test_a_counter_without_a_tick_follows_the_frequency_of_the_os(tmp_path: Path) -> None:
    clock, fine = container("OsCounter", "Clock"), container("OsCounter", "Fine", numbers(OsSecondsPerTick="1e-6"))
    found = osek(tmp_path, container("OsOS", "OsOS", numbers(OsTickFrequency=400)), clock, fine)
    assert found["counter"] == {"Clock": {"tick": "2.5ms"}, "Fine": {"tick": "1us"}}


def test_another_tools_parameter_of_another_type_is_left_out(tmp_path: Path) -> None:
    found = osek(tmp_path, container("OsIsr", "I", numbers(OsIsrPriority="HIGHEST", CarillonInterruptSource="soft3")))
    assert found["isr"] == {"I": {"source": "soft3"}}
    assert " C219: Carillon has no use for OsIsrPriority of OsIsr" in messages(tmp_path / "engine.arxml", check=False)


def test_a_reference_without_a_slash_is_relative_to_the_package(tmp_path: Path) -> None:
    relative = FUEL.replace("/Engine/Os/Pump", "Os/Pump")
    assert not messages(write(tmp_path, FILE % (relative + PUMP)), check=False)


def test_the_place_of_a_value_is_that_of_its_text(tmp_path: Path) -> None:
    text = FUEL.replace("<VALUE>3", "<VALUE>\n\n    lots &amp; lots")
    found = messages(write(tmp_path, FILE % (text + PUMP)))
    assert f"{tmp_path / 'engine.arxml'}:7:5: error C215: OsTaskPriority of /Engine/Os/Fuel: 'lots & lots' is no integer" in found


def test_elements_of_other_languages_and_modules_are_nothing(tmp_path: Path) -> None:
    text = (FILE % (FUEL + PUMP)).replace(
        "<ELEMENTS>",
        '<ELEMENTS><x:ECUC-MODULE-CONFIGURATION-VALUES xmlns:x="other"><x:A/></x:ECUC-MODULE-CONFIGURATION-VALUES>'
        "<ECUC-MODULE-CONFIGURATION-VALUES><SHORT-NAME>Com</SHORT-NAME><DEFINITION-REF>/A/Com</DEFINITION-REF><CONTAINERS>"
        + container("OsTask", "Lost")
        + "</CONTAINERS></ECUC-MODULE-CONFIGURATION-VALUES>",
    )
    found = read_schedule(write(tmp_path, text), Diagnostics())
    assert found is not None
    assert found.osek is not None
    assert [task.name for task in found.osek.tasks] == ["Fuel"]


def test_a_prefix_of_the_namespace_changes_nothing(tmp_path: Path) -> None:
    text = re.sub(r"<(/?)([A-Z])", r"<\1ar:\2", FILE % (FUEL + PUMP)).replace("xmlns=", "xmlns:ar=")
    assert not messages(write(tmp_path, text), check=False)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_a_file_may_be_in_another_encoding(tmp_path: Path, encoding: str) -> None:
    text = (FILE % (FUEL + PUMP)).replace("UTF-8", "UTF-16" if encoding == "utf-16" else encoding.replace("-sig", ""))
    path = tmp_path / "engine.arxml"
    path.write_bytes(text.encode(encoding))
    assert not messages(path, check=False)


def test_warnings_of_a_kind_are_one_however_many_there_are(tmp_path: Path) -> None:
    tasks = "".join(container("OsTask", f"T{n}", numbers(OsTaskPriority=n, VendorColour=n, VendorShape=n)) for n in range(100))
    found = messages(write(tmp_path, FILE % tasks), check=False)
    assert found.count(": warning ") == 1
    assert "Carillon has no use for VendorColour, VendorShape of OsTask, and leaves them out (200 times, here first)" in found


def test_bombs_cost_nothing(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(30))
    bomb = f'<!DOCTYPE AUTOSAR [<!ENTITY e0 "x">{entities}]>' + (FILE % container("OsTask", "&e30;")).partition("\n")[2]
    began = time.monotonic()
    assert " C212: " in messages(write(tmp_path, bomb))
    assert " C212: " in messages(write(tmp_path, '<AUTOSAR xmlns="http://autosar.org/schema/r4.0">' + "<A>" * 500_000))
    assert time.monotonic() - began < 30


def test_a_missing_file_and_a_folder_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.arxml").mkdir()
    assert messages(Path("gone.arxml")).startswith("gone.arxml:1:1: error C010: there is no file 'gone.arxml'\n")
    assert messages(Path("folder.arxml")).startswith(
        "folder.arxml:1:1: error C010: 'folder.arxml' is a folder, and no ARXML file\n"
    )
    assert messages(Path("a\0b.arxml")).startswith("a\0b.arxml:1:1: error C010: ")


# The commands


def test_import_and_export_write_files_and_do_not_overwrite_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, FILE % (FUEL + PUMP))
    assert run("import", "engine.arxml", "-o", "schedule.toml").exit_code == 0
    assert run("export", "schedule.toml", "-o", "again.arxml").exit_code == 0
    refused = run("export", "schedule.toml", "-o", "again.arxml")
    assert refused.exit_code == 1
    assert "C097" in refused.stderr
    assert run("export", "schedule.toml", "-o", "again.arxml", "--force").exit_code == 0
    assert run("export", "schedule.toml", "-o", "again.xml").exit_code == 2
    printed = run("export", "again.arxml")
    assert printed.stdout == Path("again.arxml").read_text(encoding="utf-8")
    assert json.loads(run("export", "again.arxml", "--json").stdout)["arxml"] == printed.stdout


def test_an_export_elsewhere_names_the_sources_and_the_board_from_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "", "old/main.c")
    write(tmp_path, "[osek.task.T]\npriority = 1\n", "old/schedule.toml")
    Path("new").mkdir()
    assert run("export", "old", "-o", "new/os.arxml").exit_code == 0
    found = read_schedule(Path("new/os.arxml"), Diagnostics())
    assert found is not None
    assert found.name == "old"
    assert [path.as_posix() for path in found.sources] == ["new/../old/main.c"]


def test_what_a_configuration_cannot_say_is_named(tmp_path: Path) -> None:
    schedule = write(
        tmp_path,
        '[system]\nclock = "15.625MHz"\nidle = "spin"\n[task.Round]\nperiod = "1ms"\n[osek.task.T]\npriority = 1\n',
        "schedule.toml",
    )
    done = run("export", str(schedule))
    assert done.exit_code == 0
    assert "schedule.toml:2:1: warning C221: ARXML has no word for 'clock' of [system], 'idle' of [system], [task.Round]" in (
        done.stderr.replace(f"{tmp_path}/", "")
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[task.Round]\nperiod = "1ms"\n', "C222: the schedule has no [osek]"),
        ("[osek.task._t]\npriority = 1\n", "C222: '_t' is no SHORT-NAME"),
        (
            '[time]\n[thread.Sleeper]\npriority = 2\n[osek.counter.C]\ntick = "1ms"\n'
            '[osek.alarm.A]\ncounter = "C"\nactivate = "Sleeper"\n',
            "C222: alarm 'A' names the thread 'Sleeper'",
        ),
        (
            '[osek.task.T]\npriority = 2\n[osek.counter.C]\ntick = "1ms"\n'
            '[osek.alarm.A]\ncounter = "C"\nactivate = ["T"]\ncallback = "Call"\n',
            "C222: alarm 'A' has 2 actions, and an OsAlarm has one",
        ),
    ],
)
def test_what_makes_no_configuration_is_refused(tmp_path: Path, text: str, said: str) -> None:
    done = run("export", str(write(tmp_path, text, "schedule.toml")))
    assert done.exit_code == 1
    assert said in done.stderr


def test_a_conflict_of_versions_is_said_with_its_place(tmp_path: Path) -> None:
    """In ARXML and in a schedule."""
    left, right = "<" * 7, ">" * 7
    text = FILE % f"\n{left} HEAD\n{'=' * 7}\n{right} other\n"
    line = text[: text.index(left)].count("\n") + 1
    said = f"{line}:1: error C211: the file has a conflict between two versions, from '<<<<<<<' to '>>>>>>>' in line {line + 2}"
    assert said in messages(write(tmp_path, text))
    schedule = write(tmp_path, f"[system]\n{left} HEAD\n{'=' * 7}\n{right} other\n", "schedule.toml")
    assert "schedule.toml:2:1: error C010: the file has a conflict between two versions" in run("check", str(schedule)).stderr
