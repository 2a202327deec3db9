#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#   test_launcher.sh SOURCE
#
# Runs a copy of the launcher in a tree of its own, on a PATH of fakes that write down how they were called: what it installs, when it
# configures and builds, what it passes on, and what it says where it cannot go on.
set -eu
unset DVBENCH_BUILD DVBENCH_DUCKDB CC CXX CI # of whoever runs the tests: their build is not for fakes

source=$1
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
tree=$box/tree
bin=$box/bin
calls=$box/calls
n_checks=0

mkdir -p "$tree" "$bin" "$box/etc/apt/sources.list.d"
mkdir -p "$tree/kernels" "$tree/datasets" "$tree/bench/commands" "$tree/plots" "$tree/tests"
cp "$source/dvbench" "$tree/"
cp -R "$source/tools" "$tree/"
cp "$source/bench/commands/commands.def" "$tree/bench/commands/"
touch "$tree/meson.build" "$tree/meson_options.txt" "$tree/kernels/kernels.def"
for tool in sh awk basename cat chmod cksum cp cut dirname env find flock grep head id ln ls mkdir mktemp mv readlink rm sed sort \
    tail touch tr uname getconf dpkg sleep; do
    path=$(command -v "$tool" || true)
    [ -z "$path" ] || ln -s "$path" "$bin/$tool"
done

cat >"$box/program" <<'END'
#!/bin/sh
echo program "$@" ${DVBENCH_DUCKDB:+"with $DVBENCH_DUCKDB"}
exit ${RESULT:-0}
END
chmod +x "$box/program"

fake() { # name, body: a command that writes down its call, then does the body
    rm -f "$bin/$1"
    printf '#!/bin/sh\necho "%s $*" >>"%s"\n%s\n' "$1" "$calls" "$2" >"$bin/$1"
    chmod +x "$bin/$1"
}

fake_tools() {
    for tool in cc c++ gnuplot valgrind; do fake "$tool" ':'; done
    # shellcheck disable=SC2016 # the fake expands it
    fake pkg-config 'case "$*" in *atleast-version*) exit 1 ;; esac'
    # shellcheck disable=SC2016
    fake meson 'for a in "$@"; do case $a in */build) mkdir -p "$a" && : >"$a/build.ninja" ;; esac; done'
    fake ninja "mkdir -p \"\$2/bench/commands\" && cp '$box/program' \"\$2/bench/commands/dvbench\""
    fake apt-get 'exit 100'
    fake sudo 'exit 1'
    fake id 'echo 1000'
}

fresh() { # forget builds and calls; all tools there
    rm -rf "$tree/build" "$calls"
    : >"$calls"
    fake_tools
    printf 'ID=other\n' >"$box/etc/os-release"
}

# Runs the launcher; leaves its output in $out, what it said in $said, its result in $status.
launch() {
    status=0
    out=$(PATH=$bin DVBENCH_ETC=$box/etc "$tree/dvbench" "$@" 2>"$box/said") || status=$?
    said=$(cat "$box/said")
}

check() { # what, condition ...
    what=$1
    shift
    n_checks=$((n_checks + 1))
    "$@" && return 0
    echo "FAILED: $what"
    echo "--- status: ${status-}; out: ${out-}; said:"
    echo "${said-}"
    echo "--- calls:"
    cat "$calls"
    exit 1
}

contains() { # text, part
    case $1 in *"$2"*) return 0 ;; esac
    return 1
}

lacks() {
    ! contains "$@"
}

called() {
    grep -q -- "$1" "$calls"
}

not_called() {
    ! called "$1"
}

fresh
launch list kernels --format 'a b'
check 'first start succeeds' [ "$status" -eq 0 ]
check 'arguments arrive' [ "$out" = 'program list kernels --format a b' ]
check 'says what it does first' contains "$(head -n 1 "$box/said")" 'building in'
check 'configures' called '^meson setup'
check 'builds the program alone' called '^ninja -C .* bench/commands/dvbench'
check 'installs nothing that is there' not_called '^apt-get'
check 'no Debian: falls back to the system CRoaring' called '^meson setup .* -Droaring_prefix=$'

