// The settings that all kinds of providers have in common: their list, memory, and checks; and what
// is asked by them. See provider_file.h.
#include "adapter/adapter_internal.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const char sc__adapter_memory_for[] = "reading the settings of a provider";

// === The list of settings =======================================================================

#define AT(field) offsetof(sc_adapter_settings, field)

static const sc_adapter_row common_rows[] = {
    {"provider", "address", SC_VALUE_TEXT, AT(address), 0, 0, NULL},
    {"provider", "url", SC_VALUE_TEXT, AT(url), 0, 0, NULL},
    {"provider", "url-all", SC_VALUE_TEXT, AT(url_all), 0, 0, NULL},
    {"provider", "method", SC_VALUE_WORD, AT(method), 0, 0, "get post"},
    {"provider", "body", SC_VALUE_TEXT, AT(body), 0, 0, NULL},
    {"provider", "body-all", SC_VALUE_TEXT, AT(body_all), 0, 0, NULL},
    {"provider", "content-type", SC_VALUE_TEXT, AT(content_type), 0, 0, NULL},
    {"provider", "ca", SC_VALUE_TEXT, AT(ca_file), 0, 0, NULL},
    {"provider", "key", SC_VALUE_SECRET, AT(key), 0, 0, NULL},
    {"provider", "categories-separator", SC_VALUE_TEXT, AT(categories_separator), 0, 0, NULL},
    {"provider", "categories-quote", SC_VALUE_TEXT, AT(categories_quote), 0, 0, NULL},
    {"provider", "categories-all", SC_VALUE_TEXT, AT(categories_all), 0, 0, NULL},
    {"fields", "list", SC_VALUE_POINTER, AT(list), 0, 0, NULL},
    {"fields", "no-list", SC_VALUE_WORD, AT(no_list), 0, 0, "refused empty"},
    {"fields", "id", SC_VALUE_POINTERS, AT(id), 0, 0, NULL},
    {"fields", "lon", SC_VALUE_POINTERS, AT(lon), 0, 0, NULL},
    {"fields", "lat", SC_VALUE_POINTERS, AT(lat), 0, 0, NULL},
    {"fields", "geometry", SC_VALUE_POINTERS, AT(geometry), 0, 0, NULL},
    {"fields", "name", SC_VALUE_POINTERS, AT(name), 0, 0, NULL},
    {"fields", "category", SC_VALUE_POINTERS, AT(category), 0, 0, NULL},
    {"fields", "default-category", SC_VALUE_TEXT, AT(default_category), 0, 0, NULL},
    {"fields", "error", SC_VALUE_POINTER, AT(error), 0, 0, NULL},
    {"fields", "shape", SC_VALUE_WORD, AT(shape), 0, 0, "first centre"},
    {"fields", "axis-order", SC_VALUE_WORD, AT(axis_order), 0, 0, "lon-lat lat-lon"},
    {"limits", "rate", SC_VALUE_NUMBER, AT(rate_per_s), 0, 1e6, NULL},
    {"limits", "parallel", SC_VALUE_COUNT, AT(parallel), 1, 64, NULL},
    {"limits", "timeout", SC_VALUE_NUMBER, AT(timeout_s), 0.01, 3600, NULL},
    {"limits", "deadline", SC_VALUE_NUMBER, AT(deadline_s), 0.01, 3600, NULL},
    {"limits", "max-bytes", SC_VALUE_COUNT, AT(max_bytes), 1024, (double)(1 << 30), NULL},
};

enum { COMMON_COUNT = sizeof common_rows / sizeof common_rows[0] };

// All rows by number: the common ones, then the kind's own. NULL behind the last.
const sc_adapter_row *sc__adapter_row_at(const sc_adapter_kind *kind, size_t i)
{
    if (i < COMMON_COUNT) return &common_rows[i];
    return i - COMMON_COUNT < kind->row_count ? &kind->rows[i - COMMON_COUNT] : NULL;
}

// The number of a setting, or SC_ADAPTER_ROWS_MAX. Without a section: of any.
size_t sc__adapter_find_row(const sc_adapter_kind *kind, const char *section, const char *name)
{
    for (size_t i = 0; sc__adapter_row_at(kind, i); i++) {
        const sc_adapter_row *row = sc__adapter_row_at(kind, i);
        if ((!section || strcmp(row->section, section) == 0) && strcmp(row->name, name) == 0) {
            return i;
        }
    }
    return SC_ADAPTER_ROWS_MAX;
}

// === Memory =====================================================================================

void sc__adapter_wipe_text(char *text)
{
    if (text) explicit_bzero(text, strlen(text));
    sc_free(text);
}

