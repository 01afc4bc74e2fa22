// Addresses and bodies of questions for a box. See area_question.h.
#include "areas/area_question.h"

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
