// A traveller's words: what is accepted, with which meaning; for any body, however spoilt, as a
// plain reading of jansson's tree has it.
#include "api/query_json.h"

#include "support/default_policy.h"
#include "support/spoilt_text.h"

#include <jansson.h>
#include <math.h>

static const char *const words[] = {"hospital", "caf\xc3\xa9", "school"};
static const sc_vocabulary vocabulary = {words, 3};

static sc_policy policy(void)
{
    sc_policy terms = default_policy();
    terms.most = (sc_profile){
        .k = 50, .l = 10000, .max_hops = 16, .max_wait_us = sc_time_from_seconds(3600)};
    terms.requests.max_radius_m = 3000.0;
    terms.requests.max_radius_s = 600.0;
    return terms;
}

static bool ask(const char *body, bool is_geographic, sc_query_body *question, sc_problem *problem)
{
    const sc_policy terms = policy();
    return sc_query_body_read(body, strlen(body),
                              &(sc_query_format){&terms, &vocabulary, is_geographic}, question,
                              problem);
}

// --- What is accepted ----------------------------------------------------------------------------

static void test_a_question_of_few_words_gets_the_operators_profile(void **state)
{
    (void)state;
    sc_query_body q;
    sc_problem problem = {.detail = ""};
    assert_true(ask("{\"request\":{\"type\":\"knn\",\"k\":3},"
                    "\"position\":{\"lat\":33.75,\"lon\":-84.39}}",
                    true, &q, &problem));
    assert_false(q.is_on_edge);
    CHECK_SAME(q.x, -84.39);
    CHECK_SAME(q.y, 33.75);
    assert_int_equal(q.profile.k, 5);
    assert_int_equal(q.profile.l, 3);
    assert_int_equal(q.profile.max_hops, 4);
    assert_int_equal(q.profile.max_wait_us, 10000000);
    assert_int_equal(q.request.type, SC_REQUEST_KNN);
    assert_int_equal(q.request.k, 3);
    assert_int_equal(q.request.category_count, 0);
}

static void test_a_question_of_many_words_gets_what_it_says(void **state)
{
    (void)state;
    sc_query_body q;
    sc_problem problem = {.detail = ""};
    assert_true(ask(" {\"position\" : {\"edge\":7,\"offset_m\":12.5},"
                    "\"profile\":{\"k\":9,\"l\":12,\"max_hops\":6.0,\"max_wait_s\":2.5},"
                    "\"request\":{\"type\":\"range\",\"radius_m\":5e2,"
                    "\"categories\":[\"school\",\"caf\\u00e9\",\"school\"]}}\n",
                    false, &q, &problem));
    assert_true(q.is_on_edge);
    assert_int_equal(q.edge, 7);
    CHECK_SAME(q.offset_m, 12.5);
    assert_int_equal(q.profile.k, 9);
    assert_int_equal(q.profile.l, 12);
    assert_int_equal(q.profile.max_hops, 6);
    assert_int_equal(q.profile.max_wait_us, 2500000);
    assert_int_equal(q.request.type, SC_REQUEST_RANGE);
    CHECK_SAME(q.request.radius_m, 500.0);
    // In normal form: ascending, each once.
    assert_int_equal(q.request.category_count, 2);
    assert_int_equal(q.request.categories[0], 1);
    assert_int_equal(q.request.categories[1], 2);
}

static void test_a_plane_has_x_and_y(void **state)
{
    (void)state;
    sc_query_body q;
    sc_problem problem = {.detail = ""};
    assert_true(ask("{\"position\":{\"x\":-1e6,\"y\":250},\"profile\":{},"
                    "\"request\":{\"type\":\"knn\",\"k\":1,\"categories\":null}}",
                    false, &q, &problem));
    CHECK_SAME(q.x, -1e6);
    CHECK_SAME(q.y, 250.0);
    assert_int_equal(q.request.category_count, 0);
}

