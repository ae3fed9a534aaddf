# SPDX-License-Identifier: Apache-2.0
# One library per layer: core ← model ← {frontends, ops, preprocess}; ops ← passes ← runtime; kernels ← ops.

# wasmvino_add_library(TARGET LAYER FLAVOUR LIBRARIES...): INTERFACE while the layer has no sources.
function(wasmvino_add_library target layer flavour)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*.cc)
  if(layer STREQUAL "ops")
    wasmvino_select_ops(sources)
    list(APPEND sources ${WASMVINO_OP_TABLE})
  endif()
  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PRIVATE wasmvino_flags)
    wasmvino_precompile_headers(${target} <algorithm> <cmath> <functional> <memory> <optional> <string> <unordered_map>
                                <vector>)
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} ${scope} ${ARGN})
  wasmvino_flavour_flags(${target} ${scope} "${flavour}")
endfunction()

# wasmvino_select_ops(VARIABLE): drops from a list of files those of operations that WASMVINO_OPS or WASMVINO_TOKENIZERS
# leaves out. Every
# model needs the infrastructure, and the passes make the internal operations.
function(wasmvino_select_ops variable)
  if(NOT WASMVINO_TOKENIZERS)
    list(FILTER ${variable} EXCLUDE REGEX "/ops/extension/")
    set(${variable} ${${variable}} PARENT_SCOPE)
  endif()
  if(WASMVINO_OPS)
    set(selected)
    set(unknown ${WASMVINO_OPS})
    foreach(source IN LISTS ${variable})
      cmake_path(GET source STEM stem)
      file(STRINGS ${source} registers LIMIT_COUNT 1 REGEX "^WASMVINO_REGISTER_OPS\\(")
      if(NOT registers OR stem IN_LIST WASMVINO_OPS OR source MATCHES "/ops/(infrastructure|internal)/")
        list(APPEND selected ${source})
        list(REMOVE_ITEM unknown ${stem})
      endif()
    endforeach()
    if(unknown)
      message(FATAL_ERROR "WASMVINO_OPS names no file of src/ops: ${unknown}")
    endif()
    set(${variable} ${selected} PARENT_SCOPE)
  endif()
endfunction()

