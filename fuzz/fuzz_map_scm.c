// Door: map files (.scm). Whatever the bytes, opening ends; a map that opens
// answers every question without leaving its memory, and its own check accepts
// it or says why not. So does the check of its nearest index, and an index can be
// made of whatever objects it has.
//
// The first byte says how the rest is taken: bit 0 mends magic, sizes and
// checksums, so that mutations reach the checks behind them; bit 1 also makes
// the sizes of the tables agree, so that they reach the ids in the tables.
#include "door.h"

#include <starcloak/objects.h>

#include "map/scm_file.h"

#include <xxhash.h>

enum { MEND_CHECKSUMS = 1, MEND_COUNTS = 2 };

/** Larger maps without coordinates are opened, but not walked: nodes cost no bytes there. */
enum { MAX_WALKED_NODES = 1 << 20 };

static void mend_counts(sc_scm_header *header)
{
    sc_scm_table *tables = header->tables;
    const uint64_t edges = tables[SC_TABLE_EDGES].count & 0xff;
    const bool has_coords = header->coords != SC_COORDS_NONE;
    const sc_box_levels levels = sc__box_levels(edges > 0 ? (uint32_t)edges : 1);
    header->node_count &= 0xff;
    header->coords %= 3;
    tables[SC_TABLE_NODES].count = has_coords ? header->node_count : 0;
    tables[SC_TABLE_EDGES].count = edges;
    tables[SC_TABLE_EDGE_CLASSES].count = edges;
    tables[SC_TABLE_EDGE_TIMES].count = edges;
    tables[SC_TABLE_BOXES].count = has_coords ? sc__box_group_count(&levels) : 0;
    tables[SC_TABLE_RUNS].count = has_coords ? levels.box_count[0] : 0;
    const uint64_t segments = tables[SC_TABLE_SEGMENTS].count;
    tables[SC_TABLE_SEGMENT_TIMES].count = segments > 0 ? segments - 1 : 0;
    if (tables[SC_TABLE_SEGMENT_NAMES].count > 0) {
        tables[SC_TABLE_SEGMENT_NAMES].count = tables[SC_TABLE_SEGMENT_TIMES].count;
    }
    tables[SC_TABLE_SEGMENT_OBJECTS].count =
        tables[SC_TABLE_OBJECTS].count > 0 ? tables[SC_TABLE_SEGMENTS].count : 0;
    tables[SC_TABLE_NEAREST_LISTS].count %= tables[SC_TABLE_CATEGORIES].count + 2;
    if (tables[SC_TABLE_NEAREST_LISTS].count == 0) tables[SC_TABLE_NEAREST].count = 0;
    tables[SC_TABLE_NEAREST_OTHERS].count = tables[SC_TABLE_NEAREST].count;
}

// The file that the header describes, as far as the bytes reach, with everything
// right that can be computed.
static uint8_t *mend(const uint8_t *data, size_t size, unsigned how, size_t *mended_size)
{
    sc_scm_header header;
    memset(&header, 0, sizeof header);
    if (size > 0) memcpy(&header, data, size < sizeof header ? size : sizeof header);
    memcpy(header.magic, SC_SCM_MAGIC, sizeof header.magic);
    header.version = SC_SCM_VERSION;
    header.table_count = SC_TABLE_COUNT;
    if (how & MEND_COUNTS) mend_counts(&header);

    sc_table tables[SC_TABLE_COUNT] = {{0}};
    for (uint32_t kind = 0; kind < SC_TABLE_COUNT; kind++) {
        const uint64_t most = DOOR_MAX_SIZE / sc__table_element_size(kind);
        const uint64_t count = header.tables[kind].count;
        tables[kind].count = count < most ? count : most;
    }
    header.file_size = sc__scm_lay_out(tables, header.tables);
    uint8_t *file = calloc(1, header.file_size);
    if (!file) abort();
    for (uint32_t kind = 0; kind < SC_TABLE_COUNT; kind++) {
        sc_scm_table *table = &header.tables[kind];
        const size_t bytes = table->count * table->element_size;
        const size_t left = table->offset < size ? size - table->offset : 0;
        memcpy(file + table->offset, data + (left > 0 ? table->offset : 0),
               left < bytes ? left : bytes);
        table->checksum = XXH3_64bits(file + table->offset, bytes);
    }
    header.map_checksum = sc__scm_map_checksum(&header);
    header.header_checksum = sc__scm_header_checksum(&header);
    memcpy(file, &header, sizeof header);
    *mended_size = header.file_size;
    return file;
}

// The objects of a map that opened, and their index; `is_sound` says what sc_map_check() thought.
static void exercise_objects(const sc_map *map, bool is_sound)
{
    sc_objects *objects = NULL;
    const sc_err err = sc_objects_new_from_map(map, &objects);
    DOOR_PROMISE(!err || (err == SC_EMAP && !is_sound), "the objects of a sound map are a set");
    if (err) return;

    sc_diag diag = {""};
    const sc_err wrong = sc_objects_check_index(objects, &diag);
    if (wrong) door_refused(wrong, &diag, NULL, 0);
    const sc_index_options options = {.k = 3, .max_bytes = DOOR_MAX_SIZE, .threads = 1};
    DOOR_PROMISE(!sc_objects_build_index(objects, &options, &diag), "any objects can be indexed");
    DOOR_PROMISE(!sc_objects_check_index(objects, &diag), "an index that was made is right");
    sc_objects_release(objects);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > DOOR_MAX_SIZE) return 0;
    const unsigned how = data[0];
    size_t file_size = size - 1;
    uint8_t *file = how & MEND_CHECKSUMS ? mend(data + 1, size - 1, how, &file_size)
                                         : door_copy(data + 1, size - 1);
    const sc_input input = {"a.scm", file, file_size};
    sc_map *map = NULL;
    sc_diag diag = {""};
    const sc_err err = sc_map_open_memory(file, file_size, input.name, &map, &diag);
    if (err) {
        DOOR_PROMISE(err == SC_EFORMAT, "a map that does not open is damaged");
        door_refused(err, &diag, &input, 1);
    } else if (sc_map_node_count(map) <= MAX_WALKED_NODES) {
        door_exercise(map);
        const sc_err broken = sc_map_check(map, &diag);
        if (broken) door_refused(broken, &diag, NULL, 0);
        exercise_objects(map, !broken);
    }
    sc_map_free(map);
    free(file);
    return 0;
}
