# SPDX-License-Identifier: Apache-2.0
"""Stimuli come before the first instruction at or after their time, and the firmware sees what they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from laboratory import ROOT, VIRTUAL, Laboratory, task

from carillon.diagnostics import Diagnostics
from carillon.read.board import load_board
from carillon.read.stimuli import read_stimuli
from carillon.resources import board_names, data_root
from carillon.run import record, run
from carillon.run.stimuli import MOST_PINS
from carillon.trace import Kind
from carillon.trace.analyse import analyse
from runnable import MARKS, NODE, RIGLESS

UNO = "arduino-uno"
PICO = "raspberry-pi-pico"
LONGEST = 4
"""Cycles of the longest instruction of an AVR with a program counter of 16 bits, less than which a stimulus waits."""
JUMP = 3
"""Cycles of the jump in the vector, by simavr's count."""

EDGES = """
[task.Work]
period = "1000 ticks"
[interrupt.Edge]
source = "soft0"
[stimuli]
rows = [
    {{ pin = "D2", level = 0 }},
    {{ at = "{at} ticks", pin = "D2", level = 1, every = "{every} ticks" }},
    {{ at = "{off} ticks", pin = "D2", level = 0, every = "{every} ticks" }},
]
"""
CLOCK = 'clock = "2MHz"'
PER_TICK = 8


