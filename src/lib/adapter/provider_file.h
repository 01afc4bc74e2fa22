/**
 * @file provider_file.h
 * @brief The file that says how a provider of others is asked, as far as all kinds have it in
 * common: addresses, bodies, headers, where things are in replies, words for categories, limits.
 *
 * `name = value` in sections. A line that begins with a blank goes on with the value before. (inih
 * is not used: it cuts lines at 200 bytes, and addresses are longer.) A preset is such a text, too:
 * it is read first, and the file changes what it says. A kind of provider (points, areas) adds
 * settings of its own by a table, and has its settings in a struct that begins with
 * sc_adapter_settings.
 *
 * Values of headers and keys are secrets: they are wiped, and no message repeats them.
 */
#ifndef SC_ADAPTER_PROVIDER_FILE_H
#define SC_ADAPTER_PROVIDER_FILE_H

#include "adapter/url_template.h"
#include "base/file.h"
#include "base/text.h"
#include "net/http_headers.h"

#include <stddef.h>

/** Texts in a row. Zero-initialise; release with sc_texts_clear(). */
typedef struct sc_texts {
    char **items;
    size_t count;
    size_t capacity;
} sc_texts;

/** A copy of `text` is added; false when memory is out. */
bool sc_texts_add(sc_texts *texts, const char *text, size_t size);

/** Wipe and free; harmless twice. */
void sc_texts_clear(sc_texts *texts);

/** Longer words for categories are mistakes, bytes. */
enum { SC_ADAPTER_WORD_MAX = 200 };

/** A category of ours, and one of the provider's words for it. */
typedef struct sc_adapter_word {
    char *ours;
    char *theirs;
} sc_adapter_word;

/** Which point of a geometry that is none is its position. */
typedef enum sc_adapter_shape {
    SC_SHAPE_FIRST,   ///< its first one, which is on it
    SC_SHAPE_CENTRE,  ///< the middle of its box
} sc_adapter_shape;

/** What becomes of a reply without a list. */
typedef enum sc_adapter_no_list {
    SC_NO_LIST_REFUSED,
    SC_NO_LIST_EMPTY,  ///< some leave out lists that are empty
} sc_adapter_no_list;

/** Settings that a file may have, of both tables together. */
enum { SC_ADAPTER_ROWS_MAX = 80 };

typedef struct sc_adapter_kind sc_adapter_kind;

typedef struct sc_adapter_settings {
    const sc_adapter_kind *kind;
    char *file;                           ///< for messages; NULL: there is none
    unsigned lines[SC_ADAPTER_ROWS_MAX];  ///< where each setting is in it; 0: nowhere

    // How it is asked.
    char *address;   ///< put where the URL has {address}
    char *url;       ///< with {address} replaced, once all is read
    char *url_all;   ///< where all categories are wanted; NULL: the same
    char *body;      ///< sent by POST; NULL: a GET
    char *body_all;  ///< likewise
    unsigned method;
    char *content_type;          ///< of the body; NULL: JSON
    char *ca_file;               ///< PEM; NULL: the system's authorities
    char *key;                   ///< secret; put where {key} is; NULL: none
    char *categories_separator;  ///< between the words of categories; NULL: a comma
    char *categories_quote;      ///< before and after each; NULL: nothing
    char *categories_all;        ///< in place of the words for all; NULL: there is no such word
    sc_texts header_names;
    sc_texts header_values;            ///< secret
    bool has[SC_TEMPLATE_PLACES_MAX];  ///< whether URL or body has the place

    // Where things are in a reply: JSON pointers, as RFC 6901 has them.
    char *list;        ///< "": the document itself
    unsigned no_list;  ///< an sc_adapter_no_list
    sc_texts id;       ///< joined by '/'
    sc_texts lon;      ///< of these and the next, the first that there is
    sc_texts lat;
    sc_texts geometry;  ///< GeoJSON; instead of lon and lat
    sc_texts name;
    sc_texts category;
    char *default_category;  ///< of objects that tell none
    char *error;             ///< a reply where this leads to something is refused; NULL: none is
    unsigned shape;          ///< an sc_adapter_shape
    unsigned axis_order;     ///< of coordinates in geometries: 0 lon-lat, 1 lat-lon

    // Categories that have another word there.
    sc_adapter_word *words;
    size_t word_count;
    size_t word_capacity;
    sc_texts ours;  ///< those of ours, each once, and the default category

    // Limits.
    double rate_per_s;  ///< 0: none
    uint64_t parallel;
    double timeout_s;
    double deadline_s;
    uint64_t max_bytes;
} sc_adapter_settings;

