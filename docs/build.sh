#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Write the output and the pictures in README.md and docs/ anew: docs/build.sh [--check] [--quick]
# Runs with PYTHON, else with the checkout's .venv, else with python3; it needs the tool's own packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ -z "${PYTHON:-}" ]; then
    PYTHON=python3
    if [ -x .venv/bin/python ]; then
        PYTHON=.venv/bin/python
    fi
fi
PYTHONPATH=tool exec "$PYTHON" docs/build.py "$@"
