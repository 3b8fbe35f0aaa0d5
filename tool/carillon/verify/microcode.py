# SPDX-License-Identifier: Apache-2.0
"""A Giotto program as microcode: the bytes of its E code, played, and all tables around it.

The E code is not compiled again.  It is decoded as SPEC says (section "Microcode"), and followed beside the program's meaning
(``giotto_meaning``), from the start on, both ways at each guard, through each switch.  This ends when each pair of an address and
of what the program does there has been seen.  So it holds for every run, of any length.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field

from carillon import c_names
from carillon.diagnostics import Diagnostics, Span
from carillon.elf import UnreadableError
from carillon.model import System
from carillon.model.giotto import TICK_NS, Giotto, PortKind, Upload
from carillon.verify.code import Handlers
from carillon.verify.elf import Elf
from carillon.verify.giotto_meaning import START, At, Function, Item, Meaning
from carillon.verify.layout import Row
from carillon.verify.microcode_bytes import CALL, FORK, FUTURE, IF, JUMP, OPERANDS, RELEASE, RETURN, S_CODE, Instruction, decoded
from carillon.verify.microcode_functions import Functions
from carillon.verify.rounds import REMEDY

_NONE = 0xFFFF
_EDF = 1
_LOADER = "microcode_loader"
_TRIALS = 2000


@dataclass(frozen=True, slots=True)
class MicrocodeReport:
    """What was compared."""

    instructions: int = 0
    instants: int = 0
    functions: int = 0


@dataclass(frozen=True, slots=True)
class _Place:
    """An address in the code, with the position in the program that belongs to it."""

    address: int
    at: At
    item: int = 0


@dataclass(slots=True)
class _Image:
    """What the image has: code, and rows of tables."""

    code: list[Instruction]
    entry: int
    steps: int
    raw: bytes
    drivers: list[tuple[int, tuple[int, ...]]]
    guards: list[int]
    tasks: list[Row]
    triggers: list[Row]
    handlers: bytes = b""


@dataclass(slots=True)
class MicrocodeCheck:
    """The comparison of the microcode of a system that has a Giotto program."""

    system: System
    program: Giotto
    elf: Elf
    handlers: Handlers
    diagnostics: Diagnostics
    report: MicrocodeReport = field(default_factory=MicrocodeReport)
    unverified: list[str] = field(default_factory=list)
    image: _Image = field(init=False)
    meaning: Meaning = field(init=False)
    functions: Functions = field(init=False)
    drivers: dict[int, Function] = field(default_factory=dict)
    guards: dict[int, Function] = field(default_factory=dict)
    met: dict[_Place, None] = field(default_factory=dict)
    said: dict[tuple[str, str], None] = field(default_factory=dict)
    trial: bool = False
    s_code: bool = False

    def check(self) -> None:
        """Report C204 to C209."""
        self.meaning = Meaning(self.program)
        self.functions = Functions(self.elf, self.handlers)
        scode = self.system.file.with_suffix(".scode")
        self.s_code = scode.is_file()
        try:
            self.image = self._read()
            if self.said:
                return  # an instruction that is none
            self.follow(_Place(self.image.entry, START))
            if self.said:
                return  # what follows would say the same again, in other words
            self._modes_that_nothing_leads_to()
            self._tasks()
            self._triggers()
            self.functions.check_copies(self._error)
            self._counts()
            if self.system.upload is not None:
                self._loader(self.system.upload)
        except UnreadableError as error:
            self._error("C209", self.program.start.span, f"the microcode cannot be read: {error}")
        self.report = MicrocodeReport(
            len(self.image.code) if not self.said else 0,
            len({place.at for place in self.met}),
            len(self.drivers) + len(self.guards) + len(self.program.tasks),
        )
        self.unverified += self.functions.unread()
        self.unverified.append("microcode: the room of the machine for triggers and threads, which is compiled into it")
        if not self.said and self.image.handlers:
            self.unverified.append(f"handlers of exceptions in {scode.name}")
        if self.s_code:
            self.unverified.append(f"S code: which tasks {scode.name} dispatches when, and who chooses among the others")
        if self.system.upload is not None:
            self.unverified.append("programs that are sent: the image judges them itself when they come")

    def _error(self, code: str, span: Span, cause: str) -> None:
        if (code, cause) not in self.said:
            self.said[code, cause] = None
            if not self.trial:
                self.diagnostics.error(code, span, cause, REMEDY)

    # Reading

    def _read(self) -> _Image:
        elf, span = self.elf, self.program.start.span
        program = elf.row("carillon_microcode_first")
        at, handlers, steps, size, entry, scheduler = (
            program[name] for name in ("code", "handlers", "steps", "size", "entry", "scheduler")
        )
        if handlers and not self.s_code:
            self._error("C205", span, "the program of the image handles exceptions, and a Giotto program has no handlers")
        if scheduler != _EDF and not self.s_code:
            self._error("C207", span, f"the scheduler of the image is {scheduler}, and should be {_EDF}: the earliest deadline")
        for tick in elf.values("carillon_microcode_tick_ns"):  # which only a program asks for that has use for it
            if tick != TICK_NS:
                self._error("C204", span, f"the tick of the microcode is {tick} ns, and should be {TICK_NS}")
        if not size:
            raise UnreadableError("the program has no instructions")
        if entry >= size:
            raise UnreadableError(f"it begins at {entry}, and has {size} instructions")
        if (around := elf.around(at)) is not None and around.address == at and around.size != 8 * size:
            self._error("C209", span, f"the program says that it has {size} instructions, and its code has {around.size} bytes")
        raw = elf.bytes_at(at, 8 * size)
        handled = elf.bytes_at(handlers, 2 * (1 + len(self.program.tasks))) if handlers else b""
        drivers = [(row["call"], self._touched(row["touches"])) for row in self._rows("drivers")]
        elf.symbol("carillon_microcode_guards")
        guards = elf.values("carillon_microcode_guards")
        tasks, triggers = self._rows("tasks"), self._rows("triggers")
        image = _Image([], entry, steps, raw, drivers, guards, tasks, triggers, handled)
        counts = {"driver": len(drivers), "guard": len(guards), "task": len(tasks), "trigger": len(triggers), "address": size}
        wrong: dict[int, str] = {}
        for address in range(size):
            found, fault = decoded(raw[8 * address : 8 * address + 8], counts)
            image.code.append(found)
            if fault:
                wrong[address] = fault
        if wrong:
            first = min(wrong)
            more = f"; so are {len(wrong) - 1} more" if len(wrong) > 1 else ""
            self._error("C209", span, f"instruction {first} of the microcode cannot be read: it {wrong[first]}{more}")
        threads = any(it.opcode == FORK for it in image.code)  # a file may say the scheduler alone
        least = size * (2 if self.s_code and threads else 1)
        if steps <= least:
            self._error(
                "C209", span, f"the machine may carry {steps} instructions out at an instant, and more than {least} may do"
            )
        return image

    def _rows(self, table: str) -> list[Row]:
        self.elf.symbol(f"carillon_microcode_{table}")
        return self.elf.rows(f"carillon_microcode_{table}")

    def _touched(self, at: int) -> tuple[int, ...]:
        tasks: list[int] = []
        while (task := self.elf.number(at + 2 * len(tasks), 2)) != _NONE:
            tasks.append(task)
            if len(tasks) > len(self.program.tasks):
                raise UnreadableError(f"the list of touched tasks at {at:#x} has no end")
        return tuple(tasks)

    # Following

    def follow(self, first: _Place) -> None:
        """Follow all code that can run from one place on."""
        waiting = [first]
        while waiting:
            place = waiting.pop()
            if place in self.met:
                continue
            self.met[place] = None
            waiting += self._step(place)

    def _step(self, place: _Place) -> list[_Place]:
        """What follows; nothing where the image differs."""
        items = self.meaning.items(place.at)
        item = items[place.item]
        if item.kind == "go":
            begun = self.image.code[place.address] if place.address < len(self.image.code) else None
            if begun is not None and begun.opcode == FORK and self.s_code and place.at == START:
                self._scheduled(begun.y, item)
                return [_Place(place.address + 1, item.to)]
            return [_Place(place.address, item.to)]
        address = self._jumped(place.address, item)
        if address is None:
            return []
        word = self.image.code[address]
        following = _Place(address + 1, place.at, place.item + 1)
        where = f"instruction {address} of the microcode, in {_named(place.at)},"
        wanted = {"call": CALL, "if": IF, "release": RELEASE, "wait": FUTURE}[item.kind]
        if word.opcode != wanted or (wanted == RELEASE and word.x != item.task):
            self._error(item.code, item.span, f"{where} is {word}, and {self._expected(item)} is expected")
            return []
        if item.function is not None:
            table = self.drivers if wanted == CALL else self.guards
            if not self._is(table, word.x, item.function, item, where):
                return []
            return [following] if wanted == CALL else [following, _Place(word.y, place.at, item.other)]
        if wanted == RELEASE:
            if word.time != item.time:
                cause = f"{where} gives {self.program.tasks[item.task].name} {word.time} ms to its deadline, and not {item.time}"
                self._error("C206", item.span, cause)
            return [following]
        if word.time != item.time:
            cause = f"{where} waits {word.time} ms for {_named(item.to)}, and not {item.time}"
            self._error(item.code, item.span, cause)
            return []
        self._scheduled(address + 1, item)
        return [_Place(word.y, item.to)]

    def _jumped(self, address: int, item: Item) -> int | None:
        """Where jumps lead to; None, and C209, if they lead nowhere."""
        for _ in range(len(self.image.code) + 1):
            if address >= len(self.image.code):
                self._error("C209", item.span, "the microcode goes on behind its last instruction")
                return None
            if self.image.code[address].opcode != JUMP:
                return address
            address = self.image.code[address].y
        self._error("C209", item.span, f"the jumps at instruction {address} of the microcode have no end")
        return None

    def _scheduled(self, address: int, item: Item) -> None:
        """Check the code of a block after its wait: it may be absent, or S code without other effects."""
        waiting, seen = [address], set[int]()
        while waiting:
            here = self._jumped(waiting.pop(), item)
            if here is None or here in seen:
                continue
            seen.add(here)
            word = self.image.code[here]
            if word.opcode == RETURN:
                continue
            if not self.s_code or word.opcode not in S_CODE:
                self._error("C205", item.span, f"instruction {here} of the microcode is {word}, where a block should have ended")
                return
            waiting.append(here + 1)
            if OPERANDS[word.opcode][2]:
                waiting.append(word.y)

    def _is(self, table: dict[int, Function], number: int, function: Function, item: Item, where: str) -> bool:
        """Whether a row of the table of drivers or guards is what is expected."""
        if table.get(number) == function:
            return True
        of_guards = table is self.guards
        address = self.image.guards[number] if of_guards else self.image.drivers[number][0]
        subject = f"{'guard' if of_guards else 'driver'} {function.name}"
        if number in table:
            self._error(item.code, item.span, f"{where} names the {table[number].name}, and the {subject} is expected")
            return False
        wrong = self.functions.differs(address, function, item.span)
        if wrong is not None:
            self._error(item.code, item.span, f"{where} should name the {subject}: {wrong}")
            return False
        if not of_guards:
            touched, found = self._touches(function), self.image.drivers[number][1]
            if set(touched) != set(found):
                said = f"the {subject} touches {self._listed(touched)}, and the image says {self._listed(found)}"
                self._error("C205", item.span, said)
        table[number] = function
        return True

    def _touches(self, function: Function) -> list[int]:
        """The tasks whose written ports the function reads, or whose read or written ports it writes."""
        reads, writes = {*function.reads}, {*function.writes}
        workers = [(k, {*own.reads}, {*own.writes}) for k, own in enumerate(self.meaning.workers())]
        return [k for k, own_reads, own_writes in workers if reads & own_writes or writes & (own_reads | own_writes)]

    def _listed(self, tasks: list[int] | tuple[int, ...]) -> str:
        names = [task.name.text for task in self.program.tasks]
        return ", ".join(names[k] if k < len(names) else f"task {k}, which there is not" for k in tasks) or "no task"

    def _expected(self, item: Item) -> str:
        if item.function is not None:
            return f"the {'guard' if item.kind == 'if' else 'driver'} {item.function.name}"
        if item.kind == "release":
            return f"the release of {self.program.tasks[item.task].name} for {item.time} ms"
        return f"a wait of {item.time} ms for {_named(item.to)}"

    def _modes_that_nothing_leads_to(self) -> None:
        """Look for the code of modes without a switch to them; a mode has code if all its code is found."""
        reached = {place.at.mode for place in self.met}
        for mode in self.program.modes:
            if mode.name.text in reached:
                continue
            used = {place.address for place in self.met}
            for address in [a for a in range(len(self.image.code)) if a not in used][:_TRIALS]:
                if self._is_begin(address, At(mode.name.text)):
                    break
            else:
                self.unverified.append(f"the mode {mode.name}: nothing leads to it, and its microcode was not found")
            reached = {place.at.mode for place in self.met}

    def _is_begin(self, address: int, at: At) -> bool:
        """Whether the code from ``address`` on does what a mode does; if so, what was learned from it is kept."""
        before = self.functions, self.drivers, self.guards, self.met
        self.functions = self.functions.copy()
        self.drivers, self.guards, self.met = dict(self.drivers), dict(self.guards), dict(self.met)
        self.trial, matches = True, False
        try:
            self.follow(_Place(address, at))
            matches = not self.said
        except UnreadableError:
            pass
        self.trial, self.said = False, {}
        if not matches:
            self.functions, self.drivers, self.guards, self.met = before
        return matches

    # Tables

    def _tasks(self) -> None:
        """The table of tasks, and their threads."""
        assert self.system.osek is not None
        workers, rows = self.meaning.workers(), self.image.tasks
        if len(rows) != len(workers):
            span = self.program.start.span
            self._error("C205", span, f"the image has {len(rows)} tasks of microcode, and the program {len(workers)}")
            return
        loads = self.system.upload is not None
        threads = [(k, t.name) for k, t in enumerate(self.system.osek.tasks) if not (loads and t.name == _LOADER)]
        for number, (row, worker, (thread, name)) in enumerate(zip(rows, workers, threads, strict=True)):
            self._task(number, row, worker, thread, name)

    def _task(self, number: int, row: Row, worker: Function, thread: int, name: str) -> None:
        span = self.program.tasks[number].name.span
        compute, commit, extended, given = (row[name] for name in ("compute", "commit", "extended", "thread"))
        copied = any(driver.copies == worker.name for driver in self.drivers.values())
        counted = any(trigger.completed == worker.name for trigger in self.program.triggers)
        wrong = self.functions.worker_differs(compute, commit, worker, span, copied=copied, counted=counted)
        if wrong is not None:
            self._error("C205", span, f"the task {worker.name}: {wrong}")
        if given != thread:
            self._error("C205", span, f"the task {worker.name} has the thread {given} of the kernel, and should have {thread}")
        if extended != self.elf.symbol(c_names.extended(name)).address:
            self._error("C205", span, f"the task {worker.name} has the state of another thread")
        body = self.elf.symbol(c_names.task(name)).address
        if self.functions.calls_alone(body, "carillon_microcode_thread", number) is None:
            self._error("C205", span, f"the thread {name} does not carry the task {worker.name} out")

    def _triggers(self) -> None:
        """Check triggers: what interrupts and tasks' ends count, and which ports are kept and looked at."""
        assert self.system.osek is not None
        sensors = [p for p in self.program.ports if p.interrupt is not None]
        rows, declared = self.image.triggers, len(sensors) + len(self.program.triggers)
        if len(rows) != max(1, declared):
            self._error("C205", self.program.start.span, f"the image has {len(rows)} triggers, and the program {declared}")
            return
        if not declared and any(rows[0].values()):
            self._error("C205", self.program.start.span, "the image has a trigger, and the program declares none")
        for row, port, isr in zip(rows, sensors, self.system.osek.isrs, strict=False):
            handler = self.elf.symbol(c_names.isr(isr.name)).address
            counted = self.functions.calls_alone(handler, "carillon_microcode_event")
            if counted is None or not self.functions.ports.agree(f"events {port.name}", counted):
                self._error("C205", port.name.span, f"the interrupt of {port.name} does not count its events alone")
            elif wrong := self.functions.trigger_differs((row["arm"], row["is_enabled"]), *2 * ((f"events {port.name}",),)):
                self._error("C205", port.name.span, f"the trigger of {port.name}: {wrong}")
        for row, trigger in zip(rows[len(sensors) :], self.program.triggers, strict=False):
            ended = (f"ended {trigger.completed}",) if trigger.completed else ()
            function = None if trigger.function is None else trigger.function.text
            both = row["arm"], row["is_enabled"]
            if wrong := self.functions.trigger_differs(both, ended or trigger.ports, ended or trigger.looked, function):
                self._error("C205", trigger.name.span, f"the trigger {trigger.name}: {wrong}")
        if compared := [trigger.name.text for trigger in self.program.triggers if not trigger.completed]:
            self.unverified.append(f"microcode: the predicates of triggers, but for their ports: {', '.join(compared)}")

    def _counts(self) -> None:
        """Rows that no code names."""
        for table, rows, known in (
            ("drivers", len(self.image.drivers), len(self.drivers)),
            ("guards", len(self.image.guards), max(1, len(self.guards))),
        ):
            if rows > known:
                self.unverified.append(f"microcode: {rows - known} of {rows} {table}, which no code that was followed names")

    def _loader(self, upload: Upload) -> None:
        """What the loader knows of the image."""
        span = self.program.start.span
        tables = self._interface()
        row = self.elf.row("carillon_loader_image")
        counts = row.array("counts")
        tick, interface, bindings, threads = (row[name] for name in ("tick_ns", "interface", "bindings", "threads"))
        triggers = sum(p.interrupt is not None for p in self.program.ports) + len(self.program.triggers)
        wanted = [len(self.meaning.ports()), len(self.program.tasks), len(self.drivers), len(self.guards), triggers]
        if tick != TICK_NS:
            self._error("C204", span, f"the loader takes programs with ticks of {tick} ns, and should with {TICK_NS}")
        if counts != wanted:
            self._error("C205", span, f"the loader takes programs for tables of {counts} rows, and should for {wanted}")
        room = max(1, upload.triggers), max(threads if self.s_code else 1, upload.threads)
        if (bindings, threads) != room:
            said = f"the loader has room for {bindings} triggers and {threads} threads, and should for"
            self._error("C205", span, f"{said} {room[0]} and {room[1]}")
        if self.elf.bytes_at(self.elf.symbol("carillon_loader_key").address, 16) != upload.key:
            self._error("C205", span, "the loader has another key than the program's .upload says")
        if tables is None:
            self.unverified.append("the loader: checksums of its program and its tables, of which some are not known")
            return
        if interface != zlib.crc32(tables):
            self._error("C205", span, "the loader takes programs for other tables: their checksum is not that of the program's")
        head = struct.pack("<IHH5HH", TICK_NS, self.image.entry, len(self.image.code), *wanted, 0)
        handlers = self.image.handlers + bytes(-len(self.image.handlers) % 4)
        body = head + handlers + self.image.raw + tables
        start = struct.pack("<4sHHI", b"CMUC", 1, 36 + len(handlers), 16 + len(body))
        self.elf.symbol("carillon_loader_first")
        (first,) = self.elf.values("carillon_loader_first")
        if first != zlib.crc32(start + body):
            self._error("C205", span, "the loader tells another checksum than that of the image's program")

    def _interface(self) -> bytes | None:
        """The bytes of the tables of ports, tasks, drivers, guards and triggers, as SPEC has them."""
        ports = self.meaning.ports()
        rows = [self.drivers, self.guards]
        if any(sorted(table) != list(range(len(table))) for table in rows):
            return None
        encoded = b"".join(_name(port) for port in ports)
        listed: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [(w.name, w.reads, w.writes) for w in self.meaning.workers()]
        for table in rows:
            listed += [(table[k].name, table[k].reads, table[k].writes) for k in sorted(table)]
        sensors = [p.name.text for p in self.program.ports if p.kind is PortKind.SENSOR and p.interrupt is not None]
        listed += [(name, (name,), ()) for name in sensors]
        listed += [(trigger.name.text, trigger.ports, ()) for trigger in self.program.triggers]
        for name, reads, writes in listed:
            encoded += _name(name)
            for each in (reads, writes):
                encoded += struct.pack(f"<H{len(each)}H", len(each), *(ports.index(p) for p in each))
        return encoded


def _name(text: str) -> bytes:
    return struct.pack("<H", len(text)) + text.encode("ascii")


def _named(at: At) -> str:
    if at == START:
        return "the start"
    return f"mode {at.mode}, {'entered ' if at.entered else ''}at {at.time} ms"
