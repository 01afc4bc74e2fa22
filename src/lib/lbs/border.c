// The answers of border nodes, from the cheapest source that has them. See border.h.
#include "lbs/border.h"

#include "relay/relay_build.h"

void sc__border_fini(sc_border *border)
{
    sc__plain_search_fini(&border->plain);
    sc__shared_search_fini(&border->shared);
}

/** A question with what follows from it. */
typedef struct plan {
    const sc_border_question *q;
    sc_reach reach;
    sc_lookup lists;
    const sc_lookup *lean;  ///< the lists, where they are to be used; else NULL
} plan;

/**
 * Whether a search is long enough to be shared. It passes about k stars for each that has an
 * object; a shared one does more at each star, which pays from a hundred on (bench_lbs, k = 20).
 */
static bool is_far(const sc_border_question *q, sc_reach reach)
{
    enum { WORTH_SHARING = 100 };
    const sc_objects_view *view = q->view;
    uint64_t objects = q->request->category_count == 0 ? view->object_count : 0;
    for (uint32_t i = 0; i < q->request->category_count; i++) {
        objects += view->category_size[q->request->categories[i]];
    }
    // A range may hold any number; where lists are too short for it, it is more than they keep.
    const uint64_t k = reach.k == UINT32_MAX ? 8 : reach.k;
    return k * sc_map_star_count(view->map) > WORTH_SHARING * objects;
}

// --- Searches ------------------------------------------------------------------

static sc_err search_alone(sc_border *border, const plan *p, size_t node, sc_reply *reply)
{
    const sc_border_question *q = p->q;
    sc_plain_search *search = &border->plain;
    border->work.searches++;
    const sc_err err =
        sc__search_from_star(search, q->view, q->wanted, p->lean, p->reach, q->stars[node]);
    if (err) return err;
    const double unit_m = sc_map_unit_m(q->view->map);
    for (size_t i = 0; i < search->hit_count; i++) {
        const sc_hit *hit = &search->hits[i];
        if (!sc__reply_add_near(reply, hit->object, hit->distance * unit_m)) return SC_ENOMEM;
    }
    return SC_OK;
}

// One search for this border node and those behind it that need one too.
static sc_err search_together(sc_border *border, const plan *p, size_t node)
{
    const sc_border_question *q = p->q;
    sc_star_id stars[SC_LANES];
    border->group_next = 0;
    border->group_count = 0;
    for (; node < q->count && border->group_count < SC_LANES; node++) {
        if (p->lean && sc__lists_reach(p->lean, q->stars[node])) continue;
        stars[border->group_count++] = q->stars[node];
    }
    border->work.searches++;
    const sc_shared_question shared = {
        .view = q->view,
        .wanted = q->wanted,
        .lists = p->lean,
        .reach = p->reach,
        .segments = q->relay->segments,
        .segment_count = q->relay->segment_count,
    };
    return sc__shared_search(&border->shared, &shared, stars, border->group_count);
}

static sc_err answer_by_search(sc_border *border, const plan *p, size_t node, sc_reply *reply)
{
    border->work.searched++;
    if (!is_far(p->q, p->reach)) return search_alone(border, p, node, reply);
    if (border->group_next == border->group_count) {
        const sc_err err = search_together(border, p, node);
        if (err) return err;
    }
    const size_t lane = border->group_next++;
    const sc_shared_search *found = &border->shared;
    if (found->is_unsure[lane]) return search_alone(border, p, node, reply);
    const double unit_m = sc_map_unit_m(p->q->view->map);
    for (size_t i = found->start[lane]; i < found->start[lane + 1]; i++) {
        const double distance = (double)(found->hits[i] >> 32);
        if (!sc__reply_add_near(reply, (uint32_t)found->hits[i], distance * unit_m)) {
            return SC_ENOMEM;
        }
    }
    return SC_OK;
}

// --- Border nodes, one after the other -------------------------------------------

static sc_err answer_node(sc_border *border, const plan *p, size_t node, sc_reply *reply)
{
    if (!p->lean) return answer_by_search(border, p, node, reply);
    switch (sc__look_up(p->lean, p->q->stars[node], reply)) {
    case SC_LOOKED_UP:
        border->work.looked_up++;
        return SC_OK;
    case SC_LISTS_TOO_SHORT:
        return answer_by_search(border, p, node, reply);
    default:
        return SC_ENOMEM;
    }
}

sc_err sc__border_answer(sc_border *border, const sc_border_question *question, sc_reply *reply)
{
    const sc_border_question *q = question;
    plan p;  // member by member: to clear its lists first would take as long as a look-up
    p.q = q;
    p.reach = sc__reach_of(q->view->map, q->request);
    sc__lookup_init(&p.lists, q->view, q->request, p.reach);
    p.lean = p.lists.is_possible && !(q->without_index && p.lists.count > 0) ? &p.lists : NULL;
    border->group_next = 0;
    border->group_count = 0;
    for (size_t node = 0; node < q->count; node++) {
        const sc_err err = answer_node(border, &p, node, reply);
        if (err) return err;
        sc__reply_end_nears(reply, q->place, node);
        // Here and not at the end: a wide range from many nodes would fill the memory first.
        if (reply->near_start[q->place * q->count + node + 1] > q->max_nears) return SC_ELIMIT;
        if (sc__border_visits(border) > q->max_visits) return SC_ELIMIT;
    }
    return SC_OK;
}
