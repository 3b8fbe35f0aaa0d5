# SPDX-License-Identifier: Apache-2.0
"""Microcode as text: an assembler and its inverse (SPEC, section 'Microcode').

``assembled(text_of(program))`` is ``program`` again, for every program without faults.  A comment of an address stands
behind its instruction, a remark stands before it; both are left out when the text is assembled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from carillon.diagnostics import Diagnostics, Limited, Span, suggestion
from carillon.groups import grouped
from carillon.microcode import FORMS, MOST, NAME, S_CODE, Field, Form, Function, Instruction, Kind, Opcode, Program, faults
from carillon.microcode.handlers import ALLOWED, handler_faults
from carillon.units import MalformedError, shorten

_NUMBER = re.compile(r"[0-9]{1,12}", re.ASCII)
_LABEL = re.compile(f"{NAME.pattern}|@[0-9]{{1,5}}", re.ASCII)
"""What names an address: a name, or the number that a disassembled program has for it."""
_RELEASED = re.compile(r"release\s*\((.*)\)")
_COMMENT_COLUMN = 48
_MOST_ERRORS = 100
_WORDS = tuple(dict.fromkeys(form.word for form in FORMS.values()))
_OF_THREADS = S_CODE | {Opcode.JUMP, Opcode.RETURN}
_HANDLERS = (".late", ".shared")
_DIRECTIVES = (".tick", ".entry", *_HANDLERS, *(f".{kind.value}" for kind in Kind))


def text_of(
    program: Program,
    comments: Mapping[int, str] | None = None,
    remarks: Mapping[int, str] | None = None,
    heading: str = "",
) -> str:
    """The text of a program.  ``comments`` and ``remarks`` are of addresses; ``heading`` and remarks may have several lines."""
    comments, remarks = comments or {}, remarks or {}
    labels = _labels(program)
    lines = [f"; {line}".rstrip() for line in heading.splitlines()]
    lines.append(f".tick {program.tick_ns}")
    lines += [f".port {name}" for name in program.ports]
    for kind, functions in program.functions.items():
        for function in functions:
            lines.append(f".{kind.value} {function.name}{_listed(' reads', function.reads, program)}")
            lines[-1] += _listed(" writes", function.writes, program)
    lines.append(f".entry {labels[program.entry][0]}")
    for address, instruction in enumerate(program.code):
        if address in remarks:
            lines += ["", *(f"; {line}".rstrip() for line in remarks[address].splitlines())]
        lines += [f".late {program.tasks[task].name}" for task, handler in program.late if handler == address]
        lines += [".shared"] if program.shared == address else []
        lines += [f"{label}:" for label in labels.get(address, ())]
        line = f"    {_operation(instruction, address, program, labels)}"
        if address in comments:
            line = f"{line:{_COMMENT_COLUMN}} ; {comments[address]}"
        lines.append(line)
    return "\n".join(lines) + "\n"


def _labels(program: Program) -> dict[int, list[str]]:
    """The labels of each address; a target of a jump without a label is named after its address."""
    targets = {i.y for address, i in enumerate(program.code) if i.leads and not _is_short(i, address)} | {program.entry}
    return {address: [f"@{address}"] for address in targets} | grouped(program.labels)


def _listed(word: str, ports: tuple[int, ...], program: Program) -> str:
    return f"{word} {', '.join(program.ports[port] for port in ports)}" if ports else ""


def _is_short(instruction: Instruction, address: int) -> bool:
    """Whether it is written without the address that it leads to."""
    return FORMS[instruction.opcode].short and instruction.y == address + 1


def _operation(instruction: Instruction, address: int, program: Program, labels: dict[int, list[str]]) -> str:
    form = FORMS[instruction.opcode]
    operands = []
    for field, use in _used(form, _is_short(instruction, address)):
        value = getattr(instruction, field.value)
        if use == "ticks":
            shown = str(value)
        elif use == "address":
            shown = labels[value][0]
        else:
            shown = program.names(Kind(use))[value]
        operands.append(f"release({shown})" if field is form.released else shown)
    return f"{form.word} {', '.join(operands)}".rstrip()


def _used(form: Form, short: bool = False) -> list[tuple[Field, str]]:
    return [(field, form.fields[field]) for field in Field if field in form.fields and not (short and field is Field.Y)]


def assembled(text: str, file: str, diagnostics: Diagnostics) -> Program | None:
    """The program of a text; None after errors, C267 each."""
    return _Assembler(text, file, diagnostics).run()


@dataclass(frozen=True, slots=True)
class Thread:
    """S code that is a thread of a program: instructions with their lines, addresses and names of labels from 0.

    ``settings`` is what its directives say, by their names without the point.  ``orders`` are the lines, the blocks and the
    tasks of ``.order``.  ``late`` and ``shared`` are handlers, as in a program, which stand behind all else.
    """

    code: tuple[tuple[int, Instruction], ...]
    labels: tuple[tuple[int, str], ...]
    settings: Mapping[str, str]
    orders: tuple[tuple[int, str, tuple[str, ...]], ...] = ()
    late: tuple[tuple[int, int], ...] = ()
    shared: int | None = None

    @property
    def has_handlers(self) -> bool:
        """Whether it has any."""
        return bool(self.late) or self.shared is not None

    @property
    def is_empty(self) -> bool:
        """Whether it has no instruction beside handlers and the one that ends it."""
        starts = [address for _, address in self.late] + ([] if self.shared is None else [self.shared])
        return min(starts, default=len(self.code) - 1) == 0


def assembled_thread(
    text: str,
    file: str,
    tasks: tuple[str, ...],
    diagnostics: Diagnostics,
    settings: Mapping[str, tuple[str, ...]] | None = None,
    handled: Program | None = None,
) -> Thread | None:
    """The S code of a text that dispatches these tasks; it begins at its first line, and ends behind its last one.

    It has instructions of S code, ``jump`` and ``return`` alone, and of directives ``settings``, each once and with one of
    its values; and, if there are settings, ``.order BLOCK TASK, ...``.  Behind that it has handlers, which may use drivers and
    guards of the program ``handled``.  None after errors, C267 or C280 each.
    """
    assembler = _Assembler(text, file, diagnostics)
    assembler.tick = 1
    assembler.settings = settings or {}
    for task in tasks:
        assembler.object(Kind.TASK, task)
    if handled is not None:
        for kind in (Kind.DRIVER, Kind.GUARD):
            for function in handled.functions[kind]:
                assembler.object(kind, function.name)
    assembler.thread = True
    program = assembler.run()
    if program is None:
        return None
    lines = [number for number, _ in assembler.operations]
    code, orders = tuple(zip(lines, program.code, strict=True)), tuple(assembler.orders)
    return Thread(code, program.labels, assembler.set, orders, program.late, program.shared)


class _Assembler(Limited):
    def __init__(self, text: str, file: str, diagnostics: Diagnostics) -> None:
        super().__init__(diagnostics, _MOST_ERRORS)
        self.lines = text.split("\n")
        self.file = file
        self.numbers: dict[Kind, dict[str, int]] = {kind: {} for kind in Kind}
        self.functions: dict[Kind, list[Function]] = {kind: [] for kind in Kind}
        self.labels: dict[str, int] = {}
        self.operations: list[tuple[int, str]] = []
        self.tick: int | None = None
        self.entry: tuple[int, str] | None = None
        self.thread = False
        self.settings: Mapping[str, tuple[str, ...]] = {}
        self.set: dict[str, str] = {}
        self.orders: list[tuple[int, str, tuple[str, ...]]] = []
        self.late: dict[int, int] = {}
        self.shared: int | None = None
        self.first_handler = MOST

    def refuse(self, line: int, cause: str, remedy: str) -> None:
        self.error("C267", Span(self.file, line), cause, remedy)

    def run(self) -> Program | None:
        for number, line in enumerate(self.lines, 1):
            try:
                self.line(number, line.partition(";")[0].strip())
            except MalformedError as refused:
                self.refuse(number, refused.cause, refused.remedy)
        if self.thread and (self.first_handler == MOST or self.open()):
            self.operations.append((len(self.lines), "return"))
        code = []
        for place, (number, line) in enumerate(self.operations):
            try:
                code.append(self.operation(line, place, place >= self.first_handler))
            except MalformedError as refused:
                self.refuse(number, refused.cause, refused.remedy)
        entry = 0
        if self.tick is None:
            self.refuse(1, "the length of the tick is missing", "write .tick and the nanoseconds of a tick: .tick 1000000")
        if self.thread:
            pass
        elif self.entry is None:
            self.refuse(1, "the entry is missing", "write .entry and the label at which the program begins")
        elif self.entry[1] not in self.labels:
            self.refuse(self.entry[0], f"there is no label {shorten(self.entry[1])}", suggestion(self.entry[1], self.labels))
        else:
            entry = self.labels[self.entry[1]]
        if self.failed or self.tick is None:
            return None
        labels = sorted((address, name) for name, address in self.labels.items() if not name.startswith("@"))
        tasks, drivers, guards, triggers = (tuple(self.functions[kind]) for kind in Kind if kind is not Kind.PORT)
        ports = tuple(self.numbers[Kind.PORT])
        late, shared = tuple(sorted(self.late.items())), self.shared
        program = Program(self.tick, entry, tuple(code), ports, tasks, drivers, guards, triggers, tuple(labels), late, shared)
        for address, cause in faults(program):
            line_number = 1 if address is None else self.operations[address][0]
            self.refuse(line_number, cause, "SPEC, section 'Microcode', says what an instruction may have")
        for wrong, cause in handler_faults(program) if not self.failed else ():
            remedy = "a handler has call, release, terminate, if, jump and return, and goes to no instruction twice"
            self.error("C280", Span(self.file, self.operations[wrong][0]), cause, remedy)
        return None if self.failed else program

    def line(self, number: int, line: str) -> None:
        if not line:
            return
        if line.startswith("."):
            self.directive(number, *_parted(line))
        elif line.endswith(":"):
            name = line[:-1]
            if not _LABEL.fullmatch(name):
                raise MalformedError(
                    f"{shorten(name)} is no name of a label", "a name has letters, digits, '_', '.', ':' and '@'"
                )
            if name in self.labels:
                raise MalformedError(f"the label {shorten(name)} is there twice", "give every address a name of its own")
            self.labels[name] = len(self.operations)
        elif len(self.operations) >= MOST:
            if len(self.operations) == MOST:
                self.operations.append((number, line))
                raise MalformedError(f"more than {MOST} instructions", "a program has fewer")
        else:
            self.operations.append((number, line))

    def open(self) -> bool:
        """Whether something has to follow: the last instruction goes on, or a handler or a label is there."""
        begins = len(self.operations) in (*self.late.values(), self.shared, *self.labels.values())
        return begins or not self.operations or _parted(self.operations[-1][1])[0] not in ("return", "jump")

    def handler(self, word: str, rest: str) -> None:
        """What stands next is carried out at an exception.  Behind S code and behind another handler, a ``return`` is implied."""
        before = len(self.operations) in (*self.late.values(), self.shared)
        if self.thread and self.operations and not before and self.open():
            self.operations.append((self.operations[-1][0], "return"))
        place = len(self.operations)
        self.first_handler = min(self.first_handler, place)
        if word == ".shared":
            if rest or self.shared is not None:
                raise MalformedError(".shared names something, or is there twice", "write .shared once, and nothing behind it")
            self.shared = place
            return
        task = self.number(Kind.TASK, rest)
        if task in self.late:
            raise MalformedError(f"the task {shorten(rest)} has two handlers", "write .late TASK once for each task")
        self.late[task] = place

    def directive(self, number: int, word: str, rest: str) -> None:
        if word in _HANDLERS:
            self.handler(word, rest)
            return
        if self.thread and self.settings and word == ".order":
            self.order(number, rest)
            return
        if self.thread:
            self.setting(word.removeprefix("."), rest)
            return
        if word == ".tick":
            if self.tick is not None or not _NUMBER.fullmatch(rest):
                raise MalformedError("the length of the tick is no number, or there twice", "write it once: .tick 1000000")
            self.tick = int(rest)
        elif word == ".entry":
            if self.entry is not None or not rest:
                raise MalformedError("the entry is no label, or there twice", "write it once: .entry start")
            self.entry = number, rest
        elif word in _DIRECTIVES:
            self.object(Kind(word[1:]), rest)
        else:
            raise MalformedError(f"there is no directive {shorten(word)}", suggestion(word, _DIRECTIVES))

    def order(self, number: int, rest: str) -> None:
        block, *listed = rest.split(maxsplit=1)[:2] if rest else [""]
        tasks = [task.strip() for task in listed[0].split(",")] if listed else []
        if not tasks:
            raise MalformedError(f".order {shorten(rest)} names no tasks", "write .order MODE@UNIT TASK, ...")
        for task in tasks:
            self.number(Kind.TASK, task)
        self.orders.append((number, block, tuple(tasks)))

    def setting(self, name: str, value: str) -> None:
        if name not in self.settings:
            remedy = suggestion(f".{name}", [*(f".{known}" for known in self.settings), ".order"])
            raise MalformedError(f"S code has no directive {shorten(f'.{name}')}", remedy)
        if value not in self.settings[name] or name in self.set:
            cause = f"{shorten(value)} is no {name}, or it is there twice"
            raise MalformedError(cause, f"write .{name} once, and {' or '.join(self.settings[name])} behind it")
        self.set[name] = value

    def object(self, kind: Kind, rest: str) -> None:
        match = re.fullmatch(r"(\S+)(?:\s+reads\s+(.+?))?(?:\s+writes\s+(.+?))?", rest)
        if match is None or not NAME.fullmatch(match[1]) or (kind is Kind.PORT and match[2] is not None):
            raise MalformedError(f"{shorten(rest)} is no {kind.value}", f"write .{kind.value} NAME" + _WITH_PORTS[kind])
        name = match[1]
        if name in self.numbers[kind]:
            raise MalformedError(f"the {kind.value} {shorten(name)} is there twice", "declare it once")
        function = Function(name, self.ports(match[2]), self.ports(match[3]))
        self.numbers[kind][name] = len(self.numbers[kind])
        self.functions[kind].append(function)

    def ports(self, listed: str | None) -> tuple[int, ...]:
        return () if listed is None else tuple(self.number(Kind.PORT, name.strip()) for name in listed.split(","))

    def number(self, kind: Kind, name: str) -> int:
        if name not in self.numbers[kind]:
            raise MalformedError(f"there is no {kind.value} {shorten(name)}", suggestion(name, self.numbers[kind]))
        return self.numbers[kind][name]

    def operation(self, line: str, place: int, in_handler: bool) -> Instruction:
        word, rest = _parted(line)
        written = [part.strip() for part in rest.split(",")] if rest else []
        known = (ALLOWED if in_handler else _OF_THREADS) if self.thread else frozenset(FORMS)
        forms = [opcode for opcode, form in FORMS.items() if form.word == word and opcode in known]
        if not forms:
            what = "instruction" if not self.thread else "instruction of handlers" if in_handler else "instruction of S code"
            words = [word for word in _WORDS if word in {FORMS[opcode].word for opcode in known}]
            raise MalformedError(f"there is no {what} {shorten(word)}", suggestion(word, words))
        for opcode in forms:
            form = FORMS[opcode]
            used = _used(form, form.short and len(written) < len(form.fields))
            if len(used) == len(written) and all(map(_suits, used, written, [form] * len(used))):
                made = self.made(opcode, dict(zip((field for field, _ in used), written, strict=True)))
                return made if len(used) == len(form.fields) else replace(made, y=place + 1)
        raise MalformedError(
            f"the operands of {shorten(line)} are not those of {word}", "write " + " or ".join(map(_pattern, forms))
        )

    def made(self, opcode: Opcode, written: dict[Field, str]) -> Instruction:
        form = FORMS[opcode]
        values = {}
        for field, text in written.items():
            use = form.fields[field]
            match = _RELEASED.fullmatch(text) if field is form.released else None
            name = match[1].strip() if match else text
            if use == "ticks":
                values[field.value] = int(name)
            elif use == "address":
                if name not in self.labels:
                    raise MalformedError(f"there is no label {shorten(name)}", suggestion(name, self.labels))
                values[field.value] = self.labels[name]
            else:
                values[field.value] = self.number(Kind(use), name)
        return Instruction(opcode, **values)


_WITH_PORTS = {
    Kind.PORT: "",
    Kind.TASK: " reads PORT, ... writes PORT, ...",
    Kind.DRIVER: " reads PORT, ... writes PORT, ...",
    Kind.GUARD: " reads PORT, ...",
    Kind.TRIGGER: " reads PORT, ...",
}


def _parted(line: str) -> tuple[str, str]:
    """The first word of a line, and the rest."""
    word, *rest = line.split(maxsplit=1)
    return word, rest[0] if rest else ""


def _suits(used: tuple[Field, str], written: str, form: Form) -> bool:
    """Whether an operand could be meant so: a time is a number, and a release says so."""
    field, use = used
    return (_NUMBER.fullmatch(written) is not None) == (use == "ticks") and (_RELEASED.fullmatch(written) is not None) == (
        field is form.released
    )


def _pattern(opcode: Opcode) -> str:
    form = FORMS[opcode]
    shown = [f"release({use.upper()})" if field is form.released else use.upper() for field, use in _used(form, form.short)]
    return f"'{f'{form.word} ' + ', '.join(shown)}{'[, ADDRESS]' if form.short else ''}'".replace(" '", "'")
