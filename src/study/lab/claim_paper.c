// The paper's claims as wholes: what each says, and what its statements make of it.
#include "lab/claims.h"

/** A claim in the paper's sense. */
typedef struct paper_claim {
    const char *title;
    const char *text;
} paper_claim;

static const paper_claim paper_claims[SC_LAB_PAPER_CLAIMS] = {
    {"Success of the methods",
     "Basic StarCloak succeeds most often, then hybrid, then bounded; all of them more often than "
     "XStar."},
    {"Success and privacy",
     "Success falls as k or l rises; in k it falls faster on the map with fewer travellers per "
     "star."},
    {"Success and tolerance",
     "The more is tolerated, the higher the success; a small σs hurts XStar most."},
    {"Throughput",
     "Throughput of the baselines is 5 to 6 times below that of StarCloak; XStar’s falls as l "
     "rises."},
    {"Anonymization time",
     "Basic StarCloak has the lowest anonymization time, hybrid and bounded have similar ones, and "
     "XStar often has the highest (California)."},
    {"Query processing time",
     "Queries of bounded and hybrid are processed faster than those of basic StarCloak, the more "
     "so the larger σs is, and all of them faster than those of XStar."},
    {"Candidate result size",
     "Bounded and hybrid have the smallest candidate results, XStar has the largest under strict "
     "privacy; they grow with σs and with k of k-NN."},
    {"Resilience to attacks",
     "Entropy is highest for random sampling and lowest for network expansion; StarCloak is near "
     "sampling and above XStar. It rises with k, more so for bounded and hybrid, and falls with "
     "injected queries, for XStar clearly more from four on, but not for the baselines."},
};

const char *sc__paper_claim_title(size_t number)
{
    return paper_claims[number].title;
}

const char *sc__paper_claim_text(size_t number)
{
    return paper_claims[number].text;
}

bool sc__is_of_paper_claim(const sc_lab_claim *claim, size_t number)
{
    return claim->statement->id[0] == (char)('1' + number);
}

sc_lab_tally sc__paper_claim_tally(const sc_lab_claims *claims, size_t number, uint32_t map)
{
    sc_lab_tally tally = {{0}};
    for (size_t i = 0; i < claims->count; i++) {
        const sc_lab_claim *claim = &claims->all[i];
        if (sc__is_of_paper_claim(claim, number) && claim->map == map) {
            tally.by_verdict[claim->verdict]++;
        }
    }
    return tally;
}

sc_lab_verdict sc__tally_verdict(const sc_lab_tally *tally)
{
    if (tally->by_verdict[SC_LAB_FAILS] > 0) return SC_LAB_FAILS;
    return tally->by_verdict[SC_LAB_HOLDS] > 0 ? SC_LAB_HOLDS : SC_LAB_UNTOLD;
}

sc_lab_tally sc__paper_claim_total(const sc_lab_claims *claims, size_t number)
{
    sc_lab_tally tally = {{0}};
    for (size_t i = 0; i < claims->count; i++) {
        const sc_lab_claim *claim = &claims->all[i];
        if (sc__is_of_paper_claim(claim, number)) tally.by_verdict[claim->verdict]++;
    }
    return tally;
}

sc_lab_verdict sc__paper_claim_verdict(const sc_lab_claims *claims, size_t number)
{
    const sc_lab_tally total = sc__paper_claim_total(claims, number);
    return sc__tally_verdict(&total);
}

sc_lab_tally sc__paper_claims_by_verdict(const sc_lab_claims *claims)
{
    sc_lab_tally tally = {{0}};
    for (size_t number = 0; number < SC_LAB_PAPER_CLAIMS; number++) {
        tally.by_verdict[sc__paper_claim_verdict(claims, number)]++;
    }
    return tally;
}
