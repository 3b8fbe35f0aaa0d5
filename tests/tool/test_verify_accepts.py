# SPDX-License-Identifier: Apache-2.0
"""Images that are right are not refused: what ``check`` and ``plan`` accept, ``build`` builds and verifies."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from building import build
from carillon.build import Firmware
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.model.giotto import Machine
from carillon.pipeline import plan
from carillon.verify import Report, verify
from carillon.verify.code import Handlers, frame
from carillon.verify.elf import Elf
from sample import few


def built(folder: Path, text: str, board: str, source: str, *, warns: bool = False) -> tuple[Firmware, Report]:
    schedule = folder / "schedule.toml"
    schedule.write_text(f'[system]\nname = "right"\nboard = "{board}"\n{text}')
    (folder / "main.c").write_text(source)
    diagnostics = Diagnostics()
    planned = plan(schedule, diagnostics)
    firmware = build(planned.image, folder / "build", diagnostics)
    assert firmware is not None, [d.cause for d in diagnostics.errors]
    report = verify(planned.system, firmware.elf, diagnostics)
    assert not (diagnostics.errors if warns else diagnostics.reported)
    return firmware, report


LONG = [
    ("virtual-256", 3_000_000_000),
    ("virtual-256", 4_294_967_295),
    ("ast1030-evb", 3_125_000_000),
    ("ast1030-evb", 4_294_967_000),
]


@pytest.mark.parametrize(("board", "length"), LONG)
@pytest.mark.parametrize("part", [10, 2])
def test_intervals_of_any_length_that_a_counter_can_count(board: str, length: int, part: int, tmp_path: Path) -> None:
    """Differences of 2^31 ticks and more are as good as shorter ones; 2^32 - 1 is the greatest."""
    text = f'[task.A]\n[mode.m]\nround = "{length} ticks"\npoints = [ {{ at = "{length // part} ticks", activate = "A" }} ]\n'
    _, report = built(tmp_path, text, board, '#include "carillon/osektime.h"\nttTASK(A)\n{\n}\n')
    assert report.modes[0].expiries == 2


@pytest.mark.parametrize(("board", "count"), [("ast1030-evb", 7), ("ast1030-evb", 14), ("virtual-256", 40)])
def test_a_counter_with_many_alarms_of_tasks_of_different_levels(board: str, count: int, tmp_path: Path) -> None:
    """Its handler asks each level's part of the queue, so that it has 2^n paths."""
    numbers = range(1, count + 1)
    text = '[osek]\n[osek.counter.C]\ntick = "1ms"\n' + "".join(
        f"[osek.task.T{k}]\npriority = {k}\n"
        f'[osek.alarm.A{k}]\ncounter = "C"\nactivate = "T{k}"\nautostart = {{ at = 1, cycle = {k + 2} }}\n'
        for k in numbers
    )
    source = '#include "carillon/osek.h"\n' + "".join(f"TASK(T{k})\n{{\n    (void)TerminateTask();\n}}\n" for k in numbers)
    firmware, report = built(tmp_path, text, board, source)
    assert report.osek is not None
    elf = Elf(firmware.elf)
    counter = elf.symbols.get("carillon_counter_C")
    if counter is not None:  # on a board with more cells, each alarm has its own
        paths = Handlers(elf).paths(counter.address)
        assert paths.complete is (board != "ast1030-evb")  # where the compiler has the questions in the handler itself
        calls = {elf.name_of(e.address) for path in paths.effects for e in path if e.kind == "call"}
        assert any(name.startswith("carillon_") for name in calls)


def test_a_lowered_task_in_one_of_several_modes_has_a_deadline_of_its_own(tmp_path: Path) -> None:
    text = """[task.T0]
[task.T1]
[mode.m0]
round = "21050 ticks"
points = [ { at = "8405 ticks", activate = "T0" } ]
[mode.m1]
round = "22616 ticks"
points = [
  { at = "8403 ticks", activate = "T0" },
  { at = "10729 ticks", activate = "T1", deadline_at = "18930 ticks" },
  { at = "15050 ticks", activate = "T0" },
]
"""
    _, report = built(tmp_path, text, "mps2-an385", '#include "carillon/osektime.h"\nttTASK(T0)\n{\n}\nttTASK(T1)\n{\n}\n')
    assert [m.deadlines for m in report.modes] == [0, 1]


