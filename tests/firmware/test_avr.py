# SPDX-License-Identifier: Apache-2.0
"""AVR: channels of 16-bit timers start tasks on their cycle, later activations nest, and OSEK is dispatched in software.

Times are simavr's cycles: an interrupt is entered when the instruction that is executed has ended, at most three cycles
after its request (one from sleep).  Two cycles more where the request comes right after SEI or RETI.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from laboratory import VIRTUAL_AST, Laboratory, Outcome, declared, points, task, works
from typer.testing import CliRunner

from building import build
from carillon.cli import app
from carillon.diagnostics import CarillonError, Diagnostics, Span
from carillon.model.board import Role
from carillon.pipeline import plan
from carillon.trace import Kind
from carillon.trace.timeline import HandlerKind
from carillon.verify import verify

MEGA128 = "atmega128"
MEGA2560 = "atmega2560"
BOARDS = (MEGA128, MEGA2560)
KERNELS = ("carillon", "conventional")
CHANNELS = {MEGA128: 6, MEGA2560: 12}
ASLEEP = {1}  # cycles from a request to the vector when the processor sleeps
RESPONSE = {0, 1, 2, 3}  # when it executes something
VECTOR = 3  # the jump in the vector table
HELD = {MEGA128: 22, MEGA2560: 23}  # with the own source held back: the jump, 15 cycles, and the call
ROUNDS = 2000
NOTHING = '__asm__ volatile("");'


def delays(outcome: Outcome, name: str, at: int, round_length: int, kind: Kind = Kind.ENTER) -> list[int]:
    """Cycles from each release of a task to its handler, or its first instruction."""
    found = outcome.at(kind, name)
    return [n - (k * round_length + at) * outcome.per_tick for k, n in enumerate(found)]


def spread(board: str, round_length: int) -> dict[str, int]:
    """A task for each channel of the board, evenly over the round."""
    count = CHANNELS[board]
    return {f"T{k}": 100 + k * (round_length // count) for k in range(count)}


# --- exact starts ---


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("offsets", [(0, 1, 2), (199, 1998, 19_997), (30, 20, 10), (40, 1850, 19_860), (41, 1843, 19_839)])
def test_each_timer_has_a_period_of_its_own(lab: Laboratory, board: str, offsets: tuple[int, int, int]) -> None:
    """10 kHz, 1 kHz and 100 Hz; on two timers the first two of them."""
    names = ["fast", "middle", "slow"][: 3 if board == MEGA2560 else 2]
    periods = {"fast": 200, "middle": 2_000, "slow": 20_000}
    ats = dict(zip(names, offsets, strict=False))
    schedule = "".join(f'[task.{name}]\nperiod = "{periods[name]} ticks"\noffset = "{at} ticks"\n' for name, at in ats.items())
    outcome = lab.run(schedule, "".join(task(name, NOTHING) for name in ats), board, rounds=20, system='clock = "2MHz"')
    length = outcome.planned.lowered[0].round_length
    for name, at in ats.items():
        found = outcome.at(Kind.ENTER, name)
        period = periods[name] * outcome.per_tick
        late = [n - (at * outcome.per_tick + k * period) for k, n in enumerate(found)]
        count = 20 * length // periods[name]
        assert len(found) == count or (len(found) == count - 1 and at > periods[name] - 4)  # at the very end of the run
        assert min(late) >= 0
        # The first round begins while what expired before it is forgotten; later only another task's handler is in the way.
        assert max(late[1:]) <= 100
        assert len({cell[:3] for cell in outcome.cells(Role.ACTIVATION, name)}) == 1
    assert len({cell[:3] for name in names for cell in outcome.cells(Role.ACTIVATION, name)}) == len(names)


def vouched(**wcets: int) -> str:
    """Task tables with WCETs in ticks, whose author vouches that the tasks never overrun."""
    return "".join(f'[task.{name}]\nwcet = "{wcet} ticks"\noverrun = "never"\n' for name, wcet in wcets.items())


@pytest.mark.parametrize("guarded", [False, True])
@pytest.mark.parametrize("board", BOARDS)
def test_every_channel_starts_its_task_on_its_cycle_without_jitter_and_drift(lab: Laboratory, board: str, guarded: bool) -> None:
    ats = spread(board, 12_000)
    tasks = declared if guarded else vouched
    schedule = tasks(**dict.fromkeys(ats, 80)) + points(12_000, *((at, name) for name, at in ats.items()))
    outcome = lab.run(schedule, works(**dict.fromkeys(ats, 50)), board, rounds=ROUNDS)
    cells = [cell for name in ats for cell in outcome.cells(Role.ACTIVATION, name)]
    assert len(set(cells)) == CHANNELS[board]
    for name, at in ats.items():
        found = delays(outcome, name, at, 12_000)
        assert (set(found), len(found)) == (ASLEEP, ROUNDS)
        assert set(delays(outcome, name, at, 12_000, Kind.START)) == {1 + (HELD[board] if guarded else VECTOR)}
        figures = outcome.task(name)
        assert (figures.unstarted, figures.jitter, figures.drift) == (0, 0, 0)


@pytest.mark.parametrize("clock", ["16MHz", "2MHz", "250kHz", "62.5kHz", "15.625kHz"])
def test_starts_are_exact_at_every_prescaler(lab: Laboratory, clock: str) -> None:
    ats = {"A": 150, "B": 500, "C": 800, "D": 970}
    schedule = declared(**dict.fromkeys(ats, 0)) + points(1000, *((at, name) for name, at in ats.items()))
    outcome = lab.run(schedule, works(**dict.fromkeys(ats, 1)), MEGA128, system=f'clock = "{clock}"', rounds=50)
    for name, at in ats.items():
        found = delays(outcome, name, at, 1000)
        assert (set(found), len(found)) == (ASLEEP, 50), name


@pytest.mark.parametrize("board", BOARDS)
def test_a_round_may_be_as_long_as_the_counter_counts_and_its_last_tick_starts_a_task(lab: Laboratory, board: str) -> None:
    schedule = declared(A=0, B=0) + points(65_536, (1000, "A"), (65_535, "B"))
    outcome = lab.run(schedule, works(A=50, B=50), board, rounds=20)
    assert set(delays(outcome, "A", 1000, 65_536)) == ASLEEP
    assert set(delays(outcome, "B", 65_535, 65_536)) == ASLEEP
    assert len(outcome.at(Kind.ENTER, "B")) in (19, 20)  # the last may fall behind the run's end


def test_a_match_right_after_the_counter_has_gone_round_is_not_lost(lab: Laboratory) -> None:
    # The counter is at 0 `lead` ticks before the round: these match within its first cycles, while instructions of up
    # to four cycles are executed.  The round's length lets every phase of the idle loop come.
    length = 10_007
    schedule = declared(A=0) + points(length, (0, "A"))
    lead = plan(lab.write(schedule, works(A=1)), Diagnostics(), MEGA128).system.board.lead
    ats = {f"T{k}": length - lead + 1 + k for k in range(3)}
    schedule = declared(**dict.fromkeys(ats, 0)) + points(length, *((at, name) for name, at in ats.items()))
    busy = "void ttIdleTask(void)\n{\n    for (;;) {\n        carillon_work(1u);\n    }\n}\n"
    outcome = lab.run(schedule, "".join(task(name, NOTHING) for name in ats) + busy, MEGA128, rounds=200)
    for name in ats:
        assert len(outcome.at(Kind.START, name)) == 200


@pytest.mark.parametrize("board", BOARDS)
def test_an_activation_at_tick_0_starts_with_the_first_round(lab: Laboratory, board: str) -> None:
    outcome = lab.run(declared(A=0) + points(5000, (0, "A")), works(A=20), board, rounds=3)
    assert outcome.at(Kind.ENTER, "A")[1:] == [5001, 10_001]
    assert outcome.at(Kind.ENTER, "A")[0] in (0, 1)


def test_the_first_round_waits_for_what_its_last_ticks_would_have_done_before_it(lab: Laboratory) -> None:
    # The channel of the last tick matches in the tick before the first round: that must be forgotten first.
    schedule = declared(A=0, B=0) + points(5000, (0, "A"), (4999, "B"))
    outcome = lab.run(schedule, works(A=20, B=20), MEGA128, rounds=3)
    assert outcome.story(Kind.START)[0] == "start A"
    late, *others = delays(outcome, "A", 0, 5000)
    assert late < 130
    assert all(other < 10 for other in others)


def test_what_every_channels_last_ticks_would_have_done_before_the_first_round_is_forgotten(lab: Laboratory) -> None:
    ats = {"A": 0} | {f"T{k}": 4960 + 3 * k for k in range(11)}
    schedule = declared(**dict.fromkeys(ats, 0)) + points(5000, *((at, name) for name, at in ats.items()))
    outcome = lab.run(schedule, "".join(task(name, NOTHING) for name in ats), MEGA2560, rounds=2)
    assert len({cell for name in ats for cell in outcome.cells(Role.ACTIVATION, name)}) == len(ats)
    assert outcome.story(Kind.START)[:2] == ["start A", "start T0"]
    for name, at in ats.items():
        assert min(delays(outcome, name, at, 5000)) >= 0


# --- the cost of a start ---


@pytest.mark.parametrize("board", BOARDS)
def test_the_vector_of_a_task_that_never_overruns_and_has_no_deadline_is_its_function(lab: Laboratory, board: str) -> None:
    outcome = lab.run(vouched(A=50) + points(5000, (100, "A")), task("A", NOTHING), board, rounds=10)
    assert outcome.task("A").dispatch is not None
    assert {n - enter for n, enter in zip(outcome.at(Kind.START, "A"), outcome.at(Kind.ENTER, "A"), strict=True)} == {VECTOR}
    vectors = (outcome.firmware.folder / "generated" / "vectors.c").read_text(encoding="utf-8")
    assert "CARILLON_VECTOR(A)" in vectors
    # The jump, SEI, and the registers that avr-gcc 5.4 saves in every handler: 12 cycles to the task's own code.
    assert outcome.at(Kind.END, "A")[0] - outcome.at(Kind.ENTER, "A")[0] <= 12 + 7


# --- preemption ---


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("board", BOARDS)
def test_five_tasks_nest_and_the_last_activated_is_the_first_finished(lab: Laboratory, board: str, kernel: str) -> None:
    names = ("A", "B", "C", "D", "E")
    schedule = declared(**dict.fromkeys(names, 0)) + points(20_000, *((1000 * (k + 1), n) for k, n in enumerate(names)))
    outcome = lab.run(schedule, works(A=6000, B=4500, C=3500, D=2500, E=500), board, kernel=kernel, rounds=20)
    cycle = [*(f"start {n}" for n in names), *(f"end {n}" for n in reversed(names))]
    assert outcome.story(Kind.START, Kind.END) == cycle * 20
    if kernel == "carillon":
        for k, name in enumerate(names):
            assert set(delays(outcome, name, 1000 * (k + 1), 20_000)) <= RESPONSE
        assert {outcome.carriers(Role.ACTIVATION, name)[0].level for name in names} == {1}


def test_a_conventional_timer_that_comes_points_late_finds_the_next_one_that_is_ahead(lab: Laboratory) -> None:
    """Interrupts are locked over several points of the table, a little longer each round."""
    names = [f"P{k}" for k in range(10)]
    lock = (
        "const uint32_t saved = carillon_port_lock(); carillon_port_delay(2300u + late); late += 7u; carillon_port_unlock(saved);"
    )
    code = "static unsigned late;\n" + "".join(task(name) for name in (*names, "Last")) + task("Lock", lock)
    table = points(20_000, (1000, "Lock"), *((2000 + 210 * k, name) for k, name in enumerate(names)), (15_000, "Last"))
    schedule = declared(Lock=0, Last=0, **dict.fromkeys(names, 0)) + table
    outcome = lab.run(schedule, code, MEGA128, kernel="conventional", rounds=30)
    last = outcome.at(Kind.START, "Last")
    assert len(last) == 30
    assert {b - a for a, b in pairwise(last)} <= set(range(20_000 - 3, 20_000 + 4))


def test_the_plan_says_how_long_the_conventional_timer_can_be_held_back(lab: Laboratory) -> None:
    schedule = declared(A=0) + points(20_000, (1000, "A"), (5000, "A"))
    said = {}
    for board in (MEGA128, "qemu-rv32-virt", "mps2-an385"):
        path = lab.write(schedule, works(A=100))
        (mode,) = plan(path, Diagnostics(), board, "conventional").allocation.modes
        said[board] = any("turns every 65536 ticks" in reason for reason in mode.reasons)
    assert said == {MEGA128: True, "qemu-rv32-virt": False, "mps2-an385": False}


def test_two_tasks_preempt_each_other_in_turn_without_being_lowered(lab: Laboratory) -> None:
    schedule = declared(A=0, B=0) + points(20_000, (1000, "A"), (2000, "B"), (11_000, "B"), (12_000, "A"))
    outcome = lab.run(schedule, works(A=3000, B=3000), MEGA128, rounds=5)
    cycle = ["start A", "start B", "end B", "end A", "start B", "start A", "end A", "end B"]
    assert outcome.story(Kind.START, Kind.END) == cycle * 5
    assert not any(c.lowered for name in "AB" for c in outcome.carriers(Role.ACTIVATION, name))


def test_registers_of_a_preempted_task_survive(lab: Laboratory) -> None:
    value = 7
    for k in range(8):
        value = (value * 31 + k) % 2**32
    check = f"""
