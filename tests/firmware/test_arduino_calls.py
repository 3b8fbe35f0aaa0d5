# SPDX-License-Identifier: Apache-2.0
"""millis, micros and delay of Arduino are of Carillon's clock: on an Uno in simavr, and on other boards."""

from __future__ import annotations

import pytest
from laboratory import MPS, RV32, Laboratory

UNO = "arduino-uno"
BOARDS = {
    UNO: ('clock = "periodic"\ntick = "1ms"\n', 1000),
    MPS: ('clock = "one-shot"\n', 1000),
    RV32: ('clock = "compare"\n', 1000),
}
"""Each with a clock, and about how many microseconds a delay may take longer."""
THREADS = "uptime = true\n" + "".join(
    f"[thread.{name}]\npriority = {priority}\nstack = {{stack}}\n" for name, priority in {"High": 2, "Low": 1}.items()
)


def schedule(board: str) -> str:
    """Two threads beside the clock of a board."""
    return "[time]\n" + BOARDS[board][0] + THREADS.format(stack=200 if board == UNO else 1024)


def second(board: str) -> int:
    """About how many ticks of the system's clock a second has on a board."""
    return {UNO: 16_000_000, MPS: 25_000_000, RV32: 10_000_000}[board]


DELAYS = """
#include "carillon/arduino.h"
static volatile uint16_t steps;
THREAD(Low)
{
    for (;;) {
        steps++;
    }
}
static void measure(uint32_t ms)
{
    const uint16_t at = steps;
    const uint32_t began = micros();
    delay(ms);
    const uint32_t took = micros() - began;
    report("early", (took < (ms * 1000u)) ? 1u : 0u);
    report("late", (took > ((ms * 1000u) + 2500u)) ? took : 0u);
    report("others", (steps != at) ? 1u : 0u);
}
THREAD(High)
{
    report("began", (millis() < 2u) ? 1u : 0u);
    measure(0u);
    measure(1u);
    measure(2u);
    measure(17u);
    const uint32_t before = millis();
    delay(30u);
    const uint32_t after = millis();
    report("millis", ((after - before) >= 30u) && ((after - before) <= 32u) ? 1u : 0u);
    report("agree", ((micros() / 1000u) - after) <= 3u ? 1u : 0u);
    report("done", 1u);
    for (;;) {
        delay(0xFFFFFFFFu);
    }
}
"""


