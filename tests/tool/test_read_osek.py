# SPDX-License-Identifier: Apache-2.0
"""What the [osek] tables of a schedule mean: defaults, masks, modes, and the event-triggered system beside rounds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from carillon.check import check_system
from carillon.check.names import fault
from carillon.check.osek import API_NAMES, API_PREFIXES, CPP_KEYWORDS, CPP_NAMES, reserved
from carillon.diagnostics import Diagnostics
from carillon.frontends import read_schedule
from carillon.model import System
from carillon.model.osek import (
    ActivateTask,
    Autostart,
    Callback,
    Counter,
    CounterKind,
    Dispatch,
    Hook,
    IncrementCounter,
    Osek,
    Property,
    SetEvent,
    Status,
)
from carillon.read.osek import schedule_tables

ROOT = Path(__file__).resolve().parents[2]
TINY = '[system]\nboard = "virtual-tiny"\n'
BLINK = "[osek.task.Blink]\npriority = 1\n"
TIMER = '[osek.counter.Timer]\ntick = "1ms"\n'
ROUND = '[task.fuel]\nperiod = "1ms"\n'
WHOLE = """
[osek]
status = "extended"
dispatch = "software"
hooks = ["startup", "shutdown", "error", "pretask", "posttask", "protection"]
get_service_id = true
parameter_access = true
stack_check = true
modes = ["normal", "test"]

[osek.task.Blink]
priority = 3
schedule = "full"
autostart = true
events = ["Go", "Stop"]
resources = ["Bus", "RES_SCHEDULER"]
stack = 512
budget = "250 ticks"
time_frame = "900 ticks"

[osek.task.Log]
priority = 7
schedule = "non"
activations = 4
autostart = ["test"]
resources = ["Link"]

[osek.isr.Button]
source = "ext1"
category = 2
priority = 5
resources = ["Bus"]
time_frame = "700 ticks"

[osek.isr.Fast]
source = "ext0"
category = 1

[osek.resource.Link]
property = "linked"
linked = "Between"

[osek.resource.Between]
property = "linked"
linked = "Bus"

[osek.resource.Bus]

[osek.event.Go]
mask = 4

[osek.event.Stop]

[osek.counter.Timer]
kind = "hardware"
tick = "1ms"
max_allowed = 65535
ticks_per_base = 10
min_cycle = 2

[osek.counter.Soft]
kind = "software"

[osek.alarm.Tick]
counter = "Timer"
activate = "Blink"
autostart = { at = 1, cycle = 10, absolute = true, modes = ["normal"] }

[osek.alarm.Event]
counter = "Soft"
set_event = { task = "Blink", event = "Go" }
autostart = {}
static = true

[osek.alarm.Call]
counter = "Timer"
callback = "OnTick"

