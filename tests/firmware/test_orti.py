# SPDX-License-Identifier: Apache-2.0
"""What the ORTI file tells a debugger.

After a change that is meant: ``CARILLON_GOLDEN=write pytest tests/firmware/test_orti.py``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from laboratory import AST, HERE, MPS, ROOT, VIRTUAL_AST, Laboratory, declared, points, source, task

from building import build
from carillon.build import Firmware
from carillon.build.orti import ERRORS, SERVICES, STATES
from carillon.build.symbols import symbols
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan

pytestmark = pytest.mark.compiles  # a debugger needs what the tests' own builds leave out

SYSTEM = """
[osek]
status = "{status}"
dispatch = "{dispatch}"
modes = ["normal", "test"]
hooks = [{hooks}]
get_service_id = true
[osek.task.Low]
priority = 1
autostart = true
resources = ["Bus"]
[osek.task.Server]
priority = 3
events = ["Go"]
autostart = true
stack = 512
[osek.task.Pair]
priority = 4
[osek.task.Twice]
priority = 4
activations = 2
resources = ["Bus"]
[osek.task.High]
priority = 7
[osek.isr.Button]
source = "soft0"
[osek.event.Go]
[osek.resource.Bus]
[osek.counter.SystemTimer]
tick = "1ms"
max_allowed = 65535
[osek.counter.Clicks]
kind = "software"
max_allowed = 9
[osek.alarm.Tick]
counter = "SystemTimer"
activate = "High"
autostart = {{ at = 50, cycle = 50 }}
[osek.alarm.Later]
counter = "SystemTimer"
set_event = {{ task = "Server", event = "Go" }}
[osek.alarm.Many]
counter = "Clicks"
activate = "Twice"
autostart = {{ at = 3, cycle = 3 }}
"""
STANDARD = {"status": "standard", "dispatch": "hardware", "hooks": ""}
EXTENDED = {"status": "extended", "dispatch": "hardware", "hooks": '"error"'}
SOFTWARE = {"status": "standard", "dispatch": "software", "hooks": ""}
CONFIGURATIONS = {"standard": STANDARD, "extended": EXTENDED, "software": SOFTWARE}

HOOK = "void ErrorHook(StatusType error)\n{\n    (void)error;\n}\n"
NOTHING = 'static void here(unsigned place)\n{\n    __asm__ volatile("" ::"r"(place));\n}\n'

Objects = dict[str, dict[str, str]]


def code(configuration: str, here: str = NOTHING) -> str:
    return source(__file__, "objects.c") + here + (HOOK if configuration == "extended" else "")


def parsed(text: str) -> dict[str, Objects]:
    """The information section: kind -> object -> attribute -> what it is."""
    found: dict[str, Objects] = {}
    for kind, name, body in re.findall(r"^(\w+) (\w+) \{\n((?:    \w+ = .*;\n)*)\};$", text, re.M):
        found.setdefault(kind, {})[name] = dict(re.findall(r'^    (\w+) = "(.*)";$', body, re.M))
    return found


def built(lab: Laboratory, configuration: str, board: str, text: str) -> tuple[Firmware, str]:
    """Firmware, and its ORTI file."""
    path = lab.write(SYSTEM.format(**CONFIGURATIONS[configuration]), text)
    diagnostics = Diagnostics()
    firmware = build(plan(path, diagnostics, board).image, path.parent / board, diagnostics)
    assert firmware is not None, [str(d) for d in diagnostics.reported]
    return firmware, firmware.elf.with_suffix(".ort").read_text(encoding="utf-8")


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_the_file_is_the_golden_one(lab: Laboratory, configuration: str) -> None:
    _, text = built(lab, configuration, AST, code(configuration))
    text = re.sub(r"sha256 \w+", "sha256 0", text)
    golden = HERE / "golden" / f"orti-{configuration}.ort"
    if os.environ.get("CARILLON_GOLDEN") == "write":
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("board", [AST, MPS, VIRTUAL_AST])
@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_every_symbol_that_it_names_is_in_the_firmware_and_every_attribute_is_declared(
    lab: Laboratory, board: str, configuration: str
) -> None:
    firmware, text = built(lab, configuration, board, code(configuration))
    known = set(symbols(firmware.elf))
    objects = parsed(text)
    assert set(objects) == {"OS", "TASK", "STACK", "ALARM", "RESOURCE", "vs_COUNTER"}
    implementation = text.partition("IMPLEMENTATION")[2].partition("\n};")[0]
    texts = {"STACKDIRECTION", "ACTION", "COUNTER"}
    named: set[str] = set()
    for kind, own in objects.items():
        block = implementation.partition(f"    {kind} {{\n")[2].partition("    }")[0]
        declarations = re.findall(r'^        (.*) (\w+), ".*";$', block, re.M)
        for attributes in own.values():
            assert [name for _, name in declarations] == list(attributes)
            assert {name for declared_as, name in declarations if declared_as == "STRING"} == texts & set(attributes)
            for attribute, expression in attributes.items():
                if attribute not in texts:
                    named |= set(re.findall(r"(?<![.\w])[A-Za-z_]\w*", expression))
    named -= {"unsigned", "int", "sizeof"}
    assert named
    assert named <= known


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_a_controller_that_says_of_no_handler_whether_it_is_active_is_not_asked(lab: Laboratory, dispatch: str) -> None:
    path = lab.write(f'[osek]\ndispatch = "{dispatch}"\n[time]\n[thread.A]\npriority = 1\n', "THREAD(A) {}\n")
    firmware = build(plan(path, Diagnostics(), "microbit").image, path.parent / f"build-{dispatch}", Diagnostics())
    assert firmware is not None
    text = firmware.elf.with_suffix(".ort").read_text(encoding="utf-8")
    assert "RUNNINGTASK" in text
    assert "RUNNINGISR2" not in text


def test_what_the_linker_left_out_is_not_named(lab: Laboratory) -> None:
    schedule = "[osek.task.Only]\npriority = 1\nautostart = true\n"
    path = lab.write(schedule, "TASK(Only)\n{\n    TerminateTask();\n}\n")
    firmware = build(plan(path, Diagnostics(), AST).image, path.parent / "build", Diagnostics())
    assert firmware is not None
    text = firmware.elf.with_suffix(".ort").read_text(encoding="utf-8")
    assert set(parsed(text)) == {"OS", "TASK", "RESOURCE"}
    assert "carillon_" not in text.partition("VERSION")[2]


def test_an_application_without_event_triggered_tasks_has_no_file(lab: Laboratory) -> None:
    path = lab.write(declared(A=0) + points(1000, (100, "A")), task("A"))
    firmware = build(plan(path, Diagnostics(), AST).image, path.parent / "build", Diagnostics())
    assert firmware is not None
    assert not firmware.elf.with_suffix(".ort").exists()


def test_its_numbers_are_those_of_the_header() -> None:
    header = (ROOT / "kernel/api/carillon/osek.h").read_text(encoding="utf-8")
    tables = (ROOT / "kernel/api/carillon/schedule_table.h").read_text(encoding="utf-8")
    services = dict(re.findall(r"#define OSServiceId_(\w+) (\d+)u", header + tables))
    assert services.pop("None") == "0"
    assert {name: str(number) for number, name in enumerate(SERVICES) if number} == services
    states = dict(re.findall(r"#define (\w+) \(\(TaskStateType\)(\d)u\)", header))
    assert {name: str(number) for name, number in STATES.items()} == states
    errors = dict(re.findall(r"#define (E_O(?:K|S_\w+)) (\d+)u", header))
    assert {name: str(number) for number, name in enumerate(ERRORS)} == errors
    alarms = (ROOT / "kernel/counters/alarm.c").read_text(encoding="utf-8")
    kernel = (ROOT / "kernel/counters/cells.h").read_text(encoding="utf-8")
    alarms = alarms.replace("CARILLON_OSEK_ON_CELL", *re.findall(r"^#define CARILLON_OSEK_ON_CELL (\du)$", kernel, re.M))
    assert re.findall(r"^#define (IDLE|QUEUED|ON_CELL|STOPPED) (\d)u", alarms, re.M) == [
        *(("ON_CELL", "0"), ("QUEUED", "1"), ("IDLE", "2"), ("STOPPED", "3")),
    ]


@pytest.mark.parametrize("board", [AST, MPS, VIRTUAL_AST])
@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_states_are_what_the_services_say(lab: Laboratory, board: str, configuration: str) -> None:
    # The firmware works its own expressions out, wherever `here` is called, and asks the services.
    if board == VIRTUAL_AST and configuration != "software":
        pytest.skip("the virtual controller's bits have no name that the application can use")
    _, text = built(lab, configuration, board, code(configuration))
    objects = parsed(text)
    (system,) = objects["OS"].values()
    tasks = objects["TASK"]
    lines = ["static void here(unsigned place)", "{", "    TaskType running = 0u;", "    TaskStateType state = 0u;"]
    lines += ['    report("place", place);', "    (void)GetTaskID(&running);"]
    lines += [f'    report("task", ({system["RUNNINGTASK"]}) == running);']
    lines += [f'    report("priority", {system["RUNNINGTASKPRIORITY"]});']
    for name, attributes in tasks.items():
        lines += [f"    (void)GetTaskState({name}, &state);", f'    report("{name}", state);']
        lines += [f'    report("{name}-told", {attributes["STATE"]});']
        lines += [f'    report("{name}-activations", {attributes["CURRENTACTIVATIONS"]});']
    head = '#include "kernel/run/kernel.h"\nextern struct carillon_osek_extended carillon_extended_Server;\n'
    here = head + "\n".join([*lines, "}", ""])
    _, again = built(lab, configuration, board, code(configuration, here))
    assert parsed(again) == objects
    outcome = lab.run(SYSTEM.format(**CONFIGURATIONS[configuration]), code(configuration, here), board, ticks=400_000)
    assert sorted(set(outcome.said("place"))) == list(range(8))
    assert set(outcome.said("task")) == {1}
    for name in tasks:
        assert outcome.said(f"{name}-told") == outcome.said(name), name
        active = [state != STATES["SUSPENDED"] for state in outcome.said(name)]
        assert [number > 0 for number in outcome.said(f"{name}-activations")] == active
    levels = dict(zip(outcome.said("place"), outcome.said("priority"), strict=True))
    assert [levels[place] for place in (0, 2, 4, 6)] == [1, 2, 3, 4]


def evaluated(debugger: str, elf: Path, expressions: list[str]) -> list[str]:
    """What a debugger says of expressions when the ISR of a virtual board's firmware runs."""
    commands = ["set confirm off", "set debuginfod enabled off", "break here if place == 7", "run"]
    arguments = [word for command in [*commands, *(f"print {e}" for e in expressions)] for word in ("-ex", command)]
    result = subprocess.run(
        [debugger, "-batch", "-nx", *arguments, "--args", str(elf)], capture_output=True, text=True, timeout=60, check=False
    )
    values = re.findall(r"^\$\d+ = (.*)$", result.stdout, re.M)
    assert len(values) == len(expressions), result.stdout + result.stderr
    return values


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_a_debugger_can_work_the_expressions_out(lab: Laboratory, configuration: str) -> None:
    debugger = shutil.which("gdb")
    if debugger is None:
        pytest.skip("gdb is not installed")
    firmware, text = built(lab, configuration, VIRTUAL_AST, code(configuration))
    objects = parsed(text)
    asked = {
        (kind, name, attribute): expression
        for kind, own in objects.items()
        for name, attributes in own.items()
        for attribute, expression in attributes.items()
        if attribute not in ("STACKDIRECTION", "ACTION", "COUNTER", "BASEADDRESS")
    }
    values = evaluated(debugger, firmware.elf, list(asked.values()))
    said = {key: int(value.split()[0]) for key, value in zip(asked, values, strict=True)}
    states = {name: said["TASK", name, "STATE"] for name in objects["TASK"]}
    expected = {"Low": "RUNNING", "Server": "WAITING", "Pair": "SUSPENDED", "Twice": "READY", "High": "READY"}
    assert states == {name: STATES[state] for name, state in expected.items()}
    (system,) = objects["OS"]
    assert said["OS", system, "RUNNINGTASK"] == 0
    assert said["OS", system, "RUNNINGTASKPRIORITY"] == 1
    assert said["OS", system, "RUNNINGISR2"] != 0
    assert said["OS", system, "CURRENTAPPMODE"] == 0
    assert {name: said["ALARM", name, "STATE"] for name in objects["ALARM"]} == {"Tick": 1, "Later": 1, "Many": 1}
    assert said["ALARM", "Later", "vs_CARRIER"] == 1
    assert said["ALARM", "Tick", "CYCLETIME"] == 50
    assert said["vs_COUNTER", "Clicks", "VALUE"] == 1
    assert said["STACK", "Stack_Server", "SIZE"] == 512
    if configuration == "extended":
        assert said["OS", system, "LASTERROR"] == ERRORS.index("E_OS_STATE")
        assert said["OS", system, "vs_FAILEDSERVICE"] == SERVICES.index("SetRelAlarm")
        assert (said["RESOURCE", "Bus", "STATE"], said["RESOURCE", "Bus", "LOCKER"]) == (1, 1)
