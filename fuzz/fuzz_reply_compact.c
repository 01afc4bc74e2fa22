// Door: replies in the compact encoding, as the trusted side receives them.
//
// The input is the message, in reply to a request that is always the same; its checksum of the map
// is mended. What is accepted leads nowhere outside of its tables; what is then believed gives
// answers that are numbers, nearest first.
#include "quarter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DOOR_MAX_SIZE) return 0;
    quarter *q = quarter_open();
    uint8_t *copy = quarter_mend(q, data, size);
    quarter_read_reply(q, SC_ENCODING_COMPACT, copy, size);
    free(copy);
    return 0;
}
