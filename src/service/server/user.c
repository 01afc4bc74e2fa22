// Becoming an ordinary user for good. See sandbox.h.
//
// glibc changes the user in all threads, not only in the one that asks, so it may be done after
// some were started.
#include "server/sandbox.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/** Enough for an entry of the user database; one that is larger is not a user of a service. */
enum { ENTRY_SIZE = 16384 };

/** Who is to serve where root has started us and nobody said who. */
static const char unprivileged[] = "nobody";

/** The whole of `text` as the number of a user; false if it is none. */
static bool read_number(const char *text, uid_t *out)
{
    if (text[0] < '0' || text[0] > '9') return false;
    char *end;
    errno = 0;
    const unsigned long number = strtoul(text, &end, 10);
    // The last one means "leave it as it is" to the kernel.
    if (errno != 0 || *end != '\0' || number >= UINT32_MAX) return false;
    *out = (uid_t)number;
    return true;
}

static sc_err find_user(const char *name, struct passwd *entry, char *room, sc_diag *diag)
{
    struct passwd *found = NULL;
    uid_t number;
    const int error = read_number(name, &number)
                          ? getpwuid_r(number, entry, room, ENTRY_SIZE, &found)
                          : getpwnam_r(name, entry, room, ENTRY_SIZE, &found);
    if (found) return SC_OK;
    const sc_quoted quoted = sc_quote(name, strlen(name));
    if (error) {
        return sc_fail(diag, SC_EIO, "cannot look up the user %s: %s", quoted.text,
                       strerror(error));
    }
    return sc_fail(diag, SC_EUNKNOWN, "there is no user %s on this machine", quoted.text);
}

sc_err sc_sandbox_user_check(const char *user, sc_diag *diag)
{
    char room[ENTRY_SIZE];
    struct passwd entry;
    return find_user(user, &entry, room, diag);
}

static sc_err change_to(const struct passwd *entry, sc_diag *diag)
{
    if (initgroups(entry->pw_name, entry->pw_gid) != 0 ||
        setresgid(entry->pw_gid, entry->pw_gid, entry->pw_gid) != 0 ||
        setresuid(entry->pw_uid, entry->pw_uid, entry->pw_uid) != 0) {
        return sc_fail(diag, SC_EIO, "cannot become the user '%s': %s", entry->pw_name,
                       strerror(errno));
    }
    // There must be no way back.
    if (entry->pw_uid != 0 && setresuid((uid_t)-1, 0, (uid_t)-1) == 0) {
        return sc_fail(diag, SC_EIO, "became the user '%s' and could become root again",
                       entry->pw_name);
    }
    // The kernel may allow dumps again when the user changes (fs.suid_dumpable).
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) {
        return sc_fail(diag, SC_EIO, "cannot close this process to debuggers: %s", strerror(errno));
    }
    return SC_OK;
}

sc_err sc_sandbox_become(const char *user, sc_diag *diag)
{
    const bool is_root = geteuid() == 0;
    if (!user) {
        if (!is_root) return SC_OK;
        user = unprivileged;
    }
    uid_t number;
    // A number need not have an entry: in a container it often has none.
    if (!is_root && read_number(user, &number) && number == geteuid()) return SC_OK;

    char *room = sc_malloc(ENTRY_SIZE);
    if (!room) return sc_fail_memory(diag, "changing the user");
    struct passwd entry;
    sc_err err = find_user(user, &entry, room, diag);
    if (!err && !is_root && entry.pw_uid != geteuid()) {
        err = sc_fail(diag, SC_EIO,
                      "only root can become another user, and this is not root; start as '%s', "
                      "or leave the user out",
                      entry.pw_name);
    } else if (!err && is_root) {
        err = change_to(&entry, diag);
    }
    sc_free(room);
    return err;
}

const char *sc_sandbox_user(char *out, size_t room)
{
    char *memory = sc_malloc(ENTRY_SIZE);
    struct passwd entry;
    struct passwd *found = NULL;
    if (memory && getpwuid_r(geteuid(), &entry, memory, ENTRY_SIZE, &found) == 0 && found) {
        snprintf(out, room, "%s", entry.pw_name);
    } else {
        snprintf(out, room, "%lu", (unsigned long)geteuid());
    }
    sc_free(memory);
    return out;
}
