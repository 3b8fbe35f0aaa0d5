# SPDX-License-Identifier: Apache-2.0
"""Where firmware is tested: a schedule and C code are planned, built and run, and what happened is looked at."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest
from consistency import inconsistency

from building import build
from carillon.allocate.result import Carrier
from carillon.build import Firmware
from carillon.diagnostics import Diagnostics
from carillon.model.board import Role
from carillon.model.giotto import Machine
from carillon.pipeline import Planned, plan, releases
from carillon.run import run
from carillon.run.emulators import built_rigless
from carillon.trace import Event, Kind, Trace
from carillon.trace.analyse import analyse
from carillon.trace.summary import Summary, TaskSummary
from printed import exceeded_bounds

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

AST = "ast1030-evb"
MPS = "mps2-an385"
AN505 = "mps2-an505"
RV32 = "qemu-rv32-virt"
VIRTUAL_AST = "virtual-ast1030-evb"
VIRTUAL = "virtual-256"
TC = "tc1796"


@dataclass(frozen=True)
class Outcome:
    """A run of some firmware, with all that led to it."""

    planned: Planned
    firmware: Firmware
    trace: Trace

    @cached_property
    def summary(self) -> Summary:
        """The run's figures."""
        return analyse(self.trace, releases(self.planned.system, self.trace))

    @property
    def per_tick(self) -> int:
        """Instructions a tick, 1 where code takes no time: the unit of an event's ``n``."""
        return max(1, self.trace.instructions_per_tick)

    @cached_property
    def reported(self) -> list[tuple[str, int]]:
        """What the firmware said with ``report``, in order; the end of the run may cut a line off, which is none then."""
        whole = self.trace.output[: self.trace.output.rfind("\n") + 1]
        return [(name, int(value)) for name, value in (line.split() for line in whole.splitlines())]

    def said(self, name: str) -> list[int]:
        """Every number that the firmware reported under a name."""
        return [value for own, value in self.reported if own == name]

    def events(self, *kinds: Kind, of: str | None = None) -> list[Event]:
        """The events of these kinds, all of them if none is named."""
        return [e for e in self.trace.events if (not kinds or e.kind in kinds) and (of is None or e.object == of)]

    def at(self, kind: Kind, of: str) -> list[int]:
        """The instructions (ticks where code takes none) at which something happened to an object."""
        return [e.n for e in self.events(kind, of=of)]

    def story(self, *kinds: Kind) -> list[str]:
        """What happened, without when: ``start Task1`` and so on."""
        return [f"{e.kind.value} {e.object}" for e in self.events(*kinds)]

    def task(self, name: str) -> TaskSummary:
        """A task's or interrupt's figures."""
        return next(t for t in self.summary.tasks if t.lane.name == name)

    def carriers(self, role: Role, of: str, mode: int = 0) -> tuple[Carrier, ...]:
        """What carries an object's points."""
        return self.planned.allocation.modes[mode].of(role, of)

    def cells(self, role: Role, of: str, mode: int = 0) -> list[str]:
        """The names of the cells that carry an object's points."""
        return [use.cell.name for carrier in self.carriers(role, of, mode) for use in carrier.cells]

    def delays(self, task: str) -> set[int]:
        """How many instructions after its release a task's first instruction came: every value that occurred."""
        return {r.begin.n - r.release.at * self.per_tick for r in self.summary.runs if r.lane.name == task and r.release}


