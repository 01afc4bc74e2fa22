// A provider on the loopback that lists what is in a box. See area_server.h.
#include "support/area_server.h"

#include "areas/area_settings.h"
#include "map/geo.h"
#include "support/check.h"
#include "support/loopback_server.h"

#include <event2/keyvalq_struct.h>
#include <math.h>
#include <stdio.h>
#include <sys/socket.h>

// === The world ==================================================================================

const char *const area_categories[AREA_CATEGORIES] = {"cafe", "fuel", "school", "zoo"};

static const char *draw_category(sc_rng *rng)
{
    static const uint32_t share[AREA_CATEGORIES] = {700, 250, 45, 5};
    uint32_t left = sc_rng_below(rng, 1000);
    for (size_t i = 0; i < AREA_CATEGORIES; i++) {
        if (left < share[i]) return area_categories[i];
        left -= share[i];
    }
    return area_categories[0];
}

static void make_objects(area_world *world, double snap_m)
{
    sc_objects_builder *builder = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_objects_builder_new(world->map, &builder), NULL);
    for (uint32_t i = 0; i < world->count; i++) {
        char key[16];
        sc_snap snap;
        const area_object *o = &world->items[i];
        snprintf(key, sizeof key, "%u", i);
        if (sc_map_snap(world->map, o->x, o->y, snap_m, &snap)) continue;
        const sc_object_row row = {.edge = snap.edge,
                                   .offset_m = snap.offset_m,
                                   .key = key,
                                   .category = o->category,
                                   .name = "x"};
        CHECK_OK(sc_objects_builder_add(builder, &row, &diag), &diag);
    }
    CHECK_OK(sc_objects_builder_finish(builder, &world->objects), NULL);
    sc_objects_builder_free(builder);
}

area_world area_world_new(const sc_map *map, uint32_t count, double snap_m, sc_rng *rng)
{
    area_world world = {.map = map, .count = count};
    world.items = test_take(count, sizeof *world.items);
    const bool is_round = sc_map_coords(map) == SC_COORDS_GEOGRAPHIC;
    const double per_m = is_round ? 1 / (SC_EARTH_RADIUS_M * SC_PI / 180) : 1;
    world.per_m = per_m;
    for (uint32_t i = 0; i < count; i++) {
        const sc_edge_id edge = sc_rng_below(rng, sc_map_edge_count(map));
        double x = 0;
        double y = 0;
        sc_map_edge_position(map, edge, sc_map_edge_length_m(map, edge) * sc_rng_unit(rng), &x, &y);
        const double squeeze = is_round ? cos(y * SC_PI / 180) : 1;
        // Up to a quarter more than what is put on a road.
        x += (sc_rng_unit(rng) - 0.5) * 2.5 * snap_m * per_m / squeeze;
        y += (sc_rng_unit(rng) - 0.5) * 2.5 * snap_m * per_m;
        // As a reply has them.
        world.items[i] =
            (area_object){round(x * 1e7) / 1e7, round(y * 1e7) / 1e7, draw_category(rng)};
    }
    make_objects(&world, snap_m);
    return world;
}

void area_world_free(area_world *world)
{
    sc_objects_release(world->objects);
    free(world->items);
}

// === The server =================================================================================

struct area_server {
    const area_world *world;
    area_mode mode;
    loopback_server *http;
    size_t count;     ///< of questions before this one; of the server's thread
    char busy[8192];  ///< addresses that were told to come again; likewise
    char *text;       ///< what was lent last
};

static bool is_wanted(const char *categories, const char *category)
{
    const size_t size = strlen(category);
    if (!*categories) return true;
    for (const char *c = strstr(categories, category); c; c = strstr(c + 1, category)) {
        if ((c == categories || c[-1] == ',') && (c[size] == ',' || c[size] == '\0')) return true;
    }
    return false;
}

/** What is asked. */
typedef struct inquiry {
    double west, south, east, north;
    size_t limit;
    size_t offset;
    const char *categories;
} inquiry;

