// Lines of a record in the one form in which StarCloak writes them, read in one pass.
//
// The names of members, their order and all that stands between them are then known, so a line is
// compared with them piece by piece and only its values are read: no tree, no search for names, no
// copies. A line that differs anywhere (another order, a blank, an escape, an unknown member, a
// value that would be refused) is not read here but by record_events.c, which takes any JSON and
// has the words for what it refuses. So this file accepts only what that one accepts, with the same
// values; tests/unit/verify/test_record_lines.c holds it to that.
#include "base/alloc.h"
#include "base/json_pull.h"
#include "verify/record_events.h"

#include <math.h>
#include <string.h>

/** What is still to be read of a line. */
typedef struct rest {
    const char *at;
    const char *end;
} rest;

/** Digits of a whole number that fit 64 bits, whatever they are. */
enum { WHOLE_DIGITS = 18 };

/** More seconds than this are left to record_events.c, which may refuse them. */
#define MAX_SECONDS 1e12

// --- Pieces --------------------------------------------------------------------------------------

/** Step over `text` if it comes next. Inline, since all are constants. */
__attribute__((always_inline)) static inline bool is_next(rest *r, const char *text)
{
    const size_t size = strlen(text);
    if ((size_t)(r->end - r->at) < size || memcmp(r->at, text, size) != 0) return false;
    r->at += size;
    return true;
}

/** A text of at least a byte, all ASCII and without escapes, in its quotes. */
static bool read_text(rest *r, sc_slice *out)
{
    if (!is_next(r, "\"")) return false;
    const char *start = r->at;
    r->at = sc_json_skip_plain(start, r->end);
    *out = (sc_slice){start, (size_t)(r->at - start)};
    return out->size > 0 && is_next(r, "\"");
}

/** The digits of a whole number, as JSON has them: no zero before others. */
static bool read_digits(rest *r, uint64_t *out)
{
    const char *start = r->at;
    uint64_t value = 0;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
        value = value * 10 + (uint64_t)(*r->at++ - '0');
    }
    *out = value;
    const ptrdiff_t count = r->at - start;
    return count > 0 && count <= WHOLE_DIGITS && (*start != '0' || count == 1);
}

/** A whole number of 32 bits. */
static bool read_count(rest *r, uint32_t *out)
{
    uint64_t value = 0;
    if (!read_digits(r, &value) || value > UINT32_MAX) return false;
    *out = (uint32_t)value;
    return true;
}

/** The same, of 1 or more. */
static bool read_need(rest *r, uint32_t *out)
{
    return read_count(r, out) && *out > 0;
}

/** A number without an exponent whose digits a double holds exactly. */
static bool read_number(rest *r, double *out)
{
    static const double power_of_ten[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6, 1e7,
                                          1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};
    enum { FRACTION_DIGITS = sizeof power_of_ten / sizeof *power_of_ten - 1 };
    const bool is_negative = is_next(r, "-");
    uint64_t digits = 0;
    if (!read_digits(r, &digits)) return false;
    ptrdiff_t after_point = 0;
    if (is_next(r, ".")) {
        const char *start = r->at;
        while (r->at < r->end && *r->at >= '0' && *r->at <= '9' && digits < (uint64_t)1 << 53) {
            digits = digits * 10 + (uint64_t)(*r->at++ - '0');
        }
        after_point = r->at - start;
        if (after_point == 0 || after_point > FRACTION_DIGITS) return false;
    }
    // Both are exact, so that the division rounds once, to the nearest: as json_pull.c has it.
    if (digits > (uint64_t)1 << 53) return false;
    const double size = (double)digits / power_of_ten[after_point];
    // A whole 0 has no sign, as there.
    *out = is_negative && (digits > 0 || after_point > 0) ? -size : size;
    return true;
}

/** Seconds as whole microseconds. */
static bool read_time(rest *r, int64_t *out)
{
    double seconds = 0.0;
    if (!read_number(r, &seconds) || !(fabs(seconds) <= MAX_SECONDS)) return false;
    *out = llround(seconds * 1e6);
    return true;
}

/** Ids between brackets. */
static sc_err read_ids(rest *r, sc_id_list *out, bool *is_read)
{
    out->count = 0;
    *is_read = is_next(r, "[");
    if (*is_read && is_next(r, "]")) return SC_OK;
    while (*is_read) {
        if (!sc_grow(&out->ids, out->count, &out->capacity, sizeof *out->ids)) return SC_ENOMEM;
        *is_read = read_count(r, &out->ids[out->count++]);
        if (is_next(r, ",")) continue;
        *is_read = *is_read && is_next(r, "]");
        break;
    }
    return SC_OK;
}

