// What a service process gives up before it serves: core dumps, privileges, system calls; and the
// conventions of its service manager.
#include "server/sandbox.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <linux/sockios.h>
#include <pwd.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// --- Memory and descriptors --------------------------------------------------------------------

sc_err sc_sandbox_no_dumps(sc_diag *diag)
{
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return sc_fail(diag, SC_EIO,
                       "cannot protect this process from debuggers and core dumps: %s",
                       strerror(errno));
    }
    return SC_OK;
}

size_t sc_sandbox_raise_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    const struct rlimit raised = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    // Should it not be allowed, there are as many as before.
    return (size_t)(setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur);
}

// --- Becoming an ordinary user -----------------------------------------------------------------
//
// glibc changes the user in all threads, not only in the calling one, so it may be done after some
// were started.

/** Enough for an entry of the user database; one that is larger is not a user of a service. */
enum { ENTRY_SIZE = 16384 };

/** The user to become where root has started the process and no user was given. */
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
        return sc_fail(diag, SC_EIO,
                       "this process became the user '%s' but could become root again",
                       entry->pw_name);
    }
    // The kernel may allow dumps again when the user changes (fs.suid_dumpable).
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) {
        return sc_fail(diag, SC_EIO, "cannot protect this process from debuggers: %s",
                       strerror(errno));
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
                      "only root can change to another user; start the program as '%s', or leave "
                      "out the user",
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

// --- The filter of system calls: what serving needs, and EPERM for the rest --------------------
//
// The list is what glibc, libcurl, libpq, OpenSSL and libsodium call when they serve,
// look names up, connect, read files and start threads. Some calls pass only with certain
// arguments: memory that can be executed, processes, files opened for writing, signals to others
// are refused. Arguments that are pointers cannot be looked at by a filter, so bind() passes
// for any address (looking names up needs it); but listen() is refused.
//
// Names are looked up by libseccomp when the filter is made. One that this machine does not have,
// as open() on arm64, is left out.

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif

// The leak sanitizer stops all threads at the end by a thread of its own that debugs them; builds
// with it, which are for tests, must let that pass.
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define IS_SANITIZED 1
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

// --- Calls that pass with any arguments --------------------------------------------------------

// clang-format off
/** By name, separated by blanks. */
static const char plain_calls[] =
    // bytes and waiting for them
    "read readv pread64 preadv write writev lseek close dup dup2 dup3 fcntl pipe pipe2 eventfd2 "
    "poll ppoll select pselect6 epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 "
    "timerfd_create timerfd_settime timerfd_gettime signalfd4 "
    // sockets
    "connect bind accept accept4 shutdown getsockname getpeername getsockopt setsockopt "
    "sendto recvfrom sendmsg recvmsg sendmmsg "
    // files
    "stat lstat fstat newfstatat statx access faccessat faccessat2 readlink readlinkat "
    "getdents64 getcwd "
    // memory
    "brk munmap mremap madvise mlock munlock "
    // threads and signals
    "futex set_robust_list rseq membarrier sched_yield sched_getaffinity getcpu sigaltstack "
    "rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend "
    "restart_syscall exit exit_group "
    // knowing the time, oneself, the machine; chance
    "clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time getrandom "
    "getpid getppid gettid getuid geteuid getgid getegid getresuid getresgid "
    "uname sysinfo getrusage times getrlimit";

/** More for the leak sanitizer. */
static const char sanitizer_calls[] = "wait4 prctl getdents process_vm_readv";
// clang-format on

// --- Calls that pass with certain arguments ----------------------------------------------------

/** Passes if `bits` of an argument are `value`. */
typedef struct rule {
    const char *call;
    unsigned argument;
    uint64_t bits;
    uint64_t value;
} rule;

/** All bits of an argument. */
#define ALL UINT64_MAX

static const rule rules[] = {
    // Memory is for data.
    {"mmap", 2, PROT_EXEC, 0},
    {"mprotect", 2, PROT_EXEC, 0},
    // Files are for reading.
    {"open", 1, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY},
    {"openat", 2, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY},
    // Threads, but no processes. (The leak sanitizer's shares the memory and is no thread.)
    {"clone", 0, IS_SANITIZED ? CLONE_VM : CLONE_THREAD, IS_SANITIZED ? CLONE_VM : CLONE_THREAD},
    // A loop has its own table of descriptors.
    {"unshare", 0, ALL, CLONE_FILES},
    {"socket", 0, ALL, AF_INET},
    {"socket", 0, ALL, AF_INET6},
    {"socket", 0, ALL, AF_UNIX},
    // Looking names up asks the kernel which addresses this machine has.
    {"socket", 0, ALL, AF_NETLINK},
    {"socketpair", 0, ALL, AF_UNIX},
    {"ioctl", 1, ALL, FIONREAD},
    {"ioctl", 1, ALL, FIONBIO},
    {"ioctl", 1, ALL, SIOCOUTQ},
    {"prctl", 0, ALL, PR_SET_NAME},
    {"prctl", 0, ALL, PR_GET_NAME},
    {"prctl", 0, ALL, PR_GET_DUMPABLE},
    {"prctl", 0, ALL, PR_SET_VMA},
    // Limits can be read; a new one would be the third argument.
    {"prlimit64", 2, ALL, 0},
};

// Of debugging only what the leak sanitizer needs.
static const rule sanitizer_rules[] = {
    {"ptrace", 0, ALL, PTRACE_ATTACH},    {"ptrace", 0, ALL, PTRACE_DETACH},
    {"ptrace", 0, ALL, PTRACE_CONT},      {"ptrace", 0, ALL, PTRACE_KILL},
    {"ptrace", 0, ALL, PTRACE_GETREGSET},
#ifdef __x86_64__
    {"ptrace", 0, ALL, PTRACE_GETREGS},
#endif
};

// --- Making it ---------------------------------------------------------------------------------

#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

/** Let a call pass, or fail with ENOSYS, whatever its arguments are. */
static int add_call(scmp_filter_ctx filter, uint32_t action, const char *call)
{
    const int number = seccomp_syscall_resolve_name(call);
    return number < 0 ? 0 : seccomp_rule_add_array(filter, action, number, 0, NULL);
}

static int add_calls(scmp_filter_ctx filter, const char *calls)
{
    int error = 0;
    while (*calls != '\0' && !error) {
        char call[32];
        const size_t size = strcspn(calls, " ");
        snprintf(call, sizeof call, "%.*s", (int)size, calls);
        error = add_call(filter, SCMP_ACT_ALLOW, call);
        calls += size;
        calls += strspn(calls, " ");
    }
    return error;
}

static int add_rules(scmp_filter_ctx filter, const rule *list, size_t count)
{
    int error = 0;
    for (size_t i = 0; i < count && !error; i++) {
        const int number = seccomp_syscall_resolve_name(list[i].call);
        const struct scmp_arg_cmp condition = {.arg = list[i].argument,
                                               .op = SCMP_CMP_MASKED_EQ,
                                               .datum_a = list[i].bits,
                                               .datum_b = list[i].value};
        if (number < 0) continue;
        error = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, 1, &condition);
    }
    return error;
}

