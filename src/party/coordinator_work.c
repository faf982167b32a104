#include "party/coordinator_work.h"

#include "base/fail.h"
#include "party/federated_method.h"
#include "party/terms.h"

#include <hedgerow/amount.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STATEMENT = 1400 };

static const char meaning[] =
    "Epsilon is what the job allows each owner to spend, or the largest amount that an owner lists for a "
    "round, if that is more; that no owner spends more depends on the owner's program.";

/* A model in the making. */
typedef struct coordinator_work_making {
    const hr_party_job *job;
    const hr_method *method;
    hr_joint_model joint;
    const char *unit;
    char statement[STATEMENT];
} coordinator_work_making;

static hr_status list_options(coordinator_work_making *m, hr_error *err) {
    hr_fit_options options;
    hr_status status = hr_options_of_terms(m->job->terms, 1, &options, err);
    if (!status) hr_terms_add_options(&m->joint.settings, m->method, &options);
    return status;
}

static const char *assumption_of(const char *unit) {
    if (!strcmp(unit, HR_RECORD_OF_FILE))
        return "each of which was assigned to an owner independently of the others";
    return "even if all other owners and the coordinator act together";
}

/* Owners list what they spent. One that lists less than the job allowed it may have spent all of that. */
static hr_status state(coordinator_work_making *m, hr_guarantee *g, hr_error *err) {
    char epsilon[HR_AMOUNT_TEXT], replace[HR_AMOUNT_TEXT];
    if (m->job->terms->paper) {
        hr_spent_text(m->job->terms->epsilon, epsilon);
        *g = (hr_guarantee){.epsilon = (double)INFINITY, .epsilon_replace = (double)INFINITY};
        snprintf(m->statement, STATEMENT, "NOT DIFFERENTIALLY PRIVATE. %s The authors claim epsilon = %s.",
                 m->method->info.flaws, epsilon);
        return HR_OK;
    }
    hr_status status = hr_model_account(m->joint.releases, m->joint.release_count, HR_PURE, 0, g, err);
    if (status) return status;
    g->unit = m->unit;
    g->epsilon = fmax(g->epsilon, fmax(m->job->terms->epsilon, hr_terms_cost(m->job->terms)));
    g->epsilon_replace = 2 * g->epsilon;
    hr_spent_text(g->epsilon, epsilon);
    hr_spent_text(g->epsilon_replace, replace);
    snprintf(m->statement, STATEMENT,
             "(%s, 0)-differentially private for adding or removing %s (%s for replacing one), %s. %s %s",
             epsilon, g->unit, replace, assumption_of(g->unit), meaning, m->method->info.sound);
    return HR_OK;
}

static hr_status assemble_coordinator_work(coordinator_work_making *m, hr_model **out, hr_error *err) {
    hr_joint_model *joint = &m->joint;
    hr_model parts = {.method = m->method->info.name,
                      .mode = m->job->terms->paper ? HR_PAPER : HR_SOUND,
                      .privacy_measure = HR_PURE};
    hr_status status = list_options(m, err);
    if (!status) status = m->job->method->assemble(m->job, joint, err);
    if (!status && joint->settings.lost) status = hr_fail_memory(err);
    if (!status) status = state(m, &parts.guarantee, err);
    if (status) return status;
    parts.guarantee.statement = m->statement;
    parts.schema = (hr_schema *)m->job->schema;
    parts.arena = joint->arena;
    parts.forest = joint->forest;
    parts.releases = joint->releases;
    parts.release_count = joint->release_count;
    parts.settings = joint->settings.items;
    parts.setting_count = joint->settings.count;
    status = hr_model_make(&parts, out, err);
    joint->arena = parts.arena;
    return status;
}

static hr_status make(const hr_party_job *job, const char *unit, hr_model **out, hr_error *err) {
    hr_arena *arena = hr_arena_new();
    if (!arena) return hr_fail_memory(err);
    coordinator_work_making m = {.job = job, .method = job->method->method, .unit = unit};
    m.joint.arena = m.joint.settings.arena = arena;
    hr_status status = assemble_coordinator_work(&m, out, err);
    hr_arena_free(m.joint.arena);
    return status;
}

static void log_coordinator_line(hr_party_work *self, const char *line) {
    const hr_coordinator_work *w = (const hr_coordinator_work *)self;
    if (w->log_line) w->log_line(w->user, line);
}

static hr_status finish_coordinator_work(hr_party_work *self, const hr_party_job *job, hr_error *err) {
    hr_coordinator_work *w = (hr_coordinator_work *)self;
    hr_model *model = NULL;
    hr_status status = make(job, w->unit, &model, err);
    if (!status && w->path) status = hr_model_write(model, w->path, err);
    if (status) {
        hr_model_free(model);
        return status;
    }
    hr_model_free(w->model);
    w->model = model;
    return HR_OK;
}

static void fail_coordinator_work(hr_party_work *self, const hr_party_job *job, const char *why) {
    hr_coordinator_work *w = (hr_coordinator_work *)self;
    (void)job;
    snprintf(w->why, sizeof w->why, "%s", why);
}

void hr_coordinator_work_init(hr_coordinator_work *w) {
    w->work = (hr_party_work){
        .finish = finish_coordinator_work, .fail = fail_coordinator_work, .log_line = log_coordinator_line};
    w->unit = HR_RECORD_OF_OWNER;
}
