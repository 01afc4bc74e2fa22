// Run records, read for their cloaks: what comes out is what was put in, and what cannot be
// worked with is refused with file, line and field, and without a user or a position.
#include "support/check.h"
#include "support/made_record.h"
#include "support/place.h"

#include "record/run_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <zlib.h>

static sc_map *map;
static sc_vocabulary vocabulary;

static int open_map(void **state)
{
    (void)state;
    map = made_town();
    return sc_vocabulary_init_from_map(map, &vocabulary) ? 1 : 0;
}

static int close_map(void **state)
{
    (void)state;
    sc_vocabulary_fini(&vocabulary);
    sc_map_free(map);
    return 0;
}

// --- Reading ----------------------------------------------------------------

static void check_member(const made_record *record, const made_member *wanted,
                         const sc_run_member *got)
{
    const made_event *query = made_find_query(record, wanted->query);
    assert_int_equal(got->query.size, strlen(wanted->query));
    assert_memory_equal(got->query.text, wanted->query, got->query.size);
    assert_int_equal(got->edge, query->edge);
    CHECK_CLOSE(got->offset_m, query->offset_m, 1e-3);
    const bool is_range = query->nearest == 0;
    assert_int_equal(got->request.type, is_range ? SC_REQUEST_RANGE : SC_REQUEST_KNN);
    assert_int_equal(got->request.k, query->nearest);
    CHECK_CLOSE(got->request.radius_m, is_range ? query->radius_m : 0, 1e-4);
    assert_int_equal(got->request.category_count, query->category == SC_NONE ? 0 : 1);
    if (query->category != SC_NONE) {
        assert_int_equal(got->request.categories[0], query->category);
    }
}

static void check_cloak(const made_record *record, const made_event *wanted,
                        const sc_run_cloak *got)
{
    assert_int_equal(got->number, wanted->cloak);
    assert_int_equal(got->t, wanted->t_us);
    assert_int_equal(got->segment_count, wanted->segments.count);
    assert_memory_equal(got->segments, wanted->segments.at,
                        got->segment_count * sizeof *got->segments);
    assert_int_equal(got->border_node_count, wanted->border_nodes.count);
    for (size_t i = 0; i < got->border_node_count; i++) {
        assert_int_equal(got->border_nodes[i], wanted->border_nodes.at[i]);
    }
    assert_int_equal(got->member_count, wanted->member_count);
    for (size_t i = 0; i < got->member_count; i++) {
        check_member(record, &wanted->members[i], &got->members[i]);
    }
}

static sc_run_kind kind_of(made_kind kind)
{
    if (kind == MADE_QUERY) return SC_RUN_QUERY;
    if (kind == MADE_CLOAK) return SC_RUN_CLOAK;
    if (kind == MADE_ANSWER) return SC_RUN_ANSWER;
    return kind == MADE_END ? SC_RUN_END : SC_RUN_OTHER;
}

// Every line against the event it was made from; returns how many cloaks there were.
static size_t check_lines(const made_record *record, sc_run_reader *reader, const char *text)
{
    size_t cloaks = 0;
    sc_diag diag = {""};
    for (size_t i = 0; i < record->count; i++) {
        sc_run_line line;
        CHECK_OK(sc_run_reader_next(reader, &line, &diag), &diag);
        assert_int_equal(line.number, i + 1);
        assert_int_equal(line.kind, kind_of(record->events[i].kind));
        assert_memory_equal(line.text.text, text, line.text.size);
        text += line.text.size;
        assert_int_equal(*text++, '\n');
        if (line.kind != SC_RUN_CLOAK) continue;
        check_cloak(record, &record->events[i], &line.cloak);
        cloaks++;
    }
    sc_run_line line;
    CHECK_OK(sc_run_reader_next(reader, &line, &diag), &diag);
    assert_null(line.text.text);
    assert_int_equal(*text, '\0');
    return cloaks;
}

static void test_every_line_comes_as_it_is_and_every_cloak_with_its_members(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        check_case(seed);
        const made_wishes wishes = {.cloaks = 1 + (uint32_t)seed % 9,
                                    .min_members = 1,
                                    .is_starless = seed % 3 == 0,
                                    .has_answers = seed % 2 == 0};
        made_record record = made_record_new(map, seed, &wishes);
        size_t size = 0;
        char *text = made_text(&record, &size);
        const sc_input input = {"run.jsonl", (const uint8_t *)text, size};
        sc_run_reader *reader = NULL;
        CHECK_OK(sc_run_reader_of(map, &vocabulary, &input, &reader, NULL), NULL);
        assert_int_equal(check_lines(&record, reader, text), wishes.cloaks);
        sc_run_reader_free(reader);
        free(text);
        made_record_free(&record);
    }
    check_case_done();
}

