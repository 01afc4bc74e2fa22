// The privacy report: summed, rounded, written in its one form, signed, read. See signed_report.h.
#include "report/signed_report.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

static const char format_name[] = "starcloak-report-1";

enum { HEX_SIGNATURE = 2 * crypto_sign_BYTES };

_Static_assert((int)SC_REPORT_KEY_SIZE == (int)crypto_sign_PUBLICKEYBYTES, "keys have one size");

// --- Summing up ----------------------------------------------------------------------------------

static void round_down(sc_day_counts *counts)
{
    const size_t exact = sc_count_group_of(SC_COUNT_BELOW)->first;
    for (size_t i = 0; i < exact; i++) {
        counts->of[i] -= counts->of[i] % SC_REPORT_STEP;
    }
}

static int by_day(const void *a, const void *b)
{
    const int64_t x = ((const sc_report_day *)a)->day;
    const int64_t y = ((const sc_report_day *)b)->day;
    return (x > y) - (x < y);
}

/** Days that are there several times become one. */
static size_t join_days(sc_report_day *days, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && days[kept - 1].day == days[i].day) {
            sc_day_counts_add(&days[kept - 1].counts, &days[i].counts);
        } else {
            days[kept++] = days[i];
        }
    }
    return kept;
}

sc_err sc_privacy_report_make(const sc_report_days *logs, size_t count, int64_t from, int64_t to,
                              sc_privacy_report *out, sc_diag *diag)
{
    sc_privacy_report report = {.gateways = count};
    size_t room = 1;
    for (size_t i = 0; i < count; i++) {
        room += logs[i].count;
        report.damaged += logs[i].damaged;
        for (size_t j = 0; j < i; j++) {
            if (logs[j].id != logs[i].id) continue;
            return sc_fail(diag, SC_EDUPLICATE,
                           "log %zu and log %zu are the same, or copies of each other; give each "
                           "gateway's log once",
                           j + 1, i + 1);
        }
    }
    report.days = sc_calloc(room, sizeof *report.days);
    if (!report.days) return sc_fail_memory(diag, "making a report");
    for (size_t i = 0; i < count; i++) {
        for (size_t d = 0; d < logs[i].count; d++) {
            const sc_report_day *day = &logs[i].days[d];
            if (day->day >= from && day->day <= to) report.days[report.count++] = *day;
        }
    }
    qsort(report.days, report.count, sizeof *report.days, by_day);
    report.count = join_days(report.days, report.count);
    for (size_t i = 0; i < report.count; i++) {
        sc_day_counts_add(&report.all, &report.days[i].counts);
        round_down(&report.days[i].counts);
    }
    round_down(&report.all);
    *out = report;
    return SC_OK;
}

void sc_privacy_report_fini(sc_privacy_report *report)
{
    sc_free(report->days);
    *report = (sc_privacy_report){0};
}

// --- The one form --------------------------------------------------------------------------------

sc_err sc__privacy_report_write(const sc_privacy_report *report, sc_bytes *out)
{
    sc_json_writer json = sc_json_writer_of(out);
    char text[SC_DAY_TEXT_SIZE];
    sc_json_open_object(&json, NULL);
    sc_json_put_string(&json, "format", format_name);
    sc_json_put_count(&json, "rounded_down_to", SC_REPORT_STEP);
    sc_json_put_count(&json, "gateways", report->gateways);
    sc_json_put_count(&json, "damaged", report->damaged);
    sc_json_open_array(&json, "days");
    for (size_t i = 0; i < report->count; i++) {
        sc_json_open_object(&json, NULL);
        sc_json_put_string(&json, "day", sc_day_text(report->days[i].day, text));
        sc_day_counts_write(&json, "counts", &report->days[i].counts);
        sc_json_close_object(&json);
    }
    sc_json_close_array(&json);
    sc_day_counts_write(&json, "all", &report->all);
    sc_json_close_object(&json);
    return json.has_failed ? SC_ENOMEM : SC_OK;
}

static bool read_day(const sc_json_value *value, sc_report_day *out)
{
    const char *text = sc_json_text_at(sc_json_member(value, "day"));
    return text && sc_day_read(text, &out->day) &&
           sc_day_counts_read(sc_json_member(value, "counts"), &out->counts);
}

static sc_err read_report(const sc_json_value *root, sc_privacy_report *out)
{
    const sc_json_value *days = sc_json_member(root, "days");
    const sc_json_value *gateways = sc_json_member(root, "gateways");
    const sc_json_value *damaged = sc_json_member(root, "damaged");
    if (!sc_json_is_array(days) || sc_json_integer(gateways) < 0 || sc_json_integer(damaged) < 0 ||
        !sc_day_counts_read(sc_json_member(root, "all"), &out->all)) {
        return SC_EPARSE;
    }
    out->gateways = (uint64_t)sc_json_integer(gateways);
    out->damaged = (uint64_t)sc_json_integer(damaged);
    const size_t count = sc_json_size(days);
    out->days = sc_calloc(count > 0 ? count : 1, sizeof *out->days);
    if (!out->days) return SC_ENOMEM;
    for (; out->count < count; out->count++) {
        sc_report_day *day = &out->days[out->count];
        if (!read_day(sc_json_at(days, out->count), day)) return SC_EPARSE;
        if (out->count > 0 && day[-1].day >= day->day) return SC_EPARSE;
    }
    return SC_OK;
}