// --- Requests ------------------------------------------------------------------------------------

static bool is_category(const sc_map *map, sc_category_id category, sc_slice name)
{
    const char *known = sc_map_category_name(map, category);
    return strncmp(known, name.text, name.size) == 0 && known[name.size] == '\0';
}

/** As sc_map_category_find(), which goes through all of them: the last ones found are tried first.
 */
static sc_category_id find_category(sc_event_reader *reader, sc_slice name)
{
    const sc_map *map = reader->map;
    const size_t count = sc_map_category_count(map);
    const unsigned char first = (unsigned char)name.text[0];
    const unsigned char last = (unsigned char)name.text[name.size - 1];
    sc_category_id *kept =
        &reader->categories[(first * 7U + last * 3U + name.size) % SC__CATEGORIES_KEPT];
    if (*kept < count && is_category(map, *kept, name)) return *kept;
    for (sc_category_id i = 0; i < count; i++) {
        if (!is_category(map, i, name)) continue;
        *kept = i;
        return i;
    }
    return SC_NONE;
}

static bool read_category(rest *r, sc_event_reader *reader, sc_event_request *out)
{
    sc_slice name;
    if (out->category_count == SC_WISH_CATEGORIES || !read_text(r, &name)) return false;
    // One that the map lacks gets its number where lines are read as trees.
    const sc_category_id category = find_category(reader, name);
    out->categories[out->category_count++] = category;
    return category != SC_NONE;
}

static bool read_categories(rest *r, sc_event_reader *reader, sc_event_request *out)
{
    out->category_count = 0;
    if (is_next(r, "null")) return true;
    if (!is_next(r, "[")) return read_category(r, reader, out);
    while (read_category(r, reader, out)) {
        if (is_next(r, "]")) return true;
        if (!is_next(r, ",")) break;
    }
    return false;
}

static bool read_wish(rest *r, sc_event_reader *reader, sc_event_request *out)
{
    if (!is_next(r, "{\"type\":\"")) return false;
    out->is_range = is_next(r, "range\"");
    if (!out->is_range && !is_next(r, "knn\"")) return false;
    const bool is_by_time = is_next(r, ",\"metric\":\"time\"");
    out->metric = is_by_time ? SC_METRIC_TIME : SC_METRIC_DISTANCE;
    out->k = 0;
    out->radius = 0.0;
    if (!out->is_range) {
        if (!is_next(r, ",\"k\":") || !read_count(r, &out->k)) return false;
    } else {
        const bool is_named =
            is_by_time ? is_next(r, ",\"radius_s\":") : is_next(r, ",\"radius_m\":");
        if (!is_named || !read_number(r, &out->radius)) return false;
    }
    return is_next(r, ",\"category\":") && read_categories(r, reader, out) && is_next(r, "}");
}

// --- Events --------------------------------------------------------------------------------------

static bool read_query(rest *r, sc_event_reader *reader, sc_event *out)
{
    sc_event_query *asked = &out->asked;
    out->kind = SC_EVENT_QUERY;
    asked->zone = SC_NONE;
    if (!(is_next(r, "\"query\":") && read_text(r, &out->query) && is_next(r, ",\"user\":") &&
          read_text(r, &asked->user) && is_next(r, ",\"t\":") && read_time(r, &out->t_us) &&
          is_next(r, ",\"edge\":") && read_count(r, &asked->edge) && is_next(r, ",\"offset_m\":") &&
          read_number(r, &asked->offset_m) && is_next(r, ",\"segment\":") &&
          read_count(r, &asked->segment) && is_next(r, ",\"profile\":{\"k\":") &&
          read_need(r, &asked->k) && is_next(r, ",\"l\":") && read_need(r, &asked->l) &&
          is_next(r, ",\"sigma_s\":") && read_count(r, &asked->max_hops) &&
          is_next(r, ",\"sigma_t\":") && read_time(r, &asked->max_wait_us) &&
          asked->max_wait_us > 0 && is_next(r, "},\"request\":") &&
          read_wish(r, reader, &asked->wish))) {
        return false;
    }
    const bool has_zone = is_next(r, ",\"zone\":");
    return (!has_zone || (read_count(r, &asked->zone) && asked->zone != SC_NONE)) &&
           is_next(r, "}");
}

static bool read_cloak_number(rest *r, uint64_t *out)
{
    return read_digits(r, out) && *out <= SC__CLOAK_NUMBER_MAX;
}

