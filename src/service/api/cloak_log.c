// The cloaks that left, as lines of a file. See cloak_log.h.
//
//     add(): any thread --lock--> waiting --lock--> writer's thread --file_lock--> file
//
// `lock` is held to append a line or to take all of them, never while a file is written; open()
// and the writer exclude each other by `file_lock`, which add() does not take.
#include "api/cloak_log.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/diag.h"
#include "base/json_write.h"
#include "base/thread.h"
#include "server/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/** How long lines are collected before they are written. */
enum { COLLECT_NS = 250000000 };

struct sc_cloak_log {
    char *path;
    uint64_t max_bytes;
    uint32_t traffic;
    bool has_thread;
    pthread_t thread;

    pthread_mutex_t lock;  ///< guards the next eight
    pthread_cond_t changed;
    sc_bytes waiting;
    uint64_t waiting_cloaks;
    uint64_t first_map;  ///< the checksum of that of the first cloak that waits
    uint64_t last_map;   ///< and of the last
    sc_cloak_log_stats stats;
    sc_diag why;  ///< of the last failure
    bool is_stopping;

    pthread_mutex_t file_lock;  ///< guards the rest; taken before `lock`
    int fd;                     ///< -1: not open
    bool is_torn;               ///< the file does not end with a line
    bool needs_start;           ///< the next batch begins with one
    uint64_t file_map;          ///< the checksum of that of the last cloak that was written
};

// --- Lines --------------------------------------------------------------------------------------

/** False if memory is out. */
static bool put_cloak(sc_bytes *out, const sc_seg_id *segments, size_t count, uint32_t users)
{
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_open_object(&json, NULL);
    sc_json_put_string(&json, "event", "cloak");
    sc_json_put_signed(&json, "t", time(NULL));
    sc_json_open_array(&json, "segments");
    for (size_t i = 0; i < count; i++) {
        sc_json_put_count(&json, NULL, segments[i]);
    }
    sc_json_close_array(&json);
    sc_json_put_count(&json, "users", users);
    sc_json_close_object(&json);
    sc_json_put_text(&json, "\n");
    return !json.has_failed;
}

static bool put_start(const sc_cloak_log *log, uint64_t map_checksum, sc_bytes *out)
{
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_open_object(&json, NULL);
    sc_json_put_string(&json, "event", "start");
    sc_json_put_signed(&json, "t", time(NULL));
    sc_json_put_hex(&json, "map", map_checksum);
    sc_json_put_count(&json, "traffic", log->traffic);
    sc_json_close_object(&json);
    sc_json_put_text(&json, "\n");
    return !json.has_failed;
}

void sc_cloak_log_add(sc_cloak_log *log, uint64_t map_checksum, const sc_seg_id *segments,
                      size_t segment_count, uint32_t users)
{
    pthread_mutex_lock(&log->lock);
    sc_bytes *waiting = &log->waiting;
    const size_t before = waiting->size;
    const bool is_other = before > 0 && log->last_map != map_checksum;
    const bool is_taken = before < SC_CLOAK_LOG_WAITING &&
                          (!is_other || put_start(log, map_checksum, waiting)) &&
                          put_cloak(waiting, segments, segment_count, users);
    if (is_taken) {
        if (before == 0) log->first_map = map_checksum;
        log->last_map = map_checksum;
        log->waiting_cloaks++;
        // The writer waits for a first line, and then, for a while, for many.
        const size_t many = SC_CLOAK_LOG_WAITING / 2;
        if (before == 0 || (before < many && waiting->size >= many)) {
            pthread_cond_signal(&log->changed);
        }
    } else {
        waiting->size = before;
        log->stats.lost++;
    }
    pthread_mutex_unlock(&log->lock);
}

// --- Writing ------------------------------------------------------------------------------------

/** Cloaks whose lines end within the first `size` bytes. */
static uint64_t count_cloaks(const sc_bytes *bytes, size_t size)
{
    static const char cloak[] = "{\"event\":\"cloak\"";
    uint64_t count = 0;
    size_t line_at = 0;
    for (size_t i = 0; i < size && i < bytes->size; i++) {
        if (bytes->data[i] != '\n') continue;
        count += i - line_at >= sizeof cloak &&
                 memcmp(bytes->data + line_at, cloak, sizeof cloak - 1) == 0;
        line_at = i + 1;
    }
    return count;
}

/**
 * Write a batch, behind a start if one is due, and remember what the file ends with.
 *
 * @param start  empty
 * @param map    of the first cloak
 * @return how many bytes of the batch are in the file; if not all, `why` says why
 */
