// The engine in the end of a record: written as the format has it, read back as the very same
// options, and refused with its field where it makes no sense.
#include "support/check.h"
#include "support/place.h"
#include "support/sketch.h"

#include "record/record_write.h"
#include "record/run_reader.h"

#include <inttypes.h>
#include <stdio.h>

static sc_map *map;

static int open_map(void **state)
{
    (void)state;
    map = full_map(SC_COORDS_PLANAR);
    return 0;
}

static int close_map(void **state)
{
    (void)state;
    sc_map_free(map);
    return 0;
}

// A record with nothing in it but its end, made by an engine with these options (NULL: not told);
// release with free().
static char *write_end(const sc_engine_options *options)
{
    place p = place_new();
    const char *path = place_path(&p, "run.jsonl");
    sc_record *record = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_record_open(map, path, &record, &diag), &diag);
    if (options) sc_record_engine(record, options);
    CHECK_OK(sc_record_close(record, sc_time_from_seconds(120), &diag), &diag);
    size_t size = 0;
    char *text = read_whole(path, &size);
    place_free(&p);
    return text;
}

// Read the end that `text` is.
static sc_err read_end(const char *text, sc_run_line *line, sc_diag *diag)
{
    const sc_input input = {"run.jsonl", (const uint8_t *)text, strlen(text)};
    sc_run_reader *reader = NULL;
    CHECK_OK(sc_run_reader_of(map, NULL, &input, &reader, diag), diag);
    sc_run_reader_want_users(reader);
    const sc_err err = sc_run_reader_next(reader, line, diag);
    sc_run_reader_free(reader);
    return err;
}

// --- Written ----------------------------------------------------------------------

static void test_the_end_says_which_engine_it_was(void **state)
{
    (void)state;
    char expected[512];
    const sc_engine_options options = sc_engine_options_default();
    char *text = write_end(&options);
    snprintf(expected, sizeof expected,
             "{\"event\":\"end\",\"t\":120.000000,\"map\":\"%016" PRIx64 "\",\"engine\":{"
             "\"method\":\"basic\",\"strict\":false,\"lambda\":1,\"alpha_s\":2.000000,\"cap\":64,"
             "\"cost\":{\"segment\":1,\"border_node\":2,\"object\":30,\"balance\":0.5}}}\n",
             sc_map_checksum(map));
    assert_string_equal(text, expected);
    free(text);
}

static void test_a_record_that_was_not_told_says_nothing(void **state)
{
    (void)state;
    char expected[128];
    char *text = write_end(NULL);
    snprintf(expected, sizeof expected,
             "{\"event\":\"end\",\"t\":120.000000,\"map\":\"%016" PRIx64 "\"}\n",
             sc_map_checksum(map));
    assert_string_equal(text, expected);
    sc_run_line line;
    sc_diag diag = {""};
    CHECK_OK(read_end(text, &line, &diag), &diag);
    assert_int_equal(line.kind, SC_RUN_END);
    assert_false(line.has_engine);
    free(text);
}

// --- And read -----------------------------------------------------------------------

static void check_engine(const sc_engine_options *got, const sc_engine_options *wanted)
{
    assert_int_equal(got->variant, wanted->variant);
    assert_int_equal(got->is_strict, wanted->is_strict);
    assert_int_equal(got->compactness, wanted->compactness);
    assert_int_equal(got->consideration_us, wanted->consideration_us);
    assert_int_equal(got->crowd, wanted->crowd);
    assert_int_equal(got->k_spread, wanted->k_spread);
    assert_int_equal(got->max_combinations, wanted->max_combinations);
    CHECK_SAME(got->cost.segment, wanted->cost.segment);
    CHECK_SAME(got->cost.border_node, wanted->cost.border_node);
    CHECK_SAME(got->cost.object, wanted->cost.object);
    CHECK_SAME(got->cost.balance, wanted->cost.balance);
    assert_false(got->is_paranoid);
}

static void test_every_engine_reads_back_as_the_very_same(void **state)
{
    (void)state;
    static const double odd[] = {0.1, 1.0 / 3.0, 1e12, 5e-324, 12345.678901234567};
    for (int variant = 0; variant < SC_VARIANT_COUNT; variant++) {
        check_case((uint64_t)variant);
        const double cost = odd[variant % 5];
        const sc_engine_options options = {
            .variant = (sc_variant)variant,
            .compactness = variant % 2 == 0 ? 1u << 30 : 3,
            .is_strict = variant % 2 == 1,
            .consideration_us = (sc_time)variant * 1000001,
            .crowd = variant == SC_VARIANT_PATIENT ? 999 : 4,  // told of patient alone
            .k_spread = variant % 3 == 0 ? 0 : (uint32_t)variant * 100,
            .max_combinations = variant % 3 == 0 ? SC_COMBINATIONS_MAX : 1,
            .cost = {.segment = 1.0 / 7.0, .border_node = cost, .object = cost, .balance = 0.3},
            .is_paranoid = true,  // changes no cloak, and is not told
        };
        char *text = write_end(&options);
        sc_run_line line;
        sc_diag diag = {""};
        CHECK_OK(read_end(text, &line, &diag), &diag);
        assert_true(line.has_engine);
        check_engine(&line.engine, &options);
        free(text);
    }
    check_case_done();
}

