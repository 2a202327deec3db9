#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Draws the figures and writes the report of the newest run under results/, of a reference run where there is no other.
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
"$1" plot "${newest%/summary.csv}"
exec "$1" report "${newest%/summary.csv}"
