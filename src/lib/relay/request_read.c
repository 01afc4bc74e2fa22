// Requests as they are read from a message, whatever its encoding. See codec_internal.h.
#include "relay/relay_codec_internal.h"

#include "base/diag.h"
#include "base/hash.h"

#include <math.h>
#include <xxhash.h>

sc_err sc__request_accept(const sc__codec *codec, size_t place, sc_request *request)
{
    for (uint32_t i = 0; i < request->category_count; i++) {
        if (request->categories[i] == SC_NONE) {
            return sc_fail(codec->diag, SC_EREQUEST, "category %u of request %zu is not known here",
                           i, place);
        }
    }
    const sc_request_limits any = {.max_k = UINT32_MAX, .max_radius_m = HUGE_VAL};
    sc_diag reason = {""};
    if (sc_request_check(request, &any, codec->vocabulary->count, &reason) ||
        isinf(request->radius_m)) {
        return sc_fail(codec->diag, SC_EREQUEST, "request %zu makes no sense: %s", place,
                       isinf(request->radius_m) ? "its radius is infinite" : reason.message);
    }
    *request = sc_request_normalise(request);
    return SC_OK;
}

static sc_key key_of(const sc_request *request)
{
    // Field by field: padding has no value that could be relied upon.
    struct {
        uint64_t type_and_k;
        double radius_m;
        sc_category_id categories[SC_REQUEST_CATEGORIES];
    } fields = {.type_and_k = (uint64_t)request->type << 32 | request->k,
                .radius_m = request->radius_m};
    for (uint32_t i = 0; i < SC_REQUEST_CATEGORIES; i++) {
        fields.categories[i] = i < request->category_count ? request->categories[i] : SC_NONE;
    }
    const XXH128_hash_t sum = XXH3_128bits(&fields, sizeof fields);
    return (sc_key){sum.high64, sum.low64};
}

sc_err sc__requests_differ(const sc__codec *codec, const sc_request *requests, size_t count)
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
