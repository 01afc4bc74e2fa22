/**
 * @file conformance.h
 * @brief Whether a provider speaks the provider protocol: `starcloak provider check`.
 *
 * A provider is asked about cloaks at random places of a map, with requests of every kind, and sent
 * messages that it must refuse. Each check has a name, a sentence that must hold, and what to do
 * where it does not (docs/provider-protocol.md, "Checking a provider").
 *
 * Replies are compared with a plain evaluation where the provider's objects are known. Where they
 * are not, replies must agree with the map and with each other.
 */
#ifndef SC_CONFORMANCE_CONFORMANCE_H
#define SC_CONFORMANCE_CONFORMANCE_H

#include <starcloak/lbs.h>
#include <starcloak/map.h>
#include <starcloak/objects.h>
#include <starcloak/relay_codec.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sc_verdict {
    SC_VERDICT_PASS = 0,
    SC_VERDICT_FAIL = 1,
    SC_VERDICT_SKIP = 2,
} sc_verdict;

enum { SC_VERDICT_COUNT = 3 };

/** What came of one check. */
typedef struct sc_finding {
    const char *check;     ///< its name: "exact"
    const char *encoding;  ///< "compact", "geojson" or "both"
    const char *claim;     ///< what must hold
    sc_verdict verdict;
    char found[512];     ///< what was found instead, or why it was skipped; "" if it holds
    const char *advice;  ///< what to do where it fails
} sc_finding;

/** All borrowed. */
typedef struct sc_conformance_options {
    const char *url;
    const char *ca;           ///< PEM files; NULL: the system's authorities
    const char *certificate;  ///< NULL: none
    const char *key;          ///< NULL: in the certificate's file
    const sc_map *map;
    const sc_objects *objects;  ///< that the provider answers from; NULL: not known
    const sc_vocabulary *vocabulary;
    bool encodings[2];     ///< which are tried, by sc_encoding
    unsigned cloak_count;  ///< >= 1
    uint64_t seed;
    double slack;  ///< as sc_filter_options has it; more than 0: nothing is compared exactly
    double timeout_s;

    /** Called for each check when it is done. */
    void (*report)(void *context, const sc_finding *finding);
    void *context;
} sc_conformance_options;

/** 20 cloaks, seed 1, no slack, 30 s, both encodings. */
sc_conformance_options sc_conformance_options_default(void);

/**
 * Make all checks.
 *
 * @param counts  how many ended with each verdict
 * @return SC_OK whatever the verdicts are, SC_ENET (the provider cannot be reached), SC_EINVAL (a
 *         map without a star), SC_ENOMEM, SC_EIO (a thread cannot be started)
 */
SC_CHECKED sc_err sc_conformance_run(const sc_conformance_options *options,
                                     size_t counts[SC_VERDICT_COUNT], sc_diag *diag);

#endif
