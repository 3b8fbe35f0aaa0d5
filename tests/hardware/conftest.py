# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where modules are compiled: once a session, and Verilator's own part once for all."""
    return tmp_path_factory.mktemp("made")
