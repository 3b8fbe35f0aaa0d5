# SPDX-License-Identifier: Apache-2.0
"""The longest tests begin first, so that none of them is what all others wait for.

When all tests run, and ``CARILLON_SUITES`` is not ``all``, one case in SHARE of each test of the suites runs, and at least one.
Of the longest suites only some tests run then, one in so many as PARTS says of each file, among them the first.
A test whose file or name is asked for runs with all its cases.

A search for faults says at the end what it has gone through: the sums of the counts that its tests have in their
``user_properties``, under the suite's name.
"""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import building
import carillon.build
from sample import spread

os.environ["CARILLON_CACHE"] = ""  # nothing is taken from what the user's own commands found
# Hundreds of commands are started: each would compile the whole tool again.  The files lie where Git does not see them.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A test run is the same every day and for everybody: what a test draws depends on nothing but the test.  A search draws
# anew (tests/search.py); what it finds is kept in the test, as an example.
settings.register_profile("same", derandomize=True, database=None, deadline=None)
settings.register_profile("search", derandomize=False, database=None, deadline=None, print_blob=True)
settings.load_profile("search" if os.environ.get("CARILLON_SEARCH") else "same")


# What is imported stays, and tests leave few circles: looking for them took a fifth of the tests' own time.
gc.freeze()
gc.set_threshold(200_000, 10, 10)


compiles = carillon.build._compile
building.install()


@pytest.fixture(autouse=True)
def _compiles(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test of how files are compiled has each of its files compiled."""
    if request.node.get_closest_marker("compiles") is not None:
        monkeypatch.setattr(carillon.build, "_compile", compiles)


FOLDERS = ("conformance", "firmware", "giotto", "osek", "races", "rounds", "threads", "time")
"""The suites: tests that build and run programs, most of them on each board."""
FILES = (
    "test_console",
    "test_oil_fuzz",
    "test_one_cause",
    "test_reuse",
    "test_verify",
    "test_verify_accepts",
    "test_verify_microcode",
    "test_verify_symbols",
    "test_warm_build",
)
"""And others that take as long."""
SHARE = 20
"""By default, one of so many cases of a test runs, and at least one."""
PARTS = {"firmware": 2, "giotto": 2, "time": 2}
"""By default, one of so many tests of a file in this folder runs, beginning with the first."""
EVERYTHING = "carillon_everything"


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """A worker of pytest-xdist is given the folders as arguments; only the first process knows that no one asked for them."""
    node.workerinput[EVERYTHING] = _is_everything(node.config)


def _is_everything(config: pytest.Config) -> bool:
    """Whether all tests run: no file and no name was asked for."""
    told = getattr(config, "workerinput", {}).get(EVERYTHING)
    if told is not None:
        return bool(told)
    asked = config.option.keyword or config.args_source is not pytest.Config.ArgsSource.TESTPATHS
    return not asked


def _is_shortened(config: pytest.Config) -> bool:
    return _is_everything(config) and os.environ.get("CARILLON_SUITES") != "all"


def _values(case: Any) -> dict[str, str | int]:
    """The values of a case's parameters; in place of one that is an object, its place among the values of its parameter."""
    simple = (str, int, type(None))
    return {name: repr(value) if isinstance(value, simple) else case.indices[name] for name, value in case.params.items()}


def _shortened(items: list[pytest.Item]) -> list[pytest.Item]:
    """The items of suites that do not run by default."""
    files: dict[Path, dict[str, list[pytest.Function]]] = {}
    for item in items:
        if isinstance(item, pytest.Function) and _is_of_a_suite(item.path):
            files.setdefault(item.path, {}).setdefault(item.originalname, []).append(item)
    left_out: list[pytest.Item] = []
    for path, every in files.items():
        running = set(list(every)[:: PARTS.get(path.parent.name, 1)])
        left_out += [item for name, cases in every.items() if name not in running for item in cases]
        tests = {name: cases for name, cases in every.items() if name in running and hasattr(cases[0], "callspec")}
        chosen = spread([[_values(item.callspec) for item in cases] for cases in tests.values()], SHARE)
        for cases, kept in zip(tests.values(), chosen, strict=True):
            left_out += [item for k, item in enumerate(cases) if k not in kept]
    return left_out


def _is_of_a_suite(path: Path) -> bool:
    return path.parent.name in FOLDERS or path.stem in FILES


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if _is_shortened(config):
        left_out = _shortened(items)
        config.hook.pytest_deselected(items=left_out)
        gone = set(map(id, left_out))
        items[:] = [item for item in items if id(item) not in gone]
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def sums(reports: Iterable[object]) -> dict[str, Counter[str]]:
    """What the tests of each suite have counted together; reports of their set-up and teardown say nothing new."""
    found: dict[str, Counter[str]] = {}
    for report in reports:
        if isinstance(report, pytest.TestReport) and report.when == "call":
            for suite, counts in report.user_properties:
                if isinstance(counts, Mapping):
                    found.setdefault(suite, Counter()).update(counts)
    return found


def pytest_sessionfinish(session: pytest.Session) -> None:
    building.write_down(getattr(session.config, "workerinput", {}).get("workerid", "main"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if _is_shortened(config):
        folders = ", ".join(f"tests/{name}" for name in FOLDERS)
        terminalreporter.write_line(f"{folders}: a part of the cases of each test; CARILLON_SUITES=all runs all")
    reports = (report for of_a_kind in terminalreporter.stats.values() for report in of_a_kind)
    for suite, counts in sums(reports).items():
        terminalreporter.write_line(f"{suite}: {', '.join(f'{number:,} {what}' for what, number in counts.items())}")
