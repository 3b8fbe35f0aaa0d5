# SPDX-License-Identifier: Apache-2.0
"""One application for all nodes of all networks here, built once."""

from __future__ import annotations

from pathlib import Path

import pytest
from node_application import APPLICATION, SCHEDULE

from carillon import pipeline
from carillon.build.node import build_node
from carillon.diagnostics import Diagnostics
from carillon.run.network import Built


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("network")
    (folder / "schedule.toml").write_text(SCHEDULE)
    (folder / "main.c").write_text(APPLICATION)
    diagnostics = Diagnostics()
    planned = pipeline.plan(folder / "schedule.toml", diagnostics)
    made = build_node(planned.image, Path(folder / "build"), diagnostics)
    assert made is not None, diagnostics.reported
    return Built(planned.image, *made)
