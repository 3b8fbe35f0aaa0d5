# SPDX-License-Identifier: Apache-2.0
"""The longest responses of the tasks of a Giotto program: from the begin of a task's period to its end.

*In a mode*, every job's release is known, relative to the mode's begin, and each job has one priority: its deadline, or its
period.  All that begins in a period of the mode ends in it, or is late.

1. For preemptive jobs with such priorities and with no other dependency, no job ends later if jobs take less time (R. Ha,
   J. Liu, 1994).  A task that a guard skips takes none.  So the longest response of each job is that of one period in which
   every task takes its whole WCET.  It is played (:mod:`carillon.frontends.giotto.bounds_play`).
2. What the machine does at an instant, with its drivers, comes before any task.  That is a job at the top, whose time also
   depends on nothing.  Drivers count with their WCETs.  At a mode's begin, the drivers of the mode that is left count instead of
   the updates that end its own period, where those take longer.
3. So it is in a mode that is entered and left only when no invocation goes on.  It then always begins with nothing unfinished,
   and each of its jobs ends in it.  This needs that no task is late in any mode that is switched from.

*Across switches that interrupt tasks*, a job goes on among the jobs of other modes.  Its bound is its deadline, if that is
proved:

4. EDF: give each task whose invocation goes on its share of each stretch between two instants.  If in each stretch the shares,
   and what is done at the instant where it begins, fit in, all tasks end by their deadlines.  The shares are those of tasks of
   one mode, as a task that a switch interrupts has the same period in the target.  So it does not matter which modes the
   stretches are of.  If any schedule meets all deadlines, EDF does.  A unit less than a stretch has to be enough: what ends in a
   deadline's unit is late.
5. Rate-monotonic: :mod:`.switching` follows all switches.  Of each stretch it leaves out what instants take.

*The machine's time* is priced by port (:func:`carillon.actions.costs.machine_prices`), where code takes time.  A job counts with
its begin, its end and a preemption.  An instant counts with each instruction that its block has, and with the longest time for
which a task that ends may hold it back.  In each millisecond one interrupt may come in which nothing is due.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from carillon.actions.costs import machine_prices
from carillon.diagnostics import Diagnostics
from carillon.frontends.giotto.bounds_play import Job, Played, play, worst
from carillon.frontends.giotto.load import driver_times, execution_times
from carillon.frontends.giotto.scheduling import Chosen, chosen_in
from carillon.frontends.giotto.switching import across_switches
from carillon.frontends.giotto.uploads import beside
from carillon.image import Image
from carillon.microcode import Opcode, Program
from carillon.model import System
from carillon.model.giotto import Activity, Giotto, Mode
from carillon.model.instants import Entry, active_units, begins, entry_of
from carillon.model.rates import rates_of
from carillon.timing.bound import Bound
from carillon.timing.response import Term
from carillon.units import format_number

KIND = "Giotto task"
MACHINE = "machine"
DRIVERS = "drivers"
MOST_JOBS = 20_000
"""So many jobs of a period are played at most."""
LATE = "it may not have ended when its period ends"


def bounds(system: System, image: Image, scale: int, grown: Mapping[str, int]) -> Iterator[Bound]:
    """The bounds of all tasks of the system's program, mode by mode; ``grown``: by how many ticks WCETs are longer."""
    if system.giotto is not None:
        yield from _Analysis(system, system.giotto, image, scale, grown).bounds()


