// A JSON document as a tree.
//
// All values lie in one array that is used from both ends. From its start upwards, a stack: values
// that were read and whose bracket is still open. From its end downwards, what is finished: when a
// bracket closes, its elements (for an object: a name, a value, a name, ...) leave the stack and
// lie together, so that the i-th is found at once. Names and texts lie behind the array.
//
// How many values a long text can have is counted first: before each stands a bracket, a comma or a
// colon, but for the first. A short one has room for as many as it has bytes, most of which is
// never touched.
#include "base/json_tree.h"

#include "base/alloc.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** A value. A name is a value of kind SC_JSON_STRING. */
struct sc_json_value {
    uint8_t kind;     ///< sc_json_kind
    bool is_integer;  ///< of a number
    char word;        ///< of a word: its first letter
    uint32_t offset;  ///< where it begins in the text (of texts beyond 4 GiB: modulo that)
    size_t size;      ///< of a string: bytes; of a bracket: values in it; while open: see `open`
    union {
        double number;
        int64_t integer;
        const char *text;
        const sc_json_value *items;
    };
};

/** Objects with more members than this have their names sorted, in an array behind their items. */
enum { SORTED_FROM = 16, NAMES_PER_VALUE = sizeof(sc_json_value) / sizeof(uint32_t) };

/** Texts that are not counted: counting them takes as long as a third of reading them. */
enum { SHORT_TEXT = 4096 };

// --- Room ----------------------------------------------------------------------------------------

/** Values that a text can have at most, with room for sorted names. */
static size_t count_values(const char *text, size_t size)
{
    size_t values = 1;
    size_t colons = 0;
    bool in_string = false;
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') i++;
            if (c == '"') in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == ':') {
            colons++;
        } else {
            values += c == '{' || c == '[' || c == ',';
        }
    }
    return values + colons + colons / 4 + 1;
}

size_t sc_json_tree_bytes(const char *text, size_t size)
{
    size_t bytes = 0;
    // The first byte of a value, and the colon behind a name, are no other's.
    const size_t values = size <= SHORT_TEXT ? size + 1 : count_values(text, size);
    // Each string has two quotes around it, and needs a NUL.
    if (__builtin_mul_overflow(values, sizeof(sc_json_value), &bytes) ||
        __builtin_add_overflow(bytes, size, &bytes)) {
        return SIZE_MAX;
    }
    return bytes;
}

// --- Reading -------------------------------------------------------------------------------------

#define NO_BRACKET SIZE_MAX

typedef struct reading {
    sc_json_pull json;
    sc_json_value *values;
    size_t top;       ///< values on the stack
    size_t top_most;  ///< as many as were there when a bracket closed
    size_t finished;  ///< where those begin that are finished
    size_t open;      ///< the innermost bracket on the stack; its `size` is the one around it
    unsigned depth;
    char *texts;  ///< where the next text goes
    sc_json_fault fault;
    size_t at;  ///< where that is in the text
} reading;

static bool fail(reading *r, sc_json_fault fault, size_t at)
{
    r->fault = fault;
    r->at = at;
    return false;
}

// What the pull reader refused.
static bool fail_pull(reading *r)
{
    const bool is_cut = r->json.fault == SC_JSON_SYNTAX && r->json.at == r->json.end;
    return fail(r, is_cut ? SC_JSON_CUT_SHORT : r->json.fault, sc_json_offset(&r->json));
}

static sc_json_value *push(reading *r, sc_json_kind kind)
{
    sc_json_value *value = &r->values[r->top++];
    *value = (sc_json_value){.kind = (uint8_t)kind, .offset = (uint32_t)sc_json_offset(&r->json)};
    return value;
}

static bool push_string(reading *r, sc_json_raw raw, size_t offset)
{
    sc_json_value *value = push(r, SC_JSON_STRING);
    value->offset = (uint32_t)offset;
    value->text = r->texts;
    value->size = sc_json_unescape(raw, r->texts);
    if (raw.has_escapes && memchr(value->text, '\0', value->size)) {
        return fail(r, SC_JSON_HAS_NUL, offset);
    }
    r->texts += value->size;
    *r->texts++ = '\0';
    return true;
}

