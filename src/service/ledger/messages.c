// Bids, results and words: made, copied, wiped. See words.h.
#include "ledger/messages.h"

#include "base/alloc.h"

#include <string.h>

// --- Bids ----------------------------------------------------------------------------------

/** Add the room that `count` things take; false if there is no such number. */
static bool add_room(size_t *size, size_t count, size_t each)
{
    size_t room;
    return !__builtin_mul_overflow(count, each, &room) &&
           !__builtin_add_overflow(*size, room, size);
}

_Static_assert(sizeof(sc_bid) % _Alignof(sc_bid_member) == 0, "members follow the bid");
_Static_assert(sizeof(sc_bid_member) % _Alignof(uint32_t) == 0, "ids follow the members");

sc_bid *sc_bid_new(size_t stars, size_t segments, size_t border_nodes, size_t members)
{
    size_t size = sizeof(sc_bid);
    if (!add_room(&size, members, sizeof(sc_bid_member)) ||
        !add_room(&size, stars, sizeof(sc_star_id)) ||
        !add_room(&size, segments, sizeof(sc_seg_id)) ||
        !add_room(&size, border_nodes, sizeof(sc_node_id))) {
        return NULL;
    }
    sc_bid *bid = sc_calloc(1, size);
    if (!bid) return NULL;
    bid->size = size;
    bid->star_count = stars;
    bid->segment_count = segments;
    bid->border_node_count = border_nodes;
    bid->member_count = members;
    bid->members = (sc_bid_member *)(bid + 1);
    bid->stars = (sc_star_id *)(bid->members + members);
    bid->segments = bid->stars + stars;
    bid->border_nodes = bid->segments + segments;
    return bid;
}

sc_bid *sc_bid_clone(const sc_bid *bid)
{
    sc_bid *copy =
        sc_bid_new(bid->star_count, bid->segment_count, bid->border_node_count, bid->member_count);
    if (!copy) return NULL;
    const sc_bid blank = *copy;
    *copy = *bid;
    copy->size = blank.size;
    copy->stars = blank.stars;
    copy->segments = blank.segments;
    copy->border_nodes = blank.border_nodes;
    copy->members = blank.members;
    memcpy(copy->stars, bid->stars, bid->star_count * sizeof *bid->stars);
    memcpy(copy->segments, bid->segments, bid->segment_count * sizeof *bid->segments);
    memcpy(copy->border_nodes, bid->border_nodes,
           bid->border_node_count * sizeof *bid->border_nodes);
    memcpy(copy->members, bid->members, bid->member_count * sizeof *bid->members);
    return copy;
}

void sc_bid_free(sc_bid *bid)
{
    if (!bid) return;
    explicit_bzero(bid, bid->size);
    sc_free(bid);
}

// --- Results -------------------------------------------------------------------------------

sc_result *sc_result_new(sc_failure failure, const void *relay, size_t relay_size,
                         const void *reply, size_t reply_size)
{
    size_t size = sizeof(sc_result);
    if (!add_room(&size, relay_size, 1) || !add_room(&size, reply_size, 1)) return NULL;
    sc_result *result = sc_malloc(size);
    if (!result) return NULL;
    uint8_t *bytes = (uint8_t *)(result + 1);
    *result = (sc_result){
        .failure = failure,
        .relay_size = relay_size,
        .reply_size = reply_size,
        .relay = bytes,
        .reply = bytes + relay_size,
    };
    if (relay_size > 0) memcpy(result->relay, relay, relay_size);
    if (reply_size > 0) memcpy(result->reply, reply, reply_size);
    return result;
}

void sc_result_free(sc_result *result)
{
    if (!result) return;
    explicit_bzero(result, sizeof *result + result->relay_size + result->reply_size);
    sc_free(result);
}

// --- Words ---------------------------------------------------------------------------------

const char *sc_word_kind_name(sc_word_kind kind)
{
    static const char *const names[SC_WORD_KIND_COUNT] = {
        [SC_WORD_NONE] = "none",           [SC_WORD_ADD] = "add",     [SC_WORD_COMPANY] = "company",
        [SC_WORD_REMOVE] = "remove",       [SC_WORD_OK] = "ok",       [SC_WORD_NO] = "no",
        [SC_WORD_PUBLISHED] = "published", [SC_WORD_DEAD] = "dead",   [SC_WORD_RESERVE] = "reserve",
        [SC_WORD_RELEASE] = "release",     [SC_WORD_ABORT] = "abort", [SC_WORD_DROPPED] = "dropped",
        [SC_WORD_NOT_TAKEN] = "not_taken", [SC_WORD_ASK] = "ask",     [SC_WORD_RESULT] = "result",
    };
    return (unsigned)kind < SC_WORD_KIND_COUNT ? names[kind] : NULL;
}

/** A copy of an array; an empty one is NULL. False if memory is out. */
static bool copy_array(const void *from, size_t count, size_t each, void **out)
{
    *out = NULL;
    if (count == 0) return true;
    *out = sc_malloc_array(count, each);
    if (*out) memcpy(*out, from, count * each);
    return *out != NULL;
}

bool sc_word_clone(const sc_word *word, sc_word *out)
{
    sc_word copy = *word;
    bool is_whole = true;
    void *array = NULL;
    switch (word->kind) {
    case SC_WORD_RESERVE:
        copy.bid = word->bid ? sc_bid_clone(word->bid) : NULL;
        is_whole = copy.bid || !word->bid;
        break;
    case SC_WORD_OK:
    case SC_WORD_RELEASE:
        is_whole = copy_array(word->wishes, word->count, sizeof *word->wishes, &array);
        copy.wishes = array;
        break;
    case SC_WORD_NO:
        is_whole = copy_array(word->gone, word->count, sizeof *word->gone, &array);
        copy.gone = array;
        break;
    case SC_WORD_RESULT:
        if (!word->result) break;
        copy.result =
            sc_result_new(word->result->failure, word->result->relay, word->result->relay_size,
                          word->result->reply, word->result->reply_size);
        is_whole = copy.result != NULL;
        break;
    default:
        break;
    }
    *out = is_whole ? copy : (sc_word){.kind = SC_WORD_NONE};
    explicit_bzero(&copy, sizeof copy);
    return is_whole;
}

static void wipe_and_free(void *array, size_t size)
{
    if (!array) return;
    explicit_bzero(array, size);
    sc_free(array);
}

void sc_word_fini(sc_word *word)
{
    switch (word->kind) {
    case SC_WORD_RESERVE:
        sc_bid_free(word->bid);
        break;
    case SC_WORD_OK:
    case SC_WORD_RELEASE:
        wipe_and_free(word->wishes, word->count * sizeof *word->wishes);
        break;
    case SC_WORD_NO:
        wipe_and_free(word->gone, word->count * sizeof *word->gone);
        break;
    case SC_WORD_RESULT:
        sc_result_free(word->result);
        break;
    default:
        break;
    }
    explicit_bzero(word, sizeof *word);
}
