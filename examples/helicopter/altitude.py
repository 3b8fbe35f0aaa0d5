# SPDX-License-Identifier: Apache-2.0
"""Draw the flight that a run prints.

carillon run helicopter.giotto --board ast1030-evb --for 26s | python altitude.py flight.svg
"""

from __future__ import annotations

import logging
import sys
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

INTERVAL = 0.1
"""Seconds between two altitudes."""


def drawn(metres: list[float]) -> str:
    """The picture; the same flight gives the same text."""
    import matplotlib

    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # the first time, it tells of its cache of fonts
    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams.update(
        {"svg.hashsalt": "carillon", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
    )
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    axes.plot([INTERVAL * k for k in range(len(metres))], metres, linewidth=1.2, label="altitude")
    axes.set(title="A flight of the helicopter", xlabel="seconds", ylabel="metres")
    axes.grid(visible=True, color="0.9")
    axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    out = StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def main() -> None:
    """Read lines with altitudes in millimetres, and write the picture."""
    lines = (line.split() for line in sys.stdin)
    metres = [int(words[1]) / 1000 for words in lines if words[:1] == ["altitude"]]
    if len(sys.argv) != 2 or not metres:
        raise SystemExit("usage: carillon run helicopter.giotto --board ast1030-evb --for 26s | python altitude.py FILE.svg")
    if find_spec("matplotlib") is None:
        raise SystemExit("altitude.py needs matplotlib, which is not installed: pip install matplotlib")
    Path(sys.argv[1]).write_text(drawn(metres), encoding="utf-8")


main()
