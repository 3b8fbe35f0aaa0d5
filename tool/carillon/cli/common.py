# SPDX-License-Identifier: Apache-2.0
"""What the commands share: their options, where findings go, and exit codes."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from carillon import console
from carillon.cli import options
from carillon.diagnostics import CarillonError, Diagnostic, Diagnostics, Severity, Span, suggestion
from carillon.sources import ARXML, GIOTTO, OIL, Including, Source, arxml_files

if TYPE_CHECKING:
    from rich.console import Console

    from carillon.model.giotto import Giotto, Machine
    from carillon.pipeline import Planned


SCHEDULE = "schedule.toml"


@dataclass
class Report:
    """The receiver of a command's findings and its result."""

    as_json: bool
    diagnostics: Diagnostics
    code: int = 0
    """What the command exits with if nothing has failed."""
    printed: bool = False
    """Whether the JSON has been printed, with all that was found."""

    def status(self, text: str) -> None:
        """Progress, on standard error, for a person."""
        if not self.as_json and sys.stderr.isatty():
            console.console(stderr=True).print(console.heading(f"{text} ...", "", "", "dim"))

    def refuse(self, code: str, cause: str, remedy: str) -> NoReturn:
        """Report an error of no place in a file, and end."""
        self.diagnostics.error(code, None, cause, remedy)
        raise CarillonError(self.diagnostics.in_order())

    def warnings(self) -> None:
        """Print the warnings so far, for a person; errors are printed at the end, and make the command fail."""
        if not self.as_json:
            errors = self.diagnostics.errors
            console.diagnostics([d for d in self.diagnostics.in_order() if d not in errors])
            self.diagnostics.reported[:] = errors

    def say(self, *lines: str) -> None:
        """Print the warnings so far, and then these lines as they are, for a person."""
        self.warnings()
        for line in lines if not self.as_json else ():
            console.verbatim(console.console(), line)

    def show(self, render: Callable[[Console], None]) -> None:
        """Print the warnings so far, and then the output of a function, for a person."""
        if not self.as_json:
            self.warnings()
            render(console.console())

    def result(self, value: dict[str, Any]) -> None:
        """Print the command's JSON."""
        if self.as_json:
            value["diagnostics"] = [d.as_json() for d in self.diagnostics.in_order()]
            print(json.dumps(value, indent=2))
            self.printed = True


def counted(number: int, thing: str) -> str:
    """A number of things, in words."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _fail(report: Report, diagnostics: list[Diagnostic]) -> NoReturn:
    if report.as_json:
        if not report.printed:
            print(json.dumps({"diagnostics": [d.as_json() for d in diagnostics]}, indent=2))
    else:
        console.diagnostics(diagnostics)
        errors = sum(d.severity is Severity.ERROR for d in diagnostics)
        code = next((d.code for d in diagnostics if d.severity is Severity.ERROR), "")
        if errors:
            more = f"; carillon explain {code} says more" if code else ""
            console.console(stderr=True).print(console.heading(counted(errors, "error"), more, ""))
    raise typer.Exit(1)


def reporting(work: Callable[..., None]) -> Callable[..., None]:
    """A command from a function whose first argument is a report; the command has the option ``--json`` in its place."""

    def command(as_json: bool, **given: object) -> None:
        _guard(as_json, lambda report: work(report, **given))

    signature = inspect.signature(work, eval_str=True)
    _, *parameters = signature.parameters.values()
    parameters.append(inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=options.Json))
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    command.__doc__ = work.__doc__
    return command


def _guard(as_json: bool, work: Callable[[Report], None]) -> None:
    """Run a command's work; turn every expected failure into a message and an exit code."""
    report = Report(as_json, Diagnostics())
    try:
        work(report)
        if report.diagnostics.errors:
            _fail(report, report.diagnostics.in_order())
    except CarillonError as error:
        _fail(report, list(error.diagnostics))
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        remedy = "check the path, its permissions and the free space"
        _fail(report, [Diagnostic("C096", None, f"{name}{error.strerror or error}", remedy)])
    report.warnings()
    if report.code:
        raise typer.Exit(report.code)


def diagnostic(fields: dict[str, Any]) -> Diagnostic:
    """A finding from its JSON (:meth:`Diagnostic.as_json`)."""
    span = Span(fields["file"], fields["line"], fields["column"]) if fields["file"] is not None else None
    return Diagnostic(fields["code"], span, fields["cause"], fields["remedy"], Severity(fields["severity"]))


def usage(message: str) -> NoReturn:
    """Say what is wrong with the command line, and end with 2."""
    console.console(stderr=True).print(console.heading("usage", f": {message}", "", "bold red"))
    raise typer.Exit(2)


def in_folder(path: Path) -> Path:
    """The schedule of a folder, or the file itself."""
    return path / SCHEDULE if path.is_dir() else path


