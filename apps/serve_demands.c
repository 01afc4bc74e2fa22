// The tables of a service's demands.
#include "serve_demands.h"

#include "cluster/demand_digest.h"
#include "inputs.h"

#include <stdio.h>
#include <string.h>

/** A table of classes that marks more than this share of the roads leaves cloaks little to count.
 */
static const double large_share = 0.2;

sc_err sc_served_demands_open(const sc_settings *settings, const sc_map *map,
                              sc_served_demands *out, sc_diag *diag)
{
    sc_err err = SC_OK;
    if (*settings->density) {
        err = sc_density_read(map, settings->density, &out->density, diag);
        if (err) return sc_input_explain(err, settings->density, SC_INPUT_DENSITY, diag);
    }
    if (*settings->classes) {
        err = sc_place_classes_read(map, settings->classes, &out->classes, diag);
        if (err) return err;
    }
    out->asked = sc_settings_demands(settings);
    out->asked.density = out->density;
    out->asked.classes = out->classes;
    return SC_OK;
}

void sc_served_demands_close(sc_served_demands *demands)
{
    sc_density_free(demands->density);
    sc_place_classes_free(demands->classes);
    *demands = (sc_served_demands){0};
}

// --- The log ------------------------------------------------------------------------------------

/** Room for the names of classes in a line; a list that is longer ends in three dots. */
enum { NAMES_SIZE = 256 };

static void list_classes(const sc_place_classes *classes, char out[NAMES_SIZE])
{
    static const char more[] = "...";
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < sc_place_classes_count(classes); i++) {
        const char *name = sc_place_classes_name(classes, i);
        const size_t room = NAMES_SIZE - used;
        const bool is_too_long = strlen(name) + sizeof more + 1 > room;
        used +=
            (size_t)snprintf(out + used, room, "%s%s", i > 0 ? "," : "", is_too_long ? more : name);
        if (is_too_long) return;
    }
}

static void log_asked(const sc_served_demands *demands, const sc_settings *settings, sc_log *log)
{
    const sc_demands *asked = &demands->asked;
    const bool has_zones = *settings->zone_key != '\0';
    sc_log_line line;
    if (asked->traffic == 0 && !asked->is_strict && !asked->classes && !settings->continuity &&
        !has_zones) {
        return;
    }
    if (!sc_log_begin(log, &line, SC_LOG_INFO, "demands")) return;
    char checksum[17];
    sc_log_count(&line, "traffic", asked->traffic);
    sc_log_text(&line, "strict", asked->is_strict ? "yes" : "no");
    if (asked->density) {
        (void)snprintf(checksum, sizeof checksum, "%016llx",
                       (unsigned long long)sc_density_checksum(asked->density));
        sc_log_text(&line, "density", checksum);
    }
    sc_log_count(&line, "classes", asked->classes ? sc_place_classes_count(asked->classes) : 0);
    if (asked->classes) {
        char names[NAMES_SIZE];
        list_classes(asked->classes, names);
        sc_log_text(&line, "class_names", names);
        sc_log_count(&line, "class_segments", sc_input_marked_segments(asked->classes, UINT32_MAX));
    }
    sc_log_text(&line, "continuity", settings->continuity ? "yes" : "no");
    sc_log_text(&line, "zones", has_zones ? "yes" : "no");
    sc_log_end(&line);
}

static void log_few_counts(const sc_served_demands *demands, sc_log *log)
{
    sc_log_line line;
    char words[SC_DENSITY_WARNING_SIZE];
    if (!demands->density || !sc_input_warns_of_density(demands->density, words)) return;
    if (!sc_log_begin(log, &line, SC_LOG_WARNING, "density_thin")) return;
    char mean[32];
    (void)snprintf(mean, sizeof mean, "%.2f", sc_density_mean_count(demands->density));
    sc_log_text(&line, "counts_per_road", mean);
    sc_log_text(&line, "message", words);
    sc_log_end(&line);
}

static void log_many_marked(const sc_served_demands *demands, sc_log *log)
{
    if (!demands->classes) return;
    const size_t count = sc_place_classes_segment_count(demands->classes);
    const size_t marked = sc_input_marked_segments(demands->classes, UINT32_MAX);
    sc_log_line line;
    if ((double)marked <= large_share * (double)count ||
        !sc_log_begin(log, &line, SC_LOG_WARNING, "classes_large")) {
        return;
    }
    sc_log_count(&line, "roads", marked);
    sc_log_count(&line, "of", count);
    sc_log_text(
        &line, "message",
        "more than a fifth of all roads are of a class and do not count for l: many queries "
        "will be dropped; mark fewer kinds of places");
    sc_log_end(&line);
}

void sc_served_demands_log(const sc_served_demands *demands, const sc_settings *settings,
                           sc_log *log)
{
    log_asked(demands, settings, log);
    log_few_counts(demands, log);
    log_many_marked(demands, log);
}

void sc_served_demands_compare(const sc_served_demands *demands, const sc_served_demands *now,
                               sc_log *log)
{
    // Of continuity the settings tell, which are compared elsewhere.
    const sc_continuity_digest none = {.is_asked = false};
    const sc_demand_digest then = sc_demand_digest_of(&demands->asked, &none);
    const sc_demand_digest next = sc_demand_digest_of(&now->asked, &none);
    const char *other = sc_demand_digest_difference(&then, &next);
    if (other) sc_log_message(log, SC_LOG_WARNING, "needs_restart", other);
}
