// Cloaks to be answered, and objects to answer with. See cloaks.h.
#include "support/cloaks.h"

#include "support/bench.h"
#include "support/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const share shares[] = {
    {"all", 1.0}, {"10 %", 0.1}, {"1 %", 0.01}, {"0.1 %", 0.001}, {NULL, 0},
};

static void *copy_of(const void *bytes, size_t size)
{
    void *copy = malloc(size + 1);
    if (copy) return memcpy(copy, bytes, size);
    bench_die("cloaks", "out of memory");
}

static void keep(void *data, const sc_cloak *cloak)
{
    cloaks *c = data;
    if (c->count == c->capacity) return;
    c->relays[c->count++] = (sc_relay){
        .segments = copy_of(cloak->segments, cloak->segment_count * sizeof *cloak->segments),
        .segment_count = cloak->segment_count,
        .border_nodes =
            copy_of(cloak->border_nodes, cloak->border_node_count * sizeof *cloak->border_nodes),
        .border_node_count = cloak->border_node_count,
    };
    c->segments += (double)cloak->segment_count;
    c->border_nodes += (double)cloak->border_node_count;
}

cloaks cloaks_new(const sc_map *map, size_t most, bool alone)
{
    cloaks c = {.capacity = most};
    c.relays = calloc(most, sizeof *c.relays);
    if (!c.relays) bench_die("cloaks", "out of memory");
    // A pause lasts twenty seconds, so this is a question for each that is wanted, and some more.
    traffic t = alone ? traffic_new(map, (uint32_t)most, 24) : traffic_new(map, 10000, 60);
    for (size_t i = 0; i < t.count && alone; i++) {
        t.queries[i].k = 1;
        t.queries[i].l = 10;
    }
    t.on_cloak = keep;
    t.data = &c;
    const sc_engine_options options = sc_engine_options_default();
    traffic_cloak(&t, &options, false);
    traffic_free(&t);
    if (c.count == 0) bench_die("cloaks", "no query was cloaked");
    for (size_t i = 0; i < c.count; i++) {
        c.relays[i].map_checksum = sc_map_checksum(map);
    }
    c.segments /= (double)c.count;
    c.border_nodes /= (double)c.count;
    return c;
}

void cloaks_free(cloaks *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free((void *)c->relays[i].segments);
        free((void *)c->relays[i].border_nodes);
    }
    free(c->relays);
    *c = (cloaks){0};
}

static const char *draw_category(uint64_t *seed)
{
    double left = (double)(bench_random(seed) >> 11) * 0x1p-53;
    for (const share *s = &shares[1]; s->name; s++) {
        left -= s->of_all;
        if (left < 0) return s->name;
    }
    return "rest";
}

sc_objects *stock_new(const sc_map *map)
{
    sc_objects_builder *builder = NULL;
    if (sc_objects_builder_new(map, &builder)) bench_die("objects", "out of memory");
    uint64_t seed = 4;
    const uint32_t own = sc_map_object_count(map);
    const uint32_t count = own > 0 ? own : sc_map_edge_count(map) / 4;
    for (uint32_t i = 0; i < count; i++) {
        sc_edge_id edge = (sc_edge_id)(bench_random(&seed) % sc_map_edge_count(map));
        double offset_m =
            sc_map_edge_length_m(map, edge) * ((double)(bench_random(&seed) >> 11) * 0x1p-53);
        if (own > 0) {
            edge = sc_map_objects(map)[i].edge;
            offset_m = sc_map_objects(map)[i].offset * sc_map_unit_m(map);
        }
        char key[16];
        snprintf(key, sizeof key, "%u", i);
        sc_diag diag = {""};
        if (sc_objects_builder_add(builder,
                                   &(sc_object_row){.edge = edge,
                                                    .offset_m = offset_m,
                                                    .key = key,
                                                    .category = draw_category(&seed),
                                                    .name = NULL},
                                   &diag)) {
            bench_die("objects", diag.message);
        }
    }
    sc_objects *stock = NULL;
    if (sc_objects_builder_finish(builder, &stock)) bench_die("objects", "out of memory");
    sc_objects_builder_free(builder);
    return stock;
}

sc_request stock_request(const sc_objects *stock, const share *of, uint32_t k, double radius_m)
{
    sc_request request = {.type = k > 0 ? SC_REQUEST_KNN : SC_REQUEST_RANGE,
                          .k = k,
                          .radius_m = k > 0 ? 0 : radius_m};
    if (of->of_all < 1.0) {
        request.category_count = 1;
        request.categories[0] = sc_vocabulary_find(sc_objects_vocabulary(stock), of->name);
    }
    return request;
}
