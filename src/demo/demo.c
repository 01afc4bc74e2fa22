// The demo from its beginning to its end.
#include "demo/demo.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "demo/demo_internal.h"

#include <inttypes.h>
#include <stdio.h>

/** How often it is looked where everybody is. */
#define EVERY_MIN_S 0.02
#define EVERY_MAX_S 60.0

/** The travellers' tokens outlive every demo: ten years. */
#define TOKEN_S (10 * 365 * 86400.0)

sc_demo_options sc_demo_options_default(void)
{
    return (sc_demo_options){
        .travellers = 3000,
        .follow = sc_follow_options_default(),
        .workload = sc_workload_default(),
        .seed = 1,
        .every_s = 0.25,
        .max_listeners = 64,
        .engine = sc_engine_options_default(),
    };
}

static sc_err check_options(const sc_map *map, const sc_demo_options *options, sc_diag *diag)
{
    if (sc_map_coords(map) == SC_COORDS_NONE) {
        return sc_fail(diag, SC_ENOCOORDS, "the map has no coordinates, so it cannot be shown");
    }
    if (options->travellers < 1 || options->travellers > SC_DEMO_TRAVELLERS_MAX) {
        return sc_fail(diag, SC_EINVAL, "the number of travellers must be 1 to %d",
                       SC_DEMO_TRAVELLERS_MAX);
    }
    // Written so that whatever is no number fails too.
    if (!(options->every_s >= EVERY_MIN_S && options->every_s <= EVERY_MAX_S)) {
        return sc_fail(diag, SC_EINVAL, "the interval of updates must be %g to %g s", EVERY_MIN_S,
                       EVERY_MAX_S);
    }
    return sc_workload_check(&options->workload, diag);
}

/** What depends on who is on the road. @return SC_OK, SC_ENOMEM */
static sc_err prepare(sc_demo *demo)
{
    const uint32_t count = demo->on_road.watched->count;
    const int32_t step = sc_position_step(demo->map, &demo->on_road.grid);
    demo->options.travellers = count;
    demo->options.traces = NULL;
    const sc_err err = sc__positions_thread_init(&demo->positions_thread, count, step);
    return err ? err : sc__waiting_list_new(count, &demo->waiting);
}

static sc_err make_travellers(sc_demo *demo, const sc_demo_options *options, sc_diag *diag)
{
    sc_err err = sc__travellers_init(&demo->on_road, demo->map, options, diag);
    if (err) return err;
    err = prepare(demo);
    return err ? sc_fail_memory(diag, "preparing the demo") : SC_OK;
}

static sc_err make_replay(sc_demo *demo, const sc_demo_options *options, sc_diag *diag)
{
    const sc_replay_options replay = {
        .path = options->replay,
        .every_s = options->every_s,
        .max_places = SC_DEMO_TRAVELLERS_MAX,
        .max_listeners = options->max_listeners,
    };
    const sc_err err = sc_replay_new(demo->map, &replay, &demo->replay, diag);
    if (err) return err;
    demo->options.travellers = sc_replay_places(demo->replay);
    const sc_engine_options *recorded = sc_replay_engine(demo->replay);
    if (recorded) demo->options.engine = *recorded;  // what the adversary knows
    return SC_OK;
}

sc_err sc_demo_new(const sc_map *map, const sc_demo_options *options, sc_demo **out, sc_diag *diag)
{
    sc_err err = check_options(map, options, diag);
    if (err) return err;
    sc_demo *demo = sc_calloc(1, sizeof *demo);
    if (!demo) return sc_fail_memory(diag, "preparing the demo");
    demo->map = map;
    demo->options = *options;
    if (options->reports) err = sc_reports_new(options->reports, &demo->reports, diag);
    if (!err) {
        err = options->replay ? make_replay(demo, options, diag)
                              : make_travellers(demo, options, diag);
    }
    if (!err) {
        err = sc_place_search_new(map, &demo->places);
        if (err) (void)sc_fail_memory(diag, "preparing the demo");
    }
    if (err) {
        sc_demo_free(demo);
        return err;
    }
    sc__demo_pages_init(demo);
    *out = demo;
    return SC_OK;
}

uint32_t sc_demo_travellers(const sc_demo *demo)
{
    return demo->options.travellers;
}

