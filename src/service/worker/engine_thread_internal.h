/**
 * @file engine_thread_internal.h
 * @brief Secret: what is in a room: for room.c, which makes it and lets it live, and round.c, which
 * does its work.
 *
 * Fields are grouped by who may touch them.
 */
#ifndef SC_WORKER_ENGINE_THREAD_INTERNAL_H
#define SC_WORKER_ENGINE_THREAD_INTERNAL_H

#include "worker/engine_thread.h"

#include "base/handover.h"
#include "worker/parts.h"
#include "worker/proposals.h"

#include <starcloak/prune.h>

struct sc__room {
    size_t max_queries;
    size_t rooms;  ///< that speak with the same voice
    const sc_map *map;
    const sc_partition *cut;
    sc_peer self;
    sc_voice voice;
    sc_handover *words;  ///< NULL: in place, each word is carried out at once
    atomic_bool is_ending;
    atomic_int wanted;      ///< the sc_variant that the engines are to have
    atomic_bool is_called;  ///< a word to look up is among the words: another need not follow
    pthread_t thread;       ///< of whoever starts and ends it, as the next
    bool has_thread;

    // Of the thread, or of whoever calls sc__room_round() instead.
    sc_rng *rng;
    sc__parts parts;              ///< but for what others may see of it
    bool is_part_missing;         ///< there was no memory for one
    sc_variant variant;           ///< that the engines have
    sc_partition_walker *walker;  ///< NULL if there is one part only
    sc_pruner *pruner;            ///< NULL if there is a pool
    sc_prune_pool *pool;          ///< or NULL
    sc__bids *bids;
    sc_time now;         ///< of the last round
    bool is_muffled;     ///< something could not be said in this round
    sc_time rest_until;  ///< memory has run out
    size_t batch_next;   ///< words of the batch from here on are still to be carried out
    size_t batch_count;
    sc_word batch[SC_CREW_BATCH];

    pthread_mutex_t lock;
    sc__bids_stats stats;  ///< under `lock`
};

/** Carry out a word, which is wiped. Nobody asks whether there is room for what is said then. */
void sc__room_obey(sc__room *room, sc_word *word, sc_time now);

/** Let others see what was done. */
void sc__room_show(sc__room *room);

#endif
