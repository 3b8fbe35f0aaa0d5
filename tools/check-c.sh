#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cppcheck with its MISRA addon on kernel, ports, cells and boards; deviations: docs/MISRA.md.
set -eu
cd "$(dirname "$0")/.."
suppressions=${1:-tools/cppcheck-suppressions.txt}
found=0

# check PORT DEFINES FOLDERS...: one configuration of the kernel, with one port.  What the addon finds across
# files does not change cppcheck's exit code, so that any output counts.
check() {
    port=$1 defines=$2
    shift 2
    # shellcheck disable=SC2086 # the defines are separate words
    output=$(cppcheck --quiet --inline-suppr --addon=misra --std=c11 --enable=warning,portability \
        "--suppressions-list=$suppressions" --suppress=missingIncludeSystem \
        --template='{file}:{line}: {id}: {message}' \
        -Ikernel/include "-Iports/$port" -I. -Itests/kernel $defines \
        -iports/armv7m/trace_plugin.c kernel "ports/$port" "$@" 2>&1) || found=1
    if [ -n "$output" ]; then
        printf '%s\n' "$output"
        found=1
    fi
}

check host "-DCARILLON_MODES=1 -DCARILLON_SHUTDOWN_ON_MISS=1" cells/virtual
check host "-DCARILLON_MODES=2 -DCARILLON_CONVENTIONAL=1" cells/virtual
check armv7m "-DCARILLON_MODES=2 -DCARILLON_INSTRUCTIONS_PER_TICK=5u" cells/aspeed cells/cmsdk cells/dualtimer cells/systick boards
exit $found
