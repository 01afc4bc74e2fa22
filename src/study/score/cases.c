// Cases in lists, and a run that is listened to for them. See cases.h.
//
// A cloak knows its members by their ids only. Who they are and where is remembered from when they
// asked, by the number of the question.
#include "score/cases.h"

#include "base/alloc.h"
#include "record/run_reader.h"

#include <string.h>

uint64_t sc_case_user(const char *name, size_t size)
{
    return sc_run_user(name, size);
}

bool sc_case_user_is_injected(const char *name, size_t size)
{
    enum { PREFIX = sizeof SC_INJECTED_PREFIX - 1 };
    return size >= PREFIX && memcmp(name, SC_INJECTED_PREFIX, PREFIX) == 0;
}

// --- Lists -----------------------------------------------------------------------

/** Room for one more case, and behind the others for its segments and members. */
static bool make_room(sc_cases *cases, size_t segment_count, size_t member_count)
{
    return sc_grow(&cases->places, cases->count, &cases->capacity, sizeof *cases->places) &&
           sc_reserve(&cases->segments, cases->segment_count + segment_count,
                      &cases->segment_capacity, sizeof *cases->segments) &&
           sc_reserve(&cases->members, cases->member_count + member_count, &cases->member_capacity,
                      sizeof *cases->members);
}

/** Take in a case whose members lie in their room already. */
static void put_case(sc_cases *cases, const sc_case *one)
{
    cases->places[cases->count++] = (sc__case_place){
        .number = one->number,
        .t = one->t,
        .first_segment = cases->segment_count,
        .segment_count = one->segment_count,
        .first_member = cases->member_count,
        .member_count = one->member_count,
    };
    if (one->segment_count > 0) {
        memcpy(cases->segments + cases->segment_count, one->segments,
               one->segment_count * sizeof *one->segments);
    }
    cases->segment_count += one->segment_count;
    cases->member_count += one->member_count;
}

sc_err sc_cases_add(sc_cases *cases, const sc_case *one)
{
    if (!make_room(cases, one->segment_count, one->member_count)) return SC_ENOMEM;
    if (one->member_count > 0) {
        memcpy(cases->members + cases->member_count, one->members,
               one->member_count * sizeof *one->members);
    }
    put_case(cases, one);
    return SC_OK;
}

sc_case sc_cases_at(const sc_cases *cases, size_t i)
{
    const sc__case_place *place = &cases->places[i];
    return (sc_case){
        .number = place->number,
        .t = place->t,
        .segments = cases->segments + place->first_segment,
        .segment_count = place->segment_count,
        .members = cases->members + place->first_member,
        .member_count = place->member_count,
    };
}

void sc_cases_fini(sc_cases *cases)
{
    sc_free(cases->places);
    sc_free(cases->segments);
    sc_free(cases->members);
    *cases = (sc_cases){0};
}

// --- A run -----------------------------------------------------------------------

static sc_key key_of(const sc_query_id *id)
{
    sc_key key;
    memcpy(&key, id->bytes, sizeof key);
    return key;
}

static sc_err hear_question(void *context, const sc_query *query, const sc_spoken *spoken,
                            const sc_snap *where)
{
    sc_case_book *book = context;
    const sc_ask *ask = &spoken->ask;
    const uint32_t number = (uint32_t)book->asker_count;
    uint32_t holds = 0;
    if (book->asker_count >= UINT32_MAX) return SC_ELIMIT;
    if (!sc_grow(&book->askers, book->asker_count, &book->asker_capacity, sizeof *book->askers)) {
        return SC_ENOMEM;
    }
    const sc_err err = sc_hash_put(&book->numbers, key_of(&query->id), number, &holds);
    if (err) return err;
    book->askers[book->asker_count++] = (sc_case_member){
        .needs = {query->k, query->l, query->max_hops, query->result_size},
        .asked = ask->t,
        .max_wait_us = ask->profile.max_wait_us,
        .is_injected = sc_case_user_is_injected(ask->user, ask->user_size),
        .segment = where->segment,
        .user = sc_case_user(ask->user, ask->user_size),
    };
    return SC_OK;
}

static sc_err hear_cloak(void *context, const sc_cloak *cloak, sc_time t)
{
    sc_case_book *book = context;
    const uint64_t number = book->cloak_count++;
    if (!sc_run_window_has(book->window, t)) return SC_OK;

    sc_cases *cases = &book->cases;
    if (!make_room(cases, cloak->segment_count, cloak->member_count)) return SC_ENOMEM;
    sc_case_member *members = cases->members + cases->member_count;
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_key key = key_of(&cloak->members[i].query.id);
        const uint32_t asker = sc_hash_get(&book->numbers, key, UINT32_MAX);
        // The books of the run will say the same: nobody has asked this.
        if (asker == UINT32_MAX) return SC_EBROKEN;
        members[i] = book->askers[asker];
    }
    put_case(cases, &(sc_case){
                        .number = number,
                        .t = t,
                        .segments = cloak->segments,
                        .segment_count = cloak->segment_count,
                        .member_count = cloak->member_count,
                    });
    return SC_OK;
}

sc_run_listener sc_case_book_listener(sc_case_book *book)
{
    return (sc_run_listener){.context = book, .asked = hear_question, .cloaked = hear_cloak};
}

void sc_case_book_settle(sc_case_book *book)
{
    sc_hash_fini(&book->numbers);
    sc_free(book->askers);
    book->askers = NULL;
    book->asker_count = 0;
    book->asker_capacity = 0;
}

void sc_case_book_fini(sc_case_book *book)
{
    sc_case_book_settle(book);
    sc_cases_fini(&book->cases);
    *book = (sc_case_book){.window = book->window};
}
