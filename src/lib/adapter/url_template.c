// Addresses and bodies of questions. See url_template.h.
#include "adapter/url_template.h"

#include "base/bytes.h"
#include "base/diag.h"
#include "base/url_secrets.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// --- Checking -----------------------------------------------------------------------------------

// Which place begins at `text`, or places->count.
static int place_at(const sc_template_places *places, const char *text)
{
    for (int place = 0; place < places->count; place++) {
        const size_t size = strlen(places->names[place]);
        if (text[0] == '{' && strncmp(text + 1, places->names[place], size) == 0 &&
            text[1 + size] == '}') {
            return place;
        }
    }
    return places->count;
}

static size_t place_size(const sc_template_places *places, int place)
{
    return strlen(places->names[place]) + 2;
}

// Where the host ends, or NULL if `url` has none that we could ask.
static const char *behind_host(const char *url)
{
    const char *host = NULL;
    if (strncasecmp(url, "http://", 7) == 0) host = url + 7;
    if (strncasecmp(url, "https://", 8) == 0) host = url + 8;
    if (!host) return NULL;
    const size_t size = strcspn(host, "/?#");
    return size > 0 ? host + size : NULL;
}

bool sc_url_same_origin(const char *a, const char *b)
{
    const char *end_a = behind_host(a);
    const char *end_b = behind_host(b);
    return end_a && end_b && end_a - a == end_b - b && strncasecmp(a, b, (size_t)(end_a - a)) == 0;
}

sc_err sc_body_template_check(const sc_template_places *places, const char *name, const char *body,
                              bool *found, sc_diag *diag)
{
    if (strlen(body) > SC_TEMPLATE_MAX) {
        return sc_fail(diag, SC_EINVAL, "%s is longer than %d bytes", name, SC_TEMPLATE_MAX);
    }
    for (const char *c = strchr(body, '{'); c; c = strchr(c + 1, '{')) {
        const int place = place_at(places, c);
        if (place < places->count) found[place] = true;
    }
    return SC_OK;
}

// "{lon}, {lat} and {k}", cut to fit.
static const char *list_places(const sc_template_places *places, char out[256])
{
    size_t size = 0;
    out[0] = '\0';
    for (int i = 0; i < places->count && size < 256; i++) {
        const char *between = i == 0 ? "" : i + 1 == places->count ? " and " : ", ";
        size += (size_t)snprintf(out + size, 256 - size, "%s{%s}", between, places->names[i]);
    }
    return out;
}

static sc_err check_place(const sc_template_places *places, const char *name, const char *at,
                          const char *path, bool *found, sc_diag *diag)
{
    char known[256];
    const int place = place_at(places, at);
    if (at[0] == '}') return sc_fail(diag, SC_EINVAL, "%s has a '}' without a '{'", name);
    if (place == places->count) {
        return sc_fail(diag, SC_EINVAL, "%s has an unknown place %s; known are %s", name,
                       sc_quote(at, strnlen(at, strcspn(at, "}") + 1)).text,
                       list_places(places, known));
    }
    if (at < path) {
        return sc_fail(diag, SC_EINVAL,
                       "%s has {%s} in the name of the host, which is visible on the network; put "
                       "it into the path or after '?'",
                       name, places->names[place]);
    }
    found[place] = true;
    return SC_OK;
}

// Templates are printed, compared and shown; a secret in them would be, too.
static sc_err check_secrets(const char *name, const char *path, sc_diag *diag)
{
    const char *query = strchr(path, '?');
    while (query) {
        const char *parameter = query + 1;
        const size_t size = strcspn(parameter, "=&");
        const size_t value_size = parameter[size] == '=' ? strcspn(parameter + size + 1, "&") : 0;
        const bool is_place = value_size > 0 && parameter[size + 1] == '{';
        if (value_size > 0 && !is_place &&
            sc_url_parameter_is_secret(parameter, size, value_size)) {
            return sc_fail(diag, SC_EINVAL,
                           "%s has a secret in it, the parameter %s; write {key} in its place, and "
                           "key = file:PATH or env:NAME in section [provider]",
                           name, sc_quote(parameter, size).text);
        }
        query = strchr(parameter, '&');
    }
    return SC_OK;
}

static sc_err check_letters(const char *name, const char *url, const char *path, sc_diag *diag)
{
    for (const char *c = url; *c; c++) {
        if (*c <= ' ' || *c == 0x7f || (unsigned char)*c >= 0x80 || *c == '#') {
            return sc_fail(diag, SC_EINVAL,
                           "%s has a blank, a '#' or another character that must be written as "
                           "%%XX",
                           name);
        }
    }
    // A name before '@' would be sent with every question, and is no place for a secret.
    if (memchr(url, '@', (size_t)(path - url))) {
        return sc_fail(diag, SC_EINVAL,
                       "%s has a user before the host; give Authorization in section [headers]",
                       name);
    }
    return SC_OK;
}

