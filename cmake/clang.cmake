# SPDX-License-Identifier: Apache-2.0
# Toolchain file: the clang++ of scripts/setup/sanitizers.sh, whose libFuzzer shares one build with the sanitizers.
find_program(CMAKE_CXX_COMPILER clang++-19 REQUIRED)
