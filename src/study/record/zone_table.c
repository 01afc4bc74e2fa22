// Zones of users, as a table. See zone_table.h.
//
// While lines are read, a zone has its user and the number of its roads, and roads are in one list
// with their zones. Then each zone gets its own, ascending.
#include "record/zone_table.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/sort.h"
#include "map/segment_table.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

/** The least roads of a zone: one would say where its user lives. */
enum { ROADS_MIN = 2 };

typedef struct zone_road {
    uint32_t zone;
    sc_seg_id segment;
} zone_road;

struct sc_zone_table {
    sc_hash numbers;  ///< from the number of a zone to its place
    sc_hash roads;    ///< from a user and a segment to the zone's place
    sc_user_zone *zones;
    size_t count;
    size_t capacity;
    zone_road *listed;  ///< while lines are read
    size_t listed_count;
    size_t listed_capacity;
    sc_seg_id *segments;  ///< of all zones
};

enum { COLUMN_ZONE, COLUMN_USER, COLUMN_SEGMENT };

static const char *const column_names[] = {"zone", "user", "segment", NULL};

static const sc_segment_table_kind zone_kind = {.columns = column_names,
                                                .contents = "a table of zones",
                                                .name = "a table of zones",
                                                .doing = "reading zones"};

static sc_key key_of(sc_slice user, sc_seg_id segment)
{
    const XXH128_hash_t hash = XXH3_128bits_withSeed(user.text, user.size, segment);
    return (sc_key){hash.high64, hash.low64};
}

// --- Lines --------------------------------------------------------------------------------------

static sc_err look_at_header(const sc_segment_table *t)
{
    if (t->width == 0) {
        return sc__segment_table_fail(
            t, "the file is empty; it must begin with a header zone,user,segment");
    }
    static const char *const missing[] = {
        "the header has no column 'zone'; write zone,user,segment",
        "the header has no column 'user'; write zone,user,segment",
        "the header has no column 'segment'; write zone,user,segment",
    };
    for (size_t i = 0; column_names[i]; i++) {
        if (t->place[i] == SC_SEGMENT_TABLE_NOWHERE) {
            return sc__segment_table_fail_line(t, missing[i]);
        }
    }
    return SC_OK;
}

static sc_err fail_memory(const sc_segment_table *t)
{
    return sc_fail_memory(t->diag, zone_kind.doing);
}

/** A zone, without its roads; room for it is there. Its user is copied. */
static bool add_zone(sc_zone_table *zones, uint32_t number, sc_slice user)
{
    char *copy = sc_malloc(user.size);
    if (!copy) return false;
    memcpy(copy, user.text, user.size);
    zones->zones[zones->count++] = (sc_user_zone){.number = number, .user = {copy, user.size}};
    return true;
}

/**
 * A road of the zone at `place`, which is its user's.
 *
 * @return SC_OK, SC_ENOMEM, SC_EDUPLICATE (it is in a zone of this user already)
 */
static sc_err add_road(sc_zone_table *zones, uint32_t place, sc_slice user, sc_seg_id segment)
{
    uint32_t holds = SC_NONE;
    // Each road gets a value of its own, so that one that was there before is seen.
    const uint32_t road = (uint32_t)zones->listed_count;
    if (!sc_grow(&zones->listed, zones->listed_count, &zones->listed_capacity,
                 sizeof *zones->listed) ||
        sc_hash_put(&zones->roads, key_of(user, segment), road, &holds)) {
        return SC_ENOMEM;
    }
    if (holds != road) return SC_EDUPLICATE;
    zones->listed[zones->listed_count++] = (zone_road){place, segment};
    zones->zones[place].count++;
    return SC_OK;
}

// The zone of a line. What is said of users does not name them.
static sc_err read_zone(const sc_segment_table *t, sc_zone_table *zones, uint32_t *place)
{
    const sc_slice user = t->fields[COLUMN_USER];
    uint64_t number = 0;
    if (!sc_slice_u64(t->fields[COLUMN_ZONE], &number) || number >= SC_NONE) {
        return sc__segment_table_fail_field(t, COLUMN_ZONE, "is not the number of a zone",
                                            "write a whole number from 0 to 4294967294");
    }
    if (user.size == 0 || memchr(user.text, '\0', user.size)) {
        return sc__segment_table_fail_line(
            t, "field 'user' is empty or has the character 0 in it; write the user as in the "
               "stream of queries");
    }
    if (!sc_grow(&zones->zones, zones->count, &zones->capacity, sizeof *zones->zones) ||
        sc_hash_put(&zones->numbers, (sc_key){0, number}, (uint32_t)zones->count, place)) {
        return fail_memory(t);
    }
    if (*place == zones->count) {
        return add_zone(zones, (uint32_t)number, user) ? SC_OK : fail_memory(t);
    }
    const sc_slice owner = zones->zones[*place].user;
    if (owner.size == user.size && memcmp(owner.text, user.text, user.size) == 0) return SC_OK;
    return sc__segment_table_fail_line(
        t, "field 'user' is not that of the zone's lines before; give each user zones of its own");
}

static sc_err read_row(const sc_segment_table *t, sc_zone_table *zones)
{
    sc_seg_id segment = 0;
    uint32_t place = 0;
    sc_err err = sc__segment_table_segment(t, COLUMN_SEGMENT, &segment);
    if (!err) err = read_zone(t, zones, &place);
    if (err) return err;
    err = add_road(zones, place, t->fields[COLUMN_USER], segment);
    if (err == SC_EDUPLICATE) {
        return sc__segment_table_fail_field(
            t, COLUMN_SEGMENT, "is in a zone of this user already",
            "keep one line for it: zones of one user have no road in common");
    }
    return err ? fail_memory(t) : SC_OK;
}

