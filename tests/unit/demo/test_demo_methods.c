// /demo/methods on a real service: what is told of the methods is consistent, they run only while
// somebody listens, and they follow the engine of the service.
#include <math.h>
#include <pthread.h>

#include "base/clock.h"
#include "demo/demo_internal.h"
#include "scene.h"
#include "support/json_schema.h"
#include "support/openapi.h"

/** Travellers who are not that easily content, and know soon how it ends. */
static void prepare(scene *on)
{
    scene_prepare(on);
    on->options.workload.k = sc_normal_around(4, 1, 1);
    on->options.workload.l = sc_normal_around(4, 1, 1);
    on->options.workload.max_hops = sc_normal_around(2, 1, 1);
    on->options.workload.max_wait_s = sc_normal_around(1, 0.2, 0.1);
}

static const json_t *method_of(const json_t *event, size_t i)
{
    return json_array_get(json_object_get(event, "methods"), i);
}

/** The methods of a hello, with commas. */
static void check_hello(const json_t *hello, const char *wanted)
{
    assert_int_equal(json_object_size(hello), 5);
    assert_int_equal(whole_of(hello, "window_s"), 60);
    assert_int_equal(whole_of(hello, "cloaks_per_s"), SC__METHODS_CLOAKS_PER_S);
    assert_true(number_of(hello, "since_t") <= number_of(hello, "t"));
    char methods[100] = "";
    size_t size = 0;
    for (size_t i = 0; i < json_array_size(json_object_get(hello, "methods")); i++) {
        const int more = snprintf(methods + size, sizeof(methods) - size, "%s%s", i > 0 ? "," : "",
                                  json_string_value(method_of(hello, i)));
        assert_true(more > 0 && (size_t)more < sizeof(methods) - size);
        size += (size_t)more;
    }
    assert_string_equal(methods, wanted);
}

static void await_running(const scene *on, bool is_wanted)
{
    const int64_t until_us = sc_clock_us() + 60000000;
    while (sc__methods_is_running(on->demo->methods) != is_wanted && sc_clock_us() < until_us) {
        usleep(1000);
    }
    assert_int_equal(sc__methods_is_running(on->demo->methods), is_wanted);
}

// --- What is told --------------------------------------------------------------------------------

/** null if there is nothing to take the mean of; else a number from `least` to `most`. */
static void check_mean(const json_t *figures, const char *key, uint64_t count, double least,
                       double most)
{
    const json_t *mean = json_object_get(figures, key);
    if (count == 0) {
        assert_true(json_is_null(mean));
    } else {
        assert_true(json_is_number(mean));
        assert_true(json_number_value(mean) >= least && json_number_value(mean) <= most);
    }
}

static void check_figures(const scene *on, const json_t *figures)
{
    const json_int_t asked = whole_of(figures, "asked");
    const json_int_t cloaked = whole_of(figures, "cloaked");
    const json_int_t cloaks = whole_of(figures, "cloaks");
    const json_int_t attacked = whole_of(figures, "attacked");
    const double segments = sc_map_segment_count(on->live.map);
    assert_int_equal(json_object_size(figures), 14);
    assert_true(cloaked >= 0 && cloaked <= asked);
    assert_int_equal(whole_of(figures, "dropped"), asked - cloaked);
    assert_true(whole_of(figures, "pending") >= 0);
    assert_int_equal(whole_of(figures, "violations"), 0);
    check_mean(figures, "success", (uint64_t)asked, 0.0, 1.0);
    if (asked > 0) {
        CHECK_CLOSE(number_of(figures, "success"), (double)cloaked / (double)asked, 1e-4);
    }
    check_mean(figures, "users", (uint64_t)cloaks, 1.0, SCENE_TRAVELLERS);
    check_mean(figures, "segments", (uint64_t)cloaks, 1.0, segments);
    check_mean(figures, "border_nodes", (uint64_t)cloaks, 0.0, segments);
    check_mean(figures, "wait_s", (uint64_t)cloaks, 0.0, 2.0);
    check_mean(figures, "chance", (uint64_t)attacked, 0.0, 1.0);
}

/** The event is as src/demo/openapi_demo.json says. */
static void check_described(const json_t *document, const char *name, const json_t *event)
{
    const char *schema = strcmp(name, "hello") == 0          ? "MethodsHello"
                         : strcmp(name, "method-cloak") == 0 ? "MethodCloak"
                                                             : "Methods";
    schema_reason why = {""};
    if (json_schema_check(document, openapi_schema(document, schema), event, &why)) {
        fail_msg("%s: %s", schema, why.text);
    }
}

