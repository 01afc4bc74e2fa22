// Reading the file that says how a provider is asked. See provider_file.h.
#include "adapter/adapter_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/json_pointer.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FILE_MAX_BYTES = 1 << 20, VALUE_MAX = SC_TEMPLATE_MAX, TEXTS_MAX = 16 };

// === One value ==================================================================================

/** A value being read, and where it is from. */
typedef struct entry {
    const char *file;
    unsigned line;
    const char *section;
    const char *name;
    const char *value;
    size_t preset_headers;  ///< so many headers are from the preset
    sc_diag *diag;
} entry;

static sc_err complain(const entry *e, const char *what)
{
    return sc_fail(e->diag, SC_EPARSE, "%.300s:%u: %s: %s", e->file, e->line,
                   sc_quote(e->name, strlen(e->name)).text, what);
}

static const char bad_pointer[] =
    "not a JSON pointer; write one as /properties/name, with ~0 for '~' and ~1 for '/' in names";

static sc_err no_memory(const entry *e)
{
    return sc_fail_memory(e->diag, sc__adapter_memory_for);
}

static sc_err set_text(const entry *e, char **field)
{
    char *copy = sc__adapter_copy_text(e->value, strlen(e->value));
    if (!copy) return no_memory(e);
    sc__adapter_wipe_text(*field);
    *field = copy;
    return SC_OK;
}

static sc_err set_pointers(const entry *e, sc_texts *texts)
{
    sc_texts_clear(texts);
    sc_slice rest = {e->value, strlen(e->value)};
    for (sc_slice one; sc_slice_field(&rest, &one);) {
        if (texts->count == TEXTS_MAX) return complain(e, "more than 16 JSON pointers");
        if (sc__adapter_texts_have(texts, one)) return complain(e, "the same JSON pointer twice");
        if (!sc_texts_add(texts, one.text, one.size)) return no_memory(e);
        if (!sc_json_pointer_is_sound(texts->items[texts->count - 1])) {
            return complain(e, bad_pointer);
        }
    }
    return SC_OK;
}

static sc_err set_number(const entry *e, const sc_adapter_row *s, void *field)
{
    double value = 0;
    const sc_slice slice = {e->value, strlen(e->value)};
    uint64_t count = 0;
    const bool is_read =
        s->value == SC_VALUE_COUNT ? sc_slice_u64(slice, &count) : sc_slice_double(slice, &value);
    if (s->value == SC_VALUE_COUNT) value = (double)count;
    if (!is_read || !(value >= s->least && value <= s->most)) {
        return sc_fail(e->diag, SC_EPARSE, "%.300s:%u: %s must be a %snumber from %g to %g",
                       e->file, e->line, s->name, s->value == SC_VALUE_COUNT ? "whole " : "",
                       s->least, s->most);
    }
    if (s->value == SC_VALUE_COUNT) {
        *(uint64_t *)field = count;
    } else {
        *(double *)field = value;
    }
    return SC_OK;
}

static sc_err set_word(const entry *e, const sc_adapter_row *s, unsigned *field)
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

static sc_err set_pointer(const entry *e, char **field)
{
    if (!sc_json_pointer_is_sound(e->value)) return complain(e, bad_pointer);
    return set_text(e, field);
}

// --- Secrets ------------------------------------------------------------------------------------

static const char control_character[] = "its value has a line break or another control character";

static bool is_printable(const char *text)
{
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) return false;
    }
    return true;
}

// What is in the file, without the line break at its end.
static sc_err read_secret(const entry *e, const char *path, char **out)
{
    sc_file file = {.memory = NULL};
    if (sc_file_open(path, &file, NULL)) {
        return complain(e, "the file that its value is to come from cannot be read; create it, and "
                           "let the user of this program read it");
    }
    sc_slice text = {(const char *)file.input.data, file.input.size};
    while (text.size > 0 &&
           (text.text[text.size - 1] == '\n' || text.text[text.size - 1] == '\r')) {
        text.size--;
    }
    const bool is_long = text.size > VALUE_MAX;
    const bool is_text = is_long || text.size == 0 || !memchr(text.text, '\0', text.size);
    *out = is_long ? NULL : sc__adapter_copy_text(text.size > 0 ? text.text : "", text.size);
    sc_file_close(&file);
    if (is_long) return complain(e, "the file that its value is to come from is too large");
    if (*out && !is_text) {
        sc__adapter_wipe_text(*out);
        *out = NULL;
        return complain(e, control_character);
    }
    return *out ? SC_OK : no_memory(e);
}