# The table of operations: explicit calls, since a linker drops static initialisers from a static library.
file(GLOB_RECURSE op_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ops/*.cc)
wasmvino_select_ops(op_sources)
list(JOIN op_sources "\n" lines)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/op_sources.txt CONTENT "${lines}\n" @ONLY)
set(WASMVINO_OP_TABLE ${PROJECT_BINARY_DIR}/generated/op_table.cc)
add_custom_command(
  OUTPUT ${WASMVINO_OP_TABLE}
  COMMAND ${CMAKE_COMMAND} -DSOURCES=${PROJECT_BINARY_DIR}/generated/op_sources.txt
          -DTABLE=${WASMVINO_OP_TABLE} -P ${PROJECT_SOURCE_DIR}/cmake/op_table.cmake
  DEPENDS ${op_sources} ${PROJECT_BINARY_DIR}/generated/op_sources.txt
          ${PROJECT_SOURCE_DIR}/cmake/op_table.cmake
  COMMENT "Collecting the operations"
  VERBATIM)
add_custom_target(op_table DEPENDS ${WASMVINO_OP_TABLE})

# wasmvino_add_layers(SUFFIX): the layers below the runtime, the kernels aside. They compute on the thread that calls
# them and share nothing by themselves, so that one compilation serves both flavours.
function(wasmvino_add_layers suffix)
  wasmvino_add_library(wasmvino_core${suffix} core "${suffix}")
  wasmvino_add_library(wasmvino_model${suffix} model "${suffix}" wasmvino_core${suffix})
  wasmvino_add_frontends("${suffix}")
  wasmvino_add_library(wasmvino_preprocess${suffix} preprocess "${suffix}" wasmvino_model${suffix})
  set(pcre2)
  if(WASMVINO_TOKENIZERS)
    wasmvino_add_pcre2("${suffix}")
    set(pcre2 pcre2${suffix})
  endif()
  wasmvino_add_library(wasmvino_ops${suffix} ops "${suffix}" wasmvino_model${suffix} ${pcre2})
  wasmvino_add_library(wasmvino_passes${suffix} passes "${suffix}" wasmvino_ops${suffix})
  add_dependencies(wasmvino_ops${suffix} op_table)
  if(WASMVINO_UNITY)
    # Headers are most of what is compiled: larger batches take a fraction of the time, and sanitizers several times it.
    set(batch 16)
    if(WASMVINO_SANITIZE)
      set(batch 72)
    endif()
    set_target_properties(wasmvino_ops${suffix} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
    # What several operations share has no namespace of its own.
    get_target_property(sources wasmvino_ops${suffix} SOURCES)
    list(FILTER sources INCLUDE REGEX "/src/ops/")
    foreach(source IN LISTS sources)
      file(STRINGS ${source} registers LIMIT_COUNT 1 REGEX "^WASMVINO_REGISTER_OPS\\(")
      if(NOT registers OR source MATCHES "/ops/internal/")
        set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      endif()
    endforeach()
  endif()
endfunction()

# wasmvino_part_data(TARGET): lets the modules leave out the data of their parts (web/parts.mjs).
function(wasmvino_part_data target)
  if(EMSCRIPTEN)
    add_custom_command(TARGET ${target} POST_BUILD
      COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} ${PROJECT_SOURCE_DIR}/web/part_data.mjs ${CMAKE_RANLIB} ${WASMVINO_CXXFILT}
              $<TARGET_FILE:${target}>
      VERBATIM)
  endif()
endfunction()
if(EMSCRIPTEN)
  execute_process(COMMAND ${EMSCRIPTEN_ROOT_PATH}/em-config LLVM_ROOT OUTPUT_VARIABLE llvm OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  # An older one does not know all names.
  string(REGEX MATCH "^[0-9]+" llvm_version ${CMAKE_CXX_COMPILER_VERSION})
  find_program(WASMVINO_CXXFILT NAMES llvm-cxxfilt-${llvm_version} llvm-cxxfilt PATHS ${llvm} NO_DEFAULT_PATH REQUIRED)
endif()

# wasmvino_frontend_table(FILE NAMES...): writes the table of front ends, in the order in which they are asked.
function(wasmvino_frontend_table file)
  set(frontend_declarations)
  set(frontend_calls)
  foreach(name IN LISTS ARGN)
    if(NOT IS_DIRECTORY ${PROJECT_SOURCE_DIR}/src/frontends/${name} OR name MATCHES "^(common|build)$")
      message(FATAL_ERROR "WASMVINO_FRONTENDS names no folder of src/frontends: ${name}")
    endif()
    string(APPEND frontend_declarations "namespace wasmvino::${name} {\nconst frontends::Frontend& frontend();\n}\n")
    list(APPEND frontend_calls "&${name}::frontend()")
  endforeach()
  if(NOT frontend_calls)
    message(FATAL_ERROR "WASMVINO_FRONTENDS is empty, expected some of: ir;pnnx;onnx")
  endif()
  list(JOIN frontend_calls ", " frontend_calls)
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT
"// SPDX-License-Identifier: Apache-2.0
// Made by cmake/layers.cmake.
#include \"frontends/frontends.h\"

@frontend_declarations@
namespace wasmvino::frontends {

std::span<const Frontend* const> all() {
  static const Frontend* const table[] = {@frontend_calls@};
  return table;
}

}  // namespace wasmvino::frontends
")
endfunction()

set(WASMVINO_FRONTEND_TABLE ${PROJECT_BINARY_DIR}/generated/frontend_table.cc)
wasmvino_frontend_table(${WASMVINO_FRONTEND_TABLE} ${WASMVINO_FRONTENDS})

# wasmvino_add_frontends(SUFFIX): wasmvino_frontends, on a library for each format and on what they share.
function(wasmvino_add_frontends suffix)
  wasmvino_add_library(wasmvino_frontends_common${suffix} frontends/common "${suffix}" wasmvino_model${suffix})
  wasmvino_add_library(wasmvino_frontends_build${suffix} frontends/build "${suffix}" wasmvino_model${suffix})
  set(libraries)
  foreach(name IN LISTS WASMVINO_FRONTENDS)
    wasmvino_add_library(wasmvino_frontends_${name}${suffix} frontends/${name} "${suffix}"
                         wasmvino_frontends_common${suffix} wasmvino_frontends_build${suffix})
    list(APPEND libraries wasmvino_frontends_${name}${suffix})
    if(NOT name STREQUAL "ir")
      wasmvino_part_data(wasmvino_frontends_${name}${suffix})
    endif()
  endforeach()
  if("ir" IN_LIST WASMVINO_FRONTENDS)
    wasmvino_add_pugixml("${suffix}")
    target_link_libraries(wasmvino_frontends_ir${suffix} PUBLIC pugixml${suffix})
  endif()
  add_library(wasmvino_frontends${suffix} STATIC ${PROJECT_SOURCE_DIR}/src/frontends/frontends.cc
              ${WASMVINO_FRONTEND_TABLE})
  target_include_directories(wasmvino_frontends${suffix} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(wasmvino_frontends${suffix} PUBLIC ${libraries} PRIVATE wasmvino_flags)
  wasmvino_flavour_flags(wasmvino_frontends${suffix} PUBLIC "${suffix}")
endfunction()

# wasmvino_add_runtime(FLAVOUR SUFFIX): the layer that knows threads, on the layers compiled with SUFFIX. Whoever runs
# models may edit them before.
function(wasmvino_add_runtime flavour suffix)
  wasmvino_add_library(wasmvino_runtime${flavour} runtime "${flavour}" wasmvino_passes${suffix} wasmvino_preprocess${suffix})
endfunction()

# wasmvino_add_kernels(INSTRUCTIONS): the slowest files to compile, once for both flavours.
function(wasmvino_add_kernels instructions)
  set(target wasmvino_kernels${instructions})
  wasmvino_add_library(${target} kernels -any)
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    target_link_libraries(${target} PRIVATE highway)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O3>)
    wasmvino_kernel_flags(${target} "${instructions}")
  endif()
  if(NOT EMSCRIPTEN)
    # Other linkers than wasm-ld want to know the order: operations call kernels.
    target_link_libraries(wasmvino_ops INTERFACE ${target})
    target_link_libraries(${target} INTERFACE wasmvino_core)
  endif()
endfunction()

# wasmvino_add_variant(VARIANT FLAVOUR INSTRUCTIONS): wasmvino_engineVARIANT, the layers with their kernels.
function(wasmvino_add_variant variant flavour instructions)
  add_library(wasmvino_engine${variant} INTERFACE)
  target_link_libraries(wasmvino_engine${variant} INTERFACE wasmvino_runtime${flavour} wasmvino_kernels${instructions})
endfunction()

# wasmvino_add_cli(): the native command line.
function(wasmvino_add_cli)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/*.cc)
  if(sources)
    add_executable(wasmvino ${sources})
    target_link_libraries(wasmvino PRIVATE wasmvino_frontends wasmvino_engine wasmvino_flags json)
  endif()
endfunction()
