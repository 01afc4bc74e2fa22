/**
 * @file adapter_internal.h
 * @brief What reading a provider's file and checking its settings share.
 *
 * For: this folder.
 */
#ifndef SC_ADAPTER_ADAPTER_INTERNAL_H
#define SC_ADAPTER_ADAPTER_INTERNAL_H

#include "adapter/provider_file.h"

/** For messages when memory is out. */
extern const char sc__adapter_memory_for[];

/** All rows by number: the common ones, then the kind's own. NULL behind the last. */
const sc_adapter_row *sc__adapter_row_at(const sc_adapter_kind *kind, size_t i);

/** The number of a setting, or SC_ADAPTER_ROWS_MAX. Without a section: of any. */
size_t sc__adapter_find_row(const sc_adapter_kind *kind, const char *section, const char *name);

/** A copy that ends with NUL; NULL when memory is out. */
char *sc__adapter_copy_text(const char *text, size_t size);

/** NULL is fine. */
void sc__adapter_wipe_text(char *text);

bool sc__adapter_texts_have(const sc_texts *texts, sc_slice text);

#endif
