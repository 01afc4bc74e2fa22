// The paper's claims in words: as statements that numbers can decide, the rules by which they are
// decided, and the claims as the paper makes them. claims.c judges them.
//
// Baselines are those of the shared reading here; claims.c has them in the literal one too.
//
// The wording follows the paper's section on results; where that is about the California map alone,
// of which the paper has objects, the statement is judged on every map that has objects. Nothing
// here is chosen after the numbers: a statement that does not hold stays, and is reported so.
#include "lab/claims.h"

// === Statements and rules =======================================================================

#define BIT(method) (1U << SC_LAB_##method)
#define BOTH_BOUNDED (BIT(BOUNDED) | BIT(STRICT))
#define COMPACT (BIT(HYBRID) | BOTH_BOUNDED)
#define STARCLOAK (BIT(BASIC) | COMPACT)
#define BASELINES (BIT(SAMPLING) | BIT(EXPANSION))
#define ALL (STARCLOAK | BIT(XSTAR) | BASELINES)

enum { BELOW = -1, ABOVE = 1, FALLS = -1, RISES = 1 };

static const sc_lab_statement statements[] = {
    {.id = "1a",
     .text = "Basic StarCloak succeeds at least as often as hybrid.",
     .kind = SC_LAB_CLAIM_ORDER,
     .metric = SC_LAB_SUCCESS,
     .sign = ABOVE,
     .is_at_least = true,
     .each = BIT(BASIC),
     .other = BIT(HYBRID)},
    {.id = "1b",
     .text = "Bounded succeeds at most as often as hybrid.",
     .kind = SC_LAB_CLAIM_ORDER,
     .metric = SC_LAB_SUCCESS,
     .sign = BELOW,
     .is_at_least = true,
     .each = BOTH_BOUNDED,
     .other = BIT(HYBRID)},
    {.id = "1c",
     .text = "Every StarCloak variant succeeds more often than XStar.",
     .kind = SC_LAB_CLAIM_ORDER,
     .metric = SC_LAB_SUCCESS,
     .sign = ABOVE,
     .is_strict = true,
     .each = STARCLOAK,
     .other = BIT(XSTAR)},
    {.id = "2a",
     .text = "Success falls as k rises.",
     .kind = SC_LAB_CLAIM_TREND,
     .metric = SC_LAB_SUCCESS,
     .axis = SC_LAB_AXIS_K,
     .sign = FALLS,
     .each = ALL},
    {.id = "2b",
     .text = "Success falls as l rises.",
     .kind = SC_LAB_CLAIM_TREND,
     .metric = SC_LAB_SUCCESS,
     .axis = SC_LAB_AXIS_L,
     .sign = FALLS,
     .each = ALL},
    {.id = "2c",
     .text = "Success falls faster in k on the map with fewer travellers per star.",
     .kind = SC_LAB_CLAIM_SPARSER,
     .metric = SC_LAB_SUCCESS,
     .axis = SC_LAB_AXIS_K,
     .sign = FALLS,
     .each = STARCLOAK},
    {.id = "3a",
     .text = "Success rises with the tolerance of space, σs.",
     .kind = SC_LAB_CLAIM_TREND,
     .metric = SC_LAB_SUCCESS,
     .axis = SC_LAB_AXIS_SIGMA_S,
     .sign = RISES,
     .each = ALL},
    {.id = "3b",
     .text = "Success rises with the tolerance of time, σt.",
     .kind = SC_LAB_CLAIM_TREND,
     .metric = SC_LAB_SUCCESS,
     .axis = SC_LAB_AXIS_SIGMA_T,
     .sign = RISES,
     .each = ALL},
    {.id = "3c",
     .text =
         "From the largest σs to the smallest, every other method loses less success than XStar.",
     .kind = SC_LAB_CLAIM_LESS_LOST,
     .metric = SC_LAB_SUCCESS,
     .axis = SC_LAB_AXIS_SIGMA_S,
     .sign = BELOW,
     .is_strict = true,
     .each = ALL & ~BIT(XSTAR),
     .other = BIT(XSTAR)},
    {.id = "4a",
     .text =
         "Throughput of the baselines is at least 5 times below that of StarCloak (the paper: 5 "
         "to 6 times).",
     .kind = SC_LAB_CLAIM_FACTOR,
     .metric = SC_LAB_THROUGHPUT,
     .sign = BELOW,
     .each = BASELINES,
     .other = BIT(BASIC)},
    {.id = "4b",
     .text = "XStar's throughput falls as l rises.",
     .kind = SC_LAB_CLAIM_TREND,
     .metric = SC_LAB_THROUGHPUT,
     .axis = SC_LAB_AXIS_L,
     .sign = FALLS,
     .each = BIT(XSTAR)},
    {.id = "5a",
     .text = "Basic StarCloak has the lowest anonymization time.",
     .kind = SC_LAB_CLAIM_ORDER,
     .metric = SC_LAB_ANONYMIZATION,
     .sign = BELOW,
     .each = BIT(BASIC),
     .other = ALL & ~BIT(BASIC)},
    {.id = "5b",
     .text = "Hybrid and bounded have similar anonymization times.",
     .kind = SC_LAB_CLAIM_SIMILAR,
     .metric = SC_LAB_ANONYMIZATION,
     .each = BOTH_BOUNDED,
     .other = BIT(HYBRID)},
    {.id = "5c",
     .text = "XStar often has the highest anonymization time (said of California).",
     .kind = SC_LAB_CLAIM_MOSTLY,
     .metric = SC_LAB_ANONYMIZATION,
     .sign = ABOVE,
     .needs_objects = true,
     .each = BIT(XSTAR),
     .other = ALL & ~BIT(XSTAR)},
    {.id = "6a",
     .text = "Queries of bounded and hybrid are processed faster than those of basic StarCloak.",
     .kind = SC_LAB_CLAIM_ORDER,
     .metric = SC_LAB_PROCESSING,
     .sign = BELOW,
     .is_strict = true,
     .each = COMPACT,
     .other = BIT(BASIC)},
    {.id = "6b",
     .text = "Queries of every StarCloak variant are processed faster than those of XStar.",
     .kind = SC_LAB_CLAIM_ORDER,
     .metric = SC_LAB_PROCESSING,
     .sign = BELOW,
     .is_strict = true,
     .each = STARCLOAK,
     .other = BIT(XSTAR)},
    {.id = "6c",
     .text = "How much faster bounded is than basic StarCloak grows with σs.",
     .kind = SC_LAB_CLAIM_GAP,
     .metric = SC_LAB_PROCESSING,
     .axis = SC_LAB_AXIS_SIGMA_S,
     .sign = RISES,
     .each = BOTH_BOUNDED,
     .other = BIT(BASIC)},
    {.id = "7a",
     .text = "Bounded and hybrid have the smallest candidate results.",
     .kind = SC_LAB_CLAIM_ORDER,
     .metric = SC_LAB_CANDIDATES,
     .sign = BELOW,
     .each = COMPACT,
     .other = ALL & ~COMPACT},
    {.id = "7b",
     .text = "XStar's candidate results are the largest at the strictest k.",
     .kind = SC_LAB_CLAIM_AT_END,
     .metric = SC_LAB_CANDIDATES,
     .axis = SC_LAB_AXIS_K,
     .sign = ABOVE,
     .each = BIT(XSTAR),
     .other = ALL & ~BIT(XSTAR)},
    {.id = "7b",
     .text = "XStar's candidate results are the largest at the strictest l.",
     .kind = SC_LAB_CLAIM_AT_END,
     .metric = SC_LAB_CANDIDATES,
     .axis = SC_LAB_AXIS_L,
     .sign = ABOVE,
     .each = BIT(XSTAR),
     .other = ALL & ~BIT(XSTAR)},
    {.id = "7c",
     .text = "StarCloak's candidate results grow with σs.",
     .kind = SC_LAB_CLAIM_TREND,
     .metric = SC_LAB_CANDIDATES,
     .axis = SC_LAB_AXIS_SIGMA_S,
     .sign = RISES,
     .each = STARCLOAK},
    {.id = "7d",
     .text = "Candidate results grow with k of k-NN.",
     .kind = SC_LAB_CLAIM_TREND,
     .metric = SC_LAB_CANDIDATES,
     .axis = SC_LAB_AXIS_NEAREST,
     .sign = RISES,
     .each = ALL},
    {.id = "8a",
     .text = "Random sampling has the highest entropy.",
     .kind = SC_LAB_CLAIM_ORDER,
     .metric = SC_LAB_ENTROPY,
     .sign = ABOVE,
     .each = BIT(SAMPLING),
     .other = ALL & ~BIT(SAMPLING)},
    {.id = "8b",
     .text = "Network expansion has the lowest entropy.",
     .kind = SC_LAB_CLAIM_ORDER,
     .metric = SC_LAB_ENTROPY,
     .sign = BELOW,
     .each = BIT(EXPANSION),
     .other = ALL & ~BIT(EXPANSION)},
    {.id = "8c",
     .text = "Every StarCloak variant has higher entropy than XStar.",
     .kind = SC_LAB_CLAIM_ORDER,
     .metric = SC_LAB_ENTROPY,
     .sign = ABOVE,
     .is_strict = true,
     .each = STARCLOAK,
     .other = BIT(XSTAR)},
    {.id = "8d",
     .text = "The entropy of every StarCloak variant is similar to that of random sampling.",
     .kind = SC_LAB_CLAIM_SIMILAR,
     .metric = SC_LAB_ENTROPY,
     .each = STARCLOAK,
     .other = BIT(SAMPLING)},
    {.id = "8e",
     .text = "Entropy rises with k.",
     .kind = SC_LAB_CLAIM_TREND,
     .metric = SC_LAB_ENTROPY,
     .axis = SC_LAB_AXIS_K,
     .sign = RISES,
     .each = ALL},
    {.id = "8f",
     .text =
         "From the smallest k to the largest, the entropy of bounded and hybrid rises more than "
         "that of basic StarCloak.",
     .kind = SC_LAB_CLAIM_GAINS_MORE,
     .metric = SC_LAB_ENTROPY,
     .axis = SC_LAB_AXIS_K,
     .sign = ABOVE,
     .is_strict = true,
     .each = COMPACT,
     .other = BIT(BASIC)},
    {.id = "8g",
     .text = "From four injected queries on, every StarCloak variant has clearly higher entropy "
             "than XStar.",
     .kind = SC_LAB_CLAIM_FROM,
     .metric = SC_LAB_ENTROPY,
     .axis = SC_LAB_AXIS_INJECTED,
     .from = 4,
     .sign = ABOVE,
     .is_strict = true,
     .each = STARCLOAK,
     .other = BIT(XSTAR)},
    {.id = "8h",
     .text = "The more queries are injected, the lower the entropy of StarCloak and XStar.",
     .kind = SC_LAB_CLAIM_TREND,
     .metric = SC_LAB_ENTROPY,
     .axis = SC_LAB_AXIS_INJECTED,
     .sign = FALLS,
     .each = STARCLOAK | BIT(XSTAR)},
    {.id = "8i",
     .text =
         "Injected queries leave the entropy of random sampling and network expansion as it is.",
     .kind = SC_LAB_CLAIM_STEADY,
     .metric = SC_LAB_ENTROPY,
     .axis = SC_LAB_AXIS_INJECTED,
     .each = BASELINES},
};

