// Addresses of questions, made from a template. See url.h.
#include "points/point_url.h"

#include "base/diag.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/** What a template may have places for. */
enum { LON, LAT, K, CATEGORY, PLACE_COUNT };

static const char *const places[PLACE_COUNT] = {"{lon}", "{lat}", "{k}", "{category}"};

// Which place begins at `text`, or PLACE_COUNT.
static int place_at(const char *text)
{
    int place = 0;
    while (place < PLACE_COUNT && strncmp(text, places[place], strlen(places[place])) != 0) {
        place++;
    }
    return place;
}

// --- Checking ---------------------------------------------------------------

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

static sc_err check_letters(const char *url, sc_diag *diag)
{
    for (const char *c = url; *c; c++) {
        if (*c <= ' ' || *c == 0x7f || (unsigned char)*c >= 0x80) {
            return sc_fail(diag, SC_EINVAL,
                           "the provider's URL has a blank or another character that must be "
                           "written as %%XX");
        }
    }
    // What follows is not sent, so a place in it would ask the same everywhere.
    if (strchr(url, '#')) {
        return sc_fail(diag, SC_EINVAL, "the provider's URL has a '#'; leave out what follows it");
    }
    return SC_OK;
}

static sc_err check_places(const char *url, const char *path, bool found[PLACE_COUNT],
                           sc_diag *diag)
{
    for (const char *c = strpbrk(url, "{}"); c; c = strpbrk(c + 1, "{}")) {
        if (c[0] == '}') return sc_fail(diag, SC_EINVAL, "the provider's URL has a '}' too many");
        const int place = place_at(c);
        const size_t size = strcspn(c, "}") + 1;
        if (place == PLACE_COUNT) {
            return sc_fail(diag, SC_EINVAL,
                           "the provider's URL has %s; what can be put into it is {lon}, {lat}, "
                           "{k} and {category}",
                           sc_quote(c, strnlen(c, size)).text);
        }
        if (c < path) {
            return sc_fail(diag, SC_EINVAL,
                           "the provider's URL has %s in the name of the host, which is no secret "
                           "on the way there; put it into the path or behind '?'",
                           places[place]);
        }
        found[place] = true;
        c += strlen(places[place]) - 1;
    }
    return SC_OK;
}

sc_err sc__url_check(const char *url, bool *has_category, sc_diag *diag)
{
    if (!url || !*url) return sc_fail(diag, SC_EINVAL, "the provider's URL is missing");
    if (strlen(url) > SC__URL_TEMPLATE_MAX) {
        return sc_fail(diag, SC_EINVAL, "the provider's URL is longer than %d bytes",
                       SC__URL_TEMPLATE_MAX);
    }
    const char *path = behind_host(url);
    if (!path) {
        return sc_fail(diag, SC_EINVAL,
                       "the provider's URL must begin with http:// or https:// and a host");
    }
    bool found[PLACE_COUNT] = {false};
    sc_err err = check_letters(url, diag);
    if (!err) err = check_places(url, path, found, diag);
    if (err) return err;
    for (int place = LON; place <= K; place++) {
        if (!found[place]) {
            return sc_fail(diag, SC_EINVAL,
                           "the provider's URL has no %s: without it every question would be the "
                           "same",
                           places[place]);
        }
    }
    *has_category = found[CATEGORY];
    return SC_OK;
}

// --- Filling ----------------------------------------------------------------

/** A text that grows to its limit, and then says so. */
typedef struct text {
    char *bytes;
    size_t size;
    bool is_full;
} text;

static void put(text *t, const char *bytes, size_t size)
{
    if (t->is_full || size >= SC__URL_SIZE - t->size) {
        t->is_full = true;
        return;
    }
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
}

static void put_number(text *t, int64_t number, int least_digits)
{
    char digits[24];
    put(t, digits, (size_t)snprintf(digits, sizeof digits, "%0*" PRId64, least_digits, number));
}

// By whole numbers: printf would write a comma where the locale says so.
static void put_coordinate(text *t, double coordinate)
{
    const int64_t per_unit = 10000000;
    const int64_t steps = llround(coordinate * (double)per_unit);
    const int64_t size = steps < 0 ? -steps : steps;
    if (steps < 0) put(t, "-", 1);
    put_number(t, size / per_unit, 1);
    put(t, ".", 1);
    put_number(t, size % per_unit, SC__URL_DECIMALS);
}

static void put_escaped(text *t, const char *word)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    static const char hex[] = "0123456789ABCDEF";
    for (const char *c = word; *c; c++) {
        const unsigned char byte = (unsigned char)*c;
        const char escaped[3] = {'%', hex[byte >> 4], hex[byte & 15]};
        if (strchr(plain, *c)) {
            put(t, c, 1);
        } else {
            put(t, escaped, sizeof escaped);
        }
    }
}

double sc__url_rounded(double coordinate)
{
    return (double)llround(coordinate * 1e7) / 1e7;
}

sc_err sc__url_fill(const char *url, const sc__url_values *values, char *out, sc_diag *diag)
{
    text t = {.bytes = out};
    while (*url) {
        const size_t plain = strcspn(url, "{");
        put(&t, url, plain);
        url += plain;
        if (!*url) break;
        const int place = place_at(url);
        if (place == LON) put_coordinate(&t, values->x);
        if (place == LAT) put_coordinate(&t, values->y);
        if (place == K) put_number(&t, values->k, 1);
        if (place == CATEGORY) put_escaped(&t, values->category);
        url += strlen(places[place]);
    }
    if (t.is_full) {
        return sc_fail(diag, SC_EREQUEST,
                       "the name of a category is too long to be put into the provider's URL");
    }
    out[t.size] = '\0';
    return SC_OK;
}
