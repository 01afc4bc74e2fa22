// The operator's words: by name, from a file, together; and what is wrong with them, where.
#include "api/settings.h"

#include <starcloak/engine.h>

#include "api/access_policy.h"
#include "support/check.h"
#include "support/place.h"

#include <stdio.h>

static sc_settings *fresh(void)
{
    sc_settings *settings = NULL;
    CHECK_OK(sc_settings_new(&settings), NULL);
    return settings;
}

static sc_err read_text(sc_settings *settings, const char *text, sc_diag *diag)
{
    const sc_input input = {"x.ini", (const uint8_t *)text, strlen(text)};
    return sc__settings_read_input(settings, &input, diag);
}

static void test_the_defaults_are_those_that_help_tells_and_go_together(void **state)
{
    (void)state;
    sc_settings *settings = fresh();
    sc_diag diag = {""};
    CHECK_OK(sc_settings_check(settings, &diag), &diag);
    size_t count = 0;
    const sc__setting *table = sc__settings_table(&count);
    for (size_t i = 0; i < count; i++) {
        const sc__setting *s = &table[i];
        assert_ptr_equal(sc__setting_find(s->name), s);
        if (s->kind != SC__SETTING_COUNT && s->kind != SC__SETTING_NUMBER) continue;
        // "(default 5)", "(default 0: 64, ...)"
        char wanted[64];
        snprintf(wanted, sizeof wanted, "(default %s", s->standard);
        CHECK_CONTAINS(s->help, wanted);
    }
    assert_int_equal(settings->events, SC_ACCESS_LOCAL);
    assert_int_equal(settings->metrics, SC_ACCESS_LOCAL);
    assert_string_equal(settings->listen, "127.0.0.1:8080");
    sc_settings_free(settings);
}

static void test_the_policy_of_the_defaults_is_the_one_written_down(void **state)
{
    (void)state;
    sc_settings *settings = fresh();
    const sc_policy got = sc_settings_policy(settings);
    const sc_policy wanted = {
        .least = {.k = 2, .l = 1, .max_hops = 1, .max_wait_us = sc_time_from_seconds(1)},
        .most = {.k = 100, .l = 50, .max_hops = 8, .max_wait_us = sc_time_from_seconds(60)},
        .standard = {.k = 5, .l = 3, .max_hops = 4, .max_wait_us = sc_time_from_seconds(10)},
        .requests = {.max_k = 100, .max_radius_m = 20000.0, .max_radius_s = 1800.0},
        .metric = SC_METRIC_TIME,
        .max_objects = 2000.0,
        .max_cost = 300000.0,
        .user_cost = 5000.0,
        .user_waiting = 1.0,
        .max_snap_m = 250.0,
        .user_rate = 1.0,
        .user_burst = 5.0,
        .address_rate = 100.0,
        .address_burst = 200.0,
        .user_pending = 1,
        .events = SC_ACCESS_LOCAL,
        .metrics = SC_ACCESS_LOCAL,
    };
    assert_int_equal(got.least.k, wanted.least.k);
    assert_int_equal(got.most.k, wanted.most.k);
    assert_int_equal(got.most.l, wanted.most.l);
    assert_int_equal(got.most.max_hops, wanted.most.max_hops);
    assert_int_equal(got.standard.max_hops, wanted.standard.max_hops);
    assert_int_equal(got.standard.max_wait_us, wanted.standard.max_wait_us);
    assert_int_equal(got.least.max_wait_us, wanted.least.max_wait_us);
    assert_int_equal(got.most.max_wait_us, wanted.most.max_wait_us);
    assert_int_equal(got.requests.max_k, wanted.requests.max_k);
    CHECK_SAME(got.requests.max_radius_m, wanted.requests.max_radius_m);
    CHECK_SAME(got.requests.max_radius_s, wanted.requests.max_radius_s);
    assert_int_equal(got.metric, wanted.metric);
    assert_false(got.has_no_times);
    CHECK_SAME(got.max_objects, wanted.max_objects);
    CHECK_SAME(got.max_cost, wanted.max_cost);
    CHECK_SAME(got.user_cost, wanted.user_cost);
    CHECK_SAME(got.user_waiting, wanted.user_waiting);
    CHECK_SAME(got.max_snap_m, wanted.max_snap_m);
    CHECK_SAME(got.user_rate, wanted.user_rate);
    CHECK_SAME(got.user_burst, wanted.user_burst);
    CHECK_SAME(got.address_rate, wanted.address_rate);
    CHECK_SAME(got.address_burst, wanted.address_burst);
    assert_int_equal(got.user_pending, wanted.user_pending);
    assert_int_equal(got.events, wanted.events);
    assert_int_equal(got.metrics, wanted.metrics);
    sc_settings_free(settings);
}

