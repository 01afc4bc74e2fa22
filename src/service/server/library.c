// libevent's settings that hold for the whole process: what is freed is wiped first, and nothing is
// printed.
//
// A request passes through libevent's buffers and its lists of headers: positions and tokens lie
// there. With this allocator they are gone when the request is, wherever libevent had copied them.
//
// Invariant: the functions fit plain malloc(), so that memory which another user of libevent took
// before may be freed with them.
#include "server/http_internal.h"

#include "base/alloc.h"

#include <malloc.h>
#include <string.h>

void sc__wipe_free(void *memory)
{
    if (!memory) return;
    explicit_bzero(memory, malloc_usable_size(memory));
    sc_free(memory);
}

// realloc() would leave a copy behind where the memory was.
static void *wipe_realloc(void *old, size_t size)
{
    void *larger = sc_malloc(size);
    if (!larger || !old) return larger;
    const size_t had = malloc_usable_size(old);
    memcpy(larger, old, had < size ? had : size);
    sc__wipe_free(old);
    return larger;
}

static void say_nothing(int severity, const char *text)
{
    (void)severity;
    (void)text;
}

static void prepare(void)
{
    event_set_mem_functions(sc_malloc, wipe_realloc, sc__wipe_free);
    event_set_log_callback(say_nothing);
}

void sc__library_prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
}
