# SPDX-License-Identifier: Apache-2.0
"""``carillon campaign`` in simavr: each fault is the one that was drawn, by what the runner records cycle by cycle."""

from __future__ import annotations

import json
import struct
import subprocess
from pathlib import Path

import pytest
from test_campaign import ENTER, EXPIRY, FAULT, REQUEST, Made, campaign, entered, expiry_of, schedule
from test_campaign import SCHEDULE as VIRTUAL

from carillon.run.injection import FaultKind, Injected
from carillon.run.judging import PHASE

MS, TICK = 16_000, 8
"""Cycles of a millisecond and of a tick."""
SCHEDULE = VIRTUAL.replace('board = "virtual-256"\nclock = "1MHz"', 'board = "atmega128"')
CODE = """
#include "carillon/console.h"
#include "carillon/osektime.h"
ttTASK(A);
ttTASK(B);
static volatile uint32_t constant = 64u;
static void nothing(void) { }
static void (*volatile call)(void) = nothing;
static const volatile char told[] = "told";
ttTASK(A) { carillon_work(4000u); call(); }
ttTASK(B)
{
    volatile uint8_t local[32] = {0u};
    carillon_work(2000u);
    uint32_t sum = 0u;
    for (uint8_t k = 0u; k < sizeof local; k++) {
        sum += local[k];
    }
    carillon_say(told[0] == 't' ? "constant" : "untold", constant + sum);
}
"""


class Chip(Made):
    """The same on a chip, whose runner is given its command by hand."""

    def records(self, fault: Injected | None, folder: Path) -> list[tuple[int, int, int]]:
        told = [*fault.arguments(100_000), "20"] if fault is not None else []
        out = folder / "records"
        out.unlink(missing_ok=True)
        done = subprocess.run([*self.plan.program.put_into(folder), *told], check=False, capture_output=True, text=True)
        self.output, self.status = done.stdout, done.returncode
        return list(struct.iter_unpack("<QII", out.read_bytes()))


