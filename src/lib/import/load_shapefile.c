// The reader of ESRI shapefiles of roads, such as TIGER/Line's.
//
// A shapefile has no junctions: it has lines, and where two of them have a vertex with exactly the
// same coordinates, roads meet (polylines.h). Each pair of consecutive vertices is an edge; a road
// with two names is drawn twice and its edges are repeated, which is kept.
//
// The steps: pair each .shp with its .dbf; check their bytes (shp_check.h); open both with
// shapelib; go through all vertices once, to see that they are numbers and whether they are
// degrees; then draw, with what the .dbf says of each road (shp_fields.h).
//
// Degrees or metres? The .prj that would tell is often missing. So the numbers decide: if most
// vertices could be longitude and latitude they all must be, and one off the globe is an error;
// else the map is a plane in metres, or in options->unit_m. options->coords overrules this,
// options->utm_zone means metres that become degrees.
//
// Left out: null shapes, and records that the .dbf marks as deleted.
#include "base/alloc.h"
#include "base/diag.h"
#include "import/import_internal.h"
#include "import/polylines.h"
#include "import/shp_check.h"
#include "import/shp_fields.h"
#include "map/geo.h"

#include <inttypes.h>
#include <math.h>
#include <shapefil.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// --- Shapelib over bytes in memory --------------------------------------------------------------
// Inputs reach the readers as bytes, unpacked where they were compressed, while shapelib opens
// files by name. It can be given other functions for its file work, and these serve it the bytes.
// The .shx is made from the .shp (shp_check.h), so users need not have it.
//
// Shapelib's open function gets a name and nothing else. So that no global is needed to find the
// bytes by, the name *is* the address of the shp_memory, in hexadecimal; shapelib appends ".shp",
// ".shx", ".dbf" or ".cpg" to it.

/** A place in bytes that are read like a file. */
typedef struct byte_cursor {
    const uint8_t *data;  ///< NULL: there is no such file
    size_t size;
    size_t at;
} byte_cursor;

/** The files of one shapefile, as shapelib sees them. Must stay where it is while open. */
typedef struct shp_memory {
    byte_cursor shp;
    byte_cursor shx;
    byte_cursor dbf;
} shp_memory;

// The types of these functions are shapelib's.
// NOLINTBEGIN(readability-non-const-parameter)

static SAFile open_bytes(const char *name, const char *access)
{
    (void)access;
    char *suffix = NULL;
    shp_memory *memory = (shp_memory *)(uintptr_t)strtoull(name, &suffix, 16);
    byte_cursor *cursor = NULL;
    if (strcmp(suffix, ".shp") == 0) cursor = &memory->shp;
    if (strcmp(suffix, ".shx") == 0) cursor = &memory->shx;
    if (strcmp(suffix, ".dbf") == 0) cursor = &memory->dbf;
    if (!cursor || !cursor->data) return NULL;
    cursor->at = 0;
    return (SAFile)(void *)cursor;
}

static SAOffset read_bytes(void *to, SAOffset size, SAOffset count, SAFile file)
{
    byte_cursor *cursor = (byte_cursor *)(void *)file;
    if (size == 0) return 0;
    const SAOffset left = (cursor->size - cursor->at) / size;
    const SAOffset whole = count < left ? count : left;
    memcpy(to, cursor->data + cursor->at, whole * size);
    cursor->at += whole * size;
    return whole;
}

static SAOffset write_nothing(void *from, SAOffset size, SAOffset count, SAFile file)
{
    (void)from;
    (void)size;
    (void)count;
    (void)file;
    return 0;
}

static SAOffset seek_bytes(SAFile file, SAOffset offset, int whence)
{
    byte_cursor *cursor = (byte_cursor *)(void *)file;
    SAOffset start = 0;
    if (whence == SEEK_CUR) start = cursor->at;
    if (whence == SEEK_END) start = cursor->size;
    if (offset > cursor->size - start) return 1;
    cursor->at = start + offset;
    return 0;
}

static SAOffset tell_bytes(SAFile file)
{
    return ((const byte_cursor *)(void *)file)->at;
}

static int flush_nothing(SAFile file)
{
    (void)file;
    return 0;
}

static int close_nothing(SAFile file)
{
    (void)file;
    return 0;
}

static int remove_nothing(const char *name)
{
    (void)name;
    return -1;
}

// Shapelib would print errors to the terminal. What it could report has been checked before
// (shp_check.h).
static void ignore_error(const char *message)
{
    (void)message;
}

// NOLINTEND(readability-non-const-parameter)

