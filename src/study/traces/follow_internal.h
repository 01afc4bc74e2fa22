/**
 * @file follow_internal.h
 * @brief What the files behind follow.h share.
 *
 *     follow.c       options; recorded fixes as moments and places on roads; the episodes: every
 *                    track in every window; the choice of those that are in the movement
 *     follow_path.c  an episode becomes stops with ways between them, all in one array; the
 *                    movement: where a traveller is
 *
 * An episode is what one track did in one window; those who are on the roads for long enough become
 * followers, the travellers of the movement. A stop is a fix on a road.
 */
#ifndef SC_TRACES_FOLLOW_INTERNAL_H
#define SC_TRACES_FOLLOW_INTERNAL_H

#include "traces/follow.h"

// --- follow.c: fixes, as moments and places -----------------------------------

/** Which recorded time counts, and how it is folded. Moments are counted from the start. */
typedef struct sc__frame {
    double start_s;   ///< of recorded time; it is moment 0
    sc_time end;      ///< the first moment that does not count; SC_TIME_NEVER
    sc_time window;   ///< length of a window; SC_TIME_NEVER: there is one, without end
    sc_time max_gap;  ///< fixes farther apart have nothing between them
} sc__frame;

/** What is known of where a fix lies; one byte each. */
typedef enum sc__fix_state { SC__FIX_UNKNOWN = 0, SC__FIX_FAR, SC__FIX_NEAR } sc__fix_state;

/** The fixes of all tracks. Each is snapped when it is first looked at, if ever. */
typedef struct sc__fixes {
    const sc_map *map;  ///< borrowed, as the tracks
    const sc_track *tracks;
    uint32_t track_count;
    size_t *first;  ///< by track: the number of its first fix
    sc__frame frame;
    double max_snap_m;
    uint8_t *states;   ///< by fix, an sc__fix_state
    sc_place *places;  ///< by fix, where it is SC__FIX_NEAR
    size_t fix_count;
    size_t far_count;  ///< found to be far; of those that count
} sc__fixes;

/** @return SC_OK, SC_ENOMEM (sc__fixes_fini() is still to be called) */
SC_CHECKED sc_err sc__fixes_init(sc__fixes *fixes, const sc_map *map, const sc_traces *traces,
                                 const sc_follow_options *options);
void sc__fixes_fini(sc__fixes *fixes);

/** When fix `i` of a track was. */
sc_time sc__fix_moment(const sc__fixes *fixes, uint32_t track, size_t i);

/** The first fix of a track at `t` or later; their count if there is none. */
size_t sc__fix_search(const sc__fixes *fixes, uint32_t track, sc_time t);

/** Where fix `i` of a track is; false if that is too far from any road. */
bool sc__fix_place(sc__fixes *fixes, uint32_t track, size_t i, sc_place *out);

// --- follow.c: episodes -------------------------------------------------------

/** What one track did in one window: perhaps a traveller. */
typedef struct sc__episode {
    int64_t window;
    uint32_t track;
} sc__episode;

typedef struct sc__episodes {
    sc__episode *all;  ///< by track, then by window
    size_t count;      ///< at most SC_TRAVELLERS_MAX
    size_t capacity;
} sc__episodes;

/**
 * List every window in which a track has a fix, or is between two that are near enough in time.
 * Nothing is snapped for that; all that are ever on the roads are in the list, and others too.
 *
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT (too many)
 */
SC_CHECKED sc_err sc__episodes_list(sc__episodes *episodes, const sc__fixes *fixes);
void sc__episodes_fini(sc__episodes *episodes);

// --- follow_path.c: ways ------------------------------------------------------

/** A way in the array: how long it is, and where its legs begin. */
typedef struct sc__way {
    uint64_t length;  ///< units; SC__NO_WAY if there is none
    uint64_t first_leg;
} sc__way;

#define SC__NO_WAY UINT64_MAX

/** Legs of all ways, one behind the other. */
typedef struct sc__legs {
    sc_packed_leg *all;
    size_t count;
    size_t capacity;
} sc__legs;

/**
 * Finds ways: legal ones, and where there is none, against one-way streets too. (A fix may be on
 * the wrong side of a street, or on the next one; or the driver did just that.)
 */
