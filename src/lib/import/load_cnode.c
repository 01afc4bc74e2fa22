// The node and edge files of Li's "Real Datasets for Spatial Databases":
// NAME.cnode (`id x y`), NAME.cedge (`id from to length`), and the merged
// calmap.txt, which lists the objects of every edge.
//
// What is odd about them: in geographic files the lengths are degrees, not
// metres, so they are measured again; other files are on a plane normalised to
// 0..10000, whose unit is not known, so the map is marked; a node file may be
// missing altogether, and then there is a map without coordinates. Edges may
// repeat; they are kept.
#include "import/import_internal.h"

#include "base/alloc.h"
#include "import/text_rows.h"
#include "map/geo.h"

#include <math.h>

enum { REPORT_EVERY = 1 << 14 };

// Lengths are printed with six digits behind the point. Two files that print the
// same one may round it apart by some units of the last digit, not by more.
#define SAME_LENGTH 1e-5

// An object may lie so far beyond the end of its edge, as a share of the edge and
// in units of length: distance and length are rounded each by itself. One object of
// the California map is 8e-7 too far. A hundred units of the last digit are as good
// as nothing (some ten metres, in degrees), and so is a hundredth of a long edge;
// an object that is farther off was meant for another edge.
#define BEYOND_SHARE 0.01
#define BEYOND_UNITS 1e-4

/** The files of one map by what they are. */
typedef struct roles {
    const sc_input *nodes;
    const sc_input *edges;
    const sc_input *objects;  ///< calmap.txt
} roles;

/** An edge as its file gives it: calmap.txt names the same edges again. */
typedef struct edge_line {
    uint64_t from;
    uint64_t to;
    double length;
} edge_line;

/** What the reading gathers besides the builder. */
typedef struct reading {
    const sc_load *load;
    roles files;
    sc_coords coords;
    double unit_m;
    edge_line *edges;
    size_t edge_capacity;
    sc_builder *builder;
} reading;

static sc_err assign_roles(const sc_load *load, roles *out)
{
    for (size_t i = 0; i < load->input_count; i++) {
        const sc_input *input = &load->inputs[i];
        const sc_input **role = sc_file_has_suffix(input->name, ".cnode")   ? &out->nodes
                                : sc_file_has_suffix(input->name, ".cedge") ? &out->edges
                                : sc_file_has_suffix(input->name, ".txt")   ? &out->objects
                                                                            : NULL;
        if (!role) {
            return sc_fail(
                load->diag, SC_EINVAL,
                "%s: unknown kind of file; names must end in .cnode, .cedge or .txt (calmap)",
                input->name);
        }
        if (*role) {
            return sc_fail(load->diag, SC_EINVAL,
                           "%s: a second file of the same kind as %s; give one of each kind",
                           input->name, (*role)->name);
        }
        *role = input;
    }
    if (!out->edges && !out->objects) {
        return sc_fail(load->diag, SC_EINVAL,
                       "%s: a node file alone has no roads; add its .cedge file or calmap.txt",
                       load->input_count > 0 ? load->inputs[0].name : "no input");
    }
    if (!out->nodes && load->options->coords != SC_COORDS_NONE) {
        return sc_fail(load->diag, SC_EINVAL, "%s: --coords needs a .cnode file, and none is given",
                       load->inputs[0].name);
    }
    return SC_OK;
}

static void report_rows(const reading *r, const sc_rows *rows, const char *phase, size_t count)
{
    if (count % REPORT_EVERY != 0) return;
    sc__load_progress(r->load, phase, sc__rows_passed(rows), rows->lines.input->size);
}

// --- Nodes -------------------------------------------------------------------------

typedef struct node_line {
    double x;
    double y;
    uint64_t line;
} node_line;

