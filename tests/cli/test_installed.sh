#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#   test_installed.sh BUILD_DIR WORK_DIR
#
# The program as `meson install` leaves it: it starts, with the CRoaring that it was built with, and does not look into
# the build folder for it.
set -eu
build=$1
work=$2
rm -rf "$work"
meson install -C "$build" --destdir "$work" --no-rebuild >"$build/install.log" 2>&1 || { cat "$build/install.log"; exit 1; }
program=$(find "$work" -path '*/bin/dvbench')
"$program" list kernels >/dev/null
[ "$("$program" --version)" = "$("$build/bench/commands/dvbench" --version)" ] || { echo 'another version'; exit 1; }
if readelf -d "$program" | grep -i 'runpath\|rpath' | grep -F "$build"; then
    echo 'the installed program looks into the build folder'
    exit 1
fi
