// Getting an anonymous token, and keeping it for its epoch.
#include "query_pass.h"

#include "base/bytes.h"
#include "base/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** An issuer answers soon; there is nothing to wait for. */
#define ISSUER_TIMEOUT_S 30.0

enum { LINE_ROOM = 2048, HOST_ROOM = 256 };

/** What the token is for. */
typedef struct wanted_pass {
    uint64_t epoch;
    sc_pass_challenge challenge;
    uint8_t bytes[SC_PASS_CHALLENGE_MAX];
    size_t size;
    char label[LINE_ROOM];  ///< the first line of the file: a token of another one is not good
} wanted_pass;

static bool host_of(const char *url, char out[HOST_ROOM])
{
    const char *host = strstr(url, "://");
    host = host ? host + 3 : url;
    const size_t size = strcspn(host, "/?#");
    if (size == 0 || size >= HOST_ROOM) return false;
    memcpy(out, host, size);
    out[size] = '\0';
    return true;
}

static sc_err name_all(const sc_pass_source *source, int64_t now_s, wanted_pass *out, sc_diag *diag)
{
    char host[HOST_ROOM];
    sc_pass_challenge *challenge = &out->challenge;
    *out = (wanted_pass){.epoch = sc_pass_epoch(now_s, source->epoch_s),
                         .challenge = {.has_context = true}};
    const char *name = source->name ? source->name : host_of(source->issuer, host) ? host : "";
    int size = snprintf(challenge->issuer, sizeof challenge->issuer, "%s", name);
    const bool has_issuer = size > 0 && (size_t)size < sizeof challenge->issuer;
    const char *origin = source->origin                   ? source->origin
                         : host_of(source->service, host) ? host
                                                          : "";
    size = snprintf(challenge->origins, sizeof challenge->origins, "%s", origin);
    const bool has_origin = size > 0 && (size_t)size < sizeof challenge->origins;
    sc_pass_epoch_context(out->epoch, source->epoch_s, challenge->origins, challenge->context);
    out->size = has_issuer && has_origin ? sc_pass_challenge_encode(challenge, out->bytes) : 0;
    if (out->size == 0) {
        return sc_explain(diag, SC_EINVAL,
                          "the names of issuer and origin must be those of hosts, as "
                          "issuer.example");
    }
    snprintf(out->label, sizeof out->label, "starcloak-pass-1 %llu %llu %s %s\n",
             (unsigned long long)out->epoch, (unsigned long long)source->epoch_s, challenge->issuer,
             challenge->origins);
    return SC_OK;
}

// --- The file ------------------------------------------------------------------------------------

/** Whether the file has a token for what is wanted. */
static bool find_kept(const char *path, const wanted_pass *wanted,
                      char out[SC_PASS_AUTHORIZATION_SIZE])
{
    char label[LINE_ROOM];
    uint8_t token[SC_PASS_TOKEN_SIZE];
    FILE *file = fopen(path, "re");
    const bool is_it = file && fgets(label, sizeof label, file) &&
                       strcmp(label, wanted->label) == 0 &&
                       fgets(out, SC_PASS_AUTHORIZATION_SIZE, file);
    if (file) fclose(file);
    if (!is_it) return false;
    out[strcspn(out, "\n")] = '\0';
    return sc_pass_authorization_parse(out, strlen(out), token) == SC_OK;
}

