// A worker: engine threads, and their place in the cluster.
//
// Threads: those of the NATS library bring messages to the engines and placements to the worker;
// the engines' threads send; one thread sends heartbeats, and it alone opens and closes parts,
// since subscribing and waiting for the servers may take a while.
//
// When NATS was away, messages in both directions may have been lost unnoticed. So after that a
// worker lists none of its parts in one heartbeat, and all of them in the next: gateways then send
// their queries again.
#include "cluster/worker.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "cluster/heartbeat.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

// --- Parts --------------------------------------------------------------------------------------
// A part is opened in the engines, subscribed to at NATS, listed in heartbeats:
//
//     wanted --engines--> open --subscribed--> subscribed --servers know--> listed
//
// and back in one step: first it is unsubscribed, then closed. Only listed parts are promised to
// gateways. A step that fails is tried again with the next heartbeat. One thread: the one that
// sends heartbeats.

/** How long servers may take to say that they know of our subscriptions. Nobody beats meanwhile, so
 * it is less than the time after which we would be missed. */
static const double flush_s = 0.5;

typedef struct part_state {
    bool is_wanted;
    bool is_open;      ///< the crew was told
    sc_wire_ear *ear;  ///< NULL: not heard
    bool is_listed;
} part_state;

typedef struct worker_parts {
    sc_crew *crew;
    sc_wire *wire;
    sc_wire_hear *hear;
    void *context;
    uint32_t count;   ///< of the cut
    uint32_t listed;  ///< how many are
    part_state *of;
    uint16_t *list;       ///< room for all
    sc_part_load *loads;  ///< as well
} worker_parts;

/** Hears nothing any more; the crew is left as it is. NULL is fine. */
static void worker_parts_free(worker_parts *parts)
{
    if (!parts) return;
    for (uint32_t p = 0; parts->of && p < parts->count; p++) {
        sc_wire_deafen(parts->of[p].ear);
    }
    sc_free(parts->of);
    sc_free(parts->list);
    sc_free(parts->loads);
    sc_free(parts);
}

/** @param hear, context  for words that come by a part's subject @param wire, crew  borrowed */
static sc_err worker_parts_new(uint32_t parts, sc_crew *crew, sc_wire *wire, sc_wire_hear *hear,
                               void *context, worker_parts **out)
{
    worker_parts *made = sc_calloc(1, sizeof *made);
    if (!made) return SC_ENOMEM;
    made->crew = crew;
    made->wire = wire;
    made->hear = hear;
    made->context = context;
    made->count = parts;
    made->of = sc_calloc(parts, sizeof *made->of);
    made->list = sc_malloc_array(parts, sizeof *made->list);
    made->loads = sc_malloc_array(parts, sizeof *made->loads);
    if (!made->of || !made->list || !made->loads) {
        worker_parts_free(made);
        return SC_ENOMEM;
    }
    *out = made;
    return SC_OK;
}

// --- Following a placement -----------------------------------------------------------------

/** Stop hearing what is not wanted; returns whether the crew must be told of other parts. */
static bool close_ears(worker_parts *parts)
{
    bool is_other = false;
    for (uint32_t p = 0; p < parts->count; p++) {
        part_state *s = &parts->of[p];
        is_other = is_other || s->is_wanted != s->is_open;
        if (s->is_wanted) continue;
        sc_wire_deafen(s->ear);
        s->ear = NULL;
        s->is_listed = false;
    }
    return is_other;
}

static bool tell_crew(worker_parts *parts)
{
    size_t count = 0;
    for (uint32_t p = 0; p < parts->count; p++) {
        if (parts->of[p].is_wanted) parts->list[count++] = (uint16_t)p;
    }
    if (sc_crew_set_parts(parts->crew, parts->list, count)) return false;
    for (uint32_t p = 0; p < parts->count; p++) {
        parts->of[p].is_open = parts->of[p].is_wanted;
    }
    return true;
}

/** Hear all that is open, and list it once the servers know. */
static void open_ears(worker_parts *parts)
{
    bool has_news = false;
    for (uint32_t p = 0; p < parts->count; p++) {
        part_state *s = &parts->of[p];
        if (!s->is_open || s->is_listed) continue;
        has_news = true;
        if (s->ear) continue;
        if (sc_wire_listen_part(parts->wire, p, parts->hear, parts->context, &s->ear, NULL)) return;
    }
    if (!has_news || !sc_wire_stats_of(parts->wire).is_connected) return;
    if (sc_wire_flush(parts->wire, flush_s)) return;
    for (uint32_t p = 0; p < parts->count; p++) {
        parts->of[p].is_listed = parts->of[p].ear != NULL;
    }
}

