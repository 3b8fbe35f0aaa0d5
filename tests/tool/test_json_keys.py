# SPDX-License-Identifier: Apache-2.0
"""The keys that the specification lists are those that the commands print, both ways."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bench.papers import commands
from bench.papers.benchmarks import BENCHMARKS, Benchmark
from bench.papers.rows import Result, Row
from carillon.cli import app

SPEC = (Path(__file__).parents[2] / "docs" / "SPEC.md").read_text(encoding="utf-8")
BENCHMARKS_SPEC = (Path(__file__).parents[2] / "bench" / "README.md").read_text(encoding="utf-8")
SPREADS = ("start_delay", "response", "execution", "dispatch", "terminate")
TASKS = "run.runs.summary.tasks"

PLANNED = """
[system]
board = "ast1030-evb"
sources = []
inexact_times = "round"
reserve = ["TMR8"]
[time]
clock = "periodic"
tick = "1ms"
slice = "5ms"
periods = ["3ms", "10ms"]
[thread.T]
priority = 3
[thread.T2]
priority = 3
[thread.V]
priority = 2
[thread.V2]
priority = 2
[thread.W]
priority = 9
server = "S"
[server.S]
budget = "1ms"
period = "9ms"
[osek.resource.R]
[osek.isr.I]
source = "soft0"
resources = ["R"]
[osek.counter.C]
tick = "1ms"
[osek.alarm.A]
counter = "C"
activate = "U"
[osek.schedule_table.P]
counter = "C"
duration = 9
point = [{ offset = 0, activate = ["U"] }]
[osek.task.U]
priority = 1
events = ["E"]
resources = ["R"]
[osek.event.E]
[task.x]
period = "1ms"
offset = "10.00001us"
"""
TABLED = """
[system]
board = "qemu-rv32-virt"
sources = []
start_within = "1ms"
[task.x]
period = "100ms"
[task.y]
period = "100ms"
offset = "50ms"
"""
BUDGETED = """
[system]
board = "ast1030-evb"
sources = []
[osek.task.U]
priority = 1
budget = "1ms"
time_frame = "5ms"
"""
DRAWN = """
[system]
board = "atmega128"
sources = []
[task.x]
period = "10ms"
"""
CELLED = """
[system]
board = "ast1030-evb"
sources = []
[osek.task.U]
priority = 1
[osek.counter.C]
tick = "1ms"
max_allowed = 99
[osek.schedule_table.P]
counter = "C"
duration = 9
cells = true
point = [{ offset = 0, activate = ["U"] }]
[osek.schedule_table.S]
counter = "C"
duration = 9
cells = true
repeating = true
sync = "explicit"
point = [{ offset = 0, activate = ["U"] }]
"""
RUN = """
[system]
board = "virtual-256"
[osek.task.U]
priority = 1
autostart = true
[task.x]
period = "1ms"
deadline = "500us"
wcet = "1us"
"""
RINGED = '[system]\nboard = "mps2-an385"\nsources = []\n[task.x]\nperiod = "1ms"\n[trace]\nring = 64\nstream = "uart"\n'
CODE = """
#include "os.h"
#include "carillon/osektime.h"
ttTASK(x) {}
TASK(U) { TerminateTask(); }
"""


def listed(key: str, begin: str = "Keys of each object", text: str = SPEC) -> set[str]:
    """The keys that the specification, or another text, lists for an object, whose first column holds ``key``."""
    part = text[text.index(begin) :]
    rows = list(re.findall(r"^\| (.*) \| (.*) \|$", part, re.MULTILINE))
    found = [keys for objects, keys in rows if key in (objects, *re.findall(r"`([^`]*)`", objects))]
    assert len(found) == 1, key
    return set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", found[0])))


def run(*arguments: str) -> Any:
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def keys(path: str, *outputs: Any) -> dict[str, set[str]]:
    """The keys of every object in what a command printed, by the path to it."""
    found: defaultdict[str, set[str]] = defaultdict(set)

    def walk(value: Any, path: str) -> None:
        if isinstance(value, list):
            for element in value:
                walk(element, path)
        elif isinstance(value, dict):
            found[path] |= set(value)
            for key, inner in value.items():
                if key != "diagnostics":
                    walk(inner, f"{path}.{key}")

    for output in outputs:
        walk(output, path)
    found[path].discard("diagnostics")
    return found


def rows_under(command: str) -> set[str]:
    """The objects of a command that the specification lists."""
    return set(re.findall(rf"^\| `({command}(?:\.[\w.]+)?)`", SPEC[SPEC.index("Keys of each object") :], re.MULTILINE))


def check(command: str, *outputs: Any) -> None:
    found = keys(command, *outputs)
    for path, names in found.items():
        assert names == listed(path), path
    assert rows_under(command) == set(found)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("planned.toml").write_text(PLANNED, encoding="utf-8")
    Path("budgeted.toml").write_text(BUDGETED, encoding="utf-8")
    Path("celled.toml").write_text(CELLED, encoding="utf-8")
    Path("drawn.toml").write_text(DRAWN, encoding="utf-8")
    Path("tabled.toml").write_text(TABLED, encoding="utf-8")
    Path("run.toml").write_text(RUN, encoding="utf-8")
    Path("ringed.toml").write_text(RINGED, encoding="utf-8")
    Path("run.c").write_text(CODE, encoding="utf-8")
    Path("a.oil").write_text('OIL_VERSION = "2.5";\nCPU a { TASK T { PRIORITY = 1; FOO = 1; }; };\n', encoding="utf-8")
    Path("a.giotto").write_text("start m { mode m () period 1 { } }\n", encoding="utf-8")
    switch = "driver d () output () { if f() then g() } start m { mode m () period 1 { exitfreq 1 do m(d); } }\n"
    Path("switch.giotto").write_text(switch, encoding="utf-8")


def test_a_plans_keys() -> None:
    files = ("planned.toml", "tabled.toml", "budgeted.toml", "celled.toml", "drawn.toml")
    check("plan", *(run("plan", file) for file in files))


def test_a_checks_keys() -> None:
    check(
        "check",
        run("check", "--quick", "run.toml"),
        run("check", "--quick", "planned.toml"),
        run("check", "--quick", "ringed.toml"),
    )


def test_a_builds_keys() -> None:
    generated = run("build", "run.toml", "--generate-only")
    assert set(generated) == {"generated", "diagnostics"}
    firmware = {"elf": "", "stacks": [], "flash": 0, "vectors": 0, "ram": 0, "verified": None}
    assert set(run("build", "run.toml")) == {*firmware, "diagnostics"}
    assert listed("build") == {*firmware, "hex", "bin", "uf2", "generated"}  # tests/tool/test_images.py has an image's


def test_a_librarys_keys() -> None:
    made = run("build", str(Path(__file__).parents[2] / "examples" / "beside-cmsis"), "--library", "--out", "library")
    assert set(made) == {*listed("build --library"), "diagnostics"}
    assert {"number": -5, "handler": "SVC_Handler"} in made["interrupts"]
    assert {"number": 25, "handler": "TIM1_UP_TIM10_IRQHandler"} in made["interrupts"]


def test_a_verifications_keys() -> None:
    built = run("build", "run.toml")
    verified = run("verify", "run.toml")
    program = "task t () output () state () { schedule f() } start m { mode m () period 1 { taskfreq 1 do t(); } }\n"
    Path("code").mkdir()
    Path("code/b.giotto").write_text(program, encoding="utf-8")
    Path("code/b.c").write_text('#include "giotto.h"\nvoid f(void)\n{\n}\n', encoding="utf-8")
    run("build", "code/b.giotto", "--board", "ast1030-evb")
    check("verify", verified, run("verify", "code/b.giotto", "--board", "ast1030-evb"))
    assert {key: value for key, value in verified.items() if key != "diagnostics"} == built["verified"]


def test_a_runs_keys() -> None:
    found = keys("run", run("run", "run.toml"))
    for name in SPREADS:
        assert found.pop(f"{TASKS}.{name}") == listed(name)
    everywhere, of_round, event = (
        listed(k) for k in (TASKS, "keys that tasks of a round have, too", "keys that event-triggered tasks have, too")
    )
    assert found.pop(TASKS) == everywhere | of_round | event
    tasks = run("run", "run.toml")["runs"][0]["summary"]["tasks"]
    assert {t["name"]: set(t) for t in tasks} == {"x": everywhere | of_round, "U": everywhere | event}
    for path, names in found.items():
        assert names == listed(path), path
    assert rows_under("run") == {*found, TASKS}


def test_an_analysis_keys() -> None:
    check("analyse", run("analyse", "run.toml", "--for", "2ms", "--growth"))


def test_a_measurements_keys() -> None:
    check("wcet", run("wcet", "run.toml"))


def test_a_campaigns_keys() -> None:
    Path("faulty").mkdir()
    Path("faulty/schedule.toml").write_text('[system]\nboard = "virtual-tiny"\n[task.x]\nperiod = "1ms"\n', encoding="utf-8")
    Path("faulty/main.c").write_text('#include "carillon/osektime.h"\nttTASK(x);\nttTASK(x)\n{\n}\n', encoding="utf-8")
    output = run("campaign", "faulty", "--runs", "9", "--kinds", "lost,late", "--workers", "1")
    assert set(output) == {*listed("campaign"), "diagnostics"}
    assert set(output["kinds"]) == set(output["campaign"]["kinds"])
    assert set(output["kinds"]["lost"]) == listed("campaign.kinds.KIND")
    assert set(output["reasons"][0]) == listed("campaign.reasons")


def test_a_networks_keys() -> None:
    Path("network.toml").write_text('[[node]]\nname = "x"\nschedule = "run.toml"\n', encoding="utf-8")
    output = run("run", "network.toml", "--for", "2ms")
    (node,) = output["nodes"]
    assert set(node["summary"]) == listed("run.runs.summary")
    node["summary"] = None
    check("network", output)


def test_a_comparisons_keys() -> None:
    check("bench", run("bench", "run.toml"))


def test_a_benchmarks_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Row("dispatch", "carillon", "board", "ticks", 1, 2, 3, 4, 5, 6, 7, "other")
    monkeypatch.setitem(BENCHMARKS, "simulator", Benchmark(lambda *_: Result([row])))
    output = json.loads(CliRunner().invoke(commands.app, ["simulator", "--json"]).stdout)
    assert set(output) == {"rows", "paper", "diagnostics"}
    (line,) = output["paper"]
    assert set(line) == listed("paper", "The keys of `paper`", text=BENCHMARKS_SPEC)
    assert (line["table"], line["kernels"], line["sloth_on_time"], line["peer"]) == ("I", {"carillon": 2}, 14, 120)
    section = BENCHMARKS_SPEC[: BENCHMARKS_SPEC.index("`dispatch` has")]
    names = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", section, re.MULTILINE)
    assert set(output["rows"][0]) == {name for group in names for name in re.findall(r"`(\w+)`", group)}


def test_the_other_commands_keys() -> None:
    check("boards", run("boards"), run("boards", "mps2-an385"), run("boards", "atmega128"), run("boards", "nucleo-f429zi"))
    svd = Path(__file__).parent / "svd" / "stm32f405.svd"
    check("new", run("new", "app"), run("new", "mine", "--board-from", str(svd)))
    check("import", run("import", "a.oil"), run("import", "a.oil", "-o", "a.toml"))
    check("export", run("export", "a.oil"), run("export", "a.oil", "-o", "a.arxml"))
    check("giotto", run("giotto", "a.giotto", "--listing", "--s-code", "edf"), run("giotto", "switch.giotto"))
    found = run("explain"), run("explain", "C010")
    assert {key for output in found for key in output} == {*listed("explain"), "diagnostics"}
    assert set(run("schema")) == {*listed("schema"), "diagnostics"}


def test_a_findings_keys() -> None:
    (finding, *_) = run("import", "a.oil")["diagnostics"]
    assert set(finding) == listed("diagnostics")


def test_after_an_error_there_are_only_diagnostics() -> None:
    result = CliRunner().invoke(app, ["check", "gone.toml", "--json"])
    assert result.exit_code == 1
    assert set(json.loads(result.stdout)) == {"diagnostics"}
