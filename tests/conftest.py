# SPDX-License-Identifier: Apache-2.0
"""The longest tests begin first, so that none of them is what all others wait for.

When all tests run, and ``CARILLON_SUITES`` is not ``all``, every test function runs, and of the suites' cases a part: of each
function one case in SHARE, and at least one.  A suite is a folder, a file, or a function with the mark ``suite``.  The commit
draws the cases (tests/sample.py).  A function that the change touches runs with all its cases (tests/touched.py).  A test whose
file or name is asked for runs with all its cases, too.

A search for faults says at the end what it has gone through: the sums of the counts that its tests have in their
``user_properties``, under the suite's name.
"""

from __future__ import annotations

import gc
import os
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import asked
import building
import carillon.build
from sample import COSTLY, DRAW, MOST, SHARE, rank, spread, turn
from touched import touched_functions
from whole import PASSED, Whole

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


FOLDERS = (
    "conformance",
    "firmware",
    "giotto",
    "hardware",
    "osek",
    "proof",
    "races",
    "response",
    "rounds",
    "spin",
    "threads",
    "time",
)
"""The suites: tests that build and run programs, most of them on each board."""
FILES = (
    "test_console",
    "test_misra",
    "test_oil_fuzz",
    "test_one_cause",
    "test_response",
    "test_reuse",
    "test_verify",
    "test_verify_accepts",
    "test_verify_budgets",
    "test_verify_chips",
    "test_verify_microcode",
    "test_verify_osek",
    "test_verify_rtl",
    "test_verify_symbols",
    "test_verify_sync",
    "test_verify_table_cells",
    "test_verify_timers",
    "test_warm_build",
)
"""And others that take as long."""
REPEATED = 20
"""The command that repeats what failed names so many cases at most."""
EVERYTHING = "carillon_everything"
DRAWN = "carillon_drawn"
WHOLE = os.environ.pop("CARILLON_WHOLE", "")  # of this process, and of none that it starts


def pytest_configure(config: pytest.Config) -> None:
    if WHOLE:
        config.pluginmanager.register(Whole(config), PASSED)


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
    return _is_everything(config) and not asked.all_cases()


def _passed(config: pytest.Config) -> Sequence[str]:
    """What ``make test-all`` need not run again (tests/whole.py)."""
    plugin = config.pluginmanager.get_plugin(PASSED)
    if isinstance(plugin, Whole):
        return plugin.passed
    told: Sequence[str] = getattr(config, "workerinput", {}).get(PASSED, ())
    return told


def _values(item: pytest.Function) -> dict[str, str | int]:
    """The values of a case's parameters; in place of one that is an object, its place among the values of its parameter."""
    case: Any = getattr(item, "callspec", None)
    if case is None:
        return {}
    simple = (str, int, type(None))
    return {name: repr(value) if isinstance(value, simple) else case.indices[name] for name, value in case.params.items()}


def _function(item: pytest.Item) -> str:
    """A test function's name, with that of its class."""
    return item.nodeid.partition("[")[0]


def _is_of_a_suite(item: pytest.Function) -> bool:
    named = item.path.parent.name in FOLDERS or item.path.stem in FILES
    return named or item.get_closest_marker("suite") is not None


def _is_costly(item: pytest.Function) -> bool:
    """Whether a case takes a minute, and this commit does not draw it."""
    return item.get_closest_marker("costly") is not None and turn(item.nodeid, COSTLY) != 0


def _is_touched(item: pytest.Function, changed: Mapping[Path, set[str]]) -> bool:
    return (item.cls.__name__ if item.cls else item.originalname) in changed.get(item.path, ())


@dataclass
class Drawn:
    """What a run has of the tests, for the lines at its end."""

    functions: int = 0
    cases: int = 0
    of: int = 0
    touched: list[str] = field(default_factory=list)
    """The functions that run with all cases because the change touches them."""
    cut: list[str] = field(default_factory=list)
    """Those that it touches but that have too many cases."""


