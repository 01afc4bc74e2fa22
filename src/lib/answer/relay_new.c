// What leaves for a cloak. See starcloak/answer.h.
//
// Members who ask for the same are one request, and requests stand in random order: neither their
// number nor their place tells who asked first, or with whom. They are sorted before they are
// shuffled, so that nothing of the members' order is left whatever the generator does.
#include <starcloak/answer.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"
#include "relay/relay_build.h"

#include <stdlib.h>
#include <string.h>

/** A member's wish, in normal form. */
typedef struct wish {
    sc_request request;
    size_t member;
    uint32_t number;  ///< of its request among the different ones
} wish;

static int compare_u32(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare_wishes(const void *a, const void *b)
{
    const sc_request *x = &((const wish *)a)->request;
    const sc_request *y = &((const wish *)b)->request;
    if (x->type != y->type) return compare_u32(x->type, y->type);
    if (x->metric != y->metric) return compare_u32(x->metric, y->metric);
    if (x->k != y->k) return compare_u32(x->k, y->k);
    if (x->radius_m != y->radius_m) return x->radius_m < y->radius_m ? -1 : 1;
    if (x->radius_s != y->radius_s) return x->radius_s < y->radius_s ? -1 : 1;
    if (x->category_count != y->category_count) {
        return compare_u32(x->category_count, y->category_count);
    }
    for (uint32_t i = 0; i < x->category_count; i++) {
        if (x->categories[i] != y->categories[i]) {
            return compare_u32(x->categories[i], y->categories[i]);
        }
    }
    return 0;
}

// Sort the wishes and number the different requests among them; returns how many there are.
static uint32_t number_requests(wish *wishes, size_t count)
{
    uint32_t number = 0;
    qsort(wishes, count, sizeof *wishes, compare_wishes);
    for (size_t i = 1; i < count; i++) {
        if (!sc_request_equal(&wishes[i].request, &wishes[i - 1].request)) number++;
        wishes[i].number = number;
    }
    return number + 1;
}

// places[i] becomes the place of request i: a random one.
static void draw_places(uint32_t *places, uint32_t count, sc_rng *rng)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t j = sc_rng_below(rng, i + 1);
        places[i] = places[j];
        places[j] = i;
    }
}

sc_err sc_relay_new(const sc_map *map, const sc_relay_content *content, sc_rng *rng,
                    uint32_t *which, sc_relay **out)
{
    const size_t segment_count = content->segment_count;
    const size_t border_node_count = content->border_node_count;
    const size_t member_count = content->member_count;
    if (segment_count == 0 || member_count == 0 || member_count > UINT32_MAX) return SC_EINVAL;
    sc_err err = SC_ENOMEM;
    sc_relay *relay = NULL;
    uint32_t *places = NULL;
    wish *wishes = sc_malloc_array(member_count, sizeof *wishes);
    if (!wishes) goto done;
    for (size_t i = 0; i < member_count; i++) {
        wishes[i] = (wish){sc_request_normalise(&content->requests[i]), i, 0};
    }
    const uint32_t request_count = number_requests(wishes, member_count);

    sc_seg_id *to_segments = NULL;
    sc_node_id *to_border_nodes = NULL;
    sc_request *to_requests = NULL;
    places = sc_malloc_array(request_count, sizeof *places);
    relay = sc__relay_alloc(segment_count, border_node_count, request_count, &to_segments,
                            &to_border_nodes, &to_requests);
    if (!places || !relay) goto done;

    relay->map_checksum = sc_map_checksum(map);
    memcpy(to_segments, content->segments, segment_count * sizeof *to_segments);
    if (border_node_count > 0) {
        memcpy(to_border_nodes, content->border_nodes, border_node_count * sizeof *to_border_nodes);
    }
    // A cloak has them in this order; the order of other callers must not leak either.
    sc_sort_u32(to_segments, segment_count);
    sc_sort_u32(to_border_nodes, border_node_count);
    draw_places(places, request_count, rng);
    for (size_t i = 0; i < member_count; i++) {
        const uint32_t place = places[wishes[i].number];
        to_requests[place] = wishes[i].request;
        which[wishes[i].member] = place;
    }
    *out = relay;
    relay = NULL;
    err = SC_OK;
done:
    sc_relay_free(relay);
    sc_free(places);
    sc_free(wishes);
    return err;
}
