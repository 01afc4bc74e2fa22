// From the ways of a SUMO network to roads.
//
// A way is open in one direction. Two ways between the same junctions, one each way, over the same
// points become one road that is open both ways; what is left over is a one-way road. Its length is
// the mean of the two, spread over its pieces as they are drawn. Its time is its length divided by
// the speed of its fastest lane, each way on its own; one that is for walkers is open both ways.
//
// The length of a way is that of SUMO's lanes, which end where junctions begin: in a town they lack
// a fifth of every trip. The rest is in lanes inside of the junctions, one for each turn. So where
// the file has such lanes, a way is longer by what its drawing, from junction to junction, is
// longer than that of its lane. Where it has none (--no-internal-links), lanes have their whole
// length already.
#include "import/sumo_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/hash.h"
#include "import/utm.h"
#include "map/geo.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

sc_err sc__sumo_fail_memory(const sc__sumo *net)
{
    return sc_fail_memory(net->load->diag, "reading a SUMO network");
}

// --- Both ways of a road --------------------------------------------------------------

// The i-th point of a way, or of its way back.
static const sc__sumo_point *point_of(const sc__sumo *net, const sc__sumo_way *w, uint32_t i,
                                      bool is_back)
{
    return net->points + w->first_point + (is_back ? w->point_count - 1 - i : i);
}

static bool is_at(const sc__sumo *net, const sc__sumo_way *w, uint32_t i, uint32_t junction)
{
    const sc__sumo_point *p = point_of(net, w, i, false);
    const sc__sumo_point *q = &net->junctions[junction].at;
    return p->x == q->x && p->y == q->y;
}

// Shapes begin and end at the junctions; a point that is one is no point between them. (An edge may
// also begin beside its junction; then that point is kept.)
static sc_err trim_shape(sc__sumo *net, sc__sumo_way *w)
{
    const uint32_t ends[] = {w->from, w->to};
    for (size_t i = 0; i < 2; i++) {
        const sc__sumo_junction *j = &net->junctions[ends[i]];
        if (j->is_known) continue;
        const char *id = j->id != 0 ? net->texts + j->id : "";
        return sc_fail(net->load->diag, SC_EPARSE,
                       "%s:%lu: <edge> goes %s a junction that the file does not have: %s",
                       net->input->name, w->line, i == 0 ? "from" : "to",
                       sc_quote(id, strlen(id)).text);
    }
    if (w->point_count > 0 && is_at(net, w, 0, w->from)) {
        w->first_point++;
        w->point_count--;
    }
    if (w->point_count > 0 && is_at(net, w, w->point_count - 1, w->to)) w->point_count--;
    return SC_OK;
}

static bool is_way_back(const sc__sumo *net, const sc__sumo_way *a, const sc__sumo_way *b)
{
    if (a->from != b->to || a->to != b->from || a->point_count != b->point_count) return false;
    for (uint32_t i = 0; i < a->point_count; i++) {
        const sc__sumo_point *p = point_of(net, a, i, false);
        const sc__sumo_point *q = point_of(net, b, i, true);
        if (p->x != q->x || p->y != q->y) return false;
    }
    return true;
}

// The same number for a way and its way back: of the two orders of its points, the lower.
static sc_key key_of(const sc__sumo *net, const sc__sumo_way *w)
{
    XXH128_hash_t hashes[2];
    for (int back = 0; back < 2; back++) {
        const uint32_t ends[] = {back ? w->to : w->from, back ? w->from : w->to};
        XXH128_hash_t hash = XXH3_128bits(ends, sizeof ends);
        for (uint32_t i = 0; i < w->point_count; i++) {
            const struct {
                XXH128_hash_t before;
                sc__sumo_point point;
            } step = {hash, *point_of(net, w, i, back)};
            hash = XXH3_128bits(&step, sizeof step);
        }
        hashes[back] = hash;
    }
    const XXH128_hash_t *low = XXH128_cmp(&hashes[0], &hashes[1]) <= 0 ? &hashes[0] : &hashes[1];
    return (sc_key){low->high64, low->low64};
}

// How long a way is as it is drawn, from the first junction to the last.
static double drawn_length(const sc__sumo *net, const sc__sumo_way *w)
{
    double sum = 0;
    sc__sumo_point last = net->junctions[w->from].at;
    for (uint32_t i = 0; i <= w->point_count; i++) {
        const sc__sumo_point at =
            i < w->point_count ? *point_of(net, w, i, false) : net->junctions[w->to].at;
        sum += hypot(at.x - last.x, at.y - last.y);
        last = at;
    }
    return sum;
}

// Add what is inside of the junctions to the length of a way.
static sc_err lengthen(const sc__sumo *net, sc__sumo_way *w)
{
    if (net->has_inside && w->lane_m > 0) w->length_m += fmax(drawn_length(net, w) - w->lane_m, 0);
    if (w->length_m <= SC_ROAD_MAX) return SC_OK;
    return sc_fail(net->load->diag, SC_EPARSE, "%s:%lu: <edge> is too long for a road: %g m",
                   net->input->name, w->line, w->length_m);
}

