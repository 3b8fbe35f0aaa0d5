#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cppcheck with its MISRA addon on kernel, ports, cells, devices and boards; deviations: docs/MISRA.md.
# By default 18 of the 32 configurations, in which every file is, and one of the others, which turns with the commit.
# CARILLON_SUITES=all checks each of them, and --only N the N-th.  --list names each one's port.
set -eu
cd "$(dirname "$0")/.."
suppressions=scripts/cppcheck-suppressions.txt
case ${1:-} in
--list)
    sed -n -e 's/^\(more \)\{0,1\}check \([a-z0-9]*\) .*/\2/p' -e 's/^\(more \)\{0,1\}check_time .*/time/p' "$0"
    exit
    ;;
--only)
    only=$2
    CARILLON_SUITES=all
    ;;
"") only="" ;;
*)
    echo "usage: $0 [--list | --only N]" >&2
    exit 2
    ;;
esac
configurations=$(mktemp)
trap 'rm -f "$configurations"' EXIT

# misra OPTIONS...: a configuration to check.
misra() {
    [ -n "$more" ] && [ "${CARILLON_SUITES:-}" != all ] || printf '%s\n' "$*" >>"$configurations"
    more=""
}

# more COMMAND...: one whose files and most of whose lines other configurations have, too.
more() {
    more=1
    [ "$turn" -ne 0 ] || more=""
    turn=$((turn - 1))
    "$@"
}
more=""
draw=${CARILLON_DRAW:-$(git rev-parse --short=12 HEAD 2>/dev/null || true)}
turn=$(($(printf '%s' "$draw" | cksum | cut -d ' ' -f 1) % $(grep -c '^more check' "$0")))

