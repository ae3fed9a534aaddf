#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [OPTION…]: compares the native engine with ncnn on three networks that pnnx converted, and writes the results to
# docs/benchmarks.json and docs/benchmarks.md. Installs what is missing. Options are those of compare.py.
# shellcheck source=../../scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"
cd "$ROOT"

venv=build/bench/venv-ncnn
# Debian's PyTorch only supports CPUs. That of PyPI would install 2 GB of CUDA.
/usr/bin/python3 -c 'import torch, torchvision, venv, ensurepip' 2>/dev/null ||
    apt_install python3-torch python3-torchvision python3-venv
want=$(sha256sum <bench/ncnn/requirements.txt)
if [ "$(cat "$venv/.done" 2>/dev/null)" != "$want" ]; then
    say "making a Python environment with ncnn and pnnx, 130 MB ($venv)"
    rm -rf "$venv"
    /usr/bin/python3 -m venv --system-site-packages "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes -r bench/ncnn/requirements.txt
    echo "$want" >"$venv/.done"
fi
cmake --preset native-ci >/dev/null
cmake --build --preset native-ci --target wasmvino
"$venv/bin/python" bench/ncnn/compare.py --pnnx "$venv/bin/pnnx" --models build/bench/ncnn \
    --wasmvino build/native-ci/wasmvino "$@" >build/bench/ncnn.json
node bench/ncnn/report.mjs build/bench/ncnn.json
