/**
 * @file bare_body.h
 * @brief What the bare servers answer: as long as the answer to five nearest objects usually is.
 */
#ifndef SC_BENCH_SERVICE_BARE_BODY_H
#define SC_BENCH_SERVICE_BARE_BODY_H

static const char bare_body[] =
    "{\"outcome\":\"answered\",\"wait_s\":0.001,\"cloak\":{\"id\":\"7f53a1484a6ff6f0\","
    "\"users\":1000,\"segments\":10000},\"metric\":\"distance\",\"objects\":["
    "{\"id\":\"1717\",\"name\":\"Cafe 1717\",\"category\":\"cafe\",\"position\":"
    "{\"lon\":8.001234567,\"lat\":49.998765432},\"distance_m\":133.358,\"duration_s\":13.643456},"
    "{\"id\":\"1718\",\"name\":\"Cafe 1718\",\"category\":\"cafe\",\"position\":"
    "{\"lon\":8.001234567,\"lat\":49.998765432},\"distance_m\":233.358,\"duration_s\":23.643456},"
    "{\"id\":\"1719\",\"name\":\"Cafe 1719\",\"category\":\"cafe\",\"position\":"
    "{\"lon\":8.001234567,\"lat\":49.998765432},\"distance_m\":333.358,\"duration_s\":33.643456},"
    "{\"id\":\"1720\",\"name\":\"Cafe 1720\",\"category\":\"cafe\",\"position\":"
    "{\"lon\":8.001234567,\"lat\":49.998765432},\"distance_m\":433.358,\"duration_s\":43.643456},"
    "{\"id\":\"1721\",\"name\":\"Cafe 1721\",\"category\":\"cafe\",\"position\":"
    "{\"lon\":8.001234567,\"lat\":49.998765432},\"distance_m\":533.358,\"duration_s\":53.643456}]}";

#endif
