# SPDX-License-Identifier: Apache-2.0
"""``carillon giotto``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from carillon import console
from carillon.cli.common import JsonOption, Report, check_outputs, counted, guard

EPILOG = "Examples: carillon giotto flight.giotto --listing; carillon giotto flight.giotto -o flight.microcode"


def command(
    path: Annotated[Path, typer.Argument(help="Giotto program.")],
    listing: Annotated[bool, typer.Option("--listing", help="Print the E code, which the microcode assembler reads.")] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write the microcode to.", show_default="none")] = None,
    as_json: JsonOption = False,
) -> None:
    """Check a Giotto program and compile it to E code."""

    def work(report: Report) -> None:
        from carillon.check.giotto import check_giotto
        from carillon.files import write_bytes
        from carillon.giotto import compile_giotto
        from carillon.microcode.binary import encode
        from carillon.read.giotto import read_giotto

        check_outputs(out=out.parent if out is not None else None)
        source = read_giotto(path, report.diagnostics)
        if source is not None:
            check_giotto(source, report.diagnostics)
        report.diagnostics.stop_on_errors()
        assert source is not None
        compiled = compile_giotto(source, report.diagnostics)
        report.diagnostics.stop_on_errors()
        assert compiled is not None
        content = encode(compiled.program)
        if out is not None:
            write_bytes(out, content)
        modes = [
            {
                "mode": mode.name.text,
                "line": mode.name.span.line,
                "period_ms": mode.period,
                "units": mode.units,
                "invocations": sum(activity.frequency for activity in mode.invocations),
            }
            for mode in source.modes
        ]
        size = len(compiled.program.code)
        result = {"file": None if out is None else str(out), "instructions": size, "bytes": len(content), "modes": modes}
        report.result(result | ({"listing": compiled.listing()} if listing else {}))
        if as_json:
            return
        report.warnings()
        if listing:
            print(compiled.listing(), end="")
            return
        for mode in modes:
            said = f"mode {mode['mode']}: {mode['period_ms']} ms, {counted(int(str(mode['units'])), 'unit')}, "
            said += f"{counted(int(str(mode['invocations'])), 'invocation')} of tasks"
            console.verbatim(console.console(), said)
        said = f"{counted(size, 'instruction')}, {len(content)} bytes of microcode with its tables of names"
        console.verbatim(console.console(), said + (f", in {out}" if out is not None else ""))

    guard(as_json, work)
