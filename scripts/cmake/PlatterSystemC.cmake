# SPDX-License-Identifier: Apache-2.0
#
# Finds SystemC and defines the target SystemC::systemc. It tries SystemC 3's own package, then pkg-config (Debian), then SYSTEMC_HOME. If SystemC is
# not found, the target does not exist. The installed CMake package uses this file, too.

find_package(PkgConfig QUIET)
find_package(SystemCLanguage CONFIG QUIET)
if(NOT TARGET SystemC::systemc)
  if(PkgConfig_FOUND)
    pkg_check_modules(PLATTER_SYSTEMC QUIET systemc tlm)
  endif()
  if(PLATTER_SYSTEMC_FOUND)
    add_library(SystemC::systemc INTERFACE IMPORTED)
    target_include_directories(SystemC::systemc INTERFACE ${PLATTER_SYSTEMC_INCLUDE_DIRS})
    target_link_libraries(SystemC::systemc INTERFACE ${PLATTER_SYSTEMC_LINK_LIBRARIES})
  elseif(DEFINED ENV{SYSTEMC_HOME})
    find_library(PLATTER_SYSTEMC_LIBRARY systemc HINTS $ENV{SYSTEMC_HOME} PATH_SUFFIXES lib lib64 lib-linux64)
    if(PLATTER_SYSTEMC_LIBRARY)
      add_library(SystemC::systemc INTERFACE IMPORTED)
      target_include_directories(SystemC::systemc INTERFACE $ENV{SYSTEMC_HOME}/include)
      target_link_libraries(SystemC::systemc INTERFACE ${PLATTER_SYSTEMC_LIBRARY})
    endif()
  endif()
endif()
if(TARGET SystemC::systemc)
  # SystemC 2 needs SC_HAS_PROCESS. SystemC 3 warns that it is deprecated, unless this is defined.
  target_compile_definitions(SystemC::systemc INTERFACE SC_ALLOW_DEPRECATED_IEEE_API)
endif()

# The library of SystemC has a symbol whose name contains the C++ standard that it was built for (C++17 in Debian's 2.3.4 and 3.0.1). The headers
# ask for a symbol with the standard of the program. This definition makes them ask for C++17, so a program of a later standard links.
function(platter_accept_later_standards)
  target_compile_definitions(SystemC::systemc INTERFACE SC_CPLUSPLUS=201703L)
endfunction()

# Stops the configuration with a message if a program of this C++ standard cannot use Platter and SystemC. Otherwise the error would come when the
# program is linked. An empty standard means that the project has set none.
function(platter_check_systemc standard)
  if(NOT standard)
    set(standard 17)
  elseif(standard LESS 17 OR standard EQUAL 98)
    message(FATAL_ERROR "Platter needs C++17 or later: CMAKE_CXX_STANDARD is ${standard}. Set it to 17 before Platter is found or added.")
  endif()
  if(NOT DEFINED PLATTER_SYSTEMC_LINKS_CXX${standard})
    set(probe ${CMAKE_CURRENT_BINARY_DIR}/systemc_probe)
    file(WRITE ${probe}/probe.cpp "#include <systemc>\nint sc_main(int, char**) { return 0; }\n")
    try_compile(PLATTER_SYSTEMC_LINKS_CXX${standard} ${probe}/build ${probe}/probe.cpp
      CXX_STANDARD ${standard} CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
      LINK_LIBRARIES SystemC::systemc OUTPUT_VARIABLE output)
    if(NOT PLATTER_SYSTEMC_LINKS_CXX${standard})
      unset(PLATTER_SYSTEMC_LINKS_CXX${standard} CACHE)  # the next configuration tries again
      message(FATAL_ERROR "A C++${standard} program does not link against this SystemC. Platter needs a SystemC that was built for C++17, and a "
        "CMAKE_CXX_STANDARD that its headers can be compiled with.\n${output}")
    endif()
  endif()
endfunction()
