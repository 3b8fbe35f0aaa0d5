# SPDX-License-Identifier: Apache-2.0
"""Every rejected network is a file, bad_network/NAME.toml, beside the exact messages it must produce, bad_network/NAME.txt.

``CARILLON_ACCEPT=1 pytest tests/tool/test_bad_networks.py`` writes what comes out; read it before you commit it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from carillon.cli import app
from carillon.diagnostics import Diagnostics
from carillon.explain import explain
from carillon.read.network import read_network

BAD = Path(__file__).parent / "bad_network"
NAMES = sorted(path.stem for path in BAD.glob("*.toml"))
EXAMPLE = re.compile(r"^(Wrong|Right):\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
READ = ("C225", "C226", "C227", "C229", "C230")


def messages(path: Path) -> str:
    diagnostics = Diagnostics()
    network = read_network(path, diagnostics)
    assert network is not None or diagnostics.errors
    return "".join(f"{diagnostic}\n" for diagnostic in diagnostics.in_order())


@pytest.mark.parametrize("name", NAMES)
def test_a_bad_network_produces_exactly_the_messages_beside_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BAD)
    found = messages(Path(f"{name}.toml"))
    if os.environ.get("CARILLON_ACCEPT"):
        (BAD / f"{name}.txt").write_text(found, encoding="utf-8")
    assert found == (BAD / f"{name}.txt").read_text(encoding="utf-8")
    assert found, "a bad network must be reported"


def test_every_expected_message_belongs_to_a_network() -> None:
    assert sorted(path.stem for path in BAD.glob("*.txt")) == NAMES


@pytest.mark.parametrize("code", READ)
def test_the_wrong_network_is_reported_with_its_code_and_the_right_one_not_at_all(code: str, tmp_path: Path) -> None:
    entry = explain(code)
    assert entry is not None
    (tmp_path / "node").mkdir()
    (tmp_path / "node" / "schedule.toml").write_text("")
    examples = EXAMPLE.findall(entry.text)
    assert [kind for kind, _ in examples] == ["Wrong", "Right"]
    for kind, text in examples:
        (tmp_path / "network.toml").write_text(text)
        diagnostics = Diagnostics()
        read_network(tmp_path / "network.toml", diagnostics)
        assert {d.code for d in diagnostics.reported} == ({code} if kind == "Wrong" else set()), text


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["run", *arguments])
    return result.exit_code, result.output


def test_a_node_on_a_board_that_is_not_virtual_is_refused(tmp_path: Path) -> None:
    (tmp_path / "node").mkdir()
    (tmp_path / "node" / "schedule.toml").write_text('[task.Send]\nperiod = "1ms"\n')
    (tmp_path / "network.toml").write_text('[[node]]\nname = "left"\nschedule = "node"\n')
    code, output = run(str(tmp_path / "network.toml"))
    assert code == 1
    assert "network.toml:3:12: error C228: node 'left' is on board 'ast1030-evb', which no network can run" in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--board", "virtual-256"), "--board does not fit a network"),
        (("--rounds", "2"), "--rounds does not fit a network"),
        (("--for", "3 apples"), "--for '3 apples'"),
        (("--for", "1ms", "--window", "2ms..3ms"), "begins after the run"),
    ],
)
def test_options_that_do_not_fit_a_network_are_refused(arguments: tuple[str, ...], message: str) -> None:
    code, output = run(str(BAD / "names.toml"), *arguments)
    assert code == 2
    assert message in " ".join(output.split())


def test_options_of_networks_are_refused_elsewhere(tmp_path: Path) -> None:
    schedule = tmp_path / "schedule.toml"
    schedule.write_text('[task.Send]\nperiod = "1ms"\n')
    for option, value in (("--record", "1ms"), ("--offsets", str(tmp_path / "x.svg"))):
        code, output = run(str(schedule), option, value)
        assert code == 2
        assert f"{option} is for networks" in " ".join(output.split())


@pytest.mark.parametrize("command", ["check", "plan", "build"])
def test_commands_for_schedules_say_that_a_network_is_none(command: str) -> None:
    result = CliRunner().invoke(app, [command, str(BAD / "names.toml")])
    assert result.exit_code == 2
    assert "is a network, which run and show take" in " ".join(result.output.split())