: >"$calls"
launch list kernels
check 'second start succeeds' [ "$out" = 'program list kernels' ]
check 'second start is silent' [ -z "$said" ]
check 'second start calls neither meson nor ninja' [ ! -s "$calls" ]

RESULT=3 launch inspect
check 'the exit code is the program'"'"'s' [ "$status" -eq 3 ]

: >"$calls"
touch -d '1 hour ago' "$tree/build/launcher/stamp"
launch list
check 'a changed source builds again' called '^ninja'
check 'but does not configure again' not_called '^meson'

fresh
mkdir -p "$box/roar/include/roaring"
: >"$box/roar/include/roaring/roaring.h"
launch sweep --croaring="$box/roar" --out x
check 'the option is not passed on' [ "$out" = 'program sweep --out x' ]
check 'a prefix reaches meson' called "^meson setup .* -Droaring_prefix=.*/roar$"
: >"$calls"
launch sweep
check 'the choice is remembered' [ ! -s "$calls" ]
launch --croaring=system sweep
check 'another choice configures again' called '^meson setup --reconfigure .* -Droaring_prefix=$'
launch --croaring=/nowhere sweep
check 'a wrong prefix is a usage error' [ "$status" -eq 2 ]
# shellcheck disable=SC2016
fake cc 'case "$*" in *-lroaring*) echo "ld: undefined reference to roaring_bitmap_free"; exit 1 ;; esac'
launch --croaring="$box/roar" list
check 'a CRoaring that does not link: exit 4' [ "$status" -eq 4 ]
check "with the linker's line" contains "$said" 'does not link: ld: undefined reference'
fake cc ':'
launch --croaring="$box/roar" list
check 'and after a repair it is taken' [ "$out" = 'program list' ]

fresh
# shellcheck disable=SC2016
fake meson 'case "$*" in *reconfigure*) exit 0 ;; esac; mkdir -p "$2" && : >"$2/build.ninja"'
launch versions system --out place "$box/roar" "$box/a-program" --no-plots --threshold 3 -- --plan ci system
check 'versions: a build for each CRoaring' called "^meson setup .*/build/launcher/versions/[0-9][0-9]* .* -Droaring_prefix=$"
check 'of a prefix too' called "^meson setup .*/build/launcher/versions/[0-9][0-9]* .* -Droaring_prefix=.*/roar$"
# shellcheck disable=SC2086 # words
set -- $out
check 'the programs stand in their places' [ "$2 $4 $5 $7 $8 $9 ${10} ${11} ${12} ${13} ${14}" = \
    "versions --out place $box/a-program --no-plots --threshold 3 -- --plan ci system" ]
check 'as folders of builds' [ -x "$3/bench/commands/dvbench" ]
check 'one for each' [ -x "$6/bench/commands/dvbench" ]
check 'and not the same' [ "$3" != "$6" ]
: >"$calls"
launch versions "--out=place" system "$box/roar"
check 'which are kept' [ ! -s "$calls" ]
touch -d '1 hour ago' "$6/launcher/stamp"
launch versions "$box/roar" "$box/roar"
check 'headers of a prefix that changed build again' called '^ninja'
launch versions --help
check 'help of versions builds no more' [ "$out" = 'program versions --help' ]
check 'and other commands keep the choice' [ "$(cat "$tree/build/launcher/choice")" = auto ]

fresh
launch --help
check 'help needs no build' not_called '^ninja'
check 'help lists the commands' contains "$out" 'inspect FILE...'
check 'help lists what the launcher takes' contains "$out" DVBENCH_BUILD
launch
check 'no command is a usage error' [ "$status" -eq 2 ]
launch list
ln -sf "$tree/dvbench" "$box/link"
: >"$calls"
out=$(PATH=$bin DVBENCH_ETC=$box/etc "$box/link" list)
check 'works through a link' [ "$out" = 'program list' ]
check 'and builds nothing for it' [ ! -s "$calls" ]
fresh
rm -rf "$tree/build"
: >"$tree/build" # nobody can make a folder there, root included
launch list
check 'a build folder that cannot be written: exit 4' [ "$status" -eq 4 ]
check 'says so in one line' [ "$(wc -l <"$box/said")" -eq 1 ]
rm "$tree/build"
fresh
launch --croaring=archive list
check 'archive asked for but not to be had: exit 4' [ "$status" -eq 4 ]
check 'and says why' contains "$said" 'not Debian'

