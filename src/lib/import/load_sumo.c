// The reader of road networks of the traffic simulator SUMO (.net.xml).
//
// <net> has <edge>s between <junction>s. An edge is one carriageway, drawn in the direction in
// which it is driven, with <lane>s that have a length, a speed and the vehicles they are for:
//
//     <location netOffset="-7.5,3.0" projParameter="+proj=utm +zone=32 ..."/>
//     <edge id="a" from="J1" to="J2" name="Main St" type="highway.primary" shape="0,0 5,9 50,9">
//         <lane id="a_0" index="0" speed="13.89" length="61.20" disallow="tram" shape="..."/>
//     </edge>
//     <junction id="J1" x="0" y="0" .../>
//
// Junctions and the points of a shape become nodes. Junctions come behind the edges, so both are
// kept until the file ends; sumo_roads.c makes roads of them.
//
// Left out: what is inside of a junction (function "internal", "crossing", "walkingarea"), and
// edges without a lane for the profile. Connections are not read: every turn counts as allowed.
//
// Coordinates are metres of a plane, and stay as the file has them, so that they fit what SUMO
// writes. Where the file says that they are UTM they become degrees, which fit all other data.
// Several files make one map; each has junctions of its own.
#include "import/import_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/text.h"
#include "import/osm_internal.h"
#include "import/sumo_internal.h"
#include "import/utm.h"
#include "map/geo.h"

#include <expat.h>
#include <math.h>
#include <string.h>
#include <xxhash.h>

enum {
    // How many edges are read between two reports of progress.
    PROGRESS_STEP = 1024,
    // Bytes handed to expat at once; large, since it looks again at what is cut.
    CHUNK_SIZE = 1 << 30,
};

typedef struct reader {
    sc__sumo net;
    XML_Parser parser;
    sc_err err;
    uint64_t depth;
    uint64_t edge_count;
    uint64_t bytes_before;  ///< of the inputs before this one
    uint64_t bytes_total;
    bool has_location;
    sc_hash junction_ids;  ///< hash of the id -> junction

    // The edge that is open.
    bool is_open;
    bool has_lane;       ///< any
    bool has_open_lane;  ///< one for the profile
    sc__sumo_way edge;
} reader;

// --- Messages -------------------------------------------------------------------------

static unsigned long line_of(const reader *r)
{
    return (unsigned long)XML_GetCurrentLineNumber(r->parser);
}

static sc_err fail_missing(const reader *r, const char *element, const char *attribute)
{
    return sc_fail(r->net.load->diag, SC_EPARSE, "%s:%lu: <%s> has no attribute %s",
                   r->net.input->name, line_of(r), element, attribute);
}

static sc_err fail_value(const reader *r, const char *element, const char *attribute,
                         const char *what, sc_slice value)
{
    return sc_fail(r->net.load->diag, SC_EPARSE, "%s:%lu: %s of <%s> %s: %s", r->net.input->name,
                   line_of(r), attribute, element, what, sc_quote(value.text, value.size).text);
}

// --- Attributes -----------------------------------------------------------------------

static sc_slice slice_of(const char *text)
{
    return (sc_slice){text, text ? strlen(text) : 0};
}

// The value of an attribute, or NULL.
static const char *attribute(const XML_Char **attributes, const char *name)
{
    for (size_t i = 0; attributes[i]; i += 2) {
        if (strcmp(attributes[i], name) == 0) return attributes[i + 1];
    }
    return NULL;
}

static sc_err read_number(const reader *r, const char *element, const char *name,
                          const XML_Char **attributes, double *out)
{
    const char *text = attribute(attributes, name);
    if (!text) return fail_missing(r, element, name);
    if (sc_slice_double(slice_of(text), out)) return SC_OK;
    return fail_value(r, element, name, "is not a number", slice_of(text));
}

// "x,y" or "x,y,z"; the height is of no use here.
static bool read_point(sc_slice text, sc__sumo_point *out)
{
    double values[3] = {0};
    size_t count = 0;
    const char *from = text.text;
    const char *const end = text.text + text.size;
    for (const char *at = from; at <= end; at++) {
        if (at < end && *at != ',') continue;
        if (count == 3 || !sc_slice_double((sc_slice){from, (size_t)(at - from)}, &values[count])) {
            return false;
        }
        count++;
        from = at + 1;
    }
    *out = (sc__sumo_point){values[0] + 0.0,
                            values[1] + 0.0};  // no -0: points are compared bit by bit
    return count >= 2;
}

// --- Location -------------------------------------------------------------------------

