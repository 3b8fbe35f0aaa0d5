# SPDX-License-Identifier: Apache-2.0
"""``carillon build``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from carillon import console
from carillon.cli.common import (
    SCHEDULE,
    TIME_LIMIT,
    BoardOption,
    JsonOption,
    KernelOption,
    OutOption,
    Report,
    Schedule,
    TimeLimitOption,
    build_folder,
    check_kernel,
    check_outputs,
    guard,
    schedule_file,
)

EPILOG = "Example: carillon build examples/three-tasks --board mps2-an385 --kernel conventional"


def command(
    path: Schedule = Path(SCHEDULE),
    board: BoardOption = None,
    kernel: KernelOption = "carillon",
    out: OutOption = None,
    generate_only: Annotated[bool, typer.Option("--generate-only", help="Write the generated files, compile nothing.")] = False,
    depfile: Annotated[
        Path | None, typer.Option("--depfile", help="Write what the generated files are made from, as a rule for make or ninja.")
    ] = None,
    no_verify: Annotated[
        bool, typer.Option("--no-verify", help="Do not compare the image with the schedule (carillon verify).")
    ] = False,
    time_limit: TimeLimitOption = TIME_LIMIT,
    as_json: JsonOption = False,
) -> None:
    """Build firmware: generated tables and vectors, kernel, port, cells and application."""
    check_kernel(kernel)

    def work(report: Report) -> None:
        from carillon import pipeline
        from carillon.build import build as build_firmware
        from carillon.build import write_generated
        from carillon.build.manifest import MANIFEST
        from carillon.files import depfile as depends
        from carillon.files import write_text

        check_outputs(out=out, depfile=depfile)
        report.status("allocating")
        planned = pipeline.plan(schedule_file(path), report.diagnostics, board, kernel, time_limit)
        folder = build_folder(planned, kernel, out)
        if generate_only or depfile is not None:
            generated = write_generated(planned.image, folder)
        if depfile is not None:
            write_text(depfile, depends(generated / MANIFEST, planned.system.inputs))
        if generate_only:
            report.result({"generated": str(generated)})
            if not as_json:
                console.verbatim(console.console(), f"wrote {generated}")
            return
        report.status("compiling")
        firmware = build_firmware(planned.image, folder, report.diagnostics, verified=not no_verify)
        if firmware is None:
            return
        sizes: dict[str, Any] = {"elf": str(firmware.elf)} | {image.suffix[1:]: str(image) for image in firmware.images}
        sizes |= {"flash": firmware.flash, "vectors": firmware.vectors, "ram": firmware.ram}
        proved = firmware.verified
        sizes["verified"] = proved.as_json() if proved is not None else None
        report.result(sizes)
        if not as_json:
            report.warnings()
            console.verbatim(
                console.console(),
                f"{firmware.elf}: flash {firmware.flash} bytes and {firmware.vectors} of vectors, "
                f"RAM {firmware.ram} bytes beside the stack",
            )
            console.verbatim(console.console(), proved.line() if proved is not None else "not verified (--no-verify)")

    guard(as_json, work)
