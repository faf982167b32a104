/* Owners and coordinator in one process, from files. */
#include "base/fail.h"
#include "federation/party/endpoint.h"
#include "federation/work/simulation.h"
#include "fit/settings.h"
#include "privacy/crypto/csprng.h"
#include "tables/data/records.h"
#include "tables/schema/schema.h"
#include "tables/schema/schema_difference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct rehearsal {
    hr_arena *arena;
    hr_job_file file;
    hr_schema *schema;
    hr_data *tables[HR_MEMBERS_MAX];
    size_t table_count;
    hr_simulation simulation;
} rehearsal;

static hr_status read_tables(rehearsal *r, const hr_simulation_data *data, int threads, hr_error *err) {
    hr_read_options options = HR_READ_OPTIONS_INIT;
    hr_status status = HR_OK;
    options.threads = threads;
    for (size_t i = 0; !status && i < data->file_count; i++, r->table_count++)
        status = hr_data_read(r->schema, data->files[i], &options, &r->tables[i], err);
    return status ? status : hr_data_refuse_twice((const hr_data *const *)r->tables, r->table_count, err);
}

static hr_status take_parts(rehearsal *r, const hr_data *all, const hr_parts *parts, hr_error *err) {
    for (size_t o = 0; o < parts->count; o++, r->table_count++)
        if (!(r->tables[o] = hr_data_take(all, hr_parts_rows(parts, o), hr_parts_size(parts, o))))
            return hr_fail_memory(err);
    return HR_OK;
}

static hr_status assign_records(rehearsal *r, size_t owners, hr_error *err) {
    hr_data *all = r->tables[0];
    hr_parts parts = {0};
    hr_csprng *csprng = NULL;
    r->table_count = 0;
    hr_status status = hr_csprng_open(&csprng, err);
    if (!status) status = hr_assign_records(all, owners, csprng, &parts, err);
    if (!status) status = take_parts(r, all, &parts, err);
    hr_csprng_close(csprng);
    hr_parts_done(&parts);
    hr_data_free(all);
    return status;
}

static hr_status check_data(const hr_simulation_data *data, hr_error *err) {
    size_t owners = data->owners ? data->owners : data->file_count;
    if (!data->file_count || (data->owners && data->file_count > 1))
        return hr_fail(err, HR_E_ARGUMENT,
                       "give one file and the number of owners, or one file for each owner",
                       "%zu files for %zu owners", data->file_count, data->owners);
    if (owners < HR_MEMBERS_MAX) return HR_OK;
    return hr_fail(err, HR_E_LIMIT, "a federation has at most 255 owners and a coordinator",
                   "%zu owners are too many", owners);
}

static hr_status read_public_schema(rehearsal *r, hr_error *err) {
    hr_status status = hr_schema_read(r->file.schema, &r->schema, err);
    if (status) return status;
    status = hr_schema_public(r->schema, err);
    return status ? hr_fail_at(err, status, r->file.schema, 0, 0, NULL) : HR_OK;
}

static hr_status run_simulation(rehearsal *r, const char *path, const hr_simulation_data *data,
                                const hr_party_settings *settings, hr_job_result *out, hr_error *err) {
    hr_status status = hr_job_file_read(path, hr_federated_job_rules, r->arena, &r->file, err);
    if (!status) status = check_data(data, err);
    if (!status) status = read_public_schema(r, err);
    if (!status) status = read_tables(r, data, settings->threads, err);
    const hr_remark_options remarks = {.size = sizeof remarks,
                                       .is_private = r->file.options.mode == HR_MODE_SOUND,
                                       .take = settings->remark,
                                       .user = settings->user};
    if (!status)
        status =
            hr_tables_remarks((const hr_data *const *)r->tables, data->files, r->table_count, &remarks, err);
    if (!status && data->owners) status = assign_records(r, data->owners, err);
    const hr_owner_tables owners = {(const hr_data *const *)r->tables, r->table_count};
    if (!status)
        status = hr_simulation_init(&r->simulation, &r->file, r->schema, &owners, settings->threads, err);
    if (!status && data->owners) hr_simulation_of_one_file(&r->simulation);
    hr_simulation_set_callbacks(&r->simulation, settings);
    if (!status) status = hr_simulation_run(&r->simulation, err);
    if (!status) *out = hr_simulation_take(&r->simulation);
    return status;
}

hr_status hr_simulate(const char *file, const hr_simulation_data *data, const hr_party_settings *settings,
                      hr_job_result *out, hr_error *err) {
    hr_party_settings ours;
    hr_status status = hr_endpoint_settings(settings, &ours, err);
    if (status) return status;
    rehearsal *r = calloc(1, sizeof *r);
    if (!r) return hr_fail_memory(err);
    r->arena = hr_arena_new();
    status = r->arena ? run_simulation(r, file, data, &ours, out, err) : hr_fail_memory(err);
    hr_simulation_done(&r->simulation);
    for (size_t i = 0; i < r->table_count; i++) hr_data_free(r->tables[i]);
    hr_schema_free(r->schema);
    hr_arena_free(r->arena);
    free(r);
    return status;
}