const sc_engine_options *sc_demo_recorded_engine(const sc_demo *demo)
{
    return demo->replay ? sc_replay_engine(demo->replay) : NULL;
}

const sc_follow_summary *sc_demo_followed(const sc_demo *demo)
{
    return &demo->on_road.followed;
}

const sc_extra_page *sc_demo_pages(const sc_demo *demo, size_t *count)
{
    *count = demo->page_count;
    return demo->pages;
}

static sc_err issue(void *context, uint32_t i, char *out, sc_diag *diag)
{
    sc_demo *demo = context;
    char user[32];
    snprintf(user, sizeof user, "u%" PRIu32, i);
    return sc_service_issue(demo->service, user, TOKEN_S, out, diag);
}

sc_err sc_demo_attach(sc_demo *demo, sc_service *service, sc_diag *diag)
{
    demo->service = service;
    const sc_event_stream_options audience = {
        .http = sc_service_http(service),
        .loops = sc_service_loops(service),
        .max_listeners = demo->options.max_listeners,
        .greet = sc__demo_greet,
        .tick = sc__demo_tick,
        .context = demo,
    };
    sc_err err = sc_event_stream_new(&audience, &demo->audience);
    if (err) return sc_fail(diag, err, "the event stream cannot be started: %s", sc_err_text(err));
    err = sc_attack_route_new(demo->map, service, &demo->options.engine, demo->options.density,
                              &demo->attacks, diag);
    if (err) return err;
    if (demo->replay) {
        err = sc_replay_attach(demo->replay, service, demo->audience);
        return err ? sc_fail(diag, err, "the event stream cannot be started: %s", sc_err_text(err))
                   : SC_OK;
    }
    err = sc__methods_new(demo, &demo->methods, diag);
    if (err) return err;
    return sc_tokens_gather(demo->options.travellers, issue, demo, &demo->tokens, diag);
}

sc_err sc_demo_start(sc_demo *demo, const char *url, sc_diag *diag)
{
    if (demo->replay) return sc_replay_start(demo->replay, diag);
    atomic_store(&demo->start_us, sc_clock_us());
    sc_err err = sc__query_thread_start(demo, url, diag);
    if (!err) err = sc__positions_thread_start(demo, diag);
    if (err) sc_demo_stop(demo);
    return err;
}

void sc_demo_stop(sc_demo *demo)
{
    atomic_store(&demo->is_stopping, true);
    // The service sees queries through; an attack can be asked for again, and would delay the end.
    if (demo->attacks) sc_attack_route_drain(demo->attacks);
    if (demo->replay) sc_replay_stop(demo->replay);
    sc__positions_thread_join(demo);
    sc__query_thread_join(demo);
    if (demo->methods) sc__methods_stop(demo->methods);
}

const char *sc_demo_trouble(const sc_demo *demo)
{
    const sc__query_thread *asking = &demo->query_thread;
    return atomic_load(&asking->has_trouble) ? asking->trouble.message : NULL;
}

uint64_t sc_demo_violations(const sc_demo *demo)
{
    const sc_load_report *report = demo->query_thread.report;
    if (!report) return 0;
    // A demo that is closed at once has no outcome; it is a failure only if all queries were
    // refused.
    const sc_load_counts *counts = &report->counts;
    const bool is_early = counts->ends[SC_LOAD_REFUSED] == 0;
    const uint64_t excused = is_early ? counts->violations[SC_VIOLATION_NO_OUTCOME] : 0;
    return sc_load_violations(report) - excused;
}

void sc_demo_free(sc_demo *demo)
{
    if (!demo) return;
    sc_demo_stop(demo);
    sc__methods_free(demo->methods);
    sc_replay_free(demo->replay);
    sc_attack_route_free(demo->attacks);
    sc_reports_free(demo->reports);
    sc_place_search_free(demo->places);
    sc_event_stream_free(demo->audience);
    sc_tokens_free(demo->tokens);
    sc__positions_thread_fini(&demo->positions_thread);
    sc__waiting_list_free(demo->waiting);
    sc__travellers_fini(&demo->on_road);
    sc_bytes_fini(&demo->query_thread.words);
    sc_free(demo->query_thread.report);
    sc_free(demo->query_thread.url);
    sc_free(demo);
}
