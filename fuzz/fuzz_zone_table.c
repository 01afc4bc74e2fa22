// Door: tables of users' zones (`--zones FILE`).
//
// The input is the table, of a small town (town.h). It is refused in one line, or every zone has a
// user and two roads of the map at least, in order; no two zones of a user share a road, and a zone
// is found by its user and any of its roads. Written again, it reads back the same.
#include "door.h"
#include "town.h"

#include "record/zone_table.h"

/** A longer user with every quote doubled may be more than a line holds. */
enum { USER_MAX = 30000 };

static bool is_same(sc_slice a, sc_slice b)
{
    return a.size == b.size && memcmp(a.text, b.text, a.size) == 0;
}

static void check_zones(const sc_map *town, const sc_zone_table *table)
{
    size_t count = 0;
    const sc_user_zone *zones = sc_zone_table_zones(table, &count);
    DOOR_PROMISE(count >= 1, "a table has a zone");
    for (size_t i = 0; i < count; i++) {
        const sc_user_zone *zone = &zones[i];
        DOOR_PROMISE(zone->user.size > 0 && !memchr(zone->user.text, '\0', zone->user.size),
                     "a zone has a user that streams can have");
        DOOR_PROMISE(zone->count >= 2, "a zone has two roads at least");
        for (size_t j = 0; j < zone->count; j++) {
            DOOR_PROMISE(zone->segments[j] < sc_map_segment_count(town), "of the map");
            DOOR_PROMISE(j == 0 || zone->segments[j] > zone->segments[j - 1], "in order");
            DOOR_PROMISE(sc_zone_table_find(table, zone->user.text, zone->user.size,
                                            zone->segments[j]) == zone,
                         "by each of which it is found");
        }
    }
    // No user is called so.
    DOOR_PROMISE(!sc_zone_table_find(table, "\0", 1, zones[0].segments[0]),
                 "others have no zone there");
}

static void put_user(FILE *out, sc_slice user)
{
    fputc('"', out);
    for (size_t i = 0; i < user.size; i++) {
        if (user.text[i] == '"') fputc('"', out);
        fputc(user.text[i], out);
    }
    fputc('"', out);
}

static void write_and_read(const sc_map *town, const sc_zone_table *table)
{
    char *text = NULL;
    size_t size = 0;
    size_t count = 0;
    size_t count_again = 0;
    const sc_user_zone *zones = sc_zone_table_zones(table, &count);
    FILE *out = open_memstream(&text, &size);
    if (!out) abort();
    fputs("zone,user,segment\n", out);
    bool is_long = false;
    for (size_t i = 0; i < count; i++) {
        is_long = is_long || zones[i].user.size > USER_MAX;
        for (size_t j = 0; j < zones[i].count; j++) {
            fprintf(out, "%u,", zones[i].number);
            put_user(out, zones[i].user);
            fprintf(out, ",%u\n", zones[i].segments[j]);
        }
    }
    fclose(out);
    if (is_long) {
        free(text);
        return;
    }

    const sc_input input = {"again.csv", (const uint8_t *)text, size};
    sc_zone_table *again = NULL;
    sc_diag diag = {""};
    DOOR_PROMISE(!sc_zone_table_of(town, &input, &again, &diag), "what is written can be read");
    const sc_user_zone *zones_again = sc_zone_table_zones(again, &count_again);
    DOOR_PROMISE(count_again == count, "it has as many zones");
    for (size_t i = 0; i < count; i++) {
        DOOR_PROMISE(zones_again[i].number == zones[i].number &&
                         is_same(zones_again[i].user, zones[i].user) &&
                         zones_again[i].count == zones[i].count &&
                         memcmp(zones_again[i].segments, zones[i].segments,
                                zones[i].count * sizeof *zones[i].segments) == 0,
                     "what is written reads back equal");
    }
    sc_zone_table_free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sc_map *town = NULL;
    if (size > DOOR_MAX_SIZE) return 0;
    if (!town) town = town_build();

    uint8_t *copy = door_copy(data, size);
    const sc_input input = {"zones.csv", copy, size};
    sc_zone_table *table = NULL;
    sc_diag diag = {""};
    const sc_err err = sc_zone_table_of(town, &input, &table, &diag);
    if (err) {
        DOOR_PROMISE(!table, "a refusal leaves nothing behind");
        door_refused(err, &diag, &input, 1);
    } else {
        check_zones(town, table);
        write_and_read(town, table);
    }
    sc_zone_table_free(table);
    free(copy);
    return 0;
}
