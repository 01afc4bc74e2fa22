// What was run: maps, methods, travellers, figures.
#include "lab/axes.h"
#include "lab/report_internal.h"

#include <inttypes.h>

/** How many travellers there were on a map: not the same with every seed where they are recorded.
 */
typedef struct crowd {
    uint32_t least;
    uint32_t most;
} crowd;

static crowd crowd_of(const sc_lab_results *results, uint32_t map)
{
    crowd found = {.least = UINT32_MAX, .most = 0};
    for (size_t i = 0; i < results->count; i++) {
        const sc_lab_result *result = &results->all[i];
        if (result->point.map != map) continue;
        if (result->travellers < found.least) found.least = result->travellers;
        if (result->travellers > found.most) found.most = result->travellers;
    }
    return found;
}

// How many, how many they were to be, and how many for each star.
static void put_crowd(FILE *page, const sc_lab_results *results, uint32_t map)
{
    const sc_lab_options *options = results->options;
    const uint32_t stars = sc_map_star_count(options->maps[map].map);
    const crowd found = crowd_of(results, map);
    if (found.least > found.most) {
        fputs("<td class=\"n\">–</td><td class=\"n\">–</td>", page);
        return;
    }
    fprintf(page, "<td class=\"n\">%u", found.least);
    if (found.most > found.least) fprintf(page, " to %u", found.most);
    if (found.least < options->travellers) {
        fprintf(page, " <span class=\"u\">%u asked for</span>", options->travellers);
    }
    const double per_star = stars > 0 ? 1 / (double)stars : 0;
    fprintf(page, "</td><td class=\"n\">%.3g", found.least * per_star);
    if (found.most > found.least) fprintf(page, " to %.3g", found.most * per_star);
    fputs("</td>", page);
}

static void put_movement(FILE *page, const sc_lab_options *options, const sc_lab_map *map)
{
    if (!map->traces && options->is_walk) {
        fputs("turns at random at every intersection", page);
        return;
    }
    if (!map->traces) {
        fprintf(page, "trips by the fastest way, %g %% of them by truck",
                100 * options->truck_share);
        return;
    }
    const sc_traces_summary traces = sc_traces_summary_of(map->traces);
    fprintf(page, "recorded: %zu track%s, %zu fixes", traces.track_count,
            sc__plural(traces.track_count), traces.fix_count);
    if (map->follow.fold_s > 0) fprintf(page, ", in windows of %g s", map->follow.fold_s);
}

static void put_map(FILE *page, const sc_lab_results *results, uint32_t i)
{
    const sc_lab_options *options = results->options;
    const sc_lab_map *map = &options->maps[i];
    const uint32_t objects = sc_map_object_count(map->map);
    fputs("<tr><th scope=\"row\">", page);
    sc__html_text(page, map->name);
    fprintf(page,
            "</th><td class=\"n\">%u</td><td class=\"n\">%u</td><td class=\"n\">%u</td>"
            "<td class=\"n\">%u</td>",
            sc_map_node_count(map->map), sc_map_edge_count(map->map),
            sc_map_segment_count(map->map), sc_map_star_count(map->map));
    if (objects > 0) {
        fprintf(page, "<td class=\"n\">%u</td>", objects);
    } else {
        fputs("<td class=\"n\">none</td>", page);
    }
    put_crowd(page, results, i);
    fputs("<td>", page);
    put_movement(page, options, map);
    fprintf(page, "</td><td><code>%016" PRIx64 "</code></td></tr>\n", sc_map_checksum(map->map));
}

static void put_maps(FILE *page, const sc_lab_results *results)
{
    fputs("<div class=\"wide\"><table><caption>Maps</caption>\n<thead><tr>"
          "<th scope=\"col\">Map</th><th scope=\"col\" class=\"n\">Nodes</th>"
          "<th scope=\"col\" class=\"n\">Edges</th><th scope=\"col\" class=\"n\">Segments</th>"
          "<th scope=\"col\" class=\"n\">Stars</th><th scope=\"col\" class=\"n\">Objects</th>"
          "<th scope=\"col\" class=\"n\">Travellers</th>"
          "<th scope=\"col\" class=\"n\">Travellers per star</th><th scope=\"col\">Movement</th>"
          "<th scope=\"col\">Checksum</th></tr></thead>\n<tbody>\n",
          page);
    for (uint32_t i = 0; i < results->options->map_count; i++) {
        put_map(page, results, i);
    }
    fputs("</tbody></table></div>\n", page);
}

// One line on each, in the order of SC_LAB_METHOD_MAP.
static const char *const about_methods[SC_LAB_METHOD_COUNT] = {
    [SC_LAB_BASIC] = "basic StarCloak: the first company that suffices, as soon as there is one",
    [SC_LAB_HYBRID] = "bounded while there is time, basic when a deadline is near",
    [SC_LAB_BOUNDED] = "spatially bounded: company is searched for level by level, without a gap",
    [SC_LAB_STRICT] = "bounded, and every member near another",
    [SC_LAB_XSTAR] = "XStar, reconstructed from its publication: whole stars, growing together",
    [SC_LAB_SAMPLING] = "baseline: segments around the query, drawn at random",
    [SC_LAB_EXPANSION] = "baseline: segments around the query, the nearest first",
};

