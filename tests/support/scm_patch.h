/**
 * @file scm_patch.h
 * @brief Map files in memory, and forgeries of them with every checksum right.
 */
#ifndef SC_TESTS_SUPPORT_SCM_PATCH_H
#define SC_TESTS_SUPPORT_SCM_PATCH_H

#include <starcloak/objects.h>

#include "map/scm_file.h"

/** The bytes of a map file; the memory is exactly as long, so that a sanitizer sees each step
 * beyond. */
typedef struct scm_bytes {
    uint8_t *data;
    size_t size;
} scm_bytes;

/** What sc_map_save() writes for `map`. Release with scm_free(). */
scm_bytes scm_of(const sc_map *map);

/** What sc_objects_save_map() writes: the same with the index of the map's own objects. */
scm_bytes scm_of_objects(const sc_objects *objects);

scm_bytes scm_copy(const scm_bytes *file);
void scm_free(scm_bytes *file);

sc_scm_header *scm_header(const scm_bytes *file);

/** The bytes of a table inside the file. */
void *scm_table(const scm_bytes *file, sc_table_kind kind);

/** Make all checksums right again, after any change within the layout that the header tells. */
void scm_seal(const scm_bytes *file);

/** Only the checksums of the header, for a header that tells of no layout at all. */
void scm_seal_header(const scm_bytes *file);

#endif
