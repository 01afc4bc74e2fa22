/**
 * @file report_files.h
 * @brief Files of reports as they were read, kept to be lent to replies.
 *
 * A reply that lends its bytes costs no memory, however slow its reader is; but what was lent must
 * stay until the server has stopped, since nobody says when the last reader is through. So every
 * *version* of a file that was ever shown is kept, and is read once. A version is known by the
 * file's name, inode, size and time of its last change, to the nanosecond. There is room for so
 * many bytes and no more: then only what is kept is shown.
 *
 * A file may change while it is read. What was read is not kept then: half of it might be old.
 */
#ifndef SC_DEMO_REPORT_FILES_H
#define SC_DEMO_REPORT_FILES_H

#include <starcloak/err.h>

#include <stddef.h>
#include <sys/stat.h>

typedef struct sc__report_files sc__report_files;

/** One version of a file; lent until the files is freed. */
typedef struct sc__report {
    const void *bytes;
    size_t size;
} sc__report;

/** @param room  for all versions together, what is noted of them included
 * @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc__report_files_new(size_t room, sc__report_files **out);

/** With all versions, so after the server has stopped. NULL is fine. */
void sc__report_files_free(sc__report_files *files);

/**
 * The version that a file has now, read if it is not there yet. Any thread.
 *
 * @param name   of the file in its folder
 * @param fd     the file, open to be read
 * @param found  what fstat() says of it: a plain file
 * @param out    set on success
 * @return SC_OK, SC_EBUSY (it has changed since `found`, or while it was read: come again),
 *         SC_ELIMIT (there is no room for more), SC_EIO (it cannot be read), SC_ENOMEM
 */
SC_CHECKED sc_err sc__report_files_find(sc__report_files *files, const char *name, int fd,
                                        const struct stat *found, sc__report *out);

#endif