// The zone of "+proj=utm +zone=32 +south ...", negative in the south; 0 if it is no UTM.
static int utm_zone_of(const char *projection)
{
    sc_slice rest = slice_of(projection);
    sc_slice word;
    bool is_utm = false;
    bool is_south = false;
    uint64_t zone = 0;
    while (sc_slice_field(&rest, &word)) {
        is_utm = is_utm || sc_slice_is(word, "+proj=utm");
        is_south = is_south || sc_slice_is(word, "+south");
        static const char key[] = "+zone=";
        const size_t size = sizeof key - 1;
        if (word.size > size && memcmp(word.text, key, size) == 0 &&
            !sc_slice_u64((sc_slice){word.text + size, word.size - size}, &zone)) {
            return 0;
        }
    }
    if (!is_utm || zone < 1 || zone > 60) return 0;
    return is_south ? -(int)zone : (int)zone;
}

// A file without <location> is a plane.
static sc_err decide_coords(reader *r, const char *projection)
{
    const sc_import_options *options = r->net.load->options;
    int zone = options->utm_zone != 0 ? options->utm_zone : utm_zone_of(projection);
    if (options->coords == SC_COORDS_PLANAR) zone = 0;
    if (zone == 0 && options->coords == SC_COORDS_GEOGRAPHIC) {
        return sc_fail(r->net.load->diag, SC_EINVAL,
                       "%s: the coordinates cannot become degrees: projParameter is %s, which is "
                       "not UTM; add --utm if they are",
                       r->net.input->name, sc_quote(projection, strlen(projection)).text);
    }
    const sc_coords coords = zone != 0 ? SC_COORDS_GEOGRAPHIC : SC_COORDS_PLANAR;
    if (r->net.builder && coords != r->net.coords) {
        return sc_fail(r->net.load->diag, SC_EINVAL,
                       "%s: its coordinates are %s, those of the files before it are not",
                       r->net.input->name, zone != 0 ? "UTM" : "of a plane");
    }
    r->net.utm_zone = zone;
    r->net.coords = coords;
    if (r->net.builder) return SC_OK;
    return sc_builder_new(coords, &r->net.builder) ? sc__sumo_fail_memory(&r->net) : SC_OK;
}

static sc_err read_location(reader *r, const XML_Char **attributes)
{
    const char *offset = attribute(attributes, "netOffset");
    if (offset && !read_point(slice_of(offset), &r->net.offset)) {
        return fail_value(r, "location", "netOffset", "is not a point", slice_of(offset));
    }
    const char *projection = attribute(attributes, "projParameter");
    if (r->has_location) {
        return sc_fail(r->net.load->diag, SC_EPARSE, "%s:%lu: a second <location>",
                       r->net.input->name, line_of(r));
    }
    r->has_location = true;
    return decide_coords(r, projection ? projection : "!");
}

// --- Junctions ------------------------------------------------------------------------

// Keep a text; *out is where, and 0 for an empty one.
static sc_err keep_text(reader *r, const char *text, size_t *out)
{
    const size_t size = text ? strlen(text) : 0;
    *out = 0;
    if (size == 0) return SC_OK;
    if (r->net.text_size == 0) r->net.text_size = 1;  // 0 means none
    while (r->net.text_capacity < r->net.text_size + size + 1) {
        if (!sc_grow(&r->net.texts, r->net.text_capacity, &r->net.text_capacity, 1))
            return sc__sumo_fail_memory(&r->net);
    }
    memcpy(r->net.texts + r->net.text_size, text, size + 1);
    *out = r->net.text_size;
    r->net.text_size += size + 1;
    return SC_OK;
}

// The junction of that id, made if it is new. Ids are told apart by a 128-bit hash alone, as the
// texts of a map are.
static sc_err find_junction(reader *r, const char *id, uint32_t *out)
{
    if (r->net.junction_count >= SC_NONE) return sc__sumo_fail_memory(&r->net);
    const XXH128_hash_t hash = XXH3_128bits(id, strlen(id));
    const uint32_t next = (uint32_t)r->net.junction_count;
    if (!sc_grow(&r->net.junctions, next, &r->net.junction_capacity, sizeof *r->net.junctions) ||
        sc_hash_put(&r->junction_ids, (sc_key){hash.high64, hash.low64}, next, out)) {
        return sc__sumo_fail_memory(&r->net);
    }
    if (*out != next) return SC_OK;
    r->net.junctions[r->net.junction_count++] = (sc__sumo_junction){.node = SC_NONE};
    return keep_text(r, id, &r->net.junctions[next].id);
}

