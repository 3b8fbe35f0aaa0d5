#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves invariants.svh by induction with yosys alone (0.23 of Debian 12 will do), for 1 and for 4 cells, or for as many
# as its arguments say: a few seconds.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
[ $# -gt 0 ] || set -- 1 4
for cells; do
    if yosys -p "read_verilog -sv -formal -D FORMAL -I$here $here/../timer_array_pkg.sv $here/../timer_array.sv
        chparam -set CELLS $cells timer_array
        prep -flatten -top timer_array
        select -assert-min 1 t:\$assert
        async2sync
        dffunmap
        opt
        sat -verify -set-assumes -prove-asserts -tempinduct -seq 1 -maxsteps 4 -show-inputs -show-regs timer_array" \
            >"$log" 2>&1
    then
        echo "$cells cells: proved"
    else
        tail -n 200 "$log"
        exit 1
    fi
done