class Laboratory:
    """Builds and runs; what it has run once it does not run again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._planned: dict[str, tuple[Planned, Firmware]] = {}
        self._outcomes: dict[tuple[str, int, int], Outcome] = {}

    def firmware(
        self, path: Path, board: str, kernel: str = "carillon", machine: Machine = Machine.MICROCODE
    ) -> tuple[Planned, Firmware]:
        """Plan and build a schedule for a board, once."""
        key = f"{path} {board} {kernel} {machine.value}"
        if key not in self._planned:
            diagnostics = Diagnostics()
            planned = plan(path, diagnostics, board, kernel, machine=machine)
            name = hashlib.sha256(key.encode()).hexdigest()[:16]
            firmware = build(planned.image, self.folder / "firmware" / name, diagnostics)
            assert firmware is not None, [str(d) for d in diagnostics.reported]
            self._planned[key] = planned, firmware
        return self._planned[key]

    def run_file(
        self,
        path: Path,
        board: str,
        *,
        kernel: str = "carillon",
        machine: Machine = Machine.MICROCODE,
        rounds: int = 1,
        ticks: int = 0,
        locks: bool = False,
    ) -> Outcome:
        """Run a schedule's application for so many rounds of its start mode, or so many ticks.

        ``locks``: it locks interrupts, so that starts may be later than the plan says.
        """
        planned, firmware = self.firmware(path, board, kernel, machine)
        where = planned.system.board.run
        if where is not None and where.kind == "rigless" and not built_rigless().is_file():
            pytest.skip("the runner on rigless is not built")  # which takes minutes (runnable.py)
        start = next((m for m in planned.system.modes if m.name == planned.system.start_mode), None)
        assert ticks or start is not None, "a system without rounds runs for so many ticks"
        length = ticks or (start.round_length if start else 0) * rounds
        key = (str(firmware.folder), length, rounds if not ticks else 0)
        if key not in self._outcomes:
            diagnostics = Diagnostics()
            trace = run(
                planned.image, firmware, length, diagnostics, rounds=0 if ticks else rounds, stimuli=planned.system.stimuli
            )
            assert trace is not None, [str(d) for d in diagnostics.reported]
            found = inconsistency(trace)
            assert found == "", found
            assert locks or not (exceeds := exceeded_bounds(planned, trace)), exceeds
            self._outcomes[key] = Outcome(planned, firmware, trace)
        return self._outcomes[key]

    def write(self, schedule: str, code: str, *, system: str = "") -> Path:
        """Write a schedule, its ``[system]`` keys and its C code to a folder of their own; returns the schedule's path."""
        text = f'# SPDX-License-Identifier: Apache-2.0\n[system]\nname = "app"\n{system}\n{schedule}'
        folder = self.folder / hashlib.sha256(f"{text}\0{code}".encode()).hexdigest()[:16]
        path = folder / "schedule.toml"
        if not path.is_file():
            folder.mkdir(parents=True)
            shutil.copy(HERE / "report.h", folder)
            headers = ["carillon/osektime.h", "carillon_port.h", "report.h"]
            headers += ["os.h"] if "[osek" in schedule else []
            includes = "".join(f'#include "{name}"\n' for name in headers)
            (folder / "main.c").write_text(includes + code, encoding="utf-8")
            path.write_text(text, encoding="utf-8")
        return path

    def run(
        self,
        schedule: str,
        code: str,
        board: str,
        *,
        system: str = "",
        kernel: str = "carillon",
        rounds: int = 1,
        ticks: int = 0,
        locks: bool = False,
    ) -> Outcome:
        """Run an application that is written down here; ``locks``: as in :meth:`run_file`."""
        path = self.write(schedule, code, system=system)
        return self.run_file(path, board, kernel=kernel, rounds=rounds, ticks=ticks, locks=locks)


def source(test: str, name: str, **macros: object) -> str:
    """The text of a file in the folder beside a test that has the test's name, below definitions of macros."""
    defined = "".join(f"#define {macro} {meaning}\n" for macro, meaning in macros.items())
    return defined + (Path(test).with_suffix("") / name).read_text(encoding="utf-8")


def task(name: str, code: str = "") -> str:
    """The C function of a task or of an interrupt."""
    return f"void {name}(void);\nvoid {name}(void)\n{{\n{code}\n}}\n"


def works(**ticks: int) -> str:
    """The C functions of tasks that only work."""
    return "".join(task(name, f"carillon_work({duration});") for name, duration in ticks.items())


def points(round_length: int, *entries: tuple[object, ...], window: str = "deadline", mode: str = "normal") -> str:
    """A mode's table: entries are (tick, task), (tick, task, deadlines...) or (tick, "enable", interrupt)."""
    lines = []
    for at, name, *rest in entries:
        if name == "enable":
            lines.append(f'    {{ at = "{at} ticks", enable = "{rest[0]}" }},')
        else:
            deadlines = ", ".join(f'"{d} ticks"' for d in rest)
            due = f", deadline_at = [{deadlines}]" if rest else ""
            lines.append(f'    {{ at = "{at} ticks", activate = "{name}"{due} }},')
    body = "\n".join(lines)
    return f'[mode.{mode}]\nround = "{round_length} ticks"\nwindow = "{window}"\npoints = [\n{body}\n]\n'


def declared(**wcets: int) -> str:
    """Task tables with their WCETs in ticks; 0: none."""
    return "".join(f"[task.{name}]\n" + (f'wcet = "{wcet} ticks"\n' if wcet else "") for name, wcet in wcets.items())
