# SPDX-License-Identifier: Apache-2.0
"""Cells for counters and alarms: whatever is timed is carried by something that runs, or refused."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carillon.allocate.osek import TaskKind
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.model.osek import CounterKind
from carillon.pipeline import plan
from sample import few

BOARDS = [
    "ast1030-evb",
    "mps2-an385",
    "virtual-tiny",
    "virtual-256",
    "atmega128",
    "qemu-rv32-virt",
    "microbit",
    "raspberry-pi-pico",
]


@st.composite
def applications(draw: st.DrawFn) -> tuple[str, str]:
    """A board and a schedule with counters and alarms, most of them static."""
    board = draw(st.sampled_from(BOARDS))
    counters = draw(st.integers(1, 2))
    lines = ["[system]"]
    if not board.startswith(("atmega", "qemu-rv32")):
        for k in range(draw(st.integers(0, 2))):
            lines += [f"[task.r{k}]", 'period = "10ms"', f'offset = "{k}ms"', 'wcet = "100us"']
    for k in range(counters):
        lines += [f"[osek.counter.C{k}]", f'tick = "{k + 1}ms"']
    for k in range(draw(st.integers(1, 6))):
        lines += [f"[osek.task.T{k}]", f"priority = {k + 1}"]
        lines += [f"[osek.alarm.A{k}]", f'counter = "C{draw(st.integers(0, counters - 1))}"', f'activate = "T{k}"']
        lines += [f"autostart = {{ at = {draw(st.integers(1, 9))}, cycle = {draw(st.integers(0, 9))} }}"]
        lines += ["static = true"] if draw(st.integers(0, 3)) else []
    return board, "\n".join(lines)


@given(applications())
@settings(deadline=None, max_examples=few(60))
def test_every_alarm_has_a_cell_or_stands_in_the_queue_of_a_counter_that_ticks(case: tuple[str, str]) -> None:
    board, text = case
    with TemporaryDirectory() as folder:
        path = Path(folder) / "schedule.toml"
        path.write_text(text, encoding="utf-8")
        try:
            osek = plan(path, Diagnostics(), board).allocation.osek
        except CarillonError as error:
            assert all(d.code for d in error.diagnostics)
            return
    assert osek is not None
    carried = {alarm.name for alarm, _ in osek.alarms}
    ticking = {c.demand.name for c in osek.counters} | {c.name for c in osek.osek.counters if c.kind is CounterKind.SOFTWARE}
    assert all(a.name in carried or a.counter in ticking for a in osek.osek.alarms)
    together = {source for source, alarms in osek.joined.items() if len(alarms) > 1}
    sources = [c.source for c in osek.carriers if c.source not in together]
    assert len(set(sources)) == len(sources)
    cells = [cell.cell.name for c in osek.carriers for cell in c.cells]
    assert len(set(cells)) == len(cells)
    assert board != "raspberry-pi-pico" or all(source >= 16 for source in sources)  # no mask holds SysTick back


COUNTER = """
[osek.counter.Ms]
tick = "1ms"
[osek.task.T]
priority = 1
[osek.alarm.Y]
counter = "Ms"
activate = "T"
"""
CLOCK = '[osek]\n[time]\nclock = "periodic"\ntick = "2ms"'


@pytest.mark.parametrize(
    ("board", "wcet", "ticking", "found"),
    [
        (
            "virtual-tiny",
            "3ms",
            COUNTER,
            "counter 'Ms' loses ticks: tasks of the rounds hold its tick of 1ms back for up to 3ms,",
        ),
        ("virtual-tiny", "1ms", COUNTER, ""),
        ("virtual-256", "3ms", COUNTER, ""),
        (
            "virtual-tiny",
            "3ms",
            CLOCK,
            "the periodic clock loses ticks: tasks of the rounds hold its tick of 2ms back for up to 3ms, and 2ms is counted",
        ),
        ("virtual-tiny", "2ms", CLOCK, ""),
        ("virtual-256", "3ms", CLOCK, ""),
        ("virtual-256", "2ms", CLOCK, ""),
    ],
)
def test_ticks_that_the_rounds_tasks_are_known_to_lose_are_told(
    tmp_path: Path, board: str, wcet: str, ticking: str, found: str
) -> None:
    path = tmp_path / "schedule.toml"
    long = '[task.Long]\nwcet = "{}"\n[mode.m]\nround = "10ms"\nwindow = "wcet"\npoints = [{{ at = "1ms", activate = "Long" }}]\n'
    path.write_text(long.format(wcet) + ticking, encoding="utf-8")
    diagnostics = Diagnostics()
    plan(path, diagnostics, board)
    told = [d.cause for d in diagnostics.reported if d.code == "C196"]
    assert told[0].startswith(found) if found else not told


def test_a_clock_counts_the_schedules_own_ticks_if_it_can(tmp_path: Path) -> None:
    """On this board the least capable timer has a clock of its own, whose unit would be the unit of times in C."""
    path = tmp_path / "schedule.toml"
    path.write_text('[system]\nclock = "15625000Hz"\n[time]\nclock = "one-shot"\n[thread.Main]\npriority = 1\n', encoding="utf-8")
    osek = plan(path, Diagnostics(), "virtual-ast1030-evb").allocation.osek
    assert osek is not None
    assert osek.clock is not None
    assert osek.clock.tick == 1


SYSTEM = '[system]\nname = "app"\nboard = "{}"\nsources = []\n'
TWO = "[thread.A]\npriority = 1\n[thread.B]\npriority = 2\n"
PERIODIC = '[task.R]\nperiod = "10ms"\nwcet = "1ms"\n'
TASK = "[osek.task.A]\npriority = {}\n"


@pytest.mark.parametrize("board", ["microbit", "raspberry-pi-pico"])
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[time]\n" + TWO, ""),
        ("[osek]\n" + TASK.format(1), ""),
        ("[osek]\n" + "".join(TASK.format(k).replace(".A", f".A{k}") for k in (1, 2, 3)), ""),
        ('[osek]\nhooks = ["error"]\n' + TASK.format(1), ""),
        ('[time]\nslice = "1ms"\n' + TWO.replace("2", "1"), "threads take turns"),
        ('[time]\nslice = "1ms"\n' + TWO, ""),
        ('[osek]\nhooks = ["pretask"]\n' + TASK.format(1), "there are hooks of tasks"),
        ("[time]\n" + TWO + "[thread.C]\npriority = 3\n", "the controller has 3 levels for them, and they take 4"),
        (PERIODIC + "[osek]\n" + TASK.format(1), "there are rounds, too"),
    ],
)
def test_armv6m_dispatches_by_hardware_where_it_can(board: str, text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "schedule.toml"
    path.write_text(SYSTEM.format(board) + text, encoding="utf-8")
    osek = plan(path, Diagnostics()).allocation.osek
    assert osek is not None
    assert (osek.software, osek.why) == (bool(why), why)
    assert all(level.kind is TaskKind.MANAGED for level in osek.levels)
    path.write_text(SYSTEM.format(board) + text.replace("[osek]\n", '[osek]\ndispatch = "software"\n'), encoding="utf-8")
    osek = plan(path, Diagnostics()).allocation.osek
    assert osek is not None
    assert (osek.software, osek.why) == ((True, "") if "[osek]" in text else (bool(why), why))


INTERRUPT = '[interrupt.I{0}]\nsource = "soft{0}"\npriority = "above-tasks"\n'


@pytest.mark.parametrize("system", ["".join(INTERRUPT.format(k) for k in (0, 1, 2)), 'reserve = ["soft0", "soft1", "soft2"]\n'])
def test_armv6m_dispatches_by_software_where_few_sources_are_to_spare(system: str, tmp_path: Path) -> None:
    path = tmp_path / "schedule.toml"
    path.write_text(SYSTEM.format("raspberry-pi-pico") + system + "[time]\n" + TWO, encoding="utf-8")
    osek = plan(path, Diagnostics()).allocation.osek
    assert osek is not None
    assert osek.why == "each of the 2 priorities needs a source, and the board has 1 to spare"


def test_armv6m_dispatches_by_hardware_with_what_is_just_enough(tmp_path: Path) -> None:
    path = tmp_path / "schedule.toml"
    taken = "".join(INTERRUPT.format(k) for k in (0, 1))
    path.write_text(SYSTEM.format("raspberry-pi-pico") + taken + "[time]\n" + TWO, encoding="utf-8")
    osek = plan(path, Diagnostics()).allocation.osek
    assert osek is not None
    assert not osek.software


COUNTER = '[osek.counter.C]\ntick = "1ms"\n[osek.task.A]\npriority = 1\n'


@pytest.mark.parametrize(
    "text",
    [
        '[time]\nclock = "periodic"\ntick = "160us"\nlongest_lock = "100us"\n' + TWO,
        COUNTER + '[osek.alarm.Y]\ncounter = "C"\nactivate = "A"\nautostart = { at = 5, cycle = 5 }\nstatic = true\n',
        COUNTER + '[osek.alarm.Y]\ncounter = "C"\nactivate = "A"\n',
    ],
)
def test_what_masks_must_hold_back_is_not_on_systick_of_armv6m(text: str, tmp_path: Path) -> None:
    path = tmp_path / "schedule.toml"
    path.write_text(SYSTEM.format("raspberry-pi-pico") + text, encoding="utf-8")
    osek = plan(path, Diagnostics()).allocation.osek
    assert osek is not None
    assert "SysTick" not in [cell.cell.name for carrier in osek.carriers for cell in carrier.cells]
    assert osek.base is None or osek.base.array.family.name != "systick"
