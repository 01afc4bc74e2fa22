// The reader of GT-MobiSim's maps: USGS line graphs as SVG drawings.
//
// Roads are <polyline points="x,y x,y ..."/> inside <g id="CLASS">; where two
// lines have exactly the same point, roads meet (polylines.h). Everything else is for
// display and is skipped: patterns, rectangles, transformations, styles.
//
// Coordinates are metres of UTM, and stay so: the map is a plane. Given the zone
// (options->utm_zone) the reader makes degrees of them, so that the map fits
// positions in degrees. Lengths are then measured between the nodes on the globe,
// as on every map in degrees, and not in the plane, which UTM stretches by up to
// 0.1 %: what snapping measures and what roads are long must agree.
//
// The DTD that such files name is neither fetched nor needed, and entities are
// refused: no map has any, and they let a small file become a large one.
#include "import/import_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/text.h"
#include "import/polylines.h"

#include <expat.h>
#include <string.h>

enum {
    // How many lines are read between two reports of progress.
    PROGRESS_STEP = 1024,
    // Bytes handed to expat at once. Large, since it looks at a piece of XML
    // that is cut at the end of a chunk again and again; it does not copy a
    // chunk that holds the whole file.
    CHUNK_SIZE = 1 << 30,
};

typedef struct reader {
    const sc_load *load;
    const sc_input *input;
    XML_Parser parser;
    sc_polylines lines;

    uint8_t *group_class;  // the road class of each open <g>, outermost first
    size_t group_count;
    size_t group_capacity;
    size_t hidden_count;  // open <defs> and <pattern>: what is in them is not on the map
    bool has_root;
    uint64_t line_count;
    uint64_t bytes_before;  // of the inputs before this one
    uint64_t bytes_total;
    sc_err err;
} reader;

static unsigned long line_of(const reader *r)
{
    return (unsigned long)XML_GetCurrentLineNumber(r->parser);
}

// Remember the error and end the parsing; expat may still call a handler or two.
static void stop(reader *r, sc_err err)
{
    r->err = err;
    XML_StopParser(r->parser, XML_FALSE);
}

static sc_err fail_points(const reader *r, const char *what, sc_slice value)
{
    return sc_fail(r->load->diag, SC_EPARSE, "%s:%lu: <polyline> points: %s: %s", r->input->name,
                   line_of(r), what, sc_quote(value.text, value.size).text);
}

// --- Road classes -------------------------------------------------------------

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

// By how the names of the groups begin; the first that fits holds.
static sc_road_class road_class_of(const char *id)
{
    static const struct {
        const char *prefix;
        sc_road_class road_class;
    } classes[] = {
        {"PRIMARY_ROUTE_CLASS_1_DIVIDED_LANES_SEPARATE", SC_ROAD_MOTORWAY},
        {"PRIMARY_ROUTE", SC_ROAD_PRIMARY},
        {"SECONDARY_ROUTE", SC_ROAD_SECONDARY},
        {"ROAD_OR_STREET_CLASS_4", SC_ROAD_SERVICE},  // unimproved
        {"ROAD_OR_STREET", SC_ROAD_LOCAL},
        {"NONSTANDARD_SECTION_OF_ROAD", SC_ROAD_LOCAL},
        {"CLOVERLEAF_OR_INTERCHANGE", SC_ROAD_RAMP},
        {"TRAIL_CLASS_5_FOUR", SC_ROAD_SERVICE},  // for cars with four-wheel drive
        {"TRAIL", SC_ROAD_PATH},
        {"FOOTBRIDGE", SC_ROAD_PATH},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (has_prefix(id, classes[i].prefix)) return classes[i].road_class;
    }
    return SC_ROAD_UNKNOWN;
}

// --- Lines --------------------------------------------------------------------

static const char *skip_blanks(const char *at)
{
    while (sc_is_blank(*at)) {
        at++;
    }
    return at;
}

// Cut the next number off: blanks, at most one comma (none before the first
// number), blanks, number. An empty slice where a comma has none behind it;
// false at the end.
static bool next_number(const char **at, bool is_first, sc_slice *number)
{
    const char *from = skip_blanks(*at);
    const bool has_comma = !is_first && *from == ',';
    if (has_comma) from = skip_blanks(from + 1);
    const char *end = from;
    while (*end != '\0' && *end != ',' && !sc_is_blank(*end)) {
        end++;
    }
    *number = (sc_slice){from, (size_t)(end - from)};
    *at = end;
    return has_comma || *from != '\0';
}

