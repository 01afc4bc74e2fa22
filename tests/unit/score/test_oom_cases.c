// Cases while memory runs out: every allocation fails once, in turn. It is told, nothing leaks,
// and lists are as they were.
#include "score/cases.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"
#include "support/sketch.h"

#include <stdio.h>

// --- Lists --------------------------------------------------------------------------

static void test_a_case_that_does_not_fit_leaves_the_others_as_they_were(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    const sc_seg_id segments[] = {1, 2, 3};
    const sc_case_member members[] = {{.segment = 1, .user = 7}, {.segment = 3, .user = 8}};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_cases cases = {.count = 0};
        sc_err err = SC_OK;
        size_t added = 0;
        for (; !err && added < COUNT; added += !err) {
            const sc_case one = {.number = added,
                                 .segments = segments,
                                 .segment_count = 3,
                                 .stars = segments,
                                 .star_count = added % 3,
                                 .members = members,
                                 .member_count = 2};
            err = sc_cases_add(&cases, &one);
        }
        const bool happened = oom_happened();
        assert_int_equal(err, happened ? SC_ENOMEM : SC_OK);
        assert_int_equal(cases.count, added);
        assert_int_equal(cases.segment_count, 3 * added);
        assert_int_equal(cases.member_count, 2 * added);
        for (size_t i = 0; i < added; i++) {
            const sc_case one = sc_cases_at(&cases, i);
            assert_int_equal(one.number, i);
            assert_int_equal(one.segments[2], 3);
            assert_int_equal(one.star_count, i % 3);
            for (size_t j = 0; j < i % 3; j++) {
                assert_int_equal(one.stars[j], segments[j]);
            }
            assert_int_equal(one.members[1].user, 8);
        }
        sc_cases_fini(&cases);
        if (!happened) break;
        failures++;
    }
    assert_true(failures >= 9);
}

// --- A run ----------------------------------------------------------------------------

/** Everybody asks, then pairs leave. */
static sc_err play(const sc_run_listener *to)
{
    enum { ASKERS = 100 };
    sc_err err = SC_OK;
    for (uint8_t i = 0; i < ASKERS && !err; i++) {
        const sc_query query = {.id = {.bytes = {i}}, .segment = i, .k = 2, .l = 1};
        const sc_request_line request_line = {.ask = {.user = "ada", .user_size = 3, .t = i}};
        err = to->asked(to->context, &query, &request_line, &(sc_snap){.segment = i});
    }
    for (uint8_t i = 0; i < ASKERS && !err; i += 2) {
        sc_seg_id segments[] = {i, i + 1u};
        sc_member members[] = {{.query = {.id = {.bytes = {i}}}},
                               {.query = {.id = {.bytes = {(uint8_t)(i + 1)}}}}};
        const sc_cloak cloak = {
            .segments = segments, .segment_count = 2, .members = members, .member_count = 2};
        err = to->cloaked(to->context, &cloak, ASKERS);
    }
    return err;
}

static void test_a_book_without_memory_says_so(void **state)
{
    (void)state;
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_case_collector collector = {.asker_count = 0};
        const sc_run_listener to = sc_case_collector_listener(&collector);
        const sc_err err = play(&to);
        const bool happened = oom_happened();
        assert_int_equal(err, happened ? SC_ENOMEM : SC_OK);
        if (!happened) assert_int_equal(collector.cases.count, 50);
        sc_case_collector_fini(&collector);
        if (!happened) break;
        failures++;
    }
    assert_true(failures >= 10);
}

// --- A record -----------------------------------------------------------------------------

