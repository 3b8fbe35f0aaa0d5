# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from verified_images import Images


@pytest.fixture(scope="session")
def images(tmp_path_factory: pytest.TempPathFactory) -> Images:
    return Images(tmp_path_factory.mktemp("images"))
