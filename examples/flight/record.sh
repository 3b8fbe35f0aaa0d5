#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lets the flight controller run in QEMU, and makes S code of what its scheduler decides: record.sh FILE
set -euo pipefail
rm -f line
carillon run flight.giotto --serial line --for 5s > run.txt &
until [ -S line ]; do sleep 0.1; done # QEMU waits for who connects
carillon microcode record flight.giotto --to line --out "$1"
wait
