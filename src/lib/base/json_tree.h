/**
 * @file json_tree.h
 * @brief A whole JSON document as a tree, for readers that look members up by name.
 *
 *     sc_json_tree tree;
 *     sc_json_error error;
 *     sc_err err = sc_json_tree_read(text, size, &tree, &error);
 *     const sc_json_value *k = sc_json_member(sc_json_member(tree.root, "profile"), "k");
 *     if (sc_json_is_integer(k)) ... sc_json_integer(k) ...
 *     sc_json_tree_fini(&tree);                 // wiped, since it may hold positions
 *
 * Read by json_pull.h, as strictly: UTF-8, no member twice, no character 0, finite numbers, whole
 * numbers within 64 bits. The tree is one piece of memory that is known before anything is read: 24
 * bytes for each bracket, comma and colon (in a short text: for each byte), and the size of the
 * text; so a caller that bounds the size of a text has bounded its tree. Members are found in
 * logarithmic time, whatever their names.
 *
 * Where a value is asked of something that has none (a member of a number, an element of NULL), the
 * answer is NULL, 0 or false, so that only the last of a chain needs to be looked at.
 */
#ifndef SC_BASE_JSON_TREE_H
#define SC_BASE_JSON_TREE_H

#include <starcloak/err.h>

#include "base/json_pull.h"

#include <string.h>

/** A value; lent as long as its tree lives. */
typedef struct sc_json_value sc_json_value;

typedef struct sc_json_tree {
    const sc_json_value *root;
    void *memory;
    size_t size;  ///< of all that was written, from the root on
} sc_json_tree;

/** Where and why a text was refused. Nothing of it is repeated here. */
typedef struct sc_json_error {
    sc_json_fault fault;
    size_t byte;    ///< from 1; of the byte that is wrong, or of the last one
    size_t line;    ///< from 1
    size_t column;  ///< from 1, in characters
} sc_json_error;

/** Brackets within each other, at most. */
enum { SC_JSON_DEPTH_MAX = 2048 };

/**
 * The most bytes that the tree of a text takes, well-formed or not. Time O(size).
 */
size_t sc_json_tree_bytes(const char *text, size_t size);

/**
 * Read a document.
 *
 * @param out    set on success; release with sc_json_tree_fini()
 * @param error  set if the text is refused
 * @return SC_OK, SC_EPARSE, SC_ENOMEM
 */
SC_CHECKED sc_err sc_json_tree_read(const char *text, size_t size, sc_json_tree *out,
                                    sc_json_error *error);

/** Wipe and free; harmless twice. */
void sc_json_tree_fini(sc_json_tree *tree);

// --- Objects and arrays
// ---------------------------------------------------------------------------

bool sc_json_is_object(const sc_json_value *value);
bool sc_json_is_array(const sc_json_value *value);

/** Members of an object, or elements of an array. */
size_t sc_json_size(const sc_json_value *value);

/** The member named by the first `size` bytes of `name`. */
const sc_json_value *sc_json_member_n(const sc_json_value *object, const char *name, size_t size);

/** Inline, since most names are constants, and so are their sizes. */
static inline const sc_json_value *sc_json_member(const sc_json_value *object, const char *name)
{
    return sc_json_member_n(object, name, strlen(name));
}

/** The i-th name, in the order of the text; ended by NUL. */
const char *sc_json_member_name(const sc_json_value *object, size_t i);

/** The i-th element of an array, or the value of the i-th member. Time O(1). */
const sc_json_value *sc_json_at(const sc_json_value *value, size_t i);

// --- Strings, numbers and words
// -------------------------------------------------------------------

/** Ended by NUL; NULL if it is no string. */
const char *sc_json_text_at(const sc_json_value *value);

/** Of a string in bytes, without the NUL. */
size_t sc_json_text_size(const sc_json_value *value);

bool sc_json_is_string(const sc_json_value *value);
bool sc_json_is_number(const sc_json_value *value);

/** A number without a point or an exponent. */
bool sc_json_is_integer(const sc_json_value *value);

double sc_json_number_at(const sc_json_value *value);

/** A number, or a text that is one: many write numbers as texts. False: neither, or not finite. */
bool sc_json_number_in(const sc_json_value *value, double *out);
int64_t sc_json_integer(const sc_json_value *value);

bool sc_json_is_null(const sc_json_value *value);
bool sc_json_is_flag(const sc_json_value *value);
bool sc_json_is_true(const sc_json_value *value);

#endif
