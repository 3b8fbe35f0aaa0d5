# SPDX-License-Identifier: Apache-2.0
"""Every switch of the kernel is in each image; what is compiled without the tool has the same values for what it lacks."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from carillon.diagnostics import Diagnostics
from carillon.emit.text import value
from carillon.image.registry import OFF, OSEK_OFF
from carillon.image.switches import switches
from carillon.pipeline import plan

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "tests" / "config" / "carillon_off.h"


def off() -> str:
    """A header that gives each switch that is not defined the value that the tool writes of an image without its part."""
    lines = [
        "/* SPDX-License-Identifier: Apache-2.0",
        " *",
        " * What switches are in an image without their part, for what is compiled without the tool: tests/tool/test_switches.py",
        " * writes it (CARILLON_GOLDEN=write). */",
        "#ifndef CARILLON_OFF_H",
        "#define CARILLON_OFF_H",
        "",
    ]
    for name, said in (OFF | OSEK_OFF).items():
        plain, _, argument = name.partition("(")
        comment = f"    (void)({argument[:-1]})" if argument and "level" not in argument else ""
        lines += [f"#ifndef {plain}", f"#define {name} {value(said, name)}{comment}", "#endif"]
    return "\n".join([*lines, "", "#endif", ""])


def test_what_is_compiled_without_the_tool_has_the_values_that_the_tool_writes() -> None:
    if os.environ.get("CARILLON_GOLDEN") == "write":
        HEADER.write_text(off(), encoding="ascii")
    assert HEADER.read_text(encoding="ascii") == off()


@pytest.mark.parametrize("schedule", sorted(ROOT.glob("examples/*/schedule.toml")), ids=lambda path: path.parent.name)
def test_an_image_has_each_switch(schedule: Path) -> None:
    image = plan(schedule, Diagnostics()).image
    found = switches(image)
    assert set(OFF) <= set(found["carillon_config.h"])
    assert image.osek is None or set(OSEK_OFF) <= set(found["carillon_osek.h"])


def test_the_kernel_asks_for_values_and_never_whether_a_switch_is_there() -> None:
    known = {name.partition("(")[0] for name in OFF | OSEK_OFF}
    for path in sorted(
        [*(ROOT / "kernel").rglob("*.[ch]"), *(ROOT / "ports").rglob("*.[ch]"), *(ROOT / "cells").rglob("*.[ch]")]
    ):
        asked = set(re.findall(r"(?:#ifn?def +|defined\()(CARILLON_\w+)", path.read_text(encoding="utf-8")))
        assert not asked & known, path
