// Files of a trial, read back: every number of every row is in them, and lines are where the map
// has them.
#include "score/trial.h"

#include <starcloak/map_export.h>

#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#include "made_run.h"
#include "support/place.h"

/** A number with nine digits, as files have them. */
static void check_nine_digits(double got, double wanted)
{
    CHECK_CLOSE(got, wanted, 1e-8 * (wanted < 0 ? -wanted : wanted));
}

/** One with three. */
static void check_three_digits(double got, double wanted)
{
    CHECK_CLOSE(got, wanted, 1e-2 * (wanted < 0 ? -wanted : wanted));
}

typedef struct gallery {
    sc_map *map;
    made_run run;
    sc_trial trial;
    place place;
} gallery;

static gallery open_gallery(sc_map *map, sc_trial_kind kind)
{
    gallery g = {.map = map, .place = place_new()};
    sc_trial_options options = made_options(kind);
    options.limit = 6;
    g.run = made_run_on(map, &made_traffic, 1);
    g.trial = made_trial(map, &g.run.record, &options);
    assert_true(g.trial.row_count >= 5);
    return g;
}

static void close_gallery(gallery *g)
{
    sc_trial_fini(&g->trial);
    made_run_free(&g->run);
    place_free(&g->place);
    sc_map_free(g->map);
}

// --- CSV -------------------------------------------------------------------------------

/** The next line of a text, cut off; NULL at its end. */
static char *next_line(char **rest)
{
    char *line = *rest;
    if (*line == '\0') return NULL;
    char *end = strchr(line, '\n');
    assert_non_null(end);  // every line is a whole one
    *end = '\0';
    *rest = end + 1;
    return line;
}

/** Take the next field of a line as a number, which must be one. */
static double next_number(char **rest)
{
    char *end = NULL;
    const double number = strtod(*rest, &end);
    assert_ptr_not_equal(end, *rest);
    assert_true(*end == ',' || *end == '\0');
    *rest = *end == ',' ? end + 1 : end;
    return number;
}

/** Take the next field, which must be empty. */
static void next_empty(char **rest)
{
    assert_int_equal(**rest, ',');
    ++*rest;
}

static void check_cloak_line(char *line, const sc_trial_row *row)
{
    const sc_posterior *p = &row->posterior;
    CHECK_SAME(next_number(&line), (double)row->cloak);
    CHECK_SAME(next_number(&line), (double)row->traveller);
    CHECK_SAME(next_number(&line), (double)row->seen);
    CHECK_SAME(next_number(&line), (double)p->link_count);
    CHECK_SAME(next_number(&line), (double)row->members);
    CHECK_SAME(next_number(&line), (double)row->recognised);
    check_nine_digits(next_number(&line), p->entropy);
    check_nine_digits(next_number(&line), p->normalised_entropy);
    if (p->is_unexplained) {
        next_empty(&line);
        next_empty(&line);
    } else {
        check_three_digits(next_number(&line), p->normalised_error);
        check_three_digits(next_number(&line), p->normalised_bias);
    }
    check_nine_digits(next_number(&line), p->effective);
    check_nine_digits(next_number(&line), row->by_density);
    check_nine_digits(next_number(&line), row->score.probability);
    check_nine_digits(next_number(&line), row->score.rank);
    CHECK_SAME(next_number(&line), (double)p->ruled_out);
    CHECK_SAME(next_number(&line), (double)p->placements);
    CHECK_SAME(next_number(&line), p->is_enumerated ? 1 : 0);
    CHECK_SAME(next_number(&line), (double)p->replays);
    CHECK_SAME(next_number(&line), (double)p->fruitful);
    CHECK_SAME(next_number(&line), p->is_unexplained ? 1 : 0);
    check_nine_digits(next_number(&line), row->expected);
    if (row->l == 0) {
        next_empty(&line);
    } else {
        CHECK_SAME(next_number(&line), row->l);
        CHECK_SAME(next_number(&line), (double)row->possible);
    }
    assert_string_equal(line, "");
}

