# SPDX-License-Identifier: Apache-2.0
"""What ``make test`` and ``make test-all`` run, in a small tree of their own (tests/conftest.py, touched.py, whole.py)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sample import COSTLY, MOST, SHARE
from touched import touched
from whole import Record, append, estimate, spent

TESTS = Path(__file__).resolve().parents[1]
SUITE = """import os
import pytest
from pathlib import Path

def helper(seed):
    return seed

@pytest.fixture
def given():
    return 1

@pytest.mark.parametrize("seed", range(40))
def test_with_helper(seed):
    assert helper(seed) >= 0

@pytest.mark.parametrize("seed", range(40))
def test_with_fixture(given, seed):
    assert given

@pytest.mark.parametrize("seed", range(40))
def test_alone(seed):
    assert seed not in FAILS

def test_of_one_case():
    assert not STOP.exists()

FAILS = json.loads(os.environ.get("CARILLON_FAILS", "[]"))
STOP = Path(__file__).with_name("stop.ignored")
""".replace("import os\n", "import json\nimport os\n")


class Project:
    """A tree with a suite in it, in Git."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.suite = folder / "tests" / "firmware" / "test_suite.py"
        self.suite.parent.mkdir(parents=True)
        for path in TESTS.glob("*.py"):
            shutil.copy(path, folder / "tests")
        (folder / ".venv").symlink_to(sys.prefix)
        ini = '[tool.pytest.ini_options]\ntestpaths = ["tests"]\naddopts = "-q -p no:cacheprovider"\n'
        (folder / "pyproject.toml").write_text(ini, encoding="utf-8")
        (folder / ".gitignore").write_text("__pycache__\n/.venv\n/build\n*.ignored\n.hypothesis\n", encoding="utf-8")
        self.write(SUITE)
        self.git("init", "--quiet")
        self.commit()

    def write(self, text: str) -> None:
        self.suite.write_text(text, encoding="utf-8")

    def git(self, *arguments: str) -> None:
        own = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *own, *arguments], cwd=self.folder, check=True, capture_output=True)

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", "x")

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        kept = {n: v for n, v in os.environ.items() if not n.startswith(("CARILLON_", "PYTEST_", "GIT_"))}
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=self.folder, env=kept | variables, capture_output=True, text=True, check=False)

    def cases(self, *arguments: str, **variables: str) -> tuple[set[str], str]:
        """The cases that pytest runs, and all that it says."""
        said = self.run("-m", "pytest", "-v", "-v", *arguments, **variables).stdout
        ended = re.findall(r"^(?:\[gw.*?(?:PASSED|FAILED) )?tests/firmware/test_suite\.py::(\w+(?:\[\w+\])?)", said, re.MULTILINE)
        return set(ended), said

    def whole(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.run("tests/whole.py", *arguments, **variables)

    def record(self) -> Record:
        return Record.read(self.folder / "build" / "test-all.jsonl")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "tree")


def count(cases: set[str], name: str) -> int:
    return sum(case.partition("[")[0] == name for case in cases)


FUNCTIONS = ["test_with_helper", "test_with_fixture", "test_alone", "test_of_one_case"]


def test_each_function_runs_with_a_part_that_the_draw_decides(project: Project) -> None:
    one, said = project.cases(CARILLON_DRAW="1")
    assert [count(one, name) for name in FUNCTIONS[:2]] >= [2, 2]
    assert count(one, "test_of_one_case") == 1
    assert len(one) < 121 == int(*re.findall(r"4 functions, \d+ of (\d+) cases, draw 1;", said))
    assert project.cases("-n", "2", CARILLON_DRAW="1")[0] == one
    assert project.cases(CARILLON_DRAW="2")[0] != one
    assert len(project.cases(CARILLON_SUITES="all")[0]) == 121
    assert len(project.cases("tests/firmware/test_suite.py")[0]) == 121


MARKED = """import pytest

@pytest.mark.suite
@pytest.mark.parametrize("seed", [*range(40), pytest.param(40, marks=pytest.mark.costly)])
def test_of_a_suite(seed):
    pass

@pytest.mark.parametrize("seed", range(40))
def test_of_none(seed):
    pass

@pytest.mark.suite
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.costly)])
def test_costly(seed):
    pass
"""


