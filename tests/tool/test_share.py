# SPDX-License-Identifier: Apache-2.0
"""One allocation for rounds and what is event-triggered: no other way to give out the cells is better, and none is missed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from carillon.actions.costs import cost_table
from carillon.allocate import whole
from carillon.allocate.claims import CLOCK, SECONDS, Claim, Claims, Form, Way
from carillon.allocate.conflict import feasible
from carillon.allocate.fit import Source
from carillon.allocate.groups import GroupClass
from carillon.allocate.osek import OsekAllocation
from carillon.allocate.problem import Problem
from carillon.allocate.rounds import RoundAllocator
from carillon.allocate.share import Beside, Shares, Value, conflict, share, share_beside
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.pipeline import Planned, plan
from sample import few

COSTS = cost_table("host")

# Shares of claims, against all of them one after the other.


@st.composite
def claims(draw: st.DrawFn) -> Claims:
    """A few claims of a few classes of groups."""
    kinds = draw(st.integers(1, 3))
    sizes = [draw(st.integers(0, 2)) for _ in range(kinds)]
    groups = tuple(GroupClass(tuple((_source(),) for _ in range(n)), draw(st.sampled_from([0, 2, 3]))) for n in sizes)
    numbers = st.integers(0, 9)

    def on_cells(form: Form, least: int = 0) -> list[Way]:
        able = draw(st.lists(st.integers(0, kinds - 1), unique=True, max_size=kinds))
        return [Way(form, g, 0, least + draw(numbers), draw(st.integers(1, 2)), rank=n) for n, g in enumerate(able)]

    names = ["C0", "C1"][: draw(st.integers(1, 2))]
    found = [Claim(name, None, tuple(on_cells(Form.CELL)), draw(st.booleans()), name) for name in names]
    counters = tuple(range(len(found)))
    if draw(st.booleans()):
        found.append(Claim("clock", None, tuple(on_cells(Form.CELL)), True))
    base = None
    if draw(st.booleans()):
        base = len(found)
        found.append(Claim("base", None, (*on_cells(Form.CELL), Way(Form.NOTHING, missing=1)), False))
    first = len(found)
    for k in range(draw(st.integers(0, 3))):
        level = draw(st.sampled_from([0, 1, 1, 2, 2]))
        ways = on_cells(Form.CELL, 20)
        ways += [replace(w, form=Form.JOINED, rate=w.rate + 3) for w in ways if groups[w.group].asked > 1]
        if level == 1:
            ways += on_cells(Form.VECTOR)
        if level == 2:
            ways += on_cells(Form.OWN)
        counter, does = draw(st.sampled_from(names)), draw(st.sampled_from("xy"))
        queue = Way(Form.QUEUE, rate=50)
        found.append(Claim(f"A{k}", None, (*ways, queue), True, counter, level if ways else 0, does))
    held = draw(st.booleans())
    long_enough = [_long_enough(draw, names) for _ in range(kinds)]
    return Claims(
        groups,
        tuple(found),
        counters,
        tuple(range(first, len(found))),
        base,
        draw(st.integers(0, 3)),
        draw(st.integers(0, 3)),
        tuple(draw(st.integers(0, 1)) for _ in range(kinds)),
        {name: draw(numbers) for name in names},
        lambda g, ticking: ticking in long_enough[g],
        held,
    )


def _long_enough(draw: st.DrawFn, names: list[str]) -> set[frozenset[str]]:
    """What a class of groups is long enough for as the time base: for counters, then for fewer, and the clock beside them."""
    least = [frozenset(some) for some in _subsets(names) if some and draw(st.booleans())]
    counted = [frozenset(some) for some in _subsets(names) if some and any(set(some) <= enough for enough in least)]
    alone = [frozenset({CLOCK})] if draw(st.booleans()) else []
    return {*counted, *(some | {CLOCK} for some in counted), *alone}


def _subsets(names: list[str]) -> Iterator[list[str]]:
    for chosen in product([False, True], repeat=len(names)):
        yield [name for name, taken in zip(names, chosen, strict=True) if taken]


def _source() -> Source:
    return Source(1, None, ())  # type: ignore[arg-type]  # nobody asks for its cells


def every_way(problem: Claims) -> list[tuple[tuple[int, int, int], tuple[int, ...]]]:
    """What each admissible way to give out the groups costs, and how many of each class it takes."""
    found = []
    ways_of = []
    for k, claim in enumerate(problem.all):
        optional = k in problem.counters and not claim.must
        ways_of.append([*claim.ways, Way(Form.NOTHING)] if optional else list(claim.ways))
    levels = [range(len(g.groups) + 1) if usable else range(1) for g, usable in zip(problem.groups, problem.usable, strict=True)]
    for ways in product(*ways_of):
        ticking = {problem.all[k].name for k in problem.counters if ways[k].form is Form.CELL}
        alarms = [(problem.all[k], ways[k]) for k in problem.alarms]
        queued = {claim.counter for claim, way in alarms if way.form is Form.QUEUE}
        must = {problem.all[k].name for k in problem.counters if problem.all[k].must}
        if not queued <= ticking or not ticking <= queued | must:
            continue
        vectors = Counter(claim.level for claim, way in alarms if way.form is Form.VECTOR)
        own = {(claim.level, claim.does) for claim, way in alarms if way.form is Form.OWN}
        if any(n > 1 for n in vectors.values()) or len({level for level, _ in own}) < len(own):
            continue
        ticking |= {CLOCK} if problem.held else set()
        missing = 0
        rate = sum(w.rate for w in ways)
        if problem.base is not None:
            base = ways[problem.base]
            if base.form is Form.CELL and (not ticking or not problem.base_fits(base.group, frozenset(ticking))):
                continue
            if base.form is Form.NOTHING and ticking:
                missing = 1
                rate += sum(problem.alone.get(name, 0) for name in ticking)
        taken = Counter(w.group for w in ways if w.group >= 0 and w.form is not Form.JOINED)
        for g, n in Counter(w.group for w in ways if w.form is Form.JOINED).items():
            taken[g] += -(-n // problem.groups[g].asked)
        for more in product(*levels):
            total = tuple(taken[g] + n for g, n in enumerate(more))
            if any(n > len(g.groups) for n, g in zip(total, problem.groups, strict=True)):
                continue
            if sum(vectors.values()) + problem.plain + sum(more) < problem.sources:
                continue
            found.append(((missing, rate, sum(w.cells for w in ways) + sum(more)), total))
    return found


def beside(least: Value = (0, 0), tried: tuple[tuple[Shares, Value | None], ...] = ()) -> Beside:
    """Modes of which nothing is known but what they come to on what some shares leave."""
    return Beside(1, (), (), least, tried, 1e9)


@given(claims(), st.data())
@settings(deadline=None, max_examples=few(120))
def test_shares_are_the_best_and_those_after_them_too(problem: Claims, data: st.DataObject) -> None:
    """What modes come to is drawn: never less than on the whole board, nor less where more is taken."""
    possible = every_way(problem)
    values = st.tuples(st.integers(0, 2), st.integers(0, 30))
    least = data.draw(values)
    tried: list[tuple[Shares, Value | None]] = []

    def of_modes(taken: tuple[int, ...]) -> Value | None:
        """The modes' least; None where it is known that there is no allocation."""
        known = [v for shares, v in tried if all(a >= b for a, b in zip(taken, shares.taken, strict=True))]
        return None if None in known else max([least, *(v for v in known if v is not None)])

    assert (share(problem) is None) == (not possible)
    for _ in range(4):
        left = []
        for (missing, rate, cells), taken in possible:
            modes = of_modes(taken)
            if modes is not None and all(taken != shares.taken for shares, _ in tried):
                left.append((missing + modes[0], rate + modes[1], cells, taken))
        found = share_beside(problem, beside(least, tuple(tried)))
        assert found.proved
        assert (found.shares is None) == (not left)
        if found.shares is None:
            break
        missing, rate, cells, _ = min(left)
        assert found.least == (missing, rate)
        assert (*found.least, found.shares.cells, found.shares.taken) in left
        assert found.shares.cells == cells
        worse = of_modes(found.shares.taken)
        assert worse is not None
        value = data.draw(st.one_of(st.none(), values))
        tried.append((found.shares, None if value is None else max(value, worse)))


