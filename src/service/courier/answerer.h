/**
 * @file answerer.h
 * @brief An answerer: what one thread needs to turn a reply into exact answers.
 *
 * It handles one errand after the other and keeps its memory from one to the next: the
 * provider that is built in, the decoder's tables, the filter. It starts no thread and waits for
 * nothing but a provider of points, so that tests can call it.
 *
 * Whatever it does with an errand ends in one of two ways: every place has its answer
 * (SC_FAILURE_NONE), or none has and the errand's diagnosis says why.
 */
#ifndef SC_COURIER_ANSWERER_H
#define SC_COURIER_ANSWERER_H

#include <starcloak/lbs.h>

#include "courier/courier.h"
#include "courier/request_categories.h"

typedef struct sc__answerer {
    const sc_map *map;                ///< borrowed
    const sc_vocabulary *vocabulary;  ///< what requests are in; borrowed
    sc_encoding encoding;
    sc_codec_limits limits;
    sc_lbs *lbs;        ///< of a provider that is built in; else NULL
    sc_filter *filter;  ///< NULL for one that knows points only
    sc_reply reply;
    sc__category_translation translation;
} sc__answerer;

/**
 * @param options  kind, encoding and filter are used
 * @return SC_OK, SC_EINVAL, SC_ENOMEM; release with sc__answerer_fini()
 */
SC_CHECKED sc_err sc__answerer_init(sc__answerer *answerer, const sc_map *map,
                                    const sc_vocabulary *vocabulary,
                                    const sc_courier_options *options, sc_diag *diag);

/** Harmless twice, and if it was never made. */
void sc__answerer_fini(sc__answerer *answerer);

/** Evaluate here, with `objects`, which have categories of their own. The reply that may be wanted
 * stays empty if these are not the courier's categories. */
sc_failure sc__answerer_evaluate(sc__answerer *answerer, const sc_objects *objects,
                                 sc_errand *errand);

/** What is to be sent for an errand. */
sc_failure sc__answerer_write(sc__answerer *answerer, sc_errand *errand, sc_bytes *out);

/** Answer from what came back. */
sc_failure sc__answerer_read(sc__answerer *answerer, sc_errand *errand, const void *bytes,
                             size_t size);

/** Answer from the reply that another gateway was sent. */
sc_failure sc__answerer_read_given(sc__answerer *answerer, sc_errand *errand);

/** Ask a provider that knows areas, once, and answer. Blocks for at most patience->deadline_s. */
sc_failure sc__answerer_ask_areas(sc__answerer *answerer, sc_area_asker *asker,
                                  const sc_area_patience *patience, sc_errand *errand);

/** Ask a provider that knows points, once, and answer. Blocks for at most patience->deadline_s, or
 * what the provider's settings say, if that is less. */
sc_failure sc__answerer_ask(sc__answerer *answerer, sc_point_provider *provider,
                            const sc_point_patience *patience, sc_rng *rng, sc_errand *errand,
                            sc_point_work *work);

#endif
