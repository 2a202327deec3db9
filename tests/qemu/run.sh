#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the suite for aarch64, boots Debian's arm64 kernel under QEMU with its emulated PMU, and counts there: the one PMU that any
# machine has. Usage: run.sh SOURCE_DIR WORK_DIR [HOST_DVBENCH]. Exits 77 with the reason where something is missing. HOST_DVBENCH counts the same
# cells with callgrind, for comparison.
#
# The host's package state is not touched: arm64 packages come through an apt configuration of their own, from the mirrors that the
# host's own sources name, and are unpacked below WORK_DIR, where later runs find them again.
set -eu

source_dir=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
sysroot=$work/sysroot
packages="libc6 libgcc-s1 libstdc++6 libpfm4 libpfm4-dev libroaring0 libroaring-dev zlib1g zlib1g-dev liblz4-1 liblz4-dev
libzstd1 libjansson4 libjansson-dev libcmocka0 libcmocka-dev libbenchmark1debian libbenchmark-dev busybox-static"

skip() {
    echo "skipped: $*"
    exit 77
}

need() {
    for program; do
        command -v "$program" >/dev/null 2>&1 || skip "no $program; install qemu-system-arm gcc-aarch64-linux-gnu" \
            "g++-aarch64-linux-gnu libc6-dev-arm64-cross cpio"
    done
}

private_apt() {
    tool=$1
    shift
    "$tool" -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State="$work/apt/state" \
        -o Dir::State::status="$work/apt/status" -o Dir::Cache="$work/apt/cache" \
        -o Dir::Etc::sourcelist="$work/apt/sources.list" -o Dir::Etc::sourceparts=- \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none "$@"
}

# The mirrors of Debian that this system uses; another distribution's arm64 archive may lie elsewhere.
fetch_packages() {
    mkdir -p "$work/apt/state/lists/partial" "$work/apt/cache/archives/partial" "$work/debs"
    : >"$work/apt/status"
    apt-get indextargets --format '$(ORIGIN) deb $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
        sed -n 's/^Debian //p' | sort -u >"$work/apt/sources.list"
    [ -s "$work/apt/sources.list" ] || skip "the system's apt sources name no Debian mirror"
    private_apt apt-get -qq update >"$work/apt/log" 2>&1 || skip "apt cannot reach the mirror: $(tail -n 1 "$work/apt/log")"
    kernel=$(private_apt apt-cache depends linux-image-cloud-arm64 | sed -n 's/.*Depends: \(linux-image-.*cloud-arm64\)/\1/p' |
        head -n 1)
    [ -n "$kernel" ] || skip "the mirror has no linux-image-cloud-arm64"
    # shellcheck disable=SC2086
    (cd "$work/debs" && private_apt apt-get -qq download $packages "$kernel" >>"$work/apt/log" 2>&1) ||
        skip "apt cannot fetch arm64 packages: $(tail -n 1 "$work/apt/log")"
}

