# SPDX-License-Identifier: Apache-2.0
"""The description of a chip in CMSIS-SVD, of which boards are made: its processor, its peripherals and its interrupts."""

from __future__ import annotations

from carillon.read.svd.device import Device, Interrupt, Peripheral, read_device

__all__ = ["Device", "Interrupt", "Peripheral", "read_device"]
