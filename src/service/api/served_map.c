// A map that is served, and the change to another. See served_map.h.
#include "api/served_map.h"

#include "api/cloak_log.h"
#include "api/events.h"
#include "api/metrics.h"
#include "api/sealed_zones.h"
#include "api/service.h"
#include "api/static_pages.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/rng.h"
#include "base/thread.h"

#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/** How often a loop counts a turn: a map waits for some of them before it is freed. */
#define TURN_S 0.5

/** How often the keeper looks at maps that retire. */
enum { LOOK_NS = 20000000 };

struct sc_served_maps {
    sc_service_internal *service;
    int eventfds[SC_SERVED_MAPS][SC_LEDGER_DESCRIPTORS];
    _Atomic(sc_served_map *) hosted[SC_SERVED_MAPS];  ///< whose ledgers the loop runs
    atomic_uint_fast64_t *turns;                      ///< of each loop
    _Atomic(sc_served_map *) lending;                 ///< loops look whether they send its pages
    atomic_bool *lends;                               ///< what each found

    pthread_mutex_t lock;
    pthread_cond_t changed;
    // Under the lock.
    sc_served_map *newest;  ///< the list of those that are there
    bool is_taken[SC_SERVED_MAPS];
    sc_served_sums gone;  ///< of those that are not
    bool is_stopping;

    // Of the thread that changes maps and stops.
    bool has_keeper;
    pthread_t keeper;
};

// --- What the threads of a map call -------------------------------------------------------------

/** Listeners draw what leaves on the map that is served. */
static bool is_shown(const sc_served_map *served)
{
    return sc_served_now(served->service) == served;
}

static void keep_cloak(const sc_served_map *served, const sc_relay *relay, uint32_t users)
{
    sc_cloak_log *log = served->service->cloak_log;
    if (!log) return;
    sc_cloak_log_add(log, sc_map_checksum(served->map), relay->segments, relay->segment_count,
                     users);
}

static void publish(void *context, const sc_relay *relay, uint64_t number, uint32_t users)
{
    const sc_served_map *served = context;
    const sc_service_internal *service = served->service;
    sc_metrics_published(service->metrics, served->density, relay, users);
    // Over HTTP it may still find no connection, and then it never leaves: see the next.
    if (service->provider == SC_COURIER_HTTP) return;
    keep_cloak(served, relay, users);
    if (!is_shown(served)) return;
    sc_events_published(service->events, relay, number, sc_courier_vocabulary(served->courier));
}

static void show_auditor(void *context, const sc_proposal *proposal, sc_ticket *members, sc_time t)
{
    const sc_served_map *served = context;
    const sc_auditor *auditor = served->service->auditor;
    auditor->left(auditor->context, proposal, members, t);
}

static void leave(void *context, const sc_errand *errand, const void *bytes, size_t size)
{
    const sc_served_map *served = context;
    const sc_service_internal *service = served->service;
    keep_cloak(served, errand->relay, errand->users);
    if (!is_shown(served)) return;
    sc_events_published(service->events, errand->relay, errand->number,
                        sc_courier_vocabulary(served->courier));
    sc_events_sent(service->events, errand->number, service->encoding, bytes, size);
}

static void take_back(void *context, sc_errand *errand)
{
    const sc_served_map *served = context;
    sc_alarms_count(served->service->alarms, errand);
    sc_ledger_errand_back(served->ledger, errand);
}

// --- One map ------------------------------------------------------------------------------------

/** The ledger and the way to the provider, whose threads call each other. */
static sc_err make_ledger(sc_served_map *served, const sc_service_options *options, sc_diag *diag)
{
    sc_service_internal *service = served->service;
    sc_ledger_options ledger = options->ledger;
    ledger.settled = sc_query_route_settled;
    ledger.all_settled = sc_query_route_all_settled;
    ledger.watched = sc_query_route_watched;
    ledger.published = publish;
    if (service->auditor) ledger.audited = show_auditor;
    ledger.context = served;
    ledger.is_hosted = service->is_ledger_hosted;
    ledger.rare.memory = service->rare_memory;
    ledger.eventfds = service->maps->eventfds[served->place];
    if (service->gateway) {
        ledger.workers = sc_gateway_port(service->gateway);
        ledger.self = sc_gateway_self(service->gateway);
    }
    sc_err err = sc_ledger_new(served->map, &ledger, &served->ledger, diag);
    if (err) return err;

    sc_rng *rng = NULL;
    err = sc_rng_new_secure(&rng);
    if (err) return sc_fail(diag, err, "the system's random generator is not available");
    sc_courier_options courier = options->courier;
    courier.leaves = leave;
    courier.back = take_back;
    courier.context = served;
    err = sc_courier_new(served->map, &courier, rng, &served->courier, diag);
    sc_rng_free(rng);
    if (err) return err;
    sc_ledger_set_courier(served->ledger, served->courier);
    return SC_OK;
}

