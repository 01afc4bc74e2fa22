/**
 * @file place_classes.h
 * @brief Classes of places that an operator marks: roads at clinics, shelters, places of worship.
 *
 * A road of a class says something of who is there. So it does not count for a member's l: a cloak
 * must have l roads besides those of any one class (docs/demands.md). A road may be of several
 * classes.
 *
 * A set of classes is made, marked, and then only read, by any number of threads.
 */
#ifndef STARCLOAK_PLACE_CLASSES_H
#define STARCLOAK_PLACE_CLASSES_H

#include <starcloak/map.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most classes in a set, and the longest name with its NUL. */
#define SC_PLACE_CLASSES_MAX 32
#define SC_PLACE_CLASS_NAME 32

/** Classes of places on the roads of one map. Opaque. */
typedef struct sc_place_classes sc_place_classes;

/** None yet. @param map  read only during this call */
SC_API SC_CHECKED sc_err sc_place_classes_new(const sc_map *map, sc_place_classes **out);

/** Free; NULL is fine. */
SC_API void sc_place_classes_free(sc_place_classes *classes);

/**
 * The number of the class of that name, which is added if it is new.
 *
 * @param name  1 to SC_PLACE_CLASS_NAME - 1 lower-case letters, digits, '-' and '_'
 * @return SC_OK, SC_EINVAL (not such a name), SC_ELIMIT (too many classes)
 */
SC_API SC_CHECKED sc_err sc_place_classes_add(sc_place_classes *classes, const char *name,
                                              uint32_t *number);

/** A segment of the map is of the class of that number. */
SC_API void sc_place_classes_mark(sc_place_classes *classes, uint32_t number, sc_seg_id segment);

/** How many classes there are. */
SC_API uint32_t sc_place_classes_count(const sc_place_classes *classes);

/** The name of a class, by its number. */
SC_API const char *sc_place_classes_name(const sc_place_classes *classes, uint32_t number);

/** Of how many segments. */
SC_API size_t sc_place_classes_segment_count(const sc_place_classes *classes);

/** The classes of all segments: a bit (1 << number) for each. Lent. */
SC_API const uint32_t *sc_place_classes_bits(const sc_place_classes *classes);

/**
 * Read a table: CSV with a header that has the columns `segment` and `class` (others are passed
 * over), a line for each class of each segment; "-" is standard input; xz and gzip are unpacked. No
 * segment is twice of one class. Classes are numbered as they come. A comment line "# map CHECKSUM"
 * is compared with the map.
 *
 * @return SC_OK, SC_EIO, SC_EPARSE (with file, line and column; also if there are too many
 *         classes), SC_ELIMIT (unpacks to too much), SC_EMISMATCH (of another map), SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_place_classes_read(const sc_map *map, const char *path,
                                               sc_place_classes **out, sc_diag *diag);

/**
 * Write such a table, with the comment line, by class and then by segment. It appears whole or not
 * at all; "-" is standard output.
 */
SC_API SC_CHECKED sc_err sc_place_classes_write(const sc_map *map, const sc_place_classes *classes,
                                                const char *path, sc_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
