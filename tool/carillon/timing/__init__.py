# SPDX-License-Identifier: Apache-2.0
"""Bounds of the times that an image's code takes, by the prices that its port declares."""
