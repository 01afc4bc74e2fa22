// Is this a relay of this map? See relay_check.h.
//
// A provider asks this of every cloak, and answers many of them in less than a microsecond: hence
// a loop over the ids that does nothing but compare, and words only for what is refused.
#include "relay/relay_check.h"

#include "base/diag.h"

#include <inttypes.h>

// Whether the ids ascend, all below `limit`. If they ascend, the last is the greatest.
static bool are_ids(const uint32_t *ids, size_t count, uint32_t limit)
{
    for (size_t i = 1; i < count; i++) {
        if (ids[i] <= ids[i - 1]) return false;
    }
    return count == 0 || ids[count - 1] < limit;
}

static sc_err check_ids(const char *what, const uint32_t *ids, size_t count, uint32_t limit,
                        sc_diag *diag)
{
    if (are_ids(ids, count, limit)) return SC_OK;
    size_t place = 0;
    while (ids[place] < limit && (place == 0 || ids[place] > ids[place - 1])) {
        place++;
    }
    if (ids[place] >= limit) {
        return sc_fail(diag, SC_EUNKNOWN,
                       "%s %zu of the relay does not exist; the map has %" PRIu32 " of them", what,
                       place, limit);
    }
    return sc_fail(diag, SC_EINVAL,
                   "%s %zu of the relay is not above the one before; sort them, each once", what,
                   place);
}

static sc_err check_segments(const sc_map *map, const sc_relay *relay, size_t max_segments,
                             sc_diag *diag)
{
    if (relay->segment_count == 0) {
        return sc_fail(diag, SC_EINVAL, "the relay has no segments; name one at least");
    }
    if (relay->segment_count > max_segments) {
        return sc_fail(diag, SC_ELIMIT, "the relay has %zu segments; at most %zu are allowed",
                       relay->segment_count, max_segments);
    }
    return check_ids("segment", relay->segments, relay->segment_count, sc_map_segment_count(map),
                     diag);
}

static sc_err check_border_nodes(const sc_map *map, const sc_relay *relay, sc_diag *diag)
{
    // A segment has two ends.
    if (relay->border_node_count > 2 * relay->segment_count) {
        return sc_fail(diag, SC_EINVAL, "%zu segments cannot have %zu border nodes",
                       relay->segment_count, relay->border_node_count);
    }
    return check_ids("border node", relay->border_nodes, relay->border_node_count,
                     sc_map_node_count(map), diag);
}

sc_err sc__relay_check(const sc_map *map, const sc_relay *relay, size_t max_segments, sc_diag *diag)
{
    if (relay->map_checksum != sc_map_checksum(map)) {
        return sc_fail(diag, SC_EMISMATCH,
                       "the relay is of another map (checksum %016" PRIx64 ", here %016" PRIx64
                       "); give both sides the same map file",
                       relay->map_checksum, sc_map_checksum(map));
    }
    sc_err err = check_segments(map, relay, max_segments, diag);
    if (!err) err = check_border_nodes(map, relay, diag);
    if (err) return err;
    if (relay->request_count == 0) {
        return sc_fail(diag, SC_EINVAL, "the relay has no requests; give one at least");
    }
    return SC_OK;
}
