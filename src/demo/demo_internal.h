/**
 * @file demo_internal.h
 * @brief Secret: what the files of the demo share.
 *
 *     demo.c              making, attaching, freeing
 *     demo_travellers.c   the thread in which they ask, and the events of their queries
 *     demo_positions.c    where travellers are, and the thread that sends it
 *     demo_pages.c        what is shown: /demo/about, /demo/events, /demo/engine; events as text
 *     demo_methods.c      /demo/methods: the same questions, cloaked by several methods; its thread
 *
 * Of a demo that replays a record, the two threads and what they share are not used.
 */
#ifndef SC_DEMO_DEMO_INTERNAL_H
#define SC_DEMO_DEMO_INTERNAL_H

#include <starcloak/map.h>
#include <starcloak/query.h>
#include <starcloak/relay_codec.h>

#include <pthread.h>
#include <stdatomic.h>

#include "api/map_display.h"
#include "demo/attack_route.h"
#include "demo/demo.h"
#include "demo/demo_replay.h"
#include "demo/loadgen/loadgen.h"
#include "demo/method_comparison.h"
#include "demo/place_search.h"
#include "demo/position_frames.h"
#include "demo/reports.h"
#include "server/event_stream.h"
#include "travel/trips.h"

enum { SC__DEMO_PAGES = 10 };

// --- demo_positions.c: where the travellers are
// -------------------------------------------------------

/*
 * They exist twice, moved by the same numbers: once for those who ask, in the thread that asks, and
 * once for those who look, in theirs. Where a traveller is does not depend on who asked about it
 * before (travel/movement.h), so both see the same, and neither waits for the other. Fastest ways
 * are prepared once for both.
 */

/** Zero-initialise; sc__travellers_fini(). */
typedef struct sc__travellers {
    const sc_map *map;  ///< borrowed
    sc_route_table routes;
    sc_routes *ways;  ///< of traces
    sc_follow_summary followed;
    sc_movement *asking;   ///< of the thread that asks
    sc_movement *watched;  ///< of the thread that looks
    sc_map_grid grid;
} sc__travellers;

/**
 * @param map  borrowed; with coordinates
 * @return SC_OK, SC_EINVAL, SC_ELIMIT (a map too large for its numbers, or so wide that positions
 *         cannot be told), SC_ENOMEM
 */
SC_CHECKED sc_err sc__travellers_init(sc__travellers *travellers, const sc_map *map,
                                      const sc_demo_options *options, sc_diag *diag);

/** Harmless twice. */
void sc__travellers_fini(sc__travellers *travellers);

/**
 * Where everybody is at `t`, which must not be before the last look.
 *
 * @param at  x and y of each, in units of /v1/map from the south-west corner of its bounds;
 *            SC_OFF_ROAD twice if it is not on the road
 * @return SC_OK, SC_ENOMEM: look again later
 */
SC_CHECKED sc_err sc__travellers_positions(sc__travellers *travellers, sc_time t, int32_t *at);

// --- demo_travellers.c: which of them wait -------------------------------------------------------

/*
 * A traveller has at most one query under way, so there is one place for each. The lock is held for
 * a copy.
 */

/** A query under way. */
typedef struct sc__waiting {
    uint64_t number;  ///< from 1 on; 0: this traveller does not wait
    uint32_t who;
    sc_seg_id segment;
    sc_profile profile;
    uint32_t nearest;  ///< how many objects it asks for
    int64_t asked_us;  ///< sc_clock_us()
} sc__waiting;

typedef struct sc__waiting_list sc__waiting_list;

SC_CHECKED sc_err sc__waiting_list_new(uint32_t travellers, sc__waiting_list **out);

/** NULL is fine. */
void sc__waiting_list_free(sc__waiting_list *pending);

/** A query begins to wait. Any thread, as all of these. */
void sc__waiting_list_add(sc__waiting_list *pending, const sc__waiting *waiting);

/** The query of this traveller has ended. */
void sc__waiting_list_remove(sc__waiting_list *pending, uint32_t who);

/** Copy who waits now, by traveller, up to `room` of them; returns how many. */
size_t sc__waiting_list_list(sc__waiting_list *pending, sc__waiting *out, size_t room);

// --- demo_pages.c: events as text; each appends one, and returns false if memory is out ----------

/** What a newcomer must know. */
typedef struct sc__hello {
    double t_s;  ///< since the travellers set out
    uint32_t travellers;
    double every_s;
    int32_t step;  ///< of positions, in units of /v1/map
    const char *engine;
} sc__hello;

bool sc__demo_text_hello(const sc__hello *hello, sc_bytes *out);

/** Those who wait at `now_us`. */
bool sc__demo_text_pending(const sc__waiting *waiting, size_t count, int64_t now_us, sc_bytes *out);

bool sc__demo_text_asked(const sc__waiting *waiting, sc_bytes *out);
bool sc__demo_text_ended(const sc_load_outcome *ending, sc_bytes *out);

/** What listeners to /demo/methods must know of its engines. */
typedef struct sc__methods_hello {
    double since_t_s;  ///< when they started, since the travellers set out
    sc_variant variants[SC_COMPARISON_METHODS_MAX];
    size_t count;
} sc__methods_hello;

/** So many cloaks of each method are told in a second, at most. */
enum { SC__METHODS_CLOAKS_PER_S = 20 };

