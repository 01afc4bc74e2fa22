// Door: requests in the compact encoding, as a provider receives them.
//
// The input is the message, about a quarter that is always the same; its checksum of the map is
// mended. What is accepted is written and reads back as the same, and can be answered.
#include "quarter.h"

// Written again it is the same request, whatever detours the first message took.
static void check_again(const quarter *q, const sc_relay *relay)
{
    sc_bytes bytes = {0};
    sc_relay *again = NULL;
    DOOR_PROMISE(!sc_relay_encode(&(sc_codec){.map = q->map,
                                              .vocabulary = &q->vocabulary,
                                              .encoding = SC_ENCODING_COMPACT},
                                  relay, &bytes, NULL),
                 "what was read can be written");
    DOOR_PROMISE(!sc_relay_decode(&(sc_codec){.map = q->map,
                                              .vocabulary = &q->vocabulary,
                                              .encoding = SC_ENCODING_COMPACT,
                                              .limits = &q->limits},
                                  bytes.data, bytes.size, &again, NULL),
                 "and read again");
    DOOR_PROMISE(again->segment_count == relay->segment_count &&
                     again->border_node_count == relay->border_node_count &&
                     again->request_count == relay->request_count,
                 "with the same counts");
    for (size_t i = 0; i < relay->segment_count; i++) {
        DOOR_PROMISE(again->segments[i] == relay->segments[i], "the same segments");
    }
    for (size_t i = 0; i < relay->border_node_count; i++) {
        DOOR_PROMISE(again->border_nodes[i] == relay->border_nodes[i], "the same border nodes");
    }
    for (size_t i = 0; i < relay->request_count; i++) {
        DOOR_PROMISE(sc_request_equal(&again->requests[i], &relay->requests[i]),
                     "the same requests");
    }
    sc_relay_free(again);
    sc_bytes_fini(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DOOR_MAX_SIZE) return 0;
    quarter *q = quarter_open();
    uint8_t *copy = quarter_mend(q, data, size);
    sc_relay *relay = NULL;
    sc_diag diag = {""};
    const sc_err err = sc_relay_decode(&(sc_codec){.map = q->map,
                                                   .vocabulary = &q->vocabulary,
                                                   .encoding = SC_ENCODING_COMPACT,
                                                   .limits = &q->limits},
                                       copy, size, &relay, &diag);
    if (err) {
        door_refused(err, &diag, NULL, 0);
    } else {
        quarter_answer(q, relay);
        check_again(q, relay);
    }
    sc_relay_free(relay);
    free(copy);
    return 0;
}