def test_a_marked_function_is_a_suite_and_few_commits_draw_its_costly_cases(project: Project) -> None:
    (project.folder / "tests" / "test_marked.py").write_text(MARKED, encoding="utf-8")
    project.commit()
    project.commit()
    costly = []
    for draw in range(COSTLY):
        said = project.run("-m", "pytest", "--collect-only", "-v", CARILLON_DRAW=str(draw)).stdout
        found = [re.findall(rf"{name}\[(\d+)\]", said) for name in ("test_of_a_suite", "test_of_none", "test_costly")]
        assert 1 <= len(found[0]) < 40
        assert len(found[1]) == 40
        assert len(found[2]) >= 1
        costly += [case for case in (*found[0], *found[2]) if case == "40"] + found[2].count("1") * ["1"]
    assert 0 < len(costly) <= COSTLY // 2
    everything = project.run("-m", "pytest", "--collect-only", "-v", CARILLON_SUITES="all").stdout
    assert len(re.findall(r"test_(?:of_a_suite|of_none|costly)\[", everything)) == 83


def test_the_commit_is_the_draw(project: Project) -> None:
    project.commit()
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=project.folder, capture_output=True, text=True, check=True).stdout
    drawn, said = project.cases()
    assert f"draw {head[:12]};" in said
    assert project.cases(CARILLON_DRAW=head[:12])[0] == drawn


@pytest.mark.parametrize(
    ("old", "new", "whole"),
    [
        ("return seed", "return seed + 1", ["test_with_helper"]),
        ("return 1", "return 2", ["test_with_fixture"]),
        ("assert seed not", "assert  1 + seed not", ["test_alone"]),
        ("import pytest\n", "import pytest # of tests\n\n", []),
    ],
)
def test_a_function_that_the_change_touches_runs_with_all_cases(project: Project, old: str, new: str, whole: list[str]) -> None:
    project.commit()
    project.write(SUITE.replace(old, new))
    for _ in range(2):  # not committed, and committed
        cases, said = project.cases(CARILLON_DRAW="1")
        assert [name for name in FUNCTIONS[:3] if count(cases, name) == 40] == whole
        assert ("all cases of 1 functions that the change touches" in said) == bool(whole)
        project.commit()
    project.commit()
    cases, _ = project.cases(CARILLON_DRAW="1")
    assert all(count(cases, name) < 40 for name in FUNCTIONS)


def test_what_is_compared_with_is_named_or_its_absence_is_said(project: Project) -> None:
    _, said = project.cases("--collect-only")  # its first commit
    assert "left out, though the change touches it: all of it: Git has no commit to compare with" in said
    project.write(SUITE.replace("return 1", "return 2"))
    project.commit()
    project.commit()
    assert "functions that the change touches" not in project.cases("--collect-only")[1]
    assert "all cases of 1 functions that the change touches" in project.cases("--collect-only", CARILLON_SINCE="HEAD~2")[1]
    done = project.run("-m", "pytest", "--collect-only", CARILLON_SINCE="gone")
    assert (done.returncode, "CARILLON_SINCE: there is no commit gone" in done.stderr) == (4, True)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("import a", "import a, b", set()),
        ("from m import a", "from m import a, b", set()),
        ("from m import a", "from n import a", {"test_a"}),
        ("from m import a", "print()", {"test_a", "test_b"}),
        ("from m import a", "a = x = 1", {"test_a"}),
        ('"""Prose."""', '"""Other prose."""', set()),
    ],
)
def test_a_statement_touches_what_uses_its_names(old: str, new: str, found: set[str]) -> None:
    rest = "\ndef test_a(): helper()\ndef test_b(): pass\ndef helper(): return a\n"
    assert touched(old + rest, new + rest) == found


def test_a_file_beside_a_test_touches_what_names_it(project: Project) -> None:
    text = "def test_a(): read('a.c')\ndef test_b(): helper()\ndef helper(): read('b.c')\n"
    assert touched(text, text, {"b.c"}) == {"test_b"}
    project.write(SUITE.replace("def test_alone(seed):", "def test_alone(seed, name='a.c'):"))
    project.commit()
    beside = project.suite.with_suffix("")
    beside.mkdir()
    (beside / "a.c").write_text("int a;\n", encoding="utf-8")
    cases, _ = project.cases(CARILLON_DRAW="1", CARILLON_SINCE="HEAD")
    assert [name for name in FUNCTIONS[:3] if count(cases, name) == 40] == ["test_alone"]


def test_what_the_change_touches_has_a_bound_and_what_is_left_out_is_said(project: Project) -> None:
    project.commit()
    project.write(SUITE.replace("return seed", "return seed + 1").replace("range(40)", "range(1000)", 1))
    cases, said = project.cases(CARILLON_DRAW="1")
    drawn = 1000 // SHARE + MOST
    assert count(cases, "test_with_helper") >= drawn
    left = 1000 - count(cases, "test_with_helper")
    assert f"left out, though the change touches it: tests/firmware/test_suite.py::test_with_helper: {left} cases" in said


