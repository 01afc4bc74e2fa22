// Graphs of the 9th DIMACS challenge: NAME.gr (arcs) and NAME.co (coordinates).
//
// Several pairs of files make one map; their nodes are numbered one file after
// the other. A road is two arcs, one each way; arcs of the same weight between
// the same nodes are paired in any order, and what is left over is a road by
// itself. Repeated arcs are parallel roads and are kept. Weights are whole
// numbers of 0.1 m, unless the user gives another unit; coordinates are whole
// numbers of 1e-6 degrees, longitude first. Without a .co file the map has no
// coordinates.
#include "import/import_internal.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "import/text_rows.h"
#include "map/geo.h"

#include <string.h>

enum { REPORT_EVERY = 1 << 15 };

#define METRES_PER_WEIGHT 0.1
#define DEGREES_PER_UNIT 1e-6

/** One graph: its arcs and, if there is one, its coordinates. */
typedef struct graph {
    const sc_input *arcs;
    const sc_input *places;
} graph;

/** Roads seen in one direction only, so far: the two counts for one pair and weight. */
typedef struct half_road {
    uint32_t forward;
    uint32_t backward;
} half_road;

typedef struct reading {
    const sc_load *load;
    sc_builder *builder;
    double unit_m;
    sc_hash halves;  ///< nodes and weight -> index in half_roads
    half_road *half_roads;
    size_t half_count;
    size_t half_capacity;
} reading;

// --- Which file is what --------------------------------------------------------------

// The graph that a .co file belongs to: the only one, or the one of the same
// name beside it, or else the first of that name that lacks one.
static graph *find_graph(graph *graphs, size_t count, const char *places)
{
    if (count == 1) return &graphs[0];
    for (size_t i = 0; i < count; i++) {
        if (sc__same_stem(graphs[i].arcs->name, places)) return &graphs[i];
    }
    for (size_t i = 0; i < count; i++) {
        const char *arcs = sc_file_base_name(graphs[i].arcs->name);
        if (!graphs[i].places && sc__same_stem(arcs, sc_file_base_name(places))) return &graphs[i];
    }
    return NULL;
}

static sc_err find_graphs(const sc_load *load, graph *graphs, size_t *count)
{
    for (size_t i = 0; i < load->input_count; i++) {
        const sc_input *input = &load->inputs[i];
        if (sc_file_has_suffix(input->name, ".gr")) {
            graphs[(*count)++] = (graph){.arcs = input};
        } else if (!sc_file_has_suffix(input->name, ".co")) {
            return sc_fail(load->diag, SC_EINVAL,
                           "%s: unknown kind of file; names must end in .gr or .co", input->name);
        }
    }
    if (*count > 0) return SC_OK;
    return sc_fail(load->diag, SC_EINVAL,
                   "%s: a coordinate file alone has no roads; add its .gr file",
                   load->input_count > 0 ? load->inputs[0].name : "no input");
}

static sc_err pair_files(const sc_load *load, graph *graphs, size_t *count)
{
    const sc_err err = find_graphs(load, graphs, count);
    if (err) return err;
    size_t placed = 0;
    for (size_t i = 0; i < load->input_count; i++) {
        const sc_input *input = &load->inputs[i];
        if (!sc_file_has_suffix(input->name, ".co")) continue;
        graph *g = find_graph(graphs, *count, input->name);
        if (!g) {
            return sc_fail(load->diag, SC_EINVAL, "%s: no .gr file of the same name is given",
                           input->name);
        }
        if (g->places) {
            return sc_fail(load->diag, SC_EINVAL, "%s: a second .co file for %s, after %s",
                           input->name, g->arcs->name, g->places->name);
        }
        g->places = input;
        placed++;
    }
    for (size_t i = 0; placed > 0 && i < *count; i++) {
        if (graphs[i].places) continue;
        return sc_fail(load->diag, SC_EINVAL,
                       "%s: another graph has a .co file, but this one has none; give .co files "
                       "for all graphs or for none",
                       graphs[i].arcs->name);
    }
    return SC_OK;
}

