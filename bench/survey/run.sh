#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [OPTION…]: makes 25 networks, quantises them, and measures both forms in Chromium beside native OpenVINO. Installs what
# is missing. Options are those of measure.mjs. With --write, the table goes into docs/performance.md.
# shellcheck source=../../scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

SURVEY=$ROOT/build/bench/survey
# Debian's PyTorch only supports CPUs. That of PyPI would install 2 GB of CUDA.
/usr/bin/python3 -c 'import torch, torchvision' 2>/dev/null || apt_install python3-torch python3-torchvision
# setup.sh needs the name of a case. gemm_64 is the smallest, and stays unused in build/bench/survey.
"$ROOT/bench/setup.sh" --models "$SURVEY" --package --chromium gemm_64
cd "$ROOT/bench"
mapfile -t names < <(/usr/bin/python3 survey/export.py --list)
/usr/bin/python3 survey/export.py --out "$SURVEY/onnx" "${names[@]}"
"$ROOT/build/bench/venv/bin/python" -m survey.make --onnx "$SURVEY/onnx" --out "$SURVEY" "${names[@]}"
node survey/measure.mjs --models "$SURVEY" "$@" "${names[@]}"
