// Reading the settings of a provider of areas, and checking them. See area_settings.h.
#include "areas/area_settings.h"

#include "base/json_pointer.h"
#include "areas/area_template.h"
#include "base/alloc.h"
#include "base/diag.h"
#include "base/text.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX_BYTES = 1 << 20, VALUE_MAX = SC__AREA_TEMPLATE_MAX, TEXTS_MAX = 16 };

const char *const sc__area_place_names[SC__AREA_PLACE_COUNT] = {
    "west", "south", "east", "north", "categories", "limit", "offset", "cursor"};

// === The list of settings =======================================================================

typedef enum kind {
    TEXT,      ///< any text
    TEMPLATE,  ///< with places
    POINTER,   ///< one JSON pointer
    POINTERS,  ///< several, separated by blanks
    COUNT,
    NUMBER,
    WORD,
} kind;

typedef struct setting {
    const char *section;
    const char *name;
    kind kind;
    size_t offset;
    double least;
    double most;
    const char *words;  ///< of WORD
} setting;

#define AT(field) offsetof(sc_area_settings, field)

static const setting settings_table[] = {
    {"provider", "address", TEXT, AT(address), 0, 0, NULL},
    {"provider", "url", TEMPLATE, AT(url), 0, 0, NULL},
    {"provider", "url-all", TEMPLATE, AT(url_all), 0, 0, NULL},
    {"provider", "body", TEMPLATE, AT(body), 0, 0, NULL},
    {"provider", "body-all", TEMPLATE, AT(body_all), 0, 0, NULL},
    {"provider", "content-type", TEXT, AT(content_type), 0, 0, NULL},
    {"provider", "ca", TEXT, AT(ca_file), 0, 0, NULL},
    {"provider", "categories-separator", TEXT, AT(categories_separator), 0, 0, NULL},
    {"provider", "categories-quote", TEXT, AT(categories_quote), 0, 0, NULL},
    {"provider", "categories-all", TEXT, AT(categories_all), 0, 0, NULL},
    {"provider", "categories-at-once", COUNT, AT(categories_at_once), 1, 16, NULL},
    {"fields", "list", POINTER, AT(list), 0, 0, NULL},
    {"fields", "id", POINTERS, AT(id), 0, 0, NULL},
    {"fields", "lon", POINTERS, AT(lon), 0, 0, NULL},
    {"fields", "lat", POINTERS, AT(lat), 0, 0, NULL},
    {"fields", "geometry", POINTERS, AT(geometry), 0, 0, NULL},
    {"fields", "name", POINTERS, AT(name), 0, 0, NULL},
    {"fields", "category", POINTERS, AT(category), 0, 0, NULL},
    {"fields", "default-category", TEXT, AT(default_category), 0, 0, NULL},
    {"fields", "error", POINTER, AT(error), 0, 0, NULL},
    {"fields", "shape", WORD, AT(shape), 0, 0, "first centre"},
    {"fields", "axis-order", WORD, AT(axis_order), 0, 0, "lon-lat lat-lon"},
    {"paging", "next", POINTER, AT(next), 0, 0, NULL},
    {"paging", "links", POINTER, AT(links), 0, 0, NULL},
    {"paging", "cursor", POINTER, AT(cursor), 0, 0, NULL},
    {"paging", "total", POINTER, AT(total), 0, 0, NULL},
    {"paging", "page-size", COUNT, AT(page_size), 1, 1000000, NULL},
    {"paging", "max-pages", COUNT, AT(max_pages), 1, 10000, NULL},
    {"limits", "rate", NUMBER, AT(rate_per_s), 0, 1e6, NULL},
    {"limits", "parallel", COUNT, AT(parallel), 1, 64, NULL},
    {"limits", "timeout", NUMBER, AT(timeout_s), 0.01, 3600, NULL},
    {"limits", "deadline", NUMBER, AT(deadline_s), 0.01, 3600, NULL},
    {"limits", "max-bytes", COUNT, AT(max_bytes), 1024, (double)(1 << 30), NULL},
    {"limits", "max-objects", COUNT, AT(max_objects), 1, 10000000, NULL},
    {"limits", "max-questions", COUNT, AT(max_questions), 1, 100000, NULL},
    {"tiles", "size", NUMBER, AT(tile_m), 10, 1e6, NULL},
    {"tiles", "snap", NUMBER, AT(snap_m), 0, 1e5, NULL},
    {"tiles", "extent", NUMBER, AT(extent_m), 0, 1e5, NULL},
    {"cache", "bytes", COUNT, AT(cache_bytes), 0, 1e12, NULL},
    {"cache", "lifetime", NUMBER, AT(lifetime_s), 0, 1e8, NULL},
    {"cache", "stale", NUMBER, AT(stale_s), 0, 1e8, NULL},
};

