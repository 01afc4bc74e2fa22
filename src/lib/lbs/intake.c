// The provider's door. See intake.h.
#include "lbs/intake.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "map/map_tables.h"
#include "relay/relay_check.h"

#include <inttypes.h>
#include <string.h>

sc_err sc__intake_init(sc_intake *intake, const sc_map *map)
{
    const uint32_t node_count = sc_map_node_count(map);
    sc_star_id *star_of_node = sc_malloc_array(node_count, sizeof *star_of_node);
    if (!star_of_node) return SC_ENOMEM;
    memset(star_of_node, 0xff, node_count * sizeof *star_of_node);  // SC_NONE
    const sc_star *stars = sc_map_stars(map);
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        // A road that is all of its component borders on nothing.
        if (sc_star_is_pseudo(&stars[i])) continue;
        star_of_node[stars[i].node] = i;
    }
    *intake = (sc_intake){.star_of_node = star_of_node};
    return SC_OK;
}

void sc__intake_fini(sc_intake *intake)
{
    sc_free(intake->star_of_node);
    sc_free(intake->stars);
    *intake = (sc_intake){.star_capacity = 0};
}

static sc_err check_requests(const sc_lbs_options *options, uint32_t category_count,
                             const sc_relay *relay, sc_diag *diag)
{
    if (relay->request_count > options->max_requests) {
        return sc_fail(diag, SC_ELIMIT, "the relay has %zu requests; at most %zu are allowed",
                       relay->request_count, options->max_requests);
    }
    sc_err err = SC_OK;
    for (size_t i = 0; i < relay->request_count && !err; i++) {
        err = sc_request_check(&relay->requests[i], &options->limits, category_count, diag);
    }
    return err;
}

// Border nodes of a cloak are intersections, since segments are whole.
static sc_err find_stars(sc_intake *intake, const sc_relay *relay, sc_diag *diag)
{
    if (!sc_reserve(&intake->stars, relay->border_node_count, &intake->star_capacity,
                    sizeof *intake->stars)) {
        return sc_fail_memory(diag, "answering");
    }
    for (size_t i = 0; i < relay->border_node_count; i++) {
        intake->stars[i] = intake->star_of_node[relay->border_nodes[i]];
        if (intake->stars[i] == SC_NONE) {
            return sc_fail(diag, SC_EUNKNOWN,
                           "node %" PRIu32 " is no intersection, so it cannot be a border node",
                           relay->border_nodes[i]);
        }
    }
    return SC_OK;
}

sc_err sc__intake_take(sc_intake *intake, const sc_map *map, const sc_lbs_options *options,
                       uint32_t category_count, const sc_relay *relay, sc_diag *diag)
{
    sc_err err = sc__relay_check(map, relay, options->max_segments, diag);
    if (!err) err = check_requests(options, category_count, relay, diag);
    if (!err) err = find_stars(intake, relay, diag);
    return err;
}
