// The names of the promises. See starcloak/verify.h.
#include <starcloak/verify.h>

const char *sc_promise_name(sc_promise promise)
{
    static const char *const names[SC_PROMISE_COUNT] = {
#define X(name, text) #name,
        SC_PROMISE_MAP(X)
#undef X
    };
    if ((unsigned)promise >= SC_PROMISE_COUNT) return "unknown";
    // The last is no promise of a cloak but of what came of it: a word, not a number.
    return promise == SC_PROMISE_ANSWERS ? "answers" : names[promise];
}

const char *sc_promise_text(sc_promise promise)
{
    static const char *const texts[SC_PROMISE_COUNT] = {
#define X(name, text) text,
        SC_PROMISE_MAP(X)
#undef X
    };
    return (unsigned)promise < SC_PROMISE_COUNT ? texts[promise] : "unknown";
}
