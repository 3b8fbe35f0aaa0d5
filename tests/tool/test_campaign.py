# SPDX-License-Identifier: Apache-2.0
"""``carillon campaign``: each fault is the one that was drawn, outcomes are as docs/SPEC.md defines them, and results stay."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from building import build
from carillon.build import Firmware
from carillon.cli import app
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan
from carillon.run.campaign import Plan, planned, runs
from carillon.run.injection import MOST_DRIFT, FaultKind, Injected, Targets, draw
from carillon.run.judging import Ended, Outcome, Reference, UnrepeatableError, judge

BEGIN, ENTER, EXIT, EXPIRY, CALL, RETURN, HALT, REQUEST, FAULT = 0, 1, 2, 3, 4, 5, 6, 16, 17
MS = 1000
SCHEDULE = """
[system]
name = "faulty"
board = "virtual-256"
clock = "1MHz"
sources = ["main.c"]
[task.A]
period = "10ms"
wcet = "2ms"
{deadline}
[task.B]
period = "20ms"
offset = "5ms"
wcet = "1ms"
"""
CODE = """
#include "carillon/console.h"
#include "carillon/osektime.h"
ttTASK(A);
ttTASK(B);
static volatile uint32_t constant = 64u;
ttTASK(A) { carillon_work(2000u); }
ttTASK(B) { carillon_work(1000u); carillon_say("constant", constant); }
"""


def schedule(folder: Path, deadline: str = "", text: str = SCHEDULE, code: str = CODE) -> Path:
    (folder / "main.c").write_text(code, encoding="utf-8")
    (folder / "schedule.toml").write_text(text.format(deadline=deadline), encoding="utf-8")
    return folder / "schedule.toml"


MATES = """
[system]
name = "mates"
board = "virtual-256"
clock = "1MHz"
sources = ["main.c"]
[time]
clock = "one-shot"
uses = ["delays"]
[thread.One]
priority = 1
[thread.Two]
priority = 1
"""
MATES_CODE = """
#include "carillon/console.h"
#include "carillon/osek.h"
#include "carillon/time.h"
THREAD(One) { for (;;) { carillon_delay(10000u); carillon_print("one\\n"); } }
THREAD(Two) { for (;;) { carillon_delay(15000u); carillon_print("two\\n"); } }
"""


class Made:
    """A plan of a campaign, and its firmware."""

    def __init__(
        self,
        folder: Path,
        deadline: str = "",
        text: str = SCHEDULE,
        code: str = CODE,
        length: int = 200 * MS,
        back: int = 50 * MS,
    ) -> None:
        diagnostics = Diagnostics()
        self.image = plan(schedule(folder, deadline, text, code), diagnostics).image
        firmware = build(self.image, folder / "build", diagnostics)
        assert firmware is not None
        self.firmware: Firmware = firmware
        found = planned(self.image, firmware, length, back, 1, diagnostics)
        assert found is not None
        self.plan: Plan = found[0]

    def records(self, fault: Injected | None, folder: Path) -> list[tuple[int, int, int]]:
        """What a run with this fault records; nothing of the tool draws it or reads it."""
        told = [*fault.arguments(100_000), "2"] if fault is not None else []
        command = [str(self.firmware.elf), "--ticks", str(200 * MS), "--trace", str(folder / "trace"), *told]
        self.output = subprocess.run(command, check=False, capture_output=True, text=True).stdout
        return list(struct.iter_unpack("<QII", (folder / "trace").read_bytes()))

    def outcome(self, fault: Injected, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
        monkeypatch.setattr("carillon.run.campaign.draw", lambda *_: fault)
        (row,) = runs(self.plan, [0])
        return row.outcome, row.why


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("watched"), 'deadline = "3ms"\n\n')


def expiry_of(records: list[tuple[int, int, int]], cell: int, number: int) -> int:
    """The number, among all expiries, of a cell's expiry; both from 1."""
    order = [value for _, kind, value in records if kind == EXPIRY]
    return [k for k, value in enumerate(order, 1) if value == cell][number - 1]


