// Lines in the form in which StarCloak writes them: read without a tree, with the same values as by
// one. A blank before a line sends it to the tree, so that each line can be read both ways.
#include "verify/record_events.h"

#include "support/made_record.h"
#include "support/spoilt_text.h"

/** One of each form. */
static const char *const lines[] = {
    "{\"event\":\"query\",\"query\":\"0f3a\",\"user\":\"u17\",\"t\":12.345000,\"edge\":77,"
    "\"offset_m\":31.500000,\"segment\":123,\"profile\":{\"k\":5,\"l\":6,\"sigma_s\":4,"
    "\"sigma_t\":10.200000},\"request\":{\"type\":\"knn\",\"k\":5,\"category\":null}}",
    "{\"event\":\"query\",\"query\":\"0f3a\",\"user\":\"u17\",\"t\":-0.000001,\"edge\":0,"
    "\"offset_m\":-0.000000,\"segment\":4294967295,\"profile\":{\"k\":1,\"l\":1,\"sigma_s\":0,"
    "\"sigma_t\":0.000001},\"request\":{\"type\":\"range\",\"metric\":\"time\",\"radius_s\":299.5,"
    "\"category\":\"school\"},\"zone\":3}",
    "{\"event\":\"query\",\"query\":\"0f3a\",\"user\":\"u17\",\"t\":5,\"edge\":0,\"offset_m\":0,"
    "\"segment\":0,\"profile\":{\"k\":1,\"l\":1,\"sigma_s\":0,\"sigma_t\":1},\"request\":{"
    "\"type\":\"range\",\"radius_m\":500,\"category\":[\"cafe\",\"school\"]}}",
    "{\"event\":\"cloak\",\"cloak\":7,\"t\":13.000000,\"stars\":[4,9],\"segments\":[0,12,13],"
    "\"border_nodes\":[3],\"members\":[{\"query\":\"0f3a\",\"star\":9},{\"query\":\"77c1\","
    "\"star\":4}]}",
    "{\"event\":\"cloak\",\"cloak\":9007199254740992,\"t\":13.000000,\"stars\":[],\"segments\":[1],"
    "\"border_nodes\":[],\"members\":[{\"query\":\"0f3a\"}]}",
    "{\"event\":\"cloak\",\"cloak\":0,\"t\":0.000000,\"stars\":[],\"segments\":[],"
    "\"border_nodes\":[],\"members\":[]}",
    "{\"event\":\"drop\",\"query\":\"5e90\",\"t\":22.545001,\"reason\":\"expired\"}",
    "{\"event\":\"failed\",\"query\":\"77c1\",\"t\":14.200000,\"reason\":\"provider\"}",
    "{\"event\":\"answer\",\"query\":\"0f3a\",\"cloak\":7,\"candidates\":31,\"results\":[{"
    "\"poi\":9,\"distance_m\":812.400000,\"duration_s\":74.130000},{\"poi\":0,\"distance_m\":0.1,"
    "\"duration_s\":123456789.123456}]}",
    "{\"event\":\"answer\",\"query\":\"0f3a\",\"cloak\":7,\"candidates\":0,\"results\":[]}",
};
enum { LINES = sizeof lines / sizeof *lines };

static void check_same_text(sc_slice got, sc_slice wanted)
{
    assert_int_equal(got.size, wanted.size);
    assert_memory_equal(got.text, wanted.text, wanted.size);
}

static void check_same_ids(const sc_id_list *got, const sc_id_list *wanted)
{
    assert_int_equal(got->count, wanted->count);
    if (wanted->count > 0) {
        assert_memory_equal(got->ids, wanted->ids, wanted->count * sizeof *wanted->ids);
    }
}

static void check_same_number(double got, double wanted)
{
    assert_memory_equal(&got, &wanted, sizeof got);  // to the sign of a 0
}

static void check_same_query(const sc_event_query *got, const sc_event_query *wanted)
{
    check_same_text(got->user, wanted->user);
    assert_int_equal(got->edge, wanted->edge);
    assert_int_equal(got->segment, wanted->segment);
    check_same_number(got->offset_m, wanted->offset_m);
    assert_int_equal(got->k, wanted->k);
    assert_int_equal(got->l, wanted->l);
    assert_int_equal(got->max_hops, wanted->max_hops);
    assert_int_equal(got->max_wait_us, wanted->max_wait_us);
    assert_int_equal(got->zone, wanted->zone);
    assert_int_equal(got->wish.is_range, wanted->wish.is_range);
    assert_int_equal(got->wish.metric, wanted->wish.metric);
    assert_int_equal(got->wish.k, wanted->wish.k);
    check_same_number(got->wish.radius, wanted->wish.radius);
    assert_int_equal(got->wish.category_count, wanted->wish.category_count);
    for (uint32_t i = 0; i < wanted->wish.category_count; i++) {
        assert_int_equal(got->wish.categories[i], wanted->wish.categories[i]);
    }
}

