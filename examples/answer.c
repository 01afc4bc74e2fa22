/*
 * Both ends of a relayed request: a traveller is cloaked, the provider answers for the whole cloak,
 * and the exact answer is made of that. Usage: answer [MAP.scm]; without one, a city is made up.
 *
 * Build: gcc answer.c $(pkg-config --cflags --libs starcloak)
 */
#include <starcloak.h>

#include <stdio.h>

/* Somebody, somewhere, who wants eight roads around and no company (k = 1): one cloak. */
static sc_err cloak_one(sc_anonymizer *anonymizer, sc_edge_id edge, sc_anonymizer_ticket *ticket,
                        sc_anonymizer_outcome *outcome, sc_diag *diag)
{
    sc_ask ask = {.user = "u", .user_size = 1, .is_on_edge = true, .edge = edge};
    ask.profile = (sc_profile){.k = 1, .l = 8, .max_hops = 4};
    ask.profile.max_wait_us = sc_time_from_seconds(10);
    sc_err err = sc_anonymizer_ask(anonymizer, &ask, 0, ticket, diag);
    if (!err) err = sc_anonymizer_run(anonymizer, 0, diag);
    if (err) return err;
    const bool is_cloaked = sc_anonymizer_take(anonymizer, outcome) && outcome->cloak;
    return is_cloaked ? SC_OK : SC_ELIMIT; /* a map of fewer than eight roads */
}

/* What leaves of the cloak. */
static sc_err make_relay(const sc_map *map, const sc_cloak *cloak, const sc_request *request,
                         sc_rng *rng, sc_relay **relay)
{
    uint32_t place; /* of the request among those of the relay: there is one */
    const sc_relay_content content = {
        .segments = cloak->segments,
        .segment_count = cloak->segment_count,
        .border_nodes = cloak->border_nodes,
        .border_node_count = cloak->border_node_count,
        .requests = request,
        .member_count = 1,
    };
    return sc_relay_new(map, &content, rng, &place, relay);
}

int main(int argc, char **argv)
{
    sc_map *map = NULL;
    sc_rng *rng = NULL;
    sc_anonymizer *anonymizer = NULL;
    sc_anonymizer_ticket ticket = {0};   /* the position: stays here */
    sc_anonymizer_outcome outcome = {0}; /* who is in the cloak: stays here too */
    sc_relay *relay = NULL;              /* what leaves */
    sc_objects *objects = NULL;          /* what the provider has */
    sc_lbs *provider = NULL;
    sc_reply reply;           /* what comes back */
    sc_filter *filter = NULL; /* what makes the exact answer of it */
    const sc_city_options city = {.node_count = 2000, .seed = 7};
    const sc_lbs_options lbs_options = sc_lbs_options_default();
    const sc_filter_options filter_options = sc_filter_options_default();
    const sc_request request = {.type = SC_REQUEST_KNN, .k = 3};
    const sc_near *found;
    size_t count;
    sc_diag diag = {""};
    sc_reply_init(&reply);
    sc_err err =
        argc > 1 ? sc_map_open(argv[1], &map, &diag) : sc_map_generate_city(&city, &map, &diag);
    if (!err) err = sc_anonymizer_new(map, NULL, &anonymizer, &diag);
    const sc_edge_id edge = err ? 0 : sc_map_edge_count(map) / 2;
    if (!err) err = cloak_one(anonymizer, edge, &ticket, &outcome, &diag);
    if (!err) err = sc_rng_new_secure(&rng);
    if (!err) err = make_relay(map, outcome.cloak, &request, rng, &relay);
    /* The provider sees the relay and nothing else. */
    if (!err) err = sc_objects_new_from_map(map, &objects);
    if (!err) err = sc_lbs_new(map, &lbs_options, &provider, &diag);
    if (!err) err = sc_lbs_evaluate(provider, objects, relay, &reply, &diag);
    /* Back on the trusted side: believe nothing, then make the answer. */
    const sc_road_point at = {.edge = ticket.where.edge, .offset_m = ticket.where.offset_m};
    if (!err) err = sc_filter_new(map, &filter_options, &filter, &diag);
    if (!err) err = sc_filter_open(filter, relay, &reply, &diag);
    if (!err) err = sc_filter_answer(filter, at, 0, &found, &count, &diag);
    if (!err) printf("out: %zu segments. back: ", relay->segment_count);
    if (!err) printf("%zu objects. nearest:\n", sc_reply_candidate_count(&reply, 0));
    for (size_t i = 0; !err && i < count; i++) {
        printf("%6.0f m  object %u\n", found[i].distance_m, found[i].object);
    }
    if (err) fprintf(stderr, "answer: %s\n", diag.message[0] ? diag.message : sc_err_text(err));
    sc_filter_free(filter);
    sc_reply_fini(&reply);
    sc_lbs_free(provider);
    sc_objects_release(objects);
    sc_relay_free(relay);
    sc_anonymizer_free(anonymizer);
    sc_rng_free(rng);
    sc_map_free(map);
    return err ? 1 : 0;
}
