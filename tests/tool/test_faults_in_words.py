# SPDX-License-Identifier: Apache-2.0
"""The address of a fault of Cortex-M stands in the register that its kind has (ARMv7-M, B3.2.18 and B3.2.19)."""

from __future__ import annotations

import struct

import pytest

from carillon.run.faults import _of_arm
from carillon.run.memory import STATUS, Saved

NOT_ALLOWED, NO_MEMORY = 0x1111, 0x2222


@pytest.mark.parametrize(("status", "address"), [(0x82, NOT_ALLOWED), (0x8200, NO_MEMORY)])
def test_the_address_is_of_the_register_that_the_fault_has(status: int, address: int) -> None:
    registers = struct.pack("<5I", status, 0, 0, NOT_ALLOWED, NO_MEMORY)
    memory = Saved(status=STATUS, content={STATUS[0]: registers}, found={"frame": struct.pack("<8I", 0, 0, 0, 0, 0, 0, 0x86E, 0)})
    found = _of_arm("R13=20000100\nXPSR=60000003 ", memory)
    assert found is not None
    assert (found.address, found.sp, found.pc, found.cause) == (address, 0x20000100, 0x86E, 3)
