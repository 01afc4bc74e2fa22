// experiment.json: the settings that all points of a directory share.
#include "lab/manifest.h"

#include "base/diag.h"
#include "base/file.h"
#include "base/json_write.h"
#include "lab/results.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

// === Reading files ==============================================================================

sc_err sc__json_read(const char *path, sc_json_tree *out, bool *is_there, sc_diag *diag)
{
    struct stat status;
    *out = (sc_json_tree){0};
    *is_there = stat(path, &status) == 0;
    if (!*is_there) {
        // Whatever else is wrong, to go on would be to do again, and to overwrite, what may be
        // there.
        if (errno == ENOENT) return SC_OK;
        return sc_fail(diag, SC_EIO,
                       "%s: cannot read: %s; check that you have permission to read it, or name "
                       "another directory",
                       path, strerror(errno));
    }
    sc_file file = {0};
    const sc_err err = sc_file_map(path, &file, diag);
    if (err) return err;
    sc_json_error why;
    const sc_err read =
        sc_json_tree_read((const char *)file.input.data, file.input.size, out, &why);
    sc_file_close(&file);
    return read == SC_ENOMEM ? sc_fail_memory(diag, "reading what was done before") : SC_OK;
}

// === The manifest ===============================================================================

/** Raise it when the same options give other numbers, or numbers another meaning. */
enum { FORMAT = 2 };

/** What a manifest calls the checksum of the program. */
#define PROGRAM "checksum of the program"

// --- Writing ---------------------------------------------------------------------

/** Begin a line of the file, so many steps from the left. */
static void begin_line(sc_json_writer *json, int depth)
{
    sc_json_break_line(json);
    for (int i = 0; i < depth; i++) {
        sc_json_put_text(json, "  ");
    }
}

static void open_section(sc_json_writer *json, int depth, const char *name)
{
    if (depth > 0) begin_line(json, depth);
    sc_json_open_object(json, name);
}

static void close_section(sc_json_writer *json, int depth)
{
    // No comma is due before a closing bracket.
    json->needs_comma = false;
    begin_line(json, depth);
    sc_json_close_object(json);
}

/** Settings are the third level of the manifest, those of a map the same: they line up there. */
enum { SETTING_DEPTH = 3 };

static void put_number(sc_json_writer *json, const char *name, double value)
{
    begin_line(json, SETTING_DEPTH);
    // JSON knows no infinity: an end that never comes.
    if (isfinite(value)) {
        sc_json_put_number(json, name, value);
    } else {
        sc_json_put_string(json, name, "never");
    }
}

static void put_text(sc_json_writer *json, const char *name, const char *value)
{
    begin_line(json, SETTING_DEPTH);
    sc_json_put_string(json, name, value);
}

static void put_checksum(sc_json_writer *json, const char *name, uint64_t checksum)
{
    begin_line(json, SETTING_DEPTH);
    sc_json_put_hex(json, name, checksum);
}

/**
 * Of the file that is running: a build with other code gives other numbers, whatever its version.
 * "unknown" where it cannot be read.
 */
static void put_program(sc_json_writer *json)
{
    sc_file file = {0};
    if (sc_file_map("/proc/self/exe", &file, NULL)) {
        put_text(json, PROGRAM, "unknown");
        return;
    }
    put_checksum(json, PROGRAM, XXH3_64bits(file.input.data, file.input.size));
    sc_file_close(&file);
}

static void put_methods(sc_json_writer *json, const sc_lab_options *options)
{
    char text[256] = "";
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        if (!sc__has_method(options, method)) continue;
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? " " : "",
                 sc_lab_method_name(method));
    }
    put_text(json, "methods", text);
}

