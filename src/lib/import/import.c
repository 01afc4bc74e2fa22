// From files to a map: open them, let the reader of their format fill a builder, add extra objects,
// finish. The readers are load_*.c, one per format.
#include <starcloak/map_import.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "import/import_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// --- Names of files that belong together --------------------------------------------------------
// "roads.shp" and "roads.dbf.xz" are two parts of one thing, recognised by the stem "roads" of
// their names: without ".xz" or ".gz", and without the last suffix.

// What is left of the first `size` bytes once the last ending is taken off.
static size_t without_ending(const char *path, size_t size)
{
    for (size_t i = size; i > 0 && path[i - 1] != '/'; i--) {
        if (path[i - 1] == '.') return i - 1;
    }
    return size;
}

size_t sc__stem_size(const char *path)
{
    const size_t size = strlen(path);
    const size_t plain = without_ending(path, size);
    const char *ending = path + plain;
    const bool is_packed = strcasecmp(ending, ".xz") == 0 || strcasecmp(ending, ".gz") == 0;
    return is_packed ? without_ending(path, plain) : plain;
}

bool sc__same_stem(const char *a, const char *b)
{
    const size_t size = sc__stem_size(a);
    return size == sc__stem_size(b) && memcmp(a, b, size) == 0;
}

// --- Inputs -------------------------------------------------------------------------------------

typedef sc_err reader(const sc_load *load, sc_builder **out);

static reader *const readers[] = {
    [SC_FORMAT_CNODE] = sc__load_cnode,     [SC_FORMAT_DIMACS] = sc__load_dimacs,
    [SC_FORMAT_OSM] = sc__load_osm,         [SC_FORMAT_SHAPEFILE] = sc__load_shapefile,
    [SC_FORMAT_MOBISIM] = sc__load_mobisim, [SC_FORMAT_SUMO] = sc__load_sumo,
};

const char *sc_format_name(sc_format format)
{
    switch (format) {
#define X(name, value, text) \
    case SC_FORMAT_##name:   \
        return text;
        SC_FORMAT_MAP(X)
#undef X
    }
    return NULL;
}

const char *sc_import_profile_name(sc_import_profile profile)
{
    switch (profile) {
#define X(name, value, text) \
    case SC_IMPORT_##name:   \
        return text;
        SC_IMPORT_PROFILE_MAP(X)
#undef X
    }
    return NULL;
}

/** The inputs of an import, open. */
typedef struct inputs {
    sc_file *files;
    sc_input *inputs;  ///< what the reader gets
    char **names;      ///< names made here, NULL for the user's own
    size_t count;
} inputs;

static void close_inputs(inputs *in)
{
    for (size_t i = 0; i < in->count; i++) {
        sc_file_close(&in->files[i]);
        sc_free(in->names[i]);
    }
    sc_free(in->files);
    sc_free(in->inputs);
    sc_free(in->names);
}

static sc_err open_input(inputs *in, const char *path, char *own_name, sc_diag *diag)
{
    sc_file *file = &in->files[in->count];
    const sc_err err = sc_file_open(path, file, diag);
    if (err) {
        sc_free(own_name);
        return err;
    }
    in->names[in->count] = own_name;
    in->inputs[in->count++] = file->input;
    return SC_OK;
}

// The attributes of "roads.shp" are in "roads.dbf", packed or not, if anywhere.
static sc_err open_attributes(inputs *in, const char *path, sc_diag *diag)
{
    static const char *const endings[] = {".dbf", ".dbf.xz", ".dbf.gz", ".DBF"};
    const size_t stem = sc__stem_size(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t size = stem + strlen(endings[i]) + 1;
        char *name = sc_malloc(size);
        if (!name) return sc_fail_memory(diag, "opening the files");
        snprintf(name, size, "%.*s%s", (int)stem, path, endings[i]);
        if (access(name, F_OK) == 0) return open_input(in, name, name, diag);
        sc_free(name);
    }
    return SC_OK;
}

// The graph of travel times may stand among the inputs or be named by an option; it is read once.
// NULL: there is none besides the inputs.
static const char *other_times(const sc_import_source *source, const char *times)
{
    if (source->format != SC_FORMAT_DIMACS || !times) return NULL;
    for (size_t i = 0; i < source->path_count; i++) {
        if (strcmp(source->paths[i], times) == 0) return NULL;
    }
    return times;
}

static sc_err open_inputs(const sc_import_source *source, const sc_import_options *options,
                          inputs *in, sc_diag *diag)
{
    // Each file may bring another one.
    const size_t most = 2 * source->path_count;
    in->files = sc_calloc(most, sizeof *in->files);
    in->inputs = sc_calloc(most, sizeof *in->inputs);
    in->names = sc_calloc(most, sizeof *in->names);
    if (!in->files || !in->inputs || !in->names) return sc_fail_memory(diag, "opening the files");
    for (size_t i = 0; i < source->path_count; i++) {
        const char *path = source->paths[i];
        sc_err err = open_input(in, path, NULL, diag);
        if (!err && source->format == SC_FORMAT_SHAPEFILE && sc_file_has_suffix(path, ".shp")) {
            err = open_attributes(in, path, diag);
        }
        if (err) return err;
    }
    const char *times = other_times(source, options->times);
    return times ? open_input(in, times, NULL, diag) : SC_OK;
}

