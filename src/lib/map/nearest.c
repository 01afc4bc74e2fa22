// The tables of the nearest index, and those behind the objects: lent, and examined.
//
// What the index says is made and checked by src/lib/lbs; here it is only made sure, when a map is
// opened, that nothing in it is out of range or out of order, so that whoever looks something up
// may do so without a second thought. See nearest.h for what its fields mean.
#include "map/map_tables.h"

#include "map/object_tables.h"
#include "map/scm_file.h"

const sc_nearest_list *sc__map_nearest_lists(const sc_map *map, size_t *count)
{
    *count = map->tables[SC_TABLE_NEAREST_LISTS].count;
    return map->tables[SC_TABLE_NEAREST_LISTS].data;
}

const sc_nearest *sc__map_nearest(const sc_map *map)
{
    return map->tables[SC_TABLE_NEAREST].data;
}

const sc_object_id *sc__map_segment_objects(const sc_map *map)
{
    return map->tables[SC_TABLE_SEGMENT_OBJECTS].data;
}

const char *sc__map_strings(const sc_map *map, size_t *size)
{
    *size = map->tables[SC_TABLE_STRINGS].count;
    return map->tables[SC_TABLE_STRINGS].data;
}

// --- Examining -------------------------------------------------------------------

// Lists ascend by category, all categories together (SC_NONE) last; each begins where the one
// before ends, and the last ends with the entries.
bool sc__nearest_lists_fault(const sc_map *map, size_t begin, size_t end)
{
    const sc_table table = map->tables[SC_TABLE_NEAREST_LISTS];
    const sc_nearest_list *lists = table.data;
    const uint64_t entry_count = map->tables[SC_TABLE_NEAREST].count;
    uint32_t bad = 0;
    for (size_t i = begin; i < end; i++) {
        const sc_nearest_list *list = &lists[i];
        const uint64_t first =
            i > 0 ? lists[i - 1].first + (uint64_t)map->star_count * lists[i - 1].k : 0;
        const uint64_t size = (uint64_t)map->star_count * list->k;
        bad |= list->category >= map->category_count && list->category != SC_NONE;
        bad |= i > 0 && list->category <= lists[i - 1].category;
        bad |= list->k < 1 || list->k > SC_NEAREST_MAX_K;
        bad |= list->first != first || first > entry_count || size > entry_count - first;
        bad |= i == table.count - 1 && first + size != entry_count;
    }
    return bad;
}

// Entries in the order that they must have: by distance, then by object, unused ones last.
static uint64_t rank(sc_nearest entry)
{
    return entry.object == SC_NONE ? UINT64_MAX : (uint64_t)entry.distance << 32 | entry.object;
}

// Whether something is wrong with entries [begin, end), all of one list.
static bool fault_in_list(const sc_map *map, const sc_nearest_list *list, size_t begin, size_t end)
{
    const sc_nearest *entries = sc__map_nearest(map);
    const sc_object *objects = sc__objects(map);
    const bool has_category = list->category != SC_NONE;
    uint32_t bad = 0;
    uint32_t place = (uint32_t)((begin - list->first) % list->k);  // among those of its star
    for (size_t i = begin; i < end; i++) {
        const sc_nearest entry = entries[i];
        if (entry.object == SC_NONE) {
            bad |= entry.distance != SC_NEAREST_ALL && entry.distance != SC_NEAREST_CUT;
            bad |= place > 0 && entries[i - 1].object == SC_NONE &&
                   entries[i - 1].distance != entry.distance;
        } else if (entry.object < map->object_count) {
            bad |= entry.distance == SC_NEAREST_CUT;
            bad |= has_category && objects[entry.object].category != list->category;
            bad |= place > 0 && rank(entries[i - 1]) >= rank(entry);
        } else {
            return true;
        }
        place = place + 1 < list->k ? place + 1 : 0;
    }
    return bad;
}

// The list that an entry belongs to. Lists have been examined before, and cover all entries.
static const sc_nearest_list *list_of(const sc_map *map, size_t entry)
{
    size_t count = 0;
    const sc_nearest_list *lists = sc__map_nearest_lists(map, &count);
    size_t low = 0;
    while (count - low > 1) {
        const size_t middle = low + (count - low) / 2;
        if (lists[middle].first <= entry) {
            low = middle;
        } else {
            count = middle;
        }
    }
    return &lists[low];
}

bool sc__nearest_fault(const sc_map *map, size_t begin, size_t end)
{
    bool bad = false;
    for (size_t i = begin; i < end;) {
        const sc_nearest_list *list = list_of(map, i);
        const size_t behind = list->first + (size_t)map->star_count * list->k;
        const size_t stop = end < behind ? end : behind;
        bad |= fault_in_list(map, list, i, stop);
        i = stop;
    }
    return bad;
}
