/*
 * `starcloak cluster key`: a new file with the key of a cluster, for its owner alone.
 */
#include "cluster.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cluster/cluster_key.h"

typedef struct key_options {
    const char *path;
} key_options;

static error_t parse(int key, char *argument, struct argp_state *state)
{
    key_options *options = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        sc_parse_file("key file", argument, state, &options->path);
        return 0;
    case ARGP_KEY_END:
        if (!options->path) sc_usage_error(state, "no file given; name the one to make");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static sc_err fail(sc_diag *diag, const char *path, const char *why)
{
    snprintf(diag->message, sizeof diag->message, "%s: %s", path, why);
    return SC_EIO;
}

static sc_err write_new(const char *path, const char *line, sc_diag *diag)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return fail(diag, path,
                    errno == EEXIST ? "it is there already; a key is never replaced"
                                    : strerror(errno));
    }
    const size_t size = strlen(line);
    const bool is_written = write(fd, line, size) == (ssize_t)size && fsync(fd) == 0;
    const int why = errno;
    if (close(fd) == 0 && is_written) return SC_OK;
    unlink(path);
    return fail(diag, path, strerror(why));
}

static int run(sc_call *call)
{
    key_options options = {.path = NULL};
    sc_call_parse(call, &options);
    sc_diag diag = {.message = ""};
    char line[SC_CLUSTER_KEY_LINE];
    sc_err err = sc_cluster_key_make(line, &diag);
    if (!err) err = write_new(options.path, line, &diag);
    explicit_bzero(line, sizeof line);
    return err ? sc_call_fail(call, err, &diag) : SC_EXIT_OK;
}

static const sc_entry examples[] = {
    {"starcloak cluster key cluster.key", "A new key; every gateway and worker gets the same."},
    {NULL, NULL},
};

const sc_command sc_cmd_cluster_key = {
    .name = "key",
    .summary = "make the key that the processes of a cluster share",
    .arguments = "FILE",
    .complete = SC_COMPLETE_FILES,
    .description =
        "Write a new random key to a new file that only its owner may read. A file that is there "
        "is "
        "never replaced.\n"
        "The key seals what gateways and workers say to each other, and names travellers by "
        "pseudonyms that are the same at all gateways. Whoever has it can read and forge both. A "
        "new key means a new cluster: processes with different keys do not hear each other.",
    .examples = examples,
    .parse = parse,
    .run = run,
};