static void test_every_kind_of_value_is_taken_or_refused_as_a_whole(void **state)
{
    (void)state;
    sc_settings *s = fresh();
    sc_diag diag = {""};
    CHECK_OK(sc_settings_set(s, "loops", "4", &diag), &diag);
    assert_int_equal(s->loops, 4);
    CHECK_OK(sc_settings_set(s, "max-pending", "20k", &diag), &diag);
    assert_int_equal(s->max_pending, 20000);
    CHECK_OK(sc_settings_set(s, "jitter", "0.5", &diag), &diag);
    CHECK_SAME(s->jitter_s, 0.5);
    CHECK_OK(sc_settings_set(s, "engine", "Hybrid", &diag), &diag);
    assert_int_equal(s->engine, SC_VARIANT_HYBRID);
    CHECK_OK(sc_settings_set(s, "paranoid", NULL, &diag), &diag);
    assert_true(s->paranoid);
    CHECK_OK(sc_settings_set(s, "paranoid", "off", &diag), &diag);
    assert_false(s->paranoid);
    CHECK_OK(sc_settings_set(s, "listen", "a:1", &diag), &diag);
    CHECK_OK(sc_settings_add(s, "listen", "b:2", &diag), &diag);
    assert_string_equal(s->listen, "a:1,b:2");

    CHECK_REFUSED(sc_settings_set(s, "loops", "65", &diag), SC_EINVAL, &diag, "from 0 to 64");
    CHECK_REFUSED(sc_settings_set(s, "loops", "4x", &diag), SC_EINVAL, &diag, "'4x'");
    CHECK_REFUSED(sc_settings_set(s, "loops", "2.5", &diag), SC_EINVAL, &diag, "whole number");
    CHECK_REFUSED(sc_settings_set(s, "loops", "", &diag), SC_EINVAL, &diag, "loops");
    CHECK_REFUSED(sc_settings_set(s, "loops", "99999999999999999999", &diag), SC_EINVAL, &diag,
                  "loops");
    CHECK_REFUSED(sc_settings_set(s, "jitter", "nan", &diag), SC_EINVAL, &diag, "jitter");
    CHECK_REFUSED(sc_settings_set(s, "engine", "magic", &diag), SC_EINVAL, &diag, "basic bounded");
    CHECK_REFUSED(sc_settings_set(s, "paranoid", "maybe", &diag), SC_EINVAL, &diag, "yes nor no");
    CHECK_REFUSED(sc_settings_set(s, "map", NULL, &diag), SC_EINVAL, &diag, "a value is needed");
    CHECK_REFUSED(sc_settings_set(s, "lopps", "4", &diag), SC_EUNKNOWN, &diag, "'lopps'");
    assert_int_equal(s->loops, 4);
    sc_settings_free(s);
}

static void test_a_file_is_read_by_sections(void **state)
{
    (void)state;
    sc_settings *s = fresh();
    sc_diag diag = {""};
    CHECK_OK(read_text(s,
                       "; a comment\n# another\n[server]\r\nlisten = [::1]:8443, unix:/run/x\n"
                       "loops=3\n\n[policy]\nmin-k = 3   ; at least\nevents = open\n"
                       "[engine]\nparanoid = yes",
                       &diag),
             &diag);
    assert_string_equal(s->listen, "[::1]:8443, unix:/run/x");
    assert_int_equal(s->loops, 3);
    assert_int_equal(s->min_k, 3);
    assert_int_equal(s->events, SC_ACCESS_OPEN);
    assert_true(s->paranoid);

    char **parts = NULL;
    size_t count = 0;
    CHECK_OK(sc_settings_parts(s->listen, &parts, &count), NULL);
    assert_int_equal(count, 2);
    assert_string_equal(parts[0], "[::1]:8443");
    assert_string_equal(parts[1], "unix:/run/x");
    assert_null(parts[2]);
    sc_settings_parts_free(parts);
    sc_settings_free(s);
}

