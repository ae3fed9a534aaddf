#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# testdata.sh [ARCHIVE…]: unpacks tests/data/ARCHIVE.tar.xz (default: all) into build/testdata/, and makes the weights and inputs of
# pnnx from their seeds.
. "$(dirname "$0")/../common.sh"

cd "$ROOT/tests/data"
to=$ROOT/build/testdata
mkdir -p "$to"
[ $# -gt 0 ] || set -- *.tar.xz
for archive in "$@"; do
    archive=${archive%.tar.xz}
    want=$(sha256sum <"$archive.tar.xz")
    [ "$(cat "$to/.$archive" 2>/dev/null)" = "$want" ] && continue
    say "test data: unpacking $archive"
    [ "$archive" != pnnx ] || rm -rf "$to/pnnx"
    tar -xJf "$archive.tar.xz" --no-same-owner -C "$to"
    [ "$archive" != pnnx ] || node "$ROOT/tests/pnnx/seeded.mjs" "$to/pnnx"
    echo "$want" >"$to/.$archive"
done