static sc_err draw_point(reader *r, sc_slice text, double x, double y, sc_road_class road_class)
{
    const sc_line_road road = {.road_class = road_class};
    const sc_err err = sc__polylines_add(&r->lines, x, y, &road);
    if (err == SC_EINVAL) return fail_points(r, sc__polylines_invalid(&r->lines), text);
    if (err == SC_ENOMEM) return sc_fail_memory(r->load->diag, "reading a MobiSim map");
    if (err) return fail_points(r, "too many nodes or edges for one map", text);
    return SC_OK;
}

static sc_err draw_line(reader *r, const char *points, sc_road_class road_class)
{
    const char *at = points;
    const char *point = points;
    double x = 0;
    sc_slice number;
    size_t count = 0;

    sc__polylines_begin(&r->lines);
    for (; next_number(&at, count == 0, &number); count++) {
        double value = 0;
        if (!sc_slice_double(number, &value)) {
            return fail_points(r, number.size > 0 ? "not a number" : "a number is missing at",
                               number.size > 0 ? number : (sc_slice){at, strlen(at)});
        }
        if (count % 2 == 0) {
            x = value;
            point = number.text;
            continue;
        }
        const sc_slice text = {point, (size_t)(at - point)};
        const sc_err err = draw_point(r, text, x, value, road_class);
        if (err) return err;
    }
    const sc_slice all = {points, strlen(points)};
    if (count % 2 != 0) {
        return sc_fail(r->load->diag, SC_EPARSE,
                       "%s:%lu: <polyline> points: odd number of coordinates, %zu: %s",
                       r->input->name, line_of(r), count, sc_quote(all.text, all.size).text);
    }
    if (count < 4) return fail_points(r, "fewer than two points", all);
    return SC_OK;
}

// --- Elements -----------------------------------------------------------------

// The value of an attribute, or NULL. Expat ends names, values and list by NULL.
static const char *attribute(const XML_Char **attributes, const char *name)
{
    for (size_t i = 0; attributes[i]; i += 2) {
        if (strcmp(attributes[i], name) == 0) return attributes[i + 1];
    }
    return NULL;
}

static bool is_hidden(const char *element)
{
    return strcmp(element, "defs") == 0 || strcmp(element, "pattern") == 0;
}

static sc_road_class innermost_class(const reader *r)
{
    return r->group_count > 0 ? (sc_road_class)r->group_class[r->group_count - 1] : SC_ROAD_UNKNOWN;
}

static sc_err open_group(reader *r, const char *id)
{
    if (!sc_grow(&r->group_class, r->group_count, &r->group_capacity, sizeof *r->group_class)) {
        return sc_fail_memory(r->load->diag, "reading a MobiSim map");
    }
    // A group without a name of its own belongs to the one around it.
    const sc_road_class road_class = id ? road_class_of(id) : innermost_class(r);
    r->group_class[r->group_count++] = (uint8_t)road_class;
    return SC_OK;
}

static sc_err read_line(reader *r, const char *points)
{
    if (!points) {
        return sc_fail(r->load->diag, SC_EPARSE, "%s:%lu: <polyline> has no attribute points",
                       r->input->name, line_of(r));
    }
    if (r->line_count++ % PROGRESS_STEP == 0) {
        sc__load_progress(r->load, "reading roads",
                          r->bytes_before + (uint64_t)XML_GetCurrentByteIndex(r->parser),
                          r->bytes_total);
    }
    return draw_line(r, points, innermost_class(r));
}

static void on_start(void *context, const XML_Char *element, const XML_Char **attributes)
{
    reader *r = context;
    if (r->err) return;

    sc_err err = SC_OK;
    if (!r->has_root && strcmp(element, "svg") != 0) {
        err =
            sc_fail(r->load->diag, SC_EPARSE, "%s:%lu: not an SVG drawing: its first element is %s",
                    r->input->name, line_of(r), sc_quote(element, strlen(element)).text);
    } else if (is_hidden(element)) {
        r->hidden_count++;
    } else if (strcmp(element, "g") == 0) {
        err = open_group(r, attribute(attributes, "id"));
    } else if (strcmp(element, "polyline") == 0 && r->hidden_count == 0) {
        err = read_line(r, attribute(attributes, "points"));
    }
    r->has_root = true;
    if (err) stop(r, err);
}

