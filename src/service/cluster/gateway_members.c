// The processes that a gateway knows of. See gateway_members.h.
#include "cluster/gateway_members.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>

/** A look that comes so late shows that the whole process stood still. */
enum { HEARTBEATS_STOOD_STILL = 2 };

sc_err sc__gateway_members_init(sc__gateway_members *members, sc_log *log,
                                const sc__cluster_identity *identity, sc_time heartbeat_us,
                                sc_time guard_us)
{
    members->log = log;
    members->self = identity->self;
    members->partition = identity->partition;
    members->demands = identity->demands;
    members->heartbeat_us = heartbeat_us;
    members->peer_log = (sc__peer_log){.out = log, .self = identity->self, .guard_us = guard_us};
    sc__clock_check_init(&members->clocks, identity->self, guard_us);
    sc__freshness_init(&members->freshness, identity->self, heartbeat_us);
    return sc_roster_new(identity->partition, heartbeat_us, sc_clock_us(), &members->roster);
}

void sc__gateway_members_fini(sc__gateway_members *members)
{
    sc__peer_log_fini(&members->peer_log);
    sc__clock_check_fini(&members->clocks);
    sc_roster_free(members->roster);
}

void sc__gateway_members_start(sc__gateway_members *members, sc_time now)
{
    members->last_look = now;
    members->quiet_until = now + SC__HEARTBEATS_TO_LISTEN * members->heartbeat_us;
}

// --- Clocks ------------------------------------------------------------------------------------

/** The roster is another. */
static void compare_clocks(sc__gateway_members *members)
{
    if (!sc__clock_check_update(&members->clocks, members->roster)) return;
    if (atomic_load(&members->clocks.is_wrong)) {
        sc_log_message(members->log, SC_LOG_ERROR, "clock_is_wrong",
                       "our clock differs from those of most processes by more than the guard; "
                       "this gateway is not ready until they agree; synchronise it by NTP");
    } else {
        sc_log_message(members->log, SC_LOG_INFO, "clock_is_right",
                       "our clock agrees with those of most processes again");
    }
}

// --- Heartbeats --------------------------------------------------------------------------------

bool sc__logged_peers_add(sc__logged_peers *logged, sc_peer peer, sc_time now)
{
    static const sc_time hour = (sc_time)3600 * 1000000;
    for (size_t i = 0; i < logged->count; i++) {
        if (logged->of[i] == peer) return false;
    }
    // If the oldest made room at once, more of them than there is room for would drive each other
    // out, and be named with every heartbeat.
    const bool is_full = logged->count == SC__LOGGED_MAX;
    if (is_full && now - logged->since[logged->next] < hour) return false;
    if (!is_full) logged->count++;
    logged->of[logged->next] = peer;
    logged->since[logged->next] = now;
    logged->next = (logged->next + 1) % SC__LOGGED_MAX;
    return true;
}

/** A process that receives none of our queries. @param other  the setting of its demands that is
 * another than ours; NULL: it has another partition */
static void note_stranger(sc__gateway_members *members, const sc_heartbeat *heartbeat,
                          const char *other, sc_time now)
{
    if (!sc__logged_peers_add(&members->strangers, heartbeat->peer, now)) return;
    sc_log_line line;
    if (!sc_log_begin(members->log, &line, SC_LOG_WARNING,
                      other ? "other_demands" : "another_partition")) {
        return;
    }
    sc_log_text(&line, "name", heartbeat->name);
    sc_log_text(&line, "kind", heartbeat->is_worker ? "worker" : "gateway");
    if (other) sc_log_text(&line, "setting", other);
    sc_log_text(&line, "message",
                other ? "its cloaks would keep other demands than those of this gateway, so they "
                        "share no queries; unless the cluster is being changed, give all of them "
                        "the same engine, density, traffic, strict and classes"
                      : "it has another map or partition than this gateway, so they share no "
                        "queries; unless the cluster is being changed, give all of them the same "
                        "files");
    sc_log_end(&line);
}

/** Whether a process has our map, but other demands: then it is noted, its placements do not count,
 * and the heartbeat is freed. */
static bool has_other_demands(sc__gateway_members *members, sc_heartbeat *heartbeat, sc_time now)
{
    const char *other = sc_demand_digest_difference(&members->demands, &heartbeat->demands);
    if (!other || heartbeat->partition != members->partition) return false;
    note_stranger(members, heartbeat, other, now);
    sc_roster_count_stranger(members->roster);
    sc__freshness_forget(&members->freshness, heartbeat->peer);
    sc_heartbeat_free(heartbeat);
    return true;
}

/** A process too many with a worker's key. Its name is what it claims; its key is certain. */
static void note_crowd(sc__gateway_members *members, const sc_heartbeat *heartbeat, sc_time now)
{
    const sc_peer key = sc_peer_key(heartbeat->peer);
    if (!sc__logged_peers_add(&members->crowded, key, now)) return;
    sc_log_line line;
    if (!sc_log_begin(members->log, &line, SC_LOG_WARNING, "too_many_processes")) return;
    char number[16];
    (void)snprintf(number, sizeof number, "%08" PRIx32, (uint32_t)(key >> 32));
    sc_log_text(&line, "key", number);
    sc_log_text(&line, "name", heartbeat->name);
    sc_log_count(&line, "limit", SC_KEY_PROCESSES_MAX);
    sc_log_text(&line, "message",
                "more processes than that send heartbeats with one worker's key, and the others "
                "are passed over; ids of processes with this key begin with its number; give "
                "workers keys of their own, or, if there are not so many, the key was stolen: "
                "make new ones");
    sc_log_end(&line);
}