@given(claims())
@settings(deadline=None, max_examples=few(300))
def test_a_conflict_names_no_claim_too_many(problem: Claims) -> None:
    if every_way(problem):
        return
    levels = len(problem.all)
    kept, _ = conflict(problem)
    assert all(k == levels or problem.all[k].must for k in kept)
    assert not every_way(problem.only(kept, levels in kept))
    for left_out in kept:
        rest = [k for k in kept if k != left_out]
        assert every_way(problem.only(rest, levels in rest)), left_out


@pytest.mark.parametrize(("form", "least"), [(Form.VECTOR, 20), (Form.OWN, 20)])
def test_of_a_level_one_cell_is_the_vector_and_handlers_do_the_same(form: Form, least: int) -> None:
    ways = (Way(form, 0), Way(Form.CELL, 0, rate=20), Way(Form.QUEUE, rate=50))
    alarms = tuple(Claim(name, None, ways, True, "S", 1, name) for name in ("A", "B"))
    problem = Claims((GroupClass(((_source(),),) * 2),), alarms, (), (0, 1), None, 0, 0, (0,), {}, lambda *_: True, False)
    for found in (share(problem), share_beside(problem, beside()).shares):
        assert found is not None
        assert found.rate == least


def test_shares_that_were_tried_are_not_the_same_with_a_group_more_that_nobody_has() -> None:
    """Two groups whose handlers can ask two alarms each, and one alarm: it has one of them."""
    alarm = Claim("A", None, (Way(Form.JOINED, 0, rate=3, cells=1),), True)
    groups = (GroupClass(((_source(),),) * 2, 2),)
    problem = Claims(groups, (alarm,), (), (0,), None, 0, 0, (0,), {}, lambda *_: True, False)
    found = share(problem)
    assert found is not None and found.taken == (1,)
    assert share_beside(problem, beside(tried=((found, (0, 0)),))).shares is None