static void test_a_table_of_cloaks_has_every_number(void **state)
{
    (void)state;
    for (int kind = 0; kind < SC_TRIAL_KIND_COUNT; kind++) {
        gallery g = open_gallery(made_town(), (sc_trial_kind)kind);
        const char *path = place_path(&g.place, "cloaks.csv");
        sc_diag diag = {""};
        size_t size;
        g.trial.rows[1].posterior.is_unexplained = true;
        CHECK_OK(sc_trial_write_cloaks(&g.trial, path, &diag), &diag);
        char *text = read_whole(path, &size);
        char *rest = text;
        assert_string_equal(
            next_line(&rest),
            "cloak,traveller,seen,segments,members,recognised,entropy_bits,normalised_entropy,"
            "standard_error,bias,effective,effective_by_density,probability,rank,ruled_out,"
            "placements,is_enumerated,replays,fruitful,is_unexplained,expected_probability,"
            "l,possible");
        for (size_t i = 0; i < g.trial.row_count; i++) {
            check_cloak_line(next_line(&rest), &g.trial.rows[i]);
        }
        assert_null(next_line(&rest));
        free(text);
        close_gallery(&g);
    }
}

static void check_link_line(char *line, const sc_trial_row *row, const sc_link *link)
{
    CHECK_SAME(next_number(&line), (double)row->cloak);
    CHECK_SAME(next_number(&line), (double)row->traveller);
    CHECK_SAME(next_number(&line), (double)row->seen);
    CHECK_SAME(next_number(&line), (double)link->segment);
    check_nine_digits(next_number(&line), link->linkability);
    check_three_digits(next_number(&line), link->error);
    assert_string_equal(line, "");
}

static void test_a_table_of_links_has_every_segment(void **state)
{
    (void)state;
    for (int kind = 0; kind < SC_TRIAL_KIND_COUNT; kind++) {
        gallery g = open_gallery(made_town(), (sc_trial_kind)kind);
        const char *path = place_path(&g.place, "links.csv");
        sc_diag diag = {""};
        size_t size;
        CHECK_OK(sc_trial_write_links(&g.trial, path, &diag), &diag);
        char *text = read_whole(path, &size);
        char *rest = text;
        assert_string_equal(next_line(&rest),
                            "cloak,traveller,seen,segment,linkability,standard_error");
        for (size_t i = 0; i < g.trial.row_count; i++) {
            const sc_trial_row *row = &g.trial.rows[i];
            for (size_t j = 0; j < row->posterior.link_count; j++) {
                check_link_line(next_line(&rest), row, &row->posterior.links[j]);
            }
        }
        assert_null(next_line(&rest));
        free(text);
        close_gallery(&g);
    }
}

static void test_numbers_that_are_as_large_as_can_be_are_written(void **state)
{
    (void)state;
    sc_trial_row row = {.cloak = UINT64_MAX, .posterior = {.placements = UINT64_MAX}};
    const sc_trial trial = {.rows = &row, .row_count = 1};
    place p = place_new();
    const char *path = place_path(&p, "cloaks.csv");
    size_t size;
    CHECK_OK(sc_trial_write_cloaks(&trial, path, NULL), NULL);
    char *text = read_whole(path, &size);
    CHECK_CONTAINS(text, "\n18446744073709551615,0,");
    CHECK_CONTAINS(text, ",18446744073709551615,0,0,0,0,0,,\n");
    free(text);
    place_free(&p);
}

// --- GeoJSON ------------------------------------------------------------------------------

static json_t *load(const char *path)
{
    json_error_t why;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    if (!root) fail_msg("no JSON: %s", why.text);
    return root;
}

