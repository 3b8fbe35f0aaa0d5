# SPDX-License-Identifier: Apache-2.0
"""Mutants of a tiny file, judged by the unit tests in C alone; and what is argued of the kernel, which must be there."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from mutants import Argued, Mutant, mutants, read_argued, stale
from mutate import ARGUED, ROOT, Judge, Row, is_judged, read_results, report
from recorder import Recorder
from unit_programs import UnitPrograms, commands, included

TINY = """\
static inline unsigned capped(unsigned value)
{
    unsigned result = value;
    if (value > 10u) {
        result = 10u;
    }
    return result;
}
static inline unsigned counted(unsigned upto)
{
    unsigned passed = 0u;
    while (passed < upto) {
        passed++;
    }
    return passed;
}
static inline unsigned unused(unsigned value)
{
    return value + 1u;
}
#ifdef NEVER
    never;
#endif
"""
TEST = """\
#include "kernel/tiny.h"
int main(void)
{
    return ((capped(3u) == 3u) && (capped(11u) == 10u) && (counted(5u) == 5u)) ? 0 : 1;
}
"""
CMAKE = """\
cmake_minimum_required(VERSION 3.21)
project(tiny LANGUAGES C)
enable_testing()
add_executable(tiny test_tiny.c)
target_include_directories(tiny PRIVATE .)
target_compile_options(tiny PRIVATE -O1 -Wall -Wextra -Werror)
add_executable(other other.c)
"""
FILE = "kernel/tiny.h"


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    """Judges mutants of the tiny file."""
    scratch = tmp_path_factory.mktemp("mutation")
    judge = Judge(scratch, 1.0, 1)
    (judge.tree / "kernel").mkdir(parents=True)
    (judge.tree / "cmake/toolchains").mkdir(parents=True)
    shutil.copy(ROOT / "cmake/toolchains/host.cmake", judge.tree / "cmake/toolchains")
    for name, text in {
        FILE: TINY,
        "test_tiny.c": TEST,
        "CMakeLists.txt": CMAKE,
        "other.c": "int main(void) { return 0; }",
    }.items():
        (judge.tree / name).write_text(text, encoding="utf-8")
    judge.programs = UnitPrograms(judge.tree, scratch / "units")
    return judge


def mutant(judge: Judge, line: str, operator: str) -> Mutant:
    """The mutant that an operator makes of a line."""
    (found,) = (m for m in mutants(judge.tree, FILE) if m.old.strip() == line and m.operator == operator)
    return found


@pytest.mark.parametrize(
    ("line", "operator", "verdict"),
    [
        ("if (value > 10u) {", "condition", "killed"),
        ("if (value > 10u) {", "comparison", "no difference"),
        ("if (value > 10u) {", "constant", "killed"),  # 11 is no longer too much
        ("passed++;", "no statement", "killed"),  # it does not end
        ("unsigned passed = 0u;", "constant", "survived"),
        ("return value + 1u;", "arithmetic", "not reached"),
        ("never;", "by hand", "not reached"),
    ],
)
def test_the_unit_tests_judge_a_mutant(judge: Judge, line: str, operator: str, verdict: str) -> None:
    if operator == "by hand":
        wrong = Mutant(FILE, TINY.splitlines().index(f"    {line}") + 1, operator, f"    {line}", "")
    else:
        wrong = mutant(judge, line, operator)
    assert judge.judge(wrong)[0] == verdict
    assert (judge.tree / FILE).read_text(encoding="utf-8") == TINY


def test_what_the_compiler_refuses_is_not_compiled(judge: Judge) -> None:
    place = TINY.splitlines().index("    return passed;") + 1
    verdict, by = judge.judge(Mutant(FILE, place, "by hand", "    return passed;", "    return past;"))
    assert (verdict, by) == ("not compiled", "the unit test tiny wants it")
    old, new = "    while (passed < upto) {", "    while (passed < upto || passed < upto && upto) {"
    verdict, by = judge.judge(Mutant(FILE, TINY.splitlines().index(old) + 1, "by hand", old, new))
    assert (verdict, by) == ("not compiled", "a warning is an error")


def test_a_program_that_noticed_a_mutant_of_a_file_is_asked_first(judge: Judge) -> None:
    assert judge.programs is not None
    judge.judge(mutant(judge, "if (value > 10u) {", "condition"))
    assert judge.programs.killers[FILE] == ["tiny"]
    assert [program.name for program in judge.programs.order(FILE)] == ["tiny"]


def test_what_ninja_says_is_read() -> None:
    tree = Path("/tree")
    deps = "a.o: #deps 2, deps mtime 1 (VALID)\n    /tree/x/../kernel/a.h\n    /usr/include/stdint.h\n\n"
    includes = included(deps, tree)
    assert includes == {"a.o": frozenset({"kernel/a.h"})}
    said = "cc -DA=1 -g -O1 -MD -MT a.o -MF a.o.d -o a.o -c /tree/a.c\n: && cc  a.o -o a  /usr/lib/x.so && :\n"
    ((name, (source,), link),) = commands(said, includes)
    assert (name, source.object, source.command) == ("a", "a.o", ("cc", "-DA=1", "-O1", "/tree/a.c"))
    assert source.includes == {"kernel/a.h"}
    assert link == ("cc", "a.o", "-o", "a", "/usr/lib/x.so")


def test_what_units_alone_left_open_is_judged_again_by_recorded_tests() -> None:
    survived, killed = (Row("m", verdict, "", 0.0, True) for verdict in ("survived", "killed"))
    assert is_judged(survived, units=True, again=False)
    assert not is_judged(survived, units=True, again=True)
    assert not is_judged(survived, units=False, again=False)
    assert is_judged(killed, units=False, again=True)
    assert not is_judged(None, units=True, again=False)


def test_what_is_argued_is_no_survivor_and_must_not_be_killed(judge: Judge, capsys: pytest.CaptureFixture[str]) -> None:
    argued = [Argued(FILE, "unsigned passed = 0u;", "constant", "an example")]
    one = mutant(judge, "unsigned passed = 0u;", "constant")
    assert report([one], {str(one): Row(str(one), "survived", "", 0.0)}, argued) == 0
    assert f"| {FILE} | 1 | 0 | 0 | 0 | 1 | 0 | 0 |" in capsys.readouterr().out
    assert report([one], {str(one): Row(str(one), "killed", "a test", 0.0)}, argued) == 1
    assert "argued, but killed by a test" in capsys.readouterr().out
    assert not list(stale(argued, judge.tree))
    assert list(stale([Argued(FILE, "unsigned past = 0u;", "constant", "gone")], judge.tree))


def test_each_line_that_is_argued_is_there() -> None:
    argued = read_argued(ARGUED)
    assert not list(stale(argued, ROOT))
    assert all(one.why.strip() for one in argued)
    assert max(Counter(argued).values(), default=1) == 1


def test_the_last_line_of_a_mutant_counts(tmp_path: Path) -> None:
    results = tmp_path / "results"
    results.write_text(
        '{"mutant": "m", "verdict": "survived", "by": "", "seconds": 1.0, "units": true}\n'
        '{"mutant": "m", "verdict": "killed", "by": "t::t", "seconds": 1.0}\n',
        encoding="utf-8",
    )
    assert read_results(results) == {"m": Row("m", "killed", "t::t", 1.0)}


def test_what_a_kept_function_compiles_is_recorded_of_each_test_that_calls_it() -> None:
    recorder = Recorder.__new__(Recorder)  # one that listens to nothing
    recorder.units = []

    @recorder.cache
    def built(number: int, *, name: str = "") -> str:
        recorder.units.append(["gcc", f"{name}{number}.c"])
        return f"{name}{number}.so"

    for _ in range(2):
        recorder.units = [["gcc", "own.c"]]
        assert (built(1), built(2, name="a")) == ("1.so", "a2.so")
        assert recorder.units == [["gcc", "own.c"], ["gcc", "1.c"], ["gcc", "a2.c"]]


def test_a_recorded_command_has_sources_and_headers_of_the_changed_tree(judge: Judge) -> None:
    words = ["-I/usr/include", f"-I{judge.right}", f"{judge.right}/kernel/tiny.c", "-DX=1"]
    assert [judge.moved(word) for word in words] == ["-I/usr/include", f"-I{judge.tree}", f"{judge.tree}/kernel/tiny.c", "-DX=1"]


def test_a_unit_concerns_the_files_that_it_includes_and_no_other(judge: Judge) -> None:
    unit = ("gcc", f"{judge.tree}/tests/test_tiny.c")
    judge.includes[unit] = frozenset({FILE})
    assert judge.concerns(Mutant(FILE, 1, "", "", ""), unit)
    assert not judge.concerns(Mutant("kernel/other.h", 1, "", "", ""), unit)
