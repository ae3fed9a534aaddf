#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh WHAT…: builds parts of the project. scripts/setup/ must have installed what they need. WHAT is one of:
#   native         the engine, its tests and its command line for this machine (build/native-ci)
#   asan           the engine, its tests and the fuzz targets, with sanitizers (build/native-asan)
#   asan32         the tests in 32 bits (build/native-asan32); needs scripts/setup/sanitizers.sh 32
#   fuzzers        the libFuzzer targets, with the sanitizers of asan (build/native-asan)
#   tsan           the tests that compute on several threads, with ThreadSanitizer (build/native-tsan)
#   wasm           the package's four modules and their tests (build/wasm)
#   safe_heap      the tests that read, compile and run models, with every memory access and the stack checked
#                  (build/wasm-safe-heap)
#   modules        the package's four modules without the tests
#   kernels        the benchmark of the kernels for Node.js (build/wasm/bench/kernels)
#   package        dist/, the files of the npm package, from the modules and the TypeScript
. "$(dirname "$0")/common.sh"
cd "$ROOT"

native() { # native PRESET [TARGET…]
    cmake --preset "$1"
    cmake --build --preset "$1" ${2:+--target "${@:2}"}
}

wasm() { # wasm PRESET TARGET… [-DOPTION…]
    if [ -e .toolchain/env.sh ] && ! command -v emcmake >/dev/null; then
        . .toolchain/env.sh
    fi
    local preset=$1 targets=() options=() argument
    for argument in "${@:2}"; do
        if [[ $argument == -D* ]]; then options+=("$argument"); else targets+=("$argument"); fi
    done
    emcmake cmake --preset "$preset" "${options[@]}"
    cmake --build --preset "$preset" --target "${targets[@]}"
}

for what; do
    say "building: $what"
    case $what in
        native) native native-ci ;;
        asan) native native-asan ;;
        asan32) native native-asan32 ;;
        fuzzers) native native-asan fuzzers ;;
        tsan) native native-tsan tests_runtime tests_ops ;;
        wasm) wasm wasm all ;;
        safe_heap) wasm wasm-safe-heap tests_frontends-any tests_ops-simd tests_kernels-simd tests_runtime-simd ;;
        modules) wasm wasm modules ;;
        kernels) wasm wasm bench_kernels-relaxed -DWASMVINO_BENCH=ON ;;
        package) npm run --silent build ;;
        *) fail "unknown: $what (native, asan, asan32, fuzzers, tsan, wasm, safe_heap, modules, kernels, package)" ;;
    esac
done
