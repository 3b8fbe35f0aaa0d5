# SPDX-License-Identifier: Apache-2.0
"""A mode of the image against the mode of the schedule: what happens at which tick, and what its vectors do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from carillon.diagnostics import Diagnostics, Span
from carillon.elf import RISCV
from carillon.model import Mode, Monitor, OnDeadlineMiss, System
from carillon.model.family import Rearm
from carillon.verify.activation import ActivationVector
from carillon.verify.arming import check_arming
from carillon.verify.code.returned import Rearmed, Vector, unmoved
from carillon.verify.contract import ModeTable, circle, store
from carillon.verify.expected import Points, Subject, last_end, points, ticks
from carillon.verify.families import Cell
from carillon.verify.hardware import Hardware, Running
from carillon.verify.joined import DISPATCHER, is_table, joined, spread
from carillon.verify.layout import STRUCTURE, Row
from carillon.verify.meaning import Meaning, Meanings, Step, surplus
from carillon.verify.standing import (
    check_interrupts,
    check_requests,
    check_standing_levels,
    check_started,
    check_stopped,
    stopped,
)
from carillon.verify.sync import check_sync
from carillon.verify.vector_tables import unused

HELPERS = (
    "carillon_leaves",
    "carillon_mode_is_idle",
    "carillon_port_is_active",
    "carillon_port_is_pending",
    "carillon_port_read",
)
"""Functions of the kernel that a handler may call, which change nothing."""
REMEDY = "build it again; if it stays so, it is an error of Carillon's: report it with the schedule"


@dataclass(slots=True)
class ModeReport:
    """What was compared in a mode."""

    mode: str
    expiries: int = 0
    vectors: int = 0
    deadlines: int = 0


@dataclass(slots=True)
class Round:
    """One mode's comparison."""

    system: System
    mode: Mode
    table: ModeTable
    hardware: Hardware
    meanings: Meanings
    diagnostics: Diagnostics
    vector_of: Mapping[int, int]
    """The address of each source's vector in this mode."""
    below: frozenset[int]
    """Sources of the event-triggered system."""
    sync: Row | None = None
    edge: Row | None = None
    report: ModeReport = field(init=False)
    running: list[Running] = field(default_factory=list)
    started: list[Cell] = field(default_factory=list)
    """All cells of the mode, also those that interrupt nobody."""
    subjects: dict[int, Subject] = field(default_factory=dict)
    joined: dict[int, Subject] = field(default_factory=dict)
    """By the identity of a cell whose source serves several subjects: its own; ``subjects`` has one of them."""
    parts: dict[tuple[int, Subject], Meaning] = field(default_factory=dict)
    """Of a source that serves several tasks or interrupts: what its vector does for each, when it has asked its cells."""
    expected: dict[Subject, Points] = field(init=False)
    tabled: dict[Subject, Running] = field(default_factory=dict)
    """What the table's entries are of, each with its own expiries."""

    def __post_init__(self) -> None:
        self.report = ModeReport(self.mode.name)
        self.expected = points(self.mode)

    # What is told.

    def error(self, code: str, cause: str, span: Span | None = None) -> None:
        """A difference."""
        self.diagnostics.error(code, span or self.mode.span, f"mode '{self.mode.name}': {cause}", REMEDY)

    def meaning(self, source: int) -> Meaning:
        """What a source's vector does, but for the counter of budgets (:mod:`.stopped`)."""
        return stopped(self.meanings.of(self.vector_of[source]))

    def of(self, subject: Subject) -> list[Running]:
        """The running cells of a subject."""
        return [r for r in self.running if self.subject_of(r) == subject] + (
            [self.tabled[subject]] if subject in self.tabled else []
        )

    def subject_of(self, running: Running) -> Subject | None:
        """What a cell expires for."""
        return self.joined.get(id(running.cell)) or self.subjects.get(running.source)

    # The comparison.

    def check(self) -> None:
        """Everything about the mode."""
        lead = self.system.board.lead_at(self.system.clock_hz)
        started = self.hardware.start(self.table)
        self.started = [cell for _, cell in started]
        postponed = self._postponed()
        self.running = self.hardware.running(started, self.table, lead, self.mode.round_length, postponed)
        check_started(self)
        check_interrupts(self)
        check_stopped(self)
        self._timekeepers()
        for running in [r for r in self.running if is_table(self, r.source)]:
            self.subjects[running.source] = Subject("table", self.mode.name)
            self.tabled.update(spread(self, running))
        for source in sorted({r.source for r in self.running} - set(self.subjects)):
            self._subject(source)
        self._times()
        self._spare()
        self._handlers()
        check_arming(self)
        self._moved()
        check_standing_levels(self)
        check_requests(self)

    def time_base(self, base: Row) -> None:
        """What ttGetScheduleTime reads: a counter that is at 0 at the cell's expiry, or none."""
        counter, phase, length = base.values()
        if not counter:
            return
        running = next((r for r in self.running if r.family.counter(counter) is r.cell and r.multiplex is None), None)
        if running is None:
            self.error("C204", f"ttGetScheduleTime reads the counter at {counter:#x}, which is no running cell's")
            return
        at = next((t % self.mode.round_length for t in running.times if t >= 0), -1)
        if running.period != self.mode.round_length or length != self.mode.round_length or phase % length != at:
            cause = f"ttGetScheduleTime takes {running} to expire at {phase} of a round of {length}, and it expires at {at}"
            self.error("C204", cause)

    def _postponed(self) -> frozenset[int]:
        """Re-armed cells whose own handler does not re-arm them."""
        rearmed = ((it.multiplex, self.hardware.rearmed(it.register)) for it in self.table.multiplexes)
        cells = {multiplex: cell for multiplex, cell in rearmed if cell is not None}
        return frozenset(m for m, c in cells.items() if m not in {s.number for s in self.meaning(c.place.source).every("touch")})

    def _timekeepers(self) -> None:
        """Cells that run beside a reloaded one and interrupt nobody."""
        beside: list[Running] = []
        for running in self.running:
            multiplex = running.multiplex
            if multiplex is None or multiplex.due is None:
                continue
            number = running.cell.place.number + 1
            keeper = next((r for r in self.running if r.family is running.family and r.cell.place.number == number), None)
            if multiplex.source != running.source:
                self.error("C209", f"{running} is told to have source {multiplex.source}")
            if keeper is None or keeper.cell.first != 2**32 - 1:
                self.error("C204", f"{running} is re-armed by the time of a cell beside it, which does not run freely")
                continue
            beside.append(keeper)
            began, expires = keeper.cell.started, running.cell.begins
            assert began is not None and expires is not None
            reads = 2**32 - 1 - int((expires - began) * keeper.cell.place.rate)
            if reads != multiplex.due:
                cause = f"{running} is due when the cell beside it reads {reads}, and its handler expects {multiplex.due}"
                self.error("C204", cause)
            if keeper.cell.lets:
                self.error("C204", f"{keeper} is to keep the time alone, but interrupts")
        self.running = [r for r in self.running if r not in beside]

    def _subject(self, source: int) -> None:
        """What a source is for, by what its vector does."""
        meaning = self.meaning(source)
        if meaning.every("ask"):
            self.joined.update(joined(self, source))
            own_cells = [self.joined[id(r.cell)] for r in self.own_cells(source) if id(r.cell) in self.joined]
            self.subjects.update({source: own_cells[0]} if own_cells else {})
            return
        subject = self.named(meaning, self.own_cells(source))
        if subject is None:
            cells = ", ".join(r.cell.place.name for r in self.running if r.source == source)
            does = meaning.strange or f"runs {', '.join(sorted(meaning.runs)) or 'no task'}"
            what = f"whose vector is '{meaning.symbol}', which is for nothing of this mode"
            self.error("C205", f"{cells} asks for source {source}, {what}: it {does}")
            return
        self.subjects[source] = subject

    def named(self, meaning: Meaning, cells: Iterable[Running]) -> Subject | None:
        """What a vector, or a part of one, with these cells is for; None if it is for nothing of this mode."""
        runs, missed = meaning.runs, {s.number for s in meaning.every("missed")}
        enabled = {s for step in meaning.every("enable") for s in step.sources}
        tasks = [t for t in self.system.tasks if runs == {t.entry}]
        here = {a.task for a in self.mode.activations}
        named_tasks = [t for t in tasks if t.name in here] or tasks
        if named_tasks and not missed:  # of several tasks, one function is the entry
            times = {r.times for r in cells} if len(named_tasks) > 1 else set()
            return Subject("activation", next((t.name for t in named_tasks if self._fits(t.name, times)), named_tasks[0].name))
        if len(missed) == 1 and not runs:
            number = missed.pop()
            known = number is not None and number < len(self.system.tasks)
            return Subject("deadline", self.system.tasks[number].name) if number is not None and known else None
        if runs or missed:
            return None
        interrupt = next((i for i in self.system.interrupts if enabled == {i.source}), None)
        if interrupt is not None:
            return Subject("enable", interrupt.name)
        return next((Subject(kind, self.mode.name) for kind in ("control", "sync") if meaning.every(kind)), None)

    def _fits(self, task: str, times: set[tuple[int, ...]]) -> bool:
        at = {a.at for a in self.mode.activations if a.task == task}
        return all(t % self.mode.round_length in at for own in times for t in own if t >= 0)

    def _times(self) -> None:
        """Each subject's expiries over two rounds, and that they recur."""
        length = self.mode.round_length
        expected = self.expected
        for subject in sorted({*self.subjects.values(), *self.joined.values(), *self.tabled} - set(expected), key=str):
            if subject.kind == "control":
                self._control(subject)
                continue
            if subject.kind == "sync":
                check_sync(self, subject)
            if subject.kind in ("sync", "table"):
                continue
            cells = self.of(subject)
            found = sorted({t % length for r in cells for t in r.times if 0 <= t < length})
            cause = f"the {subject} is not in the schedule, but {', '.join(map(str, cells))} expires for it at {ticks(found)}"
            self.error("C204", cause)
        for subject, own in expected.items():
            self._compare(subject, own, self.of(subject))
        if len(self.system.modes) == 1 and self.table.row["control"]:
            self.error("C208", "the image says how to leave the mode, and there is no other one")
        if len(self.system.modes) > 1 and not any(s.kind == "control" for s in self.subjects.values()):
            self.error("C208", "no cell leads to a switch of modes")
        if self.system.sync is not None and not any(s.kind == "sync" for s in self.subjects.values()):
            self.error("C204", "no cell synchronises the round")

    def _compare(self, subject: Subject, expected: Points, cells: list[Running]) -> None:
        if not cells and expected.optional:
            return
        length = self.mode.round_length
        span = next(iter(expected.at.values()))
        for running in cells:
            self.sound(subject, span, running)
        points = self._followed(subject, expected, cells)
        expiries = sorted(t for r in cells for t in r.times)
        rounds = (0, 1)
        deadline = subject.kind == "deadline"
        due = {at + k * length: at for k in rounds for at in points}
        begin = 1 if deadline else 0  # a deadline cell may expire at tick 0: no task has been started that it could stop
        if deadline:
            due = {t: at for t, at in due.items() if t <= 2 * length}
        early = [t for t in expiries if t < 0 and not deadline]
        actual = [t for t in expiries if begin <= t < 2 * length + (1 if deadline else 0)]
        self.report.expiries += len(actual)
        missing = sorted(set(due) - set(actual))
        beyond = sorted(set(actual) - set(due))
        twice = sorted({t for k, t in enumerate(actual) if k and actual[k - 1] == t and subject.kind == "activation"})
        if early:
            found_early = f"{self._who(cells)} expires before the round, at {ticks(early)}"
            self.error("C204", f"the {subject} is expected at {self._shown(due)}, but {found_early}", span)
        elif missing or beyond:
            where = expected.at.get(due[missing[0]]) if missing else span
            differences = [f"nothing expires at {ticks(self._relative(missing))}"] if missing else []
            differences += [f"{self._at(cells, beyond)} expires at {ticks(self._relative(beyond))}"] if beyond else []
            shown = f"expected at {self._shown(due)}, found at {self._shown(actual)}"
            self.error("C204", f"the {subject} is {shown}: {'; '.join(differences)}", where)
        elif twice:
            self.error(
                "C204", f"the {subject} has two expiries at {ticks(self._relative(twice))}", expected.at.get(twice[0] % length)
            )

    def _followed(self, subject: Subject, points: Points, cells: list[Running]) -> dict[int, Span]:
        """The points at which the cells have to expire: one that each end of the task moves on watches the first deadlines.

        If an activation misses a later deadline, it has missed that first one as well, and who misses the first one stops the
        system.
        """
        moved = [r for r in cells if r.multiplex is not None and r is not self.tabled.get(subject)]
        if subject.kind != "deadline" or not moved:
            return points.at
        without = next((a for a in self.mode.activations if a.task == subject.name and not a.deadlines), None)
        if without is not None:
            also = f"also by that of the activation at {without.at}, which has none"
            self.error("C206", f"the {subject}: {self._who(cells)} is moved on by each end of the task, {also}", without.span)
        if self.system.on_deadline_miss is not OnDeadlineMiss.SHUTDOWN:
            self.error("C206", f"the {subject}: {self._who(cells)} goes on after a missed one", next(iter(points.at.values())))
        return points.first

    def _relative(self, times: Iterable[int]) -> list[str]:
        length = self.mode.round_length
        return [f"{t}" if t < length else f"{t - length} of the next round" for t in times]

    def _shown(self, times: Iterable[int]) -> str:
        length = self.mode.round_length
        found = sorted(times)
        return ticks([t for t in found if t <= length] or self._relative(found))

    def _who(self, cells: list[Running]) -> str:
        return ", ".join(str(r) for r in cells) or "no cell"

    def _at(self, cells: list[Running], times: list[int]) -> str:
        return self._who([r for r in cells if set(times) & set(r.times)])

    def sound(self, subject: Subject, span: Span, running: Running) -> None:
        """A cell's pattern recurs with the round, lies on ticks, and its request is as held back as it must be."""
        length = self.mode.round_length
        if running.odd is not None:
            self.error("C204", f"the {subject}: {running} expires at {float(running.odd):g}, between two ticks", span)
        elif running.period <= 0 or length % running.period:
            every = f"every {float(running.period):g} ticks, which do not recur with the round of {length}"
            self.error("C204", f"the {subject}: {running} expires {every}", span)
        held = (subject.kind == "deadline" and running.multiplex is None) or subject.kind == "control"
        if held and running.armed:
            cause = f"the {subject}: {running} may interrupt as soon as the mode runs, not only when it is armed"
            self.error("C206", cause, span)
        elif held and running.cell.mute and not any(running.source in r.cell.arms for r in self.running):
            self.error("C204", f"the {subject}: {running} is started, but never asks for its source", span)
        if not held and not running.armed:
            self.error("C204", f"the {subject}: {running} is started, but its request is not enabled", span)

    def _control(self, subject: Subject) -> None:
        """The switch of modes: where it is taken, and when the next round begins."""
        cells = self.of(subject)
        leaving, length = self.table.row, self.mode.round_length
        if len(self.system.modes) == 1:
            self.error("C208", f"{self._who(cells)} leads to a switch of modes, and there is one mode")
            return
        running = cells[0]
        self.sound(subject, self.mode.span, running)
        times = [t for t in running.times if t < 2 * length]
        self.report.expiries += len(times)
        if len(cells) > 1 or len(times) not in (1, 2) or times[0] <= 0 or running.period != length:
            cause = f"a switch of modes is to be possible once a round, and {self._who(cells)} expires at {ticks(times)}"
            self.error("C208", cause)
            return
        at, earliest = times[0], last_end(self.mode, self.system)
        if at < earliest:
            self.error("C208", f"the switch of modes, at {at}, comes before the last window has ended, at {earliest}")
        begin = at + self.system.board.switch_ticks + self.system.board.lead_at(self.system.clock_hz)
        watched = all(a.monitor is Monitor.ALWAYS and a.deadlines for a in self.mode.activations)  # so that this end is exact
        if begin < length or (begin > length and watched and at != max(earliest, 1)):
            cause = f"the switch of modes is at {at}, so that the next round begins at {begin}; this one has {length} ticks"
            self.error("C208", cause)
        if not leaving["control"]:
            self.error("C208", "nothing says how the mode is left")
            return
        table = leaving.to("control")
        board, source = self.system.board, running.source
        counter = running.family.counter(table["counter"])
        if counter is not running.cell:
            self.error(
                "C208", f"the switch of modes waits for the counter at {table['counter']:#x}, which is not that of {running}"
            )
        reads = (length - board.switch_ticks) * running.cell.place.rate / running.cell.prescaler
        if table["target"] != reads:
            due = f"{reads}, {board.switch_ticks} ticks after the switch at {at}"
            self.error(
                "C208", f"the next mode's start is due when {running} reads {due}, and the image waits for {table['target']}"
            )
        forgets, enables = store(table.row("forget")), store(table.row("enable"))
        forget = self.hardware.controller.store(forgets.address, forgets.value)
        if forget != ("unpend", frozenset({source})):
            self.error("C208", f"before a switch is waited for, what {running} asked for before is not forgotten")
        allowed = self.hardware.controller.store(enables.address, enables.value) == ("enable", frozenset({source}))
        access = running.family.access(enables.address, enables.value)
        if not allowed and access != ("arm", running.cell):
            self.error("C208", f"what is to let {running} interrupt for a switch of modes does not")

    def _spare(self) -> None:
        """Sources that the mode does not use lead nowhere."""
        used = {r.source for r in self.running} | {i.source for i in self.system.interrupts} | self.below
        for source, address in self.vector_of.items():
            if source in used or unused(self.hardware.elf, source, address):
                continue
            self.error("C205", f"nothing asks for source {source}, but its vector is '{self.hardware.elf.name_of(address)}'")

    # Vectors.

    def _handlers(self) -> None:
        for source, subject in self.subjects.items():
            meaning = self.meaning(source)
            self.report.vectors += 1
            span = self._span(subject)
            if meaning.strange:
                self.error("C205", f"'{meaning.symbol}', the vector of source {source}, {meaning.strange}", span)
                continue
            for served, part in self.serves(source).items():
                if served.kind == "activation":
                    ActivationVector(self, source, served, part).check()
                elif not part.every("ask"):
                    self._other(source, served, part)

    def _moved(self) -> None:
        """A vector of RISC-V is carried out, where the family says what its store re-arms a cell by."""
        elf = self.hardware.elf
        for running in self.running:
            multiplex, family, source = running.multiplex, running.family, running.source
            meaning = self.meaning(source)
            if multiplex is None or not family.steps or elf.machine != RISCV or source not in self.subjects:
                continue
            if multiplex.multiplex not in {s.number for s in meaning.every("touch")}:
                continue  # which the end of a task moves on
            variable = multiplex.multiplex + elf.layouts.named(STRUCTURE, "carillon_multiplex").members["next"][0]
            steps = tuple((step.address, step["interval"]) for step in circle(multiplex.first))
            reload = family.reload(running.cell), running.cell.again or 0
            cell = Rearmed(variable, multiplex.register, reload, steps)
            fault = unmoved(elf, Vector(meaning.address, self.meanings.functions, False), cell)
            self.tell("C205", self._span(self.subjects[source]), source, meaning, [fault] if fault else [])

    def serves(self, source: int) -> dict[Subject, Meaning]:
        """What a source's vector is for, and what it does for each."""
        parts = {subject: part for (own, subject), part in self.parts.items() if own == source}
        return parts or {self.subjects[source]: self.meaning(source)}

    def _span(self, subject: Subject) -> Span:
        found = self.expected.get(subject)
        return next(iter(found.at.values())) if found is not None else self.mode.span

    def own_cells(self, source: int) -> list[Running]:
        """The cells that ask for a source."""
        return [r for r in self.running if r.source == source]

    def upkeep(self, source: int, steps: list[Step], subject: Subject) -> list[str]:
        """What a handler owes its cells on a path, and does not do; and what it does to others' cells."""
        wrong: list[str] = []
        cells = [r for r in self.own_cells(source) if self.subject_of(r) == subject]
        acknowledged = [s.cell for s in steps if s.kind in ("acknowledge", "set")]
        moved = [r for r in cells if r.multiplex is not None and r.cell.place.array.rearm is Rearm.MATCH]  # that answers them
        asking = [r for r in cells if r.cell.place.array.acknowledge and r not in moved]
        wrong += [f"does not acknowledge {r}" for r in asking if r.cell not in acknowledged]
        runs = subject.kind != "activation" or any(s.kind == "run" for s in steps)
        for running in [r for r in asking if runs and r.cell.place.array.moves]:
            done = {s.kind for s in steps if s.cell is running.cell}
            answered = "acknowledge" in done or not running.family.remembers  # without a flag, a new match answers
            wrong += [] if answered else [f"does not acknowledge {running}"]
            wrong += [] if "set" in done else [f"does not set {running} to its next expiry"]
        own = {r.multiplex.multiplex for r in cells if r.multiplex is not None and subject.kind != "deadline"}
        touched = {s.number for s in steps if s.kind == "touch"}
        wrong += ["does not re-arm its cell"] if own - touched else []
        own_ones = {subject, Subject("deadline", subject.name)} if subject.kind == "activation" else {subject}
        siblings = {id(r.cell) for r in self.running if self.subject_of(r) in own_ones}
        foreign = [s for s in acknowledged if s is not None and id(s) not in siblings]
        wrong += [f"acknowledges {c.place.name}" for c in foreign]
        return wrong

    def _other(self, source: int, subject: Subject, meaning: Meaning) -> None:
        """Handlers of deadlines, re-enable points and the control cell: what they are for, and their cells' upkeep."""
        span = self._span(subject)
        control = next((s for s, x in self.subjects.items() if x.kind == "control"), None)
        for path in meaning.paths:
            wrong = self.upkeep(source, path, subject)
            leaves = [s for s in path if s.kind == "call" and s.name == "carillon_leaves"]
            does = {"deadline": "missed", "control": "control", "enable": "enable", "table": "call", "sync": "sync"}[subject.kind]
            done = [s for s in path if s.kind == does and (does != "call" or s.name == DISPATCHER)]
            if not done and not leaves:
                wrong.append(f"does not always do what the {subject} asks for")
            if leaves and any(s.number != control for s in leaves):
                wrong.append("asks about the wrong source whether the mode is left")
            allowed = {does, "acknowledge", "set", "settle", "touch", "move", "call"}
            wrong += [surplus(s) for s in path if s.kind not in allowed]
            wrong += [f"calls '{s.name}'" for s in path if s.kind == "call" and not self._helper(s.name) and s not in done]
            own = {r.multiplex.multiplex for r in self.own_cells(source) if r.multiplex is not None}
            if any(s.kind == "touch" and (s.number not in own or subject.kind == "deadline") for s in path):
                wrong.append("moves a re-armed cell on that is not its own")
            self.tell("C205", span, source, meaning, wrong, subject)
        if subject.kind == "enable" and control is not None:
            self._leaving(source, subject, meaning, control)

    def _leaving(self, source: int, subject: Subject, meaning: Meaning, control: int) -> None:
        length = self.mode.round_length
        switch = {t % length for r in self.own_cells(control) for t in r.times}
        asks = any(s.kind == "call" and s.name == "carillon_leaves" for path in meaning.paths for s in path)
        if switch & {t % length for r in self.own_cells(source) for t in r.times} and not asks:
            wrong = ["does not ask whether the mode is left at its tick"]
            self.tell("C205", self._span(subject), source, meaning, wrong, subject)

    def _helper(self, name: str) -> bool:
        return name in HELPERS or name.startswith(tuple(f"{family}_" for family in self.hardware.families))

    def tell(
        self, code: str, span: Span, source: int, meaning: Meaning, wrong: list[str], subject: Subject | None = None
    ) -> None:
        """Report the first thing that is wrong with a vector."""
        if wrong:
            vector = f"the vector of source {source}, '{meaning.symbol}', for the {subject or self.subjects[source]},"
            self.error(code, f"{vector} {wrong[0]}", span)
