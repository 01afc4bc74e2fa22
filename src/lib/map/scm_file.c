// The `.scm` file: writing a map, and opening one. scm_file.h has the format.
//
// Opening maps the file, believes nothing, then lends it. The order of suspicion: is it one of ours
// at all; is the header whole; do the tables lie where they must; are their bytes those that were
// written; does every number that is used as an index stay inside its table. After that no accessor
// can be led out of the mapping, however the file was made. Whether the tables fit each other is
// another question, which map_check.c answers.
#include "map/scm_file.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/diag.h"
#include "map/map_tables.h"

#include <math.h>
#include <string.h>

// --- Checksums and saving -----------------------------------------------------------------------

uint64_t sc__scm_lay_out(const sc_table *tables, sc_scm_table *out)
{
    uint64_t end = sizeof(sc_scm_header);
    for (uint32_t kind = 0; kind < SC_TABLE_COUNT; kind++) {
        const size_t element_size = sc__table_element_size(kind);
        out[kind].kind = kind;
        out[kind].element_size = (uint32_t)element_size;
        out[kind].count = tables[kind].count;
        out[kind].offset = sc__scm_align(end);
        end = out[kind].offset + tables[kind].count * element_size;
    }
    return end;
}

uint64_t sc__scm_header_checksum(const sc_scm_header *header)
{
    sc_scm_header copy = *header;
    copy.header_checksum = 0;
    return XXH3_64bits(&copy, sizeof copy);
}

uint64_t sc__scm_map_checksum(const sc_scm_header *header)
{
    sc_scm_header copy = *header;
    copy.header_checksum = 0;
    copy.map_checksum = 0;
    copy.file_size = 0;
    memset(copy.source, 0, sizeof copy.source);
    return XXH3_64bits(&copy, offsetof(sc_scm_header, tables[SC_TABLE_NEAREST_LISTS]));
}

static sc_scm_header header_of(const sc_map *map)
{
    sc_scm_header header;
    memset(&header, 0, sizeof header);
    memcpy(header.magic, SC_SCM_MAGIC, sizeof header.magic);
    header.version = SC_SCM_VERSION;
    header.table_count = SC_TABLE_COUNT;
    header.coords = (uint32_t)map->coords;
    header.in_metres = map->in_metres;
    header.unit_m = map->unit_m;
    header.time_unit_s = map->time_unit_s;
    header.origin_x = map->grid.origin_x;
    header.origin_y = map->grid.origin_y;
    header.grid_per_unit = map->grid.per_unit;
    header.node_count = map->node_count;
    memcpy(header.source, map->source, strlen(map->source));
    header.file_size = sc__scm_lay_out(map->tables, header.tables);
    for (int kind = 0; kind < SC_TABLE_COUNT; kind++) {
        sc_scm_table *table = &header.tables[kind];
        table->checksum = XXH3_64bits(map->tables[kind].data, table->count * table->element_size);
    }
    header.map_checksum = sc__scm_map_checksum(&header);
    header.header_checksum = sc__scm_header_checksum(&header);
    return header;
}

uint64_t sc__map_content_checksum(const sc_map *map)
{
    return header_of(map).map_checksum;
}

sc_err sc_map_save(const sc_map *map, const char *path, sc_diag *diag)
{
    static const char zeros[SC_SCM_ALIGNMENT] = {0};
    sc_outfile file;
    const sc_err err = sc_outfile_open(path, &file, diag);
    if (err) return err;

    // Errors of writing stay with the stream until the commit, which reports them.
    const sc_scm_header header = header_of(map);
    uint64_t written = fwrite(&header, 1, sizeof header, file.stream);
    for (int kind = 0; kind < SC_TABLE_COUNT && !ferror(file.stream); kind++) {
        const sc_scm_table *table = &header.tables[kind];
        written += fwrite(zeros, 1, table->offset - written, file.stream);
        if (table->count == 0) continue;
        written += table->element_size *
                   fwrite(map->tables[kind].data, table->element_size, table->count, file.stream);
    }
    return sc_outfile_commit(&file, diag);
}

static sc_table table_of(const void *data, size_t count)
{
    return (sc_table){(void *)(uintptr_t)data, count};
}

