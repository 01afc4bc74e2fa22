// An answer in one block: its head, the objects, their texts. See answer.h.
//
// Texts begin with an empty one, at place 0, for all that has no text. A category that is that of
// the object before shares its place: most requests are for one.
//
// An answer tells how far several things are, and so where somebody is: it is wiped.
#include "courier/answer.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

/** Digits of the largest 32-bit number. */
enum { DIGITS = 10 };

/** The texts of one object. */
typedef struct labels {
    const char *name;
    const char *category;
    const char *key;
    bool is_numbered;  ///< its key is its number, which is written when it is put
    bool is_repeated;  ///< its category is that of the object before
} labels;

static const char *word_of(const sc__catalogue *catalogue, sc_category_id category)
{
    return category < catalogue->vocabulary->count ? catalogue->vocabulary->names[category] : "";
}

static labels labels_at(const sc__catalogue *catalogue, const sc_near *nears, size_t i)
{
    const sc_object_table *table = catalogue->table;
    const uint32_t number = nears[i].object;
    const sc_object *object = &table->objects[number];
    return (labels){.name = table->strings + object->name,
                    .category = word_of(catalogue, object->category),
                    .key = table->keys ? table->strings + table->keys[number] : "",
                    .is_numbered = !table->keys,
                    .is_repeated =
                        i > 0 && table->objects[nears[i - 1].object].category == object->category};
}

// --- How large --------------------------------------------------------------------

static size_t text_bytes(const char *text)
{
    return text[0] != '\0' ? strlen(text) + 1 : 0;
}

static size_t label_bytes(const labels *l)
{
    return text_bytes(l->name) + (l->is_repeated ? 0 : text_bytes(l->category)) +
           (l->is_numbered ? DIGITS + 1 : text_bytes(l->key));
}

// --- Writing ----------------------------------------------------------------------

/** Texts being written. */
typedef struct pen {
    char *texts;
    size_t used;
} pen;

static uint32_t put_text(pen *p, const char *text)
{
    const size_t bytes = text_bytes(text);
    if (bytes == 0) return 0;
    const size_t place = p->used;
    memcpy(p->texts + place, text, bytes);
    p->used += bytes;
    return (uint32_t)place;
}

static uint32_t put_number(pen *p, uint32_t number)
{
    char digits[DIGITS + 1];
    char *first = digits + DIGITS;
    *first = '\0';
    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return put_text(p, first);
}

static void put_position(const sc__catalogue *catalogue, uint32_t number, sc_found *found)
{
    if (catalogue->points) {
        sc_point_reply_position(catalogue->points, number, &found->x, &found->y);
    } else if (sc_map_coords(catalogue->map) != SC_COORDS_NONE) {
        const sc_object *object = &catalogue->table->objects[number];
        sc_map_edge_position(catalogue->map, object->edge,
                             object->offset * sc_map_unit_m(catalogue->map), &found->x, &found->y);
    } else {
        found->x = (double)NAN;
        found->y = (double)NAN;
    }
}

sc_answer *sc__point_answer_new(const sc__catalogue *catalogue, const sc_near *nears, size_t count)
{
    size_t text_size = 1;
    for (size_t i = 0; i < count; i++) {
        const labels l = labels_at(catalogue, nears, i);
        text_size += label_bytes(&l);
    }
    // Places of texts are 32 bits; no reply is large enough to need more (16 MiB).
    if (text_size > UINT32_MAX) return NULL;
    const size_t size = sizeof(sc_answer) + count * sizeof(sc_found) + text_size;
    sc_answer *answer = sc_malloc(size);
    if (!answer) return NULL;

    sc_found *found = (sc_found *)(void *)(answer + 1);
    pen p = {.texts = (char *)(found + count), .used = 1};
    p.texts[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const labels l = labels_at(catalogue, nears, i);
        found[i].distance_m = nears[i].distance_m;
        put_position(catalogue, nears[i].object, &found[i]);
        found[i].name = put_text(&p, l.name);
        found[i].category = l.is_repeated ? found[i - 1].category : put_text(&p, l.category);
        found[i].key = l.is_numbered ? put_number(&p, nears[i].object) : put_text(&p, l.key);
    }
    *answer = (sc_answer){.count = count, .found = found, .texts = p.texts, .size = size};
    return answer;
}

void sc_answer_free(sc_answer *answer)
{
    if (!answer) return;
    explicit_bzero(answer, answer->size);
    sc_free(answer);
}
