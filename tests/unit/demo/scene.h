/**
 * @file scene.h
 * @brief A demo on a small town: a real service, travellers who are easily content, and a
 * viewer of the page.
 *
 *     scene on;
 *     scene_prepare(&on);                 // change on.live.options and on.options here
 *     scene_open(&on);                    // pages answer; no traveller moves yet
 *     scene_start(&on);
 *     onlooker eye = onlooker_come(&on, "/demo/events");
 *     json_t *hello = onlooker_next(&eye, "hello");
 */
#ifndef SC_TESTS_UNIT_DEMO_SCENE_H
#define SC_TESTS_UNIT_DEMO_SCENE_H

#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

#include "demo/demo.h"
#include "support/check.h"
#include "support/live_service.h"
#include "support/web_client.h"

enum { SCENE_TRAVELLERS = 60 };

typedef struct scene {
    live_service live;
    sc_demo_options options;
    sc_demo *demo;
} scene;

/** Two are company enough for everybody, and pauses are as short as can be. */
static inline void scene_prepare(scene *on)
{
    *on = (scene){.options = sc_demo_options_default()};
    live_service_prepare(&on->live);
    on->options.travellers = SCENE_TRAVELLERS;
    on->options.every_s = 0.05;
    sc_workload *workload = &on->options.workload;
    workload->k = sc_normal_around(2, 0, 1);
    workload->l = sc_normal_around(2, 0, 1);
    workload->max_hops = sc_normal_around(4, 0, 1);
    workload->max_wait_s = sc_normal_around(60, 0, 1);
    workload->pause_s = sc_normal_around(1, 0, 1);
}

static inline void scene_open(scene *on)
{
    sc_diag diag = {""};
    CHECK_OK(sc_demo_new(on->live.map, &on->options, &on->demo, &diag), &diag);
    on->live.options.extra = sc_demo_pages(on->demo, &on->live.options.extra_count);
    CHECK_OK(sc_service_new(on->live.map, &on->live.options, &on->live.service, &diag), &diag);
    CHECK_OK(sc_demo_attach(on->demo, on->live.service, &diag), &diag);
    CHECK_OK(sc_service_start(on->live.service, &diag), &diag);
}

static inline void scene_start(scene *on)
{
    char url[64];
    snprintf(url, sizeof(url), "http://%s", live_service_address(&on->live));
    sc_diag diag = {""};
    CHECK_OK(sc_demo_start(on->demo, url, &diag), &diag);
}

static inline void scene_close(scene *on)
{
    sc_demo_stop(on->demo);
    sc_service_free(on->live.service);
    on->live.service = NULL;
    sc_demo_free(on->demo);  // the map is needed until now
    live_service_close(&on->live);
}

static inline json_t *read_json(const char *text, size_t size)
{
    json_error_t error;
    json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (!json) fail_msg("not JSON: %s", error.text);
    return json;
}

static inline json_int_t whole_of(const json_t *object, const char *key)
{
    const json_t *member = json_object_get(object, key);
    if (!json_is_integer(member)) fail_msg("'%s' is no whole number", key);
    return json_integer_value(member);
}

static inline double number_of(const json_t *object, const char *key)
{
    const json_t *member = json_object_get(object, key);
    if (!json_is_number(member)) fail_msg("'%s' is no number", key);
    return json_number_value(member);
}

static inline const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (!text) fail_msg("'%s' is no text", key);
    return text;
}

/** Ask for a page, which must answer with that status; decref the body. */
static inline json_t *ask_page(const scene *on, const char *method, const char *path,
                               const char *body, int status)
{
    web_reply reply = web_ask(live_service_address(&on->live), method, path, "", body);
    assert_int_equal(reply.status, status);
    json_t *json = read_json(reply.body, reply.size);
    web_reply_free(&reply);
    return json;
}

// --- A viewer of the page ------------------------------------------------------------------------

typedef struct onlooker {
    int fd;
    web_stream received;
    size_t at;      ///< what was not looked at yet
    char name[32];  ///< of the last event
} onlooker;

static inline onlooker onlooker_come(const scene *on, const char *path)
{
    onlooker eye = {.fd = web_connect(live_service_address(&on->live))};
    web_send(eye.fd, "GET", path, "", NULL);
    eye.at = web_stream_await(eye.fd, &eye.received, 0, "retry: 2000\n\n");
    CHECK_CONTAINS(eye.received.text, "200 OK");
    return eye;
}

static inline void onlooker_leave(onlooker *eye)
{
    close(eye->fd);
    free(eye->received.text);
}

/** The next event, whichever; its name is in `name`. */
static inline json_t *onlooker_any(onlooker *eye)
{
    static const char event[] = "event: ";
    static const char data[] = "\ndata: ";
    const size_t begin = web_stream_await(eye->fd, &eye->received, eye->at, event) + strlen(event);
    const size_t end = web_stream_await(eye->fd, &eye->received, begin, "\n\n");
    const char *name = eye->received.text + begin;
    const char *found = strstr(name, data);
    assert_non_null(found);
    snprintf(eye->name, sizeof(eye->name), "%.*s", (int)(found - name), name);
    eye->at = end;
    const char *text = found + strlen(data);
    return read_json(text, (size_t)(eye->received.text + end - text));
}

/** The next one of that name; others are passed over. */
static inline json_t *onlooker_next(onlooker *eye, const char *name)
{
    for (;;) {
        json_t *event = onlooker_any(eye);
        if (strcmp(eye->name, name) == 0) return event;
        json_decref(event);
    }
}

#endif