// Finds the way back of each way. Ways of one key wait in a list, the last one first, until one
// comes that is their way back; all that wait go the same way.
static sc_err pair_ways(sc__sumo *net)
{
    sc_hash lists = {0};
    uint32_t *first = sc_calloc(net->way_count + 1, sizeof *first);  // of each list
    uint32_t *next = sc_calloc(net->way_count + 1, sizeof *next);
    sc_err err = first && next ? SC_OK : SC_ENOMEM;
    uint32_t list_count = 0;
    for (uint32_t i = 0; i < net->way_count && !err; i++) {
        uint32_t list = 0;
        err = sc_hash_put(&lists, key_of(net, &net->ways[i]), list_count, &list);
        if (err) break;
        if (list == list_count) first[list_count++] = SC_NONE;
        const uint32_t waiting = first[list];
        if (waiting != SC_NONE && is_way_back(net, &net->ways[waiting], &net->ways[i])) {
            net->ways[waiting].other = i;
            net->ways[i].is_second = true;
            first[list] = next[waiting];
        } else {
            next[i] = waiting;
            first[list] = i;
        }
    }
    sc_hash_fini(&lists);
    sc_free(first);
    sc_free(next);
    return err ? sc__sumo_fail_memory(net) : SC_OK;
}

// --- Nodes and edges ------------------------------------------------------------------

static sc_err add_node(sc__sumo *net, const sc__sumo_way *w, sc__sumo_point at, sc_node_id *out)
{
    double x = at.x;
    double y = at.y;
    bool is_valid = true;
    if (net->utm_zone != 0) {
        is_valid = sc__utm_to_degrees(net->utm_zone, x - net->offset.x, y - net->offset.y, &x, &y);
    }
    if (!is_valid || !sc_geo_valid(net->coords, x, y)) {
        return sc_fail(net->load->diag, SC_EPARSE, "%s:%lu: <edge> has a point %s: %.15g,%.15g",
                       net->input->name, w->line,
                       net->utm_zone != 0 ? "outside the UTM zone" : "outside the allowed range",
                       at.x, at.y);
    }
    const sc_err err = sc_builder_add_node(net->builder, x, y, out);
    if (err == SC_ENOMEM) return sc__sumo_fail_memory(net);
    if (err) {
        return sc_fail(net->load->diag, err, "%s:%lu: too many nodes for one map; split the data",
                       net->input->name, w->line);
    }
    return SC_OK;
}

static sc_err junction_node(sc__sumo *net, const sc__sumo_way *w, uint32_t index, sc_node_id *out)
{
    sc__sumo_junction *j = &net->junctions[index];
    if (j->node == SC_NONE) {
        const sc_err err = add_node(net, w, j->at, &j->node);
        if (err) return err;
    }
    *out = j->node;
    return SC_OK;
}

// A piece of a way that is drawn straight: its share of the whole.
static sc_err add_piece(sc__sumo *net, const sc__sumo_way *w, sc_node_id from, sc_node_id to,
                        double share)
{
    const sc__sumo_way *back = w->other != SC_NONE ? &net->ways[w->other] : NULL;
    const double length_m = back ? (w->length_m + back->length_m) / 2 : w->length_m;
    const double forward_s = w->length_m / w->speed_m_s;
    // One walks both ways, on whichever side.
    const sc_import_profile profile = net->load->options->profile;
    const bool is_one_way = !back && profile != SC_IMPORT_FOOT && profile != SC_IMPORT_ANY;
    const double backward_s = back ? back->length_m / back->speed_m_s : forward_s;
    const size_t name = w->name != 0 || !back ? w->name : back->name;
    sc_edge_id edge = 0;
    sc_err err = sc_builder_add_edge(net->builder, from, to, length_m * share,
                                     (sc_road_class)w->road_class, &edge);
    if (!err) {
        err = sc_builder_set_edge_times(net->builder, edge, forward_s * share,
                                        is_one_way ? SC_CLOSED_S : backward_s * share);
    }
    if (!err && name != 0) {
        err = sc_builder_set_edge_name(net->builder, edge, net->texts + name,
                                       strlen(net->texts + name));
    }
    if (err == SC_ENOMEM) return sc__sumo_fail_memory(net);
    if (err) {
        return sc_fail(net->load->diag, err, "%s:%lu: too many roads for one map; split the data",
                       net->input->name, w->line);
    }
    return SC_OK;
}

static sc_err add_road(sc__sumo *net, const sc__sumo_way *w)
{
    sc_node_id last_node = 0;
    sc_node_id end_node = 0;
    sc_err err = junction_node(net, w, w->from, &last_node);
    if (!err) err = junction_node(net, w, w->to, &end_node);
    const double drawn = drawn_length(net, w);
    sc__sumo_point last = net->junctions[w->from].at;
    for (uint32_t i = 0; i <= w->point_count && !err; i++) {
        const bool is_end = i == w->point_count;
        const sc__sumo_point at = is_end ? net->junctions[w->to].at : *point_of(net, w, i, false);
        const double step = hypot(at.x - last.x, at.y - last.y);
        if (step == 0 && !is_end) continue;  // the same point again
        const double share = drawn > 0 ? step / drawn : 1.0;
        sc_node_id node = end_node;
        if (!is_end) err = add_node(net, w, at, &node);
        if (!err) err = add_piece(net, w, last_node, node, share);
        last = at;
        last_node = node;
    }
    return err;
}

sc_err sc__sumo_add_roads(sc__sumo *net)
{
    sc_err err = SC_OK;
    for (size_t i = 0; i < net->way_count && !err; i++) {
        err = trim_shape(net, &net->ways[i]);
        if (!err) err = lengthen(net, &net->ways[i]);
    }
    if (!err) err = pair_ways(net);
    for (size_t i = 0; i < net->way_count && !err; i++) {
        if (!net->ways[i].is_second) err = add_road(net, &net->ways[i]);
    }
    return err;
}