enum { SETTING_COUNT = sizeof settings_table / sizeof settings_table[0] };

static const setting *find_setting(const char *section, const char *name)
{
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        if (strcmp(settings_table[i].section, section) == 0 &&
            strcmp(settings_table[i].name, name) == 0) {
            return &settings_table[i];
        }
    }
    return NULL;
}

static bool is_section(const char *section)
{
    static const char *const free_form[] = {"headers", "categories"};
    for (size_t i = 0; i < sizeof free_form / sizeof free_form[0]; i++) {
        if (strcmp(free_form[i], section) == 0) return true;
    }
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        if (strcmp(settings_table[i].section, section) == 0) return true;
    }
    return false;
}

static sc_area_settings defaults(void)
{
    return (sc_area_settings){
        .categories_at_once = 16,
        .page_size = 1000,
        .max_pages = 100,
        .parallel = 4,
        .timeout_s = 10,
        .deadline_s = 60,
        .max_bytes = (uint64_t)16 << 20,
        .max_objects = 200000,
        .max_questions = 64,
        .snap_m = 300,
        .cache_bytes = (uint64_t)256 << 20,
        .lifetime_s = 3600,
        .stale_s = 600,
    };
}

// === Memory =====================================================================================

static void wipe_text(char *text)
{
    if (text) explicit_bzero(text, strlen(text));
    sc_free(text);
}

static char *copy_text(const char *text, size_t size)
{
    char *copy = sc_malloc(size + 1);
    if (!copy) return NULL;
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

static bool texts_add(sc__area_texts *texts, const char *text, size_t size)
{
    if (!sc_grow(&texts->items, texts->count, &texts->capacity, sizeof *texts->items)) return false;
    char *copy = copy_text(text, size);
    if (!copy) return false;
    texts->items[texts->count++] = copy;
    return true;
}

static void texts_clear(sc__area_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        wipe_text(texts->items[i]);
    }
    sc_free(texts->items);
    *texts = (sc__area_texts){.items = NULL};
}

void sc_area_settings_free(sc_area_settings *settings)
{
    if (!settings) return;
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        void *field = (char *)settings + settings_table[i].offset;
        if (settings_table[i].kind <= POINTER) wipe_text(*(char **)field);
        if (settings_table[i].kind == POINTERS) texts_clear(field);
    }
    texts_clear(&settings->header_names);
    texts_clear(&settings->header_values);
    texts_clear(&settings->ours);
    for (size_t i = 0; i < settings->word_count; i++) {
        sc_free(settings->words[i].ours);
        sc_free(settings->words[i].theirs);
    }
    sc_free(settings->words);
    sc_free(settings);
}

// === One value ==================================================================================

/** A value being read, and where it is from. */
typedef struct entry {
    const char *file;
    unsigned line;
    const char *section;
    const char *name;
    const char *value;
    sc_diag *diag;
} entry;

static sc_err complain(const entry *e, const char *what)
{
    return sc_fail(e->diag, SC_EPARSE, "%.300s:%u: %s: %s", e->file, e->line,
                   sc_quote(e->name, strlen(e->name)).text, what);
}

static sc_err no_memory(const entry *e)
{
    return sc_fail_memory(e->diag, "reading the settings of a provider of areas");
}

static sc_err set_text(const entry *e, char **field)
{
    char *copy = copy_text(e->value, strlen(e->value));
    if (!copy) return no_memory(e);
    wipe_text(*field);
    *field = copy;
    return SC_OK;
}

static bool texts_have(const sc__area_texts *texts, sc_slice text)
{
    for (size_t i = 0; i < texts->count; i++) {
        if (sc_slice_is(text, texts->items[i])) return true;
    }
    return false;
}