@pytest.mark.parametrize("board", ["ast1030-evb", "mps2-an385", "virtual-ast1030-evb"])
@pytest.mark.parametrize("locks", [False, True])
def test_a_bound_on_locks_stands_whether_or_not_a_task_takes_one(board: str, locks: bool, tmp_path: Path) -> None:
    text = '[osek]\nhooks = ["protection"]\n[osek.task.T]\npriority = 1\nautostart = true\nall_interrupts_lock = "1ms"\n'
    body = "    SuspendAllInterrupts();\n    ResumeAllInterrupts();\n" if locks else ""
    hook = "ProtectionReturnType ProtectionHook(StatusType error)\n{\n    (void)error;\n    return PRO_SHUTDOWN;\n}\n"
    source = f'#include "carillon/osek.h"\n{hook}TASK(T)\n{{\n{body}    (void)TerminateTask();\n}}\n'
    _, report = built(tmp_path, text, board, source)
    said = "lock budgets: no service that takes a lock is in the image, so that nothing has one"
    assert (said in report.unverified) is not locks


@pytest.mark.parametrize("board", ["atmega128", "ast1030-evb", "virtual-256", "qemu-rv32-virt", "microbit"])
@pytest.mark.parametrize("locks", [False, True])
def test_lock_budgets_that_the_clock_keeps(board: str, locks: bool, tmp_path: Path) -> None:
    """Where nobody takes a lock, the linker leaves their table out."""
    text = '[osek]\nbudgets = "clock"\n[osek.resource.R]\n[osek.task.K]\npriority = 5\nautostart = true\nresources = ["R"]\n'
    text += 'budget = "5ms"\nresource_lock = [{ resource = "R", budget = "1ms" }]\nos_interrupts_lock = "2ms"\n'
    body = "    (void)GetResource(R);\n    (void)ReleaseResource(R);\n" if locks else ""
    _, report = built(tmp_path, text, board, f'#include "os.h"\nTASK(K)\n{{\n{body}    (void)TerminateTask();\n}}\n')
    said = "lock budgets: no service that takes a lock is in the image, so that nothing has one"
    assert (said in report.unverified) is not locks


@pytest.mark.parametrize("machine", [Machine.MICROCODE, Machine.CELLS])
@pytest.mark.parametrize("again", ["out", "again"])
def test_a_switch_whose_driver_has_another_name_for_the_port(machine: Machine, again: str, tmp_path: Path) -> None:
    """Its destinations are the outputs of these names, or else those that the target's mode lists."""
    program = f"""sensor c_int key uses get;
output c_int other := one; c_int out := one;
task t() output (out) state () {{ schedule work(out) }}
driver press(key) output (c_int {again}) {{ if pressed(key) then reset({again}) }}
start a {{
  mode a(out) period 100 {{ exitfreq 1 do b(press); taskfreq 1 do t(); }}
  mode b(out) period 200 {{ exitfreq 1 do a(press); taskfreq 1 do t(); }}
}}
"""
    (tmp_path / "m.giotto").write_text(program)
    (tmp_path / "m.h").write_text("typedef int c_int;\n")
    functions = "void get(c_int *k) { *k = 1; }\nvoid one(c_int *o) { *o = 1; }\nvoid work(c_int *o) { (*o)++; }\n"
    functions += "bool pressed(const c_int *k) { return *k != 0; }\nvoid reset(c_int *o) { *o = 1; }\n"
    (tmp_path / "m.c").write_text(f'#include "giotto.h"\n{functions}')
    diagnostics = Diagnostics()
    planned = plan(tmp_path / "m.giotto", diagnostics, "virtual-256", machine=machine)
    firmware = build(planned.image, tmp_path / "build", diagnostics)
    assert firmware is not None, [d.cause for d in diagnostics.errors]
    verify(planned.system, firmware.elf, diagnostics)
    assert not diagnostics.errors


@pytest.mark.parametrize(("board", "line"), [("ast1030-evb", "soft0"), ("virtual-256", "ext0")])
def test_a_mode_that_activates_nothing(board: str, line: str, tmp_path: Path) -> None:
    """It only lets an interrupt in again: no window of a task is in its round."""
    text = (
        f'[task.A]\nwcet = "10 us"\n[interrupt.I]\nsource = "{line}"\npriority = "above-tasks"\n'
        '[mode.work]\nround = "1 ms"\npoints = [ { at = "100 us", activate = "A" }, { at = "500 us", enable = "I" } ]\n'
        '[mode.rest]\nround = "1 ms"\npoints = [ { at = "500 us", enable = "I" } ]\n'
    )
    source = '#include "carillon/osektime.h"\nttTASK(A)\n{\n}\nvoid I(void);\nvoid I(void)\n{\n}\n'
    _, report = built(tmp_path, text, board, source)
    assert [m.expiries > 0 for m in report.modes] == [True, True]


