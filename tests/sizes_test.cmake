# SPDX-License-Identifier: Apache-2.0
# cmake -DROOT=… -P sizes_test.cmake: sizes of memory are no plain products, which wrap in the 32 bits of
# WebAssembly's addresses (src/core/checked.h).
cmake_minimum_required(VERSION 3.25)

set(wrong)
set(seen 0)
# refuse(REGEX ADVICE): no line of the sources matches, comments aside.
function(refuse regex advice)
  foreach(file IN LISTS files)
    file(STRINGS ${file} lines REGEX "${regex}")
    foreach(line IN LISTS lines)
      string(STRIP "${line}" line)
      if(NOT line MATCHES "^//" AND NOT line MATCHES "CheckedSize[^;]*\\*")
        string(APPEND wrong "\n  ${file}: ${line}\n    ${advice}")
      endif()
    endforeach()
  endforeach()
  set(wrong "${wrong}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE files ${ROOT}/src/*.h ${ROOT}/src/*.cc ${ROOT}/web/*.h ${ROOT}/web/*.cc)
list(REMOVE_ITEM files ${ROOT}/src/core/checked.h)
list(LENGTH files seen)
if(seen EQUAL 0)
  message(FATAL_ERROR "no source below ${ROOT}: nothing was checked")
endif()

set(product "[^;\"]*[a-z_)] \\* [a-z_(]")
refuse("([.>](resize|reserve|assign)|malloc|aligned_alloc)\\(${product}" "an allocation takes a product of CheckedSize")
refuse("(make_unique|make_shared)<[^;]*\\[\\]>\\(${product}" "an allocation takes a product of CheckedSize")
refuse("vector<[^;()]*> [a-z_]+\\(${product}" "an allocation takes a product of CheckedSize")
refuse("\\{static_cast<int64_t>\\([a-z_]+ \\* [a-z_:]+[^}]*\\}" "a shape has the factors as sizes of its own")
refuse("\\* ([a-z_.]+|\\([a-z_.]+ \\+ 1\\)) / [a-z_.]*(parts|pieces|ranges|shares)_?[^a-z_]"
       "part_begin() cuts evenly")

# A product in the parentheses wraps before it is checked.
foreach(file IN LISTS files)
  file(STRINGS ${file} lines REGEX "CheckedSize\\(([^()]|\\(\\))* [*+] ")
  foreach(line IN LISTS lines)
    string(APPEND wrong "\n  ${file}: ${line}\n    CheckedSize(a) * b instead of CheckedSize(a * b)")
  endforeach()
endforeach()

if(wrong)
  message(FATAL_ERROR "sizes that may wrap in 32 bits:${wrong}")
endif()
message(STATUS "${seen} files have checked sizes of memory")