@pytest.fixture(scope="module")
def chip(tmp_path_factory: pytest.TempPathFactory) -> Chip:
    return Chip(tmp_path_factory.mktemp("chip"), text=SCHEDULE, code=CODE, length=200 * MS // TICK, back=50 * MS // TICK)


def source_at(records: list[tuple[int, int, int]], offset: int) -> int:
    """The source that is entered so many cycles after the start of the round, to a tenth of a millisecond."""
    first = next(t for t, k, _ in records if k == ENTER)
    return next(v for t, k, v in records if k == ENTER and abs(t - first - offset) < MS // 10)


def near(found: list[int], wanted: list[int]) -> bool:
    return len(found) == len(wanted) and all(abs(a - b) <= PHASE for a, b in zip(found, wanted, strict=True))


def test_interrupts_are_late_lost_and_doubled_as_told(chip: Chip, tmp_path: Path) -> None:
    whole = chip.records(None, tmp_path)
    source = source_at(whole, 5 * MS)
    number, usual = expiry_of(whole, source, 3), entered(whole, source)
    for late in (1, 77, 3 * MS, 7 * MS):
        found = entered(chip.records(Injected(FaultKind.LATE, number, 0, late), tmp_path), source)
        assert near(found, [*usual[:2], usual[2] + late, *usual[3:]]), late
    assert near(entered(chip.records(Injected(FaultKind.LOST, number), tmp_path), source), usual[:2] + usual[3:])
    doubled = chip.records(Injected(FaultKind.DOUBLED, number), tmp_path)
    assert len(entered(doubled, source)) == len(usual) + 1
    assert [v for _, k, v in doubled if k == REQUEST] == [source]
    for records in (whole, doubled):
        assert sum(k == EXPIRY and v == source for _, k, v in records) == len(usual)


def test_a_spurious_interrupt_has_no_expiry(chip: Chip, tmp_path: Path) -> None:
    whole = chip.records(None, tmp_path)
    source = source_at(whole, 5 * MS)
    at = entered(whole, source)[3] + 3 * MS
    found = chip.records(Injected(FaultKind.SPURIOUS, at, source), tmp_path)
    assert near(entered(found, source), sorted([*entered(whole, source), at]))
    assert sum(k == EXPIRY for _, k, _ in found) == sum(k == EXPIRY for _, k, _ in whole)


@pytest.mark.parametrize("by", [1500, -1500, 9, -1])
def test_a_counter_jumps_once(by: int, chip: Chip, tmp_path: Path) -> None:
    """A tick of this timer has 8 cycles, and the simulator sets its counter to a tick or two."""
    whole = chip.records(None, tmp_path)
    source = source_at(whole, 5 * MS)
    usual = entered(whole, source)
    at = usual[2] + 7 * MS
    found = entered(chip.records(Injected(FaultKind.JUMP, at, source, by), tmp_path), source)
    assert near(found[:3], usual[:3])
    moved = by // 8 * 8 if abs(by) >= 8 else 8 * (1 if by > 0 else -1)
    assert all(abs(f - u - moved) <= 2 * 8 + PHASE for f, u in zip(found[3:-1], usual[3:-1], strict=False))


def test_flipped_bits_are_seen_by_the_program(chip: Chip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = chip.records(None, tmp_path)
    lines = chip.output.splitlines()
    assert set(lines) == {"constant 64"}
    targets = chip.plan.targets
    at = next(t for t, k, _ in whole if k == ENTER) + 90 * MS
    places = {name: (address, size) for name, address, size in (*targets.variables, *targets.tables)}
    assert places["constant"][1] == 4
    for name, byte, bit, wanted in (("constant", 1, 5, "constant 8256"), ("told", 0, 3, "untold 64")):
        fault = Injected(FaultKind.VARIABLE, at, places[name][0] + byte, bit, name)
        chip.records(fault, tmp_path)
        said = chip.output.splitlines()
        assert said == [*lines[: said.index(wanted)], *[wanted] * (len(lines) - said.index(wanted))], name
        assert 3 <= said.index(wanted) <= 5
        assert chip.outcome(fault, monkeypatch)[0] == "lost"  # more is printed, which takes longer


def test_the_live_stack_is_hit(chip: Chip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While B runs, its 32 bytes and the return addresses lie there; a bit of the former is a power of two in the sum."""
    whole = chip.records(None, tmp_path)
    lines = chip.output.splitlines()
    at = next(t for t, k, _ in whole if k == ENTER) + 105 * MS + MS // 2
    changed, outcomes = 0, set()
    for byte in range(130):
        fault = Injected(FaultKind.STACK, at, 0, 8 * byte + 2)
        chip.records(fault, tmp_path)
        others = [line for line in chip.output.splitlines() if line != lines[0]]
        changed += others == ["constant 68"]
        if byte % 5 == 0:
            outcomes.add(chip.outcome(fault, monkeypatch)[0])
    assert changed == 32
    assert outcomes >= {"tolerated", "lost"}


def test_a_call_that_leads_nowhere_is_lost_or_hangs(chip: Chip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = chip.records(None, tmp_path)
    ((address, size),) = [(at, size) for name, at, size in chip.plan.targets.variables if name == "call"]
    assert size == 2
    at = next(t for t, k, _ in whole if k == ENTER) + 90 * MS
    flips = [Injected(FaultKind.VARIABLE, at, address + 1, bit, "call") for bit in range(4, 8)]
    outcomes = {chip.outcome(flip, monkeypatch) for flip in flips}
    assert {outcome for outcome, _ in outcomes} <= {"lost", "hung"}
    assert ("lost", "the processor has gone astray") in outcomes


def test_outcomes_are_those_of_a_virtual_board(chip: Chip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = chip.records(None, tmp_path)
    number = expiry_of(whole, source_at(whole, 5 * MS), 4)
    assert chip.outcome(Injected(FaultKind.LOST, number), monkeypatch) == ("lost", "fewer jobs of B")
    assert chip.outcome(Injected(FaultKind.DOUBLED, number), monkeypatch) == ("lost", "more jobs of B")
    assert chip.outcome(Injected(FaultKind.LATE, number, 0, 10 * 16), monkeypatch) == ("tolerated", "")


def test_a_deadline_that_the_kernel_watches_detects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Chip(tmp_path, 'deadline = "3ms"\n\n', text=SCHEDULE, code=CODE, length=200 * MS // TICK, back=50 * MS // TICK)
    whole = made.records(None, tmp_path)
    source = source_at(whole, 0)
    number = expiry_of(whole, source, 3)
    assert made.outcome(Injected(FaultKind.LATE, number, 0, MS // 2), monkeypatch) == ("tolerated", "")
    late = made.outcome(Injected(FaultKind.LATE, number, 0, MS * 3 // 2), monkeypatch)
    assert late in {("detected", "a deadline was missed"), ("lost", "a deadline of A passed")}
    records = made.records(Injected(FaultKind.LATE, number, 0, MS * 3 // 2), tmp_path)
    assert sum(k == FAULT for _, k, _ in records) == 1


def test_neither_workers_nor_only_change_a_result(tmp_path: Path) -> None:
    path, one, two = schedule(tmp_path, text=SCHEDULE, code=CODE), tmp_path / "one", tmp_path / "two"
    code, first, _ = campaign(path, one, "--runs", "63", "--workers", "1")
    assert code == 0
    assert first["runs"] == 63
    assert list(first["kinds"]) == ["late", "lost", "doubled", "spurious", "jump", "variable", "stack"]
    campaign(path, two, "--runs", "63", "--workers", "2")
    assert one.read_bytes() == two.read_bytes()
    _, alone, _ = campaign(path, one, "--only", "50")
    assert alone["rows"][0] == json.loads(one.read_text().splitlines()[51])
