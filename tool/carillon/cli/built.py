# SPDX-License-Identifier: Apache-2.0
"""What an earlier ``carillon build`` has found, if it would find the same again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from carillon.sources import files_of

if TYPE_CHECKING:
    from carillon.model.giotto import Machine
    from carillon.show.stacks import StackRow
    from carillon.sources import Source


def question(
    source: Source, board: str | None, kernel: str, machine: Machine, out: Path | None, verify: bool, time_limit: float
) -> dict[str, Any]:
    """What a build was asked for, as it is recorded."""
    asked = {"schedule": str(source), "board": board, "kernel": kernel, "out": str(out), "time_limit": time_limit}
    return asked | {"verify": verify, "machine": machine.value}


def recalled(source: Source, asked: Mapping[str, Any], out: Path | None) -> dict[str, Any] | None:
    """The answer of an earlier build to the question, if it would be the same; else None."""
    from carillon.reuse import whole

    ending = "-cells" if asked["machine"] == "cells" else ""
    folders = (files_of(source)[0].parent / "build").glob(f"*-{asked['kernel']}{ending}")
    return whole.recall([out] if out is not None else sorted(folders), asked)


def stacks_built(
    source: Source, board: str | None, machine: Machine, out: Path | None, time_limit: float
) -> tuple[StackRow, ...] | None:
    """The stacks that an earlier build has bounded; None: none has, or it would do so otherwise now."""
    from carillon.show.stacks import rows_of_json

    answer = recalled(source, question(source, board, "carillon", machine, out, True, time_limit), out)
    return rows_of_json(answer["result"]["stacks"]) if answer is not None else None
