# SPDX-License-Identifier: Apache-2.0
"""AVR: the 8-bit timer of a board carries what recurs within 256 ticks of a slow clock, on its tick from the first round on.

Times are simavr's cycles; from sleep it takes 1 from a request to the vector.
"""

from __future__ import annotations

import pytest
from laboratory import Laboratory, Outcome, task

from carillon.model.board import Role
from carillon.trace import Kind

UNO, LEONARDO = "arduino-uno", "arduino-leonardo"
OTHERS = '[task.Slow]\nperiod = "{length} ticks"\noffset = "77 ticks"\nwcet = "20 ticks"\n'
FAST = '[task.Fast]\nperiod = "{period} ticks"\noffset = "{offset} ticks"\nwcet = "2 ticks"\n'


def run(lab: Laboratory, board: str, period: int, offset: int, clock: str, rounds: int) -> Outcome:
    """A task of a short period, and one whose round is eight of them, on the 16-bit timer."""
    schedule = FAST.format(period=period, offset=offset) + OTHERS.format(length=8 * period)
    code = '#include "carillon/console.h"\nstatic volatile uint8_t n;\nstatic uint8_t said;\n' + task(
        "Fast", "n++;\ncarillon_work(1u);"
    )
    code += task("Slow", 'if (said == 0u) { said = 1u; carillon_say("before", n); }')
    return lab.run(schedule, code, board, system=f'clock = "{clock}"', rounds=rounds)


@pytest.mark.parametrize(
    ("board", "period", "offset", "clock"),
    [
        (UNO, 250, 0, "250kHz"),  # the counter matches once before the first round
        (UNO, 250, 154, "250kHz"),  # the match is the last tick of the counter's turn
        (UNO, 250, 245, "250kHz"),
        (UNO, 256, 160, "62.5kHz"),
        (UNO, 97, 5, "62.5kHz"),  # hardly longer than `lead`
        (LEONARDO, 199, 100, "15.625kHz"),
    ],
)
def test_a_short_period_is_on_its_tick(lab: Laboratory, board: str, period: int, offset: int, clock: str) -> None:
    rounds = 5
    outcome = run(lab, board, period, offset, clock, rounds)
    assert outcome.cells(Role.ACTIVATION, "Fast") == ["OC0B"]
    due = [(offset + k * period) * outcome.per_tick for k in range(8 * rounds)]
    found = outcome.at(Kind.ENTER, "Fast")
    assert len(found) == len(due)
    assert outcome.said("before") == [sum(at < 77 for at in range(offset, 77, period))], (
        "none before the round, which has no trace"
    )
    assert {n - at for n, at in zip(found, due, strict=True) if (at // outcome.per_tick - 77) % (8 * period) > 40} == {1}


def test_the_8_bit_timer_watches_a_deadline(lab: Laboratory) -> None:
    schedule = (
        '[task.Fast]\nperiod = "250 ticks"\ndeadline = "100 ticks"\n[task.Slow]\nperiod = "250 ticks"\noffset = "10 ticks"\n'
    )
    code = "static uint8_t n;\n" + task("Fast", "carillon_work((++n == 3u) ? 120u : 20u);") + task("Slow")
    outcome = lab.run(schedule, code, UNO, system='clock = "250kHz"\non_deadline_miss = "continue"', rounds=6)
    used = [
        *outcome.cells(Role.ACTIVATION, "Fast"),
        *outcome.cells(Role.DEADLINE, "Fast"),
        *outcome.cells(Role.ACTIVATION, "Slow"),
    ]
    assert sorted(used) == ["OC0B", "OC1A", "OC1B"]
    missed = [e.t for e in outcome.events(Kind.DEADLINE_MISSED, of="Fast")]
    assert missed == [2 * 250 + 100]
    assert len(outcome.events(Kind.DEADLINE_MET, of="Fast")) == 5


def test_a_round_of_more_than_256_ticks_is_not_on_the_8_bit_timer(lab: Laboratory) -> None:
    outcome = lab.run('[task.Fast]\nperiod = "257 ticks"\n', task("Fast"), UNO, system='clock = "250kHz"', rounds=2)
    assert outcome.cells(Role.ACTIVATION, "Fast") == ["OC1A"]
