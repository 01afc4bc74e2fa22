// Accounts of an epoch: a table in memory, and the file that it is read from after a restart.
#include "issuer/issued_accounts.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "issuer/epoch_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HASH_SIZE = 16,
    CHECK_SIZE = 8,
    ACCOUNT_AT = 8,
    REQUEST_AT = ACCOUNT_AT + HASH_SIZE,
    CHECK_AT = REQUEST_AT + HASH_SIZE,
    RECORD_SIZE = CHECK_AT + CHECK_SIZE,
};

typedef struct hash {
    uint8_t bytes[HASH_SIZE];
} hash;

/** An account and what was signed for it. */
typedef struct issued_account {
    bool is_set;
    hash account;
    hash request;
} issued_account;

/** Hashes are keyed, so their bits are as good as random. */
static uint64_t bits_of(const hash *account)
{
    uint64_t bits = 0;
    memcpy(&bits, account->bytes, sizeof bits);
    return bits;
}

#define SC_TABLE by_account
#define SC_TABLE_SLOT issued_account
#define SC_TABLE_KEY hash
#define SC_TABLE_IS_FREE(table, slot) (!(slot)->is_set)
#define SC_TABLE_HAS(table, slot, wanted) \
    (memcmp((slot)->account.bytes, (wanted).bytes, HASH_SIZE) == 0)
#define SC_TABLE_HASH(table, wanted) bits_of(&(wanted))
#define SC_TABLE_HASH_OF(table, slot) bits_of(&(slot)->account)
#include "base/table_template.h"

struct sc_issued_accounts {
    int fd;
    char *path;
    size_t max_accounts;
    uint64_t epoch;
    uint8_t hash_key[SC_EPOCH_HASH_KEY_SIZE];
    by_account accounts;
};

static hash hash_of(const sc_issued_accounts *issued, const void *bytes, size_t size)
{
    hash out;
    crypto_generichash(out.bytes, sizeof out.bytes, bytes, size, issued->hash_key,
                       sizeof issued->hash_key);
    return out;
}

// --- Records -------------------------------------------------------------------------------------

static void make_check(const sc_issued_accounts *issued, const uint8_t record[RECORD_SIZE],
                       uint8_t out[CHECK_SIZE])
{
    const hash check = hash_of(issued, record, CHECK_AT);
    memcpy(out, check.bytes, CHECK_SIZE);
}

static void write_head(uint64_t epoch, uint8_t *out)
{
    for (int i = 0; i < 8; i++) {
        out[i] = (uint8_t)(epoch >> (56 - 8 * i));
    }
}

static sc_err fail_io(const sc_issued_accounts *issued, sc_diag *diag)
{
    return sc_fail(diag, SC_EIO, "%s: %s", issued->path, strerror(errno));
}

/** Behind the records of the epoch. The file is opened with O_DSYNC. */
static sc_err append(const sc_issued_accounts *issued, const issued_account *account)
{
    uint8_t record[RECORD_SIZE];
    const off_t at = (off_t)(issued->accounts.count * RECORD_SIZE);
    write_head(issued->epoch, record);
    memcpy(record + ACCOUNT_AT, account->account.bytes, HASH_SIZE);
    memcpy(record + REQUEST_AT, account->request.bytes, HASH_SIZE);
    make_check(issued, record, record + CHECK_AT);
    if (lseek(issued->fd, at, SEEK_SET) != at) return SC_EIO;
    return write(issued->fd, record, sizeof record) == RECORD_SIZE ? SC_OK : SC_EIO;
}

