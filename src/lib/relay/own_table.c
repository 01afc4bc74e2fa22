// The table of a provider's own objects: objects, keys and texts, one behind the other. See
// own_table.h.
#include "relay/own_table.h"

#include "base/alloc.h"
#include "relay/reply_make.h"

#include <string.h>

sc_err sc__own_table_init(sc__own_table *table, size_t count, size_t text_bytes)
{
    // The first byte of the texts is the empty one, which many objects share as their name.
    if (count >= UINT32_MAX || text_bytes >= UINT32_MAX) return SC_ELIMIT;
    const size_t block = count * (sizeof(sc_object) + sizeof(uint32_t)) + text_bytes + 1;
    table->objects = sc_malloc(block);
    if (!table->objects) return SC_ENOMEM;
    table->keys = (uint32_t *)(void *)(table->objects + count);
    table->strings = (char *)(table->keys + count);
    table->strings[0] = '\0';
    table->strings_used = 1;
    table->count = (uint32_t)count;
    return SC_OK;
}

uint32_t sc__own_table_text(sc__own_table *table, const char *text)
{
    const size_t size = strlen(text) + 1;
    if (size == 1) return 0;
    const size_t at = table->strings_used;
    memcpy(table->strings + at, text, size);
    table->strings_used += size;
    return (uint32_t)at;
}

void sc__own_table_give(sc__own_table *table, sc_reply *reply)
{
    reply->memory->owned = table->objects;
    reply->table = (sc_object_table){.objects = table->objects,
                                     .count = table->count,
                                     .strings = table->strings,
                                     .strings_size = table->strings_used,
                                     .keys = table->keys};
    *table = (sc__own_table){0};
}
