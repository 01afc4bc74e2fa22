// Travellers who do as recorded ones did: options, and what becomes of them. See follow.h;
// follow_internal.h says what the other files do.
#include "traces/follow.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/rng.h"
#include "base/sort.h"
#include "traces/follow_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

sc_follow_options sc_follow_options_default(void)
{
    return (sc_follow_options){.max_snap_m = 100, .max_gap_s = 300, .seed = 1, .end_s = HUGE_VAL};
}

// Conditions are such that what is not a number fails them.
static sc_err check_options(const sc_follow_options *options, sc_diag *diag)
{
    if (!(options->max_snap_m >= 0)) {
        return sc_fail(diag, SC_EINVAL,
                       "the largest distance of a fix from a road must be 0 m or more, not %g m",
                       options->max_snap_m);
    }
    if (!(options->max_gap_s > 0)) {
        return sc_fail(diag, SC_EINVAL,
                       "the longest time between two fixes must be more than 0 s, not %g s",
                       options->max_gap_s);
    }
    if (options->fold_s != 0 && !(options->fold_s >= 1 && isfinite(options->fold_s))) {
        return sc_fail(diag, SC_EINVAL,
                       "the windows of recorded time must last 1 s or more, not %g s",
                       options->fold_s);
    }
    if (options->has_start && !isfinite(options->start_s)) {
        return sc_fail(diag, SC_EINVAL, "the start must be a time in seconds, not %g",
                       options->start_s);
    }
    if (isnan(options->end_s) || (options->has_start && options->end_s <= options->start_s)) {
        return sc_fail(diag, SC_EINVAL, "recorded time must end after its start");
    }
    return SC_OK;
}

static void count_fixes(sc__gathering *g)
{
    sc_follow_summary *summary = &g->maker.summary;
    const sc__fixes *fixes = &g->maker.fixes;
    summary->fix_count = fixes->fix_count;
    summary->outside_count = fixes->fix_count;
    for (uint32_t i = 0; i < fixes->track_count; i++) {
        const size_t first = sc__fix_search(fixes, i, 0);
        const size_t end = sc__fix_search(fixes, i, fixes->frame.end);
        if (end > first) summary->outside_count -= end - first;
    }
}

static sc_err fail_nobody(const sc_follow_summary *summary, const sc_follow_options *options,
                          sc_diag *diag)
{
    return sc_fail(
        diag, SC_EINVAL,
        "no track of the traces moves on the roads; fixes: %zu in all, %zu before the start or "
        "after the end, %zu more than %g m from any road; pairs of the others: %zu more than %g s "
        "apart, %zu without a route between them; movement needs two fixes of a track; check that "
        "traces and map show the same area in the same coordinates",
        summary->fix_count, summary->outside_count, summary->far_count, options->max_snap_m,
        summary->gap_count, options->max_gap_s, summary->no_way_count);
}

static sc_err make(sc__gathering *g, const sc_follow_input *input, const sc_follow_options *options,
                   const sc_progress *progress, sc_movement **out, sc_diag *diag)
{
    sc__maker *maker = &g->maker;
    maker->unit_m = sc_map_unit_m(input->map);
    sc_err err = sc__way_finder_init(&maker->finder, input->map, input->routes);
    if (!err) err = sc__fixes_init(&maker->fixes, input->map, input->traces, options);
    if (err) return err;
    count_fixes(g);
    err = sc__episodes_list(&g->episodes, &maker->fixes);
    if (err == SC_ELIMIT) {
        return sc_fail(diag, SC_EINVAL,
                       "folding makes more than %u travellers; choose longer windows",
                       SC_TRAVELLERS_MAX);
    }
    if (!err) err = sc__gather(g, options->max_count, options->seed, progress);
    if (err) return err;
    maker->summary.far_count = maker->fixes.far_count;
    maker->summary.traveller_count = g->count;
    if (g->count == 0) return fail_nobody(&maker->summary, options, diag);
    return sc__gathering_finish(g, options->repeats, out);
}

