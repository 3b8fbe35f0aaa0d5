# SPDX-License-Identifier: Apache-2.0
"""The C code keeps MISRA C:2012's rules; every suppressed rule has a record, and every record is of a suppressed rule."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_suppressed_misra_rules_are_the_documented_ones() -> None:
    suppressions = (ROOT / "scripts" / "cppcheck-suppressions.txt").read_text(encoding="utf-8")
    suppressed = set(re.findall(r"^misra-c2012-(\d+\.\d+)", suppressions, re.MULTILINE))
    text = (ROOT / "docs" / "MISRA.md").read_text(encoding="utf-8")
    firmware, simulator = text.split("## The virtual controller")
    documented = {rule for row in re.findall(r"^\| ([\d., ]+) \|", firmware, re.MULTILINE) for rule in row.split(", ")}
    documented |= set(re.findall(r"\b\d+\.\d+\b", simulator))
    assert documented == suppressed


CHECK = ROOT / "scripts" / "check-c.sh"
CONFIGURATIONS = subprocess.run([CHECK, "--list"], capture_output=True, text=True, check=True).stdout.split()


PARTS = 16
"""Into so many parts the configurations are cut, of which a run has one by default."""


@pytest.mark.long
@pytest.mark.skipif(shutil.which("cppcheck") is None, reason="cppcheck is not installed")
@pytest.mark.parametrize("part", range(PARTS))
def test_cppcheck_and_its_misra_addon_find_nothing(part: int) -> None:
    for number in range(1 + part, 1 + len(CONFIGURATIONS), PARTS):
        found = subprocess.run([CHECK, "--only", str(number)], capture_output=True, text=True, check=False)
        assert found.returncode == 0, f"{number}, {CONFIGURATIONS[number - 1]}: {found.stdout}{found.stderr}"


def test_no_header_overrules_what_a_configuration_sets() -> None:
    """Without this, a configuration "with synchronisation" had none, and its code was never looked at."""
    told = set(re.findall(r"-D(\w+)", CHECK.read_text(encoding="utf-8")))
    overruled = []
    for header in sorted((ROOT / "tests/kernel").glob("*.h")):
        lines = header.read_text(encoding="utf-8").splitlines()
        for before, line in zip(["", *lines], lines, strict=False):
            name = line.split()[1] if line.startswith("#define ") else ""
            if name in told and before != f"#ifndef {name}":
                overruled.append(f"{header.name}: {name}")
    assert overruled == []


def test_each_configuration_is_listed() -> None:
    calls = re.findall(r"^(?:more )?check(?:_time)? ", CHECK.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(CONFIGURATIONS) == len(calls)
    assert set(CONFIGURATIONS) == {"host", "armv7m", "armv6m", "avr", "rv32", "rv32clic", "time"}
