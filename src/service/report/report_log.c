// The counts of each day in a file. See report_log.h.
//
//     query(), cloak(): any thread --atomics--> collect(): the writer's thread --> the day's slot
//
// The day of a count is that of the minute in which it is collected; a minute never spans two days,
// unless the machine was held up.
#include "report/report_log.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char log_name[] = "starcloak-report-log";

enum { VERSION = 1, MINUTE_S = 60 };

/** In place of a day: nothing that can be read is there. */
#define NO_DAY (-1)

struct sc_report_log {
    char *path;
    unsigned most_days;
    int fd;  ///< -1: not open
    bool has_thread;
    pthread_t thread;
    atomic_uint_fast64_t counted[SC_COUNTS];  ///< since the last collection
    atomic_uint_fast64_t failures;

    // The writer's thread, and the one that opens and frees.
    int64_t *slot_days;  ///< of the slots behind the first
    size_t slot_count;
    int64_t day;  ///< NO_DAY: nothing was collected yet
    size_t slot;  ///< of the day; slot_count: it has none yet
    sc_day_counts total;
    bool is_unwritten;  ///< the slot on the disk is behind `total`

    pthread_mutex_t lock;  ///< guards the next three
    pthread_cond_t changed;
    bool is_stopping;
    sc_diag why;  ///< of the last failure; "": the last time it went well
};

// --- Slots ---------------------------------------------------------------------------------------

/** @return SC_OK, SC_EPARSE (it is none of ours), SC_ENOMEM */
static sc_err parse_first(const char *slot, uint64_t *id)
{
    sc_json_tree tree;
    sc_json_error error;
    const sc_err err = sc_json_tree_read(slot, SC_REPORT_SLOT, &tree, &error);
    if (err) return err;
    const char *name = sc_json_text_at(sc_json_member(tree.root, "log"));
    const char *text = sc_json_text_at(sc_json_member(tree.root, "id"));
    uint8_t bytes[8] = {0};
    size_t size = 0;
    const bool is_good =
        name && text && strcmp(name, log_name) == 0 && sc_json_size(tree.root) == 3 &&
        sc_json_integer(sc_json_member(tree.root, "version")) == VERSION &&
        strlen(text) == 2 * sizeof bytes &&
        sodium_hex2bin(bytes, sizeof bytes, text, strlen(text), NULL, &size, NULL) == 0 &&
        size == sizeof bytes;
    *id = 0;
    for (size_t i = 0; i < sizeof bytes; i++) {
        *id = *id << 8 | bytes[i];
    }
    sc_json_tree_fini(&tree);
    return is_good ? SC_OK : SC_EPARSE;
}

/** The day of a slot; NO_DAY: it cannot be read. */
static sc_err parse_day(const char *slot, int64_t *day, sc_day_counts *counts)
{
    sc_json_tree tree;
    sc_json_error error;
    *day = NO_DAY;
    const sc_err err = sc_json_tree_read(slot, SC_REPORT_SLOT, &tree, &error);
    if (err == SC_ENOMEM) return err;
    if (err) return SC_OK;
    const char *text = sc_json_text_at(sc_json_member(tree.root, "day"));
    if (!text || sc_json_size(tree.root) != 2 || slot[SC_REPORT_SLOT - 1] != '\n' ||
        !sc_day_counts_read(sc_json_member(tree.root, "counts"), counts) ||
        !sc_day_read(text, day)) {
        *day = NO_DAY;
    }
    sc_json_tree_fini(&tree);
    return SC_OK;
}

/** Fill the line up to a whole slot. False if memory is out. */
static bool fill_up(sc_bytes *line)
{
    if (line->size >= SC_REPORT_SLOT || !sc_bytes_reserve(line, SC_REPORT_SLOT - line->size)) {
        return false;
    }
    memset(line->data + line->size, ' ', SC_REPORT_SLOT - line->size);
    line->data[SC_REPORT_SLOT - 1] = '\n';
    line->size = SC_REPORT_SLOT;
    return true;
}

/** 0, or an errno. */
static int write_slot(int fd, size_t slot, const sc_bytes *line)
{
    if (lseek(fd, (off_t)(slot * SC_REPORT_SLOT), SEEK_SET) < 0) return errno;
    for (size_t done = 0; done < line->size;) {
        const ssize_t put = write(fd, line->data + done, line->size - done);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return put < 0 ? errno : ENOSPC;
        done += (size_t)put;
    }
    return 0;
}

