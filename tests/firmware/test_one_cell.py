# SPDX-License-Identifier: Apache-2.0
"""A board may have one cell of a family: the macros of its registers are constants then, and do not use their argument."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from laboratory import ROOT

from building import build
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan

BOARDS = {
    "aspeed": "ast1030-evb",
    "avr16": "arduino-uno",
    "avr8": "arduino-uno",
    "cmsdk": "mps2-an385",
    "dualtimer": "mps2-an385",
    "mtime": "qemu-rv32-virt",
    "systick": "mps2-an385",
    "virtual": "virtual-ast1030-evb",
}
"""Of each family, a board that has it."""
ROUND = """
[task.a]
period = "1ms"
wcet = "100us"
"""
DEADLINE = ROUND + 'deadline = "500us"\n'
POINTS = """
[task.a]
wcet = "100us"
[task.b]
wcet = "100us"
[mode.only]
round = "8ms"
window = "wcet"
points = [{ at = "1ms", activate = "a" }, { at = "3ms", activate = "b" }, { at = "6ms", activate = "a" }]
"""
ALARM = """
[osek.task.a]
priority = 1
[osek.isr.b]
source = "soft"
category = 2
[osek.counter.C]
tick = "1ms"
[osek.alarm.Y]
counter = "C"
activate = "a"
static = true
autostart = { at = 4, cycle = 4 }
"""
CLOCK = """
[time]
clock = "{}"
[thread.c]
priority = 1
"""
USES = {
    "round": ROUND,
    "deadline": DEADLINE,
    "points": POINTS,
    "alarm": ALARM,
    **{kind: CLOCK.format(kind) for kind in ("one-shot", "compare")},
}
_ROUND = '#include "carillon/osektime.h"\nttTASK(a) {}\n'
_CLOCK = '#include "carillon/time.h"\nTHREAD(c)\n{\n    for (;;) {\n        carillon_delay(5u);\n    }\n}\n'
BODIES = {
    "round": _ROUND,
    "deadline": _ROUND,
    "points": f"{_ROUND}ttTASK(b) {{}}\n",
    "alarm": '#include "os.h"\nTASK(a)\n{\n    TerminateTask();\n}\nISR(b) {}\n',
    "one-shot": f'#include "os.h"\n{_CLOCK}',
    "compare": f'#include "os.h"\n{_CLOCK}',
}


def toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {toml(item)}' for key, item in value.items())} }}"
    return f"[{', '.join(map(toml, value))}]" if isinstance(value, list) else json.dumps(value)


def first(value: Any) -> Any:
    """Of the values of an array's registers, that of its first cell."""
    return value[0] if isinstance(value, list) else value["first"] if isinstance(value, dict) else value


def one(array: dict[str, Any]) -> dict[str, Any]:
    """An array with nothing but its first cell."""
    registers = {key: first(value) for key, value in array.get("registers", {}).items()}
    names = {"names": array["names"][:1], "sources": array["sources"][:1]}
    return {**array, **names, **({"registers": registers} if registers else {})}


def board(folder: Path, base: str, families: Iterable[str]) -> Path:
    """A board with one cell of each of these families, or of all that the other has, and one source that software requests."""
    data = tomllib.loads((ROOT / "boards" / base / "board.toml").read_text(encoding="utf-8"))
    data.pop("interrupts", None)
    arrays = {array["family"]: one(array) for array in reversed(data["cells"])}
    data["cells"] = [array for family, array in arrays.items() if not families or family in families]
    source = next(iter(data["application_sources"].values()))
    data["application_sources"] = {"soft": source}
    if "requests" in data:
        requests = next(r for r in data["requests"] if source in r["sources"])
        pins = {**requests["pins"], "bits": requests["pins"]["bits"][:1]}
        data["requests"] = [requests | {"sources": [source], "bits": requests["bits"][:1], "pins": pins}]
    for key in ("linker_script", "sources"):
        if key in data["build"]:
            files = data["build"][key]
            own = ROOT / "boards" / base
            data["build"][key] = str(own / files) if isinstance(files, str) else [str(own / file) for file in files]
    path = folder / "mine/board.toml"
    path.parent.mkdir()
    path.write_text("".join(f"{key} = {toml(value)}\n" for key, value in {**data, "name": "mine"}.items()), encoding="utf-8")
    return path


CASES = [
    *(("round", family, True, "carillon") for family in BOARDS),
    *(("deadline", family, False, "carillon") for family in BOARDS if family not in ("mtime", "virtual")),
    *(("points", family, True, "conventional") for family in ("aspeed", "avr16", "mtime", "virtual")),
    *(("alarm", family, family != "avr8", "carillon") for family in BOARDS),
    *(("one-shot", family, True, "carillon") for family in ("aspeed", "avr16", "cmsdk", "virtual")),
    *(("compare", family, True, "carillon") for family in ("avr16", "mtime", "virtual")),
]
"""What one cell can be used for, alone or beside one of each other family of its board."""


@pytest.mark.parametrize(("use", "family", "alone", "kernel"), CASES, ids=[f"{use}-{family}" for use, family, *_ in CASES])
def test_a_board_with_one_cell_of_a_family_builds(tmp_path: Path, use: str, family: str, alone: bool, kernel: str) -> None:
    schedule = tmp_path / "schedule.toml"
    schedule.write_text(f'[system]\nname = "one"\nsources = ["main.c"]\n{USES[use]}', encoding="utf-8")
    (tmp_path / "main.c").write_text(BODIES[use], encoding="utf-8")
    diagnostics = Diagnostics()
    own = board(tmp_path, BOARDS[family], (family,) if alone else ())
    image = plan(schedule, diagnostics, str(own), kernel).image
    assert build(image, tmp_path / "build", diagnostics) is not None, [str(each) for each in diagnostics.in_order()]
    assert not diagnostics.reported
