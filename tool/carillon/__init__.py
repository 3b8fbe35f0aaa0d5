# SPDX-License-Identifier: Apache-2.0
"""Carillon: compiles a real-time schedule into a microcontroller's timers and interrupt controller."""

__version__ = "0.1.0"
