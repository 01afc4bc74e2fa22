// What stands along the streets of a city: objects by category.
//
// Three kinds of place draw from three mixes: downtown, along an arterial, and
// in a quarter where people live. Within each, a few categories are common and
// many are rare, as in real maps. How many objects a street gets was decided by
// its share (city_cell.c): they stand together where the noise has its peaks.
// Names are made up, from stems that mean nothing.
#include "base/rng.h"
#include "city/city_internal.h"

#include <stdio.h>
#include <string.h>

enum { SALT_OBJECTS = 600, SALT_STEM };

/** One category, with its weight in the three mixes. `noun` completes a name; NULL: no names. */
static const struct kind {
    const char *category;
    const char *noun;
    uint16_t downtown;
    uint16_t arterial;
    uint16_t quarter;
} kinds[] = {
    {"restaurant", "Kitchen", 175, 105, 25},
    {"parking", NULL, 90, 95, 70},
    {"cafe", "Coffee", 95, 35, 14},
    {"clothes", "Clothing", 80, 22, 3},
    {"fast_food", "Grill", 45, 95, 10},
    {"bar", "Bar", 62, 20, 6},
    {"bank", "Bank", 46, 30, 2},
    {"hotel", "Hotel", 48, 15, 4},
    {"convenience", "Corner Shop", 30, 55, 60},
    {"hairdresser", "Hair", 36, 38, 30},
    {"place_of_worship", "Chapel", 20, 28, 115},
    {"school", "School", 10, 18, 130},
    {"park", "Park", 16, 12, 105},
    {"playground", NULL, 5, 6, 110},
    {"kindergarten", "Kindergarten", 6, 10, 62},
    {"fuel", "Fuel", 4, 70, 8},
    {"supermarket", "Market", 20, 50, 14},
    {"car_repair", "Motors", 3, 52, 20},
    {"pharmacy", "Pharmacy", 26, 30, 7},
    {"doctors", "Surgery", 24, 26, 24},
    {"dentist", "Dental", 20, 20, 14},
    {"bakery", "Bakery", 26, 24, 16},
    {"sports_centre", "Sports Hall", 6, 12, 30},
    {"post_box", NULL, 16, 14, 42},
    {"bicycle_shop", "Cycles", 9, 8, 4},
    {"post_office", "Post Office", 7, 8, 7},
    {"theatre", "Theatre", 13, 2, 1},
    {"museum", "Museum", 11, 2, 3},
    {"cinema", "Cinema", 8, 5, 1},
    {"library", "Library", 6, 4, 8},
    {"fire_station", NULL, 2, 5, 6},
    {"police", NULL, 4, 4, 3},
    {"university", "University", 4, 1, 2},
    {"clinic", "Clinic", 5, 8, 6},
    {"hospital", "Hospital", 2, 2, 2},
    {"cemetery", NULL, 0, 1, 9},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };
_Static_assert((size_t)KIND_COUNT <= sizeof((sc_city_categories *)0)->id / sizeof(sc_category_id),
               "every category needs its number");

static const char *const stems[] = {
    "Ostrel",  "Velmora",  "Quillan",  "Tarrowby", "Brindeth", "Marlune",  "Zephra",   "Coldrey",
    "Fenwilt", "Ardenoe",  "Lissimer", "Pellwick", "Grundale", "Hollivar", "Yarrowen", "Umberly",
    "Dovrith", "Kestane",  "Sorrelby", "Winterle", "Ambrook",  "Calderis", "Thornave", "Imberlow",
    "Noventa", "Rushmere", "Elvaston", "Orlinde",  "Petrisk",  "Bexholm",  "Jandrel",  "Vantrey",
};
enum { STEM_COUNT = sizeof stems / sizeof *stems };

sc_err sc__city_add_categories(sc_builder *builder, sc_city_categories *out)
{
    for (size_t i = 0; i < KIND_COUNT; i++) {
        const sc_err err = sc_builder_add_category(builder, kinds[i].category,
                                                   strlen(kinds[i].category), &out->id[i]);
        if (err) return err;
    }
    return SC_OK;
}

typedef enum mix { DOWNTOWN, ARTERIAL, QUARTER } mix;

static mix mix_of(const sc_city_plan *plan, const sc_city_street *street)
{
    if (plan->style == SC_CITY_PLAZA || plan->style == SC_CITY_GRID) return DOWNTOWN;
    return street->road_class <= SC_ROAD_TERTIARY ? ARTERIAL : QUARTER;
}

static uint32_t weight_in(size_t kind, mix place)
{
    if (place == DOWNTOWN) return kinds[kind].downtown;
    return place == ARTERIAL ? kinds[kind].arterial : kinds[kind].quarter;
}

static size_t draw_kind(sc_rng *rng, mix place)
{
    uint32_t total = 0;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        total += weight_in(i, place);
    }
    uint32_t left = sc_rng_below(rng, total);
    for (size_t i = 0; i + 1 < KIND_COUNT; i++) {
        const uint32_t weight = weight_in(i, place);
        if (left < weight) return i;
        left -= weight;
    }
    return KIND_COUNT - 1;
}

/** About a third of the objects have a name; schools and the like take their quarter's. */
static size_t draw_name(const sc_city *city, const sc_city_plan *plan, size_t kind, sc_rng *rng,
                        char *name, size_t size)
{
    const uint32_t draw = sc_rng_below(rng, 3);
    const uint32_t own_stem = sc_rng_below(rng, STEM_COUNT);
    if (!kinds[kind].noun || draw != 0) return 0;
    const bool public_place = kinds[kind].quarter > kinds[kind].downtown;
    const uint32_t quarter_stem =
        (uint32_t)(sc__city_hash(city->seed, plan->column / 2, plan->row / 2, SALT_STEM) %
                   STEM_COUNT);
    const int written = snprintf(name, size, "%s %s", stems[public_place ? quarter_stem : own_stem],
                                 kinds[kind].noun);
    return written < 0 ? 0 : (size_t)written;
}

sc_err sc__city_add_objects(const sc_city *city, const sc_city_categories *categories,
                            const sc_city_plan *plan, uint32_t street, uint32_t count,
                            sc_edge_id first_edge, uint32_t edge_count, sc_builder *builder)
{
    if (count == 0) return SC_OK;
    const mix place = mix_of(plan, &plan->streets[street]);
    sc_rng rng;
    sc_rng_seed(&rng, sc__city_hash(city->seed, plan->row * city->columns + plan->column, street,
                                    SALT_OBJECTS));
    for (uint32_t i = 0; i < count; i++) {
        char name[64];
        const size_t kind = draw_kind(&rng, place);
        const size_t name_size = draw_name(city, plan, kind, &rng, name, sizeof name);
        const sc_edge_id edge = first_edge + sc_rng_below(&rng, edge_count);
        // Not on the very corner: objects stand along a street.
        const double fraction = 0.05 + 0.9 * sc_rng_unit(&rng);
        const sc_err err = sc_builder_add_object_on_edge(builder, edge, fraction,
                                                         categories->id[kind], name, name_size);
        if (err) return err;
    }
    return SC_OK;
}
