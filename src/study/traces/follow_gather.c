// Who is in the movement. See follow_internal.h.
//
// Which episodes (a track in a window) are travellers is known only once their fixes are snapped
// and ways found, which is most of the work. So where only some are wanted, episodes are drawn in
// random order until there are enough: whoever is ever on the roads is as likely to be among them
// as anybody else, and the roads are at each moment as full as they were, but for one factor. (To
// prefer those who are on the roads for long would thin out those who come and go.) Then they are
// put back in the order of tracks and windows.
#include "traces/follow_internal.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// --- Drawing ----------------------------------------------------------------

static sc_err add_follower(sc__gathering *g, uint32_t episode, size_t first_stop)
{
    if (!sc_grow(&g->chosen, g->count, &g->chosen_capacity, sizeof *g->chosen) ||
        !sc_grow(&g->followers, g->count, &g->follower_capacity, sizeof *g->followers)) {
        return SC_ENOMEM;
    }
    const sc__stops *stops = &g->maker.stops;
    sc__follower *added = &g->followers[g->count];
    *added = (sc__follower){
        .stop = first_stop,
        .stop_end = stops->count,
        .until = sc__episode_end(&g->maker.fixes.frame, &g->episodes.all[episode]),
    };
    const sc_time last = stops->all[stops->count - 1].t;
    const double seconds = (double)(last < added->until ? last : added->until) * 1e-6;
    g->maker.summary.seconds = fmax(g->maker.summary.seconds, seconds);
    g->chosen[g->count++] = episode;
    return SC_OK;
}

// The next episode to look at, the `drawn`-th: any of those not yet drawn, or just the next.
static uint32_t draw(const sc__gathering *g, uint32_t drawn, sc_rng *rng)
{
    if (!g->order) return drawn;
    const uint32_t at = drawn + sc_rng_below(rng, (uint32_t)g->episodes.count - drawn);
    const uint32_t episode = g->order[at];
    g->order[at] = g->order[drawn];
    g->order[drawn] = episode;
    return episode;
}

static void report(const sc_progress *progress, uint64_t done, uint64_t total)
{
    if (progress && progress->report) {
        progress->report(progress->context, "following traces", done, total);
    }
}

sc_err sc__gather(sc__gathering *gathering, uint32_t max_count, uint64_t seed,
                  const sc_progress *progress)
{
    enum { REPORT_EVERY = 256 };
    const uint32_t episode_count = (uint32_t)gathering->episodes.count;
    const bool is_choice = max_count > 0 && max_count < episode_count;
    const uint32_t wanted = is_choice ? max_count : episode_count;
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    if (is_choice) {
        gathering->order = sc_malloc_array(episode_count, sizeof *gathering->order);
        if (!gathering->order) return SC_ENOMEM;
        for (uint32_t i = 0; i < episode_count; i++) {
            gathering->order[i] = i;
        }
    }
    for (uint32_t drawn = 0; drawn < episode_count && gathering->count < wanted; drawn++) {
        if (drawn % REPORT_EVERY == 0) {
            report(progress, is_choice ? gathering->count : drawn, wanted);
        }
        const uint32_t episode = draw(gathering, drawn, &rng);
        const size_t first_stop = gathering->maker.stops.count;
        bool is_traveller = false;
        sc_err err =
            sc__episode_make(&gathering->maker, &gathering->episodes.all[episode], &is_traveller);
        if (!err && is_traveller) err = add_follower(gathering, episode, first_stop);
        if (err) return err;
    }
    report(progress, wanted, wanted);
    return SC_OK;
}

// --- Putting it together ----------------------------------------------------

// Followers in the order of their episodes, however they were drawn.
static sc_err put_in_order(sc__gathering *g)
{
    if (!g->order) return SC_OK;
    sc_err err = SC_ENOMEM;
    uint32_t *order = sc_malloc_array(g->count, sizeof *order);
    uint32_t *chosen = sc_malloc_array(g->count, sizeof *chosen);
    sc__follower *followers = sc_malloc_array(g->count, sizeof *followers);
    if (order && chosen && followers) err = sc_sort_order(g->chosen, g->count, order);
    if (err) {
        sc_free(chosen);
        sc_free(followers);
    } else {
        for (uint32_t i = 0; i < g->count; i++) {
            chosen[i] = g->chosen[order[i]];
            followers[i] = g->followers[order[i]];
        }
        sc_free(g->chosen);
        sc_free(g->followers);
        g->chosen = chosen;
        g->followers = followers;
    }
    sc_free(order);
    return err;
}

// All names, one behind the other, each ended by NUL.
static sc_err name_all(sc__gathering *g, char **out)
{
    enum { WINDOW_ROOM = 24 };
    const sc__fixes *fixes = &g->maker.fixes;
    const bool is_folded = fixes->frame.window != SC_TIME_NEVER;
    char *names = NULL;
    size_t used = 0;
    size_t capacity = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        const sc__episode *episode = &g->episodes.all[g->chosen[i]];
        const char *track = fixes->tracks[episode->track].name;
        const size_t size = strlen(track);
        if (!sc_reserve(&names, used + size + WINDOW_ROOM, &capacity, 1)) {
            sc_free(names);
            return SC_ENOMEM;
        }
        g->followers[i].name = used;
        memcpy(names + used, track, size + 1);
        used += size;
        if (is_folded) {
            used += (size_t)snprintf(names + used, WINDOW_ROOM, "#%" PRId64, episode->window);
        }
        used++;
    }
    *out = names;
    return SC_OK;
}

sc_err sc__gathering_finish(sc__gathering *gathering, sc_movement **out)
{
    sc__maker *maker = &gathering->maker;
    sc_err err = put_in_order(gathering);
    if (err) return err;
    sc__follow *follow = sc_calloc(1, sizeof *follow);
    if (!follow) return SC_ENOMEM;
    err = name_all(gathering, &follow->names);
    if (err) {
        sc_free(follow);
        return err;
    }
    follow->movement =
        (sc_movement){.kind = &sc__follow_kind, .map = maker->fixes.map, .count = gathering->count};
    follow->followers = gathering->followers;
    follow->stops = maker->stops.all;
    follow->legs = maker->legs;
    gathering->followers = NULL;
    maker->stops = (sc__stops){0};
    maker->legs = (sc__legs){0};
    *out = &follow->movement;
    return SC_OK;
}

void sc__gathering_fini(sc__gathering *gathering)
{
    sc__fixes_fini(&gathering->maker.fixes);
    sc__way_finder_fini(&gathering->maker.finder);
    sc_free(gathering->maker.stops.all);
    sc_free(gathering->maker.legs.all);
    sc__episodes_fini(&gathering->episodes);
    sc_free(gathering->order);
    sc_free(gathering->chosen);
    sc_free(gathering->followers);
    *gathering = (sc__gathering){0};
}
