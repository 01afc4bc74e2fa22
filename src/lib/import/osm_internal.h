/**
 * @file osm_internal.h
 * @brief How the parts of the OpenStreetMap reader hang together.
 *
 * Two parsers (osm_pbf.c with osm_pbf_block.c, osm_xml.c) turn bytes into ways
 * and nodes and hand them to one collector (osm_ways.c), which knows nothing of
 * files. Ways come first, since they decide which of the many nodes matter:
 *
 *  1. Every input is read for its ways. Roads the filter wants and closed ways
 *     that are objects are kept with their references. (XML is expensive to
 *     parse, so its nodes are noted in passing: 24 bytes each, less than their
 *     text takes. The nodes of pbf are read again in step 3.)
 *  2. sc__osm_resolve(): references become numbers of the distinct nodes.
 *  3. The nodes are read; those with a number get their coordinates, those with the
 *     right tags become objects.
 *  4. Everything goes to the builder (load_osm.c).
 *
 * Invariants:
 *  - Nodes go to the builder in ascending order of id, ways and objects too, so
 *    that the map depends neither on the order of the elements in a file nor on
 *    that of the files.
 *  - Memory follows the plain size of the input: a message that claims to hold
 *    more than its bytes could is refused before room is made for it.
 */
#ifndef SC_IMPORT_OSM_INTERNAL_H
#define SC_IMPORT_OSM_INTERNAL_H

#include "base/hash.h"
#include "base/text.h"
#include "import/import_internal.h"

#include <stdbool.h>
#include <stdint.h>

// --- Tags (osm_tags.c) -----------------------------------------------------

/** What a key means. From SC__OSM_KEY_OBJECT on: rows of the object table; from SC__OSM_KEY_ROAD
 * on: what osm_profile.c reads of a road. */
enum {
    SC__OSM_KEY_OTHER = 0,
    SC__OSM_KEY_HIGHWAY = 1,
    SC__OSM_KEY_NAME = 2,
    SC__OSM_KEY_OBJECT = 3,
    SC__OSM_KEY_ROAD = 32,
};

/** Keys that matter for roads. */
typedef enum sc__osm_road_key {
    SC__OSM_ONEWAY,
    SC__OSM_ONEWAY_BICYCLE,
    SC__OSM_ONEWAY_FOOT,
    SC__OSM_JUNCTION,
    SC__OSM_CYCLEWAY,
    SC__OSM_ACCESS,
    SC__OSM_VEHICLE,
    SC__OSM_MOTOR_VEHICLE,
    SC__OSM_MOTORCAR,
    SC__OSM_BICYCLE,
    SC__OSM_FOOT,
    SC__OSM_MOTORROAD,
    SC__OSM_MAXSPEED,
    SC__OSM_MAXSPEED_FORWARD,
    SC__OSM_MAXSPEED_BACKWARD,
    SC__OSM_REF,
    SC__OSM_INT_REF,
    SC__OSM_ROUTE,
    SC__OSM_DURATION,
    SC__OSM_ROAD_KEY_COUNT,
} sc__osm_road_key;

/** Their values, for those whose bit is set in `given`. Setting `given` to 0 empties it. */
typedef struct sc__osm_road_tags {
    uint32_t given;
    sc_slice values[SC__OSM_ROAD_KEY_COUNT];
} sc__osm_road_tags;

/** Texts already taken in, by what they are used as; 0: not yet, else the text's number + 1. */
typedef struct sc__osm_text_cache {
    uint32_t as_name;
    uint32_t as_category;
} sc__osm_text_cache;

/** The tags of one element, as far as they matter. Slices with a NULL text are absent. */
typedef struct sc__osm_tags {
    sc_slice highway;
    sc_slice name;
    sc_slice object;  ///< value of the object key that ranks first
    unsigned object_key;
    sc__osm_text_cache *name_cache;  ///< may be NULL
    sc__osm_text_cache *object_cache;
    sc__osm_road_tags *road;  ///< NULL for nodes, which are no roads
} sc__osm_tags;

/** The meaning of a key. */
unsigned sc__osm_key(sc_slice key);

/** Note one tag; `key` from sc__osm_key(), `cache` of the value or NULL. */
void sc__osm_tags_add(sc__osm_tags *tags, unsigned key, sc_slice value, sc__osm_text_cache *cache);

