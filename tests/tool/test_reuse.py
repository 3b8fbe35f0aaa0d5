# SPDX-License-Identifier: Apache-2.0
"""A build compiles again what an earlier one did not make of the same files in the same way, and nothing else."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

import carillon.build
from carillon.build import Firmware, build
from carillon.diagnostics import Diagnostic, Diagnostics, Severity
from carillon.pipeline import plan
from carillon.reuse.objects import Reuse, dependencies

pytestmark = [pytest.mark.compiles, pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")]

SCHEDULE = '[system]\nname = "blink"\nboard = "virtual-tiny"\n[task.Blink]\nperiod = "2ms"\nwcet = "10us"\n'
CODE = '#include "own.h"\n#include "carillon/osektime.h"\n#include <stdint.h>\n\nttTASK(Blink)\n{\n    count++;\n}\n'


class Project:
    """An application of two files, and the compiler's runs of its last build."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder, self.compiled, self.found = folder, list[str](), list[Diagnostic]()
        self.write("schedule.toml", SCHEDULE)
        self.write("app.c", CODE)
        self.write("own.h", "extern int count;\n")
        self.write("count.c", "int count;\n")
        run = subprocess.run

        def counted(command: list[str], **keywords: Any) -> subprocess.CompletedProcess[str]:
            if "-c" in command:
                self.compiled.append(Path(command[command.index("-c") + 1]).name)
            return run(command, **keywords)  # type: ignore[no-any-return]

        patch.setattr(carillon.build.subprocess, "run", counted)

    def write(self, name: str, text: str) -> None:
        """Write a file, which then is older than what is compiled next."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def build(self) -> Firmware:
        self.compiled.clear()
        time.sleep(0.02)  # a file system's clock may be some milliseconds late
        diagnostics = Diagnostics()
        firmware = build(plan(self.folder / "schedule.toml", diagnostics).image, self.folder / "out", diagnostics)
        assert firmware is not None, diagnostics.reported
        self.found = diagnostics.reported
        return firmware

    def object(self, name: str) -> Path:
        (found,) = (self.folder / "out" / "objects").glob(f"*_{name}.o")
        return found


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    project = Project(tmp_path, monkeypatch)
    project.build()
    assert {"app.c", "count.c", "tables.c"} < set(project.compiled)
    return project


def test_nothing_is_compiled_again_if_nothing_changed(project: Project) -> None:
    before = project.build().elf.read_bytes()
    assert project.compiled == []
    shutil.rmtree(project.folder / "out")
    assert project.build().elf.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "text", "compiled"),
    [
        ("app.c", CODE + "\n", ["app.c"]),
        ("own.h", "extern volatile int count;\n", ["app.c"]),
        ("count.c", "volatile int count;\n", ["count.c"]),
        ("third.c", "int third;\n", ["third.c"]),
        ("stdint.h", "#include_next <stdint.h>\n", []),  # beside app.c, where <...> is not looked for: no harm if it is compiled
    ],
)
def test_what_a_change_concerns_is_compiled_again(project: Project, name: str, text: str, compiled: list[str]) -> None:
    project.write(name, text)
    project.build()
    assert set(compiled) <= set(project.compiled) <= {*compiled, "app.c"}
    project.build()
    assert set(project.compiled) <= {"app.c"}


def test_a_changed_schedule_compiles_what_is_generated_from_it(project: Project) -> None:
    project.write("schedule.toml", SCHEDULE.replace("2ms", "4ms"))
    project.build()
    assert set(project.compiled) == {"tables.c", "vectors.c"}


def test_a_header_that_comes_first_now_is_seen(project: Project) -> None:
    first = project.folder / "carillon" / "osektime.h"
    header = carillon.build.data_root() / "kernel" / "api" / "carillon" / "osektime.h"
    project.write("carillon/osektime.h", f'#include "{header}"\n#define FIRST 1\n')
    project.build()
    assert project.compiled == ["app.c"]
    assert str(first) in dependencies(project.object("app.c").with_suffix(".d").read_text(encoding="utf-8"))


@pytest.mark.parametrize("suffix", [".o", ".json"])
@pytest.mark.parametrize("content", [b"", b'{"read": []}', b"[1]", b"\xff\0"])
def test_an_object_or_a_record_that_is_damaged_is_made_again(project: Project, suffix: str, content: bytes) -> None:
    before = project.object("app.c").read_bytes()
    project.object("app.c").with_suffix(suffix).write_bytes(content)
    project.build()
    assert project.compiled == ["app.c"]
    assert project.object("app.c").read_bytes() == before


def test_another_environment_or_another_option_compiles_everything(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = len(list((project.folder / "out" / "objects").glob("*.o")))
    monkeypatch.setenv("CPATH", str(project.folder / "none"))
    project.build()
    assert len(project.compiled) == everything
    options = carillon.build.manifest

    def other(*arguments: Any) -> Any:
        found = options(*arguments)
        return found | {"compile_options": [*found["compile_options"], "-DOTHER"]}

    monkeypatch.setattr(carillon.build, "manifest", other)
    project.build()
    assert len(project.compiled) == everything


def test_a_failed_compilation_leaves_nothing_to_be_reused(project: Project) -> None:
    project.write("app.c", CODE + "#error no\n")
    with pytest.raises(AssertionError, match="C091"):
        project.build()
    project.write("app.c", CODE)
    project.build()
    assert project.compiled == ["app.c"]


def test_a_file_that_is_written_while_the_compiler_runs_leaves_no_record(project: Project) -> None:
    target = project.object("app.c")
    record = target.with_suffix(".json")
    command = [str(shutil.which("gcc"))]
    record.unlink()
    Reuse().note(command, target, time.time_ns(), "")
    assert record.is_file()
    record.unlink()
    began = time.time_ns() - 10**10
    project.write("own.h", "extern int count;\n")
    Reuse().note(command, target, began, "")
    assert not record.exists()


def test_the_names_of_a_rule_are_those_of_the_files(tmp_path: Path) -> None:
    names = ["plain.h", "with space.h", "a#b.h", "dollar$.h", "back\\slash.h"]
    for name in names:
        (tmp_path / name).touch()
    (tmp_path / "code.c").write_text("".join(f'#include "{name}"\n' for name in names), encoding="utf-8")
    subprocess.run(["gcc", "-MD", "-c", "code.c", "-o", "code.o"], cwd=tmp_path, check=True)
    read = dependencies((tmp_path / "code.d").read_text(encoding="utf-8"))
    assert [name for name in read if not name.startswith("/")] == ["code.c", *names]


def test_the_warnings_of_the_application_are_shown_at_their_place_by_every_build_until_they_are_mended(project: Project) -> None:
    project.write("count.c", "int count;\nvoid more(void)\n{\n    int unused;\n}\n")
    for compiled in (["count.c"], []):
        project.build()
        assert (project.compiled, [d.code for d in project.found]) == (compiled, ["C098"])
        (warning,) = project.found
        assert warning.severity is Severity.WARNING
        assert warning.span is not None
        assert (warning.span.file, warning.span.line, warning.span.column) == ("count.c", 4, 9)
        assert "-Wunused-variable" in warning.cause
    project.write("count.c", "int count;\n")
    project.build()
    assert project.found == []


def test_a_refusal_is_shown_at_the_first_place_that_the_compiler_names_in_the_file(project: Project) -> None:
    project.write("own.h", "extern int count;\nstatic int other(void) { return nothing; }\n")
    project.write("count.c", "int count;\nvoid more(void)\n{\n    none = 1;\n}\n")
    diagnostics = Diagnostics()
    assert build(plan(project.folder / "schedule.toml", diagnostics).image, project.folder / "out", diagnostics) is None
    places = {d.span.file: (d.span.line, d.span.column) for d in diagnostics.reported if d.span is not None and d.code == "C091"}
    assert places == {"count.c": (4, 5), "app.c": (1, 1)}