static sc_err set_pointers(const entry *e, sc__area_texts *texts)
{
    texts_clear(texts);
    sc_slice rest = {e->value, strlen(e->value)};
    for (sc_slice one; sc_slice_field(&rest, &one);) {
        if (texts->count == TEXTS_MAX) return complain(e, "more than 16 JSON pointers");
        if (texts_have(texts, one)) return complain(e, "the same JSON pointer twice");
        if (!texts_add(texts, one.text, one.size)) return no_memory(e);
        if (!sc_json_pointer_is_sound(texts->items[texts->count - 1])) {
            return complain(e, "not a JSON pointer; write one as /properties/name");
        }
    }
    return SC_OK;
}

static sc_err set_number(const entry *e, const setting *s, void *field)
{
    double value = 0;
    const sc_slice slice = {e->value, strlen(e->value)};
    uint64_t count = 0;
    const bool is_read =
        s->kind == COUNT ? sc_slice_u64(slice, &count) : sc_slice_double(slice, &value);
    if (s->kind == COUNT) value = (double)count;
    if (!is_read || !(value >= s->least && value <= s->most)) {
        return sc_fail(e->diag, SC_EPARSE, "%.300s:%u: %s must be a %snumber from %g to %g",
                       e->file, e->line, s->name, s->kind == COUNT ? "whole " : "", s->least,
                       s->most);
    }
    if (s->kind == COUNT) {
        *(uint64_t *)field = count;
    } else {
        *(double *)field = value;
    }
    return SC_OK;
}

static sc_err set_word(const entry *e, const setting *s, unsigned *field)
{
    sc_slice rest = {s->words, strlen(s->words)};
    unsigned number = 0;
    for (sc_slice word; sc_slice_field(&rest, &word); number++) {
        if (!sc_slice_is(word, e->value)) continue;
        *field = number;
        return SC_OK;
    }
    return sc_fail(e->diag, SC_EPARSE, "%.300s:%u: %s must be one of: %s", e->file, e->line,
                   s->name, s->words);
}

static sc_err set_value(const entry *e, const setting *s, sc_area_settings *settings)
{
    void *field = (char *)settings + s->offset;
    switch (s->kind) {
    case POINTERS:
        return set_pointers(e, field);
    case COUNT:
    case NUMBER:
        return set_number(e, s, field);
    case WORD:
        return set_word(e, s, field);
    case POINTER:
        if (!sc_json_pointer_is_sound(e->value)) {
            return complain(e, "not a JSON pointer; write one as /properties/name");
        }
        return set_text(e, field);
    default:
        return set_text(e, field);
    }
}

// --- Headers ------------------------------------------------------------------------------------

static bool is_token(const char *text)
{
    static const char letters[] = "!#$%&'*+-.^_`|~0123456789"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    return *text && text[strspn(text, letters)] == '\0';
}

// What is in the file, without the line break at its end.
static sc_err read_secret(const entry *e, const char *path, char **out)
{
    sc_file file = {.memory = NULL};
    if (sc_file_open(path, &file, NULL)) {
        return complain(e, "the file that its value is to come from cannot be read");
    }
    sc_slice text = {(const char *)file.input.data, file.input.size};
    while (text.size > 0 &&
           (text.text[text.size - 1] == '\n' || text.text[text.size - 1] == '\r')) {
        text.size--;
    }
    const bool is_long = text.size > VALUE_MAX;
    *out = is_long ? NULL : copy_text(text.size > 0 ? text.text : "", text.size);
    sc_file_close(&file);
    if (is_long) return complain(e, "the file that its value is to come from is too large");
    return *out ? SC_OK : no_memory(e);
}

static sc_err find_secret(const entry *e, char **out)
{
    if (strncmp(e->value, "file:", 5) == 0) return read_secret(e, e->value + 5, out);
    const bool is_named = strncmp(e->value, "env:", 4) == 0;
    const char *value = is_named ? getenv(e->value + 4) : e->value;
    if (!value) return complain(e, "the environment does not have the variable it names");
    *out = copy_text(value, strlen(value));
    return *out ? SC_OK : no_memory(e);
}