static void put_workload(sc_json_writer *json, const sc_workload *workload)
{
    // Means are varied, and stand in the names of points; the pause is not.
    put_number(json, "deviation of k", workload->k.deviation);
    put_number(json, "deviation of l", workload->l.deviation);
    put_number(json, "deviation of sigma_s", workload->max_hops.deviation);
    put_number(json, "deviation of sigma_t", workload->max_wait_s.deviation);
    put_number(json, "deviation of nearest", workload->nearest.deviation);
    put_number(json, "pause", workload->pause_s.mean);
    put_number(json, "deviation of the pause", workload->pause_s.deviation);
    put_number(json, "shortest pause", workload->pause_s.min);
    put_number(json, "longest pause", workload->pause_s.max);
    put_text(json, "category",
             workload->wanted == SC_WANT_ANY   ? "any"
             : workload->wanted == SC_WANT_ONE ? "one each"
                                               : "a certain one");
}

static void put_engine(sc_json_writer *json, const sc_lab_options *options)
{
    const sc_engine_options *engine = &options->engine;
    put_number(json, "lambda", engine->compactness);
    put_number(json, "alpha", (double)engine->consideration_us * 1e-6);
    put_number(json, "crowd", engine->crowd);
    put_number(json, "spread of k", engine->k_spread);
    // 0: each method has its own.
    put_number(json, "cap", options->has_cap ? engine->max_combinations : 0);
    put_number(json, "cost of a segment", engine->cost.segment);
    put_number(json, "cost of a border node", engine->cost.border_node);
    put_number(json, "cost of an object", engine->cost.object);
    put_number(json, "balance of costs", engine->cost.balance);
    put_text(json, "promises", engine->is_paranoid ? "checked again" : "not checked again");
}

static void put_adversary(sc_json_writer *json, const sc_lab_options *options)
{
    const sc_adversary_options *adversary = &options->adversary;
    put_number(json, "victims", options->max_victims);
    put_number(json, "samples of an adversary", (double)adversary->samples);
    put_number(json, "placements it enumerates", (double)adversary->max_placements);
    put_number(json, "runs of each", adversary->runs);
    put_number(json, "fruitful replays it wants", (double)adversary->fruitful);
    put_text(json, "likeness it looks for",
             adversary->likeness == SC_LIKENESS_EXACT ? "exact" : "overlap");
    put_text(json, "traffic it knows", options->knows_traffic ? "of another seed" : "none");
    put_text(json, "others it places",
             options->others == SC_OTHERS_CLOAK ? "in the cloak" : "on roads around");
}

