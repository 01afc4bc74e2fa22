// Cases from a record: the same as from listening to the run that made it, with the engine and,
// if they are wanted, the questions; and what is no such record is refused.
#include "same_cases.h"

#include "support/place.h"
#include "support/sketch.h"

#include "travel/walk.h"

#include <stdio.h>

/** A grid of streets, and a place for records. */
typedef struct town {
    sc_map *map;
    place here;
} town;

static int open_town(void **state)
{
    static town the_town;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 6, 6);
    the_town.map = sketch_map(&s);
    the_town.here = place_new();
    sketch_free(&s);
    *state = &the_town;
    return 0;
}

static int close_town(void **state)
{
    const town *t = *state;
    place_free(&t->here);
    sc_map_free(t->map);
    return 0;
}

static sc_case_record read_record(const town *t, const char *path, bool wants_lines)
{
    sc_case_record record = {.query_count = 0};
    sc_diag diag = {""};
    CHECK_OK(sc_case_record_read(t->map, path, wants_lines, NULL, &record, &diag), &diag);
    return record;
}

// --- A run, heard and recorded --------------------------------------------------------

static sc_run_report walk_and_ask(const town *t, const sc_run_options *options)
{
    sc_workload workload = sc_workload_default();
    workload.k = sc_normal_around(3, 1, 1);
    workload.l = sc_normal_around(4, 1, 1);
    workload.pause_s = sc_normal_around(4, 1, 1);
    workload.max_wait_s = sc_normal_around(3, 1, 1);
    sc_movement *walk = NULL;
    sc_run_report report = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_walk_new(t->map, 80, 1, &walk, &diag), &diag);
    CHECK_OK(sc_run_travellers(walk, &workload, 20, options, &report, &diag), &diag);
    sc_movement_free(walk);
    return report;
}

static void check_engine(const sc_engine_options *got, const sc_engine_options *wanted)
{
    assert_int_equal(got->variant, wanted->variant);
    assert_int_equal(got->compactness, wanted->compactness);
    assert_int_equal(got->max_combinations, wanted->max_combinations);
    assert_int_equal(got->consideration_us, wanted->consideration_us);
    CHECK_SAME(got->cost.object, wanted->cost.object);
}

static void test_a_record_gives_the_cases_that_were_heard_for_every_method(void **state)
{
    const town *t = *state;
    const char *path = place_path(&t->here, "run");
    for (int variant = 0; variant < SC_VARIANT_COUNT; variant++) {
        check_case((uint64_t)variant);
        sc_case_collector collector = {.asker_count = 0};
        sc_run_options options = sc_run_options_default();
        options.engine.variant = (sc_variant)variant;
        options.engine.max_combinations = sc_variant_cap((sc_variant)variant);
        options.engine.cost.object = 1.0 / 3.0;
        options.record = path;
        options.listener = sc_case_collector_listener(&collector);
        const sc_run_report report = walk_and_ask(t, &options);
        sc_case_collector_settle(&collector);

        sc_case_record record = read_record(t, path, false);
        assert_true(report.cloaks > 10);
        assert_int_equal(collector.cases.count, report.cloaks);
        check_same_cases(&record.cases, &collector.cases);
        assert_int_equal(record.query_count, report.queries);
        assert_true(record.has_engine);
        check_engine(&record.engine, &options.engine);
        assert_int_equal(record.line_count, 0);  // they were not wanted
        assert_null(record.lines);
        sc_case_record_fini(&record);
        sc_case_collector_fini(&collector);
    }
    check_case_done();
}

// --- Questions ----------------------------------------------------------------------------

enum { LONG = 70000, PAIRS = 40 };

/** The users of a pair who ask together: odd ones among them, and one too long for a block. */
static void name_pair(sc_request_line pair[2], size_t number, const char *long_name)
{
    static const char *const names[][2] = {
        {"ada", "bob"}, {"\xff\xfe", "\xff"}, {"hex:ff", "hex:"}, {"injected:1", "cyd"}};
    for (size_t i = 0; i < 2; i++) {
        pair[i].ask.user = names[number % 4][i];
        pair[i].ask.user_size = strlen(names[number % 4][i]);
    }
    if (number == PAIRS / 2) {
        pair[1].ask.user = long_name;
        pair[1].ask.user_size = LONG;
    }
}

