// From a provider's reply to exact answers. See answerer.h.
//
// An answer is one block: its head, the objects, their texts. Texts begin with an empty one, at
// place 0, for all that has no text. A category or a street that is that of the object before
// shares its place: most requests are for one category. An answer tells how far several things are,
// and so where a user is: it is wiped.
#include "courier/answerer.h"

#include "answer/own_reply.h"
#include "base/alloc.h"
#include "base/diag.h"
#include "courier/courier.h"

#include <math.h>
#include <string.h>

// --- Making an answer -----------------------------------------------------------------------

/** Where the numbers of an answer lead. All borrowed. */
typedef struct sc__catalogue {
    const sc_map *map;
    const sc_object_table *table;
    const sc_vocabulary *vocabulary;  ///< of the table's categories; SC_NONE has no word
    const sc_point_reply *points;     ///< knows positions better than the map; NULL: there is none
} sc__catalogue;

/** Digits of the largest 32-bit number. */
enum { DIGITS = 10 };

/** The texts of one object. */
typedef struct labels {
    const char *name;
    const char *category;
    const char *street;
    const char *key;
    bool is_numbered;  ///< its key is its number, which is written when it is put
    bool is_repeated;  ///< its category is that of the object before
    bool is_near_by;   ///< its street is that of the object before
} labels;

static const char *word_of(const sc__catalogue *catalogue, sc_category_id category)
{
    return category < catalogue->vocabulary->count ? catalogue->vocabulary->names[category] : "";
}

static sc_seg_id road_of(const sc__catalogue *catalogue, uint32_t number)
{
    return sc_map_edges(catalogue->map)[catalogue->table->objects[number].edge].segment;
}

static labels labels_at(const sc__catalogue *catalogue, const sc_near *nears, size_t i)
{
    const sc_object_table *table = catalogue->table;
    const uint32_t number = nears[i].object;
    const sc_object *object = &table->objects[number];
    const sc_object *before = i > 0 ? &table->objects[nears[i - 1].object] : NULL;
    const sc_seg_id road = road_of(catalogue, number);
    return (labels){.name = table->strings + object->name,
                    .category = word_of(catalogue, object->category),
                    .street = sc_map_segment_name(catalogue->map, road),
                    .key = table->keys ? table->strings + table->keys[number] : "",
                    .is_numbered = !table->keys,
                    .is_repeated = before && before->category == object->category,
                    .is_near_by = before && road_of(catalogue, nears[i - 1].object) == road};
}

// --- How large ------------------------------------------------------------------------------

static size_t text_bytes(const char *text)
{
    return text[0] != '\0' ? strlen(text) + 1 : 0;
}

static size_t label_bytes(const labels *l)
{
    return text_bytes(l->name) + (l->is_repeated ? 0 : text_bytes(l->category)) +
           (l->is_near_by ? 0 : text_bytes(l->street)) +
           (l->is_numbered ? DIGITS + 1 : text_bytes(l->key));
}

// --- Writing --------------------------------------------------------------------------------

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

/** The answer for these objects, in their order; NULL if memory is out. What it is made of may go
 * afterwards: everything is copied. */
