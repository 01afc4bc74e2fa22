// Undoing xz and gzip: whole, in several members, cut short anywhere, with any bit
// changed. What comes out is what went in, or nothing with a reason.
#include "support/check.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "base/unpack.h"

#include <lzma.h>
#include <zlib.h>

/** Packed bytes in memory of exactly that size. */
typedef struct packed {
    uint8_t *data;
    size_t size;
} packed;

typedef packed packer(const char *text, size_t size);

static packed tight(const uint8_t *bytes, size_t size)
{
    packed p = {test_take(size, 1), size};
    memcpy(p.data, bytes, size);
    return p;
}

static packed pack_xz(const char *text, size_t size)
{
    const size_t room = lzma_stream_buffer_bound(size);
    uint8_t *bytes = test_take(room, 1);
    size_t used = 0;
    assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text, size,
                                             bytes, &used, room),
                     LZMA_OK);
    const packed p = tight(bytes, used);
    free(bytes);
    return p;
}

static packed pack_gzip(const char *text, size_t size)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    const size_t room = deflateBound(&stream, size) + 64;
    uint8_t *bytes = test_take(room, 1);
    stream.next_in = (Bytef *)(uintptr_t)text;
    stream.avail_in = (uInt)size;
    stream.next_out = bytes;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    const packed p = tight(bytes, stream.total_out);
    deflateEnd(&stream);
    free(bytes);
    return p;
}

static packer *const packers[] = {pack_xz, pack_gzip};
static const char *const damages[] = {"the xz data are damaged or cut short",
                                      "the gzip data are damaged or cut short"};

static packed joined(const packed *a, const packed *b)
{
    packed p = {test_take(a->size + b->size, 1), a->size + b->size};
    memcpy(p.data, a->data, a->size);
    memcpy(p.data + a->size, b->data, b->size);
    return p;
}

static void check_unpacks_to(const packed *p, const char *text, size_t size)
{
    const sc_input input = {"in.xz", p->data, p->size};
    void *memory = NULL;
    size_t got = 0;
    sc_diag diag = {""};
    assert_true(sc_unpack_needed(&input));
    CHECK_OK(sc_unpack(&input, &memory, &got, &diag), &diag);
    assert_int_equal(got, size);
    if (size > 0) assert_memory_equal(memory, text, size);
    sc_free(memory);
}

// Refused with a reason, and the results are untouched.
static void check_refused(const packed *p, const char *reason)
{
    const sc_input input = {"dir/in.xz", p->data, p->size};
    void *memory = NULL;
    size_t size = 4711;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_unpack(&input, &memory, &size, &diag), SC_EPARSE, &diag, reason);
    assert_int_equal(strncmp(diag.message, "dir/in.xz: byte ", 16), 0);
    assert_null(memory);
    assert_int_equal(size, 4711);
}

static const char text[] = "0 -121.904167 41.974556\n1 -121.902153 41.974766\n2 ...\n";

static void test_what_was_packed_is_unpacked(void **state)
{
    (void)state;
    // Random bytes grow when packed, zeros shrink a thousandfold: the room for the
    // result is guessed wrong in both directions.
    enum { SIZE = 300000 };
    char *noise = test_take(SIZE, 1);
    char *zeros = test_take(SIZE, 1);
    sc_rng rng;
    sc_rng_seed(&rng, 12);
    for (int i = 0; i < SIZE; i++) {
        noise[i] = (char)sc_rng_next(&rng);
    }
    for (int i = 0; i < 2; i++) {
        const struct {
            const char *text;
            size_t size;
        } contents[] = {{text, sizeof text - 1}, {"", 0}, {"x", 1}, {noise, SIZE}, {zeros, SIZE}};
        for (int c = 0; c < 5; c++) {
            packed p = packers[i](contents[c].text, contents[c].size);
            check_unpacks_to(&p, contents[c].text, contents[c].size);
            free(p.data);
        }
    }
    free(noise);
    free(zeros);
}

static void test_the_room_for_the_result_may_be_full_at_any_byte(void **state)
{
    (void)state;
    // Around the sizes at which the buffer is doubled, to the byte.
    char *zeros = test_take(40000, 1);
    for (int i = 0; i < 2; i++) {
        packed probe = packers[i](zeros, 8192);
        const size_t first = probe.size * 6 + 4096;
        free(probe.data);
        for (size_t size = first - 40; size < first + 40; size++) {
            check_case(size);
            packed p = packers[i](zeros, size);
            check_unpacks_to(&p, zeros, size);
            free(p.data);
        }
    }
    check_case_done();
    free(zeros);
}

