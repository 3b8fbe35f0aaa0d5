# SPDX-License-Identifier: Apache-2.0
"""A remedy that a refused allocation names is true: who does what it says gets a plan, or another refusal."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_share import ALL_ROLES, board, planned

from carillon.diagnostics import CarillonError, Diagnostics
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
FRAME = LOW + 'time_frame = "1ms"\n'
WIDE, TWO_WIDE = (1, 32, ALL_ROLES, True), (2, 32, ALL_ROLES, True)
NARROW, PLAIN = (1, 16, ALL_ROLES, True), (1, 32, '"activation"', False)


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
            pytest.param("C183", text, [NARROW], remedy, *does, id=f"{remedy[10:]}: {does[1]}")
            for what, text in [("budgets", BUDGET), ("time frames", FRAME)]
            for remedy in [f"leave the {what} out, or choose a board with such a cell"]
            for does in [(LOW, [NARROW]), (text, [WIDE])]
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
    ],
)  # fmt: skip
def test_who_does_what_a_refusal_says_gets_a_plan(
    tmp_path: Path,
    code: str,
    refused: str,
    cells: list[tuple[int, int, str, bool]],
    remedy: str,
    mended: str,
    more: list[tuple[int, int, str, bool]],
) -> None:
    with pytest.raises(CarillonError) as caught:
        planned(tmp_path, refused, board(tmp_path, *cells))
    (error,) = caught.value.diagnostics
    assert error.code == code
    assert remedy in error.remedy
    planned(tmp_path, mended, board(tmp_path, *more))


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
        ("budget-beside-time-services", "leave the budgets out", [('budget = "1ms"\n', "")]),
        ("budget-beside-time-services", "keep the tasks that have them in a system of their own",
         [('[time]\nclock = "one-shot"\n', "")]),
        ("budget-no-cell", "leave the budgets out", [('budget = "1ms"\n', "")]),
        ("budget-no-cell", "choose a board with such a cell", ["ast1030-evb"]),
        ("budget-of-the-conventional-kernel", "leave the budgets out", [('budget = "1ms"\n', "")]),
        ("budget-of-the-conventional-kernel", "build with Carillon's own kernel", [OWN]),
        ("budget-too-long", "shorten the budget", [("100s", "500ms")]),
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
                       "cells-that-cannot-shift", "cells-with-checks", "too-few-cells")],
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
        ("time-periods-shorter-than-served", "make it 9.152us or longer", [("5us", "9.152us"), ('"9us"', '"9.152us"')]),
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
