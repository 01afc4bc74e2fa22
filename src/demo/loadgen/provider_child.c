// A process that is treated badly. See provider_child.h.
#include "demo/loadgen/faults.h"

#include "base/diag.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/** It is down, or stands still, for a part of the time between two blows on average. */
#define OUTAGE_SHARE 0.2

/** But one of so many blows lasts longer than a service usually waits for its provider (10 s), so
 * that queries fail; not by chance, since a run may have few blows. Seconds. */
enum { LONG_ONE_IN = 4 };
#define LONG_MIN_S 12.0
#define LONG_MAX_S 15.0

enum { COMMAND_MAX = 4096 };

/** In the child: only what is safe after fork() in a process with threads. */
static _Noreturn void become(const char *line, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
}

static sc_err launch(sc__provider_child *child, sc_diag *diag)
{
    // `exec`, so that the signals meet the provider itself and not a shell before it.
    char line[COMMAND_MAX];
    const int size = snprintf(line, sizeof line, "exec %s", child->command);
    if (size < 0 || size >= COMMAND_MAX) {
        return sc_fail(diag, SC_EINVAL, "the provider's command is too long");
    }
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0) {
        return sc_fail(diag, SC_EIO, "the provider cannot be started: %s", strerror(errno));
    }
    if (pid == 0) become(line, parent);
    (void)setpgid(pid, pid);
    child->pid = pid;
    child->is_stopped = false;
    return SC_OK;
}

static void kill_now(sc__provider_child *child)
{
    if (child->pid == 0) return;
    (void)kill(-child->pid, SIGKILL);
    (void)kill(child->pid, SIGKILL);
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    child->pid = 0;
    child->is_stopped = false;
}

static void continue_now(sc__provider_child *child)
{
    if (child->is_stopped) (void)kill(-child->pid, SIGCONT);
    child->is_stopped = false;
}

static void sleep_for(sc__provider_child *child, int64_t now_us, double seconds)
{
    child->next_us = now_us + (int64_t)(fmin(seconds, 1e9) * 1e6);
}

/** Any time, whose mean is known. */
static double some_time(sc_rng *rng, double mean_s)
{
    return -log(1.0 - sc_rng_unit(rng)) * mean_s;
}

static void rest(sc__provider_child *child, int64_t now_us)
{
    sleep_for(child, now_us, some_time(&child->rng, child->every_s));
}

static void strike(sc__provider_child *child, int64_t now_us)
{
    if (sc_rng_below(&child->rng, 2) == 0) {
        kill_now(child);
        child->kills++;
    } else {
        (void)kill(-child->pid, SIGSTOP);
        child->is_stopped = true;
        child->stops++;
    }
    const bool is_long = (child->kills + child->stops) % LONG_ONE_IN == 0;
    sleep_for(child, now_us,
              is_long ? LONG_MIN_S + (LONG_MAX_S - LONG_MIN_S) * sc_rng_unit(&child->rng)
                      : some_time(&child->rng, OUTAGE_SHARE * child->every_s));
}

/** One that ended by itself is started again as well, but not over and over without a pause. */
static void notice_end(sc__provider_child *child, int64_t now_us)
{
    if (child->pid == 0 || waitpid(child->pid, NULL, WNOHANG) != child->pid) return;
    child->pid = 0;
    child->is_stopped = false;
    sleep_for(child, now_us, 1.0);
}

sc_err sc__provider_child_start(sc__provider_child *child, int64_t now_us, sc_diag *diag)
{
    if (!child->command) return SC_OK;
    const sc_err err = launch(child, diag);
    if (!err) rest(child, now_us);
    return err;
}

sc_err sc__provider_child_trouble(sc__provider_child *child, int64_t now_us, sc_diag *diag)
{
    if (!child->command) return SC_OK;
    notice_end(child, now_us);
    if (now_us < child->next_us) return SC_OK;
    if (child->pid == 0) {
        rest(child, now_us);
        return launch(child, diag);
    }
    if (child->is_stopped) {
        continue_now(child);
        rest(child, now_us);
    } else {
        strike(child, now_us);
    }
    return SC_OK;
}

sc_err sc__provider_child_settle(sc__provider_child *child, int64_t now_us, sc_diag *diag)
{
    if (!child->command) return SC_OK;
    notice_end(child, now_us);
    continue_now(child);
    return child->pid == 0 ? launch(child, diag) : SC_OK;
}

void sc__provider_child_end(sc__provider_child *child)
{
    kill_now(child);
}
