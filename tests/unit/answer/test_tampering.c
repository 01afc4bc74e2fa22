// How many of some tamperings with one entry of a reply are refused: on maps where all roads are
// open both ways, and on maps with one-way roads, where fewer ways are known.
#include <starcloak/answer.h>
#include <starcloak/lbs.h>

#include "support/check.h"
#include "support/odd_cloak.h"
#include "support/odd_town.h"

#include <math.h>

typedef enum tampering {
    FARTHER,        ///< the last entry of a list costs ten times as much
    NEARER,         ///< the first entry costs a tenth
    OTHER_MORE,     ///< the other measure of an entry is ten times as much
    OTHER_LESS,     ///< a tenth
    LAST_LEFT_OUT,  ///< a list is one shorter
    TAMPERINGS,
} tampering;

static const char *const names[] = {"farther", "nearer", "other more", "other less",
                                    "last left out"};

typedef struct tally {
    size_t tried;
    size_t refused;
} tally;

static size_t count_one_way(const sc_map *map)
{
    size_t count = 0;
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_travel_times times = sc_map_edge_times(map)[e];
        count += times.forward == SC_CLOSED || times.backward == SC_CLOSED;
    }
    return count;
}

static void multiply(sc_near *near, sc_metric metric, double factor)
{
    *(metric == SC_METRIC_TIME ? &near->duration_s : &near->distance_m) *= factor;
}

// Tamper with list `list`, which has entries; false if that changes nothing.
static bool tamper(sc_reply *reply, size_t list, sc_metric metric, tampering how)
{
    const sc_metric other = metric == SC_METRIC_TIME ? SC_METRIC_DISTANCE : SC_METRIC_TIME;
    sc_near *first = &reply->nears[reply->near_start[list]];
    sc_near *last = &reply->nears[reply->near_start[list + 1] - 1];
    const sc_near before[] = {*first, *last};
    switch (how) {
    case FARTHER:
        multiply(last, metric, 10.0);
        break;
    case NEARER:
        multiply(first, metric, 0.1);
        break;
    case OTHER_MORE:
        multiply(last, other, 10.0);
        break;
    case OTHER_LESS:
        multiply(first, other, 0.1);
        break;
    default:
        reply->near_start[list + 1]--;  // of the last list
        return true;
    }
    return fabs(first->distance_m - before[0].distance_m) > 0.1 ||
           fabs(first->duration_s - before[0].duration_s) > 0.1 ||
           fabs(last->distance_m - before[1].distance_m) > 0.1 ||
           fabs(last->duration_s - before[1].duration_s) > 0.1;
}

static void tamper_with_town(odd_town *town, tally tallies[TAMPERINGS], sc_metric metric)
{
    odd_cloak cloak = odd_cloak_of_stars(town->map, 2, &town->rng);
    const sc_request request = {.type = SC_REQUEST_KNN, .metric = metric, .k = 4};
    const sc_relay relay = odd_cloak_relay(&cloak, town->map, &request, 1);
    sc_lbs *lbs = odd_town_lbs(town, true);
    sc_filter *filter = NULL;
    const sc_filter_options options = sc_filter_options_default();
    sc_diag diag = {""};
    CHECK_OK(sc_filter_new(town->map, &options, &filter, &diag), &diag);
    sc_reply reply;
    sc_reply_init(&reply);
    for (int how = 0; how < TAMPERINGS && relay.border_node_count > 0; how++) {
        CHECK_OK(sc_lbs_evaluate(lbs, town->objects, &relay, &reply, &diag), &diag);
        CHECK_OK(sc_filter_open(filter, &relay, &reply, &diag), &diag);  // the honest one
        const size_t list = relay.border_node_count - 1;
        if (reply.near_start[list] == reply.near_start[list + 1]) break;
        if (!tamper(&reply, list, metric, (tampering)how)) continue;
        tallies[how].tried++;
        const sc_err err = sc_filter_open(filter, &relay, &reply, &diag);
        assert_true(err == SC_OK || err == SC_EREPLY);
        tallies[how].refused += err == SC_EREPLY;
    }
    sc_reply_fini(&reply);
    sc_filter_free(filter);
    sc_lbs_free(lbs);
    odd_cloak_free(&cloak);
}

static void test_how_many_tamperings_are_refused(void **state)
{
    (void)state;
    tally tallies[2][TAMPERINGS] = {{{0}}};
    size_t edges = 0;
    size_t one_way = 0;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        const size_t closed = count_one_way(town.map);
        one_way += closed;
        if (closed > 0) edges += sc_map_edge_count(town.map);
        tamper_with_town(&town, tallies[closed > 0],
                         seed / ODD_TOWN_KINDS % 2 ? SC_METRIC_TIME : SC_METRIC_DISTANCE);
        odd_town_free(&town);
    }
    check_case_done();
    print_message("# one-way where there are any: %zu of %zu edges\n", one_way, edges);
    for (int how = 0; how < TAMPERINGS; how++) {
        const tally *two = &tallies[0][how];
        const tally *one = &tallies[1][how];
        print_message("# %s: %zu of %zu refused, with one-way roads %zu of %zu\n", names[how],
                      two->refused, two->tried, one->refused, one->tried);
        assert_true(two->tried > 100 && one->tried > 100);
    }
    // It is known how many objects there are, where all roads are open both ways.
    assert_int_equal(tallies[0][LAST_LEFT_OUT].refused, tallies[0][LAST_LEFT_OUT].tried);
    assert_true(tallies[1][LAST_LEFT_OUT].refused > 0);
    assert_true(tallies[1][FARTHER].refused > 0 && tallies[1][NEARER].refused > 0);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_how_many_tamperings_are_refused),
};
SC_SUITE(tests)
