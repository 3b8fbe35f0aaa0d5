# SPDX-License-Identifier: Apache-2.0
"""The runner on the crate rigless is built on the first run, once, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from carillon.diagnostics import Diagnostics
from carillon.model.tools import Run
from carillon.run.emulators import rigless_runner

HOW = Run(kind="rigless", command=("stm32f427", "8000000"), packages=("rustc-web", "cargo-web"))


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    return tmp_path / "cache/carillon"


def put_cargo(cache: Path, *lines: str) -> None:
    """A cargo that does so, in the search path."""
    program = cache.parent.parent / "bin/cargo"
    program.write_text("\n".join(("#!/bin/sh", f"PATH={os.defpath}", *lines)) + "\n", encoding="utf-8")
    program.chmod(0o755)


def test_without_cargo_the_packages_are_named(cache: Path) -> None:
    diagnostics = Diagnostics()
    assert rigless_runner(HOW, diagnostics) is None
    assert [(d.code, d.remedy) for d in diagnostics.reported] == [("C092", "on Debian: apt-get install rustc-web cargo-web")]
    assert list(cache.iterdir()) == []


def test_a_build_that_fails_leaves_nothing_behind(cache: Path) -> None:
    put_cargo(cache, "mkdir release", "echo half > release/carillon-rigless", "echo no network >&2", "exit 101")
    diagnostics = Diagnostics()
    assert rigless_runner(HOW, diagnostics) is None
    assert [(d.code, d.cause) for d in diagnostics.reported] == [
        ("C093", "cargo does not build the runner on rigless:\nno network")
    ]
    assert list(cache.iterdir()) == []


def test_the_runner_is_built_once(cache: Path, capfd: pytest.CaptureFixture[str]) -> None:
    put_cargo(cache, "mkdir release", "echo whole > release/carillon-rigless")
    diagnostics = Diagnostics()
    first = rigless_runner(HOW, diagnostics)
    assert "once" in capfd.readouterr().err
    put_cargo(cache, "exit 101")
    assert rigless_runner(HOW, diagnostics) == first
    assert capfd.readouterr().err == ""
    assert diagnostics.reported == []
    assert first is not None
    assert Path(first[0]).read_text(encoding="utf-8") == "whole\n"
    assert first[1:] == ["stm32f427", "8000000"]
    assert [path.name for path in cache.iterdir()] == [Path(first[0]).name]
