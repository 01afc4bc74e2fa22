/*
 * Sixty travellers ask from random places of a city, ten in a second. Nothing of what
 * is shown says who asks, or from where. Usage: cloak [MAP.scm], else the city is made up.
 *
 * Build: gcc cloak.c $(pkg-config --cflags --libs starcloak)
 */
#include <starcloak.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* A traveller somewhere asks to be hidden among two to four, on five roads, within ten seconds. */
static sc_err admit(sc_admission *admission, const sc_map *map, uint32_t traveller, sc_time now,
                    sc_query *query, sc_diag *diag)
{
    char name[32];
    snprintf(name, sizeof name, "traveller %u", traveller);
    sc_ask ask = {.user = name, .user_size = strlen(name), .t = now};
    ask.profile =
        (sc_profile){.k = 2 + traveller % 3, .l = 5, .max_hops = 4, sc_time_from_seconds(10)};
    ask.is_on_edge = true; /* or a longitude and a latitude, as x and y */
    ask.edge = (sc_edge_id)rand() % sc_map_edge_count(map);
    return sc_admission_admit(admission, &ask, query, NULL, diag);
}

/* Let the clock be `now`, and take whatever comes of it. */
static sc_err run(sc_engine *engine, sc_time now, sc_pruner *pruner, sc_rng *rng)
{
    sc_err err = sc_engine_run(engine, now);
    for (sc_cloak *cloak; !err && (cloak = sc_engine_take_candidate(engine));) {
        err = sc_pruner_prune(pruner, cloak, rng);
        if (!err) err = sc_engine_accept(engine, cloak, now, NULL);
        if (!err) printf("%4.1f s  %zu travellers on", (double)now / 1e6, cloak->member_count);
        for (size_t i = 0; !err && i < cloak->segment_count; i++) {
            printf(" %u%s", cloak->segments[i], i + 1 < cloak->segment_count ? "" : "\n");
        }
        /* What cannot leave is refused, and its members go on waiting for another one. */
        if (err) err = sc_engine_refuse(engine, cloak, NULL, 0);
        sc_cloak_free(cloak);
    }
    for (sc_drop drop; !err && sc_engine_take_drop(engine, &drop);) {
        printf("%4.1f s  one %s\n", (double)now / 1e6, sc_drop_reason_name(drop.reason));
    }
    return err;
}

int main(int argc, char **argv)
{
    sc_map *map = NULL;
    sc_rng *rng = NULL;             /* our choices, which must be unpredictable */
    sc_admission *admission = NULL; /* makes queries of travellers' words */
    sc_engine *engine = NULL;       /* finds company for them */
    sc_pruner *pruner = NULL;       /* trims what it found */
    const sc_city_options city = {.node_count = 500, .seed = 7};
    const sc_limits limits = sc_limits_default();
    const sc_engine_options options = sc_engine_options_default();
    uint8_t key[SC_KEY_SIZE]; /* hides who is who, even from the engine */
    sc_diag diag = {""};

    sc_err err =
        argc > 1 ? sc_map_open(argv[1], &map, &diag) : sc_map_generate_city(&city, &map, &diag);
    if (!err && getentropy(key, sizeof key) != 0) err = SC_EIO;
    if (!err) err = sc_rng_new_secure(&rng);
    if (!err) err = sc_admission_new(map, &limits, key, &admission, &diag);
    explicit_bzero(key, sizeof key); /* the admission has its own */
    if (!err) err = sc_engine_new(map, &options, rng, &engine, &diag);
    if (!err) err = sc_pruner_new(map, &pruner);

    /* The clock is handed in: a service would read one, here it jumps. */
    for (uint32_t i = 0; !err && i < 60; i++) {
        const sc_time now = sc_time_from_seconds(i / 10.0);
        sc_query query;
        err = admit(admission, map, i, now, &query, &diag);
        if (!err) err = sc_engine_add(engine, &query);
        if (!err) err = run(engine, now, pruner, rng);
    }
    for (sc_time now; !err && (now = sc_engine_next_wake(engine)) != SC_TIME_NEVER;) {
        err = run(engine, now, pruner, rng);
    }
    if (err) fprintf(stderr, "cloak: %s\n", diag.message[0] ? diag.message : sc_err_text(err));
    sc_pruner_free(pruner);
    sc_engine_free(engine);
    sc_admission_free(admission);
    sc_rng_free(rng);
    sc_map_free(map);
    return err ? 1 : 0;
}
