// experiment.json: the settings that all points of a directory share.
#include "lab/manifest.h"

#include "base/diag.h"
#include "base/file.h"
#include "lab/results.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

// === Reading files ==============================================================================

sc_err sc__json_read(const char *path, json_t **out, bool *is_there, sc_diag *diag)
{
    struct stat status;
    *out = NULL;
    *is_there = stat(path, &status) == 0;
    if (!*is_there) {
        // Whatever else is wrong, to go on would be to do again, and to overwrite, what may be
        // there.
        if (errno == ENOENT) return SC_OK;
        return sc_fail(diag, SC_EIO,
                       "%s: cannot read: %s; see that you may read it, or name another directory",
                       path, strerror(errno));
    }
    sc_file file = {0};
    const sc_err err = sc_file_map(path, &file, diag);
    if (err) return err;
    json_error_t why;
    *out = json_loadb((const char *)file.input.data, file.input.size, 0, &why);
    sc_file_close(&file);
    if (!*out && json_error_code(&why) == json_error_out_of_memory) {
        return sc_fail_memory(diag, "reading what was done before");
    }
    return SC_OK;
}

// === The manifest ===============================================================================

/** Raise it when the same options give other numbers, or numbers another meaning. */
enum { FORMAT = 2 };

/** What a manifest calls the checksum of the program. */
#define PROGRAM "checksum of the program"

// --- What is said --------------------------------------------------------------

/** An object being filled; that memory is out is told at the end. */
typedef struct sheet {
    json_t *object;
    bool has_failed;
} sheet;

static void put(sheet *s, const char *name, json_t *value)
{
    if (json_object_set_new(s->object, name, value) != 0) s->has_failed = true;
}

static void put_number(sheet *s, const char *name, double value)
{
    // JSON knows no infinity: an end that never comes.
    put(s, name, isfinite(value) ? json_real(value) : json_string("never"));
}

static void put_text(sheet *s, const char *name, const char *value)
{
    put(s, name, json_string(value));
}

static void put_checksum(sheet *s, const char *name, uint64_t checksum)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, checksum);
    put_text(s, name, text);
}

/**
 * Of the file that is running: a build with other code gives other numbers, whatever its version.
 * "unknown" where it cannot be read.
 */
static void put_program(sheet *s)
{
    sc_file file = {0};
    if (sc_file_map("/proc/self/exe", &file, NULL)) {
        put_text(s, PROGRAM, "unknown");
        return;
    }
    put_checksum(s, PROGRAM, XXH3_64bits(file.input.data, file.input.size));
    sc_file_close(&file);
}

static void put_methods(sheet *s, const sc_lab_options *options)
{
    char text[256] = "";
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        if (!sc__has_method(options, method)) continue;
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? " " : "",
                 sc_lab_method_name(method));
    }
    put_text(s, "methods", text);
}

static void put_workload(sheet *s, const sc_workload *workload)
{
    // Means are varied, and stand in the names of points; the pause is not.
    put_number(s, "deviation of k", workload->k.deviation);
    put_number(s, "deviation of l", workload->l.deviation);
    put_number(s, "deviation of sigma_s", workload->max_hops.deviation);
    put_number(s, "deviation of sigma_t", workload->max_wait_s.deviation);
    put_number(s, "deviation of nearest", workload->nearest.deviation);
    put_number(s, "pause", workload->pause_s.mean);
    put_number(s, "deviation of the pause", workload->pause_s.deviation);
    put_number(s, "shortest pause", workload->pause_s.min);
    put_number(s, "longest pause", workload->pause_s.max);
    put_text(s, "category",
             workload->wanted == SC_WANT_ANY   ? "any"
             : workload->wanted == SC_WANT_ONE ? "one each"
                                               : "a certain one");
}

static void put_engine(sheet *s, const sc_lab_options *options)
{
    const sc_engine_options *engine = &options->engine;
    put_number(s, "lambda", engine->compactness);
    put_number(s, "alpha", (double)engine->consideration_us * 1e-6);
    // 0: each method has its own.
    put_number(s, "cap", options->has_cap ? engine->max_combinations : 0);
    put_number(s, "cost of a segment", engine->cost.segment);
    put_number(s, "cost of a border node", engine->cost.border_node);
    put_number(s, "cost of an object", engine->cost.object);
    put_number(s, "balance of costs", engine->cost.balance);
    put_text(s, "promises", engine->is_paranoid ? "checked again" : "not checked again");
}

