// Lines of a record about demands. See run_demands.h; docs/records.md has the format.
#include "record/run_demands.h"

#include <starcloak/continuity.h>
#include <starcloak/demands.h>

#include "base/alloc.h"
#include "base/diag.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static sc_key key_of(uint64_t id)
{
    return (sc_key){0, id};
}

// --- Demands ------------------------------------------------------------------------------------

static sc_err read_strict(const sc__fields *fields, bool *out)
{
    const sc_json_value *value = sc_json_member(fields->object, "strict");
    if (!sc_json_is_flag(value)) {
        return sc__field_fail(fields, "strict", "is neither true nor false, or missing");
    }
    *out = sc_json_is_true(value);
    return SC_OK;
}

static sc_err read_density(const sc__fields *fields, uint64_t *out)
{
    enum { DIGITS = 16 };
    sc_slice text;
    const sc_err err = sc__field_text(fields, "density", &text);
    if (err) return err;
    if (text.size != DIGITS || strspn(text.text, "0123456789abcdef") != DIGITS) {
        return sc__field_fail(fields, "density", "is not a checksum of 16 hexadecimal digits");
    }
    *out = strtoull(text.text, NULL, 16);
    return SC_OK;
}

static sc_err read_traffic(const sc__fields *fields, sc_run_demands *out)
{
    if (!sc__field_exists(fields, "traffic")) return SC_OK;
    const sc_err err = sc__field_count(fields, "traffic", &out->traffic);
    if (err) return err;
    if (out->traffic == 1 || out->traffic > SC_TRAFFIC_MAX) {
        return sc__field_fail(fields, "traffic", "is out of range; write 2 to 4, or 0 for none");
    }
    return out->traffic > 0 ? read_density(fields, &out->density_checksum) : SC_OK;
}

static sc_err read_continuity(const sc__fields *fields, sc_run_demands *out)
{
    if (!sc__field_exists(fields, "continuity")) return SC_OK;
    sc__fields continuity = {.prefix = "continuity."};
    sc_err err = sc__field_object(fields, "continuity", &continuity);
    if (!err) err = sc__field_number(&continuity, "vmax_m_s", &out->vmax_m_s);
    if (!err) err = sc__field_time(&continuity, "tau_s", &out->tau_us);
    if (err) return err;
    if (!(out->vmax_m_s > 0 && out->vmax_m_s <= SC_VMAX_MAX_M_S)) {
        return sc__field_fail(&continuity, "vmax_m_s",
                              "is out of range; write metres per second, above 0 to 1000");
    }
    if (out->tau_us <= 0 || out->tau_us > sc_time_from_seconds(SC_TAU_MAX_S)) {
        return sc__field_fail(&continuity, "tau_s",
                              "is out of range; write seconds, above 0 to 86400");
    }
    out->has_continuity = true;
    return SC_OK;
}

static sc_err read_classes(sc_run_demand_lines *lines, const sc_map *map, const sc__fields *fields)
{
    if (!sc__field_exists(fields, "classes")) return SC_OK;
    const sc_json_value *list = NULL;
    const sc_err err = sc__field_list(fields, "classes", &list);
    if (err) return err;
    if (sc_json_size(list) == 0) return SC_OK;
    if (sc_place_classes_new(map, &lines->classes)) return sc__line_fail_memory(fields->place);
    for (size_t i = 0; i < sc_json_size(list); i++) {
        const char *name = sc_json_text_at(sc_json_at(list, i));
        uint32_t number = 0;
        if (!name || sc_place_classes_add(lines->classes, name, &number)) {
            return sc__field_fail(fields, "classes",
                                  "is not a list of up to 32 names of 1 to 31 lower-case letters, "
                                  "digits, '-' and '_'");
        }
        if (number != i) return sc__field_fail(fields, "classes", "names a class twice");
    }
    lines->demands.classes = lines->classes;
    return SC_OK;
}

static sc_err read_demands(sc_run_demand_lines *lines, const sc_map *map, const sc__fields *fields)
{
    sc_time t = 0;
    if (lines->has_demands) return sc__line_fail(fields->place, "the demands come a second time");
    if (lines->has_queries) return sc__line_fail(fields->place, "the demands come behind a query");
    lines->has_demands = true;
    sc_err err = sc__field_time(fields, "t", &t);
    if (!err) err = read_strict(fields, &lines->demands.is_strict);
    if (!err) err = read_traffic(fields, &lines->demands);
    if (!err) err = read_continuity(fields, &lines->demands);
    return err ? err : read_classes(lines, map, fields);
}