static sc_err add_objects(const char *path, sc_builder *builder, sc_import_report *report,
                          sc_diag *diag)
{
    if (!path) return SC_OK;
    sc_file file = {0};
    sc_err err = sc_file_open(path, &file, diag);
    if (err) return err;
    report->bytes_read += file.input.size;
    err = sc__load_objects(&file.input, builder, report, diag);
    sc_file_close(&file);
    return err;
}

// "osm: monaco.osm.pbf", "osm, bike: monaco.osm.pbf": which files a map came from, without their
// directories.
static void note_source(sc_builder *builder, const sc_import_source *source,
                        const sc_import_options *options)
{
    char text[256];
    const bool has_profiles = source->format == SC_FORMAT_OSM || source->format == SC_FORMAT_SUMO;
    const bool is_told = has_profiles && options->profile != SC_IMPORT_CAR;
    size_t used = (size_t)snprintf(text, sizeof text, "%s%s%s:", sc_format_name(source->format),
                                   is_told ? ", " : "",
                                   is_told ? sc_import_profile_name(options->profile) : "");
    for (size_t i = 0; i < source->path_count && used < sizeof text; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, " %s",
                                 sc_file_base_name(source->paths[i]));
    }
    const char *times = other_times(source, options->times);
    if (times && used < sizeof text) {
        snprintf(text + used, sizeof text - used, " %s", sc_file_base_name(times));
    }
    sc_builder_set_source(builder, text);
}

static sc_err check_options(const sc_import_options *options, sc_diag *diag)
{
    if (!(options->unit_m >= 0.0) || !isfinite(options->unit_m)) {
        return sc_fail(diag, SC_EINVAL, "invalid unit of length: %g metres; give a positive number",
                       options->unit_m);
    }
    if (!sc_import_profile_name(options->profile)) {
        return sc_fail(diag, SC_EINVAL, "unknown profile: %d", (int)options->profile);
    }
    if (!(options->max_object_snap_m >= 0.0)) {
        return sc_fail(diag, SC_EINVAL,
                       "invalid distance for snapping objects: %g; give metres, at least 0",
                       options->max_object_snap_m);
    }
    if (!(options->time_unit_s >= 0.0) || !isfinite(options->time_unit_s)) {
        return sc_fail(diag, SC_EINVAL, "invalid unit of time: %g seconds; give a positive number",
                       options->time_unit_s);
    }
    return SC_OK;
}

// Puts the names of the files before a message of the builder, which does not have them.
static sc_err name_inputs(sc_err err, const char *const *paths, size_t count, sc_diag *diag)
{
    if (!diag || err == SC_ENOMEM) return err;
    const sc_diag without_name = *diag;
    return sc_fail(diag, err, "%s%s: %s", paths[0], count > 1 ? " and others" : "",
                   without_name.message);
}

sc_err sc_map_import(const sc_import_source *source, const sc_import_options *options, sc_map **out,
                     sc_import_report *report, sc_diag *diag)
{
    const sc_format format = source->format;
    const char *const *paths = source->paths;
    const size_t path_count = source->path_count;
    if (!sc_format_name(format) || path_count == 0) {
        return sc_fail(diag, SC_EINVAL, "%s",
                       path_count == 0 ? "no input file" : "unknown map format");
    }
    sc_err err = check_options(options, diag);
    if (err) return err;
    inputs in = {0};
    sc_builder *builder = NULL;
    sc_map *map = NULL;
    sc_import_report met = {0};
    sc_build_report built = {0};

    err = open_inputs(source, options, &in, diag);
    if (!err) {
        const sc_load load = {.inputs = in.inputs,
                              .input_count = in.count,
                              .options = options,
                              .report = &met,
                              .diag = diag};
        for (size_t i = 0; i < in.count; i++) {
            met.bytes_read += in.inputs[i].size;
        }
        err = readers[format](&load, &builder);
    }
    close_inputs(&in);
    if (!err) err = add_objects(options->objects, builder, &met, diag);
    if (!err) {
        note_source(builder, source, options);
        err = sc_builder_finish(builder, options->max_object_snap_m, &options->progress, &map,
                                &built, diag);
        if (err) err = name_inputs(err, paths, path_count, diag);
    }
    sc_builder_free(builder);
    if (err) return err;
    met.objects_too_far += built.objects_too_far;
    if (report) *report = met;
    *out = map;
    return SC_OK;
}
