// The sandbox: no core dumps and no debugger, as many descriptors as there may be; becoming an
// ordinary user; sockets that a service manager hands over, and notifications to it.
#include "server/sandbox.h"

#include "support/check.h"
#include "support/in_child.h"

#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

// --- Memory and descriptors ---------------------------------------------------------------------

static void close_to_others(void)
{
    const struct rlimit some = {.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
    (void)setrlimit(RLIMIT_CORE, &some);
    EXPECT(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1);
    sc_diag diag = {""};
    EXPECT(sc_sandbox_no_dumps(&diag) == SC_OK);
    EXPECT(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
    EXPECT(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
    struct rlimit cores;
    EXPECT(getrlimit(RLIMIT_CORE, &cores) == 0);
    EXPECT(cores.rlim_cur == 0);
    EXPECT(cores.rlim_max == 0);
    // Once more does no harm.
    EXPECT(sc_sandbox_no_dumps(NULL) == SC_OK);
}

static void test_a_process_is_closed_to_dumps_and_debuggers(void **state)
{
    (void)state;
    assert_int_equal(in_child(close_to_others), 0);
}

static void raise_descriptors(void)
{
    struct rlimit limit;
    EXPECT(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = 64;
    EXPECT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    EXPECT(sc_sandbox_raise_descriptors() == limit.rlim_max);
    struct rlimit raised;
    EXPECT(getrlimit(RLIMIT_NOFILE, &raised) == 0);
    EXPECT(raised.rlim_cur == limit.rlim_max);
}

static void test_descriptors_are_raised_to_the_hard_limit(void **state)
{
    (void)state;
    assert_int_equal(in_child(raise_descriptors), 0);
}

// --- The user, in processes of their own --------------------------------------------------------

static bool is_root(void)
{
    return geteuid() == 0;
}

static uid_t uid_of(const char *name)
{
    const struct passwd *entry = getpwnam(name);
    EXPECT(entry != NULL);
    return entry->pw_uid;
}

/** This process is `name`, in every respect, and cannot go back. */
static void expect_to_be(const char *name)
{
    const uid_t wanted = uid_of(name);
    uid_t user[3];
    gid_t group[3];
    EXPECT(getresuid(&user[0], &user[1], &user[2]) == 0);
    EXPECT(getresgid(&group[0], &group[1], &group[2]) == 0);
    for (int i = 0; i < 3; i++) {
        EXPECT(user[i] == wanted);
        EXPECT(group[i] != 0);
    }
    gid_t groups[64];
    const int count = getgroups(64, groups);
    EXPECT(count >= 0);
    for (int i = 0; i < count; i++) {
        EXPECT(groups[i] != 0);
    }
    EXPECT(setuid(0) == -1);
    EXPECT(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
    char text[64];
    EXPECT(strcmp(sc_sandbox_user(text, sizeof text), name) == 0);
}

static void become_nobody_by_default(void)
{
    sc_diag diag = {""};
    EXPECT(sc_sandbox_become(NULL, &diag) == SC_OK);
    expect_to_be("nobody");
    // Now it is no longer root: it may become the user it is already, and no other.
    EXPECT(sc_sandbox_become(NULL, &diag) == SC_OK);
    EXPECT(sc_sandbox_become("nobody", &diag) == SC_OK);
    EXPECT(sc_sandbox_become("root", &diag) == SC_EIO);
    EXPECT(strstr(diag.message, "only root") != NULL);
    EXPECT(sc_sandbox_become("0", &diag) == SC_EIO);
}

static void become_by_name(void)
{
    EXPECT(sc_sandbox_become("daemon", NULL) == SC_OK);
    expect_to_be("daemon");
}

static void become_by_number(void)
{
    char number[16];
    snprintf(number, sizeof number, "%u", (unsigned)uid_of("daemon"));
    EXPECT(sc_sandbox_become(number, NULL) == SC_OK);
    expect_to_be("daemon");
    EXPECT(sc_sandbox_become(number, NULL) == SC_OK);
}

static void *tell_user(void *user)
{
    *(uid_t *)user = geteuid();
    return NULL;
}

static void *wait_and_tell_user(void *ends)
{
    char word;
    EXPECT(read(*(int *)ends, &word, 1) == 1);
    EXPECT(geteuid() == uid_of("nobody"));
    return NULL;
}

static void become_in_all_threads(void)
{
    int ends[2];
    EXPECT(pipe(ends) == 0);
    pthread_t before;
    EXPECT(pthread_create(&before, NULL, wait_and_tell_user, ends) == 0);
    EXPECT(sc_sandbox_become("nobody", NULL) == SC_OK);
    EXPECT(write(ends[1], "x", 1) == 1);
    EXPECT(pthread_join(before, NULL) == 0);
    pthread_t after;
    uid_t user = 0;
    EXPECT(pthread_create(&after, NULL, tell_user, &user) == 0);
    EXPECT(pthread_join(after, NULL) == 0);
    EXPECT(user == uid_of("nobody"));
}

static void test_root_becomes_someone_else_for_good(void **state)
{
    (void)state;
    if (!is_root()) skip();
    assert_int_equal(in_child(become_nobody_by_default), 0);
    assert_int_equal(in_child(become_by_name), 0);
    assert_int_equal(in_child(become_by_number), 0);
}

static void test_all_threads_change_together(void **state)
{
    (void)state;
    if (!is_root()) skip();
    assert_int_equal(in_child(become_in_all_threads), 0);
}

static void test_a_user_that_does_not_exist_is_told(void **state)
{
    (void)state;
    const uid_t before = geteuid();
    sc_diag diag = {""};
    CHECK_REFUSED(sc_sandbox_become("starcloak-stranger", &diag), SC_EUNKNOWN, &diag,
                  "no user 'starcloak-stranger'");
    CHECK_REFUSED(sc_sandbox_become("4294967294", &diag), SC_EUNKNOWN, &diag, "4294967294");
    CHECK_REFUSED(sc_sandbox_become("4294967295", &diag), SC_EUNKNOWN, &diag, "4294967295");
    CHECK_REFUSED(sc_sandbox_become("", &diag), SC_EUNKNOWN, &diag, "no user ''");
    CHECK_REFUSED(sc_sandbox_become("no\nbody", &diag), SC_EUNKNOWN, &diag, "no user 'no");
    assert_null(strchr(diag.message, '\n'));
    assert_int_equal(geteuid(), before);
}

static void stay_who_one_is(void)
{
    if (is_root()) EXPECT(setuid(uid_of("nobody")) == 0);
    const uid_t before = geteuid();
    EXPECT(sc_sandbox_become(NULL, NULL) == SC_OK);
    sc_diag diag = {""};
    EXPECT(sc_sandbox_become("root", &diag) == SC_EIO);
    EXPECT(strstr(diag.message, "only root"));
    EXPECT(geteuid() == before);
}

static void test_a_process_that_is_not_root_keeps_its_user(void **state)
{
    (void)state;
    assert_int_equal(in_child(stay_who_one_is), 0);
}

// --- The service manager ------------------------------------------------------------------------

/** The environment of a process that `owner` was handed `count` sockets. */
static void set_environment(long owner, const char *count)
{
    char number[24];
    snprintf(number, sizeof number, "%ld", owner);
    EXPECT(setenv("LISTEN_PID", number, 1) == 0);
    EXPECT(setenv("LISTEN_FDS", count, 1) == 0);
    EXPECT(setenv("LISTEN_FDNAMES", "a:b", 1) == 0);
}

/** Descriptors 3 and 4 are open, and 5 is not. */
static void open_two(void)
{
    EXPECT(dup2(STDERR_FILENO, 3) == 3);
    EXPECT(dup2(STDERR_FILENO, 4) == 4);
    close(5);
}

static void expect_none(void)
{
    int first = -7;
    EXPECT(sc_sandbox_inherited(&first) == 0);
    EXPECT(first == -7);
    EXPECT(!getenv("LISTEN_PID"));
    EXPECT(!getenv("LISTEN_FDS"));
    EXPECT(!getenv("LISTEN_FDNAMES"));
}

static void take_two(void)
{
    open_two();
    set_environment(getpid(), "2");
    int first = -1;
    EXPECT(sc_sandbox_inherited(&first) == 2);
    EXPECT(first == 3);
    EXPECT(fcntl(3, F_GETFD) & FD_CLOEXEC);
    EXPECT(fcntl(4, F_GETFD) & FD_CLOEXEC);
    // They cannot be taken twice.
    expect_none();
}

static void take_those_that_are_there(void)
{
    open_two();
    set_environment(getpid(), "9223372036854775807");
    int first = -1;
    EXPECT(sc_sandbox_inherited(&first) == 2);
}

static void leave_those_of_others(void)
{
    open_two();
    set_environment(getppid(), "2");
    expect_none();
}

static void leave_nonsense(void)
{
    static const char *const nonsense[] = {
        "", "two", "-2", "2x", "0", " 2", "99999999999999999999"};
    open_two();
    for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++) {
        set_environment(getpid(), nonsense[i]);
        expect_none();
    }
    EXPECT(setenv("LISTEN_FDS", "2", 1) == 0);
    expect_none();  // without the id of a process
}

static void test_sockets_of_this_process_are_taken_once(void **state)
{
    (void)state;
    assert_int_equal(in_child(take_two), 0);
    assert_int_equal(in_child(take_those_that_are_there), 0);
}

static void test_what_is_not_meant_for_this_process_is_left_alone(void **state)
{
    (void)state;
    assert_int_equal(in_child(leave_those_of_others), 0);
    assert_int_equal(in_child(leave_nonsense), 0);
}

/** A manager that listens at an address; what it receives is compared. */
static void check_told(const struct sockaddr_un *address, socklen_t size, const char *name)
{
    const int manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(manager, (const struct sockaddr *)address, size), 0);
    assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
    sc_sandbox_notify("READY=1");
    sc_sandbox_notify("RELOADING=1\nMONOTONIC_USEC=5");
    char received[64] = "";
    assert_int_equal(recv(manager, received, sizeof received, MSG_DONTWAIT), 7);
    assert_memory_equal(received, "READY=1", 7);
    assert_int_equal(recv(manager, received, sizeof received, MSG_DONTWAIT), 28);
    assert_memory_equal(received, "RELOADING=1\nMONOTONIC_USEC=5", 28);
    unsetenv("NOTIFY_SOCKET");
    sc_sandbox_notify("STOPPING=1");
    assert_int_equal(recv(manager, received, sizeof received, MSG_DONTWAIT), -1);
    close(manager);
}

static void test_a_manager_is_told_by_its_socket(void **state)
{
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int size = snprintf(address.sun_path, sizeof address.sun_path,
                              "/tmp/starcloak-notify.%ld", (long)getpid());
    char name[sizeof address.sun_path];
    memcpy(name, address.sun_path, sizeof name);
    check_told(&address, sizeof address, name);
    unlink(name);

    // And by a name that is not in the file system.
    name[0] = '@';
    address.sun_path[0] = '\0';
    check_told(&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)size), name);
}

static void test_no_manager_to_notify_is_no_failure(void **state)
{
    (void)state;
    static const char *const names[] = {"", "relative", "/tmp/starcloak-nobody-listens", "@nobody"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(setenv("NOTIFY_SOCKET", names[i], 1), 0);
        sc_sandbox_notify("READY=1");
    }
    char long_name[512];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[0] = '/';
    long_name[sizeof long_name - 1] = '\0';
    assert_int_equal(setenv("NOTIFY_SOCKET", long_name, 1), 0);
    sc_sandbox_notify("READY=1");
    unsetenv("NOTIFY_SOCKET");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_process_is_closed_to_dumps_and_debuggers),
    cmocka_unit_test(test_descriptors_are_raised_to_the_hard_limit),
    cmocka_unit_test(test_root_becomes_someone_else_for_good),
    cmocka_unit_test(test_all_threads_change_together),
    cmocka_unit_test(test_a_user_that_does_not_exist_is_told),
    cmocka_unit_test(test_a_process_that_is_not_root_keeps_its_user),
    cmocka_unit_test(test_sockets_of_this_process_are_taken_once),
    cmocka_unit_test(test_what_is_not_meant_for_this_process_is_left_alone),
    cmocka_unit_test(test_a_manager_is_told_by_its_socket),
    cmocka_unit_test(test_no_manager_to_notify_is_no_failure),
};
SC_SUITE(tests)