static void test_what_is_wrong_in_a_file_is_told_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *told;
    } files[] = {
        {"[server]\nloops = many\n", "x.ini:2: loops: 'many' is not a whole number from 0 to 64"},
        {"[sever]\nloops = 2\n", "x.ini:2: unknown section: 'sever'"},
        {"loops = 2\n", "x.ini:1: the setting is before the first [section]: 'loops'"},
        {"[server]\n\nlop = 2\n", "x.ini:3: unknown setting: 'lop'"},
        {"[server]\nno-window = yes\n",
         "x.ini:2: 'no-window' is not a setting any more: use 'no-ui' instead"},
        {"[provider]\nclerks = 2\n",
         "x.ini:2: 'clerks' is not a setting any more: use 'provider-threads' instead"},
        {"[engine]\ncut = a.cut\n",
         "x.ini:2: 'cut' is not a setting any more: use 'partition' instead"},
        {"[server]\nreports = here\n", "x.ini:2: 'reports' is not a setting any more: only "
                                       "'starcloak demo' shows reports; remove this line"},
        {"[policy]\nloops = 2\n", "x.ini:2: 'loops' belongs in section [server]"},
        {"[server]\nloops = 2\nloops = 3\n", "x.ini:3: the setting is repeated"},
        {"[server]\nloops = 2\nwhat is this\n", "x.ini:3: the line is neither [section] nor name"},
        {"[server\nloops = 2\n", "x.ini:1: the line is neither [section] nor name"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        sc_settings *s = fresh();
        sc_diag diag = {""};
        CHECK_REFUSED(read_text(s, files[i].text, &diag), SC_EPARSE, &diag, files[i].told);
        sc_settings_free(s);
    }
}

static void test_long_lines_and_files_are_refused_and_not_cut(void **state)
{
    (void)state;
    sc_settings *s = fresh();
    sc_diag diag = {""};
    char line[400] = "[server]\nlisten = ";
    memset(line + strlen(line), 'a', 300);
    CHECK_REFUSED(read_text(s, line, &diag), SC_ELIMIT, &diag, "x.ini:2: the line is longer");
    const char nul[] = "[server]\nloops = 2\0\n";
    const sc_input input = {"x.ini", (const uint8_t *)nul, sizeof nul - 1};
    CHECK_REFUSED(sc__settings_read_input(s, &input, &diag), SC_EPARSE, &diag, "NUL");
    CHECK_REFUSED(sc_settings_read(s, "there/is/no.ini", &diag), SC_EIO, &diag, "there/is/no.ini");
    sc_settings_free(s);
}

static void test_settings_that_do_not_go_together_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name[2];
        const char *value[2];
        const char *told;
    } pairs[] = {
        {{"tls-key", NULL}, {"k.pem", NULL}, "tls-certificate"},
        {{"client-ca", NULL}, {"k.pem", NULL}, "tls-certificate"},
        {{"provider-key", NULL}, {"k.pem", NULL}, "provider-certificate"},
        {{"provider", "point-provider"}, {"http://a/", "http://b/"}, "only one"},
        {{"provider", "objects"}, {"http://a/", "postgresql://b/"}, "built-in"},
        {{"provider", NULL}, {"ftp://a/", NULL}, "http://"},
        {{"point-provider", NULL}, {"ftp://b", NULL}, "http://"},
        {{"point-provider", "point-spacing"}, {"b.ini", "50"}, "point-spacing: it goes with a"},
        {{"point-provider", "point-distance"}, {"b.ini", "road"}, "give the setting there"},
        {{"point-provider", "point-max-k"}, {"b.ini", "20"}, "point-max-k"},
        {{"point-provider", "point-fields"}, {"b.ini", "key=a"}, "point-fields"},
        {{"provider", NULL}, {"http://lbs.example.org/", NULL}, "provider-plain"},
        {{"provider", NULL}, {"http://localhost@192.0.2.1:9090/", NULL}, "provider-plain"},
        {{"provider", NULL}, {"http://[2001:db8::1]/", NULL}, "provider-plain"},
        {{"point-provider", NULL}, {"http://b?lon={lon}", NULL}, "point-provider: plain"},
        {{"objects", NULL}, {"mysql://b", NULL}, "postgresql://"},
        {{"provider-timeout", NULL}, {"20", NULL}, "provider-deadline"},
        {{"min-k", NULL}, {"6", NULL}, "k"},
        {{"max-wait", NULL}, {"5", NULL}, "wait"},
        {{"strict", "no-strict"}, {"yes", "yes"}, "strict and no-strict: set only one"},
        {{"traffic", "engine"}, {"2", "patient"}, "traffic: set density too"},
        {{"continuity", "engine"},
         {"yes", "basic"},
         "continuity: only the patient engine keeps it"},
        {{"classes", "engine"}, {"c.csv", "xstar"}, "classes: only the engines patient, basic"},
        {{"zone-key", "engine"}, {"k", "xstar"}, "zone-key: only the engines patient, basic"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        sc_settings *s = fresh();
        sc_diag diag = {""};
        for (size_t j = 0; j < 2 && pairs[i].name[j]; j++) {
            CHECK_OK(sc_settings_set(s, pairs[i].name[j], pairs[i].value[j], &diag), &diag);
        }
        CHECK_REFUSED(sc_settings_check(s, &diag), SC_EINVAL, &diag, pairs[i].told);
        sc_settings_free(s);
    }
}

