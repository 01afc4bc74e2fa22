// What members ask for, as bytes: requests with categories as words. See cluster.proto.
//
// Each word stands once in a message, and requests name it by its place there. A gateway knows the
// words by its vocabulary, where one that is not known is an error: the gateways of a cluster have
// the same provider. A worker only carries them on, and numbers what it meets.
#include "cluster/codec_internal.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <float.h>
#include <string.h>

typedef Starcloak__Cluster__Wishes message;

// Not HUGE_VAL: what is sent on is refused elsewhere if it is infinite.
static const sc_request_limits any = {.max_k = UINT32_MAX, .max_radius_m = DBL_MAX};

static const char *word_of(const sc_cluster_codec *codec, sc_category_id category)
{
    if (!codec->vocabulary) {
        return codec->words ? sc__cluster_words_at(codec->words, category) : NULL;
    }
    return category < codec->vocabulary->count ? codec->vocabulary->names[category] : NULL;
}

static sc_err number_of(const sc_cluster_codec *codec, const char *word, sc_category_id *out)
{
    if (strlen(word) > SC__WORD_SIZE_MAX) return SC_ELIMIT;
    if (!codec->vocabulary) {
        return codec->words ? sc__cluster_words_number(codec->words, word, out) : SC_EUNKNOWN;
    }
    *out = sc_vocabulary_find(codec->vocabulary, word);
    return *out == SC_NONE ? SC_EUNKNOWN : SC_OK;
}

// --- Writing ------------------------------------------------------------------------------------

/** Requests being written, and where each category stands in `words` of the message. */
typedef struct pen {
    const sc_cluster_codec *codec;
    sc__codec_scratch *scratch;
    message *out;
    sc_hash places;
} pen;

static sc_err write_category(pen *p, sc_category_id category, uint32_t *place)
{
    const uint32_t next = (uint32_t)p->out->n_words;
    if (sc_hash_put(&p->places, (sc_key){.low = category}, next, place)) return SC_ENOMEM;
    if (*place != next) return SC_OK;
    const char *word = word_of(p->codec, category);
    if (!word || strlen(word) > SC__WORD_SIZE_MAX) return SC_EINVAL;
    // protobuf-c has no constant texts; it only reads this one.
    p->out->words[p->out->n_words++] = (char *)(uintptr_t)word;
    return SC_OK;
}

static sc_err write_request(pen *p, const sc_request *from, Starcloak__Cluster__Request *to)
{
    if (sc_request_check(from, &any, UINT32_MAX, NULL)) return SC_EINVAL;
    starcloak__cluster__request__init(to);
    if (from->type == SC_REQUEST_KNN) {
        to->wanted_case = STARCLOAK__CLUSTER__REQUEST__WANTED_K;
        to->k = from->k;
    } else {
        to->wanted_case = STARCLOAK__CLUSTER__REQUEST__WANTED_RADIUS_M;
        to->radius_m = from->radius_m;
    }
    to->categories =
        sc__codec_scratch_take(p->scratch, from->category_count, sizeof *to->categories);
    if (!to->categories) return SC_ENOMEM;
    to->n_categories = from->category_count;
    sc_err err = SC_OK;
    for (uint32_t i = 0; i < from->category_count && !err; i++) {
        err = write_category(p, from->categories[i], &to->categories[i]);
    }
    return err;
}

