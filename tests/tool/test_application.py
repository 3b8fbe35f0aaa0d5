# SPDX-License-Identifier: Apache-2.0
"""Where the application's C files and headers are found, and that its folders and macros reach the compiler."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from carillon.cli import app
from carillon.diagnostics import Diagnostics
from carillon.files import Search, matching
from carillon.frontends import read_schedule
from carillon.model import System

SCHEDULE = '[system]\nname = "app"\nboard = "virtual-tiny"\n{}\n[task.T]\nperiod = "1ms"\n'


def tree(folder: Path, *files: str) -> None:
    for name in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")


def read(folder: Path, system: str = "", name: str = "schedule.toml") -> System:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SCHEDULE.format(system), encoding="utf-8")
    diagnostics = Diagnostics()
    found = read_schedule(path, diagnostics)
    assert found is not None
    assert not diagnostics.reported, [str(d) for d in diagnostics.reported]
    return found


def found_in(folder: Path, system: str = "", name: str = "schedule.toml") -> tuple[list[str], list[str]]:
    """The sources and the folders of headers, relative to the schedule's folder."""
    found = read(folder, system, name)
    where = found.file.parent
    return [str(p.relative_to(where)) for p in found.sources], [str(p.relative_to(where)) for p in found.include]


LAYOUTS = {
    "beside": (["a.c", "b.cpp", "src/c.c", "x.h"], "", (["a.c", "b.cpp"], [])),
    "beside, with headers": (["a.c", "inc/x.h", "include/y.h"], "", (["a.c"], ["inc", "include"])),
    "in src": (["src/a.c", "src/drv/b.cc", "src/x.h", "inc/x.h"], "", (["src/a.c", "src/drv/b.cc"], [".", "inc"])),
    "in Src": (["Src/a.c", "Inc/x.h"], "", (["Src/a.c"], [".", "Inc"])),
    "beside a folder of configurations": (
        ["src/a.c", "src/b/c.c", "inc/x.h"],
        "cfg/",
        (["../src/a.c", "../src/b/c.c"], [".", "../inc"]),
    ),
    "nowhere": (["other/a.c", "a.c", "a.h"], "cfg/", ([], [])),
    "in what builds made": (["src/build/a.c", "src/.git/b.c", "src/gen/carillon_config.h", "src/gen/c.c"], "", ([], [])),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_sources_and_headers_are_found_where_projects_have_them(name: str, tmp_path: Path) -> None:
    files, place, expected = LAYOUTS[name]
    tree(tmp_path / "p", *files)
    assert found_in(tmp_path / "p", name=f"{place}schedule.toml") == expected


def test_what_a_schedule_says_is_all_there_is(tmp_path: Path) -> None:
    tree(tmp_path, "a.c", "src/b.c", "src/c/d.c", "src/e.h", "lib/f.c", "lib/a[1].c", "inc/x.h", "lib/h/y.h")
    assert found_in(tmp_path, 'sources = ["src/*"]') == (["src/b.c"], ["inc"])
    assert found_in(tmp_path, 'sources = ["lib/f.c", "src/**/*.c", "src/b.c"]') == (["lib/f.c", "src/b.c", "src/c/d.c"], ["inc"])
    assert found_in(tmp_path, 'sources = ["lib/a[1].c"]\ninclude = ["lib/h"]') == (["lib/a[1].c"], ["lib/h"])
    assert found_in(tmp_path, "sources = []\ninclude = []") == ([], [])
    assert read(tmp_path, 'defines = ["A", "B=2"]').defines == ("A", "B=2")


def test_two_asterisks_do_not_go_into_links(tmp_path: Path) -> None:
    tree(tmp_path, "src/a.c", "lib/b.c")
    (tmp_path / "src" / "lib").symlink_to(tmp_path / "lib")
    assert found_in(tmp_path) == (["src/a.c"], ["."])
    assert found_in(tmp_path, 'sources = ["src/**/*.c"]')[0] == ["src/a.c"]
    assert found_in(tmp_path, 'sources = ["src/*.c", "src/lib/*.c"]')[0] == ["src/a.c", "src/lib/b.c"]


PARTS = st.sampled_from(["a", "b", "build", ".h", "CMakeFiles"])
NAMES = st.sampled_from(["m.c", "n.c", "o.cc", "x.h", ".p.c"])
TREES = st.sets(st.tuples(st.lists(PARTS, max_size=3), NAMES).map(lambda t: "/".join([*t[0], t[1]])), max_size=12)
PATTERNS = st.lists(st.sampled_from(["a", "b", "build", "*", "**", "?"]), max_size=3).flatmap(
    lambda folders: st.sampled_from(["*.c", "*", "m.*", "[mn].c"]).map(lambda name: "/".join([*folders, name]))
)


def expected(names: set[str], pattern: str) -> set[str]:
    """By a regular expression for the whole name; independent of ``Path.glob``."""
    parts = pattern.split("/")
    literal = next((k for k, part in enumerate(parts) if re.search(r"[*?[]", part)), len(parts) - 1)
    text = ""
    for part in parts[:-1]:
        text += "(?:[^/]+/)*" if part == "**" else part.replace("?", "[^/]").replace("*", "[^/]*") + "/"
    last = parts[-1].replace(".", r"\.").replace("*", "[^/]*")
    found = {name for name in names if re.fullmatch(text + last, name) and name.endswith((".c", ".cc"))}

    def seen(name: str) -> bool:
        free = name.split("/")[literal:]
        return not any(part.startswith(".") for part in free) and not {"build", "CMakeFiles"} & set(free[:-1])

    return {name for name in found if seen(name)}


@given(TREES, PATTERNS)
def test_patterns_match_what_a_regular_expression_does(
    tmp_path_factory: pytest.TempPathFactory, names: set[str], pattern: str
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    tree(folder, *names)
    found = matching(Search(folder, pattern, (".c", ".cc")))
    assert found == sorted(found)
    assert {str(path.relative_to(folder)) for path in found} == expected(names, pattern)
    shutil.rmtree(folder)


OIL = """OIL_VERSION = "2.5";
#include <theirs.oil>
CPU app {
  OS S { STATUS = EXTENDED; BUILD = TRUE { APP_SRC = "main.c"; APP_SRC = "pin.c"; CFLAGS = "-O2 -DLEVEL=3 -I inc -Igone"; }; };
  APPMODE Std;
  TASK Blink { PRIORITY = 2; ACTIVATION = 1; AUTOSTART = TRUE { APPMODE = Std; }; SCHEDULE = FULL; };
};
"""
MAIN = '#include "os.h"\n#include "level.h"\n#if LEVEL != 3\n#error\n#endif\nTASK(Blink) { toggle(LEVEL); TerminateTask(); }\n'
PIN = '#include "level.h"\nstatic volatile int pins[8];\nvoid toggle(int pin) { pins[pin] ^= 1; }\n'


def project(folder: Path) -> Path:
    """C files in src, headers in inc, the configuration in cfg, the tool's definitions in oil."""
    for name, text in {
        "cfg/app.oil": OIL,
        "oil/theirs.oil": "IMPLEMENTATION x { };\n",
        "src/main.c": MAIN,
        "src/pin.c": PIN,
        "inc/level.h": "void toggle(int pin);\n",
    }.items():
        tree(folder, name)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"}, prog_name="carillon")
    assert done.exit_code == code, done.output
    return done.output


@pytest.mark.compiles
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_a_project_of_another_tool_runs_as_it_lies_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project(tmp_path))
    board = ("--board", "virtual-tiny")
    assert "Blink" in run("run", "cfg/app.oil", "-I", "oil", "--for", "1ms", *board)
    assert "C files: src/main.c, src/pin.c; headers in inc\n" in run("build", "cfg/app.oil", "-I", "oil", *board)
    run("export", "cfg/app.oil", "-I", "oil", "-o", "arxml/app.arxml", *board)
    assert "Blink" in run("run", "arxml", "--for", "1ms", *board)
    run("import", "cfg/app.oil", "-I", "oil", "-o", "schedule.toml", *board)
    text = Path("schedule.toml").read_text(encoding="utf-8")
    assert 'sources = ["src/main.c", "src/pin.c"]\ndefines = ["LEVEL=3"]\ninclude = ["inc"]\n' in text
    assert "Blink" in run("run", "--for", "1ms", *board)


@pytest.mark.compiles
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_macros_of_another_compiler_are_defined_and_those_that_compilers_define_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project(tmp_path))
    flags = "-D__FAR_DATA -D__NEAR=2 -D __AVR_ATmega128__ -D__GNUC__=3 -DLEVEL=3 -DLEVEL=3"
    for name, old, new in (
        ("cfg/app.oil", "-O2 -DLEVEL=3", flags),
        ("src/main.c", "#if LEVEL != 3", "#if LEVEL != 3 || !defined __FAR_DATA || __NEAR != 2 || defined __AVR_ATmega128__"),
    ):
        text = Path(name).read_text(encoding="utf-8")
        assert old in text
        Path(name).write_text(text.replace(old, new), encoding="utf-8")
    said = run("build", "cfg/app.oil", "-I", "oil", "--board", "virtual-tiny")
    assert "warning C151: Carillon has no use for '-D__AVR_ATmega128__ -D__GNUC__=3" in said
    run("import", "cfg/app.oil", "-I", "oil", "-o", "schedule.toml", "--board", "virtual-tiny")
    assert 'defines = ["__FAR_DATA", "__NEAR=2", "LEVEL=3"]\n' in Path("schedule.toml").read_text(encoding="utf-8")


@pytest.mark.compiles
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_files_that_no_attribute_names_are_found_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project(tmp_path))
    path = Path("cfg/app.oil")
    path.write_text(re.sub(r"APP_SRC = \S+;|-I inc -Igone", "", OIL), encoding="utf-8")
    board = ("--board", "virtual-tiny")
    assert "C files: src/main.c, src/pin.c; headers in cfg, inc\n" in run("build", "cfg/app.oil", "-I", "oil", *board)
    Path("other").mkdir()
    run("import", "cfg/app.oil", "-I", "oil", "-o", "other", *board)
    assert "Blink" in run("run", "other", "--for", "1ms", *board)


def test_a_folder_of_includes_is_for_oil_files(tmp_path: Path) -> None:
    read(tmp_path)
    done = CliRunner().invoke(app, ["check", str(tmp_path), "-I", "inc"], env={"COLUMNS": "200"})
    assert done.exit_code == 2
    assert "-I is for files that an OIL file (*.oil) includes; folders of C headers are 'include' of [system]" in done.output