static SAHooks hooks_for_memory(void)
{
    SAHooks hooks;
    SASetupDefaultHooks(&hooks);
    hooks.FOpen = open_bytes;
    hooks.FRead = read_bytes;
    hooks.FWrite = write_nothing;
    hooks.FSeek = seek_bytes;
    hooks.FTell = tell_bytes;
    hooks.FFlush = flush_nothing;
    hooks.FClose = close_nothing;
    hooks.Remove = remove_nothing;
    hooks.Error = ignore_error;
    return hooks;
}

// Room for the address, and NUL.
typedef struct memory_name {
    char text[2 * sizeof(uintptr_t) + 1];
} memory_name;

static memory_name name_of(const shp_memory *memory)
{
    memory_name name;
    snprintf(name.text, sizeof name.text, "%" PRIxPTR, (uintptr_t)memory);
    return name;
}

// Opens the shapes; `shp` and `shx` must have passed sc__shp_index(). NULL when memory is out.
static SHPHandle shp_open(shp_memory *memory)
{
    SAHooks hooks = hooks_for_memory();
    SHPHandle shapes = SHPOpenLL(name_of(memory).text, "rb", &hooks);
    // Each shape is used up before the next is read, so one buffer will do.
    if (shapes) SHPSetFastModeReadObject(shapes, 1);
    return shapes;
}

// Opens the attributes, which must have passed sc__dbf_check().
static DBFHandle dbf_open(shp_memory *memory)
{
    SAHooks hooks = hooks_for_memory();
    return DBFOpenLL(name_of(memory).text, "rb", &hooks);
}

// --- Layers -------------------------------------------------------------------------------------

// How many records are read between two reports of progress.
enum { PROGRESS_STEP = 1024 };

// One .shp with its .dbf, open.
typedef struct layer {
    const sc_input *shp;
    const sc_input *dbf;  // NULL where there is none
    sc_shp_index index;
    shp_memory memory;
    SHPHandle shapes;
    sc_shp_fields fields;
} layer;

typedef struct reader {
    const sc_load *load;
    layer *layers;
    size_t layer_count;
    uint64_t record_count;  // of all layers
    uint64_t vertex_count;
    uint64_t globe_count;  // vertices that could be longitude and latitude
    sc_polylines lines;
    uint64_t left_out;
    sc_shp_road road;  // that of the record at hand
} reader;

// Whether `code` is in the comma-separated list; letters in either case.
static bool list_has(const char *list, const char *code)
{
    const size_t code_size = strlen(code);
    for (const char *item = list; *item != '\0';) {
        item += strspn(item, ", \t");
        const size_t size = strcspn(item, ", \t");
        if (size > 0 && size == code_size && strncasecmp(item, code, size) == 0) return true;
        item += size;
    }
    return false;
}

// --- Layers -------------------------------------------------------------------

// Files that come with a shapefile and are of no use here, should someone name
// them all: projection and encoding, indexes, styles, and metadata, which is
// called .shp.xml, .shp.iso.xml or .shp.ea.iso.xml.
static bool is_companion(const char *name)
{
    static const char *const suffixes[] = {
        ".shx", ".prj", ".qpj", ".cpg", ".cst", ".sbn", ".sbx", ".qix", ".fbn", ".fbx", ".ain",
        ".aih", ".atx", ".ixs", ".mxs", ".idm", ".ind", ".qml", ".qmd", ".sld", ".lyr", ".xml",
    };
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (sc_file_has_suffix(name, suffixes[i])) return true;
    }
    return false;
}

static sc_err pair_inputs(reader *r)
{
    const sc_load *load = r->load;
    r->layers = sc_calloc(load->input_count, sizeof *r->layers);
    if (!r->layers) return sc_fail_memory(load->diag, "opening shapefiles");

    for (size_t i = 0; i < load->input_count; i++) {
        const sc_input *input = &load->inputs[i];
        if (sc_file_has_suffix(input->name, ".dbf") || is_companion(input->name)) continue;
        r->layers[r->layer_count++] = (layer){.shp = input};
    }
    for (size_t i = 0; i < load->input_count; i++) {
        const sc_input *input = &load->inputs[i];
        if (!sc_file_has_suffix(input->name, ".dbf")) continue;
        bool is_wanted = false;
        for (size_t l = 0; l < r->layer_count; l++) {
            if (!sc__same_stem(input->name, r->layers[l].shp->name)) continue;
            r->layers[l].dbf = input;
            is_wanted = true;
        }
        if (!is_wanted) {
            return sc_fail(load->diag, SC_EINVAL,
                           "%s: no .shp file of the same name is given; a .dbf file has no roads",
                           input->name);
        }
    }
    if (r->layer_count == 0) {
        return sc_fail(load->diag, SC_EINVAL, "no .shp file is given; it has the roads");
    }
    return SC_OK;
}

