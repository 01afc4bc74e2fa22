# sc_library(NAME SCRIPT map SOURCES ... ROOTS ... [BELOW NAME] LINKS ... STATIC_LINKS ...)
#
# One library that is installed: the targets NAME_static and NAME_shared, made of the same objects.
#
#   SCRIPT        its version script, of which @PROJECT_VERSION@ is replaced
#   ROOTS         where its own sources find headers
#   BELOW         the library of ours that it needs, whose users get it too
#   LINKS         what it is linked with
#   STATIC_LINKS  the same for people who link the installed static library, as names for -l
#
# The libraries above the core call functions of it that are no part of the interface (base/ above
# all). Those are exported too, under a version of their own that has the whole version number in it
# (see the version scripts). The other way, a hidden copy of the core in each, would let copies of
# different versions work on one structure without a word. So objects are compiled with all symbols
# visible, and the version script decides what leaves a shared library; calls inside it are bound
# when it is linked, as they would be for hidden symbols.
function(sc_library name)
  cmake_parse_arguments(PARSE_ARGV 1 L "" "SCRIPT;BELOW" "SOURCES;ROOTS;LINKS;STATIC_LINKS")
  string(REPLACE _ - output ${name})

  add_library(${name}_objects OBJECT ${L_SOURCES})
  target_link_libraries(${name}_objects PRIVATE sc_flags ${L_LINKS})
  target_include_directories(${name}_objects PRIVATE ${L_ROOTS})
  target_include_directories(${name}_objects SYSTEM PRIVATE ${SC_GENERATED_INCLUDES})
  target_compile_options(${name}_objects PRIVATE -fno-semantic-interposition)
  set_target_properties(${name}_objects PROPERTIES C_VISIBILITY_PRESET default)

  # $<BUILD_INTERFACE:...> is for this tree, $<INSTALL_INTERFACE:...> for CMake's package files.
  add_library(${name}_static STATIC $<TARGET_OBJECTS:${name}_objects>)
  target_link_libraries(${name}_static PUBLIC $<BUILD_INTERFACE:sc_flags>)
  if(L_BELOW)
    target_link_libraries(${name}_static PUBLIC ${L_BELOW}_static)
  endif()
  foreach(link ${L_LINKS})
    target_link_libraries(${name}_static PUBLIC $<BUILD_INTERFACE:${link}>)
  endforeach()
  foreach(link ${L_STATIC_LINKS})
    target_link_libraries(${name}_static PUBLIC $<INSTALL_INTERFACE:${link}>)
  endforeach()

  configure_file(${L_SCRIPT} ${CMAKE_BINARY_DIR}/lib${output}.map @ONLY)
  add_library(${name}_shared SHARED $<TARGET_OBJECTS:${name}_objects>)
  target_link_libraries(${name}_shared PRIVATE $<BUILD_INTERFACE:sc_flags> ${L_LINKS})
  if(L_BELOW)
    target_link_libraries(${name}_shared PUBLIC ${L_BELOW}_shared)
  endif()
  target_link_options(${name}_shared PRIVATE
    -Wl,--version-script=${CMAKE_BINARY_DIR}/lib${output}.map -Wl,-Bsymbolic-functions)
  if(NOT SC_SANITIZE)
    target_link_options(${name}_shared PRIVATE -Wl,--no-undefined -Wl,--as-needed)
  endif()
  set_target_properties(${name}_shared PROPERTIES VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}
    LINK_DEPENDS ${CMAKE_BINARY_DIR}/lib${output}.map
    # One library finds the other beside it, wherever they lie; while it is built, too: a path of
    # the build's own would make its identity (build-id) differ between two folders.
    INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)

  string(REPLACE starcloak_ "" short ${name})  # starcloak::io
  set_target_properties(${name}_static PROPERTIES OUTPUT_NAME ${output} EXPORT_NAME ${short}_static)
  set_target_properties(${name}_shared PROPERTIES OUTPUT_NAME ${output} EXPORT_NAME ${short})
  install(TARGETS ${name}_static ${name}_shared EXPORT starcloak-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endfunction()