static sc_err parse_nodes(reading *r, node_line **nodes, size_t *count)
{
    sc_rows rows = sc__rows_of(r->files.nodes, "node x y", r->load->diag);
    size_t capacity = 0;
    while (sc__rows_next(&rows)) {
        uint64_t id = 0;
        node_line node = {.line = rows.lines.line};
        sc_err err = sc__rows_u64(&rows, "node", &id);
        if (err) return err;
        if (id != *count) {
            return sc__rows_fail(&rows,
                                 "field 'node' is %llu, expected %zu; ids must count up from 0",
                                 (unsigned long long)id, *count);
        }
        err = sc__rows_double(&rows, "x", &node.x);
        if (!err) err = sc__rows_double(&rows, "y", &node.y);
        if (!err) err = sc__rows_end(&rows);
        if (err) return err;
        if (!sc_grow(nodes, *count, &capacity, sizeof **nodes)) {
            return sc_fail_memory(r->load->diag, "reading nodes");
        }
        (*nodes)[(*count)++] = node;
        report_rows(r, &rows, "reading nodes", *count);
    }
    if (*count > 0) return SC_OK;
    return sc_fail(r->load->diag, SC_EPARSE, "%s: the file has no nodes", r->files.nodes->name);
}

// Degrees or a plane? Unless the user gives one, the majority decides, so that one
// mistyped longitude is an error and does not make a plane of the whole map.
static sc_coords decide_coords(const reading *r, const node_line *nodes, size_t count)
{
    if (r->load->options->coords != SC_COORDS_NONE) return r->load->options->coords;
    size_t on_globe = 0;
    for (size_t i = 0; i < count; i++) {
        on_globe += fabs(nodes[i].x) <= 180.0 && fabs(nodes[i].y) <= 90.0;
    }
    return on_globe > count / 2 ? SC_COORDS_GEOGRAPHIC : SC_COORDS_PLANAR;
}

// Say which of the two coordinates is out of range, and what the range is.
static sc_err fail_position(const reading *r, const node_line *node)
{
    const bool on_globe = r->coords == SC_COORDS_GEOGRAPHIC;
    const double x_limit = on_globe ? 180.0 : SC_PLANE_MAX / r->unit_m;
    const double y_limit = on_globe ? 90.0 : x_limit;
    const bool bad_x = fabs(node->x) > x_limit;
    const double limit = bad_x ? x_limit : y_limit;
    return sc_fail(r->load->diag, SC_EPARSE, "%s:%llu: field '%s' is outside %g..%g: %.10g%s",
                   r->files.nodes->name, (unsigned long long)node->line, bad_x ? "x" : "y", -limit,
                   limit, bad_x ? node->x : node->y,
                   on_globe ? "; for a map on a plane give --coords planar" : "");
}

static sc_err add_nodes(reading *r, const node_line *nodes, size_t count)
{
    // On a plane whose unit the user gave, positions become metres too.
    const double scale = r->coords == SC_COORDS_PLANAR ? r->unit_m : 1.0;
    for (size_t i = 0; i < count; i++) {
        sc_node_id id = 0;
        const sc_err err =
            sc_builder_add_node(r->builder, nodes[i].x * scale, nodes[i].y * scale, &id);
        if (err == SC_EINVAL) return fail_position(r, &nodes[i]);
        if (err == SC_ELIMIT) {
            return sc_fail(r->load->diag, err, "%s:%llu: more nodes than one map can hold",
                           r->files.nodes->name, (unsigned long long)nodes[i].line);
        }
        if (err) return sc_fail_memory(r->load->diag, "reading nodes");
    }
    return SC_OK;
}

static sc_err read_nodes(reading *r)
{
    node_line *nodes = NULL;
    size_t count = 0;
    sc_err err = parse_nodes(r, &nodes, &count);
    if (!err) {
        r->coords = decide_coords(r, nodes, count);
        err = sc_builder_new(r->coords, &r->builder);
        if (err) sc_fail_memory(r->load->diag, "reading nodes");
    }
    if (!err) err = add_nodes(r, nodes, count);
    sc_free(nodes);
    return err;
}

// --- Edges -------------------------------------------------------------------------

