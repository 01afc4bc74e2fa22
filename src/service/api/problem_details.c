// Problem details as JSON.
//
// Written without allocating: the problem may be that memory is out.
#include "api/problem_details.h"

#include "base/json_write.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/** What is said of every problem of a kind. */
typedef struct wording {
    int status;
    const char *type;
    const char *title;
} wording;

static const wording wordings[] = {
#define X(name, status, word, title) {(status), "urn:starcloak:problem:" word, title},
    SC_PROBLEM_MAP(X)
#undef X
};

bool sc_problem_set(sc_problem *problem, sc_problem_kind kind, const char *field,
                    const char *format, ...)
{
    // Field by field: the detail is filled next, and clearing it first would be for nothing.
    problem->kind = kind;
    problem->field = field;
    problem->retry_after_s = 0;
    problem->outcome = NULL;
    problem->reason = NULL;
    problem->pass = NULL;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(problem->detail, sizeof problem->detail, format, arguments);
    va_end(arguments);
    return false;
}

int sc_problem_status(sc_problem_kind kind)
{
    return wordings[kind].status;
}

// --- As JSON -------------------------------------------------------------------------------------

/** Enough for every problem: a detail of nothing but bytes that must be escaped takes 1532. */
enum { ROOM = 2048, WORD_MAX = 40 };

static size_t put_text(char *out, const char *text)
{
    return (size_t)(stpcpy(out, text) - out);
}

// ,"name":"text" for one of our own words, or nothing if there is none.
static size_t put_word(char *out, const char *name, const char *text)
{
    if (!text) return 0;
    size_t size = put_text(out, ",\"");
    size += put_text(out + size, name);
    size += put_text(out + size, "\":");
    return size + sc_json_escape(text, strnlen(text, WORD_MAX), out + size);
}

static size_t put_problem(const sc_problem *problem, char out[ROOM])
{
    const wording *words = &wordings[problem->kind];
    size_t size = (size_t)snprintf(out, ROOM, "{\"type\":\"%s\",\"title\":\"%s\",\"status\":%d",
                                   words->type, words->title, words->status);
    if (problem->detail[0] != '\0') {
        size += put_text(out + size, ",\"detail\":");
        size += sc_json_escape(problem->detail, strnlen(problem->detail, sizeof problem->detail),
                               out + size);
    }
    size += put_word(out + size, "field", problem->field);
    size += put_word(out + size, "outcome", problem->outcome);
    size += put_word(out + size, "reason", problem->reason);
    return size + put_text(out + size, "}");
}

size_t sc_problem_write(const sc_problem *problem, char *out, size_t room)
{
    char text[ROOM];
    const size_t size = put_problem(problem, text);
    const size_t fits = size < room ? size : room;
    memcpy(out, text, fits);
    return fits;
}

// --- As a reply ----------------------------------------------------------------------------------

void sc_problem_reply(sc_http_request *request, const sc_problem *problem, const char *allow)
{
    sc_http_header headers[4];
    size_t count = 0;
    char seconds[16];
    char challenge[SC_PASS_AUTHENTICATE_SIZE];
    if (problem->retry_after_s > 0) {
        (void)snprintf(seconds, sizeof seconds, "%u", problem->retry_after_s);
        headers[count++] = (sc_http_header){"Retry-After", seconds};
    }
    if (problem->kind == SC_PROBLEM_TOKEN) {
        headers[count++] = (sc_http_header){"WWW-Authenticate", "Bearer realm=\"starcloak\""};
        if (problem->pass && sc_pass_issuer_challenge(problem->pass, time(NULL), challenge)) {
            headers[count++] = (sc_http_header){"WWW-Authenticate", challenge};
        }
    }
    if (problem->kind == SC_PROBLEM_METHOD && allow) {
        headers[count++] = (sc_http_header){"Allow", allow};
    }
    char body[ROOM];
    const size_t size = put_problem(problem, body);
    sc_http_reply(request, sc_problem_status(problem->kind), "application/problem+json", body, size,
                  headers, count);
}

// What the server itself has to say, for statuses of which there are several problems, or whose
// title leaves a question.
static const struct {
    int status;
    sc_problem_kind kind;
    const char *detail;
} of_server[] = {
    {400, SC_PROBLEM_BODY, "the request is not valid HTTP/1.1"},
    {408, SC_PROBLEM_SLOW, "send the whole request sooner"},
    {413, SC_PROBLEM_TOO_LARGE, "a query takes a few hundred bytes"},
    {417, SC_PROBLEM_EXPECTATION, "the only supported value of Expect is 100-continue"},
    {429, SC_PROBLEM_RATE, "too many requests of this address are under way"},
    {431, SC_PROBLEM_HEADERS, "send fewer or shorter headers"},
    {500, SC_PROBLEM_INTERNAL, ""},
    {501, SC_PROBLEM_NOT_IMPLEMENTED, ""},
    {503, SC_PROBLEM_OVERLOADED, "retry in a second"},
};

size_t sc_problem_of_server(void *context, int status, char *buffer, size_t room)
{
    (void)context;
    sc_problem problem;
    sc_problem_set(&problem, SC_PROBLEM_INTERNAL, NULL, "%s", "");
    for (size_t i = 0; i < sizeof of_server / sizeof of_server[0]; i++) {
        if (of_server[i].status != status) continue;
        sc_problem_set(&problem, of_server[i].kind, NULL, "%s", of_server[i].detail);
        break;
    }
    return sc_problem_write(&problem, buffer, room);
}
