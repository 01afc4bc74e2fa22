// The provider on whole cloaks, beside one network expansion per border node on the same cloaks.
//
// usage: bench_lbs CLOAKS MAP.scm...
//
// Three ways in one run. "plain": one incremental network expansion per border node, over nodes and
// edges (support/ine.h). "stars": one expansion per border node over stars and segments, without
// the index. "ours": sc_lbs_evaluate(). All three name the objects on the segments by the same
// code, and fill the same kind of reply. Every distance of the provider's is compared with the
// plain one's, and lists that differ are counted.
#include "support/bench.h"
#include "support/cloaks.h"
#include "support/ine.h"

#include "lbs/lbs_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <starcloak/lbs.h>

typedef enum way { PLAIN, STARS, OURS, WAY_COUNT } way;

/** Everything one map is measured with. */
typedef struct stand {
    char name[64];
    const sc_map *map;
    cloaks cloaks;
    sc_objects *stock;
    sc_lbs *lbs;
    ine ine;
    sc_plain_search stars;
    sc_lbs_wanted_table room;
    sc_star_id *star_of_node;
} stand;

typedef struct figures {
    double us[WAY_COUNT];  ///< per cloak, or per node
    double looked_up;      ///< share of border nodes
    double objects;        ///< in a reply
    size_t wrong;
} figures;

static void die_if(bool is_bad, const char *why)
{
    if (is_bad) bench_die("bench_lbs", why);
}

// --- One node ------------------------------------------------------------------

/** The hits of an expansion, lent until the next. */
static const sc_lbs_hit *expand(stand *s, way how, const sc_lbs_wanted *wanted, sc_lbs_reach reach,
                                sc_node_id node, size_t *count)
{
    if (how == PLAIN) {
        ine_search(&s->ine, wanted, reach, node);
        *count = s->ine.hit_count;
        return s->ine.hits;
    }
    die_if(sc__plain_search_star(&s->stars, sc__objects_view(s->stock), wanted, NULL, reach,
                                 s->star_of_node[node]) != SC_OK,
           "out of memory");
    *count = s->stars.hit_count;
    return s->stars.hits;
}

// --- A whole cloak ---------------------------------------------------------------

static void evaluate_by_expansion(stand *s, way how, const sc_relay *relay, sc_reply *reply)
{
    const sc_objects_view *view = sc__objects_view(s->stock);
    const sc_lbs_reach reach = sc__lbs_reach_of(s->map, &relay->requests[0]);
    sc_lbs_wanted wanted;
    uint64_t count = 0;
    bool is_fine = !sc__lbs_wanted_by(&s->room, view, &relay->requests[0], &wanted) &&
                   sc__reply_begin(reply, 1, relay->border_node_count) &&
                   sc__lbs_add_on_segments(view, &wanted, relay, reply, &count);
    if (is_fine) sc__reply_end_runs(reply, 0);
    for (size_t b = 0; b < relay->border_node_count && is_fine; b++) {
        size_t hit_count = 0;
        const sc_lbs_hit *hits = expand(s, how, &wanted, reach, relay->border_nodes[b], &hit_count);
        for (size_t i = 0; i < hit_count && is_fine; i++) {
            const sc_lbs_cost cost = hits[i].way;
            is_fine = sc__reply_add_near(
                reply, sc__lbs_near(s->map, reach.metric, hits[i].object, cost.cost, cost.other));
        }
        sc__reply_end_nears(reply, 0, b);
    }
    die_if(!is_fine, "out of memory");
}

static void evaluate(stand *s, way how, size_t cloak, const sc_request *request, sc_reply *reply)
{
    sc_relay relay = s->cloaks.relays[cloak];
    relay.requests = request;
    relay.request_count = 1;
    if (how != OURS) {
        evaluate_by_expansion(s, how, &relay, reply);
        return;
    }
    sc_diag diag = {""};
    die_if(sc_lbs_evaluate(s->lbs, s->stock, &relay, reply, &diag) != SC_OK, diag.message);
}

