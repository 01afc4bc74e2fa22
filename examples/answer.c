/*
 * Both ends of a relayed request: a traveller is cloaked, the provider answers for the whole cloak,
 * and the exact answer is made of that. Usage: answer [MAP.scm]; without one, a city is made up.
 *
 * Build: gcc answer.c $(pkg-config --cflags --libs starcloak)
 */
#include <starcloak.h>

#include <stdio.h>

/* Somebody, somewhere, content with eight roads around and no company (k = 1): one cloak. */
static sc_err cloak_one(const sc_map *map, sc_rng *rng, sc_snap *where, sc_cloak **cloak,
                        sc_diag *diag)
{
    const uint8_t key[SC_KEY_SIZE] = "draw it anew, see cloak.c";
    const sc_limits limits = sc_limits_default();
    const sc_engine_options options = sc_engine_options_default();
    sc_ask ask = {.user = "u", .user_size = 1, .is_on_edge = true};
    ask.edge = sc_map_edge_count(map) / 2;
    ask.profile =
        (sc_profile){.k = 1, .l = 8, .max_hops = 4, .max_wait_us = sc_time_from_seconds(10)};
    sc_admission *admission = NULL;
    sc_engine *engine = NULL;
    sc_pruner *pruner = NULL;
    sc_query query;
    sc_err err = sc_admission_new(map, &limits, key, &admission, diag);
    if (!err) err = sc_admission_admit(admission, &ask, &query, where, diag);
    if (!err) err = sc_engine_new(map, &options, rng, &engine, diag);
    if (!err) err = sc_pruner_new(map, &pruner);
    if (!err) err = sc_engine_add(engine, &query);
    if (!err) err = sc_engine_run(engine, 0);
    *cloak = err ? NULL : sc_engine_take_candidate(engine);
    if (!err && !*cloak) err = SC_ELIMIT; /* a map of fewer than eight roads */
    if (!err) err = sc_pruner_prune(pruner, *cloak, rng);
    if (!err) err = sc_engine_accept(engine, *cloak, 0, diag);
    sc_pruner_free(pruner);
    sc_engine_free(engine);
    sc_admission_free(admission);
    return err;
}

int main(int argc, char **argv)
{
    sc_map *map = NULL;
    sc_rng *rng = NULL;
    sc_cloak *cloak = NULL;     /* who, and with whom: stays here, as the position does */
    sc_relay *relay = NULL;     /* what leaves */
    sc_objects *objects = NULL; /* what the provider has */
    sc_lbs *provider = NULL;
    sc_reply reply;           /* what comes back */
    sc_filter *filter = NULL; /* what makes the exact answer of it */
    const sc_city_options city = {.node_count = 2000, .seed = 7};
    const sc_lbs_options lbs_options = sc_lbs_options_default();
    const sc_filter_options filter_options = sc_filter_options_default();
    const sc_request request = {.type = SC_REQUEST_KNN, .k = 3};
    sc_snap where;  /* stays here */
    uint32_t place; /* of the request among those of the relay: there is one */
    const sc_near *found;
    size_t count;
    sc_diag diag = {""};
    sc_reply_init(&reply);
    sc_err err =
        argc > 1 ? sc_map_open(argv[1], &map, &diag) : sc_map_generate_city(&city, &map, &diag);
    if (!err) err = sc_rng_new_secure(&rng);
    if (!err) err = cloak_one(map, rng, &where, &cloak, &diag);
    if (!err)
        err = sc_relay_new(map, cloak->segments, cloak->segment_count, cloak->border_nodes,
                           cloak->border_node_count, &request, 1, rng, &place, &relay);
    /* The provider sees the relay and nothing else. */
    if (!err) err = sc_objects_new_from_map(map, &objects);
    if (!err) err = sc_lbs_new(map, &lbs_options, &provider, &diag);
    if (!err) err = sc_lbs_evaluate(provider, objects, relay, &reply, &diag);
    /* Back on the trusted side: believe nothing, then make the answer. */
    if (!err) err = sc_filter_new(map, &filter_options, &filter, &diag);
    if (!err) err = sc_filter_open(filter, relay, &reply, &diag);
    if (!err)
        err = sc_filter_answer(filter, where.edge, where.offset_m, place, &found, &count, &diag);
    if (!err) printf("out: %zu segments. back: ", relay->segment_count);
    if (!err) printf("%zu objects. nearest:\n", sc_reply_candidate_count(&reply, place));
    for (size_t i = 0; !err && i < count; i++) {
        printf("%6.0f m  object %u\n", found[i].distance_m, found[i].object);
    }
    if (err) fprintf(stderr, "answer: %s\n", diag.message[0] ? diag.message : sc_err_text(err));
    sc_filter_free(filter);
    sc_reply_fini(&reply);
    sc_lbs_free(provider);
    sc_objects_release(objects);
    sc_relay_free(relay);
    sc_cloak_free(cloak);
    sc_rng_free(rng);
    sc_map_free(map);
    return err ? 1 : 0;
}