static bool is_printable(const char *text)
{
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) return false;
    }
    return true;
}

static sc_err add_header(const entry *e, sc_area_settings *settings)
{
    static const char *const ours[] = {"host", "content-length", "transfer-encoding", "connection",
                                       "if-none-match"};
    if (!is_token(e->name)) return complain(e, "not the name of a header");
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        if (strcasecmp(e->name, ours[i]) == 0) return complain(e, "this header is set by itself");
    }
    char *value = NULL;
    sc_err err = find_secret(e, &value);
    if (!err && !is_printable(value)) {
        err = complain(e, "its value has a line break or another control character");
    }
    if (!err && (!texts_add(&settings->header_names, e->name, strlen(e->name)) ||
                 !texts_add(&settings->header_values, value, strlen(value)))) {
        err = no_memory(e);
    }
    wipe_text(value);
    return err;
}

// --- Categories ---------------------------------------------------------------------------------

static sc_err add_word(const entry *e, sc_area_settings *settings, sc_slice theirs)
{
    if (theirs.size == 0 || theirs.size > SC__AREA_WORD_MAX) {
        return complain(e, "a word for it is empty or longer than 200 bytes");
    }
    for (size_t i = 0; i < settings->word_count; i++) {
        if (!sc_slice_is(theirs, settings->words[i].theirs)) continue;
        if (strcmp(settings->words[i].ours, e->name) == 0) return SC_OK;
        return complain(e, "a word for it stands for another category already");
    }
    if (!sc_grow(&settings->words, settings->word_count, &settings->word_capacity,
                 sizeof *settings->words)) {
        return no_memory(e);
    }
    const sc__area_word word = {copy_text(e->name, strlen(e->name)),
                                copy_text(theirs.text, theirs.size)};
    if (!word.ours || !word.theirs) {
        sc_free(word.ours);
        sc_free(word.theirs);
        return no_memory(e);
    }
    settings->words[settings->word_count++] = word;
    return SC_OK;
}

static sc_err add_words(const entry *e, sc_area_settings *settings)
{
    const char *rest = e->value;
    for (;;) {
        const size_t size = strcspn(rest, ",");
        const sc_err err = add_word(e, settings, sc_slice_trim((sc_slice){rest, size}));
        if (err || rest[size] == '\0') return err;
        rest += size + 1;
    }
}

// === A text =====================================================================================

/** A text being read. Names and values are gathered here, as they may go on in further lines. */
typedef struct reading {
    sc_area_settings *settings;
    const char *file;
    char section[64];
    char name[SC__AREA_WORD_MAX + 1];
    char value[VALUE_MAX + 1];
    unsigned line;  ///< of the name; 0: there is none
    bool is_preset;
    bool given[SETTING_COUNT];
    sc_diag *diag;
} reading;

static sc_err take_entry(reading *r)
{
    const entry e = {.file = r->file,
                     .line = r->line,
                     .section = r->section,
                     .name = r->name,
                     .value = r->value,
                     .diag = r->diag};
    if (r->line == 0) return SC_OK;
    r->line = 0;
    if (!sc_is_utf8(e.value) || !sc_is_utf8(e.name)) return complain(&e, "not UTF-8");
    if (strcmp(e.section, "headers") == 0) return add_header(&e, r->settings);
    if (strcmp(e.section, "categories") == 0) return add_words(&e, r->settings);
    if (strcmp(e.section, "provider") == 0 && strcmp(e.name, "preset") == 0) return SC_OK;
    const setting *s = find_setting(e.section, e.name);
    if (!s) return complain(&e, "no such setting in this section");
    bool *is_given = &r->given[s - settings_table];
    if (*is_given) return complain(&e, "the setting is repeated");
    *is_given = true;
    return set_value(&e, s, r->settings);
}

static sc_err fail_line(const reading *r, unsigned line, const char *what)
{
    return sc_fail(r->diag, SC_EPARSE, "%.300s:%u: %s", r->file, line, what);
}

