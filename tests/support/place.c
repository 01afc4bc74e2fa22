// Directories for tests. See place.h.
#include "support/place.h"

#include "support/check.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

place place_new(void)
{
    place p;
    const char *base = getenv("TMPDIR");
    snprintf(p.path, sizeof p.path, "%s/starcloak-test.XXXXXX", base ? base : P_tmpdir);
    if (!mkdtemp(p.path)) fail_msg("no directory for tests: %s", p.path);
    return p;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

void place_free(const place *p)
{
    enum { OPEN_DIRECTORIES = 8 };
    (void)nftw(p->path, remove_entry, OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS);
}

const char *place_path(const place *p, const char *name)
{
    enum { LENT = 8 };
    static char paths[LENT][1024];
    static int next;
    char *path = paths[next++ % LENT];
    snprintf(path, sizeof paths[0], "%s/%s", p->path, name);
    return path;
}

const char *place_write(const place *p, const char *name, const void *bytes, size_t size)
{
    const char *path = place_path(p, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

const char *place_write_text(const place *p, const char *name, const char *text)
{
    return place_write(p, name, text, strlen(text));
}

int count_entries(const char *directory)
{
    DIR *entries = opendir(directory);
    if (!entries) return -1;
    int count = 0;
    while (readdir(entries)) {
        count++;
    }
    closedir(entries);
    return count - 2;  // without "." and ".."
}

char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot read %s", path);
    struct stat status;
    assert_int_equal(fstat(fileno(file), &status), 0);
    *size = (size_t)status.st_size;
    char *bytes = test_take(*size + 1, 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

void lose_rights(const place *p)
{
    enum { NOBODY = 65534 };
    if (geteuid() != 0) return;
    assert_int_equal(chmod(p->path, 0755), 0);
    assert_int_equal(seteuid(NOBODY), 0);
}

void have_rights_again(void)
{
    if (getuid() == 0) assert_int_equal(seteuid(0), 0);
}

bool data_path(const char *name, char *out, size_t size)
{
    const char *folder = getenv("STARCLOAK_DATA");
    snprintf(out, size, "%s/%s", folder ? folder : SC_REPOSITORY "/../shared/data", name);
    return access(out, R_OK) == 0;
}
