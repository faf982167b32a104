/* Training over many processes of one owner: ranks, each with a part of the records. docs/how-to/cluster.md
 * says what they hold and send.
 *
 * Every rank runs the same program and calls hr_cluster_open (ranks that MPI started) or hr_cluster_join (any
 * link between them), hr_cluster_read (a table in files) or hr_cluster_share (one in memory), and
 * hr_cluster_close, in that order. Between the last two rank 0 calls
 * hr_fit with hr_fit_options.cluster, and every other rank hr_cluster_serve: rank 0 runs the method, holds
 * ledger and gate and draws all noise, the others add up. The model is, byte for byte, that of one process
 * with all records, and its guarantee is the same.
 *
 * What ranks send each other are exact sums over the records: all of them are the owner's machines, and so
 * must be the network between them. A link that fails, such as by a rank that died, ends the fit with an
 * error at every rank: what rank 0 had reserved in a ledger stays reserved once anything was drawn. With MPI
 * a rank that dies ends all processes. Thread: one at a time, that of hr_cluster_open or hr_cluster_join. */
#ifndef HEDGEROW_CLUSTER_H
#define HEDGEROW_CLUSTER_H

#include <hedgerow/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The link between ranks ---- */

enum {
    HR_CLUSTER_WORDS_MAX = 1 << 17,
    HR_CLUSTER_BYTES_MAX = 8 * HR_CLUSTER_WORDS_MAX,
    HR_CLUSTER_RANKS_MAX = 4096
};

/* How ranks reach each other: what an engine fills in that brings its own means. Every rank makes the same
 * calls in the same order, with the same sizes, of at most HR_CLUSTER_BYTES_MAX bytes. A call returns when
 * its own part is done, or fails: it fills in *err, which is never NULL. It fails also where another rank
 * does, so that no rank waits for ever. After the first failure only `close` is called. Numbers are sent as
 * they are in memory: all ranks run on one kind of machine. Thread: one at a time. */
typedef struct hr_cluster_link {
    void *state; /* passed to every call */
    size_t rank, size;
    const char *address; /* where rank 0 can be reached, for people and logs; NULL: unknown */
    /* Returns when all ranks have joined. NULL: they have. */
    hr_status (*join)(void *state, hr_error *err);
    /* From rank `root` to all others. */
    hr_status (*broadcast)(void *state, size_t root, void *bytes, size_t size, hr_error *err);
    /* From rank 0 to one other, which receives. */
    hr_status (*send)(void *state, size_t to, const void *bytes, size_t size, hr_error *err);
    hr_status (*receive)(void *state, void *bytes, size_t size, hr_error *err);
    /* Adds all ranks' integers up, in place at rank 0; the other ranks' words are left as they are. At most
     * HR_CLUSTER_WORDS_MAX. No sum overflows. */
    hr_status (*sum)(void *state, int64_t *words, size_t count, hr_error *err);
    /* Ends the rank's part, also after a failure. What was sent still arrives. */
    void (*close)(void *state);
} hr_cluster_link;

/* ---- Ranks over ZeroMQ ---- */

enum { HR_CLUSTER_KEY_TEXT = 65, HR_CLUSTER_SECONDS_MAX = 86400 };

/* How ranks reach each other that something else started: by hand, by ssh, by an engine. Rank 0 listens, the
 * others connect to it and to it alone. All that they send is encrypted and authenticated (CURVE): only
 * processes that have the job's key join, and the network sees sizes and times, which do not depend on the
 * records. Zeros and NULL stand for defaults. */
typedef struct hr_cluster_zeromq {
    size_t rank, size;
    const char *address; /* tcp://HOST:PORT of rank 0. There port 0 is any that is free; a HOST that is a name
                            and no number stands for all addresses of its machine */
    const char *key; /* of hr_cluster_key, the same at all ranks: 64 hexadecimal digits of 32 random bytes.
                        A process that has it can take a rank's place */
    double join_seconds; /* how long to wait for all ranks; 60 unless given, at most HR_CLUSTER_SECONDS_MAX */
    double silence_seconds; /* after which a rank that cannot be reached is gone; 30 unless given. A process
                               that ends is seen at once */
    /* Called some times a second while the rank waits for others; returns false to stop it with
     * HR_E_CANCELLED, upon which the others end as well. Thread: that of the link. NULL: it waits. */
    bool (*should_continue)(void *user);
    void *user;
} hr_cluster_zeromq;

/* A new key for one job. Thread: any. Fails: ABSENT. */
HR_API HR_MUST_CHECK hr_status hr_cluster_key(char key[HR_CLUSTER_KEY_TEXT], hr_error *err);

