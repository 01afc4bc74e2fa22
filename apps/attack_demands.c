// What the engine demanded, for an attack. See attack_demands.h.
#include "attack_demands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_by_stars(sc_variant variant)
{
    return variant == SC_VARIANT_PATIENT || sc_variant_is_switchable(variant);
}

static const sc_density *table_of(const sc_attack_given *given)
{
    return given->demanded ? given->demanded : given->density;
}

// --- Traffic --------------------------------------------------------------------------

/** What the record says of traffic, if nothing else was said; it takes the table. */
static sc_err take_traffic(const sc_call *call, const sc_attack_given *given,
                           sc_trial_options *trial, sc_diag *diag)
{
    const sc_case_demands *demands = given->demands;
    const sc_density *table = table_of(given);
    const bool has_replays = sc_trial_has_replays(trial->kind);
    if (trial->traffic > 0 || demands->traffic == 0) return SC_OK;
    if (has_replays && trial->adversary.engine.variant != SC_VARIANT_PATIENT) return SC_OK;
    if (table && sc_density_checksum(table) == demands->density_checksum) {
        trial->traffic = demands->traffic;
        return SC_OK;
    }
    if (has_replays) {
        return sc_explain(diag, SC_EINVAL,
                          "the engine demanded traffic by the table with the checksum %016" PRIx64
                          ", which was not given; name it by --engine-density, or say --traffic 1 "
                          "to replay without that demand",
                          demands->density_checksum);
    }
    sc_call_note(call,
                 "note: the engine demanded traffic by a table that was not given, so that is "
                 "not reckoned with (--engine-density FILE names it)");
    return SC_OK;
}

static sc_err demand_traffic(const sc_attack_given *given, sc_trial_options *trial, sc_diag *diag)
{
    sc_engine_options *engine = &trial->adversary.engine;
    if (trial->traffic < 2) return SC_OK;
    if (engine->variant != SC_VARIANT_PATIENT) {
        return sc_explain(diag, SC_EINVAL,
                          "--traffic is what the engine patient demands, but the method is %s",
                          sc_variant_name(engine->variant));
    }
    engine->demands.density = table_of(given);
    if (!engine->demands.density) {
        return sc_explain(diag, SC_EINVAL,
                          "--traffic needs the table of the engine; name it by --engine-density");
    }
    engine->demands.traffic = trial->traffic;
    return SC_OK;
}

// --- The others -----------------------------------------------------------------------

/** Tell of demands that another method than the record's does not keep. */
static void note_unkept(const sc_call *call, const sc_case_demands *demands, sc_variant variant)
{
    const bool is_patient = variant == SC_VARIANT_PATIENT;
    const struct {
        const char *name;
        bool is_unkept;
    } all[] = {{"traffic", demands->traffic > 0 && !is_patient},
               {"continuity", demands->has_continuity && !is_patient},
               {"classes", demands->classes && !is_by_stars(variant)},
               {"zones", demands->zones && !is_by_stars(variant)}};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (!all[i].is_unkept) continue;
        sc_call_note(call,
                     "note: the engine of the record demanded %s, and %s does not: its replays "
                     "are without",
                     all[i].name, sc_variant_name(variant));
    }
}

/** Replays, and a run with injected queries, demand what the engine did. */
static sc_err demand_all(const sc_call *call, const sc_attack_given *given, sc_trial_options *trial,
                         sc_diag *diag)
{
    const sc_case_demands *demands = given->demands;
    sc_engine_options *engine = &trial->adversary.engine;
    const bool is_patient = engine->variant == SC_VARIANT_PATIENT;
    const sc_err err = demand_traffic(given, trial, diag);
    if (err) return err;
    note_unkept(call, demands, engine->variant);
    const bool is_strict =
        demands->has_any && !given->has_engine ? demands->is_strict : trial->traffic > 1;
    if (is_patient) engine->demands.is_strict |= is_strict;
    engine->demands.classes = is_by_stars(engine->variant) ? demands->classes : NULL;
    trial->zones = is_by_stars(engine->variant) ? demands->zones : NULL;
    trial->has_continuity = is_patient && demands->has_continuity;
    return SC_OK;
}

sc_err sc_attack_settle_demands(const sc_call *call, const sc_attack_given *given,
                                sc_trial_options *trial, sc_diag *diag)
{
    const sc_case_demands *demands = given->demands;
    if (trial->knows_zones && !demands->zones) {
        return sc_explain(diag, SC_EINVAL,
                          "--known-zones: the record has no zones that could be known");
    }
    if (!sc_trial_has_replays(trial->kind) && !sc_trial_knows_rules(trial)) return SC_OK;
    const sc_err err = take_traffic(call, given, trial, diag);
    if (err) return err;
    trial->demanded = given->demanded;
    trial->counts_all = demands->has_any && !demands->is_strict;
    trial->zones = demands->zones;
    trial->has_continuity = demands->has_continuity;
    if (demands->has_continuity) trial->continuity = demands->continuity;
    return sc_trial_has_replays(trial->kind) ? demand_all(call, given, trial, diag) : SC_OK;
}