bool sc__gateway_members_receive(sc__gateway_members *members, sc_heartbeat *heartbeat,
                                 sc__gateway_routes *routes, sc_time now)
{
    const uint64_t crowded = members->freshness.crowded;
    const bool is_fresh = sc__freshness_receive(&members->freshness, heartbeat, now);
    if (members->freshness.crowded > crowded) note_crowd(members, heartbeat, now);
    if (!is_fresh) {
        sc_heartbeat_free(heartbeat);
        return false;
    }
    if (has_other_demands(members, heartbeat, now)) return false;
    const sc_peer who = heartbeat->peer;
    const uint64_t number = heartbeat->number;
    if (heartbeat->partition != members->partition) note_stranger(members, heartbeat, NULL, now);
    const bool is_news = sc_roster_receive(members->roster, heartbeat, sc_clock_calendar_us(), now);
    const sc_roster_peer *peer = sc_roster_find(members->roster, who);
    // Unless it was passed over.
    if (!peer || peer->heartbeat->number != number) return is_news;
    sc__peer_log_receive(&members->peer_log, peer);
    compare_clocks(members);
    return sc__gateway_routes_receive(routes, peer->heartbeat) || is_news;
}

// --- Members -----------------------------------------------------------------------------------

void sc__gateway_members_suspect(sc__gateway_members *members, sc_peer worker, sc_time now)
{
    size_t i = 0;
    while (i < members->suspect_count && members->suspects[i].worker != worker) {
        i++;
    }
    if (i < SC__SUSPECTS_MAX) {
        members->suspects[i] = (sc__suspected_worker){.worker = worker, .since = now};
        if (i == members->suspect_count) members->suspect_count++;
    }
}

/** A worker without a heartbeat since NATS reported it, and whose heartbeat is late, is gone;
 * three missed heartbeats need not be waited for. One that was away for a moment has sent another
 * since. */
static bool remove_suspects(sc__gateway_members *members, sc_time now)
{
    bool is_gone = false;
    size_t kept = 0;
    for (size_t i = 0; i < members->suspect_count; i++) {
        const sc__suspected_worker suspect = members->suspects[i];
        const sc_roster_peer *peer = sc_roster_find(members->roster, suspect.worker);
        if (!peer || peer->received_at > suspect.since) continue;
        if (now - peer->received_at > members->heartbeat_us * 3 / 2) {
            sc_roster_forget(members->roster, suspect.worker);
            is_gone = true;
        } else {
            members->suspects[kept++] = suspect;
        }
    }
    members->suspect_count = kept;
    return is_gone;
}

/** Log each worker that searches differently from most. It serves parts all the same: its cloaks
 * keep what ours do. */
static void compare_searches(sc__gateway_members *members, sc_time now)
{
    const sc_search_digest *usual = sc_roster_usual_search(members->roster, members->partition);
    for (size_t i = 0; i < sc_roster_count(members->roster); i++) {
        const sc_roster_peer *peer = sc_roster_at(members->roster, i);
        const char *other = sc_roster_other_search(peer, usual);
        if (!other || !sc__logged_peers_add(&members->searching, peer->heartbeat->peer, now)) {
            continue;
        }
        sc_log_line line;
        if (!sc_log_begin(members->log, &line, SC_LOG_WARNING, "other_search")) return;
        sc_log_text(&line, "name", peer->heartbeat->name);
        sc_log_text(&line, "setting", other);
        sc_log_text(&line, "message",
                    "this worker searches for cloaks by other settings than most: its cloaks keep "
                    "the same promises, but success and waiting depend on who serves a part; "
                    "unless the cluster is being changed, give all workers the same engine, "
                    "strict, lambda, alpha, crowd, k-spread and cap");
        sc_log_end(&line);
    }
}

bool sc__gateway_members_look(sc__gateway_members *members, sc__gateway_routes *routes,
                              bool is_connected, bool is_back, sc_time now)
{
    const bool stood_still =
        now - members->last_look > HEARTBEATS_STOOD_STILL * members->heartbeat_us;
    members->last_look = now;
    if (is_back) sc__gateway_routes_reset(routes);
    if (is_back || stood_still || !is_connected) {
        members->quiet_until = now + SC__HEARTBEATS_TO_LISTEN * members->heartbeat_us;
        members->suspect_count = 0;
    }
    if (now < members->quiet_until) return false;
    const bool is_removed = remove_suspects(members, now);
    if (sc_roster_expire(members->roster, now) || is_removed) {
        sc__peer_log_sweep(&members->peer_log, members->roster);
        sc__gateway_routes_sweep(routes, members->roster);
        compare_clocks(members);
    }
    compare_searches(members, now);
    return true;
}
