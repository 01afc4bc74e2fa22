// Every allocation of the guard and of the log fails once, in turn: it is reported, leaves nothing
// half done and leaks nothing (the address sanitizer looks).
#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"

#include "base/handover.h"
#include "server/log.h"
#include "server/pending.h"
#include "server/rate_limit.h"
#include "server/token_internal.h"

#include <sys/stat.h>

enum { NOW = 1700000000 };

static void test_keys_that_cannot_be_had(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "token.key");
    CHECK_OK(sc_token_keys_write(path, NULL), NULL);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_token_keys *made = NULL;
        sc_token_keys *read = NULL;
        sc_diag diag = {""};
        sc_err err = sc_token_keys_new(&made);
        if (!err) err = sc_token_keys_read(path, &read, &diag);
        const bool happened = oom_happened();
        assert_int_equal(err, happened ? SC_ENOMEM : SC_OK);
        if (happened) assert_null(read);
        if (made && happened) CHECK_CONTAINS(diag.message, "out of memory");
        sc_token_keys_free(made);
        sc_token_keys_free(read);
        if (!happened) break;
        failures++;
    }
    assert_int_equal(failures, 3);
    place_free(&p);
}

static void test_a_list_that_cannot_be_read(void **state)
{
    (void)state;
    // More than fit into a table at first, of both kinds.
    char text[20000] = "";
    size_t used = 0;
    for (int i = 0; i < 100; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "serial %016x until 1\nuser %032x before 1\n", i, i);
    }
    place p = place_new();
    const char *path = place_write_text(&p, "revoked.txt", text);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_revoked *list = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_revoked_read(path, &list, &diag);
        const bool happened = oom_happened();
        assert_int_equal(err, happened ? SC_ENOMEM : SC_OK);
        if (!happened) {
            assert_int_equal(sc_revoked_count(list), 200);
            sc_revoked_free(list);
            break;
        }
        assert_null(list);
        CHECK_CONTAINS(diag.message, "out of memory");
        failures++;
    }
    assert_true(failures >= 6);
    place_free(&p);
}

static void test_a_list_that_cannot_be_added_to_stays(void **state)
{
    (void)state;
    static const char old[] = "# old\n";
    place p = place_new();
    const char *path = place_write_text(&p, "revoked.txt", old);
    sc_token_keys *keys = NULL;
    CHECK_OK(sc_token_keys_new(&keys), NULL);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_diag diag = {""};
        const sc_err err = sc_revoked_add(path, keys, NULL, "ann", NOW, &diag);
        const bool happened = oom_happened();
        assert_int_equal(err, happened ? SC_ENOMEM : SC_OK);
        assert_int_equal(count_entries(p.path), 1);
        size_t size = 0;
        char *text = read_whole(path, &size);
        assert_int_equal(strcmp(text, old) == 0, happened);
        free(text);
        if (!happened) break;
        failures++;
    }
    assert_true(failures >= 3);
    sc_token_keys_free(keys);
    place_free(&p);
}

static sc_err make_tables(sc_rate_limit **rates, sc_pending **pending, sc_log **log,
                          sc_handover **h)
{
    sc_err err = sc_rate_limit_new(100, rates);
    if (!err) err = sc_pending_new(100, pending);
    if (!err) err = sc_log_new(2, SC_LOG_JSON, SC_LOG_INFO, log);
    if (!err) err = sc_handover_new(16, 100, h);
    return err;
}

static void test_tables_that_cannot_be_made(void **state)
{
    (void)state;
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_rate_limit *rates = NULL;
        sc_pending *pending = NULL;
        sc_log *log = NULL;
        sc_handover *h = NULL;
        const sc_err err = make_tables(&rates, &pending, &log, &h);
        const bool happened = oom_happened();
        assert_int_equal(err, happened ? SC_ENOMEM : SC_OK);
        if (happened) assert_null(h);
        sc_rate_limit_free(rates);
        sc_pending_free(pending);
        sc_log_free(log);
        sc_handover_free(h);
        if (!happened) break;
        failures++;
    }
    assert_int_equal(failures, 7);
}

static void test_work_itself_takes_no_memory(void **state)
{
    (void)state;
    sc_rate_limit *rates = NULL;
    sc_pending *pending = NULL;
    sc_log *log = NULL;
    sc_handover *h = NULL;
    sc_token_keys *keys = NULL;
    sc_revoked *revoked = NULL;
    CHECK_OK(make_tables(&rates, &pending, &log, &h), NULL);
    CHECK_OK(sc_token_keys_new(&keys), NULL);
    CHECK_OK(sc_revoked_read(NULL, &revoked, NULL), NULL);

    oom_arm(1);
    char text[SC_TOKEN_SIZE];
    sc_token token;
    CHECK_OK(sc_token_issue(keys, "ann", 1, 2, text, NULL), NULL);
    CHECK_OK(sc_token_check(keys, text, &token), NULL);
    assert_false(sc_revoked_has(revoked, keys, &token));
    for (uint64_t i = 0; i < 100; i++) {
        assert_int_equal(sc_rate_limit_take(rates, i, 1, 5, 1000000), 0);
        CHECK_OK(sc_pending_enter(pending, i, 1), NULL);
        assert_true(sc_handover_put(h, "sixteen bytes..."));
    }
    sc_log_message(log, SC_LOG_DEBUG, "x", "not wanted");
    assert_false(oom_happened());

    sc_rate_limit_free(rates);
    sc_pending_free(pending);
    sc_log_free(log);
    sc_handover_free(h);
    sc_token_keys_free(keys);
    sc_revoked_free(revoked);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_keys_that_cannot_be_had),
    cmocka_unit_test(test_a_list_that_cannot_be_read),
    cmocka_unit_test(test_a_list_that_cannot_be_added_to_stays),
    cmocka_unit_test(test_tables_that_cannot_be_made),
    cmocka_unit_test(test_work_itself_takes_no_memory),
};
SC_SUITE(tests)
