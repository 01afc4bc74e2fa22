/**
 * @file breaks.h
 * @brief Ways to break a made-up record, each of one promise and of no other.
 *
 * Each changes one thing, and loosens needs that would otherwise break along with it. The
 * record must be of a town (made_town()), with answers, and large enough to have a cloak of several
 * stars and members and a drop of each reason: 16 cloaks are.
 */
#ifndef SC_TESTS_SUPPORT_BREAKS_H
#define SC_TESTS_SUPPORT_BREAKS_H

#include "support/made_record.h"

typedef struct breakage {
    const char *name;
    void (*go)(made_record *record);
    sc_promise promise;
    bool shows_in_claim;  ///< one cloak by itself shows it
    const char *says;     ///< part of the sentence that tells of it
} breakage;

#define BREAKAGE(go, promise, in_claim, says)         \
    {                                                 \
#go, go, SC_PROMISE_##promise, in_claim, says \
    }

/** Each ends with one that has no name. */
extern const breakage member_breakages[];  ///< P1 to P5
extern const breakage list_breakages[];    ///< P6 and P7
extern const breakage end_breakages[];     ///< P8 and answers

/** Call `visit` for each of all three lists. */
void for_each_breakage(void (*visit)(const breakage *b, void *context), void *context);

// --- What they share ---------------------------------------------------------------------

bool broken_holds(const made_ids *ids, uint32_t id);
void broken_put_sorted(made_ids *ids, uint32_t id);
void broken_take_out(made_ids *ids, size_t place);

/** The query behind a member. */
made_event *broken_query_of(const made_record *r, const made_event *cloak, size_t member);

/** Make all members content with any number of segments, at any distance. */
void broken_loosen(const made_record *r, const made_event *cloak);

/** The first cloak with several stars, members and border nodes. */
made_event *broken_large_cloak(const made_record *r);

/** The first drop for that reason. */
made_event *broken_drop_for(const made_record *r, const char *reason);

/** A star that is not in the cloak, next to one that is, with a segment that is not either. */
sc_star_id broken_star_outside(const made_record *r, const made_event *cloak);

/** Segments of the ball around an end star of `segment`, of the two ends the one with more. */
uint32_t broken_most_segments(const made_record *r, sc_seg_id segment, uint32_t max_hops);

/** A segment that is not in the cloak. */
sc_seg_id broken_segment_outside(const made_record *r, const made_event *cloak);

#endif
