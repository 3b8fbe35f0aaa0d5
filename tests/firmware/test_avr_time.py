# SPDX-License-Identifier: Apache-2.0
"""The time services on AVR: expiries on their cycle at every prescaler, for ever, and what a handler costs.

Times are simavr's cycles.  It does not charge the four that the processor takes to enter an interrupt: ENTRY.
"""

from __future__ import annotations

import pytest
from laboratory import ROOT, Laboratory, Outcome

from carillon.diagnostics import CarillonError, Diagnostics
from carillon.pipeline import plan
from carillon.trace import Kind

MEGA128, MEGA2560 = "atmega128", "atmega2560"
ONE_SHOT, PERIODIC, COMPARE = "one-shot", "periodic", "compare"
ENTRY = 4

BEAT = """
#include "carillon/time.h"
static void beat(void) {}
static struct carillon_alarm alarm = CARILLON_ALARM_OF_FUNCTION(beat);
"""
INIT = "[osek.task.Init]\npriority = 1\nautostart = true\n"


def alone(start: str) -> str:
    """A program that starts an alarm, and does nothing else."""
    return f"{BEAT}\nTASK(Init) {{ {start} TerminateTask(); }}\n"


def beats(
    lab: Laboratory, clock: str, start: str, ticks: int, *, hz: str = "16MHz", keys: str = "", board: str = MEGA128
) -> Outcome:
    schedule = f'{INIT}[time]\nclock = "{clock}"\n{keys}\n'
    return lab.run(schedule, alone(start), board, system=f'clock = "{hz}"', ticks=ticks)


def intervals(outcome: Outcome, kind: Kind = Kind.ENTER, of: str = "clock", begin: int = 0) -> list[int]:
    """Cycles from the first expiry, or a later one, to each."""
    found = outcome.at(kind, of)[begin:]
    return [n - found[0] for n in found]


# --- times ---


@pytest.mark.parametrize(
    ("board", "clock", "hz"),
    [
        (MEGA128, ONE_SHOT, "16MHz"),
        (MEGA128, COMPARE, "2MHz"),
        (MEGA128, ONE_SHOT, "250kHz"),
        (MEGA128, COMPARE, "62.5kHz"),
        (MEGA128, ONE_SHOT, "15.625kHz"),
        (MEGA2560, ONE_SHOT, "16MHz"),
        (MEGA128, PERIODIC, "16MHz"),
        (MEGA128, PERIODIC, "15.625kHz"),
        (MEGA2560, PERIODIC, "2MHz"),
    ],
)
def test_a_thousand_periods_are_a_thousand_times_as_long_as_one(lab: Laboratory, board: str, clock: str, hz: str) -> None:
    # A tick is as long as a period.  Nobody asks for the time, so that the timer interrupts for the alarm alone.
    keys = 'now = false\ntick = "1000 ticks"' if clock == PERIODIC else "now = false"
    period = 1 if clock == PERIODIC else 1000
    start = f"(void)carillon_alarm_start(&alarm, {period}, CARILLON_INFINITE);"
    outcome = beats(lab, clock, start, 1_006_500, hz=hz, keys=keys, board=board)
    found = intervals(outcome, begin=2)  # the first may come while the system starts
    assert len(found) > 1000
    assert {at - k * 1000 * outcome.per_tick for k, at in enumerate(found)} == {0}, "it sleeps, so each is answered alike"
    assert max(costs(outcome)[2:]) < 600, "it has not come early, to wait for its time"