def carriers(system: System) -> frozenset[str]:
    """The threads, or on cells the tasks of the event-triggered system, that carry a Giotto program's tasks out."""
    program = system.giotto
    if program is None:
        return frozenset()
    return frozenset((*program.thread_names, *(rate.name for rate in rates_of(program, program.thread_names))))


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to an instant of a mode: the drivers that are called before what its invocations need, and the units of blocks."""

    drivers: int
    blocks: tuple[tuple[str, int], ...]


class _Analysis:
    """Times are in units of which ``per_ms`` are a millisecond, and ``scale`` a tick."""

    def __init__(self, system: System, program: Giotto, image: Image, scale: int, grown: Mapping[str, int]) -> None:
        self.system, self.program, self.image, self.scale = system, program, image, scale
        self.per_ms = Fraction(system.clock_hz * scale, 1000)
        self.modes = {mode.name.text: mode for mode in program.modes}
        self.threads = dict(zip((t.name.text for t in program.tasks), program.thread_names, strict=True))
        self.numbers = {name: number for number, name in enumerate(self.threads)}
        self.counts_code = system.board.clock(system.clock_hz).instructions_per_tick > 0
        self.prices = machine_prices(system.board.port) if self.counts_code and system.machine.interprets else {}
        self.wcets = {
            name: self.units(time) + grown.get(self.threads[name], 0) * scale for name, time in execution_times(program).items()
        }
        self.drivers = {name: self.units(time) for name, time in driver_times(program).items()}
        self.chosen = self._choice()

    def units(self, time: Fraction) -> int:
        """A time in milliseconds, rounded up."""
        return -(-(time * self.per_ms).numerator // (time * self.per_ms).denominator)

    def _choice(self) -> Chosen | None:
        if not self.system.machine.interprets:
            return Chosen(scheduler="rm")
        scode = beside(self.system.file, ".scode")
        return Chosen() if scode is None else chosen_in(scode, self.program, Diagnostics())

    # What is not known

    def lacks(self) -> str:
        """Why nothing of the program has a bound; empty if nothing is in the way."""
        osek, port = self.system.osek, self.system.board.port
        chosen, carrier = self.chosen, "the machine" if self.system.machine.interprets else "the kernel on cells"
        found = {
            "S code says when tasks run, and bounds are of EDF and rate-monotonic scheduling alone": chosen is None
            or not self._is_scheduled(chosen),
            "the image receives other programs": self.system.upload is not None,
            f"what {carrier} takes has no price on port '{port}'": self.counts_code and not self.prices,
            "nothing says how often the interrupts of sensors come": bool(self.program.interrupts) and self.counts_code,
            "hooks take a time that nothing says": osek is not None and bool(osek.hooks) and self.counts_code,
            "a millisecond is no whole number of ticks": self.per_ms.denominator != 1,
        }
        return next((why for why, there in found.items() if there), "")

    def _is_scheduled(self, chosen: Chosen) -> bool:
        """Whether deadlines or periods alone say who runs, at what is priced."""
        return chosen.plan is None and chosen.thread is None and chosen.handlers is None

    # The bounds

    def bounds(self) -> Iterator[Bound]:
        lacks = self.lacks()
        found = {name: self._mode(mode, lacks) for name, mode in self.modes.items()}
        broken = next((name for name, its in found.items() if any(bound.met is not True for bound in its)), "")
        for name, its in found.items():
            for bound in its:
                if broken and name != broken and bound.bound is not None:
                    yield replace(bound, bound=None, why=f"tasks of mode '{broken}' may be late", terms=())
                else:
                    yield bound

    def _mode(self, mode: Mode, lacks: str) -> list[Bound]:
        missing = next((a.target.text for a in mode.invocations if a.target.text not in self.wcets), None)
        several = missing is None and self._is_interrupted(mode)
        why = lacks or (f"task '{missing}' of its mode has no wcet" if missing is not None else "")
        if not why and several:
            why = self._unproved()
        if not why and not several and sum(a.frequency for a in mode.invocations) > MOST_JOBS:
            why = f"its mode has more than {MOST_JOBS} jobs in a period"
        played = None if why or several else play(self.jobs(mode), int(mode.period * self.per_ms))
        return [self._bound(mode, a, why, played) for a in mode.invocations]

    def _bound(self, mode: Mode, invocation: Activity, why: str, played: Played | None) -> Bound:
        name = invocation.target.text
        period = mode.period * self.per_ms // invocation.frequency
        load = Fraction(self.cost(name), period) if name in self.wcets else None
        span = next(task.name.span for task in self.program.tasks if task.name.text == name)
        bound = Bound(self.threads[name], KIND, span, self.scale, None, deadline=int(period) // self.scale, load=load)
        bound = replace(bound, mode=mode.name.text if len(self.modes) > 1 else "", rests_on=self.rests_on)
        if why:
            return replace(bound, why=why)
        if played is None:
            share = format_number(self.share(mode) * 100, 1)
            return replace(bound, bound=int(period), terms=(Term("proved", f"{share} %", 1, int(period)),))
        job = worst(played, name)
        if job is None:
            late = [job.name for job in played.late]
            return replace(bound, why=LATE, slack=-1) if name in late else replace(bound, why=f"task '{late[0]}' may be late")
        return replace(bound, bound=played.ends[job] - job.release, terms=played.terms(job))

    @property
    def rests_on(self) -> str:
        """What nothing says of drivers; empty if each has a WCET."""
        missing = next((driver.name.text for driver in self.program.drivers if driver.name.text not in self.drivers), "")
        return f"driver '{missing}' has no wcet, and counts as a call alone" if missing else ""

    # A period of a mode

    def cost(self, name: str) -> int:
        """What a job takes, with the machine's part."""
        prices = self.prices
        return self.wcets[name] + (prices["job"] + prices["level"] * self.levels if prices else 0)

    @property
    def levels(self) -> int:
        """How many levels the scheduler's heap has."""
        return len(self.threads).bit_length()

    def jobs(self, mode: Mode) -> Iterator[Job]:
        """All of a period of a mode, and what is done at its instants."""
        by_periods = self.chosen is not None and self.chosen.by_periods
        for a in mode.invocations:
            name, period = a.target.text, int(mode.period * self.per_ms) // a.frequency
            for k in range(a.frequency):
                release, deadline = k * period, (k + 1) * period
                urgency = (1, period if by_periods else deadline, self.numbers[name])
                yield Job(name, "execution", release, deadline, self.cost(name), urgency)
        never = int(mode.period * self.per_ms) + 1
        for unit in active_units(mode):
            at = int(unit * mode.unit * self.per_ms)
            drivers, machine = max((self.instant(mode, unit, way) for way in self.ways(mode, unit)), key=sum)
            yield Job("", DRIVERS, at, never, drivers, (0, 1))
            yield Job("", MACHINE, at, never, machine, (0, 0))
        for at in range(mode.period) if self.prices else ():
            yield Job("", MACHINE, int(at * self.per_ms), never, self.prices["tick"], (0, 2))

    def ways(self, mode: Mode, unit: int) -> list[_Way]:
        """How a mode comes to its unit: by itself, by the start, or by a switch at a unit of a mode."""
        updates = [a for a in mode.updates if begins(mode, a, unit)]
        found = [_Way(self.called(updates), ((mode.name.text, unit),))]
        for source in self.modes.values():
            for at, switch, entry in _switches(source, self.modes):
                if switch.target.text == mode.name.text and (entry.unit, entry.wait) == (unit, 0):
                    calls = [*(a for a in source.updates if begins(source, a, at)), switch]
                    found.append(_Way(self.called(calls), ((source.name.text, at), (mode.name.text, unit))))
        return found

    def called(self, activities: list[Activity]) -> int:
        """What the drivers of these take."""
        return sum(self.drivers.get(a.driver.text, 0) for a in activities if a.driver is not None)

    def instant(self, mode: Mode, unit: int, way: _Way) -> tuple[int, int]:
        """What drivers and the machine take at an instant, if it has come there in this way."""
        invoked = self.called([a for a in mode.invocations if begins(mode, a, unit)])
        started = ("start",) if (mode.name.text, unit) == (self.program.start.text, 0) else ()
        labels = {*started, *(f"{name}@{at}" for name, at in way.blocks)}
        return way.drivers + invoked, self.prices["instant"] + self.stepped(labels) if self.prices else 0

    def stepped(self, labels: set[str]) -> int:
        """What the instructions of blocks take."""
        return sum(self._block_prices.get(label, 0) for label in labels)

    @cached_property
    def _block_prices(self) -> dict[str, int]:
        """What each block takes whose instructions are all carried out, by its label."""
        microcode = self.image.microcode
        return {} if microcode is None else _block_prices(microcode.compiled.program, self.prices, self.levels)

    # Across switches

    def _is_interrupted(self, mode: Mode) -> bool:
        """Whether a switch into a mode, or from it, comes while an invocation goes on."""
        for source in self.modes.values():
            for at, switch, _ in _switches(source, self.modes):
                if mode.name.text in (source.name.text, switch.target.text) and source.interrupted(at):
                    return True
        return False

    def share(self, mode: Mode) -> Fraction:
        """The part of the processor that a mode's tasks take, with the interrupts in which nothing is due."""
        tasks = sum((self.cost(a.target.text) * a.frequency for a in mode.invocations), 0) / (mode.period * self.per_ms)
        return tasks + self._ticks

    @property
    def _ticks(self) -> Fraction:
        return Fraction(self.prices["tick"]) / self.per_ms if self.prices else Fraction(0)

    def _unproved(self) -> str:
        """Why it is not proved that all tasks end by their deadlines in any order of switches; empty if it is."""
        invoked = (a.target.text for mode in self.modes.values() for a in mode.invocations)
        missing = next((name for name in invoked if name not in self.wcets), None)
        if missing is not None:
            return f"task '{missing}' has no wcet, and a switch may lead to it"
        most = self._most_of_an_instant()
        if self.chosen is not None and self.chosen.by_periods:
            times = {name: Fraction(self.cost(name)) / self.per_ms for name in self.wcets}
            found = across_switches(self.program, times, (most + 1) / self.per_ms, self._ticks)
            return "" if found.safe else "a switch interrupts tasks, and nothing proves that all then end in time"
        shortest = self._shortest_stretch()
        for mode in self.modes.values():
            if (1 - self.share(mode)) * shortest < most + 1:
                share = format_number(self.share(mode) * 100, 1)
                return f"a switch interrupts tasks, and mode '{mode.name}', with a load of {share} %, may leave too little time"
        return ""

    def _most_of_an_instant(self) -> Fraction:
        """What drivers and the machine take at any instant at most."""
        found = [0]
        for mode in self.modes.values():
            for unit in active_units(mode):
                found += [sum(self.instant(mode, unit, way)) for way in self.ways(mode, unit)]
            for at, switch, _ in _switches(mode, self.modes):  # it may have to wait for a unit, or enter one without a block
                way = _Way(self.called([*(a for a in mode.updates if begins(mode, a, at)), switch]), ((mode.name.text, at),))
                found.append(sum(self.instant(mode, at, way)))
        return Fraction(max(found)) + (self.prices["tick"] if self.prices else 0)

    def _shortest_stretch(self) -> Fraction:
        """A time that no stretch between two instants is shorter than."""
        entries = [entry for mode in self.modes.values() for _, _, entry in _switches(mode, self.modes)]
        found = [*(mode.unit for mode in self.modes.values()), *(Fraction(entry.wait) for entry in entries if entry.wait)]
        return min(found) * self.per_ms


def _switches(mode: Mode, modes: Mapping[str, Mode]) -> Iterator[tuple[int, Activity, Entry]]:
    """The units and switches of a mode, and where each enters its target."""
    for switch in mode.switches:
        for unit in active_units(mode):
            if begins(mode, switch, unit):
                yield unit, switch, entry_of(mode, unit, modes[switch.target.text])


def _block_prices(program: Program, prices: Mapping[str, int], levels: int) -> dict[str, int]:
    """Of each block, and of the start, what its instructions take."""
    labels = [(address, label) for address, label in program.labels if not label.endswith(".tasks")]
    ends = [*(address for address, _ in labels[1:]), len(program.code)]
    each = {Opcode.CALL: prices["call"], Opcode.IF: prices["call"], Opcode.RELEASE: prices["release"] + prices["level"] * levels}
    return {
        label: sum(prices["step"] + each.get(i.opcode, 0) for i in program.code[begin:end])
        for (begin, label), end in zip(labels, ends, strict=True)
    }
