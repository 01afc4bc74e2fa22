// Prefetching changes nothing but time: an engine that prefetches for all sorts of
// queries, true and false, does exactly what one does without. Both play the
// same scene; their output is written down and compared.
#include "support/check.h"
#include "support/streams.h"

#include "engine/engine_internal.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    SCENES = 300,
    ROUNDS = 6,
    MOST_AT_ONCE = 3 * SC_ENGINE_PREFETCH_AHEAD,
    MOST = ROUNDS * MOST_AT_ONCE
};

/** A scene under way. */
typedef struct scene {
    sc_map *map;
    sc_rng world;       ///< what happens; the same in both plays
    sc_rng prefetches;  ///< queries that are prefetched for
    sc_rng engine_rng;
    sc_rng prune_rng;
    sc_engine *engine;
    sc_pruner *pruner;
    bool is_told;
    sc_time now;
    uint32_t asked;
    sc_query queries[MOST];
    FILE *record;
    uint64_t cloaks;
    uint64_t drops;
} scene;

// --- Rumours --------------------------------------------------------------------

/** A query that may come or not: somewhere, nowhere, or one that was there before. */
static sc_query rumour(scene *sc)
{
    const uint32_t segment_count = sc_map_segment_count(sc->map);
    sc_query query = plain_query(sc_rng_below(&sc->prefetches, 2 * MOST),
                                 sc_rng_below(&sc->prefetches, segment_count), 1, 1, 1, sc->now);
    switch (sc_rng_below(&sc->prefetches, 6)) {
    case 0:
        query.segment = SC_NONE;
        break;
    case 1:
        query.segment = segment_count + sc_rng_below(&sc->prefetches, 3);
        break;
    case 2:
        if (sc->asked > 0) query = sc->queries[sc_rng_below(&sc->prefetches, sc->asked)];
        break;
    default:
        break;
    }
    return query;
}

static void spread_rumours(scene *sc)
{
    if (!sc->is_told) return;
    const sc_engine_stats before = sc_engine_get_stats(sc->engine);
    const sc_time wake = sc_engine_next_wake(sc->engine);
    for (uint32_t count = sc_rng_below(&sc->prefetches, 12); count > 0; count--) {
        const sc_query query = rumour(sc);
        sc_engine_prefetch(sc->engine, &query);
    }
    const sc_engine_stats after = sc_engine_get_stats(sc->engine);
    assert_memory_equal(&after, &before, sizeof after);
    assert_true(sc_engine_next_wake(sc->engine) == wake);
}

// --- The scene ------------------------------------------------------------------

static void scene_open(scene *sc, uint64_t seed, bool is_told, FILE *record)
{
    *sc = (scene){.map = stream_map(seed), .is_told = is_told, .record = record};
    sc_rng_seed(&sc->world, seed);
    sc_rng_seed(&sc->prefetches, seed);
    sc_rng_seed(&sc->engine_rng, seed);
    sc_rng_seed(&sc->prune_rng, seed);
    const sc_engine_options options = stream_options(seed);
    CHECK_OK(sc_engine_new(sc->map, &options, &sc->engine_rng, &sc->engine, NULL), NULL);
    CHECK_OK(sc_pruner_new(sc->map, &sc->pruner), NULL);
    // As on a large map, for the one that is told.
    sc->engine->is_beyond_cache = is_told;
    // Now and then as if four thousand million had been expected already.
    if (is_told && seed % 3 == 0) sc->engine->next_prefetched = UINT32_MAX - 20;
}

static void scene_close(scene *sc)
{
    sc_pruner_free(sc->pruner);
    sc_engine_free(sc->engine);
    sc_map_free(sc->map);
}

static void write_ids(scene *sc, const char *what, const uint32_t *ids, size_t count)
{
    fprintf(sc->record, "%s", what);
    for (size_t i = 0; i < count; i++) {
        fprintf(sc->record, " %u", ids[i]);
    }
}

static void write_query(scene *sc, const char *what, const sc_query_id *id)
{
    char text[SC_QUERY_ID_TEXT];
    fprintf(sc->record, "%s %s", what, sc_query_id_text(id, text));
}

static void write_state(scene *sc)
{
    const sc_engine_stats stats = sc_engine_get_stats(sc->engine);
    fprintf(sc->record, "wake %" PRId64 ": ", sc_engine_next_wake(sc->engine));
    const uint64_t counts[] = {stats.accepted, stats.dropped[SC_DROP_EXPIRED],
                               stats.removed,  stats.dropped[SC_DROP_INFEASIBLE],
                               stats.pending,  stats.refused,
                               stats.searches, stats.checks,
                               stats.cap_hits, stats.vertices,
                               stats.proposed, stats.active_stars};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        fprintf(sc->record, " %" PRIu64, counts[i]);
    }
    fputc('\n', sc->record);
}