/**
 * The category of an element with an object tag: the value's first part (before
 * a ';'), or the key where the value is "yes".
 *
 * @param is_key  set when it is the key
 */
sc_slice sc__osm_category(const sc__osm_tags *tags, bool *is_key);

/** Which highway values are wanted. Zero-initialise; the words are borrowed from the options. */
typedef struct sc__osm_filter {
    sc_slice *words;
    size_t count;
    size_t capacity;
    bool all;
} sc__osm_filter;

/** Read `ways`. SC_EINVAL where a word is empty. */
SC_CHECKED sc_err sc__osm_filter_init(sc__osm_filter *filter, const char *ways, sc_diag *diag);
void sc__osm_filter_fini(sc__osm_filter *filter);
bool sc__osm_filter_wants(const sc__osm_filter *filter, sc_slice highway);

// --- Roads (osm_profile.c) -------------------------------------------------

/** The class of a road by its highway value. */
sc_road_class sc__osm_road_class(sc_slice highway);

/** The set of highway values that a profile travels on. */
const char *sc__osm_profile_ways(sc_import_profile profile);

/** Whether a road that is not in that set has a tag of its own for the profile that opens it. */
bool sc__osm_profile_opens(sc_import_profile profile, const sc__osm_tags *tags);

/** How fast one goes along a way. */
typedef struct sc__osm_passage {
    float forward_m_s;  ///< 0: closed in that direction
    float backward_m_s;
    float duration_s;  ///< of a ferry as a whole, then in place of speeds; 0: not known
    uint8_t road_class;
    bool is_usual;  ///< both ways, as that class says
} sc__osm_passage;

/** Find it; false where the way is closed to the profile. */
bool sc__osm_passage_find(sc_import_profile profile, const sc__osm_tags *tags,
                          sc__osm_passage *out);

/** Whether the way is the line of a ferry. */
bool sc__osm_is_ferry(const sc__osm_tags *tags);

/** A value of maxspeed in km/h; false if it has no number or is not understood. */
bool sc__osm_max_speed(sc_slice value, double *km_h);

/** A duration in seconds: "mm", "hh:mm", "hh:mm:ss" or "PT1H30M"; 0 if it is none. */
double sc__osm_duration(sc_slice value);

/** The number of a road, "A 5"; empty if it has none. */
sc_slice sc__osm_road_number(const sc__osm_road_tags *tags);

// --- Texts (osm_tags.c) ---------------------------------------------------

/** Where a text lies among the bytes. */
typedef struct sc__osm_text {
    uint32_t offset;
    uint32_t size;
} sc__osm_text;

/** Texts, each kept once and known by its number. Zero-initialise. */
typedef struct sc__osm_texts {
    char *bytes;
    size_t size;
    size_t byte_capacity;
    sc__osm_text *texts;
    size_t count;
    size_t capacity;
    sc_hash numbers;  ///< hash of a text -> its number
} sc__osm_texts;

/**
 * The number of `text`, once it has been made presentable: cut at 255 characters
 * (OpenStreetMap's own limit), bytes that are not UTF-8 replaced by U+FFFD,
 * control characters by blanks.
 *
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT (4 GiB of texts)
 */
SC_CHECKED sc_err sc__osm_texts_put(sc__osm_texts *texts, sc_slice text, uint32_t *out);
sc_slice sc__osm_texts_at(const sc__osm_texts *texts, uint32_t number);
void sc__osm_texts_fini(sc__osm_texts *texts);

// --- Sorting by id (osm_ways.c) --------------------------------------------

/** A 64-bit id with what it stands for. */
typedef struct sc__osm_keyed {
    int64_t id;
    uint64_t index;
} sc__osm_keyed;

/** Sort by id, equal ids in the order they had. Time O(count), room for a copy. */
SC_CHECKED sc_err sc__osm_sort(sc__osm_keyed *items, size_t count);

// --- The collector (osm_ways.c, load_osm.c) --------------

/** Where something was read: which input, and the line (XML) or the byte of the blob (pbf). */
typedef struct sc__osm_place {
    uint64_t at;
    uint32_t input;
} sc__osm_place;

/** Longitude and latitude in units of 1e-7 degrees, the resolution of OpenStreetMap. */
typedef struct sc__osm_point {
    int32_t x;
    int32_t y;
} sc__osm_point;