static uint32_t count_listed(const worker_parts *parts)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < parts->count; p++) {
        count += parts->of[p].is_listed;
    }
    return count;
}

/** Have the parts that `self` owns by this placement, as far as it goes at this moment. Returns
 * whether other parts are listed than before. */
static bool worker_parts_follow(worker_parts *parts, const sc_placement *placement, sc_peer self)
{
    for (uint32_t p = 0; p < parts->count; p++) {
        parts->of[p].is_wanted = placement && placement->owners[p] == self;
    }
    const uint32_t before = parts->listed;
    const bool is_other = close_ears(parts);
    if (!is_other || tell_crew(parts)) open_ears(parts);
    parts->listed = count_listed(parts);
    return is_other || parts->listed != before;
}

/** List nothing until the servers are known to know of us again. */
static void worker_parts_unlist(worker_parts *parts)
{
    for (uint32_t p = 0; p < parts->count; p++) {
        parts->of[p].is_listed = false;
    }
    parts->listed = 0;
}

// --- What there is to tell -----------------------------------------------------------------

/** How many there are, heard or not. */
static uint32_t worker_parts_count(const worker_parts *parts)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < parts->count; p++) {
        count += parts->of[p].is_open || parts->of[p].ear;
    }
    return count;
}

/** A beat with those that are listed, and with what the crew has done; NULL if memory is out. */
static sc_beat *worker_parts_beat(worker_parts *parts)
{
    sc_beat *beat = sc_beat_new(parts->listed);
    if (!beat) return NULL;
    beat->crew = sc_crew_stats_of(parts->crew, parts->loads);
    size_t count = 0;
    for (uint32_t p = 0; p < parts->count; p++) {
        beat->open += parts->loads[p].pending + (uint64_t)parts->loads[p].held;
        if (!parts->of[p].is_listed) continue;
        beat->parts[count++] = (sc_beat_part){.part = p, .load = parts->loads[p]};
    }
    return beat;
}

// --- The worker ---------------------------------------------------------------------------------

struct sc_worker {
    // Read-only once it is made.
    uint32_t parts;
    uint32_t threads;
    sc_time beat_us;
    sc_log *log;
    void (*given_up)(void *context);
    void *given_up_context;
    sc_wire *wire;
    sc_crew *crew;
    sc_cluster_codec codec;
    sc_wire_ear *ear;  ///< for words to us
    sc_wire_ear *placements;

    // Any thread.
    sc__beating beating;
    atomic_bool is_back;  ///< NATS was away and is here again
    atomic_bool was_puzzled;
    atomic_bool is_stranger;  ///< placements are of another cut, and it was said

    // The thread that looks.
    sc__identity identity;
    worker_parts *mine;
    bool has_said_goodbye;

    // Under `lock`.
    pthread_mutex_t lock;
    sc_placement *placement;  ///< the newest; NULL: none yet
    sc_time heard;            ///< when somebody last told one: who leads does so with every beat
    bool is_leaving;
    uint32_t part_count;
};

// --- Words ---------------------------------------------------------------------------------

/** The crew's voice; in the rooms' threads. */
static void say(void *context, sc_peer to, sc_word *word)
{
    sc_worker *worker = context;
    sc_bytes bytes = {0};
    if (!sc_word_encode(&worker->codec, word, sc__calendar_offset_us(), &bytes)) {
        // What is lost is counted there; the protocol bears it.
        (void)!sc_wire_send_peer(worker->wire, to, bytes.data, bytes.size);
    }
    sc__bytes_wipe(&bytes);
    sc_word_fini(word);
}

static void hear_word(void *context, const void *bytes, size_t size)
{
    sc_worker *worker = context;
    sc_word word;
    const sc_err err = sc_word_decode(&worker->codec, bytes, size, sc__calendar_offset_us(), &word);
    if (!err) {
        sc_crew_hear(worker->crew, &word);
    } else if (err != SC_ENOMEM) {
        sc__log_puzzle(worker->log, &worker->was_puzzled);
    }
}

// --- Placements ----------------------------------------------------------------------------

static void refuse_placement(sc_worker *worker)
{
    if (atomic_exchange(&worker->is_stranger, true)) return;
    sc_log_message(worker->log, SC_LOG_ERROR, "another_cut",
                   "the gateways of this cluster have another map or cut than this worker: it gets "
                   "no parts; give all of them the same files");
}