// --- What is refused -----------------------------------------------------------------------------

typedef struct refusal {
    const char *body;
    sc_problem_kind kind;
    const char *field;  ///< NULL: none
    const char *detail;
} refusal;

// Short forms, so that a line shows what is special in it.
#define AT "{\"position\":{\"lon\":8,\"lat\":49},"
#define KNN "\"request\":{\"type\":\"knn\",\"k\":5}"
#define GOOD AT KNN "}"

static const refusal refusals[] = {
    {"", SC_PROBLEM_BODY, NULL, "byte 0: a value is expected"},
    {"[]", SC_PROBLEM_BODY, NULL, "it must be an object"},
    {"null", SC_PROBLEM_BODY, NULL, "it must be an object"},
    {"{", SC_PROBLEM_BODY, NULL, "byte 1: a string is expected"},
    {GOOD "x", SC_PROBLEM_BODY, NULL, "nothing more is expected"},
    {AT "\"profile\":,", SC_PROBLEM_BODY, NULL, "a value is expected"},
    {"{\"where\":1}", SC_PROBLEM_BODY, NULL,
     "unknown member 'where'; allowed are position, profile, request, zone and wait"},
    {"{}", SC_PROBLEM_BODY, "/position", "the member is missing"},
    {"{" KNN "}", SC_PROBLEM_BODY, "/position", "the member is missing"},
    {"{\"position\":{\"lon\":8,\"lat\":49}}", SC_PROBLEM_BODY, "/request", "the member is missing"},
    {"{\"position\":[8,49]," KNN "}", SC_PROBLEM_BODY, "/position", "it must be an object"},
    {"{\"position\":{\"lon\":\"8\",\"lat\":49}," KNN "}", SC_PROBLEM_BODY, "/position/lon",
     "it must be a number"},
    {"{\"position\":{\"lon\":8,\"lon\":8}", SC_PROBLEM_BODY, "/position/lon", "repeated"},
    {"{\"position\":{\"lon\":8,\"l\\u006fn\":8}", SC_PROBLEM_BODY, "/position/lon", "repeated"},
    {"{\"position\":{\"lon\":8,\"alt\":8}", SC_PROBLEM_BODY, "/position",
     "unknown member 'alt'; allowed are lon and lat, or x and y, or edge and offset_m"},
    {"{\"position\":{\"lon\":8,\"lat\":49,\"\\u001b[2J\":1}", SC_PROBLEM_BODY, "/position",
     "unknown member '\\u001b[2J'"},
    {"{\"position\":{\"lon\":180.0001,\"lat\":49}," KNN "}", SC_PROBLEM_POSITION, "/position/lon",
     "it must be -180 to 180 degrees"},
    {"{\"position\":{\"lon\":8,\"lat\":-90.5}," KNN "}", SC_PROBLEM_POSITION, "/position/lat",
     "it must be -90 to 90 degrees"},
    {"{\"position\":{\"lon\":1e999,\"lat\":49}," KNN "}", SC_PROBLEM_BODY, NULL,
     "the number is too large or too long"},
    {"{\"position\":{\"lon\":8}," KNN "}", SC_PROBLEM_POSITION, "/position",
     "this map needs lon and lat, or edge and offset_m"},
    {"{\"position\":{\"x\":8,\"y\":9}," KNN "}", SC_PROBLEM_POSITION, "/position",
     "this map needs lon and lat"},
    {"{\"position\":{\"lon\":8,\"lat\":9,\"edge\":1,\"offset_m\":2}," KNN "}", SC_PROBLEM_POSITION,
     "/position", "this map needs"},
    {"{\"position\":{}," KNN "}", SC_PROBLEM_POSITION, "/position", "this map needs"},
    {"{\"position\":{\"edge\":-1,\"offset_m\":2}," KNN "}", SC_PROBLEM_POSITION, "/position/edge",
     "it must be a whole number, 0 to 4294967295"},
    {AT "\"profile\":null," KNN "}", SC_PROBLEM_BODY, "/profile", "it must be an object"},
    {AT "\"profile\":{\"k\":1}," KNN "}", SC_PROBLEM_PROFILE, "/profile/k",
     "k is 1; this service accepts 2 to 50"},
    {AT "\"profile\":{\"k\":51}," KNN "}", SC_PROBLEM_PROFILE, "/profile/k",
     "k is 51; this service accepts 2 to 50"},
    {AT "\"profile\":{\"k\":2.5}," KNN "}", SC_PROBLEM_PROFILE, "/profile/k",
     "it must be a whole number"},
    {AT "\"profile\":{\"k\":4294967298}," KNN "}", SC_PROBLEM_PROFILE, "/profile/k",
     "it must be a whole number"},
    {AT "\"profile\":{\"k\":true}," KNN "}", SC_PROBLEM_BODY, "/profile/k", "it must be a number"},
    {AT "\"profile\":{\"l\":0}," KNN "}", SC_PROBLEM_PROFILE, "/profile/l",
     "l is 0; this service accepts 1 to 10000"},
    {AT "\"profile\":{\"max_hops\":17}," KNN "}", SC_PROBLEM_PROFILE, "/profile/max_hops",
     "max_hops is 17; this service accepts 1 to 16"},
    {AT "\"profile\":{\"max_wait_s\":0.5}," KNN "}", SC_PROBLEM_PROFILE, "/profile/max_wait_s",
     "max_wait_s is 0.5; this service accepts 1 to 3600"},
    {AT "\"profile\":{\"max_wait_s\":1e300}," KNN "}", SC_PROBLEM_PROFILE, "/profile/max_wait_s",
     "max_wait_s is 1e+300"},
    {AT "\"profile\":{\"wait\":5}," KNN "}", SC_PROBLEM_BODY, "/profile",
     "unknown member 'wait'; allowed are k, l, max_hops and max_wait_s"},
    {AT "\"request\":{\"k\":5}}", SC_PROBLEM_BODY, "/request/type", "the member is missing"},
    {AT "\"request\":{\"type\":\"near\",\"k\":5}}", SC_PROBLEM_REQUEST, "/request/type",
     "the type must be \"knn\" or \"range\""},
    {AT "\"request\":{\"type\":5}}", SC_PROBLEM_BODY, "/request/type", "it must be a string"},
    {AT "\"request\":{\"type\":\"knn\"}}", SC_PROBLEM_BODY, "/request/k", "the member is missing"},
    {AT "\"request\":{\"type\":\"range\",\"k\":5}}", SC_PROBLEM_BODY, "/request/radius_m",
     "the member is missing"},
    {AT "\"request\":{\"type\":\"knn\",\"k\":5,\"radius_m\":5}}", SC_PROBLEM_REQUEST,
     "/request/radius_m", "a request of this type must not have this member"},
    {AT "\"request\":{\"k\":5,\"radius_m\":5,\"type\":\"range\"}}", SC_PROBLEM_REQUEST,
     "/request/k", "a request of this type must not have this member"},
    {AT "\"request\":{\"type\":\"knn\",\"k\":0}}", SC_PROBLEM_REQUEST, "/request/k",
     "k is 0; ask for 1 to 100 objects"},
    {AT "\"request\":{\"type\":\"knn\",\"k\":101}}", SC_PROBLEM_REQUEST, "/request/k",
     "k is 101; ask for 1 to 100 objects"},
    {AT "\"request\":{\"type\":\"range\",\"radius_m\":3001}}", SC_PROBLEM_REQUEST,
     "/request/radius_m", "the radius is 3001 m; ask for 0 to 3000 m"},
    {AT "\"request\":{\"type\":\"range\",\"radius_m\":-1}}", SC_PROBLEM_REQUEST,
     "/request/radius_m", "the radius is -1 m"},
    {AT "\"request\":{\"type\":\"knn\",\"k\":1,\"categories\":[\"bar\"]}}", SC_PROBLEM_REQUEST,
     "/request/categories", "unknown category 'bar'; /v1/categories lists all of them"},
    {AT "\"request\":{\"type\":\"knn\",\"k\":1,\"categories\":\"school\"}}", SC_PROBLEM_BODY,
     "/request/categories", "it must be an array of strings"},
    {AT "\"request\":{\"type\":\"knn\",\"k\":1,\"categories\":[1]}}", SC_PROBLEM_BODY,
     "/request/categories", "it must be an array of strings"},
    {AT "\"request\":{\"type\":\"knn\",\"k\":1,\"categories\":true}}", SC_PROBLEM_BODY,
     "/request/categories", "it must be an array of strings, or null"},
    {AT "\"request\":{\"type\":\"knn\",\"k\":1,\"categories\":[\"school\"", SC_PROBLEM_BODY, NULL,
     "a comma or a ] is expected"},
    {AT "\"request\":{\"type\":\"knn\",\"k\":1,\"limit\":5}}", SC_PROBLEM_BODY, "/request",
     "unknown member 'limit'; allowed are type, metric, k, radius_m, radius_s and categories"},

    {AT "\"request\":{\"type\":\"knn\",\"k\":5,\"metric\":\"hops\"}}", SC_PROBLEM_REQUEST,
     "/request/metric", "the metric must be \"time\" or \"distance\""},
    {AT "\"request\":{\"type\":\"knn\",\"k\":5,\"metric\":1}}", SC_PROBLEM_BODY, "/request/metric",
     "it must be a string"},
    {AT "\"request\":{\"type\":\"knn\",\"k\":5,\"radius_s\":5}}", SC_PROBLEM_REQUEST,
     "/request/radius_s", "a request of this type must not have this member"},
    {AT "\"request\":{\"type\":\"range\"}}", SC_PROBLEM_BODY, "/request/radius_m",
     "give radius_m, or radius_s"},
    {AT "\"request\":{\"type\":\"range\",\"radius_m\":5,\"radius_s\":5}}", SC_PROBLEM_REQUEST,
     "/request/radius_s", "not both"},
    {AT "\"request\":{\"type\":\"range\",\"radius_m\":5,\"metric\":\"time\"}}", SC_PROBLEM_REQUEST,
     "/request/metric", "give radius_s in place of radius_m, or leave the metric out"},
    {AT "\"request\":{\"type\":\"range\",\"radius_s\":5,\"metric\":\"distance\"}}",
     SC_PROBLEM_REQUEST, "/request/metric",
     "give radius_m in place of radius_s, or leave the metric out"},
    {AT "\"request\":{\"type\":\"range\",\"radius_s\":601}}", SC_PROBLEM_REQUEST,
     "/request/radius_s", "the radius is 601 s; ask for 0 to 600 s"},
    {"{\"position\":{\"lon\":8,\"lat\":49,\"heading_deg\":360.5}," KNN "}", SC_PROBLEM_POSITION,
     "/position/heading_deg", "it must be 0 to 360 degrees, clockwise from north"},
    {"{\"position\":{\"lon\":8,\"lat\":49,\"heading_deg\":-1}," KNN "}", SC_PROBLEM_POSITION,
     "/position/heading_deg", "it must be 0 to 360 degrees"},
    {"{\"position\":{\"heading_deg\":90}," KNN "}", SC_PROBLEM_POSITION, "/position",
     "this map needs lon and lat"},
};

