# SPDX-License-Identifier: Apache-2.0
include(CMakeFindDependencyMacro)
find_dependency(PkgConfig)
find_dependency(fmt)
find_dependency(nlohmann_json)
find_dependency(tomlplusplus)
find_dependency(ZLIB)
find_dependency(BZip2)
find_dependency(LibLZMA)
find_dependency(Threads)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
include(${CMAKE_CURRENT_LIST_DIR}/PlatterSystemC.cmake)
# SystemC's library holds the C++ standard that it was built for in the name of a symbol; its headers take the standard of the program unless told.
# With this a program of a later standard links too.
target_compile_definitions(SystemC::systemc INTERFACE SC_CPLUSPLUS=201703L)
include(${CMAKE_CURRENT_LIST_DIR}/platterTargets.cmake)
