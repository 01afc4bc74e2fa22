// File functions for shapelib over bytes in memory. See shp_memory.h.
//
// Shapelib's open function gets a name and nothing else. So that no global is
// needed to find the bytes by, the name *is* the address of the sc_shp_memory,
// in hexadecimal; shapelib appends ".shp", ".shx", ".dbf" or ".cpg" to it.
#include "import/shp_memory.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The types of these functions are shapelib's.
// NOLINTBEGIN(readability-non-const-parameter)

static SAFile open_bytes(const char *name, const char *access)
{
    (void)access;
    char *suffix = NULL;
    sc_shp_memory *memory = (sc_shp_memory *)(uintptr_t)strtoull(name, &suffix, 16);
    sc_shp_cursor *cursor = NULL;
    if (strcmp(suffix, ".shp") == 0) cursor = &memory->shp;
    if (strcmp(suffix, ".shx") == 0) cursor = &memory->shx;
    if (strcmp(suffix, ".dbf") == 0) cursor = &memory->dbf;
    if (!cursor || !cursor->data) return NULL;
    cursor->at = 0;
    return (SAFile)(void *)cursor;
}

static SAOffset read_bytes(void *to, SAOffset size, SAOffset count, SAFile file)
{
    sc_shp_cursor *cursor = (sc_shp_cursor *)(void *)file;
    if (size == 0) return 0;
    const SAOffset left = (cursor->size - cursor->at) / size;
    const SAOffset whole = count < left ? count : left;
    memcpy(to, cursor->data + cursor->at, whole * size);
    cursor->at += whole * size;
    return whole;
}

static SAOffset write_nothing(void *from, SAOffset size, SAOffset count, SAFile file)
{
    (void)from;
    (void)size;
    (void)count;
    (void)file;
    return 0;
}

static SAOffset seek_bytes(SAFile file, SAOffset offset, int whence)
{
    sc_shp_cursor *cursor = (sc_shp_cursor *)(void *)file;
    SAOffset start = 0;
    if (whence == SEEK_CUR) start = cursor->at;
    if (whence == SEEK_END) start = cursor->size;
    if (offset > cursor->size - start) return 1;
    cursor->at = start + offset;
    return 0;
}

static SAOffset tell_bytes(SAFile file)
{
    return ((const sc_shp_cursor *)(void *)file)->at;
}

static int flush_nothing(SAFile file)
{
    (void)file;
    return 0;
}

static int close_nothing(SAFile file)
{
    (void)file;
    return 0;
}

static int remove_nothing(const char *name)
{
    (void)name;
    return -1;
}

// Shapelib prints its complaints to the terminal; a library of ours does not.
// What it could complain about has been checked before (shp_check.h).
static void say_nothing(const char *message)
{
    (void)message;
}

// NOLINTEND(readability-non-const-parameter)

static SAHooks hooks_for_memory(void)
{
    SAHooks hooks;
    SASetupDefaultHooks(&hooks);
    hooks.FOpen = open_bytes;
    hooks.FRead = read_bytes;
    hooks.FWrite = write_nothing;
    hooks.FSeek = seek_bytes;
    hooks.FTell = tell_bytes;
    hooks.FFlush = flush_nothing;
    hooks.FClose = close_nothing;
    hooks.Remove = remove_nothing;
    hooks.Error = say_nothing;
    return hooks;
}

// Room for the address, and NUL.
typedef struct memory_name {
    char text[2 * sizeof(uintptr_t) + 1];
} memory_name;

static memory_name name_of(const sc_shp_memory *memory)
{
    memory_name name;
    snprintf(name.text, sizeof name.text, "%" PRIxPTR, (uintptr_t)memory);
    return name;
}

SHPHandle sc__shp_open(sc_shp_memory *memory)
{
    SAHooks hooks = hooks_for_memory();
    SHPHandle shapes = SHPOpenLL(name_of(memory).text, "rb", &hooks);
    // Each shape is used up before the next is read, so one buffer will do.
    if (shapes) SHPSetFastModeReadObject(shapes, 1);
    return shapes;
}

DBFHandle sc__dbf_open(sc_shp_memory *memory)
{
    SAHooks hooks = hooks_for_memory();
    return DBFOpenLL(name_of(memory).text, "rb", &hooks);
}
