# SPDX-License-Identifier: Apache-2.0
"""Export in the Common Trace Format 1.8: a folder with ``metadata`` in TSDL, and one stream of one packet.

Its clock counts 1/scale ticks, so every time is exact.  babeltrace and Trace Compass read it.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from pathlib import Path

from carillon import __version__
from carillon.files import write_bytes, write_text
from carillon.show.scene import Panel
from carillon.show.steps import Step, origin, steps

MAGIC = 0xC1FC1FC1
_METADATA = """\
/* CTF 1.8 */
typealias integer {{ size = 8; align = 8; signed = false; }} := uint8_t;
typealias integer {{ size = 32; align = 8; signed = false; }} := uint32_t;
trace {{
    major = 1;
    minor = 8;
    byte_order = le;
    packet.header := struct {{ uint32_t magic; uint32_t stream_id; }};
}};
env {{
    tracer_name = "carillon";
    tracer_version = "{version}";
    application = "{application}";
}};
clock {{
    name = schedule;
    description = "from tick {first} on";
    freq = {hz};
    offset = 0;
}};
typealias integer {{ size = 64; align = 8; signed = false; map = clock.schedule.value; }} := stamp_t;
stream {{
    id = 0;
    event.header := struct {{ uint8_t id; stamp_t timestamp; }};
}};
"""
_EVENT = """\
event {{
    name = "{name}";
    id = {number};
    stream_id = 0;
    fields := struct {{ string kernel; string task; uint32_t activation; }};
}};
"""


def write(folder: Path, panels: Sequence[Panel]) -> None:
    """Write the folder, which is made if it does not exist."""
    folder.mkdir(parents=True, exist_ok=True)
    first, finest = origin(panels), math.lcm(*(panel.scale for panel in panels))
    trace = panels[0].trace
    head = _METADATA.format(version=__version__, application=trace.application, first=first, hz=trace.clock_hz * finest)
    numbers = {step: number for number, step in enumerate(Step)}
    write_text(folder / "metadata", head + "".join(_EVENT.format(name=s.value, number=n) for s, n in numbers.items()))
    events: list[tuple[int, bytes]] = []
    for panel in panels:
        kernel = (panel.trace.node or panel.trace.kernel).encode()
        for happening in steps(panel, first):
            time = happening.time * (finest // panel.scale)
            fields = kernel + b"\0" + happening.lane.name.encode() + b"\0" + struct.pack("<I", happening.number)
            events.append((time, struct.pack("<BQ", numbers[happening.step], time) + fields))
    events.sort(key=lambda event: event[0])
    write_bytes(folder / "stream", struct.pack("<II", MAGIC, 0) + b"".join(event for _, event in events))