static size_t write_batch(sc_cloak_log *log, uint64_t map, sc_bytes *start, const sc_bytes *batch,
                          sc_diag *why)
{
    struct stat now;
    if (log->fd < 0 || fstat(log->fd, &now) != 0) {
        (void)sc_fail(why, SC_EIO, "%s: %s", log->path, strerror(log->fd < 0 ? EBADF : errno));
        return 0;
    }
    // Asked of the file each time: it may have been emptied after it was copied.
    if (now.st_size == 0) log->is_torn = false;
    const bool needs_start = log->needs_start || now.st_size == 0 || log->file_map != map;
    if (needs_start &&
        ((log->is_torn && !sc_bytes_append(start, "\n", 1)) || !put_start(log, map, start))) {
        (void)sc_fail_memory(why, "writing the cloak log");
        return 0;
    }
    const size_t size = start->size + batch->size;
    if (log->max_bytes > 0 && (uint64_t)now.st_size + size > log->max_bytes) {
        (void)sc_fail(why, SC_ELIMIT,
                      "%s: the file has reached cloak-log-max; move it away and send SIGHUP",
                      log->path);
        return 0;
    }
    const struct iovec parts[] = {{.iov_base = start->data, .iov_len = start->size},
                                  {.iov_base = batch->data, .iov_len = batch->size}};
    ssize_t done;
    do {
        done = writev(log->fd, parts, 2);
    } while (done < 0 && errno == EINTR);
    if (done != (ssize_t)size) {
        (void)sc_fail(why, SC_EIO, "%s: %s", log->path, strerror(done < 0 ? errno : ENOSPC));
    }
    if (done <= 0) return 0;
    const size_t in_file = (size_t)done > start->size ? (size_t)done - start->size : 0;
    const uint8_t last = in_file > 0 ? batch->data[in_file - 1] : start->data[(size_t)done - 1];
    log->is_torn = last != '\n';
    log->needs_start = log->is_torn || (size_t)done < start->size;
    return in_file;
}

/** What is known of a batch. */
typedef struct batch_about {
    uint64_t cloaks;
    uint64_t first_map;
    uint64_t last_map;
} batch_about;

/** Write a batch, and count what became of it. */
static void pass_on(sc_cloak_log *log, const sc_bytes *batch, const batch_about *about)
{
    sc_bytes start = {0};
    sc_diag why = {.message = ""};
    pthread_mutex_lock(&log->file_lock);
    const size_t in_file = write_batch(log, about->first_map, &start, batch, &why);
    const uint64_t written = count_cloaks(batch, in_file);
    if (in_file == batch->size || (in_file > 0 && about->first_map == about->last_map)) {
        log->file_map = about->last_map;
    } else if (in_file > 0) {
        log->needs_start = true;  // it ends with cloaks of either
    }
    pthread_mutex_lock(&log->lock);
    log->stats.written += written;
    log->stats.lost += about->cloaks - written;
    log->stats.is_failing = written < about->cloaks;
    if (written < about->cloaks) log->why = why;
    pthread_mutex_unlock(&log->lock);
    pthread_mutex_unlock(&log->file_lock);
    sc_bytes_fini(&start);
}

/** Wait for a first line, and then until many have come or the time is over; with `lock`. */
static void collect(sc_cloak_log *log)
{
    while (!log->is_stopping && log->waiting.size == 0) {
        pthread_cond_wait(&log->changed, &log->lock);
    }
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += COLLECT_NS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    int late = 0;
    while (!log->is_stopping && log->waiting.size < SC_CLOAK_LOG_WAITING / 2 && !late) {
        late = pthread_cond_timedwait(&log->changed, &log->lock, &until);
    }
}

static void *run_writer(void *context)
{
    sc_cloak_log *log = context;
    sc_bytes batch = {0};
    pthread_mutex_lock(&log->lock);
    for (;;) {
        collect(log);
        if (log->waiting.size == 0) break;
        const sc_bytes taken = log->waiting;
        const batch_about about = {
            .cloaks = log->waiting_cloaks, .first_map = log->first_map, .last_map = log->last_map};
        log->waiting = batch;
        log->waiting_cloaks = 0;
        batch = taken;
        pthread_mutex_unlock(&log->lock);
        pass_on(log, &batch, &about);
        batch.size = 0;
        pthread_mutex_lock(&log->lock);
    }
    pthread_mutex_unlock(&log->lock);
    sc_bytes_fini(&batch);
    return NULL;
}

// --- The file -----------------------------------------------------------------------------------

/** Whether a file ends within a line. */
static bool is_torn_file(int fd, off_t size)
{
    char last = '\n';
    return size > 0 && (pread(fd, &last, 1, size - 1) != 1 || last != '\n');
}

static sc_err fail_open(const char *path, sc_diag *diag)
{
    char user[64];
    const int reason = errno;
    return sc_fail(diag, SC_EIO,
                   "cloak-log: the user %s cannot open %.400s: %s; let this user write in its "
                   "directory, or name another with --user",
                   sc_sandbox_user(user, sizeof user), path, strerror(reason));
}

