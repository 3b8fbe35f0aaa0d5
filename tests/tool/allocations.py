# SPDX-License-Identifier: Apache-2.0
"""Boards, demands and rounds of tests of the allocation, and a checker of what it finds."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import ModuleType

from hypothesis import strategies as st

from carillon.actions import Action
from carillon.actions.activate import Activate
from carillon.actions.check_deadline import CheckDeadline
from carillon.actions.costs import cost_table
from carillon.actions.dispatch import Dispatch
from carillon.actions.enable_interrupt import EnableInterrupt
from carillon.actions.switch_mode import SwitchMode
from carillon.allocate.allocation import Allocation
from carillon.allocate.result import Carrier, Guard, ModeAllocation, Style
from carillon.diagnostics import Diagnostics, Span
from carillon.lower import Demand, ExpiryPoint, LoweredMode
from carillon.model import OnDeadlineMiss, System
from carillon.model.board import Board, Cells, Clock, Role
from carillon.model.family import Capability, Family, Rearm
from carillon.model.tools import Build, Run

COSTS = cost_table("host")

REPOSITORY = Path(__file__).resolve().parents[2]
ROLES = (Role.ACTIVATION, Role.DEADLINE, Role.CONTROL, Role.ENABLE, Role.SYSTEM)


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_allocation", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


bench = load(REPOSITORY / "bench" / "allocation.py")
system_of = bench.system_of
synthetic = bench.synthetic


def array(cells: int, *, per_source: int = 1, first_source: int = 0, **properties: object) -> Cells:
    values: dict[str, object] = {
        "family": Family(name="virtual", can=frozenset(Capability), align=True, finish=False),
        "names": tuple(f"C{first_source}_{i}" for i in range(cells)),
        "sources": tuple(first_source + i // per_source for i in range(cells)),
        "width": 32,
        "roles": ROLES,
        "rearm": Rearm.SHIFT,
    }
    return Cells.model_validate(values | properties)


def board(*arrays: Cells, levels: int = 16, lowered_levels: int = 0, lead: int = 0, start_spacing: int = 0) -> Board:
    return Board(
        name="test",
        summary="a board of a test",
        port="host",
        levels=levels,
        sources=1000,
        clocks=(Clock(hz=1_000_000, instructions_per_tick=0),),  # code takes no time, so that no activations are too near
        cells=arrays,
        lowered_levels=lowered_levels,
        lead=lead,
        start_spacing=start_spacing,
        build=Build(compiler="cc"),
        run=Run(kind="native"),
    )


ACTIONS: dict[Role, type[Action]] = {Role.ACTIVATION: Activate, Role.DEADLINE: CheckDeadline}
ACTIONS |= {Role.CONTROL: SwitchMode, Role.ENABLE: EnableInterrupt}


def demand(role: Role, name: str, *points: int | tuple[int, int], required: bool = True, bounded: bool = True) -> Demand:
    action = ACTIONS[role](name)
    line = 1 + sum(map(ord, name)) % 50
    made = []
    for point in points:
        at, end = point if isinstance(point, tuple) else (point, point + 1 if role is Role.ACTIVATION else point)
        made.append(ExpiryPoint(at, action, end, Span("test.toml", line)))
    return Demand(action, tuple(made), required, bounded, exclusive=True)


def act(name: str, *points: int | tuple[int, int], bounded: bool = True) -> Demand:
    return demand(Role.ACTIVATION, name, *points, bounded=bounded)


def mode(round_length: int, *demands: Demand, name: str = "default") -> LoweredMode:
    return LoweredMode(name, round_length, demands)


def solve(target: Board | System, *modes: LoweredMode, time_limit: float = 20.0) -> tuple[Allocation | None, Diagnostics]:
    system = target if isinstance(target, System) else system_of(target, 1_000_000, modes)
    diagnostics = Diagnostics()
    return bench.allocate(system, modes, diagnostics, time_limit), diagnostics


def only(target: Board | System, lowered: LoweredMode) -> ModeAllocation:
    allocation, diagnostics = solve(target, lowered)
    assert allocation is not None, diagnostics.reported
    system = target if isinstance(target, System) else system_of(target, 1_000_000, (lowered,))
    check(system, lowered, allocation.modes[0])
    return allocation.modes[0]


# An independent checker: point by point, straight from the rules.


def carried_times(carrier: Carrier, round_length: int) -> list[int]:
    if carrier.style is Style.MULTIPLEXED:
        return [t % round_length for t in carrier.demand.times]
    return [t for use in carrier.cells for t in range(use.progression.offset, round_length, use.progression.period)]


def must_precede(u: Sequence[ExpiryPoint], v: Sequence[ExpiryPoint]) -> bool:
    return any(a.at < b.at < a.window_end and a.object != b.object for a in u for b in v)


def points_of(carrier: Carrier, round_length: int) -> list[ExpiryPoint]:
    times = set(carried_times(carrier, round_length))
    return [p for p in carrier.demand.points if p.at % round_length in times]


def least_levels(
    groups: Sequence[Sequence[ExpiryPoint]], lowered: Sequence[bool], homes: Sequence[int] | None = None
) -> int | None:
    """``homes``: groups with the same have one level, and must not ask for one above themselves."""
    homes = homes if homes is not None else range(len(groups))
    level = dict.fromkeys(homes, 1)
    for _ in range(len(groups) + 1):
        changed = False
        for i, j in product(range(len(groups)), repeat=2):
            u, v = homes[i], homes[j]
            if i != j and not lowered[i] and level[v] <= level[u] and must_precede(groups[i], groups[j]):
                if u == v:
                    return None
                level[v] = level[u] + 1
                changed = True
        if not changed:
            return max(level.values(), default=0)
    return None


def asked(members: Sequence[tuple[Demand, int]]) -> int:
    """What the handler asks of a source that these share, with so many cells each: the least time first, then the most often."""
    order = sorted(members, key=lambda m: (min(p.window_end - p.at for p in m[0].points), -len(m[0].points)))
    return sum(COSTS.ask * len(d.points) * sum(n for _, n in order[: k + 1]) for k, (d, _) in enumerate(order))


def gathered(result: ModeAllocation) -> list[list[Carrier]]:
    """The activations and re-enable points that share a source, in the order in which it asks them."""
    own = [c for c in result.carriers if c.action.gathers]
    sources = sorted({c.source for c in own if sum(o.source == c.source for o in own) > 1})
    return [sorted((c for c in own if c.source == s), key=lambda c: c.turn) for s in sources]


def check(system: System, lowered: LoweredMode, result: ModeAllocation) -> None:
    target, length = system.board, lowered.round_length
    used: set[tuple[int, int]] = set()
    table = next((c for c in result.carriers if isinstance(c.action, Dispatch)), None)
    tabled = check_table(lowered, result, table) if table is not None else []
    owner: dict[int, Demand] = {}
    for group in gathered(result):
        array_ = group[0].cells[0].cell.array
        assert Capability.ASK in array_.family.can
        assert array_.acknowledge
        assert len({c.role for c in group}) == len({c.level for c in group}) == 1
        assert all(c.style is Style.DIRECT for c in group)
        assert all(sum(o.demand is c.demand for o in result.carriers) == 1 for c in group)
        assert [c.turn for c in group] == list(range(len(group)))
    shared_sources = {c.source for group in gathered(result) for c in group}
    for carrier in result.carriers:
        if carrier.source in shared_sources:
            pass
        elif carrier.role is not Role.DEADLINE:
            assert owner.setdefault(carrier.source, carrier.demand) is carrier.demand
        beside = [c for c in result.carriers if c.source == carrier.source]
        if len(beside) > 1 and carrier.source not in shared_sources:
            own = carrier.cells[0].cell.array
            assert Capability.ASK in own.family.can
            assert own.request_enable == "cell"
            assert all(c.role is Role.DEADLINE and c.style is Style.DIRECT and len(c.cells) == 1 for c in beside)
        for use in carrier.cells:
            cell, hz = use.cell, use.cell.array.hz or system.clock_hz
            number = next(i for i, a in enumerate(target.cells) if a is cell.array)
            assert carrier.role in cell.array.roles
            assert cell.count == cell.array.needed(carrier.role, carrier.style is Style.MULTIPLEXED)
            for index in range(cell.index, cell.index + cell.count):
                assert cell.array.sources[index] == carrier.source
                assert (number, index) not in used
                used.add((number, index))
            assert use.prescaler in cell.array.prescalers
            assert use.units_per_tick * system.clock_hz * use.prescaler == hz
            spans = [use.progression.offset, target.lead, target.start_spacing]
            limit = 2**cell.array.width - 1
            assert use.units(target.lead + use.progression.offset) <= limit
            assert length % use.progression.period == 0
            if carrier.style is Style.DIRECT:
                assert use.units(use.progression.period) <= limit
                assert use.progression.period >= cell.array.min_period(system.clock_hz)
            else:
                times = sorted({t % length for t in carrier.demand.times}) if carrier is table else carrier.demand.times
                gaps = [b - a for a, b in zip(times, [*times[1:], times[0] + length], strict=True)]
                spans += gaps
                assert len(times) >= 2 or carrier is table
                assert min(gaps) >= cell.array.min_rearm_ticks
                assert cell.array.rearm is not Rearm.NONE
                assert carrier.role is not Role.ACTIVATION or carrier.demand.bounded
                assert carrier.role is not Role.DEADLINE or system.on_deadline_miss is OnDeadlineMiss.SHUTDOWN
                if cell.array.rearm is Rearm.SHIFT:
                    assert use.units(length) <= limit
                else:
                    assert max(map(use.units, gaps)) <= limit
            assert all(use.units(span) >= 0 for span in spans)
    for wanted in lowered.demands:
        carriers = [c for c in result.carriers if c.demand is wanted]
        if any(wanted is u for u in result.unmonitored):
            assert not wanted.required
            assert not carriers
            continue
        if any(wanted is t for t in tabled):
            assert not carriers
            continue
        assert sorted(t for c in carriers for t in carried_times(c, length)) == sorted(t % length for t in wanted.times)
        assert len({(c.style, c.lowered) for c in carriers}) == 1

    activations = [c for c in result.carriers if c.role is Role.ACTIVATION]
    others = [c for c in result.carriers if c.role is not Role.ACTIVATION and c is not table]
    groups = [points_of(c, length) for c in activations]
    for u, v in product(range(len(groups)), repeat=2):
        if u != v and not activations[u].lowered and must_precede(groups[u], groups[v]):
            assert activations[u].level < activations[v].level
    below = any(not i.above_tasks for i in system.interrupts)
    above = any(i.above_tasks for i in system.interrupts)
    needed = least_levels(groups, [c.lowered for c in activations], [c.source for c in activations])
    assert needed is not None
    highest = max((c.level for c in activations), default=below)
    shared = any(not c.demand.exclusive and c.forgets for c in activations)  # a level for a task may cost one more
    assert highest >= below + needed if shared else highest == below + needed
    assert min((c.level for c in activations), default=1 + below) >= 1 + below
    assert all(c.level == result.levels for c in others)
    under = max(highest, table.level) if table is not None else highest
    assert result.levels == under + above + bool(others)
    assert result.above_tasks_level == (under + 1 if above else 0)
    assert result.levels <= target.levels - (target.lowered_levels if any(c.lowered for c in activations) else 0)
    check_guards(result)
    keys = [(ROLES.index(c.role), min(u.progression.offset for u in c.cells)) for c in result.carriers]
    assert keys == sorted(keys)
    assert result.bound <= result.overhead
    assert result.optimal == (result.bound == result.overhead)
    assert result.overhead == instructions(
        lowered,
        [
            (c.demand, c.style, c.lowered, c.cells[0].cell.array, sum(o.demand is c.demand for o in result.carriers))
            for c in result.carriers
            if c is not table
        ]
        + [(d, Style.TABLE, False, target.cells[0], 0) for d in tabled],
    ) + sum(asked([(c.demand, len(c.cells)) for c in group]) for group in gathered(result))


def check_table(lowered: LoweredMode, result: ModeAllocation, table: Carrier) -> list[Demand]:
    """The demands whose points are in the table: all of each, only those that allow it, deadlines with their tasks."""
    points = list(table.demand.points)
    tabled = [d for d in lowered.demands if any(p is q for p in d.points for q in points)]
    assert sorted(map(id, points)) == sorted(id(p) for d in tabled for p in d.points)
    assert all(d.within for d in tabled)
    tasks = {d.object for d in tabled if d.role is Role.ACTIVATION}
    assert {d.object for d in tabled if d.role is Role.DEADLINE} <= tasks
    assert not any(c.demand.object in tasks for c in result.carriers if c is not table)
    order = [(p.at % lowered.round_length, p.action.order) for p in points]
    assert order == sorted(order)
    for carrier in (c for c in result.carriers if c.role is Role.ACTIVATION and not c.lowered):
        for p in points_of(carrier, lowered.round_length):
            if any(p.at < q.at % lowered.round_length < p.window_end for q in points):
                assert carrier.level < table.level
    if any(d.role is not Role.ACTIVATION for d in tabled):
        assert all(c.level < table.level for c in result.carriers if c.role is Role.ACTIVATION)
    assert table.lowered
    return tabled


def check_guards(result: ModeAllocation) -> None:
    """Of one task one activation runs and one waits: by the controller's rules, or by a guard."""
    for carrier in (c for c in result.carriers if c.role is Role.ACTIVATION):
        others = [c for c in result.carriers if c.demand is carrier.demand and c is not carrier]
        beside = any(c.source == carrier.source and c is not carrier for c in result.carriers)
        if not others:
            assert carrier.guard is ((Guard.FLAG if beside else Guard.HOLD) if carrier.lowered else Guard.NONE)
        elif carrier.guard is Guard.NONE:
            assert carrier.demand.exclusive
            assert not carrier.lowered
        elif carrier.guard is Guard.FORGET:
            assert {c.level for c in others} == {carrier.level}
            assert not carrier.lowered
            assert set(carrier.forgets) == {c.source for c in others}
        else:
            assert carrier.guard is Guard.FLAG
            assert set(carrier.forgets) == {c.source for c in [carrier, *others] if c.level <= carrier.level}
        assert all(c.guard is carrier.guard for c in others)