static sc_err read_junction(reader *r, const XML_Char **attributes)
{
    const char *type = attribute(attributes, "type");
    if (type && strcmp(type, "internal") == 0) return SC_OK;
    const char *id = attribute(attributes, "id");
    if (!id) return fail_missing(r, "junction", "id");
    sc__sumo_point at = {0};
    sc_err err = read_number(r, "junction", "x", attributes, &at.x);
    if (!err) err = read_number(r, "junction", "y", attributes, &at.y);
    uint32_t index = 0;
    if (!err) err = find_junction(r, id, &index);
    if (err) return err;
    if (r->net.junctions[index].is_known) {
        return fail_value(r, "junction", "id", "occurs twice", slice_of(id));
    }
    r->net.junctions[index].is_known = true;
    r->net.junctions[index].at = (sc__sumo_point){at.x + 0.0, at.y + 0.0};
    return SC_OK;
}

// --- Edges and lanes ------------------------------------------------------------------

// What lies inside of a junction: lanes over it, and where people cross or walk round it.
static bool is_inside_junction(const char *function)
{
    static const char *const functions[] = {"internal", "crossing", "walkingarea"};
    for (size_t i = 0; function && i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(function, functions[i]) == 0) return true;
    }
    return false;
}

// By the type that netconvert gives to edges of OpenStreetMap: "highway.primary", or several with
// bars between them.
static sc_road_class road_class_of(const char *type)
{
    static const char prefix[] = "highway.";
    const char *at = type ? strstr(type, prefix) : NULL;
    if (!at) return SC_ROAD_UNKNOWN;
    at += strlen(prefix);
    return sc__osm_road_class((sc_slice){at, strcspn(at, "|")});
}

static bool has_word(const char *list, const char *word)
{
    sc_slice rest = slice_of(list);
    sc_slice item;
    while (sc_slice_field(&rest, &item)) {
        if (sc_slice_is(item, word) || sc_slice_is(item, "all")) return true;
    }
    return false;
}

static sc_err read_shape(reader *r, const char *shape)
{
    sc_slice rest = slice_of(shape);
    sc_slice text;
    while (sc_slice_field(&rest, &text)) {
        if (!sc_grow(&r->net.points, r->net.point_count, &r->net.point_capacity,
                     sizeof *r->net.points)) {
            return sc__sumo_fail_memory(&r->net);
        }
        if (!read_point(text, &r->net.points[r->net.point_count])) {
            return fail_value(r, "edge", "shape", "has something that is not a point", text);
        }
        r->net.point_count++;
    }
    r->edge.point_count = (uint32_t)(r->net.point_count - r->edge.first_point);
    return SC_OK;
}

// How long a lane is as it is drawn.
static sc_err measure_lane(const reader *r, const char *shape, double *out)
{
    sc_slice rest = slice_of(shape);
    sc_slice text;
    sc__sumo_point last = {0};
    for (bool is_first = true; sc_slice_field(&rest, &text); is_first = false) {
        sc__sumo_point at = {0};
        if (!read_point(text, &at)) {
            return fail_value(r, "lane", "shape", "has something that is not a point", text);
        }
        if (!is_first) *out += hypot(at.x - last.x, at.y - last.y);
        last = at;
    }
    return SC_OK;
}

static sc_err open_edge(reader *r, const XML_Char **attributes)
{
    if (is_inside_junction(attribute(attributes, "function"))) {
        r->net.has_inside = true;
        return SC_OK;
    }
    if (r->edge_count++ % PROGRESS_STEP == 0) {
        sc__load_progress(r->net.load, "reading roads",
                          r->bytes_before + (uint64_t)XML_GetCurrentByteIndex(r->parser),
                          r->bytes_total);
    }
    const char *from = attribute(attributes, "from");
    const char *to = attribute(attributes, "to");
    if (!from || !to) return fail_missing(r, "edge", from ? "to" : "from");
    r->is_open = true;
    r->has_lane = false;
    r->has_open_lane = false;
    r->edge = (sc__sumo_way){
        .first_point = r->net.point_count,
        .other = SC_NONE,
        .road_class = (uint8_t)road_class_of(attribute(attributes, "type")),
        .line = line_of(r),
    };
    sc_err err = find_junction(r, from, &r->edge.from);
    if (!err) err = find_junction(r, to, &r->edge.to);
    if (!err) err = keep_text(r, attribute(attributes, "name"), &r->edge.name);
    const char *shape = attribute(attributes, "shape");
    return !err && shape ? read_shape(r, shape) : err;
}

