// Points done by processes of their own.
//
// Each process has a pipe to tell how it went. It ends when the process does, however that comes
// about; so the pipes are all that must be waited for, and no signal is.
#include "lab/child_processes.h"

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

typedef struct child {
    pid_t pid;
    size_t point;
} child;

typedef struct task_run {
    const sc__task *task;
    const sc_lab_options *options;
    sc__map_setup grounds[SC_LAB_MAPS_MAX];
    size_t left[SC_LAB_MAPS_MAX];  ///< points of each map that are not done
    child *children;               ///< at work: [0, count)
    struct pollfd *pipes;          ///< theirs
    size_t count;
    size_t begun;  ///< points; in the order of the task
    size_t done;
} task_run;

// --- A process -------------------------------------------------------------------

static sc_err do_point(const task_run *run, size_t i, sc_diag *diag)
{
    const sc_lab_point *point = &run->task->points[i];
    sc_lab_result result;
    char name[SC__POINT_NAME];
    sc_diag why = {""};
    sc_err err = sc__point_run(run->options, &run->grounds[point->map], point, &result, &why);
    if (err) {
        return sc_fail(diag, err, "%s: %s", sc__point_name(run->options, point, name),
                       why.message[0] != '\0' ? why.message : sc_err_text(err));
    }
    return sc__store_save(run->task->store, &result, diag);
}

/** In the new process. Buffers of the caller's streams are not ours to write: no exit(). */
_Noreturn static void be_child(const task_run *run, size_t i, int pipe, pid_t parent,
                               const sigset_t *mask)
{
    // Keys typed at a terminal reach all processes; the first one decides what they mean.
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(1);

    message said = {.diag = {""}};
    said.err = do_point(run, i, &said.diag);
    const ssize_t written = write(pipe, &said, sizeof said);
    _exit(written == (ssize_t)sizeof said ? 0 : 1);
}

/** @return 0 or an errno */
static int start(task_run *run, size_t i)
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
    if (pid == 0) be_child(run, i, ends[1], parent, &mask);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return why;
    }
    run->children[run->count] = (child){.pid = pid, .point = i};
    run->pipes[run->count] = (struct pollfd){.fd = ends[0], .events = POLLIN};
    run->count++;
    return 0;
}

// --- Beginning ---------------------------------------------------------------------

static sc_err prepare(task_run *run, uint32_t map, sc_diag *diag)
{
    if (run->grounds[map].map) return SC_OK;
    return sc__map_setup_init(&run->grounds[map], run->options, &run->options->maps[map], diag);
}

static sc_err begin_some(task_run *run, sc_diag *diag)
{
    while (run->count < run->options->jobs && run->begun < run->task->count) {
        const sc_err err = prepare(run, run->task->points[run->begun].map, diag);
        if (err) return err;
        const int why = start(run, run->begun);
        // The system has no room for more at the moment: go on with those that are at work.
        if (why && run->count > 0) return SC_OK;
        if (why) return sc_fail(diag, SC_EIO, "cannot start a process: %s", strerror(why));
        run->begun++;
    }
    return SC_OK;
}

// --- Ending ------------------------------------------------------------------------

static void show_progress(const task_run *run)
{
    const sc_progress *progress = &run->options->progress;
    if (!progress->report) return;
    progress->report(progress->context, "points", run->task->done_before + run->done,
                     run->task->done_before + run->task->count);
}

static int wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

static sc_err fail_killed(const task_run *run, size_t point, int status, sc_diag *diag)
{
    char name[SC__POINT_NAME];
    sc__point_name(run->options, &run->task->points[point], name);
    if (!WIFSIGNALED(status)) {
        return sc_fail(diag, SC_EIO, "%s: its process ended without a result", name);
    }
    const int by = WTERMSIG(status);
    return sc_fail(
        diag, SC_EIO, "%s: its process was ended by a signal (%s)%s", name, strsignal(by),
        by == SIGKILL ? "; if memory ran out, run fewer points at a time with --jobs" : "");
}

/** The pipe of child `w` has something to say, or has ended. */
static sc_err end_child(task_run *run, size_t w, sc_diag *diag)
{
    message said;
    const child ended = run->children[w];
    const ssize_t size = read(run->pipes[w].fd, &said, sizeof said);
    if (size < 0 && errno == EINTR) return SC_OK;
    close(run->pipes[w].fd);
    const int status = wait_for(ended.pid);
    run->count--;
    run->children[w] = run->children[run->count];
    run->pipes[w] = run->pipes[run->count];
    if (size != (ssize_t)sizeof said) return fail_killed(run, ended.point, status, diag);
    if (said.err) {
        if (diag) *diag = said.diag;
        return said.err;
    }
    const uint32_t map = run->task->points[ended.point].map;
    if (--run->left[map] == 0) sc__map_setup_fini(&run->grounds[map]);
    run->done++;
    show_progress(run);
    return SC_OK;
}

static sc_err end_some(task_run *run, sc_diag *diag)
{
    sc_err err = SC_OK;
    if (poll(run->pipes, run->count, LOOK_MS) <= 0) return SC_OK;
    // From the back: a child that has ended is replaced by the last.
    for (size_t w = run->count; w > 0 && !err; w--) {
        if (run->pipes[w - 1].revents) err = end_child(run, w - 1, diag);
    }
    return err;
}

static void stop_all(task_run *run)
{
    for (size_t w = 0; w < run->count; w++) {
        kill(run->children[w].pid, SIGTERM);
    }
    for (size_t w = 0; w < run->count; w++) {
        wait_for(run->children[w].pid);
        close(run->pipes[w].fd);
    }
    run->count = 0;
    sc__store_sweep(run->task->store);
}

// --- The whole ---------------------------------------------------------------------

static bool is_told_to_stop(const task_run *run)
{
    return run->task->stop && *run->task->stop;
}

static sc_err work(task_run *run, sc_diag *diag)
{
    sc_err err = SC_OK;
    show_progress(run);
    while (!err && run->done < run->task->count && !is_told_to_stop(run)) {
        err = begin_some(run, diag);
        if (!err) err = end_some(run, diag);
    }
    if (run->done == run->task->count || !is_told_to_stop(run)) return err;
    // Whatever tells us to stop may have ended processes too, which is no failure of theirs.
    return sc_fail(diag, SC_EINTERRUPTED,
                   "interrupted; %zu of %zu points are done and stored; run the same command again "
                   "to continue",
                   run->task->done_before + run->done, run->task->done_before + run->task->count);
}

sc_err sc__work(const sc__task *task, sc_diag *diag)
{
    sc_err err = SC_ENOMEM;
    task_run *run = sc_calloc(1, sizeof *run);
    if (!run) goto end;
    run->task = task;
    run->options = task->store->options;
    for (size_t i = 0; i < task->count; i++) {
        run->left[task->points[i].map]++;
    }
    run->children = sc_malloc_array(run->options->jobs, sizeof *run->children);
    run->pipes = sc_malloc_array(run->options->jobs, sizeof *run->pipes);
    if (run->children && run->pipes) {
        err = work(run, diag);
        stop_all(run);
    }
    for (size_t map = 0; map < run->options->map_count; map++) {
        sc__map_setup_fini(&run->grounds[map]);
    }
    sc_free(run->children);
    sc_free(run->pipes);
    sc_free(run);
end:
    if (err == SC_ENOMEM && diag && diag->message[0] == '\0') {
        return sc_fail_memory(diag, "running the experiment");
    }
    return err;
}
