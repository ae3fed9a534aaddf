# SPDX-License-Identifier: Apache-2.0
# cmake -DROOT=… -DSCRATCH=… -P op_table_test.cmake: what cmake/op_table.cmake writes and what it refuses.
cmake_minimum_required(VERSION 3.25)

# make_table(RESULT FILE CONTENT FILE CONTENT …): the table of these sources, or the error.
function(make_table result)
  file(REMOVE_RECURSE ${SCRATCH})
  set(files)
  while(ARGN)
    list(POP_FRONT ARGN file content)
    file(WRITE ${SCRATCH}/${file} "${content}")
    string(APPEND files "${SCRATCH}/${file}\n")
  endwhile()
  file(WRITE ${SCRATCH}/sources.txt "${files}")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DSOURCES=${SCRATCH}/sources.txt -DTABLE=${SCRATCH}/table.cc
            -P ${ROOT}/cmake/op_table.cmake
    RESULT_VARIABLE status ERROR_VARIABLE error)
  if(status EQUAL 0)
    file(READ ${SCRATCH}/table.cc table)
    set(${result} "${table}" PARENT_SCOPE)
  else()
    string(REGEX REPLACE "[ \n]+" " " error "${error}")
    set(${result} "${error}" PARENT_SCOPE)
  endif()
endfunction()

function(expect text pattern)
  if(NOT text MATCHES "${pattern}")
    message(SEND_ERROR "expected '${pattern}' in:\n${text}")
  endif()
endfunction()

make_table(table
  ops/b/two.cc "WASMVINO_REGISTER_OPS(two) {}\n"
  ops/inputs/help.cc "int help()\n"
  ops/a/one.cc "// WASMVINO_REGISTER_OPS(none)\nWASMVINO_REGISTER_OPS(one) {\n}\n")
expect("${table}" "void register_one\\(model::Registry& registry\\).\nvoid register_two\\(model::Registry& registry\\)")
expect("${table}" "{\n  register_one\\(registry\\).\n  register_two\\(registry\\).\n}")

make_table(table ops/a/one.cc "WASMVINO_REGISTER_OPS(other) {}\n")
expect("${table}" "one.cc registers 'other', not its own name 'one'")

make_table(table ops/a/one.cc "WASMVINO_REGISTER_OPS(one) {}\n" ops/b/one.cc "WASMVINO_REGISTER_OPS(one) {}\n")
expect("${table}" "b/one.cc registers 'one' again")
