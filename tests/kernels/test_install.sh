#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The library as others take it, shared and static: installed into a folder, found by pkg-config, used by the very code
# that kernels/README.md and kernels/LIBRARY.md show, from C++, and in one program with each CRoaring that is here.
# test_install.sh all|static SOURCE_DIR BUILD_DIR WORK_DIR ROARING_PREFIX CXX CC...; exit 77 without pkg-config.
# `static`: only next to a static CRoaring, which Debian does not ship; exit 77 where there is none.
set -eu
part=$1
source=$2
build=$3
work=$4
roaring=$5
cxx=$6
shift 6
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
shared=$(find "$work/root" -name libdvkernels.so)
[ -n "$shared" ] || { echo "no libdvkernels.so installed"; exit 1; }
LD_LIBRARY_PATH=$(dirname "$shared")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# Visible is what the installed headers declare, all of it and nothing else.
sed -n 's/^[a-z].*\b\(dv_[a-z_]*\)(.*/\1/p' "$(dirname "$(find "$work/root" -name dvkernels.h)")"/*.h | sort >"$work/declared"
nm -g --defined-only "$(find "$work/root" -name libdvkernels.a)" | sed -n 's/.* [A-Z] //p' | sort >"$work/visible"
[ "$(wc -l <"$work/visible")" -ge 6 ] || { echo "the library shows hardly a function"; exit 1; }
diff "$work/declared" "$work/visible" || { echo "declared (<) and visible (>) functions differ"; exit 1; }
nm -D --defined-only "$shared" | sed -n 's/.* [B-Z] //p' | sort >"$work/exported"
sed 's/$/@@DVKERNELS_0/' "$work/declared" | diff - "$work/exported" || {
    echo "declared (<) and exported (>) functions differ: a new one goes into kernels/dvkernels.map"
    exit 1
}
objdump -p "$shared" | grep -q 'SONAME *libdvkernels\.so\.0$' || { echo "the soname is not libdvkernels.so.0"; exit 1; }
! objdump -p "$shared" | grep NEEDED | grep -v 'libc\.\|ld-linux' || { echo "the library needs more than libc"; exit 1; }

sed -n '/^```c$/,/^```$/p' "$source/kernels/README.md" | sed '/^```/d' >"$work/reader.c"
[ "$(grep -c dv_reader_apply "$work/reader.c")" -eq 1 ] || { echo "README.md shows no reader"; exit 1; }
cat "$source/tests/kernels/install_main.c" >>"$work/reader.c"
# The code of LIBRARY.md that begins with its name, and a main for it.
for example in velox arrow croaring; do
    awk -v name="/* $example:" '/^```/ { on = 0 } index($0, name) == 1 { on = 1 } on' "$source/kernels/LIBRARY.md" \
        >"$work/$example.c"
    grep -q "dv_reader_apply(" "$work/$example.c" || { echo "LIBRARY.md shows no code $example"; exit 1; }
    cat "$source/tests/kernels/library/$example.c" >>"$work/$example.c"
done

# build_c OUTPUT SOURCE ARGUMENTS...
compiler=$*
build_c() {
    output=$1
    shift
    # shellcheck disable=SC2086
    $compiler -std=c11 -Wall -Wextra -Werror -O1 "-I$source/tests/kernels/library" $cflags "$@" -o "$output"
}

[ "$part" = static ] || for package in dvkernels dvkernels-static; do
    libs=$(pkg-config --libs $package)
    # shellcheck disable=SC2086
    {
        build_c "$work/reader" "$work/reader.c" $libs
        build_c "$work/velox" "$work/velox.c" $libs
        build_c "$work/arrow" "$work/arrow.c" $libs
        $cxx -std=c++11 -Wall -Wextra -Wpedantic -Werror "$source/tests/kernels/install_cxx.cc" $cflags $libs \
            -o "$work/reader_cxx"
    }
    is_shared=$(objdump -p "$work/reader" | grep -c 'NEEDED *libdvkernels\.so\.0') || true
    [ "$package $is_shared" = "dvkernels 1" ] || [ "$package $is_shared" = "dvkernels-static 0" ] || {
        echo "$package: linked with the wrong one"
        exit 1
    }
    ! "$work/reader" broken >/dev/null || { echo "a broken payload was taken"; exit 1; }
    "$work/reader"
    for example in velox arrow reader_cxx; do
        "$work/$example" || { echo "$example with $package failed"; exit 1; }
    done
done

# PREFIX/lib or PREFIX/lib/MULTIARCH of the configured CRoaring, of the static ones that tools/croaring-from-archive makes,
# and of the system.
case $part in
all) set -- "$roaring"/lib*/libroaring.so "$roaring"/lib*/*/libroaring.so "$("$@" -print-file-name=libroaring.so)" ;;
static) set -- "$roaring"/lib*/libroaring.a "$roaring"/lib*/*/libroaring.a "$("$@" -print-file-name=libroaring.a)" \
    "$build"/launcher/croaring-static/*/usr/lib/libroaring.a ;;
esac
n_libraries=0
for library; do
    [ -f "$library" ] || continue
    echo "with $library"
    n_libraries=$((n_libraries + 1))
    include=
    [ ! -e "${library%/lib*/*}/include/roaring/roaring.h" ] || include="-isystem ${library%/lib*/*}/include"
    for package in dvkernels dvkernels-static; do
        libs=$(pkg-config --libs $package)
        # shellcheck disable=SC2086
        {
            build_c "$work/reader_roaring" $include "$source/tests/kernels/install_roaring.c" $libs "$library" \
                "-Wl,-rpath,$(dirname "$library")" -lm
            build_c "$work/croaring" $include "$work/croaring.c" $libs "$library" \
                "-Wl,-rpath,$(dirname "$library")" -lm
        }
        "$work/reader_roaring"
        "$work/croaring" || { echo "CRoaring and $package differ"; exit 1; }
    done
    if nm -g --defined-only "$library" 2>/dev/null | sed -n 's/.* [A-Z] //p' | sort | comm -12 - "$work/visible" | grep .; then
        echo "CRoaring has functions of these names too"
        exit 1
    fi
done
[ "$part" = all ] || [ $n_libraries -gt 0 ] || {
    echo "skip: no libroaring.a in $roaring, none known to the compiler, none from tools/croaring-from-archive"
    exit 77
}