/** The x of a node that was not found. */
#define SC__OSM_NO_POINT INT32_MIN

/** The ends of the globe on that grid. */
enum { SC__OSM_MAX_X = 1800000000, SC__OSM_MAX_Y = 900000000 };

/** A way that is kept: a road, or the outline of an object. */
typedef struct sc__osm_way {
    int64_t id;
    sc__osm_place place;
    size_t first_ref;
    uint32_t ref_count;
    uint32_t category;  ///< object: text number
    uint32_t name;      ///< text number; of a road SC_NONE if it has none
    sc__osm_passage passage;
} sc__osm_way;

/** Ways with their references, and the nodes these stand for. */
typedef struct sc__osm_ways {
    sc__osm_way *ways;
    size_t count;
    size_t capacity;

    /** Ids of nodes; after sc__osm_resolve() indexes into `ids` and `points`. */
    int64_t *refs;
    size_t ref_count;
    size_t ref_capacity;

    int64_t *ids;  ///< the distinct nodes, ascending
    sc__osm_point *points;
    size_t id_count;
    size_t hint;  ///< where the last search ended: the next is likely near
} sc__osm_ways;

/** An object that is a node. */
typedef struct sc__osm_object {
    int64_t id;
    sc__osm_point point;
    uint32_t category;
    uint32_t name;
} sc__osm_object;

/** A node of an XML file, waiting for the ways to be known. */
typedef struct sc__osm_waiting {
    int64_t id;
    sc__osm_point point;
    uint32_t line;  ///< stays at the largest number it can hold
    uint32_t input;
} sc__osm_waiting;

/** A pbf blob that holds nodes, to be read again. */
typedef struct sc__osm_blob {
    sc__osm_place place;
    size_t start;  ///< of the Blob message, behind its header
    size_t size;
    uint8_t *plain;  ///< its unpacked content, owned; NULL where it must be unpacked again
    size_t plain_size;
} sc__osm_blob;

enum { SC__OSM_CENSUS_SIZE = 16, SC__OSM_CENSUS_TEXT = 32 };

/** Which highways the filter did not want; listed where it wanted none. */
typedef struct sc__osm_census {
    struct {
        char value[SC__OSM_CENSUS_TEXT];
        uint64_t count;
    } rows[SC__OSM_CENSUS_SIZE];
    size_t row_count;
    uint64_t others;  ///< ways whose value found no row
} sc__osm_census;

/** Everything collected so far. */
typedef struct sc__osm {
    const sc_load *load;
    sc__osm_filter filter;
    sc__osm_ways roads;
    sc__osm_ways areas;  ///< closed ways that are objects
    sc__osm_texts texts;
    sc__osm_object *objects;
    size_t object_count;
    size_t object_capacity;
    sc__osm_waiting *waiting;
    size_t waiting_count;
    size_t waiting_capacity;
    sc__osm_blob *blobs;
    size_t blob_count;
    size_t blob_capacity;
    size_t plain_held;  ///< bytes of unpacked blobs that are kept
    sc__osm_census census;
} sc__osm;

void sc__osm_fini(sc__osm *osm);

/** "FILE:LINE: ..." or "FILE: byte N: ..."; returns `err`. */
sc_err sc__osm_fail(const sc__osm *osm, sc__osm_place place, sc_err err, const char *format, ...)
    SC_PRINTF(4, 5);

/** Out of memory while reading OpenStreetMap data; returns SC_ENOMEM. */
sc_err sc__osm_fail_memory(const sc__osm *osm);

/** Keep a way as a road or an object, or drop it. */
SC_CHECKED sc_err sc__osm_add_way(sc__osm *osm, sc__osm_place place, int64_t id,
                                  const int64_t *refs, size_t ref_count, const sc__osm_tags *tags);

/** Keep a node as an object, if its tags make it one. */
SC_CHECKED sc_err sc__osm_add_object(sc__osm *osm, int64_t id, sc__osm_point point,
                                     const sc__osm_tags *tags);

/** Keep a node until the ways are known. */
SC_CHECKED sc_err sc__osm_add_waiting(sc__osm *osm, const sc__osm_waiting *node);

/** Remember a blob that holds nodes; its plain content is then owned. */
SC_CHECKED sc_err sc__osm_add_blob(sc__osm *osm, const sc__osm_blob *blob);

/** All ways are known: order them, and number the nodes they name. */
SC_CHECKED sc_err sc__osm_resolve(sc__osm *osm);

