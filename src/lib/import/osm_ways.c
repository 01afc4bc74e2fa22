// What is collected of OpenStreetMap data: ways with their references, and the nodes these stand
// for.
//
// Collecting. The parsers hand over every way and node; what matters is kept. A way with a highway
// tag is a road if the filter wants it, and never an object. Any other closed way with an object
// tag is an object.
//
// Resolving. Ways are put in order, each once; references become indexes into the distinct nodes;
// then the nodes get their coordinates as they are read. Sorting does the work of a hash table
// here, with memory that is given back afterwards and with the ascending order the map wants
// anyway.
//
// osm_internal.h has the steps around it.
#include "base/alloc.h"
#include "import/osm_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// --- Collecting ---------------------------------------------------------------------------------

static void ways_fini(sc__osm_ways *ways)
{
    sc_free(ways->ways);
    sc_free(ways->refs);
    sc_free(ways->ids);
    sc_free(ways->points);
    *ways = (sc__osm_ways){0};
}

void sc__osm_fini(sc__osm *osm)
{
    sc__osm_filter_fini(&osm->filter);
    ways_fini(&osm->roads);
    ways_fini(&osm->areas);
    sc__osm_texts_fini(&osm->texts);
    sc_free(osm->objects);
    sc_free(osm->waiting);
    for (size_t i = 0; i < osm->blob_count; i++) {
        sc_free(osm->blobs[i].plain);
    }
    sc_free(osm->blobs);
    *osm = (sc__osm){0};
}

sc_err sc__osm_fail(const sc__osm *osm, sc__osm_place place, sc_err err, const char *format, ...)
{
    char text[sizeof(sc_diag) / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);

    const sc_input *input = &osm->load->inputs[place.input];
    return sc_fail(osm->load->diag, err,
                   sc__osm_is_pbf(input) ? "%s: byte %llu: %s" : "%s:%llu: %s", input->name,
                   (unsigned long long)place.at, text);
}

sc_err sc__osm_fail_memory(const sc__osm *osm)
{
    return sc_fail_memory(osm->load->diag, "reading OpenStreetMap data");
}

// Count a road that was not wanted, so that an empty result can be explained.
static void count_unwanted(sc__osm_census *census, sc_slice highway)
{
    for (size_t i = 0; i < census->row_count; i++) {
        if (sc_slice_is(highway, census->rows[i].value)) {
            census->rows[i].count++;
            return;
        }
    }
    const bool fits = highway.size < SC__OSM_CENSUS_TEXT && !memchr(highway.text, 0, highway.size);
    if (census->row_count == SC__OSM_CENSUS_SIZE || !fits) {
        census->others++;
        return;
    }
    memcpy(census->rows[census->row_count].value, highway.text, highway.size);
    census->rows[census->row_count].value[highway.size] = '\0';
    census->rows[census->row_count++].count = 1;
}

// Take in the category and the name of an object.
static sc_err put_texts(sc__osm *osm, const sc__osm_tags *tags, uint32_t *category, uint32_t *name)
{
    bool is_key = false;
    const sc_slice category_text = sc__osm_category(tags, &is_key);
    sc__osm_text_cache *cache = is_key ? NULL : tags->object_cache;
    if (cache && cache->as_category) {
        *category = cache->as_category - 1;
    } else {
        const sc_err err = sc__osm_texts_put(&osm->texts, category_text, category);
        if (err) return err;
        if (cache) cache->as_category = *category + 1;
    }

    cache = tags->name_cache;
    if (cache && cache->as_name) {
        *name = cache->as_name - 1;
        return SC_OK;
    }
    const sc_err err = sc__osm_texts_put(&osm->texts, tags->name, name);
    if (err) return err;
    if (cache) cache->as_name = *name + 1;
    return SC_OK;
}

static sc_err fail_texts(const sc__osm *osm, sc_err err)
{
    if (err == SC_ENOMEM) return sc__osm_fail_memory(osm);
    return sc_fail(osm->load->diag, err, "names and categories take more than 4 GiB");
}

static bool reserve_refs(sc__osm_ways *ways, size_t count)
{
    if (ways->ref_capacity - ways->ref_count >= count) return true;
    const size_t capacity = ways->ref_capacity * 2 + count + 1024;
    int64_t *refs = sc_realloc_array(ways->refs, capacity, sizeof *refs);
    if (!refs) return false;
    ways->refs = refs;
    ways->ref_capacity = capacity;
    return true;
}

