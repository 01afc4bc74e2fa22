// The OpenStreetMap reader beside osmium, which knows the formats by heart.
//
// osmium rewrites real files in every encoding we read, and in reverse order; all
// must give the same map. And what osmium prints as plain text (OPL, one element
// a line) is counted by hand and compared with what the reader found.
//
// And for every profile the tags of direction and access are judged once more from that text, by
// rules written for this test alone: which ways are left out or closed, and which directions of
// their edges are open; of whole files, of what osmium's tags-filter leaves of them for one tag
// after the other, and of a file that has every value of every tag.
//
// Skipped where osmium or the real data are missing.
#include <math.h>
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
#include "support/place.h"

static const char *const names[] = {"monaco.osm.pbf", "baltimore.osm.pbf", "liechtenstein.osm.pbf",
                                    "monaco.osm.xz", "north-bayreuth.osm.xz"};
enum { NAME_COUNT = sizeof names / sizeof names[0] };

// --- Running osmium --------------------------------------------------------

static bool has_osmium(void)
{
    return system("osmium --version >/dev/null 2>&1") == 0;
}

static bool can_run(void)
{
    char path[4096];
    struct stat info;
    osm_data_path(path, sizeof path, names[0]);
    return stat(path, &info) == 0 && has_osmium();
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

static osm_result read_path_as(const char *path, sc_import_profile profile, const char *ways)
{
    sc_file file = {0};
    sc_diag diag = {""};
    if (sc_file_open(path, &file, &diag)) fail_msg("%s", diag.message);
    const osm_result result = osm_read_as(file.input.data, file.input.size, profile, ways);
    if (result.err) fail_msg("%s: %s", path, result.diag.message);
    sc_file_close(&file);
    return result;
}

static osm_result read_path(const char *path, const char *ways)
{
    return read_path_as(path, SC_IMPORT_CAR, ways);
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
        osm_result result = read_path_as(path, SC_IMPORT_ANY, NULL);
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

// --- Directions and access -----------------------------------------------------------

/** What came of the ways of a file, by this test's own rules. */
typedef struct judged {
    uint64_t left_out;
    uint64_t closed;
    uint64_t edges;
    uint64_t one_way_edges;
    uint64_t directions;  ///< sum of direction_code() over what is open
} judged;

/** A place in 1e-7 degrees. */
typedef struct spot {
    int64_t x;
    int64_t y;
} spot;

// A number for going from one place to another, so that sums of them tell whether the same
// directions are open.
static uint64_t direction_code(spot from, spot to)
{
    uint64_t code = (uint64_t)from.x * UINT64_C(0x9e3779b97f4a7c15);
    code = (code ^ (uint64_t)from.y) * UINT64_C(0xbf58476d1ce4e5b9);
    code = (code ^ (code >> 29) ^ (uint64_t)to.x) * UINT64_C(0x94d049bb133111eb);
    code = (code ^ (code >> 31) ^ (uint64_t)to.y) * UINT64_C(0x9e3779b97f4a7c15);
    return code ^ (code >> 32);
}

// The value of a tag in a line of OPL, "" if it has none.
static const char *tag_of(const char *line, const char *key, char value[128])
{
    value[0] = '\0';
    const char *tag = strstr(line, " T");
    const size_t size = strlen(key);
    for (tag = tag ? tag + 2 : ""; *tag != '\0' && *tag != ' ' && *tag != '\n';) {
        const size_t all = strcspn(tag, ", \n");
        if (all > size && strncmp(tag, key, size) == 0 && tag[size] == '=') {
            // Lists count by their first value.
            snprintf(value, 128, "%.*s", (int)(all - size - 1), tag + size + 1);
            value[strcspn(value, ";")] = '\0';
        }
        tag += all + (tag[all] == ',');
    }
    return value;
}

static bool is_listed(const char *list, const char *word)
{
    char padded[160];
    snprintf(padded, sizeof padded, " %s ", word);
    return word[0] != '\0' && strstr(list, padded) != NULL;
}

// 'o' open, 'c' closed, '-' nothing said.
static char access_of(const char *line, const char *key)
{
    char value[128];
    tag_of(line, key, value);
    if (is_listed(" yes permissive designated destination official customers discouraged public "
                  "dismount ",
                  value)) {
        return 'o';
    }
    return is_listed(" no private agricultural forestry delivery emergency military permit psv bus "
                     "taxi residents use_sidepath ",
                     value)
               ? 'c'
               : '-';
}

static char access_of_profile(const char *line, int profile, bool only_own)
{
    static const char *const keys[3][4] = {
        {"motorcar", "motor_vehicle", "vehicle", "access"},
        {"bicycle", "vehicle", "access"},
        {"foot", "access"},
    };
    static const int own[3] = {2, 1, 1};
    char value[128];
    for (int i = 0; i < 4 && keys[profile][i] && (!only_own || i < own[profile]); i++) {
        const char said = access_of(line, keys[profile][i]);
        if (said != '-') return said;
    }
    return profile > 0 && strcmp(tag_of(line, "motorroad", value), "yes") == 0 ? 'c' : '-';
}

// '+' for what a value says to be one-way, '-' if against the order of the nodes, '2' for both
// ways.
static char oneway_of(const char *value)
{
    if (is_listed(" yes 1 true ", value)) return '+';
    if (is_listed(" -1 reverse ", value)) return '-';
    if (strcmp(value, "reversible") == 0) return '0';
    return is_listed(" no 0 false alternating ", value) ? '2' : '?';
}

// '2' both ways, '+' forwards, '-' backwards, '0' neither.
static char ways_of_profile(const char *line, int profile)
{
    char value[128];
    if (profile > 0) {
        tag_of(line, profile == 1 ? "oneway:bicycle" : "oneway:foot", value);
        const char own = oneway_of(value);
        if (own != '?') return own;
        if (profile == 2) return '2';
    }
    tag_of(line, "oneway", value);
    char way = oneway_of(value);
    if (way == '0') return way;
    if (way == '?') {
        const bool is_implied =
            is_listed(" roundabout circular ", tag_of(line, "junction", value)) ||
            is_listed(" motorway motorway_link ", tag_of(line, "highway", value));
        way = is_implied ? '+' : '2';
    }
    tag_of(line, "cycleway", value);
    return profile == 1 && strncmp(value, "opposite", 8) == 0 ? '2' : way;
}

static bool is_travelled(const char *highway, int profile)
{
    const char *const common = " primary primary_link secondary secondary_link tertiary "
                               "tertiary_link unclassified residential living_street service road ";
    if (is_listed(common, highway)) return true;
    static const char *const more[3] = {
        " motorway motorway_link trunk trunk_link ",
        " track path cycleway ",
        " track pedestrian footway path steps cycleway bridleway corridor platform ",
    };
    return is_listed(more[profile], highway);
}

static bool is_kind_of_road(const char *highway)
{
    return is_travelled(highway, 0) || is_travelled(highway, 2) ||
           is_listed(" services rest_area busway bus_guideway escape elevator via_ferrata ",
                     highway);
}

// The edges of a way that is open so: "... Nn1x8.1y49.4,n2x8.2y49.5".
static void add_edges(const char *line, char ways, judged *sum)
{
    const char *at = strstr(line, " N");
    assert_non_null(at);
    spot last = {0, 0};
    bool has_last = false;
    for (at += 2; *at == 'n' || *at == ',';) {
        char *end = NULL;
        at = strchr(at, 'x');
        assert_non_null(at);
        spot here;
        here.x = llround(strtod(at + 1, &end) * 1e7);
        assert_int_equal(*end, 'y');
        here.y = llround(strtod(end + 1, &end) * 1e7);
        at = end;
        if (has_last) {
            sum->edges++;
            sum->one_way_edges += ways != '2';
            if (ways != '-') sum->directions += direction_code(last, here);
            if (ways != '+') sum->directions += direction_code(here, last);
        }
        last = here;
        has_last = true;
    }
}

static void judge_way(const char *line, int profile, judged *sum)
{
    char highway[128];
    tag_of(line, "highway", highway);
    // A list is no kind of road: the whole value is compared.
    const char *whole = strstr(line, "highway=");
    if (!whole || highway[0] == '\0') return;
    if (whole[8 + strlen(highway)] == ';') highway[0] = '\0';
    const bool is_opened =
        is_kind_of_road(highway) && access_of_profile(line, profile, true) == 'o';
    if (!is_travelled(highway, profile) && !is_opened) {
        sum->left_out++;
        return;
    }
    const char ways = ways_of_profile(line, profile);
    if (access_of_profile(line, profile, false) == 'c' || ways == '0') {
        sum->closed++;
        return;
    }
    add_edges(line, ways, sum);
}

static judged judge_file(const char *path, const char *format, int profile)
{
    char command[8192];
    snprintf(command, sizeof command,
             "osmium add-locations-to-ways -F %s -f opl,add_metadata=false -o - '%s' 2>/dev/null",
             format, path);
    FILE *opl = popen(command, "r");
    assert_non_null(opl);
    judged sum = {0};
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, opl) > 0) {
        if (line[0] == 'w') judge_way(line, profile, &sum);
    }
    free(line);
    assert_int_equal(pclose(opl), 0);
    return sum;
}

