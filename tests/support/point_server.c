// A provider on the loopback, good or bad. See point_server.h.
#include "support/point_server.h"

#include "support/check.h"
#include "support/loopback_server.h"

#include <event2/keyvalq_struct.h>
#include <stdio.h>
#include <sys/socket.h>

struct point_server {
    const point_world *world;
    point_mode mode;
    char url[256];
    loopback_server *http;
};

static void send_truncated(struct evhttp_request *request)
{
    loopback_set_header(request, "Content-Length", "5000");
    loopback_set_header(request, "Connection", "close");
    loopback_send(request, "{\"results\":[", 12);
}

static void close_connection(struct evhttp_request *request)
{
    shutdown(loopback_socket(request), SHUT_RDWR);
}

static void answer(point_server *s, struct evhttp_request *request, size_t question)
{
    const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(request);
    struct evkeyvalq query;
    if (evhttp_parse_query_str(evhttp_uri_get_query(uri), &query)) {
        evhttp_send_error(request, 400, "Bad request");
        return;
    }
    const char *lon = evhttp_find_header(&query, "lon");
    const char *lat = evhttp_find_header(&query, "lat");
    const char *k = evhttp_find_header(&query, "k");
    const char *category = evhttp_find_header(&query, "category");
    char *body = point_world_tell(s->world, s->mode, question, strtod(lon, NULL), strtod(lat, NULL),
                                  (uint32_t)strtoul(k, NULL, 10), category ? category : "");
    loopback_send(request, body, strlen(body));
    free(body);
    evhttp_clear_headers(&query);
}

static void on_request(void *context, struct evhttp_request *request, size_t question)
{
    point_server *s = context;
    loopback_set_header(request, "Set-Cookie", "who=you");
    switch (s->mode) {
    case POINT_SLOW:
        break;
    case POINT_ERROR:
        evhttp_send_error(request, 500, "Internal error");
        break;
    case POINT_MISSING:
        evhttp_send_error(request, 404, "Not found");
        break;
    case POINT_REDIRECT:
        loopback_redirect(request);
        break;
    case POINT_CLOSED:
        close_connection(request);
        break;
    case POINT_TRUNCATED:
        send_truncated(request);
        break;
    case POINT_HUGE:
    case POINT_HUGE_IN_CHUNKS:
        loopback_send_huge(request, 16, s->mode == POINT_HUGE_IN_CHUNKS);
        break;
    case POINT_NO_BODY:
        loopback_send(request, "", 0);
        break;
    case POINT_NOT_JSON:
        loopback_send(request, "<html>busy</html>", 17);
        break;
    default:
        answer(s, request, question);
        break;
    }
}

point_server *point_server_start(const point_world *world, point_mode mode)
{
    point_server *s = test_take(1, sizeof *s);
    s->world = world;
    s->mode = mode;
    s->http = loopback_server_start(on_request, s);
    snprintf(s->url, sizeof s->url, "%s/nearest?lon={lon}&lat={lat}&k={k}&category={category}",
             loopback_server_address(s->http));
    return s;
}

void point_server_stop(point_server *server)
{
    loopback_server_stop(server->http);
    free(server);
}

sc_point_options point_server_options(const point_server *server)
{
    sc_point_options options = sc_point_options_default();
    options.url = server->url;
    options.distance = server->world->distance;
    return options;
}

const char *point_server_asked(point_server *server)
{
    return loopback_server_asked(server->http);
}

const char *point_server_headers(point_server *server)
{
    return loopback_server_headers(server->http);
}

size_t point_server_count(point_server *server)
{
    return loopback_server_count(server->http);
}

void point_server_forget(point_server *server)
{
    loopback_server_forget(server->http);
}
