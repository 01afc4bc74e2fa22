// /demo/methods: the travellers' questions, cloaked by StarCloak, XStar and network expansion side
// by side. docs/ui.md has the words; method_comparison.c does the work.
//
//     the thread that asks      --handover-->  this thread: engines, counts, events
//     this thread               --attacks-->   the attack thread, one cloak at a time, and back
//
// This thread works in rounds, some in a second, so that the work of a round is done at once. Since
// engines go by the time of questions, a round that is late changes nothing of what is found.
//
// Invariants:
//  1. Without a listener there are no engines, and no question is kept.
//  2. At most one attack is under way, and four times the processor's time that it took passes
//     before the next: attacks take a fifth of a processor at most, however busy the machine is.
//  3. The true segments of an attacked cloak's members stay in this thread: the adversary is given
//     what a provider sees, and what the members asked for.
#include "demo/demo_internal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/handover.h"
#include "base/thread.h"
#include "demo/attack_on_demand.h"

#include <errno.h>
#include <string.h>

#define SECOND_US INT64_C(1000000)

/** Between two rounds. */
#define ROUND_US (SECOND_US / 10)

/** How long the engines stay after the last listener: a page that is loaded again finds them. */
#define LINGER_US (5 * SECOND_US)

/** Between two attacks, at least; of all methods together. */
#define ATTACK_EVERY_US (SECOND_US / 3)

/** And so many times what the last one took of a processor. */
enum { ATTACK_REST = 4 };

/** The method that was attacked the longest ago is waited for so long; then any may be attacked. */
#define ATTACK_TURN_US SECOND_US

/** A quarter of those on demand: what is shown is an average over many cloaks. */
enum { ATTACK_SAMPLES = 1024 };

/** Questions between two rounds: half a minute of 3,000 travellers. */
enum { QUESTIONS_MAX = 4096, QUESTIONS_AT_ONCE = 64 };

/** The attack that is under way. */
typedef struct attack_state {
    sc_attack_request *request;  ///< NULL: none is
    size_t method;
    bool is_void;                                     ///< the engine whose cloak it is has gone
    sc_seg_id truths[SC_ATTACK_REQUEST_MEMBERS_MAX];  ///< where its members are
    size_t truth_count;
} attack_state;

struct sc__methods {
    sc_demo *demo;
    sc_event_stream *listeners;
    sc_handover *questions;           ///< of sc_query, whose `owner` is when it was asked
    atomic_bool is_taking;            ///< questions are wanted
    atomic_uint_fast64_t not_handed;  ///< since the engines started: there was no room
    sc_attack_thread *attacker;
    pthread_t thread;
    bool is_started;

    pthread_mutex_t lock;
    pthread_cond_t has_changed;  ///< a listener, or is_stopping
    // Under the lock.
    bool is_ready;  ///< the thread has the priority that it keeps
    bool is_stopping;
    bool is_running;             ///< there are engines, and `hello` is about them
    sc__methods_hello hello;     ///< only its thread changes it, and reads it without the lock
    sc_attack_request *settled;  ///< an attack that has come back
    int64_t used_us;             ///< of a processor by the attack thread, in all

    // The thread's.
    sc_rng *rng;
    sc_comparison *comparison;                 ///< NULL: there is none
    sc_variant starcloak;                      ///< the engine of StarCloak's in it
    int64_t second_us;                         ///< when the next second begins
    unsigned told[SC_COMPARISON_METHODS_MAX];  ///< cloaks, in this second
    uint64_t numbers[SC_VARIANT_COUNT];        ///< of cloaks, in the life of the demo
    attack_state attack;
    int64_t attack_due_us;
    int64_t attacks_used_us;  ///< `used_us` when the last attack had come back
    int64_t attacked_us[SC_COMPARISON_METHODS_MAX];  ///< when each was, last
    sc_bytes words;
};

// --- Events --------------------------------------------------------------------------------------

/** What cannot be told for want of memory is missing on a screen, and nowhere else. */
static void send_words(sc__methods *methods, bool fits)
{
    if (fits) sc_event_stream_send(methods->listeners, methods->words.data, methods->words.size);
    methods->words.size = 0;
}

// --- Questions, in the thread that asks ----------------------------------------------------------

