/**
 * @file log.h
 * @brief Structured logs: one line per event, logfmt or JSON, without users and positions.
 *
 *     sc_log_line line;
 *     if (sc_log_begin(log, &line, SC_LOG_INFO, "listening")) {
 *         sc_log_text(&line, "address", address);
 *         sc_log_count(&line, "loops", 2);
 *         sc_log_end(&line);
 *     }
 *
 * No line names a user, a position, or an id made from them: there is no function for these, and
 * nothing is logged per query at all. Texts may come from clients: control bytes are escaped, and
 * they are cut at 512 bytes. A line is one write(), so that lines of several threads do not mix. A
 * pipe or socket that is full is not waited for: a line that cannot be written at once is dropped
 * and counted.
 */
#ifndef SC_LOG_LOG_H
#define SC_LOG_LOG_H

#include <starcloak/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sc_log_level {
    SC_LOG_ERROR = 0,
    SC_LOG_WARNING = 1,
    SC_LOG_INFO = 2,
    SC_LOG_DEBUG = 3,
} sc_log_level;

typedef enum sc_log_format {
    /** time=2026-11-15T12:00:00.000Z level=info event=listening address=127.0.0.1:8080 */
    SC_LOG_LOGFMT = 0,
    /** {"time":"...","level":"info","event":"listening","address":"127.0.0.1:8080"} */
    SC_LOG_JSON = 1,
} sc_log_format;

/** Any number of threads may write. */
typedef struct sc_log sc_log;

/** @param fd  borrowed; usually 2 */
SC_CHECKED sc_err sc_log_new(int fd, sc_log_format format, sc_log_level level, sc_log **out);

/** NULL is fine. */
void sc_log_free(sc_log *log);

/** Any thread, at any time. */
void sc_log_set_level(sc_log *log, sc_log_level level);

/** "error", "warning", "info", "debug"; -1 if it is none of these. */
int sc_log_level_of(const char *word);
const char *sc_log_level_name(sc_log_level level);

/** Lines that could not be written. */
uint64_t sc_log_lost(const sc_log *log);

/** A line being put together; what does not fit is left out. */
typedef struct sc_log_line {
    sc_log *log;
    size_t size;
    char bytes[2048];
} sc_log_line;

/** False if such lines are not wanted (or `log` is NULL): nothing is to be added then. */
bool sc_log_begin(sc_log *log, sc_log_line *line, sc_log_level level, const char *event);

/** @param name  a plain word of letters and underscores */
void sc_log_text(sc_log_line *line, const char *name, const char *text);
void sc_log_count(sc_log_line *line, const char *name, uint64_t count);
/** Rounded to tenths: a finer time could be matched with a query. */
void sc_log_seconds(sc_log_line *line, const char *name, double seconds);
void sc_log_end(sc_log_line *line);

/** An event with a sentence, as `diag` has it; the most frequent kind of line. */
void sc_log_message(sc_log *log, sc_log_level level, const char *event, const char *message);

#endif
