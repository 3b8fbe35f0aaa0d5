# SPDX-License-Identifier: Apache-2.0
"""Why event-triggered demands have no allocation, alone or beside the rounds, and the remedies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from carillon.actions import Action
from carillon.actions.count_turns import CountTurns
from carillon.actions.end_slice import EndSlice
from carillon.actions.keep_budget import KeepBudget
from carillon.actions.keep_round_budget import KeepRoundBudget
from carillon.actions.serve_clock import ServeClock
from carillon.allocate.claims import Claim, ClaimBuilder, Claims, task_refusal
from carillon.allocate.explain import joined, listed
from carillon.allocate.share import share
from carillon.allocate.table_cells import table_refusal
from carillon.allocate.tasks import TaskPlan
from carillon.diagnostics import Diagnostics, Span
from carillon.lower import Demand, When
from carillon.lower.events import LoweredEvents, Series
from carillon.model import System
from carillon.model.board import Board, Role
from carillon.model.osek import ScheduleTable
from carillon.model.time import ClockKind, TimeServices
from carillon.units import format_duration

KEPT = 'write budgets = "clock" in [osek], or '
"""The way out that budgets have."""
SHARED = "write start_within in [system], so that tasks that need no exact start share a cell, or "
"""The way out that budgets of the rounds' tasks have, if the tasks take all cells."""
PROTECTS: dict[type[Action], tuple[str, str, str]] = {
    KeepBudget: ("keep execution budgets", "readable and settable while it runs", "budgets"),
    KeepRoundBudget: ("keep the execution budgets of the rounds' tasks", "readable and settable while it runs", "budgets"),
    CountTurns: ("measure time frames", "readable while it runs", "time frames"),
}
"""Of cells that the kernel reads: what they do, what they must be, and what can be left out."""


