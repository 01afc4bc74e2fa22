/**
 * @file cluster_codec_internal.h
 * @brief What the files of the codec share: memory for a message, the envelope, columns of numbers.
 *
 * A message is built, or unpacked, in *scratch* memory: given out piece by piece, bounded, and
 * wiped and released at once. So neither a message that is refused halfway nor a failed allocation
 * leaves anything behind.
 */
#ifndef SC_CLUSTER_CLUSTER_CODEC_INTERNAL_H
#define SC_CLUSTER_CLUSTER_CODEC_INTERNAL_H

#include "cluster.pb-c.h"
#include "cluster/cluster_codec.h"

enum {
    SC__CLUSTER_ID_SIZE = 16,            ///< bytes of a query's or proposal's id
    SC__CLUSTER_MEMBERS_MAX = 10000,     ///< of a proposal; no policy allows a k near it
    SC__CLUSTER_GATEWAYS_MAX = 1000,     ///< of a proposal
    SC__CLUSTER_HOPS_MAX = 1000,         ///< of a query: what a policy may allow at most
    SC__CLUSTER_OWN_MAX = 65536,         ///< segments of a zone, and of what is reached
    SC__CLUSTER_THREADS_MAX = 4096,      ///< of a worker
    SC__CLUSTER_CATEGORY_MAX = 255,      ///< bytes of the name of a category
    SC__CLUSTER_MESSAGE_MAX = 16 << 20,  ///< bytes; NATS servers take less, a megabyte by default
};

/** Microseconds that a visit may be held: an hour, as long as any policy lets a client wait. */
#define SC__CLUSTER_VISIT_MAX_US UINT64_C(3600000000)

// --- Memory for a message ----------------------------------------------------------------------

typedef struct sc__cluster_scratch_chunk sc__cluster_scratch_chunk;

typedef struct sc__cluster_scratch {
    sc__cluster_scratch_chunk *chunks;
    size_t left;         ///< of what may be taken in all
    bool is_over;        ///< more was wanted
    bool out_of_memory;  ///< or than there is
} sc__cluster_scratch;

/** Scratch memory of which at most `limit` bytes may be taken. Takes none yet. */
static inline sc__cluster_scratch sc__cluster_scratch_of(size_t limit)
{
    return (sc__cluster_scratch){.left = limit};
}

/** Zeroed, for anything; NULL if memory is out, or the limit is reached. */
void *sc__cluster_scratch_take(sc__cluster_scratch *scratch, size_t count, size_t size);

/** Wipe and release all of it. Harmless twice. */
void sc__cluster_scratch_fini(sc__cluster_scratch *scratch);

// --- The envelope ------------------------------------------------------------------------------

/** Pack `message` in place of what was in `out`. SC_OK, SC_ELIMIT (too large to be read), SC_ENOMEM
 */
SC_CHECKED sc_err sc__cluster_pack(const Starcloak__Cluster__Message *message, sc_bytes *out);

/**
 * Unpack a message that must be of that kind. It lives in `scratch`, which must be empty, and is to
 * be released in any case.
 *
 * @return SC_OK, SC_EPARSE, SC_ELIMIT, SC_ENOMEM
 */
SC_CHECKED sc_err sc__cluster_unpack(const void *bytes, size_t size, sc_message_kind kind,
                                     sc__cluster_scratch *scratch,
                                     const Starcloak__Cluster__Message **out);

/** Ascending ids below `limit` as the first and differences; false if they are not such. */
bool sc__cluster_steps_write(const uint32_t *ids, size_t count, uint32_t limit, uint32_t *steps);

/** And back. SC_OK, SC_EPARSE (one twice), SC_EUNKNOWN (not below the limit) */
SC_CHECKED sc_err sc__cluster_steps_read(const uint32_t *steps, size_t count, uint32_t limit,
                                         uint32_t *ids);

/** A moment as the calendar's; false if that is farther than 272 years from 1970. */
bool sc__cluster_time_write(sc_time t, int64_t offset_us, int64_t *out);
bool sc__cluster_time_read(int64_t calendar_us, int64_t offset_us, sc_time *out);

// --- Parts of messages -------------------------------------------------------------------------
//
// What is written lives in `scratch` and lends from what it is made of. Writers fail with
// SC_EINVAL, SC_ELIMIT or SC_ENOMEM; readers as sc_msg_decode().

/** @param worker  the sender, which proposes it */
SC_CHECKED sc_err sc__cluster_proposal_write(const sc_cluster_codec *codec,
                                             const sc_proposal *proposal, sc_peer worker,
                                             int64_t offset_us, sc__cluster_scratch *scratch,
                                             Starcloak__Cluster__Proposal *out);
SC_CHECKED sc_err sc__cluster_proposal_read(const sc_cluster_codec *codec,
                                            const Starcloak__Cluster__Proposal *from,
                                            sc_peer worker, int64_t offset_us, sc_proposal **out);

SC_CHECKED sc_err sc__cluster_wishes_write(const sc_cluster_codec *codec, const sc_wish *wishes,
                                           size_t count, sc__cluster_scratch *scratch,
                                           Starcloak__Cluster__Wishes *out);
/** @param out  an array of *count; NULL for none. The caller's to wipe and sc_free(). */
SC_CHECKED sc_err sc__cluster_wishes_read(const sc_cluster_codec *codec,
                                          const Starcloak__Cluster__Wishes *from, sc_wish **out,
                                          size_t *count);

// --- category_table.c --------------------------------------------------------------------------

/** The number of a category, a new one if it is new. SC_OK, SC_ELIMIT, SC_ENOMEM */
SC_CHECKED sc_err sc__category_table_number(struct sc_category_table *table, const char *name,
                                            uint32_t *out);

/** The name of that number; valid as long as the table lives. NULL: there is none. */
const char *sc__category_table_at(struct sc_category_table *table, uint32_t number);

#endif
