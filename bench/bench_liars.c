/* A job of hedge over owners in this process, the last of which lies: it follows the protocol, with correct
 * masks, and its own code is the same as the others' but for what it adds to its shares.
 *
 * usage: bench_liars SCHEMA EPSILON BOUNDS LIE MODEL TABLE...
 * BOUNDS: of each owner's records, such as 2000..8000, or - for none. LIE: one of `lies`, below. Prints one
 * line of JSON: trees, the checks that failed, the word of the job's ending, and the exit code that
 * `hedgerow coordinate` has then. MODEL is written if there is one. */
#include "federation/machines/securesum.h"
#include "federation/work/simulation.h"
#include "fits.h"
#include "privacy/sensitivity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INVENTED = 1 << 20 };

#define K(kind) HEDGEROW__HEDGE_QUESTION__KIND__##kind

/* What it makes of its share of a question of that kind; `records`: as many as it may have. */
typedef void lie(uint32_t kind, uint64_t records, Hedgerow__Share *share);

static struct {
    lie *lie;
    uint64_t records;
    hr_status (*train)(hr_party_work *, const hr_job_view *, size_t, hr_bytes *, hr_error *);
    hr_job_ending ending;
} w;

/* ---- Lies ---- */

static void invents_records(uint32_t kind, uint64_t records, Hedgerow__Share *share) {
    (void)records;
    if (kind == K(TOTALS)) share->values[0] += (uint64_t)INVENTED * HR_COUNT_UNIT;
}

static void sends_random_shares(uint32_t kind, uint64_t records, Hedgerow__Share *share) {
    static uint64_t next = 1;
    (void)kind, (void)records;
    for (size_t i = 0; i < share->n_values; i++)
        share->values[i] = next = next * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
}

/* In a leaf's sum, as much as all the records that it may have, of one class. */
static void pushes_leaves(uint32_t kind, uint64_t records, Hedgerow__Share *share) {
    if (kind != K(LEAVES)) return;
    for (size_t i = 0; i < share->n_values / 2; i++) share->values[i] += records << HR_GRADIENT_BITS;
}

static const struct {
    const char *name;
    lie *lie;
} lies[] = {
    {"none", NULL}, {"invents", invents_records}, {"random", sends_random_shares}, {"pushes", pushes_leaves}};

static lie *lie_named(const char *name) {
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
        if (!strcmp(lies[i].name, name)) return lies[i].lie;
    bench_die(NULL, "there is no such lie");
}

/* ---- The owner that lies ---- */

static ProtobufCMessage *unpacked(const ProtobufCMessageDescriptor *kind, const hr_bytes *bytes) {
    ProtobufCMessage *out = NULL;
    hr_error err = {0};
    if (hr_message_unpack(kind, bytes->at, bytes->size, &out, &err)) bench_die(&err, "message:");
    return out;
}

static hr_status train_falsely(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                               hr_error *err) {
    hr_sum_question question;
    if (!hr_securesum_question(job->protocol, slot, &question)) bench_die(NULL, "there is no question");
    hr_status status = w.train(self, job, slot, out, err);
    if (status || question.choice || question.to_prepare) return status;
    Hedgerow__HedgeQuestion *body =
        (Hedgerow__HedgeQuestion *)unpacked(&hedgerow__hedge_question__descriptor, &question.body);
    Hedgerow__Share *share = (Hedgerow__Share *)unpacked(&hedgerow__share__descriptor, out);
    w.lie(body->kind, w.records, share);
    free(out->at);
    status = hr_message_pack(&share->base, out, err);
    hr_message_unpacked_free(&share->base);
    hr_message_unpacked_free(&body->base);
    return status;
}

/* ---- The job ---- */

static void note_ending(void *user, hr_job_ending ending) {
    (void)user;
    w.ending = ending;
}

static hr_job_file job_of(const char *epsilon, const char *bounds) {
    hr_job_file job = {.rounds = 1, .options = bench_options("hedge", 1, NULL, 0)};
    bench_set(&job.options, "epsilon", epsilon);
    bench_set(&job.options, "delta", "1e-6");
    unsigned long long least = 0, most = 0;
    if (strcmp(bounds, "-") != 0 && sscanf(bounds, "%llu..%llu", &least, &most) != 2)
        bench_die(NULL, "BOUNDS are like 2000..8000");
    job.records = (hr_record_bounds){least, most};
    return job;
}

static hr_job_result run_job(const hr_job_file *job, const hr_schema *schema, const hr_owner_tables *owners) {
    hr_simulation simulation;
    hr_error err = {0};
    if (hr_simulation_init(&simulation, job, schema, owners, 1, &err)) bench_die(&err, "job:");
    simulation.parties[0].as.coordinator.report_end = note_ending;
    hr_party_work *liar = &simulation.parties[owners->count].as.work;
    w.train = liar->train;
    if (w.lie) liar->train = train_falsely;
    const hr_status status = hr_simulation_run(&simulation, &err);
    if (status && status != HR_E_POLICY && status != HR_E_JOB) bench_die(&err, "job:");
    hr_job_result result = {0};
    if (!status) result = hr_simulation_take(&simulation);
    hr_simulation_done(&simulation);
    return result;
}

static void print_job(const hr_job_result *result) {
    enum { SUSPECT = 5 };
    const hr_job_ending_info *ending = hr_job_ending_of(w.ending);
    printf("{\"trees\": %zu, \"suspect\": \"%s\", \"ending\": \"%s\", \"exit_code\": %d}\n",
           result->model ? hr_model_tree_count(result->model) : 0, result->suspect ? result->suspect : "",
           ending->word, result->suspect ? SUSPECT : ending->exit_code);
}

int main(int argc, char **argv) {
    hr_schema *schema = NULL;
    hr_data *tables[HR_MEMBERS_MAX] = {NULL};
    hr_error err = {0};
    if (argc < 7 || argc - 6 >= HR_MEMBERS_MAX)
        bench_die(NULL, "usage: bench_liars SCHEMA EPSILON BOUNDS LIE MODEL TABLE...");
    const size_t owners = (size_t)argc - 6;
    if (hr_schema_read(argv[1], &schema, &err)) bench_die(&err, "schema:");
    for (size_t o = 0; o < owners; o++)
        if (hr_data_read(schema, argv[6 + o], NULL, &tables[o], &err)) bench_die(&err, "data:");
    const hr_job_file job = job_of(argv[2], argv[3]);
    w.lie = lie_named(argv[4]);
    w.records = job.records.most ? job.records.most : hr_data_rows(tables[owners - 1]);
    hr_job_result result = run_job(&job, schema, &(hr_owner_tables){(const hr_data *const *)tables, owners});
    print_job(&result);
    if (result.model && hr_model_write(result.model, argv[5], &err)) bench_die(&err, "model:");
    hr_job_result_free(&result);
    for (size_t o = 0; o < owners; o++) hr_data_free(tables[o]);
    hr_schema_free(schema);
    return 0;
}