static const char *const names[] = {"basic", "xstar", "expansion"};

/** What was told of one method. */
typedef struct told {
    long long number;    ///< of its last cloak
    unsigned in_second;  ///< cloaks since the last figures
    unsigned cloaks;
} told;

static void take_cloak(const scene *on, const json_t *cloak, told methods[3])
{
    assert_int_equal(json_object_size(cloak), 6);
    size_t i = 0;
    while (i < 2 && strcmp(text_of(cloak, "method"), names[i]) != 0) {
        i++;
    }
    assert_string_equal(text_of(cloak, "method"), names[i]);
    const char *id = text_of(cloak, "id");
    assert_int_equal(strncmp(id, names[i], strlen(names[i])), 0);
    const long long number = strtoll(id + strlen(names[i]) + 1, NULL, 10);
    assert_true(number > methods[i].number);
    methods[i].number = number;
    methods[i].cloaks++;
    methods[i].in_second++;
    assert_true(methods[i].in_second <= SC__METHODS_CLOAKS_PER_S);
    assert_true(whole_of(cloak, "users") >= 1);
    json_int_t before = -1;
    const json_t *segments = json_object_get(cloak, "segments");
    for (size_t j = 0; j < json_array_size(segments); j++) {
        const json_int_t segment = json_integer_value(json_array_get(segments, j));
        assert_true(segment > before && segment < sc_map_segment_count(on->live.map));
        before = segment;
    }
    assert_true(before >= 0);
    assert_true(json_is_array(json_object_get(cloak, "border_nodes")));
}

/** Whether each method has been asked and attacked, and told of cloaks. */
static bool has_all(const json_t *figures, const told methods[3])
{
    for (size_t i = 0; i < 3; i++) {
        const json_t *of = method_of(figures, i);
        if (whole_of(of, "asked") == 0 || whole_of(of, "attacked") == 0 || methods[i].cloaks == 0) {
            return false;
        }
    }
    return true;
}

static void test_what_is_told_of_methods_is_consistent(void **state)
{
    (void)state;
    scene on;
    prepare(&on);
    scene_open(&on);
    scene_start(&on);
    onlooker eye = onlooker_come(&on, "/demo/methods");
    json_t *hello = onlooker_any(&eye);
    assert_string_equal(eye.name, "hello");
    check_hello(hello, "basic,xstar,expansion");
    json_t *document = openapi_load_demo();
    check_described(document, eye.name, hello);
    told methods[3] = {{0}};
    for (bool is_done = false; !is_done;) {
        json_t *event = onlooker_any(&eye);
        check_described(document, eye.name, event);
        if (strcmp(eye.name, "method-cloak") == 0) {
            take_cloak(&on, event, methods);
        } else {
            assert_string_equal(eye.name, "methods");
            assert_int_equal(json_object_size(event), 4);
            assert_int_equal(whole_of(event, "left_out"), 0);
            CHECK_SAME(number_of(event, "since_t"), number_of(hello, "since_t"));
            assert_true(number_of(event, "t") >= number_of(event, "since_t"));
            for (size_t i = 0; i < 3; i++) {
                assert_string_equal(text_of(method_of(event, i), "method"), names[i]);
                check_figures(&on, method_of(event, i));
                // The same questions.
                assert_int_equal(whole_of(method_of(event, i), "asked"),
                                 whole_of(method_of(event, 0), "asked"));
                methods[i].in_second = 0;
            }
            is_done = has_all(event, methods);
        }
        json_decref(event);
    }
    json_decref(document);
    json_decref(hello);
    onlooker_leave(&eye);
    scene_close(&on);
}

// --- When they run -------------------------------------------------------------------------------

static void test_methods_run_only_while_somebody_listens(void **state)
{
    (void)state;
    scene on;
    prepare(&on);
    scene_open(&on);
    scene_start(&on);
    onlooker travellers = onlooker_come(&on, "/demo/events");
    json_decref(onlooker_next(&travellers, "ended"));
    assert_false(sc__methods_is_running(on.demo->methods));

    onlooker first = onlooker_come(&on, "/demo/methods");
    json_t *hello = onlooker_next(&first, "hello");
    assert_true(sc__methods_is_running(on.demo->methods));
    // Who comes later is told of the engines that there are.
    onlooker second = onlooker_come(&on, "/demo/methods");
    json_t *same = onlooker_any(&second);
    assert_string_equal(second.name, "hello");
    CHECK_SAME(number_of(same, "since_t"), number_of(hello, "since_t"));
    onlooker_leave(&first);
    json_decref(onlooker_next(&second, "methods"));
    onlooker_leave(&second);
    await_running(&on, false);

    // The next ones are others.
    onlooker third = onlooker_come(&on, "/demo/methods");
    json_t *other = onlooker_next(&third, "hello");
    assert_true(number_of(other, "since_t") > number_of(hello, "since_t"));
    json_decref(onlooker_next(&third, "method-cloak"));
    json_decref(hello);
    json_decref(same);
    json_decref(other);
    onlooker_leave(&third);
    onlooker_leave(&travellers);
    scene_close(&on);
}

