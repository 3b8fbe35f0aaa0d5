# SPDX-License-Identifier: Apache-2.0
"""Pictures and exports of a run; each takes one trace, or two to compare.

Times in ``window`` are ticks, absolute from the start of the first round.  Files are replaced as a whole or
not at all.  Every function raises ValueError for a window outside the run, for more than two traces, and
for traces whose clocks differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from carillon.files import replacing

if TYPE_CHECKING:
    from rich.console import Console

    from carillon.show.scene import Panel, Window
    from carillon.trace import Trace
    from carillon.trace.summary import Summary
    from carillon.trace.timeline import Release

__all__ = ["render_terminal", "summaries", "write_html", "write_perfetto", "write_svg", "write_vcd"]


def _panels(traces: Trace | Sequence[Trace], releases: Sequence[Release]) -> tuple[Panel, ...]:
    from carillon.show.scene import panels_of  # a plan, which this package prints too, has no trace to analyse

    return panels_of(traces, releases)


def summaries(traces: Trace | Sequence[Trace], releases: Sequence[Release]) -> tuple[Summary, ...]:
    """What the pictures show, in figures."""
    return tuple(panel.summary for panel in _panels(traces, releases))


def render_terminal(
    console: Console, traces: Trace | Sequence[Trace], releases: Sequence[Release], window: Window | None = None
) -> None:
    """Print the timeline of the window (None: the first round) and the figures of the whole run."""
    from carillon.show import terminal

    terminal.render(console, _panels(traces, releases), window)


def write_html(path: Path, traces: Trace | Sequence[Trace], releases: Sequence[Release], window: Window | None = None) -> None:
    """Write the interactive page, one file that loads nothing; it opens at the window (None: the first round)."""
    from carillon.show import html

    panels = _panels(traces, releases)
    with replacing(path) as stream:
        html.write(stream, panels, window)


def write_svg(path: Path, traces: Trace | Sequence[Trace], releases: Sequence[Release], window: Window | None = None) -> None:
    """Write the static picture of the window (None: the first round)."""
    from carillon.show import svg

    panels = _panels(traces, releases)
    with replacing(path) as stream:
        svg.write(stream, panels, window)


def write_perfetto(path: Path, traces: Trace | Sequence[Trace], releases: Sequence[Release]) -> None:
    """Write Chrome trace-event JSON of the whole run, for ui.perfetto.dev."""
    from carillon.show import perfetto

    panels = _panels(traces, releases)
    with replacing(path) as stream:
        perfetto.write(stream, panels)


def write_vcd(path: Path, traces: Trace | Sequence[Trace], releases: Sequence[Release]) -> None:
    """Write a Value Change Dump of the whole run, for GTKWave and its like."""
    from carillon.show import vcd

    panels = _panels(traces, releases)
    with replacing(path) as stream:
        vcd.write(stream, panels)
