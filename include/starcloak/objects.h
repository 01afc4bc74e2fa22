/**
 * @file objects.h
 * @brief A set of objects on a map, ready to be asked: the provider's stock.
 *
 * A set never changes. It is the map's own, or built from rows that come from
 * elsewhere (object_feed.h); a newer set replaces an older one as a whole, and
 * users of the older one hold it until done: so no answer mixes two.
 *
 * With its *nearest index* a set knows, for every star and for each category as well as for
 * all of them together, the few nearest objects: most requests are then a look-up.
 * `starcloak map index` stores that of a map's own objects in the `.scm` file.
 */
#ifndef STARCLOAK_OBJECTS_H
#define STARCLOAK_OBJECTS_H

#include <starcloak/map.h>
#include <starcloak/progress.h>
#include <starcloak/relay.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Objects on a map. Read by any number of threads; counted by its holders. */
typedef struct sc_objects sc_objects;

/**
 * The map's own objects, with the index stored in the map, if there is one. Time O(segments +
 * objects).
 *
 * @param map  borrowed; must outlive the result
 * @param out  held once; give back with sc_objects_release()
 * @return SC_OK, SC_ENOMEM, SC_EMAP (objects that are not where the map says: it opens, but
 *         sc_map_check() would refuse it)
 */
SC_API SC_CHECKED sc_err sc_objects_new_from_map(const sc_map *map, sc_objects **out);

/** Hold it once more; returns it. Any thread. */
SC_API sc_objects *sc_objects_hold(sc_objects *objects);

/** Give it back; the last one given back frees it. NULL is fine. Any thread. */
SC_API void sc_objects_release(sc_objects *objects);

/** The map that they lie on. */
SC_API const sc_map *sc_objects_map(const sc_objects *objects);

/** The objects by number: by edge and then by offset. Lent. */
SC_API const sc_object_table *sc_objects_table(const sc_objects *objects);

/** The words for their categories: the map's own first, then others that came with rows. Lent. */
SC_API const sc_vocabulary *sc_objects_vocabulary(const sc_objects *objects);

// --- A set of one's own ----------------------------------------------------

/** A set being put together. One thread. */
typedef struct sc_objects_builder sc_objects_builder;

SC_API SC_CHECKED sc_err sc_objects_builder_new(const sc_map *map, sc_objects_builder **out);

/** NULL is fine. */
SC_API void sc_objects_builder_free(sc_objects_builder *builder);

/** An object to add. Texts are UTF-8, and copied. */
typedef struct sc_object_row {
    sc_edge_id edge;
    double offset_m;       ///< along the edge, from its `from`; kept within the edge
    const char *key;       ///< how its owner calls it: not empty, and no other object of the set
    const char *category;  ///< not empty
    const char *name;      ///< may be NULL
} sc_object_row;

/**
 * Add an object. One that is refused changes nothing.
 *
 * @return SC_OK, SC_ENOMEM, SC_EINVAL (no such edge, an offset that is not a number, a text that is
 *         empty or not UTF-8), SC_EDUPLICATE (another object has that key), SC_ELIMIT
 */
SC_API SC_CHECKED sc_err sc_objects_builder_add(sc_objects_builder *builder,
                                                const sc_object_row *row, sc_diag *diag);

/** Make the set. The builder is empty afterwards, also on failure. */
SC_API SC_CHECKED sc_err sc_objects_builder_finish(sc_objects_builder *builder, sc_objects **out);

// --- The nearest index -----------------------------------------------------

typedef struct sc_index_options {
    uint32_t k;        ///< objects kept per star and list; 1 to 64
    size_t max_bytes;  ///< lists that would exceed this are left out, those of the most frequent
                       ///< categories first; the list of all categories is the last to go
    unsigned threads;  ///< 0: as many as there are processors
    sc_progress progress;
} sc_index_options;

/** Eight objects (64 bytes: a cache line) per star and list, one gigabyte. */
SC_API sc_index_options sc_index_options_default(void);

/**
 * Build the index, one sweep per list: a search from all objects of a category at once, in
 * which every star is reached by its k nearest. Before the set is shared with others. What was
 * there is replaced.
 *
 * @return SC_OK, SC_ENOMEM, SC_EINVAL (k out of range)
 */
SC_API SC_CHECKED sc_err sc_objects_build_index(sc_objects *objects,
                                                const sc_index_options *options, sc_diag *diag);

/** What an index holds. */
typedef struct sc_index_info {
    uint32_t k;           ///< 0: there is no index
    uint32_t list_count;  ///< categories with lists, that of all together among them
    uint32_t left_out;    ///< categories without, for lack of room
    size_t bytes;
} sc_index_info;

SC_API sc_index_info sc_objects_index_info(const sc_objects *objects);

/**
 * Whether the index is right: it is built again and compared. Of equally far objects the lowest
 * number comes first, so there is one right index.
 *
 * @return SC_OK (also without an index), SC_EMAP with the first difference, SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_objects_check_index(const sc_objects *objects, sc_diag *diag);

/** Write the map of `objects`, which must be its own, with their index; as sc_map_save(). */
SC_API SC_CHECKED sc_err sc_objects_save_map(const sc_objects *objects, const char *path,
                                             sc_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
