// A gateway's place in the cluster: between its ledger and NATS.
//
// Three kinds of threads come here: the ledger's, which sends; those of the NATS library, which
// receive; and one that sends heartbeats, looks after members and places parts while this gateway
// leads. The first two never wait for more than a lock that is held briefly.
//
// Locks are taken in the order `speech`, `lock`, then those of routes and heartbeats.
#include "cluster/gateway.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "cluster/gateway_routes.h"
#include "cluster/heartbeat.h"
#include "cluster/placement.h"
#include "cluster/roster.h"
#include "server/log.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

// --- The gateway --------------------------------------------------------------------------------

/** A worker of which NATS says that nobody is where it should be. */
typedef struct sc__suspect {
    sc_peer worker;
    sc_time since;
} sc__suspect;

/** More at once need not be remembered: missed beats tell as well, only later. */
enum { SC__SUSPECTS_MAX = 16 };

/** To itself, to all (beats, placements), and where NATS says that nobody is there. */
enum { SC__GATEWAY_EARS = 4 };

struct sc_gateway {
    // Read-only from sc_gateway_start() on.
    uint32_t parts;
    sc_time beat_us;
    sc_log *log;
    void (*given_up)(void *context);
    void *given_up_context;
    sc_voice voice;
    sc_wire *wire;
    sc_ledger *ledger;
    sc_cluster_codec codec;
    sc_wire_ear *ears[SC__GATEWAY_EARS];

    // Any thread: each has its own lock, or needs none.
    sc__routes *routes;
    sc__beating beating;
    atomic_bool is_back;      ///< NATS was away and is here again
    atomic_bool was_puzzled;  ///< by a message that cannot be read, and it was said

    // Under `speech`: while the ledger speaks.
    pthread_mutex_t speech;
    bool is_open;  ///< it may: between start and stop everything, after that what needs no answer
    bool is_deaf;

    // The thread that looks, and who ends it.
    sc__identity identity;
    uint32_t *unsaid;  ///< room for all parts

    // Under `lock`.
    pthread_mutex_t lock;
    sc_roster *roster;
    sc_placing *placing;
    sc__guests guests;
    sc__suspect suspects[SC__SUSPECTS_MAX];
    size_t suspect_count;
    sc_time quiet_until;  ///< we may not have heard who is there: nobody is taken for dead
    sc_time last_look;
};

// The thread that sends heartbeats looks at members once in each heartbeat's time, and when
// something has happened: which processes are there, which one leads, which parts' queries must be
// sent again.
//
// A gateway that was away from NATS, or stood still, has received no heartbeats and must not take
// everybody for dead: it is *quiet* for as long as it takes to receive one of each living process,
// and neither leads nor removes members. If it did lead, others have begun to lead meanwhile, or
// there is no other gateway.
//
// Nothing is sent while the lock is held: a server that does not read may delay the sender.

/** A look that comes so late shows that the whole process stood still. */
enum { BEATS_STOOD_STILL = 2 };

// --- Who is there --------------------------------------------------------------------------

/** NATS says that nobody has a part that `worker` served. */
static void suspect(sc_gateway *gateway, sc_peer worker)
{
    const sc_time now = sc_clock_us();
    pthread_mutex_lock(&gateway->lock);
    size_t i = 0;
    while (i < gateway->suspect_count && gateway->suspects[i].worker != worker) {
        i++;
    }
    if (i < SC__SUSPECTS_MAX) {
        gateway->suspects[i] = (sc__suspect){.worker = worker, .since = now};
        if (i == gateway->suspect_count) gateway->suspect_count++;
    }
    pthread_mutex_unlock(&gateway->lock);
}

/** Who has not beaten since NATS found nobody there, and is behind with its beat, is gone; it need
 * not be missed three times. Who was merely away for a moment has beaten again. */
static bool bury_suspects(sc_gateway *gateway, sc_time now)
{
    bool is_gone = false;
    size_t kept = 0;
    for (size_t i = 0; i < gateway->suspect_count; i++) {
        const sc__suspect suspect = gateway->suspects[i];
        const sc_roster_peer *peer = sc_roster_find(gateway->roster, suspect.worker);
        if (!peer || peer->heard > suspect.since) continue;
        if (now - peer->heard > gateway->beat_us * 3 / 2) {
            sc_roster_forget(gateway->roster, suspect.worker);
            is_gone = true;
        } else {
            gateway->suspects[kept++] = suspect;
        }
    }
    gateway->suspect_count = kept;
    return is_gone;
}