/** Set the coordinates of a node; those that no way refers to are skipped. */
SC_CHECKED sc_err sc__osm_place_node(sc__osm *osm, sc__osm_place place, int64_t id,
                                     sc__osm_point point);

/**
 * The middle of a closed way: the centroid of its area; for a ring without one,
 * or one that crosses itself so that the centroid lies outside its bounds, the
 * mean of its corners. `points` with x SC__OSM_NO_POINT are skipped.
 *
 * @param points  without the last, which repeats the first
 * @return false where no corner has a place
 */
bool sc__osm_ring_middle(const sc__osm_point *points, size_t count, double *x, double *y);

// --- The parsers -----------------------------------------------------------

/** Memory for unpacked messages, released in one sweep (osm_pbf.c). */
typedef struct sc__osm_chunk sc__osm_chunk;
typedef struct sc__osm_arena {
    sc__osm_chunk *chunks;
    size_t used;   ///< bytes given out since the last reset
    size_t limit;  ///< how many may be
    bool out_of_memory;
    bool over_limit;
} sc__osm_arena;

void sc__osm_arena_fini(sc__osm_arena *arena);

/**
 * Unpack a message into the arena, which is reset first.
 *
 * @return the message, lent until the next reset; NULL when it is not one, takes
 *         more memory than an honest message of its size, or memory is out (see
 *         sc__osm_fail_unpack())
 */
struct ProtobufCMessageDescriptor;
void *sc__osm_unpack(sc__osm_arena *arena, const struct ProtobufCMessageDescriptor *descriptor,
                     const uint8_t *bytes, size_t size);

/** Say why sc__osm_unpack() gave NULL for `what`. */
sc_err sc__osm_fail_unpack(const sc__osm *osm, const sc__osm_arena *arena, sc__osm_place place,
                           const char *what);

/** What of a block is to be read. */
typedef enum sc__osm_wanted { SC__OSM_WAYS, SC__OSM_NODES } sc__osm_wanted;

typedef struct sc__osm_string sc__osm_string;

/** The block of elements at hand (osm_pbf_block.c). Zero-initialise but for `osm`. */
typedef struct sc__osm_block {
    sc__osm *osm;
    sc__osm_place place;
    sc__osm_arena arena;  ///< for one message after the other

    bool has_strings;  ///< whether `strings` are those of this block
    const uint8_t *string_table;
    size_t string_table_size;
    sc__osm_string *strings;
    size_t string_count;
    size_t string_capacity;

    int64_t *refs;  ///< of the way at hand
    size_t ref_capacity;

    // A coordinate in nanodegrees is offset + granularity * number.
    int64_t granularity;
    int64_t lat_offset;
    int64_t lon_offset;
} sc__osm_block;

/**
 * Read ways or nodes from the plain content of an "OSMData" blob.
 *
 * @param has_nodes  set to whether there are nodes in it
 */
SC_CHECKED sc_err sc__osm_block_read(sc__osm_block *block, sc__osm_place place,
                                     const uint8_t *bytes, size_t size, sc__osm_wanted wanted,
                                     bool *has_nodes);
void sc__osm_block_fini(sc__osm_block *block);

/** Whether the content is that of a pbf file: no text begins with a NUL byte. */
bool sc__osm_is_pbf(const sc_input *input);

/** A reader of pbf files, with the buffers it uses again and again. */
typedef struct sc__osm_pbf sc__osm_pbf;

SC_CHECKED sc_err sc__osm_pbf_new(sc__osm *osm, sc__osm_pbf **out);
void sc__osm_pbf_free(sc__osm_pbf *pbf);

/** Read the ways of input number `input`, and note its blobs with nodes. */
SC_CHECKED sc_err sc__osm_pbf_read_ways(sc__osm_pbf *pbf, uint32_t input);

/** Read the nodes of all blobs that were noted. */
SC_CHECKED sc_err sc__osm_pbf_read_nodes(sc__osm_pbf *pbf);

/** Read ways, and nodes as waiting, of the XML in input number `input`. */
SC_CHECKED sc_err sc__osm_xml_read(sc__osm *osm, uint32_t input);

/** Bytes of the inputs before number `input`, or of all of them. For progress. */
uint64_t sc__osm_bytes_before(const sc_load *load, size_t input);

#endif