@pytest.mark.parametrize("board", BOARDS)
def test_a_delay_never_returns_early_and_lets_lower_threads_run(lab: Laboratory, board: str) -> None:
    outcome = lab.run(schedule(board), DELAYS, board, ticks=second(board) // 5)
    expected = [("began", 1)]
    for ms in (0, 1, 2, 17):
        expected += [("early", 0), ("late", 0), ("others", 0 if ms == 0 else 1)]
    assert outcome.reported == [*expected, ("millis", 1), ("agree", 1), ("done", 1)]


WRAPS = """
#include "carillon/arduino.h"
THREAD(Low) { }
THREAD(High)
{
    const uint64_t second = CARILLON_TIME_HZ / CARILLON_TIME_HZ_DIVISOR;
    carillon_clock.since_start = (UINT64_C(4294967) * second) + (second / 4u); /* 2^32 ms are 4294967.296 s */
    const uint32_t before = millis();
    delay(100u);
    const uint32_t after = millis();
    report("millis", (before >= 4294967250u) && (after < 100u) && ((after - before) >= 100u) &&
                     ((after - before) <= 103u) ? 1u : 0u);
    carillon_clock.since_start = (UINT64_C(4294) * second) + (second * UINT64_C(95) / 100u); /* 2^32 us: 4294.967 s */
    const uint32_t first = micros();
    delay(50u);
    const uint32_t last = micros();
    report("micros", (first >= 4294950000u) && (last < 50000u) && ((last - first) >= 50000u) &&
                     ((last - first) <= 52500u) ? 1u : 0u);
}
"""


@pytest.mark.parametrize("board", BOARDS)
def test_times_begin_anew_after_32_bits_and_differences_stay_right(lab: Laboratory, board: str) -> None:
    outcome = lab.run(schedule(board), WRAPS, board, ticks=second(board) // 4)
    assert outcome.reported == [("millis", 1), ("micros", 1)]


LONG = """
#include "carillon/arduino.h"
static volatile uint16_t rounds;
THREAD(Low)
{
    for (;;) {
        const uint32_t now = millis();
        if (now >= (WAIT - 2u)) {
            report("still", now);
            while (millis() < (WAIT + 5u)) { }
            report("over", 0u);
        }
    }
}
THREAD(High)
{
    delay(WAIT);
    report("after", (millis() >= WAIT) && (millis() <= (WAIT + 2u)) ? 1u : 0u);
    for (;;) {
        delay(1000u);
    }
}
"""


def test_a_delay_may_be_longer_than_the_clocks_longest(lab: Laboratory) -> None:
    text = '[time]\nclock = "periodic"\ntick = "10us"\nbits = 16\nuptime = true\nuses = ["delays"]\n'
    threads = THREADS.replace("uptime = true\n", "").format(stack=1024)
    outcome = lab.run(text + threads, LONG.replace("WAIT", "700u"), MPS, ticks=second(MPS))
    assert outcome.reported[:3] == [("still", 698), ("after", 1), ("over", 0)], "70,000 ticks, of at most 32,767 at once"


CALLERS = {
    "round": ('[task.Round]\nperiod = "20ms"\n', "void Round(void); void Round(void) { delay(1u); }"),
    "isr": (
        '[osek.isr.Press]\ncategory = 2\nsource = "soft0"\n',
        "#define BEGIN carillon_port_pend(CARILLON_ISR_SOURCE_Press);\nISR(Press) { delay(0u); }",
    ),
    "basic": ("[osek.task.Basic]\npriority = 3\nautostart = true\n", "TASK(Basic) { delay(1u); }"),
    "function": (
        "",
        "static void due(void) { delay(1u); }\n"
        "static struct carillon_alarm alarm = CARILLON_ALARM_OF_FUNCTION(due);\n"
        "#define BEGIN (void)carillon_alarm_start(&alarm, 2u, 1u);\n",
    ),
    "main": ("", "int main(void) { delay(1u); StartOS(OSDEFAULTAPPMODE); }"),
}
"""Who must not wait, and how each comes to call."""


@pytest.mark.parametrize(
    ("board", "caller"),
    [(board, caller) for board in (UNO, MPS) for caller in CALLERS if (board, caller) != (UNO, "round")],
)  # an Uno has rounds or threads
def test_a_delay_of_who_must_not_wait_shuts_down(lab: Laboratory, board: str, caller: str) -> None:
    keys, code = CALLERS[caller]
    text = f'{schedule(board)}{keys}[osek]\nhooks = ["shutdown"]\n'
    rest = f"""
    #include "carillon/arduino.h"
    void ShutdownHook(StatusType error) {{ report("shut", error); }}
    {code}
    THREAD(Low) {{ }}
    #ifndef BEGIN
    #define BEGIN
    #endif
    THREAD(High) {{ BEGIN }}
    """
    outcome = lab.run(text, rest, board, ticks=second(board) // 20)
    assert outcome.reported == [("shut", 2)], "E_OS_CALLEVEL"


def test_what_the_schedule_cannot_give_does_not_compile(lab: Laboratory) -> None:
    thread = "[thread.Main]\npriority = 1\n"
    for keys, call, message in (
        ("", "(void)millis();", r"write uptime = true in \[time\]"),
        ("", "(void)micros();", r"write uptime = true in \[time\]"),
        ('uses = ["semaphores"]\n', "delay(1u);", "name .*delays.* in uses of"),
    ):
        code = f'#include "carillon/arduino.h"\nTHREAD(Main) {{ {call} }}\n'
        with pytest.raises(AssertionError, match=message):
            lab.run(f'[time]\nclock = "one-shot"\n{keys}{thread}', code, MPS, ticks=1)