// Ids of nodes are bounded by the node file; without one, by what a file of
// this size could name, so that one absurd id does not take all memory.
static sc_err read_node_id(const reading *r, sc_rows *rows, const char *name, uint64_t *out)
{
    const sc_err err = sc__rows_u64(rows, name, out);
    if (err) return err;
    const size_t file_size = rows->lines.input->size;
    const uint64_t known = r->files.nodes ? sc_builder_node_count(r->builder) : file_size;
    if (*out < known) return SC_OK;
    const sc_quoted value = sc_quote(rows->field.text, rows->field.size);
    if (r->files.nodes) {
        return sc__rows_fail(
            rows,
            "field '%s': node %s has no coordinates; add it to %s, which has nodes "
            "0 to %llu",
            name, value.text, r->files.nodes->name, (unsigned long long)known - 1);
    }
    return sc__rows_fail(rows,
                         "field '%s' is too large for a file of %zu bytes: %s; node ids must count "
                         "from 0 without gaps",
                         name, file_size, value.text);
}

static sc_err read_length(sc_rows *rows, double *out)
{
    const sc_err err = sc__rows_double(rows, "length", out);
    if (err || *out >= 0.0) return err;
    return sc__rows_fail_field(rows, "length", "is negative");
}

// Without a node file the nodes are those that edges name: 0 to the largest.
static sc_err make_nodes_up_to(reading *r, const sc_rows *rows, uint64_t id)
{
    while (sc_builder_node_count(r->builder) <= id) {
        sc_node_id node = 0;
        const sc_err err = sc_builder_add_node(r->builder, 0.0, 0.0, &node);
        if (err) return sc__rows_fail_add(rows, err, "making nodes");
    }
    return SC_OK;
}

static sc_err add_edge(reading *r, const sc_rows *rows, const edge_line *edge)
{
    if (r->coords == SC_COORDS_NONE) {
        const sc_err err = make_nodes_up_to(r, rows, edge->from > edge->to ? edge->from : edge->to);
        if (err) return err;
    }
    // The length of a geographic file is in degrees, unless the user gave a unit.
    const bool measure = r->coords == SC_COORDS_GEOGRAPHIC && r->load->options->unit_m == 0.0;
    const double length = measure ? SC_LENGTH_FROM_NODES : edge->length * r->unit_m;
    if (length > SC_ROAD_MAX) {
        return sc__rows_fail(rows, "field 'length' is too long for a road: %.10g", edge->length);
    }
    sc_edge_id id = 0;
    sc_err err = sc_builder_add_edge(r->builder, (sc_node_id)edge->from, (sc_node_id)edge->to,
                                     length, SC_ROAD_UNKNOWN, &id);
    if (!err && !sc_grow(&r->edges, id, &r->edge_capacity, sizeof *r->edges)) err = SC_ENOMEM;
    if (err) return sc__rows_fail_add(rows, err, "reading edges");
    r->edges[id] = *edge;
    return SC_OK;
}

static sc_err read_edges(reading *r)
{
    sc_rows rows = sc__rows_of(r->files.edges, "edge from to length", r->load->diag);
    while (sc__rows_next(&rows)) {
        uint64_t id = 0;
        edge_line edge = {0};
        // Edges are known by their order; the id has to be one, and is not used.
        sc_err err = sc__rows_u64(&rows, "edge", &id);
        if (!err) err = read_node_id(r, &rows, "from", &edge.from);
        if (!err) err = read_node_id(r, &rows, "to", &edge.to);
        if (!err) err = read_length(&rows, &edge.length);
        if (!err) err = sc__rows_end(&rows);
        if (!err) err = add_edge(r, &rows, &edge);
        if (err) return err;
        report_rows(r, &rows, "reading edges", sc_builder_edge_count(r->builder));
    }
    if (sc_builder_edge_count(r->builder) > 0) return SC_OK;
    return sc_fail(r->load->diag, SC_EPARSE, "%s: the file has no edges", r->files.edges->name);
}

// --- Objects -----------------------------------------------------------------------

/** The names of category ids, where a file gives them. */
typedef struct category_names {
    sc_slice *names;  ///< by id; text NULL where there is none
    size_t count;
    size_t capacity;
} category_names;