[osek.alarm.Chain]
counter = "Timer"
increment = "Soft"
"""


def system(tmp_path: Path, text: str) -> System:
    path = tmp_path / "engine.toml"
    path.write_text(TINY + text, encoding="utf-8")
    diagnostics = Diagnostics()
    found = read_schedule(path, diagnostics)
    assert found is not None
    check_system(found, diagnostics)
    assert not diagnostics.reported, diagnostics.reported
    return found


def read(tmp_path: Path, text: str) -> Osek:
    osek = system(tmp_path, text).osek
    assert osek is not None
    return osek


def codes(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "engine.toml"
    path.write_text(TINY + text, encoding="utf-8")
    diagnostics = Diagnostics()
    found = read_schedule(path, diagnostics)
    if found is not None:
        check_system(found, diagnostics)
    return [d.code for d in diagnostics.in_order()]


def test_defaults(tmp_path: Path) -> None:
    osek = read(tmp_path, BLINK + '[osek.isr.Button]\nsource = "ext0"\n' + TIMER)
    assert (osek.status, osek.dispatch, osek.hooks) == (Status.STANDARD, Dispatch.HARDWARE, frozenset())
    assert (osek.service_id, osek.parameter_access, osek.scheduler_resource, osek.stack_check) == (False, False, True, False)
    assert osek.modes == ("OSDEFAULTAPPMODE",)
    task = osek.task("Blink")
    assert (task.priority, task.preemptable, task.activations, task.autostart) == (1, True, 1, ())
    assert (task.events, task.resources, task.stack, task.extended) == ((), (), None, False)
    isr = osek.isr("Button")
    assert (isr.category, isr.source, isr.priority, isr.resources) == (2, 4, 1, ())
    assert osek.counter("Timer") == Counter(
        "Timer", CounterKind.HARDWARE, 1000, 0x7FFF_FFFF, 1, 1, span=osek.counter("Timer").span
    )


def test_everything_that_can_be_written_is_in_the_model(tmp_path: Path) -> None:
    osek = read(tmp_path, WHOLE)
    assert (osek.status, osek.dispatch, osek.hooks) == (Status.EXTENDED, Dispatch.SOFTWARE, frozenset(Hook))
    assert (osek.service_id, osek.parameter_access, osek.scheduler_resource, osek.stack_check) == (True, True, True, True)
    assert osek.modes == ("normal", "test")
    blink, log = osek.tasks
    assert (blink.name, blink.priority, blink.preemptable, blink.activations) == ("Blink", 3, True, 1)
    assert (blink.autostart, blink.events, blink.stack) == (("normal", "test"), ("Go", "Stop"), 512)
    assert (log.name, log.priority, log.preemptable, log.activations) == ("Log", 7, False, 4)
    assert (log.autostart, log.events, log.stack) == (("test",), (), None)
    assert (blink.budget, log.budget, osek.budgets) == (250, 0, True)
    assert [(it.name, it.time_frame) for it in osek.framed] == [("Blink", 900), ("Button", 700)]
    assert [(i.name, i.category, i.source, i.priority, i.resources) for i in osek.isrs] == [
        ("Button", 2, 5, 5, ("Bus",)),
        ("Fast", 1, 4, 1, ()),
    ]
    soft = osek.counter("Soft")
    timer = osek.counter("Timer")
    assert (soft.kind, soft.tick) == (CounterKind.SOFTWARE, 0)
    assert (timer.tick, timer.max_allowed, timer.ticks_per_base, timer.min_cycle) == (1000, 65535, 10, 2)
    assert [(a.name, a.counter, a.action, a.autostart) for a in osek.alarms] == [
        ("Tick", "Timer", ActivateTask("Blink"), Autostart(("normal",), 1, 10, True)),
        ("Event", "Soft", SetEvent("Blink", "Go"), Autostart(("normal", "test"), 1, 0, False)),
        ("Call", "Timer", Callback("OnTick"), None),
        ("Chain", "Timer", IncrementCounter("Soft"), None),
    ]
    assert [a.name for a in osek.alarms if a.static] == ["Event"]
    assert (blink.span.line, blink.span.column) == (13, 12)


def test_resources_are_kept_as_they_are_listed_and_links_lead_to_what_is_behind_them(tmp_path: Path) -> None:
    osek = read(tmp_path, WHOLE)
    assert osek.task("Blink").resources == ("Bus", "RES_SCHEDULER")
    assert osek.task("Log").resources == ("Link",)
    assert [(r.name, r.property, r.linked) for r in osek.resources] == [
        ("Link", Property.LINKED, "Between"),
        ("Between", Property.LINKED, "Bus"),
        ("Bus", Property.STANDARD, None),
    ]
    assert osek.resource("Link").name == "Bus"


def test_a_declared_scheduler_resource_is_the_one_that_exists_anyway(tmp_path: Path) -> None:
    taken = BLINK + 'resources = ["RES_SCHEDULER"]\n'
    assert read(tmp_path, taken + "[osek.resource.RES_SCHEDULER]\n").resources == ()
    assert codes(tmp_path, taken + '[osek.resource.RES_SCHEDULER]\nproperty = "internal"\n') == ["C107"]
    assert codes(tmp_path, taken + "[osek]\nscheduler_resource = false\n") == ["C107"]


def test_only_event_triggered_tasks_make_no_mode(tmp_path: Path) -> None:
    found = system(tmp_path, BLINK)
    assert (found.modes, found.start_mode, found.tasks) == ((), "", ())


def test_rounds_alone_have_no_event_triggered_system(tmp_path: Path) -> None:
    assert system(tmp_path, ROUND).osek is None


def test_rounds_and_events_may_be_in_one_file(tmp_path: Path) -> None:
    found = system(tmp_path, ROUND + BLINK)
    assert [mode.name for mode in found.modes] == ["default"]
    assert found.start_mode == "default"
    assert found.osek is not None
    assert [task.name for task in found.osek.tasks] == ["Blink"]


def test_an_error_in_the_rounds_does_not_hide_one_in_the_event_triggered_system(tmp_path: Path) -> None:
    assert codes(tmp_path, '[task.fuel]\nperiod = "1.5us"\n' + BLINK + 'events = ["Go"]\n') == ["C017", "C100"]
    assert codes(tmp_path, '[mode.run]\nwindow = "deadline"\n' + BLINK + 'events = ["Go"]\n') == ["C031", "C100"]


def test_the_tick_of_a_counter_takes_part_in_choosing_the_clock(tmp_path: Path) -> None:
    board = (ROOT / "boards" / "virtual-tiny" / "board.toml").read_text(encoding="utf-8")
    assert board.count("[[clocks]]\nhz = ") == 1
    board = board.replace("[[clocks]]\nhz = ", "[[clocks]]\nhz = 700000\ninstructions_per_tick = 0\n\n[[clocks]]\nhz = ")
    (tmp_path / "board.toml").write_text(board, encoding="utf-8")
    for tick, clock, ticks in (("1ms", 700_000, 700), ("1us", 1_000_000, 1)):
        path = tmp_path / "engine.toml"
        path.write_text(f'[system]\nboard = "board.toml"\n{BLINK}[osek.counter.Timer]\ntick = "{tick}"\n', encoding="utf-8")
        diagnostics = Diagnostics()
        found = read_schedule(path, diagnostics)
        assert not diagnostics.reported, diagnostics.reported
        assert found is not None
        assert found.osek is not None
        assert (found.clock_hz, found.osek.counter("Timer").tick) == (clock, ticks)


def test_a_tick_that_does_not_divide_is_refused_or_rounded_with_its_drift(tmp_path: Path) -> None:
    counter = BLINK + '[osek.counter.Timer]\ntick = "2.25us"\n'
    assert codes(tmp_path, counter) == ["C017"]
    path = tmp_path / "engine.toml"
    path.write_text(TINY + 'inexact_times = "round"\n' + counter, encoding="utf-8")
    diagnostics = Diagnostics()
    found = read_schedule(path, diagnostics)
    assert found is not None
    assert found.osek is not None
    assert found.osek.counter("Timer").tick == 2
    assert [(d.written, d.ticks, d.error_ticks) for d in found.drifts] == [("2.25us", 2, -0.25)]
    assert ["a drift of 9600s a day" in d.cause for d in diagnostics.reported] == [True]


def test_the_remedy_for_a_tick_says_what_it_does_to_the_times_that_are_counted_in_it(tmp_path: Path) -> None:
    path = tmp_path / "engine.toml"
    path.write_text(TINY + BLINK + '[osek.counter.Timer]\ntick = "0.25us"\n', encoding="utf-8")
    diagnostics = Diagnostics()
    read_schedule(path, diagnostics)
    remedies = [d.remedy for d in diagnostics.reported]
    assert 'write "1us", and divide each number of such ticks by 4' in remedies


def test_a_tick_that_rounds_to_nothing_is_refused_once(tmp_path: Path) -> None:
    counter = BLINK + '[osek.counter.Timer]\ntick = "0.25us"\n'
    assert codes(tmp_path, counter) == ["C017"]
    assert codes(tmp_path, 'inexact_times = "round"\n' + counter) == ["C018", "C041"]


# Masks


def masks(tmp_path: Path, text: str) -> dict[str, int]:
    return {event.name: event.mask for event in read(tmp_path, text).events}


def test_an_event_gets_the_first_bit_that_its_tasks_have_free(tmp_path: Path) -> None:
    tasks = (
        '[osek.task.A]\npriority = 1\nevents = ["One", "Two", "Three"]\n[osek.task.B]\npriority = 2\nevents = ["Other", "Two"]\n'
    )
    events = "[osek.event.Other]\n[osek.event.One]\n[osek.event.Two]\n[osek.event.Three]\nmask = 5\n"
    assert masks(tmp_path, tasks + events) == {"Other": 1, "One": 2, "Two": 8, "Three": 5}


def test_events_of_different_tasks_may_share_a_bit(tmp_path: Path) -> None:
    tasks = '[osek.task.A]\npriority = 1\nevents = ["One"]\n[osek.task.B]\npriority = 2\nevents = ["Two"]\n'
    assert masks(tmp_path, tasks + "[osek.event.One]\n[osek.event.Two]\n") == {"One": 1, "Two": 1}
    assert masks(tmp_path, tasks + "[osek.event.One]\nmask = 12\n[osek.event.Two]\nmask = 4\n") == {"One": 12, "Two": 4}


def test_a_task_has_up_to_32_events(tmp_path: Path) -> None:
    def text(count: int) -> str:
        names = [f"E{number}" for number in range(count)]
        listed = ", ".join(f'"{name}"' for name in names)
        return BLINK + f"events = [{listed}]\n" + "".join(f"[osek.event.{name}]\n" for name in names)

    assert list(masks(tmp_path, text(32)).values()) == [1 << bit for bit in range(32)]
    assert codes(tmp_path, text(33)) == ["C106"]


# Limits, bounds and names


@pytest.mark.parametrize(
    ("section", "most", "body"),
    [
        ("task", 250, "priority = 1\n"),
        ("resource", 254, 'property = "standard"\n'),
        ("counter", 255, 'kind = "software"\n'),
        ("alarm", 255, 'counter = "Timer"\ncallback = "OnTick"\n'),
        ("schedule_table", 255, 'counter = "Timer"\nduration = 9\npoint = [{ offset = 1, activate = ["Blink"] }]\n'),
    ],
)
def test_the_number_of_objects_is_limited(section: str, most: int, body: str, tmp_path: Path) -> None:
    def text(count: int) -> str:
        tables = "".join(f"[osek.{section}.X{number}]\n{body}" for number in range(count))
        others = ("" if section == "counter" else TIMER) + (BLINK if section == "schedule_table" else "")
        return tables + others + '[osek.isr.Button]\nsource = "ext0"\n'

    assert "C117" not in codes(tmp_path, text(most))
    assert codes(tmp_path, text(most + 1)) == ["C117"]


def test_the_number_of_points_and_of_actions_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits are those of 16 bits; reading as many points takes long, so that the test has others."""
    assert (schedule_tables.MOST_POINTS, schedule_tables.MOST_ACTIONS) == (2**16 - 2, 2**16 - 1)
    monkeypatch.setattr(schedule_tables, "MOST_POINTS", 4)
    monkeypatch.setattr(schedule_tables, "MOST_ACTIONS", 5)

    def text(*points: int) -> str:
        """A table of so many points, with an action each."""
        written = BLINK + TIMER
        for table, count in enumerate(points):
            rows = "".join(f'{{ offset = {n}, activate = ["Blink"] }}, ' for n in range(count))
            written += f'[osek.schedule_table.T{table}]\ncounter = "Timer"\nduration = 70\npoint = [{rows}]\n'
        return written

    assert codes(tmp_path, text(4, 1)) == []
    assert codes(tmp_path, text(4, 2)) == ["C117"]
    assert codes(tmp_path, text(2, 3, 1, 1)) == ["C117"]
    assert codes(tmp_path, text(5)) == ["C117"]
    assert codes(tmp_path, text(5, 1)) == ["C117", "C117"]


