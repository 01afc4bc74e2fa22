// The cluster at one moment, made from roster and placement; and as JSON, on one line.
#include "cluster/cluster_view.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/json_write.h"
#include "cluster/placement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sc_cluster_view_free(sc_cluster_view *view)
{
    sc_free(view);
}

/** View, peers and parts in one block; NULL if memory is out. */
static sc_cluster_view *make_room(size_t peers, uint32_t parts)
{
    size_t size = 0;
    size_t of_peers = 0;
    if (__builtin_mul_overflow(peers, sizeof(sc_cluster_view_peer), &of_peers) ||
        __builtin_add_overflow(sizeof(sc_cluster_view) +
                                   (size_t)parts * sizeof(sc_cluster_view_part),
                               of_peers, &size)) {
        return NULL;
    }
    sc_cluster_view *view = sc_calloc(1, size);
    if (!view) return NULL;
    view->peer_count = peers;
    view->part_count = parts;
    // All three hold 64-bit numbers, so each begins where one may begin.
    view->peers = (sc_cluster_view_peer *)(view + 1);
    view->parts = (sc_cluster_view_part *)(view->peers + peers);
    return view;
}

/** Names are shown on pages and in labels: whatever a heartbeat contains, they are letters, digits
 * and a few signs. */
static void copy_name(char out[SC_PEER_NAME_SIZE], const char name[SC_PEER_NAME_SIZE])
{
    for (size_t i = 0; i + 1 < SC_PEER_NAME_SIZE && name[i]; i++) {
        const char c = name[i];
        const bool is_fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
        out[i] = '?';
        if (is_fine) out[i] = c;
    }
}

static void fill_peer(sc_cluster_view_peer *out, const sc_roster_peer *peer, sc_peer leader,
                      sc_peer self, sc_time now)
{
    const sc_heartbeat *heartbeat = peer->heartbeat;
    *out = (sc_cluster_view_peer){
        .peer = heartbeat->peer,
        .is_worker = heartbeat->is_worker,
        .is_leader = heartbeat->peer == leader,
        .is_leaving = heartbeat->is_leaving,
        .is_self = heartbeat->peer == self,
        .age_s = now > peer->received_at ? (double)(now - peer->received_at) * 1e-6 : 0.0,
        .skew_s = (double)peer->skew_us * 1e-6,
        .load = peer->load,
        .cpu = peer->cpu,
        .threads = heartbeat->threads,
        .parts = (uint32_t)heartbeat->part_count,
        .open = heartbeat->open,
        .memory = heartbeat->memory,
        .messages_out = heartbeat->messages_out,
        .messages_in = heartbeat->messages_in,
        .bytes_out = heartbeat->bytes_out,
        .bytes_in = heartbeat->bytes_in,
        .engines = heartbeat->engines,
    };
    copy_name(out->name, heartbeat->name);
}

/** In what a process asks something else than the leader; NULL: in nothing. */
static const char *find_difference(const sc_roster *roster, size_t i, sc_peer leader)
{
    const sc_roster_peer *first = sc_roster_find(roster, leader);
    return first ? sc_demand_digest_difference(&first->heartbeat->demands,
                                               &sc_roster_at(roster, i)->heartbeat->demands)
                 : NULL;
}

static int gateways_first(const void *left, const void *right)
{
    const sc_cluster_view_peer *a = left;
    const sc_cluster_view_peer *b = right;
    if (a->is_worker != b->is_worker) return a->is_worker ? 1 : -1;
    const int names = strcmp(a->name, b->name);
    if (names != 0) return names;
    return a->peer < b->peer ? -1 : a->peer > b->peer;
}

/** What a worker reports of a part; NULL if it does not serve it. */
static const sc_part_load *told_of_part(const sc_roster *roster, sc_peer owner, uint32_t part)
{
    const sc_roster_peer *peer = owner == SC_PEER_NONE ? NULL : sc_roster_find(roster, owner);
    for (size_t i = 0; peer && i < peer->heartbeat->part_count; i++) {
        if (peer->heartbeat->parts[i].part == part) return &peer->heartbeat->parts[i].load;
    }
    return NULL;
}