// --- All of it ----------------------------------------------------------------------------------

/** Give each zone its roads, ascending. */
static bool sort_roads(sc_zone_table *zones)
{
    zones->segments = sc_malloc_array(zones->listed_count, sizeof *zones->segments);
    if (!zones->segments) return false;
    sc_seg_id *next = zones->segments;
    for (size_t i = 0; i < zones->count; i++) {
        zones->zones[i].segments = next;
        next += zones->zones[i].count;
        zones->zones[i].count = 0;
    }
    for (size_t i = 0; i < zones->listed_count; i++) {
        sc_user_zone *zone = &zones->zones[zones->listed[i].zone];
        zones->segments[(size_t)(zone->segments - zones->segments) + zone->count++] =
            zones->listed[i].segment;
    }
    for (size_t i = 0; i < zones->count; i++) {
        const sc_user_zone *zone = &zones->zones[i];
        sc_sort_u32(zones->segments + (zone->segments - zones->segments), zone->count);
    }
    return true;
}

static sc_err look_at_sizes(const sc_segment_table *t, const sc_zone_table *zones)
{
    for (size_t i = 0; i < zones->count; i++) {
        const sc_user_zone *zone = &zones->zones[i];
        if (zone->count < ROADS_MIN) {
            return sc_fail(t->diag, SC_EPARSE,
                           "%s: zone %" PRIu32
                           " has one road, which shows where its user lives; give it at least 2, "
                           "better 5",
                           t->source.name, zone->number);
        }
    }
    return SC_OK;
}

static sc_err read_rows(sc_segment_table *t, sc_zone_table *zones)
{
    for (;;) {
        bool more = false;
        sc_err err = sc__segment_table_next(t, &more);
        if (!err && !more) break;
        if (!err) err = read_row(t, zones);
        if (err) return err;
    }
    if (zones->count == 0) {
        return sc__segment_table_fail(
            t, "the file has a header but no lines; add a line for each road of a zone");
    }
    const sc_err err = look_at_sizes(t, zones);
    if (err) return err;
    return sort_roads(zones) ? SC_OK : fail_memory(t);
}

// All but opening the table, which is closed in any case.
static sc_err read_table(sc_segment_table *t, sc_err err, sc_zone_table **out)
{
    sc_zone_table *zones = NULL;
    if (!err) err = look_at_header(t);
    if (!err) {
        zones = sc_calloc(1, sizeof *zones);
        err = zones ? read_rows(t, zones) : fail_memory(t);
    }
    sc__segment_table_close(t);
    if (err) {
        sc_zone_table_free(zones);
        return err;
    }
    *out = zones;
    return SC_OK;
}

sc_err sc_zone_table_read(const sc_map *map, const char *path, sc_zone_table **out, sc_diag *diag)
{
    sc_segment_table t = {.map = map, .kind = &zone_kind};
    return read_table(&t, sc__segment_table_open(&t, path, diag), out);
}

sc_err sc_zone_table_of(const sc_map *map, const sc_input *input, sc_zone_table **out,
                        sc_diag *diag)
{
    sc_segment_table t = {.map = map, .kind = &zone_kind};
    return read_table(&t, sc__segment_table_of(&t, input, diag), out);
}

sc_err sc_zone_table_new(sc_zone_table **out)
{
    *out = sc_calloc(1, sizeof **out);
    return *out ? SC_OK : SC_ENOMEM;
}

sc_err sc_zone_table_add(sc_zone_table *table, const sc_user_zone *zone)
{
    uint32_t place = SC_NONE;
    if (!sc_grow(&table->zones, table->count, &table->capacity, sizeof *table->zones) ||
        sc_hash_put(&table->numbers, (sc_key){0, zone->number}, (uint32_t)table->count, &place)) {
        return SC_ENOMEM;
    }
    if (place != table->count) return SC_EDUPLICATE;
    if (!add_zone(table, zone->number, zone->user)) return SC_ENOMEM;
    sc_err err = SC_OK;
    for (size_t i = 0; i < zone->count && !err; i++) {
        err = add_road(table, place, zone->user, zone->segments[i]);
    }
    return err;
}

sc_err sc_zone_table_end(sc_zone_table *table)
{
    return sort_roads(table) ? SC_OK : SC_ENOMEM;
}

void sc_zone_table_free(sc_zone_table *table)
{
    if (!table) return;
    for (size_t i = 0; i < table->count; i++) {
        sc_free((char *)(uintptr_t)table->zones[i].user.text);
    }
    sc_free(table->zones);
    sc_free(table->listed);
    sc_free(table->segments);
    sc_hash_fini(&table->numbers);
    sc_hash_fini(&table->roads);
    sc_free(table);
}

const sc_user_zone *sc_zone_table_zones(const sc_zone_table *table, size_t *count)
{
    *count = table->count;
    return table->zones;
}

const sc_user_zone *sc_zone_table_find(const sc_zone_table *table, const char *user, size_t size,
                                       sc_seg_id segment)
{
    const uint32_t road =
        sc_hash_get(&table->roads, key_of((sc_slice){user, size}, segment), SC_NONE);
    return road == SC_NONE ? NULL : &table->zones[table->listed[road].zone];
}
