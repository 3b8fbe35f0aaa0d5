# SPDX-License-Identifier: Apache-2.0
"""The command ``carillon``.

Exit codes: 0 success, 1 the input has errors, 2 the command line is wrong, 3 the run showed a missed
deadline, or an exceeded WCET, that ``--strict`` asked about.  With ``--json`` every command prints one JSON object on standard
output and diagnostics are part of it.
"""

from __future__ import annotations

import gc
import signal
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated

import typer

from carillon import __version__, console
from carillon.cli.common import reporting

COMMANDS = (
    "new check import_ export plan analyse wcet build verify flash run campaign debug show bench giotto microcode boards "
    "schema explain"
)
"""A file for each command, in the order in which the help has them."""

app = typer.Typer(
    name="carillon",
    help="Compile a real-time schedule into a microcontroller's timers and interrupt controller.",
    epilog="Start with: carillon new my-app; cd my-app; carillon run",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def _main(context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        print(f"carillon {__version__}")
        raise typer.Exit(0)
    if context.invoked_subcommand is None:
        print(context.get_help())


for _name in COMMANDS.split():
    _module = import_module(f"carillon.cli.{_name}")
    app.command(_name.rstrip("_"), epilog=_module.EPILOG)(reporting(_module.command))  # no file can be named import


def main() -> None:
    """Entry point: never a traceback for what a user can cause."""
    gc.disable()  # a command is short: to look for cycles among the events of a long run takes longer than it gains memory
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a locale that lacks a character hides no message
    console.settle_columns()
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # so that folders of a run are taken away, too
    try:
        app(prog_name="carillon")
    except KeyboardInterrupt:
        console.console(stderr=True).print("interrupted")
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
