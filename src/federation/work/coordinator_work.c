#include "federation/work/coordinator_work.h"

#include "base/buffer.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/text/text.h"
#include "federation/federated/federated_method.h"
#include "federation/federated/terms.h"
#include "federation/sums/summed_coordinator.h"
#include "federation/work/receipt_files.h"
#include "fit/budget.h"
#include "fit/cuts.h"
#include "fit/measure/evaluation_figures.h"
#include "fit/weights.h"
#include "privacy/mechanisms.h"
#include "tables/schema/schema.h"

#include <hedgerow/amount.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { STATEMENT = 1800, FLAWS = 1400, PERSONS = 200, MODEL_FRAME = 4096, UNREAD_PATH = 4200 };

static const char meaning[] =
    "Epsilon is what the job allows each owner to spend, or the largest amount that an owner lists for a "
    "round, if that is more; that no owner spends more depends on the owner's program.";

/* A model in the making. */
typedef struct joint_making {
    const hr_job_view *job;
    const hr_method *method;
    hr_joint_model joint;
    hr_privacy_measure privacy_measure;
    const char *unit, *assumption; /* what the guarantee protects, and on which condition */
    char statement[STATEMENT];
} joint_making;

/* Who a person is, and what protects it; "" if the job protects records. */
static void state_persons(const joint_making *m, char *text, size_t size) {
    const char *unit = hr_schema_unit(m->job->schema);
    char name[80];
    *text = '\0';
    if (!unit) return;
    hr_text_show(unit, name, sizeof name);
    snprintf(text, size, "A person is all records of one %s%s. ", name,
             strcmp(m->unit, HR_PERSON_OF_OWNER)
                 ? ""
                 : "; one with records at several owners counts once at each");
}

/* What else was released of the records, or of a part of them. */
static void state_additions(joint_making *m, bool persons) {
    size_t used = strlen(m->statement);
    if (m->joint.schema)
        snprintf(m->statement + used, STATEMENT - used,
                 " The cuts between intervals of times were released as well, for %.3g %% of the budget.",
                 100 * hr_cuts_share(m->method, m->job->schema));
    if (!m->joint.release_count) return;
    const hr_release *last = &m->joint.releases[m->joint.release_count - 1];
    used = strlen(m->statement);
    if (last->owner == HR_OWNER_HELD_OUT)
        snprintf(
            m->statement + used, STATEMENT - used,
            " A secret coin of its owner kept each %s with a probability of a fifth from the trees: those "
            "that it kept correct the interval by noisy counts, and nothing else, so that none pays for "
            "both.",
            persons ? "person" : "record");
}

/* Where owners add noisy sums up: what they were granted. The noise of a coalition counts for nothing. */
static hr_status state_sums(joint_making *m, hr_guarantee *g, hr_error *err) {
    char epsilon[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT], replace[HR_AMOUNT_TEXT],
        conditions[HR_CONDITIONS_TEXT], persons[PERSONS];
    const size_t *members;
    hr_fit_options options;
    hr_budget budget;
    hr_trust trust;
    hr_status status = hr_options_of_terms(m->job->terms, 1, &options, err);
    if (!status) status = hr_budget_of(m->method, &options, &budget, err);
    if (status) return status;
    hr_guarantee_of(budget.units, budget.privacy_measure, budget.delta, g);
    const hr_sums_grant grant = {.privacy_measure = budget.privacy_measure,
                                 .units = budget.units,
                                 .epsilon = g->epsilon,
                                 .delta = budget.delta,
                                 .owners = hr_securesum_owners(m->job->protocol, &members),
                                 .coalition = m->job->terms->coalition};
    status = hr_trust_of_sums(m->joint.releases, m->joint.release_count, &grant, &trust, err);
    if (status) return status;
    g->unit = m->unit;
    m->privacy_measure = budget.privacy_measure;
    hr_spent_text(g->epsilon, epsilon);
    hr_spent_text(g->delta, delta);
    hr_spent_text(g->epsilon_replace, replace);
    hr_conditions_text(&trust.stated, g->epsilon, conditions);
    state_persons(m, persons, sizeof persons);
    const bool weighed = hr_schema_weight(m->job->schema, NULL),
               exposed = hr_schema_exposure(m->job->schema, NULL);
    snprintf(m->statement, STATEMENT,
             "(%s, %s)-differentially private for adding or removing %s (%s for replacing one), %s. %s%s%s%s",
             epsilon, delta, g->unit, replace, conditions, persons,
             *persons ? m->method->persons : m->method->info.sound,
             (weighed || exposed) && !*persons && m->method->weighed ? m->method->weighed : "",
             weighed ? HR_WEIGHTS_DECLARED : "");
    state_additions(m, *persons);
    return HR_OK;
}

