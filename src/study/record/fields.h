/**
 * @file fields.h
 * @brief The fields of a line of JSON, each seen to be of its kind or refused with its name.
 *
 * Streams and records are strangers' files with users and positions in them. So a refusal names
 * the file, the line and the field, says what to write instead, and does not repeat the
 * value.
 */
#ifndef SC_RECORD_FIELDS_H
#define SC_RECORD_FIELDS_H

#include <starcloak/engine.h>
#include <starcloak/map.h>
#include <starcloak/query.h>
#include <starcloak/relay.h>

#include "base/json_tree.h"
#include "base/text.h"

/** Where a line stands, and where errors about it go. */
typedef struct sc__place {
    const char *name;     ///< of the input
    uint64_t number;      ///< of the line, from 1
    const char *doing;    ///< what is being done, for when memory is out: "reading the queries"
    bool passes_unknown;  ///< whether keys that are not known are passed over everywhere
    sc_diag *diag;
} sc__place;

/** An object of a line. */
typedef struct sc__fields {
    const sc__place *place;
    const sc_json_value *object;
    const char *prefix;  ///< what its keys are called after: "", "profile." or "request."
} sc__fields;

/**
 * The object that a line is.
 *
 * @param out  to be released with sc_json_tree_fini()
 * @return SC_OK, SC_ENOMEM, SC_EPARSE (not JSON, not an object, a key that stands twice)
 */
SC_CHECKED sc_err sc__line_load(const sc__place *place, sc_slice text, sc_json_tree *out);

/** An error about a field, or about the line as a whole. Both return SC_EPARSE. */
sc_err sc__field_fail(const sc__fields *fields, const char *key, const char *what);
sc_err sc__line_fail(const sc__place *place, const char *what);

/** Memory is out. */
sc_err sc__line_fail_memory(const sc__place *place);

bool sc__field_exists(const sc__fields *fields, const char *key);

SC_CHECKED sc_err sc__field_number(const sc__fields *fields, const char *key, double *out);
SC_CHECKED sc_err sc__field_whole(const sc__fields *fields, const char *key, int64_t *out);

/** A whole number from 0 on that fits. */
SC_CHECKED sc_err sc__field_count(const sc__fields *fields, const char *key, uint32_t *out);

/** Seconds, to the nearest microsecond. */
SC_CHECKED sc_err sc__field_time(const sc__fields *fields, const char *key, sc_time *out);

/** A text that is not empty, lent as long as the object lives. */
SC_CHECKED sc_err sc__field_text(const sc__fields *fields, const char *key, sc_slice *out);

/** An object; set out->prefix before, the rest is filled in. */
SC_CHECKED sc_err sc__field_object(const sc__fields *fields, const char *key, sc__fields *out);

/** A list, lent as long as the object lives. */
SC_CHECKED sc_err sc__field_list(const sc__fields *fields, const char *key,
                                 const sc_json_value **out);

/** Refuse whatever is not in `known`, which NULL ends. */
SC_CHECKED sc_err sc__fields_refuse_others(const sc__fields *fields, const char *const *known);

/** The "map" of a line, if it has the checksum of one, must be that of `map`.
 * @return SC_OK, SC_EMISMATCH */
SC_CHECKED sc_err sc__record_check_map(const sc__fields *fields, const sc_map *map);

// === Requests ===================================================================================

/** What categories are called. */
typedef struct sc__category_names {
    const sc_map *map;
    const sc_vocabulary *vocabulary;  ///< NULL: the map's own names, and no others
} sc__category_names;

/**
 * The "request" of `line`, in normal form; where there is none, the one nearest object of any
 * category. A word that the vocabulary does not have becomes SC_NONE, which sc_request_check()
 * refuses.
 *
 * @return SC_OK, SC_EPARSE (no request, or a category that the map does not have)
 */
SC_CHECKED sc_err sc__request_read(const sc__fields *line, const sc__category_names *names,
                                   sc_request *out);

// === Engines ====================================================================================

/**
 * The "engine" of the end of a record, which must be there: which engine made its cloaks. An engine
 * can be made with whatever is accepted.
 *
 * @return SC_OK, SC_EPARSE (a field that is missing, unknown or out of range)
 */
SC_CHECKED sc_err sc__engine_read(const sc__fields *end, sc_engine_options *out);

#endif
