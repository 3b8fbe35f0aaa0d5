# SPDX-License-Identifier: Apache-2.0
"""The longest tests begin first, so that none of them is what all others wait for.

A search for faults says at the end what it has gone through: the sums of the counts that its tests have in their
``user_properties``, under the suite's name.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping

import pytest

os.environ["CARILLON_CACHE"] = ""  # nothing is taken from what the user's own commands found


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = (report for of_a_kind in terminalreporter.stats.values() for report in of_a_kind)
    for suite, counts in sums(reports).items():
        terminalreporter.write_line(f"{suite}: {', '.join(f'{number:,} {what}' for what, number in counts.items())}")
