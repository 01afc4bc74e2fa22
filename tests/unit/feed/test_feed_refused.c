// Feeds that cannot be: each says what is wrong and what to do, and none repeats a password.
#include <starcloak/object_feed.h>

#include "support/check.h"
#include "support/feeds.h"
#include "support/sketch.h"

#include <arpa/inet.h>
#include <math.h>
#include <sys/socket.h>
#include <unistd.h>

static town here;

static int begin(void **state)
{
    (void)state;
    town_begin(&here);
    if (here.has_server) {
        make_table(&here);
        postgres_run(&here.server, "CREATE ROLE guarded LOGIN PASSWORD 's3cret'");
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    town_end(&here);
    return 0;
}

/** The town's address with something else in place of "starcloak", its user. */
static const char *url_with(const char *user)
{
    static char url[256];
    snprintf(url, sizeof url, "postgresql://%s@%s", user, strchr(here.server.url, '@') + 1);
    return url;
}

static void check_refused(const sc_feed_options *options, sc_err wanted, const char *part)
{
    sc_diag diag = {""};
    const sc_err err = try_to_load(here.map, options, &diag);
    CHECK_REFUSED(err, wanted, &diag, part);
    assert_null(strstr(diag.message, "s3cret"));
    assert_null(strchr(diag.message, '\n'));
}

// --- Names that are not there -------------------------------------------------------

static void test_a_table_or_column_that_is_not_there_is_named(void **state)
{
    (void)state;
    need_server(&here);
    sc_feed_options options = town_options(&here);
    options.table = "shops";
    check_refused(&options, SC_EIO, "relation \"shops\" does not exist; check the name");
    options.table = "elsewhere.objects";
    check_refused(&options, SC_EIO, "relation \"elsewhere.objects\" does not exist; check");

    const sc_feed_options fine = town_options(&here);
    options = fine;
    options.key_column = "nr";
    check_refused(&options, SC_EIO, "column \"nr\" does not exist; check the names of the columns");
    options = fine;
    options.position_column = "place";
    check_refused(&options, SC_EIO, "column \"place\" does not exist");
    options = fine;
    options.category_column = "kind";
    check_refused(&options, SC_EIO, "column \"kind\" does not exist");
    options = fine;
    options.name_column = "title";
    check_refused(&options, SC_EIO, "column \"title\" does not exist");
    // PostgreSQL would also take a row for its own name, if it were asked in another way.
    postgres_run(&here.server, "CREATE TABLE nameless (id int, geom geometry, category text)");
    options = fine;
    options.table = "nameless";
    check_refused(&options, SC_EIO, "column \"name\" does not exist");
}

static void test_statements_in_names_are_just_names(void **state)
{
    (void)state;
    need_server(&here);
    static const char *const names[] = {
        "objects; DROP TABLE objects; --",         "objects\"; DROP TABLE objects; --",
        "\"objects\"; DROP TABLE objects; --\"",   "(SELECT 1) x",
        "objects\" WHERE pg_sleep(60) IS NULL --",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        sc_feed_options options = town_options(&here);
        options.table = names[i];
        check_refused(&options, SC_EIO, "\" does not exist; check the name of the table");
        options = town_options(&here);
        options.category_column = names[i];
        check_refused(&options, SC_EIO, "\" does not exist; check the names of the columns");
        // As a channel it is one that is never used.
        options = town_options(&here);
        options.channel = names[i];
        sc_diag diag = {""};
        CHECK_OK(try_to_load(here.map, &options, &diag), &diag);
    }
}

static void test_names_that_are_not_utf8_are_refused(void **state)
{
    (void)state;
    need_server(&here);
    sc_feed_options options = town_options(&here);
    options.table = "shops\xff";
    check_refused(&options, SC_EINVAL, "'shops\\xff' cannot be the name of a table");
}

static void test_a_position_that_is_none_is_refused(void **state)
{
    (void)state;
    need_server(&here);
    postgres_run(&here.server, "CREATE TABLE counted (id int, geom int, category text, name text)");
    sc_feed_options options = town_options(&here);
    options.table = "counted";
    check_refused(&options, SC_EIO, "; the position must be a geometry or geography");
}

static void test_a_database_without_postgis_is_told_how_to_get_it(void **state)
{
    (void)state;
    need_server(&here);
    postgres_run(&here.server, "CREATE DATABASE plain");
    postgres other = here.server;
    snprintf(strrchr(other.url, '/'), sizeof "/plain", "/plain");
    postgres_run(&other, "CREATE TABLE objects (id int, geom text, category text, name text)");
    sc_feed_options options = town_options(&here);
    options.database = other.url;
    check_refused(&options, SC_EIO, "CREATE EXTENSION postgis");
}

// --- Rights -------------------------------------------------------------------------

static void test_a_wrong_password_is_refused_and_not_repeated(void **state)
{
    (void)state;
    need_server(&here);
    sc_feed_options options = town_options(&here);
    options.database = url_with("guarded:s3cret-but-wrong");
    check_refused(&options, SC_EIO, "password authentication failed for user \"guarded\"");
    options.database = url_with("guarded");
    check_refused(&options, SC_EIO, "no password supplied");
    // A word of the message that happens to be the password is not repeated either.
    options.database = url_with("guarded:authentication");
    check_refused(&options, SC_EIO, "password **** failed for user");
}

static void test_who_may_not_read_the_table_is_told_so(void **state)
{
    (void)state;
    need_server(&here);
    sc_feed_options options = town_options(&here);
    options.database = url_with("guarded:s3cret");
    check_refused(&options, SC_EIO, "permission denied for table objects; its owner can GRANT");
    // To read it is all the right that is needed.
    postgres_run(&here.server, "GRANT SELECT ON objects TO guarded");
    options.channel = "objects";
    sc_diag diag = {""};
    CHECK_OK(try_to_load(here.map, &options, &diag), &diag);
}

static void test_nothing_in_the_database_can_be_changed(void **state)
{
    (void)state;
    need_server(&here);
    // A view that writes when it is read.
    postgres_run(&here.server,
                 "CREATE TABLE visits (n int);"
                 "CREATE FUNCTION visit() RETURNS text LANGUAGE sql VOLATILE AS"
                 " 'INSERT INTO visits VALUES (1) RETURNING n::text';"
                 "CREATE VIEW curious AS SELECT visit() AS id, ST_MakePoint(0, 0) AS geom,"
                 " 'a' AS category, NULL AS name");
    sc_feed_options options = town_options(&here);
    options.table = "curious";
    check_refused(&options, SC_EIO, "cannot execute INSERT in a read-only transaction");
}

// --- Addresses ----------------------------------------------------------------------

static void test_a_server_that_is_not_there_is_told(void **state)
{
    (void)state;
    sc_feed_options options = sc_feed_options_default();
    options.database = "postgresql://me:s3cret@127.0.0.1:1/there";
    check_refused(&options, SC_EIO,
                  "the database cannot be reached: connection to server at \"127.0.0.1\", port 1 "
                  "failed: Connection refused");
}

static void test_a_server_that_says_nothing_is_given_up(void **state)
{
    (void)state;
    // It listens, but never speaks.
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    char url[128];
    snprintf(url, sizeof url, "postgresql://me:s3cret@127.0.0.1:%d/there?connect_timeout=1",
             ntohs(address.sin_port));
    sc_feed_options options = sc_feed_options_default();
    options.database = url;
    check_refused(&options, SC_EIO, "the database cannot be reached: it did not answer in time");
    close(listener);
}

static void test_an_address_that_is_none_is_refused_and_not_repeated(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        const char *part;
    } bad[] = {
        {"s3cret", "must begin with postgresql://"},
        {"https://s3cret@host/", "must begin with postgresql://"},
        {"postgres", "must begin with postgresql://"},
        {"postgresqls://s3cret@host", "must begin with postgresql://"},
        {"host=somewhere password=s3cret", "must begin with postgresql://"},
        // libpq would take these apart otherwise than they are meant, and name the parts.
        {"postgresql://me:pass@s3cret@host/there", "too many '@'"},
        {"postgresql://me:1/s3cret@host/there", "too many '@'"},
        {"postgresql://me:s3cret/@host/there", "too many '@'"},
        {"postgresql://me:1/2?s3cret@host/there", "too many '@'"},
        {"postgresql://me:s3cret%zz@host/there", "not the address of a database"},
        {"postgresql://me:s3cret@host/there?pass=word", "not the address of a database"},
        {"postgresql://[me:s3cret", "not the address of a database"},
    };
    sc_feed_options options = sc_feed_options_default();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        options.database = bad[i].url;
        check_refused(&options, SC_EINVAL, bad[i].part);
    }
    options.database = "postgresql://me:s3cret@127.0.0.1:99999/there";
    check_refused(&options, SC_EIO, "invalid port number");
    options.database = "postgresql://me:s3cret@127.0.0.1/there?sslmode=sometimes";
    check_refused(&options, SC_EIO, "invalid sslmode value");
}