/** Signals to oneself, as abort() sends them. */
static int add_own_signals(scmp_filter_ctx filter)
{
    const uint64_t own = (uint64_t)getpid();
    const rule own_signals[] = {{"tgkill", 0, ALL, own}, {"kill", 0, ALL, own}};
    return add_rules(filter, own_signals, COUNT_OF(own_signals));
}

static int fill(scmp_filter_ctx filter, bool may_append)
{
    // glibc's open() is openat().
    static const rule append = {"openat", 2, ALL, SC_SANDBOX_APPENDS};
    int error = add_calls(filter, plain_calls);
    if (!error) error = add_rules(filter, rules, COUNT_OF(rules));
    if (!error && may_append) error = add_rules(filter, &append, 1);
    if (!error) error = add_own_signals(filter);
    // Its flags are behind a pointer. glibc then uses clone(), whose flags can be looked at.
    if (!error) error = add_call(filter, SCMP_ACT_ERRNO(ENOSYS), "clone3");
    if (!error && IS_SANITIZED) error = add_calls(filter, sanitizer_calls);
    if (!error && IS_SANITIZED) {
        error = add_rules(filter, sanitizer_rules, COUNT_OF(sanitizer_rules));
    }
    // All threads; and looked up as in a tree, not one call after the other.
    if (!error) error = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    if (!error) error = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    return error;
}

sc_err sc_sandbox_enter(bool may_append, sc_diag *diag)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    if (!filter) return sc_fail(diag, SC_EIO, "cannot set up the system call filter");
    int error = fill(filter, may_append);
    if (!error) error = seccomp_load(filter);
    seccomp_release(filter);
    if (!error) return SC_OK;
    return sc_fail(diag, SC_EIO, "the kernel refuses the system call filter: %s", strerror(-error));
}

// --- The service manager -----------------------------------------------------------------------
//
// The conventions of systemd (sd_listen_fds(3), sd_notify(3)): environment variables and a socket,
// which need no library.

/** The first of the sockets that are handed over; it is the same always. */
enum { FIRST_FD = 3 };

/** The environment variable as a number from 1; 0 if it is none. */
static long number_of(const char *name)
{
    const char *text = getenv(name);
    if (!text || text[0] < '0' || text[0] > '9') return 0;
    char *end;
    errno = 0;
    const long number = strtol(text, &end, 10);
    return errno == 0 && *end == '\0' ? number : 0;
}

size_t sc_sandbox_inherited(int *first)
{
    // They are for the process of that number: a child of it may find the variables, too.
    const long count = number_of("LISTEN_PID") == (long)getpid() ? number_of("LISTEN_FDS") : 0;
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    size_t there = 0;
    while ((long)there < count) {
        const int fd = FIRST_FD + (int)there;
        const int flags = fcntl(fd, F_GETFD);
        if (flags < 0 || fcntl(fd, F_SETFD, flags | FD_CLOEXEC) < 0) break;
        there++;
    }
    if (there > 0) *first = FIRST_FD;
    return there;
}

void sc_sandbox_notify(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!path || (path[0] != '/' && path[0] != '@')) return;
    const size_t size = strlen(path);
    if (size >= sizeof address.sun_path) return;
    memcpy(address.sun_path, path, size);
    // A name that is not in the file system begins with NUL, which cannot be written so.
    if (path[0] == '@') address.sun_path[0] = '\0';

    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return;
    const socklen_t address_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
    // A manager that does not listen is no error.
    (void)!sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&address,
                  address_size);
    close(fd);
}

void sc_sandbox_notify_reloading(void)
{
    char state[64];
    snprintf(state, sizeof state, "RELOADING=1\nMONOTONIC_USEC=%" PRIi64, sc_clock_us());
    sc_sandbox_notify(state);
}
