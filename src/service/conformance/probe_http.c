// Sending messages to a provider that is checked, and reading what comes back.
#include "conformance/conformance_internal.h"

#include "base/bytes.h"
#include "base/diag.h"
#include "base/json_tree.h"
#include "net/http_client.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// --- Findings -----------------------------------------------------------------------------------

SC_PRINTF(3, 0)
static void find(sc_finding *finding, sc_verdict verdict, const char *format, va_list arguments)
{
    finding->verdict = verdict;
    vsnprintf(finding->found, sizeof finding->found, format, arguments);
}

sc_err sc__finding_fails(sc_finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    find(finding, SC_VERDICT_FAIL, format, arguments);
    va_end(arguments);
    return SC_OK;
}

sc_err sc__finding_skips(sc_finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    find(finding, SC_VERDICT_SKIP, format, arguments);
    va_end(arguments);
    return SC_OK;
}

// --- One message --------------------------------------------------------------------------------

static struct curl_slist *append_header(struct curl_slist *list, const char *name,
                                        const char *value, bool *is_fine)
{
    char line[256];
    snprintf(line, sizeof line, "%s: %s", name, value);
    struct curl_slist *longer = curl_slist_append(list, line);
    if (!longer) *is_fine = false;
    return longer ? longer : list;
}

void sc__probe_post(const sc__probe *probe, const char *type, const void *bytes, size_t size,
                    sc__probe_answer *answer)
{
    const sc_conformance_options *options = probe->options;
    bool is_fine = true;
    struct curl_slist *headers = append_header(NULL, "Content-Type", type, &is_fine);
    headers =
        append_header(headers, "Accept", sc_encoding_media_type(probe->codec.encoding), &is_fine);
    // The service never waits to be told to go on, either.
    headers = append_header(headers, "Expect", "", &is_fine);
    *answer = (sc__probe_answer){.status = 0};
    const sc_http_call call = {
        .rules = {.user_agent = "starcloak",
                  .headers = headers,
                  .max_bytes = sc_codec_limits_default().max_bytes,
                  .http_version = CURL_HTTP_VERSION_1_1,  // as the service asks
                  .ca_file = options->ca,
                  .certificate_file = options->certificate,
                  .key_file = options->key ? options->key : options->certificate},
        .url = options->url,
        .body = bytes,
        .body_size = size,
        .timeout_s = options->timeout_s,
    };
    sc_http_answer got = {.status = 0};
    if (is_fine && sc_http_call_wait(&call, &got)) {
        answer->status = got.status;
        answer->body = got.body;
        got.body = (sc_bytes){.data = NULL};
        memcpy(answer->type, got.type, sizeof answer->type);
    } else {
        snprintf(answer->words, sizeof answer->words, "%s",
                 got.failure == SC_HTTP_TOO_LARGE   ? "the reply has more than 16 MiB"
                 : got.failure == SC_HTTP_TIMED_OUT ? "no reply in time"
                                                    : got.words);
    }
    sc_http_answer_fini(&got);
    curl_slist_free_all(headers);
}

void sc__probe_answer_fini(sc__probe_answer *answer)
{
    sc_bytes_fini(&answer->body);
}

/** Printable ASCII of a stranger's text. */
static void copy_printable(char *out, size_t room, const char *text)
{
    size_t at = 0;
    for (; *text != '\0' && at + 1 < room; text++) {
        out[at++] = *text >= ' ' && *text <= '~' ? *text : '?';
    }
    out[at] = '\0';
}

sc__probe_title sc__probe_problem_title(const sc__probe_answer *answer)
{
    static const char wanted[] = "application/problem+json";
    sc__probe_title title = {.text = ""};
    if (strncasecmp(answer->type, wanted, sizeof wanted - 1) != 0) return title;
    sc_json_tree document = {0};
    sc_json_error error;
    if (sc_json_tree_read((const char *)answer->body.data, answer->body.size, &document, &error)) {
        return title;
    }
    const char *text = sc_json_text_at(sc_json_member(document.root, "title"));
    if (text) copy_printable(title.text, sizeof title.text, text);
    sc_json_tree_fini(&document);
    return title;
}

sc__probe_words sc__probe_answer_words(const sc__probe_answer *answer)
{
    sc__probe_words words;
    if (answer->status == 0) {
        snprintf(words.text, sizeof words.text, "no reply: %s", answer->words);
        return words;
    }
    const sc__probe_title title = sc__probe_problem_title(answer);
    snprintf(words.text, sizeof words.text, "status %ld%s%s", answer->status,
             title.text[0] != '\0' ? ": " : "", title.text);
    return words;
}

// --- A relay and its reply ----------------------------------------------------------------------

static sc_err read_reply(const sc__probe *probe, const sc_relay *relay,
                         const sc__probe_answer *answer, sc_reply *reply, sc_finding *finding)
{
    if (answer->status != 200) {
        return sc__finding_fails(finding, "%s", sc__probe_answer_words(answer).text);
    }
    sc_diag diag = {.message = ""};
    const sc_err err =
        sc_reply_decode(&probe->codec, relay, answer->body.data, answer->body.size, reply, &diag);
    if (err == SC_ENOMEM) return err;
    if (err) {
        return sc__finding_fails(finding, "%s",
                                 diag.message[0] != '\0' ? diag.message : sc_err_text(err));
    }
    return SC_OK;
}

sc_err sc__probe_ask(sc__probe *probe, const sc_relay *relay, sc_reply *reply, sc_finding *finding)
{
    sc_bytes message = {.data = NULL};
    sc_err err = sc_relay_encode(&probe->codec, relay, &message, NULL);
    if (!err) {
        sc__probe_answer answer;
        sc__probe_post(probe, sc_encoding_media_type(probe->codec.encoding), message.data,
                       message.size, &answer);
        err = read_reply(probe, relay, &answer, reply, finding);
        sc__probe_answer_fini(&answer);
    }
    sc_bytes_fini(&message);
    return err;
}