/* Where each owner releases a model of its own: what each was granted. */
static hr_status state_alone(joint_making *m, hr_guarantee *g, hr_error *err) {
    char epsilon[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT], replace[HR_AMOUNT_TEXT];
    const hr_method *trained = NULL;
    hr_fit_options options;
    hr_budget budget;
    hr_status status = hr_terms_trained(m->job->terms, &trained, err);
    if (!status) status = hr_options_of_terms(m->job->terms, 1, &options, err);
    if (!status) status = hr_budget_of(trained, &options, &budget, err);
    if (status) return status;
    hr_guarantee_of(budget.units, budget.privacy_measure, budget.delta, g);
    g->unit = m->unit;
    g->epsilon = fmax(g->epsilon, fmax(budget.epsilon, hr_terms_cost(m->job->terms)));
    m->privacy_measure = budget.privacy_measure;
    hr_spent_text(g->epsilon, epsilon);
    hr_spent_text(g->delta, delta);
    hr_spent_text(g->epsilon_replace, replace);
    snprintf(
        m->statement, STATEMENT,
        "(%s, %s)-differentially private for adding or removing %s (%s for replacing one), %s. Epsilon is "
        "what the job allows each owner to spend; that no owner spends more depends on the owner's "
        "program. %s What each trained, %s: %s",
        epsilon, delta, g->unit, replace, m->assumption, m->method->info.sound, trained->info.name,
        trained->info.sound);
    return HR_OK;
}

/* Owners list what they spent. One that lists less than the job allowed it may have spent all of that. */
static hr_status state_guarantee(joint_making *m, hr_guarantee *g, hr_error *err) {
    char epsilon[HR_AMOUNT_TEXT], replace[HR_AMOUNT_TEXT];
    m->privacy_measure = HR_PRIVACY_PURE;
    if (!m->job->terms->paper && m->job->method->summed) return state_sums(m, g, err);
    if (m->job->method->averages) return state_alone(m, g, err);
    if (m->job->terms->paper) {
        hr_spent_text(m->job->terms->epsilon, epsilon);
        *g = (hr_guarantee){.epsilon = (double)INFINITY, .epsilon_replace = (double)INFINITY};
        char found[FLAWS];
        snprintf(found, sizeof found, "%s", m->method->info.flaws);
        if (m->job->method->flaws_of) m->job->method->flaws_of(m->job, &m->joint, found, sizeof found);
        int size = snprintf(m->statement, STATEMENT, "NOT DIFFERENTIALLY PRIVATE. %s", found);
        if (!(m->job->terms->epsilon > 0))
            m->privacy_measure = HR_PRIVACY_NONE;
        else
            snprintf(m->statement + size, STATEMENT - (size_t)size, " The authors claim epsilon = %s.",
                     epsilon);
        return HR_OK;
    }
    hr_status status =
        hr_model_account(m->joint.releases, m->joint.release_count, HR_PRIVACY_PURE, 0, g, err);
    if (status) return status;
    g->unit = m->unit;
    g->epsilon = fmax(g->epsilon, fmax(m->job->terms->epsilon, hr_terms_cost(m->job->terms)));
    g->epsilon_replace = 2 * g->epsilon;
    hr_spent_text(g->epsilon, epsilon);
    hr_spent_text(g->epsilon_replace, replace);
    snprintf(m->statement, STATEMENT,
             "(%s, 0)-differentially private for adding or removing %s (%s for replacing one), %s. %s %s",
             epsilon, g->unit, replace, m->assumption, meaning, m->method->info.sound);
    return HR_OK;
}

/* The method's forest and releases, and the settings of the model. */
static hr_status assemble(joint_making *m, hr_error *err) {
    hr_settings *settings = &m->joint.settings;
    const char *unit = hr_schema_unit(m->job->schema), *weight = hr_schema_weight(m->job->schema, NULL);
    hr_status status = hr_terms_list_options(m->job->terms, settings, err);
    if (!status) status = m->job->method->assemble(m->job, &m->joint, err);
    if (unit) hr_settings_add(settings, "unit", unit);
    if (weight) hr_settings_add(settings, "weight", weight);
    return !status && settings->incomplete ? hr_fail_memory(err) : status;
}

/* Before anything of it is written or sent. */
static hr_status check_product(const hr_coordinator_work *w, const hr_paid_kind *kind, const void *output,
                               hr_error *err) {
    char path[UNREAD_PATH];
    const int size = w->path ? snprintf(path, sizeof path, "%s.unread", w->path) : UNREAD_PATH;
    return hr_paid_check(kind, output, size < UNREAD_PATH ? path : NULL, err);
}