static void fill_part(sc_cluster_view_part *out, const sc_roster *roster,
                      const sc_placement *placement, uint32_t part)
{
    const bool is_placed = placement && part < placement->parts;
    const sc_peer owner = is_placed ? placement->owners[part] : SC_PEER_NONE;
    const sc_part_load *sent = told_of_part(roster, owner, part);
    const double load = sc_roster_part_load(roster, part);
    *out = (sc_cluster_view_part){
        .owner = owner, .is_served = sent != NULL, .load = isnan(load) ? 0.0 : load};
    if (sent) out->counts = *sent;
}

/** As the leader sees it: by the loads of parts, and the workers that serve or could. */
static bool measure(sc_cluster_view *view, const sc_roster *roster, const sc_placement *placement)
{
    view->imbalance = 1.0;
    if (!placement) return true;
    double *loads = sc_malloc_array(placement->parts, sizeof *loads);
    sc_placement_worker *workers = sc_malloc_array(sc_roster_count(roster), sizeof *workers);
    size_t count = 0;
    for (size_t i = 0; workers && i < sc_roster_count(roster); i++) {
        const sc_heartbeat *heartbeat = sc_roster_at(roster, i)->heartbeat;
        if (!heartbeat->is_worker || heartbeat->is_leaving ||
            heartbeat->partition != placement->partition)
            continue;
        workers[count++] =
            (sc_placement_worker){.peer = heartbeat->peer, .threads = heartbeat->threads};
    }
    for (uint32_t p = 0; loads && p < placement->parts; p++) {
        loads[p] = sc_roster_part_load(roster, p);
    }
    if (loads && workers) {
        view->imbalance =
            sc_placement_imbalance(loads, placement->parts, placement->owners, workers, count);
    }
    const bool is_measured = loads && workers && !isnan(view->imbalance);
    sc_free(loads);
    sc_free(workers);
    return is_measured;
}

sc_cluster_view *sc_cluster_view_new(const sc_roster *roster, const sc_placement *placement,
                                     uint32_t parts, sc_peer self, sc_time now)
{
    const size_t count = sc_roster_count(roster);
    if (parts == 0 && placement) parts = placement->parts;
    sc_cluster_view *view = make_room(count, parts);
    if (!view) return NULL;
    view->strangers = sc_roster_strangers(roster);
    if (count > 0) view->partition = sc_roster_at(roster, 0)->heartbeat->partition;
    if (placement) {
        view->epoch = placement->epoch;
        view->partition = placement->partition;
    }
    sc_peer leader = sc_roster_leader(roster, now);
    // Before heartbeats were received for long enough, the leader of the placement is taken.
    if (leader == SC_PEER_NONE && placement) leader = placement->leader;
    const sc_search_digest *search = sc_roster_usual_search(roster, view->partition);
    for (size_t i = 0; i < count; i++) {
        sc_cluster_view_peer *peer = &view->peers[i];
        fill_peer(peer, sc_roster_at(roster, i), leader, self, now);
        peer->is_stranger = sc_roster_at(roster, i)->heartbeat->partition != view->partition;
        if (!peer->is_stranger) peer->differs = find_difference(roster, i, leader);
        peer->is_stranger = peer->is_stranger || peer->differs;
        peer->is_leader = peer->is_leader && !peer->is_stranger;
        if (!peer->is_stranger) {
            peer->differs = sc_roster_other_search(sc_roster_at(roster, i), search);
        }
    }
    qsort(view->peers, count, sizeof *view->peers, gateways_first);
    for (uint32_t p = 0; p < parts; p++) {
        fill_part(&view->parts[p], roster, placement, p);
    }
    if (!measure(view, roster, placement)) {
        sc_cluster_view_free(view);
        return NULL;
    }
    return view;
}

// --- As JSON -----------------------------------------------------------------------------------

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
    if (peer->differs) sc_json_put_string(json, "differs", peer->differs);
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
        sc_json_put_count(json, "proposals", peer->engines.proposals);
        sc_json_put_count(json, "proposals_under_way", peer->engines.proposals_under_way);
        sc_json_put_count(json, "proposals_published", peer->engines.proposals_published);
        sc_json_put_count(json, "proposals_refused", peer->engines.proposals_refused);
        sc_json_put_count(json, "proposals_silent", peer->engines.proposals_silent);
        sc_json_put_count(json, "proposals_unknown", peer->engines.proposals_unknown);
        sc_json_put_count(json, "asked", peer->engines.asked);
        sc_json_put_count(json, "lost", peer->engines.lost);
        sc_json_put_count(json, "misdirected", peer->engines.misdirected);
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
    sc_json_put_hex(json, "partition", view->partition);
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
