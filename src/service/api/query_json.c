// The JSON of queries.
//
// Each of the three objects of a query has a table of its members and a function that reads one of
// them. The body is read in place, without allocating, and what was read of a refused one is wiped.
//
// No message repeats a position. Numbers of profiles and requests are quoted: the client sent them,
// and they show what to change.
#include "api/query_json.h"

#include "api/json_request.h"
#include "base/diag.h"

#include <math.h>
#include <string.h>

/** A body that is being read. */
typedef struct reading {
    sc_json_reader in;
    const sc_query_format *format;
    sc_query_body *out;
} reading;

#define COUNT_OF(array) (unsigned)(sizeof(array) / sizeof(array)[0])

// --- Where ---------------------------------------------------------------------------------------

enum { LON, LAT, X, Y, EDGE, OFFSET_M, HEADING_DEG };

static const sc_json_field members_of_position[] = {
    [LON] = {"lon", "/position/lon"},
    [LAT] = {"lat", "/position/lat"},
    [X] = {"x", "/position/x"},
    [Y] = {"y", "/position/y"},
    [EDGE] = {"edge", "/position/edge"},
    [OFFSET_M] = {"offset_m", "/position/offset_m"},
    [HEADING_DEG] = {"heading_deg", "/position/heading_deg"},
};

static bool read_degrees(reading *r, unsigned which, double farthest, double *out)
{
    const char *field = members_of_position[which].pointer;
    if (!sc_json_read_number(&r->in, field, out)) return false;
    if (fabs(*out) <= farthest) return true;
    return sc_problem_set(r->in.problem, SC_PROBLEM_POSITION, field, "it must be %g to %g degrees",
                          -farthest, farthest);
}

static bool read_heading(reading *r)
{
    const char *field = members_of_position[HEADING_DEG].pointer;
    double *out = &r->out->heading_deg;
    if (!sc_json_read_number(&r->in, field, out)) return false;
    if (*out >= 0.0 && *out <= 360.0) return true;
    return sc_problem_set(r->in.problem, SC_PROBLEM_POSITION, field,
                          "it must be 0 to 360 degrees, clockwise from north");
}

static bool read_position_member(void *context, unsigned which)
{
    reading *r = context;
    const char *field = members_of_position[which].pointer;
    switch (which) {
    case LON:
        return read_degrees(r, which, 180.0, &r->out->x);
    case LAT:
        return read_degrees(r, which, 90.0, &r->out->y);
    case X:
        return sc_json_read_number(&r->in, field, &r->out->x);
    case Y:
        return sc_json_read_number(&r->in, field, &r->out->y);
    case EDGE:
        return sc_json_read_whole(&r->in, SC_PROBLEM_POSITION, field, &r->out->edge);
    case HEADING_DEG:
        return read_heading(r);
    default:
        return sc_json_read_number(&r->in, field, &r->out->offset_m);
    }
}

static const sc_json_shape of_position = {
    .pointer = "/position",
    .words = "lon and lat, or x and y, or edge and offset_m; and heading_deg",
    .fields = members_of_position,
    .count = COUNT_OF(members_of_position),
    .read = read_position_member,
};

static bool read_position(reading *r)
{
    enum { DEGREES = 1u << LON | 1u << LAT, PLANE = 1u << X | 1u << Y };
    enum { ON_EDGE = 1u << EDGE | 1u << OFFSET_M };
    unsigned seen = 0;
    if (!sc_json_read_object(&r->in, &of_position, r, &seen)) return false;
    seen &= ~(1u << HEADING_DEG);
    r->out->is_on_edge = seen == ON_EDGE;
    if (r->out->is_on_edge || seen == (r->format->is_geographic ? DEGREES : PLANE)) return true;
    return sc_problem_set(r->in.problem, SC_PROBLEM_POSITION, of_position.pointer,
                          "this map needs %s, or edge and offset_m",
                          r->format->is_geographic ? "lon and lat" : "x and y");
}

// --- How private ---------------------------------------------------------------------------------

enum { K, L, MAX_HOPS, MAX_WAIT_S };

static const sc_json_field members_of_profile[] = {
    [K] = {"k", "/profile/k"},
    [L] = {"l", "/profile/l"},
    [MAX_HOPS] = {"max_hops", "/profile/max_hops"},
    [MAX_WAIT_S] = {"max_wait_s", "/profile/max_wait_s"},
};

