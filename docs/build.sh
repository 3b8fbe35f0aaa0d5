#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Write the output and the pictures in README.md and docs/ anew: docs/build.sh [--check] [--quick]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PYTHONPATH=tool exec "${PYTHON:-python3}" docs/build.py "$@"