/** In place of what was there, as a whole. */
static sc_err keep(const char *path, const wanted_pass *wanted, const char *value, sc_diag *diag)
{
    char next[LINE_ROOM];
    const int size = snprintf(next, sizeof next, "%s.new", path);
    if (size < 0 || (size_t)size >= sizeof next) {
        return sc_explain(diag, SC_EINVAL, "%.100s...: the name is too long", path);
    }
    (void)unlink(next);
    const int fd = open(next, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool is_kept = file && fputs(wanted->label, file) >= 0 && fprintf(file, "%s\n", value) > 0 &&
                   fflush(file) == 0 && fsync(fd) == 0;
    const int error = errno;
    if (file) {
        is_kept = fclose(file) == 0 && is_kept;
    } else if (fd >= 0) {
        close(fd);
    }
    if (is_kept && rename(next, path) == 0) return SC_OK;
    (void)unlink(next);
    return sc_explain(diag, SC_EIO, "%.400s: the token cannot be kept: %s", path, strerror(error));
}

// --- The issuer ----------------------------------------------------------------------------------

/** An exchange with the issuer. Its answer is the caller's, also on failure. */
static sc_err exchange(const sc_pass_source *source, sc_http_call *call, sc_http_answer *answer,
                       sc_diag *diag)
{
    call->rules.user_agent = "starcloak";
    call->rules.max_bytes = SC_PASS_DIRECTORY_MAX;
    call->rules.ca_file = source->ca;
    call->timeout_s = ISSUER_TIMEOUT_S;
    if (sc_http_call_wait(call, answer)) return SC_OK;
    if (answer->failure == SC_HTTP_NO_MEMORY) return SC_ENOMEM;
    return sc_explain(diag, SC_ENET, "the issuer cannot be reached: %s", answer->words);
}

static sc_err ask_directory(const sc_pass_source *source, sc_pass_directory *out, sc_diag *diag)
{
    char url[SC_POST_URL_SIZE];
    const char *wrong = sc_post_url(source->issuer, SC_PASS_DIRECTORY_PATH, url);
    if (wrong) return sc_explain(diag, SC_EINVAL, "the address of the issuer %s", wrong);
    sc_http_call call = {.url = url};
    sc_http_answer answer = {.status = 0};
    sc_err err = exchange(source, &call, &answer, diag);
    if (!err && answer.status != 200) {
        err = sc_explain(diag, SC_ENET, "the issuer shows no directory: status %ld", answer.status);
    } else if (!err &&
               sc_pass_directory_parse((const char *)answer.body.data, answer.body.size, out)) {
        err =
            sc_explain(diag, SC_EPARSE, "%.400s: this is not the directory of a token issuer", url);
    }
    sc_http_answer_fini(&answer);
    return err;
}

/** The key by the rule of the service (pass_issuer.h): the last one that begins no later than the
 * epoch. */
static const sc_pass_listed_key *choose(const sc_pass_directory *directory, int64_t start_s)
{
    const sc_pass_listed_key *best = NULL;
    for (size_t i = 0; i < directory->count; i++) {
        const sc_pass_listed_key *key = &directory->keys[i];
        if (key->not_before_s > start_s) continue;
        if (!best || key->not_before_s > best->not_before_s) best = key;
    }
    return best;
}

static struct curl_slist *make_headers(const char *account)
{
    char line[LINE_ROOM];
    struct curl_slist *list = curl_slist_append(NULL, "Content-Type: " SC_PASS_REQUEST_TYPE);
    struct curl_slist *longer = list ? curl_slist_append(list, "Expect:") : NULL;
    if (longer && account) {
        list = longer;
        snprintf(line, sizeof line, "Authorization: Bearer %s", account);
        longer = curl_slist_append(list, line);
        explicit_bzero(line, sizeof line);
    }
    if (!longer) curl_slist_free_all(list);
    return longer;
}

static sc_err explain_refusal(long status, const sc_http_answer *answer, sc_diag *diag)
{
    switch (status) {
    case 401:
        return sc_explain(diag, SC_ENET,
                          "the issuer does not know this account (401); is it its own token?");
    case 429:
        return sc_explain(
            diag, SC_ENET,
            "the account has its token of this epoch (429), elsewhere; the next epoch "
            "begins in %ld s",
            answer->retry_after_s);
    default:
        return sc_explain(diag, SC_ENET, "the issuer gives no token: status %ld", status);
    }
}

static sc_err ask_signature(const sc_pass_source *source, const char *uri,
                            const uint8_t request[SC_PASS_REQUEST_SIZE], sc_http_answer *answer,
                            sc_diag *diag)
{
    char url[SC_POST_URL_SIZE];
    // The account's token goes to the address that was given, and to no other.
    if (uri[0] != '/' || uri[1] == '/' || sc_post_url(source->issuer, uri, url)) {
        return sc_explain(diag, SC_EPARSE, "the issuer's directory names no path for requests");
    }
    struct curl_slist *headers = make_headers(source->account);
    if (!headers) return SC_ENOMEM;
    sc_http_call call = {.rules = {.headers = headers},
                         .url = url,
                         .body = (const char *)request,
                         .body_size = SC_PASS_REQUEST_SIZE};
    sc_err err = exchange(source, &call, answer, diag);
    curl_slist_free_all(headers);
    if (!err && answer->status != 200) err = explain_refusal(answer->status, answer, diag);
    return err;
}

static sc_err issue(const sc_pass_source *source, const wanted_pass *wanted, const sc_pass_key *key,
                    const char *uri, char out[SC_PASS_AUTHORIZATION_SIZE], sc_diag *diag)
{
    uint8_t request[SC_PASS_REQUEST_SIZE];
    uint8_t token[SC_PASS_TOKEN_SIZE];
    sc_pass_pending pending = {0};
    sc_http_answer answer = {.status = 0};
    sc_err err = sc_pass_begin(key, wanted->bytes, wanted->size, request, &pending);
    if (!err) err = ask_signature(source, uri, request, &answer, diag);
    if (!err && sc_pass_finish(key, &pending, answer.body.data, answer.body.size, token)) {
        err = sc_explain(diag, SC_EPARSE, "the issuer's reply is no signature of its key");
    }
    if (!err) sc_pass_authorization_write(token, out);
    sc_pass_pending_wipe(&pending);
    sc_http_answer_fini(&answer);
    explicit_bzero(token, sizeof token);
    return err;
}

static sc_err ask_issuer(const sc_pass_source *source, const wanted_pass *wanted,
                         char out[SC_PASS_AUTHORIZATION_SIZE], sc_diag *diag)
{
    sc_pass_directory *directory = calloc(1, sizeof *directory);
    if (!directory) return SC_ENOMEM;
    sc_pass_key key = {.rsa = NULL};
    sc_err err = ask_directory(source, directory, diag);
    if (!err) {
        const sc_pass_listed_key *listed =
            choose(directory, (int64_t)wanted->epoch * source->epoch_s);
        err = listed ? sc_pass_key_parse(listed->spki, sizeof listed->spki, &key)
                     : sc_explain(diag, SC_ENET, "the issuer has no key for this epoch");
    }
    if (!err) err = issue(source, wanted, &key, directory->request_uri, out, diag);
    sc_pass_key_fini(&key);
    free(directory);
    return err;
}

sc_err sc_pass_source_get(const sc_pass_source *source, int64_t now_s,
                          char out[SC_PASS_AUTHORIZATION_SIZE], sc_diag *diag)
{
    wanted_pass wanted;
    if (sodium_init() < 0) return sc_explain(diag, SC_EIO, "no random numbers can be had");
    sc_err err = name_all(source, now_s, &wanted, diag);
    if (err || find_kept(source->file, &wanted, out)) return err;
    err = ask_issuer(source, &wanted, out, diag);
    return err ? err : keep(source->file, &wanted, out, diag);
}
