// Sockets that a service manager hands over, and what it is told.
#include "server/sandbox.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "support/check.h"
#include "support/in_child.h"

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
    // Nobody takes them twice.
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
    expect_none();  // and nobody says for whom
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

/** A manager that listens at an address; what it hears is compared. */
static void check_told(const struct sockaddr_un *address, socklen_t size, const char *name)
{
    const int manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(manager, (const struct sockaddr *)address, size), 0);
    assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
    sc_sandbox_notify("READY=1");
    sc_sandbox_notify("RELOADING=1\nMONOTONIC_USEC=5");
    char heard[64] = "";
    assert_int_equal(recv(manager, heard, sizeof heard, MSG_DONTWAIT), 7);
    assert_memory_equal(heard, "READY=1", 7);
    assert_int_equal(recv(manager, heard, sizeof heard, MSG_DONTWAIT), 28);
    assert_memory_equal(heard, "RELOADING=1\nMONOTONIC_USEC=5", 28);
    unsetenv("NOTIFY_SOCKET");
    sc_sandbox_notify("STOPPING=1");
    assert_int_equal(recv(manager, heard, sizeof heard, MSG_DONTWAIT), -1);
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

static void test_nobody_to_tell_is_no_failure(void **state)
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
    cmocka_unit_test(test_sockets_of_this_process_are_taken_once),
    cmocka_unit_test(test_what_is_not_meant_for_this_process_is_left_alone),
    cmocka_unit_test(test_a_manager_is_told_by_its_socket),
    cmocka_unit_test(test_nobody_to_tell_is_no_failure),
};
SC_SUITE(tests)