class Refusal:
    """Says that claims cannot be met, those in ``kept`` beside some ``demands`` of the rounds, each with its mode's name.

    The last index of ``kept`` may be that of the sources of task levels: how many claims there are.
    """

    def __init__(
        self,
        system: System,
        events: LoweredEvents,
        plan: TaskPlan,
        claims: Claims,
        kept: Sequence[int],
        demands: Sequence[tuple[str, Demand]] = (),
    ) -> None:
        self.system, self.events, self.plan, self.claims = system, events, plan, claims
        self.board = system.board
        self.last = kept[-1]
        self.demands = demands
        alike: dict[str, list[str]] = {}
        for mode, demand in demands:
            within = f" in mode '{mode}'" if len(system.modes) > 1 else ""
            alike.setdefault(f"the {demand.action.word}s of {{}}{within}", []).append(demand.object)
        self.others = [*(f"'{claims.all[k].name}'" for k in kept[:-1]), *(t.format(listed(names)) for t, names in alike.items())]

    def report(self, diagnostics: Diagnostics, rounds: bool = False) -> None:
        """C161, C162, C171, C174, C178, C183 or C185.  ``rounds``: the claims had only the cells that all rounds leave."""
        if self.events.series and self._report_tables(diagnostics):
            return
        self.others += ["the rounds"] if rounds else []
        left = f" beside {joined(self.others)}" if self.others else ""
        if self.last == len(self.claims.all):
            diagnostics.error("C161", *self._no_source())
            return
        claim = self._asking(self.claims.all[self.last])
        assert claim.demand is not None
        action, period = claim.demand.action, claim.demand.period
        nobody = f"no free cell of board '{self.board.name}' can"
        if claim.demand.whose is not None:
            diagnostics.error("C185", *self._no_alarm(claim, left))
        elif isinstance(action, ServeClock):
            self._report_clock(diagnostics, left)
        elif isinstance(action, EndSlice):
            assert self.events.services is not None
            span = self.events.services.spans["slice"]
            remedy = self._remedy("slice" if self.system.giotto is None else "")
            diagnostics.error("C174", span, f"{nobody} end slices of {self._duration(period)}{left}", remedy)
        elif type(action) in PROTECTS:
            does, must, whole = PROTECTS[type(action)]
            diagnostics.error(
                "C183",
                claim.demand.span,
                f"{nobody} {does}{left}: it must be {must}, and count {period} ticks",
                (KEPT if isinstance(action, KeepBudget) and not self.system.modes else "")
                + (SHARED if self.others and isinstance(action, KeepRoundBudget) and not self.system.start_within else "")
                + f"leave the {whole} out, or "
                + (self._remedy() if self.others else "choose a board with such a cell, such as ast1030-evb"),
            )
        else:
            diagnostics.error(
                "C162",
                claim.demand.span,
                f"no cell of board '{self.board.name}' can tick counter '{claim.name}' every {period} ticks{left}",
                self._remedy("tick", "tasks of [osek]"),
            )

    def _asking(self, claim: Claim) -> Claim:
        """The claim itself; for a counter that ticks only because an alarm has no cell, the claim of that alarm."""
        if self.last in self.claims.counters and claim.name not in self.events.ticking:
            alarms = [(alarm, demand) for alarm, demand in self.events.alarms if alarm.counter == claim.name]
            if all(alarm.static and demand.when is When.SYSTEM for alarm, demand in alarms):
                return next(self.claims.all[k] for k in self.claims.alarms if self.claims.all[k].counter == claim.name)
        return claim

    def _remedy(self, what: str = "", queued: str = "") -> str:
        """The remedy.  ``what``: the key of a time that no cell keeps even alone.  ``queued``: what alarms can start."""
        if not self.others:
            return f"choose another {what}, or another board" if what else "choose another board"
        ways = []
        watched = sorted({demand.object for _, demand in self.demands if demand.action.wraps})
        if watched:
            ways.append(f'give {listed(watched)} monitor = "if-cells-allow" or "never"')
        if queued and any(demand.action.runs for _, demand in self.demands):
            ways.append(f"let alarms start some of the rounds' tasks, as {queued}")
        return "; or ".join([*ways, "choose a board with more cells"])

    def _report_tables(self, diagnostics: Diagnostics) -> bool:
        """C197: cells cannot carry the schedule tables, alone or beside required claims; whether it was reported."""
        refused = False
        every = [series for series, _ in self.events.series]
        for table in dict.fromkeys(series.table for series in every):
            whys = [table_refusal(self.system, table), *(task_refusal(self.plan, s, every) for s in every if s.table is table)]
            if why := next(filter(None, whys), ""):
                self._no_table(diagnostics, table, why)
                refused = True
        if refused:
            return True
        without = tuple(d for d in self.events.demands if not isinstance(d.whose, Series))
        rest = ClaimBuilder(self.system, replace(self.events, demands=without), self.plan).build()
        if share(rest) is None:
            return False
        table, needed = every[0].table, len(every)
        self._no_table(
            diagnostics,
            table,
            f"the schedule tables on cells need {needed} cells, one for equally spaced points of each action and one for "
            "the end of each that does not repeat, two for the half and the end of each that may be followed, "
            f"{'one for what adjusts each that is synchronised explicitly, ' if any(it.adjusts for it in every) else ''}"
            f"and a time base beside them; board '{self.board.name}' has too few",
        )
        return True

    @staticmethod
    def _no_table(diagnostics: Diagnostics, table: ScheduleTable, why: str) -> None:
        keys = "'cells' and 'followed'" if table.followed else "'cells'"
        diagnostics.error(
            "C197",
            table.span,
            f"schedule table '{table.name}' cannot be on cells: {why}",
            f"leave {keys} out: then the queue of its counter carries it",
        )

    def _no_source(self) -> tuple[Span, str, str]:
        turns = " and for the slices of each but the highest whose threads take turns" if self.plan.sliced[1:] else ""
        turns += " and for the end of the budget of each server" if self.plan.served else ""
        ways = ["give tasks the same priority, "] if self.claims.sources > 1 else []
        ways += ['use dispatch = "software", or '] if self.claims.sources > (self.board.dispatcher_source is None) else []
        spare = self.claims.plain + sum(len(g.groups) * n for g, n in zip(self.claims.groups, self.claims.usable, strict=True))
        beside = f" for them and for {joined(self.others)}" if self.others else ""
        span = self.plan.levels[min(spare, len(self.plan.levels) - 1)].tasks[0].span
        return (
            span,
            f"the tasks need {self.claims.sources} interrupt sources, one for each priority{turns}, "
            f"and board '{self.board.name}' has {spare} to spare{beside}",
            "".join([*ways, "choose a board with more sources"]),
        )

    def _no_alarm(self, claim: Claim, left: str) -> tuple[Span, str, str]:
        assert claim.demand is not None and self.system.osek is not None
        counter = self.system.osek.counter(claim.counter)
        alone = ClaimBuilder(self.system, self.events, self.plan).build()  # where the rounds take nothing
        its = next(alone.all[k] for k in alone.counters if alone.all[k].name == counter.name)
        ways = [] if its.ways else [f"give counter '{counter.name}' a tick that a cell of the board can keep"]
        ways += ["use fewer cells for other alarms, counters or the rounds' tasks"] if self.others else []
        return (
            claim.demand.span,
            f"board '{self.board.name}' has no cell left for alarm '{claim.name}', nor one that ticks its counter "
            f"'{counter.name}' every {counter.tick} ticks{left}",
            "; or ".join([*ways, "choose a board with more cells" if self.others else "choose another board"]),
        )

    def _report_clock(self, diagnostics: Diagnostics, left: str) -> None:
        services = self.events.services
        assert services is not None
        kind = services.clock
        if kind is not ClockKind.PERIODIC:
            able = [s for g in self.claims.groups for s in g.groups[0] if kind in s.array.clocks]
            if able and self.system.modes and all(s.array.clocks[kind].locks for s in able):
                diagnostics.error(
                    "C178",
                    services.spans["clock"],
                    f"setting a {kind.value} clock on board '{self.board.name}' locks interrupts, for which the rounds' tasks "
                    "would wait",
                    'use a clock that is set by nobody: clock = "periodic", with a tick',
                )
                return
        diagnostics.error("C171", *self._no_clock(services, left))

    def _no_clock(self, services: TimeServices, left: str) -> tuple[Span, str, str]:
        """Where, why and what would be right, if no cell can be the clock."""
        board, kind = self.board, services.clock
        nobody = f"no free cell of board '{board.name}' can"
        if not _can_be(board, kind):
            narrow = [a for a in board.cells if kind in a.family.clock]
            if narrow:
                array, bits = narrow[0], narrow[0].family.clock[kind].bits
                nobody = f"the {array.family.name} cells of board '{board.name}' are too narrow, {array.width} bits of {bits}, to"
            others = [k for k in ClockKind if k is not kind and _can_be(board, k, bool(self.system.modes))]
            tick = {ClockKind.PERIODIC: ", with a tick"} if services.tick is None else {}
            ways = [f'write clock = "{k.value}"{tick.get(k, "")}' for k in others]
            return services.spans["clock"], f"{nobody} be a {kind.value} clock", "; or ".join([*ways, "choose another board"])
        remedy = self._remedy("tick" if services.tick is not None else "", "functions and threads of [time]")
        if services.tick is None:
            return services.spans["clock"], f"{nobody} be a {kind.value} clock{left}", remedy
        what = "tick every"
        if kind is not ClockKind.PERIODIC:
            what = f"be a {kind.value} clock that counts units of"
            remedy = remedy if self.others else "choose another tick, or none: then it is what the timer counts"
        return services.spans["tick"], f"{nobody} {what} {self._duration(services.tick)}{left}", remedy

    def _duration(self, ticks: int) -> str:
        return f"{ticks} tick{'s' if ticks != 1 else ''} ({format_duration(ticks, self.system.clock_hz)})"


def _can_be(board: Board, kind: ClockKind, gentle: bool = False) -> bool:
    """Whether the board has cells for a clock of this kind.  ``gentle``: only clocks that lock no interrupts."""
    if kind is ClockKind.PERIODIC:
        return any(Role.ACTIVATION in a.roles for a in board.cells)
    return any(kind in a.clocks and not (gentle and a.clocks[kind].locks) for a in board.cells)
