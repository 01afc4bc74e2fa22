// A worker's table of category names: it numbers them as it receives them.
//
// Names are found by a cryptographic hash of 128 bits, so no two with the same one can be made.
// They are never forgotten: a request that is held somewhere may still refer to them.
#include "cluster/cluster_codec_internal.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <pthread.h>
#include <sodium.h>
#include <string.h>

enum { CATEGORIES_MAX = 65536 };

struct sc_category_table {
    pthread_mutex_t lock;
    // Under the lock; but texts stay where they are.
    sc_hash numbers;
    char **texts;
    size_t count;
    size_t capacity;
};

sc_err sc_category_table_new(struct sc_category_table **out)
{
    if (sodium_init() < 0) return SC_EIO;
    struct sc_category_table *table = sc_calloc(1, sizeof *table);
    if (!table) return SC_ENOMEM;
    pthread_mutex_init(&table->lock, NULL);
    *out = table;
    return SC_OK;
}

void sc_category_table_free(struct sc_category_table *table)
{
    if (!table) return;
    for (size_t i = 0; i < table->count; i++) {
        sc_free(table->texts[i]);
    }
    sc_free(table->texts);
    sc_hash_fini(&table->numbers);
    pthread_mutex_destroy(&table->lock);
    sc_free(table);
}

static sc_key key_of(const char *name)
{
    sc_key key;
    _Static_assert(sizeof key == crypto_generichash_BYTES_MIN, "128 bits");
    crypto_generichash((uint8_t *)&key, sizeof key, (const uint8_t *)name, strlen(name), NULL, 0);
    return key;
}

// Under the lock.
static sc_err put(struct sc_category_table *table, sc_key key, const char *name, uint32_t *out)
{
    if (table->count == CATEGORIES_MAX) return SC_ELIMIT;
    if (!sc_grow(&table->texts, table->count, &table->capacity, sizeof *table->texts)) {
        return SC_ENOMEM;
    }
    const size_t bytes = strlen(name) + 1;
    char *text = sc_malloc(bytes);
    if (!text || sc_hash_put(&table->numbers, key, (uint32_t)table->count, out)) {
        sc_free(text);
        return SC_ENOMEM;
    }
    table->texts[table->count++] = memcpy(text, name, bytes);
    return SC_OK;
}

sc_err sc__category_table_number(struct sc_category_table *table, const char *name, uint32_t *out)
{
    const sc_key key = key_of(name);
    sc_err err = SC_OK;
    pthread_mutex_lock(&table->lock);
    *out = sc_hash_get(&table->numbers, key, SC_NONE);
    if (*out == SC_NONE) err = put(table, key, name, out);
    pthread_mutex_unlock(&table->lock);
    return err;
}

const char *sc__category_table_at(struct sc_category_table *table, uint32_t number)
{
    pthread_mutex_lock(&table->lock);
    const char *text = number < table->count ? table->texts[number] : NULL;
    pthread_mutex_unlock(&table->lock);
    return text;
}
