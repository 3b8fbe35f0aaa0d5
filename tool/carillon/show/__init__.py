# SPDX-License-Identifier: Apache-2.0
"""Pictures and exports of a run; each shows the panel of one trace, or several panels above one another."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from carillon.files import replacing

if TYPE_CHECKING:
    from carillon.show.scene import Panel, Window


OTHERS = ("perfetto", "vcd", "btf", "ctf")
"""Forms for other tools: a module of that name writes all of the panels to a text stream."""
FOLDERS = ("ctf",)
"""Of them, those that are folders."""


def write(form: str, path: Path, panels: Sequence[Panel], window: Window | None = None, network: str = "") -> None:
    """Write the file as a whole or not at all; raises ValueError for a window outside the run.

    ``form``: ``html``, the interactive page, one file that loads nothing.  ``svg``, a static picture.  ``perfetto``, Chrome
    trace-event JSON of the whole run, for ui.perfetto.dev.  ``vcd``, a Value Change Dump of it, for GTKWave and its like.
    ``btf``, the Best Trace Format of AMALTHEA.  ``ctf``, a folder in the Common Trace Format.
    ``window``: what page and picture show, in ticks from the start of the first round; None: the first round.  ``network``: the
    name of a network, of which the panels are the nodes.
    """
    other = import_module(f"carillon.show.{form}") if form in OTHERS else None
    if other is not None and form in FOLDERS:
        other.write(path, panels)
        return
    with replacing(path) as stream:
        if other is not None:
            other.write(stream, panels)
        elif form == "html":
            from carillon.show import html

            html.write(stream, panels, window, network)
        else:
            from carillon.show import svg

            svg.write(stream, panels, window)