def test_flags_that_a_cortex_m0_shifts_before_it_tests_them(tmp_path: Path) -> None:
    """Eight cells share a source, and the compiler tests some of their flags behind a shift to the right."""
    points = {4500: "Many", 5000: "Many", 5500: "Few", 6500: "Many", 7500: "Few", 8000: "Many", 9500: "Many", 11000: "Few"}
    lines = "".join(f'{{ at = "{at} ticks", activate = "{name}" }},\n' for at, name in {0: "Own", 4000: "Own", **points}.items())
    text = f'[task.Few]\nwcet = "292 ticks"\n[task.Many]\n[task.Own]\n[mode.m]\nround = "12000 ticks"\npoints = [\n{lines}]\n'
    source = '#include "carillon/osektime.h"\nttTASK(Few)\n{\n}\nttTASK(Many)\n{\n}\nttTASK(Own)\n{\n}\n'
    _, report = built(tmp_path, text, "raspberry-pi-pico", source)
    assert report.modes[0].expiries >= len(points) + 2


SPILLED = {
    "SysTick": (
        'on_deadline_miss = "continue"\nstart_within = "1000 ticks"\n',
        16000,
        {"T0": "103 ticks", "T1": "165 ticks"},
        {
            0: ("T0", [1500]),
            1250: ("T1", [8625]),
            4000: ("T0", [4500]),
            8000: ("T0", [12000]),
            8625: ("T1", [11375]),
            11375: ("T1", [12375]),
            12000: ("T0", [15500, 16000]),
            12375: ("T1", [16000]),
        },
    ),
    "a source that cells share": (
        'on_deadline_miss = "shutdown"\n',
        8000,
        {"T0": "478 ticks", "T1": "185 ticks", "T2": "662 ticks", "T3": "252 ticks"},
        {
            1000: ("T1", []),
            3000: ("T2", []),
            4000: ("T1", [5000]),
            5500: ("T0", []),
            6000: ("T1", [6500, 7000, 8000]),
            6500: ("T3", []),
            7000: ("T2", []),
        },
    ),
}
"""By what carries the task with many deadlines: the round's length, tasks' WCETs, and activations with their deadlines."""


def spilled(carrier: str) -> tuple[str, str]:
    """The schedule behind its board, and the application."""
    system, length, tasks, activations = SPILLED[carrier]
    points = "".join(
        f'{{ at = "{at} ticks", activate = "{task}", deadline_at = {[f"{t} ticks" for t in due]} }},\n'
        for at, (task, due) in activations.items()
    )
    text = system + "".join(f'[task.{name}]\nwcet = "{wcet}"\n' for name, wcet in tasks.items())
    text += f'[mode.m0]\nround = "{length} ticks"\nwindow = "deadline"\npoints = [\n{points}]\n'
    return text, '#include "carillon/osektime.h"\n' + "".join(f"ttTASK({name})\n{{\n}}\n" for name in tasks)


@pytest.mark.parametrize("carrier", SPILLED)
def test_a_task_whose_address_a_cortex_m0_keeps_on_the_stack(carrier: str, tmp_path: Path) -> None:
    """Its deadlines have so many cells that the handler has no register left for the address."""
    text, source = spilled(carrier)
    _, report = built(tmp_path, text, "raspberry-pi-pico", source, warns=True)
    assert report.modes[0].expiries >= 2 * len(SPILLED[carrier][3])