void sc__methods_ask(sc__methods *methods, const sc__waiting *waiting)
{
    if (!atomic_load(&methods->is_taking)) return;
    const sc_profile *profile = &waiting->profile;
    sc_query query = {
        .user = (uint64_t)waiting->who + 1,
        .deadline = waiting->asked_us + profile->max_wait_us,
        .segment = waiting->segment,
        .k = profile->k,
        .l = profile->l,
        .max_hops = profile->max_hops,
        .result_size = waiting->nearest,
        .owner = (uint64_t)waiting->asked_us,
    };
    memcpy(query.id.bytes, &waiting->number, sizeof waiting->number);
    if (!sc_handover_put(methods->questions, &query)) atomic_fetch_add(&methods->not_handed, 1);
    explicit_bzero(&query, sizeof query);
}

/** Take what was asked, oldest first; returns how many. */
static size_t take_questions(sc__methods *methods, sc_query out[QUESTIONS_AT_ONCE])
{
    return sc_handover_take(methods->questions, out, QUESTIONS_AT_ONCE);
}

static void forget_questions(sc__methods *methods)
{
    sc_query queries[QUESTIONS_AT_ONCE];
    while (take_questions(methods, queries) > 0) {
    }
    explicit_bzero(queries, sizeof queries);
}

// --- Attacks -------------------------------------------------------------------------------------

/** In the attack thread. */
static void take_back(void *context, sc_attack_request *attack)
{
    sc__methods *methods = context;
    struct timespec used = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    pthread_mutex_lock(&methods->lock);
    methods->settled = attack;
    methods->used_us = (int64_t)used.tv_sec * SECOND_US + used.tv_nsec / 1000;
    pthread_mutex_unlock(&methods->lock);
}

static bool is_turn(const sc__methods *methods, size_t method)
{
    for (size_t i = 0; i < methods->hello.count; i++) {
        if (methods->attacked_us[i] < methods->attacked_us[method]) return false;
    }
    return true;
}

static bool is_attack_due(const sc__methods *methods, const sc_compared_cloak *found)
{
    const sc_cloak *cloak = found->cloak;
    if (methods->attack.request || cloak->segment_count > SC_ATTACK_REQUEST_SEGMENTS_MAX ||
        cloak->member_count > SC_ATTACK_REQUEST_MEMBERS_MAX) {
        return false;
    }
    const int64_t now_us = sc_clock_us();
    return now_us >= methods->attack_due_us &&
           (is_turn(methods, found->method) || now_us >= methods->attack_due_us + ATTACK_TURN_US);
}

/** What an adversary can see of a cloak; NULL if memory is out. */
static sc_attack_request *sight(const sc_compared_cloak *found)
{
    const sc_cloak *cloak = found->cloak;
    sc_attack_request *request = sc_attack_request_new();
    if (!request) return NULL;
    request->method = found->variant;
    request->segments = sc_malloc_array(cloak->segment_count, sizeof *request->segments);
    request->members = sc_malloc_array(cloak->member_count, sizeof *request->members);
    if (!request->segments || !request->members) {
        sc_attack_request_free(request);
        return NULL;
    }
    memcpy(request->segments, cloak->segments, cloak->segment_count * sizeof *request->segments);
    request->segment_count = cloak->segment_count;
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_query *query = &cloak->members[i].query;
        request->members[i] = (sc_needs){query->k, query->l, query->max_hops, query->result_size};
    }
    request->member_count = cloak->member_count;
    return request;
}

/** One that cannot be attacked for want of memory is no part of the sample. */
static void begin_attack(sc__methods *methods, const sc_compared_cloak *found)
{
    const sc_cloak *cloak = found->cloak;
    sc_attack_request *request = sight(found);
    if (!request) return;
    attack_state *attack = &methods->attack;
    attack->method = found->method;
    attack->is_void = false;
    attack->truth_count = cloak->member_count;
    for (size_t i = 0; i < cloak->member_count; i++) {
        attack->truths[i] = cloak->members[i].query.segment;
    }
    if (sc_attack_thread_submit(methods->attacker, request, NULL)) {  // it is stopping
        sc_attack_request_free(request);
        return;
    }
    attack->request = request;
    methods->attacked_us[found->method] = sc_clock_us();
}

/** What the adversary gives to one segment. */
static double linkability_of(const sc_posterior *posterior, sc_seg_id segment)
{
    for (size_t i = 0; i < posterior->link_count; i++) {
        if (posterior->links[i].segment == segment) return posterior->links[i].linkability;
    }
    return 0.0;
}

