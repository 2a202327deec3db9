#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The kernels in aarch64 code under QEMU's user mode: a static program without CRoaring, seconds where run.sh takes minutes.
# test_arm_kernels.sh SOURCE_DIR WORK_DIR; exit 77 where the cross compiler or the emulator is missing.
set -eu
source=$1
work=$2
cc=aarch64-linux-gnu-gcc
command -v $cc >/dev/null || { echo "skip: no $cc (package gcc-aarch64-linux-gnu)"; exit 77; }
emulator=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || {
    echo "skip: no qemu-aarch64 (package qemu-user-static)"
    exit 77
}
mkdir -p "$work"
cd "$source"
# What calls CRoaring stays out; the registry then lists it as missing.
files=$(find kernels -name '*.c' ! -name 'per_row.c' ! -name 'batch_iterator.c' ! -name 'dv_roaring.c')
echo "compiling $(echo "$files" | wc -l) files"
# shellcheck disable=SC2086
$cc -std=gnu11 -D_GNU_SOURCE -DDVBENCH_ROARING_VERSION='""' -O2 -static -Wall -Wextra -Werror -Ikernels -Itests/kernels \
    tests/qemu/arm_kernels.c tests/kernels/payload.c $files -o "$work/arm_kernels" 2>"$work/arm_kernels.log" || {
    if grep -q 'cannot find -lc\|No such file or directory.*stdlib' "$work/arm_kernels.log"; then
        echo "skip: no C library for aarch64 (package libc6-dev-arm64-cross)"
        exit 77
    fi
    cat "$work/arm_kernels.log"
    exit 1
}
status=0
"$emulator" "$work/arm_kernels" >"$work/arm_kernels.out" || status=$?
cat "$work/arm_kernels.out"
[ $status -eq 0 ] || exit 1
grep -q '^direct_neon$' "$work/arm_kernels.out" || { echo "direct_neon did not run"; exit 1; }