/** Those of the epoch: they end with the first record that is of another one, or not whole. */
static sc_err read_records(sc_issued_accounts *issued, sc_diag *diag)
{
    uint8_t record[RECORD_SIZE];
    uint8_t head[8];
    uint8_t check[CHECK_SIZE];
    write_head(issued->epoch, head);
    if (lseek(issued->fd, 0, SEEK_SET) != 0) return fail_io(issued, diag);
    for (;;) {
        const ssize_t size = read(issued->fd, record, sizeof record);
        if (size < 0) return fail_io(issued, diag);
        if (size != RECORD_SIZE || memcmp(record, head, sizeof head) != 0) return SC_OK;
        make_check(issued, record, check);
        if (sodium_memcmp(check, record + CHECK_AT, CHECK_SIZE) != 0) return SC_OK;
        issued_account account = {.is_set = true};
        memcpy(account.account.bytes, record + ACCOUNT_AT, HASH_SIZE);
        memcpy(account.request.bytes, record + REQUEST_AT, HASH_SIZE);
        if (by_account_find(&issued->accounts, account.account)) continue;
        if (!by_account_reserve(&issued->accounts, issued->accounts.count + 1)) {
            return sc_fail_memory(diag, "reading the accounts of an epoch");
        }
        by_account_put(&issued->accounts, account.account, account);
    }
}

// --- From start to end ---------------------------------------------------------------------------

sc_err sc_issued_accounts_open(const char *path, size_t max_accounts, sc_issued_accounts **out,
                               sc_diag *diag)
{
    sc_issued_accounts *issued = sc_calloc(1, sizeof *issued);
    if (!issued) return sc_fail_memory(diag, "reading the accounts of an epoch");
    struct stat info;
    sc_err err = SC_OK;
    issued->max_accounts = max_accounts;
    issued->path = sc_malloc(strlen(path) + 1);
    issued->fd = open(path, O_RDWR | O_CREAT | O_DSYNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                      S_IRUSR | S_IWUSR);
    const int error = errno;
    if (!issued->path) {
        err = sc_fail_memory(diag, "reading the accounts of an epoch");
    } else {
        memcpy(issued->path, path, strlen(path) + 1);
        if (issued->fd < 0) err = sc_fail(diag, SC_EIO, "%s: %s", path, strerror(error));
    }
    if (!err && fstat(issued->fd, &info) != 0) err = fail_io(issued, diag);
    if (!err && !S_ISREG(info.st_mode)) {
        err = sc_fail(diag, SC_EPARSE, "%s: this is no file", path);
    }
    if (!err && (info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        err = sc_fail(diag, SC_EIO, "%s: others may read it; 'chmod 600' it", path);
    }
    if (err) {
        sc_issued_accounts_free(issued);
        return err;
    }
    *out = issued;
    return SC_OK;
}

void sc_issued_accounts_free(sc_issued_accounts *issued)
{
    if (!issued) return;
    if (issued->fd >= 0) close(issued->fd);
    by_account_fini(&issued->accounts);
    sc_free(issued->path);
    sodium_memzero(issued, sizeof *issued);
    sc_free(issued);
}

sc_err sc_issued_accounts_begin(sc_issued_accounts *issued, uint64_t epoch, const uint8_t *hash_key,
                                sc_diag *diag)
{
    by_account_fini(&issued->accounts);
    issued->accounts = (by_account){0};
    issued->epoch = epoch;
    memcpy(issued->hash_key, hash_key, sizeof issued->hash_key);
    return read_records(issued, diag);
}

sc_err sc_issued_accounts_add(sc_issued_accounts *issued, const char *account, size_t account_size,
                              const uint8_t *request, size_t request_size)
{
    const issued_account asked = {.is_set = true,
                                  .account = hash_of(issued, account, account_size),
                                  .request = hash_of(issued, request, request_size)};
    const issued_account *known = by_account_find(&issued->accounts, asked.account);
    if (known) {
        const bool is_same =
            sodium_memcmp(known->request.bytes, asked.request.bytes, HASH_SIZE) == 0;
        return is_same ? SC_OK : SC_EDUPLICATE;
    }
    if (issued->accounts.count >= issued->max_accounts) return SC_ELIMIT;
    if (!by_account_reserve(&issued->accounts, issued->accounts.count + 1)) return SC_ENOMEM;
    const sc_err err = append(issued, &asked);
    if (!err) by_account_put(&issued->accounts, asked.account, asked);
    return err;
}

size_t sc_issued_accounts_count(const sc_issued_accounts *issued)
{
    return issued->accounts.count;
}