/** What SUMO calls those that a profile stands for. */
static const struct {
    const char *classes[4];
    const char *people;  ///< for messages
    double most_m_s;     ///< how fast they are; 0: as fast as the lane allows
} profiles[] = {
    [SC_IMPORT_CAR] = {{"passenger"}, "cars", 0},
    [SC_IMPORT_BIKE] = {{"bicycle"}, "bicycles", 15 / 3.6},
    [SC_IMPORT_FOOT] = {{"pedestrian"}, "pedestrians", 5 / 3.6},
    [SC_IMPORT_ANY] = {{"passenger", "bicycle", "pedestrian"}, "cars, bicycles or pedestrians", 0},
};

static bool is_open_lane(sc_import_profile profile, const XML_Char **attributes)
{
    const char *allow = attribute(attributes, "allow");
    const char *disallow = attribute(attributes, "disallow");
    for (const char *const *name = profiles[profile].classes; *name; name++) {
        if (allow ? has_word(allow, *name) : !disallow || !has_word(disallow, *name)) return true;
    }
    return false;
}

// How fast the profile is on the open edge.
static double speed_of(const reader *r)
{
    const sc_import_profile profile = r->net.load->options->profile;
    if (profile == SC_IMPORT_ANY) return sc_road_class_speed_m_s(r->edge.road_class);
    const double most_m_s = profiles[profile].most_m_s;
    return most_m_s > 0 ? fmin(r->edge.speed_m_s, most_m_s) : r->edge.speed_m_s;
}

static sc_err read_lane(reader *r, const XML_Char **attributes)
{
    double length_m = 0;
    double speed_m_s = 0;
    sc_err err = read_number(r, "lane", "length", attributes, &length_m);
    if (!err) err = read_number(r, "lane", "speed", attributes, &speed_m_s);
    if (err) return err;
    if (!(length_m >= 0 && length_m <= SC_ROAD_MAX)) {
        return fail_value(r, "lane", "length", "is not the length of a road",
                          slice_of(attribute(attributes, "length")));
    }
    // Slower, a road could take longer than any travel time there is.
    if (!(speed_m_s >= 0.1 && speed_m_s <= 1000)) {
        return fail_value(r, "lane", "speed", "is not a speed in metres per second",
                          slice_of(attribute(attributes, "speed")));
    }
    r->has_lane = true;
    if (!is_open_lane(r->net.load->options->profile, attributes)) return SC_OK;
    r->edge.speed_m_s = fmax(r->edge.speed_m_s, speed_m_s);
    if (r->has_open_lane) return SC_OK;
    r->has_open_lane = true;
    r->edge.length_m = length_m;
    const char *shape = attribute(attributes, "shape");
    return shape ? measure_lane(r, shape, &r->edge.lane_m) : SC_OK;
}

static sc_err close_edge(reader *r)
{
    r->is_open = false;
    if (!r->has_lane) {
        return sc_fail(r->net.load->diag, SC_EPARSE, "%s:%lu: <edge> has no <lane>",
                       r->net.input->name, r->edge.line);
    }
    if (!r->has_open_lane) {
        r->net.point_count = r->edge.first_point;
        r->net.load->report->ways_closed++;
        return SC_OK;
    }
    r->edge.speed_m_s = speed_of(r);
    if (r->net.way_count >= SC_NONE ||
        !sc_grow(&r->net.ways, r->net.way_count, &r->net.way_capacity, sizeof *r->net.ways)) {
        return sc__sumo_fail_memory(&r->net);
    }
    r->net.ways[r->net.way_count++] = r->edge;
    return SC_OK;
}

// --- expat's callbacks ----------------------------------------------------------------

// Remember the error and end the parsing; expat may still call a handler or two.
static void stop(reader *r, sc_err err)
{
    r->err = err;
    XML_StopParser(r->parser, XML_FALSE);
}

static sc_err read_element(reader *r, const char *element, const XML_Char **attributes)
{
    if (r->depth == 0) {
        if (strcmp(element, "net") == 0) return SC_OK;
        return sc_fail(r->net.load->diag, SC_EPARSE,
                       "%s:%lu: not a SUMO network: its first element is %s, not 'net'",
                       r->net.input->name, line_of(r), sc_quote(element, strlen(element)).text);
    }
    if (r->depth == 2) {
        return r->is_open && strcmp(element, "lane") == 0 ? read_lane(r, attributes) : SC_OK;
    }
    if (r->depth > 2) return SC_OK;
    if (strcmp(element, "edge") == 0) return open_edge(r, attributes);
    if (strcmp(element, "junction") == 0) return read_junction(r, attributes);
    if (strcmp(element, "location") == 0) return read_location(r, attributes);
    return SC_OK;
}