static void test_a_record_is_read_from_a_file_packed_or_not(void **state)
{
    (void)state;
    place p = place_new();
    const made_wishes wishes = {.cloaks = 3, .min_members = 2, .has_answers = true};
    made_record record = made_record_new(map, 1, &wishes);
    size_t size = 0;
    char *text = made_text(&record, &size);
    const char *plain = place_write(&p, "run.jsonl", text, size);
    const char *packed = place_path(&p, "run.jsonl.gz");
    gzFile file = gzopen(packed, "wb");
    assert_int_equal(gzwrite(file, text, (unsigned)size), size);
    gzclose(file);
    const char *const paths[] = {plain, packed};
    for (size_t i = 0; i < 2; i++) {
        sc_run_reader *reader = NULL;
        CHECK_OK(sc_run_reader_open(map, &vocabulary, paths[i], &reader, NULL), NULL);
        check_lines(&record, reader, text);
        uint64_t total = 0;
        assert_int_equal(sc_run_reader_passed(reader, &total), size);
        assert_int_equal(total, size);
        sc_run_reader_free(reader);
    }
    sc_run_reader *reader = NULL;
    sc_diag diag = {""};
    const char *absent = place_path(&p, "absent.jsonl");
    CHECK_REFUSED(sc_run_reader_open(map, &vocabulary, absent, &reader, &diag), SC_EIO, &diag,
                  "absent.jsonl");
    assert_null(reader);
    sc_run_reader_free(NULL);
    free(text);
    made_record_free(&record);
    place_free(&p);
}

// --- One query and one cloak --------------------------------------------------

#define WHO "\"event\":\"query\",\"query\":\"q1\",\"user\":\"Zoltan\",\"t\":1.0"
#define PROFILE "\"profile\":{\"k\":1,\"l\":1,\"sigma_s\":1,\"sigma_t\":2.0}"
#define KNN "\"request\":{\"type\":\"knn\",\"k\":5,\"category\":null}"
#define QUERY "{" WHO ",\"edge\":0,\"offset_m\":4.2501,\"segment\":0," PROFILE "," KNN "}\n"
#define CLOAK_OF(segments, nodes, members)                                           \
    "{\"event\":\"cloak\",\"cloak\":3,\"t\":1.5,\"stars\":[],\"segments\":" segments \
    ",\"border_nodes\":" nodes ",\"members\":" members "}\n"
#define CLOAK CLOAK_OF("[0,1]", "[0]", "[{\"query\":\"q1\"}]")
#define ANSWER \
    "{\"event\":\"answer\",\"query\":\"q1\",\"cloak\":3,\"candidates\":0,\"results\":[]}\n"
#define FAILED "{\"event\":\"failed\",\"query\":\"q1\",\"t\":1.5,\"reason\":\"provider\"}\n"
#define END "{\"event\":\"end\",\"t\":2.0}\n"

static sc_err read_all(const sc_vocabulary *words, const char *text, sc_run_kind *kinds,
                       sc_run_member *member, sc_diag *diag)
{
    const sc_input input = {"run.jsonl", (const uint8_t *)text, strlen(text)};
    sc_run_reader *reader = NULL;
    CHECK_OK(sc_run_reader_of(map, words, &input, &reader, diag), diag);
    sc_run_line line;
    sc_err err = SC_OK;
    while (!(err = sc_run_reader_next(reader, &line, diag)) && line.text.text) {
        if (kinds) *kinds++ = line.kind;
        if (line.kind == SC_RUN_CLOAK && member) *member = line.cloak.members[0];
    }
    sc_run_reader_free(reader);
    return err;
}

// What an evaluation writes again: answers, and failures that stand in their place.
static void test_a_failure_is_an_answer_behind_a_cloak_and_only_there(void **state)
{
    (void)state;
    sc_run_kind kinds[8];
    sc_diag diag = {""};
    CHECK_OK(read_all(&vocabulary, QUERY CLOAK FAILED END, kinds, NULL, &diag), &diag);
    assert_int_equal(kinds[2], SC_RUN_ANSWER);
    CHECK_OK(read_all(&vocabulary, QUERY FAILED END, kinds, NULL, &diag), &diag);
    assert_int_equal(kinds[1], SC_RUN_OTHER);
    CHECK_OK(read_all(&vocabulary, QUERY CLOAK ANSWER END, kinds, NULL, &diag), &diag);
    assert_int_equal(kinds[2], SC_RUN_ANSWER);
    // Of a query that was not asked, nothing is known.
    CHECK_OK(read_all(&vocabulary, FAILED QUERY END, kinds, NULL, &diag), &diag);
    assert_int_equal(kinds[0], SC_RUN_OTHER);
}