static size_t put_features(const area_server *s, const inquiry *q, FILE *out)
{
    size_t matched = 0;
    size_t put = 0;
    const size_t most = s->mode == AREA_CAPPED && q->limit > 20 ? 20 : q->limit;
    const size_t first = q->offset - (s->mode == AREA_UNSORTED && q->offset > 0);
    for (uint32_t i = 0; i < s->world->count; i++) {
        const area_object *o = &s->world->items[i];
        const double aside = s->mode == AREA_ROUNDS ? (i % 2 ? 15 : -15) * s->world->per_m : 0;
        const double x = o->x + aside;
        const double y = o->y + aside;
        const bool is_in = x >= q->west && x <= q->east && y >= q->south && y <= q->north;
        if (!is_in && s->mode != AREA_EVERYTHING) continue;
        if (!is_wanted(q->categories, o->category)) continue;
        if (matched++ < first || put >= most) continue;
        fprintf(out,
                "%s{\"type\":\"Feature\",\"id\":%s%u%s,\"geometry\":{\"type\":\"Point\","
                "\"coordinates\":[%s%.7f%s,%.7f]},\"properties\":{\"name\":\"x\",\"category\":"
                "\"%s\"}}",
                put > 0 ? "," : "", s->mode == AREA_WRONG_TYPES ? "{\"a\":" : "", i,
                s->mode == AREA_WRONG_TYPES ? "}" : "", s->mode == AREA_NOT_A_NUMBER ? "\"x" : "",
                o->x, s->mode == AREA_NOT_A_NUMBER ? "\"" : "", o->y, o->category);
        if (s->mode == AREA_TWO_PLACES) {
            fprintf(out,
                    ",{\"id\":%u,\"geometry\":{\"type\":\"Point\",\"coordinates\":[%.7f,%.7f]}"
                    ",\"properties\":{\"category\":\"cafe\"}}",
                    i, o->x + 1e-6, o->y);
        }
        if (s->mode == AREA_MOVING && put == 0) {
            fprintf(out,
                    ",{\"id\":\"moving\",\"geometry\":{\"type\":\"Point\",\"coordinates\":"
                    "[%.7f,%.7f]},\"properties\":{\"category\":\"cafe\"}}",
                    o->x, o->y);
        }
        put++;
    }
    return matched;
}

// What leads to the next page, if there is one and all are no more than a few pages.
static void put_next(const area_server *s, const inquiry *q, size_t matched, FILE *out)
{
    const size_t next = q->offset + q->limit;
    if (next >= matched || matched > 3 * q->limit) return;
    if (s->mode == AREA_FEW_CURSORS) fprintf(out, ",\"next\":%zu", next);
    if (s->mode == AREA_FEW_LINKS) {
        fprintf(out, ",\"next\":\"?bbox=%.7f,%.7f,%.7f,%.7f&limit=%zu&offset=%zu&categories=%s\"",
                q->west, q->south, q->east, q->north, q->limit, next, q->categories);
    }
}

static void answer(area_server *s, struct evhttp_request *request, const inquiry *q)
{
    char *body = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&body, &size);
    if (!out) abort();
    fputs("{\"type\":\"FeatureCollection\",\"features\":[", out);
    const size_t matched = put_features(s, q, out);
    fprintf(out, "],\"numberMatched\":%zu", matched + (s->mode == AREA_LYING_TOTAL ? 7 : 0));
    if (s->mode == AREA_ENDLESS) fprintf(out, ",\"next\":\"?again=%zu\"", s->count);
    put_next(s, q, matched, out);
    if (s->mode == AREA_ELSEWHERE) fputs(",\"next\":\"http://127.0.0.2/places\"", out);
    fputs("}", out);
    fclose(out);
    loopback_send(request, body, size);
    free(body);
}

// The head and a byte, past libevent's own writing; the rest never comes.
static void drip(struct evhttp_request *request)
{
    static const char part[] = "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{";
    if (send(loopback_socket(request), part, sizeof part - 1, MSG_NOSIGNAL) < 0) abort();
}

// Whether the request was answered already, for what the mode wants.
static bool misbehave(area_server *s, struct evhttp_request *request, const char *uri)
{
    const struct evkeyvalq *headers = evhttp_request_get_input_headers(request);
    switch (s->mode) {
    case AREA_SLOW:
        return true;
    case AREA_DRIPS:
        drip(request);
        return true;
    case AREA_HUGE:
        loopback_send_huge(request, 64, true);
        return true;
    case AREA_ERROR:
        evhttp_send_error(request, 500, "Internal error");
        return true;
    case AREA_REDIRECT:
        loopback_redirect(request);
        return true;
    case AREA_NOT_JSON:
        loopback_send(request, "<html>busy</html>", 17);
        return true;
    case AREA_BUSY_ONCE:
        if (strstr(s->busy, uri)) return false;
        snprintf(s->busy + strlen(s->busy), sizeof s->busy - strlen(s->busy), "%s", uri);
        evhttp_send_reply(request, 429, "Too many", NULL);
        return true;
    case AREA_BUSY:
        loopback_set_header(request, "Retry-After", "3600");
        evhttp_send_reply(request, 503, "Busy", NULL);
        return true;
    case AREA_NO_STORE:
        loopback_set_header(request, "Cache-Control", "private, no-store");
        return false;
    case AREA_ONE_SECOND:
        loopback_set_header(request, "Cache-Control", "max-age=0, stale-while-revalidate=100");
        return false;
    case AREA_AGED:
        loopback_set_header(request, "Cache-Control", "max-age=100");
        loopback_set_header(request, "Age", "1000");
        return false;
    case AREA_ETAG:
        loopback_set_header(request, "Cache-Control", "max-age=0");
        loopback_set_header(request, "ETag", "\"v1\"");
        if (!evhttp_find_header(headers, "If-None-Match")) return false;
        evhttp_send_reply(request, 304, "Not modified", NULL);
        return true;
    default:
        return false;
    }
}