/** Returns whether we know who is there. */
static bool look_around(sc_gateway *gateway, bool is_connected, sc_time now)
{
    const bool stood_still = now - gateway->last_look > BEATS_STOOD_STILL * gateway->beat_us;
    gateway->last_look = now;
    const bool is_back = atomic_exchange(&gateway->is_back, false);
    if (is_back) sc__routes_lose_all(gateway->routes);
    if (is_back || stood_still || !is_connected) {
        gateway->quiet_until = now + SC__BEATS_TO_LISTEN * gateway->beat_us;
        gateway->suspect_count = 0;
    }
    if (now < gateway->quiet_until) return false;
    const bool is_buried = bury_suspects(gateway, now);
    if (sc_roster_pass_time(gateway->roster, now) || is_buried) {
        sc__guests_sweep(&gateway->guests, gateway->roster);
        sc__routes_sweep(gateway->routes, gateway->roster);
    }
    return true;
}

// --- Placements ----------------------------------------------------------------------------

static void log_placement(const sc_gateway *gateway, const sc_placement *placement)
{
    sc_log_line line;
    if (!sc_log_begin(gateway->log, &line, SC_LOG_INFO, "placed")) return;
    uint64_t orphans = 0;
    for (uint32_t p = 0; p < placement->parts; p++) {
        orphans += placement->owners[p] == SC_PEER_NONE;
    }
    sc_log_count(&line, "epoch", placement->epoch);
    sc_log_count(&line, "parts", placement->parts);
    sc_log_count(&line, "without_worker", orphans);
    sc_log_text(&line, "by", placement->leader == gateway->identity.self ? "us" : "another");
    sc_log_end(&line);
}

/** Under `lock`: the placement that counts is another. */
static void apply_placement(sc_gateway *gateway)
{
    const sc_placement *placement = sc_placing_now(gateway->placing);
    log_placement(gateway, placement);
    sc__routes_place(gateway->routes, placement);
    // A new owner may have said already that it serves.
    for (size_t i = 0; i < sc_roster_count(gateway->roster); i++) {
        const sc_beat *beat = sc_roster_at(gateway->roster, i)->beat;
        if (beat->is_worker) (void)sc__routes_hear(gateway->routes, beat);
    }
}

/** As the leader: decide, and write down what is to be told. With each beat the placement is told
 * again: somebody may have come, or missed it. */
static void lead(sc_gateway *gateway, bool is_beat, sc_time now, sc_bytes *out)
{
    if (sc_roster_leader(gateway->roster, now) != gateway->identity.self) return;
    const bool is_new = sc_placing_decide(gateway->placing, gateway->roster, now);
    if (is_new) apply_placement(gateway);
    const sc_placement *placement = sc_placing_now(gateway->placing);
    if (!placement || !(is_new || is_beat)) return;
    // For want of memory it is told with the next beat.
    if (sc_placement_encode(placement, out)) out->size = 0;
}

// --- The look ------------------------------------------------------------------------------

/** Say that we are there; or, for the last time, that we leave. */
static void send_beat(sc_gateway *gateway, bool is_leaving)
{
    sc_beat *beat = sc_beat_new(0);
    if (!beat) return;
    beat->is_leaving = is_leaving;
    beat->open = sc_ledger_pending(gateway->ledger);
    pthread_mutex_lock(&gateway->lock);
    const sc_placement *placement = sc_placing_now(gateway->placing);
    beat->epoch = placement ? placement->epoch : 0;
    pthread_mutex_unlock(&gateway->lock);
    sc__beat_send(&gateway->identity, beat, gateway->wire);
    sc_beat_free(beat);
}

/** What the thread that beats does. */
static void look(void *context, bool is_beat)
{
    sc_gateway *gateway = context;
    const bool is_connected = sc_wire_stats_of(gateway->wire).is_connected;
    const sc_time now = sc_clock_us();
    sc_bytes placement = {0};
    pthread_mutex_lock(&gateway->lock);
    if (look_around(gateway, is_connected, now)) lead(gateway, is_beat, now, &placement);
    pthread_mutex_unlock(&gateway->lock);

    // Without a connection beats would only pile up and be old when they leave.
    if (is_beat && is_connected) send_beat(gateway, false);
    if (placement.size > 0) {
        (void)!sc_wire_send_placement(gateway->wire, placement.data, placement.size);
    }
    sc_bytes_fini(&placement);
    const size_t unsaid = sc__routes_take_unsaid(gateway->routes, gateway->unsaid, now);
    for (size_t i = 0; i < unsaid; i++) {
        sc_ledger_resend(gateway->ledger, gateway->unsaid[i]);
    }
}