def test_an_alarm_that_is_the_vector_of_its_level_belongs_to_the_conflict() -> None:
    """One group: the level has no source but the alarm's cell, and another alarm's counter needs the group."""
    cell, queue = Way(Form.CELL, 0, cells=1), Way(Form.QUEUE, rate=50)
    counter = Claim("C", None, (cell,), False, "C")
    wakes = Claim("wakes", None, (Way(Form.VECTOR, 0, cells=1), queue), True, "C", 1, "x")
    waits = Claim("waits", None, (queue,), True, "C", 0, "x")
    group = GroupClass(((_source(),),))
    problem = Claims((group,), (counter, wakes, waits), (0,), (1, 2), None, 1, 0, (0,), {"C": 0}, lambda *_: False, False)
    assert share(problem) is None
    assert conflict(problem)[0] == [1, 2, 3]


def test_a_base_too_short_for_the_clock_alone_may_do_for_a_counter() -> None:
    cell, queue = Way(Form.CELL, 0, cells=1), Way(Form.QUEUE, rate=50)
    counter = Claim("C", None, (cell,), False, "C")
    base = Claim("base", None, (cell, Way(Form.NOTHING, missing=1)), False)
    alarm = Claim("A", None, (replace(cell, rate=20), queue), True, "C")
    group = GroupClass(((_source(),),) * 3)
    problem = Claims((group,), (counter, base, alarm), (0,), (2,), 1, 0, 0, (0,), {"C": 7}, lambda _, t: "C" in t, True)
    found = share(problem)
    assert found is not None
    assert (found.missing, found.rate, found.ticking) == (0, 50, {"C", CLOCK})


# Rounds beside what is event-triggered.

BOARD = """
name = "odd"
summary = "a wide and a narrow cell, with more of each if a test wants them"
port = "host"
levels = 8
sources = 24
application_sources = {{ ext0 = 20, ext1 = 21, ext2 = 22 }}
idle = "sleep"

[[clocks]]
hz = 1_000_000
instructions_per_tick = 0

{cells}

[build]
compiler = "cc"
cflags = ["-no-pie", "-fno-pie"]
ldflags = ["-no-pie"]
packages = ["gcc"]

[run]
kind = "native"
"""

ARRAY = """
[[cells]]
family = "virtual"
names = [{names}]
sources = [{sources}]
width = {width}
roles = [{roles}]
prescalers = [{prescalers}]
start = "group"
rearm = "{rearm}"
"""

