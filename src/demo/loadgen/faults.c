// Faults: what chaos does to queries, and to a provider that was started here.
//
// Each faulty query has one fault, drawn when it begins. A client is allowed to do all of this, and
// none of it may affect another client: that is what is tested.
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

/** Of ten faulty queries, so many have each fault. */
static const unsigned char faults[10] = {
    SC__FAULT_LEAVE, SC__FAULT_LEAVE,       SC__FAULT_FLOOD,       SC__FAULT_RESET,
    SC__FAULT_RESET, SC__FAULT_NOT_READING, SC__FAULT_NOT_READING, SC__FAULT_PARTIAL,
    SC__FAULT_SLOW,  SC__FAULT_GARBAGE,
};

/** How long they take over it, seconds. */
#define NOT_READING_MAX_S 5.0
#define PARTIAL_MAX_S 15.0  // more than a service waits for a request
#define STRAY_S 5.0
#define SLOW_STEP_S 0.01  // between two pieces

/** Pieces of a request that drips: four seconds in all. */
enum { SLOW_STEPS = 400, GARBAGE_KINDS = 12, GARBAGE_BYTES = 40000 };

sc__fault sc__fault_draw(sc__client_group *group)
{
    if (sc_rng_unit(&group->rng) >= group->options->chaos.share) return SC__FAULT_NONE;
    return (sc__fault)faults[sc_rng_below(&group->rng, sizeof faults)];
}

static void wake_after(sc__client_group *group, uint32_t who, double seconds)
{
    group->wakes_us[who] = group->now_us + (int64_t)(seconds * 1e6);
}

// --- Nonsense -------------------------------------------------------------------

static size_t fill(char *out, char c, size_t size)
{
    memset(out, c, size);
    return size;
}

static size_t put_noise(sc__client_group *group)
{
    const size_t size = 1 + sc_rng_below(&group->rng, 2000);
    for (size_t i = 0; i < size; i++) {
        group->text[i] = (char)sc_rng_next(&group->rng);
    }
    return size;
}

static size_t put_text(sc__client_group *group, const char *text)
{
    const size_t size = strlen(text);
    memcpy(group->text, text, size);
    return size;
}

/** A header that never ends. */
static size_t put_long_header(sc__client_group *group)
{
    size_t size = put_text(group, "POST /v1/queries HTTP/1.1\r\nHost: x\r\nX-Long: ");
    size += fill(group->text + size, 'x', GARBAGE_BYTES);
    memcpy(group->text + size, "\r\n\r\n", 4);
    return size + 4;
}

/** Lists in lists in lists. */
static size_t put_deep_body(sc__client_group *group, const char *token)
{
    char *body = group->bytes;  // not in use while this is written
    const size_t size = fill(body, '[', GARBAGE_BYTES / 2);
    return sc__request_writer_post(group->shared->writer, token, body, size, group->text);
}

static size_t put_garbage(sc__client_group *group, uint32_t who)
{
    static const char no_json[] = "{\"position\": {]";
    static const char no_number[] = "{\"position\":{\"lon\":1e999,\"lat\":NaN}}";
    static const char unknown[] = "{\"where\":\"here\"}";
    const char *token = sc_tokens_at(group->options->tokens, group->first + who);
    const sc__request_writer *writer = group->shared->writer;
    switch (sc_rng_below(&group->rng, GARBAGE_KINDS)) {
    case 0:
        return put_long_header(group);
    case 1:
        return sc__request_writer_post(writer, token, no_json, sizeof no_json - 1, group->text);
    case 2:
        return sc__request_writer_post(writer, token, no_number, sizeof no_number - 1, group->text);
    case 3:
        return sc__request_writer_post(writer, token, unknown, sizeof unknown - 1, group->text);
    case 4:
        return sc__request_writer_post(writer, "sct1_nobody", "{}", 2, group->text);
    case 5:
        return put_deep_body(group, token);
    case 6:
        return put_text(group,
                        "POST /v1/queries HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n{}");
    case 7:
        return put_text(group, "POST /v1/queries HTTP/1.1\r\nHost: x\r\n"
                               "Content-Length: 1000000000\r\n\r\n{}");
    case 8:
        return put_text(group, "POST /v1/queries HTTP/1.1\r\nHost: x\r\n"
                               "Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n");
    case 9:
        return put_text(group, "BREW /v1/queries HTTP/1.1\r\nHost: x\r\n\r\n");
    case 10:
        return put_text(group, "GET /../../v1/../secret HTTP/1.1\r\nHost: x\r\n\r\n");
    default:
        return put_noise(group);
    }
}

// --- Too much and too slow -------------------------------------------------------------------

/** Behind a request: the beginning of another, which never ends. It is no query, so that the
 * service's counts do not have it. A service that reads on only when it has replied would not see
 * its client go behind so much. */
