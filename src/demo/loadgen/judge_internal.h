/**
 * @file judge_internal.h
 * @brief What a thorough look at a reply and a glance at it share.
 *
 *     judge.c   word by word, through a parser
 *     glance.c  the very form that the service gives its replies
 *
 * Used by: these two.
 */
#ifndef SC_CLIENT_JUDGE_INTERNAL_H
#define SC_CLIENT_JUDGE_INTERNAL_H

#include "demo/loadgen/reply_checks.h"

enum { SC__CLOAK_ID_DIGITS = 16 };

/** A verdict that nothing is known for. */
void sc__verdict_clear(sc_verdict *out);

/** Take these bytes as the id of the cloak; false if they are none. */
bool sc__take_cloak_id(sc_verdict *out, const char *id, size_t size);

/** Hold the numbers of an answer against what was asked for. */
void sc__check_promises(sc_verdict *out, const sc_profile *needs);

#endif
