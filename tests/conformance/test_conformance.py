# SPDX-License-Identifier: Apache-2.0
"""The services of OSEK/VDX OS 2.2.3 and of AUTOSAR OS do what the standards say: every case on every board that it fits."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from cases import BOARDS, Case, DoesNotFitError, Variant, all_cases, run_variant, variants

import asked
from sample import turn

PART = 48
"""Of the variants in RTL, one in so many runs by default."""


def _selected(every: list[Variant]) -> list[Variant]:
    """All variants with CARILLON_SUITES=all; else a part that has every case on the virtual board with hardware dispatch and
    once in QEMU, where a third has software dispatch; both statuses of a sixth, and a few on RISC-V; and one board tickless.
    Which cases have what turns with the commit."""
    if asked.all_cases():
        return every
    cases = all_cases()
    first = turn("conformance", len(cases))

    def chosen(variant: Variant) -> bool:
        number = (cases.index(variant.case) + first) % len(cases)
        third, sixth = number % 3, number % 6
        if variant.tickless:
            return variant.board == BOARDS[number % len(BOARDS)] and variant.status == variant.case.statuses[0]
        if variant.board.startswith("virtual-"):
            usual = variant.status == variant.case.statuses[0]
            return (usual or sixth == 1) if variant.dispatch == "hardware" else (usual and sixth == 2)
        in_turn = variant.case.statuses[number // 3 % len(variant.case.statuses)]
        if variant.status != (in_turn if variant.dispatch == "hardware" else variant.case.statuses[0]):
            return False
        return {
            ("ast1030-evb", "hardware"): third == 0,
            ("ast1030-evb", "software"): sixth == 1,
            ("mps2-an385", "hardware"): third == 2,
            ("mps2-an385", "software"): sixth == 4,
            ("qemu-rv32-virt", "software"): number % 26 == 12,
        }[variant.board, variant.dispatch]

    return [variant for variant in every if chosen(variant)]


def _in_rtl() -> list[Variant]:
    """The same on the board in RTL, where a run takes seconds: by default a few, which turn with the commit."""
    every = variants(all_cases(), ("cv32e40x-rtl",))
    first = turn("conformance in RTL", PART)
    return every if asked.all_cases() else every[first::PART]


@pytest.mark.parametrize("variant", _selected(variants(all_cases())) + _in_rtl(), ids=str)
def test_a_case_says_what_the_standard_says(variant: Variant, tmp_path: Path) -> None:
    try:
        said = run_variant(variant, tmp_path)
    except DoesNotFitError as reason:
        assert not variant.fits, str(reason)
        pytest.skip(str(reason))
    assert variant.fits, "it fits: take it from TOO_BIG"
    wrong = [line for line in said if not line.startswith("ok ") and line != "end"]
    assert not wrong, "\n".join(wrong)
    assert said == variant.case.expected


@pytest.mark.parametrize("case", all_cases(), ids=str)
def test_every_check_of_a_case_is_expected_once(case: Case) -> None:
    named = re.findall(r'EXPECT(?:_IS|_MARKS)?\(\s*"([^"]*)"\s*,', case.code.read_text(encoding="utf-8"))
    assert set(named) <= set(case.checks)
    assert len(set(case.checks)) == len(case.checks)
    assert case.expected[-1] == "end"


def test_the_counts_of_checks_are_printed() -> None:
    script = Path(__file__).with_name("count.py")
    printed = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True).stdout
    assert re.search(rf"^\| all \| {len(all_cases())} \| {sum(len(c.checks) for c in all_cases())} \|", printed, re.MULTILINE)