static size_t put_flood(char *out)
{
    static const char begun[] = "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ";
    const size_t size = sizeof begun - 1;
    memcpy(out, begun, size);
    return size + fill(out + size, 'x', SC__FLOOD_SIZE - size);
}

size_t sc__fault_write_request(sc__client_group *group, uint32_t who)
{
    const sc__client *client = &group->clients[who];
    if (client->fault == SC__FAULT_GARBAGE) return put_garbage(group, who);
    const char *token = sc_tokens_at(group->options->tokens, group->first + who);
    const size_t size =
        sc__request_writer_query(group->shared->writer, token, &client->question, group->text);
    return client->fault == SC__FAULT_FLOOD ? size + put_flood(group->text + size) : size;
}

void sc__fault_send(sc__client_group *group, uint32_t who)
{
    const sc__client *client = &group->clients[who];
    if (client->fault == SC__FAULT_SLOW) {
        wake_after(group, who, SLOW_STEP_S);
        return;
    }
    // At least a byte is missing, and at least one is there.
    const uint32_t most = (uint32_t)client->rest_size - 1;
    wake_after(group, who, PARTIAL_MAX_S * sc_rng_unit(&group->rng));
    sc__client_send(group, who, 1 + sc_rng_below(&group->rng, most));
}

static void send_slowly(sc__client_group *group, uint32_t who)
{
    const sc__client *client = &group->clients[who];
    wake_after(group, who, SLOW_STEP_S);
    sc__client_send(group, who, (client->rest_size + SLOW_STEPS - 1) / SLOW_STEPS);
}

void sc__fault_wait(sc__client_group *group, uint32_t who)
{
    sc__client *client = &group->clients[who];
    const double max_wait_s = (double)client->question.profile.max_wait_us * 1e-6;
    switch (client->fault) {
    case SC__FAULT_LEAVE:
    case SC__FAULT_RESET:
    case SC__FAULT_FLOOD:
        // Many leave early, some just before the end, and a few stay for the reply after all.
        wake_after(group, who, -log(1.0 - sc_rng_unit(&group->rng)) * max_wait_s * 0.4);
        break;
    case SC__FAULT_NOT_READING:
        client->is_not_reading = true;
        wake_after(group, who, NOT_READING_MAX_S * sc_rng_unit(&group->rng));
        break;
    case SC__FAULT_GARBAGE:
        wake_after(group, who, STRAY_S);
        break;
    default:
        break;
    }
}

/** It reads again, and may wait as long as other clients. */
static void read_again(sc__client_group *group, uint32_t who)
{
    sc__client *client = &group->clients[who];
    client->is_not_reading = false;
    const int64_t patience_us = (int64_t)(group->options->patience_s * 1e6);
    group->wakes_us[who] = client->sent_us + client->question.profile.max_wait_us + patience_us;
    sc__client_ready(group, who);
}

static bool is_about_to_leave(sc__fault fault)
{
    return fault == SC__FAULT_LEAVE || fault == SC__FAULT_RESET || fault == SC__FAULT_FLOOD ||
           fault == SC__FAULT_PARTIAL || fault == SC__FAULT_GARBAGE;
}

static void leave(sc__client_group *group, uint32_t who, bool is_reset, const char *word)
{
    sc__client_close(group, who, is_reset);
    sc__client_end(group, who, SC_LOAD_LEFT, 0, word);
}

void sc__fault_timeout(sc__client_group *group, uint32_t who)
{
    const sc__client *client = &group->clients[who];
    const bool is_sending = client->stage == SC__CLIENT_SENDING;
    if (is_sending && client->fault == SC__FAULT_SLOW) {
        send_slowly(group, who);
    } else if (client->fault == SC__FAULT_LEAVE) {
        leave(group, who, false, "left");
    } else if (client->fault == SC__FAULT_RESET) {
        leave(group, who, true, "reset");
    } else if (client->fault == SC__FAULT_FLOOD) {
        leave(group, who, false, "flood");
    } else if (client->fault == SC__FAULT_PARTIAL) {
        leave(group, who, false, "half");
    } else if (client->fault == SC__FAULT_GARBAGE) {
        leave(group, who, false, "nonsense");
    } else if (client->fault == SC__FAULT_NOT_READING && client->is_not_reading) {
        read_again(group, who);
    } else {
        sc__client_lose(group, who, SC_VIOLATION_OVERDUE, "no reply, long after the deadline");
    }
}

void sc__fault_finish(sc__client_group *group)
{
    for (uint32_t who = 0; who < group->count; who++) {
        const sc__client *client = &group->clients[who];
        const bool is_sending = client->stage == SC__CLIENT_SENDING;
        if (is_sending && client->fault == SC__FAULT_SLOW) {
            sc__client_send(group, who, SIZE_MAX);
        } else if ((is_sending || client->stage == SC__CLIENT_WAITING) &&
                   (client->is_not_reading || is_about_to_leave(client->fault))) {
            group->wakes_us[who] = group->now_us;
        }
    }
}

// === The provider ===============================================================================

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