static sc_cluster_view *view_cluster(void *context)
{
    return sc_gateway_view(context);
}

static sc_cluster_view *view_process(void *context)
{
    return sc_process_view_now(context);
}

/** The parts of the map and who has them, if there are several. */
static sc_err make_view(sc_served_map *served, const sc_partition *partition, sc_diag *diag)
{
    sc_gateway *gateway = served->service->gateway;
    if (gateway) {
        served->view = view_cluster;
        served->view_context = gateway;
        served->partition = partition;
        return SC_OK;
    }
    if (!partition || sc_partition_part_count(partition) < 2) return SC_OK;
    if (sc_process_view_new(sc_ledger_engines(served->ledger), partition, &served->process_view)) {
        return sc_fail_memory(diag, "starting");
    }
    served->view = view_process;
    served->view_context = served->process_view;
    served->partition = partition;
    return SC_OK;
}

static sc_err make_all(sc_served_map *served, const sc_service_options *options, sc_diag *diag)
{
    sc_err err = SC_OK;
    if (options->zone_key) {
        err = sc_sealed_zones_new(served->map, options->zone_key, options->zone_roads,
                                  &served->sealed_zones, diag);
    }
    if (!err) err = make_ledger(served, options, diag);
    if (!err) err = make_view(served, options->ledger.partition, diag);
    if (!err) {
        err = sc_static_pages_new(served->map, sc_courier_vocabulary(served->courier),
                                  &served->pages, diag);
    }
    if (!err && served->partition)
        err = sc_partition_page_new(served->partition, &served->partition_page, diag);
    return err;
}

/** The ledger ends first, so that no errand is sent; then those under way come back. */
static void free_queries(sc_served_map *served)
{
    if (served->ledger) sc_ledger_stop(served->ledger);
    sc_courier_free(served->courier);
    sc_process_view_free(served->process_view);
    sc_ledger_free(served->ledger);
    sc_sealed_zones_free(served->sealed_zones);
    served->courier = NULL;
    served->process_view = NULL;
    served->ledger = NULL;
    served->sealed_zones = NULL;
}

/** What is left then. */
static void free_pages(sc_served_map *served)
{
    sc_static_pages_free(served->pages);
    sc_partition_page_free(served->partition_page);
    if (served->retired) served->retired(served->retired_context);
    sc_free(served->marks);
    sc_free(served);
}

/** SC_SERVED_MAPS: there is none. */
static unsigned take_place(sc_served_maps *maps)
{
    unsigned place = 0;
    pthread_mutex_lock(&maps->lock);
    while (place < SC_SERVED_MAPS && maps->is_taken[place]) {
        place++;
    }
    if (place < SC_SERVED_MAPS) maps->is_taken[place] = true;
    pthread_mutex_unlock(&maps->lock);
    return place;
}

static void give_place(sc_served_maps *maps, unsigned place)
{
    pthread_mutex_lock(&maps->lock);
    maps->is_taken[place] = false;
    pthread_mutex_unlock(&maps->lock);
}

sc_err sc_served_map_new(sc_service_internal *service, const sc_map *map,
                         const sc_service_options *options, sc_served_map **out, sc_diag *diag)
{
    const unsigned place = take_place(service->maps);
    if (place == SC_SERVED_MAPS) {
        return sc_fail(diag, SC_EBUSY,
                       "queries still wait on the %d maps before this one; ask again when the log "
                       "says map_retired",
                       SC_SERVED_MAPS - 1);
    }
    sc_served_map *served = sc_calloc(1, sizeof *served);
    if (!served) {
        give_place(service->maps, place);
        return sc_fail_memory(diag, "making ready for a map");
    }
    served->service = service;
    served->place = place;
    served->map = map;
    served->is_geographic = sc_map_coords(map) == SC_COORDS_GEOGRAPHIC;
    served->density = options->density;
    served->marks = sc_calloc(service->loops, sizeof *served->marks);
    const sc_err err = served->marks ? make_all(served, options, diag)
                                     : sc_fail_memory(diag, "making ready for a map");
    if (err) {
        sc_served_map_discard(served);
        return err;
    }
    *out = served;
    return SC_OK;
}

