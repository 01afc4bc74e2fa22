// What the engine of a record demanded. See case_demands.h.
#include "score/case_demands.h"

#include "base/alloc.h"

#include <stdlib.h>

sc_err sc_case_demands_line(sc_case_demands *demands, const sc_run_line *line)
{
    if (!line->zone) return SC_OK;
    sc_err err = demands->zones ? SC_OK : sc_zone_table_new(&demands->zones);
    if (!err) err = sc_zone_table_add(demands->zones, line->zone);
    return err;
}

sc_err sc_case_demands_end(sc_case_demands *demands, sc_run_reader *reader)
{
    const sc_run_demands *asked = sc_run_reader_demands(reader);
    if (!asked) return SC_OK;
    demands->has_any = true;
    demands->is_strict = asked->is_strict;
    demands->traffic = asked->traffic;
    demands->density_checksum = asked->density_checksum;
    demands->has_continuity = asked->has_continuity;
    demands->continuity = sc_continuity_options_default();
    if (asked->has_continuity) {
        demands->continuity.vmax_m_s = asked->vmax_m_s;
        demands->continuity.tau_us = asked->tau_us;
    }
    demands->classes = sc_run_reader_take_classes(reader);
    return demands->zones ? sc_zone_table_end(demands->zones) : SC_OK;
}

void sc_case_demands_fini(sc_case_demands *demands)
{
    sc_place_classes_free(demands->classes);
    sc_zone_table_free(demands->zones);
    *demands = (sc_case_demands){.has_any = false};
}

// --- Whose zones -----------------------------------------------------------------

/** A zone of the table, to be sorted. */
typedef struct owned_zone {
    uint64_t user;
    size_t place;
} owned_zone;

static int by_user(const void *a, const void *b)
{
    const owned_zone *left = a;
    const owned_zone *right = b;
    if (left->user != right->user) return left->user < right->user ? -1 : 1;
    return left->place < right->place ? -1 : left->place > right->place;
}

sc_err sc_case_zones_init(sc_case_zones *zones, const sc_zone_table *table)
{
    size_t count = 0;
    const sc_user_zone *all = table ? sc_zone_table_zones(table, &count) : NULL;
    owned_zone *sorted = sc_malloc_array(count, sizeof *sorted);
    sc_case_zones made = {.users = sc_malloc_array(count, sizeof *made.users),
                          .zones = sc_malloc_array(count, sizeof *made.zones),
                          .count = count};
    if (!sorted || !made.users || !made.zones) {
        sc_free(sorted);
        sc_case_zones_fini(&made);
        return SC_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = (owned_zone){sc_run_user(all[i].user.text, all[i].user.size), i};
    }
    if (count > 0) qsort(sorted, count, sizeof *sorted, by_user);
    for (size_t i = 0; i < count; i++) {
        const sc_user_zone *zone = &all[sorted[i].place];
        made.users[i] = sorted[i].user;
        made.zones[i] = (sc_known_zone){zone->segments, zone->count};
    }
    sc_free(sorted);
    *zones = made;
    return SC_OK;
}

void sc_case_zones_fini(sc_case_zones *zones)
{
    sc_free(zones->users);
    sc_free(zones->zones);
    *zones = (sc_case_zones){.count = 0};
}

const sc_known_zone *sc_case_zones_of(const sc_case_zones *zones, uint64_t user, size_t *count)
{
    size_t low = 0;
    for (size_t high = zones->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (zones->users[middle] < user) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *count = 0;
    while (low + *count < zones->count && zones->users[low + *count] == user) {
        ++*count;
    }
    return *count > 0 ? zones->zones + low : NULL;
}