static void test_a_refusal_names_the_field_and_says_what_to_do(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const refusal *wanted = &refusals[i];
        sc_query_body q;
        sc_problem problem = {.detail = ""};
        if (ask(wanted->body, true, &q, &problem)) fail_msg("accepted: %s", wanted->body);
        CHECK_CONTAINS(problem.detail, wanted->detail);
        if (problem.kind != wanted->kind || !problem.field != !wanted->field) {
            fail_msg("%s: kind %d, field %s", wanted->body, (int)problem.kind, problem.field);
        }
        if (wanted->field) assert_string_equal(problem.field, wanted->field);
        // Nothing of it stays.
        const sc_query_body blank = {.is_on_edge = false};
        assert_memory_equal(&q.x, &blank.x, sizeof q.x);
        assert_memory_equal(&q.offset_m, &blank.offset_m, sizeof q.offset_m);
    }
}

static void test_sixteen_categories_are_enough(void **state)
{
    (void)state;
    spoilt_text body =
        text_of(AT "\"request\":{\"type\":\"knn\",\"k\":1,\"categories\":[\"school\"]}}");
    const size_t end = body.size - strlen("]}}");
    sc_query_body q;
    sc_problem problem = {.detail = ""};
    for (int i = 1; i <= 17; i++) {
        body.bytes[body.size] = '\0';
        assert_int_equal(ask(body.bytes, true, &q, &problem), i <= SC_REQUEST_CATEGORIES);
        exchange(&body, end, 0, ",\"school\"", strlen(",\"school\""));
    }
    CHECK_CONTAINS(problem.detail, "at most 16 categories are allowed");
}

