/*
 * The report of a run: a table within 80 columns, or JSON. Reasons that did not occur are in the
 * JSON too, with 0. What was not admitted goes to standard error.
 */
#include "run_report.h"

#include <inttypes.h>

#include "format.h"
#include "inputs.h"
#include "record/zone_table.h"
#include "table.h"

static const sc_entry meanings[] = {
    {"expired", "Too few other users were near in time."},
    {"infeasible",
     "The segments asked for exceed all roads in reach, so more users would not help."},
    {"exposed",
     "There are as many roads in reach as were asked for, but not as the demands ask: by "
     "traffic, classes, zones or what can have been reached since the last cloak."},
    {"rare-request", "Asked for before by the same user, and by too few others. Services can drop "
                     "such queries; here it does not occur."},
    {"with a recent cloak",
     "Queries whose user got a cloak no longer ago than --tau: they count roads by what can have "
     "been reached since."},
    {"wait", "From the question to its cloak. Means and maxima are exact; medians and percentiles "
             "are within 0.05 %."},
    {"users", "Different travellers in a cloak; two queries of one count once."},
    {"border nodes", "Nodes of a cloak with a road that is not in the cloak; the provider answers "
                     "for each of them as for a position."},
    {"checks", "Combinations of queries that the searches looked at; with sampling and expansion, "
               "sets of segments; with patient, of stars that members share."},
    {"cap hit",
     "Searches that found more combinations than --cap lets them keep; with sampling "
     "and expansion, new queries for which more waiting queries could have been tried; with "
     "patient, ends of roads from which the search met --cap dead ends."},
    {"queries per CPU second",
     "Of all threads together. Counted from admission: with ids, and with snapping if a stream has "
     "positions, but without reading or writing JSON and without moving travellers."},
    {NULL, NULL},
};

const sc_topic sc_run_topics[] = {{"Meanings", meanings}, {NULL, NULL}};

/** Zones of users that the run was given. */
static size_t zone_count(const sc_run_view *view)
{
    size_t count = 0;
    if (view->options->zones) (void)sc_zone_table_zones(view->options->zones, &count);
    return count;
}

/** The tables of places, if there are any: a line for the classes, and one for zones. */
static void put_text_places(FILE *stream, const sc_run_view *view)
{
    const sc_place_classes *classes = view->options->engine.demands.classes;
    char number[SC_FORMAT_SIZE];
    char of[SC_FORMAT_SIZE];
    if (classes) {
        const uint32_t count = sc_place_classes_count(classes);
        fprintf(stream, "  %" PRIu32 " %s of places on %s of %s segments:", count,
                count == 1 ? "class" : "classes",
                sc_format_count(number, sc_input_marked_segments(classes, UINT32_MAX)),
                sc_format_count(of, sc_place_classes_segment_count(classes)));
        for (uint32_t i = 0; i < count; i++) {
            fputs(i > 0 ? ", " : " ", stream);
            sc_print_text(stream, sc_place_classes_name(classes, i));
        }
        fputc('\n', stream);
    }
    if (view->options->zones) {
        const size_t count = zone_count(view);
        fprintf(stream, "  %s %s of users\n", sc_format_count(number, count),
                count == 1 ? "zone" : "zones");
    }
}

