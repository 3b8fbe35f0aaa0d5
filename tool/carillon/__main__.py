# SPDX-License-Identifier: Apache-2.0
"""The command ``carillon``, and ``python -m carillon``."""

from __future__ import annotations

import signal


def main() -> None:
    """Entry point.  Until the modules are read, an interrupt ends the process as it ends any other, without a traceback."""
    handler = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from carillon.cli import main as run

    signal.signal(signal.SIGINT, handler)
    run()


if __name__ == "__main__":
    main()
