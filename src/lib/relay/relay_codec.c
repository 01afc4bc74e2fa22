// Relays and replies as bytes, in either encoding. See starcloak/relay_codec.h.
//
// What is written is checked first, so that the encodings need not check whether a number has its
// place in a table. What is read is bounded in size here, and checked piece by piece as it is read.
#include "base/alloc.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/sort.h"
#include "relay/relay_build.h"
#include "relay/relay_codec_internal.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <xxhash.h>

// === Ids in ascending order =====================================================================

uint32_t sc__relay_sort_ids(uint32_t *numbers, uint32_t count)
{
    sc_sort_u32(numbers, count);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept > 0 && numbers[kept - 1] == numbers[i]) continue;
        numbers[kept++] = numbers[i];
    }
    return kept;
}

uint32_t sc__relay_id_place(const uint32_t *numbers, uint32_t count, uint32_t number)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (numbers[middle] < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// === Objects that a reply names =================================================================

sc_err sc__reply_objects_init(const sc__relay_codec *codec, const sc_reply *reply,
                              sc__reply_objects *out)
{
    uint64_t total = 0;
    for (size_t r = 0; r < reply->request_count; r++) {
        total += sc_reply_candidate_count(reply, r);
    }
    if (total > UINT32_MAX) {
        return sc_fail(codec->diag, SC_ELIMIT,
                       "the reply has more objects than a message can hold");
    }
    uint32_t *objects = sc_malloc_array((size_t)total, sizeof *objects);
    if (!objects) return sc_fail_memory(codec->diag, "writing a reply");

    uint32_t count = 0;
    for (uint32_t i = 0; i < reply->run_start[reply->request_count]; i++) {
        for (uint32_t k = 0; k < reply->runs[i].count; k++) {
            objects[count++] = reply->runs[i].first + k;
        }
    }
    const size_t lists = reply->request_count * reply->border_node_count;
    for (uint32_t i = 0; i < reply->near_start[lists]; i++) {
        objects[count++] = reply->nears[i].object;
    }
    count = sc__relay_sort_ids(objects, count);
    for (uint32_t i = 0; i < count; i++) {
        if (reply->table.objects[objects[i]].category < codec->vocabulary->count) continue;
        const uint32_t object = objects[i];
        sc_free(objects);
        return sc_fail(codec->diag, SC_EINVAL, "object %u has a category without a name", object);
    }
    *out = (sc__reply_objects){objects, count};
    return SC_OK;
}

void sc__reply_objects_fini(sc__reply_objects *named)
{
    sc_free(named->objects);
    *named = (sc__reply_objects){0};
}

// === Messages that were read ====================================================================

sc_err sc__relay_version_accept(const sc__relay_codec *codec, bool is_reply, uint64_t version)
{
    if (version == SC__RELAY_VERSION) return SC_OK;
    // The first version had no number in the compact encoding.
    const uint64_t told = version > 0 ? version : 1;
    const bool is_reader_older = told > SC__RELAY_VERSION;
    return sc_fail(codec->diag, SC_EPARSE,
                   "the %s is of version %" PRIu64 " of the provider protocol, and the %s reads "
                   "version %d; update the %s",
                   is_reply ? "reply" : "relay", told, is_reply ? "service" : "provider",
                   (int)SC__RELAY_VERSION, is_reply == is_reader_older ? "service" : "provider");
}

sc_err sc__relay_request_accept(const sc__relay_codec *codec, size_t place, sc_request *request)
{
    for (uint32_t i = 0; i < request->category_count; i++) {
        if (request->categories[i] == SC_NONE) {
            return sc_fail(codec->diag, SC_EREQUEST,
                           "category %u of request %zu is not known to this side", i, place);
        }
    }
    const sc_request_limits any = {
        .max_k = UINT32_MAX, .max_radius_m = HUGE_VAL, .max_radius_s = HUGE_VAL};
    sc_diag reason = {""};
    if (sc_request_check(request, &any, codec->vocabulary->count, &reason) ||
        isinf(request->radius_m) || isinf(request->radius_s)) {
        const bool is_infinite = isinf(request->radius_m) || isinf(request->radius_s);
        return sc_fail(codec->diag, SC_EREQUEST, "request %zu is invalid: %s", place,
                       is_infinite ? "its radius is infinite" : reason.message);
    }
    *request = sc_request_normalise(request);
    return SC_OK;
}

static sc_key key_of(const sc_request *request)
{
    // Field by field: padding has no value that could be relied upon.
    struct {
        uint64_t type_and_k;
        uint64_t metric;
        double radius_m;
        double radius_s;
        sc_category_id categories[SC_REQUEST_CATEGORIES];
    } fields = {.type_and_k = (uint64_t)request->type << 32 | request->k,
                .metric = request->metric,
                .radius_m = request->radius_m,
                .radius_s = request->radius_s};
    for (uint32_t i = 0; i < SC_REQUEST_CATEGORIES; i++) {
        fields.categories[i] = i < request->category_count ? request->categories[i] : SC_NONE;
    }
    const XXH128_hash_t sum = XXH3_128bits(&fields, sizeof fields);
    return (sc_key){sum.high64, sum.low64};
}

sc_err sc__relay_requests_differ(const sc__relay_codec *codec, const sc_request *requests,
                                 size_t count)
{
    if (count >= UINT32_MAX) return sc_fail(codec->diag, SC_ELIMIT, "too many requests");
    sc_hash seen = {0};
    sc_err err = SC_OK;
    for (uint32_t i = 0; !err && i < count; i++) {
        uint32_t first = i;
        err = sc_hash_put(&seen, key_of(&requests[i]), i, &first);
        if (!err && first != i) {
            err = sc_fail(codec->diag, SC_EREQUEST, "requests %u and %u are the same", first, i);
        }
    }
    sc_hash_fini(&seen);
    if (err == SC_ENOMEM) return sc_fail_memory(codec->diag, "reading a relay");
    return err;
}

// === Encoding and decoding ======================================================================

const char *sc_encoding_name(unsigned encoding)
{
    switch (encoding) {
    case SC_ENCODING_COMPACT:
        return "compact";
    case SC_ENCODING_GEOJSON:
        return "geojson";
    default:
        return NULL;
    }
}

const char *sc_encoding_media_type(sc_encoding encoding)
{
    return encoding == SC_ENCODING_GEOJSON ? "application/geo+json; version=2"
                                           : "application/x-protobuf; version=2";
}

static const char *pass_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

// Whether a parameter, as "version=2", leaves the meaning as it is. Others than the version do.
static bool is_known_parameter(const char *parameter, size_t size)
{
    static const char name[] = "version=";
    const size_t name_size = sizeof name - 1;
    if (size < name_size || strncasecmp(parameter, name, name_size) != 0) return true;
    parameter += name_size;
    size -= name_size;
    while (size > 0 && strchr(" \t", parameter[size - 1])) {
        size--;
    }
    return (size == 1 && parameter[0] == '2') || (size == 3 && memcmp(parameter, "\"2\"", 3) == 0);
}

bool sc_encoding_is_media_type(sc_encoding encoding, const char *content_type)
{
    if (!content_type) return false;
    const char *type = sc_encoding_media_type(encoding);
    const size_t type_size = strcspn(type, ";");
    const char *text = pass_blanks(content_type);
    if (strncasecmp(text, type, type_size) != 0) return false;
    text = pass_blanks(text + type_size);
    while (*text == ';') {
        text = pass_blanks(text + 1);
        const size_t size = strcspn(text, ";");
        if (!is_known_parameter(text, size)) return false;
        text += size;
    }
    return *text == '\0';
}

sc_codec_limits sc_codec_limits_default(void)
{
    return (sc_codec_limits){.max_bytes = (size_t)16 << 20,
                             .max_segments = 10000,
                             .max_requests = 1000,
                             .max_objects = 1000000};
}

// --- What is to be written ---------------------------------------------------

static sc_err check_degrees(const sc__relay_codec *codec)
{
    if (codec->encoding == SC_ENCODING_GEOJSON &&
        sc_map_coords(codec->map) != SC_COORDS_GEOGRAPHIC) {
        return sc_fail(codec->diag, SC_ENOCOORDS,
                       "the map has no coordinates in degrees, so GeoJSON cannot show it; "
                       "use the compact encoding");
    }
    return SC_OK;
}

// How many segments and requests are too many is checked by those who read them.
static sc_err check_relay(const sc__relay_codec *codec, const sc_relay *relay)
{
    // Not HUGE_VAL: JSON has no infinite numbers, and readers refuse them in either encoding.
    const sc_request_limits any = {
        .max_k = UINT32_MAX, .max_radius_m = DBL_MAX, .max_radius_s = DBL_MAX};
    const uint32_t words = codec->vocabulary->count;
    sc_err err = sc__relay_check(codec->map, relay, SIZE_MAX, codec->diag);
    for (size_t i = 0; i < relay->request_count && !err; i++) {
        if (sc_request_check(&relay->requests[i], &any, words, codec->diag)) err = SC_EINVAL;
    }
    return err;
}

static sc_err check_runs(const sc__relay_codec *codec, const sc_reply *reply)
{
    const uint32_t count = reply->table.count;
    for (uint32_t i = 0; i < reply->run_start[reply->request_count]; i++) {
        const sc_object_run run = reply->runs[i];
        if (run.count < 1 || run.count > count || run.first > count - run.count) {
            return sc_fail(codec->diag, SC_EINVAL, "run %u of the reply names no objects", i);
        }
    }
    return SC_OK;
}

// The answer of one border node to a request by `metric`.
static sc_err check_list(const sc__relay_codec *codec, const sc_reply *reply, size_t list,
                         sc_metric metric)
{
    const double units = (double)SC__COST_MAX_UNITS;
    const double max_m = fmin(SC__COST_MAX, units * sc_map_unit_m(codec->map));
    const double max_s = fmin(SC__COST_MAX, units * sc_map_time_unit_s(codec->map));
    double last = 0.0;
    for (uint32_t i = reply->near_start[list]; i < reply->near_start[list + 1]; i++) {
        const sc_near *near = &reply->nears[i];
        // Written so that NaN is refused: no comparison with it is true.
        if (!(near->distance_m >= 0.0 && near->distance_m <= max_m && near->duration_s >= 0.0 &&
              near->duration_s <= max_s)) {
            return sc_fail(codec->diag, SC_EINVAL,
                           "list %zu of the reply has a distance or a duration that no way has",
                           list);
        }
        const double cost = sc_near_cost(near, metric);
        if (near->object >= reply->table.count || cost < last) {
            return sc_fail(codec->diag, SC_EINVAL,
                           "list %zu of the reply names no object, or is not nearest first", list);
        }
        last = cost;
    }
    return SC_OK;
}

static sc_err check_lists(const sc__relay_codec *codec, const sc_relay *relay,
                          const sc_reply *reply)
{
    sc_err err = check_runs(codec, reply);
    const size_t lists = reply->request_count * reply->border_node_count;
    for (size_t list = 0; list < lists && !err; list++) {
        const sc_request *request = &relay->requests[list / reply->border_node_count];
        err = check_list(codec, reply, list, request->metric);
    }
    return err;
}

static sc_err check_reply(const sc__relay_codec *codec, const sc_relay *relay,
                          const sc_reply *reply)
{
    const sc_err err = sc__relay_check(codec->map, relay, SIZE_MAX, codec->diag);
    if (err) return err;
    if (reply->request_count != relay->request_count ||
        reply->border_node_count != relay->border_node_count) {
        return sc_fail(codec->diag, SC_EINVAL, "the reply does not belong to this relay");
    }
    for (size_t i = 0; i < relay->border_place_count; i++) {
        if (relay->border_places[i] >= relay->border_node_count) {
            return sc_fail(codec->diag, SC_EINVAL,
                           "place %zu of the relay does not belong to a border node", i);
        }
    }
    return check_lists(codec, relay, reply);
}

/** The public codec with what the encodings need besides; `diag` may be NULL. */
static sc__relay_codec with_diag(const sc_codec *codec, sc_diag *diag)
{
    return (sc__relay_codec){
        .map = codec->map,
        .vocabulary = codec->vocabulary,
        .encoding = codec->encoding,
        .limits = codec->limits ? *codec->limits : sc_codec_limits_default(),
        .diag = diag,
    };
}

sc_err sc_relay_encode(const sc_codec *codec, const sc_relay *relay, sc_bytes *out, sc_diag *diag)
{
    const sc__relay_codec own = with_diag(codec, diag);
    sc_err err = check_degrees(&own);
    if (!err) err = check_relay(&own, relay);
    if (err) return err;
    out->size = 0;
    return own.encoding == SC_ENCODING_GEOJSON ? sc__geojson_write_relay(&own, relay, out)
                                               : sc__compact_write_relay(&own, relay, out);
}

sc_err sc_reply_encode(const sc_codec *codec, const sc_relay *relay, const sc_reply *reply,
                       sc_bytes *out, sc_diag *diag)
{
    const sc__relay_codec own = with_diag(codec, diag);
    sc_err err = check_degrees(&own);
    if (!err) err = check_reply(&own, relay, reply);
    if (err) return err;
    out->size = 0;
    return own.encoding == SC_ENCODING_GEOJSON ? sc__geojson_write_reply(&own, relay, reply, out)
                                               : sc__compact_write_reply(&own, relay, reply, out);
}

// --- What is read -------------------------------------------------------------

static sc_err check_size(const sc__relay_codec *codec, sc__relay_message message)
{
    if (message.size <= codec->limits.max_bytes) return SC_OK;
    return sc_fail(codec->diag, SC_ELIMIT, "the message has %zu bytes; at most %zu are allowed",
                   message.size, codec->limits.max_bytes);
}

sc_err sc_relay_decode(const sc_codec *codec, const void *bytes, size_t size, sc_relay **out,
                       sc_diag *diag)
{
    const sc__relay_codec own = with_diag(codec, diag);
    const sc__relay_message message = {bytes, size};
    sc_err err = check_degrees(&own);
    if (!err) err = check_size(&own, message);
    if (err) return err;
    return own.encoding == SC_ENCODING_GEOJSON ? sc__geojson_read_relay(&own, message, out)
                                               : sc__compact_read_relay(&own, message, out);
}

sc_err sc_reply_decode(const sc_codec *codec, const sc_relay *relay, const void *bytes, size_t size,
                       sc_reply *reply, sc_diag *diag)
{
    const sc__relay_codec own = with_diag(codec, diag);
    const sc__relay_message message = {bytes, size};
    sc_err err = check_degrees(&own);
    if (!err) err = check_size(&own, message);
    if (!err) err = sc__relay_check(own.map, relay, SIZE_MAX, diag);
    if (err) return err;
    return own.encoding == SC_ENCODING_GEOJSON
               ? sc__geojson_read_reply(&own, relay, message, reply)
               : sc__compact_read_reply(&own, relay, message, reply);
}
