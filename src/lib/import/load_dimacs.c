// Graphs of the 9th DIMACS challenge: NAME.gr (arcs) and NAME.co (coordinates).
//
// Several pairs of files make one map; their nodes are numbered one file after
// the other. A road is two arcs, one each way; arcs of the same weight between
// the same nodes are paired in any order, and what is left over is a one-way
// road. Repeated arcs are parallel roads and are kept. Weights are whole
// numbers of 0.1 m, unless the user gives another unit; coordinates are whole
// numbers of 1e-6 degrees, longitude first. Without a .co file the map has no
// coordinates.
//
// A second .gr file may have travel times: the same arcs in the same order, with
// times as weights, as USA-road-t.NY.gr has them for USA-road-d.NY.gr. Both are
// read side by side. The challenge's times are lengths in 0.1 m divided by a speed
// for each kind of road, in a unit that its authors call arbitrary: a street of 803
// takes 2008, so its speed is 0.4. Taken as 40 km/h, a unit of time is 3.6 ms.
#include "import/import_internal.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "import/dimacs_files.h"
#include "import/text_rows.h"
#include "map/geo.h"

enum { REPORT_EVERY = 1 << 15 };

#define METRES_PER_WEIGHT 0.1
#define SECONDS_PER_WEIGHT 0.0036
#define DEGREES_PER_UNIT 1e-6

/** Roads between one pair of nodes, of one weight, that were seen in one direction only so far.
 * All in the same direction: one in the other would have been paired with the last of them. */
typedef struct half_road {
    sc_edge_id last;  ///< SC_NONE where there is none; `waits_behind` has the others
    bool is_forward;  ///< from the lower node to the higher one
    int64_t weight;
} half_road;

typedef struct reading {
    const sc_load *load;
    sc_builder *builder;
    double unit_m;
    double time_unit_s;
    sc_hash halves;  ///< nodes and weight -> index in half_roads
    half_road *half_roads;
    size_t half_count;
    size_t half_capacity;
    sc_edge_id *waits_behind;  ///< by edge: the one that waited when it came, or SC_NONE
    size_t waits_capacity;
    double *forward_s;  ///< by edge; only with travel times
    size_t forward_capacity;
} reading;

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
    const sc_dimacs_graph *graph;
    const places *places;
    sc_rows times;      ///< one line ahead for each arc; only where the graph has times
    sc_node_id base;    ///< number of its first node in the map
    int64_t nodes;      ///< 0 before the problem line
    int64_t announced;  ///< arcs
    int64_t read;
} arcs;

/** An arc as it stands in the file, nodes from 1. */
typedef struct arc {
    int64_t tail;
    int64_t head;
    int64_t weight;
} arc;

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

// The problem line of the travel times, which must be that of the lengths.
static sc_err read_times_problem(arcs *a)
{
    static const char *const words[] = {"sp", NULL};
    sc_rows *rows = &a->times;
    int64_t nodes = 0;
    int64_t announced = 0;
    char kind = 0;
    if (!next_kind(rows, &kind)) return fail_without_problem(rows, ARCS_PROBLEM);
    sc_err err = kind == 'p' ? expect_words(rows, words) : fail_kind(rows, ARCS_PROBLEM);
    if (!err) err = sc__rows_i64(rows, "nodes", 1, INT64_MAX, &nodes);
    if (!err) err = sc__rows_i64(rows, "arcs", 0, INT64_MAX, &announced);
    if (!err) err = sc__rows_end(rows);
    if (err) return err;
    rows->shape = ARCS_LINE;
    if (nodes == a->nodes && announced == a->announced) return SC_OK;
    return sc__rows_fail(rows, "%lld nodes and %lld arcs, but %s has %lld and %lld",
                         (long long)nodes, (long long)announced, a->graph->arcs->name,
                         (long long)a->nodes, (long long)a->announced);
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
                                (long long)nodes, a->graph->places->name, a->places->count);
        }
    } else if (!err) {
        err = read_node_count(rows, &nodes);
    }
    if (!err) err = sc__rows_i64(rows, "arcs", 0, INT64_MAX, &a->announced);
    if (!err) err = sc__rows_end(rows);
    if (err) return err;
    rows->shape = ARCS_LINE;
    a->nodes = nodes;
    if (a->graph->times) err = read_times_problem(a);
    return err ? err : add_nodes(r, rows, a);
}