static void test_no_refusal_repeats_a_position(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "{\"position\":{\"lon\":777.125,\"lat\":49}," KNN "}",
        "{\"position\":{\"lon\":8,\"lat\":777.125}," KNN "}",
        "{\"position\":{\"lon\":777.125e300,\"lat\":1}," KNN "}",
        "{\"position\":{\"x\":777.125,\"y\":777.125}," KNN "}",
        "{\"position\":{\"edge\":777.125,\"offset_m\":1}," KNN "}",
        "{\"position\":{\"edge\":777.125e9,\"offset_m\":777.125}," KNN "}",
        "{\"position\":777.125," KNN "}",
        "{\"position\":{\"lon\":8,\"lat\":777.125x}," KNN "}",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        sc_query_body q;
        sc_problem problem = {.detail = ""};
        assert_false(ask(bodies[i], true, &q, &problem));
        if (strstr(problem.detail, "777")) fail_msg("%s", problem.detail);
    }
}

// --- Beside a plain reading ----------------------------------------------------------------------

static bool plain_number(json_t *object, const char *name, double *out)
{
    json_t *value = json_object_get(object, name);
    if (json_is_real(value)) *out = json_real_value(value);
    return json_is_real(value);
}

// A whole number within bounds, or missing.
static bool plain_need(json_t *object, const char *name, double least, double most, uint32_t *out)
{
    double value = 0.0;
    if (!json_object_get(object, name)) return true;
    if (!plain_number(object, name, &value) || value < least || value > most) return false;
    *out = (uint32_t)value;
    return value == (double)*out;
}

