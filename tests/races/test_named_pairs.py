# SPDX-License-Identifier: Apache-2.0
"""Pairs that notice what a kernel has once been changed into.  They run whatever part of all pairs does.

Each line says which change of the kernel only such a pair sees.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from interleavings import allowed
from pairs import FAMILIES, pairs, settings

from firmware import image, matches, sweep

ALL_SET = "SetRelAlarm 0 2 1; SetRelAlarm 1 1 2; SetRelAlarm 2 2 1; SetRelAlarm 3 1 2; SetRelAlarm 4 2 1; "
SOME_SET = "SetRelAlarm 1 1; SetRelAlarm 2 1; SetRelAlarm 3 1; "
NAMED: dict[tuple[str, str], tuple[str, ...]] = {
    ("events", "functions"): (
        "T2: | SetEvent 1 2 | I0: SetEvent 1 1",  # carillon_osek_set unlocked
    ),
    ("events", "extended"): (
        "T2: SetEvent 1 1; SetEvent 2 1; SetEvent 3 4; | GetEvent 3 | I0: SetEvent 3 1",  # GetEvent unlocked
        "T2: | SetEvent 3 2 | I0: SetEvent 3 1",  # SetEvent unlocked, extended status
    ),
    ("alarms", "functions"): (
        f"T2: {ALL_SET}| CancelAlarm 1 | I0: CancelAlarm 1",  # CancelAlarm unlocked
        f"T2: {SOME_SET}| CancelAlarm 2 | I0: IncrementCounter",  # the same
        f"T2: {SOME_SET}| GetAlarm 1 | I0: IncrementCounter",  # GetAlarm unlocked
        "T2: | IncrementCounter | I0: SetRelAlarm 1 1",  # IncrementCounter unlocked
        "T2: | SetAbsAlarm 1 2 | I0: IncrementCounter",  # SetAbsAlarm unlocked
        "T2: | SetRelAlarm 1 2 2 | I0: IncrementCounter",  # SetRelAlarm unlocked
    ),
    ("queued", "software"): (
        "T3: ActivateTask 2; | TerminateTask | I0: ActivateTask 1",  # a request in software dispatch unmasked
    ),
    ("resources", "inline"): (
        "T2: | GetResource 2; ActivateTask 4; ReleaseResource 2 | I0: ActivateTask 4",  # carillon_osek_claim unlocked
        "T1: | ChainTask 2 | I0: ActivateTask 2",  # a managed task's chain to a direct one unlocked
    ),
    ("resources", "task hooks"): (
        "T2: | ActivateTask 3 | I0: ActivateTask 4",  # the hooks of a task that is entered unlocked
    ),
    ("own cell", "inline"): (
        "T2: Expire 2; | ChainTask 1 | I0: ActivateTask 1",  # a direct task's chain keeps its own cell's request
    ),
}


@pytest.mark.parametrize("case", NAMED, ids=", ".join)
def test_a_change_that_was_once_made_is_noticed(tmp_path: Path, case: tuple[str, str]) -> None:
    family = next(family for family in FAMILIES if family.name == case[0])
    setting = dict(settings(family))[case[1]]
    those = [pair for pair in pairs(family, setting) if pair.name in NAMED[case]]
    assert len(those) == len(NAMED[case]), "a pair has another name"
    wrong = []
    for pair, swept in zip(those, sweep(image(tmp_path, setting, [pair.program for pair in those]), len(those)), strict=True):
        logs = allowed(setting.application, pair.program)
        assert logs is not None, f"{pair.name}: the standard leaves it open"
        wrong += [] if swept.over and swept.instructions else [f"{pair.name}: hangs, or nothing came in between"]
        for instruction, log in swept.logs.items():
            if not any(matches(log, wanted) for wanted in logs):
                wrong.append(f"{pair.name}: from instruction {instruction} on {' '.join(f'{word:x}' for word in log)}")
    assert not wrong, "\n".join(wrong)