static sc_err write_first(const sc_report_log *log, sc_diag *diag)
{
    sc_bytes line = {0};
    uint64_t id = 0;
    randombytes_buf(&id, sizeof id);
    sc_json_writer json = sc_json_writer_of(&line);
    sc_json_open_object(&json, NULL);
    sc_json_put_string(&json, "log", log_name);
    sc_json_put_count(&json, "version", VERSION);
    sc_json_put_hex(&json, "id", id);
    sc_json_close_object(&json);
    const bool fits = !json.has_failed && fill_up(&line);
    const int why = fits ? write_slot(log->fd, 0, &line) : 0;
    sc_bytes_fini(&line);
    if (!fits) return sc_fail_memory(diag, "preparing the report log");
    return why ? sc_fail(diag, SC_EIO, "report-log: %.400s: %s", log->path, strerror(why)) : SC_OK;
}

// --- Opening -------------------------------------------------------------------------------------

static sc_err read_slot(const sc_report_log *log, size_t slot, char out[SC_REPORT_SLOT])
{
    const ssize_t got = pread(log->fd, out, SC_REPORT_SLOT, (off_t)(slot * SC_REPORT_SLOT));
    return got == SC_REPORT_SLOT ? SC_OK : SC_EIO;
}

static sc_err read_slots(sc_report_log *log, size_t count, size_t *damaged, sc_diag *diag)
{
    char slot[SC_REPORT_SLOT];
    uint64_t id = 0;
    const sc_err err = read_slot(log, 0, slot) ? SC_EPARSE : parse_first(slot, &id);
    if (err == SC_ENOMEM) return sc_fail_memory(diag, "reading the report log");
    if (err) {
        return sc_fail(diag, SC_EPARSE, "report-log: %.400s is not a report log; name another file",
                       log->path);
    }
    *damaged = 0;
    log->slot_count = 0;
    for (size_t i = 1; i < count && log->slot_count < log->most_days; i++) {
        sc_day_counts ignored;
        int64_t day = NO_DAY;
        if (read_slot(log, i, slot)) {
            return sc_fail(diag, SC_EIO, "report-log: %.400s: %s", log->path, strerror(errno));
        }
        if (parse_day(slot, &day, &ignored)) return sc_fail_memory(diag, "reading the report log");
        *damaged += day == NO_DAY;
        log->slot_days[log->slot_count++] = day;
    }
    return SC_OK;
}

static sc_err read_file(sc_report_log *log, size_t *damaged, sc_diag *diag)
{
    struct stat about;
    if (fstat(log->fd, &about) != 0 || !S_ISREG(about.st_mode)) {
        return sc_fail(diag, SC_EIO, "report-log: %.400s is not a regular file; name another",
                       log->path);
    }
    if (flock(log->fd, LOCK_EX | LOCK_NB) != 0) {
        return sc_fail(diag, SC_EBUSY,
                       "report-log: another process writes %.400s; each needs a file of its own",
                       log->path);
    }
    *damaged = 0;
    if (about.st_size == 0) return write_first(log, diag);
    // A service that was killed while the file grew, or a disk that was full, leaves a piece.
    const size_t whole = (size_t)about.st_size / SC_REPORT_SLOT;
    const sc_err err = read_slots(log, whole, damaged, diag);
    if (err) return err;
    const off_t end = (off_t)(whole * SC_REPORT_SLOT);
    if (end != about.st_size && ftruncate(log->fd, end) != 0) {
        return sc_fail(diag, SC_EIO, "report-log: %.400s: %s", log->path, strerror(errno));
    }
    return SC_OK;
}

sc_err sc_report_log_open(sc_report_log *log, size_t *damaged, sc_diag *diag)
{
    log->fd = open(log->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
                   S_IRUSR | S_IWUSR);
    if (log->fd < 0) {
        return sc_fail(diag, SC_EIO,
                       "report-log: cannot open %.400s: %s; let the service's user write in its "
                       "directory, or name another file",
                       log->path, strerror(errno));
    }
    const sc_err err = read_file(log, damaged, diag);
    if (err) {
        close(log->fd);
        log->fd = -1;
    }
    return err;
}

sc_err sc_report_log_check(const char *path, sc_diag *diag)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX] = ".";
    const size_t size = slash ? (size_t)(slash - path) + 1 : 0;
    struct stat about;
    if (lstat(path, &about) == 0 && about.st_size > 0) {
        sc_report_days days = {0};
        const sc_err err = sc_report_days_read(path, &days, diag);
        sc_report_days_fini(&days);
        return err;
    }
    if (size > 0 && size < sizeof folder) {
        memcpy(folder, path, size);
        folder[size] = '\0';
    }
    if (access(folder, W_OK | X_OK) == 0) return SC_OK;
    return sc_fail(diag, SC_EIO, "report-log: cannot make %.400s: %s", path, strerror(errno));
}

