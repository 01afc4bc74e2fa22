// Door: requests as GeoJSON, as a provider with a map of its own receives them.
//
// The input is the text; the provider's map is a quarter that is always the same. What is
// accepted has found its roads there, and can be answered.
#include "quarter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DOOR_MAX_SIZE) return 0;
    quarter *q = quarter_open();
    uint8_t *copy = door_copy(data, size);
    sc_relay *relay = NULL;
    sc_diag diag = {""};
    const sc_err err = sc_relay_decode(&(sc_codec){.map = q->map,
                                                   .vocabulary = &q->vocabulary,
                                                   .encoding = SC_ENCODING_GEOJSON,
                                                   .limits = &q->limits},
                                       copy, size, &relay, &diag);
    if (err) {
        door_refused(err, &diag, NULL, 0);
    } else {
        quarter_answer(q, relay);
    }
    sc_relay_free(relay);
    free(copy);
    return 0;
}
