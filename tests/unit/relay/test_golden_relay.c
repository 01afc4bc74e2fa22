// The bytes of the provider protocol in both encodings are those that are stored: providers that
// were written for them stay right.
#include "support/check.h"
#include "support/golden.h"
#include "support/messages.h"

enum { CASES = 12 };

/** GeoJSON is a text already. */
static void put_message(golden_text *golden, const char *title, unsigned encoding,
                        const sc_bytes *bytes)
{
    if (encoding == SC_ENCODING_COMPACT) {
        golden_bytes(golden, title, bytes->data, bytes->size);
    } else {
        fprintf(golden->out, "%s, %zu bytes\n%.*s\n", title, bytes->size, (int)bytes->size,
                (const char *)bytes->data);
    }
}

static void put_exchange(golden_text *golden, uint64_t seed, bool own_objects)
{
    exchange x = exchange_new(seed, own_objects);
    const bool is_on_globe = sc_map_coords(x.map) == SC_COORDS_GEOGRAPHIC;
    for (unsigned encoding = SC_ENCODING_COMPACT; encoding <= SC_ENCODING_GEOJSON; encoding++) {
        if (encoding == SC_ENCODING_GEOJSON && !is_on_globe) continue;
        const char *name = sc_encoding_name(encoding);
        char title[96];
        sc_bytes bytes = {0};
        sc_diag diag = {""};
        CHECK_OK(sc_relay_encode(
                     &(sc_codec){.map = x.map, .vocabulary = &x.vocabulary, .encoding = encoding},
                     x.relay, &bytes, &diag),
                 &diag);
        snprintf(title, sizeof title, "relay %llu, %s", (unsigned long long)seed, name);
        put_message(golden, title, encoding, &bytes);
        CHECK_OK(sc_reply_encode(
                     &(sc_codec){.map = x.map, .vocabulary = &x.vocabulary, .encoding = encoding},
                     x.relay, &x.reply, &bytes, &diag),
                 &diag);
        snprintf(title, sizeof title, "reply %llu, %s, %s objects", (unsigned long long)seed, name,
                 own_objects ? "the provider's" : "the map's");
        put_message(golden, title, encoding, &bytes);
        sc_bytes_fini(&bytes);
    }
    exchange_free(&x);
}

static void test_relays_and_replies_have_the_bytes_that_are_stored(void **state)
{
    (void)state;
    golden_text golden;
    golden_begin(&golden);
    for (uint64_t seed = 0; seed < CASES; seed++) {
        put_exchange(&golden, seed, seed % 2 == 1);
    }
    golden_end(&golden, "provider-protocol.txt");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_relays_and_replies_have_the_bytes_that_are_stored),
};
SC_SUITE(tests)
