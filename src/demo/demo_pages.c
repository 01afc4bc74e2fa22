// What the demo shows: /demo/about, /demo/events, /demo/engine. See demo_internal.h, and
// docs/ui.md for the words.
//
// All of it runs in the threads of the service's loops, and is for those who may listen to events;
// the service sees to that.
#include "demo/demo_internal.h"

#include "api/event_text.h"
#include "api/json_request.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/json_write.h"
#include "base/rng.h"
#include "server/token.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// --- Events as text ------------------------------------------------------------------------------

/** Of seconds: a millisecond is finer than the display. */
enum { SECOND_DECIMALS = 3 };

static void put_seconds(sc_json_writer *json, const char *name, double seconds)
{
    sc_json_put_fixed(json, name, seconds, SECOND_DECIMALS);
}

bool sc__demo_text_hello(const sc__hello *hello, sc_bytes *out)
{
    sc_json_writer json = sc_event_begin(out, "hello");
    put_seconds(&json, "t", hello->t_s);
    sc_json_put_count(&json, "travellers", hello->travellers);
    put_seconds(&json, "every_s", hello->every_s);
    sc_json_put_signed(&json, "step", hello->step);
    sc_json_put_string(&json, "engine", hello->engine);
    return sc_event_end(&json);
}

// --- Queries -------------------------------------------------------------------------------------

static void put_waiting(sc_json_writer *json, const sc__waiting *waiting)
{
    const sc_profile *profile = &waiting->profile;
    sc_json_put_count(json, "query", waiting->number);
    sc_json_put_count(json, "who", waiting->who);
    sc_json_put_count(json, "segment", waiting->segment);
    sc_json_put_count(json, "k", profile->k);
    sc_json_put_count(json, "l", profile->l);
    sc_json_put_count(json, "max_hops", profile->max_hops);
    put_seconds(json, "max_wait_s", (double)profile->max_wait_us * 1e-6);
}

bool sc__demo_text_pending(const sc__waiting *waiting, size_t count, int64_t now_us, sc_bytes *out)
{
    sc_json_writer json = sc_event_begin(out, "pending");
    sc_json_open_array(&json, "queries");
    for (size_t i = 0; i < count; i++) {
        sc_json_open_object(&json, NULL);
        put_waiting(&json, &waiting[i]);
        put_seconds(&json, "waited_s", (double)(now_us - waiting[i].asked_us) * 1e-6);
        sc_json_close_object(&json);
    }
    sc_json_close_array(&json);
    return sc_event_end(&json);
}

bool sc__demo_text_asked(const sc__waiting *waiting, sc_bytes *out)
{
    sc_json_writer json = sc_event_begin(out, "asked");
    put_waiting(&json, waiting);
    return sc_event_end(&json);
}

// To an onlooker, a query that could not even be sent is as lost as any.
static const char *outcome_of(sc_load_end end)
{
    return sc_load_end_name(end == SC_LOAD_UNSENT ? SC_LOAD_LOST : end);
}

bool sc__demo_text_ended(const sc_load_outcome *ending, sc_bytes *out)
{
    const bool is_told = ending->end == SC_LOAD_ANSWERED || ending->end == SC_LOAD_DROPPED;
    sc_json_writer json = sc_event_begin(out, "ended");
    sc_json_put_count(&json, "query", ending->number);
    sc_json_put_string(&json, "outcome", outcome_of(ending->end));
    if (*ending->word) sc_json_put_string(&json, "reason", ending->word);
    if (*ending->cloak) sc_json_put_string(&json, "cloak", ending->cloak);
    if (is_told) put_seconds(&json, "wait_s", ending->wait_s);
    return sc_event_end(&json);
}

// --- Methods -------------------------------------------------------------------------------------

