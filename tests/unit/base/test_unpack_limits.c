// A packed file may be meant to fill memory: what it unpacks to, and what the
// unpacking itself takes, is limited, and the refusal says what to do.
#include "base/alloc.h"
#include "base/unpack.h"
#include "support/check.h"

#include <lzma.h>
#include <zlib.h>

enum { MIB = 1 << 20 };

/** Packed zeros. */
typedef struct bomb {
    uint8_t *bytes;
    size_t size;
} bomb;

static bomb xz_zeros(size_t mebibytes)
{
    bomb b = {.bytes = test_take(1, MIB)};
    uint8_t *zeros = test_take(1, MIB);
    lzma_stream stream = LZMA_STREAM_INIT;
    assert_int_equal(lzma_easy_encoder(&stream, 0, LZMA_CHECK_CRC32), LZMA_OK);
    stream.next_out = b.bytes;
    stream.avail_out = MIB;
    for (size_t i = 0; i < mebibytes; i++) {
        stream.next_in = zeros;
        stream.avail_in = MIB;
        while (stream.avail_in > 0) {
            assert_int_equal(lzma_code(&stream, LZMA_RUN), LZMA_OK);
        }
    }
    assert_int_equal(lzma_code(&stream, LZMA_FINISH), LZMA_STREAM_END);
    b.size = MIB - stream.avail_out;
    lzma_end(&stream);
    free(zeros);
    return b;
}

static bomb gzip_zeros(size_t mebibytes)
{
    bomb b = {.bytes = test_take(1, MIB)};
    uint8_t *zeros = test_take(1, MIB);
    z_stream stream = {.next_out = b.bytes, .avail_out = MIB};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    for (size_t i = 0; i < mebibytes; i++) {
        stream.next_in = zeros;
        stream.avail_in = MIB;
        assert_int_equal(deflate(&stream, Z_NO_FLUSH), Z_OK);
        assert_int_equal(stream.avail_in, 0);
    }
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    b.size = MIB - stream.avail_out;
    deflateEnd(&stream);
    free(zeros);
    return b;
}

static void check_bomb(bomb b, const char *name, const char *message)
{
    const sc_input input = {name, b.bytes, b.size};
    void *memory = NULL;
    size_t size = 0;
    sc_diag diag = {""};
    assert_true(sc_unpack_needed(&input));
    assert_int_equal(sc_unpack(&input, &memory, &size, &diag), SC_ELIMIT);
    assert_string_equal(diag.message, message);
    assert_null(memory);
    free(b.bytes);
}

static void test_what_unpacks_to_far_more_than_any_map_is_refused(void **state)
{
    (void)state;
    check_bomb(xz_zeros(257), "a.gr.xz",
               "a.gr.xz: unpacks to more than 268435456 bytes; if that is right, unpack it first");
    check_bomb(gzip_zeros(257), "a.gr.gz",
               "a.gr.gz: unpacks to more than 268435456 bytes; if that is right, unpack it first");
}

static void test_a_small_file_may_grow_a_thousandfold(void **state)
{
    (void)state;
    bomb b = xz_zeros(20);
    assert_true(b.size < 20 * MIB / 1000);
    const sc_input input = {"a.gr.xz", b.bytes, b.size};
    void *memory = NULL;
    size_t size = 0;
    sc_diag diag = {""};
    CHECK_OK(sc_unpack(&input, &memory, &size, &diag), &diag);
    assert_int_equal(size, 20 * MIB);
    sc_free(memory);
    free(b.bytes);
}

static void test_a_dictionary_that_takes_gigabytes_is_refused(void **state)
{
    (void)state;
    // One line of text, packed with xz --lzma2=dict=1536MiB.
    static const uint8_t packed[] = {
        0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02,
        0x00, 0x21, 0x01, 0x25, 0x00, 0x00, 0x00, 0x3b, 0x78, 0x7b, 0x41, 0x01, 0x00,
        0x07, 0x61, 0x20, 0x31, 0x20, 0x32, 0x20, 0x33, 0x0a, 0x00, 0xa2, 0xb1, 0xeb,
        0x02, 0x80, 0x9b, 0x08, 0x1f, 0x00, 0x01, 0x20, 0x08, 0xbb, 0x19, 0xd9, 0xbb,
        0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a};
    bomb b = {.bytes = test_take(1, sizeof packed), .size = sizeof packed};
    memcpy(b.bytes, packed, sizeof packed);
    check_bomb(b, "a.gr.xz",
               "a.gr.xz: takes 1536 MiB of memory to unpack; unpack it with xz first");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_unpacks_to_far_more_than_any_map_is_refused),
    cmocka_unit_test(test_a_small_file_may_grow_a_thousandfold),
    cmocka_unit_test(test_a_dictionary_that_takes_gigabytes_is_refused),
};
SC_SUITE(tests)