static sc_err take_section(reading *r, sc_slice line, unsigned number)
{
    if (line.text[line.size - 1] != ']' || line.size - 2 >= sizeof r->section) {
        return fail_line(r, number, "a section is written as [name]");
    }
    memcpy(r->section, line.text + 1, line.size - 2);
    r->section[line.size - 2] = '\0';
    if (!is_section(r->section)) {
        return fail_line(r, number,
                         "unknown section; there are provider, headers, fields, categories, "
                         "paging, limits, tiles and cache");
    }
    return SC_OK;
}

static sc_err go_on(reading *r, sc_slice line, unsigned number)
{
    const size_t before = strlen(r->value);
    if (r->line == 0)
        return fail_line(r, number, "the line begins with a blank, and nothing goes on");
    if (line.size > VALUE_MAX - before) return fail_line(r, number, "the value is too long");
    memcpy(r->value + before, line.text, line.size);
    r->value[before + line.size] = '\0';
    return SC_OK;
}

static sc_err begin_entry(reading *r, sc_slice line, unsigned number)
{
    const char *equals = memchr(line.text, '=', line.size);
    if (!equals) return fail_line(r, number, "not a section, a comment or 'name = value'");
    const sc_slice name = sc_slice_trim((sc_slice){line.text, (size_t)(equals - line.text)});
    const sc_slice value =
        sc_slice_trim((sc_slice){equals + 1, line.size - (size_t)(equals - line.text) - 1});
    if (name.size == 0 || name.size >= sizeof r->name) {
        return fail_line(r, number, "the name is empty or too long");
    }
    if (value.size > VALUE_MAX) return fail_line(r, number, "the value is too long");
    if (r->section[0] == '\0')
        return fail_line(r, number, "the setting is before the first [section]");
    memcpy(r->name, name.text, name.size);
    r->name[name.size] = '\0';
    if (value.size > 0) memcpy(r->value, value.text, value.size);
    r->value[value.size] = '\0';
    r->line = number;
    return SC_OK;
}

static sc_err take_line(reading *r, sc_slice line, unsigned number)
{
    const sc_slice trimmed = sc_slice_trim(line);
    if (memchr(line.text, '\0', line.size)) return fail_line(r, number, "the line has a NUL byte");
    if (trimmed.size == 0 || trimmed.text[0] == '#' || trimmed.text[0] == ';') return SC_OK;
    if (sc_is_blank(line.text[0])) return go_on(r, trimmed, number);
    const sc_err err = take_entry(r);
    if (err) return err;
    return trimmed.text[0] == '[' ? take_section(r, trimmed, number)
                                  : begin_entry(r, trimmed, number);
}

static sc_err read_text(const sc_input *input, sc_area_settings *settings, sc_diag *diag)
{
    reading *r = sc_calloc(1, sizeof *r);
    if (!r) return sc_fail_memory(diag, "reading the settings of a provider of areas");
    r->settings = settings;
    r->file = input->name;
    r->diag = diag;
    sc_err err = SC_OK;
    sc_lines lines = sc_lines_of(input);
    for (sc_slice line; !err && sc_lines_next(&lines, &line);) {
        err = take_line(r, line, (unsigned)lines.line);
    }
    if (!err) err = take_entry(r);
    sc_free_wiped(r, 1, sizeof *r);
    return err;
}

// The preset that a text names, without reading the rest of it.
static sc_err find_preset(const sc_input *input, const char **out, sc_diag *diag)
{
    bool is_provider = false;
    sc_lines lines = sc_lines_of(input);
    for (sc_slice line; sc_lines_next(&lines, &line);) {
        const sc_slice trimmed = sc_slice_trim(line);
        if (trimmed.size > 0 && trimmed.text[0] == '[')
            is_provider = sc_slice_is(trimmed, "[provider]");
        const char *equals = trimmed.size > 0 ? memchr(trimmed.text, '=', trimmed.size) : NULL;
        if (!is_provider || !equals) continue;
        const size_t before = (size_t)(equals - trimmed.text);
        if (!sc_slice_is(sc_slice_trim((sc_slice){trimmed.text, before}), "preset")) continue;
        char name[32] = "";
        const sc_slice value = sc_slice_trim((sc_slice){equals + 1, trimmed.size - before - 1});
        if (value.size > 0 && value.size < sizeof name) memcpy(name, value.text, value.size);
        *out = sc__area_preset(name);
        if (*out) return SC_OK;
        return sc_fail(diag, SC_EPARSE, "%.300s:%u: unknown preset; there are: " SC__AREA_PRESETS,
                       input->name, (unsigned)lines.line);
    }
    return SC_OK;
}

