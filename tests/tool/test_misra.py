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


@pytest.mark.long
@pytest.mark.skipif(shutil.which("cppcheck") is None, reason="cppcheck is not installed")
def test_cppcheck_and_its_misra_addon_find_nothing() -> None:
    found = subprocess.run([str(ROOT / "scripts" / "check-c.sh")], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
