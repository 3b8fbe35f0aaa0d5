# SPDX-License-Identifier: Apache-2.0
"""How a message shows long names."""

from __future__ import annotations

from carillon.units import shorten


def test_a_long_name_is_cut_in_the_middle_as_paths_differ_at_their_ends() -> None:
    left, right = (f"/Engine/Configuration/Os/ContainerOne/ContainerTwo/Pump{side}" for side in ("Left", "Right"))
    assert shorten(left) == "'/Engine/Configuratio...ontainerTwo/PumpLeft'"
    assert shorten(left) != shorten(right)
    assert shorten("a" * 40) == f"'{'a' * 40}'"
