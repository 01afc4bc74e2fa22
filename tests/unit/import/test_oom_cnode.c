// Every allocation of an import of .cnode, .cedge, calmap.txt and category names
// fails once, in turn: it says so, leaks nothing (the address sanitizer looks),
// and leaves its result alone.
#include <starcloak/map_import.h>

#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"

#include <stdio.h>

enum { ROADS = 40, LINE_SIZE = 64 };  // enough that every growing array grows

// Files of a road of 40 edges with an object on each.
static void write_road(const place *p, char paths[3][600])
{
    char *nodes = test_take(ROADS + 1, LINE_SIZE);
    char *edges = test_take(ROADS, LINE_SIZE);
    char *objects = test_take(ROADS, LINE_SIZE);
    size_t node_size = 0;
    size_t edge_size = 0;
    size_t object_size = 0;
    for (unsigned i = 0; i <= ROADS; i++) {
        node_size += (size_t)snprintf(nodes + node_size, LINE_SIZE, "%u 8.%03u 53\n", i, i);
    }
    for (unsigned i = 0; i < ROADS; i++) {
        edge_size +=
            (size_t)snprintf(edges + edge_size, LINE_SIZE, "%u %u %u 0.001\n", i, i, i + 1);
        object_size += (size_t)snprintf(objects + object_size, LINE_SIZE,
                                        "%u %u 0.001 1\n%u 0.0005 \n", i, i + 1, i);
    }
    snprintf(paths[0], sizeof paths[0], "%s", place_write(p, "a.cnode", nodes, node_size));
    snprintf(paths[1], sizeof paths[1], "%s", place_write(p, "a.cedge", edges, edge_size));
    snprintf(paths[2], sizeof paths[2], "%s", place_write(p, "calmap.txt", objects, object_size));
    free(nodes);
    free(edges);
    free(objects);
}

static void test_an_allocation_that_fails_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    const place p = place_new();
    char files[3][600];
    write_road(&p, files);
    static const char names[] = "cat_name,cat_id\nschool,0\nfuel,7\nbar,39\n";
    const char *paths[] = {files[0], files[1], files[2]};
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.category_names = place_write(&p, "names.csv", names, strlen(names));
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_map *map = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_map_import(&(sc_import_source){SC_FORMAT_CNODE, paths, 3}, &options,
                                         &map, NULL, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            assert_int_equal(sc_map_edge_count(map), ROADS);
            assert_int_equal(sc_map_object_count(map), ROADS);
            sc_map_free(map);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        assert_null(map);
        failures++;
    }
    // Nodes, edges, names, categories, objects, and the tables of the map.
    assert_true(failures > 40);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_allocation_that_fails_is_told_and_leaks_nothing),
};
SC_SUITE(tests)
