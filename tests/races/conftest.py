# SPDX-License-Identifier: Apache-2.0
"""The reference model and its writer of C are those of ``tests/osek``."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "osek"))
