# SPDX-License-Identifier: Apache-2.0
"""The calendar on an STM32F4's real-time clock, in rigless: its driver, and the registers as RM0090, section 26, has them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from consistency import inconsistency
from laboratory import Laboratory, Outcome

from carillon.diagnostics import Diagnostics
from carillon.run import run
from runnable import RIGLESS

pytestmark = RIGLESS
BOARD = "nucleo-f429zi"
FAST = 100
"""How many times faster the calendar goes with a crystal of so many times 32768 Hz."""
MOST_TO_ASK = 90
"""Instructions of carillon_calendar_seconds, at most: 82 as measured."""
MOST_TO_SET = 8500
"""The same of carillon_calendar_set: 8378 the first time, which waits for four cycles of the LSE, and 3928 then."""
SCHEDULE = '[time]\nclock = "compare"\ncalendar = "rtc"\nuses = ["delays"]\n[thread.Main]\npriority = 1\n'
HEAD = """
#pragma GCC diagnostic ignored "-Wunused-function"
#include "carillon/time.h"
#define REG(address) (*(volatile uint32_t *)(address))
#define PWR_CR REG(0x40007000u)
#define BDCR REG(0x40023870u)
#define CSR REG(0x40023874u)
#define RTC(offset) REG(0x40002800u + (offset))
#define TR RTC(0x00u)
#define DR RTC(0x04u)
#define ISR RTC(0x0Cu)
#define PRER RTC(0x10u)
#define WPR RTC(0x24u)
#define SSR RTC(0x28u)
#define BKP0R RTC(0x50u)
#define RESET() (REG(0xE000ED0Cu) = 0x05FA0004u)
/* The console takes longer than a second of the calendar. */
static struct {
    StatusType status;
    struct carillon_date date;
    uint32_t seconds;
} told[40];
static unsigned count;
static void say(void)
{
    told[count].status = carillon_calendar_get(&told[count].date);
    (void)carillon_calendar_seconds(&told[count].seconds);
    count++;
}
static void tell(void)
{
    for (unsigned k = 0; k < count; k++) {
        const struct carillon_date d = told[k].date;
        report("get", told[k].status);
        report("seconds", told[k].seconds);
        report("date", d.year * 10000u + d.month * 100u + d.day);
        report("time", d.hour * 10000u + d.minute * 100u + d.second);
    }
    count = 0;
}
/* Of the calendar's own time. */
static void pass(uint32_t milliseconds)
{
    (void)carillon_delay(CARILLON_MICROSECONDS(milliseconds * 1000u / FAST));
}
static void open(void)
{
    PWR_CR |= 0x100u;
    WPR = 0xCAu;
    WPR = 0x53u;
}
"""
SET = 'const struct carillon_date date = {2024, 5, 17, 12, 0, 0}; report("set", carillon_calendar_set(&date));'


def seconds(*date: int) -> int:
    """Since the beginning of 1970."""
    year, month, day, *time = date
    return int(datetime(year, month, day, *time, tzinfo=UTC).timestamp())


def ran(
    lab: Laboratory, folder: Path, code: str, rtc: str = "lse_ms = 5000", crystal: int = 32768 * FAST, resets: bool = False
) -> Outcome:
    """Run a program until it halts, on a board with this crystal beside the processor's, whose file says so of ``[rtc]``.

    ``resets``: it resets the chip, so that nobody can say which task runs.
    """
    text = f"""# SPDX-License-Identifier: Apache-2.0
