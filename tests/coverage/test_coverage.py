# SPDX-License-Identifier: Apache-2.0
"""What `make coverage` makes of what programs have counted, and what the last one has written down.  Nothing needs clang here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from counted import Counted, Missed, Part, figures, grouped, missed, read
from measure import HERE, RECORDED, ROOT, Argued, Limit, Record, complaints, read_argued, read_limits, record, table, written

SOURCE = """\
int f(int a, int b)
{
    if (LAST && (a == b)) {
        return 1;
    }
    return ANY(a) ? 2 : 3;
}
"""
CONSTANT = """\
/work/kernel/a/f.c:
    1|       |int f(int a, int b)
    2|     12|{
    3|     12|    if (LAST && (a == b)) {
  ------------------
  |  |    7|     12|#define LAST 0
  ------------------
  |  Branch (3:9): [Folded - Ignored]
  |  Branch (3:17): [True: 0, False: 0]
  ------------------
  |---> MC/DC Decision Region (3:9) to (3:25)
  |
  |  Number of Conditions: 2
  |     Condition C1 --> (3:9)
  |     Condition C2 --> (3:17)
  |
  |  Executed MC/DC Test Vectors:
  |
  |     None.
  |
  |  C1-Pair: constant folded
  |  C2-Pair: not covered
  |  MC/DC Coverage for Decision: 0.00%
  |
  ------------------
    4|      0|        return 1;
    5|      0|    }
    6|  1.20k|    return ANY(a) ? 2 : 3;
  ------------------
  |  |    9|  1.20k|#define ANY(a) (((a) == 1) || ((a) == 2))
  |  |  ------------------
  |  |  |  Branch (9:17): [True: 4, False: 1.19k]
  |  |  |  Branch (9:31): [True: 0, False: 1.19k]
  |  |  ------------------
  |  |  |---> MC/DC Decision Region (9:17) to (9:40)
  |  |  |
  |  |  |     Condition C1 --> (9:17)
  |  |  |     Condition C2 --> (9:31)
  |  |  |
  |  |  |  C1-Pair: covered: (1,2)
  |  |  |  C2-Pair: not covered
  ------------------
    7|     12|}