fresh
rm "$bin/meson"
launch list
check 'no root: exit 4' [ "$status" -eq 4 ]
check 'no root: the exact command' contains "$said" 'apt-get install -y --no-install-recommends meson'
check 'no root: asks sudo without a password' called '^sudo -n env DEBIAN_FRONTEND=noninteractive apt-get'
check 'no root: nothing else was named' lacks "$said" 'valgrind'

fresh
rm "$bin/meson" "$bin/gnuplot"
fake id 'echo 0'
launch list
check 'no network: exit 4' [ "$status" -eq 4 ]
check 'no network: tried to update the lists' called '^apt-get -q update'
check 'no network: the exact command' contains "$said" 'apt-get update && apt-get install -y --no-install-recommends meson gnuplot-nox'

fresh
cp "$bin/meson" "$box/meson"
rm "$bin/meson"
fake id 'echo 0'
fake apt-get "cp '$box/meson' '$bin/meson'"
launch list
check 'root: installs and goes on' [ "$out" = 'program list' ]
check 'root: without asking' called '^apt-get -q -y --no-install-recommends .* install meson'

fresh
rm "$bin/meson" "$bin/apt-get"
launch list
check 'no apt: exit 4' [ "$status" -eq 4 ]
check 'no apt: names the parts' contains "$said" 'meson 1.0.1 or later'

for apt in apt-get nowhere; do
    fresh
    rm -f "$bin/gnuplot" "$bin/valgrind" "$bin/$apt"
    launch list
    check 'goes on without figures and simulated counters' [ "$out" = 'program list' ]
    check 'and names what is missing' contains "$said" 'valgrind, for simulated counters'
done

fresh
fake ninja 'echo "error: no such thing"; exit 1'
launch list
check 'a failed build: exit 1' [ "$status" -eq 1 ]
check 'a failed build shows the end of its output' contains "$said" 'error: no such thing'
launch list
check 'a failed build is tried again' [ "$(grep -c '^ninja' "$calls")" -eq 2 ]

# The archive: which mirror and keyring it finds in either form of apt's sources, and that nothing else is touched.
archive_source() {
    rm -rf "$box/roaring"
    PATH=$bin "$tree/tools/croaring-from-archive" "$box/roaring" "$box/etc" >/dev/null 2>"$box/said" || status=$?
    said=$(cat "$box/said")
    cat "$box/roaring/apt/sources.list" 2>/dev/null || true
}
fresh
fake apt-get 'exit 100'
printf 'ID=debian\nVERSION_CODENAME=bookworm\n' >"$box/etc/os-release"
cat >"$box/etc/apt/sources.list.d/debian.sources" <<'END'
# a comment
Types: deb
URIs: mirror://security.invalid/debian-security
Suites: bookworm-security
Components: main
Signed-By: /keys/security.gpg

Types: deb deb-src
URIs: mirror://mirror.invalid/debian/
Suites: bookworm
 bookworm-updates
Components: main
Signed-By: /keys/debian.gpg
END
check 'deb822' [ "$(archive_source)" = 'deb [signed-by=/keys/debian.gpg] mirror://mirror.invalid/debian/ testing main' ]
check 'deb822: apt keeps to itself' called "^apt-get .*Dir::State=$box/roaring/apt/state"
sed -i 's/^Types: deb deb-src/Enabled: no\nTypes: deb/' "$box/etc/apt/sources.list.d/debian.sources"
check 'a disabled source is none' [ -z "$(archive_source)" ]
rm "$box/etc/apt/sources.list.d/debian.sources"
cat >"$box/etc/apt/sources.list" <<'END'
deb cdrom:[Debian] bookworm main
deb [arch=amd64 signed-by=/keys/old.gpg trusted=no] mirror://list.invalid/debian bookworm main contrib
END
check 'one-line style' [ "$(archive_source)" = 'deb [signed-by=/keys/old.gpg] mirror://list.invalid/debian testing main' ]
echo 'deb mirror://plain.invalid/debian bookworm main' >"$box/etc/apt/sources.list"
check 'without a keyring' [ "$(archive_source)" = 'deb mirror://plain.invalid/debian testing main' ]
printf 'ID=ubuntu\nVERSION_CODENAME=noble\n' >"$box/etc/os-release"
check 'Ubuntu has no such archive' [ -z "$(archive_source)" ]