static bool read_need(reading *r, unsigned which, uint32_t least, uint32_t most, uint32_t *out)
{
    const sc_json_field *need = &members_of_profile[which];
    if (!sc_json_read_whole(&r->in, SC_PROBLEM_PROFILE, need->pointer, out)) return false;
    if (*out >= least && *out <= most) return true;
    return sc_problem_set(r->in.problem, SC_PROBLEM_PROFILE, need->pointer,
                          "%s is %u; this service accepts %u to %u", need->name, *out, least, most);
}

static bool read_wait(reading *r, sc_time least, sc_time most, sc_time *out)
{
    const char *field = members_of_profile[MAX_WAIT_S].pointer;
    double seconds = 0.0;
    if (!sc_json_read_number(&r->in, field, &seconds)) return false;
    // In this order: only what is no longer than the most is sure to fit an sc_time.
    const double least_s = (double)least / 1e6;
    const double most_s = (double)most / 1e6;
    if (seconds >= least_s && seconds <= most_s) {
        *out = sc_time_from_seconds(seconds);
        return true;
    }
    return sc_problem_set(r->in.problem, SC_PROBLEM_PROFILE, field,
                          "max_wait_s is %.9g; this service accepts %.9g to %.9g", seconds, least_s,
                          most_s);
}

static bool read_profile_member(void *context, unsigned which)
{
    reading *r = context;
    const sc_profile *least = &r->format->policy->least;
    const sc_profile *most = &r->format->policy->most;
    sc_profile *out = &r->out->profile;
    switch (which) {
    case K:
        return read_need(r, which, least->k, most->k, &out->k);
    case L:
        return read_need(r, which, least->l, most->l, &out->l);
    case MAX_HOPS:
        return read_need(r, which, least->max_hops, most->max_hops, &out->max_hops);
    default:
        return read_wait(r, least->max_wait_us, most->max_wait_us, &out->max_wait_us);
    }
}

static const sc_json_shape of_profile = {
    .pointer = "/profile",
    .words = "k, l, max_hops and max_wait_s",
    .fields = members_of_profile,
    .count = COUNT_OF(members_of_profile),
    .read = read_profile_member,
};

// --- What ----------------------------------------------------------------------------------------

enum { TYPE, METRIC, NEAREST, RADIUS_M, RADIUS_S, CATEGORIES };

static const sc_json_field members_of_request[] = {
    [TYPE] = {"type", "/request/type"},
    [METRIC] = {"metric", "/request/metric"},
    [NEAREST] = {"k", "/request/k"},
    [RADIUS_M] = {"radius_m", "/request/radius_m"},
    [RADIUS_S] = {"radius_s", "/request/radius_s"},
    [CATEGORIES] = {"categories", "/request/categories"},
};

static bool read_type(reading *r)
{
    const char *field = members_of_request[TYPE].pointer;
    sc_json_raw word;
    if (!sc_json_read_string(&r->in, field, "a string", &word)) return false;
    if (sc_json_string_is(word, "knn")) {
        r->out->request.type = SC_REQUEST_KNN;
    } else if (sc_json_string_is(word, "range")) {
        r->out->request.type = SC_REQUEST_RANGE;
    } else {
        return sc_problem_set(r->in.problem, SC_PROBLEM_REQUEST, field,
                              "the type must be \"knn\" or \"range\"");
    }
    return true;
}

static bool read_metric(reading *r)
{
    const char *field = members_of_request[METRIC].pointer;
    sc_json_raw word;
    if (!sc_json_read_string(&r->in, field, "a string", &word)) return false;
    for (unsigned metric = 0; metric < SC_METRIC_COUNT; metric++) {
        if (!sc_json_string_is(word, sc_metric_name(metric))) continue;
        r->out->request.metric = (sc_metric)metric;
        return true;
    }
    return sc_problem_set(r->in.problem, SC_PROBLEM_REQUEST, field,
                          "the metric must be \"time\" or \"distance\"");
}

static bool read_category(reading *r)
{
    const char *field = members_of_request[CATEGORIES].pointer;
    sc_request *request = &r->out->request;
    sc_json_raw word;
    if (!sc_json_read_string(&r->in, field, "an array of strings", &word)) return false;
    if (request->category_count == SC_REQUEST_CATEGORIES) {
        return sc_problem_set(r->in.problem, SC_PROBLEM_REQUEST, field,
                              "at most %d categories are allowed; leave them out for all",
                              (int)SC_REQUEST_CATEGORIES);
    }
    for (uint32_t i = 0; i < r->format->vocabulary->count; i++) {
        if (!sc_json_string_is(word, r->format->vocabulary->names[i])) continue;
        request->categories[request->category_count++] = i;
        return true;
    }
    return sc_problem_set(r->in.problem, SC_PROBLEM_REQUEST, field,
                          "unknown category %s; /v1/categories lists all of them",
                          sc_quote(word.raw.text, word.raw.size).text);
}