sc_err sc_url_template_check(const sc_template_places *places, const char *name, const char *url,
                             bool *found, sc_diag *diag)
{
    if (!url || !*url) {
        return sc_fail(diag, SC_EINVAL, "%s is missing in section [provider]", name);
    }
    const char *path = behind_host(url);
    if (strlen(url) > SC_TEMPLATE_MAX) {
        return sc_fail(diag, SC_EINVAL, "%s is longer than %d bytes", name, SC_TEMPLATE_MAX);
    }
    if (!path) {
        return sc_fail(diag, SC_EINVAL, "%s must begin with http:// or https:// and a host", name);
    }
    sc_err err = check_letters(name, url, path, diag);
    for (const char *c = strpbrk(url, "{}"); c && !err; c = strpbrk(c + 1, "{}")) {
        err = check_place(places, name, c, path, found, diag);
        if (!err) c += place_size(places, place_at(places, c)) - 1;
    }
    return err ? err : check_secrets(name, path, diag);
}

// --- Filling ------------------------------------------------------------------------------------

static void put(sc_template_pen *p, const char *bytes, size_t size)
{
    p->is_full = p->is_full || !sc_bytes_append(p->out, bytes, size);
}

void sc_pen_number(sc_template_pen *pen, uint64_t number)
{
    char digits[24];
    put(pen, digits, (size_t)snprintf(digits, sizeof digits, "%" PRIu64, number));
}

// By whole numbers: printf would write a comma in some locales.
void sc_pen_coordinate(sc_template_pen *pen, double coordinate)
{
    const int64_t per_unit = 10000000;
    const int64_t steps = llround(coordinate * (double)per_unit);
    const int64_t size = steps < 0 ? -steps : steps;
    char digits[48];
    put(pen, digits,
        (size_t)snprintf(digits, sizeof digits, "%s%" PRId64 ".%07" PRId64, steps < 0 ? "-" : "",
                         size / per_unit, size % per_unit));
}

static void put_percent(sc_template_pen *p, const char *word)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    static const char hex[] = "0123456789ABCDEF";
    for (const char *c = word; *c; c++) {
        const unsigned char byte = (unsigned char)*c;
        const char escaped[3] = {'%', hex[byte >> 4], hex[byte & 15]};
        const bool is_plain = strchr(plain, *c) != NULL;
        put(p, is_plain ? c : escaped, is_plain ? 1 : sizeof escaped);
    }
}

void sc_pen_word(sc_template_pen *pen, const char *word)
{
    if (pen->escape == SC_ESCAPE_ADDRESS) {
        put_percent(pen, word);
        return;
    }
    for (const char *c = word; *c; c++) {
        const bool is_special = *c == '"' || *c == '\\';
        if ((unsigned char)*c < 0x20 || (is_special && pen->escape == SC_ESCAPE_TEXT)) {
            pen->is_bad = true;
        }
        if (is_special) put(pen, "\\", 1);
        put(pen, c, 1);
    }
}

void sc_pen_plain(sc_template_pen *pen, const char *text)
{
    put(pen, text, strlen(text));
}

void sc_pen_operator_text(sc_template_pen *pen, const char *text)
{
    if (pen->escape == SC_ESCAPE_ADDRESS) {
        put_percent(pen, text);
    } else {
        sc_pen_plain(pen, text);
    }
}

sc_err sc_template_fill(const char *text, const sc_template_values *values,
                        sc_template_escape escape, sc_bytes *out, sc_diag *diag)
{
    sc_template_pen pen = {.out = out, .escape = escape};
    while (*text) {
        const size_t plain = strcspn(text, "{");
        put(&pen, text, plain);
        text += plain;
        if (!*text) break;
        const int place = place_at(values->places, text);
        if (place == values->places->count) {
            put(&pen, text++, 1);
        } else {
            values->put(&pen, values->context, place);
            text += place_size(values->places, place);
        }
    }
    put(&pen, "", 1);
    if (pen.is_full) return sc_fail_memory(diag, "asking the provider");
    if (pen.is_bad) {
        return sc_fail(diag, SC_EREQUEST,
                       "the word for a category or a cursor has a quote or a control character, "
                       "which this body cannot have");
    }
    return SC_OK;
}

sc_template_escape sc_template_escape_of(const char *content_type)
{
    if (strncasecmp(content_type, "application/x-www-form-urlencoded", 33) == 0) {
        return SC_ESCAPE_ADDRESS;
    }
    const size_t size = strcspn(content_type, ";");
    const bool is_json = size >= 4 && strncasecmp(content_type + size - 4, "json", 4) == 0;
    return is_json ? SC_ESCAPE_JSON : SC_ESCAPE_TEXT;
}

double sc_template_rounded(double coordinate)
{
    return (double)llround(coordinate * 1e7) / 1e7;
}
