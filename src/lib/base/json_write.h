/**
 * @file json_write.h
 * @brief Writing JSON, into bytes that grow or to a stream, with one place that escapes.
 *
 *     sc_json_writer json = sc_json_writer_of(&bytes);
 *     sc_json_open_object(&json, NULL);
 *     sc_json_put_string(&json, "name", name);
 *     sc_json_open_array(&json, "segments");
 *     for (...) sc_json_put_count(&json, NULL, segments[i]);
 *     sc_json_close_array(&json);
 *     sc_json_close_object(&json);
 *     if (json.has_failed) ...                  // {"name":"...","segments":[1,2]}
 *
 * Commas are set where they are due. Each value takes the name of the member that it is; NULL in an
 * array, or for the document itself. Names are constants and written as they are; strings may come
 * from outside: what JSON or a terminal would take for something else is escaped, and bytes that
 * are not UTF-8 become U+FFFD.
 *
 * A failure (memory is out) is remembered, not returned, so that writing reads straight down the
 * page and the end asks once. Numbers do not depend on the locale.
 */
#ifndef SC_BASE_JSON_WRITE_H
#define SC_BASE_JSON_WRITE_H

#include <starcloak/bytes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct sc_json_writer {
    sc_bytes *out;     ///< appended to; NULL: the stream is written to
    FILE *stream;      ///< what goes wrong with it is its owner's to ask
    bool is_secret;    ///< old places of `out` are wiped when it grows
    bool has_failed;   ///< memory is out; nothing is written any more
    bool needs_comma;  ///< a value has ended within the bracket that is open
    bool is_spaced;    ///< a blank follows commas and colons; set it before the first value
} sc_json_writer;

/** Appends to `out`, which is lent. */
sc_json_writer sc_json_writer_of(sc_bytes *out);

/** Appends to `out`, and leaves no copy behind in freed memory; sc_bytes_wipe() it when done. */
sc_json_writer sc_json_writer_of_secret(sc_bytes *out);

/** Writes to `stream`. */
sc_json_writer sc_json_writer_of_stream(FILE *stream);

// --- Brackets -----------------------------------------------------------------------------------

static inline void sc_json_open_object(sc_json_writer *json, const char *name);
static inline void sc_json_close_object(sc_json_writer *json);
static inline void sc_json_open_array(sc_json_writer *json, const char *name);
static inline void sc_json_close_array(sc_json_writer *json);

/** Begin a line: after the comma that is due, if one is. */
void sc_json_break_line(sc_json_writer *json);

/** `text` as it is, and after it no comma: what stands around documents ("data: ", line ends). */
void sc_json_put_text(sc_json_writer *json, const char *text);

// --- Values -------------------------------------------------------------------------------------

static inline void sc_json_put_string(sc_json_writer *json, const char *name, const char *text);
void sc_json_put_flag(sc_json_writer *json, const char *name, bool holds);
void sc_json_put_null(sc_json_writer *json, const char *name);
static inline void sc_json_put_count(sc_json_writer *json, const char *name, uint64_t count);
void sc_json_put_signed(sc_json_writer *json, const char *name, int64_t number);

/** With the fewest digits that read back as the same double; null for NaN and infinite. */
void sc_json_put_number(sc_json_writer *json, const char *name, double number);

/** With at most `digits` (1 to 17) significant digits; null for NaN and infinite. */
void sc_json_put_rounded(sc_json_writer *json, const char *name, double number, int digits);

/**
 * Rounded to at most `decimals` (0 to 9) digits after the point; zeros at the end are left out.
 * Much cheaper than the shortest form.
 */
static inline void sc_json_put_fixed(sc_json_writer *json, const char *name, double number,
                                     unsigned decimals);

/** With exactly `decimals` digits after the point; null for NaN and infinite. */
void sc_json_put_decimals(sc_json_writer *json, const char *name, double number, int decimals);

/** A string of 16 hexadecimal digits, zeros in front: an id or a checksum. */
void sc_json_put_hex(sc_json_writer *json, const char *name, uint64_t value);

/** Bytes as a string in base64, padded. */
void sc_json_put_base64(sc_json_writer *json, const char *name, const void *bytes, size_t size);

// --- Strings alone ------------------------------------------------------------------------------

/** The most that sc_json_escape() writes for `size` bytes, and for one character. */
#define SC_JSON_ESCAPED(size) (2 + 6 * (size))
enum { SC_JSON_ESCAPED_CHARACTER = 6 };

/**
 * Write `size` bytes of text, quoted and escaped, to `out`, which has room for
 * SC_JSON_ESCAPED(size); no NUL at the end. Returns how many were written. Needs no memory.
 */
size_t sc_json_escape(const char *text, size_t size, char *out);

/** Write the character at `*text`, escaped if it must be, and step over it; returns its bytes. */
size_t sc_json_escape_character(const char **text, const char *end,
                                char out[SC_JSON_ESCAPED_CHARACTER]);

/** Write `text` quoted and escaped to a stream whose other JSON is printed by its owner. */
void sc_json_string(FILE *stream, const char *text);

/** The same for `size` bytes, which may hold a NUL and need not end with one. */
void sc_json_text(FILE *stream, const char *text, size_t size);

// --- With the length of the name
// ------------------------------------------------------------------ Which the compiler knows of
// the constants that names are, where these calls are inlined: to count it again for every member
// was a tenth of writing an answer.

void sc__json_open(sc_json_writer *json, const char *name, size_t name_size, char bracket);
void sc__json_close(sc_json_writer *json, char bracket);
void sc__json_put_string(sc_json_writer *json, const char *name, size_t name_size,
                         const char *text);
void sc__json_put_count(sc_json_writer *json, const char *name, size_t name_size, uint64_t count);
void sc__json_put_fixed(sc_json_writer *json, const char *name, size_t name_size, double number,
                        unsigned decimals);

static inline size_t sc__json_name_size(const char *name)
{
    return name ? strlen(name) : 0;
}

static inline void sc_json_open_object(sc_json_writer *json, const char *name)
{
    sc__json_open(json, name, sc__json_name_size(name), '{');
}

static inline void sc_json_close_object(sc_json_writer *json)
{
    sc__json_close(json, '}');
}

static inline void sc_json_open_array(sc_json_writer *json, const char *name)
{
    sc__json_open(json, name, sc__json_name_size(name), '[');
}

static inline void sc_json_close_array(sc_json_writer *json)
{
    sc__json_close(json, ']');
}

static inline void sc_json_put_string(sc_json_writer *json, const char *name, const char *text)
{
    sc__json_put_string(json, name, sc__json_name_size(name), text);
}

static inline void sc_json_put_count(sc_json_writer *json, const char *name, uint64_t count)
{
    sc__json_put_count(json, name, sc__json_name_size(name), count);
}

static inline void sc_json_put_fixed(sc_json_writer *json, const char *name, double number,
                                     unsigned decimals)
{
    sc__json_put_fixed(json, name, sc__json_name_size(name), number, decimals);
}

#endif
