// Who is to be found: drawn from the lines of a stream, and looked up among cases. See inject.h.
//
// Lines are shuffled as far as need be, and each brings its user in unless there is one of it
// already, or the line is nowhere on the map. So a traveller who asks often is drawn more often,
// as for an adversary who waits until somebody passes; and nothing depends on how many are wanted.
#include "score/inject_internal.h"

#include "base/alloc.h"

// --- Drawing -------------------------------------------------------------------------

/** The segment on which a line is asked, as admission with its ordinary limits finds it. */
static bool find_segment(const sc_map *map, const sc_ask *ask, sc_seg_id *out)
{
    if (ask->is_on_edge) {
        if (ask->edge >= sc_map_edge_count(map)) return false;
        *out = sc_map_edges(map)[ask->edge].segment;
        return true;
    }
    sc_snap at;
    if (sc_map_snap(map, ask->x, ask->y, sc_limits_default().max_snap_m, &at)) return false;
    *out = at.segment;
    return true;
}

static sc_key key_of(uint64_t user)
{
    return (sc_key){.high = user};
}

/** The places of all lines that victims may be drawn from; NULL if memory is out. */
static uint32_t *list_eligible(const sc_spoken *lines, size_t line_count, sc_run_window window,
                               size_t *count)
{
    uint32_t *places = sc_malloc_array(line_count, sizeof *places);
    if (!places) return NULL;
    *count = 0;
    for (size_t i = 0; i < line_count; i++) {
        if (sc_run_window_has(window, lines[i].ask.t)) places[(*count)++] = (uint32_t)i;
    }
    return places;
}

/** Take whoever asks this line in, unless it is one already. */
static sc_err take(sc_injection *injection, sc__quarry *quarries, const sc__quarry *quarry)
{
    const sc_ask *ask = &quarry->line->ask;
    const uint64_t user = sc_case_user(ask->user, ask->user_size);
    const uint32_t number = (uint32_t)injection->victim_count;
    uint32_t put = 0;
    const sc_err err = sc_hash_put(&injection->numbers, key_of(user), number, &put);
    if (err || put != number) return err;
    injection->victims[number] = (sc_victim){.user = user, .asked = ask->t};
    quarries[number] = *quarry;
    injection->victim_count++;
    return SC_OK;
}

static sc_err draw_from(uint32_t *places, size_t count, size_t wanted, sc_injection *injection,
                        const sc_map *map, const sc_spoken *lines, uint64_t seed,
                        sc__quarry *quarries)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    for (size_t i = 0; i < count && injection->victim_count < wanted; i++) {
        const size_t drawn = i + sc_rng_below(&rng, (uint32_t)(count - i));
        sc__quarry quarry = {.line = &lines[places[drawn]], .seed = sc_rng_next(&rng)};
        places[drawn] = places[i];
        if (!find_segment(map, &quarry.line->ask, &quarry.segment)) continue;
        const sc_err err = take(injection, quarries, &quarry);
        if (err) return err;
    }
    return SC_OK;
}

sc_err sc__victims_draw(sc_injection *injection, const sc_map *map, const sc_spoken *lines,
                        size_t line_count, const sc_injection_options *options, sc__quarry **out)
{
    size_t count = 0;
    uint32_t *places = list_eligible(lines, line_count, options->window, &count);
    if (!places) return SC_ENOMEM;
    const size_t wanted = options->victims < count ? options->victims : count;
    injection->victims = sc_malloc_array(wanted, sizeof *injection->victims);
    *out = sc_malloc_array(wanted, sizeof **out);
    const sc_err err = injection->victims && *out ? draw_from(places, count, wanted, injection, map,
                                                              lines, options->seed, *out)
                                                  : SC_ENOMEM;
    sc_free(places);
    return err;
}

// --- Finding -------------------------------------------------------------------------

#define NOT_FOUND SIZE_MAX

/** The first victim in a case that was in none before it. */
static size_t first_victim_in(const sc_injection *injection, const sc_case *one,
                              const size_t *which)
{
    size_t first = NOT_FOUND;
    for (size_t m = 0; m < one->member_count; m++) {
        const sc_case_member *member = &one->members[m];
        const uint32_t number = sc_hash_get(&injection->numbers, key_of(member->user), UINT32_MAX);
        if (number == UINT32_MAX || injection->victims[number].asked != member->asked) continue;
        if (number < first && which[number] == NOT_FOUND) first = number;
    }
    return first;
}

size_t sc_injection_find(const sc_injection *injection, const sc_cases *cases, size_t *which)
{
    for (size_t v = 0; v < injection->victim_count; v++) {
        which[v] = NOT_FOUND;
    }
    for (size_t c = 0; c < cases->count; c++) {
        const sc_case one = sc_cases_at(cases, c);
        const size_t victim = first_victim_in(injection, &one, which);
        if (victim != NOT_FOUND) which[victim] = c;
    }
    size_t found = 0;
    for (size_t v = 0; v < injection->victim_count; v++) {
        if (which[v] != NOT_FOUND) which[found++] = which[v];
    }
    return found;
}