// --- Options ------------------------------------------------------------------------

static void test_options_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    sc_feed_options fine = sc_feed_options_default();
    check_refused(&fine, SC_EINVAL, "the database's address is missing");
    fine.database = "postgresql://me@127.0.0.1:1/there";

    sc_feed_options options = fine;
    options.table = "";
    check_refused(&options, SC_EINVAL, "the table is missing");
    options = fine;
    options.key_column = NULL;
    check_refused(&options, SC_EINVAL, "the key's column is missing");
    options = fine;
    options.position_column = "";
    check_refused(&options, SC_EINVAL, "the position's column is missing");
    options = fine;
    options.category_column = NULL;
    check_refused(&options, SC_EINVAL, "the category's column is missing");
    options = fine;
    options.name_column = "";
    check_refused(&options, SC_EINVAL, "the name's column is missing");
    options = fine;
    options.channel = "";
    check_refused(&options, SC_EINVAL, "the channel is missing");

    options = fine;
    options.refresh_s = -1.0;
    check_refused(&options, SC_EINVAL, "the interval between loads of the objects is -1 seconds");
    options = fine;
    options.refresh_s = NOT_A_NUMBER;
    check_refused(&options, SC_EINVAL, "the interval between loads of the objects is");
    options = fine;
    options.max_snap_m = -0.5;
    check_refused(&options, SC_EINVAL,
                  "the largest distance of an object from a road is -0.5 metres");
    options = fine;
    options.max_snap_m = NOT_A_NUMBER;
    check_refused(&options, SC_EINVAL, "the largest distance of an object from a road is");
}

