# C code for the messages of the OpenStreetMap pbf reader, made by protoc-c.
#
# Adds to SC_GENERATED_SOURCES (for the library) and SC_GENERATED_INCLUDES.

find_program(SC_PROTOC_C protoc-c REQUIRED)

set(sc_proto_dir "${CMAKE_CURRENT_BINARY_DIR}/generated")
set(sc_proto_source "${CMAKE_CURRENT_SOURCE_DIR}/src/load/osm.proto")
file(MAKE_DIRECTORY "${sc_proto_dir}")

add_custom_command(
    OUTPUT "${sc_proto_dir}/osm.pb-c.c" "${sc_proto_dir}/osm.pb-c.h"
    COMMAND "${SC_PROTOC_C}" "--proto_path=${CMAKE_CURRENT_SOURCE_DIR}/src/load"
            "--c_out=${sc_proto_dir}" "${sc_proto_source}"
    DEPENDS "${sc_proto_source}"
    COMMENT "Making C of osm.proto"
    VERBATIM)

# Not our hand: its warnings are not ours to mend.
set_source_files_properties("${sc_proto_dir}/osm.pb-c.c" PROPERTIES COMPILE_OPTIONS "-w")

list(APPEND SC_GENERATED_SOURCES "${sc_proto_dir}/osm.pb-c.c" "${sc_proto_dir}/osm.pb-c.h")
list(APPEND SC_GENERATED_INCLUDES "${sc_proto_dir}")