// --- Lines -----------------------------------------------------------------------------

// Go to the next line that is no comment; `kind` is its first field, '?' if
// that is not a single letter.
static bool next_kind(sc_rows *rows, char *kind)
{
    while (sc__rows_next(rows)) {
        sc_slice_field(&rows->rest, &rows->field);
        *kind = rows->field.size == 1 ? rows->field.text[0] : '?';
        if (*kind != 'c') return true;
    }
    return false;
}

static sc_err fail_kind(const sc_rows *rows, const char *expected)
{
    return sc__rows_fail(rows, "a line '%s' is expected: %s", expected,
                         sc_quote(rows->line.text, rows->line.size).text);
}

// The fixed words of a problem line, behind its 'p'.
static sc_err expect_words(sc_rows *rows, const char *const *words)
{
    for (; *words; words++) {
        if (!sc_slice_field(&rows->rest, &rows->field) || !sc_slice_is(rows->field, *words)) {
            return fail_kind(rows, rows->shape);
        }
    }
    return SC_OK;
}

// How many nodes a graph has. Memory is set aside for them, so the count must be
// one that a file of this size may have: real ones take many bytes for a node.
static sc_err read_node_count(sc_rows *rows, int64_t *out)
{
    const sc_err err = sc__rows_i64(rows, "nodes", 1, INT64_MAX, out);
    if (err || (uint64_t)*out <= rows->lines.input->size) return err;
    return sc__rows_fail(rows, "field 'nodes' is too large for a file of %zu bytes: %s",
                         rows->lines.input->size,
                         sc_quote(rows->field.text, rows->field.size).text);
}

static void report(const reading *r, const sc_rows *rows, const char *phase, uint64_t count)
{
    if (count % REPORT_EVERY != 0) return;
    sc__load_progress(r->load, phase, sc__rows_passed(rows), rows->lines.input->size);
}

static sc_err fail_without_problem(const sc_rows *rows, const char *expected)
{
    return sc_fail(rows->diag, SC_EPARSE, "%s: no line '%s' found; is the file empty?",
                   rows->lines.input->name, expected);
}

// --- Coordinates -------------------------------------------------------------------------

#define PLACES_PROBLEM "p aux sp co NODES"
#define PLACES_LINE "v ID LONGITUDE LATITUDE"

typedef struct place {
    int32_t x;
    int32_t y;
    bool known;
} place;

/** The coordinates of one graph. */
typedef struct places {
    place *at;  ///< by node; NULL before the problem line
    size_t count;
    size_t known;
} places;

static sc_err read_places_problem(sc_rows *rows, places *out)
{
    static const char *const words[] = {"aux", "sp", "co", NULL};
    int64_t count = 0;
    rows->shape = PLACES_PROBLEM;
    sc_err err = expect_words(rows, words);
    if (!err) err = read_node_count(rows, &count);
    if (!err) err = sc__rows_end(rows);
    if (err) return err;
    out->at = sc_calloc((size_t)count, sizeof *out->at);
    if (!out->at) return sc_fail_memory(rows->diag, "reading coordinates");
    out->count = (size_t)count;
    rows->shape = PLACES_LINE;
    return SC_OK;
}

static sc_err read_place(sc_rows *rows, places *out)
{
    enum { LON = 180000000, LAT = 90000000 };
    int64_t id = 0;
    int64_t x = 0;
    int64_t y = 0;
    sc_err err = sc__rows_i64(rows, "id", 1, (int64_t)out->count, &id);
    if (!err && out->at[id - 1].known) err = sc__rows_fail_field(rows, "id", "occurs twice");
    if (!err) err = sc__rows_i64(rows, "longitude", -LON, LON, &x);
    if (!err) err = sc__rows_i64(rows, "latitude", -LAT, LAT, &y);
    if (!err) err = sc__rows_end(rows);
    if (err) return err;
    out->at[id - 1] = (place){(int32_t)x, (int32_t)y, true};
    out->known++;
    return SC_OK;
}