/* Listens, or begins to connect, and returns: hr_cluster_join then waits for all ranks, so that rank 0 can
 * first give the others out->address. Every later failure names the rank that is gone, with its host. A
 * thread of ZeroMQ sends and receives until the link is closed. Owner: the caller passes *out to
 * hr_cluster_join, or calls its `close`. Fails: ABSENT (built without ZeroMQ, or one without CURVE),
 * ARGUMENT, MEMORY, IO (the address is in use, or none). */
HR_API HR_MUST_CHECK hr_status hr_cluster_zeromq_open(const hr_cluster_zeromq *options, hr_cluster_link *out,
                                                      hr_error *err);

/* ---- The ranks ---- */

typedef struct hr_cluster hr_cluster;

/* Joins the ranks that MPI started together (mpirun, srun). At most once in a process. Owner: the caller ends
 * it with hr_cluster_close. Fails: ABSENT (MPI is not built in), ARGUMENT (ranks of another version of the
 * library), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_cluster_open(hr_cluster **out, hr_error *err);
/* Joins the ranks of a link, which is copied and closed with the cluster, or here where this fails. Owner:
 * the caller ends it with hr_cluster_close. Fails: ARGUMENT (a table that is not filled in, ranks of another
 * version of the library), MEMORY, and as the link does. */
HR_API HR_MUST_CHECK hr_status hr_cluster_join(const hr_cluster_link *link, hr_cluster **out, hr_error *err);
/* Every rank calls it before it ends; rank 0 thereby ends hr_cluster_serve at the others. NULL is allowed. */
HR_API void hr_cluster_close(hr_cluster *cluster);

/* From 0 on, below hr_cluster_size. */
HR_API size_t hr_cluster_rank(const hr_cluster *cluster);
HR_API size_t hr_cluster_size(const hr_cluster *cluster);

/* Every rank calls it with what a step of its own came to. HR_OK if all came to that; else every rank gets
 * the status, and *err, of the lowest one that did not. Where the link fails, a rank that failed itself keeps
 * its own error. */
HR_API HR_MUST_CHECK hr_status hr_cluster_agree(hr_cluster *cluster, hr_status status, hr_error *err);

/* A table in files, as hr_data_read_all reads it. */
typedef struct hr_cluster_table {
    const char *const *paths; /* the same at every rank */
    size_t count;
    const hr_read_options *options; /* NULL: the defaults */
} hr_cluster_table;

/* Reads this rank's part of the table: neighbouring files, where there are at least as many as ranks; else
 * the records that begin in a range of the files' bytes; or, where a file is compressed or converted, a range
 * of rows, for which each rank reads all files and keeps its own. Parts stand in the order of the ranks.
 * hr_data_report, hr_data_skipped and the checks of columns tell of the whole table at every rank. Every rank
 * calls it, with the same schema, names of files and options of reading. Owner: the caller frees *out. Fails,
 * at every rank alike: as hr_data_read_all at any; ARGUMENT (another schema, other names or options than rank
 * 0 has; standard input, or a database, whose rows have no order); IO (ranks found different tables); as the
 * link. */
HR_API HR_MUST_CHECK hr_status hr_cluster_read(hr_cluster *cluster, const hr_schema *schema,
                                               const hr_cluster_table *table, hr_data **out, hr_error *err);
/* Gives the ranks a table that is in their memory already, such as hr_data_borrow makes: the part of each,
 * which may have no records, in the order of the ranks; or in binned caches of the same bins (hr_data_map),
 * one a rank. `data` stays this rank's, but hr_data_report and the checks of columns tell of the whole table
 * from here on. Persons are told apart by a hash of 64 bits of what hr_arrays.persons says, or the file it
 * was read from: the same person needs the same number at all ranks. Every rank calls it, once. Fails, at
 * every rank alike: ARGUMENT (another schema than rank 0 has; persons whose records are at several ranks; no
 * labels; a part that was shared before, or that a share which failed had begun to change: make it anew, at
 * every rank; two caches that are the same, of other bins, or not at every rank),
 * LIMIT, MEMORY, as the link. */
HR_API HR_MUST_CHECK hr_status hr_cluster_share(hr_cluster *cluster, hr_data *data, hr_error *err);
/* Records of the whole table, once it was read or shared. */
HR_API size_t hr_cluster_rows(const hr_cluster *cluster);

/* At every rank but 0: answers what hr_fit asks at rank 0, until that closes its cluster. threads: 0: see
 * hr_threads, and one where that fails. Draws nothing, opens no ledger and writes no file. What fails here is
 * told to rank 0, where hr_fit fails with it. Fails, at the end: with that, or as the link does. */
HR_API HR_MUST_CHECK hr_status hr_cluster_serve(hr_cluster *cluster, const hr_data *data, int threads,
                                                hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
