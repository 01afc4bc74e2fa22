// Queries of a run record: where they are and what they ask for, who asks and how privately if that
// is wanted; and which of them are open. See run_internal.h.
#include "record/run_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "record/record.h"
#include "record/request_read.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <xxhash.h>

/** How far beyond an edge an offset may be: records round, and lengths have a millimetre. */
#define OFFSET_TOLERANCE_M 1e-3

sc_err sc__run_fail_map(const sc__place *place, const char *what)
{
    return sc_fail(place->diag, SC_EMISMATCH,
                   "%s:%" PRIu64 ": %s; is this the map of the run? ('starcloak map info' shows "
                   "checksums, and a record ends with that of its map)",
                   place->name, place->number, what);
}

// --- Which are open --------------------------------------------------------------

/** The key of an id. Different ids have different ones, for all that chance can do. */
static sc_key key_of(sc_slice id)
{
    const XXH128_hash_t hash = XXH3_128bits(id.text, id.size);
    return (sc_key){hash.high64, hash.low64};
}

uint32_t sc__run_find(const sc_run_reader *reader, sc_slice id)
{
    return sc_hash_get(&reader->numbers, key_of(id), SC_NONE);
}

void sc__run_end(sc_run_reader *reader, uint32_t number, uint32_t place)
{
    if (reader->places[number] < SC__QUERY_LOST)
        sc_item_pool_give(&reader->open, reader->places[number]);
    reader->places[number] = place;
}

static sc_err keep_query(sc_run_reader *reader, const sc__place *place, sc_slice id,
                         const sc__open_query *query)
{
    const uint32_t number = (uint32_t)reader->query_count;
    uint32_t holds = SC_NONE;
    if (reader->query_count >= SC_NONE) {
        return sc_fail(place->diag, SC_ELIMIT, "%s:%" PRIu64 ": more queries than can be counted",
                       place->name, place->number);
    }
    if (!sc_grow(&reader->places, reader->query_count, &reader->place_capacity,
                 sizeof *reader->places) ||
        sc_item_pool_reserve(&reader->open) ||
        sc_hash_put(&reader->numbers, key_of(id), number, &holds)) {
        return sc__line_fail_memory(place);
    }
    if (holds != number) return sc__line_fail(place, "a query is asked a second time");
    const uint32_t where = sc_item_pool_take(&reader->open);
    *(sc__open_query *)sc_item_pool_at(&reader->open, where) = *query;
    reader->places[reader->query_count++] = where;
    return SC_OK;
}

// --- Where -----------------------------------------------------------------------

// The edge, the segment that it is said to be on, and the offset must agree with the map.
static sc_err read_position(const sc_run_reader *reader, const sc__fields *fields,
                            sc__open_query *query, sc_seg_id *segment)
{
    sc_err err = sc__field_count(fields, "edge", &query->edge);
    if (!err) err = sc__field_count(fields, "segment", segment);
    if (!err) err = sc__field_number(fields, "offset_m", &query->offset_m);
    if (err) return err;
    if (query->edge >= sc_map_edge_count(reader->map)) {
        return sc__run_fail_map(fields->place, "a query is on an edge that the map does not have");
    }
    if (*segment != sc_map_edges(reader->map)[query->edge].segment) {
        return sc__run_fail_map(fields->place, "a query is not on the segment it names");
    }
    const double length_m = sc_map_edge_length_m(reader->map, query->edge);
    if (query->offset_m < -OFFSET_TOLERANCE_M || query->offset_m > length_m + OFFSET_TOLERANCE_M) {
        return sc__run_fail_map(fields->place, "a query lies beyond its edge");
    }
    query->offset_m = fmin(fmax(query->offset_m, 0.0), length_m);
    return SC_OK;
}

// --- Who, when and how privately -------------------------------------------------

enum { HEX_PREFIX = sizeof SC_RECORD_HEX - 1 };

