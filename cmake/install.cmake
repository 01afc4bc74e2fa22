# What `cmake --install` puts under a prefix: the program with its man pages, completions, systemd
# units and a configuration to begin with; the libraries with headers, pkg-config and CMake files.
#
# Nothing that is built depends on the prefix, so it can be chosen when installing (--prefix), and
# the installed tree may be moved.

install(TARGETS starcloak RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(PROGRAMS tools/report.py DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME starcloak-figures)
install(FILES packaging/starcloak-figures.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# pkg-config: the prefix is found from where the .pc file lies.
file(RELATIVE_PATH SC_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" SC_PC_TO_PREFIX ${SC_PC_TO_PREFIX})
foreach(name starcloak starcloak-io starcloak-study)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# CMake: find_package(starcloak) gives starcloak::starcloak, starcloak::io and starcloak::study, and
# each with _static.
include(CMakePackageConfigHelpers)
set(SC_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/starcloak)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/starcloak-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES cmake/starcloak-config.cmake ${CMAKE_BINARY_DIR}/starcloak-config-version.cmake
  DESTINATION ${SC_CMAKE_DIR})
install(EXPORT starcloak-targets NAMESPACE starcloak:: DESTINATION ${SC_CMAKE_DIR})

# What the program writes about itself: man pages, completions, a configuration.
set(SC_SHARE ${CMAKE_BINARY_DIR}/share)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/share.stamp
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:starcloak> -DFOLDER=${SC_SHARE}
    "-DEMULATOR=${CMAKE_CROSSCOMPILING_EMULATOR}" -P ${CMAKE_SOURCE_DIR}/cmake/write_share.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/share.stamp
  DEPENDS starcloak ${CMAKE_SOURCE_DIR}/cmake/write_share.cmake
  COMMENT "Writing man pages and completions" VERBATIM)
# Builds with tests in them are not installed.
if(SC_TESTS OR SC_FUZZ)
  add_custom_target(share DEPENDS ${CMAKE_BINARY_DIR}/share.stamp)
else()
  add_custom_target(share ALL DEPENDS ${CMAKE_BINARY_DIR}/share.stamp)
endif()
install(DIRECTORY ${SC_SHARE}/ DESTINATION ${CMAKE_INSTALL_DATADIR})
install(FILES README.md LICENSE CHANGELOG.md src/service/api/openapi.json
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/starcloak)

# Units for systemd, with the path that the program gets.
file(GLOB SC_UNITS CONFIGURE_DEPENDS packaging/systemd/*)
install(CODE "
  foreach(unit ${SC_UNITS})
    get_filename_component(name \"\${unit}\" NAME)
    file(READ \"\${unit}\" text)
    string(REPLACE /usr/local/bin/ \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/\" text \"\${text}\")
    file(WRITE \"${CMAKE_BINARY_DIR}/units/\${name}\" \"\${text}\")
    file(INSTALL \"${CMAKE_BINARY_DIR}/units/\${name}\"
      DESTINATION \"\${CMAKE_INSTALL_PREFIX}/lib/systemd/system\")
  endforeach()")