char *sc__adapter_copy_text(const char *text, size_t size)
{
    char *copy = sc_malloc(size + 1);
    if (!copy) return NULL;
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

bool sc__adapter_texts_have(const sc_texts *texts, sc_slice text)
{
    for (size_t i = 0; i < texts->count; i++) {
        if (sc_slice_is(text, texts->items[i])) return true;
    }
    return false;
}

bool sc_texts_add(sc_texts *texts, const char *text, size_t size)
{
    if (!sc_grow(&texts->items, texts->count, &texts->capacity, sizeof *texts->items)) return false;
    char *copy = sc__adapter_copy_text(text, size);
    if (!copy) return false;
    texts->items[texts->count++] = copy;
    return true;
}

void sc_texts_clear(sc_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        sc__adapter_wipe_text(texts->items[i]);
    }
    sc_free(texts->items);
    *texts = (sc_texts){.items = NULL};
}

void sc_adapter_settings_fini(sc_adapter_settings *settings)
{
    for (size_t i = 0; sc__adapter_row_at(settings->kind, i); i++) {
        const sc_adapter_row *row = sc__adapter_row_at(settings->kind, i);
        void *field = (char *)settings + row->offset;
        if (row->value <= SC_VALUE_POINTER) {
            sc__adapter_wipe_text(*(char **)field);
            *(char **)field = NULL;
        }
        if (row->value == SC_VALUE_POINTERS) sc_texts_clear(field);
    }
    sc_texts_clear(&settings->header_names);
    sc_texts_clear(&settings->header_values);
    sc_texts_clear(&settings->ours);
    for (size_t i = 0; i < settings->word_count; i++) {
        sc_free(settings->words[i].ours);
        sc_free(settings->words[i].theirs);
    }
    sc_free(settings->words);
    sc_free(settings->file);
    settings->words = NULL;
    settings->word_count = 0;
    settings->word_capacity = 0;
    settings->file = NULL;
}

// === The whole ==================================================================================

sc_err sc_adapter_refuse(const sc_adapter_settings *settings, const char *name, const char *why,
                         sc_diag *diag)
{
    const size_t row = sc__adapter_find_row(settings->kind, NULL, name);
    const unsigned line = row < SC_ADAPTER_ROWS_MAX ? settings->lines[row] : 0;
    if (!settings->file) return sc_fail(diag, SC_EINVAL, "%s", why);
    if (line == 0) return sc_fail(diag, SC_EINVAL, "%.300s: %s", settings->file, why);
    return sc_fail(diag, SC_EINVAL, "%.300s:%u: %s", settings->file, line, why);
}

// Put the address where a URL has {address}.
static sc_err join_address(sc_adapter_settings *s, const char *name, char **url, sc_diag *diag)
{
    static const char place[] = "{address}";
    if (!*url || strncmp(*url, place, sizeof place - 1) != 0) return SC_OK;
    if (!s->address || !*s->address) {
        return sc_adapter_refuse(s, name, "address is missing in section [provider]", diag);
    }
    const char *rest = *url + sizeof place - 1;
    const size_t size = strlen(s->address);
    char *joined = sc_malloc(size + strlen(rest) + 1);
    if (!joined) return sc_fail_memory(diag, sc__adapter_memory_for);
    memcpy(joined, s->address, size);
    memcpy(joined + size, rest, strlen(rest) + 1);
    // An address may have parameters of its own.
    if (*rest == '?' && strchr(s->address, '?')) joined[size] = '&';
    sc__adapter_wipe_text(*url);
    *url = joined;
    return SC_OK;
}

// A template is that of the file, or the address that stands in one of the preset.
static const char *name_of_template(const sc_adapter_settings *s, const char *name)
{
    const bool is_given = s->lines[sc__adapter_find_row(s->kind, "provider", name)] > 0;
    const bool is_address = strncmp(name, "url", 3) == 0 && !is_given && s->address;
    return is_address ? "address" : name;
}

static sc_err check_template(const sc_adapter_settings *s, const char *name, const char *text,
                             bool *found, sc_diag *diag)
{
    sc_diag why = {.message = ""};
    const bool is_url = strncmp(name, "url", 3) == 0;
    const sc_err err = is_url ? sc_url_template_check(&s->kind->places, name, text, found, &why)
                              : sc_body_template_check(&s->kind->places, name, text, found, &why);
    return err ? sc_adapter_refuse(s, name_of_template(s, name), why.message, diag) : SC_OK;
}