static hr_status make_model(const hr_coordinator_work *w, const hr_job_view *job, hr_model **out,
                            hr_error *err) {
    const bool of_one_file = w->of_one_file;
    hr_arena *arena = hr_arena_new();
    if (!arena) return hr_fail_memory(err);
    joint_making m = {.job = job, .method = job->method->method};
    hr_joint_model *joint = &m.joint;
    joint->arena = joint->settings.arena = arena;
    const bool persons = hr_schema_unit(job->schema);
    m.unit = of_one_file ? (persons ? HR_PERSON_OF_FILE : HR_RECORD_OF_FILE)
                         : (persons ? HR_PERSON_OF_OWNER : HR_RECORD_OF_OWNER);
    m.assumption = of_one_file && !persons
                       ? "each of which was assigned to an owner independently of the others"
                       : "even if all other owners and the coordinator act together";
    hr_model parts = {.method = m.method->info.name,
                      .mode = job->terms->paper ? HR_MODE_PAPER : HR_MODE_SOUND,
                      .schema = (hr_schema *)job->schema};
    hr_status status = assemble(&m, err);
    if (joint->schema) parts.schema = (hr_schema *)joint->schema;
    if (!status) status = state_guarantee(&m, &parts.guarantee, err);
    if (!status) {
        const ProtobufCBinaryData own = job->terms->coordinator_owner;
        const size_t used = strlen(m.statement);
        if (own.len)
            snprintf(m.statement + used, STATEMENT - used,
                     " The coordinator is also the owner %.*s: one party has what both learn.", (int)own.len,
                     (const char *)own.data);
        parts.guarantee.statement = m.statement;
        parts.privacy_measure = m.privacy_measure;
        parts.arena = joint->arena;
        parts.forest = joint->forest;
        parts.releases = joint->releases;
        parts.release_count = joint->release_count;
        parts.settings = joint->settings.items;
        parts.setting_count = joint->settings.count;
        status = hr_model_make(&parts, out, err);
        joint->arena = parts.arena;
    }
    hr_arena_free(joint->arena);
    return status ? status : check_product(w, &hr_paid_model, *out, err);
}

/* ---- Questions ---- */

/* The model goes with the last question, unless it is too large for a message. */
static hr_status pack_question(hr_party_work *self, const hr_job_view *job, hr_bytes *out, hr_error *err) {
    const hr_coordinator_work *w = (const hr_coordinator_work *)self;
    Hedgerow__Question question = HEDGEROW__QUESTION__INIT;
    hr_bytes body = {0};
    hr_model *model = NULL;
    char *json = NULL;
    hr_status status = hr_summed_next_question(job, self, &question, &body, err);
    if (!status && question.done && job->method->assemble && job->method->machines->model) {
        status = make_model(w, job, &model, err);
        if (!status) status = hr_model_render(model, &json, err);
        if (!status && strlen(json) < HR_MESSAGE_MAX - MODEL_FRAME) question.model = hr_text_of(json);
    }
    if (!status) status = hr_message_pack(&question.base, out, err);
    hr_model_free(model);
    hr_text_free(json);
    free(body.at);
    return status;
}

/* ---- The result as text ---- */

void hr_job_result_free(hr_job_result *result) {
    hr_model_free(result->model);
    free(result->evaluation);
    if (result->bounded) hr_schema_free(result->bounded->schema);
    free(result->bounded);
    *result = (hr_job_result){0};
}

hr_status hr_job_result_render(const hr_job_result *result, char **text, hr_error *err) {
    char *yaml = NULL;
    hr_buffer b = {0};
    if (result->model) return hr_model_render(result->model, text, err);
    if (result->evaluation) return hr_evaluation_render(result->evaluation, text, err);
    hr_status status = hr_schema_render(result->bounded->schema, &yaml, err);
    if (status) return status;

    /* The statement as comments before the schema, wrapped at words. */
    enum { WIDTH = 100 };
    const char *statement = result->bounded->statement;
    hr_buffer_text(&b, "#");
    for (int used = 1; *statement;) {
        const int word = (int)strcspn(statement, " ");
        if (used + word >= WIDTH) hr_buffer_text(&b, "\n#"), used = 1;
        hr_buffer_format(&b, " %.*s", word, statement);
        used += word + 1;
        statement += word + strspn(statement + word, " ");
    }
    hr_buffer_text(&b, "\n");
    hr_buffer_text(&b, yaml);
    hr_text_free(yaml);
    return hr_buffer_take(&b, text, err);
}

/* ---- The file of the result ---- */

