// What was in a request is nowhere in this process's memory once it was forgotten, or is over.
//
// The test looks through all memory that can be written, by way of /proc/self/mem. What it looks
// for is never in one piece in its own: it is sent, and compared, through a mask.
#include "support/check.h"
#include "support/http_caller.h"
#include "support/http_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SECRET_SIZE = 24, PIECE = 1 << 16, MASK = 0x55 };

// Larger ones are the sanitizer's own.
static const size_t largest_region = (size_t)1 << 28;

/** "token-....", masked; `which` distinguishes secrets. */
static void mask_secret(unsigned char *masked, char which)
{
    for (int i = 0; i < SECRET_SIZE; i++) {
        masked[i] = (unsigned char)((i % 2 ? which : 'a' + i) ^ MASK);
    }
}

/** Say `before`, the secret, and `after`; the socket takes it byte by byte, and keeps nothing. */
static void send_secret(caller *c, const char *before, char which, const char *after)
{
    unsigned char masked[SECRET_SIZE];
    mask_secret(masked, which);
    caller_send(c, before);
    for (int i = 0; i < SECRET_SIZE; i++) {
        const char byte = (char)(masked[i] ^ MASK);
        caller_send_bytes(c, &byte, 1);
    }
    caller_send(c, after);
}

static size_t count_in(const unsigned char *bytes, size_t size, const unsigned char *masked)
{
    size_t count = 0;
    const unsigned char *end = bytes + size;
    const unsigned char *at = bytes;
    for (; (at = memchr(at, masked[0] ^ MASK, (size_t)(end - at))); at++) {
        size_t same = 0;
        while (same < SECRET_SIZE && at + same < end && at[same] == (masked[same] ^ MASK)) {
            same++;
        }
        count += same == SECRET_SIZE;
    }
    return count;
}

/** How often the secret is in the memory from `first` to `last`, which overlap lets no piece miss.
 */
static size_t count_between(int memory, size_t first, size_t last, unsigned char *room,
                            const unsigned char *masked)
{
    size_t count = 0;
    for (size_t at = first; at < last; at += PIECE - SECRET_SIZE) {
        const size_t size = last - at < PIECE ? last - at : PIECE;
        const ssize_t got = pread(memory, room, size, (off_t)at);
        if (got > 0) count += count_in(room, (size_t)got, masked);
    }
    return count;
}

static size_t count_secret(char which)
{
    unsigned char masked[SECRET_SIZE];
    mask_secret(masked, which);
    // Read into memory that is not looked through itself.
    unsigned char *room =
        mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(room != MAP_FAILED);
    const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_true(memory >= 0 && maps);
    size_t count = 0;
    char line[512];
    while (fgets(line, sizeof line, maps)) {
        char *end = NULL;
        const size_t first = strtoul(line, &end, 16);
        const size_t last = strtoul(end + 1, &end, 16);
        if (end[2] != 'w' || last - first > largest_region) continue;
        // The room may be part of a larger region: look before and behind it.
        const size_t hole = (size_t)room;
        if (first <= hole && hole < last) {
            count += count_between(memory, first, hole, room, masked);
            count += count_between(memory, hole + PIECE, last, room, masked);
        } else {
            count += count_between(memory, first, last, room, masked);
        }
    }
    fclose(maps);
    close(memory);
    munmap(room, PIECE);
    return count;
}

static void test_what_is_forgotten_is_nowhere_while_the_request_waits(void **state)
{
    (void)state;
    const sc_http_options options = server_options();
    fixture *h = server_start(&options);
    caller kept = caller_dial(server_address(h));
    send_secret(&kept, "POST /hold HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ", 'k',
                "\r\nContent-Length: 24\r\n\r\n");
    send_secret(&kept, "", 'K', "");
    caller forgotten = caller_dial(server_address(h));
    send_secret(&forgotten, "POST /forget HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ", 'f',
                "\r\nContent-Length: 24\r\n\r\n");
    send_secret(&forgotten, "", 'F', "");
    server_await(h, server_held, 2);
    assert_true(count_secret('k') > 0);  // so it would be found
    assert_true(count_secret('K') > 0);
    assert_int_equal(count_secret('f'), 0);
    assert_int_equal(count_secret('F'), 0);
    server_release(h);
    caller_receive(&kept);
    caller_receive(&forgotten);
    caller_hang_up(&kept);
    caller_hang_up(&forgotten);
    server_await_idle(h);
    server_stop(h);
}

static void test_what_is_over_is_nowhere(void **state)
{
    (void)state;
    const sc_http_options options = server_options();
    fixture *h = server_start(&options);
    caller answered = caller_dial(server_address(h));
    send_secret(&answered, "POST /now HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ", 'a',
                "\r\nContent-Length: 24\r\n\r\n");
    send_secret(&answered, "", 'A', "");
    caller_receive(&answered);
    caller chunked = caller_dial(server_address(h));
    send_secret(&chunked,
                "POST /now HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n18\r\n", 'c',
                "\r\n0\r\n\r\n");
    caller_receive(&chunked);
    caller gone = caller_dial(server_address(h));
    send_secret(&gone, "GET /hold HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ", 'g', "\r\n\r\n");
    server_await(h, server_held, 1);
    caller_hang_up(&gone);
    server_await(h, server_gone, 1);
    caller refused = caller_dial(server_address(h));
    send_secret(&refused, "GET /now HTTP/1.1\r\nAuthorization: Bearer ", 'r', "\r\n\r\n");
    caller_receive(&refused);
    assert_true(caller_is_left(&refused));
    caller_hang_up(&answered);
    caller_hang_up(&chunked);
    caller_hang_up(&refused);
    server_await_idle(h);
    for (const char *which = "aAcgr"; *which; which++) {
        assert_int_equal(count_secret(*which), 0);
    }
    server_stop(h);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_is_forgotten_is_nowhere_while_the_request_waits),
    cmocka_unit_test(test_what_is_over_is_nowhere),
};
SC_SUITE(tests)
