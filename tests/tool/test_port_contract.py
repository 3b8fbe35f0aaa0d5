# SPDX-License-Identifier: Apache-2.0
"""The template port and the specification list what the kernel asks of a port, and nothing that no port has."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = re.compile(r"\b(?:carillon_port_[a-z_]+[a-z]|CARILLON_(?:STORE_[A-Z]+|[A-Z_]*VECTOR(?:S|_TABLE)|SYMBOL_PREFIX))\b")


def names(path: Path) -> set[str]:
    """What a file names of the port, comments apart."""
    return set(NAME.findall(re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)))


def declared(port: str) -> set[str]:
    return names(ROOT / "ports" / port / "carillon_port.h")


def test_the_template_declares_what_the_kernel_uses() -> None:
    used = {name for path in (ROOT / "kernel").rglob("*.[ch]") for name in names(path)}
    assert "carillon_port_resume" in used
    assert used - {"carillon_port_spend"} <= declared("template")  # of ports on which code takes no time


def test_whatever_the_template_declares_some_port_has() -> None:
    assert declared("template") <= declared("armv7m") | declared("host")


def test_the_specification_has_what_the_template_declares() -> None:
    section = (ROOT / "docs" / "SPEC.md").read_text(encoding="utf-8").partition("\n## Port\n")[2].partition("\n## ")[0]
    assert declared("template") <= set(NAME.findall(section))
