# SPDX-License-Identifier: Apache-2.0
"""S code that is recorded from the scheduler's decisions runs the same tasks at the same times as the scheduler did."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from giotto_oracle import Spec, random_spec
from giotto_stepper import STEPS
from loader_target import Loaded
from native_machine import Scheduler, laid_out, native
from served import served
from test_giotto_semantics import parsed
from test_machine import _TICKS, OnNative
from test_s_code import FLIGHT, PROGRAMS, timed
from typer.testing import CliRunner
from verifier import bare

from carillon.cli import app
from carillon.diagnostics import Diagnostics
from carillon.frontends.giotto.compile import compile_giotto
from carillon.frontends.giotto.recording import recorded, text_of
from carillon.frontends.giotto.scheduling import chosen_in
from carillon.microcode.binary import decode
from carillon.microcode.compiled import Compiled
from carillon.microcode.upload import NO_KEY, Decision, Target
from carillon.model.giotto import Giotto


def run(spec: Spec, compiled: Compiled, times: dict[str, int], scheduler: Scheduler) -> tuple[OnNative, list[Decision]]:
    """Play a program on the kernel's machine; what its scheduler decided."""
    found = OnNative(spec, compiled, times, shorter=False)
    code = [dataclasses.replace(i, time=i.time * STEPS) if i.opcode in _TICKS else i for i in compiled.program.code]
    with native(found.answer) as machine:
        found.machine = machine
        machine.touches(compiled.program.drivers, compiled.program.tasks)
        machine.start(laid_out(code, compiled.program.entry, scheduler=scheduler))
        found.played()
        return found, machine.decisions()


def drawn_program(chance: random.Random, *, switches: bool) -> tuple[Spec, Giotto, dict[str, int], Compiled] | None:
    """A random program with the execution times of its tasks, in steps; ``switches``: of modes, if it has any."""
    spec = random_spec(chance)
    if not switches:
        for mode in spec.modes:
            mode.switches.clear()
    found = timed(spec, chance, Fraction(chance.choice([1, 2, 3]), 4))
    if found is None:
        return None
    compiled = compile_giotto(found[0], Diagnostics())
    assert compiled is not None
    return spec, *found, compiled