def test_an_alarm_is_served_in_the_very_tick_that_it_is_due_in(lab: Laboratory) -> None:
    # A tick is 1024 cycles, so that it is still the same one when the handler asks.
    code = """
        #include "carillon/time.h"
        static volatile carillon_time due;
        static volatile uint8_t served;
        static uint8_t wrong;
        static void look(void) { served = 1u; wrong += (carillon_time)(carillon_now() - due); }
        static struct carillon_alarm alarm = CARILLON_ALARM_OF_FUNCTION(look);
        TASK(Init)
        {
            for (uint8_t ticks = 2u; ticks < 20u; ticks++) {
                const carillon_time before = carillon_now();
                carillon_time now;
                do {
                    now = carillon_now();
                } while (now == before); /* a tick has just begun */
                served = 0u;
                due = now + ticks;
                (void)carillon_alarm_start(&alarm, ticks, 1);
                while (!served) { }
            }
            report("wrong", wrong);
            carillon_port_halt();
        }
    """
    outcome = lab.run(f'{INIT}[time]\nclock = "one-shot"\n', code, MEGA128, system='clock = "15.625kHz"', ticks=1000)
    assert outcome.reported == [("wrong", 0)]


def test_the_clock_has_timer_3_and_slices_have_timer_1(lab: Laboratory) -> None:
    schedule = '[time]\nclock = "one-shot"\nslice = "10000 ticks"\n[thread.A]\npriority = 1\n[thread.B]\npriority = 1\n'
    code = '#include "carillon/time.h"\nTHREAD(A) { carillon_work(1u); }\nTHREAD(B) { carillon_work(1u); }\n'
    osek = lab.run(schedule, code, MEGA128, ticks=1000).planned.allocation.osek
    assert osek is not None
    assert osek.clock is not None
    assert osek.slices is not None
    assert [osek.clock.carrier.cells[0].cell.name, osek.slices.cells[0].cell.name] == ["OC3A", "OC1A"]


@pytest.mark.parametrize("keys", ['longest = "10s"', "bits = 16"])
def test_ten_seconds_are_longer_than_the_counter(lab: Laboratory, keys: str) -> None:
    schedule = f'{INIT}[osek.task.Beat]\npriority = 2\n[time]\nclock = "one-shot"\n{keys}\n'
    code = '#include "carillon/time.h"\nstatic struct carillon_alarm alarm = CARILLON_ALARM_OF_TASK(Beat);\n'
    code += "TASK(Beat) { TerminateTask(); }\n"
    code += "TASK(Init) { (void)carillon_alarm_start(&alarm, 625000, CARILLON_INFINITE); TerminateTask(); }\n"
    outcome = lab.run(schedule, code, MEGA128, system='clock = "62.5kHz"', ticks=1_900_000)
    assert intervals(outcome, Kind.START, "Beat") == [0, 160_000_000, 320_000_000]


def test_fractions_of_ticks_are_carried(lab: Laboratory) -> None:
    """A seventh of a second is 2232 1/7 ticks: each expiry is less than a tick off, and the seven hundredth not at all."""
    start = "static struct carillon_period seventh = CARILLON_EXACT(1, 7);"
    start += "(void)carillon_alarm_start_exact(&alarm, &seventh, CARILLON_INFINITE);"
    outcome = beats(lab, ONE_SHOT, start, 1_570_000, hz="15.625kHz", keys="now = false")
    found = intervals(outcome)
    tick = outcome.per_tick
    assert len(found) > 700
    assert all(abs(at - k * 15_625 * tick / 7) < tick for k, at in enumerate(found))
    assert found[700] == 100 * 15_625 * tick


# --- costs ---


def costs(outcome: Outcome) -> list[int]:
    """Cycles of each of the clock's handlers, from the hardware's entry to the end."""
    entered, left = outcome.at(Kind.ENTER, "clock"), outcome.at(Kind.EXIT, "clock")
    return [end - begin + ENTRY for begin, end in zip(entered, left, strict=True)]


WAITING = """
static struct carillon_semaphore never = CARILLON_SEMAPHORE(0);
THREAD(Low) { (void)carillon_semaphore_p(&never); }
THREAD(High)
{
    (void)carillon_alarm_start(&alarm, PERIOD, CARILLON_INFINITE);
    (void)carillon_semaphore_p(&never);
}
"""
THREADS = "[thread.Low]\npriority = 1\n[thread.High]\npriority = 2\n"


