// Gathering the nodes, edges and objects of a map that is being built; segments.c makes tables
// of them when all are there.
#include <starcloak/map_build.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "map/builder_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

// Ids stay below these, so that a half edge fits in 32 bits and SC_NONE is free;
// of edges there are at most half as many, since each may be listed by two stars
// and a table has less than 2^31 entries.
#define MAX_COUNT ((size_t)INT32_MAX - 1)
#define MAX_EDGES (MAX_COUNT / 2)

sc_err sc_builder_new(sc_coords coords, sc_builder **out)
{
    if (coords > SC_COORDS_PLANAR) return SC_EINVAL;
    sc_builder *builder = sc_calloc(1, sizeof *builder);
    if (!builder) return SC_ENOMEM;
    builder->coords = coords;
    builder->in_metres = true;
    if (!sc_grow(&builder->strings, 0, &builder->string_capacity, 1)) {
        sc_builder_free(builder);
        return SC_ENOMEM;
    }
    builder->strings[builder->string_size++] = '\0';
    *out = builder;
    return SC_OK;
}

void sc_builder_free(sc_builder *builder)
{
    if (!builder) return;
    sc_free(builder->nodes);
    sc_free(builder->edges);
    sc_free(builder->classes);
    sc_free(builder->times);
    sc_free(builder->edge_names);
    sc_free(builder->objects);
    sc_free(builder->categories);
    sc_free(builder->strings);
    sc_hash_fini(&builder->category_ids);
    sc_hash_fini(&builder->string_places);
    sc_free(builder);
}

void sc_builder_set_unit_unknown(sc_builder *builder)
{
    builder->in_metres = false;
}

void sc_builder_set_source(sc_builder *builder, const char *source)
{
    snprintf(builder->source, sizeof builder->source, "%s", source);
}

sc_err sc_builder_add_node(sc_builder *builder, double x, double y, sc_node_id *out)
{
    if (builder->node_count >= MAX_COUNT) return SC_ELIMIT;
    if (builder->coords != SC_COORDS_NONE) {
        if (!sc_geo_valid(builder->coords, x, y)) return SC_EINVAL;
        if (!sc_grow(&builder->nodes, builder->node_count, &builder->node_capacity,
                     sizeof *builder->nodes)) {
            return SC_ENOMEM;
        }
        builder->nodes[builder->node_count] = (sc_point){x, y};
    }
    *out = (sc_node_id)builder->node_count++;
    return SC_OK;
}

static double node_distance(const sc_builder *builder, sc_node_id from, sc_node_id to)
{
    const sc_point a = builder->nodes[from];
    const sc_point b = builder->nodes[to];
    return builder->coords == SC_COORDS_GEOGRAPHIC ? sc_geo_distance_m(a.x, a.y, b.x, b.y)
                                                   : hypot(b.x - a.x, b.y - a.y);
}

sc_err sc_builder_add_edge(sc_builder *builder, sc_node_id from, sc_node_id to, double length,
                           sc_road_class road_class, sc_edge_id *out)
{
    if (from >= builder->node_count || to >= builder->node_count || !isfinite(length) ||
        length > SC_ROAD_MAX || (unsigned)road_class >= SC_ROAD_CLASS_COUNT) {
        return SC_EINVAL;
    }
    if (length < 0.0) {
        if (builder->coords == SC_COORDS_NONE) return SC_EINVAL;
        length = node_distance(builder, from, to);
    }
    if (builder->edge_count >= MAX_EDGES) return SC_ELIMIT;
    if (!sc_grow(&builder->edges, builder->edge_count, &builder->edge_capacity,
                 sizeof *builder->edges) ||
        !sc_grow(&builder->classes, builder->edge_count, &builder->class_capacity, 1)) {
        return SC_ENOMEM;
    }
    builder->edges[builder->edge_count] = (sc_raw_edge){from, to, length};
    builder->classes[builder->edge_count] = (uint8_t)road_class;
    if (out) *out = (sc_edge_id)builder->edge_count;
    builder->edge_count++;
    return SC_OK;
}

// Append a string behind the others, not yet counting it as one of them. What is
// not UTF-8, or would end it early, becomes U+FFFD. Sets its size with the NUL.
static sc_err append_string(sc_builder *builder, const char *text, size_t size, size_t *appended)
{
    const size_t most = size * 3 + 1;
    if (builder->string_size + most > UINT32_MAX) return SC_ELIMIT;
    while (builder->string_capacity < builder->string_size + most) {
        if (!sc_grow(&builder->strings, builder->string_capacity, &builder->string_capacity, 1)) {
            return SC_ENOMEM;
        }
    }
    char *start = builder->strings + builder->string_size;
    char *at = start;
    for (size_t i = 0; i < size;) {
        if (text[i] > 0 && text[i] < 0x7f) {
            *at++ = text[i++];
            continue;
        }
        const size_t n = text[i] == '\0' ? 0 : sc_utf8_size(text + i, size - i);
        memcpy(at, n > 0 ? text + i : "\xef\xbf\xbd", n > 0 ? n : 3);
        at += n > 0 ? n : 3;
        i += n > 0 ? n : 1;
    }
    *at++ = '\0';
    *appended = (size_t)(at - start);
    return SC_OK;
}