// Two at a time, on one road; they find each other at once.
static void make_lines(sc_request_line lines[2 * PAIRS], const char *long_name)
{
    for (size_t i = 0; i < PAIRS; i++) {
        for (size_t j = 0; j < 2; j++) {
            lines[2 * i + j] = (sc_request_line){
                .ask = {.t = sc_time_from_seconds((double)i) + (sc_time)j,
                        .is_on_edge = true,
                        .edge = (sc_edge_id)i,
                        .offset_m = 1.5 + (double)j,
                        .profile = {2, 1, 2, sc_time_from_seconds(5)},
                        .result_size = j == 0 ? 3 : 0},
                .request = {.type = j == 0 ? SC_REQUEST_KNN : SC_REQUEST_RANGE,
                            .k = j == 0 ? 3 : 0,
                            .radius_m = j == 0 ? 0.0 : 250.0},
            };
        }
        name_pair(&lines[2 * i], i, long_name);
    }
}

static void check_same_line(const sc_request_line *got, const sc_request_line *wanted)
{
    assert_int_equal(got->ask.user_size, wanted->ask.user_size);
    assert_memory_equal(got->ask.user, wanted->ask.user, got->ask.user_size);
    assert_int_equal(got->ask.t, wanted->ask.t);
    assert_int_equal(got->ask.is_on_edge, wanted->ask.is_on_edge);
    assert_int_equal(got->ask.edge, wanted->ask.edge);
    CHECK_CLOSE(got->ask.offset_m, wanted->ask.offset_m, 1e-6);
    assert_int_equal(got->ask.profile.k, wanted->ask.profile.k);
    assert_int_equal(got->ask.profile.l, wanted->ask.profile.l);
    assert_int_equal(got->ask.profile.max_hops, wanted->ask.profile.max_hops);
    assert_int_equal(got->ask.profile.max_wait_us, wanted->ask.profile.max_wait_us);
    assert_int_equal(got->ask.result_size, wanted->ask.result_size);
    assert_true(sc_request_equal(&got->request, &wanted->request));
}

static sc_cases run_lines(const town *t, const sc_request_line *lines, const char *path)
{
    sc_case_collector collector = {.asker_count = 0};
    sc_run_options options = sc_run_options_default();
    options.record = path;
    options.listener = sc_case_collector_listener(&collector);
    sc_run_report report = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_run_lines(t->map, lines, (size_t)2 * PAIRS, &options, &report, &diag), &diag);
    assert_int_equal(report.cloaks, PAIRS);
    sc_case_collector_settle(&collector);
    return collector.cases;
}

// So that a run can be had again with others among those who ask.
static void test_the_questions_of_a_record_asked_again_make_the_same_run(void **state)
{
    const town *t = *state;
    const char *path = place_path(&t->here, "run");
    sc_request_line lines[2 * PAIRS];
    char *long_name = test_take(LONG, 1);
    memset(long_name, 'x', LONG);
    make_lines(lines, long_name);
    sc_cases first = run_lines(t, lines, path);

    sc_case_record record = read_record(t, path, true);
    assert_int_equal(record.line_count, 2 * PAIRS);
    assert_int_equal(record.query_count, 2 * PAIRS);
    for (size_t i = 0; i < record.line_count; i++) {
        check_same_line(&record.lines[i], &lines[i]);
    }
    check_same_cases(&record.cases, &first);
    sc_cases second = run_lines(t, record.lines, place_path(&t->here, "again"));
    check_same_cases(&second, &first);

    // Of the pairs, every fourth has one of the adversary's own.
    size_t injected = 0;
    for (size_t i = 0; i < first.member_count; i++) {
        injected += first.members[i].is_injected;
    }
    assert_int_equal(injected, PAIRS / 4);
    sc_cases_fini(&first);
    sc_cases_fini(&second);
    sc_case_record_fini(&record);
    sc_case_record_fini(&record);
    free(long_name);
}

static void count_reports(void *context, const char *phase, uint64_t done, uint64_t total)
{
    assert_string_equal(phase, "reading");
    assert_true(done <= total);
    size_t *reports = context;
    (*reports)++;
}

// --- By hand ------------------------------------------------------------------------------

