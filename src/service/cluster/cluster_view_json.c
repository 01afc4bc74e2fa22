// A view as JSON, on one line.
#include "cluster/cluster_view.h"

#include "base/bytes.h"
#include "base/json_write.h"

#include <math.h>

/** To the millionth; what is no number, or above any real one, is null. */
static void put_number(sc_json_writer *json, const char *name, double value)
{
    if (fabs(value) < 1e12) {
        sc_json_put_fixed(json, name, value, 6);
    } else {
        sc_json_put_null(json, name);
    }
}

static void put_peer(sc_json_writer *json, const sc_cluster_view_peer *peer)
{
    sc_json_open_object(json, NULL);
    sc_json_put_hex(json, "peer", peer->peer);
    sc_json_put_string(json, "name", peer->name);
    sc_json_put_string(json, "kind", peer->is_worker ? "worker" : "gateway");
    sc_json_put_flag(json, "leader", peer->is_leader);
    sc_json_put_flag(json, "leaving", peer->is_leaving);
    if (peer->is_stranger) sc_json_put_flag(json, "stranger", true);
    sc_json_put_flag(json, "self", peer->is_self);
    put_number(json, "age_s", peer->age_s);
    put_number(json, "skew_s", peer->skew_s);
    put_number(json, "cpu", peer->cpu);
    sc_json_put_count(json, "open", peer->open);
    sc_json_put_count(json, "memory", peer->memory);
    sc_json_put_count(json, "messages_out", peer->messages_out);
    sc_json_put_count(json, "messages_in", peer->messages_in);
    sc_json_put_count(json, "bytes_out", peer->bytes_out);
    sc_json_put_count(json, "bytes_in", peer->bytes_in);
    if (peer->is_worker) {
        sc_json_put_count(json, "threads", peer->threads);
        sc_json_put_count(json, "parts", peer->parts);
        put_number(json, "load", peer->load);
        sc_json_put_count(json, "bids", peer->crew.bids);
        sc_json_put_count(json, "bids_under_way", peer->crew.bids_under_way);
        sc_json_put_count(json, "bids_published", peer->crew.bids_published);
        sc_json_put_count(json, "bids_refused", peer->crew.bids_refused);
        sc_json_put_count(json, "bids_silent", peer->crew.bids_silent);
        sc_json_put_count(json, "bids_unknown", peer->crew.bids_unknown);
        sc_json_put_count(json, "asked", peer->crew.asked);
        sc_json_put_count(json, "lost", peer->crew.lost);
        sc_json_put_count(json, "misdirected", peer->crew.misdirected);
    }
    sc_json_close_object(json);
}

static void put_part(sc_json_writer *json, uint32_t number, const sc_cluster_view_part *part)
{
    sc_json_open_object(json, NULL);
    sc_json_put_count(json, "part", number);
    if (part->owner == SC_PEER_NONE) {
        sc_json_put_null(json, "owner");
    } else {
        sc_json_put_hex(json, "owner", part->owner);
    }
    sc_json_put_flag(json, "served", part->is_served);
    put_number(json, "load", part->load);
    sc_json_put_count(json, "queries", part->counts.queries);
    sc_json_put_count(json, "company", part->counts.company);
    sc_json_put_count(json, "cloaks", part->counts.cloaks);
    sc_json_put_count(json, "dropped", part->counts.dropped);
    sc_json_put_count(json, "pending", part->counts.pending);
    sc_json_put_count(json, "held", part->counts.held);
    put_number(json, "cpu_s", (double)part->counts.cpu_us * 1e-6);
    sc_json_close_object(json);
}

static void put_bus(sc_json_writer *json, const sc_bus_stats *bus)
{
    sc_json_put_flag(json, "connected", bus->is_connected);
    sc_json_put_count(json, "messages_out", bus->messages_out);
    sc_json_put_count(json, "messages_in", bus->messages_in);
    sc_json_put_count(json, "bytes_out", bus->bytes_out);
    sc_json_put_count(json, "bytes_in", bus->bytes_in);
    sc_json_put_count(json, "unsent", bus->unsent);
    sc_json_put_count(json, "unopened", bus->unopened);
    sc_json_put_count(json, "overrun", bus->overrun);
    sc_json_put_count(json, "reconnects", bus->reconnects);
}

static void put_view(sc_json_writer *json, const sc_cluster_view *view)
{
    sc_json_open_object(json, NULL);
    sc_json_put_count(json, "epoch", view->epoch);
    sc_json_put_hex(json, "cut", view->partition);
    put_number(json, "imbalance", view->imbalance);
    sc_json_put_count(json, "placements", view->placements);
    sc_json_put_count(json, "moved", view->moved);
    sc_json_put_count(json, "strangers", view->strangers);
    put_number(json, "beat_s", view->heartbeat_s);
    put_bus(json, &view->bus);
    sc_json_open_array(json, "peers");
    for (size_t i = 0; i < view->peer_count; i++) {
        put_peer(json, &view->peers[i]);
    }
    sc_json_close_array(json);
    sc_json_open_array(json, "parts");
    for (uint32_t p = 0; p < view->part_count; p++) {
        put_part(json, p, &view->parts[p]);
    }
    sc_json_close_array(json);
    sc_json_close_object(json);
}

char *sc_cluster_view_json(const sc_cluster_view *view)
{
    sc_bytes text = {0};
    sc_json_writer json = sc_json_writer_of(&text);
    put_view(&json, view);
    if (!json.has_failed && sc_bytes_append(&text, "", 1)) return (char *)text.data;
    sc_bytes_fini(&text);
    return NULL;
}