sc_err sc__map_save_with(const sc_map *map, const sc_nearest_index *index, const char *path,
                         sc_diag *diag)
{
    // A map is a handful of tables: one more of it, with three of them exchanged. Saving only
    // reads what they point to.
    sc_map with = *map;
    with.tables[SC_TABLE_NEAREST_LISTS] = table_of(index->lists, index->list_count);
    with.tables[SC_TABLE_NEAREST] = table_of(index->entries, index->entry_count);
    with.tables[SC_TABLE_NEAREST_OTHERS] = table_of(index->others, index->entry_count);
    return sc_map_save(&with, path, diag);
}

// --- Opening: what is wrong with a file ---------------------------------------------------------

/** A file being examined. */
typedef struct examined {
    const char *name;
    const uint8_t *bytes;
    size_t size;
    const sc_scm_header *header;
    sc_diag *diag;
} examined;

static sc_err damaged(const examined *e, const char *what)
{
    return sc_fail(e->diag, SC_EFORMAT, "%s: damaged map: %s; import it again", e->name, what);
}

static sc_err table_damaged(const examined *e, sc_table_kind kind, const char *what)
{
    return sc_fail(e->diag, SC_EFORMAT,
                   "%s: byte %llu: damaged map: table of %s: %s; import it again", e->name,
                   (unsigned long long)e->header->tables[kind].offset, sc__table_name(kind), what);
}

// --- The header ----------------------------------------------------------------

static sc_err check_header(const examined *e)
{
    const sc_scm_header *header = e->header;
    const size_t magic_size = sizeof header->magic;
    if (e->size == 0) {
        return sc_fail(e->diag, SC_EFORMAT,
                       "%s: the file is empty; a StarCloak map (.scm) is expected", e->name);
    }
    if (e->size < magic_size || memcmp(e->bytes, SC_SCM_MAGIC, magic_size) != 0) {
        return sc_fail(e->diag, SC_EFORMAT,
                       "%s: not a StarCloak map; make one with 'starcloak map import'", e->name);
    }
    if (e->size < sizeof *header) return damaged(e, "the file ends inside its header");
    if (header->version != SC_SCM_VERSION) {
        return sc_fail(
            e->diag, SC_EFORMAT,
            "%s: the map has format version %u, but this program reads version %d; import it again "
            "with 'starcloak map import', and make its index with 'starcloak map index'",
            e->name, header->version, SC_SCM_VERSION);
    }
    if (header->header_checksum != sc__scm_header_checksum(header)) {
        return damaged(e, "the header's checksum does not match");
    }
    if (header->file_size != e->size) {
        return sc_fail(
            e->diag, SC_EFORMAT,
            "%s: damaged map: the file has %zu bytes, but its header says %llu; import it again",
            e->name, e->size, (unsigned long long)header->file_size);
    }
    if (header->table_count != SC_TABLE_COUNT) return damaged(e, "wrong number of tables");
    if (header->map_checksum != sc__scm_map_checksum(header)) {
        return damaged(e, "the map's checksum does not match");
    }
    return SC_OK;
}

// Whether a scale is one that a builder could have chosen, so that nothing
// computed with it overflows.
static bool is_scale(double x)
{
    return x >= 1e-15 && x <= 1e15;
}

static sc_err check_measures(const examined *e)
{
    const sc_scm_header *header = e->header;
    const bool has_coords = header->coords != SC_COORDS_NONE;
    if (header->coords > SC_COORDS_PLANAR) return damaged(e, "unknown kind of coordinates");
    if (header->in_metres > 1 || header->reserved != 0) return damaged(e, "unknown flag");
    if (!is_scale(header->unit_m)) return damaged(e, "unit of length out of range");
    if (!is_scale(header->time_unit_s)) return damaged(e, "unit of time out of range");
    if (has_coords && (!is_scale(header->grid_per_unit) ||
                       !sc_geo_valid(SC_COORDS_PLANAR, header->origin_x, header->origin_y))) {
        return damaged(e, "grid of coordinates out of range");
    }
    const bool on_globe = header->coords == SC_COORDS_GEOGRAPHIC;
    const bool is_origin_usual = header->origin_x == 0.0 || header->origin_x == 180.0;
    if (on_globe && (header->grid_per_unit != SC_GRID_PER_DEGREE || !is_origin_usual ||
                     header->origin_y != 0.0)) {
        return damaged(e, "grid of coordinates is not 1e-7 degrees");
    }
    if (memchr(header->source, '\0', sizeof header->source) == NULL) {
        return damaged(e, "source text is not terminated");
    }
    return SC_OK;
}