static void read_box(const char *text, inquiry *q)
{
    double *sides[] = {&q->west, &q->south, &q->east, &q->north};
    char *end = NULL;
    for (size_t i = 0; i < 4; i++) {
        *sides[i] = strtod(text, &end);
        text = *end == ',' ? end + 1 : end;
    }
}

static void on_request(void *context, struct evhttp_request *request, size_t question)
{
    area_server *s = context;
    const char *uri = evhttp_request_get_uri(request);
    s->count = question + 1;
    if (misbehave(s, request, uri)) return;
    struct evkeyvalq query;
    if (evhttp_parse_query_str(evhttp_uri_get_query(evhttp_request_get_evhttp_uri(request)),
                               &query)) {
        evhttp_send_error(request, 400, "Bad request");
        return;
    }
    inquiry q = {.limit = SIZE_MAX, .categories = ""};
    const char *box = evhttp_find_header(&query, "bbox");
    const char *limit = evhttp_find_header(&query, "limit");
    const char *offset = evhttp_find_header(&query, "offset");
    const char *categories = evhttp_find_header(&query, "categories");
    if (box) read_box(box, &q);
    if (limit) q.limit = strtoul(limit, NULL, 10);
    if (offset) q.offset = strtoul(offset, NULL, 10);
    if (categories) q.categories = categories;
    answer(s, request, &q);
    evhttp_clear_headers(&query);
}

area_server *area_server_start(const area_world *world, area_mode mode)
{
    area_server *s = test_take(1, sizeof *s);
    s->world = world;
    s->mode = mode;
    s->http = loopback_server_start(on_request, s);
    return s;
}

void area_server_stop(area_server *server)
{
    loopback_server_stop(server->http);
    free(server->text);
    free(server);
}

const char *area_server_text(area_server *server, const char *more)
{
    const char *address = loopback_server_address(server->http);
    const char *offset = server->mode == AREA_FEW_CURSORS ? "{cursor}" : "{offset}";
    free(server->text);
    if (asprintf(&server->text,
                 "[provider]\nurl = %s/places?bbox={west},{south},{east},{north}"
                 "&limit={limit}&offset=%s&categories={categories}\n"
                 "url-all = %s/places?bbox={west},{south},{east},{north}"
                 "&limit={limit}&offset=%s\n"
                 "[fields]\nlist = /features\nid = /id\ngeometry = /geometry\n"
                 "name = /properties/name\ncategory = /properties/category\n"
                 "[categories]\ncafe = cafe\nfuel = fuel\nschool = school\nzoo = zoo\n%s",
                 address, offset, address, offset, more) < 0) {
        abort();
    }
    return server->text;
}

static sc_area_settings *settings_of(const char *text)
{
    sc_area_settings *settings = NULL;
    sc_diag diag = {""};
    const sc_input input = {"test.ini", (const uint8_t *)text, strlen(text)};
    CHECK_OK(sc__area_settings_read(&input, &settings, &diag), &diag);
    return settings;
}

sc_area_settings *area_server_settings(const area_server *server, const char *more)
{
    return settings_of(area_server_text((area_server *)(uintptr_t)server, more));
}

sc_area_settings *area_server_settings_without(area_server *server, const char *piece,
                                               const char *more)
{
    char *text = strdup(area_server_text(server, more));
    assert_non_null(text);
    const size_t size = strlen(piece);
    for (char *at = strstr(text, piece); at; at = strstr(text, piece)) {
        memmove(at, at + size, strlen(at + size) + 1);
    }
    sc_area_settings *settings = settings_of(text);
    free(text);
    return settings;
}

const char *area_server_asked(area_server *server)
{
    return loopback_server_asked(server->http);
}

size_t area_server_count(area_server *server)
{
    return loopback_server_count(server->http);
}

void area_server_forget(area_server *server)
{
    loopback_server_forget(server->http);
}
