#include "job/miner_work.h"

#include "base/fail.h"
#include "job/terms.h"
#include "methods/inprivate.h"

#include <hedgerow/amount.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATEMENT = 1400 };

static const char meaning[] = "Epsilon is what the job allows each owner to spend, or the most that an owner lists for a round, if that is "
                              "more; that no owner spends more rests on its own program.";

/* A model in the making. */
typedef struct making {
    const hr_party_job *job;
    hr_arena *arena;
    hr_forest forest;
    hr_release *releases;
    size_t release_count, release_room;
    hr_settings settings;
    const char *unit;
    char statement[STATEMENT];
} making;

static hr_status add_releases(making *m, const hr_release *releases, size_t count, hr_error *err) {
    if (m->release_count + count > m->release_room) {
        size_t room = 2 * (m->release_count + count);
        hr_release *larger = realloc(m->releases, room * sizeof *larger);
        if (!larger) return hr_fail_memory(err);
        m->releases = larger;
        m->release_room = room;
    }
    if (count) memcpy(m->releases + m->release_count, releases, count * sizeof *releases);
    m->release_count += count;
    return HR_OK;
}

/* The job may outlive the model, and keeps its own. */
static hr_status add_tree(making *m, const hr_tree *tree, hr_error *err) {
    bool copied = hr_tree_copy(m->arena, tree, &m->forest.trees[m->forest.tree_count]);
    m->forest.tree_count += copied;
    return copied ? HR_OK : hr_fail_memory(err);
}

static hr_status gather(making *m, hr_error *err) {
    const hr_course *course = m->job->course;
    size_t places = hr_course_places(course);
    hr_status status = hr_inprivate_forest_init(course->rules.schema, places, m->arena, &m->forest, err);
    for (size_t p = 0; !status && p < places; p++) {
        const hr_paid_tree *tree = hr_course_tree(course, p);
        if (tree) status = add_releases(m, tree->releases, tree->release_count, err); /* also of what is left out: it was told */
        if (!status && tree && p + m->job->left_out < places) status = add_tree(m, &tree->tree, err);
        const hr_ballot *ballot = &m->job->ballots[p];
        if (!status && ballot->here) status = add_releases(m, ballot->releases, ballot->release_count, err);
    }
    return status;
}

static void add_whole(hr_settings *settings, const char *name, size_t value) {
    char text[24];
    snprintf(text, sizeof text, "%zu", value);
    hr_settings_add(settings, name, text);
}

static hr_status list_settings(making *m, hr_error *err) {
    hr_fit_options options;
    hr_status status = hr_options_of_terms(m->job->terms, 1, &options, err);
    if (status) return status;
    hr_terms_add_options(&m->settings, &options);
    add_whole(&m->settings, "owners", m->job->course->owner_count);
    add_whole(&m->settings, "rounds", m->job->course->rounds);
    hr_settings_add(&m->settings, "order", m->job->terms->broadcast ? "broadcast" : "chain");
    return m->settings.lost ? hr_fail_memory(err) : HR_OK;
}

static const char *assumption_of(const char *unit) {
    if (!strcmp(unit, HR_RECORD_OF_FILE)) return "each of which drew its owner independently of the others";
    return "even if all other owners and the miner act together";
}

/* Owners list what they spent. One that lists less than the job allowed it may have spent all of that. */
static hr_status state(making *m, hr_guarantee *g, hr_error *err) {
    char epsilon[HR_AMOUNT_TEXT], replace[HR_AMOUNT_TEXT];
    if (m->job->terms->paper) {
        hr_spent_text(m->job->terms->epsilon, epsilon);
        *g = (hr_guarantee){.epsilon = (double)INFINITY, .epsilon_replace = (double)INFINITY};
        snprintf(m->statement, STATEMENT, "NOT DIFFERENTIALLY PRIVATE. %s The authors claim epsilon = %s.", hr_method_inprivate.info.flaws,
                 epsilon);
        return HR_OK;
    }
    hr_status status = hr_model_account(m->releases, m->release_count, HR_PURE, 0, g, err);
    if (status) return status;
    g->unit = m->unit;
    g->epsilon = fmax(g->epsilon, fmax(m->job->terms->epsilon, hr_terms_cost(m->job->terms)));
    g->epsilon_replace = 2 * g->epsilon;
    hr_spent_text(g->epsilon, epsilon);
    hr_spent_text(g->epsilon_replace, replace);
    snprintf(m->statement, STATEMENT, "(%s, 0)-differentially private for adding or removing %s (%s for replacing one), %s. %s %s", epsilon,
             g->unit, replace, assumption_of(g->unit), meaning, hr_method_inprivate.info.sound);
    return HR_OK;
}

static hr_status assemble(making *m, hr_model **out, hr_error *err) {
    hr_model parts = {.method = hr_method_inprivate.info.name, .mode = m->job->terms->paper ? HR_PAPER : HR_SOUND, .currency = HR_PURE};
    const hr_schema *schema = m->job->course->rules.schema;
    hr_status status = gather(m, err);
    if (!status) status = list_settings(m, err);
    if (!status) status = state(m, &parts.guarantee, err);
    if (status) return status;
    parts.arena = m->arena;
    parts.forest = m->forest;
    parts.guarantee.statement = m->statement;
    parts.schema = (hr_schema *)schema;
    parts.releases = m->releases;
    parts.release_count = m->release_count;
    parts.settings = m->settings.items;
    parts.setting_count = m->settings.count;
    status = hr_model_make(&parts, out, err);
    m->arena = parts.arena;
    return status;
}

static hr_status make(const hr_party_job *job, const char *unit, hr_model **out, hr_error *err) {
    making m = {.job = job, .unit = unit, .arena = hr_arena_new()};
    m.settings.arena = m.arena;
    hr_status status = m.arena ? assemble(&m, out, err) : hr_fail_memory(err);
    free(m.releases);
    hr_arena_free(m.arena);
    return status;
}

static void tell(hr_party_work *self, const char *line) {
    const hr_miner_work *w = (const hr_miner_work *)self;
    if (w->tell) w->tell(w->user, line);
}

static hr_status finish(hr_party_work *self, const hr_party_job *job, hr_error *err) {
    hr_miner_work *w = (hr_miner_work *)self;
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

static void fail(hr_party_work *self, const hr_party_job *job, const char *why) {
    hr_miner_work *w = (hr_miner_work *)self;
    (void)job;
    snprintf(w->why, sizeof w->why, "%s", why);
}

void hr_miner_work_init(hr_miner_work *w) {
    w->work = (hr_party_work){.finish = finish, .fail = fail, .tell = tell};
    w->unit = HR_RECORD_OF_OWNER;
}
