# SPDX-License-Identifier: Apache-2.0
"""A remedy that a refused allocation names is true: who does what it says gets a plan, or another refusal."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_share import ALL_ROLES, board, planned

from carillon.diagnostics import CarillonError, Diagnostics, Severity
from carillon.model.giotto import Machine
from carillon.pipeline import plan

ROUND = """
[system]
name = "remedies"
board = "{board}"
{system}
[task.A]
{task}
[mode.m]
round = "70000 ticks"
{mode}
points = [
  {{ at = "1000 ticks", activate = "A"{first} }},
  {{ at = "11000 ticks", activate = "A"{second} }},
  {{ at = "31000 ticks", activate = "A"{third} }},
]
"""
NONE = ("", "", "")
ONE = tuple(f', deadline_at = "{at} ticks"' for at in (11000, 31000, 69000))
SOME = ("", *ONE[1:])
TWO = (', deadline_at = ["5000 ticks", "11000 ticks"]', *ONE[1:])


def remedy_of(tmp_path: Path, deadlines: tuple[str, ...], board: str = "virtual-tiny", **keys: str) -> str:
    """What a refusal of the round says to do; empty of one that is planned."""
    given = {"system": "", "task": "", "mode": ""} | keys
    path = tmp_path / "schedule.toml"
    first, second, third = deadlines
    path.write_text(ROUND.format(board=board, first=first, second=second, third=third, **given), encoding="utf-8")
    try:
        plan(path, Diagnostics())
    except CarillonError as refused:
        (error,) = refused.diagnostics
        assert error.code == "C060"
        return error.remedy
    return ""


def test_activations_share_a_cell_with_deadlines_or_with_windows_by_wcets(tmp_path: Path) -> None:
    """A WCET alone ends no window, and neither does a deadline that nothing watches."""
    advice = 'give each activation an "always" deadline that is not after the next one, or write window = "wcet" and every WCET'
    assert advice in remedy_of(tmp_path, NONE)
    assert advice in remedy_of(tmp_path, NONE, task='wcet = "20 ticks"')
    assert advice in remedy_of(tmp_path, ONE, task='monitor = "never"')
    assert not remedy_of(tmp_path, NONE, task='wcet = "20 ticks"', mode='window = "wcet"')
    assert not remedy_of(tmp_path, ONE)


@pytest.mark.parametrize(
    ("deadlines", "system", "advice"),
    [(SOME, "", "give each activation a deadline"), (ONE, 'on_deadline_miss = "continue"', 'on_deadline_miss = "shutdown"')],
)
def test_deadlines_share_a_cell_after_what_the_refusal_says(
    tmp_path: Path, deadlines: tuple[str, ...], system: str, advice: str
) -> None:
    ends = {"task": 'wcet = "20 ticks"', "mode": 'window = "wcet"'}
    assert advice in remedy_of(tmp_path, deadlines, system=system, **ends)
    assert not remedy_of(tmp_path, ONE)
    assert not remedy_of(tmp_path, TWO)


def test_nothing_is_to_share_a_cell_that_cannot_be_re_armed(tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "boards/virtual-tiny/board.toml"
    (tmp_path / "board.toml").write_text(source.read_text(encoding="utf-8").replace('"shift"', '"none"'), encoding="utf-8")
    for system in ("", 'on_deadline_miss = "continue"'):
        remedy = remedy_of(tmp_path, NONE, board=str(tmp_path / "board.toml"), system=system)
        assert remedy and "share a cell (" not in remedy


THREE = """
[system]
name = "three"
board = "{}"
[task.A]
period = "{}"
[task.B]
period = "{}"
offset = "0.5ms"
[task.C]
period = "{}"
offset = "1ms"
"""
ALARMS = """
[system]
name = "three"
board = "{}"
[osek.counter.Time]
tick = "500us"
max_allowed = 65535
[osek.task.A]
priority = 1
[osek.task.B]
priority = 1
[osek.task.C]
priority = 1
[osek.alarm.ToA]
counter = "Time"
activate = "A"
autostart = {{ at = 1, cycle = {} }}
[osek.alarm.ToB]
counter = "Time"
activate = "B"
autostart = {{ at = 2, cycle = {} }}
[osek.alarm.ToC]
counter = "Time"
activate = "C"
autostart = {{ at = 3, cycle = {} }}
"""


@pytest.mark.parametrize(
    ("board", "code", "periods"),
    [
        ("arduino-uno", "C060", (2, 2, 2)),
        ("virtual-tiny", "C060", (2, 2, 2)),
        ("virtual-tiny", "C061", (330, 470, 310)),
    ],
)
def test_alarms_start_tasks_that_no_cells_can(tmp_path: Path, board: str, code: str, periods: tuple[int, int, int]) -> None:
    """Three tasks on two cells, and a round that no cell can count; as tasks that alarms activate, both are planned."""
    path = tmp_path / "schedule.toml"
    path.write_text(THREE.format(board, *(f"{period}ms" for period in periods)), encoding="utf-8")
    with pytest.raises(CarillonError) as refused:
        plan(path, Diagnostics())
    (error,) = refused.value.diagnostics
    assert error.code == code
    assert (
        "; or let alarms start the tasks, which share one cell and take some code of the kernel: tasks of [osek]" in error.remedy
    )
    path.write_text(ALARMS.format(board, *(2 * period for period in periods)), encoding="utf-8")
    plan(path, Diagnostics())


# What is event-triggered beside rounds, on a board with as many cells as a test wants.

SLOW = '[task.Slow]\nperiod = "1s"\nwcet = "1ms"\noverrun = "never"\n'
WATCHED = 'deadline = "500ms"\nmonitor = "always"\n'
LOW = "[osek.task.Low]\npriority = 1\n"
HIGH = "[osek.task.High]\npriority = 2\n"
MS = '[osek.counter.Ms]\ntick = "1ms"\n'
TEN = '[osek.counter.Ten]\ntick = "10ms"\n'
LONG = '[osek.counter.Ms]\ntick = "70ms"\n'
WAKES = '[osek.alarm.{}]\ncounter = "{}"\nactivate = "{}"\n'
CYCLE = "autostart = {{ at = 1, cycle = {} }}\n"
STATIC = CYCLE + "static = true\n"
MAIN = "[thread.Main]\npriority = 1\n"
THREAD = MAIN.replace("Main", "Slow")
PERIODIC = MAIN + '[time]\nclock = "periodic"\ntick = "10ms"\n'
LONG_TICK = PERIODIC.replace("10ms", "70ms")
ONE_SHOT = MAIN + '[time]\nclock = "one-shot"\n'
UNIT = 'tick = "1us"\n'
SLICES = MAIN + MAIN.replace("Main", "Other") + '[time]\nclock = "one-shot"\nslice = "1ms"\n'
BUDGET = LOW + 'budget = "1ms"\n'
CELLED = '[osek]\nbudgets = "cell"\n' + BUDGET
FRAME = LOW + 'time_frame = "1ms"\n'
WIDE, TWO_WIDE = (1, 32, ALL_ROLES, True), (2, 32, ALL_ROLES, True)
NARROW, PLAIN = (1, 15, ALL_ROLES, True), (1, 32, '"activation"', False)
FOUR = (4, 32, ALL_ROLES, True)

# What a board's file has beside cells.

Part = tuple[int, int, str, bool] | tuple[str, str]
SOURCES = "application_sources = { ext0 = 20, ext1 = 21, ext2 = 22 }"
NO_SOURCE, DISPATCHER = (SOURCES, ""), (SOURCES, "dispatcher_source = 20")
FREE = ("idle =", "software_sources = [10, 11, 12, 13]\nidle =")
FEW, FEW_LOWERED = ("levels = 8", "levels = 3"), ("levels = 8", "levels = 3\nlowered_levels = 1")

SIX = "".join(f"[osek.task.T{k}]\npriority = {k + 1}\n" for k in range(6))
BY_SOFTWARE = '[osek]\ndispatch = "software"\n'
ISRS = LOW + "".join(f'[osek.isr.I{k}]\nsource = "ext{k}"\npriority = {k + 3}\ncategory = 2\n' for k in range(3))
BELOW = '[interrupt.Low]\nsource = "{}"\npriority = "{}"\n'
NESTED = """
[task.a]
wcet = "100 ticks"
[task.b]
wcet = "100 ticks"
[interrupt.High]
source = "ext0"
[mode.m]
round = "10ms"
{}
points = [
  {{ at = "0 ticks", activate = "a", deadline_at = "{} ticks" }},
  {{ at = "{} ticks", activate = "b", deadline_at = "{} ticks" }},
]
"""
MODES = '[task.a]\n[mode.m]\nround = "1ms"\npoints = [{ at = "100us", activate = "a" }]\n'
OTHER_MODE = '[task.b]\n[mode.n]\nround = "2ms"\npoints = [{ at = "100us", activate = "b" }]\n'
THREE_TASKS = "".join(f'[task.T{k}]\nperiod = "1ms"\noffset = "{k * 200}us"\n' for k in range(3))
LONG_RUN = (
    '[task.A]\nwcet = "{} ticks"\n[mode.m]\nround = "200000 ticks"\nwindow = "wcet"\npoints = ['
    + ", ".join(
        f'{{{{ at = "{at} ticks", activate = "A" }}}}'
        for at in (1000, "{}", 31000, 47000, 60000, 81000, 99000, 113000, 130500, 161000)
    )
    + "]\n"
)
STEADY = (
    LOW
    + '[osek.counter.Ms]\ntick = "{}ms"\n'
    + WAKES.format("A", "Ms", "Low")
    + STATIC.format(1).replace("{", "{{").replace("}", "}}")
)


def near(apart: int) -> str:
    """A round of more tasks than the board has cells, so many ticks after each other."""
    tasks = "".join(f"[task.T{k}]\n" for k in range(16))
    points = ", ".join(f'{{ at = "{1000 + apart * k} ticks", activate = "T{k}" }}' for k in range(16))
    return f'[system]\nstart_within = "1ms"\nsources = []\n{tasks}[mode.m]\nround = "10ms"\npoints = [{points}]\n'


@pytest.mark.parametrize(
    ("code", "refused", "cells", "remedy", "mended", "more"),
    [
        pytest.param(
            "C162",
            SLOW + LOW + MS + WAKES.format("A", "Ms", "Low"),
            [WIDE],
            "let alarms start some of the rounds' tasks, as tasks of [osek]",
            LOW + "[osek.task.Slow]\npriority = 2\n" + MS + WAKES.format("A", "Ms", "Low")
            + WAKES.format("B", "Ms", "Slow") + CYCLE.format(1000),
            [WIDE],
            id="tasks of the round by alarms",
        ),
        pytest.param(
            "C162",
            SLOW + WATCHED + LOW + MS + WAKES.format("A", "Ms", "Low"),
            [TWO_WIDE],
            "give 'Slow' monitor = \"if-cells-allow\" or \"never\"",
            SLOW + WATCHED.replace("always", "if-cells-allow") + LOW + MS + WAKES.format("A", "Ms", "Low"),
            [TWO_WIDE],
            id="deadlines unwatched",
        ),
        pytest.param(
            "C162",
            SLOW + LOW + MS + WAKES.format("A", "Ms", "Low"),
            [WIDE],
            "choose a board with more cells",
            SLOW + LOW + MS + WAKES.format("A", "Ms", "Low"),
            [WIDE, NARROW],
            id="more cells beside a round",
        ),
        pytest.param(
            "C162",
            LOW + MS + TEN + WAKES.format("A", "Ms", "Low") + WAKES.format("B", "Ten", "Low"),
            [WIDE],
            "choose a board with more cells",
            LOW + MS + TEN + WAKES.format("A", "Ms", "Low") + WAKES.format("B", "Ten", "Low"),
            [WIDE, NARROW],
            id="more cells for two counters",
        ),
        pytest.param(
            "C162",
            LOW + LONG + WAKES.format("A", "Ms", "Low"),
            [NARROW],
            "choose another tick, or another board",
            LOW + MS + WAKES.format("A", "Ms", "Low"),
            [NARROW],
            id="another tick",
        ),
        pytest.param(
            "C162",
            LOW + LONG + WAKES.format("A", "Ms", "Low"),
            [NARROW],
            "choose another tick, or another board",
            LOW + LONG + WAKES.format("A", "Ms", "Low"),
            [WIDE],
            id="another board",
        ),
        *[
            pytest.param("C171", LONG_TICK, [NARROW], "choose another tick, or another board", *does, id=f"clock, {name}")
            for name, *does in [("another tick", PERIODIC, [NARROW]), ("another board", LONG_TICK, [WIDE])]
        ],
        *[
            pytest.param("C171", SLOW + clock, [WIDE], remedy, *does, id=f"{kind} beside a round, {remedy[:13]}")
            for kind, clock in [("periodic", PERIODIC), ("one-shot", ONE_SHOT), ("one-shot with a tick", ONE_SHOT + UNIT)]
            for remedy, *does in [
                ("let alarms start some of the rounds' tasks, as functions and threads of [time]", clock + THREAD, [WIDE]),
                ("choose a board with more cells", SLOW + clock, [WIDE, NARROW]),
            ]
        ],
        *[
            pytest.param(code, SLOW + WATCHED + text, cells, "give 'Slow' monitor = \"if-cells-allow\" or \"never\"; or ",
                         SLOW + WATCHED.replace("always", monitor) + text, cells, id=f"{code}, {monitor} {text[:6]}")
            for code, text, cells in [("C171", PERIODIC, [TWO_WIDE]), ("C171", ONE_SHOT, [TWO_WIDE]),
                                      ("C174", SLICES, [TWO_WIDE, NARROW]), ("C183", BUDGET, [TWO_WIDE]),
                                      ("C183", FRAME, [TWO_WIDE])]
            for monitor in ("if-cells-allow", "never")
        ],
        pytest.param("C174", SLOW + SLICES, [WIDE, NARROW], "choose a board with more cells", SLOW + SLICES, [TWO_WIDE, NARROW],
                     id="slices, more cells"),
        *[
            pytest.param("C183", SLOW + text, [WIDE], remedy, *does, id=f"{remedy[10:]}: {does[1]}")
            for what, text in [("budgets", BUDGET), ("time frames", FRAME)]
            for remedy in [f"leave the {what} out, or choose a board with more cells"]
            for does in [(SLOW + LOW, [WIDE]), (SLOW + text, [TWO_WIDE])]
        ],
        *[
            pytest.param("C183", text, [NARROW], remedy, *does, id=f"{remedy[-50:]}: {does}")
            for way, what, text, others in [
                ('write budgets = "clock" in [osek], or ', "budgets", CELLED, [CELLED.replace('"cell"', '"clock"')]),
                ("", "time frames", FRAME, []),
            ]
            for remedy in [f"{way}leave the {what} out, or choose a board with such a cell"]
            for does in [(LOW, [NARROW]), (text, [WIDE]), *((other, [NARROW]) for other in others)]
        ],
        pytest.param(
            "C185",
            SLOW + LOW + MS + WAKES.format("A", "Ms", "Low") + STATIC.format(5),
            [WIDE],
            "use fewer cells for other alarms, counters or the rounds' tasks",
            LOW + MS + WAKES.format("A", "Ms", "Low") + STATIC.format(5),
            [WIDE],
            id="fewer cells for the rounds",
        ),
        pytest.param(
            "C161",
            "".join(f"[osek.task.T{k}]\npriority = {k + 1}\n" for k in range(6)),
            [PLAIN],
            "give tasks the same priority",
            "".join(f"[osek.task.T{k}]\npriority = {k // 2 + 1}\n" for k in range(6)),
            [PLAIN],
            id="the same priority",
        ),
        pytest.param(
            "C161",
            "".join(f"[osek.task.T{k}]\npriority = {k + 1}\n" for k in range(6)),
            [PLAIN],
            'use dispatch = "software"',
            '[osek]\ndispatch = "software"\n' + "".join(f"[osek.task.T{k}]\npriority = {k + 1}\n" for k in range(6)),
            [PLAIN],
            id="dispatch by software",
        ),
        *[
            pytest.param("C161", tasks, [PLAIN, *on], remedy, done, [PLAIN, *then], id=f"C161, {remedy}, {k}")
            for k, (tasks, on, remedy, done, then) in enumerate([
                (SIX, [], "choose a board with more sources", SIX, [FREE]),
                (LOW, [NO_SOURCE], "choose a board with more sources", LOW, [FREE]),
                (BY_SOFTWARE + SIX, [NO_SOURCE], "choose a board with more sources", BY_SOFTWARE + SIX, [FREE]),
                (LOW, [DISPATCHER], 'use dispatch = "software"', BY_SOFTWARE + LOW, [DISPATCHER]),
            ])
        ],
        *[
            pytest.param("C160", tasks, [PLAIN, FREE, FEW], remedy, *done, id=f"C160, {remedy}")
            for tasks, remedy, *done in [
                (SIX, "give tasks or ISRs the same priority, to save 3 levels", LOW, [PLAIN, FEW]),
                (SIX, 'use dispatch = "software"', BY_SOFTWARE + SIX, [PLAIN, FEW]),
                (SIX, "choose a board with more levels", SIX, [PLAIN, FREE]),
                (ISRS, "give tasks or ISRs the same priority, to save 1 level, or choose a board with more levels",
                 ISRS.replace("priority = 5", "priority = 4"), [PLAIN, FREE, FEW]),
                (BY_SOFTWARE + ISRS, "give ISRs the same priority, to save 1 level, or choose a board with more levels",
                 BY_SOFTWARE + ISRS.replace("priority = 5", "priority = 4"), [PLAIN, FREE, FEW]),
            ]
        ],
        *[
            pytest.param("C160", SLOW + LOW, "arduino-uno", remedy, *done, id=f"C160 without levels, {k}")
            for remedy, *dones in [
                ("use rounds or an event-triggered system, not both", (SLOW, "arduino-uno"), (LOW, "arduino-uno")),
                ("choose a board with priority levels", (SLOW + LOW, [TWO_WIDE])),
            ]
            for k, done in enumerate(dones)
        ],
        *[
            pytest.param("C062", SLOW + BELOW.format("soft0", "below-tasks"), "arduino-uno", remedy, SLOW + done, then,
                         id=f"C062, {remedy}")
            for remedy, done, then in [
                ('write priority = "above-tasks"', BELOW.format("soft0", "above-tasks"), "arduino-uno"),
                ("choose a board with priority levels", BELOW.format("ext0", "below-tasks"), [TWO_WIDE]),
            ]
        ],
        *[
            pytest.param("C062", NESTED.format(*refused), [FOUR, FEW_LOWERED], remedy, NESTED.format(*done), [FOUR, *then],
                         id=f"C062, {remedy}, {k}")
            for refused in [("", 600, 500, 900)]
            for k, (remedy, done, then) in enumerate([
                ("choose a board with more levels", refused, []),
                ("shorten the windows (deadlines", ("", 400, 500, 900), [FEW_LOWERED]),
                ('or window = "wcet")', ('window = "wcet"', 600, 500, 900), [FEW_LOWERED]),
                ("or move activations apart", ("", 600, 700, 900), [FEW_LOWERED]),
            ])
        ],
        *[
            pytest.param("C061", MODES + OTHER_MODE, "arduino-uno", remedy, *done, id=f"C061, {remedy[:21]}")
            for remedy, *done in [
                ("choose a board with a cell of role 'control' whose width and units fit every round",
                 MODES + OTHER_MODE, "virtual-tiny"),
                ("or use a single mode", MODES, "arduino-uno"),
            ]
        ],
        *[
            pytest.param("C060", text, on, remedy, *done, id=f"C060, {remedy}")
            for text, on, remedy, *done in [
                (THREE_TASKS, [(2, 32, ALL_ROLES, False)], "choose a board with at least 3 such cells", THREE_TASKS,
                 [(3, 32, ALL_ROLES, False)]),
                (LONG_RUN.format(10000, 11000), "mps2-an385", "shorten its WCET", LONG_RUN.format(9000, 11000), "mps2-an385"),
                (LONG_RUN.format(10000, 11000), "mps2-an385", "or move its activations apart", LONG_RUN.format(10000, 11500),
                 "mps2-an385"),
                (near(10), "ast1030-evb", "move points at least 40 ticks apart, so that they can be in one table", near(40),
                 "ast1030-evb"),
            ]
        ],
        pytest.param("C185", STEADY.format(70), [NARROW], "give counter 'Ms' a tick that a cell of the board can keep; or ",
                     STEADY.format(10), [NARROW], id="C185, another tick"),
        pytest.param("C185", STEADY.format(70), [NARROW], "or choose another board", STEADY.format(70), [WIDE],
                     id="C185, another board"),
    ],
)  # fmt: skip
def test_who_does_what_a_refusal_says_gets_a_plan(
    tmp_path: Path, code: str, refused: str, cells: str | list[Part], remedy: str, mended: str, more: str | list[Part]
) -> None:
    with pytest.raises(CarillonError) as caught:
        planned(tmp_path, refused, made(tmp_path, cells))
    (error,) = (d for d in caught.value.diagnostics if d.severity is Severity.ERROR)
    assert error.code == code
    assert remedy in error.remedy
    planned(tmp_path, mended, made(tmp_path, more))


def made(folder: Path, parts: str | list[Part]) -> Path:
    """A board of cells and of other texts, or a name of one."""
    if isinstance(parts, str):
        return Path(parts)
    path = board(folder, *(part for part in parts if len(part) == 4))
    text = path.read_text(encoding="utf-8")
    for part in parts:
        if len(part) == 2:
            assert part[0] in text
            text = text.replace(*part)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "cells", "remedy"),
    [
        (LOW, [PLAIN, NO_SOURCE], "choose a board with more sources"),
        (BY_SOFTWARE + SIX, [PLAIN, NO_SOURCE], "choose a board with more sources"),
        (LOW, [PLAIN, DISPATCHER], 'use dispatch = "software", or choose a board with more sources'),
        (LOW + LONG + WAKES.format("A", "Ms", "Low"), [NARROW], "choose another tick, or another board"),
        (STEADY.format(70), [NARROW], "give counter 'Ms' a tick that a cell of the board can keep; or choose another board"),
        (SLOW + ONE_SHOT.replace("one-shot", "compare"), "ast1030-evb",
         'write clock = "periodic", with a tick; or choose another board'),
        *[
            (SLOW + clock, [WIDE], "let alarms start some of the rounds' tasks, as functions and threads of [time]; "
             "or choose a board with more cells")
            for clock in (PERIODIC, ONE_SHOT, ONE_SHOT + UNIT)
        ],
    ],
)  # fmt: skip
def test_what_does_not_help_is_not_named(tmp_path: Path, text: str, cells: str | list[Part], remedy: str) -> None:
    with pytest.raises(CarillonError) as caught:
        planned(tmp_path, text, made(tmp_path, cells))
    assert [error.remedy for error in caught.value.diagnostics] == [remedy]


@pytest.mark.parametrize("machine", [Machine.MICROCODE, Machine.TICKS])
@pytest.mark.parametrize(
    ("cells", "remedy", "more"),
    [([WIDE], "choose a board with more cells", [TWO_WIDE]), ([(4, 8, ALL_ROLES, True)], "choose another board", [TWO_WIDE])],
)
def test_a_giotto_program_is_planned_on_the_board_that_its_refusal_says(
    tmp_path: Path, cells: list[Part], remedy: str, more: list[Part], machine: Machine
) -> None:
    path = tmp_path / "program.giotto"
    task = "task work () output () state () { schedule work() } [wcet 1ms]"
    path.write_text(f"{task}\nstart m {{ mode m () period 10 {{ taskfreq 1 do work(); }} }}\n", encoding="utf-8")
    if machine is Machine.MICROCODE and cells == [WIDE]:  # one cell is enough: the clock wakes the machine
        plan(path, Diagnostics(), str(made(tmp_path, cells)), machine=machine)
        return
    with pytest.raises(CarillonError) as caught:
        plan(path, Diagnostics(), str(made(tmp_path, cells)), machine=machine)
    assert [(error.code, error.remedy) for error in caught.value.diagnostics] == [("C174", remedy)]
    plan(path, Diagnostics(), str(made(tmp_path, more)), machine=machine)


# The schedules of bad_plan, with what their messages say done to them.

BAD = Path(__file__).parent / "bad_plan"
OWN = ("# kernel: conventional\n", "")
COUNTED = "leave 'cells' out: then the queue of its counter carries it"
WATCHES = "give 'a', 'b', 'c' monitor = \"if-cells-allow\" or \"never\""
FEWER = "use fewer cells for other alarms, counters or the rounds' tasks"


@pytest.mark.parametrize(
    ("name", "remedy", "done"),
    [
        ("activations-too-near", "move one of them", [("130 ticks", "180 ticks")]),
        ("activations-too-near", "give the task deadlines that stop the system before its next activation",
         [(f'at = "{at} ticks", activate = "a"', f'at = "{at} ticks", activate = "a", deadline_at = "{end} ticks"')
          for at, end in [(100, 130), (130, 700), (700, 1000)]]),
        ("budget-by-clock-beneath-round", "leave the budgets out", [('budget = "1ms"\n', "")]),
        ("budget-by-clock-beneath-round", 'write budgets = "cell" in [osek]', [('budgets = "clock"', 'budgets = "cell"')]),
        ("budget-of-isr-by-clock", "leave the budgets out", [('budget = "1ms"\n', "")]),
        ("budget-of-isr-by-clock", "choose a board with a cell that can be read and set while it runs", ["ast1030-evb"]),
        ("budget-no-cell", 'write budgets = "clock" in [osek]', [('budgets = "cell"', 'budgets = "clock"')]),
        ("budget-no-cell", "leave the budgets out", [('budget = "1ms"\n', "")]),
        ("budget-no-cell", "choose a board with such a cell", ["ast1030-evb"]),
        ("budget-of-the-conventional-kernel", "leave the budgets out", [('budget = "1ms"\n', "")]),
        ("budget-of-the-conventional-kernel", "build with Carillon's own kernel", [OWN]),
        ("budget-too-long", "shorten the budget", [("100s", "500ms")]),
        ("round-budget-no-cell", "leave the budget out", [('budget = "100us"\n', "")]),
        ("round-budget-no-cell", "choose a board with such a cell", ["ast1030-evb"]),
        ("round-budget-of-the-conventional-kernel", "leave the budget out", [('budget = "100us"\n', "")]),
        ("round-budget-of-the-conventional-kernel", "build with Carillon's own kernel", [OWN]),
        ("round-budget-too-few-cells", "write start_within in [system]", [("[system]", '[system]\nstart_within = "40us"')]),
        ("round-budget-too-few-cells", "leave the budgets out", [('budget = "3000 ticks"\n', "")]),
        ("round-budget-too-few-cells", "choose a board with more cells", ["ast1030-evb"]),
        ("round-budget-too-long", "shorten the budget", [("2s", "20ms")]),
        ("conventional-points-too-close", "move points that nearly coincide further apart", [("110 ticks", "140 ticks")]),
        ("conventional-points-too-close", "choose another board for the comparison", ["virtual-256"]),
        ("deadlines-on-a-reloaded-cell", "write start_within in [system]", [("[system]", '[system]\nstart_within = "1ms"')]),
        ("deadlines-on-a-reloaded-cell", "give 'T' monitor = \"if-cells-allow\" or \"never\"",
         [("[task.T]", '[task.T]\nmonitor = "if-cells-allow"')]),
        ("deadlines-on-a-reloaded-cell", "choose a board with at least 4 such interrupt sources", ["ast1030-evb"]),
        ("no-cell-for-a-deadline", 'write monitor = "if-cells-allow" or "never"',
         [("[task.control]", '[task.control]\nmonitor = "never"')]),
        ("no-cell-for-a-deadline", "choose a board with cells of role 'deadline' (carillon boards)", ["ast1030-evb"]),
        ("static-alarm-no-cell", FEWER, [('[task.b]\nperiod = "1ms"\noffset = "200us"\n', "")]),
        ("static-alarm-no-cell", "choose a board with more cells", ["ast1030-evb"]),
        ("static-alarms-fast-counter", "give counter 'Us' a tick that a cell of the board can keep",
         [('tick = "1us"', 'tick = "100us"'), ("00, ", ", "), ("00 }", " }")]),
        ("static-alarms-fast-counter", FEWER,
         [('[osek.alarm.Fifth]\ncounter = "Us"\nactivate = "Five"\nstatic = true\n', ""),
          ("autostart = { at = 2300, cycle = 2300 }\n", "")]),
        ("sync-conventional", "remove [sync] to compare", [('[sync]\nlengthen = "20us"\nshorten = "20us"\n', "")]),
        ("sync-conventional", "use the carillon kernel", [OWN]),
        *[(f"table-on-{name}", COUNTED, [("cells = true\n", "")])
          for name in ("cells-beside-rounds", "cells-of-a-long-turn", "cells-of-many-activations", "cells-of-one-level",
                       "cells-that-are-channels", "cells-that-cannot-begin", "cells-that-compare",
                       "cells-with-checks", "too-few-cells")],
        ("table-on-cells-of-several-stores", "leave 'cells' and 'followed' out", [("followed = true\ncells = true\n", "")]),
        ("time-beneath-rounds", 'clock = "periodic", with a tick', [('"one-shot"', '"periodic"\ntick = "1ms"')]),
        ("time-frame-no-cell", "leave the time frames out", [('time_frame = "1ms"\n', "")]),
        ("time-frame-no-cell", "choose a board with such a cell", ["ast1030-evb"]),
        ("time-frame-of-the-conventional-kernel", "leave the time frames out", [('time_frame = "1ms"\n', "")]),
        ("time-frame-of-the-conventional-kernel", "build with Carillon's own kernel", [OWN]),
        ("time-frame-too-long", "shorten the time frame", [("1000s", "100s")]),
        ("time-frame-too-long", "choose a clock with longer ticks", [("[system]", '[system]\nclock = "3906250Hz"')]),
        ("time-no-cell", 'write clock = "periodic", with a tick', [('"compare"', '"periodic"\ntick = "1ms"')]),
        ("time-no-cell", 'write clock = "one-shot"', [('"compare"', '"one-shot"')]),
        ("time-no-cell", "choose another board", ["qemu-rv32-virt"]),
        ("time-period-of-a-thread", "write bits = 32", [("bits = 16\n", "bits = 32\n")]),
        ("time-period-of-a-thread", "choose a clock with a longer tick", [('"one-shot"', '"periodic"\ntick = "10ms"')]),
        ("time-periods-shorter-than-served", "make it 9.216us or longer", [("5us", "9.216us"), ('"9us"', '"9.216us"')]),
        ("time-periods-shorter-than-served", "choose a faster clock of the board", [("[system]", '[system]\nclock = "125MHz"')]),
        ("time-slice-no-cell", "choose another slice", [("3000s", "1ms")]),
        ("time-slice-no-cell", "or another board", ["virtual-256"]),
        ("time-tick-no-unit", "choose another tick", [("1ms", "1 ticks")]),
        ("time-tick-no-unit", "or none: then it is what the timer counts", [('tick = "1ms"\n', "")]),
        ("time-tick-too-short", "choose another tick", [("64ns", "100us")]),
        ("time-tick-too-short", "or another board", ["virtual-256"]),
        ("time-too-long", "leave 'longest' out", [('longest = "60s"\n', "")]),
        ("time-too-long", "write bits = 32", [("bits = 16\n", "bits = 32\n")]),
        ("too-few-cells", "write start_within in [system]", [("[system]", '[system]\nstart_within = "1ms"')]),
        ("too-few-cells", "let one task do the work of 'a' and 'b'", [('[task.b]\nperiod = "1ms"\noffset = "200us"\n', "")]),
        ("too-few-cells-for-deadlines", "write start_within in [system]", [("[system]", '[system]\nstart_within = "1ms"')]),
        *[("too-few-cells-for-deadlines", WATCHES, [("\ndeadline =", f'\nmonitor = "{kind}"\ndeadline =')])
          for kind in ("if-cells-allow", "never")],
        ("too-few-cells-for-deadlines", "choose a board with at least 6 such interrupt sources", ["ast1030-evb"]),
        ("too-few-levels", "choose a board with more levels", ["virtual-256"]),
        ("too-long-for-the-counter", "use intervals and a round that the cells can express", [("5s", "4s")]),
        ("too-long-for-the-counter", "or a board with wider cells", ["ast1030-evb"]),
    ],
)  # fmt: skip
def test_who_does_what_a_bad_plan_is_told_gets_a_plan(
    tmp_path: Path, name: str, remedy: str, done: list[tuple[str, str] | str]
) -> None:
    """What is done is a board, or a text and what stands for it then."""
    text, board = (BAD / f"{name}.toml").read_text(encoding="utf-8"), None
    assert remedy in (BAD / f"{name}.txt").read_text(encoding="utf-8")
    for does in done:
        if isinstance(does, str):
            board = does
        else:
            assert does[0] in text
            text = text.replace(*does)
    path = tmp_path / "schedule.toml"
    path.write_text(text, encoding="utf-8")
    plan(path, Diagnostics(), board, "conventional" if OWN[0] in text else "carillon")


HELD = """
[task.Long]
period = "50ms"
wcet = "{}ms"
overrun = "never"
[osek.task.Low]
priority = 1
[osek.counter.Ms]
tick = "{}ms"
[osek.alarm.A]
counter = "Ms"
activate = "Low"
"""
HELD_CLOCK = """
[task.Long]
period = "50ms"
wcet = "3ms"
overrun = "never"
[thread.Main]
priority = 1
[time]
clock = "{}"
{}
"""
LOCKS = """
[system]
sources = []
[thread.Main]
priority = 1
[time]
clock = "periodic"
tick = "1ms"
periods = ["1ms", "5ms"]
longest_lock = "{}us"
"""
TICK = 'tick = "1ms"'
SHORT_BASE, LONG_BASE = [(1, 32, ALL_ROLES, True), (2, 15, ALL_ROLES, True)], [(3, 32, ALL_ROLES, True)]
NO_BASE = [(1, 32, ALL_ROLES, True), (1, 15, ALL_ROLES, True)]


@pytest.mark.parametrize(
    ("code", "warned", "cells", "remedy", "mended", "more"),
    [
        ("C196", HELD.format(3, 1), NO_BASE, "leave a cell for a time base", HELD.format(3, 1), LONG_BASE),
        ("C196", HELD.format(3, 1), NO_BASE, "lengthen the tick", HELD.format(3, 4), NO_BASE),
        ("C196", HELD.format(3, 1), NO_BASE, "shorten the tasks' stretch", HELD.format(1, 1), NO_BASE),
        ("C196", HELD.format(40, 1), SHORT_BASE, "choose a board whose time base counts further", HELD.format(40, 1), LONG_BASE),
        *[
            ("C196", HELD_CLOCK.format("periodic", TICK), NO_BASE, 'take clock = "one-shot" or "compare", or leave a cell for a',
             HELD_CLOCK.format(*clock), more)
            for clock, more in [(("one-shot", ""), NO_BASE), (("compare", ""), NO_BASE), (("periodic", TICK), LONG_BASE)]
        ],
        ("C196", LOCKS.format(1), "ast1030-evb", "write longest_lock of at least 16.768us", LOCKS.format(17), "ast1030-evb"),
        ("C247", LOW + '[osek.counter.C]\ntick = "640ns"\n' + WAKES.format("A", "C", "Low"), "ast1030-evb", "write a longer tick",
         LOW + '[osek.counter.C]\ntick = "100us"\n' + WAKES.format("A", "C", "Low"), "ast1030-evb"),
    ],
)  # fmt: skip
def test_who_does_what_a_warning_says_is_not_warned(
    tmp_path: Path, code: str, warned: str, cells: str | list[Part], remedy: str, mended: str, more: str | list[Part]
) -> None:
    path = tmp_path / "schedule.toml"
    path.write_text(warned, encoding="utf-8")
    found = Diagnostics()
    plan(path, found, str(made(tmp_path, cells)))
    (warning,) = found.reported
    assert warning.code == code
    assert remedy in warning.remedy
    path.write_text(mended, encoding="utf-8")
    after = Diagnostics()
    plan(path, after, str(made(tmp_path, more)))
    assert not after.reported