static sc_err open_table(layer *l, const sc_load *load)
{
    l->fields = (sc_shp_fields){.file = l->dbf ? l->dbf->name : l->shp->name};
    if (l->dbf) {
        const sc_err err = sc__dbf_check(l->dbf, l->index.record_count, load->diag);
        if (err) return err;
        l->memory.dbf = (byte_cursor){.data = l->dbf->data, .size = l->dbf->size};
        l->fields.table = dbf_open(&l->memory);
        if (!l->fields.table) return sc_fail_memory(load->diag, "opening a .dbf file");
    }
    const sc_err err = sc__shp_fields_find(&l->fields, load->options, load->diag);
    if (err) return err;
    const char *wanted = load->options->classes;
    if (wanted && l->fields.class_field < 0) {
        return sc_fail(load->diag, SC_EINVAL, "%s: cannot select roads of class %s: %s",
                       l->fields.file, sc_quote(wanted, strlen(wanted)).text,
                       l->dbf ? "the file has no field MTFCC or fclass"
                              : "there is no .dbf file of the same name");
    }
    return SC_OK;
}

static sc_err open_layer(layer *l, const sc_load *load)
{
    const sc_err err = sc__shp_index(l->shp, &l->index, load->diag);
    if (err) return err;
    l->memory.shp = (byte_cursor){.data = l->shp->data, .size = l->shp->size};
    l->memory.shx = (byte_cursor){.data = l->index.shx, .size = l->index.shx_size};
    l->shapes = shp_open(&l->memory);
    if (!l->shapes) return sc_fail_memory(load->diag, "opening a .shp file");
    return open_table(l, load);
}

static void close_layer(layer *l)
{
    if (l->shapes) SHPClose(l->shapes);
    if (l->fields.table) DBFClose(l->fields.table);
    sc_free(l->index.shx);
}

// --- Records ------------------------------------------------------------------

// What is done with each vertex of each wanted record.
typedef struct vertex {
    const layer *layer;
    int record, part, number;  // from 0; the number counts inside the part
    double x, y;
} vertex;

typedef sc_err visit_vertex(reader *r, const vertex *v);

static sc_err fail_vertex(const reader *r, const vertex *v, sc_err err, const char *what)
{
    return sc_fail(r->load->diag, err, "%s: record %d, part %d, vertex %d: %s: %.15g %.15g",
                   v->layer->shp->name, v->record + 1, v->part + 1, v->number + 1, what, v->x,
                   v->y);
}

// Whether the record counts at all.
static bool is_record_wanted(reader *r, const layer *l, int record)
{
    if (!l->fields.table) return true;
    if (DBFIsRecordDeleted(l->fields.table, record)) return false;
    const char *wanted = r->load->options->classes;
    if (!wanted || list_has(wanted, sc__shp_fields_class(&l->fields, record))) return true;
    r->left_out++;
    return false;
}

static sc_err visit_shape(reader *r, vertex *v, const SHPObject *shape, visit_vertex *visit)
{
    for (v->part = 0; v->part < shape->nParts; v->part++) {
        const int first = shape->panPartStart[v->part];
        const int end =
            v->part + 1 < shape->nParts ? shape->panPartStart[v->part + 1] : shape->nVertices;
        for (v->number = 0; v->number < end - first; v->number++) {
            v->x = shape->padfX[first + v->number];
            v->y = shape->padfY[first + v->number];
            const sc_err err = visit(r, v);
            if (err) return err;
        }
    }
    return SC_OK;
}

static sc_err visit_all(reader *r, const char *phase, visit_vertex *visit)
{
    uint64_t done = 0;
    r->left_out = 0;
    for (size_t i = 0; i < r->layer_count; i++) {
        const layer *l = &r->layers[i];
        vertex v = {.layer = l};
        for (v.record = 0; v.record < (int)l->index.record_count; v.record++) {
            if (done++ % PROGRESS_STEP == 0) {
                sc__load_progress(r->load, phase, done - 1, r->record_count);
            }
            if (!is_record_wanted(r, l, v.record)) continue;

            SHPObject *shape = SHPReadObject(l->shapes, v.record);
            if (!shape) {
                return sc_fail(r->load->diag, SC_ENOMEM, "%s: record %d: does not fit into memory",
                               l->shp->name, v.record + 1);
            }
            const sc_err err = visit_shape(r, &v, shape, visit);
            SHPDestroyObject(shape);
            if (err) return err;
        }
    }
    sc__load_progress(r->load, phase, done, r->record_count);
    return SC_OK;
}

