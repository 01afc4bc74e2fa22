// What a file seems to be, from its first bytes. See inputs.h.
#include "inputs.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/** Enough for the first line of a stream or a record, and for the start of anything else. */
#define START_SIZE 4096

/** The longest name that fits into a message with all that is said of it. */
#define NAME_SIZE "%.400s"

typedef struct start {
    char text[START_SIZE + 1];  ///< with a NUL behind it
    size_t size;
} start;

static bool begins_with(const start *at, const char *bytes, size_t size)
{
    return at->size >= size && memcmp(at->text, bytes, size) == 0;
}

/** The text behind a byte order mark, if there is one. */
static const char *text_of(const start *at)
{
    static const char mark[] = "\xef\xbb\xbf";
    return at->text + (begins_with(at, mark, sizeof(mark) - 1) ? sizeof(mark) - 1 : 0);
}

/** Whether it begins with a brace, as all that we know of JSON does. */
static bool is_object(const start *at)
{
    const char *text = text_of(at);
    return text[strspn(text, " \t\r\n")] == '{';
}

/** Whether a header of CSV, which ends with its line, has a column of that name. */
static bool has_column(const char *header, const char *name)
{
    for (;;) {
        const size_t size = strcspn(header, ",\r\n");
        if (size == strlen(name) && strncasecmp(header, name, size) == 0) return true;
        if (header[size] != ',') return false;
        header += size + 1;
    }
}

/** Whether its first line that is no comment is the header of a density (density.h). */
static bool is_density(const start *at)
{
    const char *header = text_of(at);
    while (*header == '#') {
        header += strcspn(header, "\n");
        header += strspn(header, "\r\n");
    }
    return has_column(header, "segment") &&
           (has_column(header, "count") || has_column(header, "weight"));
}

static bool has(const start *at, const char *text)
{
    return strstr(at->text, text) != NULL;
}

static sc_input_kind kind_of_object(const start *at)
{
    // A report counts refused profiles, and the queries of a record have one: so in this order.
    if (has(at, "\"success_rate\"") || has(at, "\"promises\"") || has(at, "\"bytes_out\"")) {
        return SC_INPUT_REPORT;
    }
    if (has(at, "\"event\"")) return SC_INPUT_RECORD;
    if (has(at, "\"profile\"")) return SC_INPUT_STREAM;
    if (has(at, "\"FeatureCollection\"") || has(at, "\"Feature\"")) return SC_INPUT_GEOJSON;
    return SC_INPUT_UNKNOWN;
}

static sc_input_kind kind_of(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return SC_INPUT_UNKNOWN;
    start at;
    at.size = fread(at.text, 1, START_SIZE, file);
    at.text[at.size] = '\0';
    fclose(file);

    if (begins_with(&at, "\x89SCM", 4)) return SC_INPUT_MAP;
    if (begins_with(&at, "\x1f\x8b", 2) || begins_with(&at,
                                                       "\xfd"
                                                       "7zXZ",
                                                       5)) {
        return SC_INPUT_PACKED;
    }
    if (is_object(&at)) return kind_of_object(&at);
    return is_density(&at) ? SC_INPUT_DENSITY : SC_INPUT_UNKNOWN;
}

/** What each kind is called, and where one gets it. */
static const struct {
    const char *name;
    const char *advice;
} kinds[] = {
    [SC_INPUT_UNKNOWN] = {"something else", ""},
    [SC_INPUT_MAP] = {"a map", "give a .scm file, as 'starcloak map import' makes them"},
    [SC_INPUT_STREAM] = {"a stream of queries", "'starcloak queries' makes streams"},
    [SC_INPUT_RECORD] = {"the record of a run", "--record of 'starcloak simulate' and 'starcloak "
                                                "cloak' makes records"},
    [SC_INPUT_DENSITY] = {"a density", "'starcloak density' makes densities"},
    [SC_INPUT_REPORT] = {"a report", ""},
    [SC_INPUT_GEOJSON] = {"GeoJSON", ""},
    [SC_INPUT_PACKED] = {"packed", ""},
};

/** Whether a file of a kind can be read where another is wanted, as far as its start tells. */
static bool may_be(sc_input_kind kind, sc_input_kind wanted)
{
    switch (kind) {
    case SC_INPUT_UNKNOWN:
        return true;
    case SC_INPUT_PACKED:
        return wanted != SC_INPUT_MAP;
    case SC_INPUT_STREAM:
    case SC_INPUT_RECORD:
        // They are told apart line by line: a record's queries are a stream.
        return wanted == SC_INPUT_STREAM || wanted == SC_INPUT_RECORD;
    default:
        return kind == wanted;
    }
}

sc_err sc_input_explain(sc_err err, const char *path, sc_input_kind wanted, sc_diag *diag)
{
    // Only if it could be read, but not as what is wanted. Of standard input no start is left.
    if ((err != SC_EPARSE && err != SC_EFORMAT) || strcmp(path, "-") == 0) return err;
    const sc_input_kind kind = kind_of(path);
    if (may_be(kind, wanted)) return err;
    if (kind == SC_INPUT_PACKED) {
        snprintf(diag->message, sizeof(diag->message),
                 NAME_SIZE ": is packed; a map is used as it is: unpack it first, as with gunzip "
                           "or unxz",
                 path);
    } else {
        snprintf(diag->message, sizeof(diag->message), NAME_SIZE ": seems to be %s, not %s; %s",
                 path, kinds[kind].name, kinds[wanted].name, kinds[wanted].advice);
    }
    return err;
}

sc_err sc_input_need_objects(const sc_map *map, const char *path, sc_diag *diag)
{
    if (sc_map_object_count(map) > 0) return SC_OK;
    snprintf(diag->message, sizeof(diag->message),
             NAME_SIZE ": has no objects to ask for; put some on the map when it is made "
                       "('starcloak map import ... --objects FILE.csv'), or take them from a "
                       "database (--objects postgresql://...)",
             path);
    return SC_EMAP;
}

bool sc_input_is_packed(const char *path)
{
    return strcmp(path, "-") != 0 && kind_of(path) == SC_INPUT_PACKED;
}

sc_err sc_input_open_map(const char *path, const char *next, sc_map **out, sc_diag *diag)
{
    const sc_err err = sc_map_open(path, out, diag);
    if (err != SC_EFORMAT) return err;
    const bool is_damaged = kind_of(path) == SC_INPUT_MAP;
    if (!is_damaged && next && kind_of(next) == SC_INPUT_MAP) {
        snprintf(diag->message, sizeof(diag->message),
                 NAME_SIZE ": is not a map, but " NAME_SIZE " is; the map comes first", path, next);
        return err;
    }
    return sc_input_explain(err, path, SC_INPUT_MAP, diag);
}