def schedule_file(paths: list[Path] | None, include: list[Path] | None = None) -> Source:
    """What the arguments name: a file, or ARXML files that are one configuration, of a folder that has no schedule too.

    ``include``: folders in which an OIL file's includes are looked for, too.
    """
    source = _schedule_file(paths)
    if not include:
        return source
    if not (isinstance(source, Path) and source.suffix.lower() == OIL):
        usage(f"-I is for files that an OIL file (*{OIL}) includes; folders of C headers are 'include' of [system]")
    return Including(source, tuple(include))


def _schedule_file(paths: list[Path] | None) -> Source:
    if not paths:
        return Path(SCHEDULE)
    from carillon.read.network import network_file

    if len(paths) == 1 and network_file(paths[0]) is not None:
        usage(f"'{paths[0]}' is a network, which run and show take; name the schedule of one of its nodes")
    if len(paths) > 1:
        other = next((path for path in paths if path.suffix.lower() != ARXML), None)
        if other is not None:
            usage(f"only ARXML files (*{ARXML}) may be several that are one configuration; '{other}' is none by its name")
        return tuple(paths)
    schedule = in_folder(paths[0])
    return schedule if schedule.exists() or not arxml_files(paths[0]) else paths[0]


def check_kernel(name: str) -> str:
    """Refuse a name that is no kernel's."""
    from carillon.pipeline import KERNELS

    if name not in KERNELS:
        usage(f"no kernel '{name}': {suggestion(name, KERNELS)}")
    return name


def check_machine(name: str, source: Source) -> Machine:
    """The machine of a Giotto program; refuses unknown names, and cells for other files."""
    from carillon.model.giotto import Machine

    names = [machine.value for machine in Machine]
    if name not in names:
        usage(f"no machine '{name}': {suggestion(name, names)}")
    machine = Machine(name)
    if machine is not Machine.MICROCODE and not (isinstance(source, Path) and source.suffix.lower() == GIOTTO):
        usage(f"--machine {name} is for Giotto programs, whose names end with '{GIOTTO}'")
    return machine


def asked(paths: list[Path] | None, include: list[Path] | None, machine: str) -> tuple[Source, Machine]:
    """The source that the arguments name, and the machine for it."""
    source = schedule_file(paths, include)
    return source, check_machine(machine, source)


def read_checked(path: Path, diagnostics: Diagnostics) -> Giotto:
    """A Giotto program without errors."""
    from carillon.frontends.giotto.reading import read_giotto
    from carillon.frontends.giotto.rules import check_giotto

    source = read_giotto(path, diagnostics)
    if source is not None:
        check_giotto(source, diagnostics)
    return diagnostics.required(source)


def check_outputs(inputs: Sequence[Path] = (), only_files: bool = False, **outputs: Path | None) -> None:
    """Refuse what cannot be written (C096) before any work is done for it; outputs are named as their options are.

    ``inputs``: files that the command reads, none of which it may write.  ``only_files``: --out names a file.
    """
    from carillon.files import check_writable

    diagnostics: list[Diagnostic] = []
    seen: dict[Path, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        is_folder, is_socket = option in ("out", "ctf") and not only_files, option == "serial"
        other = seen.setdefault(path.resolve(), option)
        if other != option:
            usage(f"--{other} and --{option} name the same file, '{path}'")
        if any(path.resolve() == given.resolve() for given in inputs):
            usage(f"--{option} would overwrite '{path}', which is read")
        try:
            check_writable(path, folder=is_folder, socket=is_socket)
        except OSError as error:
            where = "" if error.filename == str(path) else f" ('{error.filename}')"
            remedy = f"name a {'folder' if is_folder else 'file'} that can be written, in a folder that exists"
            remedy = "name a socket, or something that does not exist" if is_socket else remedy
            diagnostics.append(Diagnostic("C096", None, f"--{option} '{path}': {error.strerror}{where}", remedy))
    if diagnostics:
        raise CarillonError(diagnostics)


def check_new(out: Path | None, force: bool) -> None:
    """Refuse a new file that exists (C097) unless ``force``, or whose folder cannot be written (C096)."""
    if out is None:
        return
    if out.exists() and not force:
        remedy = "choose another name, or overwrite it with --force"
        raise CarillonError([Diagnostic("C097", None, f"'{out}' exists already", remedy)])
    check_outputs(out=out.parent)


def build_folder(planned: Planned, kernel: str, out: Path | None) -> Path:
    """Where an application is built."""
    return out or planned.system.file.parent / "build" / planned.system.folder(kernel)


def ticks_of(text: str, hz: int, option: str) -> int:
    """A time of the command line, at least a tick, in ticks of a clock."""
    from carillon.units import parse_time

    try:
        ticks = parse_time(text).ticks(hz)
    except ValueError as error:
        usage(f"{option} '{text}': {error}")
    if ticks < 1:
        usage(f"{option} '{text}' is less than a tick")
    return int(ticks)