bool sc__demo_text_methods_hello(const sc__methods_hello *hello, double t_s, sc_bytes *out);
bool sc__demo_text_method_cloak(const sc_compared_cloak *found, uint64_t number, double t_s,
                                sc_bytes *out);

/** @param figures  of each method of `hello` */
bool sc__demo_text_methods(const sc__methods_hello *hello, double t_s, uint64_t left_out,
                           const sc_comparison_figures *figures, sc_bytes *out);

// --- demo_methods.c: the same questions, cloaked by several methods ------------------------------

/*
 * A thread of low priority has an engine of each method (method_comparison.h) while somebody
 * listens to /demo/methods, and sends what comes of it. A second one, of the same priority, attacks
 * some of the cloaks (attack_on_demand.h). Both wait while there is no listener.
 */
typedef struct sc__methods sc__methods;

/** Starts its threads: after the service is known, before a sandbox is entered. @return SC_OK,
 * SC_EIO, SC_ENOMEM */
SC_CHECKED sc_err sc__methods_new(sc_demo *demo, sc__methods **out, sc_diag *diag);

/** A question was asked. Any thread; never waits. */
void sc__methods_ask(sc__methods *methods, const sc__waiting *waiting);

/** The route. */
void sc__methods_show(sc__methods *methods, unsigned loop, sc_http_request *request);

/** Whether its engines are there, for tests. Any thread. */
bool sc__methods_is_running(sc__methods *methods);

/** Ends its threads. Twice is harmless. */
void sc__methods_stop(sc__methods *methods);

/** After the service's loops have stopped; NULL is fine. */
void sc__methods_free(sc__methods *methods);

// --- The demo ------------------------------------------------------------------------------------

/** The thread in which travellers ask. */
typedef struct sc__query_thread {
    pthread_t thread;
    bool is_started;
    char *url;
    sc_load_report *report;  ///< the thread's until it is joined
    sc_bytes words;          ///< this thread's alone
    /** Its own thread sets and reads it, since a plain number is no word between threads. */
    volatile sig_atomic_t stop;
    atomic_bool has_trouble;  ///< then `trouble` stays as it is
    sc_diag trouble;
} sc__query_thread;

/** The thread that tells where travellers are. */
typedef struct sc__positions_thread {
    pthread_t thread;
    bool is_started;
    pthread_mutex_t lock;    ///< held for nothing but to wait for
    pthread_cond_t is_over;  ///< is_stopping
    int32_t *at;             ///< room for two numbers of each traveller
    sc_position_frames frames;
    sc_bytes words;
} sc__positions_thread;

struct sc_demo {
    // Set before the first request.
    const sc_map *map;
    sc_demo_options options;
    sc__travellers on_road;  ///< its two movements belong to the two threads
    sc_extra_page pages[SC__DEMO_PAGES];
    size_t page_count;    ///< without reports and without a replay there are fewer
    sc_reports *reports;  ///< NULL: none
    sc_replay *replay;    ///< NULL: there are travellers; else none, and none of their threads
    sc_place_search *places;
    sc_attack_route *attacks;  ///< since the service is known
    sc__methods *methods;      ///< the same
    sc_service *service;       ///< borrowed
    sc_tokens *tokens;
    sc_event_stream *audience;
    // Any thread.
    sc__waiting_list *waiting;
    atomic_int_fast64_t start_us;  ///< sc_clock_us() when travellers' time is 0; 0: not yet
    atomic_bool is_stopping;
    atomic_bool wants_base;  ///< a listener has come: the next frame of positions is to tell all
    // Of a thread each.
    sc__query_thread query_thread;
    sc__positions_thread positions_thread;
};

// --- demo_travellers.c ---------------------------------------------------------------------------

/** Start the thread; sc__query_thread_join() when is_stopping is set. @return SC_OK, SC_EIO,
 * SC_ENOMEM */
SC_CHECKED sc_err sc__query_thread_start(sc_demo *demo, const char *url, sc_diag *diag);
void sc__query_thread_join(sc_demo *demo);

// --- demo_positions.c ----------------------------------------------------------------------------

SC_CHECKED sc_err sc__positions_thread_init(sc__positions_thread *own, uint32_t travellers,
                                            int32_t step);
void sc__positions_thread_fini(sc__positions_thread *own);

/** The same for this one. */
SC_CHECKED sc_err sc__positions_thread_start(sc_demo *demo, sc_diag *diag);

/** Wakes it as well. */
void sc__positions_thread_join(sc_demo *demo);

// --- demo_pages.c --------------------------------------------------------------------------------

/** Write down the demo's pages. */
void sc__demo_pages_init(sc_demo *demo);

/** Seconds since the travellers set out, at `us` of sc_clock_us(); 0 if they have not. */
double sc__demo_seconds(const sc_demo *demo, int64_t us);

/** Subscribe a request to a stream of events, or refuse it. */
void sc__demo_subscribe(sc_demo *demo, sc_event_stream *stream, unsigned loop,
                        sc_http_request *request);

/** For the event stream: what a new listener gets first, and what is sent every second. `context`
 * is the demo. */
void sc__demo_greet(void *context, unsigned loop, sc_http_request *listener);
void sc__demo_tick(void *context, unsigned loop);

#endif
