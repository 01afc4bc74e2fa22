// Batches: what is put into one comes out of it, in order; what a stranger wrote is refused within
// bounds; what is too large for NATS goes without its reply.
#include "cluster/message_batch.h"

#include "base/alloc.h"
#include "cluster/heartbeat.h"
#include "support/check.h"

#include <string.h>
#include <zlib.h>

/** What was received, one after another. */
typedef struct received {
    char text[1 << 18];
    size_t size;
    size_t count;
} received;

static void receive(void *context, const void *bytes, size_t size)
{
    received *all = context;
    assert_true(size <= sizeof all->text - all->size);
    memcpy(all->text + all->size, bytes, size);
    all->size += size;
    all->count++;
}

static received all;

static sc_err read_batch(const void *bytes, size_t size)
{
    all.size = all.count = 0;
    return sc__batch_read(bytes, size, receive, &all);
}

static void test_messages_come_out_as_they_were_put_in(void **state)
{
    (void)state;
    sc_bytes batch = {0};
    assert_int_equal(sc__batch_add(&batch, "one", 3), SC_OK);
    assert_int_equal(sc__batch_add(&batch, "three", 5), SC_OK);
    sc__batch_close(&batch);
    assert_int_equal(batch.data[0], 1);
    assert_int_equal(read_batch(batch.data, batch.size), SC_OK);
    assert_int_equal(all.count, 2);
    assert_memory_equal(all.text, "onethree", 8);
    // Cut anywhere, it is refused or has fewer.
    for (size_t size = 0; size < batch.size; size++) {
        const sc_err err = read_batch(batch.data, size);
        assert_true(err == SC_EPARSE || (err == SC_OK && all.count == 1));
    }
    assert_int_equal(sc__batch_add(&batch, "", 0), SC_ELIMIT);
    sc__bytes_wipe(&batch);
}

static void test_a_large_batch_is_compressed_where_that_helps(void **state)
{
    (void)state;
    enum { SIZE = 100000 };
    char *text = sc_malloc(SIZE);
    assert_non_null(text);
    uint32_t random = 1;
    for (size_t i = 0; i < SIZE; i++) {
        random = random * 1664525 + 1013904223;
        text[i] = (char)('a' + (random >> 24) % 8);
    }
    sc_bytes batch = {0};
    assert_int_equal(sc__batch_add(&batch, text, SIZE), SC_OK);
    sc__batch_close(&batch);
    assert_int_equal(batch.data[0], 2);
    assert_true(batch.size < SIZE / 2);
    assert_int_equal(read_batch(batch.data, batch.size), SC_OK);
    assert_int_equal(all.count, 1);
    assert_memory_equal(all.text, text, SIZE);
    for (size_t size = 0; size < batch.size; size += 997) {
        assert_int_not_equal(read_batch(batch.data, size), SC_OK);
    }
    sc__bytes_wipe(&batch);

    for (size_t i = 0; i < SIZE; i++) {
        random = random * 1664525 + 1013904223;
        text[i] = (char)(random >> 24);
    }
    assert_int_equal(sc__batch_add(&batch, text, SIZE), SC_OK);
    sc__batch_close(&batch);
    assert_int_equal(batch.data[0], 1);
    sc__bytes_wipe(&batch);
    sc_free(text);
}

static void test_what_claims_to_grow_beyond_bounds_is_refused(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20 };
    uint8_t *zeroes = sc_calloc(SIZE, 1);
    uint8_t bomb[8192] = {2};
    assert_non_null(zeroes);
    uLongf packed = sizeof bomb - 5;
    assert_int_equal(compress2(bomb + 5, &packed, zeroes, SIZE, 9), Z_OK);
    const uint32_t sizes[] = {SIZE, UINT32_MAX, 0, 1, SIZE / 64};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (unsigned b = 0; b < 4; b++) {
            bomb[1 + b] = (uint8_t)(sizes[i] >> (8 * b));
        }
        const sc_err err = read_batch(bomb, 5 + packed);
        assert_true(err == SC_ELIMIT || err == SC_EPARSE);
        assert_int_equal(all.count, 0);
    }
    bomb[0] = 3;
    assert_int_equal(read_batch(bomb, 5 + packed), SC_EPARSE);
    assert_int_equal(read_batch(zeroes, (16 << 20) + 1), SC_ELIMIT);
    sc_free(zeroes);
}

/** Takes so much; sizes of replies are noted. */
typedef struct narrow_line {
    size_t limit;
    size_t batches;
    size_t messages;
    size_t reply_size;
} narrow_line;

static bool encode(void *context, const sc_msg *msg, sc_bytes *out)
{
    narrow_line *line = context;
    line->messages++;
    line->reply_size = msg->result->reply_size;
    sc__bytes_wipe(out);
    out->size = out->capacity = msg->result->relay_size + msg->result->reply_size;
    out->data = sc_malloc(out->size);
    assert_non_null(out->data);
    memcpy(out->data, msg->result->relay, out->size);
    return true;
}

static sc_err take(void *context, sc_peer to, const void *bytes, size_t size)
{
    (void)bytes;
    narrow_line *line = context;
    assert_int_equal(to, 5);
    if (size > line->limit) return SC_ELIMIT;
    line->batches++;
    return SC_OK;
}

static sc_msg result_of(size_t size)
{
    sc_msg msg = {.kind = SC_MSG_RESULT, .from = 1};
    uint8_t *bytes = sc_malloc(size);
    assert_non_null(bytes);
    uint32_t random = 7;
    for (size_t i = 0; i < size; i++) {
        random = random * 1664525 + 1013904223;
        bytes[i] = (uint8_t)(random >> 24);
    }
    msg.result = sc_result_new(SC_FAILURE_NONE, bytes, 10, bytes, size);
    assert_non_null(msg.result);
    sc_free(bytes);
    return msg;
}

static void test_messages_fill_batches_and_a_large_reply_is_left_out(void **state)
{
    (void)state;
    narrow_line line = {.limit = 1 << 16};
    const sc__batch_route route = {.encode = encode, .send = take, .context = &line};
    sc_msg msgs[20];
    sc_msg *list[20];
    for (size_t i = 0; i < 20; i++) {
        msgs[i] = result_of(3000);
        list[i] = &msgs[i];
    }
    sc__batch_send(&route, 5, list, 20);
    assert_int_equal(line.messages, 20);
    assert_int_equal(line.batches, 2);

    line = (narrow_line){.limit = 1 << 16};
    msgs[0] = result_of(3000);
    msgs[1] = result_of(200000);
    sc__batch_send(&route, 5, list, 2);
    assert_int_equal(line.batches, 2);
    assert_int_equal(line.messages, 3);
    assert_int_equal(line.reply_size, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_messages_come_out_as_they_were_put_in),
    cmocka_unit_test(test_a_large_batch_is_compressed_where_that_helps),
    cmocka_unit_test(test_what_claims_to_grow_beyond_bounds_is_refused),
    cmocka_unit_test(test_messages_fill_batches_and_a_large_reply_is_left_out),
};
SC_SUITE(tests)
