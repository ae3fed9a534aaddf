# SPDX-License-Identifier: Apache-2.0
# Compiler flags: of everything, of the project's own code (wasmvino_flags), of a flavour and of a variant.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

if(EMSCRIPTEN)
  set(CMAKE_C_FLAGS_RELEASE "-Oz -DNDEBUG")
  set(CMAKE_CXX_FLAGS_RELEASE "-Oz -DNDEBUG")  # beside kernels: a tenth smaller than -Os
  # Only Embind asks for types at run time; without their names the modules are 30 KB smaller.
  add_compile_options(-msimd128 -fwasm-exceptions $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
  add_link_options(-fwasm-exceptions -Wno-pthreads-mem-growth)
else()
  # Assertions stay on where tests run; -g1 gives back traces at a fraction of the time and space of -g.
  foreach(language IN ITEMS C CXX)
    set(CMAKE_${language}_FLAGS_RELWITHDEBINFO "-O2 -g1")
    set(CMAKE_${language}_FLAGS_DEBUG "-O1 -g1")
  endforeach()
  add_compile_options(-ffunction-sections -fdata-sections)
  if(APPLE)
    add_link_options(-Wl,-dead_strip)
  else()
    add_link_options(-Wl,--gc-sections)
  endif()
  # Highway's SSE4 target: the same 128-bit vectors as wasm, so that native tests run the same tiles.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    if(CMAKE_SIZEOF_VOID_P EQUAL 8)
      add_compile_options(-march=x86-64-v2 -maes -mpclmul)
    else()
      add_compile_options(-msse4.2 -mpopcnt -maes -mpclmul)
    endif()
  endif()
  # The standard library's containers check their indices and iterators where tests run.
  add_compile_definitions("$<$<NOT:$<CONFIG:Release>>:_GLIBCXX_ASSERTIONS>"
                          "$<$<NOT:$<CONFIG:Release>>:_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_EXTENSIVE>")
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  # Lets ccache compare what a precompiled header holds instead of when it was written.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()

if(WASMVINO_SCALAR)
  add_compile_definitions(HWY_COMPILE_ONLY_EMU128)
endif()

# The sanitizers watch the project's code and the XML parser, not GoogleTest: instrumenting it takes half a minute.
add_library(wasmvino_sanitizers INTERFACE)
if(WASMVINO_SANITIZE)
  target_compile_options(wasmvino_sanitizers INTERFACE -fsanitize=${WASMVINO_SANITIZE} -fno-sanitize-recover=all
                         -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${WASMVINO_SANITIZE})
endif()

if(WASMVINO_FUZZ)
  # Counts which branches are taken, for libFuzzer.
  target_compile_options(wasmvino_sanitizers INTERFACE -fsanitize=fuzzer-no-link)
  # Without the folder in the names of files, all checkouts give the same program, whose fuzzing repeats.
  string(REGEX MATCHALL "/" components ${PROJECT_SOURCE_DIR})
  list(LENGTH components depth)
  target_compile_options(wasmvino_sanitizers INTERFACE -fsanitize-undefined-strip-path-components=${depth}
                         -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()

add_library(wasmvino_flags INTERFACE)
target_link_libraries(wasmvino_flags INTERFACE wasmvino_sanitizers)
target_compile_options(wasmvino_flags INTERFACE -Wall -Wextra -fno-math-errno)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(wasmvino_flags INTERFACE -Wno-restrict)  # false alarms in std::string
endif()
if(WASMVINO_WERROR)
  target_compile_options(wasmvino_flags INTERFACE -Werror)
endif()

# wasmvino_flavour_flags(TARGET SCOPE FLAVOUR): one thread (-st), threads (-mt, and natively), or objects that serve both
# (-any): the linker asks for -matomics and -mbulk-memory of code beside threads. libc++ then counts the owners of shared
# pointers atomically, so that modules for one thread contain atomic operations too (tests/js/engine/instructions.test.mjs).
# WASMVINO_SAFE_HEAP leaves them out, and links no threads: wasm-opt's checks know them only in shared memory.
function(wasmvino_flavour_flags target scope flavour)
  if(flavour STREQUAL "-any")
    get_target_property(type ${target} TYPE)
    if(EMSCRIPTEN AND NOT WASMVINO_SAFE_HEAP AND NOT type STREQUAL "INTERFACE_LIBRARY")
      target_compile_options(${target} PRIVATE -matomics -mbulk-memory)
    endif()
  elseif(NOT flavour STREQUAL "-st")
    target_compile_options(${target} ${scope} -pthread)
    target_link_options(${target} ${scope} -pthread)
  endif()
endfunction()

# wasmvino_kernel_flags(TARGET INSTRUCTIONS): of kernels and their tests.
function(wasmvino_kernel_flags target instructions)
  if(instructions STREQUAL "-relaxed")
    target_compile_options(${target} PRIVATE -mrelaxed-simd)
  endif()
endfunction()

# wasmvino_precompile_headers(TARGET HEADERS...): with Clang, the standard library's headers take 2.0 s of 2.2 to 3.9 s per
# file. g++ gains little (2.0 instead of 2.6 s for a test), ccache then misses in other clones, and its builds show which
# files lack an #include.
function(wasmvino_precompile_headers target)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  # Precompiling takes as long as two files.
  if(count GREATER 4 AND NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