// --- Ends -------------------------------------------------------------------

static sc_run_reader *reader_of_ends(const sc_input *input)
{
    sc_run_reader *reader = NULL;
    CHECK_OK(sc_run_reader_of(map, &vocabulary, input, &reader, NULL), NULL);
    sc_run_reader_want_ends(reader);
    return reader;
}

static void test_ends_of_queries_are_told_to_those_who_want_them(void **state)
{
    (void)state;
    static const char text[] =
        "{\"event\":\"query\",\"query\":\"q0\",\"user\":\"Anna\",\"t\":0.5,\"edge\":0,"
        "\"offset_m\":1,\"segment\":0," PROFILE "," KNN "}\n" QUERY CLOAK FAILED
        "{\"event\":\"drop\",\"query\":\"q0\",\"t\":1.75,\"reason\":\"expired\"}\n"
        "{\"event\":\"drop\",\"query\":\"q0\",\"t\":1.8,\"reason\":\"expired\"}\n"
        "{\"event\":\"failed\",\"query\":\"q9\",\"t\":1.9,\"reason\":\"request\"}\n" END;
    static const struct {
        sc_run_kind kind;
        uint32_t query;
        const char *reason;
        bool is_drop;
        sc_time t;
    } wanted[] = {
        {SC_RUN_QUERY, 0, NULL, false, 0},
        {SC_RUN_QUERY, 1, NULL, false, 0},
        {SC_RUN_CLOAK, SC_NONE, NULL, false, 0},
        {SC_RUN_ANSWER, 1, "provider", false, 1500000},
        {SC_RUN_OTHER, 0, "expired", true, 1750000},
        {SC_RUN_OTHER, SC_NONE, "expired", true, 1800000},   // it has ended before
        {SC_RUN_OTHER, SC_NONE, "request", false, 1900000},  // it was not asked
        {SC_RUN_END, SC_NONE, NULL, false, 2000000},
    };
    const sc_input input = {"run.jsonl", (const uint8_t *)text, strlen(text)};
    sc_run_reader *reader = reader_of_ends(&input);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        sc_run_line line;
        CHECK_OK(sc_run_reader_next(reader, &line, NULL), NULL);
        assert_int_equal(line.kind, wanted[i].kind);
        assert_int_equal(line.query, wanted[i].query);
        assert_int_equal(line.reason.text != NULL, wanted[i].reason != NULL);
        if (wanted[i].reason) assert_true(sc_slice_is(line.reason, wanted[i].reason));
        assert_int_equal(line.is_drop, wanted[i].is_drop);
        assert_int_equal(line.t, wanted[i].t);
        if (line.kind == SC_RUN_CLOAK) assert_int_equal(line.cloak.members[0].number, 1);
    }
    sc_run_reader_free(reader);
}

static void test_ends_without_a_reason_or_a_time_are_refused_if_they_are_wanted(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        const char *field;
    } cases[] = {
        {"{\"event\":\"drop\",\"query\":\"q1\",\"t\":1.75}\n", "reason"},
        {"{\"event\":\"drop\",\"query\":\"q1\",\"reason\":\"expired\"}\n", "\"t\""},
        {"{\"event\":\"failed\",\"query\":\"q1\",\"t\":1}\n", "reason"},
        {"{\"event\":\"end\"}\n", "\"t\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        const int size = snprintf(text, sizeof text, "%s%s", QUERY, cases[i].line);
        const sc_input input = {"run.jsonl", (const uint8_t *)text, (size_t)size};
        sc_run_reader *reader = reader_of_ends(&input);
        sc_run_line line;
        sc_diag diag = {""};
        CHECK_OK(sc_run_reader_next(reader, &line, &diag), &diag);
        CHECK_REFUSED(sc_run_reader_next(reader, &line, &diag), SC_EPARSE, &diag, "run.jsonl:2");
        CHECK_CONTAINS(diag.message, cases[i].field);
        sc_run_reader_free(reader);
        // They are no concern of others.
        snprintf(text, sizeof text, "%s%s%s", QUERY, cases[i].line, i < 3 ? END : "");
        CHECK_OK(read_all(&vocabulary, text, NULL, NULL, &diag), &diag);
    }
}

