# SPDX-License-Identifier: Apache-2.0
# Toolchain file: clang++ with the 32-bit libraries of scripts/setup/sanitizers.sh 32.
set(root ${CMAKE_CURRENT_LIST_DIR}/../.toolchain/i386)
if(NOT EXISTS ${root}/.complete)
  message(FATAL_ERROR "no 32-bit libraries in .toolchain/i386: run scripts/setup/sanitizers.sh 32")
endif()
file(REAL_PATH ${root} root)
find_program(CMAKE_C_COMPILER clang-19 REQUIRED)
find_program(CMAKE_CXX_COMPILER clang++-19 REQUIRED)
set(CMAKE_C_FLAGS_INIT "--config=${root}/clang.cfg -Wno-unused-command-line-argument")
set(CMAKE_CXX_FLAGS_INIT "--config=${root}/clang.cfg -Wno-unused-command-line-argument")
