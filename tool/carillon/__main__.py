# SPDX-License-Identifier: Apache-2.0
"""``python -m carillon`` is the command ``carillon``."""

from carillon.cli import main

if __name__ == "__main__":
    main()