static void on_end(void *context, const XML_Char *element)
{
    reader *r = context;
    if (r->err) return;
    // Expat has made sure that ends match starts, so neither count falls below 0.
    if (is_hidden(element)) {
        r->hidden_count--;
    } else if (strcmp(element, "g") == 0) {
        r->group_count--;
    }
}

static void on_entity(void *context, const XML_Char *name, int is_parameter, const XML_Char *value,
                      int value_size, const XML_Char *base, const XML_Char *system,
                      const XML_Char *public_id, const XML_Char *notation)
{
    (void)is_parameter;
    (void)value;
    (void)value_size;
    (void)base;
    (void)system;
    (void)public_id;
    (void)notation;
    reader *r = context;
    if (r->err) return;
    stop(r, sc_fail(r->load->diag, SC_EPARSE, "%s:%lu: XML entities are not supported: %s",
                    r->input->name, line_of(r), sc_quote(name, strlen(name)).text));
}

// --- Files --------------------------------------------------------------------

static sc_err fail_xml(const reader *r)
{
    const enum XML_Error code = XML_GetErrorCode(r->parser);
    if (r->err) return r->err;
    if (code == XML_ERROR_NO_MEMORY) {
        return sc_fail_memory(r->load->diag, "reading a MobiSim map");
    }
    return sc_fail(r->load->diag, SC_EPARSE, "%s:%lu: byte %lld: not well-formed XML: %s",
                   r->input->name, line_of(r), (long long)XML_GetCurrentByteIndex(r->parser),
                   XML_ErrorString(code));
}

static sc_err parse(reader *r)
{
    const char *at = (const char *)r->input->data;
    size_t left = r->input->size;
    bool is_final = false;
    while (!is_final) {
        const size_t size = left < CHUNK_SIZE ? left : CHUNK_SIZE;
        is_final = size == left;
        if (XML_Parse(r->parser, at, (int)size, is_final) != XML_STATUS_OK) return fail_xml(r);
        at += size;
        left -= size;
    }
    return SC_OK;
}

static sc_err read_input(reader *r, const sc_input *input)
{
    if (input->size == 0) {
        return sc_fail(r->load->diag, SC_EPARSE, "%s: the file is empty", input->name);
    }
    static const XML_Memory_Handling_Suite memory = {sc_malloc, sc_realloc, sc_free};
    r->input = input;
    r->group_count = 0;
    r->hidden_count = 0;
    r->has_root = false;
    r->line_count = 0;
    r->parser = XML_ParserCreate_MM(NULL, &memory, NULL);
    if (!r->parser) return sc_fail_memory(r->load->diag, "reading a MobiSim map");
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, on_start, on_end);
    XML_SetEntityDeclHandler(r->parser, on_entity);
    const sc_err err = parse(r);
    XML_ParserFree(r->parser);
    if (err) return err;

    r->bytes_before += input->size;
    if (r->line_count == 0) {
        return sc_fail(r->load->diag, SC_EPARSE, "%s: no <polyline> found, so no roads",
                       input->name);
    }
    return SC_OK;
}

static sc_err read_inputs(reader *r)
{
    const sc_load *load = r->load;
    sc_err err = sc__polylines_init(&r->lines, load->options, load->diag);
    if (err) return err;
    r->lines.coords = r->lines.utm_zone != 0 ? SC_COORDS_GEOGRAPHIC : SC_COORDS_PLANAR;
    err = sc_builder_new(r->lines.coords, &r->lines.builder);
    if (err) return sc_fail_memory(load->diag, "reading a MobiSim map");

    for (size_t i = 0; i < load->input_count; i++) {
        r->bytes_total += load->inputs[i].size;
    }
    for (size_t i = 0; i < load->input_count; i++) {
        err = read_input(r, &load->inputs[i]);
        if (err) return err;
    }
    sc__load_progress(load, "reading roads", r->bytes_total, r->bytes_total);
    if (sc_builder_edge_count(r->lines.builder) == 0) {
        return sc_fail(load->diag, SC_EPARSE,
                       "%s: no roads found: no line has two different points",
                       load->input_count > 0 ? load->inputs[0].name : "MobiSim map");
    }
    return SC_OK;
}

sc_err sc__load_mobisim(const sc_load *load, sc_builder **out)
{
    reader r = {.load = load};
    const sc_err err = read_inputs(&r);

    sc_free(r.group_class);
    sc__polylines_fini(&r.lines);
    if (err) {
        sc_builder_free(r.lines.builder);
        return err;
    }
    *out = r.lines.builder;
    return SC_OK;
}
