# SPDX-License-Identifier: Apache-2.0
"""Whatever instruction of a service of the rounds their end comes in, it was before the service, or after it.

The end of a round, with and without a switch of modes, is swept over the services of the time-triggered system, which a
task of the event-triggered one calls; so is a task that calls one itself; and a task's end is swept over its deadline
(``rounds.h``).  In every run each mode's tasks start in the ticks of their rounds, the time of the round runs on, and the
modes follow one another as in one of the two orders.
"""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import pytest

from firmware import HERE, KINDS, ROOT, Swept, built, sweep

SERVICES = ("time", "time of the next mode", "switch", "switch again", "switch twice", "mode", "deadline")
ROUND = 10_000
WRONG, VERDICT = KINDS["out"] << 24 | 7 << 16, KINDS["out"] << 24 | 6 << 16  # rounds.h
TASKS = ("GridA", "GridB", "GridC", "Switcher", "Watched")

SCHEDULE = """# SPDX-License-Identifier: Apache-2.0
[system]
name = "app"
start_mode = "A"
on_deadline_miss = "continue"
[osek.task.T0]
priority = 1
autostart = true
"""
SCHEDULE += "".join(f"[task.{name}]\n" for name in TASKS)
SCHEDULE += f"""[mode.A]
round = "{ROUND} ticks"
points = [
    {{ at = "2000 ticks", activate = "GridA" }},
    {{ at = "4000 ticks", activate = "Switcher" }},
    {{ at = "6000 ticks", activate = "Watched", deadline_at = "6600 ticks" }},
]
[mode.B]
round = "{ROUND} ticks"
points = [{{ at = "2000 ticks", activate = "GridB" }}]
[mode.C]
round = "{ROUND} ticks"
points = [{{ at = "2000 ticks", activate = "GridC" }}]
"""


def application(folder: Path) -> Path:
    """Write the application."""
    folder.mkdir()
    (folder / "schedule.toml").write_text(SCHEDULE, encoding="utf-8")
    head = ["/* SPDX-License-Identifier: Apache-2.0 */", f"#define PROGRAMS {len(SERVICES)}u", f"#define ROUND {ROUND}u"]
    board = tomllib.loads((ROOT / "boards/ast1030-evb/board.toml").read_text(encoding="utf-8"))
    head += [f"#define GAP {board['switch_ticks'] + board['lead']}u"]
    head += [f"#define WATCHED_NUMBER {TASKS.index('Watched')}u", f"#define CHOSEN {', '.join(map(str, range(len(SERVICES))))}"]
    (folder / "main.c").write_text("\n".join([*head, '#include "rounds.h"', ""]), encoding="utf-8")
    for name in ("sweep.h", "rounds.h"):
        shutil.copy(HERE / name, folder)
    return folder


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Swept]:
    elf = built(application(tmp_path_factory.mktemp("rounds") / "app"))
    return dict(zip(SERVICES, sweep(elf, len(SERVICES)), strict=True))


def lanes(log: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """What the service says, and all else."""
    said = tuple(word for word in log if word >> 24 == KINDS["error"])
    return said, tuple(word for word in log if word not in said)


def logs(it: Swept, counts: dict[str, int]) -> list[tuple[int, ...]]:
    """What the runs of a sweep left, in order."""
    counts["pairs"] += 1
    counts["instructions"] += it.instructions
    counts["different runs"] += len(it.logs)
    assert it.over and it.instructions > 20
    for log in it.logs.values():
        assert not any(word & 0xFFFF0000 == WRONG for word in log), " ".join(f"{word:x}" for word in log)
    return [it.logs[instruction] for instruction in sorted(it.logs)]


@pytest.mark.parametrize("service", [s for s in SERVICES if s != "deadline"])
def test_a_service_at_the_end_of_a_round_is_before_it_or_after_it(
    swept: dict[str, Swept], service: str, counts: dict[str, int]
) -> None:
    found = logs(swept[service], counts)
    assert {lanes(log) for log in found} <= {lanes(found[0]), lanes(found[-1])}
    assert service not in ("switch", "switch again", "switch twice") or lanes(found[0]) != lanes(found[-1])


def test_a_task_that_ends_around_its_deadline_has_one_verdict(swept: dict[str, Swept], counts: dict[str, int]) -> None:
    counts["images"] += 1
    verdicts = []
    for log in logs(swept["deadline"], counts):
        (verdict,) = (word & 0xFFFF for word in log if word & 0xFFFF0000 == VERDICT)
        verdicts.append((verdict >> 4, verdict & 15))
    # Missed once or not at all, with the place of the end: before, near, after.  From one instruction on it is missed.
    assert verdicts[0] == (0, 0)
    assert verdicts[-1] == (1, 2)
    assert verdicts == sorted(verdicts)
    assert set(verdicts) <= {(0, 0), (0, 1), (1, 1), (1, 2)}