// Tables in order, each at the next aligned place, zeros between, and the counts
// related as a map's are. Everything behind this may use the tables' sizes.
static sc_err check_layout(const examined *e, sc_table *tables)
{
    const sc_scm_header *header = e->header;
    uint64_t end = sizeof *header;
    for (uint32_t kind = 0; kind < SC_TABLE_COUNT; kind++) {
        const sc_scm_table *table = &header->tables[kind];
        const size_t element_size = sc__table_element_size(kind);
        if (table->kind != kind || table->element_size != element_size ||
            table->offset != sc__scm_align(end) || table->offset > e->size ||
            table->count > (e->size - table->offset) / element_size) {
            return damaged(e, "the directory of tables is wrong");
        }
        for (uint64_t i = end; i < table->offset; i++) {
            if (e->bytes[i] != 0) return damaged(e, "unexpected bytes between its tables");
        }
        tables[kind].data = (void *)(uintptr_t)(e->bytes + table->offset);
        tables[kind].count = table->count;
        end = table->offset + table->count * element_size;
    }
    return end == e->size ? SC_OK : damaged(e, "unexpected bytes after its last table");
}

static sc_err check_counts(const examined *e, const sc_table *tables)
{
    const uint64_t nodes = e->header->node_count;
    const uint64_t edges = tables[SC_TABLE_EDGES].count;
    const uint64_t segments = tables[SC_TABLE_SEGMENTS].count;
    const uint64_t objects = tables[SC_TABLE_OBJECTS].count;
    const bool has_coords = e->header->coords != SC_COORDS_NONE;

    const bool sizes_fit =
        nodes < INT32_MAX && (has_coords || nodes <= sc__max_bare_nodes(edges)) &&
        edges < INT32_MAX && edges > 0 && segments > 1 && segments - 1 <= edges &&
        objects < INT32_MAX && tables[SC_TABLE_STARS].count > 1 &&
        tables[SC_TABLE_STARS].count - 1 <= nodes &&
        tables[SC_TABLE_STAR_SEGMENTS].count < INT32_MAX &&
        tables[SC_TABLE_STAR_NEIGHBOURS].count < INT32_MAX &&
        tables[SC_TABLE_STRINGS].count <= UINT32_MAX &&
        (tables[SC_TABLE_STRINGS].count > 0) ==
            (objects > 0 || tables[SC_TABLE_SEGMENT_NAMES].count > 0) &&
        tables[SC_TABLE_CATEGORIES].count <= objects &&
        tables[SC_TABLE_NEAREST_LISTS].count <=
            SC_METRIC_COUNT * (tables[SC_TABLE_CATEGORIES].count + 1) &&
        (tables[SC_TABLE_NEAREST_LISTS].count > 0) == (tables[SC_TABLE_NEAREST].count > 0);
    if (!sizes_fit) return damaged(e, "table sizes out of range");

    const sc_box_levels levels = sc__box_levels((uint32_t)edges);
    const bool sizes_agree =
        tables[SC_TABLE_NODES].count == (has_coords ? nodes : 0) &&
        tables[SC_TABLE_EDGE_CLASSES].count == edges &&
        tables[SC_TABLE_EDGE_TIMES].count == edges &&
        tables[SC_TABLE_SEGMENT_TIMES].count == segments - 1 &&
        (tables[SC_TABLE_SEGMENT_NAMES].count == 0 ||
         tables[SC_TABLE_SEGMENT_NAMES].count == segments - 1) &&
        tables[SC_TABLE_BOXES].count == (has_coords ? sc__box_group_count(&levels) : 0) &&
        tables[SC_TABLE_RUNS].count == (has_coords ? levels.box_count[0] : 0) &&
        tables[SC_TABLE_SEGMENT_OBJECTS].count == (objects > 0 ? segments : 0) &&
        tables[SC_TABLE_NEAREST_OTHERS].count == tables[SC_TABLE_NEAREST].count;
    return sizes_agree ? SC_OK : damaged(e, "table sizes do not agree");
}

// --- The tables ------------------------------------------------------------------

// One function per table says whether any of its elements [begin, end) names
// something that is not there. They gather their verdict instead of leaving
// early: without a branch the compiler checks several elements at once.
typedef bool find_fault(const sc_map *map, size_t begin, size_t end);