// --- Kinds of providers -------------------------------------------------------------------------

typedef enum sc_adapter_value {
    SC_VALUE_TEXT,
    SC_VALUE_SECRET,    ///< a text, file:PATH or env:NAME
    SC_VALUE_POINTER,   ///< one JSON pointer
    SC_VALUE_POINTERS,  ///< several, separated by blanks: sc_texts
    SC_VALUE_COUNT,     ///< uint64_t
    SC_VALUE_NUMBER,    ///< double
    SC_VALUE_WORD,      ///< unsigned, the number of one of `words`
} sc_adapter_value;

/** A setting; one that is a text is a char *. */
typedef struct sc_adapter_row {
    const char *section;
    const char *name;
    sc_adapter_value value;
    size_t offset;  ///< in the settings of the kind
    double least;
    double most;
    const char *words;
} sc_adapter_row;

struct sc_adapter_kind {
    const char *option;  ///< of the program: "--area-provider"
    const sc_adapter_row *rows;
    size_t row_count;
    const char *sections;       ///< all of them, for messages
    sc_template_places places;  ///< of URLs and bodies
    int key;                    ///< the place of the key
    int categories;             ///< the place of categories
    const int *needed;          ///< places without which every question would be the same
    size_t needed_count;
    bool needs_all;  ///< where there is a place for categories, a way to ask for all of them, too
    const char *(*preset)(const char *name);  ///< the text of one, or NULL
    const char *presets;                      ///< their names, for messages
    const char *other_presets;                ///< of another kind, and the option for it
};

/**
 * Read `input` into `settings`, which has its defaults, and check what all kinds have in common.
 *
 * @return SC_OK, SC_EPARSE or SC_EINVAL with the file, the line and the reason, SC_ELIMIT,
 *         SC_ENOMEM; afterwards sc_adapter_settings_fini() in any case
 */
SC_CHECKED sc_err sc_adapter_settings_read(const sc_input *input, sc_adapter_settings *settings,
                                           sc_diag *diag);

/** The checks alone, of settings that are from no file. */
SC_CHECKED sc_err sc_adapter_settings_check(sc_adapter_settings *settings, sc_diag *diag);

/** Wipe and free all texts, those of the kind's own rows included; harmless twice. */
void sc_adapter_settings_fini(sc_adapter_settings *settings);

/** Refuse what the setting `name` says: "FILE:LINE: why". */
sc_err sc_adapter_refuse(const sc_adapter_settings *settings, const char *name, const char *why,
                         sc_diag *diag);

// --- Asking -------------------------------------------------------------------------------------

/** Headers of the settings, `accept` and, of a body, its type; NULL when memory is out. Free with
 * sc_http_headers_free(). */
struct curl_slist *sc_adapter_headers(const sc_adapter_settings *settings, const char *accept);

/** The provider's words for some of our categories; none: for all. */
void sc_adapter_put_categories(sc_template_pen *pen, const sc_adapter_settings *settings,
                               const char *const *categories, size_t count);

/**
 * The address and the body of a question, each ended by NUL; appended. Without a body in the
 * settings, `body` is left alone.
 *
 * @param is_all  objects of all categories are wanted
 * @param url     NULL: it is not needed
 * @return SC_OK, SC_EREQUEST (a word that a body cannot have), SC_ENOMEM
 */
SC_CHECKED sc_err sc_adapter_fill(const sc_adapter_settings *settings,
                                  const sc_template_values *values, bool is_all, sc_bytes *url,
                                  sc_bytes *body, sc_diag *diag);

/** Our category for a word of the provider's. Lent by the settings, or the word itself. */
const char *sc_adapter_category(const sc_adapter_settings *settings, const char *theirs);

#endif
