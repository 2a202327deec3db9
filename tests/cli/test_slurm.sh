#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
#   test_slurm.sh PROGRAM SOURCE_DIR
#
# tools/slurm/submit on a real Slurm of one node, started here with all its state in a temporary folder and stopped at the
# end: the merged run has the cells of an undisturbed sweep. Exits 77 with the reason where Slurm cannot be started.
set -euo pipefail

DVBENCH_PROGRAM=$(realpath "$1")
submit=$(realpath "$2")/tools/slurm/submit
box=$(mktemp -d)
export DVBENCH_PROGRAM SLURM_CONF=$box/slurm.conf
daemons=()

stop() {
    status=$?
    if [ ${#daemons[@]} -eq 3 ]; then
        timeout 10 scancel --user="$(id -un)" 2>/dev/null || true
        within 10 queue_is_empty || true
    fi
    # The last started first; one that does not end within 10 s is killed.
    for ((i = ${#daemons[@]} - 1; i >= 0; i--)); do
        kill "${daemons[i]}" 2>/dev/null || continue
        within 10 has_ended "${daemons[i]}" || kill -KILL "${daemons[i]}" 2>/dev/null || true
        wait "${daemons[i]}" 2>/dev/null || true
    done
    rm -rf "$box"
    exit "$status"
}
trap stop EXIT
trap 'exit 130' INT TERM HUP

skip() {
    echo "skipped: $*"
    tail -n 5 "$box"/*.log 2>/dev/null || true
    exit 77
}

fail() {
    echo "FAILED: $*"
    tail -n 20 "$box"/*.log "$box"/*/*.log 2>/dev/null || true
    exit 1
}

within() { # seconds, command ...
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.2
    done
}

has_ended() {
    [[ ! -e /proc/$1 || $(cut -d ' ' -f 3 "/proc/$1/stat" 2>/dev/null) = Z ]]
}

queue_is_empty() {
    local jobs
    jobs=$(timeout 10 squeue --noheader 2>/dev/null) && [ -z "$jobs" ]
}

node_is_idle() {
    [ "$(timeout 10 sinfo --noheader --format=%t 2>/dev/null)" = idle ]
}

free_ports() {
    python3 -c 'import socket
sockets = [socket.socket() for _ in range(2)]
for one in sockets: one.bind(("", 0))
print(*(one.getsockname()[1] for one in sockets))'
}

write_conf() {
    local host control_port node_port
    host=$(hostname -s)
    read -r control_port node_port < <(free_ports)
    cat >"$SLURM_CONF" <<END
ClusterName=dvbench
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$control_port
SlurmdPort=$node_port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$box/munge.socket
StateSaveLocation=$box/state
SlurmdSpoolDir=$box/spool
SlurmctldPidFile=$box/slurmctld.pid
SlurmdPidFile=$box/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc --all) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES
END
}

start() { # log, command ...
    local log=$box/$1.log
    shift
    "$@" >"$log" 2>&1 </dev/null &
    daemons+=($!)
}

start_slurm() {
    chmod 711 "$box"
    mkdir "$box/state" "$box/spool"
    (umask 077 && head -c 128 /dev/urandom >"$box/munge.key")
    start munged munged --foreground --socket="$box/munge.socket" --key-file="$box/munge.key" --force \
        --pid-file="$box/munged.pid" --seed-file="$box/munge.seed"
    within 20 test -S "$box/munge.socket" || skip 'munged does not start'
    start slurmctld slurmctld -D -f "$SLURM_CONF"
    start slurmd slurmd -D -f "$SLURM_CONF"
    within 40 node_is_idle || skip 'slurmctld and slurmd do not come up'
}

cells() { # run
    python3 -c 'import csv, sys
for row in csv.DictReader(line for line in open(sys.argv[1]) if not line.startswith("#")):
    print(row["dv"], row["sink"], row["batch_rows"], row["mode"], row["kernel"], row["samples"])' "$1/summary.csv" | sort
}

for command in munged slurmctld slurmd sbatch squeue sinfo scancel; do
    command -v "$command" >/dev/null || skip "no $command; install slurmctld slurmd slurm-client munge"
done
[ "$(id -u)" -eq 0 ] || skip 'slurmd needs root'
write_conf
start_slurm

cd "$box"
sweep=(--recipe uniform:rows=200000 --rates '0.01,0.02,0.07' --sink row_ids --kernel 'per_row,direct_scalar' --rounds 6
    --min-time 200us --counters none)
"$DVBENCH_PROGRAM" sweep "${sweep[@]}" --no-plots --quiet --out whole >/dev/null 2>&1 || fail 'the undisturbed sweep'
[ "$(cells whole | wc -l)" -eq 6 ] || fail 'three blocks of two kernels are 6 cells'

# What is wrong is said before anything is in the queue.
! "$submit" 4 many -- "${sweep[@]}" >many.log 2>&1 || fail 'four parts of three blocks are accepted'
grep -q 'nothing to do' many.log || fail 'too many parts are not named'
[ ! -e many ] && queue_is_empty || fail 'a refused sweep left something'

# A part that fails: nothing is merged, no job stays, and the same command again ends it.
mkdir 'my run' && echo 'no folder' >'my run/part-2'
"$submit" 2 'my run' --ntasks=1 -- "${sweep[@]}" >submit.log 2>&1 || fail 'submit'
within 90 queue_is_empty || fail 'the jobs do not end'
[ ! -e 'my run/merged' ] || fail 'merged although a part failed'
[ -e 'my run/part-1/summary.csv' ] || fail 'the other part did not run'
grep -q 'cancelling JobId=' slurmctld.log || fail 'the job that merges was not cancelled'
cp 'my run/part-1/samples.csv' first.csv
rm 'my run/part-2'
! "$submit" 3 'my run' -- "${sweep[@]}" >other.log 2>&1 || fail 'another split goes into the same folder'
grep -q 'another N' other.log && queue_is_empty || fail 'another split is not refused by name'
"$submit" 2 'my run' --ntasks=1 -- "${sweep[@]}" >submit.log 2>&1 || fail 'submit again'
within 90 queue_is_empty || fail 'the jobs do not end'
[ -s 'my run/merged/report.md' ] || fail 'no merged run'
diff <(cells whole) <(cells 'my run/merged') || fail 'the merged run has other cells than the undisturbed sweep'
cmp first.csv 'my run/part-1/samples.csv' || fail 'a part that was complete was measured again'
for i in 1 2; do
    [ "$(cells "my run/part-$i" | wc -l)" -lt 6 ] || fail "part $i measured everything"
done
echo 'ok'
