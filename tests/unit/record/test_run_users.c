// Run records, read for users, times and profiles: what comes out is what was asked, and
// what is missing is refused, but only for those who want to know.
#include "support/check.h"
#include "support/made_record.h"
#include "support/place.h"

#include "record/record_write.h"
#include "record/run_reader.h"

#include <stdio.h>

static sc_map *map;

static int open_map(void **state)
{
    (void)state;
    map = made_town();
    return map ? 0 : 1;
}

static int close_map(void **state)
{
    (void)state;
    sc_map_free(map);
    return 0;
}

static sc_run_reader *reader_of(const sc_input *input, bool wants_users)
{
    sc_run_reader *reader = NULL;
    CHECK_OK(sc_run_reader_of(map, NULL, input, &reader, NULL), NULL);
    if (wants_users) sc_run_reader_want_users(reader);
    return reader;
}

// --- What was asked -------------------------------------------------------------

static void check_profile(const sc_profile *got, const made_event *wanted)
{
    assert_int_equal(got->k, wanted->k);
    assert_int_equal(got->l, wanted->l);
    assert_int_equal(got->max_hops, wanted->max_hops);
    assert_int_equal(got->max_wait_us, wanted->max_wait_us);
}

static void check_question(const sc_run_line *line, const made_event *wanted)
{
    const sc_request_line *asked = line->asked;
    assert_int_equal(line->segment, wanted->segment);
    assert_int_equal(asked->ask.user_size, strlen(wanted->user));
    assert_memory_equal(asked->ask.user, wanted->user, asked->ask.user_size);
    assert_int_equal(asked->ask.t, wanted->t_us);
    assert_true(asked->ask.is_on_edge);
    assert_int_equal(asked->ask.edge, wanted->edge);
    CHECK_CLOSE(asked->ask.offset_m, wanted->offset_m, 1e-3);
    check_profile(&asked->ask.profile, wanted);
    assert_int_equal(asked->ask.result_size, wanted->nearest);
    assert_int_equal(asked->request.k, wanted->nearest);
    assert_int_equal(asked->line, line->number);
}

static void check_members(const made_record *record, const made_event *cloak,
                          const sc_run_cloak *got)
{
    for (size_t i = 0; i < got->member_count; i++) {
        const made_event *query = made_find_query(record, cloak->members[i].query);
        const sc_run_member *member = &got->members[i];
        assert_int_equal(member->segment, query->segment);
        assert_int_equal(member->result_size, query->nearest);
        assert_int_equal(member->asked, query->t_us);
        assert_true(member->user == sc_run_user(query->user, strlen(query->user)));
        check_profile(&member->profile, query);
    }
}

// In a record stars stand in any order; they come ascending.
static void check_stars(const made_event *cloak, const sc_run_cloak *got)
{
    assert_int_equal(got->star_count, cloak->stars.count);
    for (size_t i = 0; i < got->star_count; i++) {
        bool is_there = false;
        for (size_t j = 0; j < cloak->stars.count; j++) {
            is_there |= cloak->stars.at[j] == got->stars[i];
        }
        assert_true(is_there);
        assert_true(i == 0 || got->stars[i] > got->stars[i - 1]);
    }
}

static void test_questions_and_members_come_with_all_that_was_asked(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        check_case(seed);
        const made_wishes wishes = {
            .cloaks = 1 + (uint32_t)seed % 9, .min_members = 1, .is_starless = seed % 3 == 0};
        made_record record = made_record_new(map, seed, &wishes);
        size_t size = 0;
        char *text = made_text(&record, &size);
        const sc_input input = {"run.jsonl", (const uint8_t *)text, size};
        sc_run_reader *reader = reader_of(&input, true);
        for (size_t i = 0; i < record.count; i++) {
            const made_event *event = &record.events[i];
            sc_diag diag = {""};
            sc_run_line line;
            CHECK_OK(sc_run_reader_next(reader, &line, &diag), &diag);
            assert_int_equal(line.kind == SC_RUN_QUERY, event->kind == MADE_QUERY);
            if (line.kind == SC_RUN_QUERY) check_question(&line, event);
            if (line.kind == SC_RUN_CLOAK) check_members(&record, event, &line.cloak);
            if (line.kind == SC_RUN_CLOAK) check_stars(event, &line.cloak);
            assert_false(line.has_engine);  // these do not say
        }
        sc_run_reader_free(reader);
        free(text);
        made_record_free(&record);
    }
    check_case_done();
}

// --- Names ----------------------------------------------------------------------

typedef struct name {
    const char *bytes;
    size_t size;
} name;