HZ = 1_000_000 * SECONDS

ALL_ROLES = '"activation", "deadline", "control", "enable", "system"'


def board(folder: Path, *arrays: tuple[int, int, str, bool]) -> Path:
    """A board of arrays, each as (cells, width, roles, whether they can be re-armed)."""
    texts, number = [], 1
    for count, width, roles, rearm in arrays:
        sources = range(number, number + count)
        number += count
        texts.append(
            ARRAY.format(
                names=", ".join(f'"T{n}"' for n in sources),
                sources=", ".join(map(str, sources)),
                width=width,
                roles=roles,
                prescalers="1",
                rearm="shift" if rearm else "none",
            )
        )
    path = folder / "odd.toml"
    path.write_text(BOARD.format(cells="\n".join(texts)), encoding="utf-8")
    return path


def planned(folder: Path, text: str, its_board: Path) -> Planned:
    path = folder / "schedule.toml"
    path.write_text(text, encoding="utf-8")
    return plan(path, Diagnostics(), str(its_board))


COUNTED = """
[task.Slow]
period = "1s"
[osek.task.Low]
priority = 1
[osek.counter.Ms]
tick = "1ms"
[osek.alarm.A]
counter = "Ms"
activate = "Low"
"""


def test_a_counter_leaves_the_only_wide_cell_to_the_round(tmp_path: Path) -> None:
    wide_first = board(tmp_path, (1, 32, '"activation"', False), (1, 16, ALL_ROLES, True))
    result = planned(tmp_path, COUNTED, wide_first)
    (mode,) = result.allocation.modes
    assert [c.source for c in mode.carriers] == [1]
    assert result.allocation.osek is not None
    assert [c.source for c in result.allocation.osek.counters] == [2]


def test_who_gets_no_cell_beside_the_rounds_is_told(tmp_path: Path) -> None:
    one = board(tmp_path, (1, 32, ALL_ROLES, True))
    with pytest.raises(CarillonError) as caught:
        planned(tmp_path, COUNTED, one)
    (said,) = caught.value.diagnostics
    assert said.code == "C162"
    assert said.cause == "no cell of board 'odd' can tick counter 'Ms' every 1000 ticks beside the activations of 'Slow'"


