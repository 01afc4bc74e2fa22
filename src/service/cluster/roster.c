// The processes that are alive, and how busy they are.
//
// Workers count since they opened a part, so a rate is the difference of two heartbeats, and only
// where both have the part and the later one has not counted less: else the part was opened in
// between, and counting begins with the later heartbeat. A part's load stays known when its worker
// is gone, since the roads are as busy as before.
#include "cluster/roster.h"

#include "base/alloc.h"
#include "cluster/clock_check.h"
#include "partition/partition.h"

#include <math.h>
#include <string.h>

/**
 * A rate from counts that come now and then. What was counted and the time in which it was counted
 * both fade alike, and the one divided by the other is the rate. So it is right from the first two
 * counts on, whether they come evenly or not. Time without counts is left out: a part without a
 * worker does not look idle. Zero-initialise.
 */
typedef struct rate {
    double amount;   ///< what was counted, faded
    double seconds;  ///< in which it was, faded
} rate;

/** `amount` happened in the last `seconds` (>= 0); what is older by `fade_s` counts 1/e of that. */
static void rate_add(rate *r, double amount, double seconds, double fade_s)
{
    const double kept = exp(-seconds / fade_s);
    r->amount = r->amount * kept + amount;
    r->seconds = r->seconds * kept + seconds;
}

/** Per second; 0 if no time has passed. */
static double rate_per_s(const rate *r)
{
    return r->seconds > 0 ? r->amount / r->seconds : 0.0;
}

/** How long loads are remembered. Placements move parts for minutes, so loads should not follow
 * every moment. */
static const double load_fade_s = 60.0;

/** The use of processors is shown to people, who want to see the effect of what they just did. */
static const double cpu_fade_s = 10.0;

/** A load is not known before a part was watched for so long: one heartbeat's counts are mere
 * chance. */
static const double least_seconds = 5.0;

/** Heartbeats that may be missed. */
enum { HEARTBEATS_MISSED = 3 };

/** How many peers that are gone are remembered, so that their heartbeats cannot be played back as
 * if they lived. */
enum { GONE_KEPT = 256 };

typedef struct gone_peer {
    sc_peer peer;
    uint64_t number;  ///< of its last heartbeat
} gone_peer;

typedef struct peer_state {
    sc_roster_peer shown;
    int64_t skews_us[SC_ROSTER_SKEW_WINDOW];  ///< of the last heartbeats, a ring
    size_t skew_next;
    rate cpu;
} peer_state;

struct sc_roster {
    uint64_t partition;
    sc_time heartbeat_us;
    sc_time started;
    uint64_t strangers;
    peer_state *peers;  ///< ascending by peer
    size_t peer_count;
    size_t peer_capacity;
    gone_peer gone[GONE_KEPT];  ///< a ring
    size_t gone_next;
    rate loads[SC_PARTITION_PARTS_MAX];  ///< queries of each part
};

sc_err sc_roster_new(uint64_t partition, sc_time heartbeat_us, sc_time started, sc_roster **out)
{
    sc_roster *roster = sc_calloc(1, sizeof *roster);
    if (!roster) return SC_ENOMEM;
    roster->partition = partition;
    roster->heartbeat_us = heartbeat_us;
    roster->started = started;
    *out = roster;
    return SC_OK;
}

void sc_roster_free(sc_roster *roster)
{
    if (!roster) return;
    for (size_t i = 0; i < roster->peer_count; i++) {
        sc_heartbeat_free(roster->peers[i].shown.heartbeat);
    }
    sc_free(roster->peers);
    sc_free(roster);
}

// --- Peers -------------------------------------------------------------------------------------