def cell_at(records: list[tuple[int, int, int]], offset: int) -> int:
    """The cell that expires so many ticks after the start; it expires every 20 ms, for every other job of A."""
    (cell,) = {value for t, kind, value in records if kind == EXPIRY and t == records[0][0] + offset}
    return cell


def expired(records: list[tuple[int, int, int]], cell: int) -> list[int]:
    return [t for t, kind, value in records if kind == EXPIRY and value == cell]


def entered(records: list[tuple[int, int, int]], source: int) -> list[int]:
    return [t for t, kind, value in records if kind == ENTER and value == source]


def test_interrupts_are_late_lost_and_doubled_as_told(plain: Made, tmp_path: Path) -> None:
    whole = plain.records(None, tmp_path)
    cell = cell_at(whole, 5 * MS)  # of B; on this board a cell's source has its number
    number = expiry_of(whole, cell, 3)
    usual = entered(whole, cell)
    late = entered(plain.records(Injected(FaultKind.LATE, number, 0, 77), tmp_path), cell)
    assert late == [*usual[:2], usual[2] + 77, *usual[3:]]
    assert entered(plain.records(Injected(FaultKind.LOST, number), tmp_path), cell) == usual[:2] + usual[3:]
    doubled = entered(plain.records(Injected(FaultKind.DOUBLED, number), tmp_path), cell)
    assert doubled == [*usual[:3], usual[2] + 1 * MS, *usual[3:]]  # when the first job of the two has ended


def test_a_spurious_interrupt_has_no_expiry(plain: Made, tmp_path: Path) -> None:
    whole = plain.records(None, tmp_path)
    cell = cell_at(whole, 5 * MS)
    at = entered(whole, cell)[3] + 3 * MS
    found = plain.records(Injected(FaultKind.SPURIOUS, at, cell), tmp_path)
    assert entered(found, cell) == sorted([*entered(whole, cell), at])
    assert not [r for r in found if r[:2] == (at, EXPIRY)]


def test_a_spurious_interrupt_of_a_level_that_threads_share_runs_none_of_them(tmp_path: Path) -> None:
    """Its ring is empty: a count below 0 would keep the level's handler for ever."""
    made = Made(tmp_path, text=MATES, code=MATES_CODE)
    whole = made.records(None, tmp_path)
    said = made.output
    (level,) = {source for source, name in made.plan.targets.sources if "One" in name}
    for at in range(20 * MS + 1, 80 * MS, 2500):
        found = made.records(Injected(FaultKind.SPURIOUS, whole[0][0] + at, level), tmp_path)
        assert made.output == said
        assert len(entered(found, level)) == len(entered(whole, level)) + 1


@pytest.mark.parametrize("by", [1500, -1500, -(1 << 40)])
def test_a_counter_jumps_once(plain: Made, tmp_path: Path, by: int) -> None:
    whole = plain.records(None, tmp_path)
    cell = cell_at(whole, 5 * MS)
    usual = expired(whole, cell)
    at = usual[2] + 7 * MS
    found = expired(plain.records(Injected(FaultKind.JUMP, at, cell, by), tmp_path), cell)
    moved = max(by, at - usual[3])  # it expires at once at the earliest
    assert found[: len(usual) - 1] == usual[:3] + [t + moved for t in usual[3:-1]]


@pytest.mark.parametrize("millionths", [7, -7, 333, MOST_DRIFT, -MOST_DRIFT])
def test_a_clock_that_drifts_keeps_its_rate(plain: Made, tmp_path: Path, millionths: int) -> None:
    whole = plain.records(None, tmp_path)
    cell = cell_at(whole, 10 * MS)
    usual = expired(whole, cell)
    at = usual[1] + 1
    found = expired(plain.records(Injected(FaultKind.DRIFT, at, cell, millionths), tmp_path), cell)
    for before, after in zip(usual, found, strict=False):
        exact = before if before <= at else at + (before - at) * (1_000_000 + millionths) / 1_000_000
        assert exact - 2 < after <= exact + 1


