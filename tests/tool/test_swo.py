# SPDX-License-Identifier: Apache-2.0
"""What one stimulus port was told is taken out of the packets of SWO, whatever stands between and wherever pieces end."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from carillon.capture.swo import Swo

PORT = 1


@dataclass(frozen=True)
class Packet:
    """Its bytes, by the tables of ARMv7-M's manual (D4.2), and what it tells the port."""

    line: bytes
    told: bytes = b""
    overflow: bool = False


def source(size_code: int, hardware: bool, number: int, content: bytes) -> Packet:
    header = number * 8 + 4 * hardware + size_code
    return Packet(bytes([header]) + content, content if not hardware and number == PORT else b"")


def going_on(first: int, count: int, bits: int) -> Packet:
    """A packet of `count` bytes behind the first, all but the last of which have bit 7 set."""
    payload = [bits >> (7 * k) & 0x7F | 0x80 for k in range(count)]
    if payload:
        payload[-1] &= 0x7F
    return Packet(bytes([first, *payload]))


SYNC = Packet(bytes(5) + b"\x80")
SOURCES = st.sampled_from([(1, 1), (2, 2), (3, 4)]).flatmap(
    lambda size: st.builds(
        source,
        st.just(size[0]),
        st.booleans(),
        st.one_of(st.just(PORT), st.integers(0, 31)),
        st.binary(min_size=size[1], max_size=size[1]),
    )
)
PACKETS = st.lists(
    st.one_of(
        SOURCES,
        st.just(SYNC),
        st.just(Packet(b"\x70", overflow=True)),
        st.integers(1, 6).map(lambda time: Packet(bytes([time << 4]))),  # a local timestamp of one byte
        st.builds(going_on, st.sampled_from([0xC0, 0xD0, 0xE0, 0xF0]), st.integers(1, 4), st.integers(0, 2**28 - 1)),
        st.builds(going_on, st.just(0x94), st.integers(1, 4), st.integers(0, 2**26 - 1)),  # a global one
        st.builds(going_on, st.just(0xB4), st.integers(4, 6), st.integers(0, 2**22 - 1)),
        st.sampled_from([0x08, 0x0C, 0x78]).map(lambda first: Packet(bytes([first]))),  # an extension
        st.builds(going_on, st.sampled_from([0x88, 0xF8]), st.integers(1, 4), st.integers(0, 2**28 - 1)),
    ),
    max_size=40,
)


def pieces(line: bytes, cuts: list[int]) -> list[bytes]:
    at = sorted({0, len(line), *(cut % (len(line) + 1) for cut in cuts)})
    return [line[begin:end] for begin, end in pairwise(at)]


@given(PACKETS, st.lists(st.integers(0, 400), max_size=8))
def test_the_port_is_told_what_its_packets_have(packets: list[Packet], cuts: list[int]) -> None:
    swo = Swo(PORT)
    told = b"".join(swo.feed(piece) for piece in pieces(b"".join(p.line for p in packets), cuts))
    assert told == b"".join(p.told for p in packets)
    assert swo.overflows == sum(p.overflow for p in packets)


@given(st.binary(max_size=20), PACKETS)
def test_a_synchronization_ends_whatever_came_before(lead: bytes, packets: list[Packet]) -> None:
    swo = Swo(PORT)
    swo.feed(lead + SYNC.line)
    told = swo.feed(b"".join(p.line for p in packets))
    assert told == b"".join(p.told for p in packets)


def test_a_capture_that_begins_within_a_packet_is_right_from_the_next_header_that_fits() -> None:
    words = b"".join(b"\x0b" + bytes([0x80 + k, 1, 2, 3]) for k in range(60))
    for cut in range(1, 5):
        swo = Swo(PORT)
        assert swo.feed(words[cut:] + SYNC.line + words).endswith(b"".join(words[k + 1 : k + 5] for k in range(0, len(words), 5)))