sc_err sc_follow_new(const sc_follow_input *input, const sc_follow_options *options,
                     const sc_progress *progress, sc_movement **out, sc_follow_summary *summary,
                     sc_diag *diag)
{
    if (sc_map_coords(input->map) == SC_COORDS_NONE) {
        return sc_fail(diag, SC_ENOCOORDS,
                       "the map has no coordinates, so traces cannot be put on its roads");
    }
    sc_err err = check_options(options, diag);
    if (err) return err;
    sc__gathering g = {0};
    err = make(&g, input, options, progress, out, diag);
    if (err == SC_ENOMEM) err = sc_fail_memory(diag, "following traces");
    if (!err && summary) *summary = g.maker.summary;
    sc__gathering_fini(&g);
    return err;
}

// === Recorded fixes as moments of ours and places on roads ======================================
// A fleet of real cabs has millions of fixes, of which a simulation may want few: so nothing is
// snapped before it is needed, and what was snapped is kept.

/** Moments are within this of the start, 126,000 years, so that differences of them fit. */
#define MOMENT_LIMIT_S 4e12

static sc_time moment_of(double seconds)
{
    return sc_time_from_seconds(fmin(fmax(seconds, -MOMENT_LIMIT_S), MOMENT_LIMIT_S));
}

// A span of time that may be without end.
static sc_time span_of(double seconds)
{
    return seconds > MOMENT_LIMIT_S ? SC_TIME_NEVER : moment_of(seconds);
}

static double first_fix_s(const sc_track *tracks, size_t count)
{
    double first_s = HUGE_VAL;
    for (size_t i = 0; i < count; i++) {
        first_s = fmin(first_s, tracks[i].fixes[0].t_s);
    }
    return first_s;
}

sc_err sc__fixes_init(sc__fixes *fixes, const sc_map *map, const sc_traces *traces,
                      const sc_follow_options *options)
{
    size_t count = 0;
    const sc_track *tracks = sc_traces_tracks(traces, &count);
    *fixes = (sc__fixes){.map = map,
                         .tracks = tracks,
                         .track_count = (uint32_t)count,
                         .max_snap_m = options->max_snap_m};
    const double start_s = options->has_start ? options->start_s : first_fix_s(tracks, count);
    fixes->frame = (sc__frame){
        .start_s = start_s,
        .end = span_of(options->end_s - start_s),
        .window = options->fold_s > 0 ? span_of(options->fold_s) : SC_TIME_NEVER,
        .max_gap = span_of(options->max_gap_s),
    };
    fixes->first = sc_malloc_array(count, sizeof *fixes->first);
    if (!fixes->first) return SC_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        fixes->first[i] = fixes->fix_count;
        fixes->fix_count += tracks[i].count;
    }
    fixes->states = sc_calloc(fixes->fix_count, sizeof *fixes->states);
    fixes->places = sc_malloc_array(fixes->fix_count, sizeof *fixes->places);
    return fixes->states && fixes->places ? SC_OK : SC_ENOMEM;
}

void sc__fixes_fini(sc__fixes *fixes)
{
    sc_free(fixes->first);
    sc_free(fixes->states);
    sc_free(fixes->places);
    *fixes = (sc__fixes){0};
}

sc_time sc__fix_moment(const sc__fixes *fixes, uint32_t track, size_t i)
{
    return moment_of(fixes->tracks[track].fixes[i].t_s - fixes->frame.start_s);
}

size_t sc__fix_search(const sc__fixes *fixes, uint32_t track, sc_time t)
{
    size_t low = 0;
    size_t high = fixes->tracks[track].count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sc__fix_moment(fixes, track, middle) < t) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// What is not even a position on the globe is too far as well: traces in metres, on a map in
// degrees.
static bool snap(const sc__fixes *fixes, const sc_fix *fix, sc_place *out)
{
    sc_snap found;
    if (sc_map_snap(fixes->map, fix->x, fix->y, fixes->max_snap_m, &found)) return false;
    const double units = round(found.offset_m / sc_map_unit_m(fixes->map));
    const uint32_t length = sc_map_edges(fixes->map)[found.edge].length;
    *out = (sc_place){found.edge, units < length ? (uint32_t)units : length};
    return true;
}