static void answer(scene *sc, sc_cloak *cloak)
{
    CHECK_OK(sc_pruner_prune(sc->pruner, cloak, &sc->prune_rng), NULL);
    write_ids(sc, "cloak: stars", cloak->stars, cloak->star_count);
    write_ids(sc, " segments", cloak->segments, cloak->segment_count);
    for (size_t i = 0; i < cloak->member_count; i++) {
        write_query(sc, " member", &cloak->members[i].query.id);
        fprintf(sc->record, " at %u", cloak->members[i].star);
    }
    fputc('\n', sc->record);
    spread_rumours(sc);
    if (sc_rng_below(&sc->world, 4) == 0) {
        CHECK_OK(sc_engine_refuse(sc->engine, cloak, &cloak->members[0].query.id, 1), NULL);
    } else {
        CHECK_OK(sc_engine_accept(sc->engine, cloak, sc->now, NULL), NULL);
    }
    sc_cloak_free(cloak);
    sc->cloaks++;
}

static void run(scene *sc)
{
    CHECK_OK(sc_engine_run(sc->engine, sc->now), NULL);
    for (sc_cloak *cloak; (cloak = sc_engine_take_candidate(sc->engine));) {
        answer(sc, cloak);
    }
    for (sc_drop drop; sc_engine_take_drop(sc->engine, &drop);) {
        write_query(sc, "drop", &drop.query.id);
        fprintf(sc->record, " %s at %" PRId64 "\n", sc_drop_reason_name(drop.reason), drop.t);
        sc->drops++;
    }
    write_state(sc);
}

static void ask(scene *sc)
{
    sc_rng *rng = &sc->world;
    sc_query query = plain_query(sc->asked, sc_rng_below(rng, sc_map_segment_count(sc->map)),
                                 1 + sc_rng_below(rng, 4), 1 + sc_rng_below(rng, 6),
                                 sc_rng_below(rng, 5), sc->now + sc_rng_below(rng, 60));
    query.user = sc_rng_below(rng, 10);
    // The true one, among the others; sometimes long before it comes.
    if (sc->is_told && sc_rng_below(&sc->prefetches, 2) == 0)
        sc_engine_prefetch(sc->engine, &query);
    spread_rumours(sc);
    CHECK_OK(sc_rng_below(rng, 8) == 0 ? sc_engine_add_company(sc->engine, &query)
                                       : sc_engine_add(sc->engine, &query),
             NULL);
    sc->queries[sc->asked++] = query;
}

static void play(scene *sc)
{
    spread_rumours(sc);
    for (int round = 0; round < ROUNDS; round++) {
        // A queue of one, or one longer than the engine looks ahead by itself.
        for (uint32_t count = sc_rng_below(&sc->world, MOST_AT_ONCE) + 1; count > 0; count--) {
            ask(sc);
        }
        if (sc_rng_below(&sc->world, 2) == 0) {
            const sc_err err =
                sc_engine_remove(sc->engine, &sc->queries[sc_rng_below(&sc->world, sc->asked)].id);
            fprintf(sc->record, "remove: %d\n", (int)err);
        }
        spread_rumours(sc);
        run(sc);
        sc->now += sc_rng_below(&sc->world, 30);
    }
    for (sc_time wake; (wake = sc_engine_next_wake(sc->engine)) != SC_TIME_NEVER;) {
        if (wake > sc->now) sc->now = wake;
        spread_rumours(sc);
        run(sc);
    }
}

/** Play the scene of `seed`; gives what was written down, for free(). */
static char *play_scene(uint64_t seed, bool is_told, uint64_t *cloaks, uint64_t *drops)
{
    char *text = NULL;
    size_t size = 0;
    FILE *record = open_memstream(&text, &size);
    assert_non_null(record);
    scene *sc = test_take(1, sizeof *sc);
    scene_open(sc, seed, is_told, record);
    play(sc);
    // An engine that drew a number more than the other would go on with another one.
    fprintf(record, "next random numbers %" PRIu64 " %" PRIu64 "\n", sc_rng_next(&sc->engine_rng),
            sc_rng_next(&sc->prune_rng));
    *cloaks += sc->cloaks;
    *drops += sc->drops;
    scene_close(sc);
    free(sc);
    assert_int_equal(fclose(record), 0);
    return text;
}

static void test_an_engine_does_the_same_whatever_is_prefetched(void **state)
{
    (void)state;
    uint64_t cloaks = 0;
    uint64_t drops = 0;
    for (uint64_t seed = 0; seed < SCENES; seed++) {
        check_case(seed);
        char *without = play_scene(seed, false, &cloaks, &drops);
        char *with = play_scene(seed, true, &cloaks, &drops);
        assert_string_equal(with, without);
        free(without);
        free(with);
    }
    check_case_done();
    // Enough of both to mean something.
    assert_true(cloaks > 10 * (uint64_t)SCENES);
    assert_true(drops > 10 * (uint64_t)SCENES);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_an_engine_does_the_same_whatever_is_prefetched),
};
SC_SUITE(tests)
