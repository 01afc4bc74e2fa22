// Memory for balls. ball_store.h has the idea.
#include "engine/ball_store.h"

#include "base/alloc.h"

/** What is asked of malloc() at once: some 300 balls of four hops. */
enum { SLAB_SIZE = 1 << 16 };

static size_t lines_of(size_t size)
{
    return size > 0 ? (size + SC__BALL_LINE - 1) / SC__BALL_LINE : 1;
}

/** Begin another slab. What is left of the last one is less than a ball. */
static bool add_slab(sc__ball_store *store)
{
    if (!sc_grow(&store->slabs, store->slab_count, &store->slab_capacity, sizeof *store->slabs)) {
        return false;
    }
    char *slab = sc_malloc_lines(1, SLAB_SIZE);
    if (!slab) return false;
    store->slabs[store->slab_count++] = slab;
    store->rest = slab;
    store->rest_size = SLAB_SIZE;
    return true;
}

void *sc__ball_store_take(sc__ball_store *store, size_t size)
{
    const size_t lines = lines_of(size);
    if (lines > SC__BALL_CELLS) {
        void *memory = sc_malloc(size);
        store->large_count += memory != NULL;
        return memory;
    }
    sc__spare_cells *spare = &store->spare[lines - 1];
    if (spare->count > 0) return spare->cells[--spare->count];
    const size_t cell_size = lines * SC__BALL_LINE;
    // There is room for all cells to be spare, so that giving one back never fails.
    if (!sc_grow(&spare->cells, spare->made, &spare->capacity, sizeof(void *)) ||
        (cell_size > store->rest_size && !add_slab(store))) {
        return NULL;
    }
    spare->made++;
    void *cell = store->rest;
    store->rest += cell_size;
    store->rest_size -= cell_size;
    return cell;
}

void sc__ball_store_give(sc__ball_store *store, void *memory, size_t size)
{
    if (!memory) return;
    const size_t lines = lines_of(size);
    if (lines > SC__BALL_CELLS) {
        sc_free(memory);
        store->large_count--;
        return;
    }
    sc__spare_cells *spare = &store->spare[lines - 1];
    spare->cells[spare->count++] = memory;
}

void sc__ball_store_fini(sc__ball_store *store)
{
    for (size_t i = 0; i < SC__BALL_CELLS; i++) {
        sc_free(store->spare[i].cells);
    }
    for (size_t i = 0; i < store->slab_count; i++) {
        sc_free(store->slabs[i]);
    }
    sc_free(store->slabs);
    *store = (sc__ball_store){.rest = NULL};
}
