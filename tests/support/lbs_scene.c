// A provider that really listens. See lbs_scene.h.
#include "support/lbs_scene.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <jansson.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/check.h"
#include "support/sketch.h"

void lbs_scene_open(lbs_scene *s)
{
    sketch drawn = sketch_grid(SC_COORDS_GEOGRAPHIC, 6, 6);
    sc_builder *builder = sketch_builder(&drawn);
    for (uint32_t e = 0; e < drawn.edge_count; e += 2) {
        put_object(builder, e, 0.25, e % 6 ? "cafe" : "hospital", e % 4 ? "" : "A \"place\"");
    }
    *s = (lbs_scene){.map = finish_builder(builder), .options = sc_provider_options_default()};
    sketch_free(&drawn);
    CHECK_OK(sc_objects_new_from_map(s->map, &s->objects), NULL);
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    s->cloak = odd_cloak_of_stars(s->map, 4, &rng);
    s->requests[0] = (sc_request){.type = SC_REQUEST_KNN, .k = 3};
    s->requests[1] = (sc_request){.type = SC_REQUEST_KNN, .k = 2, .category_count = 1};
    s->requests[2] = (sc_request){.type = SC_REQUEST_RANGE, .radius_m = 300};
    s->relay = odd_cloak_relay(&s->cloak, s->map, s->requests, LBS_SCENE_REQUESTS);

    static const char *const anywhere[] = {"127.0.0.1:0"};
    s->options.http.addresses = anywhere;
    s->options.http.address_count = 1;
    s->options.http.is_admin_shared = true;
    s->options.objects = s->objects;
}

void lbs_scene_start(lbs_scene *s, sc__answerer *answer)
{
    sc_diag diag = {""};
    CHECK_OK(sc__provider_new(s->map, &s->options, answer, &s->provider, &diag), &diag);
    CHECK_OK(sc_provider_start(s->provider, &diag), &diag);
}

void lbs_scene_close(lbs_scene *s)
{
    sc_provider_free(s->provider);
    odd_cloak_free(&s->cloak);
    sc_objects_release(s->objects);
    sc_map_free(s->map);
    *s = (lbs_scene){.map = NULL};
}

// --- Messages --------------------------------------------------------------------------

sc_bytes lbs_scene_message(const lbs_scene *s, sc_encoding encoding)
{
    sc_bytes bytes = {.data = NULL};
    sc_diag diag = {""};
    CHECK_OK(sc_relay_encode(&(sc_codec){.map = s->map,
                                         .vocabulary = sc_objects_vocabulary(s->objects),
                                         .encoding = encoding},
                             &s->relay, &bytes, &diag),
             &diag);
    return bytes;
}

sc_bytes lbs_scene_reply(const lbs_scene *s, sc_encoding encoding, const sc_bytes *message)
{
    const sc_vocabulary *words = sc_objects_vocabulary(s->objects);
    sc_bytes bytes = {.data = NULL};
    sc_diag diag = {""};
    sc_relay *relay = NULL;
    sc_lbs *lbs = NULL;
    sc_reply reply;
    sc_reply_init(&reply);
    CHECK_OK(sc_relay_decode(&(sc_codec){.map = s->map,
                                         .vocabulary = words,
                                         .encoding = encoding,
                                         .limits = &s->options.codec},
                             message->data, message->size, &relay, &diag),
             &diag);
    CHECK_OK(sc_lbs_new(s->map, &s->options.lbs, &lbs, &diag), &diag);
    CHECK_OK(sc_lbs_evaluate(lbs, s->objects, relay, &reply, &diag), &diag);
    CHECK_OK(sc_reply_encode(&(sc_codec){.map = s->map, .vocabulary = words, .encoding = encoding},
                             relay, &reply, &bytes, &diag),
             &diag);
    sc_reply_fini(&reply);
    sc_lbs_free(lbs);
    sc_relay_free(relay);
    return bytes;
}

// --- Clients ---------------------------------------------------------------------------

static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    lbs_answer *answer = context;
    size *= count;
    char *longer = realloc(answer->body, answer->size + size + 1);
    if (!longer) return 0;
    memcpy(longer + answer->size, bytes, size);
    answer->body = longer;
    answer->size += size;
    answer->body[answer->size] = '\0';
    return size;
}

static void keep_header(CURL *curl, const char *name, char *out, size_t room)
{
    struct curl_header *header = NULL;
    out[0] = '\0';
    if (curl_easy_header(curl, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK) {
        snprintf(out, room, "%s", header->value);
    }
}

/** Takes the handle over, whose method and body are set. */
static lbs_answer perform(const lbs_scene *s, CURL *curl, const char *path)
{
    char url[512];
    snprintf(url, sizeof url, "http://%s%s", sc_http_address(sc_provider_http(s->provider), 0),
             path);
    lbs_answer answer = {.status = 0, .body = test_take(1, 1)};
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 60L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
    if (curl_easy_perform(curl) == CURLE_OK) {
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
        keep_header(curl, "Content-Type", answer.type, sizeof answer.type);
        keep_header(curl, "Allow", answer.allow, sizeof answer.allow);
        keep_header(curl, "Retry-After", answer.retry_after, sizeof answer.retry_after);
    }
    curl_easy_cleanup(curl);
    return answer;
}

lbs_answer lbs_post(const lbs_scene *s, const char *path, const char *type, const void *body,
                    size_t size)
{
    char content_type[256];
    // Without a value curl sends no such header.
    snprintf(content_type, sizeof content_type, "Content-Type:%s%s", type ? " " : "",
             type ? type : "");
    struct curl_slist *headers = curl_slist_append(NULL, content_type);
    headers = curl_slist_append(headers, "Expect:");
    CURL *curl = curl_easy_init();
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)size);
    const lbs_answer answer = perform(s, curl, path);
    curl_slist_free_all(headers);
    return answer;
}

lbs_answer lbs_ask(const lbs_scene *s, const char *method, const char *path)
{
    CURL *curl = curl_easy_init();
    if (strcmp(method, "HEAD") == 0) {
        curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
    } else {
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
    }
    return perform(s, curl, path);
}

void lbs_answer_free(lbs_answer *answer)
{
    free(answer->body);
    *answer = (lbs_answer){.status = 0};
}

void lbs_check_problem(lbs_answer *answer, long status, const char *part)
{
    assert_int_equal(answer->status, status);
    assert_string_equal(answer->type, "application/problem+json");
    json_error_t error;
    json_t *problem = json_loadb(answer->body, answer->size, JSON_REJECT_DUPLICATES, &error);
    assert_non_null(problem);
    assert_int_equal(json_integer_value(json_object_get(problem, "status")), status);
    const char *title = json_string_value(json_object_get(problem, "title"));
    assert_non_null(title);
    CHECK_CONTAINS(title, part);
    json_decref(problem);
    lbs_answer_free(answer);
}

int lbs_connect(const lbs_scene *s)
{
    const char *colon = strrchr(sc_http_address(sc_provider_http(s->provider), 0), ':');
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                        .sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10))};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0) return fd;
    close(fd);
    return -1;
}
