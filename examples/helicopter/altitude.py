# SPDX-License-Identifier: Apache-2.0
"""Draw the flight that a run prints.

carillon run helicopter.giotto --board ast1030-evb --for 26s | python altitude.py flight.svg
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from carillon.bench.plots import write
from carillon.bench.rows import Curve, Plot

INTERVAL = 0.1
"""Seconds between two altitudes."""


def main() -> None:
    """Read lines with altitudes in millimetres, and write the picture."""
    lines = (line.split() for line in sys.stdin)
    metres = [int(words[1]) / 1000 for words in lines if words[:1] == ["altitude"]]
    if len(sys.argv) != 2 or not metres:
        raise SystemExit("usage: carillon run helicopter.giotto --board ast1030-evb --for 26s | python altitude.py FILE.svg")
    if find_spec("matplotlib") is None:
        raise SystemExit("altitude.py needs matplotlib, which is not installed: pip install matplotlib")
    target = Path(sys.argv[1])
    seconds = [INTERVAL * k for k in range(len(metres))]
    flight = Curve("altitude", tuple(seconds), tuple(metres))
    with TemporaryDirectory() as folder:
        (drawn,) = write([Plot("flight", "A flight of the helicopter", "seconds", "metres", (flight,))], Path(folder))
        target.write_bytes(drawn.read_bytes())


main()