static void test_empty_lines_and_unknown_fields_are_passed_over(void **state)
{
    (void)state;
    sc_run_kind kinds[8];
    sc_diag diag = {""};
    const char *text = "\xef\xbb\xbf"
                       "\n" QUERY "\r\n\n" CLOAK "{\"event\":\"end\",\"t\":2,\"mood\":\"fine\"}";
    CHECK_OK(read_all(&vocabulary, text, kinds, NULL, &diag), &diag);
    assert_int_equal(kinds[0], SC_RUN_QUERY);
    assert_int_equal(kinds[1], SC_RUN_CLOAK);
    assert_int_equal(kinds[2], SC_RUN_END);
    const char *more = "{" WHO ",\"edge\":0,\"offset_m\":4,\"segment\":0,\"request\":{\"type\":"
                       "\"knn\",\"k\":5,\"because\":\"hungry\"}}\n" CLOAK END;
    CHECK_OK(read_all(&vocabulary, more, kinds, NULL, &diag), &diag);
}

static void test_categories_are_those_of_the_objects_that_are_asked_for(void **state)
{
    (void)state;
    static const char *const names[] = {"zoo", "clinic", "bar"};
    const sc_vocabulary words = {names, 3};
    const char *text = "{" WHO ",\"edge\":0,\"offset_m\":4,\"segment\":0,\"request\":{\"type\":"
                       "\"knn\",\"k\":5,\"category\":[\"bar\",\"zoo\",\"bar\"]}}\n" CLOAK END;
    sc_run_member member;
    sc_diag diag = {""};
    CHECK_OK(read_all(&words, text, NULL, &member, &diag), &diag);
    assert_int_equal(member.request.category_count, 2);
    assert_int_equal(member.request.categories[0], 0);
    assert_int_equal(member.request.categories[1], 2);
    // Of one that they do not have nothing can be asked; that ends no more than this request.
    const sc_vocabulary fewer = {names, 2};
    CHECK_OK(read_all(&fewer, text, NULL, &member, &diag), &diag);
    assert_int_equal(member.request.category_count, 2);
    assert_int_equal(member.request.categories[0], 0);
    assert_int_equal(member.request.categories[1], SC_NONE);
}

static void test_a_range_may_be_of_no_metres(void **state)
{
    (void)state;
    const char *text = "{" WHO ",\"edge\":0,\"offset_m\":4,\"segment\":0,\"request\":{\"type\":"
                       "\"range\",\"radius_m\":0}}\n" CLOAK END;
    sc_run_member member;
    sc_diag diag = {""};
    CHECK_OK(read_all(&vocabulary, text, NULL, &member, &diag), &diag);
    assert_int_equal(member.request.type, SC_REQUEST_RANGE);
    CHECK_SAME(member.request.radius_m, 0.0);
}

static void test_an_offset_is_kept_within_its_edge(void **state)
{
    (void)state;
    sc_run_member member;
    sc_diag diag = {""};
    char text[1024];
    const double end_m = sc_map_edge_length_m(map, 0);
    snprintf(text, sizeof text,
             "{" WHO ",\"edge\":0,\"offset_m\":%.9f,\"segment\":0," KNN "}\n" CLOAK END,
             end_m + 0.0009);
    CHECK_OK(read_all(&vocabulary, text, NULL, &member, &diag), &diag);
    CHECK_SAME(member.offset_m, end_m);
    snprintf(text, sizeof text,
             "{" WHO ",\"edge\":0,\"offset_m\":-0.0009,\"segment\":0," KNN "}\n" CLOAK END);
    CHECK_OK(read_all(&vocabulary, text, NULL, &member, &diag), &diag);
    CHECK_SAME(member.offset_m, 0.0);
}

// --- Refusals -------------------------------------------------------------------

typedef struct refusal {
    const char *text;
    sc_err err;
    const char *says;
} refusal;

#define AT(place) "{" WHO "," place "," PROFILE "," KNN "}\n"
#define ASKS(request) \
    "{" WHO ",\"edge\":0,\"offset_m\":4,\"segment\":0," PROFILE ",\"request\":" request "}\n"

