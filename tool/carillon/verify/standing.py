# SPDX-License-Identifier: Apache-2.0
"""What stands in a mode beside its expiries: levels, requests that are enabled and forgotten, and how it is stopped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from carillon.verify.controllers import named
from carillon.verify.expected import Subject, windows

if TYPE_CHECKING:
    from carillon.verify.rounds import Round


class Standing:
    """The comparison of what a mode leaves as it is while its round runs."""

    def __init__(self, round_: Round) -> None:
        self.round = round_

    # Levels.

    def levels(self) -> None:
        """A later activation preempts an earlier one within its window; deadlines, switch and re-enable points all of them."""
        board = self.round.system.board
        levels = dict(self.round.table.levels)
        if len(levels) != len(self.round.table.levels):
            self.round.error("C207", None, "a source has two levels")
        needed = {r.source for r in self.round.running} | {i.source for i in self.round.system.interrupts}
        for source in sorted(needed - set(levels)):
            self.round.error("C207", None, f"{named([source])} has no level")
            return
        for source, level in sorted(levels.items()):
            if source not in needed | self.round.below:
                self.round.error("C207", None, f"{named([source])} has a level, and nothing asks for it")
            if board.nesting == "levels" and not 1 <= level <= board.levels:
                self.round.error("C207", None, f"{named([source])} has level {level} of {board.levels}")
        if board.nesting != "levels":
            return
        carried: dict[tuple[str, int], int] = {}
        length = self.round.mode.round_length
        for running in self.round.running:
            subject = self.round.subject_of(running)
            if subject is not None and subject.kind == "activation":
                for t in running.times:
                    if t >= 0:
                        carried[subject.name, t % length] = running.source
        for subject, running in self.round.tabled.items():
            if subject.kind == "activation":
                carried.update({(subject.name, t % length): running.source for t in running.times if t >= 0})
        activations = [
            (a, end, carried.get((a.task, a.at)))
            for a, end in zip(self.round.mode.activations, windows(self.round.mode, self.round.system), strict=True)
        ]
        told: set[tuple[int, int]] = set()
        open_: list[tuple[int, int, str, int]] = []  # end, source, task, at
        lowered = {
            (s, x.name): part.lowered
            for s in self.round.subjects
            for x, part in self.round.serves(s).items()
            if x.kind == "activation"
        }
        tables = {s for s, x in self.round.subjects.items() if x.kind == "table"}
        for activation, end, carrier in sorted(activations, key=lambda x: x[0].at):
            if carrier is None:
                continue
            source = carrier
            open_ = [x for x in open_ if x[0] > activation.at]
            for _, other, task, at in open_:
                if task == activation.task or other in tables or lowered[other, task] or (other, source) in told:
                    continue
                if levels[source] <= levels[other]:
                    told.add((other, source))
                    self.round.error(
                        "C207",
                        activation.span,
                        f"the activation of '{activation.task}' at {activation.at} must preempt '{task}' of {at}, but its source "
                        f"{source} has level {levels[source]}, and source {other} has level {levels[other]}",
                    )
            open_.append((end, source, activation.task, activation.at))
        self._bands(levels)

    def _bands(self, levels: Mapping[int, int]) -> None:
        tasks = {s: levels[s] for s, x in self.round.subjects.items() if x.kind == "activation"}
        highest, lowest = max(tasks.values(), default=0), min(tasks.values(), default=10**6)
        above = dict(self.round.subjects)
        above.update({running.source: subject for subject, running in self.round.tabled.items() if subject.kind != "activation"})
        for source, subject in above.items():
            if subject.kind not in ("activation", "table") and levels[source] <= highest:
                self.round.error(
                    "C207",
                    self.round._span(subject),
                    f"the {subject} must preempt every task, but its source {source} has level {levels[source]}, and a task has "
                    f"{highest}",
                )
        for interrupt in self.round.system.interrupts:
            level = levels[interrupt.source]
            if (level <= highest) if interrupt.above_tasks else (level >= lowest):
                where = "above" if interrupt.above_tasks else "below"
                self.round.error(
                    "C207",
                    interrupt.span,
                    f"the interrupt '{interrupt.name}' is to be {where} all tasks, but has level {level}, and tasks have "
                    f"{lowest} to {highest}",
                )
        for source in sorted(self.round.below & set(levels)):
            if levels[source] >= lowest:
                self.round.error(
                    "C207", None, f"{named([source])}, which is event-triggered, has level {levels[source]}, above a task's"
                )

    # What is enabled, forgotten, stopped.

    def requests(self) -> None:
        board = self.round.system.board
        hardware = self.round.hardware
        own = {r.source for r in self.round.running if r.source >= board.request_base}
        for running in self.round.running:
            if running.source in own and running.source not in hardware.cleared:
                self.round.error("C208", None, f"what {running} asked for before the mode is not forgotten when it starts")
                own.discard(running.source)
        for source in sorted(hardware.enabled - own - self.round.below - {i.source for i in self.round.system.interrupts}):
            if source not in {r.source for r in self.round.running}:
                self.round.error("C208", None, f"{named([source])} is enabled, and nothing of the mode asks for it")
        early = sorted(s for s, after in hardware.since_enabled.items() if s in own and not after)
        if early:
            self.round.error("C208", None, f"{named(early)} is enabled before its earlier requests are forgotten")
        self._stopped(own)
        self._ground_state()

    def _stopped(self, own: set[int]) -> None:
        hardware = self.round.hardware
        several = len(self.round.system.modes) > 1
        hardware.cleared = set()
        hardware.named = set()
        others = [c for _, c in hardware.cells if c.started is not None and not any(c is own for own in self.round.started)]
        for cell in others:
            if not cell.lets and cell.place.source in self.round.below:
                self.round.error("C208", None, f"the mode's start takes its interrupt from {cell.place.name}")
        hardware.carry_out(self.round.table.stop, None)
        surplus = hardware.named - {c.place.source for c in self.round.started} - {i.source for i in self.round.system.interrupts}
        if surplus:
            self.round.error("C208", None, f"the mode is stopped by stores for {named(surplus)}, which it has not")
        for cell in others:
            if cell.started is None:
                self.round.error("C208", None, f"{cell.place.name}, which is not of the mode, is stopped with it")
        for running in self.round.running:
            control = self.round.subjects.get(running.source, Subject("", "")).kind == "control"
            if running.cell.started is not None and not control:
                self.round.error("C208", None, f"{running} still runs when the mode has been stopped")
        if several:
            for source in sorted(own & hardware.enabled):
                self.round.error("C208", None, f"{named([source])} is still enabled when the mode has been stopped")
            for source in sorted(own - hardware.cleared):
                self.round.error(
                    "C208", None, f"{named([source])}: what it asked for is not forgotten when the mode has been stopped"
                )

    def _ground_state(self) -> None:
        """The sources of which none may be active, and which may wait, at a switch of modes."""
        if len(self.round.system.modes) == 1:
            return
        length = self.round.mode.round_length
        at = {
            t % length
            for r in self.round.running
            if self.round.subjects.get(r.source, Subject("", "")).kind == "control"
            for t in r.times
        }
        tasks = {s for s, x in self.round.subjects.items() if x.kind in ("activation", "table")}
        begin = {
            self.round.subject_of(r)
            for r in self.round.running
            if r.source in tasks and at & {t % length for t in r.times if t >= 0}
        }
        due = {s for s in tasks if begin & self.round.serves(s).keys()}  # of a task that the next round would begin with
        all_of_them = tasks | {i.source for i in self.round.system.interrupts}
        waiting = set(self.round.table.tasks[: self.round.table.waiting])
        missing = all_of_them - set(self.round.table.tasks)
        if missing:
            self.round.error("C208", None, f"{named(missing)} is not asked whether it is active when the mode is to be left")
        elif tasks - due - waiting:
            self.round.error(
                "C208", None, f"{named(tasks - due - waiting)} is not asked whether it waits when the mode is to be left"
            )
        elif set(self.round.table.tasks) - all_of_them or waiting - (tasks - due):
            surplus = (set(self.round.table.tasks) - all_of_them) | (waiting - tasks) | (waiting & due)
            self.round.error(
                "C208",
                None,
                f"{named(surplus)} holds up the switch of modes",
            )
