#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [OPTION…]: makes 25 networks, quantises them, and measures both forms in Chromium beside native OpenVINO. Installs what is
# missing. The table goes into docs/performance.md. Options are those of measure.mjs.
# shellcheck source=../../scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

SURVEY=$ROOT/build/bench/survey
# Debian's PyTorch only supports CPUs. That of PyPI would install 2 GB of CUDA.
/usr/bin/python3 -c 'import torch, torchvision' 2>/dev/null || apt_install python3-torch python3-torchvision
# The pattern names no case: only the environment and the package are needed.
"$ROOT/bench/setup.sh" --models "$SURVEY" --package --chromium 'gemm_64'
cd "$ROOT/bench"
mapfile -t names < <(/usr/bin/python3 survey/export.py --out "$SURVEY/onnx" --list)
/usr/bin/python3 survey/export.py --out "$SURVEY/onnx" "${names[@]}"
"$ROOT/build/bench/venv/bin/python" -m survey.make --onnx "$SURVEY/onnx" --out "$SURVEY" "${names[@]}"
node survey/measure.mjs --models "$SURVEY" "$@" "${names[@]}"