def test_a_search_that_ends_too_early_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cells suffice, so nothing is to be said of a claim that has none."""
    monkeypatch.setattr(whole, "MOST_UNPROVED", 0)
    monkeypatch.setattr(whole._Search, "_try", lambda _self, _shares: None)
    with pytest.raises(CarillonError) as caught:
        planned(tmp_path, COUNTED, board(tmp_path, (1, 32, ALL_ROLES, True), (1, 16, ALL_ROLES, True)))
    (said,) = caught.value.diagnostics
    assert said.code == "C063"
    assert said.cause.startswith("rounds and what is event-triggered: no allocation was found within a limit of 20 s")


@st.composite
def systems(draw: st.DrawFn) -> tuple[str, tuple[tuple[int, int, str, bool], ...]]:
    """A schedule of rounds and alarms, and the cells of its board."""
    roles = st.sampled_from(['"activation"', '"activation", "deadline"', ALL_ROLES])
    arrays = tuple(
        (draw(st.integers(1, 2)), draw(st.sampled_from([16, 32])), draw(roles), draw(st.booleans()))
        for _ in range(draw(st.integers(2, 3)))
    )
    lines = []
    if draw(st.booleans()):  # all that is event-triggered has the same cells in both modes
        for name, length in (("one", 10), ("two", draw(st.sampled_from([20, 100])))):
            lines += [f"[mode.{name}]", f'round = "{length}ms"', "points = ["]
            for at in sorted(draw(st.lists(st.integers(0, 8), min_size=1, max_size=3, unique=True))):
                lines += [f'  {{ at = "{at}ms", activate = "r{at % 2}" }},']
            lines += ["]"]
        lines += ["[task.r0]", "[task.r1]"]
    else:
        for k in range(draw(st.integers(1, 2))):
            period = draw(st.sampled_from([5, 10, 100]))
            lines += [f"[task.r{k}]", f'period = "{period}ms"', f'offset = "{k}ms"', 'wcet = "100us"', 'overrun = "never"']
            monitor = draw(st.sampled_from(["", "if-cells-allow", "always"]))
            lines += [f'deadline = "{draw(st.integers(1, 4))}ms"', f'monitor = "{monitor}"'] if monitor else []
    for k in range(draw(st.integers(1, 2))):
        lines += [f"[osek.counter.C{k}]", f'tick = "{k + 1}ms"']
    for k in range(draw(st.integers(1, 3))):
        lines += [f"[osek.task.T{k}]", f"priority = {k + 1}"]
        lines += [f"[osek.alarm.A{k}]", f'counter = "C{draw(st.integers(0, 1)) if "[osek.counter.C1]" in lines else 0}"']
        lines += [f'activate = "T{draw(st.integers(0, k))}"']
        lines += [f"autostart = {{ at = {draw(st.integers(1, 9))}, cycle = {draw(st.integers(1, 9))} }}"]
        lines += ["static = true"] if draw(st.booleans()) else []
    return "\n".join(lines), arrays


TWO_PARTS = """
[mode.one]
round = "10ms"
points = [{ at = "0ms", activate = "r0" }]
[mode.two]
round = "20ms"
points = [{ at = "0ms", activate = "r0" }]
[task.r0]
[osek.counter.C0]
tick = "1ms"
[osek.task.T0]
priority = 1
[osek.alarm.A0]
counter = "C0"
activate = "T0"
autostart = { at = 1, cycle = 1 }
[osek.task.T1]
priority = 2
[osek.alarm.A1]
counter = "C0"
activate = "T1"
autostart = { at = 1, cycle = 1 }
"""


@example((TWO_PARTS, ((2, 32, '"activation"', False), (1, 16, '"activation"', False), (1, 16, ALL_ROLES, False))))
@given(systems())
@settings(deadline=None, max_examples=few(25))
def test_no_sources_given_to_alarms_leave_a_better_whole(
    tmp_path_factory: pytest.TempPathFactory, case: tuple[str, tuple[tuple[int, int, str, bool], ...]]
) -> None:
    """Whatever set of sources is kept from the rounds, the event-triggered system being what it is on these alone."""
    text, arrays = case
    folder = tmp_path_factory.mktemp("odd")
    its_board = board(folder, *arrays)
    try:
        result = planned(folder, text, its_board)
    except CarillonError:
        result = None
    numbers = range(1, 1 + sum(array[0] for array in arrays))
    best = None
    for kept in product([False, True], repeat=len(numbers)):
        mine = frozenset(n for n, taken in zip(numbers, kept, strict=True) if taken)
        merit = merit_on(folder, its_board, mine, frozenset(numbers) - mine)
        if merit is not None and (best is None or merit < best):
            best = merit
    if result is None:
        assert best is None
    else:
        modes = sum(m.overhead * HZ / m.mode.round_length for m in result.allocation.modes)
        unmonitored = sum(len(d.points) for m in result.allocation.modes for d in m.unmonitored)
        assert result.allocation.osek is not None
        missing, rate = cost(result.allocation.osek)
        assert best is not None
        assert (unmonitored + missing, rate + modes) == pytest.approx(best, abs=20)


SHORT = (
    TWO_PARTS.replace("cycle = 1", "cycle = 2", 1),
    ((1, 32, ALL_ROLES, True), (1, 16, '"activation"', False)),
)


@example(SHORT)
@given(systems())
@settings(deadline=None, max_examples=few(25))
def test_a_conflict_of_rounds_and_alarms_names_nothing_too_many(
    tmp_path_factory: pytest.TempPathFactory, case: tuple[str, tuple[tuple[int, int, str, bool], ...]]
) -> None:
    """What it names fits on no sources that are kept from the rounds, and without any one of it on some."""
    from carillon.allocate.claims import ClaimBuilder
    from carillon.allocate.rounds import RoundAllocator
    from carillon.allocate.tasks import plan_tasks
    from carillon.lower.events import lower_events
    from carillon.lower.lower import lower
    from carillon.pipeline import read_and_check

    text, arrays = case
    folder = tmp_path_factory.mktemp("odd")
    its_board = board(folder, *arrays)
    (folder / "schedule.toml").write_text(text, encoding="utf-8")
    said = Diagnostics()
    try:
        system = read_and_check(folder / "schedule.toml", said, str(its_board))
    except CarillonError:
        return
    tasks = plan_tasks(system, said)
    if tasks is None:
        return
    rounds = RoundAllocator(system, lower(system), below=tasks.hardware_levels)
    problems, control = rounds.problems(tasks.sources), rounds.control_classes(tasks.sources)
    claims = ClaimBuilder(system, lower_events(system), tasks).build()
    if problems is None or share_beside(claims, Beside(1, tuple((p.without_levels, 1) for p in problems), control)).shares:
        return
    numbers = frozenset(range(1, 1 + sum(array[0] for array in arrays)))

    def left(problem: Problem, kept: list[int], sources: frozenset[int]) -> bool:
        classes = [replace(c, sources=tuple(s for s in c.sources if s.number in sources)) for c in problem.classes]
        return feasible(replace(problem.part(kept), classes=tuple(classes)).without_levels)

    def fits(own: list[int], demands: list[list[int]]) -> bool:
        for taken in product([False, True], repeat=len(numbers)):
            mine = frozenset(n for n, is_taken in zip(sorted(numbers), taken, strict=True) if is_taken)
            groups = [tuple(group for group in kind.groups if mine.issuperset(s.number for s in group)) for kind in claims.groups]
            on_mine = replace(claims, groups=tuple(map(GroupClass, groups, (kind.asked for kind in claims.groups))))
            if share(on_mine.only(own, len(claims.all) in own)) is None:
                continue
            switches = [s.number for c in control for s in problems[0].classes[c].sources if s.number not in mine] or [0]
            for switch in switches if control else [0]:
                rest = numbers - mine - {switch}
                if (not control or switch) and all(left(p, ds, rest) for p, ds in zip(problems, demands, strict=True)):
                    return True
        return False

    own, demands = conflict(claims, problems, control)
    assert not fits(own, demands)
    for k in own:
        assert fits([other for other in own if other != k], demands), k
    for mode, kept in enumerate(demands):
        for d in kept:
            fewer = [[e for e in ds if (m, e) != (mode, d)] for m, ds in enumerate(demands)]
            assert fits(own, fewer), (mode, d)


def merit_on(folder: Path, its_board: Path, mine: frozenset[int], rounds: frozenset[int]) -> tuple[int, float] | None:
    """What is missing, and instructions a second, with some sources for the rounds and the others for what is event-triggered."""
    from carillon.allocate.claims import ClaimBuilder
    from carillon.allocate.tasks import plan_tasks
    from carillon.lower.events import lower_events
    from carillon.lower.lower import lower
    from carillon.pipeline import read_and_check

    said = Diagnostics()
    system = read_and_check(folder / "schedule.toml", said, str(its_board))
    tasks = plan_tasks(system, said)
    if tasks is None:
        return None
    found = share(ClaimBuilder(system, lower_events(system), tasks, rounds).build())
    rounds = RoundAllocator(system, lower(system), below=tasks.hardware_levels)
    modes = rounds.allocate(tasks.sources | mine, said)
    if found is None or modes is None or said.errors:
        return None
    rate = sum(m.overhead * HZ / m.mode.round_length for m in modes.modes)
    return found.missing + sum(len(d.points) for m in modes.modes for d in m.unmonitored), found.rate + rate


def cost(osek: OsekAllocation) -> tuple[int, float]:
    """What is missing of an allocation, and its instructions a second, counted from what it says."""
    rate = 0.0
    for counter in osek.counters:
        if counter != osek.first_part(counter):
            continue  # it has what everything else has left, and is in no share
        rate += (COSTS.tick if osek.base is not None else COSTS.tick_alone) * HZ / counter.demand.period
    carried = {alarm.name: carrier for alarm, carrier in osek.alarms}
    for alarm in osek.osek.alarms:
        assert alarm.autostart is not None
        period = alarm.autostart.cycle * osek.osek.counter(alarm.counter).tick
        on = carried.get(alarm.name)
        handler = COSTS.handled if on is not None and on.task_level else COSTS.handled_apart
        each = COSTS.queued if on is None else 0 if on.direct else handler
        rate += each * HZ / period
    return int(bool(osek.counters) and osek.base is None), rate
