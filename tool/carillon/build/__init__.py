# SPDX-License-Identifier: Apache-2.0
"""Building: generated files, kernel, port, cells and application become firmware."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from carillon.build import uf2
from carillon.build.manifest import MANIFEST, as_text, located, manifest
from carillon.build.orti import orti
from carillon.build.symbols import defined_functions, selects_flash, sizes, symbols, undefined
from carillon.diagnostics import Diagnostics, Span, suggestion
from carillon.elf import read_elf
from carillon.emit import emit
from carillon.emit.library import CHECK, checked
from carillon.emit.text import HANDLER
from carillon.files import link, write_bytes, write_text
from carillon.image import Image
from carillon.model import System
from carillon.model.osek import Hook
from carillon.model.stacks import Refuse, StackBound
from carillon.resources import data_root
from carillon.reuse.objects import Reuse, forget
from carillon.reuse.whole import Steps
from carillon.stacks import stack_bounds
from carillon.verify import Report, verify

ERRNO = {"__errno", "errno"}
"""What a look at it refers to: a function of newlib, and a variable of other C libraries."""


@dataclass(frozen=True, slots=True)
class Firmware:
    """A built application: its ELF, and its size in bytes (vector tables apart from other flash).

    ``images``: the same as Intel HEX, as a plain copy of memory, and of some boards as UF2, for programs that load chips; none
    of a program of this machine.  ``verified``: what of it was compared with the schedule; None if that was not asked for.
    ``steps``: how it was made.  ``stacks``: how much of each stack is used at most.
    """

    elf: Path
    folder: Path
    flash: int
    vectors: int
    ram: int
    images: tuple[Path, ...] = ()
    verified: Report | None = None
    steps: Steps = field(default_factory=lambda: Steps((), (), ()))
    stacks: tuple[StackBound, ...] = ()


_HOOKS = {
    Hook.STARTUP: ("StartupHook", "void"),
    Hook.SHUTDOWN: ("ShutdownHook", "StatusType error"),
    Hook.ERROR: ("ErrorHook", "StatusType error"),
    Hook.PRETASK: ("PreTaskHook", "void"),
    Hook.POSTTASK: ("PostTaskHook", "void"),
    Hook.PROTECTION: ("ProtectionHook", "StatusType error"),
}
"""The function of each hook, and its parameters (OSEK OS 2.2.3, chapter 11)."""
_RESULTS = {"ProtectionHook": "ProtectionReturnType"}
"""What those return that return something."""
_SIGNATURES = dict(_HOOKS.values()) | {
    "ttStartupHook": "void",
    "ttShutdownHook": "ttStatusType error",
    "ttErrorHook": "ttStatusType error",
    "ttIdleTask": "void",
}
# What GCC says, in C and in C++, of a definition that differs from the declaration before it.
_OTHERWISE = re.compile(
    r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): error: (?:conflicting|ambiguating)"
    rf"[^\n]*?\b(?P<hook>{'|'.join(_SIGNATURES)})\b",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class _Unit:
    source: Path
    target: Path
    options: tuple[str, ...]
    application: bool


def _program(name: str, system: System, diagnostics: Diagnostics, use: str = "") -> str | None:
    """Where a program is that the board needs; None after C092.  ``use``: the words before its name in the message."""
    path = shutil.which(name)
    if path is None:
        cause = f"board '{system.board.name}' needs {use}'{name}', which is not installed"
        diagnostics.lacking(cause, system.board.build.packages)
    return path


def _find_compiler(system: System, diagnostics: Diagnostics) -> str | None:
    compiler = _program(system.board.build.compiler, system, diagnostics, "the compiler ")
    if compiler is not None and system.cplusplus and shutil.which(_cplusplus(compiler)) is None:
        cause = f"the application has C++ sources, and the compiler '{Path(_cplusplus(compiler)).name}' is not installed"
        diagnostics.lacking(cause, ("g++",) if system.board.native else system.board.build.packages)
        return None
    return compiler


def _lacks_library(complaint: str, system: System, diagnostics: Diagnostics) -> bool:
    """Whether the compiler misses the file by which a C library says how it is used; reports C092 then."""
    missing = re.search(r"cannot read spec file '?\W?([\w.+-]+)", complaint)
    if missing is not None:
        cause = f"board '{system.board.name}' needs a C library that is not installed: the compiler misses its '{missing[1]}'"
        diagnostics.lacking(cause, system.board.build.packages)
    return missing is not None


def _units(image: Image, generated: Path, folder: Path, more: Sequence[str]) -> list[_Unit]:
    system, root = image.system, data_root()
    plan = manifest(image, generated)
    options = [*(str(o) for o in plan["compile_options"]), *more]
    for include in (generated, *(root / p for p in plan["include"])):
        options += ["-I", str(include)]
    strict = (*options, *plan["warnings"])
    units = []
    for name in plan["sources"]:
        extra = plan["cold_options"] if name in plan["cold_sources"] else ()
        units.append(_Unit(root / name, folder / "objects" / (name.replace("/", "_") + ".o"), (*strict, *extra), False))
    cold = (*strict, *plan["cold_options"])
    for number, name in enumerate(plan["board_sources"]):
        source = located(name, generated)
        units.append(_Unit(source, folder / "objects" / f"board_{number}_{source.name}.o", cold, False))
    units += [_Unit(generated / n, folder / "objects" / f"generated_{n}.o", strict, False) for n in plan["generated"]]
    application = [option for folder in system.include for option in ("-I", str(folder))]
    application += [f"-D{macro}" for macro in system.defines]
    for number, source in enumerate(system.sources):
        target = folder / "objects" / f"application_{number}_{source.name}.o"
        unit_options = [*options, *application]
        if source.suffix != ".c":
            unit_options = [*(o for o in unit_options if not o.startswith("-std=")), *(str(o) for o in plan["cplusplus_options"])]
        units.append(_Unit(source, target, (*unit_options, "-Wall", "-Wextra"), True))
    return units


def _cplusplus(compiler: str) -> str:
    """The C++ compiler that comes with a C compiler: g++ with gcc, c++ with cc, clang++ with clang."""
    path = Path(compiler)
    name = path.name
    if "gcc" in name:
        name = name.replace("gcc", "g++")
    elif "clang" in name:
        name = name.replace("clang", "clang++")
    elif name == "cc" or name.endswith("-cc"):
        name = name.removesuffix("cc") + "c++"
    return str(path.with_name(name))


def _command(compiler: str, unit: _Unit) -> list[str]:
    if unit.source.suffix != ".c":
        compiler = _cplusplus(compiler)
    return [compiler, *unit.options, "-MD", "-c", str(unit.source), "-o", str(unit.target)]


def _compile(compiler: str, unit: _Unit, reuse: Reuse) -> tuple[bool, str]:
    """Compile one file, unless that was done; returns whether there is an object, and what the compiler said of the file."""
    command = _command(compiler, unit)
    said = reuse.recall(command, unit.target)
    if said is not None:
        return True, said
    forget(unit.target)
    began = time.time_ns()
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if result.returncode:
        return False, result.stderr or f"{compiler}: exit code {result.returncode}"
    with suppress(OSError):  # without a record it is compiled again next time
        reuse.note(command, unit.target, began, result.stderr)
    return True, result.stderr


def _place(unit: _Unit, said: str) -> Span:
    """The first place in a file that the compiler names, else its beginning."""
    named = re.search(rf"^{re.escape(str(unit.source))}:(\d+):(\d+): ", said, re.MULTILINE)
    return Span(unit.source.name, *(int(number) for number in named.groups())) if named is not None else Span(unit.source.name)


def _report_refusal(unit: _Unit, complaint: str, diagnostics: Diagnostics) -> None:
    """Report what a compiler said of a file: hooks with another signature (C203), the rest as it is (C091)."""
    hooks = list(_OTHERWISE.finditer(complaint)) if unit.application else []
    for found in hooks:
        span = Span(Path(found["file"]).name, int(found["line"]), int(found["column"]))
        _report_hook(found["hook"], span, diagnostics)
    if len(re.findall(r": (?:fatal )?error: ", complaint)) != len(hooks) or not hooks:
        diagnostics.error(
            "C091", _place(unit, complaint), f"the compiler refuses it:\n{complaint.rstrip()}", "mend what the compiler names"
        )


def _report_hook(hook: str, span: Span, diagnostics: Diagnostics) -> None:
    cause = f"{hook} has other parameters, or another result, than the system calls it with"
    diagnostics.error("C203", span, cause, f"define it as '{_RESULTS.get(hook, 'void')} {hook}({_SIGNATURES[hook]})'")


def _mangled(function: str) -> str:
    """The symbol of a function of the application that has C++'s linkage: of a hook with its parameters, else with none."""
    return f"_Z{len(function)}{function}{'v' if _SIGNATURES.get(function, 'void') == 'void' else 'h'}"