static bool only_has(json_t *object, const char *names)
{
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(object, key, value)
    {
        char word[64];
        if (strlen(key) > 40) return false;
        snprintf(word, sizeof word, " %s ", key);
        if (key[0] == '\0' || strchr(key, ' ') || !strstr(names, word)) return false;
    }
    return json_is_object(object);
}

static bool plain_position(json_t *position, bool is_geographic, sc_query_body *out)
{
    double edge = 0.0;
    json_t *heading = json_object_get(position, "heading_deg");
    out->heading_deg = NOT_A_NUMBER;
    if (json_object_size(position) != (heading ? 3 : 2)) return false;
    if (heading && (!plain_number(position, "heading_deg", &out->heading_deg) ||
                    out->heading_deg < 0.0 || out->heading_deg > 360.0)) {
        return false;
    }
    if (json_object_get(position, "edge")) {
        out->is_on_edge = true;
        if (!plain_number(position, "edge", &edge) || edge < 0 || edge > UINT32_MAX) return false;
        out->edge = (uint32_t)edge;
        return edge == floor(edge) && plain_number(position, "offset_m", &out->offset_m);
    }
    if (!plain_number(position, is_geographic ? "lon" : "x", &out->x)) return false;
    if (!plain_number(position, is_geographic ? "lat" : "y", &out->y)) return false;
    return !is_geographic || (fabs(out->x) <= 180.0 && fabs(out->y) <= 90.0);
}

