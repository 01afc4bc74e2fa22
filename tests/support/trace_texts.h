/**
 * @file trace_texts.h
 * @brief Traces written down as texts in a test, and what is read from them.
 */
#ifndef SC_TESTS_SUPPORT_TRACE_TEXTS_H
#define SC_TESTS_SUPPORT_TRACE_TEXTS_H

#include "traces/traces.h"

/** Read `size` bytes, from memory of exactly that size. */
sc_err parse_traces(const char *name, const char *bytes, size_t size,
                    const sc_traces_options *options, sc_traces **out, sc_diag *diag);

/** A text that must be read, in a format that is found out. */
sc_traces *good_traces(const char *name, const char *text);

/** It must be refused with exactly this message, and no result. */
void check_traces_refused(const char *name, const char *text, sc_trace_format format, sc_err wanted,
                          const char *message);

/** Track `i` has that name and those fixes, bit for bit. */
void check_track(const sc_traces *traces, size_t i, const char *name, const sc_fix *fixes,
                 size_t count);
#define CHECK_TRACK(traces, i, name, ...)                       \
    check_track((traces), (i), (name), (sc_fix[]){__VA_ARGS__}, \
                sizeof((sc_fix[]){__VA_ARGS__}) / sizeof(sc_fix))

/** As many tracks as that, by name, each with fixes in order; what the summary counts agrees. */
void check_traces(const sc_traces *traces, size_t track_count);

/** The same names and the same fixes, bit for bit. */
void check_same_traces(const sc_traces *a, const sc_traces *b);

#endif
