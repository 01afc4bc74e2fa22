// What chaos does to a call. See flock_internal.h.
//
// Each spoiled call has one fate, drawn when it begins. None of it is forbidden to a client, and
// none may cost another client anything: that is what is tested.
#include "demo/loadgen/faults.h"

#include "base/diag.h"
#include "demo/loadgen/clients.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/** Of ten spoiled calls, so many have each fate. */
static const unsigned char fates[10] = {
    SC__FATE_LEAVE, SC__FATE_LEAVE, SC__FATE_FLOOD, SC__FATE_RESET, SC__FATE_RESET,
    SC__FATE_DEAF,  SC__FATE_DEAF,  SC__FATE_HALF,  SC__FATE_DRIP,  SC__FATE_GARBAGE,
};

/** How long they take over it, seconds. */
#define DEAF_MAX_S 5.0
#define HALF_MAX_S 15.0  // more than a service waits for a request
#define STRAY_S 5.0
#define DRIP_S 0.01  // between two pieces

/** Pieces of a request that drips: four seconds in all. */
enum { DRIPS = 400, GARBAGE_KINDS = 12, GARBAGE_BYTES = 40000 };

sc__fate sc__spoil_draw(sc__flock *flock)
{
    if (sc_rng_unit(&flock->rng) >= flock->options->chaos.share) return SC__FATE_NONE;
    return (sc__fate)fates[sc_rng_below(&flock->rng, sizeof fates)];
}

static void wake_after(sc__flock *flock, uint32_t who, double seconds)
{
    flock->wakes_us[who] = flock->now_us + (int64_t)(seconds * 1e6);
}

// --- Nonsense -------------------------------------------------------------------

static size_t fill(char *out, char c, size_t size)
{
    memset(out, c, size);
    return size;
}

static size_t put_noise(sc__flock *flock)
{
    const size_t size = 1 + sc_rng_below(&flock->rng, 2000);
    for (size_t i = 0; i < size; i++) {
        flock->text[i] = (char)sc_rng_next(&flock->rng);
    }
    return size;
}

static size_t put_text(sc__flock *flock, const char *text)
{
    const size_t size = strlen(text);
    memcpy(flock->text, text, size);
    return size;
}

/** A header that never ends. */
static size_t put_long_header(sc__flock *flock)
{
    size_t size = put_text(flock, "POST /v1/queries HTTP/1.1\r\nHost: x\r\nX-Long: ");
    size += fill(flock->text + size, 'x', GARBAGE_BYTES);
    memcpy(flock->text + size, "\r\n\r\n", 4);
    return size + 4;
}

/** Lists in lists in lists. */
static size_t put_deep_body(sc__flock *flock, const char *token)
{
    char *body = flock->bytes;  // nobody reads while this is written
    const size_t size = fill(body, '[', GARBAGE_BYTES / 2);
    return sc__words_post(flock->course->words, token, body, size, flock->text);
}

static size_t put_garbage(sc__flock *flock, uint32_t who)
{
    static const char no_json[] = "{\"position\": {]";
    static const char no_number[] = "{\"position\":{\"lon\":1e999,\"lat\":NaN}}";
    static const char unknown[] = "{\"where\":\"here\"}";
    const char *token = sc_tokens_at(flock->options->tokens, flock->first + who);
    const sc__words *words = flock->course->words;
    switch (sc_rng_below(&flock->rng, GARBAGE_KINDS)) {
    case 0:
        return put_long_header(flock);
    case 1:
        return sc__words_post(words, token, no_json, sizeof no_json - 1, flock->text);
    case 2:
        return sc__words_post(words, token, no_number, sizeof no_number - 1, flock->text);
    case 3:
        return sc__words_post(words, token, unknown, sizeof unknown - 1, flock->text);
    case 4:
        return sc__words_post(words, "sct1_nobody", "{}", 2, flock->text);
    case 5:
        return put_deep_body(flock, token);
    case 6:
        return put_text(flock,
                        "POST /v1/queries HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n{}");
    case 7:
        return put_text(flock, "POST /v1/queries HTTP/1.1\r\nHost: x\r\n"
                               "Content-Length: 1000000000\r\n\r\n{}");
    case 8:
        return put_text(flock, "POST /v1/queries HTTP/1.1\r\nHost: x\r\n"
                               "Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n");
    case 9:
        return put_text(flock, "BREW /v1/queries HTTP/1.1\r\nHost: x\r\n\r\n");
    case 10:
        return put_text(flock, "GET /../../v1/../secret HTTP/1.1\r\nHost: x\r\n\r\n");
    default:
        return put_noise(flock);
    }
}

// --- Too much and too slow -------------------------------------------------------------------

/** Behind a request: the beginning of another, which never ends. It is no query, so that the
 * service's books do not have it. A service that reads on only when it has replied would not see
 * its client go behind so much. */