/** So many bytes from twice as many digits; false if one is none. */
static bool unpack_hex(const char *text, size_t size, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        const char *high = memchr(digits, text[2 * i], sizeof digits - 1);
        const char *low = memchr(digits, text[2 * i + 1], sizeof digits - 1);
        if (!high || !low) return false;
        out[i] = (char)((high - digits) * 16 + (low - digits));
    }
    return true;
}

/** How many bytes `name` may have in hexadecimal behind its prefix; 0 if it is an ordinary name. */
static size_t hex_size(sc_slice name)
{
    if (name.size < HEX_PREFIX || memcmp(name.text, SC_RECORD_HEX, HEX_PREFIX) != 0) return 0;
    const size_t digit_count = name.size - HEX_PREFIX;
    return digit_count % 2 == 0 ? digit_count / 2 : 0;
}

// The user as it asked: what had to be written in hexadecimal becomes bytes again, so that a user
// has one name in a run and in its record.
static sc_err read_user(sc_run_reader *reader, const sc__fields *fields, sc_ask *ask)
{
    sc_slice name;
    const sc_err err = sc__field_text(fields, "user", &name);
    if (err) return err;
    const size_t size = hex_size(name);
    ask->user = name.text;
    ask->user_size = name.size;
    if (size == 0) return SC_OK;

    if (!sc_reserve(&reader->name, size, &reader->name_capacity, 1)) {
        return sc__line_fail_memory(fields->place);
    }
    if (unpack_hex(name.text + HEX_PREFIX, size, reader->name)) {
        ask->user = reader->name;
        ask->user_size = size;
    }
    return SC_OK;
}

// It was admitted, so what nobody admits is refused; limits are each operator's own.
static sc_err read_profile(const sc__fields *fields, sc_profile *out)
{
    sc__fields profile = {.prefix = "profile."};
    sc_err err = sc__field_object(fields, "profile", &profile);
    if (!err) err = sc__field_count(&profile, "k", &out->k);
    if (!err) err = sc__field_count(&profile, "l", &out->l);
    if (!err) err = sc__field_count(&profile, "sigma_s", &out->max_hops);
    if (!err) err = sc__field_time(&profile, "sigma_t", &out->max_wait_us);
    if (err) return err;
    if (out->k == 0) return sc__field_fail(&profile, "k", "is 0; it counts the traveller too");
    if (out->l == 0) return sc__field_fail(&profile, "l", "is 0; a cloak has one segment at least");
    if (out->max_wait_us <= 0) return sc__field_fail(&profile, "sigma_t", "is not above 0");
    return SC_OK;
}

static sc_err read_asker(sc_run_reader *reader, const sc__fields *fields, sc__open_query *query)
{
    sc_ask *ask = &reader->spoken.ask;
    reader->spoken = (sc_spoken){.request = query->request, .line = fields->place->number};
    *ask = (sc_ask){.is_on_edge = true,
                    .edge = query->edge,
                    .offset_m = query->offset_m,
                    .result_size = query->request.k};
    sc_err err = read_user(reader, fields, ask);
    if (!err) err = sc__field_time(fields, "t", &ask->t);
    if (!err) err = read_profile(fields, &ask->profile);
    if (err) return err;
    query->asked = ask->t;
    query->profile = ask->profile;
    query->user = sc_run_user(ask->user, ask->user_size);
    return SC_OK;
}

// --- All of it -------------------------------------------------------------------

sc_err sc__run_query(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out)
{
    sc_slice id;
    sc__open_query query = {0};
    const sc__words words = {.map = reader->map, .vocabulary = reader->vocabulary};
    sc_err err = sc__field_text(fields, "query", &id);
    if (!err) err = read_position(reader, fields, &query, &out->segment);
    if (!err) err = sc__request_read(fields, &words, &query.request);
    if (!err && reader->wants_askers) {
        out->asked = &reader->spoken;
        err = read_asker(reader, fields, &query);
    }
    return err ? err : keep_query(reader, fields->place, id, &query);
}