static void put_text_head(FILE *stream, const sc_run_view *view)
{
    const sc_engine_options *engine = &view->options->engine;
    char number[SC_FORMAT_SIZE];
    if (view->stream) {
        sc_print_text(stream, view->stream);
        fputs(" on ", stream);
    } else {
        fprintf(stream, "%s travellers for %g s on ", sc_format_count(number, view->users),
                view->seconds);
    }
    sc_print_text(stream, view->map);
    fprintf(stream, "\n  %s", sc_variant_name(engine->variant));
    if (engine->is_strict || engine->demands.is_strict) fputs(", strict", stream);
    if (engine->demands.traffic > 0) fprintf(stream, ", traffic %" PRIu32, engine->demands.traffic);
    if (view->options->has_continuity) {
        fprintf(stream, ", vmax %g m/s, tau %g s", view->options->continuity.vmax_m_s,
                (double)view->options->continuity.tau_us * 1e-6);
    }
    if (engine->variant == SC_VARIANT_BOUNDED || engine->variant == SC_VARIANT_HYBRID) {
        fprintf(stream, ", lambda %" PRIu32, engine->compactness);
    }
    if (engine->variant == SC_VARIANT_HYBRID || engine->variant == SC_VARIANT_PATIENT) {
        fprintf(stream, ", alpha %g s", (double)engine->consideration_us * 1e-6);
    }
    if (engine->variant == SC_VARIANT_PATIENT) fprintf(stream, ", crowd %" PRIu32, engine->crowd);
    if (engine->k_spread > 0) fprintf(stream, ", k spread %" PRIu32, engine->k_spread);
    if (engine->variant != SC_VARIANT_XSTAR) {
        fprintf(stream, ", cap %s", sc_format_count(number, engine->max_combinations));
    }
    if (view->options->is_secure) {
        fputs(", secure", stream);
    } else {
        fprintf(stream, ", seed %" PRIu64, view->options->seed);
    }
    fprintf(stream, "%s\n", engine->is_paranoid ? ", paranoid" : "");
    put_text_places(stream, view);
}

/** Classes by name, with their segments; and how many zones there are. */
static void put_json_places(sc_report *table, const sc_run_view *view)
{
    const sc_place_classes *classes = view->options->engine.demands.classes;
    if (sc_report_member(table)) {
        sc_json_open_array(&table->json, "classes");
        for (uint32_t i = 0; classes && i < sc_place_classes_count(classes); i++) {
            sc_json_open_object(&table->json, NULL);
            sc_json_put_string(&table->json, "name", sc_place_classes_name(classes, i));
            sc_json_put_count(&table->json, "segments",
                              sc_input_marked_segments(classes, UINT32_C(1) << i));
            sc_json_close_object(&table->json);
        }
        sc_json_close_array(&table->json);
    }
    sc_report_count(table, NULL, "zones", zone_count(view), "");
}

static void put_json_head(sc_report *table, const sc_run_view *view)
{
    const sc_engine_options *engine = &view->options->engine;
    const sc_cost_model *cost = &engine->cost;
    sc_report_string(table, "map", view->map);
    if (view->stream) {
        sc_report_string(table, "stream", view->stream);
    } else {
        sc_report_count(table, NULL, "users", view->users, "");
        sc_report_number(table, NULL, "seconds", view->seconds, 0, "");
        // A map without objects, or a run without a record, has no answers.
        if (view->has_answers) sc_report_count(table, NULL, "answers", view->answers, "");
        if (!view->has_answers) sc_report_null(table, "answers");
    }
    sc_report_open(table, "engine");
    sc_report_string(table, "name", sc_variant_name(engine->variant));
    sc_report_count(table, NULL, "lambda", engine->compactness, "");
    sc_report_flag(table, "strict", engine->is_strict || engine->demands.is_strict);
    sc_report_count(table, NULL, "traffic", engine->demands.traffic, "");
    if (view->options->has_continuity) {
        sc_report_open(table, "continuity");
        sc_report_number(table, NULL, "vmax_m_s", view->options->continuity.vmax_m_s, 0, "");
        sc_report_number(table, NULL, "tau_s", (double)view->options->continuity.tau_us * 1e-6, 0,
                         "");
        sc_report_close(table);
    } else {
        sc_report_null(table, "continuity");
    }
    put_json_places(table, view);
    sc_report_number(table, NULL, "alpha_s", (double)engine->consideration_us * 1e-6, 0, "");
    sc_report_count(table, NULL, "crowd", engine->crowd, "");
    sc_report_count(table, NULL, "k_spread", engine->k_spread, "");
    sc_report_count(table, NULL, "cap", engine->max_combinations, "");
    sc_report_flag(table, "paranoid", engine->is_paranoid);
    sc_report_count(table, NULL, "prune_threads", view->options->prune_threads, "");
    sc_report_close(table);
    sc_report_open(table, "cost");
    sc_report_number(table, NULL, "segment", cost->segment, 0, "");
    sc_report_number(table, NULL, "border_node", cost->border_node, 0, "");
    sc_report_number(table, NULL, "object", cost->object, 0, "");
    sc_report_number(table, NULL, "balance", cost->balance, 0, "");
    sc_report_close(table);
    if (view->options->is_secure) sc_report_null(table, "seed");
    if (!view->options->is_secure) sc_report_count(table, NULL, "seed", view->options->seed, "");
    sc_report_flag(table, "secure", view->options->is_secure);
}

