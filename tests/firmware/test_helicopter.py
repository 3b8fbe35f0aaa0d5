# SPDX-License-Identifier: Apache-2.0
"""The example in Giotto: a helicopter climbs, hovers and lands, and every board flies it in the same way."""

from __future__ import annotations

from laboratory import AST, ROOT, VIRTUAL_AST, Laboratory

from carillon.diagnostics import Diagnostics
from carillon.pipeline import read_and_check

HELICOPTER = ROOT / "examples" / "helicopter" / "helicopter.giotto"


def altitudes(lab: Laboratory, board: str, seconds: int) -> list[int]:
    """What the example says in so many seconds, in millimetres, every tenth of a second."""
    hz = read_and_check(HELICOPTER, Diagnostics(), board).clock_hz
    return lab.run_file(HELICOPTER, board, ticks=seconds * hz).said("altitude")


def test_the_helicopter_climbs_hovers_and_lands(lab: Laboratory) -> None:
    flight = altitudes(lab, AST, 26)
    assert len(flight) == 260
    assert flight[:3] == [0, 0, 0]
    assert max(flight) in range(9_950, 10_001)
    assert all(9_900 < altitude <= 10_000 for altitude in flight[86:106])  # it hovers
    climb, descent = flight[: flight.index(max(flight))], flight[106:]
    assert climb == sorted(climb)
    assert descent == sorted(descent, reverse=True)
    assert set(flight[216:]) == {0}
    assert altitudes(lab, VIRTUAL_AST, 3) == flight[:30]