/* Whether another file than this job's result is there; the result has the same bytes whenever it is made. */
static bool is_of_others(const char *path, const char *text, size_t size_of_text) {
    struct stat there;
    char piece[4096];
    size_t left = size_of_text; /* text: what the rest of the file must be */
    if (stat(path, &there) || !S_ISREG(there.st_mode)) return false;
    FILE *file = fopen(path, "rb");
    bool same = file != NULL;
    for (size_t size; same && (size = fread(piece, 1, sizeof piece, file));) {
        same = size <= left && !memcmp(text, piece, size);
        if (same) text += size, left -= size;
    }
    same = same && !ferror(file) && !left;
    if (file) fclose(file);
    return !same;
}

static hr_status store_receipt(hr_party_work *self, const char *owner, const hr_bytes *receipt,
                               hr_error *err) {
    const char *folder = ((const hr_coordinator_work *)self)->receipts;
    return folder ? hr_receipt_file_store(folder, owner, receipt, err) : HR_OK;
}

/* ---- The end of a job ---- */

static hr_status finish_job(hr_party_work *self, const hr_job_view *job, hr_error *err) {
    hr_coordinator_work *w = (hr_coordinator_work *)self;
    const hr_federated_method *method = job->method;
    hr_job_result made = {0};
    char *text = NULL;
    size_t size = 0;
    hr_status status;
    if (method->assemble) {
        status = make_model(w, job, &made.model, err);
    } else if (method->evaluate) {
        made.evaluation = calloc(1, sizeof *made.evaluation);
        status = made.evaluation ? method->evaluate(job, made.evaluation, err) : hr_fail_memory(err);
        if (!status) status = check_product(w, &hr_paid_evaluation, made.evaluation, err);
    } else {
        made.bounded = calloc(1, sizeof *made.bounded);
        status = made.bounded ? method->bound(job, made.bounded, err) : hr_fail_memory(err);
        if (!status) status = check_product(w, &hr_paid_schema, made.bounded->schema, err);
    }
    if (!status && made.model)
        status = hr_model_pack(made.model, w->path ? w->path : "", &text, &size, err);
    else if (!status && !(status = hr_job_result_render(&made, &text, err)))
        size = strlen(text);
    if (!status && w->path) {
        const uint8_t *id = job->record->id;
        w->rescue[0] = '\0';
        if (is_of_others(w->path, text, size))
            snprintf(w->rescue, sizeof w->rescue, "%.256s.%02x%02x%02x%02x", w->path, id[0], id[1], id[2],
                     id[3]);
        status = hr_file_write_path(w->rescue[0] ? w->rescue : w->path, text, size, err);
    }
    hr_text_free(text);
    if (status) {
        hr_job_result_free(&made);
        return status;
    }
    hr_job_result_free(&w->result);
    if (made.model) made.suspect = hr_model_suspect(made.model);
    w->result = made;
    return HR_OK;
}

/* Reports what became of each owner that was offered the job, and of the job. */
static void note_ending(hr_party_work *self, const hr_job_view *job, hr_job_ending ending,
                        const char *state) {
    static const hr_owner_part parts[] = {[HR_PART_SILENT] = HR_OWNER_PART_SILENT,
                                          [HR_PART_DECLINED] = HR_OWNER_PART_DECLINED,
                                          [HR_PART_TAKEN] = HR_OWNER_PART_TAKEN,
                                          [HR_PART_CUT_OFF] = HR_OWNER_PART_CUT_OFF,
                                          [HR_PART_ACCEPTED] = HR_OWNER_PART_ACCEPTED};
    hr_coordinator_work *w = (hr_coordinator_work *)self;
    hr_part_info info;
    for (size_t member = 0; w->report_owner && job->protocol && member < job->membership->count; member++) {
        if (!job->method->machines->part(job->protocol, member, &info)) continue;
        const hr_owner_report report = {.name = job->membership->members[member].name,
                                        .part = parts[info.state],
                                        .trees = info.trees,
                                        .skipped = info.skipped,
                                        .reason = info.why};
        w->report_owner(w->user, &report);
    }
    w->ending = ending;
    snprintf(w->state, sizeof w->state, "%s", state);
    if (w->report_end) w->report_end(w->user, ending);
}

bool hr_coordinator_work_has_result(const hr_coordinator_work *w) {
    return w->result.model || w->result.evaluation || w->result.bounded;
}

const char *hr_product_name(const hr_job_file *job) {
    static const char *const names[] = {
        [HR_JOB_MODEL] = "model", [HR_JOB_FIGURES] = "file of figures", [HR_JOB_SCHEMA] = "schema"};
    return names[hr_job_file_makes(job)];
}

void hr_coordinator_work_init(hr_coordinator_work *w) {
    w->work = (hr_party_work){.next_question = pack_question,
                              .store_receipt = store_receipt,
                              .finish = finish_job,
                              .over = note_ending};
}
