#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts/setup.sh run|test|docs|coverage|peers: install what `make run`, `make test`, `make docs` or `make coverage` needs, or
# Rust for the kernels that `python -m bench.papers services` has beside Carillon's: Debian packages where they are missing,
# and .venv with this checkout.  Does nothing where everything is there, and removes no package.
#
# Another program may hold a lock of the package manager: a fresh machine runs its own upgrade.  This waits for it, ten
# minutes in all, or as many seconds as CARILLON_LOCK_SECONDS says, and says so.
set -eu
cd "$(dirname "$0")/.."

purpose=${1:-run}
packages="gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm gcc libc6-dev"
extra=""
case $purpose in
run) ;;
test)
    packages="$packages git gdb gdb-multiarch gdb-avr qemu-utils babeltrace g++ clang-format cppcheck cmake ninja-build libcmocka-dev"
    packages="$packages gcc-avr avr-libc binutils-avr simavr libsimavr-dev arduino-builder arduino-core-avr"
    packages="$packages gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf qemu-system-misc yosys spin"
    # Node's own packages bring npm without a package of that name, which cannot be installed beside them.
    command -v node >/dev/null && command -v npm >/dev/null || packages="$packages nodejs npm"
    extra="[dev]"
    ;;
docs)
    packages=""
    extra="[docs]"
    ;;
coverage)
    packages="clang-19 llvm-19 libclang-rt-19-dev"
    extra="[dev]"
    ;;
peers)
    # Any Rust on the path will do that has the source of its library, from which that of the board is built.
    rust="rustc-web cargo-web rust-web-src"
    IFS=:
    for folder in $PATH; do
        root=$("$folder/rustc" --print sysroot 2>/dev/null || true)
        if [ -x "$folder/cargo" ] && [ -d "$root/lib/rustlib/src/rust/library/core" ]; then rust=""; fi
    done
    unset IFS
    packages="$packages $rust"
    ;;
*)
    echo "usage: scripts/setup.sh run|test|docs|coverage|peers" >&2
    exit 2
    ;;
esac

stop() {
    echo "setup: $*" >&2
    exit 1
}

# The packages among the arguments that are not installed.
missing_packages() {
    for package in "$@"; do
        state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
        [ "$state" = "install ok installed" ] || printf '%s ' "$package"
    done
}

install_packages() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        echo "setup: no Debian here; make sure yourself that these are installed: $*" >&2
        return
    fi
    # shellcheck disable=SC2046 # one word a package
    set -- $(missing_packages "$@")
    [ $# -gt 0 ] || return 0
    if [ "$(id -u)" = 0 ]; then
        root=""
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        root="sudo -n"
    else
        stop "these packages are missing; install them, then run make again:
    sudo apt-get install --no-install-recommends $*"
    fi
    echo "setup: installing $*"
    # The package lists may be absent or too old: fetch them only if the first attempt fails.
    apt install --no-install-recommends --no-remove -y "$@" || {
        echo "setup: fetching the package lists first"
        apt update || {
            printf '%s\n' "$said" >&2
            stop "apt-get could not fetch the package lists"
        }
        apt install --no-install-recommends --no-remove -y "$@"
    } || {
        printf '%s\n' "$said" >&2
        stop "apt-get could not install $*"
    }
}

# apt-get, whose output is in `said`; run again while what it says is that a lock is held.  Its own option,
# DPkg::Lock::Timeout, waits for one of its locks only, not for that of the package lists.
left=${CARILLON_LOCK_SECONDS:-600}
waits=""
apt() {
    while :; do
        said=$($root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" 2>&1) && return
        lock=$(printf '%s\n' "$said" | grep -m 1 -E 'Could not get lock|(was|is) locked by another process') || return 1
        lock=${lock#E: }
        [ "$left" -gt 0 ] || stop "the package manager's lock was not free in ${CARILLON_LOCK_SECONDS:-600} s:
    $lock
    wait until that program has ended, or end it, then run make again"
        if [ "$lock" != "$waits" ]; then
            echo "setup: waiting for another program, $left s at most: $lock"
            waits=$lock
        fi
        sleep 2
        left=$((left - 2))
    done
}

# A Python of 3.11 or newer; CARILLON_PYTHON names another.
find_python() {
    for candidate in ${CARILLON_PYTHON:-python3 python3.11 python3.12 python3.13 python3.14}; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    stop "Carillon needs Python 3.11 or newer, and none of ${CARILLON_PYTHON:-python3, python3.11 to python3.14} is;
    on Debian 12 or newer: apt-get install python3"
}

make_venv() {
    [ -x .venv/bin/python ] && .venv/bin/python -m pip --version >/dev/null 2>&1 && return
    python=$(find_python)
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        version=$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
        install_packages "$version-venv"
    fi
    echo "setup: making .venv with $("$python" --version)"
    rm -rf .venv
    "$python" -m venv .venv
}

# shellcheck disable=SC2086 # one word a package
install_packages $packages
[ "$purpose" != test ] || scripts/qemu10.sh
make_venv
stamp=.venv/carillon-$purpose.stamp
sum=$(cksum <pyproject.toml)
if [ "$(cat "$stamp" 2>/dev/null)" != "$sum" ]; then
    echo "setup: installing carillon$extra and its Python dependencies into .venv"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -e ".$extra"
    printf '%s\n' "$sum" >"$stamp"
fi