static const refusal refusals[] = {
    {"", SC_EPARSE, "run.jsonl: the record has no end event: the file is empty"},
    {QUERY CLOAK, SC_EPARSE, "run.jsonl: the record has no end event: the file is cut short"},
    {QUERY END CLOAK, SC_EPARSE, "run.jsonl:3: is after the end event of the record"},
    {"Dear reader\n", SC_EPARSE, ": this is not JSON; a line is one object"},
    {"[1]\n", SC_EPARSE, "run.jsonl:1: this is not an object"},
    {"{\"t\":1}\n", SC_EPARSE, "run.jsonl:1: \"event\" is missing; add it"},
    {"{\"event\":7}\n", SC_EPARSE, "run.jsonl:1: \"event\" is not a text"},
    {"{\"event\":\"teleport\"}\n", SC_EPARSE, "run.jsonl:1: \"event\" is not one of query, cloak,"},
    {"{\"user\":\"Zoltan\",\"t\":1,\"profile\":{}}\n", SC_EPARSE,
     "run.jsonl:1: this is a query of a stream, not an event of a run record; 'starcloak cloak "
     "--record' makes a record of a stream"},
    {"{\"event\":\"query\"}\n", SC_EPARSE, "run.jsonl:1: \"query\" is missing; add it"},
    {"{\"event\":\"query\",\"query\":\"\"}\n", SC_EPARSE, "\"query\" is not a text, or is empty"},
    {AT("\"offset_m\":4.2501,\"segment\":0"), SC_EPARSE, "\"edge\" is missing; add it"},
    {AT("\"edge\":0,\"offset_m\":4.2501"), SC_EPARSE, "\"segment\" is missing; add it"},
    {AT("\"edge\":0,\"segment\":0"), SC_EPARSE, "\"offset_m\" is missing; add it"},
    {AT("\"edge\":\"Oak Road\",\"offset_m\":4.2501,\"segment\":0"), SC_EPARSE,
     "\"edge\" is not a whole number"},
    {AT("\"edge\":4711,\"offset_m\":4.2501,\"segment\":0"), SC_EMISMATCH,
     "run.jsonl:1: a query is on an edge that the map does not have; check that this is the map of "
     "the run"},
    {AT("\"edge\":0,\"offset_m\":4.2501,\"segment\":7"), SC_EMISMATCH,
     "a query is not on the segment it names; check that this is the map of the run"},
    {AT("\"edge\":0,\"offset_m\":42501,\"segment\":0"), SC_EMISMATCH,
     "a query lies beyond the end of its edge; check that this is the map of the run"},
    {AT("\"edge\":0,\"offset_m\":-4.2501,\"segment\":0"), SC_EMISMATCH,
     "a query lies beyond the end of its edge; check that this is the map of the run"},
    {QUERY QUERY, SC_EPARSE, "run.jsonl:2: a query is asked a second time"},
    {ASKS("7"), SC_EPARSE, "\"request\" is not an object"},
    {ASKS("{\"type\":\"knn\",\"k\":0}"), SC_EPARSE, "\"request.k\" is 0"},
    {ASKS("{\"type\":\"range\",\"radius_m\":-1}"), SC_EPARSE, "\"request.radius_m\" is below 0"},
    {ASKS("{\"type\":\"knn\",\"k\":1,\"category\":[]}"), SC_EPARSE,
     "\"request.category\" names no category; write null for all"},
    {QUERY "{\"event\":\"cloak\"}\n", SC_EPARSE, "run.jsonl:2: \"cloak\" is missing; add it"},
    {QUERY "{\"event\":\"cloak\",\"cloak\":-1}\n", SC_EPARSE, "\"cloak\" is out of range"},
    {QUERY "{\"event\":\"cloak\",\"cloak\":1}\n", SC_EPARSE, "\"t\" is missing; add it"},
    {QUERY "{\"event\":\"cloak\",\"cloak\":1,\"t\":1}\n", SC_EPARSE, "\"segments\" is missing"},
    {QUERY CLOAK_OF("7", "[]", "[]"), SC_EPARSE, "\"segments\" is not a list"},
    {QUERY CLOAK_OF("[]", "[]", "[]"), SC_EPARSE,
     "\"segments\" is empty; a cloak has at least one"},
    {QUERY CLOAK_OF("[1.5]", "[]", "[]"), SC_EPARSE,
     "\"segments\" contains something other than whole numbers of 0 or more"},
    {QUERY CLOAK_OF("[0,0]", "[]", "[]"), SC_EPARSE, "\"segments\" does not ascend"},
    {QUERY CLOAK_OF("[4711]", "[]", "[]"), SC_EMISMATCH,
     "run.jsonl:2: a cloak names a segment, a node or a star that the map does not have; check "
     "that this is the map"},
    {QUERY CLOAK_OF("[0]", "[-1]", "[]"), SC_EPARSE,
     "\"border_nodes\" contains something other than whole numbers"},
    {QUERY CLOAK_OF("[0]", "[1,0]", "[]"), SC_EPARSE, "\"border_nodes\" does not ascend"},
    {QUERY CLOAK_OF("[0]", "[4711]", "[]"), SC_EMISMATCH, "that the map does not have"},
    {QUERY CLOAK_OF("[0]", "[]", "{}"), SC_EPARSE, "\"members\" is not a list"},
    {QUERY CLOAK_OF("[0]", "[]", "[]"), SC_EPARSE,
     "\"members\" is empty; a cloak has at least one"},
    {QUERY CLOAK_OF("[0]", "[]", "[7]"), SC_EPARSE,
     "\"members\" contains something other than objects"},
    {QUERY CLOAK_OF("[0]", "[]", "[{}]"), SC_EPARSE, "\"members.query\" is missing; add it"},
    {CLOAK, SC_EPARSE, "\"members.query\" names a query that was not asked"},
    {QUERY CLOAK CLOAK, SC_EPARSE, "run.jsonl:3: \"members.query\" names a query that was not"},
    {QUERY FAILED CLOAK, SC_EPARSE, "or that had ended before"},
    {QUERY CLOAK_OF("[0]", "[]", "[{\"query\":\"q1\"},{\"query\":\"q1\"}]"), SC_EPARSE,
     "or that had ended before"},
    {QUERY CLOAK_OF("[1]", "[]", "[{\"query\":\"q1\"}]"), SC_EPARSE,
     "\"members.query\" names a query that is not on a segment of the cloak; 'starcloak verify' "
     "shows more"},
    {"{\"event\":\"drop\",\"t\":1}\n", SC_EPARSE, "\"query\" is missing; add it"},
    {QUERY CLOAK "{\"event\":\"end\",\"t\":2,\"map\":\"0123456789abcdef\"}\n", SC_EMISMATCH,
     "run.jsonl:3: this was a run on the map with the checksum 0123456789abcdef, not on this map"},
};

