/**
 * @file json_pull.h
 * @brief Reading JSON (RFC 8259) strictly, piece by piece, where it lies.
 *
 * The caller asks for what it expects next, and gets it or false:
 *
 *     sc_json_pull json = sc_json_pull_of(body, size);
 *     sc_json_raw name;
 *     if (!sc_json_enter(&json, '{')) ...
 *     while (sc_json_next_member(&json, &name)) {
 *         if (sc_json_string_is(name, "k")) ok = sc_json_number(&json, &k);
 *         ...
 *     }
 *     if (!sc_json_end(&json)) ...             // json.wrong has what, sc_json_offset() where
 *
 * No tree, no memory, no copies: a body with a position in it is in one place only, and wiping that
 * is enough. Nothing is skipped and nothing nests by itself, so the depth is what the caller
 * enters. Once something is wrong, every further call is false.
 */
#ifndef SC_BASE_JSON_PULL_H
#define SC_BASE_JSON_PULL_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

/** Why a text is refused, for callers with sentences of their own. */
typedef enum sc_json_fault {
    SC_JSON_FINE,
    SC_JSON_SYNTAX,     ///< something else is expected there
    SC_JSON_NOT_UTF8,   ///< a string is not UTF-8
    SC_JSON_TOO_LARGE,  ///< no double can hold a number, or it has too many digits
    SC_JSON_FOLLOWED,   ///< something follows the document
    // By json_tree.h alone:
    SC_JSON_CUT_SHORT,  ///< the text ends before the document
    SC_JSON_TWICE,      ///< a member stands twice in an object
    SC_JSON_HAS_NUL,    ///< the character 0 in a string
    SC_JSON_TOO_DEEP,   ///< too many brackets within each other
} sc_json_fault;

/** A place in a text. */
typedef struct sc_json_pull {
    const char *start;
    const char *at;
    const char *end;
    bool is_first;      ///< nothing yet inside the bracket entered last: no comma before what comes
    const char *wrong;  ///< what is wrong at this place, in words; NULL: nothing
    sc_json_fault fault;
} sc_json_pull;

/** A string between its quotes, as it stands in the text: well-formed, escapes and all. */
typedef struct sc_json_raw {
    sc_slice raw;
    bool has_escapes;
} sc_json_raw;

/** A number. */
typedef struct sc_json_numeral {
    double value;   ///< always finite
    bool is_whole;  ///< it has neither a point nor an exponent
    bool fits;      ///< `whole` is its value
    int64_t whole;
} sc_json_numeral;

/** The kinds of values, by their first byte. */
typedef enum sc_json_kind {
    SC_JSON_NONE,  ///< no value begins here
    SC_JSON_OBJECT,
    SC_JSON_ARRAY,
    SC_JSON_STRING,
    SC_JSON_NUMBER,
    SC_JSON_WORD,  ///< true, false, null
} sc_json_kind;

/** Before the first value of `text`, which is lent. */
sc_json_pull sc_json_pull_of(const char *text, size_t size);

/** What comes next; whether it is well-formed is not checked. */
sc_json_kind sc_json_peek(sc_json_pull *json);

/** Step into an object ('{') or an array ('['). */
bool sc_json_enter(sc_json_pull *json, char bracket);

/** Whether another element of the array follows; false steps out of it. */
bool sc_json_next_element(sc_json_pull *json);

/** Whether another member of the object follows, and its name; false steps out of it. */
bool sc_json_next_member(sc_json_pull *json, sc_json_raw *name);

/** A number, always finite; one that no double can hold is wrong. */
bool sc_json_number(sc_json_pull *json, double *out);

/** The same, and whether it is a whole one. */
bool sc_json_numeral_of(sc_json_pull *json, sc_json_numeral *out);

bool sc_json_text_of(sc_json_pull *json, sc_json_raw *out);

/** One of the words true, false, null: exactly that one. */
bool sc_json_word(sc_json_pull *json, const char *word);

/** Whether this was all: only blanks follow, and nothing was wrong. */
bool sc_json_end(sc_json_pull *json);

/** How many bytes were read: where it is wrong. */
size_t sc_json_offset(const sc_json_pull *json);

/**
 * What the string means, into `out`, which has room for its raw size; no NUL at the end. Returns
 * the bytes written.
 */
size_t sc_json_unescape(sc_json_raw string, char *out);

/** Whether the string means `text`, which holds no NUL; escapes are understood. */
bool sc_json_string_is(sc_json_raw string, const char *text);

/** Pass over bytes of a string that stand for themselves, as nearly all do, eight at a time. */
static inline const char *sc_json_skip_plain(const char *at, const char *end)
{
    const uint64_t ones = 0x0101010101010101U;
    const uint64_t tops = ones << 7;
    while (end - at >= 8) {
        uint64_t eight = 0;
        memcpy(&eight, at, 8);
        eight = le64toh(eight);  // the first byte lowest
        // In each byte the top bit is set if it is a quote, a backslash, below a blank or beyond
        // ASCII; bytes behind the first of these may have it as well.
        const uint64_t quotes = eight ^ (ones * '"');
        const uint64_t slashes = eight ^ (ones * '\\');
        const uint64_t found =
            ((quotes - ones) | (slashes - ones) | (eight - ones * ' ') | eight) & tops;
        if (found) return at + __builtin_ctzll(found) / 8;
        at += 8;
    }
    while (at < end && (signed char)*at >= 0x20 && *at != '"' && *at != '\\') {
        at++;
    }
    return at;
}

#endif
