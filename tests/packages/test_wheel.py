# SPDX-License-Identifier: Apache-2.0
"""The wheel is complete: installed elsewhere, far from the checkout, it makes, builds and runs an application."""

from __future__ import annotations

import shutil
import subprocess
import venv
import zipfile
from pathlib import Path

import pytest
from packaged import ROOT, User


@pytest.fixture(scope="module")
def application(user: User, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``carillon new my-app`` makes."""
    folder = tmp_path_factory.mktemp("work")
    user.runs("carillon", "new", "my-app", cwd=folder)
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
def test_a_new_application_runs_from_the_installed_wheel(user: User, application: Path, board: str) -> None:
    if not board.startswith("virtual") and (shutil.which("arm-none-eabi-gcc") is None or shutil.which("qemu-system-arm") is None):
        pytest.skip("needs arm-none-eabi-gcc and qemu-system-arm")
    output = user.runs("carillon", "run", "--board", board, "--strict", cwd=application)
    assert "control" in output
    assert (application / "build" / f"{board}-carillon" / "my-app.elf").is_file()


@pytest.mark.long
def test_the_wheel_brings_all_that_it_needs_into_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    """Takes its dependencies from the registry, as scripts/setup.sh does."""
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True, symlinks=True)
    user = User(environment / "bin" / "carillon")
    python = environment / "bin" / "python"
    asked = user.tries(python, "-m", "pip", "download", "-q", "--no-deps", "-d", tmp_path, "typer", cwd=tmp_path)
    if asked.returncode:
        pytest.skip("needs a package registry")
    user.runs(python, "-m", "pip", "install", "--quiet", "--no-compile", wheel, cwd=tmp_path)
    user.runs("carillon", "new", "my-app", "--board", "virtual-tiny", cwd=tmp_path)
    assert "control" in user.runs("carillon", "run", "--strict", cwd=tmp_path / "my-app")
    shutil.rmtree(environment)  # 400 MB