static sc_err keep_way(const sc__osm *osm, sc__osm_ways *ways, const sc__osm_way *way,
                       const int64_t *refs, size_t ref_count)
{
    if (ref_count > UINT32_MAX) {
        return sc__osm_fail(osm, way->place, SC_ELIMIT, "way %lld has too many nodes: %zu",
                            (long long)way->id, ref_count);
    }
    if (!reserve_refs(ways, ref_count) ||
        !sc_grow(&ways->ways, ways->count, &ways->capacity, sizeof *ways->ways)) {
        return sc__osm_fail_memory(osm);
    }
    sc__osm_way *kept = &ways->ways[ways->count++];
    *kept = *way;
    kept->first_ref = ways->ref_count;
    kept->ref_count = (uint32_t)ref_count;
    if (ref_count > 0) memcpy(ways->refs + ways->ref_count, refs, ref_count * sizeof *refs);
    ways->ref_count += ref_count;
    return SC_OK;
}

// Take in what a road is called: its name, its number, or "name (number)".
static sc_err put_road_name(sc__osm *osm, const sc__osm_tags *tags, uint32_t *out)
{
    enum { LONGEST = 4 * 255 };  // bytes of a name: 255 characters are OpenStreetMap's limit
    const sc_slice name = sc_slice_trim(tags->name);
    const sc_slice number = sc__osm_road_number(tags->road);
    const bool is_same = name.size == number.size &&
                         (name.size == 0 || memcmp(name.text, number.text, name.size) == 0);
    *out = SC_NONE;
    if (name.size == 0 && number.size == 0) return SC_OK;
    if (name.size == 0) return sc__osm_texts_put(&osm->texts, number, out);
    if (number.size > 0 && !is_same) {
        char both[2 * LONGEST + 4];
        const int size = snprintf(
            both, sizeof both, "%.*s (%.*s)", (int)(name.size < LONGEST ? name.size : LONGEST),
            name.text, (int)(number.size < LONGEST ? number.size : LONGEST), number.text);
        return sc__osm_texts_put(&osm->texts, (sc_slice){both, (size_t)size}, out);
    }
    sc__osm_text_cache *cache = tags->name_cache;
    if (cache && cache->as_name) {
        *out = cache->as_name - 1;
        return SC_OK;
    }
    const sc_err err = sc__osm_texts_put(&osm->texts, tags->name, out);
    if (!err && cache) cache->as_name = *out + 1;
    return err;
}

// Whether a way is of the kinds that are asked for.
static bool is_wanted(const sc__osm *osm, const sc__osm_tags *tags)
{
    const sc_import_options *options = osm->load->options;
    return !tags->highway.text || sc__osm_filter_wants(&osm->filter, tags->highway) ||
           (!options->ways && sc__osm_profile_opens(options->profile, tags));
}

static sc_err add_road(sc__osm *osm, sc__osm_way *way, const int64_t *refs, size_t ref_count,
                       const sc__osm_tags *tags)
{
    if (!is_wanted(osm, tags)) {
        osm->load->report->ways_left_out++;
        count_unwanted(&osm->census, tags->highway);
        return SC_OK;
    }
    if (!sc__osm_passage_find(osm->load->options->profile, tags, &way->passage)) {
        osm->load->report->ways_closed++;
        return SC_OK;
    }
    const sc_err err = put_road_name(osm, tags, &way->name);
    if (err) return fail_texts(osm, err);
    return keep_way(osm, &osm->roads, way, refs, ref_count);
}

sc_err sc__osm_add_way(sc__osm *osm, sc__osm_place place, int64_t id, const int64_t *refs,
                       size_t ref_count, const sc__osm_tags *tags)
{
    sc__osm_way way = {.id = id, .place = place};
    if (tags->highway.text || (osm->load->options->ferries && sc__osm_is_ferry(tags))) {
        return add_road(osm, &way, refs, ref_count, tags);
    }

    // Closed: three corners at least, and back to the first.
    if (!tags->object.text || ref_count < 4 || refs[0] != refs[ref_count - 1]) return SC_OK;
    const sc_err err = put_texts(osm, tags, &way.category, &way.name);
    if (err) return fail_texts(osm, err);
    return keep_way(osm, &osm->areas, &way, refs, ref_count - 1);
}

