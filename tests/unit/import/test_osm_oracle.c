// The OpenStreetMap reader beside osmium, which knows the formats by heart.
//
// osmium rewrites real files in every encoding we read, and in reverse order; all
// must give the same map. And what osmium prints as plain text (OPL, one element
// a line) is counted by hand and compared with what the reader found.
//
// Skipped where osmium or the real data are missing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hash.h"
#include "support/check.h"
#include "support/osm_read.h"

static const char *const names[] = {"monaco.osm.pbf", "baltimore.osm.pbf", "liechtenstein.osm.pbf",
                                    "monaco.osm.xz", "north-bayreuth.osm.xz"};
enum { NAME_COUNT = sizeof names / sizeof names[0] };

// --- Running osmium --------------------------------------------------------

static bool can_run(void)
{
    char path[4096];
    struct stat info;
    osm_data_path(path, sizeof path, names[0]);
    return stat(path, &info) == 0 && system("osmium --version >/dev/null 2>&1") == 0;
}

static void run(const char *command)
{
    if (system(command) != 0) fail_msg("failed: %s", command);
}

// A command that writes a real file to standard output as plain pbf or XML.
static void source_command(char *out, size_t size, const char *name, const char **format)
{
    char path[4096];
    osm_data_path(path, sizeof path, name);
    const bool is_packed = strstr(name, ".xz") != NULL;
    *format = is_packed ? "osm" : "pbf";
    snprintf(out, size, is_packed ? "xz -dc '%s'" : "cat '%s'", path);
}

static osm_result read_path(const char *path, const char *ways)
{
    sc_file file = {0};
    sc_diag diag = {""};
    if (sc_file_open(path, &file, &diag)) fail_msg("%s", diag.message);
    const osm_result result = osm_read_bytes(file.input.data, file.input.size, ways);
    if (result.err) fail_msg("%s: %s", path, result.diag.message);
    sc_file_close(&file);
    return result;
}

// Read `path`, as osmium wrote it in the given way, and compare.
static void assert_same_map(const char *path, const char *how, const osm_result *expected)
{
    osm_result result = read_path(path, "all");
    if (sc_map_checksum(result.map) != sc_map_checksum(expected->map)) {
        fail_msg("%s: %u nodes, %u edges, %u objects instead of %u, %u, %u", how,
                 sc_map_node_count(result.map), sc_map_edge_count(result.map),
                 sc_map_object_count(result.map), sc_map_node_count(expected->map),
                 sc_map_edge_count(expected->map), sc_map_object_count(expected->map));
    }
    osm_free(&result);
}

static void test_every_encoding_osmium_writes_gives_the_same_map(void **state)
{
    (void)state;
    if (!can_run()) skip();
    static const char *const formats[] = {
        "osm",
        "pbf",
        "pbf,pbf_dense_nodes=false",
        "pbf,pbf_compression=none",
        "pbf,pbf_compression=none,pbf_dense_nodes=false,add_metadata=false",
        "osm,add_metadata=false",
    };
    const char *folder = getenv("TMPDIR");
    char temporary[2048];
    snprintf(temporary, sizeof temporary, "%s/starcloak-osm-XXXXXX", folder ? folder : P_tmpdir);
    const int descriptor = mkstemp(temporary);
    assert_true(descriptor >= 0);
    close(descriptor);

    for (size_t i = 0; i < NAME_COUNT; i++) {
        char path[4096];
        char source[4200];
        char command[8192];
        const char *format = NULL;
        osm_data_path(path, sizeof path, names[i]);
        osm_result expected = read_path(path, "all");
        source_command(source, sizeof source, names[i], &format);
        for (size_t j = 0; j < sizeof formats / sizeof formats[0]; j++) {
            snprintf(command, sizeof command,
                     "%s | osmium cat -F %s -O -f %s -o '%s' - 2>/dev/null", source, format,
                     formats[j], temporary);
            run(command);
            assert_same_map(temporary, command, &expected);
        }
        // The elements from the last to the first: relations, ways, nodes.
        snprintf(command, sizeof command,
                 "%s | osmium cat -F %s -f opl - 2>/dev/null | tac | "
                 "osmium cat -F opl -O -f pbf -o '%s' - 2>/dev/null",
                 source, format, temporary);
        run(command);
        assert_same_map(temporary, command, &expected);
        osm_free(&expected);
    }
    unlink(temporary);
}

// --- Counting by hand ------------------------------------------------------

// What OPL says of the ways with a highway tag of interest.
typedef struct opl_counts {
    uint32_t way_count;
    uint32_t node_count;  ///< different ones
    uint32_t edge_count;
    uint32_t left_out;  ///< ways with other highway tags
    sc_hash nodes;
} opl_counts;