static bool read_member(rest *r, sc_event_member *out)
{
    out->star = SC_NONE;
    if (!is_next(r, "{\"query\":") || !read_text(r, &out->query)) return false;
    if (is_next(r, ",\"star\":") && !read_count(r, &out->star)) return false;
    return is_next(r, "}");
}

static sc_err read_members(rest *r, sc_event_cloak *out, bool *is_read)
{
    out->member_count = 0;
    *is_read = true;
    if (is_next(r, "]}")) return SC_OK;
    while (*is_read) {
        if (!sc_grow(&out->members, out->member_count, &out->member_capacity,
                     sizeof *out->members)) {
            return SC_ENOMEM;
        }
        *is_read = read_member(r, &out->members[out->member_count++]);
        if (is_next(r, ",")) continue;
        *is_read = *is_read && is_next(r, "]}");
        break;
    }
    return SC_OK;
}

static sc_err read_cloak(rest *r, sc_event *out, bool *is_read)
{
    sc_event_cloak *cloaked = &out->cloaked;
    sc_err err = SC_OK;
    out->kind = SC_EVENT_CLOAK;
    cloaked->tells_more = false;
    *is_read = is_next(r, "\"cloak\":") && read_cloak_number(r, &out->cloak) &&
               is_next(r, ",\"t\":") && read_time(r, &out->t_us) && is_next(r, ",\"stars\":");
    if (*is_read) err = read_ids(r, &cloaked->stars, is_read);
    *is_read = *is_read && !err && is_next(r, ",\"segments\":");
    if (*is_read) err = read_ids(r, &cloaked->segments, is_read);
    *is_read = *is_read && !err && is_next(r, ",\"border_nodes\":");
    if (*is_read) err = read_ids(r, &cloaked->border_nodes, is_read);
    *is_read = *is_read && !err && is_next(r, ",\"members\":[");
    if (*is_read) err = read_members(r, cloaked, is_read);
    return err;
}

static bool read_loss(rest *r, sc_event *out)
{
    return is_next(r, "\"query\":") && read_text(r, &out->query) && is_next(r, ",\"t\":") &&
           read_time(r, &out->t_us) && is_next(r, ",\"reason\":") && read_text(r, &out->reason) &&
           is_next(r, "}");
}

static bool read_result(rest *r, sc_event_result *out)
{
    return is_next(r, "{\"poi\":") && read_count(r, &out->object) &&
           is_next(r, ",\"distance_m\":") && read_number(r, &out->distance_m) &&
           is_next(r, ",\"duration_s\":") && read_number(r, &out->duration_s) && is_next(r, "}");
}

static sc_err read_answer(rest *r, sc_event *out, bool *is_read)
{
    sc_event_answer *answer = &out->answer;
    uint64_t unused = 0;
    out->kind = SC_EVENT_ANSWER;
    answer->result_count = 0;
    answer->is_foreign = false;
    *is_read = is_next(r, "\"query\":") && read_text(r, &out->query) && is_next(r, ",\"cloak\":") &&
               read_cloak_number(r, &out->cloak) && is_next(r, ",\"candidates\":") &&
               read_digits(r, &unused) && is_next(r, ",\"results\":[");
    if (*is_read && is_next(r, "]}")) return SC_OK;
    while (*is_read) {
        if (!sc_grow(&answer->results, answer->result_count, &answer->result_capacity,
                     sizeof *answer->results)) {
            return SC_ENOMEM;
        }
        *is_read = read_result(r, &answer->results[answer->result_count++]);
        if (is_next(r, ",")) continue;
        *is_read = *is_read && is_next(r, "]}");
        break;
    }
    return SC_OK;
}

sc_err sc__record_line_read(sc_event_reader *reader, sc_slice line, bool *is_read)
{
    rest r = {line.text, line.text + line.size};
    sc_event *out = &reader->event;
    sc_err err = SC_OK;
    *is_read = false;
    if (!is_next(&r, "{\"event\":\"")) return SC_OK;
    if (is_next(&r, "query\",")) {
        *is_read = read_query(&r, reader, out);
    } else if (is_next(&r, "answer\",")) {
        err = read_answer(&r, out, is_read);
    } else if (is_next(&r, "cloak\",")) {
        err = read_cloak(&r, out, is_read);
    } else if (is_next(&r, "drop\",")) {
        out->kind = SC_EVENT_DROP;
        *is_read = read_loss(&r, out);
    } else if (is_next(&r, "failed\",")) {
        out->kind = SC_EVENT_FAILED;
        *is_read = read_loss(&r, out);
    }
    *is_read = *is_read && r.at == r.end;
    return err;
}