static void test_several_members_are_unpacked_one_after_the_other(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        packed one = packers[i]("one ", 4);
        packed none = packers[i]("", 0);
        packed two = packers[i]("two", 3);
        packed begin = joined(&one, &none);
        packed all = joined(&begin, &two);
        check_unpacks_to(&all, "one two", 7);
        // Half a member more is damage.
        packed cut = {all.data, all.size - 5};
        check_refused(&cut, damages[i]);
        free(one.data);
        free(none.data);
        free(two.data);
        free(begin.data);
        free(all.data);
    }
}

static void test_data_cut_short_anywhere_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        packed p = packers[i](text, sizeof text - 1);
        for (size_t size = 0; size < p.size; size++) {
            check_case(size);
            packed cut = tight(p.data, size);
            const sc_input input = {"in", cut.data, size};
            // Too short to be recognised it is plain text, and none of our business.
            if (sc_unpack_needed(&input)) check_refused(&cut, damages[i]);
            free(cut.data);
        }
        free(p.data);
    }
    check_case_done();
}

static void test_a_changed_bit_never_changes_what_is_unpacked(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        packed p = packers[i](text, sizeof text - 1);
        for (size_t bit = 0; bit < 8 * p.size; bit++) {
            check_case(bit);
            p.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            const sc_input input = {"in", p.data, p.size};
            void *memory = NULL;
            size_t size = 0;
            sc_diag diag = {""};
            if (sc_unpack_needed(&input)) {
                const sc_err err = sc_unpack(&input, &memory, &size, &diag);
                // Only what does not concern the content (in gzip a date, or the
                // bits that fill its last byte) may change; xz notices all.
                if (!err) {
                    assert_int_equal(size, sizeof text - 1);
                    assert_memory_equal(memory, text, size);
                    assert_int_equal(i, 1);
                    sc_free(memory);
                } else {
                    assert_int_equal(err, SC_EPARSE);
                    CHECK_CONTAINS(diag.message, damages[i]);
                }
            }
            p.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        free(p.data);
    }
    check_case_done();
}

static void test_bytes_behind_the_last_member_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        packed p = packers[i](text, sizeof text - 1);
        packed rest = tight((const uint8_t *)"rest", 4);
        packed both = joined(&p, &rest);
        check_refused(&both, damages[i]);
        free(p.data);
        free(rest.data);
        free(both.data);
    }
}

static void test_plain_text_is_not_taken_for_packed(void **state)
{
    (void)state;
    static const char *const plain[] = {"", "\xfd", "\3757zX", "\x1f\x8b", "0 1 2\n", "<osm>"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        packed p = tight((const uint8_t *)plain[i], strlen(plain[i]));
        const sc_input input = {"in", p.data, p.size};
        assert_false(sc_unpack_needed(&input));
        free(p.data);
    }
}

// ------------------------------------------------------------------------------------------------
// A packed file may be meant to fill memory: what it unpacks to, and what the
// unpacking itself takes, is limited, and the refusal says what to do.

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
               "a.gr.xz: uncompresses to more than 268435456 bytes; if that is right, uncompress "
               "it first");
    check_bomb(gzip_zeros(257), "a.gr.gz",
               "a.gr.gz: uncompresses to more than 268435456 bytes; if that is right, uncompress "
               "it first");
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
    static const uint8_t large_dictionary[] = {
        0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02,
        0x00, 0x21, 0x01, 0x25, 0x00, 0x00, 0x00, 0x3b, 0x78, 0x7b, 0x41, 0x01, 0x00,
        0x07, 0x61, 0x20, 0x31, 0x20, 0x32, 0x20, 0x33, 0x0a, 0x00, 0xa2, 0xb1, 0xeb,
        0x02, 0x80, 0x9b, 0x08, 0x1f, 0x00, 0x01, 0x20, 0x08, 0xbb, 0x19, 0xd9, 0xbb,
        0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a};
    bomb b = {.bytes = test_take(1, sizeof large_dictionary), .size = sizeof large_dictionary};
    memcpy(b.bytes, large_dictionary, sizeof large_dictionary);
    check_bomb(b, "a.gr.xz",
               "a.gr.xz: needs 1536 MiB of memory to be uncompressed; uncompress it with xz first");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_was_packed_is_unpacked),
    SC_CASES(test_the_room_for_the_result_may_be_full_at_any_byte),
    cmocka_unit_test(test_several_members_are_unpacked_one_after_the_other),
    SC_CASES(test_data_cut_short_anywhere_are_refused),
    SC_CASES(test_a_changed_bit_never_changes_what_is_unpacked),
    cmocka_unit_test(test_bytes_behind_the_last_member_are_refused),
    cmocka_unit_test(test_plain_text_is_not_taken_for_packed),
    cmocka_unit_test(test_what_unpacks_to_far_more_than_any_map_is_refused),
    cmocka_unit_test(test_a_small_file_may_grow_a_thousandfold),
    cmocka_unit_test(test_a_dictionary_that_takes_gigabytes_is_refused),
};
SC_SUITE(tests)
