// Facts, and what may never be. See ground_truth.h.
#include "cluster_sim/ground_truth.h"

#include "base/alloc.h"
#include "base/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// --- Life -----------------------------------------------------------------------------------

sc_err sc__truth_init(sc__truth *truth, const sc_map *map, const sc_cluster_sim_options *options)
{
    *truth =
        (sc__truth){.partition = options->partition, .is_company_off = options->is_company_off};
    sc_err err = sc_partition_walker_new(options->partition, &truth->walker);
    if (!err && options->is_checked) err = sc_verifier_new(map, &truth->verifier);
    if (err) sc__truth_fini(truth);
    return err;
}

void sc__truth_fini(sc__truth *truth)
{
    if (truth->facts) explicit_bzero(truth->facts, truth->count * sizeof *truth->facts);
    sc_free(truth->facts);
    sc_hash_fini(&truth->numbers);
    sc_verifier_free(truth->verifier);
    sc_free(truth->members);
    sc_partition_walker_free(truth->walker);
    *truth = (sc__truth){0};
}

// --- Queries --------------------------------------------------------------------------------

static sc_key key_of(const sc_query_id *id)
{
    sc_key key;
    memcpy(&key, id->bytes, sizeof key);
    return key;
}

_Static_assert(sizeof(sc_key) == sizeof(sc_query_id), "an id is a key");

/** Something that must never be. The first one is described, without naming a user. */
static void accuse(sc__truth *truth, uint64_t *count, sc_time now, const char *what)
{
    sc_cluster_sim_verdict *verdict = &truth->verdict;
    (*count)++;
    if (verdict->what[0]) return;
    (void)snprintf(verdict->what, sizeof verdict->what, "at %" PRId64 " us: %s", now, what);
}

sc_err sc__truth_ask(sc__truth *truth, const sc_query *query, uint64_t *number)
{
    if (!sc_grow(&truth->facts, truth->count, &truth->capacity, sizeof *truth->facts)) {
        return SC_ENOMEM;
    }
    uint32_t held = SC_NONE;
    const sc_err err =
        sc_hash_put(&truth->numbers, key_of(&query->id), (uint32_t)truth->count, &held);
    if (err) return err;
    if (held != truth->count) return SC_EDUPLICATE;
    *number = truth->count;
    truth->facts[truth->count++] = (sc__fact){.query = *query};
    truth->open++;
    truth->verdict.asked++;
    if (query->deadline > truth->last_deadline) truth->last_deadline = query->deadline;
    return SC_OK;
}

void sc__truth_settle(sc__truth *truth, uint64_t number, const sc_ticket *ticket, sc_time now)
{
    sc_cluster_sim_verdict *verdict = &truth->verdict;
    sc__fact *fact = &truth->facts[number];
    if (fact->outcome != SC_OUTCOME_NONE || fact->is_disconnected) {
        accuse(truth, &verdict->resettled, now, "a query has two outcomes");
        return;
    }
    fact->outcome = ticket->outcome;
    truth->open--;
    switch (ticket->outcome) {
    case SC_OUTCOME_ANSWERED:
        verdict->answered++;
        if (!fact->is_published) {
            accuse(truth, &verdict->broken, now, "a query is answered that was in no cloak");
        }
        break;
    case SC_OUTCOME_DROPPED:
        verdict->dropped++;
        if (fact->is_published) {
            accuse(truth, &verdict->broken, now, "a query is dropped whose cloak has left");
        }
        break;
    case SC_OUTCOME_FAILED:
        verdict->failed[ticket->failure]++;
        break;
    case SC_OUTCOME_GONE:
        verdict->gone++;
        if (fact->is_published) {
            accuse(truth, &verdict->broken, now, "a client is gone as if its cloak had not left");
        }
        break;
    default:
        accuse(truth, &verdict->broken, now, "a query is settled without an outcome");
        break;
    }
}

void sc__truth_leave(sc__truth *truth, const sc_query_id *id)
{
    const uint32_t number = sc_hash_get(&truth->numbers, key_of(id), SC_NONE);
    if (number != SC_NONE) truth->facts[number].has_gone = true;
}

void sc__truth_disconnect(sc__truth *truth, uint64_t number)
{
    sc__fact *fact = &truth->facts[number];
    if (fact->outcome != SC_OUTCOME_NONE || fact->is_disconnected) return;
    fact->is_disconnected = true;
    truth->open--;
    truth->verdict.disconnected++;
}

void sc__truth_end(sc__truth *truth, sc_time now)
{
    for (size_t i = 0; i < truth->open; i++) {
        accuse(truth, &truth->verdict.unsettled, now, "a query has no outcome");
    }
    truth->open = 0;
}

// --- Cloaks ---------------------------------------------------------------------------------

