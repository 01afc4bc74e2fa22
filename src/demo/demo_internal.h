/**
 * @file demo_internal.h
 * @brief Secret: what the files of the demo share.
 *
 *     demo.c         making, attaching, freeing
 *     travellers.c   the thread in which they ask, and what they tell while they do
 *     lookout.c      the thread that looks where everybody is
 *     demo_pages.c   what is shown: /demo/about, /demo/events, /demo/engine
 *     fleet.c        where everybody is
 *     board.c        who waits
 *     demo_text.c    events in words
 *
 * Used by: these, and their tests.
 */
#ifndef SC_DEMO_DEMO_INTERNAL_H
#define SC_DEMO_DEMO_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "demo/board.h"
#include "demo/demo.h"
#include "demo/fleet.h"
#include "demo/loadgen/load.h"
#include "server/event_stream.h"

enum { SC__DEMO_PAGES = 3 };

/** Those who ask. */
typedef struct sc__asking {
    pthread_t thread;
    bool is_started;
    char *url;
    sc_load_report *report;  ///< the thread's until it is joined
    sc_bytes words;          ///< the flock's thread alone
    /** Its own thread sets and reads it, since a plain number is no word between threads. */
    volatile sig_atomic_t stop;
    atomic_bool has_trouble;  ///< then `trouble` stays as it is
    sc_diag trouble;
} sc__asking;

/** The one who looks. */
typedef struct sc__lookout {
    pthread_t thread;
    bool is_started;
    pthread_mutex_t lock;    ///< held for nothing but to wait for
    pthread_cond_t is_over;  ///< is_stopping
    int32_t *at;             ///< room for two numbers of each traveller
    sc_bytes words;
} sc__lookout;

struct sc_demo {
    // Set before the first request.
    const sc_map *map;
    sc_demo_options options;
    sc__fleet fleet;  ///< its two movements belong to the two threads
    sc_extra_page pages[SC__DEMO_PAGES];
    sc_service *service;  ///< borrowed
    sc_tokens *tokens;
    sc_event_stream *audience;
    // Any thread.
    sc__board *board;
    atomic_int_fast64_t start_us;  ///< sc_clock_us() when travellers' time is 0; 0: not yet
    atomic_bool is_stopping;
    // Of a thread each.
    sc__asking asking;
    sc__lookout lookout;
};

// --- travellers.c --------------------------------------------------------------------------------

/** Start the thread; sc__asking_join() when is_stopping is set. @return SC_OK, SC_EIO, SC_ENOMEM */
SC_CHECKED sc_err sc__asking_start(sc_demo *demo, const char *url, sc_diag *diag);
void sc__asking_join(sc_demo *demo);

// --- lookout.c -----------------------------------------------------------------------------------

SC_CHECKED sc_err sc__lookout_init(sc__lookout *lookout, uint32_t travellers);
void sc__lookout_fini(sc__lookout *lookout);

/** The same for this one. */
SC_CHECKED sc_err sc__lookout_start(sc_demo *demo, sc_diag *diag);

/** Wakes it as well. */
void sc__lookout_join(sc_demo *demo);

// --- demo_pages.c --------------------------------------------------------------------------------

/** Write down the demo's pages. */
void sc__demo_pages_init(sc_demo *demo);

/** For the audience: what a newcomer is told, and what happens every second. `context` is the
 * demo. */
void sc__demo_greet(void *context, unsigned loop, sc_http_request *listener);
void sc__demo_tick(void *context, unsigned loop);

#endif
