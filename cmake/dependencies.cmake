# SPDX-License-Identifier: Apache-2.0
# Third-party sources: from .deps/ (scripts/setup/sources.sh), else downloaded. The archives are the upstream
# tags', so that both ways bear the same SHA-256.
include(FetchContent)

# wasmvino_source(NAME URL SHA256) sets NAME_SOURCE_DIR. Its own build files are not used.
macro(wasmvino_source name url sha256)
  string(TOUPPER ${name} upper)
  if(EXISTS ${PROJECT_SOURCE_DIR}/.deps/${name} AND NOT DEFINED FETCHCONTENT_SOURCE_DIR_${upper})
    set(FETCHCONTENT_SOURCE_DIR_${upper} ${PROJECT_SOURCE_DIR}/.deps/${name})
  endif()
  FetchContent_Declare(${name} URL ${url} URL_HASH SHA256=${sha256} SOURCE_SUBDIR sources-only)
  FetchContent_MakeAvailable(${name})
endmacro()

wasmvino_source(highway https://github.com/google/highway/archive/refs/tags/1.2.0.tar.gz
                7e0be78b8318e8bdbf6fa545d2ecb4c90f947df03f7aadc42c1967f019e63343)
wasmvino_source(pugixml https://github.com/zeux/pugixml/archive/refs/tags/v1.13.tar.gz
                5c5ad5d7caeb791420408042a7d88c2c6180781bf218feca259fd9d840a888e1)
wasmvino_source(pcre2 https://github.com/PCRE2Project/pcre2/releases/download/pcre2-10.46/pcre2-10.46.tar.gz
                8d28d7f2c3b970c3a4bf3776bcbb5adfc923183ce74bc8df1ebaad8c1985bd07)

# Headers are all that static dispatch needs; Highway's own build adds -matomics under Emscripten.
add_library(highway INTERFACE)
target_include_directories(highway SYSTEM INTERFACE ${highway_SOURCE_DIR})
target_compile_definitions(highway INTERFACE HWY_STATIC_DEFINE)

# wasmvino_add_pugixml(FLAVOUR)
function(wasmvino_add_pugixml flavour)
  add_library(pugixml${flavour} STATIC ${pugixml_SOURCE_DIR}/src/pugixml.cpp)
  target_include_directories(pugixml${flavour} SYSTEM PUBLIC ${pugixml_SOURCE_DIR}/src)
  target_compile_definitions(pugixml${flavour} PUBLIC PUGIXML_NO_XPATH PUGIXML_NO_STL)
  target_link_libraries(pugixml${flavour} PRIVATE wasmvino_sanitizers)
  wasmvino_flavour_flags(pugixml${flavour} PRIVATE "${flavour}")
endfunction()

# wasmvino_add_pcre2(FLAVOUR): regular expressions of tokenizers, on bytes of UTF-8, without its compiler to machine code. The
# version and the size of links are those of openvino_tokenizers: longer links allow longer patterns. Without sanitizers, with
# which one file takes minutes to compile.
function(wasmvino_add_pcre2 flavour)
  set(root ${pcre2_SOURCE_DIR}/src)
  set(generated ${PROJECT_BINARY_DIR}/generated/pcre2)
  configure_file(${root}/pcre2.h.generic ${generated}/pcre2.h COPYONLY)
  configure_file(${root}/pcre2_chartables.c.dist ${generated}/pcre2_chartables.c COPYONLY)
  set(sources ${generated}/pcre2_chartables.c)
  foreach(name IN ITEMS auto_possess chkdint compile compile_class context error extuni find_bracket match match_data newline
                        ord2utf pattern_info script_run string_utils study substring tables ucd valid_utf xclass)
    list(APPEND sources ${root}/pcre2_${name}.c)
  endforeach()
  add_library(pcre2${flavour} STATIC ${sources})
  target_include_directories(pcre2${flavour} SYSTEM PUBLIC ${generated} PRIVATE ${root})
  target_compile_definitions(pcre2${flavour} PUBLIC PCRE2_CODE_UNIT_WIDTH=8 PCRE2_STATIC
                             PRIVATE SUPPORT_PCRE2_8 PCRE2_EXPORT= SUPPORT_UNICODE HAVE_MEMMOVE LINK_SIZE=3 HEAP_LIMIT=20000000 MATCH_LIMIT=10000000
                             MATCH_LIMIT_DEPTH=MATCH_LIMIT MAX_NAME_COUNT=10000 MAX_NAME_SIZE=128 MAX_VARLOOKBEHIND=255
                             NEWLINE_DEFAULT=2 PARENS_NEST_LIMIT=250)
  set_source_files_properties(${root}/pcre2_match.c PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)
  wasmvino_flavour_flags(pcre2${flavour} PRIVATE "${flavour}")
endfunction()

if(WASMVINO_TESTS)
  wasmvino_source(googletest https://github.com/google/googletest/archive/refs/tags/release-1.12.1.tar.gz
                  81964fe578e9bd7c94dfdb09c8e4d6e6759e19967e397dbea48d1c10e45d0df2)
endif()

# wasmvino_add_googletest(FLAVOUR): with its main().
function(wasmvino_add_googletest flavour)
  set(root ${googletest_SOURCE_DIR}/googletest)
  add_library(gtest${flavour} STATIC ${root}/src/gtest-all.cc ${root}/src/gtest_main.cc)
  target_include_directories(gtest${flavour} SYSTEM PUBLIC ${root}/include PRIVATE ${root})
  wasmvino_flavour_flags(gtest${flavour} PUBLIC "${flavour}")
endfunction()

# JSON is for the native command line and the native tests; the wasm modules have none.
if(NOT EMSCRIPTEN)
  add_library(json INTERFACE)
  find_path(WASMVINO_JSON_INCLUDE nlohmann/json.hpp)
  if(WASMVINO_JSON_INCLUDE)
    target_include_directories(json SYSTEM INTERFACE ${WASMVINO_JSON_INCLUDE})
  else()
    wasmvino_source(json https://github.com/nlohmann/json/archive/refs/tags/v3.11.2.tar.gz
                    d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273)
    target_include_directories(json SYSTEM INTERFACE ${json_SOURCE_DIR}/single_include)
  endif()
endif()
