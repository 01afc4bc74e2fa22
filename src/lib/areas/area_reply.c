// One page of a provider's reply. See area_reply.h.
#include "areas/area_reply.h"

#include "base/diag.h"
#include "base/json_pointer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// The address of the link that is called the next one.
static const sc_json_value *next_link(const sc_json_value *links)
{
    for (size_t i = 0; i < sc_json_size(links); i++) {
        const sc_json_value *link = sc_json_at(links, i);
        const char *rel = sc_json_text_at(sc_json_member(link, "rel"));
        if (rel && strcmp(rel, "next") == 0) return sc_json_member(link, "href");
    }
    return NULL;
}

static sc_err find_next(const sc_area_settings *settings, sc__area_reply *reply, sc_diag *diag)
{
    const sc_json_value *root = reply->page.document.root;
    const sc_json_value *value = NULL;
    if (settings->cursor) value = sc_json_pointer_follow(root, settings->cursor);
    if (settings->next) value = sc_json_pointer_follow(root, settings->next);
    if (settings->links) value = next_link(sc_json_pointer_follow(root, settings->links));
    if (!value || sc_json_is_null(value)) return SC_OK;
    if (settings->cursor && sc_json_is_integer(value)) {
        // Where numbers lead on, 0 is the beginning, so no page has it but the last.
        const int64_t number = sc_json_integer(value);
        if (number != 0) snprintf(reply->number, sizeof reply->number, "%" PRId64, number);
        return SC_OK;
    }
    if (!sc_json_is_string(value) || sc_json_text_size(value) > SC_TEMPLATE_MAX) {
        return sc_fail(diag, SC_EREPLY,
                       "in a reply of the provider, what leads to the next page is not a text (a "
                       "cursor may be a whole number), or "
                       "longer than %d bytes",
                       SC_TEMPLATE_MAX);
    }
    reply->next = sc_json_text_size(value) > 0 ? sc_json_text_at(value) : NULL;
    return SC_OK;
}

static uint64_t total_of(const sc_area_settings *settings, const sc_json_value *root)
{
    const sc_json_value *value =
        settings->total ? sc_json_pointer_follow(root, settings->total) : NULL;
    // Some say "unknown".
    return sc_json_is_integer(value) && sc_json_integer(value) >= 0
               ? (uint64_t)sc_json_integer(value)
               : UINT64_MAX;
}

sc_err sc__area_reply_read(const sc_area_settings *settings, sc_coords coords, const sc_bytes *body,
                           sc__area_reply *out, sc_diag *diag)
{
    sc__area_reply reply = {.next = NULL};
    const sc_adapter_reading how = {&settings->common, coords, settings->max_objects};
    sc_err err =
        sc_adapter_reply_read(&how, (const char *)body->data, body->size, &reply.page, diag);
    if (err == SC_ELIMIT) {
        err = sc_fail(diag, SC_ELIMIT,
                      "a reply of the provider has more than %" PRIu64
                      " objects (max-objects, section [limits])",
                      settings->max_objects);
    }
    if (!err) err = find_next(settings, &reply, diag);
    if (!err) reply.total = total_of(settings, reply.page.document.root);
    if (err) {
        sc__area_reply_fini(&reply);
        return err;
    }
    *out = reply;
    if (out->number[0] != '\0') out->next = out->number;
    return SC_OK;
}

void sc__area_reply_fini(sc__area_reply *reply)
{
    sc_adapter_reply_fini(&reply->page);
    *reply = (sc__area_reply){.next = NULL};
}
