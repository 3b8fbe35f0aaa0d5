# SPDX-License-Identifier: Apache-2.0
"""What every command has in common, and what editors and shells take from the tool."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import carillon.build
from carillon import __version__
from carillon.cli import app
from carillon.frontends.toml.jsonschema import json_schema

ROOT = Path(__file__).parents[2]
COMMANDS = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"}, prog_name="carillon")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example_of_its_use(command: str) -> None:
    text = run(command, "--help").output
    assert re.search(rf"Examples?: .*carillon {command}\b", text)
    assert run(command, "-h").output == text
    assert "--json" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_is_in_the_specification(command: str) -> None:
    spec = (ROOT / "docs" / "SPEC.md").read_text(encoding="utf-8").partition("\n## Command line\n")[2]
    (row,) = re.findall(rf"^\| `{command}\b[^|]*\|[^|]*\|(.*)\|$", spec, re.MULTILINE)
    listed = set(re.findall(r"`(--[a-z-]+)`", row))
    found = {option for p in typer.main.get_command(app).commands[command].params for option in p.opts if option[:2] == "--"}  # type: ignore[attr-defined]
    assert found - {"--json"} == listed


def test_the_tool_alone_explains_itself() -> None:
    assert run("-h").output == run("--help").output
    assert "Start with: carillon new" in run("-h").output


def test_the_package_is_a_command() -> None:
    said = subprocess.run([sys.executable, "-m", "carillon", "--version"], capture_output=True, text=True, check=True).stdout
    assert said == f"carillon {__version__}\n"


def test_an_interrupt_while_modules_are_read_says_nothing() -> None:
    code = """
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "carillon.cli.build":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
from carillon.__main__ import main
main()
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, "", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_the_commands(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = {
        "COMP_WORDS": "carillon ",
        "COMP_CWORD": "1",
        "_TYPER_COMPLETE_ARGS": "carillon ",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    code = "from carillon.cli import main; main()"
    for name, value in (words | {"_CARILLON_COMPLETE": f"complete_{shell}"}).items():
        monkeypatch.setenv(name, value)
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stdout
    assert all(re.search(rf"\b{command}\b", said) for command in COMMANDS)


def test_the_schema_is_printed() -> None:
    assert json.loads(run("schema").stdout) == json_schema()
    assert json.loads(run("schema", "--json").stdout) == {"schema": json_schema(), "diagnostics": []}


@pytest.mark.parametrize(
    "options", [(), ("--board", "arduino-uno"), ("--board", "ast1030-evb"), ("--template", "blink"), ("--template", "motor")]
)
def test_the_files_of_a_new_application_are_the_users(
    options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None says a licence or an owner, but the schema, which is Carillon's."""
    monkeypatch.chdir(tmp_path)
    assert run("new", "app", *options).exit_code == 0
    written = {path.name: path.read_text(encoding="utf-8") for path in Path("app").iterdir()}
    assert {name for name, text in written.items() if "SPDX" in text} <= {"schedule.schema.json"}
    assert re.match(r"/\* app: ", written["main.c"])
    assert written["README.md"].startswith("# app\n")


def test_a_new_application_names_the_schema_that_lies_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for board in ("virtual-256", "qemu-rv32-virt"):  # each of the two templates
        assert run("new", f"on-{board}", "--board", board).exit_code == 0
        folder = tmp_path / f"on-{board}"
        found = re.search(r"^#:schema (\S+)$", (folder / "schedule.toml").read_text(encoding="utf-8"), re.MULTILINE)
        assert found
        assert json.loads((folder / found[1]).read_text(encoding="utf-8")) == json_schema()


def test_the_guides_problem_matcher_finds_every_part_of_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = (ROOT / "docs" / "guide" / "first-application.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```json\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    (task,) = json.loads(block)["tasks"]
    pattern = task["problemMatcher"]["pattern"]
    monkeypatch.chdir(tmp_path)
    Path("schedule.toml").write_text('[task.a]\nperiod = "1 day"\n', encoding="utf-8")
    result = run(*task["command"].split()[1:])
    found = [match for line in result.stderr.splitlines() if (match := re.search(pattern["regexp"], line))]
    assert len(found) == 1
    parts = {name: found[0][pattern[name]] for name in ("file", "line", "column", "severity", "code")}
    assert parts == {"file": "schedule.toml", "line": "2", "column": "10", "severity": "error", "code": "C016"}


@pytest.mark.parametrize("command", ["run", "show"])
@pytest.mark.parametrize(
    ("window", "fault"),
    [
        ("5ms..6ms", "begins after the run, which ends at 3ms"),
        ("3ms..4ms", "begins after the run, which ends at 3ms"),
        ("2ms..1ms", "is empty"),
        ("2ms", "write FROM..TO, such as 0ms..20ms"),
    ],
)
def test_a_window_that_shows_nothing_is_refused_before_the_build(
    command: str, window: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = tmp_path / "schedule.toml"
    schedule.write_text('[system]\nboard = "virtual-tiny"\n[task.a]\nperiod = "1ms"\n', encoding="utf-8")
    monkeypatch.setattr(carillon.build, "build", lambda *_: pytest.fail("it began to build"))
    result = run(command, str(schedule), "--rounds", "3", "--window", window)
    assert result.exit_code == 2, result.output
    assert f"usage: --window '{window}'" in result.stderr
    assert fault in result.stderr


def test_a_window_may_end_after_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schedule = tmp_path / "schedule.toml"
    schedule.write_text('[system]\nboard = "virtual-tiny"\n[task.a]\nperiod = "1ms"\n', encoding="utf-8")
    monkeypatch.setattr(carillon.build, "build", lambda *_: None)
    assert run("run", str(schedule), "--rounds", "3", "--window", "2999us..4ms").exit_code == 0


NOT_FOR_A_PLAN = (
    "capstone",
    "carillon.frontends.giotto",
    "carillon.frontends.oil",
    "carillon.trace",
    "carillon.verify",
    "jinja2",
    "pandas",
    "statistics",
    "vcd",
)


def test_a_plan_loads_only_what_it_has_a_use_for() -> None:
    code = f"""
import sys
from carillon.cli import app
app(["plan", "examples/three-tasks"], standalone_mode=False)
print([name for name in {NOT_FOR_A_PLAN} if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


def test_a_search_loads_neither_pandas_nor_numpy_and_leaves_them_to_others() -> None:
    code = """
import sys
if sys.argv[1:]:
    sys.modules["pandas"] = sys
from carillon.allocate.cpsat import Model
print([name for name in ("numpy", "pandas") if name in sys.modules], sys.modules.get("pandas") is sys)
model = Model()
x, y = model.new_int_var(0, 9), model.new_bool_var()
model.add(x + 3 * y <= 7)
model.minimize(2 - 2 * x - 5 * y)
answer = model.answer()
print(answer.status, answer.least, answer.value(x), answer.value(y), answer.value(2 * x + y))
"""
    for place, found in (([], "[] False"), (["somebody else's"], "['pandas'] True")):
        done = subprocess.run([sys.executable, "-c", code, *place], cwd=ROOT, capture_output=True, text=True, check=True)
        assert done.stdout.split("\n") == [found, "OPTIMAL -12.0 7 0 14", ""]
