# SPDX-License-Identifier: Apache-2.0
#
# cmake -D FROM=<docs/reference> -D TO=<directory> -P install_docs.cmake
#
# Copies the documents that are installed with the sources. Links to other documents become plain text, and figures are left out.

set(kept scheduler_accelerator accelerator_integration cluster_order)
file(GLOB modules RELATIVE "${FROM}" "${FROM}/rtl/*.md")
string(REPLACE ";" "|" names "${kept}")
foreach(name IN LISTS kept modules)
  string(REGEX REPLACE "\\.md$" "" name "${name}")
  file(READ "${FROM}/${name}.md" text)
  set(inside "#[^)]*|https?:[^)]*|(\\.\\./)?(${names})\\.md[^)]*")
  if(name MATCHES "^rtl/")
    string(APPEND inside "|[a-zA-Z_]+\\.md[^)]*")
  else()
    string(APPEND inside "|rtl/[a-zA-Z_]+\\.md[^)]*")
  endif()
  string(REGEX REPLACE "!\\[[^]]*\\]\\([^)]*\\)\n" "" text "${text}")
  string(REGEX REPLACE "\\]\\((${inside})\\)" "]<<\\1>>" text "${text}")
  string(REGEX REPLACE "\\[([^]]*)\\]\\([^)]*\\)" "\\1" text "${text}")
  string(REGEX REPLACE "\\]<<([^>]*)>>" "](\\1)" text "${text}")
  file(WRITE "${TO}/${name}.md" "${text}")
endforeach()
