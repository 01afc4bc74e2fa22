/**
 * @file request_categories.h
 * @brief Categories: the courier's own, which stay, and those of a set of objects.
 *
 * Requests are in the courier's vocabulary, which is fixed for its life. A set of objects that was
 * loaded later may number categories otherwise, lack some and have others: it is asked by their
 * names. What it has no name for it has no object of, so a request for nothing else has an empty
 * answer and is not asked at all.
 */
#ifndef SC_COURIER_REQUEST_CATEGORIES_H
#define SC_COURIER_REQUEST_CATEGORIES_H

#include <starcloak/relay.h>

/** A vocabulary with texts of its own. */
typedef struct sc__categories {
    sc_vocabulary vocabulary;
    const char **names;
    char *texts;
} sc__categories;

/**
 * The names of some vocabularies, each once, in the order in which they come.
 *
 * @return SC_OK, SC_ENOMEM; release with sc__categories_fini()
 */
SC_CHECKED sc_err sc__categories_init(sc__categories *categories, const sc_vocabulary *parts,
                                      size_t part_count);

/** Harmless twice, and if it was never made. */
void sc__categories_fini(sc__categories *categories);

/** A relay with other categories. Zero-initialise; memory is kept from one to the next. */
typedef struct sc__category_translation {
    sc_relay relay;     ///< to be asked; lends from the original. Without requests: not at all
    bool is_different;  ///< whether it is not just the original

    sc_request *requests;
    size_t request_capacity;
    uint32_t *places;  ///< of the original's request r, its place here, or SC_NONE
    size_t place_capacity;
} sc__category_translation;

void sc__category_translation_fini(sc__category_translation *translation);

/** Translate the categories of `relay` from one vocabulary to another. SC_OK or SC_ENOMEM. */
SC_CHECKED sc_err sc__translate_categories(sc__category_translation *translation,
                                           const sc_vocabulary *from, const sc_vocabulary *to,
                                           const sc_relay *relay);

/** Where request `r` of the original is now; SC_NONE: nowhere, its answer is empty. */
static inline uint32_t sc__translated_place(const sc__category_translation *translation, uint32_t r)
{
    return translation->is_different ? translation->places[r] : r;
}

#endif
