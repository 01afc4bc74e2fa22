// Door: run records, as `starcloak verify` reads them.
//
// The input is a record of a small town (town.h). A record is refused in one line, or it is
// followed to its end; then its counts add up, whatever it claims. A blank before each line changes
// nothing: with it, lines are read by a tree instead of by their form (record_lines.c).
#include "door.h"
#include "town.h"

#include "verify/verify_record.h"

enum { ANSWER_SAMPLE = 3 };

// What was looked at covers what was wrong, and every query is somewhere.
static void check_counts(const sc_verify_report *r)
{
    uint64_t violations = 0;
    for (unsigned i = 0; i < SC_PROMISE_COUNT; i++) {
        DOOR_PROMISE(r->violated[i] <= r->checked[i], "nothing is wrong twice");
        violations += r->violated[i];
    }
    DOOR_PROMISE(r->violations == violations, "violations are those of all promises");
    DOOR_PROMISE(r->queries == r->cloaked + r->drops + r->failed + r->open_at_end + r->overdue,
                 "every query has one fate");
    DOOR_PROMISE(r->checked[SC_PROMISE_P2] >= r->cloaked,
                 "every member is looked at for its users, and each cloak that has none");
    DOOR_PROMISE(r->checked[SC_PROMISE_P2] <= r->cloaked + r->cloaks, "and nothing else is");
    DOOR_PROMISE(r->checked[SC_PROMISE_P3] == r->cloaked, "and for its segments");
    DOOR_PROMISE(r->checked[SC_PROMISE_P4] == r->cloaked, "and for its hops");
    DOOR_PROMISE(r->checked[SC_PROMISE_P1] >= r->queries + r->cloaked, "and for its place");
    DOOR_PROMISE(r->checked[SC_PROMISE_P7] >= r->cloaks, "every cloak is looked at");
    DOOR_PROMISE(r->checked[SC_PROMISE_ANSWERS] <= ANSWER_SAMPLE,
                 "the sample is no larger than asked");
    DOOR_PROMISE(r->checked[SC_PROMISE_ANSWERS] <= r->answers, "nor than the answers there are");
    DOOR_PROMISE(r->overdue <= r->violated[SC_PROMISE_P8], "a query without an end is told");
}

static void check_words(const sc_verify_report *r, uint64_t line_count)
{
    const uint64_t shown = r->violations < SC_VERIFY_SHOWN ? r->violations : SC_VERIFY_SHOWN;
    DOOR_PROMISE(r->shown_count == shown, "the first violations are told");
    for (size_t i = 0; i < r->shown_count; i++) {
        DOOR_PROMISE(r->shown[i].line >= 1 && r->shown[i].line <= line_count, "each has its line");
        DOOR_PROMISE(r->violated[r->shown[i].promise] > 0, "each is of a promise that is broken");
        DOOR_PROMISE(r->shown[i].text[0] != '\0', "each has words");
        for (const char *c = r->shown[i].text; *c; c++) {
            DOOR_PROMISE(*c >= 0x20 && *c < 0x7f, "which a terminal can be given");
        }
    }
}

static void check_by_tree(const sc_map *town, const uint8_t *data, size_t size,
                          const sc_verify_report *wanted)
{
    const sc_verify_options options = {.answer_sample = ANSWER_SAMPLE};
    uint8_t *blanks = malloc(2 * size + 1);
    if (!blanks) abort();
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        // An empty line is passed over, a blank one is refused.
        const bool begins = i == 0 || data[i - 1] == '\n';
        if (begins && data[i] != '\n' && data[i] != '\r') blanks[count++] = ' ';
        blanks[count++] = data[i];
    }
    const sc_input input = {"run.jsonl", blanks, count};
    sc_verify_report report;
    sc_diag diag = {""};
    const sc_err err = sc__verify_input(town, &input, &options, &report, &diag);
    DOOR_PROMISE(!err, "a blank before each line is as good");
    DOOR_PROMISE(memcmp(report.checked, wanted->checked, sizeof report.checked) == 0 &&
                     memcmp(report.violated, wanted->violated, sizeof report.violated) == 0,
                 "and is looked at in the same way");
    free(blanks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sc_map *town = NULL;
    if (size > DOOR_MAX_SIZE) return 0;
    if (!town) town = town_build();

    uint8_t *copy = door_copy(data, size);
    const sc_input input = {"run.jsonl", copy, size};
    const sc_verify_options options = {.answer_sample = ANSWER_SAMPLE};
    sc_verify_report report;
    sc_diag diag = {""};
    const sc_err err = sc__verify_input(town, &input, &options, &report, &diag);
    if (err) {
        door_refused(err, &diag, &input, 1);
    } else {
        uint64_t line_count = 1;
        for (size_t i = 0; i < size; i++) {
            line_count += copy[i] == '\n';
        }
        check_counts(&report);
        check_words(&report, line_count);
        // Not if it is packed, or begins with a byte order mark.
        if (size > 0 && copy[0] == '{') check_by_tree(town, copy, size, &report);
    }
    free(copy);
    return 0;
}
