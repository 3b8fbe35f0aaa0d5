# SPDX-License-Identifier: Apache-2.0
"""Allocation: which timer cell carries which expiry points, by the least kernel code per round."""