bool sc__fix_place(sc__fixes *fixes, uint32_t track, size_t i, sc_place *out)
{
    const size_t number = fixes->first[track] + i;
    if (fixes->states[number] == SC__FIX_UNKNOWN) {
        const sc_fix *fix = &fixes->tracks[track].fixes[i];
        const bool is_near = snap(fixes, fix, &fixes->places[number]);
        fixes->states[number] = is_near ? SC__FIX_NEAR : SC__FIX_FAR;
        const sc_time t = sc__fix_moment(fixes, track, i);
        if (!is_near && t >= 0 && t < fixes->frame.end) fixes->far_count++;
    }
    if (fixes->states[number] == SC__FIX_FAR) return false;
    *out = fixes->places[number];
    return true;
}

// === Who is in the movement =====================================================================
// Which episodes (a track in a window) are travellers is known only once their fixes are snapped
// and ways found, which is most of the work. So where only some are wanted, episodes are drawn in
// random order until there are enough: each of those who are ever on the roads is as likely to be
// among them, and the roads are at each moment as full as they were, but for one factor. (To prefer
// those who are on the roads for long would thin out those who come and go.) Then they are put back
// in the order of tracks and windows.

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
        .first_stop = first_stop,
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

sc_err sc__gathering_finish(sc__gathering *gathering, bool repeats, sc_movement **out)
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
    // The last moment at which somebody is on the roads belongs to it, so it ends just after.
    follow->period = repeats ? sc_time_from_seconds(maker->summary.seconds) + 1 : SC_TIME_NEVER;
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

// === Who there could be: every track in every window ============================================
// Only the times of fixes are looked at. A fix that turns out to lie far from any road can only
// take time on the road away, never add some: if two fixes on either side of it are near enough in
// time, then so is each of them and the one between.

// Add the windows from that of `begin` to that of `last` which are not there yet.
static sc_err add_windows(sc__episodes *episodes, const sc__fixes *fixes, uint32_t track,
                          sc_time begin, sc_time last)
{
    const sc_time length = fixes->frame.window;
    int64_t window = begin / length;
    if (episodes->count > 0) {
        const sc__episode *newest = &episodes->all[episodes->count - 1];
        if (newest->track == track && newest->window >= window) window = newest->window + 1;
    }
    const int64_t end = last / length + 1;
    if (end - window > (int64_t)(SC_TRAVELLERS_MAX - episodes->count)) return SC_ELIMIT;
    for (; window < end; window++) {
        if (!sc_grow(&episodes->all, episodes->count, &episodes->capacity, sizeof *episodes->all)) {
            return SC_ENOMEM;
        }
        episodes->all[episodes->count++] = (sc__episode){.window = window, .track = track};
    }
    return SC_OK;
}

static sc_err list_track(sc__episodes *episodes, const sc__fixes *fixes, uint32_t track)
{
    const sc__frame *frame = &fixes->frame;
    const size_t count = fixes->tracks[track].count;
    // The fix before the start may lead across it.
    const size_t first = sc__fix_search(fixes, track, 0);
    for (size_t i = first > 0 ? first - 1 : 0; i < count; i++) {
        const sc_time t = sc__fix_moment(fixes, track, i);
        if (t >= frame->end) break;
        sc_time last = t;
        if (i + 1 < count) {
            // What is between two fixes ends just before the second.
            const sc_time next = sc__fix_moment(fixes, track, i + 1);
            if (next > t && next - t <= frame->max_gap) last = next - 1;
        }
        if (last >= frame->end) last = frame->end - 1;
        if (last < 0) continue;
        const sc_err err = add_windows(episodes, fixes, track, t > 0 ? t : 0, last);
        if (err) return err;
    }
    return SC_OK;
}

sc_err sc__episodes_list(sc__episodes *episodes, const sc__fixes *fixes)
{
    sc_err err = SC_OK;
    for (uint32_t track = 0; !err && track < fixes->track_count; track++) {
        err = list_track(episodes, fixes, track);
    }
    return err;
}

void sc__episodes_fini(sc__episodes *episodes)
{
    sc_free(episodes->all);
    *episodes = (sc__episodes){0};
}
