# SPDX-License-Identifier: Apache-2.0
"""The template port and the specification list what the kernel asks of a port, and each port has it, of the same types."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from carillon.diagnostics import Diagnostics
from carillon.emit import emit
from carillon.pipeline import plan

ROOT = Path(__file__).resolve().parents[2]
NAME = re.compile(r"\b(?:carillon_port_[a-z_]+[a-z]|CARILLON_(?:STORE_[A-Z]+|[A-Z_]*VECTOR(?:S|_TABLE)|SYMBOL_PREFIX))\b")


def names(path: Path) -> set[str]:
    """What a file names of the port, and what it includes of ports, comments apart."""
    text = path.read_text(encoding="utf-8")
    included = [ROOT / name for name in re.findall(r'^#include "(ports/[^"]*)"', text, re.MULTILINE)]
    own = NAME.findall(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
    return {name for other in included for name in names(other)}.union(own)


def declared(port: str) -> set[str]:
    return names(ROOT / "ports" / port / "carillon_port.h")


def test_the_template_declares_what_the_kernel_uses() -> None:
    used = {name for path in (ROOT / "kernel").rglob("*.[ch]") for name in names(path)}
    assert "carillon_port_resume" in used
    assert used - {"carillon_port_spend"} <= declared("template")  # of ports on which code takes no time


# What a port may lack: what only dispatch by the controller uses, microcode, slices, vector tables, what switches modes, and
# schedule tables on cells.
BY_CONTROLLER = {"is_active", "peek_active", "peek_pending", "claim", "level_of", "mask_until_end", "unmask"}
SLICES_BY_CONTROLLER = {"slice_vector", "turn_vector", "is_in"}
ROUND_BUDGETS = {"round_budget_vector", "preempted", "divert"}
BUDGETS = {"budget_vector"} | ROUND_BUDGETS
MICROCODE = {"exchange"}
SWITCHES = {"start_at", "shift"}
TABLES_ON_CELLS = {"read_and_start", "note_stop"}
TABLES = {"CARILLON_SYSTEM_VECTORS", "CARILLON_VECTOR_TABLE"}
GIVEN = {"run_above"}
LACKS = {
    "armv7m": GIVEN,
    "armv6m": (BY_CONTROLLER | SLICES_BY_CONTROLLER | BUDGETS | TABLES_ON_CELLS | SWITCHES)
    - {"level_of", "peek_pending", *ROUND_BUDGETS},
    "avr": (MICROCODE | BY_CONTROLLER | SLICES_BY_CONTROLLER | BUDGETS | TABLES_ON_CELLS | SWITCHES | TABLES | GIVEN)
    - ROUND_BUDGETS,
    "rv32": MICROCODE | BY_CONTROLLER | SLICES_BY_CONTROLLER | BUDGETS | TABLES_ON_CELLS | SWITCHES | GIVEN,
    "rv32clic": GIVEN,
    "host": {"delay"} | GIVEN,  # code takes no time
}
BOARDS = {"armv7m": "ast1030-evb", "armv6m": "microbit", "avr": "atmega128", "rv32": "qemu-rv32-virt", "host": "virtual-256"}
BOARDS["rv32clic"] = "cv32e40x-rtl"
PROTOTYPE = re.compile(r"^(?P<type>\w+) (?P<name>carillon_port_\w+)\((?P<parameters>[^();]*)\)[^;]*;", re.MULTILINE)
MACROS = {
    "CARILLON_VECTOR_TABLE": 'CARILLON_VECTOR_TABLE("") static const char of_vectors[] = {0};',
    "CARILLON_SOURCE_BIT": "carillon_value of_bit(void) { return CARILLON_SOURCE_BIT(1); }",
    "CARILLON_SYMBOL_PREFIX": 'const char *of_prefix(void) { return "" CARILLON_SYMBOL_PREFIX; }',
    "carillon_vector": "carillon_vector of_vector(void);",
    "carillon_context": "struct carillon_context of_struct;",
    **{
        f"CARILLON_STORE_{kind}": f"const struct carillon_store of_{kind} = CARILLON_STORE_{kind}(1{bits});"
        for kind, bits in {"ENABLE": ", 2u", "DISABLE": ", 2u", "UNPEND": ", 2u", "ADMIT": ", 2u", "PEND": ""}.items()
    },
}
"""How each name that is no function is used."""


def uses() -> dict[str, str]:
    """By the name after carillon_port_, or a macro's: C that uses it as the template declares it."""
    template = (ROOT / "ports" / "template" / "carillon_port.h").read_text(encoding="utf-8")
    found = dict(MACROS)
    for it in PROTOTYPE.finditer(re.sub(r"/\*.*?\*/", "", template, flags=re.DOTALL)):
        name = it["name"].removeprefix("carillon_port_")
        declared = f"{it['type']} of_{name}({it['parameters']})"
        parameters = [] if it["parameters"] == "void" else it["parameters"].split(",")
        arguments = ", ".join(re.findall(r"\w+", parameter)[-1] for parameter in parameters)
        back = "" if it["type"] == "void" else "return "
        found[name] = f"{declared};\n{declared}\n{{\n    {back}{it['name']}({arguments});\n}}"
    assert len(found) > 50
    return found


