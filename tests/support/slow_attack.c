// The exact posterior, by going every way that chance can take. See slow_attack.h.
#include "support/slow_attack.h"

#include "support/check.h"

#include <math.h>

/** One way that the world may be. */
typedef struct world {
    const toy_town *town;
    const sc_sighting *sighting;
    toy_segments cloak;              ///< S
    double weights[TOY_SEGMENTS];    ///< of the places of S
    uint32_t places[TOY_QUERIES];    ///< of each stranger, in S
    toy_query queries[TOY_QUERIES];  ///< the strangers, then those of the adversary
    size_t count;
    size_t order[TOY_QUERIES];  ///< who comes first
} world;

// --- Chance ----------------------------------------------------------------------

// One of those who are left, each as likely as any other.
static size_t take_one(dice *d, bool *taken, size_t count, size_t left)
{
    size_t n = dice_below(d, (uint32_t)left);
    for (size_t i = 0; i < count; i++) {
        if (!taken[i] && n-- == 0) {
            taken[i] = true;
            return i;
        }
    }
    fail_msg("no traveller is left");
    return 0;
}

static void place_strangers(world *w, dice *d)
{
    const sc_sighting *seen = w->sighting;
    for (size_t i = 0; i < seen->stranger_count; i++) {
        w->places[i] = dice_weighted(d, w->weights, (uint32_t)seen->segment_count);
        w->queries[i].segment = seen->segments[w->places[i]];
    }
}

static bool are_alike(const sc_sighting *seen)
{
    for (size_t i = 1; i < seen->stranger_count; i++) {
        if (memcmp(&seen->strangers[i], &seen->strangers[0], sizeof(sc_needs)) != 0) return false;
    }
    return true;
}

static void deal_needs(world *w, dice *d)
{
    const sc_sighting *seen = w->sighting;
    bool taken[TOY_QUERIES] = {false};
    for (size_t i = 0; i < seen->stranger_count; i++) {
        // Where all ask for the same, dealing it out changes nothing.
        const size_t hand =
            are_alike(seen) ? i
                            : take_one(d, taken, seen->stranger_count, seen->stranger_count - i);
        w->queries[i].needs = seen->strangers[hand];
    }
}

static void add_injected(world *w)
{
    const sc_sighting *seen = w->sighting;
    w->count = seen->stranger_count + seen->injected_count;
    assert_in_range(w->count, 1, TOY_QUERIES);
    for (size_t i = 0; i < seen->injected_count; i++) {
        const sc_injected *own = &seen->injected[i];
        w->queries[seen->stranger_count + i] = (toy_query){own->segment, own->needs};
    }
}

static void draw_order(world *w, dice *d)
{
    bool taken[TOY_QUERIES] = {false};
    for (size_t i = 0; i < w->count; i++) {
        w->order[i] = take_one(d, taken, w->count, w->count - i);
    }
}

// --- What comes of it ------------------------------------------------------------

// How like S the cloak is that has this query. All who are there were members of S.
static double likeness_for(const world *w, const toy_outcome *outcome, size_t query,
                           sc_likeness likeness)
{
    for (size_t i = 0; i < outcome->count; i++) {
        if (!(outcome->cloaks[i].members >> query & 1)) continue;
        const toy_segments segments = outcome->cloaks[i].segments;
        if (likeness == SC_LIKENESS_OVERLAP) {
            return (double)toy_size(segments & w->cloak) / toy_size(w->cloak);
        }
        return segments == w->cloak && toy_size(outcome->cloaks[i].members) == w->count;
    }
    return 0;
}

// Let them come in their order; add to each stranger's place what its cloak is worth.
static void play(const world *w, dice *d, sc_likeness likeness, slow_posterior *exact)
{
    toy_query in_order[TOY_QUERIES];
    toy_outcome outcome;
    for (size_t i = 0; i < w->count; i++) {
        in_order[i] = w->queries[w->order[i]];
    }
    toy_cloak(w->town, in_order, w->count, d, &outcome);
    for (size_t i = 0; i < w->count; i++) {
        if (w->order[i] >= w->sighting->stranger_count) continue;
        const double like = likeness_for(w, &outcome, i, likeness);
        exact->links[w->places[w->order[i]]] += d->chance * like;
    }
    exact->ways++;
}

// --- The posterior ---------------------------------------------------------------

