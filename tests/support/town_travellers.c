// Travellers of an odd town. See town_travellers.h.
#include "support/town_travellers.h"

#include "base/clock.h"
#include "support/check.h"
#include "support/ledger_fixture.h"
#include "support/odd_cloak.h"
#include "support/odd_objects.h"

/** However slow the machine is, no query's time runs out. */
static const sc_time long_wait = INT64_C(3600000000);

void town_ask(sc_ledger *ledger, odd_town *town, uint32_t number, uint32_t k)
{
    const sc_seg_id segment = sc_rng_below(&town->rng, sc_map_segment_count(town->map));
    const odd_position at = odd_position_on(town->map, segment, &town->rng);
    const uint32_t categories = sc_objects_vocabulary(town->objects)->count;
    sc_request request = odd_request(town->map, categories, &town->rng);
    // Doors let nothing pass that the provider would not answer.
    const sc_request_limits limits = sc_request_limits_default();
    if (request.radius_m > limits.max_radius_m) request.radius_m = limits.max_radius_m;
    if (request.radius_s > limits.max_radius_s) request.radius_s = limits.max_radius_s;
    sc_ticket *ticket = ledger_ticket(number, k, sc_clock_us() + long_wait);
    ticket->query.segment = segment;
    ticket->edge = at.edge;
    ticket->offset_m = at.offset_m;
    ticket->request = sc_request_normalise(&request);
    CHECK_OK(sc_ledger_submit(ledger, ticket), NULL);
}

void town_check_answer(odd_town *town, const sc_ticket *ticket)
{
    const sc_answer *answer = ticket->answer;
    assert_non_null(answer);
    sc_near *nears = test_take(answer->count + 1, sizeof *nears);
    for (size_t i = 0; i < answer->count; i++) {
        const char *key = answer->texts + answer->found[i].key;
        nears[i] = (sc_near){.object = (uint32_t)strtoul(key, NULL, 10),
                             .distance_m = answer->found[i].distance_m,
                             .duration_s = answer->found[i].duration_s};
    }
    slow_answer wanted =
        slow_nearest_at(&town->slow, ticket->edge, ticket->offset_m, &ticket->request);
    slow_check_answer(&town->slow, &wanted, nears, answer->count, "traveller");
    slow_answer_free(&wanted);
    free(nears);
}
