// A request sealed for the service, sent by a relay.
#include "query_sealed.h"

#include "base/bytes.h"
#include "base/diag.h"
#include "base/file.h"
#include "oblivious/oblivious_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define GATEWAY_PATH "/.well-known/ohttp-gateway"

/** More is no sealed reply. */
#define SEALED_MAX ((size_t)64 << 20)

/** Keys must be here soon; there is nothing to wait for. */
#define KEYS_TIMEOUT_S 30.0

/** The parts of the service's address. */
typedef struct parts {
    sc_slice scheme;
    sc_slice authority;
    sc_slice path;
} parts;

static parts parts_of(const char *url)
{
    const char *host = strstr(url, "://") + 3;
    const size_t size = strcspn(host, "/");
    return (parts){.scheme = {url, (size_t)(host - 3 - url)},
                   .authority = {host, size},
                   .path = {host + size, strlen(host + size)}};
}

static sc_err explain_failure(const char *whom, const sc_http_answer *answer, sc_diag *diag)
{
    if (answer->failure == SC_HTTP_NO_MEMORY) return SC_ENOMEM;
    return sc_explain(diag, SC_ENET, "%s cannot be reached: %s", whom, answer->words);
}

// --- Keys ----------------------------------------------------------------------------------------

static sc_err choose_key(const char *name, const void *bytes, size_t size, sc_ohttp_config *out,
                         sc_diag *diag)
{
    size_t count = 0;
    const sc_err err = sc_ohttp_configs_parse(bytes, size, out, 1, &count);
    if (err || count == 0) {
        return sc_explain(diag, SC_EPARSE,
                          "%.400s: these are no keys of Oblivious HTTP that can be used here",
                          name);
    }
    return SC_OK;
}

static sc_err read_keys(const char *path, sc_ohttp_config *out, sc_diag *diag)
{
    sc_file file;
    sc_err err = sc_file_open(path, &file, diag);
    if (err) return err;
    err = choose_key(path, file.input.data, file.input.size, out, diag);
    sc_file_close(&file);
    return err;
}

static sc_err ask_keys(const sc_post *post, sc_ohttp_config *out, sc_diag *diag)
{
    const parts p = parts_of(post->url);
    char url[SC_POST_URL_SIZE];
    const int size = snprintf(url, sizeof url, "%.*s://%.*s%s", (int)p.scheme.size, p.scheme.text,
                              (int)p.authority.size, p.authority.text, GATEWAY_PATH);
    if (size < 0 || (size_t)size >= sizeof url) {
        return sc_explain(diag, SC_EINVAL, "the address of the service is too long");
    }
    const sc_http_call call = {.rules = {.user_agent = "starcloak",
                                         .max_bytes = SC_OHTTP_LIST_MAX,
                                         .ca_file = post->ca,
                                         .certificate_file = post->cert,
                                         .key_file = post->key},
                               .url = url,
                               .timeout_s = KEYS_TIMEOUT_S};
    sc_http_answer answer = {.status = 0};
    sc_err err = SC_OK;
    if (!sc_http_call_wait(&call, &answer)) {
        err = explain_failure("the service, asked for its keys,", &answer, diag);
    } else if (answer.status != 200 || strcasecmp(answer.type, SC_OHTTP_KEYS_TYPE) != 0) {
        err = sc_explain(diag, SC_ENET,
                         "%.400s: there are no keys (status %ld); does the service have "
                         "'oblivious'?",
                         url, answer.status);
    } else {
        err = choose_key(url, answer.body.data, answer.body.size, out, diag);
    }
    sc_http_answer_fini(&answer);
    return err;
}

// --- Sealing, and opening ------------------------------------------------------------------------

static sc_err seal(const sc_post *post, const sc_ohttp_config *config, sc_bytes *sealed,
                   sc_ohttp_exchange *exchange, sc_diag *diag)
{
    char authorization[2048] = "";
    sc_bhttp_field headers[3] = {{{"content-type", 12}, {"application/json", 16}},
                                 {{"accept", 6}, {"application/json", 16}}};
    size_t count = 2;
    if (post->token || post->private_token) {
        const int size = snprintf(authorization, sizeof authorization, "%s%s",
                                  post->private_token ? "" : "Bearer ",
                                  post->private_token ? post->private_token : post->token);
        headers[count++] = (sc_bhttp_field){{"authorization", 13}, {authorization, (size_t)size}};
    }
    const parts p = parts_of(post->url);
    const sc_bhttp_message message = {.is_request = true,
                                      .method = {"POST", 4},
                                      .scheme = p.scheme,
                                      .authority = p.authority,
                                      .path = p.path,
                                      .headers = headers,
                                      .header_count = count,
                                      .content = (const uint8_t *)post->body,
                                      .content_size = strlen(post->body)};
    const sc_err err = sc_oblivious_seal(config, &message, (int64_t)time(NULL), sealed, exchange);
    explicit_bzero(authorization, sizeof authorization);
    if (err == SC_ENOMEM || !err) return err;
    return sc_explain(diag, err, "the request cannot be sealed: %s", sc_err_text(err));
}