// What is asked for all categories has the same places, but for the categories.
static sc_err check_for_all(const sc_adapter_settings *s, sc_diag *diag)
{
    const sc_adapter_kind *kind = s->kind;
    const char *name = s->url_all ? "url-all" : "body-all";
    bool others[SC_TEMPLATE_PLACES_MAX] = {false};
    if (!s->url_all && !s->body_all) return SC_OK;
    if (s->body_all && !s->body) {
        return sc_adapter_refuse(s, "body-all", "body-all needs body in section [provider]", diag);
    }
    if (s->url_all && !sc_url_same_origin(s->url, s->url_all)) {
        return sc_adapter_refuse(
            s, name, "url-all does not begin with the same scheme, host and port as url", diag);
    }
    const char *body = s->body_all ? s->body_all : s->body;
    sc_err err = check_template(s, s->url_all ? "url-all" : "url", s->url_all ? s->url_all : s->url,
                                others, diag);
    if (!err && body)
        err = check_template(s, s->body_all ? "body-all" : "body", body, others, diag);
    others[kind->categories] = s->has[kind->categories];
    for (int place = 0; place < kind->places.count && !err; place++) {
        char why[100];
        if (s->has[place] == others[place]) continue;
        snprintf(why, sizeof why, "url-all and body-all differ from url and body in {%s}",
                 kind->places.names[place]);
        err = sc_adapter_refuse(s, name, why, diag);
    }
    return err;
}

static sc_err check_method(const sc_adapter_settings *s, sc_diag *diag)
{
    enum { GET, POST };
    const bool is_given = s->lines[sc__adapter_find_row(s->kind, "provider", "method")] > 0;
    if (is_given && s->method == POST && !s->body) {
        return sc_adapter_refuse(s, "method",
                                 "method is post, and there is no body; give body in section "
                                 "[provider], with the places of the question",
                                 diag);
    }
    if (is_given && s->method == GET && s->body) {
        return sc_adapter_refuse(
            s, "method",
            "method is get, and there is a body, which only post sends; remove "
            "one of the two",
            diag);
    }
    return SC_OK;
}

static sc_err check_key(const sc_adapter_settings *s, sc_diag *diag)
{
    const bool has_place = s->has[s->kind->key];
    if (has_place == (s->key != NULL)) return SC_OK;
    return sc_adapter_refuse(s, s->key ? "key" : "url",
                             s->key ? "key is given, and neither url nor body has {key}; put it "
                                      "there, or give a header in section [headers]"
                                    : "url or body has {key}; give key = file:PATH or env:NAME in "
                                      "section [provider]",
                             diag);
}

static sc_err check_templates(sc_adapter_settings *s, sc_diag *diag)
{
    const sc_adapter_kind *kind = s->kind;
    sc_err err = join_address(s, "url", &s->url, diag);
    if (!err) err = join_address(s, "url-all", &s->url_all, diag);
    if (!err) err = check_template(s, "url", s->url, s->has, diag);
    if (!err && s->body) err = check_template(s, "body", s->body, s->has, diag);
    for (size_t i = 0; i < kind->needed_count && !err; i++) {
        char why[100];
        if (s->has[kind->needed[i]]) continue;
        snprintf(why, sizeof why,
                 "neither url nor body has {%s}: without it every question would be the same",
                 kind->places.names[kind->needed[i]]);
        err = sc_adapter_refuse(s, name_of_template(s, "url"), why, diag);
    }
    if (err) return err;
    if (kind->needs_all && s->has[kind->categories] && !s->url_all && !s->body_all &&
        !s->categories_all) {
        return sc_adapter_refuse(
            s, name_of_template(s, "url"),
            "url or body has {categories}, and nothing says how to ask for all of them; "
            "give url-all, body-all or categories-all in section [provider]",
            diag);
    }
    return check_for_all(s, diag);
}

static sc_err check_fields(const sc_adapter_settings *s, sc_diag *diag)
{
    const bool has_numbers = s->lon.count > 0 && s->lat.count > 0;
    const bool has_some = s->lon.count > 0 || s->lat.count > 0;
    if (!s->list) return sc_adapter_refuse(s, "", "list is missing in section [fields]", diag);
    if (s->id.count == 0)
        return sc_adapter_refuse(s, "", "id is missing in section [fields]", diag);
    const bool has_geometry = s->geometry.count > 0;
    if (has_numbers == has_geometry || (has_geometry && has_some)) {
        return sc_adapter_refuse(s, has_geometry ? "geometry" : "lon",
                                 "section [fields] needs either geometry, or both lon and lat",
                                 diag);
    }
    return SC_OK;
}

