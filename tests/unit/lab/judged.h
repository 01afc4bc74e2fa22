/**
 * @file judged.h
 * @brief Made-up results with the claims about them.
 */
#ifndef SC_TESTS_UNIT_LAB_JUDGED_H
#define SC_TESTS_UNIT_LAB_JUDGED_H

#include "lab/claims.h"
#include "support/check.h"
#include "support/made_results.h"

enum { TOWN = 0, COUNTRY = 1 };

/** Results with claims about them. */
typedef struct judged {
    made_results made;
    sc_lab_table table;
    sc_lab_claims claims;
} judged;

static inline void judged_init(judged *j)
{
    *j = (judged){.made = made_results_new()};
}

/** Judge what the results are now. */
static inline void judge(judged *j)
{
    sc_diag diag = {""};
    sc__claims_fini(&j->claims);
    sc__table_fini(&j->table);
    CHECK_OK(sc__table_init(&j->table, &j->made.results, &diag), &diag);
    CHECK_OK(sc__claims_init(&j->claims, &j->table, &diag), &diag);
}

static inline void judged_fini(judged *j)
{
    sc__claims_fini(&j->claims);
    sc__claims_fini(&j->claims);
    sc__table_fini(&j->table);
    made_results_free(&j->made);
}

/** The claim of that name; with two of them (7b), the one about `axis`, else any. */
static inline const sc_lab_claim *find(const judged *j, const char *id, uint32_t map,
                                       sc_lab_method method, sc_lab_axis axis)
{
    for (size_t i = 0; i < j->claims.count; i++) {
        const sc_lab_claim *claim = &j->claims.all[i];
        if (strcmp(claim->statement->id, id) == 0 && claim->map == map && claim->method == method &&
            (axis == SC_LAB_AXIS_COUNT || claim->statement->axis == axis)) {
            return claim;
        }
    }
    fail_msg("there is no claim %s for map %u and method %d", id, map, (int)method);
    return NULL;
}

static inline const sc_lab_claim *claim_of(const judged *j, const char *id, uint32_t map,
                                           sc_lab_method method)
{
    return find(j, id, map, method, SC_LAB_AXIS_COUNT);
}

static inline void check_verdict(const sc_lab_claim *claim, sc_lab_verdict wanted)
{
    if (claim->verdict != wanted) {
        fail_msg("%s (%s) %s, not as wanted: %s", claim->statement->id, claim->who,
                 sc__verdict_text(claim->verdict), claim->found);
    }
}

/** All methods do equally well. */
static inline void success_is_the_same_everywhere(sc_lab_result *r)
{
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        r->by_method[method].cloaked = 5000;
    }
}

#endif
