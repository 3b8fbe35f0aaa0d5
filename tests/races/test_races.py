# SPDX-License-Identifier: Apache-2.0
"""Whatever instruction of a service an interrupt comes in, both services do what they do one after the other.

A tick is an instruction on the reference board, so that an interrupt is swept over a service instruction by
instruction (``sweep.h``); what is seen is compared with what the reference model allows (``interleavings.py``).

A part of the pairs runs by default; CARILLON_TRIES is the number of pairs for each way in which an application is
built, or ``all``: 354,152, less those that the standard leaves open.  The end of pytest's output says how many pairs and
instructions were swept.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from interleavings import Word, allowed
from pairs import FAMILIES, Family, Pair, pairs, settings, some

import asked
from firmware import Setting, image, matches, sweep
from sample import turn

BY_DEFAULT = 8
IN_AN_IMAGE = 250

Case = tuple[Family, str, Setting]
Logs = set[tuple[Word, ...]]
CASES: list[Case] = [(family, name, setting) for family in FAMILIES for name, setting in settings(family)]


def chosen() -> list[Case]:
    """All cases, or of each family functions and one more, so that each way of building is among them."""
    if asked.TRIES:
        return CASES
    result = []
    for family in FAMILIES:
        first, functions, *more = [case for case in CASES if case[0] is family]
        result += [functions, [first, *more][turn(family.name, 1 + len(more))]]
    return result


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("races")


def specified(setting: Setting, all_pairs: list[Pair], count: int) -> list[tuple[Pair, Logs]]:
    """So many pairs, or all, that the standard does not leave open, with the logs that they may leave."""
    found: dict[str, Logs] = {}

    def is_specified(pair: Pair) -> bool:
        logs = allowed(setting.application, pair.program, setting.cells)
        found.update({} if logs is None else {pair.name: logs})
        return logs is not None

    return [(pair, found[pair.name]) for pair in some(all_pairs, count, is_specified)]


def check(folder: Path, setting: Setting, part: list[tuple[Pair, Logs]], counts: dict[str, int]) -> list[str]:
    """Sweep the pairs of one image; returns what should not have been seen."""
    counts["images"] += 1
    programs = [pair.program for pair, _ in part]
    wrong = []
    for (pair, logs), swept in zip(part, sweep(image(folder, setting, programs), len(part)), strict=True):
        counts["pairs"] += 1
        counts["instructions"] += swept.instructions
        counts["different runs"] += len(swept.logs)
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
def test_services_in_the_middle_of_each_other_do_what_they_do_in_some_order(
    folder: Path, case: Case, counts: dict[str, int]
) -> None:
    family, _, setting = case
    every = list(pairs(family, setting))
    count = asked.tries(BY_DEFAULT, of=len(every))
    found = specified(setting, every, count)
    assert len(found) == count or len(found) * 2 > len(every), "most pairs are specified"
    wrong = []
    for start in range(0, len(found), IN_AN_IMAGE):
        wrong += check(folder, setting, found[start : start + IN_AN_IMAGE], counts)
    assert not wrong, f"{len(wrong)} of {len(found)}:\n" + "\n".join(wrong[:20])


ONCE_WRONG = {
    ("events", "task hooks"): (
        "T2: SetEvent 1 1; SetEvent 2 1; SetEvent 3 4; | GetEvent 1 | I0: ActivateTask 2",
        "T2: SetEvent 1 1; SetEvent 2 1; SetEvent 3 4; | GetTaskId | I0: SetEvent 3 1",
    ),
}
"""Pairs that found a fault and are not in the part that runs by default."""


@pytest.mark.parametrize("name", ONCE_WRONG, ids=", ".join)
def test_pairs_that_found_a_fault_are_always_swept(folder: Path, name: tuple[str, str], counts: dict[str, int]) -> None:
    (found,) = ((family, setting) for family, way, setting in CASES if (family.name, way) == name)
    wanted = [pair for pair in pairs(*found) if pair.name in ONCE_WRONG[name]]
    assert len(wanted) == len(ONCE_WRONG[name])
    wrong = check(folder, found[1], specified(found[1], wanted, len(wanted)), counts)
    assert not wrong, "\n".join(wrong)
