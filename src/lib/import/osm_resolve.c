// From ids to numbers: ways in order and each once, references as indexes into
// the distinct nodes, and the nodes' places as they are read.
//
// Sorting does the work of a hash table here, with memory that is given back
// afterwards and with the ascending order the map wants anyway.
//
// Used by: load_osm.c, osm_block.c.
#include "import/osm_internal.h"

#include "base/alloc.h"

#include <string.h>

static bool is_strictly_ascending(const sc__osm_ways *ways)
{
    for (size_t i = 1; i < ways->count; i++) {
        if (ways->ways[i - 1].id >= ways->ways[i].id) return false;
    }
    return true;
}

static bool has_same_refs(const sc__osm_ways *ways, const sc__osm_way *a, const sc__osm_way *b)
{
    return a->ref_count == b->ref_count &&
           (a->ref_count == 0 || memcmp(ways->refs + a->first_ref, ways->refs + b->first_ref,
                                        a->ref_count * sizeof *ways->refs) == 0);
}

static sc_err fail_repeated(const sc__osm *osm, const sc__osm_way *first, const sc__osm_way *second)
{
    const sc_input *input = &osm->load->inputs[first->place.input];
    return sc__osm_fail(osm, second->place, SC_EPARSE,
                        "way %lld is there twice, with different nodes (also in %s, at %s %llu)",
                        (long long)first->id, input->name, sc__osm_is_pbf(input) ? "byte" : "line",
                        (unsigned long long)first->place.at);
}

// Put the ways in ascending order of id. Extracts that overlap name some ways
// twice; the second of two equal ones is dropped.
static sc_err order_ways(const sc__osm *osm, sc__osm_ways *ways)
{
    if (is_strictly_ascending(ways)) return SC_OK;

    sc_err err = SC_ENOMEM;
    sc__osm_way *ordered = NULL;
    size_t count = 0;
    sc__osm_keyed *keyed = sc_malloc_array(ways->count, sizeof *keyed);
    if (!keyed) goto done;
    ordered = sc_malloc_array(ways->count, sizeof *ordered);
    if (!ordered) goto done;

    for (size_t i = 0; i < ways->count; i++) {
        keyed[i] = (sc__osm_keyed){ways->ways[i].id, i};
    }
    err = sc__osm_sort(keyed, ways->count);
    if (err) goto done;
    for (size_t i = 0; i < ways->count; i++) {
        const sc__osm_way *way = &ways->ways[keyed[i].index];
        const sc__osm_way *last = count > 0 ? &ordered[count - 1] : NULL;
        if (!last || last->id != way->id) {
            ordered[count++] = *way;
        } else if (!has_same_refs(ways, last, way)) {
            err = fail_repeated(osm, last, way);
            goto done;
        }
    }
    sc_free(ways->ways);
    ways->ways = ordered;
    ways->capacity = ways->count;
    ways->count = count;
    ordered = NULL;
done:
    sc_free(keyed);
    sc_free(ordered);
    return err == SC_ENOMEM ? sc__osm_fail_memory(osm) : err;
}

// Replace each reference by the number of its node among the distinct ones.
static sc_err number_nodes(sc__osm_ways *ways)
{
    if (ways->ref_count == 0) return SC_OK;

    sc_err err = SC_ENOMEM;
    sc__osm_keyed *keyed = sc_malloc_array(ways->ref_count, sizeof *keyed);
    if (!keyed) return SC_ENOMEM;
    for (size_t i = 0; i < ways->ref_count; i++) {
        keyed[i] = (sc__osm_keyed){ways->refs[i], i};
    }
    err = sc__osm_sort(keyed, ways->ref_count);
    if (err) goto done;

    size_t id_count = 1;
    for (size_t i = 1; i < ways->ref_count; i++) {
        id_count += keyed[i].id != keyed[i - 1].id;
    }
    err = SC_ENOMEM;
    ways->ids = sc_malloc_array(id_count, sizeof *ways->ids);
    if (!ways->ids) goto done;
    ways->points = sc_malloc_array(id_count, sizeof *ways->points);
    if (!ways->points) goto done;

    size_t last = 0;
    ways->ids[0] = keyed[0].id;
    for (size_t i = 0; i < ways->ref_count; i++) {
        if (keyed[i].id != ways->ids[last]) ways->ids[++last] = keyed[i].id;
        ways->refs[keyed[i].index] = (int64_t)last;
    }
    for (size_t i = 0; i < id_count; i++) {
        ways->points[i] = (sc__osm_point){SC__OSM_NOWHERE, 0};
    }
    ways->id_count = id_count;
    err = SC_OK;
done:
    sc_free(keyed);
    return err;
}

sc_err sc__osm_resolve(sc__osm *osm)
{
    sc__osm_ways *const sets[] = {&osm->roads, &osm->areas};
    for (size_t i = 0; i < 2; i++) {
        sc_err err = order_ways(osm, sets[i]);
        if (err) return err;
        err = number_nodes(sets[i]);
        if (err) return sc__osm_fail_memory(osm);
    }
    return SC_OK;
}

// The first of the ids that is not below `id`. Files are mostly in order, so the
// search starts where the last one ended, in steps that double.
static size_t lower_bound(const int64_t *ids, size_t count, size_t hint, int64_t id)
{
    // Everything before `low` is below id; nothing from `high` on is.
    size_t low = 0;
    size_t high = count;
    if (hint < count && ids[hint] < id) {
        low = hint + 1;
        for (size_t step = 1; step < count - hint; step *= 2) {
            if (ids[hint + step] >= id) {
                high = hint + step;
                break;
            }
            low = hint + step + 1;
        }
    } else {
        high = hint;
        for (size_t step = 1; step <= hint; step *= 2) {
            if (ids[hint - step] < id) {
                low = hint - step + 1;
                break;
            }
            high = hint - step;
        }
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ids[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static sc_err place_in(const sc__osm *osm, sc__osm_ways *ways, sc__osm_place place, int64_t id,
                       sc__osm_point point)
{
    const size_t at = lower_bound(ways->ids, ways->id_count, ways->hint, id);
    ways->hint = at;
    if (at == ways->id_count || ways->ids[at] != id) return SC_OK;

    sc__osm_point *known = &ways->points[at];
    if (known->x != SC__OSM_NOWHERE && (known->x != point.x || known->y != point.y)) {
        return sc__osm_fail(osm, place, SC_EPARSE,
                            "node %lld is there twice, at different places: %.7f,%.7f and "
                            "%.7f,%.7f",
                            (long long)id, known->x / 1e7, known->y / 1e7, point.x / 1e7,
                            point.y / 1e7);
    }
    *known = point;
    return SC_OK;
}

sc_err sc__osm_place_node(sc__osm *osm, sc__osm_place place, int64_t id, sc__osm_point point)
{
    const sc_err err = place_in(osm, &osm->roads, place, id, point);
    if (err || osm->areas.id_count == 0) return err;
    return place_in(osm, &osm->areas, place, id, point);
}
