/**
 * @file demo.h
 * @brief Secret: the demo's travellers, and the pages that show what they do. For `starcloak demo`
 * alone.
 *
 * Simulated travellers (loadgen/loadgen.h) move on the map, on trips of their own or as in recorded
 * traces, and ask the service over real HTTP, with tokens, like any others. What they know of
 * themselves is shown in the UI: where they are, what they ask, how it ends. All of that comes from
 * the travellers' side. The service neither knows nor includes this folder; it is given some pages
 * to show (service.h: sc_extra_page), and `starcloak serve` gives it none.
 *
 *     err = sc_demo_new(map, &options, &demo, &diag);
 *     service_options.extra = sc_demo_pages(demo, &service_options.extra_count);
 *     err = sc_service_new(map, &service_options, &service, &diag);
 *     err = sc_demo_attach(demo, service, &diag);          // before sc_service_start()
 *     err = sc_service_start(service, &diag);
 *     err = sc_demo_start(demo, "http://127.0.0.1:8080", &diag);    // travellers set out
 *     ...
 *     sc_demo_stop(demo);                                  // before sc_service_drain()
 *     sc_service_free(service); sc_demo_free(demo);
 *
 * Or a recorded run is shown instead of travellers (replay.h): then no query is asked, and the
 * events of the service, too, are those of the record.
 *
 * Four more pages are for people who judge what they see: other methods, which cloak the
 * travellers' questions side by side (/demo/methods); an adversary who attacks cloaks on demand
 * (POST /v1/attacks), told nothing but what the request says; the report of an experiment
 * (/reports/); and streets and objects by name (GET /demo/places).
 *
 * docs/ui.md has the pages' words: /demo/about, /demo/events, /demo/engine, /demo/methods,
 * /demo/places, /demo/replay, /v1/attacks, /reports/.
 */
#ifndef SC_DEMO_DEMO_H
#define SC_DEMO_DEMO_H

#include <starcloak/density.h>
#include <starcloak/engine.h>
#include <starcloak/map.h>
#include <starcloak/objects.h>

#include "api/service.h"
#include "sim/workload.h"
#include "traces/follow.h"

/** No more travellers. Each holds a descriptor at both ends of its connection, and hard limits of
 * 20,000 in one table are met in practice; and where they all are is one event, of some 11 bytes
 * for each, which a listener's stream must hold. */
enum { SC_DEMO_TRAVELLERS_MAX = 15000 };

typedef struct sc_demo_options {
    uint32_t travellers;  ///< 1 to SC_DEMO_TRAVELLERS_MAX; with traces, no more than that
    /** Travellers do as in these, again and again, and not trips of their own. Read only while the
     * demo is made; NULL: none. */
    const sc_traces *traces;
    sc_follow_options follow;  ///< with traces; max_count, seed and repeats are the demo's
    const char *replay;        ///< a record that is shown instead of travellers; NULL: none
    sc_workload workload;
    uint64_t seed;
    double every_s;  ///< between two looks at where everybody is, 0.02 to 60
    size_t max_listeners;
    /** What the provider is known to have: of a hundred answers one is compared with it. Borrowed;
     * NULL: none are. */
    const sc_objects *objects;
    /** Attacks on demand: the operator's parameters of all methods, and how busy roads are
     * (borrowed; NULL: all alike). */
    sc_engine_options engine;
    const sc_density *density;
    const char *reports;  ///< a folder of `starcloak experiment`; NULL: none
} sc_demo_options;

/** 3,000 travellers on trips; needs as in sc_workload_default(), pauses of 20 s; every 0.25 s, 64
 * listeners; no answers compared; the default engine, no density, no reports. */
sc_demo_options sc_demo_options_default(void);

typedef struct sc_demo sc_demo;

/** Put the travellers on the road: finding fastest ways is prepared, which takes a moment on a
 * large map; or read the record; and open the folder of reports. @param map  borrowed. @return
 * SC_OK, SC_EINVAL, SC_ENOCOORDS (nothing to look at), SC_EIO (no such folder), SC_ENOMEM; of a
 * record, as sc_tape_open() */
SC_CHECKED sc_err sc_demo_new(const sc_map *map, const sc_demo_options *options, sc_demo **out,
                              sc_diag *diag);

/** How many travellers there are; of a replay, how many queries are shown at once. */
uint32_t sc_demo_travellers(const sc_demo *demo);

/** The engine that made the cloaks of a replayed record; NULL if it does not tell, or there is
 * none. The service should have the same: the page names it, and the adversary takes it for known.
 * Lent.
 */
const sc_engine_options *sc_demo_recorded_engine(const sc_demo *demo);

/** What became of the traces; all 0 without any. Lent. */
const sc_follow_summary *sc_demo_followed(const sc_demo *demo);

/** Its pages, for the service; lent. */
const sc_extra_page *sc_demo_pages(const sc_demo *demo, size_t *count);

/** Get to know the service that shows the pages: tokens are its, and engines are switched there.
 * The travellers' tokens are issued here once: if the service reads other keys later (SIGHUP), they
 * are refused from then on. Borrowed until the demo is freed, and not touched by that. */
SC_CHECKED sc_err sc_demo_attach(sc_demo *demo, sc_service *service, sc_diag *diag);

/** Let the travellers ask. @param url  of the service. @return SC_OK, SC_EIO (a thread), SC_ENOMEM
 */
SC_CHECKED sc_err sc_demo_start(sc_demo *demo, const char *url, sc_diag *diag);

/** The travellers stop; waits for their threads. Attacks are given up, and no more are taken. Twice
 * is harmless. */
void sc_demo_stop(sc_demo *demo);

/** Why the travellers stopped, without positions or users; NULL if they have not. The service goes
 * on without them. Any thread; borrowed. */
const char *sc_demo_trouble(const sc_demo *demo);

/** What they found that must not happen, as violations of promises (0: nothing). After
 * sc_demo_stop(). */
uint64_t sc_demo_violations(const sc_demo *demo);

/** After the service's loops have stopped; NULL is fine. */
void sc_demo_free(sc_demo *demo);

#endif