/** Count the attack that has come back, if one has. */
static void end_attack(sc__methods *methods)
{
    pthread_mutex_lock(&methods->lock);
    sc_attack_request *request = methods->settled;
    const int64_t used_us = methods->used_us;
    methods->settled = NULL;
    pthread_mutex_unlock(&methods->lock);
    if (!request) return;
    attack_state *attack = &methods->attack;
    const int64_t rest_us = ATTACK_REST * (used_us - methods->attacks_used_us);
    methods->attacks_used_us = used_us;
    methods->attack_due_us =
        sc_clock_us() + (rest_us > ATTACK_EVERY_US ? rest_us : ATTACK_EVERY_US);
    if (!request->err && !attack->is_void) {
        double sum = 0.0;
        for (size_t i = 0; i < attack->truth_count; i++) {
            sum += linkability_of(&request->posterior, attack->truths[i]);
        }
        sc_comparison_add_attack(methods->comparison, attack->method, sum, attack->truth_count);
    }
    explicit_bzero(attack, sizeof *attack);
    sc_attack_request_free(request);
}

// --- The engines ---------------------------------------------------------------------------------

static void take_cloak(void *context, const sc_compared_cloak *found)
{
    sc__methods *methods = context;
    const uint64_t number = ++methods->numbers[found->variant];
    if (methods->told[found->method] < SC__METHODS_CLOAKS_PER_S) {
        methods->told[found->method]++;
        const double t_s = sc__demo_seconds(methods->demo, found->t);
        send_words(methods, sc__demo_text_method_cloak(found, number, t_s, &methods->words));
    }
    if (is_attack_due(methods, found)) begin_attack(methods, found);
}

/** StarCloak's engine among the methods: that of the service, if it is one of StarCloak's. */
static sc_variant starcloak_of(const sc_demo *demo)
{
    const sc_variant variant = sc_service_variant(demo->service);
    const bool is_starcloak = sc_variant_is_switchable(variant) || variant == SC_VARIANT_PATIENT;
    return is_starcloak ? variant : SC_VARIANT_BASIC;
}

static void close_engines(sc__methods *methods)
{
    pthread_mutex_lock(&methods->lock);
    methods->is_running = false;
    pthread_mutex_unlock(&methods->lock);
    if (methods->attack.request) {
        methods->attack.is_void = true;
        sc_attack_give_up(methods->attack.request);
    }
    sc_comparison_free(methods->comparison);
    methods->comparison = NULL;
}

/** Without memory there are none, until the next try. */
static void open_engines(sc__methods *methods)
{
    sc_demo *demo = methods->demo;
    close_engines(methods);
    methods->starcloak = starcloak_of(demo);
    const sc_comparison_options options = {
        .methods = {methods->starcloak, SC_VARIANT_XSTAR, SC_VARIANT_EXPANSION},
        .method_count = 3,
        .engine = demo->options.engine,
        .rng = methods->rng,
        .cloaked = take_cloak,
        .context = methods,
    };
    const int64_t now_us = sc_clock_us();
    if (sc_comparison_new(demo->map, &options, now_us, &methods->comparison, NULL)) return;
    sc__methods_hello hello = {.since_t_s = sc__demo_seconds(demo, now_us),
                               .count = sc_comparison_method_count(methods->comparison)};
    for (size_t i = 0; i < hello.count; i++) {
        hello.variants[i] = sc_comparison_method(methods->comparison, i);
    }
    atomic_store(&methods->not_handed, 0);
    pthread_mutex_lock(&methods->lock);
    methods->hello = hello;
    methods->is_running = true;
    pthread_mutex_unlock(&methods->lock);
    send_words(methods, sc__demo_text_methods_hello(&hello, hello.since_t_s, &methods->words));
}

static bool has_stopped(sc__methods *methods)
{
    pthread_mutex_lock(&methods->lock);
    const bool is_stopping = methods->is_stopping;
    pthread_mutex_unlock(&methods->lock);
    return is_stopping;
}

/** All that was asked since the last round. */
static sc_err serve_questions(sc__methods *methods)
{
    sc_query queries[QUESTIONS_AT_ONCE];
    sc_err err = SC_OK;
    for (size_t count;
         !err && !has_stopped(methods) && (count = take_questions(methods, queries)) > 0;) {
        for (size_t i = 0; !err && i < count; i++) {
            err = sc_comparison_ask(methods->comparison, &queries[i], (sc_time)queries[i].owner);
        }
    }
    explicit_bzero(queries, sizeof queries);
    return err ? err : sc_comparison_advance(methods->comparison, sc_clock_us());
}

