// Names and categories, each kept once.
//
// Thousands of objects share a few hundred categories and many names; and a
// hostile file may give one long name to millions of nodes at a byte each. So a
// text is looked up before it is kept.
//
// Used by: osm_collect.c.
#include "import/osm_internal.h"

#include "base/alloc.h"
#include "base/utf8.h"

#include <string.h>
#include <xxhash.h>

// 255 characters of at most four bytes, or of three for U+FFFD.
enum { MAX_CHARACTERS = 255, MAX_BYTES = MAX_CHARACTERS * 4 };

// Control characters, both those of ASCII and U+0080 to U+009F: terminals obey them.
static bool is_control(const char *character, size_t size)
{
    const unsigned char *c = (const unsigned char *)character;
    if (size == 1) return c[0] < 0x20 || c[0] == 0x7f;
    return size == 2 && c[0] == 0xc2 && c[1] < 0xa0;
}

// Write `text` to `out` as a map may hold it; returns its size.
static size_t make_presentable(sc_slice text, char out[MAX_BYTES])
{
    static const char replacement[] = {'\xef', '\xbf', '\xbd'};
    size_t used = 0;
    size_t characters = 0;
    for (size_t i = 0; i < text.size && characters < MAX_CHARACTERS; characters++) {
        const size_t size = sc_utf8_size(text.text + i, text.size - i);
        if (size == 0) {
            memcpy(out + used, replacement, sizeof replacement);
            used += sizeof replacement;
            i++;
            continue;
        }
        if (is_control(text.text + i, size)) {
            out[used++] = ' ';
        } else {
            memcpy(out + used, text.text + i, size);
            used += size;
        }
        i += size;
    }
    return used;
}

static bool make_room(sc__osm_texts *texts, size_t size)
{
    if (!sc_grow(&texts->texts, texts->count, &texts->capacity, sizeof *texts->texts)) return false;
    if (texts->bytes && texts->byte_capacity - texts->size >= size) return true;
    const size_t capacity = texts->byte_capacity * 2 + 4096;
    char *bytes = sc_realloc(texts->bytes, capacity);
    if (!bytes) return false;
    texts->bytes = bytes;
    texts->byte_capacity = capacity;
    return true;
}

static sc_err append(sc__osm_texts *texts, const char *bytes, size_t size)
{
    if (texts->size > UINT32_MAX - MAX_BYTES || texts->count >= UINT32_MAX / 2) return SC_ELIMIT;
    if (!make_room(texts, size)) return SC_ENOMEM;
    memcpy(texts->bytes + texts->size, bytes, size);
    texts->texts[texts->count++] = (sc__osm_text){(uint32_t)texts->size, (uint32_t)size};
    texts->size += size;
    return SC_OK;
}

sc_err sc__osm_texts_put(sc__osm_texts *texts, sc_slice text, uint32_t *out)
{
    char bytes[MAX_BYTES];
    const size_t size = make_presentable(text, bytes);

    // 128 bits stand for the text: two texts with the same ones do not happen.
    const XXH128_hash_t hash = XXH3_128bits(bytes, size);
    const sc_key key = {hash.high64, hash.low64};
    const uint32_t next = (uint32_t)texts->count;
    const uint32_t known = sc_hash_get(&texts->numbers, key, SC_NONE);
    if (known != SC_NONE) {
        *out = known;
        return SC_OK;
    }
    const sc_err err = append(texts, bytes, size);
    if (err) return err;
    return sc_hash_put(&texts->numbers, key, next, out);
}

sc_slice sc__osm_texts_at(const sc__osm_texts *texts, uint32_t number)
{
    const sc__osm_text *text = &texts->texts[number];
    return (sc_slice){texts->bytes + text->offset, text->size};
}

void sc__osm_texts_fini(sc__osm_texts *texts)
{
    sc_free(texts->bytes);
    sc_free(texts->texts);
    sc_hash_fini(&texts->numbers);
    *texts = (sc__osm_texts){0};
}