"""
VARIABLE = """\
/work/kernel/a/f.c:
    2|      3|{
    3|      3|    if (LAST && (a == b)) {
  ------------------
  |  Branch (3:9): [True: 3, False: 0]
  |  Branch (3:17): [True: 1, False: 2]
  ------------------
  |---> MC/DC Decision Region (3:9) to (3:25)
  |     Condition C1 --> (3:9)
  |     Condition C2 --> (3:17)
  |  C1-Pair: not covered
  |  C2-Pair: covered: (2,3)
  ------------------
    4|      1|        return 1;
/work/kernel/b/g.h:
    1|      0|static inline void g(void) {}
"""
FILE = "kernel/a/f.c"
GROUPS = {"a": ["kernel/a/*"], "others": ["kernel/*/*"]}


def _both() -> Counted:
    total = read(CONSTANT, "/work")
    total.add(read(VARIABLE, "/work"))
    return total


def _limits(branches: float = 0, mcdc: float = 0, *, argued: bool = False) -> dict[str, Limit]:
    return {name: Limit(tuple(files), branches, mcdc, {"mcdc": 100}, argued) for name, files in GROUPS.items() if name == "a"}


@pytest.fixture
def recorded(tmp_path: Path) -> Record:
    for name, text in ((FILE, SOURCE), ("kernel/b/g.h", "static inline void g(void) {}\n"), ("kernel/b/h.h", "")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return record(_both(), 2, _limits(), tmp_path)


def test_a_condition_that_is_constant_does_not_count() -> None:
    found = figures(read(CONSTANT, "/work"), [FILE])
    assert (found.lines, found.outcomes, found.conditions) == (Part(4, 6), Part(3, 6), Part(1, 3))


@pytest.mark.parametrize("texts", [(CONSTANT, VARIABLE), (VARIABLE, CONSTANT)])
def test_what_one_program_has_reached_is_reached(texts: tuple[str, str]) -> None:
    total = Counted()
    for text in texts:
        total.add(read(text, "/work"))
    found = figures(total, [FILE])
    assert (found.lines, found.outcomes, found.conditions) == (Part(5, 6), Part(6, 8), Part(2, 4))


def test_what_is_missed_is_said_with_its_condition(recorded: Record) -> None:
    macro = "return ANY(a) ? 2 : 3;"
    assert recorded["missed"] == [[FILE, "LAST", "alone, false"], [FILE, f"{macro} [((a) == 2)]", "alone, true"]]
    assert recorded["not_compiled"] == ["kernel/b/h.h"]


def test_a_place_that_nothing_reached_has_its_line(tmp_path: Path) -> None:
    (tmp_path / "kernel/a").mkdir(parents=True)
    (tmp_path / FILE).write_text(SOURCE, encoding="utf-8")
    assert Missed(FILE, 3, "(a == b)", "alone") in missed(read(CONSTANT, "/work"), tmp_path)


def test_a_file_belongs_to_the_first_group_that_has_it() -> None:
    assert grouped(["kernel/a/f.c", "kernel/b/g.h", "cells/x/y.h"], GROUPS) == {"a": ["kernel/a/f.c"], "others": ["kernel/b/g.h"]}


@pytest.mark.parametrize(("reached", "of", "percent"), [(999, 1000, 99.9), (9999, 10000, 99.9), (0, 0, 100), (2, 3, 66.6)])
def test_what_is_not_whole_is_not_100_percent(reached: int, of: int, percent: float) -> None:
    assert Part(reached, of).percent == percent


def test_a_figure_below_its_limit_is_said(recorded: Record) -> None:
    assert complaints(recorded, _limits(75, 50), []) == []
    assert complaints(recorded, _limits(75.1, 50.1), []) == [
        "a: 75.0 % of branches, and the limit is 75.1 %",
        "a: 50.0 % of MC/DC, and the limit is 50.1 %",
    ]


def test_a_condition_that_is_neither_reached_nor_argued_is_said(recorded: Record) -> None:
    argued = [Argued(FILE, "LAST", "so it is")]
    assert complaints(recorded, _limits(argued=True), argued) == [
        f"a: {FILE}: 'return ANY(a) ? 2 : 3; [((a) == 2)]' is neither reached nor argued"
    ]


def test_what_is_argued_and_reached_is_said(recorded: Record) -> None:
    assert complaints(recorded, _limits(), [Argued(FILE, "(a == b)", "so it is")]) == [
        f"argued.toml: {FILE}: '(a == b)' is reached, or no longer there: take it out"
    ]


def test_the_table_has_a_row_for_each_group(recorded: Record) -> None:
    assert table(recorded, _limits(), markdown=True, each_file=False).splitlines() == [
        "| part | lines | branches | MC/DC | goal |",
        "|---|---|---|---|---|",
        "| a | 83.3 % of 6 | 75.0 % of 8 | 50.0 % of 4 | 100 % of MC/DC |",
    ]


def test_a_record_has_a_line_for_each_file_and_each_condition(recorded: Record) -> None:
    text = written(recorded)
    assert json.loads(text) == recorded
    assert len(text.splitlines()) == 16 + len(recorded["missed"])


def _written() -> Record:
    found: Record = json.loads(RECORDED.read_text(encoding="utf-8"))
    return found


def test_what_is_written_down_is_within_the_limits_and_argues_nothing_that_is_reached() -> None:
    assert complaints(_written(), read_limits(HERE / "limits.toml"), read_argued(HERE / "argued.toml")) == []


def test_each_condition_that_is_argued_is_in_the_source_and_has_a_reason() -> None:
    for one in read_argued(HERE / "argued.toml"):
        text = " ".join((ROOT / one.file).read_text(encoding="utf-8").split())
        assert one.condition.partition(" [")[0] in text, f"argued.toml: {one.file} has no '{one.condition}'"
        assert len(one.why.split()) >= 5, f"argued.toml: {one.file}: '{one.condition}' has no reason"


def test_each_file_that_is_written_down_is_there() -> None:
    names = [name for group in _written()["groups"].values() for name in group["files"]] + _written()["not_compiled"]
    assert [name for name in names if not (ROOT / name).is_file()] == []