static bool push_number(reading *r)
{
    sc_json_value *value = push(r, SC_JSON_NUMBER);
    sc_json_numeral number;
    if (!sc_json_numeral_of(&r->json, &number)) return fail_pull(r);
    value->is_integer = number.is_whole;
    if (!number.is_whole) {
        value->number = number.value;
    } else if (number.fits) {
        value->integer = number.whole;
    } else {
        return fail(r, SC_JSON_TOO_LARGE, value->offset);
    }
    return true;
}

static bool push_word(reading *r)
{
    sc_json_value *value = push(r, SC_JSON_WORD);
    value->word = *r->json.at;
    const char *word = value->word == 't' ? "true" : value->word == 'f' ? "false" : "null";
    return sc_json_word(&r->json, word) || fail_pull(r);
}

static bool open_bracket(reading *r, sc_json_kind kind)
{
    if (r->depth == SC_JSON_DEPTH_MAX) {
        return fail(r, SC_JSON_TOO_DEEP, sc_json_offset(&r->json));
    }
    sc_json_value *value = push(r, kind);
    value->size = r->open;
    r->open = r->top - 1;
    r->depth++;
    return sc_json_enter(&r->json, kind == SC_JSON_OBJECT ? '{' : '[') || fail_pull(r);
}

static bool read_value(reading *r)
{
    const sc_json_kind kind = sc_json_peek(&r->json);
    const size_t offset = sc_json_offset(&r->json);
    sc_json_raw raw;
    switch (kind) {
    case SC_JSON_OBJECT:
    case SC_JSON_ARRAY:
        return open_bracket(r, kind);
    case SC_JSON_STRING:
        return sc_json_text_of(&r->json, &raw) ? push_string(r, raw, offset) : fail_pull(r);
    case SC_JSON_NUMBER:
        return push_number(r);
    case SC_JSON_WORD:
        return push_word(r);
    case SC_JSON_NONE:
        break;
    }
    return fail(r, r->json.at == r->json.end ? SC_JSON_CUT_SHORT : SC_JSON_SYNTAX, offset);
}

// --- Names ---------------------------------------------------------------------------------------

static bool is_text(const sc_json_value *name, const char *text, size_t size)
{
    // Most that differ do so in their first byte.
    return name->size == size &&
           (size == 0 || (*name->text == *text && memcmp(name->text, text, size) == 0));
}

static int compare_texts(const sc_json_value *name, const char *text, size_t size)
{
    const size_t shorter = name->size < size ? name->size : size;
    const int order = memcmp(name->text, text, shorter);
    return order != 0 ? order : (name->size > size) - (name->size < size);
}

static int compare_names(const void *a, const void *b, void *items)
{
    const sc_json_value *left = (const sc_json_value *)items + *(const uint32_t *)a;
    const sc_json_value *right = (const sc_json_value *)items + *(const uint32_t *)b;
    return compare_texts(left, right->text, right->size);
}

// Names of small objects are compared as they come; those of large ones when they are all there.
static bool push_name(reading *r, sc_json_raw raw)
{
    // Behind the quote at its end come blanks and a colon, so that its place is found by its bytes.
    const size_t offset = (size_t)(raw.raw.text - r->json.start) - 1;
    if (!push_string(r, raw, offset)) return false;
    const sc_json_value *name = &r->values[r->top - 1];
    const sc_json_value *first = &r->values[r->open + 1];
    if ((name - first) / 2 > SORTED_FROM) return true;
    for (; first < name; first += 2) {
        if (is_text(first, name->text, name->size)) return fail(r, SC_JSON_TWICE, offset);
    }
    return true;
}