static bool read_categories(reading *r)
{
    const char *field = members_of_request[CATEGORIES].pointer;
    switch (sc_json_peek(&r->in.json)) {
    case SC_JSON_WORD:
        // null means all of them; no other word means anything.
        return sc_json_word(&r->in.json, "null") ||
               sc_problem_set(r->in.problem, SC_PROBLEM_BODY, field,
                              "it must be an array of strings, or null");
    case SC_JSON_ARRAY:
        break;
    default:
        return sc_json_refuse_kind(&r->in, field, "an array of strings");
    }
    if (!sc_json_enter(&r->in.json, '[')) return sc_json_refuse_text(&r->in);
    while (sc_json_next_element(&r->in.json)) {
        if (!read_category(r)) return false;
    }
    return !r->in.json.wrong || sc_json_refuse_text(&r->in);
}

static bool read_request_member(void *context, unsigned which)
{
    reading *r = context;
    const char *field = members_of_request[which].pointer;
    switch (which) {
    case TYPE:
        return read_type(r);
    case METRIC:
        return read_metric(r);
    case NEAREST:
        return sc_json_read_whole(&r->in, SC_PROBLEM_REQUEST, field, &r->out->request.k);
    case RADIUS_M:
        return sc_json_read_number(&r->in, field, &r->out->request.radius_m);
    case RADIUS_S:
        return sc_json_read_number(&r->in, field, &r->out->request.radius_s);
    default:
        return read_categories(r);
    }
}

static const sc_json_shape of_request = {
    .pointer = "/request",
    .words = "type, metric, k, radius_m, radius_s and categories",
    .fields = members_of_request,
    .count = COUNT_OF(members_of_request),
    .read = read_request_member,
};

static bool refuse_request(reading *r, unsigned member, const char *why)
{
    return sc_problem_set(r->in.problem, SC_PROBLEM_REQUEST, members_of_request[member].pointer,
                          "%s", why);
}

// Each type has a size of its own, and that of the other would be misunderstood.
static bool check_nearest(reading *r, unsigned seen)
{
    if (!(seen & 1u << NEAREST))
        return sc_json_refuse_missing(&r->in, members_of_request[NEAREST].pointer);
    if (seen & (1u << RADIUS_M | 1u << RADIUS_S)) {
        return refuse_request(r, seen & 1u << RADIUS_M ? RADIUS_M : RADIUS_S,
                              "a request of this type must not have this member");
    }
    return true;
}

// Metres are a distance and seconds a time; a metric that is named as well must agree.
static bool check_range(reading *r, unsigned seen)
{
    const bool has_metres = seen & 1u << RADIUS_M;
    const bool has_seconds = seen & 1u << RADIUS_S;
    const bool has_metric = seen & 1u << METRIC;
    sc_metric *metric = &r->out->request.metric;
    if (!has_metres && !has_seconds) {
        return sc_problem_set(r->in.problem, SC_PROBLEM_BODY, members_of_request[RADIUS_M].pointer,
                              "the member is missing; give radius_m, or radius_s");
    }
    if (has_metres && has_seconds)
        return refuse_request(r, RADIUS_S, "give radius_m or radius_s, not both");
    if (seen & 1u << NEAREST)
        return refuse_request(r, NEAREST, "a request of this type must not have this member");
    if (has_metric && has_metres && *metric != SC_METRIC_DISTANCE) {
        return refuse_request(r, METRIC,
                              "a range in metres is by distance; give radius_s in place of "
                              "radius_m, or leave the metric out");
    }
    if (has_metric && has_seconds && *metric != SC_METRIC_TIME) {
        return refuse_request(r, METRIC,
                              "a range in seconds is by time; give radius_m in place of "
                              "radius_s, or leave the metric out");
    }
    *metric = has_seconds ? SC_METRIC_TIME : SC_METRIC_DISTANCE;
    return true;
}

