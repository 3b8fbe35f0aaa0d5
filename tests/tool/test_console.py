# SPDX-License-Identifier: Apache-2.0
"""What the tool prints is what it has to say: no text is taken for markup or for a picture's name, and no line is wrapped."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

LONG = "x" * 300
SAID = f"a :100: b [bold]c[/] :smile:\t{LONG} [/x] end\\a \\n\\n"
CODE = f"""
#include <stdio.h>

#include "carillon/osektime.h"

void A(void)
{{
    (void)fputs("{SAID}", stdout);
}}
"""
SCHEDULE = "[system]\nboard = 'virtual-256'\n[task.A]\nperiod = '1ms'\n"


def carillon(folder: Path, *arguments: str, columns: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    environment |= {"COLUMNS": columns} if columns else {}
    command = [sys.executable, "-c", "from carillon.cli import main; main()", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=100, check=False)


def in_a_terminal(folder: Path, *arguments: str) -> str:
    """The same where both outputs are a terminal, without what colours it."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", "from carillon.cli import main; main()", *arguments]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "60"}
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=theirs, stderr=theirs, stdin=theirs) as process:
        os.close(theirs)
        said = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            said += part
        process.wait(timeout=100)
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;]*m", "", said.decode()).replace("\r\n", "\n")


def wrong(folder: Path) -> str:
    """A schedule with an error on line 100, whose text looks like markup; returns the message."""
    text = "\n" * 99 + f"'[bold]:smile:{LONG[:20]}' = 1\n" + SCHEDULE
    (folder / "schedule.toml").write_text(text, encoding="utf-8")
    return "schedule.toml:100:1: error C013: unknown table or key '[bold]:smile:"


@pytest.mark.parametrize("columns", [None, "40"])
def test_a_diagnostic_on_line_100_is_printed_as_it_is(tmp_path: Path, columns: str | None) -> None:
    message = wrong(tmp_path)
    said = carillon(tmp_path, "check", columns=columns).stderr.splitlines()
    assert said[0].startswith(message)
    assert said[1].startswith("  help: ")
    assert said[2] == "1 error; carillon explain C013 says more"
    assert len(said) == 3


def test_a_diagnostic_in_a_terminal_is_the_same(tmp_path: Path) -> None:
    wrong(tmp_path)
    assert carillon(tmp_path, "check").stderr in in_a_terminal(tmp_path, "check")


@pytest.mark.parametrize("columns", [None, "40"])
def test_the_application_s_own_output_is_printed_as_it_is(tmp_path: Path, columns: str | None) -> None:
    (tmp_path / "schedule.toml").write_text(SCHEDULE, encoding="utf-8")
    (tmp_path / "main.c").write_text(CODE, encoding="utf-8")
    result = carillon(tmp_path, "run", columns=columns)
    assert result.returncode == 0, result.stderr
    expected = SAID.replace("\\a", "\a").replace("\\n", "\n")
    assert f"\noutput of carillon:\n{expected}" in result.stdout
    assert result.stdout.endswith(expected)


@pytest.mark.parametrize("columns", ["0", "00", "99999999999", "10001", "-80", "eighty", "8e1", "\u0663\u0663"])
def test_columns_that_are_no_width_are_as_if_nothing_were_said(tmp_path: Path, columns: str) -> None:
    (tmp_path / "schedule.toml").write_text(SCHEDULE, encoding="utf-8")
    plain = carillon(tmp_path, "plan")
    assert "virtual-256" in plain.stdout
    assert carillon(tmp_path, "plan", columns=columns).stdout == plain.stdout


@pytest.mark.parametrize("columns", ["0", "3", "99999999999"])
def test_help_has_room(tmp_path: Path, columns: str) -> None:
    said = carillon(tmp_path, "plan", "--help", columns=columns)
    assert said.returncode == 0, said.stderr
    assert said.stdout == carillon(tmp_path, "plan", "--help", columns="40" if columns == "3" else None).stdout


@pytest.mark.parametrize("columns", ["1", "39"])
def test_in_too_few_columns_it_is_as_in_the_least(tmp_path: Path, columns: str) -> None:
    (tmp_path / "schedule.toml").write_text(SCHEDULE, encoding="utf-8")
    said = carillon(tmp_path, "plan", columns=columns)
    assert said.returncode == 0, said.stderr
    assert said.stdout == carillon(tmp_path, "plan", columns="40").stdout
    assert said.stdout != carillon(tmp_path, "plan", columns="10000").stdout


def test_a_path_is_printed_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / f"[bold]:100:{LONG[:120]}"
    folder.mkdir()
    (folder / "schedule.toml").write_text(SCHEDULE + "[mode.", encoding="utf-8")
    said = carillon(tmp_path, "check", folder.name).stderr
    assert re.match(re.escape(folder.name) + r"/schedule\.toml:5:\d+: error C011: ", said)


def test_a_tab_in_a_diagnostic_stays_one(tmp_path: Path) -> None:
    folder = tmp_path / "one\ttwo"
    folder.mkdir()
    (folder / "schedule.toml").write_text(SCHEDULE + "[mode.", encoding="utf-8")
    assert carillon(tmp_path, "check", folder.name).stderr.startswith("one\ttwo/schedule.toml:5:")
    (tmp_path / "app.oil").touch()
    said = carillon(tmp_path, "import", "app.oil", "-o", folder.name).stderr
    assert said.startswith("error C097: 'one\ttwo/schedule.toml' exists already\n")


def test_a_locale_without_the_characters_of_a_message_hides_nothing(tmp_path: Path) -> None:
    schedule = tmp_path / "schedule.toml"
    command = [sys.executable, "-c", "from carillon.cli import main; main()"]
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}

    def run(verb: str, text: str) -> subprocess.CompletedProcess[str]:
        schedule.write_text(text, encoding="utf-8")
        return subprocess.run(
            [*command, verb], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=100, check=False
        )

    refused = run("check", "'sekundä' = 1\n")
    assert refused.returncode == 1
    assert "unknown table or key 'sekund\\xe4'" in refused.stderr
    planned = run("plan", SCHEDULE)
    assert planned.returncode == 0, planned.stderr
    assert "\\u25cf" in planned.stdout  # the mark of an activation
