// Who waits. See board.h.
#include "demo/board.h"

#include "base/alloc.h"

#include <pthread.h>

struct sc__board {
    uint32_t count;
    pthread_mutex_t lock;
    sc__waiting *places;  ///< by traveller, under `lock`
};

sc_err sc__board_new(uint32_t travellers, sc__board **out)
{
    sc__board *board = sc_calloc(1, sizeof *board);
    if (!board) return SC_ENOMEM;
    board->count = travellers;
    board->places = sc_calloc(travellers, sizeof *board->places);
    if (!board->places) {
        sc_free(board);
        return SC_ENOMEM;
    }
    pthread_mutex_init(&board->lock, NULL);
    *out = board;
    return SC_OK;
}

void sc__board_free(sc__board *board)
{
    if (!board) return;
    pthread_mutex_destroy(&board->lock);
    sc_free(board->places);
    sc_free(board);
}

void sc__board_put(sc__board *board, const sc__waiting *waiting)
{
    pthread_mutex_lock(&board->lock);
    board->places[waiting->who] = *waiting;
    pthread_mutex_unlock(&board->lock);
}

void sc__board_take(sc__board *board, uint32_t who)
{
    pthread_mutex_lock(&board->lock);
    board->places[who].number = 0;
    pthread_mutex_unlock(&board->lock);
}

size_t sc__board_list(sc__board *board, sc__waiting *out, size_t room)
{
    size_t count = 0;
    pthread_mutex_lock(&board->lock);
    for (uint32_t who = 0; who < board->count && count < room; who++) {
        if (board->places[who].number != 0) out[count++] = board->places[who];
    }
    pthread_mutex_unlock(&board->lock);
    return count;
}