static void test_methods_start_again_with_another_engine_of_the_service(void **state)
{
    (void)state;
    scene on;
    prepare(&on);
    scene_open(&on);
    scene_start(&on);
    onlooker eye = onlooker_come(&on, "/demo/methods");
    json_t *first = onlooker_next(&eye, "hello");
    check_hello(first, "basic,xstar,expansion");
    json_decref(ask_page(&on, "POST", "/demo/engine", "{\"engine\":\"hybrid\"}", 200));
    json_t *second = onlooker_next(&eye, "hello");
    check_hello(second, "hybrid,xstar,expansion");
    assert_true(number_of(second, "since_t") > number_of(first, "since_t"));
    json_t *methods = onlooker_next(&eye, "methods");
    assert_string_equal(text_of(method_of(methods, 0), "method"), "hybrid");
    json_decref(first);
    json_decref(second);
    json_decref(methods);
    onlooker_leave(&eye);
    scene_close(&on);
}

static void test_starcloak_s_engine_is_that_of_the_service_if_it_is_one(void **state)
{
    (void)state;
    static const struct {
        sc_variant engine;
        const char *methods;
    } cases[] = {
        {SC_VARIANT_PATIENT, "patient,xstar,expansion"},
        {SC_VARIANT_XSTAR, "basic,xstar,expansion"},
        {SC_VARIANT_EXPANSION, "basic,xstar,expansion"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scene on;
        prepare(&on);
        on.live.options.ledger.engine.variant = cases[i].engine;
        on.live.options.ledger.engine.max_combinations = sc_variant_cap(cases[i].engine);
        on.options.engine = on.live.options.ledger.engine;
        scene_open(&on);
        scene_start(&on);
        onlooker eye = onlooker_come(&on, "/demo/methods");
        json_t *hello = onlooker_next(&eye, "hello");
        check_hello(hello, cases[i].methods);
        json_decref(hello);
        json_decref(onlooker_next(&eye, "method-cloak"));
        onlooker_leave(&eye);
        scene_close(&on);
    }
}

// --- Listeners -----------------------------------------------------------------------------------

static void test_no_more_than_so_many_listen_to_methods(void **state)
{
    (void)state;
    scene on;
    scene_prepare(&on);
    on.options.max_listeners = 1;
    scene_open(&on);
    onlooker eye = onlooker_come(&on, "/demo/methods");
    json_t *problem = ask_page(&on, "GET", "/demo/methods", NULL, 503);
    CHECK_CONTAINS(text_of(problem, "type"), "overloaded");
    json_decref(problem);
    onlooker_leave(&eye);
    scene_close(&on);
}

static void *drain(void *context)
{
    const scene *on = context;
    assert_int_equal(sc_service_drain(on->live.service, 0.0, 60.0), 0);
    return NULL;
}

static void test_the_stream_of_methods_ends_when_the_service_drains(void **state)
{
    (void)state;
    scene on;
    prepare(&on);
    scene_open(&on);
    scene_start(&on);
    onlooker eye = onlooker_come(&on, "/demo/methods");
    json_decref(onlooker_next(&eye, "method-cloak"));
    sc_demo_stop(on.demo);
    assert_false(sc__methods_is_running(on.demo->methods));
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, drain, &on), 0);
    web_stream_await_end(eye.fd, &eye.received);
    onlooker_leave(&eye);
    pthread_join(thread, NULL);
    scene_close(&on);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_is_told_of_methods_is_consistent),
    cmocka_unit_test(test_methods_run_only_while_somebody_listens),
    cmocka_unit_test(test_methods_start_again_with_another_engine_of_the_service),
    cmocka_unit_test(test_starcloak_s_engine_is_that_of_the_service_if_it_is_one),
    cmocka_unit_test(test_no_more_than_so_many_listen_to_methods),
    cmocka_unit_test(test_the_stream_of_methods_ends_when_the_service_drains),
};
SC_SUITE(tests)
