#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# sanitizers.sh [32]: installs Clang with the runtime of its sanitizers and libFuzzer (preset native-asan). With 32,
# also unpacks what the 32-bit build needs (preset native-asan32) into .toolchain/i386: packages of the C library,
# libc++, the sanitizers' runtime and the libstdc++ that libFuzzer uses, from Debian's archive. It adds no architecture to
# dpkg and installs nothing 32-bit.
. "$(dirname "$0")/../common.sh"

RECIPE=4 # increase this when the output of this script changes
LLVM=19
PACKAGES=(libc6 libc6-dev linux-libc-dev libgcc-s1 libgcc-12-dev libatomic1 "libc++1-$LLVM" "libc++-$LLVM-dev"
    "libc++abi1-$LLVM" "libc++abi-$LLVM-dev" "libunwind-$LLVM" "libunwind-$LLVM-dev" "libclang-rt-$LLVM-dev"
    libstdc++6 nlohmann-json3-dev)

runtime=/usr/lib/llvm-$LLVM/lib/clang/$LLVM/lib/linux/libclang_rt.fuzzer-$(uname -m).a
if ! command -v "clang++-$LLVM" >/dev/null || [ ! -e "$runtime" ]; then
    say "sanitizers: installing clang-$LLVM and the runtime of its sanitizers"
    apt_install "clang-$LLVM" "libclang-rt-$LLVM-dev"
fi
if [ "${1:-}" != 32 ]; then
    say "sanitizers: ready"
    exit 0
fi

mkdir -p "$ROOT/.toolchain"
PREFIX=$(cd "$ROOT/.toolchain" && pwd -P)
root=$PREFIX/i386
case $PREFIX in *[[:space:]\'\"\\]*) fail "the project's path must not contain spaces or quotes: $PREFIX" ;; esac

exec 9>"$PREFIX/.lock-i386"
flock 9
WANT="recipe=$RECIPE suite=bookworm llvm=$LLVM"
if [ "$(cat "$root/.complete" 2>/dev/null)" = "$WANT" ] && command -v "clang++-$LLVM" "ld.lld-$LLVM" >/dev/null; then
    say "sanitizers: the 32-bit libraries are there"
    exit 0
fi

if ! command -v apt-get >/dev/null || [ "$(dpkg --print-architecture)" != amd64 ]; then
    fail "the 32-bit build needs Debian bookworm on amd64"
fi
say "sanitizers: installing lld-$LLVM"
apt_install "lld-$LLVM"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
say "sanitizers: reading the package list of bookworm (i386)"
private_apt "$scratch/apt" "deb-i386 bookworm"
mkdir "$scratch/debs"
say "sanitizers: downloading ${#PACKAGES[@]} packages"
(cd "$scratch/debs" && apt-get "${APT_OPTIONS[@]}" download "${PACKAGES[@]}")

say "sanitizers: unpacking into $root"
rm -rf "$root"
mkdir -p "$root"
resources=usr/lib/llvm-$LLVM/lib/clang/$LLVM
for deb in "$scratch"/debs/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x --no-same-owner -C "$root" \
        --exclude="./$resources/include" --exclude=./usr/share/{doc,locale,man}
done
# Absolute links in the packages would lead the linker to the machine's own root, so redirect them.
find "$root" -type l -lname '/*' | while read -r link; do ln -sfn "$root$(readlink "$link")" "$link"; done
# The compiler looks for its own headers next to the 32-bit runtime of the sanitizers.
ln -s "$("clang++-$LLVM" -print-resource-dir)/include" "$root/$resources/include"

# `clang++ --config` reads this file.
cat >"$root/clang.cfg" <<CONF
--target=i686-pc-linux-gnu
--sysroot=$root
-resource-dir=$root/$resources
-stdlib=libc++
-nostdinc++
-isystem $root/usr/lib/llvm-$LLVM/include/c++/v1
-fuse-ld=lld
-L$root/usr/lib/llvm-$LLVM/lib
-Wl,--dynamic-linker=$root/lib/ld-linux.so.2
-Wl,--disable-new-dtags
-Wl,-rpath,$root/usr/lib/llvm-$LLVM/lib:$root/lib/i386-linux-gnu:$root/usr/lib/i386-linux-gnu
CONF

say "sanitizers: compiling, linking and running a small program"
cat >"$scratch/hello.cc" <<'CC'
#include <cstdio>
#include <stdexcept>
int main(int argc, char**) {
  try {
    if (argc == 1) throw std::runtime_error("hello");
  } catch (const std::exception& e) {
    std::printf("%s %d\n", e.what(), static_cast<int>(sizeof(void*)) * 8);
  }
}
CC
"clang++-$LLVM" "--config=$root/clang.cfg" -Wno-unused-command-line-argument -fsanitize=address,undefined \
    "$scratch/hello.cc" -o "$scratch/hello"
out=$("$scratch/hello")
[ "$out" = "hello 32" ] || fail "sanitizers: a small program printed '$out' instead of 'hello 32'"
echo "$WANT" >"$root/.complete"
say "sanitizers: ready ($(du -sm "$root" | cut -f1) MB)"