bool sc__demo_text_methods_hello(const sc__methods_hello *hello, double t_s, sc_bytes *out)
{
    sc_json_writer json = sc_event_begin(out, "hello");
    put_seconds(&json, "t", t_s);
    sc_json_open_array(&json, "methods");
    for (size_t i = 0; i < hello->count; i++) {
        sc_json_put_string(&json, NULL, sc_variant_name(hello->variants[i]));
    }
    sc_json_close_array(&json);
    put_seconds(&json, "since_t", hello->since_t_s);
    sc_json_put_count(&json, "window_s", SC_COMPARISON_WINDOW_S);
    sc_json_put_count(&json, "cloaks_per_s", SC__METHODS_CLOAKS_PER_S);
    return sc_event_end(&json);
}

static void put_numbers(sc_json_writer *json, const char *name, const uint32_t *numbers,
                        size_t count)
{
    sc_json_open_array(json, name);
    for (size_t i = 0; i < count; i++) {
        sc_json_put_count(json, NULL, numbers[i]);
    }
    sc_json_close_array(json);
}

bool sc__demo_text_method_cloak(const sc_compared_cloak *found, uint64_t number, double t_s,
                                sc_bytes *out)
{
    const sc_cloak *cloak = found->cloak;
    const char *method = sc_variant_name(found->variant);
    char id[48];
    snprintf(id, sizeof id, "%s-%" PRIu64, method, number);
    sc_json_writer json = sc_event_begin(out, "method-cloak");
    sc_json_put_string(&json, "method", method);
    sc_json_put_string(&json, "id", id);
    put_seconds(&json, "t", t_s);
    sc_json_put_count(&json, "users", found->users);
    put_numbers(&json, "segments", cloak->segments, cloak->segment_count);
    put_numbers(&json, "border_nodes", cloak->border_nodes, cloak->border_node_count);
    return sc_event_end(&json);
}

/** Of averages; a chance may be a thousandth. NAN becomes null. */
enum { AVERAGE_DECIMALS = 2, SHARE_DECIMALS = 4, CHANCE_DECIMALS = 6 };

static void put_figures(sc_json_writer *json, sc_variant method, const sc_comparison_figures *of)
{
    const double success = of->asked > 0 ? (double)of->cloaked / (double)of->asked : (double)NAN;
    sc_json_open_object(json, NULL);
    sc_json_put_string(json, "method", sc_variant_name(method));
    sc_json_put_count(json, "asked", of->asked);
    sc_json_put_count(json, "cloaked", of->cloaked);
    sc_json_put_count(json, "dropped", of->asked - of->cloaked);
    sc_json_put_fixed(json, "success", success, SHARE_DECIMALS);
    sc_json_put_count(json, "pending", of->pending);
    sc_json_put_count(json, "cloaks", of->cloaks);
    sc_json_put_fixed(json, "users", of->users, AVERAGE_DECIMALS);
    sc_json_put_fixed(json, "segments", of->segments, AVERAGE_DECIMALS);
    sc_json_put_fixed(json, "border_nodes", of->border_nodes, AVERAGE_DECIMALS);
    put_seconds(json, "wait_s", of->wait_s);
    sc_json_put_fixed(json, "chance", of->chance, CHANCE_DECIMALS);
    sc_json_put_count(json, "attacked", of->attacked);
    sc_json_put_count(json, "violations", of->violations);
    sc_json_close_object(json);
}

bool sc__demo_text_methods(const sc__methods_hello *hello, double t_s, uint64_t left_out,
                           const sc_comparison_figures *figures, sc_bytes *out)
{
    sc_json_writer json = sc_event_begin(out, "methods");
    put_seconds(&json, "t", t_s);
    put_seconds(&json, "since_t", hello->since_t_s);
    sc_json_put_count(&json, "left_out", left_out);
    sc_json_open_array(&json, "methods");
    for (size_t i = 0; i < hello->count; i++) {
        put_figures(&json, hello->variants[i], &figures[i]);
    }
    sc_json_close_array(&json);
    return sc_event_end(&json);
}

// --- What all pages share ------------------------------------------------------------------------

/** A guest's token is good for a day. */
#define GUEST_S 86400.0

/** Waiting queries that a new listener gets: more than a screen can show, and half of
 * what a stream may hold. */
enum { PENDING_MAX = 5000 };