sc_err sc__privacy_report_read(const char *text, size_t size, sc_privacy_report *out)
{
    sc_json_tree tree;
    sc_json_error error;
    sc_err err = sc_json_tree_read(text, size, &tree, &error);
    if (err) return err;
    sc_privacy_report report = {0};
    err = read_report(tree.root, &report);
    sc_json_tree_fini(&tree);
    sc_bytes again = {0};
    if (!err) err = sc__privacy_report_write(&report, &again);
    // The form is checked as a whole: what is not written back was not in it.
    if (!err && (again.size != size || memcmp(again.data, text, size) != 0)) err = SC_EPARSE;
    sc_bytes_fini(&again);
    if (err) {
        sc_privacy_report_fini(&report);
        return err;
    }
    *out = report;
    return SC_OK;
}

// --- Signatures ----------------------------------------------------------------------------------

sc_err sc_privacy_report_sign(const sc_privacy_report *report, const sc_report_key *secret,
                              sc_bytes *out)
{
    uint8_t key[crypto_sign_PUBLICKEYBYTES];
    uint8_t expanded[crypto_sign_SECRETKEYBYTES];
    uint8_t signature[crypto_sign_BYTES];
    char hex[HEX_SIGNATURE + 1];
    const size_t from = out->size;
    const sc_err err = sc__privacy_report_write(report, out);
    if (err) return err;
    (void)crypto_sign_seed_keypair(key, expanded, secret->bytes);
    (void)crypto_sign_detached(signature, NULL, out->data + from, out->size - from, expanded);
    sodium_memzero(expanded, sizeof expanded);
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_put_text(&json, "\n");
    sc_json_open_object(&json, NULL);
    sodium_bin2hex(hex, sizeof hex, key, sizeof key);
    sc_json_put_string(&json, "key", hex);
    sodium_bin2hex(hex, sizeof hex, signature, sizeof signature);
    sc_json_put_string(&json, "signature", hex);
    sc_json_close_object(&json);
    sc_json_put_text(&json, "\n");
    return json.has_failed ? SC_ENOMEM : SC_OK;
}

/** The member of that name: so many bytes as hexadecimal digits. */
static bool read_hex(const sc_json_value *object, const char *name, uint8_t *out, size_t size)
{
    const char *text = sc_json_text_at(sc_json_member(object, name));
    size_t read = 0;
    return text && strlen(text) == 2 * size &&
           sodium_hex2bin(out, size, text, 2 * size, NULL, &read, NULL) == 0 && read == size;
}

/** What the second line has. */
static sc_err read_signature(const char *line, size_t size, uint8_t signer[SC_REPORT_KEY_SIZE],
                             uint8_t signature[crypto_sign_BYTES])
{
    sc_json_tree tree;
    sc_json_error error;
    const sc_err err = sc_json_tree_read(line, size, &tree, &error);
    if (err) return err;
    const bool is_good = sc_json_is_object(tree.root) && sc_json_size(tree.root) == 2 &&
                         read_hex(tree.root, "key", signer, SC_REPORT_KEY_SIZE) &&
                         read_hex(tree.root, "signature", signature, crypto_sign_BYTES);
    sc_json_tree_fini(&tree);
    return is_good ? SC_OK : SC_EPARSE;
}

static sc_err fail_form(const char *name, sc_err err, sc_diag *diag)
{
    if (err == SC_ENOMEM) return sc_fail_memory(diag, "reading a report");
    return sc_fail(diag, SC_EPARSE,
                   "%.400s: this is not a report of 'starcloak report sign', whole and unchanged",
                   name);
}

sc_err sc_privacy_report_verify(const char *name, const char *bytes, size_t size,
                                const sc_report_key *key, sc_privacy_report *out, sc_diag *diag)
{
    uint8_t signer[SC_REPORT_KEY_SIZE];
    uint8_t signature[crypto_sign_BYTES];
    const char *feed = size <= SC_REPORT_FILE_MAX ? memchr(bytes, '\n', size) : NULL;
    if (!feed) return fail_form(name, SC_EPARSE, diag);
    const size_t body = (size_t)(feed - bytes);
    const size_t rest = size - body - 1;
    sc_err err = read_signature(feed + 1, rest, signer, signature);
    if (err) return fail_form(name, err, diag);
    if (memcmp(signer, key->bytes, sizeof signer) != 0) {
        return sc_fail(diag, SC_EBROKEN, "%.400s: it is signed by another key", name);
    }
    if (sodium_init() < 0 ||
        crypto_sign_verify_detached(signature, (const uint8_t *)bytes, body, key->bytes) != 0) {
        return sc_fail(diag, SC_EBROKEN,
                       "%.400s: the signature does not fit: the report was changed, or another key "
                       "has signed it",
                       name);
    }
    err = sc__privacy_report_read(bytes, body, out);
    return err ? fail_form(name, err, diag) : SC_OK;
}
