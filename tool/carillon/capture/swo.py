# SPDX-License-Identifier: Apache-2.0
"""The packets of an ITM, as the pin SWO sends them: ARMv7-M Architecture Reference Manual, appendix D4.

1. A source packet begins with its size (bits 0 and 1).  Bit 2 says whether hardware sent it, or a program to a stimulus port.
2. A packet of a time, or an extension, goes on for as long as bit 7 is set.  An overflow is one byte.
3. Five bytes of 0 and 0x80 are a synchronization.  No other packet has so many zeros, so it is seen also by one who has begun in
   the middle of a packet.
"""

from __future__ import annotations

SYNCHRONIZES, ZEROS = 0x80, 5
OVERFLOW = 0x70
_SIZES = (0, 1, 2, 4)
_HARDWARE = 4


class Swo:
    """Takes what one stimulus port was told out of packets, in pieces of any size."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._left = 0  # bytes of the payload that are still to come
        self._own = False  # it is the port's
        self._goes_on = False  # a packet that bit 7 continues
        self._zeros = 0
        self.overflows = 0
        """Overflows of the ITM's buffer: packets of somebody were lost."""

    def feed(self, data: bytes) -> bytes:
        """What the port was told in these bytes."""
        told = bytearray()
        for byte in data:
            zeros, self._zeros = self._zeros, self._zeros + 1 if byte == 0 else 0
            if byte == SYNCHRONIZES and zeros >= ZEROS:
                self._left, self._goes_on = 0, False
            elif self._left:
                self._left -= 1
                if self._own:
                    told.append(byte)
            elif self._goes_on:
                self._goes_on = byte >= 0x80
            else:
                self._begin(byte)
        return bytes(told)

    def _begin(self, header: int) -> None:
        """A packet begins."""
        self._left = _SIZES[header & 3]
        if self._left:
            self._own = not header & _HARDWARE and header >> 3 == self._port
        elif header == OVERFLOW:
            self.overflows += 1
        else:
            self._goes_on = header >= 0x80
