// What came back for one cloak: its making, settling and lending. See reply_internal.h.
#include "points/point_reply.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/**
 * Metres to which a provider may round its numbers; where the unit is unknown, a share of the
 * spacing, which is in the same unit.
 */
#define GRAIN_M 1.0
#define GRAIN_SHARE 0.005

static sc_err make(sc_point_reply *reply, const sc__point_settings *settings, const sc_relay *relay,
                   sc_diag *diag)
{
    sc_err err = sc__cover_init(reply->map, relay->segments, relay->segment_count,
                                &settings->options, &reply->cover, diag);
    if (!err) err = sc__topics_init(relay->requests, relay->request_count, &reply->topics, diag);
    if (err) return err;
    reply->list_count = reply->topics.count * reply->cover.point_count;
    reply->lists = sc_calloc(reply->list_count, sizeof *reply->lists);
    reply->requests = sc_malloc_array(relay->request_count, sizeof *reply->requests);
    if (!reply->lists || !reply->requests) {
        return sc_fail_memory(diag, "preparing to ask the provider");
    }
    memcpy(reply->requests, relay->requests, relay->request_count * sizeof *reply->requests);
    reply->request_count = relay->request_count;
    reply->work.points = reply->cover.point_count;
    return SC_OK;
}

sc_err sc__point_reply_new(const sc_map *map, const sc__point_settings *settings,
                           const sc_relay *relay, sc_point_reply **out, sc_diag *diag)
{
    sc_point_reply *reply = sc_calloc(1, sizeof *reply);
    if (!reply) return sc_fail_memory(diag, "preparing to ask the provider");
    reply->map = map;
    sc__stock_init(&reply->stock);
    reply->grain_m = sc_map_is_in_metres(map) ? GRAIN_M : GRAIN_SHARE * settings->options.spacing_m;
    const sc_err err = make(reply, settings, relay, diag);
    if (err) {
        sc_point_reply_free(reply);
        return err;
    }
    *out = reply;
    return SC_OK;
}

void sc_point_reply_free(sc_point_reply *reply)
{
    if (!reply) return;
    for (size_t i = 0; reply->lists && i < reply->list_count; i++) {
        sc_free(reply->lists[i].nears);
    }
    sc_free(reply->lists);
    sc_free(reply->requests);
    sc__point_reply_forget(reply);
    sc__cover_fini(&reply->cover);
    sc__topics_fini(&reply->topics);
    sc__stock_fini(&reply->stock);
    sc_free(reply);
}

void sc__point_reply_forget(sc_point_reply *reply)
{
    if (!reply->answer) return;
    explicit_bzero(reply->answer, reply->answer_capacity * sizeof *reply->answer);
    sc_free(reply->answer);
    reply->answer = NULL;
    reply->answer_capacity = 0;
}

const sc__point *sc__asked_point(const sc_point_reply *reply, size_t list)
{
    return &reply->cover.points[list % reply->cover.point_count];
}

const sc__topic *sc__asked_topic(const sc_point_reply *reply, size_t list)
{
    return &reply->topics.list[list / reply->cover.point_count];
}

// --- Settling ---------------------------------------------------------------

static int compare_objects(const void *a, const void *b)
{
    const uint32_t left = ((const sc_near *)a)->object;
    const uint32_t right = ((const sc_near *)b)->object;
    return (left > right) - (left < right);
}

sc_err sc__point_reply_settle(sc_point_reply *reply, sc_diag *diag)
{
    uint32_t *new_number = NULL;
    const sc_err err = sc__stock_settle(&reply->stock, reply->map, &new_number, diag);
    if (err) return err;
    for (size_t i = 0; i < reply->list_count; i++) {
        const sc__point_list *list = &reply->lists[i];
        for (uint32_t j = 0; j < list->count; j++) {
            list->nears[j].object = new_number[list->nears[j].object];
        }
        if (list->count > 0) qsort(list->nears, list->count, sizeof *list->nears, compare_objects);
    }
    sc_free(new_number);
    reply->table = (sc_object_table){.objects = reply->stock.objects,
                                     .count = reply->stock.count,
                                     .strings = reply->stock.strings,
                                     .strings_size = reply->stock.strings_size,
                                     .keys = reply->stock.keys};
    return SC_OK;
}

// --- Lending ----------------------------------------------------------------

const sc_object_table *sc_point_reply_table(const sc_point_reply *reply)
{
    return &reply->table;
}

void sc_point_reply_position(const sc_point_reply *reply, uint32_t object, double *lon, double *lat)
{
    *lon = reply->stock.items[object].x;
    *lat = reply->stock.items[object].y;
}

sc_point_work sc_point_reply_work(const sc_point_reply *reply)
{
    return reply->work;
}