static void test_an_index_that_cannot_be_is_refused(void **state)
{
    (void)state;
    need_server(&here);
    sc_feed_options options = town_options(&here);
    options.index.k = 0;
    check_refused(&options, SC_EINVAL, "an index keeps 1 to ");
}

static void test_a_map_without_coordinates_takes_no_positions(void **state)
{
    (void)state;
    sketch s = sketch_draw(SC_COORDS_NONE, "A--B\n", "");
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    sc_feed_options options = sc_feed_options_default();
    options.database = "postgresql://me@127.0.0.1:1/there";
    sc_diag diag = {""};
    CHECK_REFUSED(try_to_load(map, &options, &diag), SC_ENOCOORDS, &diag, "no coordinates");
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_table_or_column_that_is_not_there_is_named),
    cmocka_unit_test(test_statements_in_names_are_just_names),
    cmocka_unit_test(test_names_that_are_not_utf8_are_refused),
    cmocka_unit_test(test_a_position_that_is_none_is_refused),
    cmocka_unit_test(test_a_database_without_postgis_is_told_how_to_get_it),
    cmocka_unit_test(test_a_wrong_password_is_refused_and_not_repeated),
    cmocka_unit_test(test_who_may_not_read_the_table_is_told_so),
    cmocka_unit_test(test_nothing_in_the_database_can_be_changed),
    cmocka_unit_test(test_a_server_that_is_not_there_is_told),
    cmocka_unit_test(test_a_server_that_says_nothing_is_given_up),
    cmocka_unit_test(test_an_address_that_is_none_is_refused_and_not_repeated),
    cmocka_unit_test(test_options_that_make_no_sense_are_refused),
    cmocka_unit_test(test_an_index_that_cannot_be_is_refused),
    cmocka_unit_test(test_a_map_without_coordinates_takes_no_positions),
};
SC_SUITE_WITH(tests, begin, end)