uint32_t sum = 7u;
for (uint32_t k = 0; k < 8u; k++) {{{{
    sum = sum * 31u + k;
    carillon_work({{0}}u);
}}}}
if (sum != {value}u) {{{{
    ttShutdownOS(99u);
}}}}"""
    schedule = declared(A=0, B=0, C=0) + points(30_000, (1000, "A", 29_000), (1777, "B"), (3333, "C"), window="deadline")
    code = task("A", check.format(900)) + task("B", check.format(500)) + task("C", check.format(100))
    for board in BOARDS:
        outcome = lab.run(schedule, code, board, rounds=20)
        assert outcome.trace.stopped == ""
        assert [outcome.task(name).preemptions for name in "ABC"] == [20, 20, 0]


# --- deadlines ---

MISS = (
    """
static volatile uint8_t round;
void ttErrorHook(ttStatusType error)
{
    (void)error;
    report("missed", carillon_missed_task());
}
void ttShutdownHook(ttStatusType error)
{
    report("shutdown", error);
}
"""
    + task("A", "carillon_work((++round == 4u) ? 6000u : 100u);")
    + task("B", "carillon_work(300);")
)
WATCHED = declared(A=0, B=0) + points(20_000, (1000, "A", 5000), (7000, "B", 9000))


@pytest.mark.parametrize("board", BOARDS)
def test_deadlines_that_are_met_cost_no_interrupt(lab: Laboratory, board: str) -> None:
    outcome = lab.run(WATCHED, works(A=100, B=300), board, rounds=100)
    assert outcome.summary.totals.deadlines_met == 200
    assert outcome.summary.totals.interrupts == 200
    assert outcome.events(Kind.DEADLINE_MISSED) == []


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("board", BOARDS)
def test_a_missed_deadline_calls_the_hook_and_shuts_down(lab: Laboratory, board: str, kernel: str) -> None:
    outcome = lab.run(WATCHED, MISS, board, kernel=kernel, rounds=10)
    assert outcome.reported == [("missed", 0), ("shutdown", 6)]
    assert [(e.object, e.t) for e in outcome.events(Kind.DEADLINE_MISSED)] == [("A", 65_000)]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("board", BOARDS)
def test_after_a_missed_deadline_the_system_may_go_on(lab: Laboratory, board: str, kernel: str) -> None:
    outcome = lab.run(WATCHED, MISS, board, kernel=kernel, system='on_deadline_miss = "continue"', rounds=10)
    assert outcome.reported == [("missed", 0)]
    assert len(outcome.at(Kind.START, "A")) == 10


def test_a_watched_task_that_overruns_is_not_entered_again_while_it_runs(lab: Laboratory) -> None:
    code = task("A", "static uint8_t k;\ncarillon_work((++k == 2u) ? 26000u : 100u);")
    schedule = declared(A=0) + points(20_000, (1000, "A", 5000))
    outcome = lab.run(schedule, code, MEGA128, system='on_deadline_miss = "continue"', rounds=5)
    assert outcome.story(Kind.START, Kind.END) == ["start A", "end A"] * 5
    assert outcome.at(Kind.START, "A")[2] > outcome.at(Kind.END, "A")[1]


TWICE = '[task.A]\nwcet = "1000 ticks"\n' + points(16_000, (7000, "A", 13_000, 16_000))


def test_two_deadlines_of_the_only_activation_are_not_watched_by_a_match_that_stays(lab: Laboratory) -> None:
    """On one channel the end of the task would move the match by a whole round, and so not at all: each round missed it."""
    outcome = lab.run(TWICE, works(A=500), MEGA128, rounds=5)
    assert outcome.trace.stopped == ""
    assert outcome.summary.totals.deadlines_met == 2 * 5
    assert outcome.summary.totals.deadlines_missed == 0
    with pytest.raises(CarillonError) as refused:
        plan(lab.write(TWICE, works(A=500)), Diagnostics(), "arduino-uno")
    assert "task 'A' (deadline): at least 2 cells" in refused.value.diagnostics[0].cause


# --- interrupts of the application ---


def test_an_interrupt_is_taken_once_and_again_when_the_round_enables_it(lab: Laboratory) -> None:
    schedule = (
        declared(A=0) + '[interrupt.Button]\nsource = "soft0"\n' + points(20_000, (1000, "A"), (10_000, "enable", "Button"))
    )
    twice = "carillon_port_pend(5u);\n" * 2
    outcome = lab.run(schedule, task("A", twice) + task("Button", NOTHING), MEGA128, rounds=5)
    # In the first round both requests are made: one is served at once, the other when the round enables it again; from
    # then on the source is disabled when A comes, and of its two requests one is kept.
    starts = outcome.at(Kind.START, "Button")
    assert starts[0] < 2000
    assert [n // 10_000 for n in starts[1:]] == [1, 3, 5, 7, 9]
    assert {n % 10_000 for n in starts[1:]} == {starts[1] % 10_000}


# --- handlers of the application's own ---

OWN = """
#include <avr/interrupt.h>
#include <util/delay.h>
static volatile uint8_t n;
ISR({vector}_vect)
{{
    n++;
}}
void A(void)
{{
    static uint8_t begun;
    if (begun == 0u) {{
        begun = 1u;
        OCR2{channel} = 199;
        {control} |= 0x02; /* a match each 256 counts of 8 cycles */
        {mask} |= 1 << OCIE2{channel};
    }}
    n = 0u;
    _delay_ms(1);
    report("counted", n);
}}
"""


def own(board: str) -> str:
    """An application with a timer of its own, timer 2, and its task A."""
    old = board == MEGA128
    names = ("TIMER2_COMP", "", "TCCR2", "TIMSK") if old else ("TIMER2_COMPA", "A", "TCCR2B", "TIMSK2")
    return OWN.format(**dict(zip(("vector", "channel", "control", "mask"), names, strict=True)))


@pytest.mark.parametrize("board", [*BOARDS, "arduino-uno"])
@pytest.mark.parametrize("clock", ["2MHz", "250kHz"])
def test_a_timer_that_the_system_does_not_use_has_the_applications_own_handler(lab: Laboratory, board: str, clock: str) -> None:
    """avr-libc's ISR() is in the vector, and its delays know the processor's clock: 16,000 cycles are a millisecond."""
    schedule = '[task.A]\nperiod = "4ms"\nwcet = "3ms"\n'
    outcome = lab.run(schedule, own(board), board, rounds=5, system=f'clock = "{clock}"')
    assert set(outcome.said("counted")) <= {7, 8}  # each 2048 cycles
    (vector,) = [name for name in outcome.trace.interrupts if name.startswith("vector ")]
    entered = outcome.at(Kind.START, vector)
    assert {round((b - a) / 2048, 1) for a, b in pairwise(entered)} == {1.0}
    assert len(entered) == len(outcome.at(Kind.END, vector)) > 100
    assert outcome.summary.totals.interrupts_by_kind[HandlerKind.INTERRUPT] == len(entered)
    assert outcome.trace.stopped == ""
    diagnostics = Diagnostics()
    report = verify(outcome.planned.system, outcome.firmware.elf, diagnostics)
    assert not diagnostics.errors
    assert report.unverified == (f"what the application's own handlers do, of vectors {vector.removeprefix('vector ')}",)


def test_an_image_that_needs_more_ram_than_there_is_is_refused_with_what_would_help(lab: Laboratory, tmp_path: Path) -> None:
    code = "static volatile char many[3000];\n" + task("A", "many[0] = 1;")
    planned = plan(lab.write('[task.A]\nperiod = "2ms"\n', code), Diagnostics(), "arduino-uno")
    diagnostics = Diagnostics()
    assert build(planned.image, tmp_path, diagnostics) is None
    (error,) = diagnostics.errors
    assert error.code == "C091"
    assert error.remedy.startswith("use less memory: ")


@pytest.mark.parametrize("board", [*BOARDS, "arduino-uno"])
def test_a_handler_of_a_vector_that_the_system_uses_is_refused(lab: Laboratory, board: str, tmp_path: Path) -> None:
    code = task("A", NOTHING) + "#include <avr/interrupt.h>\nISR(TIMER1_COMPA_vect)\n{\n}\n"
    planned = plan(lab.write('[task.A]\nperiod = "2ms"\n', code), Diagnostics(), board)
    source = next(v.source for v in planned.image.vectors[0] if v.object == "A")
    diagnostics = Diagnostics()
    assert build(planned.image, tmp_path, diagnostics) is None
    (error,) = diagnostics.errors
    assert (error.code, error.span) == ("C244", Span("main.c"))
    assert error.cause == (f"the application's ISR for vector {source} would never run: the system uses that vector for 'A'")


# --- what the boards cannot do ---


@pytest.mark.parametrize(
    ("code", "schedule"),
    [
        ("C061", declared(A=0) + points(20_000, (1000, "A")) + points(10_000, (1000, "A"), mode="other")),
        ("C061", declared(A=0) + points(2_200_000_000, (1000, "A"))),
        ("C061", declared(A=0) + points(150, (50, "A"))),
        ("C062", declared(A=0) + '[interrupt.I]\nsource = "soft0"\npriority = "below-tasks"\n' + points(20_000, (1000, "A"))),
        ("C160", declared(A=0) + points(20_000, (1000, "A")) + "[osek.task.T]\npriority = 1\n"),
    ],
)
def test_what_avr_cannot_do_is_refused(lab: Laboratory, code: str, schedule: str) -> None:
    path = lab.write(schedule, works(A=10), system='start_mode = "normal"')
    with pytest.raises(CarillonError) as refused:
        plan(path, Diagnostics(), MEGA128)
    assert {d.code for d in refused.value.diagnostics if d.severity.value == "error"} == {code}


# --- event-triggered ---

EVENTS = """
[osek]
status = "extended"
[osek.task.Low]
priority = 1
autostart = true
[osek.task.Worker]
priority = 2
autostart = true
events = ["Go", "Stop"]
[osek.task.High]
priority = 3
resources = ["Bus"]
[osek.resource.Bus]
[osek.event.Go]
[osek.event.Stop]
[osek.isr.Button]
source = "soft0"
[osek.counter.Clock]
tick = "60000 ticks"
[osek.alarm.Tick]
counter = "Clock"
set_event = { task = "Worker", event = "Go" }
autostart = { at = 2, cycle = 3 }
[osek.alarm.Rare]
counter = "Clock"
activate = "High"
autostart = { at = 5, cycle = 5 }
"""
STORY = """
#include "os.h"
TASK(Low)
{
    report("low", 1);
    carillon_port_pend(CARILLON_ISR_SOURCE_Button);
    report("low", 2);
    SetEvent(Worker, Stop);
    report("low", 3);
    TerminateTask();
}
TASK(Worker)
{
    uint32_t sum = 0u;
    for (uint8_t k = 0; k < 6u; k++) {
        EventMaskType events;
        WaitEvent(Go | Stop);
        GetEvent(Worker, &events);
        ClearEvent(events);
        sum = sum * 7u + events;
        report("worker", sum);
    }
    ShutdownOS(E_OK);
}
TASK(High)
{
    static uint8_t k;
    GetResource(Bus);
    report("high", ++k);
    ReleaseResource(Bus);
    TerminateTask();
}
ISR(Button)
{
    ActivateTask(High);
    report("button", 1);
}
"""


@pytest.mark.parametrize("board", BOARDS)
def test_osek_tells_the_story_that_it_tells_on_a_virtual_board(lab: Laboratory, board: str) -> None:
    virtual = EVENTS.replace('status = "extended"', 'status = "extended"\ndispatch = "software"')
    there = lab.run(virtual, STORY, VIRTUAL_AST, ticks=2_000_000)
    here = lab.run(EVENTS, STORY, board, ticks=2_000_000)
    assert here.reported == there.reported
    assert [value for name, value in here.reported if name == "worker"]
    assert here.trace.stopped == there.trace.stopped == "the system was shut down"
    kinds = (Kind.START, Kind.END, Kind.WAIT)
    assert here.story(*kinds) == there.story(*kinds)


@pytest.mark.parametrize("board", BOARDS)
def test_the_counter_of_the_event_triggered_system_loses_no_tick(lab: Laboratory, board: str) -> None:
    outcome = lab.run(EVENTS, STORY, board, ticks=2_000_000)
    ticks = outcome.at(Kind.ENTER, "Clock")
    assert [n // 60_000 for n in ticks] == list(range(1, len(ticks) + 1))
    assert max(n % 60_000 for n in ticks) < 1000  # as long as interrupts may be masked


def test_a_task_that_waits_finds_its_registers_again(lab: Laboratory) -> None:
    def code(name: str, seed: int) -> str:
        # More values than fit the registers that a call may change, kept over waits that the other's runs interleave.
        locals_ = "".join(f"uint16_t v{k} = (uint16_t)(mix + {k}u);\n" for k in range(9))
        turn = "".join(f"v{k} = (uint16_t)(v{k} * {2 * k + 3}u + v{(k + 1) % 9});\n" for k in range(9))
        total = " ^ ".join(f"v{k}" for k in range(9))
        return f"""
