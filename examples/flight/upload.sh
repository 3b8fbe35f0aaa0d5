#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lets the flight controller run in QEMU, sends it a program, and draws its last period:
# upload.sh PROGRAM MILLISECONDS [OPTIONS OF carillon microcode upload]
set -euo pipefail
program=$1 period=$2
shift 2
rm -f line
carillon run flight.giotto --serial line --for 5s --events flight.jsonl > run.txt &
until [ -S line ]; do sleep 0.1; done # QEMU waits for who connects
carillon microcode upload "$program" --to line "$@" | grep "last upload" || true
wait
python timeline.py flight.jsonl "$period"
