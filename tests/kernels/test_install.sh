#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The library as others take it: installed into a folder, found by pkg-config, used by the very code that kernels/README.md shows.
# test_install.sh SOURCE_DIR BUILD_DIR WORK_DIR CC; exit 77 without pkg-config.
set -eu
source=$1
build=$2
work=$3
shift 3
command -v pkg-config >/dev/null || { echo "skip: no pkg-config"; exit 77; }
rm -rf "$work"
mkdir -p "$work"
meson install -C "$build" --destdir "$work/root" --no-rebuild --tags devel >"$work/install.log" 2>&1 || {
    cat "$work/install.log"
    exit 1
}
pc=$(find "$work/root" -name dvkernels.pc)
[ -n "$pc" ] || { echo "no dvkernels.pc installed"; exit 1; }
PKG_CONFIG_PATH=$(dirname "$pc")
PKG_CONFIG_SYSROOT_DIR=$work/root
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
sed -n '/^```c$/,/^```$/p' "$source/kernels/README.md" | sed '/^```/d' >"$work/reader.c"
[ "$(grep -c dv_reader_apply "$work/reader.c")" -eq 1 ] || { echo "README.md shows no reader"; exit 1; }
cat "$source/tests/kernels/install_main.c" >>"$work/reader.c"
# shellcheck disable=SC2046
"$@" -std=c11 -Wall -Wextra -Werror -O1 "$work/reader.c" $(pkg-config --cflags --libs dvkernels) -o "$work/reader"
! "$work/reader" broken >/dev/null || { echo "a broken payload was taken"; exit 1; }
"$work/reader"
