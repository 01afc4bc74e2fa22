/**
 * @file described.h
 * @brief A whole service, and whether its responses are those that openapi.json describes.
 */
#ifndef SC_TESTS_UNIT_SERVICE_DESCRIBED_H
#define SC_TESTS_UNIT_SERVICE_DESCRIBED_H

#include "support/check.h"
#include "support/live_service.h"
#include "support/openapi.h"
#include "support/web_client.h"

typedef struct fixture {
    live_service live;
    json_t *document;
} fixture;

/** Change `live.options`, then live_service_start(). */
static inline void fixture_open(fixture *f)
{
    live_service_prepare(&f->live);
    f->live.options.version = "1.2.3";
    f->document = openapi_load();
}

static inline void fixture_close(fixture *f)
{
    live_service_close(&f->live);
    json_decref(f->document);
}

/** It has the status and is described; headers that the response must have are there. */
static inline void check_described(const fixture *f, const char *method, const char *path,
                                   int status, const web_reply *reply)
{
    if (reply->status != status) {
        fail_msg("%s %s gave %d, not %d: %s", method, path, reply->status, status, reply->body);
    }
    openapi_check_response(f->document, method, path, status, web_header(reply, "Content-Type"),
                           reply->body, reply->size);
    const json_t *response = openapi_response(f->document, method, path, status);
    const char *name = NULL;
    json_t *header = NULL;
    json_object_foreach(json_object_get(response, "headers"), name, header)
    {
        if (!*web_header(reply, name)) fail_msg("%s %s %d has no %s", method, path, status, name);
    }
    assert_string_equal(web_header(reply, "X-Content-Type-Options"), "nosniff");
}

static inline void check_ask(const fixture *f, const char *method, const char *path,
                             const char *headers, const char *body, int status)
{
    web_reply reply = web_ask(live_service_address(&f->live), method, path, headers, body);
    check_described(f, method, path, status, &reply);
    web_reply_free(&reply);
}

#endif
