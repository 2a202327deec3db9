#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#   test_check.sh PROGRAM
#
# The command `check`: what it prints, what it takes, and its exit codes.
set -eu

program=$(realpath "$1")
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT

fail() {
    echo "FAILED: $*"
    cat "$box/out" "$box/errors"
    exit 1
}

# Runs `check` with arguments; wants the exit code.
expect() {
    wanted=$1
    shift
    status=0
    "$program" check "$@" >"$box/out" 2>"$box/errors" || status=$?
    [ "$status" -eq "$wanted" ] || fail "check $*: exit $status instead of $wanted"
}

expect 0 uniform:rate=0.05:rows=100000 runs:rows=100000:base=4294900003 --kernel per_row,per_row_raw --sink row_ids,touch
grep -q '^per_row .* ok .* - .* ok$' "$box/out" || fail 'a chosen kernel is ok in the chosen sinks'
[ "$(tail -n 1 "$box/out")" = '2 vectors, 8 verifications ok, 0 wrong' ] || fail 'the last line counts'
! grep -q '^direct_scalar' "$box/out" || fail 'other kernels are not listed'

expect 0 --random 3 --seed 9 none:rows=1 all:rows=70000
[ "$(tail -n 1 "$box/out" | cut -d ' ' -f 1,2)" = '5 vectors,' ] || fail 'random vectors are added to the given ones'
grep -q '^direct_scalar .* ok' "$box/out" || fail 'all kernels run'

# Recipes of its own, whatever the working folder holds.
mkdir "$box/folder" "$box/folder/runs"
cp "$0" "$box/folder/all"
(cd "$box/folder" && expect 0 --kernel direct_scalar --sink live_mask --batch 5000 --max-batches 1 --random 0) ||
    fail 'a file with the name of a recipe is not opened'

expect 0 uniform:rows=10000000000:rate=0.0000001 --kernel direct_scalar --sink live_mask --batch 5000,63 --max-batches 40

expect 0 all:rows=3000 --kernel 'per_row_r*,direct_scalar' --sink all --batch 7
grep -q '^per_row_raw .* ok$' "$box/out" && ! grep -q '^per_row ' "$box/out" || fail 'kernels are chosen by pattern'

# What `sweep` refuses it refuses, in the same words.
for wrong in '--sink all,none' '--sink=' '--kernel per_rw*' '--kernel per_row,,touch' '--batch 0' '--batch 4294967296' '--batch 64,x' \
    '--max-batches 0' '--max-batches 18446744073709551615' '--seed -1' '--rows 0x'; do
    # shellcheck disable=SC2086
    expect 2 all:rows=100 $wrong
    sed 's/^dvbench: check/dvbench: sweep/; s/dvbench check/dvbench sweep/' "$box/errors" >"$box/check"
    # shellcheck disable=SC2086
    ! "$program" sweep --recipe all:rows=100 $wrong --out "$box/run" >"$box/out" 2>"$box/errors" || fail "sweep takes $wrong"
    diff "$box/check" "$box/errors" || fail "check and sweep differ about $wrong"
done

# Recipes are not files, whatever is called like them.
mkdir "$box/named" "$box/named/runs"
(cd "$box/named" && "$program" check --kernel direct_scalar --sink touch --random 0 >"$box/out" 2>"$box/errors") ||
    fail 'a folder called runs is in the way of the recipe'

# Nothing checked is not "ok".
expect 2 --max-batches 0
expect 2 all:rows=100 --kernel no_such_kernel --max-batches 1
"$program" gen --recipe none --format blob -o "$box/empty" >"$box/out"
expect 2 "$box/empty"
grep -q 'empty: found no row to check: .* pass --rows' "$box/errors" || fail 'the empty vector is named'
expect 0 "$box/empty" --rows 100
DVBENCH_CPU_MASK=generic expect 4 all:rows=100 --kernel direct_neon,direct_avx512 --sink row_ids
grep -q 'nothing was checked: direct_' "$box/errors" || fail 'kernels that cannot run are named'
expect 2 all:rows=100 --kernel direct_scalar --sink ''

expect 2 --kernel no_such_kernel
grep -q no_such_kernel "$box/errors" || fail 'the unknown kernel is named'
expect 2 --sink no_such_sink
expect 2 --batch 0
expect 2 --no-such-option
expect 2 no_such_recipe:rows=5
expect 3 "$box/no-such-file"
[ "$(wc -l <"$box/errors")" -eq 1 ] || fail 'an error is one line'
printf 'PFA1 but nothing else of Puffin' >"$box/broken"
expect 3 --dv "$box/broken"
expect 0 --help