static void on_start(void *context, const XML_Char *element, const XML_Char **attributes)
{
    reader *r = context;
    if (r->err) return;
    const sc_err err = read_element(r, element, attributes);
    r->depth++;
    if (err) stop(r, err);
}

static void on_end(void *context, const XML_Char *element)
{
    (void)element;
    reader *r = context;
    if (r->err) return;
    r->depth--;
    if (r->depth != 1 || !r->is_open) return;
    const sc_err err = close_edge(r);
    if (err) stop(r, err);
}

// A document type brings entities, which can unfold without end; no network has one.
static void on_doctype(void *context, const XML_Char *name, const XML_Char *system_id,
                       const XML_Char *public_id, int has_internal_subset)
{
    (void)system_id;
    (void)public_id;
    (void)has_internal_subset;
    reader *r = context;
    if (r->err) return;
    stop(r, sc_fail(r->net.load->diag, SC_EPARSE,
                    "%s:%lu: a document type declaration is not allowed in a SUMO network: %s",
                    r->net.input->name, line_of(r), sc_quote(name, strlen(name)).text));
}

// --- Files ----------------------------------------------------------------------------

static sc_err fail_xml(const reader *r)
{
    const enum XML_Error code = XML_GetErrorCode(r->parser);
    if (r->err) return r->err;
    if (code == XML_ERROR_NO_MEMORY) return sc__sumo_fail_memory(&r->net);
    return sc_fail(r->net.load->diag, SC_EPARSE, "%s:%lu: byte %lld: not well-formed XML: %s",
                   r->net.input->name, line_of(r), (long long)XML_GetCurrentByteIndex(r->parser),
                   XML_ErrorString(code));
}

static sc_err parse(reader *r)
{
    const char *at = (const char *)r->net.input->data;
    size_t left = r->net.input->size;
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

// Forget the file before; memory is kept.
static void forget(reader *r)
{
    sc_hash_fini(&r->junction_ids);
    r->net.junction_count = 0;
    r->net.way_count = 0;
    r->net.point_count = 0;
    r->net.text_size = 0;
    r->depth = 0;
    r->is_open = false;
    r->has_location = false;
    r->net.has_inside = false;
    r->net.offset = (sc__sumo_point){0};
}

static sc_err read_input(reader *r, const sc_input *input)
{
    static const XML_Memory_Handling_Suite memory = {sc_malloc, sc_realloc, sc_free};
    if (input->size == 0) {
        return sc_fail(r->net.load->diag, SC_EPARSE, "%s: the file is empty", input->name);
    }
    forget(r);
    r->net.input = input;
    r->parser = XML_ParserCreate_MM(NULL, &memory, NULL);
    if (!r->parser) return sc__sumo_fail_memory(&r->net);
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);
    sc_err err = parse(r);
    XML_ParserFree(r->parser);
    if (!err && !r->has_location) err = decide_coords(r, "!");
    if (!err && r->net.way_count == 0) {
        err =
            sc_fail(r->net.load->diag, SC_EPARSE, "%s: no roads found: no <edge> has a lane for %s",
                    input->name, profiles[r->net.load->options->profile].people);
    }
    if (!err) err = sc__sumo_add_roads(&r->net);
    r->bytes_before += input->size;
    return err;
}

static sc_err read_inputs(reader *r)
{
    const sc_load *load = r->net.load;
    const int zone = load->options->utm_zone;
    if (zone != 0 && !sc__utm_zone_exists(zone)) {
        return sc_fail(load->diag, SC_EINVAL,
                       "unknown UTM zone: %d; zones are 1 to 60, and -1 to -60 in the south", zone);
    }
    for (size_t i = 0; i < load->input_count; i++) {
        r->bytes_total += load->inputs[i].size;
    }
    for (size_t i = 0; i < load->input_count; i++) {
        const sc_err err = read_input(r, &load->inputs[i]);
        if (err) return err;
    }
    sc__load_progress(load, "reading roads", r->bytes_total, r->bytes_total);
    return SC_OK;
}

sc_err sc__load_sumo(const sc_load *load, sc_builder **out)
{
    reader r = {.net.load = load};
    const sc_err err = read_inputs(&r);

    sc_hash_fini(&r.junction_ids);
    sc_free(r.net.junctions);
    sc_free(r.net.ways);
    sc_free(r.net.points);
    sc_free(r.net.texts);
    if (err) {
        sc_builder_free(r.net.builder);
        return err;
    }
    *out = r.net.builder;
    return SC_OK;
}
