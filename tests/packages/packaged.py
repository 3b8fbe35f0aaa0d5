# SPDX-License-Identifier: Apache-2.0
"""Somebody who has Carillon's wheel and none of its sources, and tries a package with its own tool."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "packages"


class User:
    """Somebody who has the command ``carillon`` and no checkout."""

    def __init__(self, command: Path) -> None:
        self.command = command

    def tries(self, *command: str | Path, cwd: Path, path: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        """Run a command with ``carillon`` on the path, or with another path, and variables of its own."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "CARILLON"))}
        environment["PATH"] = path or f"{self.command.parent}:{environment['PATH']}"
        command = (shutil.which(command[0], path=environment["PATH"]) or command[0], *command[1:])
        return subprocess.run(command, cwd=cwd, env=environment | more, capture_output=True, text=True, timeout=300, check=False)

    def runs(self, *command: str | Path, cwd: Path, **more: str) -> str:
        """What the command prints, which must succeed."""
        done = self.tries(*command, cwd=cwd, **more)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def needs(*programs: str) -> None:
    """Skip the test if programs or files are missing, and say which."""
    missing = [program for program in programs if shutil.which(program) is None and not Path(program).exists()]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
