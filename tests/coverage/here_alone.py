# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest for `make coverage`: tests that build for a board which is no program of this machine are skipped."""

import pytest

import carillon.build
from carillon.diagnostics import Diagnostics
from carillon.model import System

find_compiler = carillon.build._find_compiler


def _find_compiler(system: System, diagnostics: Diagnostics) -> str | None:
    if not system.board.native:
        pytest.skip(f"'{system.board.name}' is no program of this machine")
    return find_compiler(system, diagnostics)


carillon.build._find_compiler = _find_compiler
