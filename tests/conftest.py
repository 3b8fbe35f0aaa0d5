# SPDX-License-Identifier: Apache-2.0
"""The longest tests begin first, so that none of them is what all others wait for."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