// A user has the same name in a run and in its record, whatever had to be written.
static void test_users_come_back_as_they_were_before_they_were_written(void **state)
{
    (void)state;
    static const name names[] = {
        {"u17", 3},
        {"\xff", 1},
        {"\0", 1},
        {"a\0b", 3},
        {"hex:ff", 6},
        {"hex:", 4},
        {"hex:zz", 6},
        {"\xc3\xa9", 2},
        {"hex:6865783a6666", 16},
        {"injected:\xfe", 10},
        {"\"\\\n", 3},
    };
    enum { COUNT = sizeof names / sizeof *names };
    place p = place_new();
    const char *path = place_path(&p, "run.jsonl");
    sc_record *record = NULL;
    CHECK_OK(sc_record_open(map, path, &record, NULL), NULL);
    const sc_seg_id segment = sc_map_edges(map)[0].segment;
    for (size_t i = 0; i < COUNT; i++) {
        const sc_query query = {.id = {.bytes = {(uint8_t)i}}};
        const sc_ask ask = {
            .user = names[i].bytes, .user_size = names[i].size, .profile = {1, 1, 1, 1}};
        const sc_snap where = {.segment = segment};
        sc_record_query(record, &query, &ask, &where, &(sc_request){.k = 1});
    }
    CHECK_OK(sc_record_close(record, 0, NULL), NULL);

    sc_run_reader *reader = NULL;
    CHECK_OK(sc_run_reader_open(map, NULL, path, &reader, NULL), NULL);
    sc_run_reader_want_users(reader);
    for (size_t i = 0; i < COUNT; i++) {
        sc_run_line line;
        sc_diag diag = {""};
        CHECK_OK(sc_run_reader_next(reader, &line, &diag), &diag);
        assert_int_equal(line.asked->ask.user_size, names[i].size);
        assert_memory_equal(line.asked->ask.user, names[i].bytes, names[i].size);
    }
    sc_run_reader_free(reader);
    place_free(&p);
}

// --- One query and one cloak ----------------------------------------------------

#define QUERY_OF(more)                                                                           \
    "{\"event\":\"query\",\"query\":\"q1\",\"edge\":0,\"offset_m\":4.2501,\"segment\":0" more "" \
    "}\n"
#define USER ",\"user\":\"Zoltan\""
#define TIME ",\"t\":1.0"
#define PROFILE_OF(k, l, hops, wait) \
    ",\"profile\":{\"k\":" k ",\"l\":" l ",\"sigma_s\":" hops ",\"sigma_t\":" wait "}"
#define PROFILE PROFILE_OF("1", "2", "3", "4.5")
#define QUERY QUERY_OF(USER TIME PROFILE)
#define CLOAK                                                                                      \
    "{\"event\":\"cloak\",\"cloak\":3,\"t\":1.5,\"stars\":[],\"segments\":[0],\"border_nodes\":[]" \
    ",\"members\":[{\"query\":\"q1\"}]}\n"
#define END "{\"event\":\"end\",\"t\":2.0}\n"

// Read all; the last question's user and the last cloak's first member are kept.
static sc_err read_all(const char *text, bool wants_users, char *user, sc_run_member *member,
                       sc_diag *diag)
{
    const sc_input input = {"run.jsonl", (const uint8_t *)text, strlen(text)};
    sc_run_reader *reader = reader_of(&input, wants_users);
    sc_run_line line;
    sc_err err = SC_OK;
    while (!(err = sc_run_reader_next(reader, &line, diag)) && line.text.text) {
        if (line.kind == SC_RUN_QUERY) assert_int_equal(line.asked != NULL, wants_users);
        if (line.kind == SC_RUN_QUERY && user) {
            snprintf(user, 32, "%.*s", (int)line.asked->ask.user_size, line.asked->ask.user);
        }
        if (line.kind == SC_RUN_CLOAK && member) *member = line.cloak.members[0];
    }
    sc_run_reader_free(reader);
    return err;
}

static void test_names_that_only_look_like_hexadecimal_are_names(void **state)
{
    (void)state;
    static const char *const names[] = {"hex:", "hex:f", "hex:zz", "hex:FF", "hex:ff ", "hexff"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[512];
        char user[32] = "";
        sc_diag diag = {""};
        snprintf(text, sizeof text, QUERY_OF(",\"user\":\"%s\"" TIME PROFILE) END, names[i]);
        CHECK_OK(read_all(text, true, user, NULL, &diag), &diag);
        assert_string_equal(user, names[i]);
    }
}

static void test_a_request_that_is_left_out_is_for_one_object(void **state)
{
    (void)state;
    sc_run_member member;
    sc_diag diag = {""};
    CHECK_OK(read_all(QUERY CLOAK END, true, NULL, &member, &diag), &diag);
    assert_int_equal(member.result_size, 1);
    const char *range =
        QUERY_OF(USER TIME PROFILE ",\"request\":{\"type\":\"range\",\"radius_m\":70}") CLOAK END;
    CHECK_OK(read_all(range, true, NULL, &member, &diag), &diag);
    assert_int_equal(member.result_size, 0);  // its content is not known
}