// An empty text is none, but for the list, where it is the document.
static void drop_empty(sc_adapter_settings *s)
{
    for (size_t i = 0; sc__adapter_row_at(s->kind, i); i++) {
        const sc_adapter_row *row = sc__adapter_row_at(s->kind, i);
        if (row->value > SC_VALUE_POINTER ||
            row == &common_rows[sc__adapter_find_row(s->kind, "fields", "list")])
            continue;
        char **text = (char **)(void *)((char *)s + row->offset);
        if (!*text || **text) continue;
        sc_free(*text);
        *text = NULL;
    }
}

static bool list_ours(sc_adapter_settings *s)
{
    for (size_t i = 0; i <= s->word_count; i++) {
        const char *word = i < s->word_count ? s->words[i].ours : s->default_category;
        const bool is_known =
            !word || sc__adapter_texts_have(&s->ours, (sc_slice){word, strlen(word)});
        if (!is_known && !sc_texts_add(&s->ours, word, strlen(word))) return false;
    }
    return true;
}

sc_err sc_adapter_settings_check(sc_adapter_settings *settings, sc_diag *diag)
{
    drop_empty(settings);
    sc_err err = check_templates(settings, diag);
    if (!err) err = check_method(settings, diag);
    if (!err) err = check_key(settings, diag);
    if (!err) err = check_fields(settings, diag);
    if (!err && !list_ours(settings)) err = sc_fail_memory(diag, sc__adapter_memory_for);
    return err;
}

// === Asking =====================================================================================

static const char *content_type(const sc_adapter_settings *settings)
{
    return settings->content_type ? settings->content_type : "application/json";
}

struct curl_slist *sc_adapter_headers(const sc_adapter_settings *settings, const char *accept)
{
    const sc_adapter_settings *s = settings;
    struct curl_slist *list = NULL;
    bool is_fine = true;
    // An operator may want another Accept.
    bool has_accept = false;
    for (size_t i = 0; i < s->header_names.count && is_fine; i++) {
        is_fine = sc_http_headers_add(&list, s->header_names.items[i], s->header_values.items[i]);
        has_accept = has_accept || strcasecmp(s->header_names.items[i], "accept") == 0;
    }
    if (is_fine && !has_accept) is_fine = sc_http_headers_add(&list, "Accept", accept);
    if (is_fine && s->body) is_fine = sc_http_headers_add(&list, "Content-Type", content_type(s));
    if (is_fine) return list;
    sc_http_headers_free(list);
    return NULL;
}

// The provider's words for one of our categories; each counts.
static void put_category(sc_template_pen *pen, const sc_adapter_settings *s, const char *ours,
                         bool *is_first)
{
    const char *separator = s->categories_separator ? s->categories_separator : ",";
    const char *quote = s->categories_quote ? s->categories_quote : "";
    bool is_mapped = false;
    for (size_t i = 0; i <= s->word_count; i++) {
        const bool is_last = i == s->word_count;
        if (is_last ? is_mapped : strcmp(s->words[i].ours, ours) != 0) continue;
        is_mapped = true;
        if (!*is_first) sc_pen_plain(pen, separator);
        *is_first = false;
        sc_pen_operator_text(pen, quote);
        sc_pen_word(pen, is_last ? ours : s->words[i].theirs);
        sc_pen_operator_text(pen, quote);
    }
}

void sc_adapter_put_categories(sc_template_pen *pen, const sc_adapter_settings *settings,
                               const char *const *categories, size_t count)
{
    bool is_first = true;
    for (size_t i = 0; i < count; i++) {
        put_category(pen, settings, categories[i], &is_first);
    }
    if (count == 0 && settings->categories_all) {
        sc_pen_operator_text(pen, settings->categories_all);
    }
}

sc_err sc_adapter_fill(const sc_adapter_settings *settings, const sc_template_values *values,
                       bool is_all, sc_bytes *url, sc_bytes *body, sc_diag *diag)
{
    const sc_adapter_settings *s = settings;
    sc_err err = SC_OK;
    if (url) {
        err = sc_template_fill(is_all && s->url_all ? s->url_all : s->url, values,
                               SC_ESCAPE_ADDRESS, url, diag);
    }
    if (err || !s->body) return err;
    return sc_template_fill(is_all && s->body_all ? s->body_all : s->body, values,
                            sc_template_escape_of(content_type(s)), body, diag);
}

const char *sc_adapter_category(const sc_adapter_settings *settings, const char *theirs)
{
    for (size_t i = 0; i < settings->word_count; i++) {
        if (strcmp(settings->words[i].theirs, theirs) == 0) return settings->words[i].ours;
    }
    return theirs;
}
