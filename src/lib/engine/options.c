// Options of engines: their defaults, their ranges, and the words for variants and drops.
#include "engine/options.h"

#include "base/diag.h"

// --- Words -------------------------------------------------------------------

const char *sc_variant_name(sc_variant variant)
{
    switch (variant) {
#define X(name, value, word) \
    case SC_VARIANT_##name:  \
        return word;
        SC_VARIANT_MAP(X)
#undef X
    case SC_VARIANT_COUNT:
        break;
    }
    return "unknown";
}

uint32_t sc_variant_cap(sc_variant variant)
{
    const bool tries_few = variant == SC_VARIANT_SAMPLING || variant == SC_VARIANT_EXPANSION ||
                           variant == SC_VARIANT_PATIENT;
    return tries_few ? 8 : 64;
}

const char *sc_drop_reason_name(sc_drop_reason reason)
{
    switch (reason) {
#define X(name, value, word) \
    case SC_DROP_##name:     \
        return word;
        SC_DROP_MAP(X)
#undef X
    case SC_DROP_REASON_COUNT:
        break;
    }
    return "unknown";
}

// --- Defaults and ranges -----------------------------------------------------

sc_engine_options sc_engine_options_default(void)
{
    return (sc_engine_options){
        .variant = SC_VARIANT_BASIC,
        .compactness = 1,
        .consideration_us = sc_time_from_seconds(2.0),
        .crowd = 4,
        .max_combinations = 64,
        .cost = sc_cost_model_default(),
    };
}

/** So that twice of it, as hops, is still a number; no map is that wide. */
#define MOST_COMPACTNESS (1u << 30)

/** Whether the variant can keep the demands; their tables are not looked at. */
static sc_err check_demands(const sc_engine_options *options, sc_diag *diag)
{
    const sc_demands *demands = &options->demands;
    const bool is_patient = options->variant == SC_VARIANT_PATIENT;
    const char *name = sc_variant_name(options->variant);
    if (demands->traffic == 1 || demands->traffic > SC_TRAFFIC_MAX) {
        return sc_fail(diag, SC_EINVAL, "engine: traffic must be 0, or 2 to %d, not %u",
                       SC_TRAFFIC_MAX, demands->traffic);
    }
    if (demands->traffic > 0 && !demands->density) {
        return sc_fail(diag, SC_EINVAL, "engine: traffic needs a density");
    }
    if (demands->traffic > 0 && !is_patient) {
        return sc_fail(diag, SC_EINVAL, "engine: traffic is patient's, and %s cannot keep it",
                       name);
    }
    if (demands->is_strict && !is_patient) {
        return sc_fail(diag, SC_EINVAL,
                       "engine: strict demands are patient's, and %s cannot keep them", name);
    }
    if (demands->classes && !is_patient && !sc_variant_is_switchable(options->variant)) {
        return sc_fail(diag, SC_EINVAL, "engine: %s cannot leave classes of places out", name);
    }
    return SC_OK;
}

sc_err sc__options_check(const sc_engine_options *options, sc_diag *diag)
{
    if ((unsigned)options->variant >= SC_VARIANT_COUNT) {
        return sc_fail(diag, SC_EINVAL, "engine: no such variant: %d", (int)options->variant);
    }
    if (options->compactness < 1 || options->compactness > MOST_COMPACTNESS) {
        return sc_fail(diag, SC_EINVAL, "engine: lambda must be from 1 to %u, not %u",
                       MOST_COMPACTNESS, options->compactness);
    }
    if (options->consideration_us < 0) {
        return sc_fail(diag, SC_EINVAL, "engine: alpha must not be negative");
    }
    if (options->crowd < 1 || options->crowd > SC_CROWD_MAX) {
        return sc_fail(diag, SC_EINVAL, "engine: crowd must be from 1 to %u, not %u", SC_CROWD_MAX,
                       options->crowd);
    }
    if (options->k_spread > SC_K_SPREAD_MAX) {
        return sc_fail(diag, SC_EINVAL, "engine: the spread of k must be from 0 to %u, not %u",
                       SC_K_SPREAD_MAX, options->k_spread);
    }
    if (options->max_combinations < 1 || options->max_combinations > SC_COMBINATIONS_MAX) {
        return sc_fail(diag, SC_EINVAL,
                       "engine: the cap on combinations must be from 1 to %u, not %u",
                       SC_COMBINATIONS_MAX, options->max_combinations);
    }
    const sc_err err = check_demands(options, diag);
    return err ? err : sc_cost_model_check(&options->cost, diag);
}
