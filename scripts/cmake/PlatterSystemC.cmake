# SPDX-License-Identifier: Apache-2.0
#
# Finds SystemC and defines SystemC::systemc: SystemC 3's own package, then pkg-config (Debian), then SYSTEMC_HOME.
# Checks at configure time that a program links, which fails where library and C++ standard do not match.

find_package(SystemCLanguage CONFIG QUIET)
if(NOT TARGET SystemC::systemc)
  pkg_check_modules(PLATTER_SYSTEMC QUIET systemc tlm)
  if(PLATTER_SYSTEMC_FOUND)
    add_library(SystemC::systemc INTERFACE IMPORTED)
    target_include_directories(SystemC::systemc INTERFACE ${PLATTER_SYSTEMC_INCLUDE_DIRS})
    target_link_libraries(SystemC::systemc INTERFACE ${PLATTER_SYSTEMC_LINK_LIBRARIES})
  elseif(DEFINED ENV{SYSTEMC_HOME})
    find_library(PLATTER_SYSTEMC_LIBRARY systemc HINTS $ENV{SYSTEMC_HOME} PATH_SUFFIXES lib lib64 lib-linux64 REQUIRED)
    add_library(SystemC::systemc INTERFACE IMPORTED)
    target_include_directories(SystemC::systemc INTERFACE $ENV{SYSTEMC_HOME}/include)
    target_link_libraries(SystemC::systemc INTERFACE ${PLATTER_SYSTEMC_LIBRARY})
  else()
    message(FATAL_ERROR "SystemC was not found: install libsystemc-dev, or set SYSTEMC_HOME")
  endif()
endif()

# SystemC 2 needs SC_HAS_PROCESS, SystemC 3 calls it deprecated.
target_compile_definitions(SystemC::systemc INTERFACE SC_ALLOW_DEPRECATED_IEEE_API)

if(NOT DEFINED PLATTER_SYSTEMC_LINKS)
  set(platter_probe ${CMAKE_BINARY_DIR}/systemc_probe)
  file(WRITE ${platter_probe}/probe.cpp "#include <systemc>\nint sc_main(int, char**) { return 0; }\n")
  try_compile(PLATTER_SYSTEMC_LINKS ${platter_probe}/build ${platter_probe}/probe.cpp
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    LINK_LIBRARIES SystemC::systemc OUTPUT_VARIABLE platter_probe_output)
  if(NOT PLATTER_SYSTEMC_LINKS)
    message(FATAL_ERROR "A C++17 program does not link against this SystemC; was the library built for another C++ "
      "standard?\n${platter_probe_output}")
  endif()
endif()
