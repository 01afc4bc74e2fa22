// What an adversary sees of a case. See cases.h.
//
// This is where the truth is left behind: of strangers only their needs go over, and in an order
// that depends on nothing else. Who they are, where they are, when they asked and how long they
// would have waited stays.
#include "score/cases.h"

#include "base/alloc.h"

#include <stdlib.h>

static int compare(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int by_needs(const void *a, const void *b)
{
    const sc_needs *left = a;
    const sc_needs *right = b;
    int order = compare(left->k, right->k);
    if (order == 0) order = compare(left->l, right->l);
    if (order == 0) order = compare(left->max_hops, right->max_hops);
    if (order == 0) order = compare(left->result_size, right->result_size);
    return order;
}

static int by_segment_then_needs(const void *a, const void *b)
{
    const sc_injected *left = a;
    const sc_injected *right = b;
    const int order = compare(left->segment, right->segment);
    return order != 0 ? order : by_needs(&left->needs, &right->needs);
}

/** Room for so many of either kind: which is which is not known yet. */
static bool make_room(sc_own_sighting *own, size_t member_count)
{
    own->strangers = sc_malloc_array(member_count, sizeof *own->strangers);
    own->injected = sc_malloc_array(member_count, sizeof *own->injected);
    return own->strangers && own->injected;
}

static void look_at(sc_own_sighting *own, const sc_case_member *member)
{
    sc_sighting *sighting = &own->sighting;
    if (member->is_injected) {
        own->injected[sighting->injected_count++] =
            (sc_injected){.segment = member->segment, .needs = member->needs};
    } else {
        own->strangers[sighting->stranger_count++] = member->needs;
    }
}

sc_err sc_sighting_init(sc_own_sighting *out, const sc_case *one)
{
    sc_own_sighting own = {
        .sighting = {.segments = one->segments, .segment_count = one->segment_count}};
    sc_sighting *sighting = &own.sighting;
    sc_err err = SC_ENOMEM;
    if (!make_room(&own, one->member_count)) goto fail;
    for (size_t i = 0; i < one->member_count; i++) {
        look_at(&own, &one->members[i]);
    }
    err = SC_EINVAL;
    if (sighting->stranger_count == 0) goto fail;
    qsort(own.strangers, sighting->stranger_count, sizeof *own.strangers, by_needs);
    qsort(own.injected, sighting->injected_count, sizeof *own.injected, by_segment_then_needs);
    sighting->strangers = own.strangers;
    sighting->injected = own.injected;
    *out = own;
    return SC_OK;
fail:
    sc_sighting_fini(&own);
    return err;
}

void sc_sighting_fini(sc_own_sighting *own)
{
    sc_free(own->strangers);
    sc_free(own->injected);
    *own = (sc_own_sighting){.strangers = NULL};
}
