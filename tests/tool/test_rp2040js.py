# SPDX-License-Identifier: Apache-2.0
"""npm fetches the emulator rp2040js on the first run, once, or not at all."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from carillon.diagnostics import Diagnostics
from carillon.model.tools import Run
from carillon.run.emulators import rp2040js_runner

HOW = Run(kind="rp2040js", command=("rp2040",), packages=("nodejs", "npm"))
PACKAGES = "on Debian: apt-get install nodejs npm"


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The cache's folder; in the search path is a Node of version 18, and a compiler that makes an empty file."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    cache = tmp_path / "cache/carillon"
    put(cache, "cc", 'while [ "$1" != -o ]; do shift; done', 'touch "$2"')
    put(cache, "node", "echo v18.20.4")
    return cache


def put(cache: Path, name: str, *lines: str) -> None:
    """A program that does so, in the search path."""
    program = cache.parent.parent / "bin" / name
    program.write_text("\n".join(("#!/bin/sh", f"PATH={os.defpath}", *lines)) + "\n", encoding="utf-8")
    program.chmod(0o755)


def found(diagnostics: Diagnostics) -> list[tuple[str, str, str]]:
    return [(d.code, d.cause, d.remedy) for d in diagnostics.reported]


def kept(cache: Path) -> list[str]:
    return sorted(path.name.rpartition("-")[0] for path in cache.glob("*"))


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("node", "the emulator rp2040js is run by 'node', which is not installed"),
        ("npm", "the emulator rp2040js is fetched by 'npm', which is not installed"),
    ],
)
def test_without_node_or_npm_the_packages_are_named(cache: Path, name: str, cause: str) -> None:
    (cache.parent.parent / "bin" / name).unlink(missing_ok=True)
    diagnostics = Diagnostics()
    assert rp2040js_runner("armv7m", HOW, diagnostics) is None
    assert found(diagnostics) == [("C092", cause, PACKAGES)]
    assert "rp2040js" not in kept(cache)


def test_a_node_that_is_too_old_is_refused(cache: Path) -> None:
    put(cache, "node", "echo v12.22.5")
    put(cache, "npm", "exit 0")
    diagnostics = Diagnostics()
    assert rp2040js_runner("armv7m", HOW, diagnostics) is None
    assert [(d.code, d.remedy) for d in diagnostics.reported] == [("C092", "install Node 18 or later; Debian 12 has Node 18")]
    assert diagnostics.reported[0].cause.endswith("is v12.22.5")


def test_what_npm_says_is_reported_and_nothing_is_left_behind(cache: Path) -> None:
    put(cache, "npm", "mkdir node_modules", "echo no network >&2", "exit 1")
    diagnostics = Diagnostics()
    assert rp2040js_runner("armv7m", HOW, diagnostics) is None
    assert [(d.code, d.cause) for d in diagnostics.reported] == [
        ("C093", "npm does not fetch the emulator rp2040js:\nno network")
    ]
    assert kept(cache) == ["rp2040js_host"]


def test_it_is_fetched_once_by_the_hashes_of_the_lock_file(cache: Path, capfd: pytest.CaptureFixture[str]) -> None:
    put(cache, "npm", '[ "$1" = ci ] && mkdir node_modules && grep -q sha512- package-lock.json')
    diagnostics = Diagnostics()
    first = rp2040js_runner("armv7m", HOW, diagnostics)
    assert "once" in capfd.readouterr().err
    put(cache, "npm", "exit 1")
    assert rp2040js_runner("armv7m", HOW, diagnostics) == first
    assert capfd.readouterr().err == ""
    assert diagnostics.reported == []
    assert first is not None
    assert first[-1] == "rp2040"
    assert Path(first[-2]).is_dir()
    assert kept(cache) == ["rp2040js", "rp2040js_host"]


@pytest.mark.skipif(not (shutil.which("node") and shutil.which("npm")), reason="needs node and npm")
def test_without_a_registry_npm_says_so(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{cache.parent.parent / 'bin'}{os.pathsep}{os.defpath}")
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9/")
    monkeypatch.setenv("npm_config_cache", str(cache.parent / "npm"))
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    (cache.parent.parent / "bin/node").unlink()
    diagnostics = Diagnostics()
    assert rp2040js_runner("armv7m", HOW, diagnostics) is None
    (report,) = diagnostics.reported
    assert report.code == "C093"
    assert "ECONNREFUSED" in report.cause
    assert "needs a network" in report.remedy
