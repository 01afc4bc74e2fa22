// Headers, paths and parameters of queries with a life of their own. See async_request.h.
#include "api/async_request.h"

#include <sodium.h>
#include <string.h>
#include <strings.h>

// --- Numbers -------------------------------------------------------------------------------------

/** More digits are no time that anybody waits. */
enum { DIGITS_MAX = 9 };

static size_t count_digits(const char *text)
{
    size_t count = 0;
    while (text[count] >= '0' && text[count] <= '9') {
        count++;
    }
    return count;
}

/** Seconds as "20" or "0.5": digits, and perhaps a point and more digits. Returns how many letters
 * it has; 0: it is none. */
static size_t read_seconds(const char *text, double *out)
{
    const size_t whole = count_digits(text);
    const size_t part = whole > 0 && text[whole] == '.' ? count_digits(text + whole + 1) : 0;
    if (whole == 0 || whole > DIGITS_MAX || part > DIGITS_MAX) return 0;
    if (text[whole] == '.' && part == 0) return 0;
    const size_t size = part > 0 ? whole + 1 + part : whole;
    double value = 0.0;
    for (size_t i = 0; i < whole; i++) {
        value = value * 10.0 + (text[i] - '0');
    }
    double weight = 1.0;
    for (size_t i = 0; i < part; i++) {
        weight /= 10.0;
        value += weight * (text[whole + 1 + i] - '0');
    }
    *out = value;
    return size;
}

// --- Headers -------------------------------------------------------------------------------------

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/** Up to the end of one preference: a comma outside of quotes. */
static const char *end_of_preference(const char *at)
{
    bool is_quoted = false;
    for (; *at && (is_quoted || *at != ','); at++) {
        if (*at == '\\' && is_quoted && at[1]) {
            at++;
        } else if (*at == '"') {
            is_quoted = !is_quoted;
        }
    }
    return at;
}

static bool is_name(const char *at, size_t size, const char *name)
{
    return strlen(name) == size && strncasecmp(at, name, size) == 0;
}

/** The first of each name counts (RFC 7240, section 2). */
static void read_preference(const char *at, sc_async_headers *out)
{
    const size_t size = strcspn(at, " \t,;=");
    const char *value = skip_blanks(at + size);
    if (is_name(at, size, "respond-async")) {
        out->is_preferred = true;
    } else if (is_name(at, size, "wait") && *value == '=' && !out->has_wait) {
        value = skip_blanks(value + 1);
        const bool is_quoted = *value == '"';
        double seconds = 0.0;
        const size_t digits = read_seconds(value + is_quoted, &seconds);
        const char *behind = value + is_quoted + digits;
        if (digits == 0 || (is_quoted && *behind++ != '"')) return;
        behind = skip_blanks(behind);
        if (*behind != '\0' && *behind != ',' && *behind != ';') return;
        out->has_wait = true;
        out->wait_s = seconds;
    }
}

static void read_preferences(const char *at, sc_async_headers *out)
{
    for (at = skip_blanks(at); *at; at = skip_blanks(at)) {
        if (*at != ',') read_preference(at, out);
        at = end_of_preference(at);
        if (*at == ',') at++;
    }
}

static bool read_key(const char *key, sc_async_headers *out, sc_problem *problem)
{
    const size_t size = strlen(key);
    size_t good = 0;
    while (key[good] > ' ' && key[good] <= '~') {
        good++;
    }
    if (size == 0 || size > SC_ASYNC_KEY_MAX || good != size) {
        return sc_problem_set(problem, SC_PROBLEM_REQUEST, "Idempotency-Key",
                              "a key has 1 to %d visible ASCII letters", (int)SC_ASYNC_KEY_MAX);
    }
    out->key = key;
    out->key_size = size;
    return true;
}

bool sc__async_headers_parse(const char *prefer, const char *key, sc_async_headers *out,
                             sc_problem *problem)
{
    *out = (sc_async_headers){0};
    if (prefer) read_preferences(prefer, out);
    return !key || read_key(key, out, problem);
}

bool sc_async_headers_read(const sc_http_request *request, sc_async_headers *out,
                           sc_problem *problem)
{
    static const char *const names[] = {"Prefer", "Idempotency-Key"};
    const char *values[2];
    sc_http_request_find_headers(request, names, 2, values);
    return sc__async_headers_parse(values[0], values[1], out, problem);
}

// --- Parameters ----------------------------------------------------------------------------------

static bool read_wait(const char *value, size_t size, double max_wait_s, sc_async_look *out,
                      sc_problem *problem)
{
    double seconds = 0.0;
    if (read_seconds(value, &seconds) == size && size > 0 && seconds <= max_wait_s) {
        out->wait_s = seconds;
        return true;
    }
    return sc_problem_set(problem, SC_PROBLEM_REQUEST, "parameter wait",
                          "it must be 0 to %g seconds", max_wait_s);
}

static bool read_known(const char *value, size_t size, sc_async_look *out, sc_problem *problem)
{
    for (sc_async_state state = 0; state < SC_ASYNC_STATE_COUNT; state++) {
        const char *name = sc_async_state_name(state);
        if (strlen(name) != size || memcmp(name, value, size) != 0) continue;
        out->has_known = true;
        out->known = state;
        return true;
    }
    return sc_problem_set(problem, SC_PROBLEM_REQUEST, "parameter known",
                          "it must be a state of a query, such as waiting");
}

bool sc_async_look_parse(const char *search, double max_wait_s, sc_async_look *out,
                         sc_problem *problem)
{
    static const char wait[] = "wait=";
    static const char known[] = "known=";
    *out = (sc_async_look){0};
    for (const char *at = search; *at;) {
        const size_t size = strcspn(at, "&");
        bool is_good = true;
        if (size == 0) {
            // Nothing between two of them.
        } else if (strncmp(at, wait, sizeof wait - 1) == 0) {
            is_good =
                read_wait(at + sizeof wait - 1, size - (sizeof wait - 1), max_wait_s, out, problem);
        } else if (strncmp(at, known, sizeof known - 1) == 0) {
            is_good = read_known(at + sizeof known - 1, size - (sizeof known - 1), out, problem);
        } else {
            is_good = sc_problem_set(problem, SC_PROBLEM_REQUEST, NULL,
                                     "unknown parameter; there are wait and known");
        }
        if (!is_good) return false;
        at += size;
        if (*at == '&') at++;
    }
    return true;
}

// --- Paths ---------------------------------------------------------------------------------------

const char sc_async_path[] = "/v1/queries/";

bool sc_async_path_is(const char *path)
{
    return strncmp(path, sc_async_path, strlen(sc_async_path)) == 0 &&
           path[strlen(sc_async_path)] != '\0';
}

bool sc_async_path_read(const char *path, size_t size, sc_async_id *out)
{
    if (!sc_async_path_is(path) || size > SC_ASYNC_ID_MAX) return false;
    const char *text = path + strlen(sc_async_path);
    size_t read = 0;
    const char *end = NULL;
    *out = (sc_async_id){.size = (uint8_t)size};
    return sodium_base642bin(out->bytes, size, text, strlen(text), NULL, &read, &end,
                             sodium_base64_VARIANT_URLSAFE_NO_PADDING) == 0 &&
           *end == '\0' && read == size;
}

void sc_async_id_write(const sc_async_id *id, char out[SC_ASYNC_ID_TEXT])
{
    sodium_bin2base64(out, SC_ASYNC_ID_TEXT, id->bytes, id->size,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}
