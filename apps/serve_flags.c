// Settings from defaults, a file and flags.
#include "serve_flags.h"

#include <stdlib.h>
#include <string.h>

sc_err sc_serve_flags_init(sc_serve_flags *flags, const sc_call *call, const sc_option *table)
{
    *flags = (sc_serve_flags){.table = table};
    flags->flags = calloc((size_t)call->argc + 1, sizeof *flags->flags);
    return flags->flags ? SC_OK : SC_ENOMEM;
}

void sc_serve_flags_fini(sc_serve_flags *flags)
{
    free(flags->flags);
    flags->flags = NULL;
}

static void take_flag(sc_serve_flags *flags, const char *name, const char *value)
{
    flags->flags[flags->flag_count++] = (sc_serve_flag){.name = name, .value = value};
}

static void take_map(char *argument, struct argp_state *state, sc_serve_flags *flags)
{
    const char *map = NULL;
    for (size_t i = 0; i < flags->flag_count; i++) {
        if (strcmp(flags->flags[i].name, "map") == 0) map = flags->flags[i].value;
    }
    sc_parse_map(ARGP_KEY_ARG, argument, state, &map);
    take_flag(flags, "map", map);
}

bool sc_serve_option(int key, char *argument, struct argp_state *state, sc_serve_flags *flags)
{
    if (key > SC_KEY_SERVE_SETTINGS && key < SC_KEY_SERVE_END) {
        take_flag(flags, sc_option_name(flags->table, key), argument);
        return true;
    }
    switch (key) {
    case SC_KEY_SERVE_CONFIG:
        flags->config = argument;
        return true;
    case SC_KEY_SERVE_CHECK:
        flags->is_check = true;
        return true;
    case SC_KEY_SERVE_PRINT_CONFIG:
        flags->is_print = true;
        return true;
    case ARGP_KEY_ARG:
        take_map(argument, state, flags);
        return true;
    default:
        return false;
    }
}

/** Flags over what is there. Of a list, the first flag replaces, others add. */
static sc_err apply_flags(const sc_serve_flags *flags, sc_settings *settings, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (size_t i = 0; i < flags->flag_count && !err; i++) {
        const sc_serve_flag *flag = &flags->flags[i];
        bool is_again = false;
        for (size_t j = 0; j < i; j++) {
            is_again = is_again || strcmp(flags->flags[j].name, flag->name) == 0;
        }
        err = is_again ? sc_settings_add(settings, flag->name, flag->value, diag)
                       : sc_settings_set(settings, flag->name, flag->value, diag);
    }
    return err;
}

sc_err sc_serve_gather(const sc_serve_flags *flags, const sc_serve_flag *usual, sc_settings **out,
                       bool *is_usage, sc_diag *diag)
{
    sc_settings *settings = NULL;
    sc_err err = sc_settings_new(&settings);
    for (; usual && usual->name && !err; usual++) {
        err = sc_settings_set(settings, usual->name, usual->value, diag);
    }
    if (!err && flags->config) err = sc_settings_read(settings, flags->config, diag);
    // What is wrong with the file alone is no matter of usage.
    const bool is_sound = !err && sc_settings_check(settings, NULL) == SC_OK;
    const bool has_file = !err;
    if (!err) err = apply_flags(flags, settings, diag);
    *is_usage = has_file && err == SC_EINVAL;
    if (!err) {
        err = sc_settings_check(settings, diag);
        *is_usage = is_sound && err == SC_EINVAL;
    }
    if (err) {
        sc_settings_free(settings);
        return err;
    }
    *out = settings;
    return SC_OK;
}

sc_engine_options sc_serve_engine_options(const sc_settings *s)
{
    sc_engine_options engine = sc_engine_options_default();
    engine.variant = (sc_variant)s->engine;
    // Of the patient engine it is a demand.
    engine.is_strict = s->strict && engine.variant != SC_VARIANT_PATIENT;
    engine.compactness = (uint32_t)s->lambda;
    engine.consideration_us = sc_time_from_seconds(s->alpha_s);
    engine.crowd = (uint32_t)s->crowd;
    engine.k_spread = (uint32_t)s->k_spread;
    engine.max_combinations = s->cap > 0 ? (uint32_t)s->cap : sc_variant_cap(engine.variant);
    return engine;
}
