// A worker: a crew, and its place in the cluster. See worker.h; worker_parts.c has its parts.
//
// Threads: those of the NATS library bring words to the crew and placements to us; the crew's rooms
// speak; one thread looks, which alone opens and closes parts, since subscribing and waiting for
// the servers may take a while.
//
// When NATS was away, words may have been lost without anybody knowing, those to us and those from
// us. So after that a worker lists none of its parts in one beat, and all of them in the next: that
// is how gateways know that they should say their queries anew.
#include "cluster/worker.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "cluster/beating.h"
#include "cluster/worker_parts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

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
    sc__worker_parts *mine;
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
    sc_beat *beat = sc__worker_parts_beat(worker->mine);
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
        sc__worker_parts_unlist(worker->mine);
        send_beat(worker, epoch, is_leaving);
    }
    const bool has_changed =
        sc__worker_parts_follow(worker->mine, placement, worker->identity.self);
    sc_placement_free(placement);
    const uint32_t count = sc__worker_parts_count(worker->mine);
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
    err = sc__worker_parts_new(worker->parts, worker->crew, worker->wire, hear_word, worker,
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
    const sc_cut *cut = options->crew.cut;
    if (!cut) return sc_fail(diag, SC_EINVAL, "a worker needs a cut");
    sc_worker *worker = sc_calloc(1, sizeof *worker);
    if (!worker) return sc_fail_memory(diag, "joining a cluster");
    worker->parts = sc_cut_parts(cut);
    worker->threads = options->crew.rooms;
    worker->beat_us = sc_time_from_seconds(options->beat_s);
    worker->log = options->log;
    worker->given_up = options->given_up;
    worker->given_up_context = options->context;
    worker->codec = (sc_cluster_codec){.map = map, .parts = worker->parts};
    pthread_mutex_init(&worker->lock, NULL);
    sc__beating_init(&worker->beating, worker->beat_us, look, worker);

    sc_err err =
        sc__identity_init(&worker->identity, options->name, sc_cut_checksum(cut), true, diag);
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
    const sc_time until = begun + sc_time_from_seconds(seconds);
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
    sc__worker_parts_free(worker->mine);
    sc_crew_free(worker->crew);
    sc_wire_free(worker->wire);
    sc__beating_fini(&worker->beating);
    sc_placement_free(worker->placement);
    sc_cluster_words_free(worker->codec.words);
    pthread_mutex_destroy(&worker->lock);
    sc_free(worker);
}
