/**
 * @file own_reply.h
 * @brief Taking in a reply that sc_lbs_evaluate() made in this process.
 *
 * What `sc_filter_open()` proves of every reply is what a provider that lies, errs, or has another
 * map could get wrong. A reply that never left the process was made by the program that would check
 * it, from the same map: whoever can change the one can change the other. So its lists are read
 * with the checks that go with reading them (reply_check.c), and compared with the roads and with
 * each other (reply_agreement.c), which takes four times as long, once in a while only: as a guard
 * against our own mistakes, and not against anybody.
 */
#ifndef SC_ANSWER_OWN_REPLY_H
#define SC_ANSWER_OWN_REPLY_H

#include <starcloak/answer.h>

/** One reply of so many is checked as a stranger's: the first one of a filter, and any that follows
 * one that was refused. */
enum { SC_OWN_REPLIES_PER_CHECK = 64 };

/**
 * sc_filter_open() for a reply that sc_lbs_evaluate() has made of `relay` in this process, and that
 * nobody else could write to.
 *
 * @return as sc_filter_open()
 */
SC_CHECKED sc_err sc_filter_open_own(sc_filter *filter, const sc_relay *relay,
                                     const sc_reply *reply, sc_diag *diag);

#endif