static void check_same_cloak(const sc_event_cloak *got, const sc_event_cloak *wanted)
{
    check_same_ids(&got->stars, &wanted->stars);
    check_same_ids(&got->segments, &wanted->segments);
    check_same_ids(&got->border_nodes, &wanted->border_nodes);
    assert_int_equal(got->tells_more, wanted->tells_more);
    assert_int_equal(got->member_count, wanted->member_count);
    for (size_t i = 0; i < wanted->member_count; i++) {
        check_same_text(got->members[i].query, wanted->members[i].query);
        assert_int_equal(got->members[i].star, wanted->members[i].star);
    }
}

static void check_same_answer(const sc_event_answer *got, const sc_event_answer *wanted)
{
    assert_int_equal(got->is_foreign, wanted->is_foreign);
    assert_int_equal(got->result_count, wanted->result_count);
    for (size_t i = 0; i < wanted->result_count; i++) {
        assert_int_equal(got->results[i].object, wanted->results[i].object);
        check_same_number(got->results[i].distance_m, wanted->results[i].distance_m);
        check_same_number(got->results[i].duration_s, wanted->results[i].duration_s);
    }
}

static void check_same(const sc_event *got, const sc_event *wanted)
{
    assert_int_equal(got->kind, wanted->kind);
    const bool is_cloak = wanted->kind == SC_EVENT_CLOAK;
    const bool is_answer = wanted->kind == SC_EVENT_ANSWER;
    if (!is_answer) assert_int_equal(got->t_us, wanted->t_us);
    if (!is_cloak) check_same_text(got->query, wanted->query);
    if (is_cloak || is_answer) assert_int_equal(got->cloak, wanted->cloak);
    if (wanted->kind == SC_EVENT_QUERY) check_same_query(&got->asked, &wanted->asked);
    if (is_cloak) check_same_cloak(&got->cloaked, &wanted->cloaked);
    if (is_answer) check_same_answer(&got->answer, &wanted->answer);
    if (wanted->kind == SC_EVENT_DROP || wanted->kind == SC_EVENT_FAILED) {
        check_same_text(got->reason, wanted->reason);
    }
}

/** A reader for each way. */
typedef struct both {
    sc_event_reader by_form;
    sc_event_reader by_tree;
} both;

/** Read a line by its form; if that can be done, the tree must agree. */
static bool read_both(both *b, const char *text, size_t size)
{
    // Of exactly its size, so that one byte too many is seen.
    char *line = test_take(size + 1, 1);
    memcpy(line, text, size);
    char *exact = realloc(line, size > 0 ? size : 1);
    assert_non_null(exact);
    bool is_read = false;
    CHECK_OK(sc__record_line_read(&b->by_form, (sc_slice){exact, size}, &is_read), NULL);
    if (is_read) {
        spoilt_text shifted = text_of(" ");
        assert_true(size < sizeof shifted.bytes);
        memcpy(shifted.bytes + 1, text, size);
        sc_diag diag = {""};
        CHECK_OK(sc__reader_read(&b->by_tree, 1, (sc_slice){shifted.bytes, size + 1}, &diag),
                 &diag);
        check_same(&b->by_form.event, &b->by_tree.event);
    }
    free(exact);
    return is_read;
}

static both both_new(const sc_map *map)
{
    return (both){.by_form = {.map = map, .name = "form"}, .by_tree = {.map = map, .name = "tree"}};
}

static void both_free(both *b)
{
    sc__reader_fini(&b->by_form);
    sc__reader_fini(&b->by_tree);
}

static void test_lines_as_they_are_written_are_read_by_their_form(void **state)
{
    (void)state;
    sc_map *map = made_town();
    both b = both_new(map);
    for (size_t i = 0; i < LINES; i++) {
        check_case(i);
        assert_true(read_both(&b, lines[i], strlen(lines[i])));
    }
    check_case_done();
    both_free(&b);
    sc_map_free(map);
}

// Beginnings of lines, and lines with bytes behind them.
static void test_a_line_that_is_cut_or_goes_on_is_left_to_the_tree(void **state)
{
    (void)state;
    sc_map *map = made_town();
    both b = both_new(map);
    for (size_t i = 0; i < LINES; i++) {
        check_case(i);
        spoilt_text text = text_of(lines[i]);
        for (size_t size = 0; size < text.size; size++) {
            assert_false(read_both(&b, text.bytes, size));
        }
        exchange(&text, text.size, 0, " ", 1);
        assert_false(read_both(&b, text.bytes, text.size));
    }
    check_case_done();
    both_free(&b);
    sc_map_free(map);
}

