# SPDX-License-Identifier: Apache-2.0
"""A build answers from its record only where it would do and say the same again; whatever else changed, it is done."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import asked
import carillon.pipeline
from carillon.cli import app
from carillon.reuse import whole
from sample import few, turn

pytestmark = [pytest.mark.compiles, pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")]

SCHEDULE = """[system]
name = "blink"
board = "own.toml"
[task.Blink]
period = "2ms"
wcet = "10us"
"""
CODE = '#include "own.h"\n#include "carillon/osektime.h"\n\nttTASK(Blink)\n{\n    count++;\n}\n'


class Project:
    """An application with a board of its own; ``planned``: how often its last build planned."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder, self.out, self.planned, self.meanwhile = folder, folder / "out", 0, lambda: None
        self.meanwhile: Callable[[], object]
        self.write("schedule.toml", SCHEDULE)
        self.write("own.toml", 'base = "virtual-tiny"\nname = "own"\n')
        self.write("app.c", CODE)
        self.write("own.h", "extern int count;\n")
        self.write("count.c", "int count;\n")
        plan = carillon.pipeline.plan

        def counted(*arguments: Any, **keywords: Any) -> Any:
            self.planned += 1
            found = plan(*arguments, **keywords)
            self.meanwhile()
            return found

        patch.setattr(carillon.pipeline, "plan", counted)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def build(self, *options: str, code: int = 0) -> str:
        """What a build prints."""
        time.sleep(0.02)  # a file system's clock may be some milliseconds late
        self.planned = 0
        done = CliRunner().invoke(app, ["build", str(self.folder / "schedule.toml"), "--out", str(self.out), *options])
        assert done.exit_code == code, done.output
        return done.output

    def files(self) -> dict[str, bytes]:
        """All that a build left, but for records and what the compiler said it had read."""
        found = [p for p in self.out.rglob("*") if p.is_file() and p.suffix not in (".json", ".d")]
        return {str(p.relative_to(self.out)): p.read_bytes() for p in found}

    @property
    def record(self) -> Path:
        return self.out / whole.RECORD


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    project = Project(tmp_path, monkeypatch)
    project.build()
    assert project.planned == 1
    assert project.record.is_file()
    return project


def test_nothing_is_planned_where_nothing_changed(project: Project) -> None:
    before = project.files()
    said = project.build()
    assert project.planned == 0
    assert "flash" in said
    assert "verified: " in said
    machine = json.loads(project.build("--json"))
    assert project.planned == 0
    shutil.rmtree(project.out)
    assert project.build() == said
    assert (project.planned, project.files()) == (1, before)
    project.record.unlink()
    assert json.loads(project.build("--json")) == machine
    assert project.planned == 1


def test_warnings_are_said_again(project: Project) -> None:
    project.write("schedule.toml", SCHEDULE + '[task.Idle]\nwcet = "1us"\n')
    project.write("app.c", CODE + "ttTASK(Idle)\n{\n}\n")
    said = project.build()
    assert project.planned == 1
    assert "warning C047" in said
    assert project.build() == said
    assert json.loads(project.build("--json"))["diagnostics"][0]["code"] == "C047"
    assert project.planned == 0