// --- Classes and zones --------------------------------------------------------------------------

/** Check one of the "segments" of a line: it exists and is behind `previous`, or is the first. */
static sc_err check_segment(const sc_map *map, const sc__fields *fields, const sc_json_value *value,
                            int64_t previous)
{
    const int64_t id = sc_json_integer(value);
    if (!sc_json_is_integer(value) || id < 0) {
        return sc__field_fail(fields, "segments",
                              "contains something other than whole numbers of 0 or more");
    }
    if (id >= sc_map_segment_count(map)) {
        return sc_fail(fields->place->diag, SC_EMISMATCH,
                       "%s:%" PRIu64 ": \"segments\" has one that the map does not have; check "
                       "that this is the map of the run ('starcloak map info' shows checksums)",
                       fields->place->name, fields->place->number);
    }
    return id > previous ? SC_OK : sc__field_fail(fields, "segments", "does not ascend");
}

static sc_err read_segments(const sc_map *map, const sc__fields *fields, const sc_json_value **out)
{
    sc_err err = sc__field_list(fields, "segments", out);
    int64_t previous = -1;
    for (size_t i = 0; !err && i < sc_json_size(*out); i++) {
        const sc_json_value *value = sc_json_at(*out, i);
        err = check_segment(map, fields, value, previous);
        previous = sc_json_integer(value);
    }
    return err;
}

static sc_err read_class(sc_run_demand_lines *lines, const sc_map *map, const sc__fields *fields)
{
    const uint32_t count = lines->classes ? sc_place_classes_count(lines->classes) : 0;
    const sc_json_value *segments = NULL;
    sc_slice name;
    sc_err err = sc__field_text(fields, "class", &name);
    if (err) return err;
    uint32_t number = 0;
    while (number < count && !sc_slice_is(name, sc_place_classes_name(lines->classes, number))) {
        number++;
    }
    if (lines->has_queries) return sc__line_fail(fields->place, "a class comes behind a query");
    if (number == count) {
        return sc__field_fail(fields, "class", "is not among the classes of demands before it");
    }
    if (lines->class_lines >> number & 1) {
        return sc__field_fail(fields, "class", "comes a second time");
    }
    err = read_segments(map, fields, &segments);
    if (err) return err;
    lines->class_lines |= UINT32_C(1) << number;
    for (size_t i = 0; i < sc_json_size(segments); i++) {
        sc_place_classes_mark(lines->classes, number,
                              (sc_seg_id)sc_json_integer(sc_json_at(segments, i)));
    }
    return SC_OK;
}

static sc_err read_zone_number(const sc__fields *fields, uint32_t *out)
{
    const sc_err err = sc__field_count(fields, "zone", out);
    if (err || *out != SC_NONE) return err;
    return sc__field_fail(fields, "zone", "is too large; write at most 4294967294");
}

static uint64_t user_of(sc_slice name)
{
    return XXH3_64bits(name.text, name.size);
}

/** Add a zone; its numbers were seen to be right. */
static sc_err add_zone(sc_run_demand_lines *lines, const sc__fields *fields, uint64_t user,
                       const sc_json_value *segments)
{
    const uint32_t place = (uint32_t)lines->zone_count;
    const size_t count = sc_json_size(segments);
    uint32_t first = SC_NONE;
    if (!sc_reserve(&lines->segments, lines->segment_count + count, &lines->segment_capacity,
                    sizeof *lines->segments) ||
        sc_hash_put(&lines->users, key_of(user), place, &first)) {
        return sc__line_fail_memory(fields->place);
    }
    lines->zones[lines->zone_count++] =
        (sc_run_zone){.user = user, .next = SC_NONE, .first = lines->segment_count, .count = count};
    if (first != place) {
        lines->zones[place].next = lines->zones[first].next;
        lines->zones[first].next = place;
    }
    for (size_t i = 0; i < count; i++) {
        lines->segments[lines->segment_count++] =
            (sc_seg_id)sc_json_integer(sc_json_at(segments, i));
    }
    return SC_OK;
}