static sc_err read_places(const reading *r, const sc_input *input, places *out)
{
    sc_rows rows = sc__rows_of(input, PLACES_PROBLEM, r->load->diag);
    char kind = 0;
    while (next_kind(&rows, &kind)) {
        sc_err err = SC_OK;
        if (!out->at) {
            err = kind == 'p' ? read_places_problem(&rows, out) : fail_kind(&rows, PLACES_PROBLEM);
        } else {
            err = kind == 'v' ? read_place(&rows, out) : fail_kind(&rows, PLACES_LINE);
        }
        if (err) return err;
        report(r, &rows, "reading coordinates", out->known);
    }
    if (!out->at) return fail_without_problem(&rows, PLACES_PROBLEM);
    for (size_t i = 0; out->known < out->count && i < out->count; i++) {
        if (out->at[i].known) continue;
        return sc_fail(
            r->load->diag, SC_EPARSE,
            "%s: node %zu has no coordinates (%zu nodes announced, %zu found); add a line "
            "'v' for it",
            input->name, i + 1, out->count, out->known);
    }
    return SC_OK;
}

// --- Arcs ----------------------------------------------------------------------------------

#define ARCS_PROBLEM "p sp NODES ARCS"
#define ARCS_LINE "a TAIL HEAD WEIGHT"

/** A graph being read. */
typedef struct arcs {
    const sc_input *places_input;
    const places *places;
    sc_node_id base;    ///< number of its first node in the map
    int64_t nodes;      ///< 0 before the problem line
    int64_t announced;  ///< arcs
    int64_t read;
} arcs;

static sc_err add_nodes(reading *r, const sc_rows *rows, const arcs *a)
{
    const place *at = a->places->at;
    for (int64_t i = 0; i < a->nodes; i++) {
        sc_node_id id = 0;
        const double x = at ? at[i].x * DEGREES_PER_UNIT : 0.0;
        const double y = at ? at[i].y * DEGREES_PER_UNIT : 0.0;
        const sc_err err = sc_builder_add_node(r->builder, x, y, &id);
        if (err) return sc__rows_fail_add(rows, err, "reading nodes");
    }
    return SC_OK;
}

static sc_err read_arcs_problem(reading *r, sc_rows *rows, arcs *a)
{
    static const char *const words[] = {"sp", NULL};
    int64_t nodes = 0;
    rows->shape = ARCS_PROBLEM;
    sc_err err = expect_words(rows, words);
    if (!err && a->places->at) {
        err = sc__rows_i64(rows, "nodes", 1, INT64_MAX, &nodes);
        if (!err && (size_t)nodes != a->places->count) {
            err = sc__rows_fail(rows, "field 'nodes' is %lld, but %s has coordinates of %zu nodes",
                                (long long)nodes, a->places_input->name, a->places->count);
        }
    } else if (!err) {
        err = read_node_count(rows, &nodes);
    }
    if (!err) err = sc__rows_i64(rows, "arcs", 0, INT64_MAX, &a->announced);
    if (!err) err = sc__rows_end(rows);
    if (err) return err;
    rows->shape = ARCS_LINE;
    a->nodes = nodes;
    return add_nodes(r, rows, a);
}

// Pair this arc with one the other way if one waits, else make it a road. A
// self-loop is its own other way: its second arc pairs with the first.
static sc_err add_arc(reading *r, sc_node_id tail, sc_node_id head, int64_t weight)
{
    const bool forward = tail <= head;
    const sc_key key = {(uint64_t)(forward ? tail : head) << 32 | (forward ? head : tail),
                        (uint64_t)weight};
    uint32_t index = 0;
    sc_err err = sc_hash_put(&r->halves, key, (uint32_t)r->half_count, &index);
    if (err) return err;
    if (index == r->half_count) {
        if (!sc_grow(&r->half_roads, r->half_count, &r->half_capacity, sizeof *r->half_roads)) {
            return SC_ENOMEM;
        }
        r->half_roads[r->half_count++] = (half_road){0};
    }
    half_road *half = &r->half_roads[index];
    uint32_t *same = forward ? &half->forward : &half->backward;
    uint32_t *other = tail == head ? same : forward ? &half->backward : &half->forward;
    if (*other > 0) {
        (*other)--;
        r->load->report->unpaired_arcs--;
        return SC_OK;
    }
    (*same)++;
    r->load->report->unpaired_arcs++;
    return sc_builder_add_edge(r->builder, tail, head, (double)weight * r->unit_m, SC_ROAD_UNKNOWN,
                               NULL);
}