@pytest.mark.parametrize("idle", ["spin", "sleep"])
@pytest.mark.parametrize(("at", "every"), [(101, 97), (102, 98), (333, 333)])
def test_an_interrupt_is_entered_in_the_cycle_of_the_edge(lab: Laboratory, idle: str, at: int, every: int) -> None:
    schedule = EDGES.format(at=at, off=at + every // 2, every=every)
    seen = lab.run(schedule, task("Work") + task("Edge"), UNO, system=f'{CLOCK}\nidle = "{idle}"', ticks=3000)
    expected = [tick * PER_TICK for tick in range(at, 3000, every)]
    edges = [e.n for e in seen.events(Kind.STIMULUS, of="D2=1")]
    entered = seen.at(Kind.ENTER, "Edge")
    assert edges == entered
    waited = [n - due for n, due in zip(entered, expected, strict=True)]
    assert all(0 <= w < LONGEST for w in waited), waited
    assert {s - e for e, s in zip(entered, seen.at(Kind.START, "Edge"), strict=True)} == {JUMP}
    if idle == "sleep":
        quiet = [w for w, due in zip(waited, expected, strict=True) if due // PER_TICK % 1000 > 100]
        assert set(quiet) == {0}, "a processor that sleeps executes nothing that the edge could wait for"


def test_an_edge_within_a_task_waits_for_its_instruction_alone(lab: Laboratory) -> None:
    schedule = EDGES.format(at=10, off=15, every=11)
    seen = lab.run(schedule, task("Work", "carillon_work(700);") + task("Edge"), UNO, system=CLOCK, ticks=600)
    entered = seen.at(Kind.ENTER, "Edge")
    due = [tick * PER_TICK for tick in range(10, 600, 11)]
    waits = [min((n for n in entered if n >= d), default=10**9) - d for d in due]
    assert sum(w < LONGEST for w in waits) > len(due) * 3 // 4  # others meet the kernel, which has interrupts off
    assert [e.n for e in seen.events(Kind.PIN, of="D2=1")] == [e.n for e in seen.events(Kind.STIMULUS, of="D2=1")]


def test_a_level_stands_although_the_firmware_writes_to_the_port(lab: Laboratory) -> None:
    code = '*(volatile uint8_t *)0x2B = 0x84u;\nreport("low", (*(volatile uint8_t *)0x29 & 4u) == 0u);'
    code = '#pragma GCC diagnostic ignored "-Warray-bounds"\n' + task("Work", code)
    schedule = """
[task.Work]
period = "40000 ticks"
[stimuli]
rows = [{ pin = "PD2", level = 0 }, { at = "100000 ticks", pin = "PD2", level = 1 }]
"""
    assert lab.run(schedule, code, UNO, system=CLOCK, ticks=160000).said("low") == [1, 1, 1, 0]


def test_the_converter_of_an_avr_reads_the_voltage(lab: Laboratory) -> None:
    code = """
*(volatile uint8_t *)0x7C = 0x43u; /* ADMUX: AVCC, channel 3 */
*(volatile uint8_t *)0x7A = 0xC4u; /* ADCSRA: enable, start, divide by 16 */
while ((*(volatile uint8_t *)0x7A & 0x40u) != 0u) {
}
report("read", *(volatile uint16_t *)0x78);
"""
    schedule = """
[task.Work]
period = "40000 ticks"
[stimuli]
rows = [{ adc = 3, volts = 2.5 }, { at = "60000 ticks", adc = 3, volts = 1 }]
"""
    code = '#pragma GCC diagnostic ignored "-Warray-bounds"\n' + task("Work", code)
    seen = lab.run(schedule, code, UNO, system=CLOCK, ticks=160000).said("read")
    assert seen == pytest.approx([511, 511, 204, 204], abs=2)


def test_an_avr_receives_a_text(lab: Laboratory) -> None:
    code = """
static uint8_t turn;
static uint8_t got[4];
uint8_t count = 0u;
if (turn++ == 0u) {
    report("ready", 1); /* which makes the console a sender */
    *(volatile uint8_t *)0xC1 |= 0x10u; /* UCSR0B: receive */
    return;
}
for (uint16_t k = 0; k < 5000u && count < sizeof got; k++) {
    if ((*(volatile uint8_t *)0xC0 & 0x80u) != 0u) {
        got[count++] = *(volatile uint8_t *)0xC6;
    }
}
for (uint8_t k = 0; k < count; k++) {
    report("byte", got[k]);
}
"""
    schedule = """
[task.Work]
period = "40000 ticks"
[stimuli]
rows = [{ at = "40200 ticks", uart = "Hii" }]
"""
    code = '#pragma GCC diagnostic ignored "-Warray-bounds"\n' + task("Work", code)
    assert lab.run(schedule, code, UNO, system=CLOCK, ticks=100000).said("byte") == [*b"Hii"]


def test_a_source_is_requested_on_an_avr_and_on_a_virtual_board(lab: Laboratory) -> None:
    for board, source, per_tick in ((UNO, "soft1", PER_TICK), (VIRTUAL, "ext0", 1)):
        schedule = f"""
[task.Work]
period = "1000 ticks"
[interrupt.Line]
source = "{source}"
[stimuli]
rows = [{{ at = "300 ticks", source = "{source}", every = "250 ticks", count = 3 }}]
"""
        system = CLOCK if board == UNO else ""
        seen = lab.run(schedule, task("Work") + task("Line"), board, system=system, ticks=3000)
        entered = seen.at(Kind.ENTER, "Line")
        assert entered == seen.at(Kind.STIMULUS, source)
        assert [n // per_tick for n in entered] == [300, 550, 800]


def test_pins_are_lanes_with_the_times_of_their_levels(lab: Laboratory) -> None:
    code = "*(volatile uint8_t *)0x24 |= 0x20u;\n*(volatile uint8_t *)0x23 = 0x20u;"
    schedule = EDGES.format(at=100, off=600, every=1000) + 'watch = ["PB5"]\n'
    code = '#pragma GCC diagnostic ignored "-Warray-bounds"\n' + task("Work", code) + task("Edge")
    seen = lab.run(schedule, code, UNO, system=CLOCK + '\nidle = "sleep"', ticks=2000)
    high = analyse(seen.trace, ()).high
    assert [(b // PER_TICK, e // PER_TICK) for b, e in high["D2"]] == [(100, 600), (1100, 1600)]
    assert len(high["PB5"]) == 1


def test_a_run_with_stimuli_is_the_same_every_time(lab: Laboratory) -> None:
    path = lab.write(EDGES.format(at=101, off=150, every=97), task("Work") + task("Edge"), system=CLOCK)
    planned, firmware = lab.firmware(path, UNO)
    runs = [record(planned.image, firmware, 3000, Diagnostics(), stimuli=planned.system.stimuli) for _ in range(2)]
    assert runs[0] is not None
    assert runs[0] == runs[1]


@NODE
def test_an_rp2040_takes_an_edge_and_a_request_at_their_instruction(lab: Laboratory, tmp_path: Path) -> None:
    board = tmp_path / "board.toml"
    board.write_text(f'base = "{PICO}"\nname = "pico-io"\nsummary = "pins"\napplication_sources = {{ io = 29 }}\n')
    code = """
if (!ready) {
    ready = 1;
    REGISTER(0x4000F000) = 1u << 5 | 1u << 8; /* RESETS: IO_BANK0 and PADS_BANK0 go on */
    REGISTER(0x4001C040) = 1u << 6;           /* the pad of GPIO15 is an input */
    REGISTER(0x4001407C) = 5u;                /* SIO */
    REGISTER(0x400140CC) = 5u;
    REGISTER(0xD0000024) = 1u << 25; /* GPIO25 is an output */
    REGISTER(0x400140F4) = 15u << 28;
    REGISTER(0x40014104) = 8u << 28; /* rising edges of GPIO15 */
}
REGISTER(0xD000001C) = 1u << 25;
"""
    text = "static int ready;\n#define REGISTER(at) (*(volatile uint32_t *)(at))\n"
    text += task("Work", code) + task("Edge", "REGISTER(0x400140F4) = 15u << 28;") + task("Line")
    schedule = """
[task.Work]
period = "1000 ticks"
[interrupt.Edge]
source = "io"
[interrupt.Line]
source = "soft0"
[stimuli]
rows = [
    { at = "200 ticks", pin = "GPIO15", level = 1, every = "1001 ticks" },
    { at = "700 ticks", pin = "GPIO15", level = 0, every = "1001 ticks" },
    { at = "503 ticks", source = "soft0", every = "1000 ticks" },
]
watch = ["GPIO25"]
"""
    seen = lab.run(schedule, text, str(board), ticks=4000)
    assert seen.at(Kind.STIMULUS, "GPIO15=1") == [125 * t for t in (200, 1201, 2202, 3203)]
    assert seen.at(Kind.ENTER, "Edge") == seen.at(Kind.STIMULUS, "GPIO15=1")
    assert seen.at(Kind.ENTER, "Line") == [125 * t for t in (503, 1503, 2503, 3503)]
    assert [n // 125 for n in seen.at(Kind.PIN, "GPIO25=1")] == [0, 2000]
    assert [n // 125 for n in seen.at(Kind.PIN, "GPIO25=0")] == [1000, 3000]


def test_the_button_of_the_example_is_counted(lab: Laboratory) -> None:
    seen = lab.run_file(ROOT / "examples/button/schedule.toml", UNO, ticks=200_000)
    assert seen.reported == [("presses", 1), ("edges", 2), ("presses", 2), ("edges", 4)]
    # The task has seen the pin high twice, 5 ms apart, after the contact has bounced.
    assert [n // (5 * 16_000) for n in seen.at(Kind.PIN, "D13=1")] == [4, 12]


EVENT_TRIGGERED = """
[osek.task.Blink]
priority = 1
[osek.isr.Button]
source = "{source}"
[osek.counter.SystemTimer]
tick = "1ms"
[osek.alarm.Toggle]
counter = "SystemTimer"
activate = "Blink"
autostart = {{ at = 10, cycle = 10 }}
[stimuli]
rows = [{{ at = "15ms", source = "{source}" }}, {{ at = "17300us", source = "{source}" }}]
"""
HANDLERS = "DeclareTask(Blink);\nISR(Button) {}\nTASK(Blink) { TerminateTask(); }\n"


def test_times_count_from_tick_0_of_an_event_triggered_system(lab: Laboratory) -> None:
    seen = lab.run(EVENT_TRIGGERED.format(source="soft1"), HANDLERS, UNO, ticks=400_000)
    assert seen.trace.clock_hz == 16_000_000
    assert seen.at(Kind.ENTER, "Button") == seen.at(Kind.STIMULUS, "soft1")
    assert [n - due < LONGEST for n, due in zip(seen.at(Kind.ENTER, "Button"), (240_000, 276_800), strict=True)] == [True, True]


@NODE
def test_times_count_from_the_first_round_where_there_is_one(lab: Laboratory) -> None:
    schedule = '[task.TT]\nperiod = "5ms"\n' + EVENT_TRIGGERED.format(source="soft1")
    seen = lab.run(schedule, task("TT") + HANDLERS, PICO, ticks=20_000)
    assert seen.at(Kind.STIMULUS, "soft1") == [15_000 * 125, 17_300 * 125]
    first, second = seen.at(Kind.ENTER, "Button")
    assert 0 <= first - 15_000 * 125 < 125  # a tick of the counter is served at the same microsecond
    assert second == 17_300 * 125


THINGS = st.sampled_from(["PD2,0", "D2,1", "PD3,1", "PB5,0", "ADC3,1.5", "uart,hello", "uart,x", "soft0,", "soft1,"])
LINES = st.lists(st.tuples(st.integers(0, 2100), THINGS), max_size=12, unique_by=lambda line: (line[0], line[1][:2]))


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LINES)
def test_random_stimuli_happen_each_at_its_time(lab: Laboratory, tmp_path: Path, lines: list[tuple[int, str]]) -> None:
    path = lab.write(EDGES.format(at=1, off=2, every=100), task("Work") + task("Edge"), system=CLOCK)
    planned, firmware = lab.firmware(path, UNO)
    file, diagnostics = tmp_path / "random.csv", Diagnostics()
    file.write_text("time,what,value\n" + "".join(f"{tick} ticks,{what}\n" for tick, what in lines))
    stimuli = read_stimuli(file, planned.system, diagnostics)
    if diagnostics.errors:  # D2 is PD2
        return
    trace = run(planned.image, firmware, 2000, diagnostics, stimuli=stimuli)
    if trace is None:
        assert {d.code for d in diagnostics.errors} == {"C298"}
        return
    seen = [e.n // PER_TICK for e in trace.events if e.kind is Kind.STIMULUS]
    assert seen == sorted(tick for tick, _ in lines if tick < 2000)


def _with_pins() -> list[Any]:
    """The boards whose emulators have pins, as parameters."""
    boards = {name: load_board(data_root() / "boards" / name / "board.toml").run for name in board_names()}
    return [pytest.param(n, marks=MARKS.get(r.kind, ())) for n, r in boards.items() if r is not None and r.pins]


@pytest.mark.parametrize("board", _with_pins())
def test_an_emulator_has_the_pins_that_its_board_names(board: str, lab: Laboratory, tmp_path: Path) -> None:
    path = lab.write('[task.Work]\nperiod = "1000 ticks"\n', task("Work"))
    planned, firmware = lab.firmware(path, board)
    how = planned.system.board.run
    assert how is not None
    pins = [f"{prefix}{number}" for prefix, count in how.pins.items() for number in range(count)]
    assert set(how.pin_names.values()) <= set(pins)
    for some in (pins[:MOST_PINS], pins[MOST_PINS:]):
        file, diagnostics = tmp_path / "pins.csv", Diagnostics()
        lines = "".join(f"10 ticks,{pin},1\n20 ticks,{pin},0\n" for pin in some)
        file.write_text(f"time,what,value\n{lines}", encoding="ascii")
        trace = run(planned.image, firmware, 100, diagnostics, stimuli=read_stimuli(file, planned.system, diagnostics))
        assert trace is not None, [str(d) for d in diagnostics.reported]
        assert {e.object for e in trace.events if e.kind is Kind.PIN and e.object.endswith("=0")} == {f"{pin}=0" for pin in some}


F4 = [pytest.param(name, marks=RIGLESS) for name in ("stm32f4-discovery", "nucleo-f429zi", "blackpill-f411")]
F4_BUTTONS = {"stm32f4-discovery": ("B1", "A", 0, 1), "nucleo-f429zi": ("B1", "C", 13, 1), "blackpill-f411": ("KEY", "A", 0, 0)}
"""The user button's name, port and pin, and its level while it is down."""
REGISTER = "#define REGISTER(at) (*(volatile uint32_t *)(at))\nstatic volatile int ready;\n"


@pytest.mark.parametrize("board", F4)
def test_a_button_of_an_stm32f4_starts_an_interrupt_before_its_instruction(board: str, lab: Laboratory) -> None:
    name, port, pin, down = F4_BUTTONS[board]
    number, gpio = ord(port) - ord("A"), 0x40020000 + 0x400 * (ord(port) - ord("A"))
    choose = 0x40013808 + 4 * (pin // 4)
    edge = 0x40013C08 if down else 0x40013C0C
    work = f"""
if (!ready) {{
    ready = 1;
    REGISTER(0x40023830) |= 1u << {number};            /* RCC_AHB1ENR */
    REGISTER(0x40023844) |= 1u << 14;                  /* RCC_APB2ENR: SYSCFG */
    REGISTER({choose}) = {number}u << {4 * (pin % 4)}; /* SYSCFG_EXTICR */
    REGISTER({edge}) = 1u << {pin};                    /* EXTI_RTSR or EXTI_FTSR */
    REGISTER(0x40013C00) = 1u << {pin};                /* EXTI_IMR */
}}
"""
    press = f'report("level", (REGISTER({gpio + 0x10}) >> {pin} & 1u));\nREGISTER(0x40013C14) = 1u << {pin};'
    schedule = f"""
[task.Work]
period = "62500 ticks"
[interrupt.Press]
source = "EXTI{pin if pin < 5 else "15_10"}"
[stimuli]
rows = [
    {{ pin = "{name}", level = {1 - down} }},
    {{ at = "20000 ticks", pin = "{name}", level = {down}, every = "62501 ticks" }},
    {{ at = "50000 ticks", pin = "{name}", level = {1 - down}, every = "62501 ticks" }},
]
"""
    seen = lab.run(schedule, REGISTER + task("Work", work) + task("Press", press), board, ticks=200_000)
    presses = seen.at(Kind.STIMULUS, f"{name}={down}")
    assert presses == [20_000, 82_501, 145_002]
    assert seen.at(Kind.ENTER, "Press") == presses
    assert seen.said("level") == [down] * 3
    assert seen.at(Kind.PIN, f"{name}={down}")[-3:] == presses


@RIGLESS
def test_exti_keeps_what_is_masked_and_takes_what_software_requests(lab: Laboratory) -> None:
    """The pin is an output here: its edges come from the firmware itself."""
    code = """
if (turn++ == 0) {
    REGISTER(0x40023844) |= 1u << 14;                 /* SYSCFG */
    REGISTER(0x40023830) |= 1u << 4;                  /* GPIOE */
    REGISTER(0x40021000) = 1u << 14;                  /* PE7 is an output */
    REGISTER(0x4001380C) = 4u << 12;                  /* SYSCFG_EXTICR2: line 7 is PE7 */
    REGISTER(0x40013C08) = REGISTER(0x40013C0C) = 0x80u;
    REGISTER(0x40021018) = 0x80u;                     /* a rising edge */
    report("masked", REGISTER(0x40013C14));
    REGISTER(0x40021018) = 0x80u << 16;               /* a falling one */
    REGISTER(0x40013C14) = 0x80u;
    report("cleared", REGISTER(0x40013C14));
    REGISTER(0x40021018) = 0x80u;
    REGISTER(0x40013C00) = 0x280u;                    /* IMR: lines 7 and 9 */
    report("entered", entered);
    REGISTER(0x40013C10) = 0x200u;                    /* SWIER: line 9 */
    report("requested", entered);
    report("taken", REGISTER(0x40013C10));
}
"""
    schedule = '[task.Work]\nperiod = "625000 ticks"\n[interrupt.Line]\nsource = "EXTI9_5"\n[stimuli]\nwatch = ["PE7"]\n'
    text = REGISTER.replace("ready", "turn, entered") + task("Work", code)
    text += task("Line", "entered++;\nREGISTER(0x40013C14) = REGISTER(0x40013C14);")
    seen = lab.run(schedule, text, "stm32f4-discovery", ticks=400_000)
    assert seen.reported == [("masked", 0x80), ("cleared", 0), ("entered", 1), ("requested", 2), ("taken", 0)]
    assert [e.object for e in seen.events(Kind.PIN)] == ["PE7=1", "PE7=0", "PE7=1"]


@RIGLESS
def test_an_stm32f4_has_voltages_bytes_and_requests(lab: Laboratory) -> None:
    code = """
uint8_t count = 0u;
uint8_t got[3];
if (turn++ == 0) {
    REGISTER(0x40023844) |= 1u << 8; /* ADC1 */
    REGISTER(0x40012008) = 1u;       /* ADC1_CR2: on */
    REGISTER(0x40012034) = 3u;       /* SQR3: channel 3 */
}
for (uint16_t k = 0; k < 8000u && count < sizeof got; k++) {
    if ((REGISTER(0x40004800 - 0x400u * DISCOVERY) & 0x20u) != 0u) {
        got[count++] = (uint8_t)REGISTER(0x40004804 - 0x400u * DISCOVERY);
    }
}
REGISTER(0x40012008) |= 1u << 30;
while ((REGISTER(0x40012000) & 2u) == 0u) {
}
report("read", REGISTER(0x4001204C));
for (uint8_t k = 0; k < count; k++) {
    report("byte", got[k]);
}
"""
    schedule = """
[task.Work]
period = "312500 ticks"
[interrupt.Line]
source = "soft0"
[interrupt.Edge]
source = "EXTI0"
[stimuli]
rows = [
    { adc = 3, volts = 2.5 },
    { at = "300000 ticks", adc = 3, volts = 1 },
    { at = "312600 ticks", uart = "Hii" },
    { at = "100001 ticks", source = "soft0", every = "100003 ticks" },
    { at = "100301 ticks", source = "EXTI0" },
]
"""
    text = REGISTER.replace("ready", "turn") + task("Work", code) + task("Line") + task("Edge")
    for board in ("stm32f4-discovery", "nucleo-f429zi"):
        serial = f"#define DISCOVERY {int(board == 'stm32f4-discovery')}u\n"
        seen = lab.run(schedule, serial + text, board, ticks=620_000)
        assert seen.said("read") == pytest.approx([3102, 1241], abs=1)
        assert seen.said("byte") == [*b"Hii"]
        requests = [100_001 + 100_003 * k for k in range(6)]
        assert seen.at(Kind.STIMULUS, "soft0") == seen.at(Kind.ENTER, "Line") == requests
        assert seen.at(Kind.STIMULUS, "EXTI0") == seen.at(Kind.ENTER, "Edge") == [100_301]


@pytest.mark.parametrize("board", F4)
def test_the_user_button_of_the_example_is_counted(board: str, lab: Laboratory) -> None:
    seen = lab.run_file(ROOT / f"examples/user-button/{board}.toml", board, ticks=62_500 * 120)
    assert seen.reported == [("presses", 1), ("down", 1), ("presses", 2), ("down", 1), ("presses", 3), ("down", 1)]
    name, _, _, down = F4_BUTTONS[board]
    assert seen.at(Kind.ENTER, "Button") == seen.at(Kind.STIMULUS, f"{name}={down}") == [62_500 * k for k in (5, 55, 105)]
