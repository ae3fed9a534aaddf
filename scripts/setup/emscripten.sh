#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# emscripten.sh: provides a working emcc, from Debian's archive only.
#
# 1. If PATH has an emcc ≥ MIN_VERSION (from emsdk, say), the script uses it.
# 2. Otherwise (Debian bookworm or later, amd64) it installs clang, lld and llvm of the machine's own release. It
#    unpacks Emscripten and Binaryen of a newer release into .toolchain/, with the C library that Binaryen needs.
#    The system itself receives nothing newer than its own release.
#
# Afterwards, `. .toolchain/env.sh` puts emcc, em++, emcmake … on PATH, if that file exists.
. "$(dirname "$0")/../common.sh"

RECIPE=1 # increase this when the output of this script changes
MIN_VERSION=3.1.60
SUITE=trixie
LLVM=19 # the version that Debian's Emscripten is patched for
EMSCRIPTEN=3.1.69
BINARYEN=120

emcc_version() { # emcc_version EMCC: prints x.y.z, or nothing
    "$1" --version 2>/dev/null </dev/null | sed -nE '1s/.*[^0-9.]([0-9]+\.[0-9]+\.[0-9]+).*/\1/p' || true
}

# Compiles, links and runs a program that uses relaxed SIMD and an exception.
verify() { # verify EM++
    local dir=$scratch/verify out
    mkdir -p "$dir"
    # emcc writes CommonJS. A package.json in a folder above can say that .js files are modules.
    echo '{ "type": "commonjs" }' >"$dir/package.json"
    cat >"$dir/hello.cc" <<'CC'
#include <wasm_simd128.h>
#include <cstdio>
#include <stdexcept>
int main(int argc, char**) {
  v128_t v = wasm_f32x4_relaxed_madd(wasm_f32x4_splat(6.f), wasm_f32x4_splat(7.f), wasm_f32x4_splat(argc - 1.f));
  try {
    if (argc == 1) throw std::runtime_error("hello");
  } catch (const std::exception& e) {
    std::printf("%s %g\n", e.what(), wasm_f32x4_extract_lane(v, 0));
  }
}
CC
    "$1" -O2 -msimd128 -mrelaxed-simd -fwasm-exceptions -sALLOW_MEMORY_GROWTH "$dir/hello.cc" -o "$dir/hello.js"
    # Node.js 20 needs this flag for relaxed SIMD. Later versions reject the flag.
    out=$(node --experimental-wasm-relaxed-simd "$dir/hello.js" 2>/dev/null || node "$dir/hello.js")
    [ "$out" = "hello 42" ] || fail "emscripten: a small program printed '$out' instead of 'hello 42'"
}

if command -v emcc >/dev/null; then
    have=$(emcc_version emcc)
    if version_at_least "${have:-0}" "$MIN_VERSION"; then
        say "emscripten: $have is on PATH ($(command -v emcc))"
        exit 0
    fi
    say "emscripten: ${have:-an unknown version} on PATH is older than $MIN_VERSION and is not used"
fi

