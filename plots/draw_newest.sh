#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Draws the figures and writes the report of the newest run under results/. Where there is none, draws those of a
# reference run into reference-plots/ of the build folder: what is committed stays as it is.
# usage: draw_newest.sh PROGRAM SOURCE_TREE
set -eu
newest=
for summary in "$2"/results/*/summary.csv; do
    if [ -f "$summary" ] && { [ -z "$newest" ] || [ "$summary" -nt "$newest" ]; }; then newest=$summary; fi
done
if [ -z "$newest" ]; then
    for summary in "$2"/results/reference/*/summary.csv "$2"/results/reference/*/*/summary.csv; do
        if [ -f "$summary" ] && { [ -z "$newest" ] || [ "$summary" -nt "$newest" ]; }; then newest=$summary; fi
    done
fi
if [ -z "$newest" ]; then
    echo "no run under $2/results: dvbench sweep makes one" >&2
    exit 4
fi
case "$newest" in
"$2"/results/reference/*) exec "$1" plot "${newest%/summary.csv}" --out "${MESON_BUILD_ROOT:-.}/reference-plots" ;;
esac
"$1" plot "${newest%/summary.csv}"
exec "$1" report "${newest%/summary.csv}"
