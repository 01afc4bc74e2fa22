/**
 * @file breaks_areas.h
 * @brief Ways to break what a record tells of areas, as changes of its text.
 *
 * The record must have been answered by a provider of areas, ask for objects of all categories
 * alike, and have a cloak that needed two rounds.
 */
#ifndef SC_TESTS_SUPPORT_BREAKS_AREAS_H
#define SC_TESTS_SUPPORT_BREAKS_AREAS_H

#include <starcloak/verify.h>

typedef struct area_breakage {
    const char *name;
    char *(*go)(const char *text);  ///< a changed copy; release with free()
    sc_promise promise;
    const char *says;  ///< part of the first sentence that tells of it
} area_breakage;

/** Ends with one that has no name. */
extern const area_breakage area_breakages[];

#endif
