#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts/qemu10.sh: unpack QEMU 10 from Debian's backports into build/qemu10, beside the QEMU that is installed, which it
# leaves alone.  tests/firmware/test_emulators.py compares the two.  Does nothing where it is there already.  Where it
# cannot be had it says so and succeeds: the tests are skipped.
#
# Needs no root.  DEBIAN_MIRROR names another mirror.
set -eu
cd "$(dirname "$0")/.."

folder=$PWD/build/qemu10
programs="qemu-system-arm qemu-system-riscv32"

without() {
    echo "qemu10: $*; the tests with QEMU 10 are skipped" >&2
    rm -rf "$folder"
    exit 0
}

run() { # do the programs run here, with the libraries of this machine?
    for program in $programs; do
        "$folder/usr/bin/$program" --version >/dev/null 2>&1 || return 1
    done
}

run && exit 0
for tool in apt-get dpkg timeout; do
    command -v "$tool" >/dev/null || without "no $tool here"
done
rm -rf "$folder"
mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/packages"
echo "deb ${DEBIAN_MIRROR:-http://deb.debian.org/debian} bookworm-backports main" >"$folder/sources.list"

# apt-get with lists of its own.
apt() {
    timeout 120 apt-get -qq -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$folder/lists" -o Dir::Cache="$folder/cache" -o APT::Sandbox::User=root "$@" >/dev/null 2>&1
}

echo "qemu10: fetching QEMU 10 from Debian's backports"
apt update || without "the package lists cannot be had"
(cd "$folder/packages" && apt download qemu-system-arm/bookworm-backports qemu-system-riscv/bookworm-backports) ||
    without "the backports do not have it for this machine, or cannot be reached"
for package in "$folder"/packages/*.deb; do
    dpkg -x "$package" "$folder"
done
rm -rf "$folder/lists" "$folder/cache" "$folder/packages" "$folder/sources.list"
run || without "it does not run with this machine's libraries"