sc_err sc__wishes_write(const sc_cluster_codec *codec, const sc_wish *wishes, size_t count,
                        sc__codec_scratch *scratch, message *out)
{
    if (count > SC__MEMBERS_MAX) return SC_EINVAL;
    size_t categories = 0;
    for (size_t i = 0; i < count; i++) {
        categories += wishes[i].request.category_count;
    }
    Starcloak__Cluster__Request *requests =
        sc__codec_scratch_take(scratch, count, sizeof *requests);
    out->requests = sc__codec_scratch_take(scratch, count, sizeof(void *));
    out->queries.data = sc__codec_scratch_take(scratch, count, SC__ID_SIZE);
    out->words = sc__codec_scratch_take(scratch, categories, sizeof(char *));
    if (!requests || !out->requests || !out->queries.data || !out->words) return SC_ENOMEM;
    out->queries.len = count * SC__ID_SIZE;
    out->n_requests = count;

    pen p = {.codec = codec, .scratch = scratch, .out = out};
    sc_err err = SC_OK;
    for (size_t i = 0; i < count && !err; i++) {
        memcpy(out->queries.data + i * SC__ID_SIZE, wishes[i].query.bytes, SC__ID_SIZE);
        out->requests[i] = &requests[i];
        err = write_request(&p, &wishes[i].request, &requests[i]);
    }
    sc_hash_fini(&p.places);
    return err;
}

// --- Reading ------------------------------------------------------------------------------------

static sc_err read_request(const message *from, const sc_category_id *numbers, size_t place,
                           sc_request *out)
{
    const Starcloak__Cluster__Request *request = from->requests[place];
    sc_request read = {.type = SC_REQUEST_KNN};
    switch (request->wanted_case) {
    case STARCLOAK__CLUSTER__REQUEST__WANTED_K:
        read.k = request->k;
        break;
    case STARCLOAK__CLUSTER__REQUEST__WANTED_RADIUS_M:
        read.type = SC_REQUEST_RANGE;
        read.radius_m = request->radius_m;
        break;
    default:
        return SC_EPARSE;
    }
    if (request->n_categories > SC_REQUEST_CATEGORIES) return SC_ELIMIT;
    for (size_t i = 0; i < request->n_categories; i++) {
        if (request->categories[i] >= from->n_words) return SC_EPARSE;
        read.categories[read.category_count++] = numbers[request->categories[i]];
    }
    if (sc_request_check(&read, &any, UINT32_MAX, NULL)) return SC_EPARSE;
    *out = sc_request_normalise(&read);
    return SC_OK;
}

static sc_err read_words(const sc_cluster_codec *codec, const message *from, sc_category_id **out)
{
    *out = sc_malloc_array(from->n_words, sizeof **out);
    if (!*out) return SC_ENOMEM;
    sc_err err = SC_OK;
    for (size_t i = 0; i < from->n_words && !err; i++) {
        err = number_of(codec, from->words[i], &(*out)[i]);
    }
    return err;
}

static sc_err read_all(const message *from, const sc_category_id *numbers, sc_wish **out,
                       size_t *count)
{
    sc_err err = SC_OK;
    sc_wish *wishes = sc_calloc(from->n_requests, sizeof *wishes);
    if (!wishes) return SC_ENOMEM;
    for (size_t i = 0; i < from->n_requests && !err; i++) {
        memcpy(wishes[i].query.bytes, from->queries.data + i * SC__ID_SIZE, SC__ID_SIZE);
        err = read_request(from, numbers, i, &wishes[i].request);
    }
    if (err) {
        explicit_bzero(wishes, from->n_requests * sizeof *wishes);
        sc_free(wishes);
        return err;
    }
    *out = wishes;
    *count = from->n_requests;
    return SC_OK;
}

sc_err sc__wishes_read(const sc_cluster_codec *codec, const message *from, sc_wish **out,
                       size_t *count)
{
    *out = NULL;
    *count = 0;
    if (!from || from->n_requests == 0) return SC_OK;
    const size_t categories_max = (size_t)SC__MEMBERS_MAX * SC_REQUEST_CATEGORIES;
    if (from->n_requests > SC__MEMBERS_MAX || from->n_words > categories_max) return SC_ELIMIT;
    if (from->queries.len != from->n_requests * SC__ID_SIZE) return SC_EPARSE;
    sc_category_id *numbers = NULL;
    sc_err err = read_words(codec, from, &numbers);
    if (!err) err = read_all(from, numbers, out, count);
    sc_free(numbers);
    return err;
}
