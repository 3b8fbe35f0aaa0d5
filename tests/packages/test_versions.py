# SPDX-License-Identifier: Apache-2.0
"""All packages are of the tool's version, and a release changes it everywhere."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from packaged import PACKAGES, ROOT

from carillon import __version__

FILES = ("tool/carillon/__init__.py", "packages/platformio/library.json", "packages/cmake/CMakeLists.txt", "CHANGELOG.md")


def _release(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, tree / "scripts" / "release.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def _tree(folder: Path) -> Path:
    """A copy of what a release changes."""
    for name in (*FILES, "scripts/release.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


def test_every_package_is_of_the_tools_version(wheel: Path) -> None:
    library = json.loads((PACKAGES / "platformio" / "library.json").read_text(encoding="utf-8"))
    assert library["version"] == __version__
    assert f"GIT_TAG v{__version__} " in (PACKAGES / "cmake" / "CMakeLists.txt").read_text(encoding="utf-8")
    assert f"-{__version__}-" in wheel.name
    # Those of Arduino and CMSIS-Pack are made with it: test_arduino.py, test_cmsis_pack.py.


def test_no_other_file_of_a_package_names_a_version_of_carillon() -> None:
    said = {
        path.relative_to(ROOT).as_posix()
        for path in PACKAGES.rglob("*")
        if path.is_file()
        and path.suffix != ".pyc"
        and re.search(rf"(?<!\d){re.escape(__version__)}\b", path.read_text(encoding="utf-8"))
    }
    assert said == {"packages/platformio/library.json", "packages/cmake/CMakeLists.txt"}


def test_a_release_names_its_version_everywhere_and_has_notes(tmp_path: Path) -> None:
    tree = _tree(tmp_path)
    done = _release(tree, "0.7.3", "2027-01-02")
    assert done.returncode == 0, done.stderr
    for name in FILES[:3]:
        assert "0.7.3" in (tree / name).read_text(encoding="utf-8"), name
    notes = (tree / "CHANGELOG.md").read_text(encoding="utf-8")
    before, _, after = notes.partition("## [0.7.3] - 2027-01-02\n")
    assert before.rstrip().endswith("## [Unreleased]")
    assert "### Added" in after
    assert "There is no release yet" not in notes


def test_a_release_without_changes_or_with_a_version_that_is_taken_is_refused(tmp_path: Path) -> None:
    tree = _tree(tmp_path)
    assert _release(tree, "0.7.3", "2027-01-02").returncode == 0
    assert 'CHANGELOG.md has nothing under "Unreleased"' in _release(tree, "0.7.4", "2027-01-03").stderr
    assert "CHANGELOG.md has 0.7.3 already" in _release(tree, "0.7.3", "2027-01-03").stderr
    assert "a version is three numbers" in _release(tree, "0.8", "2027-01-03").stderr
