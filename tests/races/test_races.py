# SPDX-License-Identifier: Apache-2.0
"""Whatever instruction of a service an interrupt comes in, both services do what they do one after the other.

A tick is an instruction on the reference board, so that an interrupt is swept over a service instruction by
instruction (``sweep.h``); what is seen is compared with what the reference model allows (``interleavings.py``).

A part of the pairs runs by default; CARILLON_RACES is the number of pairs for each way in which an application is
built, or ``all``: 133,496, less those that the standard leaves open.  The last test says how many
pairs and instructions were swept (``pytest -rP`` prints it).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from interleavings import allowed
from pairs import FAMILIES, Family, Pair, pairs, settings, some

from firmware import Setting, image, matches, sweep

AMOUNT = os.environ.get("CARILLON_RACES", "")
BY_DEFAULT = 45
IN_AN_IMAGE = 250

Case = tuple[Family, str, Setting]
CASES: list[Case] = [(family, name, setting) for family in FAMILIES for name, setting in settings(family)]


def chosen() -> list[Case]:
    """All cases, or of each family functions and up to two more, so that each way of building is among them."""
    if AMOUNT:
        return CASES
    result = []
    for number, family in enumerate(FAMILIES):
        own = [case for case in CASES if case[0] is family]
        places = sorted({1, number % len(own), (number + 1 + len(own) // 2) % len(own)})
        result += [own[place] for place in places]
    return result


COUNTS = {"pairs": 0, "instructions": 0, "runs": 0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("races")


def specified(all_pairs: list[Pair], setting: Setting) -> list[tuple[Pair, list[tuple[object, ...]]]]:
    found = []
    for pair in all_pairs:
        logs = allowed(setting.application, pair.program)
        if logs is not None:
            found.append((pair, list(logs)))
    return found


def check(folder: Path, setting: Setting, part: list[tuple[Pair, list]]) -> list[str]:
    """Sweep the pairs of one image; returns what should not have been seen."""
    programs = [pair.program for pair, _ in part]
    wrong = []
    for (pair, logs), swept in zip(part, sweep(image(folder, setting, programs), len(part)), strict=True):
        COUNTS["pairs"] += 1
        COUNTS["instructions"] += swept.instructions
        COUNTS["runs"] += len(swept.logs)
        if not swept.over:
            wrong.append(f"{pair.name}: hangs")
        elif swept.instructions == 0:
            wrong.append(f"{pair.name}: the interrupt never came")
        for instruction, log in swept.logs.items():
            if not any(matches(log, wanted) for wanted in logs):
                wrong.append(f"{pair.name}: from instruction {instruction} on {' '.join(f'{word:x}' for word in log)}")
                break
    return wrong


@pytest.mark.long
@pytest.mark.parametrize("case", chosen(), ids=lambda case: f"{case[0].name}, {case[1]}")
def test_services_in_the_middle_of_each_other_do_what_they_do_in_some_order(folder: Path, case: Case) -> None:
    family, _, setting = case
    every = list(pairs(family, setting))
    count = len(every) if AMOUNT == "all" else int(AMOUNT or BY_DEFAULT)
    found = specified(some(every, count), setting)
    assert len(found) * 3 > min(count, len(every)), "too few pairs are specified"
    wrong = []
    for start in range(0, len(found), IN_AN_IMAGE):
        wrong += check(folder, setting, found[start : start + IN_AN_IMAGE])
    assert not wrong, f"{len(wrong)} of {len(found)}:\n" + "\n".join(wrong[:20])


def test_what_was_swept_is_counted() -> None:
    """Where this process had any of the tests above."""
    print(f"{COUNTS['pairs']} pairs, {COUNTS['instructions']} instructions, {COUNTS['runs']} different runs")
    assert COUNTS["instructions"] >= COUNTS["pairs"]
