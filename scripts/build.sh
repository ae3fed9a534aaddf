#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh WHAT…: builds, of what scripts/setup/ has brought,
#   native, asan   the engine, its command line and its tests for this machine (build/native-ci, build/native-asan)
#   asan32         the tests in 32 bits, by scripts/setup/native32.sh (build/native-asan32)
#   tsan           the tests in which threads compute together, with ThreadSanitizer (build/native-tsan)
#   wasm           the package's four modules and their tests (build/wasm)
#   modules        the package's four modules without the tests
#   kernels        the benchmark of the kernels for Node.js (build/wasm/bench/kernels)
#   package        what npm packs (dist), from the modules and the TypeScript
. "$(dirname "$0")/common.sh"
cd "$ROOT"

native() { # native PRESET [TARGET…]
    cmake --preset "$1"
    cmake --build --preset "$1" ${2:+--target "${@:2}"}
}

wasm() { # wasm TARGET [CMAKE_OPTION…]
    if [ -e .toolchain/env.sh ] && ! command -v emcmake >/dev/null; then
        . .toolchain/env.sh
    fi
    emcmake cmake --preset wasm "${@:2}"
    cmake --build --preset wasm --target "$1"
}

for what; do
    say "building: $what"
    case $what in
        native) native native-ci ;;
        asan) native native-asan ;;
        asan32) native native-asan32 ;;
        tsan) native native-tsan tests_runtime tests_ops ;;
        wasm) wasm all ;;
        modules) wasm modules ;;
        kernels) wasm bench_kernels-relaxed -DWASMVINO_BENCH=ON ;;
        package) npm run --silent build ;;
        *) fail "unknown: $what (native, asan, asan32, tsan, wasm, modules, kernels, package)" ;;
    esac
done
