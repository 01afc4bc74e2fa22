// The filter of system calls: what a service needs goes on, all else fails. Each test is a process
// of its own, since there is no way back.
#include "server/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "support/check.h"
#include "support/in_child.h"

static void enter(void)
{
    sc_diag diag = {""};
    const sc_err err = sc_sandbox_enter(false, &diag);
    if (err) dprintf(STDERR_FILENO, "%s\n", diag.message);
    EXPECT(err == SC_OK);
}

// --- What goes on ----------------------------------------------------------------------

static void *add_one(void *number)
{
    ++*(int *)number;
    return number;
}

static void start_threads(void)
{
    enter();
    int number = 0;
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        EXPECT(pthread_create(&thread, NULL, add_one, &number) == 0);
        EXPECT(pthread_join(thread, NULL) == 0);
    }
    EXPECT(number == 3);
}

static void read_a_file(void)
{
    enter();
    FILE *file = fopen(__FILE__, "r");
    EXPECT(file != NULL);
    char line[8];
    EXPECT(fgets(line, sizeof line, file) != NULL);
    EXPECT(memcmp(line, "// The ", 7) == 0);
    fclose(file);
    struct stat about;
    EXPECT(stat(__FILE__, &about) == 0);
    EXPECT(about.st_size > 1000);
}

static void use_memory(void)
{
    enter();
    const size_t size = 64 << 20;
    char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(pages != MAP_FAILED);
    pages[size - 1] = 'x';
    EXPECT(mprotect(pages, size, PROT_READ) == 0);
    EXPECT(madvise(pages, size, MADV_DONTNEED) == 0);
    EXPECT(munmap(pages, size) == 0);
}

static void look_up_a_name(void)
{
    enter();
    struct addrinfo *found = NULL;
    const struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
    EXPECT(getaddrinfo("localhost", "80", &wanted, &found) == 0);
    const struct sockaddr_in *address = (const void *)found->ai_addr;
    EXPECT(address->sin_addr.s_addr == htonl(INADDR_LOOPBACK));
    freeaddrinfo(found);
}

static void wait_for_events(void)
{
    enter();
    const int bell = eventfd(0, EFD_NONBLOCK);
    const int set = epoll_create1(0);
    EXPECT(bell >= 0 && set >= 0);
    struct epoll_event event = {.events = EPOLLIN};
    EXPECT(epoll_ctl(set, EPOLL_CTL_ADD, bell, &event) == 0);
    EXPECT(epoll_wait(set, &event, 1, 0) == 0);
    const uint64_t once = 1;
    EXPECT(write(bell, &once, sizeof once) == sizeof once);
    EXPECT(epoll_wait(set, &event, 1, 1000) == 1);
    struct pollfd both = {.fd = bell, .events = POLLIN};
    EXPECT(poll(&both, 1, 1000) == 1);
    nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
}

/** A socket that listens on a free port, opened before; and its address. */
static int listening;
static struct sockaddr_in place;

static void connect_and_accept(void)
{
    enter();
    const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT(client >= 0);
    EXPECT(connect(client, (const struct sockaddr *)&place, sizeof place) == 0);
    const int server = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    EXPECT(server >= 0);
    EXPECT(send(client, "hello", 5, MSG_NOSIGNAL) == 5);
    char got[8];
    EXPECT(recv(server, got, sizeof got, 0) == 5);
    EXPECT(shutdown(client, SHUT_RDWR) == 0);
}

static void test_what_serving_needs_goes_on(void **state)
{
    (void)state;
    listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    place = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof place;
    assert_int_equal(bind(listening, (const struct sockaddr *)&place, size), 0);
    assert_int_equal(listen(listening, 4), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&place, &size), 0);

    assert_int_equal(in_child(start_threads), 0);
    assert_int_equal(in_child(read_a_file), 0);
    assert_int_equal(in_child(use_memory), 0);
    assert_int_equal(in_child(look_up_a_name), 0);
    assert_int_equal(in_child(wait_for_events), 0);
    assert_int_equal(in_child(connect_and_accept), 0);
    close(listening);
}

// --- TLS -------------------------------------------------------------------------------

/** A certificate for oneself, signed by oneself. */
static SSL_CTX *serving_context(void)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    EXPECT(key && certificate);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    EXPECT(X509_set_pubkey(certificate, key) == 1);
    EXPECT(X509_sign(certificate, key, EVP_sha256()) > 0);
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    EXPECT(context != NULL);
    EXPECT(SSL_CTX_use_certificate(context, certificate) == 1);
    EXPECT(SSL_CTX_use_PrivateKey(context, key) == 1);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return context;
}

