// One POST to the provider through curl, and what came of it. See provider_request.h.
#include "courier/provider_request.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/json_tree.h"
#include "net/http_client.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

// --- When to try again ----------------------------------------------------------------------

bool sc__retry_may_help(int status)
{
    switch (status) {
    case 408:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
        return true;
    default:
        return false;
    }
}

static int64_t longest_pause_us(unsigned tries)
{
    int64_t pause_us = SC__RETRY_FIRST_US;
    for (unsigned i = 1; i < tries && pause_us < SC__RETRY_LONGEST_US; i++) {
        pause_us *= 2;
    }
    return pause_us < SC__RETRY_LONGEST_US ? pause_us : SC__RETRY_LONGEST_US;
}

int64_t sc__retry_at(unsigned tries, int64_t told_us, int64_t now_us, int64_t deadline_us,
                     double luck)
{
    const int64_t half_us = longest_pause_us(tries) / 2;
    const int64_t drawn_us = (int64_t)((double)half_us * luck);
    // Not earlier than told, and not all at the moment that everyone was told.
    const int64_t least_us = told_us > half_us ? told_us : half_us;
    const int64_t left_us = deadline_us - now_us;
    if (left_us <= drawn_us || least_us >= left_us - drawn_us) return SC__RETRY_NEVER;
    return now_us + least_us + drawn_us;
}

// --- What a provider says that did not answer -----------------------------------------------

bool sc__is_media_type(const char *type, const char *wanted)
{
    const size_t size = strlen(wanted);
    if (!type || strncasecmp(type, wanted, size) != 0) return false;
    return type[size] == '\0' || type[size] == ';' || type[size] == ' ' || type[size] == '\t';
}

// Letters that a terminal or a log could take for something else become question marks.
static void copy_printable(sc__title *title, const char *text)
{
    static const char more[] = "...";
    const size_t room = sizeof title->text - sizeof more;
    size_t used = 0;
    for (; used < room && text[used] != '\0'; used++) {
        const char letter = text[used];
        title->text[used] = letter >= ' ' && letter <= '~' ? letter : '?';
    }
    memcpy(title->text + used, more, text[used] != '\0' ? sizeof more : 0);
}

sc__title sc__problem_title(const char *type, const void *body, size_t size)
{
    sc__title title = {.text = ""};
    if (!sc__is_media_type(type, "application/problem+json")) return title;
    sc_json_tree document = {0};
    sc_json_error error;
    if (sc_json_tree_read(body, size, &document, &error)) return title;
    const char *text = sc_json_text_at(sc_json_member(document.root, "title"));
    if (text) copy_printable(&title, text);
    sc_json_tree_fini(&document);
    return title;
}

/** Headers of a reply may have so many bytes; and of a reply that is none, so many are looked at.
 */
enum { HEADER_MAX = 64 * 1024, PROBLEM_MAX = 16 * 1024 };

/** A provider that wants to be left alone longer is not asked again in any case. */
enum { LONGEST_REST_S = 24 * 3600 };

// --- Rules ----------------------------------------------------------------------------------

static sc_err check_url(const char *url, sc_diag *diag)
{
    sc_err err = SC_EINVAL;
    char *scheme = NULL;
    char *host = NULL;
    CURLU *parts = curl_url();
    if (!parts) return sc_fail_memory(diag, "preparing to ask the provider");
    if (url && !curl_url_set(parts, CURLUPART_URL, url, 0) &&
        !curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) &&
        !curl_url_get(parts, CURLUPART_HOST, &host, 0) &&
        (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0)) {
        err = SC_OK;
    }
    curl_free(scheme);
    curl_free(host);
    curl_url_cleanup(parts);
    if (!err) return SC_OK;
    return sc_fail(diag, err,
                   "the provider's URL is not valid; write it as http://HOST:PORT/PATH or "
                   "https://HOST:PORT/PATH");
}

// A file that is cut short while it is mapped would end the program: take a copy.
static sc_err read_file(const char *path, sc_bytes *out, sc_diag *diag)
{
    if (!path) return SC_OK;
    sc_file file = {.memory = NULL};
    sc_err err = sc_file_map(path, &file, diag);
    if (err) return err;
    if (file.input.size == 0) {
        // With nothing in it curl would take the system's authorities instead.
        err = sc_fail(diag, SC_EIO, "%s: the file is empty", path);
    } else if (!sc_reserve(&out->data, file.input.size, &out->capacity, 1)) {
        err = sc_fail_memory(diag, "reading a certificate or key");
    } else {
        memcpy(out->data, file.input.data, file.input.size);
        out->size = file.input.size;
    }
    sc_file_close(&file);
    return err;
}

