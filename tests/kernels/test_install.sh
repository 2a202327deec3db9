#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The library as others take it: installed into a folder, found by pkg-config, used by the very code that kernels/README.md
# shows, from C++, and in one program with each CRoaring that is here.
# test_install.sh SOURCE_DIR BUILD_DIR WORK_DIR ROARING_PREFIX CXX CC...; exit 77 without pkg-config.
set -eu
source=$1
build=$2
work=$3
roaring=$4
cxx=$5
shift 5
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
cflags=$(pkg-config --cflags dvkernels)
libs=$(pkg-config --libs dvkernels)

# Visible is what the installed headers declare, all of it and nothing else.
sed -n 's/^[a-z].*\b\(dv_[a-z_]*\)(.*/\1/p' "$(dirname "$(find "$work/root" -name dvkernels.h)")"/*.h | sort >"$work/declared"
nm -g --defined-only "$(find "$work/root" -name libdvkernels.a)" | sed -n 's/.* [A-Z] //p' | sort >"$work/visible"
[ "$(wc -l <"$work/visible")" -ge 6 ] || { echo "the library shows hardly a function"; exit 1; }
diff "$work/declared" "$work/visible" || { echo "declared (<) and visible (>) functions differ"; exit 1; }

sed -n '/^```c$/,/^```$/p' "$source/kernels/README.md" | sed '/^```/d' >"$work/reader.c"
[ "$(grep -c dv_reader_apply "$work/reader.c")" -eq 1 ] || { echo "README.md shows no reader"; exit 1; }
cat "$source/tests/kernels/install_main.c" >>"$work/reader.c"
# shellcheck disable=SC2086
"$@" -std=c11 -Wall -Wextra -Werror -O1 "$work/reader.c" $cflags $libs -o "$work/reader"
! "$work/reader" broken >/dev/null || { echo "a broken payload was taken"; exit 1; }
"$work/reader"

# shellcheck disable=SC2086
$cxx -std=c++11 -Wall -Wextra -Wpedantic -Werror "$source/tests/kernels/install_cxx.cc" $cflags $libs -o "$work/reader_cxx"
"$work/reader_cxx"

# An archive or a shared library, of the configured prefix and of the system. Debian ships no archive.
static=none
for library in "$roaring"/lib*/libroaring.* "$roaring"/lib*/*/libroaring.* "$("$@" -print-file-name=libroaring.so)" \
    "$("$@" -print-file-name=libroaring.a)"; do
    case $library in
    "$roaring"/*.so | "$roaring"/*.a) include="-isystem $roaring/include" ;;
    *.so | *.a) include='' ;;
    *) continue ;;
    esac
    [ -f "$library" ] || continue
    echo "with $library"
    [ "${library%.a}" = "$library" ] || static=$library
    # shellcheck disable=SC2086
    "$@" $include -Wall -Wextra -Werror "$source/tests/kernels/install_roaring.c" $cflags $libs "$library" \
        "-Wl,-rpath,$(dirname "$library")" -lm -o "$work/reader_roaring"
    "$work/reader_roaring"
    if nm -g --defined-only "$library" 2>/dev/null | sed -n 's/.* [A-Z] //p' | sort | comm -12 - "$work/visible" | grep .; then
        echo "CRoaring has functions of these names too"
        exit 1
    fi
done
[ "$static" != none ] || echo "not linked with a static CRoaring: no libroaring.a in $roaring, none known to the compiler"