static bool sort_names(const sc_json_value *items, size_t members, uint32_t *names, reading *r)
{
    for (size_t i = 0; i < members; i++) {
        names[i] = (uint32_t)(2 * i);
    }
    qsort_r(names, members, sizeof *names, compare_names, (void *)(uintptr_t)items);
    for (size_t i = 1; i < members; i++) {
        if (compare_names(&names[i - 1], &names[i], (void *)(uintptr_t)items) != 0) continue;
        const uint32_t second = names[i] > names[i - 1] ? names[i] : names[i - 1];
        return fail(r, SC_JSON_TWICE, items[second].offset);
    }
    return true;
}

// --- Brackets that close
// ---------------------------------------------------------------------------

static bool close_bracket(reading *r)
{
    sc_json_value *bracket = &r->values[r->open];
    const bool is_object = bracket->kind == SC_JSON_OBJECT;
    const size_t count = r->top - r->open - 1;
    const size_t size = is_object ? count / 2 : count;
    const bool is_sorted = is_object && size > SORTED_FROM;
    if (is_sorted) r->finished -= (size + NAMES_PER_VALUE - 1) / NAMES_PER_VALUE;
    sc_json_value *names = &r->values[r->finished];
    r->finished -= count;
    sc_json_value *items = &r->values[r->finished];
    memmove(items, bracket + 1, count * sizeof *items);
    if (r->top > r->top_most) r->top_most = r->top;
    r->top = r->open + 1;
    r->open = bracket->size;
    r->depth--;
    bracket->items = items;
    bracket->size = size;
    return !is_sorted || sort_names(items, size, (uint32_t *)(void *)names, r);
}

// Go on within the bracket that is open: true if a value is to be read next.
static bool next_value(reading *r, bool *is_closed)
{
    sc_json_raw name;
    *is_closed = false;
    if (r->values[r->open].kind == SC_JSON_ARRAY) {
        if (sc_json_next_element(&r->json)) return true;
    } else if (sc_json_next_member(&r->json, &name)) {
        return push_name(r, name);
    }
    if (r->json.wrong) return fail_pull(r);
    *is_closed = true;
    return close_bracket(r);
}

static bool read_document(reading *r)
{
    if (!read_value(r)) return false;
    while (r->open != NO_BRACKET) {
        bool is_closed = false;
        if (!next_value(r, &is_closed) || (!is_closed && !read_value(r))) return false;
    }
    return sc_json_end(&r->json) || fail_pull(r);
}

static sc_json_error error_at(const char *text, size_t size, const reading *r)
{
    sc_json_error error = {.fault = r->fault, .line = 1, .column = 1};
    const size_t at = r->at < size ? r->at : size > 0 ? size - 1 : 0;
    error.byte = at + 1;
    for (size_t i = 0; i < at; i++) {
        if (text[i] == '\n') {
            error.line++;
            error.column = 1;
        } else {
            error.column += ((unsigned char)text[i] & 0xc0) != 0x80;
        }
    }
    return error;
}

// The stack is no longer needed; it may hold positions. Where it once was, others may be finished.
static void wipe_stack(reading *r)
{
    const size_t used = r->top > r->top_most ? r->top : r->top_most;
    const size_t left = used < r->finished ? used : r->finished;
    explicit_bzero(r->values, left * sizeof *r->values);
}

sc_err sc_json_tree_read(const char *text, size_t size, sc_json_tree *out, sc_json_error *error)
{
    const size_t bytes = sc_json_tree_bytes(text, size);
    const size_t values = (bytes - size) / sizeof(sc_json_value);
    void *memory = bytes < SIZE_MAX ? sc_malloc(bytes) : NULL;
    if (!memory) return SC_ENOMEM;
    reading r = {.json = sc_json_pull_of(text, size),
                 .values = memory,
                 .finished = values,
                 .open = NO_BRACKET,
                 .texts = (char *)memory + values * sizeof(sc_json_value)};
    const bool is_read = read_document(&r);
    if (!is_read) *error = error_at(text, size, &r);
    const sc_json_value root = r.values[0];
    wipe_stack(&r);
    // The root comes first; nothing is left before it.
    if (is_read) r.values[--r.finished] = root;
    const sc_json_value *first = &r.values[r.finished];
    sc_json_tree tree = {first, memory, (size_t)(r.texts - (const char *)first)};
    if (is_read) {
        *out = tree;
        return SC_OK;
    }
    sc_json_tree_fini(&tree);
    return SC_EPARSE;
}

