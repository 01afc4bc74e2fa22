/**
 * @file movement.h
 * @brief Who is where, as time goes by: one interface for all that moves.
 *
 * Three kinds: trips (trips.h: from place to place by the fastest way), walks (walk.h: turning at
 * random) and real traces (traces/follow.h). Each traveller is moved only when its position is
 * asked for, and by numbers of its own: where traveller 7 is at noon does not depend on whom one
 * asked about before.
 */
#ifndef SC_TRAVEL_MOVEMENT_H
#define SC_TRAVEL_MOVEMENT_H

#include <starcloak/map.h>
#include <starcloak/query.h>

/** A place on a road. */
typedef struct sc_place {
    sc_edge_id edge;
    uint32_t offset;  ///< units from the edge's `from`, at most its length
} sc_place;

typedef struct sc_movement sc_movement;

/** What a kind of movement does. */
typedef struct sc_movement_kind {
    sc_err (*at)(sc_movement *movement, uint32_t who, sc_time t, sc_place *out, sc_time *back);
    const char *(*name)(const sc_movement *movement, uint32_t who, char room[32]);
    void (*free)(sc_movement *movement);
} sc_movement_kind;

/** Every kind has this as its first field. */
struct sc_movement {
    const sc_movement_kind *kind;
    const sc_map *map;  ///< borrowed
    uint32_t count;     ///< travellers, numbered from 0
};

/**
 * Where `who` is at `t`, which must not be before the last moment asked about it (0 at first).
 *
 * @param out   set if it is on the road then
 * @param back  set to `t` if it is; else to the next moment at which it is, SC_TIME_NEVER if it
 *              does not come back
 * @return SC_OK, SC_ENOMEM (nothing has changed)
 */
SC_CHECKED static inline sc_err sc_movement_at(sc_movement *movement, uint32_t who, sc_time t,
                                               sc_place *out, sc_time *back)
{
    return movement->kind->at(movement, who, t, out, back);
}

/** What records call a traveller: "u17", or as a trace has it. Lent, or written to `room`. */
static inline const char *sc_movement_name(const sc_movement *movement, uint32_t who, char room[32])
{
    return movement->kind->name(movement, who, room);
}

/** NULL is fine. */
static inline void sc_movement_free(sc_movement *movement)
{
    if (movement) movement->kind->free(movement);
}

/** No more travellers than this. */
#define SC_TRAVELLERS_MAX 100000000u

/** What a traveller draws numbers for; movements and questions may share a seed. */
typedef enum sc_purpose {
    SC_FOR_WALKING = 0,
    SC_FOR_TRIPS = 1,
    SC_FOR_QUESTIONS = 2,
    SC_FOR_PAUSES = 3,
} sc_purpose;

/**
 * The seed of one traveller's numbers: another for each `seed`, `who` and `purpose`. Where a
 * traveller needs a generator for its n-th trip or question, this seed can be taken for `seed`
 * once more, and n for `who`.
 */
uint64_t sc_traveller_seed(uint64_t seed, uint32_t who, uint32_t purpose);

// === Counting who is where: the density that an adversary may have from elsewhere ===============

/**
 * Add to `counts`, one per segment of the movement's map, where its travellers are at `from` and
 * every `step` after it until before `until`. Who is not on the roads is not counted. The movement
 * is used up to `until`.
 *
 * @return SC_OK, SC_EINVAL (step not above 0, or nothing between), SC_ENOMEM
 */
SC_CHECKED sc_err sc_traffic_count(sc_movement *movement, sc_time from, sc_time until, sc_time step,
                                   uint64_t *counts);

#endif