static bool is_drivable(const char *value, size_t size)
{
    static const char *const plain[] = {"unclassified", "residential", "living_street", "service",
                                        "road"};
    static const char *const linked[] = {"motorway", "trunk", "primary", "secondary", "tertiary"};
    for (size_t i = 0; i < 5; i++) {
        const size_t length = strlen(linked[i]);
        if (size == strlen(plain[i]) && memcmp(value, plain[i], size) == 0) return true;
        if (size >= length && memcmp(value, linked[i], length) == 0 &&
            (size == length || (size == length + 5 && memcmp(value + length, "_link", 5) == 0))) {
            return true;
        }
    }
    return false;
}

// A way's line: "w123 ... Tkey=value,key=value Nn1,n2,n3".
static void count_way(const char *line, opl_counts *counts)
{
    const char *tags = strstr(line, " T");
    const char *refs = strstr(line, " N");
    assert_true(tags && refs);
    const char *highway = NULL;
    for (const char *tag = tags + 2; !highway; tag++) {
        if (strncmp(tag, "highway=", 8) == 0) highway = tag + 8;
        tag += strcspn(tag, ", \n");
        if (*tag != ',') break;
    }
    if (!highway) return;
    if (!is_drivable(highway, strcspn(highway, ", \n"))) {
        counts->left_out++;
        return;
    }
    counts->way_count++;
    unsigned length = 0;
    for (const char *ref = refs + 2; *ref == 'n'; length++) {
        char *end = NULL;
        const long long id = strtoll(ref + 1, &end, 10);
        uint32_t value = 0;
        assert_int_equal(
            sc_hash_put(&counts->nodes, (sc_key){0, (uint64_t)id}, counts->node_count, &value),
            SC_OK);
        counts->node_count += value == counts->node_count;
        ref = *end == ',' ? end + 1 : end;
    }
    counts->edge_count += length - (length > 0);
}

static void test_counts_agree_with_those_of_plain_text(void **state)
{
    (void)state;
    if (!can_run()) skip();
    for (size_t i = 0; i < NAME_COUNT; i++) {
        char path[4096];
        char source[4200];
        char command[8192];
        const char *format = NULL;
        source_command(source, sizeof source, names[i], &format);
        snprintf(
            command, sizeof command,
            "%s | osmium tags-filter -F %s -R -f opl,add_metadata=false - w/highway 2>/dev/null",
            source, format);
        FILE *opl = popen(command, "r");
        assert_non_null(opl);
        opl_counts counts = {0};
        char *line = NULL;
        size_t capacity = 0;
        while (getline(&line, &capacity, opl) > 0) {
            if (line[0] == 'w') count_way(line, &counts);
        }
        free(line);
        assert_int_equal(pclose(opl), 0);

        osm_data_path(path, sizeof path, names[i]);
        osm_result result = read_path(path, NULL);
        assert_true(counts.way_count > 0);
        assert_int_equal(sc_map_node_count(result.map), counts.node_count);
        assert_int_equal(sc_map_edge_count(result.map), counts.edge_count);
        assert_int_equal(result.report.ways_left_out, counts.left_out);
        osm_free(&result);
        sc_hash_fini(&counts.nodes);
    }
}

static uint32_t count_lines(const char *command)
{
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    uint32_t count = 0;
    for (int c; (c = fgetc(pipe)) != EOF;) {
        count += c == '\n';
    }
    assert_int_equal(pclose(pipe), 0);
    return count;
}

static void test_objects_are_those_that_osmium_finds(void **state)
{
    (void)state;
    if (!can_run()) skip();
    // Amenities come first among object tags, so that no other tag takes their place.
    static const char *const categories[] = {"pharmacy", "restaurant", "fuel", "bank", "hospital"};
    for (size_t i = 0; i < NAME_COUNT; i++) {
        char path[4096];
        char source[4200];
        const char *format = NULL;
        source_command(source, sizeof source, names[i], &format);
        osm_data_path(path, sizeof path, names[i]);
        osm_result result = read_path(path, NULL);
        for (size_t j = 0; j < sizeof categories / sizeof categories[0]; j++) {
            char command[8192];
            // Nodes, and ways whose first and last node are the same.
            snprintf(command, sizeof command,
                     "%s | osmium tags-filter -F %s -R -f opl,add_metadata=false - "
                     "nw/amenity=%s 2>/dev/null | grep -E '^n|^w.* N(n[-0-9]+),.*,\\1$' | "
                     "grep -vE '^w.*[T,]highway=' ; true",
                     source, format, categories[j]);
            const uint32_t expected = count_lines(command);
            const sc_category_id category = sc_map_category_find(result.map, categories[j]);
            uint32_t found = 0;
            for (sc_object_id k = 0; k < sc_map_object_count(result.map); k++) {
                found += sc_map_objects(result.map)[k].category == category;
            }
            assert_int_equal(found, expected);
        }
        osm_free(&result);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_encoding_osmium_writes_gives_the_same_map),
    cmocka_unit_test(test_counts_agree_with_those_of_plain_text),
    cmocka_unit_test(test_objects_are_those_that_osmium_finds),
};
SC_SUITE(tests)
