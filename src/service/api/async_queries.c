// The table of queries with a life of their own. See async_queries.h.
//
// Each query is in two hash tables, by its id and by its key, and in one of two queues: of leases
// while its client must be present, of outcomes once it has one. Room in all of them is taken when
// it is added, so that nothing fails afterwards but the copy of its outcome.
//
// A contact only writes down until when the lease lasts: the entry in the queue stays where it is,
// and goes to its new place when its old time comes. So a client that polls costs a hash and a
// look.
#include "api/async_queries.h"

#include "base/alloc.h"

#include <sodium.h>
#include <string.h>

_Static_assert((int)SC_ASYNC_HASH_SIZE == (int)crypto_shorthash_siphashx24_BYTES, "a whole hash");

// --- The tables ----------------------------------------------------------------------------------

// Hashes are keyed, so their first bytes are as good as random to outsiders.
static uint64_t first_bytes(const sc_async_hash *hash)
{
    uint64_t number = 0;
    memcpy(&number, hash->bytes, sizeof number);
    return number;
}

static bool is_equal(const sc_async_hash *a, const sc_async_hash *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

/** Of either table. */
typedef struct query_slot {
    sc_async_query *query;  ///< NULL: the slot is free
} query_slot;

#define SC_TABLE by_id
#define SC_TABLE_SLOT query_slot
#define SC_TABLE_KEY const sc_async_hash *
#define SC_TABLE_IS_FREE(table, slot) ((slot)->query == NULL)
#define SC_TABLE_HAS(table, slot, wanted) is_equal(&(slot)->query->place, wanted)
#define SC_TABLE_HASH(table, wanted) first_bytes(wanted)
#define SC_TABLE_HASH_OF(table, slot) first_bytes(&(slot)->query->place)
#include "base/table_template.h"

#define SC_TABLE by_key
#define SC_TABLE_SLOT query_slot
#define SC_TABLE_KEY const sc_async_hash *
#define SC_TABLE_IS_FREE(table, slot) ((slot)->query == NULL)
#define SC_TABLE_HAS(table, slot, wanted) is_equal(&(slot)->query->key_place, wanted)
#define SC_TABLE_HASH(table, wanted) first_bytes(wanted)
#define SC_TABLE_HASH_OF(table, slot) first_bytes(&(slot)->query->key_place)
#include "base/table_template.h"

struct sc_async_queries {
    uint8_t key[crypto_shorthash_siphashx24_KEYBYTES];  ///< behind places
    by_id ids;
    by_key keys;
    sc_deadlines leases;    ///< of those whose clients must be present
    sc_deadlines outcomes;  ///< by when they are forgotten
    sc_async_stats stats;
};

const char *sc_async_state_name(sc_async_state state)
{
    static const char *const words[] = {
#define X(name, word) word,
        SC_ASYNC_STATE_MAP(X)
#undef X
    };
    return words[state];
}

sc_err sc_async_queries_new(sc_async_queries **out)
{
    sc_async_queries *table = sc_calloc(1, sizeof *table);
    if (!table) return SC_ENOMEM;
    randombytes_buf(table->key, sizeof table->key);
    *out = table;
    return SC_OK;
}

static void free_query(sc_async_query *query)
{
    if (query->outcome) explicit_bzero(query->outcome, query->size);
    sc_free(query->outcome);
    explicit_bzero(query, sizeof *query);
    sc_free(query);
}

void sc_async_queries_free(sc_async_queries *table)
{
    if (!table) return;
    size_t from = 0;
    for (const query_slot *slot; (slot = by_id_next(&table->ids, &from));) {
        free_query(slot->query);
    }
    by_id_fini(&table->ids);
    by_key_fini(&table->keys);
    sc_deadlines_fini(&table->leases);
    sc_deadlines_fini(&table->outcomes);
    explicit_bzero(table->key, sizeof table->key);
    sc_free(table);
}

sc_async_stats sc_async_queries_stats(const sc_async_queries *table)
{
    return table->stats;
}

// --- Places --------------------------------------------------------------------------------------

/** The kinds of what is hashed differ in their first byte, so that no key is taken for an id. */
enum { PLACE_OF_ID = 1, PLACE_OF_KEY = 2 };

/** The longest of both: a key (async_request.h). */
enum { NAME_MAX_SIZE = 64 };

static sc_async_hash place_of(const sc_async_queries *table, uint8_t kind,
                              const sc_async_hash *owner, const void *name, size_t size)
{
    uint8_t text[1 + SC_ASYNC_HASH_SIZE + NAME_MAX_SIZE];
    text[0] = kind;
    memcpy(text + 1, owner->bytes, SC_ASYNC_HASH_SIZE);
    memcpy(text + 1 + SC_ASYNC_HASH_SIZE, name, size);
    sc_async_hash place;
    crypto_shorthash_siphashx24(place.bytes, text, 1 + SC_ASYNC_HASH_SIZE + size, table->key);
    explicit_bzero(text, sizeof text);
    return place;
}

static void leave_keys(sc_async_queries *table, sc_async_query *query)
{
    if (!query->has_key) return;
    by_key_remove(&table->keys, by_key_find(&table->keys, &query->key_place));
    query->has_key = false;
}

static void leave_queue(sc_deadlines *queue, sc_async_query *query)
{
    if (query->deadline != SC_NO_DEADLINE) sc_deadlines_cancel(queue, &query->deadline);
}

/** It is not found any more; what it has stays until it is let go. */
static void forget(sc_async_queries *table, sc_async_query *query)
{
    if (sc_async_state_is_final(query->state)) {
        leave_queue(&table->outcomes, query);
        table->stats.outcomes--;
        table->stats.bytes -= query->size;
    } else {
        leave_queue(&table->leases, query);
        table->stats.pending--;
    }
    leave_keys(table, query);
    by_id_remove(&table->ids, by_id_find(&table->ids, &query->place));
    query->is_forgotten = true;
}

/** Free it, if nothing has its address any more. */
static void let_go(sc_async_query *query)
{
    if (query->is_forgotten && !query->is_open && query->holders == 0) free_query(query);
}

// --- Asking --------------------------------------------------------------------------------------

static bool make_room(sc_async_queries *table, bool has_key)
{
    const size_t count = table->ids.count + 1;
    return by_id_reserve(&table->ids, count) && sc_deadlines_reserve(&table->leases, count) &&
           sc_deadlines_reserve(&table->outcomes, count) &&
           (!has_key || by_key_reserve(&table->keys, table->keys.count + 1));
}

sc_err sc_async_queries_add(sc_async_queries *table, const sc_async_ask *ask,
                            const sc_async_limits *limits, sc_time now, sc_async_query **out)
{
    sc_async_hash key_place = {0};
    if (ask->key) {
        key_place = place_of(table, PLACE_OF_KEY, &ask->owner, ask->key, ask->key_size);
        if (by_key_find(&table->keys, &key_place)) return SC_EDUPLICATE;
    }
    if (!make_room(table, ask->key != NULL)) return SC_ENOMEM;
    sc_async_query *query = sc_malloc(sizeof *query);
    if (!query) return SC_ENOMEM;
    *query = (sc_async_query){
        .id = ask->id,
        .place = place_of(table, PLACE_OF_ID, &ask->owner, ask->id.bytes, ask->id.size),
        .key_place = key_place,
        .body = ask->body,
        .query = ask->query,
        .wait_us = ask->wait_us,
        .lease_until = now + limits->lease_us,
        .holders = 1,
        .has_key = ask->key != NULL,
        .is_open = true,
    };
    TAILQ_INIT(&query->waiters);
    by_id_put(&table->ids, &query->place, (query_slot){query});
    if (query->has_key) by_key_put(&table->keys, &query->key_place, (query_slot){query});
    sc_deadlines_add(&table->leases, query->lease_until, query, &query->deadline);
    table->stats.pending++;
    table->stats.asked++;
    *out = query;
    return SC_OK;
}

static void touch(sc_async_query *query, const sc_async_limits *limits, sc_time now)
{
    if (query->lease_until < now + limits->lease_us) query->lease_until = now + limits->lease_us;
}

sc_async_query *sc_async_queries_find(sc_async_queries *table, const sc_async_id *id,
                                      const sc_async_hash *owner, const sc_async_limits *limits,
                                      sc_time now)
{
    const sc_async_hash place = place_of(table, PLACE_OF_ID, owner, id->bytes, id->size);
    const query_slot *slot = by_id_find(&table->ids, &place);
    if (!slot) return NULL;
    touch(slot->query, limits, now);
    return slot->query;
}

sc_async_query *sc_async_queries_find_key(sc_async_queries *table, const char *key, size_t key_size,
                                          const sc_async_hash *owner, const sc_async_hash *body,
                                          const sc_async_limits *limits, sc_time now)
{
    const sc_async_hash place = place_of(table, PLACE_OF_KEY, owner, key, key_size);
    const query_slot *slot = by_key_find(&table->keys, &place);
    if (!slot) return NULL;
    if (is_equal(&slot->query->body, body)) {
        table->stats.repeated++;
        touch(slot->query, limits, now);
    }
    return slot->query;
}

// --- Presence ------------------------------------------------------------------------------------

void sc_async_query_hold(sc_async_query *query)
{
    query->holders++;
}

void sc_async_queries_release(sc_async_queries *table, sc_async_query *query,
                              const sc_async_limits *limits, sc_time now)
{
    (void)table;
    query->holders--;
    touch(query, limits, now);
    let_go(query);
}

size_t sc_async_queries_lapse(sc_async_queries *table, const sc_async_limits *limits, sc_time now,
                              sc_query_id *ids, size_t room)
{
    size_t count = 0;
    for (sc_async_query *query; count < room && (query = sc_deadlines_due(&table->leases, now));) {
        sc_deadlines_cancel(&table->leases, &query->deadline);
        if (query->holders > 0) touch(query, limits, now);
        if (query->lease_until > now) {
            sc_deadlines_add(&table->leases, query->lease_until, query, &query->deadline);
            continue;
        }
        query->is_withdrawn = true;
        ids[count++] = query->query;
    }
    return count;
}

bool sc_async_queries_delete(sc_async_queries *table, sc_async_query *query)
{
    const bool is_news = !sc_async_state_is_final(query->state) && !query->is_withdrawn;
    forget(table, query);
    table->stats.forgotten_deleted++;
    if (!sc_async_state_is_final(query->state)) query->state = SC_ASYNC_WITHDRAWN;
    query->is_withdrawn = true;
    let_go(query);
    return is_news;
}

// --- Outcomes ------------------------------------------------------------------------------------

void sc_async_queries_cloaked(sc_async_queries *table, sc_async_query *query)
{
    if (query->is_forgotten || sc_async_state_is_final(query->state)) return;
    leave_queue(&table->leases, query);
    query->state = SC_ASYNC_CLOAKED;
}

/** Room for one more outcome, at the price of those that are over next. */
static void crowd_out(sc_async_queries *table, const sc_async_limits *limits, size_t size)
{
    for (sc_async_query *first; (table->stats.outcomes >= limits->max_outcomes ||
                                 table->stats.bytes + size > limits->max_bytes) &&
                                (first = sc_deadlines_first(&table->outcomes));) {
        forget(table, first);
        table->stats.forgotten_crowded_out++;
        let_go(first);
    }
}

/** Of an outcome for which there is no memory the client is told to ask again. */
static void copy_outcome(sc_async_query *query, const sc_async_outcome *outcome)
{
    enum { UNAVAILABLE = 503 };
    query->state = outcome->state;
    query->status = outcome->status;
    query->retry_after_s = outcome->retry_after_s;
    if (outcome->size == 0) return;
    query->outcome = sc_malloc(outcome->size);
    if (!query->outcome) {
        query->state = SC_ASYNC_FAILED;
        query->status = UNAVAILABLE;
        query->retry_after_s = 1;
        return;
    }
    memcpy(query->outcome, outcome->json, outcome->size);
    query->size = (uint32_t)outcome->size;
}

bool sc_async_queries_settle(sc_async_queries *table, sc_async_query *query,
                             const sc_async_outcome *outcome, const sc_async_limits *limits,
                             sc_time now)
{
    enum { OF_OURS = 500 };
    query->is_open = false;
    if (query->is_forgotten) {
        let_go(query);
        return false;
    }
    leave_queue(&table->leases, query);
    table->stats.pending--;
    table->stats.lapsed += outcome->state == SC_ASYNC_WITHDRAWN;
    crowd_out(table, limits, outcome->size);
    copy_outcome(query, outcome);
    // A client that may retry does so with the same key.
    if (query->state == SC_ASYNC_FAILED && query->status >= OF_OURS) leave_keys(table, query);
    table->stats.outcomes++;
    table->stats.bytes += query->size;
    query->keep_until = now + 2 * limits->keep_us;
    sc_deadlines_add(&table->outcomes, query->keep_until, query, &query->deadline);
    return true;
}

void sc_async_queries_told(sc_async_queries *table, sc_async_query *query,
                           const sc_async_limits *limits, sc_time now)
{
    if (query->is_told) return;
    query->is_told = true;
    if (query->is_forgotten || now + limits->keep_us >= query->keep_until) return;
    query->keep_until = now + limits->keep_us;
    leave_queue(&table->outcomes, query);
    sc_deadlines_add(&table->outcomes, query->keep_until, query, &query->deadline);
}

void sc_async_queries_pass_time(sc_async_queries *table, sc_time now)
{
    for (sc_async_query *query; (query = sc_deadlines_due(&table->outcomes, now));) {
        if (query->is_told) {
            table->stats.forgotten_told++;
        } else {
            table->stats.forgotten_untold++;
        }
        forget(table, query);
        let_go(query);
    }
}

size_t sc_async_queries_awaited(const sc_async_queries *table, sc_time now)
{
    size_t count = 0;
    size_t from = 0;
    for (const query_slot *slot; (slot = by_id_next(&table->ids, &from));) {
        const sc_async_query *query = slot->query;
        const bool is_present = query->holders > 0 || query->lease_until > now;
        count += is_present && !query->is_told;
    }
    return count;
}