static void *echo(void *socket)
{
    SSL_CTX *context = serving_context();
    SSL *tls = SSL_new(context);
    SSL_set_fd(tls, *(int *)socket);
    char got[16];
    int size = 0;
    EXPECT(SSL_accept(tls) == 1);
    EXPECT((size = SSL_read(tls, got, sizeof got)) > 0);
    EXPECT(SSL_write(tls, got, size) == size);
    SSL_free(tls);
    SSL_CTX_free(context);
    return NULL;
}

static void speak_tls(void)
{
    enter();
    int ends[2];
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pthread_t server;
    EXPECT(pthread_create(&server, NULL, echo, &ends[1]) == 0);
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *tls = SSL_new(context);
    SSL_set_fd(tls, ends[0]);
    char got[16];
    EXPECT(SSL_connect(tls) == 1);
    EXPECT(SSL_write(tls, "hello", 5) == 5);
    EXPECT(SSL_read(tls, got, sizeof got) == 5);
    EXPECT(memcmp(got, "hello", 5) == 0);
    EXPECT(pthread_join(server, NULL) == 0);
    SSL_free(tls);
    SSL_CTX_free(context);
}

static void test_a_tls_connection_can_be_made(void **state)
{
    (void)state;
    assert_int_equal(in_child(speak_tls), 0);
}

// --- What does not ---------------------------------------------------------------------

/** It failed, and for this reason. */
#define EXPECT_DENIED(call) EXPECT((errno = 0, (call) == -1) && errno == EPERM)

static void start_programs(void)
{
    enter();
    char *const arguments[] = {(char *)(uintptr_t) "true", NULL};
    char *const nothing[] = {NULL};
    EXPECT_DENIED(execve("/bin/true", arguments, nothing));
    EXPECT_DENIED(syscall(SYS_execveat, AT_FDCWD, "/bin/true", arguments, nothing, 0));
    EXPECT_DENIED(fork());
}

static void write_files(void)
{
    // As root all of this would work otherwise.
    const char *path = "/tmp";
    enter();
    EXPECT_DENIED(open("/dev/null", O_WRONLY));
    EXPECT_DENIED(open("/dev/null", O_RDWR));
    EXPECT_DENIED(open("/dev/null", O_RDONLY | O_TRUNC));
    EXPECT_DENIED(open("/tmp/starcloak-nowhere", SC_SANDBOX_APPENDS, 0600));
    EXPECT_DENIED(open("/tmp/starcloak-nowhere", O_RDONLY | O_CREAT, 0600));
    EXPECT_DENIED(open(path, O_TMPFILE | O_RDWR, 0600));
    EXPECT_DENIED(creat("/tmp/starcloak-nowhere", 0600));
    EXPECT_DENIED(mkdir("/tmp/starcloak-nowhere", 0700));
    EXPECT_DENIED(unlink("/tmp/starcloak-nowhere"));
    EXPECT_DENIED(rename("/tmp/starcloak-nowhere", "/tmp/starcloak-elsewhere"));
    EXPECT_DENIED(symlink("/tmp", "/tmp/starcloak-nowhere"));
    EXPECT_DENIED(chmod(path, 0777));
    EXPECT_DENIED(chown(path, 0, 0));
    EXPECT_DENIED(truncate("/tmp/starcloak-nowhere", 0));
    EXPECT_DENIED(mount("none", path, "tmpfs", 0, NULL));
    EXPECT_DENIED(chroot(path));
}

/** Where a service keeps a file that it appends to, and nothing else is written. */
static void append_to_files(void)
{
    char path[] = "/tmp/starcloak-append-XXXXXX";
    const int made = mkstemp(path);
    EXPECT(made >= 0);
    sc_diag diag = {""};
    EXPECT(sc_sandbox_enter(true, &diag) == SC_OK);
    const int fd = open(path, SC_SANDBOX_APPENDS, 0600);
    EXPECT(fd >= 0);
    EXPECT(write(fd, "line\n", 5) == 5);
    char last = 0;
    EXPECT(pread(fd, &last, 1, 4) == 1);
    EXPECT(last == '\n');
    EXPECT_DENIED(open(path, O_RDWR));
    EXPECT_DENIED(open(path, O_WRONLY | O_APPEND));
    EXPECT_DENIED(open(path, SC_SANDBOX_APPENDS | O_TRUNC, 0600));
    EXPECT_DENIED(open(path, SC_SANDBOX_APPENDS & ~O_APPEND, 0600));
    EXPECT_DENIED(open(path, SC_SANDBOX_APPENDS & ~O_NOFOLLOW, 0600));
    EXPECT_DENIED(unlink(path));
}