// NULL when memory is out.
static half_road *find_half_road(reading *r, sc_key key)
{
    uint32_t index = 0;
    if (sc_hash_put(&r->halves, key, (uint32_t)r->half_count, &index)) return NULL;
    if (index == r->half_count) {
        if (!sc_grow(&r->half_roads, r->half_count, &r->half_capacity, sizeof *r->half_roads)) {
            return NULL;
        }
        r->half_roads[r->half_count++] = (half_road){.last = SC_NONE, .weight = (int64_t)key.low};
    }
    return &r->half_roads[index];
}

// Make a road of an arc. It is one-way until the arc of the other way comes.
static sc_err add_road(reading *r, half_road *half, sc_node_id tail, sc_node_id head,
                       double length_m)
{
    const uint32_t count = sc_builder_edge_count(r->builder);
    sc_edge_id edge = 0;
    const sc_err err =
        sc_builder_add_edge(r->builder, tail, head, length_m, SC_ROAD_UNKNOWN, &edge);
    if (err) return err;
    if (!sc_grow(&r->waits_behind, count, &r->waits_capacity, sizeof *r->waits_behind)) {
        return SC_ENOMEM;
    }
    r->waits_behind[edge] = half->last;
    half->last = edge;
    r->load->report->unpaired_arcs++;
    return SC_OK;
}

static sc_err note_times(reading *r, sc_edge_id edge, bool is_paired, double time_s)
{
    if (is_paired) return sc_builder_set_edge_times(r->builder, edge, r->forward_s[edge], time_s);
    if (!sc_grow(&r->forward_s, edge, &r->forward_capacity, sizeof *r->forward_s)) {
        return SC_ENOMEM;
    }
    r->forward_s[edge] = time_s;
    return sc_builder_set_edge_times(r->builder, edge, time_s, SC_CLOSED_S);
}

// Pair this arc with one the other way if one waits, else make it a road. A
// self-loop is its own other way: its second arc pairs with the first.
static sc_err add_arc(reading *r, const arcs *a, const arc *length, const double *time_s)
{
    const sc_node_id tail = a->base + (sc_node_id)(length->tail - 1);
    const sc_node_id head = a->base + (sc_node_id)(length->head - 1);
    const bool is_forward = tail <= head;
    const sc_key key = {(uint64_t)(is_forward ? tail : head) << 32 | (is_forward ? head : tail),
                        (uint64_t)length->weight};
    half_road *half = find_half_road(r, key);
    if (!half) return SC_ENOMEM;
    const bool is_paired =
        half->last != SC_NONE && (tail == head || half->is_forward != is_forward);
    sc_edge_id edge = half->last;
    if (is_paired) {
        half->last = r->waits_behind[edge];
        r->waits_behind[edge] = SC_NONE;
        r->load->report->unpaired_arcs--;
    } else {
        half->is_forward = is_forward;
        const sc_err err = add_road(r, half, tail, head, (double)length->weight * r->unit_m);
        if (err) return err;
        edge = half->last;
    }
    return time_s ? note_times(r, edge, is_paired, *time_s) : SC_OK;
}

static sc_err read_arc_line(const arcs *a, sc_rows *rows, arc *out)
{
    sc_err err = sc__rows_i64(rows, "tail", 1, a->nodes, &out->tail);
    if (!err) err = sc__rows_i64(rows, "head", 1, a->nodes, &out->head);
    // Above 2^53 a weight would lose its last digits.
    if (!err) err = sc__rows_i64(rows, "weight", 0, 1ll << 53, &out->weight);
    return err;
}

// The travel time of the arc that was read last: the next line of the other file.
static sc_err read_time(const reading *r, arcs *a, const arc *length, double *out)
{
    sc_rows *rows = &a->times;
    char kind = 0;
    if (!next_kind(rows, &kind)) {
        return sc_fail(r->load->diag, SC_EPARSE,
                       "%s: %lld arcs announced, %lld found; is the file damaged?",
                       rows->lines.input->name, (long long)a->announced, (long long)a->read);
    }
    arc time = {0};
    sc_err err = kind == 'a' ? read_arc_line(a, rows, &time) : fail_kind(rows, ARCS_LINE);
    *out = (double)time.weight * r->time_unit_s;
    if (!err && *out > 1e9) err = sc__rows_fail_field(rows, "weight", "is too long a time");
    if (!err) err = sc__rows_end(rows);
    if (err || (time.tail == length->tail && time.head == length->head)) return err;
    return sc__rows_fail(rows,
                         "the arc of %s at this place goes from %lld to %lld, not from %lld to "
                         "%lld; both files need the same arcs in the same order",
                         a->graph->arcs->name, (long long)length->tail, (long long)length->head,
                         (long long)time.tail, (long long)time.head);
}