def test_the_command_at_the_end_repeats_what_failed(project: Project) -> None:
    drawn, _ = project.cases(CARILLON_DRAW="1")
    seed = min(int(case[11:-1]) for case in drawn if case.startswith("test_alone["))
    _, said = project.cases("-n", "2", CARILLON_DRAW="1", CARILLON_FAILS=f"[{seed}]")
    command = re.search(r"to repeat what failed: (.*)", said)
    assert command is not None
    assert command[1].startswith(f"CARILLON_DRAW=1 CARILLON_FAILS='[{seed}]' .venv/bin/python -m pytest ")
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("CARILLON_", "PYTEST_"))}
    again = subprocess.run(command[1], shell=True, cwd=project.folder, env=kept, capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert re.search(rf"FAILED \S+::test_alone\[{seed}\]", again.stdout)
    assert "1 failed in" in again.stdout


def test_all_cases_run_and_those_that_passed_do_not_run_again(project: Project) -> None:
    first = project.whole("-n", "2", CARILLON_FAILS="[3]")
    assert first.returncode == 1, first.stdout + first.stderr
    assert "\nFAILED tests/firmware/test_suite.py::test_alone[3]\ntest-all: 4 functions, 121 of 121 cases" in first.stdout
    assert re.fullmatch(r"1 failed, 120 passed in [\d.]+s \(0:\d\d:\d\d\)", first.stdout.splitlines()[-1])
    again = project.whole("-n", "2", CARILLON_FAILS="[3]")
    assert again.returncode == 1
    assert "goes on; 120 of 121 cases have passed" in again.stdout
    assert "\n1 failed in" in again.stdout
    assert project.record().clock > Record.read(project.folder / "none").clock


def test_a_run_that_was_killed_goes_on(project: Project) -> None:
    assert project.whole().returncode == 0
    path = project.folder / "build" / "test-all.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:50]) + lines[50][:20], encoding="utf-8")
    before = len(project.record().cases)
    assert 40 < before < 121
    went_on = project.whole()
    assert went_on.returncode == 0, went_on.stdout
    assert f"goes on; {before} of 121 cases have passed" in went_on.stdout
    assert f"{121 - before} passed, {before} deselected in" in went_on.stdout
    assert went_on.stdout.splitlines()[-1].startswith("121 passed in ")
    nothing = project.whole()
    assert (nothing.returncode, nothing.stdout.splitlines()[-1][:14]) == (0, "121 passed in ")


def test_a_result_counts_for_the_same_tree_alone(project: Project) -> None:
    assert project.whole().returncode == 0
    draw = project.record().draw
    project.commit()
    (project.folder / "build" / "more").touch()
    same = project.whole()
    assert "121 of 121 cases have passed" in same.stdout  # another commit of the same files
    assert project.record().draw == draw
    assert "goes on" not in project.whole(CARILLON_FAILS="[99]").stdout
    (project.folder / "new.txt").touch()
    assert "goes on" not in project.whole(CARILLON_FAILS="[99]").stdout
    assert "goes on" not in project.whole("--anew", CARILLON_FAILS="[99]").stdout
    assert len(json.loads((project.folder / "build" / "test-all.seconds.json").read_text(encoding="utf-8"))) == 121


@pytest.mark.parametrize("processes", [[], ["-n", "2"]])
def test_files_that_change_while_tests_run_stop_them(project: Project, processes: list[str]) -> None:
    project.write(SUITE + "\ndef test_changes():\n    Path(__file__).with_name('new.txt').touch()\n")
    stopped = project.whole(*processes)
    assert stopped.returncode != 0
    assert "the files have changed while the tests ran" in stopped.stdout
    assert project.record().cases == {}


def test_a_part_of_a_line_is_no_result(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    path.write_text('{"key": {"tree": "t"}, "draw": "d"}\n{"case": "a", "outcome": "pas', encoding="utf-8")
    append(path, [{"case": "b", "outcome": "failed", "seconds": 1.0}, {"clock": 2.0}, {"of": 3}, {"clock": 2.5}])
    record = Record.read(path)
    assert (record.cases, record.of, record.clock, record.draw) == ({"b": ("failed", 1.0)}, 3, 4.5, "d")
    assert record.well() == []


def test_what_is_left_is_estimated_by_what_it_took() -> None:
    known = {"f::a[1]": 1.0, "f::a[2]": 3.0, "f::b": 11.0}
    assert estimate(["f::a[1]", "f::a[9]", "f::c"], known) == 1.0 + 2.0 + 5.0
    assert estimate(["f::a[1]"], {}) is None
    assert [spent(8), spent(600), spent(11_000)] == ["8 s", "10 min", "3 h 3 min"]