static spot spot_of(const sc_map *map, sc_node_id node)
{
    double x = 0;
    double y = 0;
    sc_map_node_position(map, node, &x, &y);
    return (spot){llround(x * 1e7), llround(y * 1e7)};
}

// What our reader made of a file.
static judged judge_result(const osm_result *result)
{
    const sc_map *map = result->map;
    judged sum = {.left_out = result->report.ways_left_out,
                  .closed = result->report.ways_closed,
                  .edges = sc_map_edge_count(map)};
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_travel_times times = sc_map_edge_times(map)[e];
        const spot from = spot_of(map, sc_map_edges(map)[e].from);
        const spot to = spot_of(map, sc_map_edges(map)[e].to);
        sum.one_way_edges += times.forward == SC_CLOSED || times.backward == SC_CLOSED;
        if (times.forward != SC_CLOSED) sum.directions += direction_code(from, to);
        if (times.backward != SC_CLOSED) sum.directions += direction_code(to, from);
    }
    return sum;
}

// Our reader and this test's rules say the same of a file that osmium wrote.
static uint64_t compare_profiles(const char *path, const char *what)
{
    uint64_t judged_edges = 0;
    for (int profile = 0; profile < 3; profile++) {
        const judged wanted = judge_file(path, "pbf", profile);
        judged_edges += wanted.edges;
        if (wanted.edges == 0) continue;
        osm_result result = read_path_as(path, (sc_import_profile)profile, NULL);
        const judged got = judge_result(&result);
        if (memcmp(&got, &wanted, sizeof got) != 0) {
            fail_msg("%s, profile %d: %llu left out, %llu closed, %llu edges, %llu one-way; "
                     "wanted %llu, %llu, %llu, %llu%s",
                     what, profile, (unsigned long long)got.left_out,
                     (unsigned long long)got.closed, (unsigned long long)got.edges,
                     (unsigned long long)got.one_way_edges, (unsigned long long)wanted.left_out,
                     (unsigned long long)wanted.closed, (unsigned long long)wanted.edges,
                     (unsigned long long)wanted.one_way_edges,
                     got.directions != wanted.directions ? ", and other directions" : "");
        }
        osm_free(&result);
    }
    return judged_edges;
}