static bool plain_profile(json_t *profile, const sc_policy *terms, sc_profile *out)
{
    double wait_s = (double)terms->standard.max_wait_us / 1e6;
    *out = terms->standard;
    if (!profile) return true;
    if (!only_has(profile, " k l max_hops max_wait_s ")) return false;
    if (json_object_get(profile, "max_wait_s") && !plain_number(profile, "max_wait_s", &wait_s)) {
        return false;
    }
    if (wait_s < 1.0 || wait_s > 3600.0) return false;
    out->max_wait_us = sc_time_from_seconds(wait_s);
    return plain_need(profile, "k", terms->least.k, terms->most.k, &out->k) &&
           plain_need(profile, "l", terms->least.l, terms->most.l, &out->l) &&
           plain_need(profile, "max_hops", terms->least.max_hops, terms->most.max_hops,
                      &out->max_hops);
}

static bool plain_categories(json_t *categories, sc_request *out)
{
    if (!categories || json_is_null(categories)) return true;
    if (!json_is_array(categories) || json_array_size(categories) > 16) return false;
    for (size_t i = 0; i < json_array_size(categories); i++) {
        const char *word = json_string_value(json_array_get(categories, i));
        const sc_category_id found = word ? sc_vocabulary_find(&vocabulary, word) : SC_NONE;
        if (found == SC_NONE) return false;
        out->categories[out->category_count++] = found;
    }
    return true;
}

static bool plain_request(json_t *request, const sc_policy *terms, sc_request *out)
{
    const char *type = json_string_value(json_object_get(request, "type"));
    json_t *metric = json_object_get(request, "metric");
    const bool has_seconds = json_object_get(request, "radius_s") != NULL;
    sc_request asked = {.metric = SC_METRIC_TIME};
    if (metric) {
        if (!json_is_string(metric)) return false;
        asked.metric = sc_metric_find(json_string_value(metric));
        if (asked.metric == SC_METRIC_COUNT) return false;
    }
    if (!type || !plain_categories(json_object_get(request, "categories"), &asked)) return false;
    if (strcmp(type, "knn") == 0) {
        if (!only_has(request, " type metric k categories ")) return false;
        if (!json_object_get(request, "k")) return false;
        if (!plain_need(request, "k", 1, terms->requests.max_k, &asked.k)) return false;
    } else {
        asked.type = SC_REQUEST_RANGE;
        if (strcmp(type, "range") != 0) return false;
        if (!only_has(request, has_seconds ? " type metric radius_s categories "
                                           : " type metric radius_m categories ")) {
            return false;
        }
        const sc_metric own = has_seconds ? SC_METRIC_TIME : SC_METRIC_DISTANCE;
        if (metric && asked.metric != own) return false;
        asked.metric = own;
        double radius = 0.0;
        const double most =
            has_seconds ? terms->requests.max_radius_s : terms->requests.max_radius_m;
        if (!plain_number(request, has_seconds ? "radius_s" : "radius_m", &radius)) return false;
        if (radius < 0.0 || radius > most) return false;
        *(has_seconds ? &asked.radius_s : &asked.radius_m) = radius;
    }
    *out = sc_request_normalise(&asked);
    return true;
}