void sc_served_map_discard(sc_served_map *served)
{
    if (!served) return;
    free_queries(served);
    // Its descriptors may be another's from then on.
    give_place(served->service->maps, served->place);
    served->retired = NULL;
    free_pages(served);
}

// --- Changing -----------------------------------------------------------------------------------

void sc_served_map_serve(sc_served_map *served)
{
    sc_service_internal *service = served->service;
    sc_served_maps *maps = service->maps;
    if (service->is_ledger_hosted) atomic_store(&maps->hosted[served->place], served);
    pthread_mutex_lock(&maps->lock);
    sc_served_map *before = maps->newest;
    served->older = before;
    maps->newest = served;
    atomic_store_explicit(&service->served, served, memory_order_release);
    if (before) {
        maps->gone.changes++;
        before->stage = SC_SERVED_LEFT;
        for (unsigned i = 0; i < service->loops; i++) {
            before->marks[i] = atomic_load(&maps->turns[i]);
        }
        pthread_cond_signal(&maps->changed);
    }
    pthread_mutex_unlock(&maps->lock);
}

/** In each loop, by time. */
static void count_turn(void *context, unsigned loop)
{
    sc_served_maps *maps = context;
    const sc_served_map *lending = atomic_load(&maps->lending);
    if (lending) {
        const sc_http *http = maps->service->http;
        atomic_store(&maps->lends[loop],
                     sc_static_pages_are_lent(lending->pages, http, loop) ||
                         (lending->partition_page &&
                          sc_partition_page_is_lent(lending->partition_page, http, loop)));
    }
    atomic_fetch_add_explicit(&maps->turns[loop], 1, memory_order_release);
}

static void mark_turns(const sc_served_maps *maps, sc_served_map *served)
{
    for (unsigned i = 0; i < maps->service->loops; i++) {
        served->marks[i] = atomic_load(&maps->turns[i]);
    }
}

/** Whether all loops have made a turn since. */
static bool have_turned(const sc_served_maps *maps, const sc_served_map *served)
{
    for (unsigned i = 0; i < maps->service->loops; i++) {
        if (atomic_load_explicit(&maps->turns[i], memory_order_acquire) == served->marks[i]) {
            return false;
        }
    }
    return true;
}

static void mark_handed(const sc_served_maps *maps, sc_served_map *served)
{
    for (unsigned i = 0; i < maps->service->loops; i++) {
        served->marks[i] = sc_query_route_handed(maps->service->query_route, i);
    }
}

static bool have_taken(const sc_served_maps *maps, const sc_served_map *served)
{
    for (unsigned i = 0; i < maps->service->loops; i++) {
        if (sc_query_route_taken(maps->service->query_route, i) < served->marks[i]) return false;
    }
    return true;
}

static bool is_lent_now(const sc_served_maps *maps)
{
    for (unsigned i = 0; i < maps->service->loops; i++) {
        if (atomic_load(&maps->lends[i])) return true;
    }
    return false;
}

// --- Counts -------------------------------------------------------------------------------------

static void add_counts(uint64_t *sums, const uint64_t *more, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sums[i] += more[i];
    }
}

/** Of structs that have nothing but counts. */
#define ADD_ALL(sums, more)                                                        \
    add_counts((uint64_t *)(void *)(sums), (const uint64_t *)(const void *)(more), \
               sizeof *(sums) / sizeof(uint64_t))

static void add_courier(sc_courier_stats *sums, const sc_courier_stats *more)
{
    sums->under_way += more->under_way;
    sums->sent += more->sent;
    sums->tries += more->tries;
    add_counts(sums->failed, more->failed, SC_FAILURE_COUNT);
    sums->bytes_out += more->bytes_out;
    sums->bytes_in += more->bytes_in;
    sums->times_suspended += more->times_suspended;
}

