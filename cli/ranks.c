#include "ranks.h"

#include "commands.h"
#include "interrupt.h"
#include "output.h"
#include "secrets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Open MPI; PMI, of MPICH and older Slurm; PMIx under Slurm. */
static const struct {
    const char *size, *rank;
} launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                 {"PMI_SIZE", "PMI_RANK"},
                 {"SLURM_STEP_NUM_TASKS", "PMIX_RANK"}};

launch launch_look(void) {
    for (size_t i = 0; i < COUNT_OF(launchers); i++) {
        const char *size = getenv(launchers[i].size), *rank = getenv(launchers[i].rank);
        if (size != NULL && rank != NULL) return (launch){strtoul(size, NULL, 10), strtoul(rank, NULL, 10)};
    }
    return (launch){0, 0};
}

int ranks_open(const command *self, const launch *launched, hr_cluster **out) {
    hr_error err = {0};
    /* A signal is rank 0's to answer; a launcher also ends the other ranks by one when rank 0 fails. */
    if (launched->rank > 0) interrupt_defer_silently();
    hr_cluster *cluster = NULL;
    hr_status status = hr_cluster_open(&cluster, &err);
    if (status == HR_OK && hr_cluster_size(cluster) != launched->ranks) {
        status = err.status = HR_E_IO;
        snprintf(err.message, sizeof err.message,
                 "the launcher started %zu processes, and %zu of them joined", launched->ranks,
                 hr_cluster_size(cluster));
        snprintf(
            err.remedy, sizeof err.remedy,
            "start them with the mpirun of the MPI that Hedgerow was built with, or with srun --mpi=pmix");
    }
    if (status == HR_OK) {
        *out = cluster;
        return EXIT_DONE;
    }
    const int code = launched->rank == 0 ? report_error(self->name, &err) : EXIT_DONE;
    hr_cluster_close(cluster);
    return code;
}

/* ---- Links ---- */

enum { KEY_LINE = HR_CLUSTER_KEY_TEXT + 2 };

bool ranks_link_usable(const command *self, const link_args *link) {
    const bool some = link->rank.given || link->ranks.given || link->key_file != NULL;
    if (link->address == NULL && !some) return true;
    if (link->address == NULL || !link->rank.given || !link->ranks.given || link->key_file == NULL) {
        usage_error(self->name, "--link, --rank, --ranks and --link-key are given together or not at all");
        return false;
    }
    const unsigned long long rank = link->rank.value, ranks = link->ranks.value;
    if (ranks >= 2 && ranks <= HR_CLUSTER_RANKS_MAX && rank < ranks) return true;
    usage_error(self->name,
                "--rank %llu of --ranks %llu: --ranks is from 2 to %d, and --rank from 0 to one less", rank,
                ranks, HR_CLUSTER_RANKS_MAX);
    return false;
}

static hr_status fail_key(const char *path, const char *message, const char *remedy, hr_error *err) {
    *err = (hr_error){.status = HR_E_IO};
    snprintf(err->file, sizeof err->file, "%s", path);
    snprintf(err->message, sizeof err->message, "%s", message);
    snprintf(err->remedy, sizeof err->remedy, "%s", remedy);
    return HR_E_IO;
}

/* Whether it is a key is for the link to say. */
static hr_status read_link_key(const char *path, char key[KEY_LINE], hr_error *err) {
    struct stat facts;
    FILE *in = fopen(path, "r");
    if (in == NULL) return fail_key(path, strerror(errno), "make it with 'hedgerow keygen --link'", err);
    const bool is_open_to_others = fstat(fileno(in), &facts) != 0 || (facts.st_mode & 077) != 0;
    if (fgets(key, KEY_LINE, in) == NULL) key[0] = '\0';
    key[strcspn(key, "\n")] = '\0';
    fclose(in);
    if (!is_open_to_others) return HR_OK;
    return fail_key(path, "others may read this key", "make a new one, which only you may read (chmod 600)",
                    err);
}

hr_status ranks_join(const command *self, const link_args *link, hr_cluster **out, hr_error *err) {
    char key[KEY_LINE];
    hr_cluster_link table;
    const hr_cluster_zeromq options = {.rank = (size_t)link->rank.value,
                                       .size = (size_t)link->ranks.value,
                                       .address = link->address,
                                       .key = key};
    secrets_guard();
    hr_status status = read_link_key(link->key_file, key, err);
    if (status == HR_OK) status = hr_cluster_zeromq_open(&options, &table, err);
    if (status != HR_OK) return status;
    const size_t length = strlen(link->address);
    if (options.rank == 0 && length > 2 && strcmp(link->address + length - 2, ":0") == 0)
        fprintf(stderr, "hedgerow %s: rank 0 listens at %s\n", self->name, table.address);
    return hr_cluster_join(&table, out, err);
}

bool ranks_refused(const command *self, int *code) {
    const launch launched = launch_look();
    if (!self->once || launched.ranks <= 1) return false;
    *code = launched.rank > 0
                ? EXIT_DONE
                : usage_error(self->name,
                              "each of the %zu ranks would do all of this by itself, and draw noise of its "
                              "own; start it without mpirun: train alone shares records out to ranks",
                              launched.ranks);
    return true;
}

bool ranks_table_usable(const command *self, const table_args *table, const char *schema) {
    bool standard = schema != NULL && is_standard_output(schema);
    for (size_t i = 0; i < table->data.count; i++)
        standard = standard || is_standard_output(table->data.items[i]);
    if (!standard) return true;
    usage_error(self->name, "'-': only one of several ranks has a standard input; name files that all of "
                            "them can read");
    return false;
}

hr_status ranks_table(hr_cluster *cluster, const hr_schema *schema, const table_args *table, hr_data **out,
                      hr_error *err) {
    const hr_read_options options = input_table_options(table);
    const hr_cluster_table files = {(const char *const *)table->data.items, table->data.count, &options};
    return hr_cluster_read(cluster, schema, &files, out, err);
}

hr_status ranks_follow(hr_cluster *cluster, const hr_schema *schema, const table_args *table, int threads,
                       hr_status status, hr_error *err) {
    hr_data *data = NULL;
    status = hr_cluster_agree(cluster, status, err);
    if (status == HR_OK) status = ranks_table(cluster, schema, table, &data, err);
    if (status == HR_OK) status = hr_cluster_serve(cluster, data, threads, err);
    hr_data_free(data);
    return status;
}
