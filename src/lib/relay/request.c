// Requests: whether they make sense, and the one form that equal ones share. See starcloak/relay.h.
//
// Requests are compared (two members of a cloak who ask the same are told apart by nobody), so what
// a request does not use must not make it different.
#include <starcloak/relay.h>

#include "base/diag.h"
#include "base/sort.h"

sc_request_limits sc_request_limits_default(void)
{
    return (sc_request_limits){.max_k = 1000, .max_radius_m = 100000.0};
}

sc_err sc_request_check(const sc_request *request, const sc_request_limits *limits,
                        uint32_t category_count, sc_diag *diag)
{
    if (request->type == SC_REQUEST_KNN) {
        if (request->k < 1 || request->k > limits->max_k) {
            return sc_fail(diag, SC_EREQUEST, "k is %u; ask for 1 to %u objects", request->k,
                           limits->max_k);
        }
    } else if (request->type == SC_REQUEST_RANGE) {
        // Written so that NaN is refused: no comparison with it is true.
        if (!(request->radius_m >= 0.0 && request->radius_m <= limits->max_radius_m)) {
            return sc_fail(diag, SC_EREQUEST, "the radius is %g m; ask for 0 to %g m",
                           request->radius_m, limits->max_radius_m);
        }
    } else {
        return sc_fail(diag, SC_EREQUEST, "a request is for the k nearest or for a range");
    }
    if (request->category_count > SC_REQUEST_CATEGORIES) {
        return sc_fail(diag, SC_EREQUEST,
                       "%u categories in one request; name at most %d, or none for all",
                       request->category_count, (int)SC_REQUEST_CATEGORIES);
    }
    for (uint32_t i = 0; i < request->category_count; i++) {
        if (request->categories[i] >= category_count) {
            return sc_fail(diag, SC_EREQUEST, "no category %u; there are %u",
                           request->categories[i], category_count);
        }
    }
    return SC_OK;
}

sc_request sc_request_normalise(const sc_request *request)
{
    sc_request normal = {.type = request->type};
    if (request->type == SC_REQUEST_KNN) normal.k = request->k;
    // Adding zero makes a zero of a negative zero.
    if (request->type == SC_REQUEST_RANGE) normal.radius_m = request->radius_m + 0.0;

    sc_category_id sorted[SC_REQUEST_CATEGORIES];
    uint32_t count = 0;
    while (count < request->category_count && count < SC_REQUEST_CATEGORIES) {
        sorted[count] = request->categories[count];
        count++;
    }
    sc_sort_u32(sorted, count);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && sorted[i] == sorted[i - 1]) continue;
        normal.categories[normal.category_count++] = sorted[i];
    }
    return normal;
}

bool sc_request_equal(const sc_request *a, const sc_request *b)
{
    if (a->type != b->type || a->k != b->k || a->radius_m != b->radius_m ||
        a->category_count != b->category_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->category_count; i++) {
        if (a->categories[i] != b->categories[i]) return false;
    }
    return true;
}
