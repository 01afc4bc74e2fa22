// Reading a record for its cloaks, and answering them, while memory runs out: every allocation
// fails once, in turn. It is told, nothing leaks, the record is as it was.
#include "support/check.h"
#include "support/made_record.h"
#include "support/oom.h"
#include "support/place.h"

#include "record/run_reader.h"
#include "sim/evaluate.h"

static char *make_record(const sc_map *map, uint32_t cloaks, size_t *size)
{
    const made_wishes wishes = {.cloaks = cloaks, .min_members = 2, .has_answers = true};
    made_record record = made_record_new(map, 1, &wishes);
    char *text = made_text(&record, size);
    made_record_free(&record);
    return text;
}

static sc_err read_all(const sc_map *map, const sc_vocabulary *words, const sc_input *input,
                       sc_diag *diag)
{
    sc_run_reader *reader = NULL;
    sc_err err = sc_run_reader_of(map, words, input, &reader, diag);
    if (err) {
        assert_null(reader);
        return err;
    }
    sc_run_line line;
    do {
        err = sc_run_reader_next(reader, &line, diag);
    } while (!err && line.text.text);
    sc_run_reader_free(reader);
    return err;
}

static void test_a_record_that_does_not_fit_is_told(void **state)
{
    (void)state;
    sc_map *map = made_town();
    sc_vocabulary words;
    CHECK_OK(sc_vocabulary_init_from_map(map, &words), NULL);
    size_t size = 0;
    char *text = make_record(map, 30, &size);
    const sc_input input = {"run.jsonl", (const uint8_t *)text, size};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_diag diag = {""};
        const sc_err err = read_all(map, &words, &input, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        failures++;
    }
    assert_true(failures > 10);
    free(text);
    sc_vocabulary_fini(&words);
    sc_map_free(map);
}

static void test_an_evaluation_without_memory_is_told_and_leaves_the_record(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = made_town();
    sc_objects *objects = NULL;
    CHECK_OK(sc_objects_new_from_map(map, &objects), NULL);
    size_t size = 0;
    char *text = make_record(map, 6, &size);
    const char *path = place_write(&p, "run.jsonl", text, size);
    sc_evaluate_options options = sc_evaluate_options_default();
    options.objects = objects;
    options.is_seeded = true;
    options.check_count = 3;
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_evaluate_report report = {.cloaks = 4711};
        sc_diag diag = {""};
        const sc_err err = sc_evaluate(map, path, path, &options, &report, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            assert_int_equal(report.cloaks, 6);
            assert_int_equal(report.answered, report.queries);
            assert_int_equal(report.wrong, 0);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "memory");
        assert_int_equal(report.cloaks, 4711);
        char *now = read_whole(path, &size);
        assert_string_equal(now, text);
        assert_int_equal(count_entries(p.path), 1);
        free(now);
        failures++;
    }
    assert_true(failures > 60);
    free(text);
    sc_objects_release(objects);
    sc_map_free(map);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_record_that_does_not_fit_is_told),
    cmocka_unit_test(test_an_evaluation_without_memory_is_told_and_leaves_the_record),
};
SC_SUITE(tests)