// Lines `cat_name,cat_id` under a header. Names repeat in the published file,
// so the id is the key.
static sc_err read_category_name(const sc_lines *lines, sc_slice line, category_names *out,
                                 sc_diag *diag)
{
    enum { MAX_ID = 1000000 };
    size_t comma = line.size;
    while (comma > 0 && line.text[comma - 1] != ',') {
        comma--;
    }
    const sc_slice id_text = {line.text + comma, line.size - comma};
    uint64_t id = 0;
    if (comma == 0) return sc_lines_fail(lines, diag, "expected 'cat_name,cat_id'", line);
    if (lines->line == 1 && sc_slice_is(id_text, "cat_id")) return SC_OK;
    if (!sc_slice_u64(id_text, &id) || id > MAX_ID) {
        return sc_lines_fail(lines, diag, "field 'cat_id' is not a whole number in 0..1000000",
                             id_text);
    }
    if (comma == 1) return sc_lines_fail(lines, diag, "field 'cat_name' is empty", line);
    while (out->count <= id) {
        if (!sc_grow(&out->names, out->count, &out->capacity, sizeof *out->names)) {
            return sc_fail_memory(diag, "reading category names");
        }
        out->names[out->count++] = (sc_slice){NULL, 0};
    }
    if (out->names[id].text)
        return sc_lines_fail(lines, diag, "field 'cat_id' occurs twice", id_text);
    out->names[id] = (sc_slice){line.text, comma - 1};
    return SC_OK;
}

static sc_err read_category_names(const sc_input *input, category_names *out, sc_diag *diag)
{
    sc_lines lines = sc_lines_of(input);
    sc_slice line;
    while (sc_lines_next(&lines, &line)) {
        if (line.size == 0) continue;
        const sc_err err = read_category_name(&lines, line, out, diag);
        if (err) return err;
    }
    if (out->count > 0) return SC_OK;
    return sc_fail(diag, SC_EPARSE, "%s: the file has no lines 'cat_name,cat_id'", input->name);
}

static sc_err read_object(reading *r, sc_rows *rows, const category_names *names, sc_edge_id edge)
{
    uint64_t id = 0;
    double distance = 0.0;
    sc_err err = sc__rows_u64(rows, "category", &id);
    sc_slice category = rows->field;
    if (!err) err = sc__rows_double(rows, "distance", &distance);
    if (err) return err;
    if (distance < 0.0) return sc__rows_fail_field(rows, "distance", "is negative");
    // Rounding puts some objects a little beyond the end; more is a mistake.
    const double length = r->edges[edge].length;
    if (distance > length * (1.0 + BEYOND_SHARE) + BEYOND_UNITS) {
        return sc__rows_fail(rows,
                             "field 'distance' is beyond the end of its edge of length %.10g: %s",
                             length, sc_quote(rows->field.text, rows->field.size).text);
    }
    r->load->report->objects_clamped += distance > length;
    // Without a name a category is called by its number.
    if (id < names->count && names->names[id].text) category = names->names[id];
    sc_category_id category_id = 0;
    const double fraction = distance < length ? distance / length : length > 0.0 ? 1.0 : 0.0;
    err = sc_builder_add_category(r->builder, category.text, category.size, &category_id);
    if (!err) {
        err = sc_builder_add_object_on_edge(r->builder, edge, fraction, category_id, NULL, 0);
    }
    return err ? sc__rows_fail_add(rows, err, "reading objects") : SC_OK;
}

// The second line of an edge: as many objects as the first one announced.
static sc_err read_object_line(reading *r, sc_rows *rows, const category_names *names,
                               sc_edge_id edge, uint64_t count)
{
    if (count == 0) return SC_OK;
    if (!sc_lines_next(&rows->lines, &rows->rest)) {
        return sc__rows_fail(
            rows, "the line with the objects of this edge is missing; is the file truncated?");
    }
    const char *edge_shape = rows->shape;
    rows->shape = "category distance category distance ...";
    for (uint64_t i = 0; i < count; i++) {
        sc_slice rest = rows->rest;
        if (!sc_slice_field(&rest, &rows->field)) {
            return sc__rows_fail(rows, "%llu objects announced, %llu found",
                                 (unsigned long long)count, (unsigned long long)i);
        }
        const sc_err err = read_object(r, rows, names, edge);
        if (err) return err;
    }
    rows->shape = edge_shape;
    if (!sc_slice_field(&rows->rest, &rows->field)) return SC_OK;
    return sc__rows_fail(rows, "more than the %llu objects announced: %s",
                         (unsigned long long)count,
                         sc_quote(rows->field.text, rows->field.size).text);
}

