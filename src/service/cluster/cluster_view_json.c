// A view as JSON, on one line.
//
// Names hold letters, digits and a few signs (cluster_view.c), so that nothing needs to be escaped;
// numbers are written without the locale.
#include "cluster/cluster_view.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/** A text that grows. Once memory is out, nothing is added any more. */
typedef struct text {
    char *chars;
    size_t size;
    size_t capacity;
    bool is_cut_short;
} text;

/** Longer than any piece that is put at once. */
enum { PIECE_SIZE = 192 };

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *format, ...)
{
    char piece[PIECE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    if (t->is_cut_short || size < 0 || (size_t)size >= sizeof piece ||
        !sc_reserve(&t->chars, t->size + (size_t)size + 1, &t->capacity, 1)) {
        t->is_cut_short = true;
        return;
    }
    memcpy(t->chars + t->size, piece, (size_t)size + 1);
    t->size += (size_t)size;
}

static void put_count(text *t, const char *name, uint64_t value)
{
    put(t, ",\"%s\":%" PRIu64, name, value);
}

static void put_flag(text *t, const char *name, bool holds)
{
    put(t, ",\"%s\":%s", name, holds ? "true" : "false");
}

/** To the millionth; what is no number, or too large for one that anybody needs, is null. */
static void put_number(text *t, const char *name, double value)
{
    if (!(fabs(value) < 1e12)) {
        put(t, ",\"%s\":null", name);
        return;
    }
    const int64_t millionths = llround(value * 1e6);
    const uint64_t size = millionths < 0 ? 0 - (uint64_t)millionths : (uint64_t)millionths;
    char decimals[8];
    (void)snprintf(decimals, sizeof decimals, ".%06u", (unsigned)(size % 1000000));
    // Zeros at the end say nothing, nor does a point without digits.
    for (size_t end = strlen(decimals); end > 0 && strchr("0.", decimals[end - 1]); end--) {
        const bool is_point = decimals[end - 1] == '.';
        decimals[end - 1] = '\0';
        if (is_point) break;
    }
    put(t, ",\"%s\":%s%" PRIu64 "%s", name, millionths < 0 ? "-" : "", size / 1000000, decimals);
}

static void put_peer(text *t, const sc_cluster_view_peer *peer)
{
    put(t, "{\"peer\":\"%016" PRIx64 "\",\"name\":\"%s\",\"kind\":\"%s\"", peer->peer, peer->name,
        peer->is_worker ? "worker" : "gateway");
    put_flag(t, "leader", peer->is_leader);
    put_flag(t, "leaving", peer->is_leaving);
    if (peer->is_stranger) put_flag(t, "stranger", true);
    put_flag(t, "self", peer->is_self);
    put_number(t, "age_s", peer->age_s);
    put_number(t, "skew_s", peer->skew_s);
    put_number(t, "cpu", peer->cpu);
    put_count(t, "open", peer->open);
    put_count(t, "memory", peer->memory);
    put_count(t, "messages_out", peer->messages_out);
    put_count(t, "messages_in", peer->messages_in);
    put_count(t, "bytes_out", peer->bytes_out);
    put_count(t, "bytes_in", peer->bytes_in);
    if (peer->is_worker) {
        put_count(t, "threads", peer->threads);
        put_count(t, "parts", peer->parts);
        put_number(t, "load", peer->load);
        put_count(t, "bids", peer->crew.bids);
        put_count(t, "bids_under_way", peer->crew.bids_under_way);
        put_count(t, "bids_published", peer->crew.bids_published);
        put_count(t, "bids_refused", peer->crew.bids_refused);
        put_count(t, "bids_silent", peer->crew.bids_silent);
        put_count(t, "bids_unknown", peer->crew.bids_unknown);
        put_count(t, "asked", peer->crew.asked);
        put_count(t, "lost", peer->crew.lost);
        put_count(t, "misdirected", peer->crew.misdirected);
    }
    put(t, "}");
}

static void put_part(text *t, uint32_t number, const sc_cluster_view_part *part)
{
    put(t, "{\"part\":%" PRIu32 ",\"owner\":", number);
    if (part->owner == SC_PEER_NONE) {
        put(t, "null");
    } else {
        put(t, "\"%016" PRIx64 "\"", part->owner);
    }
    put_flag(t, "served", part->is_served);
    put_number(t, "load", part->load);
    put_count(t, "queries", part->counts.queries);
    put_count(t, "company", part->counts.company);
    put_count(t, "cloaks", part->counts.cloaks);
    put_count(t, "dropped", part->counts.dropped);
    put_count(t, "pending", part->counts.pending);
    put_count(t, "held", part->counts.held);
    put_number(t, "cpu_s", (double)part->counts.cpu_us * 1e-6);
    put(t, "}");
}

static void put_bus(text *t, const sc_bus_stats *bus)
{
    put_flag(t, "connected", bus->is_connected);
    put_count(t, "messages_out", bus->messages_out);
    put_count(t, "messages_in", bus->messages_in);
    put_count(t, "bytes_out", bus->bytes_out);
    put_count(t, "bytes_in", bus->bytes_in);
    put_count(t, "unsent", bus->unsent);
    put_count(t, "unopened", bus->unopened);
    put_count(t, "overrun", bus->overrun);
    put_count(t, "reconnects", bus->reconnects);
}

char *sc_cluster_view_json(const sc_cluster_view *view)
{
    text t = {0};
    put(&t, "{\"epoch\":%" PRIu64 ",\"cut\":\"%016" PRIx64 "\"", view->epoch, view->partition);
    put_number(&t, "imbalance", view->imbalance);
    put_count(&t, "placements", view->placements);
    put_count(&t, "moved", view->moved);
    put_count(&t, "strangers", view->strangers);
    put_number(&t, "beat_s", view->heartbeat_s);
    put_bus(&t, &view->bus);
    put(&t, ",\"peers\":[");
    for (size_t i = 0; i < view->peer_count; i++) {
        if (i > 0) put(&t, ",");
        put_peer(&t, &view->peers[i]);
    }
    put(&t, "],\"parts\":[");
    for (uint32_t p = 0; p < view->part_count; p++) {
        if (p > 0) put(&t, ",");
        put_part(&t, p, &view->parts[p]);
    }
    put(&t, "]}");
    if (t.is_cut_short) {
        sc_free(t.chars);
        return NULL;
    }
    return t.chars;
}
