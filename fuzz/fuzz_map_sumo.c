// Door: SUMO networks (.net.xml). Whatever the bytes, the reader ends; it either
// refuses them with a message or gives a map that passes its own check. Each input
// is read twice: for cars and as the file says, and for walkers and as UTM metres.
#include "door.h"

static void read_network(const sc_input *input, int utm_zone, sc_import_profile profile)
{
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.utm_zone = utm_zone;
    options.profile = profile;
    sc_import_report report = {0};
    sc_diag diag = {""};
    const sc_load load = {input, 1, &options, &report, &diag};
    sc_builder *builder = NULL;
    const sc_err err = sc__load_sumo(&load, &builder);
    if (err) {
        door_refused(err, &diag, input, 1);
    } else {
        door_accepted(builder, HUGE_VAL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DOOR_MAX_SIZE) return 0;
    const sc_input input = {"fuzz.net.xml", data, size};
    read_network(&input, 0, SC_IMPORT_CAR);
    read_network(&input, -56, SC_IMPORT_FOOT);
    return 0;
}
