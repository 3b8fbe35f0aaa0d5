# SPDX-License-Identifier: Apache-2.0
"""Alarms with slack on boards: in time, without drift, and with the interrupts of the model."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from laboratory import AST, MPS, Laboratory

from slack_model import Model

ROOT = Path(__file__).parents[2]

PERIODS = (20_000, 26_000, 34_000)
SLACK, LENGTH, COST = 8000, 801_000, 1000

SCHEDULE = """
[time]
clock = "{clock}"
slack = "8000 ticks"
[thread.Main]
priority = 1
"""
CODE = f"""
#include "carillon/console.h"
#include "carillon/time.h"
struct watched {{
    struct carillon_alarm alarm;
    carillon_time due;
    uint32_t calls, latest, early;
}};
static carillon_time last;
static uint32_t interrupts;
static const carillon_duration periods[3] = {{ {", ".join(f"{p}u" for p in PERIODS)} }};
static void called(void);
static struct watched watched[3] = {{ [0 ... 2] = {{.alarm = CARILLON_ALARM_OF_FUNCTION(called)}} }};
static void called(void)
{{
    struct watched *const own = (struct watched *)(void *)carillon_alarm_calling();
    const carillon_time now = carillon_now();
    const carillon_time late = (carillon_time)(now - own->due);
    if (late > 0x80000000u) {{
        own->early++;
    }} else if (late > own->latest) {{
        own->latest = late;
    }}
    own->due = (carillon_time)(own->due + periods[own - watched]);
    own->calls++;
    interrupts += (carillon_time)(now - last) > {COST}u;
    last = carillon_now();
}}
THREAD(Main)
{{
    carillon_say("too long", carillon_alarm_set_slack(&watched[0].alarm, {SLACK + 1}u));
    const carillon_time begin = carillon_now();
    last = begin;
    for (unsigned i = 0; i < 3u; i++) {{
        (void)carillon_alarm_set_slack(&watched[i].alarm, SLACK);
        watched[i].due = (carillon_time)(begin + periods[i]);
        (void)carillon_alarm_start_at(&watched[i].alarm, watched[i].due, periods[i], CARILLON_INFINITE);
    }}
    carillon_say("running", carillon_alarm_set_slack(&watched[0].alarm, 0u));
    carillon_time next = begin;
    (void)carillon_delay_until(&next, {LENGTH}u);
    const uint32_t all = interrupts;
    for (unsigned i = 0; i < 3u; i++) {{
        (void)carillon_alarm_stop(&watched[i].alarm);
    }}
    for (unsigned i = 0; i < 3u; i++) {{
        carillon_say("calls", watched[i].calls);
        carillon_say("latest", watched[i].latest);
        carillon_say("early", watched[i].early);
    }}
    carillon_say("interrupts", all);
    carillon_say("end", 0);
}}
"""


@pytest.mark.parametrize("slack", [0, SLACK])
@pytest.mark.parametrize(
    ("board", "clock"),
    [(AST, "one-shot"), (MPS, "one-shot"), ("atmega128", "one-shot"), ("atmega128", "compare"), ("qemu-rv32-virt", "compare")],
)
def test_alarms_with_slack_are_served_in_time_with_the_interrupts_of_the_model(
    lab: Laboratory, board: str, clock: str, slack: int
) -> None:
    outcome = lab.run(SCHEDULE.format(clock=clock), f"#define SLACK {slack}u\n{CODE}", board, ticks=LENGTH * 3)
    said = [(name, int(value)) for name, value in re.findall(r"^([a-z ]+) (\d+)$", outcome.trace.output, re.MULTILINE)]
    assert ("end", 0) in said, outcome.trace.output
    assert ("too long", 8) in said and ("running", 7) in said
    model = Model()
    for item, period in enumerate(PERIODS):
        model.insert(item, period, slack, period)
    model.run(LENGTH)
    calls = [value for name, value in said if name == "calls"]
    assert all(abs(ours - LENGTH // period) <= 1 for ours, period in zip(calls, PERIODS, strict=True))
    assert all(value == 0 for name, value in said if name == "early")
    assert max(value for name, value in said if name == "latest") <= slack + 2 * COST
    assert abs(dict(said)["interrupts"] - model.interrupts) <= 1


def test_a_periodic_clock_lets_no_alarm_wait(lab: Laboratory) -> None:
    schedule = SCHEDULE.format(clock="periodic").replace("slack", 'tick = "400 ticks"\nslack')
    code = re.sub(r"const carillon_duration periods\[3\] = .*;", "const carillon_duration periods[3] = { 50u, 65u, 85u };", CODE)
    code = code.replace("0x80000000u", "0x80000000u").replace(f"{SLACK + 1}u", "21u").replace(f"{LENGTH}u", "2000u")
    outcome = lab.run(schedule, f"#define SLACK 20u\n{code}", AST, ticks=LENGTH * 3)
    said = [(name, int(value)) for name, value in re.findall(r"^([a-z ]+) (\d+)$", outcome.trace.output, re.MULTILINE)]
    assert ("too long", 8) in said and ("end", 0) in said
    assert max(value for name, value in said if name == "latest") <= 1


def test_the_example_takes_as_many_interrupts_as_the_guide_says(lab: Laboratory) -> None:
    schedule = (ROOT / "examples" / "slack" / "schedule.toml").read_text(encoding="utf-8")
    code = (ROOT / "examples" / "slack" / "main.c").read_text(encoding="utf-8")
    taken = []
    for slack in (4, 0):
        wait = f"const carillon_duration slack = CARILLON_MILLISECONDS({slack});"
        given = code.replace("const carillon_duration slack = CARILLON_MILLISECONDS(4);", wait)
        outcome = lab.run("[time]" + schedule.split("[time]")[1], given, AST, ticks=400 * 15_625)
        taken.append(outcome.summary.totals.interrupts)
    guide = (ROOT / "docs" / "guide" / "time.md").read_text(encoding="utf-8")
    assert f"In 400 ms, `examples/slack` takes {taken[0]} interrupts, and {taken[1]} if all slack is 0" in " ".join(guide.split())