static sc_err read_arc(reading *r, sc_rows *rows, arcs *a)
{
    arc length = {0};
    sc_err err = read_arc_line(a, rows, &length);
    if (!err && (double)length.weight * r->unit_m > SC_ROAD_MAX) {
        err = sc__rows_fail_field(rows, "weight", "is too long for a road");
    }
    if (!err) err = sc__rows_end(rows);
    double time_s = 0.0;
    if (!err && a->graph->times) err = read_time(r, a, &length, &time_s);
    if (err) return err;
    err = add_arc(r, a, &length, a->graph->times ? &time_s : NULL);
    if (err) return sc__rows_fail_add(rows, err, "reading arcs");
    a->read++;
    return SC_OK;
}

// Behind the last arc of the lengths there must be none among the times either.
static sc_err check_times_end(arcs *a)
{
    char kind = 0;
    if (!a->graph->times || !next_kind(&a->times, &kind)) return SC_OK;
    return sc__rows_fail(&a->times, "one line too many: %s has %lld arcs", a->graph->arcs->name,
                         (long long)a->read);
}

static sc_err read_arcs(reading *r, const sc_dimacs_graph *g, const places *at)
{
    sc_rows rows = sc__rows_of(g->arcs, ARCS_PROBLEM, r->load->diag);
    arcs a = {.graph = g, .places = at, .base = sc_builder_node_count(r->builder)};
    if (g->times) a.times = sc__rows_of(g->times, ARCS_PROBLEM, r->load->diag);
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
    if (a.read == a.announced) return check_times_end(&a);
    return sc_fail(r->load->diag, SC_EPARSE,
                   "%s: %lld arcs announced, %lld found; is the file damaged?", g->arcs->name,
                   (long long)a.announced, (long long)a.read);
}

static sc_err read_graph(reading *r, const sc_dimacs_graph *g)
{
    places at = {0};
    sc_err err = g->places ? read_places(r, g->places, &at) : SC_OK;
    if (!err) err = read_arcs(r, g, &at);
    sc_free(at.at);
    return err;
}

// Close the way back of roads whose opposite never came. With travel times that is done already.
static sc_err close_single_arcs(reading *r)
{
    if (r->forward_s) return SC_OK;
    for (size_t i = 0; i < r->half_count; i++) {
        const double length_m = (double)r->half_roads[i].weight * r->unit_m;
        const double usual_s = length_m / sc_road_class_speed_m_s(SC_ROAD_UNKNOWN);
        for (sc_edge_id edge = r->half_roads[i].last; edge != SC_NONE;
             edge = r->waits_behind[edge]) {
            const sc_err err = sc_builder_set_edge_times(r->builder, edge, usual_s, SC_CLOSED_S);
            if (err) return sc_fail_memory(r->load->diag, "reading arcs");
        }
    }
    return SC_OK;
}

sc_err sc__load_dimacs(const sc_load *load, sc_builder **out)
{
    sc_dimacs_graph *graphs = sc_calloc(load->input_count, sizeof *graphs);
    if (!graphs) return sc_fail_memory(load->diag, "reading");
    const sc_import_options *options = load->options;
    reading r = {
        .load = load,
        .unit_m = options->unit_m > 0.0 ? options->unit_m : METRES_PER_WEIGHT,
        .time_unit_s = options->time_unit_s > 0.0 ? options->time_unit_s : SECONDS_PER_WEIGHT,
    };
    size_t count = 0;
    sc_err err = sc__dimacs_pair_files(load, graphs, &count);
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
    if (!err) err = close_single_arcs(&r);
    sc_free(graphs);
    sc_hash_fini(&r.halves);
    sc_free(r.half_roads);
    sc_free(r.waits_behind);
    sc_free(r.forward_s);
    if (err) {
        sc_builder_free(r.builder);
        return err;
    }
    *out = r.builder;
    return SC_OK;
}
