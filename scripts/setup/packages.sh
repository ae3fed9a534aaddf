#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# packages.sh [tests]: installs missing compilers and tools. With `tests`, also what only the tests need.
. "$(dirname "$0")/../common.sh"

missing=()
need() { # need COMMAND PACKAGE
    command -v "$1" >/dev/null || missing+=("$2")
}

command -v c++ >/dev/null || command -v clang++ >/dev/null || missing+=(g++)
need cmake cmake
need ninja ninja-build
need python3 python3
need xz xz-utils
if [ "${1:-}" = tests ]; then
    need chromium chromium
    need firefox-esr firefox-esr
    need WebKitWebDriver webkit2gtk-driver
    need Xvfb xvfb
    need git-clang-format-19 clang-format-19
    need run-clang-tidy-19 clang-tidy-19
    need shellcheck shellcheck
    [ -e /usr/include/nlohmann/json.hpp ] || ! command -v apt-get >/dev/null || missing+=(nlohmann-json3-dev)
fi

if [ ${#missing[@]} -gt 0 ]; then
    say "packages: installing ${missing[*]}"
    apt_install "${missing[@]}"
else
    say "packages: all there"
fi

have=$(cmake --version | sed -n '1s/[^0-9]*//p')
version_at_least "$have" 3.25 || fail "CMake $have is older than 3.25"
node -e 'process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)' || fail "Node.js 20 or newer is needed"
