// A population of travellers, each with its next question. See workload.h.
//
// A traveller is either in the heap, by the time of its next question, or awaits
// an outcome. It stays where it asked last, and when it asks again it has driven
// ever since (walk_internal.h).
//
// Invariants:
//  1. A traveller is in the heap iff it awaits nothing; so the heap never holds
//     more than there are.
//  2. Of questions at the same moment the lower traveller's comes first: the order
//     does not depend on how the heap came about.
//  3. Random numbers are drawn when a question is asked or a pause begins, never
//     otherwise, and no need that is drawn changes how many follow: other needs,
//     same trips.
#include "sim/workload.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/rng.h"
#include "sim/walk_internal.h"

#include <string.h>

/** "u99999999" and its NUL, and a byte that fills the struct. */
enum { USER_SIZE = 11 };
_Static_assert(SC_TRAVELLERS_MAX <= 1000000000u, "a user has at most nine digits");

/** A traveller. */
typedef struct person {
    sc_time asked;  ///< when it last asked, that is, was where `driver` is
    sc__driver driver;
    char user[USER_SIZE];
    bool awaits;  ///< an outcome
} person;
_Static_assert(sizeof(person) == 32, "a million travellers are to fit");

/** The next question of a traveller. */
typedef struct turn {
    sc_time t;
    uint32_t traveller;
} turn;

struct sc_travellers {
    const sc_map *map;
    sc_workload workload;
    sc__crossings crossings;
    sc_rng rng;
    person *all;
    turn *heap;
    uint32_t heap_count;
    uint64_t asked_count;
};

// --- The heap ---------------------------------------------------------------

static bool is_before(turn a, turn b)
{
    return a.t < b.t || (a.t == b.t && a.traveller < b.traveller);
}

static void heap_push(sc_travellers *travellers, turn added)
{
    turn *heap = travellers->heap;
    uint32_t at = travellers->heap_count++;
    while (at > 0 && is_before(added, heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = added;
}

static turn heap_pop(sc_travellers *travellers)
{
    turn *heap = travellers->heap;
    const turn least = heap[0];
    const uint32_t count = --travellers->heap_count;
    const turn moved = heap[count];
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_before(heap[child + 1], heap[child])) child++;
        if (!is_before(heap[child], moved)) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
    return least;
}

// --- Setting out ------------------------------------------------------------

static void place_all(sc_travellers *travellers, uint32_t count)
{
    const double pause_us = travellers->workload.pause_s.mean * 1e6;
    for (uint32_t i = 0; i < count; i++) {
        person *p = &travellers->all[i];
        p->driver = sc__driver_anywhere(&travellers->crossings, &travellers->rng);
        // The remainder is `i`; the compiler wants to see that it fits.
        snprintf(p->user, sizeof p->user, "u%u", (unsigned)(i % SC_TRAVELLERS_MAX));
        // Where it sets out is where it asks first.
        p->asked = (sc_time)(sc_rng_unit(&travellers->rng) * pause_us);
        p->awaits = false;
        heap_push(travellers, (turn){p->asked, i});
    }
}

sc_err sc_travellers_new(const sc_map *map, const sc_workload *workload, uint32_t count,
                         uint64_t seed, sc_travellers **out, sc_diag *diag)
{
    if (count == 0 || count > SC_TRAVELLERS_MAX) {
        return sc_fail(diag, SC_EINVAL, "there must be 1 to %u travellers, not %u",
                       SC_TRAVELLERS_MAX, (unsigned)count);
    }
    if (sc_map_edge_count(map) == 0) {
        return sc_fail(diag, SC_EINVAL, "the map has no road to travel on");
    }
    sc_err err = sc_workload_check(workload, diag);
    if (err) return err;

    sc_travellers *travellers = sc_calloc(1, sizeof *travellers);
    if (!travellers) return sc_fail_memory(diag, "making travellers");
    travellers->map = map;
    travellers->workload = *workload;
    sc_rng_seed(&travellers->rng, seed);
    travellers->all = sc_malloc_array(count, sizeof *travellers->all);
    travellers->heap = sc_malloc_array(count, sizeof *travellers->heap);
    err = travellers->all && travellers->heap ? sc__crossings_init(&travellers->crossings, map)
                                              : SC_ENOMEM;
    if (err) {
        sc_travellers_free(travellers);
        return err == SC_ENOMEM ? sc_fail_memory(diag, "making travellers")
                                : sc_fail(diag, err, "the map has too many edges to travel on");
    }
    place_all(travellers, count);
    *out = travellers;
    return SC_OK;
}

void sc_travellers_free(sc_travellers *travellers)
{
    if (!travellers) return;
    sc__crossings_fini(&travellers->crossings);
    sc_free(travellers->all);
    sc_free(travellers->heap);
    sc_free(travellers);
}

// --- Asking -----------------------------------------------------------------

sc_time sc_travellers_next(const sc_travellers *travellers)
{
    return travellers->heap_count > 0 ? travellers->heap[0].t : SC_TIME_NEVER;
}

sc_time sc_travellers_least_pause(const sc_travellers *travellers)
{
    return sc_seconds(travellers->workload.pause_s.min);
}

static void say_place(const sc_travellers *travellers, const sc__driver *driver, sc_ask *ask)
{
    const double offset_m = driver->offset * sc_map_unit_m(travellers->map);
    if (sc_map_coords(travellers->map) != SC_COORDS_NONE) {
        sc_map_edge_position(travellers->map, driver->edge, offset_m, &ask->x, &ask->y);
        return;
    }
    ask->is_on_edge = true;
    ask->edge = driver->edge;
    ask->offset_m = offset_m;
}

static sc_profile draw_profile(const sc_workload *workload, sc_rng *rng)
{
    // One by one: the order in which an initializer is evaluated is anybody's.
    sc_profile profile;
    profile.k = sc_normal_draw_whole(&workload->k, rng);
    profile.l = sc_normal_draw_whole(&workload->l, rng);
    profile.max_hops = sc_normal_draw_whole(&workload->max_hops, rng);
    const double max_wait_s = sc_normal_draw(&workload->max_wait_s, rng);
    profile.max_wait_us = sc_seconds(max_wait_s);
    return profile;
}

uint32_t sc_travellers_ask(sc_travellers *travellers, sc_spoken *out)
{
    const turn next = heap_pop(travellers);
    person *asks = &travellers->all[next.traveller];
    sc_rng *rng = &travellers->rng;
    sc__drive(&travellers->crossings, &asks->driver, (double)(next.t - asks->asked) * 1e-6, rng);
    asks->asked = next.t;
    asks->awaits = true;

    *out = (sc_spoken){.line = ++travellers->asked_count};
    out->ask.user = asks->user;
    out->ask.user_size = strlen(asks->user);
    out->ask.t = next.t;
    say_place(travellers, &asks->driver, &out->ask);
    out->ask.profile = draw_profile(&travellers->workload, rng);
    out->request.type = SC_REQUEST_KNN;
    out->request.k = sc_normal_draw_whole(&travellers->workload.nearest, rng);
    out->ask.result_size = out->request.k;
    return next.traveller;
}

void sc_travellers_resume(sc_travellers *travellers, uint32_t traveller, sc_time t)
{
    person *resumes = &travellers->all[traveller];
    if (!resumes->awaits) return;
    resumes->awaits = false;
    // Nobody drives backwards in time, whatever the caller's clock says.
    if (t < resumes->asked) t = resumes->asked;
    const double pause_s = sc_normal_draw(&travellers->workload.pause_s, &travellers->rng);
    heap_push(travellers, (turn){t + sc_seconds(pause_s), traveller});
}