mkdir -p "$ROOT/.toolchain"
PREFIX=$(cd "$ROOT/.toolchain" && pwd -P)
case $PREFIX in *[[:space:]\'\"\\]*) fail "the project's path must not contain spaces or quotes: $PREFIX" ;; esac

exec 9>"$PREFIX/.lock"
flock -n 9 || {
    say "emscripten: waiting for another set-up of $PREFIX"
    flock 9
}
WANT="recipe=$RECIPE suite=$SUITE llvm=$LLVM prefix=$PREFIX"
if [ "$(cat "$PREFIX/.complete" 2>/dev/null)" = "$WANT" ] &&
    command -v "clang-$LLVM" "wasm-ld-$LLVM" "llvm-ar-$LLVM" >/dev/null; then
    say "emscripten: $EMSCRIPTEN is there"
    exit 0
fi

if ! command -v apt-get >/dev/null || [ "$(dpkg --print-architecture)" != amd64 ]; then
    fail "please install Emscripten ≥ $MIN_VERSION (emsdk) and put emcc on PATH"
fi
say "emscripten: installing clang-$LLVM, lld-$LLVM and llvm-$LLVM"
apt_install "clang-$LLVM" "lld-$LLVM" "llvm-$LLVM"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
say "emscripten: reading the package list of $SUITE"
private_apt "$scratch/apt" "deb $SUITE"
mkdir "$scratch/debs"
say "emscripten: downloading Emscripten, Binaryen, acorn and the C library that Binaryen needs"
(cd "$scratch/debs" && apt-get "${APT_OPTIONS[@]}" download \
    emscripten binaryen node-acorn libc6 libgcc-s1 libstdc++6)
for pinned in "emscripten_$EMSCRIPTEN" "binaryen_$BINARYEN"; do
    [ -n "$(find "$scratch/debs" -name "${pinned}[~+-]*.deb")" ] ||
        fail "emscripten: $SUITE has no $pinned but $(find "$scratch/debs" -name "${pinned%_*}_*" -printf '%f')"
done

say "emscripten: unpacking into $PREFIX"
root=$PREFIX/root
em=$root/usr/share/emscripten
rm -rf "$root" "${PREFIX:?}"/{bin,binaryen,env.sh,.complete}
mkdir -p "$root" "$PREFIX"/{bin,binaryen/bin}
# Skip 1.3 GB that this project does not use: system libraries for LTO and PIC, and Emscripten's own tests.
unused=./usr/share/emscripten
for deb in "$scratch"/debs/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x --no-same-owner -C "$root" \
        --exclude="$unused/cache/sysroot/lib/wasm32-emscripten/lto" \
        --exclude="$unused/cache/sysroot/lib/wasm32-emscripten/pic" \
        --exclude="$unused/test" --exclude="$unused/docs" --exclude=./usr/share/{doc,locale,man}
done

# Start Binaryen's programs with the C library that they were built against.
loader=$(find "$root" -name ld-linux-x86-64.so.2 -type f | head -n1)
[ -n "$loader" ] || fail "emscripten: the unpacked C library has no ld-linux-x86-64.so.2"
libraries=$root/usr/lib/x86_64-linux-gnu:$(dirname "$loader")
wrap() { # wrap FILE COMMAND…
    local file=$1
    shift
    printf '#!/bin/sh\nexec %s "$@"\n' "$*" >"$file"
    chmod +x "$file"
}
for program in "$root"/usr/bin/wasm*; do
    if [ "$(head -c4 "$program" | tail -c3)" = ELF ]; then
        wrap "$PREFIX/binaryen/bin/${program##*/}" "$loader" --library-path "$libraries" "$program"
    fi
done
for tool in "$root"/usr/bin/em*; do
    if [ -x "$em/${tool##*/}" ]; then
        wrap "$PREFIX/bin/${tool##*/}" "$em/${tool##*/}"
    fi
done

# Emscripten's JavaScript looks for acorn in its own folder.
mkdir -p "$em/node_modules"
ln -sfn "$root/usr/share/nodejs/acorn" "$em/node_modules/acorn"
# Emscripten's .js files are CommonJS, whatever the package.json of the surrounding project says.
echo '{"type": "commonjs"}' >"$PREFIX/package.json"
# Every program of this tree reads this file, even if CMake starts the program by its full path.
cat >"$em/.emscripten" <<CONF
LLVM_ROOT = '$(dirname "$(command -v "clang-$LLVM")")'
BINARYEN_ROOT = '$PREFIX/binaryen'
NODE_JS = '$(command -v node)'
FROZEN_CACHE = True
LLVM_ADD_VERSION = '$LLVM'
CLANG_ADD_VERSION = '$LLVM'
CONF
cat >"$PREFIX/env.sh" <<ENV
# Sourced by a shell: puts this toolchain on PATH.
export EM_CONFIG="$em/.emscripten"
case ":\$PATH:" in *":$PREFIX/bin:"*) ;; *) export PATH="$PREFIX/bin:\$PATH" ;; esac
ENV

say "emscripten: compiling, linking and running a small program"
verify "$PREFIX/bin/em++"
have=$(emcc_version "$PREFIX/bin/emcc")
[ "$have" = "$EMSCRIPTEN" ] || fail "emscripten: emcc says it is ${have:-of unknown version}, not $EMSCRIPTEN"
echo "$WANT" >"$PREFIX/.complete"
say "emscripten: $have is ready ($(du -sm "$PREFIX" | cut -f1) MB)"
