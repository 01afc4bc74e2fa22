// Making and freeing verifiers, and the numbers of their marks. See verifier.h.
#include "verify/verifier.h"

#include "base/alloc.h"

#include <string.h>

sc_err sc_verifier_new(const sc_map *map, sc_verifier **out)
{
    sc_verifier *verifier = sc_calloc(1, sizeof *verifier);
    if (!verifier) return SC_ENOMEM;
    const sc_err err = sc__roads_init(&verifier->roads, map);
    if (err) goto fail;

    verifier->stars = sc_calloc(sc_map_star_count(map), sizeof *verifier->stars);
    verifier->segments = sc_calloc(sc_map_segment_count(map), sizeof *verifier->segments);
    verifier->ends = sc_calloc(sc_map_node_count(map), sizeof *verifier->ends);
    if (!verifier->stars || !verifier->segments || !verifier->ends) goto fail;
    *out = verifier;
    return SC_OK;
fail:
    sc_verifier_free(verifier);
    return SC_ENOMEM;
}

void sc_verifier_free(sc_verifier *verifier)
{
    if (!verifier) return;
    sc__roads_fini(&verifier->roads);
    sc_free(verifier->stars);
    sc_free(verifier->segments);
    sc_free(verifier->ends);
    sc_free(verifier->queue);
    sc_free(verifier->nodes);
    sc_free(verifier->users);
    sc_free(verifier);
}

uint32_t sc__claim_number(sc_verifier *verifier, size_t walks)
{
    const sc_map *map = verifier->roads.map;
    if (walks >= UINT32_MAX - verifier->now) {
        memset(verifier->stars, 0, sc_map_star_count(map) * sizeof *verifier->stars);
        memset(verifier->segments, 0, sc_map_segment_count(map) * sizeof *verifier->segments);
        verifier->now = 0;
    }
    return ++verifier->now;
}
