/**
 * @file url_template.h
 * @brief Addresses and bodies of questions, made from templates with places as {west} or {lon}.
 *
 * What the places are is said by the one who asks; what they may not do is said here: stand in the
 * name of a host, or break out of a text that they are put into.
 */
#ifndef SC_ADAPTER_URL_TEMPLATE_H
#define SC_ADAPTER_URL_TEMPLATE_H

#include <starcloak/bytes.h>
#include <starcloak/err.h>

#include <stdbool.h>
#include <stdint.h>

/** Longer templates are mistakes, bytes; and more places. */
enum { SC_TEMPLATE_MAX = 4000, SC_TEMPLATE_PLACES_MAX = 16 };

/** What a template may have places for, by number. */
typedef struct sc_template_places {
    const char *const *names;  ///< without the brackets
    int count;
} sc_template_places;

/**
 * Whether `url` can be asked: http or https, a host, no user before it, no places in its name, and
 * no place that is not known. What is put into the name of a host would be visible on the whole way
 * there (DNS). A parameter that looks like a secret is refused: templates are printed.
 *
 * @param name   what messages call it: "url"
 * @param found  set for each place that it has; others are left
 * @return SC_OK, or SC_EINVAL with a reason
 */
SC_CHECKED sc_err sc_url_template_check(const sc_template_places *places, const char *name,
                                        const char *url, bool *found, sc_diag *diag);

/** The same of a body, in which brackets that hold no known place are text: it may be JSON. */
SC_CHECKED sc_err sc_body_template_check(const sc_template_places *places, const char *name,
                                         const char *body, bool *found, sc_diag *diag);

/** Whether two URLs begin with the same scheme, host and port, written alike but for the case. */
bool sc_url_same_origin(const char *a, const char *b);

// --- Filling ------------------------------------------------------------------------------------

/** How values are written so that they stay values. */
typedef enum sc_template_escape {
    SC_ESCAPE_ADDRESS,  ///< %XX
    SC_ESCAPE_JSON,
    SC_ESCAPE_TEXT,  ///< quotes cannot be written
} sc_template_escape;

/** How values are written into a body of that type. */
sc_template_escape sc_template_escape_of(const char *content_type);

/** A text being written. */
typedef struct sc_template_pen {
    sc_bytes *out;
    sc_template_escape escape;
    bool is_full;  ///< memory is out
    bool is_bad;   ///< a word cannot be written here
} sc_template_pen;

/** Values: numbers, coordinates with seven decimals, words from elsewhere; what an operator wrote,
 * which is taken as it is in bodies; and what is taken as it is everywhere. */
void sc_pen_number(sc_template_pen *pen, uint64_t number);
void sc_pen_coordinate(sc_template_pen *pen, double coordinate);
void sc_pen_word(sc_template_pen *pen, const char *word);
void sc_pen_operator_text(sc_template_pen *pen, const char *text);
void sc_pen_plain(sc_template_pen *pen, const char *text);

/** A coordinate as questions have it. */
double sc_template_rounded(double coordinate);

/** The smallest step of it. */
#define SC_TEMPLATE_STEP 1e-7

/** What is put into the places. */
typedef struct sc_template_values {
    const sc_template_places *places;
    void (*put)(sc_template_pen *pen, const void *context, int place);
    const void *context;
} sc_template_values;

/**
 * A template with its places filled, ended by NUL; appended to `out`.
 *
 * @return SC_OK, SC_EREQUEST (a word that this cannot have), SC_ENOMEM
 */
SC_CHECKED sc_err sc_template_fill(const char *text, const sc_template_values *values,
                                   sc_template_escape escape, sc_bytes *out, sc_diag *diag);

#endif
