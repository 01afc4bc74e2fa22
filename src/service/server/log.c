// Lines of log, put together on the caller's stack and written at once.
//
// Invariants of a line:
//  1. A field is there whole or not at all, and there is always room for what ends the line: so
//     every line of JSON can be read, whatever was logged.
//  2. Text that a client may have chosen passes through put_text(): no line break, no quote and no
//     byte that a terminal would obey gets past it.
//  3. Writing never waits. A log whose reader has stopped reading would else stop the service, one
//     thread after the other.
#include "server/log.h"

#include "base/alloc.h"
#include "base/json_write.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/** Longer texts are cut. */
enum { TEXT_MAX = 512 };

/** For what ends a line: "}\n". */
enum { END_SIZE = 2 };

struct sc_log {
    // Read-only.
    int fd;
    sc_log_format format;

    // Any thread.
    atomic_int level;
    atomic_uint_fast64_t lost;

    /** Between checking that there is room and using it, no other thread may use it. */
    pthread_mutex_t lock;
};

static const char *const level_names[] = {
    [SC_LOG_ERROR] = "error",
    [SC_LOG_WARNING] = "warning",
    [SC_LOG_INFO] = "info",
    [SC_LOG_DEBUG] = "debug",
};
enum { LEVELS = sizeof level_names / sizeof *level_names };

int sc_log_level_of(const char *word)
{
    for (int i = 0; i < LEVELS; i++) {
        if (strcmp(word, level_names[i]) == 0) return i;
    }
    return -1;
}

const char *sc_log_level_name(sc_log_level level)
{
    return level_names[level];
}

sc_err sc_log_new(int fd, sc_log_format format, sc_log_level level, sc_log **out)
{
    sc_log *log = sc_calloc(1, sizeof *log);
    if (!log) return SC_ENOMEM;
    log->fd = fd;
    log->format = format;
    atomic_init(&log->level, (int)level);
    atomic_init(&log->lost, 0);
    pthread_mutex_init(&log->lock, NULL);
    *out = log;
    return SC_OK;
}

void sc_log_free(sc_log *log)
{
    if (log) pthread_mutex_destroy(&log->lock);
    sc_free(log);
}

void sc_log_set_level(sc_log *log, sc_log_level level)
{
    atomic_store_explicit(&log->level, (int)level, memory_order_relaxed);
}

uint64_t sc_log_lost(const sc_log *log)
{
    return atomic_load_explicit(&log->lost, memory_order_relaxed);
}

// --- Putting a line together -------------------------------------------------------------------

// Each of these returns whether all of it fitted. If not, the caller removes the field again.

static bool put_bytes(sc_log_line *line, const char *bytes, size_t size)
{
    if (size > sizeof line->bytes - END_SIZE - line->size) return false;
    memcpy(line->bytes + line->size, bytes, size);
    line->size += size;
    return true;
}

static bool put_string(sc_log_line *line, const char *text)
{
    return put_bytes(line, text, strlen(text));
}

/** In logfmt, what is no single plain word is quoted, in the same way as JSON. */
static bool needs_quotes(const char *text, size_t size)
{
    if (size == 0) return true;
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        if (c <= 0x20 || c >= 0x7f || c == '"' || c == '\\' || c == '=') return true;
    }
    return false;
}

static bool put_text(sc_log_line *line, const char *text)
{
    size_t left = strnlen(text, TEXT_MAX + 1);
    const bool is_cut = left > TEXT_MAX;
    if (is_cut) {
        // Not through the middle of a character.
        left = TEXT_MAX;
        while (left > TEXT_MAX - 3 && ((unsigned char)text[left] & 0xc0U) == 0x80) {
            left--;
        }
    } else if (line->log->format == SC_LOG_LOGFMT && !needs_quotes(text, left)) {
        return put_bytes(line, text, left);
    }
    bool fits = put_string(line, "\"");
    for (const char *end = text + left; fits && text < end;) {
        char escaped[SC_JSON_ESCAPED_CHARACTER];
        const size_t size = sc_json_escape_character(&text, end, escaped);
        fits = put_bytes(line, escaped, size);
    }
    return fits && put_string(line, is_cut ? "...\"" : "\"");
}

static bool put_name(sc_log_line *line, const char *name)
{
    if (line->log->format == SC_LOG_LOGFMT) {
        return (line->size == 0 || put_string(line, " ")) && put_string(line, name) &&
               put_string(line, "=");
    }
    return put_string(line, line->size == 0 ? "{\"" : ",\"") && put_string(line, name) &&
           put_string(line, "\":");
}

/** A field whose value is no text: a number, or null. */
static void put_field(sc_log_line *line, const char *name, const char *value)
{
    const size_t before = line->size;
    if (!put_name(line, name) || !put_string(line, value)) line->size = before;
}

void sc_log_text(sc_log_line *line, const char *name, const char *text)
{
    const size_t before = line->size;
    if (!put_name(line, name) || !put_text(line, text ? text : "")) line->size = before;
}

void sc_log_count(sc_log_line *line, const char *name, uint64_t count)
{
    char value[24];
    snprintf(value, sizeof value, "%" PRIu64, count);
    put_field(line, name, value);
}

void sc_log_seconds(sc_log_line *line, const char *name, double seconds)
{
    char value[64];
    snprintf(value, sizeof value, "%.1f", seconds);
    put_field(line, name, isfinite(seconds) && fabs(seconds) < 1e18 ? value : "null");
}

/** "2026-11-15T12:00:00.000Z": the calendar's clock, which cloak_log.c reads besides. */
static void put_time(sc_log_line *line)
{
    struct timespec now;
    struct tm utc;
    char seconds[32];
    char value[40];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(value, sizeof value, "%s.%03uZ", seconds, (unsigned)now.tv_nsec / 1000000);
    sc_log_text(line, "time", value);
}

bool sc_log_begin(sc_log *log, sc_log_line *line, sc_log_level level, const char *event)
{
    if (!log || (int)level > atomic_load_explicit(&log->level, memory_order_relaxed)) return false;
    line->log = log;
    line->size = 0;
    put_time(line);
    sc_log_text(line, "level", sc_log_level_name(level));
    sc_log_text(line, "event", event);
    return true;
}

// --- Writing it --------------------------------------------------------------------------------

/** Write all of it if that can be done at once. A line is small enough for a pipe to take whole. */
static bool write_line(int fd, const char *bytes, size_t size)
{
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    if (poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0) return false;
    ssize_t written;
    do {
        written = write(fd, bytes, size);
    } while (written < 0 && errno == EINTR);
    return written == (ssize_t)size;
}

void sc_log_end(sc_log_line *line)
{
    // END_SIZE bytes were kept free for this.
    sc_log *log = line->log;
    if (log->format == SC_LOG_JSON) line->bytes[line->size++] = '}';
    line->bytes[line->size++] = '\n';
    pthread_mutex_lock(&log->lock);
    const bool is_written = write_line(log->fd, line->bytes, line->size);
    pthread_mutex_unlock(&log->lock);
    if (!is_written) atomic_fetch_add_explicit(&log->lost, 1, memory_order_relaxed);
}

void sc_log_message(sc_log *log, sc_log_level level, const char *event, const char *message)
{
    sc_log_line line;
    if (!sc_log_begin(log, &line, level, event)) return;
    sc_log_text(&line, "message", message);
    sc_log_end(&line);
}