static sc_err read_files(sc__request_rules *rules, const sc_courier_options *options, sc_diag *diag)
{
    if (!options->certificate != !options->key) {
        return sc_fail(diag, SC_EINVAL,
                       "a certificate for the provider and its key are needed together; give both");
    }
    sc_err err = read_file(options->ca, &rules->ca, diag);
    if (!err) err = read_file(options->certificate, &rules->certificate, diag);
    if (!err) err = read_file(options->key, &rules->key, diag);
    return err;
}

static bool add_header(sc__request_rules *rules, const char *name, const char *value)
{
    char connection[128];
    snprintf(connection, sizeof connection, "%s:%s%s", name, value[0] != '\0' ? " " : "", value);
    struct curl_slist *longer = curl_slist_append(rules->headers, connection);
    if (longer) rules->headers = longer;
    return longer;
}

sc_err sc__request_rules_init(sc__request_rules *rules, const sc_courier_options *options,
                              sc_diag *diag)
{
    *rules = (sc__request_rules){.type = sc_encoding_media_type(options->encoding),
                                 .encoding = options->encoding,
                                 .max_bytes = sc_codec_limits_default().max_bytes,
                                 .try_timeout_s = options->try_timeout_s};
    sc_err err = check_url(options->url, diag);
    if (!err) err = read_files(rules, options, diag);
    if (err) goto fail;
    const size_t url_bytes = strlen(options->url) + 1;
    rules->url = sc_malloc(url_bytes);
    // One without a value is not sent: curl would wait for the provider's consent to larger bodies.
    if (!rules->url || !add_header(rules, "Content-Type", rules->type) ||
        !add_header(rules, "Accept", rules->type) || !add_header(rules, "Expect", "")) {
        err = sc_fail_memory(diag, "preparing to ask the provider");
        goto fail;
    }
    memcpy(rules->url, options->url, url_bytes);
    return SC_OK;
fail:
    sc__request_rules_fini(rules);
    return err;
}

void sc__request_rules_fini(sc__request_rules *rules)
{
    if (rules->url) explicit_bzero(rules->url, strlen(rules->url));
    sc_free(rules->url);
    curl_slist_free_all(rules->headers);
    if (rules->key.data) explicit_bzero(rules->key.data, rules->key.size);
    sc_bytes_fini(&rules->ca);
    sc_bytes_fini(&rules->certificate);
    sc_bytes_fini(&rules->key);
    *rules = (sc__request_rules){.url = NULL};
}

// --- What comes -----------------------------------------------------------------------------

// curl hands over a part of the body; taking less than that ends the transfer.
static size_t take_bytes(char *bytes, size_t one, size_t count, void *context)
{
    (void)one;  // always 1
    sc__provider_request *request = context;
    long status = 0;
    curl_easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &status);
    // An excuse is not worth a failure: what is too long of it is passed over.
    if (status != 200 && count > PROBLEM_MAX - request->size) return count;
    if (count > request->rules->max_bytes - request->size) {
        request->trouble = SC_FAILURE_UNBELIEVABLE;
        return 0;
    }
    if (!sc_reserve(&request->body, request->size + count, &request->capacity, 1)) {
        request->trouble = SC_FAILURE_OVERLOADED;
        return 0;
    }
    memcpy(request->body + request->size, bytes, count);
    request->size += count;
    return count;
}

// A provider could go on with headers for ever.
// NOLINTNEXTLINE(readability-non-const-parameter): this is how curl calls it
static size_t take_header(char *bytes, size_t one, size_t count, void *context)
{
    (void)bytes;
    (void)one;
    sc__provider_request *request = context;
    request->header_size += count;
    if (request->header_size <= HEADER_MAX) return count;
    request->trouble = SC_FAILURE_UNBELIEVABLE;
    return 0;
}

// --- What leaves ----------------------------------------------------------------------------

bool sc__provider_request_is_sent(const sc__provider_request *request)
{
    long bytes = 0;
    curl_easy_getinfo(request->easy, CURLINFO_REQUEST_SIZE, &bytes);
    return bytes > 0;
}