/** How long a part is fresh after its queries were said anew: the ledger says them within a round,
 * and a worker has opened the part before. */
static const sc_time fresh_us = 2000000;

/** How long our goodbye may take. */
static const double goodbye_s = 1.0;

// --- Speaking ------------------------------------------------------------------------------

static sc_err try_to_send(sc_gateway *gateway, sc_peer to, const sc_word *word)
{
    sc_bytes bytes = {0};
    sc_err err = sc_word_encode(&gateway->codec, word, sc__calendar_offset_us(), &bytes);
    if (!err && to == SC_PEER_NONE) {
        err = sc_wire_send_part(gateway->wire, word->part, gateway->identity.self, bytes.data,
                                bytes.size);
    } else if (!err) {
        err = sc_wire_send_peer(gateway->wire, to, bytes.data, bytes.size);
    }
    sc__bytes_wipe(&bytes);
    return err;
}

static void send_word(sc_gateway *gateway, sc_peer to, sc_word *word)
{
    const sc_err err = try_to_send(gateway, to, word);
    // A reply larger than NATS takes: the other gateway asks the provider for the same cloak by
    // itself. Whatever else is lost is counted, and the protocol bears it.
    if (err != SC_ELIMIT || word->kind != SC_WORD_RESULT || word->result->reply_size == 0) return;
    word->result->reply_size = 0;
    (void)!try_to_send(gateway, to, word);
}

/** The ledger's voice. */
static void say(void *context, sc_peer to, sc_word *word)
{
    sc_gateway *gateway = context;
    if (to == gateway->identity.self) {
        sc_ledger_hear(gateway->ledger, word);
        return;
    }
    pthread_mutex_lock(&gateway->speech);
    // Who hears nothing any more must not promise anything: no ok. (And only that needs the
    // vocabulary, which is not ours after the stop.)
    const bool may = gateway->is_open && !(gateway->is_deaf && word->kind == SC_WORD_OK);
    if (may && (to != SC_PEER_NONE || sc__routes_needs(gateway->routes, word, sc_clock_us()))) {
        send_word(gateway, to, word);
    }
    pthread_mutex_unlock(&gateway->speech);
    sc_word_fini(word);
}

// --- Hearing: in a thread of the NATS library ------------------------------------------------

static void hear_word(void *context, const void *bytes, size_t size)
{
    sc_gateway *gateway = context;
    sc_word word;
    const sc_err err =
        sc_word_decode(&gateway->codec, bytes, size, sc__calendar_offset_us(), &word);
    if (!err) {
        sc_ledger_hear(gateway->ledger, &word);
    } else if (err != SC_ENOMEM) {
        sc__log_puzzle(gateway->log, &gateway->was_puzzled);
    }
}

static void hear_beat(void *context, const void *bytes, size_t size)
{
    sc_gateway *gateway = context;
    sc_beat *beat = NULL;
    const sc_err err = sc_beat_decode(0, bytes, size, &beat);
    if (err) {
        if (err != SC_ENOMEM) sc__log_puzzle(gateway->log, &gateway->was_puzzled);
        return;
    }
    const sc_peer who = beat->peer;
    const uint64_t number = beat->number;
    pthread_mutex_lock(&gateway->lock);
    bool is_news = sc_roster_hear(gateway->roster, beat, sc_clock_calendar_us(), sc_clock_us());
    const sc_roster_peer *peer = sc_roster_find(gateway->roster, who);
    // Unless it was passed over.
    if (peer && peer->beat->number == number) {
        sc__guests_meet(&gateway->guests, peer);
        is_news = sc__routes_hear(gateway->routes, peer->beat) || is_news;
    }
    pthread_mutex_unlock(&gateway->lock);
    if (is_news) sc__beating_nudge(&gateway->beating);
}

static void hear_placement(void *context, const void *bytes, size_t size)
{
    sc_gateway *gateway = context;
    sc_placement *placement = NULL;
    const sc_err err = sc_placement_decode(0, bytes, size, &placement);
    if (err) {
        if (err != SC_ENOMEM) sc__log_puzzle(gateway->log, &gateway->was_puzzled);
        return;
    }
    pthread_mutex_lock(&gateway->lock);
    const bool is_news = sc_placing_hear(gateway->placing, placement);
    if (is_news) apply_placement(gateway);
    pthread_mutex_unlock(&gateway->lock);
    if (is_news) sc__beating_nudge(&gateway->beating);
}