static void test_directions_and_access_agree_with_the_tags(void **state)
{
    (void)state;
    if (!can_run()) skip();
    static const char *const filters[] = {
        "highway",        "oneway",      "oneway=-1,reversible,alternating",
        "oneway:bicycle", "oneway:foot", "junction=roundabout,circular",
        "cycleway",       "access",      "vehicle",
        "motor_vehicle",  "motorcar",    "bicycle",
        "foot",           "motorroad",   "highway=motorway,motorway_link"};
    static const char *const files[] = {"baltimore.osm.pbf", "monaco.osm.pbf",
                                        "north-bayreuth.osm.xz", "liechtenstein.osm.pbf",
                                        "rnv.osm.pbf"};
    enum { BY_TAG = 3 };  // the first files tag by tag, the others all roads at once
    // The whole file as pbf, and what is left of it; osmium reads the first twice.
    const place p = place_new();
    char whole[600];
    char part[600];
    snprintf(whole, sizeof whole, "%s", place_path(&p, "whole.osm.pbf"));
    snprintf(part, sizeof part, "%s", place_path(&p, "part.osm.pbf"));
    uint64_t seen[sizeof filters / sizeof *filters] = {0};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char source[4200];
        char command[8192];
        const char *format = NULL;
        source_command(source, sizeof source, files[i], &format);
        snprintf(command, sizeof command, "%s | osmium cat -F %s -O -o '%s' - 2>/dev/null", source,
                 format, whole);
        run(command);
        const size_t filter_count = i < BY_TAG ? sizeof filters / sizeof *filters : 1;
        for (size_t j = 0; j < filter_count; j++) {
            snprintf(command, sizeof command, "osmium tags-filter -O -o '%s' '%s' w/%s 2>/dev/null",
                     part, whole, filters[j]);
            run(command);
            char what[256];
            snprintf(what, sizeof what, "%s, %s", files[i], filters[j]);
            seen[j] += compare_profiles(part, what);
        }
    }
    place_free(&p);
    // Each tag but the rarest occurs somewhere.
    for (size_t j = 0; j < sizeof filters / sizeof *filters; j++) {
        const bool is_rare = !strcmp(filters[j], "oneway:foot") || !strcmp(filters[j], "motorroad");
        if (!is_rare && seen[j] == 0) fail_msg("no way has %s", filters[j]);
    }
}

// --- Every value of every tag ----------------------------------------------------------

static const char *const access_keys[] = {"motorcar", "motor_vehicle", "vehicle",
                                          "access",   "bicycle",       "foot"};
static const char *const access_values[] = {
    "yes",          "permissive",  "designated", "destination", "customers", "official",
    "public",       "discouraged", "no",         "private",     "dismount",  "agricultural",
    "forestry",     "delivery",    "emergency",  "military",    "permit",    "residents",
    "psv",          "bus",         "taxi",       "unknown",     "perhaps",   "use_sidepath",
    "no;customers", "yes;no"};
