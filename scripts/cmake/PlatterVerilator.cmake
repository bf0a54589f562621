# SPDX-License-Identifier: Apache-2.0
#
# platter_verilate(<target> PREFIX <class> TOP_MODULE <module> DIRECTORY <folder of the sources> SOURCES <file>...
#                  [TRACE_FST] [ARGS <verilator arguments>...])
#
# Adds to <target> what Verilator makes of the sources, and its run-time. Verilation is a step of the build, done again when a
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

function(platter_verilate target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TRACE_FST" "PREFIX;TOP_MODULE;DIRECTORY" "SOURCES;ARGS")
  set(code ${CMAKE_CURRENT_BINARY_DIR}/${arg_PREFIX}.dir)
  set(fast ${code}/${arg_PREFIX}_fast.cpp)
  set(slow ${code}/${arg_PREFIX}_slow.cpp)
  set(include ${PLATTER_VERILATOR_ROOT}/include)
  set(runtime ${include}/verilated.cpp ${include}/verilated_threads.cpp)
  set(trace)
  if(arg_TRACE_FST)
    set(trace --trace-fst)
    list(APPEND runtime ${include}/verilated_fst_c.cpp)
    set(fst_options "-include;${PROJECT_SOURCE_DIR}/models/platter/observe/fst_checks.h")
    target_link_libraries(${target} PUBLIC ZLIB::ZLIB PkgConfig::LZ4)
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

  target_sources(${target} PRIVATE ${fast} ${slow} ${runtime})
  set_source_files_properties(${fast} ${runtime} PROPERTIES COMPILE_OPTIONS "-O2;-g0")
  if(arg_TRACE_FST)
    set_source_files_properties(${include}/verilated_fst_c.cpp PROPERTIES COMPILE_OPTIONS "-O2;-g0;${fst_options}")
  endif()
  set_source_files_properties(${slow} PROPERTIES COMPILE_OPTIONS "-O0;-g0")
  target_include_directories(${target} SYSTEM PUBLIC ${code} ${include} ${include}/vltstd)
  target_compile_definitions(${target} PRIVATE VM_COVERAGE=0 VM_SC=0 VM_TIMING=0 VM_TRACE=$<BOOL:${arg_TRACE_FST}>
    VM_TRACE_FST=$<BOOL:${arg_TRACE_FST}> VM_TRACE_VCD=0 VM_TRACE_SAIF=0)
  target_link_libraries(${target} PUBLIC Threads::Threads)
endfunction()
