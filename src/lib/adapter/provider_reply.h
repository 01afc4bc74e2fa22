/**
 * @file provider_reply.h
 * @brief The objects in a provider's reply, a JSON document.
 *
 * The bytes are a stranger's. Messages name the field and the number of the object, never what is
 * in it: that would tell where was asked.
 */
#ifndef SC_ADAPTER_PROVIDER_REPLY_H
#define SC_ADAPTER_PROVIDER_REPLY_H

#include <starcloak/map.h>

#include "adapter/provider_file.h"
#include "base/json_tree.h"

/** Longer ones are refused, bytes. */
enum { SC_ADAPTER_KEY_MAX = 255, SC_ADAPTER_NAME_MAX = 1023 };

/** An object. Texts are lent by the reply or by the settings. */
typedef struct sc_adapter_object {
    const char *key;
    const char *name;      ///< "" if it has none
    const char *category;  ///< ours, the first that it tells; NULL: it tells none
    double x;
    double y;
    size_t number;                ///< in the list, from 1
    const sc_json_value *fields;  ///< the object itself
} sc_adapter_object;

/** Release with sc_adapter_reply_fini(). */
typedef struct sc_adapter_reply {
    sc_adapter_object *objects;
    size_t count;
    size_t listed;  ///< entries of the list; those without a position are no objects
    sc_json_tree document;
    char *keys;
} sc_adapter_reply;

/** What a reply is read with. */
typedef struct sc_adapter_reading {
    const sc_adapter_settings *settings;
    sc_coords coords;  ///< what a position is
    uint64_t most;     ///< entries that its list may have
} sc_adapter_reading;

/**
 * Read a reply.
 *
 * @param out  set on success
 * @return SC_OK, SC_EREPLY, SC_ELIMIT (a longer list), SC_ENET (`error`), SC_ENOMEM
 */
SC_CHECKED sc_err sc_adapter_reply_read(const sc_adapter_reading *reading, const char *bytes,
                                        size_t size, sc_adapter_reply *out, sc_diag *diag);

/** Harmless twice. */
void sc_adapter_reply_fini(sc_adapter_reply *reply);

/** What the first pointer that leads to something leads to, unless it is null. */
const sc_json_value *sc_adapter_find(const sc_json_value *fields, const sc_texts *pointers);

/** Whether an object tells our category `ours`, as one of several perhaps; true also if it tells
 * none. */
bool sc_adapter_may_be(const sc_adapter_settings *settings, const sc_adapter_object *object,
                       const char *ours);

/** Refuse a reply for a field of an object. */
sc_err sc_adapter_refuse_field(size_t number, const char *field, const char *what, sc_diag *diag);

#endif