// Those who answer need none of it, and take records that lack it or have something else there.
static void test_who_does_not_want_askers_is_not_bothered_with_them(void **state)
{
    (void)state;
    static const char *const texts[] = {
        QUERY CLOAK END,
        QUERY_OF("") CLOAK END,
        QUERY_OF(",\"user\":7,\"t\":\"noon\",\"profile\":\"shy\"") CLOAK END,
        QUERY_OF(USER TIME PROFILE_OF("0", "0", "-1", "-2")) CLOAK END,
        QUERY CLOAK "{\"event\":\"end\",\"t\":2,\"engine\":\"steam\"}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_case(i);
        sc_run_member member;
        sc_diag diag = {""};
        CHECK_OK(read_all(texts[i], false, NULL, &member, &diag), &diag);
        assert_int_equal(member.segment, 0);
        assert_int_equal(member.asked, 0);
        assert_int_equal(member.profile.k, 0);
        assert_int_equal(member.user, 0);
    }
    check_case_done();
}

typedef struct refusal {
    const char *text;
    const char *says;
} refusal;

static const refusal refusals[] = {
    {QUERY_OF(TIME PROFILE), "run.jsonl:1: \"user\" is missing; add it"},
    {QUERY_OF(",\"user\":17" TIME PROFILE), "\"user\" is not a text, or is empty"},
    {QUERY_OF(",\"user\":\"\"" TIME PROFILE), "\"user\" is not a text, or is empty"},
    {QUERY_OF(USER PROFILE), "run.jsonl:1: \"t\" is missing; add it"},
    {QUERY_OF(USER ",\"t\":\"noon\"" PROFILE), "\"t\" is not a number"},
    {QUERY_OF(USER ",\"t\":1e13" PROFILE), "\"t\" is beyond 1e12 seconds"},
    {QUERY_OF(USER TIME), "run.jsonl:1: \"profile\" is missing; add it"},
    {QUERY_OF(USER TIME ",\"profile\":7"), "\"profile\" is not an object"},
    {QUERY_OF(USER TIME ",\"profile\":{\"l\":1,\"sigma_s\":1,\"sigma_t\":1}"),
     "\"profile.k\" is missing; add it"},
    {QUERY_OF(USER TIME ",\"profile\":{\"k\":1,\"sigma_s\":1,\"sigma_t\":1}"),
     "\"profile.l\" is missing; add it"},
    {QUERY_OF(USER TIME ",\"profile\":{\"k\":1,\"l\":1,\"sigma_t\":1}"),
     "\"profile.sigma_s\" is missing; add it"},
    {QUERY_OF(USER TIME ",\"profile\":{\"k\":1,\"l\":1,\"sigma_s\":1}"),
     "\"profile.sigma_t\" is missing; add it"},
    {QUERY_OF(USER TIME PROFILE_OF("0", "2", "3", "4.5")), "\"profile.k\" is 0"},
    {QUERY_OF(USER TIME PROFILE_OF("1", "0", "3", "4.5")), "\"profile.l\" is 0"},
    {QUERY_OF(USER TIME PROFILE_OF("1.5", "2", "3", "4.5")), "\"profile.k\" is not a whole number"},
    {QUERY_OF(USER TIME PROFILE_OF("1", "4294967296", "3", "4.5")), "\"profile.l\" is too large"},
    {QUERY_OF(USER TIME PROFILE_OF("1", "2", "-1", "4.5")), "\"profile.sigma_s\" is negative"},
    {QUERY_OF(USER TIME PROFILE_OF("1", "2", "3", "0")), "\"profile.sigma_t\" is not above 0"},
};

static void test_what_an_asker_lacks_is_refused_and_tells_no_secret(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        check_case(i);
        sc_diag diag = {""};
        CHECK_REFUSED(read_all(refusals[i].text, true, NULL, NULL, &diag), SC_EPARSE, &diag,
                      refusals[i].says);
        assert_null(strstr(diag.message, "Zoltan"));
        assert_null(strstr(diag.message, "2501"));
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_questions_and_members_come_with_all_that_was_asked),
    cmocka_unit_test(test_users_come_back_as_they_were_before_they_were_written),
    cmocka_unit_test(test_names_that_only_look_like_hexadecimal_are_names),
    cmocka_unit_test(test_a_request_that_is_left_out_is_for_one_object),
    SC_CASES(test_who_does_not_want_askers_is_not_bothered_with_them),
    SC_CASES(test_what_an_asker_lacks_is_refused_and_tells_no_secret),
};
SC_SUITE_WITH(tests, open_map, close_map)