static void put_methods(FILE *page, const sc_lab_options *options)
{
    fputs("<div class=\"wide\"><table><caption>Methods</caption>\n<tbody>\n", page);
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        if (!sc__has_method(options, method)) continue;
        fputs("<tr><th scope=\"row\">", page);
        sc__report_put_method(page, method);
        fprintf(page, "</th><td><code>%s</code></td><td>%s</td></tr>\n", sc_lab_method_name(method),
                about_methods[method]);
    }
    fputs("</tbody></table></div>\n", page);
}

static void put_spread(FILE *page, const sc_normal *spread, const char *unit)
{
    fprintf(page,
            "<td class=\"n\">%g</td><td class=\"n\">%g</td><td class=\"n\">%g to %g</td>"
            "<td>%s</td>",
            spread->mean, spread->deviation, spread->min, spread->max, unit);
}

static void put_axis(FILE *page, const sc_lab_options *options, sc_lab_axis axis)
{
    static const char *const meanings[] = {
        [SC_LAB_AXIS_K] = "users in a cloak, at least",
        [SC_LAB_AXIS_L] = "segments in a cloak, at least",
        [SC_LAB_AXIS_SIGMA_S] = "how far a cloak may reach",
        [SC_LAB_AXIS_SIGMA_T] = "how late it may come",
        [SC_LAB_AXIS_NEAREST] = "objects asked for",
    };
    unsigned asked = 0;
    for (sc_lab_metric metric = 0; metric < SC_LAB_METRIC_COUNT; metric++) {
        asked |= options->figures[metric];
    }
    fputs("<tr><th scope=\"row\">", page);
    sc__report_put_symbol(page, axis);
    fprintf(page, ", %s</th>", meanings[axis]);
    put_spread(page, sc__axis_spread(&options->workload, axis), sc__axis_unit(axis));
    fputs("<td>", page);
    const sc_lab_grid *grid = &options->grids[axis];
    const bool is_varied = (asked >> axis & 1U) != 0;
    for (size_t i = 0; i < grid->count && is_varied; i++) {
        fprintf(page, "%s%g", i > 0 ? ", " : "", grid->values[i]);
    }
    fputs(is_varied ? "</td></tr>\n" : "not varied</td></tr>\n", page);
}

static void put_parameters(FILE *page, const sc_lab_options *options)
{
    fputs("<div class=\"wide\"><table><caption>What travellers want: drawn anew for each query "
          "from normal distributions, counts rounded, what falls outside put on the nearest "
          "end</caption>\n<thead><tr><th scope=\"col\">Need</th>"
          "<th scope=\"col\" class=\"n\">Mean</th><th scope=\"col\" class=\"n\">Deviation</th>"
          "<th scope=\"col\" class=\"n\">Within</th><th scope=\"col\">Unit</th>"
          "<th scope=\"col\">Means in the figures</th></tr></thead>\n<tbody>\n",
          page);
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
        if (sc_lab_is_of_workload(axis)) put_axis(page, options, axis);
    }
    fputs("<tr><th scope=\"row\">Pause from an outcome to the next query</th>", page);
    put_spread(page, &options->workload.pause_s, "s");
    fputs("<td>not varied</td></tr>\n</tbody></table></div>\n", page);
}

static void put_course(FILE *page, const sc_lab_options *options)
{
    const uint64_t last = options->first_seed + options->seed_count - 1;
    fprintf(page,
            "<ul>\n<li>%u traveller%s asked for on each map; how many there were is in the table. "
            "Counted are the %g s after a warm-up of %g s, in virtual time.</li>\n",
            options->travellers, options->travellers == 1 ? " was" : "s were", options->counted_s,
            options->warm_up_s);
    fputs(options->is_closed
              ? "<li>Closed loop: each method serves travellers of its own, who ask again a pause "
                "after each outcome.</li>\n"
              : "<li>One stream for all: the queries of travellers whom basic StarCloak serves are "
                "recorded, and every method gets that very stream.</li>\n",
          page);
    fprintf(page,
            "<li>At each point every method sends the same number of cloaks to the provider, %u at "
            "most, which %s.</li>\n",
            options->max_cloaks,
            options->is_indexed ? "answers from its index"
                                : "searches the roads from their border nodes");
    if (options->seed_count > 1) {
        fprintf(page,
                "<li>Seeds %" PRIu64 " to %" PRIu64
                ". Numbers are means over them, ± half of the 95 %% interval (Student’s t).</li>\n",
                options->first_seed, last);
    } else {
        fprintf(page, "<li>One seed, %" PRIu64 ": there are no intervals.</li>\n",
                options->first_seed);
    }
    fputs("<li>Throughput, CPU and query processing times are measured. All else follows from the "
          "seeds and is the same on every machine.</li>\n</ul>\n",
          page);
}

void sc__report_put_setup(FILE *page, const sc_lab_findings *findings)
{
    const sc_lab_options *options = findings->results->options;
    fputs("<section aria-labelledby=\"setup\">\n<h2 id=\"setup\">What was run</h2>\n", page);
    put_course(page, options);
    put_maps(page, findings->results);
    put_methods(page, options);
    put_parameters(page, options);
    sc__report_put_machine(page);
    fputs("</section>\n", page);
}