/** The engines that can be exchanged while queries wait. */
static const sc_variant engines[] = {SC_VARIANT_BASIC, SC_VARIANT_BOUNDED, SC_VARIANT_HYBRID};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static void refuse(sc_http_request *request, sc_problem_kind kind, const char *detail)
{
    sc_problem problem = {.field = NULL};
    sc_problem_set(&problem, kind, NULL, "%s", detail);
    if (sc_problem_status(kind) == 503) problem.retry_after_s = 5;
    sc_problem_reply(request, &problem, NULL);
}

static void reply_json(sc_http_request *request, const sc_bytes *body)
{
    sc_http_reply(request, 200, "application/json", body->data, body->size, NULL, 0);
}

// --- /demo/about ---------------------------------------------------------------------------------

static bool put_about(const sc_demo *demo, const char *user, const char *token, sc_bytes *out)
{
    sc_json_writer json = sc_json_writer_of_secret(out);
    sc_json_open_object(&json, NULL);
    sc_json_put_string(&json, "token", token);
    sc_json_put_string(&json, "user", user);
    sc_json_put_count(&json, "travellers", demo->options.travellers);
    sc_json_put_string(&json, "engine", sc_variant_name(sc_service_variant(demo->service)));
    sc_json_open_array(&json, "engines");
    const sc_variant variant = sc_service_variant(demo->service);
    if (sc_variant_is_switchable(variant) && !demo->replay) {
        for (size_t i = 0; i < COUNT_OF(engines); i++) {
            sc_json_put_string(&json, NULL, sc_variant_name(engines[i]));
        }
    } else {
        sc_json_put_string(&json, NULL, sc_variant_name(variant));
    }
    sc_json_close_array(&json);
    sc_json_close_object(&json);
    sc_json_put_text(&json, "\n");
    return !json.has_failed;
}

/** Each page that is opened is a user of its own: one user has one query at a time. */
static sc_err invent_guest(char *out, size_t room)
{
    sc_rng *rng = NULL;
    const sc_err err = sc_rng_new_secure(&rng);
    if (err) return err;
    snprintf(out, room, "guest-%08x", (unsigned)(sc_rng_next(rng) & UINT32_MAX));
    sc_rng_free(rng);
    return SC_OK;
}

static void show_about(void *context, unsigned loop, sc_http_request *request)
{
    sc_demo *demo = context;
    (void)loop;
    char user[32];
    char token[SC_TOKEN_SIZE] = "";
    sc_bytes body = {0};
    sc_err err = invent_guest(user, sizeof user);
    if (!err) err = sc_service_issue(demo->service, user, GUEST_S, token, NULL);
    if (!err && put_about(demo, user, token, &body)) {
        reply_json(request, &body);
    } else {
        refuse(request, SC_PROBLEM_INTERNAL, "a guest token could not be issued");
    }
    if (body.data) explicit_bzero(body.data, body.size);
    explicit_bzero(token, sizeof token);
    sc_bytes_fini(&body);
}

// --- /demo/events --------------------------------------------------------------------------------

double sc__demo_seconds(const sc_demo *demo, int64_t us)
{
    const int64_t start_us = atomic_load(&demo->start_us);
    return start_us != 0 ? (double)(us - start_us) * 1e-6 : 0.0;
}

static bool put_hello(const sc_demo *demo, sc_variant engine, sc_bytes *out)
{
    sc_replay *replay = demo->replay;
    const sc__hello hello = {
        .t_s = replay ? sc_replay_now_s(replay) : sc__demo_seconds(demo, sc_clock_us()),
        .travellers = demo->options.travellers,
        .every_s = demo->options.every_s,
        .step = replay ? sc_replay_step(replay) : demo->positions_thread.frames.step,
        .engine = sc_variant_name(engine),
    };
    return sc__demo_text_hello(&hello, out);
}

static bool put_pending(sc_demo *demo, sc_bytes *out)
{
    if (demo->replay) return sc_replay_greet(demo->replay, out);
    sc__waiting *waiting = sc_malloc_array(PENDING_MAX, sizeof *waiting);
    if (!waiting) return false;
    const size_t count = sc__waiting_list_list(demo->waiting, waiting, PENDING_MAX);
    const bool fits = sc__demo_text_pending(waiting, count, sc_clock_us(), out);
    sc_free(waiting);
    return fits;
}