# check PORT DEFINES FOLDERS...: one configuration of the kernel without time services, with one port.
check() {
    port=$1 defines=$2
    shift 2
    for folder in "$@"; do # a family's driver is a header, which cppcheck looks at if it is named
        shift
        case $folder in cells/*) set -- "$@" "$folder/cell.h" ;; *) set -- "$@" "$folder" ;; esac
    done
    ignore="-ikernel/clock -ikernel/time -ikernel/giotto -ikernel/rtos"
    case $defines in *CARILLON_STREAM=1*) ;; *) ignore="$ignore -ikernel/core/stream.c -ikernel/core/stream_uart.c -ikernel/core/stream_rtt.c -iports/armv7m/stream_itm.c" ;; esac
    case $defines in *CARILLON_OSEK=1*) ;; *) ignore="$ignore -ikernel/levels -ikernel/jobs -ikernel/counters -ikernel/run -ikernel/microcode/tasks.c -ikernel/microcode/serial.c" ;; esac
    case $port in avr | rv32) ignore="$ignore -ikernel/core/task_budget.c" ;; esac # they have none
    case $port in rv32) ignore="$ignore -ikernel/core/round_budget.c" ;; esac
    # shellcheck disable=SC2086 # the defines are separate words
    misra "-Iports/$port" $defines $ignore kernel "ports/$port" "$@"
}

# check_time CLOCK COUNTS NOW FAR KEEPS_TIME DEFINES...: one configuration of the time services, on the mock timer.
check_time() {
    configuration="-DCARILLON_CLOCK=CARILLON_CLOCK_$1 -DCARILLON_TIME_COUNTS=$2 -DCARILLON_TIME_NOW=$3 -DCARILLON_TIME_FAR=$4"
    configuration="$configuration -DCARILLON_CLOCK_KEEPS_TIME=$5 -DCARILLON_MODES=0 -DCARILLON_OSEK=1 -DCARILLON_OSEK_TIME=1 -DCARILLON_GIOTTO=1"
    for kind in DELAYS TIMEOUTS FUNCTIONS TASKS EVENTS SEMAPHORES SUSPENSIONS JOINS; do
        configuration="$configuration -DCARILLON_TIME_$kind=1"
    done
    shift 5
    # shellcheck disable=SC2086
    misra -Iports/host -Itests/time -Itests/time/config $configuration "$@" kernel/clock kernel/time kernel/giotto
}

more check host "-DCARILLON_MODES=1 -DCARILLON_SHUTDOWN_ON_MISS=1" cells/virtual emulators/host
check host "-DCARILLON_MODES=2 -DCARILLON_CONVENTIONAL=1" cells/virtual emulators/host
check host "-DCARILLON_MODES=2 -DCARILLON_SYNC=1 -DCARILLON_SYNC_HARD=1 -DCARILLON_SYNC_EDGES=1" cells/virtual emulators/host
check host "-DCARILLON_MODES=1 -DCARILLON_OSEK=1" cells/virtual emulators/host
more check armv7m "-DCARILLON_MODES=0 -DCARILLON_OSEK=1 -DCARILLON_OSEK_LEAST=1" cells/aspeed
recorded="-DCARILLON_TRACE=1 -DCARILLON_STREAM=1"
check armv7m "-DCARILLON_MODES=0 -DCARILLON_OSEK=1 -DCARILLON_OSEK_LEAST=1 -DCARILLON_OSEK_TABLES_SET=1 $recorded" cells/cmsdk
protection="-DCARILLON_OSEK_BUDGETS=1 -DCARILLON_OSEK_FRAMES=4u -DCARILLON_OSEK_PROTECTION_HOOK=1"
check armv7m "-DCARILLON_MODES=0 -DCARILLON_OSEK=1 -DCARILLON_OSEK_SOFTWARE=1 $protection" cells/aspeed
more check armv7m "-DCARILLON_MODES=0 -DCARILLON_OSEK=1 -DCARILLON_OSEK_LOCKS=5u $protection" cells/aspeed
bounded="-DCARILLON_ROUND_BUDGETS=1u -DCARILLON_SHUTDOWN_ON_OVERRUN=1"
check armv7m "-DCARILLON_MODES=2 -DCARILLON_INSTRUCTIONS_PER_TICK=5u -DCARILLON_TIMEKEEPERS=1 $bounded" cells/aspeed cells/cmsdk cells/dualtimer cells/systick boards
armv6m="-DCARILLON_MASK_INTERRUPT=29u -DCARILLON_LEVELS=4u -DCARILLON_INSTRUCTIONS_PER_TICK=125u"
check armv6m "-DCARILLON_MODES=1 -DCARILLON_BELOW_TASKS=1u $armv6m" cells/nrftimer cells/rp2040alarm cells/rp2040pwm
check armv6m "-DCARILLON_MODES=1 -DCARILLON_OSEK=1 -DCARILLON_TESTS_MATCH=1 -DCARILLON_EPOCH=0x40054028 $armv6m $bounded" cells/rp2040alarm
more check armv6m "-DCARILLON_MODES=0 -DCARILLON_OSEK=1 -DCARILLON_OSEK_SOFTWARE=1 -DCARILLON_EPOCH=0x40054028 $armv6m $recorded" cells/nrftimer
check armv7m "-DCARILLON_MODES=1 -DCARILLON_SYNC=1 -DCARILLON_SYNC_HARD=1 -DCARILLON_TESTS_SYNC_MATCH=1" cells/stm32match cells/stm32tim
avr="-D__AVR_ATmega128__ -D__SIZEOF_INT__=2 -DCARILLON_RAM_END=0x10FF -DCARILLON_START_SPACING=16 -DCARILLON_INSTRUCTIONS_PER_TICK=1u -DCARILLON_CLOCK_SELECT=1 -DCARILLON_PRESCALER_RESET=0x40u"
check avr "-DCARILLON_MODES=1 -DCARILLON_EIGHT_BITS=1 $avr" cells/avr16 cells/avr8
more check avr "-DCARILLON_MODES=0 -DCARILLON_OSEK=1 -DCARILLON_OSEK_SOFTWARE=1 $avr" cells/avr16
check avr "-DCARILLON_MODES=1 -DCARILLON_OSEK=1 $avr $bounded" cells/avr16
rv32="-D__riscv -DCARILLON_CLINT=0x2000000u -DCARILLON_INSTRUCTIONS_PER_TICK=25u"
check rv32 "-DCARILLON_MODES=1 -DCARILLON_CONSTRUCTORS=1 $rv32" cells/mtime
more check rv32 "-DCARILLON_MODES=0 -DCARILLON_OSEK=1 -DCARILLON_OSEK_SOFTWARE=1 $rv32" cells/mtime
check rv32clic "-DCARILLON_MODES=1 -D__riscv -DCARILLON_INSTRUCTIONS_PER_TICK=1u" cells/array
more check rv32clic "-DCARILLON_MODES=0 -DCARILLON_OSEK=1 -DCARILLON_OSEK_LEAST=1 -DCARILLON_OSEK_TABLES_MOVE=1 -DCARILLON_OSEK_TABLES_BESIDE=1 -D__riscv -DCARILLON_INSTRUCTIONS_PER_TICK=1u" cells/array
check_time TICK 1 1 0 1 -DCARILLON_TIME_BITS=16
within="-DCARILLON_TIME_UNITS=16u -DCARILLON_TIME_UNIT_HZ=1000u -DCARILLON_TIME_UNIT_HZ_DIVISOR=1u"
# shellcheck disable=SC2086
more check_time TICK 1 1 0 0 -DCARILLON_CLOCK_NESTS=0 -DCARILLON_TIME_UPTIME=1 $within
# shellcheck disable=SC2086
check_time TICK 0 1 0 1 $within -DCARILLON_CLOCK_UNITS=100u -DCARILLON_BASE_BITS=32 -DCARILLON_CLOCK_NESTS=0
check_time ONE_SHOT 0 1 1 1 -DCARILLON_TIME_UPTIME=1 -DCARILLON_CLOCK_RESTARTS=1 -DCARILLON_OSEK_MUTEXES=2u
more check_time ONE_SHOT 0 0 0 0 -DCARILLON_CLOCK_MINIMUM=2u
served="-DCARILLON_OSEK_SERVERS=2u -DCARILLON_SERVERS_CONSTANT=1 -DCARILLON_OSEK_SLICES=1 -DCARILLON_TIME_OFFSETS=1u"
# shellcheck disable=SC2086
check_time ONE_SHOT 0 1 0 1 -DCARILLON_TIME_DEADLINES=2u $served
more check_time ONE_SHOT 0 0 0 0 -DCARILLON_MICROCODE_WAKES=1000u kernel/microcode/tasks.c kernel/run/start.c
more check_time COMPARE 0 1 1 1 -DCARILLON_TIME_SLACK=100u -DCARILLON_CLOCK_SLACK=100u
check_time COMPARE 0 1 0 1 -DCARILLON_TIME_RTC=1 -DCARILLON_NEW_THREADS=2u
check_time ONE_SHOT 0 1 0 1 -DCARILLON_NEW_THREADS=2u -DCARILLON_OSEK_MUTEXES=2u -DCARILLON_RTOS_HEAP=1024u kernel/rtos
more check_time COMPARE 0 1 0 1 -DCARILLON_TIME_RTC=1 -DCARILLON_RTC_LSE_MS=5000u -DCARILLON_NEW_THREADS=2u
more check_time ONE_SHOT 0 0 0 0 -DCARILLON_TIME_SLACK=100u -DCARILLON_CLOCK_SLACK=100u -DCARILLON_QUEUE_TREE=1 -DCARILLON_CLOCK_BEHIND=5u
check_time COMPARE 0 0 0 0 -DCARILLON_TIME_BITS=16 -DCARILLON_CLOCK_BITS=24 -DCARILLON_CLOCK_REQUESTS=1 -DCARILLON_QUEUE_TREE=1

[ -z "$only" ] || sed -i -n "${only}p" "$configurations"

# As many at a time as there are processors, each with a folder for what cppcheck and its addon note of the files.  The
# folder is the configuration's own, and kept.  So a file that includes the same as when it was checked is not checked again.
# What the addon finds across files does not change cppcheck's exit code, so that any output counts.
failed=0
kept=build/cppcheck/$(cat "$0" "$suppressions" "$(command -v cppcheck)" | sha256sum | cut -c 1-16)${only:+-$only}
mkdir -p "$kept"
find build/cppcheck -mindepth 1 -maxdepth 1 ! -path "${kept%-*}*" -exec rm -rf {} +
check_all() {
    # shellcheck disable=SC2016 # the inner shell expands these
    xargs -P "$(nproc)" -L 1 sh -c '
        notes=$0/$(printf "%s" "$*" | sha256sum | cut -c 1-16)
        mkdir -p "$notes"
        cppcheck --cppcheck-build-dir="$notes" "$@" 2>&1 || failed=1
        rm -f "$notes"/*.dump # large, and read by nobody any more
        exit ${failed:-0}' "$kept" --quiet --inline-suppr --addon=misra --std=c11 --enable=warning,portability \
        "--suppressions-list=$suppressions" --suppress=missingIncludeSystem --template='{file}:{line}: {id}: {message}' \
        -Ikernel/api -I. -Itests/kernel <"$configurations" 2>&1
}
# Notes are of a file's tokens: where only a header's lines have moved, notes of different files seem to have it twice.  So what
# is found with notes is looked for again without any.
had_notes=$(ls "$kept")
output=$(check_all) || failed=1
if [ -n "$had_notes" ] && { [ -n "$output" ] || [ $failed -ne 0 ]; }; then
    failed=0
    rm -rf "${kept:?}"/*
    output=$(check_all) || failed=1
fi
if [ -n "$output" ]; then
    printf '%s\n' "$output" | sort -u # several configurations may find the same
    failed=1
fi
exit $failed