static void hear_nobody(void *context, uint32_t part)
{
    sc_gateway *gateway = context;
    const sc_peer worker = sc__routes_nobody(gateway->routes, part);
    if (worker != SC_PEER_NONE) suspect(gateway, worker);
}

static void hear_connected(void *context, bool is_connected)
{
    sc_gateway *gateway = context;
    sc__log_connected(gateway->log, is_connected);
    // At once, so that we do not seem ready when the connection is back and nothing is known yet;
    // and again when it is, since beats from before may have been heard in between.
    sc__routes_lose_all(gateway->routes);
    if (is_connected) atomic_store(&gateway->is_back, true);
    sc__beating_nudge(&gateway->beating);
}

static void hear_given_up(void *context)
{
    const sc_gateway *gateway = context;
    sc__log_given_up(gateway->log);
    if (gateway->given_up) gateway->given_up(gateway->given_up_context);
}

// --- Its life ------------------------------------------------------------------------------

static sc_err check(const sc_gateway_options *options, sc_diag *diag)
{
    // Written so that NaN is refused, too.
    if (!(options->beat_s >= 0.001 && options->beat_s <= 3600)) {
        return sc_fail(diag, SC_EINVAL, "a gateway's beat must take 0.001 s to an hour");
    }
    if (!(options->uneven >= 1 && options->uneven <= 1e6)) {
        return sc_fail(diag, SC_EINVAL, "what is uneven must be at least 1 times the mean");
    }
    if (!(options->repack_s >= 0 && options->repack_s <= 1e9) ||
        !(options->guard_s >= 0 && options->guard_s <= 1e9)) {
        return sc_fail(diag, SC_EINVAL, "the times of a gateway must be 0 s or more");
    }
    return SC_OK;
}

static sc_err make_parts(sc_gateway *gateway, const sc_gateway_options *options)
{
    const uint64_t cut = sc_partition_checksum(options->cut);
    sc_err err = sc__routes_new(gateway->parts, fresh_us, &gateway->routes);
    if (!err) err = sc_roster_new(cut, gateway->beat_us, sc_clock_us(), &gateway->roster);
    const sc_placing_options placing = {
        .self = gateway->identity.self,
        .cut = cut,
        .parts = gateway->parts,
        .beat_us = gateway->beat_us,
        .uneven = options->uneven,
        .patience_us = sc_seconds(options->repack_s),
    };
    if (!err) err = sc_placing_new(&placing, &gateway->placing);
    gateway->unsaid = sc_malloc_array(gateway->parts, sizeof *gateway->unsaid);
    return err || gateway->unsaid ? err : SC_ENOMEM;
}

sc_err sc_gateway_new(const sc_gateway_options *options, sc_gateway **out, sc_diag *diag)
{
    sc_err err = check(options, diag);
    if (err) return err;
    sc_gateway *gateway = sc_calloc(1, sizeof *gateway);
    if (!gateway) return sc_fail_memory(diag, "joining a cluster");
    gateway->parts = sc_partition_part_count(options->cut);
    gateway->beat_us = sc_seconds(options->beat_s);
    gateway->log = options->log;
    gateway->given_up = options->given_up;
    gateway->given_up_context = options->context;
    gateway->voice = (sc_voice){.say = say, .context = gateway};
    gateway->codec =
        (sc_cluster_codec){.map = sc_partition_map(options->cut), .parts = gateway->parts};
    gateway->guests = (sc__guests){.log = options->log, .guard_us = sc_seconds(options->guard_s)};
    pthread_mutex_init(&gateway->speech, NULL);
    pthread_mutex_init(&gateway->lock, NULL);
    sc__beating_init(&gateway->beating, gateway->beat_us, look, gateway);

    err = sc__identity_init(&gateway->identity, options->name, sc_partition_checksum(options->cut),
                            false, diag);
    if (!err) {
        err = make_parts(gateway, options);
        if (err) sc_fail_memory(diag, "joining a cluster");
    }
    if (!err) {
        sc_wire_options wire = options->wire;
        wire.cut = gateway->identity.cut;
        wire.connected = hear_connected;
        wire.given_up = hear_given_up;
        wire.context = gateway;
        err = sc_wire_new(&wire, &gateway->wire, diag);
    }
    if (err) {
        sc_gateway_free(gateway);
        return err;
    }
    *out = gateway;
    return SC_OK;
}

