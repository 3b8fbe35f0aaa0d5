# SPDX-License-Identifier: Apache-2.0
"""A laboratory for each session, and emulators that are there or skip what needs them."""

from __future__ import annotations

import pytest
from laboratory import Laboratory


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    return Laboratory(tmp_path_factory.mktemp("laboratory"))
