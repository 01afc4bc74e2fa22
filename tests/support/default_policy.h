/**
 * @file default_policy.h
 * @brief The policy of a service that is started without settings, for tests that build one by
 * hand.
 */
#ifndef SC_SUPPORT_DEFAULT_POLICY_H
#define SC_SUPPORT_DEFAULT_POLICY_H

#include "api/access_policy.h"
#include "api/settings.h"

#include <stdlib.h>

static inline sc_policy default_policy(void)
{
    sc_settings *settings = NULL;
    if (sc_settings_new(&settings)) abort();
    const sc_policy policy = sc_settings_policy(settings);
    sc_settings_free(settings);
    return policy;
}

#endif