static void test_what_is_asked_of_roads_follows_from_the_engine_and_the_tables(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t traffic;
        bool is_strict;
    } cases[] = {
        {"[engine]\n", 0, false},
        {"[engine]\ndensity = d.csv\n", 2, true},  // patient is the default
        {"[engine]\nengine = patient\n", 0, false},
        {"[engine]\nengine = patient\nstrict = yes\n", 0, true},
        {"[engine]\nengine = patient\ndensity = d.csv\n", 2, true},
        {"[engine]\nengine = patient\ndensity = d.csv\nno-strict = yes\n", 2, false},
        {"[engine]\nengine = patient\ndensity = d.csv\ntraffic = 0\n", 0, false},
        {"[engine]\nengine = patient\ndensity = d.csv\ntraffic = 3\n", 3, true},
        {"[engine]\nengine = patient\ndensity = d.csv\ntraffic = 4\n", 4, true},
        {"[engine]\nengine = patient\nclasses = c.csv\n", 0, true},
        {"[engine]\nengine = patient\ncontinuity = yes\n", 0, true},
        {"[engine]\nengine = patient\ncontinuity = yes\nno-strict = yes\n", 0, false},
        {"[engine]\nengine = patient\n[tokens]\nzone-key = z.keys\n", 0, true},
        {"[engine]\nengine = patient\nno-strict = yes\n[tokens]\nzone-key = z.keys\n", 0, false},
        {"[engine]\nengine = hybrid\n[tokens]\nzone-key = z.keys\n", 0, false},
        // The others measure by the density, as before, and have another strict.
        {"[engine]\nengine = basic\ndensity = d.csv\n", 0, false},
        {"[engine]\nengine = hybrid\ndensity = d.csv\nstrict = yes\nclasses = c.csv\n", 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sc_settings *s = fresh();
        sc_diag diag = {""};
        CHECK_OK(read_text(s, cases[i].text, &diag), &diag);
        CHECK_OK(sc_settings_check(s, &diag), &diag);
        const sc_demands demands = sc_settings_demands(s);
        assert_int_equal(demands.traffic, cases[i].traffic);
        assert_int_equal(demands.is_strict, cases[i].is_strict);
        assert_null(demands.density);
        sc_settings_free(s);
    }
    sc_settings *s = fresh();
    sc_diag diag = {""};
    CHECK_REFUSED(sc_settings_set(s, "traffic", "5", &diag), SC_EINVAL, &diag, "auto 0 2 3 4");
    CHECK_REFUSED(sc_settings_set(s, "traffic", "1", &diag), SC_EINVAL, &diag, "auto 0 2 3 4");
    CHECK_OK(read_text(s, "[engine]\nengine = basic\ndensity = d.csv\ntraffic = 2\n", &diag),
             &diag);
    CHECK_REFUSED(sc_settings_check(s, &diag), SC_EINVAL, &diag, "only the patient engine");
    sc_settings_free(s);
}