@pytest.mark.parametrize("carrier", SPILLED)
def test_a_function_that_no_constant_says_is_named_first(carrier: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here nothing is read on the stack, so that what the vector runs is not known."""
    monkeypatch.setattr(frame, "kept", lambda *_: None)
    text, source = spilled(carrier)
    (tmp_path / "schedule.toml").write_text(f'[system]\nname = "right"\nboard = "raspberry-pi-pico"\n{text}')
    (tmp_path / "main.c").write_text(source)
    diagnostics = Diagnostics()
    assert build(plan(tmp_path / "schedule.toml", diagnostics).image, tmp_path / "build", diagnostics) is None
    assert diagnostics.errors[0].cause.endswith("runs a function that no constant says")


@pytest.mark.parametrize("board", ["stm32f4-discovery", "blackpill-f411", "microbit", "raspberry-pi-pico"])
def test_a_time_base_whose_turn_is_all_that_its_counter_counts(board: str, tmp_path: Path) -> None:
    """A turn of 2^32 ticks is 0 in the cell's registers."""
    text = '[osek]\n[osek.counter.C]\ntick = "1ms"\n[osek.task.T]\npriority = 1\n'
    text += "".join(f'[osek.alarm.A{k}]\ncounter = "C"\nactivate = "T"\n' for k in range(2))
    _, report = built(tmp_path, text, board, '#include "carillon/osek.h"\nTASK(T)\n{\n    (void)TerminateTask();\n}\n')
    assert report.osek is not None


ARM = ["ast1030-evb", "blackpill-f411", "microbit", "mps2-an385", "mps2-an505", "nucleo-f429zi"]
ARM += ["raspberry-pi-pico", "stm32f4-discovery"]
OTHERS = [
    "atmega128",
    "arduino-uno",
    "arduino-leonardo",
    "arduino-mega",
    "qemu-rv32-virt",
    "cv32e40x-rtl",
    "tc1796",
    "virtual-256",
]


@pytest.mark.parametrize("board", ARM + OTHERS)
def test_a_periodic_task_alone(board: str, tmp_path: Path) -> None:
    """The least that there is: of a cell that needs an answer, the handler does nothing else."""
    text = '[task.A]\nperiod = "4 ms"\nwcet = "10 us"\n'
    _, report = built(tmp_path, text, board, '#include "carillon/osektime.h"\nttTASK(A)\n{\n}\n')
    assert report.modes[0].expiries == 2


def random_system(rng: random.Random, budgets: str) -> tuple[str, str]:
    """A schedule of tasks with alarms, a resource, budgets, locks and time frames, and its C file."""
    count = rng.randrange(1, 5)
    text = f'[osek]\nbudgets = "{budgets}"\nhooks = ["protection"]\n' if budgets else "[osek]\n"
    text += '[osek.resource.R]\n[osek.counter.C]\ntick = "1ms"\n'
    source = '#include "os.h"\n'
    if budgets:
        source += "ProtectionReturnType ProtectionHook(StatusType e)\n{\n    (void)e;\n    return PRO_SHUTDOWN;\n}\n"
    for k in range(count):
        text += f"[osek.task.T{k}]\npriority = {rng.randrange(1, 4)}\nautostart = {rng.choice(('true', 'false'))}\n"
        takes = rng.random() < 0.5
        text += 'resources = ["R"]\n' if takes else ""
        if budgets:
            text += f'budget = "{rng.randrange(2, 20)}ms"\n' if rng.random() < 0.6 else ""
            text += 'resource_lock = [{ resource = "R", budget = "1ms" }]\n' if takes and rng.random() < 0.6 else ""
            text += 'all_interrupts_lock = "500us"\n' if rng.random() < 0.3 else ""
            text += 'os_interrupts_lock = "700us"\n' if rng.random() < 0.3 else ""
        cycle = rng.randrange(20, 200)
        if rng.random() < 0.7:
            text += f'[osek.alarm.A{k}]\ncounter = "C"\nactivate = "T{k}"\n'
            text += f"autostart = {{ at = {rng.randrange(1, 20)}, cycle = {cycle} }}\n"
        locks = "    (void)GetResource(R);\n    (void)ReleaseResource(R);\n" if takes and rng.random() < 0.5 else ""
        locks += "    SuspendOSInterrupts();\n    ResumeOSInterrupts();\n" if rng.random() < 0.3 else ""
        source += f"TASK(T{k})\n{{\n{locks}    (void)TerminateTask();\n}}\n"
    return text, source


@pytest.mark.parametrize("board", ARM + OTHERS)
@pytest.mark.parametrize("budgets", ["", "clock", "cell"])
def test_random_systems(board: str, budgets: str, tmp_path: Path) -> None:
    """What ``check`` refuses, or the allocator, says so before there is an image; no image is refused."""
    rng = random.Random(board + budgets)
    for number in range(few(4)):
        folder = tmp_path / str(number)
        folder.mkdir()
        text, source = random_system(rng, budgets)
        try:
            built(folder, text, board, source, warns=True)
        except CarillonError as error:
            assert budgets and not {f"C20{n}" for n in range(4, 10)} & {d.code for d in error.diagnostics}, str(error)
