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

# A manual page for each command, and completion of its options.
pages=$(dirname "$(find "$work" -name dvbench.1)")
completion=$(find "$work" -path '*/bash-completion/completions/dvbench')
for command in $("$program" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'); do
    grep -q '^usage: ' "$pages/dvbench-$command.1" || { echo "no manual page of $command"; exit 1; }
    "$program" "$command" --print-options | grep -qx -e '--help' || { echo "no options of $command"; exit 1; }
    grep -q "^ *$command) words='.*--help" "$completion" || { echo "no completion of $command"; exit 1; }
done
# shellcheck disable=SC2016 # bash expands it
offered=$(bash -c '. "$1"; COMP_WORDS=(dvbench sweep --round) COMP_CWORD=2; _dvbench; echo "${COMPREPLY[*]}"' bash "$completion")
[ "$offered" = --rounds ] || { echo "completion offers: $offered"; exit 1; }

# It measures and draws from there.
(cd "$work" && "$program" sweep --recipe uniform:rows=20000 --rates 0.01,0.07,0.2 --sink row_ids --kernel per_row,direct_scalar --rounds 2 \
    --min-time 100us --counters none --quiet --out run) || exit 1
[ -s "$work/run/report.html" ] || { echo 'no report'; exit 1; }
