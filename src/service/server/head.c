// Heads of replies, put together without printf: this is done for every request.
//
// Nothing in a head can end it early: a header whose text has a control byte is left out.
#include "server/http_internal.h"

#include "base/alloc.h"

#include <string.h>
#include <strings.h>
#include <time.h>

// The longest of what is always there, with room to spare; texts of callers come on top.
enum { FIXED_ROOM = 384, NUMBER_ROOM = 20, AROUND_HEADER = 4 };

/** Where the next byte goes. */
typedef struct pen {
    char *at;
} pen;

static void put(pen *p, const char *text, size_t size)
{
    memcpy(p->at, text, size);
    p->at += size;
}

#define PUT(p, literal) put(p, literal, sizeof(literal) - 1)

static void put_text(pen *p, const char *text)
{
    put(p, text, strlen(text));
}

static void put_number(pen *p, uint64_t number)
{
    char digits[NUMBER_ROOM];
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    put(p, digits + first, sizeof digits - first);
}

static void put_two_digits(pen *p, int number)
{
    const char digits[] = {(char)('0' + number / 10 % 10), (char)('0' + number % 10)};
    put(p, digits, sizeof digits);
}

// --- What is always there ------------------------------------------------------------------------

static const char *phrase(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 201:
        return "Created";
    case 202:
        return "Accepted";
    case 204:
        return "No Content";
    case 304:
        return "Not Modified";
    case 308:
        return "Permanent Redirect";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 406:
        return "Not Acceptable";
    case 408:
        return "Request Timeout";
    case 409:
        return "Conflict";
    case 413:
        return "Content Too Large";
    case 415:
        return "Unsupported Media Type";
    case 417:
        return "Expectation Failed";
    case 422:
        return "Unprocessable Content";
    case 429:
        return "Too Many Requests";
    case 431:
        return "Request Header Fields Too Large";
    case 500:
        return "Internal Server Error";
    case 501:
        return "Not Implemented";
    case 502:
        return "Bad Gateway";
    case 503:
        return "Service Unavailable";
    case 504:
        return "Gateway Timeout";
    default:
        return "";  // which is allowed
    }
}

// "Sun, 06 Nov 1994 08:49:37 GMT", in no language but this.
static void write_date(sc__loop *loop, time_t now_s)
{
    static const char days[] = "SunMonTueWedThuFriSat";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct tm now;
    gmtime_r(&now_s, &now);
    pen p = {loop->date};
    put(&p, days + (ptrdiff_t)now.tm_wday * 3, 3);
    PUT(&p, ", ");
    put_two_digits(&p, now.tm_mday);
    PUT(&p, " ");
    put(&p, months + (ptrdiff_t)now.tm_mon * 3, 3);
    PUT(&p, " ");
    put_number(&p, (uint64_t)now.tm_year + 1900);
    PUT(&p, " ");
    put_two_digits(&p, now.tm_hour);
    PUT(&p, ":");
    put_two_digits(&p, now.tm_min);
    PUT(&p, ":");
    put_two_digits(&p, now.tm_sec);
    PUT(&p, " GMT");
    *p.at = '\0';
}

/** The date, written once a second. */
static const char *date_of(sc__loop *loop)
{
    const time_t now_s = time(NULL);
    if (now_s != loop->date_s) {
        write_date(loop, now_s);
        loop->date_s = now_s;
    }
    return loop->date;
}

// --- What the caller adds ------------------------------------------------------------------------

static bool is_safe(const char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' && *text != '\t') return false;
    }
    return true;
}

static bool has(const sc__head *head, const char *name)
{
    for (size_t i = 0; i < head->header_count; i++) {
        if (strcasecmp(head->headers[i].name, name) == 0) return true;
    }
    return false;
}

static size_t room_for(const sc__head *head)
{
    size_t room = FIXED_ROOM + (head->type ? strlen(head->type) : 0);
    for (size_t i = 0; i < head->header_count; i++) {
        room += strlen(head->headers[i].name) + strlen(head->headers[i].value) + AROUND_HEADER;
    }
    return room;
}

static void put_header(pen *p, const char *name, const char *value)
{
    if (!is_safe(name) || !is_safe(value)) return;
    put_text(p, name);
    PUT(p, ": ");
    put_text(p, value);
    PUT(p, "\r\n");
}

size_t sc__head_write(sc__loop *loop, const sc__head *head)
{
    if (!sc_reserve(&loop->scratch, room_for(head), &loop->scratch_capacity, 1)) return 0;
    pen p = {loop->scratch};
    PUT(&p, "HTTP/1.1 ");
    put_number(&p, (uint64_t)head->status);
    PUT(&p, " ");
    put_text(&p, phrase(head->status));
    PUT(&p, "\r\nDate: ");
    put_text(&p, date_of(loop));
    PUT(&p, "\r\n");
    if (head->type) put_header(&p, "Content-Type", head->type);
    if (head->length >= 0) {
        PUT(&p, "Content-Length: ");
        put_number(&p, (uint64_t)head->length);
        PUT(&p, "\r\n");
    } else if (head->length == SC__CHUNKED) {
        PUT(&p, "Transfer-Encoding: chunked\r\n");
    }
    if (!head->keeps_alive) {
        PUT(&p, "Connection: close\r\n");
    } else if (head->says_keep_alive) {
        PUT(&p, "Connection: keep-alive\r\n");
    }
    if (!has(head, "Cache-Control")) PUT(&p, "Cache-Control: no-store\r\n");
    if (!has(head, "X-Content-Type-Options")) PUT(&p, "X-Content-Type-Options: nosniff\r\n");
    for (size_t i = 0; i < head->header_count; i++) {
        put_header(&p, head->headers[i].name, head->headers[i].value);
    }
    PUT(&p, "\r\n");
    return (size_t)(p.at - loop->scratch);
}
