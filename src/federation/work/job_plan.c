/* What a job would do, from its file and its schema alone. */
#include "base/fail.h"
#include "federation/config/job_file.h"
#include "federation/federated/federated_method.h"
#include "federation/federated/terms.h"
#include "fit/budget.h"
#include "privacy/noise.h"
#include "tables/schema/schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double RECORDS_MAX = 4294967294; /* of a table */

typedef struct job_plan {
    hr_arena *arena;
    hr_job_file file;
    hr_federation_file federation;
    hr_schema *schema;
    hr_names owners;
    ProtobufCMessage *terms;
} job_plan;

/* Those of the file, or `count` invented ones. */
static hr_status name_owners(job_plan *p, const char *path, size_t count, hr_error *err) {
    enum { NAME = 16 };
    p->owners = p->file.owners;
    if (!count && p->owners.count) return HR_OK;
    if (!count) {
        hr_fail(err, HR_E_ARGUMENT, "add the key owners; of a simulation, say how many there are",
                "the job file names no owners");
        return hr_fail_at(err, HR_E_ARGUMENT, path, 0, 0, "owners");
    }
    if (count >= HR_MEMBERS_MAX)
        return hr_fail(err, HR_E_LIMIT, "a federation has at most 255 owners and a coordinator",
                       "%zu owners are too many", count);
    const char **names = hr_arena_alloc(p->arena, count, sizeof *names);
    char *room = hr_arena_alloc(p->arena, count, NAME);
    if (!names || !room) return hr_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        snprintf(room + i * NAME, NAME, "owner-%zu", i + 1);
        names[i] = room + i * NAME;
    }
    p->owners = (hr_names){names, count};
    return HR_OK;
}

/* The terms that the coordinator would offer: what they refuse, a plan refuses. */
static hr_status make_terms(job_plan *p, const char *path, hr_error *err) {
    char name[HR_JOB_NAME_MAX + 1];
    hr_bytes packed = {0};
    hr_status status = hr_job_name_of(path, name, err);
    if (!status) status = hr_terms_of(&p->file, name, p->schema, &p->owners, &packed, err);
    if (!status)
        status = hr_message_unpack(&hedgerow__terms__descriptor, packed.at, packed.size, &p->terms, err);
    free(packed.at);
    return status;
}

static hr_coalition_price price_of(size_t owners, size_t coalition) {
    size_t honest = (size_t)hr_noise_shares(owners, coalition);
    return (hr_coalition_price){coalition, honest, sqrt((double)owners / (double)honest)};
}

static hr_status plan_promise(const hr_planned_job *job, hr_plan_info *out, hr_error *err) {
    const hr_method *trained = NULL;
    hr_budget budget;
    hr_status status = hr_terms_trained(job->terms, &trained, err);
    if (!status) status = hr_budget_grant(out->epsilon, out->delta, trained->with_delta, &budget, err);
    if (!status) hr_budget_promise(&budget, &out->odds_beyond, &out->odds_beyond_gaussian);
    return status;
}

static bool has_plan(const hr_federated_method *method) {
    return method->plan != NULL;
}

/* Of a method whose row has no plan. */
static hr_status refuse_plan(const hr_federated_method *method, hr_error *err) {
    char with[HR_METHODS_TEXT], remedy[HR_METHODS_TEXT + 40];
    hr_federated_list(has_plan, with);
    snprintf(remedy, sizeof remedy, "a job of method %s has a plan", with);
    return hr_fail(err, HR_E_ARGUMENT, remedy, "a job of method %s has no plan: it %s",
                   method->method->info.name,
                   method->unprotected ? "adds no noise"
                   : method->summed    ? "is one sum"
                                       : "trains one tree for each owner in each round");
}

static hr_status plan_of_terms(const hr_planned_job *job, hr_job_plan_info *out, hr_error *err) {
    const hr_federated_method *federated = hr_terms_method(job->terms);
    const hr_coalition_price own = price_of(job->terms->n_owners, job->terms->coalition);
    hr_job_plan_info plan = {.method = federated->method->info.name,
                             .plan.records = job->records,
                             .owners = job->terms->n_owners,
                             .coalition = own.coalition,
                             .honest = own.honest,
                             .noise_factor = own.noise_factor};
    for (size_t i = 0; i < job->terms->n_records_most; i++) {
        plan.records_least += (double)job->terms->records_least[i];
        plan.records_most += (double)job->terms->records_most[i];
    }
    if (federated->bound)
        return hr_fail(err, HR_E_ARGUMENT, "it costs each owner what the job file says",
                       "a job of method %s has no plan", plan.method);
    if (federated->evaluate)
        return hr_fail(err, HR_E_ARGUMENT,
                       "'hedgerow evaluate --plan' tells the noise of one table of all records",
                       "a job of method %s has no plan; its noise is %.3g times that of one table",
                       plan.method, plan.noise_factor);
    if (!federated->plan) return refuse_plan(federated, err);
    const char *unit = hr_schema_unit(job->schema);
    snprintf(plan.unit, sizeof plan.unit, "%s", unit ? unit : "");
    const char *weight = hr_schema_weight(job->schema, &plan.weight_high);
    if (!weight) weight = hr_schema_exposure(job->schema, &plan.weight_high);
    snprintf(plan.weight, sizeof plan.weight, "%s", weight ? weight : "");
    hr_status status = federated->plan(job, &plan, err);
    if (!status) status = plan_promise(job, &plan.plan, err);
    if (status) return status;
    for (size_t t = 1; federated->summed && t < plan.owners; t++)
        if (t == 1 || t == hr_coalition_usual(plan.owners) || t == plan.coalition || t == plan.owners - 1)
            plan.prices[plan.price_count++] = price_of(plan.owners, t);
    *out = plan;
    return HR_OK;
}

/* For their bounds. A plan may be made where the federation file is not. */
static hr_status read_members(job_plan *p, hr_error *err) {
    hr_error why = {0};
    hr_status status = hr_federation_file_read(p->file.member.federation, p->arena, &p->federation, &why);
    if (status == HR_E_IO) return HR_OK;
    if (status && err) *err = why;
    p->file.members = &p->federation;
    return status;
}

static hr_status make_job_plan(job_plan *p, const char *path, size_t owners, hr_error *err) {
    hr_status status = hr_job_file_read(path, hr_federated_job_rules, p->arena, &p->file, err);
    if (!status && !owners && p->file.member.name) status = read_members(p, err);
    if (!status) status = name_owners(p, path, owners, err);
    if (!status) status = hr_schema_read(p->file.schema, &p->schema, err);
    if (status) return status;
    status = hr_schema_public(p->schema, err);
    return status ? hr_fail_at(err, status, p->file.schema, 0, 0, NULL) : make_terms(p, path, err);
}

hr_status hr_job_plan(const char *file, size_t owners, double records, hr_job_plan_info *out, hr_error *err) {
    job_plan p = {.arena = hr_arena_new()};
    if (!p.arena) return hr_fail_memory(err);
    hr_status status = records >= 1 && records <= RECORDS_MAX
                           ? make_job_plan(&p, file, owners, err)
                           : hr_fail(err, HR_E_ARGUMENT, "it is from 1 to 4294967294",
                                     "no plan is made for %g records", records);
    if (!status) {
        const hr_planned_job job = {(const Hedgerow__Terms *)p.terms, p.schema, records};
        status = plan_of_terms(&job, out, err);
    }
    if (p.terms) hr_message_unpacked_free(p.terms);
    hr_schema_free(p.schema);
    hr_arena_free(p.arena);
    return status;
}
