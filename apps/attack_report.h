/**
 * @file attack_report.h
 * @brief What an attack came to, for people and for programs.
 */
#ifndef SC_APPS_ATTACK_REPORT_H
#define SC_APPS_ATTACK_REPORT_H

#include "command.h"
#include "score/trial.h"

/** What was done, and to what. */
typedef struct sc_attack_view {
    const char *map;
    const char *record;
    const char *density;  ///< as it was named
    bool is_assumed;      ///< the method is not the record's, but given by options or a default
    bool shows_links;     ///< people are shown every segment of the cloaks that they are shown
    const sc_case_demands *demands;  ///< of the record
    const sc_trial_options *options;
    const sc_trial *trial;
} sc_attack_view;

/**
 * A table with its means and their standard errors.
 *
 * @return SC_OK, SC_ENOMEM (links are to be shown)
 */
SC_CHECKED sc_err sc_attack_print_text(FILE *stream, const sc_attack_view *view);

/** One JSON object, with every cloak and every linkability. */
void sc_attack_print_json(FILE *stream, const sc_attack_view *view);

/** As --likeness has it. */
const char *sc_attack_likeness_name(sc_likeness likeness);

/** What the columns mean. */
extern const sc_topic sc_attack_topics[];

#endif
