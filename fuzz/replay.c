// Runs a fuzzer over the files of its corpus, once each, in the ordinary test
// build: what was found once stays mended.
// usage: fuzz_NAME DIRECTORY...
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    struct stat status;
    if (fstat(fileno(file), &status) != 0) {
        perror(path);
        fclose(file);
        return 1;
    }
    // Of exactly the file's size, so that reading one byte more is seen.
    const size_t size = (size_t)status.st_size;
    uint8_t *bytes = malloc(size > 0 ? size : 1);
    const size_t got = bytes ? fread(bytes, 1, size, file) : 0;
    fclose(file);
    if (!bytes || got != size) {
        fprintf(stderr, "%s: cannot read\n", path);
        free(bytes);
        return 1;
    }
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    return 0;
}

static int replay_directory(const char *path, unsigned *count)
{
    DIR *directory = opendir(path);
    if (!directory) {
        perror(path);
        return 1;
    }
    int failed = 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        if (entry->d_name[0] == '.') continue;
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        failed |= replay_file(name);
        (*count)++;
    }
    closedir(directory);
    return failed;
}

int main(int argc, char **argv)
{
    unsigned count = 0;
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        failed |= replay_directory(argv[i], &count);
    }
    if (count == 0) {
        fprintf(stderr, "usage: %s DIRECTORY...: no file to replay\n", argv[0]);
        return 2;
    }
    printf("%u inputs replayed\n", count);
    return failed;
}