// --- Counting ------------------------------------------------------------------------------------

static void count(sc_report_log *log, sc_count_group group, size_t bin)
{
    atomic_fetch_add_explicit(&log->counted[sc_count_group_of(group)->first + bin], 1,
                              memory_order_relaxed);
}

void sc_report_log_query(sc_report_log *log, const sc_report_query *query)
{
    count(log, SC_COUNT_QUERIES, query->outcome);
    count(log, SC_COUNT_K_ASKED, sc_count_size_bin(query->k));
    count(log, SC_COUNT_L_ASKED, sc_count_size_bin(query->l));
    if (query->outcome != SC_REPORT_ANSWERED) return;
    count(log, SC_COUNT_K_GIVEN, sc_count_size_bin(query->users));
    count(log, SC_COUNT_L_GIVEN, sc_count_size_bin(query->segments));
    if (query->users < query->k) count(log, SC_COUNT_BELOW, SC_COUNT_BELOW_K);
    if (query->segments < query->l) count(log, SC_COUNT_BELOW, SC_COUNT_BELOW_L);
}

void sc_report_log_cloak(sc_report_log *log, double effective)
{
    count(log, SC_COUNT_EFFECTIVE, sc_count_effective_bin(effective));
}

// --- Collecting ----------------------------------------------------------------------------------

/** The slot for a day that has none: one that cannot be read, a new one, or that of the oldest. */
static size_t free_slot(const sc_report_log *log)
{
    size_t oldest = 0;
    for (size_t i = 0; i < log->slot_count; i++) {
        if (log->slot_days[i] == NO_DAY) return i;
        if (log->slot_days[i] < log->slot_days[oldest]) oldest = i;
    }
    return log->slot_count < log->most_days ? log->slot_count : oldest;
}

/** Begin a day, or go on with it. */
static void enter_day(sc_report_log *log, int64_t day)
{
    log->day = day;
    log->total = (sc_day_counts){0};
    log->is_unwritten = false;
    for (log->slot = 0; log->slot < log->slot_count; log->slot++) {
        char slot[SC_REPORT_SLOT];
        int64_t there = NO_DAY;
        sc_day_counts counts;
        if (log->slot_days[log->slot] != day) continue;
        // If it cannot be read now, the rest of the day gets another.
        if (read_slot(log, log->slot + 1, slot) || parse_day(slot, &there, &counts)) continue;
        if (there != day) continue;
        log->total = counts;
        return;
    }
}

static int write_day(sc_report_log *log)
{
    const bool is_new = log->slot == log->slot_count;
    const size_t slot = is_new ? free_slot(log) : log->slot;
    char text[SC_DAY_TEXT_SIZE];
    sc_bytes line = {0};
    sc_json_writer json = sc_json_writer_of(&line);
    sc_json_open_object(&json, NULL);
    sc_json_put_string(&json, "day", sc_day_text(log->day, text));
    sc_day_counts_write(&json, "counts", &log->total);
    sc_json_close_object(&json);
    const int why =
        !json.has_failed && fill_up(&line) ? write_slot(log->fd, slot + 1, &line) : ENOMEM;
    sc_bytes_fini(&line);
    if (why) return why;
    log->slot = slot;
    log->slot_days[slot] = log->day;
    if (slot == log->slot_count) log->slot_count++;
    return 0;
}

static void note(sc_report_log *log, int why)
{
    if (why) atomic_fetch_add_explicit(&log->failures, 1, memory_order_relaxed);
    pthread_mutex_lock(&log->lock);
    log->why = (sc_diag){.message = ""};
    if (why) (void)sc_fail(&log->why, SC_EIO, "%.400s: %s", log->path, strerror(why));
    pthread_mutex_unlock(&log->lock);
}

void sc__report_log_collect(sc_report_log *log, int64_t now_s)
{
    const int64_t today = sc_day_of(now_s);
    if (log->day == NO_DAY) enter_day(log, today);
    for (size_t i = 0; i < SC_COUNTS; i++) {
        const uint64_t more = atomic_exchange_explicit(&log->counted[i], 0, memory_order_relaxed);
        log->total.of[i] += more;
        if (more > 0) log->is_unwritten = true;
    }
    if (log->is_unwritten) {
        const int why = write_day(log);
        note(log, why);
        log->is_unwritten = why != 0;
    }
    // What a full disk has kept from yesterday's slot is lost then; the failure was counted.
    if (today != log->day) enter_day(log, today);
}