static void hear_placement(void *context, const void *bytes, size_t size)
{
    sc_worker *worker = context;
    sc_placement *placement = NULL;
    const sc_err err = sc_placement_decode(0, bytes, size, &placement);
    if (err) {
        if (err != SC_ENOMEM) sc__log_puzzle(worker->log, &worker->was_puzzled);
        return;
    }
    if (placement->cut != worker->identity.cut || placement->parts != worker->parts) {
        sc_placement_free(placement);
        refuse_placement(worker);
        return;
    }
    pthread_mutex_lock(&worker->lock);
    worker->heard = sc_clock_us();
    const bool is_news = sc_placement_is_newer(placement, worker->placement);
    if (is_news) {
        sc_placement *old = worker->placement;
        worker->placement = placement;
        placement = old;
    }
    pthread_mutex_unlock(&worker->lock);
    sc_placement_free(placement);
    if (is_news) sc__beating_nudge(&worker->beating);
}

static void hear_connected(void *context, bool is_connected)
{
    sc_worker *worker = context;
    sc__log_connected(worker->log, is_connected);
    if (is_connected) atomic_store(&worker->is_back, true);
    sc__beating_nudge(&worker->beating);
}

static void hear_given_up(void *context)
{
    const sc_worker *worker = context;
    sc__log_given_up(worker->log);
    if (worker->given_up) worker->given_up(worker->given_up_context);
}

// --- Looking -------------------------------------------------------------------------------

static void log_parts(const sc_worker *worker, uint64_t epoch, uint32_t count)
{
    sc_log_line line;
    if (!sc_log_begin(worker->log, &line, SC_LOG_INFO, "parts")) return;
    sc_log_count(&line, "epoch", epoch);
    sc_log_count(&line, "parts", count);
    sc_log_end(&line);
}

static void send_beat(sc_worker *worker, uint64_t epoch, bool is_leaving)
{
    sc_beat *beat = worker_parts_beat(worker->mine);
    if (!beat) return;
    beat->epoch = epoch;
    beat->threads = worker->threads;
    beat->is_leaving = is_leaving;
    sc__beat_send(&worker->identity, beat, worker->wire);
    sc_beat_free(beat);
}

static void look(void *context, bool is_beat)
{
    sc_worker *worker = context;
    pthread_mutex_lock(&worker->lock);
    const bool is_leaving = worker->is_leaving;
    sc_placement *placement = worker->placement ? sc_placement_clone(worker->placement) : NULL;
    const bool is_known = placement || !worker->placement;
    pthread_mutex_unlock(&worker->lock);
    if (!is_known) return;  // memory is out: better silent than wrong

    const uint64_t epoch = placement ? placement->epoch : 0;
    if (atomic_exchange(&worker->is_back, false)) {
        worker_parts_unlist(worker->mine);
        send_beat(worker, epoch, is_leaving);
    }
    const bool has_changed = worker_parts_follow(worker->mine, placement, worker->identity.self);
    sc_placement_free(placement);
    const uint32_t count = worker_parts_count(worker->mine);
    if (has_changed) log_parts(worker, epoch, count);
    pthread_mutex_lock(&worker->lock);
    worker->part_count = count;
    pthread_mutex_unlock(&worker->lock);

    const bool is_goodbye = is_leaving && !worker->has_said_goodbye;
    worker->has_said_goodbye = is_leaving;
    // Without a connection beats would only pile up and be old when they leave.
    if ((is_beat || has_changed || is_goodbye) && sc_wire_stats_of(worker->wire).is_connected) {
        send_beat(worker, epoch, is_leaving);
    }
}

// --- Its life ------------------------------------------------------------------------------

static sc_err make_crew(sc_worker *worker, const sc_map *map, const sc_worker_options *options,
                        sc_diag *diag)
{
    sc_rng *rng = NULL;
    sc_err err = sc_rng_new_secure(&rng);
    if (err) return sc_fail(diag, err, "no randomness for a worker");
    sc_crew_options crew = options->crew;
    crew.self = worker->identity.self;
    crew.voice = (sc_voice){.say = say, .context = worker};
    err = sc_crew_new(map, &crew, rng, &worker->crew, diag);
    sc_rng_free(rng);
    if (err) return err;
    err = worker_parts_new(worker->parts, worker->crew, worker->wire, hear_word, worker,
                           &worker->mine);
    return err ? sc_fail_memory(diag, "making room for parts") : SC_OK;
}

static sc_err join_cluster(sc_worker *worker, sc_diag *diag)
{
    sc_err err = sc_wire_listen_peer(worker->wire, worker->identity.self, hear_word, worker,
                                     &worker->ear, diag);
    if (!err) {
        err = sc_wire_listen_placements(worker->wire, hear_placement, worker, &worker->placements,
                                        diag);
    }
    if (err) return err;
    err = sc__beating_start(&worker->beating);
    return err ? sc_fail(diag, err, "no thread for a worker's beats") : SC_OK;
}