// --- Refused -------------------------------------------------------------------------

#define COST_OF(segment, node, object, balance)                                     \
    "\"cost\":{\"segment\":" segment ",\"border_node\":" node ",\"object\":" object \
    ",\"balance\":" balance "}"
#define COST COST_OF("1", "2", "30", "0.5")
#define METHOD "\"method\":\"hybrid\","
#define STRICT "\"strict\":true,"
#define LAMBDA "\"lambda\":2,"
#define ALPHA "\"alpha_s\":1.5,"
#define CAP "\"cap\":8,"
#define END_OF(engine) "{\"event\":\"end\",\"t\":2.0,\"engine\":" engine "}\n"
#define ENGINE(method, strict, lambda, alpha, cap, cost) \
    END_OF("{" method strict lambda alpha cap cost "}")

static void test_keys_that_are_not_known_are_passed_over(void **state)
{
    (void)state;
    sc_run_line line;
    sc_diag diag = {""};
    const char *text = END_OF("{\"colour\":\"red\"," METHOD STRICT LAMBDA ALPHA CAP COST "}");
    CHECK_OK(read_end(text, &line, &diag), &diag);
    const sc_engine_options wanted = {
        .variant = SC_VARIANT_HYBRID,
        .compactness = 2,
        .is_strict = true,
        .consideration_us = 1500000,
        .crowd = 4,
        .max_combinations = 8,
        .cost = {1, 2, 30, 0.5},
    };
    check_engine(&line.engine, &wanted);
}

typedef struct refusal {
    const char *text;
    const char *says;
} refusal;

static const refusal refusals[] = {
    {END_OF("\"basic\""), "run.jsonl:1: \"engine\" is not an object"},
    {END_OF("null"), "\"engine\" is not an object"},
    {ENGINE("", STRICT, LAMBDA, ALPHA, CAP, COST), "\"engine.method\" is missing; add it"},
    {ENGINE("\"method\":7,", STRICT, LAMBDA, ALPHA, CAP, COST), "\"engine.method\" is not a text"},
    {ENGINE("\"method\":\"steam\",", STRICT, LAMBDA, ALPHA, CAP, COST),
     "\"engine.method\" is not one of basic, bounded, hybrid, xstar, sampling, expansion, patient"},
    {ENGINE(METHOD, "", LAMBDA, ALPHA, CAP, COST), "\"engine.strict\" is neither true nor false"},
    {ENGINE(METHOD, "\"strict\":1,", LAMBDA, ALPHA, CAP, COST),
     "\"engine.strict\" is neither true nor false"},
    {ENGINE(METHOD, STRICT, "", ALPHA, CAP, COST), "\"engine.lambda\" is missing; add it"},
    {ENGINE(METHOD, STRICT, "\"lambda\":0,", ALPHA, CAP, COST),
     "\"engine.lambda\" is out of range; write 1 to 1073741824"},
    {ENGINE(METHOD, STRICT, "\"lambda\":1073741825,", ALPHA, CAP, COST),
     "\"engine.lambda\" is out"},
    {ENGINE(METHOD, STRICT, "\"lambda\":-1,", ALPHA, CAP, COST), "\"engine.lambda\" is negative"},
    {ENGINE(METHOD, STRICT, LAMBDA, "", CAP, COST), "\"engine.alpha_s\" is missing; add it"},
    {ENGINE(METHOD, STRICT, LAMBDA, "\"alpha_s\":-1,", CAP, COST), "\"engine.alpha_s\" is below 0"},
    {ENGINE(METHOD, STRICT, LAMBDA, "\"alpha_s\":1e300,", CAP, COST),
     "\"engine.alpha_s\" is beyond"},
    {ENGINE(METHOD, STRICT, LAMBDA, ALPHA, "\"crowd\":0," CAP, COST),
     "\"engine.crowd\" is out of range; write 1 to 1000"},
    {ENGINE(METHOD, STRICT, LAMBDA, ALPHA, "\"crowd\":1001," CAP, COST), "\"engine.crowd\" is out"},
    {ENGINE(METHOD, STRICT, LAMBDA, ALPHA "\"k_spread\":0,", CAP, COST),
     "\"engine.k_spread\" is out of range; write 1 to 1000"},
    {ENGINE(METHOD, STRICT, LAMBDA, ALPHA "\"k_spread\":1001,", CAP, COST),
     "\"engine.k_spread\" is out"},
    {ENGINE(METHOD, STRICT, LAMBDA, ALPHA "\"k_spread\":\"2\",", CAP, COST),
     "\"engine.k_spread\" is not a"},
    {ENGINE(METHOD, STRICT, LAMBDA, ALPHA, "", COST), "\"engine.cap\" is missing; add it"},
    {ENGINE(METHOD, STRICT, LAMBDA, ALPHA, "\"cap\":0,", COST),
     "\"engine.cap\" is out of range; write 1 to 1048576"},
    {ENGINE(METHOD, STRICT, LAMBDA, ALPHA, "\"cap\":1048577,", COST), "\"engine.cap\" is out of"},
    {ENGINE(METHOD, STRICT, LAMBDA, ALPHA, CAP, "\"mood\":1"),
     "\"engine.cost\" is missing; add it"},
    {ENGINE(METHOD, STRICT, LAMBDA, ALPHA, CAP, "\"cost\":1"), "\"engine.cost\" is not an object"},
    {ENGINE(METHOD, STRICT, LAMBDA, ALPHA, CAP, "\"cost\":{\"segment\":1,\"object\":1}"),
     "\"engine.cost.border_node\" is missing; add it"},
    {ENGINE(METHOD, STRICT, LAMBDA, ALPHA, CAP, COST_OF("\"1\"", "2", "30", "0.5")),
     "\"engine.cost.segment\" is not a number"},
    {ENGINE(METHOD, STRICT, LAMBDA, ALPHA, CAP, COST_OF("1", "2", "-30", "0.5")),
     "run.jsonl:1: \"engine.cost\": a cost of -30 per object is out of range"},
    {ENGINE(METHOD, STRICT, LAMBDA, ALPHA, CAP, COST_OF("1", "2", "30", "1.5")),
     "run.jsonl:1: \"engine.cost\": a weight of 1.5 for communication is out of range"},
    {ENGINE(METHOD, STRICT, LAMBDA, ALPHA, CAP, COST_OF("0", "2", "30", "0.5")),
     "run.jsonl:1: \"engine.cost\": a segment by itself would cost nothing"},
};

