# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest: what each test compiles, so that a change is tested by those whose object code it changes.

For each test that passes, a line of JSON goes to the file RECORD: its name, its seconds, and the compiler's command for
each file.  What is compiled outside the tree is copied to the folder MIRROR, as tests clear up behind them.  What a function
with ``functools.cache`` has compiled for one test is in all tests that call it.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Any

import pytest

TREE = Path(__file__).resolve().parents[2]
COMPILER = re.compile(r"(gcc|g\+\+|cc)(-\d+)?$")
SOURCE = re.compile(r"\.(c|cpp|cc|cxx)$")
WHOLE_FILES = "tests/time/"
"""Tests that share what is compiled: they are one each file."""


class Recorder:
    """Listens to the commands that tests run."""

    def __init__(self, record: Path, mirror: Path) -> None:
        self.record, self.mirror = record, mirror
        self.lock = threading.Lock()  # the tool compiles two files at a time
        self.units: list[list[str]] = []
        self.copied: dict[str, str] = {}
        self.kept: list[Any] = []
        self.files: dict[str, tuple[float, list[list[str]], bool]] = {}
        self.began = 0.0
        self.passed = True
        run = subprocess.Popen.__init__

        def popen(process: Any, command: Any, *arguments: Any, **options: Any) -> None:
            if isinstance(command, list | tuple) and COMPILER.search(Path(str(command[0])).name):
                with self.lock:
                    self.compiled([str(word) for word in command])
            run(process, command, *arguments, **options)

        subprocess.Popen.__init__ = popen  # type: ignore[assignment]
        functools.cache = self.cache  # type: ignore[assignment]

    def cache(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """In the place of ``functools.cache``: what the first call compiles, the later ones have compiled, too."""
        results: dict[Hashable, tuple[Any, list[list[str]]]] = {}

        @functools.wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            key = (arguments, *named.items())
            if key in results:
                self.units += results[key][1]
            else:
                before = len(self.units)
                results[key] = function(*arguments, **named), self.units[before:]
            return results[key][0]

        call.cache_clear = results.clear  # type: ignore[attr-defined]
        return call

    def inside(self, path: str) -> str:
        """A path as it stays valid: what is outside the tree is copied."""
        if not path.startswith("/"):
            return path
        folder = Path(path) if Path(path).is_dir() else Path(path).parent
        if path.startswith("/usr/") or folder.is_relative_to(TREE) or not folder.is_dir():
            return path
        files = sorted(f for f in folder.iterdir() if f.suffix in (".c", ".h", ".cpp", ".hpp") and f.stat().st_size < 10**6)
        key = f"{folder} {[(f.name, f.stat().st_mtime_ns) for f in files]}"
        if key not in self.copied:
            copy = Path(tempfile.mkdtemp(dir=self.mirror))
            for file in files:
                shutil.copy(file, copy)
            self.copied[key] = str(copy)
        return self.copied[key] + ("" if Path(path).is_dir() else f"/{Path(path).name}")

    def compiled(self, command: list[str]) -> None:
        """Remember the command for each of its sources, which comes last."""
        sources = [word for word in command[1:] if SOURCE.search(word)]
        options: list[str] = [command[0]]
        words = iter(command[1:])
        for word in words:
            if word in ("-o", "-T"):
                next(words)
            elif word.startswith("-I") and len(word) > 2:
                options.append("-I" + self.inside(word[2:]))
            elif word not in sources and not word.endswith(".o") and word not in ("-c", "-shared", "-g", "-MD"):
                options.append(self.inside(word))
        self.units += [[*options, self.inside(source)] for source in sources]

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self) -> Iterator[None]:
        """What keeps images from one test for another (a laboratory, a bench) keeps none."""
        result: Any = yield
        if any(hasattr(result, name) for name in ("_planned", "_images", "_outcomes")):
            self.kept.append(result)
        return result  # type: ignore[return-value]

    def pytest_runtest_setup(self) -> None:
        """A test begins."""
        for it in self.kept:
            for name in ("_planned", "_images", "_outcomes"):
                if hasattr(it, name):
                    getattr(it, name).clear()
        self.units, self.copied, self.passed = [], {}, True
        self.began = time.monotonic()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A part of a test is over."""
        self.passed = self.passed and not report.failed
        if report.when != "teardown":
            return
        seconds = time.monotonic() - self.began
        if report.nodeid.startswith(WHOLE_FILES):
            name = report.nodeid.split("::")[0]
            before, units, passed = self.files.get(name, (0.0, [], True))
            self.files[name] = before + seconds, units + self.units, passed and self.passed
        elif self.passed and self.units:
            self.write(report.nodeid, seconds, self.units)

    def pytest_sessionfinish(self) -> None:
        """All tests are over."""
        for name, (seconds, units, passed) in self.files.items():
            if passed:
                self.write(name, seconds, units)

    def write(self, name: str, seconds: float, units: list[list[str]]) -> None:
        """Append a test to the record."""
        once = [list(unit) for unit in dict.fromkeys(map(tuple, units))]
        with self.record.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"test": name, "seconds": round(seconds, 2), "units": once}) + "\n")


RECORDER = Recorder(Path(os.environ["RECORD"]), Path(os.environ["MIRROR"])) if "RECORD" in os.environ else None
"""It begins before any module of tests is imported."""


def pytest_configure(config: pytest.Config) -> None:
    """Register it, if a record is asked for."""
    if RECORDER is not None:
        config.pluginmanager.register(RECORDER)