static bool fault_in_edges(const sc_map *map, size_t begin, size_t end)
{
    const sc_edge *edges = sc__edges(map);
    uint32_t bad = 0;
    for (size_t i = begin; i < end; i++) {
        bad |= edges[i].from >= map->node_count;
        bad |= edges[i].to >= map->node_count;
        bad |= edges[i].segment >= map->segment_count;
    }
    return bad;
}

// The entry behind the last segment only tells where its edges end.
static bool fault_in_segments(const sc_map *map, size_t begin, size_t end)
{
    const sc_segment *segments = sc__segments(map);
    uint32_t bad = segments[0].first_edge != 0;
    bad |= segments[map->segment_count].first_edge != map->edge_count;
    for (size_t i = begin; i < end && i < map->segment_count; i++) {
        bad |= segments[i].first_edge >= segments[i + 1].first_edge;
        bad |= segments[i].star_a >= map->star_count;
        bad |= (segments[i].star_b >= map->star_count) & (segments[i].star_b != SC_NONE);
    }
    return bad;
}

static bool fault_in_stars(const sc_map *map, size_t begin, size_t end)
{
    const sc_star *stars = sc__stars(map);
    const sc_star *last = &stars[map->star_count];
    uint32_t bad = stars[0].first_segment != 0 || stars[0].first_neighbour != 0;
    bad |= last->first_segment != map->tables[SC_TABLE_STAR_SEGMENTS].count;
    bad |= last->first_neighbour != map->tables[SC_TABLE_STAR_NEIGHBOURS].count;
    for (size_t i = begin; i < end && i < map->star_count; i++) {
        bad |= stars[i].node >= map->node_count;
        bad |= stars[i].first_segment > stars[i + 1].first_segment;
        bad |= stars[i].first_neighbour > stars[i + 1].first_neighbour;
    }
    return bad;
}

static bool fault_in_ids(const uint32_t *ids, uint64_t bound, size_t begin, size_t end)
{
    uint32_t bad = 0;
    for (size_t i = begin; i < end; i++) {
        bad |= ids[i] >= bound;
    }
    return bad;
}

static bool fault_in_star_segments(const sc_map *map, size_t begin, size_t end)
{
    return fault_in_ids(sc_map_star_segments(map), map->segment_count, begin, end);
}

static bool fault_in_star_neighbours(const sc_map *map, size_t begin, size_t end)
{
    return fault_in_ids(sc_map_star_neighbours(map), map->star_count, begin, end);
}

static bool fault_in_objects(const sc_map *map, size_t begin, size_t end)
{
    const sc_object *objects = sc__objects(map);
    const uint64_t string_bytes = map->tables[SC_TABLE_STRINGS].count;
    uint32_t bad = 0;
    for (size_t i = begin; i < end; i++) {
        bad |= objects[i].edge >= map->edge_count;
        bad |= objects[i].category >= map->category_count;
        bad |= objects[i].name >= string_bytes;
    }
    return bad;
}

static bool fault_in_segment_objects(const sc_map *map, size_t begin, size_t end)
{
    const sc_object_id *starts = map->tables[SC_TABLE_SEGMENT_OBJECTS].data;
    uint32_t bad = starts[0] != 0 || starts[map->segment_count] != map->object_count;
    for (size_t i = begin; i < end && i < map->segment_count; i++) {
        bad |= starts[i] > starts[i + 1];
    }
    return bad;
}

static bool fault_in_categories(const sc_map *map, size_t begin, size_t end)
{
    return fault_in_ids(map->tables[SC_TABLE_CATEGORIES].data, map->tables[SC_TABLE_STRINGS].count,
                        begin, end);
}

static bool fault_in_segment_names(const sc_map *map, size_t begin, size_t end)
{
    return fault_in_ids(map->tables[SC_TABLE_SEGMENT_NAMES].data,
                        map->tables[SC_TABLE_STRINGS].count, begin, end);
}

// A string that is not ended would be read beyond the table.
static bool fault_in_strings(const sc_map *map, size_t begin, size_t end)
{
    const sc_table strings = map->tables[SC_TABLE_STRINGS];
    (void)begin;
    return end == strings.count && ((const char *)strings.data)[end - 1] != '\0';
}