/** Lists that differ in a distance or a duration. */
static size_t differences(const sc_reply *a, const sc_reply *b, sc_metric metric)
{
    size_t wrong = 0;
    for (size_t i = 0; i < a->border_node_count; i++) {
        const uint32_t count = a->near_start[i + 1] - a->near_start[i];
        bool is_same = b->near_start[i + 1] - b->near_start[i] == count;
        for (uint32_t j = 0; j < count && is_same; j++) {
            const sc_near *left = &a->nears[a->near_start[i] + j];
            const sc_near *right = &b->nears[b->near_start[i] + j];
            // Of equally far ones any may come first.
            is_same = fabs(sc_near_cost(left, metric) - sc_near_cost(right, metric)) < 1e-6 &&
                      (left->object != right->object ||
                       (fabs(left->distance_m - right->distance_m) < 1e-6 &&
                        fabs(left->duration_s - right->duration_s) < 1e-6));
        }
        wrong += !is_same;
    }
    return wrong;
}

/** How many cloaks a way manages in about a third of a second, all at most. */
static size_t affordable(stand *s, way how, const sc_request *request, sc_reply *reply)
{
    const double start = bench_cpu_s();
    size_t count = 0;
    while (count < s->cloaks.count && (count % 16 != 0 || bench_cpu_s() - start < 0.3)) {
        evaluate(s, how, count++, request, reply);
    }
    return count;
}

static figures compare(stand *s, const sc_request *request)
{
    enum { RUNS = 2, CHECKED = 1000 };
    figures f = {0};
    sc_reply ours;
    sc_reply plain;
    sc_reply_init(&ours);
    sc_reply_init(&plain);
    const sc_lbs_work before = sc_lbs_get_work(s->lbs);
    size_t count = 0;
    for (way how = OURS + 1; how-- > PLAIN;) {
        f.us[how] = HUGE_VAL;
        count = affordable(s, how, request, &ours);
        for (int run = 0; run < RUNS; run++) {
            const double start = bench_cpu_s();
            for (size_t i = 0; i < count; i++) {
                evaluate(s, how, i, request, &ours);
            }
            f.us[how] = fmin(f.us[how], 1e6 * (bench_cpu_s() - start) / (double)count);
        }
    }
    size_t checked = 0;
    for (size_t i = 0; i < count; i += 1 + count / CHECKED) {
        evaluate(s, PLAIN, i, request, &plain);
        evaluate(s, OURS, i, request, &ours);
        f.wrong += differences(&ours, &plain, request->metric);
        f.objects += (double)sc_reply_candidate_count(&ours, 0);
        checked++;
    }
    f.objects /= (double)checked;
    const sc_lbs_work after = sc_lbs_get_work(s->lbs);
    const double looked_up = (double)(after.looked_up - before.looked_up);
    f.looked_up = looked_up / (looked_up + (double)(after.searched - before.searched) + 1e-9);
    sc_reply_fini(&ours);
    sc_reply_fini(&plain);
    return f;
}

// --- One node, without a cloak around it -------------------------------------------

