// Which encoding a Content-Type speaks of.
#include "provider/provider_internal.h"

#include "support/check.h"

static void check_read(const char *type, sc_encoding wanted)
{
    sc_encoding got = (sc_encoding)77;
    if (!sc__media_type_read(type, &got)) fail_msg("not read: %s", type);
    assert_int_equal(got, wanted);
}

static void check_not_read(const char *type)
{
    sc_encoding got = (sc_encoding)77;
    if (sc__media_type_read(type, &got)) fail_msg("read: %s", type ? type : "nothing");
    assert_int_equal(got, 77);
}

static void test_both_encodings_are_known_by_their_media_types(void **state)
{
    (void)state;
    check_read("application/x-protobuf; version=2", SC_ENCODING_COMPACT);
    check_read("application/geo+json; version=2", SC_ENCODING_GEOJSON);
    check_read("application/x-protobuf", SC_ENCODING_COMPACT);
    check_read("application/geo+json", SC_ENCODING_GEOJSON);
    check_read("Application/Geo+JSON", SC_ENCODING_GEOJSON);
    check_read("  application/geo+json\t", SC_ENCODING_GEOJSON);
}

static void test_parameters_are_passed_over_but_for_another_version(void **state)
{
    (void)state;
    check_read("application/geo+json; charset=utf-8", SC_ENCODING_GEOJSON);
    check_read("application/geo+json;charset=utf-8;version=2", SC_ENCODING_GEOJSON);
    check_read("application/x-protobuf ; Version=2 ; x=y", SC_ENCODING_COMPACT);
    check_read("application/x-protobuf; version=\"2\"", SC_ENCODING_COMPACT);
    check_read("application/x-protobuf;", SC_ENCODING_COMPACT);
    check_not_read("application/x-protobuf; version=1");
    check_not_read("application/x-protobuf; version=3");
    check_not_read("application/x-protobuf; x=y;version=22");
    check_not_read("application/x-protobuf; version=");
    check_not_read("application/x-protobuf; version=\"1\"");
}

static void test_other_types_are_not_read(void **state)
{
    (void)state;
    check_not_read(NULL);
    check_not_read("");
    check_not_read("application/json");
    check_not_read("application/geo+jsonl");
    check_not_read("application/geo+json, application/x-protobuf");
    check_not_read("application/geo");
    check_not_read("*/*");
}

static void test_a_refusal_says_which_side_to_update(void **state)
{
    (void)state;
    CHECK_CONTAINS(sc__media_type_problem("application/geo+json; version=3"),
                   "update the provider");
    CHECK_CONTAINS(sc__media_type_problem(" Application/X-Protobuf;x=y; Version=\"22\""),
                   "update the provider");
    CHECK_CONTAINS(sc__media_type_problem("application/x-protobuf; version=1"),
                   "update the service");
    static const char *const others[] = {
        NULL, "", "text/plain; version=3",
        "application/x-protobuf; version=", "application/geo+jsonl"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *problem = sc__media_type_problem(others[i]);
        CHECK_CONTAINS(problem, "must be application/x-protobuf or application/geo+json");
        assert_null(strstr(problem, "update"));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_both_encodings_are_known_by_their_media_types),
    cmocka_unit_test(test_parameters_are_passed_over_but_for_another_version),
    cmocka_unit_test(test_other_types_are_not_read),
    cmocka_unit_test(test_a_refusal_says_which_side_to_update),
};
SC_SUITE(tests)
