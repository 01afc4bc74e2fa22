// Door: CSV files of objects that go onto any map.
//
// The first byte is a letter: g puts them on degrees, p on a plane, n on a map
// without coordinates; capitals do the same with a narrow limit to snapping.
// The rest is the file.
#include "door.h"

// A crossing of two roads and a loop, so that there is something to snap to.
static sc_builder *small_map(sc_coords coords)
{
    static const double places[][2] = {{0, 0}, {0.01, 0}, {0, 0.01}, {-0.01, 0}, {0, -0.01}};
    sc_builder *builder = NULL;
    if (sc_builder_new(coords, &builder)) abort();
    const double length = coords == SC_COORDS_NONE ? 10.0 : SC_LENGTH_FROM_NODES;
    for (sc_node_id i = 0; i < sizeof places / sizeof *places; i++) {
        sc_node_id node = 0;
        if (sc_builder_add_node(builder, places[i][0], places[i][1], &node)) abort();
        if (sc_builder_add_edge(builder, 0, i, length, SC_ROAD_LOCAL, NULL)) abort();
    }
    return builder;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > DOOR_MAX_SIZE) return 0;
    const sc_coords coords = data[0] == 'g' || data[0] == 'G'   ? SC_COORDS_GEOGRAPHIC
                             : data[0] == 'p' || data[0] == 'P' ? SC_COORDS_PLANAR
                                                                : SC_COORDS_NONE;
    const double limit_m = data[0] == 'G' || data[0] == 'P' ? 0.001 : HUGE_VAL;
    uint8_t *bytes = door_copy(data + 1, size - 1);
    const sc_input input = {"objects.csv", bytes, size - 1};
    sc_builder *builder = small_map(coords);
    sc_diag diag = {""};
    sc_import_report report = {0};
    const sc_err err = sc__load_objects(&input, builder, &report, &diag);
    if (err) {
        door_refused(err, &diag, &input, 1);
        sc_builder_free(builder);
    } else {
        door_accepted(builder, limit_m);
    }
    free(bytes);
    return 0;
}
