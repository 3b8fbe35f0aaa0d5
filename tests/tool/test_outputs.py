# SPDX-License-Identifier: Apache-2.0
"""What cannot be written is refused before anything is built or run, by the name that the user gave it."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import carillon.pipeline
from bench.papers import commands
from bench.papers.benchmarks import BENCHMARKS, Benchmark
from carillon.cli import app
from carillon.files import replacing, write_text

FILES = ("--events", "--html", "--svg", "--perfetto", "--vcd", "--depfile")
SCHEDULE = '[system]\nboard = "virtual-tiny"\n[task.a]\nperiod = "1ms"\n'


@pytest.fixture(autouse=True)
def application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A schedule that nobody plans: a command that gets so far fails otherwise."""
    monkeypatch.chdir(tmp_path)
    Path("schedule.toml").write_text(SCHEDULE, encoding="utf-8")
    Path("file").touch()
    Path("folder").mkdir()
    monkeypatch.setattr(carillon.pipeline, "plan", lambda *_: pytest.fail("it began to work"))


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def command(option: str) -> str:
    return {"--events": "run", "--depfile": "build"}.get(option, "show")


@pytest.mark.parametrize("option", FILES)
@pytest.mark.parametrize(
    ("path", "cause"),
    [
        ("gone/output", "No such file or directory ('gone')"),
        ("file/output", "Not a directory ('file')"),
        ("folder", "Is a directory"),
        ("/proc/output", "No such file or directory"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_the_run(option: str, path: str, cause: str) -> None:
    before = sorted(Path().rglob("*"))
    result = run(command(option), option, path)
    assert result.exit_code == 1
    assert f"error C096: {option} '{path}': {cause}\n" in result.stderr
    assert sorted(Path().rglob("*")) == before


@pytest.mark.parametrize("verb", ["build", "run", "show"])
@pytest.mark.parametrize("path", ["file", "file/build", "/proc/build"])
def test_a_folder_that_cannot_be_made_is_refused_before_the_build(verb: str, path: str) -> None:
    result = run(verb, "--out", path)
    assert result.exit_code == 1
    assert f"error C096: --out '{path}': " in result.stderr


def test_all_outputs_that_cannot_be_written_are_reported_at_once() -> None:
    result = run("show", "--html", "gone/a", "--svg", "gone/b", "--json")
    assert result.exit_code == 1
    assert [d["code"] for d in json.loads(result.stdout)["diagnostics"]] == ["C096", "C096"]


def test_two_outputs_are_not_one_file() -> None:
    result = run("show", "--html", "a", "--svg", "folder/../a")
    assert result.exit_code == 2
    assert "--html and --svg name the same file" in result.stderr


@pytest.mark.parametrize(
    ("path", "cause"),
    [
        ("file", "File exists"),
        ("folder", "File exists"),
        ("dangling", "File exists"),
        ("schedule.toml", ""),
        ("gone/line", "No such file or directory ('gone')"),
        ("file/line", "Not a directory ('file')"),
        ("l" * 108, "File name too long"),
    ],
)
def test_a_serial_line_takes_the_place_of_nothing_but_a_socket(path: str, cause: str) -> None:
    Path("dangling").symlink_to("gone")
    before = {p: p.read_bytes() for p in Path().rglob("*") if p.is_file()}
    result = run("run", "--serial", path)
    if cause:
        assert result.exit_code == 1
        assert f"error C096: --serial '{path}': {cause}\n" in result.stderr
    else:
        assert result.exit_code == 2
        assert f"--serial would overwrite '{path}', which is read" in result.stderr
    assert {p: p.read_bytes() for p in Path().rglob("*") if p.is_file()} == before


def test_a_serial_line_takes_the_place_of_a_socket() -> None:
    with socket.socket(socket.AF_UNIX) as old:
        old.bind("line")
    with pytest.raises(pytest.fail.Exception, match="it began to work"):
        CliRunner().invoke(app, ["run", "--serial", "line"], catch_exceptions=False)


@pytest.mark.parametrize("option", FILES)
def test_what_is_read_is_not_overwritten(option: str) -> None:
    result = run(command(option), option, "folder/../schedule.toml")
    assert result.exit_code == 2
    assert f"{option} would overwrite 'folder/../schedule.toml', which is read" in result.stderr
    assert Path("schedule.toml").read_text(encoding="utf-8") == SCHEDULE


def test_pictures_that_cannot_be_written_are_refused_before_the_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    name = next(iter(BENCHMARKS))
    monkeypatch.setitem(BENCHMARKS, name, Benchmark(lambda *_: pytest.fail("it began to measure")))
    result = CliRunner().invoke(commands.app, [name, "--plots", "file/pictures"])
    assert result.exit_code == 1
    assert "error C096: file: " in result.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to this user")
def test_a_folder_without_permission_is_refused() -> None:
    Path("folder").chmod(0o500)
    assert "error C096: --html 'folder/a': Permission denied" in run("show", "--html", "folder/a").stderr


def test_what_fails_while_it_is_written_is_named_as_the_user_did_and_leaves_nothing() -> None:
    Path("kept").write_text("kept", encoding="utf-8")
    with pytest.raises(OSError, match="No space left on device: 'kept'"), replacing(Path("kept")) as stream:
        stream.write("half")
        raise OSError(28, "No space left on device")
    assert Path("kept").read_text(encoding="utf-8") == "kept"
    with pytest.raises(OSError, match="'gone/file'"), replacing(Path("gone/file")):
        pass
    assert not list(Path().glob(".*"))


def test_a_link_stays_a_link_and_a_device_a_device() -> None:
    Path("link").symlink_to("folder/target")
    write_text(Path("link"), "text")
    assert Path("link").is_symlink()
    assert Path("folder/target").read_text(encoding="utf-8") == "text"
    write_text(Path("/dev/null"), "text")
    assert Path("/dev/null").is_char_device()
