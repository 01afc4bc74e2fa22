// Addresses and bodies of questions for a box. See area_question.h.
#include "areas/area_question.h"

#include <curl/curl.h>
#include <strings.h>

/** What is put into a template. */
typedef struct values {
    const sc_area_settings *settings;
    const sc__area_question *question;
} values;

static void put_place(sc_template_pen *pen, const void *context, int place)
{
    const values *v = context;
    const sc__area_question *q = v->question;
    const double coordinates[] = {q->box.west, q->box.south, q->box.east, q->box.north};
    switch (place) {
    case SC__AREA_CATEGORIES:
        sc_adapter_put_categories(pen, &v->settings->common, q->categories, q->category_count);
        break;
    case SC__AREA_LIMIT:
        sc_pen_number(pen, v->settings->page_size);
        break;
    case SC__AREA_OFFSET:
        sc_pen_number(pen, q->offset);
        break;
    case SC__AREA_CURSOR:
        sc_pen_word(pen, q->cursor);
        break;
    case SC__AREA_KEY:
        sc_pen_word(pen, v->settings->common.key);
        break;
    default:
        sc_pen_coordinate(pen, coordinates[place]);
        break;
    }
}

sc_err sc__area_question_fill(const sc_area_settings *settings, const sc__area_question *question,
                              sc_bytes *url, sc_bytes *body, sc_diag *diag)
{
    const values v = {settings, question};
    const sc_template_values all = {&settings->common.kind->places, put_place, &v};
    return sc_adapter_fill(&settings->common, &all, question->category_count == 0, url, body, diag);
}

// --- The next page ---------------------------------------------------------------------------

static bool same_part(CURLU *a, CURLU *b, CURLUPart part, unsigned flags)
{
    char *x = NULL;
    char *y = NULL;
    const bool is_same = !curl_url_get(a, part, &x, flags) && !curl_url_get(b, part, &y, flags) &&
                         strcasecmp(x, y) == 0;
    curl_free(x);
    curl_free(y);
    return is_same;
}

char *sc__area_next_address(const char *base, const char *next)
{
    char *address = NULL;
    CURLU *from = curl_url();
    CURLU *to = curl_url();
    char *user = NULL;
    if (from && to && !curl_url_set(from, CURLUPART_URL, base, 0) &&
        !curl_url_set(to, CURLUPART_URL, base, 0) && !curl_url_set(to, CURLUPART_URL, next, 0) &&
        same_part(from, to, CURLUPART_SCHEME, 0) && same_part(from, to, CURLUPART_HOST, 0) &&
        same_part(from, to, CURLUPART_PORT, CURLU_DEFAULT_PORT) &&
        curl_url_get(to, CURLUPART_USER, &user, 0) == CURLUE_NO_USER &&
        curl_url_get(to, CURLUPART_URL, &address, 0)) {
        address = NULL;
    }
    curl_free(user);
    curl_url_cleanup(from);
    curl_url_cleanup(to);
    return address;
}