static void test_an_engine_that_makes_no_sense_is_refused_with_its_field(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        check_case(i);
        sc_run_line line;
        sc_diag diag = {""};
        CHECK_REFUSED(read_end(refusals[i].text, &line, &diag), SC_EPARSE, &diag, refusals[i].says);
        assert_null(strpbrk(diag.message, "\r\n"));
    }
    check_case_done();
}

// Whatever is read, an engine can be made with: the two know the same limits.
static void test_engines_take_what_is_read_and_refuse_what_is_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t lambda;
        uint32_t cap;
        double alpha_s;
    } cases[] = {{1u << 30, SC_COMBINATIONS_MAX, 1e12},
                 {(1u << 30) + 1, 1, 0},
                 {1, SC_COMBINATIONS_MAX + 1, 0},
                 {1, 0, 0},
                 {0, 1, 0},
                 {1, 1, -1e-6},
                 {1, 1, 0}};
    sc_rng *rng = NULL;
    CHECK_OK(sc_rng_new_seeded(1, &rng), NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        sc_engine_options options = sc_engine_options_default();
        options.compactness = cases[i].lambda;
        options.max_combinations = cases[i].cap;
        options.consideration_us = sc_time_from_seconds(cases[i].alpha_s);
        char *text = write_end(&options);
        sc_run_line line;
        sc_diag diag = {""};
        const sc_err read = read_end(text, &line, &diag);
        sc_engine *engine = NULL;
        const sc_err made = sc_engine_new(map, &options, rng, &engine, &diag);
        assert_int_equal(read == SC_OK, made == SC_OK);
        sc_engine_free(engine);
        free(text);
    }
    check_case_done();
    sc_rng_free(rng);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_end_says_which_engine_it_was),
    cmocka_unit_test(test_a_record_that_was_not_told_says_nothing),
    SC_CASES(test_every_engine_reads_back_as_the_very_same),
    cmocka_unit_test(test_keys_that_are_not_known_are_passed_over),
    SC_CASES(test_an_engine_that_makes_no_sense_is_refused_with_its_field),
    SC_CASES(test_engines_take_what_is_read_and_refuse_what_is_refused),
};
SC_SUITE_WITH(tests, open_map, close_map)
