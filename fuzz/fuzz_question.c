// Door: a traveller's words, the body of a query.
//
// The first byte of an input says on which kind of map ('p': a plane; else on the globe), the rest
// is the body. What is accepted keeps to the policy, is JSON for jansson too, and reads back as the
// same when it is written again; what is refused is refused in one printable line that is JSON
// again when it is sent.
#include "door.h"
#include "problem.h"

#include "api/query_json.h"
#include "api/settings.h"

#include <jansson.h>

static const char *const words[] = {"hospital", "caf\xc3\xa9", "school"};
static const sc_vocabulary vocabulary = {words, 3};

static void check_policy(const sc_query_body *q, const sc_policy *terms, bool is_geographic)
{
    DOOR_PROMISE(isfinite(q->x) && isfinite(q->y) && isfinite(q->offset_m), "places are numbers");
    DOOR_PROMISE(q->is_on_edge || !is_geographic || (fabs(q->x) <= 180.0 && fabs(q->y) <= 90.0),
                 "degrees are on the globe");
    DOOR_PROMISE(isnan(q->heading_deg) || (q->heading_deg >= 0.0 && q->heading_deg <= 360.0),
                 "a heading is one");
    const sc_profile *p = &q->profile;
    DOOR_PROMISE(p->k >= terms->least.k && p->k <= terms->most.k, "k is allowed");
    DOOR_PROMISE(p->l >= terms->least.l && p->l <= terms->most.l, "l is allowed");
    DOOR_PROMISE(p->max_hops >= terms->least.max_hops && p->max_hops <= terms->most.max_hops,
                 "hops are allowed");
    DOOR_PROMISE(p->max_wait_us >= terms->least.max_wait_us &&
                     p->max_wait_us <= terms->most.max_wait_us,
                 "the wait is allowed");
    const sc_request normal = sc_request_normalise(&q->request);
    DOOR_PROMISE(sc_request_equal(&normal, &q->request), "the request is in normal form");
    DOOR_PROMISE(sc_request_check(&q->request, &terms->requests, vocabulary.count, NULL) == SC_OK,
                 "the request can be answered");
}

static size_t write_categories(const sc_request *request, char *out, size_t room)
{
    size_t size = (size_t)snprintf(out, room, "[");
    for (uint32_t i = 0; i < request->category_count; i++) {
        size += (size_t)snprintf(out + size, room - size, "%s\"%s\"", i > 0 ? "," : "",
                                 words[request->categories[i]]);
    }
    return size + (size_t)snprintf(out + size, room - size, "]");
}

// The same question in other words.
static size_t write_again(const sc_query_body *q, bool is_geographic, char *out, size_t room)
{
    char categories[512];
    write_categories(&q->request, categories, sizeof categories);
    size_t size =
        (size_t)snprintf(out, room,
                         "{\"profile\":{\"max_wait_s\":%.6f,\"max_hops\":%u,\"l\":%u,\"k\":%u},"
                         "\"request\":{\"categories\":%s,",
                         (double)q->profile.max_wait_us / 1e6, q->profile.max_hops, q->profile.l,
                         q->profile.k, categories);
    if (q->request.type == SC_REQUEST_KNN) {
        size += (size_t)snprintf(out + size, room - size,
                                 "\"type\":\"knn\",\"metric\":\"%s\",\"k\":%u},",
                                 sc_metric_name(q->request.metric), q->request.k);
    } else if (q->request.metric == SC_METRIC_TIME) {
        size += (size_t)snprintf(out + size, room - size, "\"type\":\"range\",\"radius_s\":%.17g},",
                                 q->request.radius_s);
    } else {
        size += (size_t)snprintf(out + size, room - size, "\"type\":\"range\",\"radius_m\":%.17g},",
                                 q->request.radius_m);
    }
    size += (size_t)snprintf(out + size, room - size, "\"position\":{");
    if (!isnan(q->heading_deg)) {
        size += (size_t)snprintf(out + size, room - size, "\"heading_deg\":%.17g,", q->heading_deg);
    }
    if (q->is_on_edge) {
        return size + (size_t)snprintf(out + size, room - size, "\"edge\":%u,\"offset_m\":%.17g}}",
                                       q->edge, q->offset_m);
    }
    return size + (size_t)snprintf(out + size, room - size, "\"%s\":%.17g,\"%s\":%.17g}}",
                                   is_geographic ? "lon" : "x", q->x, is_geographic ? "lat" : "y",
                                   q->y);
}

static void check_same(const sc_query_body *a, const sc_query_body *b)
{
    DOOR_PROMISE(a->is_on_edge == b->is_on_edge, "a place stays of its kind");
    DOOR_PROMISE(a->is_on_edge ? a->edge == b->edge && a->offset_m == b->offset_m
                               : a->x == b->x && a->y == b->y,
                 "a place stays where it is");
    DOOR_PROMISE(a->heading_deg == b->heading_deg ||
                     (isnan(a->heading_deg) && isnan(b->heading_deg)),
                 "a heading stays");
    DOOR_PROMISE(a->profile.k == b->profile.k && a->profile.l == b->profile.l &&
                     a->profile.max_hops == b->profile.max_hops &&
                     a->profile.max_wait_us == b->profile.max_wait_us,
                 "a profile stays");
    DOOR_PROMISE(sc_request_equal(&a->request, &b->request), "a request stays");
}

static sc_policy default_policy(void)
{
    sc_settings *settings = NULL;
    DOOR_PROMISE(!sc_settings_new(&settings), "settings have defaults");
    const sc_policy policy = sc_settings_policy(settings);
    sc_settings_free(settings);
    return policy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > DOOR_MAX_SIZE) return 0;
    const bool is_geographic = data[0] != 'p';
    const sc_policy terms = default_policy();
    char *body = (char *)door_copy(data + 1, size - 1);
    sc_query_body question;
    sc_problem problem = {.detail = ""};
    if (!sc_query_body_read(body, size - 1, &(sc_query_format){&terms, &vocabulary, is_geographic},
                            &question, &problem)) {
        door_check_problem(&problem);
    } else {
        check_policy(&question, &terms, is_geographic);
        json_t *json =
            json_loadb(body, size - 1, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
        DOOR_PROMISE(json, "what is accepted is JSON");
        json_decref(json);
        char text[4096];
        const size_t text_size = write_again(&question, is_geographic, text, sizeof text);
        sc_query_body again;
        DOOR_PROMISE(sc_query_body_read(text, text_size,
                                        &(sc_query_format){&terms, &vocabulary, is_geographic},
                                        &again, &problem),
                     "what is accepted is accepted in other words");
        check_same(&question, &again);
    }
    free(body);
    return 0;
}