// === The whole ==================================================================================

sc__area_paging sc__area_settings_paging(const sc_area_settings *s)
{
    if (s->cursor) return SC__AREA_BY_CURSOR;
    if (s->next) return SC__AREA_BY_NEXT;
    if (s->links) return SC__AREA_BY_LINKS;
    return s->has[SC__AREA_OFFSET] ? SC__AREA_BY_OFFSET : SC__AREA_ONE_PAGE;
}

// Put the address where a URL has {address}.
static sc_err join_address(sc_area_settings *s, const char *file, char **url, sc_diag *diag)
{
    static const char place[] = "{address}";
    if (!*url || strncmp(*url, place, sizeof place - 1) != 0) return SC_OK;
    if (!s->address || !*s->address) {
        return sc_fail(diag, SC_EPARSE, "%.300s: address is missing in section [provider]", file);
    }
    const char *rest = *url + sizeof place - 1;
    const size_t size = strlen(s->address);
    char *joined = sc_malloc(size + strlen(rest) + 1);
    if (!joined) return sc_fail_memory(diag, "reading the settings of a provider of areas");
    memcpy(joined, s->address, size);
    memcpy(joined + size, rest, strlen(rest) + 1);
    // An address may have parameters of its own.
    if (*rest == '?' && strchr(s->address, '?')) joined[size] = '&';
    wipe_text(*url);
    *url = joined;
    return SC_OK;
}

static sc_err check_templates(sc_area_settings *s, sc_diag *diag)
{
    bool found[SC__AREA_PLACE_COUNT] = {false};
    sc_err err = sc__area_url_check(s->url, found, diag);
    if (!err && s->body) err = sc__area_body_check(s->body, found, diag);
    if (err) return err;
    memcpy(s->has, found, sizeof found);
    for (int place = SC__AREA_WEST; place <= SC__AREA_NORTH; place++) {
        if (found[place]) continue;
        return sc_fail(diag, SC_EINVAL,
                       "neither url nor body has {%s}: without it every question would be the same",
                       sc__area_place_names[place]);
    }
    if (s->url_all && !sc__area_url_same_origin(s->url, s->url_all)) {
        return sc_fail(diag, SC_EINVAL,
                       "url-all does not begin with the same scheme, host and port as url");
    }
    if (found[SC__AREA_CATEGORIES] && !s->url_all && !s->body_all && !s->categories_all) {
        return sc_fail(diag, SC_EINVAL,
                       "url or body has {categories}, and nothing says how to ask for all of them; "
                       "give url-all, body-all or categories-all in section [provider]");
    }
    if (!s->url_all && !s->body_all) return SC_OK;
    // What is asked for all categories has the same places, but for the categories.
    bool others[SC__AREA_PLACE_COUNT] = {false};
    const char *body = s->body_all ? s->body_all : s->body;
    err = sc__area_url_check(s->url_all ? s->url_all : s->url, others, diag);
    if (!err && body) err = sc__area_body_check(body, others, diag);
    if (err) return err;
    others[SC__AREA_CATEGORIES] = found[SC__AREA_CATEGORIES];
    for (int place = 0; place < SC__AREA_PLACE_COUNT; place++) {
        if (found[place] == others[place]) continue;
        return sc_fail(diag, SC_EINVAL, "url-all and body-all differ from url and body in {%s}",
                       sc__area_place_names[place]);
    }
    return SC_OK;
}

static sc_err check_paging(const sc_area_settings *s, sc_diag *diag)
{
    if ((s->next != NULL) + (s->links != NULL) + (s->cursor != NULL) > 1) {
        return sc_fail(diag, SC_EINVAL,
                       "next, links and cursor are three ways to find the next "
                       "page; leave one of them");
    }
    if ((s->cursor != NULL) != s->has[SC__AREA_CURSOR]) {
        return sc_fail(diag, SC_EINVAL,
                       "a cursor needs both: cursor in section [paging], which says where it is, "
                       "and {cursor} in url or body");
    }
    if (sc__area_settings_paging(s) == SC__AREA_BY_OFFSET && !s->has[SC__AREA_LIMIT]) {
        return sc_fail(diag, SC_EINVAL, "pages by {offset} need {limit} in url or body");
    }
    return SC_OK;
}