static void add_map(sc_served_sums *sums, const sc_served_map *served)
{
    const sc_ledger_stats ledger = sc_ledger_stats_of(served->ledger);
    const sc_courier_stats courier = sc_courier_stats_of(served->courier);
    sc_area_status areas;
    ADD_ALL(&sums->ledger, &ledger);
    add_courier(&sums->courier, &courier);
    sc_histogram_merge(&sums->provider_latency, sc_courier_latency(served->courier));
    if (!sc_courier_areas(served->courier, &areas)) return;
    sums->has_areas = true;
    ADD_ALL(&sums->areas, &areas);
}

/** What it had at this moment is no more; what it has done stays in the sums. */
static void add_gone(sc_served_sums *sums, const sc_served_map *served)
{
    add_map(sums, served);
    sc_ledger_stats *ledger = &sums->ledger;
    ledger->pending = 0;
    ledger->engine.pending = ledger->engine.proposed = ledger->engine.company_held = 0;
    ledger->engine.vertices = ledger->engine.active_stars = 0;
    ledger->continuity.users = ledger->continuity.waiting = ledger->continuity.bytes = 0;
    sums->courier.under_way = 0;
    sums->areas.tiles = sums->areas.bytes = 0;
}

void sc_served_sums_of(const sc_service_internal *service, sc_served_sums *out)
{
    sc_served_maps *maps = service->maps;
    *out = (sc_served_sums){.maps = 0};
    pthread_mutex_lock(&maps->lock);
    ADD_ALL(&out->ledger, &maps->gone.ledger);
    ADD_ALL(&out->areas, &maps->gone.areas);
    add_courier(&out->courier, &maps->gone.courier);
    sc_histogram_merge(&out->provider_latency, &maps->gone.provider_latency);
    out->changes = maps->gone.changes;
    for (const sc_served_map *m = maps->newest; m; m = m->older) {
        if (m->is_gone) continue;
        add_map(out, m);
        out->maps++;
    }
    if (maps->newest) {
        const sc_courier *courier = maps->newest->courier;
        const sc_histogram *latency = sc_courier_latency(courier);
        out->provider_latency.bounds = latency->bounds;
        out->provider_latency.bound_count = latency->bound_count;
        out->courier.is_suspended = sc_courier_stats_of(maps->newest->courier).is_suspended;
    }
    pthread_mutex_unlock(&maps->lock);
}

// --- The keeper ---------------------------------------------------------------------------------

static void log_retired(const sc_served_map *served, uint64_t queries)
{
    sc_log_line line;
    char checksum[17];
    sc_log *log = served->service->log;
    if (!log || !sc_log_begin(log, &line, SC_LOG_INFO, "map_retired")) return;
    (void)snprintf(checksum, sizeof checksum, "%016llx",
                   (unsigned long long)sc_map_checksum(served->map));
    sc_log_text(&line, "map", checksum);
    sc_log_count(&line, "queries", queries);
    sc_log_end(&line);
}

/** Its counts go to those that are gone, and it is asked for them no more. */
static void end_queries(sc_served_maps *maps, sc_served_map *served)
{
    const uint64_t queries = sc_ledger_stats_of(served->ledger).taken;
    pthread_mutex_lock(&maps->lock);
    add_gone(&maps->gone, served);
    served->is_gone = true;
    pthread_mutex_unlock(&maps->lock);
    free_queries(served);
    log_retired(served, queries);
    give_place(maps, served->place);
}