# An engine's library: what pkg-config knows goes before the system's loader; only what needs an engine looks for one.
real_pkg_config=$(command -v pkg-config || true)
fresh
fake ldconfig "echo '	libduckdb.so (libc6) => /of/the/loader/libduckdb.so'"
launch scan --quiet
check 'the loader knows an engine' [ "$out" = 'program scan --quiet with /of/the/loader/libduckdb.so' ]
mkdir -p "$box/duck"
: >"$box/duck/libduckdb.so"
if [ -n "$real_pkg_config" ]; then
    # shellcheck disable=SC2016 # pkg-config expands it
    printf 'libdir=%s\nName: duckdb\nDescription: a database\nVersion: 1.4.0\nLibs: -L${libdir} -lduckdb\n' "$box/duck" \
        >"$box/duck/duckdb.pc"
    ln -sf "$real_pkg_config" "$bin/pkg-config"
else
    fake pkg-config "case \$1 in --variable=libdir) echo '$box/duck' ;; esac"
fi
PKG_CONFIG_PATH=$box/duck launch scan
check 'pkg-config knows an engine' [ "$out" = "program scan with $box/duck/libduckdb.so" ]
rm "$box/duck/libduckdb.so"
PKG_CONFIG_PATH=$box/duck launch deletes
check 'what pkg-config knows must be there' [ "$out" = 'program deletes with /of/the/loader/libduckdb.so' ]
: >"$calls"
for words in 'list kernels' 'scan --duckdb=x' 'scan --help' --version; do
    # shellcheck disable=SC2086
    PKG_CONFIG_PATH=$box/duck launch $words
    check "no engine for $words" [ "$out" = "program $words" ]
done
check 'and none is looked for' not_called '^ldconfig'
fake ldconfig ':'
launch scan
check 'without any the program says so itself' [ "$out" = 'program scan' ]
check 'and the launcher why' contains "$said" 'npm, which would fetch it, is not installed'
fetched=$tree/build/launcher/duckdb
mkdir "$fetched"
sed -n 's/^version=//p' "$tree/tools/duckdb-from-npm" >"$fetched/complete"
launch --version
check '--version shows the one that was fetched before' [ "$out" = "program --version with $fetched/package/libduckdb.so" ]
rm "$bin/ldconfig"

# A bare system is made only where that can be done and undone; where not, it is skipped with the reason.
bare() { # argument ...
    status=0
    out=$(PATH=$bin DVBENCH_BUILD=$box/build "$tree/tools/fresh-system" "$@" 2>&1) || status=$?
    said=$out
}
skipped() { # reason
    [ "$status" -eq 0 ] && contains "$out" "skipped, $1" && [ "$(echo "$out" | tail -n 1)" = '0 passed, 0 failed, 1 skipped' ]
}
fresh
bare
check 'bare: needs root' skipped 'needs root'
fake id 'echo 0'
bare
check 'bare: needs debootstrap' skipped 'no debootstrap'
for tool in debootstrap git chroot mountpoint; do fake "$tool" 'exit 1'; done
fake unshare 'exit 1'
bare
check 'bare: needs namespaces' skipped 'namespaces are not allowed'
check 'bare: makes nothing without them' not_called '^debootstrap'
# shellcheck disable=SC2016
fake unshare 'while [ $# -gt 0 ]; do [ "$1" != --inside ] || echo "3 1 2" >"$2/counts"; shift; done'
bare
check 'bare: needs a mirror' skipped "the system's apt sources name no mirror"
fake apt-get "[ \"\$1\" != indextargets ] || echo \"Debian $(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release) mirror://a.invalid/\""
fake apt-config ':'
bare one two
check 'bare: adds up the releases' [ "$(echo "$out" | tail -n 1)" = '6 passed, 2 failed, 4 skipped' ]
check 'bare: a failure is exit 1' [ "$status" -eq 1 ]
check 'bare: in namespaces of its own' called '^unshare --mount --propagation private --pid --fork --kill-child .* one mirror://a.invalid/$'
check 'bare: leaves nothing' [ -z "$(ls "$box/build-fresh")" ]
fake mountpoint ':'
bare one
check 'bare: nothing below a mount is removed' [ -n "$(ls "$box/build-fresh")" ]
check 'bare: and that is a failure' [ "$status" -ne 0 ]
fake mountpoint 'exit 1'
fake unshare ':'
bare one
check 'bare: a release that ends early is a failure' [ "$(echo "$out" | tail -n 1)" = '0 passed, 1 failed, 0 skipped' ]