void sc_json_tree_fini(sc_json_tree *tree)
{
    if (tree->memory) explicit_bzero((void *)(uintptr_t)tree->root, tree->size);
    sc_free(tree->memory);
    *tree = (sc_json_tree){0};
}

// --- Looking
// ---------------------------------------------------------------------------------------

static bool is_kind(const sc_json_value *value, sc_json_kind kind)
{
    return value && value->kind == kind;
}

bool sc_json_is_object(const sc_json_value *value)
{
    return is_kind(value, SC_JSON_OBJECT);
}

bool sc_json_is_array(const sc_json_value *value)
{
    return is_kind(value, SC_JSON_ARRAY);
}

size_t sc_json_size(const sc_json_value *value)
{
    return sc_json_is_object(value) || sc_json_is_array(value) ? value->size : 0;
}

static const sc_json_value *find_sorted(const sc_json_value *object, const char *name, size_t size)
{
    const uint32_t *names = (const uint32_t *)(const void *)(object->items + 2 * object->size);
    size_t low = 0;
    size_t high = object->size;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const sc_json_value *found = &object->items[names[middle]];
        const int order = compare_texts(found, name, size);
        if (order == 0) return found + 1;
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

const sc_json_value *sc_json_member_n(const sc_json_value *object, const char *name, size_t size)
{
    if (!sc_json_is_object(object)) return NULL;
    if (object->size > SORTED_FROM) return find_sorted(object, name, size);
    for (size_t i = 0; i < object->size; i++) {
        const sc_json_value *found = &object->items[2 * i];
        if (is_text(found, name, size)) return found + 1;
    }
    return NULL;
}

const char *sc_json_member_name(const sc_json_value *object, size_t i)
{
    return sc_json_is_object(object) && i < object->size ? object->items[2 * i].text : NULL;
}

const sc_json_value *sc_json_at(const sc_json_value *value, size_t i)
{
    if (i >= sc_json_size(value)) return NULL;
    return sc_json_is_object(value) ? &value->items[2 * i + 1] : &value->items[i];
}

bool sc_json_is_string(const sc_json_value *value)
{
    return is_kind(value, SC_JSON_STRING);
}

const char *sc_json_text_at(const sc_json_value *value)
{
    return sc_json_is_string(value) ? value->text : NULL;
}

size_t sc_json_text_size(const sc_json_value *value)
{
    return sc_json_is_string(value) ? value->size : 0;
}

bool sc_json_is_number(const sc_json_value *value)
{
    return is_kind(value, SC_JSON_NUMBER);
}

bool sc_json_is_integer(const sc_json_value *value)
{
    return sc_json_is_number(value) && value->is_integer;
}

bool sc_json_number_in(const sc_json_value *value, double *out)
{
    double number = sc_json_number_at(value);
    if (!sc_json_is_number(value)) {
        if (!sc_json_is_string(value)) return false;
        const sc_slice text = {sc_json_text_at(value), sc_json_text_size(value)};
        if (!sc_slice_double(text, &number)) return false;
    }
    if (!isfinite(number)) return false;
    *out = number;
    return true;
}

int64_t sc_json_integer(const sc_json_value *value)
{
    return sc_json_is_integer(value) ? value->integer : 0;
}

double sc_json_number_at(const sc_json_value *value)
{
    if (!sc_json_is_number(value)) return 0.0;
    return value->is_integer ? (double)value->integer : value->number;
}

static bool is_word(const sc_json_value *value, char letter)
{
    return is_kind(value, SC_JSON_WORD) && value->word == letter;
}

bool sc_json_is_null(const sc_json_value *value)
{
    return is_word(value, 'n');
}

bool sc_json_is_true(const sc_json_value *value)
{
    return is_word(value, 't');
}

bool sc_json_is_flag(const sc_json_value *value)
{
    return is_word(value, 't') || is_word(value, 'f');
}
