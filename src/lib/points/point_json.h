/**
 * @file point_json.h
 * @brief One answer of a provider: a stranger's JSON, made into rows or refused.
 *
 * Each row by itself is sound afterwards: it has a key, a position that is one, a distance that is
 * a number and not negative, texts that are not too long. Whether the rows make sense together is
 * for take.c to say.
 *
 * No sentence repeats what the answer holds, since that tells where was asked; it says which
 * object, and which field.
 *
 * Used by: take. A door for strangers' bytes: fuzz/fuzz_point_reply.c.
 */
#ifndef SC_POINTS_POINT_JSON_H
#define SC_POINTS_POINT_JSON_H

#include <starcloak/relay.h>

#include "base/json_tree.h"
#include "points/point_settings.h"

/** The longest key and the longest name, bytes. */
enum { SC__KEY_MAX = 255, SC__NAME_MAX = 1023 };

/** An object as one answer tells of it. Texts are lent by the answer. */
typedef struct sc__row {
    const char *key;
    const char *name;  ///< "" if it has none
    double x;
    double y;
    bool has_distance;
    double distance_m;
    sc_category_id category;  ///< SC_NONE: not told, or none that we have a word for
    char digits[24];          ///< room for a key that is a number
} sc__row;

/** What one answer says, in its order. */
typedef struct sc__answer {
    sc_json_tree document;  ///< the texts of the rows are in it
    sc__row *rows;
    uint32_t count;
} sc__answer;

/** What was asked. */
typedef struct sc__question {
    uint32_t k;
    sc_category_id category;  ///< SC_NONE: all
} sc__question;

/**
 * Read an answer.
 *
 * @param coords  what a position is
 * @param out     set on success; release with sc__answer_fini()
 * @return SC_OK, SC_EREPLY with a reason, SC_ENOMEM
 */
SC_CHECKED sc_err sc__answer_parse(const sc__point_settings *settings, sc_coords coords,
                                   const sc_vocabulary *vocabulary, sc__question question,
                                   const char *bytes, size_t size, sc__answer *out, sc_diag *diag);

/** Harmless twice. */
void sc__answer_fini(sc__answer *answer);

#endif