// Lists ascend by metric, then by category, all categories together (SC_NONE) last; each begins
// where the one before ends, and the last ends with the entries.
static bool fault_in_nearest_lists(const sc_map *map, size_t begin, size_t end)
{
    const sc_table table = map->tables[SC_TABLE_NEAREST_LISTS];
    const sc_nearest_list *lists = table.data;
    const uint64_t entry_count = map->tables[SC_TABLE_NEAREST].count;
    uint32_t bad = 0;
    for (size_t i = begin; i < end; i++) {
        const sc_nearest_list *list = &lists[i];
        const uint64_t first =
            i > 0 ? lists[i - 1].first + (uint64_t)map->star_count * lists[i - 1].k : 0;
        const uint64_t size = (uint64_t)map->star_count * list->k;
        bad |= list->category >= map->category_count && list->category != SC_NONE;
        bad |= list->metric >= SC_METRIC_COUNT;
        bad |= i > 0 &&
               (list->metric < lists[i - 1].metric ||
                (list->metric == lists[i - 1].metric && list->category <= lists[i - 1].category));
        bad |= list->k < 1 || list->k > SC_NEAREST_MAX_K;
        bad |= list->first != first || first > entry_count || size > entry_count - first;
        bad |= i == table.count - 1 && first + size != entry_count;
    }
    return bad;
}

// Entries in the order that they must have: by cost, then by object, unused ones last.
static uint64_t rank(sc_nearest entry)
{
    return entry.object == SC_NONE ? UINT64_MAX : (uint64_t)entry.cost << 32 | entry.object;
}

// Whether something is wrong with entries [begin, end), all of one list.
static bool fault_in_list(const sc_map *map, const sc_nearest_list *list, size_t begin, size_t end)
{
    const sc_nearest *entries = map->tables[SC_TABLE_NEAREST].data;
    const sc_object *objects = sc__objects(map);
    const bool has_category = list->category != SC_NONE;
    uint32_t bad = 0;
    uint32_t place = (uint32_t)((begin - list->first) % list->k);  // among those of its star
    for (size_t i = begin; i < end; i++) {
        const sc_nearest entry = entries[i];
        if (entry.object == SC_NONE) {
            bad |= entry.cost != SC_NEAREST_ALL && entry.cost != SC_NEAREST_CUT;
            bad |=
                place > 0 && entries[i - 1].object == SC_NONE && entries[i - 1].cost != entry.cost;
        } else if (entry.object < map->object_count) {
            bad |= entry.cost == SC_NEAREST_CUT;
            bad |= has_category && objects[entry.object].category != list->category;
            bad |= place > 0 && rank(entries[i - 1]) >= rank(entry);
        } else {
            return true;
        }
        place = place + 1 < list->k ? place + 1 : 0;
    }
    return bad;
}

// The list that an entry belongs to. Lists have been examined before, and cover all entries.
static const sc_nearest_list *list_of(const sc_map *map, size_t entry)
{
    size_t count = map->tables[SC_TABLE_NEAREST_LISTS].count;
    const sc_nearest_list *lists = map->tables[SC_TABLE_NEAREST_LISTS].data;
    size_t low = 0;
    while (count - low > 1) {
        const size_t middle = low + (count - low) / 2;
        if (lists[middle].first <= entry) {
            low = middle;
        } else {
            count = middle;
        }
    }
    return &lists[low];
}

static bool fault_in_nearest(const sc_map *map, size_t begin, size_t end)
{
    bool bad = false;
    for (size_t i = begin; i < end;) {
        const sc_nearest_list *list = list_of(map, i);
        const size_t behind = list->first + (size_t)map->star_count * list->k;
        const size_t stop = end < behind ? end : behind;
        bad |= fault_in_list(map, list, i, stop);
        i = stop;
    }
    return bad;
}

// Nodes, classes, times, boxes and runs name nothing.
static find_fault *const finders[SC_TABLE_COUNT] = {
    [SC_TABLE_EDGES] = fault_in_edges,
    [SC_TABLE_SEGMENTS] = fault_in_segments,
    [SC_TABLE_STARS] = fault_in_stars,
    [SC_TABLE_STAR_SEGMENTS] = fault_in_star_segments,
    [SC_TABLE_STAR_NEIGHBOURS] = fault_in_star_neighbours,
    [SC_TABLE_OBJECTS] = fault_in_objects,
    [SC_TABLE_SEGMENT_OBJECTS] = fault_in_segment_objects,
    [SC_TABLE_CATEGORIES] = fault_in_categories,
    [SC_TABLE_STRINGS] = fault_in_strings,
    [SC_TABLE_SEGMENT_NAMES] = fault_in_segment_names,
    [SC_TABLE_NEAREST_LISTS] = fault_in_nearest_lists,
    [SC_TABLE_NEAREST] = fault_in_nearest,
};

