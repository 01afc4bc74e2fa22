// A worker's table of words for categories: it numbers them as it meets them. See codec.h.
//
// Words are found by a cryptographic hash of 128 bits, so nobody can find two that share one. They
// are never forgotten: a wish that is held somewhere may still name them.
#include "cluster/cluster_codec_internal.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <pthread.h>
#include <sodium.h>
#include <string.h>

enum { WORDS_MAX = 65536 };

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
    struct sc_category_table *words = sc_calloc(1, sizeof *words);
    if (!words) return SC_ENOMEM;
    pthread_mutex_init(&words->lock, NULL);
    *out = words;
    return SC_OK;
}

void sc_category_table_free(struct sc_category_table *words)
{
    if (!words) return;
    for (size_t i = 0; i < words->count; i++) {
        sc_free(words->texts[i]);
    }
    sc_free(words->texts);
    sc_hash_fini(&words->numbers);
    pthread_mutex_destroy(&words->lock);
    sc_free(words);
}

static sc_key key_of(const char *word)
{
    sc_key key;
    _Static_assert(sizeof key == crypto_generichash_BYTES_MIN, "128 bits");
    crypto_generichash((uint8_t *)&key, sizeof key, (const uint8_t *)word, strlen(word), NULL, 0);
    return key;
}

// Under the lock.
static sc_err put(struct sc_category_table *words, sc_key key, const char *word, uint32_t *out)
{
    if (words->count == WORDS_MAX) return SC_ELIMIT;
    if (!sc_grow(&words->texts, words->count, &words->capacity, sizeof *words->texts)) {
        return SC_ENOMEM;
    }
    const size_t bytes = strlen(word) + 1;
    char *text = sc_malloc(bytes);
    if (!text || sc_hash_put(&words->numbers, key, (uint32_t)words->count, out)) {
        sc_free(text);
        return SC_ENOMEM;
    }
    words->texts[words->count++] = memcpy(text, word, bytes);
    return SC_OK;
}

sc_err sc__category_table_number(struct sc_category_table *words, const char *word, uint32_t *out)
{
    const sc_key key = key_of(word);
    sc_err err = SC_OK;
    pthread_mutex_lock(&words->lock);
    *out = sc_hash_get(&words->numbers, key, SC_NONE);
    if (*out == SC_NONE) err = put(words, key, word, out);
    pthread_mutex_unlock(&words->lock);
    return err;
}

const char *sc__category_table_at(struct sc_category_table *words, uint32_t number)
{
    pthread_mutex_lock(&words->lock);
    const char *text = number < words->count ? words->texts[number] : NULL;
    pthread_mutex_unlock(&words->lock);
    return text;
}
