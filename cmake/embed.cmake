# sc_embed(FILE NAME OUT): the bytes of a file of the repository as a C source.
#
# It defines `const unsigned char NAME[]` and `const size_t NAME_size`; its path is put into OUT.
# Written when the project is configured, which happens again when the file changes.
function(sc_embed file name out)
  set(source ${CMAKE_BINARY_DIR}/embedded/${name}.c)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${file})
  file(READ ${CMAKE_SOURCE_DIR}/${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
    "#include <stddef.h>\nextern const unsigned char @name@[];\nextern const size_t @name@_size;\n\
const unsigned char @name@[] = {\n@bytes@};\nconst size_t @name@_size = sizeof @name@;\n")
  set(${out} ${source} PARENT_SCOPE)
endfunction()
