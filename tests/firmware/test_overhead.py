# SPDX-License-Identifier: Apache-2.0
"""What the check of deadlines charges for the kernel's handlers is a bound, and what it passes does not miss.

``CARILLON_TRIES=100 pytest tests/firmware/test_overhead.py`` draws so many schedules; a few by default.
"""

from __future__ import annotations

import random
import tomllib
from dataclasses import fields

import pytest
from laboratory import AST, MPS, RV32, Laboratory, Outcome, declared, points, task, works

import asked
from carillon.actions.costs import CostTable, cost_table, port_prices
from carillon.check.simulation import simulate_round
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.emit.handlers import statements
from carillon.image.handlers import operations
from carillon.image.operations import RUNS, Does, Operation
from carillon.model.board import Role
from carillon.model.family import Rearm
from carillon.pipeline import plan
from carillon.resources import data_root
from carillon.timing.handlers import around_interrupt, handler_cost, kernel_round, kernel_times
from carillon.trace.timeline import HandlerKind

AVR = "atmega128"
MICROBIT = "microbit"
PICO = "raspberry-pi-pico"
EXAMPLES = asked.tries(6)

PLAIN = points(8000, (500, "A"), (3000, "B"))
ONE = points(8000, (500, "A", 1500), (3000, "B", 4000, 5000))
SHARED = points(8000, (500, "A"), (1500, "A"), (2700, "A"), (5500, "B"), (6900, "B"), (7700, "B"), window="wcet")
OPEN = points(8000, (500, "A"), (1500, "A"), (2700, "B"), (5500, "A"))
TURNS = points(8000, (500, "A"), (700, "B"), (2500, "B"), (2700, "A"), (4500, "A"), (4700, "B"), (6500, "B"), (6700, "A"))


@pytest.mark.parametrize("schedule", [PLAIN, ONE, SHARED, OPEN, TURNS], ids=["plain", "deadlines", "shared", "open", "turns"])
@pytest.mark.parametrize("board", [AST, MPS, AVR, RV32, "cv32e40x-rtl"])
def test_a_handler_takes_no_more_than_it_is_charged(lab: Laboratory, board: str, schedule: str) -> None:
    try:
        outcome = lab.run(declared(A=400, B=400) + schedule, works(A=100, B=100), board, rounds=4)
    except CarillonError:
        pytest.skip("the board has not the cells")
    (mode,) = outcome.planned.image.modes
    for name in ("A", "B"):
        costs = [handler_cost(outcome.planned.image, mode, c) for c in outcome.carriers(Role.ACTIVATION, name)]
        figures = outcome.task(name)
        if figures.dispatch is not None:
            assert figures.dispatch.maximum <= max(c.before for c in costs)
        if figures.terminate is not None:
            assert figures.terminate.maximum <= max(c.after for c in costs) + 2  # the handler's return, and the task's own
    most, took = kernel_round(outcome.planned.image, mode), outcome.summary.totals.kernel_n
    assert took <= 4 * most <= 3 * took + 4 * 20 * len(mode.allocation.carriers)  # what plan says of a round


@pytest.mark.parametrize("schedule", [PLAIN, ONE, TURNS], ids=["plain", "deadlines", "turns"])
def test_what_stops_the_budgets_beneath_takes_no_more_than_it_is_charged(lab: Laboratory, schedule: str) -> None:
    beneath = '[osek]\n[osek.task.T]\npriority = 1\nautostart = true\nbudget = "1000000 ticks"\n'
    code = works(A=100, B=100) + "\nTASK(T) { carillon_work(1000000u); }\n"
    outcome = lab.run(declared(A=400, B=400) + schedule + beneath, code, AST, rounds=4)
    (mode,) = outcome.planned.image.modes
    for name in ("A", "B"):
        costs = [handler_cost(outcome.planned.image, mode, c) for c in outcome.carriers(Role.ACTIVATION, name)]
        figures = outcome.task(name)
        assert figures.dispatch is not None and figures.terminate is not None
        assert 12 <= figures.dispatch.maximum <= max(c.before for c in costs)
        assert 17 <= figures.terminate.maximum <= max(c.after for c in costs) + 2


@pytest.mark.parametrize("schedule", [PLAIN, ONE, TURNS], ids=["plain", "deadlines", "turns"])
@pytest.mark.parametrize("board", [AST, PICO])
def test_what_keeps_the_budgets_of_a_round_takes_no_more_than_it_is_charged(lab: Laboratory, board: str, schedule: str) -> None:
    tasks = '[task.A]\nwcet = "400 ticks"\nbudget = "500 ticks"\n[task.B]\nwcet = "400 ticks"\n'
    outcome = lab.run(tasks + schedule, works(A=100, B=100), board, rounds=4)
    (mode,) = outcome.planned.image.modes
    for name, least in (("A", 36), ("B", 12)):
        costs = [handler_cost(outcome.planned.image, mode, c) for c in outcome.carriers(Role.ACTIVATION, name)]
        figures = outcome.task(name)
        assert figures.dispatch is not None and figures.terminate is not None
        assert least <= figures.dispatch.maximum <= max(c.before for c in costs)
        assert 10 <= figures.terminate.maximum <= max(c.after for c in costs) + 2


