#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# npm.sh [FOLDER]: installs the npm packages of FOLDER (default: the project) as its package-lock.json pins them.
. "$(dirname "$0")/../common.sh"

cd "$ROOT/${1:-.}"
want=$(sha256sum <package-lock.json)
if [ "$(cat node_modules/.lock-hash 2>/dev/null)" = "$want" ]; then
    say "npm: ${1:-packages} all there"
    exit 0
fi
say "npm: installing ${1:-the packages}"
options=(--no-fund --no-audit --loglevel=error)
# npm ci rejects a lock file that lacks optional packages of other platforms, which some registries do not have.
# npm install uses the same versions from the lock file, and --no-save does not change it.
npm ci "${options[@]}" 2>/dev/null || npm install --no-save "${options[@]}"
echo "$want" >node_modules/.lock-hash
