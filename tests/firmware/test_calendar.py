# SPDX-License-Identifier: Apache-2.0
"""The calendar on a real-time clock, that of QEMU's virt machine: dates, its ends, what it costs, and no drift."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from laboratory import RV32, Laboratory, Outcome

from carillon.build.symbols import symbols

RTC = '[time]\nclock = "compare"\ncalendar = "rtc"\nuses = ["delays"]\n[thread.Main]\npriority = 1\n'
COUNTED = RTC.replace('"rtc"', '"counted"').replace('"delays"', '"delays", "functions"')
STEP = 4
"""Nanoseconds that an instruction takes on this board."""
MOST = 150
"""Instructions of carillon_calendar_seconds, at most: 144 as measured; 178 with the compiler's division of 64 bits."""
HEAD = """
#pragma GCC diagnostic ignored "-Wunused-function"
#include "carillon/time.h"
#define LOW (*(volatile uint32_t *)0x101000u)
#define HIGH (*(volatile uint32_t *)0x101004u)
static uint64_t device(void)
{
    const uint32_t low = LOW;
    return ((uint64_t)HIGH << 32) | low;
}
static void put(uint64_t nanoseconds)
{
    LOW = 0u;
    HIGH = (uint32_t)(nanoseconds >> 32);
    LOW = (uint32_t)nanoseconds;
}
static void say(void)
{
    struct carillon_date d = {0, 0, 0, 0, 0, 0};
    uint32_t s = 0;
    report("get", carillon_calendar_get(&d));
    report("get", carillon_calendar_seconds(&s));
    report("seconds", s);
    report("date", d.year * 10000u + d.month * 100u + d.day);
    report("time", d.hour * 10000u + d.minute * 100u + d.second);
}
"""


def seconds(*date: int) -> int:
    """Since the beginning of 1970."""
    year, month, day, *time = date
    return int(datetime(year, month, day, *time, tzinfo=UTC).timestamp())


def ran(lab: Laboratory, code: str, schedule: str = RTC, board: str = RV32, length: int = 200) -> Outcome:
    """Run a program until it halts, for at most so many seconds.  It sleeps while it waits, which takes no time here."""
    code = f"{HEAD}THREAD(Main)\n{{\n{code}\n    carillon_port_halt();\n}}\n"
    outcome = lab.run(schedule, code, board, ticks=length * 10_000_000, system='idle = "sleep"')
    assert outcome.trace.stopped == "the system was shut down", outcome.trace.output
    return outcome


def test_the_date_is_there_before_anybody_sets_it_and_is_the_same_in_each_run(lab: Laboratory) -> None:
    code = 'report("fraction", (uint32_t)(device() % 1000000000u)); say();'
    first, second = (ran(lab, code, length=length) for length in (1, 2))
    assert first.said("get") == [0, 0]
    assert first.said("seconds") == [seconds(2000, 1, 1)]
    assert first.said("date") == [20000101]
    assert first.reported == second.reported


def test_a_board_can_have_another_date_at_the_start(lab: Laboratory, tmp_path: Path) -> None:
    command = '["qemu-system-riscv32", "-M", "virt", "-bios", "none", "-rtc", "base=2038-01-19T03:14:07,clock=vm"]'
    text = f'# SPDX-License-Identifier: Apache-2.0\nname = "later"\nbase = "{RV32}"\n[run]\ncommand = {command}\n'
    board = tmp_path / "later" / "board.toml"
    board.parent.mkdir()
    board.write_text(text, encoding="utf-8")
    outcome = ran(lab, "say(); (void)carillon_delay(CARILLON_SECONDS(1)); say();", board=str(board))
    assert outcome.said("seconds") == [2**31 - 1, 2**31]
    assert outcome.said("time") == [31407, 31408]


