# SPDX-License-Identifier: Apache-2.0
"""A run knows when what is event-triggered was activated, as far as the specification's table says it."""

from __future__ import annotations

import pytest
from laboratory import AST, MPS, VIRTUAL, Laboratory, Outcome

from carillon.trace import Kind

UNO = "arduino-uno"
AUTOSTART = """
[osek.task.First]
priority = 1
autostart = true
[osek.task.Second]
priority = 2
autostart = true
[osek.task.Never]
priority = 3
"""
WORK = "TASK(First) { carillon_work(100u); TerminateTask(); }\nTASK(Second) { carillon_work(300u); TerminateTask(); }\n"
NEVER = "TASK(Never) { TerminateTask(); }\n"

SERVICES = """
[osek.task.Asks]
priority = 1
[osek.task.Urgent]
priority = 2
[osek.task.Later]
priority = 0
[osek.counter.C]
tick = "100 ticks"
[osek.alarm.A]
counter = "C"
activate = "Asks"
autostart = { at = 1, cycle = 10 }
"""
ASKING = """
TASK(Asks)
{
    carillon_work(10u);
    ActivateTask(Later);
    carillon_work(10u);
    ActivateTask(Urgent);
    carillon_work(10u);
    TerminateTask();
}
TASK(Urgent) { carillon_work(5u); TerminateTask(); }
TASK(Later) { carillon_work(7u); TerminateTask(); }
"""

ISR = """
[osek.isr.Line]
source = "{source}"
priority = 1
category = 2
[osek.isr.Above]
source = "{above}"
priority = 2
category = 2
[stimuli]
rows = [
    {{ at = "2000 ticks", source = "{source}" }},
    {{ at = "4000 ticks", source = "{above}" }},
    {{ at = "4100 ticks", source = "{source}" }},
    {{ at = "4200 ticks", source = "{source}" }},
    {{ at = "6000 ticks", source = "{source}" }},
]
"""
LINES = "ISR(Line) { carillon_work(50u); }\nISR(Above) { carillon_work(500u); }\n"


def activations(outcome: Outcome, name: str) -> list[int | None]:
    return [run.activation for run in outcome.summary.runs if run.lane.name == name]


@pytest.mark.parametrize("board", [VIRTUAL, AST, MPS, "atmega128"])
def test_startos_activates_what_has_autostart(lab: Laboratory, board: str) -> None:
    outcome = lab.run(AUTOSTART, WORK + NEVER, board, ticks=5000)
    assert activations(outcome, "First") == activations(outcome, "Second") == [0]
    first, second = outcome.task("First"), outcome.task("Second")
    assert second.response is not None
    assert first.start_delay is not None
    assert first.response is not None
    assert second.response.minimum >= 300
    assert first.start_delay.minimum >= second.response.maximum
    assert first.response.minimum >= first.start_delay.minimum + 100
    assert outcome.task("Never").known_activations == 0
    assert [run.expiry for run in outcome.summary.runs] == [None, None]


def test_a_virtual_board_tells_when_a_service_activates_a_task(lab: Laboratory) -> None:
    outcome = lab.run(SERVICES, ASKING, VIRTUAL, ticks=3000)
    assert activations(outcome, "Asks") == [100, 1100, 2100]
    assert activations(outcome, "Later") == [110, 1110, 2110]
    assert activations(outcome, "Urgent") == [120, 1120, 2120]
    assert [e.object for e in outcome.events(Kind.ACTIVATION)] == ["Later", "Urgent"] * 3
    spreads = {name: outcome.task(name) for name in ("Asks", "Urgent", "Later")}
    assert {n: (t.start_delay.maximum, t.response.maximum) for n, t in spreads.items() if t.start_delay and t.response} == {
        "Asks": (0, 35),
        "Urgent": (0, 5),
        "Later": (25, 32),
    }


def test_a_service_of_a_board_in_qemu_tells_nothing(lab: Laboratory) -> None:
    outcome = lab.run(SERVICES, ASKING, AST, ticks=3000)
    assert activations(outcome, "Asks") == [100, 1100, 2100]
    assert activations(outcome, "Later") == activations(outcome, "Urgent") == [None] * 3
    assert (outcome.task("Later").activations, outcome.task("Later").known_activations) == (3, 0)
    assert outcome.task("Later").response is None


@pytest.mark.parametrize(("board", "source", "above"), [(VIRTUAL, "ext0", "ext1"), (UNO, "soft0", "soft1")])
def test_an_isr_is_activated_when_its_request_becomes_pending(lab: Laboratory, board: str, source: str, above: str) -> None:
    outcome = lab.run(ISR.format(source=source, above=above), LINES, board, ticks=8000)
    assert activations(outcome, "Above") == [4000]
    assert activations(outcome, "Line") == [2000, 4100, 6000]  # the request at 4200 finds one that waits
    line = outcome.task("Line")
    assert line.start_delay is not None
    assert line.start_delay.maximum >= 400
    assert line.known_activations == line.activations == 3


def test_simavr_tells_when_a_pin_requests_an_isr(lab: Laboratory) -> None:
    rows = [(2000, "D2", 1), (2500, "D2", 0), (4000, "D3", 1), (4100, "D2", 1), (5500, "D2", 0), (6000, "D2", 1)]
    written = "".join(f'    {{ at = "{at} ticks", pin = "{pin}", level = {level} }},\n' for at, pin, level in rows)
    low = '    { pin = "D2", level = 0 },\n    { pin = "D3", level = 0 },\n'
    isrs = ISR.format(source="soft0", above="soft1").partition("[stimuli]")[0]
    outcome = lab.run(f"{isrs}[stimuli]\nrows = [\n{low}{written}]\n", LINES, UNO, ticks=8000)
    assert [abs(at - 4000) <= 1 for at in activations(outcome, "Above") if at is not None] == [True]
    assert [round(at, -2) for at in activations(outcome, "Line") if at is not None] == [2000, 4100, 6000]
    assert outcome.task("Line").known_activations == outcome.task("Line").activations == 3


def test_a_request_that_an_expiry_causes_is_no_other_activation(lab: Laboratory) -> None:
    schedule = SERVICES.replace('activate = "Asks"', 'activate = ["Asks", "Urgent"]')
    outcome = lab.run(schedule, ASKING.replace("ActivateTask(Urgent);", ""), VIRTUAL, ticks=3000)
    assert activations(outcome, "Asks") == activations(outcome, "Urgent") == [100, 1100, 2100]
    assert {e.object for e in outcome.events(Kind.ACTIVATION)} == {"Later"}