def test_a_flipped_bit_is_seen_by_the_program(plain: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = plain.records(None, tmp_path)
    assert set(plain.output.splitlines()) == {"constant 64"}
    ((address, size),) = [(at, size) for name, at, size in plain.plan.targets.variables if name == "constant"]
    assert size == 4
    fault = Injected(FaultKind.VARIABLE, whole[0][0] + 90 * MS, address + 1, 5, "constant")
    plain.records(fault, tmp_path)
    said = plain.output.splitlines()
    assert Counter(said) == {"constant 64": said.index("constant 8256"), "constant 8256": len(said) - said.index("constant 8256")}
    assert said[0] == "constant 64"
    assert said[-1] == "constant 8256"
    assert plain.outcome(fault, monkeypatch) == ("lost", "other output")


def test_tables_and_the_live_stack_are_hit(plain: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = plain.records(None, tmp_path)
    ((address, _),) = [(at, size) for name, at, size in plain.plan.targets.tables if name == "carillon_mode0_vectors"]
    cell = cell_at(whole, 5 * MS)
    flip = Injected(FaultKind.TABLE, whole[0][0] + 90 * MS, address + 8 * cell + 7, 6, "carillon_mode0_vectors")
    assert plain.outcome(flip, monkeypatch) == ("detected", "a fault of the processor")  # no address has this bit
    harm = {plain.outcome(Injected(FaultKind.STACK, flip.at, 0, 64 * k + 46), monkeypatch)[0] for k in range(24)}
    assert "detected" in harm  # a return address


def test_what_nobody_watches_is_lost(plain: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = plain.records(None, tmp_path)
    number = expiry_of(whole, cell_at(whole, 5 * MS), 4)
    assert plain.outcome(Injected(FaultKind.LOST, number), monkeypatch) == ("lost", "fewer jobs of B")
    assert plain.outcome(Injected(FaultKind.DOUBLED, number), monkeypatch) == ("lost", "more jobs of B")
    assert plain.outcome(Injected(FaultKind.LATE, number, 0, 10), monkeypatch) == ("tolerated", "")


def test_a_deadline_that_the_kernel_watches_detects(watched: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = watched.records(None, tmp_path)
    starts = entered(whole, cell := next(v for t, k, v in whole if k == ENTER))
    order = [(t, v) for t, k, v in whole if k == EXPIRY]
    number = order.index((starts[3], cell)) + 1
    outcome = watched.outcome(Injected(FaultKind.DOUBLED, number), monkeypatch)
    assert outcome == ("detected", "a deadline was missed")
    late = watched.outcome(Injected(FaultKind.LATE, number, 0, 900), monkeypatch)
    assert late == ("tolerated", "")
    assert watched.outcome(Injected(FaultKind.LATE, number, 0, 1100), monkeypatch)[0] != "tolerated"


def packed(*records: tuple[int, int, int]) -> bytes:
    return b"".join(struct.pack("<QII", *record) for record in records)


STEADY = [(0, BEGIN, 1), *((t + d, k, 7) for t in range(10, 100, 10) for d, k in ((0, CALL), (3, RETURN))), (100, HALT, 0)]
OF = Reference(packed(*STEADY), b"said", {9: "a word"}, {7: "T"}, frozenset({5}), frozenset({8}), {7: ((4, 28),)}, 20, 0)


def faulty(changed: dict[int, int] | None = None, more: list[tuple[int, int, int]] | None = None) -> bytes:
    """The steady records with a fault at 15, other times for some, and more of them."""
    moved = [((changed or {}).get(t, t), k, v) for t, k, v in STEADY]
    return packed(*sorted([*moved, (15, FAULT, 1), *(more or [])], key=lambda r: r[0]))


@pytest.mark.parametrize(
    ("ended", "outcome", "why", "recovery"),
    [
        (Ended(0, faulty(), b"said"), Outcome.TOLERATED, "", 0),
        (Ended(0, faulty(), b"other"), Outcome.LOST, "other output", None),
        (Ended(0, faulty({20: 22, 23: 25}), b"said"), Outcome.TOLERATED, "", 10),
        (Ended(0, faulty({20: 26, 23: 28}), b"said"), Outcome.LOST, "a deadline of T passed", None),
        (Ended(0, faulty({30: 32, 33: 35}), b"said"), Outcome.TOLERATED, "", 20),
        (Ended(0, faulty({30: 33, 33: 36}), b"said"), Outcome.LOST, "times do not come back", None),
        (Ended(0, faulty(more=[(26, CALL, 7), (27, RETURN, 7)]), b"said"), Outcome.LOST, "more jobs of T", None),
        (Ended(0, faulty(more=[(26, ENTER, 5), (27, EXIT, 5)]), b"said"), Outcome.LOST, "more jobs of 0x5", None),
        (Ended(0, faulty(more=[(26, ENTER, 4), (27, EXIT, 4)]), b"said"), Outcome.TOLERATED, "", 0),
        (Ended(0, faulty(more=[(26, CALL, 8), (27, RETURN, 8)]), b"said"), Outcome.TOLERATED, "", 0),
        (Ended(0, faulty(more=[(26, CALL, 9)]), b"said"), Outcome.DETECTED, "a word", None),
        (Ended(0, faulty({100: 50}), b"said"), Outcome.HUNG, "the system has ended", None),
        (Ended(3, faulty(), b""), Outcome.HUNG, "no cell runs", None),
        (Ended(4, faulty(), b""), Outcome.HUNG, "interrupts storm", None),
        (Ended(5, faulty(), b""), Outcome.DETECTED, "an interrupt that nobody serves", None),
        (Ended(6, faulty(), b""), Outcome.LOST, "the program has ended with 6", None),
        (Ended(7, faulty(), b""), Outcome.LOST, "the processor has gone astray", None),
        (Ended(8, faulty(), b""), Outcome.HUNG, "the processor sleeps for ever", None),
        (Ended(-signal.SIGSEGV, b"", b""), Outcome.DETECTED, "a fault of the processor", None),
        (Ended(-signal.SIGXCPU, b"", b""), Outcome.HUNG, "the program runs without end", None),
    ],
)
def test_outcomes_are_as_they_are_defined(ended: Ended, outcome: Outcome, why: str, recovery: int | None) -> None:
    verdict = judge(ended, OF)
    assert (verdict.outcome, verdict.why, verdict.recovery) == (outcome, why, recovery)


SERVED = [*STEADY[:-1], *((t, ENTER, 3) for t in (15, 55, 95)), STEADY[-1]]
PHASED = replace(OF, records=packed(*sorted(SERVED)), phase=1)


@pytest.mark.parametrize(
    ("changed", "outcome", "why", "recovery"),
    [
        ({}, Outcome.TOLERATED, "", 0),
        ({60: 61, 73: 72, 100: 99}, Outcome.TOLERATED, "", 0),
        ({30: 32, 33: 34}, Outcome.TOLERATED, "", 17),
        ({60: 62}, Outcome.LOST, "times do not come back", None),
        ({100: 98}, Outcome.HUNG, "the system has ended", None),
        ({95: 0}, Outcome.HUNG, "no interrupt is served any more", None),
    ],
)
def test_times_of_a_chip_may_differ_by_a_phase(changed: dict[int, int], outcome: Outcome, why: str, recovery: int | None) -> None:
    ran = sorted([(changed.get(t, t), k, v) for t, k, v in SERVED if changed.get(t, t)] + [(0, BEGIN, 1)])
    ran = [*(r for r in ran if r[0] <= 15 and r[1] != ENTER), (15, FAULT, 1), *(r for r in ran if r[0] > 15 or r[1] == ENTER)]
    verdict = judge(Ended(0, packed(*ran), b"said"), PHASED)
    assert (verdict.outcome, verdict.why, verdict.recovery) == (outcome, why, recovery)


@pytest.mark.parametrize("records", [packed(*STEADY), packed((0, BEGIN, 2), (15, FAULT, 1), (100, HALT, 0))])
def test_a_run_that_differs_before_its_fault_says_nothing(records: bytes) -> None:
    with pytest.raises(UnrepeatableError):
        judge(Ended(0, records, b"said"), OF)


TARGETS = Targets(
    (3, 5, 9), 100, 900, ((4, "A"), (6, "B")), (0, 2), (0,), (("t", 1000, 3), ("u", 2000, 5)), (("v", 3000, 2),), 64
)


@given(st.integers(0, 2**64), st.integers(0, 10**9), st.sets(st.sampled_from(FaultKind), min_size=1))
def test_a_fault_follows_from_seed_and_number_and_hits_what_there_is(seed: int, number: int, chosen: set[FaultKind]) -> None:
    kinds = tuple(kind for kind in FaultKind if kind in chosen)
    fault = draw(seed, number, kinds, TARGETS)
    assert fault == draw(seed, number, kinds, replace(TARGETS))
    assert fault.kind is kinds[number % len(kinds)]
    if fault.kind in (FaultKind.LATE, FaultKind.LOST, FaultKind.DOUBLED):
        assert fault.at in TARGETS.expiries
        assert (fault.kind is FaultKind.LATE) == (1 <= fault.amount <= TARGETS.longest)
        return
    assert TARGETS.begin <= fault.at < TARGETS.end
    if fault.kind is FaultKind.SPURIOUS:
        assert (fault.what, fault.name) in TARGETS.sources
    elif fault.kind in (FaultKind.JUMP, FaultKind.DRIFT):
        assert fault.what in (TARGETS.cells if fault.kind is FaultKind.JUMP else TARGETS.drifting)
        assert 1 <= abs(fault.amount) <= (TARGETS.longest if fault.kind is FaultKind.JUMP else MOST_DRIFT)
    elif fault.kind in (FaultKind.TABLE, FaultKind.VARIABLE):
        objects = {"t": (1000, 3), "u": (2000, 5), "v": (3000, 2)}
        begin, size = objects[fault.name]
        assert begin <= fault.what < begin + size
        assert 0 <= fault.amount < 8


def test_all_that_may_be_hit_is_drawn() -> None:
    drawn = [draw(1, number, tuple(FaultKind), TARGETS) for number in range(9000)]
    assert {f.at for f in drawn if f.kind is FaultKind.LOST} == set(TARGETS.expiries)
    flips = Counter((f.what, f.amount) for f in drawn if f.kind is FaultKind.TABLE)
    assert len(flips) == 8 * (3 + 5)
    assert {f.amount for f in drawn if f.kind is FaultKind.LATE} == set(range(1, 65))
    assert {f.amount > 0 for f in drawn if f.kind is FaultKind.JUMP} == {True, False}
    assert [draw(2, number, tuple(FaultKind), TARGETS) for number in range(100)] != drawn[:100]


def campaign(path: Path, results: Path, *options: str) -> tuple[int, Any, str]:
    """The exit code, the JSON and what was said on standard error."""
    given_options = ("--for", "200ms", "--recovery", "50ms", "--results", str(results), "--json", *options)
    done = CliRunner().invoke(app, ["campaign", str(path), *given_options])
    return done.exit_code, json.loads(done.stdout) if done.stdout.startswith("{") else None, done.stderr


def test_neither_workers_nor_kills_change_a_result(tmp_path: Path) -> None:
    path, one, two = schedule(tmp_path), tmp_path / "one", tmp_path / "two"
    code, first, _ = campaign(path, one, "--runs", "170", "--workers", "1")
    assert code == 0
    assert first["runs"] == 170
    assert sum(kind["runs"] for kind in first["kinds"].values()) == 170
    code, second, _ = campaign(path, two, "--runs", "170", "--workers", "2")
    assert one.read_bytes() == two.read_bytes()
    assert {**first, "diagnostics": []} == {**second, "diagnostics": []}

    content = one.read_bytes()
    one.write_bytes(content[: 2 * len(content) // 3])
    code, third, _ = campaign(path, one, "--runs", "170", "--workers", "2")
    assert code == 0
    assert [(d["code"], d["severity"]) for d in third["diagnostics"]] == [("C360", "warning")]
    assert one.read_bytes() == content

    _, alone, _ = campaign(path, one, "--only", "123", "--workers", "1")
    assert alone["rows"] == [json.loads(content.splitlines()[124])]
    assert one.read_bytes() == content

    for broken, line in ((content.replace(b'"run": 77,', b'"run": 76,'), 79), (content.replace(b"lost", b"", 1), 1)):
        one.write_bytes(broken)
        code, refused, _ = campaign(path, one, "--runs", "170")
        assert code == 1
        ((found, cause),) = [(d["code"], d["cause"]) for d in refused["diagnostics"]]
        assert found == "C360"
        assert f"{one}:{line}: " in cause
        assert one.read_bytes() == broken
    code, refused, _ = campaign(path, two, "--runs", "170", "--seed", "2")
    assert code == 1
    assert "another campaign's: seed is 1, not 2" in refused["diagnostics"][0]["cause"]
    assert two.read_bytes() == content


def test_a_file_that_is_no_campaigns_is_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / "notes"
    mine.write_text("what I wrote", encoding="utf-8")
    code, refused, _ = campaign(schedule(tmp_path), mine, "--runs", "5")
    assert code == 1
    assert refused["diagnostics"][0]["code"] == "C360"
    assert mine.read_text(encoding="utf-8") == "what I wrote"


def test_a_campaign_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    path, results, whole = schedule(tmp_path), tmp_path / "killed", tmp_path / "whole"

    def command(runs: int, to: Path) -> list[str]:
        given = ("--for", "200ms", "--recovery", "50ms", "--runs", str(runs), "--workers", "2", "--results", str(to))
        return [sys.executable, "-m", "carillon", "campaign", str(path), *given]

    process = subprocess.Popen(command(2000, results), stdout=subprocess.DEVNULL, start_new_session=True)
    until = time.monotonic() + 60
    while time.monotonic() < until and (not results.exists() or results.read_bytes().count(b"\n") < 100):
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = results.read_bytes().count(b"\n") - 1
    assert 100 <= done < 2000
    for to in (results, whole):
        subprocess.run(command(done + 60, to), check=True, stdout=subprocess.DEVNULL)
    assert results.read_bytes() == whole.read_bytes()
    until = time.monotonic() + 20
    while time.monotonic() < until and _alive(process.pid):
        time.sleep(0.1)
    assert not _alive(process.pid)


def _alive(group: int) -> bool:
    """Whether a worker of the killed campaign is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_what_cannot_be_injected_is_said(tmp_path: Path) -> None:
    path = schedule(tmp_path)
    other = tmp_path / "other.toml"
    other.write_text(path.read_text(encoding="utf-8").replace('clock = "1MHz"', ""), encoding="utf-8")
    code, refused, _ = campaign(other, tmp_path / "r", "--board", "mps2-an385")
    assert code == 1
    assert [d["code"] for d in refused["diagnostics"] if d["severity"] == "error"] == ["C361"]
    code, _, said = campaign(path, tmp_path / "r", "--kinds", "late,lsot")
    assert code == 2
    assert "no kind 'lsot': did you mean 'lost'" in said
    assert not (tmp_path / "r").exists()
    code, one, _ = campaign(path, tmp_path / "r", "--kinds", "lost,late", "--runs", "4", "--workers", "1")
    assert code == 0
    assert one["campaign"]["kinds"] == ["late", "lost"]


def test_a_missing_dask_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, refused, _ = campaign(schedule(tmp_path), tmp_path / "r", "--runs", "4", "--dask", "tcp://localhost:1")
    assert code == 1
    assert [d["code"] for d in refused["diagnostics"]] == ["C092"]
