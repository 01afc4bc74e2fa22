// The book of queries. See ledger.h.
#include "verify/ledger.h"

#include "base/alloc.h"

#include <xxhash.h>

static uint64_t entry(sc_fate fate, uint64_t word)
{
    return word << 3 | (uint64_t)fate;
}

sc_key sc__ledger_key(sc_slice id)
{
    const XXH128_hash_t hash = XXH3_128bits(id.text, id.size);
    return (sc_key){hash.high64, hash.low64};
}

uint32_t sc__ledger_find(const sc_ledger *ledger, sc_key key)
{
    return sc_hash_get(&ledger->numbers, key, SC_NONE);
}

void sc__ledger_init(sc_ledger *ledger)
{
    *ledger = (sc_ledger){.count = 0};
    sc_pool_init(&ledger->open, sizeof(sc_open_query));
}

sc_err sc__ledger_add(sc_ledger *ledger, sc_key key, sc_open_query **out)
{
    if (ledger->count >= SC_NONE) return SC_ELIMIT;
    const uint32_t number = (uint32_t)ledger->count;
    uint32_t holds = SC_NONE;
    if (!sc_grow(&ledger->fates, ledger->count, &ledger->fate_capacity, sizeof *ledger->fates)) {
        return SC_ENOMEM;
    }
    sc_err err = sc_pool_reserve(&ledger->open);
    if (!err) err = sc_hash_put(&ledger->numbers, key, number, &holds);
    if (err) return err;
    if (holds != number) {
        *out = NULL;
        return SC_OK;
    }
    const uint32_t place = sc_pool_take(&ledger->open);
    ledger->fates[ledger->count++] = entry(SC_FATE_OPEN, place);
    *out = sc_pool_at(&ledger->open, place);
    return SC_OK;
}

void sc__ledger_settle(sc_ledger *ledger, uint32_t number, sc_fate fate, uint64_t word)
{
    if (sc__ledger_fate(ledger, number) == SC_FATE_OPEN) {
        sc_pool_give(&ledger->open, (uint32_t)sc__ledger_word(ledger, number));
    }
    ledger->fates[number] = entry(fate, word);
}

void sc__ledger_fini(sc_ledger *ledger)
{
    sc_hash_fini(&ledger->numbers);
    sc_free(ledger->fates);
    sc_pool_fini(&ledger->open);
    ledger->fates = NULL;
    ledger->count = 0;
    ledger->fate_capacity = 0;
}
