#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# setup.sh [--models DIR] [--package] [--chromium] [--webkit] [--tflite] CASE…: installs what the benchmarks need (npm packages, a
# Python environment below build/, Chromium, WebKitGTK), builds the package and the benchmark of the kernels, and makes the cases in
# build/bench/models. With --tflite, it also makes them for LiteRT.js. A step is skipped if it was already done for the same
# pinned versions.
# shellcheck source=../scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/common.sh"

BENCH=$ROOT/bench
BUILD=$ROOT/build/bench
mkdir -p "$BUILD"

models=$BUILD/models package='' chromium='' webkit='' tflite=''
if [ "${1:-}" = --models ]; then
    models=$2
    shift 2
fi
while [[ ${1:-} =~ ^--(package|chromium|webkit|tflite)$ ]]; do
    declare "${1#--}=yes"
    shift
done

if [ -n "$package" ]; then
    "$ROOT/scripts/start" --no-serve
    "$ROOT/scripts/build.sh" kernels
fi
"$ROOT/scripts/setup/npm.sh" bench
if [ -n "$chromium" ] && ! command -v chromium >/dev/null; then
    say "installing Chromium"
    apt_install chromium
fi
if [ -n "$webkit" ] && ! { command -v "${WEBKIT_DRIVER:-WebKitWebDriver}" && command -v Xvfb; } >/dev/null; then
    say "installing WebKitGTK"
    apt_install webkit2gtk-driver xvfb
fi
"$ROOT/scripts/setup/testdata.sh" g2p
"$ROOT/scripts/setup/python.sh" "$BUILD/venv" "$BENCH/requirements.txt" "OpenVINO, NNCF, ONNX and onnxruntime, 630 MB"
cd "$BENCH"
"$BUILD/venv/bin/python" -m models.generate --out "$models" --g2p "$ROOT/build/testdata/models/g2p" "$@"
if [ -n "$tflite" ]; then
    "$ROOT/scripts/setup/python.sh" "$BUILD/venv-tflite" "$BENCH/requirements-tflite.txt" "TensorFlow, 1.5 GB"
    "$BUILD/venv-tflite/bin/python" -m models.tflite --out "$models" "$@"
fi
