# SPDX-License-Identifier: Apache-2.0
"""Running a network: the nodes' images in one virtual time, and the events of each node, clock and bus.

``emulators/network`` runs the nodes; its files are read here.
"""

from __future__ import annotations

import shutil
import struct
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from carillon.build import Firmware
from carillon.build.symbols import symbols
from carillon.diagnostics import Diagnostics
from carillon.image import Image
from carillon.model.network import Clock, Network, Node, Stretch
from carillon.resources import data_root
from carillon.run import NOTHING_STARTS, emulate, failed
from carillon.run.emulators import compiled
from carillon.run.entries import Code, Record
from carillon.run.records import Decoder, read_records
from carillon.trace import Trace

_STRETCH = struct.Struct("<5Q")
_REPORT = struct.Struct("<2Q")
_MESSAGE = struct.Struct("<4Q")
_NEVER = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Built:
    """A node's image, firmware and shared object."""

    image: Image
    firmware: Firmware
    object: Path


@dataclass(frozen=True, slots=True)
class Message:
    """A message on its way to one receiver; ``arrival`` None: lost.  Times in picoseconds; nodes by their numbers."""

    sent: int
    arrival: int | None
    sender: int
    receiver: int
    number: int


@dataclass(frozen=True, slots=True)
class NodeRun:
    """What a node did.

    ``trace`` is of the recorded part, in the node's own ticks; its tick 0 is the tick ``begin`` of the clock.  ``reports`` has
    (picosecond, what the application took the network's time for, in ticks).  ``sent`` counts messages, ``lost`` and
    ``doubled`` what became of them on the way to each receiver, ``received`` what arrived here.
    """

    node: Node
    trace: Trace
    begin: int
    clock: Clock
    reports: tuple[tuple[int, int], ...]
    sent: int
    lost: int
    doubled: int
    received: int


@dataclass(frozen=True, slots=True)
class NetworkRun:
    """A run of a network, for ``length`` picoseconds, of which traces and messages have the first ``recorded``.

    ``passes``: how often a node let time pass; ``switches``: how often another one went on then.
    """

    network: Network
    length: int
    recorded: int
    nodes: tuple[NodeRun, ...]
    messages: tuple[Message, ...]
    passes: int
    switches: int


def run_network(
    network: Network, built: Sequence[Built], length: int, recorded: int, diagnostics: Diagnostics
) -> NetworkRun | None:
    """Run the nodes for ``length`` picoseconds from the network's start; None after C093 (no C compiler) or C095 (it failed)."""
    headers = ("host/network.h", "network/oscillator.h", "parent.h")
    runner = compiled("network", "network/network.c", headers, diagnostics, ("-I", str(data_root())), ("-ldl",))
    if runner is None:
        return None
    with tempfile.TemporaryDirectory(prefix="carillon-") as scratch:
        folder = Path(scratch)
        plan = folder / "plan"
        plan.write_text(_plan(network, built, length, recorded, folder), encoding="utf-8")
        result = emulate([str(runner), str(plan)], "look for a task that neither ends nor waits", diagnostics)
        if result is None:
            return None
        lines = result.stdout.decode(errors="replace").splitlines()
        if result.returncode or not lines or not lines[-1].startswith("network "):
            failed(result, "failed", "look at the applications' own code", diagnostics)
            return None
        nodes = []
        for number, (node, one) in enumerate(zip(network.nodes, built, strict=True)):
            found = _node_run(node, one, folder / str(number), lines[number], recorded >= length, diagnostics)
            if found is not None:
                nodes.append(found)
        if diagnostics.errors:
            return None
        passes, switches = (int(word) for word in lines[-1].split()[1:])
        return NetworkRun(network, length, recorded, tuple(nodes), _messages(folder / "messages"), passes, switches)


def _plan(network: Network, built: Sequence[Built], length: int, recorded: int, folder: Path) -> str:
    """What network.c reads: numbers, and paths at the ends of lines."""
    lines = [f"folder {folder}", f"run {length} {min(recorded, length)} {network.seed}"]
    for number, (node, application) in enumerate(zip(network.nodes, built, strict=True)):
        library = folder / f"{number}.so"  # the loader takes equal files for one
        shutil.copyfile(application.object, library)
        lines.append(f"node {node.name} {node.start} {application.image.system.clock_hz}")
        lines += [f"error {at} {error}" for at, error in node.oscillator.errors]
        wander, link = node.oscillator.wander, node.link
        if wander is not None:
            lines.append(f"wander {wander.step} {wander.bound} {wander.every}")
        lines.append(f"link {link.latency} {link.jitter} {link.loss} {link.duplicate} {link.late} {link.late_by}")
        lines.append(f"load {library}")
    return "\n".join(lines) + "\n"


def _node_run(node: Node, built: Built, files: Path, line: str, whole: bool, diagnostics: Diagnostics) -> NodeRun | None:
    """What a node's files say; None after C095 if its application has started nothing.

    ``whole``: the run was recorded to its end.  Otherwise the node may have begun after the recorded part.
    """
    records = read_records(files.with_suffix(".records"))
    clock = Clock(
        built.image.system.clock_hz,
        tuple(Stretch(b, t, m | h << 64, r) for b, t, m, h, r in _STRETCH.iter_unpack(files.with_suffix(".clocks").read_bytes())),
    )
    decoder = Decoder(built.image, symbols(built.object))
    begin = decoder.origin(records)
    halts = [r for r in records if r.code == Code.HALT]
    ended = built.image.system.osek is not None and any(r.value for r in halts)
    if begin is None and not ended and (whole or not halts):
        diagnostics.error("C095", node.span, f"node '{node.name}': {NOTHING_STARTS[0]}", NOTHING_STARTS[1])
        return None
    halt = halts[0] if halts else Record(0, Code.HALT, 0)
    output = files.with_suffix(".output").read_text(encoding="utf-8", errors="replace")
    # A node that stopped by itself did so within the tick, which the trace has, too.
    trace = decoder.trace(records, max(0, halt.time + bool(halt.value) - (begin or 0)), 0, output)
    reports = tuple(_REPORT.iter_unpack(files.with_suffix(".reports").read_bytes()))
    sent, lost, doubled, received = (int(word) for word in line.split()[1:5])
    return NodeRun(node, trace, begin or 0, clock, reports, sent, lost, doubled, received)


def _messages(path: Path) -> tuple[Message, ...]:
    return tuple(
        Message(sent, None if arrival == _NEVER else arrival, nodes >> 32, nodes & 0xFFFFFFFF, number)
        for sent, arrival, nodes, number in _MESSAGE.iter_unpack(path.read_bytes())
    )
