#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves invariants.svh by induction, for 1 and for 3 cells; needs yosys and z3 (packages yosys and z3 of Debian 12).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for cells in 1 3; do
    yosys -q -p "read_verilog -sv -formal -D FORMAL -I$here $here/../timer_array_pkg.sv $here/../timer_array.sv
        chparam -set CELLS $cells timer_array
        prep -top timer_array
        async2sync
        dffunmap
        write_smt2 -wires $scratch/$cells.smt2" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
    for how in "" -i; do
        # Without -i: from reset on, 10 cycles.  With -i: from any state, so for ever.
        if yosys-smtbmc -s z3 -t 10 $how "$scratch/$cells.smt2" >"$scratch/log" 2>&1; then
            echo "$cells cells, ${how:-from reset}: proved"
        else
            cat "$scratch/log"
            exit 1
        fi
    done
done