@pytest.mark.parametrize(
    ("autostart", "found"),
    [
        ("at = 1", []),
        ("at = 0", ["C116"]),
        ("at = 0, absolute = true", []),
        ("at = 100", []),
        ("at = 101", ["C116"]),
        ("at = 100, absolute = true", []),
        ("at = 101, absolute = true", ["C116"]),
        ("cycle = 9", ["C116"]),
        ("cycle = 10", []),
        ("cycle = 100", []),
        ("cycle = 101", ["C116"]),
    ],
)
def test_an_autostart_keeps_within_the_bounds_of_its_counter(autostart: str, found: list[str], tmp_path: Path) -> None:
    alarm = '[osek.alarm.Tick]\ncounter = "Timer"\nactivate = "Blink"\n' + f"autostart = {{ {autostart} }}\n"
    assert codes(tmp_path, BLINK + TIMER + "max_allowed = 100\nmin_cycle = 10\n" + alarm) == found


@pytest.mark.parametrize(
    ("bounds", "found"),
    [
        ("min_cycle = 100", []),
        ("min_cycle = 101", ["C112"]),
        ("ticks_per_base = 101", []),
        ("ticks_per_base = 102", ["C202"]),
    ],
)
def test_the_bounds_of_a_counter_fit_together(bounds: str, found: list[str], tmp_path: Path) -> None:
    assert codes(tmp_path, BLINK + TIMER + "max_allowed = 100\n" + bounds + "\n") == found