static void put_adversary(sheet *s, const sc_lab_options *options)
{
    const sc_adversary_options *adversary = &options->adversary;
    put_number(s, "victims", options->max_victims);
    put_number(s, "samples of an adversary", (double)adversary->samples);
    put_number(s, "placements it enumerates", (double)adversary->max_placements);
    put_number(s, "runs of each", adversary->runs);
    put_number(s, "fruitful replays it wants", (double)adversary->fruitful);
    put_text(s, "likeness it looks for",
             adversary->likeness == SC_LIKENESS_EXACT ? "exact" : "overlap");
    put_text(s, "traffic it knows", options->knows_traffic ? "of another seed" : "none");
}

static sheet settings_of(const sc_lab_options *options)
{
    sheet s = {.object = json_object()};
    put_number(&s, "format", FORMAT);
    put_text(&s, "version", options->version ? options->version : "");
    put_program(&s);
    put_methods(&s, options);
    put_number(&s, "travellers", options->travellers);
    put_number(&s, "warm-up", options->warm_up_s);
    put_number(&s, "counted time", options->counted_s);
    put_text(&s, "questions", options->is_closed ? "each method's own" : "the same for all");
    put_number(&s, "cloaks evaluated", options->max_cloaks);
    put_text(&s, "provider", options->is_indexed ? "looks up" : "searches");
    put_engine(&s, options);
    put_adversary(&s, options);
    put_workload(&s, &options->workload);
    return s;
}

// Names and fixes are hashed as they lie in memory.
_Static_assert(sizeof(sc_fix) == 3 * sizeof(double), "a fix has gaps");

/** Of every name and every fix: other traces of the same size and length have another one. */
static uint64_t checksum_of(const sc_traces *traces)
{
    size_t count = 0;
    const sc_track *tracks = sc_traces_tracks(traces, &count);
    uint64_t sum = count;
    for (size_t i = 0; i < count; i++) {
        // With its end, so that a name cannot run over into what follows.
        sum = XXH3_64bits_withSeed(tracks[i].name, strlen(tracks[i].name) + 1, sum);
        sum = XXH3_64bits_withSeed(tracks[i].fixes, tracks[i].count * sizeof(sc_fix), sum);
    }
    return sum;
}

static void put_traces(sheet *s, const sc_lab_map *map)
{
    const sc_traces_summary summary = sc_traces_summary_of(map->traces);
    put_number(s, "tracks", (double)summary.track_count);
    put_number(s, "fixes", (double)summary.fix_count);
    put_number(s, "first fix", summary.first_s);
    put_number(s, "last fix", summary.last_s);
    // After those that say more to a person: the first that differs is told.
    put_checksum(s, "checksum of the traces", checksum_of(map->traces));
    put_number(s, "farthest from a road", map->follow.max_snap_m);
    put_number(s, "longest gap", map->follow.max_gap_s);
    put_number(s, "folded to", map->follow.fold_s);
    put_number(s, "start", map->follow.has_start ? map->follow.start_s : summary.first_s);
    put_number(s, "end", map->follow.end_s);
}

static void put_movement(sheet *s, const sc_lab_options *options, const sc_lab_map *map)
{
    const bool is_walk = !map->traces && options->is_walk;
    put_text(s, "movement", map->traces ? "traces" : is_walk ? "walk" : "trips");
    if (map->traces) {
        put_traces(s, map);
    } else if (!is_walk) {
        put_number(s, "trucks", options->truck_share);
    }
}

static sheet map_sheet(const sc_lab_options *options, const sc_lab_map *map)
{
    sheet s = {.object = json_object()};
    put_checksum(&s, "checksum", sc_map_checksum(map->map));
    put_movement(&s, options, map);
    // Its name: numbers are each map's own.
    if (options->workload.wanted == SC_WANT_THIS && sc_map_object_count(map->map) > 0) {
        put_text(&s, "category", sc_map_category_name(map->map, map->category));
    }
    return s;
}

static json_t *manifest_of(const sc_lab_options *options)
{
    sheet maps = {.object = json_object()};
    for (size_t i = 0; i < options->map_count; i++) {
        const sheet map = map_sheet(options, &options->maps[i]);
        maps.has_failed = maps.has_failed || map.has_failed;
        put(&maps, options->maps[i].name, map.object);
    }
    const sheet settings = settings_of(options);
    sheet root = {.object = json_object(), .has_failed = settings.has_failed || maps.has_failed};
    put(&root, "settings", settings.object);
    put(&root, "maps", maps.object);
    if (!root.has_failed) return root.object;
    json_decref(root.object);
    return NULL;
}

