# SPDX-License-Identifier: Apache-2.0
"""The reference model and its writer of C are those of ``tests/osek``; what all sweeps count."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "osek"))


@pytest.fixture
def counts(request: pytest.FixtureRequest) -> dict[str, int]:
    """What a test has swept; the end of pytest's output has the sums of all (``tests/conftest.py``)."""
    result = {"images": 0, "pairs": 0, "instructions": 0, "different runs": 0}
    request.node.user_properties.append(("races", result))
    return result
