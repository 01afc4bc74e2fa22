/**
 * @file own_table.h
 * @brief The table of a provider's own objects, as a decoder puts it together: one block of memory.
 *
 * Used by: the decoders of replies.
 */
#ifndef SC_RELAY_OWN_TABLE_H
#define SC_RELAY_OWN_TABLE_H

#include <starcloak/relay.h>

/** A table in the making. Zero-initialise; it ends in a reply, or by sc_free(table.objects). */
typedef struct sc__own_table {
    sc_object *objects;  ///< the beginning of the block
    uint32_t *keys;
    char *strings;
    size_t strings_used;
    uint32_t count;
} sc__own_table;

/**
 * Room for `count` objects, and for texts of `text_bytes` together, each with its NUL.
 *
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT (more than 32 bits can point into)
 */
SC_CHECKED sc_err sc__own_table_init(sc__own_table *table, size_t count, size_t text_bytes);

/** Copy a text into the table; the empty one takes no room. */
uint32_t sc__own_table_text(sc__own_table *table, const char *text);

/** Make it the table of `reply`, which owns it from then on. */
void sc__own_table_give(sc__own_table *table, sc_reply *reply);

#endif
