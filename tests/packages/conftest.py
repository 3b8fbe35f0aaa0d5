# SPDX-License-Identifier: Apache-2.0
"""What packages are tried with: the tool as its users have it, from a wheel, far from this checkout."""

from __future__ import annotations

import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from packaged import ROOT, User


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built with the back end that is installed: no network."""
    folder = tmp_path_factory.mktemp("dist")
    User(Path(sys.executable)).runs(
        sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def user(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> User:
    """A user whose environment has the wheel; what the wheel depends on is that of this one."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
    python = folder / "bin" / "python"
    made = User(folder / "bin" / "carillon")
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
    made.runs(*pip, cwd=folder)
    # Our own packages and no .pth files: an editable install of this checkout must not be found.
    (site / "outer.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    where = made.runs(python, "-c", "import carillon; print(carillon.__file__)", cwd=folder)
    assert Path(where.strip()).is_relative_to(folder)
    return made
