// Where a point of the lattice lies on the globe.
//
// The lattice is square; the ground is not. Streets of a suburb wind about the
// middle of their cell; slow noise bends the whole lattice, less so downtown,
// which real planners drew with a ruler; the river swings; the centre is denser
// than the outskirts; and all of it is turned. Each step is smooth and too
// slight to fold the lattice over, so streets stay in their order.
#include "city/city_internal.h"

#include <math.h>

// The middle of the North Atlantic: the city cannot be taken for a real one.
#define CENTRE_LON (-30.0)
#define CENTRE_LAT 45.0
#define METRES_PER_DEGREE 111194.92664455873

enum { SALT_BEND_X = 200, SALT_BEND_Y = 210, SALT_MEANDER = 220, SALT_WIDTH };

uint64_t sc__city_hash(uint64_t seed, uint32_t a, uint32_t b, uint32_t salt)
{
    // Two rounds of a mixing step like that of splitmix64.
    uint64_t z = seed + 0x9e3779b97f4a7c15u * (((uint64_t)a << 32 | b) + 1);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) + 0x94d049bb133111ebu * (salt + 1);
    z = (z ^ (z >> 31)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double sc__city_chance(uint64_t seed, uint32_t a, uint32_t b, uint32_t salt)
{
    return (double)(sc__city_hash(seed, a, b, salt) >> 11) * 0x1p-53;
}

/** 0 to 1 with flat ends, also in its slope's change. */
static double ease(double t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}

double sc__city_noise(uint64_t seed, double x, double y, uint32_t salt)
{
    const double floor_x = floor(x);
    const double floor_y = floor(y);
    const uint32_t a = (uint32_t)(int64_t)floor_x;
    const uint32_t b = (uint32_t)(int64_t)floor_y;
    const double u = ease(x - floor_x);
    const double v = ease(y - floor_y);
    const double south =
        sc__city_chance(seed, a, b, salt) * (1 - u) + sc__city_chance(seed, a + 1, b, salt) * u;
    const double north = sc__city_chance(seed, a, b + 1, salt) * (1 - u) +
                         sc__city_chance(seed, a + 1, b + 1, salt) * u;
    return 2 * (south * (1 - v) + north * v) - 1;
}

/** Let the streets of a cell wind: a turn about its middle that fades to nothing at its sides. */
static sc_city_point wind(const sc_city_plan *plan, sc_city_point point)
{
    if (plan->swirl == 0) return point;
    const double u = (point.x - plan->centre.x) / plan->half.x;
    const double v = (point.y - plan->centre.y) / plan->half.y;
    if (u <= -1 || u >= 1 || v <= -1 || v >= 1) return point;

    const double angle = plan->swirl * (1 - u * u) * (1 - v * v);
    const double half = 0.5 * angle;
    const double cosine = (1 - half * half) / (1 + half * half);
    const double sine = 2 * half / (1 + half * half);
    return (sc_city_point){plan->centre.x + plan->half.x * (cosine * u - sine * v),
                           plan->centre.y + plan->half.y * (sine * u + cosine * v)};
}

/** The waves of the ground, slow to quick: lengths and heights in metres. */
static const struct {
    double length_m;
    double height_m;
} waves[] = {{9000, 800}, {2700, 270}, {1000, 38}};

static sc_city_point bend(const sc_city *city, sc_city_point point)
{
    const double distance = sqrt(point.x * point.x + point.y * point.y);
    // Calm at the main square, fully bent from 3 km on.
    const double calm = distance < 3000 ? 0.25 + 0.75 * ease(distance / 3000) : 1.0;
    sc_city_point bent = point;
    for (uint32_t i = 0; i < sizeof waves / sizeof *waves; i++) {
        const double x = point.x / waves[i].length_m + 0.37;
        const double y = point.y / waves[i].length_m + 0.61;
        // A wave longer than the city would only stretch or squeeze it.
        const double fits = 1.5 * city->radius_m / waves[i].length_m;
        const double height = waves[i].height_m * (i == 0 ? 1.0 : calm) * (fits < 1 ? fits : 1.0);
        bent.x += height * sc__city_noise(city->seed, x, y, SALT_BEND_X + i);
        bent.y += height * sc__city_noise(city->seed, x, y, SALT_BEND_Y + i);
    }
    // The river's own swing; the city beside it follows, less and less.
    const double west_bank = city->column_x[city->river_column];
    const double east_bank = city->column_x[city->river_column + 1];
    const double off = (point.x - 0.5 * (west_bank + east_bank)) / 3200;
    const double follows = 1 / ((1 + off * off) * (1 + off * off));
    const double swing_m = city->radius_m < 2400 ? 0.4 * city->radius_m : 950.0;
    bent.x +=
        swing_m * follows * sc__city_noise(city->seed, point.y / 3100 + 0.5, 0.5, SALT_MEANDER);
    // It is wide here and narrow there: the banks move apart and together.
    double hand = (point.x - west_bank) / (east_bank - west_bank);
    hand = hand < 0 ? 0 : (hand > 1 ? 1 : hand);
    bent.x += 110 * follows * (2 * hand - 1) *
              sc__city_noise(city->seed, point.y / 1900 + 0.2, 0.5, SALT_WIDTH);
    return bent;
}

/** The cosine of an angle near 45 degrees, the same on every machine. */
static double cosine_of_degrees(double degrees)
{
    const double x = degrees * 0.017453292519943295;
    const double xx = x * x;
    double term = 1;
    double sum = 1;
    for (int i = 1; i < 12; i++) {
        term *= -xx / ((2.0 * i - 1) * (2.0 * i));
        sum += term;
    }
    return sum;
}

sc_city_point sc__city_ground(const sc_city *city, const sc_city_plan *plan, sc_city_point point)
{
    const sc_city_point bent = bend(city, wind(plan, point));

    // The centre is drawn together.
    const double distance = sqrt(bent.x * bent.x + bent.y * bent.y);
    const double dense = city->centre_scale;
    const double scale =
        city->scale * (distance < 5000 ? dense + (1 - dense) * ease(distance / 5000) : 1.0);
    return (sc_city_point){scale * (bent.x * city->turn_cos - bent.y * city->turn_sin),
                           scale * (bent.x * city->turn_sin + bent.y * city->turn_cos)};
}

void sc__city_locate(const sc_city *city, const sc_city_plan *plan, sc_city_point point,
                     double *lon, double *lat)
{
    const sc_city_point at = sc__city_ground(city, plan, point);
    *lat = CENTRE_LAT + at.y / METRES_PER_DEGREE;
    *lon = CENTRE_LON + at.x / (METRES_PER_DEGREE * cosine_of_degrees(*lat));
}

/** A quarter circle from one arm of a roundabout to the next. */
static sc_city_point arc_point(const sc_city_plan *plan, const sc_city_street *street,
                               double fraction)
{
    const sc_city_point centre = {plan->centre.x - plan->half.x, plan->centre.y - plan->half.y};
    const double x = street->from.x + fraction * (street->to.x - street->from.x) - centre.x;
    const double y = street->from.y + fraction * (street->to.y - street->from.y) - centre.y;
    const double stretch = SC_CITY_ROUNDABOUT_M / sqrt(x * x + y * y);
    return (sc_city_point){centre.x + x * stretch, centre.y + y * stretch};
}

sc_city_point sc__city_street_point(const sc_city_plan *plan, const sc_city_street *street,
                                    double fraction)
{
    if (street->arc) return arc_point(plan, street, fraction);

    const double dx = street->to.x - street->from.x;
    const double dy = street->to.y - street->from.y;
    sc_city_point point = {street->from.x + fraction * dx, street->from.y + fraction * dy};
    const double length = sqrt(dx * dx + dy * dy);
    if (length > 0 && street->bow_m != 0) {
        const double bow = street->bow_m * 4 * fraction * (1 - fraction) / length;
        point.x -= bow * dy;
        point.y += bow * dx;
    }
    return point;
}
