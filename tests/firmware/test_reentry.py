# SPDX-License-Identifier: Apache-2.0
"""Of one task one activation runs and at most one waits, whatever carries its activations; further ones are absorbed.

The expectation is that sentence, carried out tick by tick for a task that nothing else delays.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from laboratory import AST, MPS, RV32, TC, VIRTUAL, VIRTUAL_AST, Laboratory, Outcome, declared, points

from carillon.allocate.result import Guard
from carillon.model.board import Role
from carillon.trace import Kind

AVR, RTL = "atmega128", "cv32e40x-rtl"
BOARDS = (AST, VIRTUAL_AST, VIRTUAL, TC, MPS)
LATE = {AVR: 300}  # cycles of a handler that saves all registers and finds that the task runs; elsewhere some instructions


def runs(due: Sequence[int], lengths: Sequence[int]) -> list[tuple[int, int]]:
    """(begin, end) of every run of a task that is due at these ticks and works so long each time, the last length again."""
    result: list[tuple[int, int]] = []
    waiting = False
    for at in due:
        while waiting and result[-1][1] <= at:  # what waits begins when the one before it has ended
            begin = result[-1][1]
            result.append((begin, begin + lengths[min(len(result), len(lengths) - 1)]))
            waiting = False
        if result and result[-1][1] > at:
            waiting = True
        else:
            result.append((at, at + lengths[min(len(result), len(lengths) - 1)]))
    if waiting:
        begin = result[-1][1]
        result.append((begin, begin + lengths[min(len(result), len(lengths) - 1)]))
    return result


def working(task: str, lengths: Sequence[int]) -> str:
    """A task that works these ticks one run after the other, and the last ones from then on."""
    table = ", ".join(f"{n}u" for n in lengths)
    return (
        f"static const uint32_t {task}_lengths[] = {{{table}}};\n"
        f"ttTASK({task}) {{ static uint8_t n; carillon_work({task}_lengths[n]); n = (uint8_t)(n + (n < {len(lengths) - 1}u)); "
        "}\n"
    )


def seen(outcome: Outcome, task: str) -> list[tuple[int, int]]:
    """(begin, end) of the task's runs in ticks; it never runs inside itself."""
    events = outcome.events(Kind.START, Kind.END, of=task)
    assert [e.kind for e in events] == [Kind.START, Kind.END] * (len(events) // 2), "the task runs inside itself"
    return [(a.n // outcome.per_tick, b.n // outcome.per_tick) for a, b in zip(events[::2], events[1::2], strict=True)]


def agree(outcome: Outcome, task: str, expected: Sequence[tuple[int, int]], late: int) -> None:
    found = seen(outcome, task)
    assert len(found) == len(expected), (found, expected)
    for k, (one, other) in enumerate(zip(found, expected, strict=True)):
        assert 0 <= one[0] - other[0] <= late * (k + 1), (found, expected)


def guards(outcome: Outcome, task: str) -> set[Guard]:
    return {c.guard for c in outcome.carriers(Role.ACTIVATION, task)}


def rounds(at: Sequence[int], length: int, count: int) -> list[int]:
    return [t + k * length for k in range(count) for t in at]


@pytest.mark.parametrize("board", BOARDS)
def test_a_task_on_three_cells_is_not_entered_inside_itself(lab: Laboratory, board: str) -> None:
    at = (10000, 20000, 43000)
    schedule = declared(T=0) + points(90000, *((t, "T") for t in at))
    outcome = lab.run(schedule, working("T", [15000]), board, rounds=3)
    assert guards(outcome, "T") == {Guard.FORGET}
    agree(outcome, "T", runs(rounds(at, 90000, 3), [15000]), 16)


@pytest.mark.parametrize("board", [*BOARDS, AVR, RV32])
def test_one_activation_waits_and_further_ones_are_absorbed(lab: Laboratory, board: str) -> None:
    at = (1000, 2000, 4000, 7000)
    lengths = [9000, 100, 100, 2500, 100, 29000, 500]
    schedule = declared(T=100) + points(20000, *((t, "T") for t in at), window="wcet")
    outcome = lab.run(schedule, working("T", lengths), board, rounds=6)
    agree(outcome, "T", runs(rounds(at, 20000, 6), lengths), LATE.get(board, 40))


@pytest.mark.parametrize("board", [RTL, AST, VIRTUAL_AST])
def test_a_cell_with_many_points_skips_those_that_are_absorbed(lab: Laboratory, board: str) -> None:
    """One that waits while the task runs over a point, over several, over a whole round, and over a round and a half."""
    at = [1000 + 2000 * k + 100 * (k % 3) for k in range(40)]
    lengths = [3540, 100, 9040, 100, 2540, 2550, 100, 90_050, 100, 130_050, 110]
    schedule = declared(T=100) + points(90_000, *((t, "T") for t in at), window="wcet")
    others = ", ".join(f'"T{k}"' for k in range(1, 32))
    few = f"reserve = [{others}]" if board == RTL else ""
    outcome = lab.run(schedule, working("T", lengths), board, system=few, rounds=6)
    assert len(outcome.cells(Role.ACTIVATION, "T")) == 1
    agree(outcome, "T", runs(rounds(at, 90_000, 6), lengths), 75)


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST, VIRTUAL, TC])
def test_a_task_on_two_levels_waits_by_a_flag(lab: Laboratory, board: str) -> None:
    # Other preempts T at 3000 and T's activation at 6000 preempts Other: T needs a level below it and one above.
    schedule = declared(T=0, Other=0) + points(20000, (1000, "T"), (3000, "Other"), (6000, "T"), (6500, "T"), (11000, "T"))
    code = working("T", [8500, 100, 100]) + working("Other", [100, 5000])
    outcome = lab.run(schedule, code, board, rounds=2)
    assert guards(outcome, "T") == {Guard.FLAG}
    assert len({c.level for c in outcome.carriers(Role.ACTIVATION, "T")}) > 1
    # First round: T runs from 1000, is preempted for 100 ticks, and 6000 waits, 6500 is absorbed.
    expected = [(1000, 9600), (9600, 9700), (11000, 11100), (21000, 21100), (26000, 26100), (26500, 26600), (31000, 31100)]
    agree(outcome, "T", expected, 60)


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST, VIRTUAL])
def test_with_a_flag_the_source_that_runs_the_task_does_not_let_another_one_wait(lab: Laboratory, board: str) -> None:
    # T works from 1000 over the round's end: 12000 waits by the flag, 17000 is absorbed, but its own source asks again.
    schedule = declared(T=0, Other=0) + points(16000, (1000, "T"), (3000, "Other"), (12000, "T"))
    outcome = lab.run(schedule, working("T", [25000, 300]) + working("Other", [100]), board, rounds=4)
    assert guards(outcome, "T") == {Guard.FLAG}
    begins = [begin for begin, _ in seen(outcome, "T")]
    assert [b // 1000 for b in begins][:2] == [1, 26]
    assert sum(26000 <= b < 28000 for b in begins) == 1, begins


def test_a_task_that_the_conventional_kernel_runs_waits_too(lab: Laboratory) -> None:
    at = (1000, 2000, 4000, 7000)
    lengths = [9000, 100, 100, 2500, 100, 29000, 500]
    schedule = declared(T=100) + points(20000, *((t, "T") for t in at), window="wcet")
    outcome = lab.run(schedule, working("T", lengths), VIRTUAL, kernel="conventional", rounds=6)
    agree(outcome, "T", runs(rounds(at, 20000, 6), lengths), 0)


def test_a_lowered_task_on_several_sources_waits(lab: Laboratory) -> None:
    # Fast, equally spaced, has one level; Slow's windows hold its points and Fast's hold Slow's: Slow runs lowered.
    slow = (1500, 9500, 13300, 29500)
    fast = "".join(f'    {{ at = "{1000 + 2000 * k} ticks", activate = "Fast" }},\n' for k in range(20))
    listed = "".join(f'    {{ at = "{t} ticks", activate = "Slow" }},\n' for t in slow)
    both = sorted((fast + listed).splitlines(), key=lambda line: int(line.split('"')[1].split()[0]))
    schedule = declared(Fast=0, Slow=0) + '[mode.normal]\nround = "40000 ticks"\npoints = [\n' + "\n".join(both) + "\n]\n"
    lengths = [300, 6000, 200, 300, 100]
    outcome = lab.run(schedule, working("Fast", [100]) + working("Slow", lengths), AST, rounds=2)
    assert all(c.lowered for c in outcome.carriers(Role.ACTIVATION, "Slow"))
    found = seen(outcome, "Slow")
    # It works 6000 ticks from 9500 and is preempted for 100 ticks three times: 13300 waits.
    nearly = [1500, 9500, 15800, 29500, 41500, 49500, 53300, 69500]
    assert all(0 <= begin - at < 150 for (begin, _), at in zip(found, nearly, strict=True)), found


def test_a_vouched_task_costs_nothing(lab: Laboratory) -> None:
    at = (1000, 2000, 4000, 7000)
    schedule = '[task.T]\nwcet = "100 ticks"\noverrun = "never"\n' + points(20000, *((t, "T") for t in at), window="wcet")
    outcome = lab.run(schedule, working("T", [60]), AST, rounds=3)
    assert guards(outcome, "T") == {Guard.NONE}
    assert outcome.delays("T") == {0}


def test_a_task_that_returns_to_its_handler_does_not_end_what_it_preempted(lab: Laboratory) -> None:
    # On AVR a task may be compiled as a handler, so that it ends as one: not so the handler that called it.
    schedule = declared(A=0, B=0) + points(16000, (5000, "A"), (6750, "B"), (10250, "A"))
    outcome = lab.run(schedule, working("A", [8000, 500]) + working("B", [500]), AVR, rounds=2)
    assert outcome.story(Kind.START, Kind.END, Kind.PREEMPT, Kind.RESUME)[:8] == [
        "start A",
        "preempt A",
        "start B",
        "end B",
        "resume A",
        "preempt A",
        "resume A",
        "end A",
    ]
    assert len(seen(outcome, "A")) == 4


def sweeping(lengths: Sequence[int], others: str) -> str:
    """T's first run of each round is one of these lengths, the further ones are short; Next begins a round."""
    table = ", ".join(f"{n}u" for n in lengths)
    return (
        f"static const uint16_t lengths[] = {{{table}}};\nstatic volatile uint16_t round_number;\n"
        "static volatile uint8_t first;\n"
        "ttTASK(Next) { first = 1u; }\n"
        "ttTASK(T) { if (first != 0u) { first = 0u; carillon_work(lengths[round_number]); round_number++; } "
        "else { carillon_work(60u); } }\n"
    ) + others


@pytest.mark.parametrize("guard", [Guard.FORGET, Guard.FLAG])
def test_at_every_instruction_of_a_guard_one_activation_waits_and_one_is_absorbed(lab: Laboratory, guard: Guard) -> None:
    # A tick is an instruction here.  From round to round the first run ends an instruction later, first around the
    # second activation, then around the third, which comes while the second's handler begins, too.
    second, third, length = 3000, 3200, 12000
    lengths = [*range(1930, 2010), *range(2060, 2210)]
    flag = guard is Guard.FLAG
    entries = [(200, "Next"), (1000, "T"), *([(2000, "Other")] if flag else []), (second, "T"), (third, "T")]
    schedule = declared(T=0, Next=0, **({"Other": 0} if flag else {})) + points(length, *entries)
    others = "ttTASK(Other) { if (round_number == 1000u) { carillon_work(5000u); } }\n" if flag else ""
    outcome = lab.run(schedule, sweeping(lengths, others), AST, rounds=len(lengths))
    assert guards(outcome, "T") == {guard}
    events = outcome.events(Kind.START, Kind.END, of="T")
    assert [e.kind for e in events] == [Kind.START, Kind.END] * (len(events) // 2), "the task runs inside itself"
    met = set()
    for number in range(len(lengths)):
        begin = number * length
        own = [e.n // outcome.per_tick - begin for e in events if begin <= e.n // outcome.per_tick < begin + length]
        end, runs_seen = own[1], len(own) // 2
        late = end - third  # of the first run; its handler ends some instructions later
        wanted = {3} if late < -40 else {2} if late > 0 else {2, 3}
        met |= {("second", (end > second))} | {("third", runs_seen)}
        assert runs_seen in wanted, (number, own)
    assert met == {("second", False), ("second", True), ("third", 2), ("third", 3)}