// --- The two passes -----------------------------------------------------------

static sc_err survey_vertex(reader *r, const vertex *v)
{
    if (!isfinite(v->x) || !isfinite(v->y)) {
        return fail_vertex(r, v, SC_EPARSE, "coordinates that are not finite numbers");
    }
    r->vertex_count++;
    r->globe_count += sc_geo_valid(SC_COORDS_GEOGRAPHIC, v->x, v->y);
    return SC_OK;
}

static sc_err draw_vertex(reader *r, const vertex *v)
{
    sc_err err = SC_OK;
    if (v->number == 0) {
        sc__polylines_begin(&r->lines);
        err = sc__shp_fields_read(&v->layer->fields, v->record, &r->road, r->load->diag);
        if (err) return err;
    }
    err = sc__polylines_add(&r->lines, v->x, v->y, &r->road.line);
    if (err == SC_EINVAL) return fail_vertex(r, v, SC_EPARSE, sc__polylines_invalid(&r->lines));
    if (err == SC_ENOMEM) return sc_fail_memory(r->load->diag, "reading a shapefile");
    if (err) return fail_vertex(r, v, err, "too many nodes or edges for one map");
    return SC_OK;
}

static sc_err check_classes(const sc_load *load)
{
    const char *classes = load->options->classes;
    if (classes && classes[strspn(classes, ", \t")] == '\0') {
        return sc_fail(load->diag, SC_EINVAL, "the list of road classes is empty: %s",
                       sc_quote(classes, strlen(classes)).text);
    }
    return SC_OK;
}

static sc_err decide_coords(reader *r)
{
    const sc_import_options *options = r->load->options;
    sc_coords coords = options->coords;
    if (options->utm_zone != 0) {
        coords = SC_COORDS_GEOGRAPHIC;
    } else if (coords == SC_COORDS_NONE) {
        coords = 2 * r->globe_count > r->vertex_count ? SC_COORDS_GEOGRAPHIC : SC_COORDS_PLANAR;
    }
    r->lines.coords = coords;
    if (options->unit_m > 0 && coords == SC_COORDS_GEOGRAPHIC && options->utm_zone == 0) {
        return sc_fail(r->load->diag, SC_EINVAL,
                       "%s: the coordinates are degrees, so a unit of %g m cannot apply",
                       r->layers[0].shp->name, options->unit_m);
    }
    return SC_OK;
}

static sc_err fail_no_roads(const reader *r)
{
    const char *wanted = r->load->options->classes;
    if (wanted && r->left_out > 0) {
        return sc_fail(r->load->diag, SC_EPARSE, "%s: no record has a class among %s",
                       r->layers[0].shp->name, sc_quote(wanted, strlen(wanted)).text);
    }
    return sc_fail(r->load->diag, SC_EPARSE, "%s: no roads found: no line has two different points",
                   r->layers[0].shp->name);
}

static sc_err read_layers(reader *r)
{
    sc_err err = sc__polylines_init(&r->lines, r->load->options, r->load->diag);
    if (err) return err;
    err = check_classes(r->load);
    if (err) return err;
    err = pair_inputs(r);
    if (err) return err;
    for (size_t i = 0; i < r->layer_count; i++) {
        err = open_layer(&r->layers[i], r->load);
        if (err) return err;
        r->record_count += r->layers[i].index.record_count;
    }
    err = visit_all(r, "checking coordinates", survey_vertex);
    if (err) return err;
    err = decide_coords(r);
    if (err) return err;
    err = sc_builder_new(r->lines.coords, &r->lines.builder);
    if (err) return sc_fail_memory(r->load->diag, "reading a shapefile");
    err = visit_all(r, "reading roads", draw_vertex);
    if (err) return err;
    return sc_builder_edge_count(r->lines.builder) > 0 ? SC_OK : fail_no_roads(r);
}

sc_err sc__load_shapefile(const sc_load *load, sc_builder **out)
{
    reader r = {.load = load};
    const sc_err err = read_layers(&r);

    for (size_t i = 0; i < r.layer_count; i++) {
        close_layer(&r.layers[i]);
    }
    sc_free(r.layers);
    sc__polylines_fini(&r.lines);
    if (err) {
        sc_builder_free(r.lines.builder);
        return err;
    }
    load->report->ways_left_out += r.left_out;
    *out = r.lines.builder;
    return SC_OK;
}
