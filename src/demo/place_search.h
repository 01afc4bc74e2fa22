/**
 * @file place_search.h
 * @brief Streets and objects of the map by their name: GET /demo/places. docs/ui.md has the words.
 *
 * All names stand in one text, in small letters and one behind the other; a search is one look
 * through it. On a map of 300,000 names that is some milliseconds, and never more: after
 * SC_PLACE_SEARCH_MATCHES names that match it ends, since "a" is in nearly all of them. Streets
 * come before objects in that text.
 *
 * What counts as a small letter is for the C library to say (C.UTF-8); without that locale only the
 * letters of ASCII are changed.
 */
#ifndef SC_DEMO_PLACE_SEARCH_H
#define SC_DEMO_PLACE_SEARCH_H

#include <starcloak/map.h>

#include "api/problem_details.h"

enum {
    SC_PLACE_SEARCH_TEXT_MAX = 100,  ///< bytes
    SC_PLACE_SEARCH_LIMIT = 10,
    SC_PLACE_SEARCH_LIMIT_MAX = 50,
    SC_PLACE_SEARCH_MATCHES = 20000,
};

typedef struct sc_place_search sc_place_search;

/** @param map  borrowed; with coordinates. Time O(segments + objects). @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc_place_search_new(const sc_map *map, sc_place_search **out);

/** NULL is fine. */
void sc_place_search_free(sc_place_search *search);

/** How well something fits: the least is the best. */
typedef enum sc_place_rank {
    SC_PLACE_BEGINS,           ///< its name begins with the text
    SC_PLACE_HAS_WORD,         ///< a word of its name does
    SC_PLACE_HAS_TEXT,         ///< the text is in its name
    SC_PLACE_CATEGORY_BEGINS,  ///< a word of its category begins with it
    SC_PLACE_CATEGORY_HAS,     ///< the text is in its category
} sc_place_rank;

typedef struct sc_place_hit {
    sc_place_rank rank;
    size_t name_size;     ///< of two that fit equally well the shorter name comes first,
    uint32_t entry;       ///< then the one that the map has first
    sc_object_id object;  ///< SC_NONE: it is a street
    sc_seg_id segment;    ///< that it is on; of a street its longest
} sc_place_hit;

/**
 * What fits, the best first. Any thread.
 *
 * @param text   UTF-8, `size` bytes, 1 to SC_PLACE_SEARCH_TEXT_MAX
 * @param limit  1 to SC_PLACE_SEARCH_LIMIT_MAX: the room of `out`
 * @param more   set: whether there are others
 * @return how many
 */
size_t sc_place_search_find(const sc_place_search *search, const char *text, size_t size,
                            size_t limit, sc_place_hit *out, bool *more);

/** What a request asks for. */
typedef struct sc__place_question {
    char text[SC_PLACE_SEARCH_TEXT_MAX];  ///< UTF-8
    size_t size;
    size_t limit;
} sc__place_question;

/** Read what follows the question mark: "text=haupt&limit=5"; other parameters are passed over.
 * False if it is refused; `problem` is filled then. */
bool sc__place_question_read(const char *search, sc__place_question *out, sc_problem *problem);

/** The page. Any thread. */
void sc_place_search_show(const sc_place_search *search, sc_http_request *request);

#endif