static void put_queries(sc_report *table, const sc_run_view *view)
{
    const sc_run_report *report = view->report;
    sc_report_title(table, "Queries");
    sc_report_count(table, "admitted", "queries", report->queries, "");
    sc_report_share(table, view->options->has_continuity ? "with a recent cloak" : NULL,
                    "with_recent_cloak", report->continuity.linked, report->queries, "");
    sc_report_share(table, "cloaked", "cloaked", report->cloaked, report->queries, "");
    sc_report_number(table, NULL, "success_rate", sc_run_success_rate(report), 0, "");
    sc_report_open(table, "drops");
    for (unsigned i = 0; i < SC_DROP_REASON_COUNT; i++) {
        char label[32];
        const char *reason = sc_drop_reason_name((sc_drop_reason)i);
        snprintf(label, sizeof(label), "dropped: %s", reason);
        sc_report_share(table, label, reason, report->engine.dropped[i], report->queries, "");
    }
    sc_report_close(table);
}

/** Reasons that admission has; what shares a word is counted together. */
static void put_refusals(sc_report *table, const sc_run_report *report)
{
    static const sc_err reasons[] = {SC_EPROFILE, SC_ETIME,     SC_EDUPLICATE, SC_EUNKNOWN,
                                     SC_ETOOFAR,  SC_ENOCOORDS, SC_EINVAL};
    const uint64_t refused = sc_run_refused_count(report);
    if (refused > 0) sc_report_count(table, "not admitted", NULL, refused, "");
    sc_report_open(table, "refused");
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        sc_report_count(table, NULL, sc_refusal_name(reasons[i]), report->refused[reasons[i]], "");
    }
    sc_report_close(table);
}

static void put_cloaks(sc_report *table, const sc_run_report *report)
{
    const struct {
        const char *label;
        const char *name;
        const sc_summary *summary;
    } rows[] = {
        {"users", "users", &report->users},
        {"segments", "segments", &report->segments},
        {"border nodes", "border_nodes", &report->border_nodes},
        {report->stars.max > 0 ? "stars" : NULL, "stars", &report->stars},
    };
    sc_report_heading(table, "Wait, s", sc_summary_columns);
    sc_report_summary(table, "of cloaked queries", "wait_s", &report->wait_s, 3);
    sc_report_heading(table, "Cloaks", sc_summary_columns);
    sc_report_open(table, "cloak");
    sc_report_count(table, NULL, "count", report->cloaks, "");
    sc_report_count(table, NULL, "refused", report->engine.refused, "");
    sc_report_count(table, NULL, "broken", report->engine.broken, "");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        sc_report_break_line(table, "    ");
        sc_report_summary(table, rows[i].label, rows[i].name, rows[i].summary, 0);
    }
    if (table->is_json) sc_json_put_text(&table->json, "\n  ");
    sc_report_close(table);
    sc_report_count(table, "cloaks", NULL, report->cloaks, "");
    if (report->engine.refused > 0) {
        sc_report_count(table, "cloaks refused", NULL, report->engine.refused, "");
    }
}