static void
test_what_cannot_be_worked_with_is_refused_in_one_line_that_tells_no_secret(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        check_case(i);
        sc_diag diag = {""};
        char text[2048];
        snprintf(text, sizeof text, "%s", refusals[i].text);
        CHECK_REFUSED(read_all(&vocabulary, text, NULL, NULL, &diag), refusals[i].err, &diag,
                      refusals[i].says);
        assert_null(strstr(diag.message, "Zoltan"));
        assert_null(strstr(diag.message, "2501"));
        assert_null(strstr(diag.message, "Oak Road"));
        assert_null(strpbrk(diag.message, "\r\n"));
    }
    check_case_done();
}

static void test_the_checksum_of_the_map_is_recognised(void **state)
{
    (void)state;
    char text[1024];
    sc_diag diag = {""};
    snprintf(text, sizeof text,
             QUERY CLOAK "{\"event\":\"end\",\"t\":2,\"map\":\"%016" PRIx64 "\"}\n",
             sc_map_checksum(map));
    CHECK_OK(read_all(&vocabulary, text, NULL, NULL, &diag), &diag);
    // What is no checksum says nothing.
    CHECK_OK(read_all(&vocabulary, QUERY CLOAK "{\"event\":\"end\",\"t\":2,\"map\":\"Kansas\"}\n",
                      NULL, NULL, &diag),
             &diag);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_every_line_comes_as_it_is_and_every_cloak_with_its_members),
    cmocka_unit_test(test_a_record_is_read_from_a_file_packed_or_not),
    cmocka_unit_test(test_a_failure_is_an_answer_behind_a_cloak_and_only_there),
    cmocka_unit_test(test_ends_of_queries_are_told_to_those_who_want_them),
    cmocka_unit_test(test_ends_without_a_reason_or_a_time_are_refused_if_they_are_wanted),
    cmocka_unit_test(test_empty_lines_and_unknown_fields_are_passed_over),
    cmocka_unit_test(test_categories_are_those_of_the_objects_that_are_asked_for),
    cmocka_unit_test(test_a_range_may_be_of_no_metres),
    cmocka_unit_test(test_an_offset_is_kept_within_its_edge),
    SC_CASES(test_what_cannot_be_worked_with_is_refused_in_one_line_that_tells_no_secret),
    cmocka_unit_test(test_the_checksum_of_the_map_is_recognised),
};
SC_SUITE_WITH(tests, open_map, close_map)
