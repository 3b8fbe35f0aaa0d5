# SPDX-License-Identifier: Apache-2.0
"""``carillon show``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from carillon.cli import options
from carillon.cli.capture import CaptureOptions, show_capture
from carillon.cli.common import Report, usage
from carillon.cli.live import show_live
from carillon.cli.network import show_asked
from carillon.cli.runs import Asked

EPILOG = "Example: carillon show examples/three-tasks --compare --html three-tasks.html --svg three-tasks.svg; "
EPILOG += 'of a chip: carillon show schedule.toml --from capture.csv --lane "Channel 0=current"'


def command(
    report: Report,
    paths: options.Schedule = None,
    board: options.Board = None,
    include: options.Include = None,
    kernel: options.Kernel = "carillon",
    machine: options.Machine = "microcode",
    compare: Annotated[bool, typer.Option("--compare", help="Run both kernels and show one above the other.")] = False,
    rounds: options.Rounds = None,
    time: options.For = None,
    window: options.Window = None,
    out: options.Out = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page with a timeline to zoom into.")] = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Write a picture.")] = None,
    perfetto: options.Perfetto = None,
    vcd: Annotated[Path | None, typer.Option("--vcd", help="Write a VCD file for a waveform viewer.")] = None,
    btf: options.Btf = None,
    ctf: options.Ctf = None,
    offsets: options.Offsets = None,
    record: options.Record = None,
    capture: Annotated[
        Path | None,
        typer.Option(
            "--from", help="Run nothing: show what was recorded of a chip: VCD, CSV, BTF, or the ring of [trace] (*.bin)."
        ),
    ] = None,
    live: Annotated[
        str | None,
        typer.Option(
            "--live", help="Run nothing: draw the stream of [trace] as it comes: a file, a FIFO, a device, - or tcp:HOST:PORT."
        ),
    ] = None,
    baud: Annotated[
        int | None, typer.Option("--baud", help="Of a serial line: its rate; that of the board's UART if absent.")
    ] = None,
    lane: Annotated[
        list[str] | None, typer.Option("--lane", help="Of a capture: a signal and its task, as in CH0=current; several times.")
    ] = None,
    sample_rate: Annotated[
        str | None, typer.Option("--sample-rate", help="Of a CSV file whose lines are samples: how many a second, as in 10MHz.")
    ] = None,
    least_delay: Annotated[
        str | None, typer.Option("--least-delay", help="Of a capture: what the least start delay is.", show_default="0 ticks")
    ] = None,
    elf: Annotated[
        Path | None, typer.Option("--elf", help="Of a dump of memory: the image, which says where the ring is.")
    ] = None,
    base: Annotated[
        str | None,
        typer.Option("--base", help="Of a dump of memory: the address of its first byte; the file's is the ring's if absent."),
    ] = None,
    stimuli: options.Stimuli = None,
    wait_states: options.WaitStates = 0,
    waveform: Annotated[
        Path | None,
        typer.Option(
            "--waveform", help="Write the signals of a board in RTL as a VCD file, of 500000 cycles from reset at most."
        ),
    ] = None,
    time_limit: options.TimeLimit = options.TIME_LIMIT,
) -> None:
    """Run, or read a capture, and show the timeline in the terminal, as a page, as a picture, or for other viewers."""
    given = CaptureOptions(lane or [], sample_rate, least_delay, elf, base)
    files = {"html": html, "svg": svg, "perfetto": perfetto, "vcd": vcd, "btf": btf, "ctf": ctf, "offsets": offsets}
    files |= {"waveform": waveform}
    told = (paths, board, include, kernel, machine, rounds, time, window, out, record, time_limit, files)
    asked = Asked(*told, compare=compare, stimuli=stimuli, wait_states=wait_states)
    if baud is not None and live is None:
        usage("--baud is for streams: give --live")
    if live is not None:
        if capture is not None:
            usage("give either --from or --live")
        show_live(live, baud, given, asked, report)
        return
    if capture is not None:
        show_capture(capture, given, asked, report)
        return
    given.refuse()
    if compare and waveform is not None:
        usage("--waveform is of one run, and --compare runs two")
    unfit = {"wait-states": wait_states or None, "waveform": waveform}
    show_asked(asked, report, compare=compare or None, vcd=vcd, stimuli=stimuli, **unfit)