// --- What is there -------------------------------------------------------------

static void put_value(char room[64], const json_t *value)
{
    if (json_is_string(value)) {
        const sc_quoted text = sc_quote(json_string_value(value), json_string_length(value));
        snprintf(room, 64, "%s", text.text);
    } else if (json_is_number(value)) {
        snprintf(room, 64, "%.15g", json_number_value(value));
    } else {
        snprintf(room, 64, "unknown");
    }
}

/** A checksum says nothing to a person. */
static sc_err fail_program(const char *path, sc_diag *diag)
{
    return sc_fail(diag, SC_EMISMATCH,
                   "%s: another build of the program made the points there; name another "
                   "directory, or forget what is there with --fresh",
                   path);
}

/** @param of  whose the sheets are: "", or a map's name */
static sc_err compare(const char *path, const char *of, const json_t *there, json_t *wanted,
                      sc_diag *diag)
{
    const char *name = NULL;
    const json_t *value = NULL;
    json_object_foreach(wanted, name, value)
    {
        const json_t *before = json_object_get(there, name);
        if (json_equal(before, value)) continue;
        if (strcmp(name, PROGRAM) == 0) return fail_program(path, diag);
        char was[64];
        char is[64];
        put_value(was, before);
        put_value(is, value);
        return sc_fail(diag, SC_EMISMATCH,
                       "%s: %s%s%s was %s when the points there were made, and is %s now; name "
                       "another directory, or forget what is there with --fresh",
                       path, of, of[0] != '\0' ? ": " : "", name, was, is);
    }
    return SC_OK;
}

static sc_err compare_all(const char *path, const json_t *there, const json_t *wanted,
                          sc_diag *diag)
{
    const json_t *maps_there = json_object_get(there, "maps");
    sc_err err = compare(path, "", json_object_get(there, "settings"),
                         json_object_get(wanted, "settings"), diag);
    const char *name = NULL;
    json_t *map = NULL;
    json_object_foreach(json_object_get(wanted, "maps"), name, map)
    {
        const json_t *before = json_object_get(maps_there, name);
        if (!err && before) err = compare(path, name, before, map, diag);
    }
    return err;
}

/** @param out  NULL if there is none */
static sc_err read_manifest(const char *path, json_t **out, sc_diag *diag)
{
    bool is_there = false;
    const sc_err err = sc__json_read(path, out, &is_there, diag);
    if (err || !is_there) return err;
    if (json_is_object(json_object_get(*out, "settings")) &&
        json_is_object(json_object_get(*out, "maps"))) {
        return SC_OK;
    }
    json_decref(*out);
    *out = NULL;
    return sc_fail(diag, SC_EMISMATCH,
                   "%s: is damaged, so nobody knows what the points there are of; name another "
                   "directory, or forget what is there with --fresh",
                   path);
}

static sc_err write_manifest(const char *path, const json_t *manifest, sc_diag *diag)
{
    sc_outfile file;
    const sc_err err = sc_outfile_open(path, &file, diag);
    if (err) return err;
    // Should memory run out here, what is written is not whole.
    if (json_dumpf(manifest, file.stream, JSON_INDENT(2)) != 0 && !ferror(file.stream)) {
        sc_outfile_abandon(&file);
        return sc_fail_memory(diag, "writing down what is done");
    }
    fputc('\n', file.stream);
    return sc_outfile_commit(&file, diag);
}

// --- Both ------------------------------------------------------------------------

sc_err sc__manifest_settle(const char *path, const sc_lab_options *options, sc_diag *diag)
{
    json_t *there = NULL;
    sc_err err = read_manifest(path, &there, diag);
    if (err) return err;
    json_t *wanted = manifest_of(options);
    if (!wanted) {
        err = sc_fail_memory(diag, "writing down what is done");
    } else if (!there) {
        err = write_manifest(path, wanted, diag);
    } else {
        err = compare_all(path, there, wanted, diag);
        // Maps of earlier runs stay: their points are still there.
        json_t *maps = json_object_get(there, "maps");
        const size_t before = json_object_size(maps);
        if (!err && json_object_update_missing(maps, json_object_get(wanted, "maps")) != 0) {
            err = sc_fail_memory(diag, "writing down what is done");
        }
        if (!err && json_object_size(maps) > before) err = write_manifest(path, there, diag);
    }
    json_decref(there);
    json_decref(wanted);
    return err;
}
