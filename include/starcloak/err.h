/**
 * @file err.h
 * @brief What can go wrong, and how it is told.
 *
 * A function that can fail returns an sc_err; its results come last, through
 * pointers, and a failed call leaves them as they were. Where a person will
 * want to know more than the code, the function also takes an optional
 * sc_diag and fills it with one complete sentence: what, where, what to do.
 */
#ifndef STARCLOAK_ERR_H
#define STARCLOAK_ERR_H

#ifdef __cplusplus
extern "C" {
#endif

/** Marks what the shared library exports; all else stays inside. */
#define SC_API __attribute__((visibility("default")))

/** Warns when a result is ignored. */
#define SC_CHECKED __attribute__((warn_unused_result))

/** Lets the compiler check printf-like arguments. */
#define SC_PRINTF(text, first) __attribute__((format(printf, text, first)))

/** The numbers are part of the interface and are never reused. */
#define SC_ERR_MAP(X)                                         \
    X(OK, 0, "success")                                       \
    X(ENOMEM, 1, "out of memory")                             \
    X(EPARSE, 2, "input is not in the expected format")       \
    X(EMAP, 3, "road network breaks an invariant")            \
    X(EIO, 4, "reading or writing failed")                    \
    X(EINVAL, 5, "argument out of range")                     \
    X(EFORMAT, 6, "not a StarCloak map, or a damaged map")    \
    X(ETOOFAR, 7, "position is too far from any road")        \
    X(ENOCOORDS, 8, "map has no coordinates")                 \
    X(ELIMIT, 9, "input exceeds a limit of the format")       \
    X(EPROFILE, 10, "a value of the profile is out of range") \
    X(ETIME, 11, "a time is earlier than the one before")     \
    X(EDUPLICATE, 12, "the same was given before")            \
    X(EUNKNOWN, 13, "it does not exist")                      \
    X(ELATE, 14, "the deadline has passed")                   \
    X(EBROKEN, 15, "a promise is broken")                     \
    X(EREQUEST, 16, "the request cannot be answered")         \
    X(EREPLY, 17, "the reply failed its checks")              \
    X(EMISMATCH, 18, "the two sides have different maps")     \
    X(ENET, 19, "the other side cannot be reached")           \
    X(EBUSY, 20, "another process is using it")               \
    X(EINTERRUPTED, 21, "interrupted")

typedef enum sc_err {
#define X(name, value, text) SC_##name = (value),
    SC_ERR_MAP(X)
#undef X
} sc_err;

/** The fixed text of `err`; never NULL, nothing to free. */
SC_API const char *sc_err_text(sc_err err);

/** One sentence for a person, ended by NUL, without a line break. */
typedef struct sc_diag {
    char message[1024];
} sc_diag;

#ifdef __cplusplus
}
#endif
#endif