// An edge line of calmap.txt names an edge again: the one that is there, in the
// same order as the .cedge file, or a new one where there is no such file.
static sc_err match_edge(reading *r, const sc_rows *rows, const edge_line *edge, sc_edge_id number)
{
    if (!r->files.edges) return add_edge(r, rows, edge);
    if (number >= sc_builder_edge_count(r->builder)) {
        return sc__rows_fail(rows, "more edges than in %s; both files must list the same edges",
                             r->files.edges->name);
    }
    const edge_line *known = &r->edges[number];
    if (known->from == edge->from && known->to == edge->to &&
        fabs(known->length - edge->length) <= SAME_LENGTH) {
        return SC_OK;
    }
    return sc__rows_fail(rows,
                         "differs from edge %u of %s, which is %llu %llu %.10g; both files must "
                         "list the same edges in the same order",
                         number, r->files.edges->name, (unsigned long long)known->from,
                         (unsigned long long)known->to, known->length);
}

static sc_err read_objects(reading *r, const category_names *names)
{
    sc_rows rows = sc__rows_of(r->files.objects, "from to length number-of-objects", r->load->diag);
    sc_edge_id count = 0;
    while (sc__rows_next(&rows)) {
        edge_line edge = {0};
        uint64_t object_count = 0;
        sc_err err = read_node_id(r, &rows, "from", &edge.from);
        if (!err) err = read_node_id(r, &rows, "to", &edge.to);
        if (!err) err = read_length(&rows, &edge.length);
        if (!err) err = sc__rows_u64(&rows, "number-of-objects", &object_count);
        if (!err) err = sc__rows_end(&rows);
        if (!err) err = match_edge(r, &rows, &edge, count);
        if (!err) err = read_object_line(r, &rows, names, count, object_count);
        if (err) return err;
        count++;
        report_rows(r, &rows, "reading objects", count);
    }
    if (count == 0) {
        return sc_fail(r->load->diag, SC_EPARSE, "%s: the file has no edges",
                       r->files.objects->name);
    }
    if (!r->files.edges || count == sc_builder_edge_count(r->builder)) return SC_OK;
    return sc_fail(r->load->diag, SC_EPARSE,
                   "%s: lists %u edges, %s has %u; is the file truncated?", r->files.objects->name,
                   count, r->files.edges->name, sc_builder_edge_count(r->builder));
}

static sc_err read_objects_with_names(reading *r)
{
    category_names names = {0};
    sc_file file = {0};
    sc_err err = SC_OK;
    if (r->load->options->category_names) {
        err = sc_file_open(r->load->options->category_names, &file, r->load->diag);
        if (!err) err = read_category_names(&file.input, &names, r->load->diag);
    }
    if (!err) err = read_objects(r, &names);
    sc_free(names.names);
    sc_file_close(&file);
    return err;
}

// --- The whole -----------------------------------------------------------------------

sc_err sc__load_cnode(const sc_load *load, sc_builder **out)
{
    reading r = {.load = load, .coords = SC_COORDS_NONE};
    r.unit_m = load->options->unit_m > 0.0 ? load->options->unit_m : 1.0;
    sc_err err = assign_roles(load, &r.files);
    if (err) return err;

    if (r.files.nodes) {
        err = read_nodes(&r);
    } else {
        err = sc_builder_new(SC_COORDS_NONE, &r.builder);
        if (err) sc_fail_memory(load->diag, "reading edges");
    }
    if (!err && r.files.edges) err = read_edges(&r);
    if (!err && r.files.objects) err = read_objects_with_names(&r);
    sc_free(r.edges);
    if (err) {
        sc_builder_free(r.builder);
        return err;
    }
    // What is neither geographic nor given a unit by the user is in unknown units.
    if (r.coords != SC_COORDS_GEOGRAPHIC && load->options->unit_m == 0.0) {
        sc_builder_set_unit_unknown(r.builder);
    }
    *out = r.builder;
    return SC_OK;
}
