// Privacy reports: summed over gateways, rounded, signed; whatever is changed is noticed.
#include "report/signed_report.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FIRST_DAY = 20775 };

static const sc_report_key secret = {"0123456789abcdef0123456789abcde"};

static sc_report_key public_key(void)
{
    return sc_report_key_public(SC_KEY_SIGNING, &secret);
}

/** Logs of two gateways: three days at the first, the last two of them at the second as well. */
typedef struct logs {
    sc_report_day first[3];
    sc_report_day second[3];
    sc_report_days days[2];
} logs;

static void fill(logs *l)
{
    *l = (logs){.days = {{.id = 1, .days = l->first, .count = 3},
                         {.id = 2, .days = l->second, .count = 3, .damaged = 1}}};
    for (int i = 0; i < 3; i++) {
        l->first[i].day = FIRST_DAY + 2 - i;
        l->first[i].counts.of[SC_REPORT_ANSWERED] = 8;
        // The last one stands twice, as after damage.
        l->second[i].day = FIRST_DAY + (i < 2 ? 1 : 2);
        l->second[i].counts.of[SC_REPORT_ANSWERED] = 9;
        l->second[i].counts.of[SC_COUNTS - 1] = 1;
    }
}

static sc_privacy_report made(int64_t from, int64_t to)
{
    logs l;
    fill(&l);
    sc_privacy_report report = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_privacy_report_make(l.days, 2, from, to, &report, &diag), &diag);
    return report;
}

static void test_days_and_gateways_are_summed_before_they_are_rounded(void **state)
{
    (void)state;
    sc_privacy_report report = made(0, INT64_MAX);
    assert_int_equal(report.gateways, 2);
    assert_int_equal(report.damaged, 1);
    assert_int_equal(report.count, 3);
    static const uint64_t answered[] = {0, 20, 10};  // 8; 8 + 9 + 9; 8 + 9
    static const uint64_t below[] = {0, 2, 1};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(report.days[i].day, FIRST_DAY + (int)i);
        assert_int_equal(report.days[i].counts.of[SC_REPORT_ANSWERED], answered[i]);
        assert_int_equal(report.days[i].counts.of[SC_COUNTS - 1], below[i]);  // exact
    }
    assert_int_equal(report.all.of[SC_REPORT_ANSWERED], 50);  // 51
    assert_int_equal(report.all.of[SC_COUNTS - 1], 3);
    sc_privacy_report_fini(&report);
    report = made(FIRST_DAY + 1, FIRST_DAY + 1);
    assert_int_equal(report.count, 1);
    assert_int_equal(report.all.of[SC_REPORT_ANSWERED], 20);
    sc_privacy_report_fini(&report);
    report = made(FIRST_DAY + 9, FIRST_DAY + 9);
    assert_int_equal(report.count, 0);
    sc_privacy_report_fini(&report);
}

static void test_a_log_counts_once(void **state)
{
    (void)state;
    logs l;
    fill(&l);
    l.days[1].id = l.days[0].id;
    sc_privacy_report report = {0};
    sc_diag diag = {""};
    CHECK_REFUSED(sc_privacy_report_make(l.days, 2, 0, INT64_MAX, &report, &diag), SC_EDUPLICATE,
                  &diag, "log 1 and log 2 are the same");
}

static sc_bytes signed_text(void)
{
    sc_privacy_report report = made(0, INT64_MAX);
    sc_bytes text = {0};
    CHECK_OK(sc_privacy_report_sign(&report, &secret, &text), NULL);
    sc_privacy_report_fini(&report);
    return text;
}

static sc_err verify(const void *bytes, size_t size, const sc_report_key *key, sc_diag *diag)
{
    sc_privacy_report report = {0};
    const sc_err err = sc_privacy_report_verify("r", bytes, size, key, &report, diag);
    sc_privacy_report_fini(&report);
    return err;
}

static void test_a_signed_report_is_read_as_it_was_made(void **state)
{
    (void)state;
    sc_bytes text = signed_text();
    const sc_report_key key = public_key();
    sc_privacy_report wanted = made(0, INT64_MAX);
    sc_privacy_report report = {0};
    sc_diag diag = {""};
    CHECK_OK(
        sc_privacy_report_verify("r", (const char *)text.data, text.size, &key, &report, &diag),
        &diag);
    assert_int_equal(report.gateways, wanted.gateways);
    assert_int_equal(report.damaged, wanted.damaged);
    assert_int_equal(report.count, wanted.count);
    assert_memory_equal(report.days, wanted.days, wanted.count * sizeof *wanted.days);
    assert_memory_equal(&report.all, &wanted.all, sizeof wanted.all);
    sc_privacy_report_fini(&report);
    sc_privacy_report_fini(&wanted);
    // The same report has the same bytes.
    sc_bytes again = signed_text();
    assert_int_equal(again.size, text.size);
    assert_memory_equal(again.data, text.data, text.size);
    sc_bytes_fini(&again);
    sc_bytes_fini(&text);
}

