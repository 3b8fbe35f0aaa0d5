# SPDX-License-Identifier: Apache-2.0
"""``python -m bench.papers``."""

from bench.papers.commands import main

main()