UNPRICED = {*RUNS, Does.MISSED, Does.CONTROL, Does.SYNCHRONISE, Does.LOOK_UP, Does.DISPATCH}
"""What calls the application, comes after a miss, or is priced as a whole: the sync cell and tables."""
ONLY_ARM = {
    "budget_stops",
    "budget_goes_on",
    "round_budget_stops",
    "round_budget_goes_on",
    "round_budget_begin",
    "round_budget_end",
    "leaves",
    "asks",
    "lowered_tasks",
    "reload_rearm",
    "reload_postpone",
}
"""What other ports than ARM's have no use for: they have no budgets beneath rounds, no mode switches or no cells that ask."""

OWN_BUDGETS = {f"task_budget_{what}" for what in ("stops", "goes_on", "begin", "end")}
"""Of cells that stand and keep their count: of the timer array, which is beside a core with a CLIC."""

MOVED = {"moved_acknowledge", "moved_arm", "moved_rearm", "take_back", "begin", "next"}
"""Of matches that are moved with the answer to their request: of boards with ARM's processors."""

BUDGETS_OF_ROUNDS = {f"round_budget_{what}" for what in ("stops", "goes_on", "begin", "end")}
ONLY_ARMV7M = (ONLY_ARM - {"asks", "lowered_tasks"} - BUDGETS_OF_ROUNDS) | {"postpone"}
"""What ARMv6-M has no use for."""

PORTS = ("armv6m", "armv7m", "avr", "rv32", "rv32clic")
"""Those on which code takes time."""

ONLY_AVR = {"lap"}
"""Turns of a timer's counter are counted on AVR alone."""


@pytest.mark.parametrize("port", PORTS)
def test_every_port_prices_every_operation(port: str) -> None:
    assert {p.parent.name for p in (data_root() / "ports").glob("*/costs.toml")} == set(PORTS)
    wanted = {
        Operation(does, rearm=how).price for does in Does if does not in UNPRICED for how in (None, Rearm.RELOAD, Rearm.MATCH)
    }
    wanted |= {"frame_begin", "frame_end", "direct_end", "lower", "raise"}
    missing = {name for name in wanted if name not in port_prices(port)}
    lacks = {"armv6m": ONLY_ARMV7M | ONLY_AVR, "armv7m": ONLY_AVR, "avr": ONLY_ARM | MOVED, "rv32": ONLY_ARM | ONLY_AVR | MOVED}
    lacks = {of: own | OWN_BUDGETS for of, own in lacks.items()}
    lacks["rv32clic"] = (ONLY_ARM - {"leaves", "asks", "lowered_tasks"}) | ONLY_AVR | MOVED
    assert missing <= lacks[port]


@pytest.mark.parametrize("port", PORTS)
def test_every_port_on_which_code_takes_time_has_all_prices_of_the_allocation(port: str) -> None:
    own = tomllib.loads((data_root() / "ports" / port / "costs.toml").read_text(encoding="utf-8"))["allocation"]
    assert own.keys() == {field.name for field in fields(CostTable)}


@pytest.mark.parametrize("port", ["host", "template", "nobody's"])
def test_a_port_without_prices_has_those_of_the_reference(port: str) -> None:
    assert cost_table(port) == cost_table("armv7m")
    assert not port_prices(port)


def test_equal_operations_are_one_statement_and_others_are_not() -> None:
    seen: dict[str, Operation] = {}
    for does in Does:
        for it in (
            Operation(does, "aspeed", 1, Rearm.SHIFT, "carillon_multiplex_activation_0_A", (32, 33), "T", 4),
            Operation(does, "aspeed", 2, Rearm.SHIFT, "carillon_multiplex_activation_0_B", (34,), "U", 5),
        ):
            seen["\n".join(statements([it]))] = it
    alone = {Does.ONE_MORE_LOWERED, Does.ONE_LESS_LOWERED, Does.BUDGET_STOPS, Does.BUDGET_GOES_ON, Does.CONTROL}
    alone |= {Does.ROUND_BUDGET_STOPS, Does.ROUND_BUDGET_GOES_ON, Does.TASK_BUDGET_STOPS, Does.TASK_BUDGET_GOES_ON}
    by_name = {Does.SYNCHRONISE}  # a call of a function, as that of a task
    assert len(seen) == 2 * (len(Does) - len(by_name)) - len(alone)


