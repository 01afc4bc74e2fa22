# C code for messages in the form of Protocol Buffers, made by protoc-c: the
# OpenStreetMap pbf reader's, the provider protocol's, and those of a cluster.
#
# Sets SC_GENERATED_osm, SC_GENERATED_relay and SC_GENERATED_cluster, the sources of each, and
# SC_GENERATED_INCLUDES.

find_program(SC_PROTOC_C protoc-c REQUIRED)

set(sc_proto_dir "${CMAKE_CURRENT_BINARY_DIR}/generated")
file(MAKE_DIRECTORY "${sc_proto_dir}")

foreach(sc_proto_source src/lib/import/osm.proto src/lib/relay/relay.proto src/service/cluster/cluster.proto)
    get_filename_component(sc_proto_name "${sc_proto_source}" NAME_WE)
    get_filename_component(sc_proto_folder "${CMAKE_CURRENT_SOURCE_DIR}/${sc_proto_source}" DIRECTORY)
    set(sc_proto_made "${sc_proto_dir}/${sc_proto_name}.pb-c.c" "${sc_proto_dir}/${sc_proto_name}.pb-c.h")
    add_custom_command(
        OUTPUT ${sc_proto_made}
        COMMAND "${SC_PROTOC_C}" "--proto_path=${sc_proto_folder}" "--c_out=${sc_proto_dir}"
                "${sc_proto_folder}/${sc_proto_name}.proto"
        DEPENDS "${sc_proto_folder}/${sc_proto_name}.proto"
        COMMENT "Making C of ${sc_proto_name}.proto"
        VERBATIM)
    # Not our hand: its warnings are not ours to mend.
    set_source_files_properties("${sc_proto_dir}/${sc_proto_name}.pb-c.c" PROPERTIES COMPILE_OPTIONS "-w")
    set(SC_GENERATED_${sc_proto_name} ${sc_proto_made})
endforeach()
list(APPEND SC_GENERATED_INCLUDES "${sc_proto_dir}")
