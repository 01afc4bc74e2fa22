/**
 * @file demo_replay.h
 * @brief Secret: a recorded run, shown on the demo's streams in its own time, with pause, speed and
 * seek.
 *
 * What happens is read off a tape (replay_tape.h) in a thread, several times a second, and told on
 * two streams as if it happened now: /demo/events (who asks, and how it ends) and the replay's own
 * /v1/events (cloaks and counters), which stands in the place of the service's. The service below
 * learns nothing of it. docs/ui.md has the words.
 *
 * Time passes while there is a listener. A new listener, and everybody after a seek, is told the
 * state of that moment: who waits, and what was counted.
 *
 * A record knows where users are while they wait, and says who they are; the second is not shown. A
 * query has a *place* from its beginning to its end, as a traveller of the demo has: so its
 * position is told like theirs.
 */
#ifndef SC_DEMO_DEMO_REPLAY_H
#define SC_DEMO_DEMO_REPLAY_H

#include "api/service.h"
#include "demo/replay_tape.h"
#include "server/event_stream.h"

/** How fast time may pass. */
#define SC_REPLAY_SPEED_MIN 0.1
#define SC_REPLAY_SPEED_MAX 100.0

/** Entries that are told one by one between two looks; beyond that the state is told each second.
 */
enum { SC_REPLAY_TOLD_MAX = 500 };

typedef struct sc_replay sc_replay;

typedef struct sc_replay_options {
    const char *path;     ///< of the record
    double every_s;       ///< between two looks
    uint32_t max_places;  ///< queries that are shown at once
    size_t max_listeners;
} sc_replay_options;

/** Read the record. @param map  borrowed; with coordinates @return as sc_tape_open(); SC_ELIMIT (a
 * map so wide that positions cannot be told) */
SC_CHECKED sc_err sc_replay_new(const sc_map *map, const sc_replay_options *options,
                                sc_replay **out, sc_diag *diag);

/** After the loops have stopped; NULL is fine. */
void sc_replay_free(sc_replay *replay);

/** The engine of the record; NULL if it does not tell. Lent. */
const sc_engine_options *sc_replay_engine(const sc_replay *replay);

/** How many places there are. */
uint32_t sc_replay_places(const sc_replay *replay);

/** Of positions, in units of /v1/map. */
int32_t sc_replay_step(const sc_replay *replay);

/** Before sc_service_start(). @param truth  the stream of /demo/events; borrowed */
SC_CHECKED sc_err sc_replay_attach(sc_replay *replay, sc_service *service, sc_event_stream *truth);

/** Let it play. @return SC_OK, SC_EIO (a thread) */
SC_CHECKED sc_err sc_replay_start(sc_replay *replay, sc_diag *diag);

/** It stops; waits for its thread. Twice is harmless. */
void sc_replay_stop(sc_replay *replay);

/** The record's time, in seconds. Any thread, as all of these. */
double sc_replay_now_s(sc_replay *replay);

/** What a new listener of /demo/events is told after `hello`: false if memory is out. The next
 * frame of positions is a base. */
bool sc_replay_greet(sc_replay *replay, sc_bytes *out);

/** The pages: /demo/replay, /v1/events, and those that a replay does not have. */
void sc_replay_show_controls(sc_replay *replay, sc_http_request *request);
void sc_replay_show_events(sc_replay *replay, unsigned loop, sc_http_request *request);
void sc_replay_refuse(sc_replay *replay, sc_http_request *request);

/** A look: what has happened by now is told. In its thread; tests, which do not start it, call it
 * with a clock of their own. */
void sc__replay_look(sc_replay *replay, int64_t now_us);

#endif