// --- In words -------------------------------------------------------------------------

enum { LINE_COLUMNS = 79, ITEM_SIZE = 80 };

/** A list that is broken into lines. */
typedef struct word_list {
    FILE *stream;
    size_t column;  ///< 0: nothing was written
} word_list;

static void put_item(word_list *list, const char *text)
{
    static const char begin[] = "  demanded: ";
    const size_t size = strlen(text);
    if (list->column == 0) {
        list->column = sizeof begin - 1;
        fputs(begin, list->stream);
    } else if (list->column + 2 + size >= LINE_COLUMNS) {
        fputs(",\n    ", list->stream);
        list->column = 4;
    } else {
        fputs(", ", list->stream);
        list->column += 2;
    }
    fputs(text, list->stream);
    list->column += size;
}

static void put_traffic(word_list *list, const sc_case_demands *demands,
                        const sc_trial_options *trial)
{
    char text[ITEM_SIZE];
    const bool is_used = trial->traffic > 1;
    if (!is_used && demands->traffic == 0) return;
    const uint32_t traffic = is_used ? trial->traffic : demands->traffic;
    const char *how = "";
    if (!is_used) how = " (not reckoned with)";
    if (is_used && trial->traffic != demands->traffic) how = " (assumed)";
    (void)snprintf(text, sizeof text, "traffic %" PRIu32 "%s", traffic, how);
    put_item(list, text);
}

static void put_classes(word_list *list, const sc_case_demands *demands,
                        const sc_trial_options *trial)
{
    char text[ITEM_SIZE];
    const bool is_used =
        !sc_trial_has_replays(trial->kind) || trial->adversary.engine.demands.classes;
    for (uint32_t i = 0; demands->classes && i < sc_place_classes_count(demands->classes); i++) {
        (void)snprintf(text, sizeof text, "class %s%s", sc_place_classes_name(demands->classes, i),
                       is_used ? "" : " (not reckoned with)");
        put_item(list, text);
    }
}

/** What an attack makes of demands of single users. */
static const char *use_of_zones(const sc_trial_options *trial)
{
    if (sc_trial_has_replays(trial->kind)) return "not in replays";
    return trial->knows_zones ? "known" : "not known";
}

static size_t zone_count(const sc_case_demands *demands)
{
    size_t count = 0;
    if (demands->zones) (void)sc_zone_table_zones(demands->zones, &count);
    return count;
}

static const char *use_of_continuity(const sc_trial_options *trial)
{
    if (sc_trial_has_replays(trial->kind)) return " (not in replays)";
    if (trial->kind == SC_TRIAL_RULE) return " (cloaks are not linked)";
    return sc_trial_knows_rules(trial) && trial->traffic > 1 ? "" : " (excludes nothing)";
}

void sc_attack_print_demands(FILE *stream, const sc_case_demands *demands,
                             const sc_trial_options *trial)
{
    word_list list = {.stream = stream};
    char text[ITEM_SIZE];
    if (demands->is_strict) put_item(&list, "strict");
    put_traffic(&list, demands, trial);
    put_classes(&list, demands, trial);
    if (demands->zones) {
        const size_t count = zone_count(demands);
        (void)snprintf(text, sizeof text, "%zu %s (%s)", count, count == 1 ? "zone" : "zones",
                       use_of_zones(trial));
        put_item(&list, text);
    }
    if (demands->has_continuity) {
        (void)snprintf(text, sizeof text, "continuity of %g m/s and %g s%s",
                       demands->continuity.vmax_m_s, (double)demands->continuity.tau_us * 1e-6,
                       use_of_continuity(trial));
        put_item(&list, text);
    }
    if (list.column > 0) fputc('\n', stream);
}

static void put_class_names(sc_json_writer *json, const sc_place_classes *classes)
{
    sc_json_open_array(json, "classes");
    for (uint32_t i = 0; classes && i < sc_place_classes_count(classes); i++) {
        sc_json_put_string(json, NULL, sc_place_classes_name(classes, i));
    }
    sc_json_close_array(json);
}

void sc_attack_put_demands(sc_json_writer *json, const sc_case_demands *demands,
                           const sc_trial_options *trial)
{
    if (!demands->has_any) {
        sc_json_put_null(json, "demands");
        return;
    }
    sc_json_open_object(json, "demands");
    sc_json_put_flag(json, "strict", demands->is_strict);
    sc_json_put_count(json, "traffic", demands->traffic);
    put_class_names(json, demands->classes);
    sc_json_put_count(json, "zones", zone_count(demands));
    sc_json_put_flag(json, "knows_zones", trial->knows_zones);
    if (demands->has_continuity) {
        sc_json_open_object(json, "continuity");
        sc_json_put_number(json, "vmax_m_s", demands->continuity.vmax_m_s);
        sc_json_put_number(json, "tau_s", (double)demands->continuity.tau_us * 1e-6);
        sc_json_close_object(json);
    }
    sc_json_close_object(json);
}