static void test_every_changed_byte_and_every_cut_is_noticed(void **state)
{
    (void)state;
    sc_bytes text = signed_text();
    const sc_report_key key = public_key();
    sc_diag diag = {""};
    CHECK_OK(verify(text.data, text.size, &key, &diag), &diag);
    for (size_t i = 0; i < text.size - 1; i++) {
        const uint8_t was = text.data[i];
        text.data[i] = was == '0' ? '1' : '0';
        assert_int_not_equal(verify(text.data, text.size, &key, &diag), SC_OK);
        text.data[i] = was;
    }
    // Without its last line feed it is whole.
    for (size_t size = 0; size < text.size - 1; size++) {
        assert_int_not_equal(verify(text.data, size, &key, &diag), SC_OK);
    }
    CHECK_OK(verify(text.data, text.size - 1, &key, &diag), &diag);
    sc_report_key other = key;
    other.bytes[0] ^= 1;
    CHECK_REFUSED(verify(text.data, text.size, &other, &diag), SC_EBROKEN, &diag, "another key");
    sc_bytes_fini(&text);
}

/** A report in another form, with a good signature of ours. */
static sc_err verify_form(const char *from, const char *to, sc_diag *diag)
{
    sc_privacy_report report = made(0, INT64_MAX);
    sc_bytes text = {0};
    CHECK_OK(sc__privacy_report_write(&report, &text), NULL);
    sc_privacy_report_fini(&report);
    char whole[32768];
    char changed[32768];
    snprintf(whole, sizeof whole, "%.*s", (int)text.size, (const char *)text.data);
    sc_bytes_fini(&text);
    const char *at = strstr(whole, from);
    assert_non_null(at);
    const int size = snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - whole), whole, to,
                              at + strlen(from));
    const sc_report_key key = public_key();
    uint8_t expanded[crypto_sign_SECRETKEYBYTES];
    uint8_t ignored[crypto_sign_PUBLICKEYBYTES];
    uint8_t signature[crypto_sign_BYTES];
    char key_hex[2 * sizeof key.bytes + 1];
    char hex[2 * sizeof signature + 1];
    crypto_sign_seed_keypair(ignored, expanded, secret.bytes);
    crypto_sign_detached(signature, NULL, (const uint8_t *)changed, (unsigned long long)size,
                         expanded);
    sodium_bin2hex(hex, sizeof hex, signature, sizeof signature);
    sodium_bin2hex(key_hex, sizeof key_hex, key.bytes, sizeof key.bytes);
    char *behind = changed + size;
    const int more = snprintf(behind, (size_t)(changed + sizeof changed - behind),
                              "\n{\"key\":\"%s\",\"signature\":\"%s\"}\n", key_hex, hex);
    return verify(changed, (size_t)size + (size_t)more, &key, diag);
}