/** A member leaves with a cloak. */
static void publish_member(sc__truth *truth, sc__fact *fact, sc_time now)
{
    sc_cluster_sim_verdict *verdict = &truth->verdict;
    if (fact->is_published) {
        accuse(truth, &verdict->twice, now, "a query is published in two cloaks");
    }
    if (fact->query.deadline < now) {
        accuse(truth, &verdict->late, now, "a query is published after its deadline");
    }
    if (fact->outcome == SC_OUTCOME_DROPPED || fact->outcome == SC_OUTCOME_GONE) {
        accuse(truth, &verdict->broken, now, "a query is published that was dropped, or gone");
    }
    fact->is_published = true;
}

static sc_err look(sc__truth *truth, const sc_proposal *proposal, sc_time now)
{
    const sc_claim claim = {
        .stars = proposal->stars,
        .star_count = proposal->star_count,
        .segments = proposal->segments,
        .segment_count = proposal->segment_count,
        .border_nodes = proposal->border_nodes,
        .border_node_count = proposal->border_node_count,
        .members = truth->members,
        .member_count = proposal->member_count,
        .t_us = now,
    };
    unsigned broken = 0;
    const sc_err err = sc_verifier_check_claim(truth->verifier, &claim, &broken, NULL);
    if (err || !broken) return err;
    char what[64] = "a cloak breaks a promise:";
    for (unsigned i = 0; i < SC_PROMISE_COUNT; i++) {
        if (!(broken & 1u << i)) continue;
        const size_t used = strlen(what);
        (void)snprintf(what + used, sizeof what - used, " %s", sc_promise_name((sc_promise)i));
    }
    accuse(truth, &truth->verdict.broken, now, what);
    return SC_OK;
}

/** Would a query on that segment, with these hops, have been known to the part's engine? */
static bool is_known(const sc__truth *truth, sc_seg_id segment, uint32_t hops, uint32_t part)
{
    if (sc_partition_home(truth->partition, segment) == part) return true;
    if (truth->is_company_off) return false;
    size_t count = 0;
    const uint16_t *parts = sc_partition_reach(truth->walker, segment, hops, &count);
    for (size_t i = 0; i < count; i++) {
        if (parts[i] == part) return true;
    }
    return false;
}

/** What somebody who knows the partition, and which engine found the cloak, can rule out of it. */
static void rule_out(sc__truth *truth, const sc_proposal *proposal)
{
    uint32_t hops = 0;
    uint32_t l = 0;
    for (size_t i = 0; i < proposal->member_count; i++) {
        if (truth->members[i].max_hops > hops) hops = truth->members[i].max_hops;
        if (truth->members[i].l > l) l = truth->members[i].l;
    }
    size_t out = 0;
    for (size_t i = 0; i < proposal->segment_count; i++) {
        if (!is_known(truth, proposal->segments[i], hops, proposal->part)) out++;
    }
    sc_cluster_sim_verdict *verdict = &truth->verdict;
    verdict->ruled_out_segments += out;
    verdict->ruled_out_cloaks += out > 0;
    verdict->ruled_out_below_l += out > 0 && proposal->segment_count - out < l;
}

static sc_err count_users(const sc__truth *truth, size_t count, uint32_t *out)
{
    uint64_t *users = sc_malloc_array(count, sizeof *users);
    if (!users) return SC_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        users[i] = truth->members[i].user;
    }
    *out = (uint32_t)sc_sort_count_different(users, count);
    sc_free(users);
    return SC_OK;
}

sc_err sc__truth_publish(sc__truth *truth, const sc_proposal *proposal, sc_time now,
                         uint32_t *users)
{
    if (!sc_reserve(&truth->members, proposal->member_count, &truth->member_capacity,
                    sizeof *truth->members)) {
        return SC_ENOMEM;
    }
    truth->verdict.cloaks++;
    for (size_t i = 0; i < proposal->member_count; i++) {
        const sc_proposal_member *member = &proposal->members[i];
        const uint32_t number = sc_hash_get(&truth->numbers, key_of(&member->query.id), SC_NONE);
        truth->members[i] = (sc_claim_member){0};
        if (number == SC_NONE) {
            accuse(truth, &truth->verdict.broken, now, "a cloak has a member that was never asked");
            continue;
        }
        sc__fact *fact = &truth->facts[number];
        publish_member(truth, fact, now);
        // R knows of its own clients at once; of others it is told, if the message is not lost.
        if (fact->has_gone && member->query.owner == proposal->releaser) {
            accuse(truth, &truth->verdict.broken, now, "a client counts that went away before");
        }
        truth->members[i] = (sc_claim_member){
            .user = fact->query.user,
            .segment = fact->query.segment,
            .star = member->star,
            .k = fact->query.k,
            .l = fact->query.l,
            .max_hops = fact->query.max_hops,
            .deadline_us = fact->query.deadline,
        };
    }
    sc_err err = count_users(truth, proposal->member_count, users);
    if (!err && truth->verifier) err = look(truth, proposal, now);
    if (!err) rule_out(truth, proposal);
    explicit_bzero(truth->members, proposal->member_count * sizeof *truth->members);
    return err;
}