typedef struct sc__way_finder {
    const sc_map *map;  ///< borrowed
    sc_route_search *search;
    bool has_one_ways;     ///< of the map
    sc_routes *both_ways;  ///< made when it is first needed
    sc_route_search *search_both_ways;
    sc_route route;
    // The last way kept. Where a window ends between two fixes, both windows want the same one.
    sc_place from;
    sc_place to;
    sc__way way;
    bool is_legal;
} sc__way_finder;

/** @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc__way_finder_init(sc__way_finder *finder, const sc_map *map,
                                      const sc_routes *routes);
void sc__way_finder_fini(sc__way_finder *finder);

/**
 * The fastest way, its legs added to `legs`.
 *
 * @param max_length  units; if that way is longer, it is as if there was none
 * @param is_legal    set if there is a way: whether it obeys one-way streets
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT (as sc_routes_new())
 */
SC_CHECKED sc_err sc__way_find(sc__way_finder *finder, sc__legs *legs, sc_place from, sc_place to,
                               double max_length, sc__way *out, bool *is_legal);

/** The place `units` along a way that begins at `from`; at most its length. */
sc_place sc__way_place(const sc_map *map, const sc__legs *legs, const sc__way *way, sc_place from,
                       uint64_t units);

// --- follow_path.c: stops -----------------------------------------------------

/** A fix on the road, and the way from there to the next. */
typedef struct sc__stop {
    sc_time t;  ///< in the window; before 0 or after its end where a way is cut
    sc_place place;
    sc__way way;
} sc__stop;

/** Stops of all travellers, one traveller behind the other. The last of each has no way. */
typedef struct sc__stops {
    sc__stop *all;
    size_t count;
    size_t capacity;
} sc__stops;

/** Makes travellers of episodes. */
typedef struct sc__maker {
    sc__fixes fixes;
    sc__way_finder finder;
    double unit_m;
    sc_follow_summary summary;
    sc__stops stops;
    sc__legs legs;
} sc__maker;

/** How long an episode lasts: the length of its window, or less where recorded time ends. */
sc_time sc__episode_end(const sc__frame *frame, const sc__episode *episode);

/**
 * Add the stops of an episode, unless it is on the roads for less than a second.
 *
 * @param is_traveller  set on success: whether it is on the roads for long enough
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__episode_make(sc__maker *maker, const sc__episode *episode,
                                   bool *is_traveller);

static inline bool sc__has_way(const sc__stop *stop)
{
    return stop->way.length != SC__NO_WAY;
}

// --- follow_path.c: the movement ----------------------------------------------

/** A traveller who does as a recorded one did. */
typedef struct sc__follower {
    size_t first_stop;
    size_t stop;      ///< the last one it has come to, or its first
    size_t stop_end;  ///< behind its last
    sc_time lap;      ///< when it began for the last time; 0 unless all of it is repeated
    sc_time until;    ///< nothing counts after that
    size_t name;      ///< where in the names its own begins
} sc__follower;

/** The movement. */
typedef struct sc__follow {
    sc_movement movement;
    sc__follower *followers;  ///< by track, then by window
    sc__stop *stops;
    sc__legs legs;
    char *names;     ///< one behind the other, each ended by NUL
    sc_time period;  ///< after which all begin again; SC_TIME_NEVER: they do not
} sc__follow;

extern const sc_movement_kind sc__follow_kind;

// --- follow.c: the choice of followers ----------------------------------------

/** A movement that is being made. */
typedef struct sc__gathering {
    sc__maker maker;
    sc__episodes episodes;
    uint32_t *order;   ///< in which episodes are drawn, as far as they were; NULL: as they are
    uint32_t *chosen;  ///< the episode of each follower
    sc__follower *followers;
    uint32_t count;  ///< of followers
    size_t chosen_capacity;
    size_t follower_capacity;
} sc__gathering;

/** Make followers of the episodes listed: all, or `max_count`. @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc__gather(sc__gathering *gathering, uint32_t max_count, uint64_t seed,
                             const sc_progress *progress);

/** The movement of those gathered, one at least. @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc__gathering_finish(sc__gathering *gathering, bool repeats, sc_movement **out);

/** Harmless on a zeroed one. */
void sc__gathering_fini(sc__gathering *gathering);

#endif