/** Go on to the next stage, if what this one waits for has come. */
static void retire(sc_served_maps *maps, sc_served_map *served)
{
    switch (served->stage) {
    case SC_SERVED_NOW:
    case SC_SERVED_OVER:
        return;
    case SC_SERVED_LEFT:
        if (have_turned(maps, served)) served->stage = SC_SERVED_WAITING;
        return;
    case SC_SERVED_WAITING:
        if (sc_ledger_pending(served->ledger) > 0) return;
        mark_handed(maps, served);
        served->stage = SC_SERVED_TELLING;
        return;
    case SC_SERVED_TELLING:
        if (!have_taken(maps, served)) return;
        mark_turns(maps, served);
        served->stage = SC_SERVED_QUIET;
        return;
    case SC_SERVED_QUIET:
        if (!have_turned(maps, served)) return;
        atomic_store(&maps->hosted[served->place], NULL);
        mark_turns(maps, served);
        served->stage = SC_SERVED_UNHOSTED;
        return;
    case SC_SERVED_UNHOSTED:
        // One map after the other is looked at for pages that are lent.
        if (!have_turned(maps, served) || atomic_load(&maps->lending)) return;
        end_queries(maps, served);
        atomic_store(&maps->lending, served);
        mark_turns(maps, served);
        served->stage = SC_SERVED_LENDING;
        return;
    case SC_SERVED_LENDING:
        if (!have_turned(maps, served)) return;
        if (!is_lent_now(maps)) {
            atomic_store(&maps->lending, NULL);
            served->stage = SC_SERVED_OVER;
        }
        mark_turns(maps, served);
        return;
    }
}

/** Take one whose pages nobody looks at any more out of the list. */
static sc_served_map *take_over(sc_served_maps *maps)
{
    sc_served_map **link = &maps->newest;
    while (*link && ((*link)->stage != SC_SERVED_OVER || !have_turned(maps, *link))) {
        link = &(*link)->older;
    }
    sc_served_map *over = *link;
    if (over) *link = over->older;
    return over;
}

static bool has_retiring(const sc_served_maps *maps)
{
    return maps->newest && maps->newest->older;
}

static void wait_a_moment(sc_served_maps *maps)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_NS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    (void)pthread_cond_timedwait(&maps->changed, &maps->lock, &until);
}

/** The list is only longer in front while the lock is not held: what is behind stays. */
static void look_at_all(sc_served_maps *maps)
{
    sc_served_map *served = maps->newest->older;
    pthread_mutex_unlock(&maps->lock);
    for (; served; served = served->older) {
        retire(maps, served);
    }
    pthread_mutex_lock(&maps->lock);
    for (sc_served_map *over; (over = take_over(maps));) {
        pthread_mutex_unlock(&maps->lock);
        free_pages(over);
        pthread_mutex_lock(&maps->lock);
    }
}

static void *run_keeper(void *context)
{
    sc_served_maps *maps = context;
    pthread_setname_np(pthread_self(), "maps");
    pthread_mutex_lock(&maps->lock);
    while (!maps->is_stopping) {
        if (has_retiring(maps)) {
            look_at_all(maps);
            wait_a_moment(maps);
        } else {
            pthread_cond_wait(&maps->changed, &maps->lock);
        }
    }
    pthread_mutex_unlock(&maps->lock);
    return NULL;
}

sc_err sc_served_maps_keep(sc_served_maps *maps, sc_diag *diag)
{
    if (maps->has_keeper) return SC_OK;
    if (sc_thread_start(&maps->keeper, run_keeper, maps)) {
        return sc_fail(diag, SC_EIO, "no thread can be started that frees maps");
    }
    maps->has_keeper = true;
    return SC_OK;
}

// --- All maps -----------------------------------------------------------------------------------

static int64_t run_hosted(void *context)
{
    sc_served_maps *maps = context;
    sc_time wake = SC_TIME_NEVER;
    for (unsigned i = 0; i < SC_SERVED_MAPS; i++) {
        const sc_served_map *served = atomic_load_explicit(&maps->hosted[i], memory_order_acquire);
        if (!served) continue;
        const sc_time next = sc_ledger_round(served->ledger);
        if (next < wake) wake = next;
    }
    return wake;
}

/** What was put is taken in the round that follows, which goes by what is there: the descriptor may
 * become readable only after that, and would stay so. */
static void note_input(void *context, unsigned loop)
{
    (void)loop;
    const int *fd = context;
    uint64_t times = 0;
    (void)!read(*fd, &times, sizeof times);
}

static sc_err host_ledgers(sc_served_maps *maps)
{
    sc_http *http = maps->service->http;
    sc_err err = sc_http_host(http, 0, run_hosted, maps);
    for (int i = 0; !err && i < SC_SERVED_MAPS; i++) {
        for (int k = 0; !err && k < SC_LEDGER_DESCRIPTORS; k++) {
            err = sc_http_watch(http, 0, maps->eventfds[i][k], note_input, &maps->eventfds[i][k]);
        }
    }
    return err;
}