def test_the_calendar_goes_on_from_what_it_is_set_to(lab: Laboratory) -> None:
    outcome = ran(
        lab,
        """
        static const struct carillon_date dates[] = {
            {2024, 2, 28, 23, 59, 59}, {2100, 2, 28, 23, 59, 59}, {2023, 4, 30, 23, 59, 59}, {1999, 12, 31, 23, 59, 59},
            {1970, 1, 1, 0, 0, 0}, {2105, 12, 31, 23, 59, 58}};
        const struct carillon_date bad[] = {{2023, 2, 29, 0, 0, 0}, {2106, 1, 1, 0, 0, 0}, {1969, 12, 31, 0, 0, 0}};
        for (unsigned k = 0; k < 6; k++) {
            report("set", carillon_calendar_set(&dates[k]));
            for (unsigned n = 0; n < 3; n++) { report("bad", carillon_calendar_set(&bad[n])); }
            say();
            (void)carillon_delay(CARILLON_MILLISECONDS(1500));
            say();
        }
        """,
    )
    assert set(outcome.said("set") + outcome.said("get")) == {0}
    assert outcome.said("bad") == [8] * 18
    days = [20240228, 20240229, 21000228, 21000301, 20230430, 20230501, 19991231, 20000101]
    assert outcome.said("date") == days + [19700101] * 2 + [21051231] * 2
    assert outcome.said("time") == [235959, 0] * 4 + [0, 1, 235958, 235959]
    begins = [seconds(d // 10000, d // 100 % 100, d % 100, 23, 59, 59) for d in (20240228, 21000228, 20230430, 19991231)]
    begins += [0, seconds(2105, 12, 31, 23, 59, 58)]
    assert outcome.said("seconds") == [s for begin in begins for s in (begin, begin + 1)]


def test_the_calendar_does_not_drift_against_the_clock(lab: Laboratory) -> None:
    """The clock has ticks of 100 ns."""
    outcome = ran(
        lab,
        """
        const struct carillon_date date = {2030, 1, 1, 0, 0, 0};
        (void)carillon_calendar_set(&date);
        carillon_time next = carillon_now();
        for (unsigned n = 0; n < 18; n++) {
            const uint64_t since = device();
            const carillon_time begin = carillon_now();
            say();
            (void)carillon_delay_until(&next, CARILLON_SECONDS(5));
            report("off", (uint32_t)(device() - since) - 100u * (carillon_now() - begin) + 1000u);
        }
        say();
        """,
    )
    begin = seconds(2030, 1, 1)
    assert outcome.said("seconds") == [begin + 5 * n for n in range(19)]
    assert all(abs(off - 1000) <= 400 for off in outcome.said("off")), "from one read to the next"
    assert len(outcome.said("off")) == 18


def test_each_time_of_the_device_is_told_in_seconds(lab: Laboratory) -> None:
    """Of times that are drawn, and of those at the ends of seconds and of what 32 bits hold."""
    outcome = ran(
        lab,
        """
        uint64_t drawn = 1u;
        uint32_t wrong = 0, tried = 0, s = 0;
        for (unsigned n = 0; n < 1500; n++) {
            drawn = drawn * 6364136223846793005u + 1442695040888963407u;
            uint64_t at = (drawn >> 32) * 1000000000u;
            at += (n % 3u == 0u) ? 1000u : (n % 3u == 1u) ? 999990000u : (uint32_t)drawn % 999990000u;
            put(at);
            const uint64_t before = device() / 1000000000u;
            const StatusType status = carillon_calendar_seconds(&s);
            if (device() / 1000000000u == before) {
                tried++;
                wrong += ((status != 0u) || (s != before)) ? 1u : 0u;
            }
        }
        report("tried", tried);
        report("wrong", wrong);
        put(4294967295999900000u);
        report("last", carillon_calendar_seconds(&s));
        report("last", s);
        put(4294967296000000000u);
        report("beyond", carillon_calendar_seconds(&s));
        put(0xFFFFFFFFFFFF0000u);
        report("beyond", carillon_calendar_seconds(&s));
        report("kept", s);
        """,
    )
    assert outcome.said("tried")[0] == 1500
    assert outcome.said("wrong") == [0]
    assert outcome.said("last") == [0, 2**32 - 1]
    assert outcome.said("beyond") == [5, 5]
    assert outcome.said("kept") == [2**32 - 1]


def test_the_calendar_is_set_whole_wherever_the_lower_half_runs_over(lab: Laboratory) -> None:
    """Setting takes some hundred instructions: the device's lower half runs over at each of them."""
    outcome = ran(
        lab,
        f"""
        const struct carillon_date date = {{2025, 5, 17, 12, 0, 0}};
        uint32_t wrong = 0, over = 0, s = 0;
        for (uint32_t n = 0; n < 3000u; n++) {{
            HIGH = 77u;
            LOW = 0u - {STEP}u * n;
            const uint32_t begin = device() >> 32;
            (void)carillon_calendar_set(&date);
            over += (begin != 77u) ? 1u : 0u;
            (void)carillon_calendar_seconds(&s);
            wrong += (s != {seconds(2025, 5, 17, 12)}u) ? 1u : 0u;
        }}
        report("over", over);
        report("wrong", wrong);
        """,
    )
    assert outcome.said("wrong") == [0]
    assert 0 < outcome.said("over")[0] < 100, "of most times, the lower half runs over later"


WAIT = """
    const struct carillon_date date = {2025, 5, 17, 12, 0, 0};
    if (USES) { (void)carillon_calendar_set(&date); }
    (void)carillon_delay(CARILLON_MILLISECONDS(8500));
    if (USES) { say(); }
"""


def test_a_real_time_clock_takes_no_interrupt_and_no_alarm(lab: Laboratory) -> None:
    without, rtc, counted = (
        ran(lab, WAIT.replace("USES", uses), schedule) for uses, schedule in (("0", RTC), ("1", RTC), ("1", COUNTED))
    )
    assert rtc.said("time") == counted.said("time") == [120008]
    assert rtc.summary.totals.interrupts == without.summary.totals.interrupts
    assert counted.summary.totals.interrupts == rtc.summary.totals.interrupts + 8
    assert "carillon_alarm_start_exact" not in symbols(rtc.firmware.elf)
    assert "carillon_alarm_start_exact" in symbols(counted.firmware.elf)


def test_asking_for_the_time_takes_few_instructions(lab: Laboratory) -> None:
    code = """
        uint32_t s = 0;
        for (unsigned n = 0; n < 2; n++) {
            const uint32_t begin = LOW;
            const uint32_t alone = LOW;
            (void)carillon_calendar_seconds(&s);
            report("took", (LOW - alone) - (alone - begin));
        }
    """
    outcome = ran(lab, code)
    assert max(outcome.said("took")) <= STEP * MOST
    assert "__udivdi3" not in symbols(outcome.firmware.elf)


def test_in_extended_status_it_is_not_set_while_interrupts_are_disabled(lab: Laboratory) -> None:
    schedule = RTC + '[osek]\nstatus = "extended"\n'
    code = """
        const struct carillon_date date = {2025, 5, 17, 12, 0, 0};
        report("set", carillon_calendar_set(&date));
        SuspendAllInterrupts();
        report("disabled", carillon_calendar_set(&date));
        ResumeAllInterrupts();
        say();
    """
    outcome = ran(lab, code, schedule)
    assert outcome.said("set") == [0]
    assert outcome.said("disabled") == [12]
    assert outcome.said("date") == [20250517]


@pytest.mark.parametrize("uses", ['"delays"', '"delays", "functions"'])
def test_the_calendar_in_cplusplus_is_the_same(lab: Laboratory, uses: str) -> None:
    path = lab.write(RTC.replace('"delays"', uses), "/* the program is in C++ */", system='idle = "sleep"')
    (path.parent / "main.c").unlink()
    (path.parent / "main.cpp").write_text(
        """
        #include "carillon/time.hpp"
        extern "C" {
        #include "carillon_port.h"
        #include "report.h"
        }
        THREAD(Main)
        {
            carillon::Clock clock;
            report("now", clock.now());
            const carillon::Clock::Date date = {2024, 2, 29, 1, 2, 3};
            report("set", clock.set(date));
            report("now", clock.now());
            carillon_port_halt();
        }
        """,
        encoding="utf-8",
    )
    outcome = lab.run_file(path, RV32, ticks=10_000_000)
    assert outcome.said("now") == [seconds(2000, 1, 1), seconds(2024, 2, 29, 1, 2, 3)]