static void *run_writer(void *context)
{
    sc_report_log *log = context;
    bool is_over = false;
    while (!is_over) {
        sc__report_log_collect(log, time(NULL));
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += MINUTE_S - until.tv_sec % MINUTE_S;  // midnight is a full minute
        until.tv_nsec = 0;
        pthread_mutex_lock(&log->lock);
        int waited = 0;
        while (!log->is_stopping && !waited) {
            waited = pthread_cond_timedwait(&log->changed, &log->lock, &until);
        }
        is_over = log->is_stopping;
        pthread_mutex_unlock(&log->lock);
    }
    return NULL;
}

// --- Life ----------------------------------------------------------------------------------------

sc_err sc_report_log_new(const char *path, unsigned days, sc_report_log **out)
{
    if (sodium_init() < 0) return SC_EIO;
    sc_report_log *log = sc_calloc(1, sizeof *log);
    if (!log) return SC_ENOMEM;
    const size_t size = strlen(path) + 1;
    log->fd = -1;
    log->day = NO_DAY;
    log->most_days = days;
    pthread_mutex_init(&log->lock, NULL);
    pthread_cond_init(&log->changed, NULL);
    log->path = sc_malloc(size);
    log->slot_days = sc_calloc(days, sizeof *log->slot_days);
    if (!log->path || !log->slot_days) {
        sc_report_log_free(log);
        return SC_ENOMEM;
    }
    memcpy(log->path, path, size);
    *out = log;
    return SC_OK;
}

sc_err sc_report_log_start(sc_report_log *log, sc_diag *diag)
{
    if (sc_thread_start(&log->thread, run_writer, log)) {
        return sc_fail(diag, SC_EIO, "report-log: no thread can be started: %s", strerror(errno));
    }
    log->has_thread = true;
    return SC_OK;
}

void sc_report_log_free(sc_report_log *log)
{
    if (!log) return;
    if (log->has_thread) {
        pthread_mutex_lock(&log->lock);
        log->is_stopping = true;
        pthread_cond_signal(&log->changed);
        pthread_mutex_unlock(&log->lock);
        pthread_join(log->thread, NULL);
        sc__report_log_collect(log, time(NULL));
    }
    if (log->fd >= 0) close(log->fd);
    pthread_cond_destroy(&log->changed);
    pthread_mutex_destroy(&log->lock);
    sc_free(log->slot_days);
    sc_free(log->path);
    sc_free(log);
}

uint64_t sc_report_log_failures(const sc_report_log *log)
{
    return atomic_load_explicit(&log->failures, memory_order_relaxed);
}

bool sc_report_log_is_failing(sc_report_log *log, sc_diag *why)
{
    pthread_mutex_lock(&log->lock);
    const bool is_failing = log->why.message[0] != '\0';
    if (is_failing && why) *why = log->why;
    pthread_mutex_unlock(&log->lock);
    return is_failing;
}

// --- Reading -------------------------------------------------------------------------------------

sc_err sc__report_days_parse(const char *name, const char *bytes, size_t size, sc_report_days *out,
                             sc_diag *diag)
{
    uint64_t id = 0;
    const size_t slots = size / SC_REPORT_SLOT;
    const bool is_sized = slots > 0 && slots <= SC_REPORT_DAYS_MAX + 1;
    const sc_err err = is_sized ? parse_first(bytes, &id) : SC_EPARSE;
    if (err == SC_ENOMEM) return sc_fail_memory(diag, "reading a report log");
    if (err) {
        return sc_fail(diag, SC_EPARSE, "%.400s: this is not a report log of 'starcloak serve'",
                       name);
    }
    sc_report_days read = {.id = id, .damaged = size % SC_REPORT_SLOT != 0};
    read.days = sc_calloc(slots, sizeof *read.days);
    if (!read.days) return sc_fail_memory(diag, "reading a report log");
    for (size_t i = 1; i < slots; i++) {
        sc_report_day *day = &read.days[read.count];
        if (parse_day(bytes + i * SC_REPORT_SLOT, &day->day, &day->counts)) {
            sc_report_days_fini(&read);
            return sc_fail_memory(diag, "reading a report log");
        }
        if (day->day == NO_DAY) {
            read.damaged++;
        } else {
            read.count++;
        }
    }
    *out = read;
    return SC_OK;
}

sc_err sc_report_days_read(const char *path, sc_report_days *out, sc_diag *diag)
{
    sc_file file = {0};
    sc_err err = sc_file_open(path, &file, diag);
    if (err) return err;
    err = sc__report_days_parse(path, (const char *)file.input.data, file.input.size, out, diag);
    sc_file_close(&file);
    return err;
}

void sc_report_days_fini(sc_report_days *days)
{
    sc_free(days->days);
    *days = (sc_report_days){0};
}