static bool read_request(reading *r)
{
    sc_request *request = &r->out->request;
    unsigned seen = 0;
    if (!sc_json_read_object(&r->in, &of_request, r, &seen)) return false;
    if (!(seen & 1u << TYPE))
        return sc_json_refuse_missing(&r->in, members_of_request[TYPE].pointer);

    const bool is_nearest = request->type == SC_REQUEST_KNN;
    if (!(is_nearest ? check_nearest(r, seen) : check_range(r, seen))) return false;
    if (request->metric == SC_METRIC_TIME && r->format->policy->has_no_times) {
        return refuse_request(r, is_nearest ? METRIC : RADIUS_S,
                              "the provider of this service knows distances only; ask by distance");
    }
    const unsigned own = is_nearest                          ? NEAREST
                         : request->metric == SC_METRIC_TIME ? RADIUS_S
                                                             : RADIUS_M;
    sc_diag why;
    if (sc_request_check(request, &r->format->policy->requests, r->format->vocabulary->count,
                         &why)) {
        return refuse_request(r, own, why.message);
    }
    *request = sc_request_normalise(request);
    return true;
}

// --- All of it -----------------------------------------------------------------------------------

enum { POSITION, PROFILE, REQUEST, ZONE, WAIT };

static const sc_json_field members_of_body[] = {
    [POSITION] = {"position", "/position"},
    [PROFILE] = {"profile", "/profile"},
    [REQUEST] = {"request", "/request"},
    [ZONE] = {"zone", "/zone"},
    [WAIT] = {"wait", "/wait"},
};

static bool read_zone(reading *r)
{
    sc_json_raw text;
    if (!sc_json_read_string(&r->in, members_of_body[ZONE].pointer, "a string", &text))
        return false;
    // Texts of zones have no letters that need escapes: one that has them is none.
    r->out->zone = text.raw.text;
    r->out->zone_size = text.raw.size;
    return true;
}

static bool read_hold(reading *r)
{
    const char *field = members_of_body[WAIT].pointer;
    const double most_s = r->format->policy->max_poll_s;
    double *out = &r->out->wait_s;
    if (!sc_json_read_number(&r->in, field, out)) return false;
    if (*out >= 0.0 && *out <= most_s) return true;
    return sc_problem_set(r->in.problem, SC_PROBLEM_REQUEST, field, "it must be 0 to %g seconds",
                          most_s);
}

static bool read_body_member(void *context, unsigned which)
{
    reading *r = context;
    unsigned seen = 0;
    switch (which) {
    case POSITION:
        return read_position(r);
    case PROFILE:
        return sc_json_read_object(&r->in, &of_profile, r, &seen);
    case ZONE:
        return read_zone(r);
    case WAIT:
        return read_hold(r);
    default:
        return read_request(r);
    }
}

static const sc_json_shape of_body = {
    .pointer = NULL,
    .words = "position, profile, request, zone and wait",
    .fields = members_of_body,
    .count = COUNT_OF(members_of_body),
    .read = read_body_member,
};

static bool read_body(reading *r)
{
    unsigned seen = 0;
    if (!sc_json_read_object(&r->in, &of_body, r, &seen)) return false;
    if (!sc_json_end(&r->in.json)) return sc_json_refuse_text(&r->in);
    if (!(seen & 1u << POSITION)) return sc_json_refuse_missing(&r->in, of_position.pointer);
    return seen & 1u << REQUEST || sc_json_refuse_missing(&r->in, of_request.pointer);
}

// Where the zone of a traveller is: a position, and nothing else.
static const sc_json_shape of_zone_body = {
    .pointer = NULL,
    .words = "position",
    .fields = members_of_body,
    .count = POSITION + 1,
    .read = read_body_member,
};

bool sc_zone_body_read(const char *body, size_t size, const sc_query_format *format,
                       sc_query_body *out, sc_problem *problem)
{
    *out = (sc_query_body){.edge = SC_NONE};
    reading r = {.in = {.json = sc_json_pull_of(body, size), .problem = problem},
                 .format = format,
                 .out = out};
    unsigned seen = 0;
    if (!sc_json_read_object(&r.in, &of_zone_body, &r, &seen)) return false;
    if (!sc_json_end(&r.in.json)) return sc_json_refuse_text(&r.in);
    return seen & 1u << POSITION || sc_json_refuse_missing(&r.in, of_position.pointer);
}

bool sc_query_body_read(const char *body, size_t size, const sc_query_format *format,
                        sc_query_body *out, sc_problem *problem)
{
    *out = (sc_query_body){.edge = SC_NONE,
                           .heading_deg = (double)NAN,
                           .wait_s = (double)NAN,
                           .profile = format->policy->standard,
                           .request = {.metric = format->policy->metric}};
    reading r = {.in = {.json = sc_json_pull_of(body, size), .problem = problem},
                 .format = format,
                 .out = out};
    const bool is_good = read_body(&r);
    if (!is_good) explicit_bzero(out, sizeof *out);
    return is_good;
}