static void test_what_a_reload_cannot_change_is_named(void **state)
{
    (void)state;
    sc_settings *now = fresh();
    sc_settings *next = fresh();
    size_t from = 0;
    assert_null(sc_settings_stuck(now, next, false, &from));
    CHECK_OK(sc_settings_set(next, "max-k", "50", NULL), NULL);
    CHECK_OK(sc_settings_set(next, "log-level", "debug", NULL), NULL);
    from = 0;
    assert_null(sc_settings_stuck(now, next, false, &from));
    CHECK_OK(sc_settings_set(next, "loops", "8", NULL), NULL);
    CHECK_OK(sc_settings_set(next, "listen", "x:1", NULL), NULL);
    from = 0;
    assert_string_equal(sc_settings_stuck(now, next, false, &from), "listen");
    assert_string_equal(sc_settings_stuck(now, next, false, &from), "loops");
    assert_null(sc_settings_stuck(now, next, false, &from));
    sc_settings_free(now);
    sc_settings_free(next);
}

static void test_what_goes_with_the_map_changes_where_the_map_does(void **state)
{
    (void)state;
    sc_settings *now = fresh();
    sc_settings *next = fresh();
    size_t from = 0;
    assert_true(sc_settings_have_same_map(now, next));
    CHECK_OK(sc_settings_set(next, "map", "other.scm", NULL), NULL);
    CHECK_OK(sc_settings_set(next, "categories", "cafe", NULL), NULL);
    CHECK_OK(sc_settings_set(next, "loops", "8", NULL), NULL);
    assert_false(sc_settings_have_same_map(now, next));
    assert_string_equal(sc_settings_stuck(now, next, true, &from), "loops");
    assert_null(sc_settings_stuck(now, next, true, &from));
    from = 0;
    assert_string_equal(sc_settings_stuck(now, next, false, &from), "map");
    sc_settings mixed = *now;
    sc_settings_lend_map(&mixed, next);
    assert_string_equal(mixed.map, "other.scm");
    assert_string_equal(mixed.categories, "cafe");
    assert_int_equal(mixed.loops, now->loops);
    sc_settings_free(now);
    sc_settings_free(next);
}

static void test_what_is_printed_reads_back_as_the_same(void **state)
{
    (void)state;
    const place p = place_new();
    sc_settings *s = fresh();
    CHECK_OK(sc_settings_set(s, "max-k", "77", NULL), NULL);
    CHECK_OK(sc_settings_set(s, "strict", "yes", NULL), NULL);
    for (int i = 0; i < 40; i++) {
        CHECK_OK(sc_settings_add(s, "categories", "a rather long category", NULL), NULL);
    }
    CHECK_OK(sc_settings_set(s, "encoding", "geojson", NULL), NULL);
    FILE *out = fopen(place_path(&p, "all.ini"), "w");
    assert_non_null(out);
    CHECK_OK(sc_settings_write(s, out), NULL);
    fclose(out);

    sc_settings *again = fresh();
    sc_diag diag = {""};
    CHECK_OK(sc_settings_read(again, place_path(&p, "all.ini"), &diag), &diag);
    size_t from = 0;
    assert_null(sc_settings_stuck(s, again, false, &from));
    assert_int_equal(again->max_k, 77);
    assert_true(again->strict);
    sc_settings_free(s);
    sc_settings_free(again);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_defaults_are_those_that_help_tells_and_go_together),
    cmocka_unit_test(test_the_policy_of_the_defaults_is_the_one_written_down),
    cmocka_unit_test(test_every_kind_of_value_is_taken_or_refused_as_a_whole),
    cmocka_unit_test(test_a_file_is_read_by_sections),
    cmocka_unit_test(test_what_is_wrong_in_a_file_is_told_with_its_line),
    cmocka_unit_test(test_long_lines_and_files_are_refused_and_not_cut),
    cmocka_unit_test(test_settings_that_do_not_go_together_are_refused),
    cmocka_unit_test(test_what_is_asked_of_roads_follows_from_the_engine_and_the_tables),
    cmocka_unit_test(test_what_a_reload_cannot_change_is_named),
    cmocka_unit_test(test_what_goes_with_the_map_changes_where_the_map_does),
    cmocka_unit_test(test_what_is_printed_reads_back_as_the_same),
};
SC_SUITE(tests)