static volatile uint16_t mix_{name} = {seed}u;
TASK({name})
{{
    const uint16_t mix = mix_{name};
    {locals_}
    for (uint8_t round = 0; round < 20u; round++) {{
        WaitEvent(Go);
        ClearEvent(Go);
        {turn}
    }}
    report("{name}", (uint16_t)({total}));
    TerminateTask();
}}
"""

    def expected(seed: int) -> int:
        v = [(seed + k) % 65_536 for k in range(9)]
        for _ in range(20):
            for k in range(9):
                v[k] = (v[k] * (2 * k + 3) + v[(k + 1) % 9]) % 65_536
        total = 0
        for value in v:
            total ^= value
        return total

    schedule = """
[osek]
[osek.task.One]
priority = 2
autostart = true
events = ["Go"]
[osek.task.Two]
priority = 3
autostart = true
events = ["Go"]
[osek.task.Driver]
priority = 1
autostart = true
[osek.event.Go]
"""
    driver = """
TASK(Driver)
{
    for (uint8_t k = 0; k < 20u; k++) {
        SetEvent(One, Go);
        SetEvent(Two, Go);
    }
    ShutdownOS(E_OK);
}
"""
    for board in BOARDS:
        outcome = lab.run(schedule, '#include "os.h"\n' + code("One", 7) + code("Two", 1234) + driver, board, ticks=2_000_000)
        assert dict(outcome.reported) == {"One": expected(7), "Two": expected(1234)}


EDGES = """
#include "os.h"
#include <avr/io.h>
ISR(Button)
{
    report("edge", PIND & 4u);
}
static void level(uint8_t high)
{
    PORTD = (uint8_t)(high ? PORTD | 4u : PORTD & ~4u);
    __asm__ volatile("nop; nop; nop; nop");
    report("set", high);
}
TASK(Main)
{
    report("pull-up", PORTD & 4u);
    report("output", DDRD & 4u);
    DDRD |= 4u; /* stands for what is outside the chip */
    level(1);
    level(0);
    level(1);
    EICRA = (uint8_t)((EICRA & ~3u) | 2u);
    level(0);
    level(1);
    ShutdownOS(E_OK);
}
"""


def test_a_pin_of_an_uno_asks_with_rising_edges_or_as_the_application_chooses(lab: Laboratory) -> None:
    schedule = '[osek]\n[osek.task.Main]\npriority = 1\nautostart = true\n[osek.isr.Button]\nsource = "soft0"\n'
    outcome = lab.run_file(lab.write(schedule, EDGES), "arduino-uno", ticks=400_000)
    assert outcome.reported == [
        ("pull-up", 0),
        ("output", 0),
        *[("edge", 4), ("set", 1), ("set", 0), ("edge", 4), ("set", 1)],
        *[("edge", 0), ("set", 0), ("set", 1)],
    ]


ALARMS = """[system]
board = "arduino-uno"
[osek.counter.Time]
tick = "10ms"
[osek.task.Red]
priority = 1
[osek.task.Green]
priority = 1
[osek.alarm.EveryRed]
counter = "Time"
activate = "Red"
autostart = { at = 33, cycle = 33 }
[osek.alarm.EveryGreen]
counter = "Time"
activate = "Green"
autostart = { at = 47, cycle = 47 }
"""


def test_a_run_without_a_length_shows_each_alarm_twice(tmp_path: Path) -> None:
    (tmp_path / "schedule.toml").write_text(ALARMS, encoding="utf-8")
    tasks_of = "TASK(Red) { TerminateTask(); }\nTASK(Green) { TerminateTask(); }\n"
    (tmp_path / "main.c").write_text('#include "os.h"\n' + tasks_of, encoding="utf-8")
    done = CliRunner().invoke(app, ["run", str(tmp_path), "--json"], catch_exceptions=False)
    tasks = {task["name"]: task["activations"] for task in json.loads(done.stdout)["runs"][0]["summary"]["tasks"]}
    assert tasks == {"Red": 4, "Green": 3}