def _drawn(items: Sequence[pytest.Item]) -> tuple[list[pytest.Item], Drawn]:
    """The items that run by default."""
    suites: dict[Path, dict[str, list[pytest.Function]]] = {}
    for item in items:
        if isinstance(item, pytest.Function) and _is_of_a_suite(item):
            suite = item.path.parent if item.path.parent.name in FOLDERS else item.path
            suites.setdefault(suite, {}).setdefault(_function(item), []).append(item)
    said, left_out = Drawn(of=len(items)), set[pytest.Item]()
    more: list[tuple[str, list[pytest.Function]]] = []
    changed = touched_functions()
    if changed is None:
        said.cut.append("all of it: Git has no commit to compare with")
    for tests in suites.values():
        for name, cases in tests.items():
            usual = [item for item in cases if not _is_costly(item)]
            left_out.update(item for item in cases if usual and _is_costly(item))
            tests[name] = usual or cases
        chosen = spread({name: [_values(item) for item in cases] for name, cases in tests.items()}, SHARE, DRAW)
        for name, cases in tests.items():
            rest = [item for k, item in enumerate(cases) if k not in chosen[name]]
            left_out.update(rest)
            if rest and _is_touched(cases[0], changed or {}):
                more.append((name, rest))
    room = MOST
    for name, rest in sorted(more, key=lambda one: (len(one[1]), one[0])):
        part = sorted(rest, key=lambda item: rank(DRAW, item.nodeid))[:room]
        left_out.difference_update(part)
        room -= len(part)
        if len(part) == len(rest):
            said.touched.append(name)
        else:
            said.cut.append(f"{name}: {len(rest) - len(part)} cases")
    return [item for item in items if item in left_out], said


SAID = pytest.StashKey[Drawn]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    said, left_out = Drawn(of=len(items)), list[pytest.Item]()
    if _is_shortened(config):
        left_out, said = _drawn(items)
    elif passed := set(_passed(config)):
        left_out = [item for item in items if item.nodeid in passed]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]
    said.functions, said.cases = len(set(map(_function, items))), len(items)
    config.stash[SAID] = said
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
    worker = getattr(session.config, "workerinput", {}).get("workerid", "main")
    building.write_down(worker)
    if worker != "main":
        output: dict[str, Any] = session.config.workeroutput  # type: ignore[attr-defined]
        output[DRAWN] = asdict(session.config.stash.get(SAID, Drawn()))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    if DRAWN in getattr(node, "workeroutput", {}):
        node.config.stash[SAID] = Drawn(**node.workeroutput[DRAWN])


def repeat(failed: Iterable[str], environment: Mapping[str, str]) -> str:
    """The command that runs cases again, with what was set when they failed."""
    own = {name: value for name, value in environment.items() if name.startswith("CARILLON_") and value}
    words = [f"{name}={shlex.quote(value)}" for name, value in sorted(own.items())]
    return " ".join([*words, ".venv/bin/python -m pytest", *map(shlex.quote, failed)])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    write = terminalreporter.write_line
    said = config.stash.get(SAID, Drawn())
    if _is_shortened(config):
        write(f"{said.functions:,} functions, {said.cases:,} of {said.of:,} cases, draw {DRAW}; CARILLON_SUITES=all runs all")
        if said.touched:
            write(f"all cases of {len(said.touched)} functions that the change touches")
        for name in said.cut:
            write(f"left out, though the change touches it: {name}")
    reports = [report for of_a_kind in terminalreporter.stats.values() for report in of_a_kind]
    for suite, counts in sums(reports).items():
        write(f"{suite}: {', '.join(f'{number:,} {what}' for what, number in counts.items())}")
    failed = sorted({r.nodeid for r in reports if isinstance(r, pytest.TestReport) and r.failed})
    if failed:
        write(f"to repeat what failed: {repeat(failed[:REPEATED], os.environ)}")
    if len(failed) > REPEATED:
        write(f"and {len(failed) - REPEATED} others, in the same way")