static sc_answer *new_answer(const sc__catalogue *catalogue, const sc_near *nears, size_t count)
{
    enum { KEPT = 16 };  // of most answers all
    labels kept[KEPT];
    size_t text_size = 1;
    for (size_t i = 0; i < count; i++) {
        const labels l = labels_at(catalogue, nears, i);
        if (i < KEPT) kept[i] = l;
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
        const labels l = i < KEPT ? kept[i] : labels_at(catalogue, nears, i);
        found[i].distance_m = nears[i].distance_m;
        found[i].duration_s = nears[i].duration_s;
        put_position(catalogue, nears[i].object, &found[i]);
        found[i].name = put_text(&p, l.name);
        found[i].category = l.is_repeated ? found[i - 1].category : put_text(&p, l.category);
        found[i].street = l.is_near_by ? found[i - 1].street : put_text(&p, l.street);
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

// --- Life -----------------------------------------------------------------------------

// Geometry is of the provider's own map, and finds its roads here only nearly: an object at a
// corner may come to lie on the other road. A thousandth covers that.
static sc_filter_options filter_options(const sc_courier_options *options)
{
    const double least = 1e-3;
    sc_filter_options filter = options->filter;
    const bool is_geometry =
        options->kind == SC_COURIER_HTTP && options->encoding == SC_ENCODING_GEOJSON;
    if (is_geometry && filter.slack < least) filter.slack = least;
    return filter;
}

sc_err sc__answerer_init(sc__answerer *answerer, const sc_map *map, const sc_vocabulary *vocabulary,
                         const sc_courier_options *options, sc_diag *diag)
{
    *answerer = (sc__answerer){.map = map,
                               .vocabulary = vocabulary,
                               .encoding = options->encoding,
                               .limits = sc_codec_limits_default()};
    sc_reply_init(&answerer->reply);
    if (options->kind == SC_COURIER_POINTS) return SC_OK;
    const sc_filter_options filter = filter_options(options);
    sc_err err = sc_filter_new(map, &filter, &answerer->filter, diag);
    if (!err && options->kind == SC_COURIER_BUILT_IN) {
        const sc_lbs_options lbs = sc_lbs_options_default();
        err = sc_lbs_new(map, &lbs, &answerer->lbs, diag);
    }
    if (err) sc__answerer_fini(answerer);
    return err;
}

void sc__answerer_fini(sc__answerer *answerer)
{
    sc_lbs_free(answerer->lbs);
    sc_filter_free(answerer->filter);
    answerer->lbs = NULL;
    answerer->filter = NULL;
    sc_reply_fini(&answerer->reply);
    sc__category_translation_fini(&answerer->translation);
}

// --- Seats ----------------------------------------------------------------------------------

static sc_failure fail_memory(sc_errand *errand)
{
    sc_fail_memory(&errand->diag, "handling a provider's reply");
    return SC_FAILURE_OVERLOADED;
}

// The diagnosis of a filter might name the position; this one does not.
static sc_failure fail_place(sc_errand *errand)
{
    sc_fail(&errand->diag, SC_EINVAL,
            "the answer is for a position or a request that does not belong to the cloak");
    return SC_FAILURE_REFUSED;
}

static void take_back_answers(sc_errand *errand)
{
    for (size_t i = 0; i < errand->place_count; i++) {
        sc_answer_free(errand->places[i].answer);
        errand->places[i].answer = NULL;
    }
}

/** What the answers of an errand are made from. */
typedef struct source {
    sc_filter *filter;       ///< or
    sc_point_reply *points;  ///< else NULL
    sc__catalogue catalogue;
} source;

// The exact answer for a place to the request at `request` of what was asked.
static sc_err find(const source *from, const sc_answer_place *place, uint32_t request,
                   const sc_near **nears, size_t *count)
{
    return from->points
               ? sc_point_reply_answer(from->points, place->at, request, nears, count, NULL)
               : sc_filter_answer(from->filter, place->at, request, nears, count, NULL);
}

static sc_failure fill_place(const sc__answerer *answerer, const source *from, sc_errand *errand,
                             sc_answer_place *place)
{
    if (place->request >= errand->relay->request_count) return fail_place(errand);
    const sc_near *nears = NULL;
    size_t count = 0;
    const uint32_t request = sc__translated_place(&answerer->translation, place->request);
    const sc_err err = request == SC_NONE ? SC_OK : find(from, place, request, &nears, &count);
    if (err == SC_ENOMEM) return fail_memory(errand);
    if (err) return fail_place(errand);
    place->answer = new_answer(&from->catalogue, nears, count);
    return place->answer ? SC_FAILURE_NONE : fail_memory(errand);
}

static sc_failure fill_places(const sc__answerer *answerer, const source *from, sc_errand *errand)
{
    sc_failure failure = SC_FAILURE_NONE;
    for (size_t i = 0; i < errand->place_count && !failure; i++) {
        failure = fill_place(answerer, from, errand, &errand->places[i]);
    }
    if (failure) take_back_answers(errand);
    return failure;
}

// --- A reply that is here -------------------------------------------------------------------

// What an error that was met between a reply and its answers says of the provider.
static sc_failure failure_of_reply(sc_err err)
{
    return err == SC_ENOMEM ? SC_FAILURE_OVERLOADED : SC_FAILURE_UNBELIEVABLE;
}

// What an error of someone who was asked says.
static sc_failure failure_of_asking(sc_err err)
{
    switch (err) {
    case SC_ENOMEM:
        return SC_FAILURE_OVERLOADED;
    case SC_ENET:
        return SC_FAILURE_UNREACHABLE;
    case SC_ELATE:
        return SC_FAILURE_UNSENT;
    case SC_EREPLY:
    case SC_EPARSE:
        return SC_FAILURE_UNBELIEVABLE;
    default:
        return SC_FAILURE_REFUSED;
    }
}

// The reply has been taken in, or refused with `err`. Both are in the words of `vocabulary`.
static sc_failure answer_from_filter(sc__answerer *answerer, sc_err err,
                                     const sc_vocabulary *vocabulary, sc_errand *errand)
{
    if (err) return failure_of_reply(err);
    const source from = {.filter = answerer->filter,
                         .catalogue = {.map = answerer->map,
                                       .table = &answerer->reply.table,
                                       .vocabulary = vocabulary}};
    const sc_failure failure = fill_places(answerer, &from, errand);
    sc_filter_forget(answerer->filter);
    return failure;
}

// The reply is a stranger's.
static sc_failure filter_reply(sc__answerer *answerer, const sc_vocabulary *vocabulary,
                               sc_errand *errand)
{
    const sc_err err =
        sc_filter_open(answerer->filter, errand->relay, &answerer->reply, &errand->diag);
    return answer_from_filter(answerer, err, vocabulary, errand);
}

// --- The reply, for others ------------------------------------------------------------------

// Write the reply so that another gateway can read it.
static sc_failure write_reply(const sc__answerer *answerer, sc_errand *errand)
{
    const sc_err err =
        sc_reply_encode(&(sc_codec){.map = answerer->map,
                                    .vocabulary = answerer->vocabulary,
                                    .encoding = SC_ENCODING_COMPACT},
                        errand->relay, &answerer->reply, &errand->reply, &errand->diag);
    return err ? failure_of_reply(err) : SC_FAILURE_NONE;
}

static sc_failure decode(sc__answerer *answerer, sc_errand *errand, sc_encoding encoding,
                         const void *bytes, size_t size)
{
    const sc_err err = sc_reply_decode(&(sc_codec){.map = answerer->map,
                                                   .vocabulary = answerer->vocabulary,
                                                   .encoding = encoding,
                                                   .limits = &answerer->limits},
                                       errand->relay, bytes, size, &answerer->reply, &errand->diag);
    return err ? failure_of_reply(err) : SC_FAILURE_NONE;
}

// A compact reply is handed on as it came. One in GeoJSON has distances of any fraction, which are
// rounded to the map's units: so it is answered from what the others will read, and all say the
// same.
static sc_failure hand_on(sc__answerer *answerer, sc_errand *errand, const void *bytes, size_t size)
{
    if (answerer->encoding == SC_ENCODING_COMPACT) {
        if (!sc_reserve(&errand->reply.data, size, &errand->reply.capacity, 1)) {
            return fail_memory(errand);
        }
        if (size > 0) memcpy(errand->reply.data, bytes, size);
        errand->reply.size = size;
        return SC_FAILURE_NONE;
    }
    const sc_failure failure = write_reply(answerer, errand);
    if (failure) return failure;
    return decode(answerer, errand, SC_ENCODING_COMPACT, errand->reply.data, errand->reply.size);
}

// Whether all words of a set mean the same to those who have the courier's.
static bool is_understood(const sc_vocabulary *vocabulary, const sc_vocabulary *of_set)
{
    if (of_set->count > vocabulary->count) return false;
    for (uint32_t i = 0; i < of_set->count; i++) {
        if (strcmp(of_set->names[i], vocabulary->names[i]) != 0) return false;
    }
    return true;
}

// --- Built in -------------------------------------------------------------------------------

sc_failure sc__answerer_evaluate(sc__answerer *answerer, const sc_objects *objects,
                                 sc_errand *errand)
{
    const sc_vocabulary *vocabulary = sc_objects_vocabulary(objects);
    sc__category_translation *asked = &answerer->translation;
    if (sc__translate_categories(asked, answerer->vocabulary, vocabulary, errand->relay))
        return fail_memory(errand);
    if (asked->relay.request_count == 0) {
        const source nothing = {.catalogue = {.map = answerer->map}};
        return fill_places(answerer, &nothing, errand);
    }
    const sc_err err =
        sc_lbs_evaluate(answerer->lbs, objects, &asked->relay, &answerer->reply, &errand->diag);
    if (err) return failure_of_asking(err);
    if (errand->wants_reply && !asked->is_different &&
        is_understood(answerer->vocabulary, vocabulary)) {
        const sc_failure failure = write_reply(answerer, errand);
        if (failure) return failure;
    }
    const sc_err taken =
        sc_filter_open_own(answerer->filter, &asked->relay, &answerer->reply, &errand->diag);
    return answer_from_filter(answerer, taken, vocabulary, errand);
}

// --- Over HTTP ------------------------------------------------------------------------------

sc_failure sc__answerer_write(sc__answerer *answerer, sc_errand *errand, sc_bytes *out)
{
    const sc_err err = sc_relay_encode(&(sc_codec){.map = answerer->map,
                                                   .vocabulary = answerer->vocabulary,
                                                   .encoding = answerer->encoding},
                                       errand->relay, out, &errand->diag);
    return err ? failure_of_asking(err) : SC_FAILURE_NONE;
}

sc_failure sc__answerer_read(sc__answerer *answerer, sc_errand *errand, const void *bytes,
                             size_t size)
{
    sc_failure failure = decode(answerer, errand, answerer->encoding, bytes, size);
    if (!failure && errand->wants_reply) failure = hand_on(answerer, errand, bytes, size);
    return failure ? failure : filter_reply(answerer, answerer->vocabulary, errand);
}

sc_failure sc__answerer_read_given(sc__answerer *answerer, sc_errand *errand)
{
    if (!answerer->filter) {
        sc_fail(&errand->diag, SC_EINVAL,
                "a reply was given, but a provider that is asked at points gives none");
        return SC_FAILURE_REFUSED;
    }
    // Whatever an errand before was put into other words for.
    answerer->translation.is_different = false;
    const sc_failure failure =
        decode(answerer, errand, SC_ENCODING_COMPACT, errand->given, errand->given_size);
    return failure ? failure : filter_reply(answerer, answerer->vocabulary, errand);
}

// --- Points ---------------------------------------------------------------------------------

sc_failure sc__answerer_ask(sc__answerer *answerer, sc_point_provider *provider,
                            const sc_point_patience *patience, sc_rng *rng, sc_errand *errand,
                            sc_point_work *work)
{
    sc_point_reply *reply = NULL;
    const sc_err err =
        sc_point_provider_ask(provider, errand->relay, patience, rng, &reply, &errand->diag);
    if (err) return failure_of_asking(err);
    *work = sc_point_reply_work(reply);
    const source from = {.points = reply,
                         .catalogue = {.map = answerer->map,
                                       .table = sc_point_reply_table(reply),
                                       .vocabulary = answerer->vocabulary,
                                       .points = reply}};
    const sc_failure failure = fill_places(answerer, &from, errand);
    sc_point_reply_free(reply);
    return failure;
}

// --- Areas ----------------------------------------------------------------------------------

sc_failure sc__answerer_ask_areas(sc__answerer *answerer, sc_area_asker *asker,
                                  const sc_area_patience *patience, sc_errand *errand)
{
    const sc_err err =
        sc_area_asker_ask(asker, errand->relay, patience, &answerer->reply, &errand->diag);
    if (err) return failure_of_asking(err);
    const sc_vocabulary *vocabulary = sc_objects_vocabulary(sc_area_asker_objects(asker));
    // Its sets begin with the courier's categories, and may have others behind them.
    answerer->translation.is_different = false;
    if (errand->wants_reply && is_understood(answerer->vocabulary, vocabulary)) {
        const sc_failure failure = write_reply(answerer, errand);
        if (failure) return failure;
    }
    return filter_reply(answerer, vocabulary, errand);
}