static void test_a_report_has_one_form(void **state)
{
    (void)state;
    sc_diag diag = {""};
    CHECK_OK(verify_form("\"damaged\":1", "\"damaged\":1", &diag), &diag);
    static const char *const others[][2] = {
        {"\"damaged\":1", "\"damaged\": 1"},
        {"\"damaged\":1", "\"damaged\":-1"},
        {"\"damaged\":1", "\"damaged\":1,\"note\":\"all is well\""},
        {"\"gateways\":2,\"damaged\":1", "\"damaged\":1,\"gateways\":2"},
        {"\"rounded_down_to\":10", "\"rounded_down_to\":1"},
        {"starcloak-report-1", "starcloak-report-2"},
        {"2026-11-18", "2026-11-19"},
        {"2026-11-18", "2026-11-38"},
        {"\"answered\":20", "\"answered\":-20"},
        {"\"all\":", "\"some\":"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        CHECK_REFUSED(verify_form(others[i][0], others[i][1], &diag), SC_EPARSE, &diag,
                      "not a report");
    }
}

// --- Keys ----------------------------------------------------------------------------------------

static void test_keys_are_read_as_they_were_made(void **state)
{
    (void)state;
    place p = place_new();
    for (int i = 0; i < 2; i++) {
        const sc_key_kind kind = i == 0 ? SC_KEY_SIGNING : SC_KEY_OPENING;
        const sc_key_kind other = i == 0 ? SC_KEY_OPENING : SC_KEY_SIGNING;
        const char *path = place_path(&p, i == 0 ? "sign" : "open");
        const char *public_path = place_path(&p, i == 0 ? "sign.pub" : "open.pub");
        sc_diag diag = {""};
        sc_report_key mine;
        sc_report_key published;
        CHECK_OK(sc_report_key_make(kind, path, &diag), &diag);
        struct stat about;
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_mode & 07777, 0600);
        CHECK_OK(sc_report_key_read_private(kind, path, &mine, &diag), &diag);
        CHECK_OK(sc_report_key_read_public(kind, public_path, &published, &diag), &diag);
        const sc_report_key wanted = sc_report_key_public(kind, &mine);
        assert_memory_equal(&wanted, &published, sizeof wanted);
        CHECK_REFUSED(sc_report_key_make(kind, path, &diag), SC_EIO, &diag, "never overwritten");
        CHECK_REFUSED(sc_report_key_read_private(other, path, &mine, &diag), SC_EPARSE, &diag,
                      "not a private key of the kind");
        CHECK_REFUSED(sc_report_key_read_public(kind, path, &published, &diag), SC_EPARSE, &diag,
                      "not a public key");
        CHECK_REFUSED(sc_report_key_read_private(kind, place_path(&p, "none"), &mine, &diag),
                      SC_EIO, &diag, "none");
        chmod(path, 0640);
        CHECK_REFUSED(sc_report_key_read_private(kind, path, &mine, &diag), SC_EIO, &diag,
                      "chmod 600");
    }
    place_free(&p);
}

static void test_other_texts_are_no_keys(void **state)
{
    (void)state;
    // By 'openssl genpkey -algorithm ed25519'.
    static const char good[] = "-----BEGIN PRIVATE KEY-----\n"
                               "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
                               "-----END PRIVATE KEY-----\n";
    sc_report_key key;
    assert_true(sc__report_key_parse(SC_KEY_SIGNING, true, good, sizeof good - 1, &key));
    assert_int_equal(key.bytes[0], 0xd4);
    assert_true(sc__report_key_parse(SC_KEY_SIGNING, true, good, sizeof good - 2, &key));
    for (size_t size = 0; size < sizeof good - 2; size++) {
        assert_false(sc__report_key_parse(SC_KEY_SIGNING, true, good, size, &key));
    }
    char changed[sizeof good + 2];
    for (size_t i = 0; i < 43; i++) {  // the head of the key
        memcpy(changed, good, sizeof good);
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        assert_false(sc__report_key_parse(SC_KEY_SIGNING, true, changed, sizeof good - 1, &key));
    }
    snprintf(changed, sizeof changed, "%s\n", good);
    assert_false(sc__report_key_parse(SC_KEY_SIGNING, true, changed, sizeof good, &key));
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    sc_bytes text = signed_text();
    const sc_report_key key = public_key();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        logs l;
        fill(&l);
        sc_privacy_report report = {0};
        sc_privacy_report read = {0};
        sc_bytes bytes = {0};
        sc_diag diag = {""};
        sc_err err = sc_privacy_report_make(l.days, 2, 0, INT64_MAX, &report, &diag);
        if (!err) err = sc_privacy_report_sign(&report, &secret, &bytes);
        if (!err) {
            err = sc_privacy_report_verify("r", (const char *)text.data, text.size, &key, &read,
                                           &diag);
        }
        const bool happened = oom_happened();
        assert_int_equal(err, happened ? SC_ENOMEM : SC_OK);
        sc_privacy_report_fini(&read);
        sc_privacy_report_fini(&report);
        sc_bytes_fini(&bytes);
        if (!happened) break;
        failures++;
    }
    assert_true(failures > 3);
    sc_bytes_fini(&text);
}

static int start(void **state)
{
    (void)state;
    return sodium_init() < 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_days_and_gateways_are_summed_before_they_are_rounded, start),
    cmocka_unit_test(test_a_log_counts_once),
    cmocka_unit_test(test_a_signed_report_is_read_as_it_was_made),
    cmocka_unit_test(test_every_changed_byte_and_every_cut_is_noticed),
    cmocka_unit_test(test_a_report_has_one_form),
    cmocka_unit_test(test_keys_are_read_as_they_were_made),
    cmocka_unit_test(test_other_texts_are_no_keys),
    cmocka_unit_test(test_every_allocation_may_fail),
};
SC_SUITE(tests)