CHANGES: dict[str, Callable[[Project], object]] = {
    "the schedule": lambda p: p.write("schedule.toml", SCHEDULE.replace("2ms", "4ms")),
    "the board": lambda p: p.write("own.toml", 'base = "virtual-tiny"\nname = "own"\nsummary = "other"\n'),
    "a source": lambda p: p.write("app.c", CODE + "\n"),
    "a header": lambda p: p.write("own.h", "extern volatile int count;\n"),
    "a source more": lambda p: p.write("more.c", "int more;\n"),
    "a source of C++ more": lambda p: p.write("more.cpp", "int more;\n"),
    "a folder of headers": lambda p: (p.folder / "inc").mkdir(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_was_read_is_looked_at(project: Project, change: str) -> None:
    CHANGES[change](project)
    project.build()
    assert project.planned == 1


@pytest.mark.parametrize(
    "options", [("--no-verify",), ("--time-limit", "5"), ("--kernel", "conventional"), ("--board", "virtual-256")]
)
def test_another_question_has_another_answer(project: Project, options: tuple[str, ...]) -> None:
    said = project.build(*options)
    assert project.planned == 1
    assert ("not verified" in said) == (options[0] in ("--no-verify", "--kernel"))
    assert "verified: " in project.build()
    assert project.planned == 1


def test_a_source_that_is_gone_is_missed(project: Project) -> None:
    (project.folder / "count.c").unlink()
    project.build(code=1)
    assert project.planned == 1
    project.build(code=1)
    assert project.planned == 1


def test_the_tool_and_the_environment_decide_too(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    own = whole._tool_files
    more = project.folder / "pass.py"
    more.write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setattr(whole, "_tool_files", lambda: [*own(), more])
    project.build()
    assert project.planned == 1
    project.build()
    assert project.planned == 0
    more.write_text("x = 2\n", encoding="utf-8")
    project.build()
    assert project.planned == 1
    for name, value in (("CPATH", str(project.folder / "none")), ("PYTHONPATH", "")):
        monkeypatch.setenv(name, value)
        project.build()
        assert project.planned == (name == "CPATH")
    monkeypatch.setattr(whole, "_packages", lambda: {"ortools-99.dist-info"})
    project.build()
    assert project.planned == 1
    (name,) = json.loads(project.record.read_text(encoding="utf-8"))["programs"]
    compiler = project.folder / "bin" / name
    compiler.parent.mkdir()
    compiler.symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", f"{compiler.parent}{os.pathsep}{os.environ['PATH']}")
    project.build()
    assert project.planned == 1


def test_the_boards_kernels_ports_and_cells_files_are_the_tools() -> None:
    names = {p.name for p in whole._tool_files()}
    assert {"solve.py", "cell.toml", "board.toml", "carillon_port.h", "mode.c", "costs.toml"} <= names
    assert not any(p.suffix == ".pyc" for p in whole._tool_files())


def damaged(path: Path, draw: random.Random) -> str:
    """Change a file: a bit, its end, or all of it."""
    content = bytearray(path.read_bytes())
    how = draw.choice(["bit", "cut", "more", "empty", "gone"])
    if how == "bit":
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    elif how == "cut":
        del content[draw.randrange(len(content)) :]
    elif how == "more":
        content += b"\n"
    elif how == "empty":
        content.clear()
    path.write_bytes(content)
    if how == "gone":
        path.unlink()
    return how


FIRST = int(asked.seed(turn("damages", 10**6))) * 12


@pytest.mark.parametrize("seed", range(FIRST, FIRST + few(12)))
def test_what_was_written_is_as_it_was_after_every_build(project: Project, seed: int) -> None:
    draw = random.Random(seed)
    before, said = project.files(), project.build()
    written = sorted(p for p in project.out.rglob("*") if p.is_file() and p.suffix != ".d")
    path = project.record if seed % 3 == 0 else draw.choice(written)
    how = damaged(path, draw)
    assert project.build() == said, (path, how)
    assert project.files() == before, (path, how)
    # The image is linked anew; a record may mean the same with an empty line more.
    assert project.planned == (path.suffix != ".elf") or (path.suffix == ".json" and how == "more"), (path, how)
    project.build()
    assert project.planned == 0


@pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None, reason="needs arm-none-eabi-gcc")
def test_what_is_only_written_is_looked_at(project: Project) -> None:
    project.build("--board", "mps2-an385")
    before = project.files()
    for name in ("generated/manifest.json", "blink.hex", "blink.bin"):
        path = project.out / name
        content = path.read_bytes()
        path.write_bytes(content + b" ")
        project.build("--board", "mps2-an385")
        assert (project.planned, path.read_bytes()) == (1, content), name
    assert project.files() == before


def test_a_record_of_another_build_decides_nothing(project: Project) -> None:
    record = json.loads(project.record.read_text(encoding="utf-8"))
    record["answer"]["lines"] = ["verified: everything"]
    project.record.write_text(json.dumps(record), encoding="utf-8")
    assert "everything" not in project.build()
    assert project.planned == 1


def test_a_linker_that_makes_something_else_is_believed(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    link = subprocess.run

    def other(command: list[str], **keywords: Any) -> Any:
        done = link(command, **keywords)
        with Path(command[command.index("-o") + 1]).open("ab") as image:
            image.write(b"other library")
        return done

    monkeypatch.setattr(subprocess, "run", other)
    question = json.loads(project.record.read_text(encoding="utf-8"))["asked"]
    assert whole.recall([project.out], question) is None
    monkeypatch.setattr(subprocess, "run", link)
    assert whole.recall([project.out], question) is not None


def test_a_file_that_is_written_during_the_build_leaves_no_record(project: Project) -> None:
    project.write("app.c", CODE + "\n")
    project.meanwhile = lambda: project.write("schedule.toml", SCHEDULE.replace("2ms", "4ms"))
    project.build()
    assert not project.record.exists()
    project.meanwhile = lambda: None
    project.build()
    assert (project.planned, project.record.exists()) == (1, True)


def test_a_failed_build_leaves_no_record(project: Project) -> None:
    project.write("app.c", CODE + "#error no\n")
    project.build(code=1)
    assert not project.record.exists()
    project.write("app.c", CODE)
    project.build()
    assert project.planned == 1


def test_an_include_that_would_now_be_found_elsewhere_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project(tmp_path, monkeypatch)
    (tmp_path / "parts").mkdir()
    project.write("app.c", "#include <os.h>\nTASK(Blink)\n{\n    TerminateTask();\n}\n")
    task = "TASK Blink {{ PRIORITY = 1; SCHEDULE = FULL; ACTIVATION = 1; AUTOSTART = {}; }};\n"
    project.write("main.oil", 'CPU own { OS O { STATUS = STANDARD; };\n#include "parts/first.oil"\n};\n')
    project.write("parts/first.oil", '#include "second.oil"\n')
    project.write("second.oil", task.format("FALSE"))

    def build() -> int:
        project.planned = 0
        time.sleep(0.02)
        arguments = ["build", str(tmp_path / "main.oil"), "--board", "virtual-tiny", "--out", str(project.out)]
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, done.output
        return project.planned

    (tmp_path / "count.c").unlink()
    assert build() == 1
    assert build() == 0
    project.write("parts/second.oil", task.format("TRUE { APPMODE = OSDEFAULTAPPMODE; }"))
    assert build() == 1


def test_an_arxml_file_that_appears_in_the_folder_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = (
        '<AUTOSAR xmlns="http://autosar.org/schema/r4.0"><AR-PACKAGES><AR-PACKAGE><SHORT-NAME>E</SHORT-NAME><ELEMENTS>'
        "<ECUC-MODULE-CONFIGURATION-VALUES><SHORT-NAME>Os</SHORT-NAME><DEFINITION-REF>/A/Os</DEFINITION-REF><CONTAINERS>%s"
        "</CONTAINERS></ECUC-MODULE-CONFIGURATION-VALUES></ELEMENTS></AR-PACKAGE></AR-PACKAGES></AUTOSAR>"
    )
    task = (
        "<ECUC-CONTAINER-VALUE><SHORT-NAME>Blink</SHORT-NAME><DEFINITION-REF>/A/Os/OsTask</DEFINITION-REF><PARAMETER-VALUES>"
        "<ECUC-NUMERICAL-PARAM-VALUE><DEFINITION-REF>/A/Os/OsTask/%s</DEFINITION-REF><VALUE>2</VALUE>"
        "</ECUC-NUMERICAL-PARAM-VALUE></PARAMETER-VALUES></ECUC-CONTAINER-VALUE>"
    )
    (tmp_path / "a.arxml").write_text(file % (task % "OsTaskPriority"), encoding="utf-8")
    (tmp_path / "app.c").write_text('#include "os.h"\nTASK(Blink)\n{\n    TerminateTask();\n}\n', encoding="utf-8")
    planned = []
    plan = carillon.pipeline.plan
    monkeypatch.setattr(carillon.pipeline, "plan", lambda *a, **k: planned.append(1) or plan(*a, **k))
    for expected in (1, 0):
        time.sleep(0.02)
        planned.clear()
        done = CliRunner().invoke(app, ["build", str(tmp_path), "--board", "virtual-ast1030-evb"])
        assert done.exit_code == 0, done.output
        assert len(planned) == expected
    (tmp_path / "b.arxml").write_text(file % (task % "OsTaskActivation"), encoding="utf-8")
    assert CliRunner().invoke(app, ["build", str(tmp_path), "--board", "virtual-ast1030-evb"]).exit_code == 0
    assert planned == [1]


def test_a_schedule_of_the_working_folder_is_not_planned_twice(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.folder)
    for planned in (1, 0):
        time.sleep(0.02)
        project.planned = 0
        done = CliRunner().invoke(app, ["build", "schedule.toml"])
        assert done.exit_code == 0, done.output
        assert project.planned == planned


def test_folders_and_files_that_a_schedule_names_are_looked_for(project: Project) -> None:
    project.write("schedule.toml", SCHEDULE.replace("[task", 'include = ["inc"]\n[task', 1))
    (project.folder / "inc").mkdir()
    project.build()
    project.build()
    assert project.planned == 0
    (project.folder / "inc").rmdir()
    assert "C027" in project.build(code=1)


OIL = """OIL_VERSION = "2.5";
CPU c {
    OS o { CARILLON_BOARD = "virtual-tiny"; BUILD = TRUE { APP_SRC = "main.c"; CFLAGS = "-Iinc"; }; };
    TASK A { PRIORITY = 1; SCHEDULE = FULL; };
};
"""


def test_files_that_appear_before_those_of_an_oil_file_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "app.oil").write_text(OIL, encoding="utf-8")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.c").write_text('#include "carillon/osek.h"\nTASK(A)\n{\n}\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def built(code: int = 0) -> str:
        time.sleep(0.02)
        done = CliRunner().invoke(app, ["build", "app.oil"])
        assert done.exit_code == code, done.output
        return done.output

    assert "headers in" not in built()
    assert next((tmp_path / "build").rglob(whole.RECORD)).is_file()
    (tmp_path / "inc").mkdir()
    assert "headers in inc" in built()
    (tmp_path / "main.c").write_text("#error beside\n", encoding="utf-8")
    assert "#error beside" in built(1)
