// Strangers' bytes as OpenStreetMap XML.
//
// What the reader accepts must make a map that passes its own check; what it
// refuses must come with a sentence.
#include "osm_door.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DOOR_MAX_SIZE) return 0;
    // Files that begin with NUL are pbf, which has a fuzzer of its own.
    if (size > 0 && data[0] == 0) return 0;
    const sc_input input = {"in.osm", data, size};
    door_osm(&input);
    return 0;
}
