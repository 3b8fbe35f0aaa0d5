# SPDX-License-Identifier: Apache-2.0
"""Files in the formats of other tools, which are no part of the firmware: one module per format."""