/** The first border node of each cloak by itself: its lists, beside its expansions. */
static figures compare_nodes(stand *s, const sc_request *request)
{
    enum { TIMES = 20 };
    const sc_objects_view *view = sc__objects_view(s->stock);
    const sc_lbs_reach reach = sc__lbs_reach_of(s->map, request);
    sc_index_lookup lists;
    sc__index_lookup_init(&lists, view, request, reach);
    sc_lbs_wanted wanted;
    die_if(sc__lbs_wanted_by(&s->room, view, request, &wanted) != SC_OK, "out of memory");
    figures f = {.objects = request->k};
    size_t most = s->cloaks.count;
    for (way how = PLAIN; how < OURS; how++) {
        size_t asked = 0;
        const double start = bench_cpu_s();
        for (size_t i = 0; i < most; i++) {
            if (s->cloaks.relays[i].border_node_count == 0) continue;
            size_t count = 0;
            expand(s, how, &wanted, reach, s->cloaks.relays[i].border_nodes[0], &count);
            asked++;
            if (asked % 16 == 0 && bench_cpu_s() - start > 0.3) most = i + 1;
        }
        f.us[how] = 1e6 * (bench_cpu_s() - start) / (double)asked;
    }
    sc_reply reply;
    sc_reply_init(&reply);
    size_t asked = 0;
    const double start = bench_cpu_s();
    for (int again = 0; again < TIMES; again++) {
        for (size_t i = 0; i < most; i++) {
            if (s->cloaks.relays[i].border_node_count == 0) continue;
            const sc_star_id star = s->star_of_node[s->cloaks.relays[i].border_nodes[0]];
            die_if(!sc__reply_begin(&reply, 1, 1), "out of memory");
            f.looked_up += sc__index_look_up(&lists, star, &reply) == SC_LOOKED_UP;
            sc__reply_end_nears(&reply, 0, 0);
            asked++;
        }
    }
    f.us[OURS] = 1e6 * (bench_cpu_s() - start) / (double)asked;
    f.looked_up /= (double)asked;
    sc_reply_fini(&reply);
    return f;
}

/** How far the fifth nearest is from half of the border nodes: a range with about five objects. */
static void set_usual_radius(stand *s, sc_request *range, const share *of)
{
    enum { SAMPLES = 301 };
    double far[SAMPLES];
    sc_request request = stock_request(s->stock, of, 5, 0);
    request.metric = range->metric;
    sc_lbs_wanted wanted;
    die_if(sc__lbs_wanted_by(&s->room, sc__objects_view(s->stock), &request, &wanted) != SC_OK,
           "out of memory");
    size_t n = 0;
    for (size_t i = 0; n < SAMPLES && i < s->cloaks.count; i++) {
        if (s->cloaks.relays[i].border_node_count == 0) continue;
        size_t count = 0;
        const sc_lbs_hit *hits = expand(s, STARS, &wanted, sc__lbs_reach_of(s->map, &request),
                                        s->cloaks.relays[i].border_nodes[0], &count);
        if (count < 5) continue;
        size_t at = n++;
        for (; at > 0 && far[at - 1] > hits[4].way.cost; at--) {
            far[at] = far[at - 1];
        }
        far[at] = hits[4].way.cost;
    }
    // To two digits, and no farther than a provider answers.
    const bool is_by_time = range->metric == SC_METRIC_TIME;
    const double unit = is_by_time ? sc_map_time_unit_s(s->map) : sc_map_unit_m(s->map);
    const double radius = n > 0 ? far[n / 2] * unit : 1000.0;
    const double digit = pow(10, floor(log10(radius)) - 1);
    const double rounded = round(radius / digit) * digit;
    range->radius_m = fmin(rounded, sc_request_limits_default().max_radius_m);
    range->radius_s = fmin(rounded, sc_request_limits_default().max_radius_s);
}

// --- A map -------------------------------------------------------------------------

static void print_row(const stand *s, const char *what, sc_metric metric, const char *of,
                      const figures *f)
{
    printf("%-18s %-14s %-8s %-5s %9.2f %9.2f %8.3f %8.1f %8.1f %7.0f %% %8.1f %6zu\n", s->name,
           what, sc_metric_name(metric), of, f->us[PLAIN], f->us[STARS], f->us[OURS],
           f->us[PLAIN] / f->us[OURS], f->us[STARS] / f->us[OURS], 100 * f->looked_up, f->objects,
           f->wrong);
}

