// Door: files of `starcloak report`: logs of days, signed reports, keys.
//
// The input is a letter, then bytes. `l`: slots of a report log, each up to a line feed, which are
// filled up with blanks; days that are read have counts that can be summed. `r`: the first line of
// a report; what is accepted is the same when it is written again. `s`: a whole file, which no key
// of ours has signed. `k`: a key; one that is accepted is of one kind only.
#include "door.h"

#include "report/signed_report.h"

#include <string.h>

static void try_log(const uint8_t *bytes, size_t size)
{
    enum { SLOTS = 8 };
    static char log[SLOTS * SC_REPORT_SLOT];
    size_t slots = 0;
    memset(log, ' ', sizeof log);
    for (size_t at = 0; at < size && slots < SLOTS; slots++) {
        const uint8_t *feed = memchr(bytes + at, '\n', size - at);
        const size_t line = feed ? (size_t)(feed - (bytes + at)) : size - at;
        char *slot = log + slots * SC_REPORT_SLOT;
        memcpy(slot, bytes + at, line < SC_REPORT_SLOT ? line : SC_REPORT_SLOT - 1);
        slot[SC_REPORT_SLOT - 1] = '\n';
        at += line + 1;
    }
    sc_report_days days[1] = {{0}};
    sc_privacy_report report = {0};
    sc_diag diag = {""};
    if (sc__report_days_parse("days", log, slots * SC_REPORT_SLOT, days, &diag)) return;
    DOOR_PROMISE(days->count + days->damaged + 1 == slots, "each slot is a day, or damaged");
    if (sc_privacy_report_make(days, 1, 0, INT64_MAX, &report, &diag)) abort();
    DOOR_PROMISE(report.count <= days->count, "days are joined");
    sc_bytes text = {0};
    if (sc__privacy_report_write(&report, &text)) abort();
    sc_privacy_report again = {0};
    // A sum may exceed what is exact in JSON.
    if (sc__privacy_report_read((const char *)text.data, text.size, &again) == SC_OK) {
        DOOR_PROMISE(again.count == report.count, "a report reads back");
    }
    sc_privacy_report_fini(&again);
    sc_bytes_fini(&text);
    sc_privacy_report_fini(&report);
    sc_report_days_fini(days);
}

static void try_report(const char *text, size_t size)
{
    sc_privacy_report report = {0};
    if (sc__privacy_report_read(text, size, &report)) return;
    sc_bytes again = {0};
    if (sc__privacy_report_write(&report, &again)) abort();
    DOOR_PROMISE(again.size == size && memcmp(again.data, text, size) == 0, "it has one form");
    sc_bytes_fini(&again);
    sc_privacy_report_fini(&report);
}

static void try_signed(const char *text, size_t size)
{
    static const sc_report_key secret = {"a key that has signed no report"};
    const sc_report_key key = sc_report_key_public(SC_KEY_SIGNING, &secret);
    sc_privacy_report report = {0};
    sc_diag diag = {""};
    DOOR_PROMISE(sc_privacy_report_verify("r", text, size, &key, &report, &diag) != SC_OK,
                 "nobody else can sign");
    DOOR_PROMISE(diag.message[0] != '\0', "a refusal has a reason");
}

static void try_key(const char *text, size_t size)
{
    unsigned kinds = 0;
    for (int i = 0; i < 4; i++) {
        sc_report_key key;
        kinds += sc__report_key_parse(i % 2 ? SC_KEY_SIGNING : SC_KEY_OPENING, i / 2 == 0, text,
                                      size, &key);
    }
    DOOR_PROMISE(kinds <= 1, "a key is of one kind");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > DOOR_MAX_SIZE) return 0;
    uint8_t *copy = door_copy(data + 1, size - 1);
    const char *text = (const char *)copy;
    if (data[0] == 'l') try_log(copy, size - 1);
    if (data[0] == 'r') try_report(text, size - 1);
    if (data[0] == 's') try_signed(text, size - 1);
    if (data[0] == 'k') try_key(text, size - 1);
    free(copy);
    return 0;
}
