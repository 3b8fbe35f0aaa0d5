# SPDX-License-Identifier: Apache-2.0
"""``uses`` of ``[time]``: an application with one kind of timed events does the same without code for the others."""

from __future__ import annotations

import pytest
from laboratory import AST, VIRTUAL_AST, Laboratory

from building import build
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan

PERIODIC = 'clock = "periodic"\ntick = "1000 ticks"\n'

TASKS = """
[osek.event.Tick]
[osek.task.Main]
priority = 2
events = ["Tick"]
autostart = true
[osek.task.Other]
priority = 1
activations = 4
"""

CODES = {
    "delays": ("", "for (int k = 0; k < 3; k++) { (void)carillon_delay(2u); say(k); }"),
    "time-outs": ("", "for (int k = 0; k < 3; k++) { say((int)carillon_semaphore_p_within(&end, 2u)); }"),
    "functions": ("FUNCTION(call)", "(void)carillon_semaphore_p(&end); say(9);"),
    "tasks": ("TASK(Other)", "(void)carillon_semaphore_p(&end); say(9);"),
    "events": ("EVENT(Main, Tick)", "for (int k = 0; k < 3; k++) { (void)WaitEvent(Tick); (void)ClearEvent(Tick); say(k); }"),
    "semaphores": ("SEMAPHORE(&end)", "for (int k = 0; k < 3; k++) { (void)carillon_semaphore_p(&end); say(k); }"),
}
"""What the alarm's handler is, if there is one, and what the task does with it."""


def code(kind: str) -> str:
    handler, body = CODES[kind]
    alarm = f"static struct carillon_alarm alarm = CARILLON_ALARM_OF_{handler};" if handler else ""
    start = "(void)carillon_alarm_start(&alarm, 2u, CARILLON_INFINITE);" if handler else ""
    return f"""
        #include "carillon/time.h"
        static struct carillon_semaphore end = CARILLON_SEMAPHORE(0);
        static int called;
        static void say(int what) {{ report("said", (uint32_t)what); report("at", (uint32_t)(carillon_now() / 100u)); }}
        void call(void);
        void call(void) {{ called++; say(called); if (called == 3) {{ (void)carillon_semaphore_v(&end); }} }}
        {alarm}
        TASK(Main) {{ {start} {body} carillon_port_halt(); }}
        TASK(Other) {{ call(); TerminateTask(); }}
    """


@pytest.mark.parametrize("kind", CODES)
def test_an_application_of_one_kind_of_events_does_the_same_in_less_code(lab: Laboratory, kind: str) -> None:
    uses = f'uses = ["{kind}"]\nlongest = "9s"\n'
    every, own = (lab.run(f"[time]\n{PERIODIC}{keys}[osek]\n{TASKS}", code(kind), AST, ticks=40_000) for keys in ("", uses))
    assert own.reported == every.reported
    assert own.firmware.flash < every.firmware.flash
    ticks = code(kind).replace("2u", "2000u")
    other = lab.run(f'[time]\nclock = "one-shot"\n{uses}[osek]\n{TASKS}', ticks, VIRTUAL_AST, ticks=40_000)
    for outcome in (every, own, other):
        assert outcome.trace.stopped == "the system was shut down"
        assert len(outcome.said("said")) >= 3
        assert outcome.said("said") == every.said("said")


@pytest.mark.parametrize("kind", ["delays", "time-outs", "tasks"])
def test_what_the_schedule_does_not_name_does_not_build(lab: Laboratory, kind: str) -> None:
    others = ", ".join(f'"{other}"' for other in CODES if other != kind)
    path = lab.write(f"[time]\n{PERIODIC}uses = [{others}]\n[osek]\n{TASKS}", code(kind))
    diagnostics = Diagnostics()
    planned = plan(path, diagnostics, AST)
    build(planned.image, path.parent / "build", diagnostics)
    (report,) = diagnostics.errors
    names = {"delays": "carillon_delay", "time-outs": "carillon_semaphore_p_within", "tasks": "CARILLON_ALARM_OF_TASK"}
    assert report.code == "C091"
    assert names[kind] in str(report)