/** What there is no memory for, the newcomer is not told. */
static void greet_with(sc_http_request *listener, bool fits, sc_bytes *words)
{
    if (fits) sc_event_stream_send_first(listener, words->data, words->size);
    words->size = 0;
}

void sc__demo_greet(void *context, unsigned loop, sc_http_request *listener)
{
    sc_demo *demo = context;
    (void)loop;
    sc_bytes words = {0};
    greet_with(listener, put_hello(demo, sc_service_variant(demo->service), &words), &words);
    greet_with(listener, put_pending(demo, &words), &words);
    sc_bytes_fini(&words);
    atomic_store(&demo->wants_base, true);
}

void sc__demo_tick(void *context, unsigned loop)
{
    const sc_demo *demo = context;
    // A stream would never end by itself, and keep a service from stopping.
    if (sc_service_is_draining(demo->service)) sc_event_stream_end(demo->audience, loop);
}

void sc__demo_subscribe(sc_demo *demo, sc_event_stream *stream, unsigned loop,
                        sc_http_request *request)
{
    if (sc_service_is_draining(demo->service)) {
        refuse(request, SC_PROBLEM_DRAINING, "the service is stopping; no more events are sent");
    } else if (sc_event_stream_subscribe(stream, loop, request, 0)) {
        refuse(request, SC_PROBLEM_OVERLOADED, "too many clients receive events");
    }
}

static void show_events(void *context, unsigned loop, sc_http_request *request)
{
    sc_demo *demo = context;
    sc__demo_subscribe(demo, demo->audience, loop, request);
}

// --- /demo/engine --------------------------------------------------------------------------------

/** The body of a request. */
typedef struct wish {
    sc_json_reader in;
    sc_variant engine;
} wish;

static const sc_json_field members[] = {{"engine", "/engine"}};

static bool read_engine(void *context, unsigned which)
{
    wish *w = context;
    sc_json_raw name;
    if (!sc_json_read_string(&w->in, members[which].pointer, "a string", &name)) return false;
    for (size_t i = 0; i < COUNT_OF(engines); i++) {
        if (!sc_json_string_is(name, sc_variant_name(engines[i]))) continue;
        w->engine = engines[i];
        return true;
    }
    return sc_problem_set(w->in.problem, SC_PROBLEM_REQUEST, members[which].pointer,
                          "it must be one of basic, bounded, hybrid");
}

static const sc_json_shape of_wish = {
    .words = "engine", .fields = members, .count = COUNT_OF(members), .read = read_engine};

static bool read_wish(sc_http_request *request, sc_problem *problem, sc_variant *out)
{
    size_t size = 0;
    const char *body = sc_http_request_body(request, &size);
    wish w = {.in = {.json = sc_json_pull_of(body, size), .problem = problem}};
    unsigned seen = 0;
    if (!sc_json_read_object(&w.in, &of_wish, &w, &seen)) return false;
    if (!sc_json_end(&w.in.json)) return sc_json_refuse_text(&w.in);
    if (seen == 0) return sc_json_refuse_missing(&w.in, members[0].pointer);
    *out = w.engine;
    return true;
}

/** Sent to all listeners, so that all pages show the same. */
static void tell_engine(sc_demo *demo, sc_variant engine)
{
    sc_bytes words = {0};
    if (put_hello(demo, engine, &words)) {
        sc_event_stream_send(demo->audience, words.data, words.size);
    }
    sc_bytes_fini(&words);
}

static void show_engine(void *context, unsigned loop, sc_http_request *request)
{
    sc_demo *demo = context;
    (void)loop;
    sc_problem problem = {.field = NULL};
    sc_variant engine = SC_VARIANT_BASIC;
    // Other web pages can have a browser send forms here, but no JSON: for that it would ask first.
    bool is_done =
        sc_json_request_check_type(request, &problem) && read_wish(request, &problem, &engine);
    if (is_done && sc_service_switch(demo->service, engine)) {
        is_done = sc_problem_set(&problem, SC_PROBLEM_REQUEST, NULL,
                                 "the service was started with a method that cannot be switched");
    }
    if (!is_done) {
        sc_problem_reply(request, &problem, NULL);
        return;
    }
    tell_engine(demo, engine);
    char body[64];
    const int size = snprintf(body, sizeof body, "{\"engine\":\"%s\"}\n", sc_variant_name(engine));
    sc_http_reply(request, 200, "application/json", body, (size_t)size, NULL, 0);
}