static const char *const oneway_keys[] = {"oneway", "oneway:bicycle", "oneway:foot"};
static const char *const oneway_values[] = {"yes",         "1",          "true",   "-1",
                                            "reverse",     "no",         "0",      "false",
                                            "alternating", "reversible", "perhaps"};
static const char *const others[] = {
    "junction=roundabout", "junction=circular",      "junction=yes",
    "cycleway=opposite",   "cycleway=opposite_lane", "cycleway=opposite_track",
    "cycleway=lane",       "motorroad=yes",          "motorroad=no"};
static const char *const highways[] = {
    "motorway", "motorway_link", "trunk",   "primary", "residential", "service",  "living_street",
    "track",    "path",          "footway", "steps",   "cycleway",    "corridor", "construction"};

#define ITEMS(list) (sizeof(list) / sizeof(list)[0])

/** Tags of direction and access, each by its number. */
enum {
    ACCESS_TAGS = ITEMS(access_keys) * ITEMS(access_values),
    ONEWAY_TAGS = ITEMS(oneway_keys) * ITEMS(oneway_values),
    ALL_TAGS = ACCESS_TAGS + ONEWAY_TAGS + ITEMS(others),
};

static void put_tag(FILE *opl, size_t tag)
{
    if (tag < ACCESS_TAGS) {
        fprintf(opl, ",%s=%s", access_keys[tag / ITEMS(access_values)],
                access_values[tag % ITEMS(access_values)]);
    } else if (tag < ACCESS_TAGS + ONEWAY_TAGS) {
        tag -= ACCESS_TAGS;
        fprintf(opl, ",%s=%s", oneway_keys[tag / ITEMS(oneway_values)],
                oneway_values[tag % ITEMS(oneway_values)]);
    } else {
        fprintf(opl, ",%s", others[tag - ACCESS_TAGS - ONEWAY_TAGS]);
    }
}

static bool is_same_key(size_t a, size_t b)
{
    if (a >= ACCESS_TAGS + ONEWAY_TAGS || b >= ACCESS_TAGS + ONEWAY_TAGS) {
        return a >= ACCESS_TAGS + ONEWAY_TAGS && b >= ACCESS_TAGS + ONEWAY_TAGS;
    }
    if (a >= ACCESS_TAGS || b >= ACCESS_TAGS) {
        return a >= ACCESS_TAGS && b >= ACCESS_TAGS &&
               (a - ACCESS_TAGS) / ITEMS(oneway_values) == (b - ACCESS_TAGS) / ITEMS(oneway_values);
    }
    return a / ITEMS(access_values) == b / ITEMS(access_values);
}

// A way for each kind of road and each tag, the tag alone or together with each of the others, as a
// stride through them has it.
static void write_every_tag(const char *path)
{
    FILE *opl = fopen(path, "w");
    assert_non_null(opl);
    enum { STRIDE = 17, WAYS = ALL_TAGS * ITEMS(highways) * 2 };
    for (unsigned n = 1; n <= 2 * WAYS; n++) {
        fprintf(opl, "n%u x8.%05u y49.%05u\n", n, n % 1000, n / 1000);
    }
    for (unsigned w = 0; w < WAYS; w++) {
        const size_t highway = w % ITEMS(highways);
        const size_t tag = w / ITEMS(highways) % ALL_TAGS;
        const size_t more = (tag * STRIDE + highway * 5 + 1) % ALL_TAGS;
        fprintf(opl, "w%u Thighway=%s", w + 1, highways[highway]);
        put_tag(opl, tag);
        if (w >= WAYS / 2 && !is_same_key(tag, more)) put_tag(opl, more);
        fprintf(opl, " Nn%u,n%u\n", 2 * w + 1, 2 * w + 2);
    }
    assert_int_equal(fclose(opl), 0);
}

static void test_every_value_of_every_tag(void **state)
{
    (void)state;
    if (!has_osmium()) skip();
    const place p = place_new();
    char opl[600];
    char pbf[600];
    char command[2048];
    snprintf(opl, sizeof opl, "%s", place_path(&p, "tags.opl"));
    snprintf(pbf, sizeof pbf, "%s", place_path(&p, "tags.osm.pbf"));
    write_every_tag(opl);
    snprintf(command, sizeof command, "osmium cat -O -o '%s' '%s' 2>/dev/null", pbf, opl);
    run(command);
    assert_true(compare_profiles(pbf, "every tag") > 3000);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_encoding_osmium_writes_gives_the_same_map),
    cmocka_unit_test(test_counts_agree_with_those_of_plain_text),
    cmocka_unit_test(test_objects_are_those_that_osmium_finds),
    cmocka_unit_test(test_directions_and_access_agree_with_the_tags),
    cmocka_unit_test(test_every_value_of_every_tag),
};
SC_SUITE(tests)