static sc_err check_fields(const sc_area_settings *s, sc_diag *diag)
{
    const bool has_numbers = s->lon.count > 0 && s->lat.count > 0;
    if (!s->list) return sc_fail(diag, SC_EINVAL, "list is missing in section [fields]");
    if (s->id.count == 0) return sc_fail(diag, SC_EINVAL, "id is missing in section [fields]");
    if (has_numbers == (s->geometry.count > 0)) {
        return sc_fail(diag, SC_EINVAL,
                       "section [fields] needs either geometry, or both lon and lat");
    }
    if (s->category.count == 0 && !s->default_category && !s->has[SC__AREA_CATEGORIES]) {
        return sc_fail(diag, SC_EINVAL,
                       "no object would have a category; give category or default-category in "
                       "section [fields]");
    }
    return SC_OK;
}

static sc_err check_all(sc_area_settings *s, const char *file, sc_diag *diag)
{
    sc_diag why = {.message = ""};
    sc_err err = join_address(s, file, &s->url, diag);
    if (!err) err = join_address(s, file, &s->url_all, diag);
    if (err) return err;
    err = check_templates(s, &why);
    if (!err) err = check_paging(s, &why);
    if (!err) err = check_fields(s, &why);
    return err ? sc_fail(diag, err, "%.300s: %s", file, why.message) : SC_OK;
}

// An empty text is none, but for the list, where it is the document.
static void drop_empty(sc_area_settings *s)
{
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        if (settings_table[i].kind > POINTER || settings_table[i].offset == AT(list)) continue;
        char **text = (char **)(void *)((char *)s + settings_table[i].offset);
        if (!*text || **text) continue;
        sc_free(*text);
        *text = NULL;
    }
    // Without a word in the replies, each category is asked for by itself.
    if (s->category.count == 0) s->categories_at_once = 1;
}

static bool list_ours(sc_area_settings *s)
{
    for (size_t i = 0; i <= s->word_count; i++) {
        const char *word = i < s->word_count ? s->words[i].ours : s->default_category;
        const bool is_known = !word || texts_have(&s->ours, (sc_slice){word, strlen(word)});
        if (!is_known && !texts_add(&s->ours, word, strlen(word))) return false;
    }
    return true;
}

const char *sc_area_settings_url(const sc_area_settings *settings)
{
    return settings->url;
}

const char *const *sc_area_settings_categories(const sc_area_settings *settings, size_t *count)
{
    *count = settings->ours.count;
    return (const char *const *)settings->ours.items;
}

sc_err sc__area_settings_read(const sc_input *input, sc_area_settings **out, sc_diag *diag)
{
    if (input->size > FILE_MAX_BYTES) {
        return sc_fail(diag, SC_ELIMIT, "%.300s: larger than 1 MiB", input->name);
    }
    const char *preset = NULL;
    sc_err err = find_preset(input, &preset, diag);
    if (err) return err;
    sc_area_settings *settings = sc_malloc(sizeof *settings);
    if (!settings) return sc_fail_memory(diag, "reading the settings of a provider of areas");
    *settings = defaults();
    if (preset) {
        const sc_input text = {"preset", (const uint8_t *)preset, strlen(preset)};
        err = read_text(&text, settings, diag);
    }
    if (!err) err = read_text(input, settings, diag);
    if (!err) drop_empty(settings);
    if (!err) err = check_all(settings, input->name, diag);
    if (!err && !list_ours(settings)) {
        err = sc_fail_memory(diag, "reading the settings of a provider of areas");
    }
    if (err) {
        sc_area_settings_free(settings);
        return err;
    }
    *out = settings;
    return SC_OK;
}

sc_err sc_area_settings_read(const char *path, sc_area_settings **out, sc_diag *diag)
{
    sc_file file = {.memory = NULL};
    sc_err err = sc_file_open(path, &file, diag);
    if (err) return err;
    err = sc__area_settings_read(&file.input, out, diag);
    sc_file_close(&file);
    return err;
}
