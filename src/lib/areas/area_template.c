// Addresses and bodies of questions. See area_template.h.
#include "areas/area_template.h"

#include "base/bytes.h"
#include "base/diag.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// --- Checking -----------------------------------------------------------------------------------

// Which place begins at `text`, or SC__AREA_PLACE_COUNT.
static int place_at(const char *text)
{
    for (int place = 0; place < SC__AREA_PLACE_COUNT; place++) {
        const size_t size = strlen(sc__area_place_names[place]);
        if (text[0] == '{' && strncmp(text + 1, sc__area_place_names[place], size) == 0 &&
            text[1 + size] == '}') {
            return place;
        }
    }
    return SC__AREA_PLACE_COUNT;
}

static size_t place_size(int place)
{
    return strlen(sc__area_place_names[place]) + 2;
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

bool sc__area_url_same_origin(const char *a, const char *b)
{
    const char *end_a = behind_host(a);
    const char *end_b = behind_host(b);
    return end_a && end_b && end_a - a == end_b - b && strncasecmp(a, b, (size_t)(end_a - a)) == 0;
}

sc_err sc__area_body_check(const char *body, bool found[SC__AREA_PLACE_COUNT], sc_diag *diag)
{
    if (strlen(body) > SC__AREA_TEMPLATE_MAX) {
        return sc_fail(diag, SC_EINVAL, "body is longer than %d bytes", SC__AREA_TEMPLATE_MAX);
    }
    for (const char *c = strchr(body, '{'); c; c = strchr(c + 1, '{')) {
        const int place = place_at(c);
        if (place < SC__AREA_PLACE_COUNT) found[place] = true;
    }
    return SC_OK;
}

static sc_err check_place(const char *at, const char *path, bool found[SC__AREA_PLACE_COUNT],
                          sc_diag *diag)
{
    const int place = place_at(at);
    if (at[0] == '}') return sc_fail(diag, SC_EINVAL, "url has a '}' without a '{'");
    if (place == SC__AREA_PLACE_COUNT) {
        return sc_fail(diag, SC_EINVAL,
                       "url has an unknown place %s; known are {west}, {south}, {east}, {north}, "
                       "{categories}, {limit}, {offset} and {cursor}",
                       sc_quote(at, strnlen(at, strcspn(at, "}") + 1)).text);
    }
    if (at < path) {
        return sc_fail(diag, SC_EINVAL,
                       "url has {%s} in the name of the host, which is visible on the network; put "
                       "it into the path or after '?'",
                       sc__area_place_names[place]);
    }
    found[place] = true;
    return SC_OK;
}

sc_err sc__area_url_check(const char *url, bool found[SC__AREA_PLACE_COUNT], sc_diag *diag)
{
    if (!url || !*url) return sc_fail(diag, SC_EINVAL, "url is missing in section [provider]");
    const char *path = behind_host(url);
    if (strlen(url) > SC__AREA_TEMPLATE_MAX) {
        return sc_fail(diag, SC_EINVAL, "url is longer than %d bytes", SC__AREA_TEMPLATE_MAX);
    }
    if (!path)
        return sc_fail(diag, SC_EINVAL, "url must begin with http:// or https:// and a host");
    for (const char *c = url; *c; c++) {
        if (*c <= ' ' || *c == 0x7f || (unsigned char)*c >= 0x80 || *c == '#') {
            return sc_fail(diag, SC_EINVAL,
                           "url has a blank, a '#' or another character that must be written as "
                           "%%XX");
        }
    }
    // A name before '@' would be sent with every question, and is no place for a secret.
    if (memchr(url, '@', (size_t)(path - url))) {
        return sc_fail(diag, SC_EINVAL,
                       "url has a user before the host; give Authorization in section [headers]");
    }
    for (const char *c = strpbrk(url, "{}"); c; c = strpbrk(c + 1, "{}")) {
        const sc_err err = check_place(c, path, found, diag);
        if (err) return err;
        c += place_size(place_at(c)) - 1;
    }
    return SC_OK;
}

// --- Filling ------------------------------------------------------------------------------------

/** How values are written so that they stay values. */
typedef enum escape { AS_ADDRESS, AS_JSON, AS_TEXT } escape;

/** A text being written. */
typedef struct pen {
    sc_bytes *out;
    escape escape;
    bool is_full;  ///< memory is out
    bool is_bad;   ///< a word cannot be written here
} pen;

static void put(pen *p, const char *bytes, size_t size)
{
    p->is_full = p->is_full || !sc_bytes_append(p->out, bytes, size);
}

static void put_number(pen *p, uint64_t number)
{
    char digits[24];
    put(p, digits, (size_t)snprintf(digits, sizeof digits, "%" PRIu64, number));
}

// By whole numbers: printf would write a comma in some locales.
static void put_coordinate(pen *p, double coordinate)
{
    const int64_t per_unit = 10000000;
    const int64_t steps = llround(coordinate * (double)per_unit);
    const int64_t size = steps < 0 ? -steps : steps;
    char digits[48];
    put(p, digits,
        (size_t)snprintf(digits, sizeof digits, "%s%" PRId64 ".%07" PRId64, steps < 0 ? "-" : "",
                         size / per_unit, size % per_unit));
}

static void put_percent(pen *p, const char *word)
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

static void put_word(pen *p, const char *word)
{
    if (p->escape == AS_ADDRESS) {
        put_percent(p, word);
        return;
    }
    for (const char *c = word; *c; c++) {
        const bool is_special = *c == '"' || *c == '\\';
        if ((unsigned char)*c < 0x20 || (is_special && p->escape == AS_TEXT)) p->is_bad = true;
        if (is_special) put(p, "\\", 1);
        put(p, c, 1);
    }
}

// The provider's words for one of our categories; each counts.
static void put_category(pen *p, const sc_area_settings *s, const char *ours, bool *is_first)
{
    const char *separator = s->categories_separator ? s->categories_separator : ",";
    const char *quote = s->categories_quote ? s->categories_quote : "";
    bool is_mapped = false;
    for (size_t i = 0; i <= s->word_count; i++) {
        const bool is_last = i == s->word_count;
        if (is_last ? is_mapped : strcmp(s->words[i].ours, ours) != 0) continue;
        is_mapped = true;
        if (!*is_first) put(p, separator, strlen(separator));
        *is_first = false;
        if (p->escape == AS_ADDRESS) put_percent(p, quote);
        if (p->escape != AS_ADDRESS) put(p, quote, strlen(quote));
        put_word(p, is_last ? ours : s->words[i].theirs);
        if (p->escape == AS_ADDRESS) put_percent(p, quote);
        if (p->escape != AS_ADDRESS) put(p, quote, strlen(quote));
    }
}

static void put_categories(pen *p, const sc_area_settings *s, const sc__area_question *q)
{
    bool is_first = true;
    for (size_t i = 0; i < q->category_count; i++) {
        put_category(p, s, q->categories[i], &is_first);
    }
    if (q->category_count == 0 && s->categories_all) {
        if (p->escape == AS_ADDRESS) put_percent(p, s->categories_all);
        if (p->escape != AS_ADDRESS) put(p, s->categories_all, strlen(s->categories_all));
    }
}

static void put_place(pen *p, const sc_area_settings *s, const sc__area_question *q, int place)
{
    const double coordinates[] = {q->box.west, q->box.south, q->box.east, q->box.north};
    switch (place) {
    case SC__AREA_CATEGORIES:
        put_categories(p, s, q);
        break;
    case SC__AREA_LIMIT:
        put_number(p, s->page_size);
        break;
    case SC__AREA_OFFSET:
        put_number(p, q->offset);
        break;
    case SC__AREA_CURSOR:
        put_word(p, q->cursor);
        break;
    default:
        put_coordinate(p, coordinates[place]);
        break;
    }
}

static sc_err fill(const sc_area_settings *s, const char *template, const sc__area_question *q,
                   pen *p, sc_diag *diag)
{
    while (*template) {
        const size_t plain = strcspn(template, "{");
        put(p, template, plain);
        template += plain;
        if (!*template) break;
        const int place = place_at(template);
        if (place == SC__AREA_PLACE_COUNT) {
            put(p, template ++, 1);
        } else {
            put_place(p, s, q, place);
            template += place_size(place);
        }
    }
    put(p, "", 1);
    if (p->is_full) return sc_fail_memory(diag, "asking the provider for an area");
    if (p->is_bad) {
        return sc_fail(diag, SC_EREQUEST,
                       "the word for a category or a cursor has a quote or a control character, "
                       "which this body cannot have");
    }
    return SC_OK;
}

sc_err sc__area_url_fill(const sc_area_settings *settings, const sc__area_question *question,
                         sc_bytes *out, sc_diag *diag)
{
    const bool is_all = question->category_count == 0;
    pen p = {.out = out, .escape = AS_ADDRESS};
    return fill(settings, is_all && settings->url_all ? settings->url_all : settings->url, question,
                &p, diag);
}

static escape escape_of(const sc_area_settings *settings)
{
    const char *type = settings->content_type ? settings->content_type : "application/json";
    if (strncasecmp(type, "application/x-www-form-urlencoded", 33) == 0) return AS_ADDRESS;
    const size_t size = strcspn(type, ";");
    const bool is_json = size >= 4 && strncasecmp(type + size - 4, "json", 4) == 0;
    return is_json ? AS_JSON : AS_TEXT;
}

sc_err sc__area_body_fill(const sc_area_settings *settings, const sc__area_question *question,
                          sc_bytes *out, sc_diag *diag)
{
    const bool is_all = question->category_count == 0;
    pen p = {.out = out, .escape = escape_of(settings)};
    return fill(settings, is_all && settings->body_all ? settings->body_all : settings->body,
                question, &p, diag);
}

double sc__area_rounded(double coordinate)
{
    return (double)llround(coordinate * 1e7) / 1e7;
}