sc_err sc_worker_new(const sc_map *map, const sc_worker_options *options, sc_worker **out,
                     sc_diag *diag)
{
    if (!(options->beat_s >= 0.001 && options->beat_s <= 3600)) {
        return sc_fail(diag, SC_EINVAL, "a worker's beat must take 0.001 s to an hour");
    }
    const sc_partition *cut = options->crew.cut;
    if (!cut) return sc_fail(diag, SC_EINVAL, "a worker needs a cut");
    sc_worker *worker = sc_calloc(1, sizeof *worker);
    if (!worker) return sc_fail_memory(diag, "joining a cluster");
    worker->parts = sc_partition_part_count(cut);
    worker->threads = options->crew.rooms;
    worker->beat_us = sc_seconds(options->beat_s);
    worker->log = options->log;
    worker->given_up = options->given_up;
    worker->given_up_context = options->context;
    worker->codec = (sc_cluster_codec){.map = map, .parts = worker->parts};
    pthread_mutex_init(&worker->lock, NULL);
    sc__beating_init(&worker->beating, worker->beat_us, look, worker);

    sc_err err =
        sc__identity_init(&worker->identity, options->name, sc_partition_checksum(cut), true, diag);
    if (!err) {
        err = sc_cluster_words_new(&worker->codec.words);
        if (err) sc_fail_memory(diag, "joining a cluster");
    }
    if (!err) {
        sc_wire_options wire = options->wire;
        wire.cut = worker->identity.cut;
        wire.connected = hear_connected;
        wire.given_up = hear_given_up;
        wire.context = worker;
        err = sc_wire_new(&wire, &worker->wire, diag);
    }
    if (!err) err = make_crew(worker, map, options, diag);
    if (err) {
        sc_worker_free(worker);
        return err;
    }
    *out = worker;
    return SC_OK;
}

sc_err sc_worker_start(sc_worker *worker, sc_diag *diag)
{
    sc_err err = sc_wire_begin(worker->wire, diag);
    if (err) return err;
    err = sc_crew_start(worker->crew);
    if (err) return sc_fail(diag, err, "no threads for engines");
    return join_cluster(worker, diag);
}

/** Whether nobody leads who could give its parts to others: then waiting is in vain. */
static bool is_alone(sc_worker *worker, sc_time since)
{
    pthread_mutex_lock(&worker->lock);
    const sc_time heard = worker->heard > since ? worker->heard : since;
    pthread_mutex_unlock(&worker->lock);
    // The next leader may need as long to find out that it is the one.
    return sc_clock_us() - heard > worker->beat_us * 2 * SC__BEATS_TO_LISTEN;
}

size_t sc_worker_drain(sc_worker *worker, double seconds)
{
    pthread_mutex_lock(&worker->lock);
    worker->is_leaving = true;
    pthread_mutex_unlock(&worker->lock);
    sc__beating_nudge(&worker->beating);

    // A look now and then is enough: this happens once in a worker's life.
    const struct timespec nap = {.tv_nsec = 10000000};
    const sc_time begun = sc_clock_us();
    const sc_time until = begun + sc_seconds(seconds);
    while (sc_clock_us() < until && !is_alone(worker, begun)) {
        if (sc_worker_part_count(worker) == 0 && sc_worker_stats(worker).bids_under_way == 0) break;
        (void)nanosleep(&nap, NULL);
    }
    return sc_worker_part_count(worker);
}

sc_crew_stats sc_worker_stats(sc_worker *worker)
{
    return sc_crew_stats_of(worker->crew, NULL);
}

uint32_t sc_worker_part_count(sc_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    const uint32_t count = worker->part_count;
    pthread_mutex_unlock(&worker->lock);
    return count;
}

void sc_worker_free(sc_worker *worker)
{
    if (!worker) return;
    // Nobody may speak to what is gone: first who looks and who hears, then the crew, which still
    // speaks, then the wire.
    sc__beating_end(&worker->beating);
    sc_wire_deafen(worker->placements);
    sc_wire_deafen(worker->ear);
    worker_parts_free(worker->mine);
    sc_crew_free(worker->crew);
    sc_wire_free(worker->wire);
    sc__beating_fini(&worker->beating);
    sc_placement_free(worker->placement);
    sc_cluster_words_free(worker->codec.words);
    pthread_mutex_destroy(&worker->lock);
    sc_free(worker);
}
