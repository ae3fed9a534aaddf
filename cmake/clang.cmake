# SPDX-License-Identifier: Apache-2.0
# Toolchain file: the compilers of scripts/setup/sanitizers.sh, whose libFuzzer shares one build with the sanitizers.
find_program(CMAKE_C_COMPILER clang-19 REQUIRED)
find_program(CMAKE_CXX_COMPILER clang++-19 REQUIRED)
