# SPDX-License-Identifier: Apache-2.0
"""``giotto.h`` and ``microcode.c``: what a Giotto program asks of C, its microcode, and the ports and functions around it.

A port is a variable.  A task computes on copies of what it writes, which become its ports when it has ended.  So what it puts
out, and its states, are those of its last invocation that ended, whatever becomes of the next one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace

from carillon import c_names
from carillon.emit import text
from carillon.image import Image
from carillon.image.misses import compute_symbol, deadline_misses
from carillon.microcode import Function, Kind
from carillon.microcode.binary import checksum_of, interface_of
from carillon.microcode.compiled import Binding, Compiled, Microcode
from carillon.model.giotto import LOADER, Giotto, Trigger

_BASIC = frozenset({"int", "float", "double", "char", "short", "long", "bool", "unsigned"})
_NONE = "CARILLON_MICROCODE_NONE"


def emit(image: Image) -> dict[str, str]:
    """The generated files; none without a Giotto program."""
    if image.microcode is None:
        return {}
    assert image.system.giotto is not None
    writer = _Microcode(image, image.microcode, image.system.giotto)
    return {"giotto.h": writer.header(), "microcode.c": writer.source()}


def _name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


class Writer:
    """What programs have in common, whatever carries them out: what they ask of C, ports, drivers and guards."""

    def __init__(self, image: Image, compiled: Compiled, source: Giotto) -> None:
        self.image = image
        self.compiled = compiled
        self.program = compiled.program
        self.giotto = source
        self.types = {port.name.text: _name(port.type.text) for port in source.ports}
        for task in source.tasks:
            self.types |= {f"{task.name}:{typed.name}": _name(typed.type.text) for typed in (*task.inputs, *task.states)}
            self.types |= {f"{task.name}:{name}": self.types[name.text] for name in task.outputs}
        self.numbers = {name: number for number, name in enumerate(self.program.ports)}
        self.watched: frozenset[str] = frozenset()
        """Ports that triggers look at."""
        self.completed: frozenset[str] = frozenset()
        """Tasks whose completions triggers look at."""

    def port(self, name: str) -> str:
        """What a port is called in C."""
        return f"port_{self.numbers[name]}_{_name(name)}"

    # What the application defines

    def header(self) -> str:
        """The types, and the functions that the program names."""
        lines = ["", "#include <stdbool.h>", "#include <stdint.h>", ""]
        known = {alias.name.text for alias in self.giotto.types}
        used = {_name(alias.meant.text) for alias in self.giotto.types}
        used |= {found for name, found in self.types.items() if found not in map(_name, known)}
        if used - _BASIC:
            lines += [f'#include "{self.image.system.file.stem}.h" /* {", ".join(sorted(used - _BASIC))} */', ""]
        for alias in self.giotto.types:
            meant, name = _name(alias.meant.text), _name(alias.name.text)
            lines += [f"typedef {meant} {name};"] if meant != name else []
        lines += ["", *text.linkage(dict.fromkeys(self.prototypes()))]
        return text.header(self.image, f"What {self.image.system.file.name} asks of C.", "GIOTTO_H", lines)

    def prototypes(self) -> Iterable[str]:
        """Declarations of what the program names."""
        for binding in self.compiled.guards:
            yield self.prototype("bool", binding, ())
        for binding, function in zip(self.compiled.drivers, self.program.drivers, strict=True):
            if binding.function is not None and binding.name.startswith("init:"):
                yield f"void {binding.function}({self.types[binding.arguments[0]]} *);"
            elif binding.function is not None:
                yield self.prototype("void", binding, function.writes)
        for binding, function in zip(self.compiled.tasks, self.program.tasks, strict=True):
            yield self.prototype("void", binding, function.writes)
        for trigger in self.giotto.triggers:
            if trigger.function is not None:
                given = ", ".join(f"const {self.types[operand.text]} *" for operand in trigger.operands)
                yield f"bool {trigger.function}({given});"

    def prototype(self, result: str, binding: Binding, writes: tuple[int, ...]) -> str:
        """That of one function, which writes these ports."""
        const = {name: "" if self.numbers[name] in writes else "const " for name in binding.arguments}
        given = [f"{const[name]}{self.types[name]} *" for name in binding.arguments]
        return f"{result} {binding.function}({', '.join(given) or 'void'});"

    # What is around it

    def functions(self, tasks: Collection[int], drivers: Collection[int], guards: Collection[int]) -> list[str]:
        """Those tasks, drivers and guards, by their numbers in the program, and the ports that they have."""
        lines = ["", "#include <string.h>", "", '#include "giotto.h"', "", "/* Ports. */"]
        bindings = [self.compiled.tasks[k] for k in tasks]
        bindings += [self.compiled.drivers[k] for k in drivers] + [self.compiled.guards[k] for k in guards]
        used = self.watched.union(name for binding in bindings for name in (*binding.arguments, *binding.targets))
        lines += [f"static {self.types[name]} {self.port(name)};" for name in self.program.ports if name in used]
        for number in sorted(tasks):
            lines += self.task(number, self.compiled.tasks[number], self.program.tasks[number])
        for number in sorted(drivers):
            binding = self.compiled.drivers[number]
            lines += ["", f"/* {binding.name} */", f"static void driver_{number}(void)", "{", *self.driver(binding), "}"]
        for number in sorted(guards):
            binding = self.compiled.guards[number]
            lines += ["", f"/* {binding.name} */", f"static bool guard_{number}(void)", "{"]
            lines += [f"    return {self.call(binding)}", "}"]
        return lines

    def task(self, number: int, binding: Binding, function: Function) -> list[str]:
        """What computes on copies of what a task writes, and what makes these its ports."""
        written = [self.program.ports[port] for port in function.writes]
        lines = ["", f"/* The task {binding.name}. */", f"static bool fresh_{number};"]
        ended = binding.name in self.completed
        lines += [f"static uint32_t ended_{number}; /* invocations */"] if ended else []
        lines += [f"static {self.types[name]} next_{self.numbers[name]};" for name in written]
        given = (f"&next_{self.numbers[a]}" if a in written else f"&{self.port(a)}" for a in binding.arguments)
        lines += [f"static void {compute_symbol(number)}(void)", "{"]
        lines += [_copied(f"next_{self.numbers[name]}", self.port(name)) for name in written]
        lines += [f"    {binding.function}({', '.join(given)});", "}", f"static void commit_{number}(void)", "{"]
        lines += [_copied(self.port(name), f"next_{self.numbers[name]}") for name in written]
        return [*lines, *([f"    ended_{number}++;"] if ended else []), f"    fresh_{number} = true;", "}"]

    def missed(self) -> list[str]:
        """What is called when a task misses its deadline.  The numbers keep a compiler from making one function of several."""
        rows = deadline_misses(self.image)
        lines = ["/* What a trace records when an invocation misses its deadline. */"]
        for number, row in enumerate(rows):
            function = f"void {row.symbol}(void)"
            lines += [f"{function};", f"__attribute__((noinline)) {function}", "{", f"    CARILLON_NOTE({row.symbol});"]
            lines += [f'    __asm__ volatile("" : : "i"({number}));', "}"]
        table = [f"{row.symbol}, /* {row.task.name}{f' every {row.period} ms' if row.period else ''} */" for row in rows]
        return lines + text.table("void (*const carillon_giotto_missed[])(void)", table or ["NULL,"])

    def driver(self, binding: Binding) -> list[str]:
        """The body of a driver."""
        if binding.function is None:
            names = [task.name for task in self.program.tasks]
            number = names.index(binding.name.removeprefix("copy:"))
            pairs = zip(binding.targets, binding.arguments, strict=True)
            copies = [f"    {_copied(self.port(target), self.port(source))}" for target, source in pairs]
            return [f"    if (fresh_{number}) {{", f"        fresh_{number} = false;", *copies, "    }"]
        if binding.name.startswith("init:"):
            return [f"    {binding.function}(&{self.port(name)});" for name in binding.arguments]
        return [f"    {self.call(binding)}"]

    def call(self, binding: Binding) -> str:
        """The call of its function."""
        return f"{binding.function}({', '.join(f'&{self.port(name)}' for name in binding.arguments)});"


class _Microcode(Writer):
    """A program that the machine of microcode carries out."""

    def __init__(self, image: Image, microcode: Microcode, source: Giotto) -> None:
        super().__init__(image, microcode.compiled, source)
        self.microcode = microcode
        self.watched = frozenset(port for trigger in source.triggers for port in trigger.ports)
        self.completed = frozenset(trigger.completed for trigger in source.triggers)

    def source(self) -> str:
        lines = [
            text.head(self.image, "Microcode, and the ports and functions around it."),
            '#include "kernel/core/kernel.h"',
            '#include "kernel/microcode/machine.h"',
            '#include "kernel/microcode/tasks.h"',
        ]
        lines += self.functions(*(range(len(table)) for table in (self.program.tasks, self.program.drivers, self.program.guards)))
        for number, name in enumerate(self.microcode.threads_of):
            lines += ["", *text.function(c_names.task(name), [f"    carillon_microcode_thread({number}u);"])]
        lines.append("")
        for number in range(len(self.program.drivers)):
            touched = [*(f"{task}u" for task in self.program.touched(number)), _NONE]
            lines.append(f"static const uint16_t touches_{number}[] = {{{', '.join(touched)}}};")
        lines.append("")
        lines += text.table("const struct carillon_microcode_driver carillon_microcode_drivers[]", [
            f"{{driver_{number}, touches_{number}}}, /* {binding.name} */" for number, binding in enumerate(self.compiled.drivers)
        ])  # fmt: skip
        guards = [f"guard_{number}, /* {binding.name} */" for number, binding in enumerate(self.compiled.guards)]
        lines += text.table("bool (*const carillon_microcode_guards[])(void)", guards or ["NULL"])
        lines += self.triggers()
        lines += [f"extern struct carillon_osek_extended {c_names.extended(name)};" for name in self.microcode.threads_of]
        lines += text.table("const struct carillon_microcode_task carillon_microcode_tasks[]", [
            f"{{{compute_symbol(number)}, commit_{number}, &{c_names.extended(name)}, {number}u}}, /* {binding.name} */"
            for number, (name, binding) in enumerate(zip(self.microcode.threads_of, self.compiled.tasks, strict=True))
        ])  # fmt: skip
        lines += self.missed()
        lines += text.table("static const struct carillon_instruction code[]", self.code())
        lines += [f"const uint32_t carillon_microcode_tick_ns = {self.program.tick_ns}u;", ""]
        handlers = [_NONE if address is None else f"{address}u" for address in self.program.handlers]
        if handlers:
            lines += text.table("static const uint16_t handlers[]", [", ".join(handlers)])
        lines += text.table("const struct carillon_microcode carillon_microcode_first", [
            f".code = code, .handlers = {'handlers' if handlers else 'NULL'},",
            f".steps = {self.microcode.steps}u, .size = {len(self.program.code)}u,",
            f".entry = {self.program.entry}u,",
            f".scheduler = CARILLON_SCHEDULER_{self.microcode.scheduler.upper()}",
        ])  # fmt: skip
        lines += self.loader()
        return "\n".join(lines)

    def triggers(self) -> list[str]:
        """The functions of triggers, which keep what they look at when a ``future`` names them, and compare."""
        lines: list[str] = []
        names = [port.name for _, port, _ in self.giotto.interrupts] + [trigger.name for trigger in self.giotto.triggers]
        for number, (name, port, interrupt) in enumerate(self.giotto.interrupts):
            lines += [
                f"/* The interrupt of the sensor {port.name} ({text.place(interrupt.span)}). */",
                f"static uint32_t events_{number};",
                f"void {c_names.isr(name)}(void);",
                f"ISR({name})", "{", f"    carillon_microcode_event(&events_{number});", "}",
                *counted(number, f"events_{number}"),
            ]  # fmt: skip
        tasks = [task.name for task in self.program.tasks]
        for number, trigger in enumerate(self.giotto.triggers, len(self.giotto.interrupts)):
            lines.append(f"/* The trigger {trigger.name} ({text.place(trigger.name.span)}). */")
            if trigger.completed:
                lines += counted(number, f"ended_{tasks.index(trigger.completed)}")
            else:
                lines += self.predicate(number, trigger)
        rows = [f"{{arm_{number}, is_enabled_{number}}}, /* {name} */" for number, name in enumerate(names)]
        table = text.table("const struct carillon_microcode_trigger carillon_microcode_triggers[]", rows or ["{NULL, NULL},"])
        return [*(['#include "carillon/osek.h"', ""] if self.giotto.interrupts else []), *self.kept(), *lines, *table]

    def kept(self) -> list[str]:
        """What triggers that wait keep, each at its place; there is one more, for a trigger without room."""
        head = ["void carillon_microcode_forget(uint32_t place)", "{"]
        if not (self.giotto.interrupts or self.giotto.triggers):
            return [*head, "    (void)place;", "}"]
        lines = ["/* What triggers look at, as it was when they were armed. */", "static union {"]
        lines += ["    uint32_t count;"] if self.giotto.interrupts or self.completed - {""} else []
        for number, trigger in enumerate(self.giotto.triggers, len(self.giotto.interrupts)):
            ports = [f"        {self.types[name]} {self.port(name)};" for name in trigger.ports]
            lines += ["    struct {", *ports, f"    }} by_{number};"] if ports else []
        lines += [
            "} kept[CARILLON_MICROCODE_BINDINGS + 1u];",
            "",
            *head,
            "    for (uint32_t k = place; k < CARILLON_MICROCODE_BINDINGS; k++) {",
        ]
        return [*lines, "        kept[k] = kept[k + 1u];", "    }", "}", ""]

    def predicate(self, number: int, trigger: Trigger) -> list[str]:
        """A predicate, which is false while the ports that it looks at are as they were."""
        was = {name: f"kept[place].by_{number}.{self.port(name)}" for name in trigger.ports}
        lines = [f"static void arm_{number}(uint32_t place)", "{"]
        lines += [_copied(was[name], self.port(name)) for name in trigger.ports]
        lines += ["}", f"static bool is_enabled_{number}(uint32_t place)", "{", "    const bool changed ="]
        changes = [f"(memcmp(&{was[name]}, &{self.port(name)}, sizeof({self.port(name)})) != 0)" for name in trigger.looked]
        operands = [o.text if o.constant else self.port(o.text) if o.now else was[o.text] for o in trigger.operands]
        if trigger.function is not None:
            holds = f"{trigger.function}({', '.join(f'&{operand}' for operand in operands)})"
        else:
            holds = f"({f' {trigger.operator} '.join(operands)})"
        return [*lines, f"        {' || '.join(changes)};", f"    return changed && {holds};", "}", ""]

    def loader(self) -> list[str]:
        """What the loader knows of the image, and its thread."""
        upload = self.image.system.upload
        if upload is None:
            return []
        checksum, tables = checksum_of(replace(self.program, labels=())), interface_of(self.program)
        counts = ", ".join(f"{len(self.program.names(kind))}u" for kind in Kind)
        return [
            '#include "kernel/microcode/loader.h"',
            "",
            *text.table("const struct carillon_verify_image carillon_loader_image", [
                f".tick_ns = {self.program.tick_ns}u, .interface = 0x{tables:08X}u, .counts = {{{counts}}},",
                f".bindings = {self.microcode.bindings}u, .threads = {self.microcode.threads}u",
            ]),
            *text.table("const uint8_t carillon_loader_key[16]", [", ".join(f"0x{byte:02X}u" for byte in upload.key)]),
            f"const uint32_t carillon_loader_first = 0x{checksum:08X}u;",
            *self.times(),
            "",
            *text.function(c_names.task(LOADER), ["    carillon_loader_thread();"]), "",
        ]  # fmt: skip

    def times(self) -> list[str]:
        """The tasks' execution times, where the loader looks at the load."""
        if not self.microcode.times:
            return []
        rows = zip(self.microcode.times, self.compiled.tasks, strict=True)
        return [
            '#include "kernel/microcode/load.h"',
            "",
            *text.table("const uint32_t carillon_loader_times[]", [f"{time}u, /* ns: {task.name} */" for time, task in rows]),
        ]

    def code(self) -> list[str]:
        labels = dict(self.program.labels)
        rows = []
        for address, i in enumerate(self.program.code):
            label = f"{labels[address]}: " if address in labels else ""
            written = f"CARILLON_INSTRUCTION(CARILLON_OPCODE_{i.opcode.name}, {i.time}u, {i.x}u, {i.y}u)"
            rows.append(f"{written}, /* {address}: {label}{self.compiled.comments[address]} */")
        return rows


def counted(number: int, count: str) -> list[str]:
    """The functions of a trigger that waits for one more of what is counted."""
    return [
        f"static void arm_{number}(uint32_t place)", "{", f"    kept[place].count = {count};", "}",
        f"static bool is_enabled_{number}(uint32_t place)", "{", f"    return {count} != kept[place].count;", "}", "",
    ]  # fmt: skip


def _copied(target: str, source: str) -> str:
    return f"    (void)memcpy(&{target}, &{source}, sizeof({target}));"
