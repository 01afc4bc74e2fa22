// Numbers that ascend, each once. See ascending.h.
#include "relay/ascending.h"

#include "base/sort.h"

uint32_t sc__sort_unique(uint32_t *numbers, uint32_t count)
{
    sc_sort_u32(numbers, count);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept > 0 && numbers[kept - 1] == numbers[i]) continue;
        numbers[kept++] = numbers[i];
    }
    return kept;
}

uint32_t sc__place_of(const uint32_t *numbers, uint32_t count, uint32_t number)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (numbers[middle] < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