static void build_index(stand *s)
{
    sc_index_options options = sc_index_options_default();
    options.max_bytes = (size_t)8 << 30;
    sc_diag diag = {""};
    const double start = bench_cpu_s();
    die_if(sc_objects_build_index(s->stock, &options, &diag) != SC_OK, diag.message);
    const double build_s = bench_cpu_s() - start;
    const sc_index_info info = sc_objects_index_info(s->stock);
    const double stars = sc_map_star_count(s->map);
    const double objects = sc_objects_table(s->stock)->count;
    printf(
        "%-18s %.0f nodes, %.0f stars, %.0f objects; %zu cloaks of %.1f segments and %.1f border "
        "nodes; index of %u lists: %.1f MB, %.0f B per object, %.2f s, %.2f us per star and "
        "list\n",
        s->name, (double)sc_map_node_count(s->map), stars, objects, s->cloaks.count,
        s->cloaks.segments, s->cloaks.border_nodes, info.list_count, (double)info.bytes / 1e6,
        (double)info.bytes / objects, build_s, 1e6 * build_s / info.list_count / stars);
}

static void measure_share(stand *s, const share *of, sc_metric metric)
{
    const char *unit = metric == SC_METRIC_TIME ? "s" : "m";
    sc_request request = stock_request(s->stock, of, 5, 0);
    request.metric = metric;
    figures f = compare(s, &request);
    print_row(s, "cloak, k = 5", metric, of->name, &f);
    f = compare_nodes(s, &request);
    print_row(s, "node, k = 5", metric, of->name, &f);
    request = stock_request(s->stock, of, 20, 0);
    request.metric = metric;
    f = compare(s, &request);
    print_row(s, "cloak, k = 20", metric, of->name, &f);
    request = stock_request(s->stock, of, 0, 1.0);
    request.metric = metric;
    set_usual_radius(s, &request, of);
    char within[32];
    snprintf(within, sizeof within, "cloak, %.0f %s",
             metric == SC_METRIC_TIME ? request.radius_s : request.radius_m, unit);
    f = compare(s, &request);
    print_row(s, within, metric, of->name, &f);
}

static void measure(const char *path, size_t cloak_count)
{
    sc_map *map = bench_open(path);
    stand s = {.map = map};
    snprintf(s.name, sizeof s.name, "%s", bench_name(path));
    // Where ten thousand travellers would find little company they are content without.
    s.cloaks = cloaks_new(map, cloak_count, sc_map_star_count(map) > 10000);
    s.stock = stock_new(map);
    build_index(&s);
    s.ine = ine_new(s.stock);
    s.star_of_node = malloc(sc_map_node_count(map) * sizeof *s.star_of_node);
    die_if(!s.star_of_node, "out of memory");
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        s.star_of_node[sc_map_stars(map)[i].node] = i;
    }
    const sc_lbs_options options = sc_lbs_options_default();
    sc_diag diag = {""};
    die_if(sc_lbs_new(map, &options, &s.lbs, &diag) != SC_OK, diag.message);

    for (size_t i = 0; shares[i].name; i++) {
        for (unsigned metric = 0; metric < SC_METRIC_COUNT; metric++) {
            measure_share(&s, &shares[i], (sc_metric)metric);
        }
    }
    sc_lbs_free(s.lbs);
    ine_free(&s.ine);
    sc__plain_search_fini(&s.stars);
    sc__lbs_wanted_fini(&s.room);
    free(s.star_of_node);
    sc_objects_release(s.stock);
    cloaks_free(&s.cloaks);
    sc_map_free(map);
}

int main(int argc, char **argv)
{
    if (argc < 3) bench_die("bench_lbs", "usage: bench_lbs CLOAKS MAP.scm...");
    printf("answers for whole cloaks, CPU time in us: one network expansion per border node, over "
           "nodes (plain) or stars, beside ours\n");
    printf("%-18s %-14s %-8s %-5s %9s %9s %8s %8s %8s %9s %8s %6s\n", "map", "", "by", "of",
           "plain", "stars", "ours", "p / o", "s / o", "looked up", "objects", "wrong");
    for (int i = 2; i < argc; i++) {
        measure(argv[i], strtoul(argv[1], NULL, 10));
    }
    return 0;
}