def test_counters_may_increment_others_in_a_line_but_not_in_a_circle(tmp_path: Path) -> None:
    counters = "".join(f'[osek.counter.{name}]\nkind = "software"\n' for name in "ABCD")

    def alarms(*edges: str) -> str:
        return "".join(f'[osek.alarm.X{one}{two}]\ncounter = "{one}"\nincrement = "{two}"\n' for one, two in edges)

    assert codes(tmp_path, BLINK + counters + alarms("AB", "BC", "AC", "CD", "BD")) == []
    assert codes(tmp_path, BLINK + counters + alarms("AB", "BC", "CD", "DA", "AC")) == ["C115"]


def test_a_misspelt_key_or_table_causes_no_second_error(tmp_path: Path) -> None:
    alarm = '[osek.alarm.Tick]\ncounter = "Timer"\nactivate = "Blink"\n'
    assert codes(tmp_path, "[osek.task.Blink]\npriorty = 1\n") == ["C013"]
    assert codes(tmp_path, "[osek.tasks.Blink]\npriority = 1\n" + TIMER + alarm) == ["C013"]
    assert codes(tmp_path, BLINK + '[osek.counter.Timer]\nticks = "1ms"\n' + alarm) == ["C013"]
    assert codes(tmp_path, BLINK + TIMER + '[osek.alarm.Tick]\ncounter = "Timer"\nactvate = "Blink"\n') == ["C013"]
    assert codes(tmp_path, BLINK + TIMER + alarm + 'autostart = { modes = "normal" }\n') == ["C015"]
    assert codes(tmp_path, BLINK + 'autostart = ["normal"]\n[osek]\nmodes = ["normal", 1]\n') == ["C015"]


