/**
 * @file version.h
 * @brief Which StarCloak this is.
 *
 * The build hands in SC_VERSION from the project's own number. The date is that
 * of the release and is written down here, so that the same source gives the
 * same manual pages on every day.
 *
 * Used by: starcloak.c, manpage.c.
 */
#ifndef SC_APPS_VERSION_H
#define SC_APPS_VERSION_H

#ifndef SC_VERSION
#define SC_VERSION "0.1.0"
#endif

#define SC_RELEASE_DATE "2026-11-15"

#endif
