// One cloak on its way. See provider_internal.h.
#include "provider/provider_internal.h"

#include "base/alloc.h"

#include <string.h>

sc__parcel *sc__parcel_new(const void *body, size_t size)
{
    if (size > SIZE_MAX - sizeof(sc__parcel)) return NULL;
    sc__parcel *parcel = sc_malloc(sizeof *parcel + size);
    if (!parcel) return NULL;
    *parcel = (sc__parcel){.size = size};
    if (size > 0) memcpy(parcel->body, body, size);
    return parcel;
}

void sc__parcel_free(sc__parcel *parcel)
{
    if (!parcel) return;
    sc_bytes_fini(&parcel->reply);
    sc_free(parcel);
}