static sc_err fail_kind(const char *path, sc_diag *diag)
{
    return sc_fail(diag, SC_EIO, "cloak-log: %.400s is not a regular file; name another", path);
}

static sc_err open_file(const sc_cloak_log *log, int *out, struct stat *about, sc_diag *diag)
{
    const int fd = open(log->path, SC_SANDBOX_APPENDS, S_IRUSR | S_IWUSR);
    // A link, a pipe without a reader.
    if (fd < 0 && (errno == ELOOP || errno == ENXIO)) return fail_kind(log->path, diag);
    if (fd < 0) return fail_open(log->path, diag);
    if (fstat(fd, about) != 0 || !S_ISREG(about->st_mode)) {
        close(fd);
        return fail_kind(log->path, diag);
    }
    *out = fd;
    return SC_OK;
}

sc_err sc_cloak_log_open(sc_cloak_log *log, sc_diag *diag)
{
    int fd = -1;
    struct stat about;
    const sc_err err = open_file(log, &fd, &about, diag);
    if (err) return err;
    pthread_mutex_lock(&log->file_lock);
    const int before = log->fd;
    log->fd = fd;
    log->is_torn = is_torn_file(fd, about.st_size);
    log->needs_start = true;
    pthread_mutex_unlock(&log->file_lock);
    if (before >= 0) close(before);
    if (log->has_thread) return SC_OK;
    if (sc_thread_start(&log->thread, run_writer, log)) {
        return sc_fail(diag, SC_EIO, "cloak-log: no thread can be started: %s", strerror(errno));
    }
    log->has_thread = true;
    return SC_OK;
}

sc_err sc_cloak_log_check(const char *path, sc_diag *diag)
{
    struct stat about;
    if (lstat(path, &about) == 0) {
        if (!S_ISREG(about.st_mode)) return fail_kind(path, diag);
        return access(path, R_OK | W_OK) == 0 ? SC_OK : fail_open(path, diag);
    }
    const char *slash = strrchr(path, '/');
    char *folder = slash ? sc_malloc((size_t)(slash - path) + 2) : NULL;
    if (slash && !folder) return sc_fail_memory(diag, "checking cloak-log");
    if (folder) {
        memcpy(folder, path, (size_t)(slash - path) + 1);
        folder[slash - path + 1] = '\0';
    }
    const bool is_possible = access(folder ? folder : ".", W_OK | X_OK) == 0;
    const int reason = errno;
    sc_free(folder);
    errno = reason;
    return is_possible ? SC_OK : fail_open(path, diag);
}

bool sc_cloak_log_is_shared(sc_cloak_log *log)
{
    struct stat about;
    pthread_mutex_lock(&log->file_lock);
    const bool is_shared =
        log->fd >= 0 && fstat(log->fd, &about) == 0 && (about.st_mode & (S_IRWXG | S_IRWXO)) != 0;
    pthread_mutex_unlock(&log->file_lock);
    return is_shared;
}

sc_cloak_log_stats sc_cloak_log_stats_of(sc_cloak_log *log, sc_diag *why)
{
    pthread_mutex_lock(&log->lock);
    const sc_cloak_log_stats stats = log->stats;
    if (why && stats.is_failing) *why = log->why;
    pthread_mutex_unlock(&log->lock);
    return stats;
}

// --- Life ---------------------------------------------------------------------------------------

sc_err sc_cloak_log_new(const sc_cloak_log_options *options, sc_cloak_log **out)
{
    const size_t size = strlen(options->path) + 1;
    sc_cloak_log *log = sc_calloc(1, sizeof *log);
    char *path = sc_malloc(size);
    if (!log || !path) {
        sc_free(log);
        sc_free(path);
        return SC_ENOMEM;
    }
    memcpy(path, options->path, size);
    log->path = path;
    log->max_bytes = options->max_bytes;
    log->traffic = options->traffic;
    log->fd = -1;
    pthread_mutex_init(&log->lock, NULL);
    pthread_mutex_init(&log->file_lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&log->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    *out = log;
    return SC_OK;
}

void sc_cloak_log_free(sc_cloak_log *log)
{
    if (!log) return;
    if (log->has_thread) {
        pthread_mutex_lock(&log->lock);
        log->is_stopping = true;
        pthread_cond_signal(&log->changed);
        pthread_mutex_unlock(&log->lock);
        pthread_join(log->thread, NULL);
    }
    if (log->fd >= 0) close(log->fd);
    pthread_cond_destroy(&log->changed);
    pthread_mutex_destroy(&log->file_lock);
    pthread_mutex_destroy(&log->lock);
    sc_bytes_fini(&log->waiting);
    sc_free(log->path);
    sc_free(log);
}
