// All checks of a provider, in order. See conformance.h.
#include "conformance/conformance_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "net/http_client.h"

#include <stdio.h>
#include <string.h>

sc_conformance_options sc_conformance_options_default(void)
{
    return (sc_conformance_options){
        .encodings = {true, true}, .cloak_count = 20, .seed = 1, .timeout_s = 30.0};
}

// --- Setting up ---------------------------------------------------------------------------------

static sc_err make_replies(sc__probe *probe)
{
    for (size_t e = 0; e < 2; e++) {
        probe->replies[e] = sc_calloc(probe->cloak_count, sizeof *probe->replies[e]);
        if (!probe->replies[e]) return SC_ENOMEM;
        for (size_t i = 0; i < probe->cloak_count; i++) {
            sc_reply_init(&probe->replies[e][i]);
        }
    }
    return SC_OK;
}

static sc_err open_probe(sc__probe *probe, sc_diag *diag)
{
    const sc_conformance_options *options = probe->options;
    sc_rng_seed(&probe->rng, options->seed);
    sc_filter_options filter = sc_filter_options_default();
    filter.slack = options->slack;
    sc_err err = sc__probe_make_cloaks(probe, diag);
    if (!err) err = make_replies(probe);
    if (!err) err = sc_filter_new(options->map, &filter, &probe->filter, diag);
    if (!err && options->objects) {
        const sc_lbs_options lbs = sc_lbs_options_default();
        err = sc_lbs_new(options->map, &lbs, &probe->lbs, diag);
    }
    if (!err) sc__probe_make_requests(probe);
    return err;
}

static void close_probe(sc__probe *probe)
{
    for (size_t e = 0; e < 2; e++) {
        for (size_t i = 0; probe->replies[e] && i < probe->cloak_count; i++) {
            sc_reply_fini(&probe->replies[e][i]);
        }
        sc_free(probe->replies[e]);
    }
    sc__probe_free_cloaks(probe);
    sc_free(probe->left.entries);
    sc_free(probe->right.entries);
    sc_filter_free(probe->filter);
    sc_lbs_free(probe->lbs);
}

/** Whether the provider can be reached, and whether it reads this encoding. */
static sc_err reach(sc__probe *probe, sc_diag *diag)
{
    const sc_relay relay = sc__probe_relay(probe, &probe->cloaks[0], probe->requests, 1);
    sc_bytes message = {.data = NULL};
    sc_err err = sc_relay_encode(&probe->codec, &relay, &message, diag);
    if (!err) {
        sc__probe_answer answer;
        sc__probe_post(probe, sc_encoding_media_type(probe->codec.encoding), message.data,
                       message.size, &answer);
        if (answer.status == 0) {
            // curl's words, which may quote the host, but neither a path nor a password.
            err = sc_fail(diag, SC_ENET, "the provider cannot be asked: %s", answer.words);
        }
        probe->is_unread[probe->codec.encoding] = answer.status == 415;
        sc__probe_answer_fini(&answer);
    }
    sc_bytes_fini(&message);
    return err;
}

// --- Running ------------------------------------------------------------------------------------

static void tell(const sc__probe *probe, const sc_finding *finding, size_t *counts)
{
    counts[finding->verdict]++;
    if (probe->options->report) probe->options->report(probe->options->context, finding);
}

static bool is_for(const sc__check *check, sc_encoding encoding)
{
    return check->encodings == SC__EITHER ||
           (check->encodings == SC__COMPACT_ONLY) == (encoding == SC_ENCODING_COMPACT);
}

static sc_err run_table(sc__probe *probe, const sc__check *checks, size_t count, size_t *counts)
{
    sc_err err = SC_OK;
    for (size_t i = 0; i < count && !err; i++) {
        if (!is_for(&checks[i], probe->codec.encoding)) continue;
        sc_finding finding = {.check = checks[i].name,
                              .encoding = sc_encoding_name(probe->codec.encoding),
                              .claim = checks[i].claim,
                              .advice = checks[i].advice};
        err = checks[i].run(probe, &finding);
        if (!err) tell(probe, &finding, counts);
    }
    return err;
}

/** One encoding; a finding alone where there is nothing to check. */
static sc_err run_encoding(sc__probe *probe, sc_encoding encoding, size_t *counts, sc_diag *diag)
{
    probe->codec = (sc_codec){
        .map = probe->options->map, .vocabulary = probe->options->vocabulary, .encoding = encoding};
    probe->refusals = 0;
    probe->bad_problem[0] = '\0';
    sc_finding finding = {.check = "encoding",
                          .encoding = sc_encoding_name(encoding),
                          .claim = "the provider reads this encoding",
                          .advice = "a provider needs one of the two"};
    const bool is_possible = encoding == SC_ENCODING_COMPACT ||
                             sc_map_coords(probe->options->map) == SC_COORDS_GEOGRAPHIC;
    if (!is_possible) {
        sc__finding_skips(&finding, "the map has no coordinates in degrees");
        tell(probe, &finding, counts);
        return SC_OK;
    }
    sc_err err = reach(probe, diag);
    if (err) return err;
    if (probe->is_unread[encoding]) {
        // Both unread: there is no provider for anyone.
        const bool is_last =
            !probe->options->encodings[SC_ENCODING_COMPACT] ||
            !probe->options->encodings[SC_ENCODING_GEOJSON] ||
            probe->is_unread[SC_ENCODING_COMPACT] == probe->is_unread[SC_ENCODING_GEOJSON];
        if (is_last) {
            sc__finding_fails(&finding, "status 415");
        } else {
            sc__finding_skips(&finding, "the provider does not read it (status 415)");
        }
        tell(probe, &finding, counts);
        return SC_OK;
    }
    err = run_table(probe, sc__answer_checks, sc__answer_check_count, counts);
    if (!err) err = run_table(probe, sc__refusal_checks, sc__refusal_check_count, counts);
    return err;
}

sc_err sc_conformance_run(const sc_conformance_options *options, size_t counts[SC_VERDICT_COUNT],
                          sc_diag *diag)
{
    sc__probe probe = {.options = options};
    memset(counts, 0, SC_VERDICT_COUNT * sizeof *counts);
    sc_err err = sc_http_client_start(diag);
    if (err) return err;
    err = open_probe(&probe, diag);
    for (unsigned encoding = 0; encoding < 2 && !err; encoding++) {
        if (!options->encodings[encoding]) continue;
        err = run_encoding(&probe, (sc_encoding)encoding, counts, diag);
    }
    if (!err && options->encodings[0] && options->encodings[1]) {
        sc_finding finding = {.check = "encodings",
                              .encoding = "both",
                              .claim = "both encodings say the same",
                              .advice = "make both of one answer"};
        err = sc__check_encodings_agree(&probe, &finding);
        if (!err) tell(&probe, &finding, counts);
    }
    close_probe(&probe);
    sc_http_client_stop();
    return err;
}
