# SPDX-License-Identifier: Apache-2.0
#
# platter_verilate(<target> PREFIX <class> TOP_MODULE <module> DIRECTORY <folder of the sources> SOURCES <file>...
#                  [TRACE_FST] [OPTIMISE <options of the compiler, -O2 unless given>...] [ARGS <verilator arguments>...])
#
# Adds to <target>, a library of objects, what Verilator makes of the sources, and to what links it Verilator's run-time. Verilation is a step of the build, done again when a
# source or Verilator changes; since the names of the generated files are not known before, two units include them: what runs
# in every cycle, and what does not. This file is also the script that writes these units.

if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${DIRECTORY}/${PREFIX}.json description)
  foreach(speed fast slow)
    set(unit)
    foreach(kind classes support)
      string(JSON files ERROR_VARIABLE none GET "${description}" sources ${kind}_${speed})
      string(REGEX MATCHALL "[^/\"]+\\.cpp" files "${files}")
      foreach(file IN LISTS files)
        string(APPEND unit "#include \"${file}\"\n")
      endforeach()
    endforeach()
    file(WRITE ${DIRECTORY}/${PREFIX}_${speed}.cpp "${unit}")
  endforeach()
  return()
endif()

get_filename_component(PLATTER_VERILATOR ${CMAKE_CURRENT_LIST_DIR}/../verilator ABSOLUTE)
set(PLATTER_VERILATE_UNITS ${CMAKE_CURRENT_LIST_FILE})
execute_process(COMMAND ${PLATTER_VERILATOR} --getenv VERILATOR_ROOT
  OUTPUT_VARIABLE PLATTER_VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)

set(PLATTER_VERILATED_INCLUDES ${PLATTER_VERILATOR_ROOT}/include ${PLATTER_VERILATOR_ROOT}/include/vltstd)
function(platter_verilated_definitions target fst)
  target_compile_definitions(${target} PRIVATE VM_COVERAGE=0 VM_SC=0 VM_TIMING=0 VM_TRACE=${fst} VM_TRACE_FST=${fst} VM_TRACE_VCD=0 VM_TRACE_SAIF=0)
  # Code of Verilator's answers to its warnings, not to the compiler's, and the sanitizers look at our own.
  target_compile_options(${target} PRIVATE -w $<$<BOOL:${PLATTER_SANITIZE}>:-fno-sanitize=all>)
endfunction()

# The run-time, compiled once without and once with wave files: platter_verilated_runtime_0 and _1.
foreach(fst 0 1)
  add_library(platter_verilated_runtime_${fst} OBJECT EXCLUDE_FROM_ALL
    ${PLATTER_VERILATOR_ROOT}/include/verilated.cpp ${PLATTER_VERILATOR_ROOT}/include/verilated_threads.cpp)
  target_include_directories(platter_verilated_runtime_${fst} SYSTEM PRIVATE ${PLATTER_VERILATED_INCLUDES})
  target_compile_features(platter_verilated_runtime_${fst} PUBLIC cxx_std_17)
  target_compile_options(platter_verilated_runtime_${fst} PRIVATE -O2 -g0)
  target_link_libraries(platter_verilated_runtime_${fst} PUBLIC Threads::Threads)
  platter_verilated_definitions(platter_verilated_runtime_${fst} ${fst})
endforeach()
target_sources(platter_verilated_runtime_1 PRIVATE ${PLATTER_VERILATOR_ROOT}/include/verilated_fst_c.cpp)
set_source_files_properties(${PLATTER_VERILATOR_ROOT}/include/verilated_fst_c.cpp PROPERTIES
  COMPILE_OPTIONS "-include;${PROJECT_SOURCE_DIR}/models/platter/observe/fst_checks.h")
target_link_libraries(platter_verilated_runtime_1 PUBLIC ZLIB::ZLIB PkgConfig::LZ4)

function(platter_verilate target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TRACE_FST" "PREFIX;TOP_MODULE;DIRECTORY" "SOURCES;OPTIMISE;ARGS")
  set(code ${CMAKE_CURRENT_BINARY_DIR}/${arg_PREFIX}.dir)
  set(fast ${code}/${arg_PREFIX}_fast.cpp)
  set(slow ${code}/${arg_PREFIX}_slow.cpp)
  if(NOT arg_OPTIMISE)
    set(arg_OPTIMISE -O2)
  endif()
  set(trace)
  set(fst 0)
  if(arg_TRACE_FST)
    set(trace --trace-fst)
    set(fst 1)
  endif()

  # Relative names of the sources, since the generated code holds them.
  list(TRANSFORM arg_SOURCES PREPEND ${arg_DIRECTORY}/ OUTPUT_VARIABLE sources)
  add_custom_command(OUTPUT ${fast} ${slow} ${code}/${arg_PREFIX}.h
    COMMAND ${PLATTER_VERILATOR} --cc --make json --quiet --prefix ${arg_PREFIX} --top-module ${arg_TOP_MODULE} --Mdir ${code}
      ${trace} ${arg_ARGS} ${arg_SOURCES}
    COMMAND ${CMAKE_COMMAND} -D DIRECTORY=${code} -D PREFIX=${arg_PREFIX} -P ${PLATTER_VERILATE_UNITS}
    WORKING_DIRECTORY ${arg_DIRECTORY}
    DEPENDS ${sources} ${PLATTER_VERILATOR} ${PLATTER_VERILATOR_ROOT}/bin/verilator_bin ${PLATTER_VERILATE_UNITS}
    COMMENT "Verilating ${arg_PREFIX}" VERBATIM)

  target_sources(${target} PRIVATE ${fast} ${slow})
  set_source_files_properties(${fast} PROPERTIES COMPILE_OPTIONS "${arg_OPTIMISE};-g0")
  set_source_files_properties(${slow} PROPERTIES COMPILE_OPTIONS "-O0;-g0")
  target_include_directories(${target} SYSTEM PUBLIC ${code} ${PLATTER_VERILATED_INCLUDES})
  platter_verilated_definitions(${target} ${fst})
  # An executable that links the code has the run-time's objects too.
  target_link_libraries(${target} PUBLIC platter_verilated_runtime_${fst})
  target_sources(${target} INTERFACE $<TARGET_OBJECTS:platter_verilated_runtime_${fst}>)
endfunction()