// Checksum and ids in one pass, block by block, so that the second look at a
// block finds it in the nearest cache.
static sc_err check_table(const examined *e, const sc_map *map, sc_table_kind kind,
                          XXH3_state_t *state)
{
    enum { BLOCK_BYTES = 1 << 15 };
    const sc_scm_table *table = &e->header->tables[kind];
    const size_t size = table->element_size;
    const size_t block = BLOCK_BYTES / size;
    bool bad = false;
    XXH3_64bits_reset(state);
    for (size_t begin = 0; begin < table->count; begin += block) {
        const size_t left = table->count - begin;
        const size_t count = left < block ? left : block;
        XXH3_64bits_update(state, e->bytes + table->offset + begin * size, count * size);
        if (finders[kind]) bad |= finders[kind](map, begin, begin + count);
    }
    if (XXH3_64bits_digest(state) != table->checksum) {
        return table_damaged(e, kind, "the checksum does not match");
    }
    return bad ? table_damaged(e, kind, "a number is out of range") : SC_OK;
}

static sc_err check_tables(const examined *e, const sc_map *map)
{
    XXH3_state_t *state = XXH3_createState();
    if (!state) return sc_fail_memory(e->diag, "opening a map");
    sc_err err = SC_OK;
    for (int kind = 0; kind < SC_TABLE_COUNT && !err; kind++) {
        err = check_table(e, map, (sc_table_kind)kind, state);
    }
    XXH3_freeState(state);
    return err;
}

// --- Opening: all of it ---------------------------------------------------------------------

static sc_err examine(const examined *e, sc_map *map)
{
    sc_err err = check_header(e);
    if (!err) err = check_measures(e);
    if (!err) err = check_layout(e, map->tables);
    if (!err) err = check_counts(e, map->tables);
    if (err) return err;

    const sc_scm_header *header = e->header;
    map->coords = (sc_coords)header->coords;
    map->in_metres = header->in_metres;
    map->unit_m = header->unit_m;
    map->time_unit_s = header->time_unit_s;
    map->grid = (sc_grid){header->origin_x, header->origin_y, header->grid_per_unit};
    map->checksum = header->map_checksum;
    memcpy(map->source, header->source, sizeof map->source);
    map->node_count = header->node_count;
    map->edge_count = (uint32_t)map->tables[SC_TABLE_EDGES].count;
    map->segment_count = (uint32_t)map->tables[SC_TABLE_SEGMENTS].count - 1;
    map->star_count = (uint32_t)map->tables[SC_TABLE_STARS].count - 1;
    map->object_count = (uint32_t)map->tables[SC_TABLE_OBJECTS].count;
    map->category_count = (uint32_t)map->tables[SC_TABLE_CATEGORIES].count;
    map->levels = sc__box_levels(map->edge_count);
    return check_tables(e, map);
}

// The map in these bytes, or NULL with the reason in *err.
static sc_map *open_bytes(const void *bytes, size_t size, const char *name, sc_err *err,
                          sc_diag *diag)
{
    sc_map *map = sc_calloc(1, sizeof *map);
    if (!map) {
        *err = sc_fail_memory(diag, "opening a map");
        return NULL;
    }
    const examined e = {name, bytes, size, bytes, diag};
    *err = examine(&e, map);
    if (!*err) return map;
    sc_map_free(map);
    return NULL;
}

sc_err sc_map_open_memory(const void *bytes, size_t size, const char *name, sc_map **out,
                          sc_diag *diag)
{
    if ((uintptr_t)bytes % sizeof(uint64_t) != 0) {
        return sc_fail(diag, SC_EINVAL, "%s: the bytes of a map must be aligned to 8", name);
    }
    sc_err err = SC_OK;
    sc_map *map = open_bytes(bytes, size, name, &err, diag);
    if (map) *out = map;
    return err;
}

sc_err sc_map_open(const char *path, sc_map **out, sc_diag *diag)
{
    sc_file file = {0};
    sc_err err = sc_file_map(path, &file, diag);
    if (err) return err;
    sc_map *map = open_bytes(file.input.data, file.input.size, path, &err, diag);
    if (!map) {
        sc_file_close(&file);
        return err;
    }
    map->file = file;
    map->file.input.name = "";  // the caller's, and no longer needed
    *out = map;
    return SC_OK;
}