const sc_lab_statement *sc__statements(size_t *count)
{
    *count = sizeof statements / sizeof statements[0];
    return statements;
}

// The numbers in these sentences are the constants of claims.h. The first is for one stream.
static const char *const rules[] = {
    "Points: all values of all axes that were run for the metric on the map, each setting once. "
    "At a point, two methods are compared seed by seed, because they got the same queries; a seed "
    "with which one of them cloaked nothing is left out.",
    "More than chance: the 95 % interval of the differences, paired by seed, does not include 0. "
    "With a single seed there is no interval; then it is a difference of more than 2 % of the "
    "larger value.",
    "An order (1, 5a, 6a, 6b, 7a, 7b, 8a to 8c) holds if the means over all points agree with it, "
    "more than half of the points do, and at no point the opposite is true by more than chance. "
    "Against several others, the best of them counts.",
    "“At least” and “at most” (1a, 1b): a point where the two differ by no more than chance "
    "agrees. So do the means over all points if the 95 % interval of the differences of all points "
    "and seeds includes 0 or, with a single seed, if they differ by less than 0.5 % of the larger.",
    "A trend (2a, 2b, 3a, 3b, 4b, 6c, 7c, 7d, 8e, 8h) holds if the ends of the axis differ as it "
    "says and by more than chance, and Kendall's rank correlation of the means with the axis is at "
    "least 0.6 in its direction; equal means count neither way.",
    "“Loses less”, “rises more” and “falls faster” (3c, 8f, 2c) compare the two ends of the axis: "
    "what two methods lose or gain, or what one loses on two maps, must differ by more than "
    "chance. With a single seed, that is more than 2 % of the largest value at these ends. The "
    "two maps are those with the fewest and the most travellers per star; maps with recorded "
    "movement are left out if two others are there.",
    "“At least 5 times below” (4a) holds if the geometric mean of the paired ratios is at least 5; "
    "“similar” (5b, 8d) if the means over all points are within 15 % of the larger; “often” (5c) "
    "if it is so at more than half of the points.",
    "“Clearly, from four on” (8g) holds if it is so by more than chance at every such value of the "
    "axis; “as it is” (8i) if the two ends of the axis differ by no more than chance, or by at "
    "most 2 % of the larger.",
    "Random sampling and network expansion have two readings, shared (k counts the queries that "
    "share a cloak) and literal (a query takes no notice of others, and k counts all travellers). "
    "Statements about them are judged in each reading that was run, without the other’s methods.",
    "What the paper shows for California alone (5c, 6, 7) is judged on all maps that have objects. "
    "Bounded is judged in both its settings. Not told: a method, axis or map that is needed was "
    "not part of the experiment.",
    "One of the eight claims holds if all of its decided statements hold, on all maps. It mostly "
    "holds if at least one does not hold, but three quarters of them do; then those that do not "
    "are named.",
};

static const char closed_points[] =
    "Points: all values of all axes that were run for the metric on the map, each setting once. "
    "At a point, two methods are compared seed by seed: each had travellers of its own with the "
    "same seed, but what these ask depends on how they are served. A seed with which one of them "
    "cloaked nothing is left out.";

size_t sc__claim_rule_count(void)
{
    return sizeof rules / sizeof rules[0];
}

const char *sc__claim_rule(size_t i, bool is_closed)
{
    return i == 0 && is_closed ? closed_points : rules[i];
}

// === The claims as the paper makes them =========================================================

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
