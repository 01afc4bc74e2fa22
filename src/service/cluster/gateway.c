// A gateway's place in the cluster. See gateway.h; gateway_look.c has what its thread looks after.
//
// Three kinds of threads come here: the ledger's, which speaks; those of the NATS library, which
// hear; and the one that looks. The first two never wait for more than a lock that is held briefly.
//
// Locks are taken in the order `speech`, `lock`, then those of routes and beating.
#include "cluster/gateway_internal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"

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
    if (is_news) sc__gateway_placed(gateway);
    pthread_mutex_unlock(&gateway->lock);
    if (is_news) sc__beating_nudge(&gateway->beating);
}

static void hear_nobody(void *context, uint32_t part)
{
    sc_gateway *gateway = context;
    const sc_peer worker = sc__routes_nobody(gateway->routes, part);
    if (worker != SC_PEER_NONE) sc__gateway_suspect(gateway, worker);
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
    const uint64_t cut = sc_cut_checksum(options->cut);
    sc_err err = sc__routes_new(gateway->parts, fresh_us, &gateway->routes);
    if (!err) err = sc_roster_new(cut, gateway->beat_us, sc_clock_us(), &gateway->roster);
    const sc_placing_options placing = {
        .self = gateway->identity.self,
        .cut = cut,
        .parts = gateway->parts,
        .beat_us = gateway->beat_us,
        .uneven = options->uneven,
        .patience_us = sc_time_from_seconds(options->repack_s),
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
    gateway->parts = sc_cut_parts(options->cut);
    gateway->beat_us = sc_time_from_seconds(options->beat_s);
    gateway->log = options->log;
    gateway->given_up = options->given_up;
    gateway->given_up_context = options->context;
    gateway->voice = (sc_voice){.say = say, .context = gateway};
    gateway->codec = (sc_cluster_codec){.map = sc_cut_map(options->cut), .parts = gateway->parts};
    gateway->guests =
        (sc__guests){.log = options->log, .guard_us = sc_time_from_seconds(options->guard_s)};
    pthread_mutex_init(&gateway->speech, NULL);
    pthread_mutex_init(&gateway->lock, NULL);
    sc__beating_init(&gateway->beating, gateway->beat_us, sc__gateway_look, gateway);

    err = sc__identity_init(&gateway->identity, options->name, sc_cut_checksum(options->cut), false,
                            diag);
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
    sc__gateway_beat(gateway, true);
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