static sc_err read_zone(sc_run_demand_lines *lines, const sc_map *map, const sc__fields *fields)
{
    const sc_json_value *segments = NULL;
    uint32_t number = 0;
    uint32_t holds = SC_NONE;
    sc_slice user;
    if (!lines->has_demands) {
        return sc__line_fail(fields->place, "a zone comes before any demands");
    }
    sc_err err = read_zone_number(fields, &number);
    if (!err) err = sc__field_text(fields, "user", &user);
    if (!err) err = read_segments(map, fields, &segments);
    if (err) return err;
    if (sc_json_size(segments) == 0) {
        return sc__field_fail(fields, "segments", "is empty; a zone has at least one");
    }
    if (!sc_grow(&lines->zones, lines->zone_count, &lines->zone_capacity, sizeof *lines->zones) ||
        sc_hash_put(&lines->numbers, key_of(number), (uint32_t)lines->zone_count, &holds)) {
        return sc__line_fail_memory(fields->place);
    }
    if (holds != lines->zone_count) {
        return sc__field_fail(fields, "zone", "is the number of a zone before it");
    }
    return add_zone(lines, fields, user_of(user), segments);
}

static const struct {
    const char *name;
    sc_err (*read)(sc_run_demand_lines *lines, const sc_map *map, const sc__fields *fields);
} kinds[] = {{"demands", read_demands}, {"class", read_class}, {"zone", read_zone}};

enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static size_t kind_of(sc_slice event)
{
    size_t i = 0;
    while (i < KIND_COUNT && !sc_slice_is(event, kinds[i].name)) {
        i++;
    }
    return i;
}

bool sc__run_demands_has(sc_slice event)
{
    return kind_of(event) < KIND_COUNT;
}

sc_err sc__run_demands_read(sc_run_demand_lines *lines, const sc_map *map, sc_slice event,
                            const sc__fields *fields)
{
    return kinds[kind_of(event)].read(lines, map, fields);
}

// --- Queries ------------------------------------------------------------------------------------

const sc_seg_id *sc__run_zone_segments(const sc_run_demand_lines *lines, uint32_t place,
                                       size_t *count)
{
    *count = lines->zones[place].count;
    return lines->segments + lines->zones[place].first;
}

static bool is_in(const sc_run_demand_lines *lines, uint32_t place, sc_seg_id segment)
{
    size_t count = 0;
    const sc_seg_id *segments = sc__run_zone_segments(lines, place, &count);
    for (size_t i = 0; i < count; i++) {
        if (segments[i] == segment) return true;
    }
    return false;
}

// All classes are known before the first query.
static sc_err look_at_classes(const sc_run_demand_lines *lines, const sc__fields *fields)
{
    const uint32_t count = lines->classes ? sc_place_classes_count(lines->classes) : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (lines->class_lines >> i & 1) continue;
        return sc__line_fail(fields->place,
                             "a class that the demands name has no line before the first query");
    }
    return SC_OK;
}

static sc_err look_for_zone(const sc_run_demand_lines *lines, const sc__fields *fields,
                            sc_slice user, sc_seg_id segment)
{
    uint32_t place = sc_hash_get(&lines->users, key_of(user_of(user)), SC_NONE);
    for (; place != SC_NONE; place = lines->zones[place].next) {
        if (is_in(lines, place, segment)) {
            return sc__line_fail(fields->place,
                                 "a query is in a zone of its user and does not name it");
        }
    }
    return SC_OK;
}

sc_err sc__run_query_zone(sc_run_demand_lines *lines, const sc__fields *fields, sc_seg_id segment,
                          uint32_t *place)
{
    sc_slice user;
    uint32_t number = 0;
    sc_err err = lines->has_queries ? SC_OK : look_at_classes(lines, fields);
    lines->has_queries = true;
    *place = SC_NONE;
    const bool names_zone = sc__field_exists(fields, "zone");
    // Where there are no zones, a query need not say whose it is.
    if (err || (!names_zone && lines->zone_count == 0)) return err;
    err = sc__field_text(fields, "user", &user);
    if (err) return err;
    if (!names_zone) return look_for_zone(lines, fields, user, segment);
    err = read_zone_number(fields, &number);
    if (err) return err;
    *place = sc_hash_get(&lines->numbers, key_of(number), SC_NONE);
    if (*place == SC_NONE) {
        return sc__field_fail(fields, "zone", "names a zone that has no line before it");
    }
    if (lines->zones[*place].user != user_of(user)) {
        return sc__field_fail(fields, "zone", "names a zone of another user");
    }
    if (!is_in(lines, *place, segment)) {
        return sc__field_fail(fields, "zone", "names a zone that the query is not in");
    }
    return SC_OK;
}

void sc__run_demands_fini(sc_run_demand_lines *lines)
{
    sc_place_classes_free(lines->classes);
    sc_hash_fini(&lines->numbers);
    sc_hash_fini(&lines->users);
    sc_free(lines->zones);
    sc_free(lines->segments);
    *lines = (sc_run_demand_lines){.has_demands = false};
}