static void begin(const toy_town *town, const sc_sighting *sighting, const sc_density *density,
                  world *w, slow_posterior *exact)
{
    *w = (world){.town = town, .sighting = sighting};
    *exact = (slow_posterior){.count = sighting->segment_count};
    assert_in_range(sighting->segment_count, 1, TOY_SEGMENTS);
    for (size_t i = 0; i < sighting->segment_count; i++) {
        const sc_seg_id s = sighting->segments[i];
        w->cloak |= (toy_segments)1 << s;
        w->weights[i] = density ? sc_density_weight(density, s) : 1;
        exact->segments[i] = s;
    }
}

static double sum_of(const double *numbers, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += numbers[i];
    }
    return sum;
}

double slow_normalised_entropy(const double *weights, size_t count)
{
    const double sum = sum_of(weights, count);
    double entropy = 0;
    for (size_t i = 0; i < count; i++) {
        const double p = weights[i] / sum;
        if (p > 0) entropy -= p * log2(p);
    }
    return count > 1 ? entropy / log2((double)count) : 0;
}

static void finish(slow_posterior *exact, const world *w, size_t strangers)
{
    exact->likeness = sum_of(exact->links, exact->count) / (double)strangers;
    // Where nothing explains the cloak, the density is all there is.
    if (exact->likeness == 0) memcpy(exact->links, w->weights, sizeof exact->links);
    const double sum = sum_of(exact->links, exact->count);
    for (size_t i = 0; i < exact->count; i++) {
        exact->ruled_out += exact->links[i] == 0;
        exact->links[i] /= sum;
    }
    exact->normalised_entropy = slow_normalised_entropy(exact->links, exact->count);
}

slow_posterior slow_correlate(const toy_town *town, const sc_sighting *sighting,
                              const sc_density *density, sc_likeness likeness)
{
    slow_posterior exact;
    world w;
    begin(town, sighting, density, &w, &exact);
    add_injected(&w);
    dice d = dice_new();
    do {
        place_strangers(&w, &d);
        deal_needs(&w, &d);
        draw_order(&w, &d);
        play(&w, &d, likeness, &exact);
    } while (dice_turn(&d));
    finish(&exact, &w, sighting->stranger_count);
    return exact;
}

slow_posterior slow_replay(const toy_town *town, const sc_sighting *sighting,
                           const sc_density *density, sc_likeness likeness)
{
    slow_posterior exact;
    world w;
    begin(town, sighting, density, &w, &exact);
    w.count = 1;
    dice d = dice_new();
    do {
        w.places[0] = dice_weighted(&d, w.weights, (uint32_t)sighting->segment_count);
        w.queries[0].segment = sighting->segments[w.places[0]];
        w.queries[0].needs =
            sighting->strangers[dice_below(&d, (uint32_t)sighting->stranger_count)];
        w.queries[0].needs.k = 1;
        play(&w, &d, likeness, &exact);
    } while (dice_turn(&d));
    finish(&exact, &w, 1);
    return exact;
}

double slow_link(const slow_posterior *exact, sc_seg_id segment)
{
    for (size_t i = 0; i < exact->count; i++) {
        if (exact->segments[i] == segment) return exact->links[i];
    }
    fail_msg("segment %u is not in the cloak", segment);
    return 0;
}

// --- Comparing -------------------------------------------------------------------

void slow_check_agrees(const sc_posterior *estimate, const slow_posterior *exact, const char *file,
                       int line)
{
    // Rounding, where there is no error at all.
    const double slack = 1e-9;
    assert_int_equal(estimate->link_count, exact->count);
    assert_int_equal(estimate->is_unexplained, exact->likeness == 0);
    for (size_t i = 0; i < exact->count; i++) {
        const sc_link *link = &estimate->links[i];
        assert_int_equal(link->segment, exact->segments[i]);
        check_close_at(link->linkability, exact->links[i], SLOW_ERRORS * link->error + slack, file,
                       line);
        if (exact->links[i] == 0) check_close_at(link->linkability, 0, 0, file, line);
    }
    // At its top the entropy is flat: how far off it is there is of the size of its bias.
    const double error = estimate->normalised_error + fabs(estimate->normalised_bias);
    check_close_at(estimate->normalised_entropy - estimate->normalised_bias,
                   exact->normalised_entropy, SLOW_ERRORS * error + slack, file, line);
}