// The connection is there, and curl is about to speak: the last moment at which it can be kept
// silent. It calls once more if it has to say the same on another connection.
// NOLINTNEXTLINE(readability-non-const-parameter): this is how curl calls it
static int let_speak(void *context, char *there, char *here, int port_there, int port_here)
{
    (void)there, (void)here, (void)port_there, (void)port_here;
    sc__provider_request *request = context;
    if (sc_clock_us() >= request->leave_by_us && !sc__provider_request_is_sent(request)) {
        request->trouble = SC_FAILURE_UNSENT;
        return CURL_PREREQFUNC_ABORT;
    }
    if (request->speaks) request->speaks(request);
    return CURL_PREREQFUNC_OK;
}

// --- A post ---------------------------------------------------------------------------------

// What holds for every try, beside what holds for all requests.
static bool prepare(sc__provider_request *request)
{
    CURL *easy = request->easy;
    const sc__request_rules *rules = request->rules;
    bool is_fine = true;
    is_fine &= !curl_easy_setopt(easy, CURLOPT_URL, rules->url);
    // One exchange at a time on a connection, so that there are as many as the operator allows.
    is_fine &= !curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    const long timeout_ms = (long)(rules->try_timeout_s * 1000.0) + 1;
    is_fine &= !curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, timeout_ms);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, let_speak);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_PREREQDATA, request);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_bytes);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_WRITEDATA, request);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_HEADERDATA, request);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_PRIVATE, request);
    // A name that cannot be looked up must not hold up the others once its time is over.
    is_fine &= !curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_POST, 1L);
    return is_fine;
}

static CURL *new_easy(const sc__request_rules *rules)
{
    const sc_http_rules shared = {.user_agent = "StarCloak",
                                  .headers = rules->headers,
                                  .max_bytes = rules->max_bytes,
                                  .ca = &rules->ca,
                                  .certificate = &rules->certificate,
                                  .key = &rules->key};
    return sc_http_easy_new(&shared);
}

sc_err sc__provider_request_init(sc__provider_request *request, const sc__request_rules *rules,
                                 sc__provider_request_speaks *speaks)
{
    *request = (sc__provider_request){.speaks = speaks, .rules = rules, .easy = new_easy(rules)};
    if (request->easy && prepare(request)) return SC_OK;
    sc__provider_request_fini(request);
    return SC_ENET;
}

bool sc__provider_request_renew(sc__provider_request *request, const sc__request_rules *rules)
{
    CURL *before = request->easy;
    const sc__request_rules *old = request->rules;
    // Connections that were opened with other certificates are not used for it: curl compares.
    CURL *easy = new_easy(rules);
    request->easy = easy;
    request->rules = rules;
    if (easy && prepare(request)) {
        curl_easy_cleanup(before);
        return true;
    }
    curl_easy_cleanup(easy);
    request->easy = before;
    request->rules = old;
    return false;
}

void sc__provider_request_fini(sc__provider_request *request)
{
    curl_easy_cleanup(request->easy);
    sc_free(request->body);
    *request = (sc__provider_request){.easy = NULL};
}

sc_err sc__provider_request_begin(sc__provider_request *request, const void *bytes, size_t size,
                                  int64_t leave_by_us)
{
    request->leave_by_us = leave_by_us;
    request->size = 0;
    request->header_size = 0;
    request->trouble = SC_FAILURE_NONE;
    if (curl_easy_setopt(request->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size) ||
        curl_easy_setopt(request->easy, CURLOPT_POSTFIELDS, (const char *)bytes)) {
        return SC_ENOMEM;
    }
    return SC_OK;
}

// --- What came of it ------------------------------------------------------------------------

static sc__provider_request_result too_large(const sc__provider_request *request, sc_diag *diag)
{
    sc_fail(diag, SC_EREPLY,
            "the provider's reply is larger than the limit of %zu bytes, or its headers than %d",
            request->rules->max_bytes, (int)HEADER_MAX);
    return (sc__provider_request_result){.failure = SC_FAILURE_UNBELIEVABLE};
}

static sc__provider_request_result out_of_memory(sc_diag *diag)
{
    sc_fail_memory(diag, "asking the provider");
    return (sc__provider_request_result){.failure = SC_FAILURE_OVERLOADED};
}

