// Running gnuplot. See gnuplot.h.
#include "lab/gnuplot.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// Memory with a file descriptor, or -1. Not one of the first three, should they be free: these are
// what gnuplot gets.
static int open_memory(void)
{
    const int fd = memfd_create("gnuplot", MFD_CLOEXEC);
    if (fd < 0 || fd > STDERR_FILENO) return fd;
    const int higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
    return higher;
}

FILE *sc__gnuplot_script(void)
{
    const int fd = open_memory();
    if (fd < 0) return NULL;
    FILE *script = fdopen(fd, "w+");
    if (!script) close(fd);
    return script;
}

// 0 or an errno.
static int prepare(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, int in,
                   int out, int complaints)
{
    // The caller may hold signals back that gnuplot should die of.
    sigset_t none;
    sigemptyset(&none);
    int why = posix_spawnattr_setsigmask(attributes, &none);
    if (!why) why = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK);
    if (!why) why = posix_spawn_file_actions_adddup2(actions, in, STDIN_FILENO);
    if (!why) why = posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);
    if (!why) why = posix_spawn_file_actions_adddup2(actions, complaints, STDERR_FILENO);
    return why;
}

// Start it; 0 or an errno.
static int start(int in, int out, int complaints, pid_t *child)
{
    // -d: not what ~/.gnuplot says; -: the script is the standard input.
    static const char *const arguments[] = {"gnuplot", "-d", "-", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int why = posix_spawn_file_actions_init(&actions);
    if (why) return why;
    why = posix_spawnattr_init(&attributes);
    if (!why) {
        why = prepare(&actions, &attributes, in, out, complaints);
        if (!why) {
            why = posix_spawnp(child, arguments[0], &actions, &attributes, (char *const *)arguments,
                               environ);
        }
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return why;
}

// All that is in a file of memory, with a NUL behind it.
static sc_err read_all(int fd, char **text, size_t *size, sc_diag *diag)
{
    struct stat status;
    if (fstat(fd, &status) != 0) return sc_fail(diag, SC_EIO, "gnuplot: %s", strerror(errno));
    const size_t wanted = (size_t)status.st_size;
    char *buffer = sc_malloc(wanted + 1);
    if (!buffer) return sc_fail_memory(diag, "taking the plots over");
    size_t done = 0;
    while (done < wanted) {
        const ssize_t got = pread(fd, buffer + done, wanted - done, (off_t)done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            sc_free(buffer);
            return sc_fail(diag, SC_EIO, "gnuplot: its output cannot be read");
        }
        done += (size_t)got;
    }
    buffer[done] = '\0';
    *text = buffer;
    *size = done;
    return SC_OK;
}

// Its last line that says something: what comes before it shows where in the script.
static sc_err fail_with_last_words(int complaints, sc_diag *diag)
{
    char *text = NULL;
    size_t size = 0;
    sc_err err = read_all(complaints, &text, &size, diag);
    if (err) return err;
    while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == ' ')) {
        size--;
    }
    size_t begin = size;
    while (begin > 0 && text[begin - 1] != '\n') {
        begin--;
    }
    err = sc_fail(diag, SC_EIO, "gnuplot failed: %s",
                  size > 0 ? sc_quote(text + begin, size - begin).text : "it said nothing");
    sc_free(text);
    return err;
}

static sc_err run(int in, int out, int complaints, char **text, size_t *size, sc_diag *diag)
{
    pid_t child = 0;
    const int why = start(in, out, complaints, &child);
    if (why == ENOENT || why == EACCES || why == ENOTDIR) {
        return sc_fail(diag, SC_EUNKNOWN, "gnuplot is not installed");
    }
    if (why) return sc_fail(diag, SC_EIO, "gnuplot cannot be started: %s", strerror(why));
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return sc_fail(diag, SC_EIO, "gnuplot is lost: %s", strerror(errno));
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return fail_with_last_words(complaints, diag);
    }
    return read_all(out, text, size, diag);
}

sc_err sc__gnuplot_run(FILE *script, char **text, size_t *size, sc_diag *diag)
{
    if (fflush(script) != 0 || ferror(script) || lseek(fileno(script), 0, SEEK_SET) != 0) {
        return sc_fail(diag, SC_EIO, "gnuplot: its script cannot be written: %s", strerror(errno));
    }
    sc_err err = SC_OK;
    const int out = open_memory();
    const int complaints = open_memory();
    if (out < 0 || complaints < 0) {
        err = sc_fail(diag, SC_EIO, "gnuplot: no memory for its output: %s", strerror(errno));
    } else {
        err = run(fileno(script), out, complaints, text, size, diag);
    }
    if (out >= 0) close(out);
    if (complaints >= 0) close(complaints);
    return err;
}
