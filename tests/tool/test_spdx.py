# SPDX-License-Identifier: Apache-2.0
"""Every source file says under which licence it stands."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Kinds of files that cannot carry the line, or whose every byte a test compares.
NO_COMMENTS = {".json", ".jsonl", ".vcd", ".svg"}
GOLDEN = re.compile(r"tests/tool/(golden|bad\w*)/[^/]+\.txt|tests/\w+/golden/.*\.txt")  # exact messages and output
FILES = {
    "LICENSE": "is the licence",
    "tool/carillon/py.typed": "an empty marker (PEP 561)",
    "tests/tool/arxml/bad/empty.arxml": "must be empty",
    "tests/tool/bad/byte-order-mark.toml": "a line before the fault would move it",
    "tests/tool/bad/empty.toml": "must be empty",
    "tests/tool/bad/key-of-many-parts.toml": "is one long line that a fuzzer found",
    "tests/tool/bad/nested-too-deeply.toml": "is one long line that a fuzzer found",
    "tests/tool/bad/not-utf-8.toml": "is not text",
    "tests/tool/bad/nul.toml": "is not text",
    "tests/tool/bad/too-many-digits.toml": "is one long line that a fuzzer found",
}
# A plugin of QEMU, and a program on libsimavr.
GPL = (
    "emulators/qemu/trace_plugin.c",
    "emulators/qemu/armv7m/trace_processor.h",
    "emulators/qemu/rv32/trace_processor.h",
    "emulators/qemu/rv32clic/trace_processor.h",
    "emulators/simavr/runner.c",
)


def _tracked() -> list[str]:
    command = ["git", "ls-files", "-z", "--cached"]  # what a user has beside it is theirs
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def _excepted(name: str) -> bool:
    return (
        name in FILES
        or name.startswith("tests/fuzz/corpus/")
        or Path(name).suffix in NO_COMMENTS
        or GOLDEN.fullmatch(name) is not None
    )


def test_every_source_file_has_its_licence_in_the_first_lines() -> None:
    missing = []
    for name in _tracked():
        if _excepted(name):
            continue
        wanted = "GPL-2.0-or-later" if name in GPL else "Apache-2.0"
        head = (ROOT / name).read_bytes()[:400].decode("utf-8", errors="replace").splitlines()[:3]
        if not any(f"SPDX-License-Identifier: {wanted}" in line for line in head):
            missing.append(name)
    assert missing == []


def test_every_exception_is_a_file_that_needs_it() -> None:
    tracked = set(_tracked())
    needless = [name for name in FILES if name not in tracked or b"SPDX-License-Identifier" in (ROOT / name).read_bytes()[:400]]
    assert needless == []
