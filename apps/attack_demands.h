/**
 * @file attack_demands.h
 * @brief What the engine demanded, for an attack: as its record says, and as options say otherwise.
 *
 * Replays, and the run with injected queries, demand the same as the engine that made the cloaks;
 * the rules exclude by it. Records have classes, zones and continuity themselves; the density of
 * traffic is a table of which they have the checksum.
 */
#ifndef SC_APPS_ATTACK_DEMANDS_H
#define SC_APPS_ATTACK_DEMANDS_H

#include "base/json_write.h"
#include "command.h"
#include "score/trial.h"

/** What there is to settle it by. All borrowed. */
typedef struct sc_attack_given {
    const sc_case_demands *demands;  ///< of the record
    const sc_density *density;       ///< of the adversary; NULL: uniform
    const sc_density *demanded;      ///< of the engine; NULL: that of the adversary
    bool has_engine;                 ///< the method is given by an option, not by the record
} sc_attack_given;

/**
 * Complete the options of a trial, whose engine and traffic (0: as the record says) are set. What
 * the record demanded and the attack cannot reckon with is told by notes.
 *
 * @return SC_OK, SC_EINVAL (a demand that the method does not keep, or whose table is not given)
 */
SC_CHECKED sc_err sc_attack_settle_demands(const sc_call *call, const sc_attack_given *given,
                                           sc_trial_options *trial, sc_diag *diag);

/** One line, or several, of what was demanded; nothing if nothing was. */
void sc_attack_print_demands(FILE *stream, const sc_case_demands *demands,
                             const sc_trial_options *trial);

/** The same as a member "demands": an object, or null. */
void sc_attack_put_demands(sc_json_writer *json, const sc_case_demands *demands,
                           const sc_trial_options *trial);

#endif
