// Points done by processes of their own.
//
// Each process has a pipe to tell how it went. It ends when the process does, however that comes
// about; so the pipes are all that must be waited for, and no signal is.
#include "lab/workers.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "lab/point.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/** How often it is looked whether to stop. */
enum { LOOK_MS = 100 };

/** What a process says at its end. Small enough to go through a pipe at once. */
typedef struct message {
    sc_err err;
    sc_diag diag;
} message;
_Static_assert(sizeof(message) <= 4096, "POSIX promises no more in one piece");

typedef struct worker {
    pid_t pid;
    size_t point;
} worker;

typedef struct crew {
    const sc__task *task;
    const sc_lab_options *options;
    sc__map_setup grounds[SC_LAB_MAPS_MAX];
    size_t left[SC_LAB_MAPS_MAX];  ///< points of each map that are not done
    worker *workers;               ///< at work: [0, count)
    struct pollfd *pipes;          ///< theirs
    size_t count;
    size_t begun;  ///< points; in the order of the task
    size_t done;
} crew;

// --- A process -------------------------------------------------------------------

static sc_err do_point(const crew *c, size_t i, sc_diag *diag)
{
    const sc_lab_point *point = &c->task->points[i];
    sc_lab_result result;
    char name[SC__POINT_NAME];
    sc_diag why = {""};
    sc_err err = sc__point_run(c->options, &c->grounds[point->map], point, &result, &why);
    if (err) {
        return sc_fail(diag, err, "%s: %s", sc__point_name(c->options, point, name),
                       why.message[0] != '\0' ? why.message : sc_err_text(err));
    }
    return sc__store_save(c->task->store, &result, diag);
}

/** In the new process. Buffers of the caller's streams are not ours to write: no exit(). */
_Noreturn static void be_worker(const crew *c, size_t i, int pipe, pid_t parent,
                                const sigset_t *mask)
{
    // Keys typed at a terminal reach all processes; the first one decides what they mean.
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(1);

    message said = {.diag = {""}};
    said.err = do_point(c, i, &said.diag);
    const ssize_t written = write(pipe, &said, sizeof said);
    _exit(written == (ssize_t)sizeof said ? 0 : 1);
}

/** @return 0 or an errno */
static int start(crew *c, size_t i)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    // Until the new process has its own way of taking signals, it takes none.
    sigset_t all;
    sigset_t mask;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    const int why = errno;
    if (pid == 0) be_worker(c, i, ends[1], parent, &mask);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return why;
    }
    c->workers[c->count] = (worker){.pid = pid, .point = i};
    c->pipes[c->count] = (struct pollfd){.fd = ends[0], .events = POLLIN};
    c->count++;
    return 0;
}

// --- Beginning ---------------------------------------------------------------------

static sc_err prepare(crew *c, uint32_t map, sc_diag *diag)
{
    if (c->grounds[map].map) return SC_OK;
    return sc__map_setup_init(&c->grounds[map], c->options, &c->options->maps[map], diag);
}

static sc_err begin_some(crew *c, sc_diag *diag)
{
    while (c->count < c->options->jobs && c->begun < c->task->count) {
        const sc_err err = prepare(c, c->task->points[c->begun].map, diag);
        if (err) return err;
        const int why = start(c, c->begun);
        // The system has no room for more at the moment: go on with those that are at work.
        if (why && c->count > 0) return SC_OK;
        if (why) return sc_fail(diag, SC_EIO, "cannot start a process: %s", strerror(why));
        c->begun++;
    }
    return SC_OK;
}

// --- Ending ------------------------------------------------------------------------

static void show_progress(const crew *c)
{
    const sc_progress *progress = &c->options->progress;
    if (!progress->report) return;
    progress->report(progress->context, "points", c->task->done_before + c->done,
                     c->task->done_before + c->task->count);
}

static int wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