#define QUERY_AT(t)                                                                            \
    "{\"event\":\"query\",\"query\":\"q" t "\",\"user\":\"Zoltan\",\"t\":" t                   \
    ",\"edge\":0,\"offset_m\":4.2501,\"segment\":0,\"profile\":{\"k\":1,\"l\":1,\"sigma_s\":1" \
    ",\"sigma_t\":2},\"request\":{\"type\":\"knn\",\"k\":5}}\n"
#define CLOAK_AT(t, query)                                                         \
    "{\"event\":\"cloak\",\"cloak\":3,\"t\":" t ",\"stars\":[],\"segments\":[0,1]" \
    ",\"border_nodes\":[],\"members\":[{\"query\":\"" query "\"}]}\n"
#define END "{\"event\":\"end\",\"t\":9}\n"

static void test_a_record_that_does_not_say_its_engine_is_read_as_well(void **state)
{
    const town *t = *state;
    const char *path = place_write_text(&t->here, "run", QUERY_AT("1") CLOAK_AT("1", "q1") END);
    sc_case_record record = {.query_count = 0};
    sc_diag diag = {""};
    size_t reports = 0;
    const sc_progress progress = {count_reports, &reports};
    CHECK_OK(sc_case_record_read(t->map, path, true, &progress, &record, &diag), &diag);
    assert_false(record.has_engine);
    assert_int_equal(record.cases.count, 1);
    const sc_case one = sc_cases_at(&record.cases, 0);
    assert_int_equal(one.number, 3);
    assert_int_equal(one.members[0].needs.result_size, 5);
    assert_int_equal(record.lines[0].line, 1);
    assert_int_equal(reports, 1);
    sc_case_record_fini(&record);
}

static void test_what_is_no_record_to_attack_is_refused_without_a_secret(void **state)
{
    const town *t = *state;
    static const struct {
        const char *text;
        sc_err err;
        const char *says;
    } cases[] = {
        {END, SC_EINVAL, ": the record has no cloaks to attack"},
        {QUERY_AT("1") END, SC_EINVAL, ": the record has no cloaks"},
        {QUERY_AT("1") CLOAK_AT("1", "q1"), SC_EPARSE, "has no end event: the file is cut short"},
        {QUERY_AT("2") QUERY_AT("1") END, SC_EPARSE, ":2: \"t\" is earlier than before"},
        {QUERY_AT("2") CLOAK_AT("1", "q2") END, SC_EPARSE, ":2: \"t\" is earlier than before"},
        {"{\"event\":\"query\",\"query\":\"q1\",\"user\":\"Zoltan\",\"t\":1,\"edge\":0"
         ",\"offset_m\":4.2501,\"segment\":0}\n" CLOAK_AT("1", "q1") END,
         SC_EPARSE, ":1: \"profile\" is missing; add it"},
        {QUERY_AT("1") CLOAK_AT("1", "q1") "{\"event\":\"end\",\"t\":9,\"engine\":{}}\n", SC_EPARSE,
         ":3: \"engine.method\" is missing; add it"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        const char *path = place_write_text(&t->here, "run", cases[i].text);
        sc_case_record record = {.query_count = 0};
        sc_diag diag = {""};
        CHECK_REFUSED(sc_case_record_read(t->map, path, true, NULL, &record, &diag), cases[i].err,
                      &diag, cases[i].says);
        assert_null(strstr(diag.message, "Zoltan"));
        assert_null(strstr(diag.message, "2501"));
        sc_case_record_fini(&record);
    }
    check_case_done();
    sc_case_record record = {.query_count = 0};
    sc_diag diag = {""};
    CHECK_REFUSED(
        sc_case_record_read(t->map, place_path(&t->here, "absent"), true, NULL, &record, &diag),
        SC_EIO, &diag, "absent");
    sc_case_record_fini(&record);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_a_record_gives_the_cases_that_were_heard_for_every_method),
    cmocka_unit_test(test_the_questions_of_a_record_asked_again_make_the_same_run),
    cmocka_unit_test(test_a_record_that_does_not_say_its_engine_is_read_as_well),
    SC_CASES(test_what_is_no_record_to_attack_is_refused_without_a_secret),
};
SC_SUITE_WITH(tests, open_town, close_town)
