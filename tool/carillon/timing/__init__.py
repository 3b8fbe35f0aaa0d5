# SPDX-License-Identifier: Apache-2.0
"""How long what an image does takes at most, by the prices that its port declares."""
