# SPDX-License-Identifier: Apache-2.0
"""``carillon build``."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from os.path import normpath
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from carillon.cli import options
from carillon.cli.built import question, recalled
from carillon.cli.common import Report, build_folder, check_kernel, check_machine, check_outputs, diagnostic, schedule_file, usage
from carillon.cli.settings import write_settings
from carillon.sources import ARXML, GIOTTO, Source, files_of, is_foreign

if TYPE_CHECKING:
    from carillon.model import System
    from carillon.model.giotto import Machine
    from carillon.model.stacks import StackBound

EPILOG = (
    "Examples: carillon build examples/three-tasks --board mps2-an385 --kernel conventional; "
    "carillon build --library --board stm32f4-discovery -o carillon"
)


def command(
    report: Report,
    paths: options.Schedule = None,
    board: options.Board = None,
    include: options.Include = None,
    kernel: options.Kernel = "carillon",
    machine: options.Machine = "microcode",
    out: options.Out = None,
    generate_only: Annotated[bool, typer.Option("--generate-only", help="Write the generated files, compile nothing.")] = False,
    depfile: Annotated[
        Path | None, typer.Option("--depfile", help="Write what the generated files are made from, as a rule for make or ninja.")
    ] = None,
    library: Annotated[
        bool, typer.Option("--library", help="Make an archive for a project with the vendor's start-up code, not an image.")
    ] = False,
    write_stacks: Annotated[
        bool,
        typer.Option(
            "--write-stacks",
            help="Write into the schedule the stack of each task and thread that has none, or less than its bound.",
        ),
    ] = False,
    no_verify: Annotated[
        bool, typer.Option("--no-verify", help="Do not compare the image with the schedule (carillon verify).")
    ] = False,
    time_limit: options.TimeLimit = options.TIME_LIMIT,
) -> None:
    """Build firmware: generated tables and vectors, kernel, port, cells and application."""
    from carillon.reuse import whole

    began, schedule = time.time_ns(), schedule_file(paths, include)
    if library:
        if generate_only or depfile is not None:
            usage("--library compiles: leave --generate-only and --depfile out")
        if write_stacks:
            usage("--write-stacks needs an image, as the bounds of a library's stacks are not known: leave --library out")
        check_kernel(kernel)
        _library(report, schedule, board, kernel, check_machine(machine, schedule), out, time_limit)
        return
    check_outputs(files_of(schedule), out=out, depfile=depfile)
    file = files_of(schedule)[0]
    if write_stacks:
        if generate_only:
            usage("--write-stacks needs an image: leave --generate-only out")
        if is_foreign(schedule) or file.suffix.lower() == GIOTTO:
            usage(f"--write-stacks writes into schedules (TOML), and '{file}' is none; carillon build says each bound")
        check_outputs(write=file)
    before = file.read_bytes() if write_stacks and file.is_file() else b""
    asked = question(schedule, board, kernel, check_machine(machine, schedule), out, not no_verify, time_limit)

    def build() -> dict[str, Any] | None:
        """The result of the build, which is recorded; None after errors."""
        from carillon import pipeline
        from carillon.build import build as build_firmware
        from carillon.build import write_generated
        from carillon.build.manifest import MANIFEST
        from carillon.files import Search, alone, write_text
        from carillon.files import depfile as depends

        report.status("allocating")
        planned = pipeline.plan(schedule, report.diagnostics, board, kernel, time_limit, machine=check_machine(machine, schedule))
        folder = build_folder(planned, kernel, out)
        with alone(folder):
            whole.forget(folder)
            if generate_only or depfile is not None:
                generated = write_generated(planned.image, folder)
            if depfile is not None:
                write_text(depfile, depends(generated / MANIFEST, planned.system.inputs))
            if generate_only:
                return {"found": [], "result": {"generated": str(generated)}, "lines": [f"wrote {generated}"]}
            report.status("compiling")
            firmware = build_firmware(planned.image, folder, report.diagnostics, verified=not no_verify)
            if firmware is None:
                return None
            sizes: dict[str, Any] = {"elf": str(firmware.elf)} | {image.suffix[1:]: str(image) for image in firmware.images}
            sizes |= {"flash": firmware.flash, "vectors": firmware.vectors, "ram": firmware.ram}
            proved = firmware.verified
            sizes["stacks"] = [stack.as_json() for stack in firmware.stacks]
            sizes["verified"] = proved.as_json() if proved is not None else None
            lines = [
                *_elsewhere(planned.system),
                f"{firmware.elf}: flash {firmware.flash} bytes and {firmware.vectors} of vectors, "
                f"RAM {firmware.ram} bytes beside the stack",
                proved.line() if proved is not None else "not verified (--no-verify)",
                *_stacks(firmware.stacks),
            ]
            answer = {"found": [d.as_json() for d in report.diagnostics.in_order()], "result": sizes, "lines": lines}
            report.diagnostics.reported.clear()
            others: tuple[str, ...] = (ARXML,) if isinstance(schedule, Path) and files_of(schedule) != [schedule] else ()
            others += (".scode", ".h") if planned.system.giotto is not None else ()
            searches = planned.system.searches + tuple(Search(planned.system.file.parent, f"*{ending}") for ending in others)
            inputs = whole.Inputs(planned.system.file, planned.system.inputs, searches)
            with suppress(OSError):  # without a record the next build does all again
                whole.note(folder, asked, inputs, firmware.steps, firmware.elf, answer, began)
            return answer

    answer = recalled(schedule, asked, out) if not generate_only and depfile is None else None
    if answer is None:
        check_kernel(kernel)
        answer = build()
    if answer is not None:
        report.diagnostics.reported += [diagnostic(found) for found in answer["found"]]
        written = _write_stacks(file, before, answer["result"]["stacks"], report) if write_stacks else []
        report.result(answer["result"])
        report.say(*answer["lines"], *written)


_LEAST, _EVEN = 128, 8
"""The least stack that a schedule may ask for, and of what each is a multiple, in bytes."""


def _write_stacks(file: Path, before: bytes, stacks: Sequence[Mapping[str, Any]], report: Report) -> list[str]:
    """Give each task and thread the stack that it needs, if its bound is known and it has none of its own or too little.

    The lines that say so; none after an error (C350).
    """
    schedule = tomllib.loads(before.decode())
    tables: dict[tuple[str, ...], Any] = {("thread", name): table for name, table in schedule.get("thread", {}).items()}
    tables |= {("osek", "task", name): table for name, table in schedule.get("osek", {}).get("task", {}).items()}
    bounds = {stack["name"]: stack["bound"] for stack in stacks if stack["bound"] is not None}
    wanted: dict[tuple[str, ...], dict[str, str | int]] = {}
    for path, table in tables.items():
        needs = max(_LEAST, -(-bounds.get(path[-1], 0) // _EVEN) * _EVEN)
        if path[-1] in bounds and table.get("stack", 0) < needs:
            wanted[path] = {"stack": needs}
    if not wanted:
        return ["Nothing was written: no stack is known to be absent from the schedule, or too small."]
    rows = [f"stack = {keys['stack']} of {path[-1]}" for path, keys in wanted.items()]
    if write_settings(file, before, wanted, ", ".join(rows), report) is None:
        return []
    return [f"wrote {file}:", *(f"  {row}" for row in rows), "Build it again."]


def _stacks(stacks: Sequence[StackBound]) -> list[str]:
    """The bounds of the stacks, and why some are not known, where any task has one of its own."""
    from carillon.stacks import MAIN

    if all(stack.name == MAIN for stack in stacks):
        return []
    known = [f"{stack.name} {stack.bound} of {stack.size}" for stack in stacks if stack.bound is not None]
    lines = [f"stacks use at most: {', '.join(known)} bytes"] if known else []
    for reason in dict.fromkeys(stack.reason for stack in stacks if stack.bound is None):
        names = ", ".join(stack.name for stack in stacks if stack.bound is None and stack.reason == reason)
        lines.append(f"stacks whose use is not known: {names}: {reason}")
    over = ", ".join(stack.name for stack in stacks if not stack.fits)
    return (
        [*lines, f"stacks that do not suffice if each level interrupts where the one below is deepest: {over}"] if over else lines
    )


def _library(
    report: Report, schedule: Source, board: str | None, kernel: str, machine: Machine, out: Path | None, time_limit: float
) -> None:
    """Make a library, and say of what it consists."""
    from carillon import pipeline
    from carillon.build.library import build_library, check_library
    from carillon.files import alone

    check_outputs(files_of(schedule), out=out)
    report.status("allocating")
    planned = pipeline.plan(schedule, report.diagnostics, board, kernel, time_limit, machine=machine)
    image = replace(planned.image, library=True)
    if not check_library(image, report.diagnostics):
        return
    folder = out or planned.system.file.parent / "build" / f"{planned.system.folder(kernel)}-library"
    report.status("compiling")
    with alone(folder):
        made = build_library(image, folder, report.diagnostics)
    if made is None:
        return
    report.result(
        {
            "archive": str(made.archive),
            "fragment": str(made.fragment),
            "include": str(made.include),
            "notes": str(made.notes),
            "interrupts": [{"number": number, "handler": handler} for number, handler in made.interrupts],
        }
    )
    report.say(
        f"{made.archive}: link it and {made.fragment.name}; headers in {made.include}",
        f"{made.notes}: what your project leaves to Carillon, and what it must set up",
    )


def _elsewhere(system: System) -> list[str]:
    """The C files and headers that were found by default, if they are not beside the schedule."""
    folder = system.file.parent
    if all(source.parent == folder for source in system.sources):
        return []
    listed = [", ".join(normpath(path) for path in paths) for paths in (system.sources, system.include)]
    return [f"C files: {listed[0]}" + (f"; headers in {listed[1]}" if system.include else "")]