SHORT, ANY = "calls an alarm's function", "the same in 32 bits"
"""The rows of the guide's table."""


def shown(row: str, clock: str) -> list[int]:
    """The least and the most cycles of a handler in the table of docs/guide/time.md."""
    text = (ROOT / "docs" / "guide" / "time.md").read_text(encoding="utf-8")
    (line,) = [line for line in text.splitlines() if line.startswith(f"| {row}")]
    return [int(word) for word in line.split("|")[2 if clock == PERIODIC else 3].split(" to ")]


@pytest.mark.parametrize("threads", [True, False])
@pytest.mark.parametrize(
    ("row", "clock", "keys", "period"),
    [
        (SHORT, PERIODIC, 'tick = "2000 ticks"\nbits = 16\nlongest = "1s"', 4),
        (SHORT, ONE_SHOT, 'bits = 16\nlongest = "1ms"', 8000),
        (ANY, PERIODIC, 'tick = "2000 ticks"', 4),
        (ANY, ONE_SHOT, "", 8000),
    ],
)
def test_what_a_tick_and_a_release_cost_is_what_the_guide_says(
    lab: Laboratory, row: str, clock: str, keys: str, period: int, threads: bool
) -> None:
    start = f"(void)carillon_alarm_start(&alarm, {period}, CARILLON_INFINITE);"
    schedule = f'{THREADS if threads else INIT}[time]\nclock = "{clock}"\n{keys}\n'
    code = BEAT + WAITING.replace("PERIOD", str(period)) if threads else alone(start)
    found = costs(lab.run(schedule, code, MEGA128, ticks=2_000_000))
    releases = [n for n in found if n > 60]
    assert 240 < len(releases) < 255
    assert sorted(set(releases)) == shown(row, clock)
    if clock == PERIODIC:  # three ticks between two releases only count
        assert 3 * len(releases) - 3 <= len(found) - len(releases) <= 3 * len(releases) + 3
        assert {35} == {n for n in found if n <= 60}


# --- external memory ---


def test_sixty_threads_fit_external_memory(lab: Laboratory) -> None:
    names = [f"T{k}" for k in range(60)]
    schedule = '[time]\nclock = "one-shot"\nbits = 16\n' + "".join(f"[thread.{n}]\npriority = {k}\n" for k, n in enumerate(names))
    code = '#include "carillon/time.h"\nstatic volatile uint8_t turns[60] = {7};\n'
    code += "static void turn(uint32_t k) { for (int n = 0; n < 5; n++) { (void)carillon_delay(100u + k); turns[k]++; } }\n"
    code += "".join(f"THREAD({n}) {{ turn({k}u); }}\n" for k, n in enumerate(names[1:], 1))
    code += 'THREAD(T0) { (void)carillon_delay(5000); for (int k = 0; k < 60; k++) { report("turns", turns[k]); } '
    code += "carillon_port_halt(); }\n"
    outcome = lab.run(schedule, code, "atmega128-xmem", system='clock = "250kHz"', ticks=20_000)
    assert outcome.said("turns") == [7] + 59 * [5]
    assert outcome.firmware.ram > 60 * 512


def test_a_tick_that_is_shorter_than_the_counters_turn_is_refused(lab: Laboratory) -> None:
    def planned(ticks: int) -> Diagnostics:
        path = lab.write(f'[time]\nclock = "periodic"\ntick = "{ticks} ticks"\n[thread.Main]\npriority = 1\n', "THREAD(Main) { }")
        diagnostics = Diagnostics()
        plan(path, diagnostics, MEGA128)
        return diagnostics

    assert planned(4).reported == []
    with pytest.raises(CarillonError) as refused:
        planned(3)
    assert [(d.code, d.cause) for d in refused.value.diagnostics] == [
        ("C171", "no free cell of board 'atmega128' can tick every 3 ticks (187.5ns)")
    ]