/** The reply within, as if it had come by itself. */
static sc_err take_reply(const sc_ohttp_exchange *exchange, sc_http_answer *sealed,
                         sc_post_reply *out, sc_diag *diag)
{
    sc_bhttp_decoded decoded = {0};
    const sc_err err = sc_oblivious_open(exchange, sealed->body.data, sealed->body.size, &decoded);
    if (err == SC_ENOMEM) return err;
    if (err) {
        return sc_explain(diag, SC_EPARSE,
                          "the relay's reply does not come from the service: it was not sealed for "
                          "this request");
    }
    const sc_bhttp_message *m = &decoded.message;
    sc_bytes *body = &out->answer.body;
    const bool is_copied =
        sc_bytes_append(body, m->content, m->content_size) && sc_bytes_append(body, "", 1);
    if (is_copied) {
        body->size--;  // the NUL is not counted
        const sc_slice *later = sc_bhttp_find(m->headers, m->header_count, "retry-after");
        out->status = (long)m->status;
        // No NUL is behind it: what follows in the message is not part of the number.
        int64_t later_s = 0;
        out->retry_after_s = later && sc_slice_i64(*later, &later_s) ? (long)later_s : 0;
        out->body = (const char *)body->data;
        out->size = body->size;
    }
    sc_bhttp_decoded_fini(&decoded);
    return is_copied ? SC_OK : SC_ENOMEM;
}

// --- One exchange --------------------------------------------------------------------------------

static sc_err send_sealed(const sc_post *post, const char *relay, const sc_bytes *sealed,
                          sc_http_answer *answer, sc_diag *diag)
{
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: " SC_OHTTP_REQUEST_TYPE);
    if (!headers) return SC_ENOMEM;
    // No certificate of the client: it would say who asks.
    const sc_http_call call = {.rules = {.user_agent = "starcloak",
                                         .headers = headers,
                                         .max_bytes = SEALED_MAX,
                                         .ca_file = post->ca},
                               .url = relay,
                               .body = (const char *)sealed->data,
                               .body_size = sealed->size,
                               .timeout_s = post->timeout_s};
    const bool is_answered = sc_http_call_wait(&call, answer);
    curl_slist_free_all(headers);
    return is_answered ? SC_OK : explain_failure("the relay", answer, diag);
}

sc_err sc_post_send_sealed(const sc_post *post, const sc_sealing *sealing, sc_post_reply *out,
                           sc_diag *diag)
{
    sc_ohttp_config config;
    sc_ohttp_exchange exchange;
    sc_bytes sealed = {.size = 0};
    sc_http_answer answer = {.status = 0};
    sc_err err =
        sealing->keys ? read_keys(sealing->keys, &config, diag) : ask_keys(post, &config, diag);
    if (!err) err = seal(post, &config, &sealed, &exchange, diag);
    if (!err) err = send_sealed(post, sealing->relay, &sealed, &answer, diag);
    if (!err && (answer.status != 200 || strcasecmp(answer.type, SC_OHTTP_RESPONSE_TYPE) != 0)) {
        const bool is_key = answer.body.size > 0 &&
                            strstr((const char *)answer.body.data, SC_OHTTP_KEY_PROBLEM) != NULL;
        err = sc_explain(diag, SC_ENET,
                         is_key ? "the service does not have this key any more (status %ld); leave "
                                  "out --relay-keys, or fetch them again"
                                : "the relay did not pass the request on: status %ld",
                         answer.status);
    }
    if (!err) err = take_reply(&exchange, &answer, out, diag);
    sc_ohttp_exchange_wipe(&exchange);
    sc_http_answer_fini(&answer);
    sc_bytes_fini(&sealed);
    return err;
}
