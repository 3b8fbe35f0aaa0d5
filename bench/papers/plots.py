# SPDX-License-Identifier: Apache-2.0
"""Pictures of what benchmarks found, as SVG; the same figures give the same file."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

from bench.papers.rows import Plot


def write(plots: Iterable[Plot], folder: Path) -> list[Path]:
    """A file for each plot in ``folder``, which is made if need be.  Raises ImportError without matplotlib."""
    import matplotlib

    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # the first time, it tells of its cache of fonts
    matplotlib.use("svg")
    from matplotlib import pyplot

    from carillon.files import write_text

    matplotlib.rcParams.update(
        {"svg.hashsalt": "carillon", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
    )
    written = []
    for plot in plots:
        figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
        for curve in plot.curves:
            style = "--" if curve.dashed else "-"
            marker = "o" if len(curve.xs) < 20 else None
            axes.plot(curve.xs, curve.ys, style, marker=marker, markersize=3, linewidth=1.2, label=curve.label)
        axes.set(title=plot.title, xlabel=plot.x, ylabel=plot.y)
        axes.set_xscale("log" if plot.log_x else "linear")
        axes.set_yscale("log" if plot.log_y else "linear")
        axes.grid(visible=True, color="0.9")
        axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
        target = folder / f"{plot.name}.svg"
        written.append(target)
        write_text(target, _svg(figure))
        pyplot.close(figure)
    return written


def _svg(figure: object) -> str:
    from io import StringIO

    out = StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
