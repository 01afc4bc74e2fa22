// Categories: the courier's own table, and their translation for a set of objects. See
// request_categories.h.
#include "courier/request_categories.h"

#include "base/alloc.h"

#include <string.h>

// --- A vocabulary ---------------------------------------------------------------------------

sc_err sc__categories_init(sc__categories *categories, const sc_vocabulary *parts,
                           size_t part_count)
{
    size_t count = 0;
    size_t size = 0;
    for (size_t p = 0; p < part_count; p++) {
        count += parts[p].count;
        for (uint32_t i = 0; i < parts[p].count; i++) {
            size += strlen(parts[p].names[i]) + 1;
        }
    }
    *categories = (sc__categories){.names = sc_malloc_array(count, sizeof *categories->names),
                                   .texts = sc_malloc(size)};
    if (!categories->names || !categories->texts) {
        sc__categories_fini(categories);
        return SC_ENOMEM;
    }
    categories->vocabulary.names = categories->names;
    char *next = categories->texts;
    for (size_t p = 0; p < part_count; p++) {
        for (uint32_t i = 0; i < parts[p].count; i++) {
            const char *name = parts[p].names[i];
            if (sc_vocabulary_find(&categories->vocabulary, name) != SC_NONE) continue;
            const size_t bytes = strlen(name) + 1;
            categories->names[categories->vocabulary.count++] = memcpy(next, name, bytes);
            next += bytes;
        }
    }
    return SC_OK;
}

void sc__categories_fini(sc__categories *categories)
{
    sc_free(categories->names);
    sc_free(categories->texts);
    *categories = (sc__categories){.names = NULL};
}

// --- A relay with other categories ----------------------------------------------------------

void sc__category_translation_fini(sc__category_translation *translation)
{
    sc_free(translation->requests);
    sc_free(translation->places);
    *translation = (sc__category_translation){.requests = NULL};
}

// The number that `to` has for a category. Nearly always it is the same one, so look there first.
static sc_category_id translate(const sc_vocabulary *from, const sc_vocabulary *to,
                                sc_category_id category)
{
    if (category >= from->count) return SC_NONE;
    const char *word = from->names[category];
    if (category < to->count && strcmp(to->names[category], word) == 0) return category;
    return sc_vocabulary_find(to, word);
}

static bool is_the_same(const sc_vocabulary *from, const sc_vocabulary *to,
                        const sc_request *request)
{
    for (uint32_t i = 0; i < request->category_count; i++) {
        const sc_category_id category = request->categories[i];
        if (translate(from, to, category) != category) return false;
    }
    return true;
}

// False if no category is left.
static bool reword_request(const sc_vocabulary *from, const sc_vocabulary *to,
                           const sc_request *request, sc_request *out)
{
    sc_request other = *request;
    other.category_count = 0;
    for (uint32_t i = 0; i < request->category_count; i++) {
        const sc_category_id category = translate(from, to, request->categories[i]);
        if (category != SC_NONE) other.categories[other.category_count++] = category;
    }
    // Without a category it would ask for all of them.
    if (request->category_count > 0 && other.category_count == 0) return false;
    *out = sc_request_normalise(&other);
    return true;
}

sc_err sc__translate_categories(sc__category_translation *translation, const sc_vocabulary *from,
                                const sc_vocabulary *to, const sc_relay *relay)
{
    translation->relay = *relay;
    translation->is_different = false;
    for (size_t r = 0; r < relay->request_count && !translation->is_different; r++) {
        translation->is_different = !is_the_same(from, to, &relay->requests[r]);
    }
    if (!translation->is_different) return SC_OK;

    if (!sc_reserve(&translation->requests, relay->request_count, &translation->request_capacity,
                    sizeof *translation->requests) ||
        !sc_reserve(&translation->places, relay->request_count, &translation->place_capacity,
                    sizeof *translation->places)) {
        return SC_ENOMEM;
    }
    uint32_t kept = 0;
    for (size_t r = 0; r < relay->request_count; r++) {
        const bool is_kept =
            reword_request(from, to, &relay->requests[r], &translation->requests[kept]);
        translation->places[r] = is_kept ? kept++ : SC_NONE;
    }
    translation->relay.requests = translation->requests;
    translation->relay.request_count = kept;
    return SC_OK;
}
