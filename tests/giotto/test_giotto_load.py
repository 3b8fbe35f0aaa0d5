# SPDX-License-Identifier: Apache-2.0
"""A mode that takes more than the processor is an error of every command, on both machines, and one that takes all of it is
warned of."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from carillon.cli import app
from carillon.diagnostics import Diagnostics
from carillon.frontends.giotto.load import loads
from carillon.frontends.giotto.reading import parse_giotto

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


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_all_of_the_processor_is_refused_by_every_command(command: tuple[str, ...], tmp_path: Path) -> None:
    found = said(tmp_path, "5", command)
    assert "error C268: the tasks of the mode m take 100 % of the processor, and leave no time for the kernel" in found


@pytest.mark.parametrize("command", [c for c in COMMANDS if c[0] in ("giotto", "check")], ids=" ".join)
@pytest.mark.parametrize(("wcet", "share"), [("4990us", "99.9"), ("4600us", "96"), ("4500us", ""), ("1", "")])
def test_what_leaves_the_kernel_nothing_is_warned_of(command: tuple[str, ...], wcet: str, share: str, tmp_path: Path) -> None:
    found = said(tmp_path, wcet, command)
    assert "error" not in found.replace("no errors", "")
    warning = f"warning C246: the tasks of the mode m take {share} % of the processor"
    assert warning in found if share else "C246" not in found


DRIVEN = """sensor int s uses gs;
output int o := zero;
task t (int i) output (o) state () {{ schedule ft(i, o) }} [wcet {task}]
driver d (s) output (int i) {{ if yes() then cp(s, i) }} [wcet {driver}]
start m {{ mode m () period 10 {{ taskfreq 1 do t(d); }} }}
"""


@pytest.mark.parametrize(
    ("task", "driver", "refused"), [("8", "4", True), ("8", "2", True), ("7", "2", False), ("9", "1us", False)]
)
def test_drivers_take_time_too(task: str, driver: str, refused: bool, tmp_path: Path) -> None:
    path = tmp_path / "program.giotto"
    path.write_text(DRIVEN.format(task=task, driver=driver), encoding="utf-8")
    found = CliRunner().invoke(app, ["check", str(path)], env={"COLUMNS": "400"}).output
    assert ("C268: the tasks and drivers of the mode m take" in found) == refused, found


def missed(period: int, tasks: list[tuple[int, int]], calls: list[tuple[int, int]]) -> bool:
    """Whether EDF misses a deadline that carries drivers out before tasks: played millisecond by millisecond, for two periods."""
    left: dict[int, int] = {}
    driving = 0
    for now in range(2 * period + 1):
        for k, (frequency, time) in enumerate(tasks):
            if now % (period // frequency) == 0:
                if left.get(k):
                    return True
                left[k] = time
        driving += sum(time for frequency, time in calls if now % (period // frequency) == 0)
        if driving:
            driving -= 1
            continue
        waiting = [(now // (period // tasks[k][0]) * (period // tasks[k][0]) + period // tasks[k][0], k) for k in left if left[k]]
        if waiting:
            left[min(waiting)[1]] -= 1
    return False


FREQUENCIES = st.sampled_from([1, 2, 3, 4, 6, 12])


@given(
    st.lists(st.tuples(FREQUENCIES, st.integers(1, 8)), min_size=1, max_size=4),
    st.lists(st.tuples(FREQUENCIES, st.integers(1, 3)), max_size=3),
)
@settings(max_examples=600)
def test_what_is_refused_is_what_edf_misses(tasks: list[tuple[int, int]], calls: list[tuple[int, int]]) -> None:
    period = 24
    text = "".join(f"actuator int a{k} uses put;\n" for k in range(len(calls)))
    text += "".join(f"output int o{k} := zero;\n" for k in range(len(tasks)))
    text += "".join(
        f"task t{k} () output (o{k}) state () {{ schedule f{k}(o{k}) }} [wcet {w}]\n" for k, (_, w) in enumerate(tasks)
    )
    text += "".join(
        f"driver d{k} (o0) output (int a{k}) {{ if yes() then cp(o0, a{k}) }} [wcet {w}]\n" for k, (_, w) in enumerate(calls)
    )
    does = [f"actfreq {f} do a{k}(d{k});" for k, (f, _) in enumerate(calls)]
    does += [f"taskfreq {f} do t{k}();" for k, (f, _) in enumerate(tasks)]
    ports = ", ".join(f"o{k}" for k in range(len(tasks)))
    text += f"start m {{ mode m ({ports}) period {period} {{ {' '.join(does)} }} }}\n"
    diagnostics = Diagnostics()
    program = parse_giotto(text, "program.giotto", diagnostics)
    assert program is not None, [str(d) for d in diagnostics.reported]
    load = loads(program)["m"]
    assert load.share is not None
    refused = load.share > 1 or load.overfull is not None
    assert refused == missed(period, tasks, calls)


DOTTED = """sensor int s uses io.get;
output int o := zero.it;
task t (int i) output (o) state () { schedule calc.run(i, o) }
driver d (s) output (int i) { if always.yes() then copy.one(s, i) }
start m { mode m () period 10 { taskfreq 1 do t(d); } }
"""
DOTTED_C = """#include "giotto.h"
void io_get(int *s) { *s = 1; }
void zero_it(int *o) { *o = 0; }
void calc_run(const int *i, int *o) { *o = *i; }
bool always_yes(void) { return true; }
void copy_one(const int *s, int *i) { *i = *s; }
"""


@pytest.mark.parametrize("machine", ["microcode", "cells"])
def test_functions_may_have_points_in_their_names_as_types_have(machine: str, tmp_path: Path) -> None:
    (tmp_path / "dotted.giotto").write_text(DOTTED, encoding="utf-8")
    (tmp_path / "dotted.c").write_text(DOTTED_C, encoding="utf-8")
    options = ["--board", "virtual-256", "--machine", machine, "--for", "50ms"]
    done = CliRunner().invoke(app, ["run", str(tmp_path / "dotted.giotto"), *options])
    assert done.exit_code == 0, done.output
