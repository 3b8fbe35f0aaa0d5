# SPDX-License-Identifier: Apache-2.0
"""PlatformIO packs the library, installs it into the project of its example, and builds an image that runs.

PlatformIO's registry is not asked.  SCons comes from PyPI, and ``atmelavr`` beside this file is in the place of PlatformIO's
own platform: it has Debian's compiler and Arduino core.
"""

from __future__ import annotations

import json
import shutil
import sysconfig
import venv
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

import pytest
from packaged import PACKAGES, User, needs

from carillon import __version__

PLATFORMIO = PACKAGES / "platformio"
CORE = "/usr/share/arduino/hardware/arduino/avr/cores/arduino/main.cpp"


class Project:
    """The library's example in a folder of its own, with PlatformIO's folders beside it."""

    def __init__(self, user: User, folder: Path) -> None:
        self.user, self.folder, self.core = user, folder / "app", folder / "core"
        self.python = self.environment(folder / "environment")
        self.settings = {
            "PLATFORMIO_CORE_DIR": str(self.core),
            "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no",
            "PLATFORMIO_SETTING_CHECK_PLATFORMIO_INTERVAL": "9999",
            "PLATFORMIO_NO_ANSI": "true",
        }
        packed = self.pack(PLATFORMIO, folder)
        self.install("platforms", "platform", "atmelavr", Path(__file__).parent / "atmelavr", "0.0.1")
        self.install("packages", "tool", "tool-scons", self.scons(folder), self.scons_version())
        shutil.copytree(PLATFORMIO / "examples" / "blink", self.folder)
        settings = self.folder / "platformio.ini"
        asked = settings.read_text(encoding="utf-8")
        assert "lib_deps = Carillon\n" in asked
        settings.write_text(asked.replace("lib_deps = Carillon\n", f"lib_deps = file://{packed}\n"), encoding="utf-8")

    @staticmethod
    def environment(folder: Path) -> Path:
        """The Python of PlatformIO, which has no ``carillon``: an empty environment that sees the packages of this one."""
        venv.create(folder, with_pip=False, symlinks=True)
        site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
        seen = {str(distribution(name).locate_file("")) for name in ("platformio", "scons")}
        (site / "outer.pth").write_text("".join(f"{path}\n" for path in sorted(seen)), encoding="utf-8")
        return folder / "bin" / "python"

    def pack(self, library: Path, folder: Path) -> Path:
        """The package that ``pio pkg pack`` makes, without the licence: PlatformIO looks that up on the Internet."""
        copied = shutil.copytree(library, folder / "library")
        manifest = copied / "library.json"
        said = json.loads(manifest.read_text(encoding="utf-8"))
        assert said.pop("license") == "Apache-2.0"
        manifest.write_text(json.dumps(said), encoding="utf-8")
        packed = folder / "carillon.tar.gz"
        self.user.runs(self.python, "-m", "platformio", "pkg", "pack", copied, "-o", packed, cwd=folder, **self.settings)
        return packed

    def install(self, kind: str, called: str, name: str, source: Path, version: str) -> None:
        """Put a package where PlatformIO has what its registry gave it."""
        folder = shutil.copytree(source, self.core / kind / name)
        spec = {"owner": "platformio", "id": None, "name": name, "requirements": None, "uri": None}
        known = {"type": called, "name": name, "version": version, "spec": spec}
        (folder / ".piopm").write_text(json.dumps(known), encoding="utf-8")

    @staticmethod
    def scons(folder: Path) -> Path:
        """PlatformIO's package of SCons: a program that starts the one which is installed."""
        package = folder / "scons"
        package.mkdir()
        (package / "scons.py").write_text("import SCons.Script\n\nSCons.Script.main()\n", encoding="utf-8")
        manifest = {"name": "tool-scons", "version": Project.scons_version()}
        (package / "package.json").write_text(json.dumps(manifest), encoding="utf-8")
        return package

    @staticmethod
    def scons_version() -> str:
        """SCons 4.11.1 is PlatformIO's 4.41101.0."""
        major, minor, patch = version("scons").split(".")[:3]
        return f"4.{major}{int(minor):02}{int(patch):02}.0"

    def run(self, path: str = "") -> tuple[int, str]:
        """``pio run``."""
        done = self.user.tries(self.python, "-m", "platformio", "run", cwd=self.folder, path=path, **self.settings)
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def project(user: User, tmp_path: Path) -> Project:
    needs("avr-gcc", CORE)
    try:
        version("platformio"), version("scons")
    except PackageNotFoundError as missing:
        pytest.skip(f"needs the Python package {missing.name}")
    return Project(user, tmp_path)


def test_a_project_with_the_library_builds_an_image_that_runs(user: User, project: Project) -> None:
    needs("simavr")
    code, said = project.run()
    assert code == 0, said
    assert f"Carillon @ {__version__}" in said
    image = ".pio/build/uno/program.elf"
    assert "samples 0" in user.runs("carillon", "run", "--elf", image, "--rounds", "10", cwd=project.folder)
    schedule = project.folder / "schedule.toml"
    schedule.write_text(schedule.read_text(encoding="utf-8").replace('period = "20ms"', 'period = "40ms"'), encoding="utf-8")
    refused = user.tries("carillon", "run", "--elf", image, "--rounds", "10", cwd=project.folder)
    assert refused.returncode != 0  # it is the image of the schedule that was
    code, said = project.run()
    assert code == 0, said
    user.runs("carillon", "run", "--elf", image, "--rounds", "10", cwd=project.folder)


def test_a_project_without_the_command_is_told_to_install_it(project: Project) -> None:
    code, said = project.run(path="/usr/bin:/bin")
    assert code != 0
    assert "Carillon: there is no command 'carillon': pip install carillon-rtos" in said


def test_a_project_without_a_schedule_is_told_where_it_should_be(project: Project) -> None:
    (project.folder / "schedule.toml").unlink()
    code, said = project.run()
    assert code != 0
    assert f"Carillon: there is no schedule {project.folder}/schedule.toml: write one" in said


def test_what_the_schedule_has_wrong_is_shown_as_the_tool_says_it(project: Project) -> None:
    schedule = project.folder / "schedule.toml"
    schedule.write_text(schedule.read_text(encoding="utf-8").replace("arduino-uno", "arduino-duo"), encoding="utf-8")
    code, said = project.run()
    assert code != 0
    assert "arduino-duo" in said
    assert "has no library" in said
