#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# setup.sh [--chromium] CASE…: installs what the benchmarks lack (npm packages, a Python environment below
# build/, Chromium) and makes the cases. Each step is skipped when it was done for the same pinned versions.
# shellcheck source=../scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/common.sh"

BENCH=$ROOT/bench
BUILD=$ROOT/build/bench
VENV=$BUILD/venv
mkdir -p "$BUILD"

chromium=
if [ "${1:-}" = --chromium ]; then
    shift
    chromium=yes
fi

bash "$ROOT/scripts/setup/npm.sh" bench

if [ -n "$chromium" ] && ! command -v chromium >/dev/null; then
    say "installing Chromium"
    apt_install chromium
fi

want=$(sha256sum <"$BENCH/requirements.txt")
if [ "$(cat "$VENV/.done" 2>/dev/null)" != "$want" ]; then
    say "making a Python environment with OpenVINO, ONNX and onnxruntime (build/bench/venv, 380 MB)"
    rm -rf "$VENV"
    if ! python3 -c 'import venv, ensurepip' 2>/dev/null; then
        apt_install python3 python3-venv
    fi
    python3 -m venv "$VENV"
    "$VENV/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$BENCH/requirements.txt"
    echo "$want" >"$VENV/.done"
fi

bash "$ROOT/scripts/setup/testdata.sh" g2p
(cd "$BENCH" && "$VENV/bin/python" -m models.generate --out "$BUILD/models" --g2p "$ROOT/build/testdata/models/g2p" "$@")
