// Sealed streams: read by one key, whole, and unchanged.
#include "report/sealed_stream.h"

#include "support/check.h"
#include "support/oom.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

static const sc_report_key secret = {"the auditor's, and nobody else's"};

static sc_report_key public_key(void)
{
    return sc_report_key_public(SC_KEY_OPENING, &secret);
}

static bool take(void *context, const void *bytes, size_t size)
{
    return sc_bytes_append(context, bytes, size);
}

static bool take_nothing(void *context, const void *bytes, size_t size)
{
    (void)context;
    (void)bytes;
    (void)size;
    return false;
}

/** "one", "two" and a large one. */
static sc_err seal(bool has_end, sc_bytes *out, sc_bytes *plain)
{
    static char large[SC_SEAL_PIECE + 1000];
    memset(large, 'x', sizeof large);
    const sc_report_key key = public_key();
    sc_sealer *sealer = NULL;
    sc_err err = sc_sealer_new(&key, out, &sealer);
    if (!err) err = sc_sealer_put(sealer, "one", 3, false, out);
    if (!err) err = sc_sealer_put(sealer, large, sizeof large, false, out);
    if (!err) err = sc_sealer_put(sealer, "two", 3, has_end, out);
    sc_sealer_free(sealer);
    if (plain &&
        (!sc_bytes_append(plain, "one", 3) || !sc_bytes_append(plain, large, sizeof large) ||
         !sc_bytes_append(plain, "two", 3))) {
        return SC_ENOMEM;
    }
    return err;
}

static void test_the_owner_of_the_key_reads_what_was_sealed(void **state)
{
    (void)state;
    for (int has_end = 0; has_end < 2; has_end++) {
        sc_bytes sealed = {0};
        sc_bytes plain = {0};
        sc_bytes opened = {0};
        bool is_whole = false;
        CHECK_OK(seal(has_end, &sealed, &plain), NULL);
        CHECK_OK(sc_unseal(&secret, sealed.data, sealed.size, take, &opened, &is_whole), NULL);
        assert_int_equal(is_whole, has_end);
        assert_int_equal(opened.size, plain.size);
        assert_memory_equal(opened.data, plain.data, plain.size);
        assert_int_equal(
            sc_unseal(&secret, sealed.data, sealed.size, take_nothing, NULL, &is_whole), SC_EIO);
        sc_bytes_fini(&sealed);
        sc_bytes_fini(&plain);
        sc_bytes_fini(&opened);
    }
    sc_sealer_free(NULL);
}

static void test_what_is_changed_moved_added_or_cut_is_noticed(void **state)
{
    (void)state;
    const sc_report_key key = public_key();
    sc_bytes sealed = {0};
    sc_sealer *sealer = NULL;
    bool is_whole = false;
    CHECK_OK(sc_sealer_new(&key, &sealed, &sealer), NULL);
    const size_t head = sealed.size;
    CHECK_OK(sc_sealer_put(sealer, "one", 3, false, &sealed), NULL);
    const size_t piece = sealed.size - head;
    CHECK_OK(sc_sealer_put(sealer, "two", 3, true, &sealed), NULL);
    sc_sealer_free(sealer);
    for (size_t i = 0; i < sealed.size; i++) {
        sc_bytes opened = {0};
        sealed.data[i] ^= 1;
        const sc_err err = sc_unseal(&secret, sealed.data, sealed.size, take, &opened, &is_whole);
        // A size that was made larger is a stream that was cut off.
        if (!err) assert_false(is_whole);
        if (!err) assert_true(opened.size < 6);
        sealed.data[i] ^= 1;
        sc_bytes_fini(&opened);
    }
    for (size_t size = 0; size < sealed.size; size++) {
        sc_bytes opened = {0};
        const sc_err err = sc_unseal(&secret, sealed.data, size, take, &opened, &is_whole);
        assert_int_equal(err, size < head ? SC_EPARSE : SC_OK);
        assert_false(is_whole);
        assert_int_equal(opened.size, size < head + piece ? 0 : 3);
        sc_bytes_fini(&opened);
    }
    sc_bytes opened = {0};
    sc_bytes longer = {0};
    assert_true(sc_bytes_append(&longer, sealed.data, sealed.size));
    assert_true(sc_bytes_append(&longer, sealed.data + head, piece));
    assert_int_equal(sc_unseal(&secret, longer.data, longer.size, take, &opened, &is_whole),
                     SC_EBROKEN);
    longer.size = head;
    assert_true(sc_bytes_append(&longer, sealed.data + head + piece, piece));
    assert_true(sc_bytes_append(&longer, sealed.data + head, piece));
    assert_int_equal(sc_unseal(&secret, longer.data, longer.size, take, &opened, &is_whole),
                     SC_EBROKEN);
    sc_report_key other = secret;
    other.bytes[7] ^= 4;
    assert_int_equal(sc_unseal(&other, sealed.data, sealed.size, take, &opened, &is_whole),
                     SC_EBROKEN);
    sc_bytes_fini(&longer);
    sc_bytes_fini(&opened);
    sc_bytes_fini(&sealed);
}

static void test_a_key_that_seals_nothing_is_refused(void **state)
{
    (void)state;
    const sc_report_key zero = {{0}};
    sc_bytes head = {0};
    sc_sealer *sealer = NULL;
    assert_int_equal(sc_sealer_new(&zero, &head, &sealer), SC_EINVAL);
    sc_bytes_fini(&head);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    sc_bytes whole = {0};
    CHECK_OK(seal(true, &whole, NULL), NULL);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_bytes sealed = {0};
        sc_bytes opened = {0};
        bool is_whole = false;
        sc_err err = seal(true, &sealed, NULL);
        if (!err) err = sc_unseal(&secret, whole.data, whole.size, take, &opened, &is_whole);
        const bool happened = oom_happened();
        if (happened) {
            assert_true(err == SC_ENOMEM || err == SC_EIO);
        } else {
            assert_int_equal(err, SC_OK);
        }
        sc_bytes_fini(&sealed);
        sc_bytes_fini(&opened);
        if (!happened) break;
        failures++;
    }
    assert_true(failures > 3);
    sc_bytes_fini(&whole);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_owner_of_the_key_reads_what_was_sealed),
    cmocka_unit_test(test_what_is_changed_moved_added_or_cut_is_noticed),
    cmocka_unit_test(test_a_key_that_seals_nothing_is_refused),
    cmocka_unit_test(test_every_allocation_may_fail),
};
SC_SUITE(tests)