sc_peer sc_gateway_self(const sc_gateway *gateway)
{
    return gateway->identity.self;
}

const sc_voice *sc_gateway_voice(const sc_gateway *gateway)
{
    return &gateway->voice;
}

static void open_mouth(sc_gateway *gateway, bool is_open, bool is_deaf)
{
    pthread_mutex_lock(&gateway->speech);
    gateway->is_open = is_open;
    gateway->is_deaf = is_deaf;
    pthread_mutex_unlock(&gateway->speech);
}

static void deafen(sc_gateway *gateway)
{
    for (size_t i = 0; i < SC__GATEWAY_EARS; i++) {
        sc_wire_deafen(gateway->ears[i]);
        gateway->ears[i] = NULL;
    }
}

sc_err sc_gateway_start(sc_gateway *gateway, sc_ledger *ledger, const sc_vocabulary *vocabulary,
                        sc_diag *diag)
{
    gateway->ledger = ledger;
    gateway->codec.vocabulary = vocabulary;
    gateway->last_look = sc_clock_us();
    gateway->quiet_until = gateway->last_look + SC__BEATS_TO_LISTEN * gateway->beat_us;

    sc_wire *wire = gateway->wire;
    const sc_peer self = gateway->identity.self;
    sc_err err = sc_wire_begin(wire, diag);
    if (err) return err;
    err = sc_wire_listen_peer(wire, self, hear_word, gateway, &gateway->ears[0], diag);
    if (!err) err = sc_wire_listen_void(wire, self, hear_nobody, gateway, &gateway->ears[1], diag);
    if (!err)
        err = sc_wire_listen_placements(wire, hear_placement, gateway, &gateway->ears[2], diag);
    if (!err) err = sc_wire_listen_beats(wire, hear_beat, gateway, &gateway->ears[3], diag);
    if (!err) {
        open_mouth(gateway, true, false);
        err = sc__beating_start(&gateway->beating);
        if (err) sc_fail(diag, err, "no thread for a gateway's beats");
    }
    if (err) {
        open_mouth(gateway, false, false);
        deafen(gateway);
    }
    return err;
}

bool sc_gateway_is_ready(sc_gateway *gateway)
{
    return sc_wire_stats_of(gateway->wire).is_connected && sc__routes_are_whole(gateway->routes);
}

sc_cluster_view *sc_gateway_view(sc_gateway *gateway)
{
    const sc_wire_stats wire = sc_wire_stats_of(gateway->wire);
    pthread_mutex_lock(&gateway->lock);
    sc_cluster_view *view =
        sc_cluster_view_new(gateway->roster, sc_placing_now(gateway->placing), gateway->parts,
                            gateway->identity.self, sc_clock_us());
    const sc_placing_stats placing = sc_placing_stats_of(gateway->placing);
    const uint64_t strangers = sc_roster_strangers(gateway->roster);
    pthread_mutex_unlock(&gateway->lock);
    if (!view) return NULL;
    view->wire = wire;
    view->cut = gateway->identity.cut;
    view->placements = placing.placements;
    view->moved = placing.moved;
    view->strangers = strangers;
    view->beat_s = (double)gateway->beat_us * 1e-6;
    return view;
}

void sc_gateway_stop(sc_gateway *gateway)
{
    if (!gateway->beating.is_started) return;
    sc__beating_end(&gateway->beating);
    deafen(gateway);
    open_mouth(gateway, true, true);
    send_beat(gateway, true);
    // So that others lead and serve at once; if it does not arrive, they miss us soon.
    (void)!sc_wire_flush(gateway->wire, goodbye_s);
}

void sc_gateway_free(sc_gateway *gateway)
{
    if (!gateway) return;
    sc_gateway_stop(gateway);
    sc_wire_free(gateway->wire);
    sc__beating_fini(&gateway->beating);
    sc__guests_fini(&gateway->guests);
    sc_placing_free(gateway->placing);
    sc_roster_free(gateway->roster);
    sc__routes_free(gateway->routes);
    sc_free(gateway->unsaid);
    pthread_mutex_destroy(&gateway->lock);
    pthread_mutex_destroy(&gateway->speech);
    sc_free(gateway);
}