// --- All -----------------------------------------------------------------------------------------

static void show_methods(void *context, unsigned loop, sc_http_request *request)
{
    const sc_demo *demo = context;
    sc__methods_show(demo->methods, loop, request);
}

static void show_replay(void *context, unsigned loop, sc_http_request *request)
{
    const sc_demo *demo = context;
    (void)loop;
    sc_replay_show_controls(demo->replay, request);
}

static void show_replayed_events(void *context, unsigned loop, sc_http_request *request)
{
    const sc_demo *demo = context;
    sc_replay_show_events(demo->replay, loop, request);
}

static void show_refusal(void *context, unsigned loop, sc_http_request *request)
{
    const sc_demo *demo = context;
    (void)loop;
    sc_replay_refuse(demo->replay, request);
}

static void show_attacks(void *context, unsigned loop, sc_http_request *request)
{
    const sc_demo *demo = context;
    sc_attack_route_ask(demo->attacks, loop, request);
}

static void show_places(void *context, unsigned loop, sc_http_request *request)
{
    const sc_demo *demo = context;
    (void)loop;
    sc_place_search_show(demo->places, request);
}

static void show_reports(void *context, unsigned loop, sc_http_request *request)
{
    const sc_demo *demo = context;
    (void)loop;
    sc_reports_show(demo->reports, request);
}

static bool has_report(const void *context)
{
    const sc_demo *demo = context;
    return sc_reports_is_there(demo->reports);
}

static void add_page(sc_demo *demo, sc_extra_page page)
{
    page.context = demo;
    demo->pages[demo->page_count++] = page;
}

/** In the place of those that a live demo has, but for the controls. */
static void add_replay_pages(sc_demo *demo)
{
    add_page(demo, (sc_extra_page){.path = "/demo/replay",
                                   .method = SC_HTTP_GET,
                                   .takes_post = true,
                                   .offer = "replay",
                                   .show = show_replay});
    add_page(demo, (sc_extra_page){
                       .path = "/v1/events", .method = SC_HTTP_GET, .show = show_replayed_events});
    add_page(demo,
             (sc_extra_page){.path = "/v1/queries", .method = SC_HTTP_POST, .show = show_refusal});
}

void sc__demo_pages_init(sc_demo *demo)
{
    add_page(demo,
             (sc_extra_page){.path = "/demo/about", .method = SC_HTTP_GET, .show = show_about});
    add_page(demo,
             (sc_extra_page){.path = "/demo/events", .method = SC_HTTP_GET, .show = show_events});
    add_page(demo, (sc_extra_page){.path = "/demo/engine",
                                   .method = SC_HTTP_POST,
                                   .show = demo->replay ? show_refusal : show_engine});
    if (!demo->replay) {
        add_page(demo, (sc_extra_page){
                           .path = "/demo/methods", .method = SC_HTTP_GET, .show = show_methods});
    }
    add_page(demo, (sc_extra_page){.path = "/demo/places",
                                   .method = SC_HTTP_GET,
                                   .takes_head = true,
                                   .show = show_places});
    add_page(demo, (sc_extra_page){.path = "/v1/attacks",
                                   .method = SC_HTTP_POST,
                                   .offer = "attacks",
                                   .show = show_attacks});
    if (demo->reports) {
        add_page(demo, (sc_extra_page){.path = "/reports",
                                       .method = SC_HTTP_GET,
                                       .takes_head = true,
                                       .is_folder = true,
                                       .offer = "reports",
                                       .is_offered = has_report,
                                       .show = show_reports});
    }
    if (demo->replay) add_replay_pages(demo);
}