# What the tests' last line counts.
fresh
launch list
# shellcheck disable=SC2016
fake meson 'case $1 in
    introspect) echo "[{\"name\": \"roaring_prefix\", \"value\": \"$PREFIX\"}]" ;;
    setup) [ "$2" != --reconfigure ] || shift; mkdir -p "$2" && : >"$2/build.ninja" ;;
    test) case $* in *--list*) echo "${LISTED-}"; exit ;; esac; mkdir -p "$3/meson-logs" && cp "$RESULTS" "$3/meson-logs/testlog.json"; exit ${RESULT:-0} ;;
    esac'
cat >"$box/results" <<'END'
{"name": "a", "stdout": "\"result\": \"FAIL\"", "result": "OK", "starttime": 1}
{"name": "b", "result": "OK"}
{"name": "c", "result": "SKIP"}
END
export RESULTS="$box/results" PREFIX=
launch test
check 'counts the build' [ "$(echo "$out" | tail -n 1)" = '2 passed, 0 failed, 1 skipped' ]
check 'all passed: exit 0' [ "$status" -eq 0 ]
check 'one build only' not_called '^meson setup .*build-'
launch test --suite data
check 'passes the suite on' called '^meson test .* --suite data$'
LISTED='x:a / a
x:b / b
x:c / c
x:d / d' launch test
check 'a test without a result is a failure' [ "$(echo "$out" | tail -n 1)" = '2 passed, 1 failed, 1 skipped' ]
ln -sf "$(command -v bash)" "$bin/bash"
for tool in tee date; do ln -sf "$(command -v "$tool")" "$bin/$tool"; done
PREFIX=/some/where launch test --all build system asan
check 'counts three builds and two configurations' \
    [ "$(echo "$out" | tail -n 1)" = '8 passed, 0 failed, 3 skipped' ]
check 'the second is the system'"'"'s CRoaring' called '^meson setup .*build-system .*-Droaring_prefix=$'
check 'the third has sanitizers' called '^meson setup .*build-asan .*-Db_sanitize=address,undefined'
check 'all suites' called '^meson test .*build-asan .*--setup all$'
RESULT=1 launch test --all build
check 'a build that fails without a result is a failure' [ "$status" -eq 1 ]
launch test --all nothing
check 'an unknown part is an error of usage' [ "$status" -eq 2 ]
sed -i 's/"b", "result": "OK"/"b", "result": "TIMEOUT"/' "$box/results"
RESULT=1 launch test
check 'a timeout is a failure' [ "$(echo "$out" | tail -n 1)" = '1 passed, 1 failed, 1 skipped' ]
check 'and exit 1' [ "$status" -eq 1 ]
: >"$box/results"
RESULT=1 launch test
check 'a build that does not compile is a failure' [ "$(echo "$out" | tail -n 1)" = '0 passed, 1 failed, 0 skipped' ]
launch test
check 'no test at all is a failure' [ "$status" -eq 1 ]

echo "$n_checks checks passed"