static sc_err fail_killed(const crew *c, size_t point, int status, sc_diag *diag)
{
    char name[SC__POINT_NAME];
    sc__point_name(c->options, &c->task->points[point], name);
    if (!WIFSIGNALED(status)) {
        return sc_fail(diag, SC_EIO, "%s: its process ended without a result", name);
    }
    const int by = WTERMSIG(status);
    return sc_fail(
        diag, SC_EIO, "%s: its process was ended by a signal (%s)%s", name, strsignal(by),
        by == SIGKILL ? "; if memory ran out, run fewer points at a time with --jobs" : "");
}

/** The pipe of worker `w` has something to say, or has ended. */
static sc_err end_worker(crew *c, size_t w, sc_diag *diag)
{
    message said;
    const worker ended = c->workers[w];
    const ssize_t size = read(c->pipes[w].fd, &said, sizeof said);
    if (size < 0 && errno == EINTR) return SC_OK;
    close(c->pipes[w].fd);
    const int status = wait_for(ended.pid);
    c->count--;
    c->workers[w] = c->workers[c->count];
    c->pipes[w] = c->pipes[c->count];
    if (size != (ssize_t)sizeof said) return fail_killed(c, ended.point, status, diag);
    if (said.err) {
        if (diag) *diag = said.diag;
        return said.err;
    }
    const uint32_t map = c->task->points[ended.point].map;
    if (--c->left[map] == 0) sc__map_setup_fini(&c->grounds[map]);
    c->done++;
    show_progress(c);
    return SC_OK;
}

static sc_err end_some(crew *c, sc_diag *diag)
{
    sc_err err = SC_OK;
    if (poll(c->pipes, c->count, LOOK_MS) <= 0) return SC_OK;
    // From the back: a worker that has ended is replaced by the last.
    for (size_t w = c->count; w > 0 && !err; w--) {
        if (c->pipes[w - 1].revents) err = end_worker(c, w - 1, diag);
    }
    return err;
}

static void stop_all(crew *c)
{
    for (size_t w = 0; w < c->count; w++) {
        kill(c->workers[w].pid, SIGTERM);
    }
    for (size_t w = 0; w < c->count; w++) {
        wait_for(c->workers[w].pid);
        close(c->pipes[w].fd);
    }
    c->count = 0;
    sc__store_sweep(c->task->store);
}

// --- The whole ---------------------------------------------------------------------

static bool is_told_to_stop(const crew *c)
{
    return c->task->stop && *c->task->stop;
}

static sc_err work(crew *c, sc_diag *diag)
{
    sc_err err = SC_OK;
    show_progress(c);
    while (!err && c->done < c->task->count && !is_told_to_stop(c)) {
        err = begin_some(c, diag);
        if (!err) err = end_some(c, diag);
    }
    if (c->done == c->task->count || !is_told_to_stop(c)) return err;
    // Whatever tells us to stop may have ended processes too, which is no failure of theirs.
    return sc_fail(diag, SC_EINTERRUPTED,
                   "interrupted; %zu of %zu points are done and stored; run the same command again "
                   "to continue",
                   c->task->done_before + c->done, c->task->done_before + c->task->count);
}

sc_err sc__work(const sc__task *task, sc_diag *diag)
{
    sc_err err = SC_ENOMEM;
    crew *c = sc_calloc(1, sizeof *c);
    if (!c) goto end;
    c->task = task;
    c->options = task->store->options;
    for (size_t i = 0; i < task->count; i++) {
        c->left[task->points[i].map]++;
    }
    c->workers = sc_malloc_array(c->options->jobs, sizeof *c->workers);
    c->pipes = sc_malloc_array(c->options->jobs, sizeof *c->pipes);
    if (c->workers && c->pipes) {
        err = work(c, diag);
        stop_all(c);
    }
    for (size_t map = 0; map < c->options->map_count; map++) {
        sc__map_setup_fini(&c->grounds[map]);
    }
    sc_free(c->workers);
    sc_free(c->pipes);
    sc_free(c);
end:
    if (err == SC_ENOMEM && diag && diag->message[0] == '\0') {
        return sc_fail_memory(diag, "running the experiment");
    }
    return err;
}