def instructions(lowered: LoweredMode, uses: Sequence[tuple[Demand, Style, bool, Cells, int]]) -> int:
    """The cost of carriers by the table's words; those of one demand must be on one array here."""
    total = 0
    seen: list[Demand] = []
    for wanted, style, is_lowered, cells, sources in uses:
        if any(wanted is s for s in seen):
            continue
        seen.append(wanted)
        points = len(wanted.points)
        acts = sum(len(d.points) for d in lowered.demands if d.role is Role.ACTIVATION and d.object == wanted.object)
        if style is Style.TABLE:
            total += points * (COSTS.table_activation if wanted.role is Role.ACTIVATION else COSTS.table_check)
            continue
        shared = style is Style.MULTIPLEXED
        total += points * COSTS.multiplexed_reload * (shared and cells.rearm is Rearm.RELOAD)
        if wanted.role is Role.ACTIVATION:
            total += points * (
                COSTS.multiplexed_activation * shared
                + COSTS.lowered * is_lowered
                + COSTS.acknowledge * cells.acknowledge
                + COSTS.forget * (sources > 1 and not wanted.exclusive)
            )
        elif wanted.role is Role.DEADLINE:
            each = COSTS.multiplexed_deadline if shared else COSTS.wrapper_entry + COSTS.wrapper_end
            total += acts * each + points * COSTS.acknowledge * cells.acknowledge
        elif wanted.role is Role.ENABLE:
            total += points * (COSTS.multiplexed_enable if shared else COSTS.enable)
    return total