static sc_err open_eventfds(sc_served_maps *maps)
{
    for (int i = 0; i < SC_SERVED_MAPS; i++) {
        for (int k = 0; k < SC_LEDGER_DESCRIPTORS; k++) {
            maps->eventfds[i][k] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
            if (maps->eventfds[i][k] < 0) return SC_EIO;
        }
    }
    return SC_OK;
}

static void init_lock(sc_served_maps *maps)
{
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&maps->lock, NULL);
    pthread_cond_init(&maps->changed, &steady);
    pthread_condattr_destroy(&steady);
    memset(maps->eventfds, -1, sizeof maps->eventfds);
}

sc_err sc_served_maps_new(sc_service_internal *service, sc_diag *diag)
{
    sc_served_maps *maps = sc_calloc(1, sizeof *maps);
    if (!maps) return sc_fail_memory(diag, "starting");
    service->maps = maps;
    maps->service = service;
    init_lock(maps);
    maps->turns = sc_calloc(service->loops, sizeof *maps->turns);
    maps->lends = sc_calloc(service->loops, sizeof *maps->lends);
    sc_err err = maps->turns && maps->lends ? open_eventfds(maps) : SC_ENOMEM;
    for (unsigned i = 0; !err && i < service->loops; i++) {
        err = sc_http_every(service->http, i, TURN_S, count_turn, maps);
    }
    if (!err && service->is_ledger_hosted) err = host_ledgers(maps);
    return err ? sc_fail(diag, err, "the ledger cannot be started: %s", sc_err_text(err)) : SC_OK;
}

void sc_served_maps_stop(sc_served_maps *maps)
{
    if (!maps || !maps->has_keeper) return;
    pthread_mutex_lock(&maps->lock);
    maps->is_stopping = true;
    pthread_cond_signal(&maps->changed);
    pthread_mutex_unlock(&maps->lock);
    pthread_join(maps->keeper, NULL);
    maps->has_keeper = false;
}

static void for_each_ledger(sc_served_maps *maps, void (*call)(sc_ledger *ledger))
{
    if (!maps) return;
    pthread_mutex_lock(&maps->lock);
    for (const sc_served_map *m = maps->newest; m; m = m->older) {
        if (!m->is_gone) call(m->ledger);
    }
    pthread_mutex_unlock(&maps->lock);
}

void sc_served_maps_withdraw(const sc_service_internal *service, const sc_query_id *id)
{
    sc_served_maps *maps = service->maps;
    if (!maps) {  // there is one, for good
        sc_ledger_withdraw(sc_served_now(service)->ledger, id);
        return;
    }
    pthread_mutex_lock(&maps->lock);
    for (const sc_served_map *m = maps->newest; m; m = m->older) {
        if (!m->is_gone) sc_ledger_withdraw(m->ledger, id);
    }
    pthread_mutex_unlock(&maps->lock);
}

void sc_served_maps_drain(sc_served_maps *maps)
{
    for_each_ledger(maps, sc_ledger_drain);
}

void sc_served_maps_end(sc_served_maps *maps)
{
    for_each_ledger(maps, sc_ledger_end);
}

void sc_served_maps_close(sc_served_maps *maps)
{
    if (!maps) return;
    // Not under the lock: they count, and tell of tickets, until they have ended.
    for (sc_served_map *m = maps->newest; m; m = m->older) {
        if (m->ledger) sc_ledger_stop(m->ledger);
        sc_courier_free(m->courier);
        m->courier = NULL;
    }
}

void sc_served_maps_free(sc_served_maps *maps)
{
    if (!maps) return;
    for (sc_served_map *next, *m = maps->newest; m; m = next) {
        next = m->older;
        free_queries(m);
        free_pages(m);
    }
    for (int i = 0; i < SC_SERVED_MAPS; i++) {
        for (int k = 0; k < SC_LEDGER_DESCRIPTORS; k++) {
            if (maps->eventfds[i][k] >= 0) close(maps->eventfds[i][k]);
        }
    }
    pthread_cond_destroy(&maps->changed);
    pthread_mutex_destroy(&maps->lock);
    sc_free(maps->turns);
    sc_free(maps->lends);
    sc_free(maps);
}
