# SPDX-License-Identifier: Apache-2.0
"""A mode that takes more than the processor is an error of every command, on both machines, and one that takes all of it is
warned of."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from carillon.cli import app

PROGRAM = """output int oa := zero; int ob := zero;
task a () output (oa) state () {{ schedule fa(oa) }} [wcet {}]
task b () output (ob) state () {{ schedule fb(ob) }} [wcet 10]
start m {{ mode m () period 20 {{ taskfreq 2 do a(); taskfreq 1 do b(); }} }}
"""
COMMANDS = [("giotto",)] + [
    (verb, *machine) for verb in ("check", "plan", "build", "run") for machine in ((), ("--machine", "cells"))
]


def said(folder: Path, wcet: str, command: tuple[str, ...]) -> str:
    """What a command says of a program that takes as much more than half the processor as ``wcet`` is in ten."""
    path = folder / "program.giotto"
    path.write_text(PROGRAM.format(wcet), encoding="utf-8")
    verb, *options = command
    return CliRunner().invoke(app, [verb, str(path), *options], env={"COLUMNS": "400"}).output


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_more_than_the_processor_is_refused_by_every_command(command: tuple[str, ...], tmp_path: Path) -> None:
    assert "4:16: error C268: the tasks of the mode m take 110 % of the processor" in said(tmp_path, "6", command)
    assert not list(tmp_path.rglob("*.elf"))


@pytest.mark.parametrize("command", [c for c in COMMANDS if c[0] in ("giotto", "check")], ids=" ".join)
@pytest.mark.parametrize(("wcet", "share"), [("5", "100"), ("4600us", "96"), ("4500us", ""), ("1", "")])
def test_what_leaves_the_kernel_nothing_is_warned_of(command: tuple[str, ...], wcet: str, share: str, tmp_path: Path) -> None:
    found = said(tmp_path, wcet, command)
    assert "error" not in found.replace("no errors", "")
    warning = f"warning C246: the tasks of the mode m take {share} % of the processor"
    assert warning in found if share else "C246" not in found