static size_t put_flood(char *out)
{
    static const char begun[] = "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ";
    const size_t size = sizeof begun - 1;
    memcpy(out, begun, size);
    return size + fill(out + size, 'x', SC__FLOOD_SIZE - size);
}

size_t sc__spoil_request(sc__flock *flock, uint32_t who)
{
    const sc__call *call = &flock->calls[who];
    if (call->fate == SC__FATE_GARBAGE) return put_garbage(flock, who);
    const char *token = sc_tokens_at(flock->options->tokens, flock->first + who);
    const size_t size = sc__words_query(flock->course->words, token, &call->question, flock->text);
    return call->fate == SC__FATE_FLOOD ? size + put_flood(flock->text + size) : size;
}

void sc__spoil_send(sc__flock *flock, uint32_t who)
{
    const sc__call *call = &flock->calls[who];
    if (call->fate == SC__FATE_DRIP) {
        wake_after(flock, who, DRIP_S);
        return;
    }
    // At least a byte is missing, and at least one is there.
    const uint32_t most = (uint32_t)call->rest_size - 1;
    wake_after(flock, who, HALF_MAX_S * sc_rng_unit(&flock->rng));
    sc__call_send(flock, who, 1 + sc_rng_below(&flock->rng, most));
}

static void drip(sc__flock *flock, uint32_t who)
{
    const sc__call *call = &flock->calls[who];
    wake_after(flock, who, DRIP_S);
    sc__call_send(flock, who, (call->rest_size + DRIPS - 1) / DRIPS);
}

void sc__spoil_wait(sc__flock *flock, uint32_t who)
{
    sc__call *call = &flock->calls[who];
    const double max_wait_s = (double)call->question.profile.max_wait_us * 1e-6;
    switch (call->fate) {
    case SC__FATE_LEAVE:
    case SC__FATE_RESET:
    case SC__FATE_FLOOD:
        // Many leave early, some just before the end, and a few stay for the reply after all.
        wake_after(flock, who, -log(1.0 - sc_rng_unit(&flock->rng)) * max_wait_s * 0.4);
        break;
    case SC__FATE_DEAF:
        call->is_deaf = true;
        wake_after(flock, who, DEAF_MAX_S * sc_rng_unit(&flock->rng));
        break;
    case SC__FATE_GARBAGE:
        wake_after(flock, who, STRAY_S);
        break;
    default:
        break;
    }
}

/** It listens again, and may wait as long as anybody. */
static void hear_again(sc__flock *flock, uint32_t who)
{
    sc__call *call = &flock->calls[who];
    call->is_deaf = false;
    const int64_t patience_us = (int64_t)(flock->options->patience_s * 1e6);
    flock->wakes_us[who] = call->sent_us + call->question.profile.max_wait_us + patience_us;
    sc__call_stir(flock, who);
}

static bool is_about_to_leave(sc__fate fate)
{
    return fate == SC__FATE_LEAVE || fate == SC__FATE_RESET || fate == SC__FATE_FLOOD ||
           fate == SC__FATE_HALF || fate == SC__FATE_GARBAGE;
}

static void leave(sc__flock *flock, uint32_t who, bool is_reset, const char *word)
{
    sc__call_close(flock, who, is_reset);
    sc__call_end(flock, who, SC_LOAD_LEFT, 0, word);
}

void sc__spoil_wake(sc__flock *flock, uint32_t who)
{
    const sc__call *call = &flock->calls[who];
    const bool is_sending = call->stage == SC__CALL_SENDING;
    if (is_sending && call->fate == SC__FATE_DRIP) {
        drip(flock, who);
    } else if (call->fate == SC__FATE_LEAVE) {
        leave(flock, who, false, "left");
    } else if (call->fate == SC__FATE_RESET) {
        leave(flock, who, true, "reset");
    } else if (call->fate == SC__FATE_FLOOD) {
        leave(flock, who, false, "flood");
    } else if (call->fate == SC__FATE_HALF) {
        leave(flock, who, false, "half");
    } else if (call->fate == SC__FATE_GARBAGE) {
        leave(flock, who, false, "nonsense");
    } else if (call->fate == SC__FATE_DEAF && call->is_deaf) {
        hear_again(flock, who);
    } else {
        sc__call_lose(flock, who, SC_VIOLATION_OVERDUE, "no reply, long after the deadline");
    }
}

void sc__spoil_finish(sc__flock *flock)
{
    for (uint32_t who = 0; who < flock->count; who++) {
        const sc__call *call = &flock->calls[who];
        const bool is_sending = call->stage == SC__CALL_SENDING;
        if (is_sending && call->fate == SC__FATE_DRIP) {
            sc__call_send(flock, who, SIZE_MAX);
        } else if ((is_sending || call->stage == SC__CALL_WAITING) &&
                   (call->is_deaf || is_about_to_leave(call->fate))) {
            flock->wakes_us[who] = flock->now_us;
        }
    }
}

// === A process that is treated badly ============================================================

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
