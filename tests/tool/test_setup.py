# SPDX-License-Identifier: Apache-2.0
"""scripts/setup.sh, with a package manager that is a script: it waits for a lock, says so, and never for ever."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from carillon.resources import data_root

HELD = "E: Could not get lock /var/lib/{}. It is held by process 4321 (unattended-upgr)"
FRONTEND, LISTS = HELD.format("dpkg/lock-frontend"), HELD.format("apt/lists/lock")


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def setup(folder: Path, answers: list[tuple[str, str, int]], seconds: int = 600) -> subprocess.CompletedProcess[str]:
    """Run it with an apt-get that is to be called with each of these commands, says that text and ends with that code."""
    (folder / "scripts").mkdir()
    shutil.copy(data_root() / "scripts/setup.sh", folder / "scripts")
    (folder / "pyproject.toml").touch()
    program(folder / ".venv/bin/python", "exit 0")
    for name, text in (("dpkg-query", "exit 1"), ("id", "echo 0"), ("sleep", "exit 0")):
        program(folder / "bin" / name, text)
    cases = [f'{n}) [ "$2" = {c} ] || exit 99; echo "{said}" >&2; exit {code};;' for n, (c, said, code) in enumerate(answers)]
    counted = f"n=$(cat {folder}/n 2>/dev/null || echo 0); echo $((n + 1)) >{folder}/n; case $n in\n"
    program(folder / "bin/apt-get", counted + "\n".join(cases) + "\n*) exit 98;; esac")
    environment = os.environ | {"PATH": f"{folder}/bin:{os.environ['PATH']}", "CARILLON_LOCK_SECONDS": str(seconds)}
    command = ["sh", str(folder / "scripts/setup.sh"), "run"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (folder / "n").read_text(encoding="utf-8").strip() == str(len(answers)), done
    return done


def test_it_waits_for_the_lock_of_packages_and_says_whose_it_is(tmp_path: Path) -> None:
    done = setup(tmp_path, [("install", FRONTEND, 100), ("install", FRONTEND, 100), ("install", "", 0)])
    assert done.returncode == 0
    assert done.stdout.count("setup: waiting for another program, 600 s at most: ") == 1
    assert FRONTEND.removeprefix("E: ") in done.stdout


def test_it_waits_for_the_lock_of_the_lists_too(tmp_path: Path) -> None:
    fetched = [("update", LISTS, 100), ("update", "", 0), ("install", "", 0)]
    done = setup(tmp_path, [("install", "E: Unable to locate package gcc", 100), *fetched])
    assert done.returncode == 0
    assert LISTS.removeprefix("E: ") in done.stdout


@pytest.mark.parametrize(("before", "command", "held"), [(0, "install", FRONTEND), (1, "update", LISTS)])
def test_it_stops_after_a_time_and_says_what_holds_the_lock(tmp_path: Path, before: int, command: str, held: str) -> None:
    lacks = [("install", "E: Unable to locate package gcc", 100)] * before
    done = setup(tmp_path, [*lacks, *[(command, held, 100)] * 4], seconds=6)
    assert done.returncode == 1
    assert f"was not free in 6 s:\n    {held.removeprefix('E: ')}\n    wait until that program has ended" in done.stderr


def test_another_failure_is_not_waited_for_and_is_shown(tmp_path: Path) -> None:
    wrong = "E: Unable to locate package gcc"
    done = setup(tmp_path, [("install", wrong, 100), ("update", "", 0), ("install", wrong, 100)])
    assert done.returncode == 1
    assert "waiting" not in done.stdout
    assert wrong in done.stderr
    assert "apt-get could not install gcc-arm-none-eabi" in done.stderr


@pytest.mark.parametrize("source", [False, True])
def test_rust_is_installed_for_peers_unless_one_with_its_librarys_source_is_there(tmp_path: Path, source: bool) -> None:
    (tmp_path / "scripts").mkdir()
    shutil.copy(data_root() / "scripts/setup.sh", tmp_path / "scripts")
    (tmp_path / "pyproject.toml").touch()
    program(tmp_path / ".venv/bin/python", "exit 0")
    for name, text in (("dpkg-query", "exit 1"), ("id", "echo 0"), ("cargo", "exit 0"), ("rustc", f"echo {tmp_path}")):
        program(tmp_path / "bin" / name, text)
    program(tmp_path / "bin/apt-get", f'echo "$*" >{tmp_path}/asked')
    if source:
        (tmp_path / "lib/rustlib/src/rust/library/core").mkdir(parents=True)
    tools = tmp_path / "tools"  # a path on which no other Rust is
    tools.mkdir()
    for name in ("sh", "env", "dirname", "cat", "cksum", "sleep"):
        (tools / name).symlink_to(str(shutil.which(name)))
    command = ["sh", str(tmp_path / "scripts/setup.sh"), "peers"]
    environment = os.environ | {"PATH": f"{tmp_path}/bin:{tools}"}
    subprocess.run(command, env=environment, capture_output=True, timeout=60, check=True)
    asked = (tmp_path / "asked").read_text(encoding="utf-8").split()
    assert {"--no-remove", "qemu-system-arm"} <= set(asked)
    assert ({"rustc-web", "cargo-web", "rust-web-src"} <= set(asked)) is not source
