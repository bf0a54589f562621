# SPDX-License-Identifier: Apache-2.0
#
# Finds SystemC and defines SystemC::systemc: SystemC 3's own package, then pkg-config (Debian), then SYSTEMC_HOME. There is no such target where
# SystemC was not found. Also used by the installed package, for the project that asks for it.

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
  # SystemC 2 needs SC_HAS_PROCESS, SystemC 3 calls it deprecated.
  target_compile_definitions(SystemC::systemc INTERFACE SC_ALLOW_DEPRECATED_IEEE_API)
endif()

# SystemC's library holds the C++ standard that it was built for in the name of a symbol (Debian's 2.3.4 and 3.0.1: C++17); its headers take the
# standard of the program unless told. With this a program of a later standard links too.
function(platter_accept_later_standards)
  target_compile_definitions(SystemC::systemc INTERFACE SC_CPLUSPLUS=201703L)
endfunction()

# Stops with a message where a program of this C++ standard ("": none was set) cannot use Platter and SystemC, instead of at its link.
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
      unset(PLATTER_SYSTEMC_LINKS_CXX${standard} CACHE)  # looked at again by the next configuration
      message(FATAL_ERROR "A C++${standard} program does not link against this SystemC. Platter needs a SystemC that was built for C++17, and a "
        "CMAKE_CXX_STANDARD that its headers can be compiled with.\n${output}")
    endif()
  endif()
endfunction()