def test_a_deadline_that_only_the_kernel_breaks_is_refused(lab: Laboratory) -> None:
    schedule = '[task.A]\nperiod = "1000 ticks"\nwcet = "100 ticks"\ndeadline = "102 ticks"\n'
    path = lab.write(schedule, works(A=80), system=f'board = "{AST}"\non_deadline_miss = "continue"')
    with pytest.raises(CarillonError) as caught:
        plan(path, Diagnostics())
    assert [d.code for d in caught.value.diagnostics] == ["C043"]
    assert "of kernel code around it" in caught.value.diagnostics[0].cause


def drawn(seed: int) -> tuple[list[tuple[int, str]], dict[str, int], int]:
    """Activations, the work of each task, and the round's length: tasks that nest, follow each other, and share cells."""
    rng = random.Random(seed)
    length = 20_000
    names = [f"T{k}" for k in range(rng.randint(2, 4))]
    work = {name: rng.choice([20, 60, 150, 400, 900]) for name in names}
    taken: set[int] = set()
    table: list[tuple[int, str]] = []
    for name in names:
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(400, length - 6000, rng.choice([1, 1, 97]))
            if all(abs(at - other) > rng.choice([3, 90]) for other in taken) and all(
                abs(at - t) > 5000 for t, own in table if own == name
            ):
                taken.add(at)
                table.append((at, name))
    return sorted(table), {n: w for n, w in work.items() if any(n == own for _, own in table)}, length


@pytest.mark.parametrize("seed", range(EXAMPLES))
def test_what_the_check_passes_does_not_miss(lab: Laboratory, seed: int) -> None:
    table, work, length = drawn(seed)
    code = works(**work)
    first = lab.run(declared(**{n: w + 20 for n, w in work.items()}) + points(length, *table), code, AST, rounds=1)
    exact = {}
    for name in work:
        execution = first.task(name).execution
        assert execution is not None
        exact[name] = int(execution.maximum)
    # Deadlines as late as they can be, to learn what the handlers take; then as early as the check lets them be.
    late = [(at, name, min([t for t, own in table if own == name and t > at], default=length)) for at, name in table]
    planned = plan(lab.write(declared(**exact) + points(length, *late), code), Diagnostics(), AST)
    (mode,), (kernel,) = planned.system.modes, kernel_times(planned.image)
    ends = [c.end for c in simulate_round(mode, planned.system, kernel=kernel)]
    slack, refused = -44, True
    while refused:  # other deadlines may lead to other levels, and these to other handlers
        slack += 3
        assert slack < 64
        early = [(at, name, max(at + 1, end + slack)) for (at, name), end in zip(table, ends, strict=True)]
        path = lab.write(declared(**exact) + points(length, *early), code)
        try:
            plan(path, Diagnostics(), AST)
            refused = False
        except CarillonError as error:
            assert {d.code for d in error.diagnostics} == {"C043"}
    assert slack > -41, "deadlines this early must be refused"
    outcome = lab.run_file(path, AST, rounds=5)
    assert outcome.summary.totals.deadlines_missed == 0
    assert outcome.summary.totals.deadlines_met == 5 * len(table)


def test_the_vectors_that_are_tasks_cost_nothing(lab: Laboratory) -> None:
    outcome = lab.run(declared(A=400, B=400) + PLAIN, works(A=100, B=100), AST, rounds=4)
    (mode,) = outcome.planned.image.modes
    for carrier in mode.allocation.carriers:
        assert operations(outcome.planned.image, mode, carrier) == ()
        assert handler_cost(outcome.planned.image, mode, carrier).total == 0


ENABLED = '[task.T]\nwcet = "300 ticks"\n[interrupt.I]\nsource = "soft0"\npriority = "{}-tasks"\n'


def bound(outcome: Outcome) -> tuple[int, int, int]:
    """What ``plan`` says of the start of T, in ticks; what its handler takes before it, and what the re-enable point's takes."""
    image = outcome.planned.image
    (mode,), (kernel,) = image.modes, kernel_times(image)
    before = max(handler_cost(image, mode, c).before for c in outcome.carriers(Role.ACTIVATION, "T"))
    enabling = [handler_cost(image, mode, c).total for c in outcome.carriers(Role.ENABLE, "I")]
    return kernel.starts["T"], before, sum(enabling)


