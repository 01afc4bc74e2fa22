// Every allocation of making and reading settings fails once, in turn.
#include "api/settings.h"

#include "support/check.h"
#include "support/oom.h"

static void test_settings_that_find_no_memory(void **state)
{
    (void)state;
    static const char text[] = "[server]\nlisten = a:1, b:2\nmap = city.scm\n[provider]\n"
                               "provider = https://c/\n";
    const sc_input input = {"x.ini", (const uint8_t *)text, sizeof text - 1};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_settings *settings = NULL;
        char **parts = NULL;
        size_t count = 0;
        sc_diag diag = {""};
        sc_err err = sc_settings_new(&settings);
        if (!err) err = sc__settings_read_input(settings, &input, &diag);
        if (!err) err = sc_settings_add(settings, "listen", "c:3", &diag);
        if (!err) err = sc_settings_parts(settings->listen, &parts, &count);
        const bool happened = oom_happened();
        assert_int_equal(err, happened ? SC_ENOMEM : SC_OK);
        if (!happened) assert_int_equal(count, 3);
        sc_settings_parts_free(parts);
        sc_settings_free(settings);
        if (!happened) break;
        failures++;
    }
    assert_true(failures > 5);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_settings_that_find_no_memory)};
SC_SUITE(tests)
