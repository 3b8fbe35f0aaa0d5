# SPDX-License-Identifier: Apache-2.0
"""Writes the words that the application has printed to a file, as a debugger does: dump.py FILE < the output of a run."""

import json
import struct
import sys
from pathlib import Path

output = json.load(sys.stdin)["runs"][0]["output"]
words = [int(line.split()[1]) for line in output.splitlines()]
Path(sys.argv[1]).write_bytes(struct.pack(f"<{len(words)}I", *words))