static bool plain_question(const char *body, size_t size, const sc_policy *terms,
                           bool is_geographic, sc_query_body *out)
{
    json_t *root = json_loadb(body, size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
    *out = (sc_query_body){.edge = SC_NONE};
    const bool is_good = root && only_has(root, " position profile request ") &&
                         plain_position(json_object_get(root, "position"), is_geographic, out) &&
                         plain_profile(json_object_get(root, "profile"), terms, &out->profile) &&
                         plain_request(json_object_get(root, "request"), terms, &out->request);
    json_decref(root);
    return is_good;
}

static void check_same(const sc_query_body *a, const sc_query_body *b)
{
    assert_int_equal(a->is_on_edge, b->is_on_edge);
    CHECK_SAME(a->x, b->x);
    CHECK_SAME(a->y, b->y);
    assert_int_equal(a->edge, b->edge);
    CHECK_SAME(a->offset_m, b->offset_m);
    assert_true(a->heading_deg == b->heading_deg ||
                (isnan(a->heading_deg) && isnan(b->heading_deg)));
    assert_int_equal(a->profile.k, b->profile.k);
    assert_int_equal(a->profile.l, b->profile.l);
    assert_int_equal(a->profile.max_hops, b->profile.max_hops);
    assert_int_equal(a->profile.max_wait_us, b->profile.max_wait_us);
    assert_true(sc_request_equal(&a->request, &b->request));
}

static void test_spoilt_bodies_mean_what_a_plain_reading_finds(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        AT "\"profile\":{\"k\":5,\"l\":3,\"max_hops\":4,\"max_wait_s\":10}," KNN "}",
        "{\"request\":{\"categories\":[\"hospital\",\"caf\xc3\xa9\"],\"radius_m\":500,"
        "\"type\":\"range\"},\"position\":{\"edge\":12,\"offset_m\":3.25}}",
        "{\"request\":{\"metric\":\"time\",\"radius_s\":500,"
        "\"type\":\"range\"},\"position\":{\"x\":12,\"heading_deg\":90,\"y\":3.25}}",
        AT "\"request\":{\"type\":\"knn\",\"metric\":\"distance\",\"k\":5}}",
        "{\"position\":{\"x\":12.5,\"y\":-3e2},\"profile\":{\"k\":12}, "
        "\"request\":{\"type\":\"knn\",\"k\":1,\"categories\":null}}",
    };
    enum { COUNT = sizeof bodies / sizeof bodies[0] };
    const sc_policy terms = policy();
    unsigned accepted = 0;
    unsigned refused = 0;
    for (uint64_t seed = 0; seed < 30000; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        spoilt_text text = text_of(bodies[seed % COUNT]);
        const uint32_t times = sc_rng_below(&rng, 3);
        for (uint32_t i = 0; i < times; i++) {
            spoil_once(&text, &rng);
        }
        const bool is_geographic = strncmp(bodies[seed % COUNT], AT, strlen(AT)) == 0;
        char *copy = test_take(text.size + 1, 1);
        memcpy(copy + 1, text.bytes, text.size);
        sc_query_body got;
        sc_query_body wanted;
        sc_problem problem = {.detail = ""};
        const bool is_good = sc_query_body_read(
            copy + 1, text.size, &(sc_query_format){&terms, &vocabulary, is_geographic}, &got,
            &problem);
        assert_int_equal(is_good,
                         plain_question(copy + 1, text.size, &terms, is_geographic, &wanted));
        if (is_good) {
            check_same(&got, &wanted);
            accepted++;
        } else {
            assert_true(problem.detail[0] != '\0');
            refused++;
        }
        free(copy);
    }
    check_case_done();
    assert_true(accepted > 5000);
    assert_true(refused > 5000);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_question_of_few_words_gets_the_operators_profile),
    cmocka_unit_test(test_a_question_of_many_words_gets_what_it_says),
    cmocka_unit_test(test_a_plane_has_x_and_y),
    cmocka_unit_test(test_a_refusal_names_the_field_and_says_what_to_do),
    cmocka_unit_test(test_sixteen_categories_are_enough),
    cmocka_unit_test(test_no_refusal_repeats_a_position),
    SC_CASES(test_spoilt_bodies_mean_what_a_plain_reading_finds),
};
SC_SUITE(tests)
