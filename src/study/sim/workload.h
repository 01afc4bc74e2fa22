/**
 * @file workload.h
 * @brief Travellers who move along the roads and ask.
 *
 * Each traveller asks, waits for the outcome, pauses, and asks again, wherever its
 * movement (travel/movement.h) has brought it meanwhile. No traveller is moved between questions: a
 * traveller is advanced when its turn comes, so a million of them cost only their questions. While
 * one is off the roads, as in real traces, it does not ask.
 *
 * What the n-th question of a traveller is depends on the seed, the traveller and n alone. So
 * travellers who wait for different engines want the same, and differ only in when they ask.
 */
#ifndef SC_SIM_WORKLOAD_H
#define SC_SIM_WORKLOAD_H

#include <starcloak/admit.h>
#include <starcloak/map.h>
#include <starcloak/progress.h>
#include <starcloak/relay.h>
#include <starcloak/rng.h>

#include "record/stream.h"
#include "travel/movement.h"

/** A normal distribution, kept within [min, max]. */
typedef struct sc_normal {
    double mean;
    double deviation;
    double min;
    double max;
} sc_normal;

/** Within four deviations of the mean, not below `least` and not above SC_NORMAL_MAX. */
sc_normal sc_normal_around(double mean, double deviation, double least);

/** Draw a number; what falls outside becomes the nearest end. */
double sc_normal_draw(const sc_normal *spread, sc_rng *rng);

/** The same, rounded to the nearest whole number. */
uint32_t sc_normal_draw_whole(const sc_normal *spread, sc_rng *rng);

/** No number of a workload is larger. */
#define SC_NORMAL_MAX 1e6

/** The least that makes sense: of what is counted (but hops), of a wait, of a pause. */
#define SC_LEAST_COUNT 1.0
#define SC_LEAST_WAIT_S 0.1
#define SC_LEAST_PAUSE_S 1.0

/** What travellers look for. */
typedef enum sc_want {
    SC_WANT_ONE = 0,   ///< one category, drawn: each as often as its share of the map's objects
    SC_WANT_ANY = 1,   ///< objects of any category
    SC_WANT_THIS = 2,  ///< always `category`
} sc_want;

/** What travellers are like. Needs are drawn for each question. */
typedef struct sc_workload {
    sc_normal nearest;  ///< k of a k-nearest request
    sc_normal k;
    sc_normal l;
    sc_normal max_hops;
    sc_normal max_wait_s;
    sc_normal pause_s;  ///< from an outcome to the next question
    sc_metric metric;   ///< what "nearest" means to them
    sc_want wanted;     ///< on a map without objects always SC_WANT_ANY
    sc_category_id category;
} sc_workload;

/** As in the paper's table: 5+-1, 5+-1.5, 5+-1.5, 4+-1, 10+-2 s, 20+-2 s; one category each. */
sc_workload sc_workload_default(void);

/** Whether its numbers can be drawn and make sense; SC_EINVAL with a reason if not. */
SC_CHECKED sc_err sc_workload_check(const sc_workload *workload, sc_diag *diag);

typedef struct sc_travellers sc_travellers;

/**
 * Let all travellers of `movement` ask. Their first questions are spread over one pause. Memory:
 * some 40 bytes each.
 *
 * @param movement  borrowed; must outlive the result, and must not be used otherwise
 * @return SC_OK, SC_EINVAL (a workload that makes no sense), SC_ENOMEM
 */
SC_CHECKED sc_err sc_travellers_new(sc_movement *movement, const sc_workload *workload,
                                    uint64_t seed, sc_travellers **out, sc_diag *diag);
void sc_travellers_free(sc_travellers *travellers);

/** When the next question comes; SC_TIME_NEVER if all wait for an outcome, or are gone. */
sc_time sc_travellers_next(const sc_travellers *travellers);

/** No question that is not yet settled can come earlier than this after an outcome. */
sc_time sc_travellers_least_pause(const sc_travellers *travellers);

/**
 * The next question. There must be one. Its traveller then waits for its outcome.
 *
 * @param out  says where by edge and offset. `ask.user` is lent until `travellers` is freed
 * @return which traveller asks
 */
uint32_t sc_travellers_ask(sc_travellers *travellers, sc_request_line *out);

/** Say where by position instead, unless the map has none. */
void sc_ask_use_position(const sc_map *map, sc_ask *ask);

/**
 * The outcome came at `t`: the traveller asks again one pause later, or when it is back on the
 * roads. Nothing happens if it waits for none.
 *
 * @return SC_OK, SC_ENOMEM (it still waits)
 */
SC_CHECKED sc_err sc_travellers_resume(sc_travellers *travellers, uint32_t traveller, sc_time t);

/** A stream to be made of travellers. */
typedef struct sc_queries_options {
    sc_workload workload;
    uint64_t seed;
    double seconds;        ///< how long they ask, from 0 on
    sc_progress progress;  ///< may be zero
} sc_queries_options;

/**
 * Write what travellers ask to `path` ("-" is standard output) as a stream (record/stream.h).
 * No traveller waits for an outcome: each asks again one pause after it asked. The file appears
 * whole or not at all.
 *
 * @param written  set on success: how many questions
 * @return as sc_travellers_new(), or SC_EIO
 */
SC_CHECKED sc_err sc_queries_write(sc_movement *movement, const sc_queries_options *options,
                                   const char *path, uint64_t *written, sc_diag *diag);

#endif