static void run_data_as_code(void)
{
    const size_t size = 4096;
    char *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    enter();
    EXPECT(mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
           MAP_FAILED);
    EXPECT(errno == EPERM);
    EXPECT_DENIED(mprotect(page, size, PROT_READ | PROT_EXEC));
    EXPECT_DENIED(syscall(SYS_pkey_mprotect, page, size, PROT_EXEC, -1));
    EXPECT_DENIED(syscall(SYS_memfd_create, "code", 0));
}

static void touch_others(void)
{
    enter();
    EXPECT_DENIED(kill(getppid(), 0));
    EXPECT_DENIED(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
    EXPECT_DENIED(syscall(SYS_process_vm_writev, getppid(), NULL, 0, NULL, 0, 0));
    EXPECT_DENIED(syscall(SYS_pidfd_open, getppid(), 0));
    EXPECT_DENIED(syscall(SYS_bpf, 0, NULL, 0));
    EXPECT_DENIED(syscall(SYS_io_uring_setup, 1, NULL));
    EXPECT_DENIED(syscall(SYS_keyctl, 0, 0, 0, 0, 0));
    EXPECT_DENIED(setuid(getuid()));
    const struct rlimit limit = {.rlim_cur = 0, .rlim_max = 0};
    EXPECT_DENIED(setrlimit(RLIMIT_CORE, &limit));
    EXPECT_DENIED(syscall(SYS_unshare, 0x10000000 /* a new user namespace */));
}

static void listen_elsewhere(void)
{
    enter();
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT(fd >= 0);
    EXPECT_DENIED(listen(fd, 1));
    EXPECT_DENIED(socket(AF_PACKET, SOCK_RAW, 0));
    EXPECT_DENIED(socket(AF_VSOCK, SOCK_STREAM, 0));
}

static void test_what_it_does_not_need_is_denied(void **state)
{
    (void)state;
    assert_int_equal(in_child(start_programs), 0);
    assert_int_equal(in_child(write_files), 0);
    assert_int_equal(in_child(append_to_files), 0);
    assert_int_equal(in_child(run_data_as_code), 0);
    assert_int_equal(in_child(touch_others), 0);
    assert_int_equal(in_child(listen_elsewhere), 0);
}

// --- Threads, and the end --------------------------------------------------------------

static void *write_when_told(void *ends)
{
    char word;
    EXPECT(read(*(int *)ends, &word, 1) == 1);
    EXPECT_DENIED(open("/dev/null", O_WRONLY));
    return NULL;
}

static void start_a_thread_before(void)
{
    int ends[2];
    EXPECT(pipe(ends) == 0);
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, write_when_told, ends) == 0);
    enter();
    EXPECT(write(ends[1], "x", 1) == 1);
    EXPECT(pthread_join(thread, NULL) == 0);
}

static void test_threads_that_were_there_before_are_filtered_too(void **state)
{
    (void)state;
    assert_int_equal(in_child(start_a_thread_before), 0);
}

/** All that a service gives up, and then the end. */
static void end_with_three(void)
{
    EXPECT(sc_sandbox_no_dumps(NULL) == SC_OK);
    EXPECT(sc_sandbox_become(NULL, NULL) == SC_OK);
    enter();
    exit(3);
}

static void end_with_abort(void)
{
    enter();
    signal(SIGABRT, SIG_DFL);
    abort();
}

// With the address sanitizer, ending is where it looks for leaks.
static void test_a_process_can_end_as_usual(void **state)
{
    (void)state;
    assert_int_equal(in_child(end_with_three), 3);
    assert_int_equal(in_child(end_with_abort), -SIGABRT);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_serving_needs_goes_on),
    cmocka_unit_test(test_a_tls_connection_can_be_made),
    cmocka_unit_test(test_what_it_does_not_need_is_denied),
    cmocka_unit_test(test_threads_that_were_there_before_are_filtered_too),
    cmocka_unit_test(test_a_process_can_end_as_usual),
};
SC_SUITE(tests)
