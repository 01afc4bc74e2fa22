// Door: replies as GeoJSON, as the trusted side receives them.
//
// The input is the text, in reply to a request that is always the same. What is accepted has put
// every object on a road; what is then believed gives answers that are numbers, nearest first.
#include "quarter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DOOR_MAX_SIZE) return 0;
    quarter *q = quarter_open();
    uint8_t *copy = door_copy(data, size);
    quarter_read_reply(q, SC_ENCODING_GEOJSON, copy, size);
    free(copy);
    return 0;
}