static sc_err read_arc(reading *r, sc_rows *rows, arcs *a)
{
    int64_t tail = 0;
    int64_t head = 0;
    int64_t weight = 0;
    sc_err err = sc__rows_i64(rows, "tail", 1, a->nodes, &tail);
    if (!err) err = sc__rows_i64(rows, "head", 1, a->nodes, &head);
    // Above 2^53 a weight would lose its last digits.
    if (!err) err = sc__rows_i64(rows, "weight", 0, 1ll << 53, &weight);
    if (!err && (double)weight * r->unit_m > SC_ROAD_MAX) {
        err = sc__rows_fail_field(rows, "weight", "is too long for a road");
    }
    if (!err) err = sc__rows_end(rows);
    if (err) return err;
    err = add_arc(r, a->base + (sc_node_id)(tail - 1), a->base + (sc_node_id)(head - 1), weight);
    if (err) return sc__rows_fail_add(rows, err, "reading arcs");
    a->read++;
    return SC_OK;
}

static sc_err read_arcs(reading *r, const graph *g, const places *at)
{
    sc_rows rows = sc__rows_of(g->arcs, ARCS_PROBLEM, r->load->diag);
    arcs a = {.places_input = g->places, .places = at, .base = sc_builder_node_count(r->builder)};
    char kind = 0;
    while (next_kind(&rows, &kind)) {
        sc_err err = SC_OK;
        if (a.nodes == 0) {
            err = kind == 'p' ? read_arcs_problem(r, &rows, &a) : fail_kind(&rows, ARCS_PROBLEM);
        } else {
            err = kind == 'a' ? read_arc(r, &rows, &a) : fail_kind(&rows, ARCS_LINE);
        }
        if (err) return err;
        report(r, &rows, "reading arcs", (uint64_t)a.read);
    }
    if (a.nodes == 0) return fail_without_problem(&rows, ARCS_PROBLEM);
    if (a.read == a.announced) return SC_OK;
    return sc_fail(r->load->diag, SC_EPARSE,
                   "%s: %lld arcs announced, %lld found; is the file damaged?", g->arcs->name,
                   (long long)a.announced, (long long)a.read);
}

static sc_err read_graph(reading *r, const graph *g)
{
    places at = {0};
    sc_err err = g->places ? read_places(r, g->places, &at) : SC_OK;
    if (!err) err = read_arcs(r, g, &at);
    sc_free(at.at);
    return err;
}

sc_err sc__load_dimacs(const sc_load *load, sc_builder **out)
{
    graph *graphs = sc_calloc(load->input_count, sizeof *graphs);
    if (!graphs) return sc_fail_memory(load->diag, "reading");
    reading r = {.load = load};
    r.unit_m = load->options->unit_m > 0.0 ? load->options->unit_m : METRES_PER_WEIGHT;
    size_t count = 0;
    sc_err err = pair_files(load, graphs, &count);
    if (!err) {
        err = sc_builder_new(graphs[0].places ? SC_COORDS_GEOGRAPHIC : SC_COORDS_NONE, &r.builder);
        if (err) sc_fail_memory(load->diag, "reading");
    }
    for (size_t i = 0; i < count && !err; i++) {
        err = read_graph(&r, &graphs[i]);
    }
    if (!err && sc_builder_edge_count(r.builder) == 0) {
        err = sc_fail(load->diag, SC_EPARSE, "%s: the file has no arcs, so no roads",
                      graphs[0].arcs->name);
    }
    sc_free(graphs);
    sc_hash_fini(&r.halves);
    sc_free(r.half_roads);
    if (err) {
        sc_builder_free(r.builder);
        return err;
    }
    *out = r.builder;
    return SC_OK;
}