def _compile_all(compiler: str, units: list[_Unit], reuse: Reuse) -> list[tuple[bool, str]]:
    """Compile each; of each whether it is made, and what the compiler said."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(lambda unit: _compile(compiler, unit, reuse), units))


def _all_made(units: list[_Unit], compiled: list[tuple[bool, str]], system: System, diagnostics: Diagnostics) -> bool:
    """Report what the compiler said of each file; whether all are made."""
    if any(_lacks_library(said, system, diagnostics) for made, said in compiled if not made):
        return False
    for unit, (made, said) in zip(units, compiled, strict=True):
        if not made:
            _report_refusal(unit, said, diagnostics)
        elif said:
            diagnostics.warning(
                "C098", _place(unit, said), f"the compiler warns:\n{said.rstrip()}", "mend what the compiler names"
            )
    return all(made for made, _ in compiled)


def compile_library(image: Image, folder: Path, left_out: Collection[str], diagnostics: Diagnostics) -> list[Path] | None:
    """The objects of the kernel, the port, the cells and the generated C, but for the sources ``left_out``; None after errors.

    Neither the application's files are compiled nor the board's.
    """
    compiler = _find_compiler(image.system, diagnostics)
    if compiler is None:
        return None
    generated = write_generated(image, folder)
    (folder / "objects").mkdir(parents=True, exist_ok=True)
    without = {data_root() / name for name in left_out} | {Path(source) for source in image.system.board.build.sources}
    units = [u for u in _units(image, generated, folder, ()) if not u.application and u.source not in without]
    like = next(unit for unit in units if unit.source == data_root() / "kernel/core/mode.c")
    more = (generated / CHECK, data_root() / "ports" / image.system.board.port / "check.c") if checked(image) else ()
    units += [replace(like, source=s, target=folder / "objects" / f"{s.parent.name}_{s.name}.o") for s in more]
    made = _all_made(units, _compile_all(compiler, units, Reuse()), image.system, diagnostics)
    return [unit.target for unit in units] if made else None


def _check_errno(system: System, units: list[_Unit], diagnostics: Diagnostics) -> None:
    """The C libraries for boards have one ``errno``, which tasks that preempt each other share (C248)."""
    tasks = len(system.tasks) + (len(system.osek.tasks) if system.osek is not None else 0)
    users = [u.source.name for u in units if u.application and u.target.is_file() and undefined(u.target) & ERRNO]
    if users and tasks > 1 and not system.board.native:
        cause = f"{', '.join(users)}: errno is one for all tasks, so that one that preempts another changes it"
        remedy = "use it in one task alone, or with interrupts locked from the call to the look at it"
        diagnostics.warning("C248", Span(users[0]), cause, remedy)


def _check_entries(image: Image, units: list[_Unit], diagnostics: Diagnostics) -> None:
    """What the schedule names must be defined by the application (C090), and like a hook with C's linkage (C193).

    A handler of the application's own must be of a vector that the system does not use (C244).
    """
    system = image.system
    files: dict[str, str] = {}  # symbol -> file
    for unit in units:
        if unit.application and unit.target.is_file():
            files |= {name.removeprefix(HANDLER): unit.source.name for name in defined_functions(unit.target)}
    for vector in {v.source: v for mode in image.vectors for v in mode}.values() if system.board.vectors == "code" else ():
        if str(vector.source) in files:
            diagnostics.error(
                "C244",
                Span(files[str(vector.source)]),
                f"the application's ISR for vector {vector.source} would never run: the system uses that vector for "
                f"'{vector.object}'",
                "use a timer whose cells the plan does not use (carillon plan shows them), or reserve the cell",
            )
    defined = set(files)
    where = f"not defined in {', '.join(s.name for s in system.sources)}"
    if not system.sources:
        where = f"defined nowhere: there is no C file beside {system.file}, and none in src or ../src"
    named: list[tuple[str, str, Span]] = [("task", t.entry, t.span) for t in system.tasks]
    named += [("interrupt", i.handler, i.span) for i in system.interrupts]
    called = [function for _, function, _ in named]
    called += [name for name in _SIGNATURES if name.startswith("tt")] if system.modes else []
    called += [_HOOKS[hook][0] for hook in Hook if hook in system.osek.hooks] if system.osek is not None else []
    foreign = {name: symbol for name in called if name not in defined and (symbol := _mangled(name)) in defined}
    for function, symbol in foreign.items():
        cause = f"'{function}' has C++'s linkage here, so that the kernel does not find it"
        remedy = f"include {'os.h' if function in dict(_HOOKS.values()) else 'carillon/osektime.h'} before its definition"
        diagnostics.error("C193", Span(files[symbol]), cause, remedy)
    for kind, function, span in named:
        if function not in defined and function not in foreign:
            cause = f"the {kind}'s function '{function}' is {where}"
            remedy = f"define 'void {function}(void)', or name another function; {suggestion(function, defined)}"
            diagnostics.error("C090", span, cause, remedy)
    if system.osek is None:
        return
    for hook in sorted(system.osek.hooks, key=lambda hook: hook.value):
        name, parameters = _HOOKS[hook]
        if name in defined or name in foreign:
            continue
        if any(function.startswith(f"_Z{len(name)}{name}") for function in defined):  # a C++ function beside the declared one
            _report_hook(name, system.osek.span, diagnostics)
        else:
            cause = f"the hook {name} is {where}"
            remedy = f"define '{_RESULTS.get(name, 'void')} {name}({parameters})', or take \"{hook.value}\" out of the hooks"
            diagnostics.error("C090", system.osek.span, cause, remedy)
    missed = "carillon_thread_missed"
    if any(t.deadline for t in system.osek.tasks) and missed not in defined and missed not in foreign:
        thread = next(t for t in system.osek.tasks if t.deadline)
        remedy = f"define 'void {missed}(TaskType thread)', or take the deadline of thread '{thread.name}' out"
        diagnostics.error("C090", thread.span, f"the function {missed} is {where}", remedy)
    bodies = [("thread" if t.thread else "task", "task", t.name, t.span) for t in system.osek.tasks if not t.new]
    bodies += [("ISR", "isr", i.name, i.span) for i in system.osek.isrs]
    bodies = bodies if system.giotto is None else []  # the tool writes them
    for kind, prefix, name, span in bodies:
        if f"carillon_{prefix}_{name}" not in defined:
            others = [f.removeprefix(f"carillon_{prefix}_") for f in defined if f.startswith(f"carillon_{prefix}_")]
            body = f"{kind.upper()}({name})"
            diagnostics.error("C090", span, f"{body} is {where}", f"define it: {body} {{ ... }}; {suggestion(name, others)}")


def write_generated(image: Image, folder: Path) -> Path:
    """Write the generated files and the manifest into ``folder/generated``; unchanged files are left alone."""
    generated = folder / "generated"
    for name, text in emit(image).items():
        write_text(generated / name, text)
    write_text(generated / MANIFEST, as_text(image, generated))
    return generated


_LINKER = {
    # avr-gcc measures a branch wrong now and then, by a word, in code that is all its own.
    r"undefined reference to [`']ttStartOS'": "call StartOS, with an application mode: the schedule has no rounds",
    r"undefined reference to [`']StartOS'": "call ttStartOS, with an application mode: the schedule has nothing event-triggered",
    "R_AVR_7_PCREL": "write the function that is named otherwise: the compiler took a branch in it for shorter than it is",
    r"not within region|overflowed by|will not fit in region": "use less memory: fewer or smaller variables and functions, or "
    "fewer points in a table, which is among the variables on AVR; or choose a board with more of it",
}
"""What would be right, by what the linker says."""


def _check_started(system: System, elf: Path, diagnostics: Diagnostics) -> None:
    """C318: the application has a ``main`` of its own, which never starts what the schedule says."""
    linked = symbols(elf)
    wanted = "ttStartOS" if system.modes else "StartOS"
    if wanted in linked:
        return
    cause = f"nothing calls {wanted}, so the application's main never starts what the schedule says"
    remedy = f"call {wanted} at the end of main, with an application mode, or leave main out"
    if system.modes and "StartOS" in linked:
        cause = "the application's main calls StartOS, and nothing calls ttStartOS: the rounds never start"
        remedy = "call ttStartOS instead, or leave main out: its idle task calls StartOS"
    diagnostics.error("C318", Span(system.file.name), cause, remedy)


def _check_stacks(image: Image, elf: Path, diagnostics: Diagnostics) -> tuple[StackBound, ...]:
    """The bounds of the stacks; C330: one is too small; C331: what [stacks] names is not in the image."""
    system, hints = image.system, image.system.stacks
    tasks = {task.name: task for task in system.osek.tasks} if system.osek is not None else {}
    found = stack_bounds(image, elf)
    for stack in found:
        fits, needed, listed = stack.fits_calls, stack.calls, stack.calls_chain
        if fits and hints.refuse is Refuse.BOUND:
            fits, needed, listed = stack.fits, stack.bound, stack.chain
        if fits or hints.refuse is Refuse.NONE:
            continue
        task = tasks.get(stack.name)
        whose = f"task '{stack.name}'" if task is not None else "handlers, and of all that has no stack of its own,"
        how = "its own calls take" if listed is stack.calls_chain else "with what may interrupt, these may take"
        cause = f"the stack of {whose} has {stack.size} bytes, and {how} {needed}: "
        cause += ", ".join(f"{name} {size}" for name, size in listed)
        wanted = stack.bound if stack.bound is not None else needed
        remedy = f"give it {wanted} bytes with 'stack'" + ("" if stack.bound is not None else ", and room for what interrupts it")
        if task is None:
            remedy = "use less memory for variables, or fewer levels that interrupt each other"
        diagnostics.error("C330", task.span if task is not None else Span(system.file.name), cause, remedy)
    named = {*hints.calls, *hints.recursion, *(target for targets in hints.calls.values() for target in targets)}
    for name in sorted(named - symbols(elf).keys()):
        cause = f"[stacks] names '{name}', and the image has no such function: it was inlined or left out, or is spelt otherwise"
        remedy = f"name a function of the image, or leave it out; {suggestion(name, defined_functions(elf))}"
        diagnostics.warning("C331", Span(system.file.name), cause, remedy)
    return found


def build(
    image: Image, folder: Path, diagnostics: Diagnostics, *, verified: bool = True, options: Sequence[str] = ()
) -> Firmware | None:
    """Build into ``folder``; ``verified``: compare the image with the schedule, and leave none that differs.

    ``options`` are given to the compiler, after all others.

    Reports C090 (a function that the schedule names is missing), C091 (the compiler refuses something),
    C092 (no compiler), C193 (a function with the linkage of C++), C194 (no console), C203 (a hook with other parameters),
    C244 (an ISR of a vector that is used), C318 (nothing starts the system),
    C330 (a stack is too small) or C204 to C209 (the image is not what the schedule says), and returns None then.
    Warns with C331 of a name that [stacks] has and the image has not, with C098 of what the compiler warns, and with C248 of an
    ``errno`` that tasks share.
    """
    system = image.system
    compiler = _find_compiler(system, diagnostics)
    if compiler is None:
        return None
    generated = write_generated(image, folder)
    (folder / "objects").mkdir(parents=True, exist_ok=True)
    units = _units(image, generated, folder, options)
    reuse = Reuse()
    compiled = _compile_all(compiler, units, reuse)
    if system.board.port == "avr" and any(u.application and u.target.is_file() and selects_flash(u.target) for u in units):
        units = _units(image, generated, folder, (*options, "-DCARILLON_RAMPZ=1"))
        compiled = _compile_all(compiler, units, reuse)
    if not _all_made(units, compiled, system, diagnostics):
        return None
    _check_entries(image, units, diagnostics)
    if diagnostics.errors:
        return None
    _check_errno(system, units, diagnostics)
    elf = folder / f"{system.name}.elf"
    plan = manifest(image, generated)
    command = [compiler, *plan["link_options"], *(str(u.target) for u in units), "-o", str(elf)]
    if plan["linker_script"]:
        command += ["-T", str(located(str(plan["linker_script"]), generated))]
    command += [str(generated / name) for name in plan["linker_inputs"]]
    result = link(command, elf)
    if result.returncode:
        if _lacks_library(result.stderr, system, diagnostics):
            return None
        if re.search(r"undefined reference to [`']carillon_console_put'", result.stderr):
            diagnostics.error(
                "C194",
                Span(system.file.name),
                f"the application prints, and nothing says how board '{system.board.name}' does",
                "define void carillon_console_put(char byte), of carillon/console.h, in a file of the board or the application",
            )
            return None
        remedy = next((advice for said, advice in _LINKER.items() if re.search(said, result.stderr)), "define what it misses")
        diagnostics.error("C091", Span(system.file.name), f"the linker refuses it:\n{result.stderr.rstrip()}", remedy)
        return None
    if verified:
        _check_started(system, elf, diagnostics)
    proved = verify(system, elf, diagnostics, image.allocation.kernel) if verified and not diagnostics.errors else None
    stacks = _check_stacks(image, elf, diagnostics) if not diagnostics.errors and not system.board.native else ()
    if diagnostics.errors:
        elf.unlink()
        return None
    debugger = orti(image, symbols(elf))
    if debugger is not None:
        write_text(elf.with_suffix(".ort"), debugger)
    flash, vectors, ram = sizes(elf)
    images = () if system.board.native else _images(elf, system, diagnostics)
    if images is None:
        return None
    steps = Steps(
        tuple((tuple(_command(compiler, unit)), unit.target) for unit in units),
        tuple(command),
        (system.board.build.compiler, *(() if system.board.native else (system.board.build.objcopy,))),
    )
    return Firmware(elf, folder, flash, vectors, ram, images, proved, steps, stacks)


def built_elsewhere(image: Image, elf: Path, diagnostics: Diagnostics) -> Firmware | None:
    """An image that another build made, compared with the schedule.

    Reports C209 (there is no such image) or C204 to C209 (the image is not what the schedule says), and returns None then.
    """
    if not elf.is_file():
        diagnostics.error("C209", None, f"there is no image '{elf}'", "build it first, or name another one with --elf")
        return None
    proved = verify(image.system, elf, diagnostics, image.allocation.kernel)
    return None if diagnostics.errors else Firmware(elf, elf.parent, *sizes(elf), verified=proved)


def _images(elf: Path, system: System, diagnostics: Diagnostics) -> tuple[Path, ...] | None:
    """Write the ELF as HEX, as BIN and, if the board has a family, as UF2; None after C092 (no objcopy) or C091 (it refuses)."""
    name = system.board.build.objcopy
    tool = _program(name, system, diagnostics)
    if tool is None:
        return None
    images = []
    for suffix, form in ((".hex", "ihex"), (".bin", "binary")):
        image = elf.with_suffix(suffix)
        result = subprocess.run(
            [tool, "-O", form, str(elf), str(image)], capture_output=True, text=True, errors="replace", check=False
        )
        if result.returncode:
            image.unlink(missing_ok=True)
            diagnostics.error(
                "C091", Span(system.file.name), f"{name} refuses the ELF:\n{result.stderr.rstrip()}", "mend what it names"
            )
            return None
        images.append(image)
    flash = system.board.flash
    if flash is not None and flash.uf2_family is not None:
        image = elf.with_suffix(".uf2")
        write_bytes(image, uf2.encode(read_elf(elf).loaded, flash.uf2_family))
        images.append(image)
    return tuple(images)