name = "other"
base = "{BOARD}"
[rtc]
{rtc}
[run]
command = ["stm32f427", "8000000"{f', "lse={crystal}"' if crystal else ""}]
"""
    board = folder / "other" / "board.toml"
    board.parent.mkdir()
    board.write_text(text, encoding="utf-8")
    fast = max(1, crystal // 32768)
    code = f"#define FAST {fast}u\n{HEAD}THREAD(Main)\n{{\n{code}\n    tell();\n    carillon_port_halt();\n}}\n"
    planned, firmware = lab.firmware(lab.write(SCHEDULE, code), str(board))
    diagnostics = Diagnostics()
    trace = run(planned.image, firmware, 5 * 62_500_000, diagnostics)
    assert trace is not None, [str(d) for d in diagnostics.reported]
    assert trace.stopped == "the system was shut down", trace.output
    assert resets or inconsistency(trace) == ""
    return Outcome(planned, firmware, trace)


def test_a_calendar_that_nobody_has_set_has_no_date(lab: Laboratory, tmp_path: Path) -> None:
    """Neither without a clock, nor with one that counts from the first day of the register on."""
    code = """
        say();
        PWR_CR |= 0x100u;
        BDCR |= 0x8100u; /* the LSE, and RTCEN */
        pass(1500);
        report("counts", TR);
        (void)DR;
        report("inits", ISR & 0x10u);
        say();
    """
    outcome = ran(lab, tmp_path, code)
    assert outcome.said("get") == [5, 5]
    assert outcome.said("counts") == [1]
    assert outcome.said("inits") == [0]


def test_the_calendar_goes_over_midnight_and_ends_of_months_and_years(lab: Laboratory, tmp_path: Path) -> None:
    outcome = ran(
        lab,
        tmp_path,
        """
        static const struct carillon_date dates[] = {
            {2023, 5, 17, 23, 59, 59}, {2023, 4, 30, 23, 59, 59}, {2023, 2, 28, 23, 59, 59}, {2024, 2, 28, 23, 59, 59},
            {2024, 2, 29, 23, 59, 59}, {2000, 2, 28, 23, 59, 59}, {2000, 1, 1, 0, 0, 0}, {2099, 12, 31, 23, 59, 58},
            {2023, 12, 31, 23, 59, 59}, {2000, 12, 31, 23, 59, 59}};
        StatusType set = E_OK;
        for (unsigned k = 0; k < 10; k++) {
            set |= carillon_calendar_set(&dates[k]);
            say();
            pass(1500);
            say();
        }
        report("set", set);
        """,
    )
    assert set(outcome.said("set") + outcome.said("get")) == {0}
    days = [20230517, 20230518, 20230430, 20230501, 20230228, 20230301, 20240228, 20240229, 20240229, 20240301]
    days += [20000228, 20000229, 20000101, 20000101, 20991231, 20991231, 20231231, 20240101, 20001231, 20010101]
    assert outcome.said("date") == days
    assert outcome.said("time") == [235959, 0] * 6 + [0, 1, 235958, 235959] + [235959, 0] * 2
    begins = [(d // 10000, d // 100 % 100, d % 100, 23, 59, 59) for d in days[::2]]
    begins[6:8] = [(2000, 1, 1, 0, 0, 0), (2099, 12, 31, 23, 59, 58)]
    assert outcome.said("seconds") == [seconds(*begin) + k for begin in begins for k in (0, 1)]


def test_a_date_that_two_digits_of_the_year_do_not_have_is_refused_and_changes_nothing(lab: Laboratory, tmp_path: Path) -> None:
    code = """
        const struct carillon_date before = {1999, 12, 31, 23, 59, 59}, after = {2100, 1, 1, 0, 0, 0};
        const struct carillon_date date = {2024, 5, 17, 12, 0, 0}, end = {2099, 12, 31, 23, 59, 59};
        StatusType bad[3];
        bad[0] = carillon_calendar_set(&before);
        (void)carillon_calendar_set(&date);
        bad[1] = carillon_calendar_set(&before);
        bad[2] = carillon_calendar_set(&after);
        say();
        (void)carillon_calendar_set(&end);
        pass(1500);
        say();
        for (unsigned k = 0; k < 3u; k++) {
            report("bad", bad[k]);
        }
    """
    outcome = ran(lab, tmp_path, code)
    assert outcome.said("bad") == [8] * 3
    assert outcome.said("get") == [0, 5], "after 2099 there is no date, instead of that of 2000"
    assert outcome.said("seconds")[0] == seconds(2024, 5, 17, 12)


def test_the_calendar_goes_on_through_a_reset(lab: Laboratory, tmp_path: Path) -> None:
    """A register of the backup domain stays with it.  Nobody sets the calendar after the reset."""
    code = """
        const uint32_t inits = ISR & 0x10u;
        say();
        if (inits == 0u) {
            const struct carillon_date date = {2024, 5, 17, 12, 0, 0};
            (void)carillon_calendar_set(&date);
            pass(2500);
            open();
            BKP0R = 77u;
            RESET();
        }
        pass(1000);
        say();
        report("inits", inits);
        report("kept", BKP0R);
    """
    outcome = ran(lab, tmp_path, code, resets=True)
    assert outcome.said("inits") == [16]
    assert outcome.said("get") == [0, 0]
    assert outcome.said("kept") == [77]
    assert outcome.said("seconds") == [seconds(2024, 5, 17, 12, 0, 2), seconds(2024, 5, 17, 12, 0, 3)]


@pytest.mark.parametrize(("rtc", "crystal"), [("lse_ms = 1", 0), ("lse_ms = 0", 32768)])
def test_without_a_crystal_that_swings_or_that_the_board_names_the_lsi_is_the_clock(
    lab: Laboratory, tmp_path: Path, rtc: str, crystal: int
) -> None:
    """It is counted in its own frequency, and started anew after a reset, which stops it."""
    code = f"""
        report("ready", BDCR & 2u);
        if ((ISR & 0x10u) == 0u) {{
            {SET}
            report("chosen", (BDCR >> 8) & 3u);
            report("prer", PRER);
            (void)carillon_delay(CARILLON_MILLISECONDS(995));
            say();
            (void)carillon_delay(CARILLON_MILLISECONDS(10));
            say();
            tell();
            RESET();
        }}
        report("csr", CSR & 3u);
        say();
    """
    outcome = ran(lab, tmp_path, code, rtc, crystal, resets=True)
    assert outcome.said("ready") == [0, 0]
    assert outcome.said("chosen") == [2]
    assert outcome.said("prer") == [127 << 16 | 249]
    assert outcome.said("csr") == [3]
    begin = seconds(2024, 5, 17, 12)
    assert outcome.said("seconds") == [begin, begin + 1, begin + 1]


def test_a_second_lasts_a_second_with_the_crystal(lab: Laboratory, tmp_path: Path) -> None:
    code = """
        const struct carillon_date date = {2024, 5, 17, 12, 0, 0};
        (void)carillon_calendar_set(&date);
        (void)carillon_delay(CARILLON_MILLISECONDS(999));
        say();
        (void)carillon_delay(CARILLON_MILLISECONDS(2));
        say();
        report("prer", PRER);
        report("chosen", (BDCR >> 8) & 3u);
    """
    outcome = ran(lab, tmp_path, code, crystal=32768)
    assert outcome.said("prer") == [127 << 16 | 255]
    assert outcome.said("chosen") == [1]
    assert outcome.said("seconds") == [seconds(2024, 5, 17, 12), seconds(2024, 5, 17, 12, 0, 1)]


def test_a_clock_that_has_stopped_is_told_and_not_waited_for(lab: Laboratory, tmp_path: Path) -> None:
    code = f"""
        {SET}
        PWR_CR |= 0x100u;
        BDCR &= ~1u; /* LSEON */
        report("set", carillon_calendar_set(&date));
        report("open", ISR & 0x80u);
        say();
    """
    outcome = ran(lab, tmp_path, code)
    assert outcome.said("set") == [0, 5]
    assert outcome.said("open") == [0]
    assert outcome.said("get") == [5]


def test_what_is_read_over_midnight_is_never_half_new(lab: Laboratory, tmp_path: Path) -> None:
    """Many reads around midnight, each time an instruction later."""
    code = """
        const struct carillon_date date = {2024, 5, 17, 23, 59, 59};
        uint32_t wrong = 0, over = 0, before = 0, s = 0;
        for (unsigned n = 0; n < 20u; n++) {
            (void)carillon_calendar_set(&date);
            (void)carillon_calendar_seconds(&before);
            const uint32_t first = before;
            pass(980);
            for (unsigned k = 0; k < n; k++) {
                __asm__ volatile("nop");
            }
            for (unsigned k = 0; k < 200u; k++) {
                (void)carillon_calendar_seconds(&s);
                wrong += ((s != before) && (s != before + 1u)) ? 1u : 0u;
                before = s;
            }
            over += (s > first) ? 1u : 0u;
        }
        report("wrong", wrong);
        report("over", over);
    """
    outcome = ran(lab, tmp_path, code)
    assert outcome.said("wrong") == [0]
    assert outcome.said("over") == [20]


def test_asking_for_the_time_takes_few_instructions_and_setting_it_some_cycles_of_the_clock(
    lab: Laboratory, tmp_path: Path
) -> None:
    """An instruction is a tick here."""
    code = """
        const struct carillon_date date = {2024, 5, 17, 12, 0, 0};
        uint32_t s = 0, took[4];
        carillon_time begin = carillon_now();
        const uint32_t alone = carillon_now() - begin;
        for (unsigned n = 0; n < 2u; n++) {
            begin = carillon_now();
            (void)carillon_calendar_set(&date);
            took[n] = carillon_now() - begin - alone;
            pass(100);
            begin = carillon_now();
            (void)carillon_calendar_seconds(&s);
            took[2u + n] = carillon_now() - begin - alone;
        }
        report("set", took[0]);
        report("set", took[1]);
        report("asked", took[2]);
        report("asked", took[3]);
    """
    outcome = ran(lab, tmp_path, code, crystal=32768)
    assert max(outcome.said("asked")) <= MOST_TO_ASK, outcome.said("asked")
    assert max(outcome.said("set")) <= MOST_TO_SET, outcome.said("set")


# The registers.


def test_writes_are_ignored_without_dbp_and_without_both_keys(lab: Laboratory, tmp_path: Path) -> None:
    code = f"""
        {SET}
        #define TRY(name) ISR = 0xFFFFFFFFu; report(name, (ISR >> 7) & 1u); TR = 0x010203u; report("time", TR); (void)DR;
        TRY("closed")
        PWR_CR |= 0x100u;
        TRY("no keys")
        WPR = 0xCAu;
        TRY("one key")
        WPR = 0x00u; WPR = 0x53u;
        TRY("wrong keys")
        WPR = 0xCAu; WPR = 0x53u; WPR = 0xFFu;
        TRY("closed again")
        BKP0R = 5u;
        report("free", BKP0R);
        open();
        PWR_CR &= ~0x100u;
        TRY("no dbp")
        BKP0R = 6u;
        report("free", BKP0R);
        PWR_CR |= 0x100u;
        TR = 0x010203u;
        report("time", TR);
        (void)DR;
        PRER = 1u; PRER = 1u;
        report("prer", PRER);
        ISR = 0xFFFFFFFFu;
        report("asked", (ISR >> 6) & 3u);
        while ((ISR & 0x40u) == 0u) {{
        }}
        TR = 0x010203u;
        PRER = 0x1Fu;
        report("prer", PRER);
        PRER = 0x70000u;
        report("prer", PRER);
        report("rsf", ISR & 0x20u);
        ISR = ~0x80u;
        while ((ISR & 0x20u) == 0u) {{
        }}
        report("time", TR);
        (void)DR;
    """.replace('report("no keys"', 'report("nokeys"')
    for name in ("no keys", "one key", "wrong keys", "closed again", "no dbp"):
        code = code.replace(f'"{name}"', f'"{name.replace(" ", "-")}"')
    outcome = ran(lab, tmp_path, code, crystal=32768)
    for name in ("closed", "no-keys", "one-key", "wrong-keys", "closed-again", "no-dbp"):
        assert outcome.said(name) == [0], name
    assert outcome.said("free") == [5, 5]
    assert outcome.said("time") == [0x120000] * 7 + [0x010203]
    assert outcome.said("asked") == [2], "INITF comes two cycles after INIT"
    assert outcome.said("prer") == [0x7F00FF, 0x7F00FF, 0x07001F]
    assert outcome.said("rsf") == [0]


def test_a_read_of_tr_keeps_dr_and_one_of_ssr_keeps_both_until_dr_is_read(lab: Laboratory, tmp_path: Path) -> None:
    code = """
        const struct carillon_date date = {2024, 2, 28, 23, 59, 59};
        (void)carillon_calendar_set(&date);
        while ((ISR & 0x20u) == 0u) {
        }
        uint32_t read[11];
        read[0] = TR;
        pass(1500);
        read[1] = TR;
        read[2] = DR;
        read[3] = TR;
        read[4] = DR;
        (void)carillon_calendar_set(&date);
        while ((ISR & 0x20u) == 0u) {
        }
        read[5] = SSR;
        pass(1500);
        read[6] = SSR;
        read[7] = TR;
        read[8] = DR;
        read[9] = TR;
        read[10] = DR;
        for (unsigned k = 0; k < 11u; k++) {
            report("read", read[k]);
        }
    """
    outcome = ran(lab, tmp_path, code)
    read = outcome.said("read")
    old, new = 3 << 13 | 0x240228, 4 << 13 | 0x240229
    assert read[:5] == [0x235959, 0, old, 0, new]
    assert 250 <= read[5] <= 255
    assert 120 <= read[6] <= 130
    assert read[7:] == [0x235959, old, 0, new]


def test_a_reset_of_the_backup_domain_clears_the_calendar_and_one_of_the_system_does_not(lab: Laboratory, tmp_path: Path) -> None:
    code = f"""
        if (BKP0R == 0u) {{
            {SET}
            open();
            BKP0R = 1u;
            tell();
            RESET();
        }}
        if (BKP0R == 1u) {{
            (void)DR;
            report("kept", DR);
            PWR_CR |= 0x100u;
            BDCR |= 0x10000u;
            BDCR = 0u;
            report("lost", DR);
            report("chosen", BDCR);
            report("prer", PRER);
            report("free", BKP0R);
            say();
            {SET}
            say();
        }}
    """
    outcome = ran(lab, tmp_path, code, resets=True)
    assert outcome.said("kept") == [0x24 << 16 | 5 << 13 | 0x517]
    assert outcome.said("lost") == [0x2101]
    assert outcome.said("chosen") == [0]
    assert outcome.said("free") == [0]
    assert outcome.said("get") == [5, 0]