// What the tree would refuse, or read otherwise than by the digits.
static void test_odd_values_are_left_to_the_tree(void **state)
{
    (void)state;
    static const struct {
        size_t line;
        const char *value;
        const char *instead;
    } odd[] = {
        {0, "\"k\":5,\"l\"", "\"k\":0,\"l\""},
        {0, "\"l\":6", "\"l\":0"},
        {0, "\"edge\":77", "\"edge\":077"},
        {0, "\"edge\":77", "\"edge\":4294967296"},
        {0, "\"edge\":77", "\"edge\":-7"},
        {0, "\"edge\":77", "\"edge\":7e1"},
        {0, "\"sigma_t\":10.200000", "\"sigma_t\":0.000000"},
        {0, "\"sigma_t\":10.200000", "\"sigma_t\":-1.000000"},
        {0, "\"t\":12.345000", "\"t\":12."},
        {0, "\"t\":12.345000", "\"t\":1.2e1"},
        {0, "\"t\":12.345000", "\"t\":1000000000001"},
        {0, "\"t\":12.345000", "\"t\":9007199254740993.5"},
        {0, "\"offset_m\":31.500000", "\"offset_m\":0.123456789012345678901"},
        {0, "\"offset_m\":31.500000", "\"offset_m\":99999999999999999999"},
        {0, "\"user\":\"u17\"", "\"user\":\"u\\u00317\""},
        {0, "\"user\":\"u17\"", "\"user\":\"\xc3\xbc\""},
        {0, "\"user\":\"u17\"", "\"user\":\"\x01\""},
        {0, "\"query\":\"0f3a\"", "\"query\":\"\""},
        {1, "\"zone\":3", "\"zone\":4294967295"},
        {1, "\"radius_s\"", "\"radius_m\""},
        {2, "[\"cafe\",\"school\"]", "[]"},
        {2, "[\"cafe\",\"school\"]", "[\"cafe\",\"nowhere\"]"},
        {2, "[\"cafe\",\"school\"]", "[\"hospital\",]"},
        {3, "\"cloak\":7", "\"cloak\":9007199254740993"},
        {3, "\"stars\":[4,9]", "\"stars\":[4,]"},
        {3, "\"stars\":[4,9]", "\"stars\":[,4]"},
        {3, "\"star\":9}", "\"star\":null}"},
        {3, "\"star\":9}", "\"star\":9,\"edge\":7}"},
        {8, "\"poi\":9", "\"poi\":\"n9\""},
        {8, "\"results\":", "\"objects\":\"provider\",\"results\":"},
    };
    sc_map *map = made_town();
    both b = both_new(map);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        check_case(i);
        spoilt_text text = text_of(lines[odd[i].line]);
        const char *at = memmem(text.bytes, text.size, odd[i].value, strlen(odd[i].value));
        assert_non_null(at);
        exchange(&text, (size_t)(at - text.bytes), strlen(odd[i].value), odd[i].instead,
                 strlen(odd[i].instead));
        assert_false(read_both(&b, text.bytes, text.size));
    }
    check_case_done();
    both_free(&b);
    sc_map_free(map);
}

static void test_spoilt_lines_mean_the_same_by_their_form_as_by_a_tree(void **state)
{
    (void)state;
    enum { ROUNDS = 20000 };
    sc_map *map = made_town();
    both b = both_new(map);
    sc_rng rng;
    sc_rng_seed(&rng, 22);
    unsigned read = 0;
    for (size_t i = 0; i < ROUNDS; i++) {
        check_case(i);
        spoilt_text text = text_of(lines[i % LINES]);
        for (uint32_t times = 1 + sc_rng_below(&rng, 2); times > 0; times--) {
            spoil_once(&text, &rng);
        }
        read += read_both(&b, text.bytes, text.size);
    }
    check_case_done();
    // Both happen often: another digit changes a value, most else the form.
    assert_in_range(read, ROUNDS / 50, ROUNDS / 2);
    both_free(&b);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_lines_as_they_are_written_are_read_by_their_form),
    cmocka_unit_test(test_a_line_that_is_cut_or_goes_on_is_left_to_the_tree),
    cmocka_unit_test(test_odd_values_are_left_to_the_tree),
    cmocka_unit_test(test_spoilt_lines_mean_the_same_by_their_form_as_by_a_tree),
};
SC_SUITE(tests)
