# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCES=LIST.txt -DTABLE=OUT.cc -P op_table.cmake
# Writes the function that registers the operations of the listed files, each of which says
# WASMVINO_REGISTER_OPS(<its stem>) at the start of a line (a file without it registers nothing).
cmake_minimum_required(VERSION 3.25)

file(STRINGS ${SOURCES} sources)
set(names)
foreach(source IN LISTS sources)
  file(STRINGS ${source} lines REGEX "^WASMVINO_REGISTER_OPS\\(")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^WASMVINO_REGISTER_OPS\\(([^),]*).*" "\\1" name "${line}")
    cmake_path(GET source STEM stem)
    if(NOT name STREQUAL stem)
      message(FATAL_ERROR "${source} registers '${name}', not its own name '${stem}'")
    endif()
    if(name IN_LIST names)
      message(FATAL_ERROR "${source} registers '${name}' again: names of files are unique below src/ops")
    endif()
    list(APPEND names ${name})
  endforeach()
endforeach()
list(SORT names)

set(declarations)
set(calls)
foreach(name IN LISTS names)
  string(APPEND declarations "void register_${name}(model::Registry& registry);\n")
  string(APPEND calls "  register_${name}(registry);\n")
endforeach()
if(names)
  set(parameter "model::Registry& registry")
else()
  set(parameter "model::Registry&")
endif()
file(CONFIGURE OUTPUT ${TABLE} @ONLY CONTENT
"// SPDX-License-Identifier: Apache-2.0
// Made by cmake/op_table.cmake.
namespace wasmvino::model {
class Registry;
}

namespace wasmvino::ops {
${declarations}
void register_all(${parameter});
void register_all(${parameter}) {
${calls}}
}  // namespace wasmvino::ops
")
