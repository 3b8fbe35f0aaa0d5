# SPDX-License-Identifier: Apache-2.0
"""The independent check of an image: does the linked ELF file do what the schedule says?

It starts from the model, as ``read`` made it, and from the file's bytes.  In between it shares nothing with the passes that made
the image: no lowering, no allocation, no ``image``, no emitter.  What stores do to timers is in ``families``, what they do to
interrupt controllers in ``controllers``.  Where known chips have their timers is in ``chips``, what machine code does in
``code``.  ``expected`` says what must happen, ``rounds`` and ``events`` compare.  A part of an image that no rule reads is
reported as not verified, never passed over.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path

from carillon import c_names
from carillon.diagnostics import Diagnostics, Span
from carillon.elf import RISCV, UnreadableError
from carillon.model import System
from carillon.model.giotto import Machine
from carillon.verify.arming import check_modes
from carillon.verify.chips import compare
from carillon.verify.code import processor_of
from carillon.verify.code.returned import Vector, unlike
from carillon.verify.contract import ModeTable, stores, vector
from carillon.verify.controllers import controller, named
from carillon.verify.elf import Elf
from carillon.verify.event_tables import EventReport
from carillon.verify.events import Events
from carillon.verify.families import BEFORE
from carillon.verify.giotto import check_invocations
from carillon.verify.hardware import Hardware
from carillon.verify.meaning import Meanings
from carillon.verify.microcode import MicrocodeCheck, MicrocodeReport
from carillon.verify.rounds import REMEDY, ModeReport, Round
from carillon.verify.vector_tables import UNEXPECTED, differences, in_library, own_handlers, supervisor, table_of


@dataclass(slots=True)
class Report:
    """What was compared, of each mode and of the event-triggered system; and what was not, with the reasons."""

    system: str
    board: str
    clock_hz: int
    elf: Path
    modes: list[ModeReport] = field(default_factory=list)
    osek: EventReport | None = None
    microcode: MicrocodeReport | None = None
    unverified: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """What ``carillon verify --json`` prints."""
        return asdict(self) | {"elf": str(self.elf), "unverified": list(self.unverified)}

    @property
    def compared(self) -> bool:
        """Whether anything was."""
        return bool(self.modes) or self.osek is not None or self.microcode is not None

    def line(self) -> str:
        """The same in a line, for ``carillon build``."""
        counts = []
        if self.modes:
            sums = [sum(getattr(m, key) for m in self.modes) for key in ("expiries", "vectors", "deadlines")]
            counts.append("{} expiries, {} vectors, {} deadlines".format(*sums))
        if self.osek is not None:
            counts.append(f"event-triggered: {self.osek.cells} cells, {self.osek.vectors} vectors")
        if self.microcode is not None:
            counts.append(f"microcode: {self.microcode.instructions} instructions, {self.microcode.functions} functions")
        if not self.compared and self.unverified:
            return f"not verified: {self.unverified[0].removeprefix('anything: ')}"
        if self.unverified:
            counts.append(f"{len(self.unverified)} {'part' if len(self.unverified) == 1 else 'parts'} not verified")
        return f"verified: {'; '.join(counts)}"


@dataclass(slots=True)
class _Verifier:
    system: System
    diagnostics: Diagnostics
    report: Report
    unverified: list[str] = field(default_factory=list)
    elf: Elf = field(init=False)

    def _elsewhere(self) -> bool:
        """Whether the code lies where the board has none: C209."""
        symbol, how = self.elf.symbols.get(UNEXPECTED), self.system.board.run
        if symbol is None or how is None or how.kind == "native" or 0 <= symbol.address - how.code_base < how.code_bytes:
            return False
        board = f"board '{self.system.board.name}'"
        cause = f"'{self.report.elf.name}' has its code at {symbol.address:#x}, and that of {board} begins at {how.code_base:#x}"
        remedy = "it is an image of another board: build it for this one, or name that one with --board"
        self.diagnostics.error("C209", Span(self.system.file.name), cause, remedy)
        return True

    def check(self, elf: Elf) -> None:
        """Everything that the image has."""
        self.elf = elf
        system = self.system
        if controller(system.board, elf) is None or processor_of(elf) is None:
            lacks = "" if find_spec("capstone") is not None else " (capstone is not installed)"
            cause = f"anything: no rule reads the interrupt controller, or the code, of port '{system.board.port}'{lacks}"
            self.unverified.append(cause)
            return
        if elf.layouts.lacks:
            self.unverified.append(f"anything: {elf.layouts.lacks}")
            return
        told = len(self.diagnostics.errors)
        if self._elsewhere():
            return
        self.unverified += compare(system, Hardware(system, elf), self.diagnostics)
        if len(self.diagnostics.errors) > told:
            return  # what else differs follows from the board's file
        number_of = len(system.modes)
        rounds = tuple(map(ModeTable.read, elf.table("carillon_modes", number_of))) if system.modes else ()
        functions = {s.address: n for n in self._functions() if (s := self.elf.symbols.get(n)) is not None}
        at = {m.multiplex: elf.around(m.multiplex) for table in rounds for m in table.multiplexes}
        multiplexes = {address: symbol.size if symbol is not None else 1 for address, symbol in at.items()}
        beneath = ModeTable.read(elf.row("carillon_osek_image")) if system.osek is not None else None
        below = frozenset(source for source, _ in beneath.levels) if beneath is not None else frozenset()
        whole = rounds or ((beneath,) if beneath is not None else ())
        places = [table_of(elf, table.row["vectors"], system.board) for table in whole]
        vectors = [self._vectors(place) for place in places]
        if in_library(elf):
            self.unverified.append("the start-up code and the vectors of what the schedule does not name: they are the project's")
        self.unverified += own_handlers(elf, vectors)
        self.unverified += ["what [trace] has in the place of tasks"] if self.system.tracing is not None else []
        used = range(system.board.sources) if rounds else below
        for table in whole:
            for wrong in differences(elf, table.row["vectors"], system.board, used):
                self.diagnostics.error("C205", Span(system.file.name), wrong, REMEDY)
        for wrong in (fault for place in places for fault in supervisor(elf, place)):
            self.diagnostics.error("C205", Span(system.file.name), wrong, REMEDY)
        if system.board.handlers == "own" and elf.machine == RISCV:
            for table, of_mode in zip(whole, vectors, strict=True):
                levels = dict(table.levels) | dict(beneath.levels if beneath is not None else ())
                self._left(levels, of_mode, functions, below)
        if beneath is not None:
            self._events(beneath, functions, vectors)
        compared: list[Round] = []
        bases, syncs = elf.rows("carillon_time_bases", number_of), elf.rows("carillon_syncs", number_of)
        edges = elf.rows("carillon_edges", number_of)
        for number, (of, table, vectors_of_mode) in enumerate(zip(system.modes, rounds, vectors, strict=False)):
            hardware = self._hardware(f"mode '{of.name}'")
            if hardware is None:
                continue
            meanings = Meanings(self.elf, hardware, functions, multiplexes)
            comparison = Round(system, of, table, hardware, meanings, self.diagnostics, vectors_of_mode, below)
            comparison.sync = syncs[number] if syncs else None
            comparison.edge = edges[number] if edges else None
            try:
                if beneath is not None:
                    hardware.start(beneath)
                hardware.enabled = set()
                hardware.carry_out(stores(elf.rows("carillon_initials")), BEFORE)
                for interrupt in (it for it in system.interrupts if it.source not in hardware.enabled):
                    cause = f"the interrupt '{interrupt.name}' is not let in from the start"
                    self.diagnostics.error("C208", interrupt.span, cause, REMEDY)
                if surplus := hardware.enabled - {interrupt.source for interrupt in system.interrupts}:
                    cause = f"{named(surplus)} is let in from the start, and is no interrupt of the application"
                    self.diagnostics.error("C208", Span(system.file.name), cause, REMEDY)
                comparison.check()
                if bases:
                    comparison.time_base(bases[number])
            except UnreadableError as error:
                self.diagnostics.error("C209", of.span, f"mode '{of.name}': {error}", REMEDY)
            self._strange(hardware, of.span)
            self.report.modes.append(comparison.report)
            compared.append(comparison)
        check_modes(compared)

    def _left(
        self, levels: Mapping[int, int], vectors: Mapping[int, int], functions: Mapping[int, str], below: Container[int]
    ) -> None:
        """Vectors that save for themselves what they change (:mod:`.code.returned`).

        A task of the rounds that is a vector itself, the compiler has made one; an event-triggered one is a plain function.
        """
        for source, level in levels.items():
            address = vectors.get(source)
            if address is None:
                continue
            own = address in functions and source not in below
            try:
                fault = "" if own else unlike(self.elf, Vector(address, functions, level < max(levels.values())))
            except UnreadableError as error:
                fault = f"is not read: {error}"
            if own and level < max(levels.values()):
                fault = "is the task's function, without the beginning of one that can be preempted"
            if fault:
                cause = f"the vector of source {source}, '{self.elf.name_of(address)}', {fault}"
                self.diagnostics.error("C205", Span(self.system.file.name), cause, REMEDY)

    def _strange(self, hardware: Hardware, span: Span) -> None:
        for what in dict.fromkeys(hardware.strange):
            self.diagnostics.error("C204", span, what, REMEDY)

    def _hardware(self, subject: str) -> Hardware | None:
        hardware = Hardware(self.system, self.elf)
        if hardware.unknown:
            self.unverified.append(f"{subject}: no rule reads cells of family {', '.join(hardware.unknown)}")
            return None
        return hardware

    def _vectors(self, table: int) -> dict[int, int]:
        board = self.system.board
        return {s: vector(self.elf, table, s) for s in range(board.system_vectors, board.sources)}

    def _events(self, table: ModeTable, functions: Mapping[int, str], vectors: Sequence[Mapping[int, int]]) -> None:
        osek = self.system.osek
        assert osek is not None
        hardware = self._hardware("event-triggered system")
        if hardware is None:
            return
        meanings = Meanings(self.elf, hardware, functions, {})
        events = Events(self.system, osek, self.elf, table, hardware, meanings, vectors, self.diagnostics)
        try:
            events.check([cell for _, cell in hardware.start(table)])
        except UnreadableError as error:
            self.diagnostics.error("C209", osek.span, f"event-triggered system: {error}", REMEDY)
        self._strange(hardware, osek.span)
        if self.system.giotto is not None and self.system.machine is Machine.CELLS:
            self.unverified.append(check_invocations(self.system, self.system.giotto, self.elf, self.diagnostics))
        self.report.osek = events.report
        self.unverified += events.unverified
        if self.system.giotto is not None and self.system.machine.interprets:
            microcode = MicrocodeCheck(self.system, self.system.giotto, self.elf, meanings.handlers, self.diagnostics)
            microcode.check()
            self.report.microcode = microcode.report
            self.unverified += microcode.unverified

    def _functions(self) -> list[str]:
        system = self.system
        names = [*(t.entry for t in system.tasks), *(i.handler for i in system.interrupts)]
        if system.osek is not None:
            names += [c_names.task(t.name) for t in system.osek.tasks] + [c_names.isr(i.name) for i in system.osek.isrs]
        return names


def verify(system: System, elf: Path, diagnostics: Diagnostics, kernel: str = "carillon") -> Report:
    """Compare an image with the schedule; reports C204 to C209, each a difference, or what no rule can read."""
    report = Report(system.name, system.board.name, system.clock_hz, elf)
    verifier = _Verifier(system, diagnostics, report)
    if kernel != "carillon":
        verifier.unverified.append(f"kernel {kernel}, which is there to be compared with")
    else:
        try:
            verifier.check(Elf(elf))
        except UnreadableError as error:
            diagnostics.error("C209", Span(system.file.name), f"the image cannot be verified: {error}", REMEDY)
    report.unverified = tuple(dict.fromkeys(verifier.unverified))
    return report