static sc_err find_secret(const entry *e, char **out)
{
    sc_err err = SC_OK;
    if (strncmp(e->value, "file:", 5) == 0) {
        err = read_secret(e, e->value + 5, out);
    } else {
        const bool is_named = strncmp(e->value, "env:", 4) == 0;
        const char *value = is_named ? getenv(e->value + 4) : e->value;
        if (!value) {
            return complain(e, "the environment does not have the variable it names; set it before "
                               "the program starts, or use file:PATH");
        }
        *out = sc__adapter_copy_text(value, strlen(value));
        if (!*out) err = no_memory(e);
    }
    if (err) return err;
    const char *why = !**out ? "its value is empty" : is_printable(*out) ? NULL : control_character;
    if (!why) return SC_OK;
    sc__adapter_wipe_text(*out);
    *out = NULL;
    return complain(e, why);
}

static sc_err set_secret(const entry *e, char **field)
{
    char *value = NULL;
    const sc_err err = find_secret(e, &value);
    if (err) return err;
    sc__adapter_wipe_text(*field);
    *field = value;
    return SC_OK;
}

static sc_err set_value(const entry *e, const sc_adapter_row *s, sc_adapter_settings *settings)
{
    void *field = (char *)settings + s->offset;
    switch (s->value) {
    case SC_VALUE_POINTERS:
        return set_pointers(e, field);
    case SC_VALUE_COUNT:
    case SC_VALUE_NUMBER:
        return set_number(e, s, field);
    case SC_VALUE_WORD:
        return set_word(e, s, field);
    case SC_VALUE_POINTER:
        return set_pointer(e, field);
    case SC_VALUE_SECRET:
        return set_secret(e, field);
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

static sc_err add_header(const entry *e, sc_adapter_settings *settings)
{
    static const char *const ours[] = {"host", "content-length", "transfer-encoding", "connection",
                                       "if-none-match"};
    if (!is_token(e->name)) return complain(e, "not the name of a header");
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        if (strcasecmp(e->name, ours[i]) == 0) return complain(e, "this header is set by itself");
    }
    if (strcasecmp(e->name, "content-type") == 0) {
        return complain(e, "give content-type in section [provider] instead: it also says how "
                           "values are written into the body");
    }
    // What the file says replaces what the preset says.
    for (size_t i = 0; i < settings->header_names.count; i++) {
        if (strcasecmp(settings->header_names.items[i], e->name) != 0) continue;
        return i < e->preset_headers ? set_secret(e, &settings->header_values.items[i])
                                     : complain(e, "the header is repeated");
    }
    char *value = NULL;
    sc_err err = find_secret(e, &value);
    if (!err && (!sc_texts_add(&settings->header_names, e->name, strlen(e->name)) ||
                 !sc_texts_add(&settings->header_values, value, strlen(value)))) {
        err = no_memory(e);
    }
    sc__adapter_wipe_text(value);
    return err;
}

// --- Categories ---------------------------------------------------------------------------------

static sc_err add_word(const entry *e, sc_adapter_settings *settings, sc_slice theirs)
{
    if (theirs.size == 0 || theirs.size > SC_ADAPTER_WORD_MAX) {
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
    const sc_adapter_word word = {sc__adapter_copy_text(e->name, strlen(e->name)),
                                  sc__adapter_copy_text(theirs.text, theirs.size)};
    if (!word.ours || !word.theirs) {
        sc_free(word.ours);
        sc_free(word.theirs);
        return no_memory(e);
    }
    settings->words[settings->word_count++] = word;
    return SC_OK;
}

static sc_err add_words(const entry *e, sc_adapter_settings *settings)
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
    sc_adapter_settings *settings;
    const char *file;
    char section[64];
    char name[SC_ADAPTER_WORD_MAX + 1];
    char value[VALUE_MAX + 1];
    unsigned line;  ///< of the name; 0: there is none
    bool is_preset;
    size_t preset_headers;
    bool given[SC_ADAPTER_ROWS_MAX];
    sc_diag *diag;
} reading;

// "'nmae': no such setting in section [fields]; there are: list, id, ..."
static sc_err complain_unknown(const entry *e, const sc_adapter_kind *kind)
{
    char known[400] = "";
    size_t size = 0;
    for (size_t i = 0; sc__adapter_row_at(kind, i) && size < sizeof known; i++) {
        const sc_adapter_row *row = sc__adapter_row_at(kind, i);
        if (strcmp(row->section, e->section) != 0) continue;
        size += (size_t)snprintf(known + size, sizeof known - size, "%s%s", size > 0 ? ", " : "",
                                 row->name);
    }
    return sc_fail(e->diag, SC_EPARSE,
                   "%.300s:%u: %s: no such setting in section [%s]; there are: %s", e->file,
                   e->line, sc_quote(e->name, strlen(e->name)).text, e->section, known);
}

static sc_err take_entry(reading *r)
{
    const entry e = {.file = r->file,
                     .line = r->line,
                     .section = r->section,
                     .name = r->name,
                     .value = r->value,
                     .preset_headers = r->preset_headers,
                     .diag = r->diag};
    if (r->line == 0) return SC_OK;
    r->line = 0;
    if (!sc_is_utf8(e.value) || !sc_is_utf8(e.name)) return complain(&e, "not UTF-8");
    if (strcmp(e.section, "headers") == 0) return add_header(&e, r->settings);
    if (strcmp(e.section, "categories") == 0) return add_words(&e, r->settings);
    if (strcmp(e.section, "provider") == 0 && strcmp(e.name, "preset") == 0) return SC_OK;
    const size_t number = sc__adapter_find_row(r->settings->kind, e.section, e.name);
    if (number == SC_ADAPTER_ROWS_MAX) return complain_unknown(&e, r->settings->kind);
    if (r->given[number]) return complain(&e, "the setting is repeated");
    r->given[number] = true;
    // What a preset says is nowhere in the file.
    r->settings->lines[number] = r->is_preset ? 0 : e.line;
    return set_value(&e, sc__adapter_row_at(r->settings->kind, number), r->settings);
}

static sc_err fail_line(const reading *r, unsigned line, const char *what)
{
    return sc_fail(r->diag, SC_EPARSE, "%.300s:%u: %s", r->file, line, what);
}

static bool is_section(const sc_adapter_kind *kind, const char *section)
{
    if (strcmp(section, "headers") == 0 || strcmp(section, "categories") == 0) return true;
    for (size_t i = 0; sc__adapter_row_at(kind, i); i++) {
        if (strcmp(sc__adapter_row_at(kind, i)->section, section) == 0) return true;
    }
    return false;
}

static sc_err take_section(reading *r, sc_slice line, unsigned number)
{
    if (line.text[line.size - 1] != ']' || line.size - 2 >= sizeof r->section) {
        return fail_line(r, number, "a section is written as [name]");
    }
    memcpy(r->section, line.text + 1, line.size - 2);
    r->section[line.size - 2] = '\0';
    if (is_section(r->settings->kind, r->section)) return SC_OK;
    return sc_fail(r->diag, SC_EPARSE, "%.300s:%u: unknown section; with %s there are %s", r->file,
                   number, r->settings->kind->option, r->settings->kind->sections);
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

static sc_err read_text(const sc_input *input, bool is_preset, sc_adapter_settings *settings,
                        sc_diag *diag)
{
    reading *r = sc_calloc(1, sizeof *r);
    if (!r) return sc_fail_memory(diag, sc__adapter_memory_for);
    r->settings = settings;
    r->file = input->name;
    r->is_preset = is_preset;
    r->preset_headers = settings->header_names.count;
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
static sc_err find_preset(const sc_input *input, const sc_adapter_kind *kind, const char **out,
                          sc_diag *diag)
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
        *out = kind->preset(name);
        if (*out) return SC_OK;
        return sc_fail(diag, SC_EPARSE, "%.300s:%u: unknown preset; there are: %s%s", input->name,
                       (unsigned)lines.line, kind->presets, kind->other_presets);
    }
    return SC_OK;
}

// === The whole ==================================================================================

sc_err sc_adapter_settings_read(const sc_input *input, sc_adapter_settings *settings, sc_diag *diag)
{
    const char *preset = NULL;
    if (input->size > FILE_MAX_BYTES) {
        return sc_fail(diag, SC_ELIMIT, "%.300s: larger than 1 MiB", input->name);
    }
    sc_err err = find_preset(input, settings->kind, &preset, diag);
    if (err) return err;
    settings->file = sc__adapter_copy_text(input->name, strlen(input->name));
    if (!settings->file) return sc_fail_memory(diag, sc__adapter_memory_for);
    if (preset) {
        const sc_input text = {"preset", (const uint8_t *)preset, strlen(preset)};
        err = read_text(&text, true, settings, diag);
    }
    if (!err) err = read_text(input, false, settings, diag);
    return err ? err : sc_adapter_settings_check(settings, diag);
}