def refusal(port: str, header: Path, folder: Path) -> str:
    """What the compiler of a port's board says of a file that uses all that the port must have."""
    schedule = folder / "schedule.toml"
    schedule.write_text(f'[system]\nboard = "{BOARDS[port]}"\n[task.A]\nperiod = "10ms"\nwcet = "1us"\n', encoding="utf-8")
    image = plan(schedule, Diagnostics()).image
    compiler = shutil.which(image.system.board.build.compiler)
    if compiler is None:
        pytest.skip(f"needs {image.system.board.build.compiler}")
    for name, text in emit(image).items():  # with all that the event-triggered kernel uses
        (folder / name).write_text(text.replace("CARILLON_OSEK 0", "CARILLON_OSEK 1"), encoding="utf-8")
    code = "\n".join(text for name, text in uses().items() if name.removeprefix("carillon_") not in LACKS.get(port, set()))
    (folder / "use.c").write_text(f'#include <stdbool.h>\n#include "{header}"\n{code}\n', encoding="utf-8")
    include = [f"-I{path}" for path in (folder, ROOT, ROOT / "kernel" / "api", ROOT / "ports" / port)]
    options = [*(str(o) for o in image.system.board.build.cflags), "-std=c11", "-fsyntax-only", "-Wall", "-Werror"]
    command = [compiler, *options, *include, str(folder / "use.c")]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


@pytest.mark.parametrize("port", BOARDS)
def test_every_port_has_what_the_template_declares(port: str, tmp_path: Path) -> None:
    assert refusal(port, ROOT / "ports" / port / "carillon_port.h", tmp_path) == ""
    names_of = {name.removeprefix("carillon_port_") for name in declared("template") - declared(port)}
    assert names_of == LACKS.get(port, set())


@pytest.mark.parametrize("name", ["set_level", "raise", "run_lowered", "halt"])
@pytest.mark.parametrize("port", BOARDS)
def test_a_port_that_lacks_a_name_is_refused(port: str, name: str, tmp_path: Path) -> None:
    text = (ROOT / "ports" / port / "carillon_port.h").read_text(encoding="utf-8")
    header = tmp_path / "lacking.h"
    header.write_text(re.sub(rf"\bcarillon_port_{name}\b", "carillon_other", text), encoding="utf-8")
    assert f"carillon_port_{name}" in refusal(port, header, tmp_path)


def test_all_ports_are_tried() -> None:
    ports = {path.parent.name for path in (ROOT / "ports").glob("*/carillon_port.h")}
    assert ports == {*BOARDS, "template"}


def test_whatever_the_template_declares_some_port_has() -> None:
    assert declared("template") <= declared("armv7m") | declared("armv6m") | declared("host")


def test_the_specification_has_what_the_template_declares() -> None:
    section = (ROOT / "docs" / "SPEC.md").read_text(encoding="utf-8").partition("\n## Port\n")[2].partition("\n## ")[0]
    assert declared("template") <= set(NAME.findall(section))
