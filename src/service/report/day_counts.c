// Counts of a day, and their names. See day_counts.h.
#include "report/day_counts.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { DAY_S = 86400 };

static const char *const outcome_names[SC_REPORT_OUTCOMES] = {
#define X(name, word) word,
    SC_REPORT_OUTCOME_MAP(X)
#undef X
};

static const char *const size_names[SC_COUNT_SIZES] = {"1",    "2",     "3",     "4",      "5",
                                                       "6-10", "11-20", "21-50", "51-100", "101-"};
static const uint32_t size_most[SC_COUNT_SIZES - 1] = {1, 2, 3, 4, 5, 10, 20, 50, 100};

/** From the first number on, and below the second. */
static const char *const effective_names[SC_COUNT_EFFECTIVE_SIZES] = {
    "1-2", "2-3", "3-5", "5-10", "10-20", "20-50", "50-100", "100-"};
static const double effective_below[SC_COUNT_EFFECTIVE_SIZES - 1] = {2, 3, 5, 10, 20, 50, 100};

static const char *const below_names[] = {"k", "l"};

enum {
    AT_K_ASKED = SC_REPORT_OUTCOMES,
    AT_K_GIVEN = AT_K_ASKED + SC_COUNT_SIZES,
    AT_L_ASKED = AT_K_GIVEN + SC_COUNT_SIZES,
    AT_L_GIVEN = AT_L_ASKED + SC_COUNT_SIZES,
    AT_EFFECTIVE = AT_L_GIVEN + SC_COUNT_SIZES,
    AT_BELOW = AT_EFFECTIVE + SC_COUNT_EFFECTIVE_SIZES,
};

static const sc_count_group_names groups[SC_COUNT_GROUPS] = {
    {"queries", "Queries", outcome_names, SC_REPORT_OUTCOMES, 0},
    {"k_asked", "k asked (queries)", size_names, SC_COUNT_SIZES, AT_K_ASKED},
    {"k_given", "k given (answered queries)", size_names, SC_COUNT_SIZES, AT_K_GIVEN},
    {"l_asked", "l asked (queries)", size_names, SC_COUNT_SIZES, AT_L_ASKED},
    {"l_given", "l given (answered queries)", size_names, SC_COUNT_SIZES, AT_L_GIVEN},
    {"effective_segments", "Effective segments (cloaks)", effective_names, SC_COUNT_EFFECTIVE_SIZES,
     AT_EFFECTIVE},
    {"below_asked", "Answered with less than was asked", below_names, 2, AT_BELOW},
};

const sc_count_group_names *sc_count_group_of(sc_count_group group)
{
    return &groups[group];
}

size_t sc_count_size_bin(uint32_t number)
{
    size_t bin = 0;
    while (bin < SC_COUNT_SIZES - 1 && number > size_most[bin]) {
        bin++;
    }
    return bin;
}

size_t sc_count_effective_bin(double segments)
{
    size_t bin = 0;
    while (bin < SC_COUNT_EFFECTIVE_SIZES - 1 && segments >= effective_below[bin]) {
        bin++;
    }
    return bin;
}

uint64_t sc_day_counts_sum(const sc_day_counts *counts, sc_count_group group)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < groups[group].count; i++) {
        sum += counts->of[groups[group].first + i];
    }
    return sum;
}

void sc_day_counts_add(sc_day_counts *to, const sc_day_counts *counts)
{
    for (size_t i = 0; i < SC_COUNTS; i++) {
        to->of[i] += counts->of[i];
    }
}

// --- JSON ----------------------------------------------------------------------------------------

void sc_day_counts_write(sc_json_writer *json, const char *name, const sc_day_counts *counts)
{
    sc_json_open_object(json, name);
    for (size_t g = 0; g < SC_COUNT_GROUPS; g++) {
        sc_json_open_object(json, groups[g].name);
        for (size_t i = 0; i < groups[g].count; i++) {
            sc_json_put_count(json, groups[g].bins[i], counts->of[groups[g].first + i]);
        }
        sc_json_close_object(json);
    }
    sc_json_close_object(json);
}

static bool read_count(const sc_json_value *value, uint64_t *out)
{
    static const int64_t most = (int64_t)1 << 53;  // what any reader of JSON reads exactly
    if (!sc_json_is_integer(value)) return false;
    const int64_t count = sc_json_integer(value);
    *out = (uint64_t)count;
    return count >= 0 && count < most;
}

bool sc_day_counts_read(const sc_json_value *value, sc_day_counts *out)
{
    if (!sc_json_is_object(value) || sc_json_size(value) != SC_COUNT_GROUPS) return false;
    for (size_t g = 0; g < SC_COUNT_GROUPS; g++) {
        const sc_json_value *group = sc_json_member(value, groups[g].name);
        if (!sc_json_is_object(group) || sc_json_size(group) != groups[g].count) return false;
        for (size_t i = 0; i < groups[g].count; i++) {
            const sc_json_value *count = sc_json_member(group, groups[g].bins[i]);
            if (!read_count(count, &out->of[groups[g].first + i])) return false;
        }
    }
    return true;
}

// --- Days ----------------------------------------------------------------------------------------

int64_t sc_day_of(int64_t time_s)
{
    return time_s > 0 ? time_s / DAY_S : 0;
}

const char *sc_day_text(int64_t day, char out[SC_DAY_TEXT_SIZE])
{
    struct tm utc = {0};
    const time_t begins = (time_t)(day * DAY_S);
    if (!gmtime_r(&begins, &utc) || strftime(out, SC_DAY_TEXT_SIZE, "%Y-%m-%d", &utc) == 0) {
        snprintf(out, SC_DAY_TEXT_SIZE, "0000-00-00");
    }
    return out;
}

bool sc_day_read(const char *text, int64_t *out)
{
    enum { FIRST_YEAR = 1970 };
    if (strlen(text) != 10 || strspn(text, "0123456789-") != 10) return false;
    struct tm utc = {0};
    const char *end = strptime(text, "%Y-%m-%d", &utc);
    if (!end || *end != '\0' || utc.tm_year < FIRST_YEAR - 1900) return false;
    const int64_t day = timegm(&utc) / DAY_S;
    // The 31st of November would be read as another day.
    char again[SC_DAY_TEXT_SIZE];
    if (strcmp(sc_day_text(day, again), text) != 0) return false;
    *out = day;
    return true;
}
