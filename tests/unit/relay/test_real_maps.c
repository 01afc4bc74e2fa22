// Relays of real roads: found again in both encodings, or refused where a road is drawn twice.
#include "support/check.h"
#include "support/place.h"

#include <starcloak/map_import.h>
#include <starcloak/relay_codec.h>

#include "base/rng.h"
#include "relay/relay_codec_internal.h"

enum { MOST = 256 };

/** A cloak: the segments around a star, and the crossings from which others lead out. */
typedef struct cloak {
    sc_seg_id segments[MOST];
    uint32_t segment_count;
    sc_node_id border[MOST];
    uint32_t border_count;
} cloak;

static bool has(const uint32_t *ids, uint32_t count, uint32_t id)
{
    const uint32_t at = sc__relay_id_place(ids, count, id);
    return at < count && ids[at] == id;
}

// All segments of a star and of its neighbours.
static cloak draw_cloak(const sc_map *map, sc_rng *rng)
{
    const sc_star *stars = sc_map_stars(map);
    const sc_star_id centre = sc_rng_below(rng, sc_map_star_count(map));
    cloak c = {.segment_count = 0};
    sc_star_id ends[MOST];
    uint32_t end_count = 0;
    for (uint32_t i = stars[centre].first_neighbour; i <= stars[centre + 1].first_neighbour; i++) {
        const bool is_last = i == stars[centre + 1].first_neighbour;
        const sc_star_id star = is_last ? centre : sc_map_star_neighbours(map)[i];
        for (uint32_t k = stars[star].first_segment; k < stars[star + 1].first_segment; k++) {
            if (c.segment_count == MOST / 2) break;
            const sc_seg_id segment = sc_map_star_segments(map)[k];
            const sc_segment *s = &sc_map_segments(map)[segment];
            c.segments[c.segment_count++] = segment;
            ends[end_count++] = s->star_a;
            ends[end_count++] = s->star_b != SC_NONE ? s->star_b : s->star_a;
        }
    }
    c.segment_count = sc__relay_sort_ids(c.segments, c.segment_count);
    end_count = sc__relay_sort_ids(ends, end_count);
    for (uint32_t i = 0; i < end_count; i++) {
        const sc_star *star = &stars[ends[i]];
        for (uint32_t k = star->first_segment; k < star[1].first_segment; k++) {
            if (has(c.segments, c.segment_count, sc_map_star_segments(map)[k])) continue;
            c.border[c.border_count++] = star->node;
            break;
        }
    }
    c.border_count = sc__relay_sort_ids(c.border, c.border_count);
    return c;
}

static sc_err there_and_back(const sc_map *map, const cloak *c, sc_encoding encoding, sc_diag *diag)
{
    const sc_codec_limits limits = sc_codec_limits_default();
    const sc_vocabulary none = {0};
    const sc_request request = {.k = 5};
    const sc_relay relay = {.map_checksum = sc_map_checksum(map),
                            .segments = c->segments,
                            .segment_count = c->segment_count,
                            .border_nodes = c->border,
                            .border_node_count = c->border_count,
                            .requests = &request,
                            .request_count = 1};
    sc_bytes bytes = {0};
    sc_relay *found = NULL;
    CHECK_OK(sc_relay_encode(&(sc_codec){.map = map, .vocabulary = &none, .encoding = encoding},
                             &relay, &bytes, diag),
             diag);
    const sc_err err = sc_relay_decode(
        &(sc_codec){.map = map, .vocabulary = &none, .encoding = encoding, .limits = &limits},
        bytes.data, bytes.size, &found, diag);
    if (!err) {
        assert_int_equal(found->segment_count, c->segment_count);
        assert_memory_equal(found->segments, c->segments, c->segment_count * sizeof(sc_seg_id));
        assert_int_equal(found->border_node_count, c->border_count);
        for (uint32_t i = 0; i < c->border_count; i++) {
            assert_int_equal(found->border_nodes[i], c->border[i]);
        }
    }
    sc_relay_free(found);
    sc_bytes_fini(&bytes);
    return err;
}

static void check_map(sc_format format, const char *const *names, size_t count,
                      unsigned most_refused)
{
    char paths[2][512];
    const char *list[2] = {paths[0], paths[1]};
    for (size_t i = 0; i < count; i++) {
        if (!data_path(names[i], paths[i], sizeof paths[i])) skip();
    }
    const sc_import_options options = SC_IMPORT_DEFAULTS;
    sc_map *map = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_map_import(&(sc_import_source){format, list, count}, &options, &map, NULL, &diag),
             &diag);
    sc_rng rng;
    sc_rng_seed(&rng, 17);
    unsigned refused = 0;
    for (uint64_t i = 0; i < 150; i++) {
        check_case(i);
        const cloak c = draw_cloak(map, &rng);
        CHECK_OK(there_and_back(map, &c, SC_ENCODING_COMPACT, &diag), &diag);
        const sc_err err = there_and_back(map, &c, SC_ENCODING_GEOJSON, &diag);
        if (!err) continue;
        CHECK_REFUSED(err, SC_EUNKNOWN, &diag, "fits two");
        refused++;
    }
    check_case_done();
    assert_in_range(refused, 0, most_refused);
    sc_map_free(map);
}

static void test_cloaks_of_california_are_found_again(void **state)
{
    (void)state;
    const char *const names[] = {"california/cal.cnode.xz", "california/cal.cedge.xz"};
    check_map(SC_FORMAT_CNODE, names, 2, 0);
}

static void test_cloaks_of_san_francisco_are_found_again_but_for_a_few(void **state)
{
    (void)state;
    const char *const names[] = {"san-francisco-tiger/tl_2017_06075_roads.shp.xz"};
    check_map(SC_FORMAT_SHAPEFILE, names, 1, 5);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_cloaks_of_california_are_found_again),
    SC_CASES(test_cloaks_of_san_francisco_are_found_again_but_for_a_few),
};
SC_SUITE(tests)
