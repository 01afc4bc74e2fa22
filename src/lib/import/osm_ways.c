// The collector: keeps what the parsers hand over, as far as it matters.
//
// A way with a highway tag is a road if the filter wants it, and never an
// object. Any other closed way with an object tag is an object. See
// osm_internal.h for the steps around it.
//
// Used by: osm_block.c, osm_xml.c, load_osm.c.
#include "import/osm_internal.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
    return sc_fail(osm->load->diag, err, "names and categories of objects take more than 4 GiB");
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

sc_err sc__osm_add_way(sc__osm *osm, sc__osm_place place, int64_t id, const int64_t *refs,
                       size_t ref_count, const sc__osm_tags *tags)
{
    sc__osm_way way = {.id = id, .place = place};
    if (tags->highway.text) {
        if (!sc__osm_filter_wants(&osm->filter, tags->highway)) {
            osm->load->report->ways_left_out++;
            count_unwanted(&osm->census, tags->highway);
            return SC_OK;
        }
        way.road_class = (uint8_t)sc__osm_road_class(tags->highway);
        return keep_way(osm, &osm->roads, &way, refs, ref_count);
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
