// What a cloak needs of a provider of areas: the same whatever is known already. On random maps,
// with tiles of all sizes, the rounds of a cloak are compared between a provider without a cache
// and one whose cache is as others have left it.
#include <starcloak/area_provider.h>
#include <starcloak/map_generate.h>

#include "base/rng.h"
#include "support/area_server.h"
#include "support/check.h"
#include "support/odd_cloak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SNAP_M 60.0
#define LIMITS "[limits]\ndeadline = 20\nmax-questions = 10000\n"

/** What one has needed and asked for, as text. */
typedef struct told {
    char needs[8000];
    size_t size;
    sc_area_span spans[200];
    size_t span_count;
    size_t asked;
    size_t not_needed;  ///< asked for, and no tile of the round
} told;

/** One who asks, with a cache or without. */
typedef struct side {
    sc_area_settings *settings;
    sc_area_provider *provider;
    sc_area_asker *asker;
    told told;
} side;

static void note_need(void *context, uint64_t round, const sc_area_span *span)
{
    told *t = context;
    const int written =
        snprintf(t->needs + t->size, sizeof t->needs - t->size,
                 "%u: %u of level %u, %u-%u, %u-%u\n", (unsigned)round, span->category, span->level,
                 span->x[0], span->x[1], span->y[0], span->y[1]);
    assert_true(written > 0 && (size_t)written < sizeof t->needs - t->size);
    t->size += (size_t)written;
    assert_true(t->span_count < sizeof t->spans / sizeof t->spans[0]);
    t->spans[t->span_count++] = *span;
}

static void note_tile(void *context, uint64_t round, const sc_area_tile *tile)
{
    (void)round;
    told *t = context;
    bool is_needed = false;
    if (!tile->is_asked) return;
    for (size_t i = 0; i < t->span_count; i++) {
        const sc_area_span *s = &t->spans[i];
        is_needed |= s->category == tile->category && s->level == tile->level &&
                     tile->x >= s->x[0] && tile->x <= s->x[1] && tile->y >= s->y[0] &&
                     tile->y <= s->y[1];
    }
    t->asked++;
    t->not_needed += !is_needed;
}

static side open_side(const sc_map *map, area_server *server, bool names_categories,
                      const char *more)
{
    side s = {.settings = names_categories ? area_server_settings(server, more)
                                           : area_server_settings_without(
                                                 server, "&categories={categories}", more)};
    sc_diag diag = {""};
    CHECK_OK(sc_area_provider_new(map, NULL, s.settings, &s.provider, &diag), &diag);
    CHECK_OK(sc_area_asker_new(s.provider, &s.asker, &diag), &diag);
    return s;
}

static void close_side(side *s)
{
    sc_area_asker_free(s->asker);
    sc_area_provider_free(s->provider);
    sc_area_settings_free(s->settings);
}

static void ask(side *s, const sc_relay *relay)
{
    sc_diag diag = {""};
    sc_reply reply;
    const sc_area_watcher watcher = {note_need, note_tile, &s->told};
    s->told = (told){.size = 0};
    sc_area_asker_watch(s->asker, &watcher);
    sc_reply_init(&reply);
    CHECK_OK(sc_area_asker_ask(s->asker, relay, NULL, &reply, &diag), &diag);
    sc_reply_fini(&reply);
    assert_int_equal(s->told.not_needed, 0);
}

static sc_request draw_request(const sc_vocabulary *words, sc_rng *rng)
{
    sc_request r = {.type = SC_REQUEST_KNN,
                    .metric = (sc_metric)sc_rng_below(rng, 2),
                    .k = 1 + sc_rng_below(rng, 9),
                    .category_count = sc_rng_below(rng, 3)};
    const uint32_t first = sc_rng_below(rng, AREA_CATEGORIES);
    if (sc_rng_below(rng, 6) == 0) {
        r = (sc_request){.type = SC_REQUEST_RANGE,
                         .metric = SC_METRIC_DISTANCE,
                         .radius_m = 900 * sc_rng_unit(rng),
                         .category_count = r.category_count};
    }
    for (uint32_t i = 0; i < r.category_count; i++) {
        r.categories[i] = sc_vocabulary_find(words, area_categories[(first + i) % AREA_CATEGORIES]);
    }
    return sc_request_normalise(&r);
}

// One world: some cloaks are asked for by both sides. Returns how many of them took several rounds
// of which the cache served a part.
static size_t compare_world(uint64_t seed, bool names_categories)
{
    static const char *const caches[] = {"", "bytes = 4000\n", "bytes = 20000\n"};
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    const sc_city_options options = {.node_count = 200 + sc_rng_below(&rng, 1200),
                                     .seed = seed,
                                     .one_way_share = 0.3 * sc_rng_unit(&rng)};
    sc_map *map = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_map_generate_city(&options, &map, &diag), &diag);
    const uint32_t count = 20 + sc_rng_below(&rng, 600);
    area_world world = area_world_new(map, count, SNAP_M, &rng);
    area_server *server = area_server_start(&world, AREA_GOOD);
    const unsigned size_m = 50 + sc_rng_below(&rng, 700);
    char cold_text[300];
    char warm_text[300];
    snprintf(cold_text, sizeof cold_text,
             LIMITS "[tiles]\nsnap = 60\nsize = %u\n[cache]\nlifetime = 0\nstale = 0\n", size_m);
    snprintf(warm_text, sizeof warm_text, LIMITS "[tiles]\nsnap = 60\nsize = %u\n[cache]\n%s",
             size_m, caches[sc_rng_below(&rng, 3)]);
    side cold = open_side(map, server, names_categories, cold_text);
    side warm = open_side(map, server, names_categories, warm_text);
    size_t telling = 0;
    for (size_t i = 0; i < 25; i++) {
        sc_request requests[3];
        const size_t n = 1 + sc_rng_below(&rng, 3);
        for (size_t r = 0; r < n; r++) {
            requests[r] = draw_request(sc_area_provider_vocabulary(cold.provider), &rng);
        }
        odd_cloak cloak = odd_cloak_of_stars(map, 1 + sc_rng_below(&rng, 5), &rng);
        const sc_relay relay = odd_cloak_relay(&cloak, map, requests, n);
        if (sc_rng_below(&rng, 4) == 0) {
            CHECK_OK(sc_area_provider_build_index(warm.provider, &diag), &diag);
        }
        ask(&cold, &relay);
        ask(&warm, &relay);
        if (strcmp(cold.told.needs, warm.told.needs) != 0) {
            print_message("world %u, cloak %zu, tiles of %u m\n", (unsigned)seed, i, size_m);
        }
        assert_string_equal(warm.told.needs, cold.told.needs);
        assert_true(warm.told.asked <= cold.told.asked);
        telling += sc_area_asker_work(warm.asker).rounds > 1 && warm.told.asked < cold.told.asked;
        odd_cloak_free(&cloak);
    }
    close_side(&warm);
    close_side(&cold);
    area_server_stop(server);
    area_world_free(&world);
    sc_map_free(map);
    return telling;
}

static void test_what_a_cloak_needs_is_the_same_with_and_without_a_cache(void **state)
{
    (void)state;
    size_t telling = 0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        telling += compare_world(seed, seed % 3 != 0);
    }
    assert_true(telling > 100);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_a_cloak_needs_is_the_same_with_and_without_a_cache),
};
SC_SUITE(tests)
