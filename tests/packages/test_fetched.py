# SPDX-License-Identifier: Apache-2.0
"""A CMake project fetches Carillon from a Git repository, and builds firmware that runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from packaged import PACKAGES, ROOT, User, needs

from carillon import __version__

PARTS = ("CMakeLists.txt", "boards", "cells", "cmake", "devices", "emulators", "kernel", "ports", "tool/carillon/__init__.py")
"""What of the repository a project without the tool's sources compiles."""


def _git(*arguments: str, cwd: Path) -> None:
    named = ("-c", "user.name=Test", "-c", "user.email=test@localhost")
    subprocess.run(["git", *named, *arguments], cwd=cwd, check=True, capture_output=True, timeout=60)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of the working tree, with the tag of a release."""
    needs("git")
    folder = tmp_path_factory.mktemp("repository")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("build", "*.o", "*.elf"))
        else:
            (folder / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / part, folder / part)
    _git("init", "-q", cwd=folder)
    _git("add", "-A", cwd=folder)
    _git("commit", "-q", "-m", "A release", cwd=folder)
    _git("tag", f"v{__version__}", cwd=folder)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return shutil.copytree(PACKAGES / "cmake", tmp_path / "app")


def _configure(repository: Path) -> list[str]:
    return ["cmake", "-B", "out", "-G", "Ninja", "-D", f"CARILLON_REPOSITORY=file://{repository}"]


def test_a_project_fetches_carillon_and_its_tasks_run(user: User, repository: Path, project: Path) -> None:
    needs("cmake", "ninja", "arm-none-eabi-gcc", "qemu-system-arm")
    user.runs(*_configure(repository), cwd=project)
    user.runs("cmake", "--build", "out", cwd=project)
    said = user.runs("carillon", "run", "--elf", "out/app", "--rounds", "3", "--strict", cwd=project)
    assert "Control" in said
    assert "controls 1\ncontrols 11\ncontrols 21\n" in said


def test_a_project_without_the_command_is_told_to_install_it(user: User, repository: Path, project: Path) -> None:
    needs("cmake", "ninja", "arm-none-eabi-gcc")
    without = os.pathsep.join(
        folder for folder in os.environ["PATH"].split(os.pathsep) if not (Path(folder) / "carillon").exists()
    )
    done = user.tries(*_configure(repository), cwd=project, path=without)
    assert done.returncode != 0
    assert "there is no command carillon: `pip install carillon-rtos`" in " ".join(done.stderr.split())


def test_a_kernel_of_another_version_than_the_commands_is_refused(user: User, repository: Path, project: Path) -> None:
    needs("cmake", "ninja", "arm-none-eabi-gcc")
    other = shutil.copytree(repository, project.parent / "other")
    version = other / "tool/carillon/__init__.py"
    version.write_text(version.read_text(encoding="utf-8").replace(__version__, "9.9.9"), encoding="utf-8")
    _git("commit", "-q", "-a", "-m", "Another", cwd=other)
    _git("tag", "-f", f"v{__version__}", cwd=other)
    done = user.tries(*_configure(other), cwd=project)
    assert done.returncode != 0
    said = " ".join(done.stderr.split())
    assert f"carillon is carillon {__version__}, but" in said
    assert "is carillon 9.9.9" in said