unpack_packages() {
    rm -rf "$sysroot.new"
    mkdir -p "$sysroot.new"
    for deb in "$work"/debs/*.deb; do
        dpkg-deb -x "$deb" "$sysroot.new"
    done
    rm -rf "$sysroot"
    mv "$sysroot.new" "$sysroot"
}

# Nothing of the cross build runs on the host; meson asks for a wrapper all the same where a target would.
write_cross_file() {
    cat >"$work/cross.ini" <<EOF
[binaries]
c = 'aarch64-linux-gnu-gcc'
cpp = 'aarch64-linux-gnu-g++'
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkgconfig = 'pkg-config'
pkg-config = 'pkg-config'
exe_wrapper = ['true']
[properties]
pkg_config_libdir = '$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig'
sys_root = '$sysroot'
[built-in options]
c_args = ['-isystem', '$sysroot/usr/include', '-isystem', '$sysroot/usr/include/aarch64-linux-gnu']
cpp_args = c_args
c_link_args = ['-L$sysroot/usr/lib/aarch64-linux-gnu', '-Wl,-rpath-link,$sysroot/usr/lib/aarch64-linux-gnu',
    '-Wl,-rpath-link,$sysroot/lib/aarch64-linux-gnu']
cpp_link_args = c_link_args
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'neoverse-n1'
endian = 'little'
EOF
}

build() {
    targets="bench/commands/dvbench tests/bench/test_counters_pmu tests/bench/test_counters_session"
    if [ ! -f "$work/build/build.ninja" ]; then
        meson setup "$work/build" "$source_dir" --cross-file "$work/cross.ini" >"$work/meson.log" 2>&1 ||
            { tail -n 20 "$work/meson.log"; exit 1; }
    fi
    # shellcheck disable=SC2086
    ninja -C "$work/build" $targets >"$work/ninja.log" 2>&1 || { tail -n 30 "$work/ninja.log"; exit 1; }
}

# Without root there is no mknod: the init process opens the console itself once devtmpfs is mounted.
make_initramfs() {
    root=$work/root
    rm -rf "$root"
    mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp" "$root/lib" "$root/usr"
    cp "$source_dir/tests/qemu/init" "$root/init"
    cp "$source_dir/tests/qemu/job" "$source_dir/tests/qemu/job_no_pmu" "$root/"
    chmod 755 "$root/init"
    cp "$(find "$sysroot" -path '*bin/busybox' -type f | head -n 1)" "$root/bin/busybox"
    cp "$work/build/bench/commands/dvbench" "$work/build/tests/bench/test_counters_pmu" \
        "$work/build/tests/bench/test_counters_session" "$root/bin/"
    find "$sysroot" -path '*aarch64-linux-gnu/*.so.*' -exec cp -L {} "$root/lib/" \; 2>/dev/null
    find "$sysroot" -name 'ld-linux-aarch64.so.1' -exec cp -L {} "$root/lib/" \; 2>/dev/null
    (cd "$root" && find . | cpio -o -H newc 2>/dev/null | gzip -1) >"$work/initramfs.gz"
}

# boot NAME JOB OPTION...: the console goes to WORK_DIR/NAME.log.
boot() {
    name=$1
    job=$2
    shift 2
    timeout 600 qemu-system-aarch64 -M virt "$@" -m 512 -nographic -no-reboot -net none \
        -kernel "$(find "$sysroot/boot" -name 'vmlinuz-*' | head -n 1)" -initrd "$work/initramfs.gz" \
        -append "console=ttyAMA0 quiet panic=-1 rdinit=/init dvbench_job=$job" </dev/null >"$work/$name.log" 2>&1 ||
        { tail -n 20 "$work/$name.log"; echo "qemu failed or took too long: $name"; exit 1; }
}

need qemu-system-aarch64 aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ cpio gzip apt-get dpkg-deb pkg-config meson ninja python3
if [ ! -d "$sysroot" ]; then
    fetch_packages
    unpack_packages
fi
write_cross_file
build
make_initramfs
boot shift0 job -cpu neoverse-n1 -icount shift=0
boot shift2 job -cpu neoverse-n1 -icount shift=2
boot no_pmu job_no_pmu -cpu neoverse-n1,pmu=off
if [ $# -gt 2 ] && command -v valgrind >/dev/null 2>&1; then
    rm -rf "$work/host"
    sweep=$(sed -n 's/^sweep dvbench //p' "$source_dir/tests/qemu/job" | sed "s|--counters pmu|--counters sim|; s|/tmp/run|$work/host|")
    # shellcheck disable=SC2086
    "$3" $sweep >"$work/host.log" 2>&1 || { tail -n 5 "$work/host.log"; exit 1; }
    exec python3 "$source_dir/tests/qemu/check.py" "$work" "$work/host/summary.csv"
fi
exec python3 "$source_dir/tests/qemu/check.py" "$work"