static void tell_figures(sc__methods *methods)
{
    sc_comparison_figures figures[SC_COMPARISON_METHODS_MAX];
    for (size_t i = 0; i < methods->hello.count; i++) {
        figures[i] = sc_comparison_figures_of(methods->comparison, i);
    }
    const uint64_t left_out =
        sc_comparison_left_out(methods->comparison) + atomic_load(&methods->not_handed);
    const double t_s = sc__demo_seconds(methods->demo, sc_clock_us());
    send_words(methods,
               sc__demo_text_methods(&methods->hello, t_s, left_out, figures, &methods->words));
}

/** A second is over. Engines that memory was out for, or that are not those of the service any
 * more, start again. */
static void end_second(sc__methods *methods, int64_t now_us)
{
    if (methods->comparison) tell_figures(methods);
    memset(methods->told, 0, sizeof methods->told);
    methods->second_us += SECOND_US;
    if (methods->second_us < now_us) methods->second_us = now_us + SECOND_US;
    const bool is_other = methods->starcloak != starcloak_of(methods->demo);
    if (!methods->comparison || is_other) open_engines(methods);
}

// --- The thread ----------------------------------------------------------------------------------

/** Wait for the next round, or that it is to stop: false. */
static bool await_round(sc__methods *methods)
{
    const int64_t then_us = sc_clock_us() + ROUND_US;
    const struct timespec then = {.tv_sec = then_us / SECOND_US,
                                  .tv_nsec = then_us % SECOND_US * 1000};
    pthread_mutex_lock(&methods->lock);
    for (int late = 0; !methods->is_stopping && late != ETIMEDOUT;) {
        late = pthread_cond_timedwait(&methods->has_changed, &methods->lock, &then);
    }
    const bool goes_on = !methods->is_stopping;
    pthread_mutex_unlock(&methods->lock);
    return goes_on;
}

/** While there are listeners, and a little longer. */
static void compare(sc__methods *methods)
{
    int64_t now_us = sc_clock_us();
    int64_t heard_us = now_us;
    atomic_store(&methods->is_taking, true);
    methods->second_us = now_us + SECOND_US;
    open_engines(methods);
    while (now_us - heard_us < LINGER_US && await_round(methods)) {
        end_attack(methods);
        if (methods->comparison && serve_questions(methods)) close_engines(methods);
        now_us = sc_clock_us();
        if (!sc_event_stream_is_empty(methods->listeners)) heard_us = now_us;
        if (now_us >= methods->second_us) end_second(methods, now_us);
    }
    atomic_store(&methods->is_taking, false);
    close_engines(methods);
    forget_questions(methods);
}

/** Until there is a listener; false: it is to stop. */
static bool await_listener(sc__methods *methods)
{
    pthread_mutex_lock(&methods->lock);
    while (!methods->is_stopping && sc_event_stream_is_empty(methods->listeners)) {
        pthread_cond_wait(&methods->has_changed, &methods->lock);
    }
    const bool goes_on = !methods->is_stopping;
    pthread_mutex_unlock(&methods->lock);
    return goes_on;
}

static void *run(void *context)
{
    sc__methods *methods = context;
    sc_thread_lower_priority();
    pthread_mutex_lock(&methods->lock);
    methods->is_ready = true;
    pthread_cond_broadcast(&methods->has_changed);
    pthread_mutex_unlock(&methods->lock);
    while (await_listener(methods)) {
        compare(methods);
    }
    return NULL;
}

// --- The route -----------------------------------------------------------------------------------

static void greet(void *context, unsigned loop, sc_http_request *listener)
{
    sc__methods *methods = context;
    (void)loop;
    pthread_mutex_lock(&methods->lock);
    const bool is_running = methods->is_running;
    const sc__methods_hello hello = methods->hello;
    pthread_mutex_unlock(&methods->lock);
    if (!is_running) return;  // all are told when there are engines
    sc_bytes words = {0};
    if (sc__demo_text_methods_hello(&hello, sc__demo_seconds(methods->demo, sc_clock_us()),
                                    &words)) {
        sc_event_stream_send_first(listener, words.data, words.size);
    }
    sc_bytes_fini(&words);
}

