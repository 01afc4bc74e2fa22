// Answers of border nodes from the nearest index. See lbs_search.h.
#include "lbs/lbs_search.h"

// Take in the list of a category that has `size` objects; `place` is where list_of knows it.
static void add_list(sc_index_lookup *lookup, uint32_t place, uint32_t size)
{
    const sc_objects_view *view = lookup->view;
    if (size == 0) return;
    const uint32_t list = view->index.list_count > 0
                              ? sc__objects_list_of(view, lookup->reach.metric, place)
                              : SC_NONE;
    if (list == SC_NONE) {
        lookup->is_possible = false;
        return;
    }
    lookup->lists[lookup->count] = &view->index.lists[list];
    lookup->is_whole[lookup->count] = lookup->lists[lookup->count]->k >= size;
    lookup->count++;
}

void sc__index_lookup_init(sc_index_lookup *lookup, const sc_objects_view *view,
                           const sc_request *request, sc_lbs_reach reach)
{
    lookup->view = view;
    lookup->reach = reach;
    lookup->is_possible = true;
    lookup->count = 0;
    if (request->category_count == 0) {
        add_list(lookup, view->category_count, view->object_count);
    }
    for (uint32_t i = 0; i < request->category_count && lookup->is_possible; i++) {
        const sc_category_id category = request->categories[i];
        add_list(lookup, category, view->category_size[category]);
    }
}

// Whether list `i` is enough for `star`. The last entry that matters tells: used, or why not.
static bool is_enough(const sc_index_lookup *lookup, uint32_t i, const sc_nearest *entries)
{
    const uint32_t kept = lookup->lists[i]->k;
    const sc_lbs_reach reach = lookup->reach;
    const sc_nearest *last = &entries[(reach.k < kept ? reach.k : kept) - 1];
    if (last->object == SC_NONE) return last->cost == SC_NEAREST_ALL;
    return reach.k <= kept || last->cost > reach.radius || lookup->is_whole[i];
}

bool sc__index_lists_reach(const sc_index_lookup *lookup, sc_star_id star)
{
    for (uint32_t i = 0; i < lookup->count; i++) {
        if (!is_enough(lookup, i, sc__index_lookup_entries(lookup, i, star))) return false;
    }
    return true;
}

static sc_index_lookup_result answer_from_one(const sc_index_lookup *lookup, sc_star_id star,
                                              sc_reply *reply)
{
    const sc_nearest *entries = sc__index_lookup_entries(lookup, 0, star);
    if (!is_enough(lookup, 0, entries)) return SC_LISTS_TOO_SHORT;
    const uint32_t kept = lookup->lists[0]->k;
    uint32_t count = lookup->reach.k < kept ? lookup->reach.k : kept;
    while (count > 0 && (entries[count - 1].object == SC_NONE ||
                         entries[count - 1].cost > lookup->reach.radius)) {
        count--;
    }
    if (count == 0) return SC_LOOKED_UP;
    sc_near *nears = sc__reply_reserve_nears(reply, count);
    if (!nears) return SC_NO_ROOM;
    const uint32_t *others = sc__index_lookup_others(lookup, 0, star);
    const bool is_by_time = lookup->reach.metric == SC_METRIC_TIME;
    const double unit_m = sc_map_unit_m(lookup->view->map);
    const double unit_s = sc_map_time_unit_s(lookup->view->map);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t distance = is_by_time ? others[i] : entries[i].cost;
        const uint32_t duration = is_by_time ? entries[i].cost : others[i];
        nears[i] = (sc_near){entries[i].object, distance * unit_m, duration * unit_s};
    }
    sc__reply_use_nears(reply, count);
    return SC_LOOKED_UP;
}

static bool is_before(const sc_nearest *a, const sc_nearest *b)
{
    return a->cost != b->cost ? a->cost < b->cost : a->object < b->object;
}

// Sixteen lists at most: the one that goes on nearest is found by looking at all. Of equally far
// objects the lowest number comes first, as in one list and in a search.
static sc_index_lookup_result answer_from_many(const sc_index_lookup *lookup, sc_star_id star,
                                               sc_reply *reply)
{
    const sc_nearest *next[SC_REQUEST_CATEGORIES] = {NULL};
    const sc_nearest *end[SC_REQUEST_CATEGORIES] = {NULL};
    for (uint32_t i = 0; i < lookup->count; i++) {
        next[i] = sc__index_lookup_entries(lookup, i, star);
        end[i] = next[i] + lookup->lists[i]->k;
        if (!is_enough(lookup, i, next[i])) return SC_LISTS_TOO_SHORT;
    }
    const sc_objects_view *view = lookup->view;
    for (uint32_t taken = 0; taken < lookup->reach.k; taken++) {
        const sc_nearest **least = NULL;
        for (uint32_t i = 0; i < lookup->count; i++) {
            if (next[i] == end[i] || next[i]->object == SC_NONE) continue;
            if (!least || is_before(next[i], *least)) least = &next[i];
        }
        if (!least || (*least)->cost > lookup->reach.radius) break;
        const uint32_t other = view->index.others[*least - view->index.entries];
        const sc_near near =
            sc__lbs_near(view->map, lookup->reach.metric, (*least)->object, (*least)->cost, other);
        if (!sc__reply_add_near(reply, near)) return SC_NO_ROOM;
        ++*least;
    }
    return SC_LOOKED_UP;
}

sc_index_lookup_result sc__index_look_up(const sc_index_lookup *lookup, sc_star_id star,
                                         sc_reply *reply)
{
    if (lookup->count == 1) return answer_from_one(lookup, star, reply);
    // Without any there is nothing of the kind, and the answer is empty.
    return lookup->count == 0 ? SC_LOOKED_UP : answer_from_many(lookup, star, reply);
}
