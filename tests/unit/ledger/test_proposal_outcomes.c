// What became of proposals: the same as a plain list sends, at any time; what is final stays so,
// and what finds no room changes nothing.
#include "ledger/proposal_outcomes.h"

#include "base/rng.h"
#include "support/check.h"

enum { MOST = 20, PROPOSALS = 60, STEPS = 30000 };

static sc_proposal_id id_of(uint32_t number)
{
    sc_proposal_id id = {{0}};
    id.bytes[0] = (uint8_t)(number % 7);
    id.bytes[15] = (uint8_t)number;
    return id;
}

typedef struct line {
    sc_proposal_outcome outcome;
    sc_time until;
} line;

/** The list forgets by itself, and sends how many it knows. */
static size_t forget(line *lines, sc_time now)
{
    size_t known = 0;
    for (size_t i = 0; i < PROPOSALS; i++) {
        if (lines[i].until < now) lines[i] = (line){0};
        known += lines[i].outcome != SC_PROPOSAL_OUTCOME_UNKNOWN;
    }
    return known;
}

static void note(line *lines, uint32_t number, sc_proposal_outcome outcome, sc_time until)
{
    line *l = &lines[number];
    if (l->outcome == SC_PROPOSAL_OUTCOME_UNKNOWN || l->outcome == SC_PROPOSAL_OUTCOME_RESERVED)
        l->outcome = outcome;
    if (until > l->until) l->until = until;
}

static void test_outcomes_agree_with_a_list(void **state)
{
    (void)state;
    sc__proposal_outcomes *outcomes = NULL;
    CHECK_OK(sc__proposal_outcomes_new(MOST, &outcomes), NULL);
    line lines[PROPOSALS] = {{0}};
    sc_rng rng;
    sc_rng_seed(&rng, 3);
    sc_time now = 1;
    size_t without_room = 0;
    for (int step = 0; step < STEPS; step++) {
        if (sc_rng_below(&rng, 4) == 0) now += sc_rng_below(&rng, 30);
        sc__proposal_outcomes_pass_time(outcomes, now);
        const size_t known = forget(lines, now);
        assert_int_equal(sc__proposal_outcomes_has_room(outcomes), known < MOST);

        const uint32_t number = sc_rng_below(&rng, PROPOSALS);
        const sc_proposal_id id = id_of(number);
        const sc_time until = now + sc_rng_below(&rng, 200);
        const sc_proposal_outcome before = lines[number].outcome;
        assert_int_equal(sc__proposal_outcomes_of(outcomes, &id), before);
        const bool fits = before != SC_PROPOSAL_OUTCOME_UNKNOWN || known < MOST;
        const sc_proposal_outcome outcome = (sc_proposal_outcome)(1 + sc_rng_below(&rng, 3));
        assert_int_equal(sc__proposal_outcomes_put(outcomes, &id, outcome, until), fits);
        if (fits) note(lines, number, outcome, until);
        without_room += !fits;
        assert_int_equal(sc__proposal_outcomes_of(outcomes, &id), lines[number].outcome);
    }
    print_message("# %zu without room\n", without_room);
    assert_true(without_room > 100);
    sc__proposal_outcomes_free(outcomes);
    sc__proposal_outcomes_free(NULL);
}

static void test_a_outcome_is_known_until_its_last_moment(void **state)
{
    (void)state;
    sc__proposal_outcomes *outcomes = NULL;
    CHECK_OK(sc__proposal_outcomes_new(1, &outcomes), NULL);
    const sc_proposal_id id = id_of(1);
    assert_true(sc__proposal_outcomes_put(outcomes, &id, SC_PROPOSAL_OUTCOME_RESERVED, 100));
    // Said again for less long, it is kept as long as before.
    assert_true(sc__proposal_outcomes_put(outcomes, &id, SC_PROPOSAL_OUTCOME_PUBLISHED, 50));
    sc__proposal_outcomes_pass_time(outcomes, 100);
    assert_int_equal(sc__proposal_outcomes_of(outcomes, &id), SC_PROPOSAL_OUTCOME_PUBLISHED);
    assert_false(sc__proposal_outcomes_has_room(outcomes));
    sc__proposal_outcomes_pass_time(outcomes, 101);
    assert_int_equal(sc__proposal_outcomes_of(outcomes, &id), SC_PROPOSAL_OUTCOME_UNKNOWN);
    assert_true(sc__proposal_outcomes_has_room(outcomes));
    sc__proposal_outcomes_free(outcomes);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_outcomes_agree_with_a_list),
    cmocka_unit_test(test_a_outcome_is_known_until_its_last_moment),
};
SC_SUITE(tests)
