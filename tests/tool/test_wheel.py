# SPDX-License-Identifier: Apache-2.0
"""The wheel is complete: installed elsewhere, far from the checkout, it makes, builds and runs an application."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _run(*command: str | Path, cwd: Path) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    result = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built with the back end that is installed: no network."""
    folder = tmp_path_factory.mktemp("dist")
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def carillon(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of a fresh environment with the wheel; what the wheel depends on is that of this one."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
    python = folder / "bin" / "python"
    _run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=folder)
    # Our own packages and no .pth files: an editable install of this checkout must not be found.
    (site / "outer.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    where = _run(python, "-c", "import carillon; print(carillon.__file__)", cwd=folder)
    assert Path(where.strip()).is_relative_to(folder)
    return folder / "bin" / "carillon"


@pytest.fixture(scope="module")
def application(carillon: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``carillon new my-app`` makes."""
    folder = tmp_path_factory.mktemp("work")
    _run(carillon, "new", "my-app", cwd=folder)
    return folder / "my-app"


def test_the_wheel_has_every_file_that_the_tool_looks_for_and_nothing_built(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    folders = ("boards/", "cells/", "cmake/", "docs/codes/", "emulators/", "hardware/", "kernel/", "ports/", "templates/")
    data = [n for n in listed.stdout.split() if (ROOT / n).is_file() and n.startswith(folders)]
    data += ["CMakeLists.txt", "LICENSE", "docs/schedule.schema.json"]
    wanted = {f"carillon/_data/{n}" for n in data}
    wanted |= {n.removeprefix("tool/") for n in listed.stdout.split() if n.startswith("tool/carillon/") and (ROOT / n).is_file()}
    assert wanted - names == set()
    assert [n for n in names if n.endswith((".elf", ".o", ".pyc")) or "/generated/" in n] == []


def test_a_new_application_has_its_name_in_place_of_every_placeholder(application: Path) -> None:
    files = sorted(p.name for p in application.iterdir())
    assert files == [".gitignore", "README.md", "main.c", "schedule.schema.json", "schedule.toml"]
    texts = {name: (application / name).read_text(encoding="utf-8") for name in files}
    assert 'name = "my-app"' in texts["schedule.toml"]
    assert [name for name, text in texts.items() if "{{" in text] == []


@pytest.mark.parametrize("board", ["virtual-tiny", "ast1030-evb", "mps2-an385"])
def test_a_new_application_runs_from_the_installed_wheel(carillon: Path, application: Path, board: str) -> None:
    if not board.startswith("virtual") and (shutil.which("arm-none-eabi-gcc") is None or shutil.which("qemu-system-arm") is None):
        pytest.skip("needs arm-none-eabi-gcc and qemu-system-arm")
    output = _run(carillon, "run", "--board", board, "--strict", cwd=application)
    assert "control" in output
    assert (application / "build" / f"{board}-carillon" / "my-app.elf").is_file()