/* ---- Records in memory ---- */

void hr_job_options_init(hr_fit_options *options) {
    options->delta = 0;
    (void)hr_federated_job_rules(options);
}

static hr_status refuse_simulated(const char *what, const char *remedy, hr_error *err) {
    return hr_fail(err, HR_E_ARGUMENT, remedy, "a simulation of owners has no %s", what);
}

static bool trains_one_model(const hr_federated_method *method) {
    return method->assemble && !method->averages;
}

static hr_status refuse_alone(const char *method, hr_error *err) {
    char together[HR_METHODS_TEXT], remedy[HR_METHODS_TEXT + 10];
    hr_federated_list(trains_one_model, together);
    snprintf(remedy, sizeof remedy, "choose %s", together);
    return hr_fail(err, HR_E_ARGUMENT, remedy, "owners do not train the method '%s' together", method);
}

static hr_status check_simulated_options(const hr_fit_options *o, hr_error *err) {
    const hr_federated_method *method = hr_federated_method_named(o->method, strlen(o->method), o->mode);
    if (!method || !trains_one_model(method)) return refuse_alone(o->method, err);
    if (o->ledger) return refuse_simulated("ledger", "leave it out: nothing is spent", err);
    if (o->start) return refuse_simulated("start", "leave it out", err);
    if (o->class_weights) return refuse_simulated("class weights", "leave them out", err);
    if (o->record_weights) return refuse_simulated("record weights", "leave them out", err);
    if (o->private_bounds_count) return refuse_simulated("private bounds", "give public bounds", err);
    if (o->records_per_person) return refuse_simulated("records per person", "leave them out", err);
    if (o->leak) return refuse_simulated("leaks", "give a public schema", err);
    if (o->reproducible_noise) return refuse_simulated("reproducible noise", "leave it out", err);
    return HR_OK;
}

static hr_status check_simulated_tables(const hr_simulated_owners *owners, hr_error *err) {
    static const hr_schema_sides sides = {"at the first owner", "at another one"};
    char difference[HR_SCHEMA_DIFFERENCE];
    if (!owners->count)
        return hr_fail(err, HR_E_ARGUMENT, "give a table for each owner", "there are no owners");
    for (size_t o = 0; o < owners->count; o++) {
        const hr_schema *first = hr_data_schema(owners->tables[0]),
                        *other = hr_data_schema(owners->tables[o]);
        if (!hr_data_has_labels(owners->tables[o]))
            return hr_fail(err, HR_E_SCHEMA, "give data with the label's column",
                           "the table of owner %zu has no labels", o + 1);
        if (hr_data_check_exposures(owners->tables[o], NULL))
            return hr_fail(err, HR_E_SCHEMA, "give exposures with the arrays (hr_arrays.exposures)",
                           "the table of owner %zu has no exposures, which the schema names", o + 1);
        const hr_status status = hr_data_check_values(owners->tables[o], err);
        if (status) return status;
        if (hr_schema_difference(first, other, &sides, difference))
            return hr_fail(err, HR_E_SCHEMA, "give all tables one schema", "the schemas differ: %s",
                           difference);
    }
    const hr_status status = hr_data_refuse_twice(owners->tables, owners->count, err);
    return status ? status : hr_schema_public(hr_data_schema(owners->tables[0]), err);
}

static hr_status run_in_memory(const hr_job_file *job, const hr_simulated_owners *owners,
                               const hr_party_settings *settings, hr_model **out, hr_error *err) {
    hr_simulation simulation = {0};
    const hr_owner_tables tables = {owners->tables, owners->count};
    hr_status status = hr_simulation_init(&simulation, job, hr_data_schema(owners->tables[0]), &tables,
                                          settings->threads, err);
    hr_simulation_set_callbacks(&simulation, settings);
    if (!status) status = hr_simulation_run(&simulation, err);
    if (!status) *out = hr_simulation_take(&simulation).model;
    hr_simulation_done(&simulation);
    return status;
}

hr_status hr_simulate_records(const hr_fit_options *options, const hr_simulated_owners *owners,
                              const hr_party_settings *settings, hr_model **out, hr_error *err) {
    hr_party_settings ours;
    hr_job_file job = {.rounds = owners->rounds ? owners->rounds : 1, .coalition = owners->coalition};
    hr_status status = hr_endpoint_settings(settings, &ours, err);
    if (!status) status = hr_options_taken(options, &job.options, err);
    if (!status) status = check_simulated_options(&job.options, err);
    if (!status) status = check_simulated_tables(owners, err);
    const hr_remark_options remarks = {.size = sizeof remarks,
                                       .is_private = job.options.mode == HR_MODE_SOUND,
                                       .take = job.options.remark,
                                       .user = job.options.user};
    if (!status) status = hr_tables_remarks(owners->tables, NULL, owners->count, &remarks, err);
    return status ? status : run_in_memory(&job, owners, &ours, out, err);
}
