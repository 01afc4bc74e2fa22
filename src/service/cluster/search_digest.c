// What tells how one worker searches for cloaks from how another does.
#include "cluster/search_digest.h"

sc_search_digest sc_search_digest_of(const sc_engine_options *options)
{
    const sc_variant variant = options->variant;
    const bool is_patient = variant == SC_VARIANT_PATIENT;
    const bool is_hybrid = variant == SC_VARIANT_HYBRID;
    const bool is_bounded = is_hybrid || variant == SC_VARIANT_BOUNDED;
    return (sc_search_digest){
        .engine = 1 + (uint32_t)variant,
        .is_strict = is_bounded && options->is_strict,
        .lambda = is_bounded ? options->compactness : 0,
        .alpha_us = is_hybrid || is_patient ? options->consideration_us : 0,
        .crowd = is_patient ? options->crowd : 0,
        .k_spread = sc_variant_has_k_spread(variant) ? options->k_spread : 0,
        .cap = variant == SC_VARIANT_XSTAR ? 0 : options->max_combinations,
    };
}

const char *sc_search_digest_difference(const sc_search_digest *a, const sc_search_digest *b)
{
    if (a->engine == 0 || b->engine == 0) return NULL;
    if (a->engine != b->engine) return "engine";
    if (a->is_strict != b->is_strict) return "strict";
    if (a->lambda != b->lambda) return "lambda";
    if (a->alpha_us != b->alpha_us) return "alpha";
    if (a->crowd != b->crowd) return "crowd";
    if (a->k_spread != b->k_spread) return "k-spread";
    return a->cap != b->cap ? "cap" : NULL;
}