static double number_of(const json_t *properties, const char *name)
{
    const json_t *value = json_object_get(properties, name);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

/** The geometry of a segment, as the export of a map has it. */
static json_t *geometry_of(const json_t *map, sc_seg_id segment)
{
    json_t *feature = json_array_get(json_object_get(map, "features"), segment);
    const json_t *properties = json_object_get(feature, "properties");
    CHECK_SAME(number_of(properties, "segment"), (double)segment);
    return json_object_get(feature, "geometry");
}

static void check_feature(const json_t *feature, const sc_trial_row *row, const sc_link *link,
                          const json_t *map)
{
    const json_t *properties = json_object_get(feature, "properties");
    assert_string_equal(json_string_value(json_object_get(feature, "type")), "Feature");
    CHECK_SAME(number_of(properties, "cloak"), (double)row->cloak);
    CHECK_SAME(number_of(properties, "traveller"), (double)row->traveller);
    CHECK_SAME(number_of(properties, "seen"), (double)row->seen);
    CHECK_SAME(number_of(properties, "segment"), (double)link->segment);
    check_nine_digits(number_of(properties, "linkability"), link->linkability);
    check_three_digits(number_of(properties, "standard_error"), link->error);
    CHECK_CLOSE(number_of(properties, "relative"),
                link->linkability * (double)row->posterior.link_count, 1e-4);
    check_nine_digits(number_of(properties, "normalised_entropy"),
                      row->posterior.normalised_entropy);
    assert_true(json_equal(json_object_get(feature, "geometry"), geometry_of(map, link->segment)));
}

/** All of the file beside the map's own. */
static void check_geojson(const gallery *g)
{
    const char *path = place_path(&g->place, "cloaks.geojson");
    const char *map_path = place_path(&g->place, "map.geojson");
    sc_diag diag = {""};
    CHECK_OK(sc_trial_write_geojson(&g->trial, g->map, path, &diag), &diag);
    CHECK_OK(sc_map_export_geojson(g->map, map_path, &diag), &diag);
    json_t *root = load(path);
    json_t *map = load(map_path);
    const char *const heads[] = {"type", "starcloak:coordinates"};
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(json_string_value(json_object_get(root, heads[i])),
                            json_string_value(json_object_get(map, heads[i])));
    }
    const json_t *features = json_object_get(root, "features");
    size_t at = 0;
    for (size_t i = 0; i < g->trial.row_count; i++) {
        const sc_trial_row *row = &g->trial.rows[i];
        for (size_t j = 0; j < row->posterior.link_count; j++) {
            check_feature(json_array_get(features, at++), row, &row->posterior.links[j], map);
        }
    }
    assert_int_equal(json_array_size(features), at);
    json_decref(map);
    json_decref(root);
}

/** Chains with bends, a ring and loops: segments of more than one edge. */
static sc_map *winding_town(sc_coords coords)
{
    sketch s = sketch_draw(coords,
                           "A--B--C--D\n"
                           "|  |     |\n"
                           "E  F--G--H\n"
                           "|  |     |\n"
                           "I--J--K--L\n",
                           "BBCG");
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

static void test_geojson_has_every_segment_where_the_map_has_it(void **state)
{
    (void)state;
    for (int kind = 0; kind < SC_TRIAL_KIND_COUNT; kind++) {
        const sc_coords coords = kind % 2 ? SC_COORDS_PLANAR : SC_COORDS_GEOGRAPHIC;
        gallery g = open_gallery(winding_town(coords), (sc_trial_kind)kind);
        check_geojson(&g);
        close_gallery(&g);
    }
}

static void test_geojson_without_cloaks_is_an_empty_collection(void **state)
{
    (void)state;
    sc_map *map = winding_town(SC_COORDS_PLANAR);
    const sc_trial trial = {.rows = NULL};
    place p = place_new();
    const char *path = place_path(&p, "none.geojson");
    CHECK_OK(sc_trial_write_geojson(&trial, map, path, NULL), NULL);
    json_t *root = load(path);
    assert_true(json_is_array(json_object_get(root, "features")));
    assert_int_equal(json_array_size(json_object_get(root, "features")), 0);
    json_decref(root);
    place_free(&p);
    sc_map_free(map);
}

static void test_geojson_of_a_map_without_coordinates_is_refused(void **state)
{
    (void)state;
    gallery g = open_gallery(winding_town(SC_COORDS_NONE), SC_TRIAL_REPLAY);
    const char *path = place_path(&g.place, "cloaks.geojson");
    sc_diag diag = {""};
    const sc_err err = sc_trial_write_geojson(&g.trial, g.map, path, &diag);
    CHECK_REFUSED(err, SC_ENOCOORDS, &diag, "no coordinates");
    sc_trial_files files = {.geojson = path};
    const sc_err before = sc_trial_files_check(&files, g.map, &diag);
    CHECK_REFUSED(before, SC_ENOCOORDS, &diag, "write CSV instead");
    files.geojson = NULL;
    files.links = path;
    CHECK_OK(sc_trial_files_check(&files, g.map, &diag), &diag);
    assert_int_equal(count_entries(g.place.path), 0);
    close_gallery(&g);
}

// --- Where nothing can be written ---------------------------------------------------------

/** Each of the three is refused, and was before there was anything to write. */
static void check_unwritten(const gallery *g, const char *path, const char *words)
{
    sc_diag diag = {""};
    const sc_trial_files each[] = {{.cloaks = path}, {.links = path}, {.geojson = path}};
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        diag.message[0] = '\0';
        CHECK_REFUSED(sc_trial_files_check(&each[i], g->map, &diag), SC_EIO, &diag, words);
    }
    CHECK_REFUSED(sc_trial_write_cloaks(&g->trial, path, &diag), SC_EIO, &diag, words);
    CHECK_REFUSED(sc_trial_write_links(&g->trial, path, &diag), SC_EIO, &diag, words);
    CHECK_REFUSED(sc_trial_write_geojson(&g->trial, g->map, path, &diag), SC_EIO, &diag, words);
}