static void put_settings(sc_json_writer *json, const sc_lab_options *options)
{
    put_number(json, "format", FORMAT);
    put_text(json, "version", options->version ? options->version : "");
    put_program(json);
    put_methods(json, options);
    put_number(json, "travellers", options->travellers);
    put_number(json, "warm-up", options->warm_up_s);
    put_number(json, "counted time", options->counted_s);
    put_text(json, "questions", options->is_closed ? "each method's own" : "the same for all");
    put_number(json, "cloaks evaluated", options->max_cloaks);
    put_text(json, "provider", options->is_indexed ? "looks up" : "searches");
    put_engine(json, options);
    put_adversary(json, options);
    put_workload(json, &options->workload);
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

static void put_traces(sc_json_writer *json, const sc_lab_map *map)
{
    const sc_traces_summary summary = sc_traces_summary_of(map->traces);
    put_number(json, "tracks", (double)summary.track_count);
    put_number(json, "fixes", (double)summary.fix_count);
    put_number(json, "first fix", summary.first_s);
    put_number(json, "last fix", summary.last_s);
    // After those that say more to a person: the first that differs is told.
    put_checksum(json, "checksum of the traces", checksum_of(map->traces));
    put_number(json, "farthest from a road", map->follow.max_snap_m);
    put_number(json, "longest gap", map->follow.max_gap_s);
    put_number(json, "folded to", map->follow.fold_s);
    put_number(json, "start", map->follow.has_start ? map->follow.start_s : summary.first_s);
    put_number(json, "end", map->follow.end_s);
}

static void put_movement(sc_json_writer *json, const sc_lab_options *options, const sc_lab_map *map)
{
    const bool is_walk = !map->traces && options->is_walk;
    put_text(json, "movement", map->traces ? "traces" : is_walk ? "walk" : "trips");
    if (map->traces) {
        put_traces(json, map);
    } else if (!is_walk) {
        put_number(json, "trucks", options->truck_share);
    }
}

static void put_map(sc_json_writer *json, const sc_lab_options *options, const sc_lab_map *map)
{
    put_checksum(json, "checksum", sc_map_checksum(map->map));
    put_movement(json, options, map);
    // Its name: numbers are each map's own.
    if (options->workload.wanted == SC_WANT_THIS && sc_map_object_count(map->map) > 0) {
        put_text(json, "category", sc_map_category_name(map->map, map->category));
    }
}

/** Whether the writer, which escapes no names, can write this one. */
static bool is_plain_name(const char *name)
{
    for (; *name; name++) {
        if (*name < ' ' || *name > '~' || *name == '"' || *name == '\\') return false;
    }
    return true;
}

/** The settings of a map, as an earlier run wrote them. */
static void copy_map(sc_json_writer *json, const sc_json_value *map)
{
    for (size_t i = 0; i < sc_json_size(map); i++) {
        const char *name = sc_json_member_name(map, i);
        const sc_json_value *value = sc_json_at(map, i);
        if (!is_plain_name(name)) continue;
        if (sc_json_is_string(value)) put_text(json, name, sc_json_text_at(value));
        if (sc_json_is_number(value)) put_number(json, name, sc_json_number_at(value));
    }
}

static bool has_map(const sc_lab_options *options, const char *name)
{
    for (size_t i = 0; i < options->map_count; i++) {
        if (strcmp(options->maps[i].name, name) == 0) return true;
    }
    return false;
}

/** @param earlier  the maps of earlier runs, which stay: their points are still there; or NULL */
static void put_maps(sc_json_writer *json, const sc_lab_options *options,
                     const sc_json_value *earlier)
{
    for (size_t i = 0; i < sc_json_size(earlier); i++) {
        const char *name = sc_json_member_name(earlier, i);
        if (!sc_lab_is_name(name) || has_map(options, name)) continue;
        open_section(json, 2, name);
        copy_map(json, sc_json_at(earlier, i));
        close_section(json, 2);
    }
    for (size_t i = 0; i < options->map_count; i++) {
        open_section(json, 2, options->maps[i].name);
        put_map(json, options, &options->maps[i]);
        close_section(json, 2);
    }
}

/** The manifest of the options. @return SC_OK, SC_ENOMEM */
static sc_err make_manifest(const sc_lab_options *options, const sc_json_value *earlier,
                            sc_bytes *out)
{
    sc_json_writer json = sc_json_writer_of(out);
    open_section(&json, 0, NULL);
    open_section(&json, 1, "settings");
    put_settings(&json, options);
    close_section(&json, 1);
    open_section(&json, 1, "maps");
    put_maps(&json, options, earlier);
    close_section(&json, 1);
    close_section(&json, 0);
    sc_json_put_text(&json, "\n");
    return json.has_failed ? SC_ENOMEM : SC_OK;
}

static sc_err write_manifest(const char *path, const sc_bytes *manifest, sc_diag *diag)
{
    sc_outfile file;
    const sc_err err = sc_outfile_open(path, &file, diag);
    if (err) return err;
    fwrite(manifest->data, 1, manifest->size, file.stream);
    return sc_outfile_commit(&file, diag);
}

// --- Comparing -------------------------------------------------------------------

static void put_value(char room[64], const sc_json_value *value)
{
    if (sc_json_is_string(value)) {
        const sc_quoted text = sc_quote(sc_json_text_at(value), sc_json_text_size(value));
        snprintf(room, 64, "%s", text.text);
    } else if (sc_json_is_number(value)) {
        snprintf(room, 64, "%.15g", sc_json_number_at(value));
    } else {
        snprintf(room, 64, "unknown");
    }
}

static bool is_equal(const sc_json_value *a, const sc_json_value *b)
{
    if (sc_json_is_string(a) && sc_json_is_string(b)) {
        return strcmp(sc_json_text_at(a), sc_json_text_at(b)) == 0;
    }
    return sc_json_is_number(a) && sc_json_is_number(b) &&
           sc_json_number_at(a) == sc_json_number_at(b);
}

/** A checksum says nothing to a person. */
static sc_err fail_program(const char *path, sc_diag *diag)
{
    return sc_fail(diag, SC_EMISMATCH,
                   "%s: the points there were made by another build of the program; name another "
                   "directory, or discard them with --fresh",
                   path);
}

/** @param of  whose settings they are: "", or a map's name */
static sc_err compare(const char *path, const char *of, const sc_json_value *there,
                      const sc_json_value *wanted, sc_diag *diag)
{
    for (size_t i = 0; i < sc_json_size(wanted); i++) {
        const char *name = sc_json_member_name(wanted, i);
        const sc_json_value *value = sc_json_at(wanted, i);
        const sc_json_value *before = sc_json_member(there, name);
        if (is_equal(before, value)) continue;
        if (strcmp(name, PROGRAM) == 0) return fail_program(path, diag);
        char was[64];
        char is[64];
        put_value(was, before);
        put_value(is, value);
        return sc_fail(diag, SC_EMISMATCH,
                       "%s: %s%s%s was %s when the points there were made, but is %s now; name "
                       "another directory, or discard them with --fresh",
                       path, of, of[0] != '\0' ? ": " : "", name, was, is);
    }
    return SC_OK;
}

/** @param has_new  set to whether a map is wanted that is not there */
static sc_err compare_all(const char *path, const sc_json_value *there, const sc_json_value *wanted,
                          bool *has_new, sc_diag *diag)
{
    const sc_json_value *maps_there = sc_json_member(there, "maps");
    const sc_json_value *maps = sc_json_member(wanted, "maps");
    *has_new = false;
    sc_err err = compare(path, "", sc_json_member(there, "settings"),
                         sc_json_member(wanted, "settings"), diag);
    for (size_t i = 0; i < sc_json_size(maps) && !err; i++) {
        const char *name = sc_json_member_name(maps, i);
        const sc_json_value *before = sc_json_member(maps_there, name);
        if (before) {
            err = compare(path, name, before, sc_json_at(maps, i), diag);
        } else {
            *has_new = true;
        }
    }
    return err;
}

/** @param out  empty if there is none */
static sc_err read_manifest(const char *path, sc_json_tree *out, sc_diag *diag)
{
    bool is_there = false;
    const sc_err err = sc__json_read(path, out, &is_there, diag);
    if (err || !is_there) return err;
    if (sc_json_is_object(sc_json_member(out->root, "settings")) &&
        sc_json_is_object(sc_json_member(out->root, "maps"))) {
        return SC_OK;
    }
    sc_json_tree_fini(out);
    return sc_fail(diag, SC_EMISMATCH,
                   "%s: the file is damaged, so the settings of the points there are unknown; name "
                   "another directory, or discard them with --fresh",
                   path);
}

/** Hold the options against the manifest that is there, and add maps that are new. */
static sc_err update_manifest(const char *path, const sc_lab_options *options,
                              const sc_json_value *there, sc_bytes *manifest, sc_diag *diag)
{
    sc_json_tree wanted = {0};
    sc_json_error why;
    sc_err err = sc_json_tree_read((const char *)manifest->data, manifest->size, &wanted, &why);
    if (err) return sc_fail_memory(diag, "reading what was done before");
    bool has_new = false;
    err = compare_all(path, there, wanted.root, &has_new, diag);
    sc_json_tree_fini(&wanted);
    if (err || !has_new) return err;
    manifest->size = 0;
    if (make_manifest(options, sc_json_member(there, "maps"), manifest)) {
        return sc_fail_memory(diag, "writing down what is done");
    }
    return write_manifest(path, manifest, diag);
}

sc_err sc__manifest_settle(const char *path, const sc_lab_options *options, sc_diag *diag)
{
    sc_json_tree there = {0};
    sc_bytes manifest = {0};
    sc_err err = read_manifest(path, &there, diag);
    if (err) return err;
    if (make_manifest(options, NULL, &manifest)) {
        err = sc_fail_memory(diag, "writing down what is done");
    } else if (there.root) {
        err = update_manifest(path, options, there.root, &manifest, diag);
    } else {
        err = write_manifest(path, &manifest, diag);
    }
    sc_json_tree_fini(&there);
    sc_bytes_fini(&manifest);
    return err;
}