/** The first seat whose peer is not below: where this one sits, or would. */
static size_t place_of(const sc_roster *roster, sc_peer peer)
{
    size_t low = 0;
    size_t high = roster->peer_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (roster->peers[middle].shown.heartbeat->peer < peer) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_taken_by(const sc_roster *roster, size_t place, sc_peer peer)
{
    return place < roster->peer_count && roster->peers[place].shown.heartbeat->peer == peer;
}

static void leave_seat(sc_roster *roster, size_t place)
{
    const sc_heartbeat *last = roster->peers[place].shown.heartbeat;
    roster->gone[roster->gone_next] = (gone_peer){last->peer, last->number};
    roster->gone_next = (roster->gone_next + 1) % GONE_KEPT;
    sc_heartbeat_free(roster->peers[place].shown.heartbeat);
    roster->peer_count--;
    memmove(&roster->peers[place], &roster->peers[place + 1],
            (roster->peer_count - place) * sizeof *roster->peers);
}

/** Was that heartbeat, or a later one, received before its peer was gone? */
static bool is_played_back(const sc_roster *roster, const sc_heartbeat *heartbeat)
{
    for (size_t i = 0; i < GONE_KEPT; i++) {
        if (roster->gone[i].peer == heartbeat->peer &&
            heartbeat->number <= roster->gone[i].number) {
            return true;
        }
    }
    return false;
}

/** Whether one more process with this one's key may come: numbers of processes can be made up. */
static bool has_room_for(const sc_roster *roster, sc_peer peer)
{
    if (!sc_peer_is_worker(peer)) return true;
    const sc_peer least = sc_peer_key(peer);
    const sc_peer greatest = least | UINT32_MAX;
    const size_t end = place_of(roster, greatest);
    const size_t of_key =
        end - place_of(roster, least) + (is_taken_by(roster, end, greatest) ? 1 : 0);
    return of_key < SC_KEY_PROCESSES_MAX;
}

static bool take_seat(sc_roster *roster, size_t place)
{
    if (!sc_grow(&roster->peers, roster->peer_count, &roster->peer_capacity,
                 sizeof *roster->peers)) {
        return false;
    }
    memmove(&roster->peers[place + 1], &roster->peers[place],
            (roster->peer_count - place) * sizeof *roster->peers);
    roster->peers[place] = (peer_state){0};
    roster->peer_count++;
    return true;
}

// --- Heartbeats --------------------------------------------------------------------------------

/** Count what happened between two heartbeats of one worker, whose parts both ascend. */
static void count_parts(sc_roster *roster, const sc_heartbeat *before, const sc_heartbeat *after,
                        double seconds)
{
    size_t b = 0;
    for (size_t a = 0; a < after->part_count; a++) {
        const sc_heartbeat_part *now = &after->parts[a];
        while (b < before->part_count && before->parts[b].part < now->part) {
            b++;
        }
        if (b == before->part_count) return;
        const sc_heartbeat_part *then = &before->parts[b];
        if (then->part != now->part || now->part >= SC_PARTITION_PARTS_MAX) continue;
        if (now->load.queries < then->load.queries) continue;  // opened again
        rate_add(&roster->loads[now->part], (double)(now->load.queries - then->load.queries),
                 seconds, load_fade_s);
    }
}

/** A worker is as busy as the parts that it has, also those that it has just been given. */
static double load_of(const sc_roster *roster, const sc_heartbeat *heartbeat)
{
    double sum = 0.0;
    for (size_t i = 0; i < heartbeat->part_count; i++) {
        const uint32_t part = heartbeat->parts[i].part;
        if (part < SC_PARTITION_PARTS_MAX) sum += rate_per_s(&roster->loads[part]);
    }
    return sum;
}

/** Our clock less theirs, bounded for any value that is sent. */
static int64_t skew_of(const sc_heartbeat *heartbeat, int64_t calendar_us)
{
    int64_t skew = 0;
    if (__builtin_sub_overflow(calendar_us, heartbeat->calendar_us, &skew)) {
        return heartbeat->calendar_us < 0 ? INT64_MAX : INT64_MIN;
    }
    return skew;
}

/** The least of the last few counts: clocks drift slowly, but a heartbeat may be long under way. */
static void note_skew(peer_state *s, int64_t skew_us)
{
    s->skews_us[s->skew_next] = skew_us;
    s->skew_next = (s->skew_next + 1) % SC_ROSTER_SKEW_WINDOW;
    if (s->shown.skew_count < SC_ROSTER_SKEW_WINDOW) s->shown.skew_count++;
    s->shown.skew_us = INT64_MAX;
    for (size_t i = 0; i < s->shown.skew_count; i++) {
        if (s->skews_us[i] < s->shown.skew_us) s->shown.skew_us = s->skews_us[i];
    }
}

static bool has_other_parts(const sc_heartbeat *a, const sc_heartbeat *b)
{
    if (a->part_count != b->part_count) return true;
    for (size_t i = 0; i < a->part_count; i++) {
        if (a->parts[i].part != b->parts[i].part) return true;
    }
    return false;
}

/** The next heartbeat of a known peer; returns whether it changes the members. */
static bool update_peer(sc_roster *roster, peer_state *s, sc_heartbeat *heartbeat,
                        int64_t calendar_us, sc_time now)
{
    sc_heartbeat *before = s->shown.heartbeat;
    const bool is_news =
        before->is_leaving != heartbeat->is_leaving || has_other_parts(before, heartbeat);
    const double seconds =
        now > s->shown.received_at ? (double)(now - s->shown.received_at) * 1e-6 : 0.0;
    count_parts(roster, before, heartbeat, seconds);
    if (heartbeat->cpu_us >= before->cpu_us) {
        rate_add(&s->cpu, (double)(heartbeat->cpu_us - before->cpu_us) * 1e-6, seconds, cpu_fade_s);
    }
    note_skew(s, skew_of(heartbeat, calendar_us));
    s->shown.heartbeat = heartbeat;
    sc_heartbeat_free(before);
    return is_news;
}

bool sc_roster_receive(sc_roster *roster, sc_heartbeat *heartbeat, int64_t calendar_us, sc_time now)
{
    if (roster->partition != 0 && heartbeat->partition != roster->partition) {
        roster->strangers++;
        sc_heartbeat_free(heartbeat);
        return false;
    }
    const size_t place = place_of(roster, heartbeat->peer);
    const bool is_here = is_taken_by(roster, place, heartbeat->peer);
    if (is_here ? heartbeat->number <= roster->peers[place].shown.heartbeat->number
                : is_played_back(roster, heartbeat) || !has_room_for(roster, heartbeat->peer) ||
                      !take_seat(roster, place)) {
        sc_heartbeat_free(heartbeat);
        return false;
    }
    peer_state *s = &roster->peers[place];
    bool is_news = true;
    if (is_here) {
        is_news = update_peer(roster, s, heartbeat, calendar_us, now);
    } else {
        s->shown = (sc_roster_peer){.heartbeat = heartbeat, .first = now};
        note_skew(s, skew_of(heartbeat, calendar_us));
    }
    s->shown.received_at = now;
    s->shown.load = load_of(roster, heartbeat);
    s->shown.cpu = rate_per_s(&s->cpu);
    return is_news;
}

static bool is_silent(const sc_roster *roster, const peer_state *s, sc_time now)
{
    return now - s->shown.received_at >= HEARTBEATS_MISSED * roster->heartbeat_us;
}

bool sc_roster_expire(sc_roster *roster, sc_time now)
{
    const size_t before = roster->peer_count;
    for (size_t i = roster->peer_count; i-- > 0;) {
        if (is_silent(roster, &roster->peers[i], now)) leave_seat(roster, i);
    }
    return roster->peer_count < before;
}

void sc_roster_forget(sc_roster *roster, sc_peer peer)
{
    const size_t place = place_of(roster, peer);
    if (is_taken_by(roster, place, peer)) leave_seat(roster, place);
}

// --- Members -----------------------------------------------------------------------------------

size_t sc_roster_count(const sc_roster *roster)
{
    return roster->peer_count;
}

const sc_roster_peer *sc_roster_at(const sc_roster *roster, size_t i)
{
    return &roster->peers[i].shown;
}

const sc_roster_peer *sc_roster_find(const sc_roster *roster, sc_peer peer)
{
    const size_t place = place_of(roster, peer);
    return is_taken_by(roster, place, peer) ? &roster->peers[place].shown : NULL;
}

sc_peer sc_roster_leader(const sc_roster *roster, sc_time now)
{
    if (now - roster->started < HEARTBEATS_MISSED * roster->heartbeat_us) return SC_PEER_NONE;
    for (size_t i = 0; i < roster->peer_count; i++) {
        const sc_heartbeat *heartbeat = roster->peers[i].shown.heartbeat;
        if (heartbeat->is_worker || heartbeat->is_leaving) continue;
        if (!is_silent(roster, &roster->peers[i], now)) return heartbeat->peer;
    }
    return SC_PEER_NONE;
}

double sc_roster_part_load(const sc_roster *roster, uint32_t part)
{
    if (part >= SC_PARTITION_PARTS_MAX || roster->loads[part].seconds < least_seconds)
        return (double)NAN;
    return rate_per_s(&roster->loads[part]);
}

static bool tells_search(const sc_heartbeat *heartbeat)
{
    return heartbeat->is_worker && !heartbeat->is_leaving && heartbeat->search.engine > 0;
}

const sc_search_digest *sc_roster_usual_search(const sc_roster *roster, uint64_t partition)
{
    const sc_search_digest *usual = NULL;
    size_t most = 0;
    for (size_t i = 0; i < roster->peer_count; i++) {
        const sc_heartbeat *one = roster->peers[i].shown.heartbeat;
        if (one->partition != partition || !tells_search(one)) continue;
        // Those before it were compared with it, if they are the same.
        size_t alike = 0;
        for (size_t j = i; j < roster->peer_count; j++) {
            const sc_heartbeat *other = roster->peers[j].shown.heartbeat;
            alike += other->partition == partition && tells_search(other) &&
                     !sc_search_digest_difference(&one->search, &other->search);
        }
        if (alike <= most) continue;
        most = alike;
        usual = &one->search;
    }
    return usual;
}

const char *sc_roster_other_search(const sc_roster_peer *peer, const sc_search_digest *usual)
{
    if (!usual || !tells_search(peer->heartbeat)) return NULL;
    return sc_search_digest_difference(usual, &peer->heartbeat->search);
}

uint64_t sc_roster_strangers(const sc_roster *roster)
{
    return roster->strangers;
}

void sc_roster_count_stranger(sc_roster *roster)
{
    roster->strangers++;
}

// --- Peers that came and went, for the log -----------------------------------------------------
//
// Names and kinds of processes, and whether their clocks are off by more than the guard. The roster
// decides which processes live; this only writes log lines. If memory is out, a line of the log is
// missing.

void sc__peer_log_fini(sc__peer_log *log)
{
    sc_free(log->all);
    log->all = NULL;
    log->count = log->capacity = 0;
}

static void log_peer(const sc__peer_log *log, sc_log_level level, const char *event,
                     const sc__peer_logged *peer)
{
    sc_log_line line;
    if (!sc_log_begin(log->out, &line, level, event)) return;
    sc_log_text(&line, "name", peer->name);
    sc_log_text(&line, "kind", peer->is_worker ? "worker" : "gateway");
    sc_log_count(&line, "peers", log->count);
    sc_log_end(&line);
}

/** @param ahead_us  of the peer's clock, at least; negative: of ours */
static void log_skew(const sc__peer_log *log, const sc__peer_logged *peer, int64_t ahead_us)
{
    sc_log_line line;
    if (!sc_log_begin(log->out, &line, SC_LOG_WARNING, "clocks_differ")) return;
    sc_log_text(&line, "name", peer->name);
    sc_log_text(&line, "kind", peer->is_worker ? "worker" : "gateway");
    sc_log_text(&line, "ahead", ahead_us > 0 ? "its clock" : "our clock");
    sc_log_seconds(&line, "seconds", fabs((double)ahead_us) * 1e-6);
    sc_log_text(&line, "message",
                peer->is_worker
                    ? "the clocks differ by at least that, more than the guard, so the worker "
                      "gives up queries too early; synchronise the clocks by NTP"
                    : "the clocks differ by at least that, more than the guard, so no cloak has "
                      "queries of both gateways; synchronise the clocks by NTP");
    sc_log_end(&line);
}

static sc__peer_logged *find_logged(const sc__peer_log *log, sc_peer peer)
{
    for (size_t i = 0; i < log->count; i++) {
        if (log->all[i].peer == peer) return &log->all[i];
    }
    return NULL;
}

static bool is_beyond(int64_t ahead_us, sc_time limit_us)
{
    return ahead_us > limit_us || ahead_us < -limit_us;
}

void sc__peer_log_receive(sc__peer_log *log, const sc_roster_peer *from)
{
    const sc_heartbeat *heartbeat = from->heartbeat;
    sc__peer_logged *peer = find_logged(log, heartbeat->peer);
    if (!peer) {
        if (!sc_grow(&log->all, log->count, &log->capacity, sizeof *log->all)) return;
        peer = &log->all[log->count++];
        *peer = (sc__peer_logged){.peer = heartbeat->peer, .is_worker = heartbeat->is_worker};
        memcpy(peer->name, heartbeat->name, sizeof peer->name);
        log_peer(log, SC_LOG_INFO, "peer_came", peer);
    }
    if (heartbeat->is_leaving && !peer->is_leaving) log_peer(log, SC_LOG_INFO, "peer_leaves", peer);
    peer->is_leaving = heartbeat->is_leaving;

    const int64_t ahead_us = sc__clock_check_ahead_us(from, log->self);
    const bool is_skewed = is_beyond(ahead_us, log->guard_us);
    if (is_skewed && !peer->is_skewed) log_skew(log, peer, ahead_us);
    // Logged again only if it was clearly over in between.
    const bool is_over = peer->is_skewed && !is_beyond(ahead_us, log->guard_us / 2);
    if (is_over) log_peer(log, SC_LOG_INFO, "clocks_agree", peer);
    if (is_skewed || is_over) peer->is_skewed = is_skewed;
}

void sc__peer_log_sweep(sc__peer_log *log, const sc_roster *roster)
{
    for (size_t i = log->count; i-- > 0;) {
        const sc__peer_logged peer = log->all[i];
        if (sc_roster_find(roster, peer.peer)) continue;
        log->all[i] = log->all[--log->count];
        log_peer(log, peer.is_leaving ? SC_LOG_INFO : SC_LOG_WARNING, "peer_gone", &peer);
    }
}