@st.composite
def small_cases(draw: st.DrawFn, tasks: int = 3, points: int = 3) -> tuple[System, LoweredMode]:
    length = draw(st.sampled_from([8, 12, 18]))
    demands = []
    for number in range(draw(st.integers(1, tasks))):
        name = f"t{number}"
        times = sorted(draw(st.sets(st.integers(0, length - 1), min_size=1, max_size=points)))
        limits = [*times[1:], length]
        ends = [draw(st.integers(at + 1, limit)) for at, limit in zip(times, limits, strict=True)]
        bounded = draw(st.booleans())
        if not bounded and draw(st.booleans()):
            ends = [length] * len(times)
        own = act(name, *zip(times, ends, strict=True), bounded=bounded)
        within = draw(st.sampled_from([0, 0, 5]))
        demands.append(replace(own, exclusive=draw(st.booleans()), within=within))
        if draw(st.integers(0, 3)) == 0:
            spots = sorted(set(ends))
            watched = demand(Role.DEADLINE, name, *spots, required=draw(st.booleans()))
            demands.append(replace(watched, within=within))
    demands.sort(key=lambda d: ROLES.index(d.role))
    cells = array(
        draw(st.integers(1, 3)) * 4,
        per_source=draw(st.sampled_from([1, 2, 4])),
        adjacent={Role.ACTIVATION: draw(st.sampled_from([1, 1, 2]))},
        acknowledge=draw(st.booleans()),
        rearm=draw(st.sampled_from([Rearm.SHIFT, Rearm.SHIFT, Rearm.NONE])),
        min_rearm_ticks=draw(st.sampled_from([1, 3])),
        min_period_ns=draw(st.sampled_from([0, 0, 5000])),
    )
    lowered = mode(length, *demands)
    target = board(cells, levels=draw(st.integers(2, 6)), lowered_levels=draw(st.sampled_from([0, 1])))
    system = system_of(target, 1_000_000, (lowered,))
    miss = draw(st.sampled_from([OnDeadlineMiss.SHUTDOWN, OnDeadlineMiss.CONTINUE]))
    return replace(system, on_deadline_miss=miss), lowered