sc_err sc__osm_add_object(sc__osm *osm, int64_t id, sc__osm_point point, const sc__osm_tags *tags)
{
    if (!tags->object.text) return SC_OK;
    if (!sc_grow(&osm->objects, osm->object_count, &osm->object_capacity, sizeof *osm->objects)) {
        return sc__osm_fail_memory(osm);
    }
    sc__osm_object object = {.id = id, .point = point};
    const sc_err err = put_texts(osm, tags, &object.category, &object.name);
    if (err) return fail_texts(osm, err);
    osm->objects[osm->object_count++] = object;
    return SC_OK;
}

sc_err sc__osm_add_waiting(sc__osm *osm, const sc__osm_waiting *node)
{
    if (!sc_grow(&osm->waiting, osm->waiting_count, &osm->waiting_capacity, sizeof *osm->waiting)) {
        return sc__osm_fail_memory(osm);
    }
    osm->waiting[osm->waiting_count++] = *node;
    return SC_OK;
}

sc_err sc__osm_add_blob(sc__osm *osm, const sc__osm_blob *blob)
{
    if (!sc_grow(&osm->blobs, osm->blob_count, &osm->blob_capacity, sizeof *osm->blobs)) {
        return sc__osm_fail_memory(osm);
    }
    osm->blobs[osm->blob_count++] = *blob;
    return SC_OK;
}

uint64_t sc__osm_bytes_before(const sc_load *load, size_t input)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < input && i < load->input_count; i++) {
        bytes += load->inputs[i].size;
    }
    return bytes;
}

// --- Sorting by id ------------------------------------------------------------------------------
// Radix sort from the lowest byte to the highest, so equal ids keep their order. Real ids need five
// of the eight rounds: a round in which all records share the byte is left out.

enum { DIGITS = 8, VALUES = 256 };

// Ids as numbers that order the same way: negative ones before the others.
static uint64_t rank_of(int64_t id)
{
    return (uint64_t)id ^ (UINT64_C(1) << 63);
}

static bool is_sorted(const sc__osm_keyed *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (items[i - 1].id > items[i].id) return false;
    }
    return true;
}

// Turn counts of a digit's values into where each value's records begin; false
// when one value has them all.
static bool starts_of(size_t *counts, size_t count)
{
    size_t start = 0;
    for (size_t value = 0; value < VALUES; value++) {
        const size_t here = counts[value];
        if (here == count) return false;
        counts[value] = start;
        start += here;
    }
    return true;
}

sc_err sc__osm_sort(sc__osm_keyed *items, size_t count)
{
    // Most files are in order already.
    if (is_sorted(items, count)) return SC_OK;

    sc__osm_keyed *copy = sc_malloc_array(count, sizeof *copy);
    if (!copy) return SC_ENOMEM;

    size_t counts[DIGITS][VALUES] = {{0}};
    for (size_t i = 0; i < count; i++) {
        const uint64_t rank = rank_of(items[i].id);
        for (unsigned digit = 0; digit < DIGITS; digit++) {
            counts[digit][(rank >> (8 * digit)) & 0xff]++;
        }
    }

    sc__osm_keyed *from = items;
    sc__osm_keyed *to = copy;
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        size_t *starts = counts[digit];
        if (!starts_of(starts, count)) continue;
        for (size_t i = 0; i < count; i++) {
            to[starts[(rank_of(from[i].id) >> (8 * digit)) & 0xff]++] = from[i];
        }
        sc__osm_keyed *swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, count * sizeof *items);
    sc_free(copy);
    return SC_OK;
}

// --- Resolving ----------------------------------------------------------------------------------

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
                        "way %lld occurs twice with different nodes (first in %s, %s %llu)",
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
        ways->points[i] = (sc__osm_point){SC__OSM_NO_POINT, 0};
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
    if (known->x != SC__OSM_NO_POINT && (known->x != point.x || known->y != point.y)) {
        return sc__osm_fail(
            osm, place, SC_EPARSE,
            "node %lld occurs twice with different coordinates: %.7f,%.7f and %.7f,%.7f",
            (long long)id, known->x / 1e7, known->y / 1e7, point.x / 1e7, point.y / 1e7);
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