static void test_a_file_that_cannot_be_written_leaves_nothing_behind(void **state)
{
    (void)state;
    gallery g = open_gallery(made_town(), SC_TRIAL_REPLAY);
    check_unwritten(&g, place_path(&g.place, "nowhere/file"), "its directory does not exist");
    check_unwritten(&g, g.place.path, "is a directory");
    assert_int_equal(count_entries(g.place.path), 0);

    // What was there before stays as it was.
    const char *path = place_write_text(&g.place, "old", "old");
    const bool is_own = getuid() != 0;
    lose_rights(&g.place);
    if (is_own) assert_int_equal(chmod(g.place.path, 0500), 0);
    check_unwritten(&g, path, "choose a place where you have permission to write");
    if (is_own) assert_int_equal(chmod(g.place.path, 0700), 0);
    have_rights_again();
    size_t size;
    char *text = read_whole(path, &size);
    assert_string_equal(text, "old");
    free(text);
    assert_int_equal(count_entries(g.place.path), 1);
    close_gallery(&g);
}

static void test_trying_whether_files_can_be_written_changes_nothing(void **state)
{
    (void)state;
    sc_map *map = made_town();
    place p = place_new();
    const sc_trial_files files = {.cloaks = place_path(&p, "new"),
                                  .links = place_write_text(&p, "old", "old"),
                                  .geojson = "-"};
    const sc_trial_files none = {.cloaks = NULL};
    sc_diag diag = {""};
    CHECK_OK(sc_trial_files_check(&files, map, &diag), &diag);
    CHECK_OK(sc_trial_files_check(&none, map, &diag), &diag);
    size_t size;
    char *text = read_whole(files.links, &size);
    assert_string_equal(text, "old");
    free(text);
    assert_int_equal(count_entries(p.path), 1);
    place_free(&p);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_table_of_cloaks_has_every_number),
    cmocka_unit_test(test_a_table_of_links_has_every_segment),
    cmocka_unit_test(test_numbers_that_are_as_large_as_can_be_are_written),
    cmocka_unit_test(test_geojson_has_every_segment_where_the_map_has_it),
    cmocka_unit_test(test_geojson_without_cloaks_is_an_empty_collection),
    cmocka_unit_test(test_geojson_of_a_map_without_coordinates_is_refused),
    cmocka_unit_test(test_a_file_that_cannot_be_written_leaves_nothing_behind),
    cmocka_unit_test(test_trying_whether_files_can_be_written_changes_nothing),
};
SC_SUITE(tests)
