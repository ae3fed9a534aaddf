#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# sources.sh: downloads the third-party C++ sources from Debian's archive to .deps/. Debian's .orig tarballs are the
# upstream tag archives. cmake/dependencies.cmake downloads the same archives if there is no .deps/, so its SHA-256
# values are equal.
. "$(dirname "$0")/../common.sh"

# Name, Debian release (own: this machine's release), SHA-256 of the tarball.
LIST="
highway    trixie 7e0be78b8318e8bdbf6fa545d2ecb4c90f947df03f7aadc42c1967f019e63343
pugixml    own    5c5ad5d7caeb791420408042a7d88c2c6180781bf218feca259fd9d840a888e1
pcre2      trixie 8d28d7f2c3b970c3a4bf3776bcbb5adfc923183ce74bc8df1ebaad8c1985bd07
googletest own    81964fe578e9bd7c94dfdb09c8e4d6e6759e19967e397dbea48d1c10e45d0df2
"
mkdir -p "$ROOT/.deps"
DIR=$(cd "$ROOT/.deps" && pwd -P)

todo=$(while read -r name suite sum; do
    [ -z "$name" ] || [ "$(cat "$DIR/$name/.sha256" 2>/dev/null)" = "$sum" ] || echo "$name $suite $sum"
done <<<"$LIST")
if [ -z "$todo" ]; then
    say "sources: all there"
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    say "sources: CMake will download them"
    exit 0
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck disable=SC1091
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
lines=("deb-src $codename")
[ "$codename" = trixie ] || lines+=("deb-src trixie")
say "sources: reading the package lists"
private_apt "$scratch" "${lines[@]}"
while read -r name suite sum; do
    [ "$suite" = own ] && suite=$codename
    mkdir "$scratch/$name"
    (cd "$scratch/$name" &&
        apt-get "${APT_OPTIONS[@]}" source --download-only --tar-only --only-source "$name/$suite" >/dev/null 2>&1) ||
        fail "sources: $name of $suite was not found in Debian's archive"
    tarball=$(echo "$scratch/$name/${name}"_*.orig.tar.gz)
    echo "$sum  $tarball" | sha256sum --check --quiet - || fail "sources: $tarball is not the pinned version"
    rm -rf "${DIR:?}/$name" && mkdir "$DIR/$name"
    tar -xzf "$tarball" --strip-components=1 --no-same-owner -C "$DIR/$name"
    echo "$sum" >"$DIR/$name/.sha256"
    say "sources: $(basename "$tarball" .orig.tar.gz)"
done <<<"$todo"