static void end_when_draining(void *context, unsigned loop)
{
    const sc__methods *methods = context;
    const bool is_draining = sc_service_is_draining(methods->demo->service);
    if (is_draining) sc_event_stream_end(methods->listeners, loop);
}

void sc__methods_show(sc__methods *methods, unsigned loop, sc_http_request *request)
{
    sc__demo_subscribe(methods->demo, methods->listeners, loop, request);
    pthread_mutex_lock(&methods->lock);
    pthread_cond_broadcast(&methods->has_changed);
    pthread_mutex_unlock(&methods->lock);
}

bool sc__methods_is_running(sc__methods *methods)
{
    pthread_mutex_lock(&methods->lock);
    const bool is_running = methods->is_running;
    pthread_mutex_unlock(&methods->lock);
    return is_running;
}

// --- Life ----------------------------------------------------------------------------------------

static void init_lock(sc__methods *methods)
{
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&methods->lock, NULL);
    pthread_cond_init(&methods->has_changed, &steady);
    pthread_condattr_destroy(&steady);
}

static sc_err open_stream(sc__methods *methods)
{
    sc_demo *demo = methods->demo;
    const sc_event_stream_options listeners = {
        .http = sc_service_http(demo->service),
        .loops = sc_service_loops(demo->service),
        .max_listeners = demo->options.max_listeners,
        .greet = greet,
        .tick = end_when_draining,
        .context = methods,
    };
    sc_err err = sc_event_stream_new(&listeners, &methods->listeners);
    if (!err) err = sc_handover_new(sizeof(sc_query), QUESTIONS_MAX, &methods->questions);
    if (!err) err = sc_rng_new_secure(&methods->rng);
    return err;
}

static sc_err start_attacker(sc__methods *methods, sc_diag *diag)
{
    sc_attack_thread_options options = sc_attack_thread_options_default();
    options.engine = methods->demo->options.engine;
    options.density = methods->demo->options.density;
    options.max_waiting = 1;
    options.samples = ATTACK_SAMPLES;
    options.done = take_back;
    options.context = methods;
    return sc_attack_thread_new(methods->demo->map, &options, &methods->attacker, diag);
}

/** As attack_thread.c: in a sandbox it could not change its priority any more. */
static void await_ready(sc__methods *methods)
{
    pthread_mutex_lock(&methods->lock);
    while (!methods->is_ready) {
        pthread_cond_wait(&methods->has_changed, &methods->lock);
    }
    pthread_mutex_unlock(&methods->lock);
}

sc_err sc__methods_new(sc_demo *demo, sc__methods **out, sc_diag *diag)
{
    sc__methods *methods = sc_calloc(1, sizeof *methods);
    if (!methods) return sc_fail_memory(diag, "comparing methods");
    methods->demo = demo;
    init_lock(methods);
    sc_err err = open_stream(methods);
    if (err) (void)sc_fail(diag, err, "methods cannot be compared: %s", sc_err_text(err));
    if (!err) err = start_attacker(methods, diag);
    if (!err) {
        err = sc_thread_start(&methods->thread, run, methods);
        methods->is_started = err == SC_OK;
        if (err) (void)sc_fail(diag, err, "cannot start a thread: %s", strerror(errno));
    }
    if (err) {
        sc__methods_free(methods);
        return err;
    }
    await_ready(methods);
    *out = methods;
    return SC_OK;
}

void sc__methods_stop(sc__methods *methods)
{
    pthread_mutex_lock(&methods->lock);
    methods->is_stopping = true;
    pthread_cond_broadcast(&methods->has_changed);
    pthread_mutex_unlock(&methods->lock);
    if (methods->attacker) sc_attack_thread_stop(methods->attacker);
    if (methods->is_started) pthread_join(methods->thread, NULL);
    methods->is_started = false;
}

void sc__methods_free(sc__methods *methods)
{
    if (!methods) return;
    sc__methods_stop(methods);
    sc_attack_thread_free(methods->attacker);  // what it has comes back
    sc_attack_request_free(methods->settled);
    sc_comparison_free(methods->comparison);
    sc_rng_free(methods->rng);
    sc_handover_free(methods->questions);
    sc_event_stream_free(methods->listeners);
    sc_bytes_fini(&methods->words);
    pthread_cond_destroy(&methods->has_changed);
    pthread_mutex_destroy(&methods->lock);
    explicit_bzero(&methods->attack, sizeof methods->attack);
    sc_free(methods);
}