def test_an_alarm_may_activate_a_thread(tmp_path: Path) -> None:
    alarm = '[osek.alarm.Tick]\ncounter = "Timer"\nactivate = "Once"\n'
    assert read(tmp_path, "[time]\n[thread.Once]\npriority = 1\n" + TIMER + alarm).alarms[0].action == ActivateTask("Once")


def test_the_first_application_mode_may_have_its_name_of_the_operating_system(tmp_path: Path) -> None:
    assert read(tmp_path, '[osek]\nmodes = ["OSDEFAULTAPPMODE", "test"]\n' + BLINK).modes == ("OSDEFAULTAPPMODE", "test")
    assert codes(tmp_path, '[osek]\nmodes = ["test", "OSDEFAULTAPPMODE"]\n' + BLINK) == ["C101"]


def test_every_name_of_the_public_header_is_known_to_be_taken() -> None:
    header = (ROOT / "kernel" / "api" / "carillon" / "osek.h").read_text(encoding="utf-8")
    code = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    names = {
        *re.findall(r"^#define (\w+)", code, re.MULTILINE),
        *re.findall(r"^(?:typedef [^;{]*?|})\W*(\w+);", code, re.MULTILINE),
        *re.findall(r"\b([A-Z]\w+)\([^()]*\)\s*(?:__attribute__\(\(\w+\)\))?;", code),
    }
    assert {"E_OK", "TaskRefType", "AlarmBaseType", "StartOS", "ErrorHook"} <= names
    own = {name for name in names if name.upper().startswith("CARILLON_")}
    assert {name for name in names - own if reserved(name) is None} == set()


def test_every_name_of_the_header_for_cplusplus_is_known() -> None:
    header = (ROOT / "kernel" / "api" / "carillon" / "time.hpp").read_text(encoding="utf-8")
    code = re.sub(r"/\*.*?\*/|^#[^\n]*", "", header, flags=re.DOTALL | re.MULTILINE)
    names = set(re.findall(r"\b[A-Za-z_]\w*", code)) - CPP_KEYWORDS
    assert {name for name in names if fault(name, function=True) is None and reserved(name) is None} == CPP_NAMES


def test_no_prefix_makes_a_name_of_the_list_superfluous() -> None:
    assert not [name for name in API_NAMES if name.startswith(API_PREFIXES)]
