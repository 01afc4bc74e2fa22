// The filter of system calls: what serving needs, and EPERM for the rest. See sandbox.h.
//
// The list is what glibc, libevent, libcurl, libpq, OpenSSL and libsodium call when they serve,
// look names up, connect, read files and start threads. Some calls pass only with certain
// arguments: memory that can be executed, processes, files opened for writing, signals to others
// are refused. Arguments that are pointers cannot be looked at by a filter, so bind() passes
// whatever the address is (looking names up needs it); but nobody can listen() at one.
//
// Names are looked up by libseccomp when the filter is made. One that this machine does not have,
// as open() on arm64, is left out.
#include "server/sandbox.h"

#include "base/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <unistd.h>

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

// --- Calls that pass whatever their arguments are ---------------------------------------

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

// --- Calls that pass with certain arguments ----------------------------------------------

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

// --- Making it ----------------------------------------------------------------------------

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

static int fill(scmp_filter_ctx filter)
{
    int error = add_calls(filter, plain_calls);
    if (!error) error = add_rules(filter, rules, COUNT_OF(rules));
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

sc_err sc_sandbox_enter(sc_diag *diag)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    if (!filter) return sc_fail(diag, SC_EIO, "cannot make a filter of system calls");
    int error = fill(filter);
    if (!error) error = seccomp_load(filter);
    seccomp_release(filter);
    if (!error) return SC_OK;
    return sc_fail(diag, SC_EIO, "the kernel does not take a filter of system calls: %s",
                   strerror(-error));
}
