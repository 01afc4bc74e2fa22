/*
 * How well does a cloak hide its travellers? One is attacked by someone who knows the map, the
 * method and the cloak, but not the dice. Usage: attack [MAP.scm], else the city is made up.
 *
 * Build: gcc attack.c $(pkg-config --cflags --libs starcloak)
 */
#include <starcloak.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Made-up travellers ask until three or more are cloaked together; cloak.c admits real ones. */
static sc_err cloak_some(const sc_map *map, const sc_engine_options *options, sc_rng *rng,
                         sc_cloak **cloak, sc_diag *diag)
{
    sc_engine *engine = NULL;
    sc_pruner *pruner = NULL;
    sc_err err = sc_engine_new(map, options, rng, &engine, diag);
    if (!err) err = sc_pruner_new(map, &pruner);
    for (uint32_t i = 0; !err && !*cloak && i < 1000; i++) {
        sc_query query = {.user = i, .deadline = 10000000, .k = 3, .l = 5, .max_hops = 4};
        memcpy(query.id.bytes, &i, sizeof i);
        query.segment = (sc_seg_id)rand() % sc_map_segment_count(map);
        err = sc_engine_add(engine, &query);
        if (!err) err = sc_engine_run(engine, 0);
        if (!err) *cloak = sc_engine_take_candidate(engine);
    }
    if (!err && !*cloak) err = SC_ELIMIT; /* a map on which no cloak is found */
    if (!err) err = sc_pruner_prune(pruner, *cloak, rng);
    if (!err) err = sc_engine_accept(engine, *cloak, 0, diag);
    sc_pruner_free(pruner);
    sc_engine_free(engine);
    return err;
}

/* What the adversary gets to see: the roads, and what the members asked for. Not who, not where. */
static sc_err attack(sc_adversary *who, const sc_cloak *cloak, sc_posterior *belief, sc_diag *diag)
{
    sc_needs *needs = calloc(cloak->member_count, sizeof *needs);
    sc_sighting sighting = {.segments = cloak->segments, .segment_count = cloak->segment_count};
    sighting.strangers = needs;
    sighting.stranger_count = cloak->member_count;
    if (!needs) return SC_ENOMEM;
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_query *asked = &cloak->members[i].query;
        needs[i] = (sc_needs){asked->k, asked->l, asked->max_hops, asked->result_size};
    }
    const sc_err err = sc_adversary_correlate(who, 1, &sighting, belief, diag);
    free(needs);
    return err;
}

/* Only here does the guess meet the truth. */
static void print(const sc_posterior *belief, const sc_cloak *cloak)
{
    for (size_t i = 0; i < belief->link_count; i++) {
        const sc_link *link = &belief->links[i];
        bool is_true = false;
        for (size_t j = 0; j < cloak->member_count; j++) {
            is_true |= cloak->members[j].query.segment == link->segment;
        }
        printf("road %5u  %.3f +- %.3f", link->segment, link->linkability, link->error);
        puts(is_true ? "  a traveller is here" : "");
    }
    printf("%zu travellers on %zu roads: %.2f bits, as good as %.1f equally likely roads\n",
           cloak->member_count, belief->link_count, belief->entropy, belief->effective);
}

int main(int argc, char **argv)
{
    sc_map *map = NULL;
    sc_rng *rng = NULL;
    sc_cloak *cloak = NULL;
    sc_adversary *adversary = NULL;
    sc_posterior belief = {.links = NULL}; /* how likely it is that a traveller is on each road */
    const sc_city_options city = {.node_count = 500, .seed = 7};
    const sc_adversary_options options = sc_adversary_options_default();
    sc_diag diag = {""};
    sc_err err =
        argc > 1 ? sc_map_open(argv[1], &map, &diag) : sc_map_generate_city(&city, &map, &diag);
    if (!err) err = sc_rng_new_secure(&rng);
    if (!err) err = cloak_some(map, &options.engine, rng, &cloak, &diag);
    if (!err) err = sc_adversary_new(map, &options, NULL, &adversary, &diag);
    if (!err) err = attack(adversary, cloak, &belief, &diag);
    if (!err) print(&belief, cloak);
    if (err) fprintf(stderr, "attack: %s\n", diag.message[0] ? diag.message : sc_err_text(err));
    sc_posterior_fini(&belief);
    sc_adversary_free(adversary);
    sc_cloak_free(cloak);
    sc_rng_free(rng);
    sc_map_free(map);
    return err ? 1 : 0;
}