static void put_search(sc_report *table, const sc_run_report *report,
                       const sc_engine_options *engine)
{
    const sc_variant variant = engine->variant;
    const bool is_by_query = variant == SC_VARIANT_SAMPLING || variant == SC_VARIANT_EXPANSION;
    // Patient searches from both ends of a road, and either may meet the cap.
    const bool is_by_end = variant == SC_VARIANT_PATIENT;
    sc_report_title(table, "Search");
    sc_report_open(table, "search");
    sc_report_count(table, "searches", "searches", report->engine.searches, "");
    sc_report_count(table, NULL, "checks", report->engine.checks, "");
    sc_report_number(table, "checks per query", "checks_per_query", sc_run_checks_per_query(report),
                     1, "");
    sc_report_share(table, variant == SC_VARIANT_XSTAR ? NULL : "cap hit", "cap_hits",
                    report->engine.cap_hits,
                    is_by_query ? report->queries : report->engine.searches * (is_by_end ? 2 : 1),
                    is_by_query ? " of queries"
                    : is_by_end ? " of ends, two per search"
                                : " of searches");
    if (engine->demands.is_strict) {
        sc_report_count(table, "settled", "settled", report->engine.settled, "");
        sc_report_share(table, "not settled", "settle_failures", report->engine.settle_failures,
                        report->engine.settled, " of settled");
        sc_report_share(table, "ends taken back", "ends_taken_back", report->engine.ends_taken_back,
                        report->cloaks, " of cloaks");
    }
    sc_report_close(table);
}

static void put_time(sc_report *table, const sc_run_report *report)
{
    const double all = sc_run_queries_per_cpu_s(report);
    const double engine = sc_run_engine_queries_per_cpu_s(report);
    sc_report_title(table, "Time");
    sc_report_seconds(table, "virtual", NULL, report->virtual_s, "");
    sc_report_number(table, NULL, "queries_per_cpu_s", all, 0, "");
    sc_report_number(table, NULL, "engine_queries_per_cpu_s", engine, 0, "");
    sc_report_seconds(table, "CPU, admission", "admission_cpu_s", report->admission_cpu_s, "");
    sc_report_seconds(table, "CPU, engine", "engine_cpu_s", report->engine_cpu_s, "");
    sc_report_seconds(table, NULL, "virtual_s", report->virtual_s, "");
    sc_report_number(table, "queries per CPU second", NULL, all, 0, "from admission on");
    sc_report_number(table, "", NULL, engine, 0, "engine alone");
}

static void print(FILE *stream, bool is_json, const sc_run_view *view)
{
    if (!is_json) put_text_head(stream, view);
    sc_report table = sc_report_begin(stream, is_json, 24);
    put_json_head(&table, view);
    put_queries(&table, view);
    put_refusals(&table, view->report);
    put_cloaks(&table, view->report);
    put_search(&table, view->report, &view->options->engine);
    put_time(&table, view->report);
    sc_report_end(&table);
}

static void tell_refusals(const sc_call *call, const sc_run_view *view)
{
    const sc_run_report *report = view->report;
    const uint64_t refused = sc_run_refused_count(report);
    if (refused == 0) return;
    for (size_t i = 0; i < report->shown_count; i++) {
        const sc_refusal *shown = &report->shown[i];
        if (shown->line > 0 && view->stream) {
            sc_call_note(call, "%.700s:%" PRIu64 ": %s", view->stream, shown->line, shown->text);
        } else {
            sc_call_note(call, "%s", shown->text);
        }
    }
    char reasons[512] = "";
    size_t used = 0;
    char number[SC_FORMAT_SIZE];
    for (unsigned i = 0; i < SC_REFUSAL_COUNT; i++) {
        if (report->refused[i] == 0 || used >= sizeof(reasons)) continue;
        used += (size_t)snprintf(reasons + used, sizeof(reasons) - used, ", %s %s",
                                 sc_refusal_name((sc_err)i),
                                 sc_format_count(number, report->refused[i]));
    }
    sc_call_note(call, "not admitted: %s%s", sc_format_count(number, refused), reasons);
}

/** A report of zeros is right, but may not be what was expected. */
static void tell_silence(const sc_call *call, const sc_run_view *view)
{
    if (view->report->queries > 0 || sc_run_refused_count(view->report) > 0) return;
    if (view->stream) {
        sc_call_note(call, "note: there is no query in %.700s", view->stream);
    } else {
        sc_call_note(call, "note: there was no query within %g s", view->seconds);
    }
}

void sc_run_print(const sc_call *call, const sc_run_view *view, const sc_engine_settings *settings)
{
    const char *record = settings->run.record;
    FILE *stream = sc_report_stream(record ? record : "");
    tell_refusals(call, view);
    if (!settings->is_quiet) tell_silence(call, view);
    if (settings->is_json || !settings->is_quiet) print(stream, settings->is_json, view);
}