static sc__provider_request_result unsent(sc_diag *diag)
{
    sc_fail(diag, SC_ELATE,
            "there was no connection to the provider before the first deadline of a cloak, so the "
            "cloak was not sent");
    return (sc__provider_request_result){.failure = SC_FAILURE_UNSENT};
}

// The transfer itself failed.
static sc__provider_request_result judge_transfer(const sc__provider_request *request,
                                                  CURLcode code, sc_diag *diag)
{
    if (request->trouble == SC_FAILURE_UNBELIEVABLE) return too_large(request, diag);
    if (request->trouble == SC_FAILURE_OVERLOADED) return out_of_memory(diag);
    if (request->trouble == SC_FAILURE_UNSENT) return unsent(diag);
    sc__provider_request_result result = {.failure = SC_FAILURE_UNREACHABLE};
    switch (code) {
    case CURLE_FILESIZE_EXCEEDED:
        return too_large(request, diag);
    case CURLE_OUT_OF_MEMORY:
        return out_of_memory(diag);
    case CURLE_OPERATION_TIMEDOUT:
        sc_fail(diag, SC_ENET, "the provider did not answer within %g seconds",
                request->rules->try_timeout_s);
        return (sc__provider_request_result){.failure = SC_FAILURE_TIMEOUT, .may_pass = true};
    case CURLE_UNSUPPORTED_PROTOCOL:  // the address was looked at: this is not HTTP, or HTTP/0.9
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
        result.failure = SC_FAILURE_UNBELIEVABLE;
        break;
    case CURLE_PEER_FAILED_VERIFICATION:  // someone else is there: nothing is said to them
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CIPHER:
        break;
    default:
        result.may_pass = true;
        break;
    }
    sc_fail(diag, SC_ENET, "the provider cannot be asked: %s", curl_easy_strerror(code));
    return result;
}

static int64_t told_to_wait_us(const sc__provider_request *request)
{
    curl_off_t seconds = 0;
    curl_easy_getinfo(request->easy, CURLINFO_RETRY_AFTER, &seconds);
    if (seconds <= 0) return 0;
    return (seconds < LONGEST_REST_S ? seconds : LONGEST_REST_S) * INT64_C(1000000);
}

static const char *type_of(const sc__provider_request *request)
{
    const char *type = NULL;
    curl_easy_getinfo(request->easy, CURLINFO_CONTENT_TYPE, &type);
    return type;
}

// The provider has answered something else than 200.
static sc__provider_request_result judge_status(const sc__provider_request *request, int status,
                                                sc_diag *diag)
{
    sc__provider_request_result result = {.failure = SC_FAILURE_REFUSED,
                                          .may_pass = sc__retry_may_help(status),
                                          .status = status,
                                          .told_us = told_to_wait_us(request)};
    if (status >= 300 && status < 400) {
        sc_fail(diag, SC_ENET,
                "the provider answered with a redirect (status %d), and redirects are not "
                "followed; set the provider's URL to the new address",
                status);
        return result;
    }
    const sc__title title = sc__problem_title(type_of(request), request->body, request->size);
    // Providers of version 1 of the protocol refuse the media type of version 2, and say so only.
    sc_fail(diag, SC_ENET, "the provider answered with status %d%s%s%s", status,
            title.text[0] != '\0' ? ": " : "", title.text,
            status == 415 ? "; it must read version 2 of the provider protocol: update it if it "
                            "does not"
                          : "");
    return result;
}

sc__provider_request_result sc__provider_request_end(sc__provider_request *request, CURLcode code,
                                                     sc_diag *diag)
{
    if (code != CURLE_OK) return judge_transfer(request, code, diag);
    long status = 0;
    curl_easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200) return judge_status(request, (int)status, diag);
    // One that is not labelled is read all the same: the decoder will see.
    const char *type = type_of(request);
    if (!type || sc_encoding_is_media_type(request->rules->encoding, type)) {
        return (sc__provider_request_result){.failure = SC_FAILURE_NONE, .status = 200};
    }
    const sc_quoted quoted = sc_quote(type, strlen(type));
    sc_fail(diag, SC_EREPLY, "the provider's reply is of type %s instead of %s", quoted.text,
            request->rules->type);
    return (sc__provider_request_result){.failure = SC_FAILURE_UNBELIEVABLE, .status = 200};
}