@pytest.mark.parametrize("board", [AST, MPS, MICROBIT])
def test_a_start_waits_for_the_handler_of_a_re_enable_point_on_its_tick(lab: Laboratory, board: str) -> None:
    """The point's handler is above the task, so that it comes first, as a whole."""
    outcome = lab.run(
        ENABLED.format("below") + points(8000, (1000, "enable", "I"), (1000, "T")), works(T=100, I=10), board, rounds=3
    )
    alone = lab.run('[task.T]\nwcet = "300 ticks"\n' + points(8000, (1000, "T")), works(T=100), board, rounds=3)
    starts, before, enabling = bound(outcome)
    assert starts == -(-(before + enabling) // outcome.per_tick)
    assert max(alone.delays("T")) < max(outcome.delays("T")) <= before + enabling
    before_it = ENABLED.format("below") + points(8000, (998, "enable", "I"), (1000, "T"))  # and it may be under way there
    assert bound(lab.run(before_it, works(T=100, I=10), board, rounds=3))[0] == starts
    apart = ENABLED.format("below") + points(8000, (1000, "T"), (3000, "enable", "I"))
    assert bound(lab.run(apart, works(T=100, I=10), board, rounds=3))[0] == -(-before // outcome.per_tick)


@pytest.mark.parametrize("enabled", [True, False], ids=["re-enabled", "always"])
@pytest.mark.parametrize("board", [AST, MPS, MICROBIT, AVR, RV32])
def test_what_is_around_an_interrupt_takes_no_more_than_it_is_charged(lab: Laboratory, board: str, enabled: bool) -> None:
    """An interrupt above tasks that is under way at the tick of a start: where its handler ends, too, nobody else begins."""
    late = 'start_within = "100 ticks"' if board == RV32 else ""  # its one cell has both in a table
    table = points(8000, (1000, "T"), *([(6000, "enable", "I")] if enabled else []))
    code = f"#define SOFT0 {SOFT0[board]}u\n" + works(I=10) + task("T", "carillon_port_pend(SOFT0);\ncarillon_work(100);")
    outcome = lab.run(ENABLED.format("above") + table, code, board, rounds=3, system=late)
    took = [h.kernel_n for h in outcome.summary.handlers if HandlerKind.INTERRUPT in h.started]
    assert len(took) == 3 and max(took) <= around_interrupt(outcome.planned.image)
    if board != RV32:
        starts, before, enabling = bound(outcome)
        assert starts == -(-(before + enabling + around_interrupt(outcome.planned.image)) // outcome.per_tick)


def test_a_start_waits_for_the_handler_of_a_re_enable_point_that_an_interrupt_has_held_back(lab: Laboratory) -> None:
    """It is above tasks, and works from before the point until after the tick.  The run is held against the bound."""
    late = '[interrupt.L]\nsource = "soft1"\npriority = "above-tasks"\n'
    table = points(8000, (1000, "A"), (2900, "enable", "I"), (3000, "T"))
    code = works(T=100, I=10, L=200) + task("A", "carillon_work(1830);\ncarillon_port_pend(SOFT1);\ncarillon_work(100);")
    outcome = lab.run(ENABLED.format("below") + late + declared(A=2200) + table, "#define SOFT1 17u\n" + code, AST, rounds=3)
    starts, before, enabling = bound(outcome)
    assert before == 0 < starts == enabling + around_interrupt(outcome.planned.image)
    (began,) = {h.begin.t % 8000 for h in outcome.summary.handlers if HandlerKind.INTERRUPT in h.started}
    (delay,) = outcome.delays("T")
    assert began < 2900 and delay > began + 200 - 3000


@pytest.mark.parametrize("below", [False, True], ids=["alone", "interrupt"])
@pytest.mark.parametrize("board", [pytest.param(AST, marks=pytest.mark.costly), MPS, MICROBIT, RV32])
def test_a_start_of_a_table_waits_for_the_end_of_its_handler_for_another_task(lab: Laboratory, board: str, below: bool) -> None:
    """The other task ends just before the tick; then the entry of an interrupt below tasks may come, which has interrupts off."""
    names = ("T", *(f"B{k}" for k in range(12)))
    table = points(8000, (1000, "A"), (3000, "T"), *((5000 + 100 * k, name) for k, name in enumerate(names[1:])))
    interrupt = '[interrupt.I]\nsource = "soft0"\npriority = "below-tasks"\n' if below else ""
    delays: set[int] = set()
    for early in range(0, {AST: 400, RV32: 24}.get(board, 50), {AST: 10}.get(board, 1)):
        pend = f"carillon_port_pend({SOFT0[board]}u);\n" if below else ""
        code = works(I=10, **dict.fromkeys(names, 10)) + task("A", f"{pend}carillon_work({1990 - early}u);")
        text = declared(A=2200, **dict.fromkeys(names, 20)) + interrupt + table
        outcome = lab.run(text, code, board, rounds=2, system='start_within = "1000 ticks"')
        delays |= outcome.delays("T")
        assert not max(outcome.delays("T")) > kernel_times(outcome.planned.image)[0].starts["T"] * outcome.per_tick
    assert max(delays) > min(delays)  # another handler was in the way


SOFT0 = {AST: 16, MPS: 16, MICROBIT: 36, AVR: 5, RV32: 1}