// Pairs, the second of each the adversary's own or one whose name is in hexadecimal, and with names
// long enough that a block does not hold them all; with a class, and zones of somebody else.
static const char *make_record(const place *p, const sc_map *map)
{
    enum { PAIRS = 60, LONG = 1500 };
    char *name = test_take(LONG + 1, 1);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    memset(name, 'f', LONG);
    fputs("{\"event\":\"demands\",\"t\":0,\"strict\":true,\"classes\":[\"clinic\"]}\n"
          "{\"event\":\"class\",\"class\":\"clinic\",\"segments\":[1]}\n"
          "{\"event\":\"zone\",\"zone\":7,\"user\":\"hex:6a\",\"segments\":[0,1]}\n"
          "{\"event\":\"zone\",\"zone\":8,\"user\":\"hex:6a\",\"segments\":[2,3]}\n",
          out);
    for (int i = 0; i < PAIRS; i++) {
        for (int j = 0; j < 2; j++) {
            const char *prefix = j == 0 ? "" : i % 2 == 0 ? "injected:" : "hex:";
            fprintf(out,
                    "{\"event\":\"query\",\"query\":\"%d-%d\",\"user\":\"%s%s\",\"t\":%d,"
                    "\"edge\":0,\"offset_m\":0,\"segment\":%u,\"profile\":{\"k\":2,\"l\":1,"
                    "\"sigma_s\":1,\"sigma_t\":2}}\n",
                    i, j, prefix, name, i, (unsigned)sc_map_edges(map)[0].segment);
        }
        fprintf(out,
                "{\"event\":\"cloak\",\"cloak\":%d,\"t\":%d,\"stars\":[],\"segments\":[%u],"
                "\"border_nodes\":[],\"members\":[{\"query\":\"%d-1\"},{\"query\":\"%d-0\"}]}\n",
                i, i, (unsigned)sc_map_edges(map)[0].segment, i, i);
    }
    fprintf(out, "{\"event\":\"end\",\"t\":%d}\n", PAIRS);
    fclose(out);
    const char *path = place_write(p, "run", text, size);
    free(text);
    free(name);
    return path;
}

static void test_a_record_that_does_not_fit_is_told(void **state)
{
    (void)state;
    place p = place_new();
    sketch s = sketch_grid(SC_COORDS_PLANAR, 3, 3);
    sc_map *map = sketch_map(&s);
    const char *path = make_record(&p, map);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_case_record record = {.query_count = 0};
        sc_diag diag = {""};
        const sc_err err = sc_case_record_read(map, path, true, NULL, &record, &diag);
        const bool happened = oom_happened();
        if (happened) {
            CHECK_REFUSED(err, SC_ENOMEM, &diag, "memory");
        } else {
            CHECK_OK(err, &diag);
            assert_int_equal(record.cases.count, 60);
            assert_true(record.text_count > 1);
            assert_int_equal(sc_place_classes_bits(record.demands.classes)[1], 1);
            assert_non_null(sc_zone_table_find(record.demands.zones, "j", 1, 3));
        }
        sc_case_record_fini(&record);
        if (!happened) break;
        failures++;
    }
    assert_true(failures > 20);
    sc_map_free(map);
    sketch_free(&s);
    place_free(&p);
}

// --- A sighting -------------------------------------------------------------------------------

static void test_a_sighting_without_memory_is_none(void **state)
{
    (void)state;
    const sc_seg_id segment = 3;
    const sc_case_member members[] = {{.segment = 3, .is_injected = true}, {.segment = 3}};
    const sc_case one = {
        .segments = &segment, .segment_count = 1, .members = members, .member_count = 2};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_own_sighting own = {.strangers = NULL};
        const sc_err err = sc_sighting_init(&own, &one);
        const bool happened = oom_happened();
        assert_int_equal(err, happened ? SC_ENOMEM : SC_OK);
        assert_int_equal(own.sighting.stranger_count, happened ? 0 : 1);
        sc_sighting_fini(&own);
        if (!happened) break;
        failures++;
    }
    assert_int_equal(failures, 2);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_case_that_does_not_fit_leaves_the_others_as_they_were),
    cmocka_unit_test(test_a_book_without_memory_says_so),
    cmocka_unit_test(test_a_record_that_does_not_fit_is_told),
    cmocka_unit_test(test_a_sighting_without_memory_is_none),
};
SC_SUITE(tests)