@pytest.mark.parametrize("scheduler", [Scheduler.EDF, Scheduler.RM])
def test_recorded_s_code_does_what_the_scheduler_did(
    scheduler: Scheduler, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    counts: Counter[str] = Counter()
    for seed in range(PROGRAMS * 2):
        chance = random.Random(seed)
        found = drawn_program(chance, switches=seed % 2 == 0)
        if found is None:
            continue
        spec, source, times, compiled = found
        switches = any(mode.switches for mode in spec.modes)
        before, decisions = run(spec, compiled, times, scheduler)
        if before.broken is not None:
            continue
        plan = recorded(source, compiled, decisions)
        (tmp_path / "it.scode").write_text(text_of(source, plan, "recorded"), encoding="utf-8")
        diagnostics = Diagnostics()
        read = chosen_in(tmp_path / "it.scode", source, diagnostics) if decisions else None
        if decisions:
            assert read is not None, diagnostics.reported
            assert read.plan == plan
            assert switches or not diagnostics.reported
        coded = compile_giotto(source, Diagnostics(), plan)
        assert coded is not None
        after, _ = run(spec, coded, times, Scheduler.NONE)  # all that runs is what the S code dispatches
        same = (after.ran, after.ports_then, after.broken) == (before.ran, before.ports_then, None)
        if switches and not same:
            counts["another order behind a switch"] += 1
            continue
        assert same, seed
        counts["with switches" if switches else "one mode"] += 1
        counts["decisions"] += len(decisions)
    record_property(f"recorded {scheduler.name}", dict(counts))
    assert counts["one mode"] > PROGRAMS / 4
    assert counts["with switches"] > 4 * counts["another order behind a switch"]


def flight(tmp_path: Path, record: int) -> Loaded:
    """A loader whose machine runs the flight controller."""
    CliRunner().invoke(app, ["giotto", str(FLIGHT / "flight.giotto"), "-o", str(tmp_path / "f.microcode")])
    program = decode((tmp_path / "f.microcode").read_bytes())
    loaded = Loaded(program, NO_KEY, record=record)
    Target(loaded).upload(bare(program), 1, NO_KEY)
    loaded.begin_next()
    return loaded


def asked(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["microcode", "record", str(FLIGHT / "flight.giotto"), "--to", "line", *words])
    return result.exit_code, result.output


def test_what_a_target_has_decided_becomes_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    loaded = flight(tmp_path, 8)
    with served(loaded, Path("line")):
        behind = [i + 1 for i, it in enumerate(decode(Path("f.microcode").read_bytes()).code) if it.opcode.name == "RETURN"]
        for block, task, order, now in [(0, 1, 20, 0), (0, 0, 10, 0), (1, 0, 10, 10), (1, 1, 10, 10), (0, 1, 20, 20)]:
            loaded.decided(behind[block], task, order, now)
        assert asked("-o", "f.scode") == (0, "4 decisions of EDF behind 2 blocks; in f.scode\n")
    text = Path("f.scode").read_text(encoding="utf-8")
    assert text.splitlines()[2:] == [".order m@0 t2, t1", ".order m@1 t2, t1"]


@pytest.mark.parametrize(
    ("record", "now", "said"),
    [
        (0, 20, "the target does not record: its image has no record = NUMBER in its NAME.upload"),
        (1, 20, "the target has no room for all decisions: write a greater record in its NAME.upload"),
        (8, 19, "its scheduler has decided nothing for long: the last was 19 ticks after the begin"),
    ],
)
def test_a_record_that_is_not_whole_is_refused(
    record: int, now: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("carillon.microcode.upload._PAUSES", 2)
    loaded = flight(tmp_path, record)
    if record:
        loaded.decided(1, 0, 10, now)
        loaded.decided(1, 1, 20, now)
    with served(loaded, Path("line")):
        code, output = asked("-o", "f.scode")
    assert (code, Path("f.scode").exists()) == (1, False)
    assert f"error C277: line: {said}\n" in output


def test_decisions_of_another_program_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program = decode((tmp_path / "f.microcode").read_bytes()) if flight(tmp_path, 0) else None
    assert program is not None
    loaded = Loaded(program, NO_KEY, record=8)
    loaded.decided(1, 0, 10, 20)
    with served(loaded, Path("line")):
        assert "line: what runs is 00001234, and not " in asked()[1]


@pytest.mark.parametrize(
    ("text", "place", "cause"),
    [
        (".method edf\n.order m@0 t1", 2, "the file has a .method, and .order, too"),
        (".order m@0 t1\ndispatch t1", 2, "the file has .order, and instructions, too"),
        (".order m@2 t1", 1, "the program has no block 'm@2'"),
        (".order m@0>m t1", 1, "the program has no block 'm@0>m'"),
        (".order m@0 t1\n.order m@0 t2", 2, "the block m@0 is there twice"),
        (".order m@0 t3", 1, "there is no task 't3'"),
        (".order m@0 t1,", 1, "there is no task ''"),
        (".order m@0", 1, ".order 'm@0' names no tasks"),
        (".order", 1, ".order '' names no tasks"),
    ],
)
def test_wrong_orders_are_refused_at_their_line(text: str, place: int, cause: str, tmp_path: Path) -> None:
    file, diagnostics = tmp_path / "bad.scode", Diagnostics()
    file.write_text(text + "\n", encoding="utf-8")
    assert chosen_in(file, parsed((FLIGHT / "flight.giotto").read_text(encoding="utf-8")), diagnostics) is None
    assert [(d.code, d.cause, d.span and d.span.line) for d in diagnostics.reported] == [("C267", cause, place)]


def test_orders_that_nothing_proves_across_switches_are_a_warning(tmp_path: Path) -> None:
    program = Path(__file__).parent / "programs" / "modes.giotto"
    source = parsed(program.read_text(encoding="utf-8"))
    file, diagnostics = tmp_path / "modes.scode", Diagnostics()
    mode, task = source.modes[0], source.modes[0].invocations[0].target
    file.write_text(f".order {mode.name}@0 {task}\n", encoding="utf-8")
    chosen_in(file, source, diagnostics)
    assert [d.code for d in diagnostics.reported] == ["C241"]