// Keeps a string, each once: many objects have the same name. Strings are told apart by a 128-bit
// hash alone: a chance collision is out of reach, and a constructed one only merges two names of
// the file that contains it.
static sc_err add_string(sc_builder *builder, const char *text, size_t size, uint32_t *out)
{
    if (size == 0) {
        *out = 0;
        return SC_OK;
    }
    size_t appended = 0;
    sc_err err = append_string(builder, text, size, &appended);
    if (err) return err;
    const uint32_t place = (uint32_t)builder->string_size;
    const XXH128_hash_t hash = XXH3_128bits(builder->strings + place, appended);
    err = sc_hash_put(&builder->string_places, (sc_key){hash.high64, hash.low64}, place, out);
    if (err) return err;
    if (*out == place) builder->string_size += appended;
    return SC_OK;
}

// NaN passes none of these comparisons.
static bool is_time(double seconds)
{
    return seconds == SC_CLOSED_S || seconds == SC_USUAL_S || (seconds >= 0.0 && seconds <= 1e9);
}

sc_err sc_builder_set_edge_times(sc_builder *builder, sc_edge_id edge, double forward_s,
                                 double backward_s)
{
    if (edge >= builder->edge_count || !is_time(forward_s) || !is_time(backward_s) ||
        (forward_s == SC_CLOSED_S && backward_s == SC_CLOSED_S)) {
        return SC_EINVAL;
    }
    while (builder->times_count <= edge) {
        if (builder->times_count == builder->times_capacity &&
            !sc_grow(&builder->times, builder->times_count, &builder->times_capacity,
                     sizeof *builder->times)) {
            return SC_ENOMEM;
        }
        builder->times[builder->times_count++] = (sc_raw_times){SC_USUAL_S, SC_USUAL_S};
    }
    builder->times[edge] = (sc_raw_times){forward_s, backward_s};
    return SC_OK;
}

sc_err sc_builder_set_edge_name(sc_builder *builder, sc_edge_id edge, const char *name, size_t size)
{
    if (edge >= builder->edge_count) return SC_EINVAL;
    // The edges of a road come one after the other, with one name.
    uint32_t text = builder->last_name;
    const bool is_last = size > 0 && size == builder->last_name_size &&
                         memcmp(name, builder->strings + text, size) == 0;
    if (!is_last) {
        const sc_err err = add_string(builder, name, size, &text);
        if (err) return err;
        builder->last_name = text;
        builder->last_name_size = size > 0 ? strlen(builder->strings + text) : 0;
    }
    while (builder->edge_name_count <= edge) {
        if (builder->edge_name_count == builder->edge_name_capacity &&
            !sc_grow(&builder->edge_names, builder->edge_name_count, &builder->edge_name_capacity,
                     sizeof *builder->edge_names)) {
            return SC_ENOMEM;
        }
        builder->edge_names[builder->edge_name_count++] = 0;
    }
    builder->edge_names[edge] = text;
    return SC_OK;
}

sc_err sc_builder_add_category(sc_builder *builder, const char *name, size_t size,
                               sc_category_id *out)
{
    uint32_t text = 0;
    sc_err err = add_string(builder, name, size, &text);
    if (err) return err;
    const uint32_t next = (uint32_t)builder->category_count;
    if (!sc_grow(&builder->categories, next, &builder->category_capacity,
                 sizeof *builder->categories)) {
        return SC_ENOMEM;
    }
    uint32_t id = 0;
    err = sc_hash_put(&builder->category_ids, (sc_key){0, text}, next, &id);
    if (err) return err;
    if (id == next) {
        builder->categories[id] = text;
        builder->category_count++;
    }
    *out = id;
    return SC_OK;
}

static sc_err add_object(sc_builder *builder, sc_raw_object object, const char *name,
                         size_t name_size)
{
    if (object.category >= builder->category_count) return SC_EINVAL;
    if (builder->object_count >= MAX_COUNT) return SC_ELIMIT;
    if (!sc_grow(&builder->objects, builder->object_count, &builder->object_capacity,
                 sizeof *builder->objects)) {
        return SC_ENOMEM;
    }
    const sc_err err = add_string(builder, name, name_size, &object.name);
    if (err) return err;
    builder->objects[builder->object_count++] = object;
    return SC_OK;
}

sc_err sc_builder_add_object_on_edge(sc_builder *builder, sc_edge_id edge, double fraction,
                                     sc_category_id category, const char *name, size_t name_size)
{
    if (edge >= builder->edge_count || !isfinite(fraction)) return SC_EINVAL;
    const double inside = fraction < 0.0 ? 0.0 : fraction > 1.0 ? 1.0 : fraction;
    const sc_raw_object object = {.edge = edge, .category = category, .x = inside};
    return add_object(builder, object, name, name_size);
}

sc_err sc_builder_add_object_at(sc_builder *builder, double x, double y, sc_category_id category,
                                const char *name, size_t name_size)
{
    if (builder->coords == SC_COORDS_NONE) return SC_ENOCOORDS;
    if (!sc_geo_valid(builder->coords, x, y)) return SC_EINVAL;
    const sc_raw_object object = {.edge = SC_NONE, .category = category, .x = x, .y = y};
    return add_object(builder, object, name, name_size);
}

sc_coords sc_builder_coords(const sc_builder *builder)
{
    return builder->coords;
}

uint32_t sc_builder_node_count(const sc_builder *builder)
{
    return (uint32_t)builder->node_count;
}

uint32_t sc_builder_edge_count(const sc_builder *builder)
{
    return (uint32_t)builder->edge_count;
}

uint32_t sc_builder_object_count(const sc_builder *builder)
{
    return (uint32_t)builder->object_count;
}
