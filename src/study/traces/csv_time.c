// Times in CSV: seconds from any zero, or a calendar's, of UTC. See traces_internal.h.
#include "traces/traces_internal.h"

// "2008-06-04T00:00:00Z", with or without a fraction of the last second.
enum { DATE_SIZE = 10, LEAST_SIZE = 20 };

static bool read_digits(const char *text, size_t count, unsigned least, unsigned most,
                        unsigned *out)
{
    uint64_t number = 0;
    if (!sc_slice_u64((sc_slice){text, count}, &number)) return false;
    *out = (unsigned)number;
    return number >= least && number <= most;
}

static unsigned days_of_month(unsigned year, unsigned month)
{
    static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && is_leap);
}

// Days since 1970-01-01. Counted in years that begin in March, so that the odd day comes last;
// 719,468 days lie between the March of year 0 and 1970.
static int64_t days_since_1970(unsigned year, unsigned month, unsigned day)
{
    const int64_t years = (int64_t)year - (month <= 2);
    const int64_t months = month > 2 ? month - 3 : month + 9;
    // Months from March on have 31, 30, 31, 30, 31 days, again and again.
    const int64_t before_month = (153 * months + 2) / 5;
    const int64_t leap_days = years >= 0 ? years / 4 - years / 100 + years / 400 : -1;
    return 365 * years + leap_days + before_month + (day - 1) - 719468;
}

static bool read_date(const char *text, int64_t *days)
{
    unsigned year = 0;
    unsigned month = 0;
    unsigned day = 0;
    if (text[4] != '-' || text[7] != '-') return false;
    if (!read_digits(text, 4, 0, 9999, &year) || !read_digits(text + 5, 2, 1, 12, &month) ||
        !read_digits(text + 8, 2, 1, days_of_month(year, month), &day)) {
        return false;
    }
    *days = days_since_1970(year, month, day);
    return true;
}

// `text` is "00:00:00" or "00:00:00.25".
static bool read_clock(sc_slice text, double *seconds)
{
    unsigned hour = 0;
    unsigned minute = 0;
    unsigned second = 0;
    double with_fraction = 0.0;
    if (text.text[2] != ':' || text.text[5] != ':') return false;
    if (!read_digits(text.text, 2, 0, 23, &hour) ||
        !read_digits(text.text + 3, 2, 0, 59, &minute) ||
        !read_digits(text.text + 6, 2, 0, 59, &second)) {
        return false;
    }
    // Behind whole seconds nothing may stand but a point and digits; no exponent, above all.
    if (text.size > 8) {
        uint64_t fraction = 0;
        if (text.text[8] != '.' || text.size > 8 + 1 + 15 ||
            !sc_slice_u64((sc_slice){text.text + 9, text.size - 9}, &fraction)) {
            return false;
        }
    }
    if (!sc_slice_double((sc_slice){text.text + 6, text.size - 6}, &with_fraction)) return false;
    *seconds = hour * 3600.0 + minute * 60.0 + with_fraction;
    return true;
}

bool sc__csv_time(sc_slice text, double *out)
{
    if (sc_slice_double(text, out)) return true;
    if (text.size < LEAST_SIZE || text.text[DATE_SIZE] != 'T' || text.text[text.size - 1] != 'Z') {
        return false;
    }
    int64_t days = 0;
    double seconds = 0.0;
    const sc_slice clock = {text.text + DATE_SIZE + 1, text.size - DATE_SIZE - 2};
    if (!read_date(text.text, &days) || !read_clock(clock, &seconds)) return false;
    *out = (double)days * 86400.0 + seconds;
    return true;
}
