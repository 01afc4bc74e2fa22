// What an engine can be told, and the words for it. See starcloak/engine.h.
#include "engine/options.h"

#include "base/diag.h"

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
    return variant == SC_VARIANT_SAMPLING || variant == SC_VARIANT_EXPANSION ? 8 : 64;
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

sc_engine_options sc_engine_options_default(void)
{
    return (sc_engine_options){
        .variant = SC_VARIANT_BASIC,
        .compactness = 1,
        .consideration_us = sc_time_from_seconds(2.0),
        .max_combinations = 64,
        .cost = sc_cost_model_default(),
    };
}

/** So that twice of it, as hops, is still a number; no map is that wide. */
#define MOST_COMPACTNESS (1u << 30)

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
    if (options->max_combinations < 1 || options->max_combinations > SC_COMBINATIONS_MAX) {
        return sc_fail(diag, SC_EINVAL,
                       "engine: the cap on combinations must be from 1 to %u, not %u",
                       SC_COMBINATIONS_MAX, options->max_combinations);
    }
    return sc_cost_model_check(&options->cost, diag);
}
